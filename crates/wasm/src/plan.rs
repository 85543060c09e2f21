//! Plans: what is public about a computation.

use std::sync::Arc;

use asanoha::{
    backends::CLIENT_BACKENDS,
    data::ColumnSchema,
    kernels::Backend,
    plan::{Plan as Planned, SecurityCheck},
    report::{Lines, describe, public_columns, rounded_constants},
};
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::fault::Fault;

/// A program with all that is needed to run it encrypted.
#[wasm_bindgen(js_name = NativePlan)]
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) plan: Arc<Planned>,
}

impl Plan {
    fn read(bytes: &[u8], name: &str) -> Result<Self, Fault> {
        let backend = Backend::detect().map_err(Fault::internal)?;
        let plan = Planned::from_json_among(&CLIENT_BACKENDS, bytes, name, SecurityCheck::Required, backend)?;
        Ok(Self { plan: Arc::new(plan) })
    }

    /// The columns that are encrypted.
    fn columns(&self) -> Vec<&ColumnSchema> {
        let names = self.plan.program.input_names().iter();
        names.filter_map(|name| self.plan.schema.column(name)).collect()
    }
}

#[wasm_bindgen(js_class = NativePlan)]
impl Plan {
    /// Reads the plan of a file.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, JsValue> {
        Ok(Self::read(bytes, name)?)
    }

    /// The bytes of its file.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.plan.to_json().into_bytes()
    }

    /// The most bytes of a file of results, whatever the number of rows.
    #[wasm_bindgen(js_name = mostResultBytes)]
    pub fn most_result_bytes(&self) -> f64 {
        self.plan.most_result_bytes() as f64
    }

    /// The plan in words.
    pub fn describe(&self) -> String {
        let mut lines = Lines::new(None);
        lines.line("scheme", self.plan.params.scheme().to_string().to_uppercase());
        describe(&mut lines, &self.plan);
        rounded_constants(&mut lines, &self.plan.program);
        public_columns(&mut lines, &self.columns(), &[], "plan.columns");
        lines.text().trim_end().to_owned()
    }

    /// The figures of the plan, as JSON.
    pub fn figures(&self) -> String {
        let plan = &self.plan;
        let columns: Vec<_> = self
            .columns()
            .into_iter()
            .map(|column| {
                let kind = match column {
                    _ if !column.categories.is_empty() => "category",
                    _ if column.whole => "whole",
                    _ if column.places > 0 => "decimal",
                    _ => "real",
                };
                let ends = json!(column.range);
                json!({
                    "name": column.name, "kind": kind, "places": column.places,
                    "least": ends["lo"], "most": ends["hi"], "categories": column.categories,
                })
            })
            .collect();
        let outputs = plan.output_kinds().into_iter().map(|output| {
            json!({ "name": output.name, "kind": output.kind.name(), "shape": output.shape.to_string() })
        });
        json!({
            "digest": plan.digest(),
            "program": plan.program.to_string(),
            "roundedConstants": plan.program.rounded_constants(),
            "scheme": plan.params.scheme(),
            "ringDegree": plan.params.ring_degree(),
            "securityBits": plan.params.security_bits(),
            "log2Failure": plan.log2_failure(),
            "rows": plan.schema.rows,
            "fewerRows": plan.hints.fewer_rows,
            "isExact": plan.params.backend().is_exact(),
            "hasPublicKey": plan.params.backend().has_public_key(),
            "keys": plan.key_count(),
            "columns": columns,
            "outputs": outputs.collect::<Vec<_>>(),
            "finished": plan.program.finished().iter().map(|finished| json!({
                "results": finished.results, "parts": finished.parts,
            })).collect::<Vec<_>>(),
            "predicted": {
                "inputBytes": plan.prediction.input_bytes,
                "memoryBytes": plan.prediction.bytes,
                "precisionBits": plan.prediction.precision_bits,
                "evaluateSeconds": plan.prediction.evaluate_s,
            },
        })
        .to_string()
    }
}
