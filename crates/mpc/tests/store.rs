//! Folders of triples: filled, resumed, checked, exported, and refused.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use asanoha_mpc::{
    Generator, GeneratorSettings, ModulusChoice, MpcError, PartyTriples, TripleOptions, TripleParams,
    TripleShape, TripleSource, export,
    store::{self, MANIFEST, Request, Run, StoreError, Verdict},
};
use asanoha_ring::{Seed, WideModulus};
use tempfile::TempDir;

use crate::common::Fixed;

fn of_shape(shape: TripleShape, parties: usize, count: u64) -> Request {
    let modulus = ModulusChoice::Prime("18446744073709551557".parse().unwrap());
    let settings = GeneratorSettings { modulus, shape, parties, memory_limit: None };
    Request { settings, count, seed: Some(Seed([7; 32])) }
}

/// A generator on a small, insecure ring. The modulus is 1 modulo 4 and not modulo 8, which makes blocks of two triples.
pub(crate) fn source(settings: &GeneratorSettings, seed: Seed) -> Result<Generator, MpcError> {
    let modulus = settings.check()?.value().clone();
    let GeneratorSettings { shape, parties, .. } = *settings;
    let options = TripleOptions {
        modulus,
        shape,
        parties,
        outer: 2,
        insecure_ring_degree: Some(1 << 7),
        backend: None,
    };
    Ok(Generator::new(TripleParams::choose(&options)?, seed))
}

/// So many triples of a shape.
pub(crate) fn request(parties: usize, count: u64) -> Request {
    of_shape(TripleShape { rows: 2, inner: 3, columns: 1 }, parties, count)
}

fn generate(folder: &Path, request: &Request) -> Result<store::Generated, StoreError> {
    store::generate(folder, request, source, &|_, _| ())
}

/// A folder with five triples, and the request.
pub(crate) fn filled() -> (TempDir, PathBuf, Request) {
    let place = tempfile::tempdir().unwrap();
    let (folder, request) = (place.path().join("triples"), request(3, 5));
    let generated = generate(&folder, &request).unwrap();
    assert_eq!((generated.triples_made, generated.blocks_found), (5, 0));
    (place, folder, request)
}

pub(crate) fn verify(folder: &Path) -> Verdict {
    store::verify(&Run::open(folder).unwrap(), &|_, _| ()).unwrap()
}

fn block(folder: &Path, party: usize, block: usize) -> PathBuf {
    folder.join(format!("party-{party}/block-{block:08}"))
}

