//! What a plan is, in words.

use asanoha_lattice::{quantum_security_bits, security_is_extrapolated};
use serde::Serialize;

use super::{Lines, figures};
use crate::{
    advice::Words,
    data::{ColumnSchema, RealSince, Schema},
    plan::{Candidate, Choice, ParamsSummary, Plan, SchemeName},
    program::{Given, Node, Program, text_literal},
};

/// The most columns that are described to a human reader.
const SHOWN_COLUMNS: usize = 20;
/// Ranges whose text is longer are described by their size.
const LONGEST_RANGE: usize = 80;

/// One scheme's answer, as JSON has it.
#[derive(Debug, Clone, Serialize)]
pub struct CandidateReport {
    /// The scheme.
    pub scheme: SchemeName,
    /// Whether it can run the program.
    pub feasible: bool,
    /// Why it's chosen or not, or can't run the program.
    pub why: String,
    /// Its parameters.
    pub params: Option<ParamsSummary>,
    /// Their security.
    pub security_bits: Option<u32>,
    /// log2 of an upper bound on the probability that any noise bound of a run fails; in TFHE, any bootstrapping.
    pub log2_failure: Option<f64>,
    /// The bootstrappings of a run, in TFHE.
    pub bootstraps: Option<f64>,
    /// The predicted seconds of the evaluation.
    pub predicted_s: Option<f64>,
    /// The predicted seconds of reading the encrypted inputs.
    pub predicted_read_s: Option<f64>,
    /// The bytes of the encrypted inputs.
    pub input_bytes: Option<u64>,
    /// The predicted bytes of keys and ciphertexts.
    pub predicted_bytes: Option<u64>,
    /// `None` if results are exact.
    pub precision_bits: Option<f64>,
}

impl CandidateReport {
    /// Of a candidate, with advice in an interface's words.
    pub fn new(candidate: &Candidate, words: Words) -> Self {
        let plan = candidate.outcome.as_ref().ok();
        Self {
            scheme: candidate.scheme,
            feasible: plan.is_some(),
            why: candidate.why_in_words(words),
            params: plan.map(|plan| ParamsSummary::new(&plan.params)),
            security_bits: plan.map(|plan| plan.params.security_bits()),
            log2_failure: plan.map(Plan::log2_failure),
            bootstraps: plan.and_then(Plan::bootstraps),
            predicted_s: plan.map(|plan| plan.prediction.evaluate_s),
            predicted_read_s: plan.map(|plan| plan.prediction.read_s),
            input_bytes: plan.map(|plan| plan.prediction.input_bytes),
            predicted_bytes: plan.map(|plan| plan.prediction.bytes),
            precision_bits: plan.and_then(|plan| plan.prediction.precision_bits),
        }
    }
}

/// Which cell makes a column one of real numbers.
pub fn deciding(cell: &RealSince) -> String {
    format!("as line {} has {:?}", cell.line, cell.cell)
}

/// The columns and what becomes public of each. If there are too many to show, `all` lists them in an interface.
pub fn public_columns(lines: &mut Lines, columns: &[&ColumnSchema], real_since: &[RealSince], all: &str) {
    for (at, column) in columns.iter().take(SHOWN_COLUMNS).enumerate() {
        let name = if at == 0 { "public" } else { "" };
        let range = Some(column.range.to_string()).filter(|range| range.len() <= LONGEST_RANGE);
        let range = range
            .unwrap_or_else(|| format!("a range up to 2^{}", column.range.log2_bound().unwrap_or_default()));
        let decides = real_since.iter().find(|cell| cell.column == column.name).map(deciding);
        let decides = decides.map_or_else(String::new, |why| format!(" ({why})"));
        lines.line(name, format_args!("column {}: {column}, in {range}{decides}", column.name));
    }
    if let Some(more) = columns.len().checked_sub(SHOWN_COLUMNS).filter(|&more| more > 0) {
        lines.line("", format_args!("and {more} more columns, as {all} lists them"));
    }
}

/// The most entries of a table by text that are shown.
const SHOWN_ENTRIES: usize = 12;

/// The entry of each category where a program looks up a column of text in a list, which is in the order of the categories.
pub fn tables_by_text(lines: &mut Lines, program: &Program, schema: &Schema) {
    let mut name = "tables";
    for (function, operands) in program.nodes().iter().filter_map(Node::function) {
        let column =
            operands[0].node().and_then(|id| program.column(id)).and_then(|name| schema.column(name));
        let (Given::Entries(entries), Some(column)) = (function.given(), column) else { continue };
        if column.categories.is_empty() {
            continue;
        }
        let pairs = column.categories.iter().zip(entries).take(SHOWN_ENTRIES);
        let pairs: Vec<String> =
            pairs.map(|(category, entry)| format!("{}: {entry}", text_literal(category))).collect();
        let more = if column.categories.len() > SHOWN_ENTRIES { ", …" } else { "" };
        lines.line(name, format_args!("of column {}: {}{more}", column.name, pairs.join(", ")));
        name = "";
    }
}

