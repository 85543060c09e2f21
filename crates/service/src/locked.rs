//! Locks that outlast a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whether or not another thread panicked: what is under these locks is whole between statements.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
