//! The flags: the one definition that help, man page and completions come from.

use std::{net::SocketAddr, path::PathBuf};

use asanoha::{
    BigUint,
    bench::ChainCase,
    ckks::LEAST_STATISTICAL_BITS,
    data::{RangeOverride, parse_range_override},
    genome::protocol::RING_DEGREE,
    mpc::Shape,
    plan::{OnZero, Scheme},
    precision::Precision,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::Serialize;

/// Computes on encrypted data: you write the function, asanoha picks scheme and parameters, runs it encrypted and
/// says what it cost.
#[derive(Debug, Parser)]
#[command(name = "asanoha", version, propagate_version = true, subcommand_required = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 a computation that can't be done, 2 wrong usage or bad input, \
                        3 a check that failed."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Print one JSON object and nothing else on stdout. Exact results that a JSON number doesn't hold exactly for
    /// every reader are strings there: decimal digits, or a fraction p/q
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Threads to compute on [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Derive all randomness from this seed of up to 64 hex digits, for tests: results are reproducible and secrets
    /// are not secret. Refused without --insecure
    #[arg(long, global = true, value_name = "HEX", value_parser = parse_seed)]
    pub(crate) seed: Option<[u8; 32]>,
    /// Say that secrets needn't be secret: allows --seed, files made with it, and parameters below 128 bits
    #[arg(long, global = true)]
    pub(crate) insecure: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan, make keys, encrypt, evaluate and decrypt in one process, and compare with the plain computation
    Run(RunArgs),
    /// Find every scheme that can run a program, with parameters and cost, and choose
    Plan(PlanArgs),
    /// Make the keys of a plan
    Keygen(KeygenArgs),
    /// Encrypt the columns that a plan needs
    Encrypt(EncryptArgs),
    /// Evaluate a plan on encrypted columns; reads the public files of the keys only
    Evaluate(EvaluateArgs),
    /// Decrypt the results of a plan
    Decrypt(DecryptArgs),
    /// Say what a file is; reads only its header, so damage to the rest isn't seen
    Inspect(InspectArgs),
    /// Make, check and export matrix triples for multi-party computation
    #[command(subcommand)]
    Triples(TriplesCommand),
    /// Search a panel of haplotypes privately, by encrypted queries
    #[command(subcommand)]
    Genome(GenomeCommand),
    /// Measure on this machine, on one thread
    Bench(BenchArgs),
    /// Say what this machine and this build can do
    Info,
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the man page
    Man,
}

/// How a program is planned.
#[derive(Debug, Args)]
pub(crate) struct PlanningArgs {
    /// The scheme; auto takes BGV where everything is whole numbers, or BFV where that's predicted to be clearly
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
    /// The range of a column, which becomes public; without, the column's own is rounded up to powers of two
    #[arg(long = "range", value_name = "NAME=LO:HI", value_parser = parse_range)]
    pub(crate) ranges: Vec<RangeOverride>,
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

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The program
    #[arg(value_name = "PROG")]
    pub(crate) program: PathBuf,
    /// The data: numbers as CSV, the first line naming the columns. Whole numbers may have up to 2048 bits, in decimal
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
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The program
    #[arg(value_name = "PROG")]
    pub(crate) program: PathBuf,
    /// The data that the plan is for; only the number of rows and the columns' ranges enter the plan
    #[arg(long, value_name = "F.csv", required_unless_present = "schema")]
    pub(crate) data: Option<PathBuf>,
    /// A description of the data in their place: {"rows": 442, "columns": [{"name": "bmi", "whole": false,
    /// "range": {"lo": "0", "hi": "64"}}]}
    #[arg(long, value_name = "F.json", conflicts_with_all = ["data", "ranges"])]
    pub(crate) schema: Option<PathBuf>,
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
    /// The folder for the keys: secret.safetensors, public.safetensors and evaluation.safetensors. Keep the first
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
    /// The folder of the keys; the public key is read
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// The data
    #[arg(long, value_name = "F.csv")]
    pub(crate) data: PathBuf,
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
    /// A plan, keys, or ciphertexts
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TriplesCommand {
    /// Make triples (A, B, A·B) and their codes, shared among parties; goes on where an earlier call with the same
    /// flags was stopped
    Generate(GenerateArgs),
    /// Check every triple of a folder: shares add up to A, B and A·B, and codes are right
    Verify(VerifyArgs),
    /// Write the triples of a folder for MP-SPDZ or for numpy
    Export(ExportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// The dimension of square matrices, from 1 to 1024
    #[arg(long, value_name = "D", required_unless_present_all = ["rows", "inner", "cols"])]
    dim: Option<usize>,
    /// The rows of A, if they aren't D
    #[arg(long, value_name = "R")]
    rows: Option<usize>,
    /// The columns of A and rows of B, if they aren't D
    #[arg(long, value_name = "K")]
    inner: Option<usize>,
    /// The columns of B, if they aren't D
    #[arg(long, value_name = "C")]
    cols: Option<usize>,
    /// The prime that entries are residues of, of 20 to 512 bits, in decimal or as 0x… in hexadecimal
    #[arg(long, value_name = "P", conflicts_with = "bits", value_parser = parse_whole)]
    pub(crate) modulus: Option<BigUint>,
    /// The size of the prime, if none is given: the smallest of so many bits that is 1 modulo 2^15, which MP-SPDZ takes too
    #[arg(long, value_name = "BITS", default_value = "128")]
    pub(crate) bits: u32,
    /// The number of triples
    #[arg(long, value_name = "COUNT")]
    pub(crate) count: u64,
    /// The number of parties, from 2 to 64
    #[arg(long, value_name = "N", default_value = "2")]
    pub(crate) parties: usize,
    /// Keep about within this memory, such as 8GiB, if need be by taking more time [default: what is fastest]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) memory_limit: Option<u64>,
    /// The folder for the triples: a folder for each party, and the secret seed that they follow from
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

impl GenerateArgs {
    /// The dimensions that are asked for.
    pub(crate) fn shape(&self) -> Shape {
        let or_dim = |length: Option<usize>| length.or(self.dim).expect("clap requires one of them");
        Shape { rows: or_dim(self.rows), inner: or_dim(self.inner), columns: or_dim(self.cols) }
    }
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The folder of triples
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The program that reads them
    #[arg(long, value_enum)]
    pub(crate) format: ExportFormat,
    /// The folder of triples
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The folder to write to: below it Player-Data for MP-SPDZ, in it a file for each party for numpy [default:
    /// mp-spdz or npz in DIR]
    #[arg(long, value_name = "DIR2")]
    pub(crate) out: Option<PathBuf>,
}

/// What `--format` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ExportFormat {
    /// What MP-SPDZ 0.4.2 reads with -F -o force_matrix_triples
    MpSpdz,
    /// Arrays of 64-bit words, the lowest first
    Npz,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GenomeCommand {
    /// Write a panel of phased VCF, bgzipped VCF or BCF as an index, which is read at once
    Index(IndexArgs),
    /// Ask how many letters of each haplotype of a VCF agree with some haplotype of a panel, and with how many
    Query(QueryArgs),
    /// Answer encrypted queries over HTTPS until stopped; needs a build with the feature http
    Serve(ServeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The panel: VCF, bgzipped VCF or BCF, of one chromosome
    #[arg(value_name = "PANEL")]
    pub(crate) panel: PathBuf,
    #[command(flatten)]
    pub(crate) records: RecordsArgs,
    /// The file for the index
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
}

/// What becomes of records that can't be searched.
#[derive(Debug, Args)]
pub(crate) struct RecordsArgs {
    /// Leave out records without phased genotypes of two haplotypes and two alleles [default: refuse the file]
    #[arg(long)]
    pub(crate) skip_unusable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// The panel, or its index: both sides run in this process, and the answers are compared with the plain ones
    #[arg(long, value_name = "PANEL", required_unless_present = "server")]
    pub(crate) local: Option<PathBuf>,
    /// The server to ask, as https://HOST:PORT; needs a build with the feature http
    #[arg(long, value_name = "URL", conflicts_with = "local")]
    pub(crate) server: Option<String>,
    /// The certificate to trust, as PEM [default: those that public authorities vouch for]
    #[arg(long, value_name = "F.pem", requires = "server")]
    pub(crate) certificate: Option<PathBuf>,
    /// A folder for the client's keys, made if it isn't there: later queries of as many letters find their secret key in it, so
    /// that hundreds of megabytes of evaluation keys are sent once and not every time. Nobody else may read the secret key
    #[arg(long, value_name = "DIR", requires = "server")]
    pub(crate) keys: Option<PathBuf>,
    /// Whose haplotypes are asked for: VCF, bgzipped VCF or BCF, with the panel's sites of the window and whatever others
    #[arg(long, value_name = "ME")]
    pub(crate) vcf: PathBuf,
    /// One haplotype of ME, counted from 0, two a sample [default: all]
    #[arg(long, value_name = "K")]
    pub(crate) haplotype: Option<usize>,
    /// The first site, a number among the panel's sites, counted from 0
    #[arg(long, value_name = "SITE")]
    pub(crate) start: usize,
    /// The number of sites
    #[arg(long, value_name = "L")]
    pub(crate) length: usize,
    #[command(flatten)]
    pub(crate) records: RecordsArgs,
    #[command(flatten)]
    pub(crate) ring: RingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The index of the panel
    #[arg(long, value_name = "F")]
    pub(crate) index: PathBuf,
    /// Where to listen, as IP:PORT; port 0 is any that's free
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
    /// The certificate, with those that vouch for it, as PEM. Without any, plain HTTP is spoken, at this machine's own
    /// addresses only
    #[arg(long, value_name = "F.pem", requires = "key")]
    pub(crate) certificate: Option<PathBuf>,
    /// The certificate's secret key, as PEM
    #[arg(long, value_name = "F.pem", requires = "certificate")]
    pub(crate) key: Option<PathBuf>,
    /// Make a certificate for this call, and write it to a file for clients to trust
    #[arg(long, value_name = "F.pem", conflicts_with = "certificate")]
    pub(crate) own_certificate: Option<PathBuf>,
    /// A name or address that the server's own certificate is for [default: that of --listen]
    #[arg(long = "name", value_name = "HOST", requires = "own_certificate")]
    pub(crate) names: Vec<String>,
    /// The most letters of a query
    #[arg(long, value_name = "L", default_value = "1024")]
    pub(crate) most_letters: usize,
    /// How many queries and keys a client's address may send in an hour
    #[arg(long, value_name = "COUNT", default_value = "1000")]
    pub(crate) requests: u32,
    #[command(flatten)]
    pub(crate) ring: RingArgs,
}

/// The ring of a search.
#[derive(Debug, Args)]
pub(crate) struct RingArgs {
    /// A small ring, for tests: a power of two from 64 on. Nothing is secret in it, so it needs --insecure
    #[arg(long, hide = true, value_name = "N", value_parser = parse_ring_degree)]
    pub(crate) ring_degree: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: BenchName,
    /// Take seconds in place of minutes: fewer sizes or fewer samples
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only on these kernels [default: those that ASANOHA_KERNELS forces, or else all that this processor has]
    #[arg(long, value_name = "KERNELS")]
    pub(crate) kernels: Option<String>,
    /// Draw large-moduli's figures into this folder too
    #[arg(long, value_name = "DIR")]
    pub(crate) svg: Option<PathBuf>,
    /// One row of large-moduli, as JSON; the program calls itself with it
    #[arg(long, hide = true, value_name = "SCHEME,LOG2T,DEPTH")]
    pub(crate) chain: Option<ChainCase>,
    /// Divide numbers of these sizes only: 2 to 8, or 16 (by 8) [default: 4,5,6,7,8,16, but 7 and 8 not bit by bit,
    /// which takes minutes and ten gigabytes]
    #[arg(long, value_name = "L,..", value_delimiter = ',')]
    pub(crate) bits: Vec<u32>,
    /// Make triples of these rows and columns only: 128, 192 (by squares), 256, 384, 512, 1024 [default: all of them]
    #[arg(long, value_name = "D,..", value_delimiter = ',')]
    pub(crate) dim: Vec<usize>,
    /// Set the divisions of crate tfhe beside ours, which the program at PATH measures; build it in bench/peers
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "bench/peers/target/release/peers")]
    pub(crate) peer: Option<PathBuf>,
}

/// What `bench` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchName {
    /// Transforms by ring degree and width of the prime
    Ntt,
    /// A fused multiply-add against a multiplication and an addition, by ring degree and number of primes
    Fma,
    /// Every loop over residues, and the transforms
    Kernels,
    /// Sums over slots by unrolled traces, and hoisted rotations
    Trace,
    /// BGV and BFV with plaintext moduli of 1 to 2048 bits, by depth
    LargeModuli,
    /// BGV and BFV at t = 65537 and CKKS side by side, by depth
    Schemes,
    /// Encrypted division bit by bit, by the published integer-wise method and by ours, on one thread and on those
    /// that --threads says
    Division,
    /// Matrix triples by batch products, and the published products by every way of rotating: memory, and times on one
    /// thread and on those that --threads says
    Triples,
    /// Private haplotype search by the length of queries: times, memory, bytes each way
    Genome,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
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
    /// Tables and bits; not built yet
    Tfhe,
}

impl SchemeName {
    /// The scheme to plan for; `None` for the best one.
    pub(crate) fn wish(self) -> Result<Option<Scheme>, String> {
        match self {
            Self::Auto => Ok(None),
            Self::Bgv => Ok(Some(Scheme::Bgv)),
            Self::Ckks => Ok(Some(Scheme::Ckks)),
            Self::Bfv => Ok(Some(Scheme::Bfv)),
            Self::Tfhe => Err("--scheme tfhe is not built yet; take auto, bgv, bfv or ckks".to_owned()),
        }
    }
}

/// Parses the value of `--publish`.
fn parse_statistical_bits(text: &str) -> Result<u32, String> {
    let range = LEAST_STATISTICAL_BITS..=128;
    let bits = text.parse().ok().filter(|bits| range.contains(bits));
    bits.ok_or_else(|| {
        format!(
            "take from {} to {} bits: what a published result tells of the secret key stays for ever, and with fewer bits it adds up",
            range.start(),
            range.end()
        )
    })
}

fn parse_security(text: &str) -> Result<u32, String> {
    match text {
        "128" => Ok(128),
        "192" => Ok(192),
        "256" => Ok(256),
        _ => Err("the security table has 128, 192 and 256 bits".to_owned()),
    }
}

fn parse_precision(text: &str) -> Result<Precision, String> {
    let error = text.strip_prefix("abs=").and_then(|error| error.parse().ok());
    let error = error.ok_or("it's given as abs=ERROR, for example abs=1e-6")?;
    Precision::Absolute { error }.check().map_err(|error| error.to_string())
}

fn parse_range(text: &str) -> Result<RangeOverride, String> {
    parse_range_override(text).map_err(|error| error.to_string())
}

fn parse_ring_degree(text: &str) -> Result<usize, String> {
    let degree = text.parse().ok().filter(|degree: &usize| degree.is_power_of_two());
    let degree = degree.filter(|degree| (64..=RING_DEGREE).contains(degree));
    degree.ok_or_else(|| format!("it's a power of two from 64 to {RING_DEGREE}"))
}

/// Digits in decimal, or as 0x… in hexadecimal: at most as many as 2048 bits have.
fn parse_whole(text: &str) -> Result<BigUint, String> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let value = (digits.len() <= 617).then(|| BigUint::parse_bytes(digits.as_bytes(), radix)).flatten();
    value.ok_or_else(|| "it's a whole number of at most 2048 bits, in decimal or as 0x…".to_owned())
}

/// A number of bytes with a unit: B, KiB, MiB, GiB or TiB.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let shift = ["B", "KiB", "MiB", "GiB", "TiB"].iter().position(|known| *known == unit).map(|at| 10 * at);
    let value =
        digits.parse::<u64>().ok().zip(shift).and_then(|(value, shift)| value.checked_mul(1 << shift));
    value.ok_or_else(|| "it's a whole number with a unit, for example 8GiB or 512MiB".to_owned())
}

/// The digits fill the seed from its first byte on; the remaining bytes stay 0.
fn parse_seed(text: &str) -> Result<[u8; 32], String> {
    let mut seed = [0; 32];
    if text.is_empty() || text.len() > 64 {
        return Err(format!(
            "{} characters are given, and 1 to 64 hex digits are a seed",
            text.chars().count()
        ));
    }
    for (at, c) in text.chars().enumerate() {
        let digit = c.to_digit(16).ok_or_else(|| format!("{c:?} is no hex digit"))?;
        seed[at / 2] |= (digit as u8) << (4 * (1 - at % 2));
    }
    Ok(seed)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Arguments, parse_bytes, parse_seed, parse_whole};

    #[test]
    fn the_flags_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes_have_units_and_whole_numbers_may_be_hexadecimal() {
        assert_eq!([parse_bytes("8GiB").unwrap(), parse_bytes("7B").unwrap()], [8 << 30, 7]);
        for bad in ["8", "GiB", "8GB", "-1B", "1.5GiB", "99999999TiB"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_whole("0xff").unwrap(), parse_whole("255").unwrap());
        for bad in ["", "0x", "-1", "1e9", "f", &"9".repeat(618)] {
            assert!(parse_whole(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn seeds_are_filled_from_the_front() {
        assert_eq!(parse_seed("abc").unwrap()[..3], [0xab, 0xc0, 0]);
        assert!(parse_seed("").is_err() && parse_seed("xy").is_err() && parse_seed(&"0".repeat(65)).is_err());
    }
}
