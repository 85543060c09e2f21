//! Parameters of circuits with candidates: the published ones, those found by hand, and all there are in small circuits.

use asanoha_kernels::Backend;
use asanoha_lattice::{Norm, RlweLiteral};
use asanoha_scheme::candidates::{
    CandidateCircuit, CandidateError, CandidateParams, CandidateSearch, CircuitError,
    CircuitNode::{self, Add, Candidate, Flood, Fresh, Multiply, MultiplyPlain, SwitchKey},
    NoiseRules, SwitchedModulus, TripleSetting, matrix_triples_circuit, matrix_triples_table_1,
};

/// Bounds in whole bits. A key switch adds what its rounding does, and its widest digit over the special modulus.
#[derive(Clone, Copy, Debug)]
struct Bits {
    fresh: f64,
    plain: f64,
    rounding: f64,
    key: f64,
    flooding: f64,
}

const PLAIN: Bits = Bits { fresh: 40.0, plain: 12.0, rounding: 15.0, key: f64::NEG_INFINITY, flooding: 20.0 };

impl NoiseRules for Bits {
    fn fresh(&self, _: usize) -> Norm {
        Norm::from_log2(self.fresh)
    }
    fn plain(&self, _: usize) -> Norm {
        Norm::from_log2(self.plain)
    }
    fn rounding(&self, _: usize) -> Norm {
        Norm::from_log2(self.rounding)
    }
    fn key_switch(&self, n: usize, modulus: &SwitchedModulus) -> Norm {
        if self.key.is_infinite() {
            return self.rounding(n);
        }
        let widest = modulus.log2_digits.iter().copied().fold(0.0, f64::max);
        self.rounding(n) + Norm::from_log2(widest - modulus.log2_special + self.key)
    }
    fn flooded(&self, noise: Norm) -> Norm {
        noise * self.flooding.exp2()
    }
    fn least_special(&self, _: f64) -> f64 {
        0.0
    }
    fn divides_operands(&self) -> bool {
        true
    }
}

/// Among primes of 30 bits at one ring degree.
fn search(rules: Bits, look_ahead: usize) -> CandidateSearch<Bits> {
    CandidateSearch {
        rules,
        word_bits: 30,
        digits: 2..=2,
        look_ahead,
        drops_all: false,
        log2_ring_degrees: 12..=12,
        largest_log2_modulus: |_| Some(1000),
    }
}

fn find(rules: Bits, nodes: &[CircuitNode]) -> CandidateParams {
    search(rules, 1).run(&CandidateCircuit::new(nodes.to_vec()).unwrap()).unwrap()
}

/// A square of a square, with a candidate after each.
const SQUARES: [CircuitNode; 7] =
    [Fresh, Multiply(0, 0), SwitchKey(1), Candidate(2, 0), Multiply(3, 3), SwitchKey(4), Candidate(5, 1)];

#[test]
fn table_1_of_the_literature_is_reproduced() {
    let setting = TripleSetting::default();
    let [published, ours] = matrix_triples_table_1(&setting).unwrap();
    assert_eq!(published.ring_degree, 32768);
    assert_eq!(published.log2_q().round(), 600.0);
    assert_eq!(published.log2_p().round(), 240.0);
    assert_eq!(setting.modulus_bits, 128);
    assert_eq!(published.switches, [0, 1, 1]);
    assert_eq!(published.segment_primes, [10, 10, 9, 8]);

    let sizes = ours.q_primes.iter().chain(&ours.p_primes).map(|q| q.ilog2());
    assert!(sizes.max().unwrap() < 50);
    let literal =
        RlweLiteral::new(ours.ring_degree, ours.q_primes.clone(), ours.p_primes.clone(), ours.digits);
    assert!(literal.check(Backend::Scalar).unwrap().security_bits() >= 128);
    // Flooding that hides the noise takes more modulus than one that doesn't.
    assert!(ours.log2_q() > published.log2_q());
}

