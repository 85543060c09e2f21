//! Files come back as they were written, or not at all.

use std::path::Path;

use asanoha_lattice::{
    EvaluationKeys, FileError, FileProblem, FileReader, FileWriter, KeyId, KeyName, KeySwitchKey, Level,
    PublicKey, RlweCiphertext, RlweParams, SecretKey, Source, automorphism, relinearise,
};
use asanoha_ring::{Coefficient, GaloisElement, Poly, Sampler, Seed};

use crate::common::params;

const N: usize = 64;

struct Made {
    params: RlweParams,
    secret: SecretKey,
    public: PublicKey,
    keys: EvaluationKeys,
    ciphertext: RlweCiphertext,
}

fn made() -> Made {
    let params = params(N, 3, 2, 1);
    let mut sampler = Sampler::new(&Seed([9; 32]));
    let secret = SecretKey::generate(&params, &mut sampler);
    let public = PublicKey::generate(&params, &secret, &mut sampler);
    let g = GaloisElement::rotation(N, 3);
    let mut keys = EvaluationKeys::of(secret.id());
    for name in [KeyName::Relinearisation, KeyName::Galois(g)] {
        let key = KeySwitchKey::generate(&params, name, params.max_level(), &secret, &mut sampler);
        keys.insert(&params, key);
    }
    let plain = Poly::<Coefficient>::from_small(params.q(Level(1)), &[5; N]).into_evaluation();
    let ciphertext = public.encrypt(&params, &plain, &mut sampler);
    Made { params, secret, public, keys, ciphertext }
}

fn write_ciphertext(made: &Made, path: &Path) -> u64 {
    let header = made.params.file_header(
        made.params.digest(),
        made.public.id(),
        "ciphertexts",
        serde_json::json!({"values": 1}),
    );
    let mut file = FileWriter::new(header);
    made.ciphertext.put(&mut file, "x");
    file.write(path).unwrap()
}

fn read_ciphertext(made: &Made, path: &Path) -> Result<RlweCiphertext, FileError> {
    let file = FileReader::read(path, "ciphertexts", made.params.digest())?;
    RlweCiphertext::get(&made.params, &file, "x").map(|(ciphertext, _)| ciphertext)
}

#[test]
fn keys_and_ciphertexts_survive_files() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let digest = made.params.digest();
    made.secret.write(&made.params, digest, &path("s")).unwrap();
    made.public.write(&made.params, digest, &path("p")).unwrap();
    let bytes = made.keys.write_for(&made.params, digest, &path("k")).unwrap();
    assert_eq!(bytes, std::fs::metadata(path("k")).unwrap().len());
    write_ciphertext(&made, &path("c"));

    let secret = SecretKey::read(&made.params, digest, &path("s")).unwrap();
    assert_eq!(secret.coefficients(), made.secret.coefficients());
    assert!(secret.id() == made.secret.id() && secret.id() != KeyId::default());
    let public = PublicKey::read(&made.params, digest, &path("p")).unwrap();
    assert_eq!(public.body().words(), made.public.body().words());
    let keys = EvaluationKeys::read_for(&made.params, digest, &path("k")).unwrap();
    assert!(public.id() == secret.id() && keys.id == secret.id());
    let ciphertext = read_ciphertext(&made, &path("c")).unwrap();
    let rotate = |keys: &EvaluationKeys, ciphertext| {
        let image = automorphism(
            &made.params,
            ciphertext,
            keys.rotation(&made.params, 3, ciphertext.level()).unwrap(),
        )
        .unwrap();
        secret.decrypt(&image).to_integers()
    };
    assert_eq!(rotate(&keys, &ciphertext), rotate(&made.keys, &made.ciphertext));
    let square = |keys: &EvaluationKeys| {
        let product = ciphertext.tensor(&ciphertext);
        let product = relinearise(
            &made.params,
            product,
            keys.relinearisation(&made.params, ciphertext.level()).unwrap(),
        )
        .unwrap();
        secret.decrypt(&product).to_integers()
    };
    assert_eq!(square(&keys), square(&made.keys));
    // Uniform halves are seeds: half the size in memory, and a little for the header.
    assert!((bytes as usize) < made.keys.bytes() / 2 + 4096);
}

