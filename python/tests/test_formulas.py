"""Functions that divide by numbers over all rows or take their roots: the key holder finishes these exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import asanoha as asa

#: Offsets that cost naive variances all of their digits, small and negative numbers.
COLUMNS = {
    "x": [2_000_000_003, 2_000_000_007, 2_000_000_001, 2_000_000_021, 1_999_999_999],
    "y": [-3, 5, 0, -3, 11],
    "w": [1, -20, 62, 4, 2],
}


def scores(x: Any, y: Any, w: Any) -> dict[str, Any]:
    return {
        "z": (x - np.mean(x)) / np.std(x),
        "sample": (y - y.mean()) / y.std(ddof=1),
        "share": w / np.sum(w),
        "cv": 100 * np.std(y) / np.mean(y),
        "root": np.sqrt(np.mean(w * w)),
        "both": np.std(x) + np.std(y, ddof=1),
        "deviation": np.std(y, ddof=1),
    }


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_scores_are_those_of_numpy(scheme: str) -> None:
    data = {name: np.array(values) for name, values in COLUMNS.items()}
    results = asa.private(scores, scheme=scheme)(data)
    # Doubles lose nine digits of the distances unless they're taken from nearby first.
    data["x"] -= 2_000_000_000
    expected = scores(**{name: values.astype(float) for name, values in data.items()})
    assert list(results) == list(expected)
    for name, values in expected.items():
        assert results[name].exact, name
        np.testing.assert_allclose(results[name].values, values, rtol=1e-13, atol=1e-13, err_msg=name)


def test_columns_are_scaled_to_their_extremes() -> None:
    y = np.array(COLUMNS["y"])
    results = asa.private(lambda y: (y - np.min(y)) / (np.max(y) - np.min(y)))({"y": y})
    assert results["result"].exact
    np.testing.assert_allclose(results["result"].values, (y - y.min()) / (y.max() - y.min()), rtol=1e-15)


def test_scores_of_frames_are_those_of_pandas_and_gaps_stay_gaps() -> None:
    frame = pd.DataFrame(COLUMNS)
    frame.loc[2, "y"] = None
    results = asa.private(lambda y: {"z": (y - y.mean()) / y.std(ddof=1), "s": y.std(ddof=1)})(frame, missing="mask")
    expected = (frame["y"] - frame["y"].mean()) / frame["y"].std()
    assert np.isnan(np.asarray(results["z"].values, dtype=float)[2])
    # Columns with gaps are floats to pandas, which no plan takes as whole numbers.
    for name, right in {"z": expected, "s": frame["y"].std()}.items():
        found = np.asarray(results[name].values, dtype=float)
        assert np.nanmax(np.abs(found - np.asarray(right))) <= results[name].error_bound < 1e-4, name


def test_plans_of_more_rows_divide_by_the_rows_that_there_are() -> None:
    schema = asa.Schema({"y": asa.Whole(-8, 15)}, max_rows=100)
    plan = asa.plan(lambda y: {"v": y.var(ddof=1), "s": y.std(ddof=1), "z": (y - y.mean()) / np.std(y)}, schema)
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    y = np.array(COLUMNS["y"])
    results = client.decrypt(server.evaluate(client.encrypt({"y": y})))
    np.testing.assert_allclose(results["v"].values, y.var(ddof=1), rtol=1e-13)
    np.testing.assert_allclose(results["s"].values, y.std(ddof=1), rtol=1e-13)
    np.testing.assert_allclose(results["z"].values, (y - y.mean()) / y.std(), rtol=1e-13)


def test_what_is_computed_with_further_says_which_bounds_it_needs() -> None:
    data = {"y": np.array(COLUMNS["y"])}
    with pytest.raises(asa.exceptions.PlanError, match=r"sqrt\(assume\(var\(x\), 0\.25, 400\)\)"):
        asa.private(lambda y: np.exp(np.std(y) / 100))(data)
    results = asa.private(lambda y: np.exp(np.sqrt(asa.assume(np.var(y), 0.25, 400)) / 100))(data)
    np.testing.assert_allclose(results["result"].values, np.exp(np.std(data["y"]) / 100), atol=1e-5)


def test_a_column_without_values_stands_in_frames() -> None:
    frame = pd.DataFrame({"x": [7, 7, None, 7], "y": [1.0, 2.0, 3.0, 4.0]}, index=list("abcd"))
    compute = asa.private(lambda x, y: {"z": (x - x.mean()) / x.std(ddof=1), "double": 2 * y, "mean": x.mean()})
    results = compute(frame, missing="mask")
    assert results["z"].values is None
    assert "divisor" in str(results["z"].missing)
    shown = results.to_pandas(index=frame.index)
    assert list(shown.columns) == ["z", "double"]
    assert shown["z"].isna().all()
    assert shown["double"].isna().tolist() == [False, False, True, False]
    arrow = pa.table(results)
    assert arrow.column_names == ["z", "double"]
    assert arrow["z"].null_count == 4
    # Alone, too, and beside numbers.
    alone = asa.private(lambda x: {"z": x / (x.max() - x.min()), "n": x.sum()})({"x": np.array([5, 5, 5])})
    assert alone.to_pandas()["z"].isna().tolist() == [True, True, True]
    assert pa.table(alone)["z"].to_pylist() == [None, None, None]


def test_canaries_beside_scores_are_refused() -> None:
    plan = asa.plan(lambda x: (x - x.mean()) / np.std(x), asa.Schema({"x": asa.Whole(0, 15)}, max_rows=100))
    client = asa.Client.generate(plan)
    with pytest.raises(asa.exceptions.DataError, match="canaries would change output `result`"):
        client.encrypt({"x": np.arange(9)}, canaries=2)
