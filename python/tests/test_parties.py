"""Plans, clients and servers: what they compute, and what they refuse."""

import copy
import logging
import os
import pickle
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import asanoha as asa
from asanoha.exceptions import (
    CheckError,
    DataError,
    ForkError,
    FormatError,
    PlanError,
    ProgramError,
    SecretError,
    TraceError,
    WrongKeysError,
)

ROWS = 7
XS = np.array([3, -4, 0, 7, 2, -1, 5])
YS = np.array([0.5, -1.25, 2.0, 0.0, 1.75, -0.5, 3.0])


def both(x, y):
    z = x * y + 1
    return {"z": z, "total": np.sum(x), "large": x > 2}


def squares(x):
    return {"square": x * x, "total": np.sum(x * x)}


@pytest.fixture(scope="module")
def parties():
    plan = asa.plan(squares, asa.Schema({"x": asa.Whole(-8, 7)}, max_rows=ROWS))
    client = asa.Client.generate(plan)
    return plan, client, asa.Server(plan, client.evaluation_keys())


def test_results_are_those_of_numpy_with_their_dtypes():
    results = asa.private(both, precision=asa.Bits(24))({"x": XS, "y": YS}, ranges={"x": (-8, 7)})
    expected = both(XS, YS)
    assert list(results) == ["z", "total", "large"]
    z = results["z"]
    assert z.values.dtype == np.float64 and not z.exact and 0 < z.error_bound < 1e-5
    assert np.abs(z.values - expected["z"]).max() <= z.error_bound
    assert results["total"].values == expected["total"]
    assert results["large"].values.dtype == bool and results["large"].values.tolist() == expected["large"].tolist()


def test_exact_results_are_exact_and_fractions_are_there():
    price = asa.Decimal(2, 0, 100)
    schema = asa.Schema({"price": price, "pieces": asa.Whole(0, 63)}, rows=3)
    plan = asa.plan(lambda price, pieces: {"total": np.sum(price * pieces), "each": price * pieces}, schema)
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    data = {"price": np.array([0.1, 99.99, 12.5]), "pieces": np.array([3, 63, 0])}
    results = client.decrypt(server.evaluate(client.encrypt(data)))
    assert results["total"].exact and results["total"].error_bound == 0
    assert results["each"].fractions() == [Fraction(3, 10), Fraction(629937, 100), 0]
    assert results["total"].values == float(Fraction(3, 10) + Fraction(629937, 100))


def test_whole_numbers_beyond_words_are_python_integers():
    values = np.array([2**70, -(2**69), 5], dtype=object)
    results = asa.private(lambda n: {"double": n * 2})({"n": values})
    assert results["double"].values.dtype == object
    assert results["double"].values.tolist() == [2**71, -(2**70), 10]


def test_a_plan_and_a_server_go_through_bytes_and_pickles(parties):
    plan, client, server = parties
    again = asa.Plan.from_bytes(plan.to_bytes())
    assert again == plan and hash(again) == hash(plan) and again.outputs == plan.outputs
    assert pickle.loads(pickle.dumps(plan)) == plan
    restored = pickle.loads(pickle.dumps(server))
    results = client.decrypt(restored.evaluate(inputs := client.encrypt({"x": XS})), of=inputs)
    assert results["square"].values.tolist() == (XS * XS).tolist()
    assert pickle.loads(pickle.dumps(plan.schema)) == plan.schema


def test_a_traced_program_and_its_text_are_one_plan():
    schema = asa.Schema({"x": asa.Whole(-8, 7)}, rows=ROWS)
    assert asa.plan(squares, schema) == asa.plan("square = x * x\ntotal = sum(x * x)", schema)


def test_a_plan_names_the_constants_that_are_rounded():
    schema = asa.Schema({"x": asa.Whole(-8, 7)}, rows=ROWS)
    plan = asa.plan("y = x * sqrt(2) + sqrt(2.25)", schema)
    for of in (plan, asa.Plan.from_bytes(plan.to_bytes())):
        assert dict(of.rounded_constants) == {"sqrt(2)": 2**0.5}
        assert "sqrt(2) to 1.4142135623730951: results are those of this number" in str(of)
    assert dict(asa.plan("y = x * 1.4142135623730951", schema).rounded_constants) == {}


