//! The time that work takes, on this machine and on the one by which schemes are chosen.

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

/// The speeds of the reference machine: one thread of an Intel Xeon (family 6, model 207), with the kernels of AVX-512 IFMA.
/// `docs/choosing.md` states them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceSpeeds {
    /// Seconds of a bootstrapping of TFHE.
    pub bootstrapping_s: f64,
    /// Seconds of a butterfly of a transform.
    pub butterfly_s: f64,
    /// Seconds of a word of a pass.
    pub word_s: f64,
}

/// The speeds by which schemes are chosen, whatever the machine and its load.
pub const REFERENCE: ReferenceSpeeds =
    ReferenceSpeeds { bootstrapping_s: 10e-3, butterfly_s: 0.25e-9, word_s: 0.3e-9 };

impl ReferenceSpeeds {
    fn cost(&self, ring_degree: usize) -> MachineCost {
        let degree = ring_degree as f64;
        MachineCost {
            transform_s: degree * degree.log2() / 2.0 * self.butterfly_s,
            pass_s: degree * self.word_s,
        }
    }
}

/// This machine, with what was measured on it, or the reference machine.
#[derive(Debug)]
pub struct Machine {
    /// The kernels that are planned for.
    pub kernels: Kernels,
    /// The threads that are planned for.
    pub threads: usize,
    is_reference: bool,
    costs: HashMap<usize, MachineCost>,
}

impl Machine {
    /// This machine, with some kernels and threads.
    pub fn new(kernels: Kernels, threads: usize) -> Self {
        Self { kernels, threads, is_reference: false, costs: HashMap::new() }
    }

    /// One thread of the reference machine.
    pub fn reference() -> Self {
        Self { kernels: Kernels::Scalar, threads: 1, is_reference: true, costs: HashMap::new() }
    }

    /// The seconds of a bootstrapping on one thread, if this is the reference machine.
    pub(crate) fn stated_bootstrapping_s(&self) -> Option<f64> {
        self.is_reference.then_some(REFERENCE.bootstrapping_s)
    }

    /// The seconds of some work in a ring. All rings of a degree have one measurement, so that schemes are compared by their
    /// work.
    pub fn seconds(&mut self, work: Work, rlwe: &RlweParams) -> f64 {
        let degree = rlwe.ring_degree();
        let is_reference = self.is_reference;
        let cost = self.costs.entry(degree).or_insert_with(|| {
            if is_reference { REFERENCE.cost(degree) } else { MachineCost::measure(rlwe) }
        });
        cost.seconds(work, self.threads)
    }
}
