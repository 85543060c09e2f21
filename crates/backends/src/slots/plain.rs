//! Plain numbers as an engine: what a CKKS circuit would compute without noise.

use std::convert::Infallible;

use asanoha_compile::{Constant, Layout};
use asanoha_lattice::Level;

use crate::slots::engine::Engine;

/// Computes on the slots of one ciphertext in double precision.
#[derive(Clone, Copy, Debug)]
pub struct PlainEngine {
    layout: Layout,
}

impl PlainEngine {
    /// For columns of this layout.
    pub fn new(layout: Layout) -> Self {
        Self { layout }
    }
}

/// Overwrites numbers, each with one of others.
fn zip(a: &mut [f64], b: &[f64], f: impl Fn(&mut f64, f64)) {
    a.iter_mut().zip(b).for_each(|(a, &b)| f(a, b));
}

impl Engine for PlainEngine {
    type Value = Vec<f64>;
    type Error = Infallible;

    fn add(&self, a: &mut Vec<f64>, b: &Vec<f64>) -> Result<(), Infallible> {
        zip(a, b, |a, b| *a += b);
        Ok(())
    }
    fn sub(&self, a: &mut Vec<f64>, b: &Vec<f64>) -> Result<(), Infallible> {
        zip(a, b, |a, b| *a -= b);
        Ok(())
    }
    fn neg(&self, a: &mut Vec<f64>) {
        a.iter_mut().for_each(|a| *a = -*a);
    }
    fn mul(&self, a: &Vec<f64>, b: &Vec<f64>, _: Option<Level>) -> Result<Vec<f64>, Infallible> {
        Ok(a.iter().zip(b).map(|(a, b)| a * b).collect())
    }
    fn add_constant(&self, a: &mut Vec<f64>, c: &Constant, chunk: Option<usize>) -> Result<(), Infallible> {
        let c = c.to_f64();
        match chunk {
            None => a.iter_mut().for_each(|a| *a += c),
            Some(chunk) => zip(a, &self.layout.spread_constant(chunk, &c), |a, c| *a += c),
        }
        Ok(())
    }
    fn mul_constant(&self, a: &mut Vec<f64>, k: &Constant, _scale: f64) -> Result<(), Infallible> {
        let k = k.to_f64();
        a.iter_mut().for_each(|a| *a *= k);
        Ok(())
    }
    fn multiples(&self, terms: &[(&Vec<f64>, &Constant, f64)], _: Level) -> Result<Vec<f64>, Infallible> {
        let mut sum = vec![0.0; terms[0].0.len()];
        for (a, k, _) in terms {
            let k = k.to_f64();
            zip(&mut sum, a, |sum, a| *sum += k * a);
        }
        Ok(sum)
    }
    fn mask_rows(&self, a: &Vec<f64>, chunk: usize) -> Result<Vec<f64>, Infallible> {
        self.mul(a, &self.layout.spread_constant(chunk, &1.0), None)
    }
    fn keep_slot(&self, a: &Vec<f64>, slot: usize) -> Result<Vec<f64>, Infallible> {
        self.mul(a, &self.layout.repeated(slot..slot + 1, &1.0), None)
    }
    fn rescale(&self, a: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(a.clone())
    }
    fn switch_to(&self, a: &Vec<f64>, _: Level) -> Result<Vec<f64>, Infallible> {
        Ok(a.clone())
    }
    fn bootstrap(&self, a: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok(a.clone())
    }
    fn sum_block(&self, a: &Vec<f64>, _: &[usize]) -> Result<Vec<f64>, Infallible> {
        let sum = a[..self.layout.block()].iter().sum();
        Ok(vec![sum; a.len()])
    }
}
