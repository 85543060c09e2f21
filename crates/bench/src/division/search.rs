//! The smallest ring and modulus that hold a division, found by walking its circuit with the noise model.

use asanoha_bgv::{BgvLiteral, BgvParams};
use asanoha_kernels::{Backend, is_prime};
use asanoha_lattice::{NoiseModel, RlweLiteral, largest_log2_modulus};
use asanoha_scheme::{Model, Scheme};

use super::circuit::Circuit;

const LOG2_RING_DEGREES: std::ops::RangeInclusive<u32> = 12..=17;
const SECURITY: u32 = 128;
/// The widest prime that the fastest kernels take.
const WIDEST: f64 = 50.0;
/// What a product's prime has above the rounding's noise, in bits: two are the least that goes on for ever, and
/// sums of products want more.
const ABOVE_ROUNDING: [f64; 7] = [1.8, 2.2, 3.0, 4.0, 5.0, 6.5, 8.0];
/// Primes beyond one for each product.
const MOST_EXTRA: usize = 4;
/// The last product's part of the modulus, in bits: where the search ends, and how finely it's searched.
const LARGEST_BASE: f64 = 170.0;
const BASE_STEP: f64 = 0.5;
/// P exceeds the largest digit by so many bits.
const SPECIAL_MARGIN: f64 = 4.1;

/// The sizes of a modulus, in bits, as a circuit uses it up: a prime for the first product, one for each that
/// follows, and what's left for the last.
#[derive(Clone, Copy)]
struct Shape {
    first: f64,
    level: f64,
    levels: usize,
    base: f64,
    base_primes: usize,
}

impl Shape {
    fn sizes(&self) -> Vec<f64> {
        let base = vec![self.base / self.base_primes as f64; self.base_primes];
        [base, vec![self.level; self.levels], vec![self.first]].concat()
    }
}

/// A circuit modulo t in one ring.
struct Search<'a> {
    circuit: &'a Circuit,
    t: u64,
    ring_degree: usize,
    backend: Backend,
}

/// The parameters of the smallest ring that holds a circuit modulo t with public-key encryption at 128 bits of security.
pub(super) fn search(circuit: &Circuit, t: u64, backend: Backend) -> Option<BgvParams> {
    let depth = circuit.depth(t);
    let mut degrees = LOG2_RING_DEGREES;
    degrees.find_map(|log2| Search { circuit, t, ring_degree: 1 << log2, backend }.run(depth))
}

