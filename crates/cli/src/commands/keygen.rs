//! `asanoha keygen`: the keys of a plan.

use std::collections::BTreeMap;

use asanoha::{
    execute::{self, Keys},
    plan::Scheme,
};
use serde::Serialize;

use crate::{
    args::KeygenArgs,
    delivery::Delivery,
    error::Failure,
    figures, passphrase,
    progress::Progress,
    report::{self, Report, security_line},
    session::{Purpose, Session, timed},
    target::check_apart,
};

#[derive(Debug, Serialize)]
struct Timings {
    keygen_s: f64,
    write_s: f64,
}

#[derive(Debug, Serialize)]
struct KeygenReport {
    /// The lengths of the files in bytes.
    files: BTreeMap<&'static str, u64>,
    timings: Timings,
    security_bits: u32,
}

pub(crate) fn keygen(session: &Session, args: &KeygenArgs) -> Result<Report, Failure> {
    let plan = session.read_plan(&args.plan)?;
    let names = [&Keys::FILES[..], &[Keys::SEALED, Keys::RECORD]].concat();
    for name in &names {
        check_apart(&args.out.join(name), &[&args.plan])?;
    }
    let delivery = Delivery::open(&args.out, &names, args.force)?;
    let passphrase = if args.no_passphrase { None } else { Some(passphrase::new(&args.passphrase)?) };
    let progress = Progress::start("making keys");
    let (keys, keygen_s) = timed(|| execute::generate_keys(&plan, &mut session.sampler(Purpose::Keys)));
    let (written, write_s) = timed(|| match &passphrase {
        None => keys.write(&plan, delivery.waiting_room()),
        Some(passphrase) => keys.write_sealed(&plan, delivery.waiting_room(), passphrase),
    });
    drop(progress);
    let written = written.map_err(|error| {
        let name = error.path.file_name().unwrap_or_default();
        Failure::bad_input(format!("{}: cannot be written: {}", args.out.join(name).display(), error.problem))
    })?;
    let now: Vec<&str> = written.iter().map(|(name, _)| *name).collect();
    // With --force, there may have been keys of another scheme, which has more files.
    delivery.close(&now, &names)?;

    let security_bits = plan.params.security_bits();
    let secret = if passphrase.is_some() { Keys::SEALED } else { Keys::FILES[0] };
    let mut lines = report::lines();
    for (name, bytes) in &written {
        lines.line("written", format_args!("{} ({})", args.out.join(name).display(), figures::bytes(*bytes)));
    }
    lines
        .line(
            "time",
            format_args!("{} and {} of writing", figures::seconds(keygen_s), figures::seconds(write_s)),
        )
        .line("security", security_line(&plan))
        .line("keep", match plan.params.scheme() {
            Scheme::Tfhe => format!("{secret} to yourself: it encrypts and decrypts; the other file is public"),
            _ => format!(
                "{secret} to yourself, and {}, which counts what you publish, beside it; the other files are public",
                Keys::RECORD
            ),
        });
    let report = KeygenReport {
        files: written.into_iter().collect(),
        timings: Timings { keygen_s, write_s },
        security_bits,
    };
    Ok(Report::new(&report, lines.text()))
}
