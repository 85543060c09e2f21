//! The calls of all benches, whose reports stay in a folder.

use std::{
    path::Path,
    process::Command,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use asanoha::bench::record::{Call, Outcome, Paper, Saved, calls, this_program};

use super::own_process;
use crate::{args::BenchArgs, error::Failure, files::unwritable, progress::Progress, session::Session};

/// What reports are marked with.
pub(super) fn program() -> Result<String, Failure> {
    this_program().map_err(|error| Failure::impossible(format!("this program can't be read: {error}")))
}

/// Measures what the folder lacks.
pub(super) fn measure(session: &Session, args: &BenchArgs, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    let program = program()?;
    let mut missing = calls(&Paper::all());
    let saved = Saved::read_all(folder, &missing).map_err(Failure::bad_input)?;
    missing.retain(|call| {
        let line = call.line();
        !saved.iter().any(|saved| saved.call == line && saved.serves(&program, args.quick))
    });
    let seconds: Vec<f64> = missing.iter().map(|call| call.seconds[usize::from(args.quick)]).collect();
    let all: f64 = seconds.iter().sum();
    let over = seconds.iter().scan(0.0, |sum, seconds| {
        *sum += seconds / all;
        Some(*sum)
    });
    let progress = Progress::of_steps("measuring", over.collect(), all);
    let commit = commit();
    for (done, call) in missing.iter().enumerate() {
        let begun = Instant::now();
        let outcome = measured(session, args, call)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let saved = Saved {
            call: call.line(),
            quick: args.quick,
            program: program.clone(),
            commit: commit.clone(),
            unix_seconds: now.as_secs(),
            seconds: begun.elapsed().as_secs_f64(),
            outcome,
        };
        let json = serde_json::to_vec(&saved).expect("reports are plain data");
        write(&folder.join(call.file_name()), &json)?;
        progress.set(done + 1, missing.len());
    }
    Ok(())
}

/// The report of a call of this program, or its error.
fn measured(session: &Session, args: &BenchArgs, call: &Call) -> Result<Outcome, Failure> {
    let mut command = Command::new(own_process::this_program().map_err(Failure::impossible)?);
    command.args(["bench", "--json"]).args(&call.words);
    if let Some(threads) =
        session.asked_threads.filter(|_| !call.words.iter().any(|word| word == "--threads"))
    {
        command.args(["--threads", &threads.to_string()]);
    }
    if let Some(kernels) = &args.kernels {
        command.args(["--kernels", kernels]);
    }
    if args.quick {
        command.arg("--quick");
    }
    let output = command
        .output()
        .map_err(|error| Failure::impossible(format!("the program can't call itself: {error}")))?;
    if let (true, Ok(report)) = (output.status.success(), serde_json::from_slice(&output.stdout)) {
        return Ok(Outcome::Report(report));
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let told = told.lines().next().unwrap_or("it printed no report").trim_start_matches("error: ");
    Ok(Outcome::Error(format!("{told} ({})", output.status)))
}

/// The commit of the working folder, if that is of this program's sources, and whether files differ from it.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if !Path::new(&top).join("crates/bench/record").is_dir() {
        return None;
    }
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit} and changes") })
}

/// Writes a file, whole or not at all.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes)
        .and_then(|()| std::fs::rename(&new, path))
        .map_err(|error| unwritable(path, error))
}
