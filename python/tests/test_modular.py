"""Arithmetic modulo one number of any width, against Python's whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import asanoha as asa

X = [2**70 + 3, -5, 0, 12345678901234567890123]
Y = [7, 2**40, -9, 1]


@pytest.mark.parametrize("p", [65537, 2**127 - 1, 2**128, 10**40 + 1])
def test_results_modulo_a_number_are_those_of_python(p: int) -> None:
    def compute(x: Any, y: Any) -> dict[str, Any]:
        return {"r": (x * x * y - 3 * y + 1) % p, "c": pow(x + y, 3, p), "t": np.sum(x * y) % p}

    data = {"x": np.array(X, dtype=object), "y": np.array(Y)}
    results = asa.private(compute, scheme="bgv")(data)
    assert [int(v) for v in results["r"].values] == [(x * x * y - 3 * y + 1) % p for x, y in zip(X, Y, strict=True)]
    assert [int(v) for v in results["c"].values] == [pow(x + y, 3, p) for x, y in zip(X, Y, strict=True)]
    assert int(results["t"].values) == sum(x * y for x, y in zip(X, Y, strict=True)) % p
    assert all(result.exact for result in results.values())


def test_other_programs_are_told_what_to_write() -> None:
    with pytest.raises(asa.exceptions.PlanError, match="results are all modulo that number"):
        asa.private(lambda x: {"a": x * x % 1009, "b": x * x % 1013}, scheme="bgv")({"x": np.array([2**40, 3])})
