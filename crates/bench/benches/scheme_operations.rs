//! The NTT and the operations of BGV, BFV and CKKS on one thread, on the portable and on the fastest kernels that this
//! processor has: N = 2^15, 11 ciphertext primes, 3 digits, in BFV 3, 6 and 8 primes and 2 digits (see the parameter sets
//! of the crate).
//!
//! `cargo bench -p asanoha-bench --bench scheme_operations -- ckks/rotate` measures one operation. Results are dropped
//! within the measured time: returning memory is part of what an operation costs.

use std::{cell::LazyCell, hint::black_box, time::Duration};

use asanoha_bench::{BFV_DEPTHS, BfvParty, BgvParty, CkksParty, RING_DEGREE, ROTATION, primes};
use asanoha_kernels::{Backend, Modulus, NttTable};
use asanoha_lattice::Level;
use asanoha_ring::Sampler;
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

fn bgv(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bgv");
    group.sampling_mode(SamplingMode::Flat);
    for backend in backends() {
        // Made at the first operation that the command line asks for.
        let party = LazyCell::new(|| BgvParty::new(backend));

        operation(&mut group, "multiply_relinearise_switch", backend, || {
            let [a, b] = black_box(&party.ciphertexts);
            let product = party.evaluator.multiply(a, b).expect("valid operands");
            let below = Level(party.plaintext.level().0 - 1);
            party.evaluator.switch_to(product, below).expect("valid operand")
        });
        operation(&mut group, "rotate", backend, || {
            party.evaluator.rotate(black_box(&party.ciphertexts[0]), ROTATION).expect("the key is there")
        });
        operation(&mut group, "encode", backend, || {
            party.encoder.encode(black_box(&party.values), party.plaintext.level()).expect("the values fit")
        });
        let mut sampler = Sampler::from_os();
        operation(&mut group, "encrypt", backend, || {
            let plaintext = black_box(&party.plaintext);
            party.encryptor.encrypt(&party.public, plaintext, &mut sampler).expect("the level has room")
        });
        operation(&mut group, "decrypt", backend, || {
            party
                .decryptor
                .decrypt(&party.secret, black_box(&party.ciphertexts[0]))
                .expect("a fresh ciphertext")
        });
    }
    group.finish();
}

fn bfv(criterion: &mut Criterion) {
    for depth in BFV_DEPTHS {
        let mut group = criterion.benchmark_group(format!("bfv_depth_{depth}"));
        group.sampling_mode(SamplingMode::Flat);
        for backend in backends() {
            let party = LazyCell::new(|| BfvParty::new(depth, backend));

            operation(&mut group, "multiply_relinearise", backend, || {
                let [a, b] = black_box(&party.ciphertexts);
                party.evaluator.multiply(a, b).expect("valid operands")
            });
            operation(&mut group, "square_relinearise", backend, || {
                party.evaluator.square(black_box(&party.ciphertexts[0])).expect("valid operand")
            });
            operation(&mut group, "chain", backend, || {
                let first = black_box(&party.ciphertexts[0]);
                let square = |a| party.evaluator.square(&a).expect("valid operand");
                (0..depth).fold(first.clone(), |a, _| square(a))
            });
            operation(&mut group, "rotate", backend, || {
                let a = black_box(&party.ciphertexts[0]);
                party.evaluator.rotate(a, ROTATION).expect("the key is there")
            });
            operation(&mut group, "encode", backend, || {
                let level = party.plaintext.level();
                let plaintext =
                    party.encoder.encode(black_box(&party.values), level).expect("the values fit");
                // Made at its first use.
                plaintext.scaled();
                plaintext
            });
            let mut sampler = Sampler::from_os();
            operation(&mut group, "encrypt", backend, || {
                let plaintext = black_box(&party.plaintext);
                party.encryptor.encrypt(&party.public, plaintext, &mut sampler).expect("the level has room")
            });
            operation(&mut group, "decrypt", backend, || {
                let a = black_box(&party.ciphertexts[0]);
                party.decryptor.decrypt(&party.secret, a).expect("a fresh ciphertext")
            });
        }
        group.finish();
    }
}

fn ckks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ckks");
    group.sampling_mode(SamplingMode::Flat);
    for backend in backends() {
        let party = LazyCell::new(|| CkksParty::new(backend));

        operation(&mut group, "multiply_relinearise_rescale", backend, || {
            let [a, b] = black_box(&party.ciphertexts);
            let product = party.evaluator.multiply(a, b).expect("valid operands");
            party.evaluator.rescale(product).expect("valid operand")
        });
        operation(&mut group, "rotate", backend, || {
            party.evaluator.rotate(black_box(&party.ciphertexts[0]), ROTATION).expect("the key is there")
        });
        operation(&mut group, "encode", backend, || {
            let (level, scale) = (party.plaintext.level(), party.plaintext.state().scale);
            party.encoder.encode_real(black_box(&party.values), 1.0, level, scale).expect("the values fit")
        });
        let mut sampler = Sampler::from_os();
        operation(&mut group, "encrypt", backend, || {
            let plaintext = black_box(&party.plaintext);
            party.encryptor.encrypt(&party.public, plaintext, &mut sampler).expect("the level has room")
        });
        operation(&mut group, "decrypt", backend, || {
            party
                .decryptor
                .decrypt_real(&party.secret, black_box(&party.ciphertexts[0]))
                .expect("a fresh ciphertext")
        });
    }
    group.finish();
}
