//! The protocol on ciphertexts, and on what is known of them beforehand.

use std::{
    borrow::Cow,
    f64::consts::SQRT_2,
    sync::{Mutex, PoisonError, atomic::AtomicU64},
};

use asanoha_bgv::{Bgv, BgvState};
use asanoha_lattice::{DiagonalSteps, DiagonalSum, Hoisting, KeyLevels, Level, Norm, StepKeys, Trace};
use asanoha_ring::{Basis, GaloisElement, Poly};
use asanoha_scheme::{Encoder, Exact, ExactPlaintext, Operand, Operations, Scheme, SchemeError};

use super::{
    ProtocolError,
    carrier::{Carrier, Slots},
    shape::{BLOCKS, block_slots},
    timed::timed,
};

/// The level that answers are sent at.
pub(crate) const ANSWER: Level = Level(1);
/// The level of blinding and packing: one prime more, which takes what these add to the noise.
pub(crate) const PACKING: Level = Level(2);
/// The images that a stage of a trace adds up, about the best where decomposing takes three times as long as a product with a key.
const STAGE: usize = 4;
/// The level of the bit check's product, two primes above.
const CHECK: Level = Level(4);
/// The norm that a walk's plaintexts don't exceed, by and large, in deviations of a value: one in a million does.
const DEVIATIONS: f64 = 5.0;

/// Operations of the protocol under BGV.
pub(crate) struct Encrypted<'o, V: Operand<Bgv>> {
    operations: &'o Operations<Bgv, V>,
    encoder: Encoder<Bgv>,
    /// The deviation of coefficients that are uniform modulo t.
    deviation: Norm,
    /// A bound on the norms of plaintexts of one number a slot.
    each: Norm,
    /// The keys that were used.
    used: Mutex<KeyLevels>,
    /// The nanoseconds of encoding, if they're counted.
    encoding: Option<&'o AtomicU64>,
}

impl<'o, V: Operand<Bgv>> Encrypted<'o, V> {
    pub(crate) fn new(operations: &'o Operations<Bgv, V>) -> Self {
        let t = operations.params().largest_value().magnitude() * 2u32;
        // Of random numbers the coefficients are uniform, so the bound fails as rarely as all. The panel's plaintexts are held
        // against it one by one.
        let deviation = Norm::from(&t) / 12f64.sqrt();
        let each = deviation * operations.model().lattice().independent(1.0);
        let used = Mutex::default();
        let encoder = Encoder::new(operations.params());
        Self { operations, encoder, deviation, each, used, encoding: None }
    }

    /// Adds the nanoseconds of encoding to a sum.
    pub(crate) fn count_encoding(self, sum: &'o AtomicU64) -> Self {
        Self { encoding: Some(sum), ..self }
    }

    fn encoding<T>(&self, encode: impl FnOnce() -> T) -> T {
        match self.encoding {
            Some(sum) => timed(sum, encode),
            None => encode(),
        }
    }