#[test]
fn files_are_readable_by_the_safetensors_library() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    write_ciphertext(&made, &path);
    let bytes = std::fs::read(&path).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let view = tensors.tensor("x").unwrap();
    assert_eq!(view.shape(), [2, 2, N]);
    assert_eq!(view.dtype(), safetensors::Dtype::U64);
    assert_eq!(view.data()[..8], made.ciphertext.parts[0].words()[0].to_le_bytes());
}

#[test]
fn one_flipped_bit_anywhere_is_refused() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    write_ciphertext(&made, &path);
    let good = std::fs::read(&path).unwrap();
    assert!(read_ciphertext(&made, &path).is_ok());
    for byte in 0..good.len() {
        let mut bad = good.clone();
        bad[byte] ^= 1 << (byte % 8);
        std::fs::write(&path, &bad).unwrap();
        assert!(read_ciphertext(&made, &path).is_err(), "byte {byte}");
    }
}

#[test]
fn every_truncation_is_refused() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    write_ciphertext(&made, &path);
    let good = std::fs::read(&path).unwrap();
    for length in (0..good.len()).rev().step_by(97).chain(0..20) {
        std::fs::write(&path, &good[..length]).unwrap();
        let error = read_ciphertext(&made, &path).unwrap_err();
        assert!(
            matches!(error.problem, FileProblem::Length { .. } | FileProblem::Foreign(_)),
            "{length}: {error}"
        );
        assert!(!error.to_string().contains('\n'));
    }
    std::fs::write(&path, [good.as_slice(), &[0; 8]].concat()).unwrap();
    assert!(matches!(read_ciphertext(&made, &path).unwrap_err().problem, FileProblem::Length { .. }));
}

#[test]
fn files_of_other_kinds_versions_and_parameters_are_refused_by_name() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    write_ciphertext(&made, &path);
    let digest = made.params.digest();
    let kind = FileReader::read(&path, "secret key", digest).unwrap_err();
    assert!(matches!(kind.problem, FileProblem::Kind { .. }), "{kind}");
    let other = params(N, 2, 1, 1);
    let error = FileReader::read(&path, "ciphertexts", other.digest()).unwrap_err();
    assert!(matches!(error.problem, FileProblem::Params { .. }), "{error}");
    let bytes = std::fs::read(&path).unwrap();
    let version = br#""version":"4""#;
    let place =
        bytes.windows(version.len()).position(|window| window == version).unwrap() + version.len() - 2;
    let mut newer = bytes.clone();
    newer[place] = b'9';
    std::fs::write(&path, newer).unwrap();
    let error = FileReader::read(&path, "ciphertexts", digest).unwrap_err();
    assert!(matches!(&error.problem, FileProblem::Version { found } if found == "9"), "{error}");
    let missing = FileReader::read(&folder.path().join("nothing"), "ciphertexts", digest).unwrap_err();
    assert!(matches!(missing.problem, FileProblem::Io(_)));
}

