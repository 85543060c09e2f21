//! Decrypted results.

use asanoha::{
    advice::Advised,
    execute,
    plan::Plan,
    program::{OutputInfo, OutputKind, Shape, Values, output_kinds, parse_number},
    report::{Lost, bound_text, error_bounds, indistinct, within_precision},
};
use num_rational::BigRational;
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::{advice::words, fault::Fault};

/// The most decimals that are shown.
const MOST_DECIMALS: usize = 15;

/// The results of a plan, out of encryption.
#[wasm_bindgen(js_name = NativeResults)]
#[derive(Debug)]
pub struct Results {
    outputs: Vec<OutputInfo>,
    decrypted: execute::Decrypted,
    bounds: Vec<f64>,
    left_out: Vec<usize>,
    is_within: bool,
}

/// The name of a kind of values.
pub(crate) fn kind_name(kind: OutputKind) -> &'static str {
    match kind {
        OutputKind::Truth => "bool",
        OutputKind::Whole => "whole",
        OutputKind::Decimal { .. } => "decimal",
        OutputKind::Real => "real",
    }
}

/// The refusal of results that can't be told from 0 by their errors.
fn hidden(lost: &Lost) -> Fault {
    Fault::new("CheckError", format!(
        "the output `{}` may be off by {:.3e}, and its values are no larger than {:.3e}: plan for a smaller error with --precision abs=ERROR, or for exact results with --scheme bgv",
        lost.output, lost.bound, lost.largest
    ))
    .figure("output", lost.output.as_str())
    .figure("errorBound", lost.bound)
    .figure("largest", lost.largest)
}

impl Results {
    /// Refuses results that can't be told from 0 by their errors.
    pub(crate) fn new(
        plan: &Plan,
        decrypted: execute::Decrypted,
        left_out: Vec<usize>,
    ) -> Result<Self, Fault> {
        if let Some(lost) = indistinct(plan, &decrypted) {
            return Err(hidden(&lost));
        }
        let bounds = error_bounds(plan, &decrypted);
        let outputs = output_kinds(&plan.program, &plan.schema);
        let is_within = within_precision(plan, &decrypted);
        Ok(Self { outputs, decrypted, bounds, left_out, is_within })
    }

    fn fractions(&self, at: usize) -> Option<&[BigRational]> {
        self.decrypted.exact.as_ref().map(|exact| exact[at].1.as_slice())
    }

    /// The kind of the values as they are: what is known to be whole, and was computed to the nearest whole number.
    fn kind(&self, at: usize) -> OutputKind {
        let kind = self.outputs[at].kind;
        let is_rounded = self.fractions(at).is_some() || self.bounds[at] == 0.0;
        match kind {
            OutputKind::Truth | OutputKind::Whole if is_rounded => kind,
            OutputKind::Decimal { .. } if self.fractions(at).is_some() => kind,
            _ => OutputKind::Real,
        }
    }

    /// Why an output has no value, if it has none.
    fn missing(&self, at: usize) -> Option<String> {
        match &self.decrypted.outputs[at].1 {
            Values::Missing(reason) => Some(reason.in_words(words)),
            _ => None,
        }
    }
}

/// An exact value as text: the decimals of the nearest double if they are it, else digits or `p/q`.
fn exact_text(exact: &BigRational, value: f64) -> String {
    let text = value.to_string();
    if parse_number(&text).as_ref() == Some(exact) { text } else { exact.to_string() }
}

#[wasm_bindgen(js_class = NativeResults)]
impl Results {
    /// Of every output its name, shape, kind and error bound, and what is known of all, as JSON.
    pub fn figures(&self) -> String {
        let one = |(at, output): (usize, &OutputInfo)| {
            let shape = if output.shape == Shape::Column { "column" } else { "number" };
            json!({
                "name": output.name, "shape": shape, "kind": kind_name(self.kind(at)),
                "errorBound": self.bounds[at], "missing": self.missing(at),
            })
        };
        json!({
            "outputs": self.outputs.iter().enumerate().map(one).collect::<Vec<_>>(),
            "leftOut": self.left_out,
            "noise": {
                "predictedBits": self.decrypted.noise.predicted_bits,
                "budgetBits": self.decrypted.noise.budget_bits,
            },
            "published": self.decrypted.publication.map(|publication| json!({
                "count": publication.count, "withinPrecision": self.is_within,
            })),
        })
        .to_string()
    }

    /// The values of an output as numbers.
    pub fn values(&self, at: usize) -> Vec<f64> {
        self.decrypted.outputs[at].1.as_slice().to_vec()
    }

    /// The exact values of an output, as text `p` or `p/q`; nothing where they aren't exact.
    pub fn exact(&self, at: usize) -> Option<Vec<String>> {
        Some(self.fractions(at)?.iter().map(ToString::to_string).collect())
    }

    /// The values of an output as text: exact ones, or those with the decimals that the error bound leaves meaningful and how far they
    /// may be off as they are shown.
    pub fn texts(&self, at: usize) -> Vec<String> {
        let (values, bound) = (self.decrypted.outputs[at].1.as_slice(), self.bounds[at]);
        if let Some(fractions) = self.fractions(at) {
            return fractions.iter().zip(values).map(|(exact, value)| exact_text(exact, *value)).collect();
        }
        if bound == 0.0 {
            return values.iter().map(f64::to_string).collect();
        }
        let decimals = (1.0 - bound.log10()).ceil().clamp(0.0, MOST_DECIMALS as f64) as usize;
        let shown: Vec<String> = values.iter().map(|value| format!("{value:.decimals$}")).collect();
        let cut = |(text, value): (&String, &f64)| text.parse().map_or(0.0, |cut: f64| (cut - value).abs());
        let bound = bound + shown.iter().zip(values).map(cut).fold(0.0, f64::max);
        shown.into_iter().map(|text| format!("{text} ± {}", bound_text(bound))).collect()
    }
}