def test_a_plan_says_what_it_is_and_what_becomes_public(parties):
    plan, *_ = parties
    text = str(plan)
    for part in ["BGV", "128 bits", "predicted", "column x: whole, in -8..7", "any number from 1 to 7"]:
        assert part in text
    assert "bgv" in repr(plan) and "up to 7 rows" in repr(plan) and "<pre>" in plan._repr_html_()
    assert plan.public["columns"][0]["name"] == "x" and plan.public["rows"] == ROWS
    assert {candidate["scheme"] for candidate in plan.candidates} == {"bgv", "bfv", "ckks", "tfhe"}
    assert plan.predicted["evaluate_s"] > 0 and plan.predicted["bytes"] > 0 and plan.predicted["precision_bits"] is None
    assert plan.scheme == "bgv" and plan.security_bits >= 128 and plan.inputs == ("x",)


def test_saved_clients_decrypt_what_they_encrypted_and_nobody_else_reads_the_secret(parties, tmp_path):
    plan, client, server = parties
    folder = tmp_path / "keys"
    client.save(folder)
    inputs = client.encrypt({"x": XS})
    loaded = asa.Client.load(plan, folder)
    results = loaded.decrypt(server.evaluate(inputs), of=inputs)
    assert results["total"].values == int((XS * XS).sum())
    assert os.stat(folder / "secret.safetensors").st_mode & 0o077 == 0


def test_a_passphrase_encrypts_the_secret_key_and_nothing_else_opens_it(parties, tmp_path):
    plan, client, server = parties
    client.save(tmp_path / "plain")
    client.save(tmp_path / "keys", passphrase="Straße 9")
    secret = secret_words(tmp_path / "plain")
    for path in (tmp_path / "keys").iterdir():
        assert secret[:64] not in path.read_bytes()
    assert os.stat(tmp_path / "keys" / "secret.sealed").st_mode & 0o077 == 0
    inputs = client.encrypt({"x": XS})
    loaded = asa.Client.load(plan, tmp_path / "keys", passphrase="Straße 9")
    assert loaded.decrypt(server.evaluate(inputs), of=inputs)["total"].values == int((XS * XS).sum())
    with pytest.raises(FormatError, match="passphrase isn't the one"):
        asa.Client.load(plan, tmp_path / "keys", passphrase="Strasse 9")
    with pytest.raises(FormatError, match="encrypted under a passphrase"):
        asa.Client.load(plan, tmp_path / "keys")
    with pytest.raises(SecretError, match="empty passphrase"):
        client.save(tmp_path / "other", passphrase="")
    assert not (tmp_path / "other").exists()


def secret_words(folder: Path) -> bytes:
    """A part of the secret key that no other bytes have by chance."""
    contents = (folder / "secret.safetensors").read_bytes()
    length = int.from_bytes(contents[:8], "little")
    return contents[8 + length :][:1024]


def test_the_secret_leaves_by_save_only(parties, tmp_path, caplog):
    plan, client, server = parties
    client.save(tmp_path)
    secret = secret_words(tmp_path)
    inputs = client.encrypt({"x": XS})
    with caplog.at_level(logging.DEBUG):
        shown = [repr(client), str(client), repr(server), caplog.text]
    public = [client.evaluation_keys(), pickle.dumps(server), plan.to_bytes(), inputs, server.evaluate(inputs)]
    assert len(set(secret)) > 1
    for found in [*public, *(text.encode() for text in shown)]:
        assert secret not in found and secret[:64] not in found
    for attempt in [pickle.dumps, copy.copy, copy.deepcopy]:
        with pytest.raises(SecretError, match=r"save\(folder\)"):
            attempt(client)
    with pytest.raises(TypeError, match="generate"):
        asa.Client()
    assert not hasattr(client, "__dict__")


