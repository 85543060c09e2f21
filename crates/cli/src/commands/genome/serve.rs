//! `asanoha genome serve`: answers until stopped.

use std::{io::Write, time::Duration};

use asanoha::{
    genome::{
        Panel,
        http::{HttpServer, Limits, Settings},
    },
    http::{self, Identity, stopped_by_signal},
};
use serde::Serialize;

use crate::{
    args::ServeArgs,
    error::Failure,
    figures,
    files::{check_writable, read_small, write_text},
    report::{self, Report},
    session::{Session, timed},
    target::check_apart,
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
    let (identity, own) = identity(args)?.unzip();
    let settings = Settings {
        listen: args.listen,
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
    if let Some((path, pem)) = args.own_certificate.as_deref().zip(own.flatten()) {
        write_text(path, &pem)?;
    }
    let address = url.clone();
    let stop = async move {
        let mut stop = std::pin::pin!(stopped_by_signal());
        let mut is_told = false;
        std::future::poll_fn(move |context| {
            // The first poll asks for signals: one that comes after the address is told stops the server in good order.
            let stopped = stop.as_mut().poll(context);
            if !std::mem::replace(&mut is_told, true) {
                // If stderr is closed, nobody waits for the address.
                let _ = writeln!(std::io::stderr(), "listening at {address}");
            }
            stopped
        })
        .await;
    };
    let (served, seconds) = timed(|| server.run(stop));
    served?;
    let mut lines = report::lines();
    lines.line("stopped", format_args!("{url}, after {}", figures::seconds(seconds)));
    Ok(Report::new(&ServeReport { url, seconds }, lines.text()))
}

/// The certificate that is given, or one that is made, which others are to be told as PEM.
fn identity(args: &ServeArgs) -> Result<Option<(Identity, Option<String>)>, Failure> {
    if let Some((certificate, key)) = args.certificate.as_deref().zip(args.key.as_deref()) {
        return Ok(Some((Identity::from_pem(&read_small(certificate)?, read_small(key)?)?, None)));
    }
    let Some(path) = &args.own_certificate else { return Ok(None) };
    check_writable(path)?;
    check_apart(path, &[&args.index])?;
    let mut names = args.names.clone();
    if names.is_empty() {
        let address = args.listen.ip();
        if address.is_unspecified() {
            return Err(Failure::bad_input(format!(
                "{address} is no address that clients use: name theirs for the certificate by --name HOST"
            )));
        }
        names.push(address.to_string());
    }
    let (identity, pem) = Identity::own(names)?;
    Ok(Some((identity, Some(pem))))
}
