//! Functions of encrypted whole numbers: `//`, `%`, comparisons, `where`, `min`, `max`, `abs`, tables.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    advice::{Advice, Advised},
    compile::{FUNCTION_MODULUS, Op},
    data::{Column, ColumnValues, Schema, Table, parse_range_override, read_table},
    execute,
    plan::{OnZero, Plan, PlanOptions, PlanningError, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::{Program, evaluate_exact},
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

fn table(columns: &[(&str, &[i64])]) -> Table {
    let column = |&(name, values): &(&str, &[i64])| Column {
        name: name.into(),
        values: ColumnValues::Whole(values.to_vec()),
    };
    Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() }
}

fn plan(text: &str, table: &Table, ranges: &[&str]) -> Result<Plan, PlanningError> {
    plan_for(None, text, table, ranges)
}

fn plan_for(
    scheme: Option<SchemeName>,
    text: &str,
    table: &Table,
    ranges: &[&str],
) -> Result<Plan, PlanningError> {
    let declared: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(table, &declared).unwrap();
    let options = PlanOptions { scheme, ..options() };
    choose(&Program::parse(text).unwrap(), &schema, &options)?.into_plan(&options)
}

/// Plans a program for both exact schemes, and holds both to the plain computation and the plan.
fn assert_exact(text: &str, table: &Table, ranges: &[&str]) -> Plan {
    let of = |scheme| {
        let plan = plan_for(Some(scheme), text, table, ranges).unwrap();
        assert_eq!(plan.params.scheme(), scheme);
        assert_plan_exact(text, table, plan)
    };
    of(SchemeName::Bfv);
    of(SchemeName::Bgv)
}

