//! GLWE ciphertexts and the external product against products of integers modulo 2^64.

use asanoha_kernels::Backend;
use asanoha_lattice::{
    BootstrapKey, GgswShape, GlweCiphertext, GlweSecretKey, LweSecretKey, SeededBootstrapKey,
    blind_rotate_many,
};
use asanoha_ring::{Sampler, Seed, TorusGadget, TorusPolys, TorusRing, mul_by_power};

const N: usize = 512;
const SIGMA: f64 = 3e-14;

fn sampler(seed: u8) -> Sampler {
    Sampler::new(&Seed([seed; 32]))
}

fn distance(a: u64, b: u64) -> f64 {
    a.wrapping_sub(b).cast_signed() as f64 / 2f64.powi(64)
}

fn variance(a: &[u64], b: &[u64]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| distance(a, b).powi(2)).sum::<f64>() / a.len() as f64
}

fn message() -> Vec<u64> {
    (0..N as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
}

struct Keys {
    bits: LweSecretKey,
    secret: GlweSecretKey,
    gadget: TorusGadget,
    seeded: SeededBootstrapKey,
    key: BootstrapKey,
}

/// Keys of the given rank and gadget.
fn keys(bits: usize, rank: usize, (digit_bits, levels): (u32, u32), backend: Backend) -> Keys {
    let mut sampler = sampler(rank as u8);
    let gadget = TorusGadget::new(digit_bits, levels, backend).unwrap();
    let ring = TorusRing::new(N, backend).unwrap();
    let bits = LweSecretKey::generate(bits, &mut sampler);
    let secret = GlweSecretKey::generate(&ring, rank, &mut sampler);
    let shape = GgswShape::new(&ring, rank, gadget).unwrap();
    let seeded = SeededBootstrapKey::generate(&bits, &secret, &shape, SIGMA, &mut sampler);
    let key = seeded.expand();
    Keys { bits, secret, gadget, seeded, key }
}

/// The bit of that number, read off the phase of a unit mask.
fn bit(keys: &Keys, number: usize) -> u64 {
    let mut unit = asanoha_lattice::LweCiphertext::trivial(keys.bits.dimension(), 0);
    unit.words_mut()[number] = 1;
    keys.bits.phase(&unit).wrapping_neg()
}

/// The external product in integers: digits of each polynomial times the rows of the GGSW ciphertext.
fn integer_product(gadget: TorusGadget, ggsw: &TorusPolys, input: &GlweCiphertext) -> Vec<u64> {
    let parts = input.polys().count();
    let mut out = vec![0u64; parts * N];
    let mut rows = ggsw.words().chunks_exact(parts * N);
    for poly in input.polys().iter() {
        let mut digits = vec![0; N * gadget.levels()];
        let short: Vec<_> = poly.iter().map(|word| word.wrapping_add(1 << 31) >> 32 << 32).collect();
        gadget.decompose(&mut digits, &short);
        for digits in digits.chunks_exact(N) {
            let row = rows.next().unwrap();
            for (out, key) in out.chunks_exact_mut(N).zip(row.chunks_exact(N)) {
                for (i, &digit) in digits.iter().enumerate() {
                    for (j, &word) in key.iter().enumerate() {
                        let term = word.wrapping_mul(digit as u64);
                        let term = if i + j < N { term } else { term.wrapping_neg() };
                        out[(i + j) % N] = out[(i + j) % N].wrapping_add(term);
                    }
                }
            }
        }
    }
    out
}

#[test]
fn ciphertexts_decrypt_to_their_messages_with_the_noise_asked_for() {
    for rank in [1, 2, 3] {
        let mut sampler = sampler(7);
        let ring = TorusRing::new(N, Backend::detect().unwrap()).unwrap();
        let secret = GlweSecretKey::generate(&ring, rank, &mut sampler);
        let message = message();
        let exact = secret.encrypt(&message, 0.0, &mut sampler);
        assert_eq!(&*secret.phase(&exact), message);
        assert_eq!(&*secret.phase(&GlweCiphertext::trivial(rank, &message)), message);
        let noisy = secret.encrypt(&message, SIGMA, &mut sampler);
        let ratio = variance(&secret.phase(&noisy), &message) / (SIGMA * SIGMA);
        assert!((0.6..1.5).contains(&ratio), "{ratio}");

        let mut sum = exact.mul_by_power(N + 3);
        sum.add_assign(&exact);
        let mut expected = vec![0; N];
        mul_by_power(&mut expected, &message, N + 3);
        expected.iter_mut().zip(&message).for_each(|(x, m)| *x = x.wrapping_add(*m));
        assert_eq!(&*secret.phase(&sum), expected);
        // The constant coefficient of X^(2N − i)·m is the coefficient i.
        for i in [0, 1, 100, N - 1] {
            let coefficient = exact.mul_by_power(2 * N - i).constant_coefficient();
            assert_eq!(secret.to_lwe().phase(&coefficient), message[i]);
        }
    }
}

#[test]
fn external_products_are_those_of_integers() {
    for backend in Backend::available() {
        for (rank, gadget) in [(1, (23, 1)), (2, (10, 2))] {
            let keys = keys(1, rank, gadget, backend);
            let input = keys.secret.encrypt(&message(), SIGMA, &mut sampler(9));
            let product = keys.key.external_product(0, &input);
            let expected = integer_product(keys.gadget, &keys.seeded.ggsw(0), &input);
            // The error of the Fourier domain alone, far below that of the key.
            let base = 2f64.powi(gadget.0 as i32);
            let products = (rank + 1) as f64 * f64::from(gadget.1) * N as f64;
            let bound =
                products * base * base / 12.0 * 2f64.powi(-109) * (N as f64).log2() + 2f64.powi(-64) / 6.0;
            let measured = variance(product.polys().words(), &expected);
            assert!(measured < bound, "{}: {measured:e} is not below {bound:e}", backend.name());
        }
    }
}

#[test]
fn external_products_select_by_the_bit_with_the_noise_of_their_formula() {
    const BITS: usize = 12;
    const INPUTS: u64 = 8;
    for (rank, gadget) in [(1, (23, 1)), (2, (10, 2)), (1, (8, 2))] {
        let keys = keys(BITS, rank, gadget, Backend::detect().unwrap());
        let message = message();
        let zero = GlweCiphertext::trivial(rank, &[1 << 60; N]);
        let base = 2f64.powi(gadget.0 as i32);
        let levels = f64::from(gadget.1);
        let (n, k) = (N as f64, rank as f64);
        let of_key = (k + 1.0) * levels * n * (base * base + 2.0) / 12.0 * SIGMA * SIGMA;
        let of_rounding = (k * n / 2.0 + 1.0) / 12.0 / base.powf(2.0 * levels);
        let of_words = (k * n / 2.0 + 1.0) / 12.0 * 2f64.powi(-64);
        // Half of the roundings' variance is common to neighbouring coefficients, so that one product says little.
        let (mut measured, mut predicted) = ([0.0; 2], [0.0; 2]);
        let mut sampler = sampler(9);
        for number in 0..BITS {
            let is_one = bit(&keys, number) == 1;
            let of_bit = of_key + of_words + if is_one { of_rounding } else { 0.0 };
            let expected = |not: &[u64]| if is_one { message.clone() } else { not.to_vec() };
            for _ in 0..INPUTS {
                let input = keys.secret.encrypt(&message, 0.0, &mut sampler);
                let product = keys.secret.phase(&keys.key.external_product(number, &input));
                measured[usize::from(is_one)] += variance(&product, &expected(&[0; N]));
                predicted[usize::from(is_one)] += of_bit;
                let chosen = keys.secret.phase(&keys.key.select(number, &zero, &input));
                assert!(variance(&chosen, &expected(&[1 << 60; N])) < 6.0 * of_bit);
            }
        }
        for (measured, predicted) in measured.iter().zip(predicted) {
            assert!(predicted > 0.0, "both bits are among {BITS}");
            let ratio = measured / predicted;
            assert!((0.6..1.5).contains(&ratio), "{gadget:?}: {ratio}");
        }
    }
}

#[test]
fn blind_rotation_turns_by_the_phase() {
    let bits = 20;
    for rank in [1, 2] {
        let keys = keys(bits, rank, (15, 2), Backend::detect().unwrap());
        let polynomial = message();
        for seed in 0..6u64 {
            let switched: Vec<u64> =
                (0..=bits as u64).map(|i| (seed + 1) * (i * i * 37 + 911) % (2 * N as u64)).collect();
            let product: u64 = (0..bits).map(|i| switched[i] * bit(&keys, i)).sum();
            let phase = (switched[bits] + 2 * N as u64 * bits as u64 - product) % (2 * N as u64);
            let mut expected = vec![0; N];
            mul_by_power(&mut expected, &polynomial, 2 * N - phase as usize);
            let turned = keys.secret.phase(&keys.key.blind_rotate(&switched, &polynomial));
            assert!(variance(&turned, &expected) < 2f64.powi(-40), "phase {phase}");
        }
    }
}

#[test]
fn blind_rotations_bit_by_bit_from_a_seeded_key_are_those_of_the_whole_one() {
    const BITS: usize = 9;
    for rank in [1, 2] {
        for threads in [1, 3] {
            let keys = keys(BITS, rank, (15, 2), Backend::detect().unwrap());
            let polynomial = message();
            let switched: Vec<Vec<u64>> = (0..5u64)
                .map(|job| {
                    (0..=BITS as u64).map(|i| (job * 131 + i * i * 37 + 911) % (2 * N as u64)).collect()
                })
                .collect();
            let jobs: Vec<_> = switched.iter().map(|switched| (&switched[..], &polynomial[..])).collect();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let turned = pool.install(|| blind_rotate_many(&keys.seeded, &jobs)).unwrap();
            assert_eq!(turned.len(), jobs.len());
            for (turned, (switched, polynomial)) in turned.iter().zip(&jobs) {
                let one = keys.key.blind_rotate(switched, polynomial);
                assert_eq!(turned.polys().words(), one.polys().words());
            }
            assert!(pool.install(|| blind_rotate_many(&keys.seeded, &[])).unwrap().is_empty());
        }
    }
}
