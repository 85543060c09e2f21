//! The flags of commands that a build without HTTP only knows by name.

use std::ffi::OsString;

use clap::Args;

/// Whatever a command takes in a build with the feature http.
#[derive(Debug, Args)]
pub(crate) struct WithoutHttpArgs {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}
