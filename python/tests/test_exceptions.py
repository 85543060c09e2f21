"""Exceptions: their builtin bases, their figures, and that they pickle."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from asanoha import exceptions
from asanoha._refusals import TraceAttributeError
from asanoha.exceptions import AsanohaError, DataError, InternalError, TraceError, from_json

BASES: dict[str, type[Exception]] = {
    "TraceError": TypeError,
    "ProgramError": ValueError,
    "DataError": ValueError,
    "PlanError": ValueError,
    "FormatError": ValueError,
    "WrongKeysError": ValueError,
    "CheckError": RuntimeError,
    "ForkError": RuntimeError,
    "InternalError": RuntimeError,
    "SecretError": TypeError,
    "AddressError": ValueError,
    "ServerGoneError": ConnectionError,
    "RefusedError": RuntimeError,
    "TokenError": RuntimeError,
    "BusyError": RuntimeError,
    "JobError": RuntimeError,
    "WaitError": TimeoutError,
}


def kinds() -> list[type[AsanohaError]]:
    return [getattr(exceptions, name) for name in BASES]


def test_every_exception_is_public() -> None:
    assert set(exceptions.__all__) == {"AsanohaError", "from_json", *BASES}


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_exceptions_stand_beside_builtins_and_pickle(kind: type[AsanohaError]) -> None:
    assert issubclass(kind, AsanohaError) and issubclass(kind, BASES[kind.__name__])
    error = kind("column age has 131 in row 7", column="age", row=7, range=("0", "127"))
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is kind
        assert str(again) == str(error) == "column age has 131 in row 7"
        assert again.figures == {"column": "age", "row": 7, "range": ("0", "127")}
        assert (again.column, again.row, again.range) == ("age", 7, ("0", "127"))


def test_figures_are_attributes() -> None:
    error = DataError("row 7 is empty", row=7, message="text")
    assert error.row == 7 and error.message == "text" and "row" in dir(error)
    with pytest.raises(AttributeError, match="DataError has no attribute 'column': its figures are row, message"):
        error.column  # noqa: B018
    with pytest.raises(AttributeError, match="InternalError has no attribute 'row': it has no figures"):
        InternalError("a defect").row  # noqa: B018
    assert not hasattr(error, "nothing")


def test_attributes_of_traced_values_are_refused_by_both_kinds_of_error() -> None:
    error = TraceAttributeError("x.sort isn't computed under encryption")
    assert isinstance(error, TraceError) and isinstance(error, AttributeError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_exceptions_are_made_of_json() -> None:
    text = json.dumps({"class": "DataError", "message": "row 7 is empty", "figures": {"row": 7, "column": "age"}})
    error = from_json(text)
    assert type(error) is DataError and str(error) == "row 7 is empty" and error.row == 7 and error.column == "age"
    for name in BASES:
        assert type(from_json(json.dumps({"class": name, "message": "m"}))) is getattr(exceptions, name)
    assert type(from_json('{"class": "AsanohaError", "message": "m"}')) is AsanohaError


@pytest.mark.parametrize(
    "text",
    [
        '{"class": "KeyError", "message": "m"}',
        '{"class": "from_json", "message": "m"}',
        '{"class": 3, "message": "m"}',
        '{"message": "m"}',
    ],
)
def test_classes_that_are_not_known_are_internal(text: str) -> None:
    error = from_json(text)
    assert type(error) is InternalError and str(error) == "m"


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[1]", '{"class": "DataError"}', '{"class": "DataError", "message": 3}']
)
def test_text_without_a_message_is_internal(text: str) -> None:
    error = from_json(text)
    assert type(error) is InternalError
    assert "which has no message" in str(error)


def test_figures_that_are_no_object_are_left_out() -> None:
    assert from_json('{"class": "DataError", "message": "m", "figures": [1]}').figures == {}
