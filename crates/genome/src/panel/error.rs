//! Why a panel can't be read or searched.

use std::{io, path::PathBuf};

use thiserror::Error;

use super::{
    Place,
    limits::{MAX_HAPLOTYPES, MAX_SITES},
};

/// Why a panel can't be made, read or searched.
#[derive(Debug, Error)]
pub enum PanelError {
    /// No haplotypes, or too many.
    #[error("a panel of {0} haplotypes: take from 1 to {MAX_HAPLOTYPES}")]
    Haplotypes(usize),
    /// What is no name of a chromosome.
    #[error("{0:?} is no name of a chromosome: take from 1 to 255 bytes without control characters")]
    Name(String),
    /// A site with another number of alleles than haplotypes.
    #[error("a site has {found} alleles, and the panel {expected} haplotypes")]
    Alleles {
        /// How many there are.
        found: usize,
        /// How many haplotypes the panel has.
        expected: usize,
    },
    /// A site before the one before it.
    #[error("position {position} follows position {last}: sort the sites")]
    Order {
        /// The site's position.
        position: u64,
        /// The last one's.
        last: u64,
    },
    /// Too many sites.
    #[error("a panel holds at most {MAX_SITES} sites and 8 GiB: take fewer sites at a time")]
    Sites,
    /// No sites, or no haplotypes.
    #[error("{0} holds no sites with genotypes")]
    Empty(String),
    /// No sites.
    #[error("{0} holds no sites")]
    NoSites(String),
    /// A record of a VCF or BCF whose genotypes are no letters.
    #[error(
        "{file}, {record} ({place}){}: {what}; taken are phased genotypes of two alleles, or unphased ones of equal alleles: leave such records out, or choose to skip them in a panel",
        sample.as_ref().map_or_else(String::new, |sample| format!(", GT of {sample}"))
    )]
    Record {
        /// The file.
        file: String,
        /// Where it stands.
        record: Place,
        /// Its chromosome and position.
        place: String,
        /// The sample, if it's about one.
        sample: Option<String>,
        /// What is wrong.
        what: Unusable,
    },
    /// A record of another chromosome than the first.
    #[error(
        "record {number} is on chromosome {found}, and the first on {expected}: a panel is of one chromosome"
    )]
    Chromosome {
        /// Its number in the file, from 1.
        number: usize,
        /// Its chromosome.
        found: String,
        /// The first record's.
        expected: String,
    },
    /// A file that isn't what it should be.
    #[error("{place}: {what}")]
    Malformed {
        /// The file, and the record or line in it.
        place: String,
        /// What's wrong with it.
        what: String,
    },
    /// A file that can't be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file that can't be written.
    #[error("{}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Letters of another chromosome than the panel's.
    #[error(
        "chromosome {found} in the query's file, and {expected} in the panel: take a file that holds records of the panel's chromosome, under the same name"
    )]
    OtherChromosome {
        /// The query's.
        found: String,
        /// The panel's.
        expected: String,
    },
    /// Letters at other sites than the panel's.
    #[error(
        "{found} sites at position {position} in the query's file, and {expected} in the panel's window, of the REF and ALT that the panel has there: take files of the same reference and the same sites"
    )]
    OtherSites {
        /// The position.
        position: u64,
        /// The query's sites there.
        found: usize,
        /// The panel's sites there, within the window.
        expected: usize,
    },
    /// A query that doesn't lie within the panel's sites.
    #[error("a query of {letters} letters from site {start} on doesn't fit the panel's {sites} sites")]
    Window {
        /// The query's first site.
        start: usize,
        /// Its letters.
        letters: usize,
        /// The panel's sites.
        sites: usize,
    },
}

/// What is wrong with the genotypes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unusable {
    /// Other than one alternate allele.
    #[error("the record is not biallelic")]
    NotBiallelic,
    /// No genotypes, or not of every sample.
    #[error("a genotype is missing")]
    NoGenotypes,
    /// A genotype without one of its alleles.
    #[error("an allele of the genotype is missing")]
    MissingAllele,
    /// A genotype of more than two haplotypes.
    #[error("the genotype has more than two alleles")]
    Polyploid,
    /// A genotype whose alleles aren't assigned to haplotypes.
    #[error("the genotype is not phased")]
    NotPhased,
    /// An allele that isn't one of the site's two.
    #[error("the genotype has another allele than the two of the site")]
    UnknownAllele,
}
