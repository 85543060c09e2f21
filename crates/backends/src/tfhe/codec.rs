//! Integers of TFHE in checkpoints.

use std::sync::OnceLock;

use asanoha_lattice::{FileError, FileReader, FileWriter, KeyId};
use asanoha_tfhe::{Ciphertext, EncryptedInteger, TfheParams};

use crate::backend::Scheduled;
use crate::checkpoints::codec::{Codec, Form};
use crate::checkpoints::part::Part;
use crate::tfhe::rows::integer_type;
use crate::tfhe::search::integer_states;

/// Integers of the steps of a plan.
pub(crate) struct IntegerCodec<'a> {
    of: Scheduled<'a>,
    params: &'a TfheParams,
    key: KeyId,
    /// What the plan gives of an integer of every step.
    states: OnceLock<Option<Vec<EncryptedInteger>>>,
}

impl<'a> IntegerCodec<'a> {
    pub(crate) fn new(of: Scheduled<'a>, key: KeyId) -> Self {
        Self { of, params: of.own(), key, states: OnceLock::new() }
    }

    fn state(&self, step: usize) -> Option<&EncryptedInteger> {
        let derive = || {
            let Scheduled { circuit, hints, rows, .. } = self.of;
            integer_states(circuit, self.params, hints.threads, rows).ok()
        };
        self.states.get_or_init(derive).as_ref()?.get(step)
    }
}

impl Codec for IntegerCodec<'_> {
    type Value = EncryptedInteger;

    fn places(&self) -> usize {
        self.of.rows
    }

    fn form(&self, part: Part) -> Option<Form> {
        let blocks = integer_type(self.of.circuit.steps.get(part.step())?.width?).blocks;
        Some(Form { values: 1, shape: vec![blocks, self.params.ciphertext_words()] })
    }

    fn bytes(&self, value: &EncryptedInteger) -> u64 {
        value.blocks().iter().map(|digit| size_of_val(digit.words()) as u64).sum()
    }

    fn put<'v>(&self, value: &'v EncryptedInteger, file: &mut FileWriter<'v>, name: &str) {
        let words: Vec<&[u64]> = value.blocks().iter().map(Ciphertext::words).collect();
        file.tensor(name, &[words.len(), words[0].len()], words);
    }

    fn get(
        &self,
        file: &FileReader<'_>,
        name: &str,
        part: Part,
        _: usize,
    ) -> Result<EncryptedInteger, FileError> {
        let (_, words) = file.tensor(name)?;
        let state = self.state(part.step()).ok_or_else(|| file.error("the plan has no such values"))?;
        let digits = words.chunks_exact(self.params.ciphertext_words()).zip(state.blocks());
        let digit = |(words, state): (&[u64], &Ciphertext)| {
            // A digit without noise is public, and the plan tells which it is.
            let (mask, body) = words.split_at(words.len() - 1);
            let public = state.words().last() == body.first() && mask.iter().all(|&word| word == 0);
            if state.variance() == 0.0 && !public {
                return Err(file.error(format!("{name} has another public digit than the plan gives")));
            }
            Ciphertext::from_words(self.params, self.key, words, state.largest(), state.variance())
                .map_err(|error| file.error(format!("{name}: {error}")))
        };
        let digits = digits.map(digit).collect::<Result<Vec<_>, _>>()?;
        EncryptedInteger::from_blocks(digits, state.integer_type().signed)
            .map_err(|error| file.error(format!("{name}: {error}")))
    }
}
