//! Jobs under every scheme, with keys in memory and on the disk.

use asanoha_lattice::Source;
use asanoha_ring::Sampler;
use asanoha_runtime::program::evaluate_real;
use asanoha_runtime::{
    execute::{self, Contents, Encrypted},
    plan::SchemeName,
};
use asanoha_service::{JobState, Limits};

use crate::common::{Fixture, Service, client, plan};

/// Computes a plan's job with as much memory as it needs and with a little less, and decrypts the results.
fn assert_computes(scheme: SchemeName, text: &str, rows: usize) {
    let fixture = Fixture::new(plan(text, scheme, rows), &mut Sampler::from_os());
    let needed = fixture.plan.prediction.bytes;
    for (memory_bytes, low_memory) in [(needed, false), (needed - 1, true)] {
        let limits = Limits { memory_bytes: Some(memory_bytes), ..Limits::default() };
        let service = Service::of(limits, [fixture.plan.clone()]);
        service.send_all("alice", &fixture);
        let job = service.store.submit(&client("alice"), &fixture.submission(), None).unwrap().job;
        assert_eq!(job.low_memory, low_memory, "{scheme}");
        service.worker().with_resident_bytes(|| None).run_one().unwrap();
        let done = service.job("alice", job.id);
        assert!(matches!(done.state, JobState::Done { .. }), "{scheme}: {done:?}");
        let results = service.results("alice", job.id);
        assert!(results == fixture.results, "{scheme}: the bits of an evaluation without a service");
        let source = Source::Bytes { name: "results", bytes: &results };
        let results = Encrypted::read(&fixture.plan, Contents::Outputs, source).unwrap();
        let secret = fixture.secret.secret.as_ref().unwrap();
        let decrypted =
            execute::decrypt(&fixture.plan, secret, &results, &execute::InputSecrets::none()).unwrap();
        let right = evaluate_real(&fixture.plan.program, &fixture.table).unwrap();
        for ((name, found), (_, right)) in decrypted.outputs.iter().zip(&right) {
            for (found, right) in found.as_slice().iter().zip(right.as_slice()) {
                assert!((found - right).abs() < 1e-3, "{scheme} {name}: {found} for {right}");
            }
        }
    }
}

#[test]
fn whole_numbers_are_computed_under_bgv_and_bfv() {
    assert_computes(SchemeName::Bgv, "a = x * y\nb = sum(x * x)", 5);
    assert_computes(SchemeName::Bfv, "a = x * y\nb = sum(x * x)", 5);
}

#[test]
fn real_numbers_are_computed_under_ckks() {
    assert_computes(SchemeName::Ckks, "a = 0.25 * x * y\nb = mean(x)", 5);
}

#[test]
fn integers_are_computed_under_tfhe() {
    assert_computes(SchemeName::Tfhe, "a = max(x, y)", 1);
}
