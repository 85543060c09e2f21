//! The flags of `triples`.

use std::path::PathBuf;

use asanoha::{BigUint, mpc::TripleShape};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

use super::values::{parse_bytes, parse_whole};

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
    pub(crate) fn shape(&self) -> TripleShape {
        let or_dim = |length: Option<usize>| length.or(self.dim).expect("clap requires one of them");
        TripleShape { rows: or_dim(self.rows), inner: or_dim(self.inner), columns: or_dim(self.cols) }
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
