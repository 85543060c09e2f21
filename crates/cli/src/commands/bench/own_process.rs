//! Measurements in a process of their own, for which this program calls itself.

use std::{
    ffi::OsString,
    path::PathBuf,
    process::{Command, ExitStatus},
};

use asanoha::bench::{ChainCase, ChainRow, CycleCount, DramCase, DramRow, TableCase, TableRow};
use serde::de::DeserializeOwned;

use crate::{args::BenchArgs, error::Failure, session::Session};

/// A row that this program measures when it calls itself: the peak memory is then that of the row alone.
pub(super) fn chain_row(session: &Session, args: &BenchArgs, case: ChainCase) -> Result<ChainRow, Failure> {
    let failed = |why: String| Failure::impossible(format!("bench large-moduli, chain {case}: {why}"));
    let command = Command::new(this_program().map_err(&failed)?);
    let arguments = ["large-moduli", "--chain", &case.to_string()];
    own_row(command, args, session.threads, &arguments).map_err(failed)
}

/// A program on its table, in a process of its own for its peak memory.
pub(super) fn table_row(session: &Session, args: &BenchArgs, case: TableCase) -> Result<TableRow, Failure> {
    let failed = |why: String| Failure::impossible(format!("bench tables, {}: {why}", case.name()));
    let command = Command::new(this_program().map_err(&failed)?);
    let mut arguments = vec!["tables", "--alone", case.name()];
    if args.quick {
        arguments.push("--quick");
    }
    own_row(command, args, session.threads, &arguments).map_err(failed)
}

/// A row of a run that the system confines.
pub(super) fn dram_row(args: &BenchArgs, threads: usize, case: &DramCase) -> Result<DramRow, Failure> {
    let failed = |why: String| Failure::impossible(format!("bench dram under the limit {case}: {why}"));
    let (count, command) = CycleCount::around(&this_program().map_err(&failed)?);
    let arguments = ["dram", "--confined", &case.to_string()];
    let row: DramRow = own_row(command, args, threads, &arguments).map_err(failed)?;
    let instructions_per_cycle = count.and_then(|count| count.instructions_per_cycle());
    Ok(DramRow { instructions_per_cycle, ..row })
}

pub(super) fn this_program() -> Result<OsString, String> {
    std::env::current_exe()
        .map(PathBuf::into_os_string)
        .map_err(|error| format!("the program can't call itself: {error}"))
}

/// What this program prints when it calls itself with these arguments of `bench`.
fn own_row<T: DeserializeOwned>(
    mut command: Command,
    args: &BenchArgs,
    threads: usize,
    arguments: &[&str],
) -> Result<T, String> {
    let failed = |why: &dyn std::fmt::Display| format!("the program can't call itself: {why}");
    command.args(["bench", "--json", "--threads", &threads.to_string()]).args(arguments);
    if let Some(kernels) = &args.kernels {
        command.args(["--kernels", kernels]);
    }
    let output = command.output().map_err(|error| failed(&error))?;
    let told = String::from_utf8_lossy(&output.stderr);
    if is_killed(output.status) || told.contains(": Killed") {
        return Err(
            "the program was killed, as the system does if it needs more memory than it may have".to_owned()
        );
    }
    if !output.status.success() {
        let told = told.lines().next().unwrap_or_default();
        // Wherever memory ends first, in whatever words of whichever library.
        if told.contains("memory") {
            return Err(format!("the program needs more memory than there is ({})", output.status));
        }
        return Err(failed(&format!("{}: {told}", output.status)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))
}

/// True if the system ended a process, as it does when memory runs out.
#[cfg(unix)]
fn is_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;

    const KILL: i32 = 9;
    status.signal() == Some(KILL)
}

/// Always false: elsewhere the system doesn't say that it ended a process.
#[cfg(not(unix))]
fn is_killed(_: ExitStatus) -> bool {
    false
}
