"""The right results of excel.txt: for each program and output a function of the table.

`tool NAME` is what the user's tool means by the same word, if that differs from docs/programs.md.
"""

import datetime
from fractions import Fraction

from arithmetic import corr, intercept, linear_quantile, mean, median, round_away, round_up, sample_std, slope, std

VALUES = {
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
        "tax": lambda t: [
            Fraction("0.42") if r.salary >= 60000 else Fraction("0.3") if r.salary >= 40000 else Fraction("0.2")
            for r in t
        ],
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
}
