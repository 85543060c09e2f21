//! Plain numbers as an engine: what a CKKS circuit would compute without noise.

use std::convert::Infallible;

use asanoha_lattice::Level;

use super::{Constant, Engine, Layout};

/// Computes on the slots of one ciphertext in double precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainEngine {
    layout: Layout,
}

impl PlainEngine {
    /// For columns of this layout.
    pub(crate) fn new(layout: Layout) -> Self {
        Self { layout }
    }
}

fn zip(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

impl Engine for PlainEngine {
    type Value = Vec<f64>;
    type Error = Infallible;

    fn add(&self, a: &Vec<f64>, b: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(zip(a, b, |a, b| a + b))
    }
    fn sub(&self, a: &Vec<f64>, b: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(zip(a, b, |a, b| a - b))
    }
    fn neg(&self, a: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(a.iter().map(|a| -a).collect())
    }
    fn mul(&self, a: &Vec<f64>, b: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(zip(a, b, |a, b| a * b))
    }
    fn add_constant(&self, a: &Vec<f64>, c: &Constant, chunk: Option<usize>) -> Result<Vec<f64>, Infallible> {
        let c = c.to_f64();
        match chunk {
            None => Ok(a.iter().map(|a| a + c).collect()),
            Some(chunk) => Ok(zip(a, &self.layout.spread_constant(chunk, &c), |a, c| a + c)),
        }
    }
    fn mul_constant(&self, a: &Vec<f64>, k: &Constant, _scale: f64) -> Result<Vec<f64>, Infallible> {
        let k = k.to_f64();
        Ok(a.iter().map(|a| a * k).collect())
    }
    fn mask_rows(&self, a: &Vec<f64>, chunk: usize) -> Result<Vec<f64>, Infallible> {
        Ok(zip(a, &self.layout.spread_constant(chunk, &1.0), |a, c| a * c))
    }
    fn rescale(&self, a: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(a.clone())
    }
    fn switch_to(&self, a: &Vec<f64>, _: Level) -> Result<Vec<f64>, Infallible> {
        Ok(a.clone())
    }
    fn sum_block(&self, a: &Vec<f64>, _: &[usize]) -> Result<Vec<f64>, Infallible> {
        let sum = a[..self.layout.block()].iter().sum();
        Ok(vec![sum; a.len()])
    }
}
