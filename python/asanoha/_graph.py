"""The graph of operations that a trace records: every operation once, after its operands."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from asanoha._asanoha import Builder
from asanoha._kinds import Kind
from asanoha._schema import Schema

#: Operations that are no calculation, and stand where they're used.
LEAVES = frozenset("column constant text list".split())


class Node(NamedTuple):
    """An operation, named as the language names it; `neg` is the unary minus.

    Its kind, from `is_column` on, follows from the rules of the language, which the native part knows.
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
    #: Whether this is finished after decryption where it's an output.
    is_finished: bool
    #: Whether it can be nothing else than an output.
    is_output: bool


class Graph:
    """All operations of one trace. Equal operations of equal operands are one."""

    __slots__ = ("_builder", "_known", "is_closed", "nodes", "schema")

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.nodes: list[Node] = []
        self.is_closed = False
        self._builder = Builder(schema.to_json())
        self._known: dict[tuple[str, Fraction | str | None, tuple[int, ...]], int] = {}

    @property
    def rows(self) -> int:
        """The number of rows, or the most rows where only these are known."""
        return self.schema.rows or self.schema.max_rows or 0

    def add(self, op: str, *args: int, value: Fraction | str | None = None) -> int:
        """Returns the place of an operation, which is new unless it's known.

        Raises
        ------
        ValueError
            If the language has no such operation of these operands; the message says why.
        """
        key = (op, value, args)
        place = self._known.get(key)
        if place is None:
            kind = self._builder.add(op, args, "" if value is None else str(value))
            place = len(self.nodes)
            self.nodes.append(Node(op, args, value, *kind))
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
