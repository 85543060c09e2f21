//! Figures as SVG: lines over an axis, ours and the published ones.

use std::fmt::Write;

use super::{CellRow, numbers::short, papers::Place, rows::columns};

/// The size of the drawing, small so that text can be read on a phone.
const SIZE: [f64; 2] = [400.0, 280.0];
/// The edges of the area of the lines: left, right, top, bottom.
const EDGES: [f64; 4] = [56.0, 390.0, 12.0, 232.0];
/// The colours that there are.
const COLOURS: usize = 8;
/// The most ticks of an axis.
const MOST_TICKS: usize = 6;

/// Text in HTML and SVG.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A figure with its legend; `None` if it has no point at all.
pub(super) fn figure(place: &Place, rows: &[&CellRow]) -> Option<String> {
    let points = || {
        rows.iter().flat_map(|row| {
            let x = row.x.unwrap_or(0.0);
            [row.ours, row.published].into_iter().flatten().map(move |y| (x, y))
        })
    };
    let x = Axis::new(points().map(|point| point.0), place.x_log, [EDGES[0], EDGES[1]])?;
    let y = Axis::new(points().map(|point| point.1), place.y_log, [EDGES[3], EDGES[2]])?;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
        SIZE[0],
        SIZE[1],
        escape(&format!("{}: {}", place.name, place.title))
    );
    grid(&mut svg, &x, &y);
    let unit = if place.unit.is_empty() { String::new() } else { escape(&place.unit) };
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(EDGES[0], EDGES[1]),
        SIZE[1] - 8.0,
        escape(&place.x)
    );
    let _ = writeln!(
        svg,
        "<text class=\"axis\" transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">{unit}</text>",
        f64::midpoint(EDGES[2], EDGES[3])
    );
    let mut legend = String::from("<ul class=\"legend\">");
    for (at, column) in columns(rows).into_iter().enumerate() {
        let colour = at % COLOURS;
        let of_column = || rows.iter().filter(|row| row.column == column);
        line(&mut svg, "ours", colour, of_column().filter_map(|row| Some((row.x?, row.ours?))), (&x, &y));
        line(
            &mut svg,
            "paper",
            colour,
            of_column().filter_map(|row| Some((row.x?, row.published?))),
            (&x, &y),
        );
        let _ = write!(legend, "<li><span class=\"swatch c{colour}\"></span>{}</li>", escape(column));
    }
    let has = |of: fn(&CellRow) -> Option<f64>| rows.iter().any(|row| of(row).is_some());
    legend.push_str(match [has(|row| row.ours), has(|row| row.published)] {
        [true, true] => "<li>solid: asanoha; dashed: the paper</li></ul>",
        [true, false] => "<li>all lines: asanoha</li></ul>",
        [false, _] => "<li>all lines: the paper</li></ul>",
    });
    let _ = write!(svg, "</svg>\n{legend}\n");
    Some(svg)
}

fn line(
    svg: &mut String,
    class: &str,
    colour: usize,
    points: impl Iterator<Item = (f64, f64)>,
    (x, y): (&Axis, &Axis),
) {
    let mut points: Vec<(f64, f64)> = points.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let places: Vec<(f64, f64)> =
        points.into_iter().filter_map(|(a, b)| Some((x.place(a)?, y.place(b)?))).collect();
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    if path.len() > 1 {
        let _ = writeln!(svg, "<polyline class=\"line {class} c{colour}\" points=\"{}\"/>", path.join(" "));
    }
    for (x, y) in places {
        let _ =
            writeln!(svg, "<circle class=\"dot {class} c{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
    }
}

fn grid(svg: &mut String, x: &Axis, y: &Axis) {
    for (tick, at) in x.ticks() {
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{}\" y2=\"{}\"/>",
            EDGES[2], EDGES[3]
        );
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            EDGES[3] + 16.0,
            label(tick)
        );
    }
    for (tick, at) in y.ticks() {
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>",
            EDGES[0], EDGES[1]
        );
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            EDGES[0] - 5.0,
            at + 4.0,
            label(tick)
        );
    }
}

/// A round value in few letters.
fn label(tick: f64) -> String {
    let is_short = tick == 0.0 || (1e-3..1e5).contains(&tick.abs());
    if is_short { short(tick) } else { format!("{:e}", format!("{tick:.2e}").parse::<f64>().unwrap_or(tick)) }
}

/// An axis over a range of values, with the places of its ends in the drawing.
struct Axis {
    range: [f64; 2],
    log: bool,
    places: [f64; 2],
}

impl Axis {
    /// An axis that holds all values; on a logarithmic one those above 0.
    fn new(values: impl Iterator<Item = f64>, log: bool, places: [f64; 2]) -> Option<Self> {
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

    /// The place of a value in the drawing; `None` if the axis can't show it.
    fn place(&self, value: f64) -> Option<f64> {
        let of = |value: f64| if self.log { value.ln() } else { value };
        let [low, high] = self.range.map(of);
        let part = (of(value) - low) / (high - low);
        part.is_finite().then(|| self.places[0] + part * (self.places[1] - self.places[0]))
    }

    /// Round values on the axis with their places, few enough that their labels don't touch.
    fn ticks(&self) -> Vec<(f64, f64)> {
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
        assert!(Axis::new(std::iter::empty(), true, [0.0, 1.0]).is_none());
        assert!(Axis::new([0.0].into_iter(), true, [0.0, 1.0]).is_none());
    }
}
