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
    def predict(self, values: Sequence[Array]) -> Array:
        """Returns what the estimator's `predict` gives, from decrypted outputs."""

    def probabilities(self, values: Sequence[Array]) -> Array:
        """Returns what the estimator's `predict_proba` gives, from decrypted outputs."""
        raise EstimatorError(
            f"{self.name} has no probabilities: call finish_predict", estimator=self.name, output="predict_proba"
        )


def by_largest(labels: Array, scores: Array) -> Array:
    """The label with the largest score in every row, the first one of equal scores."""
    return np.asarray(labels.take(np.argmax(scores, axis=1)))
