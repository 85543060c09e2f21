//! Plaintext moduli of every kind and size: random circuits against plain integers.

mod common;

use asanoha_bgv::{BgvCiphertext, BgvLiteral};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{Level, RlweLiteral};
use asanoha_ring::{Backend, GaloisElement, Sampler, Seed};
use asanoha_scheme::{Encoding, PlaintextError, Scheme, SchemeError, batching_primes};
use asanoha_testkit::{TestIntegers, centred, negacyclic_product, rotated_rows, rsa_modulus};
use common::{House, ROTATIONS};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// The field of the curve P-256.
fn p256() -> BigUint {
    let two = |n: u32| BigUint::one() << n;
    two(256) - two(224) + two(192) + two(96) - 1u32
}

/// A house of a modulus with room for about three products.
fn house(t: &BigUint, ring_degree: usize, encoding: Encoding, digits: usize, seed: u64) -> House {
    let bits = 46;
    let count = (4 * (t.bits() as usize + 34)).div_ceil(bits as usize).max(4);
    let special = count.div_ceil(digits) + 1;
    let words: Vec<u64> = t.to_u64_digits();
    let excluded = if words.len() == 1 { words } else { Vec::new() };
    let mut q_primes =
        primes_congruent_to_one(bits, 2 * ring_degree as u64, count + special, &excluded).unwrap();
    let p_primes = q_primes.split_off(count);
    let rlwe = RlweLiteral::new(ring_degree, q_primes, p_primes, digits).insecure();
    let literal = BgvLiteral { encoding: Some(encoding), ..BgvLiteral::new(rlwe, t.clone()) };
    House::of(literal.check(Backend::detect().unwrap()).unwrap(), seed)
}

/// A ciphertext and what it should hold.
#[derive(Clone)]
struct Held {
    ciphertext: BgvCiphertext,
    values: Vec<BigInt>,
}

/// The two rows, where there are two, swapped.
fn swapped(values: &[BigInt]) -> Vec<BigInt> {
    let half = if values.len() == 1 { 0 } else { values.len() / 2 };
    let (first, second) = values.split_at(half);
    [second, first].concat()
}

/// Random circuits on one house.
struct Walk {
    house: House,
    integers: TestIntegers,
    t: BigInt,
}

impl Walk {
    fn random(&mut self) -> Vec<BigInt> {
        let count = self.house.params.slots();
        match self.integers.word() % 8 {
            // The extremes, all alike: the worst message of coefficients.
            0 => vec![self.house.params.integers().largest_value(); count],
            1 => vec![self.house.params.integers().smallest_value(); count],
            _ => self.integers.vector(count, &self.t),
        }
    }

    fn fresh(&mut self, level: Level) -> Held {
        let values = self.random();
        let plain = self.house.encoder.encode_integers(&values, level).unwrap();
        let House { encryptor, public, secret, sampler, .. } = &mut self.house;
        let ciphertext = if self.integers.word().is_multiple_of(2) {
            encryptor.encrypt(public, &plain, sampler).unwrap()
        } else {
            encryptor.encrypt_secret(secret, &plain, sampler).unwrap()
        };
        Held { ciphertext, values }
    }

    fn reduced(&self, values: impl Iterator<Item = BigInt>) -> Vec<BigInt> {
        values.map(|value| centred(&value, &self.t)).collect()
    }

    fn zip(&self, a: &[BigInt], b: &[BigInt], f: impl Fn(&BigInt, &BigInt) -> BigInt) -> Vec<BigInt> {
        self.reduced(a.iter().zip(b).map(|(a, b)| f(a, b)))
    }

    fn product(&self, a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        match self.house.params.integers().encoding() {
            Encoding::Slots => self.zip(a, b, |a, b| a * b),
            Encoding::Coefficients => self.reduced(negacyclic_product(a, b).into_iter()),
        }
    }

    /// The values of the constant polynomial.
    fn constant(&self, value: &BigInt) -> Vec<BigInt> {
        let count = self.house.params.slots();
        match self.house.params.integers().encoding() {
            Encoding::Slots => vec![value.clone(); count],
            Encoding::Coefficients => {
                let mut values = vec![BigInt::zero(); count];
                values[0].clone_from(value);
                values
            }
        }
    }

