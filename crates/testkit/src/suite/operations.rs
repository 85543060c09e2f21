//! Every operation alone: its result against plain numbers, its noise against the bound.

use asanoha_lattice::Level;
use asanoha_ring::Backend;
use asanoha_scheme::{Ciphertext, Evaluator, Plaintext, Scheme};

use crate::{Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! operations_suite {
    ($subject:ty) => {
        $crate::claims!($subject: operations {
            decryption_inverts_encryption_at_every_level
            sums_differences_and_negations_are_those_of_plain_numbers
            plaintext_operations_are_those_of_plain_numbers
            constants_act_on_all_slots
            products_and_squares_are_those_of_plain_numbers
            a_sum_of_products_needs_one_relinearisation
            sums_of_products_in_one_pass_equal_sums_of_products
            rotations_turn_each_row_to_the_left_and_the_swap_swaps_them
            hoisted_rotations_equal_single_ones_bit_by_bit
            hoisted_rotations_are_predicted
            back_ends_give_the_same_ciphertexts_bit_by_bit
            evaluators_and_ciphertexts_are_shared_between_threads
        });
    };
}

fn words<S: Scheme>(ciphertext: &Ciphertext<S>) -> Vec<u64> {
    ciphertext.rlwe().parts.iter().flat_map(|part| part.words().to_vec()).collect()
}

pub fn decryption_inverts_encryption_at_every_level<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(1) {
        let values = party.values();
        // Two primes hold every kind's fresh ciphertexts.
        for level in (2..=party.top().0).map(Level) {
            let plain = party.encode(&values, level);
            assert_eq!(plain.level(), level);
            let public = party.encrypt_at(&values, level);
            party.expect(&public, &values, "public key");
            let secret = party.encryptor.encrypt_secret(&party.secret, &plain, &mut party.sampler).unwrap();
            party.expect(&secret, &values, "secret key");
            // In the smallest rings what public-key encryption adds is below a rounding.
            assert!(secret.noise() < public.noise() || party.params.rlwe().ring_degree() < 1 << 6);
            assert_eq!((public.level(), secret.level()), (level, level));
            assert_eq!(public.message(), secret.message());
        }
    }
}

pub fn sums_differences_and_negations_are_those_of_plain_numbers<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(2) {
        let ((a, x), (b, y)) = (party.random(), party.random());
        let e = &party.evaluator;
        let sum = e.add(&a, &b).unwrap();
        party.expect(&sum, &party.sum(&x, &y), "sum");
        let difference = e.sub(&a, &b).unwrap();
        party.expect(&difference, &party.difference(&x, &y), "difference");
        let mut assigned = a.clone();
        e.add_assign(&mut assigned, &b).unwrap();
        assert_eq!((words(&assigned), assigned.state()), (words(&sum), sum.state()));
        e.sub_assign(&mut assigned, &b).unwrap();
        party.expect(&assigned, &x, "sum and difference");
        let negated = e.neg(&a);
        assert_eq!(negated.state(), a.state());
        party.expect(&negated, &party.times(&x, -1), "negation");
    }
}

pub fn plaintext_operations_are_those_of_plain_numbers<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(3) {
        let (a, x) = party.random();
        let y = party.values();
        let plain = party.encode(&y, a.level());
        let e = &party.evaluator;
        party.expect(&e.add_plain_exact(&a, &plain).unwrap(), &party.sum(&x, &y), "sum");
        party.expect(&e.sub_plain_exact(&a, &plain).unwrap(), &party.difference(&x, &y), "difference");
        party.expect(&e.mul_plain_exact(&a, &plain).unwrap(), &party.product(&x, &y), "product");
    }
}

pub fn constants_act_on_all_slots<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(4) {
        let (a, x) = party.random();
        let e = &party.evaluator;
        for constant in [-6, -1, 0, 1, 5] {
            let sum = e.add_constant(&a, T::addend(constant)).unwrap();
            party.expect(&sum, &party.sum(&x, &party.constant(constant)), "sum");
            let product = e.mul_constant_exact(&a, T::factor(constant)).unwrap();
            party.expect(&product, &party.times(&x, constant), "product");
        }
    }
}

pub fn products_and_squares_are_those_of_plain_numbers<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(5) {
        let ((a, x), (b, y)) = (party.random(), party.random());
        let (xy, xx) = (party.product(&x, &y), party.product(&x, &x));
        let e = &party.evaluator;
        party.expect(&e.multiply_exact(&a, &b).unwrap(), &xy, "product");
        party.expect(&e.square_exact(&a).unwrap(), &xx, "square");
        let product = e.multiply_without_relinearise(&a, &b).unwrap();
        assert_eq!(product.parts(), 3);
        party.expect(&product, &xy, "product of three parts");
        party.expect(&e.square_without_relinearise(&a).unwrap(), &xx, "square of three parts");
        let settled = T::settled_product(e, &a, &b).unwrap();
        party.expect(&settled, &xy, "settled product");
        let sum = e.add(&settled, &T::brought_to(e, &a, settled.level()).unwrap()).unwrap();
        party.expect(&sum, &party.sum(&xy, &x), "sum with what didn't come down by a product");
    }
}

pub fn a_sum_of_products_needs_one_relinearisation<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(6) {
        let ((a, x), (b, y)) = (party.random(), party.random());
        let ones = party.encode(&party.constant(1), a.level());
        let e = &party.evaluator;
        let mut sum = e.multiply_without_relinearise(&a, &b).unwrap();
        e.add_assign(&mut sum, &e.multiply_without_relinearise(&a, &a).unwrap()).unwrap();
        // A term of two parts, on both sides.
        let two = e.mul_plain_exact(&b, &ones).unwrap();
        e.sub_assign(&mut sum, &two).unwrap();
        let values = party.sum(&party.product(&x, &y), &party.product(&x, &x));
        let values = party.difference(&values, &y);
        party.expect(&sum, &values, "three parts");
        party.expect(&e.sub(&two, &sum).unwrap(), &party.difference(&y, &values), "two minus three parts");
        let sum = e.relinearise(sum).unwrap();
        assert_eq!(sum.parts(), 2);
        party.expect(&sum, &values, "two parts");
    }
}

