//! The flags of `genome`.

use std::path::PathBuf;

use asanoha::genome::panel::{Policy, SitesDigest};
use clap::{Args, Subcommand};

use super::values::{parse_ring_degree, parse_sites_digest};

#[derive(Debug, Subcommand)]
pub(crate) enum GenomeCommand {
    /// Write a panel of phased VCF, bgzipped VCF or BCF as an index, which is read at once
    Index(IndexArgs),
    /// Ask how many letters of each haplotype of a VCF agree with some haplotype of a panel, and with how many
    Query(QueryArgs),
    /// Answer encrypted queries over HTTPS until stopped
    #[cfg(feature = "http")]
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
    /// Leave out the panel's records that don't have genotypes of two alleles, phased where these differ [default: refuse the
    /// file]
    #[arg(long)]
    pub(crate) skip_unusable: bool,
}

impl RecordsArgs {
    pub(crate) fn policy(&self) -> Policy {
        if self.skip_unusable { Policy::Skip } else { Policy::Refuse }
    }
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
    #[arg(long, value_name = "F.pem", requires = "server", conflicts_with = "local")]
    pub(crate) certificate: Option<PathBuf>,
    /// A folder for the client's keys, made if it isn't there: later queries of as many letters find their secret key in it, so
    /// that hundreds of megabytes of evaluation keys are sent once and not every time. Nobody else may read the secret key
    #[arg(long, value_name = "DIR", requires = "server", conflicts_with = "local")]
    pub(crate) keys: Option<PathBuf>,
    /// The panel's sites, from a file that you trust: VCF, bgzipped VCF or BCF, with or without the panel's samples, or an index. A
    /// server that asks for other sites is refused, and nothing of ME is sent
    #[arg(long, value_name = "FILE", requires = "server", conflicts_with_all = ["accept_sites", "local"])]
    pub(crate) sites: Option<PathBuf>,
    /// Accept the sites that the server asks for, by their digest: a call without this flag shows it. The folder of --keys remembers it
    #[arg(long, value_name = "DIGEST", requires = "server", conflicts_with = "local", value_parser = parse_sites_digest)]
    pub(crate) accept_sites: Option<SitesDigest>,
    /// Whose haplotypes are asked for: VCF, bgzipped VCF or BCF, with the panel's sites of the window and whatever others, of
    /// other chromosomes too
    #[arg(long, value_name = "ME")]
    pub(crate) vcf: PathBuf,
    /// One haplotype of ME. They are counted from 0 through all samples: two a sample, and one of a sample that is haploid at all
    /// sites of the window. Answers name haplotypes by the same numbers [default: all]
    #[arg(long, value_name = "K")]
    pub(crate) haplotype: Option<usize>,
    /// The first site. The panel's sites are counted from 0, those of records that are left out not included
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

#[cfg(feature = "http")]
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The index of the panel
    #[arg(long, value_name = "F")]
    pub(crate) index: PathBuf,
    #[command(flatten)]
    pub(crate) tls: super::TlsArgs,
    /// The most letters of a query
    #[arg(long, value_name = "L", default_value = "1024")]
    pub(crate) most_letters: usize,
    /// How many queries and keys a client may send in an hour. A client is an IPv4 address, or the first 64 bits of an IPv6 address
    #[arg(long, value_name = "COUNT", default_value = "1000")]
    pub(crate) requests: u32,
    /// How many seconds the server computes for a client in an hour
    #[arg(long, value_name = "SECONDS", default_value = "900")]
    pub(crate) client_seconds: u64,
    /// How many seconds the server computes for all clients in an hour
    #[arg(long, value_name = "SECONDS", default_value = "3600")]
    pub(crate) total_seconds: u64,
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
