//! Ciphertexts.

use asanoha_ring::{Basis, Evaluation, LinearPoly, Poly, Scalar, Seed, uniform_from_seed};

use crate::{FileError, FileReader, FileWriter, Level, RlweParams};

/// Polynomials (c₀, c₁, …) such that c₀ + c₁·s + c₂·s² + … is the message with its noise. The scheme decides what
/// counts as noise: its own ciphertexts carry a bound on it.
#[derive(Clone, Debug)]
pub struct RlweCiphertext {
    /// c₀ and c₁, and c₂ in a product that wasn't relinearised; all of one level.
    pub parts: Vec<Poly<Evaluation>>,
}

impl RlweCiphertext {
    /// Whether these are two or three polynomials modulo the primes of one level of the parameters. A ciphertext from a
    /// file or from another source needn't be.
    pub fn is_of(&self, params: &RlweParams) -> bool {
        let Some(first) = self.parts.first() else { return false };
        let level = Level(first.basis().len() - 1);
        (2..=3).contains(&self.parts.len())
            && level <= params.max_level()
            && self.parts.iter().all(|part| part.basis() == params.q(level))
    }

    /// The level of the ciphertext.
    pub fn level(&self) -> Level {
        Level(self.parts[0].basis().len() - 1)
    }

    /// self ← self + other. Both have the same level.
    pub fn add_assign(&mut self, other: &Self) {
        let common = self.parts.len().min(other.parts.len());
        self.parts[..common].iter_mut().zip(&other.parts).for_each(|(a, b)| a.add_assign(b));
        self.parts.extend_from_slice(&other.parts[common..]);
    }

    /// self ← self − other. Both have the same level.
    pub fn sub_assign(&mut self, other: &Self) {
        let common = self.parts.len().min(other.parts.len());
        self.parts[..common].iter_mut().zip(&other.parts).for_each(|(a, b)| a.sub_assign(b));
        self.parts.extend(other.parts[common..].iter().map(|part| {
            let mut negated = part.clone();
            negated.neg_assign();
            negated
        }));
    }

    /// self ← −self.
    pub fn neg_assign(&mut self) {
        self.parts.iter_mut().for_each(Poly::neg_assign);
    }

    /// The tensor product, in three parts, of two ciphertexts of two parts and of the same level.
    ///
    /// # Panics
    /// If an operand has three parts or the levels differ.
    pub fn tensor(&self, other: &Self) -> Self {
        Self::tensor_sum(&[self], &[other])
    }

    /// The sum of the tensor products of pairs of ciphertexts of two parts and of one level, reduced once.
    ///
    /// # Panics
    /// If there are no ciphertexts, not as many on both sides, one has three parts or the levels differ.
    pub fn tensor_sum(left: &[&Self], right: &[&Self]) -> Self {
        assert!(left.len() == right.len());
        assert!(left.iter().chain(right).all(|operand| operand.parts.len() == 2));
        let basis = left[0].parts[0].basis();
        let pairs = |places: &[(usize, usize)]| -> Vec<(&Poly<Evaluation>, &Poly<Evaluation>)> {
            let pairs = left.iter().zip(right);
            pairs.flat_map(|(a, b)| places.iter().map(|&(i, j)| (&a.parts[i], &b.parts[j]))).collect()
        };
        let sums = [pairs(&[(0, 0)]), pairs(&[(0, 1), (1, 0)]), pairs(&[(1, 1)])];
        Self { parts: Poly::inner_products(basis, sums.each_ref().map(|pairs| &pairs[..])).into() }
    }

    /// self ← self·m for a plaintext polynomial of the same level.
    pub fn mul_plain_assign(&mut self, plain: &Poly<Evaluation>) {
        self.parts.iter_mut().for_each(|part| part.mul_assign(plain));
    }

    /// Drops the primes above level `to` without dividing, for messages that don't depend on the modulus.
    ///
    /// # Panics
    /// If `to` is above the level.
    pub fn dropped_to(&self, to: Level) -> Self {
        Self { parts: self.parts.iter().map(|part| part.range(0..to.0 + 1)).collect() }
    }

    /// Divides by D, the product of the primes above level `to`, rounding so that the residue modulo the noise factor
    /// is kept up to D⁻¹. The noise is divided by D, and [`crate::NoiseModel::rounding`] in units of the noise factor
    /// is added.
    ///
    /// # Panics
    /// If `to` is above the level.
    pub fn divide_to(self, params: &RlweParams, to: Level) -> Self {
        if to == self.level() {
            return self;
        }
        Self { parts: self.parts.into_iter().map(|part| params.divide(part, to)).collect() }
    }

