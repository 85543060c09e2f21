//! `asanoha reencrypt`: inputs and results under old keys to the same under the keys that replaced them.

use asanoha::{
    execute::{self, Contents, Encrypted, Keys, ReencryptionKey, Reencryptions},
    lattice::FileReader,
};
use serde::Serialize;

use crate::{
    args::ReencryptArgs,
    error::{Failure, Place},
    figures,
    progress::Progress,
    report::{self, Report, counted, security_line},
    session::{Session, timed},
    target::{Target, key_files, paths},
};

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON keys")]
struct Timings {
    read_s: f64,
    reencrypt_s: f64,
    write_s: f64,
}

#[derive(Debug, Serialize)]
struct ReencryptReport {
    /// What the file holds: `encrypted inputs` or `encrypted outputs`.
    kind: String,
    ciphertexts: usize,
    file_bytes: u64,
    /// The key generation that decrypts it now.
    key_generation: String,
    reencryptions: Reencryptions,
    /// The digest of the first file of encrypted columns, by which results name it.
    inputs_digest: Option<String>,
    security_bits: u32,
    timings: Timings,
}

pub(crate) fn reencrypt(session: &Session, args: &ReencryptArgs) -> Result<Report, Failure> {
    let keys = key_files(&args.keys);
    let target =
        Target::open(session, &args.out, &[&[&*args.plan, &args.input], &paths(&keys)[..]].concat())?;
    let plan = session.read_plan(&args.plan)?;
    ReencryptionKey::check(&plan).map_err(execute::ExecuteError::from)?;
    session.admit_keys(&args.keys)?;
    session.admit(&args.input)?;
    let kind = FileReader::summary(&args.input)?.header.kind;
    let contents = [Contents::Inputs, Contents::Outputs].into_iter().find(|contents| contents.kind() == kind);
    let contents = contents.ok_or_else(|| {
        let message = format!(
            "{}: it holds {kind}: name encrypted inputs or results, which are all that is re-encrypted",
            args.input.display()
        );
        Failure::bad_input(message).at(Place::file(args.input.display()))
    })?;
    let plan = execute::plan_of(&plan, &args.input)?;
    let progress = Progress::start("re-encrypting");
    let (read, read_s) = timed(|| -> Result<_, Failure> {
        let key = ReencryptionKey::read(&plan, &args.keys.join(Keys::REENCRYPTION))?;
        Ok((key, Encrypted::read(&plan, contents, &args.input)?))
    });
    let (key, encrypted) = read?;
    let (found, reencrypt_s) =
        timed(|| execute::reencrypt(&plan, &key, contents, encrypted, &execute::unwatched));
    let found = found?;
    let (bytes, write_s) = timed(|| found.write(&plan, contents, target.path()));
    drop(progress);
    let report = ReencryptReport {
        kind,
        ciphertexts: found.count(),
        file_bytes: bytes?,
        key_generation: found.key.to_string(),
        reencryptions: found.reencryptions,
        inputs_digest: found.inputs.clone(),
        security_bits: plan.params.security_bits(),
        timings: Timings { read_s, reencrypt_s, write_s },
    };
    let mut lines = report::lines();
    lines.line("written", format_args!("{} ({})", target.name(), figures::bytes(report.file_bytes))).line(
        "holds",
        format_args!(
            "{} of {}, under key generation {}",
            counted(report.ciphertexts, "ciphertext"),
            report.kind,
            report.key_generation
        ),
    );
    if !plan.params.backend().is_exact() {
        lines.line("errors", "a little larger than before: decryption states their bounds");
    }
    lines.line("security", security_line(&plan)).line("time", figures::seconds(reencrypt_s));
    Report::new(&report, lines.text()).with_file(Some(target))
}
