//! `asanoha encrypt`: data to encrypted columns.

use asanoha::{
    client::Client,
    data::Reading,
    execute::{ExecuteError, Keys, unwatched},
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
    let data = files::read_data(&args.data, plan.program.input_names(), &reading)?;
    let left_out = &data.left_out;
    let mut client = Client::new(&plan, key.id(), &*args.keys);
    let mut sampler = session.sampler(Purpose::Encryption);
    let progress = Progress::start("encrypting");
    let (inputs, encrypt_s) = timed(|| client.encrypt(&key, &data, args.canaries, &mut sampler, &unwatched));
    drop(progress);
    let inputs = inputs.map_err(|error| Failure::from(error).of_rows(left_out))?;
    // The record comes after the inputs, which are of no use without it, and completes the call.
    let work = Unfinished::work();
    let (written, write_s) = timed(|| inputs.write(target.path()));
    let (bytes, record) = written?;
    drop(work);
    let (record_name, inputs_digest) = (record.file_name(), record.inputs().to_owned());
    if let Err(error) = client.remember(record) {
        let _ = std::fs::remove_file(target.path());
        return Err(ExecuteError::from(error).into());
    }
    let report = EncryptReport {
        columns: inputs.plan.circuit.columns(),
        rows: inputs.plan.schema.rows,
        canaries: args.canaries.map(|rows| CanariesReport { rows }),
        left_out: left_out.iter().map(|row| row + 1).collect(),
        ciphertexts: inputs.encrypted.count(),
        file_bytes: bytes,
        inputs_digest,
        record: record_name,
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
        .line("security", security_line(&inputs.plan));
    if args.canaries.is_some() {
        lines.line(
            "canaries",
            "copies of random rows at random places, by a record in the folder of keys: decryption needs it",
        );
    }
    if inputs.has_constants() {
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
