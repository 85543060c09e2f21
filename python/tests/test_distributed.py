"""Computations on a real Dask cluster of two worker processes."""

import itertools
import pickle
import subprocess
import sys
from fractions import Fraction

import cloudpickle
import distributed
import numpy as np
import pandas as pd
import pyarrow
import pytest
from dask_cluster import Death, pids, plugins

import asanoha as asa
import asanoha.distributed as dist
from asanoha import _asanoha
from asanoha._workers import Holder, server_of
from asanoha.exceptions import DataError, FormatError, PlanError, SecretError, WrongKeysError

# Workers can't import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

ROWS = 16
COUNT = 53
SCHEMA = asa.Schema({"x": asa.Whole(-8, 7), "y": asa.Whole(0, 9)}, max_rows=ROWS)


def random_columns(count=COUNT, seed=5):
    random = np.random.default_rng(seed)
    return {"x": random.integers(-8, 8, count), "y": random.integers(0, 10, count)}


def everything(x, y):
    return {
        "row": x * y + 1,
        "large": x > 2,
        "total": np.sum(x * y) - 5,
        "mean": 2 * np.mean(x) + 0.5,
        "many": np.count_nonzero(y > 4),
        "above": asa.mean_where(x, y > 4),
        "share": asa.ratio(np.sum(x), np.sum(y)),
        "fit": asa.least_squares(x, [y]),
        "seven": 7,
    }


def totals(x, y):
    return {"product": x * y, "total": np.sum(x)}


@pytest.fixture(scope="module")
def parties():
    plan = asa.plan(totals, SCHEMA)
    owner = asa.Client.generate(plan)
    return plan, owner, owner.evaluation_keys()


def encrypted_chunks(owner, count):
    data = [random_columns(ROWS if number else 3, seed=number) for number in range(count)]
    return [owner.encrypt(columns) for columns in data]


def of_all_rows(function, data):
    """The results of a local run."""
    return asa.private(function)(data)


def same(found, expected):
    assert list(found) == list(expected)
    for name, result in expected.items():
        assert found[name].exact == result.exact and found[name].fractions() == result.fractions(), name
        assert np.asarray(found[name].values).dtype == np.asarray(result.values).dtype, name
        assert np.array_equal(found[name].values, result.values), name


def test_results_are_the_bytes_of_a_local_server_in_order(dask, parties):
    plan, owner, keys = parties
    chunks = encrypted_chunks(owner, 9)
    found = [future.result() for future in dist.evaluate(dask, plan, keys, chunks)]
    server = asa.Server(plan, keys)
    assert found == [server.evaluate(chunk) for chunk in chunks]
    results = owner.decrypt(found[0], of=chunks[0])
    assert results["total"].values == random_columns(3, seed=0)["x"].sum()


def test_chunks_may_be_futures_that_workers_compute(dask, parties):
    plan, owner, keys = parties
    chunks = encrypted_chunks(owner, 3)
    futures = [dask.submit(lambda chunk: chunk[::-1][::-1], chunk) for chunk in chunks]
    found = [future.result() for future in dist.evaluate(dask, plan, keys, futures)]
    server = asa.Server(plan, keys)
    assert found == [server.evaluate(chunk) for chunk in chunks]


def test_a_worker_that_is_killed_changes_no_byte(dask, control, parties, tmp_path):
    plan, owner, keys = parties
    chunks = encrypted_chunks(owner, 12)
    control.wait_for_workers(2, timeout=300)
    before = pids(control)
    control.register_plugin(Death(tmp_path / "dead"))
    try:
        found = [future.result() for future in dist.evaluate(dask, plan, keys, chunks)]
    finally:
        control.unregister_worker_plugin("death")
    server = asa.Server(plan, keys)
    assert found == [server.evaluate(chunk) for chunk in chunks]
    assert (tmp_path / "dead").exists()
    control.wait_for_workers(2, timeout=300)
    assert len(before & pids(control)) == 1
    # The worker in its place has the keys.
    assert [future.result() for future in dist.evaluate(dask, plan, keys, chunks[:4])] == found[:4]


