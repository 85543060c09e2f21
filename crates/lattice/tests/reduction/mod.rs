//! Lattice reduction in floating point: LLL for bases of small integers.

/// A basis, row by row, with its Gram-Schmidt orthogonalisation.
pub(crate) struct Lattice {
    rows: Vec<Vec<i64>>,
    /// Scalar products of rows with orthogonalised rows.
    r: Vec<Vec<f64>>,
    /// The quotients r[i][j]/r[j][j].
    mu: Vec<Vec<f64>>,
}

/// Lovász' constant.
const LOVASZ: f64 = 0.99;

/// Size reduction ends at quotients of this size, not at 1/2, so that roundings don't keep it going.
const SIZE_REDUCED: f64 = 0.51;

fn scalar_product(a: &[i64], b: &[i64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>() as f64
}

impl Lattice {
    /// LLL-reduces linearly independent rows.
    pub(crate) fn reduced(rows: Vec<Vec<i64>>) -> Self {
        let zeros = vec![vec![0.0; rows.len()]; rows.len()];
        let mut lattice = Self { rows, r: zeros.clone(), mu: zeros };
        lattice.lll();
        lattice
    }

    pub(crate) fn rows(&self) -> &[Vec<i64>] {
        &self.rows
    }

    /// log2 of the length of each orthogonalised row.
    pub(crate) fn log2_profile(&self) -> Vec<f64> {
        (0..self.rows.len()).map(|i| self.r[i][i].log2() / 2.0).collect()
    }

    /// Orthogonalises a row after the rows before it.
    fn orthogonalise(&mut self, k: usize) {
        for j in 0..=k {
            let mut r = scalar_product(&self.rows[k], &self.rows[j]);
            for i in 0..j {
                r -= self.mu[j][i] * self.r[k][i];
            }
            self.r[k][j] = r;
            self.mu[k][j] = r / self.r[j][j];
        }
    }

    /// Subtracts multiples of the rows before a row until its quotients are small.
    fn size_reduce(&mut self, k: usize) {
        loop {
            self.orthogonalise(k);
            let mut changed = false;
            for j in (0..k).rev() {
                if self.mu[k][j].abs() <= SIZE_REDUCED {
                    continue;
                }
                let factor = self.mu[k][j].round();
                changed = true;
                for i in 0..=j {
                    self.mu[k][i] -= factor * self.mu[j][i];
                }
                let (before, rest) = self.rows.split_at_mut(k);
                rest[0].iter_mut().zip(&before[j]).for_each(|(a, b)| *a -= factor as i64 * b);
            }
            if !changed {
                return;
            }
        }
    }

    fn lll(&mut self) {
        let mut k = 0;
        while k < self.rows.len() {
            self.size_reduce(k);
            let before = k.checked_sub(1);
            let swaps = before.filter(|&j| {
                let projected = self.r[k][k] + self.mu[k][j] * self.r[k][j];
                projected < LOVASZ * self.r[j][j]
            });
            if let Some(j) = swaps {
                self.rows.swap(j, k);
                k = j;
            } else {
                k += 1;
            }
        }
    }
}
