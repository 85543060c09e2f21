//! Few triples alone, with their keys, in the blocks and pieces that the library chooses for them.

use std::time::Instant;

use asanoha_mpc::{
    GeneratorSettings, ModulusChoice, MpcError, TripleShape, TripleSource, keep_unused_memory, source,
};
use asanoha_ring::Seed;

use super::{
    TripleError, TripleRow,
    batch::{KEPT, PARTIES},
    measured::{Measured, modulus},
};
use crate::memory;

/// The dimension of which one triple is measured too.
const ONE: usize = 128;
/// The samples up to the dimension [`SMALL`], of which the least counts.
const SAMPLES: usize = 3;
const SMALL: usize = 256;

/// The times of keys and of triples for two triples of a dimension, and for one of the smallest: the least of three samples each, of
/// large triples one.
pub(super) fn measure(dimension: usize) -> Result<Vec<TripleRow>, TripleError> {
    let mut rows = Vec::new();
    for triples in if dimension == ONE { 1..=2 } else { 2..=2 } {
        memory::mark();
        keep_unused_memory(KEPT);
        let samples = if dimension <= SMALL { SAMPLES } else { 1 };
        let mut least = [f64::INFINITY; 2];
        for _ in 0..samples {
            let seconds = sample(dimension, triples)?;
            least.iter_mut().zip(seconds).for_each(|(least, seconds)| *least = least.min(seconds));
        }
        let [keys, make] = least;
        let measured = Measured {
            table: 2,
            method: format!("{triples} alone, {PARTIES} parties"),
            dim: dimension,
            modulus_bits: modulus().bits(),
            products: triples as usize,
            peak_bytes: memory::peak_bytes(),
            phases: &[],
        };
        let all = [("keys", keys), ("triples", make), ("keys and triples", keys + make)];
        rows.extend(all.map(|(phase, seconds)| measured.row(phase, seconds)));
    }
    Ok(rows)
}

/// The seconds of the keys, parameters included, and of all shares of a number of triples.
fn sample(dimension: usize, triples: u64) -> Result<[f64; 2], MpcError> {
    let settings = GeneratorSettings {
        modulus: ModulusChoice::Prime(modulus()),
        shape: TripleShape::square(dimension),
        parties: PARTIES,
        memory_limit: memory::available_bytes().map(|bytes| bytes as u64),
    };
    let mut start = Instant::now();
    let source = source(&settings, triples, Seed([8; 32]))?;
    let keys = start.elapsed().as_secs_f64();
    start = Instant::now();
    for block in 0..triples.div_ceil(source.block_size() as u64) {
        drop(source.block(block)?);
    }
    Ok([keys, start.elapsed().as_secs_f64()])
}
