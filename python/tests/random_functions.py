"""Random functions of columns, and what they are on columns that are traced, of numpy, or exact."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from random_columns import DATES, EPOCH, Column, Draw, Refused

import asanoha as asa

RULES: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "neg": lambda a: -a,
    "abs": abs,
    "max": np.maximum,
    "min": np.minimum,
    "clip": np.clip,
    "floor": np.floor,
    "ceil": np.ceil,
    "square": np.square,
    "sign": np.sign,
    "where": np.where,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "~": lambda a: ~a,
    "isin": lambda a, *texts: np.isin(a, texts),
    "days": lambda date: (date - np.datetime64(EPOCH)).astype(int),
    "number": lambda condition: condition + 0,
    "relu": asa.relu,
    "round": asa.round_half_up,
    "table": lambda a, *entries: asa.table(a, entries),
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sigmoid": asa.sigmoid,
    "sum": np.sum,
    "count": np.count_nonzero,
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "lowest": np.min,
    "highest": np.max,
    "median": lambda a: np.quantile(a, 0.5, method="inverted_cdf"),
    "dot": np.dot,
    "cov": asa.cov,
    "corr": asa.corr,
    "mean_where": asa.mean_where,
    "ratio": asa.ratio,
}

CONTEXT = decimal.Context(prec=60)


def _smooth(function: Callable[[decimal.Decimal], decimal.Decimal], is_above_0: bool = False) -> Callable[..., Any]:
    """A function of exact numbers to 60 digits."""

    def of(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return np.array([of(one) for one in value] + [None], dtype=object)[:-1]
        if is_above_0 and value <= 0:
            raise Refused("it is above 0 only")
        value = Fraction(int(value)) if isinstance(value, np.bool_) else value
        with decimal.localcontext(CONTEXT):
            return Fraction(function(decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)))

    return of


def _mean(a: Any) -> Any:
    return np.sum(a) / Fraction(len(a))


def _cov(a: Any, b: Any) -> Any:
    # Booleans are numbers here.
    a, b = a + Fraction(0), b + Fraction(0)
    return _mean((a - _mean(a)) * (b - _mean(b)))


def _root(value: Fraction) -> Fraction:
    return Fraction(0) if value == 0 else _smooth(decimal.Decimal.sqrt)(value)


def _ratio(a: Any, b: Any) -> Any:
    return None if b == 0 else _as_exact(a) / _as_exact(b)


def _corr(a: Any, b: Any) -> Any:
    return _ratio(_cov(a, b), _root(_cov(a, a) * _cov(b, b)))


def _tanh(value: decimal.Decimal) -> decimal.Decimal:
    power = (2 * value).exp()
    return (power - 1) / (power + 1)


EXACT: dict[str, Callable[..., Any]] = {
    "days": lambda days: days,
    "relu": lambda a: np.maximum(a, Fraction(0)),
    "round": lambda a: np.floor(a + Fraction(1, 2)),
    "table": lambda a, *entries: np.array([entries[int(place)] for place in a] + [None], dtype=object)[:-1],
    "exp": _smooth(decimal.Decimal.exp),
    "log": _smooth(decimal.Decimal.ln, is_above_0=True),
    "sqrt": _smooth(decimal.Decimal.sqrt, is_above_0=True),
    "tanh": _smooth(_tanh),
    "sigmoid": _smooth(lambda value: 1 / (1 + (-value).exp())),
    "mean": _mean,
    "var": lambda a: _cov(a, a),
    "std": lambda a: _root(_cov(a, a)),
    "median": lambda a: sorted(a)[(len(a) + 1) // 2 - 1],
    "cov": _cov,
    "corr": _corr,
    "mean_where": lambda a, c: _ratio(np.sum(np.where(c, a, Fraction(0))), np.count_nonzero(c)),
    "ratio": _ratio,
}

#: Functions of which an output is rounded to a double after decryption.
ROOTS = ("std", "corr")


@dataclasses.dataclass(frozen=True)
class Const:
    """A constant of a function."""

    value: Any


#: A column's name, a constant, or an operation and its operands.
Tree = str | Const | tuple[Any, ...]


def computed(tree: Tree, columns: Mapping[str, Any]) -> Any:
    """A function of columns that are traced or numpy's."""
    if isinstance(tree, str):
        return columns[tree]
    if isinstance(tree, Const):
        return tree.value
    return RULES[tree[0]](*(computed(part, columns) for part in tree[1:]))


