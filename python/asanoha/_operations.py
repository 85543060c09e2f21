"""The table of operations: numpy's functions and what they are in the language of programs.

One line adds an operation: the name of a function of numpy, and its rule. Rules are functions of the call and its
arguments.
"""

from __future__ import annotations

import numpy as np

from asanoha import _statistics as statistics
from asanoha import _ufuncs as ufuncs
from asanoha._asanoha import functions
from asanoha._dispatch import FUNCTIONS, HINTS, UFUNCS
from asanoha._ufuncs import bitwise, equality, extreme, logical, order

UFUNCS.update(
    {
        "add": ufuncs.add,
        "subtract": ufuncs.subtract,
        "multiply": ufuncs.multiply,
        "divide": ufuncs.divide,
        "floor_divide": ufuncs.floor_divide,
        "remainder": ufuncs.remainder,
        "divmod": ufuncs.divmod_,
        "power": ufuncs.power,
        "square": ufuncs.square,
        "reciprocal": ufuncs.reciprocal,
        "negative": ufuncs.negative,
        "positive": ufuncs.positive,
        "absolute": ufuncs.absolute,
        "fabs": ufuncs.fabs,
        "sign": ufuncs.sign,
        "floor": ufuncs.floor,
        "ceil": ufuncs.ceil,
        "maximum": extreme("max"),
        "minimum": extreme("min"),
        "fmax": extreme("max"),
        "fmin": extreme("min"),
        "clip": statistics.clip,
        "less": order("<"),
        "less_equal": order("<="),
        "greater": order(">"),
        "greater_equal": order(">="),
        "equal": equality("=="),
        "not_equal": equality("!="),
        "logical_and": logical("and"),
        "logical_or": logical("or"),
        "logical_xor": logical("!="),
        "logical_not": ufuncs.logical_not,
        "bitwise_and": bitwise(logical("and")),
        "bitwise_or": bitwise(logical("or")),
        "bitwise_xor": bitwise(logical("!=")),
        "invert": bitwise(ufuncs.logical_not),
        "exp2": ufuncs.exp2,
        "expm1": ufuncs.expm1,
        "log1p": ufuncs.log1p,
        "logaddexp": ufuncs.logaddexp,
        "expit": ufuncs.function("sigmoid"),
        "logit": ufuncs.logit,
        "matmul": ufuncs.product,
        "vecdot": ufuncs.product,
    }
)

#: The functions that the language has and that numpy has as ufuncs of the same names, without a rule of their own.
SHARED = {
    name: ufuncs.function(name)
    for name, _, _ in functions()
    if name not in UFUNCS and isinstance(getattr(np, name, None), np.ufunc) and getattr(np, name).__name__ == name
}
UFUNCS.update(SHARED)

FUNCTIONS.update(
    {
        "sum": statistics.total,
        "mean": statistics.mean,
        "average": statistics.average,
        "var": statistics.var,
        "std": statistics.std,
        "min": statistics.over_rows("min"),
        "median": statistics.over_rows("median"),
        "max": statistics.over_rows("max"),
        "ptp": statistics.ptp,
        "quantile": statistics.quantile(1),
        "percentile": statistics.quantile(100),
        "count_nonzero": statistics.count,
        "any": statistics.any_,
        "all": statistics.all_,
        "dot": ufuncs.product,
        "inner": ufuncs.product,
        "vdot": ufuncs.product,
        "where": statistics.where,
        "select": statistics.select,
        "clip": statistics.clip,
        "isin": statistics.isin,
        "astype": statistics.astype,
        "round": statistics.rounded,
        "full_like": statistics.full_like,
        "zeros_like": statistics.like(0),
        "ones_like": statistics.like(1),
        "shape": statistics.public("shape"),
        "ndim": statistics.public("ndim"),
        "size": statistics.public("size"),
        "copy": statistics.same,
        "real": statistics.same,
    }
)

_ORDER = "rows can't be put in order: np.min, np.max and np.quantile(x, q, method='inverted_cdf') give one of them"
_PLACES = "places of rows aren't computed: np.count_nonzero(c) counts rows"
_RUNNING = "values of other rows aren't computed with: np.sum, np.mean and np.var are over all rows"
_TOGETHER = "columns aren't put together to an array: write formulas of columns, or asanoha.dot([a, b], [0.5, 2])"
_MISSING = "columns have no missing values once they're encrypted: leave it out"
_ANGLES = "write it as a polynomial of the argument, as in x - x**3 / 6 for small angles"

