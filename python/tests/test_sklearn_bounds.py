"""Labels and probabilities of approximate scores: what their error bounds leave open."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model as linear
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import asanoha as asa
from asanoha.exceptions import CheckError, DataError
from asanoha.sklearn import BoundedArray, bin_by_thresholds, function

X, Y = load_iris(return_X_y=True)
TWO = Y == 2
MODELS = {
    "logistic": (linear.LogisticRegression(), TWO, {"output": "predict_proba"}),
    "sigmoid": (linear.LogisticRegression(), TWO, {"output": "predict_proba", "encrypted": True}),
    "softmax": (linear.LogisticRegression(max_iter=1000), Y, {"output": "predict_proba"}),
    "one by one": (linear.SGDClassifier(loss="log_loss", random_state=0), Y, {"output": "predict_proba"}),
    "ridge": (linear.RidgeClassifier(), Y, {}),
    "svc": (LinearSVC(), TWO, {}),
    "class": (DecisionTreeClassifier(max_depth=3, random_state=0), Y, {}),
    "leaf": (DecisionTreeRegressor(max_depth=3, random_state=0), X[:, 0] + X[:, 1], {}),
    "votes": (RandomForestClassifier(3, max_depth=2, random_state=0), Y, {"output": "predict_proba"}),
}


def approximate(results: dict[str, Any], bound: float, seed: int) -> dict[str, Any]:
    """Results that are off by up to a bound, as decrypted ones are."""
    random = np.random.default_rng(seed)
    off = {
        name: values + bound * random.choice([-1, 1, random.uniform()], len(values)) for name, values in results.items()
    }
    return {name: SimpleNamespace(values=v, error_bound=bound, missing=None) for name, v in off.items()}


@pytest.mark.parametrize("bound", [1e-6, 0.02, 0.3, 0.7, 5.0, 1e3])
@pytest.mark.parametrize("name", MODELS)
def test_no_label_is_given_and_no_probability_is_off_by_more_than_bounds_allow(name: str, bound: float) -> None:
    model, target, options = MODELS[name]
    f = function(model.fit(X, target), **options)
    exact = f(**(bin_by_thresholds(model, X) if f.kinds else {f"x{i}": X[:, i] for i in range(4)}))
    wanted = f.finish_predict(exact)
    for seed in range(4):
        results = approximate(exact, bound, seed)
        labels = f.finish_predict(results, uncertain="mask")
        mask = np.ma.getmaskarray(labels)
        np.testing.assert_array_equal(np.asarray(labels)[~mask], wanted[~mask])
        if mask.any():
            with pytest.raises(CheckError, match=r"labels are uncertain, the first in row") as caught:
                f.finish_predict(results)
            assert (caught.value.row, caught.value.uncertain) == (int(np.argmax(mask)), int(mask.sum()))
            assert caught.value.error_bound == bound
        else:
            np.testing.assert_array_equal(f.finish_predict(results), wanted)
        assert mask.any() == (bound > 1) or 1e-5 < bound < 1 or name == "votes"
        if f.output == "predict_proba":
            p = f.finish_proba(results, max_error=1)
            assert np.abs(p - f.finish_proba(exact)).max() <= p.error_bound + 1e-15 <= 1 + 1e-15
            if p.error_bound > 0.01:
                with pytest.raises(CheckError, match=r"probabilities may be off by .*pass max_error=") as refused:
                    f.finish_proba(results)
                assert refused.value.error_bound == p.error_bound
            # Votes of these leaves are rounded to multiples of 2^-20.
            assert f.finish_proba(exact).error_bound == (2.0**-21 if name == "votes" else 0)


def test_the_bound_of_probabilities_is_near_the_error_that_it_bounds() -> None:
    for name in ("logistic", "softmax", "one by one"):
        model, target, options = MODELS[name]
        f = function(model.fit(X, target), **options)
        exact = f(**{f"x{i}": X[:, i] for i in range(4)})
        p = f.finish_proba(approximate(exact, 1e-3, 7))
        assert 0 < p.error_bound <= 1e-3 / 2 * 1.01


def offset(model: Any, target: Any, shift: float) -> tuple[Any, dict[str, Any], Any]:
    rows = X[::3, 2:] + shift
    model = make_pipeline(StandardScaler(), model).fit(rows, target[::3])
    return model, {"x0": rows[:, 0], "x1": rows[:, 1]}, rows


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (linear.LogisticRegression(), TWO),
        (linear.LogisticRegression(), Y),
        (linear.SGDClassifier(loss="log_loss", random_state=1), Y),
    ],
    ids=["two", "softmax", "one by one"],
)
def test_columns_far_from_0_give_no_wrong_label(model: Any, target: Any) -> None:
    model, data, rows = offset(model, target, 3e6)
    f = function(model, output="predict_proba")
    results = asa.private(f)(data)
    with pytest.raises(CheckError, match="labels are uncertain"):
        f.finish_predict(results)
    labels = f.finish_predict(results, uncertain="mask")
    mask = np.ma.getmaskarray(labels)
    assert mask.any()
    assert (np.asarray(labels)[~mask] == model.predict(rows)[~mask]).all()
    with pytest.raises(CheckError, match="probabilities may be off by"):
        f.finish_proba(results)
    p = f.finish_proba(results, max_error=1)
    assert np.abs(p - model.predict_proba(rows)).max() <= p.error_bound

    # The advice of both messages.
    results = asa.private(f, precision=asa.Absolute(1e-4))(data)
    assert (f.finish_predict(results) == model.predict(rows)).all()
    p = f.finish_proba(results)
    assert np.abs(p - model.predict_proba(rows)).max() <= p.error_bound + 1e-9 <= 1e-3


def test_predicted_numbers_carry_the_bound_of_their_results() -> None:
    model, data, rows = offset(linear.LinearRegression(), X[:, 0], 3e6)
    f = function(model)
    results = asa.private(f)(data)
    predicted = f.finish_predict(results)
    assert isinstance(predicted, BoundedArray) and not predicted.exact
    assert predicted.error_bound == results["prediction"].error_bound
    assert np.abs(predicted - model.predict(rows)).max() <= predicted.error_bound + 1e-9


def test_rows_that_were_left_out_have_no_label_and_no_probability() -> None:
    gaps = np.array([False, True, False, False])
    tree = function(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y))
    result = SimpleNamespace(values=np.array([2, 0, 1, 1]), error_bound=0.0, missing=gaps)
    labels = tree.finish_predict({"prediction": result})
    assert labels.tolist() == [2, None, 1, 1]
    f = function(linear.LogisticRegression().fit(X, TWO), output="predict_proba")
    result = SimpleNamespace(values=np.array([3.0, np.nan, -4.0, 0.5]), error_bound=1.0, missing=gaps)
    assert f.finish_predict({"decision": result}, uncertain="mask").tolist() == [True, None, False, None]
    with pytest.raises(CheckError, match="1 of 4 labels are uncertain, the first in row 3"):
        f.finish_predict({"decision": result})
    assert np.isnan(f.finish_proba({"decision": result}, max_error=1)).tolist() == [[gap, gap] for gap in gaps]
    none = SimpleNamespace(values=None, error_bound=0.0, missing="the divisor is 0")
    with pytest.raises(DataError, match="output 'decision' has no values: the divisor is 0"):
        f.finish_predict({"decision": none})
    with pytest.raises(DataError, match="uncertain is 'drop': write 'raise' or 'mask'"):
        f.finish_predict({"decision": result}, uncertain="drop")


def test_scores_at_the_border_are_of_the_first_class_where_they_are_exact() -> None:
    f = function(linear.LogisticRegression().fit(X, TWO))
    assert f.finish_predict({"decision": np.array([0.0, 1e-300])}).tolist() == [False, True]


def test_parts_keep_the_bound_and_computed_arrays_have_none() -> None:
    p = BoundedArray.of(np.array([[0.2, 0.8], [0.6, 0.4]]), 0.03)
    assert p[:, 1].error_bound == p[0].error_bound == p.T.error_bound == p.copy().error_bound == 0.03
    assert pickle.loads(pickle.dumps(p)).error_bound == 0.03 and type(p[0, 0]) is np.float64
    for computed in (1 - p, p * p, np.log(p), p > 0.5, p.argmax(axis=1), p.sum(axis=0), p.round(1), p.astype(int)):
        assert type(computed) is np.ndarray
    assert type(np.concatenate([p, p])) is np.ndarray and type(np.where(p > 0.5, p, 0)) is np.ndarray
    assert type(p.max()) is np.float64 and type(p.mean()) is np.float64
