"""Functions of asanoha over all rows of columns, of traced values and of plain arrays alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asanoha import _plain
from asanoha._asanoha import MAX_BINS, MAX_LEAST_SQUARES
from asanoha._graph import Graph
from asanoha._own import own_call, two_ends, whole_constant
from asanoha._statistics import count as traced_count
from asanoha._statistics import order_statistic
from asanoha._traced import FLOAT, INT, Traced


class Counts(dict[int, Traced]):
    """The counts of a histogram by the values that they're of, and the call that gives them all as outputs."""

    __slots__ = ("call",)

    call: Traced

    @property
    def is_intact(self) -> bool:
        """Whether these are still the counts of the call."""
        lo, hi = (self.call._graph.nodes[end].value for end in self.call._node.args[1:])
        kept = list(self.items())
        fresh = _counts(self.call._graph, self.call._node.args[0], int(lo or 0), int(hi or 0))
        return [(value, counted._place) for value, counted in kept] == fresh


def _counts(graph: Graph, column: int, lo: int, hi: int) -> list[tuple[int, int]]:
    """The rows with every value from `lo` to `hi`."""
    part = column if graph.nodes[column].unit == 1 else graph.add("floor", column)
    equal = ((value, graph.add("==", part, graph.constant(value))) for value in range(lo, hi + 1))
    return [(value, graph.add("count", condition)) for value, condition in equal]


def count(c: Any) -> Any:
    """Returns the number of rows where a condition holds.

    Parameters
    ----------
    c : traced column or array_like
        Booleans, or numbers that hold where they aren't 0.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.count([True, False, True])
    2
    """
    call = own_call("count", c)
    return int(np.count_nonzero(c)) if call is None else traced_count(call, c)


def mean_where(y: Any, condition: Any) -> Any:
    """Returns the mean of y over the rows where a condition holds; missing where there are none.

    Sum and count are computed under encryption and divided after decryption, so the holder of the key can read both.

    Parameters
    ----------
    y, condition : traced columns or array_like
        Numbers, and booleans or numbers that hold where they aren't 0.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> asa.mean_where(np.array([1, 2, 6]), np.array([False, True, True]))
    4.0
    """
    call = own_call("mean_where", y, condition)
    if call is None:
        return _plain.mean_where(y, condition)
    return call.make("mean_where", call.column(y), call.column(call.condition(condition)), dtype=FLOAT)


def ratio(a: Any, b: Any) -> Any:
    """Returns a/b of two numbers over all rows, divided after decryption; missing where b is 0.

    The holder of the key can read both numbers.

    Parameters
    ----------
    a, b : traced numbers, or numbers
        Such as `np.sum(x)`.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.ratio(1, 4)
    0.25
    """
    call = own_call("ratio", a, b)
    if call is None:
        return _plain.ratio(a, b)
    for value in (operands := call.numbers(a, b)):
        if value._node.is_column or value._constant is not None:
            what = "a column" if value._node.is_column else "a constant"
            raise call.refuse(
                f"it divides numbers over all rows, and {value._excerpt()} is {what}: write np.sum(x), or a / b"
            )
    return call.make("ratio", *operands, dtype=FLOAT)


def least_squares(y: Any, columns: Sequence[Any]) -> Any:
    """Returns the intercept and the coefficients of columns that come nearest to y, by least squares.

    Sums of products are computed under encryption, and the equations are solved after decryption. An output `m` gives
    the results `m_intercept` and, for every column, `m_COLUMN`, or `m_2` with its place for an expression. All are
    missing where the columns don't determine them.

    Parameters
    ----------
    y : traced column or array_like
        What is explained.
    columns : sequence of traced columns or array_like
        From 1 to 8 columns that explain it.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> asa.least_squares(np.array([1.0, 3.0, 5.0]), [np.array([0, 1, 2])]).round(9).tolist()
    [1.0, 2.0]
    """
    call = own_call("least_squares", y, list(columns))
    if not 1 <= len(columns) <= MAX_LEAST_SQUARES:
        message = f"it takes a list of 1 to {MAX_LEAST_SQUARES} columns, and here are {len(columns)}"
        raise ValueError(f"least_squares: {message}") if call is None else call.refuse(message)
    if call is None:
        return _plain.least_squares(y, columns)
    explaining = call.list_of([call.column(column) for column in columns])
    return call.make("least_squares", call.column(y), explaining, dtype=FLOAT)


