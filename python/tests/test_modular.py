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


@pytest.mark.parametrize("bits", [900, 2040])
def test_products_of_very_large_numbers_are_those_of_python(bits: int) -> None:
    x = [(1 << bits) - 12345, -(3 ** (bits // 2)), 0]
    y = [7**300 % (1 << bits), (1 << bits) - 1, -1]
    p = (1 << 2048) - 1942
    data = {"x": np.array(x, dtype=object), "y": np.array(y, dtype=object)}
    results = asa.private(lambda x, y: {"z": x * y - 5, "s": np.sum(x * y)})(data)
    assert [int(v) for v in results["z"].values] == [a * b - 5 for a, b in zip(x, y, strict=True)]
    assert int(results["s"].values) == sum(a * b for a, b in zip(x, y, strict=True))
    results = asa.private(lambda x, y: {"z": (x * y - 3 * x) % p})(data)
    assert [int(v) for v in results["z"].values] == [(a * b - 3 * a) % p for a, b in zip(x, y, strict=True)]


def test_other_programs_are_told_what_to_write() -> None:
    with pytest.raises(asa.exceptions.PlanError, match="results are all modulo that number"):
        asa.private(lambda x: {"a": x * x % 1009, "b": x * x % 1013}, scheme="bgv")({"x": np.array([2**40, 3])})
