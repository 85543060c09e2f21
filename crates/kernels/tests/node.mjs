// Runs a test executable of the target wasm32-wasip1 under Node, as cargo's runner:
//
//   CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings <this file>" \
//   RUSTFLAGS="-C target-feature=+simd128" cargo test --release --target wasm32-wasip1 -p asanoha-kernels --tests

import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [file, ...options] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [file, ...options], env: process.env, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(file));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
