//! Integers of TFHE in files.

use asanoha_lattice::{FileError, FileReader, FileWriter};
use asanoha_ring::Seed;
use asanoha_tfhe::{Ciphertext, EncryptedInteger, IntegerType, TfheError, TfheParams};
use rayon::prelude::*;

use crate::backend::Scheduled;
use crate::ciphertexts::{Ciphertexts, EncryptedValues, Fresh, Stated, StatedCiphertext, StatedValue};
use crate::tfhe::rows::integer_type;

/// The words of a digit in a file where a seed stands for its mask.
const SEEDED_WORDS: usize = Seed::WORDS + 1;

impl EncryptedValues for Vec<Vec<EncryptedInteger>> {
    fn copied(&self) -> Ciphertexts {
        Ciphertexts::new(self.clone())
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn count(&self) -> usize {
        self.iter().flatten().map(|integer| integer.blocks().len()).sum()
    }

    fn bytes(&self) -> u64 {
        let digits = self.iter().flatten().flat_map(EncryptedInteger::blocks);
        digits.map(|digit| size_of_val(digit.words()) as u64).sum()
    }

    fn stated(&self) -> Vec<Vec<StatedCiphertext>> {
        self.iter().map(|_| Vec::new()).collect()
    }

    fn put<'v>(&'v self, names: &[String], seeds: &'v [Vec<[u64; Seed::WORDS]>], file: &mut FileWriter<'v>) {
        for (at, (rows, name)) in self.iter().zip(names).enumerate() {
            let digits = rows.iter().flat_map(EncryptedInteger::blocks);
            let words: Vec<&[u64]> = digits.map(Ciphertext::words).collect();
            let blocks = rows.first().map_or(0, |row| row.blocks().len());
            let mask = words.first().map_or(0, |words| words.len() - 1);
            // Seed and body of every digit.
            let (pieces, each) = match seeds.get(at).filter(|seeds| seeds.len() == words.len()) {
                Some(seeds) => {
                    let pieces =
                        words.iter().zip(seeds).flat_map(|(words, seed)| [&seed[..], &words[mask..]]);
                    (pieces.collect(), SEEDED_WORDS)
                }
                None => (words, mask + 1),
            };
            file.tensor(name.clone(), &[rows.len(), blocks, each], pieces);
        }
    }
}

/// Reads the integers of every value, as wide and as noisy as the schedule gives.
pub(crate) fn read(of: Scheduled<'_>, stated: Stated<'_>, file: &FileReader<'_>) -> Result<Fresh, FileError> {
    let (params, key): (&TfheParams, _) = (of.own(), file.header().key);
    let (steps, rows) = (stated.contents.steps(of.circuit), stated.contents.chunks(of.circuit, of.layout()));
    let value = |((value, step), rows): ((&StatedValue, usize), usize)| {
        let step = &of.circuit.steps[step];
        let found = integer_type(step.width.expect("integers have a width"));
        let variance = params.variance(step.noise_bits);
        let largest = IntegerType::LARGEST_DIGIT;
        let seeded = file.tensor(&value.name)?.0.last() == Some(&SEEDED_WORDS);
        let each = if seeded { SEEDED_WORDS } else { params.ciphertext_words() };
        let words = file.words(&value.name, &[rows, found.blocks, each])?;
        let seed_of = |words: &[u64]| Seed::from_words(&words[..Seed::WORDS]);
        let digit = |words: &[u64]| {
            if seeded {
                let seeded = (&seed_of(words), words[Seed::WORDS]);
                Ciphertext::from_seed(params, key, seeded, largest, variance)
            } else {
                Ciphertext::from_words(params, key, words, largest, variance)
            }
        };
        let integer = |words: &[u64]| {
            let digits = words.chunks_exact(each).map(digit).collect::<Result<_, _>>()?;
            EncryptedInteger::from_blocks(digits, found.signed)
        };
        let integers: Result<_, TfheError> =
            words.par_chunks_exact(each * found.blocks).map(integer).collect();
        let seeds = words.chunks_exact(each).filter(|_| seeded).map(seed_of).collect();
        Ok((integers.map_err(|error| file.error(error.to_string()))?, seeds))
    };
    let values = stated.values.iter().zip(steps).zip(rows).map(value);
    let (values, seeds): (Vec<Vec<EncryptedInteger>>, _) =
        values.collect::<Result<Vec<_>, FileError>>()?.into_iter().unzip();
    Ok(Fresh { values: Ciphertexts::new(values), seeds })
}
