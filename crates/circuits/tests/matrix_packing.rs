//! Batches of matrices as polynomials: sums of products with images are the products of the matrices, in plain integers.

use asanoha_circuits::matrix::{BatchPacking, MatrixBatch, PackingError};
use asanoha_kernels::primes_congruent_to_one;
use asanoha_ring::{Backend, Basis, Coefficient, Poly, WideModulus, WidePlanes};
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

/// Primes whose product is more than all numbers here.
fn basis(ring_degree: usize, backend: Backend) -> Basis {
    let primes: Vec<u64> = primes_congruent_to_one(50, 2 * ring_degree as u64, 16, &[]).unwrap();
    Basis::new(ring_degree, &primes, backend).unwrap()
}

/// A factor times polynomials of these coefficients, as decryption gives them.
fn planes(packing: &BatchPacking, basis: &Basis, coefficients: &[BigInt], factor: &BigUint) -> WidePlanes {
    let t = packing.columns().modulus();
    let summands = Poly::from_integers(basis, coefficients).into_summands(t);
    let scaled = |(words, weight)| (words, weight * factor % t.value());
    packing.columns().combination(&summands.terms().into_iter().map(scaled).collect::<Vec<_>>())
}

/// Σₘ τₖ(aₘ)·bₘ, in big integers, divided by d modulo t.
fn sums(
    packing: &BatchPacking,
    basis: &Basis,
    a: &[Poly<Coefficient>],
    b: &[Poly<Coefficient>],
) -> Vec<WidePlanes> {
    let sum = |k| {
        let element = packing.automorphisms().element(k).0 as usize;
        let products = a
            .iter()
            .zip(b)
            .map(|(a, b)| negacyclic_product(&automorphism(&a.to_integers(), element), &b.to_integers()));
        let sum: Option<Vec<BigInt>> =
            products.reduce(|sum, product| sum.iter().zip(product).map(|(a, b)| a + b).collect());
        planes(packing, basis, &sum.unwrap(), packing.outer_inverse())
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
        let (rows, columns) = (rows.min(outer), columns.min(outer));
        for backend in Backend::available() {
            let packing = BatchPacking::new(1 << log2_degree, &modulus, outer, backend).unwrap();
            let basis = basis(1 << log2_degree, backend);
            let count = packing.batch().saturating_sub(missing).max(1);
            let mut integers = TestIntegers(seed);
            let a = random(&modulus, [rows, inner], count, &mut integers);
            let b = random(&modulus, [inner, columns], count, &mut integers);
            let left: Vec<_> = (0..inner).map(|m| packing.pack_column(&a, m, &basis)).collect();
            let right: Vec<_> = (0..inner).map(|m| packing.pack_row(&b, m, &basis)).collect();
            let half = BigInt::from(modulus.value() / 2u32);
            let coefficients = || left.iter().chain(&right).flat_map(Poly::to_integers);
            prop_assert!(coefficients().all(|c| c <= half && c >= -&half));
            let products = packing.unpack(sums(&packing, &basis, &left, &right), [rows, columns], count);
            prop_assert!(products == a.product(&modulus, &b));
            let decrypted = |polys: &[Poly<Coefficient>]| -> Vec<WidePlanes> {
                polys.iter().map(|poly| planes(&packing, &basis, &poly.to_integers(), &1u32.into())).collect()
            };
            prop_assert!(packing.unpack_columns(&decrypted(&left), rows, count) == a);
            prop_assert!(packing.unpack_rows(&decrypted(&right), columns, count) == b);
        }
    }
}

#[test]
fn a_batch_is_as_large_as_the_modulus_allows() {
    let batch = |t: &str, outer| {
        let modulus = WideModulus::new(&t.parse().unwrap()).unwrap();
        BatchPacking::new(1 << 10, &modulus, outer, Backend::Scalar).unwrap().batch()
    };
    assert_eq!((batch("65537", 4), batch("257", 4), batch("257", 64), batch("7", 4)), (256, 128, 16, 1));
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let modulus = |t: u32| WideModulus::new(&t.into()).unwrap();
    for outer in [0, 3, 128] {
        let refused = BatchPacking::new(64, &modulus(257), outer, Backend::Scalar).unwrap_err();
        assert_eq!(refused, PackingError::Outer { outer, largest: 64 });
    }
    let refused = |ring_degree, modulus: &WideModulus, outer| {
        BatchPacking::new(ring_degree, modulus, outer, Backend::Scalar).unwrap_err()
    };
    assert_eq!(refused(64, &modulus(2), 4), PackingError::EvenModulus(2u32.into()));
    // There's a sum for each row.
    let many = PackingError::Outer { outer: 2048, largest: 1024 };
    assert_eq!(refused(4096, &modulus(257), 2048), many);
    let wide: BigUint = (BigUint::from(1u32) << 3999) + 1u32;
    assert_eq!(refused(64, &WideModulus::new(&wide).unwrap(), 4), PackingError::TooWide(4000));
}
