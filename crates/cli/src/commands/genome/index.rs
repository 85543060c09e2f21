//! `asanoha genome index`: a panel as a file that is read at once.

use std::path::Path;

use asanoha::genome::panel::Variants;
use serde::Serialize;

use crate::{
    args::IndexArgs,
    error::Failure,
    figures,
    report::{self, Report},
    session::{Session, timed},
    target::Target,
};

#[derive(Debug, Serialize)]
struct IndexReport<'a> {
    out: &'a Path,
    chromosome: &'a str,
    haplotypes: usize,
    sites: usize,
    skipped: usize,
    bytes: u64,
    seconds: f64,
}

pub(super) fn index(session: &Session, args: &IndexArgs) -> Result<Report, Failure> {
    let target = Target::open(session, &args.out, &[&args.panel])?;
    let work = || {
        let variants = Variants::read(&args.panel, args.records.policy())?;
        let bytes = variants.panel.write(target.path())?;
        Ok::<_, Failure>((variants, bytes))
    };
    let (done, seconds) = timed(work);
    let (Variants { panel, skipped, .. }, bytes) = done?;
    let report = IndexReport {
        out: &args.out,
        chromosome: panel.chromosome(),
        haplotypes: panel.haplotypes(),
        sites: panel.sites(),
        skipped,
        bytes,
        seconds,
    };
    let mut lines = report::lines();
    lines
        .line("written", format_args!("{} ({})", target.name(), figures::bytes(bytes)))
        .line(
            "panel",
            format_args!(
                "{} haplotypes at {} sites of chromosome {}; {skipped} records left out",
                report.haplotypes, report.sites, report.chromosome
            ),
        )
        .line("time", figures::seconds(seconds));
    Report::new(&report, lines.text()).with_file(Some(target))
}
