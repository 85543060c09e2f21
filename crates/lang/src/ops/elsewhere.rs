//! Functions of other tools that the language has no function for, and what to write instead.

/// Advice on a function of another tool, in small or capital letters.
pub(crate) fn instead(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "len" | "size" | "nrow" => {
            "the number of rows is public; `count(condition)` counts rows of a condition"
        }
        "percentile" | "quartile" => {
            "the least value that a quarter of the rows aren't above is `quantile(x, 0.25)`"
        }
        "filter" => "rows of conditions are counted by `count(a > 3 and b < 2)`",
        "sumifs" => "a sum over the rows of a condition is `sum(x, a > 3)`",
        "stddev" | "variance" | "stdevs" | "stdevp" => {
            "tools differ in what they divide by: by the number of rows do `std(x)` and `var(x)`, by one less `stdev(x)` and `var_samp(x)`"
        }
        "averageifs" => "a mean over the rows of a condition is `mean(x, a > 3)`",
        "choose" | "vlookup" => "an entry of a list is `table(x - 1, [5, 7, 9])`, where x is 1, 2 or 3",
        "case" | "when" | "switch" => {
            "a choice is written `a if c else b`, and of several `a if c else b if d else e`"
        }
        "isin" => "one of several is written `x in [3, 5]`",
        "coalesce" | "ifnull" | "nvl" | "fillna" | "isna" | "isnull" | "iferror" => {
            "missing cells are left out or filled when the data are read"
        }
        "int" | "trunc" | "rounddown" => {
            "numbers are rounded down by `floor(x)`, which is what it does for none below 0"
        }
        "roundup" => "numbers are rounded up by `ceil(x)`",
        "mod" => "a remainder is written `x % 7`",
        "quotient" | "div" => "a quotient that is rounded down is written `x // 7`",
        "square" => "a square is written `x ** 2`",
        "log1p" => "it is written `log(x + 1)`",
        "expm1" => "it is written `exp(x) - 1`",
        "nunique" | "distinct" | "count_distinct" | "n_distinct" | "value_counts" | "frequency" => {
            "the rows of each whole number are counted by `histogram(x, 0, 9)`"
        }
        "rank" | "cumsum" | "cumprod" | "lag" | "lead" | "shift" | "diff" | "rolling" | "sort" | "argmax" => {
            "an operation is of one row at a time or over all rows: none depends on the order of the rows"
        }
        "upper" | "lower" | "substr" | "left" | "right" | "concat" | "contains" | "startswith" => {
            "texts are compared as a whole: `region == 'north'` or `region in ['north', 'east']`"
        }
        "lm" | "linest" => "a regression is `least_squares(y, [x1, x2])`",
        "cut" => "bands are chosen by `case_when(x < 18, 0, x < 65, 1, 2)`",
        "day" | "weekday" | "dayofweek" | "quarter" => {
            "dates are compared, `day >= 2026-01-01`, and subtracted, and have a `year(day)` and a `month(day)`"
        }
        _ => return None,
    })
}
