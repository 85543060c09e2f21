//! Times and cycles of pieces of work, alone or in turns.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use crate::clock;

/// The time that a sample should take: short work is repeated until it takes about this long.
const SAMPLE: Duration = Duration::from_micros(40);

/// The largest quotient of the median and the shortest sample with which a measurement counts.
const MOST_SPREAD: f64 = 4.0 / 3.0;

/// The number of measurements of one thing at most.
const MOST_ROUNDS: usize = 3;

/// The effort of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The time spent on each piece of work.
    time: Duration,
    /// The least number of samples, however long they take.
    samples: usize,
}

impl Effort {
    /// For figures that are kept.
    pub const FULL: Self = Self { time: Duration::from_millis(100), samples: 15 };
    /// For a quick look, and for tests.
    pub const QUICK: Self = Self { time: Duration::from_millis(1), samples: 3 };
}

/// The measured cost of one call of some work.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// The shortest sample, in nanoseconds.
    pub ns_min: f64,
    /// The median sample, in nanoseconds.
    pub ns_median: f64,
    /// The fewest cycles of the samples during which the clock was steady.
    pub cycles: f64,
}

/// Measures one piece of work.
pub fn measure(effort: Effort, mut work: impl FnMut()) -> Figures {
    let [figures] = compare(effort, [&mut work]);
    figures
}

/// Measures several pieces of work in turns, A B A B …, so that disturbances of the machine hit all alike; again if samples spread
/// by more than a third.
pub fn compare<const K: usize>(effort: Effort, mut works: [&mut dyn FnMut(); K]) -> [Figures; K] {
    let repeats: Vec<u32> = works.iter_mut().map(|work| repeats(*work)).collect();
    let round = || Ok::<_, Infallible>(compared(effort, &mut works, &repeats));
    let widest = |figures: &[Figures; K]| {
        figures.iter().map(|figures| figures.ns_median / figures.ns_min).fold(1.0, f64::max)
    };
    let Ok(figures) = steadiest(round, widest);
    figures
}

/// Calls `round` again while its samples spread by more than a third, three times at most, and returns the round that spreads least.
/// `spread` is the median of a round's samples over the shortest of them.
pub(crate) fn steadiest<T, E>(
    mut round: impl FnMut() -> Result<T, E>,
    spread: impl Fn(&T) -> f64,
) -> Result<T, E> {
    let mut kept = round()?;
    for _ in 1..MOST_ROUNDS {
        if spread(&kept) <= MOST_SPREAD {
            break;
        }
        let next = round()?;
        if spread(&next) < spread(&kept) {
            kept = next;
        }
    }
    Ok(kept)
}

