"""Functions of asanoha on plain arrays, as the language of programs defines them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from asanoha._numbers import exact
from asanoha.exceptions import DataError


def sigmoid(x: Any) -> Any:
    return np.exp(-np.logaddexp(0.0, -np.asarray(x, dtype=np.float64)))


def mean_where(y: Any, condition: Any) -> float:
    values = np.asarray(y)[np.asarray(condition) != 0]
    return float(np.mean(values)) if values.size else math.nan


def ratio(a: Any, b: Any) -> float:
    return float(a / b) if b != 0 else math.nan


def least_squares(y: Any, columns: Sequence[Any]) -> Any:
    target = np.asarray(y, dtype=np.float64)
    explaining = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    centred = explaining - explaining.mean(axis=0)
    coefficients, _, rank, _ = np.linalg.lstsq(centred, target - target.mean(), rcond=None)
    if rank < len(columns):
        return np.full(len(columns) + 1, math.nan)
    return np.concatenate([[target.mean() - explaining.mean(axis=0) @ coefficients], coefficients])


def cov(x: Any, y: Any) -> float:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return float(np.mean((a - a.mean()) * (b - b.mean())))


def corr(x: Any, y: Any, lo: Any, hi: Any) -> float:
    if (lo is None) != (hi is None):
        raise ValueError("corr takes both ends of the deviations, or neither: write corr(x, y, lo, hi)")
    deviations = [float(np.std(np.asarray(column, dtype=np.float64))) for column in (x, y)]
    if lo is not None:
        assume(np.array(deviations), lo, hi)
    product = deviations[0] * deviations[1]
    return min(max(cov(x, y) / product, -1.0), 1.0) if product else math.nan


def dot(a: Any, b: Any) -> Any:
    x, y = np.asarray(a), np.asarray(b)
    if x.ndim == y.ndim == 1 and x.shape == y.shape and not isinstance(a, (list, tuple)):
        return np.dot(x, y)
    if x.shape[:1] != y.shape or not y.size:
        shapes = f"{x.shape} and {y.shape}"
        raise ValueError(
            f"dot takes two columns, or a list of columns and as many weights, and here are shapes {shapes}"
        )
    return np.tensordot(y, x, axes=1)


def table(x: Any, entries: Sequence[int] | np.ndarray[Any, Any]) -> Any:
    listed = np.asarray(entries)
    return listed[_places(x, len(listed))]


def table2(x: Any, y: Any, rows: Sequence[Sequence[int]] | np.ndarray[Any, Any]) -> Any:
    listed = np.asarray(rows)
    return listed[_places(x, listed.shape[0]), _places(y, listed.shape[1])]


def _places(x: Any, length: int) -> Any:
    """Places in a table, all of which it has."""
    places = np.asarray(x)
    wrong = np.flatnonzero((places < 0) | (places >= length) | (places != np.floor(places)))
    if wrong.size:
        row = int(wrong[0])
        value = places.ravel()[row].item()
        message = f"row {row} asks for place {value} of {length} in a table: add entries, or clip the places"
        raise DataError(message, row=row, value=value, range=(0, length - 1))
    return places.astype(np.int64)


def histogram(x: Any, lo: int, hi: int) -> dict[int, int]:
    parts = np.floor(np.asarray(x))
    return {value: int(np.count_nonzero(parts == value)) for value in range(int(lo), int(hi) + 1)}


def quantile(x: Any, q: Any) -> Any:
    values = np.sort(np.asarray(x))
    share = exact(q)
    if not 0 <= share <= 1:
        raise ValueError(f"quantile takes a constant from 0 to 1, and this is {q}")
    rank = min(max(math.ceil(share * len(values)), 1), len(values))
    return values[rank - 1]


def assume(x: Any, lo: Any, hi: Any) -> Any:
    """The numbers, all of which are in a range, up to what doubles round."""
    low, high = exact(lo), exact(hi)
    values = np.asarray(x)
    slack = max(abs(low), abs(high)) * Fraction(1, 10**9) if values.dtype.kind == "f" else Fraction(0)
    wrong = np.flatnonzero(~((values >= float(low - slack)) & (values <= float(high + slack))))
    if wrong.size:
        row = int(wrong[0])
        value = values.ravel()[row].item()
        message = f"row {row} has {value}, which is assumed to be in {lo}..{hi}: widen the range, or leave the row out"
        raise DataError(message, row=row, value=value, range=(lo, hi))
    return x


def round_half_up(x: Any) -> Any:
    values = np.asarray(x)
    lower = np.floor(values)
    return lower + (values - lower >= 0.5)
