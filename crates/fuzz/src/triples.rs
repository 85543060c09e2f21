//! Folders of triples: the manifest and a party's block.

use std::{path::Path, sync::OnceLock};

use asanoha::{
    mpc::{
        Generator, GeneratorSettings, ModulusChoice, MpcError, TripleOptions, TripleParams, TripleShape,
        export,
        store::{self, MANIFEST, Request, Run},
    },
    ring::Seed,
};
use tempfile::TempDir;

use crate::{Use, backend};

const PARTIES: usize = 2;

/// The files of a folder of two triples, in one block.
pub(crate) struct Folder {
    pub(crate) manifest: Vec<u8>,
    /// Every party's block.
    pub(crate) blocks: [Vec<u8>; PARTIES],
}

fn block_name(party: usize) -> String {
    format!("party-{party}/block-00000000")
}

/// The folder, made once, out of one seed, on an insecure ring.
pub(crate) fn folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let place = tempfile::tempdir().expect("a folder can be made");
        let modulus = ModulusChoice::Prime("18446744073709551557".parse().expect("a number"));
        let shape = TripleShape { rows: 2, inner: 3, columns: 1 };
        let settings = GeneratorSettings { modulus, shape, parties: PARTIES, memory_limit: None };
        let request = Request { settings, count: 2, seed: Some(Seed([7; 32])) };
        store::generate(place.path(), &request, generator, &|_, _| ()).expect("triples");
        let read = |name: &str| std::fs::read(place.path().join(name)).expect("a file");
        Folder { manifest: read(MANIFEST), blocks: [0, 1].map(|party| read(&block_name(party))) }
    })
}

fn generator(settings: &GeneratorSettings, seed: Seed) -> Result<Generator, MpcError> {
    let options = TripleOptions {
        modulus: settings.check()?.value().clone(),
        shape: settings.shape,
        parties: settings.parties,
        outer: 2,
        insecure_ring_degree: Some(1 << 7),
        backend: Some(backend()),
    };
    Ok(Generator::new(TripleParams::choose(&options)?, seed))
}

/// A folder with these files.
fn place(manifest: &[u8], blocks: &[&[u8]]) -> TempDir {
    let place = tempfile::tempdir().expect("a folder can be made");
    let write = |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).expect("a file can be written");
    write(&place.path().join(MANIFEST), manifest);
    for (party, block) in blocks.iter().enumerate() {
        let path = place.path().join(block_name(party));
        std::fs::create_dir(path.parent().expect("a party's folder")).expect("a folder can be made");
        write(&path, block);
    }
    place
}

/// A manifest, in a folder without triples.
pub fn manifest(bytes: &[u8]) -> Option<Use> {
    let place = place(bytes, &[]);
    let run = Run::open(place.path()).ok()?;
    Some(Box::new(move || {
        let text = serde_json::to_vec(run.manifest()).expect("manifests are plain data");
        std::fs::write(place.path().join(MANIFEST), text).expect("a file can be written");
        let again = Run::open(place.path()).expect("a manifest's own text is a manifest");
        assert_eq!(again.manifest(), run.manifest(), "a manifest reads back as another");
        assert!(run.bytes() > run.manifest().count, "triples without bytes");
        assert!(run.manifest().mac_security_bits() >= 18, "a modulus that is too small");
        assert!(store::verify(&run, &|_, _| ()).is_err(), "triples that aren't there are right");
    }))
}

/// The second party's block beside the right one of the first. The digest at its end is corrected first, as an attacker would
/// do.
pub fn triples(bytes: &[u8]) -> Option<Use> {
    let Folder { manifest, blocks: [first, second] } = folder();
    let mut bytes = bytes.to_vec();
    if let Some(body) = bytes.len().checked_sub(blake3::OUT_LEN) {
        let digest = blake3::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(digest.as_bytes());
    }
    let place = place(manifest, &[first, &bytes]);
    let run = Run::open(place.path()).expect("the manifest is right");
    let verdict = store::verify(&run, &|_, _| ()).expect("the blocks are there");
    assert_eq!(verdict.is_right(), bytes == *second, "{verdict:?}");
    verdict.is_right().then(|| -> Use {
        Box::new(move || {
            let out = place.path().join("out");
            export::npz(&run, &out, &|_, _| ()).expect("triples that are right");
        })
    })
}
