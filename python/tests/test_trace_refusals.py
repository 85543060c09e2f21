"""What traced values refuse, with the messages that say what to write instead."""

from __future__ import annotations

import copy
import datetime
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from traced_columns import SCHEMA, text_of

import asanoha._functions as asa
from asanoha._asanoha import functions
from asanoha._dispatch import FUNCTIONS, HINTS, UFUNCS
from asanoha._schema import Schema
from asanoha._trace import trace
from asanoha._traced import Traced
from asanoha.exceptions import TraceError

NAN = float("nan")


def loop(x: Any) -> Any:
    return [row for row in x]


def assign(x: Any) -> None:
    x[x > 1] = 0


def delete(x: Any) -> None:
    del x[0]


def store(x: Any) -> Any:
    z = np.zeros(6)
    z[0] = x
    return z


def accumulate(x: Any) -> Any:
    z = np.zeros(6)
    z += x
    return z


def test_functions_that_exist_have_no_hints() -> None:
    """A hint says what to write in place of a function that isn't computed."""
    assert not sorted(set(HINTS) & (set(UFUNCS) | set(FUNCTIONS)))
    of_language = {name for name, _, _ in functions()} & set(HINTS)
    assert not sorted(name for name in of_language if f"asanoha.{name}(" not in HINTS[name])


