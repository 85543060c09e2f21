//! The operations of a scheme, whatever they are carried out on.

use std::borrow::Cow;

use asanoha_lattice::{Level, Trace};

use crate::{Approximate, Ciphertext, Evaluator, Exact, Model, Scheme, SchemeError, State, Transform};

/// The operations of a scheme: [`Evaluator`] carries them out on ciphertexts, [`Model`] on what is known of them before there
/// are any, with the same states. What is written over this trait runs on both.
pub trait Operations: Sync {
    /// The scheme.
    type Scheme: Scheme;
    /// A ciphertext, or what is known of one.
    type Value: Clone + Send + Sync;

    /// Whether values are what is known of ciphertexts, and not ciphertexts.
    const FORESEES: bool;

    /// The noise model.
    fn model(&self) -> &Model<Self::Scheme>;
    /// What is known of a value.
    fn state_of<'v>(&self, a: &'v Self::Value) -> &'v State<Self::Scheme>;

    /// a + b.
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, SchemeError>;
    /// a − b.
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, SchemeError>;
    /// −a.
    fn neg(&self, a: &Self::Value) -> Result<Self::Value, SchemeError>;
    /// a·b, relinearised.
    fn multiply(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, SchemeError>;
    /// a + c.
    fn add_constant(
        &self,
        a: &Self::Value,
        constant: &<Self::Scheme as Scheme>::Constant,
    ) -> Result<Self::Value, SchemeError>;
    /// k·a.
    fn mul_constant(
        &self,
        a: &Self::Value,
        factor: &<Self::Scheme as Scheme>::Factor,
    ) -> Result<Self::Value, SchemeError>;
    /// a + m, for a plaintext of which this much is known beforehand.
    fn add_known(
        &self,
        a: &Self::Value,
        known: &<Self::Scheme as Scheme>::PlainState,
        encode: impl FnOnce() -> Result<<Self::Scheme as Scheme>::Plaintext, SchemeError>,
    ) -> Result<Self::Value, SchemeError>;
    /// a·m, for a plaintext of which this much is known beforehand.
    fn mul_known(
        &self,
        a: &Self::Value,
        known: &<Self::Scheme as Scheme>::PlainState,
        encode: impl FnOnce() -> Result<<Self::Scheme as Scheme>::Plaintext, SchemeError>,
    ) -> Result<Self::Value, SchemeError>;
    /// A switch to a lower level.
    fn lowered<'v>(&self, a: &'v Self::Value, level: Level) -> Result<Cow<'v, Self::Value>, SchemeError>;
    /// A rotation to the left.
    fn rotate(&self, a: &Self::Value, rotation: i64) -> Result<Self::Value, SchemeError>;
    /// A trace.
    fn trace(&self, a: &Self::Value, trace: &Trace) -> Result<Self::Value, SchemeError>;

    /// A linear transform.
    fn transform(
        &self,
        a: &Self::Value,
        transform: &Transform<Self::Scheme>,
    ) -> Result<Self::Value, SchemeError>;

    /// A division by the last prime, with the scale.
    fn rescale(&self, a: &Self::Value) -> Result<Self::Value, SchemeError>
    where
        Self::Scheme: Approximate;
    /// The value at a level's scale.
    fn adjust_to(&self, a: &Self::Value, level: Level) -> Result<Self::Value, SchemeError>
    where
        Self::Scheme: Approximate;
    /// The value, whose numbers are known to be within a bound.
    fn narrow_bound(&self, a: &Self::Value, bound: f64) -> Result<Self::Value, SchemeError>
    where
        Self::Scheme: Approximate;

    /// A product that is switched to the level that suits its noise.
    fn multiply_settled(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, SchemeError>
    where
        Self::Scheme: Exact;
    /// A constant in every slot.
    fn constant(&self, constant: i64, level: Level) -> Result<Self::Value, SchemeError>
    where
        Self::Scheme: Exact;
    /// Σ wₖ·aₖ.
    fn weighted_sum(&self, values: &[&Self::Value], weights: &[u64]) -> Result<Self::Value, SchemeError>
    where
        Self::Scheme: Exact;
    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ.
    fn bilinear_form(
        &self,
        left: &[&Self::Value],
        weights: &[u64],
        right: &[&Self::Value],
    ) -> Result<Self::Value, SchemeError>
    where
        Self::Scheme: Exact;
}

