//! Results whose errors are larger than asked or than the results, as lines and failures.

use asanoha::{
    execute::Decrypted,
    plan::{Plan, Remedy, remedy},
    report::{Lines, Lost, bound_text, within_precision},
};

use crate::{error::Failure, session::Session};

/// How far each published result may be off, as lines.
pub(crate) fn error_lines(lines: &mut Lines, plan: &Plan, decrypted: &Decrypted) {
    let errors = decrypted.outputs.iter().zip(decrypted.error_bounds.iter().flatten());
    // What's missing has none.
    for ((name, _), error) in errors.filter(|(_, error)| !error.is_nan()) {
        lines.line("error", format_args!("{name} is off by at most {error:.2e}"));
    }
    if !within_precision(plan, decrypted) {
        let precision = plan.precision;
        let why =
            "the plan has too few bits for this publication; plan with --publish for the first under a key";
        lines.line("", format_args!("which is more than the {precision} asked: {why}"));
    }
}

/// The failure of an output that can't be told from 0, with what to do about it.
pub(crate) fn lost_failure(lost: &Lost, plan: &Plan, session: &Session) -> Failure {
    let Lost { output, bound, largest } = lost;
    let Remedy { exact, error } = remedy(plan, *largest, session.backend, session.threads);
    let exact = exact.map(|scheme| format!("--scheme {scheme}, which is exact"));
    let error = error.map(|error| format!("--precision abs={error:e}"));
    let advice: Vec<String> = exact.into_iter().chain(error).collect();
    let advice = if advice.is_empty() {
        "no plan makes the error smaller: subtract a number near their values from the columns before you encrypt them"
                .to_owned()
    } else {
        format!("plan with {}", advice.join(", or with "))
    };
    let bound = bound_text(*bound);
    Failure::check(format!(
            "the check failed: output `{output}` may be off by {bound}, and its values are no larger than {largest:.3e}; {advice}"
        ))
        .figure("output", output.as_str())
        .figure("error_bound", lost.bound)
        .figure("largest", *largest)
}

/// The output whose decrypted values can't be told from 0, as a failure.
pub(crate) fn indistinct(plan: &Plan, decrypted: &Decrypted, session: &Session) -> Option<Failure> {
    asanoha::report::indistinct(plan, decrypted).map(|lost| lost_failure(&lost, plan, session))
}
