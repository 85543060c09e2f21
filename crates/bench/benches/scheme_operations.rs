//! The NTT and the operations of BGV, BFV and CKKS on one thread, on the portable and on the fastest kernels that this
//! processor has: N = 2^15, 11 ciphertext primes, 3 digits, in BFV 3, 6 and 8 primes and 2 digits (see the parameter sets
//! of the crate).
//!
//! `cargo bench -p asanoha-bench --bench scheme_operations -- ckks/rotate` measures one operation. Results are dropped
//! within the measured time: returning memory is part of what an operation costs.

use std::{cell::LazyCell, hint::black_box, time::Duration};

use asanoha_bench::{BFV_DEPTHS, Party, RING_DEGREE, ROTATION, bfv_party, bgv_party, ckks_party, primes};
use asanoha_kernels::{Backend, Modulus, NttTable};
use asanoha_lattice::Level;
use asanoha_ring::Sampler;
use asanoha_scheme::{Ciphertext, Evaluator, Holds, Plaintext, Scheme};
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, measurement::WallTime};

/// Widths of the primes of the NTT: usual ones, the widest of the 52-bit kernels, and a wide one.
const NTT_PRIME_BITS: [u32; 3] = [46, 50, 60];

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    pool.install(|| {
        let mut criterion = Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(500))
            .measurement_time(Duration::from_secs(2))
            .configure_from_args();
        ntt(&mut criterion);
        bgv(&mut criterion);
        bfv(&mut criterion);
        ckks(&mut criterion);
        criterion.final_summary();
    });
}

/// The portable back-end and the best one, once if they are the same.
fn backends() -> Vec<Backend> {
    let best = *Backend::available().last().expect("scalar is always available");
    let mut backends = vec![Backend::Scalar, best];
    backends.dedup();
    backends
}

fn ntt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ntt");
    for backend in backends() {
        for bits in NTT_PRIME_BITS {
            let kernels = backend.kernels(bits);
            if kernels.name != backend.name() {
                continue;
            }
            let modulus = Modulus::new(primes(bits, 1)[0]).expect("a prime of at most 61 bits");
            let table = NttTable::new(modulus, RING_DEGREE).expect("the prime allows it");
            // A transform's result is a valid operand of the next one.
            let mut words: Vec<u64> = (0..RING_DEGREE as u64).map(|j| modulus.pow(3, j)).collect();
            group.bench_function(
                BenchmarkId::new(format!("forward_{bits}_bits"), backend.name()),
                |bencher| {
                    bencher.iter(|| (kernels.ntt_forward)(black_box(&mut words), &table));
                },
            );
            group.bench_function(
                BenchmarkId::new(format!("inverse_{bits}_bits"), backend.name()),
                |bencher| {
                    bencher.iter(|| (kernels.ntt_inverse)(black_box(&mut words), &table));
                },
            );
        }
    }
    group.finish();
}

/// Measures one operation; what it gives is dropped within the measured time.
fn operation<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    backend: Backend,
    mut run: impl FnMut() -> T,
) {
    group.bench_function(BenchmarkId::new(name, backend.name()), |bencher| {
        bencher.iter(&mut run);
    });
}

/// What is alike in all schemes.
fn scheme<S: Holds<<S as Scheme>::Value>>(
    criterion: &mut Criterion,
    name: &str,
    party: impl Fn(Backend) -> Party<S>,
    settle: impl Fn(&Evaluator<S>, Ciphertext<S>) -> Ciphertext<S>,
) {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    for backend in backends() {
        // Made at the first operation that the command line asks for.
        let party = LazyCell::new(|| party(backend));

        operation(&mut group, "multiply", backend, || {
            let [a, b] = black_box(&party.ciphertexts);
            settle(&party.evaluator, party.evaluator.multiply_exact(a, b).expect("valid operands"))
        });
        operation(&mut group, "square", backend, || {
            let square = party.evaluator.square_exact(black_box(&party.ciphertexts[0]));
            settle(&party.evaluator, square.expect("valid operand"))
        });
        operation(&mut group, "rotate", backend, || {
            party.evaluator.rotate(black_box(&party.ciphertexts[0]), ROTATION).expect("the key is there")
        });
        operation(&mut group, "encode", backend, || {
            let plaintext = black_box(&party).encode().expect("the values fit");
            // Made at its first use.
            plaintext.addend();
            plaintext
        });
        let mut sampler = Sampler::from_os();
        operation(&mut group, "encrypt", backend, || {
            let plaintext = black_box(&party.plaintext);
            party.encryptor.encrypt(&party.public, plaintext, &mut sampler).expect("the level has room")
        });
        operation(&mut group, "decrypt", backend, || {
            party.decrypt(black_box(&party.ciphertexts[0])).expect("a fresh ciphertext")
        });
    }
    group.finish();
}

fn bgv(criterion: &mut Criterion) {
    scheme(criterion, "bgv", bgv_party, |evaluator, product| {
        let below = Level(product.level().0 - 1);
        evaluator.switch_to(&product, below).expect("valid operand")
    });
}

fn bfv(criterion: &mut Criterion) {
    for depth in BFV_DEPTHS {
        let party = |backend| bfv_party(depth, backend);
        scheme(criterion, &format!("bfv_depth_{depth}"), party, |_, product| product);
    }
}

fn ckks(criterion: &mut Criterion) {
    scheme(criterion, "ckks", ckks_party, |evaluator, product| {
        evaluator.rescale(&product).expect("valid operand")
    });
}