#: Functions and a part of what they're refused with.
REFUSALS: list[tuple[Callable[..., Any], str]] = [
    # What needs values.
    (lambda x: 1 if x > 2 else 0, "a decision (if, and, or, not, assert, 0 < x < 1, min(x, y)) needs the values of x > 2, which aren't known while the function is traced: write np.where(c, a, b) for if, &, | and ~ for and, or and not"),
    (lambda x: 0 < x < 5, "(0 < x) & (x < 1)"),
    (lambda c, e: c and e, "& , | and ~".replace(" ,", ",")),
    (lambda c: not c, "needs the values of c"),
    (lambda x, y: max(x, y), "np.minimum(x, y)"),
    (lambda x: np.asarray(x) + 1, "an array needs the values of x, which aren't known while the function is traced: leave np.asarray out"),
    (lambda x, y: np.array([x, y]), "asanoha.dot([a, b], [0.5, 2])"),
    (lambda x, y: np.dot([0.5, 2], [x, y]), "asanoha.dot([a, b], [0.5, 2])"),
    (lambda x, y: np.sum([x, y], axis=0), "asanoha.dot([a, b], [0.5, 2])"),
    (lambda x: np.vectorize(abs)(x), "an array needs the values of x"),
    (lambda x: math.exp(x), "a plain number (float) needs the values of x, which aren't known while the function is traced: write np.exp(x) for math.exp(x)"),
    (lambda x: float(x), "x.astype(float) for float(x)"),
    (lambda x: int(x), "a plain number (int) needs the values of x"),
    (lambda x: complex(x), "a plain number (complex) needs the values of x"),
    (lambda x: math.trunc(x), "a plain number (math.trunc) needs the values of x"),
    (lambda x: round(x, 1), "round needs the values of x, which aren't known while the function is traced: write np.floor(x + 0.5), or asanoha.round_half_up(x)"),
    (lambda x: math.floor(x), "write np.floor(x)"),
    (lambda x: math.ceil(x), "write np.ceil(x)"),
    (lambda n: [1, 2, 3][n], "an index or a count needs the values of n, which aren't known while the function is traced: write asanoha.table(x, entries)"),
    (lambda n: list(range(n)), "an index or a count needs the values of n"),
    (lambda x: np.sum(x) / len(x), "write np.mean(x) for np.sum(x) / len(x)"),
    (loop, "a loop over rows (for, sum, min, max, sorted) needs the values of x, which aren't known while the function is traced: write np.sum(x)"),
    (lambda x: sum(x), "write np.sum(x), np.min(x) or np.max(x)"),
    (lambda x: 3 in x, "in needs the values of x, which aren't known while the function is traced: write np.any(x == value)"),
    (lambda x: x[0], "a choice of rows needs the values of x"),
    (lambda x: x[x > 1].mean(), "asanoha.mean_where(x, c) for the mean of x[c]"),
    (assign, "a change of rows needs the values of x, which aren't known while the function is traced: write x = np.where(c, value, x) for x[c] = value"),
    (delete, "to leave rows out of a sum"),
    (lambda x: f"{x:.2f}", "the format '.2f' needs the values of x"),
    (accumulate, "write z = z + x in place of z += x where z is an array"),
    (lambda x: pickle.dumps(x), "x can't be pickled, because its function is being traced: pickle the program instead"),
    # Operators.
    (lambda n: n << 2, "n << 2: it isn't computed under encryption: write x * 2**k"),
    (lambda n: 1 >> n, "1 >> n: it isn't computed under encryption: write x // 2**k"),
    (lambda n: n & 1, "n & 1: bits of numbers aren't computed, and n is of dtype int64: for conditions write brackets, as in (a > 1) & (b < 2), or n != 0"),
    (lambda x, y: x > 1 | y, "1 | y: bits of numbers aren't computed, and 1 is of dtype int64"),
    (lambda n: ~n, "~n: bits of numbers aren't computed"),
    (lambda n: pow(n, -2, 7), "`pow` takes an exponent of 1 or more, or -1, and a modulus of 2 or more"),
    (lambda x: pow(x, 2, 7), "it takes whole numbers: write x.astype(int)"),
    (lambda x: x @ np.ones((6, 2)), "an array of shape (6, 2) isn't a constant, and only numbers are"),
    (lambda x: x @ 2, "x @ 2: it takes a column, and 2 is a constant for all rows"),
    (lambda c, e: c @ e, "c @ e: numpy multiplies booleans to a boolean: write np.sum(a & b)"),
    (lambda c, e: c - e, "c - e: numpy computes it of no booleans: write a ^ b, or a.astype(int) - b"),
    (lambda c: -c, "-c: numpy computes it of no booleans: write ~c"),
    (lambda c: +c, "+c: numpy computes it of no booleans: write c.astype(int)"),
    (lambda c: np.sign(c), "np.sign(c): numpy computes it of no booleans: write c.astype(int)"),
    (lambda x, n: x**n, "x ** n: the exponent n depends on the data, and exponents are constants: write np.exp(n * np.log(c))"),
    (lambda x: 2**x, "2 ** x: the exponent x depends on the data, and exponents are constants: write np.exp(x * np.log(2))"),
    (lambda x: x**0.3, "x ** 0.3: the exponent 0.3 is neither whole nor a half: write np.exp(0.3 * np.log(x))"),
    (lambda x: x**1025, "the exponent 1025 is above the limit of 1024: write it with np.exp and np.log"),
    (lambda n: n**-2, "n ** -2: numpy raises whole numbers to no negative power: write 1 / n**2 or n**-2.0"),
    (lambda n: np.reciprocal(n), "np.reciprocal(n): numpy rounds reciprocals of whole numbers: write 1 / n"),
    (lambda x: x / 0, "x / 0: it divides by zero: write another divisor"),
    (lambda n: n // 0.0, "n // 0.0: it divides by zero"),
    (lambda n: n % 0, "n % 0: it divides by zero"),
    # Equality.
    (lambda x: x == 3, "x == 3: x is a real number, and equality of real numbers isn't computed under encryption: write np.abs(a - b) < gap, or declare the column as Whole or Decimal"),
    (lambda n: np.exp(n) != 1, "exp(n) is a real number"),
    (lambda n: n == np.mean(n), "n == mean(n): mean(n) is a fraction whose denominator isn't known: compare sums in place of means"),
    (lambda x: np.where(x, 1, 0), "np.where(x, 1, 0): x is a real number"),
    (lambda x: x == None, "x == None: None is no real number: columns have no missing values once they're encrypted"),  # noqa: E711
    # Constants.
    (lambda x: x + NAN, "x + nan: nan is no finite number: write a number, a date or a text"),
    (lambda x: x * np.inf, "inf is no finite number"),
    (lambda x: x + [1, 2], "x + [1, 2]: [1, 2] is no real number: write asanoha.dot([a, b], weights) for sums of products"),
    (lambda x: x + np.ones(6), "an array of shape (6,) isn't a constant, and only numbers are: write a number, add the array to the data as a column, or write asanoha.dot([a, b], weights)"),
    (lambda x: np.ones(6) * x, "an array of shape (6,) isn't a constant"),
    (lambda x: x + 1j, "1j is no real number"),
    (lambda x: x + 2**5000, "a number of 5001 bits is too long, and exact fractions have up to 4096"),
    (lambda x: x + "a", "x + 'a': 'a' is text: compare it with ==, != or np.isin, and compute with these conditions"),
    (lambda x: x + object, "is no real number: write a number, a date or a text"),
    # Dates.
    (lambda born: born + 1, "born + 1: born is a date: compare dates, subtract one from another, or write x.astype(int) for the days"),
    (lambda born: born - 1, "born is a date"),
    (lambda born: np.mean(born), "np.mean(born): born is a date"),
    (lambda born: born.max(), "born is a date"),
    (lambda born: born < 3, "born < 3: born is a date, and 3 is none: write a date, as in datetime.date(2026, 11, 23)"),
    (lambda x: x > datetime.date(2020, 1, 1), "2020-01-01 is a date, and x is none: write a date, as in datetime.date"),
    (lambda born: born == "2020-01-01", "born is a date, and '2020-01-01' is none"),
    (lambda born: born < datetime.datetime(2020, 1, 1, 12), "has a time of day, and dates are whole days: write value.date()"),
    (lambda born: born < np.datetime64("2020-01-01T12:00"), "has a time of day, and dates are whole days: write np.datetime64('2020-01-01')"),
    (lambda born: born < np.datetime64("NaT"), "NaT is no date"),
    (lambda n: n < datetime.timedelta(hours=5), "is no whole number of days, and differences of dates are"),
    (lambda n: n < np.timedelta64(5, "h"), "is no whole number of days, and differences of dates are"),
    (lambda n: n < np.timedelta64(5, "Y"), "is no number of days: write np.timedelta64(365, 'D')"),
    (lambda n: n < np.timedelta64("NaT"), "NaT is no difference of dates"),
    (lambda born: born.astype(float), "born is a date: write born.astype(int), which gives the days since 1970-01-01"),
    (lambda born: born & True, "born is a date"),
    (lambda born, c, seen: np.where(c, born, seen), "born is a date"),
    # Text.
    (lambda region: region + 1, "region + 1: region is text: compare it with ==, != or np.isin, and compute with these conditions"),
    (lambda region: region == "nord", "region == 'nord': column region has no category 'nord': the nearest are 'north', "),
    (lambda region: np.isin(region, ["north", "west"]), "column region has no category 'west'"),
    (lambda region: region < "north", "region is text, and texts have no order: write == or !=, or np.isin(x, texts)"),
    (lambda region: region == 1, "region == 1: region is text, and 1 is none: write one of its texts"),
    (lambda n: n == "north", "n == 'north': n is no column of text, and 'north' is text: write a number"),
    (lambda region: region.astype(int), "region is text, which is no number: compare it with == or != and a text"),
    (lambda region, c: np.where(c, region, region), "region is text"),
    (lambda region: asa.count(region), "asanoha.count(region): region is text"),
    # Functions of numpy.
    (lambda x: np.sort(x), "np.sort(x): rows can't be put in order: np.min, np.max and np.quantile(x, q, method='inverted_cdf') give one of them"),
    (lambda x: np.cumsum(x), "np.cumsum(x): values of other rows aren't computed with: np.sum, np.mean and np.var are over all rows"),
    (lambda x: np.argmax(x), "places of rows aren't computed: np.max(x) gives the largest value"),
    (lambda n: np.quantile(n, 0.5), "method='linear' may give values between two rows: write method='inverted_cdf', or asanoha.quantile(x, q)"),
    (lambda n: np.quantile(n, [0.2, 0.5], method="inverted_cdf"), "it computes one quantile: call it once for each"),
    (lambda n: np.quantile(n, 1.5, method="inverted_cdf"), "1.5 is no constant from 0 to 1: write one, such as 0.5"),
    (lambda n: np.percentile(n, 101, method="inverted_cdf"), "101 is no constant from 0 to 100: write one, such as 50"),
    (lambda x: np.min(x), "np.min(x): x may have fractions, and rows are put in order by whole numbers only: round it, as in np.floor(x), or declare the column as Whole or Decimal"),
    (lambda p: np.max(p), "np.max(p): p may have fractions, and rows are put in order by whole numbers only: write np.max(p * 100) / 100"),
    (lambda n: np.min(n / 4), "write np.min((n / 4) * 4) / 4"),
    (lambda x: np.round(x, 2), "np.round(x, 2): numpy rounds halves to even numbers, and the language rounds them up: write np.floor(x * 100 + 0.5) / 100, or asanoha.round_half_up(x)"),
    (lambda x: np.rint(x), "np.rint(x): numpy rounds halves to even numbers: write np.floor(x + 0.5)"),
    (lambda x: np.trunc(x), "np.trunc(x): it isn't computed under encryption: write np.where(x < 0, np.ceil(x), np.floor(x))"),
    (lambda x: np.fix(x), "write np.where(x < 0, np.ceil(x), np.floor(x))"),
    (lambda x, y: np.cov(x, y), "np.cov(x, y): it isn't computed under encryption: write asanoha.cov(x, y), which is that of the population"),
    (lambda x, y: np.corrcoef(x, y), "write asanoha.corr(x, y)"),
    (lambda x: np.linalg.norm(x), "np.linalg.norm(x): it isn't computed under encryption: write np.sqrt(asanoha.assume(np.dot(x, x), lo, hi))"),
    (lambda x: np.isnan(x), "np.isnan(x): columns have no missing values once they're encrypted: leave it out"),
    (lambda x: np.nanmean(x), "columns have no missing values once they're encrypted: write np.mean(x)"),
    (lambda x, y: np.column_stack([x, y]), "columns aren't put together to an array: write formulas of columns, or asanoha.dot([a, b], [0.5, 2])"),
    (lambda x: np.sinc(x), "np.sinc(x): it isn't computed under encryption: write it with operators, np.where, np.exp, np.sum and the like"),
    (lambda x: np.add.reduce(x), "np.add.reduce(x): methods of ufuncs aren't computed under encryption: write np.sum(x)"),
    (lambda x: np.multiply.outer(x, x), "methods of ufuncs aren't computed under encryption: write it with operators and np.sum"),
    (lambda x, c: np.sum(x, where=c), "np.sum(x, where=c): where= isn't computed under encryption: write np.sum(np.where(c, x, 0)), or asanoha.mean_where(x, c)"),
    (lambda x: np.sum(x, axis=1), "np.sum(x, axis=1): axis= isn't computed under encryption: a column has one axis: leave axis out"),
    (lambda x: np.sum(x, keepdims=True), "keepdims= isn't computed under encryption: leave it out"),
    (lambda x: np.sum(x, initial=3), "initial= isn't computed under encryption: add it to the result"),
    (lambda x: x.mean(dtype=np.float32), "dtype= isn't computed under encryption: write x.astype(float) or x.astype(int)"),
    (lambda x: np.exp(x, out=np.zeros(6)), "out= isn't computed under encryption: results aren't stored in arrays"),
    (lambda x: np.exp(x, dtype=np.float32), "dtype= isn't computed under encryption"),
    (lambda x: np.average(x, weights=np.ones(6)), "an array of shape (6,) isn't a constant"),
    (lambda x, m: np.average(x, weights=m, returned=True), "returned= gives two results: write np.sum(weights) for the second"),
    (lambda x: np.var(x, ddof=6), "ddof=6 leaves nothing of 6 rows to divide by: write a smaller ddof"),
    (lambda x, n: np.var(x, ddof=n), "ddof is a constant: write ddof=0 or ddof=1"),
    (lambda x: np.var(np.sum(x)), "it takes a column, and sum(x) is one number for all rows: use it as it is"),
    (lambda x: np.where(x > 1), "places of rows aren't computed: write np.where(c, a, b), or np.count_nonzero(c)"),
    (lambda x, y: np.select([x > 1, x > 2], [x], 0), "there are 2 conditions and 1 choices: write one choice for every condition"),
    (lambda n, m: np.isin(n, m), "it looks for values in a list of constants, and this is a Traced: write x == y"),
    (lambda n: np.isin(n, {1, 2}), "this is a set: write list(values)"),  # type: ignore[arg-type]
    (lambda n: np.isin(n, []), "this one is empty: write the values, as in [1, 2]"),
    (lambda x: x.astype(int), "x may have fractions, which int cuts off: write np.floor(x).astype(int)"),
    (lambda x: x.astype(np.float32), "dtype float32 isn't computed under encryption: write float, int or bool"),
    (lambda x: x.astype("nonsense"), "'nonsense' is no dtype: write float, int or bool"),
    (lambda n: np.full_like(n, 0.5), "numpy makes 0.5, of dtype float64, one of int64: write dtype=float64"),
    (lambda x, c: asa.mean_where(x, np.sum(c) > 1), "it takes a column, and sum(c) > 1 is one number for all rows"),
    # Attributes.
    (lambda x: x.sort(), "x.sort isn't computed under encryption: rows can't be put in order"),
    (lambda x: x.cumsum(), "running sums aren't computed: np.sum(x) gives the whole sum"),
    (lambda x: x.T, "x.T isn't computed under encryption: write it with operators and functions of numpy, such as np.where(c, a, b)"),
    (lambda x: x.tolist(), "decrypted results have values: return x from the function"),
    # Finished after decryption.
    (lambda x, n: asa.least_squares(x, [n]) * 2, "least_squares(x, [n]) is finished after decryption, so it can only be an output: compute with it after decryption"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "message"), REFUSALS, ids=[message[:50] for _, message in REFUSALS])
def test_refusals_say_what_to_write(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        trace(f, SCHEMA)
    assert message in str(caught.value)
    assert isinstance(caught.value, TraceError)
    assert "\n" not in str(caught.value)


def test_numpy_refuses_arguments_that_it_does_not_take() -> None:
    with pytest.raises(TypeError):
        trace(lambda x: np.sum(x, nothing=3), SCHEMA)  # type: ignore[call-overload]
    with pytest.raises(TraceError, match="not all of its arguments are computed under encryption"):
        trace(lambda x: x.clip(1, 2, 3, 4, 5), SCHEMA)


def test_numpy_says_that_arrays_take_no_traced_values() -> None:
    with pytest.raises(ValueError, match="setting an array element") as caught:
        trace(store, SCHEMA)
    assert isinstance(caught.value.__cause__, TraceError)
    assert "z = z + x for z[0] = x" in str(caught.value.__cause__)


def test_more_decimals_are_rounded_by_hand_as_the_message_says() -> None:
    assert text_of(lambda x: np.floor(x * 100 + 0.5) / 100) == "result = floor(x * 100 + 0.5) / 100"
    assert text_of(lambda y: np.where(y < 0, np.ceil(y), np.floor(y))) == "result = where(y < 0, -floor(-y), floor(y))"
    assert text_of(lambda n: np.min((n / 4) * 4) / 4) == "result = min(n / 4 * 4) / 4"


def test_rows_that_are_not_known_refuse_what_needs_them() -> None:
    schema = Schema(SCHEMA.columns, max_rows=100)
    with pytest.raises(TraceError, match=r"ddof=2 needs the number of rows, and the schema has max_rows=100 only"):
        trace(lambda x: np.var(x, ddof=2), schema)


ROWS = [
    (lambda x: np.sum(x) / x.shape[0], "x.shape", "np.mean(x) for np.sum(x) / x.shape[0]"),
    (lambda x: np.sum(x) / np.shape(x)[0], "x.shape", "np.mean(x) for np.sum(x) / x.shape[0]"),
    (lambda x: np.sum(x) / x.size, "x.size", "np.mean(x) for np.sum(x) / x.size"),
    (lambda x: np.sum(x) / np.size(x), "x.size", "np.mean(x) for np.sum(x) / x.size"),
    (lambda x: np.sum(2 * x) / np.size(2 * x), "(2 * x).size", "np.mean(2 * x) for np.sum(2 * x) / (2 * x).size"),
    (lambda x: np.sum(x) / len(x), "len(x)", "np.mean(x) for np.sum(x) / len(x)"),
    (lambda region: np.sum(region == "north") / len(region), "len(region)", "np.mean(c) for np.sum(c) / len(region)"),
    (lambda born: np.sum(born.astype(int)) / born.size, "born.size", "np.mean(c) for np.sum(c) / born.size"),
]


@pytest.mark.parametrize("rows", [{"rows": 6}, {"max_rows": 100}], ids=str)
@pytest.mark.parametrize(("f", "word", "advice"), ROWS)
def test_the_rows_of_a_plan_are_no_number_of_rows(
    f: Callable[..., Any], word: str, advice: str, rows: dict[str, int]
) -> None:
    with pytest.raises(TraceError) as caught:
        trace(f, Schema(SCHEMA.columns, **rows))
    assert str(caught.value).startswith(f"{word} isn't known while the function is traced")
    assert f"write {advice}, and divide other sums after decryption" in str(caught.value)


@pytest.mark.parametrize("rows", [{"rows": 6}, {"max_rows": 100}], ids=str)
def test_methods_that_numpy_and_pandas_compute_differently_ask_for_ddof(rows: dict[str, int]) -> None:
    schema = Schema(SCHEMA.columns, **rows)
    for f, x, method, sample in (
        (lambda n: n.var(), "n", "var", "n.var(ddof=1)"),
        (lambda n: (2 * n).var(axis=0), "(2 * n)", "var", "(2 * n).var(ddof=1)"),
        (lambda n: n.std(), "n", "std", "n.std(ddof=1)"),
        (lambda n: n.std(0, None, None), "n", "std", "n.std(ddof=1)"),
    ):
        with pytest.raises(TraceError) as caught:
            trace(f, schema)
        message = f"{x}.{method}() divides by n in numpy and by n - 1 in pandas: write {x}.{method}(ddof=0) for n, and "
        assert str(caught.value) == f"{message}{sample} for n - 1"
    # Functions of numpy divide by n for frames of pandas too.
    assert text_of(lambda n: np.std(n), schema) == text_of(lambda n: n.std(ddof=0), schema) == "result = std(n)"
    assert text_of(lambda n: np.var(n), schema) == text_of(lambda n: n.var(ddof=0), schema) == "result = var(n)"
    assert text_of(lambda n: n.var(0, None, None, 0), schema) == "result = var(n)"
    assert text_of(lambda n: n.var(ddof=1)) == "result = 1.2 * var(n)"
    assert text_of(lambda n: n.var(ddof=1), Schema(SCHEMA.columns, max_rows=9)) == "result = var_samp(n)"
    assert text_of(lambda n: n.std(ddof=1), schema) == "result = stdev(n)"
    assert text_of(lambda n: np.std(n, ddof=1.5)) == "result = sqrt(4/3 * var(n))"


def test_no_attribute_of_a_column_is_the_number_of_rows() -> None:
    rows, seen = 97, []

    def f(n: Any) -> Any:
        for name in dir(np.ndarray):
            try:
                value = getattr(n, name)
                told = value if name.startswith("_") or not callable(value) else None
            except (AttributeError, TraceError):
                continue
            seen.append(name)
            assert str(rows) not in re.sub(r" at 0x[0-9a-f]+>", ">", str(told)), name
        assert str(rows) not in repr(n) + str(n) + f"{n}"
        with pytest.raises(TraceError, match="one number for all rows and has no len"):
            len(np.sum(n))
        return n

    trace(f, Schema(SCHEMA.columns, rows=rows))
    assert {"ndim", "dtype", "sum"} <= set(seen) and not {"shape", "size", "nbytes", "strides"} & set(seen)


def test_values_stay_in_their_trace() -> None:
    kept: list[Any] = []

    def keep(x: Any) -> Any:
        kept.append(x)
        return x + 1

    trace(keep, SCHEMA)
    with pytest.raises(
        TraceError, match="x is a value of another trace: compute it inside of the function that is traced"
    ):
        kept[0] + 1
    with pytest.raises(TraceError, match="x is a value of another trace"):
        trace(lambda y: y + kept[0], SCHEMA)
    with pytest.raises(TraceError, match="output 'result' is a value of another trace"):
        trace(lambda y: kept[0], SCHEMA)


def test_what_traced_values_are_is_known_while_they_are_traced() -> None:
    def f(x: Any, n: Any, c: Any, born: Any, region: Any) -> Any:
        assert (x.dtype, x.ndim) == (np.float64, 1)
        assert (np.sum(x).shape, np.sum(x).size, np.sum(x).ndim) == ((), 1, 0)
        assert repr(np.sum(x)) == "Traced(sum(x), number, dtype=float64)"
        assert [v.dtype for v in (n, c, born, region)] == [np.int64, np.bool_, np.dtype("datetime64[D]"), np.object_]
        assert repr(2 * x + 1) == "Traced(2 * x + 1, column, dtype=float64)"
        assert f"{n}" == str(n) == "Traced(n, column, dtype=int64)"
        assert hash(x) != hash(n) and len({x, n, x}) == 2
        assert copy.copy(x) is x and copy.deepcopy(x) is x
        assert not hasattr(x, "sort") and not hasattr(x, "nothing")
        assert not np.iterable(x)
        with pytest.raises(AttributeError, match="traced values have no attribute 'nothing'"):
            x.nothing  # noqa: B018
        long = sum(x * k for k in range(2, 40))
        assert len(repr(long)) < 100 and "..." in repr(long)
        assert isinstance(x, Traced)
        return x > 1

    trace(f, SCHEMA)
