"""Linear models as functions of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from asanoha._sklearn.errors import EstimatorError
from asanoha._sklearn.estimators import REGRESSORS, numbers
from asanoha._sklearn.forms import Column, Evaluation, Form, weighted_sum
from asanoha._sklearn.intervals import normalised, normalised_error, sigmoid, sigmoid_error, softmax, softmax_error
from asanoha._sklearn.model import Array, Model, Prediction, by_largest
from asanoha._sklearn.output_names import class_outputs
from asanoha._sklearn.preprocessing import Known, transformed


@dataclass(frozen=True, kw_only=True)
class LinearRegressor(Model):
    """Predicts numbers by linear forms."""

    forms: tuple[Form, ...]
    #: Whether scikit-learn predicts a table, of one column for each target.
    is_table: bool

    def evaluate(self, columns: Mapping[str, Any]) -> list[Any]:
        evaluation = Evaluation(columns)
        return [evaluation.form(form) for form in self.forms]

    def predict(self, values: Sequence[Array], bounds: Sequence[float]) -> Prediction:
        predicted = np.column_stack(values) if self.is_table else values[0]
        return Prediction(values=predicted, is_uncertain=None, error_bound=max(bounds))


@dataclass(frozen=True, kw_only=True)
class LinearClassifier(Model):
    """Scores classes by linear forms."""

    forms: tuple[Form, ...]
    labels: Array
    #: What makes probabilities of scores: `sigmoid`, of several classes divided by their sum, or `softmax`.
    link: str | None
    #: Why there are no probabilities.
    no_link: str
    #: Whether the sigmoid is computed from encrypted scores.
    is_encrypted: bool

    def evaluate(self, columns: Mapping[str, Any]) -> list[Any]:
        evaluation = Evaluation(columns)
        scores = [evaluation.form(form) for form in self.forms]
        return [_sigmoid(score) for score in scores] if self.is_encrypted else scores

    def predict(self, values: Sequence[Array], bounds: Sequence[float]) -> Prediction:
        if len(values) > 1:
            return by_largest(self.labels, np.column_stack(values), bounds)
        margins = values[0] - (0.5 if self.is_encrypted else 0)
        labels = self.labels.take((margins > 0).astype(np.int64))
        return Prediction(values=labels, is_uncertain=(np.abs(margins) <= bounds[0]) & (bounds[0] > 0))

    def probabilities(self, values: Sequence[Array], bounds: Sequence[float]) -> tuple[Array, float]:
        if self.link is None:
            raise EstimatorError(self.no_link, estimator=self.name, output="predict_proba")
        scores = np.column_stack(values)
        if self.link == "softmax":
            return softmax(scores), softmax_error(scores, bounds)
        if len(values) > 1:
            return normalised(sigmoid(scores)), normalised_error(scores, bounds)
        if self.is_encrypted:
            second, error = np.clip(values[0], 0, 1), min(bounds[0], 1.0)
        else:
            second, error = sigmoid(values[0]), sigmoid_error(values[0], bounds[0])
        return np.column_stack([1 - second, second]), error


def _sigmoid(score: Any) -> Any:
    """The sigmoid of plain or traced scores."""
    if isinstance(score, (float, np.ndarray)):
        return sigmoid(score)
    from asanoha import _functions

    return _functions.sigmoid(score)


def linear_model(
    estimator: Any, kind: str, steps: Sequence[Any], names: Sequence[str], output: str | None, *, encrypted: bool
) -> Model:
    """Returns a fitted linear model, with the transformers before it folded in.

    Parameters
    ----------
    estimator : object
        The model.
    kind : str
        Its class in scikit-learn.
    steps : sequence of transformers
        What stands before it.
    names : sequence of str
        The names of the columns before the first step.
    output : str, optional
        What is asked; by default the scores of a classifier, and the predictions of a regressor.
    encrypted : bool
        Whether the sigmoid is computed from encrypted scores.
    """
    known: Known = {}
    features = transformed(steps, [Form.of(Column(name)) for name in names], known)
    weights = numbers(estimator, "coef_")
    rows = np.atleast_2d(weights)
    if rows.shape[1] != len(features):
        raise EstimatorError(
            f"{kind} was fitted with {rows.shape[1]} features, and the steps before it give {len(features)}: fit the "
            "pipeline as a whole",
            estimator=kind,
        )
    intercepts = np.broadcast_to(numbers(estimator, "intercept_").ravel(), (len(rows),))
    exact = [[Fraction(float(weight)) for weight in row] for row in rows]
    forms = tuple(
        weighted_sum(zip(row, features, strict=True), Fraction(float(intercept)))
        for row, intercept in zip(exact, intercepts, strict=False)
    )
    columns = tuple(dict.fromkeys(name for form in forms for name in form.columns()))
    if not columns:
        raise EstimatorError(
            f"{kind} has no weight other than 0, so that its result is the same for all rows and there is nothing to "
            "encrypt: fit it with a smaller penalty",
            estimator=kind,
        )
    used = {name: encoded for name, encoded in known.items() if name in columns}
    if kind in REGRESSORS:
        return _regressor(kind, forms, columns, used, output, is_table=weights.ndim == 2, encrypted=encrypted)
    return _classifier(estimator, kind, forms, columns, used, output or "decision_function", encrypted=encrypted)


def _regressor(
    kind: str,
    forms: tuple[Form, ...],
    columns: tuple[str, ...],
    known: Known,
    output: str | None,
    *,
    is_table: bool,
    encrypted: bool,
) -> Model:
    if output not in (None, "predict") or encrypted:
        raise EstimatorError(
            f"{kind} predicts numbers, and has no {output if not encrypted else 'probabilities'}: write "
            "output='predict' alone",
            estimator=kind,
            output=output,
        )
    outputs = ("prediction",) if len(forms) == 1 else tuple(f"prediction_{index}" for index in range(len(forms)))
    return LinearRegressor(
        name=kind,
        output="predict",
        columns=columns,
        outputs=outputs,
        explanation="the predicted value" if len(forms) == 1 else "the predicted value of each target",
        known=known,
        forms=forms,
        is_table=is_table,
    )


def _classifier(
    estimator: Any,
    kind: str,
    forms: tuple[Form, ...],
    columns: tuple[str, ...],
    known: Known,
    output: str,
    *,
    encrypted: bool,
) -> Model:
    labels = np.asarray(estimator.classes_)
    binarizer = getattr(estimator, "_label_binarizer", None)
    if str(getattr(binarizer, "y_type_", "")).startswith("multilabel"):
        raise EstimatorError(
            f"{kind} was fitted with several labels for each row, and one is supported: fit one model for each label",
            estimator=kind,
        )
    if output == "predict":
        raise EstimatorError(
            f"{kind} picks a class from scores, and only scores can be computed encrypted: write "
            "output='decision_function', and call finish_predict after decryption",
            estimator=kind,
            output=output,
        )
    link, reason = _link(estimator, kind, len(labels))
    if output == "predict_proba" and link is None:
        raise EstimatorError(reason, estimator=kind, output=output)
    if encrypted and output != "predict_proba":
        raise EstimatorError(
            "encrypted=True computes probabilities: write output='predict_proba'", estimator=kind, output=output
        )
    if encrypted and len(labels) > 2:
        raise EstimatorError(
            f"encrypted=True computes one sigmoid, and {kind} has {len(labels)} classes: leave it out, so that "
            "finish_proba computes the probabilities after decryption",
            estimator=kind,
            output=output,
        )
    if len(forms) > 1:
        outputs, explanation = class_outputs("decision", labels), "the scores of the classes"
    elif encrypted:
        outputs, explanation = ("probability",), f"the probability of class {labels[1]}"
    else:
        outputs, explanation = ("decision",), f"the score, above 0 for class {labels[1]}"
    if output == "predict_proba" and not encrypted:
        explanation += f", of which finish_proba computes the {link} after decryption"
    return LinearClassifier(
        name=kind,
        output=output,
        columns=columns,
        outputs=outputs,
        explanation=explanation,
        known=known,
        forms=forms,
        labels=labels,
        link=link,
        no_link=reason,
        is_encrypted=encrypted,
    )


def _link(estimator: Any, kind: str, classes: int) -> tuple[str | None, str]:
    """What makes probabilities of scores, and why nothing does."""
    advice = "write output='decision_function', and call finish_predict for the classes"
    if kind.startswith("LogisticRegression"):
        scheme = getattr(estimator, "multi_class", "auto")
        one_by_one = scheme in ("ovr", "warn") or estimator.solver == "liblinear"
        is_sigmoid = one_by_one or (classes == 2 and scheme in ("auto", "deprecated"))
        if not is_sigmoid and classes == 2:
            return (
                None,
                f"{kind} with multi_class='multinomial' has no sigmoid of its score for two classes: fit it without "
                "multi_class",
            )
        return "sigmoid" if is_sigmoid else "softmax", ""
    if kind == "SGDClassifier":
        if estimator.loss == "log_loss":
            return "sigmoid", ""
        return (
            None,
            f"SGDClassifier with loss={estimator.loss!r} has no supported probabilities: fit it with loss='log_loss', "
            f"or {advice}",
        )
    return None, f"{kind} has no probabilities: {advice}"
