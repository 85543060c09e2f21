//! Plain computation on columns of words: what tables of functions are filled with.

use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{
    function::{Function, Operand},
    node::{Node, Program},
};
use asanoha_table::{ColumnValues, Columns, Table};

impl Program {
    /// The only output where every operation gives words row by row: what [`Program::evaluate_exact`] gives, a hundred times as
    /// fast. `None` for all else: other operations, fractions, and numbers that overflow a word.
    pub fn evaluate_words(&self, table: &Table) -> Option<Vec<i64>> {
        let ([(_, output)], true) = (self.outputs(), self.constants().is_empty()) else { return None };
        let columns = Columns::new(&table.columns, |column| &column.name);
        let mut values: Vec<Vec<i64>> = Vec::with_capacity(self.nodes().len());
        for node in self.nodes() {
            let one = |a: usize, f: &dyn Fn(i64) -> Option<i64>| values[a].iter().map(|&a| f(a)).collect();
            let two = |a: usize, b: usize, f: fn(i64, i64) -> Option<i64>| {
                values[a].iter().zip(&values[b]).map(|(&a, &b)| f(a, b)).collect()
            };
            let computed: Option<Vec<i64>> = match node {
                Node::Input(name) => match &columns.find(name).ok()?.values {
                    ColumnValues::Whole(values) => Some(values.clone()),
                    _ => None,
                },
                Node::Add(a, b) => two(a.0, b.0, i64::checked_add),
                Node::Sub(a, b) => two(a.0, b.0, i64::checked_sub),
                Node::Mul(a, b) => two(a.0, b.0, i64::checked_mul),
                Node::Neg(a) => one(a.0, &i64::checked_neg),
                Node::Scale(a, k) => word(k).and_then(|k| one(a.0, &|a| a.checked_mul(k))),
                Node::Offset(a, c) => word(c).and_then(|c| one(a.0, &|a| a.checked_add(c))),
                Node::Power(a, exponent) => one(a.0, &|a| a.checked_pow(*exponent)),
                Node::Assume(a, ..) => Some(values[a.0].clone()),
                Node::Function(function, operands) => {
                    let row = |row: usize| {
                        // Functions have up to three arguments.
                        let mut arguments = [0; 3];
                        for (argument, operand) in arguments.iter_mut().zip(operands) {
                            *argument = match operand {
                                Operand::Value(id) => values[id.0][row],
                                Operand::Constant(constant) => *constant,
                            };
                        }
                        function.word(&arguments[..operands.len()])
                    };
                    (0..table.rows).map(row).collect()
                }
                Node::Sum(_)
                | Node::Mean(_)
                | Node::Var(_)
                | Node::Cov(..)
                | Node::Dot(..)
                | Node::Smooth(..)
                | Node::Quantile(..) => None,
            };
            values.push(computed?);
        }
        Some(values.swap_remove(output.0))
    }
}

/// A constant that is a word.
fn word(constant: &BigRational) -> Option<i64> {
    constant.is_integer().then(|| constant.numer().to_i64())?
}

impl Function {
    /// [`Function::value`] of words, if that's a word.
    pub(super) fn word(&self, arguments: &[i64]) -> Option<i64> {
        let place = |x: i64| usize::try_from(x).ok();
        Some(match (self, arguments) {
            // Further out, a quotient's steps overflow.
            (Self::Binary(function), operands)
                if function.is_division() && operands.iter().any(|it| it.unsigned_abs() >= 1 << 62) =>
            {
                return None;
            }
            (Self::Binary(function), &[a, b]) => function.value(a, b),
            (Self::Absolute, [a]) => return a.checked_abs(),
            (Self::Floor, &[a]) => a,
            (Self::Less(_), [a, b]) => (a < b).into(),
            (Self::Where, &[c, a, b]) => {
                if c == 0 {
                    b
                } else {
                    a
                }
            }
            (Self::Table(entries), &[x]) => place(x).and_then(|x| entries.get(x)).copied().unwrap_or(0),
            (Self::Table2(rows), &[x, y]) => {
                let row = place(x).and_then(|x| rows.get(x));
                row.and_then(|row| row.get(place(y)?)).copied().unwrap_or(0)
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use asanoha_table::Column;

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
                let exact = program.evaluate_exact(&table).unwrap().unwrap();
                let exact = exact[0].1.as_slice()[0].to_integer();
                let fits = a.abs_diff(0).max(b.abs_diff(0)) < 10;
                match program.evaluate_words(&table) {
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
            assert_eq!(Program::parse(text).unwrap().evaluate_words(&table), None, "{text}");
        }
    }
}
