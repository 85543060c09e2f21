"""The graph of operations that a trace records: every operation once, after its operands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from asanoha._asanoha import MAX_CONSTANT_BITS, smooth_functions
from asanoha._kinds import Decimal, Kind, Real
from asanoha._schema import Schema

#: Functions of a column that give one number.
AGGREGATES = frozenset("sum count mean var std cov corr quantile least_squares mean_where ratio lowest highest".split())
#: Functions that the holder of the secret key finishes after decryption, so that nothing else is computed from them.
FINISHED = frozenset("std corr least_squares mean_where ratio histogram".split())
#: Operations whose values are whole numbers, whatever they're of.
_WHOLE = frozenset("< <= > >= == != and or not less_than count floor round sign".split())
#: Functions that are approximated.
_SMOOTH = frozenset([*smooth_functions(), "std", "corr"])
#: Operations whose values are multiples of the same unit as their operands.
_SAME_UNIT = frozenset("neg + - abs min max relu clip % sum quantile lowest highest table table2 assume list".split())
#: Operations that are no calculation, and stand where they're used.
LEAVES = frozenset("column constant text list".split())


class Node(NamedTuple):
    """An operation, named as the language names it.

    `lowest` and `highest` are the language's `min` and `max` over the rows of a column, and `neg` is the unary minus.
    """

    op: str
    #: The operands' places in the graph.
    args: tuple[int, ...]
    #: The name of a column, a constant or a text.
    value: Fraction | str | None
    #: Whether there is one value for every row.
    is_column: bool
    #: A d for which all values are whole multiples of 1/d, where that's known.
    unit: int | None
    #: Whether values are real numbers, which are computed approximately.
    is_real: bool
    #: Whether this is finished after decryption.
    is_finished: bool


class Graph:
    """All operations of one trace. Equal operations of equal operands are one."""

    __slots__ = ("_known", "is_closed", "nodes", "schema")

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.nodes: list[Node] = []
        self.is_closed = False
        self._known: dict[tuple[str, Fraction | str | None, tuple[int, ...]], int] = {}

    @property
    def rows(self) -> int:
        """The number of rows, or the most rows where only these are known."""
        return self.schema.rows or self.schema.max_rows or 0

    def add(self, op: str, *args: int, value: Fraction | str | None = None) -> int:
        """Returns the place of an operation, which is new unless it's known."""
        key = (op, value, args)
        place = self._known.get(key)
        if place is None:
            place = len(self.nodes)
            self.nodes.append(self._node(op, args, value))
            self._known[key] = place
        return place

    def constant(self, value: Fraction | int) -> int:
        """Returns the place of a constant."""
        return self.add("constant", value=Fraction(value))

    def kind(self, place: int) -> Kind | None:
        """Returns the kind of a column of the data, and `None` for everything else."""
        node = self.nodes[place]
        return self.schema.columns[str(node.value)] if node.op == "column" else None

    def reachable(self, outputs: list[int]) -> Iterator[int]:
        """Yields what outputs need, every operation after its operands."""
        needed = set(outputs)
        for place in range(max(outputs, default=-1), -1, -1):
            if place in needed:
                needed.update(self.nodes[place].args)
        yield from sorted(needed)

    def _node(self, op: str, args: tuple[int, ...], value: Fraction | str | None) -> Node:
        of = [self.nodes[arg] for arg in args]
        is_finished = op in FINISHED and not (op == "corr" and len(args) == 4)
        if op == "column":
            kind = self.schema.columns[str(value)]
            places = kind.places if isinstance(kind, Decimal) else 0
            is_real = isinstance(kind, Real)
            return Node(op, args, value, True, None if is_real else 10**places, is_real, is_finished)
        is_column = op not in AGGREGATES and not _is_product_of_columns(op, of) and any(node.is_column for node in of)
        unit = _unit(op, of, value)
        if unit is not None and unit.bit_length() > MAX_CONSTANT_BITS:
            unit = None
        # A condition chooses between numbers, and is none of them.
        numbers = of[1:] if op == "where" else of
        is_approximate = op in _SMOOTH or (op == "/" and of[1].op != "constant") or (op == "**" and _exponent(of) < 0)
        is_real = unit is None and (is_approximate or any(node.is_real for node in numbers))
        return Node(op, args, value, is_column, unit, is_real, is_finished)


def _is_product_of_columns(op: str, of: list[Node]) -> bool:
    """Whether this is the sum over the rows of a product, rather than a sum of products in every row."""
    return op == "dot" and of[0].op != "list"


def _exponent(of: list[Node]) -> int:
    exponent = of[1].value
    return exponent.numerator if isinstance(exponent, Fraction) else 0


def _unit(op: str, of: list[Node], value: Fraction | str | None) -> int | None:
    """A d for which all values of an operation are whole multiples of 1/d, as the planner finds it."""
    if op in _WHOLE:
        return 1
    if op in ("constant", "text"):
        return value.denominator if isinstance(value, Fraction) else 1
    if op in _SAME_UNIT:
        operands = {"assume": of[:1], "quantile": of[:1], "table": of[1:], "table2": of[2:]}.get(op, of)
        return _common(operands)
    if op == "where":
        return _common(of[1:])
    if op == "//":
        return None if _common(of) is None else 1
    if op in ("*", "/", "dot", "**"):
        return _unit_of_product(op, of)
    return None


def _unit_of_product(op: str, of: list[Node]) -> int | None:
    a, b = of
    if op == "**":
        exponent = _exponent(of)
        if a.unit is None or exponent < 0 or (a.unit.bit_length() - 1) * exponent > MAX_CONSTANT_BITS:
            return None
        return int(a.unit**exponent)
    for constant, other in ((b, a), (a, b)):
        if isinstance(constant.value, Fraction) and constant.op == "constant":
            if op == "/" and constant is a:
                return None
            if constant.value == 0:
                return 1
            factor = 1 / constant.value if op == "/" else constant.value
            return None if other.unit is None else Fraction(factor, other.unit).denominator
    return None if op == "/" or a.unit is None or b.unit is None else a.unit * b.unit


def _common(of: list[Node]) -> int | None:
    """The least common multiple of units that are all known."""
    common = 1
    for node in of:
        if node.unit is None:
            return None
        common = math.lcm(common, node.unit)
    return common
