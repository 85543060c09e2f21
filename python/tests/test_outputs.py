"""Outputs: their order, their dtypes, and what becomes of those that depend on no data."""

import decimal
import json
import pickle

import numpy as np
import pytest

import asanoha as asa
from asanoha.exceptions import FormatError, PlanError, ProgramError, TraceError

NS = np.array([4, 5, 7])
SCHEMA = asa.Schema({"n": asa.Whole(0, 7)}, rows=3)


def test_outputs_are_in_the_order_of_the_function_also_those_that_are_finished_after_decryption():
    def f(n):
        return {"spread": np.std(n), "double": 2 * n, "total": np.sum(n)}

    assert list(asa.plan(f, SCHEMA).outputs) == ["spread", "double", "total"]
    assert list(asa.private(f)({"n": NS})) == ["spread", "double", "total"]


def test_whole_results_have_the_float_dtype_that_numpy_gives_them():
    def f(n):
        return {"cast": n.astype(float), "divided": n / 1, "whole": n * 1}

    results = asa.private(f)({"n": NS})
    for name, expected in f(NS).items():
        assert results[name].values.dtype == expected.dtype and results[name].exact
        assert results[name].values.tolist() == expected.tolist()
        assert results[name].fractions() == NS.tolist()


def test_whole_results_that_are_0_or_1_stay_whole():
    results = asa.private(lambda n: {"least": np.min(n), "holds": n > 0})({"n": np.array([0, 1, 1])})
    assert results["least"].values.dtype == np.int64 and results["least"].values == 0
    assert results["holds"].values.dtype == bool and results["holds"].values.tolist() == [False, True, True]


def test_a_function_whose_results_are_the_same_for_all_data_is_refused():
    for f in (lambda n: {"y": n - n}, lambda n: {"y": n < n - 1}):
        with pytest.raises(PlanError, match="the same for all data"):
            asa.plan(f, SCHEMA)
    results = asa.private(lambda n: {"zero": n - n, "same": n})({"n": NS})
    assert results["zero"].values.tolist() == [0, 0, 0] and results["same"].values.tolist() == NS.tolist()


def test_programs_that_the_planner_refuses_are_named_as_the_user_wrote_them():
    text = "y = n\nzero = sum(n - n)"
    with pytest.raises(ProgramError, match="the same for all data") as of_text:
        asa.plan(text, SCHEMA)
    assert (of_text.value.line, of_text.value.column) == (2, 14)
    for f, message in (
        (lambda n: {"y": n, "zero": np.sum(n - n)}, "the function can't be planned: `n - n` in output `zero`: this is the same for all data"),
        (lambda n: {"y": np.log(3 * n)}, "`log(3 * n)` in output `y`: `log` takes numbers above 0, and here it can be anything in 0..21"),
        (lambda n: {"y": n, "share": 1 / (n - 4)}, "`1 / (n - 4)` in output `share`: "),
        (lambda n: {"total": np.sum((n + 1) ** 1000) ** 1000}, "`sum((n + 1)**1000)**1000` in output `total`: "),
        (lambda n: {"h": np.sqrt((n - 2) * (n - 2)) * np.sqrt((n - 2) * (n - 2)) + 1}, "`sqrt((n - 2) * (n - 2))` in output `h`: `sqrt` takes numbers above 0"),
    ):  # fmt: skip
        with pytest.raises(PlanError) as of_function:
            asa.plan(f, SCHEMA)
        assert message in str(of_function.value)
        assert "line 1" not in str(of_function.value) and "_t1" not in str(of_function.value)


def test_programs_that_were_pickled_name_operations_too():
    program = pickle.loads(pickle.dumps(asa.trace(lambda n: {"y": np.log(n - 3) + (n - 3)}, SCHEMA)))
    with pytest.raises(PlanError, match=r"`log\(n - 3\)` in output `y`: `log` takes numbers above 0"):
        asa.plan(program, SCHEMA)


def test_what_the_language_refuses_is_refused_where_it_is_traced():
    lines = []

    def f(n):
        lines.append(n)
        wide = asa.assume(n - n, 1, 2)
        lines.append(wide)
        return {"y": wide}

    with pytest.raises(TraceError, match=r"asanoha\.assume\(n - n, 1, 2\): `assume` takes two constants"):
        asa.trace(f, SCHEMA)
    assert len(lines) == 1
    with pytest.raises(TraceError, match=r"np\.log\(sum\(n\) \* 0 - 1\): `log` has no value in double precision at -1"):
        asa.trace(lambda n: {"y": n + np.log(np.sum(n) * 0 - 1)}, SCHEMA)


