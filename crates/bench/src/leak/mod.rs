//! Secrets in times: operations on inputs of two classes, in random order, whose times are compared by Welch's t-test.
//!
//! Source: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?" (DATE 2017).

mod subjects;
mod welch;

use std::{fmt, time::Duration};

use asanoha_kernels::Backend;
use asanoha_ring::Sampler;

use welch::{Sample, largest_t, means};

/// What chance gives stays below this.
const PASSES: f64 = 4.5;
/// What is above this is no chance.
const LEAKS: f64 = 10.0;
/// Between the two, so many times more are measured.
const AGAIN: usize = 4;
/// Long operations are measured by this factor less often.
const RARELY: usize = 10;
/// Fewer measurements than this say nothing of these.
const FEWEST: usize = 500 * RARELY;

/// What the times of an operation say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakVerdict {
    /// |t| < 4.5: no difference was found.
    Passes,
    /// |t| from 4.5 to 10: measure more often.
    Unclear,
    /// |t| > 10: the time depends on the class.
    Leaks,
}

impl fmt::Display for LeakVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passes => "passes",
            Self::Unclear => "unclear",
            Self::Leaks => "LEAKS",
        })
    }
}

/// The times of one operation. `Display` writes a line of a table, below [`LeakRow::HEAD`].
#[derive(Clone, Debug)]
pub struct LeakRow {
    /// The operation.
    pub operation: String,
    /// The two classes of inputs.
    pub classes: [&'static str; 2],
    /// The number of measurements.
    pub measurements: usize,
    /// The mean time of each class, in nanoseconds.
    pub mean_ns: [f64; 2],
    /// The largest |t| of all crops.
    pub t: f64,
}

impl LeakRow {
    /// The head of the table.
    pub const HEAD: &'static str = "operation                        classes of inputs              measured     mean ns     mean ns    |t|";

    /// Returns what |t| says.
    pub fn verdict(&self) -> LeakVerdict {
        match self.t {
            t if t < PASSES => LeakVerdict::Passes,
            t if t <= LEAKS => LeakVerdict::Unclear,
            _ => LeakVerdict::Leaks,
        }
    }
}

impl fmt::Display for LeakRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self { operation, measurements, mean_ns: [first, second], t, .. }, verdict) =
            (self, self.verdict());
        let classes = self.classes.join(", ");
        write!(
            f,
            "{operation:<32} {classes:<30} {measurements:>8} {first:>11.1} {second:>11.1} {t:>6.2}  {verdict}"
        )
    }
}

/// Runs an operation once on a new input of a class, the second one if `true`. Returns the class and the time without that of
/// making the input. Operations whose class is known only by their result return that.
type Run = Box<dyn FnMut(bool) -> (bool, Duration)>;

/// An operation that is measured.
struct Subject {
    operation: String,
    classes: [&'static str; 2],
    /// One of so many measurements is made: operations that take long are measured less often.
    every: usize,
    run: Run,
}

impl Subject {
    fn new(
        operation: &str,
        classes: [&'static str; 2],
        run: impl FnMut(bool) -> (bool, Duration) + 'static,
    ) -> Self {
        Self { operation: operation.to_owned(), classes, every: 1, run: Box::new(run) }
    }

    /// The same operation, measured less often.
    fn rarely(self) -> Self {
        Self { every: RARELY, ..self }
    }

    fn measure(&mut self, measurements: usize) -> LeakRow {
        let count = measurements / self.every;
        let row = self.measure_times(count);
        if row.verdict() == LeakVerdict::Unclear { self.measure_times(AGAIN * count) } else { row }
    }

    fn measure_times(&mut self, count: usize) -> LeakRow {
        // The first ones find caches and branch predictors cold.
        let warm_up = count / 20;
        let classes = Sampler::from_os().binary(warm_up + count);
        let mut sample = |&class: &u64| {
            let (class, time) = (self.run)(class == 1);
            (class, time.as_secs_f64() * 1e9)
        };
        let samples: Vec<Sample> = classes.iter().map(&mut sample).collect();
        let samples = &samples[warm_up..];
        LeakRow {
            operation: self.operation.clone(),
            classes: self.classes,
            measurements: count,
            mean_ns: means(samples),
            t: largest_t(samples),
        }
    }
}

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
    use std::{hint::black_box, time::Instant};

    use super::*;

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
        let row = constant.measure(2000);
        assert_ne!(row.verdict(), LeakVerdict::Leaks, "{row}");
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
