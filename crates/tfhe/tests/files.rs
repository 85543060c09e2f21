//! Keys and ciphertexts in files.

use std::path::{Path, PathBuf};

use asanoha_kernels::Backend;
use asanoha_lattice::{FileError, FileProblem, FileReader};
use asanoha_testkit::OpenFile;
use asanoha_tfhe::{
    Bootstrapper, Ciphertext, ClientKey, SeededServerKey, ServerKey, StoredServerKey, TfheError, TfheLiteral,
    TfheParams,
};
use tempfile::TempDir;

use crate::common::{keys, sampler, tiny};

/// A key generation in a folder: the three kinds of files.
struct Place {
    folder: TempDir,
    params: TfheParams,
    client: ClientKey,
    whole: ServerKey,
    numbers: Vec<Ciphertext>,
}

const FILES: [&str; 3] = ["client", "server", "numbers"];

impl Place {
    fn new(literal: TfheLiteral) -> Self {
        let params = literal.check(Backend::detect().unwrap()).unwrap();
        let (client, whole) = keys(&params, 1);
        let server = client.seeded_server_key(&mut sampler(1));
        let number = |x: u64| client.encrypt_up_to(x % 8, 7, &mut sampler(x as u8)).unwrap();
        let numbers = (0..11).map(number).collect();
        let place = Self { folder: tempfile::tempdir().unwrap(), params, client, whole, numbers };
        place.client.write(&place.path("client")).unwrap();
        server.write(&place.path("server")).unwrap();
        Ciphertext::write_all(&place.numbers, &place.path("numbers")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Reads the file at a path as one of the kinds.
fn read(params: &TfheParams, kind: &str, path: &Path) -> Result<(), FileError> {
    match kind {
        "client" => ClientKey::read(params, path).map(drop),
        "numbers" => Ciphertext::read_all(params, path).map(drop),
        _ => {
            let stored = StoredServerKey::open(params, path).map(drop);
            let read = SeededServerKey::read(params, path).map(drop);
            assert_eq!(stored.is_ok(), read.is_ok());
            read
        }
    }
}

#[test]
fn keys_and_ciphertexts_come_back_out_of_their_files() {
    let place = Place::new(tiny(3));
    let client = ClientKey::read(&place.params, &place.path("client")).unwrap();
    let server = SeededServerKey::read(&place.params, &place.path("server")).unwrap();
    let stored = StoredServerKey::open(&place.params, &place.path("server")).unwrap();
    let numbers = Ciphertext::read_all(&place.params, &place.path("numbers")).unwrap();
    for id in [client.id(), server.id(), stored.id(), numbers[0].key_id()] {
        assert_eq!(id, place.client.id());
    }
    let tables = [|x| (5 * x + 3) % 8, |x| x / 2].map(|f| place.params.table(f).unwrap());
    let jobs: Vec<_> = numbers.iter().enumerate().map(|(i, number)| (&tables[i % 2], number)).collect();
    let whole = place.whole.apply_many(&jobs).unwrap();
    let again = server.expand().apply_many(&jobs).unwrap();
    let streamed = stored.apply_many(&jobs).unwrap();
    assert_eq!([whole.len(), again.len(), streamed.len()], [11; 3]);
    for (i, number) in numbers.iter().enumerate() {
        assert_eq!((number.largest(), number.variance()), (7, place.numbers[i].variance()));
        let x = client.decrypt(number).unwrap();
        assert_eq!(x, i as u64 % 8);
        let value = if i % 2 == 0 { (5 * x + 3) % 8 } else { x / 2 };
        for result in [&whole[i], &again[i], &streamed[i]] {
            assert_eq!(client.decrypt(result).unwrap(), value);
            assert_eq!(result.mask(), whole[i].mask());
            assert_eq!((result.largest(), result.variance()), (whole[i].largest(), whole[i].variance()));
        }
    }
}

#[test]
fn a_server_key_s_file_has_the_bytes_that_the_parameters_say() {
    let place = Place::new(tiny(3));
    let summary = FileReader::summary(&place.path("server")).unwrap();
    let body: u64 = summary.tensors.values().map(|info| info.data_offsets[1] - info.data_offsets[0]).sum();
    assert_eq!(body, place.params.server_key_bytes() as u64);
    assert!(summary.header.insecure && summary.header.seeded && summary.header.security_bits == 0);
}

#[test]
fn files_of_other_parameters_and_kinds_are_refused() {
    let place = Place::new(tiny(3));
    let other = TfheLiteral { log2_failure: -100.0, ..tiny(3) }.check(Backend::detect().unwrap()).unwrap();
    for kind in FILES {
        let problem = |params, path| read(params, kind, &place.path(path)).unwrap_err().problem;
        assert!(matches!(problem(&other, kind), FileProblem::Params { .. }), "{kind}");
        for name in FILES.into_iter().filter(|name| *name != kind) {
            assert!(matches!(problem(&place.params, name), FileProblem::Kind { .. }), "{name} as {kind}");
        }
    }
}

#[test]
fn truncated_and_altered_files_are_refused() {
    let place = Place::new(tiny(3));
    let bad = place.path("bad");
    for kind in FILES {
        let bytes = std::fs::read(place.path(kind)).unwrap();
        let refused = |bytes: &[u8]| {
            std::fs::write(&bad, bytes).unwrap();
            read(&place.params, kind, &bad).is_err()
        };
        assert!(!refused(&bytes));
        for at in (0..bytes.len()).step_by(bytes.len() / 61 + 1) {
            assert!(refused(&bytes[..at]), "{kind} cut at {at}");
            let mut altered = bytes.clone();
            altered[at] ^= 1 << (at % 8);
            assert!(refused(&altered), "{kind} altered at {at}");
        }
    }
}

/// Files whose digest is right but whose contents aren't: what somebody who means harm makes.
#[test]
fn contents_that_cannot_be_are_refused() {
    let place = Place::new(tiny(3));
    let bad = place.path("bad");
    // One word of a tensor is replaced.
    let refused = |kind: &str, tensor: &str, word: u64| {
        let mut file = OpenFile::read(&place.path(kind));
        let at = file.tensors[tensor]["data_offsets"][0].as_u64().unwrap() as usize;
        file.body[at..at + 8].copy_from_slice(&word.to_le_bytes());
        file.seal(&bad);
        read(&place.params, kind, &bad).err().map(|error| error.to_string())
    };
    for tensor in ["glwe", "lwe"] {
        assert!(refused("client", tensor, 2).unwrap().contains("0 or 1"));
        assert!(refused("client", tensor, 1).is_none());
    }
    assert!(refused("numbers", "largest", 8).unwrap().contains("too large"));
    assert!(refused("numbers", "largest", 7).is_none());
    for variance in [f64::NAN, f64::INFINITY, -1.0, 0.25] {
        assert!(refused("numbers", "variance", variance.to_bits()).unwrap().contains("probability"));
    }
    assert!(refused("numbers", "variance", 0).is_none());
    for (kind, tensor) in [("client", "lwe"), ("server", "switch.seed"), ("numbers", "largest")] {
        let mut file = OpenFile::read(&place.path(kind));
        let info = file.tensors.remove(tensor).unwrap();
        file.tensors.insert("other".into(), info);
        file.seal(&bad);
        assert!(read(&place.params, kind, &bad).unwrap_err().to_string().contains(tensor));
    }
}

#[test]
fn what_is_of_another_key_is_refused() {
    let place = Place::new(tiny(3));
    let stranger = ClientKey::generate(&place.params, &mut sampler(7));
    let number = stranger.encrypt(1, &mut sampler(8)).unwrap();
    let table = place.params.table(|x| x).unwrap();
    let stored = StoredServerKey::open(&place.params, &place.path("server")).unwrap();
    assert!(matches!(stored.apply_many(&[(&table, &number)]), Err(TfheError::OtherKey { .. })));
    let mixed = [place.numbers[0].clone(), number];
    assert!(Ciphertext::write_all(&mixed, &place.path("mixed")).is_err());
    assert!(Ciphertext::write_all(&[], &place.path("none")).is_err());
    assert!(!place.path("mixed").exists() && !place.path("none").exists());
}

#[test]
fn a_key_that_changes_while_it_is_in_use_is_refused() {
    let place = Place::new(tiny(3));
    let stored = StoredServerKey::open(&place.params, &place.path("server")).unwrap();
    let table = place.params.table(|x| x).unwrap();
    let apply = || stored.apply_many(&[(&table, &place.numbers[1])]);
    assert!(apply().is_ok());
    let mut bytes = std::fs::read(place.path("server")).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(place.path("server"), bytes).unwrap();
    assert!(
        matches!(apply(), Err(error @ TfheError::Unreadable(_)) if error.to_string().contains("changed"))
    );
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_client_key() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new(tiny(3));
    assert_eq!(std::fs::metadata(place.path("client")).unwrap().permissions().mode() & 0o777, 0o600);
}
