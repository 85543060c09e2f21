//! The constants of a program that are rounded, and those that are computed from them.

use std::collections::{BTreeMap, HashMap, HashSet};

use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::function::{Function, written_constant};

/// The origin of a constant: other constants, of which one at least is rounded or computed from one that is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A function of constants; if its value is rounded, as it's written and the double near it.
    Function(Function, Vec<BigRational>, Option<(String, f64)>),
    Sum(BigRational, BigRational),
    Product(BigRational, BigRational),
    Inverse(BigRational),
    Power(BigRational, u32),
}

impl Source {
    fn operands(&self) -> Vec<&BigRational> {
        match self {
            Self::Sum(a, b) | Self::Product(a, b) => vec![a, b],
            Self::Function(_, of, _) => of.iter().collect(),
            Self::Inverse(a) | Self::Power(a, _) => vec![a],
        }
    }

    /// The source as an expression, with a name or a number for each operand.
    fn written(&self, operand: impl Fn(&BigRational) -> String) -> String {
        match self {
            Self::Function(function, of, _) => function.written(of.iter().map(operand).collect()),
            Self::Sum(a, b) => format!("{} + {}", operand(a), operand(b)),
            Self::Product(a, b) => format!("{} * {}", operand(a), operand(b)),
            Self::Inverse(a) => format!("1 / {}", operand(a)),
            Self::Power(a, exponent) => format!("{}**{exponent}", operand(a)),
        }
    }
}

/// The sources of constants that depend on a rounded one, by their values, each with its number in the order in which they were made. A
/// constant keeps its first source. Programs that compute the same are the same, whatever their constants stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoundedConstants {
    sources: HashMap<BigRational, (usize, Source)>,
    made: usize,
    /// The smooth functions as they're written, and the numbers that are computed with in their places, where the text shows them.
    pub(crate) stated: BTreeMap<String, Option<f64>>,
}

impl PartialEq for RoundedConstants {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RoundedConstants {}

impl RoundedConstants {
    /// Notes a function of constants, as it's written and with the double near it if its value is rounded.
    pub(crate) fn note(
        &mut self,
        value: &BigRational,
        function: &Function,
        of: &[BigRational],
        rounded: Option<(String, f64)>,
    ) {
        // A choice is one of those that it's of.
        if !of.contains(value) && (rounded.is_some() || self.depends(of)) {
            self.insert(value, || Source::Function(function.clone(), of.to_vec(), rounded));
        }
    }

    /// `a + b`.
    pub(crate) fn plus(&mut self, a: &BigRational, b: &BigRational) -> BigRational {
        let value = a + b;
        if self.depends([a, b]) && !a.is_zero() && !b.is_zero() {
            let [a, b] = if a < b { [a, b] } else { [b, a] };
            self.insert(&value, || Source::Sum(a.clone(), b.clone()));
        }
        value
    }

    /// `a · b`.
    pub(crate) fn times(&mut self, a: &BigRational, b: &BigRational) -> BigRational {
        let value = a * b;
        if self.depends([a, b]) && !a.is_one() && !b.is_one() {
            let [a, b] = if a < b { [a, b] } else { [b, a] };
            self.insert(&value, || Source::Product(a.clone(), b.clone()));
        }
        value
    }

    /// `−a`.
    pub(crate) fn negated(&mut self, a: &BigRational) -> BigRational {
        self.times(a, &-BigRational::one())
    }

    /// `1/a`.
    pub(crate) fn inverse(&mut self, a: &BigRational) -> BigRational {
        let value = a.recip();
        if self.depends([a]) {
            self.insert(&value, || Source::Inverse(a.clone()));
        }
        value
    }

    /// Notes a power of a constant.
    pub(crate) fn note_power(&mut self, value: &BigRational, a: &BigRational, exponent: u32) {
        if exponent > 1 && self.depends([a]) {
            self.insert(value, || Source::Power(a.clone(), exponent));
        }
    }

    fn depends<'a>(&self, of: impl IntoIterator<Item = &'a BigRational>) -> bool {
        !self.sources.is_empty() && of.into_iter().any(|value| self.sources.contains_key(value))
    }

    fn insert(&mut self, value: &BigRational, source: impl FnOnce() -> Source) {
        // 0 and 1 are in every program.
        if !value.is_zero() && !value.is_one() && !self.sources.contains_key(value) {
            self.made += 1;
            self.sources.insert(value.clone(), (self.made, source()));
        }
    }

    /// The part that constants of a program depend on.
    pub(crate) fn of(&self, constants: impl Iterator<Item = BigRational>) -> Self {
        let order = self.order(constants);
        let sources: HashMap<_, _> =
            order.into_iter().map(|value| (value.clone(), self.sources[value].clone())).collect();
        let stated = sources.values().filter_map(|(_, source)| match source {
            Source::Function(_, _, rounded) => {
                rounded.clone().map(|(written, double)| (written, Some(double)))
            }
            _ => None,
        });
        Self { stated: stated.collect(), sources, made: self.made }
    }

    /// The constants with a source that others depend on, each after its operands.
    fn order(&self, constants: impl Iterator<Item = BigRational>) -> Vec<&BigRational> {
        let (mut order, mut done) = (Vec::new(), HashSet::new());
        for constant in constants {
            let mut pending: Vec<_> = self.sources.get_key_value(&constant).into_iter().collect();
            while let Some(&(value, (made, source))) = pending.last() {
                let before = pending.len();
                if !done.contains(value) {
                    let operands = source.operands().into_iter().filter(|of| !done.contains(*of));
                    let operands = operands.filter_map(|of| self.sources.get_key_value(of));
                    // A value that became a constant's later is a number here.
                    pending.extend(operands.filter(|(_, (before, _))| before < made));
                }
                if pending.len() == before {
                    pending.pop();
                    if done.insert(value) {
                        order.push(value);
                    }
                }
            }
        }
        order
    }

    /// Lines of a program's text that compute these constants, and the name that each gives to one.
    pub(crate) fn lines(
        &self,
        constants: impl Iterator<Item = BigRational>,
        prefix: &str,
    ) -> (String, HashMap<&BigRational, String>) {
        let (mut lines, mut names) = (String::new(), HashMap::new());
        for value in self.order(constants) {
            let named = |of: &BigRational| names.get(of).cloned().unwrap_or_else(|| written_constant(of));
            let (name, written) = (format!("{prefix}c{}", names.len()), self.sources[value].1.written(named));
            for part in [&name, " = ", &written, "\n"] {
                lines.push_str(part);
            }
            names.insert(value, name);
        }
        (lines, names)
    }
}
