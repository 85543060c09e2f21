//! Chooses parameters by depth, precision and security.

use asanoha_kernels::{Backend, SelectError};
use asanoha_lattice::{Level, RlweLiteral, largest_log2_modulus};
use num_bigint::BigUint;
use thiserror::Error;

use super::{FAST_PRIME_BITS, NoPrimes, Primes, SwitchLevels, choose_digits, with_digits};
use crate::{
    Approximate, Encoding, Exact, JsonInteger, Predictor, Scheme, SchemeError, nearest_batching_primes,
};

/// The ring degrees that are tried, as log2; those of the security table.
const LOG2_RING_DEGREES: std::ops::RangeInclusive<u32> = 10..=17;

/// The largest ring degree that can be asked for, as log2; its security is extrapolated from the table.
const LARGEST_LOG2_RING_DEGREE: u32 = 18;

/// The narrowest primes that are looked for where nothing says how many are taken: below there are few that are 1 modulo 2N.
const NARROWEST_PRIME_BITS: f64 = 30.0;
/// The least number of primes of a width for each that is taken: those taken are then within a tenth of a bit of it.
const PRIMES_TO_CHOOSE_FROM: f64 = 8.0;

/// The security of parameters for which none is asked, in bits.
const SECURITY_BITS: u32 = 128;

/// The precision of approximate results for which none is asked, in bits.
const PRECISION_BITS: f64 = 20.0;

/// A builder of parameters: chooses them by depth, and by precision or plaintext modulus.
///
/// Everything else has a default: 128 bits of security, the smallest ring and modulus, and the number of digits that makes key
/// switches fastest.
#[derive(Clone, Debug)]
pub struct ParametersBuilder<S> {
    requirements: ParameterRequirements,
    scheme: std::marker::PhantomData<S>,
}

/// The requirements on parameters of any scheme.
#[derive(Clone, Debug)]
pub struct ParameterRequirements {
    /// The number of consecutive products.
    pub depth: usize,
    /// The least number of slots.
    pub slots: usize,
    /// The security in bits.
    pub security_bits: u32,
    /// The headroom for sums, in bits: results may be sums of 2^this many values.
    pub headroom_bits: Option<u32>,
    /// The plaintext modulus of exact schemes.
    pub plaintext_modulus: Option<BigUint>,
    /// The encoding, if it was chosen: products are of slots or of coefficients.
    pub encoding: Option<Encoding>,
    /// The precision of approximate results of at most 1, in bits.
    pub precision_bits: f64,
    /// The number of digits of key switching.
    pub digits: Option<usize>,
    /// The most bytes of a key-switching key.
    pub key_bytes: Option<usize>,
    /// The ring degree.
    pub ring_degree: Option<usize>,
    /// The kernels.
    pub backend: Option<Backend>,
}

impl ParameterRequirements {
    /// Returns the headroom for sums, in bits, in a ring whose plaintexts hold the given count of numbers.
    ///
    /// By default it suffices for the sum of all slots if slots were requested, otherwise for a sum of as many coefficients as
    /// were requested.
    pub fn headroom_bits(&self, numbers: usize) -> u32 {
        let summed = if self.encoding == Some(Encoding::Slots) { numbers } else { self.slots };
        self.headroom_bits.unwrap_or_else(|| summed.next_power_of_two().ilog2())
    }

    /// The plaintext modulus if it gives no slots and coefficients weren't asked for.
    fn modulus_without_slots(&self, params: &impl Scheme) -> Option<BigUint> {
        let lacks = params.row_slots().is_none() && self.encoding != Some(Encoding::Coefficients);
        self.plaintext_modulus.clone().filter(|_| lacks)
    }

    /// Returns the encoding that a literal states; slots are its default.
    pub fn stated_encoding(&self) -> Option<Encoding> {
        self.encoding.filter(|&encoding| encoding == Encoding::Coefficients)
    }
}

