//! What a search has done so far, for a caller that waits for it, and its end where the caller stops it.

use std::{
    fmt::{self, Display},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use num_bigint::BigUint;

use crate::error::GenerateError;
use crate::scheme_name::SchemeName;

/// What a search for parameters has done so far, which another thread may look at; its text is for people. That thread may also
/// stop the search.
///
/// ```
/// use asanoha_backends::SearchProgress;
/// let progress = SearchProgress::default();
/// assert!(progress.to_string().starts_with(&format!("{} schedules tried", progress.schedules())));
/// ```
#[derive(Debug, Default)]
pub struct SearchProgress {
    schedules: AtomicUsize,
    stopped: AtomicBool,
    now: Mutex<String>,
}

impl SearchProgress {
    /// How many schedules were walked with a noise model, at some parameters each.
    pub fn schedules(&self) -> usize {
        self.schedules.load(Ordering::Relaxed)
    }

    /// Stops the search before its next schedule: planning ends in an error.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the search was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// A schedule is walked, unless the search was stopped.
    pub fn add_schedule(&self) -> Result<(), GenerateError> {
        if self.is_stopped() {
            return Err(GenerateError::Stopped);
        }
        self.schedules.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Parameters of a scheme are looked for.
    pub fn at(&self, scheme: SchemeName, log2_ring_degree: u32) {
        self.tell(format!("{} at ring degree 2^{log2_ring_degree}", scheme.to_string().to_uppercase()));
    }

    /// The prime above an integer is looked for.
    pub fn at_prime_above(&self, least: &BigUint) {
        self.tell(format!("a plaintext modulus of {} bits", least.bits()));
    }

    /// Parameters are tried on fewer rows.
    pub fn at_rows(&self, rows: usize) -> Result<(), GenerateError> {
        self.add_schedule()?;
        self.tell(format!("data of {rows} rows"));
        Ok(())
    }

    fn tell(&self, now: String) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

impl Display for SearchProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (now, tried) = (self.now.lock().unwrap_or_else(PoisonError::into_inner), self.schedules());
        write!(f, "{tried} {} tried", if tried == 1 { "schedule" } else { "schedules" })?;
        if now.is_empty() { Ok(()) } else { write!(f, ", now {now}") }
    }
}
