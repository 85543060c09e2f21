"""Bins of plain data between the thresholds of trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from asanoha._sklearn.errors import EstimatorError
from asanoha._sklearn.estimators import TREES, feature_names, recognised, split_pipeline
from asanoha._sklearn.feature_data import frame_names, single_precision
from asanoha._sklearn.thresholds import thresholds_of, trees_of
from asanoha.exceptions import DataError


def bin_by_thresholds(
    estimator: object, data: object, *, columns: Sequence[str] | None = None
) -> dict[str, np.ndarray[Any, np.dtype[np.int64]]]:
    """Returns the bin of every value between the thresholds of a tree or forest: the number of thresholds below it.

    The owner of the data calls it before encryption. A value is at most threshold k (from 0) in scikit-learn's
    arithmetic exactly where its bin is at most k: values are rounded to single precision, as scikit-learn does, and
    compared with the thresholds in double precision. The thresholds are public like the model.

    Parameters
    ----------
    estimator : tree, forest or Pipeline that ends with one
        A fitted estimator of scikit-learn. The transformers of a pipeline, of any class, transform the data in the
        clear before binning.
    data : array of two axes, data frame, or mapping of str to array
        The features. A frame or a mapping may have other columns too. For a pipeline it's what `Pipeline.predict`
        takes.
    columns : sequence of str, optional
        The names of the features, as for `function`.

    Returns
    -------
    dict of str to array
        The bins of every column that the trees split, of dtype int64.

    Raises
    ------
    DataError
        If columns are missing, or values are missing, infinite or no numbers. The row is counted from 0.
    EstimatorError
        If the estimator is no fitted tree or forest of up to 1024 leaves.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from asanoha.sklearn import bin_by_thresholds, function
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> tree = DecisionTreeRegressor().fit(X, [5.0, 5.0, 7.0, 9.0])
    >>> function(tree).thresholds["x0"]
    array([2.5, 3.5])
    >>> bin_by_thresholds(tree, X)
    {'x0': array([0, 0, 1, 2])}
    """
    steps, model = split_pipeline(estimator)
    kind = recognised(model, as_model=True)
    if kind not in TREES:
        raise EstimatorError(
            f"{kind} is linear and has no thresholds: its columns are encrypted as they are, without bins",
            estimator=kind,
        )
    thresholds = thresholds_of(trees_of(model, kind))
    names = tree_features(steps, model, columns)
    read_as: Sequence[Any] = names
    if steps:
        data = _transformed(steps, data)
        # Features of a transformed frame are in the order of the model's.
        read_as = frame_names(data) or names
    values = single_precision(data, read_as, thresholds)
    bins = {
        feature: np.searchsorted(own, values[feature].astype(np.float64), side="left")
        for feature, own in thresholds.items()
    }
    return {names[feature]: own.astype(np.int64) for feature, own in bins.items()}


def tree_features(steps: Sequence[Any], model: object, columns: Sequence[str] | None) -> tuple[str, ...]:
    """Returns the names of the features that trees split.

    Parameters
    ----------
    steps : sequence of transformers
        What stands before the trees; they name their outputs where they can.
    model : object
        The tree or forest.
    columns : sequence of str, optional
        Names to use instead.
    """
    if columns is not None or not steps or getattr(model, "feature_names_in_", None) is not None:
        return feature_names(model, columns)
    names: Any = None
    for step in steps:
        try:
            names = step.get_feature_names_out(names)
        except (AttributeError, ValueError):
            # A transformer that doesn't name its outputs.
            return feature_names(model)
    return feature_names(model, [str(name) for name in names])


def _transformed(steps: Sequence[Any], data: Any) -> Any:
    """The features that transformers of scikit-learn compute in the clear."""
    if isinstance(data, Mapping):
        raise DataError(
            "a pipeline transforms arrays and data frames, and data is a mapping: pass what Pipeline.predict takes"
        )
    for step in steps:
        data = step.transform(data)
    return data.toarray() if hasattr(data, "toarray") else data
