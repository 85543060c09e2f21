//! Files of keys and ciphertexts of TFHE.

use std::{path::Path, sync::OnceLock};

use asanoha::{
    lattice::{FileError, FileReader},
    ring::{Sampler, Seed},
    tfhe::{
        Bootstrapper, Ciphertext, ClientKey, EncryptedInteger, GadgetLiteral, Integers, SeededServerKey,
        ServerKey, StoredServerKey, TfheError, TfheLiteral, TfheParams,
    },
};
use tempfile::NamedTempFile;

use crate::{Use, backend, corrected, file};

/// A client with insecure parameters, so that its keys have a few thousand bytes only.
struct Party {
    params: TfheParams,
    client: ClientKey,
    server: ServerKey,
}

/// Small and insecure, with numbers of 4 bits, as integers need.
pub(crate) fn literal() -> TfheLiteral {
    TfheLiteral {
        lwe_dimension: 2,
        lwe_standard_deviation: 2f64.powi(-30),
        ring_degree: 512,
        rank: 1,
        glwe_standard_deviation: 2f64.powi(-48),
        bootstrap: GadgetLiteral { digit_bits: 16, levels: 1 },
        key_switch: GadgetLiteral { digit_bits: 12, levels: 2 },
        message_bits: 4,
        log2_failure: -64.0,
        insecure: true,
    }
}

fn party() -> &'static Party {
    static PARTY: OnceLock<Party> = OnceLock::new();
    PARTY.get_or_init(|| {
        let params = literal().check(backend()).expect("parameters");
        let sampler = || Sampler::new(&Seed([7; 32]));
        let client = ClientKey::generate(&params, &mut sampler());
        let server = client.server_key(&mut sampler());
        Party { params, client, server }
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
    let numbers = [3, 0].map(|number| client.encrypt_up_to(number, 3, &mut sampler()).expect("a number"));
    let bytes = |file: NamedTempFile| std::fs::read(file.path()).expect("a file");
    [
        ("tfhe", "client", bytes(written(|path| client.write(path)))),
        ("tfhe", "server", bytes(written(|path| client.seeded_server_key(&mut sampler()).write(path)))),
        ("tfhe", "numbers", bytes(written(|path| Ciphertext::write_all(&numbers, path)))),
    ]
}

/// A file of a client key, a server key or of ciphertexts, of which the digest is corrected first.
pub fn tfhe(bytes: &[u8]) -> Option<Use> {
    let file = file(&corrected(bytes));
    let Party { params, client, .. } = party();
    let (path, messages) = (file.path().to_owned(), params.messages());
    let number = |client: &ClientKey| client.encrypt(1, &mut Sampler::from_os()).expect("a number");
    if let Ok(read) = ClientKey::read(params, &path) {
        return Some(Box::new(move || {
            assert_eq!(read.decrypt(&number(&read)), Ok(1), "a key that doesn't decrypt its own");
            holds_the_same(params, file.path(), &written(|path| read.write(path)));
        }));
    }
    if let Ok(read) = SeededServerKey::read(params, &path) {
        let stored = StoredServerKey::open(params, &path).expect("a key that was just read");
        return Some(Box::new(move || {
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
            holds_the_same(params, file.path(), &written(|path| read.write(path)));
        }));
    }
    let read = Ciphertext::read_all(params, &path).ok()?;
    let choice = usize::from(blake3::hash(bytes).as_bytes()[0]);
    Some(Box::new(move || {
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
            compute(&read, choice);
            holds_the_same(params, file.path(), &written(|path| Ciphertext::write_all(&read, path)));
        }
    }))
}

/// Every kind of operation on ciphertexts; and on integers of which they are the digits one of the operations, as a division takes a
/// thousand times as long as reading.
fn compute(read: &[Ciphertext], choice: usize) {
    let Party { params, client, server } = party();
    let table = params.table(|x| x).expect("a table");
    for a in read {
        let _ = server.apply(&table, a);
        let _ = server.apply_two(|x, y| x & y, a, &read[0]);
        let _ = (a.add(&read[0]), a.scale(3), a.add_constant(1), a.subtract_from(3));
    }
    let integers = Integers::new(server).expect("numbers of 4 bits");
    let Ok(a) = EncryptedInteger::from_blocks(read.iter().take(4).cloned().collect(), true) else { return };
    let b = client.encrypt_integer(1, a.integer_type(), &mut Sampler::from_os()).expect("1 is in range");
    let operands = [(&a, &b), (&b, &a), (&a, &a)];
    let (a, b) = operands[choice % operands.len()];
    let result = match choice / operands.len() % 7 {
        0 => integers.add(a, b),
        1 => integers.mul(a, b),
        2 => integers.div(a, b),
        3 => integers.xor(a, b),
        4 => integers.shift_left_by(a, b),
        5 => integers.table(a, a.integer_type(), |x| x),
        _ => integers.lt(a, b).and_then(|bit| integers.select(&bit, a, b)),
    };
    if let Ok(result) = result {
        let _ = client.decrypt_integer(&result);
    }
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
