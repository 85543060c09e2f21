//! Columns of decimals, such as prices, computed on exactly.

use asanoha_kernels::Backend;
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table, parse_range_override},
    plan::{Choice, Plan, PlanOptions, PlanningError, SchemeName, choose},
    precision::Precision,
    program::{Program, Values, evaluate_exact, evaluate_real},
    search::{Machine, cost::evaluation_work},
};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::{oracle, planning};

fn decimal(values: &[i64], places: u32) -> ColumnValues {
    ColumnValues::Decimal { values: values.to_vec(), places }
}

fn table(columns: Vec<(&str, ColumnValues)>) -> Table {
    let rows = columns[0].1.len();
    let columns =
        columns.into_iter().map(|(name, values)| Column { name: name.to_owned(), values }).collect();
    Table { columns, rows }
}

fn planned_by(
    scheme: Option<SchemeName>,
    text: &str,
    table: &Table,
    ranges: &[&str],
) -> Result<Plan, PlanningError> {
    planning::planned(scheme, text, table, ranges, 20)
}

/// Runs a program encrypted, read back from its file, and holds it against fractions; a scheme that is asked for only.
fn assert_exact(scheme: Option<SchemeName>, text: &str, table: &Table, ranges: &[&str]) -> Plan {
    let plan = planned_by(scheme, text, table, ranges).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_ne!(plan.params.scheme(), SchemeName::Ckks, "{text}");
    let plan = planning::read_again(&plan);
    let decrypted = oracle::run(&plan, table, 5);
    let expected = evaluate_exact(&plan.program, table).unwrap().unwrap();
    assert_eq!(decrypted.exact.as_ref(), Some(&expected), "{text}");
    plan
}

fn prices() -> Table {
    table(vec![
        ("price", decimal(&[1999, 5, 0, 9999, 500, 50, 501, 499], 2)),
        ("tax", decimal(&[190, 70, 0, 210, 55, 190, 70, 1], 3)),
        ("count", ColumnValues::Whole(vec![3, 7, 1, 0, 12, 4, 2, 9])),
    ])
}

#[test]
fn totals_of_prices_are_exact() {
    let plan = assert_exact(
        None,
        "total = dot(price, count)\nwith_tax = sum(price * count * (1 + tax))",
        &prices(),
        &[],
    );
    let table = prices();
    let exact = evaluate_exact(&plan.program, &table).unwrap().unwrap();
    let cents: i64 = [1999 * 3, 5 * 7, 0, 0, 500 * 12, 50 * 4, 501 * 2, 499 * 9].iter().sum();
    assert_eq!(exact[0].1, Values::Number(BigRational::new(cents.into(), 100.into())));
}

#[test]
fn prices_are_compared_to_the_last_place() {
    for text in [
        "a = price > 5\nb = price >= 4.99\nc = count(price == 5)",
        "a = (price != 0.05)\nb = where(price < 5.01, price, 2.5)",
        "a = max(price, 4.995)\nb = min(price, 10 * tax)\nc = abs(price - 5)",
    ] {
        assert_exact(None, text, &prices(), &["price=0:99.99", "tax=0:0.3"]);
    }
}

#[test]
fn a_histogram_of_decimals_counts_whole_parts() {
    let table = table(vec![("price", decimal(&[199, 5, 0, 250, 249, 200, -1, -250], 2))]);
    let plan = assert_exact(None, "h = histogram(price, -1, 2)", &table, &["price=-2.5:2.6"]);
    let exact = oracle::run(&plan, &table, 5).exact.unwrap();
    let counts: Vec<(&str, String)> =
        exact.iter().map(|(name, values)| (name.as_str(), values.as_slice()[0].to_string())).collect();
    let right = [("h_minus_1", "1"), ("h_0", "2"), ("h_1", "1"), ("h_2", "3")];
    assert_eq!(counts, right.map(|(name, count)| (name, count.to_owned())));
}

#[test]
fn products_of_decimals_are_compared_to_the_last_place() {
    // Around the root of 3.
    for places in [1, 2, 3, 9] {
        let unit = 10i64.pow(places);
        let near = (3.0 * (unit as f64).powi(2)).sqrt() as i64;
        let table = table(vec![
            ("x", decimal(&[near, near + 1, unit / 2, -near, -near - 1, 0], places)),
            ("w", decimal(&[3 * unit, 3 * unit - 1, unit, -unit, 3 * unit + 1, 0], places)),
        ]);
        let default = (places < 3).then_some(None);
        for scheme in default.into_iter().chain([Some(SchemeName::Bgv)]) {
            assert_exact(scheme, "below = x**2 < 3\ntwice = x * x > 2 * x", &table, &[]);
        }
        assert_exact(
            Some(SchemeName::Bgv),
            "heavy = w > x * x\nequal = 0.25 * w == x * x * 0.25",
            &table,
            &[],
        );
    }
}

