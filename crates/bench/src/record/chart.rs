//! Figures as SVG: lines over an axis, ours and the published ones.

use std::fmt::Write;

use super::{
    CellRow,
    axis::{Axis, label},
    papers::Place,
    rows::columns,
};

/// The size of the drawing, small so that text can be read on a phone.
const SIZE: [f64; 2] = [400.0, 280.0];
/// The edges of the area of the lines: left, right, top, bottom.
const EDGES: [f64; 4] = [56.0, 390.0, 12.0, 232.0];
/// The number of colours, and so of series that a figure can have.
const COLOURS: usize = 9;
/// The least number of points of a line in a figure. Fewer are read more easily in a table.
const LEAST_POINTS: usize = 3;

/// Text in HTML and SVG.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A figure with its legend, which names the series that have a point; `None` if no line has three points, or if there are more
/// series than colours.
pub(super) fn figure(place: &Place, rows: &[&CellRow]) -> Option<String> {
    let of_column = |column: &str, of: fn(&CellRow) -> Option<f64>| -> Vec<(f64, f64)> {
        let rows = rows.iter().filter(|row| row.column == column);
        rows.filter_map(|row| Some((row.x?, of(row)?)))
            .filter(|point| !place.y_log || point.1 > 0.0)
            .collect()
    };
    let mut series: Vec<Series<'_>> = columns(rows)
        .into_iter()
        .map(|name| Series {
            name,
            ours: of_column(name, |row| row.ours),
            paper: of_column(name, |row| row.published),
        })
        .collect();
    series.retain(|series| !series.ours.is_empty() || !series.paper.is_empty());
    let most = series.iter().map(|series| series.ours.len().max(series.paper.len())).max()?;
    if most < LEAST_POINTS || series.len() > COLOURS {
        return None;
    }
    let points = || series.iter().flat_map(|series| series.ours.iter().chain(&series.paper).copied());
    let x = Axis::new(points().map(|point| point.0), place.x_log, [EDGES[0], EDGES[1]])?;
    let y = Axis::of_values(points().map(|point| point.1), place.y_log, [EDGES[3], EDGES[2]])?;
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
    for (colour, Series { name, ours, paper }) in series.iter().enumerate() {
        line(&mut svg, "ours", colour, ours, (&x, &y));
        line(&mut svg, "paper", colour, paper, (&x, &y));
        let _ = write!(legend, "<li><span class=\"swatch c{colour}\"></span>{}</li>", escape(name));
    }
    let has = |count: fn(&Series<'_>) -> usize| series.iter().any(|series| count(series) > 0);
    legend.push_str(match [has(|series| series.ours.len()), has(|series| series.paper.len())] {
        [true, true] => "<li>solid: asanoha; dashed: the paper</li></ul>",
        [true, false] => "<li>all lines: asanoha</li></ul>",
        [false, _] => "<li>all lines: the paper</li></ul>",
    });
    let _ = write!(svg, "</svg>\n{legend}\n");
    Some(svg)
}

/// The points of a column: ours, and those of the paper.
struct Series<'r> {
    name: &'r str,
    ours: Vec<(f64, f64)>,
    paper: Vec<(f64, f64)>,
}

fn line(svg: &mut String, class: &str, colour: usize, points: &[(f64, f64)], (x, y): (&Axis, &Axis)) {
    let mut points = points.to_vec();
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Paper, papers::Kind};
    use super::*;

    /// Cells of one place: a column with so many points of ours, and whether the paper has them too.
    fn rows(columns: &[(&str, usize, bool)]) -> Vec<CellRow> {
        let row = |column: &str, at: usize, ours: Option<f64>, published: Option<f64>| CellRow {
            paper: "p".into(),
            place: "f".into(),
            row: at.to_string(),
            column: column.into(),
            x: Some(at as f64),
            published,
            ours,
            ..CellRow::default()
        };
        let of = |&(column, count, both): &(&str, usize, bool)| {
            let values =
                (0..count).map(move |at| row(column, at, Some(1.0 + at as f64), both.then_some(2.0)));
            values.chain([row(column, count, None, None)]).collect::<Vec<_>>()
        };
        columns.iter().flat_map(of).collect()
    }

    fn drawn(columns: &[(&str, usize, bool)]) -> Option<String> {
        let papers = Paper::all();
        let mut places = papers.iter().flat_map(|paper| &paper.places);
        let rows = rows(columns);
        let place = places.find(|place| place.kind == Kind::Lines).unwrap();
        figure(place, &rows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn legends_name_the_series_that_are_drawn() {
        let svg = drawn(&[("empty", 0, false), ("one", 1, false), ("many", 4, true)]).unwrap();
        assert!(!svg.contains("empty") && svg.contains("one</li>") && svg.contains("many</li>"));
        assert_eq!(svg.matches("<li><span").count(), 2);
        assert!(svg.contains("class=\"line ours c1\"") && svg.contains("class=\"line paper c1\""));
    }

    #[test]
    fn figures_of_few_points_or_too_many_series_are_not_drawn() {
        assert!(drawn(&[("a", 2, true), ("b", 2, false)]).is_none());
        assert!(drawn(&[("a", 0, true)]).is_none());
        assert!(drawn(&[("a", 2, true), ("b", 3, false)]).is_some());
        let names: Vec<String> = (0..=COLOURS).map(|at| at.to_string()).collect();
        let of = |count: usize| names[..count].iter().map(|name| (&**name, 3, false)).collect::<Vec<_>>();
        assert!(drawn(&of(COLOURS)).is_some() && drawn(&of(COLOURS + 1)).is_none());
    }

    #[test]
    fn each_series_of_a_paper_has_a_colour_of_its_own() {
        let css = include_str!("page.css");
        let colour = |at: usize| {
            let all: Vec<&str> = css.split(&format!("--c{at}: ")).skip(1).map(|rest| &rest[..7]).collect();
            <[&str; 2]>::try_from(all).expect("a colour on white, and one on black")
        };
        let colours: Vec<[&str; 2]> = (0..COLOURS).map(colour).collect();
        for scheme in 0..2 {
            let different: BTreeSet<&str> = colours.iter().map(|both| both[scheme]).collect();
            assert_eq!(different.len(), COLOURS);
        }
        for place in Paper::all().iter().flat_map(|paper| &paper.places) {
            let columns: BTreeSet<&str> = place.cells.iter().map(|cell| &*cell.column).collect();
            assert!(place.kind != Kind::Lines || columns.len() <= COLOURS, "{}", place.name);
        }
    }
}
