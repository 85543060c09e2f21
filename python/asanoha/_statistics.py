"""Rules of numpy's functions that are no ufuncs: what they are in the language of programs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from asanoha._call import Call
from asanoha._dispatch import Rule
from asanoha._numbers import exact
from asanoha._traced import BOOL, DATE, FLOAT, INT, TEXT, Traced
from asanoha._ufuncs import add, divide, equality, extreme, logical, logical_not, multiply, subtract


def _check_options(call: Call, axis: object, options: dict[str, Any]) -> None:
    for name, value in {"axis": axis, **options}.items():
        call.check_option(name, value)


def total(
    call: Call, a: object, axis: object = None, dtype: object = None, out: object = None, **options: Any
) -> Traced:
    """The sum over the rows."""
    _check_options(call, axis, {"dtype": dtype, "out": out, **options})
    (x,) = call.numbers(a)
    kind = INT if x.dtype == BOOL else x.dtype
    return call.make("sum", x, dtype=kind) if x._node.is_column else Traced(call.graph, x._place, kind)


def mean(
    call: Call, a: object, axis: object = None, dtype: object = None, out: object = None, **options: Any
) -> Traced:
    """The mean over the rows."""
    _check_options(call, axis, {"dtype": dtype, "out": out, **options})
    (x,) = call.numbers(a)
    return call.make("mean", x, dtype=FLOAT) if x._node.is_column else Traced(call.graph, x._place, FLOAT)


def average(
    call: Call, a: object, axis: object = None, weights: object = None, returned: bool = False, **options: Any
) -> Traced:
    """The mean over the rows, or with weights that are a column."""
    _check_options(call, axis, options)
    if returned:
        raise call.refuse("returned= gives two results: write np.sum(weights) for the second")
    if weights is None:
        return mean(call, a)
    x, w = call.column(a), call.column(weights)
    return divide(call, call.make("dot", x, w, dtype=FLOAT), total(call, w))


def _freedom(call: Call, ddof: object, options: dict[str, Any]) -> Fraction:
    """What is taken from the number of rows: `ddof`, or `correction`, which is its other name."""
    correction = options.pop("correction", None)
    given = ddof if correction is None or correction is np._NoValue else correction
    if isinstance(given, Traced) or not isinstance(given, (int, float, np.integer, np.floating)):
        raise call.refuse("ddof is a constant: write ddof=0 or ddof=1")
    return exact(given)


def var(
    call: Call,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    ddof: object = 0,
    **options: Any,
) -> Traced:
    """The variance over the rows: of the population, times n/(n - ddof)."""
    freedom = _freedom(call, ddof, options)
    _check_options(call, axis, {"dtype": dtype, "out": out, **options})
    variance = call.make("var", call.column(a), dtype=FLOAT)
    if freedom == 0:
        return variance
    rows = call.graph.schema.rows
    if rows is None and freedom == 1:
        return call.make("var_samp", call.column(a), dtype=FLOAT)
    if rows is None:
        raise call.refuse(
            f"ddof={freedom} needs the number of rows, and the schema has max_rows={call.graph.rows} only: write "
            f"ddof=0 and multiply the decrypted variance by n / (n - {freedom}), or plan for exactly so many rows"
        )
    if rows <= freedom:
        raise call.refuse(f"ddof={freedom} leaves nothing of {rows} rows to divide by: write a smaller ddof")
    return multiply(call, Fraction(rows) / (rows - freedom), variance)


def std(
    call: Call,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    ddof: object = 0,
    **options: Any,
) -> Traced:
    """The root of the variance, which is finished after decryption."""
    freedom = _freedom(call, ddof, options)
    _check_options(call, axis, {"dtype": dtype, "out": out, **options})
    if freedom == 1:
        return call.make("stdev", call.column(a), dtype=FLOAT)
    if freedom != 0:
        return call.make("sqrt", var(call, a, ddof=ddof, **options), dtype=FLOAT)
    return call.make("std", call.column(a), dtype=FLOAT)


def _ordered(call: Call, a: object) -> Traced:
    """A column of whole numbers, for whose values rows are counted."""
    x = call.column(a)
    unit = x._node.unit
    if unit == 1:
        return x
    name = x._excerpt()
    if unit is None:
        instead = f"round it, as in np.floor({name}), or declare the column as Whole or Decimal"
    else:
        factor = f"({name}) * {unit}" if " " in name else f"{name} * {unit}"
        instead = f"write {call.text.replace(f'({name}', f'({factor}', 1)} / {unit}"
    raise call.refuse(f"{name} may have fractions, and rows are put in order by whole numbers only: {instead}")


def over_rows(op: str) -> Rule:
    """The least or the largest value of a column."""

    def rule(call: Call, a: object, axis: object = None, out: object = None, **options: Any) -> Traced:
        _check_options(call, axis, {"out": out, **options})
        (x,) = call.numbers(a)
        return call.make(op, _ordered(call, x), dtype=x.dtype) if x._node.is_column else x

    return rule


def ptp(call: Call, a: object, axis: object = None, out: object = None, **options: Any) -> Traced:
    return subtract(call, over_rows("max")(call, a, axis, out, **options), over_rows("min")(call, a))


def quantile(percent: int) -> Rule:
    """The least value that as large a part of the rows isn't above."""

    def rule(
        call: Call,
        a: object,
        q: object,
        axis: object = None,
        out: object = None,
        overwrite_input: bool = False,
        method: str = "linear",
        **options: Any,
    ) -> Traced:
        _check_options(call, axis, {"out": out, **options})
        if method != "inverted_cdf":
            raise call.refuse(
                f"method={method!r} may give values between two rows: write method='inverted_cdf', "
                "or asanoha.quantile(x, q)"
            )
        return order_statistic(call, a, q, percent)

    return rule