    /// As [`RlweCiphertext::divide_to`], but the operand is left unchanged and the result has memory of its own size.
    ///
    /// # Panics
    /// If `to` isn't below the level.
    pub fn quotient_to(&self, params: &RlweParams, to: Level) -> Self {
        let divider = params.divider(self.level(), to);
        Self { parts: self.parts.iter().map(|part| divider.quotient(part)).collect() }
    }

    /// Σ wₖ·aₖ for integers wₖ, of ciphertexts of two parts and one level.
    ///
    /// # Panics
    /// If there are no ciphertexts, the number of weights differs from theirs, one has three parts, or the levels
    /// differ.
    pub fn weighted_sum(values: &[&Self], weights: &[i64]) -> Self {
        assert!(values.iter().all(|value| value.parts.len() == 2));
        let part = |part: usize| {
            let parts: Vec<&Poly<Evaluation>> = values.iter().map(|value| &value.parts[part]).collect();
            Poly::weighted_sum(&parts, weights)
        };
        Self { parts: vec![part(0), part(1)] }
    }

    /// Σₖ wᵣₖ·aₖ for every row r of a matrix of constants modulo the primes of a basis, that of a level which no value is below; see
    /// [`Poly::linear_forms`].
    ///
    /// # Panics
    /// If there are no values, the constants aren't whole rows, or a value has three parts.
    pub fn linear_forms(basis: &Basis, values: &[&Self], weights: &[Scalar]) -> Vec<Self> {
        assert!(values.iter().all(|value| value.parts.len() == 2));
        let part = |part: usize| {
            let parts: Vec<&Poly<Evaluation>> = values.iter().map(|value| &value.parts[part]).collect();
            Poly::linear_forms(basis, &parts, weights)
        };
        part(0).into_iter().zip(part(1)).map(|(c0, c1)| Self { parts: vec![c0, c1] }).collect()
    }

    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ for integers wⱼₖ, given row by row, in three parts. It takes one tensor product for each
    /// ciphertext of `left`; the products are summed before any relinearisation.
    ///
    /// # Panics
    /// If there are no ciphertexts, the number of weights isn't that of `left` times that of `right`, one has three
    /// parts, or the levels differ.
    pub fn bilinear_form(left: &[&Self], weights: &[i64], right: &[&Self]) -> Self {
        let left: Vec<LinearPoly> = left.iter().map(|value| value.linear()).collect();
        let right: Vec<LinearPoly> = right.iter().map(|value| value.linear()).collect();
        Self { parts: Poly::bilinear_form(&left, weights, &right).into() }
    }

    fn linear(&self) -> LinearPoly<'_> {
        let [c0, c1] = &self.parts[..] else { panic!("bilinear forms take ciphertexts of two parts") };
        [c0, c1]
    }

    /// Adds this ciphertext to a file under a name. The caller writes the noise bound.
    pub fn put<'a>(&'a self, file: &mut FileWriter<'a>, name: &str) {
        let basis = self.parts[0].basis();
        let shape = [self.parts.len(), basis.len(), basis.ring_degree()];
        file.tensor(name, &shape, self.parts.iter().map(Poly::words).collect());
    }

    /// As [`RlweCiphertext::put`], with the words of the seed that the second part expands to
    /// ([`crate::SecretKey::encrypt_seeded`], [`Seed::to_words`]) in place of that part.
    pub fn put_seeded<'a>(&'a self, seed: &'a [u64; Seed::WORDS], file: &mut FileWriter<'a>, name: &str) {
        let basis = self.parts[0].basis();
        file.tensor(name, &[1, basis.len(), basis.ring_degree()], vec![self.parts[0].words()]);
        file.tensor(seed_tensor(name), &[Seed::WORDS], vec![seed]);
    }

    /// Reads the ciphertext of two parts under a name, and the seed of its second part where the file has that. The caller reads
    /// the noise bound.
    pub fn get(
        params: &RlweParams,
        file: &FileReader<'_>,
        name: &str,
    ) -> Result<(Self, Option<Seed>), FileError> {
        let (shape, _) = file.tensor(name)?;
        let primes =
            shape.get(1).copied().filter(|&primes| primes >= 1 && primes <= params.max_level().0 + 1);
        let primes =
            primes.ok_or_else(|| file.error(format!("{name} isn't a ciphertext of these parameters")))?;
        let basis = params.q(Level(primes - 1));
        if shape.first() != Some(&1) {
            return Ok((Self { parts: file.polys(name, basis, 2)? }, None));
        }
        let mut parts = file.polys(name, basis, 1)?;
        let seed = Seed::from_words(file.words(&seed_tensor(name), &[Seed::WORDS])?);
        parts.push(uniform_from_seed(basis, &seed));
        Ok((Self { parts }, Some(seed)))
    }
}

/// The name of the tensor of a ciphertext's seed.
fn seed_tensor(name: &str) -> String {
    format!("{name}.seed")
}
