//! The keys of hybrid key switching: Gentry, Halevi, Smart, "Homomorphic evaluation of the AES circuit" (CRYPTO 2012);
//! Han, Ki, "Better bootstrapping for approximate homomorphic encryption" (CT-RSA 2020).

use std::{io, sync::Arc};

use asanoha_ring::{
    Basis, Evaluation, EvaluationPermutation, GaloisElement, KeyWords, PackedPoly, Poly, Sampler, Scalar,
    Seed, SwitchKey, SwitchPart, uniform_from_seed, uniform_limb,
};
use num_bigint::BigInt;

use crate::{
    KeyName, Level, MissingKey, NoiseFactor, RlweParams, SecretKey, file::StoredFile, params::LevelParams,
    rlwe::scaled_error,
};

/// The pair (b, a) of one digit: b = −a·s' + f·e + P·Bⱼ·s, where Bⱼ is 1 modulo the digit's primes and 0 modulo
/// the others.
#[derive(Clone, Debug)]
struct KeySwitchPair {
    halves: [PackedPoly; 2],
    /// The seed that a is expanded from.
    seed: Seed,
}

/// A key that switches ciphertexts under s to ciphertexts under s'. It serves ciphertexts of its level and of the lower
/// levels that use the same keys ([`RlweParams::levels_of_keys`]). Its pairs are polynomials modulo q₀ … q_level and
/// the P of that level.
#[derive(Clone, Debug)]
pub struct KeySwitchKey {
    name: KeyName,
    level: Level,
    /// The primes q₀ … q_level and those of P.
    basis: Basis,
    /// What the errors are multiplied by.
    noise_factor: NoiseFactor,
    pairs: Pairs,
}

/// Where a key's pairs are kept.
#[derive(Clone, Debug)]
enum Pairs {
    Memory(Vec<KeySwitchPair>),
    /// In a file. The halves b follow one another in its body from a position on; the halves a are kept as the seeds
    /// that they're expanded from.
    Stored {
        file: Arc<StoredFile>,
        position: usize,
        seeds: Vec<Seed>,
    },
}

/// A key for the automorphism ψ: X → X^g, which switches from ψ(s) to s. Digits of c₁ are permuted before they're
/// multiplied by it, so one decomposition serves any number of automorphisms.
#[derive(Clone, Debug)]
pub struct GaloisKey {
    pub(crate) key: KeySwitchKey,
    pub(crate) permutation: EvaluationPermutation,
}

impl KeySwitchKey {
    /// The relinearisation key, from s² to s, for ciphertexts up to the highest level.
    pub fn relinearisation(params: &RlweParams, secret: &SecretKey, sampler: &mut Sampler) -> Self {
        Self::generate(params, KeyName::Relinearisation, params.max_level(), secret, sampler)
    }

    /// The key of the given name, for ciphertexts up to a level.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`]; if a key to the sparse secret is asked for above level 0 or with
    /// parameters that aren't for it ([`crate::RlweLiteral::encapsulated`]); for [`KeyName::Reencryption`], which is of two
    /// secrets.
    pub fn generate(
        params: &RlweParams,
        name: KeyName,
        level: Level,
        secret: &SecretKey,
        sampler: &mut Sampler,
    ) -> Self {
        let (id, which) = (secret.id(), format!("{name} for level {}", level.0));
        let parts = [params.digest().as_bytes(), id.as_bytes(), which.as_bytes()];
        let mut sampler = sampler.branch("key-switching key", &parts);
        let qp = &params.level(level.0).qp;
        let own = secret.modulo(qp);
        let image = |g| own.permute(&EvaluationPermutation::new(params.ring_degree(), g));
        let (from, to) = match name {
            KeyName::Relinearisation => (own.mul(&own), own),
            KeyName::Galois(g) => (image(g), own),
            KeyName::ImageProduct(g) => (own.mul(&image(g)), own),
            KeyName::ToSparse => {
                assert!(level == Level(0), "the sparse secret is safe under the lowest modulus only");
                (own, secret.sparse(params, qp))
            }
            KeyName::FromSparse => (secret.sparse(params, qp), own),
            KeyName::Reencryption => panic!("a re-encryption key is of two secrets"),
        };
        Self::between(params, (name, level), (&from, &to), &mut sampler)
    }

