//! Reports of commands: as JSON, and as text for a human reader.

use std::{
    fmt::{Display, Write as _},
    io::{ErrorKind, Write},
};

use asanoha::{
    data::RealSince,
    execute::Noise,
    lattice::{quantum_security_bits, security_is_extrapolated},
    plan::ParamsSummary,
    plan::{Plan, Scheme},
};
use serde::Serialize;
use terminal_size::Width;

use crate::{
    error::{Failure, may_print_json},
    figures,
    target::Target,
};

/// The report of a command, and the failure, if any, that it ends in.
#[derive(Debug)]
pub(crate) struct Report {
    json: String,
    text: String,
    failure: Option<Failure>,
    /// Whether stdout is for a file, so that the text goes to stderr.
    beside_stdout: bool,
}

impl Report {
    pub(crate) fn new(json: &impl Serialize, text: impl Into<String>) -> Self {
        let json = serde_json::to_string(json).expect("reports are plain data");
        Self { json, text: text.into(), failure: None, beside_stdout: false }
    }

    /// The same report, ending in a failure if there is one.
    pub(crate) fn failing(mut self, failure: Option<Failure>) -> Self {
        self.failure = failure;
        self
    }

    /// Writes a file that is for stdout there, and has the text go to stderr then.
    pub(crate) fn with_file(mut self, target: Option<Target>) -> Result<Self, Failure> {
        if let Some(target) = target.filter(Target::is_stdout) {
            target.print()?;
            self.beside_stdout = true;
        }
        Ok(self)
    }

    /// Prints the report. If the reader has closed the pipe, that's no error. As JSON, the failure that it ends in stands
    /// in it.
    pub(crate) fn print(mut self, json: bool) -> Result<(), Failure> {
        if json {
            if let Some(failure) = &self.failure {
                // Reports are objects that aren't empty.
                self.json.pop();
                let _ = write!(self.json, ",\"error\":{}}}", failure.json());
            }
            self.json.push('\n');
            if may_print_json() {
                print(&self.json)?;
            }
        } else if self.beside_stdout {
            // If stderr is closed, nobody reads the text.
            let _ = std::io::stderr().write_all(self.text.as_bytes());
        } else {
            print(&self.text)?;
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// Which cell makes a column one of real numbers.
pub(crate) fn deciding(cell: &RealSince) -> String {
    format!("as line {} has {:?}", cell.line, cell.cell)
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

/// The characters of a line, if there's a limit: what COLUMNS says, or what the terminal shows.
pub(crate) fn width() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let shown = || terminal_size::terminal_size_of(std::io::stdout()).map(|(Width(width), _)| width.into());
    told.or_else(shown)
}

/// Words as lines of at most so many characters; a longer word has a line of its own.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Lines of a name and a text, aligned.
#[derive(Debug, Default)]
pub(crate) struct Lines(String);

/// The characters before the texts.
const NAMES: usize = 12;
/// Texts are never wrapped to fewer characters.
const NARROWEST: usize = 20;

impl Lines {
    pub(crate) fn line(&mut self, name: &str, text: impl Display) -> &mut Self {
        let text = text.to_string();
        let most = width().map_or(usize::MAX, |width| width.saturating_sub(NAMES).max(NARROWEST));
        for (at, part) in wrapped(&text, most).iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let _ = writeln!(self.0, "{name:<11} {part}");
        }
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

/// Rows, and how many others are left out.
pub(crate) fn rows_line(rows: usize, left_out: usize) -> String {
    match left_out {
        0 => format!("{rows} rows"),
        _ => format!("{rows} rows without {left_out} that miss a value"),
    }
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

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_are_as_long_as_they_may_be_and_lose_no_word() {
        let text = "one two three fourteen five";
        for most in 1..30 {
            let lines = wrapped(text, most);
            assert_eq!(lines.join(" "), text);
            assert!(lines.iter().all(|line| line.chars().count() <= most || !line.contains(' ')));
        }
        assert_eq!(wrapped(text, 13), ["one two three", "fourteen five"]);
        assert_eq!(wrapped("", 5), [""]);
    }
}
