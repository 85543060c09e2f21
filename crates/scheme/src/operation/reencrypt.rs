//! Re-encryption under another key generation's secret.

use asanoha_lattice::ReencryptionKey;

use crate::{Operand, Operations, Scheme, SchemeError};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Re-encrypts: returns a ciphertext of the same values, of the same level, under the secret that the key leads to.
    ///
    /// A ciphertext doesn't carry its key generation. One under another secret than the key's gives a result that no key decrypts;
    /// decryption then reports an error.
    ///
    /// Noise: adds that of one key switch ([`crate::Model::key_switch`]).
    ///
    /// # Errors
    /// [`SchemeError::MissingKey`] for a key of other parameters, [`SchemeError::NotRelinearised`],
    /// [`SchemeError::OutOfModulus`], [`SchemeError::OtherParameters`].
    pub fn reencrypt(&self, a: &V, key: &ReencryptionKey) -> Result<V, SchemeError> {
        let state = self.model().key_switch(self.two_parts(a)?)?;
        V::produce(&self.means, &[a], state, |a, _| Ok(key.reencrypt(self.params().rlwe(), &a[0].rlwe)?))
    }
}
