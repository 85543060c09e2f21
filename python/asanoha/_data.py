"""Data in: frames by the Arrow PyCapsule interface, and columns of NumPy."""

from __future__ import annotations

import datetime
import decimal
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from asanoha import _asanoha
from asanoha._asanoha import MAX_CATEGORIES
from asanoha._kinds import Bool, Date, Kind
from asanoha._language import category_problem
from asanoha._numbers import days_of, exact, shortened
from asanoha._schema import Schema
from asanoha.exceptions import AsanohaError, DataError

TAKEN = (
    "a data frame of pandas, Polars, PyArrow or DuckDB, or a mapping of names to arrays of one axis, "
    "such as {'bmi': np.array([31.0])}"
)

#: The most digits of a decimal: those of 2048 bits.
MOST_DIGITS = 616

_NumPyColumn = tuple[str, str, Any, list[int], list[str]]


def columns_of(data: object, wanted: Iterable[str] | None = None) -> _asanoha.Columns:
    """Returns the columns of data, all of them or those that are wanted, each of the kind that its dtype says."""
    names = None if wanted is None else list(wanted)
    if hasattr(data, "collect") and not hasattr(data, "__arrow_c_stream__"):
        raise DataError("the data are a lazy frame: call collect() on it first")
    if hasattr(data, "__arrow_c_stream__") and not isinstance(data, Mapping):
        if names is None and hasattr(data, "index"):
            # pandas exports its index, too.
            names = [str(name) for name in data.columns]  # type: ignore[attr-defined]
        try:
            return _asanoha.Columns.from_stream(data, names)
        except AsanohaError:
            raise
        except Exception:
            # pandas exports no frame with a column that Arrow has no type for, even if the column isn't wanted.
            if not hasattr(data, "index"):
                raise
            return _of_arrays(_wanted(_mapping(data), names))
    if isinstance(data, Mapping) or hasattr(data, "columns"):
        return _of_arrays(_wanted(_mapping(data), names))
    raise DataError(f"the data are {shortened(data)}, and should be {TAKEN}")


def _wanted(named: dict[str, Any], names: list[str] | None) -> dict[str, Any]:
    """The columns that are wanted, all without names."""
    if names is None:
        return named
    gone = [name for name in names if name not in named]
    if gone:
        present = list(named)
        message = f'there is no column "{gone[0]}"; the data have {", ".join(present)}'
        raise DataError(message, column=gone[0], present=present)
    return {name: named[name] for name in names}


def check_indexes(columns: Mapping[Any, Any]) -> None:
    """Refuses columns of pandas whose rows have different labels: pandas puts equal labels together, and we positions."""
    labelled = [(name, values.index) for name, values in columns.items() if _is_series(values)]
    for name, index in labelled[1:]:
        first, labels = labelled[0]
        if not index.equals(labels):
            raise DataError(
                f"columns {first!r} and {name!r} are Series with different indexes, and rows are taken by position: pass "
                "pandas.DataFrame(data), which puts rows of the same label together, or the Series' to_numpy() if their "
                "positions agree",
                column=name,
            )


def _is_series(values: object) -> bool:
    return type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "index")


def schema_of(data: object, *, ranges: Mapping[str, tuple[Any, Any]] | None, max_rows: int | None) -> Schema:
    """Returns the schema of data; see `Schema.of`."""
    return schema_of_columns(columns_of(data), ranges=ranges, max_rows=max_rows)


def schema_of_columns(
    columns: _asanoha.Columns, *, ranges: Mapping[str, tuple[Any, Any]] | None, max_rows: int | None
) -> Schema:
    """Returns the schema of columns; see `Schema.of`."""
    declared = [(name, _ends(name, ends)) for name, ends in (ranges or {}).items()]
    described, kinds = json.loads(_asanoha.schema_of(columns, declared))
    if max_rows is not None and max_rows < described["rows"]:
        raise DataError(
            f"the data have {described['rows']} rows, more than max_rows={max_rows}: allow as many, or more",
            found=described["rows"],
            limit=max_rows,
        )
    hints: dict[str, Kind] = {
        name: {"bool": Bool(), "date": Date()}[kind] for name, kind in kinds.items() if kind in ("bool", "date")
    }
    if max_rows is not None:
        described["rows"] = max_rows
    schema = Schema.from_json(json.dumps(described), hints, fewer_rows=max_rows is not None)
    if not columns.has_missing():
        object.__setattr__(schema, "_known", columns)
    return schema


