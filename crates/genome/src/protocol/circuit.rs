//! The server's computation, whatever it is carried out on.

use std::mem;

use asanoha_circuits::parallel::{try_map, try_map_owned};

use super::{
    blinding::{Blinding, Purpose},
    carrier::{Carrier, Slots},
    columns::{expand, pack, split},
    prefix::prefix_products,
    rows::Rows,
    shape::{BLOCKS, ROW_BLOCKS, SlotLayout},
    walk::{blind_sums, walk},
};

/// The columns of letters that the bit check multiplies at once.
const CHECKED: usize = 32;

/// The parts of the computation, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reading the query.
    Read,
    /// A ciphertext for each column of letters.
    Expand,
    /// The random sum that is 0 for bits.
    Check,
    /// Which haplotypes agree, letter by letter.
    Match,
    /// Hiding all but length and count.
    Blind,
    /// One ciphertext for all.
    Pack,
    /// Flooding, and writing the answer.
    Write,
}

/// An expanded query.
struct Query<V> {
    /// The columns of letters.
    letters: Vec<V>,
    /// 1 for the start among its candidates, 0 for the others, in all slots; nothing where all know it.
    starts: Vec<V>,
}

/// A number for each block, by its row and phase.
fn blocks(number: impl Fn(usize, usize) -> i64) -> Slots<'static> {
    Slots::Blocks(std::array::from_fn(|block| number(block / ROW_BLOCKS, block % ROW_BLOCKS)))
}

/// The answer to a query: columns of blinded counts and, if asked for, as many of counts that are hidden but for one.
///
/// Column c, block b, belongs to letter j = b·C + c. With cⱼ the haplotypes that agree with the query up to that letter, the
/// first kind holds r·cⱼ for a random unit r, the second cⱼ + r'·cⱼ₊₁ for a uniform r', for the last letter 0. Both are uniform
/// if a letter isn't a bit, or the start isn't one of the candidates.
pub(crate) fn answer<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    query: &A::Value,
    rows: &dyn Rows,
    blinding: &Blinding,
    phase: &dyn Fn(Phase),
) -> Result<A::Value, A::Error> {
    phase(Phase::Expand);
    let mut query = expand_query(layout, on, query)?;
    phase(Phase::Check);
    let check = check(layout, on, &query, blinding)?;
    phase(Phase::Match);
    let mut counts = Vec::new();
    for shard in 0..rows.shards() {
        // The last shard uses up the letters, which of long queries take gigabytes.
        let is_last = shard + 1 == rows.shards();
        let letters = if is_last { mem::take(&mut query.letters) } else { query.letters.clone() };
        let more = match layout.stride {
            Some(stride) => walk(layout, on, &letters, rows, shard, stride)?,
            None => matching(layout, on, letters, &query.starts, rows, shard)?,
        };
        counts = match shard {
            0 => more,
            _ => try_map_owned(counts, &|column, count| on.add(count, &more[column]))?,
        };
    }
    drop(query);
    let counts = try_map(counts.len(), &|column| on.for_packing(&counts[column]))?;
    phase(Phase::Blind);
    let answers = match layout.stride {
        Some(_) => blind_sums(layout, on, &counts, blinding)?,
        None => blind(layout, on, &counts, blinding)?.into_iter().map(Some).collect(),
    };
    let spoiled = try_map_owned(answers, &|at, answer| {
        let spoil = || blinding.residues(Purpose::Spoil, at, layout.ring_degree);
        let spoil = on.times(check.clone(), &Slots::Each(&spoil))?;
        match answer {
            Some(answer) => on.add(answer, &spoil),
            None => Ok(spoil),
        }
    })?;
    phase(Phase::Pack);
    pack(layout, on, spoiled)
}

fn expand_query<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    query: &A::Value,
) -> Result<Query<A::Value>, A::Error> {
    let mut letters = expand(layout, on, query, layout.query_columns())?;
    if layout.stride.is_some() {
        let scalars = scalars(layout, on, &letters)?;
        let place = |letter: usize| letter % layout.columns() * BLOCKS + letter / layout.columns();
        let letters = (0..layout.shape.letters).map(|letter| scalars[place(letter)].clone()).collect();
        return Ok(Query { letters, starts: Vec::new() });
    }
    let mut starts = letters.split_off(layout.columns());
    starts.truncate(layout.start_columns());
    let mut starts = scalars(layout, on, &starts)?;
    starts.truncate(layout.shape.candidates);
    Ok(Query { letters, starts })
}

