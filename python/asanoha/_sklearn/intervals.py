"""Probabilities of scores that are known up to error bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asanoha._sklearn.model import Array

#: The relative error of a probability in double precision, which is added to what scores cause.
_ROUNDING = 2.0**-48


def sigmoid(scores: Any) -> Any:
    """The sigmoid of plain scores."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-scores))


def sigmoid_error(scores: Array, bound: float) -> float:
    """The largest error of the sigmoid of scores that are off by at most `bound`."""
    if bound == 0:
        return 0.0
    exact = sigmoid(scores)
    return _largest(np.maximum(sigmoid(scores + bound) - exact, exact - sigmoid(scores - bound)))


def normalised(weights: Array) -> Array:
    """Weights of classes divided by their sum; equal shares where all are 0, as in scikit-learn."""
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total == 0, 1.0, weights)
    return np.asarray(weights / np.where(total == 0, weights.shape[1], total))


def normalised_error(scores: Array, bounds: Sequence[float]) -> float:
    """The largest error of the normalised sigmoids of scores that are off by at most `bounds`."""
    if not any(bounds):
        return 0.0
    return _share_error(sigmoid(scores - bounds), sigmoid(scores + bounds), normalised(sigmoid(scores)))


def softmax(scores: Array) -> Array:
    """The softmax of plain scores."""
    return normalised(np.exp(scores - scores.max(axis=1, keepdims=True)))


def softmax_error(scores: Array, bounds: Sequence[float]) -> float:
    """The largest error of the softmax of scores that are off by at most `bounds`."""
    if not any(bounds):
        return 0.0
    # The largest upper end is e^0: nothing overflows.
    shifted = scores - (scores + bounds).max(axis=1, keepdims=True)
    return _share_error(np.exp(shifted - bounds), np.exp(shifted + bounds), softmax(scores))


def _share_error(low: Array, high: Array, shares: Array) -> float:
    """The largest distance between shares and those of weights that lie anywhere from `low` to `high`."""
    others_low = low.sum(axis=1, keepdims=True) - low
    others_high = high.sum(axis=1, keepdims=True) - high
    with np.errstate(invalid="ignore", divide="ignore"):
        least, most = low / (low + others_high), high / (high + others_low)
    # Where all weights may be 0, a share may be anything.
    least, most = np.where(np.isnan(least), 0.0, least), np.where(np.isnan(most), 1.0, most)
    return _largest(np.maximum(most - shares, shares - least))


def _largest(errors: Array) -> float:
    return min(float(errors.max(initial=0)) + _ROUNDING, 1.0)
