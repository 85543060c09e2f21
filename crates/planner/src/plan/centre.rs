//! Which columns are encrypted less a constant that only the client knows.

use asanoha_backends::GenerateError;
use asanoha_numeric::number;
use num_rational::BigRational;

use crate::{
    data::{Centre, Range, Schema},
    precision::Precision,
    program::{Centring, Finish, Program, centring},
};

/// Columns are centred whose values are so many bits larger than the data are wide: a variance loses twice as many.
const LEAST_BITS: i64 = 3;

/// The room that a half of a width has, as log2 of a part of it.
const ROOM: i64 = -40;

/// A schema for approximate arithmetic: columns whose values are far from 0 and near to each other are less a constant that stays
/// with the client, where a program allows it and results become nearer.
///
/// # Errors
/// Moments that would be lost without, of columns that another output needs as they are.
pub(super) fn centred(
    program: &Program,
    schema: &Schema,
    precision: Precision,
) -> Result<Schema, GenerateError> {
    let mut centred = without_widths(schema);
    let has_least_squares = program.finished().iter().any(|of| of.function == Finish::LeastSquares);
    let read = |name: &String| program.input_names().contains(name);
    for (column, known) in centred.columns.iter_mut().zip(&schema.columns) {
        if !read(&known.name) {
            continue;
        }
        let is_declared = known.half_width.is_none();
        let Some(half_width) = known.half_width.clone().or_else(|| half_width(&known.range)) else {
            continue;
        };
        let bits = |range: &Range| range.log2_bound().unwrap_or(i64::MIN);
        let narrow = Range::between(-&half_width, half_width);
        let saved = bits(&known.range).saturating_sub(bits(&narrow));
        if saved < LEAST_BITS {
            continue;
        }
        match centring(program, &known.name, schema.rows) {
            // Parts of the rows have constants of their own, whose least squares aren't merged.
            Centring::Useful if is_declared && has_least_squares => {}
            Centring::Useful => column.centre(Centre::Secret, &narrow),
            Centring::Impossible { output, moment: Some(moment) }
                if !is_declared && is_lost(saved, precision) =>
            {
                return Err(GenerateError::NeedsCentre { column: known.name.clone(), output, moment });
            }
            Centring::Pointless | Centring::Impossible { .. } => {}
        }
    }
    Ok(centred)
}

/// The largest distance of values of a declared range from the middle of the data: a power of two that leaves the middle room to be
/// rounded in.
fn half_width(range: &Range) -> Option<BigRational> {
    let half = (range.hi() - range.lo()) / BigRational::from_integer(2.into());
    number::log2_ceil(&(&half + &half * number::power_of_two(ROOM))).map(number::power_of_two)
}

/// Whether nothing would be left of a moment at a precision: twice the bits are lost that a column is larger than wide.
fn is_lost(saved: i64, precision: Precision) -> bool {
    matches!(precision, Precision::Relative { bits } if 2 * saved >= i64::from(bits))
}

/// The schema without what isn't public of data at hand.
pub(super) fn without_widths(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    schema.columns.iter_mut().for_each(|column| column.half_width = None);
    schema
}
