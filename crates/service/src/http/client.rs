//! The other side: sends keys and inputs, submits jobs, and fetches results.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use asanoha_http::{Endpoint, HttpError, Kind};
use asanoha_runtime::text::without_steering;
use axum::http::HeaderValue;
use thiserror::Error;

use super::handlers::{IDEMPOTENCY_KEY, MOST_WAIT_S, PlanList};
use crate::{
    Announcement, Begun, ContentKind, ContentView, Digest, IdempotencyKey, JobId, JobState, JobView,
    PlanView, Submission, UploadView,
};

/// The largest plan.
const MAX_PLAN: u64 = 64 << 20;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The time that a request waits for a job, and that lies between two requests to a server that answers sooner.
const POLL: Duration = Duration::from_secs(2);
/// The most characters of a message about a failed job.
const MAX_MESSAGE: usize = 500;
/// How often a pause looks at whether it's to end.
const TICK: Duration = Duration::from_millis(50);
/// How long a server may take for an answer that needs no computation.
const ANSWER: Duration = Duration::from_mins(1);

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
    /// The caller stopped it ([`RemoteClient::with_stop`]).
    #[error("the exchange with the server was stopped")]
    Stopped,
    /// A job that has not ended in the time that the caller gives it.
    #[error("{url}: job {job} has not ended after {seconds} s and goes on: wait longer for it, or cancel it")]
    TooLong {
        /// The server.
        url: String,
        /// The job.
        job: JobId,
        /// The time.
        seconds: u64,
    },
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

/// The most that a client takes from a server, whatever this says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// The bytes of results: those that the plan gives.
    pub bytes: u64,
    /// The time until the job ends.
    pub time: Duration,
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
/// Clones share connections.
#[derive(Clone, Debug)]
pub struct RemoteClient {
    endpoint: Arc<Endpoint>,
    patience: Duration,
    pause: fn(Duration),
    stop: Arc<AtomicBool>,
}

impl RemoteClient {
    /// A client that tries again for so long after each success.
    pub fn new(endpoint: Endpoint, patience: Duration) -> Self {
        Self { endpoint: Arc::new(endpoint), patience, pause: std::thread::sleep, stop: Arc::default() }
    }

    /// With a flag that ends a call, which then fails with [`RemoteError::Stopped`]: at once while it pauses, else when the server
    /// next answers, takes or sends bytes.
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
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

    fn check_stop(&self) -> Result<(), RemoteError> {
        if self.stop.load(Ordering::Relaxed) { Err(RemoteError::Stopped) } else { Ok(()) }
    }

    fn rest(&self, time: Duration) -> Result<(), RemoteError> {
        let mut left = time;
        while !left.is_zero() {
            self.check_stop()?;
            let piece = left.min(TICK);
            (self.pause)(piece);
            left -= piece;
        }
        Ok(())
    }

    /// Tries until it succeeds, is refused for good, is stopped, or the patience ends.
    fn try_again<T>(&self, attempt: impl FnMut() -> Result<T, RemoteError>) -> Result<T, RemoteError> {
        self.try_again_after(&[], attempt)
    }

    /// As [`Self::try_again`], also after refusals of other kinds.
    fn try_again_after<T>(
        &self,
        kinds: &[Kind],
        mut attempt: impl FnMut() -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let begun = Instant::now();
        let mut waited = Duration::ZERO;
        let mut pause = FIRST_PAUSE;
        loop {
            self.check_stop()?;
            let error = match attempt() {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            self.check_stop()?;
            let RemoteError::Http(http) = &error else { return Err(error) };
            let wait = match http {
                HttpError::Broken { .. } | HttpError::Unreachable { .. } => pause,
                HttpError::Refused { refusal, .. } => match refusal.kind {
                    Kind::Busy | Kind::TooMany | Kind::TooSlow => {
                        http.retry_after().map_or(pause, |wait| wait.max(FIRST_PAUSE))
                    }
                    kind if kinds.contains(&kind) => pause,
                    _ => return Err(error),
                },
                _ => return Err(error),
            };
            waited = waited.saturating_add(wait);
            if waited.max(begun.elapsed()) > self.patience {
                return Err(error);
            }
            self.rest(wait)?;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// The plans that the server has.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn plans(&self) -> Result<Vec<PlanView>, RemoteError> {
        self.try_again(|| {
            let list: PlanList = self.endpoint.get("/v1/plans").within(ANSWER).call()?.json()?;
            Ok(list.plans)
        })
    }

    /// The text of a plan.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn plan(&self, plan: &Digest) -> Result<Vec<u8>, RemoteError> {
        self.try_again(|| {
            let answer = self.endpoint.get(&format!("/v1/plans/{plan}")).within(ANSWER).call()?;
            Ok(answer.bytes(MAX_PLAN)?)
        })
    }

    /// Sends a file of keys or inputs for a plan, unless the server holds it; after a broken connection only what is missing.
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
        let file = File::open(path).map_err(|error| RemoteError::File { path: path.to_owned(), error })?;
        self.send_from(kind, plan, (file, path), tell)
    }

