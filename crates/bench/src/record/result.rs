//! The report of a bench in a folder.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Call;

/// What a call gave, and what it was made with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The bench and its flags.
    pub call: String,
    /// Whether it took a quick look.
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

/// What a bench gave.
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

impl Saved {
    /// Reads the report of a call from a folder; `None` if there is none.
    ///
    /// # Errors
    /// If the file can't be read or isn't one of these.
    pub fn read(folder: &Path, call: &Call) -> Result<Option<Self>, String> {
        let path = folder.join(call.file_name());
        match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}", path.display())),
            Ok(bytes) => {
                let saved: Self = serde_json::from_slice(&bytes).map_err(|error| {
                    format!("{}: {error}; remove the file to measure again", path.display())
                })?;
                Ok(Some(saved).filter(|saved| saved.call == call.line()))
            }
        }
    }

    /// Whether a program would measure the same again: a full measurement also serves where a quick one is asked for.
    pub fn serves(&self, program: &str, quick: bool) -> bool {
        self.program == program && (quick || !self.quick) && matches!(self.outcome, Outcome::Report(_))
    }
}