/// Every file below a folder, with its contents.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Changes bytes of a block file and gives it a right digest again.
fn seal_again(path: &Path, change: impl FnOnce(&mut [u8])) {
    let mut bytes = fs::read(path).unwrap();
    let body = bytes.len() - blake3::OUT_LEN;
    change(&mut bytes[..body]);
    let digest = blake3::hash(&bytes[..body]);
    bytes[body..].copy_from_slice(digest.as_bytes());
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_folder_holds_triples_that_are_right() {
    let (_place, folder, request) = filled();
    let verdict = verify(&folder);
    assert!(verdict.is_right() && verdict.checked == 5, "{verdict:?}");
    let run = Run::open(&folder).unwrap();
    assert!(run.manifest().seeded && run.manifest().block_size == 2);
    let blocks: u64 = contents(&folder)
        .iter()
        .filter(|(path, _)| path.parent() != Some(&folder))
        .map(|(_, bytes)| bytes.len() as u64)
        .sum();
    assert_eq!(blocks, run.bytes());
    // Nothing is made twice, and no keys are made for that.
    let again = store::generate(&folder, &request, |_, _| -> Result<Generator, _> { panic!() }, &|_, _| ());
    assert_eq!(again.unwrap().triples_made, 0);
}

#[cfg(unix)]
#[test]
fn the_seed_and_the_shares_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_place, folder, _) = filled();
    for path in contents(&folder).keys() {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn what_is_missing_is_made_again_and_is_the_same() {
    let (_place, folder, request) = filled();
    let whole = contents(&folder);
    for gone in [vec![block(&folder, 0, 1)], vec![block(&folder, 2, 0), block(&folder, 1, 2)]] {
        gone.iter().for_each(|path| fs::remove_file(path).unwrap());
        let run = Run::open(&folder).unwrap();
        assert!(
            matches!(store::verify(&run, &|_, _| ()), Err(StoreError::Unfinished(path)) if gone.contains(&path))
        );
        let out = folder.join("out");
        assert!(
            matches!(export::npz(&run, &out, &|_, _| ()), Err(StoreError::Unfinished(_))) && !out.exists()
        );
        // What a killed call left is no obstacle.
        fs::write(gone[0].with_added_extension("part"), "half").unwrap();
        let generated = generate(&folder, &request).unwrap();
        assert_eq!(generated.blocks_made as usize, gone.len());
        assert!(contents(&folder) == whole);
    }
    // Killed before the manifest was in its place.
    fs::remove_file(folder.join(MANIFEST)).unwrap();
    (0..3).for_each(|party| fs::remove_dir_all(folder.join(format!("party-{party}"))).unwrap());
    fs::write(folder.join("manifest.json.part"), "{").unwrap();
    generate(&folder, &request).unwrap();
    assert!(contents(&folder) == whole);
}

#[test]
fn folders_of_other_triples_and_other_files_are_left_as_they_are() {
    let (place, folder, request) = filled();
    let whole = contents(place.path());
    let other = |what: &str, other: &Request| {
        let error = generate(&folder, other).unwrap_err().to_string();
        assert!(error.contains(&format!("triples of {what}")), "{error}");
        assert!(contents(place.path()) == whole);
    };
    let with = |change: &dyn Fn(&mut Request)| {
        let mut other = request.clone();
        change(&mut other);
        other
    };
    other("modulus 18446744073709551557", &with(&|other| other.settings.modulus = ModulusChoice::Bits(64)));
    other(
        "shape 2x3x1, and 2x2x2 is asked for",
        &with(&|other| other.settings.shape = TripleShape::square(2)),
    );
    other("parties 3, and 2 is asked for", &with(&|other| other.settings.parties = 2));
    other("count 5, and 6 is asked for", &with(&|other| other.count = 6));
    let seed = with(&|other| other.seed = Some(Seed([8; 32])));
    assert!(matches!(generate(&folder, &seed), Err(StoreError::OtherSeed(_))));

    let unrelated = place.path().join("unrelated");
    fs::create_dir(&unrelated).unwrap();
    fs::write(unrelated.join("letter"), "dear").unwrap();
    assert!(
        matches!(generate(&unrelated, &request), Err(StoreError::Foreign(path)) if path.ends_with("letter"))
    );

    let held = fs::File::open(&folder).unwrap();
    held.lock().unwrap();
    assert!(matches!(generate(&folder, &request), Err(StoreError::Busy(_))));
}

#[test]
fn settings_that_cannot_be_leave_no_folder() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("triples");
    let square = TripleShape::square(2);
    let empty = of_shape(TripleShape { inner: 0, ..square }, 2, 1);
    let mut composite = of_shape(square, 2, 1);
    composite.settings.modulus = ModulusChoice::Prime("18446744073709551559".parse().unwrap());
    let mut small = of_shape(square, 2, 1);
    small.settings.modulus = ModulusChoice::Prime(65537u32.into());
    for (bad, says) in [
        (empty, "0 inner rows and columns"),
        (of_shape(square, 1, 1), "1 parties"),
        (of_shape(square, 2, 0), "0 triples"),
        (composite, "isn't a prime"),
        (small, "17 bits"),
    ] {
        let error = generate(&folder, &bad).unwrap_err();
        assert!(error.to_string().contains(says) && !error.is_impossible(), "{error}");
        assert!(!folder.exists());
    }
    // The keys can't be made.
    let impossible = MpcError::Memory { needed: 2, limit: 1 };
    let impossible = Cell::new(Some(impossible));
    let fails = |_: &_, _| -> Result<Generator, _> { Err(impossible.take().unwrap()) };
    let error = store::generate(&folder, &of_shape(square, 2, 1), fails, &|_, _| ()).unwrap_err();
    assert!(error.is_impossible() && !folder.exists());
}

#[test]
fn damaged_blocks_are_found_by_every_command() {
    type Damage = (fn(&mut Vec<u8>), fn(&StoreError) -> bool);
    let damages: [Damage; 4] = [
        (|bytes| bytes.truncate(100), |error| matches!(error, StoreError::Length { found: 100, .. })),
        (|bytes| bytes.push(0), |error| matches!(error, StoreError::Length { .. })),
        (|bytes| bytes[9] ^= 1, |error| matches!(error, StoreError::Mixed(_))),
        (|bytes| bytes[60] ^= 1, |error| matches!(error, StoreError::Altered(_))),
    ];
    for (at, (damage, is_right)) in damages.into_iter().enumerate() {
        let (_place, folder, request) = filled();
        let path = block(&folder, 1, 1);
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let verdict = verify(&folder);
        assert!(!verdict.is_right() && verdict.damaged.len() == 1, "{verdict:?}");
        assert!(verdict.damaged[0].contains("party-1/block-00000001"), "{verdict:?}");
        let run = Run::open(&folder).unwrap();
        let out = folder.join("out");
        for error in [export::npz(&run, &out, &|_, _| ()), export::mp_spdz(&run, &out, &|_, _| ())] {
            assert!(is_right(&error.unwrap_err()));
        }
        assert!(!out.join("party-0.npz").exists() && !out.join("Player-Data/3-p-64").exists());
        // Resuming reads lengths and headers only.
        if at < 3 {
            assert!(is_right(&generate(&folder, &request).unwrap_err()));
        }
        fs::remove_file(&path).unwrap();
        generate(&folder, &request).unwrap();
        assert!(verify(&folder).is_right());
    }
}

