//! Reports of commands: as JSON, and as text for a human reader.

use std::{
    fmt::{Display, Write as _},
    io::{ErrorKind, Write},
};

use asanoha::{
    execute::Noise,
    lattice::{quantum_security_bits, security_is_extrapolated},
    plan::ParamsSummary,
    plan::{Plan, Scheme},
};
use serde::Serialize;

use crate::{error::Failure, figures};

/// The report of a command, and the failure, if any, that it ends in.
#[derive(Debug)]
pub(crate) struct Report {
    json: String,
    text: String,
    failure: Option<Failure>,
}

impl Report {
    pub(crate) fn new(json: &impl Serialize, text: impl Into<String>) -> Self {
        let json = serde_json::to_string(json).expect("reports are plain data");
        Self { json, text: text.into(), failure: None }
    }

    /// The same report, ending in a failure if there is one.
    pub(crate) fn failing(mut self, failure: Option<Failure>) -> Self {
        self.failure = failure;
        self
    }

    /// Prints the report. If the reader has closed the pipe, that's no error.
    pub(crate) fn print(mut self, json: bool) -> Result<(), Failure> {
        if json {
            self.json.push('\n');
        }
        print(if json { &self.json } else { &self.text })?;
        self.failure.map_or(Ok(()), Err)
    }
}

/// Prints to stdout.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::bad_input(format!("standard output: cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Lines of a name and a text, aligned.
#[derive(Debug, Default)]
pub(crate) struct Lines(String);

impl Lines {
    pub(crate) fn line(&mut self, name: &str, text: impl Display) -> &mut Self {
        let _ = writeln!(self.0, "{name:<11} {text}");
        self
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

/// The parameters as a line.
pub(crate) fn params_line(params: &ParamsSummary) -> String {
    let log2_n = params.ring_degree.ilog2();
    if let Some(dimension) = params.lwe_dimension {
        return format!(
            "LWE of dimension {dimension}, bootstrapped at N = 2^{log2_n} modulo 2^{}, key switching in {} digits",
            params.log2_q, params.digits
        );
    }
    let own = match (&params.plaintext_modulus, params.log2_scale) {
        (Some(t), _) if t.0.bits() > 64 => format!("t of {} bits", t.0.bits()),
        (Some(t), _) => format!("t = {t}"),
        (_, Some(scale)) => format!("scale 2^{scale:.1}"),
        _ => String::new(),
    };
    format!(
        "N = 2^{log2_n}, log2(Q) = {:.1}, log2(P) = {:.1}, {} primes, key switching in {} digit{}, {own}",
        params.log2_q,
        params.log2_p,
        params.primes.len(),
        params.digits,
        if params.digits == 1 { "" } else { "s" },
    )
}

/// The security as a line.
pub(crate) fn security_line(plan: &Plan) -> String {
    let bits = match plan.params.scheme() {
        // Its table goes by the estimator itself.
        Scheme::Tfhe => format!("{} bits classical (lattice estimator)", plan.params.security_bits()),
        _ => security_words(plan.params.security_bits(), security_is_extrapolated(plan.params.ring_degree())),
    };
    let insecure = if plan.is_insecure() { "; INSECURE, for tests only" } else { "" };
    format!("{bits}; {} asked{insecure}", plan.security)
}

/// A classical security level, its source, and the corresponding level against a quantum computer.
pub(crate) fn security_words(bits: u32, extrapolated: bool) -> String {
    let from = if extrapolated { "extrapolated from the 2024 guidelines" } else { "2024 guidelines" };
    format!("{bits} bits classical ({from}), about {} quantum", quantum_security_bits(bits))
}

/// Noise as JSON.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON keys")]
pub(crate) struct NoiseFigures {
    predicted_bits: f64,
    measured_bits: Option<f64>,
    budget_bits: f64,
}

impl NoiseFigures {
    /// The predicted noise, and the measured one if it was measured.
    pub(crate) fn new(Noise { predicted_bits, budget_bits }: Noise, measured_bits: Option<f64>) -> Self {
        Self { predicted_bits, measured_bits, budget_bits }
    }
}

impl Display for NoiseFigures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at most 2^{:.1} predicted, ", self.predicted_bits)?;
        match self.measured_bits {
            Some(bits) if bits.is_finite() => write!(f, "2^{bits:.1} measured, ")?,
            Some(_) => f.write_str("none measured, ")?,
            None => {}
        }
        write!(f, "{:.1} bits to spare", self.budget_bits)
    }
}

/// A number of bytes as text, or that it isn't known.
pub(crate) fn bytes_or_unknown(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "not known on this system".to_owned(), figures::bytes)
}
