//! `asanoha decrypt`: encrypted results to numbers, for the key's holder or for publication.

use std::{collections::BTreeMap, path::Path};

use asanoha::{
    client::{Client, ClientError, OfInputs, OpenedResults, shortened},
    data::{Reading, Table},
    execute::{
        self, Canaries, CanaryError, Confirmation, Contents, Decrypted, Encrypted, ExecuteError, Keys,
        Publication, ShownBits,
    },
    lattice::{FileReader, KeyId},
    plan::Plan,
    report::{Lines, Results, rounded_constants, within_precision},
    scheme::SchemeError,
};
use serde::Serialize;

use crate::{
    args::{DecryptArgs, ShowingArgs},
    check::{error_lines, indistinct},
    error::{Failure, words},
    figures, files, passphrase,
    report::{self, NoiseFigures, Report, counted, csv, rounded_in_file, rounded_line, security_line, width},
    session::{Session, timed},
    target::{Target, check_apart, key_files, paths},
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
    /// The most rows that a server can have altered so that no canary shows it with a probability of 2^-40 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    undetected_rows: Option<usize>,
}

/// The ground on which results may be shown to others than the key holder.
#[derive(Debug, Serialize)]
struct ShownReport {
    /// `second-evaluation`, `plain-computation` or `trusted-server`.
    ground: &'static str,
    /// The bits of these results' numbers, if they are counted.
    bits: Option<u64>,
    /// The bits of all numbers that were shown unchecked under the key.
    all_bits: Option<u64>,
    /// The most bits.
    limit_bits: Option<u64>,
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
    /// The outputs that the file of --out has with rounded decimals; none without --out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounded_in_file: Vec<String>,
    /// The bits of statistical security, if the results are published.
    published_bits: Option<u32>,
    /// The rows of the data, from 1, that were left out because they miss a value, if the client's record has them.
    left_out: Vec<usize>,
    /// The functions of constants that the program computes with as rounded numbers, and these.
    rounded_constants: BTreeMap<String, Option<f64>>,
    /// The number of results published under the key, these included, and the level of their flooding.
    publication: Option<PublicationFigures>,
    /// `None` if the results are for the key holder only.
    shown: Option<ShownReport>,
    inputs: InputsReport,
    /// `None` if the inputs were encrypted without any.
    canaries: Option<CanariesReport>,
    security_bits: u32,
    timings: Timings,
}

pub(crate) fn decrypt(session: &Session, args: &DecryptArgs) -> Result<Report, Failure> {
    let keys = key_files(&args.keys);
    let mut reads = [&[&*args.plan, &args.input], &paths(&keys)[..]].concat();
    reads.extend(
        [&args.in_of, &args.showing.same_as, &args.showing.data].into_iter().filter_map(|it| it.as_deref()),
    );
    let target = Target::open_any(session, args.out.out.as_deref(), &reads)?;
    let all_rows = session.read_plan(&args.plan)?;
    check_ground(&all_rows, args)?;
    session.admit_keys(&args.keys)?;
    session.admit(&args.input)?;
    let named = args.in_of.as_deref().map(first_file).transpose()?;
    let of = OfInputs { named: named.as_deref(), rows: args.rows, rotations: args.rotations };
    let mut client = Client::new(&all_rows, key_generation(&args.keys)?, &*args.keys);
    let mut opened = client.open(&args.input, &of).map_err(|error| not_opened(error, args))?;
    let plan = opened.plan.clone();
    let ground = Ground::of(args, &plan)?;
    let passphrase = passphrase::of_folder(&args.passphrase, &args.keys)?;
    let (read, read_s) = timed(|| -> Result<_, Failure> {
        let results = opened.read()?;
        Ok((results, Keys::read_secret(&plan, &args.keys, passphrase.as_deref().map(Vec::as_slice))?))
    });
    let (results, secret) = read?;
    if let Some(inputs) = &args.in_of {
        Encrypted::read(&plan, Contents::Inputs, inputs)?;
    }
    let (left_out, recorded) = (opened.left_out().to_vec(), opened.record().is_some());
    let (decrypted, decrypt_s) = timed(|| {
        client.decrypt_by(&mut opened, &results, |OpenedResults { secrets, .. }| {
            match ground.confirmation() {
                Some(confirmation) if plan.params.backend().is_exact() || args.publish.is_some() => {
                    let (of, shown) = ((&results, secrets), (args.publish, confirmation));
                    execute::publish(&all_rows, &plan, &secret, of, shown, &args.keys)
                }
                Some(confirmation) => {
                    execute::check_evaluation(&plan, &results, confirmation)?;
                    execute::decrypt(&plan, &secret, &results, secrets)
                }
                None => execute::decrypt(&plan, &secret, &results, secrets),
            }
        })
    });
    let report_canaries = |canaries: &Canaries, wrong| CanariesReport {
        rows: canaries.count(),
        wrong,
        undetected_rows: (wrong == 0).then(|| canaries.most_undetected_rows(plan.schema.rows)),
    };
    if let (Err(ExecuteError::Canaries(CanaryError::Wrong { wrong, .. })), Some(canaries)) =
        (&decrypted, opened.secrets.canaries())
    {
        let report = WrongReport { canaries: report_canaries(canaries, *wrong) };
        return Ok(Report::new(&report, "").failing(decrypted.err().map(Failure::from)));
    }
    let decrypted = decrypted.map_err(|error| no_room(error, args.publish, all_rows.hints.fewer_rows))?;
    let outputs = Results::new(&plan, &decrypted, words).with_gaps(&left_out);
    let may_be_shown = decrypted.exact.is_some() || decrypted.publication.is_some();
    let report = DecryptReport {
        missing: outputs.missing(),
        error_bounds: outputs.error_bounds(),
        rounded_in_file: rounded_in_file(&outputs, &args.out),
        outputs,
        noise: NoiseFigures::new(decrypted.noise, None),
        published_bits: decrypted.publication.and(args.publish),
        left_out: left_out.iter().map(|row| row + 1).collect(),
        rounded_constants: plan.program.rounded_constants().clone(),
        publication: decrypted.publication.map(|Publication { count, tau }| PublicationFigures {
            count,
            tau,
            within_precision: within_precision(&plan, &decrypted),
        }),
        shown: ground.name().filter(|_| may_be_shown).map(|ground| ShownReport {
            ground,
            bits: decrypted.shown.map(|shown| shown.these),
            all_bits: decrypted.shown.map(|shown| shown.all),
            limit_bits: decrypted.shown.map(|shown| shown.limit),
        }),
        inputs: InputsReport { digest: results.inputs.clone(), checked: args.in_of.is_some(), recorded },
        canaries: opened.secrets.canaries().map(|canaries| report_canaries(canaries, 0)),
        security_bits: plan.params.security_bits(),
        timings: Timings { read_s, decrypt_s },
    };
    let mut lines = described(args, &ground, (&plan, &decrypted), &report);
    if let Some(target) = &target {
        target.write_text(&csv(&report.outputs, &args.out)?)?;
        lines.line("written", target.name());
        rounded_line(&mut lines, &report.rounded_in_file, &args.out);
    }
    let text = format!("{}\n{}", lines.text(), report.outputs.lines(width()));
    Ok(Report::new(&report, text).with_file(target)?.failing(indistinct(&plan, &decrypted, session)))
}

