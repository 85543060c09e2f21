//! `asanoha inspect`: says what a file is, what it is for and whether it is secret, by its header.

mod file;
mod plan;
mod records;

use std::{fs::File, io::Read, path::Path};

use asanoha::{
    execute::Keys,
    lattice::FileReader,
    mpc::store::{MANIFEST, Manifest, Run},
    plan::{Plan, SecurityCheck},
};
use serde::Serialize;
use serde_json::Value;

use super::triples::security_lines;
use crate::{
    args::InspectArgs,
    error::{Failure, Place},
    figures,
    files::{folder_of, unreadable},
    report::{self, Lines, Report},
    session::Session,
};

const PLAN: &str = "plan";
const SCHEMA: &str = "schema";
const PARAMETERS: &str = "parameters";
const SEALED: &str = "sealed secret key";
const BACKUP: &str = "backup of keys";
const INPUTS: &str = "record of encrypted inputs";
const PUBLICATIONS: &str = "record of publications";
const TRIPLES: &str = "triples";
const MANIFEST_FILE: &str = "manifest of triples";
const SHARES: &str = "triples of one party";
const TRIPLES_SEED: &str = "seed of triples";
const PANEL: &str = "genome panel";
const MESSAGE: &str = "genome message";
const SENT_KEYS: &str = "record of sent genome keys";
const ACCEPTED_SITES: &str = "record of accepted genome sites";

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

/// The first bytes of files that have no header of ours, and their kinds.
const STARTS: [(&[u8], &str); 8] = [
    (b"asanoha sealed ", SEALED),
    (b"asanoha backup ", BACKUP),
    (b"asatrip", SHARES),
    (b"asagque", MESSAGE),
    (b"asagans", MESSAGE),
    (b"asagkey", MESSAGE),
    (b"asagask", MESSAGE),
    (b"asagacc", ACCEPTED_SITES),
];

/// The first bytes of files of other programs, and what they are.
const FOREIGN: [(&[u8], &str); 6] = [
    (b"##fileformat=VCF", "it is VCF: `asanoha genome index` makes a panel of it"),
    (b"BCF\x02", "it is BCF: `asanoha genome index` makes a panel of it"),
    (b"\x1f\x8b", "it is compressed by gzip"),
    (b"PAR1", "it is a Parquet file: give data to `asanoha run` or `asanoha plan` with --data"),
    (b"ARROW1", "it is an Arrow file: give data to `asanoha run` or `asanoha plan` with --data"),
    (b"PK\x03\x04", "it is a ZIP archive, such as the .npz of `asanoha triples export`"),
];

/// How many bytes are read of a file to tell its kind.
const START_BYTES: u64 = 40;
/// The largest JSON file that is read to tell its kind; only plans are larger.
const MOST_JSON_BYTES: u64 = 64 << 20;
/// The length of a record of sent keys: a key generation, a space, a digest, the end of the line.
const SENT_KEYS_BYTES: u64 = 32 + 1 + 64 + 1;

/// What is said of every file.
#[derive(Debug, Serialize)]
struct About {
    kind: String,
    /// Of a folder of triples, the length of all blocks of all parties.
    bytes: u64,
    /// Whether only its owner may have it; `None` for kinds of later versions.
    secret: Option<bool>,
    purpose: Option<&'static str>,
}

impl About {
    fn new(kind: &str, bytes: u64) -> Self {
        let (secret, purpose) = known(kind).map(|(secret, purpose, _)| (secret, purpose)).unzip();
        Self { kind: kind.to_owned(), bytes, secret, purpose }
    }

    /// The lines that every text begins with.
    fn lines(&self) -> Lines {
        let mut lines = report::lines();
        lines.line("kind", format_args!("{} ({})", self.kind, figures::bytes(self.bytes)));
        match known(&self.kind) {
            Some((_, purpose, access)) => lines.line("use", purpose).line("access", access),
            None => lines.line("use", "unknown to this version of asanoha"),
        };
        lines
    }
}

