//! The walk of the PBWT under encryption: the haplotypes that still match stand side by side at every stride's beginning, as in the
//! server's transform, and every stride but the first moves them to their next places.
//!
//! Source: Ishimaki, Imabayashi, Shimizu, Yamana, "Privacy-preserving string search for genome sequences with FHE bootstrapping
//! optimization" (IEEE Big Data, 2016), which moves the interval's ends; here its indicator moves.

use asanoha_circuits::parallel::try_map;

use super::{
    blinding::{Blinding, Purpose},
    carrier::{Carrier, Slots},
    prefix::prefix_products,
    rows::Rows,
    shape::{BLOCKS, ROW_BLOCKS, SlotLayout},
};

/// For each letter: 1, or the weight, in the places of the haplotypes that agree with the query up to it; else 0.
pub(super) fn walk<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    letters: &[A::Value],
    rows: &dyn Rows,
    shard: usize,
    stride: usize,
) -> Result<Vec<A::Value>, A::Error> {
    let mut matching: Option<A::Value> = None;
    let mut counts = Vec::with_capacity(letters.len());
    for (at, letters) in letters.chunks(stride).enumerate() {
        let agreements = try_map(letters.len(), &|place| {
            let letter = match &matching {
                Some(matching) => on.beside(&letters[place], matching, letters.len())?,
                None => letters[place].clone(),
            };
            let number = at * stride + place;
            let signs = || rows.course(shard).signs(number);
            let zeros = || rows.course(shard).zeros(number);
            let signed = on.settled(on.times(letter, &Slots::Each(&signs))?)?;
            on.plus(signed, &Slots::Each(&zeros))
        })?;
        let mut stretch = prefix_products(on, agreements)?;
        if let Some(matching) = &matching {
            stretch = try_map(stretch.len(), &|place| on.multiply_lossless(&stretch[place], matching))?;
        }
        counts.append(&mut stretch);
        let last = &counts[counts.len() - 1];
        if at == 0 {
            matching = Some(last.clone());
        } else if counts.len() < layout.shape.letters {
            matching = Some(advance(layout, on, last, rows, (shard, at - 1), stride)?);
        }
    }
    Ok(counts)
}

/// The places after a stride, in all eight copies, of numbers that stand in one copy.
///
/// A place moves by c·S − d with 0 ≤ d < S: copy c is displaced by c·S to the right, and what moves so is taken from it by
/// d to the left. The copies are added up in the end.
fn advance<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    a: &A::Value,
    rows: &dyn Rows,
    (shard, at): (usize, usize),
    stride: usize,
) -> Result<A::Value, A::Error> {
    let steps = layout.steps(stride);
    let apart = (layout.lanes() + steps) as i64;
    let displaced = |a: &A::Value, places: i64| Ok(on.rotate(a, &[-places])?.remove(0));
    let a = on.add_image(a.clone(), &displaced(a, apart)?)?;
    let image = displaced(&a, 2 * apart)?;
    let a = on.add_image(a, &image)?;
    let other = on.swap_rows(&displaced(&a, (ROW_BLOCKS * steps) as i64)?)?;
    let a = on.add_image(a, &other)?;
    let a = on.diagonals(&a, steps, &|step| rows.course(shard).moves(at, step))?;
    let a = on.lossless(a)?;
    let image = displaced(&a, layout.lanes() as i64)?;
    let a = on.add_image(a, &image)?;
    let image = displaced(&a, 2 * layout.lanes() as i64)?;
    let a = on.add_image(a, &image)?;
    let image = on.swap_rows(&a)?;
    on.add_image(a, &image)
}

/// The numbers of an answer, but for the check, in the order that they're packed in; there are places without one.
///
/// As counts are sums over all slots, so are their sums times numbers; these hide as those of the scan do. They go as numbers of
/// blocks, whose bound on the noise doesn't depend on which were drawn.
pub(super) fn blind_sums<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    counts: &[A::Value],
    blinding: &Blinding,
) -> Result<Vec<Option<A::Value>>, A::Error> {
    let columns = layout.answer_columns();
    try_map(BLOCKS * columns, &|at| {
        let (column, block) = (at % columns, at / columns);
        let of = column % layout.columns();
        let letter = layout.letter(block, of);
        let Some(count) = counts.get(letter) else { return Ok(None) };
        if column < layout.columns() {
            let number = blinding.units(Purpose::Blind, of)[block];
            return on.times(count.clone(), &Slots::Blocks([number; BLOCKS])).map(Some);
        }
        let Some(next) = counts.get(letter + 1) else { return Ok(Some(count.clone())) };
        let number = blinding.blocks(Purpose::Hide, of)[block];
        let next = on.times(next.clone(), &Slots::Blocks([number; BLOCKS]))?;
        on.add(next, count).map(Some)
    })
}
