//! `asanoha serve`, the tokens of its clients, and `asanoha remote`.

mod identity;
mod remote;
mod serve;
mod tokens;

pub(super) use identity::{announced, identity};
pub(super) use remote::remote;
pub(super) use serve::serve;
pub(super) use tokens::tokens;
