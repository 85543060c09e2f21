//! Plain computation on columns of words: what tables of functions are filled with.

use asanoha_table::{Column, ColumnValues, Columns, Table};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::{
    domain::{Arg, Argument, Domain, Keep, Outcome, walk},
    function::{Function, Lane},
    ids::NodeId,
    program::Program,
};

/// The only output where every operation gives words row by row: what [`evaluate_exact`](crate::evaluate_exact) gives, a hundred times
/// as fast. `None` for all else: other operations, fractions, and numbers that overflow a word.
pub fn evaluate_words(program: &Program, table: &Table) -> Option<Vec<i64>> {
    let ([(_, output)], true) = (program.outputs(), program.constants().is_empty()) else { return None };
    let columns = Columns::new(&table.columns, |column| &column.name);
    let mut words = Words { columns, rows: table.rows };
    walk(program, &mut words, Keep::Outputs).ok()?.swap_remove(output.0)
}

struct Words<'a> {
    columns: Columns<'a, Column>,
    rows: usize,
}

/// There are no words.
struct NoWords;

type Of<'v> = Arg<'v, Vec<i64>>;

fn one(a: Of<'_>, f: impl Fn(i64) -> Option<i64>) -> Result<Vec<i64>, NoWords> {
    a.value.iter().map(|&a| f(a)).collect::<Option<_>>().ok_or(NoWords)
}

fn two(a: Of<'_>, b: Of<'_>, f: impl Fn(i64, i64) -> Option<i64>) -> Result<Vec<i64>, NoWords> {
    a.value.iter().zip(b.value).map(|(&a, &b)| f(a, b)).collect::<Option<_>>().ok_or(NoWords)
}

/// A constant that is a word.
fn word(constant: &BigRational) -> Result<i64, NoWords> {
    let word = if constant.is_integer() { constant.numer().to_i64() } else { None };
    word.ok_or(NoWords)
}

impl Domain for Words<'_> {
    type Value = Vec<i64>;
    type Error = NoWords;

    fn input(&mut self, _: NodeId, name: &str) -> Outcome<Self> {
        match &self.columns.find(name).map_err(|_| NoWords)?.values {
            ColumnValues::Whole(values) => Ok(values.clone()),
            _ => Err(NoWords),
        }
    }

    fn add(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        two(a, b, i64::checked_add)
    }

    fn sub(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        two(a, b, i64::checked_sub)
    }

    fn mul(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        two(a, b, i64::checked_mul)
    }

    fn scale(&mut self, _: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        let k = word(k)?;
        one(a, |a| a.checked_mul(k))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_>, c: &BigRational) -> Outcome<Self> {
        let c = word(c)?;
        one(a, |a| a.checked_add(c))
    }

    fn power(&mut self, _: NodeId, a: Of<'_>, exponent: u32) -> Outcome<Self> {
        one(a, |a| a.checked_pow(exponent))
    }

    fn sum(&mut self, _: NodeId, _: Of<'_>) -> Outcome<Self> {
        Err(NoWords)
    }

    fn mean(&mut self, _: NodeId, _: Of<'_>) -> Outcome<Self> {
        Err(NoWords)
    }

    fn dot(&mut self, _: NodeId, _: Of<'_>, _: Of<'_>) -> Outcome<Self> {
        Err(NoWords)
    }

    fn assume(&mut self, _: NodeId, a: Of<'_>, _: [&BigRational; 2]) -> Outcome<Self> {
        Ok(a.value.clone())
    }

    fn quantile(&mut self, _: NodeId, _: Of<'_>, _: &BigRational) -> Outcome<Self> {
        Err(NoWords)
    }

    fn function(&mut self, _: NodeId, function: &Function, of: &[Argument<'_, Vec<i64>>]) -> Outcome<Self> {
        let lanes: Vec<Lane<'_>> = of
            .iter()
            .map(|of| match *of {
                Argument::Value(arg) => Lane::Column(arg.value),
                Argument::Constant(constant) => Lane::Same(constant),
            })
            .collect();
        function.words(&lanes, self.rows).ok_or(NoWords)
    }
}

#[cfg(test)]
mod tests {
    use asanoha_table::Column;

    use super::*;
    use crate::evaluate::evaluate_exact;

    fn table(a: &[i64], b: &[i64]) -> Table {
        let column = |name: &str, values: &[i64]| Column {
            name: name.to_owned(),
            values: ColumnValues::Whole(values.to_vec()),
        };
        Table { columns: vec![column("a", a), column("b", b)], rows: a.len() }
    }

    #[test]
    fn words_are_the_exact_values_of_every_operation_on_them() {
        let small = -6..=6i64;
        let pairs = small.clone().flat_map(|a| small.clone().map(move |b| (a, b)));
        let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, i64::MAX - 1, i64::MAX];
        let wide = ends.into_iter().flat_map(|a| ends.into_iter().map(move |b| (a, b)));
        let programs = [
            "y = a + b",
            "y = a - b",
            "y = -a",
            "y = a * b",
            "y = 3 * a",
            "y = a + 5",
            "y = a ** 3",
            "y = a // b",
            "y = a % b",
            "y = a // 3",
            "y = a % -4",
            "y = 7 // b",
            "y = min(a, b)",
            "y = max(a, 2)",
            "y = a < b",
            "y = a <= b",
            "y = a > b",
            "y = a >= 1",
            "y = a == b",
            "y = a != b",
            "y = abs(a)",
            "y = where(a, b, 3)",
            "y = where(a > b, a, b)",
            "y = table(a, [4, 5, 6])",
            "y = table2(a, b, [[1, 2], [3, 4]])",
            "y = (a - b) // 2 + a * a % 5",
        ];
        for (a, b) in pairs.chain(wide) {
            let table = table(&[a], &[b]);
            for text in programs {
                let program = Program::parse(text).unwrap();
                let exact = evaluate_exact(&program, &table).unwrap().unwrap();
                let exact = exact[0].1.as_slice()[0].to_integer();
                let fits = a.abs_diff(0).max(b.abs_diff(0)) < 10;
                match evaluate_words(&program, &table) {
                    Some(found) => assert_eq!(exact, found[0].into(), "{text} at {a} and {b}"),
                    None => assert!(!fits, "{text} at {a} and {b}"),
                }
            }
        }
    }

    #[test]
    fn what_isnt_row_by_row_on_words_has_none() {
        let table = table(&[1, 2], &[3, 4]);
        for text in [
            "y = sum(a)",
            "y = a - mean(a)",
            "y = a / 2",
            "y = exp(a)",
            "y = a\nz = b",
            "y = c",
            "y = a ** 64",
        ] {
            assert_eq!(evaluate_words(&Program::parse(text).unwrap(), &table), None, "{text}");
        }
    }
}
