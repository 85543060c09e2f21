//! The flags of commands that plan and run a program.

use std::path::PathBuf;

use asanoha::{
    data::{Missing, NumberFormat, PublicCentre, RangeOverride, Reading},
    plan::{OnZero, Scheme},
    precision::Precision,
};
use clap::{Args, ValueEnum};

use super::values::{
    WeightsFile, parse_center, parse_precision, parse_range, parse_rows, parse_security,
    parse_statistical_bits, parse_weights,
};

/// How a program is planned.
#[derive(Debug, Args)]
pub(crate) struct PlanningArgs {
    /// The scheme; auto takes BGV where everything is whole numbers, or BFV or TFHE where that's predicted to be clearly
    /// faster, and CKKS otherwise. Whole numbers are approximated only if ckks is named
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) scheme: SchemeName,
    /// Security in bits
    #[arg(long, value_name = "BITS", default_value = "128", value_parser = parse_security)]
    pub(crate) security: u32,
    /// Precision of results that aren't exact, in bits below the power of two that bounds each output's own range
    #[arg(long, value_name = "BITS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=50))]
    pub(crate) precision_bits: u32,
    /// Precision of results that aren't exact, the same for every output: abs=1e-6 allows errors of up to 0.000001
    #[arg(long, value_name = "abs=ERROR", value_parser = parse_precision, conflicts_with = "precision_bits")]
    precision: Option<Precision>,
    /// Leave room for publishing CKKS results with so many bits of statistical security, from 30 to 128: the results of one run,
    /// as the first under a key, keep the precision with the noise that hides what they tell of the key. Exact results need none
    #[arg(long, value_name = "BITS", value_parser = parse_statistical_bits)]
    pub(crate) publish: Option<u32>,
    /// The range of a column, which becomes public; without, the column's own is rounded up to powers of two
    #[arg(long = "range", value_name = "NAME=LO:HI", value_parser = parse_range)]
    pub(crate) ranges: Vec<RangeOverride>,
    /// Take a constant near a column's values away from them before encryption, and add it again in the program. It becomes public.
    /// Without, approximate moments of columns far from 0 have such a constant of the client's own, which stays secret, where no
    /// output needs the column as it is
    #[arg(long = "center", value_name = "NAME=VALUE", value_parser = parse_center)]
    pub(crate) centers: Vec<PublicCentre>,
    /// Take a column as real numbers, even if all its cells are whole numbers or decimals of few places
    #[arg(long = "real", value_name = "NAME")]
    pub(crate) real: Vec<String>,
    #[command(flatten)]
    pub(crate) cells: CellArgs,
    /// A file with the constants that the program calls @NAME: CSV, one row or one column of numbers and a row of names
    /// above it if they have any, or an array of NumPy (.npy). The plan holds the numbers, so they become public
    #[arg(long = "weights", value_name = "NAME=FILE", value_parser = parse_weights)]
    pub(crate) weights: Vec<WeightsFile>,
    /// What to do about a divisor of zero in the data: refuse to encrypt them, naming the row, or take x // 0 as 0 and
    /// x % 0 as x
    #[arg(long, value_enum, value_name = "WHAT", default_value = "error")]
    pub(crate) on_zero: OnZeroName,
}

impl PlanningArgs {
    /// The precision that is asked for, by either flag.
    pub(crate) fn precision(&self) -> Precision {
        self.precision.unwrap_or(Precision::Relative { bits: self.precision_bits })
    }

    /// How the data are read.
    pub(crate) fn reading(&self) -> Reading<'_> {
        Reading { real: &self.real, ..self.cells.reading() }
    }
}

/// How cells of data are read.
#[derive(Debug, Args)]
pub(crate) struct CellArgs {
    /// What is done about missing values, which are empty cells, NA, N/A, NaN, nan, null, None and ?: refuse the data, leave
    /// out rows that miss a value of any column that's read, or take the column's mean or 0
    #[arg(long, value_enum, value_name = "WHAT", default_value = "refuse")]
    missing: MissingName,
    /// Read numbers with a comma in place of the point, such as 13,05
    #[arg(long)]
    decimal_comma: bool,
    /// Read numbers in groups of three digits: 1,299.99 (with --decimal-comma 1.299,99), 1 299, 1'299
    #[arg(long)]
    thousands: bool,
}

impl CellArgs {
    /// How the data are read.
    pub(crate) fn reading(&self) -> Reading<'_> {
        let numbers = NumberFormat { decimal_comma: self.decimal_comma, thousands: self.thousands };
        Reading { missing: self.missing.into(), numbers, ..Reading::default() }
    }
}

/// What `--on-zero` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnZeroName {
    /// Refuse the data
    Error,
    /// Compute what the circuits define
    Value,
}

impl From<OnZeroName> for OnZero {
    fn from(name: OnZeroName) -> Self {
        match name {
            OnZeroName::Error => Self::Error,
            OnZeroName::Value => Self::Value,
        }
    }
}

/// What `--missing` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingName {
    /// Refuse the data
    Refuse,
    /// Leave out rows that miss a value: how many rows are left is public
    Mask,
    /// Take the mean of the column's other values, rounded to the column's kind
    Mean,
    /// Take 0
    Zero,
}

