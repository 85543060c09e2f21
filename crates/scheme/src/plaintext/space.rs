//! The plaintext space, whatever the modulus t: integer or polynomial.

use asanoha_lattice::Norm;
use asanoha_ring::{Basis, Coefficient, Evaluation, GaloisElement, Poly, RelativeSize, Scalar};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use super::{Binomial, PlainPoly, PlaintextError, PlaintextSpace};

/// Z\[X\]/(X^N + 1, t).
#[derive(Debug)]
pub enum Space {
    /// t is an integer.
    Integer(PlaintextSpace),
    /// t is X^k − b.
    Binomial(Binomial),
}

/// An element of the space.
#[derive(Clone, Debug)]
pub enum Plain {
    /// A polynomial modulo t.
    Integer(PlainPoly),
    /// The k values.
    Binomial(Vec<BigUint>),
}

/// −1/t modulo the primes of a basis.
#[derive(Debug)]
pub enum NegatedInverse {
    /// Of an integer t.
    Integer(Scalar),
    /// Of a polynomial t.
    Binomial(Poly<Evaluation>),
}

impl Space {
    /// t, or the integer M that it makes zero: both share no factor with the primes, by which encoding divides.
    pub fn modulus(&self) -> &BigUint {
        match self {
            Self::Integer(space) => space.modulus(),
            Self::Binomial(space) => space.modulus(),
        }
    }

    /// The number of slots of a row, 1 where a plaintext is one number; `None` where plaintexts have no slots.
    pub fn row_slots(&self) -> Option<usize> {
        match self {
            Self::Integer(space) => space.row_slots(),
            Self::Binomial(space) => (space.values() == 1).then_some(1),
        }
    }

    /// The automorphism that swaps the rows, the identity where there is one slot; `None` where there are none.
    pub fn row_swap(&self) -> Option<GaloisElement> {
        match self {
            Self::Integer(space) => space.row_swap(),
            Self::Binomial(space) => (space.values() == 1).then_some(GaloisElement(1)),
        }
    }

    /// How many numbers a plaintext has.
    pub fn values(&self) -> usize {
        match self {
            Self::Integer(space) => space.values(),
            Self::Binomial(space) => space.values(),
        }
    }

    /// Encodes centred numbers.
    pub fn encode(&self, values: &[BigInt]) -> Result<Plain, PlaintextError> {
        match self {
            Self::Integer(space) => space.encode(values).map(Plain::Integer),
            Self::Binomial(space) => space.encode(values).map(Plain::Binomial),
        }
    }

    /// Encodes numbers from 0 to the modulus.
    pub fn encode_unsigned(&self, values: &[BigUint]) -> Result<Plain, PlaintextError> {
        match self {
            Self::Integer(space) => space.encode_unsigned(values).map(Plain::Integer),
            Self::Binomial(space) => space.encode_unsigned(values).map(Plain::Binomial),
        }
    }

    /// Encodes words.
    pub fn encode_words(&self, values: &[i64]) -> Result<Plain, PlaintextError> {
        match self {
            Self::Integer(space) => space.encode_words(values).map(Plain::Integer),
            Self::Binomial(_) => self.encode(&values.iter().map(|&value| value.into()).collect::<Vec<_>>()),
        }
    }

    /// The centred numbers of a plaintext as words, where all of them always fit.
    pub fn decode_words(&self, plain: Plain) -> Option<Vec<i64>> {
        match (self, plain) {
            (Self::Integer(space), Plain::Integer(plain)) => space.decode_words(plain),
            _ => None,
        }
    }

    /// The numbers of a plaintext from 0 to the modulus.
    pub fn decode_unsigned(&self, plain: Plain) -> Vec<BigUint> {
        match (self, plain) {
            (Self::Integer(space), Plain::Integer(plain)) => space.decode_unsigned(plain),
            (Self::Binomial(_), Plain::Binomial(values)) => values,
            _ => unreachable!("plaintexts belong to their space"),
        }
    }

    /// The centred numbers of a plaintext.
    pub fn decode(&self, plain: Plain) -> Vec<BigInt> {
        match (self, plain) {
            (Self::Integer(space), Plain::Integer(plain)) => space.decode(plain),
            (Self::Binomial(space), Plain::Binomial(plain)) => space.decode(&plain),
            _ => unreachable!("plaintexts belong to their space"),
        }
    }

    /// The norm of t.
    pub fn modulus_norm(&self) -> Norm {
        match self {
            Self::Integer(space) => Norm::from(space.modulus()),
            Self::Binomial(space) => Norm::from(space.norm()),
        }
    }

    /// A bound on the norm of every plaintext: as many coefficients of t/2 as it has numbers, or N coefficients of b/2 + 1.
    pub fn largest_norm(&self) -> Norm {
        match self {
            Self::Integer(space) => {
                Norm::from(space.values() as f64) * Norm::from(space.largest_value().magnitude())
            }
            Self::Binomial(space) => space.largest_norm(),
        }
    }

