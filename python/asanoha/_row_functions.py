"""Functions of asanoha that are computed row by row, of traced values and of plain arrays alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asanoha import _plain
from asanoha._call import Call
from asanoha._own import own_call, two_ends, whole_constant
from asanoha._traced import BOOL, FLOAT, INT, Traced
from asanoha._ufuncs import product


def sigmoid(x: Any) -> Any:
    """Returns 1/(1 + exp(-x)), approximated under encryption on the range of x.

    Parameters
    ----------
    x : traced value or array_like
        Numbers.

    Examples
    --------
    >>> import asanoha as asa
    >>> float(asa.sigmoid(0.0))
    0.5
    """
    call = own_call("sigmoid", x)
    if call is None:
        return _plain.sigmoid(x)
    return call.make("sigmoid", *call.numbers(x), dtype=FLOAT)


def relu(x: Any) -> Any:
    """Returns the larger of x and 0.

    Parameters
    ----------
    x : traced value or array_like
        Numbers.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.relu([-2, 3]).tolist()
    [0, 3]
    """
    call = own_call("relu", x)
    if call is None:
        return np.maximum(x, 0)
    (value,) = call.numbers(x)
    return call.make("relu", value, dtype=call.dtype_of("maximum", value, call.take(0)))


def less_than(a: Any, b: Any, gap: Any) -> Any:
    """Returns whether a < b, for numbers that differ by a gap or more.

    Rows whose real numbers are nearer to each other are refused when they're encrypted. A wider gap is computed faster.

    Parameters
    ----------
    a, b : traced values, numbers or array_like
        What is compared.
    gap : constant
        Above 0.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.less_than([1.0, 2.0], 1.5, 0.1).tolist()
    [True, False]
    """
    call = own_call("less_than", a, b, gap)
    if call is None:
        return np.less(a, b)
    x, y, width = call.numbers(a, b, gap)
    if width._constant is None or width._constant <= 0:
        raise call.refuse(f"the gap is a constant above 0, and this is {width._excerpt()}")
    return call.make("less_than", x, y, width, dtype=BOOL)


def assume(x: Any, lo: Any, hi: Any) -> Any:
    """Returns x, whose range is taken to be from lo to hi by your word.

    Data that leave the range are refused when they're encrypted.

    Parameters
    ----------
    x : traced value or array_like
        Numbers.
    lo, hi : constants
        The ends of the range.

    Raises
    ------
    DataError
        If plain numbers leave the range.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.assume([0.2, 0.8], 0, 1)
    [0.2, 0.8]
    """
    call = own_call("assume", x, lo, hi)
    if call is None:
        return _plain.assume(x, lo, hi)
    (value,) = call.numbers(x)
    return call.make("assume", value, *two_ends(call, lo, hi), dtype=value.dtype)


def round_half_up(x: Any) -> Any:
    """Returns the nearest whole number, the upper one of two.

    Parameters
    ----------
    x : traced value or array_like
        Numbers.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.round_half_up([0.5, 1.5, -0.5]).tolist()
    [1.0, 2.0, 0.0]
    """
    call = own_call("round_half_up", x)
    if call is None:
        return _plain.round_half_up(x)
    (value,) = call.numbers(x)
    dtype = call.dtype_of("floor", value)
    return Traced(call.graph, value._place, dtype) if value._node.unit == 1 else call.make("round", value, dtype=dtype)


def dot(a: Any, b: Any) -> Any:
    """Returns the sum over the rows of the product of two columns, or a sum of columns times weights, row by row.

    Parameters
    ----------
    a : traced column or array_like, or a list of these
        A column, or columns.
    b : traced column or array_like, or weights
        Another column, or a constant for every column.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.dot([[1, 2, 3], [4, 5, 6]], [10, 1]).tolist()
    [14, 25, 36]
    """
    call = own_call("dot", a, b)
    if call is None:
        return _plain.dot(a, b)
    if isinstance(a, Traced) and isinstance(b, Traced):
        return product(call, a, b)
    weights = np.asarray(b).tolist() if isinstance(b, np.ndarray) else b
    if not isinstance(a, (list, tuple)) or not isinstance(weights, (list, tuple)) or len(a) != len(weights) or not a:
        raise call.refuse(
            "it takes two columns, or a list of columns and as many weights: write asanoha.dot([a, b], [0.5, 2])"
        )
    columns, factors = call.numbers(*a), call.numbers(*weights)
    dtype = np.result_type(INT, *(value.dtype for value in columns + factors))
    return call.make("dot", call.list_of(columns), call.list_of(factors), dtype=dtype)


def table(x: Any, entries: Sequence[int] | np.ndarray[Any, Any]) -> Any:
    """Returns the entry of a list at every place x, counted from 0.

    Parameters
    ----------
    x : traced value or array_like
        Whole numbers, which are places in the list.
    entries : sequence of int
        Constants.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.table([2, 0], [30, 10, 20]).tolist()
    [20, 30]
    """
    call = own_call("table", x, list(entries))
    if call is None:
        return _plain.table(x, entries)
    return call.make("table", _place(call, x), _entries(call, entries), dtype=INT)


def table2(x: Any, y: Any, rows: Sequence[Sequence[int]] | np.ndarray[Any, Any]) -> Any:
    """Returns the entry in row x and column y of a table, both counted from 0.

    Parameters
    ----------
    x, y : traced values or array_like
        Whole numbers, which are places in the table.
    rows : sequence of sequences of int
        Constants, as many in every row.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.table2([0, 1], [1, 1], [[1, 2], [3, 4]]).tolist()
    [2, 4]
    """
    call = own_call("table2", x, y)
    lengths = {len(row) for row in rows}
    if len(lengths) != 1:
        message = f"its rows have one length, and these have {sorted(lengths)} entries"
        raise ValueError(f"table2: {message}") if call is None else call.refuse(message)
    if call is None:
        return _plain.table2(x, y, rows)
    listed = call.list_of([_entries(call, row) for row in rows])
    return call.make("table2", _place(call, x), _place(call, y), listed, dtype=INT)


def _place(call: Call, x: object) -> Traced:
    """A whole number, which is a place in a table."""
    (value,) = call.numbers(x)
    if value._node.unit != 1:
        raise call.refuse(
            f"places in a table are whole numbers, and {value._excerpt()} may have fractions: write np.floor(x)"
        )
    return value


def _entries(call: Call, entries: Sequence[int] | np.ndarray[Any, Any]) -> Traced:
    if len(entries) == 0:
        raise call.refuse("a table has one entry at least: write table(x, [3, 1, 4])")
    return call.list_of([whole_constant(call, entry, "the entries of a table") for entry in entries])
