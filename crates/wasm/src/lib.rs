//! The native part of the npm package `asanoha`. Its interface is private: `javascript/index.js` is the package's own.

mod advice;
mod client;
mod columns;
mod data;
mod digest;
mod encrypted;
mod fault;
mod panics;
mod plan;
mod results;
mod watch;

use asanoha::{lattice::FileReader, ring::keep_unused_memory};
use wasm_bindgen::prelude::*;

/// The memory of dropped polynomials that is kept: the heap never gets smaller, and the browser has little.
const KEPT_BYTES: usize = 32 << 20;

#[wasm_bindgen(start)]
fn start() {
    panics::keep();
    keep_unused_memory(KEPT_BYTES);
}

/// The version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Returns the message of the panic that ended the module, if one did.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> Option<String> {
    panics::last()
}

/// Returns the digest by which results name the inputs of a file.
#[wasm_bindgen(js_name = digestOf)]
pub fn digest_of(inputs: &[u8]) -> Result<String, JsValue> {
    let summary = FileReader::summary(client::named("inputs", inputs)).map_err(fault::Fault::from)?;
    Ok(summary.digest)
}
