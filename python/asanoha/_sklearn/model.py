"""What a function computes, and how its decrypted outputs become predictions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asanoha._sklearn.errors import EstimatorError
from asanoha._sklearn.preprocessing import Known, check_known

#: Decrypted values.
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Predicted labels or numbers."""

    values: Array
    #: The rows whose label the error bounds of the outputs leave open; `None` of numbers.
    is_uncertain: Array | None
    #: The maximum error of numbers.
    error_bound: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """A fitted model, without scikit-learn's objects."""

    #: The class in scikit-learn.
    name: str
    #: What is asked: `decision_function`, `predict` or `predict_proba`.
    output: str
    #: The columns that the outputs are computed from.
    columns: tuple[str, ...]
    #: The names of the outputs.
    outputs: tuple[str, ...]
    #: What the outputs are, for the docstring.
    explanation: str
    #: The columns that encoders read.
    known: Known = field(default_factory=dict)

    def check(self, columns: Mapping[str, Any]) -> None:
        """Refuses plain columns that scikit-learn refuses, and columns of other kinds than the model takes."""
        check_known(columns, self.known)

    @abstractmethod
    def evaluate(self, columns: Mapping[str, Any]) -> list[Any]:
        """Returns the outputs on plain or traced columns; those that are the same for all rows are plain numbers."""

    @abstractmethod
    def predict(self, values: Sequence[Array], bounds: Sequence[float]) -> Prediction:
        """Returns what the estimator's `predict` gives, from decrypted outputs and their error bounds."""

    def probabilities(self, values: Sequence[Array], bounds: Sequence[float]) -> tuple[Array, float]:
        """Returns what the estimator's `predict_proba` gives, and its error bound, from decrypted outputs and theirs."""
        raise EstimatorError(
            f"{self.name} has no probabilities: call finish_predict", estimator=self.name, output="predict_proba"
        )


def by_largest(labels: Array, scores: Array, bounds: Sequence[float]) -> Prediction:
    """The label with the largest score in every row, the first one of equal scores.

    It's uncertain where the largest score isn't above another one by more than the error bounds of both.
    """
    largest = np.argmax(scores, axis=1)
    limits = np.asarray(bounds, dtype=np.float64)
    gaps = scores[np.arange(len(scores)), largest][:, None] - scores
    slack = limits[largest][:, None] + limits
    is_other = np.arange(scores.shape[1]) != largest[:, None]
    is_open = is_other & (slack > 0) & (gaps <= slack)
    return Prediction(values=np.asarray(labels.take(largest)), is_uncertain=is_open.any(axis=1))
