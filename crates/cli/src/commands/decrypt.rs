//! `asanoha decrypt`: encrypted results to numbers, for the key's holder or for others.

use asanoha::execute::{self, Contents, Encrypted, Keys};
use serde::Serialize;

use crate::{
    args::DecryptArgs,
    error::Failure,
    figures, files,
    outputs::Results,
    report::{Lines, NoiseFigures, Report},
    session::{Purpose, Session, timed},
};

#[derive(Debug, Serialize)]
struct Timings {
    read_s: f64,
    decrypt_s: f64,
}

#[derive(Debug, Serialize)]
struct DecryptReport {
    outputs: Results,
    noise: NoiseFigures,
    /// How far each output may be off, in the program's order; none where they're exact.
    error_bounds: Option<Vec<f64>>,
    /// Bits of statistical security, where the results are for others.
    published_bits: Option<u32>,
    timings: Timings,
}

pub(crate) fn decrypt(session: &Session, args: &DecryptArgs) -> Result<Report, Failure> {
    if let Some(out) = &args.out.out {
        files::check_writable(out)?;
    }
    let plan = session.read_plan(&args.plan)?;
    session.admit_keys(&args.keys)?;
    session.admit(&args.input)?;
    let (read, read_s) = timed(|| -> Result<_, Failure> {
        let results = Encrypted::read(&plan, Contents::Outputs, &args.input)?;
        Ok((results, Keys::read_secret(&plan, &args.keys)?))
    });
    let (results, secret) = read?;
    let (decrypted, decrypt_s) = timed(|| match args.publish {
        None => execute::decrypt(&plan, &secret, &results),
        Some(bits) => {
            execute::publish(&plan, &secret, &results, bits, &mut session.sampler(Purpose::Publishing))
        }
    });
    let decrypted = decrypted?;
    let report = DecryptReport {
        outputs: Results::new(&plan, &decrypted),
        noise: NoiseFigures::new(decrypted.noise, None),
        error_bounds: decrypted.error_bounds.clone(),
        published_bits: args.publish,
        timings: Timings { read_s, decrypt_s },
    };
    let mut lines = Lines::default();
    let exact = decrypted.exact.is_some();
    lines
        .line(
            "results",
            match args.publish {
                _ if exact => "exact; they tell nothing of the key and can be shown".to_owned(),
                Some(bits) => {
                    format!("noise hides what they tell of the key, to {bits} bits; they can be shown")
                }
                None => "for the key's holder only; --publish makes results that can be shown".to_owned(),
            },
        )
        .line("noise", report.noise)
        .line("time", figures::seconds(decrypt_s));
    if let Some(out) = &args.out.out {
        files::write_text(out, &report.outputs.csv())?;
        lines.line("written", out.display());
    }
    let text = format!("{}\n{}", lines.text(), report.outputs.lines());
    Ok(Report::new(&report, text))
}
