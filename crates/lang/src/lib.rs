//! Programs: a typed graph of operations over the columns of a table, which knows no encryption scheme.
//!
//! A [`Program`] is read from text ([`Program::parse`]) or put together with a [`ProgramBuilder`]. Text is Python
//! expression syntax, one assignment a line:
//!
//! ```
//! use asanoha_lang::Program;
//!
//! let program = Program::parse(
//!     "_z = 0.05 * (bmi - 26) + 0.02 * (bp - 94)   # names beginning with `_` stay inside
//!      score = 0.5 + 0.197 * _z - 0.004 * _z**3    # a column: one value per row
//!      mean_score = mean(score)                    # a number",
//! )?;
//! assert_eq!(program.input_names(), ["bmi", "bp"]);
//! assert_eq!(program.outputs()[1].0, "mean_score");
//! # Ok::<(), asanoha_lang::ProgramError>(())
//! ```
//!
//! # The language
//!
//! * Numbers (`12`, `0.5`, `1e-3`, `1_000`) are exact fractions. Free names are columns of the data.
//! * `+ - *`; `**` with a constant whole exponent of magnitude up to [`MAX_EXPONENT`]; `/`, which is exact by a constant.
//!   Python's precedence: `-x**2` is `-(x**2)`, and `2**3**2` is `2**9`.
//! * `sum`, `mean`, `var` (of the population) and `dot` take columns and give numbers. A number beside a column
//!   stands in every row.
//! * `/` by a value, negative powers of one, and `sigmoid`, `exp`, `log`, `sqrt` and `tanh` are approximated when they run
//!   encrypted. Divisors must not be 0, and what `log` and `sqrt` take must be above 0, for all values that the ranges of
//!   the columns allow ([`ranges`] refuses others).
//! * Comparisons, which are 1 or 0; `where(c, a, b)`, which is `a` where `c` is not 0; `abs`, `min` and `max` of values of a
//!   row. They're exact on whole numbers, and approximated on others: `less_than(a, b, gap)` is `a < b` that is told up to a gap,
//!   `sign(x, gap)` likewise, and `relu(x)` is `max(x, 0)`.
//! * Functions of whole numbers: `//` and `%`, rounding down as in Python; `==` and `!=`; `table(x, [..])`, whose entries are
//!   counted from 0, and `table2(x, y, [[..], ..])`, of row `x` and column `y`. Constants in them are whole. Nobody sees a divisor
//!   of zero in encrypted data: `x // 0` then is 0 and `x % 0` is `x`, and places outside of a table hold 0
//!   ([`first_undefined`] finds such rows before they're encrypted).
//! * `region == 'north'` and `region != "north"` of a column of text, whose categories the data's schema lists ([`specialised`]).
//! * `and`, `or`, `not` of conditions, comparisons in a chain (`0 < x <= 5`), and Python's choice `a if c else b`.
//! * `assume(x, lo, hi)` is x in a range by the author's word, which is checked before data are encrypted.
//! * `floor` and `round`; `min`, `max` and `quantile` over the rows of a column: see [`specialised`].
//! * An output may be finished by the holder of the secret key, from decrypted numbers: `ratio(a, b)` of two sums, `mean_where(y, c)`,
//!   `least_squares(y, [x1, x2])`, and `std(x)` and `corr(x, y)` without ends; see [`Program::finished`].
//! * `@name` is a list of constants from elsewhere, such as a file: see [`parse_with`].
//! * Lines may go on inside brackets or after a `\`. A name is assigned once, and not after it was read as a column.
//! * Parts of the program that are the same for all data (`x - x`, `abs(-3)`, `sigmoid(0.5)`) are computed when it's read, and
//!   an output may be such a constant ([`Program::constants`]). What depends on the number of rows only, such as `sum(x - x + 1)`,
//!   is refused. Parts that no output needs are left out.
//! * Comparisons are read in a normal form: what is alike on both sides is taken away, and every term stands on the side where
//!   its factor is positive. `(x - a) == 5` is `x == a + 5`.

#![warn(clippy::missing_errors_doc)]

mod analysed;
mod arithmetic;
mod builder;
mod centre;
mod date_part;
mod dated;
mod dates;
mod domain;
mod error;
mod evaluate;
mod finish;
mod finished;
mod formula;
mod formula_outputs;
mod function;
mod ids;
mod kinds;
mod limits;
mod names;
mod node;
pub mod ops;
mod origin;
mod own_functions;
mod program;
mod quotient;
mod ratios;
mod rebuild;
mod rounded;
mod shape;
mod source;
mod specialise;
mod subprogram;
mod syntax;
mod term_kinds;
mod tree;
mod values;
mod views;
mod whole;

pub use analysed::{Analysed, View};
pub use arithmetic::Number;
pub use asanoha_numeric::{
    Range,
    number::{MAX_CONSTANT_BITS, parse_number, short as short_number},
};
pub use asanoha_table::UnknownColumn;
pub use builder::{ProgramBuilder, terms::Terms};
pub use centre::{Centring, about_centres, centring, check_centres};
pub use date_part::Part;
pub use dated::{check_dates, date_results};
pub use domain::{
    Arg, Argument, Domain, Keep, Outcome, Walked, all,
    denominators::{denominators, whole_nodes},
    influence::shifts,
    ranges::{RangeError, ranges},
    row_use::{Extreme, RowUse, extremes, row_uses},
    supports::{Support, supports},
    walk,
};
pub use error::{BuildError, ProgramError};
pub use evaluate::{
    checks::{OutsideAssumed, Undecided, Undefined, first_outside, first_undecided, first_undefined},
    encrypted_values,
    error::EvaluationError,
    evaluate_exact, evaluate_exact_less, evaluate_real, evaluate_real_less,
    words::evaluate_words,
};
pub use finish::{finish, shift_all};
pub use finished::{Finish, Finished, Unfinished};
pub use formula::Formula;
pub use function::{Function, Given, Kind, Lane, Meaning, Smooth};
pub use ids::{NodeId, Operand, Term};
pub use kinds::{OutputInfo, OutputKind, output_kinds};
pub use limits::{
    MAX_BINS, MAX_EXPONENT, MAX_EXPRESSIONS, MAX_LEAST_SQUARES, MAX_NAME_LENGTH, MAX_NESTING, MAX_NODES,
    MAX_SOURCE_BYTES,
};
pub use names::{
    is_column as is_column_name, is_identifier, is_keyword, literal as text_literal, quoted as quoted_column,
};
pub use node::Node;
pub use origin::Origin;
pub use own_functions::{Functions, FunctionsError};
pub use program::{Constant, Program};
pub use shape::Shape;
pub use specialise::{depends_on_data, specialised};
pub use subprogram::{program_of, subprogram};
pub use syntax::{
    lower::{parse_traced, parse_with, parse_with_functions},
    weights::{MAX_WEIGHTS, Weights, WeightsError},
};
pub use term_kinds::{TermKind, TermKinds};
pub use values::{NoValue, Outputs, Values};
pub use views::with_views;
pub use whole::in_whole_numbers;
