//! The flags of commands that plan and run a program.

use std::path::PathBuf;

use asanoha::{
    data::{Limits, Missing, NumberFormat, PublicCentre, RangeOverride, Reading},
    plan::{OnZero, SchemeName},
    precision::Precision,
    report::Cells,
};
use clap::{Args, ValueEnum};

use super::values::{
    WeightsFile, parse_bytes, parse_canaries, parse_center, parse_precision, parse_range, parse_rows,
    parse_security, parse_statistical_bits, parse_weights,
};

/// How a program is planned.
#[derive(Debug, Args)]
pub(crate) struct PlanningArgs {
    /// Scheme to compute in
    ///
    /// `auto` takes BGV where all columns are whole numbers or decimals, BFV or TFHE where that is predicted to be clearly faster, and
    /// CKKS otherwise. Whole numbers are approximated only with `ckks`.
    #[arg(long, value_enum, default_value = "auto", help_heading = "Scheme and precision")]
    pub(crate) scheme: SchemeChoice,
    /// Precision of approximate results in bits, relative to each output's range
    ///
    /// Errors are at most 2^-BITS of the power of two that bounds an output.
    #[arg(long, value_name = "BITS", default_value = "20", help_heading = "Scheme and precision",
        value_parser = clap::value_parser!(u32).range(1..=50))]
    pub(crate) precision_bits: u32,
    /// Largest error of approximate results, such as abs=1e-6, in place of --precision-bits
    #[arg(long, value_name = "abs=ERROR", value_parser = parse_precision, conflicts_with = "precision_bits",
        help_heading = "Scheme and precision")]
    precision: Option<Precision>,
    /// Security in bits: 128, 192 or 256
    #[arg(long, value_name = "BITS", default_value = "128", value_parser = parse_security,
        help_heading = "Scheme and precision")]
    pub(crate) security: u32,
    /// Largest probability that a run gives a wrong result, 2^-BITS, from 40 to 128 bits
    ///
    /// By default 128 bits for BGV, BFV and CKKS, and 96 bits for TFHE and for plans that keep no more. A scheme that doesn't keep
    /// the bits that are given is not chosen.
    #[arg(long, value_name = "BITS", hide_short_help = true, help_heading = "Scheme and precision",
        value_parser = clap::value_parser!(u32).range(40..=128))]
    pub(crate) failure_bits: Option<u32>,
    /// Plan for publishing CKKS results with this many bits of statistical security, from 30 to 128
    ///
    /// Publishing adds noise that hides what results tell of the secret key. The first results that are published under a key keep
    /// the precision. Exact results need no noise.
    #[arg(long, value_name = "BITS", value_parser = parse_statistical_bits, hide_short_help = true,
        help_heading = "Scheme and precision")]
    pub(crate) publish: Option<u32>,
    /// Range of a column, which becomes public [default: the data's own, rounded outward to powers of two]
    #[arg(long = "range", value_name = "NAME=LO:HI", value_parser = parse_range, help_heading = "Data")]
    pub(crate) ranges: Vec<RangeOverride>,
    /// File of constants that the program calls @NAME; they become public
    ///
    /// CSV with one row or one column of numbers, with or without a row of names above it, or an array of NumPy (.npy).
    #[arg(long = "weights", value_name = "NAME=FILE", value_parser = parse_weights, help_heading = "Data")]
    pub(crate) weights: Vec<WeightsFile>,
    #[command(flatten)]
    pub(crate) cells: CellArgs,
    /// Public constant near a column's values, which is subtracted before encryption and added in the program
    ///
    /// Without it, approximate moments of columns far from 0 use a constant of the client's own, which stays secret, where no output
    /// needs the column itself.
    #[arg(long = "center", value_name = "NAME=VALUE", value_parser = parse_center, hide_short_help = true,
        help_heading = "Data")]
    pub(crate) centers: Vec<PublicCentre>,
    /// Take a column as real numbers, even if all its cells are whole numbers or short decimals
    #[arg(long = "real", value_name = "NAME", hide_short_help = true, help_heading = "Data")]
    pub(crate) real: Vec<String>,
    /// What to do about a divisor of zero in the data
    ///
    /// Refuse the data and name the row, or compute x // 0 as 0 and x % 0 as x.
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        default_value = "error",
        hide_short_help = true,
        help_heading = "Data"
    )]
    pub(crate) on_zero: OnZeroName,
}

