//! The flags: the one definition that help, man page and completions come from.

mod bench;
mod genome;
mod keys;
mod program;
#[cfg(feature = "http")]
mod service;
mod triples;
mod values;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use self::values::{parse_seconds, parse_seed, parse_size};
pub(crate) use self::{
    bench::{BenchArgs, BenchName, VectorSchemeName},
    genome::{GenomeCommand, IndexArgs, QueryArgs, RecordsArgs},
    keys::{BackupArgs, KeysCommand, RestoreArgs},
    program::{
        DecryptArgs, EncryptArgs, EvaluateArgs, InspectArgs, KeygenArgs, PassphraseArgs, PlanArgs,
        PlanningArgs, ReencryptArgs, ResultsArgs, RunArgs, ShowingArgs,
    },
    triples::{ExportArgs, ExportFormat, GenerateArgs, TriplesCommand, VerifyArgs},
    values::WeightsFile,
};
#[cfg(feature = "http")]
pub(crate) use self::{
    genome::ServeArgs,
    service::{
        CreateTokenArgs, RemoteArgs, RemoteCommand, RemoteEncryptArgs, RemoteFetchArgs, RemoteJobArgs,
        RemoteRunArgs, RemoteSubmitArgs, RevokeTokenArgs, ServiceArgs, TlsArgs, TokenStoreArgs,
        TokensCommand,
    },
};

/// Computes on encrypted data. You write the function; asanoha chooses the scheme and its parameters, computes encrypted, and reports
/// what it cost.
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
    /// Print one JSON object on stdout, and nothing else
    ///
    /// Exact results that a JSON number can't hold exactly for every reader are strings: decimal digits, or a fraction p/q.
    #[arg(long, global = true, help_heading = "Results")]
    pub(crate) json: bool,
    /// Threads to compute on [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Stop after so many seconds, and don't begin an evaluation that is predicted to take longer
    #[arg(long, global = true, value_name = "SECONDS", value_parser = parse_seconds, hide_short_help = true)]
    pub(crate) max_seconds: Option<f64>,
    /// Stop at so much memory, such as 4GiB, and don't begin an evaluation that is predicted to need more
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size, hide_short_help = true)]
    pub(crate) max_memory: Option<u64>,
    /// Derive all randomness from up to 64 hex digits, for tests; needs --insecure
    ///
    /// Results are reproducible, and secrets are not secret.
    #[arg(long, global = true, value_name = "HEX", value_parser = parse_seed, hide_short_help = true)]
    pub(crate) seed: Option<[u8; 32]>,
    /// Allow --seed, files made with it, and parameters below 128 bits: secrets are not secret
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) insecure: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan, make keys, encrypt, evaluate and decrypt in one process, and compare with the plain computation
    Run(RunArgs),
    /// Choose a scheme and its parameters for a program, and predict the cost
    Plan(PlanArgs),
    /// Generate the keys of a plan
    Keygen(KeygenArgs),
    /// Back up and restore what only the client has
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Encrypt the columns that a plan needs
    Encrypt(EncryptArgs),
    /// Evaluate a plan on encrypted columns; needs no secret key
    Evaluate(EvaluateArgs),
    /// Decrypt the results of a plan
    Decrypt(DecryptArgs),
    /// Put inputs or results under the keys that replaced theirs; needs no secret key
    ///
    /// `asanoha keygen --rotate` makes the key for it. Columns are then evaluated, and results decrypted, with the new keys.
    Reencrypt(ReencryptArgs),
    /// Describe a file from its header
    ///
    /// Only the header is read: damage to the rest of the file is not detected.
    Inspect(InspectArgs),
    /// Compute what clients submit over HTTPS until stopped
    ///
    /// --max-seconds and --max-memory limit each job and the memory of all.
    #[cfg(feature = "http")]
    Serve(ServiceArgs),
    /// Make, list and revoke the tokens of a server's clients
    #[cfg(feature = "http")]
    #[command(subcommand)]
    Tokens(TokensCommand),
    /// Have a server evaluate what is encrypted and decrypted here
    #[cfg(feature = "http")]
    #[command(subcommand)]
    Remote(RemoteCommand),
    /// Generate, verify and export matrix triples for multi-party computation
    #[command(subcommand)]
    Triples(TriplesCommand),
    /// Search a panel of haplotypes with encrypted queries
    #[command(subcommand)]
    Genome(GenomeCommand),
    /// Measure on this machine, on one thread by default
    Bench(BenchArgs),
    /// Print the processor, the kernels and the version
    Info,
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the man page
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_flags_hold_together() {
        Arguments::command().debug_assert();
    }
}
