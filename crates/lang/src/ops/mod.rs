//! The functions of the language, a file for each: what each is called, what a call of it becomes, and what it means in every arithmetic.
//!
//! [`ENTRIES`] is the list of them. Operators are functions of terms: [`div`], [`power`], [`both`], [`either`], [`neither`] and
//! [`binary`]; addition and multiplication are methods of [`Terms`].

mod abs;
mod assume;
mod binary;
mod cbrt;
mod choice;
mod clip;
mod comparison;
mod corr;
mod count;
mod cov;
mod date_parts;
mod deviation;
mod dot;
mod elsewhere;
mod entry;
mod exp;
mod extremes;
mod floor;
mod floor_div;
mod formula;
mod histogram;
mod hypot;
mod least_squares;
mod less_than;
mod linear;
mod log;
mod logic;
mod mean;
mod mean_where;
mod operators;
mod power;
mod power_modulo;
mod quantile;
mod ratio;
mod reciprocal;
mod relu;
mod remainder;
mod round;
mod sample;
mod sigmoid;
mod sign;
mod sqrt;
mod sum;
mod synonyms;
mod table;
mod table2;
mod table_entries;
mod tanh;
mod text;
mod text_table;
mod var;

use asanoha_table::edit_distance;

pub use self::{
    abs::ABSOLUTE,
    binary::{binary, with_constant},
    choice::CHOICE,
    corr::corr,
    count::count,
    deviation::std,
    entry::{Call, CallError, Entry, Line, Lowered, Passed},
    extremes::{MAXIMUM, MINIMUM},
    floor::FLOOR,
    floor_div::QUOTIENT,
    least_squares::least_squares,
    less_than::less_than,
    logic::{both, either, neither},
    mean_where::mean_where,
    operators::{OPERATORS, operator},
    power::power,
    power_modulo::power_modulo,
    ratio::ratio,
    reciprocal::{RECIPROCAL, div},
    remainder::REMAINDER,
    sign::sign,
    sqrt::SQRT,
    table::table,
    text::category,
};
pub(crate) use self::{
    corr::finished_corr, deviation::finished_std, elsewhere::instead, formula::formula, ratio::ratio_root,
};
pub use crate::builder::{apply::apply, terms::Terms};

/// Every function of the language.
pub static ENTRIES: [&Entry; 57] = [
    &choice::ENTRY,
    &abs::ENTRY,
    &extremes::ENTRY_MIN,
    &extremes::ENTRY_MAX,
    &less_than::ENTRY,
    &sign::ENTRY,
    &relu::ENTRY,
    &clip::ENTRY,
    &synonyms::ENTRY_BETWEEN,
    &synonyms::ENTRY_CASES,
    &synonyms::ENTRY_AND,
    &synonyms::ENTRY_OR,
    &synonyms::ENTRY_XOR,
    &assume::ENTRY,
    &floor::ENTRY,
    &synonyms::ENTRY_CEIL,
    &round::ENTRY,
    &sum::ENTRY,
    &count::ENTRY,
    &synonyms::ENTRY_ANY,
    &synonyms::ENTRY_ALL,
    &mean::ENTRY,
    &var::ENTRY,
    &deviation::ENTRY,
    &cov::ENTRY,
    &corr::ENTRY,
    &quantile::ENTRY,
    &synonyms::ENTRY_MEDIAN,
    &synonyms::ENTRY_DAYS,
    &date_parts::ENTRY_YEAR,
    &date_parts::ENTRY_MONTH,
    &histogram::ENTRY,
    &mean_where::ENTRY,
    &ratio::ENTRY,
    &ratio::ENTRY_ROOT,
    &formula::ENTRY,
    &sample::ENTRY_VAR,
    &sample::ENTRY_STD,
    &synonyms::ENTRY_COUNT_A,
    &synonyms::ENTRY_SUM_IF,
    &synonyms::ENTRY_MEAN_IF,
    &synonyms::ENTRY_PRODUCTS,
    &least_squares::ENTRY,
    &linear::ENTRY,
    &dot::ENTRY,
    &table::ENTRY,
    &table2::ENTRY,
    &sigmoid::ENTRY,
    &power::ENTRY,
    &exp::ENTRY,
    &tanh::ENTRY,
    &log::ENTRY,
    &log::ENTRY_10,
    &log::ENTRY_2,
    &sqrt::ENTRY,
    &cbrt::ENTRY,
    &hypot::ENTRY,
];

/// The function of a name, its own or one that it has in other tools, in small or capital letters.
pub fn entry(name: &str) -> Option<&'static Entry> {
    let of = |name: &str| ENTRIES.into_iter().find(|entry| entry.name == name);
    of(name).or_else(|| of(&synonyms::meant(name)))
}

/// The function whose name is nearest to `name`, in the language or elsewhere, when one is near.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let own = ENTRIES.into_iter().map(|entry| (entry.name, entry.name));
    let elsewhere =
        ENTRIES.into_iter().flat_map(|entry| entry.elsewhere.iter().map(|name| (*name, entry.name)));
    own.chain(elsewhere)
        .map(|(called, function)| (edit_distance(&lower, called), function))
        .filter(|&(distance, _)| distance <= 2.min(name.chars().count() / 3))
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn misspelt_functions_find_the_nearest() {
        for (given, expected) in [
            ("sigmod", Some("sigmoid")),
            ("summ", Some("sum")),
            ("avg", Some("mean")),
            ("averge", Some("mean")),
            ("SUM", Some("sum")),
            ("Average", Some("mean")),
            ("stdd", Some("std")),
            ("fourier", None),
            ("x", None),
        ] {
            assert_eq!(nearest(given), expected, "{given}");
        }
    }
}
