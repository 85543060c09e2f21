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
}

static REGISTER: Mutex<Register> = Mutex::new(Register { removals: BTreeMap::new(), next: 0 });

/// The register is whole even if what its holder did panicked.
fn register() -> MutexGuard<'static, Register> {
    REGISTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder that isn't finished. It's removed when this is dropped, or when the process is interrupted
/// ([`remove_unfinished`]).
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

    /// Puts it in its place: it's finished where that succeeds, and else removed. The process isn't interrupted meanwhile.
    pub fn finish<T>(self, put: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut register = register();
        let put = put();
        let removal = register.removals.remove(&self.0);
        mem::forget(self);
        if put.is_err()
            && let Some(removal) = removal
        {
            removal();
        }
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

/// Carries out what an interruption mustn't cut in two, such as renaming several files. It can't call what this module's other
/// functions do.
pub fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    let _register = register();
    work()
}

/// Removes everything unfinished, the newest first. The process has to end after that: whatever begins or finishes something
/// waits for ever.
pub fn remove_unfinished() {
    let mut register = register();
    while let Some((_, removal)) = register.removals.pop_last() {
        removal();
    }
    mem::forget(register);
}
