"""Kinds of columns: what their values are, and in which range they lie."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from asanoha._asanoha import MAX_CATEGORIES, MAX_CONSTANT_BITS, MAX_PLACES
from asanoha._language import category_problem, constant_bits, number_text
from asanoha._numbers import date_of_days, days_of, exact, shortened
from asanoha.exceptions import DataError, FormatError

#: What an end of a range may be.
End = int | float | decimal.Decimal | Fraction | np.integer[Any] | np.floating[Any]
#: What an end of a range of dates may be.
Day = datetime.date | np.datetime64


class Kind:
    """Base class of the kinds of columns, which are immutable, equal by value and picklable.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Real(0, 51.1) == asa.Real(0, 51.1)
    True
    """

    #: Whether the planner's schema calls the values whole numbers.
    _is_whole: ClassVar[bool] = True

    #: The dtype of traced columns of this kind.
    dtype: ClassVar[np.dtype[Any]]

    @property
    def range(self) -> tuple[Fraction, Fraction] | None:
        """The least and the largest value as exact numbers, or `None` where they aren't known.

        Dates are days since 1970-01-01, booleans are 0 and 1, and categories are their places from 0.
        """
        raise NotImplementedError

    def _described(self) -> dict[str, Any]:
        """What stands in the planner's schema beside the name, `whole` and the range."""
        return {}

    def to_json(self, name: str) -> dict[str, Any]:
        """Returns the planner's schema of a column of this kind.

        Parameters
        ----------
        name : str
            The name of the column.

        Raises
        ------
        DataError
            If the range isn't known.

        Examples
        --------
        >>> import asanoha as asa
        >>> asa.Decimal(1, 0, 51.1).to_json("bmi")
        {'name': 'bmi', 'whole': False, 'places': 1, 'range': {'lo': '0', 'hi': '51.1'}}
        """
        ends = self.range
        if ends is None:
            raise DataError(
                f"the range of column {name!r}, {self!r}, isn't known: give lo and hi, or use Schema.of(data)",
                column=name,
            )
        column = {"name": name, "whole": self._is_whole, **self._described()}
        column["range"] = {"lo": number_text(ends[0]), "hi": number_text(ends[1])}
        return column

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        values = {field.name: getattr(self, field.name) for field in fields}
        given = [f"{name}={_shortest(value)}" for name, value in values.items() if value is not None]
        return f"{type(self).__name__}({', '.join(given)})"


def _shortest(value: object) -> str:
    """The shortest text that gives an argument."""
    if not isinstance(value, Fraction):
        return repr(value)
    if value.denominator == 1:
        return str(value.numerator)
    try:
        number = float(value)
    except OverflowError:
        return repr(value)
    return repr(number) if Fraction(repr(number)) == value else repr(value)


