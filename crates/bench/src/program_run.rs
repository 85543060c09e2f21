//! A program on a table, from the plan to the decrypted results, with the time of each step.

use std::time::Instant;

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Schema, Table},
    execute::{self, Decrypted, ExecuteError},
    plan::{Plan, PlanOptions, PlanningError, choose},
    program::Program,
};

use crate::memory;

const SEED: Seed = Seed([23; 32]);

/// A plan, its results and the times in seconds.
pub(crate) struct ProgramRun {
    pub(crate) plan: Plan,
    pub(crate) decrypted: Decrypted,
    pub(crate) plan_s: f64,
    pub(crate) keygen_s: f64,
    pub(crate) encrypt_s: f64,
    pub(crate) evaluate_s: f64,
    pub(crate) decrypt_s: f64,
    /// The largest memory of the process from the plan on, in bytes; `None` where the system doesn't tell.
    pub(crate) peak_memory_bytes: Option<u64>,
}

/// Plans a program for a table, and runs it with new keys.
pub(crate) fn run_program<E: From<PlanningError> + From<ExecuteError>>(
    program: &Program,
    table: &Table,
    options: &PlanOptions,
) -> Result<ProgramRun, E> {
    let schema = Schema::from_table(table, &[]).expect("it has no other ranges");
    memory::mark();
    let (plan, plan_s) = timed(|| choose(program, &schema, options)?.into_plan(options));
    let plan = plan?;
    let mut sampler = Sampler::new(&SEED);
    let (keys, keygen_s) = timed(|| execute::generate_keys(&plan, &mut sampler));
    let (inputs, encrypt_s) = timed(|| execute::encrypt(&plan, &keys.public, table, &mut sampler));
    let ((inputs, secrets), secret) = (inputs?, keys.secret.as_ref().expect("it was just made"));
    let (outputs, evaluate_s) =
        timed(|| execute::evaluate(&plan, keys.evaluation, inputs, &execute::unwatched));
    let outputs = outputs?;
    let (decrypted, decrypt_s) = timed(|| execute::decrypt(&plan, secret, &outputs, &secrets));
    let (decrypted, peak_memory_bytes) = (decrypted?, memory::peak_bytes());
    Ok(ProgramRun { plan, decrypted, plan_s, keygen_s, encrypt_s, evaluate_s, decrypt_s, peak_memory_bytes })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}