    /// The key from the secret of one key generation to that of another, for ciphertexts up to a level.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub(crate) fn reencryption(
        params: &RlweParams,
        level: Level,
        [from, to]: [&SecretKey; 2],
        sampler: &mut Sampler,
    ) -> Self {
        let (ids, which) = ([from.id(), to.id()], format!("{} for level {}", KeyName::Reencryption, level.0));
        let parts = [params.digest().as_bytes(), ids[0].as_bytes(), ids[1].as_bytes(), which.as_bytes()];
        let mut sampler = sampler.branch("re-encryption key", &parts);
        let qp = &params.level(level.0).qp;
        let secrets = (&from.modulo(qp), &to.modulo(qp));
        Self::between(params, (KeyName::Reencryption, level), secrets, &mut sampler)
    }

    /// The key from one secret polynomial to another, both modulo the primes of a level and its P.
    fn between(
        params: &RlweParams,
        (name, level): (KeyName, Level),
        (from, to): (&Poly<Evaluation>, &Poly<Evaluation>),
        sampler: &mut Sampler,
    ) -> Self {
        let LevelParams { p, qp, digits, .. } = params.level(level.0);
        let special = BigInt::from(p.product());
        let pair = |range: &std::ops::Range<usize>| {
            let seed = sampler.seed();
            let mut b = uniform_from_seed(qp, &seed);
            let a = PackedPoly::new(&b);
            b.mul_assign(to);
            b.neg_assign();
            b.add_assign(&scaled_error(params, qp, sampler));
            // P·Bⱼ: P modulo the digit's primes, 0 modulo the others.
            let indicator = Scalar::new(qp, &special).keep(range.clone());
            b.fma_scalar_assign(from, &indicator);
            KeySwitchPair { halves: [PackedPoly::new(&b), a], seed }
        };
        let pairs = Pairs::Memory(digits.iter().map(pair).collect());
        Self { name, level, basis: qp.clone(), noise_factor: params.literal().noise_factor.clone(), pairs }
    }

    /// A key of random words with the digits of a level, for measurements.
    pub(crate) fn random(params: &RlweParams, name: KeyName, level: Level, sampler: &mut Sampler) -> Self {
        let LevelParams { qp, digits, .. } = params.level(level.0);
        let part = |_| (uniform_from_seed(qp, &sampler.seed()), sampler.seed());
        Self::from_parts(params, name, level, digits.iter().map(part).collect())
    }

    /// A key in memory, from the halves b and the seeds of the halves a.
    pub(crate) fn from_parts(
        params: &RlweParams,
        name: KeyName,
        level: Level,
        parts: Vec<(Poly<Evaluation>, Seed)>,
    ) -> Self {
        let basis = params.level(level.0).qp.clone();
        let pair = |(b, seed): (Poly<Evaluation>, Seed)| KeySwitchPair {
            halves: [&b, &uniform_from_seed(&basis, &seed)].map(PackedPoly::new),
            seed,
        };
        let pairs = Pairs::Memory(parts.into_iter().map(pair).collect());
        Self { name, level, basis, noise_factor: params.literal().noise_factor.clone(), pairs }
    }

    /// A key in a file; `position` is that of the first half b in the body.
    pub(crate) fn stored(
        params: &RlweParams,
        name: KeyName,
        level: Level,
        file: &Arc<StoredFile>,
        (position, seeds): (usize, Vec<Seed>),
    ) -> Self {
        let basis = params.level(level.0).qp.clone();
        let noise_factor = params.literal().noise_factor.clone();
        let pairs = Pairs::Stored { file: Arc::clone(file), position, seeds };
        Self { name, level, basis, noise_factor, pairs }
    }

    /// The name of the key.
    pub fn name(&self) -> KeyName {
        self.name
    }

    /// The highest level of the ciphertexts that it switches.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The number of pairs.
    pub(crate) fn digits(&self) -> usize {
        match &self.pairs {
            Pairs::Memory(pairs) => pairs.len(),
            Pairs::Stored { seeds, .. } => seeds.len(),
        }
    }

    /// The seed that the half a of a digit's pair is expanded from.
    pub(crate) fn seed(&self, digit: usize) -> &Seed {
        match &self.pairs {
            Pairs::Memory(pairs) => &pairs[digit].seed,
            Pairs::Stored { seeds, .. } => &seeds[digit],
        }
    }

    /// The key, checked for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Level`] if it was made for lower levels, [`MissingKey::Tier`] if for others, and
    /// [`MissingKey::OtherParameters`] if for another ring degree, other primes, digits or another noise factor.
    pub(crate) fn at(&self, params: &RlweParams, level: Level) -> Result<&dyn SwitchKey, MissingKey> {
        let fits = self.level <= params.max_level() && {
            let LevelParams { qp, digits, .. } = params.level(self.level.0);
            self.basis == *qp
                && self.digits() == digits.len()
                && self.noise_factor == params.literal().noise_factor
        };
        if !fits {
            return Err(MissingKey::OtherParameters { key: self.name });
        }
        if params.tier(level) != params.tier(self.level) {
            return Err(MissingKey::tier(params, self.name, level));
        }
        if level > self.level {
            return Err(MissingKey::Level { key: self.name, present: self.level.0, needed: level.0 });
        }
        Ok(self)
    }

    /// Bytes of the key in memory, the uniform halves included; for a key in a file, the bytes that it would take.
    pub fn bytes(&self) -> usize {
        2 * self.digits() * PackedPoly::bytes(&self.basis)
    }
}

