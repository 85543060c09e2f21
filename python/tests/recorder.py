"""A column that records operations, and refuses all but those that every tracer of columns has."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np


class Recorder:
    """The operations of one call, each counted."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def column(self, dtype: str = "float64") -> RecordedColumn:
        return RecordedColumn(self, np.dtype(dtype))

    @property
    def comparisons(self) -> int:
        return sum(self.counts[name] for name in ("less_equal", "less", "greater", "greater_equal", "equal"))


class RecordedColumn:
    """A value without numbers: operators, `np.clip`, `np.exp` and `np.where` give further ones."""

    _UFUNCS = frozenset(
        [
            "add",
            "subtract",
            "multiply",
            "divide",
            "power",
            "negative",
            "less_equal",
            "less",
            "greater",
            "greater_equal",
            "equal",
            "bitwise_and",
            "invert",
            "exp",
        ]
    )
    _FUNCTIONS = frozenset(["clip", "where"])
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, recorder: Recorder, dtype: np.dtype[Any]) -> None:
        self.recorder = recorder
        self.dtype = dtype

    def _record(self, name: str, *operands: object) -> RecordedColumn:
        for operand in operands:
            assert isinstance(operand, (RecordedColumn, int, float, str)), f"{name} has the operand {operand!r}"
        self.recorder.counts[name] += 1
        is_condition = name in ("less_equal", "equal", "bitwise_and", "invert")
        return RecordedColumn(self.recorder, np.dtype(bool if is_condition else float))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> RecordedColumn:
        assert method == "__call__" and not options and ufunc.__name__ in self._UFUNCS, f"np.{ufunc.__name__}"
        return self._record(ufunc.__name__, *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> RecordedColumn:
        assert not options and function.__name__ in self._FUNCTIONS, f"np.{function.__name__}"
        return self._record(function.__name__, *args)

    def _forbidden(self, *_: object) -> Any:
        raise AssertionError("a column is used as an array, a number or a container")

    __bool__ = __len__ = __iter__ = __getitem__ = __float__ = __int__ = __index__ = __array__ = _forbidden
    __matmul__ = __rmatmul__ = __contains__ = _forbidden

    def __add__(self, other: object) -> RecordedColumn:
        return self._record("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: object) -> RecordedColumn:
        return self._record("subtract", self, other)

    def __rsub__(self, other: object) -> RecordedColumn:
        return self._record("subtract", other, self)

    def __mul__(self, other: object) -> RecordedColumn:
        return self._record("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> RecordedColumn:
        return self._record("divide", self, other)

    def __pow__(self, other: object) -> RecordedColumn:
        assert isinstance(other, int)
        return self._record("power", self, other)

    def __and__(self, other: object) -> RecordedColumn:
        return self._record("bitwise_and", self, other)

    def __invert__(self) -> RecordedColumn:
        return self._record("invert", self)

    def __le__(self, other: object) -> RecordedColumn:
        return self._record("less_equal", self, other)

    def __eq__(self, other: object) -> RecordedColumn:  # type: ignore[override]
        return self._record("equal", self, other)