impl PlanningArgs {
    /// The precision that is asked for, by either flag.
    pub(crate) fn precision(&self) -> Precision {
        self.precision.unwrap_or(Precision::Relative { bits: self.precision_bits })
    }

    /// How the data are read.
    ///
    /// `text` are the columns that the program compares with text.
    pub(crate) fn reading<'a>(&'a self, text: &'a [String]) -> Reading<'a> {
        Reading { real: &self.real, text, ..self.cells.reading() }
    }
}

/// How cells of data are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct CellArgs {
    /// What to do about missing values: empty cells, NA, N/A, NaN, nan, null, None and ?
    #[arg(long, value_enum, value_name = "WHAT", default_value = "refuse", help_heading = "Data")]
    missing: MissingName,
    /// Read numbers with a decimal comma: 13,05
    #[arg(long, help_heading = "Data")]
    decimal_comma: bool,
    /// Read numbers in groups of three digits: 1,299.99 (with --decimal-comma 1.299,99), 1 299, 1'299
    #[arg(long, help_heading = "Data")]
    thousands: bool,
    /// Largest data, after decompression and in memory [default: 1GiB]
    ///
    /// Larger files are refused before they take the memory. The memory is 16 bytes for each value of the columns that are read,
    /// more for integers beyond 64 bits.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, hide_short_help = true, help_heading = "Data")]
    max_data: Option<u64>,
    /// Most rows of the data, up to 268435456 [default: 16777216]
    #[arg(long, value_name = "N", value_parser = parse_rows, hide_short_help = true, help_heading = "Data")]
    max_rows: Option<usize>,
}

impl CellArgs {
    /// How the data are read.
    pub(crate) fn reading(&self) -> Reading<'_> {
        let numbers = NumberFormat { decimal_comma: self.decimal_comma, thousands: self.thousands };
        let limits = Limits {
            bytes: self.max_data.unwrap_or(Limits::DEFAULT.bytes),
            rows: self.max_rows.unwrap_or(Limits::DEFAULT.rows),
        };
        Reading { missing: self.missing.into(), numbers, limits, ..Reading::default() }
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
    /// Leave out rows that miss a value; how many rows are left becomes public
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
    /// File with the program; `-` is the standard input
    #[arg(value_name = "PROG")]
    pub(crate) program: PathBuf,
    /// Data to compute on: CSV with a header line, plain or compressed by gzip
    ///
    /// Builds with the feature `arrow` read Parquet and Arrow files too. Whole numbers may have up to 2048 bits, in decimal or as 0x…
    /// in hexadecimal. `-` is the standard input.
    #[arg(long, value_name = "F.csv", help_heading = "Data")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) out: ResultsArgs,
    #[command(flatten)]
    pub(crate) planning: PlanningArgs,
    /// Keep the evaluation keys in a temporary file: less memory, more time, the same results
    ///
    /// The file is in the folder of --out, or else in the system's folder for temporary files.
    #[arg(long, hide_short_help = true)]
    pub(crate) low_memory: bool,
}

/// Where results go.
#[derive(Clone, Debug, Args)]
pub(crate) struct ResultsArgs {
    /// Write the results as CSV, with a column for each output
    ///
    /// An output that is one number is in the first row, and the rows below are empty there.
    #[arg(long, value_name = "F.csv", help_heading = "Results")]
    pub(crate) out: Option<PathBuf>,
    /// Write a column NAME_error beside each output: the bound of its error, 0 if it is exact
    #[arg(long, requires = "out", help_heading = "Results")]
    pub(crate) errors: bool,
    /// Write numbers with so many places after the point, from 0 to 60
    #[arg(long, value_name = "N", requires = "out", value_parser = clap::value_parser!(u8).range(..=60),
        help_heading = "Results")]
    pub(crate) places: Option<u8>,
    /// Write fractions whose decimals do not end as p/q, in place of 17 digits
    ///
    /// Spreadsheets read 1/3 as a date or as text.
    #[arg(long, requires = "out", conflicts_with = "places", help_heading = "Results")]
    pub(crate) exact_fractions: bool,
}

