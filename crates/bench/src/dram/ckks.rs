//! Bootstrapping of CKKS.

use asanoha_ckks::{BootstrapSet, Complex64};
use asanoha_ring::keep_unused_memory;

use super::{DramError, phases::Phases, subject::Subject};
use crate::{
    BootstrapKind, Settings,
    bootstrap::{Fixture, KEPT},
};

/// The parameter set of [`crate::vectors`]' chains of products.
const SET: BootstrapSet = BootstrapSet::S40;
/// A limit from which on the keys stay in memory, in bytes.
const KEYS_FIT: u64 = 10_000_000_000;
/// The part of a limit that dropped polynomials may keep.
const KEPT_PART: u64 = 32;

/// Keys, encryption, the bootstrapping of one ciphertext of real slots, decryption. The keys are in a file if the limit asks for it.
///
/// # Errors
/// A file of keys that can't be used, and a wrong result.
pub(super) fn run(
    settings: &Settings,
    memory_limit: Option<u64>,
    phases: &mut Phases,
) -> Result<Subject, DramError> {
    let backend = *settings.backends.last().expect("at least one is measured");
    let low_memory = memory_limit.is_some_and(|limit| limit < KEYS_FIT);
    keep_unused_memory(memory_limit.map_or(KEPT, |limit| KEPT.min((limit / KEPT_PART) as usize)));
    let value = |j: f64| Complex64::from(0.7 * (j * j * 1.7).sin());

    phases.start();
    let mut fixture = Fixture::new(SET, SET.ring_degree(), backend, low_memory)?;
    phases.end();
    let low = fixture.low(value, 1.0)?;
    phases.end();
    let results = fixture.bootstrap(&low, BootstrapKind::Real)?;
    phases.end();
    let errors = fixture.errors(&results, &low, BootstrapKind::Real)?;
    phases.end();

    errors.check(SET)?;
    Ok(Subject {
        parameters: format!("{}, {} slots", SET.name(), fixture.slots()),
        ciphertexts: 1,
        key_place: if low_memory { "file" } else { "memory" },
        key_bytes: fixture.key_bytes() as u64,
    })
}
