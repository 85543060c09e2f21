//! Polynomials modulo t, by their coefficients.

use crate::{ExactArithmetic, one_hot::powers};

/// How a polynomial of degree d is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// By Paterson–Stockmeyer: ⌈log2(d + 1)⌉ products deep, about 2√d + log2(d) of them, half at high levels.
    LeastDepth,
    /// As one bilinear form of baby and giant steps: one level more, about 2√d products, almost all at the lowest
    /// levels, and one relinearisation in the form: faster from degree 16 on, and by far for large degrees.
    LeastWork,
}

/// Σ cₖ·x^k, the constant coefficient first.
///
/// # Panics
/// If there are no coefficients.
pub fn evaluate_exact<A: ExactArithmetic>(
    arithmetic: &A,
    coefficients: &[u64],
    x: &A::Value,
    schedule: Schedule,
) -> Result<A::Value, A::Error> {
    Ok(evaluate_all(arithmetic, &[coefficients], x, schedule)?.swap_remove(0))
}

/// Several polynomials of one value, which share its powers.
///
/// # Panics
/// If there are no polynomials, or one without coefficients.
pub fn evaluate_all<A: ExactArithmetic>(
    arithmetic: &A,
    polynomials: &[&[u64]],
    x: &A::Value,
    schedule: Schedule,
) -> Result<Vec<A::Value>, A::Error> {
    let trimmed = |coefficients: &&[u64]| coefficients.iter().rposition(|&c| c != 0).map_or(1, |d| d + 1);
    let polynomials: Vec<&[u64]> =
        polynomials.iter().map(|coefficients| &coefficients[..trimmed(coefficients)]).collect();
    let length =
        polynomials.iter().map(|coefficients| coefficients.len()).max().expect("there's a polynomial");
    match schedule {
        _ if length <= 2 => {
            polynomials.iter().map(|coefficients| short(arithmetic, coefficients, x)).collect()
        }
        Schedule::LeastDepth => halving_steps(arithmetic, &polynomials, length, x),
        Schedule::LeastWork => baby_and_giant_steps(arithmetic, &polynomials, length, x),
    }
}

/// c₀ + c₁·x.
fn short<A: ExactArithmetic>(
    arithmetic: &A,
    coefficients: &[u64],
    x: &A::Value,
) -> Result<A::Value, A::Error> {
    let one = arithmetic.constant(1, arithmetic.level(x))?;
    arithmetic.weighted_sum(&[&one, x][..coefficients.len()], coefficients)
}

/// Babies x⁰ … x^(b−1) and giants x^b, x^2b, x^4b, … halve the polynomials until b coefficients are left.
/// Source: Paterson, Stockmeyer 1973.
fn halving_steps<A: ExactArithmetic>(
    arithmetic: &A,
    polynomials: &[&[u64]],
    length: usize,
    x: &A::Value,
) -> Result<Vec<A::Value>, A::Error> {
    let babies = 1usize << length.next_power_of_two().ilog2().div_ceil(2);
    let mut giants = Vec::new();
    let mut baby_steps = powers(arithmetic, x, &(1..=babies).collect::<Vec<_>>())?;
    giants.extend(baby_steps.pop());
    while babies << giants.len() < length {
        let giant = &giants[giants.len() - 1];
        giants.push(arithmetic.multiply(giant, giant)?);
    }
    let level = baby_steps.first().map_or(arithmetic.level(x), |power| arithmetic.level(power));
    baby_steps.insert(0, arithmetic.constant(1, level)?);
    let babies: Vec<&A::Value> = baby_steps.iter().collect();
    polynomials.iter().map(|coefficients| halve(arithmetic, coefficients, &babies, &giants)).collect()
}

