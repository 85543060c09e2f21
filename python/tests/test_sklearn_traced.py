"""Models of scikit-learn as traced programs, evaluated as the language evaluates them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from language_evaluator import evaluate
from sklearn import linear_model as linear
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from asanoha._kinds import Category, Real, Whole
from asanoha._schema import Schema
from asanoha._trace import trace
from asanoha.sklearn import bin_by_thresholds, function

X, Y = load_wine(return_X_y=True)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(max_depth=4, random_state=0),
        RandomForestClassifier(n_estimators=3, max_leaf_nodes=5, random_state=0),
        RandomForestRegressor(n_estimators=3, max_leaf_nodes=5, random_state=0),
    ],
    ids=str,
)
def test_traced_trees_give_what_plain_columns_give(model: Any) -> None:
    model = model.fit(X, Y)
    f = function(model)
    bins = bin_by_thresholds(model, X)
    program = trace(f, Schema({name: Whole(0, count - 1) for name, count in f.kinds.items()}, rows=len(X)))
    assert set(program.inputs) <= set(f.columns)
    results = evaluate(str(program), bins)
    for name, values in f(**bins).items():
        np.testing.assert_allclose(results[name].astype(float), values, rtol=1e-14)
    np.testing.assert_allclose(f.finish(results).astype(float), model.predict(X), rtol=1e-14)
    is_whole = all(kind.dtype == "int64" for kind in program.outputs.values())
    assert is_whole == hasattr(model, "classes_")


def test_the_range_of_a_traced_tree_is_that_of_a_leaf() -> None:
    model = DecisionTreeRegressor(max_leaf_nodes=3, random_state=0).fit(X, Y * 1000.5 - 400.3)
    f = function(model, decimals=1)
    program = trace(f, Schema({name: Whole(0, count - 1) for name, count in f.kinds.items()}, rows=len(X)))
    values = np.round(model.tree_.value[model.tree_.children_left < 0, 0, 0], 1)
    last = str(program).splitlines()[-1]
    assert last.startswith("prediction = assume(") and last.endswith(f", {values.min()}, {values.max()})")


def test_traced_linear_models_give_what_plain_columns_give() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"region": random.choice(["north", "south"], 50), "area": random.normal(80, 20, 50)})
    target = np.where(frame["region"] == "north", 1.0, 2.0) * frame["area"]
    steps = make_column_transformer((OneHotEncoder(), ["region"]), (MinMaxScaler(clip=True), ["area"]))
    model = make_pipeline(steps, PolynomialFeatures(2), StandardScaler(), linear.Ridge()).fit(frame, target)
    f = function(model)
    schema = Schema({"region": Category(f.categories["region"]), "area": Real(0, 256)}, rows=50)
    columns = {name: frame[name].to_numpy() for name in frame}
    results = evaluate(str(trace(f, schema)), columns)
    np.testing.assert_allclose(results["prediction"].astype(float), model.predict(frame), rtol=1e-12)


def test_weights_stand_in_the_program_as_shortest_decimals() -> None:
    model = linear.LogisticRegression().fit(X[:, :1], Y == 1)
    schema = Schema({"x0": Real(8, 16)}, rows=len(X))
    (weight,), (intercept,) = model.coef_[0].tolist(), model.intercept_.tolist()
    assert str(trace(function(model), schema)) == f"decision = {weight} * x0 + {intercept}"
    probability = trace(function(model, output="predict_proba", encrypted=True), schema)
    assert str(probability) == f"probability = sigmoid({weight} * x0 + {intercept})"


def test_names_that_are_no_identifiers_are_traced() -> None:
    data = load_diabetes(as_frame=True)
    frame = data.data[["bmi", "bp"]].rename(columns={"bmi": "body mass"})
    f = function(linear.LinearRegression().fit(frame, data.target))
    program = trace(f, Schema({"body mass": Real(-1, 1), "bp": Real(-1, 1), "other": Real(0, 1)}, rows=442))
    assert program.inputs == ("body mass", "bp")
