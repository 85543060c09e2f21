"""Kinds of columns and schemas: ranges, the planner's JSON, and what is refused."""

from __future__ import annotations

import datetime
import decimal
import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asanoha._kinds import Bool, Category, Date, Decimal, Kind, Real, Whole, from_json
from asanoha._language import number_text
from asanoha._schema import Schema
from asanoha.exceptions import DataError, FormatError

DAY = datetime.date(2020, 2, 29)
KINDS: list[tuple[Kind, str, dict[str, Any]]] = [
    (Real(0, 51.1), "Real(lo=0, hi=51.1)", {"whole": False, "range": {"lo": "0", "hi": "51.1"}}),
    (Real(Fraction(1, 3), 1), "Real(lo=Fraction(1, 3), hi=1)", {"whole": False, "range": {"lo": "1/3", "hi": "1"}}),
    (Whole(-3, 127.0), "Whole(lo=-3, hi=127)", {"whole": True, "range": {"lo": "-3", "hi": "127"}}),
    (Whole(0, 2**80), f"Whole(lo=0, hi={2**80})", {"whole": True, "range": {"lo": "0", "hi": str(2**80)}}),
    (
        Decimal(2, decimal.Decimal("-0.50"), 9.99),
        "Decimal(places=2, lo=-0.5, hi=9.99)",
        {"whole": False, "places": 2, "range": {"lo": "-0.5", "hi": "9.99"}},
    ),
    (Bool(), "Bool()", {"whole": True, "range": {"lo": "0", "hi": "1"}}),
    (
        Date(datetime.date(1969, 12, 31), DAY),
        "Date(lo=datetime.date(1969, 12, 31), hi=datetime.date(2020, 2, 29))",
        {"whole": True, "date": True, "range": {"lo": "-1", "hi": "18321"}},
    ),
    (
        Category(("north", "south", "east")),
        "Category(categories=('north', 'south', 'east'))",
        {"whole": True, "categories": ["north", "south", "east"], "range": {"lo": "0", "hi": "2"}},
    ),
    (
        Category(["one"]),
        "Category(categories=('one',))",
        {"whole": True, "categories": ["one"], "range": {"lo": "0", "hi": "1"}},
    ),
]


@pytest.mark.parametrize(("kind", "text", "column"), KINDS, ids=[text for _, text, _ in KINDS])
def test_kinds_are_the_planners_columns(kind: Kind, text: str, column: dict[str, Any]) -> None:
    assert repr(kind) == text
    assert eval(text) == kind and hash(eval(text)) == hash(kind)
    assert pickle.loads(pickle.dumps(kind)) == kind
    assert kind.to_json("a column") == {"name": "a column", **column}
    again = json.loads(json.dumps(kind.to_json("a column")))
    assert from_json(again, kind) == kind
    is_told_by_planner = not isinstance(kind, (Bool, Date))
    assert (from_json(again) == kind) == is_told_by_planner
    with pytest.raises(AttributeError):
        kind.lo = 3  # type: ignore[attr-defined]


def test_dtypes_of_kinds() -> None:
    kinds = [Real(), Whole(), Decimal(1), Bool(), Date(), Category("ab".split())]
    expected = [np.float64, np.int64, np.float64, np.bool_, np.dtype("datetime64[D]"), np.object_]
    assert [kind.dtype for kind in kinds] == expected


def test_floats_are_their_shortest_decimals() -> None:
    assert Real(0.05, 0.1).lo == Fraction(1, 20)
    assert Real(np.float64(0.05), np.float32(0.5)).range == (Fraction(1, 20), Fraction(1, 2))
    assert Real(0, 1e300).hi == Fraction(10) ** 300
    assert Real(0, 1e300).to_json("x")["range"]["hi"] == "1e300"
    assert Real(5e-324, np.int64(1)).to_json("x")["range"] == {"lo": "5e-324", "hi": "1"}
    assert repr(Real(0, Fraction(10) ** 400 / 3)) == f"Real(lo=0, hi=Fraction({10**400}, 3))"
    assert Date(np.datetime64("2020-02-29"), DAY).lo == DAY