def exactly(tree: Tree, columns: Mapping[str, Any]) -> Any:
    """A function of exact columns: what numpy computes of fractions."""
    if isinstance(tree, str):
        return columns[tree]
    if isinstance(tree, Const):
        return _exact_constant(tree.value)
    rule = EXACT.get(tree[0], RULES[tree[0]])
    try:
        return _as_exact(rule(*(exactly(part, columns) for part in tree[1:])))
    except (ZeroDivisionError, IndexError) as error:
        raise Refused(str(error)) from None


def _exact_constant(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return Fraction((value - EPOCH).days)
    return value if isinstance(value, str) else Fraction(repr(value))


def _as_exact(value: Any) -> Any:
    """What numpy gave, with whole numbers as fractions."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if value is None or (isinstance(value, np.ndarray) and value.dtype == bool):
        return value
    if isinstance(value, (bool, np.bool_)):
        return np.bool_(value)
    if isinstance(value, np.ndarray):
        return np.array([_as_exact(one) for one in value.tolist()] + [None], dtype=object)[:-1]
    assert not isinstance(value, (float, np.floating)), "exact arithmetic has no floats"
    return value if isinstance(value, Fraction) else Fraction(int(value))


@dataclasses.dataclass(frozen=True)
class Drawn:
    """A function with what its author knows of it: the range of its values, whether they're exact, and products in it."""

    tree: Tree
    lo: float
    hi: float
    is_whole: bool
    is_exact: bool = True
    depth: int = 0

    @property
    def size(self) -> float:
        return max(abs(self.lo), abs(self.hi), 1e-9)

    @property
    def is_narrow(self) -> bool:
        return self.is_whole and self.hi - self.lo < 64


class Author:
    """Draws functions of the columns of a table."""

    def __init__(self, draw: Draw, table: Mapping[str, Column]) -> None:
        self.draw = draw
        self.texts = [column for column in table.values() if column.kind == "text"]
        self.numbers = [column for column in table.values() if column.kind != "text"]
        self.narrow = [column for column in self.numbers if self.known(column).is_narrow]
        self.is_smooth = self.chance(4)

    def chance(self, of: int) -> bool:
        return bool(self.draw(st.integers(1, of)) == of)

    def pick(self, values: Any) -> Any:
        return self.draw(st.sampled_from(values))

    def column(self) -> Drawn:
        return self.known(self.pick(self.numbers))

    def cheap(self) -> Drawn:
        """A column of few values, mostly: functions by values and comparisons are cheap of these."""
        return self.known(self.pick(self.numbers if not self.narrow or self.chance(8) else self.narrow))

    def known(self, column: Column) -> Drawn:
        lo, hi = (float(end) for end in (min(column.present), max(column.present)))
        tree: Tree = {"bool": ("number", column.name), "date": ("days", column.name)}.get(column.kind, column.name)
        return Drawn(tree, lo, hi, column.kind in ("whole", "bool", "date"), column.kind != "real")

    def constant(self, near: Drawn) -> Const:
        """A constant that a number is compared with, or added to."""
        middle = (near.lo + near.hi) / 2
        if near.is_whole:
            return Const(self.pick([0, 1, -1, 3, 10, round(middle), round(near.hi)]))
        return Const(self.pick([0, 0.5, -1.25, 100, float(f"{middle:.3g}"), float(f"{near.lo:.2g}")]))

    def number(self, nesting: int) -> Drawn:
        """A number in every row."""
        if nesting == 0 or self.chance(5):
            return self.column()
        forms = [self.sum, self.sum, self.product, self.scaled, self.scaled, self.shifted, self.centred]
        forms += [self.chosen, self.function, self.function] if self.narrow or self.chance(4) else []
        return self.pick(forms + [self.smooth] * (3 * self.is_smooth))(nesting)

    def sum(self, nesting: int) -> Drawn:
        a, b = self.number(nesting - 1), self.column() if self.chance(2) else self.number(nesting - 1)
        size = a.size + b.size
        # A difference of the same is the same for all data.
        tree = ("+" if a.tree == b.tree else self.pick("+-"), a.tree, b.tree)
        return Drawn(tree, -size, size, a.is_whole and b.is_whole, a.is_exact and b.is_exact, max(a.depth, b.depth))

    def product(self, nesting: int) -> Drawn:
        a = self.number(nesting - 1)
        b = a if self.chance(3) else self.number(nesting - 1)
        depth, size = max(a.depth, b.depth) + 1, a.size * b.size
        if depth > 2 or size > 1e12:
            return a
        tree = self.pick([("**", a.tree, Const(2)), ("square", a.tree)]) if a is b else ("*", a.tree, b.tree)
        return Drawn(tree, -size, size, a.is_whole and b.is_whole, a.is_exact and b.is_exact, depth)

    def scaled(self, nesting: int) -> Drawn:
        a = self.number(nesting - 1)
        if self.chance(4):
            return dataclasses.replace(a, tree=("neg", a.tree), lo=-a.hi, hi=-a.lo)
        op, factor = self.pick("**/"), self.pick([2, 3, 0.5, -1, 10, 0.01, 1.25])
        size = 100 * a.size
        is_whole = a.is_whole and op == "*" and factor == int(factor)
        return Drawn((op, a.tree, Const(factor)), -size, size, is_whole, a.is_exact, a.depth)

    def shifted(self, nesting: int) -> Drawn:
        a = self.number(nesting - 1)
        constant = self.constant(a)
        lo, hi = a.lo - constant.value, a.hi - constant.value
        is_whole = a.is_whole and isinstance(constant.value, int)
        return dataclasses.replace(a, tree=("-", a.tree, constant), lo=lo, hi=hi, is_whole=is_whole)

    def chosen(self, nesting: int) -> Drawn:
        a, b = self.number(nesting - 1), self.number(nesting - 1)
        tree = ("where", self.condition(nesting - 1), a.tree, b.tree)
        is_whole, is_exact = a.is_whole and b.is_whole, a.is_exact and b.is_exact
        return Drawn(tree, min(a.lo, b.lo), max(a.hi, b.hi), is_whole, is_exact, max(a.depth, b.depth) + 1)

    def centred(self, nesting: int) -> Drawn:
        a = self.column()
        tree = ("-", a.tree, self.statistic(nesting - 1))
        return Drawn(tree, -2 * a.size, 2 * a.size, False, False, 1)

    def function(self, nesting: int) -> Drawn:
        """A function of a column by its values or by comparisons, as they are cheap of narrow columns."""
        a = self.cheap()
        size, b = a.size, self.pick([self.constant(a), self.cheap().tree])
        entries = [Const(self.draw(st.integers(-1000, 1000))) for _ in range(int(a.hi) + 1)] if a.is_narrow else []
        forms: list[tuple[Tree, float, bool]] = [
            (("abs", ("-", a.tree, b)), 2 * size, a.is_whole),
            (("max", a.tree, b), size, a.is_whole),
            (("min", a.tree, b), size, a.is_whole),
            (("relu", a.tree), size, a.is_whole),
            (("clip", a.tree, Const(-3), Const(4.5)), 5, False),
        ]
        if a.is_exact and size < 1e6:
            forms += [
                (("floor", ("/", a.tree, Const(2))), size, True),
                (("ceil", ("/", a.tree, Const(4))), size, True),
                (("round", a.tree), size, True),
                (("sign", a.tree), 1, True),
                (("//", a.tree, Const(self.pick([2, 3, -5]))), size, True),
                (("//", a.tree, b), size, True),
                (("%", a.tree, Const(self.pick([3, 7, -4]))), 7, a.is_whole),
            ]
        if entries and a.lo >= 0:
            forms += [(("table", a.tree, *entries), 1000, True)] * 2
        tree, size, is_whole = self.pick(forms)
        return Drawn(tree, -size, size, is_whole, a.is_exact, 2)

    def smooth(self, nesting: int) -> Drawn:
        a = self.number(nesting - 1)
        k = Const(float(f"{2 / a.size:.3e}"))
        name = self.pick(["exp", "sigmoid", "tanh", "log", "sqrt", "/"])
        argument: Tree = ("*", a.tree, k)
        if name in ("log", "sqrt", "/"):
            argument = ("+", argument, Const(5))
        tree = ("/", Const(1), argument) if name == "/" else (name, argument)
        return Drawn(tree, -8, 8, False, False, a.depth + 3)

    def condition(self, nesting: int) -> Tree:
        """What holds or not in every row."""
        forms = ["order"] * 4 + ["exact"] + ["joined", "not"] * (nesting > 0) + ["text"] * (3 * bool(self.texts))
        booleans = [column.name for column in self.numbers if column.kind == "bool"]
        dates = [column.name for column in self.numbers if column.kind == "date"]
        form = self.pick(forms + ["bool"] * (3 * bool(booleans)) + ["date"] * (3 * bool(dates)))
        if form == "joined":
            return (self.pick("&|^"), self.condition(nesting - 1), self.condition(nesting - 1))
        if form == "not":
            return ("~", self.condition(nesting - 1))
        if form == "bool":
            return str(self.pick(booleans))
        if form == "date":
            day = self.draw(DATES)
            return (self.pick(["<", "<=", ">", ">=", "=="]), self.pick(dates), self.pick([Const(day), *dates]))
        if form == "text":
            column = self.pick(self.texts)
            known = [Const(text) for text in sorted(set(column.present))]
            if self.chance(4):
                return ("isin", column.name, *known[:2])
            return (self.pick(["==", "!="]), column.name, self.pick([*known, *(other.name for other in self.texts)]))
        a = self.number(1) if nesting > 0 and self.chance(4) else self.cheap()
        b = self.cheap().tree if self.chance(3) else self.constant(a)
        b = self.constant(a) if b == a.tree else b
        ops = ["==", "!="] if form == "exact" and a.is_exact else ["<", "<=", ">", ">="]
        return (self.pick(ops), a.tree, b)

    def statistic(self, nesting: int) -> Tree:
        """A number over all rows."""
        a, b = self.number(nesting), self.cheap()
        forms: list[Tree] = [
            ("sum", a.tree),
            ("mean", a.tree),
            ("sum", ("*", self.condition(nesting), b.tree)),
            ("count", self.condition(nesting)),
        ]
        if a.depth < 2 and a.size < 1e9:
            forms += [("var", a.tree), ("dot", a.tree, b.tree), ("cov", b.tree, self.column().tree)]
        if b.is_narrow and b.hi - b.lo < 16:
            forms += [("lowest", b.tree), ("highest", b.tree), ("median", b.tree)]
        return tuple(self.pick(forms))

    def output(self) -> Tree:
        nesting = self.pick([1, 2, 2, 3])
        form = self.pick(["number"] * 4 + ["statistic"] * 3 + ["condition", "finished"])
        if form == "number":
            return self.number(nesting).tree
        if form == "statistic":
            return self.statistic(nesting)
        if form == "condition":
            return self.condition(nesting)
        a, b = self.column(), self.column()
        return tuple(
            self.pick(
                [
                    ("std", a.tree),
                    ("corr", a.tree, b.tree),
                    ("mean_where", a.tree, self.condition(0)),
                    ("ratio", self.statistic(0), self.statistic(0)),
                ]
            )
        )
