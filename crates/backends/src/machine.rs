//! What work takes on this machine.

use std::collections::HashMap;

use asanoha_kernels::Backend as Kernels;
use asanoha_lattice::RlweParams;
use asanoha_ring::{Evaluation, Poly, Sampler, uniform_from_seed};
use asanoha_scheme::Work;
use serde::Serialize;
use web_time::Instant;

/// What counted work leaves out (copies, permutations, cold caches, tables made at their first use), as a factor.
/// Found by comparing with the examples' runs.
const OVERHEAD: f64 = 1.8;

/// What a limb's work takes on this machine, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MachineCost {
    /// Of a transform.
    pub transform_s: f64,
    /// Of a pass.
    pub pass_s: f64,
}

impl MachineCost {
    /// Measures for a few milliseconds, on one thread, at the parameters' ring degree.
    pub fn measure(rlwe: &RlweParams) -> Self {
        let basis = rlwe.qp().range(0..1);
        let seed = Sampler::from_os().seed();
        let poly: Poly<Evaluation> = uniform_from_seed(&basis, &seed);
        let best = |mut f: Box<dyn FnMut() + '_>| {
            let time = |f: &mut dyn FnMut()| {
                let start = Instant::now();
                f();
                start.elapsed().as_secs_f64()
            };
            (0..5).map(|_| time(&mut f)).fold(f64::INFINITY, f64::min)
        };
        let mut moved = Some(poly.clone());
        let round_trip = best(Box::new(|| {
            moved = moved.take().map(|poly| poly.into_coefficient().into_evaluation());
        }));
        let mut sum = poly.clone();
        let pass = best(Box::new(|| sum.fma_assign(&poly, &poly)));
        Self { transform_s: round_trip / 2.0, pass_s: pass }
    }

    /// The time of some work on a number of threads.
    pub fn seconds(&self, work: Work, threads: usize) -> f64 {
        OVERHEAD * (work.transforms * self.transform_s + work.passes * self.pass_s) / threads as f64
    }
}

/// This machine, with what was measured on it.
#[derive(Debug)]
pub struct Machine {
    /// The kernels that are planned for.
    pub kernels: Kernels,
    /// The threads that are planned for.
    pub threads: usize,
    costs: HashMap<usize, MachineCost>,
}

impl Machine {
    /// One with some kernels and threads.
    pub fn new(kernels: Kernels, threads: usize) -> Self {
        Self { kernels, threads, costs: HashMap::new() }
    }

    /// The seconds of some work in a ring. All rings of a degree have one measurement, so that schemes are compared by their
    /// work.
    pub fn seconds(&mut self, work: Work, rlwe: &RlweParams) -> f64 {
        let cost = self.costs.entry(rlwe.ring_degree()).or_insert_with(|| MachineCost::measure(rlwe));
        cost.seconds(work, self.threads)
    }
}
