//! Parameter sets for bootstrapping.

use asanoha_lattice::{KeyTier, Level, RlweLiteral, SPECIAL_MARGIN_BITS, largest_log2_modulus};
use asanoha_scheme::{BootstrapShape, BootstrapValues, FAST_PRIME_BITS, NoPrimes, Primes, with_digits};

use crate::{CkksLiteral, rescaling_primes};

/// The sets that there are, for 128 bits of security. `docs/notes/bootstrapping.md` derives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootstrapSet {
    /// Ring degree 2^16: twelve levels of 42 bits.
    A42,
    /// Ring degree 2^16: ten levels of 45 bits, more precise.
    A45,
    /// Ring degree 2^16, for at most [`FEW_SLOTS`] slots, whose matrices take fewer levels: seventeen levels of 40.5 bits.
    S40,
    /// Ring degree 2^16: eight levels of 60 bits, for bootstrapping in several passes.
    D60,
    /// Ring degree 2^15: four levels of 32 bits, with half of the memory, and little precision.
    N15,
    /// Ring degree 2^16, for bits: twenty-four levels of 34 bits.
    Bits,
}

/// The largest number of slots that [`BootstrapSet::S40`] is for. The matrices of more slots have too many diagonals.
pub const FEW_SLOTS: usize = 128;

/// What a set is made of. Sizes are in bits, from the lowest prime on.
struct Recipe {
    lowest: f64,
    slots_to_coefficients: [f64; 2],
    program: [f64; 2],
    polynomial: &'static [f64],
    coefficients_to_slots: [f64; 2],
    /// The primes of each level of the polynomial, from the highest on.
    polynomial_primes: &'static [usize],
    values: BootstrapValues,
    log2_ratio: u32,
    log2_scale: f64,
    digits: usize,
    /// Keys of the levels of the matrices from slots.
    tier: Option<KeyTier>,
}

/// The polynomial of the large sets: the arcsine, the doublings, and the cosine's, whose scale grows to 2^62 and shrinks again.
const GROWING: [f64; 15] =
    [50.0, 50.0, 50.0, 50.0, 29.0, 29.0, 27.0, 27.0, 27.0, 27.0, 50.0, 36.0, 36.0, 50.0, 50.0];

impl BootstrapSet {
    /// All sets.
    pub const ALL: [Self; 6] = [Self::A42, Self::A45, Self::S40, Self::D60, Self::N15, Self::Bits];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::A42 => "a42",
            Self::A45 => "a45",
            Self::S40 => "s40",
            Self::D60 => "d60",
            Self::N15 => "n15",
            Self::Bits => "bits",
        }
    }

    /// The ring degree.
    pub fn ring_degree(self) -> usize {
        match self {
            Self::A42 | Self::A45 | Self::S40 | Self::D60 | Self::Bits => 1 << 16,
            Self::N15 => 1 << 15,
        }
    }

    /// The largest number of slots that it's for, in a ring with `row` of them.
    pub fn slots(self, row: usize) -> usize {
        if self == Self::S40 { row.min(FEW_SLOTS) } else { row }
    }

    /// The parameters.
    ///
    /// # Errors
    /// [`NoPrimes`], which doesn't happen at the set's ring degree.
    pub fn literal(self) -> Result<CkksLiteral, NoPrimes> {
        self.with_ring_degree(self.ring_degree())
    }

    /// The same primes, or their neighbours, in another ring, which is insecure where it's smaller: for tests.
    ///
    /// # Errors
    /// [`NoPrimes`] in rings that are too large for the narrowest primes.
    pub fn with_ring_degree(self, ring_degree: usize) -> Result<CkksLiteral, NoPrimes> {
        let recipe = self.recipe();
        let mut primes = Primes::new(ring_degree, &[]);
        let mut q = near(&mut primes, &[recipe.lowest])?;
        let [levels, scale] = recipe.program;
        let program = rescaling_primes(&mut primes, &vec![scale; levels as usize + 1])?;
        let repeated = |[count, size]: [f64; 2]| vec![size; count as usize];
        q.extend(near(&mut primes, &repeated(recipe.slots_to_coefficients))?);
        q.extend(program);
        q.extend(near(&mut primes, recipe.polynomial)?);
        q.extend(near(&mut primes, &repeated(recipe.coefficients_to_slots))?);
        let insecure = ring_degree < self.ring_degree();
        let largest = largest_log2_modulus(ring_degree, 128).map_or(f64::INFINITY, f64::from);
        let most = if insecure { f64::INFINITY } else { largest };
        let rlwe = with_digits(&q, &primes, most, recipe.digits)?;
        let rlwe = rlwe.ok_or(NoPrimes { log2: largest, ring_degree })?;
        let tiers = [sparse_tier(q[0], &rlwe.p_primes)].into_iter().chain(recipe.tier).collect();
        let rlwe = RlweLiteral { tiers, insecure, ..rlwe.encapsulated() };
        let bootstrap = Some(BootstrapShape {
            slots_to_coefficients: recipe.slots_to_coefficients[0] as usize,
            coefficients_to_slots: recipe.coefficients_to_slots[0] as usize,
            degree: 30,
            doublings: 3,
            values: recipe.values,
            polynomial_primes: recipe.polynomial_primes.to_vec(),
            log2_ratio: recipe.log2_ratio,
            log2_scale: recipe.log2_scale,
        });
        Ok(CkksLiteral { rlwe, log2_scale: scale, bootstrap })
    }

    fn recipe(self) -> Recipe {
        let large = |levels: f64, scale: f64, matrices: f64| Recipe {
            lowest: 50.0,
            slots_to_coefficients: [3.0, matrices],
            program: [levels, scale],
            polynomial: &GROWING,
            coefficients_to_slots: [4.0, 49.0],
            polynomial_primes: &[1, 1, 2, 1, 2, 2, 2, 1, 1, 1, 1],
            values: BootstrapValues::Numbers { arcsine_degree: 7 },
            log2_ratio: 5,
            log2_scale: 53.0,
            digits: 6,
            tier: Some(KeyTier { level: Level(3), special: 4, digit_primes: 4 }),
        };
        match self {
            Self::A42 => large(12.0, 42.0, 42.0),
            Self::A45 => Recipe {
                coefficients_to_slots: [4.0, 48.5],
                digits: 5,
                tier: Some(KeyTier { level: Level(3), special: 5, digit_primes: 4 }),
                ..large(10.0, 45.0, 45.0)
            },
            Self::S40 => Recipe {
                slots_to_coefficients: [1.0, 42.0],
                coefficients_to_slots: [2.0, 49.0],
                tier: Some(KeyTier { level: Level(1), special: 3, digit_primes: 2 }),
                ..large(17.0, 40.5, 42.0)
            },
            Self::D60 => Recipe { coefficients_to_slots: [4.0, 60.0], digits: 8, ..large(8.0, 60.0, 47.0) },
            Self::N15 => Recipe {
                lowest: 40.0,
                slots_to_coefficients: [2.0, 32.0],
                program: [4.0, 32.0],
                polynomial: &[44.0; 10],
                coefficients_to_slots: [2.0, 45.0],
                polynomial_primes: &[1; 10],
                values: BootstrapValues::Numbers { arcsine_degree: 3 },
                log2_ratio: 6,
                log2_scale: 44.0,
                digits: 10,
                tier: None,
            },
            Self::Bits => Recipe {
                lowest: 30.0,
                slots_to_coefficients: [3.0, 34.0],
                program: [24.0, 34.0],
                polynomial: &[42.0, 42.0, 42.0, 43.0, 43.0, 43.0, 49.0, 40.0],
                coefficients_to_slots: [3.0, 45.0],
                polynomial_primes: &[1; 8],
                values: BootstrapValues::Bits,
                log2_ratio: 6,
                log2_scale: 43.0,
                digits: 5,
                tier: Some(KeyTier { level: Level(3), special: 4, digit_primes: 4 }),
            },
        }
    }
}

