//! Plans: files, replay, limits, layouts, and that execution carries exactly the noise that was predicted.

use asanoha_bfv::BfvCiphertext;
use asanoha_bgv::BgvCiphertext;
use asanoha_ckks::CkksCiphertext;
use asanoha_kernels::Backend;
use asanoha_lattice::{KeyName, Level};
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    compile::{Op, scale_of},
    data::{Column, ColumnValues, MAX_ROWS, Schema, Table, parse_range_override},
    execute::{self, Contents, Encrypted, ExecuteError},
    plan::{
        Candidate, Plan, PlanError, PlanOptions, PlanningError, RowsError, SchemeName, SchemeParams,
        SecurityCheck, choose,
    },
    precision::{Precision, PrecisionError},
    program::{Analysed, Program, evaluate_exact, evaluate_real, ranges},
    search::{GenerateError, ScheduleHints, Scheduled, SearchProgress, failure, generate_ckks, schedule_at},
};

fn options() -> PlanOptions {
    PlanOptions {
        scheme: None,
        security: 128,
        precision: Precision::Relative { bits: 20 },
        backend: Backend::detect().unwrap(),
        threads: 2,
        ..PlanOptions::default()
    }
}

fn with_bits(bits: u32) -> PlanOptions {
    PlanOptions { precision: Precision::Relative { bits }, ..options() }
}

fn whole(name: &str, values: impl IntoIterator<Item = i64>) -> Column {
    Column { name: name.into(), values: ColumnValues::Whole(values.into_iter().collect()) }
}

fn real(name: &str, values: impl IntoIterator<Item = f64>) -> Column {
    Column { name: name.into(), values: ColumnValues::Real(values.into_iter().collect()) }
}

fn table(columns: Vec<Column>) -> Table {
    let rows = columns[0].values.len();
    Table { columns, rows }
}

fn plan(text: &str, table: &Table, options: &PlanOptions) -> Result<Plan, PlanningError> {
    let schema = Schema::from_table(table, &[]).unwrap();
    choose(&Program::parse(text).unwrap(), &schema, options)?.into_plan(options)
}

/// Every scheme with data for it.
fn each_scheme() -> [(SchemeName, Table); 3] {
    let integers = || table(vec![whole("a", 0..50)]);
    let reals = table(vec![real("a", (0..50).map(|i| f64::from(i) / 50.0))]);
    [(SchemeName::Bgv, integers()), (SchemeName::Bfv, integers()), (SchemeName::Ckks, reals)]
}

