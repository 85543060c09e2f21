//! Digests of files.

use wasm_bindgen::prelude::*;

/// The digest of a file, by which the service names what is uploaded.
#[wasm_bindgen(js_name = NativeDigest)]
#[derive(Debug, Default)]
pub struct Digest {
    hasher: blake3::Hasher,
}

#[wasm_bindgen(js_class = NativeDigest)]
impl Digest {
    /// The digest of nothing.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next bytes of the file.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// The digest of all bytes so far, in hexadecimal digits.
    pub fn digest(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}