def _ends(name: str, ends: object) -> str:
    if not isinstance(ends, (tuple, list)) or len(ends) != 2:
        raise DataError(f"the range of {name!r} is {shortened(ends)}, and should be a pair (lo, hi)", column=name)
    return ":".join(
        str(days_of(end) if isinstance(end, (datetime.date, np.datetime64)) else exact(end)) for end in ends
    )


def _mapping(data: Any) -> dict[str, Any]:
    names = list(data) if isinstance(data, Mapping) else list(data.columns)
    for name in names:
        if not isinstance(name, str):
            raise DataError(f"the column {shortened(name)} has a name that isn't text: rename it")
    if not names:
        raise DataError(f"the data have no columns; taken are {TAKEN}")
    return {name: data[name] for name in names}


def _of_arrays(columns: Mapping[str, Any]) -> _asanoha.Columns:
    check_indexes(columns)
    arrays = [_column(name, values) for name, values in columns.items()]
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the columns have different numbers of rows: {lengths}", rows=lengths)
    return _asanoha.Columns.from_arrays(arrays)


def _column(name: str, values: Any) -> _NumPyColumn:
    categories = getattr(getattr(values, "dtype", None), "categories", None)
    if categories is not None and hasattr(values, "cat"):
        codes = np.asarray(values.cat.codes, dtype=np.int64)
        missing = np.flatnonzero(codes < 0).tolist()
        return name, "category", np.maximum(codes, 0).tobytes(), missing, _categories(name, categories)
    if isinstance(values, np.ma.MaskedArray):
        raise DataError(f"column {name!r} is a masked array: put NaN or None in place of what is masked", column=name)
    try:
        array = _array(values)
    except ValueError as error:
        raise DataError(f"column {name!r} is no array of one axis ({error}): name each column", column=name) from None
    if array.ndim != 1:
        raise DataError(f"column {name!r} has {array.ndim} axes, and columns have one: name each column", column=name)
    if array.dtype.kind == "O":
        return _objects(name, array)
    return _typed(name, array)


def _array(values: Any) -> np.ndarray[Any, Any]:
    """An array of values; one of objects where numpy would make floats of whole numbers, because some are missing."""
    library = type(values).__module__.partition(".")[0]
    if library == "pandas" and getattr(values.dtype, "kind", "") in "iu" and values.isna().any():
        return np.asarray(values.astype(object))
    if library in ("polars", "pyarrow"):
        listed = values.to_list() if hasattr(values, "to_list") else values.to_pylist()
        if any(value is None for value in listed):
            return np.array(listed, dtype=object)
    return np.asarray(values)


def _typed(name: str, array: np.ndarray[Any, Any]) -> _NumPyColumn:
    kind = array.dtype.kind
    if kind == "b":
        return name, "bool", array.astype("<i8").tobytes(), [], []
    if kind == "f":
        return (
            name,
            "real",
            np.nan_to_num(array.astype("<f8"), nan=0.0, posinf=np.inf, neginf=-np.inf).tobytes(),
            np.flatnonzero(np.isnan(array)).tolist(),
            [],
        )
    if kind == "u" and len(array) and int(array.max()) > np.iinfo(np.int64).max:
        return name, "integer", [str(value) for value in array.tolist()], [], []
    if kind in "iu":
        return name, "whole", array.astype("<i8").tobytes(), [], []
    if kind == "M":
        days = array.astype("datetime64[D]")
        missing = np.isnat(array)
        late = np.flatnonzero((days.astype(array.dtype) != array) & ~missing)
        if len(late):
            row = int(late[0])
            raise DataError(
                f"row {row} of column {name!r} is {array[row]}, a time of day, and dates are days: cast the column to datetime64[D]",
                column=name,
                row=row,
            )
        numbers = np.where(missing, 0, days.astype(np.int64))
        return name, "date", numbers.astype("<i8").tobytes(), np.flatnonzero(missing).tolist(), []
    if kind in "U":
        names, codes = np.unique(array, return_inverse=True)
        return name, "category", codes.astype("<i8").tobytes(), [], _categories(name, names.tolist())
    hint = {"m": "divide it by np.timedelta64(1, 's') for numbers", "c": "take its real part"}.get(kind, "cast it")
    raise DataError(
        f"column {name!r} has the dtype {array.dtype}; taken are integers, floats, booleans, dates and text: {hint}",
        column=name,
        found=str(array.dtype),
    )


