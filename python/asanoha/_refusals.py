"""What traced values refuse: everything that would need their values."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from asanoha.exceptions import TraceError

_LOGARITHM = "products over the rows aren't computed: for numbers above 0 np.sum(np.log(x)) is their logarithm"
#: What to write in place of methods and attributes of numpy's arrays.
_METHODS = {
    "sort": "rows can't be put in order: np.min, np.max and np.quantile(x, q, method='inverted_cdf') give one of them",
    "argsort": "rows can't be put in order",
    "argmax": "places of rows aren't computed: np.max(x) gives the largest value",
    "argmin": "places of rows aren't computed: np.min(x) gives the smallest value",
    "cumsum": "running sums aren't computed: np.sum(x) gives the whole sum",
    "cumprod": _LOGARITHM,
    "prod": _LOGARITHM,
    "round": "numpy rounds halves to even numbers: write np.floor(x + 0.5), or asanoha.round_half_up(x)",
    "tolist": "decrypted results have values: return x from the function",
    "item": "decrypted results have values: return x from the function",
    "fill": "traced values can't be changed: write np.full_like(x, value)",
    "nbytes": "encrypted columns have no bytes of numpy's: leave it out",
    "nonzero": "places of rows aren't computed: np.count_nonzero(c) counts them",
    "reshape": "a column has one axis and keeps it: leave the call out",
    "searchsorted": "write a sum of comparisons, (x >= a).astype(int) + (x >= b)",
}


class TraceAttributeError(TraceError, AttributeError):
    """An attribute of numpy's arrays that traced values don't have."""


class Refusals:
    """Refuses what needs values, and says what to write instead."""

    __slots__ = ()

    def _excerpt(self) -> str:
        raise NotImplementedError

    def _refuse(self, what: str, instead: str) -> NoReturn:
        x = self._excerpt()
        message = f"{what} needs the values of {x}, which aren't known while the function is traced: {instead}"
        raise TraceError(message)

    def __bool__(self) -> NoReturn:
        self._refuse(
            "a decision (if, and, or, not, assert, 0 < x < 1, min(x, y))",
            "write np.where(c, a, b) for if, &, | and ~ for and, or and not, (0 < x) & (x < 1), and np.minimum(x, y)",
        )

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self._refuse(
            "an array",
            "leave np.asarray out, because a traced column is used as it is, and write asanoha.dot([a, b], [0.5, 2]) "
            "for sums of products",
        )

    def _refuse_number(self, function: str) -> NoReturn:
        x = self._excerpt()
        self._refuse(
            f"a plain number ({function})",
            f"write np.exp({x}) for math.exp({x}), {x}.astype(float) for float({x}), and z = z + {x} for z[0] = {x}",
        )

    def __float__(self) -> NoReturn:
        self._refuse_number("float")

    def __int__(self) -> NoReturn:
        self._refuse_number("int")

    def __complex__(self) -> NoReturn:
        self._refuse_number("complex")

    def __trunc__(self) -> NoReturn:
        self._refuse_number("math.trunc")

    def __index__(self) -> NoReturn:
        self._refuse("an index or a count", "write asanoha.table(x, entries) to look it up in a list of whole numbers")

    def __round__(self, ndigits: object = None) -> NoReturn:
        x = self._excerpt()
        self._refuse("round", f"write np.floor({x} + 0.5), or asanoha.round_half_up({x}), which round halves up")

    def __floor__(self) -> NoReturn:
        self._refuse("math.floor", f"write np.floor({self._excerpt()})")

    def __ceil__(self) -> NoReturn:
        self._refuse("math.ceil", f"write np.ceil({self._excerpt()})")

    def __iter__(self) -> NoReturn:
        x = self._excerpt()
        self._refuse(
            "a loop over rows (for, sum, min, max, sorted)",
            f"write np.sum({x}), np.min({x}) or np.max({x}), and formulas of whole columns for loops",
        )

    def __contains__(self, value: object) -> NoReturn:
        x = self._excerpt()
        self._refuse("in", f"write np.any({x} == value), or np.isin({x}, values) for every row")

    def __getitem__(self, key: object) -> NoReturn:
        x = self._excerpt()
        self._refuse(
            "a choice of rows",
            f"write np.where(c, {x}, 0) for {x}[c] in a sum, and asanoha.mean_where({x}, c) for the mean of {x}[c]",
        )

    def __setitem__(self, key: object, value: object) -> NoReturn:
        self._refuse("a change of rows", f"write x = np.where(c, value, {self._excerpt()}) for x[c] = value")

    def __delitem__(self, key: object) -> NoReturn:
        self._refuse("a choice of rows", f"write np.where(c, {self._excerpt()}, 0) to leave rows out of a sum")

    def __format__(self, spec: str) -> str:
        if spec:
            self._refuse(f"the format {spec!r}", "format the values of decrypted results, or leave the format out")
        return str(self)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        x = self._excerpt()
        raise TraceError(f"{x} can't be pickled, because its function is being traced: pickle the program instead")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"traced values have no attribute {name!r}")
        instead = _METHODS.get(name, "write it with operators and functions of numpy, such as np.where(c, a, b)")
        raise TraceAttributeError(f"{self._excerpt()}.{name} isn't computed under encryption: {instead}")