impl<S: Scheme> Operations for Evaluator<S> {
    type Scheme = S;
    type Value = Ciphertext<S>;

    const FORESEES: bool = false;

    fn model(&self) -> &Model<S> {
        &self.model
    }
    fn state_of<'v>(&self, a: &'v Ciphertext<S>) -> &'v State<S> {
        a.state()
    }
    fn add(&self, a: &Ciphertext<S>, b: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.add(a, b)
    }
    fn sub(&self, a: &Ciphertext<S>, b: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.sub(a, b)
    }
    fn neg(&self, a: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        Ok(self.neg(a))
    }
    fn multiply(&self, a: &Ciphertext<S>, b: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.multiply(a, b)
    }
    fn add_constant(&self, a: &Ciphertext<S>, constant: &S::Constant) -> Result<Ciphertext<S>, SchemeError> {
        self.add_constant(a, constant.clone())
    }
    fn mul_constant(&self, a: &Ciphertext<S>, factor: &S::Factor) -> Result<Ciphertext<S>, SchemeError> {
        self.mul_constant(a, factor.clone())
    }
    fn add_known(
        &self,
        a: &Ciphertext<S>,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<S::Plaintext, SchemeError>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        self.add_plain_known(a, &encode()?, known)
    }
    fn mul_known(
        &self,
        a: &Ciphertext<S>,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<S::Plaintext, SchemeError>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        self.mul_plain_known(a, &encode()?, known)
    }
    fn lowered<'v>(&self, a: &'v Ciphertext<S>, level: Level) -> Result<Cow<'v, Ciphertext<S>>, SchemeError> {
        self.lowered(a, level)
    }
    fn rotate(&self, a: &Ciphertext<S>, rotation: i64) -> Result<Ciphertext<S>, SchemeError> {
        self.rotate(a, rotation)
    }
    fn trace(&self, a: &Ciphertext<S>, trace: &Trace) -> Result<Ciphertext<S>, SchemeError> {
        self.trace(a, trace)
    }
    fn transform(&self, a: &Ciphertext<S>, transform: &Transform<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.transform(a, transform)
    }
    fn rescale(&self, a: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError>
    where
        S: Approximate,
    {
        self.rescale(a)
    }
    fn adjust_to(&self, a: &Ciphertext<S>, level: Level) -> Result<Ciphertext<S>, SchemeError>
    where
        S: Approximate,
    {
        self.adjust_to(a, level)
    }
    fn narrow_bound(&self, a: &Ciphertext<S>, bound: f64) -> Result<Ciphertext<S>, SchemeError>
    where
        S: Approximate,
    {
        a.clone().narrow_bound(bound)
    }
    fn multiply_settled(&self, a: &Ciphertext<S>, b: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError>
    where
        S: Exact,
    {
        self.multiply_settled(a, b)
    }
    fn constant(&self, constant: i64, level: Level) -> Result<Ciphertext<S>, SchemeError>
    where
        S: Exact,
    {
        self.constant(constant, level)
    }
    fn weighted_sum(&self, values: &[&Ciphertext<S>], weights: &[u64]) -> Result<Ciphertext<S>, SchemeError>
    where
        S: Exact,
    {
        self.weighted_sum(values, weights)
    }
    fn bilinear_form(
        &self,
        left: &[&Ciphertext<S>],
        weights: &[u64],
        right: &[&Ciphertext<S>],
    ) -> Result<Ciphertext<S>, SchemeError>
    where
        S: Exact,
    {
        self.bilinear_form(left, weights, right)
    }
}

/// Of ciphertexts of two parts.
impl<S: Scheme> Operations for Model<S> {
    type Scheme = S;
    type Value = State<S>;

    const FORESEES: bool = true;

    fn model(&self) -> &Model<S> {
        self
    }
    fn state_of<'v>(&self, a: &'v State<S>) -> &'v State<S> {
        a
    }
    fn add(&self, a: &State<S>, b: &State<S>) -> Result<State<S>, SchemeError> {
        self.add(a, b)
    }
    fn sub(&self, a: &State<S>, b: &State<S>) -> Result<State<S>, SchemeError> {
        self.add(a, b)
    }
    fn neg(&self, a: &State<S>) -> Result<State<S>, SchemeError> {
        Ok(a.clone())
    }
    fn multiply(&self, a: &State<S>, b: &State<S>) -> Result<State<S>, SchemeError> {
        self.multiply(a, b)
    }
    fn add_constant(&self, a: &State<S>, constant: &S::Constant) -> Result<State<S>, SchemeError> {
        self.add_constant(a, constant.clone())
    }
    fn mul_constant(&self, a: &State<S>, factor: &S::Factor) -> Result<State<S>, SchemeError> {
        self.mul_constant(a, factor.clone())
    }
    fn add_known(
        &self,
        a: &State<S>,
        known: &S::PlainState,
        _: impl FnOnce() -> Result<S::Plaintext, SchemeError>,
    ) -> Result<State<S>, SchemeError> {
        self.add_plain(a, known)
    }
    fn mul_known(
        &self,
        a: &State<S>,
        known: &S::PlainState,
        _: impl FnOnce() -> Result<S::Plaintext, SchemeError>,
    ) -> Result<State<S>, SchemeError> {
        self.mul_plain(a, known)
    }
    fn lowered<'v>(&self, a: &'v State<S>, level: Level) -> Result<Cow<'v, State<S>>, SchemeError> {
        if a.level == level { Ok(Cow::Borrowed(a)) } else { self.switch_to(a, 2, level).map(Cow::Owned) }
    }
    fn rotate(&self, a: &State<S>, rotation: i64) -> Result<State<S>, SchemeError> {
        match crate::rotation_element(self.scheme(), rotation)? {
            asanoha_ring::GaloisElement(1) => Ok(a.clone()),
            _ => self.key_switch(a),
        }
    }
    fn trace(&self, a: &State<S>, trace: &Trace) -> Result<State<S>, SchemeError> {
        self.trace(a, trace)
    }
    fn transform(&self, a: &State<S>, transform: &Transform<S>) -> Result<State<S>, SchemeError> {
        self.transform(a, transform.steps(), transform.state())
    }
    fn rescale(&self, a: &State<S>) -> Result<State<S>, SchemeError>
    where
        S: Approximate,
    {
        self.rescale(a, 2)
    }
    fn adjust_to(&self, a: &State<S>, level: Level) -> Result<State<S>, SchemeError>
    where
        S: Approximate,
    {
        self.adjust_to(a, 2, level)
    }
    fn narrow_bound(&self, a: &State<S>, bound: f64) -> Result<State<S>, SchemeError>
    where
        S: Approximate,
    {
        a.narrow_bound(bound)
    }
    fn multiply_settled(&self, a: &State<S>, b: &State<S>) -> Result<State<S>, SchemeError>
    where
        S: Exact,
    {
        self.multiply_settled(a, b)
    }
    fn constant(&self, constant: i64, level: Level) -> Result<State<S>, SchemeError>
    where
        S: Exact,
    {
        self.constant(constant, level)
    }
    fn weighted_sum(&self, values: &[&State<S>], weights: &[u64]) -> Result<State<S>, SchemeError>
    where
        S: Exact,
    {
        Ok(self.weighted_sum(values, weights)?.0)
    }
    fn bilinear_form(
        &self,
        left: &[&State<S>],
        weights: &[u64],
        right: &[&State<S>],
    ) -> Result<State<S>, SchemeError>
    where
        S: Exact,
    {
        self.relinearise_settled(&self.bilinear_form(left, weights, right)?.0)
    }
}
