//! Names that functions have in other tools, where they mean the same there.

use super::{
    binary::binary,
    both,
    choice::CHOICE,
    count::{count, rows},
    either,
    entry::{Call, CallError, Entry, Line, Lowered, line},
    floor::FLOOR,
    logic::{is_condition, truth},
    mean_where, neither,
};
use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    ids::Term,
};
use asanoha_numeric::BinaryFunction;
use num_rational::BigRational;

/// Names of other tools, and the functions that they are here.
const SYNONYMS: [(&str, &str); 25] = [
    ("avg", "mean"),
    ("average", "mean"),
    ("ln", "log"),
    ("power", "pow"),
    ("pmin", "min"),
    ("least", "min"),
    ("pmax", "max"),
    ("greatest", "max"),
    ("if", "where"),
    ("if_else", "where"),
    ("ifelse", "where"),
    ("iif", "where"),
    ("cor", "corr"),
    ("correl", "corr"),
    ("n", "count"),
    ("countif", "count"),
    ("countifs", "count"),
    ("ceiling", "ceil"),
    ("ifs", "case_when"),
    ("datediff", "days"),
    ("map", "table"),
    ("sd", "stdev"),
    ("stddev_samp", "stdev"),
    ("stddev_pop", "std"),
    ("var_pop", "var"),
];

/// The function that another tool's name means, in small or capital letters.
pub(super) fn meant(name: &str) -> String {
    let lower = name.to_lowercase();
    let found = SYNONYMS.iter().find(|(synonym, _)| *synonym == lower);
    found.map_or(lower, |(_, function)| (*function).to_owned())
}

pub(super) static ENTRY_CEIL: Entry = Entry::new(
    "ceil",
    (1, 1),
    &[line(&["ceil(x)"], "as `floor(x)`", "the smallest whole number that is not below x")],
    |call| {
        let x = call.value(0)?;
        let negated = call.terms.neg(x)?;
        let floor = apply(call.terms, FLOOR, &[negated])?;
        Ok(call.terms.neg(floor)?.into())
    },
);

pub(super) static ENTRY_BETWEEN: Entry = Entry::new(
    "between",
    (3, 3),
    &[line(&["between(x, lo, hi)", "x between lo and hi"], "as `lo <= x <= hi`", "the same")],
    |call| {
        let [x, lo, hi] = call.dated_values()?;
        let above = apply(call.terms, binary(BinaryFunction::LessOrEqual), &[lo, x])?;
        let below = apply(call.terms, binary(BinaryFunction::LessOrEqual), &[x, hi])?;
        Ok(both(call.terms, above, below)?.into())
    },
);

/// The most arguments of functions of any number of conditions.
const MOST: usize = 64;

static CASES: [Line; 1] = [line(
    &["case_when(c1, a1, c2, a2, …, b)"],
    "as `where`",
    "the value after the first condition that holds, or else the last",
)];

pub(super) static ENTRY_CASES: Entry = Entry::new("case_when", (3, MOST), &CASES, cases)
    .help("a choice of several is written `case_when(a > 3, 1, a > 2, 2, 0)`, with a value for all other rows at the end");

fn cases(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let count = call.arguments.len();
    if count.is_multiple_of(2) {
        let message = "`case_when` has no value for rows in which no condition holds";
        return Err(CallError::new(message, ENTRY_CASES.help));
    }
    let mut value = call.value(count - 1)?;
    for at in (0..count - 1).step_by(2).rev() {
        let [condition, chosen] = [call.value(at)?, call.value(at + 1)?];
        value = apply(call.terms, CHOICE, &[condition, chosen, value])?;
    }
    Ok(value.into())
}

static JOINED: [Line; 1] = [line(&["and(a, b, …)", "or(a, b, …)", "xor(a, b)"], "as `a and b`", "1 or 0")];

pub(super) static ENTRY_AND: Entry = Entry::new("and", (2, MOST), &JOINED, |call| joined(call, both));

pub(super) static ENTRY_OR: Entry = Entry::new("or", (2, MOST), &[], |call| joined(call, either));

/// All arguments of a call, joined two by two as conditions.
fn joined(
    call: &mut Call<'_>,
    join: fn(&mut Terms, Term, Term) -> Result<Term, BuildError>,
) -> Result<Lowered, CallError> {
    let first = call.value(0)?;
    let mut result = truth(call.terms, first)?;
    for at in 1..call.arguments.len() {
        let next = call.value(at)?;
        result = join(call.terms, result, next)?;
    }
    Ok(result.into())
}

