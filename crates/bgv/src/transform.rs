//! Encoded diagonals of linear transforms.

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level, Norm, PlaintextError, diagonal_slots};
use asanoha_ring::Basis;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::{BgvError, BgvParams, Encoder, ciphertext::same_params};

/// The diagonals of a linear transform, for ciphertexts of one level and those below.
#[derive(Clone, Debug)]
pub struct BgvTransform {
    /// The polynomials, with coefficients in (−t/2, t/2].
    pub(crate) sum: DiagonalSum,
    /// The sum of their canonical norms, rounded up.
    pub norm: Norm,
    params: BgvParams,
}

impl BgvTransform {
    /// The rotations.
    pub fn steps(&self) -> &DiagonalSteps {
        self.sum.steps()
    }

    /// The highest level of ciphertexts that it serves.
    pub fn level(&self) -> Level {
        self.sum.level()
    }

    /// Bytes of the diagonals in memory.
    pub fn bytes(&self) -> usize {
        self.sum.bytes()
    }

    /// Refuses a transform of other parameters.
    pub(crate) fn of(&self, params: &BgvParams) -> Result<(), BgvError> {
        same_params(params, &self.params)
    }
}

impl Encoder {
    /// Encodes the diagonals of Σ_d diagonal_d ⊙ rot_d(v), for all offsets d that the steps make: values in (−t/2, t/2],
    /// repeated over all slots.
    ///
    /// # Errors
    /// [`BgvError::NoSlots`], [`BgvError::LevelTooHigh`]; [`BgvError::Plaintext`] for values outside or a diagonal whose
    /// length doesn't divide a row's.
    pub fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        diagonal: impl Fn(usize) -> Vec<BigInt> + Sync,
    ) -> Result<BgvTransform, BgvError> {
        self.check_level(level)?;
        let params = self.params.clone();
        let space = params.space();
        let row = space.row_slots().ok_or(BgvError::NoSlots)?;
        let encode = |basis: &Basis, giant, baby| {
            let diagonal = diagonal(giant + baby);
            if diagonal.is_empty() || !row.is_multiple_of(diagonal.len()) {
                let (found, values) = (diagonal.len(), row);
                return Err(PlaintextError::TooManyValues { found, values }.into());
            }
            let words: Option<Vec<i64>> = diagonal.iter().map(ToPrimitive::to_i64).collect();
            let plain = match words {
                Some(words) => space.encode_words(&diagonal_slots(&words, giant, space.values())),
                None => space.encode(&diagonal_slots(&diagonal, giant, space.values())),
            }?;
            Ok::<_, BgvError>((space.lift(&plain, basis).into_evaluation(), space.norm(&plain)))
        };
        let (sum, norms) = DiagonalSum::encode(params.rlwe(), steps, level, encode)?;
        Ok(BgvTransform { sum, norm: norms.into_iter().sum(), params })
    }
}
