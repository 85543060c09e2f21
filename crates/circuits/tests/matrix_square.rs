//! Products of encrypted square matrices against plain ones, by every option, and their noise against its bound.

use asanoha_bgv::{
    BgvCiphertext, BgvLiteral, BgvModel, BgvParams, BgvPredictor, Decryptor, Encryptor, Evaluator, measure,
};
use asanoha_circuits::matrix::{
    Keep, MatrixBatch, Rotations, SquareError, SquareOptions, SquarePacking, SquareProduct, SquareWishes,
};
use asanoha_lattice::{EvaluationKeys, Level, PublicKey, SecretKey};
use asanoha_ring::{Backend, Sampler, Seed, WideModulus};
use asanoha_scheme::{Exact, Primes, Scheme, SchemeError, State, batching_primes, with_digits};
use asanoha_testkit::TestIntegers;
use num_bigint::{BigInt, BigUint};

struct Fixture {
    params: BgvParams,
    secret: SecretKey,
    public: PublicKey,
    sampler: Sampler,
    integers: TestIntegers,
}

/// Parameters of so many ciphertext primes of 46 bits.
fn params(ring_degree: usize, t: &BigUint, primes: usize, digits: usize) -> BgvParams {
    let mut found = Primes::new(ring_degree, &[]);
    let q: Vec<u64> = (0..primes).map(|_| found.at_most(46.0, 1).unwrap()).collect();
    let rlwe = with_digits(&q, &found, f64::INFINITY, digits).unwrap().unwrap().insecure();
    BgvLiteral::new(rlwe, t.clone()).check(Backend::detect().unwrap()).unwrap()
}

fn prime(bits: u64, ring_degree: usize) -> BigUint {
    batching_primes(bits, ring_degree, 1).remove(0)
}

impl Fixture {
    fn new(params: BgvParams, seed: u64) -> Self {
        println!("seed {seed}");
        let mut sampler = Sampler::new(&Seed([seed as u8; 32]));
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        Self { params, secret, public, sampler, integers: TestIntegers(seed) }
    }

    /// With a plaintext modulus of 61 bits.
    fn small(ring_degree: usize, seed: u64) -> Self {
        Self::new(params(ring_degree, &prime(61, ring_degree), 7, 2), seed)
    }

    fn fresh(&self) -> State<BgvParams> {
        BgvModel::new(&self.params).fresh_public(self.params.max_level(), &()).unwrap()
    }

    fn modulus(&self) -> WideModulus {
        WideModulus::new(self.params.plaintext_modulus()).unwrap()
    }

    /// Matrices with entries by matrix, row and column.
    fn matrices(
        &self,
        shape: [usize; 2],
        count: usize,
        mut entry: impl FnMut(usize, usize, usize) -> BigInt,
    ) -> MatrixBatch {
        let modulus = self.modulus();
        let mut matrices = MatrixBatch::zero(&modulus, shape, count);
        for place in 0..count * shape[0] * shape[1] {
            let (index, row, column) =
                (place / (shape[0] * shape[1]), place / shape[1] % shape[0], place % shape[1]);
            let value = modulus.row(&entry(index, row, column));
            matrices.entry_mut(index, row, column).copy_from_slice(&value);
        }
        matrices
    }

    fn random(&mut self, shape: [usize; 2], count: usize) -> MatrixBatch {
        let t = BigInt::from(self.params.plaintext_modulus().clone());
        let mut integers = TestIntegers(self.integers.0);
        let matrices = self.matrices(shape, count, |_, _, _| integers.below(&t));
        self.integers = integers;
        matrices
    }

    fn plan(&self, shape: [usize; 3], side: usize, options: SquareOptions) -> SquareProduct<BgvParams> {
        let fresh = self.fresh();
        let predictor = BgvPredictor::new(&self.params);
        SquareProduct::new(&predictor, shape, side, options, [&fresh, &fresh], 0.0).unwrap()
    }

    fn evaluator(&mut self, plan: &SquareProduct<BgvParams>) -> Evaluator {
        let rlwe = self.params.rlwe();
        let keys = EvaluationKeys::generate_levels(rlwe, &self.secret, &plan.keys(), &mut self.sampler);
        // Beside the tables of the automorphisms, of at most a word for two coefficients.
        let tables = keys.bytes() - plan.cost().key_bytes;
        assert!(tables <= plan.keys().iter().len() * rlwe.ring_degree() * 4);
        Evaluator::new(&self.params, keys)
    }

