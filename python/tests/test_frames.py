"""Data frames of several libraries, and columns of NumPy."""

import datetime
import decimal
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import asanoha as asa
from asanoha.exceptions import DataError

DAYS = [datetime.date(2024, 2, 29), datetime.date(1999, 12, 31), datetime.date(2026, 11, 25)]


def columns():
    return {
        "n": np.array([1, -2, 300]),
        "r": np.array([1.0, -2.5, 3.0]),
        "b": np.array([True, False, True]),
        "d": np.array(DAYS, dtype="datetime64[D]"),
        "t": np.array(["south", "north", "south"]),
    }


FRAMES = {
    "numpy": lambda: columns(),
    "pandas": lambda: pd.DataFrame(columns()),
    "polars": lambda: pl.DataFrame({**columns(), "d": DAYS}),
    "pyarrow": lambda: pa.table({**columns(), "d": pa.array(DAYS)}),
    "duckdb": lambda: duckdb.from_arrow(pa.table({**columns(), "d": pa.array(DAYS)})),
}


def summary(n, r, b, d, t):
    return {
        "n2": n * 2,
        "r2": r * 2,
        "nb": ~b,
        "late": d > datetime.date(2000, 1, 1),
        "south": np.sum(n * (t == "south")),
    }


@pytest.mark.parametrize("library", FRAMES)
def test_kinds_come_from_dtypes_whatever_the_library(library):
    schema = asa.Schema.of(FRAMES[library]())
    kinds = {name: type(kind) for name, kind in schema.columns.items()}
    assert kinds == {"n": asa.Whole, "r": asa.Real, "b": asa.Bool, "d": asa.Date, "t": asa.Category}
    assert schema.columns["t"].categories == ("north", "south") and schema.rows == 3
    assert schema == asa.Schema.of(FRAMES["numpy"]())


@pytest.fixture(scope="module")
def parties():
    """A client and a server of one plan: that all libraries have the same schema is the test above."""
    client = asa.Client.generate(asa.plan(summary, asa.Schema.of(columns())))
    return client, asa.Server(client.plan, client.evaluation_keys())


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_results(library, parties):
    client, server = parties
    results = client.decrypt(server.evaluate(client.encrypt(FRAMES[library]())))
    assert results["n2"].values.tolist() == [2, -4, 600] and results["n2"].values.dtype == np.int64
    assert np.abs(results["r2"].values - [2.0, -5.0, 6.0]).max() <= results["r2"].error_bound
    assert results["nb"].values.tolist() == [False, True, False]
    assert results["late"].values.tolist() == [True, False, True]
    assert results["south"].values == 301


def test_kinds_do_not_come_from_values():
    whole = asa.Schema.of({"x": np.array([1.0, 2.0])})
    assert isinstance(whole.columns["x"], asa.Real)
    text = asa.Schema.of(pl.DataFrame({"x": ["1", "2026-01-01", "true", "007"]}))
    assert text.columns["x"] == asa.Category(("007", "1", "2026-01-01", "true"))
    assert isinstance(asa.Schema.of({"x": np.array([0, 1])}).columns["x"], asa.Whole)


def test_categories_keep_the_order_of_their_dtype_and_unused_members():
    sizes = ["small", "middle", "large"]
    expected = asa.Category(tuple(sizes))
    for frame in [
        pd.DataFrame({"size": pd.Categorical(["large", "small"], categories=sizes)}),
        pl.DataFrame({"size": pl.Series(["large", "small"], dtype=pl.Enum(sizes))}),
        {"size": pd.Series(pd.Categorical(["large", "small"], categories=sizes))},
    ]:
        assert asa.Schema.of(frame).columns["size"] == expected
        results = asa.private(lambda size: {"is_large": size == "large"})(frame)
        assert results["is_large"].values.tolist() == [True, False]


