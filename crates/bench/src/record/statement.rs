//! The quantities that a comparison is of, on both sides, and the ratios that they allow.

use serde::Deserialize;

/// The better of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    Lower,
    Higher,
}

/// A fact of a comparison: the same on both sides, or that of the paper and ours.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Fact {
    Both(String),
    Differs([String; 2]),
}

impl Fact {
    fn texts(&self) -> &[String] {
        match self {
            Self::Both(text) => std::slice::from_ref(text),
            Self::Differs(texts) => texts,
        }
    }

    /// The fact in a sentence.
    fn words(&self) -> String {
        match self {
            Self::Both(text) => text.clone(),
            Self::Differs([paper, ours]) => format!("in the paper {paper}; in asanoha {ours}"),
        }
    }
}

/// The facts behind the published values and ours.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Statement {
    /// The measured or counted quantity.
    pub(super) quantity: Fact,
    pub(super) unit: Fact,
    /// The computation that is measured.
    pub(super) work: Fact,
    /// The amount of it in one value.
    pub(super) batch: Fact,
    /// Whatever else the values depend on, but the machines. It may differ in a ratio, and is printed.
    pub(super) parameters: Fact,
}

impl Statement {
    /// The facts that a ratio needs to be equal on both sides, by name.
    fn decisive(&self) -> [(&'static str, &Fact); 4] {
        [
            ("quantity", &self.quantity),
            ("unit", &self.unit),
            ("amount of work", &self.work),
            ("batch", &self.batch),
        ]
    }

    /// The decisive facts that differ.
    fn differing(&self) -> Vec<(&'static str, &Fact)> {
        let differs = |(_, fact): &(&str, &Fact)| matches!(fact, Fact::Differs(_));
        self.decisive().into_iter().filter(differs).collect()
    }

    /// Returns true if a side leaves a fact out, or if two sides that are said to differ are equal.
    fn is_incomplete(&self) -> bool {
        let decisive = self.decisive().map(|(_, fact)| fact);
        let is_bad = |fact: &Fact| {
            let is_empty = fact.texts().iter().any(|text| text.trim().is_empty());
            is_empty || matches!(fact, Fact::Differs([paper, ours]) if paper == ours)
        };
        decisive.into_iter().chain([&self.parameters]).any(is_bad)
    }
}

/// A statement whose quantity, unit, amount of work and batch are the same on both sides. Ratios are computed by it only.
#[derive(Clone, Debug)]
pub(super) struct Alike {
    better: Better,
    statement: Statement,
}

impl Alike {
    /// Divides one value by the other, so that a result above 1 is better for asanoha; `None` without a quotient.
    pub(super) fn times_better(&self, published: f64, ours: f64) -> Option<f64> {
        let ratio = match self.better {
            Better::Lower => published / ours,
            Better::Higher => ours / published,
        };
        Some(ratio).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }
}

/// The comparison of a table or figure with the published one.
#[derive(Clone, Debug)]
pub(super) enum Compared {
    /// By ratios, of like with like.
    Ratios(Alike),
    /// Side by side, without ratios.
    Apart(Statement),
    /// Not at all: no cell has both.
    Alone,
}

impl Compared {
    /// Checks a statement. `has_pairs` says that a cell has a published value and a source of ours.
    ///
    /// # Errors
    /// Ratios without a statement, or of what differs; pairs without a statement; a statement that leaves something out.
    pub(super) fn new(
        better: Option<Better>,
        statement: Option<Statement>,
        has_pairs: bool,
    ) -> Result<Self, String> {
        let Some(statement) = statement else {
            return match (better, has_pairs) {
                (None, false) => Ok(Self::Alone),
                _ => Err("a comparison has no statement of what its values are of".to_owned()),
            };
        };
        if statement.is_incomplete() {
            return Err(format!("an incomplete statement: {statement:?}"));
        }
        match (better, statement.differing().first()) {
            (None, _) => Ok(Self::Apart(statement)),
            (Some(better), None) => Ok(Self::Ratios(Alike { better, statement })),
            (Some(_), Some((name, fact))) => {
                Err(format!("a ratio of values that differ in {name}: {}", fact.words()))
            }
        }
    }

    /// Divides one value by the other where like is compared with like.
    pub(super) fn times_better(&self, published: Option<f64>, ours: Option<f64>) -> Option<f64> {
        match self {
            Self::Ratios(alike) => alike.times_better(published?, ours?),
            Self::Apart(_) | Self::Alone => None,
        }
    }