def order_statistic(call: Call, a: object, q: object, percent: int = 1) -> Traced:
    """The language's `quantile(x, q / percent)`."""
    x = _ordered(call, a)
    if isinstance(q, (list, tuple)) or (isinstance(q, np.ndarray) and q.ndim):
        raise call.refuse("it computes one quantile: call it once for each")
    part = call.take(q)
    share = part._constant
    if share is None or not 0 <= share <= percent:
        raise call.refuse(f"{part._excerpt()} is no constant from 0 to {percent}: write one, such as {percent * 0.5:g}")
    return call.make("quantile", x, call.take(share / percent), dtype=x.dtype)


def count(call: Call, a: object, axis: object = None, **options: Any) -> Traced:
    """The number of rows where a condition holds."""
    _check_options(call, axis, options)
    condition = call.condition(a)
    is_column = condition._node.is_column
    return call.make("count", condition, dtype=INT) if is_column else Traced(call.graph, condition._place, INT)


def any_(call: Call, a: object, axis: object = None, out: object = None, **options: Any) -> Traced:
    _check_options(call, axis, {"out": out, **options})
    condition = call.condition(a)
    return call.compare(">", count(call, condition), call.take(0)) if condition._node.is_column else condition


def all_(call: Call, a: object, axis: object = None, out: object = None, **options: Any) -> Traced:
    _check_options(call, axis, {"out": out, **options})
    condition = call.condition(a)
    if not condition._node.is_column:
        return condition
    return call.compare("==", count(call, logical_not(call, condition)), call.take(0))


def where(call: Call, condition: object, *choices: object) -> Traced:
    """One of two numbers, by a condition."""
    if len(choices) != 2:
        raise call.refuse("places of rows aren't computed: write np.where(c, a, b), or np.count_nonzero(c)")
    chosen = call.condition(condition)
    a, b = call.numbers(*choices)
    return call.make("where", chosen, a, b, dtype=np.promote_types(a.dtype, b.dtype))


def select(call: Call, conditions: Sequence[object], choices: Sequence[object], default: object = 0) -> Traced:
    """The number of the first condition that holds."""
    if len(conditions) != len(choices) or not conditions:
        raise call.refuse(
            f"there are {len(conditions)} conditions and {len(choices)} choices: write one choice for every condition"
        )
    (chosen,) = call.numbers(default)
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        chosen = where(call, condition, choice, chosen)
    return chosen


