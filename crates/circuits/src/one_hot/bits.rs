//! Indicators of numbers that are given by encrypted bits.

use num_traits::ToPrimitive;

use crate::{
    ExactArithmetic,
    level::lowered,
    parallel::{try_map, try_map_owned},
};

/// The most bits of a number with indicators: 2^10 of these.
pub(crate) const MAX_BITS: u32 = 10;

/// The indicators \[x = 0\], …, \[x = 2^l − 1\] of a number x of l encrypted bits, the least significant first.
///
/// The indicators of the upper and of the lower half of the bits multiply to those of all. Only products of numbers above
/// 0 are computed, 2^l − 1 − l in all; the others follow by subtraction, as the indicators of a half add up to 1.
/// Depth: ⌈log2 l⌉. All are at one level.
///
/// # Panics
/// If there are no bits, or the plaintext modulus is wider than a word.
pub(crate) fn indicators_of_bits<A: ExactArithmetic>(
    arithmetic: &A,
    bits: &[A::Value],
) -> Result<Vec<A::Value>, A::Error> {
    assert!(!bits.is_empty());
    if let [bit] = bits {
        let one = arithmetic.constant(1, arithmetic.level(bit))?;
        return Ok(vec![arithmetic.sub(&one, bit)?, bit.clone()]);
    }
    let (lower, upper) = bits.split_at(bits.len().div_ceil(2));
    let [upper, lower] = [upper, lower].map(|half| indicators_of_bits(arithmetic, half));
    joined(arithmetic, upper?, lower?)
}

/// The indicators of a number from those of its upper and of its lower bits.
fn joined<A: ExactArithmetic>(
    arithmetic: &A,
    upper: Vec<A::Value>,
    lower: Vec<A::Value>,
) -> Result<Vec<A::Value>, A::Error> {
    let level = arithmetic.level(&upper[0]).min(arithmetic.level(&lower[0]));
    let [upper, lower] =
        [upper, lower].map(|half| try_map_owned(half, &|_, indicator| lowered(arithmetic, indicator, level)));
    let (upper, lower) = (upper?, lower?);
    let (rows, columns) = (upper.len(), lower.len());
    let above = columns - 1;
    let products =
        try_map((rows - 1) * above, &|i| arithmetic.multiply(&upper[i / above + 1], &lower[i % above + 1]))?;
    // Products of less noise may stay at higher levels.
    let level = products.iter().map(|product| arithmetic.level(product)).fold(level, usize::min);
    let products = try_map_owned(products, &|_, product| lowered(arithmetic, product, level))?;
    let minus_one = arithmetic.modulus().to_u64().expect("the plaintext modulus is a word") - 1;
    let rest = |whole: A::Value, parts: &[&A::Value]| {
        let whole = lowered(arithmetic, whole, level)?;
        let weights: Vec<u64> =
            std::iter::once(1).chain(std::iter::repeat_n(minus_one, parts.len())).collect();
        arithmetic.weighted_sum(&[&[&whole][..], parts].concat(), &weights)
    };
    let first_column = try_map_owned(upper, &|row, whole| {
        // That of 0 and 0 comes last.
        let Some(row) = row.checked_sub(1) else { return Ok(whole) };
        rest(whole, &products[row * above..(row + 1) * above].iter().collect::<Vec<_>>())
    })?;
    let first_row = try_map_owned(lower, &|column, whole| {
        let Some(column) = column.checked_sub(1) else { return Ok(whole) };
        rest(whole, &products.iter().skip(column).step_by(above).collect::<Vec<_>>())
    })?;
    let (mut first_column, mut first_row) = (first_column.into_iter(), first_row.into_iter());
    let (zero, _) = (first_column.next().expect("two indicators at least"), first_row.next());
    let first_row: Vec<A::Value> = first_row.collect();
    let mut all = Vec::with_capacity(rows * columns);
    all.push(rest(zero, &first_row.iter().collect::<Vec<_>>())?);
    all.extend(first_row);
    let mut products = products.into_iter();
    for of_zero in first_column {
        all.push(of_zero);
        all.extend(products.by_ref().take(above));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use asanoha_ring::Modulus;

    use super::*;
    use crate::PlainArithmetic;

    #[test]
    fn indicators_are_one_for_their_number_and_zero_for_the_others() {
        for (bits, depth) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (7, 3), (8, 3)] {
            let count = 1usize << bits;
            let plain = PlainArithmetic::new(Modulus::new(17).unwrap(), count);
            let bit = |place: usize| (0..count as i64).map(|x| x >> place & 1).collect::<Vec<_>>();
            let values: Vec<_> = (0..bits).map(|place| plain.value(&bit(place), 9)).collect();
            let indicators = indicators_of_bits(&plain, &values).unwrap();
            assert_eq!(indicators.len(), count);
            for (u, indicator) in indicators.iter().enumerate() {
                assert_eq!(indicator.level, 9 - depth, "{bits} bits");
                for (x, &value) in indicator.slots.iter().enumerate() {
                    assert_eq!(value, u64::from(u == x), "{x} = {u}?");
                }
            }
        }
    }
}
