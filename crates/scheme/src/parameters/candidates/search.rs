//! The parameters of a circuit, and how many primes it drops at each of its candidates.

use asanoha_lattice::Norm;
use thiserror::Error;

use super::{CandidateCircuit, CircuitNode, NoiseRules, SwitchedModulus};
use crate::{NoPrimes, Primes};

/// The widest primes that are drawn: those of unsigned words of 64 bits.
const WIDEST_PRIME_BITS: u32 = 63;
/// The narrowest: below there are few that are 1 modulo 2N.
const NARROWEST_PRIME_BITS: u32 = 30;

/// What parameters are searched under.
#[derive(Clone, Debug)]
pub struct CandidateSearch<R> {
    /// How noise grows.
    pub rules: R,
    /// The widest prime that a word holds, in bits.
    pub word_bits: u32,
    /// The numbers of digits of key switching that are tried.
    pub digits: std::ops::RangeInclusive<usize>,
    /// How many levels ahead the effect of a switch is looked at: 0 looks at what was switched itself, 1 at all that is
    /// computed of it up to the next candidate.
    pub look_ahead: usize,
    /// Whether candidates at last drop as many primes as leave everything decryptable, the first ones first: what is computed
    /// after them costs less, and nothing needs a larger modulus.
    pub drops_all: bool,
    /// The ring degrees that are tried, as log2.
    pub log2_ring_degrees: std::ops::RangeInclusive<u32>,
    /// The largest log2 of ciphertext modulus and special modulus together that is secure at a ring degree.
    pub largest_log2_modulus: fn(usize) -> Option<u32>,
}

/// Parameters of a circuit.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateParams {
    /// The ring degree N.
    pub ring_degree: usize,
    /// The width of all primes, in bits.
    pub prime_bits: u32,
    /// The ciphertext primes; those that are dropped first stand last.
    pub q_primes: Vec<u64>,
    /// The special primes.
    pub p_primes: Vec<u64>,
    /// The digits of key switching, of ⌈primes/digits⌉ primes each.
    pub digits: usize,
    /// How many primes each candidate drops.
    pub switches: Vec<usize>,
    /// The fewest ciphertext primes that are left in each segment of the circuit.
    pub segment_primes: Vec<usize>,
    /// log2 of the largest noise bound of each segment.
    pub segment_noise_bits: Vec<f64>,
    /// The number-theoretic transforms that all key switches take, each of a polynomial modulo one prime.
    pub transforms: usize,
}

/// Why there are no parameters.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CandidateError {
    /// Words that are no words.
    #[error("primes of {0} bits aren't searched: ask for 30 to 63")]
    WordBits(u32),
    /// No ring holds the modulus.
    #[error(
        "no ring of up to 2^{log2_ring_degree} coefficients holds the circuit's modulus securely: multiply less in sequence, put more switch candidates before products, or take a smaller plaintext modulus"
    )]
    TooWide {
        /// log2 of the largest ring degree that was tried.
        log2_ring_degree: u32,
    },
}

impl CandidateParams {
    /// log2 of the ciphertext modulus.
    pub fn log2_q(&self) -> f64 {
        crate::log2_product(&self.q_primes)
    }

    /// log2 of the special modulus.
    pub fn log2_p(&self) -> f64 {
        crate::log2_product(&self.p_primes)
    }
}

impl<R: NoiseRules> CandidateSearch<R> {
    /// The parameters of the smallest secure ring: of the fewest primes for each number of digits, as narrow as they may be,
    /// and of the digits whose key switches take the fewest transforms.
    ///
    /// Source: Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023), §3.3.
    /// There the width falls from a word's until there would be more primes; here all widths from three quarters of it on are
    /// compared.
    ///
    /// # Errors
    /// [`CandidateError`].
    pub fn run(&self, circuit: &CandidateCircuit) -> Result<CandidateParams, CandidateError> {
        if !(NARROWEST_PRIME_BITS..=WIDEST_PRIME_BITS).contains(&self.word_bits) {
            return Err(CandidateError::WordBits(self.word_bits));
        }
        for log2 in self.log2_ring_degrees.clone() {
            let ring_degree = 1 << log2;
            let Some(largest) = (self.largest_log2_modulus)(ring_degree) else { continue };
            let of_digits = |digits| self.with_digits(circuit, ring_degree, f64::from(largest), digits);
            if let Some(best) = self.digits.clone().filter_map(of_digits).min_by_key(|it| it.transforms) {
                return Ok(best);
            }
        }
        Err(CandidateError::TooWide { log2_ring_degree: *self.log2_ring_degrees.end() })
    }