/// An error of the search for parameters.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParametersError {
    /// A requirement that is missing or impossible.
    #[error("{0}")]
    Wish(String),
    /// A plaintext modulus without slots, where coefficients weren't requested.
    #[error(
        "plaintext modulus {modulus} gives no slots, so that products would be those of polynomials modulo X^N + 1: call coefficients() if these are meant; for products number by number take a prime that gives slots, such as {}, and call slots()",
        either(nearest)
    )]
    NoSlots {
        /// The modulus.
        modulus: BigUint,
        /// The nearest primes below and above it that have as many slots as requested.
        nearest: Vec<BigUint>,
    },
    /// Fewer slots or coefficients than requested, even in the largest ring.
    #[error(
        "{asked} numbers in a plaintext were asked for, and there are {found} {}: ask for {found}{}",
        if nearest.is_empty() { format!("at ring degree {ring_degree}") } else { "with this plaintext modulus in every ring".into() },
        if nearest.is_empty() { " or for a larger ring degree".into() } else { format!(", or take a prime that gives more, such as {}", either(nearest)) }
    )]
    TooFewSlots {
        /// The ring degree.
        ring_degree: usize,
        /// How many numbers a plaintext has.
        found: usize,
        /// How many were requested.
        asked: usize,
        /// The nearest primes below and above the plaintext modulus that have as many, if a larger ring wouldn't help.
        nearest: Vec<BigUint>,
    },
    /// The largest parameters of the search are secure but don't meet the requirements.
    #[error(
        "no parameters hold depth {depth} as precisely as asked: {why}; ask for less depth or precision, or fewer headroom_bits"
    )]
    TooPrecise {
        /// The requested depth.
        depth: usize,
        /// What is missing.
        why: String,
    },
    /// No ring holds the modulus at the requested security.
    #[error(
        "depth {depth} needs more modulus than {security_bits}-bit security allows in the rings up to degree 2^17: {why}; ask for less depth, precision or a smaller plaintext modulus"
    )]
    TooDeep {
        /// The requested depth.
        depth: usize,
        /// The requested security, in bits.
        security_bits: u32,
        /// The last shortfall of the search.
        why: String,
    },
    /// Too few primes of a size.
    #[error(transparent)]
    NoPrimes(#[from] NoPrimes),
    /// The requested kernels aren't available.
    #[error(transparent)]
    Kernels(#[from] SelectError),
}

/// A scheme whose parameters are chosen by requirements.
pub trait Parametrised: Scheme {
    /// Whether products go down the levels.
    const SWITCHES_MODULI: bool = true;

    /// The sizes of the ciphertext primes in bits, the first to stay first, for a size that grows by one from 1 on: a larger
    /// one holds all that a smaller one does.
    fn prime_sizes(requirements: &ParameterRequirements, ring_degree: usize, size: u32) -> Vec<f64>;

    /// Returns the largest size that is worth trying.
    fn largest_size(requirements: &ParameterRequirements, ring_degree: usize) -> u32;

    /// The primes of the sizes that [`Parametrised::prime_sizes`] gives for `size`; those of most schemes are just any.
    ///
    /// # Errors
    /// [`NoPrimes`].
    fn primes(
        requirements: &ParameterRequirements,
        size: u32,
        primes: &mut Primes,
        sizes: &[f64],
    ) -> Result<Vec<u64>, NoPrimes> {
        let _ = (requirements, size);
        sizes.iter().map(|size| primes.at_most(*size, 1)).collect()
    }

    /// Checks a ring's parameters and returns the scheme's parameters.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    fn with_ring(
        rlwe: RlweLiteral,
        requirements: &ParameterRequirements,
        size: u32,
        backend: Backend,
    ) -> Result<Self, String>;

    /// Checks with the noise model that the parameters meet the requirements.
    ///
    /// # Errors
    /// The requirement that isn't met.
    fn suffices(&self, requirements: &ParameterRequirements) -> Result<(), String>;
}

