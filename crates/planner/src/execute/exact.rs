//! What the executions of BGV and BFV share: whole numbers into ciphertexts and out of them.

use asanoha_lattice::{Level, PublicKey, RlweParams, SecretKey};
use asanoha_ring::Sampler;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use rayon::prelude::*;

use super::{engine::Model, run::Noise};
use crate::circuit::{Constant, Layout};

/// What an operand is about to be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandOf {
    /// A sum or difference.
    Sum,
    /// A product.
    Product,
    /// A sum over slots.
    Trace,
    /// A function of whole numbers.
    Function,
}

/// The noise model of an exact scheme, by which circuits are scheduled.
pub trait ExactModel: Model {
    /// The ring's parameters.
    fn rlwe(&self) -> &RlweParams;
    /// The level that a ciphertext is best switched to before an operation.
    fn level_for(&self, a: &Self::Value, operation: OperandOf) -> Level;
}

/// Checked parameters of an exact scheme, by which numbers are encrypted and decrypted.
pub(super) trait ExactScheme: Sync {
    /// A ciphertext.
    type Ciphertext: Send + Sync;
    /// A plaintext of one level.
    type Plaintext;
    /// What can go wrong.
    type Error: Send;

    /// The plaintext modulus t.
    fn modulus(&self) -> &BigUint;
    /// The level of fresh ciphertexts.
    fn highest(&self) -> Level;
    /// The plaintext of words in (−t/2, t/2].
    fn encode(&self, slots: &[i64], level: Level) -> Result<Self::Plaintext, Self::Error>;
    /// The plaintext of integers in (−t/2, t/2].
    fn encode_integers(&self, slots: &[BigInt], level: Level) -> Result<Self::Plaintext, Self::Error>;
    /// A fresh ciphertext.
    fn encrypt(
        &self,
        key: &PublicKey,
        plaintext: &Self::Plaintext,
        sampler: &mut Sampler,
    ) -> Result<Self::Ciphertext, Self::Error>;
    /// The slots as words, for t of at most 64 bits.
    fn decrypt(&self, secret: &SecretKey, ciphertext: &Self::Ciphertext) -> Result<Vec<i64>, Self::Error>;
    /// The slots as integers.
    fn decrypt_integers(
        &self,
        secret: &SecretKey,
        ciphertext: &Self::Ciphertext,
    ) -> Result<Vec<BigInt>, Self::Error>;
    /// The predicted noise of a ciphertext and what the modulus has left.
    fn noise(&self, ciphertext: &Self::Ciphertext) -> Noise;
}

/// The constant of a schedule of an exact scheme.
pub(super) fn whole(constant: &Constant) -> &BigInt {
    match constant {
        Constant::Whole(value) => value,
        Constant::Real(_) => unreachable!("exact schedules have whole constants"),
    }
}

/// Encrypts a column of whole numbers, at the highest level.
pub(super) fn encrypt_column<S: ExactScheme, T: Clone + Default + Sync>(
    (scheme, key): (&S, &PublicKey),
    layout: Layout,
    column: &[T],
    encode: impl Fn(&S, &[T], Level) -> Result<S::Plaintext, S::Error> + Sync,
    sampler: &mut Sampler,
) -> Result<Vec<S::Ciphertext>, S::Error> {
    let samplers: Vec<Sampler> = (0..layout.chunks()).map(|_| sampler.branch("ciphertext", &[])).collect();
    let encrypt = |(chunk, mut sampler): (usize, Sampler)| {
        let plaintext = encode(scheme, &layout.spread(chunk, column), scheme.highest())?;
        scheme.encrypt(key, &plaintext, &mut sampler)
    };
    samplers.into_par_iter().enumerate().map(encrypt).collect()
}

/// Decrypts a column, or a number, which is one slot of one ciphertext.
pub(super) fn decrypt_values<S: ExactScheme>(
    scheme: &S,
    secret: &SecretKey,
    layout: Layout,
    ciphertexts: &[S::Ciphertext],
    column: bool,
) -> Result<Vec<BigInt>, S::Error> {
    let mut values = Vec::new();
    for (chunk, ciphertext) in ciphertexts.iter().enumerate() {
        let count = if column { layout.chunk(chunk).len() } else { 1 };
        if scheme.modulus().bits() <= 64 {
            let slots = scheme.decrypt(secret, ciphertext)?;
            values.extend(slots[..count].iter().map(|&slot| BigInt::from(slot)));
        } else {
            values.extend(scheme.decrypt_integers(secret, ciphertext)?.into_iter().take(count));
        }
    }
    Ok(values)
}

/// A number modulo t in the rows of a chunk, zero in its padding.
pub(super) fn on_rows<S: ExactScheme>(
    scheme: &S,
    layout: Layout,
    value: &BigInt,
    chunk: usize,
    level: Level,
) -> Result<S::Plaintext, S::Error> {
    let residue = centred(value, scheme.modulus());
    match i64::try_from(&residue) {
        Ok(word) => scheme.encode(&layout.spread_constant(chunk, &word), level),
        Err(_) => scheme.encode_integers(&layout.spread_constant(chunk, &residue), level),
    }
}

/// Words modulo t, in (−t/2, t/2]: ranges on one side of zero may reach up to t.
pub(super) fn centred_words(values: &[i64], t: &BigUint) -> Vec<i64> {
    let Ok(t) = i128::try_from(t.clone()) else { return values.to_vec() };
    let centred = |&value: &i64| {
        let residue = i128::from(value).rem_euclid(t);
        (if 2 * residue > t { residue - t } else { residue }) as i64
    };
    values.iter().map(centred).collect()
}

/// The least number that is x modulo t and not below another.
pub(super) fn at_least(x: &BigInt, least: &BigInt, t: &BigUint) -> BigInt {
    least + (x - least).mod_floor(&BigInt::from(t.clone()))
}

/// x modulo t, in (−t/2, t/2].
pub(super) fn centred(x: &BigInt, t: &BigUint) -> BigInt {
    let t = BigInt::from(t.clone());
    let residue = ((x % &t) + &t) % &t;
    if &residue * 2 > t { residue - t } else { residue }
}
