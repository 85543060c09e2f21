"""Linear forms of columns: what scalers, encoders and linear models compute.

Weights are exact fractions while forms are combined: a double counts as the number that it is. Each is rounded once, to
the nearest double, when a form is evaluated, so a folded weight is as near as a double can be to what scikit-learn's
own doubles say. A centre that a scaler subtracts from an unchanged column stays a subtraction, because `w*x - w*c`
loses digits where `c` is far larger than the spread of `x`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from asanoha._sklearn.errors import EstimatorError
from asanoha.exceptions import DataError

_ONE, _ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Column:
    """A column of numbers."""

    name: str


@dataclass(frozen=True)
class Equals:
    """1 where a column has a category, else 0."""

    column: str
    category: str | int | float | bool


@dataclass(frozen=True)
class Product:
    """A product of powers."""

    factors: tuple[tuple[Form, int], ...]


@dataclass(frozen=True)
class Clip:
    """A form between two ends."""

    form: Form
    lo: float
    hi: float


#: What forms are sums of.
Value = Column | Equals | Product | Clip


@dataclass(frozen=True)
class Term:
    """A value from which a centre is subtracted."""

    value: Value
    centre: Fraction = _ZERO


@dataclass(frozen=True)
class Form:
    """The sum of weighted terms and a constant."""

    terms: tuple[tuple[Term, Fraction], ...]
    constant: Fraction = _ZERO

    @classmethod
    def of(cls, value: Value) -> Form:
        """The form that is a value."""
        return cls(((Term(value), _ONE),))

    def bare(self) -> Value | None:
        """The value that this form is, if it's nothing else."""
        if len(self.terms) != 1 or self.constant:
            return None
        ((term, weight),) = self.terms
        return term.value if weight == 1 and not term.centre else None

    def minus(self, centre: Fraction) -> Form:
        """This form minus a centre: a bare value keeps the subtraction, and other forms change their constant."""
        value = self.bare()
        if value is None:
            return Form(self.terms, self.constant - centre)
        return Form(((Term(value, centre), _ONE),))

    def plus(self, constant: Fraction) -> Form:
        """This form with a constant added."""
        return Form(self.terms, self.constant + constant)

    def times(self, factor: Fraction) -> Form:
        """This form multiplied by a constant."""
        return weighted_sum([(factor, self)])

    def columns(self) -> Iterator[str]:
        """Yields the names of the columns that the form is computed from, in order; a name may come twice."""
        for term, _ in self.terms:
            match term.value:
                case Column(name) | Equals(name, _):
                    yield name
                case Product(factors):
                    for form, _ in factors:
                        yield from form.columns()
                case Clip(form):
                    yield from form.columns()


def weighted_sum(parts: Iterable[tuple[Fraction, Form]], constant: Fraction = _ZERO) -> Form:
    """Returns the sum of weighted forms and a constant, in which every term stands once, and none with weight 0."""
    weights: dict[Term, Fraction] = {}
    for factor, form in parts:
        if factor:
            constant += factor * form.constant
            for term, weight in form.terms:
                weights[term] = weights.get(term, _ZERO) + factor * weight
    return Form(tuple((term, weight) for term, weight in weights.items() if weight), constant)


def double(value: Fraction) -> float:
    """The nearest double."""
    try:
        return float(value)
    except OverflowError:
        bits = math.floor(math.log2(abs(value.numerator)) - math.log2(value.denominator))
        raise EstimatorError(
            f"a weight is near 2^{bits} once the scalers are folded into it, above the largest double: scale the data "
            "and fit again"
        ) from None


class Evaluation:
    """Evaluates forms on columns, plain or traced; each value is computed once."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = columns
        self._values: dict[Value, Any] = {}
        self._terms: dict[Term, Any] = {}

    def form(self, form: Form) -> Any:
        """The column that a form gives; a float where it's constant."""
        total: Any = None
        for term, weight in form.terms:
            # The weight 1 stays: it makes a number of a boolean.
            part = double(weight) * self._term(term)
            total = part if total is None else total + part
        constant = double(form.constant)
        if total is None:
            return constant
        return total + constant if constant else total

    def _term(self, term: Term) -> Any:
        if term not in self._terms:
            value = self._value(term.value)
            self._terms[term] = value - double(term.centre) if term.centre else value
        return self._terms[term]

    def _value(self, value: Value) -> Any:
        if value not in self._values:
            self._values[value] = self._computed(value)
        return self._values[value]

    def _computed(self, value: Value) -> Any:
        match value:
            case Column(name):
                return _as_doubles(name, self._columns[name])
            case Equals(name, category):
                return self._columns[name] == category
            case Clip(form, lo, hi):
                return np.clip(self.form(form), lo, hi)
            case Product(factors):
                product: Any = None
                for form, exponent in factors:
                    base = self.form(form)
                    power = base if exponent == 1 else base**exponent
                    product = power if product is None else product * power
                return product


def _as_doubles(name: str, column: Any) -> Any:
    """A plain column as doubles, which scikit-learn computes with; a traced one as it is."""
    if not isinstance(column, np.ndarray):
        return column
    try:
        return column.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise DataError(f"column {name!r} can't be read as numbers ({error}): convert it first", column=name) from None