    fn encrypt(
        &mut self,
        plan: &SquareProduct<BgvParams>,
        sides: [&MatrixBatch; 2],
    ) -> [Vec<BgvCiphertext>; 2] {
        let encryptor = Encryptor::new(&self.params);
        let blocks = [plan.encode_left(sides[0]).unwrap(), plan.encode_right(sides[1]).unwrap()];
        blocks.map(|blocks| {
            let encrypt = |block| encryptor.encrypt(&self.public, block, &mut self.sampler).unwrap();
            blocks.iter().map(encrypt).collect()
        })
    }

    /// Holds encrypted products against plain ones, and noise against what is predicted.
    fn expect(&mut self, plan: &SquareProduct<BgvParams>, sides: [&MatrixBatch; 2], what: &str) {
        let evaluator = self.evaluator(plan);
        let [left, right] = self.encrypt(plan, sides);
        let products = plan.multiply(&evaluator, &left, &right).unwrap();
        let [predicted_left, predicted_right] =
            [&left, &right].map(|side| side.iter().map(|block| block.state().clone()).collect::<Vec<_>>());
        let predicted = plan.multiply(&evaluator.predictor(), &predicted_left, &predicted_right).unwrap();
        assert!(products.iter().map(BgvCiphertext::state).eq(&predicted), "{what}");
        let decryptor = Decryptor::new(&self.params);
        let decrypted = products.iter().map(|product| {
            assert_eq!((product.level(), product.parts()), (plan.levels().result, 2), "{what}");
            assert!(measure(&self.secret, product) <= product.noise().log2(), "{what}");
            decryptor.decrypt_unsigned(&self.secret, product).unwrap()
        });
        let found = plan.decode(&decrypted.collect::<Vec<_>>(), sides[0].count()).unwrap();
        assert!(found == sides[0].product(&self.modulus(), sides[1]), "{what}");
    }
}

const ROTATIONS: [Rotations; 6] = [
    Rotations::Plain,
    Rotations::Hoisted,
    Rotations::Reused,
    Rotations::HoistedReused { group: 1 },
    Rotations::HoistedReused { group: 3 },
    Rotations::HoistedReused { group: 4 },
];

fn all_options() -> Vec<SquareOptions> {
    let keeps = [Keep::Stored, Keep::Recomputed];
    let mut all = Vec::new();
    for rotations in ROTATIONS {
        for (masks, images) in keeps.into_iter().flat_map(|masks| keeps.map(|images| (masks, images))) {
            for (lazy, merged) in [(false, false), (false, true), (true, false), (true, true)] {
                all.push(SquareOptions { rotations, masks, images, lazy, merged });
            }
        }
    }
    all
}

#[test]
fn products_in_blocks_are_those_of_plain_matrices_by_every_option() {
    let mut fixture = Fixture::small(64, 1);
    // Two blocks by two by one, the last of them not full; all but one of a batch of four.
    let (a, b) = (fixture.random([5, 7], 3), fixture.random([7, 4], 3));
    for options in all_options() {
        let plan = fixture.plan([5, 7, 4], 4, options);
        plan.prepare();
        fixture.expect(&plan, [&a, &b], &format!("{options:?}"));
    }
}

#[test]
fn blocks_of_all_sides_are_multiplied_modulo_primes_of_all_widths() {
    for (bits, primes) in [(61, 7), (128, 12), (256, 21)] {
        for (side, ring_degree) in [(2, 16), (4, 64), (8, 128), (16, 512)] {
            let t = prime(bits, ring_degree);
            let mut fixture = Fixture::new(params(ring_degree, &t, primes, 3), bits);
            let plan = fixture.plan([side; 3], side, SquareOptions::default());
            let batch = ring_degree / (side * side);
            assert_eq!(plan.packing().batch(), batch);
            let (a, b) = (fixture.random([side; 2], batch), fixture.random([side; 2], batch));
            fixture.expect(&plan, [&a, &b], &format!("{bits} bits, side {side}"));
        }
    }
}

#[test]
fn the_largest_entries_zeros_and_identities_multiply_within_the_noise() {
    let mut fixture = Fixture::small(128, 2);
    let plan = fixture.plan([8; 3], 8, SquareOptions::default());
    let kinds: [fn(usize, usize) -> i64; 4] =
        [|_, _| -1, |_, _| 0, |i, j| i64::from(i == j), |i, j| if (i + j) % 2 == 0 { -1 } else { 1 }];
    let kinds = kinds.map(|kind| fixture.matrices([8, 8], 2, |_, i, j| kind(i, j).into()));
    for (i, a) in kinds.iter().enumerate() {
        for (j, b) in kinds.iter().enumerate() {
            fixture.expect(&plan, [a, b], &format!("kinds {i} and {j}"));
        }
    }
}