fn run(plan: &Plan, table: &Table) -> (Encrypted, execute::Decrypted) {
    let mut sampler = Sampler::new(&Seed([5; 32]));
    let keys = execute::generate_keys(plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(plan, &keys.public, table, &mut sampler).unwrap();
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    let secret = keys.secret.as_ref().unwrap();
    let decrypted = execute::decrypt(plan, secret, &outputs, &secrets).unwrap();
    let measured = execute::measure_noise(plan, secret, &outputs, &secrets, table).unwrap();
    assert!(measured <= decrypted.noise.predicted_bits);
    (outputs, decrypted)
}

/// Exact in BFV, and in BGV, whose plan it is.
fn assert_exact(text: &str, table: &Table, options: &PlanOptions) -> Plan {
    let [_, bgv] = [SchemeName::Bfv, SchemeName::Bgv].map(|scheme| {
        let plan = plan(text, table, &PlanOptions { scheme: Some(scheme), ..*options }).unwrap();
        assert_eq!(plan.params.scheme(), scheme);
        let (_, decrypted) = run(&plan, table);
        assert_eq!(
            decrypted.exact.unwrap(),
            evaluate_exact(&plan.program, table).unwrap().unwrap(),
            "{text}"
        );
        plan
    });
    bgv
}

fn assert_close(text: &str, table: &Table, options: &PlanOptions) -> Plan {
    let plan = plan(text, table, options).unwrap();
    assert_eq!(plan.params.scheme(), SchemeName::Ckks);
    let (_, decrypted) = run(&plan, table);
    let ranges = ranges(&plan.program, &plan.schema).unwrap();
    let expected = evaluate_real(&plan.program, table).unwrap();
    for (((name, found), (_, exact)), (_, id)) in
        decrypted.outputs.iter().zip(&expected).zip(plan.program.outputs())
    {
        let tolerance = options.precision.tolerance(&ranges[id.0]);
        assert_eq!(found.as_slice().len(), exact.as_slice().len());
        for (found, exact) in found.as_slice().iter().zip(exact.as_slice()) {
            assert!(
                (found - exact).abs() <= tolerance,
                "{text}: {name}: {found} for {exact} within {tolerance}"
            );
        }
    }
    plan
}

#[test]
fn fractions_means_and_variances_of_whole_columns_are_exact() {
    let data = table(vec![whole("a", (0..23).map(|i| i * 7 % 31)), whole("b", (0..23).map(|i| i - 11))]);
    let text = "half = a / 2 - 1/3\nm = mean(a)\nv = var(b)\nc = 0.25 * dot(a, b) - mean(a) * sum(b)\nneg = -a\nsame = a + 1000";
    assert_exact(text, &data, &options());
}

#[test]
fn numbers_stand_beside_columns_and_sums_of_such_are_masked() {
    let data = table(vec![whole("a", (0..23).map(|i| i * 7 % 31)), whole("b", (0..23).map(|i| i - 11))]);
    let text = "_n = sum(b)\nx = a + _n\ny = _n - a\ns = sum(a + _n)\nt = sum((a - _n)**2)\nu = sum(a * (b + _n))\nw = sum(sum(b) - a)";
    let plan = assert_exact(text, &data, &options());
    assert!(plan.circuit.any(|instruction| matches!(instruction, Op::MaskRows(_))));
    let data = table(vec![
        real("a", (0..23).map(|i| f64::from(i * 7 % 31) / 8.0)),
        real("b", (0..23).map(|i| f64::from(i - 11) / 4.0)),
    ]);
    let plan = assert_close(text, &data, &options());
    assert!(plan.circuit.any(|instruction| matches!(instruction, Op::MaskRows(_))));
}

#[test]
fn slots_without_rows_never_outgrow_what_is_planned() {
    // In rows a + n is near −40; beside them stands n itself, near −115: outside of the rows' range.
    let data = table(vec![
        real("a", (0..23).map(|i| 70.0 + f64::from(i) / 8.0)),
        real("b", (0..23).map(|i| -5.0 + f64::from(i % 3) / 64.0)),
    ]);
    let declared = [parse_range_override("a=70:73").unwrap(), parse_range_override("b=-5:-4.9").unwrap()];
    let schema = Schema::from_table(&data, &declared).unwrap();
    for text in ["x = a + sum(b)", "x = sigmoid(0.1 * (a + sum(b)) + 4)", "x = (a + sum(b))**3\ns = sum(x)"] {
        let made = choose(&Program::parse(text).unwrap(), &schema, &options())
            .unwrap()
            .into_plan(&options())
            .unwrap();
        let (_, decrypted) = run(&made, &data);
        let expected = evaluate_real(&made.program, &data).unwrap();
        for ((_, found), (_, exact)) in decrypted.outputs.iter().zip(&expected) {
            for (found, exact) in found.as_slice().iter().zip(exact.as_slice()) {
                assert!(
                    (found - exact).abs() <= exact.abs().max(1.0) * 2f64.powi(-17),
                    "{text}: {found} for {exact}"
                );
            }
        }
    }
}

#[test]
fn columns_longer_than_the_slots_are_cut() {
    let rows = 20_000;
    let data =
        table(vec![whole("a", (0..rows).map(|i| i * 7 % 31)), whole("b", (0..rows).map(|i| i % 5 - 2))]);
    let plan = assert_exact("x = a + 2 * b + 1\ns = sum(a) - mean(b)\nd = dot(a, b)", &data, &options());
    assert!(plan.layout().chunks() > 1 && swaps_rows(&plan));
    let data = table(vec![real("a", (0..rows).map(|i| (i * 7 % 31) as f64 / 32.0))]);
    let plan = assert_close("x = 0.5 * a + 1\nm = mean(a)\nv = var(a)", &data, &options());
    assert!(plan.layout().chunks() > 1);
}

#[test]
fn columns_between_one_row_of_slots_and_two_take_both() {
    let rows = 6_000;
    let data = table(vec![whole("a", (0..rows).map(|i| i * 7 % 31))]);
    let plan = assert_exact("s = sum(a)\nx = a + 1", &data, &options());
    assert_eq!(plan.layout().chunks(), 1);
    assert_eq!(swaps_rows(&plan), plan.layout().block() > plan.params.row_slots().unwrap());
}

/// Whether a sum goes over both rows of slots.
fn swaps_rows(plan: &Plan) -> bool {
    let swaps = |(name, _)| matches!(name, KeyName::Galois(g) if g.0 % 4 == 3);
    plan.key_levels().iter().any(swaps)
}

#[test]
fn one_row_is_enough() {
    assert_exact("s = sum(a)\nx = a**3\nv = var(a)", &table(vec![whole("a", [12])]), &options());
    assert_close("s = sum(a)\nx = a**3 + exp(a)\nv = var(a)", &table(vec![real("a", [0.75])]), &options());
}

#[test]
fn powers_products_and_functions_reach_the_asked_precision() {
    let values = (0..100).map(|i| f64::from(i * 37 % 100) / 50.0 - 1.0);
    let data = table(vec![real("a", values.clone()), real("b", values.map(|x| 40.0 * x * x - 20.0))]);
    let texts = [
        "x = a**7 - 0.3 * a**5 + 0.01 * b**3",
        "x = 0.001 * (b * a) * (b - 1.5) * (a + 0.25)",
        "x = sigmoid(0.25 * b)\ny = exp(a) * sigmoid(a)\nz = 3 * sigmoid(a)**2",
        "x = -(a - b) / 3\ny = 2.5 - b\nz = -0.5 * (2 - a)",
    ];
    for text in texts {
        assert_close(text, &data, &options());
    }
    for bits in [8, 30] {
        assert_close(texts[0], &data, &with_bits(bits));
    }
}

#[test]
fn execution_carries_exactly_the_noise_that_was_predicted() {
    let data = table(vec![real("a", (0..50).map(|i| f64::from(i) / 50.0))]);
    let plan_ckks = plan("x = a**3 - 0.4 * a\ns = mean(x)", &data, &options()).unwrap();
    let outputs: Vec<Vec<CkksCiphertext>> =
        run(&plan_ckks, &data).0.values.into_own().expect("real columns run in CKKS");
    for (output, value) in plan_ckks.circuit.outputs.iter().zip(&outputs) {
        let step = &plan_ckks.circuit.steps[output.step];
        assert_eq!(value[0].noise().log2(), step.noise_bits);
        assert_eq!(value[0].level(), step.level);
        let params = plan_ckks.params.get().expect("planned for CKKS");
        assert_eq!(value[0].scale(), scale_of(&plan_ckks.circuit, params, output.step));
    }
    let data = table(vec![whole("a", 0..50)]);
    let plan_bgv = plan("x = a**3 - 4 * a\ns = mean(x)", &data, &options()).unwrap();
    let outputs: Vec<Vec<BgvCiphertext>> =
        run(&plan_bgv, &data).0.values.into_own().expect("whole columns run in BGV");
    for (output, value) in plan_bgv.circuit.outputs.iter().zip(&outputs) {
        let step = &plan_bgv.circuit.steps[output.step];
        assert_eq!((value[0].noise().log2(), value[0].level()), (step.noise_bits, step.level));
    }
}

#[test]
fn bfv_carries_exactly_the_noise_that_was_predicted_and_drops_what_results_do_not_need() {
    let data = table(vec![whole("a", 0..50)]);
    let bfv = PlanOptions { scheme: Some(SchemeName::Bfv), ..options() };
    let made = plan("x = a**4 - 4 * a\ns = mean(x)\nagain = a**4 - 4 * a", &data, &bfv).unwrap();
    let outputs: Vec<Vec<BfvCiphertext>> = run(&made, &data).0.values.into_own().expect("BFV was asked for");
    for (output, value) in made.circuit.outputs.iter().zip(&outputs) {
        let step = &made.circuit.steps[output.step];
        assert_eq!((value[0].noise().log2(), value[0].level()), (step.noise_bits, step.level));
        assert!(step.level < made.params.rlwe().unwrap().max_level());
    }
}

#[test]
fn higher_security_takes_smaller_moduli() {
    let data = table(vec![whole("a", 0..50)]);
    let at = |security| plan("x = a**3", &data, &PlanOptions { security, ..options() }).unwrap();
    for security in [128, 192, 256] {
        assert!(at(security).params.security_bits() >= security);
    }
    assert!(at(256).params.ring_degree() > at(128).params.ring_degree());
    let error = plan("x = a**3", &data, &PlanOptions { security: 512, ..options() }).unwrap_err();
    assert!(error.to_string().contains("512-bit security isn't in the table"), "{error}");
}

#[test]
fn programs_beyond_all_parameters_say_what_is_too_large() {
    let data = table(vec![real("a", (0..50).map(|i| f64::from(i) / 50.0))]);
    let deep = "x = (((((a**1024 - 1)**1024 - 1)**1024 - 1)**1024 - 1)**1024 - 1)**1024";
    let error = plan(deep, &data, &PlanOptions { security: 256, ..options() }).unwrap_err().to_string();
    assert!(error.contains("256-bit security allows at ring degree 2^17"), "{error}");
    let error = plan("x = a", &data, &with_bits(50)).unwrap_err().to_string();
    assert!(error.contains("a precision of 50 bits can't be reached"), "{error}");
    let error = plan("x = a", &data, &with_bits(51)).unwrap_err();
    assert_eq!(error, PlanningError::Precision(PrecisionError::Bits(51)));
    let data = table(vec![whole("a", [1 << 40])]);
    let bgv = PlanOptions { scheme: Some(SchemeName::Bgv), ..options() };
    let PlanningError::NotFeasible { reason, .. } = plan("x = a**64", &data, &bgv).unwrap_err() else {
        panic!("BGV was asked for")
    };
    assert!(matches!(reason, GenerateError::ValuesTooLarge { value_bits: 2624, .. }), "{reason}");
    let PlanningError::NotFeasible { reason, .. } = plan("x = sigmoid(a)", &data, &bgv).unwrap_err() else {
        panic!("BGV was asked for")
    };
    assert!(reason.to_string().contains("sigmoid"), "{reason}");
}

#[test]
fn plans_survive_files_and_prove_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json");
    let backend = Backend::detect().unwrap();
    for (scheme, data) in each_scheme() {
        let options = PlanOptions { scheme: Some(scheme), ..options() };
        let made = plan("x = a**3 - 4 * a\ns = mean(x)", &data, &options).unwrap();
        made.write(&path).unwrap();
        let read = Plan::read(&path, SecurityCheck::Required, backend).unwrap();
        assert_eq!(read.digest(), made.digest());
        assert_eq!(read.params.digest(), made.params.digest());
        assert_eq!(read.circuit, made.circuit);

        // A schedule whose noise was talked down, or that another program would give, is refused.
        let mut value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let good = value.clone();
        let last = value["circuit"]["steps"].as_array().unwrap().len() - 1;
        value["circuit"]["steps"][last]["noise_bits"] = 1.0.into();
        let refused = |value: &serde_json::Value| {
            std::fs::write(&path, value.to_string()).unwrap();
            Plan::read(&path, SecurityCheck::Required, backend).unwrap_err()
        };
        assert!(matches!(refused(&value), PlanError::Unsound { .. }));
        let mut value = good.clone();
        value["program"] = "y = a".into();
        assert!(matches!(refused(&value), PlanError::Unsound { .. }));
        let mut value = good.clone();
        value["params"]["rlwe"]["ring_degree"] = 2048.into();
        assert!(matches!(refused(&value), PlanError::Unsound { .. }));
        let mut value = good.clone();
        value["version"] = 9.into();
        assert!(matches!(refused(&value), PlanError::Version { found: 9, .. }));
        let mut value = good.clone();
        value["circuit"]["steps"][0] = serde_json::json!({"input": {"input": 7}, "shape": "column", "bound": 1.0, "level": 1, "noise_bits": 20.0});
        assert!(matches!(refused(&value), PlanError::Unsound { .. } | PlanError::Format { .. }));
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(
            Plan::read(&path, SecurityCheck::Required, backend).unwrap_err(),
            PlanError::Format { .. }
        ));
    }
}