#[test]
fn shares_of_another_run_party_or_place_are_told_apart() {
    let (_place, folder, _) = filled();
    let (_other_place, other, _) = {
        let place = tempfile::tempdir().unwrap();
        let (folder, mut request) = (place.path().join("triples"), request(3, 5));
        request.seed = None;
        generate(&folder, &request).unwrap();
        (place, folder, request)
    };
    let right = fs::read(block(&folder, 0, 0)).unwrap();
    for from in [block(&other, 0, 0), block(&folder, 1, 0), block(&folder, 0, 1)] {
        fs::copy(from, block(&folder, 0, 0)).unwrap();
        let verdict = verify(&folder);
        assert!(verdict.damaged.len() == 1 && verdict.damaged[0].contains("another run"), "{verdict:?}");
    }
    fs::write(block(&folder, 0, 0), right).unwrap();
    // A manifest that was altered is that of another run.
    let text = fs::read_to_string(folder.join(MANIFEST)).unwrap();
    fs::write(folder.join(MANIFEST), text.replace("\"count\": 5", "\"count\": 6")).unwrap();
    assert!(!verify(&folder).damaged.is_empty());
}

#[test]
fn a_wrong_triple_is_named_with_what_is_wrong() {
    let (_place, folder, _) = filled();
    // Beside its triples a block has 8 + 32 + 8 bytes before; a triple of 2x3x1 has 11 entries of 16 bytes.
    let value = |triple: usize, entry: usize, code: usize| 48 + (11 * triple + entry) * 16 + 8 * code;
    let run = Run::open(&folder).unwrap();
    let size = run.manifest().block_size;
    for (entry, code, what) in [
        (9, 0, "the shares don't add up to A·B"),
        (0, 0, "the shares don't add up to A·B"),
        (4, 1, "the code of A at row 2, column 2"),
        (8, 1, "the code of B at row 3, column 1"),
        (10, 1, "the code of A·B at row 2, column 1"),
    ] {
        let path = block(&folder, 2, 1);
        let before = fs::read(&path).unwrap();
        seal_again(&path, |bytes| bytes[value(size - 1, entry, code)] ^= 1);
        let verdict = verify(&folder);
        assert!(verdict.damaged.is_empty() && verdict.wrong == 1, "{verdict:?}");
        assert_eq!(verdict.told[0].triple, 2 * size as u64 - 1);
        assert!(verdict.told[0].what.contains(what), "{verdict:?}");
        fs::write(&path, before).unwrap();
    }
    // A share of the MAC key that is another makes every code of the block wrong.
    seal_again(&block(&folder, 0, 0), |bytes| bytes[40] ^= 1);
    assert_eq!(verify(&folder).wrong, size as u64);
    // A number that isn't below the modulus.
    seal_again(&block(&folder, 0, 1), |bytes| bytes[48..56].fill(0xff));
    assert!(verify(&folder).damaged[0].contains("altered"));
}

