//! Linear transforms by every method against plain matrix products, and measured noise against its prediction.

use std::collections::BTreeMap;

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_circuits::linear_transform::{LinearTransform, MatrixError, Method, PreparedTransform, Repeated};
use asanoha_ckks::Complex64;
use asanoha_lattice::{Level, MissingKey};
use asanoha_ring::Backend;
use asanoha_scheme::{
    Ciphertext, Encoder, Encryptor, Evaluator, PlaintextError, Scheme, SchemeError, batching_primes,
};
use num_bigint::BigInt;

use crate::parties::{Party, TestedExact, matrix};

/// The kinds of matrices: their sizes and which entries aren't zero.
type Kind = (&'static str, (usize, usize), fn(usize, usize) -> bool);

const KINDS: [Kind; 12] = [
    ("dense", (16, 16), |_, _| true),
    ("a whole row", (32, 32), |_, _| true),
    ("one entry", (1, 1), |_, _| true),
    ("a row", (1, 32), |_, _| true),
    ("a column", (32, 1), |_, _| true),
    ("wide", (3, 13), |_, _| true),
    ("tall", (21, 5), |_, _| true),
    ("rectangular", (12, 15), |_, _| true),
    ("identity-like", (16, 16), |i, j| i == j),
    ("banded", (16, 16), |i, j| i.abs_diff(j) <= 1),
    ("sparse diagonals", (32, 32), |i, j| matches!((j + 32 - i) % 32, 4 | 12 | 20)),
    ("zero", (16, 8), |_, _| false),
];

/// The product with a ciphertext whose rows hold vectors of a length.
fn apply<S: Scheme>(
    prepared: &PreparedTransform<S>,
    evaluator: &Evaluator<S>,
    v: &Ciphertext<S>,
    length: usize,
) -> Result<Ciphertext<S>, SchemeError> {
    prepared.apply(evaluator, &Repeated::assume(v.clone(), length)).map(Repeated::into_value)
}

#[test]
fn bgv_products_are_exact_by_every_method_within_their_noise() {
    products_are_exact::<Bgv>();
}

#[test]
fn bfv_products_are_exact_by_every_method_within_their_noise() {
    products_are_exact::<Bfv>();
}

fn products_are_exact<S: TestedExact>() {
    for (digits, primes) in [(2, 4), (3, 3), (1, 2)] {
        let mut fixture = Party::<S>::new(64, primes, digits, digits as u64);
        for (name, size, nonzero) in KINDS {
            let entries = matrix(size, nonzero, || fixture.value());
            let transform = LinearTransform::from_rows(&entries).unwrap();
            let vectors = [fixture.vector(size.1), fixture.vector(size.1)];
            let v = fixture.encrypt([&vectors[0], &vectors[1]]);
            let products = vectors.each_ref().map(|v| fixture.product(&entries, v));
            for method in Method::ALL {
                let plan = transform.plan(&fixture.params, v.level(), method).unwrap();
                let evaluator = fixture.evaluator(&plan.rotations());
                let prepared = plan.encode(&fixture.params, ()).unwrap();
                let product = apply(&prepared, &evaluator, &v, size.1).unwrap();
                let slack = fixture.expect(&product, [&products[0], &products[1]], name);
                assert!(slack < 14.0 || !slack.is_finite(), "{name} {method:?}: {slack} bits");
                let lower = evaluator.switch_to(&v, Level(primes - 2)).unwrap();
                if let Ok(product) = apply(&prepared, &evaluator, &lower, size.1) {
                    fixture.expect(&product, [&products[0], &products[1]], name);
                }
            }
        }
    }
}

#[test]
fn plaintext_moduli_of_few_slots_and_of_many_bits_are_as_exact() {
    moduli_are_as_exact::<Bgv>();
    moduli_are_as_exact::<Bfv>();
}

fn moduli_are_as_exact<S: TestedExact>() {
    // 257 has 128 slots of 256; the other has 256 of them and 150 bits.
    let wide = batching_primes(150, 256, 1).remove(0);
    for (t, primes) in [(257u32.into(), 3), (wide, 16)] {
        let mut fixture = Party::<S>::on(Backend::detect().unwrap(), t, 256, (primes, 2), 7);
        for size in [(64, 64), (5, 33)] {
            let entries = matrix(size, |_, _| true, || fixture.value());
            let transform = LinearTransform::from_rows(&entries).unwrap();
            let vectors = [fixture.vector(size.1), fixture.vector(size.1)];
            let v = fixture.encrypt([&vectors[0], &vectors[1]]);
            let plan = transform.plan(&fixture.params, v.level(), Method::BabyGiant).unwrap();
            let evaluator = fixture.evaluator(&plan.rotations());
            let product = apply(&plan.encode(&fixture.params, ()).unwrap(), &evaluator, &v, size.1).unwrap();
            let products = vectors.each_ref().map(|v| fixture.product(&entries, v));
            fixture.expect(&product, [&products[0], &products[1]], "dense");
        }
    }
}

#[test]
fn ckks_products_are_within_their_noise_by_every_method() {
    let mut fixture = Party::with_levels(128, 3, 1);
    for (name, size, nonzero) in KINDS {
        let entries = matrix(size, nonzero, || fixture.complex());
        let transform = LinearTransform::from_rows(&entries).unwrap();
        let vector = fixture.complex_vector(size.1);
        let v = fixture.encrypt_complex(&vector);
        let expected = Party::complex_product(&entries, &vector);
        for method in Method::ALL {
            let plan = transform.plan(&fixture.params, v.level(), method).unwrap();
            let evaluator = fixture.evaluator(&plan.rotations());
            let prime = fixture.params.rlwe().q(v.level()).modulus(v.level().0).value() as f64;
            let prepared = plan.encode(&fixture.params, prime).unwrap();
            let product = apply(&prepared, &evaluator, &v, size.1).unwrap();
            assert_eq!(product.scale(), v.scale() * prime);
            let slack = fixture.expect_complex(&product, &expected, name);
            assert!(slack < 12.0 || !slack.is_finite(), "{name} {method:?}: {slack} bits");
            let rescaled = evaluator.rescale(&product).unwrap();
            assert_eq!(rescaled.scale(), v.scale());
            fixture.expect_complex(&rescaled, &expected, name);
            let lower = evaluator.switch_to(&v, Level(1)).unwrap();
            fixture.expect_complex(&apply(&prepared, &evaluator, &lower, size.1).unwrap(), &expected, name);
        }
    }
}

/// Matrices of these shapes, and their transposes: none is a power of two, and the last is longer than half of a row.
const SHAPES: [(usize, usize); 6] = [(5, 7), (1, 9), (13, 13), (3, 30), (6, 2), (31, 31)];

/// M·v and Mᵀ·(M·v) for v laid out by [`Repeated::slots`].
fn vectors_are_repeated_to_the_slots<S: TestedExact>() {
    let mut fixture = Party::<S>::new(64, 6, 6, 21);
    for size in SHAPES {
        let entries = matrix(size, |_, _| true, || fixture.value());
        let column = |j: usize| entries.iter().map(|row| row[j].clone()).collect::<Vec<BigInt>>();
        let transposed: Vec<Vec<BigInt>> = (0..size.1).map(column).collect();
        let vector = fixture.vector(size.1);
        let slots = Repeated::slots(&vector, &fixture.params).unwrap();
        let (encoder, level) = (Encoder::new(&fixture.params), fixture.params.max_level());
        let v = slots.try_map(|slots| {
            let plain = encoder.encode_integers(&slots, level).unwrap();
            Encryptor::new(&fixture.params).encrypt(&fixture.public, &plain, &mut fixture.sampler)
        });
        let (mut v, mut expected) = (v.unwrap(), vector);
        for rows in [&entries, &transposed] {
            let transform = LinearTransform::from_rows(rows).unwrap();
            let plan = transform.plan(&fixture.params, v.value().level(), Method::BabyGiant).unwrap();
            let evaluator = fixture.evaluator(&plan.rotations());
            let prepared = plan.encode(&fixture.params, ()).unwrap();
            v = prepared.apply(&evaluator, &v).unwrap();
            expected = fixture.product(rows, &expected);
            fixture.expect(v.value(), [&expected, &expected], "repeated");
            assert_eq!(v.length(), rows.len());
            // The product has as many entries as the matrix has rows, and the next takes no other vector.
            if rows.len() != rows[0].len() {
                let refused = prepared.apply(&evaluator, &v).unwrap_err();
                let (expected, found) = (rows[0].len(), rows.len());
                assert_eq!(refused, SchemeError::VectorLength { expected, found });
            }
        }
    }
    let refused = Repeated::slots(&fixture.vector(33), &fixture.params).unwrap_err();
    assert_eq!(refused, MatrixError::TooLarge { block: 64, slots: 32 });
}

#[test]
fn vectors_laid_out_by_their_length_give_exact_products_under_bgv() {
    vectors_are_repeated_to_the_slots::<Bgv>();
}

#[test]
fn vectors_laid_out_by_their_length_give_exact_products_under_bfv() {
    vectors_are_repeated_to_the_slots::<Bfv>();
}

#[test]
fn vectors_laid_out_by_their_length_give_products_within_the_noise_under_ckks() {
    let mut fixture = Party::with_levels(128, 3, 22);
    for size in [(5, 7), (7, 5), (1, 9), (13, 13), (60, 33), (2, 64)] {
        let entries = matrix(size, |_, _| true, || fixture.complex());
        let vector = fixture.complex_vector(size.1);
        let level = fixture.params.max_level();
        let v = Repeated::slots(&vector, &fixture.params).unwrap().try_map(|slots| {
            let plain = asanoha_ckks::Encoder::new(&fixture.params).encode(
                &slots,
                1.0,
                level,
                fixture.params.scale_at(level),
            )?;
            Encryptor::new(&fixture.params).encrypt(&fixture.public, &plain, &mut fixture.sampler)
        });
        let transform = LinearTransform::from_rows(&entries).unwrap();
        let plan = transform.plan(&fixture.params, level, Method::BabyGiant).unwrap();
        let evaluator = fixture.evaluator(&plan.rotations());
        let product = plan.encode(&fixture.params, 2f64.powi(40)).unwrap().apply(&evaluator, &v.unwrap());
        fixture.expect_complex(
            product.unwrap().value(),
            &Party::complex_product(&entries, &vector),
            "repeated",
        );
    }
    let refused = Repeated::slots(&fixture.complex_vector(65), &fixture.params).unwrap_err();
    assert_eq!(refused, MatrixError::TooLarge { block: 128, slots: 64 });
}

#[test]
fn equal_rows_add_their_encoding_errors_up_within_the_noise() {
    let mut fixture = Party::with_levels(128, 2, 2);
    let column = fixture.complex_vector(64);
    let entries: Vec<Vec<Complex64>> = column.iter().map(|&value| vec![value; 64]).collect();
    let transform = LinearTransform::from_rows(&entries).unwrap();
    let vector = vec![Complex64::from(1.0); 64];
    let v = fixture.encrypt_complex(&vector);
    let plan = transform.plan(&fixture.params, v.level(), Method::BabyGiant).unwrap();
    let evaluator = fixture.evaluator(&plan.rotations());
    // A scale so small that the encoding's error is most of the noise.
    let product = apply(&plan.encode(&fixture.params, 16.0).unwrap(), &evaluator, &v, 64).unwrap();
    fixture.expect_complex(&product, &Party::complex_product(&entries, &vector), "equal rows");
}

#[test]
fn every_back_end_computes_the_same_product_of_many_blocks_and_groups() {
    let size = (128, 128);
    let mut results = Vec::new();
    for backend in Backend::available() {
        let mut fixture = Party::<Bgv>::on(backend, 65537u32.into(), 1 << 12, (2, 2), 5);
        let entries = matrix(size, |_, _| true, || fixture.value());
        let vectors = [fixture.vector(size.1), fixture.vector(size.1)];
        let v = fixture.encrypt([&vectors[0], &vectors[1]]);
        let transform = LinearTransform::from_rows(&entries).unwrap();
        let plan = transform.plan(&fixture.params, v.level(), Method::Diagonals).unwrap();
        let evaluator = fixture.evaluator(&plan.rotations());
        let prepared = plan.encode(&fixture.params, ()).unwrap();
        assert_eq!(prepared.bytes(), plan.cost().plaintext_bytes);
        let product = apply(&prepared, &evaluator, &v, size.1).unwrap();
        let expected = vectors.each_ref().map(|v| fixture.product(&entries, v));
        fixture.expect(&product, [&expected[0], &expected[1]], "128 rows");
        results.push(product.rlwe().parts[1].words().to_vec());
    }
    assert!(results.iter().all(|result| *result == results[0]));
}

#[test]
fn diagonals_and_rows_describe_the_same_matrix() {
    let diagonals = BTreeMap::from([(0, vec![1, 2, 3]), (2, vec![4, 0, 5]), (7, vec![0, 6, 7])]);
    // Blocks of eight slots: diagonal 7 is the one below the main diagonal.
    let rows = vec![vec![1, 0, 4, 0, 0], vec![6, 2, 0, 0, 0], vec![0, 7, 3, 0, 5]];
    let transform = LinearTransform::from_diagonals(3, 5, &diagonals).unwrap();
    assert_eq!(transform, LinearTransform::from_rows(&rows).unwrap());
    assert_eq!((transform.outputs(), transform.inputs()), (3, 5));
    assert_eq!((transform.output_block(), transform.input_block()), (4, 8));
}

#[test]
fn matrices_of_wrong_sizes_are_refused() {
    assert_eq!(LinearTransform::<i64>::from_rows(&[]), Err(MatrixError::Empty { outputs: 0, inputs: 0 }));
    assert_eq!(
        LinearTransform::<i64>::from_rows(&[vec![]]),
        Err(MatrixError::Empty { outputs: 1, inputs: 0 })
    );
    assert_eq!(
        LinearTransform::from_rows(&[vec![1, 2], vec![3]]),
        Err(MatrixError::RaggedRow { row: 1, found: 1, expected: 2 })
    );
    let from = |diagonal: usize, entries: &[i64]| {
        LinearTransform::from_diagonals(2, 3, &BTreeMap::from([(diagonal, entries.to_vec())]))
    };
    assert_eq!(from(4, &[1, 1]), Err(MatrixError::NoSuchDiagonal { diagonal: 4, block: 4 }));
    assert_eq!(from(1, &[1]), Err(MatrixError::DiagonalLength { diagonal: 1, found: 1, expected: 2 }));
    let error = from(2, &[1, 1]).unwrap_err();
    assert_eq!(error, MatrixError::NoSuchColumn { diagonal: 2, row: 1, column: 3, inputs: 3 });
    assert!(error.to_string().contains("column 3, and the matrix has 3"), "{error}");
    assert!(from(2, &[1, 0]).is_ok());

    let fixture = Party::<Bgv>::new(64, 2, 2, 3);
    let wide = LinearTransform::from_rows(&[vec![1; 33]]).unwrap();
    let error = wide.plan(&fixture.params, Level(0), Method::OneKey).unwrap_err();
    assert_eq!(error, MatrixError::TooLarge { block: 64, slots: 32 });
    let error = LinearTransform::from_rows(&[vec![1; 32]])
        .unwrap()
        .plan(&fixture.params, Level(2), Method::OneKey)
        .unwrap_err();
    assert_eq!(error, MatrixError::LevelTooHigh { asked: 2, highest: 1 });
}

#[test]
fn missing_keys_are_named_and_levels_and_noise_that_dont_fit_are_refused() {
    let mut fixture = Party::<Bgv>::new(64, 2, 2, 4);
    let entries = matrix((16, 16), |_, _| true, || fixture.value());
    let transform = LinearTransform::from_rows(&entries).unwrap();
    let values = fixture.vector(16);
    let v = fixture.encrypt([&values, &values]);
    for method in Method::ALL {
        let plan = transform.plan(&fixture.params, Level(1), method).unwrap();
        let mut rotations = plan.rotations();
        let rotation = rotations.pop().unwrap();
        let evaluator = fixture.evaluator(&rotations);
        let error = apply(&plan.encode(&fixture.params, ()).unwrap(), &evaluator, &v, 16).unwrap_err();
        let missing = MissingKey::Rotation { rotation, swapped: false, present: rotations };
        assert_eq!(error, SchemeError::MissingKey(missing), "{method:?}");
    }

    let plan = transform.plan(&fixture.params, Level(0), Method::OneKey).unwrap();
    let evaluator = fixture.evaluator(&plan.rotations());
    let prepared = plan.encode(&fixture.params, ()).unwrap();
    let error = apply(&prepared, &evaluator, &v, 16).unwrap_err();
    assert_eq!(error, SchemeError::LevelTooHigh { asked: 1, highest: 0 });
    let low = evaluator.switch_to(&v, Level(0)).unwrap();
    let error = apply(&prepared, &evaluator, &low, 16).unwrap_err();
    assert!(matches!(error, SchemeError::OutOfModulus { level: 0, .. }), "{error}");

    let beyond = LinearTransform::from_rows(&[vec![40000]]).unwrap();
    let error = beyond.plan(&fixture.params, Level(0), Method::OneKey).unwrap().encode(&fixture.params, ());
    assert!(matches!(
        error.unwrap_err(),
        SchemeError::Plaintext(PlaintextError::ValueOutOfRange { index: 0, .. })
    ));

    let fixture = Party::with_levels(64, 1, 5);
    let encode = |entry: f64, scale: f64| {
        let transform = LinearTransform::from_rows(&[vec![entry]]).unwrap();
        let plan = transform.plan(&fixture.params, Level(0), Method::BabyGiant).unwrap();
        plan.encode(&fixture.params, scale).unwrap_err()
    };
    assert!(matches!(encode(f64::NAN, 1.0), SchemeError::NotFinite { .. }));
    assert!(matches!(encode(1.0, -1.0), SchemeError::InvalidScale { .. }));
    assert!(matches!(encode(1.0, 1e30), SchemeError::BoundTooLarge { .. }));
}

#[test]
fn costs_are_those_of_the_methods() {
    let fixture = Party::<Bgv>::new(64, 2, 2, 6);
    let transform = LinearTransform::from_rows(&vec![vec![1; 32]; 32]).unwrap();
    let cost = |method| transform.plan(&fixture.params, Level(1), method).unwrap().cost();
    let [fast, diagonals, two, one] = Method::ALL.map(cost);
    assert!(Method::ALL.iter().all(|&method| cost(method).plain_products == 32));
    assert_eq!((diagonals.keys, diagonals.decompositions, diagonals.mod_downs), (31, 1, 2));
    assert_eq!((one.keys, one.key_switches, one.mod_downs), (1, 31, 62));
    assert_eq!((two.keys, two.decompositions), (2, two.key_switches));
    assert!(fast.keys < 16 && fast.key_switches == fast.keys && fast.mod_downs < 16);
    assert!(fast.word_products < two.word_products && two.word_products < one.word_products);
    assert!(fast.word_products <= diagonals.word_products);
    assert_eq!(one.key_bytes, fixture.params.rlwe().key_bytes(fixture.params.rlwe().max_level()));
    // A wide matrix adds the rotations that fold its partial sums.
    let wide = LinearTransform::from_rows(&[vec![1; 32], vec![2; 32]]).unwrap();
    let plan = wide.plan(&fixture.params, Level(1), Method::OneKey).unwrap();
    assert_eq!((plan.rotations(), plan.cost().key_switches), (vec![1, 2, 4, 8, 16], 1 + 4));
}