def test_decimals_are_exact():
    for frame in [
        {"price": np.array([decimal.Decimal("12.50"), decimal.Decimal("0.05")], dtype=object)},
        pa.table({"price": pa.array([decimal.Decimal("12.50"), decimal.Decimal("0.05")], pa.decimal128(20, 2))}),
    ]:
        schema = asa.Schema.of(frame)
        assert isinstance(schema.columns["price"], asa.Decimal) and schema.columns["price"].places == 2
        result = asa.private(lambda price: {"total": np.sum(price * 3)})(frame)["total"]
        assert result.exact and result.values == 37.65
    with pytest.raises(DataError, match="12 places"):
        asa.Schema.of(pa.table({"price": pa.array([decimal.Decimal("1")], pa.decimal128(20, 12))}))
    with pytest.raises(DataError, match="11 places"):
        asa.Schema.of({"price": np.array([decimal.Decimal("0.00000000001")], dtype=object)})


def test_results_are_arrow_data():
    results = asa.private(lambda x: {"double": x * 2, "large": x > 2})({"x": np.array([1, 2, 3])})
    table = pa.table(results)
    assert table.to_pydict() == {"double": [2, 4, 6], "large": [False, False, True]}
    assert pl.from_arrow(table)["double"].to_list() == [2, 4, 6]


def test_a_database_is_a_query_away(tmp_path):
    place = tmp_path / "bank.db"
    with sqlite3.connect(place) as connection:
        connection.execute("create table loans (amount integer, region text)")
        connection.executemany("insert into loans values (?, ?)", [(100, "north"), (250, "south"), (50, "north")])
        loans = pd.read_sql("select * from loans", connection)
    connection.close()
    with duckdb.connect() as database:
        relation = database.from_df(loans).filter("amount > 60")
        results = asa.private(lambda amount, region: {"north": np.sum(amount * (region == "north"))})(relation)
    assert results["north"].values == 100


def test_duckdb_reads_a_sqlite_file_itself(tmp_path):
    place = tmp_path / "bank.db"
    with sqlite3.connect(place) as connection:
        connection.execute("create table loans (amount integer, region text)")
        connection.executemany("insert into loans values (?, ?)", [(100, "north"), (250, "south"), (50, "north")])
    connection.close()
    # Nothing is downloaded for a test.
    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as database:
        try:
            database.sql("load sqlite")
        except duckdb.IOException:
            pytest.skip("DuckDB's extension sqlite isn't installed")
        relation = database.sql(f"select * from sqlite_scan('{place}', 'loans') where amount > 60")
        results = asa.private(lambda amount, region: {"north": np.sum(amount * (region == "north"))})(relation)
    assert results["north"].values == 100


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pl.LazyFrame({"x": [1]}), "collect"),
        (
            {"x": np.array(["2024-01-01T12:00"], dtype="datetime64[s]")},
            "row 0 of column 'x' is 2024-01-01T12:00:00, a time of day",
        ),
        ({"x": np.array([1], dtype="timedelta64[s]")}, "timedelta64"),
        (pl.DataFrame({"x": [[1, 2]]}), "has the type .*List"),
        (pl.DataFrame({"x": [datetime.datetime(2024, 1, 1, 12)]}), "time of day"),
        (pl.DataFrame({"x": [datetime.timedelta(1)]}), "Duration"),
        (
            {"x": np.array([datetime.time(7, 30)], dtype=object)},
            "row 0 of column 'x' is of the type time; .*value.hour",
        ),
        ({"x": pd.Series([datetime.time(7, 30)])}, "is of the type time; .*value.minute"),
        ({"x": np.array([datetime.timedelta(3)], dtype=object)}, "of the type timedelta; .*total_seconds"),
        ({"x": [b"a", None]}, r"of the type bytes; .*value.decode\(\)"),
        (
            {"x": np.array([datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 1, 7)], dtype=object)},
            r"row 1 of column 'x' can't be taken: 2024-01-01 07:00:00 has a time of day, .*write value.date\(\)",
        ),
        ({"x": pd.Series(pd.to_datetime(["2024-01-01 07:00"]).tz_localize("UTC"))}, "row 0 .* has a time of day"),
        (pd.DataFrame({"x": [7, "b"]}), "row 1 of column 'x' is 'b', and row 0 is 7: a column is of one kind"),
        (pd.DataFrame({"x": [2 + 1j]}), "complex128.*take its real part"),
        (pd.DataFrame({"x": [object()]}), "row 0 of column 'x' is of the type object"),
        ({"x": [[1, 2], [3]]}, "column 'x' is no array of one axis"),
        ({"x": np.array([1, "a"], dtype=object)}, "a column is of one kind"),
        ({"x": np.array([None, None], dtype=object)}, "no values"),
        ({"x": np.ma.array([1, 2], mask=[True, False])}, "masked"),
        ({"x": np.ma.array([1, "a"], mask=[True, False], dtype=object)}, "masked"),
        ({"x": np.array([decimal.Decimal("1e700")], dtype=object)}, "row 0 .* digits"),
        ({"x": np.array([decimal.Decimal("1e-999999")], dtype=object)}, "row 0 .* digits"),
        ({"x": np.array([1, 2]), "y": np.array([1])}, "different numbers of rows"),
        ({1: np.array([1])}, "isn't text"),
        ({}, "no columns"),
        ({"x": np.array([np.inf])}, "finite"),
        ({"x": np.array([f"text {i}" for i in range(300)])}, "256"),
        (np.ones((3, 2)), "data frame"),
    ],
)
def test_what_has_no_kind_is_refused_with_what_to_do(data, message):
    with pytest.raises(DataError, match=message):
        asa.Schema.of(data)


