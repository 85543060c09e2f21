//! Decrypted results.

use asanoha::{
    execute,
    plan::Plan,
    program::OutputInfo,
    report::{self, Answers, Cells, Lost},
};
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::{advice::words, fault::Fault};

/// The results of a plan, out of encryption.
#[wasm_bindgen(js_name = NativeResults)]
#[derive(Debug)]
pub struct Results {
    answers: Answers,
    shown: report::Results,
    left_out: Vec<usize>,
}

/// The refusal of results that can't be told from 0 by their errors.
fn hidden(lost: &Lost) -> Fault {
    Fault::new("CheckError", format!(
        "the output `{}` may be off by {:.3e}, which is more than all its values: plan for a smaller error with --precision abs=ERROR, or for exact results with --scheme bgv",
        lost.output, lost.bound
    ))
    .figure("output", lost.output.as_str())
    .figure("errorBound", lost.bound)
}

impl Results {
    /// Refuses results that can't be told from 0 by their errors.
    pub(crate) fn new(
        plan: &Plan,
        decrypted: execute::Decrypted,
        left_out: Vec<usize>,
    ) -> Result<Self, Fault> {
        let shown = report::Results::new(plan, &decrypted, words);
        let answers = Answers::new(plan, decrypted).map_err(|lost| hidden(&lost))?;
        Ok(Self { answers, shown, left_out })
    }
}

#[wasm_bindgen(js_class = NativeResults)]
impl Results {
    /// Of every output its name, shape, kind and error bound, and what is known of all, as JSON.
    pub fn figures(&self) -> String {
        let Self { answers, left_out, .. } = self;
        let one = |(at, output): (usize, &OutputInfo)| {
            json!({
                "name": output.name, "shape": output.shape.to_string(), "kind": answers.kind(at).name(),
                "errorBound": answers.bounds[at], "missing": answers.missing(at, words),
            })
        };
        let noise = answers.decrypted.noise;
        json!({
            "outputs": answers.outputs.iter().enumerate().map(one).collect::<Vec<_>>(),
            "leftOut": left_out,
            "noise": { "predictedBits": noise.predicted_bits, "budgetBits": noise.budget_bits },
            "published": answers.decrypted.publication.map(|publication| json!({
                "count": publication.count, "withinPrecision": answers.is_within,
            })),
        })
        .to_string()
    }

    /// The values of an output as numbers, NaN in every row of a column that has none.
    pub fn values(&self, at: usize) -> Vec<f64> {
        match self.answers.missing_rows(at) {
            Some(rows) => vec![f64::NAN; rows],
            None => self.answers.values(at).to_vec(),
        }
    }

    /// The exact values of an output, as text `p` or `p/q`; nothing where they aren't exact.
    pub fn exact(&self, at: usize) -> Option<Vec<String>> {
        self.answers.exact_texts(at)
    }

    /// The values of an output as the program shows them: exact ones, or those with the decimals that the error bound leaves
    /// meaningful and how far they may be off as they are shown.
    pub fn texts(&self, at: usize) -> Vec<String> {
        self.shown.texts(&self.answers.outputs[at].name)
    }

    /// All values as the program's CSV, with columns of error bounds if asked, and with so many places after the point or exact fractions;
    /// gaps stand in rows that were left out.
    pub fn csv(&self, errors: bool, places: Option<u8>, exact_fractions: bool) -> Result<String, JsValue> {
        let shown = self.shown.clone().with_gaps(&self.left_out);
        let cells = match places {
            Some(places) => Cells::Places(places.into()),
            None if exact_fractions => Cells::Fractions,
            None => Cells::Decimals,
        };
        let clash = |name| {
            Fault::data(format!(
                "errors adds a column `{name}`, and the program has a result of that name: leave errors out"
            ))
        };
        Ok(shown.csv(errors, cells).map_err(clash)?)
    }
}