class _Numbers(Kind):
    """A kind of numbers between two ends."""

    lo: Fraction | None
    hi: Fraction | None

    def _set_ends(self, lo: End | None, hi: End | None) -> None:
        """Stores ends as exact numbers, and refuses those that no range has."""
        kind = type(self).__name__
        ends = [None if end is None else self._end(name, end) for name, end in (("lo", lo), ("hi", hi))]
        if ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
            low, high = (number_text(end) for end in ends if end is not None)
            raise DataError(f"lo of {kind} is {low}, above hi, which is {high}: exchange them", range=(low, high))
        object.__setattr__(self, "lo", ends[0])
        object.__setattr__(self, "hi", ends[1])

    def _end(self, name: str, value: End) -> Fraction:
        kind = type(self).__name__
        if isinstance(value, (bool, np.bool_)):
            raise DataError(f"{name} of {kind} is {value}, and ends are numbers: write {int(value)}", value=value)
        try:
            end = exact(value)
        except ValueError as error:
            message = f"{name} of {kind} can't be used, because {error}: write an int, a float, a Decimal or a Fraction"
            raise DataError(message) from None
        if isinstance(self, Whole) and end.denominator != 1:
            message = f"{name} of {kind} is {number_text(end)}, and its ends are whole numbers: round it outward"
            raise DataError(message, value=value)
        return end

    @property
    def range(self) -> tuple[Fraction, Fraction] | None:
        return None if self.lo is None or self.hi is None else (self.lo, self.hi)


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class Real(_Numbers):
    """Real numbers, computed approximately.

    Parameters
    ----------
    lo, hi : int, float, decimal.Decimal or fractions.Fraction, optional
        The ends of the range, which become public. A float is its shortest decimal.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Real(0, 51.1)
    Real(lo=0, hi=51.1)
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.float64)
    lo: Fraction | None
    hi: Fraction | None
    _is_whole: ClassVar[bool] = False

    def __init__(self, lo: End | None = None, hi: End | None = None) -> None:
        self._set_ends(lo, hi)


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class Whole(_Numbers):
    """Whole numbers, computed exactly where the program allows.

    Parameters
    ----------
    lo, hi : int, float, decimal.Decimal or fractions.Fraction, optional
        The ends of the range, whole numbers, which become public.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Whole(0, 127).dtype
    dtype('int64')
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.int64)
    lo: Fraction | None
    hi: Fraction | None

    def __init__(self, lo: End | None = None, hi: End | None = None) -> None:
        self._set_ends(lo, hi)


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class Decimal(_Numbers):
    """Decimals with a fixed number of places after the point, computed exactly where the program allows.

    Parameters
    ----------
    places : int
        The places after the point, from 1 to 9.
    lo, hi : int, float, decimal.Decimal or fractions.Fraction, optional
        The ends of the range, which become public. The planner rounds them outward to the places.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Decimal(2, 0, 99.99)
    Decimal(places=2, lo=0, hi=99.99)
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.float64)
    places: int
    lo: Fraction | None
    hi: Fraction | None
    _is_whole: ClassVar[bool] = False

    def __init__(self, places: int, lo: End | None = None, hi: End | None = None) -> None:
        is_count = isinstance(places, (int, np.integer)) and not isinstance(places, bool)
        if not is_count or not 1 <= places <= MAX_PLACES:
            raise DataError(
                f"places of Decimal is {shortened(places)}, and should be from 1 to {MAX_PLACES}: use Whole(lo, hi) "
                "for whole numbers, and Real(lo, hi) for numbers of more places",
                value=places,
            )
        object.__setattr__(self, "places", int(places))
        self._set_ends(lo, hi)

    def _described(self) -> dict[str, Any]:
        return {"places": self.places}


@dataclasses.dataclass(frozen=True, repr=False)
class Bool(Kind):
    """Booleans.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Bool().to_json("smoker")
    {'name': 'smoker', 'whole': True, 'range': {'lo': '0', 'hi': '1'}}
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.bool_)

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(1)


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class Date(Kind):
    """Dates without times of day.

    Parameters
    ----------
    lo, hi : datetime.date, optional
        The first and the last date of the range, which become public.

    Examples
    --------
    >>> import datetime
    >>> import asanoha as asa
    >>> asa.Date(datetime.date(1970, 1, 2), datetime.date(1970, 1, 31)).to_json("born")["range"]
    {'lo': '1', 'hi': '30'}
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype("datetime64[D]")
    lo: datetime.date | None
    hi: datetime.date | None

    def __init__(self, lo: Day | None = None, hi: Day | None = None) -> None:
        for name, value in (("lo", lo), ("hi", hi)):
            if value is not None and not isinstance(value, (datetime.date, np.datetime64)):
                raise DataError(f"{name} of Date is {shortened(value)}, and should be a datetime.date", value=value)
            try:
                object.__setattr__(self, name, None if value is None else date_of_days(days_of(value)))
            except (ValueError, OverflowError) as error:
                raise DataError(f"{name} of Date can't be used, because {error}", value=value) from None
        if self.lo is not None and self.hi is not None and self.lo > self.hi:
            message = f"lo of Date is {self.lo}, after hi, which is {self.hi}: exchange them"
            raise DataError(message, range=(self.lo, self.hi))

    @property
    def range(self) -> tuple[Fraction, Fraction] | None:
        if self.lo is None or self.hi is None:
            return None
        return Fraction(days_of(self.lo)), Fraction(days_of(self.hi))

    def _described(self) -> dict[str, Any]:
        return {"date": True}


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class Category(Kind):
    """Texts of a list, which becomes public.

    Parameters
    ----------
    categories : iterable of str
        The texts, all different, from 1 to 256 of them.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Category(["north", "south"]).categories
    ('north', 'south')
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.object_)
    categories: tuple[str, ...]

    def __init__(self, categories: Iterable[str]) -> None:
        if isinstance(categories, str) or not isinstance(categories, Iterable):
            raise DataError(
                f"the categories are {shortened(categories)}: write a list of texts, such as ['north', 'south']"
            )
        texts = tuple(categories)
        if not 1 <= len(texts) <= MAX_CATEGORIES:
            message = f"there are {len(texts)} categories, and a column has from 1 to {MAX_CATEGORIES}"
            raise DataError(message, found=len(texts))
        for text in texts:
            problem = category_problem(text)
            if problem is None and texts.count(text) > 1:
                problem = "stands twice: list every text once"
            if problem is not None:
                raise DataError(f"category {shortened(text)} {problem}", value=text)
        object.__setattr__(self, "categories", tuple(str(text) for text in texts))

    def _described(self) -> dict[str, Any]:
        return {"categories": list(self.categories)}

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        return Fraction(0), Fraction(max(len(self.categories), 2) - 1)