def test_ranges_are_declared_and_hold_the_data():
    schema = asa.Schema.of({"x": np.array([1, 5])}, ranges={"x": (0, 10)}, max_rows=100)
    assert schema.columns["x"] == asa.Whole(0, 10) and schema.max_rows == 100
    with pytest.raises(DataError, match="row 1") as caught:
        asa.Schema.of({"x": np.array([1, 5])}, ranges={"x": (0, 4)})
    assert caught.value.row == 1
    with pytest.raises(DataError, match="pair"):
        asa.Schema.of({"x": np.array([1])}, ranges={"x": 4})
    with pytest.raises(DataError, match="'y'|\"y\""):
        asa.Schema.of({"x": np.array([1])}, ranges={"y": (0, 4)})
    with pytest.raises(DataError, match="max_rows=1"):
        asa.Schema.of({"x": np.array([1, 2])}, max_rows=1)


def test_columns_of_a_plan_are_taken_by_name_and_others_passed_over():
    plan = asa.plan(lambda x: {"y": x + 1}, asa.Schema({"x": asa.Real(0, 8)}, rows=2))
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    frame = pd.DataFrame({"other": [["list"], ["list"]], "x": [1, 2]}, index=["a", "b"])
    result = client.decrypt(server.evaluate(client.encrypt(frame)))["y"]
    assert np.abs(result.values - [2, 3]).max() <= result.error_bound
    with pytest.raises(DataError, match='no column "x"; the data have other') as caught:
        client.encrypt({"other": ["list", "list"]})
    assert caught.value.column == "x" and caught.value.present == ["other"]
    with pytest.raises(DataError, match="no double"):
        client.encrypt({"x": np.array([2**60 + 1, 1])})


def test_a_column_that_is_not_wanted_may_be_of_any_type():
    plan = asa.plan(lambda x: {"y": 2 * x}, asa.Schema({"x": asa.Whole(0, 9)}, rows=2))
    plan.check(pd.DataFrame({"x": [3, 8], "mixed": [1, "a"]}))
    plan.check(pd.DataFrame({"x": pd.Series([3, 8], dtype="Sparse[int]"), "complex": [1j, 2]}))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2**60 + 1, None], dtype="Int64"),
        pl.Series([2**60 + 1, None]),
        pa.array([2**60 + 1, None]),
        pd.Series([2**60 + 1, None], dtype="int64[pyarrow]"),
    ],
    ids=["pandas", "polars", "pyarrow", "pandas with Arrow"],
)
def test_whole_numbers_of_a_mapping_stay_whole_beside_missing_ones(column):
    schema = asa.Schema.of({"x": column})
    assert isinstance(schema.columns["x"], asa.Whole) and schema.columns["x"].hi >= 2**60 + 1


