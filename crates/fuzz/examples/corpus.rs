//! Writes the files of the corpus that follow a format: `cargo run -p asanoha-fuzz --example corpus`. Programs and tables
//! are written by hand.

use std::path::Path;

fn main() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for path in asanoha_fuzz::write_corpus(&corpus) {
        println!("{}", path.display());
    }
}
