//! `asanoha keys backup` and `asanoha keys restore`.

use std::collections::BTreeMap;

use asanoha::{
    client::{Backup, ClientRecord, back_up},
    execute::{Keys, PublicationRecord},
};
use serde::Serialize;

use crate::{
    args::{BackupArgs, KeysCommand, RestoreArgs},
    delivery::Delivery,
    error::Failure,
    figures, passphrase,
    report::{self, Report, counted},
    session::Session,
    target::{Target, key_files, paths},
};

#[derive(Debug, Serialize)]
struct BackupReport {
    /// The files in it.
    files: Vec<String>,
    file_bytes: u64,
    /// Whether only a passphrase opens it.
    encrypted: bool,
}

#[derive(Debug, Serialize)]
struct RestoreReport {
    /// The lengths of the files in bytes.
    files: BTreeMap<String, u64>,
    /// The counts of the key when the backup was made; `None` if it has none.
    counts: Option<CountsReport>,
}

/// Counts of a key at the time of its backup.
#[derive(Debug, Serialize)]
struct CountsReport {
    /// The ciphertexts that were published.
    publications: u64,
    /// The bits of numbers that were shown unchecked.
    shown_bits: u64,
}

pub(crate) fn keys(session: &Session, command: &KeysCommand) -> Result<Report, Failure> {
    match command {
        KeysCommand::Backup(args) => backup(session, args),
        KeysCommand::Restore(args) => restore(args),
    }
}

fn backup(session: &Session, args: &BackupArgs) -> Result<Report, Failure> {
    let target = Target::open_whole(session, &args.out, &paths(&key_files(&args.keys)))?;
    session.admit_keys(&args.keys)?;
    let passphrase = match Keys::is_sealed(&args.keys) {
        true if args.no_passphrase => {
            return Err(Failure::usage(format!(
                "{}: the secret key is encrypted under a passphrase, and so is its backup: leave out --no-passphrase",
                args.keys.display()
            )));
        }
        true => passphrase::of_folder(&args.passphrase, &args.keys)?,
        false if args.no_passphrase => None,
        false => Some(passphrase::new(&args.passphrase)?),
    };
    let passphrase = passphrase.as_deref().map(Vec::as_slice);
    let bytes = back_up(&args.keys, passphrase)?;
    target.write(&bytes, true)?;
    // What was written is what can be read.
    let written = if target.is_stdout() {
        Backup::of_bytes(target.path(), bytes.to_vec())
    } else {
        Backup::read(target.path())
    };
    let files = written?.open(passphrase)?;
    let report = BackupReport {
        files: files.names().into_iter().map(str::to_owned).collect(),
        file_bytes: bytes.len() as u64,
        encrypted: passphrase.is_some(),
    };
    let mut lines = report::lines();
    lines
        .line("written", format_args!("{} ({})", target.name(), figures::bytes(report.file_bytes)))
        .line("holds", listed(&report.files))
        .line(
            "keep",
            if report.encrypted {
                "it apart from the keys, and the passphrase apart from it"
            } else {
                "it to yourself: it holds the secret key, readable"
            },
        );
    Report::new(&report, lines.text()).with_file(Some(target))
}

fn restore(args: &RestoreArgs) -> Result<Report, Failure> {
    let backup = Backup::read(&args.file)?;
    let passphrase = passphrase::of_backup(&args.passphrase, &args.file, &backup)?;
    let files = backup.open(passphrase.as_deref().map(Vec::as_slice))?;
    let all = [&Keys::FILES[..], &[Keys::SEALED, Keys::RECORD], &files.names()[..]].concat();
    let delivery = Delivery::open(&args.out, &all, false)?;
    let written = files.write(delivery.staging_folder())?;
    delivery.close(&files.names(), &[])?;
    let counts = PublicationRecord::stated(&args.out);
    let counts = counts.map(|(publications, shown_bits)| CountsReport { publications, shown_bits });
    let mut lines = report::lines();
    let records = written.keys().filter(|name| ClientRecord::is_record(name)).count();
    if records > 0 {
        lines.line("written", records_line(records));
    }
    for (name, bytes) in written.iter().filter(|(name, _)| !ClientRecord::is_record(name)) {
        lines.line("written", format_args!("{} ({})", args.out.join(name).display(), figures::bytes(*bytes)));
    }
    if let Some(CountsReport { publications, shown_bits }) = &counts {
        let published = counted(*publications, "ciphertext");
        lines.line(
            "counts",
            format_args!(
                "{published} published and {shown_bits} bits shown unchecked when the backup was made"
            ),
        );
        lines.line(
            "",
            "what was published or shown since then isn't counted: show nothing more under this key, or make new keys",
        );
        lines.line("", "canaries that were spent since then count as unspent: make new keys for new inputs");
    }
    Ok(Report::new(&RestoreReport { files: written, counts }, lines.text()))
}

/// Files by their names, but for records, of which there is one for each encryption.
fn listed(files: &[String]) -> String {
    let (records, mut names): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|name| ClientRecord::is_record(name));
    if !records.is_empty() {
        names.push(records_line(records.len()));
    }
    names.join(", ")
}

fn records_line(records: usize) -> String {
    format!("{} of encrypted inputs", counted(records, "record"))
}
