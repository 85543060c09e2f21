//! Matches of a query by their definitions, letter by letter: what faster and encrypted ones are held against.

use std::{fmt, io};

use super::{Panel, PanelError};

/// A stretch of sites in which a query and a haplotype of the panel agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// The query's number.
    pub query: usize,
    /// The haplotype's number.
    pub reference: usize,
    /// The first site.
    pub start: usize,
    /// The site after the last.
    pub end: usize,
}

/// Sites are counted from 0, and the end isn't part of the match.
impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { query, reference, start, end } = self;
        let length = end - start;
        write!(f, "MATCH query {query} to reference {reference} from {start} to {end} length {length}")
    }
}

/// The longest match of a query from its first letter on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// How many letters agree.
    pub length: usize,
    /// The haplotypes that agree in all of them; none where the length is 0.
    pub references: Vec<usize>,
}

/// The longest match over all haplotypes of a query whose first letter belongs to the site `start`.
///
/// # Errors
/// [`PanelError::Window`] if the query goes beyond the panel's sites.
pub fn longest_from(panel: &Panel, query: &[bool], start: usize) -> Result<Longest, PanelError> {
    panel.check_window(start, query.len())?;
    let mut longest = Longest::default();
    for reference in 0..panel.haplotypes() {
        let agrees = |&(place, &letter): &(usize, &bool)| panel.allele(start + place, reference) == letter;
        let length = query.iter().enumerate().take_while(agrees).count();
        if length > longest.length {
            longest = Longest { length, references: Vec::new() };
        }
        if length == longest.length && length > 0 {
            longest.references.push(reference);
        }
    }
    Ok(longest)
}

/// The set-maximal matches of a query that has a letter for every site: those that no match of any haplotype exceeds at an end
/// without giving up the other. In the order of their starts, then of the haplotypes.
///
/// With e(s) the furthest end of a match that begins at s or before, a match from s to e(s) is one if e(s) > s and
/// e(s − 1) < e(s). It takes a pass over the panel.
/// Source: Durbin, "Efficient haplotype matching and storage using the positional Burrows–Wheeler transform (PBWT)"
/// (Bioinformatics 30, 2014), Section 2.
///
/// # Errors
/// [`PanelError::Window`] if the query hasn't as many letters as the panel has sites.
pub fn set_maximal(panel: &Panel, query: &[bool], number: usize) -> Result<Vec<Match>, PanelError> {
    let sites = panel.sites();
    if query.len() != sites {
        return Err(PanelError::Window { start: 0, letters: query.len(), sites });
    }
    // From the last site to the first: where each haplotype's match from here ends, and the largest of these ends.
    let mut ends = vec![sites; panel.haplotypes()];
    let mut furthest = vec![0; sites];
    let mut update = |site: usize, ends: &mut Vec<usize>| {
        for (reference, end) in ends.iter_mut().enumerate() {
            if panel.allele(site, reference) != query[site] {
                *end = site;
            }
        }
        furthest[site] = ends.iter().copied().max().unwrap_or(site);
    };
    (0..sites).rev().for_each(|site| update(site, &mut ends));
    let is_new = |site: usize| furthest[site] > site && (site == 0 || furthest[site - 1] < furthest[site]);
    let of_site = |start: usize| {
        let end = furthest[start];
        let agrees =
            move |&reference: &usize| (start..end).all(|site| panel.allele(site, reference) == query[site]);
        let found = move |reference| Match { query: number, reference, start, end };
        (0..panel.haplotypes()).filter(agrees).map(found)
    };
    Ok((0..sites).filter(|&site| is_new(site)).flat_map(of_site).collect())
}

/// Writes matches as tab-separated values under a line of names: with the chromosome, and the base pairs of the first and the
/// last site.
///
/// # Errors
/// Those of the writer.
///
/// # Panics
/// If a match is empty or lies beyond the panel's sites.
pub fn write_tsv(panel: &Panel, matches: &[Match], out: &mut impl io::Write) -> io::Result<()> {
    writeln!(out, "query\treference\tchromosome\tfirst_position\tlast_position\tstart\tend\tlength")?;
    for Match { query, reference, start, end } in matches {
        let [first, last] = [*start, end - 1].map(|site| panel.positions()[site]);
        let (chromosome, length) = (panel.chromosome(), end - start);
        writeln!(out, "{query}\t{reference}\t{chromosome}\t{first}\t{last}\t{start}\t{end}\t{length}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> Vec<bool> {
        text.chars().map(|letter| letter == '1').collect()
    }

    #[test]
    fn matches_of_a_small_panel_are_those_counted_by_hand() {
        let panel = Panel::from_text("00110\n00100\n11100\n01101").unwrap();
        let query = bits("00101");
        let longest = longest_from(&panel, &query, 0).unwrap();
        assert_eq!(longest, Longest { length: 4, references: vec![1] });
        // The letters 0, 1, 1 from site 1 on: haplotype 1 differs in the third, and 0 in none.
        let longest = longest_from(&panel, &bits("011"), 1).unwrap();
        assert_eq!(longest, Longest { length: 3, references: vec![0] });
        // At site 4 only haplotype 3 has a 1.
        assert_eq!(longest_from(&panel, &bits("1"), 4).unwrap().references, [3]);
        let none = Panel::from_text("00\n01").unwrap();
        assert_eq!(longest_from(&none, &bits("11"), 0).unwrap(), Longest::default());
        let rows: Vec<String> =
            set_maximal(&panel, &query, 7).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(
            rows,
            [
                "MATCH query 7 to reference 1 from 0 to 4 length 4",
                "MATCH query 7 to reference 3 from 2 to 5 length 3",
            ]
        );
    }

    #[test]
    fn tables_name_the_chromosome_and_base_pairs() {
        let mut panel = Panel::new("20", 1).unwrap();
        for position in [100, 120, 150] {
            panel.push(position, &[true]).unwrap();
        }
        let mut table = Vec::new();
        let matches = set_maximal(&panel, &bits("011"), 0).unwrap();
        write_tsv(&panel, &matches, &mut table).unwrap();
        let text = String::from_utf8(table).unwrap();
        assert_eq!(text.lines().nth(1), Some("0\t0\t20\t120\t150\t1\t3\t2"));
    }

    #[test]
    fn windows_beyond_the_panel_are_refused() {
        let panel = Panel::from_text("010\n").unwrap();
        for (start, letters) in [(0, 0), (0, 4), (3, 1), (usize::MAX, 2)] {
            assert!(longest_from(&panel, &vec![true; letters], start).is_err(), "{start} {letters}");
        }
        assert!(set_maximal(&panel, &bits("01"), 0).is_err());
    }
}
