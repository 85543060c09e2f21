//! `asanoha bench`: measurements on this machine.

use std::process::{Command, Stdio};

use asanoha::{
    bench::{
        self, ChainCase, ChainRow, DivisionError, DivisionSettings, GenomeError, GenomeSettings, Settings,
        TfheBenchError, TfheSettings, TripleError, TripleSettings,
    },
    kernels::Backend,
};

use crate::{
    args::{BenchArgs, BenchName},
    error::Failure,
    progress::Progress,
    report::Report,
    session::Session,
};

pub(crate) fn bench(session: &Session, args: &BenchArgs) -> Result<Report, Failure> {
    if args.svg.is_some() && args.name != BenchName::LargeModuli {
        return Err(Failure::bad_input("--svg: only large-moduli has figures to draw".to_owned()));
    }
    if args.chain.is_some() && args.name != BenchName::LargeModuli {
        return Err(Failure::bad_input("--chain: only large-moduli has chains".to_owned()));
    }
    if !args.bits.is_empty() && args.name != BenchName::Division {
        return Err(Failure::bad_input("--bits: only division has them".to_owned()));
    }
    if args.peer.is_some() && !matches!(args.name, BenchName::Division | BenchName::Tfhe) {
        return Err(Failure::bad_input("--peer: only division and tfhe have one".to_owned()));
    }
    if !args.dim.is_empty() && args.name != BenchName::Triples {
        return Err(Failure::bad_input("--dim: only triples have dimensions".to_owned()));
    }
    if args.kernels.is_some() && args.name == BenchName::Genome {
        let message = "--kernels: a search takes the process's; set ASANOHA_KERNELS instead";
        return Err(Failure::bad_input(message.to_owned()));
    }
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
            if let Some(folder) = &args.svg {
                let failed = |error| Failure::bad_input(format!("--svg {}: {error}", folder.display()));
                report.plot(folder).map_err(failed)?;
            }
            Report::new(&report, report.text())
        }
        BenchName::Schemes => {
            let report = bench::schemes(&settings, &tell);
            Report::new(&report, report.text())
        }
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
            let report = bench::genome(&settings, &tell).map_err(|error| match error {
                GenomeError::Wrong(_) => Failure::check(error),
                _ => Failure::impossible(error),
            })?;
            Report::new(&report, report.text())
        }
        BenchName::Tfhe => {
            let threads = session.asked_threads.unwrap_or(1);
            let settings = TfheSettings { settings, threads, peer: args.peer.clone() };
            let report = bench::tfhe(&settings, &tell).map_err(tfhe_failure)?;
            Report::new(&report, report.text())
        }
    };
    drop(progress);
    Ok(report)
}

/// A row that this program measures when it calls itself: the peak memory is then that of the row alone.
fn chain_row(session: &Session, args: &BenchArgs, case: ChainCase) -> Result<ChainRow, Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        Failure::impossible(format!("bench large-moduli, chain {case}: the program can't call itself: {why}"))
    };
    let mut command = Command::new(std::env::current_exe().map_err(|error| failed(&error))?);
    command.args(["bench", "large-moduli", "--json", "--threads", &session.threads.to_string()]);
    command.args(["--chain", &case.to_string()]);
    if let Some(kernels) = &args.kernels {
        command.args(["--kernels", kernels]);
    }
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&output.status));
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
