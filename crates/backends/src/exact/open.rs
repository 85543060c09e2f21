//! Results of exact schemes: whole numbers out of ciphertexts.

use asanoha_compile::Layout;
use asanoha_lang::{Range, Shape};
use asanoha_lattice::SecretKey;
use asanoha_scheme::{Ciphertext, Decryptor, Exact};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;

use crate::altered::ResultPlace;
use crate::backend::Scheduled;
use crate::backend_error::BackendError;
use crate::done::{Done, go_on};
use crate::opened::{Noise, Opened, OpenedNumbers};
use crate::slots::copies::Copies;

/// The numbers of every output that are in its range.
pub(crate) fn open<S: Exact>(
    scheme: &S,
    of: Scheduled<'_>,
    ranges: &[&Range],
    secret: &SecretKey,
    values: &[Vec<Ciphertext<S>>],
    done: Done<'_>,
) -> Result<Opened, BackendError> {
    let mut results = Vec::with_capacity(values.len());
    let mut noise = Noise::NONE;
    let copies = Copies::new(of.circuit, of.layout());
    for (at, ((output, range), ciphertexts)) in of.circuit.outputs.iter().zip(ranges).zip(values).enumerate()
    {
        let ends = [range.lo() / &output.factor, range.hi() / &output.factor];
        let least = ends.iter().min().expect("two ends").floor().to_integer();
        let column = of.circuit.steps[output.step].shape == Shape::Column;
        let check = |chunk, slots: Slots<'_>| match slots {
            Slots::Words(slots) => copies.check_all(at, chunk, slots),
            Slots::Integers(slots) => copies.check_all(at, chunk, slots),
        };
        let numbers =
            decrypt_values((scheme, secret), of.layout(), ciphertexts, (&output.name, column), &check)?;
        for ciphertext in ciphertexts {
            noise = noise.worst(Noise {
                predicted_bits: ciphertext.noise().log2(),
                budget_bits: ciphertext.noise_budget_bits(),
            });
        }
        let t = of.hints.reduced.as_ref().map_or_else(|| scheme.plaintext_modulus(), |modulus| &modulus.0);
        results.push(numbers.into_iter().map(|value| at_least(&value, &least, t)).collect());
        go_on(done())?;
    }
    Ok(Opened { numbers: OpenedNumbers::Whole(results), noise })
}

/// All slots of a ciphertext.
enum Slots<'a> {
    Words(&'a [i64]),
    Integers(&'a [BigInt]),
}

/// Decrypts a column, or a number, which is one slot of one ciphertext, and passes all slots to a check.
fn decrypt_values<S: Exact>(
    (scheme, secret): (&S, &SecretKey),
    layout: Layout,
    ciphertexts: &[Ciphertext<S>],
    (output, column): (&str, bool),
    check: &dyn Fn(usize, Slots<'_>) -> Result<(), BackendError>,
) -> Result<Vec<BigInt>, BackendError> {
    let (decryptor, mut values) = (Decryptor::new(scheme), Vec::new());
    for (chunk, ciphertext) in ciphertexts.iter().enumerate() {
        let count = if column { layout.chunk(chunk).len() } else { 1 };
        let at = |error| BackendError::at(error, || ResultPlace::of_chunk(output, column, layout, chunk));
        if scheme.plaintext_modulus().bits() <= 64 {
            let slots = decryptor.decrypt(secret, ciphertext).map_err(at)?;
            check(chunk, Slots::Words(&slots))?;
            values.extend(slots[..count].iter().map(|&slot| BigInt::from(slot)));
        } else {
            let slots = decryptor.decrypt_integers(secret, ciphertext).map_err(at)?;
            check(chunk, Slots::Integers(&slots))?;
            values.extend(slots.into_iter().take(count));
        }
    }
    Ok(values)
}

/// The least number that is x modulo t and not below another.
fn at_least(x: &BigInt, least: &BigInt, t: &BigUint) -> BigInt {
    least + (x - least).mod_floor(&BigInt::from(t.clone()))
}
