//! What stands in the journal.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{ClientName, ContentKind, Digest, IdempotencyKey, JobId};

/// What an uploaded file is, and its digest. The same file of two clients is two files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContentName {
    pub(crate) client: ClientName,
    pub(crate) kind: ContentKind,
    pub(crate) plan: Digest,
    pub(crate) digest: Digest,
}

impl fmt::Display for ContentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, kind, plan, digest } = self;
        write!(f, "{client}/{kind}/{plan}/{digest}")
    }
}

impl FromStr for ContentName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [client, kind, plan, digest] =
            text.split('/').collect::<Vec<_>>().try_into().map_err(|_| "it isn't of four parts")?;
        let kind = match kind {
            "keys" => ContentKind::Keys,
            "inputs" => ContentKind::Inputs,
            _ => return Err("it's of an unknown kind".to_owned()),
        };
        let words = |error: crate::NameError| error.to_string();
        Ok(Self {
            client: client.parse().map_err(words)?,
            kind,
            plan: plan.parse().map_err(words)?,
            digest: digest.parse().map_err(words)?,
        })
    }
}

/// An upload that isn't complete.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadRecord {
    pub(crate) client: ClientName,
    pub(crate) kind: ContentKind,
    pub(crate) plan: Digest,
    /// Of the complete file.
    pub(crate) digest: Digest,
    /// Of the complete file.
    pub(crate) bytes: u64,
    pub(crate) begun: u64,
}

impl UploadRecord {
    pub(crate) fn name(&self) -> ContentName {
        let &Self { kind, plan, digest, .. } = self;
        ContentName { client: self.client.clone(), kind, plan, digest }
    }
}

/// A complete file that was checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentRecord {
    /// The name of its file.
    pub(crate) blob: String,
    pub(crate) bytes: u64,
    /// Its key generation.
    pub(crate) key: String,
    /// Of keys: what they take in memory. Of inputs: what an evaluation of them is predicted to take, keys included.
    pub(crate) memory_bytes: u64,
    pub(crate) used: u64,
}

/// The end of a job, or where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum StateRecord {
    Waiting,
    Running,
    Done {
        /// The name of the file of results.
        blob: String,
        bytes: u64,
        digest: Digest,
        seconds: f64,
    },
    Failed {
        message: String,
    },
    Cancelled,
}

impl StateRecord {
    pub(crate) fn is_over(&self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobRecord {
    pub(crate) client: ClientName,
    /// Its place in the order of arrival.
    pub(crate) number: u64,
    pub(crate) plan: Digest,
    pub(crate) keys: Digest,
    pub(crate) inputs: Digest,
    pub(crate) idempotency: Option<IdempotencyKey>,
    pub(crate) state: StateRecord,
    /// How often it was begun.
    pub(crate) attempts: u32,
    /// Whether its client cancelled it while it ran.
    pub(crate) is_cancelled: bool,
    /// Why its last attempt has no end, where that's known.
    pub(crate) trouble: Option<String>,
    pub(crate) predicted_s: f64,
    /// Whether its keys stay on the disk.
    pub(crate) low_memory: bool,
    pub(crate) submitted: u64,
    pub(crate) started: Option<u64>,
    pub(crate) ended: Option<u64>,
}

impl JobRecord {
    /// The names of its keys and of its inputs.
    pub(crate) fn contents(&self) -> [ContentName; 2] {
        let name = |kind, digest| ContentName { client: self.client.clone(), kind, plan: self.plan, digest };
        [name(ContentKind::Keys, self.keys), name(ContentKind::Inputs, self.inputs)]
    }

    /// The bytes of its results.
    pub(crate) fn bytes(&self) -> u64 {
        if let StateRecord::Done { bytes, .. } = self.state { bytes } else { 0 }
    }
}

/// A job's name in the journal.
pub(crate) fn job_name(text: &str) -> Result<JobId, String> {
    text.parse().map_err(|error: crate::NameError| error.to_string())
}

/// The name of a client's idempotency key in the journal.
pub(crate) fn key_name(client: &ClientName, key: &IdempotencyKey) -> String {
    format!("{client}/{key}")
}

/// What stands before the names of a client's jobs that have ended. They follow in the order of their ends.
pub(crate) fn ends_of(client: &ClientName) -> String {
    format!("{client}/")
}

/// The name of a job that has ended, in the order of ends.
pub(super) fn end_name(client: &ClientName, ended: u64, id: &JobId) -> String {
    format!("{}{ended:020}/{id}", ends_of(client))
}

/// When a job ended, and which, from its name in the order of ends.
pub(crate) fn end(name: &str) -> Option<(u64, JobId)> {
    let (_, name) = name.split_once('/')?;
    let (ended, id) = name.split_once('/')?;
    Some((ended.parse().ok()?, id.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ended_jobs_are_in_the_order_of_their_ends() {
        let client: ClientName = "a.b-c".parse().unwrap();
        let id = JobId::from([7; 16]);
        let names = [0, 9, 10, u64::MAX].map(|ended| end_name(&client, ended, &id));
        assert!(names.is_sorted(), "{names:?}");
        assert!(names.iter().all(|name| name.starts_with(&ends_of(&client))));
        assert_eq!(names.map(|name| end(&name).unwrap()), [0, 9, 10, u64::MAX].map(|ended| (ended, id)));
        assert_eq!(end("a.b-c/9"), None);
    }
}
