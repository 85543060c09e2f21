"""A small evaluator of the language of programs, to hold traced programs against numpy."""

from __future__ import annotations

import ast
import datetime
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from asanoha._operations import SHARED

Value = Any


def exact_column(values: Any) -> Value:
    """A column as exact fractions, or as texts."""
    array = np.asarray(values)
    if array.dtype.kind in "OU" and isinstance(array[0], str):
        return np.array([str(value) for value in array], dtype=object)
    if array.dtype.kind == "M":
        array = array.astype("datetime64[D]").astype(np.int64)
    items = [Fraction(repr(float(v))) if isinstance(v, (float, np.floating)) else Fraction(int(v)) for v in array]
    return np.array(items, dtype=object)


def evaluate(text: str, columns: Mapping[str, Any]) -> dict[str, Value]:
    """The outputs of a program's text, as exact fractions where nothing is smooth."""
    quoted: dict[str, str] = {}

    def name_of(match: re.Match[str]) -> str:
        return quoted.setdefault(match[1], f"quoted{len(quoted)}")

    plain = re.sub(r"`([^`]*)`", name_of, text)
    values: dict[str, Value] = {name: exact_column(column) for name, column in columns.items()}
    values.update({alias: values[name] for name, alias in quoted.items()})
    outputs: dict[str, Value] = {}
    for line in plain.splitlines():
        name, expression = line.split(" = ", 1)
        value = _Expression(expression, values).value()
        if isinstance(value, dict):
            outputs.update({f"{name}{suffix}": one for suffix, one in value.items()})
            continue
        values[name] = value
        if not name.startswith("_"):
            outputs[name] = value
    return outputs


class _Expression:
    def __init__(self, text: str, names: Mapping[str, Value]) -> None:
        self.text = text
        self.names = names

    def value(self) -> Value:
        return self.of(ast.parse(self.text, mode="eval").body)

    def of(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return node.value
            return Fraction(ast.get_source_segment(self.text, node) or "")
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, ast.List):
            return [self.of(item) for item in node.elts]
        if isinstance(node, ast.UnaryOp):
            value = self.of(node.operand)
            if isinstance(node.op, ast.Not):
                return _rows(lambda a: Fraction(a == 0), value)
            assert isinstance(node.op, ast.USub)
            return -value
        if isinstance(node, ast.BoolOp):
            joins = all if isinstance(node.op, ast.And) else any
            return _rows(lambda *a: Fraction(joins(x != 0 for x in a)), *map(self.of, node.values))
        if isinstance(node, ast.Compare):
            assert len(node.ops) == 1
            compare = _COMPARISONS[type(node.ops[0])]
            return _rows(lambda a, b: Fraction(compare(a, b)), self.of(node.left), self.of(node.comparators[0]))
        if isinstance(node, ast.BinOp):
            return _rows(_OPERATORS[type(node.op)], self.of(node.left), self.of(node.right))
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        return self.call(node.func.id, node)

    def call(self, name: str, node: ast.Call) -> Value:
        args = [self.of(arg) for arg in node.args]
        if name in ("min", "max") and len(args) > 1:
            return _rows(min if name == "min" else max, *args)
        if name == "dot" and isinstance(args[0], list):
            return sum((a * b for a, b in zip(*args, strict=True)), Fraction(0))
        if name in _BY_ROW:
            return _rows(_BY_ROW[name], *args)
        if name == "table":
            return _rows(lambda x: args[1][int(x)], args[0])
        if name == "table2":
            return _rows(lambda x, y: args[2][int(x)][int(y)], args[0], args[1])
        if name == "least_squares":
            return _least_squares(args[0], args[1], [ast.unparse(item) for item in _items(node.args[1])])
        if name == "histogram":
            lo, hi = int(args[1]), int(args[2])
            parts = [math.floor(x) for x in args[0]]
            return {f"_{'minus_' if k < 0 else ''}{abs(k)}": Fraction(parts.count(k)) for k in range(lo, hi + 1)}
        return _OVER_ROWS[name](*args)


