//! What the sums of products of a batch of matrices take: `cargo run --release -p asanoha-ring --example images_timing`.

use std::time::Instant;

use asanoha_kernels::primes_congruent_to_one;
use asanoha_ring::{Backend, Basis, Evaluation, FixingAutomorphisms, Poly, Seed, uniform_from_seed};

fn main() {
    let (n, d, primes) = (1 << 15, 128, 12);
    let basis = primes_congruent_to_one(48, 2 * n as u64, primes, &[]).unwrap();
    let basis = Basis::new(n, &basis, Backend::detect().unwrap()).unwrap();
    let polys: Vec<Poly<Evaluation>> =
        (0..4 * d).map(|i| uniform_from_seed(&basis, &Seed([i as u8; 32]))).collect();
    let refs: Vec<&Poly<Evaluation>> = polys.iter().collect();
    let parts: Vec<&[&Poly<Evaluation>]> = refs.chunks_exact(d).collect();
    for _ in 0..3 {
        let start = Instant::now();
        let sums =
            Poly::sums_of_image_products(&FixingAutomorphisms::new(n, d), &parts[..2], &parts[2..], None);
        let seconds = start.elapsed().as_secs_f64();
        let products = (d * d * 4 * n * primes) as f64;
        println!("{seconds:.2} s, {:.1} G products/s, {}", products / seconds / 1e9, sums.len());
    }
}
