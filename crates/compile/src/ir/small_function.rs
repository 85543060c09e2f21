//! Functions of small ranges of whole numbers, by tables of all their values.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use asanoha_circuits::{
    Domain, DomainError, ExactArithmetic, OneVariableTable, Output, Powers, Schedule, TableError,
    TwoVariableTable,
};
use asanoha_lang::{EvaluationError, Program, evaluate_exact, evaluate_words};
use asanoha_ring::Modulus;
use asanoha_table::{Column, ColumnValues, Table};
use num_traits::ToPrimitive;
use serde::Serialize;
use thiserror::Error;

/// The least plaintext modulus of programs with functions of encrypted values: the prime whose slots fill rings up to
/// degree 2^15, and whose residues hold every small range.
pub const FUNCTION_MODULUS: u64 = 65537;
/// The widest one, in bits: the most that weights of sums and forms are found for quickly.
pub const MAX_FUNCTION_MODULUS_BITS: u64 = 50;
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
    /// Its values.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// Not one result of one or two variables, or not whole.
    #[error("a function has one whole result of one or two variables")]
    Malformed,
}

/// A function of one or two whole numbers out of ranges: a program, and its table. In files only the program and the
/// ranges stand.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct SmallFunction {
    definition: Definition,
    #[serde(skip)]
    table: Arc<PreparedTable>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Definition {
    program: Program,
    /// The first and the last value of every variable.
    ranges: Vec<(i64, i64)>,
    /// The plaintext modulus.
    modulus: u64,
}

#[derive(Debug)]
enum PreparedTable {
    One(OneVariableTable, Schedule),
    Two(TwoVariableTable),
}

/// Tables and their ranges, each prepared once for all expansions that share them: tables don't depend on how many rows there are.
#[derive(Debug, Default)]
pub struct Prepared(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// By the modulus and the ends.
    domains: HashMap<(u64, i64, i64), Domain>,
    functions: Vec<SmallFunction>,
}

impl Prepared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn domain(&self, modulus: u64, (first, last): (i64, i64)) -> Result<Domain, SmallFunctionError> {
        let place = (modulus, first, last);
        if let Some(known) = self.known().domains.get(&place) {
            return Ok(known.clone());
        }
        let t = Modulus::new(modulus).map_err(|_| SmallFunctionError::Malformed)?;
        let domain = Domain::integers(&t, first..=last)?;
        self.known().domains.insert(place, domain.clone());
        Ok(domain)
    }

    fn function(&self, definition: &Definition) -> Option<SmallFunction> {
        self.known().functions.iter().find(|known| known.definition == *definition).cloned()
    }

    /// How many ranges there are.
    pub(crate) fn domains(&self) -> usize {
        self.known().domains.len()
    }
}

impl SmallFunction {
    /// The only result of a program of the columns [`VARIABLES`], whose values are in the ranges, modulo a prime t.
    ///
    /// # Errors
    /// Ranges of too many values, with the figures.
    pub fn new(program: Program, ranges: Vec<(i64, i64)>, modulus: u64) -> Result<Self, SmallFunctionError> {
        Self::sharing(program, ranges, modulus, &Prepared::default())
    }

    /// As [`SmallFunction::new`], among other tables.
    pub(crate) fn sharing(
        program: Program,
        ranges: Vec<(i64, i64)>,
        modulus: u64,
        prepared: &Prepared,
    ) -> Result<Self, SmallFunctionError> {
        let definition = Definition { program, ranges, modulus };
        if let Some(known) = prepared.function(&definition) {
            return Ok(known);
        }
        let Definition { program, ranges, .. } = &definition;
        let domains =
            ranges.iter().map(|&range| prepared.domain(modulus, range)).collect::<Result<Vec<_>, _>>()?;
        let table = match domains.as_slice() {
            [a] => {
                let values = values(program, &[a])?;
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
                let values = values(program, &[a, b])?;
                let value = |x, y| values[(x - ranges[0].0) as usize * columns + (y - ranges[1].0) as usize];
                PreparedTable::Two(TwoVariableTable::new(a, b, &Output::Integer, value)?)
            }
            _ => return Err(SmallFunctionError::Malformed),
        };
        let function = Self { definition, table: Arc::new(table) };
        prepared.known().functions.push(function.clone());
        Ok(function)
    }

    /// How many variables.
    pub fn arity(&self) -> usize {
        self.definition.ranges.len()
    }

    /// The table, of one variable.
    fn of_one(&self) -> Option<&OneVariableTable> {
        match &*self.table {
            PreparedTable::One(table, _) => Some(table),
            PreparedTable::Two(_) => None,
        }
    }

    /// The plaintext modulus t.
    pub fn modulus(&self) -> u64 {
        self.definition.modulus
    }

    /// Whether both are of the same variables, whose powers they can share.
    pub fn goes_with(&self, other: &Self) -> bool {
        (&self.definition.ranges, self.modulus()) == (&other.definition.ranges, other.modulus())
    }
}

