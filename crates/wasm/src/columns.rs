//! Columns out of arrays.

use asanoha::{
    data::{
        self, ColumnSchema, ColumnValues, Data, MAX_PLACES, Missing, NoDigits, TypedColumn, Unfit,
        from_digits,
    },
    plan::Plan,
};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;

/// What messages call the data.
const SOURCE: &str = "data";

/// Some columns, each of the kind that its values have.
#[wasm_bindgen(js_name = NativeColumns)]
#[derive(Debug)]
pub struct Columns {
    /// The names of all columns that the data have.
    present: Vec<String>,
    columns: Vec<TypedColumn>,
}

#[wasm_bindgen(js_class = NativeColumns)]
impl Columns {
    /// None yet, of data that have columns of these names.
    #[wasm_bindgen(constructor)]
    pub fn new(present: Vec<String>) -> Self {
        Self { present, columns: Vec::new() }
    }

    /// Adds a column of real numbers. `missing` are the rows, from 0 and in their order, that miss a value.
    #[wasm_bindgen(js_name = addReal)]
    pub fn add_real(&mut self, name: String, values: Vec<f64>, missing: &[u32]) {
        self.add(name, ColumnValues::Real(values), missing);
    }

    /// Adds a column of whole numbers.
    #[wasm_bindgen(js_name = addWhole)]
    pub fn add_whole(&mut self, name: String, values: Vec<i64>, missing: &[u32]) {
        self.add(name, ColumnValues::Whole(values), missing);
    }

    /// Adds a column of whole numbers or decimals of any length, given as text.
    #[wasm_bindgen(js_name = addDigits)]
    #[expect(clippy::needless_pass_by_value, reason = "they come from JavaScript")]
    pub fn add_digits(&mut self, name: String, values: Vec<String>, missing: &[u32]) -> Result<(), JsValue> {
        let values = digits(&name, &values, missing)?;
        self.add(name, values, missing);
        Ok(())
    }

    /// Adds a column of texts: places in a list of all different texts.
    #[wasm_bindgen(js_name = addTexts)]
    pub fn add_texts(&mut self, name: String, places: Vec<i64>, texts: Vec<String>, missing: &[u32]) {
        self.add(name, ColumnValues::Categories { values: places, names: texts }, missing);
    }
}

impl Columns {
    fn add(&mut self, name: String, values: ColumnValues, missing: &[u32]) {
        let missing = missing.iter().map(|&row| row as usize).collect();
        self.columns.push(TypedColumn { name, values, missing });
    }

    /// The table that a plan needs of these columns, each as the plan has it.
    pub(crate) fn into_data(self, plan: &Plan, missing: Missing) -> Result<Data, Fault> {
        let column = |name: &String| {
            let found = self.columns.iter().find(|column| column.name == *name);
            let column = found.ok_or_else(|| {
                let message = format!(
                    "the data have no column `{name}`, which the plan needs; they have {}",
                    self.present.join(", ")
                );
                Fault::data(message).figure("column", name.as_str()).figure("present", self.present.clone())
            })?;
            plan.schema.column(name).map_or_else(|| Ok(column.clone()), |planned| fitted(planned, column))
        };
        let columns: Vec<TypedColumn> =
            plan.program.input_names().iter().map(column).collect::<Result<_, _>>()?;
        if let Some(other) = columns.iter().find(|other| other.values.len() != columns[0].values.len()) {
            return Err(Fault::data(format!(
                "column `{}` has {} rows, and column `{}` has {}",
                columns[0].name,
                columns[0].values.len(),
                other.name,
                other.values.len()
            )));
        }
        Ok(Data::from_columns(columns, missing, SOURCE)?)
    }
}

/// The kind of values, in messages.
fn kind(values: &ColumnValues) -> &'static str {
    match values {
        ColumnValues::Real(_) => "real",
        ColumnValues::Whole(_) | ColumnValues::Integers(_) => "whole",
        ColumnValues::Categories { .. } => "text",
        _ => "decimal",
    }
}

/// A column as a plan has it.
fn fitted(planned: &ColumnSchema, column: &TypedColumn) -> Result<TypedColumn, Fault> {
    let (name, found) = (&column.name, kind(&column.values));
    let refused = |planned: &str, advice: &str| {
        Fault::data(format!("column `{name}` is {found} in the data and {planned} in the plan: {advice}"))
            .figure("column", name.as_str())
            .figure("found", found)
            .figure("planned", planned)
    };
    data::fitted(column, planned).map_err(|unfit| match unfit {
        Unfit::Text => refused("numbers", "convert it, or plan for these data"),
        Unfit::Numbers => refused("text", "convert it, or plan for these data"),
        Unfit::Whole => refused("whole", "round it, or plan for these data"),
        Unfit::Real => refused("real", "convert it to numbers"),
        Unfit::NoDouble { row, value } => {
            refused("real", &format!("row {} is {value}, which no double is: round it", row + 1))
        }
        Unfit::NoDecimal { row, value, places } => Fault::data(format!(
            "row {} of column `{name}` is {value}, which isn't a decimal of at most {places} places: round the column",
            row + 1
        ))
        .figure("row", row + 1)
        .figure("column", name.as_str())
        .figure("value", value),
    })
}

/// Whole numbers or decimals, with as many places as the one that has most.
fn digits(name: &str, texts: &[String], missing: &[u32]) -> Result<ColumnValues, Fault> {
    let missing: Vec<usize> = missing.iter().map(|&row| row as usize).collect();
    from_digits(texts, &missing).map_err(|error| {
        let (row, why) = match error {
            NoDigits::Text { row } => (row, "which isn't a number of digits and a point".to_owned()),
            NoDigits::Places { row, .. } => {
                let taken = format!("decimals of up to {MAX_PLACES} places after the point are taken");
                (row, format!("and {taken}: round the column"))
            }
        };
        let message = format!("row {} of column `{name}` is {:?}, {why}", row + 1, texts[row]);
        Fault::data(message).figure("column", name).figure("row", row + 1)
    })
}