#[test]
fn squares_get_what_was_computed_by_hand() {
    // 2^40 squared is 2^80, and its square 2^160, of six primes. Dropping one prime leaves 2^50, whose square takes four; two
    // leave 2^20, whose square takes two; the third would leave the rounding's 2^15, and still two. Two are left below 2^41
    // and two are dropped.
    let found = find(PLAIN, &SQUARES[..6]);
    assert_eq!((found.q_primes.len(), found.p_primes.len()), (4, 0));
    assert_eq!((&found.switches[..], &found.segment_primes[..]), (&[2][..], &[4, 2][..]));
    assert_eq!(found.segment_noise_bits.iter().map(|bits| bits.round()).collect::<Vec<_>>(), [80.0, 40.0]);
}

#[test]
fn look_ahead_sees_what_a_switch_is_worth_after_the_product() {
    // 2^50 and what a switch leaves of it, 2^44, take two primes each; their squares four and three.
    let rules = Bits { fresh: 50.0, rounding: 44.0, ..PLAIN };
    let circuit = CandidateCircuit::new(vec![Fresh, Candidate(0, 0), Multiply(1, 1)]).unwrap();
    let [without, with] = [0, 1].map(|look_ahead| search(rules, look_ahead).run(&circuit).unwrap());
    assert_eq!((without.switches, without.segment_primes), (vec![0], vec![4, 4]));
    assert_eq!((with.switches, with.segment_primes), (vec![1], vec![4, 3]));
}

/// The fewest primes with which everything decrypts, by trying all switches of up to three primes.
fn fewest_primes(rules: Bits, nodes: &[CircuitNode], bits: f64) -> usize {
    let candidates = CandidateCircuit::new(nodes.to_vec()).unwrap().candidates();
    let decrypts = |primes: usize, special: usize, switches: &[usize]| -> Option<()> {
        let mut values: Vec<(f64, usize)> = Vec::new();
        let add = |a: f64, b: f64| a.max(b) + (1.0 + (-(a - b).abs()).exp2()).log2();
        let down = |(noise, primes): (f64, usize), to: usize| -> Option<(f64, usize)> {
            let divide = |noise, _| add(noise - bits, rules.rounding);
            (1..=primes).contains(&to).then(|| ((to..primes).fold(noise, divide), to))
        };
        for node in nodes {
            let meet = |a: usize, b: usize| {
                let (a, b): (_, (f64, usize)) = (values[a], values[b]);
                Some((down(a, a.1.min(b.1))?, down(b, a.1.min(b.1))?))
            };
            let value = match *node {
                Fresh => (rules.fresh, primes),
                Add(a, b) => meet(a, b).map(|(a, b)| (add(a.0, b.0), a.1))?,
                Multiply(a, b) => meet(a, b).map(|(a, b)| (a.0 + b.0, a.1))?,
                MultiplyPlain(a) => (values[a].0 + rules.plain, values[a].1),
                SwitchKey(a) => {
                    let (noise, left) = values[a];
                    let digit = primes.div_ceil(2).min(left) as f64 - special as f64;
                    (add(noise, add(rules.rounding, digit * bits + rules.key)), left)
                }
                Flood(a) => (values[a].0 + rules.flooding, values[a].1),
                Candidate(a, candidate) => down(values[a], values[a].1.checked_sub(switches[candidate])?)?,
            };
            (value.0 + 1.0 < value.1 as f64 * bits).then_some(())?;
            values.push(value);
        }
        Some(())
    };
    let works = |total: usize| {
        (0..total.min(6)).any(|special| {
            (0..4usize.pow(candidates as u32)).any(|code| {
                let switches: Vec<usize> = (0..candidates).map(|at| (code >> (2 * at)) & 3).collect();
                decrypts(total - special, special, &switches).is_some()
            })
        })
    };
    (1..40).find(|&total| works(total)).unwrap()
}

