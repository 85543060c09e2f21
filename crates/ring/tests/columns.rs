//! Columns of residues modulo wide primes, against big integers and the transform of rows.

use asanoha_kernels::{Backend, WideTable};
use asanoha_ring::{Strip, WideColumns, WideModulus, WideNtt};
use asanoha_testkit::TestIntegers;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::One;
use proptest::prelude::*;

const LANES: usize = 8;

/// Primes that are 1 modulo 2^8, of 1 to 6 words of 52 bits, more than are unrolled, and at the ends of what a number of words
/// holds.
fn primes() -> Vec<BigUint> {
    let is_prime =
        |n: &BigUint| [2u32, 3, 5].iter().all(|&base| BigUint::from(base).modpow(&(n - 1u32), n).is_one());
    let found = |bits: u32, up: bool| {
        let step = BigUint::from(256u32);
        let mut candidate: BigUint = (BigUint::one() << bits) + 1u32;
        while candidate.is_multiple_of(&BigUint::from(3u32)) || !is_prime(&candidate) {
            candidate = if up { candidate + &step } else { candidate - &step };
        }
        candidate
    };
    let mut primes = vec![BigUint::from(257u32)];
    primes.extend([20, 61, 64, 100, 127, 180, 255, 380].map(|bits| found(bits, true)));
    primes.extend([32, 84, 136, 188, 240, 292].map(|bits| found(bits, false)));
    primes
}

/// All columns of a strip.
fn taken(columns: &WideColumns, strip: &Strip) -> Vec<Vec<u64>> {
    let mut rows = vec![vec![0; columns.size() * columns.modulus().limbs()]; LANES];
    columns.take(strip, &mut rows.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn columns_are_transformed_as_rows_are(
        t in prop::sample::select(primes()), log2_size in 0u32..8, seed: u64, extreme: bool,
    ) {
        let (modulus, size) = (WideModulus::new(&t).unwrap(), 1 << log2_size);
        let ntt = WideNtt::new(&modulus, size);
        let mut random = TestIntegers(seed);
        let value = |random: &mut TestIntegers| match random.word() % 4 {
            0 if extreme => BigInt::from(-1),
            1 if extreme => BigInt::ZERO,
            2 if extreme => BigInt::from(&t / 2u32),
            _ => random.below(&t.clone().into()),
        };
        let rows: Vec<Vec<u64>> = (0..LANES)
            .map(|_| (0..size).flat_map(|_| modulus.row(&value(&mut random))).collect())
            .collect();
        for backend in Backend::available() {
            let columns = WideColumns::new(&modulus, size, backend).unwrap();
            let mut strip = columns.strip();
            columns.put(&mut strip, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
            prop_assert!(taken(&columns, &strip) == rows);
            columns.forward(&mut strip);
            for (row, found) in rows.iter().zip(taken(&columns, &strip)) {
                let mut expected = row.clone();
                ntt.forward(&mut expected);
                prop_assert!(found == expected);
            }
            columns.inverse(&mut strip);
            prop_assert!(taken(&columns, &strip) == rows);
        }
    }

    #[test]
    fn combinations_and_their_butterflies_are_what_big_integers_give(
        t in prop::sample::select(primes()), seed: u64, count in 1usize..32, ones: bool, log2_size in 0u32..4,
    ) {
        let (modulus, size) = (WideModulus::new(&t).unwrap(), 1usize << log2_size);
        let (length, stride) = (32usize, 32 / size);
        let mut random = TestIntegers(seed);
        let mut word = || if ones { (1 << 52) - 1 } else { random.word() >> 12 };
        let inputs: Vec<Vec<u64>> = (0..2 * count).map(|_| (0..length).map(|_| word()).collect()).collect();
        let weights: Vec<BigUint> = (0..2 * count)
            .map(|_| if ones { &t - 1u32 } else { modulus.residue(&random.below(&t.clone().into())) })
            .collect();
        let terms: Vec<(&[u64], BigUint)> = inputs.iter().map(Vec::as_slice).zip(weights.clone()).collect();
        let sums: Vec<Vec<BigInt>> = [0..count, count..2 * count]
            .map(|range| {
                let at = |place: usize| range.clone().map(|k| BigInt::from(&weights[k] * inputs[k][place])).sum();
                (0..length).map(at).collect()
            })
            .to_vec();
        let exponent = (seed % length as u64) as usize;
        let sum: Vec<BigInt> = (0..length).map(|i| &sums[0][i] + &sums[1][i]).collect();
        let difference: Vec<BigInt> = (0..length)
            .map(|i| {
                let from = (i + exponent) % length;
                let difference = &sums[0][from] - &sums[1][from];
                if i + exponent >= length { -difference } else { difference }
            })
            .collect();
        let ntt = WideNtt::new(&modulus, size);
        for backend in Backend::available() {
            let columns = WideColumns::new(&modulus, size, backend).unwrap();
            let mut first = columns.combination(&terms[..count]);
            let mut second = columns.combination(&terms[count..]);
            first.butterfly(&mut second, exponent);
            for (planes, expected) in [(&first, &sum), (&second, &difference)] {
                for start in [0, 3, 8 + stride] {
                    let mut strip = columns.strip();
                    columns.put_coefficients(&mut strip, planes, start, stride);
                    columns.forward(&mut strip);
                    for (lane, found) in taken(&columns, &strip).into_iter().enumerate() {
                        let mut row: Vec<u64> = (0..size)
                            .flat_map(|y| {
                                let place = start + lane + y * stride;
                                let value = &expected[place % length];
                                modulus.row(&if place >= length { -value } else { value.clone() })
                            })
                            .collect();
                        ntt.forward(&mut row);
                        prop_assert!(found == row);
                    }
                }
            }
        }
    }

    #[test]
    fn as_many_sums_as_are_promised_fit(t in prop::sample::select(primes())) {
        let modulus = WideModulus::new(&t).unwrap();
        let input = vec![(1u64 << 52) - 1; 8];
        let weight = &t - 1u32;
        let expected = BigInt::from(&weight * input[0] * 255u32 * WideColumns::LARGEST_SUM);
        for backend in Backend::available() {
            let columns = WideColumns::new(&modulus, 1, backend).unwrap();
            let terms: Vec<(&[u64], BigUint)> = (0..255).map(|_| (input.as_slice(), weight.clone())).collect();
            let mut sum = columns.combination(&terms);
            let mut number = 1;
            while number < WideColumns::LARGEST_SUM {
                // Doubled, and in the other one the negated zero.
                let mut other = sum.clone();
                sum.butterfly(&mut other, 0);
                number *= 2;
            }
            let mut strip = columns.strip();
            columns.put_coefficients(&mut strip, &sum, 0, 8);
            columns.forward(&mut strip);
            prop_assert!(taken(&columns, &strip).iter().all(|found| *found == modulus.row(&expected)));
            columns.put_coefficients(&mut strip, &sum, 8, 8);
            columns.forward(&mut strip);
            prop_assert!(taken(&columns, &strip).iter().all(|found| *found == modulus.row(&-&expected)));
        }
    }
}

#[test]
fn primes_beyond_the_kernels_have_no_columns() {
    let widest = 52 * 64 - u64::from(WideTable::SPARE_BITS);
    // 2^e + 1 isn't prime, but nothing is transformed.
    let modulus = |bits: u64| WideModulus::new(&((BigUint::one() << (bits - 1)) + 1u32)).unwrap();
    assert!(WideColumns::new(&modulus(widest + 1), 1, Backend::Scalar).is_none());
}
