//! Axes of figures: ranges of values, their places in the drawing, and round ticks.

use super::numbers::short;

/// The most ticks of an axis.
const MOST_TICKS: usize = 6;
/// The least quotient of the ends of a logarithmic axis of values.
const LEAST_FACTOR: f64 = 10.0;

/// A round value in few letters.
pub(super) fn label(tick: f64) -> String {
    let is_short = tick == 0.0 || (1e-3..1e5).contains(&tick.abs());
    if is_short { short(tick) } else { format!("{:e}", format!("{tick:.2e}").parse::<f64>().unwrap_or(tick)) }
}

/// An axis over a range of values, with the places of its ends in the drawing.
pub(super) struct Axis {
    range: [f64; 2],
    log: bool,
    places: [f64; 2],
}

impl Axis {
    /// An axis that holds all values; on a logarithmic one those above 0.
    pub(super) fn new(values: impl Iterator<Item = f64>, log: bool, places: [f64; 2]) -> Option<Self> {
        let values = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let range = match (low <= high, log) {
            (false, _) => return None,
            (true, true) => [low / 1.2, high * 1.2],
            (true, false) => {
                let margin = if low < high { (high - low) * 0.05 } else { high.abs() * 0.1 + 1e-9 };
                [if low >= 0.0 { (low - margin).max(0.0) } else { low - margin }, high + margin]
            }
        };
        Some(Self { range, log, places })
    }

    /// An axis on which distances show how much values differ: a linear one begins at 0, unless values are below, and a
    /// logarithmic one spans a factor of at least 10.
    pub(super) fn of_values(values: impl Iterator<Item = f64>, log: bool, places: [f64; 2]) -> Option<Self> {
        let mut axis = Self::new(values, log, places)?;
        let [low, high] = axis.range;
        axis.range = if log {
            let widened = (LEAST_FACTOR / (high / low)).sqrt().max(1.0);
            [low / widened, high * widened]
        } else {
            [low.min(0.0), high]
        };
        Some(axis)
    }

    /// The place of a value in the drawing; `None` if the axis can't show it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let of = |value: f64| if self.log { value.ln() } else { value };
        let [low, high] = self.range.map(of);
        let part = (of(value) - low) / (high - low);
        part.is_finite().then(|| self.places[0] + part * (self.places[1] - self.places[0]))
    }

    /// Round values on the axis with their places, few enough that their labels don't touch.
    pub(super) fn ticks(&self) -> Vec<(f64, f64)> {
        let [low, high] = self.range;
        let values = if self.log { log_ticks(low, high) } else { linear_ticks(low, high) };
        values.into_iter().filter_map(|value| Some((value, self.place(value)?))).collect()
    }
}

/// Multiples of the smallest round step of which there are few.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let decade = 10f64.powf(((high - low) / MOST_TICKS as f64).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade);
    let step =
        steps.into_iter().find(|step| (high - low) / step < MOST_TICKS as f64).unwrap_or(10.0 * decade);
    let [first, last] = [(low / step).ceil(), (high / step).floor()].map(|tick| tick as i64);
    (first..=last).map(|tick| tick as f64 * step).collect()
}

/// Powers of ten, or 1, 2 and 5 times these where there are few.
fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let inside = |factors: &[f64]| -> Vec<f64> {
        let ticks = decades.clone().flat_map(|decade| factors.iter().map(move |f| f * 10f64.powi(decade)));
        ticks.filter(|tick| (low..=high).contains(tick)).collect()
    };
    let sets: [&[f64]; 3] = [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], &[1.0, 2.0, 5.0], &[1.0]];
    let fitting = sets.iter().map(|set| inside(set)).find(|ticks| (1..=MOST_TICKS).contains(&ticks.len()));
    fitting.unwrap_or_else(|| {
        let all = inside(&[1.0]);
        let every = all.len().div_ceil(MOST_TICKS).max(1);
        all.into_iter().step_by(every).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_few_and_inside() {
        for (low, high) in [
            (0.0, 1.0),
            (0.3, 7.9),
            (2.0, 10.0),
            (0.001, 1e9),
            (4.9, 5.1),
            (1.0, 60.0),
            (83.0, 4000.0),
            (-3.0, 2.0),
        ] {
            let linear = linear_ticks(low, high);
            assert!((2..=MOST_TICKS + 1).contains(&linear.len()), "{low} {high} {linear:?}");
            assert!(linear.iter().all(|tick| (low..=high).contains(tick)));
            if low > 0.0 {
                let log = log_ticks(low, high);
                assert!(
                    log.len() <= MOST_TICKS + 1 && log.iter().all(|tick| (low..=high).contains(tick)),
                    "{log:?}"
                );
                assert!(!log.is_empty() || high / low < 2.0, "{low} {high}");
            }
        }
    }

    #[test]
    fn labels_are_short() {
        for (tick, text) in [
            (0.0, "0"),
            (1e7, "1e7"),
            (6.0000000001e-5, "6e-5"),
            (2.5e6, "2.5e6"),
            (50_000.0, "50000"),
            (0.001, "0.001"),
        ] {
            assert_eq!(label(tick), text);
        }
    }

    #[test]
    fn values_stand_between_the_edges_in_order() {
        for (log, values) in [
            (true, vec![0.0, 1e-3, 5.0, 1e6]),
            (false, vec![-1.0, 0.0, 7.0]),
            (false, vec![3.0]),
            (true, vec![3.0]),
        ] {
            let axis = Axis::new(values.iter().copied(), log, [10.0, 100.0]).unwrap();
            let places: Vec<f64> = values.iter().filter_map(|value| axis.place(*value)).collect();
            assert!(
                places.is_sorted() && places.iter().all(|place| (10.0..=100.0).contains(place)),
                "{places:?}"
            );
            assert_eq!(places.len(), values.iter().filter(|value| !log || **value > 0.0).count());
        }
        for (log, values, low, high) in [
            (true, [250.0, 300.0], 90.0, 850.0),
            (true, [1.0, 1e3], 0.9, 1.1e3),
            (false, [5.1, 5.2], 0.0, 5.3),
            (false, [-2.0, 3.0], -2.3, 3.3),
        ] {
            let [first, last] = Axis::of_values(values.into_iter(), log, [0.0, 1.0]).unwrap().range;
            assert!(first <= values[0] && last >= values[1] && last / 1.2 < high, "{first} {last}");
            assert!(if log { first * 1.2 > low } else { first >= low }, "{first} {last}");
            assert!(!log || last / first >= LEAST_FACTOR * 0.999, "{first} {last}");
        }
        assert!(Axis::new(std::iter::empty(), true, [0.0, 1.0]).is_none());
        assert!(Axis::new([0.0].into_iter(), true, [0.0, 1.0]).is_none());
    }
}
