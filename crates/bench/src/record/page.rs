//! The record as one HTML page that needs nothing else.

use std::fmt::Write;

use super::{
    CallRow, CellRow, Paper, Standing,
    chart::{escape, figure},
    markdown::origin,
    numbers::{duration, short},
    papers::{Kind, Place},
    rows::{columns, compared, names, number, of_place},
};

/// [`super::Record::html`].
pub(super) fn html(papers: &[Paper], calls: &[CallRow], rows: &[CellRow]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>asanoha: the papers' tables and figures</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
        include_str!("page.css")
    );
    let _ = writeln!(page, "<h1>The papers’ tables and figures</h1>\n<p>{}</p>", escape(&origin(calls)));
    let _ = writeln!(page, "<nav><ul>");
    for paper in papers {
        let name = escape(&paper.name);
        let _ = writeln!(page, "<li><a href=\"#{name}\">{}</a></li>", escape(&paper.title));
    }
    let _ = writeln!(page, "</ul></nav>");
    standings_table(&mut page, rows);
    worse(&mut page, rows);
    for paper in papers {
        let _ = writeln!(page, "<section id=\"{}\">\n<h2>{}</h2>", escape(&paper.name), escape(&paper.title));
        let _ = writeln!(
            page,
            "<p>{}, {}. Published values: {}</p>",
            escape(&paper.authors),
            paper.year,
            escape(&paper.machine)
        );
        for place in &paper.places {
            self::place(&mut page, &of_place(rows, &paper.name, &place.name), place);
        }
        let _ = writeln!(page, "</section>");
    }
    calls_table(&mut page, calls);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn standings_table(page: &mut String, rows: &[CellRow]) {
    let _ = writeln!(
        page,
        "<section>\n<h2>Beside the published values</h2>\n<div class=\"wide\"><table>\n<tr><th></th><th>values</th><th>worse</th><th>times better: least</th><th>median</th><th>most</th></tr>"
    );
    for Standing { paper, place, values, worse, ratios } in Standing::all(rows) {
        let [least, median, most] = ratios.map(short);
        let of = escape(&format!("{paper}, {place}"));
        let _ = writeln!(
            page,
            "<tr><td>{of}</td><td>{values}</td><td>{worse}</td><td>{least}</td><td>{median}</td><td>{most}</td></tr>"
        );
    }
    let _ = writeln!(page, "</table></div>\n</section>");
}

/// The cells whose published value is better than ours.
fn worse(page: &mut String, rows: &[CellRow]) {
    let worse: Vec<&CellRow> =
        rows.iter().filter(|row| row.times_better.is_some_and(|times| times < 1.0)).collect();
    let compared = rows.iter().filter(|row| row.times_better.is_some()).count();
    let _ = writeln!(
        page,
        "<p>Of {compared} values beside a published one, {} are worse than it.</p>",
        worse.len()
    );
    if worse.is_empty() {
        return;
    }
    let _ = writeln!(page, "<details><summary>Those that are worse</summary>\n<ul>");
    for row in worse {
        let times = row.times_better.unwrap_or(1.0);
        let words = format!(
            "{}, {}: {}, {}: {} times worse",
            row.paper,
            row.place,
            row.row,
            row.column,
            short(1.0 / times)
        );
        let _ = writeln!(page, "<li>{}</li>", escape(&words));
    }
    let _ = writeln!(page, "</ul></details>");
}

fn place(page: &mut String, rows: &[&CellRow], place: &Place) {
    let unit = if place.unit.is_empty() { String::new() } else { format!(" ({})", place.unit) };
    let heading = format!("{}: {}{unit}", place.name, place.title);
    let _ = writeln!(page, "<article>\n<h3>{}</h3>", escape(&heading));
    if !place.differs.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escape(&place.differs));
    }
    let drawn = figure(place, rows).filter(|_| place.kind == Kind::Lines);
    if let Some(figure) = &drawn {
        let _ = writeln!(page, "<figure>\n{figure}</figure>\n<details><summary>Values</summary>");
    }
    table(page, place, rows);
    page.push_str(if drawn.is_some() { "</details>\n</article>\n" } else { "</article>\n" });
}

fn calls_table(page: &mut String, calls: &[CallRow]) {
    let _ = writeln!(
        page,
        "<section>\n<h2>How it was made</h2>\n<div class=\"wide\"><table>\n<tr><th>call</th><th>took</th></tr>"
    );
    for call in calls {
        let quick = if call.quick { " --quick" } else { "" };
        let took = call.error.clone().unwrap_or_else(|| duration(call.seconds));
        let line = format!("asanoha bench {}{quick}", call.call);
        let _ = writeln!(page, "<tr><td><code>{}</code></td><td>{}</td></tr>", escape(&line), escape(&took));
    }
    let _ = writeln!(page, "</table></div>\n</section>");
}

