//! Functions of small ranges of whole numbers, by tables of all their values.

use std::sync::Arc;

use asanoha_circuits::{
    Cost, CostCounter, Domain, DomainError, ExactArithmetic, OneVariableTable, Output, Schedule, TableError,
    TwoVariableTable,
};
use asanoha_ring::Modulus;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    data::{Column, ColumnValues, Table},
    program::{EvaluationError, Program, ProgramError},
};

/// The plaintext modulus of programs with functions of encrypted values: the prime whose slots fill rings up to degree
/// 2^15, and whose residues hold every small range.
pub const FUNCTION_MODULUS: u64 = 65537;
/// What the program of a function calls its variables.
pub const VARIABLES: [&str; 2] = ["a", "b"];
/// Polynomials of at most so many coefficients are evaluated with the least depth; it's also the least work.
const SHORT_POLYNOMIAL: usize = 16;

/// Why a function has no table.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SmallFunctionError {
    /// Its size.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Its ranges.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// Its program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Its values.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// Not one result of one or two variables, or not whole.
    #[error("a function has one whole result of one or two variables")]
    Malformed,
}

/// A function of one or two whole numbers out of ranges: a program, and its table. In files only the program and the
/// ranges stand.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Definition", into = "Definition")]
pub struct SmallFunction {
    definition: Definition,
    prepared: Arc<Prepared>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    program: Program,
    /// The first and the last value of every variable.
    ranges: Vec<(i64, i64)>,
}

#[derive(Debug)]
struct Prepared {
    table: PreparedTable,
    cost: Cost,
}

#[derive(Debug)]
enum PreparedTable {
    One(OneVariableTable, Schedule),
    Two(TwoVariableTable),
}

impl SmallFunction {
    /// The only result of a program of the columns [`VARIABLES`], whose values are in the ranges.
    ///
    /// # Errors
    /// Ranges of too many values, with the figures.
    pub fn new(program: Program, ranges: Vec<(i64, i64)>) -> Result<Self, SmallFunctionError> {
        let modulus = Modulus::new(FUNCTION_MODULUS).expect("it's prime");
        let domain = |&(first, last): &(i64, i64)| Domain::integers(&modulus, first..=last);
        let domains = ranges.iter().map(domain).collect::<Result<Vec<_>, _>>()?;
        let table = match domains.as_slice() {
            [a] => {
                let values = values(&program, &[a])?;
                let table =
                    OneVariableTable::new(a, &Output::Integer, |x| values[(x - ranges[0].0) as usize])?;
                let short = a.len() <= SHORT_POLYNOMIAL;
                PreparedTable::One(table, if short { Schedule::LeastDepth } else { Schedule::LeastWork })
            }
            [a, b] => {
                // Too large a table is refused before its values are computed.
                let (rows, columns, largest) = (a.len(), b.len(), asanoha_circuits::MAX_TABLE_SIDE);
                if rows.max(columns) > largest {
                    return Err(TableError::TooLarge { rows, columns, largest }.into());
                }
                let values = values(&program, &[a, b])?;
                let value = |x, y| values[(x - ranges[0].0) as usize * columns + (y - ranges[1].0) as usize];
                PreparedTable::Two(TwoVariableTable::new(a, b, &Output::Integer, value)?)
            }
            _ => return Err(SmallFunctionError::Malformed),
        };
        let counter = CostCounter::new(FUNCTION_MODULUS);
        let input = counter.input();
        match table.apply(&counter, &input, Some(&input)) {
            Ok(_) => {}
            Err(never) => match never {},
        }
        let cost = counter.cost();
        Ok(Self { definition: Definition { program, ranges }, prepared: Arc::new(Prepared { table, cost }) })
    }

    /// How many variables.
    pub fn arity(&self) -> usize {
        self.definition.ranges.len()
    }

    /// What an evaluation costs.
    pub fn cost(&self) -> &Cost {
        &self.prepared.cost
    }

    /// The function of ciphertexts, or of what a model knows of them.
    ///
    /// # Panics
    /// If the plaintext modulus isn't [`FUNCTION_MODULUS`], or the second variable is missing.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Value,
        b: Option<&A::Value>,
    ) -> Result<A::Value, A::Error> {
        self.prepared.table.apply(arithmetic, a, b)
    }
}

