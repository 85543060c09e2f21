//! Polynomials through given values.

use asanoha_ring::Modulus;
use rayon::prelude::*;

use super::Domain;

/// Points whose values are found side by side: each alone would wait for its own products.
const LANES: usize = 8;
/// Polynomials of so many coefficients, both of them, are multiplied by transforms.
const SHORT: usize = 512;

impl Domain {
    /// The coefficients of the polynomial with the given residues at the points, the constant one first.
    ///
    /// Its degree is below the number of points, or, where t − 1 is a power of two and more than half of all residues
    /// are points, below t − 1 (t − 1 if all are): such degrees take the same depth, and one Fourier transform finds the
    /// coefficients.
    ///
    /// # Panics
    /// If there aren't as many residues as points.
    pub(crate) fn interpolate(&self, values: &[u64]) -> Vec<u64> {
        assert_eq!(values.len(), self.len());
        let order = self.modulus().value() - 1;
        if order.is_power_of_two() && self.len() as u64 > order / 2 {
            return over_all_residues(self.modulus(), self.points(), values);
        }
        // Σᵤ wᵤ·M/(X − pᵤ) with M = ∏ (X − pᵤ) and wᵤ = valueᵤ/M'(pᵤ).
        let q = self.modulus();
        let slopes = slopes(q, self.points());
        let weight = |(&slope, &value)| q.mul(value, q.inverse(slope).expect("the points differ"));
        let weights: Vec<u64> = slopes.iter().zip(values).map(weight).collect();
        fractions(q, self.points(), &weights).0
    }
}

/// M'(pᵤ) = ∏ (pᵤ − pᵥ) over all others: (−1)^(n−1−u)·u!·(n−1−u)! where each point is one above the last.
fn slopes(q: &Modulus, points: &[u64]) -> Vec<u64> {
    if points.windows(2).all(|pair| q.sub(pair[1], pair[0]) == 1) {
        let next = |factorial: &mut u64, k: u64| {
            *factorial = if k == 0 { 1 } else { q.mul(*factorial, q.reduce(k)) };
            Some(*factorial)
        };
        let factorials: Vec<u64> = (0..points.len() as u64).scan(1, next).collect();
        let pairs = factorials.iter().zip(factorials.iter().rev()).enumerate();
        return pairs
            .map(|(u, (&below, &above))| {
                let slope = q.mul(below, above);
                if (points.len() - 1 - u).is_multiple_of(2) { slope } else { q.neg(slope) }
            })
            .collect();
    }
    let product = product(q, points);
    let derivative = product.iter().enumerate().skip(1).map(|(k, &c)| q.mul(c, q.reduce(k as u64)));
    let derivative: Vec<u64> = derivative.collect();
    points.par_chunks(LANES).flat_map_iter(|points| horner(q, &derivative, points)).collect()
}

/// The values of a polynomial at a few points.
fn horner(q: &Modulus, coefficients: &[u64], points: &[u64]) -> Vec<u64> {
    let factors: Vec<_> = points.iter().map(|&point| q.shoup(point)).collect();
    let mut values = vec![0; points.len()];
    for &c in coefficients.iter().rev() {
        values.iter_mut().zip(&factors).for_each(|(value, &x)| *value = q.add(q.mul_shoup(*value, x), c));
    }
    values
}

/// ∏ (X − pᵤ).
fn product(q: &Modulus, points: &[u64]) -> Vec<u64> {
    if let [point] = points {
        return vec![q.neg(*point), 1];
    }
    let (left, right) = points.split_at(points.len() / 2);
    let (left, right) = rayon::join(|| product(q, left), || product(q, right));
    multiply(q, &left, &right)
}

