"""Computing on encrypted data: write a function of columns, and run it on data that nobody else can read.

>>> import numpy as np
>>> import asanoha as asa
>>> results = asa.private(lambda x: {"square": x * x})({"x": np.array([1, 2, 3])})
>>> results["square"].values.tolist()
[1, 4, 9]
"""

from asanoha import exceptions
from asanoha._asanoha import __version__
from asanoha._config import set_config, show_versions
from asanoha._functions import (
    assume,
    corr,
    count,
    cov,
    dot,
    histogram,
    least_squares,
    less_than,
    mean_where,
    quantile,
    ratio,
    relu,
    round_half_up,
    sigmoid,
    table,
    table2,
)
from asanoha._kinds import Bool, Category, Date, Decimal, Kind, Real, Whole
from asanoha._options import Absolute, Bits
from asanoha._parties import Client, Server, private
from asanoha._plan import Plan, plan
from asanoha._program import OutputKind, Program
from asanoha._remote import Job, JobStatus, Session
from asanoha._results import Result, Results
from asanoha._schema import Schema
from asanoha._trace import trace

__all__ = [
    "Absolute",
    "Bits",
    "Bool",
    "Category",
    "Client",
    "Date",
    "Decimal",
    "Job",
    "JobStatus",
    "Kind",
    "OutputKind",
    "Plan",
    "Program",
    "Real",
    "Result",
    "Results",
    "Schema",
    "Server",
    "Session",
    "Whole",
    "__version__",
    "assume",
    "corr",
    "count",
    "cov",
    "dot",
    "exceptions",
    "histogram",
    "least_squares",
    "less_than",
    "mean_where",
    "plan",
    "private",
    "quantile",
    "ratio",
    "relu",
    "round_half_up",
    "set_config",
    "show_versions",
    "sigmoid",
    "table",
    "table2",
    "trace",
]
