//! The transform between slots and coefficients against its definition and against one layer after another; coefficients as
//! doubles against big integers.

use std::f64::consts::{PI, TAU};

use asanoha_kernels::{Backend, Modulus, SlotTable, primes_congruent_to_one};
use proptest::prelude::*;

type Parts = [Vec<f64>; 2];

fn random(slots: usize, seed: u64) -> Parts {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut real = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * ((state % 40) as f64).exp2()
    };
    [(); 2].map(|()| (0..slots).map(|_| real()).collect())
}

fn to_slots(backend: Backend, from: &Parts, table: &SlotTable) -> Parts {
    let mut to = [(); 2].map(|()| vec![f64::NAN; table.slots()]);
    let from = from.each_ref().map(|part| &part[..]);
    (backend.kernels(0).to_slots)(from, to.each_mut().map(|part| &mut part[..]), table);
    to
}

fn to_coefficients(backend: Backend, from: &Parts, table: &SlotTable) -> Parts {
    let (mut from, mut to) = (from.clone(), [(); 2].map(|()| vec![f64::NAN; table.slots()]));
    (backend.kernels(0).to_coefficients)(
        from.each_mut().map(|part| &mut part[..]),
        to.each_mut().map(|part| &mut part[..]),
        table,
    );
    to
}

/// exp(2πi·(5^j mod 8h)/8h) for j < h, with the angle taken from [0, π/4].
fn roots_of(half: usize) -> Vec<[f64; 2]> {
    let order = 8 * half;
    let root = |exponent: usize| {
        let (octant, rest) = (exponent / half, exponent % half);
        let from_axis = if octant.is_multiple_of(2) { rest } else { half - rest };
        let (sin, cos) = libm::sincos(TAU * (from_axis as f64 / order as f64));
        match octant {
            0 => [cos, sin],
            1 => [sin, cos],
            2 => [-sin, cos],
            3 => [-cos, sin],
            4 => [-cos, -sin],
            5 => [-sin, -cos],
            6 => [sin, -cos],
            _ => [cos, -sin],
        }
    };
    std::iter::successors(Some(1), |power| Some(5 * power % order)).take(half).map(root).collect()
}

fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

/// The slots of numbers in bit-reversed order, layer after layer.
fn layers(values: &mut [[f64; 2]], roots: &impl Fn(usize, usize) -> [f64; 2]) {
    let half = values.len() / 2;
    if half == 0 {
        return;
    }
    let (lower, upper) = values.split_at_mut(half);
    layers(lower, roots);
    layers(upper, roots);
    for (j, (x, y)) in lower.iter_mut().zip(upper).enumerate() {
        let product = times(*y, roots(half, j));
        (*x, *y) = ([x[0] + product[0], x[1] + product[1]], [x[0] - product[0], x[1] - product[1]]);
    }
}

/// As [`layers`], back.
fn layers_back(values: &mut [[f64; 2]], roots: &impl Fn(usize, usize) -> [f64; 2]) {
    let half = values.len() / 2;
    if half == 0 {
        return;
    }
    let (lower, upper) = values.split_at_mut(half);
    for (j, (x, y)) in lower.iter_mut().zip(&mut *upper).enumerate() {
        let [re, im] = roots(half, j);
        let difference = [x[0] - y[0], x[1] - y[1]];
        (*x, *y) = ([x[0] + y[0], x[1] + y[1]], times(difference, [re, -im]));
    }
    layers_back(lower, roots);
    layers_back(upper, roots);
}

fn reversed(values: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let bits = values.len().trailing_zeros();
    let source = |i: usize| i.reverse_bits().unbounded_shr(usize::BITS - bits);
    (0..values.len()).map(|i| values[source(i)]).collect()
}

fn numbers([re, im]: &Parts) -> Vec<[f64; 2]> {
    re.iter().zip(im).map(|(&re, &im)| [re, im]).collect()
}

fn bits(values: &[[f64; 2]]) -> Vec<[u64; 2]> {
    values.iter().map(|value| value.map(f64::to_bits)).collect()
}

