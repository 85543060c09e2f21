//! What the phases of generation take: `batch_timing [dimension] [outer] [blocks]`, modulo the 128-bit prime that MP-SPDZ takes.

use asanoha_mpc::{Generator, PhaseSeconds, TripleOptions, TripleParams, TripleShape};
use asanoha_ring::Seed;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    asanoha_ring::keep_unused_memory(4 << 30);
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let mut next = |default| numbers.next().unwrap_or(Ok(default));
    let (dimension, outer, blocks) = (next(128)?, next(128)?, next(1)?);
    let params = TripleParams::choose(&TripleOptions {
        modulus: "170141183460469231731687303715885907969".parse()?,
        shape: TripleShape::square(dimension),
        parties: 2,
        outer,
        insecure_ring_degree: None,
        backend: None,
    })?;
    println!("{params}");
    let generator = Generator::new(params, Seed([1; 32]));
    println!("keys of {:.2} GB", generator.key_bytes() as f64 / 1e9);
    for index in 0..blocks {
        let mut seconds = PhaseSeconds::default();
        generator.timed_block(index, &mut seconds)?;
        let per_triple = |seconds: f64| seconds * 1e3 / generator.params().block_size() as f64;
        let (all, one) = (per_triple(seconds.total()), per_triple(seconds.total() - seconds.others));
        println!("{seconds:.3?}; {all:.1} ms a triple, {one:.1} ms of them one party's");
    }
    Ok(())
}
