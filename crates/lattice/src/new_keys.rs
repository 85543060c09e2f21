//! Keys that are made while they are written.

use std::{collections::BTreeMap, io, ops::ControlFlow};

use asanoha_ring::{Sampler, Seed};
use rayon::prelude::*;

use crate::{
    KeyLevels, KeyName, KeySwitchKey, Level, RlweParams, SecretKey,
    file::FileStream,
    key_file::{put, shapes, tensor},
};

/// The keys, and what they are made of.
pub(crate) struct NewKeys<'a> {
    params: &'a RlweParams,
    secret: &'a SecretKey,
    /// In the order of their names in a file.
    levels: Vec<(KeyName, Level)>,
    seed: Seed,
}

impl<'a> NewKeys<'a> {
    pub(crate) fn new(
        params: &'a RlweParams,
        secret: &'a SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
    ) -> Self {
        let seed = sampler.seed();
        let mut levels: Vec<(KeyName, Level)> = levels.iter().collect();
        levels.sort_by_cached_key(|&(name, level)| tensor(params, name, level));
        Self { params, secret, levels, seed }
    }

    pub(crate) fn shapes(&self) -> BTreeMap<String, Vec<usize>> {
        self.levels.iter().flat_map(|&(name, level)| shapes(self.params, name, level)).collect()
    }

    /// Makes the keys, one for each thread at a time, and writes them. `progress` receives the number of finished keys and the total,
    /// and may stop.
    pub(crate) fn put(
        &self,
        stream: &mut FileStream<'_>,
        progress: impl Fn(usize, usize) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let key = |&(name, level): &(KeyName, Level)| {
            KeySwitchKey::generate(self.params, name, level, self.secret, &mut Sampler::new(&self.seed))
        };
        let mut made = 0;
        for levels in self.levels.chunks(rayon::current_num_threads()) {
            let keys: Vec<_> = levels.par_iter().map(key).collect();
            keys.iter().try_for_each(|key| put(stream, key))?;
            made += keys.len();
            if progress(made, self.levels.len()).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
