//! Plans and parameters.

use std::collections::BTreeMap;

use asanoha::{
    data::ColumnSchema,
    lattice::{quantum_security_bits, security_is_extrapolated},
    plan::{ParamsSummary, Plan, SchemeName, SchemeParams},
    report::{describe, public_columns, rounded_constants},
};
use serde::Serialize;

use super::{
    about::{About, PLAN},
    file::Tensor,
};
use crate::report::{Report, counted};

/// The lines of a program that are shown; `--json` has all of them.
const SHOWN_LINES: usize = 12;

/// Parameters of one scheme or another.
#[derive(Debug, Serialize)]
pub(super) struct ParamsFigures {
    pub(super) scheme: SchemeName,
    pub(super) params: ParamsSummary,
    pub(super) params_digest: String,
    pub(super) security_bits: u32,
    security_quantum_bits: u32,
    pub(super) security_extrapolated: bool,
}

impl ParamsFigures {
    pub(super) fn new(params: &SchemeParams) -> Self {
        Self {
            scheme: params.scheme(),
            params: ParamsSummary::new(params),
            params_digest: params.digest().to_owned(),
            security_bits: params.security_bits(),
            security_quantum_bits: quantum_security_bits(params.security_bits()),
            security_extrapolated: security_is_extrapolated(params.ring_degree()),
        }
    }
}

#[derive(Debug, Serialize)]
struct PlanReport<'a> {
    #[serde(flatten)]
    about: About,
    #[serde(flatten)]
    params: ParamsFigures,
    security_asked: u32,
    failure_bits_asked: u32,
    insecure: bool,
    /// log2 of an upper bound on the probability that any noise bound of a run fails.
    log2_failure: f64,
    tensors: BTreeMap<String, Tensor>,
    rows: usize,
    /// Whether it serves fewer rows too.
    fewer_rows: bool,
    /// The bits of statistical security that its results can be published with, to the precision.
    publish: Option<u32>,
    inputs: Vec<String>,
    /// What becomes public of each column.
    columns: Vec<&'a ColumnSchema>,
    /// The program, as it is computed.
    program: String,
    /// The functions of constants that the program computes with as rounded numbers, and these.
    rounded_constants: &'a BTreeMap<String, Option<f64>>,
    outputs: Vec<String>,
    steps: usize,
    keys: usize,
}

/// The outputs that a user is shown, but for constants.
fn outputs(plan: &Plan) -> Vec<String> {
    let is_constant =
        |name: &&String| plan.program.constants().iter().any(|constant| constant.name == **name);
    plan.program.result_names().iter().filter(|name| !is_constant(name)).cloned().collect()
}

pub(super) fn inspect(plan: &Plan, bytes: u64) -> Report {
    let inputs = plan.circuit.columns();
    let report = PlanReport {
        about: About::new(PLAN, bytes),
        params: ParamsFigures::new(&plan.params),
        security_asked: plan.security,
        failure_bits_asked: plan.failure_bits,
        insecure: plan.is_insecure(),
        log2_failure: plan.log2_failure(),
        tensors: BTreeMap::new(),
        rows: plan.schema.rows,
        fewer_rows: plan.hints.fewer_rows,
        publish: plan.hints.publish,
        columns: plan.schema.columns.iter().filter(|column| inputs.contains(&column.name)).collect(),
        inputs,
        program: plan.program.to_string(),
        rounded_constants: plan.program.rounded_constants(),
        outputs: outputs(plan),
        steps: plan.circuit.steps.len(),
        keys: plan.key_count(),
    };
    let mut lines = report.about.lines();
    lines
        .line("scheme", report.params.scheme.to_string().to_uppercase())
        .line("inputs", format_args!("{}, {}", report.inputs.join(", "), counted(report.rows, "row")));
    public_columns(&mut lines, &report.columns, &[], "--json");
    for (at, line) in report.program.lines().take(SHOWN_LINES).enumerate() {
        lines.line(if at == 0 { "program" } else { "" }, line);
    }
    if let Some(more) = report.program.lines().count().checked_sub(SHOWN_LINES).filter(|&more| more > 0) {
        lines.line("", format_args!("and {} more, as --json lists them", counted(more, "line")));
    }
    rounded_constants(&mut lines, &plan.program);
    lines.line("outputs", report.outputs.join(", ")).line("schedule", counted(report.steps, "step"));
    describe(&mut lines, plan);
    Report::new(&report, lines.text())
}
