//! Nanoseconds per FFT kernel call, the best of many, for every back-end:
//! `cargo run --release --example fft_timing`.

mod timing;

use std::hint::black_box;

use asanoha_kernels::{Backend, FftTable, MAX_FFT_DEGREE, MIN_FFT_DEGREE, Modulus};
use timing::{Aligned, best};

fn main() {
    println!("ns; n: real coefficients");
    println!("backend        n  forward  inverse  mul_add    round");
    let mut degree = MIN_FFT_DEGREE;
    while degree <= MAX_FFT_DEGREE {
        let table = FftTable::new(degree).expect("in range");
        let mut input =
            Aligned::new(degree, |i| (i + 1).cast_signed().wrapping_mul(0x1e37_79b9_7f4a_7c15) >> 40);
        let (mut a, mut b) =
            (Aligned::new(degree, |i| (i + 1) as f64), Aligned::new(degree, |i| 1.0 / (i + 1) as f64));
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
