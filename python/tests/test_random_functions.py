"""Random functions of random data, encrypted: every result is what numpy computes of exact numbers, or the function is refused."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_columns import Column, Draw, Refused, as_numpy, exact_columns, tables
from random_functions import ROOTS, Author, Tree, computed, exactly

import asanoha as asa
from asanoha.exceptions import CheckError, DataError, PlanError, TraceError

#: Functions that are predicted to take longer are counted and not run.
LONGEST_S = 1.0
#: And those whose keys and ciphertexts are larger.
MOST_BYTES = 600e6


@dataclasses.dataclass(frozen=True)
class Case:
    """A function with its data, as a user would bring them."""

    table: dict[str, Column]
    outputs: dict[str, Tree]
    options: dict[str, Any]
    missing: str
    max_rows: int | None
    #: The rows of each of the inputs.
    inputs: list[list[int]]

    def function(self, **columns: Any) -> dict[str, Any]:
        return {name: computed(tree, columns) for name, tree in self.outputs.items()}

    def data(self, rows: Sequence[int]) -> dict[str, Any]:
        return {name: column.array(rows) for name, column in self.table.items()}


@st.composite
def cases(draw: Draw) -> Case:
    table = tables(draw)
    author = Author(draw, table)
    outputs = {f"out{at}": author.output() for at in range(draw(st.integers(1, 2)))}
    precision = draw(st.sampled_from([asa.Bits(20)] * 4 + [asa.Bits(10), asa.Bits(28), asa.Absolute(1e-3)]))
    scheme = draw(st.sampled_from(["auto"] * 8 + ["ckks", "ckks", "bfv", "bgv"]))
    rows = len(next(iter(table.values())).values)
    has_gaps = any(len(column.present) < rows for column in table.values())
    missing = draw(st.sampled_from(["mask", "mask", "mean", "zero"])) if has_gaps else "raise"
    # Where rows are left out, a plan is for fewer rows too.
    max_rows = draw(st.sampled_from([None] * (missing != "mask") + [rows, rows + 7]))
    inputs = [list(range(rows))]
    if max_rows is not None:
        inputs.append(draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=max_rows)))
    return Case(table, outputs, {"precision": precision, "scheme": scheme}, missing, max_rows, inputs)


def end_of(case: Case) -> str:
    """How a case ended; what is wrong is an `AssertionError`, and so is every exception but a documented refusal."""
    try:
        schema = asa.Schema.of(case.data(case.inputs[0]), max_rows=case.max_rows)
        program = asa.trace(case.function, schema)
        plan = asa.plan(program, schema, **case.options)
    except (DataError, TraceError, PlanError) as error:
        return refusal(error)
    if plan.predicted["evaluate_s"] > LONGEST_S or plan.predicted["bytes"] > MOST_BYTES:
        return "not run"
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    ends = [end_of_input(case, client, server, rows) for rows in case.inputs]
    # One that ran tells more than the refusal of another one.
    return min(ends, key=lambda end: end.startswith("refused"))


def end_of_input(case: Case, client: asa.Client, server: asa.Server, rows: list[int]) -> str:
    plan, right = client.plan, None
    try:
        right, left_out = expected(case, plan.inputs, rows)
    except Refused as refused:
        why = str(refused)
    try:
        inputs = client.encrypt(case.data(rows), missing=case.missing)
    except DataError as error:
        return refusal(error)
    assert right is not None, f"it should be refused: {why}"
    results = server.evaluate(inputs)
    try:
        decrypted = client.decrypt(results, of=inputs)
    except CheckError as error:
        assert "may be off by" in str(error), error
        return refusal(error)
    assert list(decrypted) == list(right)
    for name, result in decrypted.items():
        tree = case.outputs[name]
        wrong = wrong_in(result, right[name], left_out, isinstance(tree, tuple) and tree[0] in ROOTS)
        assert wrong is None, f"{name}: {wrong}\n{plan.program}{plan!r}"
        if result.exact:
            wrong = wrong_dtype(case, tree, result, rows)
            assert wrong is None, f"{name}: {wrong}\n{plan.program}"
    return f"right: {plan.scheme}{', exact' if all(result.exact for result in decrypted.values()) else ''}"


def refusal(error: Exception) -> str:
    """A refusal without figures and names, so that like ones are counted together."""
    text = re.sub(r"(?<!\w)'[^']*'|\"[^\"]*\"|`[^`]*`|\([^()]*\)|[-\d.]+", "", str(error))
    return f"refused: {type(error).__name__}: {' '.join(text.split())[:110]}"


def expected(case: Case, needed: Sequence[str], rows: list[int]) -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """The exact outputs, and the rows that are left out."""
    columns, left_out = exact_columns(case.table, rows, needed, case.missing)
    kept = len(rows) - int(left_out.sum())
    for name in case.table.keys() - columns.keys():
        # Whatever the program doesn't need.
        columns[name] = as_numpy(case.table[name].kind, [case.table[name].present[0]] * kept)
    return {name: exactly(tree, columns) for name, tree in case.outputs.items()}, left_out


def wrong_in(result: asa.Result, right: Any, left_out: np.ndarray[Any, Any], is_root: bool = False) -> str | None:
    """What is wrong with a result: exact ones equal the right one, others are within their error bounds."""
    if right is None or isinstance(result.missing, str):
        # An approximate divisor may be too near to 0.
        is_fine = isinstance(result.missing, str) and (right is None or result.fractions() is None)
        return None if is_fine else f"{result!r} for {right}"
    values = np.atleast_1d(result.values)
    if isinstance(right, np.ndarray):
        mask = np.zeros(len(left_out), dtype=bool) if result.missing is None else result.missing
        if len(values) != len(left_out) or (mask != left_out).any():
            return f"{len(values)} rows with gaps {mask}, for {left_out}"
        values = values[~left_out]
    fractions = result.fractions()
    for row, one in enumerate(np.atleast_1d(right)):
        one = Fraction(int(one)) if isinstance(one, np.bool_) else one
        value = values[row].item() if isinstance(values[row], np.generic) else values[row]
        nearest = float(one) if isinstance(value, float) else one
        # Roots are rounded to doubles, and so are approximate values.
        rounding = Fraction(float(np.spacing(abs(nearest)))) if is_root or not result.exact else Fraction(0)
        if fractions is not None and abs(fractions[row] - one) > rounding:
            return f"exactly {fractions[row]} in row {row} for {one}"
        if not abs(Fraction(value) - Fraction(nearest)) <= Fraction(result.error_bound) + rounding:
            return f"{value!r} in row {row} for {nearest!r}, and ±{result.error_bound} is stated"
    return None


def wrong_dtype(case: Case, tree: Tree, result: asa.Result, rows: list[int]) -> str | None:
    """What is wrong with the dtype of exact values: it is that of numpy's."""
    is_numpy = {name: column.array(rows).dtype.kind != "O" for name, column in case.table.items()}
    if not all(is_numpy.values()):
        return None
    with np.errstate(all="ignore"):
        wanted = np.asarray(computed(tree, case.data(rows))).dtype.kind
    found = result.values.dtype
    is_fine = found.kind == wanted or (wanted == "i" and found.kind == "O")
    return None if is_fine else f"the dtype {found}, and numpy's kind is {wanted}"


