//! Parameter sets for bootstrapping.

use asanoha_lattice::{KeyTier, Level, RlweLiteral, largest_log2_modulus};
use asanoha_scheme::{BootstrapShape, FAST_PRIME_BITS, NoPrimes, Primes, with_digits};

use crate::{CkksLiteral, rescaling_primes};

/// The sets that there are, for ring degree 2^16 and 128 bits of security. `docs/notes/bootstrapping.md` derives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootstrapSet {
    /// Twelve levels of 42 bits.
    A42,
    /// Ten levels of 45 bits: more precise.
    A45,
}

/// The ring degree of the sets.
const RING_DEGREE: usize = 1 << 16;

impl BootstrapSet {
    /// All sets.
    pub const ALL: [Self; 2] = [Self::A42, Self::A45];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::A42 => "a42",
            Self::A45 => "a45",
        }
    }

    /// The parameters.
    ///
    /// # Errors
    /// [`NoPrimes`], which doesn't happen at this ring degree.
    pub fn literal(self) -> Result<CkksLiteral, NoPrimes> {
        self.with_ring_degree(RING_DEGREE)
    }

    /// The same primes, or their neighbours, in another ring, which is insecure where it's smaller: for tests.
    ///
    /// # Errors
    /// [`NoPrimes`] in rings that are too large for the narrowest primes.
    pub fn with_ring_degree(self, ring_degree: usize) -> Result<CkksLiteral, NoPrimes> {
        let (levels, scale, matrices) = match self {
            Self::A42 => (12, 42.0, 42.0),
            Self::A45 => (10, 45.0, 45.0),
        };
        let mut primes = Primes::new(ring_degree, &[]);
        let mut q = vec![primes.at_most(50.0, 1)?];
        let program = rescaling_primes(&mut primes, scale, levels)?;
        q.extend(near(&mut primes, &[matrices; 3])?);
        q.extend(program);
        // The arcsine, the doublings, and the cosine's polynomial, whose scale grows to 2^62 and shrinks again.
        q.extend(near(&mut primes, &[50.0; 3])?);
        q.extend(near(&mut primes, &[50.0, 29.0, 29.0, 27.0, 27.0])?);
        q.extend(near(&mut primes, &[27.0, 27.0, 50.0, 36.0, 36.0, 50.0, 50.0])?);
        q.extend(near(&mut primes, &[49.0; 4])?);
        let digits = 6;
        let largest = largest_log2_modulus(ring_degree, 128).map_or(f64::INFINITY, f64::from);
        let most = if ring_degree < RING_DEGREE { f64::INFINITY } else { largest };
        let rlwe = with_digits(&q, &primes, most, digits)?;
        let rlwe = rlwe.ok_or(NoPrimes { log2: largest, ring_degree })?;
        // Keys of the matrices from slots are for four primes, and those to the sparse secret must be as small.
        let tiers = vec![KeyTier { level: Level(3), special: 4, digit_primes: 4 }];
        let insecure = ring_degree < RING_DEGREE;
        let rlwe = RlweLiteral { tiers, insecure, ..rlwe.encapsulated() };
        let bootstrap = Some(BootstrapShape {
            slots_to_coefficients: 3,
            coefficients_to_slots: 4,
            degree: 30,
            doublings: 3,
            arcsine_degree: 7,
            polynomial_primes: vec![1, 1, 2, 1, 2, 2, 2, 1, 1, 1, 1],
            log2_ratio: 5,
            log2_scale: 53.0,
        });
        Ok(CkksLiteral { rlwe, log2_scale: scale, bootstrap })
    }
}

/// Primes of sizes: the fastest kernels' widest ones not above theirs.
fn near(primes: &mut Primes, log2: &[f64]) -> Result<Vec<u64>, NoPrimes> {
    let prime = |&log2: &f64| {
        let is_widest = log2 >= f64::from(FAST_PRIME_BITS);
        if is_widest { primes.at_most(log2, 1) } else { primes.nearest(log2.exp2(), 1) }
    };
    log2.iter().map(prime).collect()
}
