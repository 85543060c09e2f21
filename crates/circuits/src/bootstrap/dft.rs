//! The transform between slots and coefficients, as products of sparse matrices.

use std::{collections::BTreeMap, f64::consts::TAU};

use crate::linear_transform::{LinearTransform, MatrixError};

/// A complex number: real part, imaginary part.
pub(super) type Complex = [f64; 2];

fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

/// The transform between n slots and the n complex numbers wₖ = cₖ + i·c_{k+n} that the 2n coefficients of a polynomial
/// make: zⱼ = Σₖ wₖ·ζ^(5^j·k) with ζ = exp(πi/2n). It's a bit reversal and then log2(n) layers of butterflies; matrices
/// of consecutive layers are multiplied with each other.
///
/// The bit reversal is left out both ways, as it's undone: bootstrapping puts slots into coefficients in reversed order, and takes
/// them out of these again.
///
/// Source: Cheon, Han, Hhan, "Faster homomorphic discrete Fourier transforms and improved FHE bootstrapping" (IEEE Access
/// 2019); Han, Ki, "Better bootstrapping for approximate homomorphic encryption" (CT-RSA 2020).
#[derive(Clone, Copy, Debug)]
pub struct SlotTransform {
    slots: usize,
}

impl SlotTransform {
    /// For n slots, a power of two.
    ///
    /// # Panics
    /// If it isn't one.
    pub fn new(slots: usize) -> Self {
        assert!(slots.is_power_of_two(), "{slots} slots must be a power of two");
        Self { slots }
    }

    /// The layers of butterflies.
    pub fn layers(self) -> u32 {
        self.slots.ilog2()
    }

    /// From coefficients in reversed order to slots: matrices to be applied one after another, the first first. Each is the
    /// product of as many layers as `merged` says, and has 2^(layers + 1) − 1 diagonals at most. All entries are multiplied
    /// by the same number, so that the product is by `factor`.
    ///
    /// # Errors
    /// [`MatrixError`], if there are no layers to merge.
    ///
    /// # Panics
    /// Unless the layers add up to all of them.
    pub fn to_slots(self, merged: &[u32], factor: f64) -> Result<Vec<LinearTransform<Complex>>, MatrixError> {
        let halves = (0..self.layers()).map(|layer| 1usize << layer);
        self.merge(halves.map(|half| self.layer(half)).collect(), merged, factor)
    }

    /// From slots to coefficients in reversed order, multiplied by `factor`: as [`SlotTransform::to_slots`], whose inverse
    /// it is for factors that are each other's.
    ///
    /// # Errors
    /// [`MatrixError`], if there are no layers to merge.
    ///
    /// # Panics
    /// Unless the layers add up to all of them.
    pub fn to_coefficients(
        self,
        merged: &[u32],
        factor: f64,
    ) -> Result<Vec<LinearTransform<Complex>>, MatrixError> {
        let halves = (0..self.layers()).rev().map(|layer| 1usize << layer);
        let inverse = factor / self.slots as f64;
        self.merge(halves.map(|half| self.inverse_layer(half)).collect(), merged, inverse)
    }

    /// x, y → x + y·r, x − y·r for all pairs `half` slots apart.
    fn layer(self, half: usize) -> Diagonals {
        self.butterflies(half, |root| [[[1.0, 0.0], root], [[1.0, 0.0], [-root[0], -root[1]]]])
    }

    /// x, y → x + y, (x − y)·r̄: the inverse, times 2.
    fn inverse_layer(self, half: usize) -> Diagonals {
        self.butterflies(half, |[re, im]| [[[1.0, 0.0], [1.0, 0.0]], [[re, -im], [-re, im]]])
    }

