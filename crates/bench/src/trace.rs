//! Traces and rotations, and what hoisting gains, on this machine. The sizes of the traces are those of Tables 2 and 3
//! of Inoue, Suzuki, Yamana on trace-type functions with AVX-512 (DEIM Forum 2022, J41-4, in Japanese), below called
//! the paper.

use std::{convert::Infallible, sync::Arc, time::Instant};

use asanoha_ckks::{CkksCiphertext, CkksLiteral, CkksParams, Encoder, Encryptor, EvaluationKeys, Evaluator};
use asanoha_kernels::{Backend, primes_congruent_to_one};
use asanoha_lattice::{
    Hoisting, Level, PublicKey, RlweLiteral, SecretKey, StageCost, Trace, choose_unrolling,
};
use asanoha_ring::{GaloisElement, Sampler, Seed};
use asanoha_scheme::Scheme;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    LOG2_SCALE, Machine, Method, RING_DEGREE, RotationRow, SearchRow, Settings, Tell, TraceReport, TraceRow,
    ckks_literal,
    measure::{shortest_and_median, steadiest},
};

/// log2 of the number of rotations that are summed, the paper's M.
const LOG2_LENGTH: u32 = 7;
/// The number of bytes that are written before each trace, so that it reads its keys from memory, as in a program that
/// does other work in between. Otherwise the run before would leave some of them in the caches.
const CACHE_BYTES: usize = 48 << 20;
/// The paper's numbers of special primes k and levels l.
const SPECIAL_PRIMES: [usize; 3] = [1, 5, 10];
const LEVELS: [usize; 3] = [1, 4, 9];
/// The numbers of rotations that are hoisted together.
const HOISTED: [usize; 3] = [1, 7, 15];

/// The width in bits of the first ciphertext prime. Together with the margin it's the width of the special prime at
/// k = 1, the widest of the fast kernels.
const FIRST_PRIME_BITS: u32 = 45;
/// The number of bits by which P exceeds the largest digit.
const SPECIAL_MARGIN_BITS: u32 = 5;

/// Parameters with `k` special primes, digits of `k` primes and l + 1 ciphertext primes; secure at every k and l of the
/// paper.
fn literal(k: usize, l: usize) -> CkksLiteral {
    let step = 2 * RING_DEGREE as u64;
    let primes = |bits: u32, count: usize, others: &[u64]| {
        primes_congruent_to_one(bits, step, count, others).expect("there are enough of this width")
    };
    let mut q_primes = primes(FIRST_PRIME_BITS, 1, &[]);
    q_primes.extend(primes(LOG2_SCALE, l, &[]));
    let digit_bits = FIRST_PRIME_BITS + LOG2_SCALE * (k.min(l + 1) - 1) as u32;
    let special_bits = (digit_bits + SPECIAL_MARGIN_BITS).div_ceil(k as u32).max(LOG2_SCALE);
    let p_primes = primes(special_bits, k, &q_primes);
    let rlwe = RlweLiteral::new(RING_DEGREE, q_primes, p_primes, (l + 1).div_ceil(k));
    CkksLiteral::new(rlwe, f64::from(LOG2_SCALE))
}

/// The keys for some rotations, and a ciphertext and an evaluator for every back-end; the keys are the same for all.
struct Setting {
    parties: Vec<Party>,
}

struct Party {
    backend: Backend,
    params: CkksParams,
    ciphertext: CkksCiphertext,
    evaluator: Evaluator,
}

impl Setting {
    fn new(literal: &CkksLiteral, backends: &[Backend], rotations: usize) -> Self {
        let fastest = *backends.last().expect("at least one back-end is measured");
        let all: Vec<CkksParams> = backends
            .iter()
            .map(|&backend| literal.clone().check(backend).expect("the set is valid"))
            .collect();
        let params = all.last().expect("as many as back-ends");
        let mut sampler = Sampler::new(&Seed([5; 32]));
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let elements = (1..=rotations as i64).map(|k| GaloisElement::rotation(RING_DEGREE, k));
        let keys = Arc::new(EvaluationKeys::generate(params.rlwe(), &secret, elements, false, &mut sampler));
        debug_assert_eq!(params.rlwe().q(Level(0)).backend(), fastest);
        let party = |(params, &backend): (CkksParams, &Backend)| {
            let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
            let level = params.max_level();
            let values: Vec<f64> = (0..params.slots()).map(|slot| (slot as f64).sin()).collect();
            let plaintext = Encoder::new(&params).encode_real(&values, 1.0, level, params.scale_at(level));
            let plaintext = plaintext.expect("they fit");
            let ciphertext = Encryptor::new(&params).encrypt(&public, &plaintext, &mut sampler);
            let ciphertext = ciphertext.expect("the highest level has room");
            Party { backend, evaluator: Evaluator::new(&params, Arc::clone(&keys)), ciphertext, params }
        };
        Self { parties: all.into_iter().zip(backends).map(party).collect() }
    }
}

