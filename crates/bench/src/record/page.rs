//! The record as one HTML page that needs nothing else.

use std::fmt::Write;

use super::{
    CallRow, CellRow, Paper, Standing,
    chart::{escape, figure},
    dots::dots,
    intro::{MACHINES, RATIOS, WHAT, counts, origin},
    notes::{Note, Notes, again},
    numbers::{duration, short},
    papers::{Kind, Place},
    rows::{columns, compared, names, of_place},
};

/// The most columns of a table that takes half of a desktop's width.
const HALF: usize = 4;

/// [`super::Record::html`].
pub(super) fn html(papers: &[Paper], calls: &[CallRow], rows: &[CellRow]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>asanoha: the papers' tables and figures</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
        include_str!("page.css")
    );
    let _ = writeln!(page, "<h1>The papers’ tables and figures</h1>");
    for text in [WHAT, RATIOS, MACHINES, &origin(calls)] {
        let _ = writeln!(page, "<p>{}</p>", escape(text));
    }
    beside(&mut page, rows);
    let _ = writeln!(page, "<nav><ul>");
    for paper in papers {
        let name = escape(&paper.name);
        let _ = writeln!(page, "<li><a href=\"#{name}\">{}</a></li>", escape(&paper.title));
    }
    let _ = writeln!(page, "</ul></nav>");
    for paper in papers {
        let _ = writeln!(page, "<section id=\"{}\">\n<h2>{}</h2>", escape(&paper.name), escape(&paper.title));
        let _ = writeln!(
            page,
            "<p>{}, {}. Published values: {}</p>",
            escape(&paper.authors),
            paper.year,
            escape(&paper.machine)
        );
        let mut notes = Notes::new(paper);
        page.push_str("<div class=\"places\">\n");
        for place in &paper.places {
            let rows = of_place(rows, &paper.name, &place.name);
            self::place(&mut page, &rows, place, &mut Section { id: &paper.name, notes: &mut notes });
        }
        page.push_str("</div>\n</section>\n");
    }
    calls_table(&mut page, calls);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// The figure of all ratios, and beside it their counts.
fn beside(page: &mut String, rows: &[CellRow]) {
    let standings = Standing::all(rows);
    let _ = writeln!(
        page,
        "<section>\n<h2>Beside the published values</h2>\n<p>{}</p>\n<div class=\"beside\">",
        counts(&standings)
    );
    if let Some(figure) = dots(rows) {
        let _ = writeln!(page, "<figure>\n{figure}</figure>");
    }
    page.push_str("<div>\n");
    standings_table(page, &Standing::of_papers(rows));
    page.push_str("<details><summary>By table and figure</summary>\n");
    standings_table(page, &standings);
    page.push_str("</details>\n");
    worse(page, rows);
    page.push_str("</div>\n</div>\n</section>\n");
}

fn standings_table(page: &mut String, standings: &[Standing]) {
    page.push_str("<div class=\"wide\"><table>\n<tr><th></th><th>like with like</th><th>worse</th><th>times better: least</th><th>median</th><th>most</th><th>no ratio</th></tr>\n");
    for standing in standings {
        let Standing { paper, place, alike, apart, .. } = standing;
        let [worse, least, median, most] = standing.words();
        let of = if place.is_empty() { paper.clone() } else { format!("{paper}, {place}") };
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{alike}</td><td>{worse}</td><td>{least}</td><td>{median}</td><td>{most}</td><td>{apart}</td></tr>",
            escape(&of)
        );
    }
    page.push_str("</table></div>\n");
}

