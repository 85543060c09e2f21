//! Encrypted inputs.

use wasm_bindgen::prelude::*;

/// The file of encrypted inputs, and what the client keeps of them.
#[wasm_bindgen(js_name = NativeEncrypted)]
#[derive(Debug)]
pub struct Encrypted {
    pub(crate) bytes: Vec<u8>,
    pub(crate) digest: String,
    pub(crate) record_name: String,
    pub(crate) record: Vec<u8>,
    pub(crate) rows: usize,
    pub(crate) left_out: Vec<u32>,
}

#[wasm_bindgen(js_class = NativeEncrypted)]
impl Encrypted {
    /// Returns the bytes of the file, which nothing else keeps.
    #[wasm_bindgen(js_name = takeBytes)]
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// The digest by which results name these inputs.
    #[wasm_bindgen(getter)]
    pub fn digest(&self) -> String {
        self.digest.clone()
    }

    /// The name of the record's file.
    #[wasm_bindgen(getter, js_name = recordName)]
    pub fn record_name(&self) -> String {
        self.record_name.clone()
    }

    /// The bytes of the record's file.
    #[wasm_bindgen(getter)]
    pub fn record(&self) -> Vec<u8> {
        self.record.clone()
    }

    /// The number of rows, canaries included.
    #[wasm_bindgen(getter)]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows of the data, from 0, that are left out because they miss a value.
    #[wasm_bindgen(getter, js_name = leftOut)]
    pub fn left_out(&self) -> Vec<u32> {
        self.left_out.clone()
    }
}