@pytest.mark.parametrize(
    ("data", "message", "figures"),
    [
        ({"y": XS}, 'no column "x"', {"column": "x"}),
        ({"x": np.array([1, 9])}, "row 1 of column `x` is outside of -8..7", {"row": 1, "column": "x"}),
        ({"x": np.array([1.5])}, "real in the data and whole in the plan", {"column": "x", "planned": "whole"}),
        ({"x": np.array(["a"])}, "category in the data", {"column": "x"}),
        ({"x": np.array([1.0, np.nan])}, "real in the data", {}),
        ({"x": np.array([1, None], dtype=object)}, "misses 1 of its 2 values, the first in row 1", {"row": 1}),
        ({"x": np.arange(8)}, "8 rows and the plan is for at most 7", {"found": 8, "most": 7}),
        ({"x": np.array([], dtype=int)}, "no rows", {}),
        ({"x": np.ones((2, 2))}, "2 axes", {"column": "x"}),
        ({"x": np.array([1j])}, "complex", {"column": "x"}),
        ([1, 2], "data frame", {}),
        (None, "data frame", {}),
    ],
)
def test_data_that_a_plan_does_not_take_are_refused_with_figures(parties, data, message, figures):
    plan, client, _ = parties
    for attempt in (client.encrypt, plan.check):
        with pytest.raises(DataError, match=message) as caught:
            attempt(data)
        assert isinstance(caught.value, ValueError)
        for name, value in figures.items():
            assert getattr(caught.value, name) == value
        again = pickle.loads(pickle.dumps(caught.value))
        assert str(again) == str(caught.value) and again.figures == caught.value.figures


def test_missing_values_are_left_out_or_filled(parties):
    _, client, server = parties
    data = {"x": np.array([1, None, 3], dtype=object)}
    results = client.decrypt(server.evaluate(inputs := client.encrypt(data, missing="mask")), of=inputs)
    square = results["square"]
    assert square.values.tolist() == [1, None, 9] and square.missing.tolist() == [False, True, False]
    assert results["total"].values == 10
    zero = client.decrypt(server.evaluate(inputs := client.encrypt(data, missing="zero")), of=inputs)
    assert zero["square"].values.tolist() == [1, 0, 9] and zero["square"].missing is None
    with pytest.raises(DataError, match='"raise", "mask"'):
        client.encrypt(data, missing="drop")


def test_results_of_other_inputs_keys_and_plans_are_refused(parties):
    plan, _, server = parties
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    one, two = client.encrypt({"x": XS}), client.encrypt({"x": XS[:3]})
    results = server.evaluate(one)
    assert client.decrypt(results, of=one)["total"].values == int((XS * XS).sum())
    with pytest.raises(DataError, match="other inputs"):
        client.decrypt(results, of=two)
    with pytest.raises(DataError, match="7 rows and of 3 rows were encrypted for this plan"):
        client.decrypt(results)
    stranger = asa.Client.generate(plan)
    with pytest.raises(WrongKeysError, match="key generation"):
        stranger.decrypt(results)
    with pytest.raises(WrongKeysError, match="key generation"):
        server.evaluate(stranger.encrypt({"x": XS}))
    other = asa.plan(lambda x: {"cube": x**3}, asa.Schema({"x": asa.Whole(-8, 7)}, rows=ROWS))
    with pytest.raises((FormatError, WrongKeysError)):
        asa.Server(other, client.evaluation_keys()).evaluate(one)


def test_results_cannot_choose_among_what_other_processes_encrypted_or_left_out(parties, tmp_path):
    plan, _, _ = parties
    first = asa.Client.generate(plan)
    server = asa.Server(plan, first.evaluation_keys())
    first.save(tmp_path)
    first.encrypt({"x": XS[:4]})
    second = asa.Client.load(plan, tmp_path)
    results = server.evaluate(inputs := second.encrypt({"x": XS}))
    with pytest.raises(DataError, match="7 rows and of 4 rows"):
        second.decrypt(results)
    assert second.decrypt(results, of=inputs)["total"].values == int((XS * XS).sum())

    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    gaps = [np.array(values, dtype=object) for values in ([None, 1, 2], [1, None, 2])]
    results, inputs = server.evaluate(one := client.encrypt({"x": gaps[0]}, missing="mask")), one
    client.encrypt({"x": gaps[1]}, missing="mask")
    with pytest.raises(DataError, match="leave out different rows"):
        client.decrypt(results)
    assert client.decrypt(results, of=inputs)["square"].missing.tolist() == [True, False, False]
    # So does a client that was saved and loaded.
    client.save(tmp_path / "saved")
    again = asa.Client.load(plan, tmp_path / "saved")
    with pytest.raises(DataError, match="leave out different rows"):
        again.decrypt(results)
    assert again.decrypt(results, of=inputs)["square"].missing.tolist() == [True, False, False]


