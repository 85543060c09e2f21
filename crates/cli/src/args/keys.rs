//! The flags of `asanoha keys`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::PassphraseArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Write what only the client has to one file: the secret key, the public key and the records beside them
    ///
    /// Evaluation keys are left out: the server has them.
    Backup(BackupArgs),
    /// Write the files of a backup to a new folder of keys
    Restore(RestoreArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// Folder of the keys
    #[arg(long, value_name = "DIR")]
    pub(crate) keys: PathBuf,
    /// File for the backup
    #[arg(long, value_name = "F")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) passphrase: PassphraseArgs,
    /// Leave the backup of a readable secret key readable for its owner
    #[arg(long, conflicts_with = "passphrase_file")]
    pub(crate) no_passphrase: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Backup
    #[arg(value_name = "F")]
    pub(crate) file: PathBuf,
    /// Folder for the keys, without any
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) passphrase: PassphraseArgs,
}
