"""Rows of data in chunks, and by groups."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from asanoha import _asanoha
from asanoha._data import columns_of, is_missing
from asanoha._numbers import shortened
from asanoha._plan import Plan
from asanoha.exceptions import AsanohaError, DataError

if TYPE_CHECKING:
    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]


class Chunk(NamedTuple):
    """Rows that are encrypted together."""

    #: The columns of the plan, of all rows of the frame.
    columns: _asanoha.Columns
    #: The places of its rows among these.
    places: Rows
    #: The places of its rows in the data, where those that miss values are counted, too.
    rows: Rows
    #: The number of its group.
    group: int

    def taken(self) -> _asanoha.Columns:
        """The columns of its rows."""
        return self.columns.take(self.places.astype("<u8").tobytes())


class Group(NamedTuple):
    """Rows that have results of their own."""

    #: The value that they have in common; None of all rows.
    key: Hashable
    #: The places among them of rows that were left out.
    left_out: list[int]


class Frame:
    """The rows of a frame, complete and by groups."""

    def __init__(self, plan: Plan, data: object, by: str | Sequence[str] | None, missing: str) -> None:
        columns = columns_of(data, plan.inputs)
        self.columns, left_out = plan._native.complete(columns, missing)
        self.count = columns.rows()
        gaps = np.array(left_out, dtype=np.int64)
        #: The places of complete rows in the data.
        self.rows: Rows = np.delete(np.arange(self.count, dtype=np.int64), gaps)
        self.groups: list[Group] = []
        self._places: list[Rows] = []
        if by is None:
            self.groups.append(Group(None, left_out))
            self._places.append(np.arange(len(self.rows), dtype=np.int64))
            return
        for key, rows in _grouped(data, by, self.count):
            is_gap = np.isin(rows, gaps)
            places = np.searchsorted(self.rows, rows[~is_gap]).astype(np.int64)
            if len(places):
                self.groups.append(Group(key, np.flatnonzero(is_gap).tolist()))
                self._places.append(places)

    @property
    def largest(self) -> int:
        """The rows of the largest group."""
        return max(len(places) for places in self._places)

    def chunks(self, most: int) -> Iterator[Chunk]:
        """Yields all groups, each in chunks of at most so many rows."""
        for group, places in enumerate(self._places):
            for start in range(0, len(places), most):
                part = places[start : start + most]
                yield Chunk(self.columns, part, self.rows[part], group)

    def count_chunks(self, most: int) -> int:
        """How many chunks of at most so many rows there are."""
        return sum(-(-len(places) // most) for places in self._places)


def _grouped(data: Any, by: str | Sequence[str], count: int) -> Iterator[tuple[Hashable, Rows]]:
    """The rows of each group, by the keys in their order; keys that have none are in the order of the rows."""
    names = [by] if isinstance(by, str) else list(by)
    if not names:
        raise DataError("by is empty: name a column whose values are the groups, or leave by= out")
    columns = [_key_column(data, name, count) for name in names]
    keys: Iterable[Hashable] = columns[0] if isinstance(by, str) else zip(*columns, strict=True)
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), dtype=np.int64, count=count)
    order = np.argsort(codes, kind="stable").astype(np.int64)
    rows = np.split(order, np.cumsum(np.bincount(codes, minlength=len(numbers)))[:-1])
    try:
        found = sorted(numbers)  # type: ignore[type-var]
    except TypeError:
        found = list(numbers)
    for key in found:
        yield key, rows[numbers[key]]


def _key_column(data: Any, name: str, count: int) -> list[Hashable]:
    names = column_names(data)
    if name not in names:
        raise DataError(f'there is no column "{name}" to group by; the data have {", ".join(names)}', column=name)
    try:
        array = np.asarray(data[name])
    except (KeyError, TypeError):
        array = np.empty((0, 0))
    if array.shape != (count,):
        raise DataError(
            f"the values of column {name!r} can't be read to group by: pass a frame of pandas, Polars or PyArrow, or a "
            "mapping of names to arrays",
            column=name,
        )
    values: list[Hashable] = list(array) if array.dtype.kind in "mM" else array.tolist()
    for row, value in enumerate(values):
        if is_missing(value) or (isinstance(value, (np.datetime64, np.timedelta64)) and np.isnat(value)):
            raise DataError(
                f"row {row} of column {name!r} has no value, and rows are grouped by it: fill it, or drop such rows",
                column=name,
                row=row,
            )
    return values


def column_names(data: Any) -> list[str]:
    """The names of the columns of a frame or a mapping."""
    if isinstance(data, Mapping):
        return list(data)
    names = getattr(data, "column_names", None)
    if names is None:
        names = getattr(data, "columns", None)
    if names is None:
        raise DataError(
            f"the columns of {shortened(data)} have no names: pass a frame of pandas, Polars or PyArrow, or a mapping of "
            "names to arrays"
        )
    return list(names)


def is_frame(data: Any) -> bool:
    """Whether this is one frame, rather than several of them."""
    return isinstance(data, Mapping) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "columns")


def of_data(error: AsanohaError, rows: Rows) -> AsanohaError:
    """An error of a chunk that names the row of the data in place of that of the chunk."""
    row = error.figures.get("row")
    if not isinstance(row, int) or not 0 <= row < len(rows):
        return error
    at = int(rows[row])
    message = re.sub(rf"\brow {row}\b", f"row {at}", str(error), count=1)
    return type(error)(message, **{**error.figures, "row": at})