impl<S> Default for ParametersBuilder<S> {
    fn default() -> Self {
        let requirements = ParameterRequirements {
            depth: 0,
            slots: 1,
            security_bits: SECURITY_BITS,
            headroom_bits: None,
            plaintext_modulus: None,
            encoding: None,
            precision_bits: PRECISION_BITS,
            digits: None,
            key_bytes: None,
            ring_degree: None,
            backend: None,
        };
        Self { requirements, scheme: std::marker::PhantomData }
    }
}

impl<S: Parametrised> ParametersBuilder<S> {
    /// Sets the largest number of consecutive products.
    pub fn depth(mut self, depth: usize) -> Self {
        self.requirements.depth = depth;
        self
    }

    /// Sets the least number of slots, for products slot by slot. Replaces an earlier [`ParametersBuilder::coefficients`].
    pub fn slots(mut self, slots: usize) -> Self {
        (self.requirements.slots, self.requirements.encoding) = (slots, Some(Encoding::Slots));
        self
    }

    /// Sets the security, in bits. The default is 128.
    pub fn security_bits(mut self, bits: u32) -> Self {
        self.requirements.security_bits = bits;
        self
    }

    /// Reserves headroom for sums of 2^bits results, instead of sums of all slots ([`crate::Evaluator::sum_all`]).
    pub fn headroom_bits(mut self, bits: u32) -> Self {
        self.requirements.headroom_bits = Some(bits);
        self
    }

    /// Sets the number of digits of key switching. By default it's the one that makes key switching fastest.
    pub fn digits(mut self, digits: usize) -> Self {
        self.requirements.digits = Some(digits);
        self
    }

    /// Limits the size of a key-switching key in memory, in bytes. More digits make keys larger; fewer digits make the modulus
    /// larger.
    pub fn key_bytes(mut self, bytes: usize) -> Self {
        self.requirements.key_bytes = Some(bytes);
        self
    }

    /// Sets the ring degree, a power of two from 2^10 to 2^18. By default it's the smallest that suffices. The security of 2^18
    /// is extrapolated from that of 2^17.
    pub fn ring_degree(mut self, ring_degree: usize) -> Self {
        self.requirements.ring_degree = Some(ring_degree);
        self
    }

    /// Sets the kernels. By default they're the fastest that this processor supports.
    pub fn backend(mut self, backend: Backend) -> Self {
        self.requirements.backend = Some(backend);
        self
    }

    /// Builds the parameters of the smallest ring and modulus that meet the requirements.
    ///
    /// # Errors
    /// [`ParametersError`].
    pub fn build(self) -> Result<S, ParametersError> {
        let requirements = &self.requirements;
        let backend = requirements.backend.map_or_else(Backend::detect, Ok)?;
        if !(1..=256).contains(&requirements.security_bits) {
            let problem = format!("{}-bit security isn't in the table", requirements.security_bits);
            return Err(ParametersError::Wish(format!("{problem}, which goes to 256 bits")));
        }
        let log2_degrees = match requirements.ring_degree {
            None => LOG2_RING_DEGREES,
            Some(asked) => {
                let range = *LOG2_RING_DEGREES.start()..=LARGEST_LOG2_RING_DEGREE;
                let log2 = range.into_iter().find(|log2| 1 << log2 == asked);
                let problem = || format!("ring degree {asked} isn't a power of two from 2^10 to 2^18");
                let log2 = log2.ok_or_else(|| ParametersError::Wish(problem()))?;
                log2..=log2
            }
        };
        let mut last = Shortfall { why: String::new(), by_security: true };
        for log2 in log2_degrees {
            let ring_degree = 1 << log2;
            let search = Search { requirements, ring_degree, backend, scheme: self.scheme };
            match search.run()? {
                Ok(params) => return Ok(params),
                Err(reason) => last = reason,
            }
        }
        let (depth, security_bits) = (requirements.depth, requirements.security_bits);
        Err(match last {
            Shortfall { why, by_security: true } => ParametersError::TooDeep { depth, security_bits, why },
            Shortfall { why, by_security: false } => ParametersError::TooPrecise { depth, why },
        })
    }
}

