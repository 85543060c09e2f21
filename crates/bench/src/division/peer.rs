//! The divisions of another library, measured by a program that is built separately.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::Deserialize;

use super::{DivisionError, DivisionRow};

/// The program that runs other libraries.
#[derive(Clone, Debug)]
pub(super) struct Peer(PathBuf);

/// The output of that program.
#[derive(Deserialize)]
pub(super) struct PeerReport {
    pub(super) version: String,
    pub(super) rows: Vec<DivisionRow>,
}

impl Peer {
    /// The program at a path; an error if there is none.
    pub(super) fn at(path: &Path) -> Result<Self, DivisionError> {
        if path.is_file() { Ok(Self(path.to_owned())) } else { Err(DivisionError::NoPeer(path.to_owned())) }
    }

    /// Runs the program on one thread.
    pub(super) fn run(&self, quick: bool) -> Result<PeerReport, DivisionError> {
        let failed = |why: String| DivisionError::Peer { path: self.0.clone(), why };
        let mut command = Command::new(&self.0);
        command.args(["division", "--json"]).args(quick.then_some("--quick")).stderr(Stdio::inherit());
        let output = command.output().map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(output.status.to_string()));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
    }
}
