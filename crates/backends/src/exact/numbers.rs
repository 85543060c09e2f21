//! BGV and BFV: whole numbers.

use asanoha_bfv::{Bfv, BfvLiteral, BfvModulus};
use asanoha_bgv::{Bgv, BgvLiteral};
use asanoha_compile::{Constant, Layout, SlotRange, WholeOperation};
use asanoha_kernels::Backend;
use asanoha_lang::Range;
use asanoha_lattice::{Level, Norm, RlweLiteral, SecretKey};
use asanoha_ring::Sampler;
use asanoha_scheme::{
    Ciphertext, Encoder, Encoding, Exact, ExactPlaintext, Model, Operand, Operations, PlaintextSpace, Scheme,
    SchemeError, Space, State,
};
use asanoha_table::ColumnValues;
use num_bigint::{BigInt, BigUint};

use crate::literal::ParamsLiteral;
use crate::scheme_name::SchemeName;
use crate::slots::numbers::{
    Fresh, MessageFields, Numbers, OperandOf, Plaintexts, Planned, PlannedExact, SlotsKey, encrypt_chunks,
};

/// Whole numbers modulo t.
pub struct Whole;

impl Planned for Bgv {
    type Numbers = Whole;

    const SCHEME: SchemeName = SchemeName::Bgv;

    fn fields(factor: &BigUint) -> MessageFields {
        MessageFields { factor: Some(factor.clone()), ..MessageFields::default() }
    }
}

impl Planned for Bfv {
    type Numbers = Whole;

    const SCHEME: SchemeName = SchemeName::Bfv;

    fn fields((): &()) -> MessageFields {
        MessageFields::default()
    }
}

impl From<BgvLiteral> for ParamsLiteral {
    fn from(literal: BgvLiteral) -> Self {
        Self::new(SchemeName::Bgv, &literal)
    }
}

impl From<BfvLiteral> for ParamsLiteral {
    fn from(literal: BfvLiteral) -> Self {
        Self::new(SchemeName::Bfv, &literal)
    }
}

impl PlannedExact for Bgv {
    /// They keep all correction factors 1.
    const PRIMES_MODULO_T: bool = true;
    const SWITCHES_MODULI: bool = true;
    const HAS_ONE_NUMBER: bool = false;

    fn checked(rlwe: RlweLiteral, plaintexts: Plaintexts<'_>, backend: Backend) -> Result<Self, String> {
        let Plaintexts::Integers(space) = plaintexts else {
            return Err("BGV has no plaintexts modulo X - 2".to_owned());
        };
        let literal =
            BgvLiteral { encoding: given_encoding(space), ..BgvLiteral::new(rlwe, space.modulus().clone()) };
        literal.check_in(space.clone(), backend).map_err(|error| error.to_string())
    }

    fn to_literal(&self) -> ParamsLiteral {
        ParamsLiteral::new(SchemeName::Bgv, self.literal())
    }

    fn from_literal(literal: &ParamsLiteral, backend: Backend) -> Result<Self, String> {
        literal.read::<BgvLiteral>()?.check(backend).map_err(|error| error.to_string())
    }

    /// The largest coefficient of c₀ + c₁·s.
    fn measured(secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> f64 {
        asanoha_bgv::measure(secret, ciphertext)
    }

    /// Dropping a prime q takes noise B to B/q + R with the rounding's R. With x = B/(q·R), what is left of the modulus
    /// shrinks by log(1 + 1/x), which is next to nothing for x ≥ 1. Before a product, where the operands' noises
    /// multiply, smaller noise is worth modulus: the balance is better as long as x/(1 + x) > q^(−1/2).
    fn level_for(model: &Model<Self>, a: &State<Self>, operation: OperandOf) -> Level {
        if operation == OperandOf::Sum {
            return a.level;
        }
        let rounding = model.rounding(2);
        let (Level(mut level), mut noise) = (a.level, a.noise);
        while level > 0 {
            let q = model.scheme().rlwe().q(Level(level)).modulus(level).value() as f64;
            let least = if operation == OperandOf::Trace { q } else { q.sqrt() };
            if noise < rounding * least {
                break;
            }
            noise = noise * (1.0 / q) + rounding;
            level -= 1;
        }
        Level(level)
    }
}

impl PlannedExact for Bfv {
    const PRIMES_MODULO_T: bool = false;
    const SWITCHES_MODULI: bool = false;
    const HAS_ONE_NUMBER: bool = true;

    fn checked(rlwe: RlweLiteral, plaintexts: Plaintexts<'_>, backend: Backend) -> Result<Self, String> {
        let Plaintexts::Integers(space) = plaintexts else {
            let literal = BfvLiteral::new(rlwe, BfvModulus::Binomial { exponent: 1, base: 2 });
            return literal.check(backend).map_err(|error| error.to_string());
        };
        let literal =
            BfvLiteral { encoding: given_encoding(space), ..BfvLiteral::new(rlwe, space.modulus().clone()) };
        literal.check_in(space.clone(), backend).map_err(|error| error.to_string())
    }