    /// The matrix of a layer, from the 2 × 2 matrix of a pair with a given root.
    fn butterflies(self, half: usize, pair: impl Fn(Complex) -> [[Complex; 2]; 2]) -> Diagonals {
        let order = 8 * half;
        let mut out = Diagonals::new(self.slots);
        let mut exponent = 1;
        for j in 0..half {
            let (sin, cos) = (TAU * exponent as f64 / order as f64).sin_cos();
            let [upper, lower] = pair([cos, sin]);
            for x in (j..self.slots).step_by(2 * half) {
                let y = x + half;
                out.add(x, x, upper[0]);
                out.add(x, y, upper[1]);
                out.add(y, x, lower[0]);
                out.add(y, y, lower[1]);
            }
            exponent = 5 * exponent % order;
        }
        out
    }

    fn merge(
        self,
        layers: Vec<Diagonals>,
        merged: &[u32],
        factor: f64,
    ) -> Result<Vec<LinearTransform<Complex>>, MatrixError> {
        assert_eq!(merged.iter().sum::<u32>() as usize, layers.len(), "every layer belongs to one matrix");
        let each = factor.abs().powf(1.0 / merged.len().max(1) as f64);
        let mut layers = layers.into_iter();
        let matrices = merged.iter().enumerate().map(|(number, &count)| {
            let sign = if number == 0 { factor.signum() } else { 1.0 };
            let own = layers.by_ref().take(count as usize);
            let product = own
                .reduce(|product, layer| layer.after(&product))
                .unwrap_or_else(|| Diagonals::identity(self.slots));
            product.scaled(sign * each).transform()
        });
        matrices.collect()
    }
}

/// The largest norm of a row of a matrix: the root of the sum of the squares of its entries. Of a product of the transform's
/// matrices it's the product of theirs, since every entry of the product is a product of one entry each.
pub(super) fn row_norm(matrix: &LinearTransform<Complex>) -> f64 {
    let mut squares = Vec::new();
    for entries in matrix.diagonals().values() {
        squares.resize(entries.len(), 0.0);
        squares.iter_mut().zip(entries).for_each(|(sum, [re, im])| *sum += re * re + im * im);
    }
    squares.into_iter().fold(0.0, f64::max).sqrt()
}

/// A square matrix by its diagonals: entry i of diagonal d stands in row i and column i + d modulo n.
#[derive(Clone, Debug)]
struct Diagonals {
    size: usize,
    entries: BTreeMap<usize, Vec<Complex>>,
}

impl Diagonals {
    fn new(size: usize) -> Self {
        Self { size, entries: BTreeMap::new() }
    }

    fn identity(size: usize) -> Self {
        Self { size, entries: BTreeMap::from([(0, vec![[1.0, 0.0]; size])]) }
    }

    fn add(&mut self, row: usize, column: usize, [re, im]: Complex) {
        let diagonal = (column + self.size - row) % self.size;
        let entries = self.entries.entry(diagonal).or_insert_with(|| vec![[0.0; 2]; self.size]);
        entries[row][0] += re;
        entries[row][1] += im;
    }

    /// self·first.
    fn after(&self, first: &Self) -> Self {
        let mut out = Self::new(self.size);
        for (a, left) in &self.entries {
            for (b, right) in &first.entries {
                let entries =
                    out.entries.entry((a + b) % self.size).or_insert_with(|| vec![[0.0; 2]; self.size]);
                for (i, out) in entries.iter_mut().enumerate() {
                    let [re, im] = times(left[i], right[(i + a) % self.size]);
                    *out = [out[0] + re, out[1] + im];
                }
            }
        }
        out
    }

    fn scaled(mut self, factor: f64) -> Self {
        self.entries.values_mut().flatten().flatten().for_each(|part| *part *= factor);
        self
    }