#[test]
fn products_of_several_columns_are_compared_to_the_last_place() {
    let table = table(vec![
        ("x", decimal(&[15, -5, 0, 12, 7], 1)),
        ("y", decimal(&[2, 12, 5, -13, 7], 1)),
        ("k", ColumnValues::Whole(vec![1, 2, 0, -3, 1])),
    ]);
    for text in [
        "a = x * y <= 0.5 * k\nb = 2 * x * x == 0.5 * x * y * 4",
        "a = sum(x * y) < 0.75\nb = count(x * y * k != y * y)",
    ] {
        assert_exact(Some(SchemeName::Bgv), text, &table, &[]);
    }
    for text in
        ["a = x * y == 0.3 * k", "near = (x - 1.2)**2 + (y + 1.2)**2 < 0.7", "b = x * y + 0.25 < 0.75"]
    {
        assert_exact(Some(SchemeName::Tfhe), text, &table, &[]);
    }
}

#[test]
fn fractions_are_chosen_by_every_exact_scheme() {
    let table = table(vec![
        ("x", decimal(&[15, -5, 0, 12, 7], 1)),
        ("y", decimal(&[211, 1250, 53, -134, 70], 2)),
        ("k", ColumnValues::Whole(vec![1, 2, 0, -3, 1])),
    ]);
    let text = "a = where(k > 0, x, y)\nb = where(x > y, 2, x * k)\nc = where(k, y / 3, -x)\nd = where(k == 0, mean(x), 0.5)";
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Tfhe] {
        let plan = assert_exact(Some(scheme), text, &table, &[]);
        let exact = evaluate_exact(&plan.program, &table).unwrap().unwrap();
        assert_eq!(exact[0].1.as_slice()[1].to_string(), "-1/2");
    }
}

/// The condition isn't scaled as what it chooses is, which would make it a table of a hundred values.
#[test]
fn choices_of_decimals_cost_as_much_as_products() {
    for (choice, product) in [
        ("y = where(bit, price, 0)", "y = bit * price"),
        ("y = sum(where(bit, price, -0.25))", "y = sum(bit * price)"),
        ("y = where(count > 3, 0, tax)", "y = (count > 3) * tax"),
    ] {
        let mut table = prices();
        let bits = ColumnValues::Whole(vec![0, 1, 1, 0, 1, 0, 0, 1]);
        table.columns.push(Column { name: "bit".to_owned(), values: bits });
        let [choice, product] =
            [choice, product].map(|text| assert_exact(Some(SchemeName::Bgv), text, &table, &[]));
        assert_eq!(choice.params.ring_degree(), product.params.ring_degree());
        assert_eq!(choice.key_count(), product.key_count());
    }
    // A condition of decimals is scaled by its own places, whatever those of what it chooses.
    for text in
        ["y = where(price, count, tax)", "y = where(price - 5, tax, 0.5)", "y = where(tax, -price, count)"]
    {
        assert_exact(Some(SchemeName::Bgv), text, &prices(), &[]);
    }
}

#[test]
fn every_exact_scheme_compares_products_of_decimals() {
    let table = table(vec![
        ("w", decimal(&[120, 30, 79, 45], 1)),
        ("h", decimal(&[19, 10, 16, 12], 1)),
        ("n", ColumnValues::Whole(vec![3, 1, 2, 0])),
    ]);
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Tfhe] {
        for text in [
            "heavy = w > 3 * h * h",
            "a = (w / 2)**2 > w * w / 4\nb = sum((h / 2)**2 >= h * h / 4)",
            "near = (w - h)**2 < 0.7 * n\nc = max(w * h, 2.5 * n)\nd = abs(w * h - 4 * n)",
        ] {
            assert_exact(Some(scheme), text, &table, &[]);
        }
    }
}

#[test]
fn prices_are_rounded_and_divided_as_in_python() {
    for text in [
        "a = floor(price)\nb = round(price)",
        "a = price // 2\nb = price % 2",
        "a = where(price, 1, 0)\nb = floor(price / 3)",
    ] {
        let table = table(vec![("price", decimal(&[199, 5, 0, 250, 249, 251, -1, -250], 2))]);
        assert_exact(None, text, &table, &["price=-2.5:2.6"]);
        // Beyond 2, and divided by less than 1.
        let table = self::table(vec![
            ("price", decimal(&[261, 299, 300, -1], 2)),
            ("y", decimal(&[25, 50, 10, 75], 2)),
        ]);
        assert_exact(Some(SchemeName::Bgv), "a = -(price % 3) * 3 - price", &table, &["price=-0.01:3"]);
        assert_exact(Some(SchemeName::Bgv), "a = price // y", &table, &["price=-0.01:3", "y=0.1:0.75"]);
    }
}

