//! Counters of what a service does.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

/// Counters since the start of the process.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) submitted: AtomicU64,
    pub(crate) replayed: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) done: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) cancelled: AtomicU64,
    pub(crate) requeued: AtomicU64,
    pub(crate) expired: AtomicU64,
    pub(crate) uploaded_bytes: AtomicU64,
    pub(crate) result_bytes: AtomicU64,
    pub(crate) evaluation_ms: AtomicU64,
    pub(crate) store_errors: AtomicU64,
}

/// The counters of a service since the start of the process, and what it has at the moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MetricsView {
    /// Jobs that were accepted.
    pub jobs_submitted: u64,
    /// Submissions that were those of a job that was accepted before.
    pub jobs_replayed: u64,
    /// Submissions that weren't accepted.
    pub jobs_refused: u64,
    /// Jobs that ended with results.
    pub jobs_done: u64,
    /// Jobs that ended without results.
    pub jobs_failed: u64,
    /// Jobs that their clients cancelled.
    pub jobs_cancelled: u64,
    /// Running jobs that wait again, as the service stopped.
    pub jobs_requeued: u64,
    /// Jobs, uploads, keys and inputs that were removed as they had expired.
    pub expired: u64,
    /// Bytes of uploads.
    pub uploaded_bytes: u64,
    /// Bytes of results.
    pub result_bytes: u64,
    /// Seconds of evaluations that ended with results.
    pub evaluation_seconds: f64,
    /// Failures of the disk or the journal.
    pub store_errors: u64,
    /// Jobs that wait now.
    pub jobs_waiting: usize,
    /// Jobs that run now.
    pub jobs_running: usize,
    /// Jobs that are in memory now: those that wait or run.
    pub jobs_held: usize,
    /// Bytes that are stored now, uploads that aren't complete included.
    pub stored_bytes: u64,
    /// Clients that have something stored now.
    pub clients: usize,
}

pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

impl Metrics {
    /// The counters, without what there is at the moment.
    pub(crate) fn view(&self) -> MetricsView {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        MetricsView {
            jobs_submitted: of(&self.submitted),
            jobs_replayed: of(&self.replayed),
            jobs_refused: of(&self.refused),
            jobs_done: of(&self.done),
            jobs_failed: of(&self.failed),
            jobs_cancelled: of(&self.cancelled),
            jobs_requeued: of(&self.requeued),
            expired: of(&self.expired),
            uploaded_bytes: of(&self.uploaded_bytes),
            result_bytes: of(&self.result_bytes),
            evaluation_seconds: of(&self.evaluation_ms) as f64 / 1000.0,
            store_errors: of(&self.store_errors),
            ..MetricsView::default()
        }
    }
}
