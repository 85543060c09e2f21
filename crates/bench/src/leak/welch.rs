//! Welch's t-test.

/// The times of one class and of the other: how many, their mean and their variance.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Takes one more, by Welford's update.
    fn add(&mut self, x: f64) {
        self.count += 1.0;
        let distance = x - self.mean;
        self.mean += distance / self.count;
        self.squares += distance * (x - self.mean);
    }

    /// The variance of the mean.
    fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0) / self.count
    }
}

/// Fewer times of a class than this say nothing.
const FEWEST: f64 = 100.0;
/// The times below so many percentiles are also compared alone: interrupts make a tail that hides small differences.
const CROPS: i32 = 20;

/// A time in nanoseconds, and whether it's of the second class.
pub(super) type Sample = (bool, f64);

/// The mean times of both classes.
pub(super) fn means(samples: &[Sample]) -> [f64; 2] {
    moments(samples, f64::INFINITY).map(|class| class.mean)
}

/// The largest |t| of all times and of those up to each percentile 1 − 2^(−i/2).
pub(super) fn largest_t(samples: &[Sample]) -> f64 {
    let mut sorted: Vec<f64> = samples.iter().map(|sample| sample.1).collect();
    sorted.sort_by(f64::total_cmp);
    let percentile = |i: i32| {
        let part = 1.0 - 2f64.powf(-f64::from(i) / 2.0);
        sorted.get((part * sorted.len() as f64) as usize).copied().unwrap_or(f64::INFINITY)
    };
    let crops = (1..=CROPS).map(percentile).chain([f64::INFINITY]);
    crops.filter_map(|most| t(&moments(samples, most))).fold(0.0, f64::max)
}

fn moments(samples: &[Sample], most: f64) -> [Moments; 2] {
    let mut classes = [Moments::default(); 2];
    samples
        .iter()
        .filter(|(_, time)| *time <= most)
        .for_each(|&(class, time)| classes[usize::from(class)].add(time));
    classes
}

/// |t|; `None` for too few times, or for times that are all the same.
fn t(classes: &[Moments; 2]) -> Option<f64> {
    let [a, b] = classes;
    let variance = a.variance() + b.variance();
    let enough = a.count >= FEWEST && b.count >= FEWEST && variance > 0.0;
    enough.then(|| (a.mean - b.mean).abs() / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times around 1000 in a class of 600 and around 1000 + `apart` in one of 400, with the given tail for one in a hundred.
    fn samples(apart: f64, tail: f64) -> Vec<Sample> {
        let time = |i: usize| {
            let class = i % 5 < 2;
            let noise = (i * 7919 % 101) as f64 - 50.0;
            let interrupt = if i.is_multiple_of(97) { tail * (i % 13) as f64 } else { 0.0 };
            (class, 1000.0 + noise + interrupt + if class { apart } else { 0.0 })
        };
        (0..1000).map(time).collect()
    }

    #[test]
    fn t_is_the_difference_over_its_deviation() {
        let mut classes = [Moments::default(); 2];
        (0..200).for_each(|i| classes[0].add(f64::from(i % 2)));
        (0..100).for_each(|i| classes[1].add(1.0 + f64::from(i % 4)));
        // Means ½ and 5/2; sums of squares 50 and 125.
        let variance: f64 = 50.0 / 199.0 / 200.0 + 125.0 / 99.0 / 100.0;
        assert!((t(&classes).unwrap() - 2.0 / variance.sqrt()).abs() < 1e-9);
        classes[1] = Moments::default();
        assert_eq!(t(&classes), None);
    }

    #[test]
    fn a_difference_is_found_below_a_tail_that_hides_it() {
        assert!(largest_t(&samples(0.0, 0.0)) < 4.5);
        assert!(largest_t(&samples(0.0, 1e5)) < 4.5);
        assert!(largest_t(&samples(20.0, 0.0)) > 10.0);
        let hidden = samples(20.0, 1e5);
        assert!(t(&moments(&hidden, f64::INFINITY)).unwrap() < 4.5 && largest_t(&hidden) > 8.0);
        let [small, large] = means(&samples(20.0, 0.0));
        assert!((large - small - 20.0).abs() < 3.0);
    }

    #[test]
    fn equal_times_say_nothing() {
        let same: Vec<Sample> = (0..1000).map(|i| (i % 2 == 0, 7.0)).collect();
        assert_eq!(largest_t(&same), 0.0);
    }
}
