//! Random circuits of exact schemes: ciphertexts decrypt to what big integers give, within the predicted noise.

use asanoha_lattice::Level;
use asanoha_ring::Backend;
use asanoha_scheme::{Encoder, Exact, Scheme, SchemeError};
use num_bigint::BigInt;

use crate::{ExactSubject, Known, Party, Subject, TestIntegers};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! circuits_suite {
    ($subject:ty) => {
        $crate::claims!($subject: circuits {
            random_circuits_decrypt_to_the_plain_result_within_the_predicted_noise
        });
    };
}

/// How many steps a circuit has.
const STEPS: usize = 12;

/// Two ciphertexts, which the steps of a circuit replace.
struct Walk<E: ExactSubject> {
    party: Party<E>,
    a: Known<E>,
    b: Known<E>,
}

/// Random values; now and then the extremes, all alike: the worst message of coefficients.
fn random<E: ExactSubject>(party: &mut Party<E>) -> Vec<BigInt> {
    let (slots, largest) = (party.params.slots(), party.params.largest_value());
    match party.integers.word() % 8 {
        0 => vec![largest; slots],
        1 => {
            let t = BigInt::from(party.params.plaintext_modulus().clone());
            vec![largest + 1 - t; slots]
        }
        _ => party.values(),
    }
}

fn fresh<E: ExactSubject>(party: &mut Party<E>) -> Known<E> {
    let values = random(party);
    let plain = party.encode(&values, party.top());
    let ciphertext = if party.integers.word().is_multiple_of(2) {
        party.encryptor.encrypt(&party.public, &plain, &mut party.sampler)
    } else {
        party.encryptor.encrypt_secret(&party.secret, &plain, &mut party.sampler)
    };
    (ciphertext.unwrap(), values)
}

impl<E: ExactSubject> Walk<E> {
    fn new(params: E::Scheme, seed: u64) -> Self {
        let mut party = Party::new(params, seed);
        let (a, b) = (fresh(&mut party), fresh(&mut party));
        Self { party, a, b }
    }

    /// A random constant: a small number, a word, or one of about t.
    fn constant(&mut self) -> BigInt {
        let word = self.party.integers.word();
        match word % 3 {
            0 => BigInt::from(word as i64 % 10),
            1 => BigInt::from(word as i64),
            _ => random(&mut self.party)[0].clone(),
        }
    }

    /// What a switch drops: about as many primes as t is wide, or fewer.
    fn lower(&mut self) -> Level {
        let most = 2 + self.party.params.plaintext_modulus().bits() as usize / 46;
        let by = 1 + self.party.integers.word() as usize % most;
        Level(self.a.0.level().0.saturating_sub(by))
    }

    /// A random step, and its result in place of the first ciphertext.
    fn step(&mut self) -> Result<&'static str, SchemeError> {
        let choice = self.party.integers.word() % 18;
        let (m, c, lower) = (random(&mut self.party), self.constant(), self.lower());
        let party = &self.party;
        let e = &party.evaluator;
        let ((a, x), (b, y)) = (&self.a, &self.b);
        let level = a.level().min(b.level());
        let both = || Ok::<_, SchemeError>((e.lowered(a, level)?, e.lowered(b, level)?));
        let plain = party.encode(&m, a.level());
        let constants = E::centred_constant(&party.params, &c);
        let rotation = E::ROTATIONS[choice as usize % 4];
        let has_slots = party.params.row_slots().is_some();
        let (name, ciphertext, values) = match choice {
            0 => both().and_then(|(a, b)| Ok(("add", e.add(&a, &b)?, party.sum(x, y))))?,
            1 => both().and_then(|(a, b)| Ok(("sub", e.sub(&a, &b)?, party.difference(x, y))))?,
            2 => ("neg", e.neg(a), party.times(x, -1)),
            3 => ("add_plain", e.add_plain_exact(a, &plain)?, party.sum(x, &m)),
            4 => ("sub_plain", e.sub_plain_exact(a, &plain)?, party.difference(x, &m)),
            5 => ("mul_plain", e.mul_plain_exact(a, &plain)?, party.product(x, &m)),
            6 => ("add_constant", e.add_constant(a, c)?, party.sum(x, &constants)),
            7 => ("mul_constant", e.mul_constant_exact(a, c)?, party.product(x, &constants)),
            8 => {
                both().and_then(|(a, b)| Ok(("multiply", e.multiply_exact(&a, &b)?, party.product(x, y))))?
            }
            9 => ("multiply_settled", e.multiply_settled(a, b)?, party.product(x, y)),
            10 => ("square", e.square_exact(a)?, party.product(x, x)),
            11 => {
                let (a, b) = both()?;
                let mut sum = e.multiply_without_relinearise(&a, &b)?;
                e.add_assign(&mut sum, &e.square_without_relinearise(&b)?)?;
                e.sub_assign(&mut sum, &a)?;
                let values = party.sum(&party.product(x, y), &party.product(y, y));
                let values = party.difference(&values, x);
                party.expect(&sum, &values, "three parts");
                ("relinearise", e.relinearise(sum)?, values)
            }
            12 | 13 => ("switch_to", e.switch_to(a, lower)?, x.clone()),
            14 | 15 if has_slots => ("rotate", e.rotate(a, rotation)?, party.rotated(x, rotation)),
            16 if has_slots => ("swap_rows", e.swap_rows(a)?, party.swapped(x)),
            14..17 => {
                assert_eq!(e.rotate(a, 1).unwrap_err(), SchemeError::NoSlots);
                assert_eq!(e.swap_rows(a).unwrap_err(), SchemeError::NoSlots);
                return Ok("nothing");
            }
            _ => {
                std::mem::swap(&mut self.a, &mut self.b);
                return Ok("exchange");
            }
        };
        self.a = (ciphertext, values);
        Ok(name)
    }
}