/// Every scheme's answer with advice in an interface's words, as lines of at most so many characters where that is given.
pub fn candidates(choice: &Choice, width: Option<usize>, words: Words) -> String {
    let blocks = choice.candidates.iter().enumerate().map(|(at, candidate)| {
        let mark = if choice.chosen == Some(at) { "  <- chosen" } else { "" };
        let mut lines = Lines::new(width);
        lines.line(
            "scheme",
            format_args!(
                "{}: {}{mark}",
                candidate.scheme.to_string().to_uppercase(),
                candidate.why_in_words(words)
            ),
        );
        if let Ok(plan) = &candidate.outcome {
            describe(&mut lines, plan);
        }
        lines.text().to_owned()
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Writes parameters, security and predictions as lines.
pub fn describe(lines: &mut Lines, plan: &Plan) {
    let prediction = &plan.prediction;
    let precision = match prediction.precision_bits {
        Some(bits) => format!("{bits:.1} bits below the power of two that bounds an output"),
        None => "exact".to_owned(),
    };
    let bounds = match plan.bootstraps() {
        Some(bootstraps) => format!("{bootstraps} bootstrappings"),
        None => "noise bounds".to_owned(),
    };
    lines
        .line("parameters", params_line(&ParamsSummary::new(&plan.params)))
        .line("security", security_line(plan))
        .line(
            "failure",
            format_args!(
                "at most 2^{:.1}, of all {bounds} together; 2^-{} promised",
                plan.log2_failure(),
                plan.failure_bits
            ),
        )
        .line(
            "predicted",
            format_args!(
                "evaluation {}, keys and ciphertexts {}, {} keys",
                figures::seconds(prediction.evaluate_s),
                figures::bytes(prediction.bytes),
                plan.key_count()
            ),
        )
        .line(
            "",
            format_args!(
                "inputs {}, read in {}",
                figures::bytes(prediction.input_bytes),
                figures::seconds(prediction.read_s)
            ),
        )
        .line("", figures::picture(plan.shares()))
        .line("precision", precision);
    if let Some(bits) = plan.hints.publish {
        let first = "of the results of one run too, published as the first under a key";
        lines.line("", format_args!("{first} with {bits} bits of statistical security"));
    }
    if plan.hints.fewer_rows {
        lines.line("rows", format_args!("any number from 1 to {}", plan.schema.rows));
    }
    for finished in plan.program.finished() {
        let (results, parts) = (finished.results.join(", "), finished.parts.join(", "));
        let by = "computed by the key holder from decrypted values, which the key holder can read too";
        lines.line("finished", format_args!("{results}: {by} ({parts})"));
    }
    let mut told: Vec<String> = Vec::new();
    for (node, gap) in plan.program.nodes().iter().zip(plan.gaps()) {
        let line =
            gap.map(|gap| format!("numbers that are {gap:.2e} or more apart, by `{}`", node.operation()));
        told.extend(line.filter(|line| !told.contains(line)));
    }
    for line in &told {
        lines.line("told apart", line);
    }
}

/// The most rounded constants that are told to a human reader, and the most characters of each.
const SHOWN_CONSTANTS: usize = 3;
const SHOWN_CHARACTERS: usize = 40;

/// Writes a line about the constants of a program that are rounded, if there are any.
pub fn rounded_constants(lines: &mut Lines, program: &Program) {
    let all = program.rounded_constants();
    let mut told: Vec<String> = all
        .iter()
        .take(SHOWN_CONSTANTS)
        .map(|(expression, value)| {
            let mut expression = expression.clone();
            if let Some((end, _)) = expression.char_indices().nth(SHOWN_CHARACTERS) {
                expression.replace_range(end.., "…");
            }
            match value {
                Some(value) => format!("{expression} to {value:?}"),
                None => format!("{expression} (by its file; the program's text doesn't show it)"),
            }
        })
        .collect();
    if told.is_empty() {
        return;
    }
    told.extend(
        all.len().checked_sub(SHOWN_CONSTANTS).filter(|&more| more > 0).map(|more| format!("{more} more")),
    );
    let numbers = if all.len() == 1 { "this number" } else { "these numbers" };
    lines.line("rounded", format_args!("{}: results are those of {numbers}", told.join(", ")));
}

/// The parameters as a line.
pub fn params_line(params: &ParamsSummary) -> String {
    let log2_n = params.ring_degree.ilog2();
    if let Some(dimension) = params.lwe_dimension {
        return format!(
            "LWE of dimension {dimension}, bootstrapped at N = 2^{log2_n} modulo 2^{}, key switching in {} digits",
            params.log2_q, params.digits
        );
    }
    let own = match (&params.plaintext_modulus, params.log2_scale) {
        (Some(t), _) if t.0.bits() > 64 => format!("t of {} bits", t.0.bits()),
        (Some(t), _) => format!("t = {t}"),
        (_, Some(scale)) => format!("scale 2^{scale:.1}"),
        _ => String::new(),
    };
    format!(
        "N = 2^{log2_n}, log2(Q) = {:.1}, log2(P) = {:.1}, {} primes, key switching in {} digit{}, {own}",
        params.log2_q,
        params.log2_p,
        params.primes.len(),
        params.digits,
        if params.digits == 1 { "" } else { "s" },
    )
}

/// The security as a line.
pub fn security_line(plan: &Plan) -> String {
    let bits = plan.params.security_bits();
    let bits = if plan.params.is_estimated() {
        estimated(bits)
    } else {
        security_words(bits, security_is_extrapolated(plan.params.ring_degree()))
    };
    let insecure = if plan.is_insecure() { "; INSECURE, for tests only" } else { "" };
    format!("{bits}; {} asked{insecure}", plan.security)
}

/// The classical security of a set of parameters of TFHE, by the lattice estimator.
pub fn estimated(bits: u32) -> String {
    format!("{bits} bits classical (lattice estimator)")
}

/// A classical security level, its source, and the corresponding level against a quantum computer.
pub fn security_words(bits: u32, extrapolated: bool) -> String {
    let from = if extrapolated { "extrapolated from the 2024 guidelines" } else { "2024 guidelines" };
    format!("{bits} bits classical ({from}), about {} quantum", quantum_security_bits(bits))
}
