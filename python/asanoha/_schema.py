"""What is public about data: the kinds of the columns and the number of rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from asanoha._asanoha import MAX_COLUMNS, MAX_NAME_BYTES, MAX_ROWS, is_column_name
from asanoha._kinds import Kind, from_json
from asanoha._numbers import shortened
from asanoha.exceptions import DataError, FormatError


class Schema:
    """The columns of data and the number of rows, without any values.

    Schemas are immutable, equal by value, hashable and picklable.

    Parameters
    ----------
    columns : mapping of str to Kind
        The kind of every column, in the order of the data.
    rows : int, optional
        The number of rows, from 1 to 2**28. Give either this or `max_rows`.
    max_rows : int, optional
        The most rows that data of this schema have. How many there are becomes public when they're encrypted.

    Examples
    --------
    >>> import asanoha as asa
    >>> schema = asa.Schema({"bmi": asa.Real(0, 64), "smoker": asa.Bool()}, rows=442)
    >>> schema
    Schema({'bmi': Real(lo=0, hi=64), 'smoker': Bool()}, rows=442)
    >>> list(schema.columns)
    ['bmi', 'smoker']
    """

    __slots__ = ("_columns", "_known", "_max_rows", "_rows")

    _columns: MappingProxyType[str, Kind]
    _rows: int | None
    _max_rows: int | None

    def __init__(self, columns: Mapping[str, Kind], *, rows: int | None = None, max_rows: int | None = None) -> None:
        if not isinstance(columns, Mapping):
            raise DataError(f"columns is {shortened(columns)}, and should be a mapping, such as {{'bmi': Real(0, 64)}}")
        if not 1 <= len(columns) <= MAX_COLUMNS:
            raise DataError(
                f"there are {len(columns)} columns, and a schema has from 1 to {MAX_COLUMNS}", found=len(columns)
            )
        for name, kind in columns.items():
            _check_column(name, kind)
        if (rows is None) == (max_rows is None):
            given = "neither is given" if rows is None else "both are given"
            raise DataError(f"a schema has rows or max_rows, and {given}: give rows for exactly so many, else max_rows")
        object.__setattr__(self, "_columns", MappingProxyType(dict(columns)))
        object.__setattr__(self, "_rows", _count("rows", rows))
        object.__setattr__(self, "_max_rows", _count("max_rows", max_rows))

    @property
    def columns(self) -> Mapping[str, Kind]:
        """The kind of every column, read-only, in the order of the data."""
        return self._columns

    @property
    def rows(self) -> int | None:
        """The number of rows, or `None` where only the most rows are known."""
        return self._rows

    @property
    def max_rows(self) -> int | None:
        """The most rows, or `None` where their number is known."""
        return self._max_rows

    @classmethod
    def of(
        cls,
        data: object,
        *,
        ranges: Mapping[str, tuple[Any, Any]] | None = None,
        max_rows: int | None = None,
    ) -> Schema:
        """Returns the schema of data: kinds from the dtypes, and ranges from the values, rounded outward.

        Parameters
        ----------
        data : data frame or mapping of str to array
            A frame of pandas or Polars, a table of Arrow, or columns by their names.
        ranges : mapping of str to (lo, hi), optional
            The ranges of columns that aren't to be taken from the data. All ranges become public.
        max_rows : int, optional
            The most rows that later data have. Without it the schema is for exactly the rows of these data.

        Raises
        ------
        DataError
            If a column can't be encrypted, or has values outside of its range.

        Examples
        --------
        >>> import numpy as np
        >>> import asanoha as asa
        >>> asa.Schema.of({"age": np.array([59, 48, 72])}, ranges={"age": (0, 127)})
        Schema({'age': Whole(lo=0, hi=127)}, rows=3)
        """
        from asanoha._data import schema_of

        schema: Schema = schema_of(data, ranges=ranges, max_rows=max_rows)
        return schema

    def to_json(self) -> str:
        """Returns the planner's schema as JSON.

        Raises
        ------
        DataError
            If the range of a column isn't known.

        Examples
        --------
        >>> import asanoha as asa
        >>> asa.Schema({"smoker": asa.Bool()}, rows=3).to_json()
        '{"rows": 3, "columns": [{"name": "smoker", "whole": true, "range": {"lo": "0", "hi": "1"}}]}'
        """
        columns = [kind.to_json(name) for name, kind in self._columns.items()]
        return json.dumps({"rows": self._rows or self._max_rows, "columns": columns})

    @classmethod
    def from_json(
        cls, text: str | bytes, kinds: Mapping[str, Kind] | None = None, *, fewer_rows: bool = False
    ) -> Schema:
        """Returns the schema that the planner's JSON describes.

        Parameters
        ----------
        text : str or bytes
            The planner's schema.
        kinds : mapping of str to Kind, optional
            Kinds of the same classes, which tell `Bool` and `Date` from `Whole`.
        fewer_rows : bool
            Whether data may have fewer rows, so that the schema's rows are `max_rows`.

        Raises
        ------
        FormatError
            If the text is no such schema.

        Examples
        --------
        >>> import asanoha as asa
        >>> schema = asa.Schema({"smoker": asa.Bool()}, rows=3)
        >>> asa.Schema.from_json(schema.to_json(), schema.columns) == schema
        True
        """
        try:
            described = json.loads(text)
        except ValueError as error:
            raise FormatError(f"the schema is no JSON: {error}") from None
        if not isinstance(described, dict) or not isinstance(described.get("columns"), list):
            raise FormatError('the text is no schema, which is written {"rows": 442, "columns": [...]}')
        columns: dict[str, Kind] = {}
        for column in described["columns"]:
            if not isinstance(column, dict):
                raise FormatError(f"{shortened(column)} is no schema of a column, which has a name, whole and a range")
            name = column.get("name")
            if name in columns:
                raise FormatError(f"column {name!r} stands twice in the schema", column=name)
            columns[str(name)] = from_json(column, (kinds or {}).get(str(name)))
        rows = described.get("rows")
        try:
            return cls(columns, max_rows=rows) if fewer_rows else cls(columns, rows=rows)
        except DataError as error:
            raise FormatError(f"the schema can't be read: {error}") from None

    def _key(self) -> tuple[Any, ...]:
        return (tuple(self._columns.items()), self._rows, self._max_rows)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Schema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"schemas are immutable: make another one in place of setting {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"schemas are immutable: make another one in place of deleting {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (dict(self._columns), self._rows, self._max_rows)

    def __repr__(self) -> str:
        rows = f"rows={self._rows}" if self._rows is not None else f"max_rows={self._max_rows}"
        return f"Schema({dict(self._columns)!r}, {rows})"


def _restored(columns: dict[str, Kind], rows: int | None, max_rows: int | None) -> Schema:
    return Schema(columns, rows=rows, max_rows=max_rows)


def _count(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 1 <= value <= MAX_ROWS:
        raise DataError(f"{name} is {shortened(value)}, and should be a whole number from 1 to {MAX_ROWS}", value=value)
    return int(value)


def _check_column(name: object, kind: object) -> None:
    if not isinstance(name, str) or not is_column_name(name):
        raise DataError(
            f"{shortened(name)} can't name a column, because names are texts of 1 to {MAX_NAME_BYTES} bytes without "
            "spaces at their ends, control characters and back-quotes: rename it",
            column=name,
        )
    if not isinstance(kind, Kind):
        example = f"{kind.__name__}()" if isinstance(kind, type) and issubclass(kind, Kind) else "Real(0, 64)"
        raise DataError(
            f"the kind of column {name!r} is {shortened(kind)}: write a kind, such as {example}", column=name
        )