trait CentredConstant: Subject {
    /// A constant of any size, modulo t, wherever constants stand.
    fn centred_constant(scheme: &Self::Scheme, constant: &BigInt) -> Vec<Self::Value>;
}

impl<E: ExactSubject> CentredConstant for E {
    fn centred_constant(scheme: &E::Scheme, constant: &BigInt) -> Vec<BigInt> {
        let plain = Encoder::new(scheme).encode_constant(constant.clone(), Level(0)).unwrap();
        let found = E::decode(scheme, &plain).unwrap();
        // The encoder isn't taken at its word.
        let pattern = <E as Subject>::constant(scheme, 1);
        let constant = scheme.centred(constant);
        let expected: Vec<BigInt> = pattern.iter().map(|one| scheme.centred(&(one * &constant))).collect();
        assert_eq!(found, expected);
        expected
    }
}

/// Runs circuits of random steps on one shape, with keys of a digit and of more; how many steps went well.
fn walk<E: ExactSubject>(shape: &crate::LiteralShape<E::Modulus>, circuits: u64) -> usize {
    let mut steps = 0;
    for circuit in 0..circuits {
        let digits = 1 + circuit as usize % 3;
        let shape = crate::LiteralShape { digits: digits.min(shape.primes), ..shape.clone() };
        let mut walk = Walk::<E>::new(E::params(&shape, Backend::detect().unwrap()), circuit);
        // One set of keys serves several circuits.
        for start in 0..4 {
            walk.party.integers = TestIntegers(4 * circuit + start);
            (walk.a, walk.b) = (fresh(&mut walk.party), fresh(&mut walk.party));
            for step in 0..STEPS {
                let what = || format!("modulo {:?}, circuit {circuit}.{start}, step {step}", shape.modulus);
                match walk.step() {
                    Ok(name) => {
                        walk.party.expect(&walk.a.0, &walk.a.1, &format!("{}: {name}", what()));
                        steps += 1;
                    }
                    // Both ciphertexts stand as before.
                    Err(SchemeError::OutOfModulus { needed_bits, available_bits, .. }) => {
                        assert!(needed_bits >= available_bits, "{}", what());
                        walk.a = fresh(&mut walk.party);
                    }
                    Err(other) => panic!("{}: {other}", what()),
                }
            }
        }
    }
    steps
}

/// # Panics
/// If a claim doesn't hold.
pub fn random_circuits_decrypt_to_the_plain_result_within_the_predicted_noise<E: ExactSubject>() {
    for (shape, circuits) in E::circuits() {
        let steps = walk::<E>(&shape, circuits);
        let all = circuits as usize * 4 * STEPS;
        assert!(2 * steps > all, "modulo {:?} only {steps} of {all} steps had room", shape.modulus);
    }
}