#[test]
fn ciphertexts_survive_files_and_other_plans_refuse_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inputs");
    for (scheme, data) in each_scheme() {
        let options = PlanOptions { scheme: Some(scheme), ..options() };
        let made = plan("x = a**3 - 4 * a\ns = mean(x)", &data, &options).unwrap();
        let mut sampler = Sampler::new(&Seed([6; 32]));
        let keys = execute::generate_keys(&made, &mut sampler);
        keys.write(&made, folder.path()).unwrap();
        let (inputs, secrets) = execute::encrypt(&made, &keys.public, &data, &mut sampler).unwrap();
        inputs.write(&made, Contents::Inputs, &path).unwrap();
        let read = Encrypted::read(&made, Contents::Inputs, &path).unwrap();
        let evaluation = execute::Keys::read_evaluation(&made, folder.path()).unwrap();
        let secret = execute::Keys::read_secret(&made, folder.path(), None).unwrap();
        let outputs = execute::evaluate(&made, evaluation, read, &execute::unwatched).unwrap();
        let from_files = execute::decrypt(&made, &secret, &outputs, &secrets).unwrap();
        let direct = execute::evaluate(&made, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
        let direct = execute::decrypt(&made, &secret, &direct, &secrets).unwrap();
        assert_eq!(from_files.outputs, direct.outputs);
        assert!(Encrypted::read(&made, Contents::Outputs, &path).is_err());
        // Keys of one plan made twice aren't to be mixed: the results would be garbage.
        let others = execute::generate_keys(&made, &mut sampler);
        let inputs = Encrypted::read(&made, Contents::Inputs, &path).unwrap();
        let error =
            execute::evaluate(&made, others.evaluation.clone(), inputs, &execute::unwatched).unwrap_err();
        assert!(matches!(error, ExecuteError::OtherKeys { .. }), "{error}");
        let error = execute::decrypt(&made, others.secret.as_ref().unwrap(), &outputs, &secrets).unwrap_err();
        assert!(matches!(error, ExecuteError::OtherKeys { .. }), "{error}");
        // The same parameters may serve another program; its inputs aren't these.
        let other = plan("x = a**3 - 5 * a\ns = mean(x)", &data, &options).unwrap();
        assert!(Encrypted::read(&other, Contents::Inputs, &path).is_err());
    }
}

