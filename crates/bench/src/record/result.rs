//! The report of a bench in a folder.

use std::path::Path;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::Call;

/// The outcome of a call, and the program that made it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The bench and its flags.
    pub call: String,
    /// True for a quick look.
    pub quick: bool,
    /// The program: its version and a digest of its file.
    pub program: String,
    /// The commit of the sources that stood around the working folder, if that is known.
    pub commit: Option<String>,
    /// The end of the measurement, in seconds since 1970.
    pub unix_seconds: u64,
    /// The duration in seconds.
    pub seconds: f64,
    /// The report, or why there is none.
    pub outcome: Outcome,
}

/// The report of a bench, or its failure.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The report.
    Report(Value),
    /// The message of the error.
    Error(String),
}

/// Names this program by its version and a digest of its file, as [`Saved::program`].
///
/// # Errors
/// If the file can't be read.
pub fn this_program() -> std::io::Result<String> {
    let mut digest = blake3::Hasher::new();
    digest.update_reader(std::fs::File::open(std::env::current_exe()?)?)?;
    Ok(format!("{} {}", env!("CARGO_PKG_VERSION"), &digest.finalize().to_hex()[..16]))
}

/// The file of all reports of a folder, which [`Saved::read_all`] reads in place of the files that `bench all` writes.
pub const REPORTS: &str = "reports.json";

impl Saved {
    /// Reads the reports in a folder: those in [`REPORTS`], in whose place a call's own file counts where there is one, in the
    /// order of the calls. Reports of calls that aren't among them come last.
    ///
    /// # Errors
    /// A file that can't be read or isn't one of these.
    pub fn read_all(folder: &Path, calls: &[Call]) -> Result<Vec<Self>, String> {
        let mut known: Vec<Self> = read(&folder.join(REPORTS))?.unwrap_or_default();
        let mut all = Vec::new();
        for call in calls {
            let line = call.line();
            let at = known.iter().position(|saved| saved.call == line);
            let kept = at.map(|at| known.remove(at));
            let own = read(&folder.join(call.file_name()))?.filter(|saved: &Self| saved.call == line);
            all.extend(own.or(kept));
        }
        all.append(&mut known);
        Ok(all)
    }

    /// Returns true if a program would measure the same again. A full measurement also serves where a quick one is asked for.
    pub fn serves(&self, program: &str, quick: bool) -> bool {
        self.program == program && (quick || !self.quick) && matches!(self.outcome, Outcome::Report(_))
    }
}

/// Reads a file of JSON; `None` if there is none.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| format!("{}: {error}; remove the file to measure again", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn saved(call: &str, seconds: f64) -> Saved {
        serde_json::from_value(json!({ "call": call, "quick": false, "program": "p", "commit": null,
            "unix_seconds": 1, "seconds": seconds, "outcome": { "report": { "machine": {} } } }))
        .unwrap()
    }

    #[test]
    fn files_of_calls_count_before_the_file_of_all() {
        let call = |line: &str| Call { words: vec![line.to_owned()], gives: Vec::new(), seconds: [2.0, 1.0] };
        let calls = ["a", "b", "c", "d"].map(call);
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, value: Value| {
            std::fs::write(folder.path().join(name), value.to_string()).unwrap();
        };
        write(REPORTS, json!([saved("old", 1.0), saved("c", 2.0), saved("a", 3.0)]));
        write("a.json", json!(saved("a", 4.0)));
        write("b.json", json!(saved("b", 5.0)));
        write("d.json", json!(saved("another", 6.0)));
        let found = Saved::read_all(folder.path(), &calls).unwrap();
        let found: Vec<(&str, f64)> = found.iter().map(|saved| (&*saved.call, saved.seconds)).collect();
        assert_eq!(found, [("a", 4.0), ("b", 5.0), ("c", 2.0), ("old", 1.0)]);
    }
}
