//! Files of client keys.

use asanoha_lattice::{Destination, FileError, FileReader, FileWriter, GlweSecretKey, LweSecretKey, Source};
use asanoha_ring::Words;
use serde_json::Value;

use super::CLIENT;
use crate::{ClientKey, TfheParams};

impl ClientKey {
    /// Writes the secrets to a file that only its owner may read, or to memory, and returns the file's length in bytes.
    pub fn write<'d>(&self, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        let mut file = FileWriter::new(self.params.file_header(self.id, CLIENT, Value::Null)).private();
        for (name, bits) in [("glwe", self.glwe.bits()), ("lwe", self.lwe.bits())] {
            file.tensor(name, &[bits.len()], vec![bits]);
        }
        file.write(to)
    }

    /// Reads the secrets. What was read is erased from memory, apart from the key.
    ///
    /// # Errors
    /// If the file isn't a client key of these parameters, or was altered.
    pub fn read<'s>(params: &TfheParams, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let file = FileReader::read(from, CLIENT, params.digest())?;
        let bits = |name, count| {
            let words = file.words(name, &[count])?;
            // All are looked at, so that the time says nothing of them.
            if words.iter().fold(0, |or, word| or | word) > 1 {
                return Err(file.error(format!("the bits of {name} aren't all 0 or 1: make new keys")));
            }
            let mut bits = Words::secret(count);
            bits.copy_from_slice(words);
            Ok(bits)
        };
        let glwe = GlweSecretKey::from_bits(&params.0.ring, bits("glwe", params.dimension())?);
        let lwe = LweSecretKey::from_bits(bits("lwe", params.literal().lwe_dimension)?);
        Ok(Self { params: params.clone(), id: file.header().key, extracted: glwe.to_lwe(), glwe, lwe })
    }
}
