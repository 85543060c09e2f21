"""The right answers of programs on tables, in exact fractions, by nothing of the planner's.

Reads one JSON object a line, {"program", "csv", "missing", "columns", "doubles", "weights"}, and writes one: {"outputs": [[name, values]]}
with fractions as text, null for what is missing, a list for a column; {"refuse": why} for what has no answer; or {"crash": why}.
"""

import datetime
import decimal
import json
import re
import sys
import traceback
from fractions import Fraction

MISSING = {"", "NA", "N/A", "NaN", "nan", "null", "None", "?"}
NUMBER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)$", re.ASCII)
PLAIN = re.compile(r"[-+]?(\d+)?\.?(\d*)$", re.ASCII)
CONTEXT = decimal.Context(prec=70, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
decimal.setcontext(CONTEXT)
sys.set_int_max_str_digits(0)
sys.setrecursionlimit(20000)


class Refuse(Exception):
    """There's no answer: the program or a row has to be refused."""


# Tables


def records(text):
    """Rows of (text, quoted) cells, with the line on which each begins."""
    head = re.sub(r'"[^"]*"', "", text.split("\n", 1)[0])
    comma = max(",;\t", key=head.count)
    row, at, line, begun = [], 0, 1, 1
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while True:
                end = text.find('"', end)
                if end < 0:
                    raise Refuse("a quote that isn't closed")
                if text[end + 1 : end + 2] != '"':
                    break
                end += 2
            cell, quoted, end = text[at + 1 : end].replace('""', '"'), True, end + 1
            line += cell.count("\n")
        else:
            end = at
            while end < len(text) and text[end] not in comma + "\n":
                end += 1
            cell, quoted = text[at:end], False
        row.append((cell.strip(), quoted))
        at = end + 1
        if end >= len(text) or text[end] == "\n":
            yield begun, row
            line += 1
            row, begun = [], line
        elif at >= len(text):
            row.append(("", False))
            yield begun, row


def number(text):
    """The number that a cell is, or None."""
    if not NUMBER.match(text):
        return None
    sign, magnitude = (-1 if text[0] == "-" else 1), text.lstrip("+-")
    return sign * (Fraction(int(magnitude, 16)) if magnitude[:2] in ("0x", "0X") else Fraction(magnitude))


def date(text):
    try:
        parsed = datetime.date.fromisoformat(text) if re.match(r"\d{4}-\d\d-\d\d$", text) else None
    except ValueError:
        return None
    return parsed and Fraction((parsed - datetime.date(1970, 1, 1)).days)


def truth(text):
    return {"true": Fraction(1), "false": Fraction(0)}.get(text.lower())


class Text:
    """A column of text."""

    def __init__(self, texts):
        self.texts = texts


def read(request):
    """The columns, and the number of rows."""
    lines = list(records(request["csv"].replace("\r\n", "\n")))
    names = [cell for cell, _ in lines[0][1]]
    body = lines[1:]
    while body and len(names) > 1 and body[-1][1] == [("", False)]:
        body.pop()
    for line, row in body:
        if len(row) != len(names):
            raise Refuse(f"line {line} has {len(row)} cells")
    policy, wanted = request["missing"], request["columns"]
    cells = {name: [row[names.index(name)] for _, row in body] for name in wanted}
    is_text = {}
    for name, column in cells.items():
        known = [cell for cell, quoted in column if cell not in MISSING or quoted and cell]
        numbers = all(map(NUMBER.match, known))
        zeros = any(re.match(r"[-+]?0\d", cell) for cell in known)
        is_text[name] = bool(known) and not (
            numbers and not zeros or all(map(date, known)) or all(truth(c) is not None for c in known)
        )

    def misses(name, row):
        cell, quoted = cells[name][row]
        return cell == "" or cell in MISSING and not (quoted and is_text[name])

    rows = list(range(len(body)))
    if policy == "mask":
        rows = [row for row in rows if not any(misses(name, row) for name in wanted)]
        if not rows:
            raise Refuse("no row is left")
    if not rows:
        raise Refuse("there are no rows")
    columns = {}
    for name in wanted:
        gaps = [misses(name, row) for row in rows]
        if any(gaps) and (policy == "refuse" or is_text[name]):
            raise Refuse(f"a value of {name} is missing")
        texts = [cells[name][row][0] for row in rows]
        if is_text[name]:
            columns[name] = Text(texts)
            continue
        values, places = [], 0
        for gap, text in zip(gaps, texts):
            value = Fraction(0) if gap else next((v for f in (number, date, truth) if (v := f(text)) is not None), None)
            if value is None:
                raise Refuse(f"{text} in a column of other kinds")
            if not gap and (plain := PLAIN.match(text)):
                places = max(places, len(plain[2]) if "." in text else 0)
            if name in request["doubles"]:
                value = Fraction(float(value))
            values.append(value)
        if any(gaps) and policy == "mean":
            known = [value for gap, value in zip(gaps, values) if not gap]
            if not known:
                raise Refuse("a mean of no values")
            mean = sum(known) / len(known)
            if name not in request["doubles"]:
                unit = 1 if all(value.denominator == 1 for value in known) else 10**places
                mean = Fraction((abs(mean) * unit * 2 + 1) // 2 * (1 if mean > 0 else -1), unit)
            values = [mean if gap else value for gap, value in zip(gaps, values)]
        columns[name] = values
    return columns, len(rows)


# The language

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+|\#[^\n]*|\\\r?\n)|(?P<line>\n)|(?P<column>`[^`\n]*`)|(?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
    |(?P<number>0[xX][0-9a-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?)|(?P<name>@?[^\W\d]\w*)
    |(?P<sign>\*\*|//|<=|>=|==|!=|[-+*/%<>=()\[\],])""",
    re.X,
)


def tokens(text):
    at, depth = 0, 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Refuse(f"unexpected {text[at]}")
        kind, word, at = match.lastgroup, match[0], match.end()
        depth += (word in ("(", "[")) - (word in (")", "]")) if kind == "sign" else 0
        if kind == "space" or kind == "line" and depth:
            continue
        yield kind, word
    yield "line", "\n"


class Parser:
    """Trees of tuples: (operator, operands…)."""

    def __init__(self, text):
        self.tokens, self.at = list(tokens(text)), 0

    def next_is(self, *words):
        kind, word = self.tokens[self.at]
        return kind in ("sign", "name") and word in words

    def take(self, *words):
        if not self.next_is(*words):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, word):
        if not self.take(word):
            raise Refuse(f"{word} was expected, not {self.tokens[self.at][1]!r}")

    def program(self):
        while self.at < len(self.tokens):
            kind, word = self.tokens[self.at]
            self.at += 1
            if kind == "line":
                continue
            self.need("=")
            yield word, self.choice()
            if self.tokens[self.at][0] != "line":
                raise Refuse(f"{self.tokens[self.at][1]} after an expression")

    def choice(self):
        chosen = self.either()
        if not self.take("if"):
            return chosen
        condition = self.either()
        self.need("else")
        return ("call", "where", [condition, chosen, self.choice()])

    def binary(self, operators, operand):
        left = operand()
        while sign := self.take(*operators):
            left = (sign, left, operand())
        return left

    def either(self):
        return self.binary(("or",), self.both)

    def both(self):
        return self.binary(("and",), self.neither)

    def neither(self):
        return ("not", self.neither()) if self.take("not") else self.comparisons()

    def comparisons(self):
        left, all_hold = self.sum(), None
        while sign := self.take("<", "<=", ">", ">=", "==", "!="):
            right = self.sum()
            holds = (sign, left, right)
            all_hold = ("and", all_hold, holds) if all_hold else holds
            left = right
        return all_hold or left

    def sum(self):
        return self.binary(("+", "-"), self.product)

    def product(self):
        return self.binary(("*", "/", "//", "%"), self.signed)

    def signed(self):
        if self.take("-"):
            return ("-", ("number", Fraction(0)), self.signed())
        return self.signed() if self.take("+") else self.power()

    def power(self):
        base = self.atom()
        return ("**", base, self.signed()) if self.take("**") else base

    def items(self, close):
        items = []
        while not self.take(close):
            items.append(self.choice())
            if not self.take(","):
                self.need(close)
                break
        return items

    def atom(self):
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            word = word.replace("_", "")
            return ("number", Fraction(int(word, 16)) if word[:2] in ("0x", "0X") else Fraction(word))
        if kind == "column":
            return ("column", word[1:-1].strip())
        if kind == "text":
            return ("text", re.sub(r"\\(.)", r"\1", word[1:-1]))
        if kind == "name":
            return ("call", word, self.items(")")) if self.take("(") else ("name", word)
        if word == "(":
            value = self.choice()
            self.need(")")
            return value
        if word == "[":
            return ("list", self.items("]"))
        raise Refuse(f"a value was expected, not {word!r}")


# Values: a Fraction, a list of one a row, Text, or what is an output only: a list of ("_suffix" or "", Fraction or None).


class Dropped(list):
    """Zeros for a column that no output needs, such as that of `(t == 'a') * (x - x)`; it may be one of text."""


class Outputs(list):
    """What is an output only, with the number that it's in an expression."""

    value = None


def smooth(function):
    def of(x):
        return Fraction(function(decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator)))

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


SMOOTH = {
    "sigmoid": smooth(lambda x: 1 / (1 + (-x).exp())),
    "exp": smooth(lambda x: x.exp()),
    "tanh": smooth(tanh),
    "log": above_zero(lambda x: x.ln()),
    "sqrt": above_zero(lambda x: x.sqrt()),
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
    if not lo <= x <= hi:
        raise Refuse("an assumption that doesn't hold")
    return x


def root(x):
    return Fraction(0) if x == 0 else SMOOTH["sqrt"](x)


ROWWISE = {
    "where": lambda c, a, b: a if c != 0 else b,
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
    return None if spread == 0 else cov(x, y) / root(spread)


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
        if name in ROWWISE:
            return self.rowwise(ROWWISE[name], [self.number(tree) for tree in trees])
        return self.statistic(name, trees)

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
            counts = [(f"{sign(k)}{abs(k)}", Fraction(sum(x == k for x in of[0]))) for k in range(lo, hi + 1)]
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
