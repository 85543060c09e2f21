//! Secret keys, and backups of them, in files that a passphrase opens.

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce, aead::AeadInOut};
use thiserror::Error;
use zeroize::Zeroizing;

/// What a sealed file begins with, by what it holds.
pub(crate) type Magic = [u8; 16];
/// A secret key.
const MAGIC: Magic = *b"asanoha sealed 1";
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 24;
const HEADER_BYTES: usize = MAGIC.len() + 3 * 4 + SALT_BYTES + NONCE_BYTES;
/// Argon2id with 64 MiB, three passes and four lanes: the second recommendation of RFC 9106.
const COST: [u32; 3] = [64 << 10, 3, 4];
/// The most of each that a file may ask for: 1 GiB, and what takes a minute at most.
const MOST: [u32; 3] = [1 << 20, 32, 64];
/// The largest sealed file that is read.
pub(crate) const MAX_SEALED_BYTES: u64 = 64 << 20;

/// Why a sealed file can't be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum SealError {
    #[error("it isn't a file of this kind that was sealed with a passphrase, or it's truncated")]
    Foreign,
    #[error("its header asks for more than 1 GiB of memory or for too many passes to try a passphrase")]
    Cost,
    #[error("the passphrase isn't the one that it was sealed with, or it's damaged")]
    Passphrase,
}

/// A cipher of the key that a passphrase and a header give.
fn cipher(passphrase: &[u8], header: &[u8; HEADER_BYTES]) -> Result<XChaCha20Poly1305, SealError> {
    let word = |at: usize| {
        let bytes = &header[MAGIC.len() + 4 * at..][..4];
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    };
    let cost = [word(0), word(1), word(2)];
    if cost.iter().zip(MOST).any(|(&asked, most)| asked > most) {
        return Err(SealError::Cost);
    }
    let salt = &header[MAGIC.len() + 12..][..SALT_BYTES];
    let params = Params::new(cost[0], cost[1], cost[2], None).map_err(|_| SealError::Cost)?;
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase, salt, &mut *key)
        .map_err(|_| SealError::Cost)?;
    Ok(XChaCha20Poly1305::new((&*key).into()))
}

/// Encrypts the file of a secret key under a passphrase: XChaCha20-Poly1305, with a key by Argon2id.
pub(crate) fn seal(secret: &[u8], passphrase: &[u8]) -> Vec<u8> {
    seal_as(&MAGIC, secret, passphrase)
}

/// As [`seal`], for another kind of file.
pub(crate) fn seal_as(magic: &Magic, secret: &[u8], passphrase: &[u8]) -> Vec<u8> {
    let mut header = [0; HEADER_BYTES];
    header[..MAGIC.len()].copy_from_slice(magic);
    let costs = header[MAGIC.len()..].chunks_exact_mut(4).zip(COST);
    costs.for_each(|(bytes, cost)| bytes.copy_from_slice(&cost.to_le_bytes()));
    getrandom::fill(&mut header[MAGIC.len() + 12..]).expect("the operating system gives randomness");
    let cipher = cipher(passphrase, &header).expect("the cost is allowed");
    let nonce = XNonce::try_from(&header[HEADER_BYTES - NONCE_BYTES..]).expect("its length");
    let mut sealed = Vec::with_capacity(HEADER_BYTES + secret.len() + 16);
    sealed.extend_from_slice(&header);
    sealed.extend_from_slice(secret);
    let tag = cipher
        .encrypt_inout_detached(&nonce, &header, (&mut sealed[HEADER_BYTES..]).into())
        .expect("a file is shorter than what the cipher takes");
    sealed.extend_from_slice(&tag);
    sealed
}

/// The file of a secret key that was sealed.
pub(crate) fn open(sealed: &[u8], passphrase: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
    open_as(&MAGIC, sealed, passphrase)
}

/// As [`open`], for another kind of file.
pub(crate) fn open_as(
    magic: &Magic,
    sealed: &[u8],
    passphrase: &[u8],
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let (header, rest) = sealed.split_first_chunk::<HEADER_BYTES>().ok_or(SealError::Foreign)?;
    let (body, tag) = rest.split_last_chunk::<16>().ok_or(SealError::Foreign)?;
    if header[..MAGIC.len()] != *magic {
        return Err(SealError::Foreign);
    }
    let cipher = cipher(passphrase, header)?;
    let nonce = XNonce::try_from(&header[HEADER_BYTES - NONCE_BYTES..]).expect("its length");
    let mut secret = Zeroizing::new(body.to_vec());
    cipher
        .decrypt_inout_detached(&nonce, header, (&mut secret[..]).into(), tag.into())
        .map_err(|_| SealError::Passphrase)?;
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_file_opens_with_its_passphrase_alone_and_as_it_was_written() {
        let secret: Vec<u8> = (0..1000u32).map(|k| k as u8).collect();
        let sealed = seal(&secret, "päss phrase".as_bytes());
        assert_eq!(*open(&sealed, "päss phrase".as_bytes()).unwrap(), secret);
        assert!(!sealed.windows(8).any(|window| window == &secret[100..108]));
        assert_ne!(sealed, seal(&secret, "päss phrase".as_bytes()));
        for wrong in ["", "päss", "pass phrase", "päss phrase "] {
            assert_eq!(open(&sealed, wrong.as_bytes()), Err(SealError::Passphrase), "{wrong}");
        }
        // Salt, nonce, body and tag.
        for at in [30, 50, 80, 500, sealed.len() - 1] {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert_eq!(open(&altered, "päss phrase".as_bytes()), Err(SealError::Passphrase), "{at}");
        }
    }

    #[test]
    fn a_header_cannot_ask_for_more_than_a_machine_has() {
        let sealed = seal(b"secret", b"x");
        for (at, cost) in [(0, u32::MAX), (0, (1 << 20) + 1), (1, 33), (2, 65), (1, 0), (2, 0)] {
            let mut altered = sealed.clone();
            altered[16 + 4 * at..][..4].copy_from_slice(&cost.to_le_bytes());
            assert_eq!(open(&altered, b"x"), Err(SealError::Cost), "{at} {cost}");
        }
        for length in [0, 15, 67, 83] {
            assert_eq!(open(&sealed[..length], b"x"), Err(SealError::Foreign), "{length}");
        }
        assert_eq!(open(&[b"asanoha sealed 2", &sealed[16..]].concat(), b"x"), Err(SealError::Foreign));
    }
}