#[test]
fn awkward_sizes_are_sliced_and_padded() {
    let mut fixture = Fixture::small(128, 3);
    // As 192 in blocks of 32, 64 and 128.
    for side in [2, 4, 8] {
        let plan = fixture.plan([12; 3], side, SquareOptions::default());
        assert_eq!(plan.blocks(), [12usize.div_ceil(side); 3]);
        let count = plan.packing().batch();
        let (a, b) = (fixture.random([12, 12], count), fixture.random([12, 12], count));
        fixture.expect(&plan, [&a, &b], &format!("slices of {side}"));
    }
    let plan = fixture.plan([1, 1, 1], 1, SquareOptions::default());
    let (a, b) = (fixture.random([1, 1], 128), fixture.random([1, 1], 128));
    fixture.expect(&plan, [&a, &b], "numbers");
}

#[test]
fn a_modulus_of_few_slots_packs_smaller_matrices() {
    // 1 modulo 2^6 and not 2^7: 32 slots of 64.
    let t: BigUint = (1u64 << 40..)
        .step_by(64)
        .map(|t| BigUint::from(t + 1))
        .find(|t| t % 128u32 == 65u32.into() && asanoha_scheme::is_prime_integer(t))
        .unwrap();
    let mut fixture = Fixture::new(params(64, &t, 7, 2), 4);
    let plan = fixture.plan([4; 3], 4, SquareOptions::default());
    assert_eq!(plan.packing().batch(), 2);
    let (a, b) = (fixture.random([4, 4], 2), fixture.random([4, 4], 2));
    fixture.expect(&plan, [&a, &b], "few slots");
    let fixture = Fixture::new(params(128, &t, 7, 2), 4);
    let refused = SquarePacking::new(&fixture.params, 8).unwrap_err();
    assert_eq!(refused, SquareError::Modulus { side: 8, needed: 256, slots: 32, largest: 4 });
    assert!(refused.to_string().contains("1 modulo 256"));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let mut fixture = Fixture::small(64, 5);
    let (fresh, predictor) = (fixture.fresh(), BgvPredictor::new(&fixture.params));
    let new = |shape, side, rotations| {
        let options = SquareOptions { rotations, ..SquareOptions::default() };
        SquareProduct::new(&predictor, shape, side, options, [&fresh, &fresh], 0.0).map(drop)
    };
    let hoisted = Rotations::Hoisted;
    for side in [0, 3] {
        assert_eq!(new([4; 3], side, hoisted), Err(SquareError::Side { side }));
    }
    assert_eq!(new([8; 3], 8, hoisted), Err(SquareError::RingDegree { side: 8, ring_degree: 64 }));
    for group in [0, 5] {
        let refused = Err(SquareError::Group { group, side: 4 });
        assert_eq!(new([4; 3], 4, Rotations::HoistedReused { group }), refused);
    }
    assert!(matches!(new([4, 0, 4], 4, hoisted), Err(SquareError::Shape { .. })));

    let plan = fixture.plan([4, 3, 2], 4, SquareOptions::default());
    let right = fixture.random([3, 2], 1);
    assert_eq!(plan.encode_left(&right).unwrap_err(), SquareError::Shape { expected: [4, 3], found: [3, 2] });
    let many = fixture.random([3, 2], 5);
    assert_eq!(plan.encode_right(&many).unwrap_err(), SquareError::Count { batch: 4, found: 5 });
    assert_eq!(plan.decode(&[], 1).unwrap_err(), SquareError::Blocks { expected: 1, found: 0 });
    let slots = vec![vec![BigUint::ZERO; 64]];
    assert_eq!(plan.decode(&slots, 5).unwrap_err(), SquareError::Count { batch: 4, found: 5 });

    let left = fixture.random([4, 3], 1);
    let [left, right] = fixture.encrypt(&plan, [&left, &right]);
    let without = Evaluator::new(&fixture.params, EvaluationKeys::default());
    let refused = plan.multiply(&without, &left, &right).unwrap_err();
    assert!(matches!(refused, SchemeError::MissingKey(_)));

    let few = params(64, &prime(61, 64), 4, 2);
    let predictor = BgvPredictor::new(&few);
    let fresh = predictor.model().fresh_public(few.max_level(), &()).unwrap();
    let refused = SquareProduct::new(&predictor, [4; 3], 4, SquareOptions::default(), [&fresh, &fresh], 0.0)
        .unwrap_err();
    assert!(matches!(refused, SquareError::Scheme(SchemeError::OutOfModulus { .. })));
}

