"""Clusters that lie: what runs in the process that holds the key, and which results it takes."""

import asyncio
import os
import pickle
import sys
import time

import cloudpickle
import distributed
import msgpack
import numpy as np
import pytest
from distributed import Status
from distributed.protocol.core import dumps
from distributed.protocol.serialize import ToPickle, to_serialize
from hostile_cluster import BESIDE, INSTEAD, Process
from variants import vcf

import asanoha as asa
import asanoha.distributed as dist
from asanoha import _connectors, _messages, genome
from asanoha._task_error import TaskError
from asanoha.exceptions import AddressError, AsanohaError, DataError, FormatError, JobError, ServerGoneError

# Workers can't import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SCHEMA = asa.Schema({"x": asa.Whole(-8, 7)}, max_rows=16)
DATA = {"x": np.array([3, -8, 7, 0, 5])}


@pytest.fixture(scope="module")
def owner():
    return asa.Client.generate(asa.plan(lambda x: {"square": x * x, "total": np.sum(x)}, SCHEMA))


@pytest.fixture(scope="module")
def marker(tmp_path_factory):
    return tmp_path_factory.mktemp("lies") / "marker"


@pytest.fixture(scope="module")
def hostile(marker):
    """A cluster that lies as it's asked to."""
    with Process("cluster", str(marker)) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def ordinary(marker):
    """A client of `distributed` alone."""
    with Process("ordinary", str(marker)) as client:
        yield client


def marked(marker):
    """The processes that ran what was sent, until the last call."""
    found = list(marker.parent.iterdir())
    processes = {int(path.name.removeprefix("marker-")) for path in found}
    for path in found:
        path.unlink()
    return processes


def test_lies_run_code_in_an_ordinary_client_and_none_beside_the_key(hostile, ordinary, owner, marker):
    expected = dict.fromkeys(BESIDE, "")
    expected |= dict.fromkeys(["object", "list", "gathered"], "a pickled object instead of bytes")
    expected |= dict.fromkeys(["error", "plugin"], "no worker described its error")
    expected["uncaught"] = "can't be reached: the text"
    assert sorted(expected) == sorted(BESIDE + INSTEAD)
    for lie, message in expected.items():
        address = hostile.ask(lie)
        ordinary.ask(address)
        assert ordinary.pid in marked(marker), f"{lie} is no attack"
        refused = ""
        try:
            with dist.connect(address) as connection:
                results = dist.compute(connection, owner, DATA)
            assert results["total"].values == 7 and results["square"].values.tolist() == [9, 64, 49, 0, 25]
        except AsanohaError as error:
            refused = str(error)
        assert os.getpid() not in marked(marker), lie
        assert message in refused and bool(message) == bool(refused), (lie, refused)


def test_results_of_another_type_or_length_are_refused(hostile, owner):
    bound = owner.plan._native.result_bytes()
    for lie, message in [
        ("long", f"returned [0-9]+ bytes, and at most {bound} are taken|at most [0-9]+ were expected"),
        ("huge", "at most [0-9]+ were expected"),
        ("text", "a pickled object instead of bytes"),
    ]:
        with dist.connect(hostile.ask(lie), timeout=300) as connection, pytest.raises(FormatError, match=message):
            dist.compute(connection, owner, DATA)


def test_errors_of_workers_are_text_without_what_a_terminal_obeys(hostile, owner):
    with dist.connect(hostile.ask("described")) as connection, pytest.raises(JobError) as caught:
        dist.compute(connection, owner, DATA)
    message = "a task failed on a worker: ZeroDivisionError: bell  , and right to left  "
    assert str(caught.value) == message and caught.value.state == "failed"
    assert caught.value.job.startswith("evaluate_chunk-")


def test_blocks_of_triples_that_are_objects_are_not_written(hostile, marker, tmp_path):
    with dist.connect(hostile.ask("list")) as connection, pytest.raises(FormatError, match="instead of bytes"):
        dist.triples(connection, tmp_path / "triples", shape=(2, 1, 3), bits=64, count=1)
    assert not list(tmp_path.glob("triples/party-*/*")) and os.getpid() not in marked(marker)


