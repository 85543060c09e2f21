//! Sums of products with images under automorphisms, against the images one by one.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_ring::{Backend, Basis, Evaluation, FixingAutomorphisms, Poly};
use asanoha_testkit::{TestIntegers, product};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sums_of_image_products_are_those_of_the_images(
        seed: u64, bits in 20u32..=61, limbs in 1usize..3, log2_degree in 4u32..8, log2_count in 0u32..5,
        terms in 1usize..6, left in 1usize..3, right in 1usize..3,
    ) {
        let n = 1 << log2_degree;
        let automorphisms = FixingAutomorphisms::new(n, 1 << log2_count);
        let primes = primes_congruent_to_one(bits, 2 * n as u64, limbs, &[]).unwrap();
        let basis = Basis::new(n, &primes, Backend::detect().unwrap()).unwrap();
        let q = product(basis.primes());
        let mut integers = TestIntegers(seed);
        let mut polys = |components: usize| -> Vec<Vec<Poly<Evaluation>>> {
            let mut poly = || Poly::from_integers(&basis, &integers.vector(n, &q)).into_evaluation();
            (0..components).map(|_| (0..terms).map(|_| poly()).collect()).collect()
        };
        let (left, right) = (polys(left), polys(right));
        let left_refs: Vec<Vec<&Poly<Evaluation>>> = left.iter().map(|polys| polys.iter().collect()).collect();
        let right_refs: Vec<Vec<&Poly<Evaluation>>> = right.iter().map(|polys| polys.iter().collect()).collect();
        let left_slices: Vec<&[&Poly<Evaluation>]> = left_refs.iter().map(Vec::as_slice).collect();
        let right_slices: Vec<&[&Poly<Evaluation>]> = right_refs.iter().map(Vec::as_slice).collect();
        let sums = Poly::sums_of_image_products(&automorphisms, &left_slices, &right_slices, None);
        let doubled = Poly::sums_of_image_products(&automorphisms, &left_slices, &right_slices, Some(sums.clone()));
        prop_assert_eq!(sums.len(), automorphisms.count());
        for (k, sums) in sums.iter().enumerate() {
            let element = automorphisms.element(k);
            for (pair, sum) in sums.iter().enumerate() {
                let mut expected = Poly::<Evaluation>::zero(&basis);
                for (a, b) in left[pair / right.len()].iter().zip(&right[pair % right.len()]) {
                    let image = a.to_coefficient().automorphism(element).into_evaluation();
                    expected.fma_assign(&image, b);
                }
                prop_assert_eq!(sum.words(), expected.words());
                expected.add_assign(sum);
                prop_assert_eq!(doubled[k][pair].words(), expected.words());
            }
        }
    }
}