#[test]
fn transform_evaluates_at_powers_of_five() {
    for log2_slots in 0..9 {
        let slots = 1 << log2_slots;
        let n = 2 * slots;
        println!("seed {log2_slots}");
        let packed: Parts = random(slots, log2_slots).map(|part| part.iter().map(|x| x.fract()).collect());
        for backend in Backend::available() {
            let values = to_slots(backend, &packed, &SlotTable::new(slots));
            let mut exponent = 1;
            for value in numbers(&values) {
                let mut naive = [0.0; 2];
                for (k, number) in numbers(&packed).into_iter().enumerate() {
                    let angle = PI * (exponent * k % (2 * n)) as f64 / n as f64;
                    let term = times(number, [angle.cos(), angle.sin()]);
                    naive = [naive[0] + term[0], naive[1] + term[1]];
                }
                assert!((naive[0] - value[0]).hypot(naive[1] - value[1]) < 1e-12 * slots as f64);
                exponent = exponent * 5 % (2 * n);
            }
        }
    }
}

#[test]
fn all_back_ends_give_the_bits_of_one_layer_after_another() {
    for log2_slots in 0..14 {
        let slots = 1 << log2_slots;
        println!("seed {log2_slots}");
        let (table, from) = (SlotTable::new(slots), random(slots, 1 << 20 | log2_slots));
        let all: Vec<Vec<[f64; 2]>> = (0..log2_slots).map(|layer| roots_of(1 << layer)).collect();
        let roots = |half: usize, j: usize| all[half.trailing_zeros() as usize][j];
        let mut slots_expected = reversed(&numbers(&from));
        layers(&mut slots_expected, &roots);
        let mut coefficients = numbers(&from);
        layers_back(&mut coefficients, &roots);
        let inverse = 1.0 / slots as f64;
        let coefficients: Vec<_> =
            reversed(&coefficients).iter().map(|c| c.map(|part| part * inverse)).collect();
        for backend in Backend::available() {
            let name = backend.name();
            assert_eq!(bits(&numbers(&to_slots(backend, &from, &table))), bits(&slots_expected), "{name}");
            assert_eq!(
                bits(&numbers(&to_coefficients(backend, &from, &table))),
                bits(&coefficients),
                "{name}"
            );
        }
    }
}

#[test]
fn the_bits_are_the_same_on_every_platform() {
    let from = random(1 << 13, 7);
    for backend in Backend::available() {
        let found = bits(&numbers(&to_coefficients(backend, &from, &SlotTable::new(1 << 13))));
        let digest = found.iter().flatten().fold(0u64, |digest, bits| digest.rotate_left(7) ^ bits);
        assert_eq!(format!("{digest:016x}"), "6f7e4f50ae51ede1", "{}", backend.name());
    }
}

#[test]
fn roundtrip_loses_less_than_eight_bits_at_the_largest_ring() {
    for slots in [1 << 5, 1 << 11, 1 << 15, 1 << 16] {
        println!("seed {slots}");
        let values = random(slots, slots as u64).map(|part| part.iter().map(|x| x.fract()).collect());
        let table = SlotTable::new(slots);
        for backend in Backend::available() {
            let image = to_slots(backend, &to_coefficients(backend, &values, &table), &table);
            let pairs = numbers(&values).into_iter().zip(numbers(&image));
            let error = pairs.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max);
            assert!(error < 2f64.powi(-45), "{error:e}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Also next to ±q₀·q₁/2, where the sign changes.
    #[test]
    fn numbers_of_two_digits_are_rounded_once(
        widths in [4u32..=61, 4u32..=61],
        near_half in any::<bool>(),
        draws in proptest::collection::vec(any::<[u64; 2]>(), 1..40),
    ) {
        let prime = |bits| primes_congruent_to_one(bits, 2, 1, &[]).unwrap()[0];
        let primes @ [q0, q1] = widths.map(prime);
        for q in primes {
            prop_assert!(Modulus::new(q).is_ok());
        }
        let half = [(q0 - 1) / 2, (q1 - 1) / 2];
        let digit = |draw: u64, q: u64, half: u64| if near_half { (half + draw % 3).saturating_sub(1).min(q - 1) } else { draw % q };
        let low: Vec<u64> = draws.iter().map(|draw| digit(draw[0], q0, half[0])).collect();
        let digits: Vec<u64> = draws.iter().map(|draw| digit(draw[1], q1, half[1])).collect();
        let product = i128::from(q0) * i128::from(q1);
        let expected: Vec<f64> = low
            .iter()
            .zip(&digits)
            .map(|(&low, &digit)| {
                let x = i128::from(low) + i128::from(q0) * i128::from(digit);
                (if 2 * x > product { x - product } else { x }) as f64
            })
            .collect();
        for backend in Backend::available() {
            let mut found = vec![f64::NAN; low.len()];
            (backend.kernels(widths[0].max(widths[1])).to_floats)(&mut found, &low, &digits, primes);
            prop_assert_eq!(&found, &expected);
        }
    }
}
