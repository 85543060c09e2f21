"""Random functions of whole numbers and decimals: their traces are those of numpy, and the same every time."""

from __future__ import annotations

from typing import Any

import numpy as np
import random_functions
from hypothesis import given, settings
from hypothesis import strategies as st
from language_evaluator import evaluate

from asanoha._kinds import Bool, Decimal, Whole
from asanoha._schema import Schema
from asanoha._trace import trace
from asanoha.exceptions import TraceError

EXACT = Schema(
    {"n": Whole(-9, 9), "m": Whole(1, 9), "k": Whole(0, 2), "c": Bool(), "e": Bool(), "p": Decimal(2, -2, 2)}, rows=4
)

numbers = st.one_of(st.sampled_from(["n", "m", "k", "p"]), st.integers(-9, 9), st.sampled_from([0.5, -0.25, 2.0]))
conditions = st.sampled_from(["c", "e"])


def trees(depth: int) -> st.SearchStrategy[Any]:
    """Functions of numbers, as nested tuples."""
    if depth == 0:
        return numbers
    below, decided = trees(depth - 1), decisions(depth - 1)
    return st.one_of(
        numbers,
        st.tuples(st.sampled_from(["+", "-", "*", "max", "min"]), below, below),
        st.tuples(st.sampled_from(["//", "%"]), below, st.sampled_from(["m", 2, -3, 0.5])),
        st.tuples(st.sampled_from(["half", "quarter"]), below),
        st.tuples(st.sampled_from(["neg", "abs", "floor", "ceil", "square", "sign", "clip"]), below),
        st.tuples(st.just("where"), decided, below, below),
        st.tuples(st.sampled_from(["sum", "count"]), decided),
    )


def decisions(depth: int) -> st.SearchStrategy[Any]:
    """Conditions, as nested tuples."""
    if depth == 0:
        return conditions
    below, compared = decisions(depth - 1), trees(depth - 1)
    return st.one_of(
        conditions,
        st.tuples(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), compared, compared),
        st.tuples(st.sampled_from(["&", "|", "^"]), below, below),
        st.tuples(st.just("~"), below),
    )


RULES: dict[str, Any] = {
    **random_functions.RULES,
    "half": lambda a: a / 2,
    "quarter": lambda a: a * 0.25,
    "square": lambda a: a**2,
    "clip": lambda a: np.clip(a, -3, 4.5),
}


def computed(tree: Any, columns: dict[str, Any]) -> Any:
    """A tree's value on columns, traced or plain."""
    if isinstance(tree, str):
        return columns[tree]
    if not isinstance(tree, tuple):
        return tree
    return RULES[tree[0]](*(computed(part, columns) for part in tree[1:]))


def is_constant(tree: Any) -> bool:
    return not isinstance(tree, (str, tuple)) or (isinstance(tree, tuple) and all(map(is_constant, tree[1:])))


rows = st.lists(
    st.tuples(
        st.integers(-9, 9), st.integers(1, 9), st.integers(0, 2), st.booleans(), st.booleans(), st.integers(-8, 8)
    ),
    min_size=4,
    max_size=4,
)


@settings(max_examples=200, deadline=None)
@given(tree=trees(3), data=rows)
def test_random_functions_are_those_of_numpy(tree: Any, data: Any) -> None:
    def f(**columns: Any) -> Any:
        value = computed(tree, columns)
        return value + columns["n"] if is_constant(tree) else value

    try:
        program = trace(f, EXACT)
    except TraceError as error:
        # Conditions of constants are booleans of Python, which `~` makes numbers of. The language doesn't fold `n // m - n // m`,
        # which is 0 only where m isn't.
        refusals = "bits of numbers", "numpy computes it of no booleans", "the same for all data, but only where"
        assert any(refusal in str(error) for refusal in refusals)
        return
    assert trace(f, EXACT) == program
    columns = {name: np.array([row[at] for row in data]) for at, name in enumerate("nmkcep")}
    columns["p"] = columns["p"] / 4
    expected = np.asarray(f(**columns))
    found = np.asarray(evaluate(program.text, columns)["result"], dtype=object)
    assert found.shape == expected.shape
    assert [float(value) for value in found.ravel()] == [float(value) for value in expected.ravel()], program.text
    assert {"b": "bool", "i": "int64", "f": "float64"}[expected.dtype.kind] == program.outputs["result"].dtype
