//! Whole numbers beyond words, run encrypted in both exact schemes.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table, read_csv},
    execute::{self, Contents, Encrypted},
    plan::{Plan, PlanOptions, PlanningError, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::{Program, evaluate_exact},
    search::GenerateError,
};
use num_bigint::BigInt;

fn options(scheme: SchemeName) -> PlanOptions {
    let backend = Backend::detect().unwrap();
    PlanOptions {
        scheme: Some(scheme),
        security: 128,
        precision: Precision::Relative { bits: 20 },
        backend,
        threads: 2,
        ..PlanOptions::default()
    }
}

/// Rows of two columns of numbers of so many bits, the first positive, in either base.
fn table(bits: u32) -> Table {
    let top = BigInt::from(1) << bits;
    let row = |i: u32| {
        let (a, b) = (&top / (i + 3) * 2, BigInt::from(i) - &top / (2 * i + 1));
        if i.is_multiple_of(2) { format!("{a},{b}\n") } else { format!("0x{a:x},{b}\n") }
    };
    let text = format!("a,b\n{}", (0..7).map(row).collect::<String>());
    read_csv(text.as_bytes(), "d.csv", &["a", "b"]).unwrap()
}

fn plan(text: &str, table: &Table, scheme: SchemeName) -> Result<Plan, PlanningError> {
    let schema = Schema::from_table(table, &[]).unwrap();
    choose(&Program::parse(text).unwrap(), &schema, &options(scheme))?.into_plan(&options(scheme))
}

fn assert_exact(text: &str, table: &Table, scheme: SchemeName) -> Plan {
    let plan = plan(text, table, scheme).unwrap();
    assert_eq!(plan.params.scheme(), scheme);
    let mut sampler = Sampler::new(&Seed([5; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, table, &mut sampler).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    let secret = keys.secret.as_ref().unwrap();
    let decrypted = execute::decrypt(&plan, secret, &outputs, &secrets).unwrap();
    let expected = evaluate_exact(&plan.program, table).unwrap().unwrap();
    assert_eq!(decrypted.exact.unwrap(), expected, "{text}");
    let measured = execute::measure_noise(&plan, secret, &outputs, &secrets, table).unwrap();
    assert!(measured <= decrypted.noise.predicted_bits);
    plan
}

const TEXT: &str = "d = a - b + 0x1_0000_0000_0000_0000_0000\np = a * b - 340282366920938463463374607431768211456\ns = sum(a * b)\nm = mean(b)\nh = b / 3";

#[test]
fn values_of_128_and_300_bits_are_exact_in_both_schemes() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        for bits in [128, 300] {
            let plan = assert_exact(TEXT, &table(bits), scheme);
            let t = plan.params.plaintext_modulus().unwrap().bits();
            match plan.params.slots() {
                1 => assert_eq!((scheme, t), (SchemeName::Bfv, plan.params.ring_degree() as u64 + 1)),
                _ => assert!((u64::from(2 * bits)..u64::from(2 * bits + 16)).contains(&t), "{t}"),
            }
        }
    }
}

#[test]
fn a_level_of_a_wide_modulus_drops_several_primes() {
    let plan = assert_exact("y = (a * b) * (a + b)", &table(128), SchemeName::Bgv);
    let levels: Vec<usize> = plan.circuit.steps.iter().map(|step| step.level.0).collect();
    let largest_drop = levels.windows(2).map(|pair| pair[0].saturating_sub(pair[1])).max().unwrap();
    assert!(largest_drop > 1, "{levels:?}");
}