    fn with_digits(
        &self,
        circuit: &CandidateCircuit,
        ring_degree: usize,
        largest: f64,
        digits: usize,
    ) -> Option<CandidateParams> {
        let widths = (self.word_bits * 3 / 4).max(NARROWEST_PRIME_BITS)..=self.word_bits;
        let of_width = |bits| {
            let primes =
                Drawn { primes: Primes::new(ring_degree, &[]), bits, found: vec![], log2: vec![0.0] };
            let search = Core { search: self, circuit, ring_degree, largest, digits, primes };
            search.run().ok().flatten()
        };
        widths.filter_map(of_width).min_by_key(|it| (it.q_primes.len() + it.p_primes.len(), it.prime_bits))
    }
}

/// The primes of one width, drawn as they're asked for.
struct Drawn {
    primes: Primes,
    bits: u32,
    found: Vec<u64>,
    /// log2 of the product of the first primes.
    log2: Vec<f64>,
}

impl Drawn {
    fn draw(&mut self, count: usize) -> Result<(), NoPrimes> {
        while self.found.len() < count {
            let prime = self.primes.below(self.bits, 1)?;
            self.log2.push(self.log2[self.found.len()] + (prime as f64).log2());
            self.found.push(prime);
        }
        Ok(())
    }
}

/// What is searched: the first primes are special, the next ones the ciphertexts'.
#[derive(Clone, Debug, PartialEq)]
struct Moduli {
    special: usize,
    primes: usize,
    switches: Vec<usize>,
}

/// A ciphertext: its noise, and how many primes it has left.
#[derive(Clone, Copy, Debug)]
struct Value {
    noise: Norm,
    primes: usize,
}

/// A search among primes of one width at one ring degree.
struct Core<'a, R> {
    search: &'a CandidateSearch<R>,
    circuit: &'a CandidateCircuit,
    ring_degree: usize,
    largest: f64,
    digits: usize,
    primes: Drawn,
}

