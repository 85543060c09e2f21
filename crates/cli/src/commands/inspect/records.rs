//! Records, schemas and parameters: JSON files beside plans.

use std::path::Path;

use asanoha::{
    bfv::Bfv,
    bgv::Bgv,
    ckks::Ckks,
    client::ClientRecord,
    data::{ColumnSchema, Schema},
    plan::SchemeParams,
    report::public_columns,
    scheme::{Scheme as _, Stored},
};
use serde::Serialize;
use serde_json::Value;

use super::{
    about::{About, INPUTS, PARAMETERS, PUBLICATIONS, SCHEMA, foreign},
    plan::ParamsFigures,
};
use crate::{
    error::Failure,
    report::{Report, counted, params_line, security_words},
};

#[derive(Debug, Serialize)]
struct ParametersReport {
    #[serde(flatten)]
    about: About,
    #[serde(flatten)]
    params: ParamsFigures,
}

#[derive(Debug, Serialize)]
struct SchemaReport {
    #[serde(flatten)]
    about: About,
    rows: usize,
    columns: Vec<ColumnSchema>,
}

#[derive(Debug, Serialize)]
struct InputsRecordReport<'a> {
    #[serde(flatten)]
    about: About,
    key_generation: &'a str,
    plan_digest: &'a str,
    inputs_digest: &'a str,
    rows: usize,
    /// The canaries among the rows; their places and results aren't printed.
    canaries: usize,
    /// The rows of the data that weren't encrypted since they miss a value; which ones isn't printed.
    left_out: usize,
    /// The columns that are encrypted less a constant, which isn't printed.
    centred_columns: Vec<&'a String>,
}

#[derive(Debug, Serialize)]
struct PublicationsReport<'a> {
    #[serde(flatten)]
    about: About,
    key_generation: &'a str,
    publications: usize,
    /// The bits of numbers that were shown unchecked.
    shown_bits: u64,
}

/// A text of a JSON object.
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}
pub(super) fn parameters(path: &Path, value: &Value, bytes: u64) -> Result<Report, Failure> {
    let scheme = text(value, "scheme");
    let params: SchemeParams = if scheme == Bfv::NAME {
        <Bfv as Stored>::read(path)?.into()
    } else if scheme == Ckks::NAME {
        <Ckks as Stored>::read(path)?.into()
    } else {
        <Bgv as Stored>::read(path)?.into()
    };
    let report =
        ParametersReport { about: About::new(PARAMETERS, bytes), params: ParamsFigures::new(&params) };
    let ParamsFigures { scheme, params, params_digest, .. } = &report.params;
    let mut lines = report.about.lines();
    lines
        .line("scheme", scheme.to_string().to_uppercase())
        .line("parameters", params_line(params))
        .line("", format_args!("of digest {params_digest}"))
        .line("security", security_words(report.params.security_bits, report.params.security_extrapolated));
    Ok(Report::new(&report, lines.text()))
}

pub(super) fn schema(path: &Path, bytes: u64) -> Result<Report, Failure> {
    let Schema { rows, columns } = Schema::from_json_path(path)?;
    let about = About::new(SCHEMA, bytes);
    let mut lines = about.lines();
    lines.line("rows", rows);
    public_columns(&mut lines, &columns.iter().collect::<Vec<_>>(), &[], "--json");
    Ok(Report::new(&SchemaReport { about, rows, columns }, lines.text()))
}

pub(super) fn inputs(path: &Path, value: &Value, bytes: u64) -> Result<Report, Failure> {
    let record: ClientRecord = serde_json::from_value(value.clone())
        .map_err(|error| foreign(path, &format!("it is a damaged {INPUTS} ({error})")))?;
    let centres = value.get("centres").and_then(Value::as_object);
    let report = InputsRecordReport {
        about: About::new(INPUTS, bytes),
        key_generation: text(value, "key"),
        plan_digest: text(value, "plan"),
        inputs_digest: text(value, "inputs"),
        rows: record.rows,
        canaries: record.canaries(),
        left_out: record.left_out.len(),
        centred_columns: centres.into_iter().flatten().map(|(column, _)| column).collect(),
    };
    let mut lines = report.about.lines();
    lines
        .line("keys", format_args!("of generation {}", report.key_generation))
        .line("inputs", format_args!("{}, of digest {}", counted(report.rows, "row"), report.inputs_digest));
    if report.canaries > 0 {
        lines.line("canaries", format_args!("{} of the rows", report.canaries));
    }
    if report.left_out > 0 {
        lines.line("left out", format_args!("{} that missed a value", counted(report.left_out, "row")));
    }
    for column in &report.centred_columns {
        lines.line("constant", format_args!("of column {column}, encrypted less a constant"));
    }
    Ok(Report::new(&report, lines.text()))
}

pub(super) fn publications(value: &Value, bytes: u64) -> Report {
    let report = PublicationsReport {
        about: About::new(PUBLICATIONS, bytes),
        key_generation: text(value, "key"),
        publications: value["published"].as_array().map_or(0, Vec::len),
        shown_bits: value["shown"]
            .as_array()
            .into_iter()
            .flatten()
            .fold(0, |all: u64, shown| all.saturating_add(shown["bits"].as_u64().unwrap_or_default())),
    };
    let mut lines = report.about.lines();
    lines
        .line("keys", format_args!("of generation {}", report.key_generation))
        .line("published", counted(report.publications, "ciphertext"))
        .line("shown", format_args!("{} bits of numbers that nobody checked", report.shown_bits));
    Report::new(&report, lines.text())
}
