//! The other side: sends keys and inputs, submits jobs, and fetches results.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use asanoha_http::{Endpoint, HttpError, Kind};
use axum::http::HeaderValue;
use thiserror::Error;

use super::handlers::{IDEMPOTENCY_KEY, MOST_WAIT_S};
use crate::{
    Announcement, Begun, ContentKind, ContentView, Digest, IdempotencyKey, JobId, JobState, JobView,
    Submission, UploadView,
};

/// The largest plan.
const MAX_PLAN: u64 = 64 << 20;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why a service gives nothing.
#[derive(Debug, Error)]
pub enum RemoteError {
    /// The exchange failed, or the server refused.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// A file of this machine.
    #[error("{}: cannot be read or written: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file that changed while it was sent.
    #[error("{}: it changed while it was sent: send it again", .0.display())]
    Changed(PathBuf),
    /// A job that failed.
    #[error("{url}: job {job} failed: {message}")]
    Failed {
        /// The server.
        url: String,
        /// The job.
        job: JobId,
        /// What the server says.
        message: String,
    },
    /// A job that was cancelled.
    #[error("{url}: job {job} was cancelled")]
    Cancelled {
        /// The server.
        url: String,
        /// The job.
        job: JobId,
    },
    /// Results with another digest than the server says.
    #[error("{url}: the results of job {job} were damaged on their way: fetch them again")]
    Damaged {
        /// The server.
        url: String,
        /// The job.
        job: JobId,
    },
}

/// A file that a server holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// What the server knows of it.
    pub content: ContentView,
    /// The bytes that were sent now: none if the server held it.
    pub sent_bytes: u64,
}

/// Results that were fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched {
    /// The job.
    pub job: JobView,
    /// The bytes of the file.
    pub bytes: u64,
}

/// Tells how many bytes of how many are done.
pub type Tell<'t> = &'t dyn Fn(u64, u64);

/// A client of a service. Broken connections are made again, and what was sent isn't sent again, for as long as its patience.
#[derive(Debug)]
pub struct RemoteClient {
    endpoint: Endpoint,
    patience: Duration,
    pause: fn(Duration),
}

impl RemoteClient {
    /// A client that tries again for so long after each success.
    pub fn new(endpoint: Endpoint, patience: Duration) -> Self {
        Self { endpoint, patience, pause: std::thread::sleep }
    }

    /// With another way to pass time, for tests.
    #[doc(hidden)]
    pub fn with_pause(self, pause: fn(Duration)) -> Self {
        Self { pause, ..self }
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        self.endpoint.url()
    }

    /// Tries until it succeeds, is refused for good, or the patience ends.
    fn try_again<T>(&self, mut attempt: impl FnMut() -> Result<T, RemoteError>) -> Result<T, RemoteError> {
        let begun = Instant::now();
        let mut waited = Duration::ZERO;
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match attempt() {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let RemoteError::Http(http) = &error else { return Err(error) };
            let wait = match http {
                HttpError::Broken { .. } | HttpError::Unreachable { .. } => pause,
                HttpError::Refused { refusal, .. } => match refusal.kind {
                    Kind::Busy | Kind::TooMany | Kind::TooSlow => http.retry_after().unwrap_or(pause),
                    _ => return Err(error),
                },
                _ => return Err(error),
            };
            waited += wait;
            if waited.max(begun.elapsed()) > self.patience {
                return Err(error);
            }
            (self.pause)(wait);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// The text of a plan.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn plan(&self, plan: &Digest) -> Result<Vec<u8>, RemoteError> {
        self.try_again(|| {
            let answer = self.endpoint.get(&format!("/v1/plans/{plan}")).call()?;
            Ok(answer.bytes(MAX_PLAN)?)
        })
    }

    /// Sends keys or inputs for a plan, unless the server holds them; after a broken connection only what is missing.
    ///
    /// # Errors
    /// [`RemoteError::Http`], [`RemoteError::File`], [`RemoteError::Changed`].
    pub fn send(
        &self,
        kind: ContentKind,
        plan: Digest,
        path: &Path,
        tell: Tell<'_>,
    ) -> Result<Sent, RemoteError> {
        let at = |error| RemoteError::File { path: path.to_owned(), error };
        let mut hasher = blake3::Hasher::new();
        let mut file = File::open(path).map_err(at)?;
        hasher.update_reader(&mut file).map_err(at)?;
        let announced = Announcement { kind, plan, digest: hasher.finalize().into(), bytes: hasher.count() };
        let mut sent_bytes = 0;
        let content = self.try_again(|| {
            let begun = self.endpoint.post("/v1/uploads").send_json(&announced)?;
            let UploadView { id, stored_bytes, bytes } = match begun.json()? {
                Begun::Complete(content) => return Ok(content),
                Begun::Upload(upload) => upload,
            };
            tell(stored_bytes, bytes);
            file.seek(SeekFrom::Start(stored_bytes)).map_err(at)?;
            let mut source = Telling { file: &file, done: stored_bytes, bytes, tell };
            let exchange = self.endpoint.put(&format!("/v1/uploads/{id}?offset={stored_bytes}"));
            let answer = exchange.doing("sending a file").send_reader(&mut source, bytes - stored_bytes);
            sent_bytes += source.done - stored_bytes;
            match answer {
                Ok(answer) => Ok(answer.json()?),
                Err(HttpError::Source(_)) => Err(RemoteError::Changed(path.to_owned())),
                Err(error) => Err(error.into()),
            }
        })?;
        Ok(Sent { content, sent_bytes })
    }

    /// Submits a job. With the same idempotency key it's accepted once, however often it's submitted.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn submit(&self, submission: &Submission, key: &IdempotencyKey) -> Result<JobView, RemoteError> {
        let key = HeaderValue::from_str(&key.to_string()).expect("printable characters");
        self.try_again(|| {
            let exchange = self.endpoint.post("/v1/jobs").header(IDEMPOTENCY_KEY, key.clone());
            Ok(exchange.doing("submitting a job").send_json(submission)?.json()?)
        })
    }