/// The cells whose published value is better than ours.
fn worse(page: &mut String, rows: &[CellRow]) {
    let worse: Vec<&CellRow> =
        Standing::pairs(rows).filter(|row| row.times_better.is_some_and(|times| times < 1.0)).collect();
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

/// The section of a paper: its name, which its anchors begin with, and its notes.
struct Section<'s, 'n> {
    id: &'s str,
    notes: &'s mut Notes<'n>,
}

impl Section<'_, '_> {
    /// The number of a note, as a link to it.
    fn link(&self, number: usize) -> String {
        format!("<a href=\"#{}-{number}\">({number})</a>", escape(self.id))
    }

    /// A note with its number, to which links lead.
    fn note(&self, page: &mut String, number: usize, text: &str) {
        let id = escape(self.id);
        let _ = writeln!(
            page,
            "<p class=\"reason\" id=\"{id}-{number}\"><sup>({number})</sup> {}</p>",
            escape(text)
        );
    }
}

/// A table or figure. A place without ratios has its values and notes folded, below the figure if it has one.
fn place<'n>(page: &mut String, rows: &[&'n CellRow], place: &'n Place, section: &mut Section<'_, 'n>) {
    let unit = if place.unit.is_empty() { String::new() } else { format!(" ({})", place.unit) };
    let heading = format!("{}: {}{unit}", place.name, place.title);
    let is_folded = rows.iter().all(|row| row.times_better.is_none());
    let class = match columns(rows).len() {
        _ if is_folded => "narrow",
        ..=HALF => "half",
        _ => "whole",
    };
    let _ = writeln!(page, "<article class=\"{class}\">\n<h3>{}</h3>", escape(&heading));
    if let Some(figure) = figure(place, rows).filter(|_| place.kind == Kind::Lines) {
        let _ = writeln!(page, "<figure>\n{figure}</figure>");
    }
    if is_folded {
        let _ = writeln!(page, "<details><summary>{}</summary>", folded(rows));
    }
    statement(page, place, section);
    table(page, rows, section);
    page.push_str(if is_folded { "</details>\n</article>\n" } else { "</article>\n" });
}

/// The number of values of a place without ratios.
fn folded(rows: &[&CellRow]) -> String {
    let count = |has: fn(&CellRow) -> bool| rows.iter().filter(|row| has(row)).count();
    let ours = count(|row| row.ours.is_some());
    let values = match ours {
        0 => "No value of asanoha, with the reason".to_owned(),
        1 => "1 value".to_owned(),
        _ => format!("{ours} values"),
    };
    match count(|row| row.ours.is_some() && row.published.is_some()) {
        0 => values,
        pairs if pairs == ours => format!("{values} beside published ones, without a ratio"),
        pairs => format!("{values}, {pairs} of them beside published ones, without a ratio"),
    }
}

/// The statement of the comparison, and the notes.
fn statement<'n>(page: &mut String, place: &'n Place, section: &mut Section<'_, 'n>) {
    let notes = section.notes.of_place(place);
    let own: Vec<&str> =
        notes.iter().filter_map(|note| if let Note::Own(note) = note { Some(*note) } else { None }).collect();
    for paragraph in [place.compared.sentences(), own.join(" ")] {
        if !paragraph.is_empty() {
            let _ = writeln!(page, "<p>{}</p>", escape(&paragraph));
        }
    }
    for note in &notes {
        if let Note::First(number, note) = note {
            section.note(page, *number, note);
        }
    }
    if let Some(again) = again(&notes, |number| section.link(number)) {
        let _ = writeln!(page, "<p class=\"reason\">{again}</p>");
    }
}

fn calls_table(page: &mut String, calls: &[CallRow]) {
    let _ = writeln!(
        page,
        "<section>\n<h2>Calls</h2>\n<details><summary>{} calls of the program</summary>\n<div class=\"wide\"><table>\n<tr><th>call</th><th>took</th></tr>",
        calls.len()
    );
    for call in calls {
        let quick = if call.quick { " --quick" } else { "" };
        let took = call.error.clone().unwrap_or_else(|| duration(call.seconds));
        let line = format!("asanoha bench {}{quick}", call.call);
        let _ = writeln!(page, "<tr><td><code>{}</code></td><td>{}</td></tr>", escape(&line), escape(&took));
    }
    let _ = writeln!(page, "</table></div>\n</details>\n</section>");
}

