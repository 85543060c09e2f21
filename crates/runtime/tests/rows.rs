//! Plans for any number of rows up to a number: keys and noise do for every one of them.

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    advice::{Advice, Advised},
    data::Schema,
    execute,
    plan::{Plan, PlanOptions, RowsError, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::Program,
};

const MOST: usize = 70;

fn plan(text: &str, whole: bool, scheme: SchemeName, rows: usize) -> Plan {
    let schema = format!(
        r#"{{"rows": {rows}, "columns": [{{"name": "x", "whole": {whole}, "range": {{"lo": "-3", "hi": "20"}}}}]}}"#
    );
    let schema = Schema::from_json(schema.as_bytes(), "schema").unwrap();
    let options = PlanOptions { scheme: Some(scheme), fewer_rows: true, ..PlanOptions::default() };
    choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

/// Programs whose schedules depend on the rows in every way: means, masks, sums of several depths.
const PROGRAM: &str =
    "m = mean((x + 1) * x) * mean(x)\ns = sum(x * x + 7)\ny = (x - mean(x)) * x\nv = var(x)\n";

#[test]
fn the_keys_of_a_plan_hold_those_of_every_number_of_rows() {
    for (whole, scheme) in [(true, SchemeName::Bgv), (true, SchemeName::Bfv), (false, SchemeName::Ckks)] {
        for most in [MOST, 64] {
            let plan = plan(PROGRAM, whole, scheme, most);
            let rlwe = plan.params.rlwe().unwrap();
            let mut sampler = Sampler::new(&Seed([7; 32]));
            let keys = execute::generate_keys(&plan, &mut sampler);
            let keys: &asanoha_lattice::EvaluationKeys =
                keys.evaluation.get().expect("of a scheme with slots");
            for rows in 1..=most {
                let served = plan.for_rows(rows).unwrap();
                assert_eq!((served.schema.rows, served.params.digest()), (rows, plan.params.digest()));
                keys.require(rlwe, &served.key_levels()).unwrap();
            }
        }
    }
}

#[test]
fn no_number_of_rows_gives_more_bytes_of_results_than_a_plan_says() {
    for (scheme, most) in
        [(SchemeName::Bgv, MOST), (SchemeName::Bfv, 33), (SchemeName::Ckks, 64), (SchemeName::Tfhe, 9)]
    {
        let plan = plan(PROGRAM, scheme != SchemeName::Ckks, scheme, most);
        let bound = plan.most_result_bytes();
        let backend = plan.params.backend();
        for rows in 1..=most {
            let served = plan.for_rows(rows).unwrap();
            let bytes = backend.result_bytes(served.scheduled());
            assert!(0 < bytes && bytes + (16 << 20) < bound + 8, "{scheme:?}: {rows} of {most} rows");
            assert!(served.most_result_bytes() <= bound);
        }
    }
}

#[test]
fn one_row_more_is_refused() {
    let plan = plan("m = mean(x)", true, SchemeName::Tfhe, 5);
    assert_eq!(plan.for_rows(6).unwrap_err(), RowsError::TooMany { found: 6, most: 5 });
    assert_eq!(plan.for_rows(0).unwrap_err(), RowsError::TooMany { found: 0, most: 5 });
    let one = plan.for_rows(5).unwrap();
    assert_eq!(one.digest(), plan.digest());
    let exact = plan.for_rows(4).unwrap();
    assert_eq!(exact.for_rows(3).unwrap_err(), RowsError::Other { found: 3, planned: 4 });
}

#[test]
fn places_among_the_rows_are_refused_while_their_number_is_unknown() {
    let schema =
        r#"{"rows": 70, "columns": [{"name": "x", "whole": true, "range": {"lo": "0", "hi": "7"}}]}"#;
    let schema = Schema::from_json(schema.as_bytes(), "schema").unwrap();
    let options = PlanOptions { fewer_rows: true, ..PlanOptions::default() };
    let planned = |text: &str| choose(&Program::parse(text).unwrap(), &schema, &options);
    for text in ["m = quantile(x, 0.5)", "m = 2 * quantile(x, 0.25) + 1"] {
        let refused = planned(text).unwrap_err();
        assert!(refused.to_string().contains("place among the rows"), "{refused}");
        assert_eq!(refused.advice(), [Advice::ExactRows]);
    }
    // The least value is the first of however many, and the largest is told by the rows above others.
    for text in ["m = min(x)", "m = max(x)"] {
        assert!(planned(text).unwrap().chosen.is_some());
    }
}

/// The score of `examples/risk.asa` on wide ranges, whose mean over a few rows takes more precision than over many.
#[test]
fn a_precision_that_every_number_of_rows_can_be_planned_for_is_planned_for_all_up_to_the_most() {
    let column = |name: &str, lo: &str, hi: &str| {
        format!(r#"{{"name": "{name}", "whole": false, "range": {{"lo": "{lo}", "hi": "{hi}"}}}}"#)
    };
    let columns = [column("bmi", "10", "70"), column("bp", "40", "200"), column("s5", "0", "10")].join(", ");
    let text = "z = 0.05 * (bmi - 26) + 0.02 * (bp - 94) + 0.01 * (s5 * 10 - 46)\nscore = 0.5 + 0.197 * z - 0.004 * z**3\nmean_score = mean(score)";
    for (bits, most) in [(10, 1000), (16, 442), (20, 1000), (20, 3000), (22, 999), (26, 1000)] {
        let schema = format!(r#"{{"rows": {most}, "columns": [{columns}]}}"#);
        let schema = Schema::from_json(schema.as_bytes(), "schema").unwrap();
        let options = PlanOptions {
            scheme: Some(SchemeName::Ckks),
            fewer_rows: true,
            precision: Precision::Relative { bits },
            ..PlanOptions::default()
        };
        let plan = choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options);
        let plan = plan.unwrap_or_else(|error| panic!("{bits} bits of {most} rows: {error}"));
        for rows in [1, 2, 3, most / 2, most - 1, most] {
            assert!(plan.for_rows(rows).is_ok(), "{bits} bits of {rows} rows");
        }
        let backend = PlanOptions::default().backend;
        let again = Plan::from_json(plan.to_json().as_bytes(), "plan", SecurityCheck::Required, backend);
        assert_eq!(again.unwrap().digest(), plan.digest());
    }
}
