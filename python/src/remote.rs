//! A server elsewhere, which evaluates for clients.

use std::{
    fmt::Display,
    io::Cursor,
    path::Path,
    process,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use asanoha::{
    http::{BearerToken, Endpoint},
    service::{
        ContentKind, Digest, IdempotencyKey, JobId, JobState, JobView, Submission,
        http::{FetchLimits, RemoteClient, RemoteError},
    },
};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};

use crate::{
    fault::Fault,
    plan::Plan,
    work::{self, Watch},
};

/// How long a caller waits until what isn't needed is removed.
const DISCARDING: Duration = Duration::from_millis(500);

/// A plan's server, and the token that it takes. It holds nothing secret but the token.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug)]
pub(crate) struct Remote {
    plan: Digest,
    /// The most bytes of results that are taken: those that the plan gives.
    most_results: u64,
    client: RemoteClient,
    process: u32,
}

/// What Python gave out before.
fn known<T: FromStr<Err: Display>>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|error: T::Err| Fault::data(error))
}

fn json(job: &JobView) -> String {
    serde_json::to_string(job).expect("plain data")
}

impl Remote {
    /// Does something with the server while the calling thread looks at signals.
    fn wait<T: Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&RemoteClient, &Watch) -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<T> {
        if self.process != process::id() {
            let message = "this session was opened before the process forked: connect anew in the child";
            return Err(Fault::new("ForkError", message).into());
        }
        let stop = Arc::new(AtomicBool::new(false));
        let client = self.client.clone().with_stop(stop.clone());
        work::wait(py, progress, || stop.store(true, Ordering::Relaxed), move |watch| work(&client, watch))
    }
}

#[pymethods]
impl Remote {
    /// Asks a server for a plan: whether it's there, takes the token and serves the plan.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn connect(
        py: Python<'_>,
        plan: &Plan,
        url: &str,
        token: &str,
        certificate: Option<PyBackedBytes>,
        patience_s: f64,
    ) -> PyResult<Self> {
        let token = BearerToken::new(token.trim()).map_err(Fault::from)?;
        let endpoint = Endpoint::new(url, certificate.as_deref()).map_err(Fault::from)?.with_token(token);
        let patience = Duration::try_from_secs_f64(patience_s).map_err(Fault::data)?;
        let plan = &plan.plan;
        let digest: Digest = plan.digest().parse().expect("plans have BLAKE3 digests");
        let remote = Self {
            plan: digest,
            most_results: plan.most_result_bytes(),
            client: RemoteClient::new(endpoint, patience),
            process: process::id(),
        };
        remote.wait(py, None, move |client, _| Ok(client.plan(&digest).map(drop)?))?;
        Ok(remote)
    }

    /// Sends evaluation keys or inputs, unless the server holds them. Returns the digest that it knows them by.
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn send(
        &self,
        py: Python<'_>,
        kind: &str,
        bytes: PyBackedBytes,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let plan = self.plan;
        let (kind, name) = match kind {
            "keys" => (ContentKind::Keys, "the evaluation keys"),
            _ => (ContentKind::Inputs, "the inputs"),
        };
        let sent = self.wait(py, progress.as_ref(), move |client, watch| {
            let tell = |done: u64, all: u64| _ = watch.tell(done as usize, all as usize);
            Ok(client.send_from(kind, plan, (Cursor::new(&*bytes), Path::new(name)), &tell)?)
        })?;
        Ok(sent.content.digest.to_string())
    }

    /// Submits a job of what was sent. Returns how it stands, as JSON.
    fn submit(&self, py: Python<'_>, keys: &str, inputs: &str) -> PyResult<String> {
        // The same inputs are computed once, however often they're submitted.
        let key: IdempotencyKey = known(inputs)?;
        let submission = Submission { plan: self.plan, keys: known(keys)?, inputs: known(inputs)? };
        self.wait(py, None, move |client, _| Ok(json(&client.submit(&submission, &key)?)))
    }

    /// How a job stands, as JSON.
    fn job(&self, py: Python<'_>, job: &str) -> PyResult<String> {
        let job: JobId = known(job)?;
        self.wait(py, None, move |client, _| Ok(json(&client.job(&job, Duration::ZERO)?)))
    }

    /// Cancels a job. Returns how it stands, as JSON.
    fn cancel(&self, py: Python<'_>, job: &str) -> PyResult<String> {
        let job: JobId = known(job)?;
        self.wait(py, None, move |client, _| Ok(json(&client.cancel(&job)?)))
    }

    /// Has the server cancel a job and remove it with its results and inputs, as far as it does that soon.
    fn discard(&self, py: Python<'_>, job: &str, inputs: &str) -> PyResult<()> {
        let (job, inputs): (JobId, Digest) = (known(job)?, known(inputs)?);
        let (client, plan) = (self.client.clone(), self.plan);
        let (sender, receiver) = std::sync::mpsc::channel();
        let discard = move || {
            let removed = client.cancel(&job).and_then(|_| client.remove_job(&job));
            // Inputs that a running job needs stay until they expire.
            let _ = removed.and_then(|()| client.remove_content(ContentKind::Inputs, &plan, &inputs));
            let _ = sender.send(());
        };
        if std::thread::Builder::new().name("asanoha discards".to_owned()).spawn(discard).is_ok() {
            py.detach(move || _ = receiver.recv_timeout(DISCARDING));
        }
        Ok(())
    }

    /// Waits for a job, at most so many seconds, and returns the bytes of its results; `None` if it hasn't ended then.
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn fetch<'py>(
        &self,
        py: Python<'py>,
        job: &str,
        timeout_s: f64,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let job: JobId = known(job)?;
        // Longer times are no limit.
        let time = Duration::try_from_secs_f64(timeout_s.max(0.0)).unwrap_or(Duration::MAX);
        let limits = FetchLimits { bytes: self.most_results, time };
        let bytes = self.wait(py, progress.as_ref(), move |client, watch| {
            let tell = |view: &JobView| match view.state {
                JobState::Running { fraction, .. } => _ = watch.tell((fraction * 1000.0) as usize, 1000),
                JobState::Waiting { .. } => _ = watch.tell(0, 1000),
                _ => {}
            };
            let mut results = Cursor::new(Vec::new());
            let place = (&mut results, Path::new("the results"));
            match client.fetch(&job, place, limits, (&tell, &|_, _| ())) {
                Err(RemoteError::TooLong { .. }) => Ok(None),
                fetched => Ok(fetched.map(|_| Some(results.into_inner()))?),
            }
        })?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }
}
