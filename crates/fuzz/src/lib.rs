//! All kinds of input that asanoha reads from outside. For each there is a function that reads bytes, which may be any, and returns
//! what uses the result; the use panics if a promise is broken.
//!
//! | function | reads | promises |
//! |---|---|---|
//! | [`program`], [`weights`] | the text of a program; constants in CSV or NumPy's format | what they accept reads back from its own text as the same program |
//! | [`csv`], [`schema`] | a table; the public facts about one | every value lies in the range that the schema gives; a schema reads back from JSON |
//! | [`plan`] | a plan | what it accepts says the same when it's written, and is secure unless that is waived; keys can be made for it |
//! | [`key`], [`seal`] | a secret, public or evaluation key; a secret key under a passphrase | it decrypts, encrypts or evaluates, or says why it doesn't |
//! | [`backup`] | a backup of keys | its files are written to a folder of keys and nowhere else |
//! | [`ciphertext`] | encrypted inputs | every level, scale, factor, bound and noise is the plan's; evaluation and decryption give numbers or an error |
//! | [`result`] | encrypted results | the same of decryption |
//! | [`reencryption`] | a key that re-encrypts | it is written as the same bytes; what it re-encrypts gives numbers or an error |
//! | [`record`] | a client's record of inputs or of publications | it's used for decryption or publication, or refused |
//! | [`parameters`], [`ciphertexts`] | parameters and ciphertexts of a scheme without a plan | they read back as the same; every operation gives a result or an error |
//! | [`interpolation`] | coefficients of a division | all are below the prime |
//! | [`tfhe`] | a client key, a server key or ciphertexts of TFHE | they are written as the same words; every operation gives a result or an error |
//! | [`manifest`], [`triples`] | a folder of triples; a party's block | a manifest reads back as the same, and no count of bytes overflows; only the block that was made is right |
//! | [`panel`], [`haplotypes`], [`variants`] | a panel's index, a panel as text, and as VCF | what they accept has an index that reads back as the same, and can be searched |
//! | [`query`] | a query's message | it is answered, and the answer decrypted |
//! | [`answer`] | a server's answer to a query | it is decrypted, and no match is longer than the query |
//! | [`ask`], [`sent_keys`] | what a server is sent | what they accept is written as the same bytes |
//!
//! The targets of cargo-fuzz in `fuzz_targets/` call them, and so do the tests, on stable Rust, over a corpus and over
//! mutations of it.

mod corpus;
mod data;
mod fixture;
mod genome;
mod planner;
mod scheme;
mod tfhe;
mod triples;
mod uses;

pub use corpus::write_corpus;
pub use data::{csv, program, schema, weights};
pub use fixture::{Fixture, Rotated, Scheme, fixture};
pub use genome::{answer, ask, haplotypes, panel, query, sent_keys, variants};
pub use planner::{backup, ciphertext, key, plan, record, reencryption, result, seal};
pub use scheme::{ciphertexts, interpolation, parameters};
pub use tfhe::tfhe;
pub use triples::{manifest, triples};
pub use uses::{Use, backend};
pub(crate) use uses::{all, corrected, file};

/// Reads bytes, which may be any. Returns `None` if they are refused.
pub type Read = fn(&[u8]) -> Option<Use>;

/// A kind of external input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its function, and of its folder in the corpus.
    pub name: &'static str,
    /// The function.
    pub read: Read,
    /// Whether reading takes long on purpose, so that tests read fewer.
    pub is_costly: bool,
}

impl Target {
    const fn new(name: &'static str, read: Read) -> Self {
        Self { name, read, is_costly: false }
    }

    /// Reads and uses bytes, and returns whether they were accepted.
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        accepts(self.read, bytes)
    }
}

/// All targets.
pub const TARGETS: [Target; 25] = [
    Target::new("program", program),
    Target::new("weights", weights),
    Target::new("csv", csv),
    Target::new("schema", schema),
    Target::new("plan", plan),
    Target::new("key", key),
    Target { is_costly: true, ..Target::new("seal", seal) },
    Target::new("backup", backup),
    Target::new("ciphertext", ciphertext),
    Target::new("result", result),
    Target::new("reencryption", reencryption),
    Target::new("record", record),
    Target::new("parameters", parameters),
    Target::new("ciphertexts", ciphertexts),
    Target::new("interpolation", interpolation),
    Target::new("tfhe", tfhe),
    Target::new("manifest", manifest),
    Target::new("triples", triples),
    Target::new("panel", panel),
    Target::new("haplotypes", haplotypes),
    Target::new("variants", variants),
    Target::new("query", query),
    Target::new("answer", answer),
    Target::new("ask", ask),
    Target::new("sent_keys", sent_keys),
];

/// Reads and uses bytes, and returns whether they were accepted.
pub fn accepts(read: Read, bytes: &[u8]) -> bool {
    read(bytes).map(|used| used()).is_some()
}
