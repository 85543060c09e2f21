//! Polynomials through given values.

use asanoha_ring::{Modulus, ShoupFactor};
use rayon::prelude::*;

/// Points whose values are found side by side: each alone would wait for its own products.
const LANES: usize = 8;
/// Polynomials of so many coefficients, both of them, are multiplied by transforms.
const SHORT: usize = 128;

/// What the interpolations on some points share.
#[derive(Debug)]
pub(super) enum Interpolation {
    OverAllResidues(AllResidues),
    Tree {
        /// 1/M'(pᵤ).
        inverse_slopes: Vec<u64>,
        tree: Tree,
        fourier: Fourier,
    },
}

impl Interpolation {
    pub(super) fn new(q: &Modulus, points: &[u64]) -> Self {
        let order = q.value() - 1;
        if order.is_power_of_two() && points.len() as u64 > order / 2 {
            return Self::OverAllResidues(AllResidues::new(q));
        }
        let twos = 1 << order.trailing_zeros().min(62);
        let fourier = Fourier::new(q, points.len().next_power_of_two().min(twos));
        let tree = Tree::new(&fourier, points);
        let mut inverse_slopes = slopes(q, points, || tree.product(&fourier));
        invert_all(q, &mut inverse_slopes);
        Self::Tree { inverse_slopes, tree, fourier }
    }

    /// The polynomial with the given residues at the points that this was made for.
    pub(super) fn polynomial(&self, q: &Modulus, points: &[u64], values: &[u64]) -> Vec<u64> {
        match self {
            Self::OverAllResidues(residues) => residues.interpolate(points, values),
            Self::Tree { inverse_slopes, tree, fourier } => {
                // Σᵤ wᵤ·M/(X − pᵤ) with M = ∏ (X − pᵤ) and wᵤ = valueᵤ/M'(pᵤ).
                let weights =
                    inverse_slopes.iter().zip(values).map(|(&inverse, &value)| q.mul(value, inverse));
                tree.fractions(fourier, &weights.collect::<Vec<_>>())
            }
        }
    }
}

/// M'(pᵤ) = ∏ (pᵤ − pᵥ) over all others: (−1)^(n−1−u)·u!·(n−1−u)! where each point is one above the last, else by M's derivative.
fn slopes(q: &Modulus, points: &[u64], product: impl FnOnce() -> Vec<u64>) -> Vec<u64> {
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
    let product = product();
    let derivative = product.iter().enumerate().skip(1).map(|(k, &c)| q.mul(c, q.reduce(k as u64)));
    let derivative: Vec<u64> = derivative.collect();
    points.par_chunks(LANES).flat_map_iter(|points| horner(q, &derivative, points)).collect()
}

