"""The data and the models that every library runs, and what counts as the same answer.

Every worker fits the same estimators on the same rows, because models cannot be pickled between versions of
scikit-learn.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC, LinearSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ALL = slice(None)

# The name of the case that is no model: examples/risk.asa, of asanoha alone.
RISK = "risk score"


def scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


def with_one_hot(model: Any) -> Any:
    columns = ColumnTransformer([("sex", OneHotEncoder(sparse_output=False), ["sex"])], remainder=StandardScaler())
    return make_pipeline(columns, model)


# Name, data, estimator.
CASES = [
    ("logistic regression", "breast_cancer", scaled(LogisticRegression())),
    ("logistic regression, 3 classes", "wine", scaled(LogisticRegression())),
    ("linear SVC", "digits", make_pipeline(MinMaxScaler(), LinearSVC(random_state=0))),
    ("SGD classifier", "breast_cancer", scaled(SGDClassifier(random_state=0))),
    ("linear regression", "diabetes", scaled(LinearRegression())),
    ("ridge", "diabetes", make_pipeline(MinMaxScaler(), Ridge())),
    ("ridge, one-hot", "diabetes_category", with_one_hot(Ridge())),
    ("lasso", "diabetes", scaled(Lasso())),
    ("elastic net", "diabetes", scaled(ElasticNet(alpha=0.1))),
    ("linear SVR", "diabetes", scaled(LinearSVR(C=10, random_state=0))),
    ("SGD regressor", "diabetes", scaled(SGDRegressor(random_state=0))),
    ("decision tree classifier", "breast_cancer", DecisionTreeClassifier(max_depth=4, random_state=0)),
    ("decision tree regressor", "diabetes", DecisionTreeRegressor(max_depth=4, random_state=0)),
    ("random forest classifier", "wine", RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0)),
    ("random forest regressor", "diabetes", RandomForestRegressor(n_estimators=5, max_depth=3, random_state=0)),
]


def load(data: str) -> tuple[Any, Any]:
    """Returns the features as a pandas frame and the target. `digits` is even (1) against odd (0)."""
    if data == "breast_cancer":
        features, target = load_breast_cancer(return_X_y=True, as_frame=True)
    elif data == "wine":
        features, target = load_wine(return_X_y=True, as_frame=True)
    elif data == "digits":
        features, target = load_digits(return_X_y=True, as_frame=True)
        target = (target % 2 == 0).astype(int)
    else:
        features, target = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
        if data == "diabetes_category":
            features["sex"] = features["sex"].map({1.0: "first", 2.0: "second"})
    features.columns = [re.sub(r"\W", "_", name) for name in features.columns]
    return features, target.to_numpy()


class Case:
    """A fitted estimator with its data."""

    def __init__(self, name: str) -> None:
        data, self.estimator = next((data, estimator) for known, data, estimator in CASES if known == name)
        self.features, self.target = load(data)
        self.estimator.fit(self.features, self.target)

    @property
    def model(self) -> Any:
        """The model itself, without the transformers before it."""
        return self.estimator[-1] if hasattr(self.estimator, "steps") else self.estimator

    @property
    def classifies(self) -> bool:
        return hasattr(self.model, "classes_")

    @cached_property
    def transformed(self) -> Any:
        """The features as the model itself takes them."""
        features = self.estimator[:-1].transform(self.features) if hasattr(self.estimator, "steps") else self.features
        return np.asarray(features, dtype=np.float64)

    @cached_property
    def labels(self) -> Any:
        """What scikit-learn predicts."""
        return self.estimator.predict(self.features)

    @cached_property
    def scores(self) -> Any:
        """scikit-learn's scores, a column for each output; the probabilities of trees that classify."""
        methods = ("decision_function", "predict_proba", "predict")
        method = next(method for method in methods if hasattr(self.estimator, method))
        return columns(getattr(self.estimator, method)(self.features))

    def quality(self, predictions: Any) -> float:
        """Returns the share of right labels, or the R² of a regression."""
        if self.classifies:
            return float(np.mean(predictions == self.target))
        residues = np.sum((predictions - self.target) ** 2)
        return float(1 - residues / np.sum((self.target - self.target.mean()) ** 2))

    def agreement(self, predictions: Any, scores: Any, bound: float | None, rows: Any = ALL) -> dict[str, Any]:
        """Compares predictions, and scores if there are any, with scikit-learn's on the given rows.

        A label is `decided` if scikit-learn's scores are farther than the bound from another label. `wrong` counts the
        decided rows with another label and those with a score beyond the bound. A library that states no bound has no
        decided rows, and is never wrong.
        """
        wanted, labels = self.scores[rows], self.labels[rows]
        found: dict[str, Any] = {"rows": len(labels), "error_bound": bound}
        errors = np.zeros(len(labels)) if scores is None else np.abs(columns(scores) - wanted).max(axis=1)
        if scores is not None:
            found["max_error"] = float(errors.max())
        # scikit-learn's own sums are rounded.
        allowed = np.inf if bound is None else bound + 1e-12 * max(1.0, float(np.abs(wanted).max()))
        is_wrong = errors > allowed
        if self.classifies:
            is_decided = np.full(len(labels), True) if bound == 0 else margins(wanted) > allowed
            is_equal = predictions == labels
            found |= {"equal": int(is_equal.sum()), "decided": int(is_decided.sum())}
            is_wrong |= is_decided & ~is_equal
        found["wrong"] = int(is_wrong.sum())
        if len(labels) == len(self.target):
            found |= {"quality": self.quality(predictions), "quality_of_scikit_learn": self.quality(labels)}
        return found


def columns(values: Any) -> Any:
    """Returns values as columns."""
    return np.asarray(values, dtype=np.float64).reshape(len(values), -1)


def margins(scores: Any) -> Any:
    """Returns by how much every score may be off before the label changes."""
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    largest = np.sort(scores, axis=1)
    return (largest[:, -1] - largest[:, -2]) / 2