def test_a_run_is_killed_and_has_the_same_results(dask, control, tmp_path):
    data = random_columns()
    control.wait_for_workers(2, timeout=300)
    control.register_plugin(Death(tmp_path / "dead"))
    try:
        results = dist.run(dask, totals, data, chunk_rows=4)
    finally:
        control.unregister_worker_plugin("death")
    assert (tmp_path / "dead").exists()
    same(results, of_all_rows(totals, data))
    control.wait_for_workers(2, timeout=300)


def test_chunks_are_merged_to_the_results_of_all_rows(dask):
    data = random_columns()
    assert COUNT % ROWS not in (0, 1)
    told = []
    results = dist.run(dask, everything, data, chunk_rows=ROWS, progress=lambda done, count: told.append((done, count)))
    same(results, of_all_rows(everything, data))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert results["mean"].fractions() == [Fraction(int(data["x"].sum()) * 2, COUNT) + Fraction(1, 2)]
    table = pyarrow.table(results)
    assert table.num_rows == COUNT and table.column("row").to_pylist() == (data["x"] * data["y"] + 1).tolist()


def test_extremes_and_histograms_are_merged(dask):
    def extremes(z):
        return {"low": np.min(z), "high": np.max(z), "least": 5 - 2 * np.max(z), "bins": asa.histogram(z, 0, 1)}

    # In the first chunk all values are the same.
    data = {"z": np.array([1, 1, 1, 0, 1, 1, 2, 0])}
    same(dist.run(dask, extremes, data, chunk_rows=3), of_all_rows(extremes, data))


def test_one_chunk_may_have_any_results(dask):
    data = random_columns()
    function = lambda x, y: {"spread": np.var(x), "few": np.sum(y) < 500}  # noqa: E731
    same(dist.run(dask, function, data), of_all_rows(function, data))


def test_approximate_results_are_within_their_bounds_with_large_offsets(dask):
    random = np.random.default_rng(9)
    x = 1e6 + random.random(40)
    data = {"x": x, "y": random.random(40) * 1e-3}

    def curve(x, y):
        return {"row": y * y, "total": np.sum(x), "mean": np.mean(x * y) - 3, "part": asa.ratio(np.sum(y), np.sum(x))}

    results = dist.run(dask, curve, data, chunk_rows=ROWS, precision=asa.Bits(20))
    expected = {
        "row": data["y"] ** 2,
        "total": x.sum(),
        "mean": (x * data["y"]).mean() - 3,
        "part": data["y"].sum() / x.sum(),
    }
    for name, right in expected.items():
        result = results[name]
        assert not result.exact and 0 < result.error_bound, name
        rounding = 1e-13 * np.abs(right).max()
        assert np.abs(result.values - right).max() <= result.error_bound + rounding, name
    # The errors of three chunks are added.
    assert results["total"].error_bound < 3 * 40 * 1e6 * 2.0**-18


def test_rows_that_miss_values_are_left_out_of_all_chunks(dask):
    x = [None] * ROWS + [1, None, 3] + list(range(7)) * 3 + [None]
    data = pd.DataFrame({"x": pd.array(x, dtype="Int64")})
    function = lambda x: {"double": x * 2, "mean": np.mean(x)}  # noqa: E731
    results = dist.run(dask, function, data, chunk_rows=4, missing="mask")
    missing = data["x"].isna().to_numpy()
    assert results["double"].missing.tolist() == missing.tolist()
    assert results["double"].values.tolist() == [None if value is None else 2 * value for value in x]
    assert results["mean"].fractions() == [Fraction(int(data["x"].sum()), int((~missing).sum()))]
    for way in ("mean", "zero"):
        same(dist.run(dask, function, data, chunk_rows=4, missing=way), asa.private(function)(data, missing=way))
    with pytest.raises(DataError, match="row 0") as caught:
        dist.run(dask, function, data, chunk_rows=4)
    assert caught.value.row == 0


def test_texts_that_a_chunk_does_not_have_keep_their_meaning(dask):
    data = pd.DataFrame({"region": ["south"] * 5 + ["north", "east", "south"] * 4, "paid": range(17)})
    function = lambda region, paid: {  # noqa: E731
        "is_south": region == "south",
        "north": np.sum(np.where(region == "north", paid, 0)),
    }
    for frame in (data, data.astype({"region": "category"}), pyarrow.table(data)):
        results = dist.run(dask, function, frame, chunk_rows=5)
        assert results["is_south"].values.tolist() == (data["region"] == "south").tolist()
        assert results["north"].values == data["paid"][data["region"] == "north"].sum()


