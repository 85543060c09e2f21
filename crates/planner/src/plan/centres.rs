//! Constants that the client takes away from its columns before encryption, and adds to results after decryption.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use num_rational::BigRational;
use serde::{Deserialize, Serialize};

use thiserror::Error;

use asanoha_compile::{CircuitInput, ViewedColumns, with_views};

use crate::{
    data::{Centre, Column, Schema, Table, TextError, less, middle},
    program::{
        Analysed, EvaluationError, MAX_CONSTANT_BITS, Outputs, Program, View, evaluate_exact_less,
        evaluate_real_less, number, shifts,
    },
};

/// Why a table can't be brought to what a plan encrypts.
#[derive(Debug, Error)]
pub enum CentreError {
    /// The table has no such column.
    #[error("the data have no column `{0}`, which the plan needs")]
    MissingColumn(String),
    /// Values that are too far apart.
    #[error(
        "the values of column `{column}` differ too much for a plan of values near each other, which are encrypted less a constant: plan for these data"
    )]
    TooWide {
        /// The column.
        column: String,
    },
    /// A column whose constant isn't known.
    #[error(
        "column `{column}` was encrypted less a constant that only the client knows, and the client's record of these inputs doesn't have it"
    )]
    NoCentre {
        /// The column.
        column: String,
    },
    /// A text that isn't planned for.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The plain computation fails.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// The secret constants of columns by their names. They stay with the client, in its record: no plan,
/// ciphertext or result file has them.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct Centres(BTreeMap<String, BigRational>);

/// The columns, and no constants.
impl fmt::Debug for Centres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl TryFrom<BTreeMap<String, String>> for Centres {
    type Error = String;

    fn try_from(texts: BTreeMap<String, String>) -> Result<Self, String> {
        let centre = |(name, text): (String, String)| {
            let value = number::parse_signed(&text, MAX_CONSTANT_BITS);
            value
                .map(|value| (name.clone(), value))
                .ok_or_else(|| format!("the centre of {name:?} is no number"))
        };
        texts.into_iter().map(centre).collect::<Result<_, _>>().map(Self)
    }
}

impl From<Centres> for BTreeMap<String, String> {
    fn from(centres: Centres) -> Self {
        centres.0.into_iter().map(|(name, value)| (name, number::format(&value))).collect()
    }
}

impl Centres {
    /// The columns of a planned program that are encrypted less a secret constant.
    pub fn columns<'a>(program: &'a Program, schema: &'a Schema) -> impl Iterator<Item = &'a String> {
        let secret = schema.columns.iter().filter(|column| column.centre == Some(Centre::Secret));
        secret.map(|column| &column.name).filter(|name| program.input_names().contains(name))
    }

    /// The constants for a planned program's secret columns, each in the middle of a table's values.
    ///
    /// # Errors
    /// Columns that aren't there, or have no middle.
    pub fn of(program: &Program, schema: &Schema, table: &Table) -> Result<Self, CentreError> {
        let centre = |name: &String| {
            let column = table.column(name).ok_or_else(|| CentreError::MissingColumn(name.clone()))?;
            let middle =
                middle(&column.values).ok_or_else(|| CentreError::TooWide { column: name.clone() })?;
            Ok((name.clone(), middle))
        };
        Self::columns(program, schema).map(centre).collect::<Result<_, CentreError>>().map(Self)
    }

    /// Whether no column has one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A table as it's encrypted: less these constants and the schema's public ones, with texts by the numbers that the schema gives them.
    ///
    /// # Errors
    /// Texts that the schema doesn't have, and values that are too far apart.
    pub fn apart<'a>(&self, schema: &Schema, table: &'a Table) -> Result<Cow<'a, Table>, CentreError> {
        let centre = |name: &str| match &schema.column(name)?.centre {
            Some(Centre::Public(value)) => Some(value),
            Some(Centre::Secret) => self.0.get(name),
            None => None,
        };
        let table = schema.numbered(table)?;
        if table.columns.iter().all(|column| centre(&column.name).is_none()) {
            return Ok(table);
        }
        let apart = |column: &Column| {
            let Some(centre) = centre(&column.name) else { return Ok(column.clone()) };
            let name = column.name.clone();
            match less(&column.values, centre) {
                Some(values) => Ok(Column { name, values }),
                None => Err(CentreError::TooWide { column: name }),
            }
        };
        let columns = table.columns.iter().map(apart).collect::<Result<_, CentreError>>()?;
        Ok(Cow::Owned(Table { columns, rows: table.rows }))
    }

    /// By how much a planned program's outputs are less than the right ones, of so many rows.
    ///
    /// # Errors
    /// Columns without a constant that the schema has one for.
    pub fn shifts(
        &self,
        program: &Program,
        schema: &Schema,
        rows: usize,
    ) -> Result<Vec<BigRational>, CentreError> {
        match Self::columns(program, schema).find(|name| !self.0.contains_key(*name)) {
            Some(column) => Err(CentreError::NoCentre { column: column.clone() }),
            None => Ok(shifts(program, &self.0, rows)),
        }
    }
}

/// The right results, exactly, of a table that could be encrypted for a program; `None` where they aren't fractions.
///
/// # Errors
/// Those of encryption and of the plain computation.
pub(super) fn plain_exact(
    program: &Program,
    schema: &Schema,
    table: &Table,
) -> Result<Option<Outputs<BigRational>>, CentreError> {
    let centres = Centres::of(program, schema, table)?;
    let table = centres.apart(schema, table)?;
    with_conditions(program, schema, &table, |program, table| evaluate_exact_less(program, table, &centres.0))
}

/// The right results in double precision, of a table that could be encrypted for a program: computed on what is encrypted, so
/// that no digits are lost of moments of large numbers.
///
/// # Errors
/// Those of encryption and of the plain computation.
pub(super) fn plain_real(
    program: &Program,
    schema: &Schema,
    table: &Table,
) -> Result<Outputs<f64>, CentreError> {
    let centres = Centres::of(program, schema, table)?;
    let table = centres.apart(schema, table)?;
    with_conditions(program, schema, &table, |program, table| evaluate_real_less(program, table, &centres.0))
}

/// Evaluates a program with the conditions of real columns as columns of their own: doubles don't tell whether 100 · 0.57 is 57.
fn with_conditions<T>(
    program: &Program,
    schema: &Schema,
    table: &Table,
    evaluate: impl Fn(&Program, &Table) -> Result<T, EvaluationError>,
) -> Result<T, CentreError> {
    let analysed = Analysed::new(program, schema).ok();
    let viewed = analysed.as_ref().and_then(|analysed| with_views(analysed, ViewedColumns::Real).ok());
    let Some(viewed) = viewed.filter(|viewed| !viewed.views().is_empty()) else {
        return Ok(evaluate(program, table)?);
    };
    let mut columns = table.columns.clone();
    for View { name, column, program } in viewed.views() {
        let values = &table.column(column).ok_or_else(|| CentreError::MissingColumn(column.clone()))?.values;
        let input = CircuitInput { column: column.clone(), view: Some(program.clone()) };
        if let Some(values) = input.values(values)? {
            columns.push(Column { name: name.clone(), values });
        }
    }
    Ok(evaluate(viewed.program(), &Table { columns, rows: table.rows })?)
}
