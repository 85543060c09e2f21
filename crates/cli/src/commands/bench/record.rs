//! `asanoha bench list`, `all` and `report`: the papers' tables and figures.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use asanoha::bench::record::{Call, CallRow, Outcome, Paper, Record, Saved, calls, this_program};
use serde::Serialize;

use crate::{
    args::{BenchArgs, BenchName},
    error::Failure,
    files::unwritable,
    progress::Progress,
    report::Report,
    session::Session,
};

/// What `list` says of a bench.
#[derive(Serialize)]
struct Listed {
    call: String,
    gives: Vec<String>,
    seconds: f64,
    quick_seconds: f64,
}

#[derive(Serialize)]
struct List {
    /// What reports are marked with, so that those of another program are measured again.
    program: String,
    calls: Vec<Listed>,
}

/// `list`, `all` or `report`.
pub(super) fn run(session: &Session, args: &BenchArgs) -> Result<Report, Failure> {
    if args.name == BenchName::List { list() } else { all_or_report(session, args) }
}

fn list() -> Result<Report, Failure> {
    let listed = |call: Call| {
        let (line, [seconds, quick_seconds]) = (call.line(), call.seconds);
        Listed { call: line, gives: call.gives, seconds, quick_seconds }
    };
    let calls: Vec<Listed> = calls(&Paper::all()).into_iter().map(listed).collect();
    let minutes = |of: fn(&Listed) -> f64| calls.iter().map(of).sum::<f64>() / 60.0;
    let mut text = format!("{:>8} {:>8}  bench\n", "minutes", "--quick");
    for call in &calls {
        let gives =
            if call.gives.is_empty() { "no table of a paper".to_owned() } else { call.gives.join("; ") };
        let (full, quick) = (call.seconds / 60.0, call.quick_seconds / 60.0);
        let _ = writeln!(text, "{full:>8.1} {quick:>8.1}  {}: {gives}", call.call);
    }
    let (full, quick) = (minutes(|call| call.seconds), minutes(|call| call.quick_seconds));
    let _ = writeln!(text, "{full:>8.1} {quick:>8.1}  all, on two cores");
    Ok(Report::new(&List { program: program()?, calls }, text))
}

/// What `all` prints.
#[derive(Serialize)]
struct Measured {
    folder: PathBuf,
    calls: Vec<CallRow>,
}

/// What `report` prints.
#[derive(Serialize)]
struct Reported<'r> {
    files: Vec<PathBuf>,
    #[serde(flatten)]
    record: &'r Record,
}

fn all_or_report(session: &Session, args: &BenchArgs) -> Result<Report, Failure> {
    let Some(folder) = &args.folder else {
        let name = if args.name == BenchName::All { "all" } else { "report" };
        return Err(Failure::usage(format!("bench {name} needs a folder: asanoha bench {name} DIR")));
    };
    if args.name == BenchName::All || args.run {
        measure(session, args, folder)?;
    }
    let record = Record::read(folder).map_err(Failure::bad_input)?;
    let failed = record.calls.iter().find_map(|call| {
        let error = call.error.as_ref()?;
        Some(Failure::impossible(format!("bench {}: {error}", call.call)))
    });
    if args.name == BenchName::All {
        let mut text = String::new();
        for call in &record.calls {
            let failed = if call.error.is_some() { ": failed" } else { "" };
            let _ = writeln!(text, "{:>8.1} s  {}{failed}", call.seconds, call.call);
        }
        let _ = writeln!(text, "asanoha bench report {} makes a page of them", folder.display());
        return Ok(
            Report::new(&Measured { folder: folder.clone(), calls: record.calls }, text).failing(failed)
        );
    }
    let json = serde_json::to_string(&record).expect("records are plain data");
    let texts = [("report.html", record.html()), ("report.md", record.markdown()), ("report.json", json)];
    let files: Vec<PathBuf> = texts
        .iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            write(&path, text.as_bytes())?;
            Ok(path)
        })
        .collect::<Result<_, Failure>>()?;
    let (values, missing) = (record.rows.len(), record.rows.iter().filter(|row| row.ours.is_none()).count());
    let worse = record.rows.iter().filter(|row| row.times_better.is_some_and(|times| times < 1.0)).count();
    let text = format!(
        "{}: {values} cells, {missing} of them without a value of ours and with the reason, {worse} worse than published\n",
        files[0].display()
    );
    Ok(Report::new(&Reported { files, record: &record }, text).failing(failed))
}

fn program() -> Result<String, Failure> {
    this_program().map_err(|error| Failure::impossible(format!("this program can't be read: {error}")))
}

/// Measures what the folder lacks.
fn measure(session: &Session, args: &BenchArgs, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    let program = this_program()
        .map_err(|error| Failure::impossible(format!("this program can't be read: {error}")))?;
    let mut missing = Vec::new();
    for call in calls(&Paper::all()) {
        let saved = Saved::read(folder, &call).map_err(Failure::bad_input)?;
        if !saved.is_some_and(|saved| saved.serves(&program, args.quick)) {
            missing.push(call);
        }
    }
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

/// Writes a file, whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes)
        .and_then(|()| std::fs::rename(&new, path))
        .map_err(|error| unwritable(path, error))
}

/// The report of a call of this program, or its error.
fn measured(session: &Session, args: &BenchArgs, call: &Call) -> Result<Outcome, Failure> {
    let mut command = Command::new(super::this_program().map_err(Failure::impossible)?);
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