def test_series_of_different_indexes_are_not_taken_by_position():
    data = {
        "price": pd.Series([3, 5, 9], index=["a", "b", "c"]),
        "weight": np.array([1, 1, 2]),
        "pieces": pd.Series([7, 1, 2], index=["c", "b", "a"]),
    }
    plan = asa.plan(
        lambda price, pieces: {"total": np.sum(price * pieces)},
        asa.Schema({"price": asa.Whole(0, 15), "pieces": asa.Whole(0, 15)}, rows=3),
    )
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    message = "'price' and 'pieces' are Series with different indexes"
    for refused in (asa.Schema.of, plan.check, client.encrypt):
        with pytest.raises(DataError, match=message) as caught:
            refused(data)
        assert caught.value.column == "pieces"
    # Both ways of the message.
    aligned = pd.DataFrame(data)
    by_position = {name: np.asarray(column) for name, column in data.items()}
    for given, total in ((aligned, 3 * 2 + 5 * 1 + 9 * 7), (by_position, 3 * 7 + 5 * 1 + 9 * 2)):
        assert client.decrypt(server.evaluate(client.encrypt(given)))["total"].values == total
    # Columns that aren't wanted, and equal indexes.
    plan.check({**by_position, "other": pd.Series([1, 2, 3], index=[9, 8, 7])})
    plan.check({name: pd.Series(column, index=["r", "s", "t"]) for name, column in by_position.items()})


def test_rows_that_were_left_out_have_no_number():
    def f(n, born):
        return {"double": n * 2, "large": n > 4, "real": n.astype(float), "day": born, "total": np.sum(n)}

    frame = pd.DataFrame(
        {
            "n": pd.array([6, None, 3], dtype="Int64"),
            "born": pd.to_datetime(["1999-05-06", "2001-01-01", "1970-01-01"]),
        },
        index=["a", "b", "c"],
    )
    results = asa.private(f)(frame, missing="mask")
    assert results["double"].values.tolist() == [12, None, 6] and results["double"].values.sum() == 18
    assert results["large"].values.tolist() == [True, None, False] and results["large"].values.dtype == bool
    np.testing.assert_array_equal(results["real"].values, [6, np.nan, 3])
    assert np.isnat(results["day"].values).tolist() == [False, True, False]
    assert results["day"].values[2] == np.datetime64("1970-01-01")

    made = results.to_pandas(index=frame.index)
    assert [str(kind) for kind in made.dtypes[:3]] == ["Int64", "boolean", "float64"] and list(made.index) == [
        "a",
        "b",
        "c",
    ]
    assert made["double"].isna().tolist() == made["day"].isna().tolist() == [False, True, False]
    assert made["double"].dropna().tolist() == [12, 6]


def test_frames_of_results_have_their_columns():
    results = asa.private(lambda x: {"double": x * 2, "large": x > 2, "total": np.sum(x)})({"x": np.array([1, 2, 3])})
    for make in (pd.DataFrame, np.asarray):
        with pytest.raises(DataError, match=r"write results\[name\].values .* and results.to_pandas\(\) or pyarrow"):
            make(results)
    expected = {"double": [2, 4, 6], "large": [False, False, True]}
    assert results.to_pandas().to_dict("list") == pa.table(results).to_pydict() == expected
    assert pl.from_arrow(pa.table(results)).to_dict(as_series=False) == expected
    totals = asa.private(lambda x: {"total": np.sum(x), "none": asa.mean_where(x, x > 5)})(
        {"x": np.array([1, 2, 3])}, ranges={"x": (0, 7)}
    )
    made = totals.to_pandas()
    assert made["total"].tolist() == [6] and made["none"].isna().tolist() == [True]
