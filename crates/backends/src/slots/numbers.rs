//! What planning and execution ask of a scheme beside [`asanoha_scheme::Scheme`].

use asanoha_compile::{Constant, Layout, SlotRange, WholeOperation};
use asanoha_kernels::Backend;
use asanoha_lattice::{Level, Norm, PublicKey, RlweLiteral, SecretKey};
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::{
    Ciphertext, Exact, Model, Operand, Operations, PlaintextSpace, Scheme, SchemeError, State,
};
use asanoha_table::ColumnValues;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use asanoha_circuits::parallel::try_map_owned;

use crate::literal::ParamsLiteral;
use crate::scheme_name::SchemeName;

/// A scheme that programs run on.
pub trait Planned: Scheme {
    /// Whole numbers or real ones.
    type Numbers: Numbers<Self>;

    /// Its name among all.
    const SCHEME: SchemeName;

    /// What a file says of a ciphertext's message.
    fn fields(message: &Self::Message) -> MessageFields;
}

/// An exact scheme that programs run on.
pub trait PlannedExact: Planned + Exact {
    /// Whether primes that are 1 modulo t make operations cheaper.
    const PRIMES_MODULO_T: bool;
    /// Whether products go down the levels, functions aside.
    const SWITCHES_MODULI: bool;
    /// True if plaintexts of one number modulo 2^N + 1 exist.
    const HAS_ONE_NUMBER: bool;

    /// Checks parameters of a ring and its plaintexts.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    fn checked(rlwe: RlweLiteral, plaintexts: Plaintexts<'_>, backend: Backend) -> Result<Self, String>;

    /// The parameters as written down.
    fn to_literal(&self) -> ParamsLiteral;

    /// Checks parameters that were written down.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    fn from_literal(literal: &ParamsLiteral, backend: Backend) -> Result<Self, String>;

    /// log2 of the noise of a ciphertext.
    fn measured(secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> f64;

    /// The level that a ciphertext is best switched to before an operation.
    fn level_for(model: &Model<Self>, a: &State<Self>, operation: OperandOf) -> Level;
}

/// The plaintexts of parameters.
#[derive(Clone, Copy, Debug)]
pub enum Plaintexts<'a> {
    /// Numbers modulo an integer t.
    Integers(&'a PlaintextSpace),
    /// One number modulo 2^N + 1, in N binary digits: polynomials modulo X − 2. Products add as little noise as those modulo 3.
    OneNumber,
}

impl Plaintexts<'_> {
    /// The norm of the plaintext modulus: t, or b + 1 of X − b.
    pub(crate) fn modulus_norm(self) -> Norm {
        match self {
            Self::Integers(space) => Norm::from(space.modulus()),
            Self::OneNumber => Norm::from(3.0),
        }
    }

    /// An integer t of one word.
    pub(crate) fn word(self) -> Option<u64> {
        match self {
            Self::Integers(space) => space.modulus().to_u64(),
            Self::OneNumber => None,
        }
    }
}

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

/// How a message stands in a ciphertext, in a file.
#[derive(Debug, Default)]
pub struct MessageFields {
    /// BGV's correction factor.
    pub factor: Option<BigUint>,
    /// CKKS's scale.
    pub scale: Option<f64>,
    /// CKKS's bound.
    pub bound: Option<f64>,
}

/// The kind of numbers that a scheme computes on: how those of programs and of columns become its own.
pub trait Numbers<S: Scheme> {
    /// What bootstrapping prepares once: nothing where there's none.
    type Refresher: std::fmt::Debug + Default + Send + Sync;

    /// A bootstrapping of columns of a layout.
    fn bootstrap<V: Operand<S>>(
        _operations: &Operations<S, V>,
        _layout: Layout,
        _refresher: &Self::Refresher,
        _a: &V,
    ) -> Result<V, SchemeError> {
        unreachable!("only plans of CKKS have any")
    }

