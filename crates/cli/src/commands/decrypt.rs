//! `asanoha decrypt`: encrypted results to numbers, for the key's holder or for publication.

use std::{collections::BTreeMap, path::Path};

use asanoha::{
    execute::{
        self, Canaries, CanaryError, ClientRecord, Contents, Encrypted, ExecuteError, Keys, Publication,
    },
    lattice::{FileError, FileReader},
    plan::Plan,
    report::{Results, rounded_constants, within_precision},
    scheme::SchemeError,
};
use serde::Serialize;

use crate::{
    args::DecryptArgs,
    check::{error_lines, indistinct},
    error::{Failure, words},
    figures, passphrase,
    report::{self, NoiseFigures, Report, counted, csv, security_line, width},
    session::{Session, timed},
    target::{Target, key_files, paths},
};

#[derive(Debug, Serialize)]
struct Timings {
    read_s: f64,
    decrypt_s: f64,
}

/// The inputs that the results state they were computed from.
#[derive(Debug, Serialize)]
struct InputsReport {
    /// The digest of the file of inputs.
    digest: Option<String>,
    /// Whether it was compared with the file that --in-of names.
    checked: bool,
    /// Whether the folder of keys has their record. If not, the caller stated how many rows there are.
    recorded: bool,
}

#[derive(Debug, Serialize)]
struct PublicationFigures {
    count: u64,
    tau: f64,
    /// Whether every result is as near as the plan's precision asks.
    within_precision: bool,
}

/// The canaries among the rows, and how many of them have wrong results.
#[derive(Debug, Serialize)]
struct CanariesReport {
    rows: usize,
    wrong: usize,
}

/// The report on results that the canaries show to be wrong.
#[derive(Debug, Serialize)]
struct WrongReport {
    canaries: CanariesReport,
}

#[derive(Debug, Serialize)]
struct DecryptReport {
    outputs: Results,
    /// The outputs that have no value for these data, which are null, and why.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    missing: BTreeMap<String, String>,
    noise: NoiseFigures,
    /// The error bound of each output, in the order of `outputs`, null for what's missing; `None` if the results are exact.
    error_bounds: Option<Vec<f64>>,
    /// The bits of statistical security, if the results are published.
    published_bits: Option<u32>,
    /// The rows of the data, from 1, that were left out because they miss a value, if the client's record has them.
    left_out: Vec<usize>,
    /// The functions of constants that the program computes with as rounded numbers, and these.
    rounded_constants: BTreeMap<String, f64>,
    /// The number of results published under the key, these included, and the level of their flooding.
    publication: Option<PublicationFigures>,
    inputs: InputsReport,
    /// `None` if the inputs were encrypted without any.
    canaries: Option<CanariesReport>,
    security_bits: u32,
    timings: Timings,
}

pub(crate) fn decrypt(session: &Session, args: &DecryptArgs) -> Result<Report, Failure> {
    let keys = key_files(&args.keys);
    let mut reads = [&[&*args.plan, &args.input], &paths(&keys)[..]].concat();
    reads.extend(args.in_of.as_deref());
    let target = Target::open_any(session, args.out.out.as_deref(), &reads)?;
    let all_rows = session.read_plan(&args.plan)?;
    session.admit_keys(&args.keys)?;
    session.admit(&args.input)?;
    args.in_of.as_deref().map_or(Ok(()), check_first_file)?;
    let record = record_of_client(&all_rows, args)?;
    let rows = record.as_ref().map_or(args.rows.unwrap_or(all_rows.schema.rows), |record| record.rows);
    let plan = all_rows.for_rows(rows).map_err(ExecuteError::from)?;
    let passphrase = passphrase::of_folder(&args.passphrase, &args.keys)?;
    let mut left_out = Vec::new();
    let recorded = record.is_some();
    let (read, read_s) = timed(|| -> Result<_, Failure> {
        let mut results = Encrypted::read(&plan, Contents::Outputs, &args.input)?;
        if let Some(record) = record {
            (results.centres, results.canaries) = (record.centres, record.canaries);
            left_out = record.left_out;
        }
        Ok((results, Keys::read_secret(&plan, &args.keys, passphrase.as_deref().map(Vec::as_slice))?))
    });
    let (results, secret) = read?;
    let canaries = results.canaries.as_ref().map(Canaries::count);
    if let Some(inputs) = &args.in_of {
        check_inputs(&plan, &results, inputs, &args.input)?;
    }
    let (decrypted, decrypt_s) = timed(|| match args.publish {
        None => execute::decrypt(&plan, &secret, &results),
        Some(bits) => execute::publish(&all_rows, &plan, &secret, &results, bits, &args.keys),
    });
    if let Err(ExecuteError::Canaries(CanaryError::Wrong { wrong, canaries: rows, .. })) = decrypted {
        let report = WrongReport { canaries: CanariesReport { rows, wrong } };
        return Ok(Report::new(&report, "").failing(decrypted.err().map(Failure::from)));
    }
    let decrypted = decrypted.map_err(|error| no_room(error, args.publish, all_rows.hints.fewer_rows))?;
    let outputs = Results::new(&plan, &decrypted, words).with_gaps(&left_out);
    let report = DecryptReport {
        missing: outputs.missing(),
        error_bounds: outputs.error_bounds(),
        outputs,
        noise: NoiseFigures::new(decrypted.noise, None),
        published_bits: args.publish,
        left_out: left_out.iter().map(|row| row + 1).collect(),
        rounded_constants: plan.program.rounded_constants().clone(),
        publication: decrypted.publication.map(|Publication { count, tau }| PublicationFigures {
            count,
            tau,
            within_precision: within_precision(&plan, &decrypted),
        }),
        inputs: InputsReport { digest: results.inputs.clone(), checked: args.in_of.is_some(), recorded },
        canaries: canaries.map(|rows| CanariesReport { rows, wrong: 0 }),
        security_bits: plan.params.security_bits(),
        timings: Timings { read_s, decrypt_s },
    };
    let mut lines = report::lines();
    lines
        .line("results", who_may_see(decrypted.exact.is_some(), args.publish))
        .line(
            "inputs",
            match &args.in_of {
                Some(inputs) => format!("computed from {}, by what the results say", inputs.display()),
                None => {
                    "which ones they were computed from wasn't checked; --in-of FILE checks it".to_owned()
                }
            },
        )
        .line("security", security_line(&plan))
        .line("noise", report.noise);
    rounded_constants(&mut lines, &plan.program);
    if !recorded {
        lines.line("rows", stated(rows));
    }
    if !report.left_out.is_empty() {
        let rows = counted(report.left_out.len(), "row");
        lines.line(
            "left out",
            format_args!("{rows} that missed a value, by the folder of keys: gaps in the results"),
        );
    }
    if let Some(canaries) = canaries {
        let rows = counted(canaries, "canary row");
        lines.line("canaries", format_args!("{rows}: their results are right, and they are removed"));
    }
    if let Some(PublicationFigures { count, .. }) = &report.publication {
        let count = counted(*count, "ciphertext");
        lines.line("published", format_args!("{count} under this key, with these"));
        error_lines(&mut lines, &plan, &decrypted);
    }
    lines.line("time", figures::seconds(decrypt_s));
    if let Some(target) = &target {
        target.write_text(&csv(&report.outputs, args.out.errors)?)?;
        lines.line("written", target.name());
    }
    let text = format!("{}\n{}", lines.text(), report.outputs.lines(width()));
    Ok(Report::new(&report, text).with_file(target)?.failing(indistinct(&plan, &decrypted, session)))
}

