//! Ciphertexts of schemes with slots in files.

use asanoha_lattice::{FileError, FileReader, FileWriter, Norm, RlweCiphertext};
use asanoha_numeric::approximately_equal;
use asanoha_ring::Seed;
use asanoha_scheme::{Ciphertext, State};
use rayon::prelude::*;

use crate::backend::Scheduled;
use crate::ciphertexts::{Ciphertexts, EncryptedValues, Fresh, Stated, StatedCiphertext, StatedValue};
use crate::slots::engine::{Columns, place_of};
use crate::slots::numbers::MessageFields;
use crate::slots::slots_scheme::SlotsScheme;
use crate::slots::states::states;

/// A file's description of a ciphertext. Numbers are cut to 32 bits, as mathematics libraries of two machines may differ in the last of 52, and
/// the files' digests should not.
fn stated<S: SlotsScheme>(state: &State<S>) -> StatedCiphertext {
    let MessageFields { factor, scale, bound } = S::fields(&state.message);
    let (mantissa, exponent) = state.noise.into();
    let noise = Norm::try_from((cut(mantissa), exponent)).expect("a norm with fewer bits is one");
    StatedCiphertext { noise, factor: factor.map(Into::into), scale: scale.map(cut), bound: bound.map(cut) }
}

/// A number without the lowest 20 bits of its mantissa.
fn cut(number: f64) -> f64 {
    f64::from_bits(number.to_bits() & !0xF_FFFF)
}

impl<S: SlotsScheme> EncryptedValues for Vec<Vec<Ciphertext<S>>> {
    fn copied(&self) -> Ciphertexts {
        Ciphertexts::new(self.clone())
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn count(&self) -> usize {
        self.iter().map(Vec::len).sum()
    }

    fn bytes(&self) -> u64 {
        let bytes = |ciphertext: &Ciphertext<S>| {
            ciphertext.rlwe().parts.iter().map(|part| size_of_val(part.words()) as u64).sum::<u64>()
        };
        self.iter().flatten().map(bytes).sum()
    }

    fn stated(&self) -> Vec<Vec<StatedCiphertext>> {
        let one = |ciphertext: &Ciphertext<S>| stated::<S>(ciphertext.state());
        self.iter().map(|value| value.iter().map(one).collect()).collect()
    }

    fn put<'v>(&'v self, names: &[String], seeds: &'v [Vec<[u64; Seed::WORDS]>], file: &mut FileWriter<'v>) {
        for (at, (value, name)) in self.iter().zip(names).enumerate() {
            for (chunk, ciphertext) in value.iter().enumerate() {
                let name = tensor_name(name, chunk);
                match seeds.get(at).and_then(|seeds| seeds.get(chunk)) {
                    Some(seed) => ciphertext.rlwe().put_seeded(seed, file, &name),
                    None => ciphertext.rlwe().put(file, &name),
                }
            }
        }
    }
}

/// Reads the ciphertexts of every value, made of what the file holds and of the states that the schedule gives.
pub(crate) fn read<S: SlotsScheme>(
    of: Scheduled<'_>,
    Stated { contents, reencryptions, values }: Stated<'_>,
    file: &FileReader<'_>,
) -> Result<Fresh, FileError> {
    let (scheme, layout) = (of.own::<S>(), of.layout());
    let states = states(scheme, of.circuit, layout, contents, reencryptions)
        .map_err(|error| file.error(error.to_string()))?;
    let ciphertext = |name: &str, said: &StatedCiphertext, state: &State<S>| {
        let (rlwe, seed) = RlweCiphertext::get(asanoha_scheme::Scheme::rlwe(scheme), file, name)?;
        let (found, planned) = (rlwe.level().0, state.level.0);
        if found != planned {
            let message = format!("{name} is of level {found}, and the plan gives level {planned}");
            return Err(file.error(message));
        }
        let ciphertext = Ciphertext::from_checked_parts(scheme, rlwe, state.clone())
            .map_err(|error| file.error(format!("{name}: {error}")))?;
        if approximately_equal(&json(said), &json(&stated::<S>(state))) {
            return Ok((ciphertext, seed));
        }
        Err(file.error(format!("{name} states another scale, factor, bound or noise than the plan gives")))
    };
    let value = |(value, states): (&StatedValue, &Vec<State<S>>)| {
        let ciphertexts = value.ciphertexts.par_iter().enumerate();
        let ciphertexts = ciphertexts.map(|(chunk, said)| {
            let place = if states.len() == 1 { 0 } else { place_of::<Columns<S, State<S>>>(layout, chunk) };
            ciphertext(&tensor_name(&value.name, chunk), said, &states[place])
        });
        let (ciphertexts, seeds): (_, Vec<Option<Seed>>) =
            ciphertexts.collect::<Result<Vec<_>, FileError>>()?.into_iter().unzip();
        Ok((ciphertexts, seeds.into_iter().flatten().collect()))
    };
    let values = values.par_iter().zip(&states).map(value);
    let (values, seeds): (Vec<Vec<Ciphertext<S>>>, _) =
        values.collect::<Result<Vec<_>, FileError>>()?.into_iter().unzip();
    Ok(Fresh { values: Ciphertexts::new(values), seeds })
}

fn json(said: &StatedCiphertext) -> serde_json::Value {
    serde_json::to_value(said).expect("plain data")
}

fn tensor_name(name: &str, chunk: usize) -> String {
    format!("{name}.{chunk}")
}