    /// How a job stands, at once or when it has ended or some seconds have passed.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn job(&self, job: &JobId, wait: Duration) -> Result<JobView, RemoteError> {
        let wait = wait.as_secs().min(MOST_WAIT_S);
        self.try_again(|| {
            let exchange = self.endpoint.get(&format!("/v1/jobs/{job}?wait={wait}"));
            Ok(exchange.doing("waiting for a job").call()?.json()?)
        })
    }

    /// Waits until a job has results; tells how it stands meanwhile.
    ///
    /// # Errors
    /// [`RemoteError::Http`], [`RemoteError::Failed`], [`RemoteError::Cancelled`].
    pub fn wait(&self, job: &JobId, tell: &dyn Fn(&JobView)) -> Result<JobView, RemoteError> {
        let mut wait = Duration::ZERO;
        loop {
            let view = self.job(job, wait)?;
            tell(&view);
            let url = self.url().to_owned();
            match &view.state {
                JobState::Done { .. } => return Ok(view),
                JobState::Failed { message } => {
                    // It comes from outside, and goes to a terminal.
                    let message = message.chars().filter(|c| !c.is_control()).take(500).collect();
                    return Err(RemoteError::Failed { url, job: *job, message });
                }
                JobState::Cancelled => return Err(RemoteError::Cancelled { url, job: *job }),
                JobState::Waiting { .. } | JobState::Running { .. } => wait = Duration::from_secs(2),
            }
        }
    }

    /// Cancels a job.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn cancel(&self, job: &JobId) -> Result<JobView, RemoteError> {
        self.try_again(|| {
            Ok(self
                .endpoint
                .post(&format!("/v1/jobs/{job}/cancel"))
                .doing("cancelling a job")
                .call()?
                .json()?)
        })
    }

    /// Waits for a job, and writes its results to a file, at most so many bytes; after a broken connection only what is missing.
    ///
    /// # Errors
    /// Those of [`Self::wait`]; [`RemoteError::File`], [`RemoteError::Damaged`].
    pub fn fetch(
        &self,
        job: &JobId,
        (file, path): (&mut File, &Path),
        most: u64,
        (tell_job, tell): (&dyn Fn(&JobView), Tell<'_>),
    ) -> Result<Fetched, RemoteError> {
        let at = |error| RemoteError::File { path: path.to_owned(), error };
        let view = self.wait(job, tell_job)?;
        let JobState::Done { bytes, digest, .. } = view.state else { unreachable!("it has results") };
        if bytes > most {
            return Err(RemoteError::Http(self.endpoint.wrong("has more results than such a plan gives")));
        }
        let mut hasher = blake3::Hasher::new();
        let mut stored = 0;
        self.try_again(|| {
            file.seek(SeekFrom::Start(stored)).map_err(at)?;
            let exchange = self.endpoint.get(&format!("/v1/jobs/{job}/results?offset={stored}"));
            let answer = exchange.doing("fetching results").call()?;
            let mut sink = Sink { file: &mut *file, hasher: &mut hasher, stored: &mut stored, bytes, tell };
            let missing = bytes - *sink.stored;
            match answer.write_to(&mut sink, missing) {
                Err(HttpError::Sink(error)) => Err(at(error)),
                other => Ok(other.map(drop)?),
            }
        })?;
        if stored != bytes || Digest::from(hasher.finalize()) != digest {
            return Err(RemoteError::Damaged { url: self.url().to_owned(), job: *job });
        }
        Ok(Fetched { job: view, bytes })
    }
}

/// A file that tells how much of it was read.
struct Telling<'f> {
    file: &'f File,
    done: u64,
    bytes: u64,
    tell: Tell<'f>,
}

impl Read for Telling<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.done += count as u64;
        (self.tell)(self.done, self.bytes);
        Ok(count)
    }
}

/// A file that is hashed while it's written.
struct Sink<'f> {
    file: &'f mut File,
    hasher: &'f mut blake3::Hasher,
    stored: &'f mut u64,
    bytes: u64,
    tell: Tell<'f>,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        *self.stored += count as u64;
        (self.tell)(*self.stored, self.bytes);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
