"""Functions of columns that compute what models of scikit-learn compute."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from asanoha._data import check_indexes
from asanoha._sklearn.bounded_array import BoundedArray
from asanoha._sklearn.estimators import are_parameters
from asanoha._sklearn.model import Array, Model
from asanoha._sklearn.trees import TreeModel, TreeVotes
from asanoha.exceptions import CheckError, DataError


class Decrypted(NamedTuple):
    """The decrypted outputs of a function."""

    #: The values of every output, without rows that were left out.
    values: list[Array]
    #: The error bound of every output.
    bounds: list[float]
    #: The mask of rows that were left out.
    left_out: Array | None

    def spread(self, found: Array, fill: Any = np.nan) -> Array:
        """Rows in their places among those that were left out, which are filled."""
        if self.left_out is None:
            return found
        spread = np.empty((len(self.left_out), *found.shape[1:]), found.dtype)
        spread[~self.left_out] = found
        spread[self.left_out] = fill
        return spread


class ModelFunction:
    """A function of columns that computes what a model of scikit-learn computes.

    `asanoha.sklearn.function` makes it, `asanoha.plan` and `asanoha.trace` take it, and called with columns of numpy it
    gives the outputs in the clear. It holds the weights, and no object of scikit-learn, and it pickles.

    Attributes
    ----------
    columns : tuple of str
        The columns that the outputs are computed from.
    output : str
        `decision_function`, `predict` or `predict_proba`.
    outputs : tuple of str
        The names of the outputs, in the order of the classes or targets.
    categories : mapping of str to tuple
        The categories of every column that a OneHotEncoder reads. A schema takes texts as
        `Category(f.categories["region"])`.
    thresholds : mapping of str to array
        For trees, the sorted thresholds of every column, else empty.
    kinds : mapping of str to int
        For trees, the number of bins of every column, else empty. A schema takes them as `Whole(0, f.kinds["bmi"] -
        1)`.
    votes_scale : int or None
        For votes, how many votes each tree divides among the classes.
    tie_bound : float or None
        For votes, a difference of the two largest probabilities above which `finish_predict` gives scikit-learn's
        class.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from asanoha.sklearn import function
    >>> data = load_diabetes(as_frame=True)
    >>> f = function(Ridge().fit(data.data[["bmi", "bp"]], data.target))
    >>> f
    ModelFunction(Ridge, output='predict', columns=('bmi', 'bp'))
    >>> f.outputs
    ('prediction',)
    """

    __name__: str
    __qualname__: str

    def __init__(self, model: Model, features: Sequence[str]) -> None:
        self._model = model
        self._features = tuple(features)
        self._is_named = are_parameters(model.columns)
        self.columns = model.columns
        self.output = model.output
        self.outputs = model.outputs
        self.__name__ = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", model.name).lower()
        self.__qualname__ = self.__name__
        self.__doc__ = _documentation(model)
        self.__signature__ = _signature(model.columns if self._is_named else None)

    @property
    def categories(self) -> Mapping[str, tuple[Any, ...]]:
        """The categories of every column that a OneHotEncoder reads."""
        return MappingProxyType({name: encoded.categories for name, encoded in self._model.known.items()})

    @property
    def thresholds(self) -> Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]:
        """The sorted thresholds of every column of a tree."""
        thresholds = self._model.thresholds if isinstance(self._model, TreeModel) else {}
        return MappingProxyType({name: values.copy() for name, values in thresholds.items()})

    @property
    def kinds(self) -> Mapping[str, int]:
        """The number of bins of every column of a tree, one more than its thresholds."""
        return MappingProxyType({name: len(values) + 1 for name, values in self.thresholds.items()})

    @property
    def votes_scale(self) -> int | None:
        """How many votes each tree divides among the classes."""
        return self._model.scale if isinstance(self._model, TreeVotes) else None

    @property
    def tie_bound(self) -> float | None:
        """A difference of the two largest probabilities above which `finish_predict` gives scikit-learn's class."""
        return self._model.tie_bound if isinstance(self._model, TreeVotes) else None

    def __call__(self, /, *args: Any, **columns: Any) -> dict[str, Any]:
        """Returns the outputs by their names.

        Parameters
        ----------
        **columns
            The columns by their names: arrays of one axis, or traced columns. Features that the model doesn't use may
            be given too.

        Raises
        ------
        DataError
            If columns are missing, unknown, of different lengths, or have values that the model doesn't take.
        """
        if args:
            raise DataError(f"{self.__name__} takes columns by their names: write {self._example()}", found=len(args))
        self._check_names(columns)
        check_indexes({name: columns[name] for name in self.columns})
        given = {name: _plain(name, columns[name]) for name in self.columns}
        rows = _rows(given)
        self._model.check(given)
        values = self._model.evaluate(given)
        if rows is not None:
            values = [value if isinstance(value, np.ndarray) else np.full(rows, value) for value in values]
        return dict(zip(self.outputs, values, strict=True))

    def _check_names(self, columns: Mapping[str, Any]) -> None:
        missing = [name for name in self.columns if name not in columns]
        if missing:
            others = f" and {len(missing) - 1} others are" if len(missing) > 1 else " is"
            raise DataError(
                f"column {missing[0]!r}{others} missing: {self.__name__} takes {len(self.columns)} columns; write "
                f"{self._example()}",
                column=missing[0],
            )
        unknown = [name for name in columns if name not in self._features and self._is_named]
        if unknown:
            near = difflib.get_close_matches(unknown[0], self._features, 1, 0.0)
            raise DataError(
                f"{self.__name__} has no column {unknown[0]!r}: leave it out, or write {near[0]!r} for the nearest one",
                column=unknown[0],
            )

    def _example(self) -> str:
        if not self._is_named:
            return f"{self.__name__}(**columns) with a mapping of names"
        more = ", ..." if len(self.columns) > 2 else ""
        return f"{self.__name__}({', '.join(f'{name}=...' for name in self.columns[:2])}{more})"

    def finish(self, results: Mapping[str, Any]) -> Array:
        """Returns the predictions that decrypted results stand for.

        Parameters
        ----------
        results : mapping of str to Result or array
            What `Client.decrypt` gives, or what the function gives in the clear.

        Returns
        -------
        array
            What `finish_proba` gives where the output is `predict_proba`, else what `finish_predict` gives.

        Raises
        ------
        CheckError
            As these do.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.linear_model import LogisticRegression
        >>> from asanoha.sklearn import function
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> f = function(LogisticRegression(max_iter=10_000).fit(X[:, :2], y))
        >>> f.finish(f(x0=X[:3, 0], x1=X[:3, 1]))
        array([0, 0, 0])
        """
        return self.finish_proba(results) if self.output == "predict_proba" else self.finish_predict(results)

    def finish_predict(self, results: Mapping[str, Any], *, uncertain: str = "raise") -> Array:
        """Returns what the estimator's `predict` gives, from decrypted results.

        Results that aren't exact have an error bound, and a label is given only where this bound leaves no other label.

        Parameters
        ----------
        results : mapping of str to Result or array
            What `Client.decrypt` gives, or what the function gives in the clear. Arrays are taken as exact: pass the
            results themselves, which have bounds, rather than their `values`.
        uncertain : {"raise", "mask"}
            What is done about rows whose label the error bounds leave open: they're refused, or masked.

        Returns
        -------
        array, numpy.ma.MaskedArray or BoundedArray
            Labels, as a masked array with `uncertain="mask"` or where rows were left out; or predicted numbers with
            their `error_bound`, which are NaN in rows that were left out.

        Raises
        ------
        DataError
            If an output is missing or has values that aren't finite.
        CheckError
            If labels are uncertain and `uncertain` is "raise". Its figures are the first such `row`, their number
            `uncertain` and the `error_bound`.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from asanoha.sklearn import bin_by_thresholds, function
        >>> X, y = load_wine(return_X_y=True)
        >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> f = function(tree)
        >>> bool((f.finish_predict(f(**bin_by_thresholds(tree, X))) == tree.predict(X)).all())
        True
        """
        if uncertain not in ("raise", "mask"):
            raise DataError(f"uncertain is {uncertain!r}: write 'raise' or 'mask'", value=uncertain)
        given = self._decrypted(results)
        found = self._model.predict(given.values, given.bounds)
        if found.is_uncertain is None:
            return BoundedArray.of(given.spread(found.values), found.error_bound)
        is_open = given.spread(found.is_uncertain, False)
        count, bound = int(np.count_nonzero(is_open)), max(given.bounds)
        if count and uncertain == "raise":
            row = int(np.argmax(is_open))
            raise CheckError(
                f"{count} of {len(is_open)} labels are uncertain, the first in row {row}: the error bound of the "
                f"results, {bound:.2g}, allows several labels there. Pass uncertain='mask' for a masked array, or plan "
                f"with a smaller error, such as precision=asanoha.Absolute({bound / 1000:.1g})",
                row=row,
                uncertain=count,
                error_bound=bound,
            )
        labels = given.spread(found.values, found.values[:1])
        if uncertain == "raise" and given.left_out is None:
            return labels
        masked = is_open if given.left_out is None else is_open | given.left_out
        return np.ma.MaskedArray(labels, mask=masked)

    def finish_proba(self, results: Mapping[str, Any], *, max_error: float = 0.01) -> BoundedArray:
        """Returns what the estimator's `predict_proba` gives, from decrypted results, with an error bound.

        Parameters
        ----------
        results : mapping of str to Result or array
            What `Client.decrypt` gives, or what the function gives in the clear. Arrays are taken as exact: pass the
            results themselves, which have bounds, rather than their `values`.
        max_error : float
            Probabilities that may be off by more are refused.

        Returns
        -------
        BoundedArray
            Probabilities, with their `error_bound`; NaN in rows that were left out.

        Raises
        ------
        EstimatorError
            If the estimator has no probabilities.
        DataError
            If an output is missing or has values that aren't finite.
        CheckError
            If probabilities may be off by more than `max_error`. Its figure is the `error_bound`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.linear_model import LogisticRegression
        >>> from asanoha.sklearn import function
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> f = function(LogisticRegression(max_iter=10_000).fit(X[:, :2], y), output="predict_proba")
        >>> p = f.finish_proba(f(x0=X[:3, 0], x1=X[:3, 1]))
        >>> p.shape, p.error_bound
        ((3, 2), 0.0)
        """
        given = self._decrypted(results)
        table, error = self._model.probabilities(given.values, given.bounds)
        if error > max_error:
            raise CheckError(
                f"probabilities may be off by {error:.2g}, because the error bound of the results is "
                f"{max(given.bounds):.2g}: plan with a smaller error, such as precision=asanoha.Absolute({max_error:g}), "
                f"or pass max_error={np.ceil(error * 100) / 100:g} to take them so",
                error_bound=error,
            )
        return BoundedArray.of(given.spread(table), error)

    def _decrypted(self, results: Mapping[str, Any]) -> Decrypted:
        """The values of the outputs, all finite and of one length."""
        values: list[Array] = []
        bounds: list[float] = []
        left_out: Array | None = None
        for name in self.outputs:
            if name not in results:
                known = ", ".join(results) or "none"
                raise DataError(
                    f"output {name!r} is missing among the results, which are {known}: pass all results", column=name
                )
            result = results[name]
            gaps = getattr(result, "missing", None)
            if isinstance(gaps, str):
                raise DataError(f"output {name!r} has no values: {gaps}", column=name)
            bounds.append(float(getattr(result, "error_bound", 0.0)))
            array = np.ma.atleast_1d(result if isinstance(result, np.ndarray) else getattr(result, "values", result))
            if array.ndim != 1 or (
                values and len(array) != len(values[0]) + (0 if left_out is None else left_out.sum())
            ):
                wanted = f"({len(values[0])},)" if values else "(rows,)"
                raise DataError(
                    f"output {name!r} has shape {array.shape}, and should have {wanted}: pass all results", column=name
                )
            if gaps is None and np.ma.is_masked(array):
                gaps = np.ma.getmaskarray(array)
            if gaps is not None:
                left_out = np.asarray(gaps, dtype=bool)
            plain = np.asarray(np.ma.getdata(array))
            numbers = (plain if left_out is None else plain[~left_out]).astype(np.float64)
            if not np.isfinite(numbers).all():
                row = int(np.argmin(np.isfinite(plain.astype(np.float64))))
                raise DataError(
                    f"output {name!r} has {numbers[~np.isfinite(numbers)][0]} in row {row}: leave rows without a result "
                    "out",
                    column=name,
                    row=row,
                )
            values.append(numbers)
        return Decrypted(values, bounds, left_out)

    def __repr__(self) -> str:
        return f"ModelFunction({self._model.name}, output={self.output!r}, columns={self.columns!r})"


