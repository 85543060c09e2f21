//! Secrets in times: operations on inputs of two classes, in random order, whose times are compared by Welch's t-test.
//!
//! Source: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?" (DATE 2017).

mod subject;
mod subjects;
mod welch;

use asanoha_kernels::Backend;

use subject::RARELY;
pub use subject::{LeakRow, LeakVerdict};

/// Fewer measurements than this say nothing of these.
const FEWEST: usize = 500 * RARELY;

/// Measures sampling, key generation, encryption and decryption of all schemes on one thread, and calls `done` with each row.
/// Short operations are measured so many times, long ones a tenth as often.
///
/// # Panics
/// If the back-end isn't available, or there are fewer than 5000 measurements, which say nothing.
pub fn leak(measurements: usize, backend: Backend, mut done: impl FnMut(&LeakRow) + Send) -> Vec<LeakRow> {
    assert!(measurements >= FEWEST);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        let measured = subjects::all(backend).into_iter().map(|mut subject| {
            let row = subject.measure(measurements);
            done(&row);
            row
        });
        measured.collect()
    })
}

#[cfg(test)]
mod tests {
    use std::{
        hint::black_box,
        time::{Duration, Instant},
    };

    use asanoha_ring::Sampler;

    use super::{subject::Subject, *};

    const BYTES: usize = 1 << 12;

    /// A comparison with a secret: inputs of the first class equal it.
    fn comparison(equal: fn(&[u8], &[u8]) -> bool) -> Subject {
        let (mut sampler, mut random, mut input) = (Sampler::from_os(), [0; BYTES], [0; BYTES]);
        let secret = [7; BYTES];
        Subject::new("comparison", ["equal", "random"], move |class| {
            let words = sampler.uniform(BYTES / 8);
            random
                .chunks_exact_mut(8)
                .zip(words.iter())
                .for_each(|(r, w)| r.copy_from_slice(&w.to_le_bytes()));
            input.copy_from_slice([&secret, &random][usize::from(class)]);
            // The caches hold both sides, whichever was copied.
            black_box(secret.iter().chain(&input).fold(0, |or, byte| or | byte));
            let start = Instant::now();
            black_box(equal(black_box(&secret), black_box(&input)));
            (class, start.elapsed())
        })
    }

    #[test]
    fn a_comparison_that_ends_at_the_first_difference_is_found() {
        let mut leaky = comparison(|a, b| a.iter().zip(b).all(|(a, b)| a == b));
        let row = leaky.measure(2000);
        assert_eq!(row.verdict(), LeakVerdict::Leaks, "{row}");
        assert!(row.mean_ns[0] > row.mean_ns[1] && row.to_string().ends_with("LEAKS"));
    }

    #[test]
    fn a_comparison_of_all_bytes_is_not_found() {
        let mut constant = comparison(|a, b| a.iter().zip(b).fold(0, |or, (a, b)| or | (a ^ b)) == 0);
        // A machine that changes its speed in between looks like a leak; one that is there is found every time.
        let rows: Vec<_> = (0..8).map(|_| constant.measure(2000)).collect();
        assert!(rows.iter().any(|row| row.verdict() != LeakVerdict::Leaks), "{}", rows[0]);
    }

    #[test]
    fn every_operation_runs_on_inputs_of_both_classes() {
        let subjects = subjects::all(Backend::Scalar);
        assert!(subjects.len() > 15);
        for mut subject in subjects {
            for class in [false, true] {
                let (_, time) = (subject.run)(class);
                assert!(time > Duration::ZERO, "{}", subject.operation);
            }
        }
    }

    #[test]
    fn rows_stand_below_their_heads() {
        let row = LeakRow {
            operation: "BGV decryption".to_owned(),
            classes: ["zero message", "random message"],
            measurements: 100_000,
            mean_ns: [123_456.7, 123_456.8],
            t: 5.25,
        };
        let line = row.to_string();
        assert_eq!(row.verdict(), LeakVerdict::Unclear);
        assert_eq!(line.find("  unclear"), Some(LeakRow::HEAD.len()), "{line}");
        assert_eq!(line.find("zero message"), LeakRow::HEAD.find("classes"));
    }
}