def run_all(count: int, derandomize: bool) -> None:
    ends: Counter[str] = Counter()

    @settings(
        max_examples=count,
        deadline=None,
        derandomize=derandomize,
        print_blob=True,
        # Shrinking plans and encrypts thousands of functions.
        phases=[Phase.explicit, Phase.generate],
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )
    @given(case=cases())
    def run(case: Case) -> None:
        ends[end_of(case)] += 1

    run()
    for end, number in sorted(ends.items(), key=lambda item: -item[1]):
        print(f"{number:6} {end}")
    total = ends.total()
    assert total >= count
    assert ends["not run"] <= total / 5, "the functions are too large"
    for kind, least in [("right", total / 2), ("right: bgv, exact", total / 10), ("right: ckks", total / 20)]:
        assert sum(number for end, number in ends.items() if end.startswith(kind)) >= least, f"few are {kind}"


def test_sixty_random_functions_are_those_of_numpy_or_refused() -> None:
    run_all(60, derandomize=True)


@pytest.mark.slow
def test_two_thousand_random_functions_are_those_of_numpy_or_refused() -> None:
    run_all(2000, derandomize=False)


def test_a_result_that_is_off_by_a_little_more_than_stated_is_found() -> None:
    none = np.zeros(3, dtype=bool)
    exact = asa.private(lambda n: {"y": n * n})({"n": np.array([1, -2, 3])})["y"]
    right = as_numpy("whole", [Fraction(1), Fraction(4), Fraction(9)])
    assert wrong_in(exact, right, none) is None
    for row in range(3):
        altered = right.copy()
        altered[row] += Fraction(1, 10**9)
        assert wrong_in(exact, altered, none) is not None
    assert wrong_in(exact, right, np.array([False, True, False])) is not None
    near = asa.private(lambda x: {"y": x * x})({"x": np.array([0.5, 1.5, -2.0])})["y"]
    right = as_numpy("real", [Fraction(1, 4), Fraction(9, 4), Fraction(4)])
    assert wrong_in(near, right, none) is None and not near.exact
    for row in range(3):
        altered = right.copy()
        altered[row] += 3 * Fraction(near.error_bound)
        assert wrong_in(near, altered, none) is not None
