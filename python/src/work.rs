//! Work in a pool of threads of our own, which signals and progress can stop.

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, set_hook},
    process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    time::Duration,
};

use asanoha::kernels::Backend;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::fault::Fault;

/// How often signals are looked at, and progress is told.
const TICK: Duration = Duration::from_millis(50);
/// How long work that was stopped may take to end before the call returns without it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The threads, with the process that they belong to: a fork leaves them behind.
struct Pool {
    process: u32,
    threads: usize,
    workers: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);
/// What `set_threads` asked for; 0 is as many as there are cores.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// How many threads work.
pub(crate) fn threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        asked => asked,
    }
}

fn pool() -> Result<Arc<ThreadPool>, Fault> {
    let mut place = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let (process, threads) = (process::id(), threads());
    if let Some(known) = &*place
        && known.process == process
        && known.threads == threads
    {
        return Ok(known.workers.clone());
    }
    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(|at| format!("asanoha {at}"));
    let pool = Arc::new(made.build().map_err(|error| Fault::new("InternalError", error))?);
    // Threads of before a fork aren't there to be joined.
    if let Some(known) = place.replace(Pool { process, threads, workers: pool.clone() })
        && known.process != process
    {
        std::mem::forget(known);
    }
    Ok(pool)
}

/// Sets how many threads work: from 1 on; 0 for as many as there are cores.
#[pyfunction]
pub(crate) fn set_threads(threads: usize) {
    THREADS.store(threads, Ordering::Relaxed);
}

/// The kernels and the threads that work, as `(backend, threads)`.
#[pyfunction]
pub(crate) fn machine() -> (String, usize) {
    (Backend::detect().map_or_else(|error| error.to_string(), |backend| backend.name().to_owned()), threads())
}

/// Where and why a thread panicked last.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Panics become exceptions, which say where they come from; nothing is printed.
pub(crate) fn keep_panics_quiet() {
    set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic");
        let place = info.location().map_or_else(String::new, |place| {
            let file = place.file().rsplit("crates/").next().unwrap_or_default();
            format!(" at {file}:{}", place.line())
        });
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{text}{place}"));
    }));
}

fn panic_text() -> String {
    let text = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
    text.unwrap_or_else(|| "a thread panicked".to_owned())
}

/// How far some work is, and whether it's to stop.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    stopped: AtomicBool,
    done: AtomicUsize,
    all: AtomicUsize,
}

impl Watch {
    /// Hears of progress; says whether the work goes on.
    pub(crate) fn tell(&self, done: usize, all: usize) -> ControlFlow<()> {
        self.done.fetch_max(done, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
        if self.stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Does some work in the pool. Meanwhile the calling thread looks at signals and calls `progress(done, all)`; an exception of
/// either stops the work, by `stop` too, and is raised.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    stop: impl Fn(),
    work: impl FnOnce(&Watch) -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    let pool = pool()?;
    attend(py, progress, (&stop, PATIENCE), work, |job| {
        pool.spawn(job);
        Ok(())
    })
}

/// As [`run`], for work that waits for others: in a thread of its own, so that it keeps no other work out of the pool.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    stop: impl Fn(),
    work: impl FnOnce(&Watch) -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    attend(py, progress, (&stop, TICK), work, |job| {
        let thread = std::thread::Builder::new().name("asanoha waits".to_owned()).spawn(job);
        thread.map(drop).map_err(|error| Fault::new("InternalError", error))
    })
}

/// Attends to work that is begun by `begin`. If it's stopped, it may take so long to end before the call returns without it.
fn attend<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    (stop, patience): (&dyn Fn(), Duration),
    work: impl FnOnce(&Watch) -> Result<T, Fault> + Send + 'static,
    begin: impl FnOnce(Box<dyn FnOnce() + Send>) -> Result<(), Fault>,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let wait = |time| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time);
    let watched = watch.clone();
    begin(Box::new(move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&watched))).unwrap_or_else(|payload| {
            drop(payload);
            Err(Fault::internal(panic_text()))
        });
        // A caller that was stopped doesn't wait for it.
        let _ = sender.send(result);
    }))?;
    let mut told = (0, 0);
    loop {
        let received = py.detach(|| wait(TICK));
        let now = (watch.done.load(Ordering::Relaxed), watch.all.load(Ordering::Relaxed));
        let heard = match progress {
            Some(progress) if now.1 > 0 && now != told => {
                told = now;
                progress.call1(now).map(|_| ())
            }
            _ => Ok(()),
        };
        match (received, heard.and_then(|()| py.check_signals())) {
            (Ok(result), Ok(())) => return Ok(result?),
            (Err(RecvTimeoutError::Timeout), Ok(())) => {}
            (Err(RecvTimeoutError::Disconnected), Ok(())) => {
                return Err(Fault::internal("a thread ended without a result").into());
            }
            (received, Err(error)) => {
                watch.stopped.store(true, Ordering::Relaxed);
                stop();
                if received.is_err() {
                    let _ = py.detach(|| wait(patience));
                }
                return Err(error);
            }
        }
    }
}
