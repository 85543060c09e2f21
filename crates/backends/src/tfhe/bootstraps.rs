//! What a schedule of integers costs: its bootstrappings times what one takes on this machine, and memory.

use asanoha_compile::{Circuit, Step};
use asanoha_kernels::Backend;
use asanoha_lang::Shape;
use asanoha_ring::Sampler;
use asanoha_tfhe::{ClientKey, TfheError, TfheLiteral, TfheParams};
use web_time::Instant;

/// The LWE dimension that is measured, in place of the parameters' own: its keys are made in a moment, and are too large for a
/// processor's nearest caches.
const MEASURED_DIMENSION: usize = 64;
/// How many times.
const RUNS: usize = 3;

/// Seconds of a bootstrapping on one thread of this machine, of which most goes into as many external products as the LWE
/// dimension: measured with fewer.
pub fn bootstrap_seconds(params: &TfheParams, backend: Backend) -> Result<f64, String> {
    let dimension = params.literal().lwe_dimension;
    let measured = dimension.min(MEASURED_DIMENSION);
    let literal = TfheLiteral { lwe_dimension: measured, insecure: true, ..params.literal().clone() };
    let small = literal.check(backend).map_err(|error| error.to_string())?;
    let measure = || -> Result<f64, TfheError> {
        let mut sampler = Sampler::from_os();
        let client = ClientKey::generate(&small, &mut sampler);
        let server = client.server_key(&mut sampler);
        let number = client.encrypt(1, &mut sampler)?;
        let table = small.table(|x| x)?;
        let mut least = f64::INFINITY;
        for _ in 0..RUNS {
            let start = Instant::now();
            server.apply(&table, &number)?;
            least = least.min(start.elapsed().as_secs_f64());
        }
        Ok(least)
    };
    let seconds = measure().map_err(|error| error.to_string())?;
    Ok(seconds * dimension as f64 / measured as f64)
}

/// The bootstrappings of a run.
pub fn count(circuit: &Circuit, rows: usize) -> f64 {
    let of_step = |step: &Step| {
        let times = if step.shape == Shape::Column { rows } else { 1 };
        step.bootstraps.unwrap_or(0) as f64 * times as f64
    };
    circuit.steps.iter().map(of_step).sum()
}

/// Bytes of the keys in memory and of the integers that are alive at once while a schedule is walked.
pub fn bytes(circuit: &Circuit, params: &TfheParams, rows: usize) -> u64 {
    let literal = params.literal();
    let polys = literal.rank + 1;
    let word = size_of::<u64>();
    let bootstrap =
        literal.lwe_dimension * polys * polys * literal.bootstrap.levels as usize * literal.ring_degree;
    let dimension = literal.rank * literal.ring_degree;
    let switch = dimension * literal.key_switch.levels as usize * (literal.lwe_dimension + 1);
    let block = ((dimension + 1) * word) as u64;
    let last_use = circuit.last_uses();
    let size = |at: usize| {
        let step = &circuit.steps[at];
        let integers = if step.shape == Shape::Column { rows as u64 } else { 1 };
        integers * step.width.map_or(0, |width| width.blocks) * block
    };
    let mut freed = vec![0; last_use.len() + 1];
    last_use.iter().enumerate().for_each(|(at, &last)| freed[last] += size(at));
    let (mut alive, mut peak) = (0, 0);
    for (at, freed) in freed[..circuit.steps.len()].iter().enumerate() {
        alive += size(at);
        peak = peak.max(alive);
        alive -= freed;
    }
    ((bootstrap + switch) * word) as u64 + peak
}
