//! The data of a plan: from CSV text, or from columns.

use asanoha::{
    data::{self, Missing, NumberFormat, Reading},
    execute,
};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::{columns::Columns, fault::Fault, plan::Plan};

/// What is done about missing values, by its name.
fn missing(name: &str) -> Result<Missing, Fault> {
    Ok(match name {
        "raise" => Missing::Refuse,
        "mask" => Missing::Mask,
        "mean" => Missing::Mean,
        "zero" => Missing::Zero,
        other => {
            return Err(Fault::data(format!(
                "missing: {other:?}: it is one of \"raise\", \"mask\", \"mean\" and \"zero\""
            )));
        }
    })
}

/// The columns that a plan needs.
#[wasm_bindgen(js_name = NativeData)]
#[derive(Debug)]
pub struct Data {
    pub(crate) data: data::Data,
}

#[wasm_bindgen(js_class = NativeData)]
impl Data {
    /// Reads the columns that a plan needs of CSV text, which may be compressed by gzip.
    #[wasm_bindgen(js_name = fromCsv)]
    pub fn from_csv(
        plan: &Plan,
        bytes: Vec<u8>,
        name: &str,
        missing_as: &str,
        decimal_comma: bool,
        thousands: bool,
    ) -> Result<Self, JsValue> {
        let bytes = Zeroizing::new(bytes);
        let plan = &plan.plan;
        let reading = Reading {
            schema: Some(&plan.schema),
            missing: missing(missing_as)?,
            numbers: NumberFormat { decimal_comma, thousands },
            ..Reading::default()
        };
        let data = data::Data::from_reader(&**bytes, name, plan.program.input_names(), &reading);
        Ok(Self { data: data.map_err(Fault::from)? })
    }

    /// The columns that a plan needs of some columns.
    #[wasm_bindgen(js_name = fromColumns)]
    pub fn from_columns(plan: &Plan, columns: Columns, missing_as: &str) -> Result<Self, JsValue> {
        Ok(Self { data: columns.into_data(&plan.plan, missing(missing_as)?)? })
    }

    /// Refuses data that a plan doesn't take, as encryption would.
    pub fn check(&self, plan: &Plan) -> Result<(), JsValue> {
        let plan = plan.plan.for_rows(self.data.table.rows).map_err(Fault::from)?;
        execute::check(&plan, &self.data.table).map_err(Fault::from)?;
        Ok(())
    }

    /// The number of rows, without those that are left out.
    #[wasm_bindgen(getter)]
    pub fn rows(&self) -> usize {
        self.data.table.rows
    }
}
