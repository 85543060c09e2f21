"""Refusals of estimators."""

from __future__ import annotations

from asanoha.exceptions import AsanohaError

__all__ = ["EstimatorError"]


class EstimatorError(AsanohaError, ValueError):
    """An estimator of scikit-learn that can't be computed under encryption, or isn't fitted.

    The figures are those of `estimator`, `output`, `leaves` and `limit` that apply.

    Examples
    --------
    >>> from asanoha.sklearn import EstimatorError
    >>> EstimatorError("Ridge isn't fitted: call fit(X, y) first", estimator="Ridge").estimator
    'Ridge'
    """