def _items(node: ast.expr) -> list[ast.expr]:
    assert isinstance(node, ast.List)
    return node.elts


def _rows(function: Callable[..., Any], *args: Value) -> Value:
    """A function row by row; numbers stand in every row."""
    lengths = {len(arg) for arg in args if isinstance(arg, np.ndarray)}
    if not lengths:
        return function(*args)
    (rows,) = lengths
    column = np.empty(rows, dtype=object)
    for row in range(rows):
        column[row] = function(*(arg[row] if isinstance(arg, np.ndarray) else arg for arg in args))
    return column


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a ** int(b),
}


def _smooth(function: Callable[..., float]) -> Callable[..., Fraction]:
    return lambda *values: Fraction(function(*map(float, values)))


_BY_ROW: dict[str, Callable[..., Any]] = {
    "where": lambda c, a, b: a if c != 0 else b,
    "abs": abs,
    "less_than": lambda a, b, gap: Fraction(a < b),
    "sign": lambda a, *gap: Fraction((a > 0) - (a < 0)),
    "relu": lambda a: max(a, Fraction(0)),
    "clip": lambda x, lo, hi: min(max(x, lo), hi),
    "assume": lambda x, lo, hi: x,
    "floor": lambda x: Fraction(math.floor(x)),
    "round": lambda x: Fraction(math.floor(x + Fraction(1, 2))),
    "sigmoid": _smooth(lambda a: 1 / (1 + math.exp(-a))),
    **{name: _smooth(getattr(np, name)) for name in SHARED},
}


def _mean(x: Value) -> Any:
    return sum(x) / Fraction(len(x))


def _cov(x: Value, y: Value) -> Any:
    return _mean((x - _mean(x)) * (y - _mean(y)))


def _quantile(x: Value, q: Fraction) -> Any:
    rank = min(max(math.ceil(q * len(x)), 1), len(x))
    return sorted(x)[rank - 1]


def _where_holds(y: Value, c: Value) -> Any:
    chosen = [value for value, holds in zip(y, c, strict=True) if holds != 0]
    return sum(chosen) / Fraction(len(chosen))


def _corr(x: Value, y: Value, *ends: Any) -> Any:
    return Fraction(float(_cov(x, y)) / math.sqrt(_cov(x, x) * _cov(y, y)))


_OVER_ROWS: dict[str, Callable[..., Any]] = {
    "sum": lambda x: sum(x, Fraction(0)),
    "count": lambda c: Fraction(sum(value != 0 for value in c)),
    "mean": _mean,
    "var": lambda x: _cov(x, x),
    "std": lambda x, *ends: Fraction(math.sqrt(_cov(x, x))),
    "cov": _cov,
    "corr": _corr,
    "dot": lambda x, y: sum(x * y),
    "min": min,
    "max": max,
    "quantile": _quantile,
    "mean_where": _where_holds,
    "ratio": lambda a, b: a / b,
}


def _least_squares(y: Value, columns: list[Value], names: list[str]) -> dict[str, Any]:
    matrix = np.column_stack([np.ones(len(y)), *(column.astype(float) for column in columns)])
    solution = np.linalg.lstsq(matrix, y.astype(float), rcond=None)[0]
    results: dict[str, Any] = {"_intercept": Fraction(solution[0])}
    for place, (name, coefficient) in enumerate(zip(names, solution[1:], strict=True), 1):
        is_named = name.isidentifier() and not name.startswith("_t") and f"_{name}" not in results
        results[f"_{name if is_named else place}"] = Fraction(coefficient)
    return results


def plain(value: Any) -> Any:
    """A result of numpy as numbers: differences of dates are days."""
    array = np.asarray(value)
    if array.dtype.kind == "m":
        return array.astype("timedelta64[D]").astype(np.int64)
    if array.dtype.kind == "M" or isinstance(value, datetime.date):
        return array.astype("datetime64[D]").astype(np.int64)
    return array
