"""Random data, with the numbers that computing with is most likely to get wrong."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

TEXTS = ["north", "south", "NA", "None", "Größe", "日本", "a,b", 'say "hi"', "it's", "back\\slash", "x y", "#", "nan"]
NAMES = ["x", "y", "price", "body mass", "Größe", "count", "if", "it's", "NA", "_hidden", "1st", 'a"b', "-"]
EPOCH = datetime.date(1970, 1, 1)
DATES = st.dates(datetime.date(1960, 1, 1), datetime.date(2040, 1, 1))


@dataclasses.dataclass(frozen=True)
class Column:
    """A column: its values, None where one is missing, and the exact number or the text that each is."""

    name: str
    kind: str
    values: list[Any]
    exact: list[Any]
    places: int = 0

    @property
    def present(self) -> list[Any]:
        return [value for value in self.exact if value is not None]

    def array(self, rows: Sequence[int]) -> np.ndarray[Any, Any]:
        """Some of the rows, as users have them."""
        values = [self.values[row] for row in rows]
        has_gaps = any(value is None for value in values)
        if self.kind == "real":
            return np.array([np.nan if value is None else value for value in values])
        if self.kind == "date":
            return np.array(["NaT" if value is None else value for value in values], dtype="datetime64[D]")
        if self.kind == "text" and not has_gaps:
            return np.array(values)
        if self.kind in ("text", "decimal") or has_gaps or any(abs(value) >= 2**63 for value in values):
            return np.array(values, dtype=object)
        return np.array(values)


def numbers(draw: Draw, rows: int) -> tuple[str, list[Any], int]:
    """The kind and the values of a column of numbers, and the places after the point."""
    sort = draw(st.sampled_from(["narrow"] * 5 + ["wide", "wide", "real", "real", "real"] + ["decimal"] * 3 + SPECIAL))

    def each(one: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(one, min_size=rows, max_size=rows))

    if sort in ("narrow", "wide"):
        size = 2 ** draw(st.integers(1, 6) if sort == "narrow" else st.integers(7, 16)) - 1
        return "whole", each(st.integers(draw(st.sampled_from([-size, 0, 1])), size)), 0
    if sort == "beyond doubles":
        return "whole", each(st.integers(2**53 + 1, 2**62)), 0
    if sort == "beyond words":
        return "whole", each(st.integers(-(2**70), 2**70)), 0
    if sort == "bool":
        return "bool", each(st.booleans()), 0
    if sort == "date":
        return "date", each(draw(st.sampled_from([DATES, st.dates(EPOCH, EPOCH + datetime.timedelta(60))]))), 0
    if sort == "offset":
        places = draw(st.integers(0, 3))
        near = st.integers(-(10**places), 10**places).map(lambda unit: 100_000_000 * 10**places + unit)
        return ("whole", each(near), 0) if places == 0 else ("real", [unit / 10**places for unit in each(near)], 0)
    if sort == "decimal":
        places, size = draw(st.integers(1, 4)), 10 ** draw(st.integers(1, 4))
        units = each(st.integers(draw(st.sampled_from([-size, 0])), size))
        # One has all places, which make the type of the column.
        units[0] += units[0] % 10 == 0
        return "decimal", [decimal.Decimal(unit).scaleb(-places) for unit in units], places
    if sort == "constant":
        return "real", [draw(st.floats(-100, 100).filter(lambda value: abs(value) > 1e-3))] * rows, 0
    size = 10.0 ** draw(st.integers(-9, 9))
    part = st.one_of(st.just(0.0), st.just(-0.0), st.floats(draw(st.sampled_from([-1.0, 0.0])), 1.0, width=32))
    return "real", [size * value for value in each(part)], 0


SPECIAL = ["beyond doubles", "beyond words", "bool", "bool", "date", "date", "offset", "offset", "constant"]


def exact_value(kind: str, value: Any) -> Any:
    """The exact number that a value is; a text is itself."""
    if value is None or kind == "text":
        return value
    return Fraction((value - EPOCH).days) if kind == "date" else Fraction(value)


def tables(draw: Draw) -> dict[str, Column]:
    """One to four columns of 1 to 50 rows, of which the first is one of numbers."""
    rows = draw(st.integers(1, 50))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    has_gaps = rows > 1 and draw(st.integers(0, 4)) == 0
    table = {}
    for place, name in enumerate(names):
        if place > 0 and draw(st.integers(0, 4)) == 0:
            texts = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4, unique=True))
            kind, places = "text", 0
            values = draw(st.lists(st.sampled_from(texts), min_size=rows, max_size=rows))
        else:
            kind, values, places = numbers(draw, rows)
        if has_gaps and draw(st.booleans()):
            # The first value stays.
            for row in draw(st.sets(st.integers(1, rows - 1), max_size=rows // 3 + 1)):
                values[row] = None
        table[name] = Column(name, kind, values, [exact_value(kind, value) for value in values], places)
    return table


def rounded(value: Fraction, places: int) -> Fraction:
    """The nearest decimal of so many places, halves away from 0."""
    unit = 10**places
    return Fraction(math.copysign(1, value)) * Fraction(math.floor(abs(value) * unit + Fraction(1, 2)), unit)


class Refused(Exception):
    """Exact arithmetic has no result, so that there must be none."""


def exact_columns(
    table: Mapping[str, Column], rows: Sequence[int], needed: Sequence[str], missing: str
) -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """The exact columns that a function is computed of, and the mask of rows that are left out."""
    gaps = {name: np.array([table[name].exact[row] is None for row in rows], dtype=bool) for name in needed}
    left_out = np.zeros(len(rows), dtype=bool)
    if missing == "mask":
        left_out = np.logical_or.reduce([left_out, *gaps.values()])
        if left_out.all():
            raise Refused("every row misses a value")
    columns = {}
    for name in needed:
        column = table[name]
        values = [column.exact[row] for row in rows]
        present = [value for value in values if value is not None]
        if len(present) < len(values) and missing in ("raise", "mean", "zero"):
            if missing == "raise" or column.kind == "text" or not present:
                raise Refused(f"column {name} misses a value")
            mean = sum(present) / Fraction(len(present))
            filled = (
                Fraction(0) if missing == "zero" else mean if column.kind == "real" else rounded(mean, column.places)
            )
            values = [filled if value is None else value for value in values]
        kept = [value for value, gone in zip(values, left_out, strict=True) if not gone]
        columns[name] = as_numpy(column.kind, kept)
    return columns, left_out


def as_numpy(kind: str, values: list[Any]) -> np.ndarray[Any, Any]:
    """Exact values as an array that numpy computes with: of fractions, booleans or texts. Dates are their days."""
    if kind == "bool":
        return np.array([value != 0 for value in values], dtype=bool)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
