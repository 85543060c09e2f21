//! `asanoha tokens`: who may ask a server.

use std::time::Duration;

use asanoha::{
    lattice::write_atomically,
    service::{Clock, Store, TokenView, Tokens},
};
use serde::Serialize;

use crate::{
    args::{CreateTokenArgs, RevokeTokenArgs, TokenStoreArgs, TokensCommand},
    error::Failure,
    files::{check_writable, unwritable},
    report::{self, Report},
};

#[derive(Debug, Serialize)]
struct CreatedReport<'t> {
    #[serde(flatten)]
    token: &'t TokenView,
    /// The token itself, unless it's in a file.
    secret: Option<&'t str>,
}

#[derive(Debug, Serialize)]
struct ListReport {
    tokens: Vec<TokenView>,
}

#[derive(Debug, Serialize)]
struct RevokedReport {
    id: String,
    revoked: bool,
}

pub(in crate::commands) fn tokens(command: &TokensCommand) -> Result<Report, Failure> {
    match command {
        TokensCommand::Create(args) => create(args),
        TokensCommand::List(args) => list(args),
        TokensCommand::Revoke(args) => revoke(args),
    }
}

fn open(args: &TokenStoreArgs) -> Result<Tokens, Failure> {
    Store::prepare(&args.store)?;
    Ok(Tokens::open(&args.store, Clock::system()))
}

fn create(args: &CreateTokenArgs) -> Result<Report, Failure> {
    if let Some(path) = &args.out {
        check_writable(path)?;
    }
    let lifetime = args.days.map(|days| Duration::from_hours(24 * u64::from(days)));
    let (view, secret) = open(&args.store)?.create(&args.client, lifetime)?;
    let mut lines = report::lines();
    match &args.out {
        Some(path) => {
            let text = zeroize::Zeroizing::new(format!("{}\n", secret.expose()));
            write_atomically(path, true, |file| std::io::Write::write_all(file, text.as_bytes()))
                .map_err(|error| unwritable(path, error))?;
            lines.line("written", path.display());
        }
        None => _ = lines.line("token", secret.expose()),
    }
    lines.line("client", &view.client).line("id", view.id);
    if args.out.is_none() {
        lines.line("keep", "the token: it isn't stored, and isn't shown again");
    }
    let secret = args.out.is_none().then(|| secret.expose());
    Ok(Report::new(&CreatedReport { token: &view, secret }, lines.text()))
}

fn list(args: &TokenStoreArgs) -> Result<Report, Failure> {
    let tokens = open(args)?.list()?;
    let mut lines = report::lines();
    for token in &tokens {
        let until =
            token.expires_unix_s.map_or_else(|| "for ever".to_owned(), |s| format!("until {s} s after 1970"));
        lines.line("token", format_args!("{} of {}, {until}", token.id, token.client));
    }
    if tokens.is_empty() {
        lines.line("token", "none: make one by asanoha tokens create");
    }
    Ok(Report::new(&ListReport { tokens }, lines.text()))
}

fn revoke(args: &RevokeTokenArgs) -> Result<Report, Failure> {
    let revoked = open(&args.store)?.revoke(&args.token)?;
    if !revoked {
        return Err(Failure::bad_input(format!(
            "{}: there is no token {}: asanoha tokens list shows those there are",
            args.store.store.display(),
            args.token
        )));
    }
    let mut lines = report::lines();
    lines.line("revoked", args.token);
    Ok(Report::new(&RevokedReport { id: args.token.to_string(), revoked }, lines.text()))
}
