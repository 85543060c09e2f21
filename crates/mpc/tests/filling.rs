//! Folders whose blocks other machines make.

use std::{fs, path::Path};

use asanoha_mpc::{
    Generator, MpcError,
    store::{BlockMaker, Filling, MANIFEST, Run, StoreError, generate},
};
use asanoha_ring::Seed;

use crate::store::{contents, filled, request, source, verify};

fn begin(folder: &Path) -> Filling<Generator> {
    Filling::begin(folder, &request(3, 5), source).unwrap()
}

/// What another machine makes blocks with.
fn maker(filling: &Filling<Generator>) -> BlockMaker<Generator> {
    let (manifest, seed) = (filling.run().manifest().bytes(), filling.seed().unwrap().clone());
    BlockMaker::new(&manifest, &seed, None, |settings, count, seed| {
        assert_eq!(count, 5);
        source(settings, seed)
    })
    .unwrap()
}

#[test]
fn blocks_that_other_machines_make_are_those_of_one() {
    let (place, whole, _) = filled();
    let folder = place.path().join("by others");
    let mut filling = begin(&folder);
    assert_eq!(filling.missing(), [0, 1, 2]);
    let maker = maker(&filling);
    for block in [2, 0] {
        filling.put(block, &maker.make(block).unwrap()).unwrap();
    }
    assert_eq!(filling.missing(), [1]);
    let busy = Filling::begin(&folder, &request(3, 5), source).unwrap_err();
    assert!(matches!(busy, StoreError::Busy(_)), "{busy}");
    drop(filling);
    // Another call goes on, and makes what is left by itself.
    let mut filling = begin(&folder);
    assert_eq!(filling.missing(), [1]);
    filling.make(1).unwrap();
    assert!(filling.missing().is_empty() && filling.seed().is_some());
    drop(filling);
    let names = |folder: &Path| -> Vec<_> {
        let all = contents(folder).into_iter();
        all.map(|(path, bytes)| (path.strip_prefix(folder).unwrap().to_owned(), bytes)).collect()
    };
    assert!(names(&folder) == names(&whole) && verify(&folder).is_right());
    let finished =
        Filling::begin(&folder, &request(3, 5), |_, _| -> Result<Generator, _> { panic!() }).unwrap();
    assert!(finished.missing().is_empty() && finished.seed().is_none());
}

#[test]
fn files_that_are_not_the_blocks_are_not_written() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("triples");
    let mut filling = begin(&folder);
    let maker = maker(&filling);
    let files: Vec<Vec<u8>> = maker.make(0).unwrap().iter().map(|bytes| bytes.to_vec()).collect();
    let before = contents(&folder);
    let mut refused = |change: &dyn Fn(&mut Vec<Vec<u8>>), expected: &str| {
        let mut files = files.clone();
        change(&mut files);
        let error = filling.put(0, &files).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(contents(&folder) == before);
        assert_eq!(filling.missing(), [0, 1, 2]);
    };
    refused(&|files| files.swap(0, 1), "is of another run, party or block");
    refused(&|files| files[0].truncate(100), "has 100 bytes in place of");
    refused(&|files| files[0].push(0), "bytes in place of");
    refused(&|files| files[0].clear(), "has 0 bytes in place of");
    let length = files[0].len();
    for at in [0, 9, 40, 48, length / 2, length - 1] {
        refused(
            &|files| files[0][at] ^= 1 << (at % 8),
            if at < 40 { "is of another run" } else { "was altered" },
        );
    }
    // A number above the modulus, under a right digest.
    let above = |files: &mut Vec<Vec<u8>>| {
        let body = length - blake3::OUT_LEN;
        files[0][body - 8..body].fill(0xff);
        let digest = blake3::hash(&files[0][..body]);
        files[0][body..].copy_from_slice(digest.as_bytes());
    };
    refused(&above, "was altered");
    // A file of the same run, and of another block.
    let other = maker.make(1).unwrap();
    refused(&|files| files[0] = other[0].to_vec(), "is of another run, party or block");
    filling.put(0, &files).unwrap();
    assert_eq!(filling.missing(), [1, 2]);
    let beyond = maker.make(3).unwrap_err();
    assert!(matches!(beyond, StoreError::Mpc(MpcError::Block { found: 3, blocks: 3 })), "{beyond}");
}

#[test]
fn a_maker_makes_no_other_triples_than_the_folder_has() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("triples");
    let filling = begin(&folder);
    let (manifest, seed) = (filling.run().manifest().bytes(), filling.seed().unwrap().clone());
    let refused = |manifest: &[u8], seed: &Seed, expected: &str| {
        let made = BlockMaker::new(manifest, seed, None, |settings, _, seed| source(settings, seed));
        let error = made.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(&manifest, &Seed([8; 32]), "seed and manifest");
    let text = String::from_utf8(manifest.clone()).unwrap();
    for (from, to, expected) in [
        ("\"count\": 5", "\"count\": 6", "seed and manifest"),
        ("\"count\": 5", "\"count\": 0", "0 triples: take from 1"),
        ("\"parties\": 3", "\"parties\": 2", "parameters"),
        ("\"block_size\": 2", "\"block_size\": 1", "block size"),
        ("\"format\": 1", "\"format\": 2", "is of format 2"),
        ("BGV of ring degree", "BFV of ring degree", "generator"),
    ] {
        assert!(text.contains(from));
        refused(text.replace(from, to).as_bytes(), &seed, expected);
    }
    refused(b"{}", &seed, "isn't a manifest");
    drop(filling);
    // Nothing of that is in the folder, and it can still be filled.
    let generated = generate(&folder, &request(3, 5), source, &|_, _| ()).unwrap();
    assert_eq!(generated.blocks_made, 3);
    assert!(fs::read(folder.join(MANIFEST)).unwrap() == manifest && Run::open(&folder).is_ok());
}

#[test]
fn nothing_secret_is_printed() {
    let place = tempfile::tempdir().unwrap();
    let filling = begin(&place.path().join("triples"));
    let text = format!("{filling:?} {:?}", maker(&filling));
    assert!(!text.contains("7, 7, 7"), "{text}");
}