/// Metadata behind the digest.
fn metadata(more: &str) -> String {
    let key = "0".repeat(32);
    let rest = r#""insecure":"false","seeded":"false","kind":"k","params":"p","security_bits":"128""#;
    format!(r#""format":"asanoha","version":"3","fields":"null","key":"{key}",{rest}{more}"#)
}

/// A header of these metadata and tensors, with zeros for its digest.
fn header(metadata: &str, tensors: &str) -> String {
    format!(r#"{{"__metadata__":{{"digest":"{}",{metadata}}}{tensors}}}"#, "0".repeat(64))
}

/// A file of this header and nothing else.
fn bytes_of(header: &str) -> Vec<u8> {
    let mut header = header.as_bytes().to_vec();
    header.resize(header.len().next_multiple_of(8), b' ');
    [&(header.len() as u64).to_le_bytes()[..], &header].concat()
}

#[test]
fn tensors_of_any_name_come_back_and_leave_the_digest_its_place() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let zeros = "0".repeat(64);
    let names =
        ["A", "__metadata__.0", &zeros, "\"digest\":\"", "\\", "a\"b,c", "\u{1}", "麻の葉", "\u{1f600}", "~"];
    let header = |fields| made.params.file_header("p", made.public.id(), "k", fields);
    let mut file = FileWriter::new(header(serde_json::json!([names, zeros])));
    let words: Vec<[u64; 2]> = (0..names.len() as u64).map(|i| [i, 7 * i]).collect();
    names.iter().zip(&words).for_each(|(&name, words)| file.tensor(name, &[2], vec![words]));
    file.write(&path).unwrap();
    let read = FileReader::read(&path, "k", "p").unwrap();
    names.iter().zip(&words).for_each(|(name, words)| assert_eq!(read.words(name, &[2]).unwrap(), words));
    let bytes = std::fs::read(&path).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.names().len(), names.len());
    assert!(
        bytes[8..].starts_with(br#"{"__metadata__":{"digest":""#) && bytes[35..35 + 64] != *zeros.as_bytes()
    );
    let taken = std::panic::catch_unwind(|| {
        FileWriter::new(header(serde_json::Value::Null)).tensor("__metadata__", &[0], Vec::new());
    });
    assert!(taken.is_err());
}

#[test]
fn headers_of_another_form_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let good = header(&metadata(""), "");
    let digest = format!(r#""digest":"{}","#, "0".repeat(64));
    let summary = |header: &str| {
        std::fs::write(&path, bytes_of(header)).unwrap();
        FileReader::summary(&path)
    };
    assert!(summary(&good).is_ok());
    for (bad, says) in [
        (good.replacen('{', "{ ", 1), "doesn't begin with"),
        (
            good.replacen(&digest, "", 1)
                .replacen("\"128\"", &format!("\"128\",{digest}"), 1)
                .replacen(",}", "}", 1),
            "doesn't begin with",
        ),
        (good.replacen(&"0".repeat(64), "", 1), "doesn't begin with"),
        (header(&metadata(r#","digest":"1""#), ""), "doesn't begin with"),
        (header(&metadata(r#","more":"1""#), ""), "unknown field"),
        (header(&metadata(""), &format!(r#","__metadata__":{{{}}}"#, metadata(""))), "twice"),
        (good.replacen(r#""seeded":"false","#, "", 1), "missing field"),
        (good.replacen(r#""seeded":"false""#, r#""seeded":"no""#, 1), "seeded is \"no\""),
        (good.replacen(r#""insecure":"false""#, r#""insecure":"""#, 1), "insecure is \"\""),
        (good.replacen(r#"0","insecure"#, r#"1","insecure"#, 1), "given seed"),
        (good.replacen(r#""security_bits":"128""#, r#""security_bits":"-1""#, 1), "security_bits is"),
    ] {
        assert_ne!(bad, good);
        let error = summary(&bad).unwrap_err();
        assert!(matches!(error.problem, FileProblem::Foreign(_)), "{error}");
        assert!(error.to_string().contains(says), "{says}: {error}");
    }
}

#[test]
fn a_header_that_promises_more_than_the_file_holds_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge");
    let mut bytes = bytes_of(&header(
        &metadata(""),
        r#","x":{"dtype":"U64","shape":[1099511627776],"data_offsets":[0,8796093022208]}"#,
    ));
    std::fs::write(&path, &bytes).unwrap();
    let error = FileReader::read(&path, "k", "p").unwrap_err();
    assert!(matches!(error.problem, FileProblem::Length { .. }), "{error}");
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(FileReader::read(&path, "k", "p").unwrap_err().problem, FileProblem::Foreign(_)));
}

/// With the header, the file would be longer than a word can say.
#[test]
fn tensors_of_nearly_all_bytes_that_a_word_counts_are_refused() {
    let words = u64::MAX / 8;
    for (shape, end) in [(format!("{words}"), 8 * words), (format!("2,{}", words / 2), 8 * (words - 1))] {
        let tensor = format!(r#","x":{{"dtype":"U64","shape":[{shape}],"data_offsets":[0,{end}]}}"#);
        let bytes = bytes_of(&header(&metadata(""), &tensor));
        let error = FileReader::summary(Source::Bytes { name: "long", bytes: &bytes }).unwrap_err();
        assert!(error.to_string().contains("don't fit together"), "{error}");
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_behind() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let error = made.secret.write(&made.params, "d", &folder.path().join("no/such/folder/s")).unwrap_err();
    assert!(matches!(error.problem, FileProblem::Io(_)));
    let target = folder.path().join("taken");
    std::fs::create_dir(&target).unwrap();
    assert!(made.public.write(&made.params, "d", &target).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_secret_key() {
    use std::os::unix::fs::PermissionsExt;
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    made.secret.write(&made.params, "d", &folder.path().join("s")).unwrap();
    let mode = std::fs::metadata(folder.path().join("s")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn a_summary_reads_only_the_header() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let bytes = write_ciphertext(&made, &path);
    let summary = FileReader::summary(&path).unwrap();
    assert_eq!(summary.bytes, bytes);
    assert_eq!(summary.header.kind, "ciphertexts");
    assert!(summary.header.insecure && summary.header.seeded);
    assert_eq!(summary.tensors["x"].shape, [2, 2, N]);
}

#[test]
fn memory_holds_the_bytes_of_files_and_is_checked_as_they_are() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let (params, digest) = (&made.params, made.params.digest());
    let path = folder.path().join("file");
    let written = |path: &Path, bytes: &Vec<u8>, lengths: [u64; 2]| {
        assert_eq!(std::fs::read(path).unwrap(), *bytes);
        assert_eq!(lengths, [bytes.len() as u64; 2]);
        assert_eq!(bytes.capacity(), bytes.len(), "secrets aren't moved about");
    };
    let mut bytes = vec![7; 3];
    bytes.shrink_to_fit();
    let lengths = [made.secret.write(params, digest, &path), made.secret.write(params, digest, &mut bytes)];
    written(&path, &bytes, lengths.map(Result::unwrap));
    let source = Source::Bytes { name: "the secret", bytes: &bytes };
    let read = SecretKey::read(params, digest, source).unwrap();
    assert_eq!(read.coefficients(), made.secret.coefficients());

    let mut bytes = Vec::new();
    let lengths =
        [made.keys.write_for(params, digest, &path), made.keys.write_for(params, digest, &mut bytes)];
    written(&path, &bytes, lengths.map(Result::unwrap));
    let read = |bytes: &[u8]| EvaluationKeys::read_for(params, digest, Source::Bytes { name: "keys", bytes });
    assert_eq!(read(&bytes).unwrap().iter().count(), made.keys.iter().count());
    let summary = FileReader::summary(Source::Bytes { name: "keys", bytes: &bytes }).unwrap();
    assert_eq!(summary.digest, FileReader::summary(&path).unwrap().digest);
    for length in (0..bytes.len()).step_by(bytes.len() / 19) {
        let error = read(&bytes[..length]).unwrap_err().to_string();
        assert!(error.starts_with("keys: "), "{error}");
    }
    for place in (0..bytes.len()).step_by(bytes.len() / 23) {
        let mut altered = bytes.clone();
        altered[place] ^= 4;
        assert!(read(&altered).is_err(), "{place}");
    }
    assert!(read(&[&bytes[..], &[0; 8]].concat()).is_err());
}
