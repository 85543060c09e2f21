//! Products of the matrices, and of the polynomials, that are the hardest on the noise, with all parties' shares alike: the
//! way of the generator from packing to decryption, on matrices that it would never draw.

use asanoha_circuits::matrix::{BatchPacking, MatrixBatch};
use asanoha_lattice::{
    EvaluationKeys, ImageSums, KeyLevels, Level, Norm, PublicKey, RlweCiphertext, RlweParams, SecretKey,
};
use asanoha_mpc::{TripleOptions, TripleParams, TripleShape};
use asanoha_ring::{Coefficient, Poly, RelativeSize, Sampler, Seed, WideModulus, WidePlanes};
use num_bigint::{BigInt, BigUint};

const N: usize = 1 << 7;
const PARTIES: usize = 3;

/// Primes of 61, 128 and 256 bits: 1 modulo 2, 2^15 and 4.
const MODULI: [&str; 3] = [
    "2305843009213693951",
    "170141183460469231731687303715885907969",
    "57896044618658097711785492504343953926634992332820282019728792003956564819949",
];

/// One key for all parties, and what their products' noise is at most.
struct Setting {
    params: TripleParams,
    secret: SecretKey,
    public: PublicKey,
    keys: EvaluationKeys,
    /// Where products are decrypted.
    level: Level,
    inner: usize,
    sampler: Sampler,
}

impl Setting {
    fn new(modulus: &str, [rows, inner, columns]: [usize; 3]) -> Self {
        let options = TripleOptions {
            modulus: modulus.parse().unwrap(),
            shape: TripleShape { rows, inner, columns },
            parties: PARTIES,
            outer: rows.max(columns).next_power_of_two(),
            insecure_ring_degree: Some(N),
            backend: None,
        };
        let params = TripleParams::choose(&options).unwrap();
        let rlwe = params.rlwe();
        let mut sampler = Sampler::new(&Seed([3; 32]));
        let secret = SecretKey::generate(rlwe, &mut sampler);
        let public = PublicKey::generate(rlwe, &secret, &mut sampler);
        let holds = |level: &Level| {
            let [_, code] = bounds(&params, inner, *level);
            code.log2() + 1.0 < rlwe.q(*level).log2_product()
        };
        let level = (0..=rlwe.max_level().0).map(Level).find(holds).unwrap();
        assert!(level < rlwe.max_level(), "there is something to divide by");
        let mut levels = KeyLevels::default();
        let automorphisms = params.packing().automorphisms();
        for k in 0..automorphisms.count() {
            levels.add_image_product(rlwe, automorphisms.element(k), level);
        }
        let keys = EvaluationKeys::generate_levels(rlwe, &secret, &levels, &mut sampler);
        Self { params, secret, public, keys, level, inner, sampler }
    }

    fn modulus(&self) -> &WideModulus {
        self.params.modulus()
    }

    fn packing(&self) -> &BatchPacking {
        self.params.packing()
    }

    /// The sum of as many encryptions of the same polynomial as there are parties.
    fn encrypt(&mut self, rows: &[u64], level: Level) -> RlweCiphertext {
        let rlwe: &RlweParams = self.params.rlwe();
        let plain = Poly::<Coefficient>::from_rows(rlwe.q(level), rows, self.params.modulus());
        let plain = plain.into_evaluation();
        let mut sum = self.public.encrypt(rlwe, &plain, &mut self.sampler);
        for _ in 1..PARTIES {
            sum.add_assign(&self.public.encrypt(rlwe, &plain, &mut self.sampler));
        }
        sum
    }

    /// A factor times the plaintext of a ciphertext, whose noise is held against its bound.
    fn decrypt(&self, ciphertext: &RlweCiphertext, bound: Norm, factor: &BigUint) -> WidePlanes {
        let noise = self.secret.decrypt(ciphertext);
        let found = noise.relative_size(|_| 1).largest;
        let bound = (bound.log2() - noise.basis().log2_product()).exp2();
        assert!(found <= bound + RelativeSize::ERROR, "{found} of the modulus, above {bound}");
        self.scaled(noise, factor)
    }

    /// A factor times a polynomial, modulo t.
    fn scaled(&self, polynomial: Poly<Coefficient>, factor: &BigUint) -> WidePlanes {
        let summands = polynomial.into_summands(self.modulus());
        let scaled = |(words, weight)| (words, weight * factor % self.modulus().value());
        self.packing().columns().combination(&summands.terms().into_iter().map(scaled).collect::<Vec<_>>())
    }