#[test]
fn all_exact_schemes_take_decimals() {
    let table = table(vec![("x", decimal(&[-125, 5, 0, 75], 2)), ("y", decimal(&[1, -9, 10, 0], 1))]);
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Tfhe] {
        assert_exact(Some(scheme), "a = 2 * x - y + 0.3", &table, &["x=-1.25:1.25", "y=-1:1"]);
    }
    assert_exact(Some(SchemeName::Bgv), "a = x * y\nb = x > y", &table, &["x=-1.25:1.25", "y=-1:1"]);
}

#[test]
fn decimals_are_exact_below_a_second_or_ten_times_the_approximate_time_whatever_the_machine() {
    // As stated in `docs/schemes.md`, by the times of the reference machine.
    let seconds = |choice: &Choice, scheme: SchemeName| {
        let candidate = choice.candidates.iter().find(|candidate| candidate.scheme == scheme)?;
        let plan = candidate.outcome.as_ref().ok()?;
        let rlwe = plan.params.rlwe()?;
        let work = evaluation_work(&plan.circuit, scheme, rlwe, plan.layout());
        Some(Machine::reference().seconds(work, rlwe))
    };
    let mut approximated = 0;
    for (text, range) in [
        ("a = mean(price)", "0:99.99"),
        ("a = 0.12345678 * price", "0:99.99"),
        ("a = price / 3", "0:99.99"),
        ("a = price ** 4", "0:99.99"),
        ("a = price ** 24", "0:99.99"),
        ("a = price ** 40", "0:99.99"),
        ("a = std(price ** 6)", "0:999999.99"),
    ] {
        let program = Program::parse(text).unwrap();
        let declared = [parse_range_override(&format!("price={range}")).unwrap()];
        // Too many rows for BFV to encrypt each number alone.
        let schema = Schema { rows: 5000, ..Schema::from_table(&prices(), &declared).unwrap() };
        let chosen = |threads: usize, kernels: Backend| {
            let options = PlanOptions { threads, backend: kernels, ..PlanOptions::default() };
            let choice = choose(&program, &schema, &options).unwrap();
            (choice.chosen.map(|at| choice.candidates[at].scheme), choice)
        };
        let (first, choice) = chosen(2, Backend::detect().unwrap());
        assert_eq!(chosen(1, Backend::Scalar).0, first, "{text}");
        assert_eq!(chosen(64, Backend::detect().unwrap()).0, first, "{text}");
        let exact = [SchemeName::Bgv, SchemeName::Bfv].into_iter().filter_map(|it| seconds(&choice, it));
        let exact = exact.fold(f64::INFINITY, f64::min);
        let real = seconds(&choice, SchemeName::Ckks).unwrap_or(f64::INFINITY);
        let is_exact = exact < 1.0 || exact < 10.0 * real;
        assert_eq!(first != Some(SchemeName::Ckks), is_exact, "{text}: {exact} s, {real} s");
        approximated += usize::from(!is_exact);
    }
    assert!(approximated > 0);
}

#[test]
fn counts_and_conditions_of_decimals_are_exact_or_refused() {
    let rows: Vec<i64> = (0..40).map(|row| row * row % 97).collect();
    let table = table(vec![("x", decimal(&rows, 2)), ("y", decimal(&[55; 40], 2))]);
    let plan = planned_by(None, "a = x < y", &table, &["x=-1e15:1e15", "y=-1e15:1e15"]);
    assert!(plan.is_ok_and(|plan| plan.params.scheme() != SchemeName::Ckks));
}

#[test]
fn approximated_programs_take_decimals_as_real_numbers() {
    let table = table(vec![("x", decimal(&[-125, 5, 0, 75], 2))]);
    let plan = planned_by(None, "a = sigmoid(x)\nb = count(x > 0.05)", &table, &[]).unwrap();
    assert_eq!(plan.params.scheme(), SchemeName::Ckks);
    let decrypted = oracle::run(&plan, &table, 4);
    assert_eq!(oracle::wrong(&plan, &table, Precision::Relative { bits: 20 }, &decrypted), None);
    // What is known to be a whole number is one, and cents told apart need no gap.
    assert_eq!(decrypted.outputs[1].1, Values::Number(1.0));
    assert_eq!(plan.gaps().into_iter().flatten().next(), None);
}