#[test]
fn manifests_are_checked() {
    let (_place, folder, _) = filled();
    let text = fs::read_to_string(folder.join(MANIFEST)).unwrap();
    for (from, to, says) in [
        ("\"format\": 1", "\"format\": 2", "is of format 2"),
        ("\"format\": 1", "\"form\": 1", "isn't a manifest"),
        ("{", "", "isn't a manifest"),
        ("\"rows\": 2", "\"rows\": 0", "0 rows"),
        ("\"rows\": 2", "\"rows\": 2000000", "2000000 rows"),
        ("\"parties\": 3", "\"parties\": 1", "1 parties"),
        ("\"count\": 5", "\"count\": 0", "0 triples"),
        ("18446744073709551557", "18446744073709551559", "isn't a prime"),
        ("18446744073709551557", "-1", "decimal"),
        ("\"seeded\"", "\"seed\"", "seed"),
        ("\"block_size\": ", "\"block_size\": 0, \"x\": ", "x"),
    ] {
        assert!(text.contains(from), "{text}");
        fs::write(folder.join(MANIFEST), text.replacen(from, to, 1)).unwrap();
        let error = Run::open(&folder).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    // Each of these is allowed, and 2^66 bytes in all aren't.
    let mut huge: serde_json::Value = serde_json::from_str(&text).unwrap();
    huge["shape"] = serde_json::json!({ "rows": 1024, "inner": 1024, "columns": 1024 });
    huge["modulus"] = ModulusChoice::Bits(512).prime().unwrap().value().to_string().into();
    (huge["parties"], huge["count"]) = (64.into(), (1u64 << 32).into());
    fs::write(folder.join(MANIFEST), huge.to_string()).unwrap();
    assert!(Run::open(&folder).unwrap_err().to_string().contains("more than 2^64 bytes"));
    fs::write(folder.join(MANIFEST), vec![b' '; 1 << 20]).unwrap();
    assert!(Run::open(&folder).unwrap_err().to_string().contains("more than"));
    fs::remove_file(folder.join(MANIFEST)).unwrap();
    assert!(matches!(Run::open(&folder), Err(StoreError::Read { .. })));
}

#[test]
fn npz_files_hold_every_array() {
    let (place, folder, _) = filled();
    let run = Run::open(&folder).unwrap();
    let out = place.path().join("arrays");
    let exported = export::npz(&run, &out, &|_, _| ()).unwrap();
    assert_eq!(exported.files.len(), 3);
    let file = fs::File::open(out.join("party-1.npz")).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    let mut array = |name: &str| {
        let mut bytes = Vec::new();
        std::io::copy(&mut zip.by_name(name).unwrap(), &mut bytes).unwrap();
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(start % 64, 0);
        let about = String::from_utf8(bytes[10..start].to_vec()).unwrap();
        (about, bytes[start..].to_vec())
    };
    let (about, codes) = array("B_codes.npy");
    assert!(
        about.starts_with("{'descr': '<u8', 'fortran_order': False, 'shape': (5, 3, 1, 1,), }"),
        "{about}"
    );
    // The code of B's second row in the first triple of the second block.
    let (size, stored) = (run.manifest().block_size, fs::read(block(&folder, 1, 1)).unwrap());
    assert_eq!(codes[8 * (3 * size + 1)..][..8], stored[48 + 7 * 16 + 8..][..8]);
    assert_eq!(array("mac_key.npy").1, stored[40..48]);
    assert_eq!(array("modulus.npy").1, 18446744073709551557u64.to_le_bytes());
    assert!(matches!(export::npz(&run, &out, &|_, _| ()), Err(StoreError::Exists(_))));
}

#[test]
fn exports_for_mp_spdz_are_those_of_the_reference() {
    use sha2::{Digest, Sha256};

    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("triples");
    let modulus: WideModulus = ModulusChoice::Bits(128).prime().unwrap();
    let mut request = of_shape(TripleShape::square(1), 2, 1);
    request.settings.modulus = ModulusChoice::Bits(128);
    let fixed = Fixed::new(&modulus, &[3, 4], [[[5, 10], [1, 20], [6, 40]], [[-3, 4], [2, 1], [0, 2]]]);
    let blocks: Vec<PartyTriples> = fixed.block(0).unwrap();
    assert_eq!(blocks.len(), 2);
    let generated = store::generate(&folder, &request, |_, _| Ok(fixed), &|_, _| ()).unwrap();
    assert!(verify(&folder).is_right());
    let exported = export::mp_spdz(&generated.run, place.path(), &|_, _| ()).unwrap();
    assert_eq!(exported.folder, place.path().join("Player-Data/2-p-128"));
    let read = |name: &str| fs::read(exported.folder.join(name)).unwrap();
    assert_eq!(read("Params-Data"), b"170141183460469231731687303715885907969\n1\n");
    let digests = [
        "71e9ea91cfdce91794cec362fe6fed6652bd620ff3a6d47af83109a4e72481db",
        "0e95a28a282e33f0fdb1c1fdbfd3d73005240929cca478d8893b7e245e0368d2",
    ];
    for (party, digest) in digests.into_iter().enumerate() {
        let shares = read(&format!("Matrix-1x1x1-P{party}"));
        let found = blake3::Hash::from_bytes(Sha256::digest(&shares).into()).to_hex();
        assert_eq!((shares.len(), found.as_str()), (153, digest));
        let key = format!("2 {}\n", 3 + party);
        assert_eq!(read(&format!("Player-MAC-Keys-p-P{party}")), key.as_bytes());
    }
    assert_eq!(exported.files.len(), 5);
    assert!(matches!(export::mp_spdz(&generated.run, place.path(), &|_, _| ()), Err(StoreError::Exists(_))));
}