def _signature(columns: Sequence[str] | None) -> inspect.Signature:
    """The columns as parameters, or `**columns` where they can't be."""
    if columns is None:
        return inspect.Signature([inspect.Parameter("columns", inspect.Parameter.VAR_KEYWORD)])
    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in columns])


def _documentation(model: Model) -> str:
    """The docstring of the function of a model."""
    bins = "bins, as bin_by_thresholds gives them" if isinstance(model, TreeModel) else "columns"
    title = f"{model.output} of a fitted {model.name}, on {len(model.columns)} columns."
    return "\n\n".join(
        [
            title,
            "The weights stand in the plan and are public.",
            f"Takes the {bins}: {', '.join(model.columns)}.",
            f"Returns {', '.join(model.outputs)}: {model.explanation}.",
        ]
    )


def _plain(name: str, column: Any) -> Any:
    """A plain column as an array of numpy; a traced one as it is."""
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    if isinstance(column, (list, tuple)):
        column = np.asarray(column)
    if isinstance(column, np.ndarray) and column.ndim != 1:
        raise DataError(
            f"column {name!r} has shape {column.shape}, and columns have one axis: pass X[:, index]", column=name
        )
    return column


def _rows(columns: Mapping[str, Any]) -> int | None:
    """The number of rows of plain columns; `None` of traced ones."""
    rows: int | None = None
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            if rows is not None and len(column) != rows:
                raise DataError(
                    f"column {name!r} has {len(column)} rows, and the columns before it have {rows}: pass columns of "
                    "one length",
                    column=name,
                    rows=len(column),
                )
            rows = len(column)
    return rows
