//! The tensors of keys in files. Uniform halves are stored as seeds.

use std::io;

use asanoha_ring::{GaloisElement, Seed, SwitchKey};

use crate::{
    FileError, FileReader, KeyName, KeySwitchKey, Level, RlweParams, file::FileStream, params::LevelParams,
};

/// The text between a key's name and its tier in the names of tensors.
const TIER: &str = ".tier.";

/// The name of the tensors of a key for ciphertexts up to a level, without their endings: the name of the key, followed
/// by its tier if it has one.
pub(crate) fn tensor(params: &RlweParams, name: KeyName, level: Level) -> String {
    let name = match name {
        KeyName::Relinearisation => "relinearisation".into(),
        KeyName::Galois(g) => format!("galois.{}", g.0),
        KeyName::ImageProduct(g) => format!("image_product.{}", g.0),
        KeyName::ToSparse => "to_sparse".into(),
        KeyName::FromSparse => "from_sparse".into(),
        KeyName::Reencryption => "reencryption".into(),
    };
    let tier = params.tier(level);
    if tier + 1 == params.tier_levels().len() { name } else { format!("{name}{TIER}{tier}") }
}

/// The key, and the highest level of its tier, that the name of a tensor states.
pub(crate) fn parse(params: &RlweParams, text: &str) -> Option<(KeyName, Level)> {
    let mut levels = params.tier_levels();
    let (key, level) = match text.split_once(TIER) {
        Some((key, tier)) => (key, levels.nth(tier.parse().ok()?)?),
        None => (text, levels.next_back()?),
    };
    let name = match key {
        "relinearisation" => KeyName::Relinearisation,
        "to_sparse" if params.literal().encapsulated => KeyName::ToSparse,
        "from_sparse" if params.literal().encapsulated => KeyName::FromSparse,
        _ => {
            let (kind, element) = key.split_once('.')?;
            let element = element.parse::<u32>().ok()?;
            let known = element % 2 == 1 && (element as usize) < 2 * params.ring_degree() && element != 1;
            match kind {
                "galois" if known => KeyName::Galois(GaloisElement(element)),
                "image_product" if known => KeyName::ImageProduct(GaloisElement(element)),
                _ => return None,
            }
        }
    };
    // Only the name that [`tensor`] gives is accepted, so that a key has one name.
    (tensor(params, name, level) == text).then_some((name, level))
}

/// The names and dimensions of a key's tensors.
pub(crate) fn shapes(params: &RlweParams, name: KeyName, level: Level) -> [(String, Vec<usize>); 2] {
    let LevelParams { qp, digits, .. } = params.level(level.0);
    let tensor = tensor(params, name, level);
    [
        (format!("{tensor}.b"), vec![digits.len(), qp.len(), params.ring_degree()]),
        (format!("{tensor}.seeds"), vec![digits.len(), Seed::WORDS]),
    ]
}

/// Reads the tensors of a key.
pub(crate) fn get(
    params: &RlweParams,
    file: &FileReader<'_>,
    name: KeyName,
    level: Level,
) -> Result<KeySwitchKey, FileError> {
    let LevelParams { qp, digits, .. } = params.level(level.0);
    let tensor = tensor(params, name, level);
    let polys = file.polys(&format!("{tensor}.b"), qp, digits.len())?;
    let seeds = file.words(&format!("{tensor}.seeds"), &[digits.len(), Seed::WORDS])?;
    let parts = polys.into_iter().zip(seeds.chunks_exact(Seed::WORDS).map(Seed::from_words));
    Ok(KeySwitchKey::from_parts(params, name, level, parts.collect()))
}

/// Writes the tensors of a key.
pub(crate) fn put(stream: &mut FileStream<'_>, key: &KeySwitchKey) -> io::Result<()> {
    let mut words = key.basis().words();
    for digit in 0..key.digits() {
        for position in 0..key.basis().len() {
            key.limb(digit, 0, position)?.packed().unpack(0, &mut words);
            stream.words(&words)?;
        }
    }
    (0..key.digits()).try_for_each(|digit| stream.words(&key.seed(digit).to_words()))
}
