//! Results of all rows out of those of parts of the rows, which were encrypted and evaluated on their own.

use asanoha_backends::{DecryptionKey, Noise, Progress};
use asanoha_numeric::number;
use asanoha_numeric::uncertain::rounded_up;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use thiserror::Error;

use super::{
    Centres,
    collect::{Collected, Numbers},
    decrypted::{Decrypted, largest},
    encrypted::Encrypted,
    error::ExecuteError,
    input_secrets::InputSecrets,
    run::collect,
};
use crate::{
    data::Schema,
    plan::Plan,
    program::{Extreme, Finish, NoValue, NodeId, Number, Outputs, RowUse, Values, row_uses, shift_all},
};

/// Why results of parts of the rows can't be merged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// An output that depends on several rows in another way than a sum, a mean or an extreme.
    #[error("output `{output}` of all rows can't be computed from its values for parts of the rows")]
    Aggregate {
        /// The output.
        output: String,
    },
    /// Products of columns that are less another constant in each part.
    #[error(
        "output `{output}` is computed from products of columns, which each part of the rows has less a secret constant of its own"
    )]
    Centred {
        /// The output.
        output: String,
    },
    /// No parts.
    #[error("there are no parts of the rows to merge the results of")]
    NoParts,
    /// Parts that aren't results of the plan.
    #[error("a part of the rows has results of another plan")]
    OtherPlan,
}

/// The decrypted results of a part of the rows, from which [`Merging::merge`] computes those of all rows.
#[derive(Clone, Debug)]
pub struct Part {
    rows: usize,
    collected: Collected,
    /// By how much the values are less than the right ones.
    shifts: Vec<BigRational>,
}

impl Part {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The results of this part alone.
    pub fn finish(self, plan: &Plan) -> Decrypted {
        let schema = Schema { rows: self.rows, ..plan.schema.clone() };
        self.collected.finish(plan, &schema, &self.shifts)
    }
}

/// Decrypts the results of a part of the rows, for the key's holder. `plan` is the one for the rows of this part
/// ([`Plan::for_rows`]).
///
/// # Errors
/// Those of [`super::decrypt_with_progress`].
pub fn decrypt_part(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    inputs: &InputSecrets,
    progress: Progress,
) -> Result<Part, ExecuteError> {
    let (mut collected, corrections) = collect(plan, secret, (encrypted, inputs), progress)?;
    if let (Numbers::Real(outputs, errors), Some(planned)) = (&mut collected.numbers, plan.output_errors()) {
        // Reports state no smaller bounds than the plan does.
        let shown = plan.program.shown_outputs().len();
        for (((_, values), error), planned) in outputs.iter().zip(errors).zip(planned).take(shown) {
            if *error > f64::EPSILON * largest(values.as_slice()) {
                *error = error.max(planned);
            }
        }
    }
    let rows = corrections.schema.rows;
    Ok(Part { rows, collected, shifts: corrections.shifts })
}

/// How the results of all rows are made of those of parts of the rows.
#[derive(Clone, Debug)]
pub struct Merging {
    outputs: Vec<How>,
}

/// How an encrypted output of all rows is made of those of parts.
#[derive(Clone, Debug)]
enum How {
    /// One after the other.
    Rows,
    /// By addition; each contains this constant.
    Sum(BigRational),
    /// By addition of their multiples by the rows; each contains this constant.
    Mean(BigRational),
    /// The least or the largest of all.
    Extreme(Extreme),
}

impl Merging {
    /// For a plan's outputs. `extremes` are those of the program before it was planned
    /// ([`extremes`](crate::program::extremes())).
    ///
    /// # Errors
    /// Outputs that can't be merged.
    pub fn of(plan: &Plan, extremes: &[(String, Extreme)]) -> Result<Self, MergeError> {
        let uses = row_uses(&plan.program);
        let how = |(name, id): &(String, NodeId)| match &uses[id.0] {
            RowUse::Row => Ok(How::Rows),
            RowUse::Sum(constant) => Ok(How::Sum(constant.clone())),
            RowUse::Mean(constant) => Ok(How::Mean(constant.clone())),
            RowUse::Other => {
                let extreme = extremes.iter().find(|(output, _)| output == name);
                // A part is named for the output that it's a part of.
                let shown = || name.split('.').next().unwrap_or(name).to_owned();
                extreme
                    .map(|(_, which)| How::Extreme(*which))
                    .ok_or_else(|| MergeError::Aggregate { output: shown() })
            }
        };
        let outputs = plan.program.outputs().iter().map(how).collect::<Result<_, _>>()?;
        let mut products = plan.program.finished().iter().filter(|of| of.function == Finish::LeastSquares);
        if Centres::columns(&plan.program, &plan.schema).next().is_some()
            && let Some(finished) = products.next()
        {
            return Err(MergeError::Centred { output: finished.name.clone() });
        }
        Ok(Self { outputs })
    }

