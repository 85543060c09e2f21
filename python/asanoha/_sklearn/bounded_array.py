"""Arrays that carry an error bound."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["BoundedArray"]


class BoundedArray(np.ndarray[Any, np.dtype[Any]]):
    """An array of numpy whose values are known up to an error bound, as those of `asanoha.Result` are.

    Parts of it, such as `p[:, 1]`, keep the bound. What is computed with it is a plain array, whose errors numpy doesn't
    bound.

    Attributes
    ----------
    error_bound : float
        The maximum error of each value; 0 if the decrypted results are exact.
    exact : bool
        Whether `error_bound` is 0: the values are then off by rounding in double precision at most.

    Examples
    --------
    >>> import numpy as np
    >>> from asanoha.sklearn import BoundedArray
    >>> p = BoundedArray.of(np.array([[0.25, 0.75]]), 1e-6)
    >>> p[:, 1].error_bound, type(1 - p).__name__
    (1e-06, 'ndarray')
    """

    error_bound: float

    @classmethod
    def of(cls, values: Any, error_bound: float) -> BoundedArray:
        """Returns values with a bound."""
        made = np.asarray(values).view(cls)
        made.error_bound = float(error_bound)
        return made

    @property
    def exact(self) -> bool:
        """Whether `error_bound` is 0."""
        return self.error_bound == 0

    def __array_finalize__(self, source: object) -> None:
        self.error_bound = getattr(source, "error_bound", np.nan)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            kwargs["out"] = tuple(_plain(value) for value in kwargs["out"])
        return getattr(ufunc, method)(*(_plain(value) for value in inputs), **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _plain(super().__array_function__(function, types, args, kwargs))

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def argmax(self, *args: Any, **options: Any) -> Any:
        """As `numpy.argmax`."""
        return np.asarray(self).argmax(*args, **options)

    def argmin(self, *args: Any, **options: Any) -> Any:
        """As `numpy.argmin`."""
        return np.asarray(self).argmin(*args, **options)

    def round(self, *args: Any, **options: Any) -> Any:
        """As `numpy.round`."""
        return np.asarray(self).round(*args, **options)

    def astype(self, *args: Any, **options: Any) -> Any:
        """As `numpy.ndarray.astype`."""
        return np.asarray(self).astype(*args, **options)

    def __reduce__(self) -> Any:
        return BoundedArray.of, (np.asarray(self), self.error_bound)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, BoundedArray) else value
