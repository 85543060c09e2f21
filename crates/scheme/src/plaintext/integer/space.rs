//! Plaintext spaces and their encoders.

use std::{hint::select_unpredictable, sync::Arc};

use asanoha_kernels::{Kernels, Modulus};
use asanoha_lattice::{Embedding, Norm};
use asanoha_ring::{Backend, Coefficient, GaloisElement, Poly, RelativeSize, WideModulus};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    MAX_PLAINTEXT_BITS, PlaintextError,
    factors::distinct_primes,
    next_batching_prime,
    slots::{SlotTransform, VALUES},
};

/// What the numbers of a plaintext are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// Values at roots of unity: sums, products and rotations act slot by slot.
    Slots,
    /// Coefficients: sums act coefficient by coefficient, products are those of polynomials modulo X^N + 1.
    Coefficients,
    /// One number, the constant coefficient: sums and products are those modulo t, whatever t is.
    Constant,
}

/// The plaintext space of a ring degree N and a modulus t, with its encoders. Cloning shares the tables.
///
/// Let M ≤ N be the greatest power of two with p ≡ 1 modulo 2M for every prime factor p of t, all of them distinct; t
/// then has M slots: with Y = X^(N/M) and ψ of order 2M modulo t, slot j of the first row of a polynomial m(Y) is
/// m(ψ^(5^j)), slot j of the second m(ψ^(−5^j)). Sums and products of polynomials are those of the slots; X → X^(5^k)
/// rotates both rows of M/2 slots to the left by k, and X → X^−1 swaps them. So 65537 has all N slots up to N = 2^15,
/// 257 has 128, 17 has 8, and 2, 67 and the primes of most curves have one, the whole ring Z_t.
/// Source: Smart, Vercauteren 2014; Gentry, Halevi, Smart 2012.
#[derive(Clone)]
pub struct PlaintextSpace(Arc<Inner>);

struct Inner {
    ring_degree: usize,
    modulus: WideModulus,
    /// t and the loops for it, where it's odd and has at most 61 bits.
    word: Option<(Modulus, &'static Kernels)>,
    encoding: Encoding,
    slots: Option<SlotTransform>,
    embedding: Embedding,
}

impl std::fmt::Debug for PlaintextSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlaintextSpace")
            .field("ring_degree", &self.0.ring_degree)
            .field("modulus", self.modulus())
            .field("encoding", &self.0.encoding)
            .field("values", &self.values())
            .finish_non_exhaustive()
    }
}

/// A polynomial modulo t: N rows, each of as many words as t has, in [0, t).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainPoly {
    rows: Vec<u64>,
}

impl PlainPoly {
    /// The coefficients in [0, t), row after row of little-endian words.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }
}

impl PlaintextSpace {
    /// The space of a ring degree (a power of two) and a modulus of any size from 2 on.
    ///
    /// `factors` are t's prime factors, where it has slots although it isn't prime; they may be left out (empty) for
    /// primes and for t of at most 64 bits. Without a wish for an encoding it's slots where t has more than one, else
    /// coefficients.
    ///
    /// # Errors
    /// [`PlaintextError::Modulus`], [`PlaintextError::TooWide`], [`PlaintextError::Factors`]; [`PlaintextError::NotBatching`] if slots are asked and
    /// t isn't known to be a product of distinct primes.
    ///
    /// # Panics
    /// If the ring degree isn't a power of two.
    pub fn new(
        ring_degree: usize,
        modulus: &BigUint,
        factors: &[BigUint],
        encoding: Option<Encoding>,
        backend: Backend,
    ) -> Result<Self, PlaintextError> {
        if modulus.bits() > MAX_PLAINTEXT_BITS {
            return Err(PlaintextError::TooWide { bits: modulus.bits() });
        }
        let wide = WideModulus::new(modulus).ok_or_else(|| PlaintextError::Modulus(modulus.clone()))?;
        if encoding == Some(Encoding::Constant) {
            let slots = SlotTransform::constant(ring_degree, &wide);
            return Ok(Self::with_slots(ring_degree, wide, Some((slots, Encoding::Constant)), backend));
        }
        // Several slots need prime factors that are all 1 modulo 4, and one isn't worth a whole polynomial unless it's
        // asked for.
        let worthwhile = encoding.is_none() && modulus % 4u32 == BigUint::one();
        let primes = if worthwhile || encoding == Some(Encoding::Slots) || !factors.is_empty() {
            distinct_primes(modulus, factors)?
        } else {
            None
        };
        let slots = match (encoding, primes) {
            (Some(Encoding::Slots | Encoding::Constant), None) => {
                return Err(PlaintextError::not_batching(modulus, ring_degree));
            }
            (Some(Encoding::Coefficients), _) | (None, None) => None,
            (_, Some(primes)) => Some(SlotTransform::new(ring_degree, &wide, &primes, backend))
                .filter(|slots| encoding.is_some() || slots.count() > 1),
        };
        let slots = slots.map(|slots| (slots, Encoding::Slots));
        Ok(Self::with_slots(ring_degree, wide, slots, backend))
    }

