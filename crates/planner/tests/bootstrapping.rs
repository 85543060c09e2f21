//! Programs that are too deep for any modulus: bootstrapped on CKKS.

mod oracle;

use asanoha_ckks::BootstrapSet;
use asanoha_kernels::Backend;
use asanoha_lattice::KeyName;
use asanoha_planner::{
    compile::Instruction,
    data::{Column, ColumnValues, Schema, Table, parse_range_override},
    plan::{Plan, PlanningError, Scheme, SecurityCheck, Wishes, choose},
    precision::Precision,
    program::Program,
};

/// A chain of products, one after another.
fn chain(products: usize) -> String {
    let line = |k: usize| {
        let name = if k + 1 == products { "p".to_owned() } else { format!("_p{k}") };
        let factor = if k.is_multiple_of(2) { "a" } else { "b" };
        format!("{name} = _p{} * {factor}\n", k - 1)
    };
    std::iter::once("_p0 = a * b\n".to_owned()).chain((1..products).map(line)).collect()
}

fn table() -> Table {
    let column = |name: &str, values: [f64; 5]| Column {
        name: name.into(),
        values: ColumnValues::Real(values.to_vec()),
    };
    let columns = vec![column("a", [1.0, 0.99, 0.5, -1.0, 0.97]), column("b", [1.0, -0.98, 1.0, 1.0, 0.999])];
    Table { columns, rows: 5 }
}

fn planned(text: &str, bits: u32, security: u32) -> Result<Plan, PlanningError> {
    let ranges = ["a=-1:1", "b=-1:1"].map(|range| parse_range_override(range).unwrap());
    let schema = Schema::from_table(&table(), &ranges).unwrap();
    let wishes = Wishes {
        scheme: Some(Scheme::Ckks),
        security,
        precision: Precision::Relative { bits },
        backend: Backend::detect().unwrap(),
        threads: 2,
    };
    choose(&Program::parse(text).unwrap(), &schema, &wishes)?.into_plan(&wishes)
}

fn bootstraps(plan: &Plan) -> usize {
    let is = |step: &&_| matches!(step, Instruction::Bootstrap { .. });
    plan.circuit.steps.iter().map(|step| &step.instruction).filter(is).count()
}

#[test]
fn deep_chains_are_bootstrapped_where_levels_run_out() {
    let plan = planned(&chain(100), 4, 128).unwrap();
    // Eleven products between two bootstrappings: one level divides by the bound.
    let count = bootstraps(&plan);
    assert!((8..=10).contains(&count), "{count}");
    let keys: Vec<KeyName> = plan.key_levels().iter().map(|(name, _)| name).collect();
    for name in [KeyName::ToSparse, KeyName::FromSparse, KeyName::Relinearisation] {
        assert!(keys.contains(&name), "{name}");
    }
    assert!(plan.log2_failure() <= -128.0 && plan.prediction.precision_bits >= Some(4.0));
    let text = plan.to_json();
    let backend = Backend::detect().unwrap();
    let again = Plan::from_json(text.as_bytes(), "plan", SecurityCheck::Required, backend).unwrap();
    assert_eq!(again.circuit, plan.circuit);
    // A schedule without its bootstrappings is another one.
    let forged = text.replacen("\"bootstrap\": {", "\"neg\": {", 1);
    assert_ne!(forged, text);
    assert!(Plan::from_json(forged.as_bytes(), "plan", SecurityCheck::Required, backend).is_err());
    // Bits are bootstrapped otherwise than numbers.
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let literal = serde_json::to_value(BootstrapSet::Bits.literal().unwrap()).unwrap();
    for (name, part) in literal.as_object().unwrap() {
        assert!(file["params"][name].is_object() || name == "log2_scale");
        file["params"][name] = part.clone();
    }
    let refused = Plan::from_json(file.to_string().as_bytes(), "plan", SecurityCheck::Required, backend);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("too few primes"), "{refused}");
}

#[test]
fn what_bootstrapping_can_t_do_is_refused() {
    let refused = planned(&chain(100), 16, 128).unwrap_err().to_string();
    assert!(refused.contains("bits are missing"), "{refused}");
    let refused = planned(&chain(100), 4, 192).unwrap_err().to_string();
    assert!(refused.contains("192-bit security"), "{refused}");
}

#[test]
#[ignore = "slow"]
fn a_chain_of_a_hundred_products_stays_within_its_error() {
    let plan = planned(&chain(100), 4, 128).unwrap();
    let decrypted = oracle::run(&plan, &table(), 5);
    let wrong = oracle::wrong(&plan, &table(), Precision::Relative { bits: 4 }, &decrypted);
    assert!(wrong.is_none(), "{wrong:?}");
}
