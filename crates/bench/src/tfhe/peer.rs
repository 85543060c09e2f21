//! The operations of another library, measured in turns with ours by a program that is built separately.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::Deserialize;

use super::{
    TfheBenchError, TfheRatio, TfheRow,
    subject::{Operation, Subject},
};
use crate::measure::shortest_and_median;

/// log2 of the failure probability of the peer's sets.
const LOG2_FAILURE: f64 = -128.0;

/// The program, which waits for lines that ask for an operation. It ends when its input does.
pub(super) struct Peer {
    path: PathBuf,
    child: Child,
    /// `None` once it shall end.
    asked: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    greeting: Greeting,
}

/// The first line of its answers.
#[derive(Deserialize)]
struct Greeting {
    version: String,
    sets: Vec<String>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.asked = None;
        let _ = self.child.wait();
    }
}

impl Peer {
    /// Starts the program and waits until its keys are made.
    pub(super) fn start(path: &Path) -> Result<Self, TfheBenchError> {
        if !path.is_file() {
            return Err(TfheBenchError::NoPeer(path.to_owned()));
        }
        let failed = |why: &dyn std::fmt::Display| TfheBenchError::Peer {
            path: path.to_owned(),
            why: why.to_string(),
        };
        let mut command = Command::new(path);
        command.arg("tfhe").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let asked = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("it's piped"));
        let mut peer = Self {
            path: path.to_owned(),
            child,
            asked,
            answers,
            greeting: Greeting { version: String::new(), sets: Vec::new() },
        };
        peer.greeting = serde_json::from_str(&peer.line()?).map_err(|error| failed(&error))?;
        Ok(peer)
    }

    /// The library's name and version.
    pub(super) fn version(&self) -> &str {
        &self.greeting.version
    }

    fn failed(&self, why: &dyn std::fmt::Display) -> TfheBenchError {
        TfheBenchError::Peer { path: self.path.clone(), why: why.to_string() }
    }

    /// The next line of its answers.
    fn line(&mut self) -> Result<String, TfheBenchError> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        if read.map_err(|error| self.failed(&error))? > 0 {
            return Ok(line);
        }
        let status = self.child.wait().map_err(|error| self.failed(&error))?;
        Err(self.failed(&format!("it ended without an answer, {status}")))
    }

    /// The milliseconds of one operation with one of its sets.
    fn ms(&mut self, set: usize, operation: &str) -> Result<f64, TfheBenchError> {
        let asked = self.asked.as_mut().expect("it's there until the end");
        let line = writeln!(asked, "{set} {operation}").and_then(|()| asked.flush());
        line.map_err(|error| self.failed(&error))?;
        let line = self.line()?;
        let ms = line.trim().parse().ok().filter(|ms: &f64| ms.is_finite() && *ms > 0.0);
        ms.ok_or_else(|| self.failed(&format!("{line:?} is no time")))
    }

    /// Our operation and the same one with each of the peer's sets, in turns; adds the rows, and gives the peer's times
    /// divided by ours.
    pub(super) fn in_turns(
        &mut self,
        subject: &Subject,
        (operation, sample): Operation,
        rounds: usize,
        rows: &mut Vec<TfheRow>,
    ) -> Result<Vec<TfheRatio>, TfheBenchError> {
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); self.greeting.sets.len()];
        for _ in 0..rounds {
            ours.push(subject.ms(operation, sample(subject)?)?);
            for (set, times) in theirs.iter_mut().enumerate() {
                times.push(self.ms(set, operation)?);
            }
        }
        let ours = subject.row_of(&format!("{operation} in turns"), 1, ours);
        let ratios = theirs.into_iter().zip(&self.greeting.sets).map(|(times, set)| {
            let (ms_min, ms_median) = shortest_and_median(times);
            let parameters = format!("{} {set}", self.greeting.version);
            let ratio = TfheRatio {
                operation: operation.to_owned(),
                parameters: parameters.clone(),
                ratio_min: ms_min / ours.ms_min,
                ratio_median: ms_median / ours.ms_median,
            };
            rows.push(TfheRow {
                parameters,
                ms_min,
                ms_median,
                key_bytes: None,
                peak_bytes: None,
                log2_failure: LOG2_FAILURE,
                insecure: false,
                ..ours.clone()
            });
            ratio
        });
        let ratios = ratios.collect();
        rows.push(ours);
        Ok(ratios)
    }
}
