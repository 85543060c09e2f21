//! `asanoha genome index`: a panel as a file that is read at once.

use std::path::Path;

use asanoha::genome::panel::Variants;
use serde::Serialize;

use super::records::Records;
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
    #[serde(flatten)]
    records: Records,
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
    let (variants, bytes) = done?;
    let (panel, records) = (&variants.panel, Records::from(&variants));
    let report = IndexReport {
        out: &args.out,
        chromosome: panel.chromosome(),
        haplotypes: panel.haplotypes(),
        sites: panel.sites(),
        records,
        bytes,
        seconds,
    };
    let mut lines = report::lines();
    lines.line("written", format_args!("{} ({})", target.name(), figures::bytes(bytes))).line(
        "panel",
        format_args!(
            "{} haplotypes at {} sites of chromosome {}; {} records left out",
            report.haplotypes, report.sites, report.chromosome, records.skipped
        ),
    );
    records.print_doubled(&mut lines);
    lines.line("time", figures::seconds(seconds));
    Report::new(&report, lines.text()).with_file(Some(target))
}
