//! From flags to a choice of scheme: what `run` and `plan` share.

use asanoha::{
    choose::{Choice, Wishes, choose},
    data::Schema,
    program::Program,
};

use crate::{args::PlanningArgs, error::Failure, session::Session};

pub(crate) fn wishes(session: &Session, args: &PlanningArgs) -> Result<Wishes, Failure> {
    Ok(Wishes {
        scheme: args.scheme.wish().map_err(Failure::bad_input)?,
        security: args.security,
        precision: args.precision(),
        backend: session.backend,
        threads: session.threads,
    })
}

pub(crate) fn choice(program: &Program, schema: &Schema, wishes: &Wishes) -> Result<Choice, Failure> {
    Ok(choose(program, schema, wishes)?)
}
