//! Torus polynomials against products of integers modulo 2^64.

use asanoha_ring::{
    Backend, ExternalProductError, GadgetError, Sampler, Seed, TorusGadget, TorusPolys, TorusProduct,
    TorusRing, mul_by_power, uniform_words,
};
use proptest::prelude::*;

const N: usize = 512;

fn backends() -> impl Iterator<Item = Backend> {
    Backend::available().into_iter()
}

fn uniform(seed: u64, count: usize) -> TorusPolys {
    let mut polys = TorusPolys::zero(N, count);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    uniform_words(&Seed(bytes), 0, polys.words_mut());
    polys
}

/// acc + a·b modulo X^N + 1 and 2^64.
fn add_product(acc: &mut [u64], a: &[i64], b: &[u64]) {
    let n = acc.len();
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let sign = if i + j < n { x } else { -x };
            acc[(i + j) % n] = acc[(i + j) % n].wrapping_add(y.wrapping_mul(sign as u64));
        }
    }
}

#[test]
fn powers_of_x_multiply_as_polynomials_do() {
    let a = uniform(1, 1);
    for exponent in [0, 1, 7, N - 1, N, N + 1, 2 * N - 1, 2 * N, 5 * N + 3] {
        let mut power = vec![0; N];
        power[exponent % N] = if (exponent / N).is_multiple_of(2) { 1 } else { -1 };
        let mut expected = vec![0; N];
        add_product(&mut expected, &power, a.words());
        let mut out = vec![7; N];
        mul_by_power(&mut out, a.words(), exponent);
        assert_eq!(out, expected, "X^{exponent}");
    }
}

#[test]
fn gadgets_have_one_to_sixty_four_bits() {
    let backend = Backend::Scalar;
    for (digit_bits, levels) in [(0, 1), (1, 0), (13, 5), (65, 1), (u32::MAX, 2)] {
        let error = TorusGadget::new(digit_bits, levels, backend).unwrap_err();
        assert_eq!(error, GadgetError { digit_bits, levels });
    }
    assert_eq!(TorusGadget::new(3, 5, backend).unwrap().weight(4), 1 << 49);
}

/// The largest words of one sign with all bits of the secret set are the largest products there are.
#[test]
fn extreme_products_with_bits_are_exact() {
    for n in [512, 2048, 8192] {
        let ones = vec![1i64; n];
        for word in [1 << 63, (1 << 63) - 1, u64::MAX, 0x8000_0000_8000_0000, 0x7fff_ffff_7fff_ffff] {
            // The product of a constant polynomial c·Σ X^j with Σ X^j has the coefficients c·(2i + 2 − n).
            let expected = (0..n as u64).map(|i| word.wrapping_mul((2 * i + 2).wrapping_sub(n as u64)));
            for backend in backends() {
                let ring = TorusRing::new(n, backend).unwrap();
                let mut acc = vec![0; n];
                let s = ring.binary(bytemuck::cast_slice(&ones));
                ring.add_exact_product(&mut acc, &vec![word; n], &s);
                assert!(acc.iter().copied().eq(expected.clone()), "{}, {n}, {word:x}", backend.name());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn products_with_bits_are_exact(seed: u64) {
        let bits = Sampler::new(&Seed([seed as u8; 32])).binary(N);
        prop_assert!(bits.iter().all(|&bit| bit <= 1) && (N / 3..2 * N / 3).contains(&(bits.iter().sum::<u64>() as usize)));
        let (a, start) = (uniform(seed, 1), uniform(!seed, 1));
        let mut expected = start.words().to_vec();
        add_product(&mut expected, bytemuck::cast_slice(&bits), a.words());
        for backend in backends() {
            let ring = TorusRing::new(N, backend).unwrap();
            let mut acc = start.words().to_vec();
            ring.add_exact_product(&mut acc, a.words(), &ring.binary(&bits));
            prop_assert_eq!(&acc, &expected);
        }
    }

    /// The error of the Fourier domain, against the model of docs/notes/tfhe.md.
    #[test]
    fn products_of_digits_with_keys_are_those_of_integers(seed: u64, digit_bits in 4u32..24, polys in 2usize..4) {
        let backend = Backend::Scalar;
        let levels = 31 / digit_bits;
        let gadget = TorusGadget::new(digit_bits, levels, backend).unwrap();
        let (input, start) = (uniform(seed, polys), uniform(!seed, polys));
        let short = |polys: &TorusPolys| polys.words().iter().map(|word| (word >> 32) as u32).collect::<Vec<_>>();
        let input = short(&input);
        let ggsw = uniform(seed ^ 1, levels as usize * polys * polys);
        let mut exact = vec![0; polys * N];
        let mut rows = ggsw.words().chunks(polys * N);
        for poly in input.chunks(N) {
            let words: Vec<_> = poly.iter().map(|&word| u64::from(word) << 32).collect();
            let mut digits = vec![0i64; N * levels as usize];
            gadget.decompose(&mut digits, &words);
            for digits in digits.chunks(N) {
                let row = rows.next().unwrap();
                exact.chunks_mut(N).zip(row.chunks(N)).for_each(|(out, key)| add_product(out, digits, key));
            }
        }
        for backend in backends() {
            let product = TorusProduct::new(&TorusRing::new(N, backend).unwrap(), polys, gadget).unwrap();
            let mut keys = product.keys(2);
            product.transform(keys.iter_mut().nth(1).unwrap(), &ggsw);
            let mut out = short(&start);
            product.add(&mut out, &input, keys.get(1), &mut product.memory());
            let variance = out.iter().zip(short(&start)).zip(&exact).map(|((&out, start), exact)| {
                let found = u64::from(out.wrapping_sub(start)) << 32;
                (found.wrapping_sub(*exact).cast_signed() as f64 / 2f64.powi(64)).powi(2)
            }).sum::<f64>() / (polys * N) as f64;
            let products = (levels as usize * polys * N) as f64;
            let bound = products * 4f64.powi(digit_bits as i32) / 12.0 * 2f64.powi(-109) * (N as f64).log2() + 2f64.powi(-64) / 4.0;
            // Six deviations of a variance of so many samples.
            let bound = bound * (1.0 + 6.0 * (2.0 / (polys * N) as f64).sqrt());
            prop_assert!(variance < bound, "{}: {variance:e} is not below {bound:e}", backend.name());
            prop_assert_eq!(keys.count(), 2);
            prop_assert!(keys.get(0).iter().all(|&word| word == 0.0) && keys.get(2).is_empty());
        }
    }
}

#[test]
fn products_have_no_more_digits_than_their_words() {
    let ring = TorusRing::new(N, Backend::Scalar).unwrap();
    let gadget = |digit_bits, levels| TorusGadget::new(digit_bits, levels, Backend::Scalar).unwrap();
    assert!(TorusProduct::new(&ring, 2, gadget(16, 2)).is_ok());
    let error = TorusProduct::new(&ring, 2, gadget(11, 3)).unwrap_err();
    assert_eq!(error, ExternalProductError::Digits { digit_bits: 11, levels: 3 });
    assert_eq!(TorusProduct::new(&ring, 1, gadget(16, 2)).unwrap_err(), ExternalProductError::Polys(1));
}
