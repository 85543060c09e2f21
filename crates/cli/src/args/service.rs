//! The flags of `asanoha serve`, of its tokens and of its clients.

use std::{net::SocketAddr, path::PathBuf};

use asanoha::service::{ClientName, IdempotencyKey, JobId, TokenId};
use clap::{Args, Subcommand};

use super::{
    PassphraseArgs,
    program::{CellArgs, EncryptArgs, ResultsArgs},
    values::{parse_canaries, parse_days, parse_size, parse_statistical_bits},
};

/// The certificate of a server.
#[derive(Debug, Args)]
pub(crate) struct TlsArgs {
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
}

#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// Folder of the plans that are served: its files that end in .json
    #[arg(long, value_name = "DIR")]
    pub(crate) plans: PathBuf,
    /// Folder for keys, inputs, jobs and results; one server at a time has it open
    #[arg(long, value_name = "DIR")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Folder `javascript` of the repository, after `cargo xtask wasm`: its page for browsers is served at the server's address,
    /// without a token
    #[arg(long, value_name = "DIR")]
    pub(crate) page: Option<PathBuf>,
    /// How many jobs are computed at the same time, each on all threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) workers: u16,
    /// The most jobs that wait
    #[arg(long, value_name = "N", default_value = "256", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) queue: u32,
    /// The most jobs of a client that wait or run
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) client_queue: u32,
    /// The most bytes of all clients
    #[arg(long, value_name = "SIZE", default_value = "100GiB", value_parser = parse_size)]
    pub(crate) store_size: u64,
    /// The most bytes of a client
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = parse_size)]
    pub(crate) client_size: u64,
    /// How many days keys are kept after their last use
    #[arg(long, value_name = "DAYS", default_value = "30", value_parser = parse_days)]
    pub(crate) keep_keys: u32,
    /// How many days inputs are kept after their last use, and results after the end of their job
    #[arg(long, value_name = "DAYS", default_value = "7", value_parser = parse_days)]
    pub(crate) keep_results: u32,
    /// How many seconds a stopped server goes on with requests and jobs that are under way; later ones wait for the next start
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub(crate) grace: u64,
    /// Write the log as JSON, an object a line
    #[arg(long)]
    pub(crate) log_json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokensCommand {
    /// Make a token for a client, and print it once
    Create(CreateTokenArgs),
    /// List the tokens, without their secrets
    List(TokenStoreArgs),
    /// Revoke a token; jobs and files of its client stay
    Revoke(RevokeTokenArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TokenStoreArgs {
    /// Folder of the server's store; the server may run meanwhile
    #[arg(long, value_name = "DIR")]
    pub(crate) store: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CreateTokenArgs {
    /// The client's name: tokens of one name see the same files and jobs
    #[arg(value_name = "CLIENT")]
    pub(crate) client: ClientName,
    #[command(flatten)]
    pub(crate) store: TokenStoreArgs,
    /// How many days it's accepted [default: for ever]
    #[arg(long, value_name = "DAYS", value_parser = parse_days)]
    pub(crate) days: Option<u32>,
    /// Write the token to a file of its owner alone, instead of printing it
    #[arg(long, value_name = "F")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RevokeTokenArgs {
    /// The token's identifier, as the list has it
    #[arg(value_name = "ID")]
    pub(crate) token: TokenId,
    #[command(flatten)]
    pub(crate) store: TokenStoreArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RemoteCommand {
    /// Encrypt columns, have them evaluated by a server, and decrypt the results here
    Run(RemoteRunArgs),
    /// Encrypt columns as `asanoha encrypt`, and send them and the evaluation keys to a server
    Encrypt(RemoteEncryptArgs),
    /// Submit a job on encrypted columns, which are sent if the server doesn't hold them
    Submit(RemoteSubmitArgs),
    /// Wait for a job, and write its encrypted results to a file
    Fetch(RemoteFetchArgs),
    /// Cancel a job
    Cancel(RemoteJobArgs),
}

/// A server, and who asks.
#[derive(Debug, Args)]
pub(crate) struct RemoteArgs {
    /// The server's address: https://HOST:PORT, or http://127.0.0.1:PORT on this machine
    #[arg(long, value_name = "URL")]
    pub(crate) server: String,
    /// File with the token [default: the variable ASANOHA_TOKEN]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// The certificate to trust, as PEM [default: public authorities]
    #[arg(long, value_name = "F.pem")]
    pub(crate) certificate: Option<PathBuf>,
    /// How many seconds to wait in all for a server that is busy or can't be reached
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    pub(crate) patience: u64,
}

#[derive(Debug, Args)]
pub(crate) struct RemoteRunArgs {
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    /// Plan, which the server has too
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// Folder of the keys
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    #[command(flatten)]
    pub(crate) passphrase: PassphraseArgs,
    /// Data to encrypt; `-` is the standard input
    #[arg(long, value_name = "F.csv")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) cells: CellArgs,
    /// Insert K copies of random rows, whose results are checked and removed, as `asanoha encrypt`
    #[arg(long, value_name = "K", value_parser = parse_canaries)]
    pub(crate) canaries: Option<usize>,
    /// Add noise to CKKS results that are shown to others, as `asanoha decrypt`
    #[arg(long, value_name = "BITS", value_parser = parse_statistical_bits)]
    pub(crate) publish: Option<u32>,
    /// Compare exact results with the plain computation on the data, so that they can be shown
    #[arg(long, conflicts_with = "trust_server")]
    pub(crate) compare: bool,
    /// Answer for the server: show results that nobody checked, as `asanoha decrypt`
    #[arg(long)]
    pub(crate) trust_server: bool,
    /// The most seconds to wait for the job's end
    #[arg(long, value_name = "SECONDS", default_value = "86400")]
    pub(crate) max_wait: u64,
    #[command(flatten)]
    pub(crate) out: ResultsArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RemoteEncryptArgs {
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    #[command(flatten)]
    pub(crate) encrypt: EncryptArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RemoteSubmitArgs {
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    /// Plan, which the server has too
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// Folder of the keys; only the evaluation keys are read
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// Encrypted columns
    #[arg(long = "in", value_name = "F")]
    pub(crate) input: PathBuf,
    /// Names the job: the same text gives the same job, however often it's submitted [default: the digest of the columns]
    #[arg(long, value_name = "TEXT")]
    pub(crate) idempotency_key: Option<IdempotencyKey>,
}

#[derive(Debug, Args)]
pub(crate) struct RemoteFetchArgs {
    #[command(flatten)]
    pub(crate) job: RemoteJobArgs,
    /// Plan of the job, which says how many bytes its results have at most
    #[arg(long, value_name = "P")]
    pub(crate) plan: PathBuf,
    /// The most seconds to wait for the job's end
    #[arg(long, value_name = "SECONDS", default_value = "86400")]
    pub(crate) max_wait: u64,
    /// File for the encrypted results
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RemoteJobArgs {
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    /// The job, as `asanoha remote submit` names it
    #[arg(value_name = "JOB")]
    pub(crate) job: JobId,
}