/// Functions of the same variables, whose powers are made once.
///
/// # Panics
/// If there are no functions, they don't go together, or variables are missing.
pub(crate) fn apply_all<A: ExactArithmetic>(
    functions: &[SmallFunction],
    arithmetic: &A,
    variables: &[&A::Value],
) -> Result<Vec<A::Value>, A::Error> {
    if let PreparedTable::One(_, schedule) = &*functions[0].table {
        let tables = functions.iter().filter_map(SmallFunction::of_one).collect::<Vec<_>>();
        return OneVariableTable::apply_all(&tables, arithmetic, variables[0], *schedule);
    }
    let count = |at: usize| {
        let (first, last) = functions[0].definition.ranges[at];
        (last - first + 1) as usize
    };
    let x = Powers::new(arithmetic, variables[0], count(0))?;
    let y = Powers::new(arithmetic, variables[1], count(1))?;
    let value = |function: &SmallFunction| match &*function.table {
        PreparedTable::Two(table) => table.evaluate(arithmetic, &x, &y),
        PreparedTable::One(..) => unreachable!("functions that go together have as many variables"),
    };
    functions.iter().map(value).collect()
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
    if let Some(values) = evaluate_words(program, &table) {
        return Ok(values);
    }
    let outputs = evaluate_exact(program, &table)?.ok_or(SmallFunctionError::Malformed)?;
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

#[cfg(test)]
mod tests {
    use asanoha_circuits::PlainArithmetic;

    use super::*;

    #[test]
    fn tables_of_programs_hold_their_values() {
        let plain = PlainArithmetic::new(Modulus::new(FUNCTION_MODULUS).unwrap(), 3);
        let (a, b) = (plain.value(&[7, -8, 3], 9), plain.value(&[2, 5, -1], 9));
        let program = Program::parse("_q = a // b\nf = where(_q < b, _q, max(a, b))").unwrap();
        let new = |program, ranges: &[(i64, i64)]| {
            SmallFunction::new(program, ranges.to_vec(), FUNCTION_MODULUS).unwrap()
        };
        let two = new(program, &[(-8, 8), (-1, 5)]);
        let sum = new(Program::parse("f = a + b").unwrap(), &[(-8, 8), (-1, 5)]);
        let found = apply_all(&[two.clone(), sum], &plain, &[&a, &b]).unwrap();
        assert_eq!((plain.integers(&found[0]), two.arity()), (vec![7, -2, -3], 2));
        assert_eq!(plain.integers(&found[1]), [9, -3, 2]);
        let one = new(Program::parse("f = abs(a) % 5").unwrap(), &[(-8, 8)]);
        let other = new(Program::parse("f = -a").unwrap(), &[(-8, 8)]);
        assert!(one.goes_with(&other) && !one.goes_with(&two));
        let found = apply_all(&[one, other], &plain, &[&a]).unwrap();
        assert_eq!([&found[0], &found[1]].map(|found| plain.integers(found)), [[2, 3, 3], [-7, 8, -3]]);
    }

    #[test]
    fn a_table_that_was_made_before_is_shared() {
        let prepared = Prepared::default();
        let of = |text: &str, ranges: &[(i64, i64)], modulus| {
            let program = Program::parse(text).unwrap();
            SmallFunction::sharing(program, ranges.to_vec(), modulus, &prepared).unwrap()
        };
        let (text, ranges) = ("f = a % 5", [(0, 99)]);
        let first = of(text, &ranges, FUNCTION_MODULUS);
        assert!(Arc::ptr_eq(&first.table, &of(text, &ranges, FUNCTION_MODULUS).table));
        let others = [
            of("f = a % 6", &ranges, FUNCTION_MODULUS),
            of(text, &[(0, 98)], FUNCTION_MODULUS),
            of(text, &ranges, 786433),
        ];
        for other in others {
            assert!(!Arc::ptr_eq(&first.table, &other.table) && other != first);
        }
        assert_eq!(prepared.domains(), 3);
    }

    #[test]
    fn what_has_no_table_is_refused_with_the_figures() {
        let refused = |text: &str, ranges: &[(i64, i64)]| {
            SmallFunction::new(Program::parse(text).unwrap(), ranges.to_vec(), FUNCTION_MODULUS)
                .unwrap_err()
                .to_string()
        };
        let wide = refused("f = a // b", &[(0, 65535), (0, 65535)]);
        assert!(wide.contains("4294967296 entries"), "{wide}");
        assert!(refused("f = a % 7", &[(0, 1 << 20)]).contains("1048577"));
        assert!(refused("f = sum(a)", &[(0, 9)]).contains("one whole result"));
        assert!(refused("f = a / 2", &[(0, 9)]).contains("one whole result"));
        assert!(refused("f = c // 2", &[(0, 9)]).contains("column `c`"));
    }
}
