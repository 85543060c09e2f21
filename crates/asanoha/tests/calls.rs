//! The library's calls as people type them, and what `depth` promises.
// References are what people type, also where a value would do.
#![allow(clippy::needless_borrows_for_generic_args)]

use asanoha::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn bgv(depth: usize) -> Result<Bgv, Box<dyn std::error::Error>> {
    Ok(Bgv::parameters().depth(depth).plaintext_modulus(65537).slots(8).build()?)
}

#[test]
fn twelve_lines_as_people_type_them() -> Outcome {
    let params = bgv(3)?;
    let (secret, public) = params.generate_keys();
    let keys = secret.evaluation_keys().relinearise().sum_all().rotate_all([1]).build()?;
    let e = params.evaluator(keys);
    let first = |c: &BgvCiphertext| -> Result<i64, SchemeError> { Ok(secret.decrypt(c)?[0]) };

    let a = public.encrypt(&vec![3u64, 5])?;
    let seven = public.encrypt(7i64)?;
    assert_eq!(secret.decrypt(&e.add(&a, &seven)?)?[..3], [10, 12, 7]);
    assert_eq!(first(&(&a + &a)?)?, 6);
    assert_eq!(first(&(&a - &seven)?)?, -4);
    assert_eq!(first(&-&a)?, -3);
    let five = params.encode(&[5])?;
    assert_eq!(secret.decrypt(&e.mul_plain(&a, &five)?)?[..2], [15, 0]);
    assert_eq!(secret.decrypt(&e.multiply_by(&a, &[2, -1])?)?[..3], [6, -5, 0]);
    assert_eq!(secret.decrypt(&e.multiply_by(&a, 4)?)?[..3], [12, 20, 0]);
    assert_eq!(first(&e.mul_constant(&a, -9)?)?, -27);
    assert_eq!(first(&e.power(&a, 4)?)?, 81);
    let all = vec![a.clone(), seven.clone(), e.square(&a)?];
    assert_eq!(first(&e.add_many(&all)?)?, 3 + 7 + 9);
    assert_eq!(first(&e.multiply_many(&[&a, &seven, &a])?)?, 63);
    assert_eq!(first(&e.sum_all(&a)?)?, 8);
    assert_eq!(secret.decrypt(&e.rotate_all(&a, 1)?)?[..2], [5, 0]);
    assert_eq!(secret.decrypt(&e.add_values(&e.square(&a)?, &[1u8, 2])?)?[..3], [10, 27, 0]);

    let params = Ckks::parameters().depth(2).precision_bits(20).slots(8).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().sum_all().build()?);
    let floats: Vec<f32> = vec![0.5, -0.25];
    let x = public.encrypt(&floats)?;
    let near = |c: &CkksCiphertext, expected: &[f64]| -> Outcome {
        for (found, expected) in secret.decrypt(c)?.iter().zip(expected) {
            assert!(
                (found - expected).abs() <= c.error_bound() && c.error_bound() < 1e-4,
                "{found} {expected}"
            );
        }
        Ok(())
    };
    near(&e.mul_constant(&x, 0.3)?, &[0.15, -0.075])?;
    near(&e.mul_constant(&x, 3)?, &[1.5, -0.75, 0.0])?;
    near(&e.add(&e.square(&x)?, &x)?, &[0.75, -0.1875])?;
    near(&e.multiply_by(&e.square(&x)?, &[0.5, 2.0])?, &[0.125, 0.125, 0.0])?;
    near(&e.add_values(&e.square(&x)?, 0.125)?, &[0.375, 0.1875, 0.125])?;
    near(&e.mul_plain(&x, &params.encode(&[1, 4])?)?, &[0.5, -1.0, 0.0])?;
    let sum = e.sum_all(&x)?;
    assert!((secret.decrypt(&sum)?[1] - 0.25).abs() < 1e-4 && sum.error_bound() < 0.1);
    near(&public.encrypt(0.5)?, &[0.5; 4])?;
    near(&public.encrypt(&[1i64, -1])?, &[1.0, -1.0])?;
    Ok(())
}

