//! Columns and numbers that the key holder finishes by a formula, through all steps and out of files.

use asanoha_runtime::{
    data::{Schema, read_csv},
    plan::{PlanOptions, SchemeName, choose},
    program::{OutputKind, Program, Shape, Values, evaluate_exact},
};
use num_rational::BigRational;

use crate::finished::{holds, reason, run};

const CSV: &str = "x,y,r\n1000003,2,0.25\n1000007,-5,-1.5\n1000001,9,3.125\n1000021,2,7\n999999,2,0.5\n";

const TEXT: &str = "z = (x - mean(x)) / std(x)\n\
    scaled = (y - min(y)) / (max(y) - min(y))\n\
    share = 100 * x / sum(x)\n\
    cv = std(y) / mean(y)\n\
    m = round(mean(x) / 7, 2)\n\
    n = floor(sum(y) / 3)";

#[test]
fn formulas_are_those_of_plain_numbers_in_every_scheme() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let decrypted = holds(TEXT, CSV, &[], scheme, 20);
        let exact = decrypted.exact.unwrap();
        let of = |name: &str| exact.iter().find(|(other, _)| other == name).unwrap().1.as_slice().to_vec();
        let fraction = |p: i64, q: i64| BigRational::new(p.into(), q.into());
        assert_eq!(of("scaled")[..3], [fraction(1, 2), fraction(0, 1), fraction(1, 1)]);
        assert_eq!(of("share")[4], fraction(100 * 999_999, 5_000_031));
        assert_eq!(of("m"), [fraction(14_285_803, 100)]);
        assert_eq!(of("n"), [fraction(3, 1)]);
    }
    let text = "z = (r - mean(r)) / std(r)\nshare = r / sum(r)\ncv = std(r) / mean(r)\nm = round(mean(r), 1)";
    let decrypted = holds(text, CSV, &["r=-2:8"], SchemeName::Ckks, 30);
    assert!(decrypted.error_bounds.unwrap().iter().all(|bound| *bound < 1e-6));
}

#[test]
fn a_column_that_is_the_same_in_every_row_has_no_scores() {
    let csv = "x,y\n7,1\n7,2\n7,4\n";
    for (scheme, words) in
        [(SchemeName::Bgv, "the divisor is 0"), (SchemeName::Ckks, "can't be distinguished from 0")]
    {
        let decrypted = holds("z = (y - mean(y)) / std(x)", csv, &[], scheme, 20);
        assert!(reason(&decrypted.outputs[0].1).reason.contains(words), "{:?}", decrypted.outputs);
        // A sum of whole numbers is known exactly in any scheme.
        let decrypted = holds("w = y / (sum(x) - 21)", csv, &[], scheme, 20);
        assert_eq!(reason(&decrypted.outputs[0].1).reason, "the divisor is 0");
    }
}

#[test]
fn plans_of_more_rows_divide_by_the_rows_that_there_are() {
    let program = Program::parse("z = (x - mean(x)) / stdev(x)\nse = stdev(x) / sqrt(count())").unwrap();
    let table = read_csv(CSV.as_bytes(), "t.csv", program.input_names()).unwrap();
    let schema = Schema { rows: 40, ..Schema::from_table(&table, &[]).unwrap() };
    let options =
        PlanOptions { scheme: Some(SchemeName::Bgv), threads: 2, fewer_rows: true, ..PlanOptions::default() };
    let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap().for_rows(5).unwrap();
    let decrypted = run(&plan, &table);
    assert_eq!(decrypted.exact.unwrap(), evaluate_exact(&program, &table).unwrap().unwrap());
    let Values::Number(se) = decrypted.outputs[1].1 else { panic!("{:?}", decrypted.outputs) };
    assert!((se - (77.2f64 / 5.0).sqrt()).abs() < 1e-12, "{se}");
}

#[test]
fn kinds_and_shapes_of_formulas_are_known_before_any_data() {
    let program = Program::parse(TEXT).unwrap();
    let table = read_csv(CSV.as_bytes(), "t.csv", program.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = PlanOptions { scheme: Some(SchemeName::Bgv), ..PlanOptions::default() };
    let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
    let mut kinds = plan.output_kinds();
    kinds.sort_by(|a, b| a.name.cmp(&b.name));
    let found: Vec<_> = kinds.iter().map(|of| (of.name.as_str(), of.shape, of.kind)).collect();
    let expected = [
        ("cv", Shape::Number, OutputKind::Real),
        ("m", Shape::Number, OutputKind::Real),
        ("n", Shape::Number, OutputKind::Whole),
        ("scaled", Shape::Column, OutputKind::Real),
        ("share", Shape::Column, OutputKind::Real),
        ("z", Shape::Column, OutputKind::Real),
    ];
    assert_eq!(found, expected);
}