def test_bytes_that_were_altered_cut_or_are_foreign_are_refused(parties):
    plan, client, server = parties
    inputs = client.encrypt({"x": XS})
    results = server.evaluate(inputs)
    middle = len(inputs) // 2
    altered = inputs[:middle] + bytes([inputs[middle] ^ 1]) + inputs[middle + 1 :]
    for bad, message in [
        (altered, "digest doesn't match"),
        (inputs[:-8], "truncated or damaged"),
        (inputs + b"\0" * 8, "truncated or damaged"),
        (b"", "only 0 bytes"),
        (b"PK\x03\x04" + b"\0" * 100, "not an asanoha file"),
        (results, "holds encrypted outputs; encrypted inputs was expected"),
        (plan.to_bytes(), "not an asanoha file"),
    ]:
        with pytest.raises(FormatError, match=message):
            server.evaluate(bad)
    for bad in [
        b"",
        b"{}",
        b"\xff\xfe",
        plan.to_bytes()[:-10],
        plan.to_bytes().replace(b'"version": 6', b'"version": 5'),
    ]:
        with pytest.raises(FormatError):
            asa.Plan.from_bytes(bad)
    keys = client.evaluation_keys()
    for bad in [keys[:-8], inputs, b"keys"]:
        with pytest.raises(FormatError):
            asa.Server(plan, bad)
    with pytest.raises(DataError, match="max_bytes") as caught:
        server.evaluate(inputs, max_bytes=len(inputs) - 1)
    assert caught.value.limit == len(inputs) - 1
    assert client.decrypt(server.evaluate(inputs, max_bytes=len(inputs)), of=inputs)["total"].values > 0


def test_a_result_that_its_error_hides_is_refused():
    schema = asa.Schema({"a": asa.Real(-(2**20), 2**20)}, rows=2)
    plan = asa.plan(lambda a: {"tiny": a * 1}, schema, precision=asa.Bits(10))
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    with pytest.raises(CheckError, match="may be off by") as caught:
        client.decrypt(server.evaluate(client.encrypt({"a": np.array([1e-3, -2e-3])})))
    assert caught.value.output == "tiny" and caught.value.error_bound > 2e-3
    # A refusal tells nothing that was decrypted.
    assert set(caught.value.figures) <= {"output", "error_bound"}


def test_results_are_published_on_one_ground_only(tmp_path):
    plan = asa.plan(squares, asa.Schema({"x": asa.Whole(-8, 7)}, rows=ROWS), scheme="bgv")
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    data = {"x": XS}
    inputs = client.encrypt(data)
    results = server.evaluate(inputs)
    second = bytes(bytearray(server.evaluate(inputs)))
    for grounds in [{}, {"same_as": second, "data": data}, {"data": data, "trust_server": True}]:
        with pytest.raises(SecretError, match="same_as="):
            client.publish(results, of=inputs, **grounds)
    with pytest.raises(SecretError, match="same object"):
        client.publish(results, of=inputs, same_as=results)
    # Exact results that are checked are not counted, so that no folder is needed.
    for ground in [{"same_as": second}, {"data": data}]:
        assert client.publish(results, of=inputs, **ground)["square"].values.tolist() == (XS**2).tolist()
    others = server.evaluate(client.encrypt(data))
    with pytest.raises(CheckError, match="second evaluation"):
        client.publish(results, of=inputs, same_as=others)
    with pytest.raises(CheckError, match=r"`square`, row 3 differs from the plain computation"):
        client.publish(results, of=inputs, data={"x": np.where(np.arange(ROWS) == 2, 5, XS)})
    with pytest.raises(SecretError, match="save"):
        client.publish(results, of=inputs, trust_server=True)
    client.save(tmp_path / "keys")
    assert client.publish(results, of=inputs, trust_server=True)["total"].values == np.sum(XS * XS)
    # The count goes along to another folder.
    client.save(tmp_path / "more")
    shown = [(tmp_path / folder / "published.json").read_text() for folder in ["keys", "more"]]
    assert shown[0] == shown[1] and '"bits"' in shown[0]
    loaded = asa.Client.load(plan, tmp_path / "more")
    for _ in range(40):
        fresh = loaded.encrypt(data)
        answer = server.evaluate(fresh)
        try:
            loaded.publish(answer, of=fresh, trust_server=True)
        except CheckError as error:
            assert "bits" in str(error) and "same_as=" in str(error)
            return
    pytest.fail("a key bears few bits of unchecked results")