impl SwitchKey for KeySwitchKey {
    fn basis(&self) -> &Basis {
        &self.basis
    }

    fn in_memory(&self) -> bool {
        matches!(self.pairs, Pairs::Memory(_))
    }

    fn limb(&self, digit: usize, half: usize, position: usize) -> io::Result<KeyWords<'_>> {
        match &self.pairs {
            Pairs::Memory(pairs) => Ok(KeyWords::There(pairs[digit].halves[half].limb(position))),
            Pairs::Stored { file, position: start, seeds } if half == 0 => {
                let mut words = self.basis.words();
                let limb = digit * self.basis.len() + position;
                file.read(start + limb * words.len(), &mut words)?;
                // The digits of a prime are used one after another, and this one's other half takes a while.
                if digit + 1 < seeds.len() {
                    file.reads_soon(start + (limb + self.basis.len()) * words.len(), words.len());
                }
                let q = self.basis.modulus(position).value();
                // The file's digest shows that the words are unchanged, not that they are below their prime.
                if words.iter().fold(0, |largest, &word| largest.max(word)) >= q {
                    return Err(file.unsound(&format!("{} has words above their prime", self.name)));
                }
                Ok(KeyWords::New(words))
            }
            Pairs::Stored { seeds, .. } => {
                Ok(KeyWords::New(uniform_limb(&self.basis, position, &seeds[digit])))
            }
        }
    }
}

impl GaloisKey {
    /// The key of an automorphism, for ciphertexts up to the highest level.
    pub fn generate(
        params: &RlweParams,
        secret: &SecretKey,
        g: GaloisElement,
        sampler: &mut Sampler,
    ) -> Self {
        Self::new(
            params,
            g,
            KeySwitchKey::generate(params, KeyName::Galois(g), params.max_level(), secret, sampler),
        )
    }

    /// The terms that one automorphism adds to the sums: the images of the addends, and the key switch of the
    /// decomposed polynomial at index `place`, at a level.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`].
    pub(crate) fn part<'a>(
        &'a self,
        params: &RlweParams,
        addends: [Option<&'a Poly<Evaluation>>; 2],
        place: usize,
        level: Level,
    ) -> Result<SwitchPart<'a>, MissingKey> {
        let product = Some((place, self.key.at(params, level)?));
        Ok(SwitchPart { permutation: Some(&self.permutation), addends, product })
    }

    pub(crate) fn new(params: &RlweParams, g: GaloisElement, key: KeySwitchKey) -> Self {
        Self { key, permutation: EvaluationPermutation::new(params.ring_degree(), g) }
    }

    /// The highest level of the ciphertexts that it switches.
    pub fn level(&self) -> Level {
        self.key.level
    }

    /// Bytes of the key and its permutation, whether the key is kept in memory or in a file.
    pub fn bytes(&self) -> usize {
        self.key.bytes() + self.permutation.bytes()
    }
}