impl<R: NoiseRules> Core<'_, R> {
    /// The paper's Algorithm 1: noises are compared in primes, with and without a change, at one place, that of the look-ahead.
    /// What it finds is then improved for as long as that takes primes away.
    fn run(mut self) -> Result<Option<CandidateParams>, NoPrimes> {
        let candidates = self.circuit.candidates();
        let mut now = Moduli { special: 0, primes: 1, switches: vec![0; candidates] };
        for depth in 0..=candidates {
            let mut at = 0;
            while at <= depth {
                self.primes.draw(now.special + now.primes + 1)?;
                if self.primes.log2[now.special + now.primes] > self.largest {
                    return Ok(None);
                }
                let values = self.values(&now);
                let size = self.size(&values, at);
                let after = |changed: &Moduli| self.size(&self.values(changed), at);
                let wider = Moduli { special: now.special + 1, ..now.clone() };
                let mut switched = now.clone();
                switched.switches.iter_mut().skip(at).take(1).for_each(|switch| *switch += 1);
                if !self.fits_special(&now) || after(&wider) < size {
                    (now, at) = (wider, 0);
                } else if at < candidates && after(&switched) + now.switches[at] < size {
                    (now, at) = (switched, 0);
                } else if !self.decrypts(&now, &values, at) {
                    (now.primes, at) = (now.primes + 1, 0);
                } else {
                    at += 1;
                }
            }
        }
        while let Some(better) = self.improved(&now) {
            now = better;
        }
        for at in (0..candidates).filter(|_| self.search.drops_all) {
            let mut lower = now.clone();
            lower.switches[at] += 1;
            while self.works(&lower) {
                now.switches[at] += 1;
                lower.switches[at] += 1;
            }
        }
        Ok(Some(self.params(now)))
    }

    /// With a special prime or a ciphertext prime less, and at most two candidates changed by one prime each.
    fn improved(&self, now: &Moduli) -> Option<Moduli> {
        let places = 0..now.switches.len();
        let changes: Vec<(usize, isize)> = places.flat_map(|at| [(at, 0), (at, 1), (at, -1)]).collect();
        let changed = |fewer: &Moduli, (at, change): (usize, isize)| {
            let mut changed = fewer.clone();
            changed.switches[at] = changed.switches[at].checked_add_signed(change)?;
            Some(changed)
        };
        let special = now.special.checked_sub(1).map(|special| Moduli { special, ..now.clone() });
        let primes = (now.primes > 1).then(|| Moduli { primes: now.primes - 1, ..now.clone() });
        special.into_iter().chain(primes).find_map(|fewer| {
            let pairs = changes.iter().flat_map(|&a| changes.iter().map(move |&b| (a, b)));
            let of_pair = |(a, b)| changed(&changed(&fewer, a)?, b).filter(|moduli| self.works(moduli));
            self.works(&fewer)
                .then(|| fewer.clone())
                .or_else(|| pairs.filter(|(a, b)| a.0 <= b.0).find_map(of_pair))
        })
    }

    /// Whether keys can be switched and everything decrypts.
    fn works(&self, moduli: &Moduli) -> bool {
        let is_decryptable = || self.decrypts(moduli, &self.values(moduli), self.circuit.candidates());
        self.fits_special(moduli) && is_decryptable()
    }

    /// The primes of a digit of the whole modulus.
    fn digit_primes(&self, moduli: &Moduli) -> usize {
        moduli.primes.div_ceil(self.digits)
    }

    /// log2 of the digits of so many primes.
    fn log2_digits(&self, moduli: &Moduli, primes: usize) -> Vec<f64> {
        let log2 = |prime: usize| self.primes.log2[moduli.special + prime];
        let ends = (0..primes).step_by(self.digit_primes(moduli));
        ends.map(|start| log2((start + self.digit_primes(moduli)).min(primes)) - log2(start)).collect()
    }

    /// Whether the special modulus is wide enough for the digits, where keys are switched at all.
    fn fits_special(&self, moduli: &Moduli) -> bool {
        let widest = self.log2_digits(moduli, moduli.primes).into_iter().fold(0.0, f64::max);
        let fits = self.primes.log2[moduli.special] >= self.search.rules.least_special(widest);
        fits || !self.circuit.nodes.iter().any(|node| matches!(node, CircuitNode::SwitchKey(_)))
    }

    /// What is known of every operation's result.
    fn values(&self, moduli: &Moduli) -> Vec<Value> {
        let (n, rules) = (self.ring_degree, &self.search.rules);
        let (fresh, plain, rounding) = (rules.fresh(n), rules.plain(n), rules.rounding(n));
        let key_switch = |primes: usize| {
            let log2_special = self.primes.log2[moduli.special];
            let log2_digits = &self.log2_digits(moduli, primes)[..];
            rules.key_switch(
                n,
                &SwitchedModulus { primes, log2_digits, special: moduli.special, log2_special },
            )
        };
        let mut key_switches = vec![None; moduli.primes + 1];
        let mut values: Vec<Value> = Vec::with_capacity(self.circuit.nodes.len());
        for &node in &self.circuit.nodes {
            // The first primes stay.
            let divided = |a: Value, primes: usize| {
                let dropped = &self.primes.found[moduli.special + primes..moduli.special + a.primes];
                let noise = dropped.iter().rev().fold(a.noise, |noise, &q| noise / q as f64 + rounding);
                Value { noise, primes }
            };
            let both = |a: usize, b: usize, join: fn(Norm, Norm) -> Norm| {
                let primes = values[a].primes.min(values[b].primes);
                let [a, b] = [a, b].map(|operand| {
                    let value = values[operand];
                    if rules.divides_operands() { divided(value, primes) } else { value }
                });
                Value { noise: join(a.noise, b.noise), primes }
            };
            let value = match node {
                CircuitNode::Fresh => Value { noise: fresh, primes: moduli.primes },
                CircuitNode::Add(a, b) => both(a, b, |a, b| a + b),
                CircuitNode::Multiply(a, b) => both(a, b, |a, b| a * b),
                CircuitNode::MultiplyPlain(a) => Value { noise: values[a].noise * plain, ..values[a] },
                CircuitNode::SwitchKey(a) => {
                    let Value { noise, primes } = values[a];
                    let added = *key_switches[primes].get_or_insert_with(|| key_switch(primes));
                    Value { noise: noise + added, primes }
                }
                CircuitNode::Flood(a) => Value { noise: rules.flooded(values[a].noise), ..values[a] },
                CircuitNode::Candidate(a, candidate) => {
                    let left = values[a].primes.saturating_sub(moduli.switches[candidate]).max(1);
                    divided(values[a], left)
                }
            };
            values.push(value);
        }
        values
    }

    /// The largest noise bound where a change before, or at, a candidate is looked at, in primes.
    fn size(&self, values: &[Value], candidate: usize) -> usize {
        let look_ahead = self.search.look_ahead;
        let segment = (candidate + look_ahead).min(self.circuit.candidates());
        let itself = |node: CircuitNode| matches!(node, CircuitNode::Candidate(_, of) if of == candidate);
        let is_looked_at = |at: usize| {
            let (own, node) = (self.circuit.segments[at], self.circuit.nodes[at]);
            if look_ahead == 0 && candidate < self.circuit.candidates() {
                itself(node)
            } else {
                own == segment
            }
        };
        let noise = values.iter().enumerate().filter(|(at, _)| is_looked_at(*at)).map(|(_, it)| it.noise);
        (noise.max().unwrap_or(Norm::ONE).log2() / f64::from(self.primes.bits)).ceil() as usize
    }

    /// Whether everything up to a segment decrypts: twice the noise is below the modulus.
    fn decrypts(&self, moduli: &Moduli, values: &[Value], segment: usize) -> bool {
        let log2 =
            |primes: usize| self.primes.log2[moduli.special + primes] - self.primes.log2[moduli.special];
        let mut up_to = values.iter().zip(&self.circuit.segments).filter(|(_, own)| **own <= segment);
        // The candidates leave a prime.
        let dropped: usize = moduli.switches[..segment].iter().sum();
        dropped < moduli.primes && up_to.all(|(value, _)| value.noise.log2() + 1.0 < log2(value.primes))
    }

    fn params(self, moduli: Moduli) -> CandidateParams {
        let values = self.values(&moduli);
        let of_segment = |segment: usize| {
            let own = self.circuit.segments.iter().zip(&values).filter(move |(own, _)| **own == segment);
            own.map(|(_, value)| *value)
        };
        let segments = 0..=self.circuit.candidates();
        let fewest = |segment| of_segment(segment).map(|it| it.primes).min().unwrap_or(moduli.primes);
        let noisiest = |segment| of_segment(segment).map(|it| it.noise).max().unwrap_or(Norm::ZERO).log2();
        // Digits are extended to all primes, and two parts divided by the special ones.
        let transforms = |primes: usize| {
            let digits = primes.div_ceil(self.digit_primes(&moduli));
            digits * (primes + moduli.special) + 2 * (primes + moduli.special)
        };
        let nodes = self.circuit.nodes.iter().zip(&values);
        let switched = nodes.filter(|(node, _)| matches!(node, CircuitNode::SwitchKey(_)));
        CandidateParams {
            ring_degree: self.ring_degree,
            prime_bits: self.primes.bits,
            p_primes: self.primes.found[..moduli.special].to_vec(),
            q_primes: self.primes.found[moduli.special..moduli.special + moduli.primes].to_vec(),
            digits: self.digits.min(moduli.primes),
            segment_primes: segments.clone().map(fewest).collect(),
            segment_noise_bits: segments.map(noisiest).collect(),
            transforms: switched.map(|(_, value)| transforms(value.primes)).sum(),
            switches: moduli.switches,
        }
    }
}
