//! The protocol on plain slots: what encrypted answers are held against.

use std::convert::Infallible;

use asanoha_ring::Modulus;

use super::{
    blocks::inverse,
    carrier::{Carrier, Slots},
    shape::{BLOCKS, ROW_BLOCKS, block_slots},
};

/// Plain slots modulo t of a ring.
pub(crate) struct Plain {
    modulus: Modulus,
    ring_degree: usize,
    /// The value of X in every slot.
    roots: Vec<u64>,
}

impl Plain {
    /// Of a ring of N coefficients modulo a prime t ≡ 1 modulo 2N, of which `generator` has the order t − 1.
    pub(crate) fn new(modulus: Modulus, generator: u64, ring_degree: usize) -> Self {
        let order = 2 * ring_degree as u64;
        let root = modulus.pow(generator, (modulus.value() - 1) / order);
        let powers = std::iter::successors(Some(1), |power| Some(power * 5 % order)).take(ring_degree / 2);
        let exponents = powers.clone().chain(powers.map(|power| order - power));
        let roots = exponents.map(|exponent| modulus.pow(root, exponent)).collect();
        Self { modulus, ring_degree, roots }
    }

    /// The values of X^(N/8) in the blocks.
    pub(crate) fn block_roots(&self) -> [u64; BLOCKS] {
        let slot = |block: usize| block / ROW_BLOCKS * self.ring_degree / 2 + block % ROW_BLOCKS;
        std::array::from_fn(|block| {
            self.modulus.pow(self.roots[slot(block)], (self.ring_degree / BLOCKS) as u64)
        })
    }

    /// The slots of a polynomial of few terms, given as exponents and coefficients.
    pub(crate) fn polynomial(&self, terms: &[(usize, u64)]) -> Vec<u64> {
        let q = &self.modulus;
        let value = |&root: &u64| {
            terms.iter().fold(0, |sum, &(exponent, c)| q.add(sum, q.mul(c, q.pow(root, exponent as u64))))
        };
        self.roots.iter().map(value).collect()
    }

    /// A coefficient of the polynomial of slots: N⁻¹·Σ value·root^(−exponent).
    pub(crate) fn coefficient(&self, slots: &[u64], exponent: usize) -> u64 {
        let q = &self.modulus;
        let term = |(&value, &root): (&u64, &u64)| q.mul(value, q.pow(inverse(q, root), exponent as u64));
        let sum = slots.iter().zip(&self.roots).map(term).fold(0, |sum, term| q.add(sum, term));
        q.mul(sum, inverse(q, self.ring_degree as u64))
    }

    fn slots(&self, slots: &Slots<'_>) -> Vec<u64> {
        let numbers = match slots {
            Slots::All(number) => vec![*number; self.ring_degree],
            Slots::Blocks(blocks) => block_slots(blocks, self.ring_degree),
            Slots::Each(slots) => slots(),
        };
        numbers.into_iter().map(|number| self.modulus.reduce_i64(number)).collect()
    }

    fn zip(&self, a: &[u64], b: &[u64], f: impl Fn(&Modulus, u64, u64) -> u64) -> Vec<u64> {
        a.iter().zip(b).map(|(&a, &b)| f(&self.modulus, a, b)).collect()
    }
}

impl Carrier for Plain {
    type Value = Vec<u64>;
    type Error = Infallible;

    fn add(&self, a: Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(self.zip(&a, b, Modulus::add))
    }

    fn add_image(&self, a: Vec<u64>, image: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        self.add(a, image)
    }

    fn sub(&self, a: Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(self.zip(&a, b, Modulus::sub))
    }

    fn multiply(&self, a: &Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(self.zip(a, b, Modulus::mul))
    }

    fn multiply_unsettled(&self, a: &Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        self.multiply(a, b)
    }

    fn multiply_lossless(&self, a: &Vec<u64>, b: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        self.multiply(a, b)
    }

    fn sum_of_products(&self, a: &[Vec<u64>], b: &[Vec<u64>]) -> Result<Vec<u64>, Infallible> {
        let products = a.iter().zip(b).map(|(a, b)| self.zip(a, b, Modulus::mul));
        Ok(products.fold(vec![0; self.ring_degree], |sum, product| self.zip(&sum, &product, Modulus::add)))
    }

    fn rotate(&self, a: &Vec<u64>, rotations: &[i64]) -> Result<Vec<Vec<u64>>, Infallible> {
        let row = self.ring_degree / 2;
        let rotate = |&rotation: &i64| {
            let mut rotated = a.clone();
            let places = rotation.rem_euclid(row as i64) as usize;
            rotated.chunks_exact_mut(row).for_each(|row| row.rotate_left(places));
            rotated
        };
        Ok(rotations.iter().map(rotate).collect())
    }

    fn trace(&self, a: &Vec<u64>, stride: usize, count: usize) -> Result<Vec<u64>, Infallible> {
        let images = self.rotate(a, &(0..count).map(|k| (k * stride) as i64).collect::<Vec<_>>())?;
        Ok(images.iter().fold(vec![0; self.ring_degree], |sum, image| self.zip(&sum, image, Modulus::add)))
    }

    fn swap_rows(&self, a: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        let (first, second) = a.split_at(self.ring_degree / 2);
        Ok([second, first].concat())
    }

    fn shift(&self, values: Vec<Vec<u64>>, exponent: i64) -> Result<Vec<Vec<u64>>, Infallible> {
        let exponent = exponent.rem_euclid(2 * self.ring_degree as i64) as u64;
        let powers: Vec<u64> = self.roots.iter().map(|&root| self.modulus.pow(root, exponent)).collect();
        Ok(values.iter().map(|value| self.zip(value, &powers, Modulus::mul)).collect())
    }

    fn diagonals(
        &self,
        a: &Vec<u64>,
        count: usize,
        diagonal: &(dyn Fn(usize) -> Vec<i64> + Sync),
    ) -> Result<Vec<u64>, Infallible> {
        (0..count).try_fold(vec![0; self.ring_degree], |sum, step| {
            let image = self.rotate(a, &[step as i64])?.remove(0);
            self.add(sum, &self.times(image, &Slots::Each(&|| diagonal(step)))?)
        })
    }

    fn times(&self, a: Vec<u64>, slots: &Slots<'_>) -> Result<Vec<u64>, Infallible> {
        self.multiply(&a, &self.slots(slots))
    }

    fn plus(&self, a: Vec<u64>, slots: &Slots<'_>) -> Result<Vec<u64>, Infallible> {
        self.add(a, &self.slots(slots))
    }

    fn settled(&self, a: Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(a)
    }

    fn lossless(&self, a: Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(a)
    }

    fn beside(&self, a: &Vec<u64>, _: &Vec<u64>, _: usize) -> Result<Vec<u64>, Infallible> {
        Ok(a.clone())
    }

    fn for_check(&self, a: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(a.clone())
    }

    fn for_packing(&self, a: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(a.clone())
    }

    fn for_spoiling(&self, a: &Vec<u64>) -> Result<Vec<u64>, Infallible> {
        Ok(a.clone())
    }
}