def from_json(column: Mapping[str, Any], hint: Kind | None = None) -> Kind:
    """Returns the kind that the planner's schema of a column describes.

    Parameters
    ----------
    column : mapping
        The column's schema, as `Kind.to_json` gives it.
    hint : Kind, optional
        A kind of the same class. It tells `Bool` and `Date` from `Whole`, which the planner's schema doesn't.

    Raises
    ------
    FormatError
        If it's no such schema, or the hint is of another class.

    Examples
    --------
    >>> from asanoha._kinds import Bool, from_json
    >>> from_json({"name": "smoker", "whole": True, "range": {"lo": "0", "hi": "1"}}, Bool())
    Bool()
    """
    name, whole, ends = column.get("name"), column.get("whole"), column.get("range")
    if not isinstance(name, str) or not isinstance(whole, bool) or not isinstance(ends, Mapping):
        raise FormatError(f"{shortened(dict(column))} is no schema of a column, which has a name, whole and a range")
    lo, hi = (_parsed(ends.get(end), name) for end in ("lo", "hi"))
    try:
        kind = _kind(column, lo, hi, hint)
    except (DataError, OverflowError, TypeError) as error:
        raise FormatError(f"the schema of column {name!r} can't be read: {error}", column=name) from None
    if hint is not None and type(hint) is not type(kind):
        found, planned = type(kind).__name__, type(hint).__name__
        message = f"column {name!r} is {found} in the schema, and was taken to be {planned}"
        raise FormatError(message, column=name, found=found, planned=planned)
    return kind


def _kind(column: Mapping[str, Any], lo: Fraction, hi: Fraction, hint: Kind | None) -> Kind:
    places, categories = column.get("places", 0), column.get("categories", [])
    if categories:
        return Category(categories)
    if not column["whole"]:
        return Decimal(places, lo, hi) if places else Real(lo, hi)
    if isinstance(hint, Bool) and lo >= 0 and hi <= 1:
        return hint
    if isinstance(hint, Date):
        return Date(date_of_days(int(lo)), date_of_days(int(hi)))
    return Whole(lo, hi)


def _parsed(end: object, column: str) -> Fraction:
    """An end of a range, as text or a number."""
    try:
        value = Fraction(end) if isinstance(end, str) else exact(end)
    except (ValueError, ZeroDivisionError):
        message = f"the range of column {column!r} has the end {shortened(end)}, which is no number"
        raise FormatError(message, column=column) from None
    if constant_bits(value) > MAX_CONSTANT_BITS:
        raise FormatError(
            f"the range of column {column!r} has an end of more than {MAX_CONSTANT_BITS} bits", column=column
        )
    return value