#[test]
fn small_circuits_get_as_few_primes_as_any_switches_give() {
    let circuits: [&[CircuitNode]; 5] = [
        &SQUARES,
        // A product of a product and an encryption that is switched on its own.
        &[
            Fresh,
            Fresh,
            Multiply(0, 1),
            SwitchKey(2),
            Candidate(3, 0),
            Fresh,
            Candidate(5, 0),
            Multiply(4, 6),
            SwitchKey(7),
            Candidate(8, 1),
            Flood(9),
        ],
        // Rotations, masks, and a product.
        &[
            Fresh,
            SwitchKey(0),
            MultiplyPlain(1),
            Candidate(2, 0),
            SwitchKey(3),
            MultiplyPlain(4),
            Candidate(5, 1),
            Multiply(6, 6),
            SwitchKey(7),
            Candidate(8, 2),
            Flood(9),
        ],
        // Operands of different depths.
        &[
            Fresh,
            Multiply(0, 0),
            SwitchKey(1),
            Candidate(2, 0),
            Multiply(3, 3),
            SwitchKey(4),
            Candidate(5, 1),
            Add(6, 0),
            Multiply(7, 0),
        ],
        // A candidate that's of no use.
        &[Fresh, Candidate(0, 0), Add(1, 1), MultiplyPlain(2)],
    ];
    let bits = (2f64.powi(30)).log2();
    for (at, nodes) in circuits.iter().enumerate() {
        for fresh in [33.3, 40.7, 47.1] {
            for key in [f64::NEG_INFINITY, 9.3] {
                let rules = Bits { fresh, rounding: 26.2, key, ..PLAIN };
                let found = find(rules, nodes);
                let total = found.q_primes.len() + found.p_primes.len();
                assert_eq!(total, fewest_primes(rules, nodes, bits), "{at}, {fresh}, {key}: {found:?}");
            }
        }
    }
}

#[test]
fn lists_that_are_no_circuits_say_what_to_do() {
    let error = |nodes: &[CircuitNode]| CandidateCircuit::new(nodes.to_vec()).unwrap_err();
    assert_eq!(error(&[]), CircuitError::Empty);
    assert_eq!(error(&[Fresh, Add(0, 2), Add(1, 0)]), CircuitError::NotBefore { node: 1, operand: 2 });
    assert!(error(&[SwitchKey(0)]).to_string().contains("without cycles"));
    let order = error(&[Fresh, Candidate(0, 1), Candidate(1, 1), Candidate(2, 1)]);
    assert_eq!(order, CircuitError::Order { node: 2, candidate: 1, after: 1 });
    let product = [Fresh, Multiply(0, 0), Add(1, 0), Candidate(2, 0)];
    assert_eq!(error(&product), CircuitError::NotRelinearised { node: 3, operand: 2 });
    assert!(error(&product).to_string().contains("switch keys before"));
}

#[test]
fn what_no_ring_or_word_holds_is_refused() {
    let circuit = CandidateCircuit::new(SQUARES.to_vec()).unwrap();
    let narrow = CandidateSearch { largest_log2_modulus: |_| Some(100), ..search(PLAIN, 1) };
    let error = narrow.run(&circuit).unwrap_err();
    assert_eq!(error, CandidateError::TooWide { log2_ring_degree: 12 });
    assert!(error.to_string().contains("put more switch candidates before products"));
    for word_bits in [29, 64] {
        let search = CandidateSearch { word_bits, ..search(PLAIN, 1) };
        assert_eq!(search.run(&circuit), Err(CandidateError::WordBits(word_bits)));
    }
    let enormous = TripleSetting { modulus_bits: 4096, ..TripleSetting::default() };
    assert!(matrix_triples_table_1(&enormous).is_err());
}

#[test]
fn the_circuit_of_matrix_triples_has_three_candidates_and_the_rotations_of_both_factors() {
    let circuit = matrix_triples_circuit(&TripleSetting { dimension: 4, ..TripleSetting::default() });
    assert_eq!(circuit.candidates(), 3);
}