/// The coefficients of columns as scalars of their own, none of which can differ between the blocks.
fn scalars<A: Carrier>(layout: &SlotLayout, on: &A, columns: &[A::Value]) -> Result<Vec<A::Value>, A::Error> {
    let lanes = layout.lanes().ilog2();
    let scalars = try_map(columns.len(), &|column| {
        let column = vec![columns[column].clone()];
        (lanes..lanes + BLOCKS.ilog2()).try_fold(column, |values, i| split(layout, on, values, i))
    })?;
    Ok(scalars.into_iter().flatten().collect())
}

/// A value that is 0 in all slots if the letters are bits and one start is 1 and the others 0, and else all but certainly isn't
/// in thousands of slots of every block.
///
/// Random sums of x² − x over all letters, which every slot takes apart, and then sums of the neighbouring blocks.
fn check<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    query: &Query<A::Value>,
    blinding: &Blinding,
) -> Result<A::Value, A::Error> {
    let bits: Vec<&A::Value> = query.letters.iter().chain(&query.starts).collect();
    let random = |at| blinding.residues(Purpose::Check, at, layout.ring_degree);
    // A few at a time, for the sake of memory.
    let partial = |begin: usize| {
        let lowered = try_map(bits.len().min(begin + CHECKED) - begin, &|at| on.for_check(bits[begin + at]))?;
        let left = |at: usize| on.times(lowered[at].clone(), &Slots::Each(&|| random(begin + at)));
        let left = try_map(lowered.len(), &left)?;
        let right = try_map_owned(lowered, &|_, bit| on.plus(bit, &blocks(|_, _| -1)))?;
        on.sum_of_products(&left, &right)
    };
    let mut sum = partial(0)?;
    for begin in (CHECKED..bits.len()).step_by(CHECKED) {
        sum = on.add(sum, &partial(begin)?)?;
    }
    if let Some((first, others)) = query.starts.split_first() {
        let all = others.iter().try_fold(first.clone(), |all, start| on.add(all, start))?;
        let lacking = on.plus(on.for_check(&all)?, &Slots::All(-1))?;
        let lacking = on.times(lacking, &Slots::Each(&|| random(bits.len())))?;
        sum = on.add(on.for_spoiling(&sum)?, &on.for_spoiling(&lacking)?)?;
    }
    let sum = on.trace(&on.for_spoiling(&sum)?, 1, ROW_BLOCKS)?;
    let swapped = on.swap_rows(&sum)?;
    on.add(sum, &swapped)
}

/// Column c, block b: 1, or the weight, in the lanes whose haplotype agrees with the query up to letter b·C + c; else 0.
fn matching<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    letters: Vec<A::Value>,
    starts: &[A::Value],
    rows: &dyn Rows,
    shard: usize,
) -> Result<Vec<A::Value>, A::Error> {
    let agreements =
        try_map_owned(letters, &|column, letter| agreement(on, letter, starts, rows, (shard, column)))?;
    let prefixes = prefix_products(on, agreements)?;
    if layout.shape.letters == 1 {
        return Ok(prefixes);
    }
    let before = before(on, &prefixes[prefixes.len() - 1])?;
    try_map(prefixes.len(), &|column| on.multiply(&prefixes[column], &before))
}

/// 1 where the query's letter is the panel's: q·(2p − 1) + (1 − p). With the start hidden, 1 − p is a sum over its candidates.
fn agreement<A: Carrier>(
    on: &A,
    letter: A::Value,
    starts: &[A::Value],
    rows: &dyn Rows,
    (shard, column): (usize, usize),
) -> Result<A::Value, A::Error> {
    if starts.is_empty() {
        let signed = on.times(letter, &Slots::Each(&|| rows.signs(shard, column)))?;
        return on.plus(on.settled(signed)?, &Slots::Each(&|| rows.zeros(0, shard, column)));
    }
    let zeros = |candidate: usize| {
        let zeros = || rows.zeros(candidate, shard, column);
        on.times(starts[candidate].clone(), &Slots::Each(&zeros))
    };
    let mut zero = zeros(0)?;
    for candidate in 1..starts.len() {
        zero = on.add(zero, &zeros(candidate)?)?;
    }
    let zero = on.settled(zero)?;
    let sign = on.times(zero.clone(), &Slots::All(-2))?;
    let sign = on.plus(sign, &Slots::Each(&|| rows.ones(shard, column)))?;
    on.add(on.multiply(&letter, &sign)?, &zero)
}

