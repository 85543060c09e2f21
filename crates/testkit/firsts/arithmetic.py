"""Tables as exact fractions, and the functions that the right results are computed by."""

import csv
import datetime
import decimal
import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
MISSING = {"", "NA"}
decimal.getcontext().prec = 50


class Row(dict):
    """One row of a table; `row.name` is `row["name"]`."""

    __getattr__ = dict.__getitem__


class Table(list):
    """The rows of a table; `table.name` is the list of a column."""

    def __getattr__(self, name):
        return [row[name] for row in self]

    def without_gaps(self, *names):
        """Returns the rows without a missing value in these columns."""
        return Table(row for row in self if all(row[name] is not None for name in names))


def cell(text):
    if text in MISSING:
        return None
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        return Fraction(text)
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return datetime.date.fromisoformat(text)
    return text


def read_table(name):
    with open(HERE / "tables" / f"{name}.csv", newline="") as file:
        return Table(Row((k, cell(v)) for k, v in row.items()) for row in csv.DictReader(file))


def real(x):
    if isinstance(x, Decimal):
        return x
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


def mean(values):
    values = list(values)
    return Fraction(sum(values)) / len(values)


def share(values):
    """Returns the part of the values that are true."""
    values = list(values)
    return Fraction(sum(1 for v in values if v), len(values))


def cov(x, y):
    mx, my = mean(x), mean(y)
    return mean((a - mx) * (b - my) for a, b in zip(x, y))


def var(values):
    """Returns the variance of the population."""
    values = list(values)
    return cov(values, values)


def sample_var(values):
    values = list(values)
    return var(values) * len(values) / (len(values) - 1)


def sqrt(x):
    return real(x).sqrt()


def std(values):
    """Returns the deviation of the population."""
    return sqrt(var(values))


def sample_std(values):
    return sqrt(sample_var(values))


def corr(x, y):
    return real(cov(x, y)) / sqrt(var(x) * var(y))


def ln(x):
    return real(x).ln()


def log10(x):
    return real(x).log10()


def log2(x):
    return real(x).ln() / Decimal(2).ln()


def exp(x):
    return real(x).exp()


def power(x, y):
    return (real(y) * ln(x)).exp()


def sigmoid(x):
    return 1 / (1 + exp(-x))


def tanh(x):
    return 1 - 2 / (exp(2 * x) + 1)


def cbrt(x):
    return power(x, Fraction(1, 3)) if x > 0 else -power(-x, Fraction(1, 3))


def rank_quantile(values, q):
    """Returns the value of rank ⌈q·rows⌉, as docs/programs.md defines `quantile`."""
    values = sorted(values)
    return values[max(math.ceil(Fraction(q) * len(values)), 1) - 1]


def linear_quantile(values, q):
    """Returns the quantile of pandas, R and QUARTILE.INC: linear between two ranks."""
    values = sorted(values)
    position = Fraction(q) * (len(values) - 1)
    low = math.floor(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (position - low) * (values[high] - values[low])


def median(values):
    return linear_quantile(values, Fraction(1, 2))


def round_up(x, places=0):
    """Rounds to the nearest, halves up: `round` of docs/programs.md."""
    return Fraction(math.floor(Fraction(x) * 10**places + Fraction(1, 2))) / 10**places


def round_away(x, places=0):
    """Rounds to the nearest, halves away from zero: ROUND of SQL and Excel."""
    return -round_up(-x, places) if x < 0 else round_up(x, places)


def round_even(x, places=0):
    """Rounds to the nearest, halves to even: `round` of pandas and R."""
    return Fraction(round(Fraction(x) * 10**places)) / 10**places


def slope(y, x):
    return cov(x, y) / var(x)


def intercept(y, x):
    return mean(y) - slope(y, x) * mean(x)