/// Whether results can be shown to others than the key's holder.
fn who_may_see(are_exact: bool, publish: Option<u32>) -> String {
    match publish {
        _ if are_exact => "exact; they tell nothing of the key and can be shown".to_owned(),
        Some(bits) => format!("noise hides what they tell of the key, to {bits} bits; they can be shown"),
        None => "for the key's holder only; --publish makes results that can be shown".to_owned(),
    }
}

/// The failure of a decryption: where publication doesn't fit, with a plan that has room for it.
fn no_room(error: ExecuteError, publish: Option<u32>, fewer_rows: bool) -> Failure {
    let no_room = matches!(
        error,
        ExecuteError::Scheme(SchemeError::NoPrecision { .. } | SchemeError::FloodingTooWide { .. })
    );
    let mut failure = Failure::from(error);
    if let Some(bits) = publish.filter(|_| no_room) {
        let rows =
            if fewer_rows { " and a smaller --rows, whose noise hides results of fewer rows" } else { "" };
        let advice = format!("make a plan for publication with `asanoha plan --publish {bits}`{rows}");
        failure.message = format!("{}; {advice}, and encrypt again", failure.message);
    }
    failure
}

/// What the rows are if the client states how many there are.
fn stated(rows: usize) -> String {
    let rows = counted(rows, "row");
    format!(
        "{rows}, as you state: the folder of keys has no record of rows that were left out, or of canaries"
    )
}

/// What the client knows of the inputs, where decryption needs it. It comes from the record beside the keys, and never from the
/// results, whose maker could then choose noise bounds, divisors and constants.
fn record_of_client(all_rows: &Plan, args: &DecryptArgs) -> Result<Option<ClientRecord>, Failure> {
    let results = FileReader::summary(&args.input)?.header;
    results
        .check(Contents::Outputs.kind(), all_rows.params.digest())
        .map_err(|problem| FileError { path: args.input.clone(), problem })?;
    // The record of results under other keys isn't here either, and that isn't what is wrong.
    if let Some(own) = Keys::headers(&args.keys)?.first().filter(|own| own.key != results.key) {
        let (which, key, ciphertexts) = ("secret key", own.key, results.key);
        return Err(ExecuteError::OtherKeys { which, key, ciphertexts }.into());
    }
    let named = args.in_of.as_deref().map(FileReader::summary).transpose()?.map(|file| file.digest);
    let inputs = named.as_deref().or_else(|| results.fields.get("inputs")?.as_str());
    let (of, how) = ((all_rows, results.key), (named.is_some(), args.rows));
    Ok(ClientRecord::of_results(&args.keys, of, inputs, how).map_err(ExecuteError::from)?)
}

/// Refuses re-encrypted inputs where the client names the inputs: whoever re-encrypted them chose the digest that they state.
fn check_first_file(inputs: &Path) -> Result<(), Failure> {
    if FileReader::summary(inputs)?.header.fields.get("reencryptions").is_none() {
        return Ok(());
    }
    Err(Failure::bad_input(format!(
        "{}: these inputs are re-encrypted: name the file that `asanoha encrypt` wrote with --in-of",
        inputs.display()
    )))
}

/// Refuses results that state they were computed from other inputs.
fn check_inputs(plan: &Plan, results: &Encrypted, inputs: &Path, named: &Path) -> Result<(), Failure> {
    let expected = Encrypted::read(plan, Contents::Inputs, inputs)?.inputs;
    if results.inputs == expected {
        return Ok(());
    }
    let short =
        |digest: &Option<String>| digest.as_deref().unwrap_or("no file").chars().take(16).collect::<String>();
    Err(Failure::check(format!(
        "{}: these results were computed from other inputs ({}…) than {} ({}…): evaluate it and decrypt what that gives",
        named.display(),
        short(&results.inputs),
        inputs.display(),
        short(&expected),
    )))
}
