//! `asanoha serve`: computes what clients submit, until stopped.

use std::{io::Write, path::Path, sync::Arc, time::Duration};

use asanoha::{
    plan::SecurityCheck,
    service::{
        Limits, Plans, Settings, Store,
        http::{Page, Server, ServerSettings},
    },
};
use serde::Serialize;

use super::{announced, identity};
use crate::{
    args::ServiceArgs,
    error::Failure,
    figures,
    files::write_text,
    report::{self, Report, counted},
    session::{Session, timed},
};

#[derive(Debug, Serialize)]
struct ServeReport {
    url: String,
    plans: usize,
    seconds: f64,
    /// Since the start.
    jobs_done: u64,
    jobs_failed: u64,
    jobs_cancelled: u64,
    /// Those that go on after the next start.
    jobs_waiting: usize,
}

fn days(days: u32) -> Duration {
    Duration::from_hours(24 * u64::from(days))
}

pub(in crate::commands) fn serve(session: &Session, args: &ServiceArgs) -> Result<Report, Failure> {
    let security = session.security_check();
    if security == SecurityCheck::Waived {
        // If stderr is closed, nobody reads warnings.
        let _ = writeln!(
            std::io::stderr(),
            "warning: --insecure: plans, keys and inputs that aren't secure are taken"
        );
    }
    let plans = Plans::read(&args.plans, security, session.backend)?;
    let served = plans.digests().len();
    let page = args.page.as_deref().map(Page::read).transpose()?;
    let granted = session.limits;
    let limits = Limits {
        store_bytes: args.store_size,
        client_bytes: args.client_size,
        queue: args.queue as usize,
        client_queue: args.client_queue as usize,
        keep_keys: days(args.keep_keys),
        keep_inputs: days(args.keep_results),
        keep_results: days(args.keep_results),
        job_seconds: granted.seconds(),
        memory_bytes: granted.memory_bytes(),
        workers: usize::from(args.workers),
        ..Limits::default()
    };
    let mut reads: Vec<&Path> = vec![&args.plans, &args.store];
    reads.extend(args.page.as_deref());
    let (identity, own) = identity(&args.tls, &reads)?.unzip();
    let store = Store::open(&args.store, plans, Settings { limits, ..Settings::default() })?;
    let settings = ServerSettings {
        listen: args.tls.listen,
        identity,
        threads: session.threads,
        limits: ServerSettings::limits(),
        grace: Duration::from_secs(args.grace),
        page,
    };
    let server = Server::bind(Arc::clone(&store), settings)?;
    let url = server.url();
    if let Some((path, pem)) = args.tls.own_certificate.as_deref().zip(own.flatten()) {
        write_text(path, &pem)?;
    }
    log(args.log_json);
    let recovery = store.recovery();
    tracing::info!(?recovery, plans = served, "the store is open");
    let (run, seconds) = timed(|| server.run(announced(url.clone())));
    run?;
    let metrics = store.metrics();
    let mut lines = report::lines();
    lines.line("stopped", format_args!("{url}, after {}", figures::seconds(seconds))).line(
        "jobs",
        format_args!(
            "{} done, {} failed, {} cancelled; {} for the next start",
            metrics.jobs_done,
            metrics.jobs_failed,
            metrics.jobs_cancelled,
            counted(metrics.jobs_waiting as u64, "job")
        ),
    );
    let report = ServeReport {
        url,
        plans: served,
        seconds,
        jobs_done: metrics.jobs_done,
        jobs_failed: metrics.jobs_failed,
        jobs_cancelled: metrics.jobs_cancelled,
        jobs_waiting: metrics.jobs_waiting,
    };
    Ok(Report::new(&report, lines.text()))
}

/// Has the log written to stderr.
fn log(json: bool) {
    let builder = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_target(false);
    // There's one call, and one log.
    let _ = if json { builder.json().try_init() } else { builder.try_init() };
}
