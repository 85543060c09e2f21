//! `asanoha info`: properties of this machine and this build.

use asanoha::{
    kernels::Backend,
    lattice::{FILE_VERSION, LEAST_FILE_VERSION},
    plan::PLAN_VERSION,
};
use serde::Serialize;

use crate::{
    report::{self, Report},
    session::Session,
};

#[derive(Debug, Serialize)]
struct Kernels {
    available: Vec<&'static str>,
    chosen: &'static str,
}

#[derive(Debug, Serialize)]
struct Versions {
    plan: u32,
    file: u32,
    least_file: u32,
}

#[derive(Debug, Serialize)]
struct InfoReport {
    version: &'static str,
    cpu: String,
    threads: usize,
    kernels: Kernels,
    schemes: [&'static str; 4],
    reads_versions: Versions,
}

pub(crate) fn info(session: &Session) -> Report {
    let report = InfoReport {
        version: env!("CARGO_PKG_VERSION"),
        cpu: cpu(),
        threads: session.threads,
        kernels: Kernels {
            available: Backend::available().into_iter().map(Backend::name).collect(),
            chosen: session.backend.name(),
        },
        schemes: ["bgv", "bfv", "ckks", "tfhe"],
        reads_versions: Versions { plan: PLAN_VERSION, file: FILE_VERSION, least_file: LEAST_FILE_VERSION },
    };
    let mut lines = report::lines();
    lines
        .line("asanoha", report.version)
        .line("processor", format_args!("{}, {} threads", report.cpu, report.threads))
        .line(
            "kernels",
            format_args!(
                "{} (available: {}; ASANOHA_KERNELS forces one)",
                report.kernels.chosen,
                report.kernels.available.join(", ")
            ),
        )
        .line("schemes", report.schemes.join(", "))
        .line(
            "files",
            format_args!(
                "plans of version {PLAN_VERSION}, keys and ciphertexts of version {FILE_VERSION}, and reads those from {LEAST_FILE_VERSION} on"
            ),
        );
    let text = lines.text().to_owned();
    Report::new(&report, text)
}

/// The processor's name or, if unknown, its architecture.
fn cpu() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    told.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
