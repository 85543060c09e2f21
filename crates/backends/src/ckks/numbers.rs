//! CKKS: real numbers.

use std::sync::OnceLock;

use asanoha_circuits::bootstrap::{BootstrapError, Bootstrapper, SlotKind};
use asanoha_ckks::{Ckks, CkksPlaintext, Encoder, Scaled, ScaledConstant};
use asanoha_compile::{Constant, Layout, SlotRange, WholeOperation, scaled_input};
use asanoha_lang::Range;
use asanoha_lattice::Level;
use asanoha_ring::Sampler;
use asanoha_scheme::{Operand, Operations, Scheme, SchemeError, State};
use asanoha_table::ColumnValues;

use crate::scheme_name::SchemeName;
use crate::slots::numbers::{Fresh, MessageFields, Numbers, Planned, SlotsKey, encrypt_chunks};

/// Real numbers.
pub struct Real;

/// What bootstraps columns of a layout, whose values are at most 1.
///
/// # Errors
/// Matrices that can't be encoded.
///
/// # Panics
/// If the parameters have no bootstrapping.
pub fn bootstrapper(scheme: &Ckks, layout: Layout) -> Result<Bootstrapper<Ckks>, SchemeError> {
    let prepared = Bootstrapper::new(scheme, layout.block().max(LEAST_SLOTS), 1.0);
    prepared.map_err(|error| match error {
        BootstrapError::Scheme(error) => error,
        error => unreachable!("schedules bootstrap where parameters allow it: {error}"),
    })
}

/// The fewest slots that are bootstrapped.
const LEAST_SLOTS: usize = 2;

impl Planned for Ckks {
    type Numbers = Real;

    const SCHEME: SchemeName = SchemeName::Ckks;

    fn fields(message: &Scaled) -> MessageFields {
        MessageFields { factor: None, scale: Some(message.scale), bound: Some(message.bound) }
    }
}

impl Numbers<Ckks> for Real {
    type Refresher = OnceLock<Bootstrapper<Ckks>>;

    fn bootstrap<V: Operand<Ckks>>(
        operations: &Operations<Ckks, V>,
        layout: Layout,
        refresher: &Self::Refresher,
        a: &V,
    ) -> Result<V, SchemeError> {
        let bootstrapper = if let Some(prepared) = refresher.get() {
            prepared
        } else {
            let prepared = bootstrapper(operations.params(), layout)?;
            refresher.get_or_init(|| prepared)
        };
        bootstrapper.bootstrap(operations, a, SlotKind::Real)
    }

    fn multiples<V: Operand<Ckks>>(
        operations: &Operations<Ckks, V>,
        terms: &[(&V, &Constant, f64)],
        level: Level,
    ) -> Result<V, SchemeError> {
        let terms: Vec<_> = terms.iter().map(|&(a, k, scale)| (a, Self::factor(k, scale))).collect();
        operations.sum_of_multiples(&terms, level)
    }

    fn constant(c: &Constant) -> f64 {
        c.to_f64()
    }

    fn factor(k: &Constant, scale: f64) -> ScaledConstant {
        ScaledConstant { value: k.to_f64(), scale }
    }

    fn public(scheme: &Ckks, bound: f64) -> Scaled {
        Scaled { scale: scheme.scale_at(scheme.max_level()), bound }
    }

    fn scale_of(a: &State<Ckks>) -> f64 {
        a.scale()
    }

    fn mask_scale(scheme: &Ckks, level: Level) -> f64 {
        scheme.scale_at(level)
    }

    fn known(_: &Ckks, value: &Constant, scale: f64) -> Scaled {
        Scaled { scale, bound: value.to_f64().abs() }
    }

    fn in_slots(
        scheme: &Ckks,
        layout: Layout,
        slots: SlotRange,
        value: &Constant,
        level: Level,
        scale: f64,
    ) -> Result<CkksPlaintext, SchemeError> {
        let value = value.to_f64();
        let rows = layout.repeated(slots, &value);
        Encoder::new(scheme).encode_real(&rows, value.abs(), level, scale)
    }

    fn unmasked<V: Operand<Ckks>>(operations: &Operations<Ckks, V>, a: &V) -> Result<V, SchemeError> {
        let scale = operations.params().scale_at(a.state().level);
        operations.mul_constant_exact(a, ScaledConstant { value: 1.0, scale })
    }

    fn rescale<V: Operand<Ckks>>(operations: &Operations<Ckks, V>, a: &V) -> Result<V, SchemeError> {
        operations.rescale(a)
    }

    fn functions<V: Operand<Ckks>>(
        _: &Operations<Ckks, V>,
        _: &WholeOperation,
        _: &[&V],
    ) -> Result<Vec<V>, SchemeError> {
        unreachable!("plans of real numbers are refused when they have functions of whole ones")
    }

    fn encrypt(
        scheme: &Ckks,
        key: SlotsKey<'_>,
        (layout, level): (Layout, Level),
        column: &ColumnValues,
        range: &Range,
        sampler: &mut Sampler,
    ) -> Result<Option<Vec<Fresh<Ckks>>>, SchemeError> {
        let (values, bound) = scaled_input(column, range);
        let encoder = Encoder::new(scheme);
        let scale = scheme.scale_at(scheme.max_level());
        let encode = |chunk| encoder.encode_real(&layout.spread(chunk, &values), bound, level, scale);
        encrypt_chunks(scheme, key, layout, encode, sampler).map(Some)
    }
}