@pytest.mark.slow
def test_answers_of_a_search_that_are_objects_or_too_long_are_refused(hostile, marker, tmp_path):
    path = tmp_path / "panel.vcf"
    path.write_text(vcf(np.random.default_rng(4).random((6, 6)) < 0.4, ["a", "b", "c"]))
    panel, asking = genome.Panel.read(path), genome.Client.generate(6, 6)
    settings = {"panels": [panel], "queries": [asking.query([0] * 6)], "haplotypes": 6, "start": 0}
    for lie in ["object", "list", "long", "text"]:
        with dist.connect(hostile.ask(lie)) as connection, pytest.raises(FormatError, match="returned|were expected"):
            next(dist.search(connection, asking.keys(), **settings))
        assert os.getpid() not in marked(marker)


def test_nothing_in_a_message_of_any_bytes_is_loaded(tmp_path):
    """Altered messages are plain data or a `ValueError`, and run nothing."""
    marker = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return marker.touch, ()

    whole = [
        {"status": "OK", "data": {"a": to_serialize(bytes(50)), "b": to_serialize(Evil())}},
        [{"op": "task-erred", "key": "k", "exception": to_serialize(Evil()), "more": ToPickle(Evil())}],
        {"op": "key-in-memory", "key": "k", "type": pickle.dumps(Evil()), "set": {1, 2}, "state": Status.running},
    ]
    assert _messages.read(frames_of(whole[0]))["data"]["a"] == bytes(50)
    erred = _messages.read(frames_of(whole[1]))
    assert [sorted(message) for message in erred] == [["exception", "key", "op"]]
    assert _messages.read(frames_of(whole[2])) == {"op": "key-in-memory", "key": "k"}
    random, refused = np.random.default_rng(7), 0
    for number in range(3000):
        frames = [bytearray(frame) for frame in frames_of(whole[number % 3])]
        for _ in range(random.integers(1, 4)):
            frame = frames[random.integers(len(frames))]
            frame[random.integers(len(frame))] = random.integers(256)
        if number % 5 == 0:
            frames.pop()
        try:
            read = _messages.read([memoryview(frame) for frame in frames])
        except ValueError:
            refused += 1
        else:
            assert is_plain(read), read
    assert 300 < refused < 2700 and not marker.exists()


def frames_of(message):
    return [memoryview(frame) for frame in dumps(message)]


def is_plain(value):
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value.keys())) and all(map(is_plain, value.values()))
    plain = (int, float, str, bytes, type(None), _messages.Unread, TaskError, msgpack.Timestamp, msgpack.ExtType)
    return isinstance(value, plain)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ([1 << 62], "it has 4611686018427387904 bytes, and at most 16777216 were expected"),
        ([8, 1 << 40], "1099511627776 frames in 8 bytes"),
        ([24, 2, 8, 1 << 50], "it has 1125899906842632 bytes"),
        ([24, 1, 16], "a frame of 16 bytes is not whole"),
    ],
)
def test_lengths_are_checked_before_memory_is_taken(sent, message):
    class Stream:
        def __init__(self):
            self.left = b"".join(number.to_bytes(8, "little") for number in sent) + bytes(64)

        async def read_into(self, buffer):
            assert len(buffer) <= 24
            buffer[:], self.left = self.left[: len(buffer)], self.left[len(buffer) :]

    comm = _connectors._Tcp.__new__(_connectors._Tcp)
    comm.stream, comm.limit = Stream(), _connectors.Limit()
    with pytest.raises(ValueError, match=message):
        asyncio.run(comm._frames())


def test_other_hosts_need_tls_unless_it_is_asked_otherwise(cluster):
    for address in ["tcp://10.0.0.2:8786", "tcp://cluster.example:8786", "10.0.0.2:8786", "tcp://[fd00::1]:8786"]:
        with pytest.raises(AddressError, match=r"without TLS.*insecure_network=True") as caught:
            dist.connect(address)
        assert caught.value.address == address if "://" in address else f"tcp://{address}"
    # Nothing listens there; the rule is passed.
    for address, options in [
        ("tls://127.0.0.1:9", {"security": temporary()}),
        ("tcp://127.0.0.1:9", {}),
        ("tcp://[::1]:9", {}),
        ("tcp://0.0.0.0:9", {"insecure_network": True}),
    ]:
        with pytest.raises(ServerGoneError, match=r"can't be reached"):
            dist.connect(address, timeout=0.2, **options)
    with pytest.raises(AddressError, match="without TLS"):
        dist.connect("tcp://0.0.0.0:9")


