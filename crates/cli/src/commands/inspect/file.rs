//! Keys and ciphertexts.

use std::collections::BTreeMap;

use asanoha::lattice::{FileSummary, quantum_security_bits};
use serde::Serialize;
use serde_json::Value;

use super::about::{About, seeded_line};
use crate::{
    figures,
    report::{Report, counted, estimated, security_words},
};

#[derive(Debug, Serialize)]
pub(super) struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct FileReport {
    #[serde(flatten)]
    about: About,
    /// The digest of the parameters.
    params: String,
    key_generation: String,
    security_bits: u32,
    security_quantum_bits: u32,
    /// Extrapolated from the table of 2024, which has no bounds for these parameters' ring.
    security_extrapolated: bool,
    insecure: bool,
    /// Made from a given seed.
    seeded: bool,
    /// The digest of the whole file, by which results name their inputs.
    digest: String,
    /// The number of seeds that are stored in place of uniform halves.
    seeds: usize,
    tensors: BTreeMap<String, Tensor>,
    fields: Value,
}

/// The values that a file of ciphertexts holds.
fn contents(fields: &Value) -> Option<String> {
    let names = fields.get("values")?.as_array()?.iter().filter_map(|value| value.get("name")?.as_str());
    let rows = fields.get("rows")?.as_u64()? as usize;
    Some(format!("{}, {}", names.collect::<Vec<_>>().join(", "), counted(rows, "row")))
}

pub(super) fn inspect(summary: FileSummary) -> Report {
    let FileSummary { header, tensors, digest, bytes } = summary;
    let seeds = tensors.iter().filter(|(name, _)| is_seed(name));
    let seeds = seeds.map(|(_, info)| info.shape.iter().rev().skip(1).product::<usize>()).sum();
    let tensors = tensors.into_iter().map(|(name, info)| {
        let bytes = info.data_offsets[1] - info.data_offsets[0];
        (name, Tensor { dtype: info.dtype, shape: info.shape, bytes })
    });
    let report = FileReport {
        about: About::new(&header.kind, bytes),
        params: header.params,
        key_generation: header.key.to_string(),
        security_bits: header.security_bits,
        security_quantum_bits: quantum_security_bits(header.security_bits),
        security_extrapolated: header.security_extrapolated,
        insecure: header.insecure,
        seeded: header.seeded,
        digest,
        seeds,
        tensors: tensors.collect(),
        fields: header.fields,
    };
    let mut lines = report.about.lines();
    let security = if report.about.kind.starts_with("TFHE ") {
        // Its table goes by the estimator itself.
        estimated(report.security_bits)
    } else {
        security_words(report.security_bits, report.security_extrapolated)
    };
    let insecure = if report.insecure { "; made with parameters that say they're insecure" } else { "" };
    if let Some(contents) = contents(&report.fields) {
        lines.line("holds", contents);
    }
    let reencryptions = report.fields.get("reencryptions");
    if let Some(inputs) = report.fields.get("inputs").and_then(Value::as_str) {
        let verb = if report.about.kind == "encrypted inputs" { "re-encrypted" } else { "computed" };
        lines.line("inputs", format_args!("{verb} from the file of digest {inputs}"));
    }
    if let Some(counts) = reencryptions {
        let count = |name: &str| counts.get(name).and_then(Value::as_u64).unwrap_or_default();
        let times = |count, of| format!("{} of {of}", counted(count as usize, "re-encryption"));
        lines.line(
            "rotations",
            format_args!("{}, {}", times(count("inputs"), "inputs"), times(count("results"), "results")),
        );
    }
    if let Some(from) = report.fields.get("from").and_then(Value::as_str) {
        lines.line("leads", format_args!("from key generation {from} to {}", report.key_generation));
    }
    lines
        .line("digest", &report.digest)
        .line("parameters", format_args!("of digest {}", report.params))
        .line("security", format_args!("{security}{insecure}"));
    if seeds > 0 {
        lines.line("seeds", format_args!("{seeds}, which uniformly random polynomials are expanded from"));
    }
    seeded_line(&mut lines, report.seeded);
    for (name, tensor) in &report.tensors {
        let shape = tensor.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
        lines.line("tensor", format_args!("{name}: {shape} words, {}", figures::bytes(tensor.bytes)));
    }
    Report::new(&report, lines.text())
}

fn is_seed(tensor: &str) -> bool {
    ["seed", "seeds"].contains(&tensor.rsplit('.').next().unwrap_or_default())
}