    /// As [`RemoteClient::send`], from what is named as a file in messages.
    ///
    /// # Errors
    /// Those of [`RemoteClient::send`].
    pub fn send_from(
        &self,
        kind: ContentKind,
        plan: Digest,
        (mut file, path): (impl Read + Seek, &Path),
        tell: Tell<'_>,
    ) -> Result<Sent, RemoteError> {
        let at = |error| RemoteError::File { path: path.to_owned(), error };
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(&mut file).map_err(at)?;
        let announced = Announcement { kind, plan, digest: hasher.finalize().into(), bytes: hasher.count() };
        let mut sent_bytes = 0;
        // The server may not have noticed yet that the last connection broke, or have more of it than it said.
        let content = self.try_again_after(&[Kind::Conflict], || {
            let begun = self.endpoint.post("/v1/uploads").within(ANSWER).send_json(&announced)?;
            let UploadView { id, stored_bytes, bytes } = match begun.json()? {
                Begun::Complete(content) => return self.checked_content(content, &announced),
                Begun::Upload(upload) => upload,
            };
            if bytes != announced.bytes || stored_bytes > bytes {
                return Err(self.wrong("holds more of an upload than was sent, or is about another"));
            }
            tell(stored_bytes, bytes);
            file.seek(SeekFrom::Start(stored_bytes)).map_err(at)?;
            let mut source = Telling { file: &mut file, done: stored_bytes, bytes, tell, stop: &self.stop };
            let exchange = self.endpoint.put(&format!("/v1/uploads/{id}?offset={stored_bytes}"));
            let answer = exchange.doing("sending a file").send_reader(&mut source, bytes - stored_bytes);
            sent_bytes += source.done - stored_bytes;
            match answer {
                Ok(answer) => self.checked_content(answer.json()?, &announced),
                Err(HttpError::Source(_)) if self.check_stop().is_err() => Err(RemoteError::Stopped),
                Err(HttpError::Source(_)) => Err(RemoteError::Changed(path.to_owned())),
                Err(error) => Err(error.into()),
            }
        })?;
        Ok(Sent { content, sent_bytes })
    }

    fn wrong(&self, what: &'static str) -> RemoteError {
        self.endpoint.wrong(what).into()
    }

    /// Returns a server's description of a file that it holds if that is the announced one.
    fn checked_content(
        &self,
        content: ContentView,
        announced: &Announcement,
    ) -> Result<ContentView, RemoteError> {
        let ContentView { kind, plan, digest, bytes, .. } = content;
        let Announcement { kind: of_kind, plan: of_plan, digest: of_digest, bytes: of_bytes } = *announced;
        if (kind, plan, digest, bytes) == (of_kind, of_plan, of_digest, of_bytes) {
            Ok(content)
        } else {
            Err(self.wrong("describes another file than the one that was sent"))
        }
    }

