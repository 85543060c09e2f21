//! The files of the corpus that have a format, made from one seed.

use std::path::{Path, PathBuf};

use asanoha::execute::{Contents, Keys};

use crate::{
    Scheme, fixture, genome, planner, scheme, tfhe,
    triples::{Folder, folder},
};

/// Writes the files of the corpus that have a format below a folder, in the layout of `fuzz/corpus`. Returns their paths.
///
/// Everything in them but a search's query and the seal of a key comes from one seed, so that the committed files are known
/// answers too: any change to a word of a key, of an encryption or of an evaluation changes them.
///
/// # Panics
/// If a file can't be written.
pub fn write_corpus(corpus: &Path) -> Vec<PathBuf> {
    let mut written = Vec::new();
    let mut place = |target: &str, name: String| {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder).expect("a folder");
        written.push(Path::new(target).join(&name));
        folder.join(name)
    };
    for scheme in Scheme::ALL {
        let made = fixture(scheme);
        let name = format!("{scheme:?}").to_lowercase();
        std::fs::write(place("plan", format!("{name}.json")), made.plan.to_json()).expect("a plan");
        let keys = tempfile::tempdir().expect("a folder");
        made.keys.write(&made.plan, keys.path()).expect("keys");
        // TFHE has no public key.
        for file in Keys::FILES.into_iter().filter(|file| keys.path().join(file).exists()) {
            let key = place("key", format!("{name}-{file}"));
            std::fs::copy(keys.path().join(file), key).expect("a key");
        }
        let file = format!("{name}.safetensors");
        for (inputs, file) in
            [(&made.inputs, &file), (&made.seeded_inputs, &format!("{name}-seeded.safetensors"))]
        {
            let place = place("ciphertext", file.clone());
            inputs.write(&made.plan, Contents::Inputs, &place).expect("inputs");
        }
        made.outputs.write(&made.plan, Contents::Outputs, &place("result", file)).expect("results");
    }
    for scheme in Scheme::ALL {
        let made = fixture(scheme);
        let Some(rotated) = &made.rotated else { continue };
        let name = format!("{scheme:?}").to_lowercase();
        let keys = tempfile::tempdir().expect("a folder");
        rotated.keys.write(&made.plan, keys.path()).expect("keys");
        for file in Keys::FILES {
            let key = place("key", format!("{name}-new-{file}"));
            std::fs::copy(keys.path().join(file), key).expect("a key");
        }
        let key = place("reencryption", format!("{name}.safetensors"));
        rotated.key.write(&made.plan, &key).expect("a re-encryption key");
        let file = format!("{name}-reencrypted.safetensors");
        let inputs = place("ciphertext", file.clone());
        rotated.inputs.write(&made.plan, Contents::Inputs, &inputs).expect("inputs");
        let results = place("result", file);
        rotated.outputs.write(&made.plan, Contents::Outputs, &results).expect("results");
    }
    let Folder { manifest, blocks } = folder();
    std::fs::write(place("manifest", "manifest.json".to_owned()), manifest).expect("a manifest");
    std::fs::write(place("triples", "party-1".to_owned()), &blocks[1]).expect("a block");
    let others =
        genome::files().into_iter().chain(tfhe::files()).chain(scheme::files()).chain(planner::files());
    for (target, name, bytes) in others {
        std::fs::write(place(target, name.to_owned()), bytes).expect("a file");
    }
    written
}