#[test]
fn numbers_that_do_not_fit_are_refused_whatever_their_type() -> Outcome {
    let params = bgv(1)?;
    let (_, public) = params.generate_keys();
    let e = params.evaluator(EvaluationKeys::default());
    // 40,000 would be read as −25,537.
    for refused in [
        public.encrypt(&[1, 40_000u64]),
        public.encrypt(&[1, u64::MAX]),
        public.encrypt(40_000),
        public.encrypt(&[1, -40_000i32]),
        e.add_values(&public.encrypt(1)?, &[0, 32_769u16]),
    ] {
        let message = refused.expect_err("it's out of range").to_string();
        assert!(message.contains("-32768 to 32768"), "{message}");
    }
    assert!(public.encrypt(&[BigUint::from(40_000u32)]).is_ok());
    let empty: [BgvCiphertext; 0] = [];
    assert_eq!(e.add_many(&empty).unwrap_err(), SchemeError::NoOperands);
    assert_eq!(e.multiply_many(&empty).unwrap_err(), SchemeError::NoOperands);
    assert_eq!(e.power(&public.encrypt(2)?, 0).unwrap_err(), SchemeError::NoOperands);
    let params = Ckks::parameters().depth(0).build()?;
    let (_, public) = params.generate_keys();
    let public = public.with_bound(1e18);
    let message = public.encrypt(&[1, (1i64 << 53) + 1]).unwrap_err().to_string();
    assert!(message.contains("index 1") && message.contains("53 bits"), "{message}");
    assert!(public.encrypt(&[1.0, f64::NAN]).is_err());
    Ok(())
}

/// What a message tells to do helps.
#[test]
fn messages_name_the_call_that_helps() -> Outcome {
    fn told<T>(result: Result<T, SchemeError>, remedy: &str) {
        let message = result.err().expect("it's refused").to_string();
        assert!(message.contains(remedy) && !message.contains("1099511627776"), "{message}");
    }
    let params = Ckks::parameters().depth(2).precision_bits(20).headroom_bits(4).slots(4).build()?;
    let (secret, public) = params.generate_keys();
    let bare = params.evaluator(EvaluationKeys::default());
    let e = params.evaluator(secret.evaluation_keys().relinearise().rotate([1]).swap_rows().build()?);
    let x = public.encrypt([0.5, -0.25])?;
    let square = e.square(&x)?;
    told(e.add_exact(&x, &square), "adjust_to");
    e.add_exact(&e.adjust_to(&x, square.level())?, &square)?;
    told(e.multiply_exact(&x, &square), "without \"exact\"");
    let other_scale = e.switch_to(&x, square.level())?;
    told(e.add_exact(&other_scale, &square), "adjust_to");
    let message = e.add_exact(&other_scale, &square).unwrap_err().to_string();
    let scales: Vec<&str> = message.split("2^").skip(1).collect();
    assert!(scales.len() < 2 || scales[0][..4] != scales[1][..4], "{message}");
    told(bare.square(&x), "relinearise()");
    told(bare.rotate(&x, 1), "rotate([1])");
    told(bare.swap_rows(&x), "swap_rows()");
    told(e.square(&e.multiply_without_relinearise(&x, &x)?), "relinearise");
    told(e.square(&e.square(&square)?), "depth()");
    told(public.encrypt([2.5]), "with_bound");
    public.with_bound(2.5).encrypt([2.5])?;
    told(public.encrypt(vec![0.0; params.slots() + 1]), "slots()");
    told(public.with_bound(1e30).encrypt([1.0]), "headroom_bits()");

    // A sum of many, whose bound outgrows what the last level holds, though the values stay small.
    let last = e.square(&square)?;
    let mut sum = last.clone();
    let full = loop {
        match e.add(&sum, &sum) {
            Ok(twice) => sum = twice,
            Err(error) => break error.to_string(),
        }
    };
    assert!(full.contains("narrow_bound") && full.contains("headroom_bits()"), "{full}");
    let narrow = sum.narrow_bound(0.01)?;
    e.add(&narrow, &narrow)?;
    told(e.mul_constant_exact(&last, (f64::MAX, f64::MAX)), "more than any modulus");

    let depth = Ckks::parameters().depth(20).precision_bits(30).build().unwrap_err().to_string();
    assert!(depth.contains("scale") && !depth.contains("security"), "{depth}");
    let depth = Bgv::parameters().depth(200).plaintext_modulus(65537).build().unwrap_err().to_string();
    assert!(depth.contains("128-bit security"), "{depth}");
    Ok(())
}