#[derive(Debug, Serialize)]
struct TriplesReport<'a> {
    #[serde(flatten)]
    about: About,
    #[serde(flatten)]
    manifest: &'a Manifest,
    mac_security_bits: u64,
}

#[derive(Debug, Serialize)]
struct PanelReport<'a> {
    #[serde(flatten)]
    about: About,
    chromosome: &'a str,
    haplotypes: u64,
    sites: u64,
}

pub(crate) fn inspect(session: &Session, args: &InspectArgs) -> Result<Report, Failure> {
    let path = &*args.file;
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
    if metadata.is_dir() {
        return inspect_folder(path);
    }
    let bytes = metadata.len();
    // The seed needn't be read.
    if path.ends_with("secret-seed") && folder_of(path).join(MANIFEST).is_file() {
        return Ok(inspect_whole(TRIPLES_SEED, bytes));
    }
    let start = read_start(path, START_BYTES)?;
    if is_json(&start) {
        return inspect_json(session, path, bytes);
    }
    if start.starts_with(b"asagpan") {
        return inspect_panel(path, bytes);
    }
    if let Some((_, kind)) = STARTS.iter().find(|(first, _)| start.starts_with(first)) {
        return Ok(inspect_whole(kind, bytes));
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(first, _)| start.starts_with(first)) {
        return Err(foreign(path, what));
    }
    if start.is_empty() {
        return Err(foreign(path, "it is empty"));
    }
    if is_text(&start) {
        if bytes == SENT_KEYS_BYTES && is_sent_keys(&read_start(path, bytes)?) {
            return Ok(inspect_whole(SENT_KEYS, bytes));
        }
        return Err(foreign(path, "it is text: give a program or a table of data to `asanoha run`"));
    }
    Ok(file::inspect(FileReader::summary(path)?))
}

/// The refusal of a file that isn't ours.
fn foreign(path: &Path, what: &str) -> Failure {
    Failure::bad_input(format!("{}: not an asanoha file: {what}", path.display()))
        .at(Place::file(path.display()))
}

/// The first bytes of a file, and no more than so many.
fn read_start(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut start))
        .map_err(|error| unreadable(path, error))?;
    Ok(start)
}

/// Whether a file begins as text does. Our binary files begin with the length of their header as a word of 64 bits, which has a
/// zero in its first eight bytes.
fn is_text(start: &[u8]) -> bool {
    // The last character may be cut.
    let is_utf8 = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 && !start.contains(&0)
}

fn is_json(start: &[u8]) -> bool {
    is_text(start) && start.trim_ascii_start().starts_with(b"{")
}

fn is_sent_keys(text: &[u8]) -> bool {
    let parts: Vec<&[u8]> = text.trim_ascii_end().split(|byte| *byte == b' ').collect();
    parts.len() == 2 && parts[0].len() == 32 && parts.concat().iter().all(u8::is_ascii_hexdigit)
}

/// A file of which only the kind is known.
fn inspect_whole(kind: &str, bytes: u64) -> Report {
    let about = About::new(kind, bytes);
    Report::new(&about, about.lines().text())
}

fn inspect_folder(path: &Path) -> Result<Report, Failure> {
    if path.join(MANIFEST).is_file() {
        let run = Run::open(path)?;
        return Ok(inspect_triples(About::new(TRIPLES, run.bytes()), run.manifest()));
    }
    let names = [Keys::SEALED].into_iter().chain(Keys::FILES).chain([Keys::REENCRYPTION]);
    let keys = names.map(|name| path.join(name)).filter(|file| file.is_file());
    let keys: Vec<String> = keys.map(|file| file.display().to_string()).collect();
    let what = match &keys[..] {
        [] => "it is a folder without triples: name a file".to_owned(),
        keys => format!("it is a folder of keys: inspect one of {}", keys.join(", ")),
    };
    Err(foreign(path, &what))
}

