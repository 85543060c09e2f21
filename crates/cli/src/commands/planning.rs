//! From flags to a choice of scheme: shared by `run` and `plan`.

use std::{path::Path, sync::Arc};

use asanoha::{
    compile::ExpandError,
    data::{DataError, Schema, Table},
    plan::{Choice, Plan, PlanOptions, PlanningError, choose_telling},
    program::Program,
    search::{GenerateError, SearchProgress},
};

use crate::{args::PlanningArgs, error::Failure, progress::Progress, session::Session};

pub(crate) fn options(session: &Session, args: &PlanningArgs, fewer_rows: bool) -> PlanOptions {
    PlanOptions {
        scheme: args.scheme.choice(),
        security: args.security,
        failure_bits: args.failure_bits,
        precision: args.precision(),
        backend: session.backend,
        threads: session.threads,
        publish: args.publish,
        fewer_rows,
        every_scheme: true,
    }
}

/// The choice among all schemes.
pub(crate) fn choice(
    program: &Program,
    schema: &Schema,
    options: &PlanOptions,
    path: &Path,
) -> Result<Choice, Failure> {
    let progress = Arc::new(SearchProgress::default());
    let told = progress.clone();
    let _progress = Progress::telling(move || format!("planning: {told}"));
    choose_telling(program, schema, options, &progress).map_err(|error| not_planned(error, "", path))
}

/// The failure of a program in a file, with what else is known of it.
fn not_planned(error: PlanningError, more: &str, path: &Path) -> Failure {
    let origin = error.origin().cloned();
    let mut failure = Failure::from(error);
    failure.message += more;
    match origin {
        Some(origin) => failure.in_program(path, &origin),
        None => failure,
    }
}

/// The failure of data for a program in a file: of a column that they don't have, where the program reads it.
pub(crate) fn not_read(error: DataError, program: &Program, path: &Path) -> Failure {
    let origin = match &error {
        DataError::UnknownColumn { name, .. } => program.origin_of_column(name).cloned(),
        _ => None,
    };
    let failure = Failure::from(error);
    match origin {
        Some(origin) => failure.in_program(path, &origin),
        None => failure,
    }
}

/// The chosen plan of a program in a file. If there is none because a column isn't whole, the message names its first row that isn't.
pub(crate) fn into_plan(
    choice: Choice,
    options: &PlanOptions,
    table: Option<&Table>,
    path: &Path,
) -> Result<Plan, Failure> {
    let fraction = choice.candidates.iter().find_map(|candidate| match &candidate.outcome {
        Err(GenerateError::Expand(ExpandError::NotWhole(name)))
            if options.scheme.is_none_or(|scheme| scheme == candidate.scheme) =>
        {
            let (row, value) = table?.column(name)?.values.first_fraction()?;
            Some(format!(": row {row} of column `{name}` is {value}"))
        }
        _ => None,
    });
    choice.into_plan(options).map_err(|error| not_planned(error, &fraction.unwrap_or_default(), path))
}
