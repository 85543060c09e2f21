//! Operands of different bases are refused by every operation of the ring, in release builds too.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use asanoha_ring::{
    Backend, Basis, Coefficient, Converter, Digits, Divider, Evaluation, EvaluationPermutation,
    GaloisElement, Poly, Scalar, SwitchPart, switch_sums,
};

const N: usize = 16;

fn basis(ring_degree: usize, primes: &[u64]) -> Basis {
    Basis::new(ring_degree, primes, Backend::detect().unwrap()).unwrap()
}

fn evaluation(basis: &Basis) -> Poly<Evaluation> {
    Poly::zero(basis)
}

/// Whether an operation panics. What it computes is dropped.
fn panics<T>(operation: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(|| drop(operation()))).is_err()
}

/// A basis, and one of as many primes, of fewer, of more, and of the same ones in another ring: all but the first differ.
fn bases() -> (Basis, [Basis; 4]) {
    let others = [basis(N, &[97, 257]), basis(N, &[97]), basis(N, &[97, 193, 257]), basis(N / 2, &[97, 193])];
    (basis(N, &[97, 193]), others)
}

#[test]
fn two_polynomials_of_different_bases_panic_in_every_binary_operation() {
    let (own, others) = bases();
    for other in &others {
        let b = evaluation(other);
        assert!(panics(|| evaluation(&own).add_assign(&b)), "add to {other:?}");
        assert!(panics(|| evaluation(&own).sub_assign(&b)), "subtract from {other:?}");
        assert!(panics(|| evaluation(&own).mul_assign(&b)), "multiply {other:?}");
        assert!(panics(|| evaluation(&own).mul(&b)), "multiply {other:?}");
        assert!(panics(|| evaluation(&own).fma_assign(&evaluation(&own), &b)), "fma {other:?}");
        assert!(panics(|| evaluation(&own).fma_assign(&b, &evaluation(&own))), "fma {other:?}");
        let a = evaluation(&own);
        for pairs in [&[(&a, &b)][..], &[(&b, &a)], &[(&a, &a), (&a, &b)]] {
            assert!(panics(|| Poly::inner_product(&own, pairs)), "inner product {other:?}");
        }
        assert!(panics(|| Poly::inner_product(other, &[(&a, &a)])), "inner product {other:?}");
        assert!(panics(|| Poly::weighted_sum(&[&a, &b], &[1, 1])), "weighted sum {other:?}");
        assert!(panics(|| Poly::bilinear_form(&[[&a, &a]], &[1], &[[&a, &b]])), "bilinear form {other:?}");
        let coefficients = || Poly::<Coefficient>::zero(&own);
        assert!(panics(|| coefficients().add_assign(&Poly::zero(other))), "add coefficients {other:?}");
    }
}

#[test]
fn constants_of_another_basis_panic() {
    let (own, others) = bases();
    let (a, own_scalar) = (evaluation(&own), Scalar::new(&own, &3.into()));
    for other in &others {
        let scalar = Scalar::new(other, &3.into());
        assert!(panics(|| evaluation(&own).mul_scalar_assign(&scalar)), "{other:?}");
        assert!(panics(|| evaluation(&own).add_scalar_assign(&scalar)), "{other:?}");
        assert!(panics(|| evaluation(&own).fma_scalar_assign(&a, &scalar)), "{other:?}");
        assert!(panics(|| evaluation(&own).fma_scalar_assign(&evaluation(other), &own_scalar)), "{other:?}");
        assert!(panics(|| evaluation(&own).fma_scalar_prefix_assign(&a, &scalar)), "{other:?}");
    }
}

#[test]
fn conversions_divisions_and_automorphisms_of_other_rings_panic() {
    let (own, others) = bases();
    let (kept, dropped) = (own.range(0..1), own.range(1..2));
    let divider = Divider::new(&kept, &dropped, |_| 1);
    let converter = Converter::exact(&own, &basis(N, &[257]));
    for other in &others {
        assert!(panics(|| divider.divide(evaluation(other))), "{other:?}");
        assert!(panics(|| divider.quotient(&evaluation(other))), "{other:?}");
        assert!(panics(|| divider.divide_coefficients(Poly::zero(other))), "{other:?}");
        assert!(panics(|| converter.convert(&Poly::zero(other))), "{other:?}");
    }
    let permutation = EvaluationPermutation::new(N / 2, GaloisElement(3));
    assert!(panics(|| evaluation(&own).permute(&permutation)));
    // Half of the image's words would be what the memory held before.
    assert!(panics(|| Poly::<Coefficient>::zero(&own).automorphism(GaloisElement(2))));
}

fn part(addend: &Poly<Evaluation>) -> SwitchPart<'_> {
    SwitchPart { permutation: None, addends: [Some(addend), None], product: None }
}

#[test]
fn key_switching_sums_of_other_bases_panic() {
    let (own, others) = bases();
    for other in others.iter().filter(|other| other.len() > 1) {
        let b = evaluation(other);
        // More primes than the sum has are passed over, if the first are the same.
        let fits = own.is_prefix_of(other);
        assert_eq!(panics(|| switch_sums(&own, 0, &[], &[vec![part(&b)]])), !fits, "{other:?}");

        let converter = Arc::new(Converter::exact(&other.range(0..1), &other.range(1..other.len())));
        let digits = || Digits::new(&b, [(0..1, Arc::clone(&converter))]);
        let extended = || switch_sums(&own, 0, &[digits()], &[vec![]]);
        assert_eq!(panics(extended), !fits, "{other:?}");
    }
    let a = evaluation(&own);
    let permutation = EvaluationPermutation::new(N / 2, GaloisElement(3));
    let image = SwitchPart { permutation: Some(&permutation), ..part(&a) };
    assert!(panics(|| switch_sums(&own, 0, &[], &[vec![image]])));
}