impl PreparedTable {
    fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Value,
        b: Option<&A::Value>,
    ) -> Result<A::Value, A::Error> {
        match self {
            Self::One(table, schedule) => table.apply(arithmetic, a, *schedule),
            Self::Two(table) => table.apply(arithmetic, a, b.expect("a function of two variables")),
        }
    }
}

/// The results on all values of the variables, the last one's next to each other.
fn values(program: &Program, domains: &[&Domain]) -> Result<Vec<i64>, SmallFunctionError> {
    let rows: usize = domains.iter().map(|domain| domain.len()).product();
    let mut repeat = rows;
    let columns = domains.iter().zip(VARIABLES).map(|(domain, name)| {
        repeat /= domain.len();
        let once = domain.range().flat_map(|value| std::iter::repeat_n(value, repeat));
        let values = once.collect::<Vec<_>>().into_iter().cycle().take(rows).collect();
        Column { name: name.to_owned(), values: ColumnValues::Whole(values) }
    });
    let table = Table { columns: columns.collect(), rows };
    let outputs = program.evaluate_exact(&table)?.ok_or(SmallFunctionError::Malformed)?;
    let [(_, output)] = outputs.as_slice() else { return Err(SmallFunctionError::Malformed) };
    let whole = |value: &num_rational::BigRational| {
        value.is_integer().then(|| value.to_integer().to_i64()).flatten().ok_or(SmallFunctionError::Malformed)
    };
    let values = output.as_slice().iter().map(whole).collect::<Result<Vec<_>, _>>()?;
    if values.len() == rows { Ok(values) } else { Err(SmallFunctionError::Malformed) }
}

impl PartialEq for SmallFunction {
    fn eq(&self, other: &Self) -> bool {
        self.definition == other.definition
    }
}

impl TryFrom<Definition> for SmallFunction {
    type Error = SmallFunctionError;

    fn try_from(Definition { program, ranges }: Definition) -> Result<Self, SmallFunctionError> {
        Self::new(program, ranges)
    }
}

impl From<SmallFunction> for Definition {
    fn from(function: SmallFunction) -> Self {
        function.definition
    }
}

#[cfg(test)]
mod tests {
    use asanoha_circuits::PlainArithmetic;

    use super::*;

    #[test]
    fn tables_of_programs_hold_their_values() {
        let plain = PlainArithmetic::new(Modulus::new(FUNCTION_MODULUS).unwrap(), 3);
        let (a, b) = (plain.value(&[7, -8, 3], 9), plain.value(&[2, 5, -1], 9));
        let program = Program::parse("_q = a // b\nf = where(_q < b, _q, max(a, b))").unwrap();
        let two = SmallFunction::new(program, vec![(-8, 8), (-1, 5)]).unwrap();
        let found = two.apply(&plain, &a, Some(&b)).unwrap();
        assert_eq!((plain.integers(&found), two.arity()), (vec![7, -2, -3], 2));
        let one = SmallFunction::new(Program::parse("f = abs(a) % 5").unwrap(), vec![(-8, 8)]).unwrap();
        assert_eq!(plain.integers(&one.apply(&plain, &a, None).unwrap()), [2, 3, 3]);
        let text = serde_json::to_string(&two).unwrap();
        assert_eq!(serde_json::from_str::<SmallFunction>(&text).unwrap(), two);
    }

    #[test]
    fn what_has_no_table_is_refused_with_the_figures() {
        let refused = |text: &str, ranges: &[(i64, i64)]| {
            SmallFunction::new(Program::parse(text).unwrap(), ranges.to_vec()).unwrap_err().to_string()
        };
        let wide = refused("f = a // b", &[(0, 65535), (0, 65535)]);
        assert!(wide.contains("4294967296 entries"), "{wide}");
        assert!(refused("f = a % 7", &[(0, 1 << 20)]).contains("1048577"));
        assert!(refused("f = sum(a)", &[(0, 9)]).contains("one whole result"));
        assert!(refused("f = a / 2", &[(0, 9)]).contains("one whole result"));
        assert!(refused("f = c // 2", &[(0, 9)]).contains("column `c`"));
    }
}
