//! The server's key: programmable bootstrapping.

use asanoha_lattice::{BootstrapKey, KeyId, LweCiphertext, LweSwitchKey, switch_modulus};
use rayon::prelude::*;

use crate::{Ciphertext, Table, TfheError, TfheParams};

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

    /// A public number as a ciphertext without noise, which hides nothing.
    pub fn trivial(&self, number: u64) -> Result<Ciphertext, TfheError> {
        self.params.check_number(number)?;
        let dimension = self.params.literal().ring_degree * self.params.literal().rank;
        Ok(Ciphertext {
            params: self.params.clone(),
            id: self.id,
            lwe: LweCiphertext::trivial(dimension, number * self.params.unit()),
            largest: number,
            variance: 0.0,
        })
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
        Ok(self.values(table, ciphertext)?.swap_remove(0))
    }

    /// [`ServerKey::apply`] for each pair of a table and a number, in their order, on the threads of the caller's pool. A
    /// table of several functions gives as many numbers, one behind another. A batch of many is faster than one after
    /// another, as the keys are read once for several.
    ///
    /// # Errors
    /// The first pair's that has one.
    pub fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError> {
        let values: Result<Vec<_>, _> =
            jobs.par_iter().map(|(table, ciphertext)| self.values(table, ciphertext)).collect();
        Ok(values?.into_iter().flatten().collect())
    }

    /// The values of all of a table's functions at a number.
    fn values(&self, table: &Table, ciphertext: &Ciphertext) -> Result<Vec<Ciphertext>, TfheError> {
        ciphertext.check_key(&self.params, self.id)?;
        self.params.is(&table.params)?;
        self.params.check_noise(ciphertext.variance)?;
        let spare = table.log2_outputs();
        let messages = self.params.messages() >> spare;
        if ciphertext.largest >= messages {
            return Err(TfheError::TooLarge { found: ciphertext.largest, messages });
        }
        let log2_positions = self.params.0.ring.ring_degree().ilog2() + 1 - spare;
        let mut lwe = ciphertext.lwe.clone();
        lwe.scale_assign(1 << spare);
        let mut switched = switch_modulus(&self.switch.switch(&lwe), log2_positions, self.params.0.backend);
        switched.iter_mut().for_each(|word| *word <<= spare);
        let turned = self.bootstrap.blind_rotate(&switched, &table.polynomial);
        let number = |(index, &largest): (usize, &u64)| Ciphertext {
            params: self.params.clone(),
            id: self.id,
            lwe: turned.coefficient(index),
            largest,
            variance: self.params.0.noise.bootstrapped,
        };
        Ok(table.largest.iter().enumerate().map(number).collect())
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
}
