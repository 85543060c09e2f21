//! Plans with room for publication.

use asanoha_ckks::{Ckks, Flooding};
use asanoha_kernels::Backend;
use asanoha_runtime::{
    compile::{output_errors, published_errors, scale_of},
    data::Schema,
    plan::{Plan, PlanOptions, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::Program,
};

fn plan(bits: u32, publish: Option<u32>) -> Plan {
    let schema =
        r#"{"rows": 9000, "columns": [{"name": "x", "whole": false, "range": {"lo": "-1", "hi": "1"}}]}"#;
    let schema = Schema::from_json(schema.as_bytes(), "schema").unwrap();
    let options = PlanOptions {
        scheme: Some(SchemeName::Ckks),
        precision: Precision::Relative { bits },
        publish,
        ..PlanOptions::default()
    };
    choose(&Program::parse("y = x * x\nm = mean(x)\n").unwrap(), &schema, &options)
        .unwrap()
        .into_plan(&options)
        .unwrap()
}

#[test]
fn the_errors_of_a_plan_count_the_flooding_of_a_runs_last_ciphertext() {
    let plan = plan(8, Some(30));
    let params: &Ckks = plan.params.get().expect("it was asked for");
    let (layout, circuit) = (plan.layout(), &plan.circuit);
    let (plain, published) =
        (output_errors(circuit, params), published_errors(circuit, params, layout, Some(30)));
    assert_eq!(published_errors(circuit, params, layout, None), plain);
    // Every chunk of y, and m.
    let last = (layout.chunks() as u64 + 1).try_into().unwrap();
    for (at, output) in circuit.outputs.iter().enumerate() {
        let noise = circuit.steps[output.step].noise_bits.exp2();
        let flooding = Flooding::new(params, noise, last, 30).unwrap().norm;
        let more = published[at] - plain[at];
        let factor: f64 = output.factor.numer().to_string().parse::<f64>().unwrap()
            / output.factor.denom().to_string().parse::<f64>().unwrap();
        let expected = flooding / scale_of(circuit, params, output.step) * factor.abs();
        assert!((more / expected - 1.0).abs() < 1e-6, "{more}, {expected}");
        assert!(published[at] <= 2f64.powi(-8));
    }
}

#[test]
fn room_for_publication_takes_a_wider_scale() {
    let [with, without] =
        [Some(30), None].map(|publish| plan(8, publish).params.log2_scale().expect("it was asked for"));
    assert!(with >= without + 10.0, "{with}, {without}");
}

#[test]
fn a_plan_that_claims_room_it_has_not_is_refused() {
    let read =
        |json: &str| Plan::from_json(json.as_bytes(), "plan", SecurityCheck::Required, Backend::Scalar);
    let json = plan(8, Some(30)).to_json();
    assert_eq!(read(&json).unwrap().hints.publish, Some(30));
    for bits in ["60", "29", "0", "4000000000"] {
        let changed = json.replace("\"publish\": 30", &format!("\"publish\": {bits}"));
        assert_ne!(changed, json);
        let error = read(&changed).unwrap_err().to_string();
        assert!(error.contains("may be off by"), "{bits}: {error}");
    }
}
