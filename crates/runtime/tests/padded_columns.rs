//! Columns of fewer rows than slots: constants reach the slots behind the rows as well, and none of that may spoil a
//! result or have its decryption refused.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Schema, read_csv},
    execute::{self, Decrypted},
    plan::{PlanOptions, SchemeName, choose},
    precision::Precision,
    program::Program,
};
use num_rational::BigRational;

const ROWS: usize = 3;
const DATA: &str = "x,z,w\n1,10,-4\n-2,20,0\n30,-7,5\n";

/// Programs of every form that puts a constant into all slots, with their results row by row.
const PROGRAMS: [(&str, [i64; ROWS]); 9] = [
    ("y = x + 5", [6, 3, 35]),
    ("y = x * 3 + 40", [43, 34, 130]),
    ("y = x * x + 7", [8, 11, 907]),
    ("y = (x + 5) * (x - 2)", [-6, -12, 980]),
    ("y = (x * x + 7) * (x * x + 7) - 1", [63, 120, 822_648]),
    ("y = x * 3 + z + 40", [53, 54, 123]),
    ("y = (x + 1) * (z + 2) + 11", [35, -11, -144]),
    ("y = 2 * x * z - 3 * w + 100", [132, 20, -335]),
    ("y = (x + 1) * (z + 2) * (w + 3) + 9", [-15, -57, -1231]),
];

fn run(text: &str, scheme: SchemeName) -> Decrypted {
    let program = Program::parse(text).unwrap();
    let table = read_csv(DATA.as_bytes(), "padded.csv", program.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = PlanOptions {
        scheme: Some(scheme),
        security: 0,
        precision: Precision::Relative { bits: 20 },
        backend: Backend::detect().unwrap(),
        threads: 2,
        every_scheme: false,
        ..PlanOptions::default()
    };
    let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
    assert_eq!(plan.params.scheme(), scheme);
    let mut sampler = Sampler::new(&Seed([3; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, &table, &mut sampler).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    execute::decrypt(&plan, keys.secret.as_ref().unwrap(), &outputs, &secrets)
        .unwrap_or_else(|error| panic!("{text} in {scheme:?}: {error}"))
}

fn assert_exact(scheme: SchemeName) {
    for (text, expected) in PROGRAMS {
        let decrypted = run(text, scheme);
        let exact = decrypted.exact.unwrap();
        assert_eq!(exact.len(), 1);
        let expected = expected.map(|value| BigRational::from_integer(value.into()));
        assert_eq!(exact[0].1.as_slice(), expected, "{text} in {scheme:?}");
        assert!(decrypted.noise.budget_bits > 0.0);
    }
}

#[test]
fn constants_added_to_three_rows_are_exact_in_bgv() {
    assert_exact(SchemeName::Bgv);
}

#[test]
fn constants_added_to_three_rows_are_exact_in_bfv() {
    assert_exact(SchemeName::Bfv);
}

#[test]
fn constants_added_to_three_rows_are_precise_in_ckks() {
    for (text, expected) in PROGRAMS {
        let decrypted = run(text, SchemeName::Ckks);
        let found = decrypted.outputs[0].1.as_slice();
        assert_eq!(found.len(), ROWS);
        // Precision is asked for relative to the output's largest value.
        let largest = expected.map(|value| value.abs() as f64).into_iter().fold(1.0, f64::max);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected as f64).abs() <= largest * 2f64.powi(-18), "{text}: {found}");
        }
    }
}