def test_canaries_are_taken_out_of_results():
    plan = asa.plan(squares, asa.Schema({"x": asa.Whole(-8, 7)}, max_rows=12))
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    data = {"x": XS[:5]}
    inputs = client.encrypt(data, canaries=7)
    results = server.evaluate(inputs)
    assert client.decrypt(results)["square"].values.tolist() == (XS[:5] ** 2).tolist()
    # Others have their canaries at other places, and a server mustn't choose which are checked.
    again = server.evaluate(client.encrypt(data, canaries=7))
    for of_others in [results, again]:
        with pytest.raises(DataError, match=r"inputs with canaries .* decrypt\(results, of=inputs\)"):
            client.decrypt(of_others)
    assert client.decrypt(results, of=inputs)["square"].values.tolist() == (XS[:5] ** 2).tolist()
    for canaries, message in [
        (8, "plan with max_rows=13"),
        (0, "from 1 on"),
        (-1, "from 1 on"),
        (2.5, "from 1 on"),
        (True, "from 1 on"),
        (2**31, "2147483648 canaries are asked for"),
    ]:
        with pytest.raises(DataError, match=message):
            client.encrypt(data, canaries=canaries)


def test_options_that_make_no_sense_are_refused():
    schema = asa.Schema({"x": asa.Whole(-8, 7)}, rows=ROWS)
    for options, message in [
        ({"scheme": "rsa"}, "bgv"),
        ({"security": 100}, "128, 192 or 256"),
        ({"scheme": "ckks", "precision": asa.Absolute(1e-30)}, "precision"),
    ]:
        with pytest.raises(PlanError, match=message):
            asa.plan(squares, schema, **options)
    for make in [
        lambda: asa.Bits(0),
        lambda: asa.Bits(51),
        lambda: asa.Absolute(0),
        lambda: asa.Absolute(float("nan")),
    ]:
        with pytest.raises(PlanError):
            make()
    with pytest.raises(PlanError, match=r"Schema.of\(data\)"):
        asa.plan(squares, {"x": XS})
    with pytest.raises(PlanError) as caught:
        asa.plan(lambda x: {"y": np.exp(x)}, schema, scheme="bgv")
    assert caught.value.scheme == "bgv" and caught.value.reasons[0]["schemes"] == ["bgv"]
    assert "is approximated" in caught.value.reasons[0]["reason"]
    with pytest.raises(ProgramError, match="did you mean `sigmoid`") as caught:
        asa.plan("y = sigmod(x)", schema)
    assert (caught.value.line, caught.value.column) == (1, 5)
    with pytest.raises(TraceError):
        asa.plan(lambda x: {"y": x if x > 0 else -x}, schema)


@pytest.mark.parametrize(("missing", "doubles", "mean"), [("mask", [2, None, 10], 3), ("zero", [2, 0, 10], 2)])
def test_private_takes_data_that_miss_values(missing, doubles, mean):
    function = asa.private(lambda x: {"double": x * 2, "mean": np.mean(x)})
    results = function({"x": np.array([1, None, 5], dtype=object)}, ranges={"x": (0, 7)}, missing=missing)
    assert results["double"].values.tolist() == doubles and results["mean"].values == mean


