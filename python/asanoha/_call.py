"""Operations of traced values while they are recorded."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from asanoha._dispatch import HINTS, OTHER_NAMES, SIGNS, SYMBOLS, Rule
from asanoha._graph import Graph
from asanoha._numbers import days_between, days_of, exact, shortened
from asanoha._traced import BOOL, DATE, FLOAT, INT, TEXT, Traced
from asanoha.exceptions import TraceError


class Call:
    """An operation of traced and plain values that is being recorded."""

    __slots__ = ("args", "graph", "kwargs", "name")

    def __init__(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> None:
        self.name = OTHER_NAMES.get(name, name)
        self.args = args
        self.kwargs = kwargs or {}
        found = next(traced_among([*args, *self.kwargs.values()]), None)
        if found is None:
            raise TraceError(
                f"np.{name} has traced values inside of another object: pass them as arguments or in a list"
            )
        self.graph: Graph = found._graph

    def run(self, rules: Mapping[str, Rule]) -> Any:
        """Computes the operation by its rule, or refuses it."""
        rule = rules.get(self.name)
        if rule is None:
            raise self.unknown()
        try:
            return rule(self, *self.args, **self.kwargs)
        except TypeError as error:
            if isinstance(error, TraceError) or error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            # The rule doesn't take these arguments.
            raise self.refuse(f"not all of its arguments are computed under encryption ({error})") from None

    def unknown(self) -> TraceError:
        """The refusal of an operation without a rule."""
        hint = HINTS.get(self.name, "write it with operators, np.where, np.exp, np.sum and the like")
        return self.refuse(f"it isn't computed under encryption: {hint}" if hint.startswith("write ") else hint)

    @property
    def text(self) -> str:
        """The call as the user wrote it."""
        args = [shown(arg) for arg in self.args]
        if self.name in SYMBOLS and len(args) == 2:
            return f"{args[0]} {SYMBOLS[self.name]} {args[1]}"
        if self.name in SIGNS and len(args) == 1:
            return f"{SIGNS[self.name]}{args[0]}"
        args += [f"{name}={shown(value)}" for name, value in self.kwargs.items()]
        name = self.name if self.name.startswith("asanoha.") else f"np.{self.name}"
        return f"{name}({', '.join(args)})"

    def refuse(self, why: str) -> TraceError:
        """The refusal of this operation."""
        return TraceError(f"{self.text}: {why}", operation=self.name)

    def check_option(self, name: str, value: object) -> None:
        """Refuses an option of a numpy function unless it changes nothing."""
        neutral: dict[str, tuple[object, ...]] = {
            "axis": (0, -1, (0,), (-1,)),
            "keepdims": (False,),
            "where": (True,),
            "subok": (True,),
            "casting": ("same_kind",),
            "order": ("K",),
            "assume_unique": (True, False),
        }
        allowed = neutral.get(name, ())
        is_neutral = any(type(value) is type(one) and value == one for one in allowed)
        if value is None or value is np._NoValue or is_neutral:
            return
        instead = {
            "out": "results aren't stored in arrays: write z = z + x in place of z += x where z is an array",
            "where": "write np.sum(np.where(c, x, 0)), or asanoha.mean_where(x, c)",
            "dtype": "write x.astype(float) or x.astype(int)",
            "axis": "a column has one axis: leave axis out",
            "initial": "add it to the result",
        }.get(name, "leave it out")
        raise self.refuse(f"{name}= isn't computed under encryption: {instead}")

    def take(self, value: object) -> Traced:
        """A traced or plain value as a traced one."""
        if isinstance(value, Traced):
            if value._graph is not self.graph or self.graph.is_closed:
                x = value._excerpt()
                raise self.refuse(f"{x} is a value of another trace: compute it inside of the function that is traced")
            if value._node.is_output:
                x = value._excerpt()
                raise self.refuse(
                    f"{x} is finished after decryption, so it can only be an output: compute with it after decryption"
                )
            return value
        place, dtype = self._constant(value)
        return Traced(self.graph, place, dtype)

    def _constant(self, value: object) -> tuple[int, np.dtype[Any]]:
        if isinstance(value, np.ndarray):
            if value.ndim == 0:
                return self._constant(value[()])
            raise self.refuse(
                f"an array of shape {value.shape} isn't a constant, and only numbers are: write a number, add the "
                "array to the data as a column, or write asanoha.dot([a, b], weights)"
            )
        try:
            if isinstance(value, (datetime.date, np.datetime64)):
                return self.graph.constant(days_of(value)), DATE
            if isinstance(value, (datetime.timedelta, np.timedelta64)):
                return self.graph.constant(days_between(value)), INT
            if isinstance(value, str):
                return self.graph.add("text", value=str(value)), TEXT
            number = exact(value)
        except ValueError as error:
            advice = "write a number, a date or a text"
            if value is None:
                advice = "columns have no missing values once they're encrypted"
            elif isinstance(value, (list, tuple)):
                advice = "write asanoha.dot([a, b], weights) for sums of products"
            raise self.refuse(str(error) if ": " in str(error) else f"{error}: {advice}") from None
        kinds = {bool: BOOL, np.bool_: BOOL}
        is_whole = isinstance(value, (int, np.integer))
        return self.graph.constant(number), kinds.get(type(value), INT if is_whole else FLOAT)

    def make(self, op: str, *operands: Traced, dtype: np.dtype[Any]) -> Traced:
        """The traced value of an operation of the language, which may refuse the operands."""
        try:
            place = self.graph.add(op, *(operand._place for operand in operands))
        except ValueError as error:
            raise self.refuse(str(error)) from None
        return Traced(self.graph, place, dtype)

    def list_of(self, items: Sequence[Traced]) -> Traced:
        """A list, which functions of the language take."""
        return self.make("list", *items, dtype=TEXT)

    def numbers(self, *values: object) -> tuple[Traced, ...]:
        """Values as traced numbers: dates and texts are refused."""
        taken = tuple(self.take(value) for value in values)
        for value in taken:
            if value.dtype == DATE:
                what, instead = (
                    "a date",
                    "compare dates, subtract one from another, or write x.astype(int) for the days",
                )
            elif value.dtype == TEXT:
                what, instead = "text", "compare it with ==, != or np.isin, and compute with these conditions"
            else:
                continue
            raise self.refuse(f"{value._excerpt()} is {what}: {instead}")
        return taken

    def column(self, value: object) -> Traced:
        """A value as a traced column of numbers."""
        (taken,) = self.numbers(value)
        if not taken._node.is_column:
            what = "a constant" if taken._constant is not None else "one number"
            raise self.refuse(f"it takes a column, and {taken._excerpt()} is {what} for all rows: use it as it is")
        return taken

    def condition(self, value: object) -> Traced:
        """A value as a traced boolean: a number holds where it isn't 0."""
        (taken,) = self.numbers(value)
        return taken if taken.dtype == BOOL else self.compare("!=", taken, self.take(0))

    def compare(self, op: str, a: Traced, b: Traced) -> Traced:
        """A comparison of numbers; equality of those whose denominators are known only."""
        if op in ("==", "!="):
            for value in (a, b):
                if value._node.is_real:
                    raise self.refuse(
                        f"{value._excerpt()} is a real number, and equality of real numbers isn't computed under "
                        "encryption: write np.abs(a - b) < gap, or declare the column as Whole or Decimal"
                    )
                if value._node.unit is None:
                    x = value._excerpt()
                    raise self.refuse(
                        f"{x} is a fraction whose denominator isn't known: compare sums in place of means"
                    )
        return self.make(op, a, b, dtype=BOOL)

    def dtype_of(self, ufunc: str, *operands: Traced) -> np.dtype[Any]:
        """The dtype that numpy gives the result."""
        found = _numpy_dtype(ufunc, tuple(operand.dtype for operand in operands))
        if isinstance(found, str):
            raise self.refuse(f"numpy computes it of no booleans: {found}")
        return found


@cache
def _numpy_dtype(ufunc: str, dtypes: tuple[np.dtype[Any], ...]) -> np.dtype[Any] | str:
    """The dtype of a ufunc's result, or what to write where numpy has none."""
    try:
        found = getattr(np, ufunc)(*(np.empty(0, dtype) for dtype in dtypes)).dtype
    except TypeError:
        return {
            "subtract": "write a ^ b, or a.astype(int) - b",
            "negative": "write ~c",
            "sign": "write c.astype(int)",
        }.get(ufunc, "write c.astype(int)")
    return {"b": BOOL, "i": INT, "u": INT, "f": FLOAT}[found.kind]


def traced_among(values: Sequence[Any]) -> Iterator[Traced]:
    """Yields the traced values among others, and in lists of them."""
    for value in values:
        if isinstance(value, Traced):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from traced_among(value)


def shown(value: object) -> str:
    """A traced or plain value for messages."""
    if isinstance(value, Traced):
        return value._excerpt()
    if isinstance(value, (list, tuple)) and len(value) <= 8:
        inner = ", ".join(shown(item) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, np.generic):
        value = value.item()
    return shortened(value)
