//! How our values compare with the published ones, a line for each table and figure.

use std::fmt::Write;

use super::{CellRow, numbers::short};

/// How our values of a table or figure compare with the published ones. Ratios above 1 are better.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The paper.
    pub paper: String,
    /// The table or figure; empty for all of a paper.
    pub place: String,
    /// The number of values that are compared.
    pub values: usize,
    /// The number of these that are worse than published.
    pub worse: usize,
    /// The least, the median and the largest ratio.
    pub ratios: [f64; 3],
}

impl Standing {
    /// Compares the values of each table and figure, in the order of the rows. Those with nothing to compare are left out.
    pub fn all(rows: &[CellRow]) -> Vec<Self> {
        Self::grouped(rows, |row| (&row.paper, &row.place))
    }

    /// Compares the values of each paper, in the order of the rows.
    pub fn of_papers(rows: &[CellRow]) -> Vec<Self> {
        Self::grouped(rows, |row| (&row.paper, ""))
    }

    fn grouped<'r>(rows: &'r [CellRow], group: impl Fn(&'r CellRow) -> (&'r str, &'r str)) -> Vec<Self> {
        let mut groups: Vec<((&str, &str), Vec<f64>)> = Vec::new();
        for row in rows {
            let Some(ratio) = row.times_better else { continue };
            match groups.iter_mut().find(|(known, _)| *known == group(row)) {
                Some((_, ratios)) => ratios.push(ratio),
                None => groups.push((group(row), vec![ratio])),
            }
        }
        groups.into_iter().map(|((paper, place), ratios)| Self::of(paper, place, ratios)).collect()
    }

    fn of(paper: &str, place: &str, mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        let values = ratios.len();
        let median = f64::midpoint(ratios[(values - 1) / 2], ratios[values / 2]);
        Self {
            paper: paper.to_owned(),
            place: place.to_owned(),
            values,
            worse: ratios.iter().filter(|&&ratio| ratio < 1.0).count(),
            ratios: [ratios[0], median, ratios[values - 1]],
        }
    }

    /// Returns them as a table in Markdown, without the places if there are none.
    pub fn table(standings: &[Self]) -> String {
        let has_places = standings.iter().any(|standing| !standing.place.is_empty());
        let [head, rule] = if has_places { [" place |", "---|"] } else { [""; 2] };
        let mut text = format!(
            "| paper |{head} values | worse | times better: least | median | most |\n|---|{rule}---|---|---|---|---|\n",
        );
        for Self { paper, place, values, worse, ratios } in standings {
            let [least, median, most] = ratios.map(short);
            let place = if has_places { format!(" {place} |") } else { String::new() };
            let _ = writeln!(text, "| {paper} |{place} {values} | {worse} | {least} | {median} | {most} |");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(place: &str, times_better: Option<f64>) -> CellRow {
        CellRow {
            paper: "p".into(),
            place: place.into(),
            row: "r".into(),
            column: "c".into(),
            x: None,
            unit: String::new(),
            published: None,
            ours: None,
            times_better,
            reason: None,
            benches: Vec::new(),
        }
    }

    #[test]
    fn places_have_their_least_median_and_largest_ratio() {
        let rows = [
            row("b", Some(3.0)),
            row("a", None),
            row("a", Some(0.25)),
            row("b", Some(0.5)),
            row("b", Some(8.0)),
            row("b", Some(4.0)),
            row("c", None),
        ];
        let found = Standing::all(&rows);
        let expected = |place: &str, values, worse, ratios| Standing {
            paper: "p".into(),
            place: place.into(),
            values,
            worse,
            ratios,
        };
        assert_eq!(found, [expected("b", 4, 1, [0.5, 3.5, 8.0]), expected("a", 1, 1, [0.25, 0.25, 0.25])]);
        let table = Standing::table(&found);
        assert!(
            table.ends_with("| p | b | 4 | 1 | 0.5 | 3.5 | 8 |\n| p | a | 1 | 1 | 0.25 | 0.25 | 0.25 |\n")
        );
        let papers = Standing::of_papers(&rows);
        assert_eq!(papers, [expected("", 5, 2, [0.25, 3.0, 8.0])]);
        assert_eq!(
            Standing::table(&papers),
            "| paper | values | worse | times better: least | median | most |\n|---|---|---|---|---|---|\n| p | 5 | 2 | 0.25 | 3 | 8 |\n"
        );
    }
}