/// Runs a plan encrypted and holds it against the plain computation and the plan.
fn assert_plan_exact(text: &str, table: &Table, plan: Plan) -> Plan {
    let mut sampler = Sampler::new(&Seed([5; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, table, &mut sampler).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    let decrypted = execute::decrypt(&plan, keys.secret.as_ref().unwrap(), &outputs, &secrets).unwrap();
    let expected = evaluate_exact(&plan.program, table).unwrap().unwrap();
    assert_eq!(decrypted.exact.unwrap(), expected, "{text}");
    let predicted = plan.circuit.outputs.iter().map(|output| plan.circuit.steps[output.step].noise_bits);
    let predicted = predicted.fold(f64::NEG_INFINITY, f64::max);
    assert!((decrypted.noise.predicted_bits - predicted).abs() < 1e-6, "{text}");
    let measured =
        execute::measure_noise(&plan, keys.secret.as_ref().unwrap(), &outputs, &secrets, table).unwrap();
    assert!(measured <= decrypted.noise.predicted_bits);
    plan
}

#[test]
fn small_signed_numbers_are_compared_divided_and_looked_up() {
    let data = table(&[("x", &[3, -4, 0, 2, -1]), ("y", &[2, 3, -3, -4, 1])]);
    let text = "q = x // y\nr = x % y\nless = x < y\nm = max(x, y, -2)\nw = where(x >= y, x * y, 7)\n\
                t = table(abs(x), [9, -8, 7, -6, 5])\ns = sum(where(x != 2, y, 0))";
    let plan = assert_exact(text, &data, &[]);
    assert_eq!(plan.params.plaintext_modulus(), Some(&FUNCTION_MODULUS.into()));
    let functions = plan.circuit.steps.iter().filter(|step| matches!(step.instruction, Op::Result(..)));
    assert!(functions.count() >= 4);
}

#[test]
fn sixteen_bits_are_compared_by_digits_and_chosen() {
    let data = table(&[("x", &[0, 65535, 40000, 40000, 256]), ("y", &[1, 65535, 39999, 40001, 255])]);
    let text = "less = x < y\nlargest = max(x, y)\npay = where(x >= 40000, 2, 1)\ncount = sum(x == y)\n\
                outside = mean(abs(x - 32768) > 7232)";
    let plan = assert_exact(text, &data, &[]);
    assert!(plan.params.ring_degree() <= 1 << 15, "{}", plan.params.ring_degree());
}

#[test]
#[ignore = "slow"]
fn twelve_signed_bits_are_divided_by_five() {
    let data = table(&[("x", &[-2048, 2047, -1, 0, 1234]), ("y", &[7, 31, 30, 9, 1])]);
    assert_exact("q = x // y\nr = x % y\np = mean(r)", &data, &["x=-2048:2047", "y=0:31"]);
}

#[test]
#[ignore = "slow"]
fn whole_tables_of_sixteen_bits_are_exact() {
    let data = table(&[("x", &[0, 1, 65535, 40000, 123])]);
    assert_exact("digits = x // 1000 + x % 1000", &data, &["x=0:65535"]);
}

#[test]
fn whatever_divides_two_columns_is_one_table_of_both() {
    let data = table(&[("x", &[0, 255, 3, 200]), ("y", &[7, 1, 255, 13])]);
    let plan = plan("f = where(y >= 10, max(x // y, 3), x // y + (x % y > 0))", &data, &[]).unwrap();
    let functions = plan.circuit.steps.iter().filter(|step| matches!(step.instruction, Op::Functions(..)));
    assert_eq!(functions.count(), 1);
}

#[test]
#[ignore = "slow"]
fn unit_prices_of_real_sizes_are_exact() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = std::fs::read_to_string(folder.join("unit_price.asa")).unwrap();
    let program = Program::parse(&text).unwrap();
    let data = read_table(&folder.join("data/orders.csv"), program.input_names()).unwrap();
    assert_exact(&text, &data, &[]);
}

#[test]
fn plans_with_functions_are_read_back_and_checked() {
    let data = table(&[("x", &[3, 1, 2]), ("y", &[1, 2, 3])]);
    let mut made = plan("q = sum(x) // sum(y)\nm = min(x, 2)", &data, &[]).unwrap();
    made.on_zero = OnZero::Value;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json");
    made.write(&path).unwrap();
    let read = Plan::read(&path, SecurityCheck::Required, options().backend).unwrap();
    assert_eq!((read.digest(), read.on_zero), (made.digest(), OnZero::Value));
    let text = std::fs::read_to_string(&path).unwrap();
    // Another table than the schedule's noise was predicted for.
    std::fs::write(&path, text.replace("a // b", "a % b")).unwrap();
    assert!(Plan::read(&path, SecurityCheck::Required, options().backend).is_err());
}

#[test]
fn divisors_of_zero_are_refused_unless_they_have_a_value() {
    let data = table(&[("x", &[3, 1, 2]), ("y", &[1, 0, 2])]);
    let mut made = plan("q = x // y\nr = x % y", &data, &[]).unwrap();
    let encrypt = |plan: &Plan| {
        let mut sampler = Sampler::new(&Seed([6; 32]));
        let keys = execute::generate_keys(plan, &mut sampler);
        execute::encrypt(plan, &keys.public, &data, &mut sampler).map(|_| ())
    };
    let error = encrypt(&made).unwrap_err();
    assert!(error.to_string().contains("row 2 of column `y` is zero"), "{error}");
    assert_eq!(error.advice(), [Advice::LeaveRowOut, Advice::ValueOnZero]);
    made.on_zero = OnZero::Value;
    encrypt(&made).unwrap();

    let looked_up = plan("t = table(x, [5, 6, 7])", &data, &[]).unwrap();
    let error = encrypt(&looked_up).unwrap_err().to_string();
    assert!(error.contains("row 1 of column `x` is 3"), "{error}");
}

#[test]
fn what_has_no_table_is_refused_with_the_figures_or_left_to_tfhe() {
    let data = table(&[("x", &[3, 60000]), ("y", &[65000, 2]), ("z", &[7, 250])]);
    let ranges = ["x=0:65535", "y=0:65535", "z=0:255"];
    for (text, says) in [
        (
            "q = table2(x, y, [[1, 2], [3, 4]])",
            "of 65536 times 65536 values is too wide, a table of 4294967296 entries",
        ),
        ("q = x * y < z", "`<` of 4294836226 values is too wide"),
        ("q = (x * z) % 5 + x", "`%` of 16711426 values is too wide, a table of 16711426 entries"),
        ("q = mean(z) // 3", "`//` takes whole numbers, and an operand may be a fraction"),
        (
            "q = (x // 3)**4",
            "columns or results take 58 bits, and programs with functions of encrypted values take up to 49",
        ),
    ] {
        let error = plan_for(Some(SchemeName::Bgv), text, &data, &ranges)
            .map(|plan| plan.params.plaintext_modulus().cloned())
            .unwrap_err()
            .to_string();
        assert!(error.contains(says), "{text}: {error}");
        // TFHE has no tables of all values; fractions it refuses as the others do.
        match plan(text, &data, &ranges) {
            Ok(plan) => assert!(plan.params.scheme() == SchemeName::Tfhe && !text.contains("mean"), "{text}"),
            Err(error) => {
                assert!(error.to_string().contains("ckks: ") && text.contains("mean"), "{text}: {error}");
            }
        }
    }
}

/// The client encrypts which divisor it is, and the quotients by each: products of fresh ciphertexts, whatever the dividend's size.
#[test]
fn a_division_by_few_divisors_is_a_product_for_each() {
    let wide = [99_999, -100_000, 0, 7, -1, 65_537];
    let data = table(&[("x", &wide), ("n", &[3, -4, 2, 5, -2, 1]), ("d", &[12, 1, 7, 2, 3, 4])]);
    for text in [
        "q = x // d\nr = x % d",
        "q = x // n\nr = x % n",
        "q = (x // d) * n + d % n",
        "r = (x + 3) % (d + 1)",
        "total = sum(x // d)",
    ] {
        let plan = assert_exact(text, &data, &[]);
        let mut steps = plan.circuit.steps.iter();
        assert!(!steps.any(|step| matches!(step.instruction, Op::Functions(..))), "{text}");
    }
    // Operands that aren't of one column each: a table for each divisor, of a dividend that no table of two holds.
    let data = table(&[("x", &[1023, 3, 0]), ("y", &[-40, 7, 1]), ("d", &[1, 0, 2]), ("e", &[1, 1, 0])]);
    let text = "q = (x + y) // (d + e)\nr = (x + y) % (d + e)";
    assert_plan_exact(text, &data, plan_for(Some(SchemeName::Bgv), text, &data, &[]).unwrap());
    // Many divisors are divided by as before.
    let data = table(&[("x", &[70_000, 3]), ("d", &[900, 1])]);
    let many = plan_for(Some(SchemeName::Bgv), "q = x // d", &data, &["d=1:900"]).unwrap();
    let mut steps = many.circuit.steps.iter();
    assert!(steps.any(|step| matches!(step.instruction, Op::Functions(..))));
}

/// Comparisons with constants, and conditions that are made of those of one column, are bits that the client encrypts: what is left of a
/// decision tree are products of bits.
#[test]
fn conditions_of_single_columns_are_encrypted_as_bits() {
    let data =
        table(&[("x", &[3, -4, 0, 12, -1, 7]), ("y", &[2, 3, -3, -4, 1, 9]), ("z", &[0, 1, 2, 3, 4, 5])]);
    for text in [
        "leaf = 5 * (x > 3 and not x > 7) + 2 * (x <= 3 and y == 2 and z < 4) - (not (x > 1 or x < -2))",
        "n = count((x != 7) * (3 >= x) and y > -4)\nshare = mean(z >= 2)",
        "w = where(2 * x + 1 < 9, where(y < 0, 4, 9), 7) + z",
    ] {
        let plan = assert_exact(text, &data, &[]);
        let mut steps = plan.circuit.steps.iter();
        assert!(!steps.any(|step| matches!(step.instruction, Op::Functions(..))), "{text}");
        let least = plan.circuit.steps.iter().map(|step| step.level.0).min();
        let deepest = plan.circuit.steps.iter().map(|step| step.level.0).max();
        assert!(deepest.zip(least).is_some_and(|(deepest, least)| deepest - least <= 3), "{text}");
    }
    // Very many are tables of the column, which share their powers.
    let many: Vec<String> = (0..130).map(|at| format!("(x <= {at})")).collect();
    let data = table(&[("x", &[3, 0, 129, 200])]);
    let plan = plan_for(Some(SchemeName::Bgv), &format!("n = {}", many.join(" + ")), &data, &[]).unwrap();
    assert_eq!(plan.circuit.inputs.len(), 1);
}
