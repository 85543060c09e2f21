//! Columns out of arrays.

use asanoha::{
    data::{ColumnSchema, ColumnValues, Data, MAX_PLACES, Missing, TypedColumn},
    plan::Plan,
    program::parse_number,
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Pow;
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
    pub fn add_digits(&mut self, name: String, values: Vec<String>, missing: &[u32]) -> Result<(), JsValue> {
        let values = digits(&name, values, missing)?;
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

/// A column as a plan has it: integers where it has real numbers, and floats where it has decimals that they are.
fn fitted(planned: &ColumnSchema, column: &TypedColumn) -> Result<TypedColumn, Fault> {
    let name = &column.name;
    let found = kind(&column.values);
    let refused = |planned: &str, advice: &str| {
        Fault::data(format!("column `{name}` is {found} in the data and {planned} in the plan: {advice}"))
            .figure("column", name.as_str())
            .figure("found", found)
            .figure("planned", planned)
    };
    if (found == "text") == planned.categories.is_empty() {
        let planned = if found == "text" { "numbers" } else { "text" };
        return Err(refused(planned, "convert it, or plan for these data"));
    }
    let is_real = !planned.whole && planned.places == 0;
    let values = match &column.values {
        ColumnValues::Real(values) if planned.places > 0 => {
            decimals_of(name, values, planned.places, &column.missing)?
        }
        ColumnValues::Whole(values) if is_real => {
            const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
            if let Some(at) = values.iter().position(|value| value.unsigned_abs() > EXACT) {
                let advice = format!("row {} is {}, which no double is: round it", at + 1, values[at]);
                return Err(refused("real", &advice));
            }
            ColumnValues::Real(values.iter().map(|&value| value as f64).collect())
        }
        ColumnValues::Real(_) | ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. }
            if planned.whole =>
        {
            return Err(refused("whole", "round it, or plan for these data"));
        }
        ColumnValues::Integers(_) | ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. }
            if is_real =>
        {
            return Err(refused("real", "convert it to numbers"));
        }
        other => other.clone(),
    };
    Ok(TypedColumn { name: name.clone(), values, missing: column.missing.clone() })
}

/// Whole numbers or decimals, with as many places as the one that has most.
fn digits(name: &str, texts: Vec<String>, missing: &[u32]) -> Result<ColumnValues, Fault> {
    let places = |text: &String| text.split_once('.').map_or(0, |(_, places)| places.len());
    let most = texts.iter().map(places).max().unwrap_or(0);
    let refused = |at: usize, text: &str, why: &str| {
        let message = format!("row {} of column `{name}` is {text:?}, {why}", at + 1);
        Fault::data(message).figure("column", name).figure("row", at + 1)
    };
    if most > MAX_PLACES as usize {
        let at = texts.iter().position(|text| places(text) == most).unwrap_or(0);
        return Err(refused(
            at,
            &texts[at],
            &format!("and decimals of up to {MAX_PLACES} places after the point are taken: round the column"),
        ));
    }
    let power: BigInt = Pow::pow(BigInt::from(10), most as u32);
    let value = |(at, text): (usize, String)| match parse_number(&text) {
        Some(value) => Ok((value * &power).to_integer()),
        None if missing.binary_search(&(at as u32)).is_ok() => Ok(BigInt::ZERO),
        None => Err(refused(at, &text, "which isn't a number of digits and a point")),
    };
    let values: Vec<BigInt> = texts.into_iter().enumerate().map(value).collect::<Result<_, _>>()?;
    Ok(match most {
        0 => ColumnValues::Integers(values),
        places => ColumnValues::WideDecimal { values, places: places as u32 },
    })
}

/// Floats that are decimals of so many places: their shortest decimals.
fn decimals_of(name: &str, values: &[f64], places: u32, missing: &[usize]) -> Result<ColumnValues, Fault> {
    let power: BigInt = Pow::pow(BigInt::from(10), places);
    let digits = |(at, value): (usize, &f64)| {
        let exact = parse_number(&value.to_string()).map(|exact: BigRational| exact * &power);
        match exact.filter(BigRational::is_integer) {
            Some(digits) => Ok(digits.to_integer()),
            None if missing.binary_search(&at).is_ok() => Ok(BigInt::ZERO),
            None => Err(Fault::data(format!(
                "row {} of column `{name}` is {value}, which isn't a decimal of at most {places} places: round the column",
                at + 1
            ))
            .figure("row", at + 1)
            .figure("column", name)
            .figure("value", *value)),
        }
    };
    let values = values.iter().enumerate().map(digits).collect::<Result<_, _>>()?;
    Ok(ColumnValues::WideDecimal { values, places })
}
