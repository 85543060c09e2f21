//! `asanoha bench list`, `all` and `report`: the papers' tables and figures.

use std::{fmt::Write, path::PathBuf};

use asanoha::bench::record::{Call, CallRow, Paper, REPORTS, Record, calls};
use serde::Serialize;

use super::measure::{measure, program, write};
use crate::{
    args::{BenchArgs, BenchName},
    error::Failure,
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
    let texts = [
        ("report.html", record.html()),
        ("report.md", record.markdown()),
        ("report.json", json),
        (REPORTS, record.reports()),
    ];
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
