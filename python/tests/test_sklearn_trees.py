"""Trees and forests of scikit-learn, on bins of plain data."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorder import Recorder
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from asanoha.sklearn import EstimatorError, bin_by_thresholds, function

CANCER = load_breast_cancer(return_X_y=True)
WINE = load_wine(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
DIGITS = load_digits(n_class=2, return_X_y=True)

CLASSIFIERS = [
    DecisionTreeClassifier(max_depth=4, random_state=0),
    DecisionTreeClassifier(criterion="entropy", random_state=1),
    DecisionTreeClassifier(max_depth=3, class_weight={0: 0.3, 1: 2.2, 2: 1.7}, random_state=0),
    ExtraTreeClassifier(max_depth=5, random_state=0),
    RandomForestClassifier(n_estimators=7, max_depth=3, random_state=0),
    RandomForestClassifier(n_estimators=5, random_state=0),
    ExtraTreesClassifier(n_estimators=4, max_leaf_nodes=9, class_weight="balanced", random_state=0),
]
REGRESSORS = [
    DecisionTreeRegressor(max_depth=4, random_state=0),
    DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=12, random_state=0),
    ExtraTreeRegressor(max_depth=5, random_state=0),
    RandomForestRegressor(n_estimators=7, max_depth=4, random_state=0),
    ExtraTreesRegressor(n_estimators=3, max_depth=4, random_state=0),
]


def at_thresholds(model: Any, X: Any) -> Any:
    """Rows of the data, then rows with values at each threshold and one number of single precision above and below."""
    rows = [X]
    names = [f"x{place}" for place in range(X.shape[1])]
    for name, thresholds in function(model).thresholds.items():
        single = thresholds.astype(np.float32)
        near = [np.nextafter(single, np.float32(np.inf)), single, np.nextafter(single, np.float32(-np.inf))]
        values = np.concatenate([thresholds, np.nextafter(thresholds, np.inf), *[v.astype(np.float64) for v in near]])
        # Between two numbers of single precision, where rounding decides.
        values = np.concatenate(
            [values, thresholds + np.spacing(single) * 0.49, thresholds - np.spacing(single) * 0.51]
        )
        changed = X[np.arange(len(values)) % len(X)].copy()
        changed[:, names.index(name)] = values
        rows.append(changed)
    return np.concatenate(rows)


@pytest.mark.parametrize("data", [CANCER, WINE, DIGITS], ids=["cancer", "wine", "digits"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classifiers_are_scikit_learns_on_every_row(model: Any, data: Any) -> None:
    X, y = data
    model = model.fit(X, y)
    rows = at_thresholds(model, X)
    bins = bin_by_thresholds(model, rows)
    f = function(model)
    assert tuple(bins) == f.columns == tuple(f.kinds)
    results = f(**bins)
    assert all(values.dtype == np.int64 for values in results.values())
    proba = function(model, output="predict_proba")
    votes = proba(**bins)
    wanted = model.predict_proba(rows)
    assert proba.votes_scale is not None and proba.tie_bound is not None
    if proba.tie_bound < 1e-9:
        np.testing.assert_allclose(proba.finish(votes), wanted, rtol=1e-12, atol=1e-15)
    else:
        assert proba.votes_scale == 2**20
        np.testing.assert_allclose(proba.finish(votes), wanted, rtol=0, atol=2**-21)
    if hasattr(model, "tree_"):
        assert tuple(results) == ("prediction",)
        np.testing.assert_array_equal(results["prediction"], np.argmax(wanted, axis=1))
        np.testing.assert_array_equal(f.finish(results), model.predict(rows))
    largest = np.sort(wanted, axis=1)
    is_apart = largest[:, -1] - largest[:, -2] > proba.tie_bound
    assert is_apart.mean() > 0.9
    np.testing.assert_array_equal(proba.finish_predict(votes)[is_apart], model.predict(rows)[is_apart])


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors_are_scikit_learns_on_every_row(model: Any) -> None:
    X, y = DIABETES
    model = model.fit(X, y)
    rows = at_thresholds(model, X)
    f = function(model)
    results = f(**bin_by_thresholds(model, rows))
    np.testing.assert_array_equal(f.finish_predict(results), model.predict(rows))
    np.testing.assert_array_equal(f.finish(results), model.predict(rows))


@pytest.mark.parametrize("model", REGRESSORS[:4:3], ids=str)
def test_leaf_values_may_be_rounded_to_decimals(model: Any) -> None:
    X, y = DIABETES
    model = model.fit(X, y / 7)
    f = function(model, decimals=2)
    results = f(**bin_by_thresholds(model, X))["prediction"]
    assert 0 < np.abs(results - model.predict(X)).max() <= 0.005 + 1e-12
    if hasattr(model, "tree_"):
        np.testing.assert_array_equal(results, np.round(results, 2))
    assert str(f.__doc__).endswith("Returns prediction: the predicted value, of leaves rounded to 2 decimals.")


def test_votes_are_exact_where_leaves_have_a_common_denominator() -> None:
    X, y = np.arange(12.0)[:, None], [0, 1, 1, 0, 1, 1, 2, 2, 1, 2, 2, 0]
    model = DecisionTreeClassifier(max_leaf_nodes=2, min_samples_leaf=6).fit(X, y)
    f = function(model, output="predict_proba")
    assert f.votes_scale == 6 and f.outputs == ("votes_0", "votes_1", "votes_2")
    results = f(**bin_by_thresholds(model, X))
    assert {name: values[::6].tolist() for name, values in results.items()} == {
        "votes_0": [2, 1],
        "votes_1": [4, 1],
        "votes_2": [0, 4],
    }
    np.testing.assert_array_equal(f.finish_proba(results), model.predict_proba(X))
    decrypted = {name: values + 0.3 for name, values in results.items()}
    np.testing.assert_array_equal(f.finish_proba(decrypted), model.predict_proba(X))


def test_pure_leaves_have_one_vote_each() -> None:
    X, y = WINE
    f = function(RandomForestClassifier(n_estimators=4, random_state=0).fit(X, y))
    assert f.votes_scale == 1
    assert f.tie_bound == 6 * 2.0**-52
    assert "one vote of each tree" in str(f.__doc__)


def test_equal_probabilities_give_the_first_class() -> None:
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), ["no", "yes", "yes", "no"]
    model = DecisionTreeClassifier().fit(np.r_[X, [[2.0]]], [*y, "yes"])
    f = function(model)
    assert f.finish(f(**bin_by_thresholds(model, X))).tolist() == model.predict(X).tolist() == ["no"] * 4


def test_bins_count_the_thresholds_below_a_value() -> None:
    X = np.array([[0.1], [0.2], [0.3], [0.4]])
    model = DecisionTreeRegressor().fit(X, [1, 2, 3, 4])
    (thresholds,) = function(model).thresholds.values()
    values = np.concatenate([thresholds, np.nextafter(thresholds, 1), np.nextafter(thresholds, 0)])
    (bins,) = bin_by_thresholds(model, values[:, None]).values()
    assert bins.dtype == np.int64
    for place, threshold in enumerate(thresholds):
        np.testing.assert_array_equal(values.astype(np.float32) <= threshold, bins <= place)
    # Thresholds can't be changed through the function.
    function(model).thresholds["x0"][0] = 7
    assert function(model).thresholds["x0"][0] != 7
    assert dict(function(model).kinds) == {"x0": 4}


def test_whole_numbers_are_rounded_once() -> None:
    X = np.array([[2**24], [2**24 + 2]], dtype=np.int64)
    model = DecisionTreeRegressor().fit(X, [1, 2])
    # Each of these differs after a second rounding, by way of double precision.
    rows = np.array([2**60 + 2**36 + 1, 2**24 + 1, 2**24 + 3], dtype=np.int64)[:, None]
    f = function(model)
    np.testing.assert_array_equal(f.finish(f(**bin_by_thresholds(model, rows))), model.predict(rows))
    for frame in (pd.DataFrame({"x0": rows[:, 0]}), pl.DataFrame({"x0": rows[:, 0]})):
        assert bin_by_thresholds(model, frame)["x0"].tolist() == bin_by_thresholds(model, rows)["x0"].tolist()


def test_data_are_arrays_mappings_and_frames() -> None:
    X, y = DIABETES
    named = pd.DataFrame(X, columns=[f"column {place}" for place in range(10)])
    model = DecisionTreeRegressor(max_depth=3).fit(named, y)
    f = function(model)
    wanted = bin_by_thresholds(model, X)
    assert all(name.startswith("column ") for name in wanted)
    np.testing.assert_array_equal(f.finish(f(**wanted)), model.predict(named))
    others = named.assign(target=y)
    frames = [
        named,
        others,
        pl.DataFrame(dict(others)),
        pa.Table.from_pandas(others),
        dict(named),
        named.astype(object),
    ]
    frames += [named[list(wanted)], {name: named[name].tolist() for name in wanted}, named.astype("Float64")]
    for data in frames:
        bins = bin_by_thresholds(model, data)
        assert list(bins) == list(wanted)
        for name, values in bins.items():
            np.testing.assert_array_equal(values, wanted[name])
    letters = list("abcdefghij")
    renamed = bin_by_thresholds(model, named.set_axis(letters, axis=1), columns=letters)
    assert tuple(renamed) == function(model, columns=letters).columns
    assert [values.tolist() for values in renamed.values()] == [values.tolist() for values in wanted.values()]


def test_transformers_of_a_pipeline_are_applied_in_the_clear() -> None:
    X, y = DIABETES
    X = np.where(np.arange(X.size).reshape(X.shape) % 97 == 0, np.nan, X)
    model = make_pipeline(SimpleImputer(), StandardScaler(), DecisionTreeRegressor(max_depth=3, random_state=0)).fit(
        X, y
    )
    f = function(model)
    np.testing.assert_array_equal(f.finish(f(**bin_by_thresholds(model, X))), model.predict(X))
    frame = pd.DataFrame({"region": ["north", "south", "north", "west"] * 20, "area": np.arange(80.0)})
    model = make_pipeline(OneHotEncoder(), RandomForestClassifier(n_estimators=3, max_leaf_nodes=4, random_state=0))
    model = model.fit(frame[["region"]], frame["region"] == "north")
    f = function(model)
    assert set(f.columns) <= {"region_north", "region_south", "region_west"}
    np.testing.assert_array_equal(
        f.finish(f(**bin_by_thresholds(model, frame[["region"]]))), model.predict(frame[["region"]])
    )
    unnamed = make_pipeline(FunctionTransformer(np.abs), DecisionTreeRegressor(max_depth=2)).fit(DIABETES[0], y)
    assert all(name.startswith("x") for name in function(unnamed).columns)
    framed = make_pipeline(StandardScaler().set_output(transform="pandas"), DecisionTreeRegressor(max_depth=2))
    framed = framed.fit(frame[["area"]], frame["area"])
    letters = bin_by_thresholds(framed, frame[["area"]], columns=["a"])
    assert list(letters) == ["a"] and list(bin_by_thresholds(framed, frame[["area"]])) == ["area"]


def test_a_tree_of_depth_4_has_at_most_15_comparisons() -> None:
    for model in (
        DecisionTreeClassifier(max_depth=4, random_state=0),
        DecisionTreeRegressor(max_depth=4, random_state=0),
    ):
        f = function(model.fit(*CANCER))
        recorder = Recorder()
        f(**{name: recorder.column("int64") for name in f.columns})
        assert 1 <= recorder.comparisons <= 15
        assert recorder.counts["bitwise_and"] <= 36
        assert set(recorder.counts) <= {"less_equal", "bitwise_and", "invert", "multiply", "add"}


def test_comparisons_of_a_forest_are_shared() -> None:
    model = RandomForestClassifier(n_estimators=6, max_depth=4, random_state=0).fit(*CANCER)
    f = function(model)
    recorder = Recorder()
    f(**{name: recorder.column("int64") for name in f.columns})
    assert recorder.comparisons <= sum(bins - 1 for bins in f.kinds.values())


def test_splits_that_change_nothing_are_left_out() -> None:
    # Both leaves on the left are of class 0.
    X = np.array([[0.0]] * 5 + [[1.0]] * 5 + [[2.0]] * 10)
    y = [0] * 5 + [0, 0, 0, 1, 0] + [1] * 10
    model = DecisionTreeClassifier().fit(X, y)
    assert model.tree_.n_leaves == 3
    f = function(model)
    recorder = Recorder()
    f(x0=recorder.column("int64"))
    assert recorder.comparisons == 1 and dict(f.kinds) == {"x0": 3}
    np.testing.assert_array_equal(f.finish(f(**bin_by_thresholds(model, X))), model.predict(X))
    same = DecisionTreeClassifier().fit(X[:10], y[:10])
    assert function(same)(x0=np.array([0, 1]))["prediction"].tolist() == [0, 0]
    assert function(same)(x0=Recorder().column("int64"))["prediction"] == 0


def test_deep_trees_need_no_recursion() -> None:
    rows = 1000
    X = np.arange(float(rows))[:, None]
    # Values that double make every split cut off the last row.
    model = DecisionTreeRegressor(criterion="squared_error").fit(X, 1.9 ** np.arange(rows))
    assert model.get_depth() > 400
    f = function(model)
    np.testing.assert_array_equal(f.finish(f(**bin_by_thresholds(model, X))), model.predict(X))


def test_tree_functions_pickle() -> None:
    model = RandomForestRegressor(n_estimators=2, max_depth=3).fit(*DIABETES)
    f = function(model)
    bins = bin_by_thresholds(model, DIABETES[0])
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(**bins)["prediction"], model.predict(DIABETES[0]))
    assert not re.search(rb"(?<!asanoha\._)sklearn", pickle.dumps(f))
    assert f.__name__ == "random_forest_regressor"
    assert "Takes the bins, as bin_by_thresholds gives them: " in str(f.__doc__)
    assert "The weights stand in the plan and are public." in str(f.__doc__)


@st.composite
def small_data(draw: st.DrawFn) -> tuple[Any, Any, int]:
    rows, features = draw(st.integers(2, 30)), draw(st.integers(1, 4))
    value = (
        st.floats(-(2.0**100), 2.0**100, width=32) if draw(st.booleans()) else st.integers(-3, 3).map(lambda x: x / 7)
    )
    X = np.array(draw(st.lists(st.lists(value, min_size=features, max_size=features), min_size=rows, max_size=rows)))
    y = np.array(draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))
    return X, y, draw(st.integers(0, 2**31 - 1))


@settings(max_examples=60, deadline=None)
@given(
    small_data(),
    st.integers(1, 5),
    st.sampled_from([DecisionTreeClassifier, ExtraTreeRegressor, RandomForestRegressor]),
)
def test_random_trees_are_scikit_learns(data: tuple[Any, Any, int], depth: int, kind: Any) -> None:
    X, y, seed = data
    options = {"n_estimators": 3} if kind is RandomForestRegressor else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kind(max_depth=depth, random_state=seed, **options).fit(X, y)
    members = model.estimators_ if options else [model]
    if all(member.tree_.n_leaves == 1 for member in members):
        return
    rows = at_thresholds(model, X)
    rows = rows[np.isfinite(rows.astype(np.float32)).all(axis=1)]
    f = function(model)
    np.testing.assert_array_equal(f.finish(f(**bin_by_thresholds(model, rows))), model.predict(rows))


def test_a_single_trees_values_are_looked_up_after_decryption() -> None:
    X, y = DIABETES
    model = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0).fit(X, np.round(y / 100) * 1e15 + 0.1)
    f = function(model)
    results = f(**bin_by_thresholds(model, X))
    assert list(results) == ["value_index"]
    np.testing.assert_array_equal(f.finish_predict(results), model.predict(X))
    # Leaves of one value have one index: no more than the value is decrypted.
    assert len(np.unique(results["value_index"])) == len(np.unique(model.predict(X)))
    for wrong in (np.array([-1]), np.array([99])):
        with pytest.raises(EstimatorError, match="value_index has .* and DecisionTreeRegressor has the values 0 to"):
            f.finish_predict({"value_index": wrong})
    # With decimals the output is the value itself.
    assert list(function(model, decimals=0)(**bin_by_thresholds(model, X))) == ["prediction"]
