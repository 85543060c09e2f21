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
    /// The number of pairs of values that are compared: of the same quantity, unit, amount of work and batch.
    pub alike: usize,
    /// The number of these that are worse than published.
    pub worse: usize,
    /// The least, the median and the largest ratio, if there are any.
    pub ratios: Option<[f64; 3]>,
    /// The number of pairs without a ratio.
    pub apart: usize,
}

/// The pairs of a group: their ratios, and the number of those without one.
type Pairs = (Vec<f64>, usize);

impl Standing {
    /// Compares the values of each table and figure, in the order of the rows. Those with no pair of values are left out.
    pub fn all(rows: &[CellRow]) -> Vec<Self> {
        Self::grouped(rows, |row| (&row.paper, &row.place))
    }

    /// Compares the values of each paper, in the order of the rows.
    pub fn of_papers(rows: &[CellRow]) -> Vec<Self> {
        Self::grouped(rows, |row| (&row.paper, ""))
    }

    /// The cells with a published value and one of ours; a pair that a paper prints in two tables only in the first.
    pub(super) fn pairs(rows: &[CellRow]) -> impl Iterator<Item = &CellRow> {
        let is_pair = |(at, row): &(usize, &CellRow)| {
            row.published.is_some() && row.ours.is_some() && !is_again(&rows[..*at], row)
        };
        rows.iter().enumerate().filter(is_pair).map(|(_, row)| row)
    }

    /// Counts the pairs of each group.
    fn grouped<'r>(rows: &'r [CellRow], group: impl Fn(&'r CellRow) -> (&'r str, &'r str)) -> Vec<Self> {
        let mut groups: Vec<((&str, &str), Pairs)> = Vec::new();
        for row in Self::pairs(rows) {
            let known = groups.iter().position(|(known, _)| *known == group(row));
            let known = known.unwrap_or_else(|| {
                groups.push((group(row), Pairs::default()));
                groups.len() - 1
            });
            let (ratios, apart) = &mut groups[known].1;
            match row.times_better {
                Some(ratio) => ratios.push(ratio),
                None => *apart += 1,
            }
        }
        groups.into_iter().map(|((paper, place), pairs)| Self::of(paper, place, pairs)).collect()
    }

    fn of(paper: &str, place: &str, (mut ratios, apart): Pairs) -> Self {
        ratios.sort_by(f64::total_cmp);
        let alike = ratios.len();
        let median = |ratios: &[f64]| f64::midpoint(ratios[(alike - 1) / 2], ratios[alike / 2]);
        Self {
            paper: paper.to_owned(),
            place: place.to_owned(),
            alike,
            worse: ratios.iter().filter(|&&ratio| ratio < 1.0).count(),
            ratios: (alike > 0).then(|| [ratios[0], median(&ratios), ratios[alike - 1]]),
            apart,
        }
    }

    /// The number of worse ones, and the least, the median and the largest ratio, in letters; empty where nothing is compared.
    pub(super) fn words(&self) -> [String; 4] {
        self.ratios.map_or_else(
            || [const { String::new() }; 4],
            |[least, median, most]| [self.worse.to_string(), short(least), short(median), short(most)],
        )
    }

    /// Returns them as a table in Markdown, without the places if there are none.
    pub fn table(standings: &[Self]) -> String {
        let has_places = standings.iter().any(|standing| !standing.place.is_empty());
        let [head, rule] = if has_places { [" place |", "---|"] } else { [""; 2] };
        let mut text = format!(
            "| paper |{head} like with like | worse | times better: least | median | most | no ratio |\n|---|{rule}---|---|---|---|---|---|\n",
        );
        for standing in standings {
            let Self { paper, place, alike, apart, .. } = standing;
            let [worse, least, median, most] = standing.words();
            let place = if has_places { format!(" {place} |") } else { String::new() };
            let _ = writeln!(
                text,
                "| {paper} |{place} {alike} | {worse} | {least} | {median} | {most} | {apart} |"
            );
        }
        text
    }
}

/// Returns true for a pair of values that an earlier place of its paper has too.
fn is_again(before: &[CellRow], row: &CellRow) -> bool {
    before.iter().any(|other| {
        (&other.paper, &other.unit) == (&row.paper, &row.unit)
            && other.place != row.place
            && (other.published, other.ours) == (row.published, row.ours)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair of values with a ratio, or 7 and 7 without one.
    fn row(place: &str, times_better: Option<f64>) -> CellRow {
        CellRow {
            paper: "p".into(),
            place: place.into(),
            row: "r".into(),
            column: "c".into(),
            x: None,
            unit: "s".into(),
            published: times_better.or(Some(7.0)),
            ours: Some(times_better.map_or(7.0, |_| 1.0)),
            predicted: None,
            times_better,
            reason: None,
            benches: Vec::new(),
        }
    }

    #[test]
    fn like_with_like_is_counted_apart_from_the_rest() {
        let alone = CellRow { ours: None, ..row("d", None) };
        let rows = [
            row("b", Some(3.0)),
            row("a", None),
            row("a", None),
            row("a", Some(0.25)),
            row("b", Some(0.5)),
            row("b", Some(8.0)),
            row("b", Some(4.0)),
            alone,
            CellRow { published: None, ..row("e", None) },
            CellRow { unit: "ms".into(), ..row("c", None) },
            // Pairs of earlier places.
            row("c", Some(8.0)),
            row("c", None),
        ];
        let found = Standing::all(&rows);
        let expected = |place: &str, [alike, worse, apart]: [usize; 3], ratios| Standing {
            paper: "p".into(),
            place: place.into(),
            alike,
            worse,
            ratios,
            apart,
        };
        assert_eq!(
            found,
            [
                expected("b", [4, 1, 0], Some([0.5, 3.5, 8.0])),
                expected("a", [1, 1, 2], Some([0.25, 0.25, 0.25])),
                expected("c", [0, 0, 1], None)
            ]
        );
        let table = Standing::table(&found);
        assert!(table.ends_with(
            "| p | b | 4 | 1 | 0.5 | 3.5 | 8 | 0 |\n| p | a | 1 | 1 | 0.25 | 0.25 | 0.25 | 2 |\n| p | c | 0 |  |  |  |  | 1 |\n"
        ));
        let papers = Standing::of_papers(&rows);
        assert_eq!(papers, [expected("", [5, 2, 3], Some([0.25, 3.0, 8.0]))]);
        assert_eq!(
            Standing::table(&papers),
            "| paper | like with like | worse | times better: least | median | most | no ratio |\n|---|---|---|---|---|---|---|\n| p | 5 | 2 | 0.25 | 3 | 8 | 3 |\n"
        );
    }
}