def test_groups_have_the_results_of_their_own_rows(dask):
    data = pd.DataFrame({"region": ["b", "a", "c"] * 7 + ["a"] * 6, "year": [1, 2] * 13 + [1], **random_columns(27)})

    def spread(x, y):
        return {"row": x - y, "spread": np.var(x), "total": np.sum(x)}

    results = dist.run(dask, spread, data, by="region", chunk_rows=ROWS)
    assert list(results) == ["a", "b", "c"]
    for key, rows in data.groupby("region"):
        same(results[key], of_all_rows(spread, rows[["x", "y"]]))
    both = dist.run(dask, totals, pyarrow.table(data), by=["region", "year"], chunk_rows=2)
    assert list(both) == sorted({(region, year) for region, year in zip(data["region"], data["year"], strict=True)})
    for key, rows in data.groupby(["region", "year"]):
        assert both[key]["total"].values == rows["x"].sum()
        assert both[key]["product"].values.tolist() == (rows["x"] * rows["y"]).tolist()


def test_groups_with_missing_values_leave_out_their_own_rows(dask):
    x = pd.array([1, None, 3, 4, None, None], dtype="Int64")
    data = pd.DataFrame({"g": ["a", "a", "b", "a", "c", "b"], "x": x})
    results = dist.run(dask, lambda x: {"double": x * 2, "total": np.sum(x)}, data, by="g", missing="mask")
    assert list(results) == ["a", "b"]
    assert results["a"]["double"].values.tolist() == [2, None, 8] and results["b"]["total"].values == 3
    assert results["a"]["double"].missing.tolist() == [False, True, False]
    assert results["b"]["double"].missing.tolist() == [False, True]
    data.loc[2, "g"] = None
    with pytest.raises(DataError, match="row 2 of column 'g' has no value"):
        dist.run(dask, lambda x: {"total": np.sum(x)}, data, by="g", missing="mask")
    with pytest.raises(DataError, match='no column "h"'):
        dist.run(dask, lambda x: {"total": np.sum(x)}, data, by="h", missing="mask")


def test_frames_may_come_one_after_the_other(dask, parties):
    _, owner, _ = parties
    data = random_columns()
    cuts = [0, 20, 20, 37, COUNT]
    frames = ({name: values[a:b] for name, values in data.items()} for a, b in itertools.pairwise(cuts))
    same(dist.compute(dask, owner, frames), of_all_rows(totals, data))
    with pytest.raises(DataError, match="no rows"):
        dist.compute(dask, owner, iter([]))
    with pytest.raises(DataError, match="frame by frame"):
        dist.compute(dask, owner, iter([data]), by="x")


