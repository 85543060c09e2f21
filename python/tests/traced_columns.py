"""Columns of every kind, and how traced programs are held against numpy on them."""

from __future__ import annotations

import dataclasses
import datetime
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from language_evaluator import evaluate, plain

from asanoha._kinds import Bool, Category, Date, Decimal, Real, Whole
from asanoha._program import Program
from asanoha._schema import Schema
from asanoha._trace import trace

COLUMNS: dict[str, Any] = {
    "x": np.array([0.5, 1.25, 2.0, 3.5, 0.125, 7.75]),
    "y": np.array([2.5, -1.5, 0.25, 3.5, -4.0, 1.0]),
    "n": np.array([3, -2, 0, 7, 5, -2]),
    "m": np.array([1, 4, 2, 3, 7, 5]),
    "k": np.array([0, 1, 2, 1, 0, 2]),
    "p": np.array([1.25, -0.5, 3.75, 2.0, 0.0, 9.5]),
    "c": np.array([True, False, True, True, False, False]),
    "e": np.array([True, True, False, True, False, True]),
    "born": np.array(
        ["1970-01-05", "2001-03-31", "1969-12-30", "1990-06-15", "2020-02-29", "1970-01-01"], "datetime64[D]"
    ),
    "seen": np.array(
        ["1980-01-05", "2001-03-31", "1999-12-30", "1989-06-15", "2021-02-28", "1970-01-02"], "datetime64[D]"
    ),
    "region": np.array(["north", "south", "north", "it's", "south", "north"], dtype=object),
    "place": np.array(["north", "east", "south", "north", "south", "east"], dtype=object),
    "body mass": np.array([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]),
    "count": np.array([1, 0, 2, 0, 1, 5]),
}
ROWS = 6
KINDS = {
    "x": Real(0.125, 8),
    "y": Real(-4, 4),
    "n": Whole(-8, 7),
    "m": Whole(1, 7),
    "k": Whole(0, 2),
    "p": Decimal(2, -1, 10),
    "c": Bool(),
    "e": Bool(),
    "born": Date(datetime.date(1950, 1, 1), datetime.date(2026, 1, 1)),
    "seen": Date(datetime.date(1950, 1, 1), datetime.date(2026, 1, 1)),
    "region": Category(("it's", "north", "south")),
    "place": Category(("east", "north", "south")),
    "body mass": Real(0, 8),
    "count": Whole(0, 7),
}
SCHEMA = Schema(KINDS, rows=ROWS)


def text_of(f: Callable[..., Any], schema: Schema = SCHEMA) -> str:
    return trace(f, schema).text


def named(result: Any) -> Mapping[str, Any]:
    """The outputs of a function on plain columns."""
    if isinstance(result, Mapping):
        return result
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    if isinstance(result, (tuple, list)):
        return {f"result_{at}": value for at, value in enumerate(result)}
    return {"result": result}


def on_columns(f: Callable[..., Any], columns: Mapping[str, Any] = COLUMNS) -> Mapping[str, Any]:
    """A function on plain columns."""
    parameters = inspect.signature(f).parameters.values()
    takes_rest = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)
    names = [name for name in columns if takes_rest or name in inspect.signature(f).parameters]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return named(f(**{name: columns[name] for name in names}))


def agrees(f: Callable[..., Any], columns: Mapping[str, Any] = COLUMNS, schema: Schema = SCHEMA) -> Program:
    """Holds the text of a traced function, evaluated on columns, against the function on these columns."""
    program = trace(f, schema)
    expected = on_columns(f, columns)
    found = evaluate(program.text, columns)
    assert list(found) == list(expected) == list(program.outputs)
    for name, value in expected.items():
        array, kind = plain(value), program.outputs[name]
        got = np.asarray(found[name], dtype=object)
        assert kind.shape == ("column" if got.ndim else "number"), name
        assert array.shape == got.shape, name
        expected_kind = {"b": "bool", "i": "int64", "f": "float64"}[array.dtype.kind]
        if kind.dtype != "datetime64[D]":
            assert kind.dtype == expected_kind, (name, kind, array.dtype)
        if array.dtype.kind == "f":
            np.testing.assert_allclose(got.astype(float), array, rtol=1e-9, atol=1e-12, err_msg=f"{name}\n{program}")
        else:
            assert [int(a) for a in got.ravel()] == [int(b) for b in array.ravel()], f"{name}\n{program}"
    return program