    /// The results of all rows of these parts, in their order. Sums of exact values are exact; errors of other values add up.
    ///
    /// # Errors
    /// No parts, and parts of other plans.
    pub fn merge(&self, plan: &Plan, parts: Vec<Part>) -> Result<Decrypted, MergeError> {
        let schema = Schema { rows: parts.iter().map(Part::rows).sum(), ..plan.schema.clone() };
        let mut noise = Noise::NONE;
        let (mut exact, mut real) = (Vec::new(), Vec::new());
        for Part { rows, collected, shifts } in parts {
            noise = noise.worst(collected.noise);
            match collected.numbers {
                Numbers::Exact(outputs) => {
                    let errors = vec![0.0; outputs.len()];
                    exact.push(Piece { rows, outputs, errors, shifts });
                }
                Numbers::Real(outputs, errors) => real.push(Piece { rows, outputs, errors, shifts }),
            }
        }
        let numbers = match (exact.is_empty(), real.is_empty()) {
            (false, true) => Numbers::Exact(self.merged(plan, exact)?.0),
            (true, false) => {
                let (outputs, errors) = self.merged(plan, real)?;
                Numbers::Real(outputs, errors)
            }
            (true, true) => return Err(MergeError::NoParts),
            (false, false) => return Err(MergeError::OtherPlan),
        };
        let shifts = vec![BigRational::zero(); self.outputs.len()];
        Ok(Collected { numbers, noise }.finish(plan, &schema, &shifts))
    }

    /// The values of all encrypted outputs, and their errors.
    fn merged<T: Number>(
        &self,
        plan: &Plan,
        pieces: Vec<Piece<T>>,
    ) -> Result<(Outputs<T>, Vec<f64>), MergeError> {
        let names: Vec<&String> = plan.program.outputs().iter().map(|(name, _)| name).collect();
        let mut merged: Vec<Merged<T>> = self.outputs.iter().map(Merged::nothing).collect();
        for Piece { rows, outputs, errors, shifts } in pieces {
            if outputs.len() != names.len() || outputs.iter().zip(&names).any(|((a, _), b)| a != *b) {
                return Err(MergeError::OtherPlan);
            }
            let outputs = outputs.into_iter().map(|(_, values)| values).zip(errors).zip(&shifts);
            for (merged, ((values, error), shift)) in merged.iter_mut().zip(outputs) {
                merged.add(rows, (values, error), shift)?;
            }
        }
        let ends = merged.into_iter().zip(&self.outputs).map(|(merged, how)| merged.end(how));
        let (values, errors): (Vec<_>, Vec<f64>) = ends.unzip();
        Ok((names.into_iter().cloned().zip(values).collect(), errors))
    }
}

/// A part with values of one kind.
struct Piece<T> {
    rows: usize,
    outputs: Outputs<T>,
    errors: Vec<f64>,
    shifts: Vec<BigRational>,
}

/// An output of the parts so far.
enum Merged<T> {
    /// The values and the largest error.
    Column(Vec<T>, f64),
    /// The number of each part.
    Numbers(Vec<PartNumber>),
}

/// The number of a part.
struct PartNumber {
    rows: BigRational,
    /// The value and its error; `None` if one of them is beyond all doubles.
    known: Option<(BigRational, BigRational)>,
}

impl<T: Number> Merged<T> {
    fn nothing(how: &How) -> Self {
        match how {
            How::Rows => Self::Column(Vec::new(), 0.0),
            _ => Self::Numbers(Vec::new()),
        }
    }

    /// Takes a part of so many rows, whose values are less by `shift` than the right ones.
    fn add(
        &mut self,
        rows: usize,
        (mut values, error): (Values<T>, f64),
        shift: &BigRational,
    ) -> Result<(), MergeError> {
        match self {
            Self::Column(all, largest_error) => {
                let error = error + shift_all(&mut values, shift);
                *largest_error = largest_error.max(error);
                match values {
                    Values::Column(values) => all.extend(values),
                    _ => return Err(MergeError::OtherPlan),
                }
            }
            Self::Numbers(all) => {
                let value = values.as_slice().first().and_then(Number::to_exact);
                let known = value.map(|value| value + shift).zip(BigRational::from_float(error));
                all.push(PartNumber { rows: BigRational::from_integer(BigInt::from(rows)), known });
            }
        }
        Ok(())
    }

    /// The values of all rows, and their error.
    fn end(self, how: &How) -> (Values<T>, f64) {
        let numbers = match self {
            Self::Column(values, error) => return (Values::Column(values), error),
            Self::Numbers(numbers) => numbers,
        };
        let rounded = total(how, &numbers).and_then(|(right, error)| {
            let value = T::constant(&right);
            let rounding = (value.to_exact()? - right).abs();
            Some((value, number::to_f64(&rounded_up(&(error + rounding))?)))
        });
        match rounded {
            Some((value, error)) => (Values::Number(value), error),
            None => (Values::Missing(NoValue::from("it's beyond all doubles")), f64::NAN),
        }
    }
}

/// The number of all rows and its error.
fn total(how: &How, numbers: &[PartNumber]) -> Option<(BigRational, BigRational)> {
    let known: Option<Vec<_>> = numbers.iter().map(|number| number.known.as_ref()).collect();
    let known = known?;
    let rows = || numbers.iter().map(|number| &number.rows);
    match how {
        How::Rows => None,
        How::Sum(constant) => {
            let value: BigRational = known.iter().map(|(value, _)| value - constant).sum();
            Some((value + constant, known.iter().map(|(_, error)| error).sum()))
        }
        How::Mean(constant) => {
            let all: BigRational = rows().sum();
            let weighted = |of: &dyn Fn(&(BigRational, BigRational)) -> BigRational| {
                known.iter().zip(rows()).map(|(number, rows)| of(number) * rows).sum::<BigRational>() / &all
            };
            let value = weighted(&|(value, _)| value - constant);
            Some((value + constant, weighted(&|(_, error)| error.clone())))
        }
        How::Extreme(which) => {
            let values = known.iter().map(|(value, _)| value);
            let value = match which {
                Extreme::Least => values.min(),
                Extreme::Largest => values.max(),
            };
            Some((value?.clone(), known.iter().map(|(_, error)| error).max()?.clone()))
        }
    }
}