#[test]
fn data_that_are_not_the_plans_are_refused() {
    let data = table(vec![whole("a", 0..50)]);
    let made = plan("x = a + 1", &data, &options()).unwrap();
    let mut sampler = Sampler::from_os();
    let keys = execute::generate_keys(&made, &mut sampler);
    let mut encrypt = |data: &Table| execute::encrypt(&made, &keys.public, data, &mut sampler).unwrap_err();
    assert!(matches!(
        encrypt(&table(vec![whole("a", 0..49)])),
        ExecuteError::Rows(RowsError::Other { found: 49, planned: 50 })
    ));
    assert!(matches!(encrypt(&table(vec![whole("b", 0..50)])), ExecuteError::MissingColumn(_)));
    assert!(matches!(encrypt(&table(vec![whole("a", 20..70)])), ExecuteError::OutsideRange { row: 50, .. }));
    assert!(matches!(
        encrypt(&table(vec![real("a", (0..50).map(f64::from))])),
        ExecuteError::NotWhole { .. }
    ));
}

#[test]
fn a_schema_alone_is_enough_to_plan() {
    let schema = Schema::from_json(
        br#"{"rows": 1000, "columns": [{"name": "a", "whole": false, "range": {"lo": "-1", "hi": "1"}}]}"#,
        "schema",
    )
    .unwrap();
    let program = Program::parse("m = mean(a**2)").unwrap();
    let choice = choose(&program, &schema, &options()).unwrap();
    assert_eq!(
        choice.candidates.iter().map(|candidate| candidate.scheme).collect::<Vec<_>>(),
        [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Tfhe, SchemeName::Ckks]
    );
    let made = choice.into_plan(&options()).unwrap();
    assert_eq!(made.params.scheme(), SchemeName::Ckks);
    assert!(made.prediction.precision_bits.unwrap() >= 20.0 && made.prediction.bytes > 0);
}

