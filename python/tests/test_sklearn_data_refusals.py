"""What functions of scikit-learn's models refuse of columns, data and results, and what they say to do."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from recorder import Recorder
from sklearn import linear_model as linear
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from asanoha.exceptions import AsanohaError, DataError
from asanoha.sklearn import EstimatorError, bin_by_thresholds, function

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:60, :3], Y[:60]
SIGN = (Y > 150).astype(int)
RIDGE = linear.Ridge().fit(X, Y)
LOGISTIC = linear.LogisticRegression().fit(X, SIGN)
TREE = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, Y)
CLASSES = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, SIGN)


def refused(message: str, kind: type[AsanohaError] = EstimatorError, **options: Any) -> Any:
    return pytest.raises(kind, match="^" + re.escape(message))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"x0": X[:, 0]},
            "column 'x1' and 1 others are missing: ridge takes 3 columns; write ridge(x0=..., x1=..., ...)",
        ),
        ({"x0": X[:, 0], "x1": X[:, 1]}, "column 'x2' is missing: ridge takes 3 columns"),
        (
            {"x0": 1, "x1": 2, "x2": 3, "x4": 4},
            "ridge has no column 'x4': leave it out, or write 'x2' for the nearest one",
        ),
        ({"x0": X, "x1": 2, "x2": 3}, "column 'x0' has shape (60, 3), and columns have one axis: pass X[:, index]"),
        (
            {"x0": X[:, 0], "x1": X[:9, 1], "x2": X[:, 2]},
            "column 'x1' has 9 rows, and the columns before it have 60: pass columns of one length",
        ),
        (
            {"x0": np.array(["a"]), "x1": X[:1, 1], "x2": X[:1, 2]},
            "column 'x0' can't be read as numbers (could not convert",
        ),
    ],
)
def test_columns_are_refused(columns: dict[str, Any], message: str) -> None:
    with refused(message, DataError):
        function(RIDGE)(**columns)


def test_columns_are_passed_by_name() -> None:
    with refused("ridge takes columns by their names: write ridge(x0=..., x1=..., ...)", DataError):
        function(RIDGE)(X)
    spaced = function(RIDGE, columns=["a b", "b", "c"])
    with refused(
        "column 'a b' and 2 others are missing: ridge takes 3 columns; write ridge(**columns) with a mapping", DataError
    ):
        spaced()


def test_categories_that_the_encoder_refuses_are_refused() -> None:
    frame = pd.DataFrame({"region": ["north", "south", "north"]})
    f = function(make_pipeline(OneHotEncoder(), linear.Ridge()).fit(frame, [1, 2, 4]))
    message = (
        "column 'region' has 'west' in row 1, which the encoder doesn't know: pass one of its 2 categories, or fit "
    )
    with refused(message + "it with handle_unknown='ignore'", DataError) as caught:
        f(region=np.array(["north", "west"]))
    assert (caught.value.row, caught.value.column, caught.value.value) == (1, "region", "west")
    kept = make_column_transformer((OneHotEncoder(), ["region"]), remainder="drop")
    with refused("column 'region' has 'west' in row 0", DataError):
        function(make_pipeline(kept, linear.Ridge()).fit(frame, [1, 2, 4]))(region=np.array(["west"], dtype=object))


def test_trees_refuse_what_are_no_bins() -> None:
    f = function(TREE)
    bins = bin_by_thresholds(TREE, X)
    name = f.columns[0]
    with refused(
        f"column '{name}' has dtype float64, and the function of DecisionTreeRegressor takes bins from 0 to", DataError
    ):
        f(**{**bins, name: X[:, 0]})
    with refused(f"column '{name}' has dtype float64", DataError):
        f(**{each: Recorder().column() for each in f.columns})
    with refused(
        f"column '{name}' has -1 in row 2, and bins are from 0 to {f.kinds[name] - 1}: pass what bin_by_", DataError
    ):
        f(**{**bins, name: np.where(np.arange(60) == 2, -1, bins[name])})
    with refused(f"column '{name}' has {f.kinds[name]} in row 0", DataError):
        f(**{**bins, name: np.full(60, f.kinds[name])})


def changed(value: Any) -> Any:
    rows = X.astype(object) if not isinstance(value, float) else X.copy()
    for place in range(3):
        rows[4, place] = value
    return rows


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed(np.nan), "column 'x0' has nan in row 4, which is missing: fill it, or leave the row out"),
        (changed(None), "column 'x0' has None in row 4, which is missing"),
        (changed(pd.NA), "column 'x0' has <NA> in row 4, which is missing"),
        (changed("3"), "column 'x0' has '3' in row 4, which is text, and trees compare numbers: convert or encode it"),
        (changed([1]), "column 'x0' has [1] in row 4, which is no number: convert it"),
        (changed(np.inf), "column 'x0' has inf in row 4, beyond single precision, in which scikit-learn compares"),
        (changed(-1e39), "column 'x0' has -1e+39 in row 4, beyond single precision"),
        (X[:, :2], "data has shape (60, 2), and the model takes 3 features: pass an array of shape (rows, 3)"),
        (X[0], "data has shape (3,), and the model takes 3 features"),
        (
            X.tolist(),
            "data is a list: pass an array of numpy of two axes, a data frame, or a mapping of names to columns",
        ),
        (
            {"x0": X[:, 0], "x1": Y},
            "column 'x2' is missing among x0, x1: add it, or name the columns of the features with columns=",
        ),
        (
            pl.DataFrame(X, schema=["x0", "x1", "x2"]).lazy(),
            "data is a LazyFrame, whose values aren't computed yet: pass data.coll",
        ),
        (
            {"x0": X[:, 0], "x1": X[:3, 1], "x2": X[:, 2]},
            "column 'x1' has 3 rows, and column 'x0' has 60: pass columns of one length",
        ),
        (
            {"x0": X, "x1": X, "x2": X},
            "a column has shape (60, 3), and columns have one axis: give every column a name of its own",
        ),
        (
            {"x0": ["a"], "x1": [1], "x2": [2]},
            "column 'x0' has dtype <U1, and trees compare numbers: encode it as for scikit-learn",
        ),
        (pd.DataFrame(X, columns=["x0", "x1", "x1"]), "a column has shape (60, 2), and columns have one axis"),
        (
            pd.DataFrame({"x0": pd.array([1, None], "Int64"), "x1": 1, "x2": 2}),
            "column 'x0' has nan in row 1, which is missing",
        ),
        (pl.DataFrame({"x0": [1, None], "x1": 1, "x2": 2}), "column 'x0' has nan in row 1, which is missing"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_data_of_trees_are_refused(data: Any, message: str) -> None:
    with refused(message, DataError):
        bin_by_thresholds(TREE, data)


def test_bins_are_of_trees_only() -> None:
    with refused("Ridge is linear and has no thresholds: its columns are encrypted as they are, without bins"):
        bin_by_thresholds(RIDGE, X)
    pipeline = make_pipeline(StandardScaler(), TREE).fit(X, Y)
    with refused(
        "a pipeline transforms arrays and data frames, and data is a mapping: pass what Pipeline.predict takes",
        DataError,
    ):
        bin_by_thresholds(pipeline, {f"x{place}": X[:, place] for place in range(3)})


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({}, "output 'decision' is missing among the results, which are none: pass all results"),
        ({"other": X[:, 0]}, "output 'decision' is missing among the results, which are other"),
        ({"decision": X}, "output 'decision' has shape (60, 3), and should have (rows,): pass all results"),
        ({"decision": np.array([1, np.nan])}, "output 'decision' has nan in row 1: leave rows without a result out"),
    ],
)
def test_results_are_refused(results: dict[str, Any], message: str) -> None:
    with refused(message, DataError):
        function(LOGISTIC).finish(results)


def test_results_of_other_models_are_refused() -> None:
    with refused("Ridge has no probabilities: call finish_predict"):
        function(RIDGE).finish_proba({"prediction": Y})
    with refused("LinearSVC has no probabilities"):
        function(LinearSVC().fit(X, SIGN)).finish_proba({"decision": Y})
    with refused("DecisionTreeRegressor has no probabilities"):
        function(TREE).finish_proba({"value_index": Y})
    with refused(
        "the prediction of DecisionTreeClassifier is a class: write output='predict_proba' in function for prob"
    ):
        function(CLASSES).finish_proba({"prediction": SIGN})
    with refused(
        "prediction has 0 to 2, and DecisionTreeClassifier has the classes 0 to 1: pass results of this function"
    ):
        function(CLASSES).finish({"prediction": np.array([0, 2])})
    votes = function(CLASSES, output="predict_proba")
    with refused("output 'votes_1' has shape (2,), and should have (3,): pass all results", DataError):
        votes.finish({"votes_0": np.array([1, 2, 3]), "votes_1": np.array([1, 2])})