def is_missing(value: Any) -> bool:
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def _objects(name: str, array: np.ndarray[Any, Any]) -> _NumPyColumn:
    missing = [row for row, value in enumerate(array.tolist()) if is_missing(value)]
    gone = set(missing)
    present = [(row, value) for row, value in enumerate(array.tolist()) if row not in gone]
    if not present:
        raise DataError(f"column {name!r} has no values", column=name)
    first_row, first = present[0]
    kind = next((kind for kind, types in _OBJECTS.items() if isinstance(first, types)), None)
    if kind is None:
        found = type(first).__name__
        instead = _INSTEAD.get(found, "cast the column")
        raise DataError(
            f"row {first_row} of column {name!r} is of the type {found}; taken are numbers, booleans, dates, Decimal and text: {instead}",
            column=name,
            row=first_row,
            found=found,
        )
    types = _OBJECTS[kind]
    for row, value in present:
        if not isinstance(value, types) or (kind != "bool" and isinstance(value, bool)):
            raise DataError(
                f"row {row} of column {name!r} is {shortened(value)}, and row {first_row} is {shortened(first)}: a column is of one kind",
                column=name,
                row=row,
            )
    by_row = dict(present)
    if kind == "category":
        names = sorted(set(by_row.values()))
        places = {text: place for place, text in enumerate(names)}
        codes = np.array([places[by_row[row]] if row in by_row else 0 for row in range(len(array))], dtype="<i8")
        return name, kind, codes.tobytes(), missing, _categories(name, names)
    if kind in ("integer", "decimal"):
        return name, kind, [_digits(name, row, by_row.get(row, 0)) for row in range(len(array))], missing, []
    if kind == "real":
        floats = np.array([by_row.get(row, 0.0) for row in range(len(array))], dtype="<f8")
        return name, kind, floats.tobytes(), missing, []
    numbers = np.zeros(len(array), dtype="<i8")
    for row, value in present:
        numbers[row] = _day(name, row, value) if kind == "date" else int(value)
    return name, kind, numbers.tobytes(), missing, []


_OBJECTS: dict[str, tuple[type, ...]] = {
    "bool": (bool, np.bool_),
    "integer": (int, np.integer),
    "real": (float, np.floating),
    "decimal": (decimal.Decimal,),
    "date": (datetime.date, np.datetime64),
    "category": (str,),
}


#: Advice on types of objects that aren't taken.
_INSTEAD = {
    "time": "write whole numbers, such as 60 * value.hour + value.minute",
    "timedelta": "write numbers, such as value.days or value.total_seconds()",
    "complex": "take its real part",
    "bytes": "write value.decode()",
}


def _day(name: str, row: int, value: Any) -> int:
    """The days of a date since 1970-01-01."""
    try:
        return days_of(value)
    except ValueError as error:
        raise DataError(f"row {row} of column {name!r} can't be taken: {error}", column=name, row=row) from None


def _digits(name: str, row: int, value: Any) -> str:
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise DataError(f"row {row} of column {name!r} is {value}, which is no number", column=name, row=row)
        if value and not -MOST_DIGITS < value.adjusted() < MOST_DIGITS:
            raise DataError(
                f"row {row} of column {name!r} is {value}, and decimals have up to {MOST_DIGITS} digits: cast the column to float",
                column=name,
                row=row,
            )
        return format(value, "f")
    return str(int(value))


def _categories(name: str, texts: Iterable[object]) -> list[str]:
    names: list[str] = []
    for text in texts:
        if not isinstance(text, str):
            raise DataError(
                f"column {name!r} has the category {shortened(text)}, and categories are text: cast them, or take the column as numbers",
                column=name,
            )
        problem = category_problem(text)
        if problem is not None:
            raise DataError(f"the category {shortened(text)} of column {name!r} {problem}", column=name, value=text)
        names.append(text)
    if len(names) > MAX_CATEGORIES:
        raise DataError(
            f"column {name!r} has {len(names)} different texts, and categories are at most {MAX_CATEGORIES}: leave the column out, or group its texts",
            column=name,
            found=len(names),
            limit=MAX_CATEGORIES,
        )
    return names
