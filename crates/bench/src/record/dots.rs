//! A figure of all ratios: a dot for each on a logarithmic axis, grouped by table and figure.

use std::fmt::Write;

use super::{
    CellRow, Standing,
    axis::{Axis, label},
    chart::escape,
    numbers::short,
    rows::compared,
};

/// The width of the drawing, small so that text can be read on a phone.
const WIDTH: f64 = 400.0;
/// The left and right ends of the axis.
const ENDS: [f64; 2] = [14.0, 386.0];
/// The height of a line of text.
const LINE: f64 = 16.0;
/// The distance of dots that don't touch, and so of lanes.
const APART: f64 = 10.0;

/// A figure with its legend; `None` if there is no ratio.
pub(super) fn dots(rows: &[CellRow]) -> Option<String> {
    let pairs = || Standing::pairs(rows).filter_map(|row| Some((row, row.times_better?)));
    let axis = Axis::new(pairs().map(|(_, ratio)| ratio).chain([1.0]), true, ENDS)?;
    pairs().next()?;
    let standings = Standing::all(rows).into_iter().filter(|standing| standing.alike > 0);
    let (mut groups, mut y, mut paper) = (String::new(), 4.0, String::new());
    for standing in standings {
        if standing.paper != paper {
            paper.clone_from(&standing.paper);
            y += LINE + 4.0;
            text(&mut groups, "strong", [ENDS[0], y], &paper);
        }
        y += LINE;
        let worse = if standing.worse > 0 { format!(", {} worse", standing.worse) } else { String::new() };
        let words = format!("{}: {}{worse}", standing.place, standing.alike);
        text(&mut groups, "group", [ENDS[0], y], &words);
        let of_place = pairs().filter(|(row, _)| (&row.paper, &row.place) == (&paper, &standing.place));
        let mut dots: Vec<(f64, &CellRow)> =
            of_place.filter_map(|(row, ratio)| Some((axis.place(ratio)?, row))).collect();
        dots.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The last dot of each lane.
        let mut lanes: Vec<f64> = Vec::new();
        for (x, row) in dots {
            let lane = lanes.iter().position(|last| x - last >= APART).unwrap_or(lanes.len());
            lanes.resize(lanes.len().max(lane + 1), x);
            lanes[lane] = x;
            dot(&mut groups, [x, y + APART * (lane as f64 + 1.0)], row);
        }
        y += APART * lanes.len() as f64 + 4.0;
    }
    let bottom = y + 4.0;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"Ratios of like with like, by table and figure\">\n",
        bottom + 38.0
    );
    for (tick, x) in axis.ticks() {
        line(&mut svg, "grid", x, bottom);
        text(&mut svg, "tick", [x, bottom + LINE], &label(tick));
    }
    line(&mut svg, "one", axis.place(1.0)?, bottom);
    text(
        &mut svg,
        "tick",
        [f64::midpoint(ENDS[0], ENDS[1]), bottom + 2.0 * LINE],
        "times better than published",
    );
    svg.push_str(&groups);
    let has = |worse: bool| pairs().any(|(_, ratio)| (ratio < 1.0) == worse);
    svg.push_str("</svg>\n<ul class=\"legend\">");
    for (worse, words) in [(false, "● as good as published or better"), (true, "▽ worse")] {
        if has(worse) {
            let _ = write!(svg, "<li>{words}</li>");
        }
    }
    svg.push_str("</ul>\n");
    Some(svg)
}

/// A circle, or a triangle for a worse value, with its cell as the title.
fn dot(svg: &mut String, [x, y]: [f64; 2], row: &CellRow) {
    let value =
        |value: Option<f64>| value.map_or(String::new(), |value| format!("{} {}", short(value), row.unit));
    let title = format!(
        "{}, {}, {}: {} (asanoha {}, paper {})",
        row.place,
        row.row,
        row.column,
        compared(row).unwrap_or_default(),
        value(row.ours).trim_end(),
        value(row.published).trim_end()
    );
    let title = format!("<title>{}</title>", escape(&title));
    let _ = if row.times_better < Some(1.0) {
        let [left, right, top, bottom] = [x - 4.5, x + 4.5, y - 3.5, y + 4.5];
        writeln!(
            svg,
            "<polygon class=\"below\" points=\"{left:.1},{top:.1} {right:.1},{top:.1} {x:.1},{bottom:.1}\">{title}</polygon>"
        )
    } else {
        writeln!(svg, "<circle class=\"better\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\">{title}</circle>")
    };
}

fn line(svg: &mut String, class: &str, x: f64, bottom: f64) {
    let _ =
        writeln!(svg, "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"6\" y2=\"{bottom:.1}\"/>");
}

fn text(svg: &mut String, class: &str, [x, y]: [f64; 2], words: &str) {
    let anchor = if class == "tick" { " text-anchor=\"middle\"" } else { "" };
    let _ =
        writeln!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>", escape(words));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(place: &str, row: usize, times_better: Option<f64>) -> CellRow {
        CellRow {
            paper: "p".into(),
            place: place.into(),
            row: row.to_string(),
            column: "<c>".into(),
            unit: "s".into(),
            published: Some(times_better.unwrap_or(5.0)),
            ours: Some(1.0),
            times_better,
            ..CellRow::default()
        }
    }

    /// The places of the marks of a kind.
    fn marks(svg: &str, mark: &str) -> Vec<[f64; 2]> {
        let place = |mark: &str| {
            let value = |name: &str| mark.split(name).nth(1)?.split('"').next()?.parse().ok();
            Some([value(" cx=\"")?, value(" cy=\"")?])
        };
        svg.split(mark).skip(1).filter_map(place).collect()
    }

    #[test]
    fn each_ratio_has_a_mark_that_touches_no_other() {
        let ratios = [2.0, 2.01, 2.02, 40.0, 1.0, 0.5].map(Some);
        let mut rows: Vec<CellRow> =
            ratios.iter().enumerate().map(|(at, ratio)| row("a", at, *ratio)).collect();
        rows.extend([row("b", 9, Some(3.0)), row("c", 10, None)]);
        let svg = dots(&rows).unwrap();
        let circles = marks(&svg, "<circle");
        assert_eq!((circles.len(), svg.matches("<polygon").count()), (6, 1));
        for (at, a) in circles.iter().enumerate() {
            for b in &circles[at + 1..] {
                assert!((a[0] - b[0]).hypot(a[1] - b[1]) >= APART - 0.2, "{a:?} {b:?}");
            }
        }
        assert!(svg.contains(">a: 6, 1 worse<") && svg.contains(">b: 1<") && !svg.contains(">c: "));
        assert!(svg.contains("<title>a, 5, &lt;c&gt;: 2 times worse (asanoha 1 s, paper 0.5 s)</title>"));
        assert!(svg.contains("▽ worse"));
        let one: Vec<&str> = svg.split("class=\"one\" x1=\"").nth(1).unwrap().split('"').collect();
        let one: f64 = one[0].parse().unwrap();
        assert!(circles.iter().all(|[x, _]| *x >= one - 0.1), "{one} {circles:?}");
    }

    #[test]
    fn without_ratios_there_is_no_figure_and_no_name_of_an_absent_mark() {
        assert!(dots(&[]).is_none() && dots(&[row("a", 0, None)]).is_none());
        assert!(!dots(&[row("a", 0, Some(2.0))]).unwrap().contains("worse"));
    }
}
