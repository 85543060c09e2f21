//! `asanoha encrypt`: data to encrypted columns.

use asanoha::{
    data::{Data, Reading},
    execute::{self, Canaries, ClientRecord, Contents, ExecuteError, Keys},
    lattice::FileReader,
    output::Unfinished,
};
use serde::Serialize;

use crate::{
    args::EncryptArgs,
    error::Failure,
    figures, files, passphrase,
    progress::Progress,
    report::{self, Report, counted, rows_line, security_line},
    session::{Purpose, Session, timed},
    target::{Target, key_files, paths},
};

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON keys")]
struct Timings {
    read_s: f64,
    encrypt_s: f64,
    write_s: f64,
}

#[derive(Debug, Serialize)]
struct CanariesReport {
    rows: usize,
}

#[derive(Debug, Serialize)]
struct EncryptReport {
    columns: Vec<String>,
    /// All rows, canaries included.
    rows: usize,
    canaries: Option<CanariesReport>,
    /// The rows of the data, from 1, that are left out because they miss a value; results have gaps in their places.
    left_out: Vec<usize>,
    ciphertexts: usize,
    file_bytes: u64,
    /// The digest by which results name these inputs.
    inputs_digest: String,
    /// The file in the folder of keys that decryption needs.
    record: String,
    security_bits: u32,
    timings: Timings,
}

pub(crate) fn encrypt(session: &Session, args: &EncryptArgs) -> Result<Report, Failure> {
    let keys = key_files(&args.keys);
    let target = Target::open(session, &args.out, &[&[&*args.plan, &args.data], &paths(&keys)[..]].concat())?;
    let plan = session.read_plan(&args.plan)?;
    session.admit_keys(&args.keys)?;
    let passphrase = if plan.params.backend().has_public_key() {
        passphrase::if_given(&args.passphrase, &args.keys)?
    } else {
        passphrase::of_folder(&args.passphrase, &args.keys)?
    };
    let passphrase = passphrase.as_deref().map(Vec::as_slice);
    let (key, read_s) = timed(|| Keys::read_encryption(&plan, &args.keys, passphrase));
    let key = key?;
    let reading = Reading { schema: Some(&plan.schema), ..args.cells.reading() };
    let Data { table, left_out, .. } = files::read_data(&args.data, plan.program.input_names(), &reading)?;
    let all_rows = plan;
    let mut sampler = session.sampler(Purpose::Encryption);
    let (plan, table, canaries) = match args.canaries {
        None => (all_rows.for_rows(table.rows).map_err(ExecuteError::from)?, table, None),
        Some(count) => {
            let inserted = Canaries::insert(&all_rows, &table, count, &mut sampler);
            let (plan, table, canaries) =
                inserted.map_err(|error| Failure::from(error).of_rows(&left_out))?;
            (plan, table, Some(canaries))
        }
    };
    let progress = Progress::start("encrypting");
    let (encrypted, encrypt_s) = timed(|| execute::encrypt(&plan, &key, &table, &mut sampler));
    drop(progress);
    let encrypted = encrypted.map_err(|error| Failure::from(error).of_rows(&left_out))?;
    // The record comes after the inputs, which are of no use without it, and completes the call.
    let work = Unfinished::work();
    let (bytes, write_s) = timed(|| encrypted.write(&plan, Contents::Inputs, target.path()));
    let bytes = bytes?;
    let inputs_digest = FileReader::summary(target.path())?.digest;
    let centres = encrypted.centres.clone();
    let mut record = ClientRecord::new(&all_rows, encrypted.key, &inputs_digest, table.rows, centres);
    (record.canaries, record.left_out) = (canaries, left_out.clone());
    drop(work);
    if let Err(error) = record.write(&args.keys) {
        let _ = std::fs::remove_file(target.path());
        return Err(ExecuteError::from(error).into());
    }
    let report = EncryptReport {
        columns: plan.circuit.columns(),
        rows: table.rows,
        canaries: args.canaries.map(|rows| CanariesReport { rows }),
        left_out: left_out.iter().map(|row| row + 1).collect(),
        ciphertexts: encrypted.count(),
        file_bytes: bytes,
        inputs_digest,
        record: record.file_name(),
        security_bits: plan.params.security_bits(),
        timings: Timings { read_s, encrypt_s, write_s },
    };
    let data_rows = rows_line(report.rows - args.canaries.unwrap_or(0), left_out.len());
    let canary_rows =
        args.canaries.map_or_else(String::new, |rows| format!(" and {}", counted(rows, "canary row")));
    let mut lines = report::lines();
    lines
        .line("written", format_args!("{} ({})", target.name(), figures::bytes(report.file_bytes)))
        .line(
            "encrypted",
            format_args!(
                "{data_rows}{canary_rows} of {} in {}",
                report.columns.join(", "),
                counted(report.ciphertexts, "ciphertext")
            ),
        )
        .line("security", security_line(&plan));
    if args.canaries.is_some() {
        lines.line(
            "canaries",
            "copies of random rows at random places, by a record in the folder of keys: decryption needs it",
        );
    }
    if !encrypted.centres.is_empty() {
        lines.line(
            "less",
            "constants of yours, which are in the folder of keys and nowhere else: decryption needs them",
        );
    }
    if !left_out.is_empty() {
        lines.line(
            "left out",
            "results have gaps in their places, by a record in the folder of keys; --json lists these rows",
        );
    }
    lines.line("time", figures::seconds(encrypt_s));
    Report::new(&report, lines.text()).with_file(Some(target))
}
