//! The page for browsers: files that are read once, under headers that let the page load nothing else.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Path as Parameter,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::get,
};
use brotli_decompressor::Decompressor;
use flate2::{Compression, write::GzEncoder};
use thiserror::Error;

use super::handlers::unknown_path;

/// The file that is served at `/`.
const INDEX: &str = "index.html";

/// The folder of the npm package, as addresses have it.
const PACKAGE: &str = "asanoha/";

/// All files of the page, by their names in addresses.
const FILES: [&str; 23] = [
    INDEX,
    "page.css",
    "calls.js",
    "data.js",
    "elements.js",
    "engine.js",
    "failure.js",
    "job.js",
    "keys.js",
    "page.js",
    "plan.js",
    "results.js",
    "seal.js",
    "service.js",
    "transfer.js",
    "vault.js",
    "words.js",
    "asanoha/columns.js",
    "asanoha/errors.js",
    "asanoha/index.js",
    "asanoha/results.js",
    "asanoha/native/asanoha.js",
    "asanoha/native/asanoha_bg.wasm",
];

/// The bytes that are decompressed at a time.
const BUFFER: usize = 1 << 16;

/// The type of a file by its name.
fn content_type(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "wasm")) => "application/wasm",
        _ => "text/javascript; charset=utf-8",
    })
}

/// Headers of every answer of the page. Scripts, styles and connections are of this server alone, nothing is put together from
/// text, and no other site frames or opens the page.
const HEADERS: [(HeaderName, &str); 8] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; \
         connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types asanoha",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), serial=(), usb=()",
    ),
    (header::CACHE_CONTROL, "no-cache"),
];

/// Why a folder has no page.
#[derive(Debug, Error)]
pub enum PageError {
    /// A file of the page isn't there.
    #[error("{}: the page needs this file, and it is missing", .0.display())]
    Missing(PathBuf),
    /// A file of the page can't be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of the page is larger than any that was built.
    #[error("{}: has more than {} bytes, and is no file of the page", .0.display(), Page::MOST_BYTES)]
    TooLarge(PathBuf),
    /// A compressed file is damaged, or has other contents than the one that it stands for.
    #[error("{}: isn't the compressed form of the file beside it", .0.display())]
    Stale(PathBuf),
}

/// The page for browsers, in memory.
#[derive(Clone, Debug)]
pub struct Page(Arc<BTreeMap<&'static str, PageFile>>);

/// A file in all its forms, the shortest first.
#[derive(Debug)]
struct PageFile {
    content_type: HeaderValue,
    forms: Vec<Form>,
}

/// The bytes of a file as they are or compressed, with a tag of their own.
#[derive(Debug)]
struct Form {
    /// The name of the compression.
    coding: Option<&'static str>,
    bytes: Bytes,
    etag: HeaderValue,
}

impl Page {
    /// The most bytes of a file.
    pub const MOST_BYTES: u64 = 64 << 20;

    /// The names of the files in addresses, below `/page/`, and where a folder of the page has them.
    pub fn files() -> impl ExactSizeIterator<Item = (&'static str, PathBuf)> {
        FILES.iter().map(|&name| {
            let path = name.strip_prefix(PACKAGE).map_or_else(|| Path::new("page").join(name), PathBuf::from);
            (name, path)
        })
    }

    /// Reads the files of the page from a folder: that of the npm package, with the folder `page` in it. Other files there are not
    /// served.
    ///
    /// # Errors
    /// A file that is missing, can't be read or is too large. Messages name it.
    pub fn read(folder: &Path) -> Result<Self, PageError> {
        let files = Self::files().map(|(name, path)| {
            let path = folder.join(path);
            let bytes = read(&path)?;
            let brotli = brotli(&path, &bytes)?.map(|packed| Form::new(Some("br"), packed));
            let gzip = Form::new(Some("gzip"), gzip(&bytes));
            let forms = brotli.into_iter().chain([gzip, Form::new(None, bytes)]).collect();
            Ok((name, PageFile { content_type: content_type(name), forms }))
        });
        files.collect::<Result<_, _>>().map(|files| Self(Arc::new(files)))
    }

    /// Its routes: `/`, and each file under `/page/`.
    pub(super) fn router<S: Clone + Send + Sync + 'static>(self) -> Router<S> {
        let index = self.clone();
        let start = move |headers: HeaderMap| async move { index.answer(INDEX, &headers).await };
        let file = move |Parameter(name): Parameter<String>, headers: HeaderMap| async move {
            self.answer(&name, &headers).await
        };
        Router::new().route("/", get(start)).route("/page/{*name}", get(file)).layer(map_response(restrict))
    }

    async fn answer(&self, name: &str, asked: &HeaderMap) -> Response {
        match self.0.get(name) {
            None => unknown_path().await.into_response(),
            Some(file) => file.answer(asked),
        }
    }
}

async fn restrict(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The members of a list in a header, which may stand in several lines.
fn members(asked: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = asked.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|value| value.split(',')).map(str::trim)
}

/// Whether the client takes answers in a form.
fn takes(asked: &HeaderMap, form: &Form) -> bool {
    let Some(wanted) = form.coding else { return true };
    members(asked, header::ACCEPT_ENCODING).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_wanted = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse::<f32>);
        is_wanted && weight.is_ok_and(|weight| weight > 0.0)
    })
}

impl PageFile {
    fn answer(&self, asked: &HeaderMap) -> Response {
        let form = self.forms.iter().find(|form| takes(asked, form)).expect("the last form is that of all");
        let vary = (header::VARY, HeaderValue::from_static("accept-encoding"));
        let about = [(header::ETAG, form.etag.clone()), vary];
        if form.is_known(asked) {
            return (StatusCode::NOT_MODIFIED, about).into_response();
        }
        let content_type = [(header::CONTENT_TYPE, self.content_type.clone())];
        let mut response = (about, content_type, Body::from(form.bytes.clone())).into_response();
        if let Some(coding) = form.coding {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        response
    }
}

impl Form {
    fn new(coding: Option<&'static str>, bytes: Vec<u8>) -> Self {
        let etag = format!("\"{}\"", blake3::hash(&bytes).to_hex());
        let etag = HeaderValue::from_str(&etag).expect("hexadecimal digits");
        Self { coding, bytes: bytes.into(), etag }
    }

    /// Whether the client has these bytes already.
    fn is_known(&self, asked: &HeaderMap) -> bool {
        members(asked, header::IF_NONE_MATCH)
            .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag).as_bytes() == self.etag.as_bytes())
    }
}

/// Bytes as gzip has them.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).and_then(|()| packed.finish()).expect("memory takes what is written")
}

/// A file as Brotli has it, if a file beside it with the ending `.br` does: `cargo xtask wasm` makes one, which takes ten seconds.
fn brotli(path: &Path, bytes: &[u8]) -> Result<Option<Vec<u8>>, PageError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".br");
    let path = PathBuf::from(name);
    let packed = match read(&path) {
        Err(PageError::Missing(_)) => return Ok(None),
        read => read?,
    };
    let mut unpacked = Vec::new();
    let length = bytes.len() as u64 + 1;
    let read = Decompressor::new(&*packed, BUFFER).take(length).read_to_end(&mut unpacked);
    if read.is_err() || unpacked != bytes { Err(PageError::Stale(path)) } else { Ok(Some(packed)) }
}

fn read(path: &Path) -> Result<Vec<u8>, PageError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(Page::MOST_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > Page::MOST_BYTES => Err(PageError::TooLarge(path.to_owned())),
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(PageError::Missing(path.to_owned())),
        Err(error) => Err(PageError::Unreadable { path: path.to_owned(), error }),
    }
}