impl<S: Parametrised + Exact> ParametersBuilder<S> {
    /// Sets the plaintext modulus t, which is required.
    pub fn plaintext_modulus(mut self, modulus: impl Into<JsonInteger>) -> Self {
        self.requirements.plaintext_modulus = Some(modulus.into().0);
        self
    }

    /// Sets the least number of coefficients, for products of polynomials modulo X^N + 1 under any plaintext modulus.
    ///
    /// Replaces an earlier [`ParametersBuilder::slots`]. A modulus without slots requires it.
    pub fn coefficients(mut self, coefficients: usize) -> Self {
        (self.requirements.slots, self.requirements.encoding) = (coefficients, Some(Encoding::Coefficients));
        self
    }
}

impl<S: Parametrised + Approximate> ParametersBuilder<S> {
    /// Sets the precision of results of at most 1: errors are at most 2^−bits. The default is 20.
    pub fn precision_bits(mut self, bits: impl Into<f64>) -> Self {
        self.requirements.precision_bits = bits.into();
        self
    }
}

/// A search in one ring.
struct Search<'w, S> {
    requirements: &'w ParameterRequirements,
    ring_degree: usize,
    backend: Backend,
    scheme: std::marker::PhantomData<S>,
}

impl<S: Parametrised> Search<'_, S> {
    /// The smallest parameters of the ring, or why there are none.
    fn run(&self) -> Result<Result<S, Shortfall>, ParametersError> {
        let Self { requirements, ring_degree, .. } = *self;
        let largest = largest_log2_modulus(ring_degree, requirements.security_bits);
        let Some(largest) = largest.map(f64::from) else {
            let why = format!("no modulus is that secure at ring degree {ring_degree}");
            return Ok(Err(Shortfall { why, by_security: true }));
        };
        // By halving: all sizes below `short` are too short.
        let beyond = S::largest_size(requirements, ring_degree) + 1;
        let (mut short, mut enough) = (0, beyond);
        let (mut best, mut why) = (None, "the modulus would have to be even larger".to_owned());
        while short + 1 < enough {
            let middle = u32::midpoint(short, enough);
            match self.candidate(middle, largest)? {
                Candidate::Good(params) => (best, enough) = (Some(*params), middle),
                Candidate::Insecure => enough = middle,
                Candidate::Short(reason) => (why, short) = (reason, middle),
            }
        }
        Ok(best.ok_or(Shortfall { why, by_security: enough < beyond }))
    }

    /// The nearest primes that give as many slots as are asked for, in the rings that have as many coefficients.
    fn nearest(&self, modulus: &BigUint) -> Vec<BigUint> {
        let slots = self.requirements.slots.max(1 << LOG2_RING_DEGREES.start()).next_power_of_two();
        let (below, above) = nearest_batching_primes(modulus, slots);
        below.into_iter().chain(above).collect()
    }

    fn candidate(&self, size: u32, largest: f64) -> Result<Candidate<S>, ParametersError> {
        let Self { requirements, ring_degree, backend, .. } = *self;
        let sizes = S::prime_sizes(requirements, ring_degree, size);
        if sizes.iter().sum::<f64>() > largest {
            return Ok(Candidate::Insecure);
        }
        let taken: Option<u64> = requirements.plaintext_modulus.as_ref().and_then(|t| t.try_into().ok());
        let mut primes = Primes::new(ring_degree, taken.as_slice());
        let q_primes = S::primes(requirements, size, &mut primes, &sizes)?;
        let levels = if S::SWITCHES_MODULI { SwitchLevels::All } else { SwitchLevels::Highest };
        let cut = match requirements.digits {
            None => choose_digits(&q_primes, &primes, largest, levels, requirements.key_bytes)?,
            Some(digits) => with_digits(&q_primes, &primes, largest, digits)?,
        };
        let Some(rlwe) = cut else { return Ok(Candidate::Insecure) };
        let params = S::with_ring(rlwe, requirements, size, backend).map_err(ParametersError::Wish)?;
        if let Some(modulus) = requirements.modulus_without_slots(&params) {
            let nearest = self.nearest(&modulus);
            return Err(ParametersError::NoSlots { modulus, nearest });
        }
        let (found, asked) = (params.slots(), requirements.slots);
        if found < asked {
            let largest = requirements.ring_degree.unwrap_or(1 << LOG2_RING_DEGREES.end());
            if ring_degree == largest {
                // A ring has as many coefficients as it says: what lacks is the modulus'.
                let modulus = requirements.plaintext_modulus.as_ref().filter(|_| found < ring_degree);
                let nearest = modulus.map_or(Vec::new(), |modulus| self.nearest(modulus));
                return Err(ParametersError::TooFewSlots { ring_degree, found, asked, nearest });
            }
            return Ok(Candidate::Short(format!("ring degree {ring_degree} has {found} slots")));
        }
        Ok(match params.suffices(requirements) {
            Ok(()) => Candidate::Good(Box::new(params)),
            Err(reason) => Candidate::Short(reason),
        })
    }
}

