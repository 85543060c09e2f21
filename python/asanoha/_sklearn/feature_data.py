"""Plain data of trees: arrays, mappings of columns and data frames, in scikit-learn's single precision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from asanoha._data import check_indexes
from asanoha.exceptions import DataError

#: Any array.
Array = np.ndarray[Any, np.dtype[Any]]
#: Values as trees of scikit-learn compare them.
Singles = np.ndarray[Any, np.dtype[np.float32]]


def frame_names(data: Any) -> tuple[Any, ...] | None:
    """The names of the columns of a frame or a mapping; `None` where data is neither."""
    if isinstance(data, Mapping):
        return tuple(data)
    names = getattr(data, "column_names", None)
    if names is None:
        names = getattr(data, "columns", None)
    return None if names is None or not hasattr(data, "__getitem__") else tuple(names)


def single_precision(data: Any, names: Sequence[Any], wanted: Iterable[int]) -> dict[int, Singles]:
    """Returns features in single precision, rounded as scikit-learn rounds them.

    Parameters
    ----------
    data : array of two axes, data frame, or mapping of str to array
        The features; a frame or a mapping may have other columns, and leave out features that aren't wanted.
    names : sequence
        The names of all features, in order.
    wanted : iterable of int
        The indices of the features to return.

    Raises
    ------
    DataError
        If data is of another type, or columns or values are missing, of different lengths, infinite or no numbers.
    """
    columns = _columns(data, names)
    chosen = list(wanted)
    for index in chosen:
        if index not in columns:
            known = ", ".join(map(str, frame_names(data) or ()))
            raise DataError(
                f"column {names[index]!r} is missing among {known}: add it, or name the columns of the features with "
                "columns=",
                column=names[index],
            )
    rows = len(columns[chosen[0]])
    for index, column in columns.items():
        if len(column) != rows:
            raise DataError(
                f"column {names[index]!r} has {len(column)} rows, and column {names[chosen[0]]!r} has {rows}: pass "
                "columns of one length",
                column=names[index],
                rows=len(column),
            )
    # Columns of several dtypes are one array before scikit-learn rounds them.
    dtypes = [column.dtype if column.dtype.kind in "biuf" else np.dtype(np.float64) for column in columns.values()]
    common = np.result_type(*dtypes)
    return {index: _rounded(str(names[index]), columns[index], common) for index in chosen}


def _columns(data: Any, names: Sequence[Any]) -> dict[int, Array]:
    """The columns that data has, by the indices of their features."""
    if hasattr(data, "collect"):
        raise DataError(f"data is a {type(data).__name__}, whose values aren't computed yet: pass data.collect()")
    known = frame_names(data)
    if known is not None:
        chosen = {index: data[name] for index, name in enumerate(names) if name in known}
        check_indexes({names[index]: column for index, column in chosen.items()})
        return {index: _array(column) for index, column in chosen.items()}
    if not isinstance(data, np.ndarray):
        raise DataError(
            f"data is a {type(data).__name__}: pass an array of numpy of two axes, a data frame, or a mapping of names "
            "to columns"
        )
    if data.ndim != 2 or data.shape[1] != len(names):
        raise DataError(
            f"data has shape {data.shape}, and the model takes {len(names)} features: pass an array of shape (rows, "
            f"{len(names)})",
            found=data.shape,
        )
    return {index: data[:, index] for index in range(len(names))}


def _array(column: Any) -> Array:
    """A column of a frame or a mapping as an array."""
    array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if array.ndim != 1:
        raise DataError(
            f"a column has shape {array.shape}, and columns have one axis: give every column a name of its own"
        )
    return array


def _numbers(name: str, column: Array) -> Array:
    """A column of numbers as it is, and one of objects as doubles."""
    if column.dtype.kind in "biuf":
        return column
    if column.dtype.kind != "O":
        raise DataError(
            f"column {name!r} has dtype {column.dtype}, and trees compare numbers: encode it as for scikit-learn",
            column=name,
            found=str(column.dtype),
        )
    numbers = np.empty(len(column))
    for row, value in enumerate(column):
        try:
            numbers[row] = np.nan if isinstance(value, str) else value
        except (TypeError, ValueError):
            numbers[row] = np.nan
        if np.isnan(numbers[row]):
            raise _no_number(name, row, value)
    return numbers


def _rounded(name: str, column: Array, common: np.dtype[Any]) -> Singles:
    with np.errstate(over="ignore"):
        singles = _numbers(name, column).astype(common).astype(np.float32)
    is_finite = np.isfinite(singles)
    if not is_finite.all():
        row = int(np.argmin(is_finite))
        raise _no_number(name, row, column[row : row + 1].tolist()[0])
    return singles


def _no_number(name: str, row: int, value: Any) -> DataError:
    """The refusal of a value that trees can't compare."""
    is_large = isinstance(value, (int, float)) and abs(value) > float(np.finfo(np.float32).max)
    if is_large:
        why = "beyond single precision, in which scikit-learn compares: scale the column before fitting"
    elif isinstance(value, str):
        why = "which is text, and trees compare numbers: convert or encode it"
    elif value is None or repr(value) in ("nan", "<NA>", "NaT"):
        why = "which is missing: fill it, or leave the row out"
    else:
        why = "which is no number: convert it"
    return DataError(f"column {name!r} has {value!r} in row {row}, {why}", column=name, row=row, value=value)
