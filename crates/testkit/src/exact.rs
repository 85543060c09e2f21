//! Exact schemes as the suites see them: numbers modulo t against big integers.

use std::fmt::Debug;

use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{DiagonalSteps, Level, RlweLiteral, SecretKey};
use asanoha_ring::Backend;
use asanoha_scheme::{
    Ciphertext, Decryptor, EncodeTransform, Encoder, Encoding, Evaluator, Exact, ExactPlaintext, Scheme,
    SchemeError, Transform,
};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use crate::{Known, Operand, Party, Refusals, Subject, TestIntegers, centred};

/// What a literal of an exact scheme is made of.
#[derive(Clone, Debug)]
pub struct LiteralShape<M> {
    /// N.
    pub ring_degree: usize,
    /// The width of the primes.
    pub prime_bits: u32,
    /// How many primes there are.
    pub primes: usize,
    /// The digits of key switching.
    pub digits: usize,
    /// The plaintext modulus.
    pub modulus: M,
    /// What plaintexts are, or what suits the modulus.
    pub encoding: Option<Encoding>,
}

impl<M> LiteralShape<M> {
    /// Six levels in a ring of 64 coefficients.
    pub fn of(modulus: impl Into<M>) -> Self {
        Self {
            ring_degree: 1 << 6,
            prime_bits: 46,
            primes: 6,
            digits: 3,
            modulus: modulus.into(),
            encoding: None,
        }
    }

    /// The ring, without these primes.
    pub fn rlwe(&self, without: &[u64]) -> RlweLiteral {
        let step = 2 * self.ring_degree as u64;
        let special = self.primes.div_ceil(self.digits) + 1;
        let mut q_primes =
            primes_congruent_to_one(self.prime_bits, step, self.primes + special, without).expect("primes");
        let p_primes = q_primes.split_off(self.primes);
        RlweLiteral::new(self.ring_degree, q_primes, p_primes, self.digits).insecure()
    }
}

/// An exact scheme under test.
pub trait ExactSubject: Sized + 'static {
    /// The scheme.
    type Scheme: Exact;
    /// Its plaintext moduli.
    type Modulus: Clone + Debug + From<u64> + From<BigUint>;

    /// Checked parameters.
    fn params(shape: &LiteralShape<Self::Modulus>, backend: Backend) -> Self::Scheme;

    /// Moduli of every kind that six primes of 46 bits leave room for a product of: the first has slots, and N of them.
    fn shapes() -> Vec<LiteralShape<Self::Modulus>>;

    /// What random circuits are run on: moduli of every kind and size, in small rings with room for about three
    /// products, and how many circuits each.
    fn circuits() -> Vec<(LiteralShape<Self::Modulus>, u64)>;

    /// log2 of the actual canonical norm of what the noise bound bounds, by the definition.
    fn noise_bits(secret: &SecretKey, ciphertext: &Ciphertext<Self::Scheme>) -> f64;

    /// log2 of the largest coefficient of the noise, as the library measures it.
    fn measured_bits(secret: &SecretKey, ciphertext: &Ciphertext<Self::Scheme>) -> f64;

    /// What X^n is in the plaintext space, n being the number of values, where they are coefficients.
    fn wrap(_scheme: &Self::Scheme) -> i64 {
        -1
    }
}

/// Value by value, modulo t.
fn zip<S: Exact>(
    scheme: &S,
    a: &[BigInt],
    b: &[BigInt],
    f: impl Fn(&BigInt, &BigInt) -> BigInt,
) -> Vec<BigInt> {
    let modulus = BigInt::from(scheme.plaintext_modulus().clone());
    a.iter().zip(b).map(|(a, b)| centred(&f(a, b), &modulus)).collect()
}

impl<E: ExactSubject> Subject for E {
    type Scheme = E::Scheme;
    type Value = BigInt;

    fn kinds(backend: Backend) -> Vec<E::Scheme> {
        E::shapes().iter().map(|shape| E::params(shape, backend)).collect()
    }

    fn differing() -> Vec<E::Scheme> {
        let own = LiteralShape::of(65537);
        [
            own.clone(),
            LiteralShape { modulus: 193.into(), ..own.clone() },
            LiteralShape { prime_bits: 45, ..own.clone() },
            LiteralShape { ring_degree: 1 << 7, ..own },
        ]
        .iter()
        .map(|shape| E::params(shape, Backend::detect().expect("there are kernels")))
        .collect()
    }

    fn deep() -> E::Scheme {
        let shape = LiteralShape { ring_degree: 1 << 4, primes: 9, ..LiteralShape::of(65537) };
        E::params(&shape, Backend::detect().expect("there are kernels"))
    }

    fn values(scheme: &E::Scheme, integers: &mut TestIntegers) -> Vec<BigInt> {
        integers.vector(scheme.slots(), &BigInt::from(scheme.plaintext_modulus().clone()))
    }

    fn constant(scheme: &E::Scheme, constant: i64) -> Vec<BigInt> {
        let constant = scheme.centred(&constant.into());
        let everywhere = scheme.row_slots().is_some();
        (0..scheme.slots())
            .map(|i| if everywhere || i == 0 { constant.clone() } else { BigInt::zero() })
            .collect()
    }

    fn addend(constant: i64) -> BigInt {
        constant.into()
    }

    fn factor(constant: i64) -> BigInt {
        constant.into()
    }