/// Σᵤ wᵤ·M/(X − pᵤ), and M, by halves: N = N₁·M₂ + N₂·M₁.
fn fractions(q: &Modulus, points: &[u64], weights: &[u64]) -> (Vec<u64>, Vec<u64>) {
    if let [point] = points {
        return (weights.to_vec(), vec![q.neg(*point), 1]);
    }
    let (left, right) = points.split_at(points.len() / 2);
    let (left_weights, right_weights) = weights.split_at(left.len());
    let ((n1, m1), (n2, m2)) =
        rayon::join(|| fractions(q, left, left_weights), || fractions(q, right, right_weights));
    let (mut sum, (other, whole)) = rayon::join(
        || multiply(q, &n1, &m2),
        || rayon::join(|| multiply(q, &n2, &m1), || multiply(q, &m1, &m2)),
    );
    // As long as there are points; the halves may differ by one.
    sum.iter_mut().zip(&other).for_each(|(sum, &c)| *sum = q.add(*sum, c));
    (sum, whole)
}

/// The product of two polynomials: by Fourier transforms where they're long and t has the roots of unity for it.
fn multiply(q: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let length = a.len() + b.len() - 1;
    let size = length.next_power_of_two();
    if a.len().min(b.len()) < SHORT || !(q.value() - 1).is_multiple_of(size as u64) {
        return multiply_short(q, a, b);
    }
    let root = root_of_unity(q, size as u64);
    let [mut product, other] = [a, b].map(|input| {
        let mut input = input.to_vec();
        input.resize(size, 0);
        transform(q, &mut input, root);
        input
    });
    product.iter_mut().zip(&other).for_each(|(a, &b)| *a = q.mul(*a, b));
    transform(q, &mut product, q.inverse(root).expect("it isn't 0"));
    let factor = q.shoup(q.inverse(q.reduce(size as u64)).expect("t is odd"));
    product.truncate(length);
    product.iter_mut().for_each(|c| *c = q.mul_shoup(*c, factor));
    product
}

/// An element of an order that is a power of two above 1, which divides t − 1.
fn root_of_unity(q: &Modulus, order: u64) -> u64 {
    let exponent = (q.value() - 1) / order;
    let mut roots = (2..q.value()).map(|x| q.pow(x, exponent));
    roots.find(|&root| q.pow(root, order / 2) == q.value() - 1).expect("every non-residue gives one")
}

/// The product of two polynomials, term by term.
fn multiply_short(q: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0; a.len() + b.len() - 1];
    if q.bits() > 31 {
        for (i, &a) in a.iter().enumerate() {
            let a = q.shoup(a);
            product[i..].iter_mut().zip(b).for_each(|(sum, &b)| *sum = q.add(*sum, q.mul_shoup(b, a)));
        }
        return product;
    }
    // The number of products that fit a word beside a residue.
    let lazy = (u64::MAX / q.value().pow(2) - 1) as usize;
    for (group, terms) in a.chunks(lazy).enumerate() {
        for (i, &a) in terms.iter().enumerate() {
            product[group * lazy + i..].iter_mut().zip(b).for_each(|(sum, &b)| *sum += a * b);
        }
        product.iter_mut().for_each(|sum| *sum = q.reduce(*sum));
    }
    product
}

/// The polynomial of degree below t through the values: with g a generator of the residues but 0 and f its values,
/// cₖ = −Σᵢ f(gⁱ)·g^(−ik), c₀ = f(0), and c_(t−1) = −Σ f. The value at a residue that is no point, if there is one, is
/// free, and makes that vanish.
fn over_all_residues(q: &Modulus, points: &[u64], values: &[u64]) -> Vec<u64> {
    let order = q.value() as usize - 1;
    let mut at: Vec<Option<u64>> = vec![None; order + 1];
    points.iter().zip(values).for_each(|(&point, &value)| at[point as usize] = Some(value));
    let negated_sum = q.neg(values.iter().fold(0, |sum, &value| q.add(sum, value)));
    let free = at.iter().position(Option::is_none);
    if let Some(free) = free {
        at[free] = Some(negated_sum);
    }
    let at: Vec<u64> = at.into_iter().map(|value| value.unwrap_or(0)).collect();

    let generator =
        (2..q.value()).find(|&g| q.pow(g, order as u64 / 2) == order as u64).expect("t is an odd prime");
    let inverse = q.inverse(generator).expect("it isn't 0");
    let powers: Vec<u64> =
        std::iter::successors(Some(1), |&x| Some(q.mul(x, generator))).take(order).collect();
    let mut coefficients: Vec<u64> = powers.iter().map(|&x| at[x as usize]).collect();
    transform(q, &mut coefficients, inverse);
    coefficients.iter_mut().for_each(|c| *c = q.neg(*c));
    coefficients[0] = at[0];
    if free.is_none() {
        coefficients.push(negated_sum);
    }
    coefficients
}

