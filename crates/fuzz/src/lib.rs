//! All kinds of input that asanoha reads from outside, as functions of bytes: each panics if a promise is broken.
//!
//! | function | reads | promises |
//! |---|---|---|
//! | [`program`] | the text of a program | what it accepts reads back from its own text as the same program |
//! | [`csv`] | a table | every value lies in the range that the table's schema gives, which reads back from JSON |
//! | [`plan`] | a plan | what it accepts says the same when it's written, and is secure unless that is waived |
//! | [`key`] | a secret, a public or an evaluation key | what it accepts reads again as the same |
//! | [`ciphertext`] | encrypted inputs | every level, scale, factor, bound and noise is the plan's |
//! | [`result`] | encrypted results | the same, and decryption gives numbers or says why it doesn't |
//! | [`manifest`] | what a folder of triples says of itself | what it accepts reads again as the same, and no count of bytes overflows |
//! | [`triples`] | a party's block of triples | only the block that was made is right |
//! | [`panel`], [`haplotypes`], [`variants`] | a panel's index, a panel as text, and as VCF | what they accept has an index that reads back as the same, and can be searched |
//! | [`query`] | a query's message | it's refused or answered |
//! | [`tfhe`] | a client key, a server key or ciphertexts of TFHE | what it accepts is written as the same words, and decryption gives a number |
//! | [`ask`], [`sent_keys`] | what a server is sent | what they accept is written as the same bytes |
//!
//! The targets of cargo-fuzz in `fuzz_targets/` call them, and so do the tests, on stable Rust, over a corpus and over
//! mutations of it.

mod corpus;
mod fixture;
mod genome;
mod tfhe;
mod triples;

use std::io::Write;

use asanoha::{
    data::{Data, Missing, Reading, Schema},
    execute::{self, Contents, Encrypted, Keys},
    kernels::Backend,
    plan::{Plan, SecurityCheck},
    program::Program,
};
use tempfile::NamedTempFile;

pub use corpus::write_corpus;
pub use fixture::{Fixture, Scheme, fixture};
pub use genome::{ask, haplotypes, panel, query, sent_keys, variants};
pub use tfhe::tfhe;
pub use triples::{manifest, triples};

/// A function that may be called with any bytes; it returns whether they were accepted.
pub type Target = fn(&[u8]) -> bool;

/// All targets with their names, which are also the names of their folders in the corpus.
pub const TARGETS: [(&str, Target); 15] = [
    ("program", program),
    ("csv", csv),
    ("plan", plan),
    ("key", key),
    ("ciphertext", ciphertext),
    ("result", result),
    ("manifest", manifest),
    ("triples", triples),
    ("panel", panel),
    ("haplotypes", haplotypes),
    ("variants", variants),
    ("query", query),
    ("ask", ask),
    ("sent_keys", sent_keys),
    ("tfhe", tfhe),
];

/// The back-end; it doesn't affect reading.
pub fn backend() -> Backend {
    Backend::Scalar
}

/// The text of a program.
pub fn program(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(program) = Program::parse(text) else { return false };
    let again = Program::parse(&program.to_string()).expect("a program's own text is a program");
    assert_eq!(again, program, "a program reads back as another");
    true
}

/// The bytes that gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A table: the first line of the CSV names the columns, all of which are read; of a compressed file a column `a`. Rows that miss
/// values are left out.
pub fn csv(bytes: &[u8]) -> bool {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let names = if bytes.starts_with(&GZIP) { "a".into() } else { String::from_utf8_lossy(first) };
    let names: Vec<&str> =
        names.trim_end_matches('\r').split(',').map(|name| name.trim_matches('"')).collect();
    let reading = Reading { missing: Missing::Mask, ..Reading::default() };
    let Ok(Data { table, left_out, .. }) = Data::from_reader(bytes, "fuzz.csv", &names, &reading) else {
        return false;
    };
    assert!(left_out.is_sorted() && table.rows > 0);
    assert!(table.columns.iter().all(|column| column.values.len() == table.rows));
    let Ok(schema) = Schema::from_table(&table, &[]) else { return false };
    let text = serde_json::to_vec(&schema).expect("schemas are plain data");
    assert_eq!(Schema::from_json(&text, "fuzz.json").expect("a schema reads back"), schema);
    for column in &table.columns {
        let range = schema.column(&column.name).expect("every column has a range").range.to_f64();
        let inside = |value: f64| range.0 <= value && value <= range.1;
        assert!(column.values.to_real().into_iter().all(inside), "a value outside of its column's range");
    }
    true
}

