//! `asanoha run`: all steps in one process, and a comparison with the plain computation.

use std::{collections::BTreeMap, path::Path};

use asanoha::{
    data::{Data, RealSince, Schema, Table},
    execute::{self, Decrypted, EncryptionKey, Keys},
    lattice::FileError,
    plan::ParamsSummary,
    plan::{Plan, PlanOptions, SchemeName},
    precision::Precision,
    report::{Check, Results, rounded_constants},
    ring::Sampler,
};
use serde::Serialize;

use super::planning;
use crate::{
    args::RunArgs,
    check::{error_lines, lost_failure},
    error::{Failure, words},
    figures, files,
    progress::Progress,
    report::{
        self, NoiseFigures, Report, bytes_or_unknown, deciding, params_line, rounded_line, rows_line,
        security_line,
    },
    session::{Purpose, Session, timed},
    target::{self, Target},
};

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON keys")]
struct Timings {
    plan_s: f64,
    keygen_s: f64,
    encrypt_s: f64,
    evaluate_s: f64,
    decrypt_s: f64,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON keys")]
struct Sizes {
    /// The length of the encrypted columns.
    ciphertext_bytes: u64,
    /// The length of the encrypted results.
    result_bytes: u64,
    evaluation_key_bytes: u64,
}

#[derive(Debug, Serialize)]
struct RunReport<'a> {
    scheme: SchemeName,
    why: &'a str,
    params: ParamsSummary,
    security_bits: u32,
    timings: Timings,
    predicted_evaluate_s: f64,
    peak_memory_bytes: Option<u64>,
    low_memory: bool,
    sizes: Sizes,
    outputs: Results,
    /// The outputs that have no value for these data, which are null, and why.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    missing: BTreeMap<String, String>,
    check: Check,
    noise: NoiseFigures,
    /// The error bound of each output, in the order of `outputs`, null for what's missing; `None` if the results are exact.
    error_bounds: Option<Vec<f64>>,
    /// The outputs that the file of --out has with rounded decimals; none without --out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounded_in_file: Vec<String>,
    /// The bits of statistical security, if the results are published.
    published_bits: Option<u32>,
    /// The rows of the data, from 1, that are left out because they miss a value.
    left_out: Vec<usize>,
    /// The functions of constants that the program computes with as rounded numbers, and these.
    rounded_constants: BTreeMap<String, Option<f64>>,
    /// The cells for which columns are real numbers, and no whole numbers or decimals.
    real_since: Vec<RealSince>,
}

