"""Linear models of scikit-learn, called with plain columns."""

from __future__ import annotations

import inspect
import pickle
import re
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from recorder import Recorder
from sklearn import linear_model as linear
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC, LinearSVR

from asanoha.sklearn import ModelFunction, function

CANCER = load_breast_cancer(as_frame=True)
WINE = load_wine(as_frame=True)
DIABETES = load_diabetes(as_frame=True, scaled=False)
DIGITS = load_digits(n_class=2, as_frame=True)
CANCER_X = CANCER.data.iloc[:, :6].rename(columns=lambda name: name.replace(" ", "_"))
WINE_X = WINE.data[["alcohol", "color_intensity", "proline", "flavanoids"]]
DIABETES_X = DIABETES.data[["age", "bmi", "bp", "s5"]]
DIGITS_X = DIGITS.data[["pixel_2_3", "pixel_3_3", "pixel_4_4", "pixel_0_0"]]

REGRESSORS = [
    linear.LinearRegression(),
    linear.LinearRegression(fit_intercept=False),
    linear.Ridge(),
    linear.RidgeCV(),
    linear.Lasso(alpha=0.1),
    linear.LassoCV(cv=3),
    linear.ElasticNet(),
    linear.ElasticNetCV(cv=3),
    LinearSVR(max_iter=200),
    linear.SGDRegressor(max_iter=20, random_state=0),
    linear.MultiTaskLasso(),
]
CLASSIFIERS = [
    linear.LogisticRegression(max_iter=200),
    linear.LogisticRegression(max_iter=200, fit_intercept=False),
    linear.LogisticRegressionCV(Cs=2, cv=3, max_iter=200, l1_ratios=(0,), use_legacy_attributes=False),
    linear.RidgeClassifier(),
    linear.RidgeClassifierCV(),
    LinearSVC(max_iter=500),
    linear.SGDClassifier(random_state=0),
    linear.SGDClassifier(loss="log_loss", random_state=0),
]
SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler(),
    MinMaxScaler(feature_range=(-2, 1), clip=True),
    MaxAbsScaler(),
    MaxAbsScaler(clip=True),
    RobustScaler(),
    RobustScaler(with_centering=False),
    RobustScaler(with_scaling=False),
    PolynomialFeatures(2),
    PolynomialFeatures(3, interaction_only=True, include_bias=False),
]


