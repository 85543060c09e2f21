//! `cargo xtask dist`: an archive with the program, its man page, completions and licences.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use flate2::{Compression, write::GzEncoder};

use crate::command::Cargo;

/// The shells that have completions, with the names under which they look for them.
const SHELLS: [(&str, &str); 3] = [("bash", "asanoha.bash"), ("zsh", "_asanoha"), ("fish", "asanoha.fish")];

/// Files of the repository in the archive.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds the program for release and packs it; the archive's name and size.
///
/// Packing the same files twice gives the same bytes.
pub(crate) fn run(top: &Path) -> Result<String, String> {
    Cargo::new(&["build", "--release", "-p", "asanoha-cli", "--features", "arrow,http"]).run(top)?;
    let program = top.join("target/release/asanoha");
    let version = printed(&program, &["--version"])?;
    let version = version.trim().rsplit(' ').next().unwrap_or_default().to_owned();
    let name = format!("asanoha-{version}-{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let folder = top.join("target/dist");
    let archive = folder.join(format!("{name}.tar.gz"));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let contents = contents(top, &program)?;
    let packed = pack(&name, &contents).map_err(|error| format!("{}: {error}", archive.display()))?;
    fs::write(&archive, &packed).map_err(|error| format!("{}: {error}", archive.display()))?;
    let names: Vec<&str> = contents.iter().map(|file| file.name.as_str()).collect();
    Ok(format!("target/dist/{name}.tar.gz: {:.1} MB, with {}", packed.len() as f64 / 1e6, names.join(", ")))
}

/// A file of the archive.
struct Packed {
    name: String,
    is_program: bool,
    bytes: Vec<u8>,
}

impl Packed {
    fn text(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), is_program: false, bytes: bytes.into() }
    }
}

fn contents(top: &Path, program: &Path) -> Result<Vec<Packed>, String> {
    let read = |path: PathBuf| fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    let mut contents =
        vec![Packed { name: "asanoha".to_owned(), is_program: true, bytes: read(program.to_owned())? }];
    contents.push(Packed::text("man/asanoha.1", printed(program, &["man"])?));
    for (shell, name) in SHELLS {
        contents
            .push(Packed::text(format!("completions/{name}"), printed(program, &["completions", shell])?));
    }
    for name in FILES {
        contents.push(Packed::text(name, read(top.join(name))?));
    }
    Ok(contents)
}

/// What the program prints.
fn printed(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let call = || format!("{} {}", program.display(), arguments.join(" "));
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("{}: {error}", call()))?;
    let text = String::from_utf8(output.stdout).map_err(|error| format!("{}: {error}", call()))?;
    if output.status.success() && !text.is_empty() {
        Ok(text)
    } else {
        Err(format!("{}: {}", call(), output.status))
    }
}

/// A compressed archive with all files in one folder, without times and owners.
fn pack(folder: &str, contents: &[Packed]) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for file in contents {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.bytes.len() as u64);
        header.set_mode(if file.is_program { 0o755 } else { 0o644 });
        header.set_mtime(0);
        archive.append_data(&mut header, format!("{folder}/{}", file.name), &file.bytes[..])?;
    }
    archive.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::{Packed, pack};

    #[test]
    fn archives_hold_files_with_their_modes_and_are_the_same_each_time() {
        let contents = [
            Packed { name: "asanoha".to_owned(), is_program: true, bytes: vec![7; 100_000] },
            Packed::text("man/asanoha.1", "manual"),
        ];
        let packed = pack("asanoha-1", &contents).unwrap();
        assert_eq!(packed, pack("asanoha-1", &contents).unwrap());
        let mut archive = tar::Archive::new(GzDecoder::new(&packed[..]));
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            let path = entry.path().unwrap().display().to_string();
            found.push((path, entry.header().mode().unwrap(), bytes.len()));
        }
        assert_eq!(
            found,
            [
                ("asanoha-1/asanoha".to_owned(), 0o755, 100_000),
                ("asanoha-1/man/asanoha.1".to_owned(), 0o644, 6)
            ]
        );
    }
}
