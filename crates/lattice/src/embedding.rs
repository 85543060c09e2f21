//! The canonical embedding norm of known polynomials, in double precision.

use zeroize::Zeroizing;

/// The roots of unity at which polynomials are evaluated.
#[derive(Debug)]
pub struct Embedding {
    /// exp(πi·j/N) at index j < N.
    roots: Vec<(f64, f64)>,
}

/// A bound on the relative error of a norm. Rounding changes a value of the transform by at most about log2(N)·√N·2^−52
/// of the norm, less than this for every N ≤ 2^18. The rounding of the coefficients to doubles, at most √N·2^−53, is
/// below it too.
const ROUNDING: f64 = 1.0 / (1u64 << 30) as f64;

impl Embedding {
    /// The embedding for polynomials of N coefficients, N a power of two of at least 2.
    pub fn new(ring_degree: usize) -> Self {
        let angle = std::f64::consts::PI / ring_degree as f64;
        let root = |j: usize| {
            let (sine, cosine) = (angle * j as f64).sin_cos();
            (cosine, sine)
        };
        Self { roots: (0..ring_degree).map(root).collect() }
    }

    /// The canonical embedding norm, rounded up: the largest absolute value of the polynomial at the primitive 2N-th
    /// roots of unity.
    ///
    /// With ζ = exp(πi/N) and real coefficients, all values are those at ζ^(4k+1) and their conjugates, and
    /// m(ζ^(4k+1)) = Σ (m_j + i·m_(j+N/2))·ζ^j·ζ^(4jk) over j < N/2: one complex transform of N/2 points.
    pub fn norm(&self, coefficients: &[f64]) -> f64 {
        let half = self.roots.len() / 2;
        assert_eq!(coefficients.len(), 2 * half);
        let (low, high) = coefficients.split_at(half);
        // Erased on drop: norms of secrets are computed too.
        let mut values: Zeroizing<Vec<(f64, f64)>> = low
            .iter()
            .zip(high)
            .zip(&self.roots)
            .map(|((&low, &high), &root)| multiply((low, high), root))
            .collect::<Vec<_>>()
            .into();
        let mut size = half;
        while size > 1 {
            let stride = 4 * half / size;
            for block in values.chunks_exact_mut(size) {
                let (first, second) = block.split_at_mut(size / 2);
                for ((x, y), &root) in first.iter_mut().zip(second).zip(self.roots.iter().step_by(stride)) {
                    let difference = (x.0 - y.0, x.1 - y.1);
                    *x = (x.0 + y.0, x.1 + y.1);
                    *y = multiply(difference, root);
                }
            }
            size /= 2;
        }
        let largest = values.iter().map(|(re, im)| re * re + im * im).fold(0.0, f64::max);
        largest.sqrt() * (1.0 + ROUNDING)
    }
}

fn multiply(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(coefficients: &[f64]) -> f64 {
        let n = coefficients.len();
        let value = |e: usize| {
            let angle = |j: usize| std::f64::consts::PI * ((e * j) % (2 * n)) as f64 / n as f64;
            let re: f64 = coefficients.iter().enumerate().map(|(j, &c)| c * angle(j).cos()).sum();
            let im: f64 = coefficients.iter().enumerate().map(|(j, &c)| c * angle(j).sin()).sum();
            re.hypot(im)
        };
        (0..n).map(|k| value(2 * k + 1)).fold(0.0, f64::max)
    }

    #[test]
    fn norm_equals_the_largest_value_at_a_root_of_unity() {
        for n in [8, 16, 64, 256] {
            let embedding = Embedding::new(n);
            let mut state = 1u64;
            for _ in 0..20 {
                let coefficients: Vec<f64> = (0..n)
                    .map(|_| {
                        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        ((state as i64) >> 20) as f64
                    })
                    .collect();
                let (fast, slow) = (embedding.norm(&coefficients), naive(&coefficients));
                assert!((fast / slow - 1.0).abs() < 1e-8, "{n}: {fast} {slow}");
                assert!(fast >= slow * (1.0 - 1e-12));
            }
        }
    }

    #[test]
    fn norm_of_a_constant_is_its_size() {
        let mut coefficients = vec![0.0; 1 << 10];
        coefficients[0] = -7.0;
        assert!((Embedding::new(1 << 10).norm(&coefficients) - 7.0).abs() < 1e-7);
    }
}