#[test]
fn declared_ranges_are_the_ones_planned_for() {
    let data = table(vec![whole("a", 0..50)]);
    let declared = [parse_range_override("a=0:1000000").unwrap()];
    let schema = Schema::from_table(&data, &declared).unwrap();
    let program = Program::parse("x = a * a").unwrap();
    let made = choose(&program, &schema, &options()).unwrap().into_plan(&options()).unwrap();
    assert!(*made.params.plaintext_modulus().unwrap() > num_bigint::BigUint::from(2_000_000_000_000u64));
}

#[test]
fn one_seed_gives_the_same_ciphertexts_on_every_back_end() {
    for (scheme, data) in each_scheme() {
        let files: Vec<Vec<u8>> = Backend::available()
            .into_iter()
            .map(|backend| {
                let options = PlanOptions { scheme: Some(scheme), backend, ..options() };
                let made = plan("x = a**2 - 4 * a\ns = mean(x)", &data, &options).unwrap();
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("outputs");
                run(&made, &data).0.write(&made, Contents::Outputs, &path).unwrap();
                std::fs::read(path).unwrap()
            })
            .collect();
        assert!(files.iter().all(|file| *file == files[0]));
    }
}

#[test]
fn what_a_search_chose_determines_its_schedule() {
    let data = table(vec![real("a", (0..50).map(|i| f64::from(i) / 10.0))]);
    let text = "x = 0.3 * a + sigmoid(a)**2 * exp(-a)\ny = mean(a)";
    let (program, schema) = (Program::parse(text).unwrap(), Schema::from_table(&data, &[]).unwrap());
    let precision = options().precision;
    let found = generate_ckks(
        &Analysed::new(&program, &schema).unwrap(),
        (precision, None),
        128,
        Backend::detect().unwrap(),
        &SearchProgress::default(),
    )
    .unwrap();
    let params: SchemeParams = found.params.into();
    let at = |hints: &ScheduleHints| schedule_at(&program, &schema, precision, &params, hints);
    assert_eq!(at(&found.hints), Ok(found.circuit));
    let wrong = ScheduleHints { floor: usize::MAX, ..found.hints.clone() };
    assert!(matches!(at(&wrong), Err(GenerateError::Unfit(_))));
    let wrong = ScheduleHints { fit_bits: vec![-20], ..found.hints };
    assert!(at(&wrong).is_err());

    let (text, data) = ("x = a * b - 7\ny = sum(a < b)", table(vec![whole("a", 0..50), whole("b", 3..53)]));
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let made = plan(text, &data, &PlanOptions { scheme: Some(scheme), ..options() }).unwrap();
        let at = |program: &str, schema: &Schema| {
            let program = Program::parse(program).unwrap();
            schedule_at(&program, schema, precision, &made.params, &made.hints)
        };
        assert_eq!(at(text, &made.schema), Ok(made.circuit.clone()));
        let levels = [(1 << 20, Level(0))].into();
        let wrong = ScheduleHints { levels, ..ScheduleHints::default() };
        let error = schedule_at(&made.program, &made.schema, precision, &made.params, &wrong).unwrap_err();
        assert!(error.to_string().contains("operation 1048576"), "{error}");
        // Values that this plaintext modulus doesn't hold.
        let error = at("x = a ** 12", &made.schema).unwrap_err().to_string();
        assert!(error.contains("plaintext modulus"), "{error}");
    }
}

