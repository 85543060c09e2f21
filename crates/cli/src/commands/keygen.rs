//! `asanoha keygen`: the keys of a plan.

use std::{collections::BTreeMap, path::Path};

use asanoha::{
    client::ClientRecord,
    execute::{
        self, DecryptionKey, ExecuteError, Keys, PublicationRecord, RecordError, RecordProblem,
        ReencryptionKey,
    },
    lattice::FileError,
    plan::Plan,
    ring::Sampler,
};
use serde::Serialize;

use crate::{
    args::KeygenArgs,
    delivery::Delivery,
    error::Failure,
    figures, passphrase,
    progress::Progress,
    report::{self, Lines, Report, counted, security_line},
    session::{Purpose, Session, timed},
    target::check_apart,
};

#[derive(Debug, Serialize)]
struct Timings {
    keygen_s: f64,
    write_s: f64,
}

#[derive(Debug, Serialize)]
struct KeygenReport {
    /// The lengths of the files in bytes.
    files: BTreeMap<&'static str, u64>,
    /// What the new keys replace, with `--rotate`.
    rotated: Option<RotatedReport>,
    timings: Timings,
    security_bits: u32,
}

/// From the old keys to the new ones.
#[derive(Debug, Serialize)]
struct RotatedReport {
    /// The old key generation.
    from: String,
    /// The new key generation.
    to: String,
    /// How many records of encrypted inputs were copied.
    records: usize,
}

impl RotatedReport {
    /// Says in lines what becomes of the old keys and of what is under them.
    fn put(&self, folder: &Path, lines: &mut Lines) {
        lines
            .line(
                "replaces",
                format_args!("key generation {} in {}, which stays as it is", self.from, folder.display()),
            )
            .line("old files", "go on under the new keys with `asanoha reencrypt`");
        if self.records > 0 {
            let records = counted(self.records, "record");
            lines.line("copied", format_args!("{records} of encrypted inputs, for their results"));
        }
    }
}

/// New keys, and the key from the old ones to them.
struct Made {
    keys: Keys,
    rotation: Option<ReencryptionKey>,
}

impl Made {
    fn new(plan: &Plan, old: Option<&DecryptionKey>, sampler: &mut Sampler) -> Result<Self, ExecuteError> {
        let keys = execute::generate_keys(plan, sampler);
        let rotation = match (old, &keys.secret) {
            (Some(old), Some(new)) => Some(ReencryptionKey::generate(plan, old, new, sampler)?),
            _ => None,
        };
        Ok(Self { keys, rotation })
    }

    /// Writes the keys to a folder; the files' lengths.
    fn write(
        &self,
        plan: &Plan,
        folder: &Path,
        passphrase: Option<&[u8]>,
    ) -> Result<Vec<(&'static str, u64)>, FileError> {
        let mut files = match passphrase {
            None => self.keys.write(plan, folder)?,
            Some(passphrase) => self.keys.write_sealed(plan, folder, passphrase)?,
        };
        if let Some(key) = &self.rotation {
            files.push((Keys::REENCRYPTION, key.write(plan, &folder.join(Keys::REENCRYPTION))?));
        }
        Ok(files)
    }
}