    /// The space of a ring degree and a modulus whose sums and products are those of numbers: slots where the modulus has several, else
    /// [`Encoding::Constant`].
    ///
    /// # Errors
    /// The errors of [`PlaintextSpace::new`].
    ///
    /// # Panics
    /// If the ring degree isn't a power of two.
    pub fn of_numbers(
        ring_degree: usize,
        modulus: &BigUint,
        backend: Backend,
    ) -> Result<Self, PlaintextError> {
        let space = Self::new(ring_degree, modulus, &[], None, backend)?;
        match space.encoding() {
            Encoding::Coefficients => Self::new(ring_degree, modulus, &[], Some(Encoding::Constant), backend),
            _ => Ok(space),
        }
    }

    /// The space of the nearest prime above an integer that has all N slots, if it has at most so many bits: that of
    /// [`next_batching_prime`], which is known to be one and isn't tested again.
    ///
    /// # Panics
    /// If the ring degree isn't a power of two.
    pub fn of_prime_above(
        ring_degree: usize,
        least: &BigUint,
        most_bits: u64,
        backend: Backend,
    ) -> Option<Self> {
        let prime = next_batching_prime(least, ring_degree);
        let prime = prime.filter(|prime| prime.bits() <= most_bits.min(MAX_PLAINTEXT_BITS))?;
        let wide = WideModulus::new(&prime)?;
        let slots = SlotTransform::new(ring_degree, &wide, &[prime], backend);
        Some(Self::with_slots(ring_degree, wide, Some((slots, Encoding::Slots)), backend))
    }

    fn with_slots(
        ring_degree: usize,
        modulus: WideModulus,
        slots: Option<(SlotTransform, Encoding)>,
        backend: Backend,
    ) -> Self {
        assert!(ring_degree.is_power_of_two());
        let (slots, encoding) = match slots {
            Some((slots, encoding)) => (Some(slots), encoding),
            None => (None, Encoding::Coefficients),
        };
        let word = modulus.value().to_u64().and_then(|t| Modulus::new(t).ok());
        Self(Arc::new(Inner {
            ring_degree,
            modulus,
            word: word.map(|t| (t, backend.kernels(t.bits()))),
            encoding,
            slots,
            embedding: Embedding::new(ring_degree),
        }))
    }

    /// Whether it's of a ring degree, a modulus and an encoding, if one is wished for.
    pub fn is_of(&self, ring_degree: usize, modulus: &BigUint, encoding: Option<Encoding>) -> bool {
        self.0.ring_degree == ring_degree
            && self.modulus() == modulus
            && encoding.is_none_or(|encoding| encoding == self.0.encoding)
    }