pub(crate) fn run(session: &Session, args: &RunArgs) -> Result<Report, Failure> {
    let options = PlanOptions { every_scheme: false, ..planning::options(session, &args.planning, false) };
    let mut reads: Vec<&Path> = vec![&args.program, &args.data];
    reads.extend(args.planning.weights.iter().map(|weights| &*weights.path));
    let target = Target::open_any(session, args.out.out.as_deref(), &reads)?;
    files::check_stdin(&args.program, &args.data)?;
    let program = files::read_program(&args.program, &args.planning.weights)?;
    let Data { table, left_out, real_since, dates } =
        files::read_data(&args.data, program.input_names(), &args.planning.reading(&program.text_columns()))
            .map_err(|error| planning::not_read(error, &program, &args.program))?;
    let of_rows = |failure: Failure| failure.of_rows(&left_out);
    let schema = Schema::from_table(&table, &args.planning.ranges)
        .and_then(|schema| schema.with_dates(&dates).about(&table, &args.planning.centers))
        .map_err(|error| of_rows(error.into()))?;

    let (choice, plan_s) = timed(|| planning::choice(&program, &schema, &options, &args.program));
    let choice = choice?;
    let why = choice.chosen.map_or_else(String::new, |chosen| choice.candidates[chosen].why.clone());
    let mut plan = planning::into_plan(choice, &options, Some(&table), &args.program).map_err(of_rows)?;
    plan.on_zero = args.planning.on_zero.into();
    let bytes = if args.low_memory { 0 } else { plan.prediction.bytes };
    session.limits.admit(plan.prediction.evaluate_s, bytes, Some("--low-memory")).map_err(of_rows)?;
    let steps = steps(session, args, &plan, &table).map_err(of_rows)?;
    let Steps { decrypted, measured_bits, keygen_s, encrypt_s, evaluate_s, decrypt_s, sizes } = steps;

    let check = Check::new(&plan, &table, &decrypted, options.precision).map_err(Failure::impossible)?;
    let outputs = Results::new(&plan, &decrypted, words).with_gaps(&left_out);
    if let Some(target) = &target {
        target.write_text(&report::csv(&outputs, &args.out)?)?;
    }
    let broken = check.broken.as_ref();
    let failure = broken
        .map(|broken| of_rows(Failure::check(format!("the check failed: {broken}"))))
        .or_else(|| check.lost.as_ref().map(|lost| lost_failure(lost, &plan, session)));
    let report = RunReport {
        scheme: plan.params.scheme(),
        why: &why,
        params: ParamsSummary::new(&plan.params),
        security_bits: plan.params.security_bits(),
        timings: Timings { plan_s, keygen_s, encrypt_s, evaluate_s, decrypt_s },
        predicted_evaluate_s: plan.prediction.evaluate_s,
        peak_memory_bytes: figures::peak_memory_bytes(),
        low_memory: args.low_memory,
        sizes,
        missing: outputs.missing(),
        error_bounds: outputs.error_bounds(),
        rounded_in_file: report::rounded_in_file(&outputs, &args.out),
        outputs,
        check,
        noise: NoiseFigures::new(decrypted.noise, measured_bits),
        published_bits: decrypted.publication.and(plan.hints.publish),
        left_out: left_out.iter().map(|row| row + 1).collect(),
        rounded_constants: plan.program.rounded_constants().clone(),
        real_since,
    };
    let written = target.as_ref().map(Target::name);
    let text = text(session, args, (&decrypted, written), &plan, &report);
    Ok(Report::new(&report, text).with_file(target)?.failing(failure))
}

fn keys(sampler: &mut Sampler, args: &RunArgs, plan: &Plan) -> Result<Keys, FileError> {
    if !args.low_memory {
        return Ok(execute::generate_keys(plan, sampler));
    }
    let out = args.out.out.as_deref().filter(|out| !target::is_stdout(out));
    let folder = out.map_or_else(std::env::temp_dir, |out| files::folder_of(out).into());
    execute::generate_stored_keys(plan, &folder, sampler)
}

struct Steps {
    decrypted: Decrypted,
    measured_bits: Option<f64>,
    keygen_s: f64,
    encrypt_s: f64,
    evaluate_s: f64,
    decrypt_s: f64,
    sizes: Sizes,
}

fn steps(session: &Session, args: &RunArgs, plan: &Plan, table: &Table) -> Result<Steps, Failure> {
    let (keys, keygen_s) = {
        let _progress = Progress::start("making keys");
        timed(|| keys(&mut session.sampler(Purpose::Keys), args, plan))
    };
    let keys = keys?;
    let secret = keys.secret.as_ref().expect("the keys were made here");
    let (inputs, encrypt_s) = {
        let _progress = Progress::start("encrypting");
        let key = EncryptionKey::from(secret);
        timed(|| execute::encrypt(plan, &key, table, &mut session.sampler(Purpose::Encryption)))
    };
    let (inputs, secrets) = inputs?;
    let ciphertext_bytes = inputs.bytes();
    let (results, evaluate_s) = {
        let progress = Progress::of_steps("evaluating", plan.progress(), plan.prediction.evaluate_s);
        let tell = |done, steps| progress.tell(done, steps);
        timed(|| execute::evaluate(plan, keys.evaluation.clone(), inputs, &tell))
    };
    let results = results?;
    let publish = plan.hints.publish;
    let (decrypted, decrypt_s) = timed(|| match publish {
        None => execute::decrypt(plan, secret, &results, &secrets),
        Some(bits) => execute::publish_once(plan, secret, &results, &secrets, bits),
    });
    // What the noise was before the flooding isn't for those who are shown the results.
    let measured_bits = match publish {
        None => Some(execute::measure_noise(plan, secret, &results, &secrets, table)?),
        Some(_) => None,
    };
    let sizes = Sizes {
        ciphertext_bytes,
        result_bytes: results.bytes(),
        evaluation_key_bytes: keys.evaluation.bytes() as u64,
    };
    Ok(Steps { decrypted: decrypted?, measured_bits, keygen_s, encrypt_s, evaluate_s, decrypt_s, sizes })
}