/// 2^40 rows take 2^26 ciphertexts or more.
#[test]
fn plans_fail_as_seldom_as_is_asked_for_or_are_refused() {
    let table = table(vec![whole("a", 0..16), whole("b", 0..16)]);
    let text = "y = where(a < b, a * b, a)";
    let options = PlanOptions { failure_bits: Some(128), ..options() };
    let exact = plan(text, &table, &options).unwrap();
    assert!(exact.log2_failure() < -128.0 && exact.failure_bits == 128);
    let of_rows = |rows| Scheduled { rows, ..exact.scheduled() };
    let log2_failure_of = |rows| exact.params.backend().log2_failure(of_rows(rows));
    assert_eq!(exact.log2_failure(), log2_failure_of(16));
    failure::check(of_rows(MAX_ROWS), 128).unwrap();
    match failure::check(of_rows(1 << 40), 128) {
        Err(GenerateError::Failure { log2_failure, bits: 128 }) => {
            assert_eq!(log2_failure, log2_failure_of(1 << 40));
            assert!(log2_failure > -128.0);
        }
        other => panic!("{other:?}"),
    }
    // TFHE's bootstrappings fail with 2^−128 each, and so more often together.
    let of_tfhe = |failure_bits| PlanOptions { scheme: Some(SchemeName::Tfhe), failure_bits, ..options };
    let made = plan(text, &table, &of_tfhe(Some(96))).unwrap();
    assert!((-128.0..=-96.0).contains(&made.log2_failure()));
    let error = plan(text, &table, &of_tfhe(Some(128))).unwrap_err().to_string();
    assert!(error.contains("at most 2^-128 is asked for"), "{error}");
    // Nor does a file promise more than its parameters keep.
    let edited = made.to_json().replace("\"failure_bits\": 96", "\"failure_bits\": 128");
    let read = |text: &str| Plan::from_json(text.as_bytes(), "p", SecurityCheck::Required, options.backend);
    let error = read(&edited).unwrap_err().to_string();
    assert!(error.contains("wrong result with a probability"), "{error}");
    let error =
        read(&edited.replace("\"failure_bits\": 128", "\"failure_bits\": 3")).unwrap_err().to_string();
    assert!(error.contains("from 40 to 128"), "{error}");
}

