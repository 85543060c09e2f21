//! Nanoseconds per FFT kernel call, the best of many, for every back-end:
//! `cargo run --release --example fft_timing`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use asanoha_kernels::{Backend, FftTable, MAX_FFT_DEGREE, MIN_FFT_DEGREE, Modulus};

/// Words that start at a cache line, as the loops like them best.
struct Aligned<T> {
    words: Vec<T>,
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    fn new(length: usize, word: impl Fn(i64) -> T) -> Self {
        let mut words = vec![T::default(); length + 8];
        let start = words.as_ptr().align_offset(64);
        words[start..start + length].iter_mut().zip(1..).for_each(|(slot, i)| *slot = word(i));
        Self { words, start }
    }

    fn words(&mut self) -> &mut [T] {
        let end = self.words.len() - 8 + self.start;
        &mut self.words[self.start..end]
    }
}

fn best(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 16;
    let end = Instant::now() + Duration::from_millis(200);
    let mut best = Duration::MAX;
    while Instant::now() < end {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        best = best.min(start.elapsed());
    }
    best.as_nanos() as f64 / f64::from(CALLS)
}

fn main() {
    println!("ns; n: real coefficients");
    println!("backend        n  forward  inverse  mul_add    round");
    let mut degree = MIN_FFT_DEGREE;
    while degree <= MAX_FFT_DEGREE {
        let table = FftTable::new(degree).expect("in range");
        let mut input = Aligned::new(degree, |i| i.wrapping_mul(0x1e37_79b9_7f4a_7c15) >> 40);
        let (mut a, mut b) = (Aligned::new(degree, |i| i as f64), Aligned::new(degree, |i| 1.0 / i as f64));
        let (mut c, mut torus) = (Aligned::new(degree, |_| 0.0), Aligned::new(degree, |_| 0u64));
        let (input, torus) = (input.words(), torus.words());
        let (a, b, c) = (a.words(), b.words(), c.words());
        for backend in Backend::available() {
            let kernels = backend.kernels(Modulus::MAX_BITS);
            let forward = best(|| (kernels.fft_forward)(black_box(&mut *c), black_box(&*input), &table));
            // The inverse of zero is zero: no call's numbers grow out of range.
            c.fill(0.0);
            let inverse = best(|| (kernels.fft_inverse)(black_box(&mut *a), black_box(&mut *c), &table));
            a.iter_mut().zip(1..).for_each(|(a, i)| *a = f64::from(i));
            let mul_add = best(|| (kernels.fft_mul_add)(black_box(&mut *c), black_box(&*a), black_box(&*b)));
            let round = best(|| (kernels.fft_round_add)(black_box(&mut *torus), black_box(&*a)));
            println!("{:<10}{degree:>6}{forward:>9.0}{inverse:>9.0}{mul_add:>9.0}{round:>9.0}", kernels.name);
        }
        degree *= 2;
    }
}