impl ResultsArgs {
    /// The way in which values stand in the file.
    pub(crate) fn cells(&self) -> Cells {
        match self.places {
            Some(places) => Cells::Places(places.into()),
            None if self.exact_fractions => Cells::Fractions,
            None => Cells::Decimals,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// File with the program; `-` is the standard input
    #[arg(value_name = "PROG")]
    pub(crate) program: PathBuf,
    /// Data to plan for; only the number of rows and the columns' kinds and ranges enter the plan
    #[arg(long, value_name = "F.csv", required_unless_present = "schema", help_heading = "Data")]
    pub(crate) data: Option<PathBuf>,
    /// Description of the data, in place of --data
    ///
    /// {"rows": 442, "columns": [{"name": "bmi", "whole": false, "places": 1, "range": {"lo": "0", "hi": "51.1"}}]}
    #[arg(long, value_name = "F.json", conflicts_with_all = ["data", "ranges", "real", "centers"],
        help_heading = "Data")]
    pub(crate) schema: Option<PathBuf>,
    /// Plan for any number of rows from 1 to N [default: exactly the rows of the data]
    ///
    /// The number of rows becomes public when they are encrypted.
    #[arg(long, value_name = "N", value_parser = parse_rows, help_heading = "Data")]
    pub(crate) rows: Option<usize>,
    #[command(flatten)]
    pub(crate) planning: PlanningArgs,
    /// Write the chosen plan, which client and server both need
    #[arg(long, value_name = "plan.json")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct KeygenArgs {
    /// Plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// Folder for the keys: secret.sealed, public.safetensors and evaluation.safetensors
    ///
    /// Only evaluation.safetensors goes to the server. TFHE has no public key.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Overwrite existing keys; data encrypted under them can no longer be decrypted
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) passphrase: PassphraseArgs,
    /// Leave the secret key readable for its owner, in secret.safetensors
    #[arg(long, conflicts_with = "passphrase_file")]
    pub(crate) no_passphrase: bool,
    /// Folder of the keys that these replace: makes reencryption.safetensors too, for `asanoha reencrypt`
    ///
    /// Inputs and results under the old keys go on under the new ones. The old folder stays as it is. Its records of encrypted inputs
    /// are copied. Anyone who has the new secret key can read what is under the old keys too.
    #[arg(long, value_name = "DIR")]
    pub(crate) rotate: Option<PathBuf>,
    /// File with the passphrase of the old secret key [default: the new one's, or a question on the terminal]
    #[arg(long, value_name = "FILE", requires = "rotate")]
    pub(crate) old_passphrase_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReencryptArgs {
    /// Plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// Folder of the new keys; only reencryption.safetensors is read
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// Encrypted columns or results under the old keys
    #[arg(long = "in", value_name = "F")]
    pub(crate) input: PathBuf,
    /// File for the same under the new keys
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
}