/// The columns of an answer, but for the check.
fn blind<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    counts: &[A::Value],
    blinding: &Blinding,
) -> Result<Vec<A::Value>, A::Error> {
    let columns = counts.len();
    let mut answers = try_map(columns, &|column| {
        on.times(counts[column].clone(), &Slots::Blocks(blinding.units(Purpose::Blind, column)))
    })?;
    if !layout.shape.counts {
        return Ok(answers);
    }
    let last = layout.shape.letters - 1;
    let hide = |column: usize, blocks: &dyn Fn(usize) -> bool| {
        let mut numbers = blinding.blocks(Purpose::Hide, column);
        for (block, number) in numbers.iter_mut().enumerate() {
            if layout.letter(block, column) >= last || !blocks(block) {
                *number = 0;
            }
        }
        Slots::Blocks(numbers)
    };
    let mut hidden = try_map(columns - 1, &|column| {
        on.add(on.times(counts[column + 1].clone(), &hide(column, &|_| true))?, &counts[column])
    })?;
    let mut end = counts[columns - 1].clone();
    if last > 0 {
        // The letter after a block's last is the next block's first, which may stand in the other row.
        let (column, turn) = (columns - 1, ROW_BLOCKS - 1);
        let in_row = on.rotate(&counts[0], &[1])?.remove(0);
        let in_other = on.rotate(&on.swap_rows(&counts[0])?, &[-(turn as i64)])?.remove(0);
        end = on.add(end, &on.times(in_row, &hide(column, &|block| block % ROW_BLOCKS != turn))?)?;
        end = on.add(end, &on.times(in_other, &hide(column, &|block| block == turn))?)?;
    }
    hidden.push(end);
    answers.append(&mut hidden);
    Ok(answers)
}

/// The product of a value's earlier blocks in the same lane: three products deep, of seven factors, which are 1 where there are fewer
/// earlier blocks.
fn before<A: Carrier>(on: &A, a: &A::Value) -> Result<A::Value, A::Error> {
    let keep = |value: &A::Value, keep: &dyn Fn(usize, usize) -> bool| {
        on.times(value.clone(), &blocks(|row, phase| i64::from(keep(row, phase))))
    };
    let fill = |value: A::Value, fill: &dyn Fn(usize, usize) -> bool| {
        on.plus(on.settled(value)?, &blocks(|row, phase| i64::from(fill(row, phase))))
    };
    // Of the same row, the blocks that are 1, 2 and 3 before.
    let images = on.rotate(a, &[-1, -2, -3])?;
    let mut factors = try_map(images.len(), &|at| {
        fill(keep(&images[at], &|_, phase| phase > at)?, &|_, phase| phase <= at)
    })?;
    // In the second row, all blocks of the first: those k after it, cyclically.
    let swapped = on.swap_rows(a)?;
    let images = on.rotate(&swapped, &[0, 1, 2, 3, -3, -2, -1])?;
    factors.extend(try_map(ROW_BLOCKS, &|k| {
        let mut image = keep(&images[k], &|row, phase| row == 1 && phase + k < ROW_BLOCKS)?;
        if k > 0 {
            // A rotation by k − 4.
            let around = &images[k + ROW_BLOCKS - 1];
            image = on.add(image, &keep(around, &|row, phase| row == 1 && phase + k >= ROW_BLOCKS)?)?;
        }
        fill(image, &|row, _| row == 0)
    })?);
    while factors.len() > 1 {
        factors = try_map(factors.len().div_ceil(2), &|pair| match factors.get(2 * pair + 1) {
            Some(second) => on.multiply(&factors[2 * pair], second),
            None => Ok(factors[2 * pair].clone()),
        })?;
    }
    Ok(factors.remove(0))
}
