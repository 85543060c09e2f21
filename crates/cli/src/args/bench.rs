//! The flags of `bench`.

use std::path::PathBuf;

use asanoha::{
    bench::{ChainCase, DramCase, TableCase, VectorScheme},
    ckks::BootstrapSet,
};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

use super::values::parse_bytes;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: BenchName,
    /// The folder of reports that all and report work with
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Let report measure first what the folder lacks, as all does
    #[arg(long)]
    pub(crate) run: bool,
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
    /// Bootstrap by these parameter sets only [default: all of them; with --quick the first]
    #[arg(long, value_name = "SET,..", value_delimiter = ',', value_parser = bootstrap_set())]
    pub(crate) set: Vec<BootstrapSet>,
    /// Set the divisions, or the bootstrapping and 8-bit integers, of crate tfhe beside ours, which the program at PATH
    /// measures; build it in bench/peers
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "bench/peers/target/release/peers")]
    pub(crate) peer: Option<PathBuf>,
    /// Let tfhe and dram do with that much memory: keys that don't fit stay in a file [default: as much as there is for tfhe,
    /// several limits for dram]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory_limit: Option<u64>,
    /// Measure product, dot or dram by this scheme only [default: all of them; dram with --quick tfhe]
    #[arg(long, value_enum)]
    pub(crate) scheme: Option<VectorSchemeName>,
    /// Measure these programs on tables only: products, regression, sigmoid, comparison, groups, prices [default: all of them]
    #[arg(long, value_name = "TABLE,..", value_delimiter = ',')]
    pub(crate) table: Vec<TableCase>,
    /// Count what products and rotations of schemes take at least, and set it beside the measured times
    #[arg(long)]
    pub(crate) limit: bool,
    /// Measure schemes at this ring degree [default: 32768]
    #[arg(long, value_name = "N", value_parser = ring_degree())]
    pub(crate) ring_degree: Option<usize>,
    /// One row of tables, as JSON; the program calls itself with it
    #[arg(long, hide = true, value_name = "TABLE")]
    pub(crate) alone: Option<TableCase>,
    /// One row of dram, as JSON; the program calls itself with it
    #[arg(long, hide = true, value_name = "SCHEME,BYTES,GROUP")]
    pub(crate) confined: Option<DramCase>,
}

/// A set by its name.
fn bootstrap_set() -> impl TypedValueParser<Value = BootstrapSet> {
    let named = |name: String| BootstrapSet::ALL.into_iter().find(|set| set.name() == name);
    PossibleValuesParser::new(BootstrapSet::ALL.map(BootstrapSet::name))
        .map(move |name| named(name).expect("it's one of them"))
}

/// Those that hold the deepest chain of `schemes`.
fn ring_degree() -> impl TypedValueParser<Value = usize> {
    PossibleValuesParser::new(["32768", "65536", "131072"])
        .map(|text| text.parse().expect("they are numbers"))
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
    /// Sums over slots by unrolled traces, hoisted rotations, and a search of documents
    Trace,
    /// BGV and BFV with plaintext moduli of 1 to 2048 bits, by depth, and programs modulo such numbers
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
    /// TFHE: keys, programmable bootstrapping one by one and in batches on one thread and on those that --threads says,
    /// gates, and arithmetic on integers
    Tfhe,
    /// The product of 2 to 100 encrypted numbers: of 8 bits by integers and by fixed-point reals of TFHE, and of real numbers in a
    /// ciphertext of CKKS, in a tree and one after another, with bootstrapping
    Product,
    /// The inner product of two encrypted vectors of 2 to 100 numbers: of 8 bits by integers and by fixed-point reals of TFHE, and
    /// of real numbers by CKKS
    Dot,
    /// Bootstrapping of CKKS at ring degrees 2^15 and 2^16, of numbers, in one pass and in two, and of bits: times, precision,
    /// memory, with the keys in memory and in a file
    Bootstrap,
    /// Programs on tables of up to a million rows, from the plan to the decrypted results: times and memory
    Tables,
    /// Evaluation from bytes to bytes, as a server does it, beside evaluation in memory: times, bytes each way
    Bytes,
    /// Planning of the examples and of costly programs: time, choice, and predictions beside what was measured
    Plan,
    /// Bootstrapping of TFHE and CKKS under limits of memory that a control group enforces on a process of its own, page cache
    /// included: time, processors, bytes read and written, faults
    Dram,
    /// The benches that make the papers' tables and figures again, and how long each takes
    List,
    /// All of these, each report in a file of DIR; those that are there from this program aren't measured again
    All,
    /// A page of the papers' tables and figures from the reports in DIR: report.html, report.md, report.json, and
    /// reports.json, from which it makes the same page again without the other files
    Report,
}

/// What `--scheme` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VectorSchemeName {
    /// Integers of 8 bits by TFHE, exactly
    Tfhe,
    /// Real numbers in fixed point of 8 bits by TFHE
    Fixed,
    /// Real numbers, approximately
    Ckks,
}

impl From<VectorSchemeName> for VectorScheme {
    fn from(name: VectorSchemeName) -> Self {
        match name {
            VectorSchemeName::Tfhe => Self::Tfhe,
            VectorSchemeName::Fixed => Self::Fixed,
            VectorSchemeName::Ckks => Self::Ckks,
        }
    }
}