def test_rows_of_messages_are_those_of_the_data(dask):
    data = random_columns()
    data["y"] = np.ones(COUNT, dtype=int)
    data["y"][37] = 0
    with pytest.raises(DataError, match="row 37") as caught:
        dist.run(dask, lambda x, y: {"q": x // y}, data, chunk_rows=ROWS)
    assert caught.value.row == 37


def test_outputs_that_cannot_be_merged_are_refused_before_any_work(dask, monkeypatch):
    monkeypatch.setattr(asa.Client, "generate", lambda *_: pytest.fail("keys were made"))
    monkeypatch.setattr(dask, "submit", lambda *_, **__: pytest.fail("a task was submitted"))
    for function, output in [
        (lambda x, y: {"total": np.sum(x), "spread": np.var(x)}, "spread"),
        (lambda x, y: {"share": np.sum(x) * np.sum(y)}, "share"),
        (lambda x, y: {"any": np.any(x > 5)}, "any"),
        (lambda x, y: {"centred": x - np.mean(x)}, "centred"),
        (lambda x, y: {"std": np.std(x)}, "std"),
    ]:
        with pytest.raises(PlanError, match=f"`{output}` of all rows") as caught:
            dist.run(dask, function, random_columns(), chunk_rows=ROWS)
        assert caught.value.output == output and "np.sum(x * x)" in str(caught.value)
        assert f"chunks of {COUNT} rows" in str(caught.value)
    groups = {**random_columns(), "g": np.arange(COUNT) // 30}
    with pytest.raises(PlanError, match="chunks of 30 rows"):
        dist.run(dask, lambda x: {"spread": np.var(x)}, groups, by="g", chunk_rows=ROWS)


def test_data_and_arguments_that_make_no_sense_are_refused(dask, control, parties):
    plan, owner, keys = parties
    for data, message in [
        ({"x": np.array([], dtype=int), "y": np.array([], dtype=int)}, "no rows"),
        (pd.DataFrame({"x": [], "y": []}, dtype=int), "no rows"),
        (None, "one frame"),
        ("x.csv", "one frame"),
    ]:
        with pytest.raises(DataError, match=message):
            dist.run(dask, totals, data)
    data = random_columns()
    for call, message in [
        (lambda: dist.run("tcp://127.0.0.1", totals, data), r"asanoha\.distributed\.connect"),
        (lambda: next(dist.evaluate(dask, plan, keys, [distributed.Future("key", control)])), "submit\\(\\) of this"),
        (lambda: dist.run(dask, totals, data, chunk_rows=0), "chunk_rows is 0"),
        (lambda: dist.run(dask, totals, data, in_flight=0.5), "in_flight is 0.5"),
        (lambda: dist.compute(dask, plan, data), r"Client\.generate"),
        (lambda: dist.compute(dask, owner, 5), "should be a frame"),
        (lambda: dist.compute(dask, owner, data, missing="drop"), '"raise", "mask"'),
        (lambda: next(dist.evaluate(dask, plan, keys, ["chunk"])), "chunk 0 is 'chunk'"),
    ]:
        with pytest.raises(DataError, match=message):
            call()
    with pytest.raises(PlanError, match="max_rows="):
        fixed = asa.Client.generate(asa.plan(totals, asa.Schema(SCHEMA.columns, rows=COUNT)))
        dist.compute(dask, fixed, data)
    with pytest.raises(PlanError, match="should be a Plan"):
        dist.evaluate(dask, b"plan", keys, [])
    with pytest.raises(FormatError, match="evaluation_keys"):
        dist.evaluate(dask, plan, "keys", [])


def test_foreign_keys_plans_and_damaged_chunks_are_refused_with_the_message_of_a_server(dask, control, parties):
    plan, owner, keys = parties
    chunk = owner.encrypt(random_columns(ROWS))
    stranger = asa.Client.generate(plan)
    other = asa.plan(lambda x: {"cube": x**3}, asa.Schema({"x": asa.Whole(-8, 7)}, max_rows=ROWS))
    of_other = asa.Client.generate(other)
    altered = chunk[:-9] + bytes([chunk[-9] ^ 1]) + chunk[-8:]
    bad = [
        (stranger.encrypt(random_columns(ROWS)), WrongKeysError, "key generation"),
        (of_other.encrypt({"x": random_columns(ROWS)["x"]}), (FormatError, WrongKeysError), "."),
        (chunk[:-8], FormatError, "truncated or damaged"),
        (altered, FormatError, "digest doesn't match"),
        (b"", FormatError, "only 0 bytes"),
    ]
    futures = list(dist.evaluate(dask, plan, keys, [chunk, *(found for found, *_ in bad), chunk]))
    for future, (_, kind, message) in zip(futures[1:-1], bad, strict=True):
        with pytest.raises(kind, match=message):
            future.result()
    assert futures[0].result() == futures[-1].result() == asa.Server(plan, keys).evaluate(chunk)
    # Keys are refused before workers get them.
    before = plugins(control)
    with pytest.raises((FormatError, WrongKeysError)):
        dist.evaluate(dask, plan, of_other.evaluation_keys(), [chunk])
    with pytest.raises(FormatError):
        dist.evaluate(dask, plan, keys[:-8], [chunk])
    assert plugins(control) == before


def test_keys_are_sent_once_and_few_stay(dask, control, parties):
    plan, owner, keys = parties
    chunks = encrypted_chunks(owner, 2)

    def evaluate(keys, chunks):
        return [future.result() for future in dist.evaluate(dask, plan, keys, chunks)]

    evaluate(keys, chunks)
    first = plugins(control)
    assert all(len(names) == 1 for names in first.values())
    evaluate(owner.evaluation_keys(), chunks)
    dist.compute(dask, owner, random_columns())
    assert plugins(control) == first
    other = asa.Client.generate(plan)
    evaluate(other.evaluation_keys(), [other.encrypt(random_columns(ROWS))])
    second = plugins(control)
    assert all(len(names) == 1 for names in second.values())
    assert {names[0][0] for names in second.values()}.isdisjoint(names[0][0] for names in first.values())


def test_chunks_are_taken_while_workers_have_room_only(dask, control, parties):
    plan, owner, keys = parties
    chunk = owner.encrypt(random_columns(ROWS))
    control.wait_for_workers(2, timeout=300)
    for in_flight in (1, 3):
        taken = 0

        def chunks():
            nonlocal taken
            for _ in range(15):
                taken += 1
                yield chunk

        most = 0
        futures = dist.evaluate(dask, plan, keys, chunks(), in_flight=in_flight)
        for done, _ in enumerate(futures, 1):
            most = max(most, taken - done + 1)
        assert done == taken == 15 and most == 2 * in_flight
    # What isn't wanted any more is given up.
    futures = dist.evaluate(dask, plan, keys, chunks())
    next(futures)
    futures.close()
    with pytest.raises(StopIteration):
        next(futures)


def test_nothing_secret_leaves_the_process(dask, parties, tmp_path, monkeypatch):
    plan, _, _ = parties
    owner = asa.Client.generate(plan)
    owner.save(tmp_path)
    contents = (tmp_path / "secret.safetensors").read_bytes()
    start = 8 + int.from_bytes(contents[:8], "little")
    secret, sample = contents[start : start + 64], owner.evaluation_keys()[-4096:-4032]
    assert len(set(secret)) > 1
    import distributed.comm.tcp as tcp

    sent = []
    real = tcp.to_frames

    async def recorded(*args, **kwargs):
        frames = await real(*args, **kwargs)
        sent.extend(bytes(frame) for frame in frames)
        return frames

    monkeypatch.setattr(tcp, "to_frames", recorded)
    dist.compute(dask, owner, random_columns())
    # All that this process sends is seen, such as the evaluation keys.
    assert any(sample in frame for frame in sent)
    assert not any(secret in frame for frame in sent)
    with pytest.raises(SecretError, match="save"):
        cloudpickle.dumps(owner)
    # Dask has a message of its own.
    with pytest.raises(TypeError):
        dask.submit(owner.decrypt, b"")
    plugin = Holder("name", server_of, plan.to_bytes(), owner.evaluation_keys())
    assert secret not in pickle.dumps(plugin)


def test_workers_compute_with_the_threads_that_dask_gives_them(dask, control, parties):
    plan, owner, keys = parties
    list(dist.evaluate(dask, plan, keys, encrypted_chunks(owner, 1)))

    def threads():
        from asanoha import _asanoha

        return _asanoha.machine()[1]

    assert set(control.run(threads).values()) == {1}


def test_workers_may_be_threads_of_this_process_and_leave_its_settings_alone(parties):
    plan, owner, keys = parties
    before = _asanoha.machine()
    chunks = encrypted_chunks(owner, 3)
    limits = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.LocalCluster(processes=False, **limits) as cluster, dist.connect(cluster) as dask:
        found = [future.result() for future in dist.evaluate(dask, plan, keys, chunks)]
    server = asa.Server(plan, keys)
    assert found == [server.evaluate(chunk) for chunk in chunks]
    assert _asanoha.machine() == before


def test_without_dask_the_import_says_what_to_install():
    script = "import sys; sys.modules['distributed'] = None; import asanoha; import asanoha.distributed"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "pip install 'asanoha[distributed]'" in done.stderr


@pytest.mark.slow
def test_the_memory_of_a_worker_does_not_grow_with_the_chunks(dask, control):
    rows, count = 1 << 14, 60
    plan = asa.plan(totals, asa.Schema(SCHEMA.columns, max_rows=rows))
    owner = asa.Client.generate(plan)
    keys = owner.evaluation_keys()
    chunk = owner.encrypt(random_columns(rows))
    list(dist.evaluate(dask, plan, keys, [chunk] * 8))

    def peak():
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    before = control.run(peak)
    for future in dist.evaluate(dask, plan, keys, (chunk for _ in range(count))):
        assert len(future.result()) > 0
    grown = max(after - before[worker] for worker, after in control.run(peak).items())
    # All chunks together are far larger.
    assert grown < dist.worker_memory(plan, 0, threads=1, in_flight=2) + 4 * len(chunk) < count * len(chunk) / 3