def test_workers_on_other_hosts_need_tls_whenever_they_join(dask, owner, monkeypatch):
    known = dask._threads()
    monkeypatch.setattr(dask, "_ask", lambda operation: {**known, "tcp://10.0.0.3:4000": 1})
    with pytest.raises(AddressError, match=r"worker tcp://10\.0\.0\.3:4000 can be reached over the network"):
        dist.compute(dask, owner, DATA)
    monkeypatch.setattr(dask, "_insecure_network", True)
    assert sum(dask._threads().values()) == 3
    for answer in [None, [1], {"tcp://127.0.0.1:4000": 10**9}, {"tcp://127.0.0.1:4000": "1"}, {5: 1}]:
        monkeypatch.setattr(dask, "_ask", lambda operation, answer=answer: answer)
        with pytest.raises(FormatError, match="doesn't state the threads"):
            dask._threads()


def temporary():
    return distributed.Security.temporary()


def test_a_cluster_with_tls_computes_and_refuses_connections_without(owner):
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "security": temporary()}
    with distributed.LocalCluster(**options) as cluster:
        assert cluster.scheduler_address.startswith("tls://")
        with dist.connect(cluster) as connection:
            assert dist.compute(connection, owner, DATA)["total"].values == 7
            assert all(worker.startswith("tls://") for worker in connection._threads())
        # Certificates of another authority.
        for security in [temporary(), None]:
            with pytest.raises(ServerGoneError, match="TLS settings"):
                dist.connect(cluster.scheduler_address, security=security, timeout=1)


def test_a_scheduler_in_this_process_that_other_hosts_reach_is_refused(cluster):
    options = {"n_workers": 0, "dashboard_address": None, "security": temporary(), "host": "0.0.0.0"}
    with distributed.LocalCluster(**options):
        for address in [cluster, cluster.scheduler_address]:
            with pytest.raises(AddressError, match="this process has a scheduler at tls://"):
                dist.connect(address)
        dist.connect(cluster, insecure_network=True).close()
    dist.connect(cluster).close()


def test_what_is_no_connection_or_cluster_is_refused(control, dask, owner):
    for call in [
        lambda: dist.connect(control),
        lambda: dist.run(control, lambda x: {"y": x}, DATA),
        lambda: dist.compute(control, owner, DATA),
        lambda: dist.evaluate(control, owner.plan, owner.evaluation_keys(), []),
        lambda: dist.search(control, b"", [], [], haplotypes=5, start=0),
        lambda: dist.triples(control, "unused", shape=1, count=1),
    ]:
        with pytest.raises(AddressError, match="runs code that its scheduler and workers send"):
            call()
    for address, message in [
        (None, "should be the address"),
        ("", "should be the address"),
        ("tls://10.0.0.2", "missing port"),
        ("ws://127.0.0.1:80", "is of ws://"),
    ]:
        with pytest.raises(AddressError, match=message):
            dist.connect(address)
    with pytest.raises(AddressError, match=r"should be a distributed\.Security"):
        dist.connect("tls://127.0.0.1:80", security="ca.pem")
    with pytest.raises(DataError, match="should be a function"):
        dask.submit("function")


def test_tasks_of_a_connection_give_bytes_errors_and_inputs_of_others(dask):
    made = dask.submit(bytes, 10)
    assert dask.submit(lambda made, more: made + more, made, b"xy").result() == bytes(10) + b"xy"
    assert made.result() == bytes(10) and made.done()
    with pytest.raises(FormatError, match="returned 10 bytes, and at most 9 are taken"):
        dask.submit(bytes, 10, max_bytes=9).result()
    with pytest.raises(FormatError, match="at most 16777316 were expected"):
        dask.submit(bytes, 1 << 25, max_bytes=100).result()
    with pytest.raises(JobError, match="ZeroDivisionError: division by zero") as caught:
        dask.submit(lambda: 1 / 0).result()
    assert caught.value.state == "failed"
    # Large results after refused ones.
    assert dask.submit(bytes, 1 << 25).result() == bytes(1 << 25)


def until_there(path):
    while not path.exists():
        time.sleep(0.01)


def test_tasks_can_be_given_up(dask, tmp_path):
    end = tmp_path / "end"
    waiting = dask.submit(until_there, end)
    with pytest.raises(TimeoutError):
        waiting.result(timeout=0.1)
    waiting.cancel()
    end.touch()
    with pytest.raises(JobError, match="was cancelled") as caught:
        waiting.result()
    assert caught.value.state == "cancelled"