    fn rotated(&self, values: &[BigInt], rotation: i64) -> Vec<BigInt> {
        rotated_rows(values, self.house.params.row_slots().unwrap(), rotation)
    }

    /// One random step on `a`, with `b` as the other operand.
    fn step(&mut self, a: &Held, b: &Held) -> Result<Held, SchemeError> {
        let choice = self.integers.word() % 14;
        let slots = self.house.params.integers().encoding() == Encoding::Slots;
        let level = a.ciphertext.level().min(b.ciphertext.level());
        let m = self.random();
        let constant = if choice.is_multiple_of(2) { m[0].clone() } else { BigInt::from(-3) };
        let e = &self.house.evaluator;
        let (x, y) = (&a.values, &b.values);
        let switched = |held: &Held| e.switch_to(&held.ciphertext.clone(), level);
        let plain = || self.house.encoder.encode_integers(&m, a.ciphertext.level());
        let (ciphertext, values) = match choice {
            0 => (e.add(&switched(a)?, &switched(b)?)?, self.zip(x, y, |x, y| x + y)),
            1 => (e.sub(&switched(a)?, &switched(b)?)?, self.zip(x, y, |x, y| x - y)),
            2 => (e.neg(&a.ciphertext), self.reduced(x.iter().map(|x| -x))),
            3 => (e.add_plain(&a.ciphertext, &plain()?)?, self.zip(x, &m, |x, m| x + m)),
            4 => (e.sub_plain(&a.ciphertext, &plain()?)?, self.zip(x, &m, |x, m| x - m)),
            5 => (e.mul_plain(&a.ciphertext, &plain()?)?, self.product(x, &m)),
            6 => {
                let sum = self.zip(x, &self.constant(&constant), |x, c| x + c);
                (e.add_constant(&a.ciphertext, constant)?, sum)
            }
            7 => {
                let product = self.reduced(x.iter().map(|x| x * &constant));
                (e.mul_constant(&a.ciphertext, constant)?, product)
            }
            8 => (e.multiply(&switched(a)?, &switched(b)?)?, self.product(x, y)),
            9 => (e.square(&a.ciphertext)?, self.product(x, x)),
            10 | 11 => {
                // About as many primes as t is wide, at once.
                let by = 1 + self.t.bits() as usize / 46;
                let level = Level(a.ciphertext.level().0.saturating_sub(by));
                (e.switch_to(&a.ciphertext.clone(), level)?, x.clone())
            }
            12 if slots => {
                let rotation = ROTATIONS[(constant.bits() % 4) as usize];
                (e.rotate(&a.ciphertext, rotation)?, self.rotated(x, rotation))
            }
            13 if slots => (e.swap_rows(&a.ciphertext)?, swapped(x)),
            _ => {
                assert_eq!(e.rotate(&a.ciphertext, 1).unwrap_err(), SchemeError::NoSlots);
                assert_eq!(e.swap_rows(&a.ciphertext).unwrap_err(), SchemeError::NoSlots);
                return Ok(a.clone());
            }
        };
        Ok(Held { ciphertext, values })
    }

    fn hold(&self, held: &Held, what: &str) {
        let decrypted = self.house.decryptor.decrypt_integers(&self.house.secret, &held.ciphertext);
        assert_eq!(decrypted.unwrap(), held.values, "{what}");
        self.house.expect_noise(&held.ciphertext, what);
    }
}

/// Circuits of random steps; how many steps there were.
fn walk(t: &BigUint, ring_degree: usize, encoding: Encoding, circuits: u64) -> usize {
    let mut steps = 0;
    for digits in [1, 3] {
        let house = house(t, ring_degree, encoding, digits, 1);
        let mut walk = Walk { house, integers: TestIntegers(0), t: t.clone().into() };
        let top = walk.house.top();
        for circuit in 0..circuits {
            walk.integers = TestIntegers(circuit);
            let (mut a, mut b) = (walk.fresh(top), walk.fresh(top));
            for step in 0..8 {
                match walk.step(&a, &b) {
                    Ok(next) => a = next,
                    Err(SchemeError::OutOfModulus { needed_bits: noise_bits, available_bits, .. }) => {
                        assert!(noise_bits >= available_bits);
                        a = walk.fresh(top);
                    }
                    Err(other) => panic!("modulo {t}, circuit {circuit}, step {step}: {other}"),
                }
                walk.hold(&a, &format!("modulo {t}, circuit {circuit}, step {step}"));
                steps += 1;
                if walk.integers.word().is_multiple_of(4) {
                    std::mem::swap(&mut a, &mut b);
                }
            }
        }
    }
    steps
}