    /// The keys that the operations so far took, with their levels.
    pub(crate) fn into_used(self) -> KeyLevels {
        self.used.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, add: impl FnOnce(&mut KeyLevels)) {
        if V::FORESEES {
            add(&mut self.used.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn record_relinearisation(&self, level: Level) {
        self.record(|used| used.add_relinearisation(self.operations.params().rlwe(), level));
    }

    /// Both at the lower of their levels.
    fn of_one_level<'v>(&self, a: V, b: &'v V) -> Result<(V, Cow<'v, V>), SchemeError> {
        let level = a.state().level.min(b.state().level);
        let a = if a.state().level > level { self.operations.switch_to(&a, level)? } else { a };
        Ok((a, self.operations.lowered(b, level)?))
    }

    fn encoded(&self, slots: &Slots<'_>, level: Level) -> Result<ExactPlaintext<Bgv>, SchemeError> {
        self.encoding(|| match slots {
            Slots::All(number) => self.encoder.encode_constant(*number, level),
            Slots::Blocks(blocks) => {
                let degree = self.operations.params().rlwe().ring_degree();
                self.encoder.encode(&block_slots(blocks, degree), level)
            }
            Slots::Each(slots) => self.encoder.encode(&slots(), level),
        })
    }
}

/// X^exponent for ciphertexts of a level.
pub(crate) fn power(scheme: &Bgv, exponent: i64, level: Level) -> ExactPlaintext<Bgv> {
    let degree = scheme.rlwe().ring_degree();
    let exponent = exponent.rem_euclid(2 * degree as i64) as usize;
    let mut coefficients = vec![0; degree];
    coefficients[exponent % degree] = if exponent < degree { 1 } else { -1 };
    let poly = Poly::from_small(scheme.rlwe().q(Level(0)), &coefficients);
    ExactPlaintext::new(scheme, scheme.space().reduce(poly), level)
}

/// Refuses plaintexts of a norm that wasn't foreseen.
fn refuse_above(found: Norm, bound: Norm) -> Result<(), ProtocolError> {
    if found > bound {
        return Err(ProtocolError::Norm { found_bits: found.log2(), bound_bits: bound.log2() });
    }
    Ok(())
}

/// What the closures that encode are called for: ciphertexts only.
const NOT_FORESEEN: &str = "plaintexts are encoded for ciphertexts";

impl<V: Operand<Bgv>> Carrier for Encrypted<'_, V> {
    type Value = V;
    type Error = ProtocolError;

    fn add(&self, a: V, b: &V) -> Result<V, ProtocolError> {
        let (mut a, b) = self.of_one_level(a, b)?;
        self.operations.add_assign(&mut a, &b)?;
        Ok(a)
    }

    fn add_image(&self, a: V, image: &V) -> Result<V, ProtocolError> {
        let noise = image.state().noise.max(a.state().noise) * SQRT_2;
        let mut sum = self.add(a, image)?;
        let state = sum.state().with_noise(noise);
        self.operations.set_state(&mut sum, state);
        Ok(sum)
    }

    fn sub(&self, a: V, b: &V) -> Result<V, ProtocolError> {
        let (mut a, b) = self.of_one_level(a, b)?;
        self.operations.sub_assign(&mut a, &b)?;
        Ok(a)
    }

    fn multiply(&self, a: &V, b: &V) -> Result<V, ProtocolError> {
        self.record_relinearisation(a.state().level.min(b.state().level));
        Ok(self.operations.multiply(a, b)?)
    }

    fn multiply_unsettled(&self, a: &V, b: &V) -> Result<V, ProtocolError> {
        let level = a.state().level.min(b.state().level);
        self.record_relinearisation(level);
        let [a, b] = [a, b].map(|operand| self.operations.lowered(operand, level));
        Ok(self.operations.multiply_exact(&*a?, &*b?)?)
    }

    fn multiply_lossless(&self, a: &V, b: &V) -> Result<V, ProtocolError> {
        let level = a.state().level.min(b.state().level);
        self.record_relinearisation(level);
        let [a, b] = [a, b].map(|operand| self.operations.lowered(operand, level));
        let product = self.operations.multiply_without_relinearise(&*a?, &*b?)?;
        Ok(self.operations.relinearise_lossless(product)?)
    }

    fn sum_of_products(&self, a: &[V], b: &[V]) -> Result<V, ProtocolError> {
        let [a, b]: [Vec<&V>; 2] = [a.iter().collect(), b.iter().collect()];
        self.record_relinearisation(a[0].state().level);
        let sum = self.operations.sum_of_products(&a, &b)?;
        Ok(self.operations.relinearise_to(sum, PACKING)?)
    }

    fn rotate(&self, a: &V, rotations: &[i64]) -> Result<Vec<V>, ProtocolError> {
        let rlwe = self.operations.params().rlwe();
        self.record(|used| {
            for &rotation in rotations {
                let element = GaloisElement::rotation(rlwe.ring_degree(), rotation);
                used.add_automorphism(rlwe, element, a.state().level);
            }
        });
        Ok(self.operations.rotate_many(a, rotations)?)
    }

    fn trace(&self, a: &V, stride: usize, count: usize) -> Result<V, ProtocolError> {
        let rlwe = self.operations.params().rlwe();
        let mut factors = vec![STAGE; (count.ilog2() / STAGE.ilog2()) as usize];
        factors.push(count >> (factors.len() as u32 * STAGE.ilog2()));
        let trace = Trace::strided(rlwe.ring_degree(), stride, &factors, Hoisting::Lazy);
        self.record(|used| {
            trace.elements().for_each(|element| used.add_automorphism(rlwe, element, a.state().level));
        });
        Ok(self.operations.trace(a, &trace)?)
    }

    fn swap_rows(&self, a: &V) -> Result<V, ProtocolError> {
        let rlwe = self.operations.params().rlwe();
        let element = GaloisElement::conjugation(rlwe.ring_degree());
        self.record(|used| used.add_automorphism(rlwe, element, a.state().level));
        Ok(self.operations.swap_rows(a)?)
    }

    fn shift(&self, values: Vec<V>, exponent: i64) -> Result<Vec<V>, ProtocolError> {
        let Some(first) = values.first() else { return Ok(Vec::new()) };
        let power = (!V::FORESEES).then(|| power(self.operations.params(), exponent, first.state().level));
        let shift = |mut value: V| {
            let power = || Ok(power.as_ref().expect(NOT_FORESEEN));
            self.operations.mul_known_assign(&mut value, &Norm::ONE, power).map(|()| value)
        };
        Ok(values.into_iter().map(shift).collect::<Result<_, _>>()?)
    }

    fn diagonals(
        &self,
        a: &V,
        count: usize,
        diagonal: &(dyn Fn(usize) -> Vec<i64> + Sync),
    ) -> Result<V, ProtocolError> {
        let (params, level) = (self.operations.params(), a.state().level);
        let rlwe = params.rlwe();
        // The same steps at all levels, so that these share their keys.
        let offsets: Vec<usize> = (0..count).collect();
        let steps = DiagonalSteps::choose(rlwe, rlwe.max_level(), &offsets, StepKeys::Each);
        self.record(|used| {
            for rotation in steps.rotations() {
                used.add_automorphism(rlwe, GaloisElement::rotation(rlwe.ring_degree(), rotation), level);
            }
        });
        // The images' noises are a polynomial's values at as many roots, no two of which are conjugates: taken as uncorrelated, so
        // that the square of the sum's is the sum of the squares.
        let bound = self.deviation * (rlwe.ring_degree() as f64).sqrt() * DEVIATIONS * (count as f64).sqrt();
        let encode = |basis: &Basis, giant: usize, baby: usize| {
            let mut slots = diagonal(giant + baby);
            slots.chunks_exact_mut(rlwe.ring_degree() / 2).for_each(|row| row.rotate_right(giant));
            let plain = params.space().encode_words(&slots)?;
            Ok::<_, SchemeError>((params.space().lift(&plain, basis), params.space().norm(&plain)))
        };
        let encode = |basis: &Basis, giant: usize, baby: usize| self.encoding(|| encode(basis, giant, baby));
        let encoded = (!V::FORESEES).then(|| DiagonalSum::encode(rlwe, &steps, level, encode)).transpose()?;
        let sum = match encoded {
            Some((sum, norms)) => {
                let found = norms.into_iter().map(|norm| norm.to_f64().powi(2)).sum::<f64>().sqrt().into();
                refuse_above(found, bound)?;
                Some(sum)
            }
            None => None,
        };
        Ok(self.operations.transform_known(a, &steps, &bound, || Ok(sum.expect(NOT_FORESEEN)))?)
    }

    fn times(&self, mut a: V, slots: &Slots<'_>) -> Result<V, ProtocolError> {
        let params = self.operations.params();
        let bound = match slots {
            Slots::All(number) => return Ok(self.operations.mul_constant_exact(&a, *number)?),
            // As many coefficients as blocks.
            Slots::Blocks(_) => Norm::from(params.largest_value().magnitude()) * BLOCKS as f64,
            Slots::Each(_) => self.each,
        };
        let plain = if V::FORESEES { None } else { Some(self.encoded(slots, a.state().level)?) };
        plain.as_ref().map_or(Ok(()), |plain| refuse_above(plain.norm(), bound))?;
        self.operations.mul_known_assign(&mut a, &bound, || Ok(plain.expect(NOT_FORESEEN)))?;
        Ok(a)
    }

    fn plus(&self, mut a: V, slots: &Slots<'_>) -> Result<V, ProtocolError> {
        if let Slots::All(number) = slots {
            return Ok(self.operations.add_constant(&a, *number)?);
        }
        // What is added isn't worth a closer bound than that of all plaintexts.
        let bound = self.operations.params().largest_norm();
        let level = a.state().level;
        self.operations.add_known_assign(&mut a, &bound, || self.encoded(slots, level))?;
        Ok(a)
    }

    fn settled(&self, a: V) -> Result<V, ProtocolError> {
        Ok(self.operations.relinearise_settled(a)?)
    }

    fn lossless(&self, a: V) -> Result<V, ProtocolError> {
        Ok(self.operations.relinearise_lossless(a)?)
    }

    fn beside(&self, a: &V, other: &V, factors: usize) -> Result<V, ProtocolError> {
        let products = 1 + factors.next_power_of_two().ilog2() as usize;
        let level = Level(other.state().level.0 + products).min(a.state().level);
        Ok(self.operations.switch_to(a, level)?)
    }

    fn for_check(&self, a: &V) -> Result<V, ProtocolError> {
        Ok(self.operations.switch_to(a, CHECK.min(a.state().level))?)
    }

    fn for_packing(&self, a: &V) -> Result<V, ProtocolError> {
        Ok(self.operations.weighted_sum(&[&*self.operations.lowered(a, PACKING)?], &[1])?)
    }

    fn for_spoiling(&self, a: &V) -> Result<V, ProtocolError> {
        let mut a = self.operations.switch_to(a, PACKING)?;
        let state = BgvState { message: self.operations.params().plain_message(), ..a.state().clone() };
        // The numbers are what they were but for the correction factor, which is a unit.
        self.operations.set_state(&mut a, state);
        Ok(a)
    }
}
