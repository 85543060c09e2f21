//! `asanoha bench`: measurements on this machine.

mod failures;
mod flags;
mod measure;
mod own_process;
mod record;

use asanoha::bench::{
    self, BootstrapSettings, DivisionSettings, DramSettings, GenomeSettings, LargeModuliReport, RING_DEGREE,
    Settings, TableCase, TfheSettings, TripleSettings, VectorOperation, VectorSettings,
};

use self::{
    failures::{
        bootstrap_failure, bytes_failure, division_failure, dram_failure, genome_failure, plan_failure,
        tfhe_failure, triples_failure, vector_failure,
    },
    flags::{backends, check_flags, dram_scheme},
    own_process::{chain_row, dram_row, table_row},
};
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
    let threads = session.asked_threads.unwrap_or(1);
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
        BenchName::Plan => {
            let report = bench::plan(&settings, &tell).map_err(plan_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Division => {
            let (bits, peer) = (args.bits.clone(), args.peer.clone());
            let settings = DivisionSettings { settings, bits, threads, peer };
            let report = bench::division(&settings, &tell).map_err(division_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Triples => {
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
            let (peer, memory_limit) = (args.peer.clone(), args.memory_limit);
            let settings = TfheSettings { settings, threads, peer, memory_limit };
            let report = bench::tfhe(&settings, &tell).map_err(tfhe_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Bootstrap => {
            let settings = BootstrapSettings { settings, sets: args.set.clone(), threads };
            let report = bench::bootstrap(&settings, &tell).map_err(bootstrap_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Product | BenchName::Dot => {
            let operation =
                if args.name == BenchName::Dot { VectorOperation::Dot } else { VectorOperation::Product };
            let settings = VectorSettings { settings, threads, scheme: args.scheme.map(Into::into) };
            let report = bench::vectors(&settings, operation, &tell).map_err(vector_failure)?;
            Report::new(&report, report.text())
        }
        BenchName::Tables => {
            if let Some(case) = args.alone {
                drop(progress);
                let row = bench::table_row(&settings, case, session.threads)?;
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
                let row = bench::dram_row(&settings, case).map_err(dram_failure)?;
                return Ok(Report::new(&row, ""));
            }
            let (memory_limit, scheme) = (args.memory_limit, args.scheme.map(dram_scheme).transpose()?);
            let settings = DramSettings { settings, threads, memory_limit, scheme };
            let report = bench::dram(&settings, |case| dram_row(args, threads, case), &tell)?;
            Report::new(&report, report.text())
        }
    };
    drop(progress);
    Ok(report)
}

/// Draws the figures into the folder that was asked for.
fn draw(report: &LargeModuliReport, args: &BenchArgs) -> Result<(), Failure> {
    let Some(folder) = &args.svg else { return Ok(()) };
    let failed = |error| Failure::bad_input(format!("--svg {}: {error}", folder.display()));
    report.plot(folder).map(drop).map_err(failed)
}

fn rows(report: &bench::Report) -> Report {
    Report::new(report, report.text())
}
