"""Decrypted results."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from asanoha import _asanoha
from asanoha._program import OutputKind
from asanoha.exceptions import DataError

if TYPE_CHECKING:
    import numpy.typing as npt


class Result:
    """One decrypted output.

    Attributes
    ----------
    name : str
        Its name.
    values : numpy.ndarray or scalar
        A value for every row, or one; None where there is no result. Rows that were left out are NaN or NaT, and whole
        numbers and booleans are then a masked array.
    error_bound : float
        How far every value may be off; 0 if they are exact.
    exact : bool
        Whether they are exact.
    missing : numpy.ndarray or str or None
        The mask of rows that were left out, or why there is no result.
    """

    __slots__ = ("_native", "_place", "error_bound", "missing", "name", "values")

    def __init__(self, native: _asanoha.Decrypted, place: int, name: str, shape: str, kind: str, dtype: str) -> None:
        self._native, self._place, self.name = native, place, name
        self.error_bound: float = native.error_bound(place)
        self.missing: npt.NDArray[np.bool_] | str | None = native.missing(place)
        self.values: Any = None
        if self.missing is not None:
            return
        values = _array(native.value(place), kind, dtype)
        if shape == "number":
            self.values = values[0]
            return
        gaps = native.left_out()
        if gaps:
            mask = np.zeros(len(values) + len(gaps), dtype=bool)
            mask[gaps] = True
            self.values, self.missing = _spread(values, mask), mask
        else:
            self.values = values

    @property
    def exact(self) -> bool:
        """Whether the values are exact, but for what a float rounds of a fraction (see `fractions`)."""
        return self.values is not None and self.error_bound == 0

    def fractions(self) -> list[Fraction] | None:
        """Returns the exact values without the rows that were left out, or None where they aren't exact.

        A root, such as a standard deviation, is the decimal of the nearest double.
        """
        texts = self._native.exact(self._place)
        return None if texts is None else [Fraction(text) for text in texts]

    def __repr__(self) -> str:
        if isinstance(self.missing, str):
            return f"<Result {self.name}: none, {self.missing}>"
        bound = "exact" if self.error_bound == 0 else f"± {self.error_bound:.2g}"
        return f"<Result {self.name}: {self.values!r}, {bound}>"


def _spread(values: npt.NDArray[Any], gaps: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Values in the rows that weren't left out."""
    filled = np.zeros(len(gaps), dtype=values.dtype)
    filled[~gaps] = values
    if values.dtype.kind in "fM":
        filled[gaps] = np.nan if values.dtype.kind == "f" else np.datetime64("NaT")
        return filled
    return np.ma.MaskedArray(filled, mask=gaps)


def _array(values: Any, kind: str, dtype: str) -> npt.NDArray[Any]:
    if isinstance(values, list):
        return np.array([int(text) for text in values], dtype=object)
    if kind in ("real", "decimal"):
        return np.frombuffer(values, dtype="<f8")
    words = np.frombuffer(values, dtype="<i8")
    # The dtype is numpy's: the planner knows more of the values, such as that they're 0 and 1.
    return words if dtype == "int64" else words.astype(dtype)


def _nullable(pandas: Any, values: Any) -> Any:
    """A column of pandas, which has no masked arrays."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    nullable = {"i": pandas.arrays.IntegerArray, "b": pandas.arrays.BooleanArray}.get(values.dtype.kind)
    if nullable is None:
        # Whole numbers beyond 64 bits.
        return pandas.array(values.tolist(), dtype=object)
    return nullable(np.ma.getdata(values), np.ma.getmaskarray(values))


class Results(Mapping[str, Result]):
    """Decrypted results by their names, in the order of the program.

    Frames are made of them by `to_pandas`, or by the Arrow PyCapsule interface: `pyarrow.table(results)`, or
    `polars.from_arrow(pyarrow.table(results))`.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> results = asa.private(lambda x: {"square": x * x})({"x": np.array([1, 2, 3])})
    >>> results["square"].values.tolist(), results["square"].exact
    ([1, 4, 9], True)
    """

    def __init__(self, native: _asanoha.Decrypted, outputs: Mapping[str, OutputKind]) -> None:
        self._native = native
        made = {}
        for place, (name, shape, kind) in enumerate(native.outputs()):
            dtype = outputs[name].dtype if name in outputs else "float64"
            made[name] = Result(native, place, name, shape, kind, dtype)
        self._results = {name: made[name] for name in [*outputs, *made] if name in made}

    def __getitem__(self, name: str) -> Result:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def noise(self) -> dict[str, float]:
        """The predicted noise of the noisiest output, and what is to spare, in bits."""
        predicted, budget = self._native.noise()
        return {"predicted_bits": predicted, "budget_bits": budget}

    @property
    def published(self) -> dict[str, Any] | None:
        """How many ciphertexts were published under the key, and whether all are within the precision of the plan."""
        publication = self._native.publication()
        return None if publication is None else {"count": publication[0], "within_precision": publication[1]}

    def to_pandas(self, index: object = None) -> Any:
        """Returns the columns, or the numbers if there are no columns, as a data frame of pandas.

        Whole numbers and booleans are of the dtypes `Int64` and `boolean` where rows were left out, and columns without
        a result are NaN. Error bounds aren't in the frame.

        Parameters
        ----------
        index : pandas.Index or array, optional
            The labels of the rows, such as those of the frame that was encrypted.

        Examples
        --------
        >>> import numpy as np
        >>> import asanoha as asa
        >>> results = asa.private(lambda x: {"square": x * x})({"x": np.array([1, 2, 3])})
        >>> results.to_pandas(index=["a", "b", "c"])["square"].to_dict()
        {'a': 1, 'b': 4, 'c': 9}
        """
        pandas: Any = importlib.import_module("pandas")
        columns: dict[str, Any] = {}
        for name, result in self.items():
            rows = self._native.missing_rows(result._place)
            if rows is not None:
                columns[name] = np.full(rows, np.nan)
            elif isinstance(result.values, np.ndarray):
                columns[name] = result.values
        if not columns:
            columns = {name: [result.values] for name, result in self.items()}
        return pandas.DataFrame({name: _nullable(pandas, values) for name, values in columns.items()}, index=index)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        # pandas.DataFrame(results) would yield the names.
        raise DataError(
            "results are several arrays: write results[name].values for one of them, and results.to_pandas() or "
            "pyarrow.table(results) for a frame"
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns the columns, or the numbers if there are no columns, as a stream of Arrow record batches."""
        return self._native.arrow_stream([result._place for result in self.values()])

    def __repr__(self) -> str:
        return "\n".join(repr(result) for result in self._results.values())
