//! What is being written and isn't in its place yet: one register of it for the whole process, so that a call that is
//! interrupted can remove it.

use std::{
    collections::BTreeMap,
    io, mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

type Removal = Box<dyn FnOnce() + Send>;

struct Register {
    /// How everything unfinished is removed, the oldest first.
    removals: BTreeMap<u64, Removal>,
    next: u64,
    /// Whether the call has succeeded, so that an interruption comes too late.
    complete: bool,
}

static REGISTER: Mutex<Register> =
    Mutex::new(Register { removals: BTreeMap::new(), next: 0, complete: false });

/// The register is whole even if what its holder did panicked.
fn register() -> MutexGuard<'static, Register> {
    REGISTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder that isn't finished. It's removed when this is dropped, or when the process is interrupted
/// ([`remove_unfinished`]).
///
/// A file that is finished while nothing else is unfinished completes the call: an interruption comes too late then. A call
/// that finishes several files keeps an `Unfinished` until the last one ([`Unfinished::work`], [`Unfinished::finish_all`]).
#[derive(Debug)]
pub struct Unfinished(u64);

impl Unfinished {
    /// Makes something; `make` returns it and what removes it. The process isn't interrupted between the two.
    pub fn begin<T, R: FnOnce() + Send + 'static>(
        make: impl FnOnce() -> io::Result<(T, R)>,
    ) -> io::Result<(T, Self)> {
        let mut register = register();
        let (made, removal) = make()?;
        let id = register.next;
        register.next += 1;
        register.removals.insert(id, Box::new(removal));
        Ok((made, Self(id)))
    }

    /// Work of which nothing has to be removed: the files that are finished meanwhile don't complete the call.
    pub fn work() -> Self {
        Self::begin(|| Ok(((), || ()))).expect("nothing is made").1
    }

    /// Puts it in its place: it's finished where that succeeds, and else removed. The process isn't interrupted meanwhile.
    pub fn finish<T, E>(self, put: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        Self::finish_all(vec![self], put)
    }

    /// As [`Unfinished::finish`], for several at once, of which the first is removed first.
    pub fn finish_all<T, E>(all: Vec<Self>, put: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut register = register();
        let put = put();
        for unfinished in all {
            let removal = register.removals.remove(&unfinished.0);
            mem::forget(unfinished);
            if put.is_err()
                && let Some(removal) = removal
            {
                removal();
            }
        }
        register.complete |= put.is_ok() && register.removals.is_empty();
        put
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut register = register();
        if let Some(removal) = register.removals.remove(&self.0) {
            removal();
        }
    }
}

/// Completes the call: from now on an interruption comes too late. Waits for ever if one came before.
pub fn complete() {
    register().complete = true;
}

/// Removes everything unfinished, the newest first, and returns whether that was in time: a complete call is left alone.
///
/// If it was in time, the process has to end after that: whatever begins, finishes or completes something waits for ever.
#[must_use]
pub fn remove_unfinished() -> bool {
    let mut register = register();
    if register.complete {
        return false;
    }
    while let Some((_, removal)) = register.removals.pop_last() {
        removal();
    }
    mem::forget(register);
    true
}