#[test]
fn plans_and_ciphertexts_of_wide_values_survive_files() {
    let (folder, table) = (tempfile::tempdir().unwrap(), table(1030));
    let path = |name: &str| folder.path().join(name);
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        // The bounds of values of 1030 bits aren't doubles any more.
        plan("y = a + b", &table, scheme).unwrap().write(&path("plan")).unwrap();
        let plan = Plan::read(&path("plan"), SecurityCheck::Required, Backend::detect().unwrap()).unwrap();
        let mut sampler = Sampler::new(&Seed([6; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        let (inputs, secrets) = execute::encrypt(&plan, &keys.public, &table, &mut sampler).unwrap();
        inputs.write(&plan, Contents::Inputs, &path("in")).unwrap();
        let inputs = Encrypted::read(&plan, Contents::Inputs, &path("in")).unwrap();
        let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
        outputs.write(&plan, Contents::Outputs, &path("out")).unwrap();
        let outputs = Encrypted::read(&plan, Contents::Outputs, &path("out")).unwrap();
        let decrypted = execute::decrypt(&plan, keys.secret.as_ref().unwrap(), &outputs, &secrets).unwrap();
        assert_eq!(decrypted.exact.unwrap(), evaluate_exact(&plan.program, &table).unwrap().unwrap());
    }
}

#[test]
fn products_of_the_widest_numbers_take_a_small_ring_with_one_number_in_a_ciphertext() {
    let factor = format!("0x{}", "9a3c5".repeat(60));
    let text = format!(
        "p = a * b\nq = a**2 * b - 5 * a\nf = {factor} * b - {factor}\ns = sum(a * b)\nm = mean(b)\nt = a"
    );
    for bits in [700, 1024, 2047] {
        let plan = assert_exact(&text, &table(bits), SchemeName::Bfv);
        assert_eq!(plan.params.slots(), 1);
        // Values of three times the bits, and of the factor's 1,200.
        assert!(plan.params.ring_degree() <= 8192, "{bits}: {}", plan.params.ring_degree());
    }
    let deep = assert_exact("y = a**54 - b**53 * a", &table(300), SchemeName::Bfv);
    assert_eq!(deep.params.ring_degree(), 1 << 14);
}

#[test]
fn too_wide_or_too_deep_programs_say_what_bounds_them() {
    let reason_of = |text: &str, table: &Table, options: &PlanOptions| {
        let schema = Schema::from_table(table, &[]).unwrap();
        let choice = choose(&Program::parse(text).unwrap(), &schema, options);
        match choice.and_then(|choice| choice.into_plan(options)).unwrap_err() {
            PlanningError::NotFeasible { reason, .. } => reason,
            other => panic!("{other}"),
        }
    };
    let reason = |text: &str, table: &Table, scheme| reason_of(text, table, &options(scheme));
    let wide = reason("y = a**5", &table(600), SchemeName::Bgv);
    assert!(matches!(wide, GenerateError::ValuesTooLarge { largest: 2048, .. }), "{wide}");
    // Small rings, which are for tests.
    let insecure = PlanOptions { security: 0, ..options(SchemeName::Bfv) };
    let wide = reason_of("y = a**8", &table(600), &insecure);
    assert!(matches!(wide, GenerateError::ValuesTooLarge { largest: 4096, .. }), "{wide}");
    let deep = reason("y = a**8", &table(250), SchemeName::Bgv);
    assert!(matches!(deep, GenerateError::TooDeep { .. }), "{deep}");
    assert!(deep.to_string().contains("3 products modulo a t of 20"), "{deep}");

    let rows = |count: usize| {
        let number = (BigInt::from(1) << 1100) - 3;
        let text = format!("a,b\n{}", format!("{number},-{number}\n").repeat(count));
        read_csv(text.as_bytes(), "d.csv", &["a", "b"]).unwrap()
    };
    let many = reason("y = a * b", &rows(1025), SchemeName::Bfv);
    assert!(matches!(many, GenerateError::WideRows { rows: 1025, most: 1024, .. }), "{many}");
    assert!(plan("y = a * b", &rows(1024), SchemeName::Bfv).is_ok());
}

#[test]
fn columns_of_integers_reach_from_zero_to_the_modulus_of_functions() {
    // As from a file of wide decimals: not in words, and above half of the modulus that functions take.
    let values: Vec<BigInt> = [99_999, 0, 57_344, 57_345, 3, 98_765].map(BigInt::from).to_vec();
    let column = Column { name: "x".into(), values: ColumnValues::Integers(values) };
    let table = Table { columns: vec![column], rows: 6 };
    for (text, scheme) in [
        ("y = x > 57344", SchemeName::Bgv),
        ("y = x > 57344", SchemeName::Bfv),
        ("y = x + x", SchemeName::Bgv),
    ] {
        assert_exact(text, &table, scheme);
    }
}