pub(crate) fn keygen(session: &Session, args: &KeygenArgs) -> Result<Report, Failure> {
    let plan = session.read_plan(&args.plan)?;
    let names = [&Keys::FILES[..], &[Keys::SEALED, Keys::RECORD, Keys::REENCRYPTION]].concat();
    for name in &names {
        check_apart(&args.out.join(name), &[&args.plan])?;
    }
    // The old keys stay as they are.
    args.rotate.as_deref().map_or(Ok(()), |folder| check_apart(&args.out, &[folder]))?;
    let old = args.rotate.as_deref().map(|folder| read_old(session, args, &plan, folder)).transpose()?;
    let delivery = Delivery::open(&args.out, &names, args.force)?;
    let passphrase = if args.no_passphrase { None } else { Some(passphrase::new(&args.passphrase)?) };
    let passphrase = passphrase.as_deref().map(Vec::as_slice);
    let progress = Progress::start("making keys");
    let mut sampler = session.sampler(Purpose::Keys);
    let (made, keygen_s) = timed(|| Made::new(&plan, old.as_ref(), &mut sampler));
    let made = made?;
    let (written, write_s) = timed(|| made.write(&plan, delivery.staging_folder(), passphrase));
    drop(progress);
    let written = written.map_err(|error| {
        let name = error.path.file_name().unwrap_or_default();
        Failure::bad_input(format!("{}: cannot be written: {}", args.out.join(name).display(), error.problem))
    })?;
    let records = match (&args.rotate, &made.rotation) {
        (Some(folder), Some(key)) => {
            inherit(folder, old.as_ref(), delivery.staging_folder(), &made.keys)
                .map_err(ExecuteError::from)?;
            ClientRecord::copy_all(folder, delivery.staging_folder(), [key.from(), key.to()])
                .map_err(ExecuteError::from)?
        }
        _ => Vec::new(),
    };
    let now: Vec<&str> =
        written.iter().map(|(name, _)| *name).chain(records.iter().map(String::as_str)).collect();
    // With --force, there may have been keys of another scheme, which has more files, and records of what they encrypted.
    let old_records = if args.force { ClientRecord::names(&args.out) } else { Ok(Vec::new()) };
    let old_records = old_records.map_err(ExecuteError::from)?;
    delivery
        .close(&now, &[&names[..], &old_records.iter().map(String::as_str).collect::<Vec<_>>()].concat())?;

    let security_bits = plan.params.security_bits();
    let secret = if passphrase.is_some() { Keys::SEALED } else { Keys::FILES[0] };
    let mut lines = report::lines();
    for (name, bytes) in &written {
        lines.line("written", format_args!("{} ({})", args.out.join(name).display(), figures::bytes(*bytes)));
    }
    lines
        .line(
            "time",
            format_args!("{} and {} of writing", figures::seconds(keygen_s), figures::seconds(write_s)),
        )
        .line("security", security_line(&plan))
        .line("keep", if plan.params.backend().has_public_key() {
            format!(
                "{secret} to yourself, and {}, which counts what you publish, beside it; the other files are public",
                Keys::RECORD
            )
        } else {
            format!(
                "{secret} to yourself: it encrypts and decrypts; and {}, which counts what you show, beside it; the other file is public",
                Keys::RECORD
            )
        });
    let rotated = made.rotation.map(|key| RotatedReport {
        from: key.from().to_string(),
        to: key.to().to_string(),
        records: records.len(),
    });
    if let (Some(rotated), Some(folder)) = (&rotated, &args.rotate) {
        rotated.put(folder, &mut lines);
    }
    let report = KeygenReport {
        files: written.into_iter().collect(),
        rotated,
        timings: Timings { keygen_s, write_s },
        security_bits,
    };
    Ok(Report::new(&report, lines.text()))
}

/// Counts in the new record what was shown under the old key: the re-encryption key brings the old secret under the new one, so that
/// results under the new key can show it, too. If the old folder has no record, anything may have been shown.
fn inherit(from: &Path, old: Option<&DecryptionKey>, to: &Path, keys: &Keys) -> Result<(), RecordError> {
    let (Some(old), Some(new)) = (old, &keys.secret) else { return Ok(()) };
    let shown = match PublicationRecord::open(from, old) {
        Ok(record) => record.shown_bits(),
        Err(RecordError { problem: RecordProblem::Missing, .. }) => u64::MAX,
        Err(error) => return Err(error),
    };
    let mut record = PublicationRecord::open(to, new)?;
    record.inherit(old.id(), shown);
    record.write()
}

/// Reads the secret key that is replaced.
fn read_old(
    session: &Session,
    args: &KeygenArgs,
    plan: &Plan,
    folder: &Path,
) -> Result<DecryptionKey, Failure> {
    ReencryptionKey::check(plan).map_err(ExecuteError::from)?;
    session.admit_keys(folder)?;
    if !Keys::has_secret(folder) {
        return Err(Failure::bad_input(format!(
            "{}: there is no secret key to rotate: name the folder of the keys that the new ones replace",
            folder.display()
        )));
    }
    let passphrase = passphrase::of_old(args.old_passphrase_file.as_deref(), &args.passphrase, folder)?;
    Ok(Keys::read_secret(plan, folder, passphrase.as_deref().map(Vec::as_slice))?)
}