def fitted(model: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def columns(X: Any) -> dict[str, Any]:
    return {str(name): X[name].to_numpy() for name in X.columns}


def stacked(f: ModelFunction, results: dict[str, Any]) -> Any:
    assert tuple(results) == f.outputs
    return results[f.outputs[0]] if len(f.outputs) == 1 else np.column_stack([results[name] for name in f.outputs])


def assert_close(got: Any, wanted: Any) -> None:
    """Equal to 1e-12 of the largest: sums that cancel have fewer digits than their terms."""
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors_predict_what_scikit_learn_predicts(model: Any) -> None:
    y = DIABETES.target if not isinstance(model, linear.MultiTaskLasso) else np.c_[DIABETES.target, DIABETES_X["bp"]]
    pipeline = fitted(make_pipeline(StandardScaler(), model), DIABETES_X, y)
    for output in (None, "predict"):
        f = function(pipeline, output=output)
        results = f(**columns(DIABETES_X))
        assert_close(stacked(f, results), pipeline.predict(DIABETES_X))
        assert_close(f.finish(results), pipeline.predict(DIABETES_X))
    wanted = ("prediction",) if np.ndim(y) == 1 else ("prediction_0", "prediction_1")
    assert f.outputs == wanted


def test_a_target_of_one_column_is_predicted_as_a_table() -> None:
    model = linear.LinearRegression().fit(DIABETES_X, DIABETES.target.to_frame())
    f = function(model)
    results = f(**columns(DIABETES_X))
    assert results["prediction"].ndim == 1
    assert_close(f.finish_predict(results), model.predict(DIABETES_X))


@pytest.mark.parametrize("data", ["binary", "several", "digits"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classifiers_score_what_scikit_learn_scores(model: Any, data: str) -> None:
    X, labels = {
        "binary": (CANCER_X, CANCER.target.map({0: "malignant", 1: "benign"})),
        "several": (WINE_X, WINE.target - 1),
        "digits": (DIGITS_X, DIGITS.target.astype(bool)),
    }[data]
    pipeline = fitted(make_pipeline(StandardScaler(), model), X, labels)
    f = function(pipeline)
    results = f(**columns(X))
    assert_close(stacked(f, results), pipeline.decision_function(X))
    assert (f.finish_predict(results) == pipeline.predict(X)).all()
    assert (f.finish(results) == pipeline.predict(X)).all()
    wanted = ("decision_minus_1", "decision_0", "decision_1") if data == "several" else ("decision",)
    assert f.outputs == wanted
    if hasattr(pipeline, "predict_proba"):
        np.testing.assert_allclose(f.finish_proba(results), pipeline.predict_proba(X), rtol=1e-10, atol=1e-12)
        proba = function(pipeline, output="predict_proba")
        np.testing.assert_array_equal(proba.finish(proba(**columns(X))), f.finish_proba(results))
        assert "finish_proba computes" in str(proba.__doc__)


@pytest.mark.parametrize("model", [linear.LogisticRegression(), linear.SGDClassifier(loss="log_loss")], ids=str)
def test_the_sigmoid_of_two_classes_can_be_an_output(model: Any) -> None:
    pipeline = fitted(make_pipeline(StandardScaler(), model), CANCER_X, CANCER.target)
    f = function(pipeline, output="predict_proba", encrypted=True)
    results = f(**columns(CANCER_X))
    assert f.outputs == ("probability",)
    np.testing.assert_allclose(results["probability"], pipeline.predict_proba(CANCER_X)[:, 1], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(f.finish(results), pipeline.predict_proba(CANCER_X), rtol=1e-10, atol=1e-12)
    assert (f.finish_predict(results) == pipeline.predict(CANCER_X)).all()
    approximate = {"probability": np.array([-1e-9, 1 + 1e-9])}
    np.testing.assert_array_equal(f.finish_proba(approximate), [[1, 0], [0, 1]])


def test_sigmoids_of_classes_whose_scores_are_all_low_give_equal_probabilities() -> None:
    model = fitted(linear.SGDClassifier(loss="log_loss", random_state=0), WINE_X, WINE.target)
    f = function(model)
    lowest = {name: np.array([-1000.0]) for name in f.outputs}
    np.testing.assert_allclose(f.finish_proba(lowest), [[1 / 3] * 3])


def test_scores_are_scikit_learns_where_numbers_are_far_from_zero() -> None:
    year = np.linspace(2_000_000_000, 2_000_000_010, 442)
    model = make_pipeline(StandardScaler(), linear.LinearRegression()).fit(year[:, None], DIABETES.target)
    assert_close(function(model)(x0=year)["prediction"], model.predict(year[:, None]))


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
def test_scalers_are_folded_into_the_weights(scaler: Any) -> None:
    model = fitted(make_pipeline(scaler, linear.Ridge()), DIABETES_X, DIABETES.target)
    beyond = DIABETES_X * 1.5 - 3
    assert_close(function(model)(**columns(beyond))["prediction"], model.predict(beyond))
    twice = make_pipeline(RobustScaler(), make_pipeline(scaler, "passthrough"), MinMaxScaler(), StandardScaler())
    model = fitted(make_pipeline(twice, linear.Ridge()), DIABETES_X, DIABETES.target)
    assert_close(function(model)(**columns(beyond))["prediction"], model.predict(beyond))


def test_constant_features_are_clipped_too() -> None:
    scalers = (PolynomialFeatures(1), MinMaxScaler(feature_range=(2, 5)), StandardScaler(), MaxAbsScaler(clip=True))
    model = make_pipeline("passthrough", *scalers, MinMaxScaler(clip=True), linear.Ridge()).fit(
        DIABETES_X, DIABETES.target
    )
    model[4].scale_[0] = 1e-3
    f = function(model)
    assert f.columns == ("age", "bmi", "bp", "s5")
    assert_close(f(**columns(DIABETES_X))["prediction"], model.predict(DIABETES_X))


def test_results_may_have_their_values_as_an_attribute() -> None:
    model = fitted(linear.LogisticRegression(max_iter=200), CANCER_X, CANCER.target)
    f = function(model)
    decision = SimpleNamespace(values=f(**columns(CANCER_X))["decision"], error_bound=1e-6)
    np.testing.assert_array_equal(f.finish({"decision": decision}), model.predict(CANCER_X))


def mixed(rows: int = 60) -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "region": random.choice(["north", "south", "the east"], rows),
            "rooms": random.integers(1, 5, rows),
            "area": random.normal(80, 20, rows),
            "is_new": random.integers(0, 2, rows).astype(bool),
        }
    )


@pytest.mark.parametrize("remainder", ["passthrough", "drop", StandardScaler()], ids=str)
@pytest.mark.parametrize("options", [{}, {"drop": "first"}, {"drop": "if_binary", "handle_unknown": "ignore"}], ids=str)
def test_column_transformers_are_folded_into_the_weights(remainder: Any, options: dict[str, Any]) -> None:
    X = mixed()
    y = X["area"] + 10 * X["rooms"] + 5 * (X["region"] == "south")
    transformer = ColumnTransformer(
        [
            ("places", OneHotEncoder(**options), ["region", "is_new"]),
            ("nothing", "drop", []),
            ("rooms", make_pipeline(MinMaxScaler(), PolynomialFeatures(2)), slice("rooms", "rooms")),
        ],
        remainder=remainder,
        transformer_weights={"rooms": 3.5},
    )
    model = make_pipeline(transformer, StandardScaler(), linear.Ridge()).fit(X, y)
    f = function(model)
    assert_close(f(**columns(X))["prediction"], model.predict(X))
    assert dict(f.categories) == {"region": ("north", "south", "the east"), "is_new": (0, 1)}
    if options.get("handle_unknown") == "ignore":
        other = X.assign(region="west")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_close(f(**columns(other))["prediction"], model.predict(other))


@pytest.mark.parametrize(
    "chosen", [[0, 2], slice(1, None), [True, False, True, False], -1, [-2], np.array([1])], ids=str
)
def test_column_transformers_take_columns_by_their_places(chosen: Any) -> None:
    X = DIABETES_X.to_numpy()
    one_column = isinstance(chosen, int)
    scaler = FunctionTransformer() if one_column else RobustScaler()
    transformer = make_column_transformer((scaler, [chosen] if one_column else chosen), remainder="passthrough")
    model = make_pipeline(transformer, linear.LinearRegression()).fit(X, DIABETES.target)
    f = function(model)
    assert f.columns == tuple(sorted(f.columns, key=f.columns.index)) and set(f.columns) == {"x0", "x1", "x2", "x3"}
    assert_close(f(**{f"x{place}": X[:, place] for place in range(4)})["prediction"], model.predict(X))


def test_one_hot_encoders_take_all_columns_and_numbers() -> None:
    X = np.c_[np.arange(60) % 3, np.arange(60) % 4 / 2]
    y = X[:, 0] * X[:, 1]
    model = make_pipeline(OneHotEncoder(), linear.Ridge()).fit(X, y)
    f = function(model)
    assert dict(f.categories) == {"x0": (0, 1, 2), "x1": (0, 0.5, 1, 1.5)}
    assert_close(f(x0=X[:, 0], x1=X[:, 1])["prediction"], model.predict(X))
    assert_close(f(x0=X[:, 0].astype(int), x1=X[:, 1])["prediction"], model.predict(X))


def test_names_are_the_frames_or_given_or_numbered() -> None:
    model = linear.LinearRegression().fit(DIABETES_X, DIABETES.target)
    assert function(model).columns == ("age", "bmi", "bp", "s5")
    assert function(model, columns=["a", "b", "c", "d"]).columns == ("a", "b", "c", "d")
    assert function(linear.LinearRegression().fit(DIABETES_X.to_numpy(), DIABETES.target)).columns == (
        "x0",
        "x1",
        "x2",
        "x3",
    )
    assert list(inspect.signature(function(model)).parameters) == ["age", "bmi", "bp", "s5"]
    spaced = function(model, columns=["age in years", "bmi", "bp", "class"])
    assert str(inspect.signature(spaced)) == "(**columns)"
    given = dict(zip(spaced.columns, columns(DIABETES_X).values(), strict=True))
    assert_close(spaced(**given, other=1)["prediction"], model.predict(DIABETES_X))


def test_columns_without_weight_are_no_parameters_but_may_be_given() -> None:
    model = linear.Lasso(alpha=20).fit(DIABETES_X, DIABETES.target)
    f = function(model)
    assert 0 < len(f.columns) < 4
    assert_close(f(**columns(DIABETES_X))["prediction"], model.predict(DIABETES_X))


def test_a_class_without_weights_has_the_same_score_in_every_row() -> None:
    model = fitted(linear.LogisticRegression(), WINE_X, WINE.target)
    model.coef_[1] = 0
    f = function(model)
    results = f(**columns(WINE_X))
    assert_close(stacked(f, results), model.decision_function(WINE_X))
    traced = f(**{name: Recorder().column() for name in f.columns})
    assert traced["decision_1"] == model.intercept_[1]


def test_columns_may_be_lists_series_and_other_dtypes() -> None:
    model = linear.Ridge().fit(DIABETES_X, DIABETES.target)
    f, wanted = function(model), model.predict(DIABETES_X)
    as_lists = {name: values.tolist() for name, values in columns(DIABETES_X).items()}
    assert_close(f(**as_lists)["prediction"], wanted)
    assert_close(f(**{name: DIABETES_X[name] for name in DIABETES_X})["prediction"], wanted)
    assert_close(f(**dict(pl.DataFrame(as_lists).to_dict()))["prediction"], wanted)
    objects = {name: values.astype(object) for name, values in columns(DIABETES_X).items()}
    assert_close(f(**objects)["prediction"], wanted)
    model = make_pipeline(PolynomialFeatures(2), linear.Ridge()).fit(np.arange(9)[:, None], np.arange(9))
    large = np.array([2**40, 3])
    assert_close(function(model)(x0=large)["prediction"], model.predict(large[:, None].astype(float)))


def test_sparse_weights_are_read() -> None:
    model = fitted(linear.LogisticRegression(), CANCER_X, CANCER.target)
    wanted = function(model)(**columns(CANCER_X))["decision"]
    np.testing.assert_array_equal(function(model.sparsify())(**columns(CANCER_X))["decision"], wanted)


def test_a_function_says_which_model_it_is_and_that_weights_are_public() -> None:
    f = function(fitted(linear.LogisticRegression(), CANCER_X, CANCER.target))
    assert f.__name__ == "logistic_regression"
    text = str(f.__doc__)
    assert text.startswith("decision_function of a fitted LogisticRegression, on 6 columns.")
    assert "The weights stand in the plan and are public." in text
    assert "decision: the score, above 0 for class 1." in text
    assert repr(f).startswith("ModelFunction(LogisticRegression, output='decision_function', columns=('mean_radius'")
    assert dict(f.kinds) == dict(f.thresholds) == dict(f.categories) == {}
    assert f.votes_scale is None and f.tie_bound is None
    assert function(fitted(LinearSVC(), CANCER_X, CANCER.target)).__name__ == "linear_svc"


def test_functions_pickle() -> None:
    model = make_pipeline(MinMaxScaler(clip=True), linear.Ridge()).fit(DIABETES_X, DIABETES.target)
    f = function(model)
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(**columns(DIABETES_X))["prediction"], f(**columns(DIABETES_X))["prediction"])
    assert again.__doc__ == f.__doc__ and inspect.signature(again) == inspect.signature(f)
    assert not re.search(rb"(?<!asanoha\._)sklearn", pickle.dumps(f))


def test_labels_make_names_that_are_unique() -> None:
    from asanoha._sklearn.output_names import class_outputs

    labels = ["a b", "a-b", "", "é", "日本", -1, 2.0, 2.5, True, "x" * 200]
    names = class_outputs("votes", labels)
    assert names[:-1] == (
        *("votes_a_b", "votes_a_b_2", "votes_class_2", "votes_e", "votes_class_4"),
        *("votes_minus_1", "votes_2", "votes_2_5", "votes_True"),
    )
    assert names[-1] == "votes_" + "x" * 64


def test_only_operations_of_columns_are_used() -> None:
    X = mixed()
    encoder = make_column_transformer((OneHotEncoder(), ["region"]), (MinMaxScaler(clip=True), ["area"]))
    model = make_pipeline(encoder, PolynomialFeatures(2), linear.LogisticRegression()).fit(X, X["is_new"])
    recorder = Recorder()
    function(model)(region=recorder.column("object"), area=recorder.column())
    assert recorder.counts["equal"] == 3
    assert recorder.counts["clip"] == 1


def test_a_subclass_that_changes_no_method_is_its_base() -> None:
    class Named(linear.Ridge):
        """Ridge by another name."""

    model = Named().fit(DIABETES_X, DIABETES.target)
    assert_close(function(model)(**columns(DIABETES_X))["prediction"], model.predict(DIABETES_X))
    with pytest.raises(ValueError, match="SVC isn't supported"):
        function(SVC().fit(CANCER_X, CANCER.target))
