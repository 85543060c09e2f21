//! `asanoha genome serve`: answers until stopped.

use std::time::Duration;

use asanoha::{
    genome::{
        Panel,
        http::{HttpServer, Limits, Settings},
    },
    http,
};
use serde::Serialize;

use super::super::service::{announced, identity};
use crate::{
    args::ServeArgs,
    error::Failure,
    figures,
    files::write_text,
    report::{self, Report},
    session::{Session, timed},
};

/// How long queries that are under way may go on after the server is stopped.
const GRACE: Duration = Duration::from_secs(30);

#[derive(Debug, Serialize)]
struct ServeReport {
    url: String,
    seconds: f64,
}

pub(super) fn serve(session: &Session, args: &ServeArgs) -> Result<Report, Failure> {
    session.admit_ring(args.ring.ring_degree)?;
    let panel = Panel::read(&args.index)?;
    let (identity, own) = identity(&args.tls, &[&args.index])?.unzip();
    let settings = Settings {
        listen: args.tls.listen,
        identity,
        threads: session.threads,
        limits: Limits {
            letters: args.most_letters,
            general: http::Limits {
                requests: args.requests,
                client_time: Duration::from_secs(args.client_seconds),
                time: Duration::from_secs(args.total_seconds),
                ..Limits::default().general
            },
            ..Limits::default()
        },
        insecure_ring: args.ring.ring_degree,
        grace: GRACE,
    };
    let server = HttpServer::bind(panel, settings)?;
    let url = server.url();
    if let Some((path, pem)) = args.tls.own_certificate.as_deref().zip(own.flatten()) {
        write_text(path, &pem)?;
    }
    let stop = announced(url.clone());
    let (served, seconds) = timed(|| server.run(stop));
    served?;
    let mut lines = report::lines();
    lines.line("stopped", format_args!("{url}, after {}", figures::seconds(seconds)));
    Ok(Report::new(&ServeReport { url, seconds }, lines.text()))
}
