//! The noise model in the place of a server's key.

use asanoha_lattice::{KeyId, LweCiphertext};

use crate::{
    Bootstrapper, Ciphertext, EncryptedInteger, IntegerType, Table, TfheError, TfheParams, batch::check,
};

/// The noise model in a key's place: ciphertexts hold nothing but their largest numbers and their noise. A circuit that is
/// walked with it costs next to nothing, fails where it would with a key, and tells the noise of its results.
#[derive(Clone, Debug)]
pub struct Model {
    params: TfheParams,
    id: KeyId,
}

impl Model {
    /// Of some parameters.
    pub fn new(params: &TfheParams) -> Self {
        Self { params: params.clone(), id: KeyId::default() }
    }

    /// What is known of a freshly encrypted integer.
    ///
    /// # Errors
    /// If there's no such type.
    pub fn integer(&self, integer_type: IntegerType) -> Result<EncryptedInteger, TfheError> {
        let digit = self.known(IntegerType::LARGEST_DIGIT, self.params.fresh_variance());
        EncryptedInteger::from_blocks(vec![digit; integer_type.blocks], integer_type.signed)
    }

    fn known(&self, largest: u64, variance: f64) -> Ciphertext {
        let lwe = LweCiphertext::trivial(0, 0);
        Ciphertext { params: self.params.clone(), id: self.id, lwe, largest, variance }
    }
}

impl Bootstrapper for Model {
    fn params(&self) -> &TfheParams {
        &self.params
    }

    fn id(&self) -> KeyId {
        self.id
    }

    fn trivial(&self, number: u64) -> Result<Ciphertext, TfheError> {
        self.params.check_number(number)?;
        let lwe = LweCiphertext::trivial(0, number * self.params.unit());
        Ok(Ciphertext { lwe, ..self.known(number, 0.0) })
    }

    fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError> {
        check(&self.params, self.id, jobs)?;
        let mut values = Vec::new();
        for (table, _) in jobs {
            let variance = self.params.0.noise.bootstrapped;
            values.extend(table.largest.iter().map(|&largest| self.known(largest, variance)));
        }
        Ok(values)
    }
}