    /// The space of the polynomials in X^(N/2n), whose slots repeat after n in every row: encoding there is as much cheaper as
    /// it is smaller. `None` unless there are slots, and n is a power of two up to a row.
    pub fn repeating(&self, period: usize, backend: Backend) -> Option<Self> {
        let factors = self.0.slots.as_ref()?.factors();
        let fits =
            self.0.encoding == Encoding::Slots && period.is_power_of_two() && period <= self.row_slots()?;
        let space = || Self::new(2 * period, self.modulus(), &factors, Some(Encoding::Slots), backend);
        fits.then(|| space().expect("the factors are known and give as many slots"))
    }

    /// The polynomial m(X^(N/n)) for a polynomial m of n coefficients.
    pub fn spread(&self, plain: &PlainPoly) -> PlainPoly {
        let (limbs, mut rows) =
            (self.0.modulus.limbs(), vec![0; self.0.ring_degree * self.0.modulus.limbs()]);
        let stride = rows.len() / plain.rows.len() * limbs;
        for (out, row) in rows.chunks_exact_mut(stride).zip(plain.rows.chunks_exact(limbs)) {
            out[..limbs].copy_from_slice(row);
        }
        PlainPoly { rows }
    }

    /// The number of coefficients N.
    pub fn ring_degree(&self) -> usize {
        self.0.ring_degree
    }

    /// The modulus t.
    pub fn modulus(&self) -> &BigUint {
        self.0.modulus.value()
    }

    /// The modulus with what reduction needs.
    pub fn wide_modulus(&self) -> &WideModulus {
        &self.0.modulus
    }

    /// What the numbers of a plaintext are.
    pub fn encoding(&self) -> Encoding {
        self.0.encoding
    }

    /// How many numbers a plaintext has: M slots or N coefficients.
    pub fn values(&self) -> usize {
        self.0.slots.as_ref().map_or(self.0.ring_degree, SlotTransform::count)
    }

    /// The number of slots of a row, M/2 (1 where M is 1, and the rows are one); none for coefficients.
    pub fn row_slots(&self) -> Option<usize> {
        self.0.slots.as_ref().map(|slots| (slots.count() / 2).max(1))
    }

    /// The automorphism that rotates the rows to the left, for any number of places; none for coefficients.
    pub fn rotation(&self, places: i64) -> Option<GaloisElement> {
        let row = self.row_slots()? as i64;
        Some(GaloisElement::rotation(self.0.ring_degree, places.rem_euclid(row)))
    }

    /// The automorphism that swaps the rows, the identity where there is one slot; none for coefficients.
    pub fn row_swap(&self) -> Option<GaloisElement> {
        let slots = self.0.slots.as_ref()?.count();
        Some(if slots == 1 { GaloisElement(1) } else { GaloisElement::conjugation(self.0.ring_degree) })
    }

    /// The largest centred value, ⌊t/2⌋.
    pub fn largest_value(&self) -> BigInt {
        BigInt::from(self.modulus() >> 1u32)
    }

    /// The smallest centred value, −⌊(t − 1)/2⌋.
    pub fn smallest_value(&self) -> BigInt {
        -BigInt::from((self.modulus() - 1u32) >> 1u32)
    }

    /// The centred polynomial in (−t/2, t/2] modulo the primes of a basis.
    pub fn lift(&self, plain: &PlainPoly, basis: &asanoha_ring::Basis) -> Poly<Coefficient> {
        match &self.0.word {
            Some((t, _)) => {
                let centred: Vec<i64> = plain.rows.iter().map(|&word| t.centre(word)).collect();
                Poly::from_small(basis, &centred)
            }
            None => Poly::from_rows(basis, &plain.rows, &self.0.modulus),
        }
    }

    /// The polynomial centred modulo its primes' product Q, modulo t. Exact but next to ±Q/2, in double precision.
    pub fn reduce(&self, x: Poly<Coefficient>) -> PlainPoly {
        PlainPoly { rows: x.into_rows(&self.0.modulus) }
    }

