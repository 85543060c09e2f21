use std::time::Instant;
use asanoha_ring::{Backend, Basis, Poly, Sampler, Seed, uniform_from_seed};
use asanoha_kernels::primes_congruent_to_one;
fn main() {
    asanoha_ring::keep_unused_memory(4 << 30);
    let n = 1 << 16;
    let primes = primes_congruent_to_one(49, 2 * n as u64, 30, &[]).unwrap();
    for count in [1usize, 4, 30] {
        let basis = Basis::new(n, &primes[..count], Backend::detect().unwrap()).unwrap();
        let mut a = uniform_from_seed(&basis, &Seed([1; 32]));
        let b = uniform_from_seed(&basis, &Seed([2; 32]));
        let reps = 600 / count;
        let t = Instant::now();
        for _ in 0..reps { a = a.into_coefficient().into_evaluation(); }
        println!("{count} limbs: {:.1} us per transform", t.elapsed().as_secs_f64() * 1e6 / (2 * reps * count) as f64);
        let t = Instant::now();
        for _ in 0..reps { a.mul_assign(&b); }
        println!("{count} limbs: {:.1} us per product", t.elapsed().as_secs_f64() * 1e6 / (reps * count) as f64);
        let t = Instant::now();
        for _ in 0..reps { a.add_assign(&b); }
        println!("{count} limbs: {:.1} us per sum", t.elapsed().as_secs_f64() * 1e6 / (reps * count) as f64);
    }
}