/// Describes decrypted results in lines: who may see them, what was checked, and what they cost.
fn described(
    args: &DecryptArgs,
    ground: &Ground,
    (plan, decrypted): (&Plan, &Decrypted),
    report: &DecryptReport,
) -> Lines {
    let mut lines = report::lines();
    lines
        .line("results", who_may_see(args, ground, decrypted))
        .line(
            "inputs",
            match &args.in_of {
                Some(inputs) => format!("computed from {}, by what the results say", inputs.display()),
                None => {
                    "which ones they were computed from wasn't checked; --in-of FILE checks it".to_owned()
                }
            },
        )
        .line("security", security_line(plan))
        .line("noise", report.noise);
    rounded_constants(&mut lines, &plan.program);
    if !report.inputs.recorded {
        lines.line("rows", stated(plan.schema.rows));
    }
    if !report.left_out.is_empty() {
        let rows = counted(report.left_out.len(), "row");
        lines.line(
            "left out",
            format_args!("{rows} that missed a value, by the folder of keys: gaps in the results"),
        );
    }
    if let Some(CanariesReport { rows: canaries, undetected_rows, .. }) = &report.canaries {
        let (canaries, altered) = (counted(*canaries, "canary row"), undetected_rows.unwrap_or_default());
        lines.line("canaries", format_args!("{canaries}: their results are right, and they are removed"));
        let altered = counted(altered, "altered row");
        lines.line(
            "",
            format_args!(
                "up to {altered} could pass with a probability of 2^-40; sums and means aren't checked"
            ),
        );
    }
    if let Some(ShownBits { these, all, limit }) = decrypted.shown {
        lines.line(
            "shown",
            format_args!(
                "{these} bits of numbers that nobody checked, {all} of at most {limit} under this key"
            ),
        );
    }
    if let Some(PublicationFigures { count, .. }) = &report.publication {
        let count = counted(*count, "ciphertext");
        lines.line("published", format_args!("{count} under this key, with these"));
        error_lines(&mut lines, plan, decrypted);
    }
    lines.line("time", figures::seconds(report.timings.decrypt_s));
    lines
}

/// The ground on which results may be shown, with what it takes.
enum Ground {
    None,
    SecondEvaluation(String),
    PlainComputation(Table),
    TrustedServer,
}

