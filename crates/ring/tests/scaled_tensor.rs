//! Scaled products against big integers and against the way through a basis that holds the whole product.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_ring::{Backend, Basis, Coefficient, Converter, Divider, Poly, Scalar, ScaledTensor};
use asanoha_testkit::{TestIntegers, centred, max_norm, negacyclic_product, product, round_divide};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use proptest::prelude::*;

const N: usize = 16;

/// Bases of so many primes of Q, of R, and one that holds every product.
fn bases(bits: u32, count: usize, auxiliary: usize, t: &BigInt) -> [Basis; 3] {
    let basis = |bits, count, excluded: &[u64]| {
        let primes = primes_congruent_to_one(bits, 2 * N as u64, count, excluded).unwrap();
        Basis::new(N, &primes, Backend::detect().unwrap()).unwrap()
    };
    let q = basis(bits, count, &[]);
    let r = basis(bits, auxiliary, &q.primes().collect::<Vec<_>>());
    let wide = (2.0 * q.log2_product() + t.bits() as f64 + 20.0) / 60.0;
    let wide = basis(61, wide.ceil() as usize, &q.primes().collect::<Vec<_>>());
    [q, r, wide]
}

fn modulus(basis: &Basis) -> BigInt {
    product(basis.primes())
}

fn residue(t: &BigInt, q: u64) -> u64 {
    (t % q).to_u64().unwrap()
}

/// a₀·b₀, a₀·b₁ + a₁·b₀, a₁·b₁.
fn tensor(a: &[Vec<BigInt>; 2], b: &[Vec<BigInt>; 2]) -> [Vec<BigInt>; 3] {
    let [low, first, second, high] =
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| negacyclic_product(&a[i], &b[j]));
    [low, first.iter().zip(&second).map(|(x, y)| x + y).collect(), high]
}

fn map(x: &[BigInt], f: impl Fn(&BigInt) -> BigInt) -> Vec<BigInt> {
    x.iter().map(f).collect()
}

/// By the definition, with big integers.
fn oracle(
    [q, r]: [&BigInt; 2],
    t: &[BigInt],
    a: &[Vec<BigInt>; 2],
    b: &[Vec<BigInt>; 2],
) -> [Vec<BigInt>; 3] {
    let scaled = b.each_ref().map(|b| map(b, |x| centred(&round_divide(&(x * r), q), r)));
    tensor(a, &scaled).map(|x| map(&negacyclic_product(&x, t), |x| centred(&round_divide(x, r), q)))
}

/// Both operands extended exactly to a basis that holds t·a ⊗ b, scaled by t/Q (Halevi, Polyakov, Shoup 2018).
fn reference(
    q: &Basis,
    wide: &Basis,
    t: &BigInt,
    a: &[Poly<Coefficient>; 2],
    b: &[Poly<Coefficient>; 2],
) -> [Vec<BigInt>; 3] {
    let all = wide.join(q);
    let extend = |x: &Poly<Coefficient>| {
        let wide = Converter::exact(q, wide).convert(x);
        let words = [wide.words(), x.words()].concat();
        Poly::<Coefficient>::from_checked_words(&all, &words).unwrap().into_evaluation()
    };
    let ([a0, a1], [b0, b1]) = (a.each_ref().map(extend), b.each_ref().map(extend));
    let mut middle = a0.mul(&b1);
    middle.fma_assign(&a1, &b0);
    let divider = Divider::new(wide, q, |_| 1);
    [a0.mul(&b0), middle, a1.mul(&b1)].map(|mut x| {
        x.mul_scalar_assign(&Scalar::new(&all, t));
        Converter::exact(wide, q).convert(&divider.divide(x).into_coefficient()).to_integers()
    })
}

fn integers(parts: [Poly<asanoha_ring::Evaluation>; 3]) -> [Vec<BigInt>; 3] {
    parts.map(|part| part.into_coefficient().to_integers())
}

proptest! {
    #[test]
    fn scaled_products_are_those_of_big_integers(
        seed: u64,
        bits in 20u32..=61,
        count in 1usize..5,
        shorter in 0usize..2,
        plaintext_bits in 1u64..300,
        polynomial: bool,
    ) {
        let mut words = TestIntegers(seed);
        let t = words.below(&(BigInt::one() << (plaintext_bits + 1))).magnitude().clone().max(2u32.into()).into();
        let [q, r, wide] = bases(bits, count, (count - shorter).max(1), &t);
        let mut pair = || [0, 1].map(|_| words.vector(N, &modulus(&q)));
        let (a, b) = (pair(), pair());
        let in_basis = |x: &[Vec<BigInt>; 2]| x.each_ref().map(|x| Poly::from_integers(&q, x));
        let (pa, pb) = (in_basis(&a), in_basis(&b));
        let (ea, eb) = (pa.clone().map(Poly::into_evaluation), pb.clone().map(Poly::into_evaluation));
        // X³ − 5, if there is a polynomial.
        let small: Vec<i64> = (0..N).map(|i| [-5, 0, 0, 1].get(i).copied().unwrap_or(0)).collect();
        let factor: Vec<BigInt> = (0..N)
            .map(|i| if polynomial { &t * small[i] } else if i == 0 { t.clone() } else { BigInt::ZERO })
            .collect();
        let scaled = ScaledTensor::new(&q, &r, |p| residue(&t, p), polynomial.then_some(&small[..]));
        let moduli = [modulus(&q), modulus(&r)];
        let product = integers(scaled.product(ea.each_ref(), eb.each_ref()));
        prop_assert_eq!(&product, &oracle(moduli.each_ref(), &factor, &a, &b));
        let square = integers(scaled.square(ea.each_ref()));
        prop_assert_eq!(square, integers(scaled.product(ea.each_ref(), ea.each_ref())));
        if !polynomial {
            // b' differs from R/Q·b by at most ½, and t·a/R by Q/R·t/2: twice over N products, and two roundings.
            let bound = (&moduli[0] * &t * 2 * N) / (&moduli[1] * 4) + 2;
            for (product, reference) in product.iter().zip(reference(&q, &wide, &t, &pa, &pb)) {
                let difference: Vec<BigInt> =
                    product.iter().zip(&reference).map(|(x, y)| centred(&(x - y), &moduli[0])).collect();
                prop_assert!(max_norm(&difference) <= bound);
            }
        }
    }
}