def test_ranges_that_are_not_known_are_refused_by_the_planner_only() -> None:
    assert repr(Real()) == "Real()" and repr(Whole(lo=3)) == "Whole(lo=3)" and Real().range is None
    for kind, shown in [
        (Real(), "Real()"),
        (Whole(lo=3), "Whole(lo=3)"),
        (Decimal(2, hi=3), "Decimal(places=2, hi=3)"),
    ]:
        with pytest.raises(DataError) as caught:
            kind.to_json("bmi")
        message = f"the range of column 'bmi', {shown}, isn't known: give lo and hi, or use Schema.of(data)"
        assert str(caught.value) == message and caught.value.column == "bmi"
    with pytest.raises(DataError, match=r"Date\(\), isn't known"):
        Date().to_json("born")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Real(2, 1), "lo of Real is 2, above hi, which is 1: exchange them"),
        (lambda: Real(float("nan"), 1), "lo of Real can't be used, because nan is no finite number: write an int, a float"),
        (lambda: Real(0, decimal.Decimal("inf")), "hi of Real can't be used, because Infinity is no finite number"),
        (lambda: Real(0, decimal.Decimal("1e99999")), "needs more than 4096 bits as an exact fraction"),
        (lambda: Real(0, 2**5000), "hi of Real can't be used, because a number of 5001 bits is too long"),
        (lambda: Real("0", 1), "lo of Real can't be used, because '0' is no real number"),  # type: ignore[arg-type]
        (lambda: Real(False, 1), "lo of Real is False, and ends are numbers: write 0"),
        (lambda: Real(0, np.longdouble(1) / 3), "has more digits than a double: write float(value)"),
        (lambda: Whole(0, 0.5), "hi of Whole is 0.5, and its ends are whole numbers: round it outward"),
        (lambda: Decimal(0), "places of Decimal is 0, and should be from 1 to 9: use Whole(lo, hi) for whole numbers"),
        (lambda: Decimal(10), "and Real(lo, hi) for numbers of more places"),
        (lambda: Decimal(True), "places of Decimal is True"),
        (lambda: Decimal(1.0), "places of Decimal is 1.0"),  # type: ignore[arg-type]
        (lambda: Date(DAY, datetime.date(2020, 1, 1)), "lo of Date is 2020-02-29, after hi, which is 2020-01-01: exchange them"),
        (lambda: Date(datetime.datetime(2020, 1, 1, 12)), "has a time of day, and dates are whole days: write value.date()"),
        (lambda: Date(3), "lo of Date is 3, and should be a datetime.date"),  # type: ignore[arg-type]
        (lambda: Date(np.datetime64("NaT")), "lo of Date can't be used, because NaT is no date"),
        (lambda: Category("north"), "the categories are 'north': write a list of texts, such as ['north', 'south']"),
        (lambda: Category(3), "the categories are 3: write a list of texts"),  # type: ignore[arg-type]
        (lambda: Category([]), "there are 0 categories, and a column has from 1 to 256"),
        (lambda: Category(map(str, range(257))), "there are 257 categories"),
        (lambda: Category(["a", "b", "a"]), "category 'a' stands twice: list every text once"),
        (lambda: Category(["a", 3]), "category 3 is no text: write str(category)"),  # type: ignore[list-item]
        (lambda: Category(["a "]), "category 'a ' is empty, begins or ends with a space, or has control characters: clean it"),
        (lambda: Category(["a\u202eb"]), "has control characters: clean it"),
        (lambda: Category(["a", "\u2066b"]), "has control characters: clean it"),
        (lambda: Schema({"a\u202eb": Whole(0, 1)}, rows=1), "control characters and back-quotes: rename it"),
        (lambda: Schema({"a\u061cb": Whole(0, 1)}, rows=1), "control characters and back-quotes: rename it"),
        (lambda: Category(["é" * 129]), "has 258 bytes, and up to 256 are taken: shorten it"),
    ],
)  # fmt: skip
def test_what_is_no_kind_is_refused(make: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("column", "hint", "message"),
    [
        ({"whole": True}, None, "is no schema of a column, which has a name, whole and a range"),
        ({"name": "x", "whole": True, "range": {"lo": "0"}}, None, "the range of column 'x' has the end None, which is no number"),
        ({"name": "x", "whole": True, "range": {"lo": "a", "hi": "1"}}, None, "has the end 'a', which is no number"),
        ({"name": "x", "whole": True, "range": {"lo": "1/0", "hi": "1"}}, None, "has the end '1/0'"),
        ({"name": "x", "whole": True, "range": {"lo": "0", "hi": "1e2000"}}, None, "has an end of more than 4096 bits"),
        ({"name": "x", "whole": True, "range": {"lo": "0", "hi": "0.5"}}, None, "the schema of column 'x' can't be read: hi of Whole"),
        ({"name": "x", "whole": True, "range": {"lo": "2", "hi": "1"}}, None, "can't be read: lo of Whole is 2"),
        ({"name": "x", "whole": True, "range": {"lo": "0", "hi": "9"}}, Real(), "column 'x' is Whole in the schema, and was taken to be Real"),
        ({"name": "x", "whole": True, "range": {"lo": "0", "hi": "9"}}, Bool(), "column 'x' is Whole in the schema, and was taken to be Bool"),
        ({"name": "x", "whole": True, "range": {"lo": "0", "hi": "1e9"}}, Date(), "the schema of column 'x' can't be read"),
        ({"name": "x", "whole": False, "places": 12, "range": {"lo": "0", "hi": "1"}}, None, "can't be read: places of Decimal is 12"),
        ({"name": "x", "whole": True, "categories": ["a", "a"], "range": {"lo": "0", "hi": "1"}}, None, "stands twice"),
    ],
)  # fmt: skip
def test_what_is_no_column_of_the_planner_is_refused(column: dict[str, Any], hint: Kind | None, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        from_json(column, hint)
    assert message in str(caught.value)


def test_ends_in_json_may_be_numbers() -> None:
    assert from_json({"name": "x", "whole": False, "range": {"lo": 0, "hi": 0.1}}) == Real(0, 0.1)


@given(st.fractions(max_denominator=10**6) | st.floats(allow_nan=False, allow_infinity=False).map(repr).map(Fraction))
def test_numbers_read_back_from_text(value: Fraction) -> None:
    assert Fraction(number_text(value)) == value


def test_numbers_are_written_short() -> None:
    for value, text in [
        (Fraction(3), "3"),
        (Fraction(-1, 4), "-0.25"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-22, 7), "-22/7"),
        (Fraction(12345, 100), "123.45"),
        (Fraction(10) ** 19, "1" + "0" * 19),
        (Fraction(10) ** 30, "1e30"),
        (-Fraction(15) / 10**31, "-1.5e-30"),
        (Fraction(1, 2**70), "1/1180591620717411303424"),
    ]:
        assert number_text(value) == text


