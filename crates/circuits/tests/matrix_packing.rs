//! Batches of matrices as polynomials: sums of products with images are the products of the matrices, in plain integers.

use asanoha_circuits::matrix::{BatchPacking, MatrixBatch, PackingError};
use asanoha_ring::WideModulus;
use asanoha_testkit::{TestIntegers, automorphism, negacyclic_product};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

/// Primes of one to five words of which the first are 1 modulo 2^8, and the last is 3 modulo 4.
fn prime(index: usize) -> BigUint {
    let decimal = [
        "257",
        "65537",
        "18446744069414584321",
        "170141183460469231731687303715885907969",
        "57896044618658097711785492504343953926634992332820282019728792003956564819949",
        "7",
    ];
    decimal[index].parse().unwrap()
}

fn random(
    modulus: &WideModulus,
    shape: [usize; 2],
    count: usize,
    integers: &mut TestIntegers,
) -> MatrixBatch {
    let mut matrices = MatrixBatch::zero(modulus, shape, count);
    for index in 0..count {
        for place in 0..shape[0] * shape[1] {
            let value = integers.below(&modulus.value().clone().into());
            // The largest residue now and then.
            let value = if integers.word().is_multiple_of(8) { BigInt::from(-1) } else { value };
            let entry = matrices.entry_mut(index, place / shape[1], place % shape[1]);
            entry.copy_from_slice(&modulus.row(&value));
        }
    }
    matrices
}

/// Σₘ τₖ(aₘ)·bₘ modulo t, in big integers.
fn sums(packing: &BatchPacking, modulus: &WideModulus, a: &[Vec<u64>], b: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let integers = |rows: &[u64]| -> Vec<BigInt> {
        rows.chunks_exact(modulus.limbs()).map(|row| modulus.integer(row).into()).collect()
    };
    let sum = |k| {
        let element = packing.automorphisms().element(k).0 as usize;
        let products = a
            .iter()
            .zip(b)
            .map(|(a, b)| negacyclic_product(&automorphism(&integers(a), element), &integers(b)));
        let sum = products.reduce(|sum, product| sum.iter().zip(product).map(|(a, b)| a + b).collect());
        sum.unwrap().iter().flat_map(|c| modulus.row(c)).collect()
    };
    (0..packing.outer()).map(sum).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sums_of_products_with_images_are_products_of_matrices(
        seed: u64, prime_index in 0usize..6, log2_degree in 4u32..7, log2_outer in 0u32..4,
        rows in 1usize..9, inner in 1usize..5, columns in 1usize..9, missing in 0usize..3,
    ) {
        let modulus = WideModulus::new(&prime(prime_index)).unwrap();
        let outer = 1usize << log2_outer;
        let packing = BatchPacking::new(1 << log2_degree, &modulus, outer).unwrap();
        let (rows, columns) = (rows.min(outer), columns.min(outer));
        let count = packing.batch().saturating_sub(missing).max(1);
        let mut integers = TestIntegers(seed);
        let a = random(&modulus, [rows, inner], count, &mut integers);
        let b = random(&modulus, [inner, columns], count, &mut integers);
        let sums = sums(&packing, &modulus, &packing.pack_columns(&a), &packing.pack_rows(&b));
        let products = packing.unpack(sums, [rows, columns], count);
        prop_assert!(products == a.product(&modulus, &b));
        prop_assert!(packing.unpack_columns(&packing.pack_columns(&a), rows, count) == a);
        prop_assert!(packing.unpack_rows(&packing.pack_rows(&b), columns, count) == b);
    }
}

#[test]
fn a_batch_is_as_large_as_the_modulus_allows() {
    let batch = |t: &str, outer| {
        let modulus = WideModulus::new(&t.parse().unwrap()).unwrap();
        BatchPacking::new(1 << 10, &modulus, outer).unwrap().batch()
    };
    assert_eq!((batch("65537", 4), batch("257", 4), batch("257", 64), batch("7", 4)), (256, 128, 16, 1));
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let modulus = |t: u32| WideModulus::new(&t.into()).unwrap();
    for outer in [0, 3, 128] {
        let refused = BatchPacking::new(64, &modulus(257), outer).unwrap_err();
        assert_eq!(refused, PackingError::Outer { outer, ring_degree: 64 });
    }
    assert_eq!(BatchPacking::new(64, &modulus(2), 4).unwrap_err(), PackingError::EvenModulus(2u32.into()));
}