/// Deterministic choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

/// `depth` products in a row, of kinds that are drawn: with a fresh ciphertext on either side, squares, products of two results of
/// the same depth, with a plaintext, with numbers, with a constant, and sums between them.
macro_rules! chain {
    ($params:expr, $depth:expr, $seed:expr, $draw:expr, $check:expr) => {{
        let (params, mut choices) = ($params, Choices($seed));
        let (secret, public) = params.generate_keys();
        let e = params.evaluator(secret.evaluation_keys().relinearise().build()?);
        let mut draw = || [(); 8].map(|()| ($draw)(&mut choices));
        let ((x, y), mut kinds) = ((draw(), draw()), Choices($seed ^ 77));
        let (fresh, plain) = (public.encrypt(&x)?, y);
        let (mut value, mut known) = (fresh.clone(), x);
        let mut told = Vec::new();
        for _ in 0..$depth {
            let kind = kinds.below(7);
            told.push(kind);
            let product = match kind {
                0 => e.multiply(&value, &fresh)?,
                1 => e.multiply(&fresh, &value)?,
                2 => e.square(&value)?,
                3 => e.multiply(&value, &value.clone())?,
                4 => e.mul_plain(&value, &params.encode(&plain)?)?,
                5 => e.multiply_by(&value, &plain)?,
                _ => e.mul_constant(&value, plain[0])?,
            };
            let times = |slot: usize| match kind {
                0 | 1 => x[slot],
                2 | 3 => known[slot],
                4 | 5 => plain[slot],
                _ => plain[0],
            };
            known = std::array::from_fn(|slot| known[slot] * times(slot));
            ($check)(&secret.decrypt(&product)?[..8], &mut known, &product, &told);
            value = product;
        }
    }};
}

fn exact(found: &[i64], known: &mut [i64; 8], told: &[u64]) {
    known.iter_mut().for_each(|known| *known = (*known + 32768).rem_euclid(65537) - 32768);
    assert_eq!(found, known, "{told:?}");
}

const DEEPEST: usize = 4;
const CHAINS: u64 = 3;

#[test]
fn bgv_of_depth_n_holds_n_products_of_any_kind() -> Outcome {
    bgv_chains(CHAINS)
}

fn bgv_chains(chains: u64) -> Outcome {
    for depth in 1..=DEEPEST {
        let params = bgv(depth)?;
        for seed in 0..chains {
            let draw = |choices: &mut Choices| choices.below(65537) as i64 - 32768;
            chain!(&params, depth, seed, draw, |found: &[i64], known: &mut [i64; 8], _: &_, told: &[u64]| {
                exact(found, known, told);
            });
        }
    }
    Ok(())
}

#[test]
fn bfv_of_depth_n_holds_n_products_of_any_kind() -> Outcome {
    bfv_chains(CHAINS)
}

fn bfv_chains(chains: u64) -> Outcome {
    for depth in 1..=DEEPEST {
        let params = Bfv::parameters().depth(depth).plaintext_modulus(65537).slots(8).build()?;
        for seed in 0..chains {
            let draw = |choices: &mut Choices| choices.below(65537) as i64 - 32768;
            chain!(&params, depth, seed, draw, |found: &[i64], known: &mut [i64; 8], _: &_, told: &[u64]| {
                exact(found, known, told);
            });
        }
    }
    Ok(())
}

