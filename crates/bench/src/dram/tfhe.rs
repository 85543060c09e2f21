//! Programmable bootstrapping of TFHE.

use asanoha_ring::Sampler;
use asanoha_tfhe::{Ciphertext, ClientKey, TfheError};

use super::{DramError, phases::Phases, subject::Subject};
use crate::{
    Settings,
    tfhe::{Server, Set, TfheBenchError},
};

/// The numbers that are encrypted, bootstrapped and decrypted.
const MESSAGES: usize = 100;

/// Keys, encryption, a table of every number in one batch, decryption. The server key stays in a file if the limit asks for it.
///
/// # Errors
/// A server key's file that can't be used, and a wrong result.
pub(super) fn run(
    settings: &Settings,
    memory_limit: Option<u64>,
    phases: &mut Phases,
) -> Result<Subject, DramError> {
    let Set { params, name } = Set::standard(*settings.backends.last().expect("at least one is measured"))
        .map_err(TfheBenchError::from)?;
    let function = |x: u64| (5 * x + 3) % params.messages();
    let table = params.table(function).map_err(TfheBenchError::from)?;
    let numbers: Vec<u64> = (0..MESSAGES as u64).map(|i| i % params.messages()).collect();
    let mut sampler = Sampler::from_os();

    phases.start();
    let client = ClientKey::generate(&params, &mut sampler);
    let server = Server::new(&params, &client, memory_limit)?;
    phases.end();
    let encrypted = numbers.iter().map(|&number| client.encrypt(number, &mut sampler));
    let encrypted: Vec<Ciphertext> =
        encrypted.collect::<Result<_, TfheError>>().map_err(TfheBenchError::from)?;
    phases.end();
    let jobs: Vec<_> = encrypted.iter().map(|number| (&table, number)).collect();
    let results = server.apply_many(&jobs)?;
    phases.end();
    let found = results.iter().map(|result| client.decrypt(result));
    let found: Vec<u64> = found.collect::<Result<_, TfheError>>().map_err(TfheBenchError::from)?;
    phases.end();

    if !found.into_iter().eq(numbers.iter().map(|&number| function(number))) {
        return Err(TfheBenchError::Wrong { operation: "bootstrap", parameters: name }.into());
    }
    Ok(Subject {
        parameters: name.to_owned(),
        ciphertexts: MESSAGES,
        key_place: server.place(),
        key_bytes: params.expanded_key_bytes() as u64,
    })
}