    /// The statement in sentences for readers; empty if there is nothing to compare.
    pub(super) fn sentences(&self) -> String {
        let (statement, first) = match self {
            Self::Alone => return String::new(),
            Self::Ratios(Alike { statement, .. }) => {
                let Statement { quantity, work, batch, .. } = statement;
                let words = [quantity, work, batch].map(Fact::words).join("; ");
                (statement, format!("Like with like: {words}."))
            }
            Self::Apart(statement) => {
                let differing: Vec<String> = statement
                    .differing()
                    .iter()
                    .map(|(name, fact)| format!("{name} differs: {}", fact.words()))
                    .collect();
                let first = if differing.is_empty() {
                    "No ratios, as neither value is the better one.".to_owned()
                } else {
                    format!("No ratios, as the {}.", differing.join(". The "))
                };
                (statement, first)
            }
        };
        format!("{first} Parameters: {}.", statement.parameters.words())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn statement(changes: &[(&str, Value)]) -> Statement {
        let mut value = json!({ "quantity": "time", "unit": "s", "work": "a product", "batch": "one",
            "parameters": ["N = 4", "N = 8"] });
        changes.iter().for_each(|(key, change)| value[*key] = change.clone());
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn ratios_are_of_like_with_like_only() {
        let alike = Compared::new(Some(Better::Lower), Some(statement(&[])), true).unwrap();
        assert_eq!(alike.times_better(Some(6.0), Some(2.0)), Some(3.0));
        let higher = Compared::new(Some(Better::Higher), Some(statement(&[])), true).unwrap();
        assert_eq!(higher.times_better(Some(6.0), Some(3.0)), Some(0.5));
        for (published, ours) in
            [(Some(0.0), Some(1.0)), (Some(1.0), Some(0.0)), (None, Some(1.0)), (Some(1.0), None)]
        {
            assert_eq!(alike.times_better(published, ours), None, "{published:?} {ours:?}");
        }
        for key in ["quantity", "unit", "work", "batch"] {
            let differing = statement(&[(key, json!(["this", "that"]))]);
            for better in [Better::Lower, Better::Higher] {
                let error = Compared::new(Some(better), Some(differing.clone()), true).unwrap_err();
                assert!(error.contains("in the paper this; in asanoha that"), "{error}");
            }
            let apart = Compared::new(None, Some(differing), true).unwrap();
            assert_eq!(apart.times_better(Some(6.0), Some(2.0)), None, "{key}");
            assert!(
                apart.sentences().contains("differs: in the paper this; in asanoha that"),
                "{}",
                apart.sentences()
            );
        }
    }

    #[test]
    fn comparisons_without_a_whole_statement_are_refused() {
        for (better, has_pairs) in [(Some(Better::Lower), true), (Some(Better::Higher), false), (None, true)]
        {
            assert!(Compared::new(better, None, has_pairs).is_err(), "{better:?} {has_pairs}");
        }
        assert!(matches!(Compared::new(None, None, false), Ok(Compared::Alone)));
        for key in ["quantity", "unit", "work", "batch", "parameters"] {
            for gap in [json!(""), json!(["there", " "]), json!(["same", "same"])] {
                let incomplete = statement(&[(key, gap)]);
                for better in [Some(Better::Lower), None] {
                    assert!(Compared::new(better, Some(incomplete.clone()), true).is_err(), "{incomplete:?}");
                }
            }
        }
    }

    #[test]
    fn sentences_say_what_is_compared() {
        let of = |better, changes: &[(&str, Value)]| {
            Compared::new(better, Some(statement(changes)), true).unwrap().sentences()
        };
        assert_eq!(
            of(Some(Better::Lower), &[]),
            "Like with like: time; a product; one. Parameters: in the paper N = 4; in asanoha N = 8."
        );
        assert_eq!(
            of(None, &[("parameters", json!("N = 4"))]),
            "No ratios, as neither value is the better one. Parameters: N = 4."
        );
        assert_eq!(
            of(None, &[("batch", json!(["720", "8"])), ("unit", json!(["s", "ms"]))]),
            "No ratios, as the unit differs: in the paper s; in asanoha ms. The batch differs: in the paper 720; in asanoha 8. Parameters: in the paper N = 4; in asanoha N = 8."
        );
        assert_eq!(Compared::Alone.sentences(), "");
    }
}
