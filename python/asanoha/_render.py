"""Graphs as text in the language of programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import count

from asanoha._asanoha import quoted, text_literal
from asanoha._graph import LEAVES, Graph, Node
from asanoha._language import number_text

# How close operators bind, as in Python.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(9)

#: For every operator how close it binds, and how close its operands must bind to stand without brackets.
_OPERATORS: dict[str, tuple[int, int, int]] = {
    "or": (_OR, _OR, _AND),
    "and": (_AND, _AND, _NOT),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), (_COMPARISON, _SUM, _SUM)),
    "+": (_SUM, _SUM, _PRODUCT),
    "-": (_SUM, _SUM, _PRODUCT),
    **dict.fromkeys(("*", "/", "//", "%"), (_PRODUCT, _PRODUCT, _UNARY)),
    "**": (_POWER, _ATOM, _UNARY),
}
#: The signs before one operand, likewise.
_SIGNS: dict[str, tuple[str, int, int]] = {"neg": ("-", _UNARY, _POWER), "not": ("not ", _NOT, _NOT)}
#: How deep a line is nested at most; deeper parts become lines of their own. The language takes 200.
_MOST_NESTED = 32

#: A piece of a line: text, or an operation and how close it must bind.
_Piece = str | tuple[int, int]


class _Writer:
    """Writes expressions, in which some operations stand as names."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names: dict[int, str] = {}

    def binding(self, place: int) -> int:
        """How close an operation binds where it's written out."""
        if place in self.names:
            return _ATOM
        node = self.graph.nodes[place]
        if node.op == "constant":
            return _number_binding(_number(node))
        if node.op in _SIGNS:
            return _SIGNS[node.op][1]
        return _OPERATORS[node.op][0] if node.op in _OPERATORS else _ATOM

    def operands(self, node: Node) -> list[tuple[int, int]]:
        """The operands of an operation, each with how close it must bind."""
        if node.op in _OPERATORS:
            return list(zip(node.args, _OPERATORS[node.op][1:], strict=True))
        if node.op in _SIGNS:
            return [(node.args[0], _SIGNS[node.op][2])]
        return [(arg, _OR) for arg in node.args]

    def pieces(self, place: int) -> list[_Piece]:
        """An operation written out, of operands that aren't yet."""
        node = self.graph.nodes[place]
        operands = self.operands(node)
        if node.op == "column":
            return [quoted(str(node.value))]
        if node.op == "constant":
            return [number_text(_number(node))]
        if node.op == "text":
            return [text_literal(str(node.value))]
        if node.op in _SIGNS:
            return [_SIGNS[node.op][0], *operands]
        if node.op in _OPERATORS:
            sign = "**" if node.op == "**" else f" {node.op} "
            right = self.graph.nodes[node.args[1]]
            if node.op in ("+", "-") and right.op == "constant" and _number(right) < 0:
                # a + -3 is written a - 3.
                return [operands[0], " - " if node.op == "+" else " + ", number_text(-_number(right))]
            return [operands[0], sign, operands[1]]
        listed: list[_Piece] = []
        for operand in operands:
            listed += [", ", operand] if listed else [operand]
        if node.op == "list":
            return ["[", *listed, "]"]
        return [f"{node.op}(", *listed, ")"]

    def expression(self, place: int, most: int | None = None) -> str:
        """An operation written out, up to its operands' names; cut after about `most` characters."""
        written: list[str] = []
        length = 0
        pending = self.pieces(place)[::-1]
        while pending:
            piece = pending.pop()
            if isinstance(piece, str):
                written.append(piece)
                length += len(piece)
                if most is not None and length > most:
                    break
                continue
            operand, wanted = piece
            inner: list[_Piece] = [self.names[operand]] if operand in self.names else self.pieces(operand)
            if self.binding(operand) < wanted:
                inner = ["(", *inner, ")"]
            pending += inner[::-1]
        return "".join(written)

    def named_within(self, place: int, hoisted: set[int]) -> list[int]:
        """The operations below one that get lines of their own and have none yet, in order."""
        found: set[int] = set()
        seen: set[int] = set()
        pending = list(self.graph.nodes[place].args)
        while pending:
            operand = pending.pop()
            if operand in seen or operand in self.names:
                continue
            seen.add(operand)
            if operand in hoisted:
                found.add(operand)
            pending += self.graph.nodes[operand].args
        return sorted(found)