    /// As [`Self::reduce`], times a factor; and the size of the coefficients before that.
    pub fn reduce_scaled(&self, x: Poly<Coefficient>, factor: &BigUint) -> (PlainPoly, RelativeSize) {
        let summands = x.into_scaled_summands(&self.0.modulus, factor);
        let size = summands.relative_size();
        (PlainPoly { rows: summands.into_rows(&self.0.modulus) }, size)
    }

    /// The polynomial times an integer, modulo t.
    pub fn scale(&self, plain: &PlainPoly, factor: &BigInt) -> PlainPoly {
        let mut rows = plain.rows.clone();
        let factor = self.0.modulus.residue(factor);
        match &self.0.word {
            Some((t, kernels)) => {
                let factor = t.shoup(factor.to_u64().expect("below a word-sized modulus"));
                (kernels.mul_scalar_assign)(&mut rows, factor, t);
            }
            None => self.0.modulus.scale(&mut rows, &factor),
        }
        PlainPoly { rows }
    }

    /// The canonical norm of the centred polynomial, rounded up.
    pub fn norm(&self, plain: &PlainPoly) -> Norm {
        let t = &self.0.modulus;
        // In units of 2^exponent: doubles end long before the coefficients do.
        let exponent = self.modulus().bits();
        let values: Vec<f64> = match &self.0.word {
            Some((t, _)) => {
                let unit = (-(exponent as f64)).exp2();
                plain.rows.iter().map(|&word| t.centre(word) as f64 * unit).collect()
            }
            None => {
                plain.rows.chunks_exact(t.limbs()).map(|row| scaled_down(&t.centred(row), exponent)).collect()
            }
        };
        Norm::from(self.0.embedding.norm(&values)) * Norm::from_log2(exponent as f64)
    }

    /// Encodes numbers in (−t/2, t/2], missing ones as zero: slots, the first row first, or coefficients.
    ///
    /// # Errors
    /// [`PlaintextError::TooManyValues`], [`PlaintextError::ValueOutOfRange`].
    pub fn encode(&self, values: &[BigInt]) -> Result<PlainPoly, PlaintextError> {
        let (smallest, largest) = (self.smallest_value(), self.largest_value());
        let outside = values.iter().position(|value| *value < smallest || *value > largest);
        self.check(values.len(), outside.map(|at| (at, values[at].clone())), || (smallest, largest))?;
        Ok(self.encode_rows(values, |value| self.0.modulus.row(value)))
    }

    /// Encodes numbers in [0, t); see [`PlaintextSpace::encode`].
    ///
    /// # Errors
    /// [`PlaintextError::TooManyValues`], [`PlaintextError::ValueOutOfRange`].
    pub fn encode_unsigned(&self, values: &[BigUint]) -> Result<PlainPoly, PlaintextError> {
        let outside = values.iter().position(|value| value >= self.modulus());
        let range = || (BigInt::ZERO, BigInt::from(self.modulus() - 1u32));
        self.check(values.len(), outside.map(|at| (at, values[at].clone().into())), range)?;
        Ok(self.encode_rows(values, |value| self.0.modulus.row(&value.clone().into())))
    }

    /// Encodes words in (−t/2, t/2]; see [`PlaintextSpace::encode`].
    ///
    /// # Errors
    /// [`PlaintextError::TooManyValues`], [`PlaintextError::ValueOutOfRange`].
    pub fn encode_words(&self, values: &[i64]) -> Result<PlainPoly, PlaintextError> {
        let (smallest, largest) = (self.smallest_value(), self.largest_value());
        // Bounds beyond a word hold all words.
        let least = smallest.to_i64().unwrap_or(i64::MIN);
        let greatest = largest.to_i64().unwrap_or(i64::MAX);
        let outside = values.iter().position(|value| !(least..=greatest).contains(value));
        self.check(values.len(), outside.map(|at| (at, values[at].into())), || (smallest, largest))?;
        Ok(match self.modulus().to_u64() {
            // t is added to negative words: all ones where the sign bit is set.
            Some(t) => {
                self.encode_rows(values, |&value| [(value as u64).wrapping_add(t & (value >> 63) as u64)])
            }
            None => self.encode_rows(values, |&value| self.0.modulus.row(&value.into())),
        })
    }

