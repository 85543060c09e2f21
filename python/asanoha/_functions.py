"""Functions of asanoha that numpy doesn't have, of traced values and of plain arrays alike."""

from __future__ import annotations

from asanoha._column_functions import (
    corr,
    count,
    cov,
    histogram,
    least_squares,
    mean_where,
    quantile,
    ratio,
)
from asanoha._row_functions import (
    assume,
    dot,
    less_than,
    relu,
    round_half_up,
    sigmoid,
    table,
    table2,
)

__all__ = [
    "assume",
    "corr",
    "count",
    "cov",
    "dot",
    "histogram",
    "least_squares",
    "less_than",
    "mean_where",
    "quantile",
    "ratio",
    "relu",
    "round_half_up",
    "sigmoid",
    "table",
    "table2",
]
