//! The page for browsers: which files are served, under which headers, and what isn't.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
};

use asanoha_service::{
    Limits,
    http::{Page, PageError},
};

use crate::{
    common::{Service, assert_says},
    http::Running,
};

/// A folder with all files of the page, and others.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("page")).unwrap();
    fs::create_dir_all(folder.path().join("native")).unwrap();
    for (name, path) in Page::files() {
        fs::write(folder.path().join(path), format!("the file {name}")).unwrap();
    }
    fs::write(folder.path().join("page/secret.txt"), "not of the page").unwrap();
    folder
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends a request as it is, without a client that tidies its path.
fn ask(url: &str, request: &str) -> Answer {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let (line, more) = request.split_once('\n').unwrap_or((request, ""));
    write!(stream, "{line} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n{more}\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

#[test]
fn every_file_of_the_page_is_served_to_anyone_under_strict_headers() {
    let folder = folder();
    let page = Page::read(folder.path()).unwrap();
    let running = Running::start_with(Service::new(Limits::default()), Some(page));
    // They are read once.
    fs::write(folder.path().join("page/index.html"), "altered").unwrap();
    let paths = Page::files().map(|(name, _)| (format!("/page/{name}"), name));
    for (path, name) in paths.chain([("/".to_owned(), "index.html")]) {
        let answer = ask(&running.url, &format!("GET {path}"));
        assert_eq!((answer.status, answer.body), (200, format!("the file {name}")), "{path}");
        let kind = match name.rsplit_once('.').unwrap().1 {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "wasm" => "application/wasm",
            other => panic!("{other}"),
        };
        let tag = format!("\"{}\"", blake3::hash(format!("the file {name}").as_bytes()));
        for (header, value) in [("content-type", kind), ("etag", &*tag)] {
            let answer = ask(&running.url, &format!("GET {path}"));
            assert_eq!(answer.header(header), Some(value), "{path}");
        }
        let head = ask(&running.url, &format!("HEAD {path}"));
        let length = format!("the file {name}").len().to_string();
        assert_eq!((head.status, &*head.body, head.header("content-length")), (200, "", Some(&*length)));
        for (asked, status) in [
            (tag.clone(), 304),
            (format!("\"other\", W/{tag}"), 304),
            ("*".into(), 304),
            ("\"other\"".into(), 200),
        ] {
            let answer = ask(&running.url, &format!("GET {path}\nIf-None-Match: {asked}\r\n"));
            assert_eq!((answer.status, answer.header("etag")), (status, Some(&*tag)), "{path}: {asked}");
            assert_eq!(answer.body.is_empty(), status == 304);
        }
    }
    running.stop();
}

#[test]
fn every_answer_of_the_page_forbids_what_the_page_does_not_need() {
    let page = Page::read(folder().path()).unwrap();
    let running = Running::start_with(Service::new(Limits::default()), Some(page));
    for request in [
        "GET /",
        "HEAD /",
        "GET /page/index.html",
        "GET /page/none.js",
        "GET /page/%ff",
        "GET /page/page.css\nIf-None-Match: *\r\n",
    ] {
        let answer = ask(&running.url, request);
        let policy = answer.header("content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval'",
            "worker-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.split("; ").any(|found| found == rule), "{request}: {policy}");
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
        for (header, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-embedder-policy", "require-corp"),
            ("cache-control", "no-cache"),
        ] {
            assert_eq!(answer.header(header), Some(value), "{request}");
        }
        assert!(answer.header("permissions-policy").unwrap().contains("camera=()"));
    }
    running.stop();
}

#[test]
fn no_path_leads_out_of_the_page() {
    let page = Page::read(folder().path()).unwrap();
    let running = Running::start_with(Service::new(Limits::default()), Some(page));
    for path in [
        "/page",
        "/page/",
        "/index.html",
        "/page/secret.txt",
        "/page/page/index.html",
        "/page/asanoha",
        "/page/asanoha/",
        "/page/asanoha/page/index.html",
        "/page/asanoha/../page.css",
        "/page/native/asanoha.js",
        "/page/Index.html",
        "/page/index.html/",
        "/page/../page/index.html",
        "/page/..",
        "/page/%2e%2e",
        "/page/%2e%2e%2findex.html",
        "/page/..%2f..%2fetc%2fpasswd",
        "/page/.%00./index.html",
        "/page/index.html%00",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/page/..\\index.html",
        "//page/index.html",
        "/page/%ff",
    ] {
        let status = ask(&running.url, &format!("GET {path}")).status;
        assert!(status == 404 || status == 400, "{path}: {status}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        for path in ["/", "/page/index.html"] {
            let answer = ask(&running.url, &format!("{method} {path}\nContent-Length: 0\r\n"));
            assert_eq!(answer.status, 405, "{method} {path}");
        }
    }
    running.stop();
    let running = Running::start(Service::new(Limits::default()));
    for path in ["/", "/page/index.html", "/page/page.css"] {
        assert_eq!(ask(&running.url, &format!("GET {path}")).status, 404, "{path}");
    }
    running.stop();
}

#[test]
fn a_folder_without_the_whole_page_is_refused_and_the_file_named() {
    let read = |folder: &tempfile::TempDir| Page::read(folder.path()).map(drop);
    for (_, name) in Page::files() {
        let folder = folder();
        let path = folder.path().join(&name);
        fs::remove_file(&path).unwrap();
        assert_says(read(&folder), &format!("{}: the page needs this file", name.display()));
        fs::create_dir(&path).unwrap();
        assert_says(read(&folder), &format!("{}: cannot be read", name.display()));
    }
    let folder = folder();
    let (_, name) = Page::files().last().unwrap();
    let file = fs::File::create(folder.path().join(&name)).unwrap();
    file.set_len(Page::MOST_BYTES + 1).unwrap();
    assert!(matches!(read(&folder), Err(PageError::TooLarge(path)) if path.ends_with(&name)));
}

#[test]
fn every_file_of_the_page_in_the_repository_is_served() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../javascript/page");
    let found = fs::read_dir(page).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file());
    let mut found: Vec<String> = found.map(|entry| entry.file_name().into_string().unwrap()).collect();
    let mut served: Vec<&str> =
        Page::files().map(|(name, _)| name).filter(|name| !name.contains('/')).collect();
    found.sort();
    served.sort_unstable();
    assert_eq!(served, found);
}