/// A plan, as it is and with its security checked.
pub fn plan(bytes: &[u8]) -> bool {
    let Ok(plan) = Plan::from_json(bytes, "fuzz.json", SecurityCheck::Waived, backend()) else {
        return false;
    };
    let text = plan.to_json();
    let again = Plan::from_json(text.as_bytes(), "fuzz.json", SecurityCheck::Waived, backend());
    let again = again.expect("a plan's own text is a plan");
    assert_eq!(again.digest(), plan.digest(), "a plan reads back as another");
    assert_eq!(again.to_json(), text);
    let strict = Plan::from_json(bytes, "fuzz.json", SecurityCheck::Required, backend());
    let secure = plan.params.security_bits() >= plan.security && !plan.params.is_insecure();
    assert_eq!(strict.is_ok(), secure, "security that is claimed isn't what is checked");
    true
}

/// A file of a key of any of the three kinds. The digest is corrected first, as an attacker would do.
pub fn key(bytes: &[u8]) -> bool {
    let Some(file) = sealed(bytes) else { return false };
    let mut accepted = false;
    for scheme in Scheme::ALL {
        let Fixture { plan, .. } = fixture(scheme);
        let folder = tempfile::tempdir().expect("a folder can be made");
        for name in Keys::FILES {
            std::fs::copy(file.path(), folder.path().join(name)).expect("a file can be copied");
        }
        accepted |= Keys::read_secret(plan, folder.path()).is_ok();
        accepted |= Keys::read_public(plan, folder.path()).is_ok();
        accepted |= Keys::open_evaluation(plan, folder.path()).is_ok();
        accepted |= Keys::read_evaluation(plan, folder.path()).is_ok();
    }
    accepted
}

/// A file of encrypted inputs, with its digest corrected first.
pub fn ciphertext(bytes: &[u8]) -> bool {
    let Some(file) = sealed(bytes) else { return false };
    let mut accepted = false;
    for scheme in Scheme::ALL {
        let Fixture { plan, inputs, .. } = fixture(scheme);
        if let Ok(found) = Encrypted::read(plan, Contents::Inputs, file.path()) {
            assert_eq!(found.described(), inputs.described(), "states that the plan doesn't give");
            accepted = true;
        }
    }
    accepted
}

/// A file of encrypted results, with its digest corrected first.
pub fn result(bytes: &[u8]) -> bool {
    let Some(file) = sealed(bytes) else { return false };
    let mut accepted = false;
    for scheme in Scheme::ALL {
        let Fixture { plan, keys, outputs, .. } = fixture(scheme);
        if let Ok(found) = Encrypted::read(plan, Contents::Outputs, file.path()) {
            assert_eq!(found.described(), outputs.described(), "states that the plan doesn't give");
            let secret = keys.secret.as_ref().expect("the fixture has its secret");
            if let Ok(decrypted) = execute::decrypt(plan, secret, &found) {
                let finite = |value: &f64| value.is_finite();
                assert!(decrypted.outputs.iter().all(|(_, values)| values.as_slice().iter().all(finite)));
            }
            accepted = true;
        }
    }
    accepted
}

/// The text before the 64 digits of a file's digest, after the eight bytes of its header's length.
const BEFORE_DIGEST: &[u8] = br#"{"__metadata__":{"digest":""#;

/// A file of these bytes, with the right digest if there is a place for it; `None` if the bytes don't begin as our
/// files do, which reading checks first.
fn sealed(bytes: &[u8]) -> Option<NamedTempFile> {
    let mut bytes = bytes.to_vec();
    let place = 8 + BEFORE_DIGEST.len()..8 + BEFORE_DIGEST.len() + 64;
    if bytes.len() >= place.end && bytes[8..].starts_with(BEFORE_DIGEST) {
        bytes[place.clone()].fill(b'0');
        let digest = blake3::hash(&bytes).to_hex();
        bytes[place].copy_from_slice(digest.as_bytes());
    }
    let mut file = NamedTempFile::new().ok()?;
    file.write_all(&bytes).ok()?;
    Some(file)
}
