//! The number of bits that keys of plans may show in results of untrusted servers.

use asanoha_backends::Parameters;
use asanoha_ckks::BootstrapSet;
use asanoha_kernels::Backend;
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    plan::{PlanOptions, SchemeName, choose},
    program::Program,
};

/// The limit of a plan with at least 128-bit security, and its ring degree.
fn limit(scheme: SchemeName, text: &str, table: &Table) -> (u64, usize) {
    let options = PlanOptions {
        scheme: Some(scheme),
        backend: Backend::detect().unwrap(),
        threads: 2,
        every_scheme: false,
        ..PlanOptions::default()
    };
    let schema = Schema::from_table(table, &[]).unwrap();
    let choice = choose(&Program::parse(text).unwrap(), &schema, &options).unwrap();
    let plan = choice.into_plan(&options).unwrap();
    assert!(plan.params.security_bits() >= 128, "{}", scheme.name());
    (plan.params.shown_bits_limit(), plan.params.ring_degree())
}

#[test]
fn keys_show_bits_of_an_80th_of_their_smallest_secret() {
    let column = |name: &str, values: [i64; 2]| Column {
        name: name.into(),
        values: ColumnValues::Whole(values.to_vec()),
    };
    let table = Table { columns: vec![column("a", [1, 3]), column("b", [2, 4])], rows: 2 };
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks] {
        let (limit, ring_degree) = limit(scheme, "c = a * b", &table);
        let expected = [(1 << 12, 81), (1 << 13, 162), (1 << 14, 324), (1 << 15, 649)];
        assert!(expected.contains(&(ring_degree, limit)), "{}: {limit} at {ring_degree}", scheme.name());
    }
    // The 870 bits of the secret of blind rotations, which the bootstrapping key encrypts, and not the 2048 of results.
    assert_eq!(limit(SchemeName::Tfhe, "c = a * b", &table), (10, 2048));
}

#[test]
fn keys_that_encrypt_a_sparse_secret_show_two_bits() {
    let literal = BootstrapSet::N15.with_ring_degree(1 << 12).unwrap();
    let params = literal.check(Backend::detect().unwrap()).unwrap();
    assert_eq!(Parameters::shown_bits_limit(&params), 2);
}
