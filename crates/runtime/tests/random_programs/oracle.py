"""The right answers of programs on tables, in exact fractions, by nothing of the planner's.

Reads one JSON object a line, {"program", "csv", "missing", "columns", "doubles", "weights"}, and writes one: {"outputs": [[name, values]]}
with fractions as text, null for what is missing, a list for a column; {"refuse": why} for what has no answer; or {"crash": why}.
"""

import decimal
import json
import math
import re
import sys
import traceback
from fractions import Fraction

from language import Parser
from reading import Refuse, Text, read

CONTEXT = decimal.Context(prec=70, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
decimal.setcontext(CONTEXT)
sys.set_int_max_str_digits(0)
sys.setrecursionlimit(20000)


# Values: a Fraction, a list of one a row, Text, or what is an output only: a list of ("_suffix" or "", Fraction or None).


class Dropped(list):
    """Zeros for a column that no output needs, such as that of `(t == 'a') * (x - x)`; it may be one of text."""


class Outputs(list):
    """What is an output only, with the number that it's in an expression."""

    value = None


def smooth(function):
    """To the decimal of the nearest double, as that of a constant is; what is approximated is off by far more."""

    def of(x):
        value = function(decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator))
        double = float(value)
        return Fraction(repr(double) if math.isfinite(double) else value)

    return of


def above_zero(function):
    def of(x):
        if x <= 0:
            raise Refuse("a logarithm or root of what isn't above 0")
        return smooth(function)(x)

    return of


def tanh(x):
    power = (2 * abs(x)).exp()
    return ((power - 1) / (power + 1)).copy_sign(x)


def root(x):
    return Fraction(0) if x == 0 else above_zero(lambda x: x.sqrt())(x)


SMOOTH = {
    "sigmoid": smooth(lambda x: 1 / (1 + (-x).exp())),
    "exp": smooth(lambda x: x.exp()),
    "tanh": smooth(tanh),
    "log": above_zero(lambda x: x.ln()),
    "sqrt": root,
}


def divide(a, b, name="a division"):
    if b == 0:
        raise Refuse(f"{name} by 0")
    return a / b


def power(a, n):
    if n.denominator != 1:
        raise Refuse("a power of a fraction")
    return divide(Fraction(1), a) ** -int(n) if n < 0 else a ** int(n)


def quotient(a, b):
    return Fraction(divide(a, b, "//") // 1)


BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divide,
    "//": quotient,
    "%": lambda a, b: a - b * quotient(a, b),
    "**": power,
    "<": lambda a, b: Fraction(a < b),
    "<=": lambda a, b: Fraction(a <= b),
    ">": lambda a, b: Fraction(a > b),
    ">=": lambda a, b: Fraction(a >= b),
    "==": lambda a, b: Fraction(a == b),
    "!=": lambda a, b: Fraction(a != b),
    "and": lambda a, b: Fraction(a != 0 and b != 0),
    "or": lambda a, b: Fraction(a != 0 or b != 0),
}


def entry(entries, *places):
    for place in places:
        if place.denominator != 1 or not 0 <= place < len(entries):
            raise Refuse("a table has no such entry")
        entries = entries[int(place)]
    return entries


def within(x, lo, hi):
    # Doubles may leave the ends by what they round.
    slack = max(abs(lo), abs(hi)) / 10**9
    if not lo - slack <= x <= hi + slack:
        raise Refuse("an assumption that doesn't hold")
    return x