/// Why a ring has no parameters.
struct Shortfall {
    why: String,
    /// Whether larger ones wouldn't be secure; otherwise there are none larger.
    by_security: bool,
}

/// One number or the other.
fn either(numbers: &[BigUint]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(" or ")
}

enum Candidate<S> {
    Good(Box<S>),
    /// All larger ones are too.
    Insecure,
    /// All smaller ones are too.
    Short(String),
}

/// Returns a part of a modulus as equal sizes of primes, each at most [`FAST_PRIME_BITS`].
pub fn segment(bits: f64) -> Vec<f64> {
    segment_of(bits, NARROWEST_PRIME_BITS)
}

/// Returns a part of a modulus as equal sizes of primes, each at most [`FAST_PRIME_BITS`] and at least `narrowest`.
pub fn segment_of(bits: f64, narrowest: f64) -> Vec<f64> {
    let count = (bits / f64::from(FAST_PRIME_BITS)).ceil().max(1.0);
    vec![(bits / count).max(narrowest); count as usize]
}

/// The least width, in bits, of which there are several times as many primes that are 1 modulo 2N as are taken; at most 30.
///
/// Between 2^(w − 1) and 2^w there are about 2^(w − 1)/(N·ln 2^w), as primes are spread evenly over the N odd residues modulo 2N.
pub fn narrowest_prime_bits(ring_degree: usize, count: usize) -> f64 {
    let found = |bits: f64| (bits - 1.0).exp2() / (ring_degree as f64 * bits * std::f64::consts::LN_2);
    let enough = PRIMES_TO_CHOOSE_FROM * count as f64;
    let mut widths = (1..NARROWEST_PRIME_BITS as u32).map(f64::from);
    widths.find(|&bits| found(bits) >= enough).unwrap_or(NARROWEST_PRIME_BITS)
}

/// Checks that consecutive squarings decrypt, each switched to the level that suits its noise, with headroom for sums at the
/// end.
///
/// # Errors
/// The requirement that isn't met.
pub fn squarings_suffice<S: Exact>(scheme: &S, requirements: &ParameterRequirements) -> Result<(), String> {
    let predictor = Predictor::new(scheme);
    let model = predictor.model();
    let run = || -> Result<(), SchemeError> {
        let mut state = model.fresh_public(scheme.max_level(), &())?;
        for _ in 0..requirements.depth {
            state = predictor.multiply(&state, &state)?;
        }
        // A result may be switched to any level that decrypts: what counts is the best of them.
        let sum = |level: usize| -> Result<(), SchemeError> {
            let switched = predictor.switch_to(&state, Level(level))?;
            let noise = model.key_switch(&switched)?.noise
                * f64::from(requirements.headroom_bits(scheme.slots())).exp2();
            model.check(switched.with_noise(noise)).map(|_| ())
        };
        let mut outcome = sum(state.level.0);
        for level in (0..state.level.0).rev() {
            outcome = outcome.or_else(|_| sum(level));
        }
        outcome
    };
    run().map_err(|error| error.to_string())
}
