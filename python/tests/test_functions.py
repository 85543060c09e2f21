"""Functions of asanoha: the same on traced values as on plain arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from language_evaluator import evaluate
from traced_columns import COLUMNS, SCHEMA, agrees, text_of

import asanoha._functions as asa
from asanoha._asanoha import functions
from asanoha._operations import SHARED
from asanoha._parties import Client, Server
from asanoha._plan import plan as planned
from asanoha._schema import Schema
from asanoha._trace import trace
from asanoha.exceptions import DataError, TraceError

#: The functions that numpy has under the language's names, and how many columns each takes.
ARGUMENTS = {name: least for name, least, _ in functions() if name in SHARED}


def shared(name: str) -> Callable[..., Any]:
    """A function of as many columns as a function of numpy takes."""
    function = getattr(np, name)
    return [lambda x: function(x), lambda x, m: function(x, m)][ARGUMENTS[name] - 1]


FUNCTIONS: list[tuple[Callable[..., Any], str]] = [
    *[(shared(name), f"{name}({', '.join(['x', 'm'][:arguments])})") for name, arguments in ARGUMENTS.items()],
    (lambda y: asa.sigmoid(y), "sigmoid(y)"),
    (lambda y: asa.relu(y), "relu(y)"),
    (lambda n: asa.relu(n), "relu(n)"),
    (lambda c: asa.relu(c), "relu(c)"),
    (lambda x, n: asa.mean_where(x, n > 1), "mean_where(x, n > 1)"),
    (lambda n, k: asa.mean_where(n, k), "mean_where(n, k != 0)"),
    (lambda x, n: asa.ratio(np.sum(x), np.sum(n)), "ratio(sum(x), sum(n))"),
    (lambda x, y: asa.cov(x, y), "cov(x, y)"),
    (lambda x, y: asa.corr(x, y), "corr(x, y)"),
    (lambda x, y: asa.corr(x, y, 0.5, 4), "corr(x, y, 0.5, 4)"),
    (lambda x, y: asa.corr(x, y, 0.5, 4) + 1, "corr(x, y, 0.5, 4) + 1"),
    (lambda x, y: asa.dot(x, y), "dot(x, y)"),
    (lambda x, y: asa.dot([x, y], (0.5, -2)), "dot([x, y], [0.5, -2])"),
    (lambda n, m: asa.dot((n, m), np.array([3, 4])) + 1, "dot([n, m], [3, 4]) + 1"),
    (lambda k: asa.table(k, [30, -10, 20]), "table(k, [30, -10, 20])"),
    (lambda k: asa.table(k, np.array([30, -10, 20])), "table(k, [30, -10, 20])"),
    (lambda k, c: asa.table2(c, k, [[1, 2, 3], [4, 5, 6]]), "table2(c, k, [[1, 2, 3], [4, 5, 6]])"),
    (lambda n: asa.quantile(n, 0.5), "quantile(n, 0.5)"),
    (lambda n: asa.quantile(n, 0), "quantile(n, 0)"),
    (lambda n: asa.quantile(n, 1), "quantile(n, 1)"),
    (lambda y: asa.less_than(y, 1, 0.125), "less_than(y, 1, 0.125)"),
    (lambda y: asa.less_than(1, y, 0.125), "less_than(1, y, 0.125)"),
    (lambda x: np.sqrt(asa.assume(np.var(x), 1, 36)), "sqrt(assume(var(x), 1, 36))"),
    (lambda y: asa.assume(y, -4, 3.5), "assume(y, -4, 3.5)"),
    (lambda c: asa.count(c), "count(c)"),
    (lambda n: asa.count(n), "count(n != 0)"),
    (lambda p: asa.round_half_up(p), "round(p)"),
    (lambda y: asa.round_half_up(y), "round(y)"),
    (lambda n: asa.round_half_up(n), "n"),
]


@pytest.mark.parametrize(("f", "text"), FUNCTIONS, ids=[text for _, text in FUNCTIONS])
def test_traced_and_plain_values_are_equal(f: Callable[..., Any], text: str) -> None:
    program = agrees(f)
    assert program.text == f"result = {text}"


def test_functions_that_numpy_has_too_are_computed_encrypted_within_their_bounds() -> None:
    def f(x: Any, m: Any) -> dict[str, Any]:
        return {name: getattr(np, name)(*[x, m][:arguments]) for name, arguments in ARGUMENTS.items()}

    columns = {name: COLUMNS[name] for name in ("x", "m")}
    schema = Schema({name: SCHEMA.columns[name] for name in columns}, rows=len(columns["x"]))
    plan = planned(f, schema)
    client = Client.generate(plan)
    results = client.decrypt(Server(plan, client.evaluation_keys()).evaluate(client.encrypt(columns)))
    assert plan.scheme == "ckks"
    for name, expected in f(**columns).items():
        found = results[name]
        # Numpy's own rounding comes on top.
        slack = 1e-12 * np.abs(expected).max()
        assert np.abs(found.values - expected).max() <= found.error_bound + slack < 0.01, name


def test_least_squares_gives_an_output_for_every_coefficient() -> None:
    def f(x: Any, n: Any, m: Any) -> Any:
        return {"fit": asa.least_squares(x, [n, n * m, n])}

    program = trace(f, SCHEMA)
    assert program.text == "fit = least_squares(x, [n, n * m, n])"
    assert list(program.outputs) == ["fit_intercept", "fit_n", "fit_2", "fit_3"]
    assert {kind.shape for kind in program.outputs.values()} == {"number"}

    plain = asa.least_squares(COLUMNS["x"], [COLUMNS["n"], COLUMNS["m"]])
    text = text_of(lambda x, n, m: asa.least_squares(x, [n, m]))
    found = evaluate(text, COLUMNS)
    assert list(found) == ["result_intercept", "result_n", "result_m"]
    np.testing.assert_allclose([float(value) for value in found.values()], plain, rtol=1e-9)


def test_least_squares_names_of_columns_that_are_no_words() -> None:
    program = trace(lambda **data: {"m": asa.least_squares(data["x"], [data["body mass"], data["count"]])}, SCHEMA)
    assert program.text == "m = least_squares(x, [`body mass`, `count`])"
    assert list(program.outputs) == ["m_intercept", "m_1", "m_count"]


def test_columns_that_determine_nothing_give_missing_results() -> None:
    column = np.array([1.0, 2.0, 3.0])
    assert np.isnan(asa.least_squares(column, [column, 2 * column])).all()
    assert math.isnan(asa.mean_where(column, column > 5))
    assert math.isnan(asa.ratio(1, 0))
    assert math.isnan(asa.corr(column, np.ones(3)))


def test_histograms_are_outputs_of_their_own() -> None:
    def f(n: Any, p: Any) -> Any:
        return {"h": asa.histogram(n, -2, 1), "g": asa.histogram(p, 0, 1)}

    program = trace(f, SCHEMA)
    assert program.text == "h = histogram(n, -2, 1)\ng = histogram(p, 0, 1)"
    assert list(program.outputs) == ["h_minus_2", "h_minus_1", "h_0", "h_1", "g_0", "g_1"]
    found = evaluate(program.text, COLUMNS)
    plain = {**asa.histogram(COLUMNS["n"], -2, 1), **{f"g{k}": v for k, v in asa.histogram(COLUMNS["p"], 0, 1).items()}}
    assert [int(value) for value in found.values()] == list(plain.values())


def test_counts_of_histograms_are_numbers() -> None:
    assert agrees(lambda n: asa.histogram(n, 0, 3)[3] / asa.count(n)).text == "result = count(n == 3) / count(n != 0)"
    text = "_t1 = floor(p)\nh_0 = count(_t1 == 0)\nh_1 = count(_t1 == 1)"
    assert agrees(lambda p: {f"h_{k}": counted for k, counted in asa.histogram(p, 0, 1).items()}).text == text

    def changed(n: Any) -> Any:
        counts = asa.histogram(n, 0, 1)
        counts[1] = counts[0]
        return {"h": counts}

    with pytest.raises(TraceError, match="output 'h' is a Counts, and outputs aren't nested"):
        trace(changed, SCHEMA)


def test_plain_numbers_are_checked_as_encrypted_ones() -> None:
    with pytest.raises(DataError, match=r"row 1 has 3, which is assumed to be in 0..2") as caught:
        asa.assume(np.array([1, 3]), 0, 2)
    assert (caught.value.row, caught.value.value) == (1, 3)
    assert asa.assume(np.array([0.1 + 0.2]), 0, 0.3).size == 1
    with pytest.raises(DataError, match="row 2 asks for place 3 of 3 in a table: add entries, or clip the places"):
        asa.table([0, 1, 3], [5, 6, 7])
    with pytest.raises(DataError, match="row 0 asks for place -1 of 2"):
        asa.table2([-1], [0], [[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="quantile takes a constant from 0 to 1, and this is 2"):
        asa.quantile([1, 2], 2)
    with pytest.raises(ValueError, match="corr takes both ends of the deviations, or neither"):
        asa.corr([1, 2], [2, 1], 1)
    with pytest.raises(ValueError, match="least_squares: it takes a list of 1 to 8 columns, and here are 0"):
        asa.least_squares([1, 2], [])
    with pytest.raises(ValueError, match=r"table2: its rows have one length, and these have \[1, 2\] entries"):
        asa.table2([0], [0], [[1, 2], [3]])
    with pytest.raises(ValueError, match="dot takes two columns, or a list of columns and as many weights"):
        asa.dot([[1, 2], [3, 4]], [1, 2, 3])


def test_plain_values_are_those_of_the_language() -> None:
    assert asa.round_half_up(np.array([0.5, 1.5, -0.5, 0.49999999999999994, -1e-20])).tolist() == [1, 2, 0, 0, 0]
    assert asa.sigmoid(np.array([-800.0, 0.0, 800.0])).tolist() == [0.0, 0.5, 1.0]
    assert [int(asa.quantile([7, 1, 5, 3], q)) for q in (0, 0.25, 0.26, 0.5, 0.75, 1)] == [1, 1, 3, 3, 5, 7]
    assert asa.quantile(np.arange(1, 101), 0.07) == 7
    assert asa.histogram([-1, 0, 0.5, 3], -1, 1) == {-1: 1, 0: 2, 1: 0}
    assert asa.count([0, 2, 3]) == 2
    assert asa.dot(np.array([1, 2]), np.array([3, 4])) == 11


REFUSALS: list[tuple[Callable[..., Any], str]] = [
    (lambda x, c: asa.mean_where(np.sum(x), c), "asanoha.mean_where(sum(x), c): it takes a column, and sum(x) is one number for all rows"),
    (lambda x, n: asa.ratio(x, np.sum(n)), "asanoha.ratio(x, sum(n)): it divides numbers over all rows, and x is a column: write np.sum(x), or a / b"),
    (lambda x: asa.ratio(1, np.sum(x)), "1 is a constant: write np.sum(x), or a / b"),
    (lambda x, y: asa.least_squares(x, [y] * 9), "it takes a list of 1 to 8 columns, and here are 9"),
    (lambda x: asa.least_squares(x, [1]), "it takes a column, and 1 is a constant for all rows"),
    (lambda x, y: asa.corr(x, y, 0.5), "it takes both ends of the deviations, or neither: write corr(x, y, lo, hi)"),
    (lambda x, y: asa.corr(x, y, 4, 0.5), "its ends are two constants, the lower one first, and these are 4 and 0.5"),
    (lambda x, y: asa.dot([x, y], [1]), "it takes two columns, or a list of columns and as many weights: write asanoha.dot([a, b], [0.5, 2])"),
    (lambda x: asa.dot(x, 2), "it takes two columns, or a list of columns and as many weights"),
    (lambda x: asa.table(x, [1, 2]), "places in a table are whole numbers, and x may have fractions: write np.floor(x)"),
    (lambda k: asa.table(k, np.array([0.5, 1])), "the entries of a table are constant whole numbers of at most 64 bits, and this is 0.5"),
    (lambda k, x: asa.table(k, [np.sum(x)]), "the entries of a table are constant whole numbers of at most 64 bits, and this is sum(x)"),
    (lambda k: asa.table(k, [2**63]), "of at most 64 bits"),
    (lambda k: asa.table(k, []), "a table has one entry at least: write table(x, [3, 1, 4])"),
    (lambda k: asa.table2(k, k, [[1], [1, 2]]), "its rows have one length, and these have [1, 2] entries"),
    (lambda k: asa.table2(k, k, [[], []]), "a table has one entry at least"),
    (lambda n: asa.histogram(n, 0.5, 3), "the ends of a histogram are constant whole numbers of at most 64 bits, and this is 0.5"),
    (lambda n: asa.histogram(n, 0, 256), "a histogram has from 1 to 256 values, and there are 257 from 0 to 256: narrow its ends"),
    (lambda n: asa.histogram(n, 3, 2), "a histogram has from 1 to 256 values, and there are 0 from 3 to 2"),
    (lambda x: asa.quantile(x, 0.5), "asanoha.quantile(x, 0.5): x may have fractions"),
    (lambda p: asa.quantile(p, 0.5), "write asanoha.quantile(p * 100, 0.5) / 100"),
    (lambda x: asa.less_than(x, 1, 0), "the gap is a constant above 0, and this is 0"),
    (lambda x, y: asa.less_than(x, 1, y), "the gap is a constant above 0, and this is y"),
    (lambda x, y: asa.assume(x, y, 3), "its ends are two constants, the lower one first, and these are y and 3"),
    (lambda region: asa.relu(region), "asanoha.relu(region): region is text"),
    (lambda born: asa.table(born, [1]), "born is a date"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "message"), REFUSALS, ids=[message[:50] for _, message in REFUSALS])
def test_refusals_say_what_to_write(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(TraceError) as caught:
        trace(f, SCHEMA)
    assert message in str(caught.value)