fn table(page: &mut String, place: &Place, rows: &[&CellRow]) {
    let columns = columns(rows);
    let _ = write!(page, "<div class=\"wide\"><table>\n<tr><th></th>");
    columns.iter().for_each(|column| {
        let _ = write!(page, "<th>{}</th>", escape(column));
    });
    page.push_str("</tr>\n");
    let mut reasons: Vec<&str> = Vec::new();
    for name in names(rows) {
        let _ = write!(page, "<tr><th>{}</th>", escape(name));
        for column in &columns {
            let cell = rows.iter().find(|row| row.row == name && row.column == *column);
            page.push_str("<td>");
            if let Some(cell) = cell {
                match (cell.ours, &cell.reason) {
                    (Some(ours), _) => {
                        let _ = write!(page, "<b>{}</b>", short(ours));
                    }
                    (None, Some(reason)) => {
                        let _ = write!(page, "<sup>({})</sup>", number(&mut reasons, reason));
                    }
                    (None, None) => {}
                }
                if let Some(published) = cell.published {
                    let _ = write!(page, "<small>paper {}</small>", short(published));
                }
                if let Some(words) = compared(place.better, cell) {
                    let class = if cell.times_better.is_some_and(|times| times < 1.0) {
                        " class=\"worse\""
                    } else {
                        ""
                    };
                    let _ = write!(page, "<small{class}>{words}</small>");
                }
            }
            page.push_str("</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
    for (at, reason) in reasons.iter().enumerate() {
        let _ = writeln!(page, "<p class=\"reason\"><sup>({})</sup> {}</p>", at + 1, escape(reason));
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use serde_json::{Value, json};

    use super::super::{Call, Outcome, Paper, Record, Saved, calls, papers::Source};
    use super::*;

    /// What a call gives that has a value for each selector, or a failure.
    fn saved(call: &Call, papers: &[Paper], fails: bool) -> Saved {
        let mut report =
            json!({ "machine": { "cpu": "A <processor> & more", "kernels": "scalar", "threads": 2 } });
        let cells = papers.iter().flat_map(|paper| &paper.places).flat_map(|place| &place.cells);
        let selectors = cells.filter_map(|cell| cell.ours.as_ref()).flat_map(Source::selectors);
        let is_plain = |path: &str| !path.contains('.') && !path.is_empty();
        for (at, selector) in selectors.filter(|selector| selector.bench == call.line()).enumerate() {
            if is_plain(&selector.list) && is_plain(&selector.value) {
                let list = report.as_object_mut().unwrap().entry(&selector.list).or_insert_with(|| json!([]));
                let list = list.as_array_mut().unwrap();
                let known = list.iter().position(|object| {
                    selector.keys.iter().all(|(key, value)| object.get(key) == Some(value))
                });
                let known = known.unwrap_or_else(|| {
                    list.push(Value::Object(selector.keys.clone()));
                    list.len() - 1
                });
                list[known][&selector.value] = json!(1.5 + at as f64);
            }
        }
        let outcome =
            if fails { Outcome::Error("there is no <memory>".into()) } else { Outcome::Report(report) };
        let (call, program) = (call.line(), "0".to_owned());
        Saved {
            call,
            quick: true,
            program,
            commit: None,
            unix_seconds: 1_798_761_599,
            seconds: 61.5,
            outcome,
        }
    }

    fn record() -> Record {
        let papers = Paper::all();
        let all = calls(&papers);
        let results: Vec<Saved> =
            all.iter().enumerate().map(|(at, call)| saved(call, &papers, at == 0)).collect();
        Record::of(papers, &results)
    }

    #[test]
    fn every_place_and_every_reason_is_on_the_page() {
        let record = record();
        let (html, markdown) = (record.html(), record.markdown());
        for text in ["2026-12-31", "scalar"] {
            assert!(html.contains(text) && markdown.contains(text), "{text}");
        }
        assert!(html.contains("A &lt;processor&gt; &amp; more") && !html.contains("<processor>"));
        assert!(html.contains("no &lt;memory&gt;") && !html.contains("NaN"));
        for outside in ["src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
        for paper in &Paper::all() {
            for place in &paper.places {
                let heading = format!("{}: {}", place.name, place.title);
                assert!(html.contains(&escape(&heading)) && markdown.contains(&heading), "{heading}");
            }
        }
        for row in &record.rows {
            assert!(row.ours.is_some() != row.reason.is_some(), "{row:?}");
            let reason = row.reason.as_deref().unwrap_or_default();
            assert!(html.contains(&escape(reason)) && markdown.contains(reason), "{row:?}");
        }
        for tag in ["table", "svg", "figure", "article", "section", "details", "ul", "div"] {
            let count = |text: &str| html.matches(text).count();
            let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
            assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
        }
    }

    /// In Chromium, at the width of a desktop and of a phone, light and dark: every figure has its points, no two texts of a
    /// figure overlap, the page doesn't scroll sideways, and all text is large and clear enough.
    #[test]
    #[ignore = "slow"]
    fn the_page_can_be_read_at_every_width_and_in_both_colour_schemes() {
        let folder = tempfile::tempdir().unwrap();
        let look = format!("<script>{}</script></body>", include_str!("look.js"));
        std::fs::write(folder.path().join("page.html"), record().html().replace("</body>", &look)).unwrap();
        for width in [1280, 390] {
            for scheme in [0, 1] {
                let frame = format!(
                    "<body><iframe src=\"page.html\" style=\"width:{width}px;height:900px\"></iframe><pre></pre><script>onmessage = event => document.querySelector('pre').textContent = 'looked: ' + event.data;</script></body>"
                );
                std::fs::write(folder.path().join("frame.html"), frame).unwrap();
                let mut chromium = Command::new("chromium");
                chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]);
                chromium.arg(format!("--blink-settings=preferredColorScheme={scheme}")).arg("--dump-dom");
                let output = chromium.arg(folder.path().join("frame.html")).output();
                let output = output.expect("Chromium is needed: apt-get install chromium");
                let page = String::from_utf8_lossy(&output.stdout);
                let seen = page.split_once("looked: ").and_then(|(_, rest)| rest.split_once("</pre>"));
                let seen = seen.map(|(seen, _)| seen.to_owned());
                assert_eq!(seen.as_deref(), Some("no problems"), "width {width}, scheme {scheme}");
            }
        }
    }
}
