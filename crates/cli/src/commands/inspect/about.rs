//! The kinds of files, and what is said of each.

use std::path::Path;

use serde::Serialize;

use crate::{
    error::{Failure, Place},
    figures,
    report::{self, Lines},
};

pub(super) const PLAN: &str = "plan";
pub(super) const SCHEMA: &str = "schema";
pub(super) const PARAMETERS: &str = "parameters";
pub(super) const SEALED: &str = "sealed secret key";
pub(super) const BACKUP: &str = "backup of keys";
pub(super) const INPUTS: &str = "record of encrypted inputs";
pub(super) const PUBLICATIONS: &str = "record of publications";
pub(super) const TRIPLES: &str = "triples";
pub(super) const MANIFEST_FILE: &str = "manifest of triples";
pub(super) const SHARES: &str = "triples of one party";
pub(super) const TRIPLES_SEED: &str = "seed of triples";
pub(super) const PANEL: &str = "genome panel";
pub(super) const MESSAGE: &str = "genome message";
pub(super) const SENT_KEYS: &str = "record of sent genome keys";
pub(super) const ACCEPTED_SITES: &str = "record of accepted genome sites";

const TELLS_COLUMNS: &str = "public: it tells the number of rows, and the columns' names, ranges and texts";
const DECRYPTS: &str = "secret: it decrypts everything that is encrypted under it";
const ENCRYPTED: &str = "public: only the secret key decrypts it";
const CANNOT_DECRYPT: &str = "public: it can't decrypt";
const OF_PARTIES: &str =
    "secret: party-0 is for the first party alone, and so on; secret-seed is for no party";

/// Whether files of a kind are secret, what they are for, and who may have them.
fn known(kind: &str) -> Option<(bool, &'static str, &'static str)> {
    Some(match kind {
        PLAN => (false, "every step of a computation; client and server need it", TELLS_COLUMNS),
        SCHEMA => (false, "planning without the data, by `asanoha plan --schema`", TELLS_COLUMNS),
        PARAMETERS => (false, "programs that use the library; client and server need them", "public"),
        "secret key" => (true, "decryption; the client needs it", DECRYPTS),
        "TFHE client key" => (true, "encryption and decryption; the client needs it", DECRYPTS),
        SEALED => (true, "decryption, with its passphrase", "secret: it is as safe as its passphrase"),
        BACKUP => (true, "`asanoha keys restore`", "secret: it holds the secret key"),
        "public key" => (false, "encryption; the client needs it", CANNOT_DECRYPT),
        "evaluation keys" => (false, "evaluation; the server needs them", CANNOT_DECRYPT),
        "re-encryption key" => (
            false,
            "`asanoha reencrypt`; the server that puts old files under new keys needs it",
            "public: it can't decrypt without the new secret key",
        ),
        "TFHE server key" => (false, "evaluation; the server needs it", CANNOT_DECRYPT),
        "encrypted inputs" => (false, "evaluation; the server needs them", ENCRYPTED),
        "encrypted outputs" => (false, "decryption; the client needs them", ENCRYPTED),
        "unfinished evaluation" => {
            (false, "the next call of `asanoha evaluate`, which goes on from it", ENCRYPTED)
        }
        "ciphertexts" | "TFHE ciphertexts" => (false, "programs that use the library", ENCRYPTED),
        INPUTS => (
            true,
            "decryption, beside the secret key",
            "secret: it may hold constants near the data, and results",
        ),
        PUBLICATIONS => {
            (true, "`asanoha decrypt --publish`, beside the secret key", "secret: it is for the client alone")
        }
        TRIPLES => (true, "multi-party computation; each party needs its own folder", OF_PARTIES),
        MANIFEST_FILE => (false, "checking and exporting the triples beside it", "public: it tells no share"),
        SHARES => (true, "multi-party computation", "secret: it is for the party of its folder alone"),
        TRIPLES_SEED => (true, "`asanoha triples generate`", "secret: all shares follow from it"),
        PANEL => (true, "`asanoha genome serve`", "secret: it holds the panel's genotypes, not encrypted"),
        MESSAGE => (false, "a private search; client and server exchange it", ENCRYPTED),
        SENT_KEYS => (false, "later queries with `--keys`", "public: it tells a digest of public keys"),
        ACCEPTED_SITES => (true, "later queries with `--keys`", "secret: it tells which sites you ask about"),
        _ => return None,
    })
}

/// What is said of every file.
#[derive(Debug, Serialize)]
pub(super) struct About {
    pub(super) kind: String,
    /// Of a folder of triples, the length of all blocks of all parties.
    bytes: u64,
    /// Whether only its owner may have it; `None` for kinds of later versions.
    secret: Option<bool>,
    purpose: Option<&'static str>,
}

impl About {
    pub(super) fn new(kind: &str, bytes: u64) -> Self {
        let (secret, purpose) = known(kind).map(|(secret, purpose, _)| (secret, purpose)).unzip();
        Self { kind: kind.to_owned(), bytes, secret, purpose }
    }

    /// The lines that every text begins with.
    pub(super) fn lines(&self) -> Lines {
        let mut lines = report::lines();
        lines.line("kind", format_args!("{} ({})", self.kind, figures::bytes(self.bytes)));
        match known(&self.kind) {
            Some((_, purpose, access)) => lines.line("use", purpose).line("access", access),
            None => lines.line("use", "unknown to this version of asanoha"),
        };
        lines
    }
}

pub(super) fn seeded_line(lines: &mut Lines, seeded: bool) {
    if seeded {
        lines.line("secrets", "made from a given seed: anyone who knows the seed knows them");
    }
}

/// The refusal of a file that isn't ours.
pub(super) fn foreign(path: &Path, what: &str) -> Failure {
    Failure::bad_input(format!("{}: not an asanoha file: {what}", path.display()))
        .at(Place::file(path.display()))
}
