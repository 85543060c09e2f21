//! `asanoha plan`: the answer of every scheme, and the choice among them.

use std::{fmt::Write, path::Path};

use asanoha::{
    data::{ColumnSchema, Data, RealSince, Schema, Table},
    plan::{Candidate, Choice, ParamsSummary},
    plan::{Plan, Scheme},
    program::Program,
};
use serde::Serialize;

use super::planning;
use crate::{
    args::PlanArgs,
    error::Failure,
    figures, files,
    report::{Lines, Report, deciding, params_line, security_line},
    session::Session,
    target::Target,
};

/// The most columns that are described to a human reader.
const SHOWN_COLUMNS: usize = 20;
/// Ranges whose text is longer are described by their size.
const LONGEST_RANGE: usize = 80;

#[derive(Debug, Serialize)]
struct CandidateReport {
    scheme: Scheme,
    feasible: bool,
    why: String,
    params: Option<ParamsSummary>,
    security_bits: Option<u32>,
    /// log2 of an upper bound on the probability that any noise bound of a run fails; in TFHE, any bootstrapping.
    log2_failure: Option<f64>,
    /// The bootstrappings of a run, in TFHE.
    bootstraps: Option<f64>,
    predicted_s: Option<f64>,
    predicted_bytes: Option<u64>,
    /// `None` if results are exact.
    precision_bits: Option<f64>,
}

#[derive(Debug, Serialize)]
struct PlanReport<'a> {
    /// What becomes public of the columns that the program reads.
    columns: Vec<&'a ColumnSchema>,
    /// The cells for which columns are real numbers, and no whole numbers or decimals.
    real_since: &'a [RealSince],
    candidates: Vec<CandidateReport>,
    chosen: Option<Scheme>,
    /// The length of the plan's file in bytes, if one was asked for.
    file_bytes: Option<u64>,
}

pub(crate) fn plan(session: &Session, args: &PlanArgs) -> Result<Report, Failure> {
    let wishes = planning::wishes(session, &args.planning, args.rows.is_some());
    let reads: Vec<&Path> = [Some(&args.program), args.data.as_ref(), args.schema.as_ref()]
        .into_iter()
        .flatten()
        .chain(args.planning.weights.iter().map(|weights| &weights.path))
        .map(|path| &**path)
        .collect();
    let target = Target::open_any(session, args.out.as_deref(), &reads)?;
    let program = files::read_program(&args.program, &args.planning.weights)?;
    let (mut schema, table, real_since) = schema(args, &program)?;
    if let Some(rows) = args.rows {
        if let Some(table) = table.as_ref().filter(|table| table.rows > rows) {
            return Err(Failure::bad_input(format!(
                "--rows {rows}: the data have {} rows: plan for as many, or more",
                table.rows
            ))
            .figure("found", table.rows)
            .figure("most", rows));
        }
        schema.rows = rows;
    }
    let choice = planning::choice(&program, &schema, table.as_ref(), &wishes)?;
    // What the plan says of them, if there is one.
    let chosen = choice.chosen.and_then(|chosen| choice.candidates[chosen].outcome.as_ref().ok());
    let schema = chosen.map_or(&schema, |plan| &plan.schema).clone();
    let columns: Vec<_> = program.input_names().iter().filter_map(|name| schema.column(name)).collect();
    let mut text = public_columns(&columns, &real_since);
    text += &candidates(&choice);
    let mut report = PlanReport {
        columns,
        real_since: &real_since,
        candidates: choice.candidates.iter().map(candidate_report).collect(),
        chosen: choice.chosen.map(|chosen| choice.candidates[chosen].scheme),
        file_bytes: None,
    };
    let failure = match planning::into_plan(choice, &wishes, table.as_ref()) {
        Ok(mut plan) => {
            plan.on_zero = args.planning.on_zero.into();
            if let Some(target) = &target {
                report.file_bytes = Some(plan.write(target.path())?);
                let _ = writeln!(text, "\nwritten     {}", target.name());
            }
            None
        }
        Err(failure) => Some(failure),
    };
    let target = target.filter(|_| failure.is_none());
    Ok(Report::new(&report, text).with_file(target)?.failing(failure))
}

/// The public properties of the data and, if given, the data, and the cells that make columns real.
fn schema(args: &PlanArgs, program: &Program) -> Result<(Schema, Option<Table>, Vec<RealSince>), Failure> {
    Ok(match (&args.data, &args.schema) {
        (_, Some(path)) => (Schema::from_json_path(path)?, None, Vec::new()),
        (Some(path), None) => {
            let Data { table, left_out, real_since } =
                Data::from_path(path, program.input_names(), &args.planning.reading())?;
            let schema = Schema::from_table(&table, &args.planning.ranges)
                .and_then(|schema| schema.about(&table, &args.planning.centers));
            (schema.map_err(|error| Failure::from(error).of_rows(&left_out))?, Some(table), real_since)
        }
        (None, None) => return Err(Failure::bad_input("give --data or --schema")),
    })
}

fn candidate_report(candidate: &Candidate) -> CandidateReport {
    let plan = candidate.outcome.as_ref().ok();
    CandidateReport {
        scheme: candidate.scheme,
        feasible: plan.is_some(),
        why: candidate.why.clone(),
        params: plan.map(|plan| ParamsSummary::new(&plan.params)),
        security_bits: plan.map(|plan| plan.params.security_bits()),
        log2_failure: plan.map(Plan::log2_failure),
        bootstraps: plan.and_then(Plan::bootstraps),
        predicted_s: plan.map(|plan| plan.prediction.evaluate_s),
        predicted_bytes: plan.map(|plan| plan.prediction.bytes),
        precision_bits: plan.and_then(|plan| plan.prediction.precision_bits),
    }
}

/// The columns and what becomes public of each.
fn public_columns(columns: &[&ColumnSchema], real_since: &[RealSince]) -> String {
    let mut lines = Lines::default();
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
        lines.line("", format_args!("and {more} more columns, as --json lists them"));
    }
    format!("{}\n", lines.text())
}

fn candidates(choice: &Choice) -> String {
    let blocks = choice.candidates.iter().enumerate().map(|(at, candidate)| {
        let mark = if choice.chosen == Some(at) { "  <- chosen" } else { "" };
        let mut lines = Lines::default();
        lines.line(
            "scheme",
            format_args!("{}: {}{mark}", candidate.scheme.to_string().to_uppercase(), candidate.why),
        );
        if let Ok(plan) = &candidate.outcome {
            describe(&mut lines, plan);
        }
        lines.text().to_owned()
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Writes parameters, security and predictions as lines.
pub(super) fn describe(lines: &mut Lines, plan: &Plan) {
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
        .line("failure", format_args!("at most 2^{:.1}, of all {bounds} together", plan.log2_failure()))
        .line(
            "predicted",
            format_args!(
                "evaluation {}, keys and ciphertexts {}, {} keys",
                figures::seconds(prediction.evaluate_s),
                figures::bytes(prediction.bytes),
                plan.key_count()
            ),
        )
        .line("", figures::picture(plan.shares()))
        .line("precision", precision);
    if let Some(bits) = plan.derivation.publish {
        let first = "of the results of one run too, published as the first under a key";
        lines.line("", format_args!("{first} with {bits} bits of statistical security"));
    }
    if plan.derivation.fewer_rows {
        lines.line("rows", format_args!("any number from 1 to {}", plan.schema.rows));
    }
    for finished in plan.program.finished() {
        let (results, parts) = (finished.results.join(", "), finished.parts.join(", "));
        let by = "computed by you from decrypted sums, which whoever holds the secret key can read too";
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
