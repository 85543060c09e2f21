"""The right results of sql.txt: for each program and output a function of the table.

`tool NAME` is what the user's tool means by the same word, if that differs from docs/programs.md.
"""

import datetime
from fractions import Fraction

from arithmetic import mean, round_away, round_up, share, std, var

VALUES = {
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
        "rebate": lambda t: [
            Fraction("0.15") if r.quantity >= 100 else Fraction("0.05") if r.quantity >= 10 else 0 for r in t
        ],
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
}