    /// Σ k·a at a level, in approximate schemes.
    fn multiples<V: Operand<S>>(
        _operations: &Operations<S, V>,
        _terms: &[(&V, &Constant, f64)],
        _level: Level,
    ) -> Result<V, SchemeError> {
        unreachable!("only plans of CKKS have any")
    }

    /// Says whether a product with any constant is one with an integer ([`Scheme::constant_product`]).
    fn has_integer_factors(_scheme: &S) -> bool {
        true
    }

    /// A constant that is added.
    fn constant(c: &Constant) -> S::Constant;

    /// A constant that is multiplied by, at a scale of its own.
    fn factor(k: &Constant, scale: f64) -> S::Factor;

    /// What is public of a column of numbers up to a bound.
    fn public(scheme: &S, bound: f64) -> S::Public;

    /// The scale of what is added to a ciphertext.
    fn scale_of(a: &State<S>) -> f64;

    /// The scale of a mask at a level.
    fn mask_scale(scheme: &S, level: Level) -> f64;

    /// What is known of a plaintext that holds a number in some slots and zero in the others.
    fn known(scheme: &S, value: &Constant, scale: f64) -> S::PlainState;

    /// A number in the given slots of every block, zero in the others.
    fn in_slots(
        scheme: &S,
        layout: Layout,
        slots: SlotRange,
        value: &Constant,
        level: Level,
        scale: f64,
    ) -> Result<S::Plaintext, SchemeError>;

    /// A ciphertext as its mask would leave it that has nothing to mask.
    fn unmasked<V: Operand<S>>(operations: &Operations<S, V>, a: &V) -> Result<V, SchemeError>;

    /// Division by the last prime, with the scale.
    fn rescale<V: Operand<S>>(operations: &Operations<S, V>, a: &V) -> Result<V, SchemeError>;

    /// Functions of whole numbers.
    fn functions<V: Operand<S>>(
        operations: &Operations<S, V>,
        operation: &WholeOperation,
        operands: &[&V],
    ) -> Result<Vec<V>, SchemeError>;

    /// Encrypts a column, or a view of one, at a level; `None` if its numbers aren't of the kind. The range's power of two and
    /// the bound are those of real columns.
    fn encrypt(
        scheme: &S,
        key: SlotsKey<'_>,
        place: (Layout, Level),
        column: &ColumnValues,
        range: &asanoha_lang::Range,
        sampler: &mut Sampler,
    ) -> Result<Option<Vec<Fresh<S>>>, SchemeError>;
}

/// What encrypts in schemes with slots.
#[derive(Clone, Copy)]
pub enum SlotsKey<'a> {
    /// The public key.
    Public(&'a PublicKey),
    /// The secret key, whose ciphertexts take half the bytes.
    Secret(&'a SecretKey),
}

/// A fresh ciphertext, and the seed of its uniform half where the secret key made it.
pub(crate) type Fresh<S> = (Ciphertext<S>, Option<Seed>);

/// Encrypts the chunks of a column, each from a stream of its own.
pub(crate) fn encrypt_chunks<S: Scheme>(
    scheme: &S,
    key: SlotsKey<'_>,
    layout: Layout,
    encode: impl Fn(usize) -> Result<S::Plaintext, SchemeError> + Sync,
    sampler: &mut Sampler,
) -> Result<Vec<Fresh<S>>, SchemeError> {
    let encryptor = asanoha_scheme::Encryptor::new(scheme);
    let samplers: Vec<Sampler> = (0..layout.chunks()).map(|_| sampler.branch("ciphertext", &[])).collect();
    try_map_owned(samplers, &|chunk, mut sampler| {
        let plaintext = encode(chunk)?;
        match key {
            SlotsKey::Public(key) => Ok((encryptor.encrypt(key, &plaintext, &mut sampler)?, None)),
            SlotsKey::Secret(key) => {
                let (ciphertext, seed) = encryptor.encrypt_seeded(key, &plaintext, &mut sampler)?;
                Ok((ciphertext, Some(seed)))
            }
        }
    })
}