    /// Multiplies polynomials of packed columns and rows that all parties have alike, and compares the product and its codes
    /// with those of the matrices that the polynomials are of.
    fn check(&mut self, columns: &[Vec<u64>], rows: &[Vec<u64>], shape: [usize; 3], mac_key: &BigUint) {
        let (top, batch) = (self.params.rlwe().max_level(), self.packing().batch());
        let basis = self.params.rlwe().q(top);
        let [left, right] = [columns, rows].map(|side| -> Vec<WidePlanes> {
            let polynomial = |rows: &Vec<u64>| Poly::from_rows(basis, rows, self.modulus());
            side.iter().map(|rows| self.scaled(polynomial(rows), &1u32.into())).collect()
        });
        let a = self.packing().unpack_columns(&left, shape[0], batch);
        let b = self.packing().unpack_rows(&right, shape[2], batch);
        let encrypted = [columns, rows].map(|side| -> Vec<RlweCiphertext> {
            side.iter().map(|polynomial| self.encrypt(polynomial, top)).collect()
        });
        let mut plain = vec![0; N * self.modulus().limbs()];
        let row = self.modulus().row(&mac_key.clone().into());
        plain[..row.len()].copy_from_slice(&row);
        let encrypted_mac_key = self.encrypt(&plain, self.level);

        let (rlwe, modulus) = (self.params.rlwe(), self.modulus());
        let sums = ImageSums::new(self.packing().automorphisms(), &encrypted[0], &encrypted[1], None);
        let sums = sums.switch_to(rlwe, self.level, &self.keys).unwrap();
        let [product_bound, code_bound] = bounds(&self.params, self.inner, self.level);
        let dropped = rlwe.q(top).product() / rlwe.q(self.level).product();
        let factor = dropped * self.packing().outer_inverse() % modulus.value();
        let unpacked = |values| self.packing().unpack(values, [shape[0], shape[2]], batch);
        let values = sums.iter().map(|sum| self.decrypt(sum, product_bound, &factor)).collect();
        let code = |sum: &RlweCiphertext| self.decrypt(&sum.tensor(&encrypted_mac_key), code_bound, &factor);
        let codes = sums.iter().map(code).collect();
        // All parties have the same, so the sums are as many times that.
        let (parties, mut expected) = (BigUint::from(PARTIES), a.product(modulus, &b));
        modulus.scale(expected.words_mut(), &(&parties * &parties));
        assert!(unpacked(values) == expected, "a product is wrong");
        modulus.scale(expected.words_mut(), &modulus.residue(&BigInt::from(parties * mac_key)));
        assert!(unpacked(codes) == expected, "a code is wrong");
    }
}

/// What products at a level and their codes hold at most, for plaintexts of any coefficients up to t/2.
fn bounds(params: &TripleParams, inner: usize, level: Level) -> [Norm; 2] {
    let (rlwe, t) = (params.rlwe(), Norm::from(params.modulus().value()));
    let model = rlwe.noise();
    let fresh = |message: f64| t * (PARTIES as f64 * (rlwe.fresh_public_noise(model) + message));
    let encrypted = fresh(N as f64 / 2.0);
    let dropped = rlwe.q(rlwe.max_level()).log2_product() - rlwe.q(level).log2_product();
    let product = encrypted * encrypted * (inner as f64) * (-dropped).exp2()
        + t * rlwe.image_product_noise(model, level);
    [product, product * fresh(0.5)]
}

/// 0, 1, (t − 1)/2, (t + 1)/2 and t − 1.
fn extremes(modulus: &WideModulus) -> [BigInt; 5] {
    let t = BigInt::from(modulus.value().clone());
    [0.into(), 1.into(), (&t - 1) / 2, (&t + 1) / 2, &t - 1]
}

#[test]
fn matrices_of_extreme_entries_have_right_products_and_codes() {
    for (modulus, shape) in [
        (MODULI[0], [2, 2, 2]),
        (MODULI[1], [3, 3, 3]),
        (MODULI[2], [8, 8, 8]),
        (MODULI[0], [5, 7, 3]),
        (MODULI[1], [64, 64, 64]),
        (MODULI[2], [2, 128, 1]),
    ] {
        let mut setting = Setting::new(modulus, shape);
        let t = setting.modulus().clone();
        let (batch, mac_key) = (setting.packing().batch(), t.value() - 1u32);
        let filled = |[rows, columns]: [usize; 2], value: &BigInt, places: usize| {
            let mut matrices = MatrixBatch::zero(&t, [rows, columns], batch);
            let words = places.min(rows * columns) * batch;
            let entries = matrices.words_mut().chunks_exact_mut(t.limbs()).take(words);
            entries.for_each(|entry| entry.copy_from_slice(&t.row(value)));
            matrices
        };
        let values = extremes(&t);
        // All entries, and the first one alone.
        for (index, places) in (0..values.len()).map(|index| (index, usize::MAX)).chain([(2, 1), (4, 1)]) {
            let a = filled([shape[0], shape[1]], &values[index], places);
            let b = filled([shape[1], shape[2]], &values[values.len() - 1 - index], places);
            let basis = setting.params.rlwe().q(setting.params.rlwe().max_level());
            let packing = setting.packing();
            let columns: Vec<Vec<u64>> =
                (0..shape[1]).map(|m| packing.pack_column(&a, m, basis).into_rows(&t)).collect();
            let rows: Vec<Vec<u64>> =
                (0..shape[1]).map(|m| packing.pack_row(&b, m, basis).into_rows(&t)).collect();
            setting.check(&columns, &rows, shape, &mac_key);
        }
    }
}

#[test]
fn polynomials_of_extreme_coefficients_have_right_products_and_codes() {
    // Of this modulus a batch fills all coefficients.
    for (outer, inner) in [(2, 3), (8, 5), (64, 130), (128, 2)] {
        let shape = [outer, inner, outer];
        let mut setting = Setting::new(MODULI[1], shape);
        let t = setting.modulus().clone();
        assert_eq!(setting.packing().batch() * outer, N);
        let [.., half, other_half, largest] = extremes(&t).map(|value| t.row(&value));
        let polynomial = |sign: &dyn Fn(usize) -> bool| -> Vec<u64> {
            (0..N).flat_map(|at| if sign(at) { half.clone() } else { other_half.clone() }).collect()
        };
        let alike = vec![polynomial(&|_| true); inner];
        let alternating = vec![polynomial(&|at| at % 2 == 0); inner];
        let mac_key = t.integer(&largest);
        for (left, right) in [(&alike, &alike), (&alike, &alternating), (&alternating, &alternating)] {
            setting.check(left, right, shape, &mac_key);
        }
        setting.check(&alike, &alike, shape, &t.integer(&half));
    }
}
