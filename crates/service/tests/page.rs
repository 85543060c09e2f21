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
    body: Vec<u8>,
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
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = str::from_utf8(&bytes[..end]).unwrap().to_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: bytes[end + 4..].to_vec() }
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
        let expected = format!("the file {name}").into_bytes();
        assert_eq!((answer.status, &answer.body), (200, &expected), "{path}");
        assert_eq!(
            (answer.header("content-encoding"), answer.header("vary")),
            (None, Some("accept-encoding"))
        );
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
        assert_eq!((head.status, head.body.len(), head.header("content-length")), (200, 0, Some(&*length)));
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
fn a_browser_that_takes_gzip_gets_files_compressed() {
    let folder = folder();
    let text = "const long = 1;\n".repeat(1000);
    fs::write(folder.path().join("page/page.js"), &text).unwrap();
    let page = Page::read(folder.path()).unwrap();
    let running = Running::start_with(Service::new(Limits::default()), Some(page));
    let answer = |more: &str| ask(&running.url, &format!("GET /page/page.js\n{more}"));
    let mut tags = Vec::new();
    for takes in ["gzip", "br;q=1.0, GZIP", "gzip; q=0.5,identity", "br\r\nAccept-Encoding: gzip"] {
        let packed = answer(&format!("Accept-Encoding: {takes}\r\n"));
        assert_eq!((packed.status, packed.header("content-encoding")), (200, Some("gzip")), "{takes}");
        assert_eq!(packed.header("vary"), Some("accept-encoding"));
        assert!(packed.body.len() < text.len() / 10);
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(&*packed.body).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
        tags.push(packed.header("etag").unwrap().to_owned());
    }
    for takes in ["identity", "br", "gzip;q=0", "gzip;q=0.0", "gzip;q=no", "gzipped", "*", ""] {
        let plain = answer(&format!("Accept-Encoding: {takes}\r\n"));
        assert_eq!((plain.header("content-encoding"), &*plain.body), (None, text.as_bytes()), "{takes}");
        assert_ne!(plain.header("etag"), Some(&*tags[0]));
    }
    // Each form has a tag of its own.
    tags.dedup();
    let [tag] = &tags[..] else { panic!("{tags:?}") };
    assert_eq!(answer(&format!("Accept-Encoding: gzip\r\nIf-None-Match: {tag}\r\n")).status, 304);
    assert_eq!(answer(&format!("If-None-Match: {tag}\r\n")).status, 200);
    running.stop();
}

/// 300 times `let x = 1;`, as Brotli has them.
const PACKED: &[u8] = b"\x1b\xe3\x0c\xf8\x1d\x07\xee\xbe\x0d\xfa\x8c\x74\xa7\xc7\x4b\x90\x32\xb6\x56\x88\
\xd9\xa1\x53\x3d\x78\x71\x60\x04\xd0\x24\x01\xc0\x2d\x0c";

#[test]
fn a_file_that_is_there_in_brotli_too_is_served_so_and_a_stale_one_is_refused() {
    let folder = folder();
    let at = |name: &str| folder.path().join("page").join(name);
    fs::write(at("page.js"), "let x = 1;\n".repeat(300)).unwrap();
    fs::write(at("page.js.br"), PACKED).unwrap();
    let page = Page::read(folder.path()).unwrap();
    let running = Running::start_with(Service::new(Limits::default()), Some(page));
    let answer = |more: &str| ask(&running.url, &format!("GET /page/page.js\n{more}"));
    for takes in ["br", "gzip, deflate, br, zstd", "gzip;q=1, br;q=0.1"] {
        let packed = answer(&format!("Accept-Encoding: {takes}\r\n"));
        assert_eq!((packed.header("content-encoding"), &*packed.body), (Some("br"), PACKED), "{takes}");
        assert_eq!(packed.header("etag"), Some(&*format!("\"{}\"", blake3::hash(PACKED))));
    }
    assert_eq!(answer("Accept-Encoding: gzip, br;q=0\r\n").header("content-encoding"), Some("gzip"));
    assert_eq!(ask(&running.url, "GET /page/page.js.br").status, 404);
    running.stop();

    let refused = |packed: &[u8]| {
        fs::write(at("page.js.br"), packed).unwrap();
        assert_says(
            Page::read(folder.path()).map(drop),
            "page.js.br: isn't the compressed form of the file beside it",
        );
    };
    refused(&PACKED[..PACKED.len() - 3]);
    refused(b"");
    refused(b"not compressed at all");
    fs::write(at("page.js"), "let x = 1;\n".repeat(299)).unwrap();
    refused(PACKED);
    fs::write(at("page.js"), "let x = 1;\n".repeat(301)).unwrap();
    refused(PACKED);
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