#[test]
fn a_default_promises_what_each_scheme_keeps_and_takes_none_from_the_choice() {
    let table = table(vec![whole("a", 0..16), whole("b", 0..16)]);
    let schema = Schema::from_table(&table, &[]).unwrap();
    let program = Program::parse("y = where(a < b, a * b, a)").unwrap();
    let promises = |schema: &Schema, options: &PlanOptions| -> Vec<(SchemeName, Option<u32>)> {
        let choice = choose(&program, schema, options).unwrap();
        let promise = |candidate: &Candidate| {
            let plan = candidate.outcome.as_ref().ok()?;
            assert!(plan.log2_failure() <= -f64::from(plan.failure_bits));
            for plan in plan.of_representative_rows() {
                assert!(plan.log2_failure() <= -f64::from(plan.failure_bits));
            }
            Some(plan.failure_bits)
        };
        choice.candidates.iter().map(|candidate| (candidate.scheme, promise(candidate))).collect()
    };
    let of = |scheme: SchemeName, promises: &[(SchemeName, Option<u32>)]| {
        promises.iter().find(|(of, _)| *of == scheme).unwrap().1
    };
    for fewer_rows in [false, true] {
        let options = PlanOptions { fewer_rows, ..options() };
        let by_default = promises(&schema, &options);
        for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks] {
            assert_eq!(of(scheme, &by_default), Some(128), "{scheme}, {fewer_rows}");
        }
        assert_eq!(of(SchemeName::Tfhe, &by_default), Some(96), "{fewer_rows}");
        let asked = promises(&schema, &PlanOptions { failure_bits: Some(128), ..options });
        assert_eq!((of(SchemeName::Bgv, &asked), of(SchemeName::Tfhe, &asked)), (Some(128), None));
        let asked = promises(&schema, &PlanOptions { failure_bits: Some(60), ..options });
        assert_eq!((of(SchemeName::Bgv, &asked), of(SchemeName::Tfhe, &asked)), (Some(60), Some(60)));
    }
}

#[test]
fn programs_that_take_too_much_work_are_refused_before_it_is_done() {
    let bytes = table(vec![whole("a", 0..256), whole("b", 0..256)]);
    let reason = |text: &str, data: &Table, scheme| {
        let options = PlanOptions { scheme: Some(scheme), ..options() };
        plan(text, data, &options).unwrap_err().to_string()
    };
    let tables =
        (0..200).map(|k| format!("y{k} = (a + {k}) // (b + {})\n", k + 1)).collect::<Vec<_>>().concat();
    let tables = reason(&tables, &bytes, SchemeName::Bgv);
    assert!(tables.contains("entries in its tables"), "{tables}");
    // 2^17 chunks of 2^11 slots, each of which the sums add up.
    let schema = Schema::from_json(
        br#"{"rows": 268435456, "columns": [{"name": "a", "whole": true, "range": {"lo": "0", "hi": "1"}}]}"#,
        "s.json",
    );
    let sums = (1..200).map(|k| format!("s{k} = sum(a * a + {k} * a)\n")).collect::<Vec<_>>().concat();
    let refused = choose(&Program::parse(&sums).unwrap(), &schema.unwrap(), &options()).unwrap();
    let refused = refused.into_plan(&options()).unwrap_err().to_string();
    assert!(refused.contains("ciphertexts in its sums"), "{refused}");
}