impl Ground {
    /// Reads the files that the flags name.
    fn of(args: &DecryptArgs, plan: &Plan) -> Result<Self, Failure> {
        let ShowingArgs { same_as, data, trust_server } = &args.showing;
        if let Some(second) = same_as {
            check_apart(second, &[&args.input])?;
            let digest = Encrypted::read(plan, Contents::Outputs, second)?.digest;
            return Ok(Self::SecondEvaluation(digest.unwrap_or_default()));
        }
        if let Some(data) = data {
            let reading = Reading { schema: Some(&plan.schema), ..args.cells.reading() };
            return Ok(Self::PlainComputation(
                files::read_data(data, plan.program.input_names(), &reading)?.table,
            ));
        }
        Ok(if *trust_server { Self::TrustedServer } else { Self::None })
    }

    fn confirmation(&self) -> Option<Confirmation<'_>> {
        match self {
            Self::None => None,
            Self::SecondEvaluation(digest) => Some(Confirmation::SecondEvaluation(digest)),
            Self::PlainComputation(table) => Some(Confirmation::PlainComputation(table)),
            Self::TrustedServer => Some(Confirmation::TrustedServer),
        }
    }

    /// Its name in JSON.
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::SecondEvaluation(_) => Some("second-evaluation"),
            Self::PlainComputation(_) => Some("plain-computation"),
            Self::TrustedServer => Some("trusted-server"),
        }
    }
}

/// Refuses results that are to be shown without a ground, before anything is read.
fn check_ground(plan: &Plan, args: &DecryptArgs) -> Result<(), Failure> {
    let ShowingArgs { same_as, data, trust_server } = &args.showing;
    if args.publish.is_none() || same_as.is_some() || data.is_some() || *trust_server {
        return Ok(());
    }
    let data = if plan.params.backend().is_exact() { "--data FILE (the data), " } else { "" };
    Err(Failure::usage(format!(
        "--publish shows results to others, and a server that did not follow the plan can put parts of the secret key into them: add --same-as FILE (the results of a second evaluation), {data}or --trust-server"
    )))
}

/// The reader's answer to the question who may see the results.
fn who_may_see(args: &DecryptArgs, ground: &Ground, decrypted: &Decrypted) -> String {
    let (is_exact, flooded) =
        (decrypted.exact.is_some(), args.publish.filter(|_| decrypted.publication.is_some()));
    let kind = match flooded {
        _ if is_exact => "exact".to_owned(),
        Some(bits) => format!("noise hides what their errors tell of the key, to {bits} bits"),
        None => {
            let second = args.showing.same_as.as_ref();
            let second =
                second.map_or_else(String::new, |second| format!("the same as {}, ", second.display()));
            return format!(
                "{second}for the key holder only; showing them takes --publish BITS, and --same-as FILE or --trust-server"
            );
        }
    };
    let ShowingArgs { same_as, data, .. } = &args.showing;
    match (ground, same_as, data) {
        (Ground::SecondEvaluation(_), Some(second), _) => {
            format!("{kind}, the same as {}: they can be shown", second.display())
        }
        (Ground::PlainComputation(_), _, Some(data)) => {
            format!("{kind}, equal to the plain computation on {}: they can be shown", data.display())
        }
        (Ground::TrustedServer, ..) => format!("{kind}; they can be shown if the server followed the plan"),
        _ => format!(
            "{kind}, for the key holder only: a server that did not follow the plan can put parts of the key into them; --same-as, --data or --trust-server are grounds to show them"
        ),
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

/// The key generation of a folder of keys, if a file shows it without its passphrase.
fn key_generation(folder: &Path) -> Result<Option<KeyId>, Failure> {
    Ok(Keys::headers(folder)?.first().map(|own| own.key))
}

/// The digest of the inputs that the client names. Re-encrypted ones are refused: whoever re-encrypted them chose the digest that they
/// state.
fn first_file(inputs: &Path) -> Result<String, Failure> {
    let summary = FileReader::summary(inputs)?;
    if summary.header.fields.get("reencryptions").is_none() {
        return Ok(summary.digest);
    }
    Err(Failure::bad_input(format!(
        "{}: these inputs are re-encrypted: name the file that `asanoha encrypt` wrote with --in-of",
        inputs.display()
    )))
}

/// The failure to open results, which names the files of the call.
fn not_opened(error: ClientError, args: &DecryptArgs) -> Failure {
    match (&error, &args.in_of) {
        (ClientError::OtherInputs { stated, named }, Some(inputs)) => Failure::check(format!(
            "{}: these results were computed from other inputs ({}…) than {} ({}…): evaluate it and decrypt what that gives",
            args.input.display(),
            if stated.is_empty() { "no file".to_owned() } else { shortened(stated) },
            inputs.display(),
            shortened(named),
        )),
        (ClientError::Execute(ExecuteError::OtherKeys { .. }), _) => {
            let mut failure = Failure::from(error);
            failure.message =
                format!("{} on {}: {}", args.keys.display(), args.input.display(), failure.message);
            failure
        }
        _ => error.into(),
    }
}
