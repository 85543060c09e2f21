//! `asanoha evaluate`: encrypted columns to encrypted results, with the public files of the keys alone.

use asanoha::execute::{self, Contents, Encrypted, Keys, Resumed};
use serde::Serialize;

use crate::{
    args::EvaluateArgs,
    error::Failure,
    figures, kept,
    progress::Progress,
    report::{self, Report, bytes_or_unknown, security_line},
    session::{Session, timed},
    target::{Target, key_files, paths},
};

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON keys")]
struct Timings {
    read_s: f64,
    evaluate_s: f64,
    write_s: f64,
}

#[derive(Debug, Serialize)]
struct EvaluateReport {
    ciphertexts: usize,
    file_bytes: u64,
    /// The operations on ciphertexts, and how many of them an earlier call had finished.
    operations: usize,
    operations_taken_over: usize,
    /// The digest of the file of encrypted columns, which the results carry.
    inputs_digest: Option<String>,
    security_bits: u32,
    timings: Timings,
    predicted_evaluate_s: f64,
    predicted_read_s: f64,
    peak_memory_bytes: Option<u64>,
    low_memory: bool,
}

pub(crate) fn evaluate(session: &Session, args: &EvaluateArgs) -> Result<Report, Failure> {
    let keys = key_files(&args.keys);
    let target =
        Target::open(session, &args.out, &[&[&*args.plan, &args.input], &paths(&keys)[..]].concat())?;
    // Stdout has no folder beside it.
    let checkpoints = (!target.is_stdout()).then(|| kept::open(target.path())).transpose()?;
    let plan = session.read_plan(&args.plan)?;
    session.admit(&args.input)?;
    session.admit_keys(&args.keys)?;
    let plan = execute::plan_of(&plan, &args.input)?;
    let bytes = if args.low_memory { 0 } else { plan.prediction.bytes };
    let seconds = plan.prediction.read_s + plan.prediction.evaluate_s;
    session.limits.admit(seconds, bytes, Some("--low-memory"))?;
    let progress = Progress::of_steps("evaluating", plan.progress(), plan.prediction.evaluate_s);
    let (read, read_s) = timed(|| -> Result<_, Failure> {
        let inputs = Encrypted::read(&plan, Contents::Inputs, &args.input)?;
        let keys = if args.low_memory { Keys::open_evaluation } else { Keys::read_evaluation };
        Ok((inputs, keys(&plan, &args.keys)?))
    });
    let (inputs, keys) = read?;
    let tell = |done, steps| progress.tell(done, steps);
    let kept = checkpoints.as_deref();
    let (results, evaluate_s) =
        timed(|| execute::evaluate_with_checkpoints(&plan, keys, inputs, kept, &tell));
    let (results, resumed) = results?;
    let (bytes, write_s) = timed(|| results.write(&plan, Contents::Outputs, target.path()));
    drop(progress);
    let bytes = bytes.map_err(|error| Failure::from(error).and(&kept::note()))?;
    kept.inspect(|kept| kept.remove());
    let report = EvaluateReport {
        ciphertexts: results.count(),
        file_bytes: bytes,
        operations: resumed.operations,
        operations_taken_over: resumed.taken_over,
        inputs_digest: results.inputs.clone(),
        security_bits: plan.params.security_bits(),
        timings: Timings { read_s, evaluate_s, write_s },
        predicted_evaluate_s: plan.prediction.evaluate_s,
        predicted_read_s: plan.prediction.read_s,
        peak_memory_bytes: figures::peak_memory_bytes(),
        low_memory: args.low_memory,
    };
    let mut lines = report::lines();
    lines.line("written", format_args!("{} ({})", target.name(), figures::bytes(report.file_bytes)));
    if resumed.taken_over > 0 {
        let Resumed { operations, taken_over } = resumed;
        lines.line(
            "resumed",
            format_args!("{taken_over} of {operations} operations were finished by an earlier call"),
        );
    }
    lines
        .line("security", security_line(&plan))
        .line(
            "time",
            format_args!(
                "{}, predicted {} where the plan was made; reading took {}, keys included, and {} were predicted of the inputs",
                figures::seconds(evaluate_s),
                figures::seconds(report.predicted_evaluate_s),
                figures::seconds(read_s),
                figures::seconds(report.predicted_read_s)
            ),
        )
        .line("memory", format_args!("{} at its peak", bytes_or_unknown(report.peak_memory_bytes)));
    Report::new(&report, lines.text()).with_file(Some(target))
}