impl From<MissingName> for Missing {
    fn from(name: MissingName) -> Self {
        match name {
            MissingName::Refuse => Self::Refuse,
            MissingName::Mask => Self::Mask,
            MissingName::Mean => Self::Mean,
            MissingName::Zero => Self::Zero,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The program
    #[arg(value_name = "PROG")]
    pub(crate) program: PathBuf,
    /// The data: CSV with a first line that names the columns, as it is or compressed by gzip, or a Parquet or Arrow file in builds with the
    /// feature `arrow`. Whole numbers may have up to 2048 bits, in decimal
    /// or as 0x… in hexadecimal
    #[arg(long, value_name = "F.csv")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) planning: PlanningArgs,
    /// Take less memory and more time for the same results: the evaluation keys are kept in a temporary file, in the
    /// folder of --out or else in the system's for temporary files, and are read while they're used
    #[arg(long)]
    pub(crate) low_memory: bool,
    #[command(flatten)]
    pub(crate) out: ResultsArgs,
}

/// Where results go.
#[derive(Debug, Args)]
pub(crate) struct ResultsArgs {
    /// Write the results as CSV, a column for each output; an output that is one number is written to the first row, and
    /// the rows below are empty there
    #[arg(long, value_name = "F.csv")]
    pub(crate) out: Option<PathBuf>,
    /// Write a column NAME_error beside each output, which says how far its values may be off; 0 if they're exact
    #[arg(long, requires = "out")]
    pub(crate) errors: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The program
    #[arg(value_name = "PROG")]
    pub(crate) program: PathBuf,
    /// The data that the plan is for; only the number of rows and the columns' ranges enter the plan
    #[arg(long, value_name = "F.csv", required_unless_present = "schema")]
    pub(crate) data: Option<PathBuf>,
    /// A description of the data in their place: {"rows": 442, "columns": [{"name": "bmi", "whole": false, "places": 1,
    /// "range": {"lo": "0", "hi": "51.1"}}]}
    #[arg(long, value_name = "F.json", conflicts_with_all = ["data", "ranges", "real", "centers"])]
    pub(crate) schema: Option<PathBuf>,
    /// Make a plan for any number of rows from 1 to N. How many there are becomes public when they're encrypted [default:
    /// exactly those of the data or the schema]
    #[arg(long, value_name = "N", value_parser = parse_rows)]
    pub(crate) rows: Option<usize>,
    #[command(flatten)]
    pub(crate) planning: PlanningArgs,
    /// Write the chosen plan, which client and server both need
    #[arg(long, value_name = "plan.json")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct KeygenArgs {
    /// The plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// The folder for the keys: secret.safetensors, public.safetensors and evaluation.safetensors. Keep the first; TFHE
    /// has no public key
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Overwrite keys that are there; what was encrypted under them can't be decrypted any more
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EncryptArgs {
    /// The plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// The folder of the keys; the public key is read, or for TFHE the secret key
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// The data
    #[arg(long, value_name = "F.csv")]
    pub(crate) data: PathBuf,
    /// What the plan was made with isn't known here
    #[command(flatten)]
    pub(crate) cells: CellArgs,
    /// The file for the encrypted columns
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// The plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// The folder of the keys; the evaluation keys are read, the secret key needn't be there
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// The encrypted columns
    #[arg(long = "in", value_name = "F")]
    pub(crate) input: PathBuf,
    /// The file for the encrypted results
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
    /// Take less memory and more time for the same results: the evaluation keys stay in their file and are read while
    /// they're used
    #[arg(long)]
    pub(crate) low_memory: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DecryptArgs {
    /// The plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// The folder of the keys; the secret key is read
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// The encrypted results
    #[arg(long = "in", value_name = "F")]
    pub(crate) input: PathBuf,
    /// The encrypted columns that the results should have been computed from: results that name another file are
    /// refused, such as yesterday's. It doesn't show a server that computed something else
    #[arg(long, value_name = "F")]
    pub(crate) in_of: Option<PathBuf>,
    /// How many rows were encrypted, for a plan of any number of rows (`asanoha plan --rows`). Without, the record that
    /// `asanoha encrypt` writes beside the keys says it; what the results say isn't believed
    #[arg(long, value_name = "N", value_parser = parse_rows)]
    pub(crate) rows: Option<usize>,
    /// Add noise to CKKS results so that they can be shown to others: what they tell of the secret key is then hidden
    /// to this many bits of statistical security, from 30 to 128. What is published under a key is counted beside the
    /// secret key, and later results get more noise; the same results again are the same numbers. Without, the results
    /// are for the key's holder only. Exact results have nothing to hide and stay as they are
    #[arg(long, value_name = "BITS", value_parser = parse_statistical_bits)]
    pub(crate) publish: Option<u32>,
    #[command(flatten)]
    pub(crate) out: ResultsArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Any file of asanoha, or a folder of triples
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// What `--scheme` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemeName {
    /// The best
    Auto,
    /// Exact, whole numbers
    Bgv,
    /// Exact, whole numbers
    Bfv,
    /// Approximate, real numbers
    Ckks,
    /// Exact, whole numbers, each in ciphertexts of its own: for few rows and many comparisons, divisions and tables
    Tfhe,
}

impl SchemeName {
    /// The scheme to plan for; `None` for the best one.
    pub(crate) fn wish(self) -> Option<Scheme> {
        match self {
            Self::Auto => None,
            Self::Bgv => Some(Scheme::Bgv),
            Self::Bfv => Some(Scheme::Bfv),
            Self::Ckks => Some(Scheme::Ckks),
            Self::Tfhe => Some(Scheme::Tfhe),
        }
    }
}