/// The inverses of residues that aren't 0, by that of their product.
fn invert_all(q: &Modulus, residues: &mut [u64]) {
    let before =
        |product: &mut u64, &residue: &u64| Some(std::mem::replace(product, q.mul(*product, residue)));
    let products: Vec<u64> = residues.iter().scan(1, before).collect();
    let all = residues.iter().fold(1, |product, &residue| q.mul(product, residue));
    let mut inverse = q.inverse(all).expect("the points differ");
    for (residue, product) in residues.iter_mut().zip(products).rev() {
        let rest = q.mul(inverse, *residue);
        *residue = q.mul(inverse, product);
        inverse = rest;
    }
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

/// M = ∏ (X − pᵤ) by halves.
#[derive(Debug)]
pub(super) enum Tree {
    Point(u64),
    Halves {
        halves: Box<[Tree; 2]>,
        /// How many points the first one has.
        middle: usize,
        /// M of either half: its transform of as many places as there are points, if that's a power of two above, else its
        /// coefficients.
        products: [Vec<u64>; 2],
        /// The size of the transforms.
        size: Option<usize>,
    },
}

impl Tree {
    fn new(fourier: &Fourier, points: &[u64]) -> Self {
        if let [point] = points {
            return Self::Point(*point);
        }
        let middle = points.len() / 2;
        let (left, right) = points.split_at(middle);
        let half = |points: &[u64]| {
            let tree = Self::new(fourier, points);
            let product = tree.product(fourier);
            (tree, product)
        };
        let ((left, first), (right, second)) = rayon::join(|| half(left), || half(right));
        let size = Some(points.len().next_power_of_two());
        let size = size.filter(|&size| middle >= SHORT && size <= fourier.size());
        let products = [first, second].map(|product| match size {
            Some(size) => fourier.forward(&product, size),
            None => product,
        });
        Self::Halves { halves: Box::new([left, right]), middle, products, size }
    }

    fn points(&self) -> usize {
        match self {
            Self::Point(_) => 1,
            Self::Halves { halves, middle, .. } => middle + halves[1].points(),
        }
    }

    /// M's coefficients.
    fn product(&self, fourier: &Fourier) -> Vec<u64> {
        let q = &fourier.modulus;
        match self {
            Self::Point(point) => vec![q.neg(*point), 1],
            Self::Halves { products: [first, second], size: None, .. } => multiply_short(q, first, second),
            Self::Halves { products: [first, second], size: Some(size), .. } => {
                let values = first.iter().zip(second).map(|(&a, &b)| q.mul(a, b)).collect();
                let mut product = fourier.backward(values);
                let degree = self.points();
                product.resize(degree + 1, 0);
                if degree == *size {
                    // The leading coefficient came round to the constant one.
                    product[0] = q.sub(product[0], 1);
                    product[degree] = 1;
                }
                product
            }
        }
    }

    /// Σᵤ wᵤ·M/(X − pᵤ), as many coefficients as there are points, by halves: N = N₁·M₂ + N₂·M₁.
    fn fractions(&self, fourier: &Fourier, weights: &[u64]) -> Vec<u64> {
        let Self::Halves { halves, middle, products: [m1, m2], size } = self else { return weights.to_vec() };
        let q = &fourier.modulus;
        let (left, right) = weights.split_at(*middle);
        let part = |half: &Self, weights: &[u64]| {
            let fractions = half.fractions(fourier, weights);
            if let Some(size) = size { fourier.forward(&fractions, *size) } else { fractions }
        };
        let (n1, n2) = if weights.len() <= SHORT {
            (part(&halves[0], left), part(&halves[1], right))
        } else {
            rayon::join(|| part(&halves[0], left), || part(&halves[1], right))
        };
        if size.is_some() {
            let pairs = n1.iter().zip(m2).zip(n2.iter().zip(m1));
            let values = pairs.map(|((&a, &b), (&c, &d))| q.add(q.mul(a, b), q.mul(c, d)));
            let mut sum = fourier.backward(values.collect());
            sum.truncate(weights.len());
            sum
        } else {
            // The halves may differ by one, and the products don't.
            let (mut sum, other) = (multiply_short(q, &n1, m2), multiply_short(q, &n2, m1));
            sum.iter_mut().zip(&other).for_each(|(sum, &c)| *sum = q.add(*sum, c));
            sum
        }
    }
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

/// The values at all residues, for a prime t where t − 1 is a power of two.
#[derive(Debug)]
pub(super) struct AllResidues {
    /// By 1/g, for a generator g of the residues but 0.
    fourier: Fourier,
    /// gⁱ.
    powers: Vec<u64>,
}

impl AllResidues {
    fn new(q: &Modulus) -> Self {
        let order = q.value() as usize - 1;
        let generator = root_of_unity(q, order as u64);
        let inverse = q.inverse(generator).expect("it isn't 0");
        let powers = std::iter::successors(Some(1), |&x| Some(q.mul(x, generator))).take(order).collect();
        Self { fourier: Fourier::by(q, inverse, order), powers }
    }

    /// The polynomial of degree below t through the values: with f these, cₖ = −Σᵢ f(gⁱ)·g^(−ik), c₀ = f(0), and
    /// c_(t−1) = −Σ f. The value at a residue that is no point, if there is one, is free, and makes that vanish.
    fn interpolate(&self, points: &[u64], values: &[u64]) -> Vec<u64> {
        let q = &self.fourier.modulus;
        let mut at: Vec<Option<u64>> = vec![None; self.powers.len() + 1];
        points.iter().zip(values).for_each(|(&point, &value)| at[point as usize] = Some(value));
        let negated_sum = q.neg(values.iter().fold(0, |sum, &value| q.add(sum, value)));
        let free = at.iter().position(Option::is_none);
        if let Some(free) = free {
            at[free] = Some(negated_sum);
        }
        let at: Vec<u64> = at.into_iter().map(|value| value.unwrap_or(0)).collect();
        let values: Vec<u64> = self.powers.iter().map(|&x| at[x as usize]).collect();
        let mut coefficients = self.fourier.forward(&values, values.len());
        reverse_bits(&mut coefficients);
        coefficients.iter_mut().for_each(|c| *c = q.neg(*c));
        coefficients[0] = at[0];
        if free.is_none() {
            coefficients.push(negated_sum);
        }
        coefficients
    }
}

/// Fourier transforms modulo t of sizes up to one, powers of two that divide t − 1.
#[derive(Debug)]
pub(super) struct Fourier {
    modulus: Modulus,
    /// At h + k, for k below a power of two h, the k-th power of the root of order 2h.
    roots: Vec<ShoupFactor>,
}

impl Fourier {
    fn new(q: &Modulus, size: usize) -> Self {
        Self::by(q, root_of_unity(q, size as u64), size)
    }

    /// By powers of a root of an order.
    fn by(q: &Modulus, root: u64, size: usize) -> Self {
        let mut roots = vec![q.shoup(1); size];
        let (mut half, mut root) = (size / 2, root);
        while half > 0 {
            let factor = q.shoup(root);
            for k in 1..half {
                roots[half + k] = q.shoup(q.mul_shoup(roots[half + k - 1].value, factor));
            }
            (half, root) = (half / 2, q.mul(root, root));
        }
        Self { modulus: *q, roots }
    }

    fn size(&self) -> usize {
        self.roots.len()
    }

    /// Σᵢ aᵢ·root^(ik), for the root whose order is the size, at the place that k's bits backwards are.
    fn forward(&self, a: &[u64], size: usize) -> Vec<u64> {
        let mut a = [a, &vec![0; size - a.len()]].concat();
        let q = &self.modulus;
        let mut half = size / 2;
        while half > 0 {
            let roots = &self.roots[half..2 * half];
            for block in a.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for ((x, y), &root) in low.iter_mut().zip(high).zip(roots) {
                    (*x, *y) = (q.add(*x, *y), q.mul_shoup(q.sub(*x, *y), root));
                }
            }
            half /= 2;
        }
        a
    }

    /// The inverse of [`Fourier::forward`], for as many values as its size.
    fn backward(&self, mut a: Vec<u64>) -> Vec<u64> {
        let (q, size) = (&self.modulus, a.len());
        let mut half = 1;
        while half < size {
            let roots = &self.roots[half..2 * half];
            for block in a.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for ((x, y), &root) in low.iter_mut().zip(high).zip(roots) {
                    let twisted = q.mul_shoup(*y, root);
                    (*x, *y) = (q.add(*x, twisted), q.sub(*x, twisted));
                }
            }
            half *= 2;
        }
        // By powers of the root, where those of its inverse were due: all but the first stand the other way round.
        a[1..].reverse();
        let factor = q.shoup(q.inverse(q.reduce(size as u64)).expect("t is odd"));
        a.iter_mut().for_each(|c| *c = q.mul_shoup(*c, factor));
        a
    }
}