def test_decimals_of_one_sign_reach_up_to_the_plaintext_modulus():
    # Beside a function of n, whose plaintext modulus is just above the range of d.
    data = {"d": np.array([decimal.Decimal("0.1"), decimal.Decimal("9999.9")]), "n": np.array([0, 5])}
    results = asa.private(lambda d, n: {"price": d, "part": np.floor(n / 4)}, scheme="bgv")(data)
    assert results["price"].values.tolist() == [0.1, 9999.9] and results["part"].values.tolist() == [0, 1]


def of_all_dtypes(n, holds, born):
    return {
        "spread": np.std(n),
        "cast": n.astype(float),
        "least": np.min(holds.astype(int)),
        "bit": holds,
        "day": born,
        "later": born > np.datetime64("1999-09-09"),
        "total": np.sum(n.astype(float)),
        "chosen": np.where(holds, 1.0, 0.0),
    }


def test_a_plan_out_of_bytes_gives_results_of_the_same_dtypes_in_the_same_order():
    days = np.array(["1998-07-06", "2003-02-01", "2011-12-31"], dtype="datetime64[D]")
    data = {"n": NS, "holds": np.array([True, False, True]), "born": days}
    plan = asa.plan(of_all_dtypes, asa.Schema.of(data))
    read = asa.Plan.from_bytes(plan.to_bytes())
    assert list(read.outputs.items()) == list(plan.outputs.items())
    assert (read, read.digest, read.program, read.to_bytes()) == (plan, plan.digest, plan.program, plan.to_bytes())
    assert list(pickle.loads(pickle.dumps(read)).outputs.items()) == list(plan.outputs.items())

    client = asa.Client.generate(read)
    server = asa.Server(asa.Plan.from_bytes(read.to_bytes()), client.evaluation_keys())
    results = client.decrypt(server.evaluate(client.encrypt(data)))
    plain = of_all_dtypes(**data)
    assert list(results) == list(plain)
    for name, expected in plain.items():
        assert results[name].values.dtype == np.asarray(expected).dtype, name
        np.testing.assert_allclose(results[name].values.astype(float), np.asarray(expected).astype(float))


def test_a_plan_whose_dtypes_its_program_gives_has_no_comment():
    plan = asa.plan(lambda n: {"double": 2 * n, "mean": np.mean(n), "many": n > 5}, SCHEMA)
    assert b"# dtypes" not in plan.to_bytes()
    text = asa.plan("double = 2 * n", SCHEMA)
    assert b"# dtypes" not in text.to_bytes() and asa.Plan.from_bytes(text.to_bytes()).outputs == text.outputs


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ('{"cast": "bool"', "can't be read"),
        ('["cast"]', "can't be read"),
        ('{"other": "int64"}', "other outputs than its own"),
        ('{"cast": "object"}', "output 'cast' is of dtype 'object', and it's whole"),
        ('{"cast": ["int64"]}', "output 'cast' is of dtype .*, and it's whole"),
    ],
)
def test_dtypes_of_a_plan_that_its_outputs_cannot_have_are_refused(comment, message):
    plan = asa.plan(lambda n: {"cast": n.astype(float)}, SCHEMA)
    file = json.loads(plan.to_bytes())
    assert file["program"].endswith('# dtypes: {"cast": "float64"}\n')
    file["program"] = f"cast = n\n# dtypes: {comment}\n"
    with pytest.raises(FormatError, match=message):
        asa.Plan.from_bytes(json.dumps(file).encode())


def test_results_of_texts_that_are_dates_are_dates():
    days = np.array(["2024-01-31", "2024-02-03", "2023-12-31"], dtype="datetime64[D]")
    schema = asa.Schema({"day": asa.Date(np.datetime64("2023-12-01"), np.datetime64("2024-03-31"))}, rows=3)
    plan = asa.plan("due = day + 30\nlast = max(day)\nn = count(day >= 2024-01-31)", schema)
    assert [kind.dtype for kind in plan.outputs.values()] == ["datetime64[D]", "datetime64[D]", "int64"]
    read = asa.Plan.from_bytes(plan.to_bytes())
    assert read == plan and read.outputs == plan.outputs
    client = asa.Client.generate(plan)
    results = client.decrypt(asa.Server(read, client.evaluation_keys()).evaluate(client.encrypt({"day": days})))
    assert (results["due"].values == days + 30).all() and results["due"].values.dtype == days.dtype
    assert (results["last"].values, results["n"].values) == (days.max(), 2)


def test_dates_in_texts_stand_beside_dates():
    with pytest.raises(PlanError, match="column `x` is whole, where dates are needed"):
        asa.plan("n = count(x >= 2024-01-31)", asa.Schema({"x": asa.Whole(0, 9)}, rows=3))
    dates = asa.Schema({"x": asa.Date(np.datetime64("2024-01-31"), np.datetime64("2024-03-31"))}, rows=3)
    with pytest.raises(PlanError, match="column `x` is of dates, and compared with a number"):
        asa.plan("n = count(x >= 20240131)", dates)