/// p = q·x^g + r for the largest giant step g below the length.
fn halve<A: ExactArithmetic>(
    arithmetic: &A,
    coefficients: &[u64],
    babies: &[&A::Value],
    giants: &[A::Value],
) -> Result<A::Value, A::Error> {
    if coefficients.len() <= babies.len() {
        return arithmetic.weighted_sum(&babies[..coefficients.len()], coefficients);
    }
    let index = ((coefficients.len() - 1) / babies.len()).ilog2() as usize;
    let (low, high) = coefficients.split_at(babies.len() << index);
    let (low, high) = rayon::join(
        || halve(arithmetic, low, babies, giants),
        || arithmetic.multiply(&halve(arithmetic, high, babies, giants)?, &giants[index]),
    );
    arithmetic.add(&low?, &high?)
}

/// Σᵢ x^(b·i)·(Σⱼ c_(b·i+j)·x^j), with b about the square root of the length.
fn baby_and_giant_steps<A: ExactArithmetic>(
    arithmetic: &A,
    polynomials: &[&[u64]],
    length: usize,
    x: &A::Value,
) -> Result<Vec<A::Value>, A::Error> {
    let babies = 1usize << length.next_power_of_two().ilog2().div_ceil(2);
    let giants = length.div_ceil(babies);
    let exponents: Vec<usize> = (1..babies).chain((1..giants).map(|i| i * babies)).collect();
    let powers = powers(arithmetic, x, &exponents)?;
    let one = arithmetic.constant(1, arithmetic.level(&powers[0]))?;
    let (baby_steps, giant_steps) = powers.split_at(babies - 1);
    let left: Vec<&A::Value> = std::iter::once(&one).chain(giant_steps).collect();
    let right: Vec<&A::Value> = std::iter::once(&one).chain(baby_steps).collect();
    let form = |coefficients: &&[u64]| {
        let mut weights = coefficients.to_vec();
        weights.resize(babies * giants, 0);
        arithmetic.bilinear_form(&left, &weights, &right)
    };
    polynomials.iter().map(form).collect()
}

#[cfg(test)]
mod tests {
    use asanoha_ring::Modulus;

    use super::*;
    use crate::{CostCounter, PlainArithmetic};

    #[test]
    fn both_schedules_give_the_polynomial_s_value_with_the_promised_depth_and_products() {
        let modulus = Modulus::new(65537).unwrap();
        for length in (1..70).chain([255, 256, 257, 511, 1000]) {
            let coefficients: Vec<u64> = (0..length).map(|k| (k * k * 31 + 7) % 65537).collect();
            let points = [0i64, 1, -1, 5, 1000, -32768];
            for schedule in [Schedule::LeastDepth, Schedule::LeastWork] {
                let plain = PlainArithmetic::new(modulus, points.len());
                let x = plain.value(&points, 20);
                let value = evaluate_exact(&plain, &coefficients, &x, schedule).unwrap();
                for (slot, &point) in value.slots.iter().zip(&points) {
                    let horner = coefficients
                        .iter()
                        .rev()
                        .fold(0, |value, &c| modulus.add(modulus.mul(value, modulus.reduce_i64(point)), c));
                    assert_eq!(*slot, horner, "{schedule:?} of {length} at {point}");
                }
                // Shared powers change nothing.
                let shorter = &coefficients[..coefficients.len().div_ceil(2)];
                let both = evaluate_all(&plain, &[shorter, &coefficients], &x, schedule).unwrap();
                assert_eq!(both[1].slots, value.slots);
                assert_eq!(both[0].slots, evaluate_exact(&plain, shorter, &x, schedule).unwrap().slots);
                let depth = length.next_power_of_two().ilog2() as usize
                    + usize::from(schedule == Schedule::LeastWork && length > 2);
                assert!(20 - value.level <= depth, "{schedule:?} of {length}: {}", 20 - value.level);
                let counter = CostCounter::new(65537u32);
                let Ok(_) = evaluate_exact(&counter, &coefficients, &counter.input(), schedule);
                let cost = counter.cost();
                assert_eq!(cost.depth, 20 - value.level);
                let bound = 3.0 * (length as f64).sqrt() + 8.0;
                assert!((cost.total().products as f64) < bound, "{schedule:?} of {length}: {cost:?}");
            }
        }
    }
}
