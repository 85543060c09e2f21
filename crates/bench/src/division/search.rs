//! The smallest ring and modulus that hold a division, found by walking its circuit with the noise model.

use asanoha_bgv::{BgvLiteral, BgvParams};
use asanoha_kernels::Backend;
use asanoha_lattice::{NoiseModel, RlweLiteral, largest_log2_modulus};
use asanoha_scheme::{Predictor, Primes, Scheme, SwitchLevels, choose_digits};

use super::circuit::{Circuit, PLAINTEXT_MODULUS};

const LOG2_RING_DEGREES: std::ops::RangeInclusive<u32> = 12..=17;
const SECURITY: u32 = 128;
/// The widest prime that the fastest kernels support, in bits.
const WIDEST: f64 = 50.0;
/// The bits of a product's prime above the noise of the rounding. With two, any number of products can follow one
/// another; sums of products need more.
const ABOVE_ROUNDING: [f64; 7] = [1.8, 2.2, 3.0, 4.0, 5.0, 6.5, 8.0];
/// The largest number of primes beyond one for each product.
const MOST_EXTRA: usize = 4;
/// The largest part of the modulus for the last product, in bits, and the step in which it's searched.
const LARGEST_BASE: f64 = 170.0;
const BASE_STEP: f64 = 0.5;

/// The sizes in bits of a modulus, in the order in which a circuit uses it up: a prime for the first product, one for
/// each product that follows, and the rest for the last one.
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

/// A circuit in one ring.
struct Search<'a> {
    circuit: &'a Circuit,
    ring_degree: usize,
    backend: Backend,
}

/// The parameters of the smallest ring that holds a circuit, with public-key encryption at 128 bits of security.
pub(super) fn search(circuit: &Circuit, backend: Backend) -> Option<BgvParams> {
    let depth = circuit.depth();
    let mut degrees = LOG2_RING_DEGREES;
    degrees.find_map(|log2| Search { circuit, ring_degree: 1 << log2, backend }.run(depth))
}

impl Search<'_> {
    fn run(&self, depth: usize) -> Option<BgvParams> {
        let added = NoiseModel::new(self.ring_degree).rounding(2);
        let largest = f64::from(largest_log2_modulus(self.ring_degree, SECURITY)?);
        let t = PLAINTEXT_MODULUS as f64;
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
        // The last product needs at least as much as the others.
        let fits = |shape: &Shape| shape.first + shape.level * (shape.levels + 2) as f64 <= largest;
        let shape = shapes.filter(fits).find(|shape| self.holds(*shape))?;
        let shape = self.with_least_base(shape);
        let least = (shape.base / WIDEST).ceil() as usize;
        // More primes of fewer bits each allow a smaller P.
        (least..=least + 2).find_map(|base_primes| {
            let literal = self.literal(Shape { base_primes, ..shape }, largest)?;
            let params = BgvLiteral::new(literal, PLAINTEXT_MODULUS).check(self.backend).ok()?;
            self.walks(&params).then_some(params)
        })
    }

    /// Whether the circuit can be evaluated with a modulus of this shape, however insecure.
    fn holds(&self, shape: Shape) -> bool {
        let literal = self.literal(shape, f64::INFINITY).map(RlweLiteral::insecure);
        let params =
            literal.and_then(|rlwe| BgvLiteral::new(rlwe, PLAINTEXT_MODULUS).check(self.backend).ok());
        params.is_some_and(|params| self.walks(&params))
    }

    fn walks(&self, params: &BgvParams) -> bool {
        let predictor = Predictor::new(params);
        let Ok(fresh) = predictor.model().fresh_public(params.max_level(), &()) else { return false };
        let operands = vec![fresh; self.circuit.operands(&[], &[]).len()];
        self.circuit.apply(&predictor, &operands).is_ok()
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

    /// The primes of a shape, with the number of digits that is fastest among those whose modulus fits.
    fn literal(&self, shape: Shape, largest: f64) -> Option<RlweLiteral> {
        // If all primes are 1 modulo t, correction factors stay 1 and sums add no noise for them.
        let multiple = if self.circuit.adds() { PLAINTEXT_MODULUS } else { 1 };
        let mut primes = Primes::new(self.ring_degree, &[PLAINTEXT_MODULUS]);
        let sizes = shape.sizes().into_iter();
        let q_primes: Vec<u64> =
            sizes.map(|size| primes.at_most(size, multiple)).collect::<Result<_, _>>().ok()?;
        choose_digits(&q_primes, &primes, largest, SwitchLevels::All, None).ok()?
    }
}

#[cfg(test)]
mod tests {
    use super::{super::circuit::DivisionMethod, *};

    #[test]
    fn parameters_are_secure_and_divisions_of_more_bits_need_more() {
        let size = |method: DivisionMethod, bits| {
            let circuit = Circuit::new(method, bits).unwrap();
            let params = search(&circuit, Backend::detect().unwrap()).unwrap();
            assert!(params.rlwe().security_bits() >= SECURITY);
            (params.rlwe().ring_degree(), params.rlwe().q(params.max_level()).log2_product())
        };
        for method in [DivisionMethod::Bitwise, DivisionMethod::Paper, DivisionMethod::Ours] {
            assert!(size(method, 5) > size(method, 4));
        }
    }

    #[test]
    fn eight_bits_fit_sixteen_thousand_slots_with_public_key_encryption() {
        for method in [DivisionMethod::Bitwise, DivisionMethod::Ours] {
            let circuit = Circuit::new(method, 8).unwrap();
            let params = search(&circuit, Backend::detect().unwrap()).unwrap();
            assert_eq!((params.rlwe().ring_degree(), params.slots()), (1 << 14, 1 << 14), "{method:?}");
        }
    }
}