pub(super) static ENTRY_XOR: Entry = Entry::new("xor", (2, 2), &[], |call| {
    let [a, b] = call.values()?;
    let b = truth(call.terms, b)?;
    let opposite = neither(call.terms, b)?;
    Ok(apply(call.terms, CHOICE, &[a, opposite, b])?.into())
});

pub(super) static ENTRY_ANY: Entry = Entry::new(
    "any",
    (1, 1),
    &[line(&["any(c)", "all(c)"], "as `count(c)`", "1 if c holds in some row, or in every one, else 0")],
    |call| {
        let condition = call.value(0)?;
        let rows = count(call.terms, condition)?;
        let zero = call.terms.integer(0)?;
        Ok(apply(call.terms, binary(BinaryFunction::Greater), &[rows, zero])?.into())
    },
);

pub(super) static ENTRY_ALL: Entry = Entry::new("all", (1, 1), &[], |call| {
    let condition = call.value(0)?;
    let condition = truth(call.terms, condition)?;
    let fails = neither(call.terms, condition)?;
    let rows = count(call.terms, fails)?;
    let zero = call.terms.integer(0)?;
    Ok(apply(call.terms, binary(BinaryFunction::Equal), &[rows, zero])?.into())
});

pub(super) static ENTRY_DAYS: Entry = Entry::new(
    "days",
    (2, 2),
    &[line(&["days(end, start)"], "as `end - start`", "the days between two dates")],
    |call| {
        let [end, start] = call.dated_values()?;
        Ok(call.terms.sub(end, start)?.into())
    },
);

pub(super) static ENTRY_COUNT_A: Entry = Entry::new("counta", (1, 1), &[], |call| {
    let x = call.value(0)?;
    Ok(rows(call.terms, Some(x))?.into())
});

pub(super) static ENTRY_SUM_IF: Entry = Entry::new(
    "sumif",
    (2, 2),
    &[line(&["sumif(c, x)", "averageif(c, x)"], "as `sum(x, c)` and `mean(x, c)`", "the same")],
    |call| {
        let [condition, x] = condition_first(call)?;
        Ok(call.terms.dot(condition, x)?.into())
    },
);

pub(super) static ENTRY_MEAN_IF: Entry = Entry::new("averageif", (2, 2), &[], |call| {
    condition_first(call)?;
    call.arguments.reverse();
    mean_where::lower(call)
});

/// The condition and the column of a call in that order. Spreadsheets write a range and what its cells are compared with.
fn condition_first(call: &Call<'_>) -> Result<[Term; 2], CallError> {
    let [condition, x] = call.values()?;
    call.terms.check(condition)?;
    if !is_condition(call.terms, condition) {
        let help = "write `sum(x, c > 3)` or `mean(x, c > 3)`: the column, and the condition of its rows";
        return Err(CallError::new("what comes first here is no condition", Some(help)));
    }
    Ok([condition, x])
}

pub(super) static ENTRY_PRODUCTS: Entry = Entry::new(
    "sumproduct",
    (1, MOST),
    &[line(&["sumproduct(x, y, …)"], "as `sum(x * y)`", "the sum of the products")],
    |call| {
        let mut product = call.value(0)?;
        for at in 1..call.arguments.len() {
            let next = call.value(at)?;
            product = call.terms.mul(product, next)?;
        }
        call.terms.check_column(product, ENTRY_PRODUCTS.name)?;
        Ok(call.terms.sum(product)?.into())
    },
);

pub(super) static ENTRY_MEDIAN: Entry = Entry::new(
    "median",
    (1, 1),
    &[line(&["median(x)"], "as `min(x)`", "the value in the middle, or the mean of the two there")],
    |call| {
        let x = call.value(0)?;
        call.terms.check_column(x, "median")?;
        let half = BigRational::new(1.into(), 2.into());
        // The next rank, if the number of rows is even, up to 2^28.
        let above = &half + BigRational::new(1.into(), (1u64 << 40).into());
        let [lower, upper] = [call.terms.quantile(x, &half)?, call.terms.quantile(x, &above)?];
        let sum = call.terms.add(lower, upper)?;
        Ok(call.terms.scale(sum, &half)?.into())
    },
);
