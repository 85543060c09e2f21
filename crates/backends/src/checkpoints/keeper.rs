//! Where a walk puts what it has finished.

use super::pace::Clock;
use super::part::{Part, Parts};

/// Where a walk puts what it has finished.
pub(crate) trait Keeper<V>: Sync {
    /// Hears that there may be something to keep: `live` lists all that is needed still, `is_live` says whether something is that may
    /// have been kept before.
    fn offer<'v>(&self, clock: &mut Clock, live: &dyn Fn() -> Parts<'v, V>, is_live: &dyn Fn(Part) -> bool)
    where
        V: 'v;
}

/// Keeps nothing.
pub(crate) struct Unkept;

impl<V> Keeper<V> for Unkept {
    fn offer<'v>(&self, _: &mut Clock, _: &dyn Fn() -> Parts<'v, V>, _: &dyn Fn(Part) -> bool)
    where
        V: 'v,
    {
    }
}
