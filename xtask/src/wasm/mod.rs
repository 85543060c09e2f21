//! The npm package: its WebAssembly module, its tests in Node, and those of the page in Chromium.

mod toolchain;

use std::{
    fmt, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    command,
    python::{PROGRAM, program},
    tally::Tally,
    targets::{WASI, WASM},
    tools::{self, Failure},
};

/// The package's folder of what is built.
const NATIVE: &str = "javascript/native";

/// The name of what is built there.
const NAME: &str = "asanoha";

/// The most bytes that the module may have, compressed by Brotli.
const MOST_BYTES: usize = 1_000_000;

/// Compresses a file by Brotli, which Node has, into one beside it.
const BROTLI: &str = r#"
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
const file = process.argv[1];
const bytes = readFileSync(file);
const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
"#;

/// The oldest Node that the package runs on.
const OLDEST_NODE: u32 = 20;

/// Set where the slow tests of the page run too.
const SLOW: &str = "ASANOHA_SLOW";

/// What the module is built with: kernels on vectors, which all browsers have since 2023.
const FLAGS: &str = "-C target-feature=+simd128";

/// Builds the module and its glue into the package; what it says of the module's size.
pub(crate) fn build(top: &Path) -> Result<String, Failure> {
    Ok(make(top)?.to_string())
}

/// The bytes of the module, and those after compression.
struct Size {
    bytes: usize,
    gzip: usize,
    /// `None` without Node.
    brotli: Option<usize>,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        write!(f, "{NATIVE}/{NAME}_bg.wasm: {:.2} MB, by gzip ", megabytes(self.bytes))?;
        match self.brotli {
            Some(brotli) => write!(f, "{:.2}, by Brotli {:.2}", megabytes(self.gzip), megabytes(brotli)),
            None => write!(f, "{:.2}; Brotli needs Node", megabytes(self.gzip)),
        }
    }
}

/// Builds the module and its glue into the package.
fn make(top: &Path) -> Result<Size, Failure> {
    let compiled = compile(top)?;
    let folder = top.join(NATIVE);
    let failed = |error: &dyn fmt::Display| Failure::Failed(format!("wasm-bindgen: {error:#}"));
    let mut bindgen = Bindgen::new();
    bindgen.web(true).map_err(|error| failed(&error))?;
    bindgen.input_path(&compiled).out_name(NAME).typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(&folder).map_err(|error| failed(&error))?;
    let module = folder.join(format!("{NAME}_bg.wasm"));
    let bytes = fs::read(&module).map_err(|error| format!("{}: {error}", module.display()))?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let packed = packed.write_all(&bytes).and_then(|()| packed.finish());
    let gzip = packed.map_err(|error| error.to_string())?.len();
    Ok(Size { bytes: bytes.len(), gzip, brotli: compress(&module)? })
}

/// Compresses the module by Brotli into a file beside it, which `asanoha serve --page` serves; its length.
fn compress(module: &Path) -> Result<Option<usize>, Failure> {
    let packed = module.with_extension("wasm.br");
    if packed.exists() {
        fs::remove_file(&packed).map_err(|error| format!("{}: {error}", packed.display()))?;
    }
    let mut node = Command::new("node");
    node.args(["--input-type=module", "--eval", BROTLI]).arg(module);
    if check_node().is_err() || !tools::succeeds(&mut node) {
        return Ok(None);
    }
    let length = fs::metadata(&packed).map_err(|error| format!("{}: {error}", packed.display()))?.len();
    Ok(Some(length as usize))
}

/// Compiles the module; its file.
fn compile(top: &Path) -> Result<PathBuf, Failure> {
    let toolchain = toolchain::find(top)?;
    // What another compiler made isn't mixed with what this one makes.
    let target = top.join("target/wasm");
    let mut cargo = command::cargo(top);
    cargo.args(["build", "--profile", "wasm", "-p", "asanoha-wasm", "--lib", "--target", WASM]);
    cargo.arg("--message-format=json-render-diagnostics").arg("--target-dir").arg(target);
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS);
    if let Some(rustc) = toolchain {
        cargo.env("RUSTC", rustc);
    }
    let output = cargo.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    command::judge(&cargo, output.status)?;
    let built = module(&String::from_utf8_lossy(&output.stdout));
    built.ok_or_else(|| Failure::Failed(format!("`{}` built no module", command::line(&cargo))))
}

/// The module that cargo's messages name.
fn module(messages: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let mut files = message["filenames"].as_array()?.iter().filter_map(Value::as_str);
        let is_it = message["target"]["name"] == "asanoha_wasm";
        let is_module =
            |file: &&str| Path::new(file).extension().is_some_and(|extension| extension == "wasm");
        files.find(|file| is_it && is_module(file)).map(PathBuf::from)
    })
}