impl Search<'_> {
    fn run(&self, depth: usize) -> Option<BgvParams> {
        let added = NoiseModel::new(self.ring_degree).rounding(2);
        let largest = f64::from(largest_log2_modulus(self.ring_degree, SECURITY)?);
        let t = self.t as f64;
        let rounding = (t * added).log2();
        let fresh = (t * (added + self.ring_degree as f64 / 2.0)).log2();
        let shapes = (0..=MOST_EXTRA).flat_map(|extra| {
            ABOVE_ROUNDING.map(|above| Shape {
                first: 2.0 * fresh - rounding + above - ABOVE_ROUNDING[0],
                level: rounding + above,
                levels: depth + extra - 2,
                base: LARGEST_BASE,
                base_primes: (LARGEST_BASE / WIDEST).ceil() as usize,
            })
        });
        // The last product at least takes what the others take.
        let fits = |shape: &Shape| shape.first + shape.level * (shape.levels + 2) as f64 <= largest;
        let shape = shapes.filter(fits).find(|shape| self.holds(*shape))?;
        let shape = self.with_least_base(shape);
        let least = (shape.base / WIDEST).ceil() as usize;
        // More primes, each of fewer bits, let P be smaller.
        (least..=least + 2).find_map(|base_primes| {
            let literal = self.literal(Shape { base_primes, ..shape }, largest)?;
            let params = BgvLiteral::new(literal, self.t).check(self.backend).ok()?;
            self.walks(&params).then_some(params)
        })
    }

    /// Whether a circuit can be carried out with some modulus, however secure.
    fn holds(&self, shape: Shape) -> bool {
        let literal = self.literal(shape, f64::INFINITY).map(RlweLiteral::insecure);
        let params = literal.and_then(|rlwe| BgvLiteral::new(rlwe, self.t).check(self.backend).ok());
        params.is_some_and(|params| self.walks(&params))
    }

    fn walks(&self, params: &BgvParams) -> bool {
        let model = Model::new(params);
        let Ok(fresh) = model.fresh_public(params.max_level(), &()) else { return false };
        let operands = vec![fresh; self.circuit.operands(&[], &[]).len()];
        self.circuit.apply(&model, &operands).is_ok()
    }

    fn with_least_base(&self, shape: Shape) -> Shape {
        let of = |steps: usize| {
            let base = steps as f64 * BASE_STEP;
            Shape { base, base_primes: (base / WIDEST).ceil() as usize, ..shape }
        };
        let (mut short, mut enough) =
            ((shape.level / BASE_STEP) as usize, (LARGEST_BASE / BASE_STEP) as usize);
        while short + 1 < enough {
            let middle = usize::midpoint(short, enough);
            if self.holds(of(middle)) { enough = middle } else { short = middle }
        }
        of(enough)
    }

    /// The primes of a shape, with the cut into digits that costs the least among those whose modulus fits.
    fn literal(&self, shape: Shape, largest: f64) -> Option<RlweLiteral> {
        let sizes = shape.sizes();
        let mut taken = vec![self.t];
        // Where all primes are 1 modulo t, correction factors stay 1 and sums cost no noise.
        let multiple = if self.circuit.adds() { self.t } else { 1 };
        let q_primes = self.primes(&sizes, multiple, &mut taken)?;
        let log2 = |primes: &[u64]| primes.iter().map(|&q| (q as f64).log2()).sum::<f64>();
        let cut = |digits: usize| {
            let digit = q_primes.chunks(q_primes.len().div_ceil(digits)).map(log2).fold(0.0, f64::max);
            let count = ((digit + SPECIAL_MARGIN) / WIDEST).ceil();
            let special = vec![(digit + SPECIAL_MARGIN) / count; count as usize];
            let p_primes = self.primes(&special, 1, &mut taken.clone())?;
            let fits = log2(&q_primes) + log2(&p_primes) <= largest && log2(&p_primes) >= digit + 4.0;
            fits.then(|| ((digits + 2) * (q_primes.len() + p_primes.len()), digits, p_primes))
        };
        let (_, digits, p_primes) = (1..=q_primes.len()).filter_map(cut).min_by_key(|&(cost, ..)| cost)?;
        Some(RlweLiteral::new(self.ring_degree, q_primes, p_primes, digits))
    }

    /// For each size the largest prime below that is 1 modulo `multiple`·2N and not taken yet.
    fn primes(&self, sizes: &[f64], multiple: u64, taken: &mut Vec<u64>) -> Option<Vec<u64>> {
        let step = 2 * self.ring_degree as u64 * multiple;
        let largest = |size: &f64| {
            let mut candidate = size.exp2() as u64 / step * step + 1;
            while taken.contains(&candidate) || !is_prime(candidate) {
                candidate = candidate.checked_sub(step)?;
            }
            taken.push(candidate);
            Some(candidate)
        };
        sizes.iter().map(largest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::circuit::DivisionMethod, *};

    #[test]
    fn parameters_are_secure_and_divisions_of_more_bits_need_more() {
        let log2_qp = |method: DivisionMethod, bits| {
            let t = method.moduli(bits)[0];
            let circuit = Circuit::new(method, bits, t).unwrap();
            let params = search(&circuit, t, Backend::detect().unwrap()).unwrap();
            assert!(params.rlwe().security_bits() >= SECURITY);
            (params.rlwe().ring_degree(), params.rlwe().log2_qp())
        };
        for method in [DivisionMethod::Ours, DivisionMethod::Paper] {
            assert!(log2_qp(method, 5) > log2_qp(method, 4));
        }
    }

    #[test]
    fn eight_bits_fit_sixteen_thousand_slots_with_public_key_encryption() {
        let method = DivisionMethod::Ours;
        let circuit = Circuit::new(method, 8, method.moduli(8)[0]).unwrap();
        let params = search(&circuit, method.moduli(8)[0], Backend::detect().unwrap()).unwrap();
        assert_eq!((params.rlwe().ring_degree(), params.slots()), (1 << 14, 1 << 14));
    }
}
