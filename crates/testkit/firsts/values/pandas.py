"""The right results of pandas.txt: for each program and output a function of the table.

`tool NAME` is what the user's tool means by the same word, if that differs from docs/programs.md.
"""

import datetime
from fractions import Fraction

from arithmetic import (
    corr,
    cov,
    linear_quantile,
    ln,
    mean,
    median,
    rank_quantile,
    real,
    round_even,
    round_up,
    sample_std,
    sample_var,
    share,
    sqrt,
    std,
    var,
)

VALUES = {
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
        "gap": lambda t: (
            mean(r.survived for r in t if r.sex == "female") - mean(r.survived for r in t if r.sex == "male")
        ),
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
}
