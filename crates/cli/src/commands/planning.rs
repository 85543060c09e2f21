//! From flags to a choice of scheme: shared by `run` and `plan`.

use std::sync::Arc;

use asanoha::{
    compile::ExpandError,
    data::{Schema, Table},
    plan::Plan,
    plan::{Choice, Wishes, choose_telling},
    program::Program,
    search::{Effort, GenerateError},
};

use crate::{args::PlanningArgs, error::Failure, progress::Progress, session::Session};

pub(crate) fn wishes(session: &Session, args: &PlanningArgs, fewer_rows: bool) -> Wishes {
    Wishes {
        scheme: args.scheme.wish(),
        security: args.security,
        precision: args.precision(),
        backend: session.backend,
        threads: session.threads,
        publish: args.publish,
        fewer_rows,
    }
}

/// The choice among all schemes, by the data if they are at hand.
pub(crate) fn choice(
    program: &Program,
    schema: &Schema,
    data: Option<&Table>,
    wishes: &Wishes,
) -> Result<Choice, Failure> {
    let effort = Arc::new(Effort::default());
    let told = effort.clone();
    let _progress = Progress::telling(move || format!("planning: {told}"));
    Ok(choose_telling(program, schema, data, wishes, &effort)?)
}

/// The chosen plan. If there is none because a column isn't whole, the message names its first row that isn't.
pub(crate) fn into_plan(choice: Choice, wishes: &Wishes, table: Option<&Table>) -> Result<Plan, Failure> {
    let fraction = choice.candidates.iter().find_map(|candidate| match &candidate.outcome {
        Err(GenerateError::Expand(ExpandError::NotWhole(name)))
            if wishes.scheme.is_none_or(|scheme| scheme == candidate.scheme) =>
        {
            let (row, value) = table?.column(name)?.values.first_fraction()?;
            Some(format!(": row {row} of column `{name}` is {value}"))
        }
        _ => None,
    });
    choice.into_plan(wishes).map_err(|error| {
        let mut failure = Failure::from(error);
        failure.message += fraction.as_deref().unwrap_or_default();
        failure
    })
}
