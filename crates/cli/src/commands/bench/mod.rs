//! `asanoha bench`: measurements on this machine.

mod record;

use std::{ffi::OsString, path::PathBuf, process::Command};

use asanoha::{
    bench::{
        self, BootstrapBenchError, BootstrapSettings, BytesError, ChainCase, ChainRow, CycleCount,
        DivisionError, DivisionSettings, DramCase, DramRow, DramSettings, GenomeError, GenomeSettings,
        LargeModuliReport, PlanBenchError, RING_DEGREE, Settings, TableCase, TableError, TableRow,
        TfheBenchError, TfheSettings, TripleError, TripleSettings, VectorError, VectorOperation,
        VectorSettings,
    },
    kernels::Backend,
};

use serde::de::DeserializeOwned;

use crate::{
    args::{BenchArgs, BenchName},
    error::Failure,
    progress::Progress,
    report::Report,
    session::Session,
};

pub(crate) fn bench(session: &Session, args: &BenchArgs) -> Result<Report, Failure> {
    check_flags(args)?;
    let settings = Settings { backends: backends(session, args.kernels.as_deref())?, quick: args.quick };
    let progress = Progress::start("measuring");
    let tell = |done, steps| progress.set(done, steps);
    let report = match args.name {
        BenchName::Ntt => rows(&bench::ntt(&settings, &tell)),
        BenchName::Fma => rows(&bench::fma(&settings, &tell)),
        BenchName::Kernels => rows(&bench::kernels(&settings, &tell)),
        BenchName::Trace => {
            let report = bench::trace(&settings, &tell);
            Report::new(&report, report.text())
        }
        BenchName::LargeModuli => {
            if let Some(case) = args.chain {
                drop(progress);
                return Ok(Report::new(&bench::chain_row(&settings, case), ""));
            }
            let report = bench::large_moduli(&settings, |case| chain_row(session, args, case), &tell)?;
            draw(&report, args)?;
            Report::new(&report, report.text())
        }
        BenchName::Schemes => {
            let report =
                bench::schemes(&settings, args.ring_degree.unwrap_or(RING_DEGREE), args.limit, &tell);
            Report::new(&report, report.text())
        }
        BenchName::Bytes => {
            let report = bench::bytes(&settings, &tell).map_err(bytes_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Plan => plan(&settings, &tell)?,
        BenchName::Division => {
            let (bits, peer) = (args.bits.clone(), args.peer.clone());
            let threads = session.asked_threads.unwrap_or(1);
            let settings = DivisionSettings { settings, bits, threads, peer };
            let report = bench::division(&settings, &tell).map_err(division_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Triples => {
            let threads = session.asked_threads.unwrap_or(1);
            let settings = TripleSettings { settings, threads, dimensions: args.dim.clone() };
            let report = bench::triples(&settings, &tell).map_err(triples_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Genome => {
            let settings = GenomeSettings { settings, threads: session.threads };
            let report = bench::genome(&settings, &tell).map_err(genome_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Tfhe => {
            let threads = session.asked_threads.unwrap_or(1);
            let (peer, memory_limit) = (args.peer.clone(), args.memory_limit);
            let settings = TfheSettings { settings, threads, peer, memory_limit };
            let report = bench::tfhe(&settings, &tell).map_err(tfhe_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Bootstrap => {
            let (sets, threads) = (args.set.clone(), session.asked_threads.unwrap_or(1));
            let settings = BootstrapSettings { settings, sets, threads };
            let report = bench::bootstrap(&settings, &tell).map_err(bootstrap_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Product | BenchName::Dot => {
            let operation =
                if args.name == BenchName::Dot { VectorOperation::Dot } else { VectorOperation::Product };
            let (threads, scheme) = (session.asked_threads.unwrap_or(1), args.scheme.map(Into::into));
            let settings = VectorSettings { settings, threads, scheme };
            let report = bench::vectors(&settings, operation, &tell).map_err(vector_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Tables => {
            if let Some(case) = args.alone {
                drop(progress);
                let row = bench::table_row(&settings, case, session.threads).map_err(table_failure)?;
                return Ok(Report::new(&row, ""));
            }
            let cases = if args.table.is_empty() { TableCase::ALL.to_vec() } else { args.table.clone() };
            let row = |case| table_row(session, args, case);
            let report = bench::tables(&settings, &cases, session.threads, row, &tell)?;
            Report::new(&report, report.text())
        }
        BenchName::List | BenchName::All | BenchName::Report => {
            drop(progress);
            return record::run(session, args);
        }
        BenchName::Dram => {
            if let Some(case) = &args.confined {
                drop(progress);
                let row = bench::dram_row(&settings, case).map_err(tfhe_failure)?;
                return Ok(Report::new(&row, ""));
            }
            let threads = session.asked_threads.unwrap_or(1);
            let settings = DramSettings { settings, threads, memory_limit: args.memory_limit };
            let report = bench::dram(&settings, |case| dram_row(args, threads, case), &tell)?;
            Report::new(&report, report.text())
        }
    };
    drop(progress);
    Ok(report)
}

fn plan(settings: &Settings, tell: bench::Tell<'_>) -> Result<Report, Failure> {
    let report = bench::plan(settings, tell).map_err(|error| match error {
        PlanBenchError::Planning(error) => Failure::from(error),
        PlanBenchError::Execute(error) => Failure::from(error),
    })?;
    Ok(Report::new(&report, report.text()))
}

/// Draws the figures into the folder that was asked for.
fn draw(report: &LargeModuliReport, args: &BenchArgs) -> Result<(), Failure> {
    let Some(folder) = &args.svg else { return Ok(()) };
    let failed = |error| Failure::bad_input(format!("--svg {}: {error}", folder.display()));
    report.plot(folder).map(drop).map_err(failed)
}

fn genome_failure(error: GenomeError) -> Failure {
    match error {
        GenomeError::Wrong(_) => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

fn bytes_failure(error: BytesError) -> Failure {
    match error {
        BytesError::Planning(error) => error.into(),
        BytesError::Execute(error) => error.into(),
        BytesError::File(error) => error.into(),
    }
}

fn bootstrap_failure(error: BootstrapBenchError) -> Failure {
    match error {
        BootstrapBenchError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

/// Refuses flags that the bench doesn't have.
fn check_flags(args: &BenchArgs) -> Result<(), Failure> {
    use BenchName::{
        All, Bootstrap, Division, Dot, Dram, Genome, LargeModuli, Product, Report, Schemes, Tables, Tfhe,
        Triples,
    };

    let flags: [(bool, &[BenchName], &str); 15] = [
        (args.svg.is_some(), &[LargeModuli], "--svg: only large-moduli has figures to draw"),
        (args.chain.is_some(), &[LargeModuli], "--chain: only large-moduli has chains"),
        (!args.bits.is_empty(), &[Division], "--bits: only division has them"),
        (args.peer.is_some(), &[Division, Tfhe], "--peer: only division and tfhe have one"),
        (args.memory_limit.is_some(), &[Dram, Tfhe], "--memory-limit: only tfhe and dram have one"),
        (args.confined.is_some(), &[Dram], "--confined: only dram is confined"),
        (!args.table.is_empty(), &[Tables], "--table: only tables has them"),
        (args.limit, &[Schemes], "--limit: only schemes have one"),
        (args.ring_degree.is_some(), &[Schemes], "--ring-degree: only schemes take one"),
        (args.alone.is_some(), &[Tables], "--alone: only tables are measured alone"),
        (args.scheme.is_some(), &[Product, Dot], "--scheme: only product and dot are measured by several"),
        (!args.dim.is_empty(), &[Triples], "--dim: only triples have dimensions"),
        (args.folder.is_some(), &[All, Report], "DIR: only all and report have a folder"),
        (args.run, &[Report], "--run: only report has it; all measures anyway"),
        (!args.set.is_empty(), &[Bootstrap], "--set: only bootstrap has parameter sets"),
    ];
    if let Some((.., message)) = flags.iter().find(|(given, of, _)| *given && !of.contains(&args.name)) {
        return Err(Failure::bad_input((*message).to_owned()));
    }
    let measures = args.name != BenchName::List && (args.name != Report || args.run);
    if !measures && (args.quick || args.kernels.is_some()) {
        let message = "--quick, --kernels: list measures nothing, and report only with --run";
        return Err(Failure::bad_input(message.to_owned()));
    }
    if args.kernels.is_some() && args.name == Genome {
        let message = "--kernels: a search takes the process's; set ASANOHA_KERNELS instead";
        return Err(Failure::bad_input(message.to_owned()));
    }
    Ok(())
}

/// A row that this program measures when it calls itself: the peak memory is then that of the row alone.
fn chain_row(session: &Session, args: &BenchArgs, case: ChainCase) -> Result<ChainRow, Failure> {
    let failed = |why: String| Failure::impossible(format!("bench large-moduli, chain {case}: {why}"));
    let command = Command::new(this_program().map_err(&failed)?);
    let arguments = ["large-moduli", "--chain", &case.to_string()];
    own_row(command, args, session.threads, &arguments).map_err(failed)
}

/// A program on its table, in a process of its own for its peak memory.
fn table_row(session: &Session, args: &BenchArgs, case: TableCase) -> Result<TableRow, Failure> {
    let failed = |why: String| Failure::impossible(format!("bench tables, {}: {why}", case.name()));
    let command = Command::new(this_program().map_err(&failed)?);
    let mut arguments = vec!["tables", "--alone", case.name()];
    if args.quick {
        arguments.push("--quick");
    }
    own_row(command, args, session.threads, &arguments).map_err(failed)
}

/// A row of a run that the system confines.
fn dram_row(args: &BenchArgs, threads: usize, case: &DramCase) -> Result<DramRow, Failure> {
    let failed = |why: String| Failure::impossible(format!("bench dram under the limit {case}: {why}"));
    let (count, mut command) = CycleCount::around(&this_program().map_err(&failed)?);
    // Each thread's own heap would take 64 MB of the address space.
    command.env("MALLOC_ARENA_MAX", "1");
    let arguments = ["dram", "--confined", &case.to_string()];
    let row: DramRow = own_row(command, args, threads, &arguments).map_err(failed)?;
    let instructions_per_cycle = count.and_then(|count| count.instructions_per_cycle());
    Ok(DramRow { instructions_per_cycle, ..row })
}

fn this_program() -> Result<OsString, String> {
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
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let told = told.lines().next().unwrap_or_default();
        // Wherever memory ends first, in whatever words of whichever library.
        if told.contains("memory") {
            return Err(format!("the program needs more memory than there is ({})", output.status));
        }
        return Err(failed(&format!("{}: {told}", output.status)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))
}

fn division_failure(error: DivisionError) -> Failure {
    match error {
        DivisionError::Bits(_) | DivisionError::NoPeer(_) => Failure::bad_input(error),
        DivisionError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

fn tfhe_failure(error: TfheBenchError) -> Failure {
    match error {
        TfheBenchError::NoPeer(_) => Failure::bad_input(error),
        TfheBenchError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

fn table_failure(error: TableError) -> Failure {
    match error {
        TableError::Wrong(..) => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

fn vector_failure(error: VectorError) -> Failure {
    match error {
        VectorError::Tfhe(error) => tfhe_failure(error),
        VectorError::Wrong { .. } => Failure::check(error),
        _ => Failure::impossible(error),
    }
}

fn triples_failure(error: TripleError) -> Failure {
    match error {
        TripleError::Wrong(_) => Failure::check(error),
        TripleError::Dimension { .. } => Failure::bad_input(error),
        _ => Failure::impossible(error),
    }
}

fn rows(report: &bench::Report) -> Report {
    Report::new(report, report.text())
}

/// The kernels to measure.
fn backends(session: &Session, name: Option<&str>) -> Result<Vec<Backend>, Failure> {
    let available = Backend::available();
    let Some(name) = name else {
        let forced = std::env::var_os("ASANOHA_KERNELS").is_some();
        return Ok(if forced { vec![session.backend] } else { available });
    };
    let Some(&backend) = available.iter().find(|backend| backend.name() == name) else {
        let names: Vec<&str> = available.into_iter().map(Backend::name).collect();
        let names = names.join(", ");
        return Err(Failure::bad_input(format!(
            "--kernels {name}: this processor has {names}; choose one of them"
        )));
    };
    Ok(vec![backend])
}