    fn transform(self) -> Result<LinearTransform<Complex>, MatrixError> {
        LinearTransform::from_diagonals(self.size, self.size, &self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies a matrix to plain numbers.
    fn apply(matrix: &LinearTransform<Complex>, v: &[Complex]) -> Vec<Complex> {
        let n = v.len();
        let mut out = vec![[0.0; 2]; n];
        for (diagonal, entries) in matrix.diagonals() {
            for (i, out) in out.iter_mut().enumerate() {
                let [re, im] = times(entries[i], v[(i + diagonal) % n]);
                *out = [out[0] + re, out[1] + im];
            }
        }
        out
    }

    fn reversed(v: &[Complex]) -> Vec<Complex> {
        let bits = v.len().ilog2();
        (0..v.len()).map(|i| v[i.reverse_bits().unbounded_shr(usize::BITS - bits)]).collect()
    }

    fn numbers(count: usize) -> Vec<Complex> {
        (0..count).map(|i| [((i * i + 1) as f64).sin(), ((3 * i) as f64).cos()]).collect()
    }

    /// Σₖ wₖ·ζ^(5^j·k).
    fn slots(w: &[Complex]) -> Vec<Complex> {
        let order = 4 * w.len();
        let mut exponent = 1;
        (0..w.len())
            .map(|_| {
                let sum = w.iter().enumerate().fold([0.0; 2], |sum, (k, &w)| {
                    let (sin, cos) = (TAU * (exponent * k % order) as f64 / order as f64).sin_cos();
                    let [re, im] = times(w, [cos, sin]);
                    [sum[0] + re, sum[1] + im]
                });
                exponent = 5 * exponent % order;
                sum
            })
            .collect()
    }

    fn near(a: &[Complex], b: &[Complex]) {
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }

    #[test]
    fn matrices_are_the_transforms_of_the_encoder_and_its_inverse() {
        for (slots_count, merged) in
            [(2, vec![1]), (8, vec![3]), (8, vec![1, 2]), (64, vec![2, 2, 2]), (64, vec![1, 3, 2])]
        {
            let transform = SlotTransform::new(slots_count);
            let w = numbers(slots_count);
            let expected = slots(&w);
            let matrices = transform.to_slots(&merged, -0.25).unwrap();
            let found = matrices.iter().fold(reversed(&w), |v, matrix| apply(matrix, &v));
            near(&found, &expected.iter().map(|z| z.map(|part| -0.25 * part)).collect::<Vec<_>>());
            let back = transform.to_coefficients(&merged, -4.0).unwrap();
            near(&back.iter().fold(found, |v, matrix| apply(matrix, &v)), &reversed(&w));
            for (matrix, &layers) in matrices.iter().chain(&back).zip(merged.iter().chain(&merged)) {
                assert!(matrix.diagonals().len() < 2 << layers, "{} {layers}", matrix.diagonals().len());
            }
        }
        let one = SlotTransform::new(1).to_slots(&[0], 2.0).unwrap();
        assert_eq!(apply(&one[0], &[[1.0, 3.0]]), [[2.0, 6.0]]);
    }

    #[test]
    fn rows_of_products_are_as_long_as_the_rows_of_their_factors_multiply_to() {
        for merged in [vec![2, 2, 2], vec![1, 3, 2], vec![6]] {
            let transform = SlotTransform::new(64);
            for matrices in
                [transform.to_slots(&merged, 3.0).unwrap(), transform.to_coefficients(&merged, 0.5).unwrap()]
            {
                let mut squares = vec![0.0; 64];
                for place in 0..64 {
                    let mut unit = vec![[0.0; 2]; 64];
                    unit[place] = [1.0, 0.0];
                    let column = matrices.iter().fold(unit, |v, matrix| apply(matrix, &v));
                    squares.iter_mut().zip(column).for_each(|(sum, [re, im])| *sum += re * re + im * im);
                }
                let product: f64 = matrices.iter().map(row_norm).product();
                assert!(squares.iter().all(|square: &f64| (square.sqrt() / product - 1.0).abs() < 1e-9));
            }
        }
    }

    #[test]
    #[should_panic = "every layer"]
    fn layers_left_over_are_refused() {
        let _ = SlotTransform::new(8).to_slots(&[1, 1], 1.0);
    }
}