    /// A bound on the norm of round(Q/t·m) − Q/t·m for every m: N coefficients of at most ½ for an integer t.
    pub fn encoding_noise(&self) -> Norm {
        match self {
            Self::Integer(space) => Norm::from(space.ring_degree() as f64 / 2.0),
            Self::Binomial(space) => Norm::from(space.rounding_norm()),
        }
    }

    /// The integer factor of t, modulo a prime: t itself or 1.
    pub fn integer_factor(&self, prime: u64) -> u64 {
        match self {
            Self::Integer(space) => (space.modulus() % prime).to_u64().expect("below a word-sized modulus"),
            Self::Binomial(_) => 1,
        }
    }

    /// The polynomial factor of t, if it isn't 1.
    pub fn polynomial_factor(&self) -> Option<Vec<i64>> {
        match self {
            Self::Integer(_) => None,
            Self::Binomial(space) => Some(space.polynomial()),
        }
    }

    /// −1/t modulo the primes of a basis, which don't divide [`Space::modulus`].
    pub fn negated_inverse(&self, basis: &Basis) -> NegatedInverse {
        match self {
            Self::Integer(space) => {
                let t = BigInt::from(space.modulus().clone());
                let inverse = t.modinv(&basis.product().into()).expect("t and Q have no common factor");
                NegatedInverse::Integer(Scalar::new(basis, &-inverse))
            }
            Self::Binomial(space) => NegatedInverse::Binomial(space.negated_inverse(basis)),
        }
    }

    /// The constant c.
    pub fn constant(&self, c: &BigInt) -> Plain {
        match self {
            Self::Integer(space) => Plain::Integer(space.constant(c)),
            Self::Binomial(space) => Plain::Binomial(space.constant(c)),
        }
    }

    /// As [`Self::reduce`], times a factor; and the size of the polynomial's coefficients before that.
    pub fn reduce_scaled(&self, m: Poly<Coefficient>, factor: &BigUint) -> (Plain, RelativeSize) {
        match self {
            Self::Integer(space) => {
                let (plain, size) = space.reduce_scaled(m, factor);
                (Plain::Integer(plain), size)
            }
            Self::Binomial(space) => {
                let size = m.relative_size(|_| 1);
                (Plain::Binomial(space.scale(&space.reduce(&m), &factor.clone().into())), size)
            }
        }
    }

    /// A plaintext times an integer.
    pub fn scale(&self, plain: &Plain, factor: &BigInt) -> Plain {
        match (self, plain) {
            (Self::Integer(space), Plain::Integer(plain)) => Plain::Integer(space.scale(plain, factor)),
            (Self::Binomial(space), Plain::Binomial(plain)) => Plain::Binomial(space.scale(plain, factor)),
            _ => unreachable!("plaintexts belong to their space"),
        }
    }

    /// The small representative of a plaintext modulo the primes of a basis.
    pub fn lift(&self, plain: &Plain, basis: &Basis) -> Poly<Evaluation> {
        let poly = match (self, plain) {
            (Self::Integer(space), Plain::Integer(plain)) => space.lift(plain, basis),
            (Self::Binomial(space), Plain::Binomial(plain)) => Poly::from_small(basis, &space.digits(plain)),
            _ => unreachable!("plaintexts belong to their space"),
        };
        poly.into_evaluation()
    }

    /// The norm of the small representative.
    pub fn norm(&self, plain: &Plain) -> Norm {
        match (self, plain) {
            (Self::Integer(space), Plain::Integer(plain)) => space.norm(plain),
            (Self::Binomial(space), Plain::Binomial(plain)) => space.plain_norm(plain),
            _ => unreachable!("plaintexts belong to their space"),
        }
    }

    /// round(Q/t·m) = (Q·m − c)/t ≡ −c/t modulo Q, c the small representative of Q·m.
    pub fn scaled(&self, plain: &Plain, basis: &Basis, negated_inverse: &NegatedInverse) -> Poly<Evaluation> {
        let mut rest = self.lift(&self.scale(plain, &basis.product().into()), basis);
        match negated_inverse {
            NegatedInverse::Integer(inverse) => rest.mul_scalar_assign(inverse),
            NegatedInverse::Binomial(inverse) => rest.mul_assign(inverse),
        }
        rest
    }

    /// t·x.
    pub fn times_modulus(&self, mut x: Poly<Coefficient>) -> Poly<Coefficient> {
        match self {
            Self::Integer(space) => {
                let t = Scalar::new(x.basis(), &space.modulus().clone().into());
                x.mul_scalar_assign(&t);
                x
            }
            Self::Binomial(space) => {
                let t = Poly::from_small(x.basis(), &space.polynomial()).into_evaluation();
                x.into_evaluation().mul(&t).into_coefficient()
            }
        }
    }

    /// The plaintext of a polynomial with coefficients below half the product of the basis' primes.
    pub fn reduce(&self, m: Poly<Coefficient>) -> Plain {
        match self {
            Self::Integer(space) => Plain::Integer(space.reduce(m)),
            Self::Binomial(space) => Plain::Binomial(space.reduce(&m)),
        }
    }
}