def _number(node: Node) -> Fraction:
    return node.value if isinstance(node.value, Fraction) else Fraction(0)


def _number_binding(value: Fraction) -> int:
    if "/" in number_text(value):
        return _PRODUCT
    return _UNARY if value < 0 else _ATOM


def excerpt(graph: Graph, place: int, most: int = 40) -> str:
    """An operation for messages, cut where it's long."""
    text = _Writer(graph).expression(place, most)
    return text if len(text) <= most else f"{text[:most]}..."


def program_text(graph: Graph, outputs: Sequence[tuple[str, int]]) -> str:
    """Returns a program with one line for every output and for every operation that is used more than once.

    Parameters
    ----------
    graph : Graph
        All operations.
    outputs : sequence of (str, int)
        The names of the outputs and their operations, in order.
    """
    reachable = list(graph.reachable([place for _, place in outputs]))
    writer = _Writer(graph)
    hoisted = _hoisted(writer, reachable, [place for _, place in outputs])
    prefix = _prefix(graph, reachable)
    free = (f"{prefix}{number}" for number in count(1))
    lines: list[str] = []
    for name, place in outputs:
        if place not in writer.names:
            for operand in writer.named_within(place, hoisted):
                line = writer.expression(operand)
                writer.names[operand] = next(free)
                lines.append(f"{writer.names[operand]} = {line}")
            lines.append(f"{name} = {writer.expression(place)}")
        else:
            lines.append(f"{name} = {writer.names[place]}")
        node = graph.nodes[place]
        if node.op not in LEAVES and not node.is_finished:
            writer.names.setdefault(place, name)
    return "\n".join(lines)


def _prefix(graph: Graph, reachable: Sequence[int]) -> str:
    """What the names of lines inside begin with, which no column's name is like."""
    columns = (str(graph.nodes[place].value) for place in reachable if graph.nodes[place].op == "column")
    like = (re.fullmatch(r"(_+)t\d+", column) for column in columns)
    return "_" * (max((len(match[1]) for match in like if match), default=0) + 1) + "t"


def _hoisted(writer: _Writer, reachable: Sequence[int], outputs: Sequence[int]) -> set[int]:
    """The operations that get lines of their own: those used more than once, and what would be nested too deep."""
    nodes = writer.graph.nodes
    uses = Counter(arg for place in reachable for arg in nodes[place].args)
    uses.update(outputs)
    is_calculation = {place: _is_calculation(writer.graph, place) for place in reachable}
    hoisted = {place for place in reachable if uses[place] > 1 and is_calculation[place]}
    depths: dict[int, int] = {}
    for place in reachable:
        node = nodes[place]
        most = _MOST_NESTED - 2 if node.op == "list" else _MOST_NESTED
        below = {arg: _depth_below(writer, node, arg, wanted, depths, hoisted) for arg, wanted in writer.operands(node)}
        for arg in sorted(below, key=lambda arg: below[arg], reverse=True):
            if below[arg] > most and is_calculation[arg]:
                hoisted.add(arg)
                below[arg] = 1
        depths[place] = max(below.values(), default=0)
    return hoisted


def _is_calculation(graph: Graph, place: int) -> bool:
    """Whether an operation computes something that others may use: no leaf, and no function of constants."""
    node = graph.nodes[place]
    is_of_constants = all(graph.nodes[arg].op == "constant" for arg in node.args)
    return node.op not in LEAVES and not node.is_finished and not is_of_constants


def _depth_below(
    writer: _Writer, node: Node, arg: int, wanted: int, depths: Mapping[int, int], hoisted: set[int]
) -> int:
    """How deep an operand is nested in an operation."""
    is_operator = node.op in _OPERATORS and node.op != "**"
    if arg in hoisted:
        return 0 if is_operator else 1
    is_bracketed = writer.binding(arg) < wanted
    return depths[arg] + is_bracketed + (not is_operator)
