//! `cargo xtask test --targets`: other processors. 64-bit Arm runs in an emulator, WebAssembly in Node.

use std::path::Path;

use crate::{
    command::Cargo,
    tools::{self, Failure},
};

/// 64-bit Arm: a target without kernels of its own.
pub(crate) const ARM: &str = "aarch64-unknown-linux-gnu";

/// The browser.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Programs outside of the browser, such as tests under Node.
pub(crate) const WASI: &str = "wasm32-wasip1";

/// The programs that link and run executables for Arm, and Debian's packages that have them.
const ARM_PROGRAMS: [&str; 2] = ["aarch64-linux-gnu-gcc", "qemu-aarch64"];
const ARM_PACKAGES: &str = "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user";

/// A call of cargo for a target.
pub(crate) struct Call {
    /// The name of the step.
    pub(crate) name: &'static str,
    /// The target's triple.
    pub(crate) target: &'static str,
    /// Programs that it needs beside the target's standard library.
    pub(crate) programs: &'static [&'static str],
    /// What is run.
    pub(crate) cargo: Cargo,
    /// Whether tests are run.
    pub(crate) tests: bool,
}

/// Everything compiles for Arm without a linker or a C compiler for it. So `asanoha-http` is left out, whose TLS is
/// partly C, and `asanoha-fuzz`, which needs it.
pub(crate) fn check() -> Call {
    let cargo = ["check", "--workspace", "--exclude", "xtask", "--exclude", "asanoha-python"];
    let cargo = [&cargo[..], &["--exclude", "asanoha-http", "--exclude", "asanoha-fuzz"]].concat();
    Call {
        name: "aarch64",
        target: ARM,
        programs: &[],
        cargo: Cargo::new(&[&cargo[..], &["--target", ARM]].concat()),
        tests: false,
    }
}

/// The tests of kernels and ring, and a run of the program, on Arm.
pub(crate) fn all() -> [Call; 2] {
    let arm = |name, arguments: &[&'static str], tests| Call {
        name,
        target: ARM,
        programs: &ARM_PROGRAMS,
        cargo: Cargo::new(arguments)
            .with("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", ARM_PROGRAMS[0])
            .with("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu"),
        tests,
    };
    let tests = ["test", "--target", ARM, "-p", "asanoha-kernels", "-p", "asanoha-ring", "--tests"];
    let run = ["run", "--target", ARM, "-p", "asanoha-cli", "--", "run", "examples/risk.asa"];
    let run = [&run[..], &["--data", "examples/data/diabetes.csv"]].concat();
    [arm("aarch64, tests", &tests, true), arm("aarch64, run", &run, false)]
}

/// Makes sure that everything a call needs is there.
pub(crate) fn prepare(call: &Call, top: &Path) -> Result<(), Failure> {
    tools::standard_library(call.target, top)?;
    match call.programs.iter().find(|program| !tools::answers(Path::new(program))) {
        Some(program) => Err(Failure::NotInstalled(format!("{program} is not installed: {ARM_PACKAGES}"))),
        None => Ok(()),
    }
}