    /// The plaintext of one number, modulo t: the constant polynomial, which holds it in all slots.
    pub fn constant(&self, value: &BigInt) -> PlainPoly {
        let row = self.0.modulus.row(value);
        let mut rows = vec![0; self.ring_degree() * row.len()];
        rows[..row.len()].copy_from_slice(&row);
        PlainPoly { rows }
    }

    /// The numbers of a plaintext in (−t/2, t/2].
    pub fn decode(&self, plain: PlainPoly) -> Vec<BigInt> {
        self.decode_rows(plain, |row| self.0.modulus.centred(row))
    }

    /// The numbers of a plaintext in [0, t).
    pub fn decode_unsigned(&self, plain: PlainPoly) -> Vec<BigUint> {
        self.decode_rows(plain, |row| self.0.modulus.integer(row))
    }

    /// The numbers of a plaintext in (−t/2, t/2] as words; `None` for t of more than 64 bits.
    pub fn decode_words(&self, plain: PlainPoly) -> Option<Vec<i64>> {
        let t = self.modulus().to_u64()?;
        // The centred value is below 2^63 in size: t is taken off residues in the upper half.
        // Without a branch, as values are secret.
        let centred = |word: u64| select_unpredictable(word > t / 2, word.wrapping_sub(t), word) as i64;
        Some(self.decode_rows(plain, |row| centred(row[0])))
    }

    fn check(
        &self,
        count: usize,
        outside: Option<(usize, BigInt)>,
        range: impl FnOnce() -> (BigInt, BigInt),
    ) -> Result<(), PlaintextError> {
        if count > self.values() {
            return Err(PlaintextError::TooManyValues { found: count, values: self.values() });
        }
        outside.map_or(Ok(()), |(index, value)| {
            let (smallest, largest) = range();
            Err(PlaintextError::ValueOutOfRange { index, value, smallest, largest })
        })
    }

    fn encode_rows<V: Sync, R: AsRef<[u64]>>(&self, values: &[V], row: impl Fn(&V) -> R + Sync) -> PlainPoly {
        let limbs = self.0.modulus.limbs();
        let mut rows = vec![0; self.values() * limbs];
        rows.par_chunks_mut(VALUES * limbs).zip(values.par_chunks(VALUES)).for_each(|(rows, values)| {
            rows.chunks_exact_mut(limbs).zip(values).for_each(|(out, value)| {
                out.copy_from_slice(row(value).as_ref());
            });
        });
        match &self.0.slots {
            Some(slots) => PlainPoly { rows: slots.encode(&rows) },
            None => PlainPoly { rows },
        }
    }

    fn decode_rows<V: Send>(&self, plain: PlainPoly, value: impl Fn(&[u64]) -> V + Send + Sync) -> Vec<V> {
        match &self.0.slots {
            Some(slots) => slots.decode(plain.rows, value),
            None => {
                plain.rows.par_chunks_exact(self.0.modulus.limbs()).with_min_len(VALUES).map(value).collect()
            }
        }
    }
}

/// x/2^exponent for |x| < 2^exponent.
fn scaled_down(x: &BigInt, exponent: u64) -> f64 {
    let shift = x.bits().saturating_sub(64);
    let top = (x >> shift).to_f64().expect("64 bits");
    top * ((shift as f64 - exponent as f64).exp2())
}

impl PartialEq for PlaintextSpace {
    fn eq(&self, other: &Self) -> bool {
        let key = |space: &Self| (space.ring_degree(), space.encoding(), space.values());
        self.modulus() == other.modulus() && key(self) == key(other)
    }
}