    fn encode(
        scheme: &E::Scheme,
        values: &[BigInt],
        level: Level,
    ) -> Result<ExactPlaintext<E::Scheme>, SchemeError> {
        Encoder::new(scheme).encode_integers(values, level)
    }

    fn decode(scheme: &E::Scheme, plaintext: &ExactPlaintext<E::Scheme>) -> Result<Vec<BigInt>, SchemeError> {
        Encoder::new(scheme).decode_integers(plaintext)
    }

    fn decrypt(
        scheme: &E::Scheme,
        secret: &SecretKey,
        ciphertext: &Ciphertext<E::Scheme>,
    ) -> Result<Vec<BigInt>, SchemeError> {
        Decryptor::new(scheme).decrypt_integers(secret, ciphertext)
    }

    fn excess_bits(
        secret: &SecretKey,
        ciphertext: &Ciphertext<E::Scheme>,
        values: &[BigInt],
        what: &str,
    ) -> f64 {
        let found = Self::decrypt(ciphertext.scheme(), secret, ciphertext);
        assert_eq!(found.as_deref(), Ok(values), "{what}");
        let (norm, bound) = (E::noise_bits(secret, ciphertext), ciphertext.noise().log2());
        // Coefficients are at most the norm, whatever it is.
        assert!(E::measured_bits(secret, ciphertext) <= norm + 1e-9, "{what}");
        // What was multiplied by zero has no noise, and a bound of none.
        if norm == f64::NEG_INFINITY { norm } else { norm - bound }
    }

    fn sum(scheme: &E::Scheme, a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        zip(scheme, a, b, |a, b| a + b)
    }

    fn difference(scheme: &E::Scheme, a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        zip(scheme, a, b, |a, b| a - b)
    }

    fn product(scheme: &E::Scheme, a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        if scheme.row_slots().is_some() {
            return zip(scheme, a, b, |a, b| a * b);
        }
        let (n, wrap) = (a.len(), E::wrap(scheme));
        let mut product = vec![BigInt::zero(); n];
        for (i, x) in a.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            for (j, y) in b.iter().enumerate() {
                product[(i + j) % n] += if i + j < n { x * y } else { x * y * wrap };
            }
        }
        zip(scheme, &product, &product, |x, _| x.clone())
    }

    fn swapped(scheme: &E::Scheme, values: &[BigInt]) -> Vec<BigInt> {
        // One slot has nothing to be swapped with.
        let row = if values.len() == 1 { 0 } else { scheme.row_slots().expect("there are slots") };
        let (first, second) = values.split_at(row);
        [second, first].concat()
    }

    fn settled_product(
        evaluator: &Evaluator<E::Scheme>,
        a: &Ciphertext<E::Scheme>,
        b: &Ciphertext<E::Scheme>,
    ) -> Result<Ciphertext<E::Scheme>, SchemeError> {
        evaluator.multiply_settled(a, b)
    }

    fn brought_to(
        evaluator: &Evaluator<E::Scheme>,
        a: &Ciphertext<E::Scheme>,
        level: Level,
    ) -> Result<Ciphertext<E::Scheme>, SchemeError> {
        evaluator.switch_to(a, level)
    }

    fn transform(
        scheme: &E::Scheme,
        steps: &DiagonalSteps,
        level: Level,
    ) -> Result<Transform<E::Scheme>, SchemeError> {
        scheme.encode_transform(steps, level, (), |_| vec![BigInt::from(1)])
    }

    fn decryptions(scheme: &E::Scheme, secret: &SecretKey, c: &Ciphertext<E::Scheme>) -> Refusals {
        let decryptor = Decryptor::new(scheme);
        vec![
            ("decrypt", decryptor.decrypt(secret, c).map(drop)),
            ("decrypt_integers", decryptor.decrypt_integers(secret, c).map(drop)),
            ("decrypt_unsigned", decryptor.decrypt_unsigned(secret, c).map(drop)),
        ]
    }

    fn own_operations(party: &Party<E>, c: &Ciphertext<E::Scheme>) -> Refusals {
        let e = &party.evaluator;
        vec![
            ("weighted_sum", e.weighted_sum(&[c], &[1]).map(drop)),
            ("bilinear_form", e.bilinear_form(&[c], &[1], &[c]).map(drop)),
            ("multiply_settled", e.multiply_settled(c, c).map(drop)),
            ("multiply", e.multiply(c, c).map(drop)),
        ]
    }

    fn own_step(
        party: &Party<E>,
        choice: u64,
        [(x, u), (a, v), (b, w)]: [Operand<'_, E>; 3],
    ) -> Result<Option<Known<E>>, SchemeError> {
        let e = &party.evaluator;
        Ok(Some(match choice % 5 {
            0 => (e.weighted_sum(&[a, b, a], &[1, 0, 2])?, party.times(v, 3)),
            1 => {
                let product = party.times(&party.product(v, u), 2);
                (e.bilinear_form(&[a, a], &[1, 1, 0, 1], &[a, x])?, party.sum(&party.product(v, v), &product))
            }
            2 => {
                let swapped = e.swap_rows(a)?;
                (e.bilinear_form(&[a], &[1], &[&swapped])?, party.product(v, &party.swapped(v)))
            }
            // At their level, which may leave much noise.
            3 => (e.multiply_exact(a, x)?, party.product(v, u)),
            _ => (e.weighted_sum(&[x, b], &[1, 0])?, party.sum(u, &party.times(w, 0))),
        }))
    }
}