ROWWISE = {
    "abs": abs,
    "less_than": lambda a, b, gap: Fraction(a < b),
    "sign": lambda x, gap=None: Fraction((x > 0) - (x < 0)),
    "relu": lambda x: max(x, Fraction(0)),
    "clip": lambda x, lo, hi: min(max(x, lo), hi),
    "assume": within,
    "floor": lambda x: Fraction(x // 1),
    "round": lambda x: Fraction((x + Fraction(1, 2)) // 1),
    **SMOOTH,
}


def mean(x):
    return sum(x) / Fraction(len(x))


def cov(x, y):
    of_x, of_y = mean(x), mean(y)
    return mean([(a - of_x) * (b - of_y) for a, b in zip(x, y)])


def quantile(x, q):
    return sorted(x)[min(max(-(-q * len(x) // 1), 1), len(x)) - 1]


def ratio(a, b):
    return None if b == 0 else a / b


def mean_where(y, c):
    return ratio(sum(a for a, holds in zip(y, c) if holds), Fraction(sum(holds != 0 for holds in c)))


def correlation(x, y):
    spread = cov(x, x) * cov(y, y)
    # By far more digits than a double has, as finished results are computed.
    spread = decimal.Decimal(spread.numerator) / decimal.Decimal(spread.denominator)
    return None if spread == 0 else cov(x, y) / Fraction(spread.sqrt())


def solve(matrix, right):
    """Gaussian elimination; None if it's singular."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for at in range(len(rows)):
        pivot = next((row for row in range(at, len(rows)) if rows[row][at]), None)
        if pivot is None:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for other in range(len(rows)):
            if other != at:
                factor = rows[other][at]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[at])]
    return [row[-1] for row in rows]


class Program:
    def __init__(self, request):
        self.columns, self.rows = read(request)
        self.values, self.outputs, self.weights = {}, [], request["weights"]
        assignments = list(Parser(request["program"]).program())
        names = {}
        for name, tree in assignments:
            names[name] = tree
        self.trees = names
        for name, tree in assignments:
            if not name.startswith("_"):
                self.output(name, self.assigned(name))

    def output(self, name, value):
        if isinstance(value, Outputs):
            self.outputs += [[name + suffix, shown(result)] for suffix, result in value]
        elif isinstance(value, Text):
            self.outputs.append([name, {"texts": value.texts}])
        else:
            self.outputs.append([name, shown(value)])

    def assigned(self, name):
        if name not in self.values:
            self.values[name] = self.value(self.trees[name])
        return self.values[name]

    def column(self, name):
        if name not in self.columns:
            return Dropped([Fraction(0)] * self.rows)
        return self.columns[name]

    def number(self, tree):
        """A column or number."""
        value = self.value(tree)
        if isinstance(value, (Text, str)):
            raise Refuse("text where a number is needed")
        if isinstance(value, Outputs):
            if value.value is None:
                raise Refuse("what is an output only, in an expression")
            return value.value
        return value

    def rowwise(self, function, values):
        if not any(isinstance(value, list) for value in values):
            return function(*values)
        columns = [value if isinstance(value, list) else [value] * self.rows for value in values]
        return [function(*row) for row in zip(*columns)]

    def of_rows(self, tree):
        value = self.number(tree)
        return value if isinstance(value, list) else [value] * self.rows

    def value(self, tree):
        kind = tree[0]
        if kind in ("number", "text"):
            return tree[1]
        if kind == "column" or kind == "name" and tree[1] not in self.trees:
            return self.column(tree[1])
        if kind == "name":
            return self.assigned(tree[1])
        if kind == "not":
            return self.rowwise(lambda a: Fraction(a == 0), [self.number(tree[1])])
        if kind == "call":
            return self.call(tree[1], tree[2])
        if kind in ("==", "!="):
            sides = [self.value(side) for side in tree[1:]]
            if any(isinstance(side, (Text, str)) for side in sides):
                return self.texts(kind, sides)
        return self.rowwise(BINARY[kind], [self.number(side) for side in tree[1:]])

    def texts(self, operator, sides):
        if any(isinstance(side, Dropped) for side in sides):
            return [Fraction(0)] * self.rows
        if not all(isinstance(side, (Text, str)) for side in sides):
            raise Refuse("text compared with a number")
        rows = [side.texts if isinstance(side, Text) else [side] * self.rows for side in sides]
        return [Fraction((a == b) == (operator == "==")) for a, b in zip(*rows)]

    def call(self, name, trees):
        if name in ("min", "max") and len(trees) == 1:
            return {"min": min, "max": max}[name](self.of_rows(trees[0]))
        if name in ("min", "max"):
            best = {"min": min, "max": max}[name]
            return self.rowwise(lambda *row: best(row), [self.number(tree) for tree in trees])
        if name == "table":
            entries = [self.number(tree) for tree in trees[1][1]]
            return self.rowwise(lambda x: entry(entries, x), [self.number(trees[0])])
        if name == "table2":
            entries = [[self.number(tree) for tree in row[1]] for row in trees[2][1]]
            return self.rowwise(lambda x, y: entry(entries, x, y), [self.number(tree) for tree in trees[:2]])
        if name == "dot" and trees[0][0] == "list":
            pairs = zip(trees[0][1], trees[1][1])
            products = [self.rowwise(BINARY["*"], [self.number(a), self.number(b)]) for a, b in pairs]
            return self.rowwise(lambda *row: sum(row), products)
        if name == "linear":
            terms = [(1 if of == "bias" else self.column(of), Fraction(weight)) for of, weight in self.weights]
            return self.rowwise(lambda *row: sum(x * weight for x, (_, weight) in zip(row, terms)), [x for x, _ in terms])
        if name == "where":
            return self.where(*trees)
        if name in ROWWISE:
            return self.rowwise(ROWWISE[name], [self.number(tree) for tree in trees])
        return self.statistic(name, trees)

    def where(self, condition, *branches):
        of_rows = self.of_rows(condition)
        is_comparison = condition[0] in ("<", "<=", ">", ">=", "==", "!=")
        sides = [self.value(side) for side in condition[1:]] if is_comparison else []
        if sides and not any(isinstance(side, (Text, str)) for side in sides):
            # Sides that differ by a constant are compared when the program is read, and a branch that's never taken is left out.
            differences = {a - b for a, b in zip(*(self.of_rows(side) for side in condition[1:]))}
            if len(differences) == 1:
                branches = [branches[0 if of_rows[0] else 1]] * 2
        return self.rowwise(lambda c, a, b: a if c != 0 else b, [of_rows, *(self.number(tree) for tree in branches)])

    def statistic(self, name, trees):
        of = [self.of_rows(tree) for tree in trees[:2] if tree[0] != "list"]
        constants = [self.number(tree) for tree in trees[1:] if tree[0] == "number"]
        if name == "sum":
            return sum(of[0])
        if name == "count":
            return Fraction(sum(value != 0 for value in of[0]))
        if name == "mean":
            return mean(of[0])
        if name == "var":
            return cov(of[0], of[0])
        if name == "cov":
            return cov(*of)
        if name == "dot":
            return sum(a * b for a, b in zip(*of))
        if name == "quantile":
            return quantile(of[0], self.number(trees[1]))
        if name == "std":
            if len(constants) == 2:
                within(root(cov(of[0], of[0])), *constants)
            return finished(root(cov(of[0], of[0])))
        if name == "corr":
            if len(constants) == 2:
                [within(root(cov(x, x)), *constants) for x in of]
            return finished(correlation(*of))
        if name == "mean_where":
            return finished(mean_where(*of), False)
        if name == "ratio":
            return finished(ratio(*(self.number(tree) for tree in trees)), False)
        if name == "histogram":
            lo, hi = (int(self.number(tree)) for tree in trees[1:])
            sign = lambda value: "_minus_" if value < 0 else "_"
            counts = [(f"{sign(k)}{abs(k)}", Fraction(sum(x // 1 == k for x in of[0]))) for k in range(lo, hi + 1)]
            return Outputs(counts)
        if name == "least_squares":
            return self.least_squares(of[0], trees[1][1])
        raise Refuse(f"no function {name}")

    def least_squares(self, y, trees):
        columns = [self.of_rows(tree) for tree in trees]
        names = ["_intercept"]
        for place, tree in enumerate(trees, 1):
            name = "_" + tree[1] if tree[0] in ("name", "column") and tree[1] in self.columns else None
            plain = name and re.match(r"\w+$", tree[1]) and name not in names
            names.append(name if plain else f"_{place}")
        solved = solve([[cov(a, b) for b in columns] for a in columns], [cov(a, y) for a in columns])
        if solved is None:
            return Outputs((name, None) for name in names)
        intercept = mean(y) - sum(k * mean(x) for k, x in zip(solved, columns))
        return Outputs(zip(names, [intercept, *solved]))


def finished(value, is_value=True):
    result = Outputs([("", value)])
    result.value = value if is_value else None
    return result


def shown(value):
    return [str(row) for row in value] if isinstance(value, list) else None if value is None else str(value)


def answer(request):
    try:
        return {"outputs": Program(request).outputs}
    except Refuse as why:
        return {"refuse": str(why)}
    except (decimal.Overflow, OverflowError) as why:
        return {"refuse": f"beyond all numbers: {why}"}
    except Exception:  # Whatever it is, the test has to hear of it.
        return {"crash": traceback.format_exc()}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
