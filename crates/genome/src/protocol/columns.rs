//! Columns: polynomials in X^(N/8), which have the same number in all lanes, many in one ciphertext and each in its own.
//!
//! Column c of C stands at X^(c·G), G = lanes/C. Automorphism i, for i from 0 on, is a rotation by (N/4)/2^i places, the last the
//! swap of the rows: it maps X^(m·2^i) to (−1)^m·X^(m·2^i). The sum of the images under all products of those below log2(lanes) is
//! the sum over all lanes.
//! Sources: Angel, Chen, Laine, Setty, "PIR with compressed queries and amortized query processing" (IEEE S&P 2018), for the
//! expansion; Chen, Dai, Kim, Song, "Efficient homomorphic conversion between (ring) LWE ciphertexts" (ACNS 2021), for the packing.

use asanoha_circuits::parallel::try_map_owned;

use super::{carrier::Carrier, shape::SlotLayout};

/// The image under automorphism i.
fn automorphism<A: Carrier>(layout: &SlotLayout, on: &A, a: &A::Value, i: u32) -> Result<A::Value, A::Error> {
    match (layout.ring_degree as i64 / 4) >> i {
        0 => on.swap_rows(a),
        rotation => Ok(on.rotate(a, &[rotation])?.remove(0)),
    }
}

/// The sum of the images under all products of the first so many automorphisms.
fn trace<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    a: &A::Value,
    automorphisms: u32,
) -> Result<A::Value, A::Error> {
    on.trace(a, (layout.ring_degree / 2) >> automorphisms, 1 << automorphisms)
}

/// The polynomials of the even and the odd multiples of 2^i, of polynomials in X^(2^i): twice the terms of one kind, then
/// those of the other times X^(−2^i).
pub(super) fn split<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    values: Vec<A::Value>,
    i: u32,
) -> Result<Vec<A::Value>, A::Error> {
    let halves = try_map_owned(values, &|_, value| {
        let image = automorphism(layout, on, &value, i)?;
        Ok((on.add(value.clone(), &image)?, on.sub(value, &image)?))
    })?;
    let (mut even, odd): (Vec<_>, Vec<_>) = halves.into_iter().unzip();
    even.extend(on.shift(odd, -(1 << i))?);
    Ok(even)
}

/// The columns of a ciphertext, each in its own and times the number of lanes. What else the ciphertext holds is gone, so that no
/// column has different numbers in two lanes.
pub(super) fn expand<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    a: &A::Value,
    columns: usize,
) -> Result<Vec<A::Value>, A::Error> {
    let first = (layout.lanes() / columns).ilog2();
    let a = trace(layout, on, a, first)?;
    (first..layout.lanes().ilog2()).try_fold(vec![a], |values, i| split(layout, on, values, i))
}

/// The sums over all lanes of each of some values, as columns of one ciphertext; of a walk those over all slots, each at one
/// coefficient.
pub(super) fn pack<A: Carrier>(
    layout: &SlotLayout,
    on: &A,
    values: Vec<A::Value>,
) -> Result<A::Value, A::Error> {
    let summed = if layout.stride.is_some() { layout.ring_degree } else { layout.lanes() };
    let first = (summed / values.len()).ilog2();
    let mut values = values;
    for i in (first..summed.ilog2()).rev() {
        let odd = on.shift(values.split_off(values.len() / 2), 1 << i)?;
        values = try_map_owned(values, &|at, even| {
            let image = automorphism(layout, on, &on.sub(even.clone(), &odd[at])?, i)?;
            on.add(on.add(even, &odd[at])?, &image)
        })?;
    }
    trace(layout, on, &values[0], first)
}