/// Builds the package and runs its tests in Node.
pub(crate) fn run(top: &Path, tally: &mut Tally) -> Result<(), Failure> {
    check_node()?;
    let size = make(top)?;
    println!("{size}");
    let mut tests = Command::new("node");
    tests.args(["--test", "--test-reporter=tap"]).args(test_files(&top.join("javascript/test"))?);
    tests.env(PROGRAM, program(top)?);
    command::run_counting(&mut tests, tally)?;
    if size.brotli.is_none_or(|brotli| brotli > MOST_BYTES) {
        return Err(Failure::Failed(format!("{size}, above the limit of {:.2} MB", MOST_BYTES as f64 / 1e6)));
    }
    Ok(())
}

/// Runs the tests of the page in Chromium, of the module that was built last.
pub(crate) fn run_page(top: &Path, slow: bool, tally: &mut Tally) -> Result<(), Failure> {
    check_node()?;
    if !top.join(NATIVE).join(format!("{NAME}_bg.wasm")).exists() {
        return Err(Failure::Unavailable("the module isn't built: cargo xtask wasm".to_owned()));
    }
    if !tools::answers(Path::new("chromium")) {
        return Err(Failure::Unavailable("chromium is not installed: apt-get install chromium".to_owned()));
    }
    let mut tests = Command::new("node");
    // One browser after another: they share the processors with the server.
    tests.args(["--test", "--test-concurrency=1", "--test-reporter=tap"]);
    tests.args(test_files(&top.join("javascript/page/test"))?).env(PROGRAM, program(top)?);
    if slow {
        tests.env(SLOW, "1");
    }
    command::run_counting(&mut tests, tally)?;
    Ok(())
}

/// Runs the tests of the kernels under Node, those on vectors against the scalar ones.
pub(crate) fn run_kernels(top: &Path, tally: &mut Tally) -> Result<(), Failure> {
    check_node()?;
    let (toolchain, flags) = toolchain::find_wasi(top)?;
    let mut cargo = command::cargo(top);
    cargo.args(["test", "--release", "-p", "asanoha-kernels", "--tests", "--target", WASI]);
    cargo.arg("--target-dir").arg(top.join("target/wasm"));
    let runner = top.join("crates/kernels/tests/node.mjs");
    cargo.env("CARGO_TARGET_WASM32_WASIP1_RUNNER", format!("node --no-warnings {}", runner.display()));
    cargo.env("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", format!("{FLAGS} {flags}"));
    // A standard library that cargo builds can't be optimised as a whole with the tests.
    cargo.env("CARGO_PROFILE_RELEASE_LTO", "off");
    if let Some(rustc) = toolchain {
        cargo.env("RUSTC", rustc);
    }
    command::run_counting(&mut cargo, tally)?;
    Ok(())
}

/// The files of a folder that have tests.
fn test_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let at = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries: Vec<_> = fs::read_dir(folder).and_then(Iterator::collect).map_err(at)?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry: fs::DirEntry| entry.path()).collect();
    files.retain(|file| {
        file.file_stem().is_some_and(|stem| Path::new(stem).extension() == Some("test".as_ref()))
    });
    files.sort();
    if files.is_empty() { Err(format!("{}: has no tests", folder.display())) } else { Ok(files) }
}

/// Makes sure that there is a Node of a version that runs the package.
fn check_node() -> Result<(), Failure> {
    let output = Command::new("node").arg("--version").stderr(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success());
    let output = output.ok_or_else(|| Failure::Unavailable("node is not installed".to_owned()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.trim().trim_start_matches('v');
    let found = version.split('.').next().and_then(|number| number.parse::<u32>().ok()).unwrap_or(0);
    if found < OLDEST_NODE {
        let why = format!("node is of version {version}, and {OLDEST_NODE} is needed");
        return Err(Failure::Unavailable(why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::module;

    #[test]
    fn the_module_is_found_among_the_messages() {
        let of = |name: &str, files: &str| {
            format!(r#"{{"reason":"compiler-artifact","target":{{"name":"{name}"}},"filenames":[{files}]}}"#)
        };
        let lines = [
            of("asanoha", r#""/t/libasanoha.rlib""#),
            "no message".to_owned(),
            of("asanoha_wasm", r#""/t/asanoha_wasm.wasm","/t/libasanoha_wasm.rlib""#),
        ];
        assert_eq!(module(&lines.join("\n")).as_deref(), Some(Path::new("/t/asanoha_wasm.wasm")));
        assert_eq!(module(&lines[..2].join("\n")), None);
    }
}