pub fn sums_of_products_in_one_pass_equal_sums_of_products<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(10) {
        let ((a, x), (b, y)) = (party.random(), party.random());
        let (left, right) = ([&a, &b, &a], [&b, &b, &a]);
        let e = &party.evaluator;
        let at_once = e.sum_of_products(&left, &right).unwrap();
        let mut sum = e.multiply_without_relinearise(&a, &b).unwrap();
        for (left, right) in left.into_iter().zip(right).skip(1) {
            e.add_assign(&mut sum, &e.multiply_without_relinearise(left, right).unwrap()).unwrap();
        }
        assert_eq!((words(&at_once), at_once.state()), (words(&sum), sum.state()));
        let [left, right] = [left, right].map(|side| side.map(Ciphertext::state));
        assert_eq!(&e.predictor().sum_of_products(&left, &right).unwrap(), sum.state());
        let values = party.sum(&party.product(&x, &y), &party.product(&y, &y));
        party.expect(&at_once, &party.sum(&values, &party.product(&x, &x)), "sum of products");
    }
}

pub fn hoisted_rotations_are_predicted<T: Subject>() {
    let mut party = Party::<T>::with_slots(12);
    let (a, _) = party.random();
    let rotations = [&T::ROTATIONS[..], &[0]].concat();
    let predicted = party.evaluator.predictor().rotate_many(a.state(), &rotations).unwrap();
    let rotated = party.evaluator.rotate_many(&a, &rotations).unwrap();
    assert!(rotated.iter().map(Ciphertext::state).eq(&predicted));
}

pub fn rotations_turn_each_row_to_the_left_and_the_swap_swaps_them<T: Subject>() {
    for mut party in Party::<T>::of_all_kinds(7) {
        let Some(row) = party.params.row_slots() else { continue };
        let row = row as i64;
        let (a, x) = party.random();
        let lower = party.evaluator.switch_to(&a, Level(3)).unwrap();
        for a in [a, lower] {
            for rotation in [1, 2, 5, -3, 0, row, 1 - row, 5 + 7 * row] {
                let rotated = party.evaluator.rotate(&a, rotation).unwrap();
                party.expect(&rotated, &party.rotated(&x, rotation), &format!("rotation by {rotation}"));
            }
            party.expect(&party.evaluator.swap_rows(&a).unwrap(), &party.swapped(&x), "swap");
        }
    }
}

pub fn hoisted_rotations_equal_single_ones_bit_by_bit<T: Subject>() {
    let mut party = Party::<T>::with_slots(8);
    let (a, x) = party.random();
    let row = party.params.row_slots().unwrap() as i64;
    let rotations = [&T::ROTATIONS[..], &[0, row + 5, -row]].concat();
    let hoisted = party.evaluator.rotate_many(&a, &rotations).unwrap();
    assert_eq!(hoisted.len(), rotations.len());
    for (hoisted, rotation) in hoisted.iter().zip(rotations) {
        let single = party.evaluator.rotate(&a, rotation).unwrap();
        assert_eq!((words(hoisted), hoisted.state()), (words(&single), single.state()));
        party.expect(hoisted, &party.rotated(&x, rotation), "hoisted rotation");
    }
}

pub fn back_ends_give_the_same_ciphertexts_bit_by_bit<T: Subject>() {
    let run = |params: T::Scheme| {
        let mut party = Party::<T>::new(params, 9);
        let ((a, x), (b, _)) = (party.random(), party.random());
        let product = T::settled_product(&party.evaluator, &a, &b).unwrap();
        let plain = party.encode(&x, product.level());
        let own = party.encryptor.encrypt_secret(&party.secret, &plain, &mut party.sampler).unwrap();
        let e = &party.evaluator;
        let sum = e.add_plain_exact(&e.add(&product, &own).unwrap(), &plain).unwrap();
        let constant =
            e.add_constant(&e.mul_constant_exact(&sum, T::factor(3)).unwrap(), T::addend(-7)).unwrap();
        let lower = T::brought_to(e, &b, Level(3)).unwrap();
        let scaled = e.mul_plain_exact(&a, &party.encode(&x, a.level())).unwrap();
        let mut all = vec![e.square_exact(&a).unwrap(), a, b, product, own, sum, constant, lower, scaled];
        if party.params.row_slots().is_some() {
            all.extend([e.rotate(&all[3], 1).unwrap(), e.swap_rows(&all[7]).unwrap()]);
        }
        let decrypted = party.decrypt(&all[5]);
        let state = |c: &Ciphertext<T::Scheme>| (words(c), c.message().clone(), c.noise());
        (all.iter().map(state).collect::<Vec<_>>(), decrypted)
    };
    let on = |backend: Backend| -> Vec<_> { T::kinds(backend).into_iter().map(run).collect() };
    let scalar = on(Backend::Scalar);
    for backend in Backend::available() {
        assert!(on(backend) == scalar, "{}", backend.name());
    }
}

pub fn evaluators_and_ciphertexts_are_shared_between_threads<T: Subject>() {
    fn shared<X: Send + Sync>() {}
    shared::<T::Scheme>();
    shared::<Evaluator<T::Scheme>>();
    shared::<Ciphertext<T::Scheme>>();
}
