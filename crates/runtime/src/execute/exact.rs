//! Results of exact schemes: whole numbers out of ciphertexts.

use asanoha_lattice::SecretKey;
use asanoha_scheme::{Ciphertext, Decryptor, Exact, SchemeError};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;

use asanoha_compile::Layout;

/// Decrypts a column, or a number, which is one slot of one ciphertext.
pub(super) fn decrypt_values<S: Exact>(
    scheme: &S,
    secret: &SecretKey,
    layout: Layout,
    ciphertexts: &[Ciphertext<S>],
    column: bool,
) -> Result<Vec<BigInt>, SchemeError> {
    let (decryptor, mut values) = (Decryptor::new(scheme), Vec::new());
    for (chunk, ciphertext) in ciphertexts.iter().enumerate() {
        let count = if column { layout.chunk(chunk).len() } else { 1 };
        if scheme.plaintext_modulus().bits() <= 64 {
            let slots = decryptor.decrypt(secret, ciphertext)?;
            values.extend(slots[..count].iter().map(|&slot| BigInt::from(slot)));
        } else {
            values.extend(decryptor.decrypt_integers(secret, ciphertext)?.into_iter().take(count));
        }
    }
    Ok(values)
}

/// The least number that is x modulo t and not below another.
pub(super) fn at_least(x: &BigInt, least: &BigInt, t: &BigUint) -> BigInt {
    least + (x - least).mod_floor(&BigInt::from(t.clone()))
}
