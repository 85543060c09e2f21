//! Reports of commands: as JSON, and as text for a human reader.

use std::{
    fmt::{Display, Write as _},
    io::{ErrorKind, Write},
};

pub(crate) use asanoha::report::{Lines, deciding, estimated, params_line, security_line, security_words};
use asanoha::{execute::Noise, report::Results};
use serde::Serialize;
use terminal_size::Width;

use crate::{
    args::ResultsArgs,
    error::{Failure, may_print_json},
    figures,
    shown::{escaped, shown},
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

    /// The same report with one more key and more text.
    #[cfg(feature = "http")]
    pub(crate) fn with(mut self, key: &str, value: &serde_json::Value, text: &str) -> Self {
        // Reports are objects that aren't empty.
        self.json.pop();
        let _ = write!(self.json, ",\"{key}\":{value}}}");
        self.text.push_str(text);
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
            if may_print_json() {
                print(escaped(&self.json) + "\n")?;
            }
        } else if self.beside_stdout {
            // If stderr is closed, nobody reads the text.
            let _ = std::io::stderr().write_all(shown(&self.text).as_bytes());
        } else {
            print(shown(&self.text))?;
        }
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

/// Lines as wide as the reader's.
pub(crate) fn lines() -> Lines {
    Lines::new(width())
}

/// Results as CSV, as the arguments ask.
pub(crate) fn csv(results: &Results, args: &ResultsArgs) -> Result<String, Failure> {
    results.csv(args.errors, args.cells()).map_err(|name| {
        Failure::bad_input(format!(
            "--errors adds a column `{name}`, and the program has a result of that name: rename the result"
        ))
    })
}

/// The outputs that the file of --out has with rounded decimals; none without it.
pub(crate) fn rounded_in_file(results: &Results, args: &ResultsArgs) -> Vec<String> {
    let rounded = args.out.as_ref().map(|_| results.rounded_in_cells(args.cells()));
    rounded.into_iter().flatten().map(str::to_owned).collect()
}

/// Says which outputs have fractions that a file has as rounded decimals.
pub(crate) fn rounded_line(lines: &mut Lines, outputs: &[String], args: &ResultsArgs) {
    if outputs.is_empty() {
        return;
    }
    let named = outputs.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let places = match args.places {
        Some(places) => format!("{named} rounded to {}", counted(places, "place")),
        None => format!("{named} with 17 digits of fractions whose decimals do not end"),
    };
    lines.line("", format_args!("{places}; --exact-fractions writes p/q"));
}

/// The characters of a line, if there's a limit: what COLUMNS says, or what the terminal shows.
pub(crate) fn width() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let shown = || terminal_size::terminal_size_of(std::io::stdout()).map(|(Width(width), _)| width.into());
    told.or_else(shown)
}

/// A number of things, with the plural where there isn't one.
pub(crate) fn counted<N: Copy + Display + From<u8> + PartialEq>(number: N, thing: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Rows, and how many others are left out.
pub(crate) fn rows_line(rows: usize, left_out: usize) -> String {
    let rows = counted(rows, "row");
    match left_out {
        0 => rows,
        1 => format!("{rows} without 1 that misses a value"),
        _ => format!("{rows} without {left_out} that miss a value"),
    }
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
