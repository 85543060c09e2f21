//! Why a request isn't served.

use std::time::Duration;

use asanoha_runtime::execute::ExecuteError;
use thiserror::Error;

use crate::{ContentKind, Digest, IdempotencyKey, JobId, NameError, StoreError, TokenError, UploadId};

/// What kind of refusal it is, from which an interface takes its status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The request isn't one.
    Malformed,
    /// Its token isn't accepted.
    Unauthorised,
    /// What it names isn't there, or is another client's.
    Unknown,
    /// It contradicts an earlier one.
    Conflict,
    /// It has more bytes than are accepted.
    TooLarge,
    /// Its contents can't be used.
    Unusable,
    /// The client, or all clients together, have as much as they may have: later it may succeed.
    Busy,
    /// The service is about to stop.
    Stopping,
    /// The service's disk or its journal fails.
    Storage,
}

/// Whose limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That of the client.
    Client,
    /// That of all clients together.
    All,
}

impl std::fmt::Display for Whose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Client => "you have",
            Self::All => "all clients together have",
        })
    }
}

/// Why a request isn't served. [`RequestError::for_client`] is the message without paths of the server.
#[derive(Debug, Error)]
pub enum RequestError {
    /// A name that isn't one.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A token that isn't accepted.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A plan that isn't served.
    #[error(
        "no plan {0} is served here: take one of this service's plans, or ask its operator to serve yours"
    )]
    UnknownPlan(Digest),
    /// No such upload, or another client's.
    #[error("there is no upload {0}: it's complete, it has expired, or it never began; begin it again")]
    UnknownUpload(UploadId),
    /// No such file, or another client's.
    #[error(
        "no {kind} {digest} are registered for plan {plan}: they have expired, or were never sent; send them"
    )]
    UnknownContent {
        /// What it is.
        kind: ContentKind,
        /// The plan that it's for.
        plan: Digest,
        /// Its digest.
        digest: Digest,
    },
    /// No such job, or another client's.
    #[error("there is no job {0}: it has expired, or was never submitted")]
    UnknownJob(JobId),
    /// A job without results.
    #[error("job {job} has no results: it {state}")]
    NoResult {
        /// The job.
        job: JobId,
        /// How it stands.
        state: String,
    },
    /// A job that hasn't ended.
    #[error("job {0} hasn't ended: cancel it, or wait for its end, then remove it")]
    NotOver(JobId),
    /// A file that is longer than any of its kind may be.
    #[error("{kind} of {bytes} bytes are more than the {limit} that one file may have here")]
    TooLarge {
        /// What it is.
        kind: ContentKind,
        /// Its bytes.
        bytes: u64,
        /// The most bytes.
        limit: u64,
    },
    /// A file of no bytes.
    #[error("a file of no bytes is no file of {0}")]
    Empty(ContentKind),
    /// No space for a file.
    #[error(
        "{whose} {used} bytes stored here of at most {limit}, and {bytes} more don't fit: remove keys, inputs or finished jobs"
    )]
    Quota {
        /// Whose limit is reached.
        whose: Whose,
        /// The bytes of the file.
        bytes: u64,
        /// The bytes that are stored.
        used: u64,
        /// The most bytes.
        limit: u64,
    },
    /// Too many uploads at a time.
    #[error(
        "you have {limit} uploads that aren't complete, the most that you may have: complete or abandon one"
    )]
    TooManyUploads {
        /// The most uploads.
        limit: usize,
    },
    /// Too many files.
    #[error(
        "you have {limit} files of keys and inputs, the most that you may have: remove those that aren't used"
    )]
    TooManyFiles {
        /// The most files.
        limit: usize,
    },
    /// Another request that sends to the same upload.
    #[error(
        "another request sends to upload {0} right now: wait until it ends, then ask for the offset again"
    )]
    UploadBusy(UploadId),
    /// Bytes that don't follow on those that are stored.
    #[error("upload {upload} has {stored} bytes, and these begin at {offset}: send those from {stored} on")]
    Offset {
        /// The upload.
        upload: UploadId,
        /// The bytes that are stored.
        stored: u64,
        /// Where these begin.
        offset: u64,
    },
    /// More bytes than were announced.
    #[error("upload {upload} was announced with {bytes} bytes, and more were sent: those beyond are dropped")]
    TooLong {
        /// The upload.
        upload: UploadId,
        /// The bytes that were announced.
        bytes: u64,
    },
    /// Fewer bytes than were announced.
    #[error("upload {upload} has {stored} of its {bytes} bytes: send the others, from {stored} on")]
    Incomplete {
        /// The upload.
        upload: UploadId,
        /// The bytes that are stored.
        stored: u64,
        /// The bytes that were announced.
        bytes: u64,
    },
    /// Other bytes than were announced.
    #[error(
        "what was sent has the digest {found}, and {announced} was announced: it's removed, send it again"
    )]
    OtherDigest {
        /// The digest that was announced.
        announced: Digest,
        /// The digest of what was sent.
        found: Digest,
    },
    /// A file that can't be used with its plan.
    #[error("these {kind} can't be used: {problem}")]
    Unusable {
        /// What it is.
        kind: ContentKind,
        /// What's wrong with it.
        problem: String,
    },
    /// Keys and inputs that don't belong together.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// A file that is needed.
    #[error("these {0} are needed by a job that waits or runs: wait for it, or cancel it")]
    InUse(ContentKind),
    /// The same idempotency key for another job.
    #[error(
        "the idempotency key \"{key}\" is that of job {job}, which has another plan, keys or inputs: take another key"
    )]
    OtherSubmission {
        /// The idempotency key.
        key: IdempotencyKey,
        /// The job.
        job: JobId,
    },
    /// A job that takes too long.
    #[error(
        "the job is predicted to take {predicted_s:.1} s, and at most {limit_s:.1} s are granted: submit fewer rows"
    )]
    TooSlow {
        /// Predicted seconds.
        predicted_s: f64,
        /// The most seconds.
        limit_s: f64,
    },
    /// A job that takes too much memory.
    #[error(
        "the job is predicted to need {predicted} bytes of memory, and at most {limit} are granted: submit fewer rows"
    )]
    TooMuchMemory {
        /// Predicted bytes, with the keys left on the disk.
        predicted: u64,
        /// The most bytes.
        limit: u64,
    },
    /// The queue is full.
    #[error(
        "{whose} {limit} jobs that wait or run, the most that are accepted: submit it again in {wait_s} s"
    )]
    QueueFull {
        /// Whose limit is reached.
        whose: Whose,
        /// The most jobs.
        limit: usize,
        /// Predicted seconds until one more is accepted.
        wait_s: u64,
    },
    /// Too many finished jobs.
    #[error(
        "{limit} jobs of yours are remembered here, the most that are: remove finished ones, or wait {wait_s} s"
    )]
    TooManyJobs {
        /// The most jobs.
        limit: usize,
        /// Seconds until the next one expires.
        wait_s: u64,
    },
    /// The service is about to stop.
    #[error(
        "the service is about to stop: jobs that were accepted go on after its start, submit others then"
    )]
    Stopping,
    /// The service's disk or its journal fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RequestError {
    /// What kind of refusal it is.
    pub fn kind(&self) -> RefusalKind {
        match self {
            Self::Name(_) | Self::Empty(_) => RefusalKind::Malformed,
            Self::Token(TokenError::Unknown | TokenError::Expired { .. }) => RefusalKind::Unauthorised,
            Self::UnknownPlan(_)
            | Self::UnknownUpload(_)
            | Self::UnknownContent { .. }
            | Self::UnknownJob(_)
            | Self::NoResult { .. } => RefusalKind::Unknown,
            Self::UploadBusy(_)
            | Self::Offset { .. }
            | Self::Incomplete { .. }
            | Self::InUse(_)
            | Self::NotOver(_)
            | Self::OtherSubmission { .. } => RefusalKind::Conflict,
            Self::TooLarge { .. } | Self::TooLong { .. } | Self::Quota { whose: Whose::Client, .. } => {
                RefusalKind::TooLarge
            }
            Self::OtherDigest { .. }
            | Self::Unusable { .. }
            | Self::Execute(_)
            | Self::TooSlow { .. }
            | Self::TooMuchMemory { .. } => RefusalKind::Unusable,
            Self::TooManyUploads { .. }
            | Self::TooManyFiles { .. }
            | Self::QueueFull { .. }
            | Self::TooManyJobs { .. } => RefusalKind::Busy,
            Self::Stopping => RefusalKind::Stopping,
            Self::Quota { whose: Whose::All, .. } | Self::Token(_) | Self::Store(_) => RefusalKind::Storage,
        }
    }

    /// What the client is told: the message, without paths of the server.
    pub fn for_client(&self) -> String {
        match self {
            Self::Store(error) => format!("{}: try again later", error.for_clients()),
            Self::Token(error @ (TokenError::Unknown | TokenError::Expired { .. })) => error.to_string(),
            Self::Token(_) => "the server can't read its tokens: try again later".to_owned(),
            _ => self.to_string(),
        }
    }

    /// After what time the same request may succeed, where that's known.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::QueueFull { wait_s, .. } | Self::TooManyJobs { wait_s, .. } => {
                Some(Duration::from_secs(*wait_s))
            }
            _ => None,
        }
    }
}
