//! The page for browsers: files that are read once, under headers that let the page load nothing else.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
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
use thiserror::Error;

use super::handlers::unknown_path;

/// The file that is served at `/`.
const INDEX: &str = "index.html";

/// The folder of the npm package, as addresses have it.
const PACKAGE: &str = "asanoha/";

/// All files of the page, by their names in addresses.
const FILES: [&str; 24] = [
    INDEX,
    "page.css",
    "blake3.js",
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
}

/// The page for browsers, in memory.
#[derive(Clone, Debug)]
pub struct Page(Arc<BTreeMap<&'static str, PageFile>>);

#[derive(Debug)]
struct PageFile {
    content_type: HeaderValue,
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
            let bytes = read(folder.join(path))?;
            let etag = format!("\"{}\"", blake3::hash(&bytes).to_hex());
            let etag = HeaderValue::from_str(&etag).expect("hexadecimal digits");
            Ok((name, PageFile { content_type: content_type(name), bytes: bytes.into(), etag }))
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

impl PageFile {
    fn answer(&self, asked: &HeaderMap) -> Response {
        let etag = [(header::ETAG, self.etag.clone())];
        if self.is_known(asked) {
            return (StatusCode::NOT_MODIFIED, etag).into_response();
        }
        let content_type = [(header::CONTENT_TYPE, self.content_type.clone())];
        (etag, content_type, Body::from(self.bytes.clone())).into_response()
    }

    /// Whether the client has these bytes already.
    fn is_known(&self, asked: &HeaderMap) -> bool {
        let known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut tags = known.flat_map(|value| value.split(',')).map(str::trim);
        tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag).as_bytes() == self.etag.as_bytes())
    }
}

fn read(path: PathBuf) -> Result<Vec<u8>, PageError> {
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(Page::MOST_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > Page::MOST_BYTES => Err(PageError::TooLarge(path)),
        Ok(_) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(PageError::Missing(path)),
        Err(error) => Err(PageError::Unreadable { path, error }),
    }
}