# Schemas.

COLUMNS: dict[str, Kind] = {
    "bmi": Real(0, 64),
    "smoker": Bool(),
    "born": Date(DAY, DAY),
    "region": Category(("a", "b")),
}


def test_schemas_are_values() -> None:
    schema = Schema(COLUMNS, rows=442)
    assert schema == Schema(dict(COLUMNS), rows=442) and hash(schema) == hash(Schema(COLUMNS, rows=442))
    assert schema != Schema(COLUMNS, max_rows=442) and schema != Schema(COLUMNS, rows=441) and schema != 3
    assert schema != Schema(dict(reversed(COLUMNS.items())), rows=442)
    assert pickle.loads(pickle.dumps(schema)) == schema
    assert list(schema.columns) == list(COLUMNS)
    assert (schema.rows, schema.max_rows) == (442, None)
    assert repr(Schema({"bmi": Real(0, 64)}, max_rows=10)) == "Schema({'bmi': Real(lo=0, hi=64)}, max_rows=10)"
    assert eval(repr(schema)) == schema
    with pytest.raises(TypeError):
        schema.columns["bmi"] = Bool()  # type: ignore[index]
    with pytest.raises(AttributeError, match="schemas are immutable"):
        schema.rows = 3  # type: ignore[misc]
    with pytest.raises(AttributeError, match="schemas are immutable"):
        del schema._rows
    changed = dict(COLUMNS)
    kept = Schema(changed, rows=2)
    changed.clear()
    assert len(kept.columns) == 4


