"""Where traced values find the rules of operations, which `_operations` fills in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Computes an operation of traced values.
Rule = Callable[..., Any]

#: The rules of numpy's ufuncs, by their names.
UFUNCS: dict[str, Rule] = {}
#: The rules of numpy's other functions, by their names, with the module's where it isn't numpy itself.
FUNCTIONS: dict[str, Rule] = {}
#: What to write in place of functions that have no rule.
HINTS: dict[str, str] = {}

#: Names that versions of numpy give functions beside those of the tables.
OTHER_NAMES = {"amin": "min", "amax": "max", "around": "round", "round_": "round", "true_divide": "divide"}
#: The operators of Python, by numpy's names of them.
SYMBOLS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "power": "**",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "left_shift": "<<",
    "right_shift": ">>",
    "matmul": "@",
}
#: The signs of Python before one value, by numpy's names of them.
SIGNS = {"negative": "-", "positive": "+", "invert": "~"}
