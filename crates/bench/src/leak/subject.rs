//! The measurement of one operation.

use std::{fmt, time::Duration};

use asanoha_ring::Sampler;

use super::welch::{Sample, largest_t, means};

/// What chance gives stays below this.
const PASSES: f64 = 4.5;
/// What is above this is no chance.
const LEAKS: f64 = 10.0;
/// Between the two, so many times more are measured.
const AGAIN: usize = 4;
/// Long operations are measured by this factor less often.
pub(super) const RARELY: usize = 10;

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
pub(super) struct Subject {
    pub(super) operation: String,
    classes: [&'static str; 2],
    /// One of so many measurements is made: operations that take long are measured less often.
    every: usize,
    pub(super) run: Run,
}

impl Subject {
    pub(super) fn new(
        operation: &str,
        classes: [&'static str; 2],
        run: impl FnMut(bool) -> (bool, Duration) + 'static,
    ) -> Self {
        Self { operation: operation.to_owned(), classes, every: 1, run: Box::new(run) }
    }

    /// The same operation, measured less often.
    pub(super) fn rarely(self) -> Self {
        Self { every: RARELY, ..self }
    }

    pub(super) fn measure(&mut self, measurements: usize) -> LeakRow {
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