/// The shortest time and the median one.
pub(crate) fn shortest_and_median(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

/// One round of [`compare`].
fn compared<const K: usize>(
    effort: Effort,
    works: &mut [&mut dyn FnMut(); K],
    repeats: &[u32],
) -> [Figures; K] {
    let mut samples: [Vec<Sample>; K] = [const { Vec::new() }; K];
    let start = Instant::now();
    while samples[0].len() < effort.samples || start.elapsed() < effort.time * K as u32 {
        let mut before = clock::chain();
        for ((work, samples), &repeats) in works.iter_mut().zip(&mut samples).zip(repeats) {
            let time = timed(repeats, *work);
            let after = clock::chain();
            let ns = time.as_secs_f64() * 1e9 / f64::from(repeats);
            samples.push(Sample { ns, before, after });
            before = after;
        }
    }
    let chains = samples.iter().flatten().flat_map(|sample| [sample.before, sample.after]);
    let shortest = chains.min().expect("there are samples");
    samples.map(|samples| summary(&samples, shortest))
}

/// One sample, with the chains before and after it.
struct Sample {
    ns: f64,
    before: Duration,
    after: Duration,
}

fn timed(repeats: u32, work: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..repeats {
        work();
    }
    start.elapsed()
}

/// The number of repetitions of some work in a sample. Afterwards the caches are warm.
fn repeats(work: &mut dyn FnMut()) -> u32 {
    work();
    let once = (0..3).map(|_| timed(1, work)).min().expect("three of them");
    (SAMPLE.as_nanos() / once.as_nanos().max(1)).clamp(1, 10_000) as u32
}

/// The figures of one piece of work; `chain` is the time of the shortest chain of all.
fn summary(samples: &[Sample], chain: Duration) -> Figures {
    let mut times: Vec<f64> = samples.iter().map(|sample| sample.ns).collect();
    times.sort_by(f64::total_cmp);
    let steady = samples.iter().filter(|sample| clock::is_steady(chain, sample.before, sample.after));
    let fewest = steady.map(|sample| sample.ns).fold(f64::INFINITY, f64::min);
    // On a machine that's never steady, the median sample counts: too many cycles rather than too few.
    let fewest = if fewest.is_finite() { fewest } else { times[times.len() / 2] };
    Figures {
        ns_min: times[0],
        ns_median: times[times.len() / 2],
        cycles: fewest * clock::cycles_per_ns(chain),
    }
}

/// A result, and the shortest time in milliseconds of `repeats` runs; of more, if these spread by more than a third.
pub(crate) fn best<T>(repeats: usize, mut work: impl FnMut() -> T) -> (T, f64) {
    let mut timed = || {
        let start = Instant::now();
        let result = work();
        (result, start.elapsed().as_secs_f64() * 1e3)
    };
    let round = || {
        let (result, first) = timed();
        let times = std::iter::once(first).chain((1..repeats).map(|_| timed().1)).collect();
        Ok::<_, Infallible>((result, shortest_and_median(times)))
    };
    let Ok((result, (shortest, _))) = steadiest(round, |(_, (shortest, median))| median / shortest);
    (result, shortest)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn cycles_are_those_of_the_shortest_steady_sample() {
        let [short, long] = [1000, 1020].map(Duration::from_nanos);
        let sample = |(ns, after)| Sample { ns, before: short, after };
        let mut samples =
            [(13.0, short), (10.0, long), (14.0, short), (11.0, long), (12.0, long)].map(sample);
        let found = summary(&samples, short);
        assert_eq!((found.ns_min, found.ns_median), (10.0, 12.0));
        assert_eq!(found.cycles, 13.0 * clock::cycles_per_ns(short));
        samples.iter_mut().for_each(|sample| sample.after = long);
        assert_eq!(summary(&samples, short).cycles, 12.0 * clock::cycles_per_ns(short));
    }

    #[test]
    fn works_are_measured_in_turns() {
        let calls = RefCell::new(Vec::new());
        let [mut a, mut b] = ["a", "b"].map(|name| {
            let calls = &calls;
            move || calls.borrow_mut().push(name)
        });
        let [a, b] = compare(Effort { time: Duration::ZERO, samples: 3 }, [&mut a, &mut b]);
        assert!(a.ns_min <= a.ns_median && b.ns_min <= b.ns_median);
        let mut calls = calls.into_inner();
        calls.dedup();
        // Once to find out how long they take, and three times in each round.
        assert_eq!(calls, ["a", "b"].repeat(calls.len() / 2));
        assert!([4, 7, 10].contains(&(calls.len() / 2)), "{calls:?}");
    }

    #[test]
    fn rounds_that_spread_are_measured_again_and_the_steadiest_counts() {
        for (spreads, expected) in [
            (&[1.3][..], Ok(1.3)),
            (&[1.4, 1.2], Ok(1.2)),
            (&[2.0, 1.4, 1.5], Ok(1.4)),
            (&[1.5, 2.0, 1.6], Ok(1.5)),
            (&[1.5, -1.0], Err(())),
        ] {
            let mut rounds = spreads.iter();
            let round = || rounds.next().copied().filter(|spread| *spread > 0.0).ok_or(());
            assert_eq!(steadiest(round, |spread| *spread), expected, "{spreads:?}");
            assert!(rounds.next().is_none(), "{spreads:?}");
        }
    }
}