fn table<'n>(page: &mut String, rows: &[&'n CellRow], section: &mut Section<'_, 'n>) {
    let columns = columns(rows);
    let _ = write!(page, "<div class=\"wide\"><table>\n<tr><th></th>");
    columns.iter().for_each(|column| {
        let _ = write!(page, "<th>{}</th>", escape(column));
    });
    page.push_str("</tr>\n");
    for name in names(rows) {
        let _ = write!(page, "<tr><th>{}</th>", escape(name));
        for column in &columns {
            let cell = rows.iter().find(|row| row.row == name && row.column == *column);
            page.push_str("<td>");
            if let Some(cell) = cell {
                self::cell(page, cell, section);
            }
            page.push_str("</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
    for (number, reason) in section.notes.unprinted() {
        section.note(page, number, reason);
    }
}

/// Our value or the number of the reason why none was measured, the published one, and how they compare.
fn cell<'n>(page: &mut String, cell: &'n CellRow, section: &mut Section<'_, 'n>) {
    if let Some(ours) = cell.ours {
        let _ = write!(page, "<b>{}</b>", short(ours));
    }
    if let Some(predicted) = cell.predicted {
        let _ = write!(page, "{} ", short(predicted));
    }
    if let Some(reason) = &cell.reason {
        let number = section.notes.number(reason);
        let _ = write!(page, "<sup>{}</sup>", section.link(number));
    }
    if let Some(published) = cell.published {
        let _ = write!(page, "<small>paper {}</small>", short(published));
    }
    if let Some(words) = compared(cell) {
        let is_worse = cell.times_better.is_some_and(|times| times < 1.0);
        let class = if is_worse { " class=\"worse\"" } else { "" };
        let _ = write!(page, "<small{class}>{words}</small>");
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, process::Command};

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
        Record::of(papers, results)
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
        for text in [WHAT, RATIOS, MACHINES] {
            assert!(html.contains(&escape(text)) && markdown.contains(text), "{text}");
        }
        for tag in ["table", "svg", "figure", "article", "section", "details", "ul", "div"] {
            let count = |text: &str| html.matches(text).count();
            let opened = count(&format!("<{tag}>")) + count(&format!("<{tag} "));
            assert_eq!(opened, count(&format!("</{tag}>")), "{tag}");
        }
    }

    #[test]
    fn notes_and_reasons_stand_once_in_the_section_of_a_paper() {
        let record = record();
        let papers = Paper::all();
        let (html, markdown) = (record.html(), record.markdown());
        let sections = html.split("<section id=").skip(1).zip(markdown.split("\n## ").skip(2));
        let mut repeated = 0;
        for (paper, (html, markdown)) in papers.iter().zip(sections) {
            assert!(html.contains(&escape(&paper.title)) && markdown.starts_with(&paper.title));
            let reasons = record.rows.iter().filter(|row| row.paper == paper.name);
            let reasons: Vec<&str> = reasons.filter_map(|row| row.reason.as_deref()).collect();
            let notes: Vec<&str> =
                paper.places.iter().flat_map(|place| &place.notes).map(String::as_str).collect();
            for texts in [notes, reasons] {
                for text in &texts {
                    assert_eq!(markdown.matches(text).count(), 1, "{text}");
                    assert_eq!(html.matches(&escape(text)).count(), 1, "{text}");
                }
                repeated += texts.len() - texts.iter().collect::<BTreeSet<_>>().len();
            }
        }
        assert!(repeated > 50, "{repeated}");
    }

    /// In Chromium, at the width of a desktop and of a phone, light and dark: every figure has its points, no two texts of a
    /// figure overlap, the page doesn't scroll sideways, no column is cut on a desktop, and all text is large and clear enough.
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
