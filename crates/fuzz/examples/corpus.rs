//! Writes the files of the corpus that follow a format: `cargo run -p asanoha-fuzz --example corpus`. Programs and tables
//! are written by hand.

use std::path::Path;

use asanoha::execute::{Contents, Keys};
use asanoha_fuzz::{Scheme, fixture};

fn main() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let keys = tempfile::tempdir().expect("a folder");
    for scheme in Scheme::ALL {
        let made = fixture(scheme);
        let name = format!("{scheme:?}").to_lowercase();
        let folder = |target: &str| {
            let folder = corpus.join(target);
            std::fs::create_dir_all(&folder).expect("a folder");
            folder
        };
        std::fs::write(folder("plan").join(format!("{name}.json")), made.plan.to_json()).expect("a plan");
        made.keys.write(&made.plan, keys.path()).expect("keys");
        for file in Keys::FILES {
            std::fs::copy(keys.path().join(file), folder("key").join(format!("{name}-{file}")))
                .expect("a key");
        }
        let at = |target: &str| folder(target).join(format!("{name}.safetensors"));
        made.inputs.clone().write(&made.plan, Contents::Inputs, &at("ciphertext")).expect("inputs");
        made.outputs.clone().write(&made.plan, Contents::Outputs, &at("result")).expect("results");
    }
}