def test_progress_is_called_and_its_exception_stops_the_work():
    class Enough(Exception):
        pass

    rows = 40
    schema = asa.Schema({"x": asa.Whole(0, 4095), "y": asa.Whole(1, 4095)}, rows=rows)
    plan = asa.plan(lambda x, y: {"q": x // y}, schema, scheme="tfhe")
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    inputs = client.encrypt({"x": np.arange(rows), "y": np.arange(1, rows + 1)})
    told = []

    def stop(done, steps):
        told.append((done, steps, threading.current_thread() is threading.main_thread()))
        raise Enough

    with pytest.raises(Enough):
        server.evaluate(inputs, progress=stop)
    assert len(told) == 1 and 0 <= told[0][0] <= told[0][1] and told[0][2]
    # The same server goes on working.
    small = asa.private(squares)({"x": XS})
    assert small["total"].values == int((XS * XS).sum())


def test_ctrl_c_ends_planning_and_evaluation_and_leaves_a_working_process():
    script = """
import os, signal, threading
import numpy as np
import asanoha as asa

def interrupted(work):
    try:
        work()
    except KeyboardInterrupt:
        return True
    return False

def signal_after(event):
    def wait():
        event.wait()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=wait).start()

rows = 200
schema = asa.Schema({"x": asa.Whole(0, 4095), "y": asa.Whole(1, 4095)}, rows=rows)
plan = asa.plan("q = x // y", schema, scheme="tfhe")
client = asa.Client.generate(plan)
server = asa.Server(plan, client.evaluation_keys())
inputs = client.encrypt({"x": np.arange(rows), "y": np.arange(1, rows + 1)})
begun = threading.Event()
signal_after(begun)
assert interrupted(lambda: server.evaluate(inputs, progress=lambda *_: begun.set()))

deep = asa.Schema({"a": asa.Whole(-(2**20), 2**20), "b": asa.Whole(1, 2**20)}, max_rows=5000)
begun = threading.Event()
signal_after(begun)
assert interrupted(lambda: (begun.set(), [asa.plan("q = a // b", deep) for _ in range(1000)]))
assert asa.private("square = x * x")({"x": np.array([1, 2, 3])})["square"].values.tolist() == [1, 4, 9]
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)


def test_threads_may_share_a_client_and_a_server(parties):
    plan, _, _ = parties
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    found = {}

    def work(number):
        data = np.roll(XS, number)
        found[number] = client.decrypt(server.evaluate(inputs := client.encrypt({"x": data})), of=inputs)[
            "square"
        ].values

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for number in range(6):
        assert found[number].tolist() == (np.roll(XS, number) ** 2).tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_of_a_fork_works_but_an_old_client_does_not():
    script = """
import os
import numpy as np
import asanoha as asa
from asanoha.exceptions import ForkError
plan = asa.plan("square = x * x", asa.Schema({"x": asa.Whole(-8, 7)}, rows=3))
client = asa.Client.generate(plan)
data = {"x": np.array([1, 2, 3])}
inputs = client.encrypt(data)
server = asa.Server(plan, client.evaluation_keys())
child = os.fork()
if child == 0:
    try:
        client.encrypt(data)
        os._exit(1)
    except ForkError:
        pass
    results = server.evaluate(inputs)
    fresh = asa.private("square = x * x")(data)
    os._exit(0 if fresh["square"].values.tolist() == [1, 4, 9] and len(results) > 100 else 2)
assert os.waitpid(child, 0)[1] == 0
assert client.decrypt(server.evaluate(inputs))["square"].values.tolist() == [1, 4, 9]
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
    assert issubclass(ForkError, RuntimeError)


def test_importing_takes_little_and_prints_nothing():
    # Frames are known by their interface, and what only a few calls need is imported by these.
    heavy = ["pandas", "polars", "pyarrow", "sklearn", "numpy.typing", "difflib", "html", "logging", "asanoha.sklearn"]
    script = f"import sys, asanoha; print(*set({heavy}).intersection(sys.modules), sep=', ', end='')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_threads_are_set_and_versions_shown(capsys):
    asa.set_config(threads=1)
    asa.show_versions()
    assert "1 threads" in capsys.readouterr().out
    asa.set_config(threads=None)
    with pytest.raises(asa.exceptions.AsanohaError, match="threads"):
        asa.set_config(threads=0)