fn inspect_triples(about: About, manifest: &Manifest) -> Report {
    let mut lines = about.lines();
    lines
        .line(
            "triples",
            format_args!(
                "{} of {}, modulo a prime of {} bits, for {} parties",
                manifest.count,
                manifest.shape,
                manifest.modulus.bits(),
                manifest.parties
            ),
        )
        .line("blocks", format_args!("{} of up to {} triples", manifest.blocks(), manifest.block_size))
        .line("generator", &manifest.generator);
    security_lines(&mut lines, manifest);
    seeded_line(&mut lines, manifest.seeded);
    let mac_security_bits = manifest.mac_security_bits();
    Report::new(&TriplesReport { about, manifest, mac_security_bits }, lines.text())
}

fn seeded_line(lines: &mut Lines, seeded: bool) {
    if seeded {
        lines.line("secrets", "made from a given seed: anyone who knows the seed knows them");
    }
}

/// Reads the header of a panel (crate `asanoha-genome`, `panel/index.rs`): eight bytes, three words, the chromosome's name.
fn inspect_panel(path: &Path, bytes: u64) -> Result<Report, Failure> {
    const WORDS: usize = 32;
    let damaged = |what: &str| {
        Failure::bad_input(format!("{}: {what}", path.display())).at(Place::file(path.display()))
    };
    let header = read_start(path, WORDS as u64 + 255)?;
    if !header.starts_with(b"asagpan2") {
        return Err(damaged("a panel of another version: make it again with `asanoha genome index`"));
    }
    let word = |at: usize| {
        let bytes = header.get(8 * at..8 * at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    };
    let cut = || damaged("a panel that is cut short or damaged");
    let (Some(haplotypes), Some(sites), Some(length)) = (word(1), word(2), word(3)) else {
        return Err(cut());
    };
    let name = usize::try_from(length).ok().and_then(|length| header.get(WORDS..)?.get(..length));
    let chromosome = name.and_then(|name| std::str::from_utf8(name).ok()).ok_or_else(cut)?;
    // A position, a variant and a bit for each haplotype at every site; a digest at the end.
    let words = u128::from(sites) * (2 + u128::from(haplotypes.div_ceil(64)));
    if u128::from(bytes) != WORDS as u128 + u128::from(length) + 8 * words + 32 {
        return Err(cut());
    }
    let about = About::new(PANEL, bytes);
    let mut lines = about.lines();
    lines.line(
        "panel",
        format_args!("{haplotypes} haplotypes at {sites} sites of chromosome {}", chromosome.escape_debug()),
    );
    Ok(Report::new(&PanelReport { about, chromosome, haplotypes, sites }, lines.text()))
}

fn inspect_json(session: &Session, path: &Path, bytes: u64) -> Result<Report, Failure> {
    let plan = || -> Result<Report, Failure> {
        Ok(plan::inspect(&Plan::read(path, SecurityCheck::Waived, session.backend)?, bytes))
    };
    if bytes > MOST_JSON_BYTES {
        return plan();
    }
    // What isn't JSON is refused as a plan, with the place of the error.
    let Ok(value) = serde_json::from_slice::<Value>(&read_start(path, bytes)?) else { return plan() };
    let has = |names: &[&str]| names.iter().all(|name| value.get(*name).is_some());
    if value["format"] == "asanoha parameters" {
        records::parameters(path, &value, bytes)
    } else if has(&["key", "published"]) {
        Ok(records::publications(&value, bytes))
    } else if has(&["key", "inputs", "rows"]) {
        records::inputs(path, &value, bytes)
    } else if has(&["run", "parties", "block_size"]) && path.ends_with(MANIFEST) {
        let run = Run::open(folder_of(path))?;
        Ok(inspect_triples(About::new(MANIFEST_FILE, bytes), run.manifest()))
    } else if has(&["rows", "columns"]) {
        records::schema(path, bytes)
    } else if has(&["version"]) {
        plan()
    } else {
        Err(foreign(path, "it is JSON, but neither a schema nor a plan nor a record: it has no version"))
    }
}
