//! Which columns are encrypted less a constant that only the client knows.

use crate::{
    data::{Centre, Range, Schema},
    precision::Precision,
    program::{Centring, Program, centring},
};
use asanoha_backends::GenerateError;

/// Columns are centred whose values are so many bits larger than the data are wide: a variance loses twice as many.
const LEAST_BITS: i64 = 3;

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
    let read = |name: &String| program.input_names().contains(name);
    for (column, known) in centred.columns.iter_mut().zip(&schema.columns) {
        let Some(half_width) = known.half_width.as_ref().filter(|_| read(&known.name)) else { continue };
        let bits = |range: &Range| range.log2_bound().unwrap_or(i64::MIN);
        let narrow = Range::between(-half_width, half_width.clone());
        let saved = bits(&known.range).saturating_sub(bits(&narrow));
        if saved < LEAST_BITS {
            continue;
        }
        match centring(program, &known.name, schema.rows) {
            Centring::Useful => column.centre(Centre::Secret, &narrow),
            Centring::Impossible { output, moment: Some(moment) } if is_lost(saved, precision) => {
                return Err(GenerateError::NeedsCentre { column: known.name.clone(), output, moment });
            }
            Centring::Pointless | Centring::Impossible { .. } => {}
        }
    }
    Ok(centred)
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