/// An element of an order that is a power of two and divides t − 1.
fn root_of_unity(q: &Modulus, order: u64) -> u64 {
    if order == 1 {
        return 1;
    }
    let exponent = (q.value() - 1) / order;
    let mut roots = (2..q.value()).map(|x| q.pow(x, exponent));
    roots.find(|&root| q.pow(root, order / 2) == q.value() - 1).expect("every non-residue gives one")
}

/// Swaps the values at places that are each other's bits backwards, of as many as a power of two.
fn reverse_bits(a: &mut [u64]) {
    let bits = a.len().ilog2();
    for i in 0..a.len() {
        let reversed = i.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
        if i < reversed {
            a.swap(i, reversed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::one_hot::Domain;

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
            let fourier = Fourier::new(&q, 1 << 12);
            let polynomial = |length: u64, seed: u64| -> Vec<u64> {
                (0..length).map(|i| q.reduce((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
            };
            for (a, b) in [(1, 1), (1, 2), (512, 512), (513, 700), (2000, 512), (1024, 1025)] {
                let (a, b) = (polynomial(a, 1), polynomial(b, 2));
                let length = a.len() + b.len() - 1;
                let [x, y] = [&a, &b].map(|input| fourier.forward(input, length.next_power_of_two()));
                let mut product = fourier.backward(x.iter().zip(&y).map(|(&x, &y)| q.mul(x, y)).collect());
                product.truncate(length);
                assert_eq!(product, multiply_short(&q, &a, &b), "modulo {modulus}");
            }
        }
    }

    #[test]
    fn slopes_of_runs_are_those_of_the_definition() {
        let q = Modulus::new(786433).unwrap();
        let fourier = Fourier::new(&q, 4);
        for points in [vec![0, 1, 2, 3, 4], vec![786431, 786432, 0, 1], vec![7], vec![3, 5, 6, 100]] {
            let of = |&p: &u64| {
                points
                    .iter()
                    .filter(|&&other| other != p)
                    .fold(1, |slope, &other| q.mul(slope, q.sub(p, other)))
            };
            let product = || Tree::new(&fourier, &points).product(&fourier);
            let mut found = slopes(&q, &points, product);
            assert_eq!(found, points.iter().map(of).collect::<Vec<_>>());
            invert_all(&q, &mut found);
            assert_eq!(found, points.iter().map(|p| q.inverse(of(p)).unwrap()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_points_alone_determine_is_made_once() {
        let q = Modulus::new(786433).unwrap();
        let domain = Domain::integers(&q, 0..=5).unwrap();
        let shared = domain.clone();
        domain.interpolate(&[1, 2, 3, 4, 5, 6]);
        let made = domain.interpolation.get().unwrap();
        shared.interpolate(&[6, 5, 4, 3, 2, 1]);
        assert!(std::ptr::eq(made, shared.interpolation.get().unwrap()));
        assert_eq!(domain, Domain::integers(&q, 0..=5).unwrap());
    }

    #[test]
    fn trees_of_many_points_multiply_theirs() {
        let q = Modulus::new(786433).unwrap();
        let fourier = Fourier::new(&q, 1 << 11);
        for count in [2 * SHORT, 2 * SHORT + 1, 4 * SHORT - 1, 4 * SHORT, 1000] {
            let points: Vec<u64> = (0..count as u64).map(|i| q.reduce(i * i)).collect();
            let product = Tree::new(&fourier, &points).product(&fourier);
            let by_terms = |product: Vec<u64>, &point: &u64| multiply_short(&q, &product, &[q.neg(point), 1]);
            assert_eq!(product, points.iter().fold(vec![1], by_terms), "{count} points");
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
