"""The right results of dplyr.txt: for each program and output a function of the table.

`tool NAME` is what the user's tool means by the same word, if that differs from docs/programs.md.
"""

import datetime
from fractions import Fraction

from arithmetic import (
    corr,
    exp,
    intercept,
    linear_quantile,
    log10,
    log2,
    mean,
    rank_quantile,
    real,
    sample_std,
    sample_var,
    share,
    slope,
    sqrt,
    std,
    var,
)

VALUES = {
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
}
