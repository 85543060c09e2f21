//! The calls of benches that make the record.

use super::{Paper, papers::Source};

/// The benches that no paper's table needs, beside those that do.
const OTHERS: [&str; 7] = ["ntt", "fma", "kernels", "bytes", "plan", "tables", "bootstrap --set n15,a42"];

/// The seconds that a bench takes on two cores with AVX-512: in full (28 November 2026, AMD EPYC, family 25, model 17), and quick.
/// Bootstrapping by all sets would take twenty minutes.
const SECONDS: [(&str, f64, f64); 18] = [
    ("ntt", 30.0, 3.0),
    ("fma", 80.0, 3.0),
    ("kernels", 60.0, 8.0),
    ("trace", 310.0, 30.0),
    ("large-moduli", 1040.0, 20.0),
    ("schemes --threads 1 --ring-degree", 150.0, 20.0),
    ("schemes", 80.0, 10.0),
    ("division", 300.0, 30.0),
    ("triples", 2000.0, 70.0),
    ("genome", 200.0, 30.0),
    ("tfhe", 100.0, 10.0),
    ("product", 330.0, 40.0),
    ("dot", 310.0, 40.0),
    ("bytes", 30.0, 10.0),
    ("plan", 30.0, 20.0),
    ("tables", 40.0, 5.0),
    ("bootstrap", 300.0, 20.0),
    ("dram", 140.0, 30.0),
];

/// A call of `asanoha bench`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The bench and its flags, but `--quick`.
    pub words: Vec<String>,
    /// The papers and places whose values it gives, such as "large-moduli: Figure 1".
    pub gives: Vec<String>,
    /// The seconds that it's expected to take in full, and quick.
    pub seconds: [f64; 2],
}

impl Call {
    /// Returns the words as one line.
    pub fn line(&self) -> String {
        self.words.join(" ")
    }

    /// Returns the name of the file that holds its report.
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        format!("{}.json", self.line().replace("--", "").chars().map(plain).collect::<String>())
    }
}

/// Returns all calls that the papers' places need, and the other benches.
pub fn calls(papers: &[Paper]) -> Vec<Call> {
    let mut calls: Vec<Call> = OTHERS.iter().map(|name| call(name)).collect();
    for paper in papers {
        for place in &paper.places {
            let gives = format!("{}: {}", paper.name, place.name);
            let sources = place.cells.iter().filter_map(|cell| cell.ours.as_ref());
            for selector in sources.flat_map(Source::selectors) {
                let at = calls.iter().position(|call| call.line() == selector.bench);
                let at = at.unwrap_or_else(|| {
                    calls.push(call(&selector.bench));
                    calls.len() - 1
                });
                if !calls[at].gives.contains(&gives) {
                    calls[at].gives.push(gives.clone());
                }
            }
        }
    }
    calls
}

fn call(line: &str) -> Call {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    // Before a name alone, the list has calls of that bench that take another time.
    let known = SECONDS.iter().find(|(name, ..)| line.starts_with(name));
    let (_, full, quick) = known.expect("a test holds the names against this list");
    Call { words, gives: Vec::new(), seconds: [*full, *quick] }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_call_is_made_once_and_has_a_file_of_its_own() {
        let calls = calls(&Paper::all());
        let files: BTreeSet<String> = calls.iter().map(Call::file_name).collect();
        assert_eq!(files.len(), calls.len());
        assert!(calls.iter().filter(|call| call.gives.is_empty()).count() <= OTHERS.len());
        assert!(calls.iter().all(|call| call.seconds[0] > call.seconds[1]));
    }
}