#[test]
fn results_of_decimals_under_ckks_are_rounded_to_their_places() {
    let table = table(vec![("price", decimal(&[1999, 5, 0, 9999, 50], 2))]);
    let plan = planned_by(Some(SchemeName::Ckks), "total = sum(price)", &table, &[]).unwrap();
    let decrypted = oracle::run(&plan, &table, 4);
    let expected = evaluate_real(&plan.program, &table).unwrap();
    let (Values::Number(found), Values::Number(expected)) = (&decrypted.outputs[0].1, &expected[0].1) else {
        panic!("numbers")
    };
    assert!((found - expected).abs() <= expected.abs() * f64::EPSILON, "{found} for {expected}");
}

#[test]
fn fractions_of_whole_numbers_are_compared_exactly_too() {
    let table = table(vec![("x", ColumnValues::Whole(vec![-7, 0, 4, 5, 6]))]);
    let plan = assert_exact(None, "a = x / 2 > 2.25\nb = min(x / 3, 1.5)", &table, &[]);
    let exact = evaluate_exact(&plan.program, &table).unwrap().unwrap();
    let halves = |values: [i64; 5], d: i64| {
        Values::Column(values.iter().map(|&v| BigRational::new(BigInt::from(v), d.into())).collect())
    };
    assert_eq!(exact[0].1, halves([0, 0, 0, 1, 1], 1));
    assert_eq!(exact[1].1, halves([-14, 0, 8, 9, 9], 6));
}

#[test]
fn decimals_of_more_places_than_planned_are_refused_and_of_fewer_are_taken() {
    let plan = planned_by(None, "a = x + 1", &table(vec![("x", decimal(&[125, 0], 2))]), &[]).unwrap();
    for (values, expected) in [
        (decimal(&[12, 1], 1), Some([220, 110])),
        (ColumnValues::Whole(vec![1, 0]), Some([200, 100])),
        (decimal(&[125, 1], 3), None),
        (ColumnValues::Real(vec![0.5, 0.25]), None),
    ] {
        let table = table(vec![("x", values.clone())]);
        let mut sampler = asanoha_ring::Sampler::new(&asanoha_ring::Seed([3; 32]));
        let keys = asanoha_runtime::execute::generate_keys(&plan, &mut sampler);
        let encrypted = asanoha_runtime::execute::encrypt(&plan, &keys.public, &table, &mut sampler);
        assert_eq!(encrypted.is_ok(), expected.is_some(), "{values:?}");
        if let Some(expected) = expected {
            let exact = oracle::run(&plan, &table, 5).exact.unwrap();
            let fractions = expected.map(|v| BigRational::new(BigInt::from(v), 100.into())).to_vec();
            assert_eq!(exact[0].1, Values::Column(fractions), "{values:?}");
        }
    }
}

/// Thresholds with more digits than the data, such as those of trees that were trained on single precision, are as cheap as those on
/// the data's grid, and say the same of every value.
#[test]
fn thresholds_between_the_values_of_a_column_are_moved_to_one() {
    for (written, on_grid) in [
        ("price <= 4.9950001239776611328125", "price <= 4.99"),
        ("price < 4.9950001239776611328125", "price < 5"),
        ("price > 4.9950001239776611328125", "price > 4.99"),
        ("price >= 4.9950001239776611328125", "price >= 5"),
        ("price - count <= 0.0049999998882412910", "price - count <= 0"),
        ("price < tax + 0.00049999998882412910", "price < tax + 0.001"),
        ("-price >= -4.9950001239776611328125", "-price >= -4.99"),
        ("2.500001 < count", "2 < count"),
    ] {
        // A scheme by name: which one is taken otherwise depends on measured speeds, which load changes.
        let [fine, coarse] = [written, on_grid]
            .map(|text| assert_exact(Some(SchemeName::Bgv), &format!("a = {text}"), &prices(), &[]));
        let steps = |plan: &Plan| plan.circuit.steps.len();
        assert_eq!(steps(&fine), steps(&coarse), "{written}");
        assert_eq!(fine.params.digest(), coarse.params.digest(), "{written}");
    }
    // Values on both sides of the threshold by one unit, and of both signs.
    let near = table(vec![("x", decimal(&[-25, -24, -26, 24, 25, 26, 0], 1))]);
    let text = "a = x <= -2.45000004\nb = x < 2.4499998\nc = x >= -2.45000004\nd = x > 2.5000001\ne = x < -2.5000001";
    assert_exact(Some(SchemeName::Bgv), text, &near, &[]);
    assert_exact(Some(SchemeName::Tfhe), text, &near, &[]);
}