#[test]
fn ckks_of_depth_n_holds_n_products_of_any_kind() -> Outcome {
    ckks_chains(CHAINS)
}

fn ckks_chains(chains: u64) -> Outcome {
    // From depth 8 on scales fall from level to level.
    for depth in (1..=DEEPEST).chain([8]) {
        let params = Ckks::parameters().depth(depth).precision_bits(20).slots(8).build()?;
        for seed in 0..chains {
            let draw = |choices: &mut Choices| choices.below(2001) as f64 / 1000.0 - 1.0;
            let check = |found: &[f64], known: &mut [f64; 8], product: &CkksCiphertext, told: &[u64]| {
                assert!(product.error_bound() < 1e-4, "{told:?} {}", product.error_bound());
                for (found, known) in found.iter().zip(known) {
                    assert!((found - *known).abs() <= product.error_bound(), "{told:?} {found} {known}");
                }
            };
            chain!(&params, depth, seed, draw, check);
        }
    }
    Ok(())
}

#[test]
#[ignore = "slow"]
fn many_chains_of_products_are_right_in_every_scheme() -> Outcome {
    bgv_chains(24)?;
    bfv_chains(24)?;
    ckks_chains(24)
}

/// The sum and the rotations of all slots, beside those of a vector in plain, with offsets of any size and sign.
#[test]
fn all_slots_are_one_vector() -> Outcome {
    let params = bgv(1)?;
    let (secret, public) = params.generate_keys();
    let slots = params.slots() as i64;
    let row = params.row_slots().expect("there are slots") as i64;
    let x: Vec<i64> = (0..slots).map(|slot| slot * slot % 211 - 100).collect();
    let places = [0, 1, -1, row - 1, row, row + 1, slots - 1, slots, -slots - 3, 5 * slots + row + 7];
    let keys = secret.evaluation_keys().rotate_all(places).sum_all().build()?;
    let e = params.evaluator(keys);
    let a = public.encrypt(&x)?;
    for places in places {
        let rotated: Vec<i64> =
            (0..slots).map(|slot| x[(slot + places).rem_euclid(slots) as usize]).collect();
        assert!(secret.decrypt(&e.rotate_all(&a, places)?)? == rotated, "{places}");
    }
    let sum = (x.iter().sum::<i64>() + 32768).rem_euclid(65537) - 32768;
    assert!(secret.decrypt(&e.sum_all(&a)?)?.iter().all(|&slot| slot == sum));
    Ok(())
}

/// Sums of values of other levels and scales, in both orders, in place, and by operators.
#[test]
fn sums_of_values_of_different_depths_are_aligned() -> Outcome {
    let params = Ckks::parameters().depth(3).precision_bits(20).slots(4).build()?;
    let (secret, public) = params.generate_keys();
    let e = params.evaluator(secret.evaluation_keys().relinearise().build()?);
    let x = public.encrypt([0.5, -0.75])?;
    let square = e.square(&x)?;
    let odd = e.mul_plain(&square, &params.encode([0.9, 0.1])?)?;
    let mut in_place = odd.clone();
    e.add_assign(&mut in_place, &x)?;
    let mut taken = x.clone();
    e.sub_assign(&mut taken, &odd)?;
    let values = [0.25 * 0.9, 0.5625 * 0.1];
    let near = |c: &CkksCiphertext, expected: [f64; 2]| -> Outcome {
        for (found, expected) in secret.decrypt(c)?.iter().zip(expected) {
            assert!((found - expected).abs() <= c.error_bound() && c.error_bound() < 1e-4);
        }
        Ok(())
    };
    let sum = [values[0] + 0.5, values[1] - 0.75];
    for found in [in_place, e.add(&odd, &x)?, e.add(&x, &odd)?, (&odd + &x)?, e.add_many(&[&x, &odd])?] {
        near(&found, sum)?;
    }
    for found in [taken, e.sub(&x, &odd)?, (&x - &odd)?] {
        near(&found, [0.5 - values[0], -0.75 - values[1]])?;
    }
    Ok(())
}