/// Σᵢ aᵢ·root^(ik) in the place of aₖ, for a root of unity of the order of their number, a power of two.
fn transform(q: &Modulus, a: &mut [u64], root: u64) {
    let n = a.len();
    if n == 1 {
        return;
    }
    let (mut even, mut odd): (Vec<u64>, Vec<u64>) = a.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
    let square = q.mul(root, root);
    transform(q, &mut even, square);
    transform(q, &mut odd, square);
    let (low, high) = a.split_at_mut(n / 2);
    let mut power = 1;
    for k in 0..n / 2 {
        let twisted = q.mul(odd[k], power);
        (low[k], high[k]) = (q.add(even[k], twisted), q.sub(even[k], twisted));
        power = q.mul(power, root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(domain: &Domain, seed: u64) {
        let q = domain.modulus();
        let value = |i: usize| q.reduce((i as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let values: Vec<u64> = (0..domain.len()).map(value).collect();
        let coefficients = domain.interpolate(&values);
        assert_eq!(
            coefficients.len().next_power_of_two(),
            domain.len().next_power_of_two(),
            "{} points modulo {}",
            domain.len(),
            q.value()
        );
        // A sample of the points where there are many.
        for (point, value) in domain.points().iter().zip(&values).step_by(domain.len() / 100 + 1) {
            assert_eq!(horner(q, &coefficients, &[*point]), [*value]);
        }
    }

    #[test]
    fn polynomials_go_through_their_values() {
        for modulus in [17, 257, 65537, (1 << 31) - 1, 4293918721, (1 << 61) - 1] {
            let q = Modulus::new(modulus).unwrap();
            for last in [0, 1, 2, 6, 13, 14, 15, 16, 60, 100, 200, 255, 256, 400] {
                if last < modulus as i64 {
                    hold(&Domain::integers(&q, 0..=last).unwrap(), modulus);
                    hold(&Domain::integers(&q, -last / 2..=last - last / 2).unwrap(), modulus);
                }
            }
        }
        let q = Modulus::new(65537).unwrap();
        hold(&Domain::roots(&q, 0..=255).unwrap(), 1);
        hold(&Domain::roots(&q, 0..=99).unwrap(), 1);
    }

    #[test]
    fn transforms_multiply_as_term_by_term_products_do() {
        for modulus in [786433u64, 4293918721, 65537] {
            let q = Modulus::new(modulus).unwrap();
            let polynomial = |length: u64, seed: u64| -> Vec<u64> {
                (0..length).map(|i| q.reduce((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
            };
            for (a, b) in [(512, 512), (513, 700), (2000, 512), (1024, 1025)] {
                let (a, b) = (polynomial(a, 1), polynomial(b, 2));
                assert_eq!(multiply(&q, &a, &b), multiply_short(&q, &a, &b), "modulo {modulus}");
            }
        }
    }

    #[test]
    fn slopes_of_runs_are_those_of_the_definition() {
        let q = Modulus::new(786433).unwrap();
        for points in [vec![0, 1, 2, 3, 4], vec![786431, 786432, 0, 1], vec![7], vec![3, 5, 6, 100]] {
            let of = |&p: &u64| {
                points
                    .iter()
                    .filter(|&&other| other != p)
                    .fold(1, |slope, &other| q.mul(slope, q.sub(p, other)))
            };
            assert_eq!(slopes(&q, &points), points.iter().map(of).collect::<Vec<_>>());
        }
    }

    #[test]
    fn polynomials_through_tens_of_thousands_of_values_are_right() {
        let q = Modulus::new(65537).unwrap();
        for range in [0..=65535, -32768..=32767, 0..=40000, 0..=5000] {
            hold(&Domain::integers(&q, range).unwrap(), 2);
        }
    }
}
