//! What the functions of all kinds of input need.

use std::io::Write;

use asanoha::kernels::Backend;
use tempfile::NamedTempFile;

/// The first use of an input that was accepted. It panics if a promise is broken.
pub type Use = Box<dyn FnOnce()>;

/// The back-end; it doesn't affect reading.
pub fn backend() -> Backend {
    Backend::Scalar
}

/// One use of several, if there are any.
pub(crate) fn all(uses: Vec<Use>) -> Option<Use> {
    (!uses.is_empty()).then(|| -> Use { Box::new(move || uses.into_iter().for_each(|used| used())) })
}

/// The text before the 64 digits of a file's digest, after the eight bytes of its header's length.
const BEFORE_DIGEST: &[u8] = br#"{"__metadata__":{"digest":""#;

/// The bytes with the right digest if there is a place for it, as an attacker would correct it.
pub(crate) fn corrected(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let place = 8 + BEFORE_DIGEST.len()..8 + BEFORE_DIGEST.len() + 64;
    if bytes.len() >= place.end && bytes[8..].starts_with(BEFORE_DIGEST) {
        bytes[place.clone()].fill(b'0');
        let digest = blake3::hash(&bytes).to_hex();
        bytes[place].copy_from_slice(digest.as_bytes());
    }
    bytes
}

/// A file of these bytes.
pub(crate) fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file can be made");
    file.write_all(bytes).expect("a file can be written");
    file
}