    /// Submits a job. With the same idempotency key it's accepted once, however often it's submitted.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn submit(&self, submission: &Submission, key: &IdempotencyKey) -> Result<JobView, RemoteError> {
        let key = HeaderValue::from_str(&key.to_string()).expect("printable characters");
        self.try_again(|| {
            let exchange = self.endpoint.post("/v1/jobs").header(IDEMPOTENCY_KEY, key.clone()).within(ANSWER);
            Ok(cleaned(exchange.doing("submitting a job").send_json(submission)?.json()?))
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
            let exchange = exchange.within(ANSWER + Duration::from_secs(wait));
            Ok(cleaned(exchange.doing("waiting for a job").call()?.json()?))
        })
    }

    /// Waits until a job has results, at most for this time; tells how it stands meanwhile.
    ///
    /// # Errors
    /// [`RemoteError::Http`], [`RemoteError::TooLong`], [`RemoteError::Failed`], [`RemoteError::Cancelled`].
    pub fn wait(
        &self,
        job: &JobId,
        longest: Duration,
        tell: &dyn Fn(&JobView),
    ) -> Result<JobView, RemoteError> {
        let begun = Instant::now();
        let (mut wait, mut waited) = (Duration::ZERO, Duration::ZERO);
        loop {
            let asked = Instant::now();
            let view = self.job(job, wait)?;
            tell(&view);
            let url = self.url().to_owned();
            match view.state {
                JobState::Done { .. } => return Ok(view),
                JobState::Failed { message } => return Err(RemoteError::Failed { url, job: *job, message }),
                JobState::Cancelled => return Err(RemoteError::Cancelled { url, job: *job }),
                JobState::Waiting { .. } | JobState::Running { .. } => {}
            }
            self.rest(wait.saturating_sub(asked.elapsed()))?;
            waited = waited.saturating_add(wait).max(begun.elapsed());
            wait = POLL.min(longest.saturating_sub(waited));
            if wait.is_zero() {
                return Err(RemoteError::TooLong { url, job: *job, seconds: longest.as_secs() });
            }
        }
    }

    /// Cancels a job.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn cancel(&self, job: &JobId) -> Result<JobView, RemoteError> {
        self.try_again(|| {
            let exchange = self.endpoint.post(&format!("/v1/jobs/{job}/cancel")).within(ANSWER);
            Ok(cleaned(exchange.doing("cancelling a job").call()?.json()?))
        })
    }

    /// Removes a job that has ended, and its results.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn remove_job(&self, job: &JobId) -> Result<(), RemoteError> {
        self.remove(&format!("/v1/jobs/{job}"))
    }

    /// Removes keys or inputs for a plan that no job needs which waits or runs.
    ///
    /// # Errors
    /// [`RemoteError::Http`].
    pub fn remove_content(
        &self,
        kind: ContentKind,
        plan: &Digest,
        digest: &Digest,
    ) -> Result<(), RemoteError> {
        self.remove(&format!("/v1/plans/{plan}/{kind}/{digest}"))
    }

    fn remove(&self, path: &str) -> Result<(), RemoteError> {
        self.try_again(|| {
            self.endpoint.delete(path).within(ANSWER).doing("removing what isn't needed").call()?;
            Ok(())
        })
    }

    /// Waits for a job, and writes its results to a file, within limits; after a broken connection only what is missing.
    ///
    /// # Errors
    /// Those of [`Self::wait`]; [`RemoteError::File`], [`RemoteError::Damaged`].
    pub fn fetch(
        &self,
        job: &JobId,
        (file, path): (&mut (impl Write + Seek), &Path),
        limits: FetchLimits,
        (tell_job, tell): (&dyn Fn(&JobView), Tell<'_>),
    ) -> Result<Fetched, RemoteError> {
        let at = |error| RemoteError::File { path: path.to_owned(), error };
        let view = self.wait(job, limits.time, tell_job)?;
        let JobState::Done { bytes, digest, .. } = view.state else { unreachable!("it has results") };
        if bytes > limits.bytes {
            return Err(self.wrong("has more results than such a plan gives"));
        }
        let mut hasher = blake3::Hasher::new();
        let mut stored = 0;
        self.try_again(|| {
            file.seek(SeekFrom::Start(stored)).map_err(at)?;
            let exchange = self.endpoint.get(&format!("/v1/jobs/{job}/results?offset={stored}"));
            let answer = exchange.doing("fetching results").call()?;
            let stop = &*self.stop;
            let mut sink =
                Sink { file: &mut *file, hasher: &mut hasher, stored: &mut stored, bytes, tell, stop };
            let missing = bytes - *sink.stored;
            match answer.write_to(&mut sink, missing) {
                Err(HttpError::Sink(_)) if self.check_stop().is_err() => Err(RemoteError::Stopped),
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

/// Returns the description of a job without characters that steer a terminal, and with a fraction from 0 to 1.
fn cleaned(mut view: JobView) -> JobView {
    match &mut view.state {
        JobState::Failed { message } => *message = without_steering(message, MAX_MESSAGE),
        JobState::Running { fraction, .. } => *fraction = fraction.clamp(0.0, 1.0),
        _ => {}
    }
    view
}

/// Fails where the caller stops what reads or writes.
fn go_on(stop: &AtomicBool) -> io::Result<()> {
    if stop.load(Ordering::Relaxed) { Err(io::Error::other("stopped")) } else { Ok(()) }
}

/// A file that tells how much of it was read.
struct Telling<'f, F> {
    file: &'f mut F,
    done: u64,
    bytes: u64,
    tell: Tell<'f>,
    stop: &'f AtomicBool,
}

impl<F: Read> Read for Telling<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        go_on(self.stop)?;
        let count = self.file.read(buffer)?;
        self.done += count as u64;
        (self.tell)(self.done, self.bytes);
        Ok(count)
    }
}

/// A file that is hashed while it's written.
struct Sink<'f, F> {
    file: &'f mut F,
    hasher: &'f mut blake3::Hasher,
    stored: &'f mut u64,
    bytes: u64,
    tell: Tell<'f>,
    stop: &'f AtomicBool,
}

impl<F: Write> Write for Sink<'_, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        go_on(self.stop)?;
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