def cov(x: Any, y: Any) -> Any:
    """Returns the covariance of the population, the mean of (x - mean(x))·(y - mean(y)).

    Parameters
    ----------
    x, y : traced columns or array_like
        Numbers.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.cov([1, 2, 3], [2, 4, 9])
    2.3333333333333335
    """
    call = own_call("cov", x, y)
    if call is None:
        return _plain.cov(x, y)
    return call.make("cov", call.column(x), call.column(y), dtype=FLOAT)


def corr(x: Any, y: Any, lo: Any = None, hi: Any = None) -> Any:
    """Returns Pearson's correlation, cov(x, y)/(std(x)·std(y)).

    Without ends it's finished after decryption, so it can only be an output, and the holder of the key can read the
    covariance and the variances. It's missing where a column is the same in every row.

    Parameters
    ----------
    x, y : traced columns or array_like
        Numbers.
    lo, hi : constants, optional
        Ends above 0 between which both standard deviations lie. With these the correlation is computed under
        encryption.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.corr([1, 2, 3], [6, 4, 2])
    -1.0
    """
    call = own_call("corr", x, y)
    if call is None:
        return _plain.corr(x, y, lo, hi)
    columns = call.column(x), call.column(y)
    if lo is None and hi is None:
        return call.make("corr", *columns, dtype=FLOAT)
    if lo is None or hi is None:
        raise call.refuse("it takes both ends of the deviations, or neither: write corr(x, y, lo, hi)")
    return call.make("corr", *columns, *two_ends(call, lo, hi), dtype=FLOAT)


def quantile(x: Any, q: Any) -> Any:
    """Returns the least value that as large a part of the rows as q isn't above: that of rank ceil(q·rows).

    Parameters
    ----------
    x : traced column or array_like
        Whole numbers. Under encryption their range has at most 128 values.
    q : constant
        From 0, which gives the minimum, to 1, which gives the maximum.

    Examples
    --------
    >>> import asanoha as asa
    >>> int(asa.quantile([7, 1, 5, 3], 0.5))
    3
    """
    call = own_call("quantile", x, q)
    return _plain.quantile(x, q) if call is None else order_statistic(call, x, q)


def histogram(x: Any, lo: Any, hi: Any) -> Any:
    """Returns how many rows have each of the whole parts from lo to hi.

    Parameters
    ----------
    x : traced column or array_like
        Whole numbers or decimals. Rows outside of lo to hi aren't counted.
    lo, hi : int constants
        Constants with at most 256 values from one to the other.

    Returns
    -------
    dict of int to count
        As an output `h` it gives the results `h_0`, `h_1` and so on, and `h_minus_1` for -1.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.histogram([0, 2, 2, 7], 0, 2)
    {0: 1, 1: 0, 2: 2}
    """
    call = own_call("histogram", x, lo, hi)
    if call is None:
        return _plain.histogram(x, lo, hi)
    column = call.column(x)
    ends = [whole_constant(call, end, "the ends of a histogram") for end in (lo, hi)]
    first, last = (int(end._constant or 0) for end in ends)
    if not 0 <= last - first < MAX_BINS:
        raise call.refuse(
            f"a histogram has from 1 to {MAX_BINS} values, and there are {max(last - first + 1, 0)} from {first} "
            f"to {last}: narrow its ends"
        )
    counted = _counts(call.graph, column._place, first, last)
    counts = Counts({value: Traced(call.graph, place, INT) for value, place in counted})
    counts.call = call.make("histogram", column, *ends, dtype=INT)
    return counts
