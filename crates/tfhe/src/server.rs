//! The server's key: programmable bootstrapping, and gates of bits by it.

use std::convert::Infallible;

use asanoha_lattice::{BootstrapKey, KeyId, LweCiphertext, LweSwitchKey};
use rayon::prelude::*;

use crate::{
    Ciphertext, EncryptedBit, Table, TfheError, TfheParams,
    batch::{Rotation, bootstrap, check},
};

/// How many numbers go through the keys together, at most: more gain nothing, as they'd stand further away.
const TOGETHER: usize = 32;

/// The keys of programmable bootstrapping.
#[derive(Debug)]
pub struct ServerKey {
    pub(crate) params: TfheParams,
    pub(crate) id: KeyId,
    pub(crate) bootstrap: BootstrapKey,
    pub(crate) switch: LweSwitchKey,
}

impl ServerKey {
    /// The identifier of the key generation that it belongs to.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The table's value at the encrypted number, with fresh noise: programmable bootstrapping.
    ///
    /// The key switch leads to the small LWE secret, the modulus switch to phases modulo 2N; blind rotation turns the
    /// table by the phase, and its constant coefficient is the result. Of a table of several functions, it's the first's.
    ///
    /// Noise: that of a blind rotation, whatever the noise was. The result is wrong with at most the probability of the
    /// parameters.
    ///
    /// Source: Chillotti, Joye, Paillier, "Programmable bootstrapping enables efficient homomorphic inference of deep neural
    /// networks" (CSCML 2021); the key switch comes first.
    pub fn apply(&self, table: &Table, ciphertext: &Ciphertext) -> Result<Ciphertext, TfheError> {
        let mut results = self.apply_many(&[(table, ciphertext)])?;
        Ok(results.swap_remove(0))
    }

    /// [`ServerKey::apply`] for each pair of a table and a number, in their order, on the threads of the caller's pool. A
    /// table of several functions gives as many numbers, one behind another. Many together are faster than one after
    /// another, as the keys are read once for some of them.
    ///
    /// # Errors
    /// The first pair's that has one.
    pub fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError> {
        check(&self.params, self.id, jobs)?;
        let part = jobs.len().div_ceil(rayon::current_num_threads()).clamp(1, TOGETHER);
        let results = jobs.par_chunks(part).flat_map_iter(|jobs| {
            let switch = |numbers: &[&LweCiphertext]| self.switch.switch_many(numbers);
            let rotate =
                |rotations: &[Rotation<'_>]| Ok(self.bootstrap.blind_rotate_together(rotations).collect());
            let results: Result<_, Infallible> = bootstrap(&self.params, jobs, switch, rotate);
            results.unwrap_or_else(|never| match never {})
        });
        Ok(results.collect())
    }

    /// The value of a function of two numbers, by one table: of a·base + b, where the base is one more than b may be.
    ///
    /// # Errors
    /// If a·base + b may be too large, or the noise of a·base is.
    pub fn apply_two(
        &self,
        function: impl Fn(u64, u64) -> u64,
        a: &Ciphertext,
        b: &Ciphertext,
    ) -> Result<Ciphertext, TfheError> {
        let base = b.largest + 1;
        let both = a.scale(base)?.add(b)?;
        // Pairs that can't be are not asked for.
        let largest = both.largest;
        let table = self.params.table(|x| if x <= largest { function(x / base, x % base) } else { 0 })?;
        self.apply(&table, &both)
    }

    /// Any gate of two bits, by one bootstrapping: a table of 2a + b.
    pub fn gate(
        &self,
        function: impl Fn(bool, bool) -> bool,
        a: &EncryptedBit,
        b: &EncryptedBit,
    ) -> Result<EncryptedBit, TfheError> {
        self.apply_two(|a, b| function(a == 1, b == 1).into(), &a.0, &b.0).map(EncryptedBit)
    }

    /// Whether both are 1.
    pub fn and(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| a & b, a, b)
    }

    /// Whether one or both are 1.
    pub fn or(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| a | b, a, b)
    }

    /// Whether exactly one is 1.
    pub fn xor(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| a ^ b, a, b)
    }

    /// Whether not both are 1.
    pub fn nand(&self, a: &EncryptedBit, b: &EncryptedBit) -> Result<EncryptedBit, TfheError> {
        self.gate(|a, b| !(a & b), a, b)
    }
}
