//! The rotations φᵏ(σ(A)) and ψᵏ(τ(B)) of blocks, a few k at a time.

use std::{cell::OnceCell, ops::Range};

use asanoha_lattice::Level;
use asanoha_scheme::{Exact, MaskedRotation, Operand, Operations, SchemeError};

use super::{Rotations, steps::Steps};

/// The most images of a block that are made at a time.
pub(super) const PIECE: usize = 16;

/// What the images of a block are rotated from.
pub(super) struct Source<V> {
    /// Two for a left block: σ(A) at −m·d slots, and at 0.
    bases: Vec<V>,
    /// The images at which the bases stand.
    at: usize,
    next: usize,
}

/// The images of a left block start here.
pub(super) fn left_source<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    block: &V,
) -> Result<Source<V>, SchemeError> {
    let low = operations.lowered(block, steps.levels.left)?.into_owned();
    let high = operations.rotate(&low, steps.packing.right_step())?;
    Ok(Source { bases: vec![low, high], at: 0, next: 0 })
}

/// The images of a right block start here.
pub(super) fn right_source<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    block: &V,
) -> Result<Source<V>, SchemeError> {
    let base = operations.lowered(block, steps.levels.product)?.into_owned();
    Ok(Source { bases: vec![base], at: 0, next: 0 })
}

/// The next φᵏ(σ(A)), at the level of products; none after the last.
pub(super) fn left_images<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    source: &mut Source<V>,
) -> Result<Vec<V>, SchemeError> {
    let step = steps.packing.left_step();
    let offsets = advance(steps, operations, source, step)?;
    let (at, mut images) = (source.at, Vec::with_capacity(offsets.len()));
    if at + offsets.start == 0 && !offsets.is_empty() {
        images.push(operations.lowered(&source.bases[1], steps.levels.product)?.into_owned());
    }
    let masked = offsets.start + images.len()..offsets.end;
    if steps.options.lazy {
        early_masked(steps, operations, source, masked, &mut images)?;
    } else {
        late_masked(steps, operations, source, masked, &mut images)?;
    }
    Ok(images)
}

/// The next ψᵏ(τ(B)), at the level of products; none after the last.
pub(super) fn right_images<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    source: &mut Source<V>,
) -> Result<Vec<V>, SchemeError> {
    let step = steps.packing.right_step();
    let offsets = advance(steps, operations, source, step)?;
    rotated(steps, operations, &source.bases[0], offsets, step)
}

/// The offsets from the bases of the next images, after the bases have moved there if a group is done.
fn advance<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    source: &mut Source<V>,
    step: i64,
) -> Result<Range<usize>, SchemeError> {
    let Source { bases, at, next } = source;
    let side = steps.packing.side();
    if *next < side && *next - *at == steps.group {
        let rotation = steps.group as i64 * step;
        *bases = bases.iter().map(|base| operations.rotate(base, rotation)).collect::<Result<_, _>>()?;
        *at = *next;
    }
    let end = (*next + PIECE).min(*at + steps.group).min(side);
    let offsets = *next - *at..end - *at;
    *next = end;
    Ok(offsets)
}

/// Rotations of a ciphertext by multiples of a step.
fn rotated<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    base: &V,
    offsets: Range<usize>,
    step: i64,
) -> Result<Vec<V>, SchemeError> {
    let rotations = offsets.map(|offset| offset as i64 * step);
    match steps.options.rotations {
        Rotations::Plain => rotations.map(|rotation| operations.rotate(base, rotation)).collect(),
        _ => operations.rotate_many(base, &rotations.collect::<Vec<_>>()),
    }
}

/// Both rotations are masked and added before their mod-down.
fn early_masked<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    source: &Source<V>,
    offsets: Range<usize>,
    images: &mut Vec<V>,
) -> Result<(), SchemeError> {
    let Source { bases, at, .. } = source;
    let sources: Vec<&V> = bases.iter().collect();
    let masks: Vec<_> = offsets.clone().map(|offset| steps.masks.of(at + offset)).collect();
    let sum = |(masks, offset): (_, usize)| {
        let rotation = offset as i64 * steps.packing.left_step();
        let masks: &[_; 2] = masks;
        let terms = masks.iter().enumerate();
        terms.map(|(source, mask)| MaskedRotation { source, rotation, mask }).collect::<Vec<_>>()
    };
    let sums: Vec<_> = masks.iter().map(|masks| &**masks).zip(offsets).map(sum).collect();
    let level = if steps.options.merged { steps.levels.product } else { steps.levels.left };
    let at_once = if steps.options.rotations == Rotations::Plain { 1 } else { PIECE };
    for sums in sums.chunks(at_once) {
        for image in operations.masked_rotations(&sources, sums, level)? {
            images.push(at_level(operations, image, steps.levels.product)?);
        }
    }
    Ok(())
}

/// Both rotations are finished before they're masked and added.
fn late_masked<S: Exact, V: Operand<S>>(
    steps: &Steps<S>,
    operations: &Operations<S, V>,
    source: &Source<V>,
    offsets: Range<usize>,
    images: &mut Vec<V>,
) -> Result<(), SchemeError> {
    let step = steps.packing.left_step();
    let rotated = |base: &V| rotated(steps, operations, base, offsets.clone(), step);
    let [low, high] = [rotated(&source.bases[0])?, rotated(&source.bases[1])?];
    for ((low, high), offset) in low.iter().zip(&high).zip(offsets.clone()) {
        let k = source.at + offset;
        let (masks, plaintexts) = (steps.masks.of(k), OnceCell::new());
        let masked = |image: &V, which: usize| {
            let plaintexts = || plaintexts.get_or_init(|| steps.masks.plaintexts(k));
            operations.mul_known(image, &masks[which].norm(), || Ok(&plaintexts()[which]))
        };
        let mut sum = masked(low, 0)?;
        operations.add_assign(&mut sum, &masked(high, 1)?)?;
        images.push(at_level(operations, sum, steps.levels.product)?);
    }
    Ok(())
}

/// A ciphertext at a level.
pub(super) fn at_level<S: Exact, V: Operand<S>>(
    operations: &Operations<S, V>,
    value: V,
    level: Level,
) -> Result<V, SchemeError> {
    if value.state().level == level { Ok(value) } else { operations.switch_to(&value, level) }
}