/// For each work the shortest and the median time, in milliseconds. The works take turns, so that disturbances of the
/// machine hit all alike; `before` is called before each and isn't timed.
fn milliseconds(
    settings: &Settings,
    mut before: impl FnMut(),
    works: &mut [Box<dyn FnMut() + '_>],
) -> Vec<(f64, f64)> {
    let (fewest, most, ms) = if settings.quick { (1, 1, 0.0) } else { (3, 25, 400.0) };
    let goes_on =
        |times: &[f64]| times.len() < fewest || (times.len() < most && times.iter().sum::<f64>() < ms);
    let round = || {
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); works.len()];
        while times.iter().any(|times| goes_on(times)) {
            for (work, times) in works.iter_mut().zip(&mut times).filter(|(_, times)| goes_on(times)) {
                before();
                let start = Instant::now();
                work();
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        Ok::<_, Infallible>(times.into_iter().map(shortest_and_median).collect())
    };
    let widest = |times: &Vec<(f64, f64)>| {
        times.iter().map(|(shortest, median)| median / shortest).fold(1.0, f64::max)
    };
    let Ok(times) = steadiest(round, widest);
    times
}

/// The portable kernels and the fastest ones, or those that were asked for.
fn extremes(backends: &[Backend]) -> Vec<Backend> {
    match backends {
        [first, .., last] => vec![*first, *last],
        few => few.to_vec(),
    }
}

/// A pool of one thread, and one with all threads of the current pool.
fn pools() -> Vec<ThreadPool> {
    let all = rayon::current_num_threads();
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
    if all == 1 { vec![pool(1)] } else { vec![pool(1), pool(all)] }
}

/// Measures traces by k, l and h, and rotations, on one thread and on all, and a search on all.
///
/// # Panics
/// If there are no kernels to measure.
pub fn trace(settings: &Settings, tell: Tell<'_>) -> TraceReport {
    let backends = extremes(&settings.backends);
    let pools = pools();
    let grid: Vec<(usize, usize)> = if settings.quick {
        vec![(5, 4)]
    } else {
        SPECIAL_PRIMES.into_iter().flat_map(|k| LEVELS.map(|l| (k, l))).collect()
    };
    let steps = grid.len() + 2;
    let mut rows = Vec::new();
    for (done, &(k, l)) in grid.iter().enumerate() {
        let setting = Setting::new(&literal(k, l), &backends, (1 << LOG2_LENGTH) - 1);
        for party in &setting.parties {
            for pool in &pools {
                rows.extend(pool.install(|| traces(settings, party, k, l)));
            }
        }
        tell(done + 1, steps);
    }
    let setting = Setting::new(&ckks_literal(), &backends, (1 << LOG2_LENGTH) - 1);
    let mut rotations = Vec::new();
    for party in &setting.parties {
        for pool in &pools {
            rotations.extend(pool.install(|| rotation_rows(settings, party)));
        }
    }
    tell(steps - 1, steps);
    let fastest = *backends.last().expect("at least one back-end is measured");
    let search = SearchRow::measure(fastest, settings.effort());
    tell(steps, steps);
    let machine = Machine { threads: rayon::current_num_threads(), ..Machine::this(&backends) };
    TraceReport { machine, rows, rotations, search }
}

/// The stages that a short measurement on this machine chooses.
fn chosen(party: &Party) -> Vec<usize> {
    let rlwe = party.params.rlwe();
    let cost = StageCost::measure(rlwe, party.params.max_level());
    choose_unrolling(LOG2_LENGTH, cost, 1, u64::MAX)
}

fn traces(settings: &Settings, party: &Party, k: usize, l: usize) -> Vec<TraceRow> {
    let unrolled = |h: u32| {
        let bits = |i: u32| LOG2_LENGTH / h + u32::from(i < LOG2_LENGTH % h);
        (Method::Unrolled, (0..h).map(|i| 1 << bits(i)).collect::<Vec<usize>>())
    };
    let chosen = chosen(party);
    let mut ways = vec![(Method::RepeatedDoubling, vec![2; LOG2_LENGTH as usize])];
    ways.extend((1..=LOG2_LENGTH).map(unrolled));
    // Stages that are also those of a number h are timed once.
    let same = ways.iter().position(|(method, factors)| *method == Method::Unrolled && *factors == chosen);
    let place = same.unwrap_or_else(|| {
        ways.push((Method::Chosen, chosen));
        ways.len() - 1
    });
    let trace = |(method, factors): &(Method, Vec<usize>)| {
        let hoisting = match method {
            Method::RepeatedDoubling => Hoisting::Separate,
            Method::Unrolled | Method::Chosen => Hoisting::Lazy,
        };
        Trace::new(RING_DEGREE, factors, hoisting)
    };
    let traces: Vec<Trace> = ways.iter().map(trace).collect();
    let work = |trace| {
        let work = move || {
            std::hint::black_box(
                party.evaluator.trace(&party.ciphertext, trace).expect("all keys are there"),
            );
        };
        Box::new(work) as Box<dyn FnMut()>
    };
    let mut works: Vec<_> = traces.iter().map(work).collect();
    let mut other = vec![0_u64; CACHE_BYTES / size_of::<u64>()];
    let others_work = || other.iter_mut().step_by(8).for_each(|word| *word = std::hint::black_box(*word + 1));
    let times = milliseconds(settings, others_work, &mut works);
    let (rlwe, level) = (party.evaluator.params().rlwe(), party.ciphertext.level());
    let key = |g| party.evaluator.keys().automorphism(rlwe, g, level).expect("all keys are there");
    let row = |method, at: usize| TraceRow {
        method,
        log2_n: RING_DEGREE.ilog2(),
        m: LOG2_LENGTH,
        k,
        l,
        h: ways[at].1.len(),
        factors: ways[at].1.clone(),
        threads: rayon::current_num_threads(),
        kernels: party.backend.name(),
        ms_min: times[at].0,
        ms_median: times[at].1,
        key_bytes: traces[at].elements().map(|g| key(g).bytes()).sum(),
    };
    let fixed = ways.iter().enumerate().filter(|(_, (method, _))| *method != Method::Chosen);
    fixed.map(|(at, (method, _))| row(*method, at)).chain([row(Method::Chosen, place)]).collect()
}

fn rotation_rows(settings: &Settings, party: &Party) -> Vec<RotationRow> {
    let Party { evaluator, ciphertext, .. } = party;
    let alone = |work: &mut dyn FnMut()| milliseconds(settings, || {}, &mut [Box::new(work)])[0];
    let row = |operation, rotations, (ms_min, ms_median)| RotationRow {
        operation,
        rotations,
        threads: rayon::current_num_threads(),
        kernels: party.backend.name(),
        ms_min,
        ms_median,
    };
    let mut rows = Vec::new();
    let mut rotate = || _ = std::hint::black_box(evaluator.rotate(ciphertext, 1).expect("the key is there"));
    rows.push(row("rotate", 1, alone(&mut rotate)));
    for count in HOISTED {
        let places: Vec<i64> = (1..=count as i64).collect();
        let mut hoisted =
            || _ = std::hint::black_box(evaluator.rotate_many(ciphertext, &places).expect("as above"));
        rows.push(row("hoisted", count, alone(&mut hoisted)));
    }
    let mut sum = |operation, factors: &[usize]| {
        let trace = Trace::new(RING_DEGREE, factors, Hoisting::Lazy);
        let mut sum = || _ = std::hint::black_box(evaluator.trace(ciphertext, &trace).expect("as above"));
        rows.push(row(operation, trace.elements().count(), alone(&mut sum)));
    };
    sum("sum", &[HOISTED[2] + 1]);
    sum("sum_of_slots", &chosen(party));
    rows
}
