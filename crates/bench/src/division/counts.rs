//! The operations of the published method, counted: Table 2 of the paper.

use std::convert::Infallible;

use asanoha_circuits::{
    CostCounter, TableError,
    division::{Interpolations, quotient},
};
use asanoha_ring::Modulus;
use serde::Serialize;

use super::paper::{PaperFunction, const_function, next_prime, pows};

/// What an algorithm of the paper takes at one width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DivisionCount {
    /// The name of the algorithm: `Pows`, `ConstEq`, `ConstDiv` or `Div`.
    pub algorithm: &'static str,
    /// The width of the operands in bits.
    pub bits: u32,
    /// The plaintext modulus.
    pub plaintext_modulus: u64,
    /// The products one after another.
    pub depth: usize,
    /// The products of two ciphertexts.
    pub products: usize,
    /// The additions of two ciphertexts.
    pub additions: usize,
    /// The products of a ciphertext and a constant.
    pub constant_products: usize,
}

type Counted = Result<usize, Infallible>;

/// The counts of every algorithm for operands of `bits` bits. ConstEq and ConstDiv begin with the powers.
pub(super) fn counts(bits: u32) -> Result<Vec<DivisionCount>, TableError> {
    let p = next_prime(bits);
    let modulus = Modulus::new(p).expect("it's a prime of few bits");
    let points = p as usize;
    let equal = Interpolations::new(&modulus, points, |x, y| i64::from(x == y))?;
    let divided = Interpolations::new(&modulus, points, quotient)?;
    let division = PaperFunction::division(&modulus, points)?;
    let count = |algorithm, run: &dyn Fn(&CostCounter) -> Counted| {
        let counter = CostCounter::new(p);
        let Ok(_) = run(&counter);
        let (depth, total) = (counter.cost().depth, counter.cost().total());
        let (products, additions) = (total.products, total.additions);
        let constant_products = total.constant_products;
        DivisionCount { algorithm, bits, plaintext_modulus: p, depth, products, additions, constant_products }
    };
    let powers = vec![0; points];
    Ok(vec![
        count("Pows", &|counter| Ok(pows(counter, &counter.input(), points)?.len())),
        count("ConstEq", &|counter| const_function(counter, &powers, &equal, 1)),
        count("ConstDiv", &|counter| const_function(counter, &powers, &divided, 1)),
        count("Div", &|counter| division.apply(counter, &counter.input(), &counter.input())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_algorithms() {
        for bits in 2..=6 {
            let [powers, equal, divided, division] = <[_; 4]>::try_from(counts(bits).unwrap()).unwrap();
            let p = next_prime(bits) as usize;
            let levels = (p - 1).next_power_of_two().ilog2() as usize;
            // p − 2 products; then p products with constants and p − 1 additions.
            let of = |count: &DivisionCount| {
                (count.depth, count.products, count.additions, count.constant_products)
            };
            assert_eq!(of(&powers), (levels, p - 2, 0, 0), "{bits}");
            assert_eq!(of(&equal), (0, 0, p - 1, p), "{bits}");
            assert_eq!(of(&divided), of(&equal), "{bits}");
            let products = 2 * (p - 2) + p;
            assert_eq!(of(&division), (levels + 1, products, 2 * p * (p - 1) + p - 1, 2 * p * p), "{bits}");
        }
    }
}
