//! Plans of programs on tables, as tests make them.

use asanoha_kernels::Backend;
use asanoha_runtime::{
    data::{Schema, Table, parse_range_override},
    plan::{Plan, PlanOptions, PlanningError, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::Program,
};

/// The plan of a program for a table, with some ranges, at reduced rings and for two threads.
pub(crate) fn planned(
    scheme: Option<SchemeName>,
    text: &str,
    table: &Table,
    ranges: &[&str],
    bits: u32,
) -> Result<Plan, PlanningError> {
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(table, &ranges).unwrap();
    let options = PlanOptions {
        scheme,
        security: 0,
        precision: Precision::Relative { bits },
        backend: Backend::detect().unwrap(),
        threads: 2,
        every_scheme: false,
        ..PlanOptions::default()
    };
    choose(&Program::parse(text).unwrap(), &schema, &options)?.into_plan(&options)
}

/// A plan of reduced rings out of its file.
pub(crate) fn read_again(plan: &Plan) -> Plan {
    // Files of plans claim some security, and may lack it where that is waived.
    let claiming = Plan { security: 128, ..plan.clone() };
    let backend = Backend::detect().unwrap();
    Plan::from_json(claiming.to_json().as_bytes(), "plan.json", SecurityCheck::Waived, backend).unwrap()
}