/// The most columns whose deciding cells are told to a human reader.
const SHOWN_CELLS: usize = 3;

fn text(
    session: &Session,
    args: &RunArgs,
    (decrypted, written): (&Decrypted, Option<String>),
    plan: &Plan,
    report: &RunReport,
) -> String {
    let RunReport { timings, sizes, check, .. } = report;
    let rows = rows_line(plan.schema.rows, report.left_out.len());
    let mut lines = report::lines();
    lines
        .line(
            "program",
            format_args!("{} on {}, {rows}, encrypted", args.program.display(), args.data.display()),
        )
        .line("scheme", format_args!("{}: {}", report.scheme.to_string().to_uppercase(), report.why));
    for cell in report.real_since.iter().take(SHOWN_CELLS) {
        lines.line("", format_args!("column {} is of real numbers, {}", cell.column, deciding(cell)));
    }
    if let Some(more) = report.real_since.len().checked_sub(SHOWN_CELLS).filter(|&more| more > 0) {
        lines.line("", format_args!("and {more} more columns, as --json lists them"));
    }
    lines
        .line("parameters", params_line(&report.params))
        .line("security", security_line(plan))
        .line(
            "time",
            format_args!(
                "plan {}, keys {}, encryption {}, evaluation {}, decryption {}",
                figures::seconds(timings.plan_s),
                figures::seconds(timings.keygen_s),
                figures::seconds(timings.encrypt_s),
                figures::seconds(timings.evaluate_s),
                figures::seconds(timings.decrypt_s),
            ),
        )
        .line(
            "",
            figures::picture([
                ("plan", timings.plan_s),
                ("keygen", timings.keygen_s),
                ("encrypt", timings.encrypt_s),
                ("evaluate", timings.evaluate_s),
                ("decrypt", timings.decrypt_s),
            ]),
        )
        .line(
            "",
            format_args!(
                "evaluation was predicted at {} on {} thread{}",
                figures::seconds(report.predicted_evaluate_s),
                session.threads,
                if session.threads == 1 { "" } else { "s" },
            ),
        )
        .line(
            "size",
            format_args!(
                "encrypted columns {}, results {}, evaluation keys {}, memory at its peak {}",
                figures::bytes(sizes.ciphertext_bytes),
                figures::bytes(sizes.result_bytes),
                figures::bytes(sizes.evaluation_key_bytes),
                bytes_or_unknown(report.peak_memory_bytes),
            ),
        )
        .line("noise", report.noise)
        .line("check", check_line(check, args.planning.precision()));
    rounded_constants(&mut lines, &plan.program);
    if let Some(bits) = report.published_bits {
        let hides = "noise hides what their errors tell of the key";
        lines
            .line("published", format_args!("{hides}, to {bits} bits; evaluated here, so they can be shown"));
        error_lines(&mut lines, plan, decrypted);
    }
    if let Some(written) = written {
        lines.line("written", written);
        rounded_line(&mut lines, &report.rounded_in_file, &args.out);
    }
    format!("{}\n{}", lines.text(), report.outputs.lines(report::width()))
}

fn check_line(check: &Check, precision: Precision) -> String {
    let verdict = match check {
        Check { exact: true, .. } => return "every result equals the plain computation exactly".to_owned(),
        Check { broken: Some(_), .. } => "FAILED".to_owned(),
        Check { lost: Some(_), .. } => "FAILED, as errors may be larger than results".to_owned(),
        Check { within_precision: true, .. } => format!("within the {precision} asked"),
        _ => "within the stated bounds".to_owned(),
    };
    format!(
        "{verdict}: largest error {:.2e}, relative {:.2e}, against the plain computation",
        check.max_abs_error, check.max_rel_error
    )
}