#[test]
fn random_circuits_modulo_small_numbers_are_exact() {
    for t in [2u32, 3, 4, 5, 6, 17, 97, 256, 257, 65537] {
        assert_eq!(walk(&t.into(), 16, Encoding::Coefficients, 16), 256);
    }
    for t in [2u32, 3, 5, 17, 97, 17 * 97, 65537] {
        assert_eq!(walk(&t.into(), 16, Encoding::Slots, 24), 384);
    }
    walk(&65537u32.into(), 64, Encoding::Slots, 8);
}

#[test]
fn random_circuits_modulo_words_and_powers_of_two_are_exact() {
    let mersenne = (BigUint::one() << 61) - 1u32;
    walk(&mersenne, 16, Encoding::Coefficients, 30);
    walk(&mersenne, 16, Encoding::Slots, 10);
    for bits in [32u32, 61, 63, 64, 65, 128] {
        walk(&(BigUint::one() << bits), 16, Encoding::Coefficients, 8);
    }
    for bits in [61, 62, 64] {
        walk(&batching_primes(bits, 16, 1)[0], 16, Encoding::Slots, 8);
    }
}

#[test]
fn random_circuits_modulo_a_batching_prime_of_128_bits_are_exact() {
    let t = batching_primes(128, 32, 1).remove(0);
    walk(&t, 32, Encoding::Slots, 30);
    walk(&t, 16, Encoding::Coefficients, 8);
}

#[test]
fn random_circuits_modulo_a_curve_prime_are_exact() {
    walk(&p256(), 16, Encoding::Coefficients, 20);
    // One value a ciphertext.
    walk(&p256(), 16, Encoding::Slots, 20);
    // p − 1 is 4 times an odd number: two slots.
    walk(&((BigUint::one() << 255) - 19u32), 16, Encoding::Slots, 10);
}

#[test]
fn random_circuits_modulo_an_rsa_modulus_are_exact() {
    assert_eq!(rsa_modulus().bits(), 2048);
    walk(&rsa_modulus(), 8, Encoding::Coefficients, 8);
}

#[test]
fn random_circuits_modulo_a_product_of_given_primes_are_exact() {
    let primes = batching_primes(80, 16, 2);
    let t: BigUint = primes.iter().product();
    let mut literal = house(&t, 16, Encoding::Coefficients, 2, 1).params.literal().clone();
    literal.encoding = None;
    literal.plaintext_factors = primes.into_iter().map(Into::into).collect();
    let house = House::of(literal.check(Backend::detect().unwrap()).unwrap(), 2);
    let mut walk = Walk { house, integers: TestIntegers(3), t: t.into() };
    assert_eq!(walk.house.params.slots(), 16);
    let top = walk.house.top();
    let (a, b) = (walk.fresh(top), walk.fresh(top));
    let product = walk.house.evaluator.multiply(&a.ciphertext, &b.ciphertext).unwrap();
    let rotated = walk.house.evaluator.rotate(&product, 2).unwrap();
    let values = walk.rotated(&walk.product(&a.values, &b.values), 2);
    walk.hold(&Held { ciphertext: rotated, values }, "product");
}

#[test]
fn values_of_wide_moduli_come_as_integers_only() {
    let t = batching_primes(128, 16, 1).remove(0);
    let mut house = house(&t, 16, Encoding::Slots, 1, 1);
    let a = house.encrypt(&[1, -2]);
    let error = house.decryptor.decrypt(&house.secret, &a).unwrap_err();
    assert_eq!(error, SchemeError::WideModulus { bits: 128 });
    let unsigned = house.decryptor.decrypt_unsigned(&house.secret, &a).unwrap();
    assert_eq!(unsigned[..3], [BigUint::one(), &t - 2u32, BigUint::ZERO]);
    let plain = house.encoder.encode_unsigned(&unsigned, Level(0)).unwrap();
    assert_eq!(house.encoder.decode(&plain).unwrap_err(), SchemeError::WideModulus { bits: 128 });
    assert_eq!(house.encoder.decode_integers(&plain).unwrap()[..2], [BigInt::from(1), BigInt::from(-2)]);
    let error = house.encoder.encode_unsigned(&[BigUint::ZERO, t.clone()], Level(0)).unwrap_err();
    let SchemeError::Plaintext(PlaintextError::ValueOutOfRange { index: 1, value, .. }) = error else {
        panic!("{error}")
    };
    assert_eq!(value, BigInt::from(t));
    let constant = house.encoder.encode_constant(BigInt::from(-5), Level(0)).unwrap();
    assert_eq!(house.encoder.decode_integers(&constant).unwrap(), vec![BigInt::from(-5); 16]);
}