HINTS.update(
    {
        "trunc": "write np.where(x < 0, np.ceil(x), np.floor(x))",
        "fix": "write np.where(x < 0, np.ceil(x), np.floor(x))",
        "rint": "numpy rounds halves to even numbers: write np.floor(x + 0.5), or asanoha.round_half_up(x)",
        "modf": "write np.floor(x), and x - np.floor(x)",
        "fmod": "write np.remainder(x, y), whose sign is that of y",
        "heaviside": "write np.where(x < 0, 0, 1)",
        "left_shift": "write x * 2**k",
        "right_shift": "write x // 2**k",
        "sinh": "write (np.exp(x) - np.exp(-x)) / 2",
        "cosh": "write (np.exp(x) + np.exp(-x)) / 2",
        "sin": _ANGLES,
        "cos": _ANGLES,
        "tan": _ANGLES,
        "isnan": _MISSING,
        "isfinite": _MISSING,
        "isinf": _MISSING,
        "nan_to_num": _MISSING,
        "nansum": "columns have no missing values once they're encrypted: write np.sum(x)",
        "nanmean": "columns have no missing values once they're encrypted: write np.mean(x)",
        "nanvar": "columns have no missing values once they're encrypted: write np.var(x)",
        "nanstd": "columns have no missing values once they're encrypted: write np.std(x)",
        "nanmin": "columns have no missing values once they're encrypted: write np.min(x)",
        "nanmax": "columns have no missing values once they're encrypted: write np.max(x)",
        "isclose": "write np.abs(a - b) < gap",
        "allclose": "write np.all(np.abs(a - b) < gap)",
        "array_equal": "write np.all(a == b)",
        "cov": "write asanoha.cov(x, y), which is that of the population",
        "corrcoef": "write asanoha.corr(x, y)",
        "linalg.norm": "write np.sqrt(asanoha.assume(np.dot(x, x), lo, hi)), with ends above 0 that you know",
        "linalg.lstsq": "write asanoha.least_squares(y, columns)",
        "polyfit": "write asanoha.least_squares(y, [x, x**2])",
        "histogram": "write asanoha.histogram(x, lo, hi), which counts whole numbers",
        "bincount": "write asanoha.histogram(x, lo, hi), which counts whole numbers",
        "digitize": "write a sum of comparisons, (x >= a).astype(int) + (x >= b)",
        "searchsorted": "write a sum of comparisons, (x >= a).astype(int) + (x >= b)",
        "interp": "write np.where(x < a, line, other_line) for every part",
        "take": "write asanoha.table(x, entries) for entries that are constants",
        "choose": "write asanoha.table(x, entries) for entries that are constants",
        "prod": "products over the rows aren't computed: for numbers above 0 np.sum(np.log(x)) is their logarithm",
        "float_power": "write x.astype(float) ** n",
        "sort": _ORDER,
        "argsort": _ORDER,
        "partition": _ORDER,
        "unique": "write asanoha.histogram(x, lo, hi), which counts whole numbers",
        "argmax": "places of rows aren't computed: np.max(x) gives the largest value",
        "argmin": "places of rows aren't computed: np.min(x) gives the smallest value",
        "nonzero": _PLACES,
        "flatnonzero": _PLACES,
        "argwhere": _PLACES,
        "cumsum": _RUNNING,
        "cumprod": _RUNNING,
        "diff": _RUNNING,
        "roll": _RUNNING,
        "convolve": _RUNNING,
        "column_stack": _TOGETHER,
        "stack": _TOGETHER,
        "vstack": _TOGETHER,
        "hstack": _TOGETHER,
        "concatenate": _TOGETHER,
        "einsum": "write np.dot(x, y) for the sum over the rows, and x * y for products in every row",
        "tensordot": "write np.dot(x, y) for the sum over the rows, and x * y for products in every row",
        "outer": "write x * y for products in every row",
        "piecewise": "write np.where(c, a, b), or np.select([c1, c2], [a1, a2], default)",
    }
)