    fn to_literal(&self) -> ParamsLiteral {
        ParamsLiteral::new(SchemeName::Bfv, self.literal())
    }

    fn from_literal(literal: &ParamsLiteral, backend: Backend) -> Result<Self, String> {
        literal.read::<BfvLiteral>()?.check(backend).map_err(|error| error.to_string())
    }

    /// The largest coefficient of t·e over |t|.
    fn measured(secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> f64 {
        asanoha_bfv::measure(secret, ciphertext)
    }

    /// Operations take as much of the modulus at every level, and functions switch on their own, best from where the
    /// noise leaves off.
    fn level_for(model: &Model<Self>, a: &State<Self>, operation: OperandOf) -> Level {
        if operation == OperandOf::Function { model.settled(a) } else { a.level }
    }
}

impl<S: Exact> Numbers<S> for Whole {
    type Refresher = ();

    fn has_integer_factors(scheme: &S) -> bool {
        matches!(scheme.space(), Space::Integer(_))
    }

    fn constant(c: &Constant) -> BigInt {
        c.to_integer()
    }

    fn factor(k: &Constant, _: f64) -> BigInt {
        k.to_integer()
    }

    fn public(_: &S, _: f64) {}

    fn scale_of(_: &State<S>) -> f64 {
        1.0
    }

    fn mask_scale(_: &S, _: Level) -> f64 {
        1.0
    }

    /// A number in some slots only is a plaintext like any other, and may be the worst of all.
    fn known(scheme: &S, _: &Constant, _: f64) -> Norm {
        scheme.largest_norm()
    }

    fn in_slots(
        scheme: &S,
        layout: Layout,
        slots: SlotRange,
        value: &Constant,
        level: Level,
        _: f64,
    ) -> Result<ExactPlaintext<S>, SchemeError> {
        let (encoder, residue) = (Encoder::new(scheme), scheme.centred(&value.to_integer()));
        match i64::try_from(&residue) {
            Ok(word) => encoder.encode(&layout.repeated(slots, &word), level),
            Err(_) => encoder.encode_integers(&layout.repeated(slots, &residue), level),
        }
    }

    fn unmasked<V: Operand<S>>(_: &Operations<S, V>, a: &V) -> Result<V, SchemeError> {
        Ok(a.clone())
    }

    fn rescale<V: Operand<S>>(_: &Operations<S, V>, _: &V) -> Result<V, SchemeError> {
        unreachable!("exact schemes have no scales to keep")
    }

    fn functions<V: Operand<S>>(
        operations: &Operations<S, V>,
        operation: &WholeOperation,
        operands: &[&V],
    ) -> Result<Vec<V>, SchemeError> {
        operation.apply(operations, operands)
    }

    fn encrypt(
        scheme: &S,
        key: SlotsKey<'_>,
        (layout, level): (Layout, Level),
        column: &ColumnValues,
        _: &Range,
        sampler: &mut Sampler,
    ) -> Result<Option<Vec<Fresh<S>>>, SchemeError> {
        let encoder = Encoder::new(scheme);
        let ciphertexts = match column {
            ColumnValues::Whole(values) | ColumnValues::Categories { values, .. } => {
                let values = centred_words(values, scheme.plaintext_modulus());
                let encode = |chunk| encoder.encode(&layout.spread(chunk, &values), level);
                encrypt_chunks(scheme, key, layout, encode, sampler)
            }
            ColumnValues::Integers(values) => {
                let values: Vec<_> = values.iter().map(|value| scheme.centred(value)).collect();
                let encode = |chunk| encoder.encode_integers(&layout.spread(chunk, &values), level);
                encrypt_chunks(scheme, key, layout, encode, sampler)
            }
            ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. } | ColumnValues::Real(_) => {
                return Ok(None);
            }
        };
        ciphertexts.map(Some)
    }
}

/// The encoding of a space, where a modulus has another one by default.
fn given_encoding(space: &PlaintextSpace) -> Option<Encoding> {
    (space.encoding() == Encoding::Constant).then_some(Encoding::Constant)
}

/// Words modulo t, in (−t/2, t/2]: ranges on one side of zero may reach up to t. (`centred` is the same of integers of any size.)
fn centred_words(values: &[i64], t: &BigUint) -> Vec<i64> {
    let Ok(t) = i128::try_from(t.clone()) else { return values.to_vec() };
    let centred = |&value: &i64| {
        let residue = i128::from(value).rem_euclid(t);
        // Twice the residue may be beyond any word.
        (if residue > t / 2 { residue - t } else { residue }) as i64
    };
    values.iter().map(centred).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_centred_modulo_numbers_of_every_size() {
        assert_eq!(centred_words(&[-8, 0, 8, 9, 16], &17u32.into()), [-8, 0, 8, -8, -1]);
        let values = [i64::MIN, -505_335, -1, 0, 1, i64::MAX];
        for bits in [65, 126, 127, 128, 500] {
            let t = (BigUint::from(1u32) << bits) - 1u32;
            assert_eq!(centred_words(&values, &t), values, "{bits}");
        }
    }
}
