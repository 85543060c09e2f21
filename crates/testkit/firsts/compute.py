#!/usr/bin/env python3
"""Computes the right results of the programs in sql.txt, pandas.txt, dplyr.txt and excel.txt, and checks those files.

Needs Python 3.11. Columns are exact fractions, and functions with irrational results have 50 digits. If duckdb and pandas are
installed, the lines `from:` of sql.txt and pandas.txt are run too, and their results compared with the expected ones.

    python3 compute.py            checks the files: "300 programs, 0 differ"
    python3 compute.py --write    writes the results into the files
"""

import csv
import datetime
import decimal
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = ["sql", "pandas", "dplyr", "excel"]
MISSING = {"", "NA"}
RESULTS = ("kind", "expect", "tool")
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


# The right results: for each program and output a function of the table. `tool NAME` is what the user's tool means by the same word,
# if that differs from docs/programs.md.
PROGRAMS = {
    "sql": {
        "A computed column in SELECT": {
            "amount": lambda t: [r.quantity * r.price for r in t],
        },
        "Amount with discount": {
            "net": lambda t: [r.quantity * r.price * (1 - r.discount) for r in t],
        },
        "COUNT(*)": {
            "n": lambda t: len(t),
        },
        "COUNT with empty brackets": {
            "n": lambda t: len(t),
        },
        "COUNT of a column counts its rows": {
            "n": lambda t: len(t),
        },
        "COUNT of a column with zeros": {
            "n": lambda t: sum(1 for r in t if r.transactions != 0),
            "tool n": lambda t: len(t),
        },
        "COUNT with WHERE": {
            "adults": lambda t: sum(r.age >= 18 for r in t),
        },
        "COUNT DISTINCT of numbers": {
            "customers": lambda t: len(set(t.customer)),
        },
        "COUNT DISTINCT as SQL writes it": {
            "regions": lambda t: len(set(t.region)),
        },
        "SUM of a money column": {
            "total": lambda t: sum(t.price),
        },
        "SUM of a product": {
            "revenue": lambda t: sum(r.quantity * r.price for r in t),
        },
        "SUM with cents beside a thousand million": {
            "total": lambda t: sum(t.balance),
        },
        "AVG": {
            "average": lambda t: mean(t.age),
        },
        "AVG that does not end": {
            "average": lambda t: mean(t.transactions),
        },
        "AVG of large amounts with cents": {
            "average": lambda t: mean(t.balance),
        },
        "MIN and MAX of small numbers": {
            "least": lambda t: min(t.n),
            "most": lambda t: max(t.n),
        },
        "MIN and MAX of prices": {
            "cheapest": lambda t: min(t.price),
            "dearest": lambda t: max(t.price),
        },
        "MIN and MAX of large whole numbers": {
            "lo": lambda t: min(t.big),
            "hi": lambda t: max(t.big),
        },
        "MAX of a date": {
            "last": lambda t: max(t.ordered),
        },
        "CASE WHEN with three ranges": {
            "band": lambda t: [0 if r.age < 18 else 1 if r.age < 65 else 2 for r in t],
        },
        "CASE WHEN written out": {
            "adult": lambda t: [r.age >= 18 for r in t],
        },
        "CASE as a nested where": {
            "rebate": lambda t: [Fraction("0.15") if r.quantity >= 100 else Fraction("0.05") if r.quantity >= 10 else 0 for r in t],
        },
        "CASE inside SUM": {
            "paid": lambda t: sum(r.quantity * r.price for r in t if r.status == "paid"),
        },
        "SUM of a CASE with a single equals sign": {
            "open_orders": lambda t: sum(r.status == "open" for r in t),
        },
        "COUNT with AND": {
            "n": lambda t: sum(r.region == "North" and r.quantity > 2 for r in t),
        },
        "COUNT with OR and capital words": {
            "n": lambda t: sum(r.region == "West" or r.price >= Fraction("49.5") for r in t),
        },
        "NOT with a comparison": {
            "n": lambda t: sum(not r.age < 18 for r in t),
        },
        "NOT of a truth column": {
            "active": lambda t: sum(not r.blocked for r in t),
        },
        "BETWEEN as a keyword": {
            "n": lambda t: sum(18 <= r.age <= 65 for r in t),
        },
        "BETWEEN as a chain of comparisons": {
            "n": lambda t: sum(Fraction("1.25") <= r.price <= Fraction("49.5") for r in t),
        },
        "BETWEEN of negative bounds": {
            "n": lambda t: sum(-1000 <= r.balance <= 0 for r in t),
        },
        "IN with texts": {
            "n": lambda t: sum(r.city in ("Berlin", "Rome") for r in t),
        },
        "IN with numbers": {
            "n": lambda t: sum(r.customer in (3, 7, 9) for r in t),
        },
        "NOT IN": {
            "n": lambda t: sum(r.status not in ("paid", "open") for r in t),
        },
        "Not equal with <>": {
            "n": lambda t: sum(r.customer != 3 for r in t),
        },
        "Not equal with != on text": {
            "n": lambda t: sum(r.status != "paid" for r in t),
        },
        "Text comparison minds the case": {
            "n": lambda t: sum(r.city == "Paris" for r in t),
        },
        "LOWER to compare without case": {
            "n": lambda t: sum(r.city.lower() == "paris" for r in t),
        },
        "LIKE with a prefix": {
            "n": lambda t: sum(r.product.startswith("b") for r in t),
        },
        "Text in double quotes": {
            "income_f": lambda t: sum(r.income for r in t if r.sex == "F"),
        },
        "Rows after a date": {
            "n": lambda t: sum(r.ordered >= datetime.date(2024, 3, 31) for r in t),
        },
        "A date in quotes": {
            "n": lambda t: sum(r.ordered < datetime.date(2024, 7, 1) for r in t),
        },
        "Rows of one quarter": {
            "q1": lambda t: sum(datetime.date(2024, 1, 1) <= r.ordered <= datetime.date(2024, 3, 31) for r in t),
        },
        "Difference of two dates": {
            "days": lambda t: [(r.shipped - r.ordered).days for r in t],
        },
        "AVG of a date difference": {
            "mean_days": lambda t: mean((r.shipped - r.ordered).days for r in t),
        },
        "DATEDIFF": {
            "late": lambda t: sum((r.shipped - r.ordered).days > 7 for r in t),
        },
        "YEAR of a date": {
            "n": lambda t: sum(r.ordered.year == 2024 for r in t),
        },
        "Days since a fixed date": {
            "idle": lambda t: [(datetime.date(2024, 6, 1) - r.last_used).days for r in t],
        },
        "Share of rows as in HAVING": {
            "share": lambda t: share(r.status == "paid" for r in t),
        },
        "Share as COUNT over COUNT": {
            "share": lambda t: share(r.status == "paid" for r in t),
        },
        "Percentage with 100.0": {
            "percent": lambda t: 100 * share(t.member),
        },
        "HAVING as a comparison of a sum": {
            "enough": lambda t: sum(r.quantity for r in t if r.region == "North") > 50,
        },
        "AVG with WHERE": {
            "income_berlin": lambda t: mean(r.income for r in t if r.city == "Berlin"),
        },
        "AVG with WHERE as a second argument": {
            "weight_m": lambda t: mean(r.weight for r in t if r.sex == "M"),
        },
        "SUM with WHERE as a second argument": {
            "pens": lambda t: sum(r.quantity for r in t if r.product == "pen"),
        },
        "SUM with a where clause behind it": {
            "single": lambda t: sum(r.price for r in t if r.quantity == 1),
        },
        "GROUP BY with one line for each group": {
            "north": lambda t: sum(r.region == "North" for r in t),
            "south": lambda t: sum(r.region == "South" for r in t),
            "west": lambda t: sum(r.region == "West" for r in t),
            "east": lambda t: sum(r.region == "east" for r in t),
        },
        "Integer division with //": {
            "packs": lambda t: [r.quantity // 5 for r in t],
        },
        "Division by a constant with /": {
            "packs": lambda t: [r.quantity / 5 for r in t],
        },
        "Integer division of negative numbers": {
            "halves": lambda t: [r.n // 2 for r in t],
            "tool halves": lambda t: [int(r.n / 2) for r in t],
        },
        "Modulo for even numbers": {
            "even": lambda t: sum(r.quantity % 2 == 0 for r in t),
        },
        "MOD as a function": {
            "bucket": lambda t: [r.id % 7 for r in t],
        },
        "Modulo of negative numbers": {
            "rest": lambda t: [r.n % 5 for r in t],
            "tool rest": lambda t: [r.n - 5 * int(r.n / 5) for r in t],
        },
        "ROUND to cents": {
            "gross": lambda t: [round_away(r.price * Fraction("1.19"), 2) for r in t],
        },
        "ROUND to whole numbers": {
            "kilos": lambda t: [round_up(r.weight) for r in t],
        },
        "ROUND of an average": {
            "average": lambda t: round_away(mean(t.age), 1),
        },
        "COALESCE of a gap": {
            "income0": lambda t: [r.income or 0 for r in t],
        },
        "SUM skips NULL": {
            "total": lambda t: sum(t.without_gaps("income").income),
        },
        "COUNT of NULL": {
            "unknown": lambda t: sum(r.age is None for r in t),
        },
        "AVG of two columns with gaps": {
            "mean_age": lambda t: mean(t.without_gaps("age", "income").age),
            "mean_income": lambda t: mean(t.without_gaps("age", "income").income),
        },
        "GREATEST and LEAST": {
            "best": lambda t: [max(r.math, r.physics) for r in t],
            "worst": lambda t: [min(r.math, r.physics) for r in t],
        },
        "ABS and SIGN": {
            "size": lambda t: [abs(r.balance) for r in t],
            "direction": lambda t: [(r.balance > 0) - (r.balance < 0) for r in t],
        },
        "Overdrawn beyond the limit": {
            "over": lambda t: sum(r.balance <= -r.credit_limit for r in t),
        },
        "STDDEV_POP and VAR_POP": {
            "deviation": lambda t: std(t.age),
            "variance": lambda t: var(t.age),
        },
        "A condition of three parts": {
            "check": lambda t: [(r.balance < 0 or r.transactions == 0) and not r.blocked for r in t],
        },
    },
    "pandas": {
        "describe: count, mean, min, max": {
            "n": lambda t: len(t),
            "average": lambda t: mean(t.pclass),
            "low": lambda t: min(t.pclass),
            "high": lambda t: max(t.pclass),
        },
        "describe: std": {
            "fare_std": lambda t: std(t.fare),
            "tool fare_std": lambda t: sample_std(t.fare),
        },
        "describe: quartiles": {
            "q1": lambda t: rank_quantile(t.math, "0.25"),
            "q2": lambda t: rank_quantile(t.math, "0.5"),
            "q3": lambda t: rank_quantile(t.math, "0.75"),
        },
        "median of an odd number of rows": {
            "middle": lambda t: median(t.math),
        },
        "median of an even number of rows": {
            "middle": lambda t: median(t.age),
        },
        "quantile between two ranks": {
            "p90": lambda t: rank_quantile(t.age, "0.9"),
            "tool p90": lambda t: linear_quantile(t.age, "0.9"),
        },
        "var of decimals": {
            "v": lambda t: var(t.height),
            "tool v": lambda t: sample_var(t.height),
        },
        "var of numbers with a large offset": {
            "v": lambda t: var(t.pressure),
        },
        "var with ddof": {
            "v": lambda t: sample_var(t.credits),
        },
        "std of a constant column": {
            "s": lambda t: sqrt(var(t.price)),
        },
        "var around a thousand million": {
            "v": lambda t: var(t.big),
        },
        "corr of two columns": {
            "r": lambda t: corr(t.math, t.physics),
        },
        "corr of decimals that are anticorrelated": {
            "r": lambda t: corr(t.mpg, t.wt),
        },
        "cov": {
            "c": lambda t: cov(t.sepal_length, t.petal_length),
        },
        "query with one condition": {
            "children": lambda t: sum(r.age < 18 for r in t),
        },
        "query with and": {
            "women": lambda t: sum(r.age >= 18 and r.sex == "female" for r in t),
        },
        "query with an or of three": {
            "n": lambda t: sum(r.pclass == 1 or r.fare > 30 or r.embarked == "C" for r in t),
        },
        "query with a list": {
            "n": lambda t: sum(r.embarked in ("S", "Q") for r in t),
        },
        "query with a range": {
            "n": lambda t: sum(50 <= r.math < 75 for r in t),
        },
        "query that compares two columns": {
            "n": lambda t: sum(r.math > r.physics for r in t),
        },
        "A boolean mask with &": {
            "n": lambda t: sum(r.sex == "male" and r.survived == 1 for r in t),
        },
        "A boolean mask with | and ~": {
            "n": lambda t: sum(r.pclass == 3 or r.sex != "male" for r in t),
        },
        "The mean of a mask": {
            "share": lambda t: share(r.fare > 20 for r in t),
        },
        "The mean of the rows of a mask": {
            "rate": lambda t: mean(r.survived for r in t if r.sex == "female"),
        },
        "The mean of the rows of a mask, in brackets": {
            "fare1": lambda t: mean(r.fare for r in t if r.pclass == 1),
        },
        "The mean with a condition as an argument": {
            "m": lambda t: mean(r.petal_length for r in t if r.species == "setosa"),
        },
        "The sum of a mask times a column": {
            "volume_abc": lambda t: sum(r.volume for r in t if r.ticker == "ABC"),
        },
        "value_counts of a text": {
            "c": lambda t: sum(r.embarked == "C" for r in t),
            "q": lambda t: sum(r.embarked == "Q" for r in t),
            "s": lambda t: sum(r.embarked == "S" for r in t),
        },
        "value_counts of small numbers": {
            "p_1": lambda t: sum(r.pclass == 1 for r in t),
            "p_2": lambda t: sum(r.pclass == 2 for r in t),
            "p_3": lambda t: sum(r.pclass == 3 for r in t),
        },
        "value_counts by its name": {
            "n_4": lambda t: sum(r.cyl == 4 for r in t),
            "n_6": lambda t: sum(r.cyl == 6 for r in t),
            "n_8": lambda t: sum(r.cyl == 8 for r in t),
        },
        "value_counts with normalize": {
            "share": lambda t: share(r.species == "virginica" for r in t),
        },
        "nunique": {
            "kinds": lambda t: len(set(t.cyl)),
        },
        "where of a column": {
            "warm": lambda t: [r.celsius if r.celsius > 0 else 0 for r in t],
        },
        "np.where with two texts as numbers": {
            "ok": lambda t: [r.math >= 50 for r in t],
        },
        "np.where nested": {
            "grade": lambda t: [2 if r.math >= 75 else 1 if r.math >= 50 else 0 for r in t],
        },
        "A conditional expression": {
            "late": lambda t: [max(r.dep_delay, 0) for r in t],
        },
        "clip": {
            "c": lambda t: [min(max(r.physics, 20), 80) for r in t],
        },
        "clip of decimals with four places": {
            "c": lambda t: [min(max(r.fare, 8), 50) for r in t],
        },
        "clip with upper alone": {
            "c": lambda t: [min(r.dep_delay, 60) for r in t],
        },
        "clip with lower alone": {
            "c": lambda t: [max(r.balance, 0) for r in t],
        },
        "cut with edges": {
            "band": lambda t: [0 if r.age <= 17 else 1 if r.age <= 40 else 2 for r in t],
        },
        "cut as a sum of comparisons": {
            "band": lambda t: [(r.age >= 18) + (r.age >= 65) for r in t],
        },
        "map of categories": {
            "code": lambda t: [{"C": 1, "Q": 2, "S": 3}[r.embarked] for r in t],
        },
        "map with a dictionary": {
            "female": lambda t: [r.sex == "female" for r in t],
        },
        "Category codes": {
            "code": lambda t: [["setosa", "versicolor", "virginica"].index(r.species) for r in t],
        },
        "get_dummies": {
            "gear3": lambda t: [r.gear == 3 for r in t],
            "gear4": lambda t: [r.gear == 4 for r in t],
            "gear5": lambda t: [r.gear == 5 for r in t],
        },
        "z-scores": {
            "z": lambda t: [real(r.math - mean(t.math)) / std(t.math) for r in t],
        },
        "z-scores of decimals with a large offset": {
            "m": lambda t: mean(t.pressure),
            "s": lambda t: std(t.pressure),
            "z": lambda t: [real(r.pressure - mean(t.pressure)) / std(t.pressure) for r in t],
        },
        "Coefficient of variation": {
            "cv": lambda t: std(t.hp) / real(mean(t.hp)),
        },
        "Min-max scaling": {
            "scaled": lambda t: [(r.physics - min(t.physics)) / (max(t.physics) - min(t.physics)) for r in t],
        },
        "Range of a column": {
            "spread": lambda t: max(t.credits) - min(t.credits),
        },
        "Difference from the mean": {
            "above": lambda t: [r.mpg - mean(t.mpg) for r in t],
        },
        "Percentage of the total": {
            "pct": lambda t: [r.hp / sum(t.hp) * 100 for r in t],
        },
        "Percentage change of two columns": {
            "change": lambda t: [(r.close - r.open) / r.open * 100 for r in t],
        },
        "Ratio of two columns": {
            "r": lambda t: [r.petal_length / r.petal_width for r in t],
        },
        "Weighted mean": {
            "vwap": lambda t: sum(r.close * r.volume for r in t) / sum(t.volume),
        },
        "groupby of one group: sum": {
            "first": lambda t: sum(r.survived for r in t if r.pclass == 1),
            "second": lambda t: sum(r.survived for r in t if r.pclass == 2),
            "third": lambda t: sum(r.survived for r in t if r.pclass == 3),
        },
        "groupby of one group: mean": {
            "setosa": lambda t: mean(r.sepal_length for r in t if r.species == "setosa"),
            "versicolor": lambda t: mean(r.sepal_length for r in t if r.species == "versicolor"),
            "virginica": lambda t: mean(r.sepal_length for r in t if r.species == "virginica"),
        },
        "groupby of one group: difference of two means": {
            "gap": lambda t: mean(r.survived for r in t if r.sex == "female") - mean(r.survived for r in t if r.sex == "male"),
        },
        "groupby of one group: max": {
            "highest": lambda t: max(r.close for r in t if r.ticker == "ABC"),
        },
        "groupby of one group: std": {
            "s": lambda t: std([r.mpg for r in t if r.am == 0]),
        },
        "isna": {
            "gaps": lambda t: sum(r.income is None for r in t),
        },
        "mean of a column with gaps": {
            "m": lambda t: mean(t.without_gaps("income").income),
        },
        "fillna with the mean": {
            "total": lambda t: sum(r.income if r.income is not None else mean(t.without_gaps("income").income) for r in t),
        },
        "Days between two dates": {
            "age_days": lambda t: [(r.last_used - r.opened).days for r in t],
        },
        "Age in years from days": {
            "years": lambda t: [Fraction((r.end - r.start).days) / Fraction("365.25") for r in t],
        },
        "Rows of one month": {
            "february": lambda t: sum(datetime.date(2024, 2, 1) <= r.ordered < datetime.date(2024, 3, 1) for r in t),
        },
        "Weekday": {
            "weekday": lambda t: [r.ordered.weekday() for r in t],
        },
        "np.log": {
            "y": lambda t: [ln(r.age) for r in t],
        },
        "np.log1p of a column with zeros": {
            "y": lambda t: [ln(1 + r.fare) for r in t],
        },
        "np.sqrt of large numbers": {
            "y": lambda t: [sqrt(r.big) for r in t],
        },
        "Body mass index as a condition": {
            "heavy": lambda t: [r.weight / r.height**2 >= 25 for r in t],
            "tool heavy": lambda t: [float(r.weight) / float(r.height) ** 2 >= 25 for r in t],
        },
        "round to one place": {
            "area": lambda t: [round_up(r.sepal_length * r.sepal_width, 1) for r in t],
            "tool area": lambda t: [round_even(r.sepal_length * r.sepal_width, 1) for r in t],
        },
        "Squared error": {
            "mse": lambda t: mean((r.math - r.physics) ** 2 for r in t),
        },
        "any and all": {
            "baby": lambda t: any(r.age < 1 for r in t),
            "everyone_paid": lambda t: all(r.fare > 0 for r in t),
        },
    },
    "dplyr": {
        "mutate with a product": {
            "work": lambda t: [r.hp * r.wt for r in t],
        },
        "mutate that uses a new column": {
            "gain": lambda t: [r.dep_delay - r.arr_delay for r in t],
            "gain_per_hour": lambda t: [(r.dep_delay - r.arr_delay) / (r.air_time / 60) for r in t],
        },
        "mutate with units": {
            "l_per_100km": lambda t: [Fraction("235.215") / r.mpg for r in t],
        },
        "mutate with Fahrenheit": {
            "fahrenheit": lambda t: [r.celsius * 9 / 5 + 32 for r in t],
        },
        "The assignment arrow": {
            "area": lambda t: [r.petal_length * r.petal_width for r in t],
        },
        "summarise with mean": {
            "m": lambda t: mean(t.mpg),
        },
        "summarise with n": {
            "n": lambda t: len(t),
        },
        "filter and n": {
            "late": lambda t: sum(r.dep_delay > 0 for r in t),
        },
        "filter with two conditions and a comma": {
            "n": lambda t: sum(r.origin == "JFK" and r.arr_delay <= 0 for r in t),
        },
        "filter with &": {
            "n": lambda t: sum(r.origin == "EWR" and r.distance > 1000 for r in t),
        },
        "filter with | and !": {
            "n": lambda t: sum(not r.cancelled or r.distance < 1000 for r in t),
        },
        "filter with %in%": {
            "n": lambda t: sum(r.carrier in ("UA", "DL") for r in t),
        },
        "filter with in and a list": {
            "n": lambda t: sum(r.cyl in (4, 6) for r in t),
        },
        "filter and summarise a mean": {
            "d": lambda t: mean(r.dep_delay for r in t if not r.cancelled),
        },
        "filter and summarise, guessed as brackets": {
            "m": lambda t: mean(r.mpg for r in t if r.cyl == 4),
        },
        "filter and summarise, guessed as an argument": {
            "m": lambda t: mean(r.petal_width for r in t if r.species == "virginica"),
        },
        "filter and summarise two groups": {
            "ewr": lambda t: mean(r.arr_delay for r in t if r.origin == "EWR"),
            "jfk": lambda t: mean(r.arr_delay for r in t if r.origin == "JFK"),
            "lga": lambda t: mean(r.arr_delay for r in t if r.origin == "LGA"),
        },
        "A group's mean as a quotient of sums": {
            "m": lambda t: mean(r.wt for r in t if r.am == 1),
        },
        "filter and summarise a maximum": {
            "best": lambda t: max(r.math for r in t if r["class"] == "B"),
        },
        "filter and summarise a minimum": {
            "lowest": lambda t: min(r.physics for r in t if r.passed),
        },
        "mean of a comparison": {
            "share": lambda t: share(r.math > 50 for r in t),
        },
        "mean of two comparisons": {
            "share": lambda t: share(r.math >= 50 and r.physics >= 50 for r in t),
        },
        "mean of a logical column": {
            "rate": lambda t: share(t.passed),
        },
        "sum of a comparison of decimals": {
            "n": lambda t: sum(r.attendance >= Fraction("0.9") for r in t),
        },
        "Percentage of a comparison": {
            "pct": lambda t: 100 * share(r.dep_delay > 15 for r in t),
        },
        "A share within a group": {
            "rate": lambda t: share(r.passed for r in t if r["class"] == "A"),
        },
        "if_else with numbers": {
            "p": lambda t: [r.math >= 50 for r in t],
        },
        "ifelse that is nested": {
            "size": lambda t: [0 if r.wt < Fraction("2.5") else 1 if r.wt < Fraction("3.5") else 2 for r in t],
        },
        "if_else of columns": {
            "best": lambda t: [max(r.math, r.physics) for r in t],
        },
        "case_when with commas": {
            "grade": lambda t: [1 if r.math >= 85 else 2 if r.math >= 70 else 3 if r.math >= 50 else 5 for r in t],
        },
        "case_when with tildes": {
            "k": lambda t: [(r.celsius > 0) - (r.celsius < 0) for r in t],
        },
        "case_when as conditional expressions": {
            "k": lambda t: [0 if r.arr_delay <= 0 else 1 if r.arr_delay <= 60 else 2 for r in t],
        },
        "case_when with texts as conditions": {
            "fee": lambda t: [Fraction({"North": "4.9", "South": "7.5"}.get(r.region, "12")) for r in t],
        },
        "case_when with texts as results": {
            "group": lambda t: [0 if r.age >= 18 else 1 for r in t],
        },
        "recode of numbers": {
            "deck": lambda t: [{1: 100, 2: 60, 3: 25}[int(r.pclass)] for r in t],
        },
        "between as a function": {
            "n": lambda t: sum(50 <= r.math <= 75 for r in t),
        },
        "between as a chain": {
            "n": lambda t: sum(-8 <= r.celsius <= Fraction("14.2") for r in t),
        },
        "between of dates": {
            "n": lambda t: sum(datetime.date(2013, 2, 14) <= r.day <= datetime.date(2013, 7, 4) for r in t),
        },
        "A date with as.Date": {
            "n": lambda t: sum(r.day == datetime.date(2013, 12, 25) for r in t),
        },
        "month of a date": {
            "n": lambda t: sum(r.day.month == 2 for r in t),
        },
        "difftime in weeks": {
            "weeks": lambda t: [Fraction((r.last_used - r.opened).days, 7) for r in t],
        },
        "min_rank of one column": {
            "r": lambda t: [1 + sum(o.physics < r.physics for o in t) for r in t],
        },
        "The place of a value as a count": {
            "place": lambda t: 1 + sum(r.math > 62 for r in t),
        },
        "cume_dist of one value": {
            "p": lambda t: share(r.mpg <= 21 for r in t),
        },
        "median with an odd number of rows": {
            "m": lambda t: rank_quantile(t.sepal_length, "0.5"),
        },
        "quantile with an even number of rows": {
            "q": lambda t: rank_quantile(t.cyl, "0.75"),
            "tool q": lambda t: linear_quantile(t.cyl, "0.75"),
        },
        "IQR as a difference of two quantiles": {
            "i": lambda t: rank_quantile(t.credits, "0.75") - rank_quantile(t.credits, "0.25"),
        },
        "sd": {
            "s": lambda t: sample_std(t.mpg),
        },
        "std of decimals with three places": {
            "s": lambda t: std(t.wt),
            "tool s": lambda t: sample_std(t.wt),
        },
        "var of whole numbers": {
            "v": lambda t: var(t.distance),
            "tool v": lambda t: sample_var(t.distance),
        },
        "var made into that of a sample": {
            "v": lambda t: sample_var(t.arr_delay),
        },
        "Standard error": {
            "se": lambda t: std(t.petal_length) / sqrt(len(t)),
            "tool se": lambda t: sample_std(t.petal_length) / sqrt(len(t)),
        },
        "cor": {
            "r": lambda t: corr(t.distance, t.air_time),
        },
        "corr of exactly proportional columns": {
            "r": lambda t: corr(t.quantity, [3 * q + 1 for q in t.quantity]),
        },
        "scale": {
            "z": lambda t: [real(r.sepal_width - mean(t.sepal_width)) / sample_std(t.sepal_width) for r in t],
        },
        "z-scores with std": {
            "z": lambda t: [real(r.hp - mean(t.hp)) / std(t.hp) for r in t],
            "tool z": lambda t: [real(r.hp - mean(t.hp)) / sample_std(t.hp) for r in t],
        },
        "Centred column": {
            "c": lambda t: [r.pressure - mean(t.pressure) for r in t],
        },
        "Share of the total": {
            "p": lambda t: [r.quantity / sum(t.quantity) for r in t],
        },
        "prop.table of a category": {
            "p_setosa": lambda t: share(r.species == "setosa" for r in t),
            "p_versicolor": lambda t: share(r.species == "versicolor" for r in t),
            "p_virginica": lambda t: share(r.species == "virginica" for r in t),
        },
        "count with a weight": {
            "pens": lambda t: sum(r.quantity for r in t if r.product == "pen"),
        },
        "n_distinct": {
            "n": lambda t: len(set(t.carrier)),
        },
        "tally of a text that is not equal": {
            "n": lambda t: sum(r.carrier != "UA" for r in t),
        },
        "A text that differs in case": {
            "n": lambda t: sum(r.station == "oslo" for r in t),
        },
        "A text that the data do not have": {
            "n": lambda t: 0,
        },
        "pmax and pmin": {
            "hi": lambda t: [max(r.math, r.physics) for r in t],
            "lo": lambda t: [min(r.math, r.physics) for r in t],
        },
        "Weighted sum of columns": {
            "total": lambda t: [Fraction("0.6") * r.math + Fraction("0.4") * r.physics for r in t],
        },
        "Weighted sum compared with a threshold": {
            "ok": lambda t: [Fraction("0.6") * r.math + Fraction("0.4") * r.physics >= Fraction("49.6") for r in t],
        },
        "log10": {
            "l": lambda t: [log10(1 + r.transactions) for r in t],
        },
        "log2 of a ratio": {
            "l": lambda t: [log2(r.close / r.open) for r in t],
        },
        "exp of negative numbers": {
            "e": lambda t: [exp(r.half) for r in t],
        },
        "%% for even numbers": {
            "even": lambda t: [r.n % 2 == 0 for r in t],
        },
        "%/% with negative numbers": {
            "q": lambda t: [r.n // 4 for r in t],
        },
        "Decades by integer division": {
            "decade": lambda t: [r.age // 10 * 10 for r in t],
        },
        "Bins of half a unit": {
            "bin": lambda t: [r.petal_length // Fraction("0.5") for r in t],
        },
        "Regression with lm": {
            "fit_intercept": lambda t: intercept(t.mpg, t.wt),
            "fit_wt": lambda t: slope(t.mpg, t.wt),
        },
    },
    "excel": {
        "IF": {
            "pass": lambda t: [r.math >= 50 for r in t],
        },
        "IF in capitals": {
            "better": lambda t: [r.math > r.physics for r in t],
        },
        "IF with AND": {
            "premium": lambda t: [1000 if r.rating >= 4 and r.salary < 50000 else 0 for r in t],
        },
        "IF with and between the conditions": {
            "reached": lambda t: [r.actual >= r.target and r.target > 0 for r in t],
        },
        "IF with OR": {
            "extreme": lambda t: [r.rating in (1, 5) for r in t],
        },
        "IF with a single equals sign": {
            "f": lambda t: [r.fare * 2 if r.pclass == 1 else r.fare for r in t],
        },
        "IF with <>": {
            "nonzero": lambda t: [r.n != 0 for r in t],
        },
        "IF with semicolons": {
            "pass": lambda t: [r.math >= 50 for r in t],
        },
        "IFS": {
            "grade": lambda t: [1 if r.math >= 85 else 2 if r.math >= 70 else 3 if r.math >= 50 else 5 for r in t],
        },
        "IF nested with decimals": {
            "tax": lambda t: [Fraction("0.42") if r.salary >= 60000 else Fraction("0.3") if r.salary >= 40000 else Fraction("0.2") for r in t],
        },
        "IF with a text": {
            "provision": lambda t: [r.salary * r.bonus if r.department == "Sales" else 0 for r in t],
        },
        "NOT as a function": {
            "unpaid": lambda t: sum(not r.paid for r in t),
        },
        "XOR": {
            "one_only": lambda t: [(r.math >= 50) != (r.physics >= 50) for r in t],
        },
        "COUNTIF with a condition": {
            "n": lambda t: sum(r.salary >= 40000 for r in t),
        },
        "COUNTIF with a condition in quotes": {
            "n": lambda t: sum(r.math > 50 for r in t),
        },
        "COUNTIF with a text": {
            "n": lambda t: sum(r.department == "Sales" for r in t),
        },
        "COUNTIF does not mind the case": {
            "n": lambda t: sum(r.department == "IT" for r in t),
            "tool n": lambda t: sum(r.department.upper() == "IT" for r in t),
        },
        "COUNTIFS": {
            "n": lambda t: sum(r.math >= 50 and r.physics >= 50 for r in t),
        },
        "COUNTIFS with a range of dates": {
            "n": lambda t: sum(datetime.date(2020, 1, 1) <= r.start < datetime.date(2022, 1, 1) for r in t),
        },
        "COUNTA": {
            "n": lambda t: len(t),
        },
        "SUMIF with a condition": {
            "s": lambda t: sum(r.salary for r in t if r.salary > 40000),
        },
        "SUMIF with a text": {
            "s": lambda t: sum(r.principal for r in t if r.grade == "A"),
        },
        "SUMIF with if inside the sum": {
            "s": lambda t: sum(r.quantity * r.price for r in t if r.status == "open"),
        },
        "SUMIFS": {
            "s": lambda t: sum(r.quantity for r in t if r.region == "North" and r.price >= 20),
        },
        "AVERAGEIF": {
            "a": lambda t: mean(r.salary for r in t if r.department == "Sales"),
        },
        "AVERAGEIF as mean_where": {
            "a": lambda t: mean(r.rate for r in t if r.paid > 0),
        },
        "AVERAGE": {
            "a": lambda t: mean(r["items"] for r in t),
        },
        "AVERAGE of percentages": {
            "a": lambda t: mean(t.rate),
        },
        "SUMPRODUCT": {
            "total": lambda t: sum(r["unit price"] * r.quantity for r in t),
        },
        "SUMPRODUCT as dot": {
            "total": lambda t: sum(r.close * r.volume for r in t),
        },
        "SUMPRODUCT with conditions": {
            "total": lambda t: sum(r["unit price"] * r.quantity for r in t if r["vat rate"] == Fraction("0.19")),
        },
        "A gross amount": {
            "gross": lambda t: [r["unit price"] * r.quantity * (1 + r["vat rate"]) for r in t],
        },
        "A column with a space and no quotes": {
            "total": lambda t: sum(r["unit price"] for r in t),
        },
        "A column in square brackets": {
            "total": lambda t: sum(r["unit price"] * r.quantity for r in t),
        },
        "VLOOKUP as a table": {
            "base": lambda t: [{1: 150, 2: 80, 3: 30}[int(r.pclass)] for r in t],
        },
        "VLOOKUP with decimals in the table": {
            "fee": lambda t: [Fraction({"A": "0.5", "B": "1.25", "C": "2.75"}[r.grade]) for r in t],
        },
        "VLOOKUP by its name": {
            "price": lambda t: [{1: 10, 2: 20, 3: 35}[int(r.code)] for r in t],
        },
        "VLOOKUP of a threshold": {
            "level": lambda t: [(r.salary >= 40000) + (r.salary >= 60000) for r in t],
        },
        "CHOOSE": {
            "x": lambda t: [{1: 5, 2: 7, 3: 9}[int(r.code)] for r in t],
        },
        "SWITCH written as sums of conditions": {
            "k": lambda t: [{"A": 1, "B": 2, "C": 3}[r.grade] for r in t],
        },
        "ROUND to two places": {
            "vat": lambda t: [round_away(r["unit price"] * r.quantity * r["vat rate"], 2) for r in t],
        },
        "ROUND to hundreds": {
            "rounded": lambda t: [round_away(r.salary, -2) for r in t],
        },
        "ROUND of halves": {
            "r": lambda t: [round_up(r.half) for r in t],
            "tool r": lambda t: [round_away(r.half) for r in t],
        },
        "ROUNDUP": {
            "cartons": lambda t: [-(-r["items"] // r.per_box) for r in t],
        },
        "ROUNDUP by hand": {
            "dozens": lambda t: [-(-r["items"] // 12) for r in t],
        },
        "CEILING": {
            "c": lambda t: [-(-r.credits // 12) for r in t],
        },
        "ROUNDDOWN": {
            "full": lambda t: [r["items"] // r.per_box for r in t],
        },
        "INT of a negative number": {
            "i": lambda t: [r.d // 1 for r in t],
        },
        "INT as floor": {
            "i": lambda t: [r.celsius // 1 for r in t],
        },
        "QUOTIENT": {
            "q": lambda t: [r["items"] // r.per_box for r in t],
        },
        "MOD": {
            "m": lambda t: [r["items"] % r.per_box for r in t],
        },
        "MOD with negative divisors": {
            "m": lambda t: [r.n % r.m for r in t],
        },
        "MOD of large numbers": {
            "m": lambda t: [r.big % 7 for r in t],
        },
        "ABS of a difference": {
            "gap": lambda t: [abs(r.actual - r.target) for r in t],
        },
        "MIN and MAX of a row": {
            "short": lambda t: [min(r.length, r.width, r.height) for r in t],
            "long": lambda t: [max(r.length, r.width, r.height) for r in t],
        },
        "MIN and MAX of a column": {
            "lo": lambda t: min(t.salary),
            "hi": lambda t: max(t.salary),
        },
        "MIN as a cap": {
            "bonus_paid": lambda t: [min(r.salary * r.bonus, 2500) for r in t],
        },
        "LARGE": {
            "second": lambda t: sorted(t.physics)[-2],
        },
        "RANK": {
            "place": lambda t: [1 + sum(o.math > r.math for o in t) for r in t],
        },
        "MEDIAN": {
            "m": lambda t: median(t.principal),
        },
        "QUARTILE": {
            "q": lambda t: linear_quantile(t.credits, "0.25"),
        },
        "STDEV": {
            "s": lambda t: sample_std(t.salary),
        },
        "STDEV.P": {
            "s": lambda t: std([r["weight kg"] for r in t]),
        },
        "STDEV.P of large amounts": {
            "s": lambda t: std(t.balance),
        },
        "CORREL": {
            "r": lambda t: corr(t.hp, t.wt),
        },
        "SLOPE and INTERCEPT": {
            "line_intercept": lambda t: intercept(t.physics, t.math),
            "line_math": lambda t: slope(t.physics, t.math),
        },
        "Date difference in days": {
            "days": lambda t: [(r.end - r.start).days for r in t],
        },
        "DAYS": {
            "d": lambda t: [(r.end - r.start).days for r in t],
        },
        "Date difference in full years of 365 days": {
            "years": lambda t: [(r.end - r.start).days // 365 for r in t],
        },
        "A due date": {
            "overdue": lambda t: [r.ordered + datetime.timedelta(30) < datetime.date(2024, 3, 15) for r in t],
        },
        "A power with the circumflex": {
            "d2": lambda t: [r.length**2 + r.width**2 for r in t],
        },
        "Compound interest": {
            "after5": lambda t: [r.principal * (1 + r.rate) ** 5 for r in t],
        },
        "A percent sign": {
            "fee": lambda t: [r.principal * Fraction(5, 100) for r in t],
        },
        "Share of the paid principal": {
            "share": lambda t: [r.paid / r.principal for r in t],
        },
        "PRODUCT of three columns in litres": {
            "litres": lambda t: [r.length * r.width * r.height / 1000 for r in t],
        },
    },
}


def exact(x):
    """Returns the decimals of a fraction, or p/q if they do not end."""
    x = Fraction(x)
    rest, twos, fives = x.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{x.numerator}/{x.denominator}"
    places = max(twos, fives)
    digits = str(abs(x.numerator) * 10**places // x.denominator).rjust(places + 1, "0")
    text = digits if places == 0 else digits[:-places] + "." + digits[-places:]
    return ("-" if x < 0 else "") + text


def approximate(x):
    """Returns 12 significant digits."""
    x = real(x)
    if x == 0:
        return "0"
    return str(+decimal.Context(prec=12).create_decimal(x).normalize())


def number(x):
    if isinstance(x, datetime.date):
        return Fraction((x - datetime.date(1970, 1, 1)).days)
    return x if isinstance(x, Decimal) else Fraction(x)


def column(result):
    values = result if isinstance(result, list) else [result]
    return [None if v is None else number(v) for v in values]


def text_of(values, is_exact):
    return ", ".join("" if v is None else exact(v) if is_exact else approximate(v) for v in values)


def read_programs(tool):
    """Returns the programs of a file, each a list of (field, text)."""
    programs = []
    for line in (HERE / f"{tool}.txt").read_text().splitlines():
        if line.startswith("# ") and not (programs and programs[-1][-1][0] == "program" and programs[-1][-1][1] is None):
            programs.append([("title", line[2:])])
        elif not line.strip() or not programs:
            continue
        elif match := re.match(r"(table|from|arguments|program|kind|expect|tool|note):(?: (.*))?$", line):
            programs[-1].append((match[1], match[2] or ""))
        else:
            field, text = programs[-1][-1]
            assert field == "program", f"{tool}.txt: {line}"
            programs[-1][-1] = (field, f"{text}\n{line}" if text else line)
    return programs


def outputs(program):
    """Returns the outputs of the program's text: its names without `_`."""
    text = dict(program)["program"]
    names = [m[1] for line in text.splitlines() if (m := re.match(r"\s*([^\W\d]\w*)\s*=(?!=)", line))]
    return [name for name in names if not name.startswith("_")]


def results(program, expressions):
    """Returns the fields of the right results."""
    table = read_table(dict(program)["table"])
    values = {name: column(e(table)) for name, e in expressions.items()}
    is_exact = not any(isinstance(v, Decimal) for vs in values.values() for v in vs)
    fields = [("kind", "exact" if is_exact else "approximate")]
    for name, vs in values.items():
        field, name = ("tool", name[5:]) if name.startswith("tool ") else ("expect", name)
        fields.append((field, f"{name} = {text_of(vs, is_exact)}"))
    return fields, values


def flat(result):
    """Returns the numbers of a result of duckdb or pandas as a list."""
    if hasattr(result, "tolist"):
        result = result.tolist()
    if isinstance(result, (list, tuple)):
        return [v for part in result for v in flat(part)]
    if isinstance(result, datetime.datetime):
        result = result.date()
    if isinstance(result, datetime.timedelta):
        result = result.days
    if result is None or (isinstance(result, float) and math.isnan(result)):
        return [None]
    return [number(Fraction(str(result))) if isinstance(result, float) else number(result)]


def run_sql(query, table):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE {table} AS SELECT * FROM read_csv('{HERE}/tables/{table}.csv', nullstr=['', 'NA'])")
    rows = connection.execute(query).fetchall()
    return [v for values in zip(*rows) for v in flat(list(values))]


def run_pandas(expression, table):
    import numpy
    import pandas

    frame = pandas.read_csv(HERE / "tables" / f"{table}.csv", keep_default_na=False, na_values=["", "NA"])
    for name in frame:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(frame[name].iloc[0])):
            frame[name] = pandas.to_datetime(frame[name])
    return flat(eval(expression, {"df": frame, "np": numpy, "pd": pandas}))


def agrees(tool, program, values):
    """Returns whether the user's own tool has these results."""
    run = {"sql": run_sql, "pandas": run_pandas}.get(tool)
    if run is None:
        return True
    fields = dict(program)
    try:
        theirs = run(fields["from"], fields["table"])
    except ImportError:
        return True
    ours = [v for name in values if not name.startswith("tool ") for v in values.get(f"tool {name}", values[name])]
    if len(ours) != len(theirs):
        print(f"  {len(ours)} values, but the tool has {len(theirs)}")
        return False
    for a, b in zip(ours, theirs):
        if (a is None) != (b is None) or a is not None and not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
            print(f"  {a and float(a)}, but the tool has {b and float(b)}")
            return False
    return True


def main():
    write = "--write" in sys.argv
    count = differing = 0
    for tool in TOOLS:
        if not (HERE / f"{tool}.txt").exists():
            continue
        programs, lines = read_programs(tool), []
        titles = [dict(p)["title"] for p in programs]
        assert len(set(titles)) == len(titles), f"{tool}.txt has a title twice"
        for unknown in set(PROGRAMS[tool]) ^ set(titles):
            print(f"{tool}: {unknown}: in one of {tool}.txt and compute.py only")
            differing += 1
        for program in programs:
            title = dict(program)["title"]
            if title not in PROGRAMS[tool]:
                continue
            count += 1
            computed, values = results(program, PROGRAMS[tool][title])
            written = [f for f in program if f[0] in RESULTS]
            problems = []
            names = [n for n in values if not n.startswith("tool ")]
            if not all(any(re.fullmatch(rf"{o}(_\w+)?", n) for n in names) for o in outputs(program)):
                problems.append("an output without a result")
            elif not agrees(tool, program, values):
                problems.append("the tool has other results")
            if not write and written != computed:
                problems.append(f"the file has {written}, but right is {computed}")
            if problems:
                differing += 1
                print(f"{tool}: {title}: {'; '.join(problems)}")
            if write:
                fields = [f for f in program if f[0] not in RESULTS]
                at = len(fields) - 1 if fields[-1][0] == "note" else len(fields)
                for field, text in fields[:at] + computed + fields[at:]:
                    if field == "title":
                        lines.append(f"\n# {text}")
                    elif field == "program":
                        lines.append(f"program:\n{text}")
                    else:
                        lines.append(f"{field}: {text}")
        if write:
            (HERE / f"{tool}.txt").write_text("\n".join(lines).lstrip("\n") + "\n")
    print(f"{count} programs, {differing} differ")
    return differing != 0


if __name__ == "__main__":
    sys.exit(main())