/// How the passphrase of a secret key is given.
#[derive(Clone, Debug, Args)]
pub(crate) struct PassphraseArgs {
    /// File with the passphrase of the secret key [default: the variable ASANOHA_PASSPHRASE, or a question on the terminal]
    #[arg(long, value_name = "FILE")]
    pub(crate) passphrase_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EncryptArgs {
    /// Plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// Folder of the keys; the secret key is read if it is there, and the public key otherwise
    ///
    /// A secret key under a passphrase is read if the passphrase is given, by --passphrase-file or ASANOHA_PASSPHRASE. Ciphertexts of
    /// the secret key take half the bytes. TFHE has no public key.
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    #[command(flatten)]
    pub(crate) passphrase: PassphraseArgs,
    /// Data to encrypt; `-` is the standard input
    #[arg(long, value_name = "F.csv")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) cells: CellArgs,
    /// Insert K copies of random rows at random places, whose results `asanoha decrypt` checks and removes
    ///
    /// They detect a server that alters results or evaluates another program. The server sees K more rows and can't tell which
    /// they are; make the plan for as many with --rows. Every output must have a value for each row, or be a sum or a mean.
    #[arg(long, value_name = "K", value_parser = parse_canaries)]
    pub(crate) canaries: Option<usize>,
    /// File for the encrypted columns
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// Plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// Folder of the keys; only the evaluation keys are read
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// Encrypted columns
    #[arg(long = "in", value_name = "F")]
    pub(crate) input: PathBuf,
    /// File for the encrypted results
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
    /// Read the evaluation keys from their file when they are used: less memory, more time, the same results
    #[arg(long)]
    pub(crate) low_memory: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DecryptArgs {
    /// Plan
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// Folder of the keys; the secret key is read
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    #[command(flatten)]
    pub(crate) passphrase: PassphraseArgs,
    /// Encrypted results
    #[arg(long = "in", value_name = "F")]
    pub(crate) input: PathBuf,
    /// Encrypted columns that the results must belong to
    ///
    /// Results that name another file, such as yesterday's, are refused. The name is what the server wrote: one that lies about it, or
    /// computes another function, is detected by canaries (`asanoha encrypt --canaries`) and by --same-as.
    #[arg(long, value_name = "F")]
    pub(crate) in_of: Option<PathBuf>,
    /// Number of rows that were encrypted, where the folder of keys has no record of the inputs [default: by the record]
    ///
    /// `asanoha encrypt` writes the record. Without it you state that these rows are all of the data: that none was left out
    /// (--missing mask) and none is a canary. The number that the results state is not trusted.
    #[arg(long, value_name = "N", value_parser = parse_rows)]
    pub(crate) rows: Option<usize>,
    /// Number of times that the keys were replaced since the inputs were encrypted [default: by the record, or 0]
    ///
    /// `asanoha keygen --rotate` counts them in the records that it copies. Results must have been re-encrypted as often: each time
    /// allows them more noise, so that the number that they state is not trusted.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=8))]
    pub(crate) rotations: Option<u32>,
    /// Add noise to CKKS results that are shown to others, with this many bits of statistical security, from 30 to 128
    ///
    /// The low bits of CKKS results depend on the secret key, and the noise hides them. It doesn't hide what a server puts into
    /// results on purpose: add --same-as or --trust-server. Publications are counted beside the secret key, and later results
    /// get more noise; publishing the same results again gives the same numbers. Exact results stay as they are.
    #[arg(long, value_name = "BITS", value_parser = parse_statistical_bits)]
    pub(crate) publish: Option<u32>,
    #[command(flatten)]
    pub(crate) showing: ShowingArgs,
    #[command(flatten)]
    pub(crate) cells: CellArgs,
    #[command(flatten)]
    pub(crate) out: ResultsArgs,
}

/// The grounds on which results may be shown to others than the key holder.
#[derive(Clone, Debug, Args)]
pub(crate) struct ShowingArgs {
    /// Results of a second evaluation, on a machine that the server does not control: these must be the same
    ///
    /// A server that does not follow the plan can put parts of the secret key into results, whatever the scheme. Evaluation gives the
    /// same file everywhere, so two equal files are those of the plan, and results can be shown.
    #[arg(long, value_name = "F", help_heading = "Showing results", conflicts_with_all = ["data", "trust_server"])]
    pub(crate) same_as: Option<PathBuf>,
    /// Data that were encrypted: exact results must equal the plain computation on them
    #[arg(long, value_name = "F.csv", help_heading = "Showing results", conflicts_with = "trust_server")]
    pub(crate) data: Option<PathBuf>,
    /// Answer for the server: show results that nobody checked
    ///
    /// Every number is counted with its bits beside the secret key, since each may be an equation in it. The key bears few: see
    /// docs/security.md.
    #[arg(long, help_heading = "Showing results")]
    pub(crate) trust_server: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// File of asanoha, or a folder of triples
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// What `--scheme` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemeChoice {
    /// The planner chooses
    Auto,
    /// Exact
    Bgv,
    /// Exact
    Bfv,
    /// Approximate
    Ckks,
    /// Exact, a ciphertext for each number: few rows, many comparisons, divisions and tables
    Tfhe,
}

impl SchemeChoice {
    /// The scheme to plan for; `None` for the best one.
    pub(crate) fn choice(self) -> Option<SchemeName> {
        match self {
            Self::Auto => None,
            Self::Bgv => Some(SchemeName::Bgv),
            Self::Bfv => Some(SchemeName::Bfv),
            Self::Ckks => Some(SchemeName::Ckks),
            Self::Tfhe => Some(SchemeName::Tfhe),
        }
    }
}
