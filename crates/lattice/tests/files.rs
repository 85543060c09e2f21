//! Files come back as they were written, or not at all.

mod common;

use std::path::Path;

use asanoha_lattice::{
    EvaluationKeys, FileError, FileProblem, FileReader, FileWriter, GaloisKey, KeyId, KeySwitchKey, Level,
    PublicKey, RlweCiphertext, RlweParams, SecretKey,
};
use asanoha_ring::{Coefficient, GaloisElement, Poly, Sampler, Seed};
use common::params;

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
    let keys = EvaluationKeys {
        id: secret.id(),
        relinearisation: Some(KeySwitchKey::relinearisation(&params, &secret, &mut sampler)),
        galois: [(g, GaloisKey::generate(&params, &secret, g, &mut sampler))].into(),
    };
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
    RlweCiphertext::get(&made.params, &file, "x")
}

#[test]
fn keys_and_ciphertexts_survive_files() {
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let digest = made.params.digest();
    made.secret.write(&made.params, digest, &path("s")).unwrap();
    made.public.write(&made.params, digest, &path("p")).unwrap();
    let bytes = made.keys.write(&made.params, digest, &path("k")).unwrap();
    assert_eq!(bytes, std::fs::metadata(path("k")).unwrap().len());
    write_ciphertext(&made, &path("c"));

    let secret = SecretKey::read(&made.params, digest, &path("s")).unwrap();
    assert_eq!(secret.coefficients(), made.secret.coefficients());
    assert!(secret.id() == made.secret.id() && secret.id() != KeyId::default());
    let public = PublicKey::read(&made.params, digest, &path("p")).unwrap();
    assert_eq!(public.body().words(), made.public.body().words());
    let keys = EvaluationKeys::read(&made.params, digest, &path("k")).unwrap();
    assert!(public.id() == secret.id() && keys.id == secret.id());
    let ciphertext = read_ciphertext(&made, &path("c")).unwrap();
    let rotate = |keys: &EvaluationKeys, ciphertext| {
        let image = made.params.automorphism(ciphertext, keys.rotation(&made.params, 3).unwrap()).unwrap();
        secret.decrypt(&image).to_integers()
    };
    assert_eq!(rotate(&keys, &ciphertext), rotate(&made.keys, &made.ciphertext));
    let square = |keys: &EvaluationKeys| {
        let product = ciphertext.tensor(&ciphertext);
        let product = made.params.relinearise(product, keys.relinearisation().unwrap()).unwrap();
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
    let version = br#""version":"2""#;
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

#[test]
fn a_header_that_promises_more_than_the_file_holds_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge");
    let header = br#"{"__metadata__":{"format":"asanoha","version":"2","digest":"","fields":"null","insecure":"false","key":"00000000000000000000000000000000","kind":"k","params":"p","security_bits":"128"},"x":{"dtype":"U64","shape":[1099511627776],"data_offsets":[0,8796093022208]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header);
    std::fs::write(&path, &bytes).unwrap();
    let error = FileReader::read(&path, "k", "p").unwrap_err();
    assert!(matches!(error.problem, FileProblem::Length { .. }), "{error}");
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(FileReader::read(&path, "k", "p").unwrap_err().problem, FileProblem::Foreign(_)));
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
    assert!(summary.header.insecure);
    assert_eq!(summary.tensors["x"].shape, [2, 2, N]);
}