#[test]
fn operands_of_other_parameters_are_refused() {
    let (one, other) = (BigUint::from(97u32), BigUint::from(193u32));
    let mut here = house(&one, 16, Encoding::Slots, 1, 1);
    let mut there = house(&other, 16, Encoding::Slots, 1, 2);
    let (a, b) = (here.encrypt(&[1]), there.encrypt(&[1]));
    let plain = there.encoder.encode(&[1], there.top()).unwrap();
    let e = &here.evaluator;
    let refused =
        SchemeError::OtherParameters { expected: here.params.describe(), found: there.params.describe() };
    for result in [
        e.add(&a, &b),
        e.sub(&b, &a),
        e.multiply(&a, &b),
        e.multiply_without_relinearise(&b, &a),
        e.square(&b),
        e.relinearise(e.multiply_without_relinearise(&a, &a).unwrap()).and(e.rotate(&b, 1)),
        e.swap_rows(&b),
        e.rotate_many(&b, &[1]).map(|mut rotated| rotated.remove(0)),
        e.switch_to(&b, Level(0)),
        e.add_constant(&b, 1),
        e.mul_constant(&b, 1),
        e.add_plain(&a, &plain),
        e.sub_plain(&b, &plain),
        e.mul_plain(&a, &plain),
        here.encryptor.encrypt(&here.public, &plain, &mut Sampler::new(&Seed([0; 32]))),
    ] {
        assert_eq!(result.unwrap_err(), refused);
    }
    assert_eq!(here.decryptor.decrypt(&here.secret, &b).unwrap_err(), refused);
    // Also of the same t in another ring.
    let mut wider = house(&BigUint::from(97u32), 32, Encoding::Slots, 1, 3);
    let c = wider.encrypt(&[1]);
    assert!(matches!(e.add(&a, &c), Err(SchemeError::OtherParameters { .. })));
}

#[test]
fn keys_are_made_for_what_there_is_to_rotate() {
    // 17 has 8 slots: rotations by 1 and 5 are one, and by 4 nothing.
    let house = house(&BigUint::from(17u32), 64, Encoding::Slots, 1, 1);
    let keys = house.evaluator.keys();
    let expected: Vec<GaloisElement> =
        [1, 2].iter().map(|&k| GaloisElement::rotation(64, k)).chain([GaloisElement(127)]).collect();
    assert_eq!(keys.elements(), expected);
    let none = self::house(&BigUint::from(16u32), 64, Encoding::Coefficients, 1, 1);
    assert!(none.evaluator.keys().elements().is_empty());
}

#[test]
#[ignore = "slow"]
fn the_largest_ring_computes_modulo_five_hundred_bits() {
    let t = batching_primes(500, 1 << 18, 1).remove(0);
    let mut house = house(&t, 1 << 18, Encoding::Slots, 3, 1);
    let (count, modulus) = (house.params.slots(), BigInt::from(t));
    assert_eq!(count, 1 << 18);
    let values = TestIntegers(2).vector(count, &modulus);
    let plain = house.encoder.encode_integers(&values, house.top()).unwrap();
    let a = house.encryptor.encrypt(&house.public, &plain, &mut house.sampler).unwrap();
    let square = house.evaluator.square(&a).unwrap();
    let lower = house.evaluator.switch_to(&square, Level(30)).unwrap();
    let rotated = house.evaluator.rotate(&lower, 5).unwrap();
    let decrypted = house.decryptor.decrypt_integers(&house.secret, &rotated).unwrap();
    for (row, expected) in decrypted.chunks(count / 2).zip(values.chunks(count / 2)) {
        for (j, found) in row.iter().enumerate() {
            let x = &expected[(j + 5) % (count / 2)];
            assert_eq!(*found, centred(&(x * x), &modulus), "slot {j}");
        }
    }
}
