//! `asanoha inspect`: describes a file by its header.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use asanoha::{
    lattice::{FileReader, FileSummary, quantum_security_bits, security_is_extrapolated},
    plan::ParamsSummary,
    plan::{Plan, Scheme, SecurityCheck},
    report::describe,
};
use serde::Serialize;

use crate::{
    args::InspectArgs,
    error::Failure,
    figures,
    files::unreadable,
    report::{self, Report, security_words},
    session::Session,
};

#[derive(Debug, Serialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct FileReport {
    kind: String,
    /// The digest of the parameters.
    params: String,
    security_bits: u32,
    security_quantum_bits: u32,
    /// Extrapolated from the table of 2024, which has no bounds for these parameters' ring.
    security_extrapolated: bool,
    insecure: bool,
    /// Made from a given seed.
    seeded: bool,
    /// The digest of the whole file, by which results name their inputs.
    digest: String,
    bytes: u64,
    /// The number of seeds that are stored in place of uniform halves.
    seeds: usize,
    tensors: BTreeMap<String, Tensor>,
    fields: serde_json::Value,
}

#[derive(Debug, Serialize)]
struct PlanReport {
    kind: &'static str,
    scheme: Scheme,
    params: ParamsSummary,
    params_digest: String,
    security_bits: u32,
    security_quantum_bits: u32,
    security_extrapolated: bool,
    security_asked: u32,
    insecure: bool,
    /// log2 of an upper bound on the probability that any noise bound of a run fails.
    log2_failure: f64,
    bytes: u64,
    tensors: BTreeMap<String, Tensor>,
    rows: usize,
    /// Whether it serves fewer rows too.
    fewer_rows: bool,
    /// The bits of statistical security that its results can be published with, to the precision.
    publish: Option<u32>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    steps: usize,
    keys: usize,
}

pub(crate) fn inspect(session: &Session, args: &InspectArgs) -> Result<Report, Failure> {
    if looks_like_json(&args.file)? {
        inspect_plan(&Plan::read(&args.file, SecurityCheck::Waived, session.backend)?, &args.file)
    } else {
        Ok(inspect_file(FileReader::summary(&args.file)?))
    }
}

/// Plans are text that begins with a brace. Our other files begin with the length of their header, a multiple of 8: its
/// first byte can't be a brace.
fn looks_like_json(path: &Path) -> Result<bool, Failure> {
    let mut start = [0; 1];
    let read = File::open(path)
        .map_err(|error| unreadable(path, error))?
        .read(&mut start)
        .map_err(|error| unreadable(path, error))?;
    Ok(read == 1 && start == *b"{")
}

/// The outputs that a user is shown, but for constants.
fn outputs(plan: &Plan) -> Vec<String> {
    let is_constant =
        |name: &&String| plan.program.constants().iter().any(|constant| constant.name == **name);
    plan.program.result_names().iter().filter(|name| !is_constant(name)).cloned().collect()
}

fn inspect_plan(plan: &Plan, path: &Path) -> Result<Report, Failure> {
    let report = PlanReport {
        kind: "plan",
        scheme: plan.params.scheme(),
        params: ParamsSummary::new(&plan.params),
        params_digest: plan.params.digest().to_owned(),
        security_bits: plan.params.security_bits(),
        security_quantum_bits: quantum_security_bits(plan.params.security_bits()),
        security_extrapolated: security_is_extrapolated(plan.params.ring_degree()),
        security_asked: plan.security,
        insecure: plan.is_insecure(),
        log2_failure: plan.log2_failure(),
        bytes: std::fs::metadata(path).map_err(|error| unreadable(path, error))?.len(),
        tensors: BTreeMap::new(),
        rows: plan.schema.rows,
        fewer_rows: plan.derivation.fewer_rows,
        publish: plan.derivation.publish,
        inputs: plan.circuit.columns(),
        outputs: outputs(plan),
        steps: plan.circuit.steps.len(),
        keys: plan.key_count(),
    };
    let mut lines = report::lines();
    lines
        .line("kind", format_args!("plan ({})", figures::bytes(report.bytes)))
        .line("scheme", report.scheme.to_string().to_uppercase())
        .line("inputs", format_args!("{}, {} rows", report.inputs.join(", "), report.rows))
        .line("outputs", report.outputs.join(", "))
        .line("schedule", format_args!("{} steps", report.steps));
    describe(&mut lines, plan);
    Ok(Report::new(&report, lines.text()))
}

fn inspect_file(summary: FileSummary) -> Report {
    let FileSummary { header, tensors, digest, bytes } = summary;
    let seeds = tensors.iter().filter(|(name, _)| is_seed(name));
    let seeds = seeds.map(|(_, info)| info.shape.iter().rev().skip(1).product::<usize>()).sum();
    let tensors = tensors.into_iter().map(|(name, info)| {
        let bytes = info.data_offsets[1] - info.data_offsets[0];
        (name, Tensor { dtype: info.dtype, shape: info.shape, bytes })
    });
    let report = FileReport {
        kind: header.kind,
        params: header.params,
        security_bits: header.security_bits,
        security_quantum_bits: quantum_security_bits(header.security_bits),
        security_extrapolated: header.security_extrapolated,
        insecure: header.insecure,
        seeded: header.seeded,
        digest,
        bytes,
        seeds,
        tensors: tensors.collect(),
        fields: header.fields,
    };
    let mut lines = report::lines();
    let security = security_words(report.security_bits, report.security_extrapolated);
    let insecure = if report.insecure { "; made with parameters that say they're insecure" } else { "" };
    lines
        .line("kind", format_args!("{} ({})", report.kind, figures::bytes(bytes)))
        .line("parameters", format_args!("of digest {}", report.params))
        .line("security", format_args!("{security}{insecure}"))
        .line("seeds", format_args!("{seeds} in place of uniform halves"));
    if report.seeded {
        lines.line("secrets", "made from a given seed: whoever knows it knows them");
    }
    for (name, tensor) in &report.tensors {
        let shape = tensor.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
        lines.line("tensor", format_args!("{name}: {shape} words, {}", figures::bytes(tensor.bytes)));
    }
    Report::new(&report, lines.text())
}

fn is_seed(tensor: &str) -> bool {
    ["seed", "seeds"].contains(&tensor.rsplit('.').next().unwrap_or_default())
}
