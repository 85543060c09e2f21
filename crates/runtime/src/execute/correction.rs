//! What the client knows of its inputs and corrects decrypted outputs by: its own constants and its canaries.

use std::borrow::Cow;

use asanoha_numeric::number;
use num_rational::BigRational;
use num_traits::Signed;

use super::{
    canaries::Canaries, canary_error::CanaryError, encrypted::Encrypted, error::ExecuteError,
    input_secrets::InputSecrets, reencryption_counts::check_rotations,
};
use crate::{
    data::Schema,
    plan::Plan,
    precision::PLAIN,
    program::{Number, Outputs, RangeError, RowUse, Values, ranges},
};

/// Corrections of a plan's outputs.
pub(super) struct Corrections<'a> {
    /// The schema of the data, without canaries.
    pub(super) schema: Cow<'a, Schema>,
    /// By how much the outputs are less than the right ones.
    pub(super) shifts: Vec<BigRational>,
    canaries: Option<(&'a Canaries, Vec<RowUse>)>,
}

impl<'a> Corrections<'a> {
    /// Of outputs that were computed from all rows, canaries included.
    ///
    /// # Errors
    /// Results that were re-encrypted another number of times than the client replaced its keys, constants that aren't there, and canaries of
    /// another plan.
    pub(super) fn new(
        plan: &'a Plan,
        encrypted: &Encrypted,
        inputs: &'a InputSecrets,
    ) -> Result<Self, ExecuteError> {
        check_rotations(encrypted.reencryptions, inputs.rotations)?;
        let with_uses = |canaries: &'a Canaries| Ok::<_, CanaryError>((canaries, canaries.row_uses(plan)?));
        let canaries = inputs.canaries.as_ref().map(with_uses).transpose()?;
        let mut schema = Cow::Borrowed(&plan.schema);
        if let Some((canaries, _)) = &canaries {
            schema.to_mut().rows -= canaries.count();
        }
        let shifts = inputs.centres.shifts(&plan.program, &plan.schema, schema.rows)?;
        Ok(Self { schema, shifts, canaries })
    }

    /// Counts the rows of an error as the data have them: without the canaries before them.
    pub(super) fn of_data(&self, error: ExecuteError) -> ExecuteError {
        let Some((canaries, _)) = &self.canaries else { return error };
        let ExecuteError::Altered(mut altered) = error else { return error };
        let without = |row: usize| row - canaries.places().iter().filter(|&&place| place + 1 < row).count();
        altered.place.rows = altered.place.rows.map(|(first, last)| (without(first), without(last)));
        altered.into()
    }

    /// Whether there are canaries.
    pub(super) fn have_canaries(&self) -> bool {
        self.canaries.is_some()
    }

    /// Checks the results of the canaries, and takes them out of all outputs. `errors` bound the outputs' errors and become those of
    /// what is left; `plain_errors` bound those of the canaries' expected results.
    ///
    /// # Errors
    /// Canaries with wrong results.
    pub(super) fn remove_canaries<T: Number>(
        &self,
        outputs: &mut Outputs<T>,
        errors: &mut [f64],
        plain_errors: &[f64],
    ) -> Result<(), CanaryError> {
        let Some((canaries, uses)) = &self.canaries else { return Ok(()) };
        let allowed: Vec<f64> = errors.iter().zip(plain_errors).map(|(error, plain)| error + plain).collect();
        check(canaries, outputs, &allowed)?;
        let rows = [self.schema.rows, canaries.count()];
        for (at, ((_, values), error)) in outputs.iter_mut().zip(errors).enumerate() {
            match values {
                Values::Column(values) => {
                    let (mut row, mut places) = (0, canaries.places().iter().peekable());
                    values.retain(|_| {
                        row += 1;
                        places.next_if_eq(&&(row - 1)).is_none()
                    });
                }
                Values::Number(total) => {
                    *error = allowed[at] * uses[at].error_factor(rows);
                    // What is no number stays none.
                    let Some(all) = total.to_exact() else { continue };
                    let right = uses[at].without(&all, &canaries.results(at)[0], rows);
                    *total = T::constant(&right);
                    let rounding = total.to_exact().map(|rounded| number::to_f64(&(rounded - right).abs()));
                    *error += rounding.unwrap_or(f64::INFINITY);
                }
                Values::Missing(_) => {}
            }
        }
        Ok(())
    }
}

/// Refuses outputs with values of canaries that are off by more than is allowed.
fn check<T: Number>(canaries: &Canaries, outputs: &Outputs<T>, allowed: &[f64]) -> Result<(), CanaryError> {
    let mut is_wrong = vec![false; canaries.count()];
    let mut first = None;
    for (at, ((name, values), allowed)) in outputs.iter().zip(allowed).enumerate() {
        // A bound beyond all doubles says nothing.
        let (Values::Column(values), Some(allowed)) = (values, BigRational::from_float(*allowed)) else {
            continue;
        };
        let expected = canaries.places().iter().zip(canaries.results(at));
        for ((&place, expected), is_wrong) in expected.zip(&mut is_wrong) {
            let off = values[place].to_exact().map(|found| (found - expected).abs());
            if off.is_none_or(|off| off > allowed) {
                *is_wrong = true;
                first = first.or(Some(name));
            }
        }
    }
    let Some(output) = first else { return Ok(()) };
    let wrong = is_wrong.iter().filter(|&&is_wrong| is_wrong).count();
    Err(CanaryError::Wrong { wrong, canaries: canaries.count(), output: output.clone() })
}

/// How far expected results of canaries that double precision gives may be off, for each output.
pub(super) fn plain_errors(plan: &Plan) -> Result<Vec<f64>, RangeError> {
    let ranges = ranges(&plan.program, &plan.schema)?;
    Ok(plan.program.outputs().iter().map(|(_, id)| PLAIN.tolerance(&ranges[id.0])).collect())
}