def test_schemas_are_the_planners() -> None:
    schema = Schema({"bmi": Real(0, 51.1), "smoker": Bool()}, max_rows=1000)
    assert json.loads(schema.to_json()) == {
        "rows": 1000,
        "columns": [
            {"name": "bmi", "whole": False, "range": {"lo": "0", "hi": "51.1"}},
            {"name": "smoker", "whole": True, "range": {"lo": "0", "hi": "1"}},
        ],
    }
    assert Schema.from_json(schema.to_json(), schema.columns, fewer_rows=True) == schema
    known = Schema(COLUMNS, rows=442)
    assert Schema.from_json(known.to_json().encode(), known.columns) == known
    assert Schema.from_json(known.to_json()).columns["smoker"] == Whole(0, 1)
    with pytest.raises(DataError, match="the range of column 'x', Real"):
        Schema({"x": Real()}, rows=3).to_json()


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (
            COLUMNS,
            {},
            "a schema has rows or max_rows, and neither is given: give rows for exactly so many, else max_rows",
        ),
        (COLUMNS, {"rows": 3, "max_rows": 3}, "both are given"),
        (COLUMNS, {"rows": 0}, "rows is 0, and should be a whole number from 1 to 268435456"),
        (COLUMNS, {"max_rows": 2**28 + 1}, "max_rows is 268435457"),
        (COLUMNS, {"rows": 3.0}, "rows is 3.0"),
        (COLUMNS, {"rows": True}, "rows is True"),
        ({}, {"rows": 3}, "there are 0 columns, and a schema has from 1 to 65536"),
        (["bmi"], {"rows": 3}, "columns is ['bmi'], and should be a mapping, such as {'bmi': Real(0, 64)}"),
        (
            {"bmi": Real},
            {"rows": 3},
            "the kind of column 'bmi' is <class 'asanoha._kinds.Real'>: write a kind, such as Real()",
        ),
        ({"bmi": float}, {"rows": 3}, "the kind of column 'bmi' is <class 'float'>: write a kind, such as Real(0, 64)"),
        ({3: Bool()}, {"rows": 3}, "3 can't name a column, because names are texts of 1 to 256 bytes"),
        ({" a": Bool()}, {"rows": 3}, "' a' can't name a column"),
        ({"a`b": Bool()}, {"rows": 3}, "back-quotes: rename it"),
        ({"a\nb": Bool()}, {"rows": 3}, "can't name a column"),
        ({"é" * 129: Bool()}, {"rows": 3}, "can't name a column"),
    ],
)
def test_what_is_no_schema_is_refused(columns: Any, options: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        Schema(columns, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "the schema is no JSON"),
        ("[1]", 'the text is no schema, which is written {"rows": 442, "columns": [...]}'),
        ('{"rows": 3, "columns": [3]}', "3 is no schema of a column"),
        ('{"rows": 3, "columns": []}', "the schema can't be read: there are 0 columns"),
        ('{"rows": 0, "columns": [{"name": "x", "whole": true, "range": {"lo": 0, "hi": 1}}]}', "the schema can't be read: rows is 0"),
        ('{"columns": [{"name": "x", "whole": true, "range": {"lo": 0, "hi": 1}}]}', "neither is given"),
        (
            '{"rows": 3, "columns": [{"name": "x", "whole": true, "range": {"lo": 0, "hi": 1}}, {"name": "x"}]}',
            "column 'x' stands twice in the schema",
        ),
    ],
)  # fmt: skip
def test_what_is_no_schema_of_the_planner_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        Schema.from_json(text)
    assert message in str(caught.value)


def test_schemas_of_data() -> None:
    pytest.importorskip("asanoha._data")
    schema = Schema.of({"age": np.array([59, 48, 72])}, ranges={"age": (0, 127)}, max_rows=1000)
    assert schema == Schema({"age": Whole(0, 127)}, max_rows=1000)
