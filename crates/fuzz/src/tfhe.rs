//! Files of keys and ciphertexts of TFHE.

use std::{path::Path, sync::OnceLock};

use asanoha::{
    lattice::{FileError, FileReader},
    ring::{Sampler, Seed},
    tfhe::{
        Bootstrapper, Ciphertext, ClientKey, GadgetLiteral, SeededServerKey, StoredServerKey, TfheError,
        TfheLiteral, TfheParams,
    },
};
use tempfile::NamedTempFile;

use crate::{backend, sealed};

/// A client with insecure parameters, so that its keys have a few thousand bytes only.
struct Party {
    params: TfheParams,
    client: ClientKey,
}

fn party() -> &'static Party {
    static PARTY: OnceLock<Party> = OnceLock::new();
    PARTY.get_or_init(|| {
        let literal = TfheLiteral {
            lwe_dimension: 2,
            lwe_standard_deviation: 2f64.powi(-30),
            ring_degree: 512,
            rank: 1,
            glwe_standard_deviation: 2f64.powi(-48),
            bootstrap: GadgetLiteral { digit_bits: 16, levels: 1 },
            key_switch: GadgetLiteral { digit_bits: 12, levels: 2 },
            message_bits: 2,
            log2_failure: -64.0,
            insecure: true,
        };
        let params = literal.check(backend()).expect("parameters");
        let client = ClientKey::generate(&params, &mut Sampler::new(&Seed([7; 32])));
        Party { params, client }
    })
}

fn written(write: impl FnOnce(&Path) -> Result<u64, FileError>) -> NamedTempFile {
    let file = NamedTempFile::new().expect("a file can be made");
    write(file.path()).expect("a file can be written");
    file
}

/// The files of the target below, by its name.
pub(crate) fn files() -> [(&'static str, &'static str, Vec<u8>); 3] {
    let Party { client, .. } = party();
    let sampler = || Sampler::new(&Seed([7; 32]));
    let numbers = [3, 0].map(|number| client.encrypt(number, &mut sampler()).expect("a number"));
    let bytes = |file: NamedTempFile| std::fs::read(file.path()).expect("a file");
    [
        ("tfhe", "client", bytes(written(|path| client.write(path)))),
        ("tfhe", "server", bytes(written(|path| client.seeded_server_key(&mut sampler()).write(path)))),
        ("tfhe", "numbers", bytes(written(|path| Ciphertext::write_all(&numbers, path)))),
    ]
}

/// A file of a client key, a server key or of ciphertexts, with its digest corrected first.
pub fn tfhe(bytes: &[u8]) -> bool {
    let Some(file) = sealed(bytes) else { return false };
    let Party { params, client } = party();
    let (path, messages) = (file.path(), params.messages());
    let number = |client: &ClientKey| client.encrypt(1, &mut Sampler::from_os()).expect("a number");
    if let Ok(read) = ClientKey::read(params, path) {
        assert_eq!(read.decrypt(&number(&read)), Ok(1), "a key that doesn't decrypt its own");
        holds_the_same(params, path, &written(|path| read.write(path)));
        return true;
    }
    if let Ok(read) = SeededServerKey::read(params, path) {
        let stored = StoredServerKey::open(params, path).expect("a key that was just read");
        let (table, number) = (params.table(|x| x).expect("a table"), number(client));
        let jobs = [(&table, &number)];
        if read.id() == client.id() {
            let results = [
                read.expand().apply_many(&jobs).expect("the client's key"),
                stored.apply_many(&jobs).expect("the client's key"),
            ];
            let found = results.map(|results| client.decrypt(&results[0]));
            assert!(found[0] == found[1] && is_number_or_altered(&found[0], messages), "{found:?}");
        } else {
            assert!(stored.apply_many(&jobs).is_err(), "another client's key");
        }
        holds_the_same(params, path, &written(|path| read.write(path)));
        return true;
    }
    let Ok(read) = Ciphertext::read_all(params, path) else { return false };
    for ciphertext in &read {
        assert!(ciphertext.largest() < messages && ciphertext.variance() >= 0.0);
        let found = client.decrypt(ciphertext);
        if ciphertext.key_id() == client.id() {
            assert!(is_number_or_altered(&found, messages), "{found:?}");
        } else {
            assert!(found.is_err(), "another client's number");
        }
    }
    if !read.is_empty() {
        holds_the_same(params, path, &written(|path| Ciphertext::write_all(&read, path)));
    }
    true
}

/// Whether a ciphertext of the client's key decrypts to a number that there is, or is refused as altered.
fn is_number_or_altered(found: &Result<u64, TfheError>, messages: u64) -> bool {
    match found {
        Ok(number) => *number < messages,
        Err(error) => {
            matches!(error, TfheError::NumberAboveBound { .. } | TfheError::NoiseAboveBound { .. })
        }
    }
}

/// What was read is written again with the same tensors, of those that it has, and for the same key.
fn holds_the_same(params: &TfheParams, original: &Path, again: &NamedTempFile) {
    let kind = FileReader::summary(again.path()).expect("a file").header.kind;
    let [original, again] =
        [original, again.path()].map(|path| FileReader::read(path, &kind, params.digest()).expect("a file"));
    assert_eq!(again.header().key, original.header().key);
    for name in again.names() {
        assert_eq!(again.tensor(name).expect("named"), original.tensor(name).expect("named"), "{name}");
    }
}
