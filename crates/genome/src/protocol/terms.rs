//! What a client writes and reads.

use zeroize::Zeroizing;

use super::{
    blocks::{Blocks, inverse},
    shape::{BLOCKS, SlotLayout},
};

/// What a client learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How many letters of the query agree with some haplotype, from the first on.
    pub length: usize,
    /// How many haplotypes agree in so many letters, if it was asked for; 0 where the length is 0.
    pub count: Option<usize>,
}

/// The query's polynomial as exponents and coefficients modulo t: letters, and the starts' numbers, divided by what expansion
/// multiplies them with.
pub(super) fn query_terms(
    layout: &SlotLayout,
    blocks: &Blocks,
    letters: &[u64],
    starts: &[u64],
) -> Vec<(usize, u64)> {
    let q = blocks.modulus();
    let mut coefficients = Zeroizing::new(Vec::with_capacity(BLOCKS * layout.query_columns()));
    for column in 0..layout.columns() {
        let letter = |block| letters.get(layout.letter(block, column)).copied().unwrap_or(0);
        let letters = std::array::from_fn(letter);
        coefficients.extend(if layout.stride.is_some() { letters } else { blocks.coefficients(&letters) });
    }
    let letters = if layout.stride.is_some() { 0 } else { coefficients.len() };
    if layout.start_columns() > 0 {
        coefficients.extend(starts);
    }
    let by_lanes = inverse(q, q.reduce(layout.lanes() as u64));
    let by_degree = inverse(q, q.reduce(layout.ring_degree as u64));
    let places = layout.places(layout.query_columns());
    let scaled = coefficients
        .iter()
        .enumerate()
        .map(|(at, &c)| (places[at], q.mul(c, if at < letters { by_lanes } else { by_degree })));
    scaled.collect()
}

/// The numbers of an answer's columns, of the coefficients that are read.
pub(super) fn numbers(layout: &SlotLayout, blocks: &Blocks, coefficients: &[u64]) -> Vec<[u64; BLOCKS]> {
    let column = |column: &[u64; BLOCKS]| match layout.stride {
        Some(_) => *column,
        None => blocks.values(column),
    };
    coefficients.as_chunks().0.iter().map(column).collect()
}

/// What the numbers of the answer's columns say.
pub(super) fn read(layout: &SlotLayout, columns: &[[u64; BLOCKS]]) -> Answer {
    let of = |columns: &[[u64; BLOCKS]], letter: usize| {
        columns[letter % layout.columns()][letter / layout.columns()]
    };
    let (blinded, hidden) = columns.split_at(layout.columns());
    let length = (0..layout.shape.letters).take_while(|&letter| of(blinded, letter) != 0).count();
    let count = || if length == 0 { 0 } else { of(hidden, length - 1) as usize };
    Answer { length, count: layout.shape.counts.then(count) }
}