/// Keys of level 0, of which there is one, to the sparse secret: as few special primes as key switching takes, since its modulus decides
/// the security of that secret.
fn sparse_tier(lowest: u64, special: &[u64]) -> KeyTier {
    let needed = (lowest as f64).log2() + SPECIAL_MARGIN_BITS;
    let mut log2_p = 0.0;
    let fewer = special.iter().take_while(|&&prime| {
        log2_p += (prime as f64).log2();
        log2_p < needed
    });
    KeyTier { level: Level(0), special: fewer.count() + 1, digit_primes: 1 }
}

/// Primes of sizes: the fastest kernels' widest ones not above theirs.
fn near(primes: &mut Primes, log2: &[f64]) -> Result<Vec<u64>, NoPrimes> {
    let prime = |&log2: &f64| {
        let is_widest = log2 >= f64::from(FAST_PRIME_BITS);
        if is_widest { primes.at_most(log2, 1) } else { primes.nearest(log2.exp2(), 1) }
    };
    log2.iter().map(prime).collect()
}

#[cfg(test)]
mod tests {
    use asanoha_lattice::sparse_security_bits;
    use asanoha_ring::Backend;
    use asanoha_scheme::Scheme as _;

    use super::*;

    #[test]
    fn all_sets_are_secure_at_their_ring_degree() {
        for set in BootstrapSet::ALL {
            let params = set.literal().unwrap().check(Backend::Scalar).unwrap();
            assert!(params.rlwe().security_bits() >= 128 && !params.literal().rlwe.insecure);
            let log2_modulus = params.rlwe().log2_sparse_modulus().unwrap();
            let sparse = sparse_security_bits(set.ring_degree(), log2_modulus);
            assert!((128..160).contains(&sparse), "{}: {sparse} bits at {log2_modulus}", set.name());
            // Without the keys of level 0, as sets once were, one is refused unless it's kept from then; or the keys that it has
            // instead are of a modulus that is small enough.
            let mut former = set.literal().unwrap();
            former.rlwe.tiers.remove(0);
            let refused = former.clone().check(Backend::Scalar).err();
            let small = matches!(set, BootstrapSet::Bits | BootstrapSet::S40);
            assert_eq!(refused.is_none(), small, "{}: {refused:?}", set.name());
            let kept = former.check_kept(Backend::Scalar).unwrap().rlwe().security_bits();
            assert_eq!(kept < 128, refused.is_some(), "{}: {kept}", set.name());
            let levels = params.max_level().0 - params.literal().bootstrap.as_ref().unwrap().lowest_level().0;
            assert_eq!(levels, set.recipe().program[0] as usize);
        }
    }
}
