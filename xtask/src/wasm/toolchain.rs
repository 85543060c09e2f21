//! A compiler with the standard library of WebAssembly, for browsers and for WASI: rustup's, or one of Debian's packages.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    command,
    targets::{WASI, WASM},
    tools::{self, Failure},
};

/// The folder of Debian's packages, which are unpacked and not installed: installed ones would take rustup's place.
const FOLDER: &str = "target/wasm-toolchain";

/// The parts of the standard library for browsers, and those for tests on WASI.
const BROWSER_LIBRARY: &str = "std,panic_abort";
const WASI_LIBRARY: &str = "std,panic_abort,test";

/// Where Debian's C library for WASI is, in the folder.
const WASI_LIBC: &str = "usr/lib/wasm32-wasi";

/// The compiler, and the sources of its standard library. What they depend on has the versions in its names.
const COMPILER: [&str; 3] = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"];

/// Starts the compiler with its libraries and its linker.
const WRAPPER: &str = r#"#!/bin/sh
folder=$(cd "$(dirname "$0")/.." && pwd)
LD_LIBRARY_PATH=$(echo "$folder"/usr/lib/*-linux-gnu)
PATH=$folder/bin:$PATH
export LD_LIBRARY_PATH PATH
exec "$folder/usr/bin/rustc" "$@"
"#;

/// An empty crate, with which cargo builds the standard library.
const MANIFEST: &str = r#"[package]
name = "standard-library"
edition = "2024"
[workspace]
[lib]
path = "lib.rs"
"#;

/// The compiler for WebAssembly: `None` if it is the ordinary one.
///
/// Where the ordinary one lacks the standard library and rustup can't add it, Debian's packages are fetched once.
pub(super) fn find(top: &Path) -> Result<Option<PathBuf>, Failure> {
    let missing = match tools::standard_library(WASM, top) {
        Ok(()) => return Ok(None),
        Err(missing) => missing,
    };
    let folder = top.join(FOLDER);
    let rustc = folder.join("bin/rustc");
    if rustc.exists() {
        return Ok(Some(rustc));
    }
    if !["apt-get", "apt-cache", "dpkg"].iter().all(|tool| tools::answers(Path::new(tool))) {
        return Err(missing);
    }
    println!(
        "Debian's compiler for WebAssembly is fetched to {FOLDER}, once: 140 MB, and a minute of building"
    );
    fetch(top, &folder)
        .map(|()| Some(rustc))
        .map_err(|why| Failure::Unavailable(format!("{}; {why}", missing.into_reason())))
}

/// The compiler for WASI, `None` if it is the ordinary one, and the flags with which it links.
pub(super) fn find_wasi(top: &Path) -> Result<(Option<PathBuf>, String), Failure> {
    let missing = match tools::standard_library(WASI, top) {
        Ok(()) => return Ok((None, String::new())),
        Err(missing) => missing,
    };
    let Some(rustc) = find(top)? else { return Err(missing) };
    let folder = top.join(FOLDER);
    let libc = folder.join(WASI_LIBC);
    if !folder.join("usr/lib/rustlib").join(WASI).exists() {
        fetch_wasi(top, &folder, &rustc)
            .map_err(|why| Failure::Unavailable(format!("{}; {why}", missing.into_reason())))?;
    }
    let libc = libc.display();
    let flags = format!(
        "-C link-self-contained=no -C link-arg={libc}/crt1-command.o -L native={libc} \
         -C link-arg=--unresolved-symbols=ignore-all"
    );
    Ok((Some(rustc), flags))
}

/// Fetches and unpacks a C library for WASI, and builds the standard library upon it.
fn fetch_wasi(top: &Path, folder: &Path, rustc: &Path) -> Result<(), String> {
    let at = |error: std::io::Error| format!("{}: {error}", folder.display());
    let packages = folder.join("packages");
    fs::create_dir_all(&packages).map_err(at)?;
    download(top, &packages, &["wasi-libc"])?;
    unpack(top, &packages, folder)?;
    build_library(top, folder, rustc, (WASI, WASI_LIBRARY))
}

/// Downloads packages into a folder.
fn download(top: &Path, packages: &Path, names: &[&str]) -> Result<(), String> {
    let mut download = Command::new("apt-get");
    download.arg("download").args(names).current_dir(packages);
    command::run_one(&mut download, top)
}

/// Unpacks the packages of a folder, which goes then.
fn unpack(top: &Path, packages: &Path, folder: &Path) -> Result<(), String> {
    let at = |error: std::io::Error| format!("{}: {error}", folder.display());
    for package in fs::read_dir(packages).map_err(at)? {
        let mut unpack = Command::new("dpkg");
        unpack.arg("-x").arg(package.map_err(at)?.path()).arg(folder);
        command::run_one(&mut unpack, top)?;
    }
    fs::remove_dir_all(packages).map_err(at)
}

/// Fetches and unpacks the packages, and builds the standard library. The compiler's script is written last: it's there if all is.
fn fetch(top: &Path, folder: &Path) -> Result<(), String> {
    let at = |error: std::io::Error| format!("{}: {error}", folder.display());
    let packages = folder.join("packages");
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(at)?;
    }
    fs::create_dir_all(&packages).map_err(at)?;
    let library = depended("libstd-rust-web-dev", "libstd-rust-web-")?;
    let llvm = depended(&library, "libllvm")?;
    let linker = llvm.replace("libllvm", "lld-");
    download(top, &packages, &[&COMPILER[..], &[&library, &llvm, &linker]].concat())?;
    unpack(top, &packages, folder)?;
    fs::create_dir_all(folder.join("bin")).map_err(at)?;
    let version = linker.trim_start_matches("lld-");
    // The name under which the compiler looks for it.
    fs::copy(folder.join(format!("usr/lib/llvm-{version}/bin/lld")), folder.join("bin/rust-lld"))
        .map_err(at)?;
    let script = folder.join("bin/compiler");
    fs::write(&script, WRAPPER).map_err(at)?;
    command::run_one(Command::new("chmod").arg("+x").arg(&script), top)?;
    build_library(top, folder, &script, (WASM, BROWSER_LIBRARY))?;
    fs::rename(script, folder.join("bin/rustc")).map_err(at)
}

/// The package that another depends on and whose name begins in some way.
fn depended(package: &str, beginning: &str) -> Result<String, String> {
    let output = Command::new("apt-cache").args(["depends", package]).output();
    let output = output.map_err(|error| format!("apt-cache: {error}"))?;
    let found = dependency(&String::from_utf8_lossy(&output.stdout), beginning);
    found.ok_or_else(|| format!("apt-cache knows no package {package} that depends on {beginning}…"))
}

/// The dependency whose name begins in some way, of an answer of `apt-cache depends`.
fn dependency(answer: &str, beginning: &str) -> Option<String> {
    let mut names = answer.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    names.find(|name| name.starts_with(beginning)).map(str::to_owned)
}

/// Builds the standard library of a target from its sources and puts it where the compiler looks for it.
fn build_library(
    top: &Path,
    folder: &Path,
    rustc: &Path,
    (target, parts): (&str, &str),
) -> Result<(), String> {
    let at = |error: std::io::Error| format!("{}: {error}", folder.display());
    let source = folder.join("library");
    fs::create_dir_all(&source).map_err(at)?;
    fs::write(source.join("Cargo.toml"), MANIFEST).map_err(at)?;
    fs::write(source.join("lib.rs"), "#![no_std]\n").map_err(at)?;
    let built = source.join("target");
    let mut build = command::cargo(top);
    build.args(["build", "--release", "-Z", &format!("build-std={parts}"), "--target", target]);
    build.arg("--target-dir").arg(&built).current_dir(&source);
    // Only the standard library is built with features that aren't stable.
    build.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
    command::run_one(&mut build, top)?;
    let place = folder.join("usr/lib/rustlib").join(target).join("lib");
    fs::create_dir_all(&place).map_err(at)?;
    for file in fs::read_dir(built.join(target).join("release/deps")).map_err(at)? {
        let path = file.map_err(at)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let is_library = path.extension().is_some_and(|extension| extension == "rlib");
        if is_library && !name.starts_with("libstandard_library") {
            fs::copy(&path, place.join(name)).map_err(at)?;
        }
    }
    fs::remove_dir_all(source).map_err(at)
}

#[cfg(test)]
mod tests {
    use super::dependency;

    #[test]
    fn dependencies_are_found_by_the_beginning_of_their_names() {
        let answer = "rustc-web\n  PreDepends: dpkg\n  Depends: libc6\n  Depends: libstd-rust-web-1.96\n\
                      \n  Suggests: libstd-rust-other\n";
        assert_eq!(dependency(answer, "libstd-rust-").as_deref(), Some("libstd-rust-web-1.96"));
        assert_eq!(dependency(answer, "libllvm"), None);
    }
}