#[test]
fn re_used_keys_are_three_and_groups_take_as_many_for_each_side() {
    // In one digit and with no tiers there's one key of each name.
    let t = prime(61, 512);
    let mut rlwe = params(512, &t, 7, 1).rlwe().literal().clone();
    rlwe.tiers.clear();
    let params = BgvLiteral::new(rlwe, t).check(Backend::detect().unwrap()).unwrap();
    let fixture = Fixture::new(params, 6);
    let keys = |rotations| {
        let options = SquareOptions { rotations, ..SquareOptions::default() };
        fixture.plan([16; 3], 16, options).keys().iter().len()
    };
    assert_eq!(keys(Rotations::Reused), 3);
    for group in [2, 4, 8] {
        assert_eq!(keys(Rotations::HoistedReused { group }), 2 * group + 1);
    }
    for rotations in [Rotations::Plain, Rotations::Hoisted, Rotations::HoistedReused { group: 16 }] {
        assert_eq!(keys(rotations), 2 * 15 + 1);
    }
}

#[test]
fn headroom_is_left_by_results() {
    let fixture = Fixture::new(params(64, &prime(61, 64), 9, 3), 7);
    let (fresh, predictor) = (fixture.fresh(), BgvPredictor::new(&fixture.params));
    let mut before = None;
    for headroom in [0.0, 40.0, 80.0] {
        let options = SquareOptions::default();
        let plan = SquareProduct::new(&predictor, [4; 3], 4, options, [&fresh, &fresh], headroom).unwrap();
        let rights = vec![fresh.clone()];
        let product = &plan.multiply(&predictor, &rights, &rights).unwrap()[0];
        assert!(predictor.model().budget_bits(product) >= headroom);
        assert_eq!(product.level, plan.levels().result);
        assert!(before.is_none_or(|before: Level| before < plan.levels().result));
        before = Some(plan.levels().result);
    }
}

#[test]
fn the_choice_is_the_fastest_that_the_memory_allows() {
    let mut fixture = Fixture::small(512, 8);
    let (fresh, predictor) = (fixture.fresh(), BgvPredictor::new(&fixture.params));
    let choose = |memory, side| {
        let requirements = SquareWishes { memory, side, ..SquareWishes::default() };
        SquareProduct::choose(&predictor, [32, 32, 16], requirements, [&fresh, &fresh])
    };
    let fastest = choose(None, Some(16)).unwrap();
    assert_eq!(fastest.options(), &SquareOptions::default());
    let mut limit = fastest.cost().bytes();
    let (mut work, mut seen) = (fastest.cost().word_products, vec![*fastest.options()]);
    let least = loop {
        match choose(Some(limit), Some(16)) {
            Ok(plan) => {
                let cost = plan.cost();
                assert!(cost.bytes() <= limit && cost.word_products >= work);
                work = cost.word_products;
                limit = cost.bytes() - 1;
                seen.push(*plan.options());
            }
            Err(error) => break error,
        }
    };
    assert_eq!(least, SquareError::Memory { needed: limit + 1, limit });
    assert!(seen.iter().any(|options| options.rotations == Rotations::Reused));
    assert!(seen.iter().any(|options| options.images == Keep::Recomputed));
    let leanest = choose(Some(limit + 1), Some(16)).unwrap();
    let (a, b) = (fixture.random([32, 32], 2), fixture.random([32, 16], 2));
    fixture.expect(&leanest, [&a, &b], "leanest");
    assert_eq!(choose(None, Some(32)).unwrap_err(), SquareError::RingDegree { side: 32, ring_degree: 512 });

    // Of all sides, the one with the least work for a matrix.
    let chosen = choose(None, None).unwrap();
    let rank = |plan: &SquareProduct<BgvParams>| plan.cost().word_products / plan.packing().batch() as f64;
    for side in [1, 2, 4, 8, 16] {
        assert!(rank(&chosen) <= rank(&choose(None, Some(side)).unwrap()), "side {side}");
    }
    assert!(chosen.cost().to_string().contains("word products in"));
}

#[test]
#[ignore = "slow"]
fn matrices_of_128_rows_are_multiplied_modulo_128_bits() {
    let t = prime(128, 1 << 15);
    let mut fixture = Fixture::new(params(1 << 15, &t, 10, 2), 9);
    let plan = fixture.plan([128; 3], 128, SquareOptions::default());
    let (a, b) = (fixture.random([128, 128], 2), fixture.random([128, 128], 2));
    fixture.expect(&plan, [&a, &b], "128 rows");
}
