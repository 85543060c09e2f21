"""Traced values, which record what is done with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from asanoha._dispatch import FUNCTIONS, UFUNCS, Rule
from asanoha._graph import Graph, Node
from asanoha._refusals import Refusals
from asanoha._render import excerpt
from asanoha.exceptions import TraceError

BOOL = np.dtype(np.bool_)
INT = np.dtype(np.int64)
FLOAT = np.dtype(np.float64)
DATE = np.dtype("datetime64[D]")
TEXT = np.dtype(np.object_)


def _run(rules: Mapping[str, Rule], name: str, /, *args: Any, **kwargs: Any) -> Any:
    """Records an operation of values, one of which is traced."""
    from asanoha._call import Call

    return Call(name, args, kwargs).run(rules)


class Traced(Refusals):
    """A value of a function that is being traced: a column, or one number over all rows.

    It behaves like an array of numpy without values: operators and functions of numpy give further traced values.

    Examples
    --------
    >>> import asanoha as asa
    >>> def show(bmi):
    ...     print(repr(2 * bmi + 1))
    ...     return bmi > 30
    >>> program = asa.trace(show, asa.Schema({"bmi": asa.Real(0, 64)}, rows=442))
    Traced(2 * bmi + 1, column, dtype=float64)
    """

    __slots__ = ("_dtype", "_graph", "_place")

    def __init__(self, graph: Graph, place: int, dtype: np.dtype[Any]) -> None:
        self._graph = graph
        self._place = place
        self._dtype = dtype

    @property
    def _node(self) -> Node:
        return self._graph.nodes[self._place]

    @property
    def _constant(self) -> Fraction | None:
        """The number that this is for all data, if it's a constant."""
        node = self._node
        return node.value if node.op == "constant" and isinstance(node.value, Fraction) else None

    @property
    def shape(self) -> tuple[int, ...]:
        """`()` of a number. That of a column is refused, because the rows that count aren't known while it's traced."""
        return self._axes("shape")

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype, as numpy's rules give it."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes: 1 of a column, 0 of a number."""
        return int(self._node.is_column)

    @property
    def size(self) -> int:
        """1 of a number. That of a column is refused, as its shape is."""
        self._axes("size")
        return 1

    def __len__(self) -> NoReturn:
        self._axes("len")
        raise TraceError(f"{self._excerpt()} is one number for all rows and has no len: leave it out")

    def _axes(self, attribute: str) -> tuple[()]:
        """The shape of a number.

        The rows of the plan are no shape of a column: data may have fewer rows, canaries are rows of the plan too, and
        rows that miss values are left out.
        """
        if not self._node.is_column:
            return ()
        x = self._excerpt()
        word = f"len({x})" if attribute == "len" else f"{f'({x})' if ' ' in x else x}.{attribute}"
        rows = f"{word}[0]" if attribute == "shape" else word
        summed = "c" if self._dtype in (TEXT, DATE) else x
        raise TraceError(
            f"{word} isn't known while the function is traced, because the plan is for more rows than those that count: "
            f"write np.mean({summed}) for np.sum({summed}) / {rows}, and divide other sums after decryption"
        )

    def _check_freedom(self, method: str, args: Sequence[Any], options: Mapping[str, Any]) -> None:
        """Refuses methods that numpy and pandas compute with another `ddof` unless it's given."""
        # The method of numpy takes axis, dtype and out before.
        if len(args) > 3 or "ddof" in options or "correction" in options:
            return
        x = self._excerpt()
        x = f"({x})" if " " in x else x
        raise TraceError(
            f"{x}.{method}() divides by n in numpy and by n - 1 in pandas: write {x}.{method}(ddof=0) for n, and "
            f"{x}.{method}(ddof=1) for n - 1"
        )

    def _excerpt(self) -> str:
        return excerpt(self._graph, self._place)

    def __repr__(self) -> str:
        kind = "column" if self._node.is_column else "number"
        return f"Traced({self._excerpt()}, {kind}, dtype={self._dtype})"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from asanoha._call import Call

        if method != "__call__":
            call = Call(f"{ufunc.__name__}.{method}", inputs)
            instead = {"add": "write np.sum(x)", "maximum": "write np.max(x)", "minimum": "write np.min(x)"}
            advice = instead.get(ufunc.__name__, "write it with operators and np.sum")
            raise call.refuse(f"methods of ufuncs aren't computed under encryption: {advice}")
        call = Call(ufunc.__name__, inputs)
        for option, value in kwargs.items():
            call.check_option(option, value)
        return call.run(UFUNCS)

    def __array_function__(self, function: Any, types: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        module = str(getattr(function, "__module__", None) or "numpy").removeprefix("numpy").lstrip(".")
        name = f"{module}.{function.__name__}" if module else function.__name__
        return _run(FUNCTIONS, name, *args, **kwargs)

    __hash__ = object.__hash__

    def __copy__(self) -> Traced:
        return self

    def __deepcopy__(self, memo: object) -> Traced:
        return self

    def __add__(self, other: Any) -> Any:
        return _run(UFUNCS, "add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _run(UFUNCS, "add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _run(UFUNCS, "subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _run(UFUNCS, "subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _run(UFUNCS, "multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _run(UFUNCS, "multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _run(UFUNCS, "divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _run(UFUNCS, "divide", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return _run(UFUNCS, "floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _run(UFUNCS, "floor_divide", other, self)

    def __mod__(self, other: Any) -> Any:
        return _run(UFUNCS, "remainder", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _run(UFUNCS, "remainder", other, self)

    def __divmod__(self, other: Any) -> Any:
        return _run(UFUNCS, "divmod", self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _run(UFUNCS, "divmod", other, self)

    def __matmul__(self, other: Any) -> Any:
        return _run(UFUNCS, "matmul", self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _run(UFUNCS, "matmul", other, self)

    def __and__(self, other: Any) -> Any:
        return _run(UFUNCS, "bitwise_and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _run(UFUNCS, "bitwise_and", other, self)

    def __or__(self, other: Any) -> Any:
        return _run(UFUNCS, "bitwise_or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _run(UFUNCS, "bitwise_or", other, self)

    def __xor__(self, other: Any) -> Any:
        return _run(UFUNCS, "bitwise_xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _run(UFUNCS, "bitwise_xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return _run(UFUNCS, "left_shift", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return _run(UFUNCS, "left_shift", other, self)

    def __rshift__(self, other: Any) -> Any:
        return _run(UFUNCS, "right_shift", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _run(UFUNCS, "right_shift", other, self)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        return _run(UFUNCS, "power", self, other, *(() if modulus is None else (modulus,)))

    def __rpow__(self, other: Any) -> Any:
        return _run(UFUNCS, "power", other, self)

    def __lt__(self, other: Any) -> Any:
        return _run(UFUNCS, "less", self, other)

    def __le__(self, other: Any) -> Any:
        return _run(UFUNCS, "less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return _run(UFUNCS, "greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return _run(UFUNCS, "greater_equal", self, other)

    def __eq__(self, other: object) -> Any:
        return _run(UFUNCS, "equal", self, other)

    def __ne__(self, other: object) -> Any:
        return _run(UFUNCS, "not_equal", self, other)

    def __neg__(self) -> Any:
        return _run(UFUNCS, "negative", self)

    def __pos__(self) -> Any:
        return _run(UFUNCS, "positive", self)

    def __invert__(self) -> Any:
        return _run(UFUNCS, "invert", self)

    def __abs__(self) -> Any:
        return _run(UFUNCS, "absolute", self)

    def sum(self, *args: Any, **options: Any) -> Any:
        """As `numpy.sum`."""
        return _run(FUNCTIONS, "sum", self, *args, **options)

    def mean(self, *args: Any, **options: Any) -> Any:
        """As `numpy.mean`."""
        return _run(FUNCTIONS, "mean", self, *args, **options)

    def var(self, *args: Any, **options: Any) -> Any:
        """As `numpy.var`, with a `ddof` that has to be given."""
        self._check_freedom("var", args, options)
        return _run(FUNCTIONS, "var", self, *args, **options)

    def std(self, *args: Any, **options: Any) -> Any:
        """As `numpy.std`, with a `ddof` that has to be given."""
        self._check_freedom("std", args, options)
        return _run(FUNCTIONS, "std", self, *args, **options)

    def min(self, *args: Any, **options: Any) -> Any:
        """As `numpy.min`."""
        return _run(FUNCTIONS, "min", self, *args, **options)

    def max(self, *args: Any, **options: Any) -> Any:
        """As `numpy.max`."""
        return _run(FUNCTIONS, "max", self, *args, **options)

    def any(self, *args: Any, **options: Any) -> Any:
        """As `numpy.any`."""
        return _run(FUNCTIONS, "any", self, *args, **options)

    def all(self, *args: Any, **options: Any) -> Any:
        """As `numpy.all`."""
        return _run(FUNCTIONS, "all", self, *args, **options)

    def ptp(self, *args: Any, **options: Any) -> Any:
        """As `numpy.ptp`."""
        return _run(FUNCTIONS, "ptp", self, *args, **options)

    def dot(self, *args: Any, **options: Any) -> Any:
        """As `numpy.dot`."""
        return _run(FUNCTIONS, "dot", self, *args, **options)

    def clip(self, *args: Any, **options: Any) -> Any:
        """As `numpy.clip`."""
        return _run(FUNCTIONS, "clip", self, *args, **options)

    def astype(self, dtype: Any, **options: Any) -> Any:
        """As `numpy.astype`, where no value changes."""
        return _run(FUNCTIONS, "astype", self, dtype, **options)

    def copy(self, order: str = "C") -> Traced:
        """The same value, which never changes."""
        return self
