//! What all requests go through.

use std::{
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use asanoha_runtime::plan::Plan;

use super::{
    batch::Batch,
    folder::{Folder, remove},
    journal::Journal,
    memory::State,
    records::{JobRecord, StateRecord},
    recovery::{self, Recovery},
};
use crate::{
    ClientName, Clock, Digest, Faults, Limits, Metrics, Plans, RequestError, StoreError, Tokens, Whose,
    locked::locked, metrics::add,
};

/// What a store grants, and what it goes by.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What it grants its clients.
    pub limits: Limits,
    /// The time by which things expire.
    pub clock: Clock,
    /// Failures of the disk, for tests.
    #[doc(hidden)]
    pub faults: Faults,
}

/// An open folder with the plans that are served, and the state behind a lock.
#[derive(Debug)]
pub(crate) struct StoreCore {
    pub(crate) folder: Folder,
    pub(crate) plans: Plans,
    pub(crate) limits: Limits,
    pub(crate) clock: Clock,
    pub(crate) faults: Faults,
    pub(crate) metrics: Metrics,
    pub(crate) tokens: Tokens,
    pub(crate) recovery: Recovery,
    state: Mutex<State>,
    /// Is notified of every change of a job, and of a stop.
    changed: Condvar,
}

impl StoreCore {
    pub(crate) fn open(folder: &Path, plans: Plans, settings: Settings) -> Result<Self, StoreError> {
        let Settings { limits, clock, faults } = settings;
        let tokens = Tokens::open(folder, clock.clone());
        let folder = Folder::open(folder)?;
        let journal = Journal::open(&folder.journal(), faults.clone())?;
        let (state, recovery) = recovery::recover(&folder, journal, &limits, clock.now_s())?;
        Ok(Self {
            folder,
            plans,
            limits,
            clock,
            faults,
            metrics: Metrics::default(),
            tokens,
            recovery,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    pub(crate) fn plan(&self, digest: &Digest) -> Result<&Arc<Plan>, RequestError> {
        self.plans.get(digest).ok_or(RequestError::UnknownPlan(*digest))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Tells all that wait that something changed.
    pub(crate) fn notify(&self) {
        self.changed.notify_all();
    }

    /// Waits until something is found, and at most so long.
    pub(crate) fn wait_for<T>(
        &self,
        most: Duration,
        mut found: impl FnMut(&mut State) -> Option<T>,
    ) -> Option<T> {
        let start = Instant::now();
        let mut state = locked(&self.state);
        loop {
            if let Some(found) = found(&mut state) {
                return Some(found);
            }
            let left = most.checked_sub(start.elapsed()).filter(|left| !left.is_zero())?;
            (state, _) = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Commits changes to the journal, and counts a failure.
    pub(crate) fn commit(&self, state: &mut State, batch: &Batch) -> Result<(), StoreError> {
        state.journal.commit(batch).inspect_err(|_| add(&self.metrics.store_errors, 1))
    }

    /// Refuses bytes for which there's no space.
    pub(crate) fn check_space(
        &self,
        state: &State,
        client: &ClientName,
        bytes: u64,
    ) -> Result<(), RequestError> {
        let of = [
            (Whose::Client, state.usages.of(client).bytes, self.limits.client_bytes),
            (Whose::All, state.usages.bytes(), self.limits.store_bytes),
        ];
        for (whose, used, limit) in of {
            if used.saturating_add(bytes) > limit {
                return Err(RequestError::Quota { whose, bytes, used, limit });
            }
        }
        Ok(())
    }

    /// Removes a file that no record names any more. If that fails, the next opening of the store removes it.
    pub(crate) fn remove_blob(&self, blob: &str) {
        let _ = remove(&self.folder.blob(blob));
    }

    /// Forgets a job that had ended, which the journal hasn't any more, and removes its results.
    pub(crate) fn forget(&self, state: &mut State, job: &JobRecord) {
        state.usages.change(&job.client, |usage| usage.remove_job(job));
        if let StateRecord::Done { blob, .. } = &job.state {
            self.remove_blob(blob);
        }
    }
}