def clip(
    call: Call, a: object, a_min: object = None, a_max: object = None, out: object = None, **options: Any
) -> Traced:
    """The number between two others that is nearest."""
    ends = [options.pop(name, end) for name, end in (("min", a_min), ("max", a_max))]
    lo, hi = (None if end is np._NoValue else end for end in ends)
    _check_options(call, None, {"out": out, **options})
    if lo is None or hi is None:
        x = call.numbers(a)[0]
        x = x if lo is None else extreme("max")(call, x, lo)
        return x if hi is None else extreme("min")(call, x, hi)
    x, low, high = call.numbers(a, lo, hi)
    return call.make("clip", x, low, high, dtype=np.result_type(x.dtype, low.dtype, high.dtype))


def isin(
    call: Call,
    element: object,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: object = None,
) -> Traced:
    """Whether a value is one of a list."""
    if isinstance(test_elements, (Traced, set, frozenset)):
        instead = "x == y" if isinstance(test_elements, Traced) else "list(values)"
        raise call.refuse(
            f"it looks for values in a list of constants, and this is a {type(test_elements).__name__}: write {instead}"
        )
    values = np.asarray(test_elements, dtype=object).ravel().tolist()
    if not values:
        raise call.refuse(
            "it looks for values in a list of constants, and this one is empty: write the values, as in [1, 2]"
        )
    is_equal, either = equality("=="), logical("or")
    found: Traced = is_equal(call, element, values[0])
    for value in values[1:]:
        found = either(call, found, is_equal(call, element, value))
    return logical_not(call, found) if invert else found


def astype(call: Call, x: object, dtype: Any, **options: Any) -> Traced:
    """The same values of another dtype, where none changes."""
    value = call.take(x)
    name = value._excerpt()
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        raise call.refuse(f"{dtype!r} is no dtype: write float, int or bool") from None
    if wanted == value.dtype:
        return value
    if value.dtype == TEXT:
        raise call.refuse(f"{name} is text, which is no number: compare it with == or != and a text")
    if value.dtype == DATE and wanted != INT:
        raise call.refuse(f"{name} is a date: write {name}.astype(int), which gives the days since 1970-01-01")
    if wanted not in (BOOL, INT, FLOAT):
        raise call.refuse(f"dtype {wanted} isn't computed under encryption: write float, int or bool")
    if wanted == BOOL:
        return call.condition(value)
    if wanted == INT and value._node.unit != 1:
        raise call.refuse(f"{name} may have fractions, which int cuts off: write np.floor({name}).astype(int)")
    return Traced(call.graph, value._place, wanted)


def rounded(call: Call, a: object, decimals: int = 0, out: object = None) -> Traced:
    """Whole numbers as they are: numpy rounds halves to even numbers, and the language rounds them up."""
    _check_options(call, None, {"out": out})
    (x,) = call.numbers(a)
    if x._node.unit == 1 and decimals == 0:
        return x
    name, scale = x._excerpt(), 10**decimals
    instead = f"np.floor({name} + 0.5)" if decimals <= 0 else f"np.floor({name} * {scale} + 0.5) / {scale}"
    raise call.refuse(
        f"numpy rounds halves to even numbers, and the language rounds them up: write {instead}, "
        "or asanoha.round_half_up(x)"
    )


def full_like(call: Call, a: object, fill_value: object, dtype: Any = None, **options: Any) -> Traced:
    """A column that is the same number in every row."""
    _check_options(call, None, {name: value for name, value in options.items() if name != "order"})
    x, value = call.numbers(a, fill_value)
    wanted = np.dtype(x.dtype if dtype is None else dtype)
    if np.promote_types(wanted, value.dtype) != wanted:
        raise call.refuse(
            f"numpy makes {value._excerpt()}, of dtype {value.dtype}, one of {wanted}: write dtype={value.dtype}"
        )
    zeros = call.make("*", call.take(0), x, dtype=INT)
    return astype(call, add(call, zeros, value), wanted)


def like(fill: int) -> Rule:
    """A column of a number."""

    def rule(call: Call, a: object, dtype: Any = None, **options: Any) -> Traced:
        return full_like(call, a, bool(fill), dtype, **options)

    return rule


def public(attribute: str) -> Rule:
    """What is known of a value while it's traced."""
    return lambda call, a: getattr(call.take(a), attribute)


def same(call: Call, a: object, **options: Any) -> Traced:
    """The value itself."""
    return call.take(a)
