"""Sessions with servers elsewhere: honest ones, ones that break off, and ones that lie."""

import json
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
from remote_server import PROGRAM, Liar, Served

import asanoha as asa
from asanoha.exceptions import (
    AddressError,
    AsanohaError,
    BusyError,
    DataError,
    FormatError,
    JobError,
    RefusedError,
    SecretError,
    ServerGoneError,
    TokenError,
    WaitError,
)

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="the program asanoha is needed: cargo xtask python builds it, or name it by ASANOHA_PROGRAM"
)

XS = np.array([3, -4, 0, 7, 2])
SCHEMA = asa.Schema({"x": asa.Whole(-8, 7)}, max_rows=12)


def squares(x):
    return {"square": x * x, "total": np.sum(x)}


@pytest.fixture(scope="module")
def plan():
    return asa.plan(squares, SCHEMA)


@pytest.fixture(scope="module")
def client(plan):
    return asa.Client.generate(plan)


@pytest.fixture(scope="module")
def served(plan, tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("served"), [plan])
    yield served
    served.kill()


@pytest.fixture
def liar(served):
    liar = Liar(served)
    yield liar
    liar.stop()


@pytest.fixture
def session(client, liar, served):
    with client.connect(liar.url, token=served.token, patience=30) as session:
        yield session


def is_right(results, xs=XS):
    return results["square"].values.tolist() == (xs * xs).tolist() and results["total"].values == xs.sum()


def test_a_session_computes_elsewhere_and_decrypts_here(plan, client, tmp_path):
    served = Served(tmp_path, [plan], tls=True)
    stages = []
    for certificate in [served.certificate, str(served.certificate), served.certificate.read_bytes()]:
        with client.connect(served.url, token=served.token, certificate=certificate) as session:
            assert is_right(session.run({"x": XS}, progress=lambda *told: stages.append(told)))
    assert stages and all(0 <= done <= steps for done, steps in stages)
    # Nobody vouches for the certificate, or the wrong one does.
    with pytest.raises(ServerGoneError, match="certificate"):
        client.connect(served.url, token=served.token, patience=0)
    served.kill()


def test_the_program_and_python_evaluate_to_the_same_file_of_results(plan, client, tmp_path):
    (tmp_path / "plan.json").write_bytes(plan.to_bytes())
    client.save(tmp_path / "keys")
    inputs = client.encrypt({"x": XS})
    (tmp_path / "in").write_bytes(inputs)
    command = [PROGRAM, "evaluate", "--plan", "plan.json", "--keys", "keys", "--in", "in", "--out", "results"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "results").read_bytes() == asa.Server(plan, client.evaluation_keys()).evaluate(inputs)


def test_keys_are_sent_once_and_what_was_used_is_removed(client, session, liar, served):
    for turn in range(3):
        assert is_right(session.run({"x": XS - turn % 2}), XS - turn % 2)
    with client.connect(served.url, token=served.token) as again:
        assert is_right(again.run({"x": XS}))
    assert served.metric("stored_bytes") == len(client.evaluation_keys())
    assert len(liar.asked("PUT", "uploads")) <= 4
    assert len(liar.asked("DELETE", "/v1/jobs/")) == 3 and len(liar.asked("DELETE", "/inputs/")) == 3


def test_missing_values_and_canaries_are_those_of_encryption(session):
    data = {"x": np.array([3, None, 5, 7], dtype=object)}
    masked = session.run(data, missing="mask", canaries=4)
    assert masked["square"].values.tolist() == [9, None, 25, 49] and masked["total"].values == 15
    assert masked["square"].missing.tolist() == [False, True, False, False]
    assert is_right(session.run({"x": XS}, canaries=7))
    with pytest.raises(DataError, match="max_rows=13") as caught:
        session.run({"x": XS}, canaries=8)
    assert "5 rows of data and 8 canaries" in str(caught.value)
    with pytest.raises(DataError, match="outside"):
        session.run({"x": XS * 100})


def test_jobs_go_on_without_their_session(client, session):
    job = session.submit({"x": XS}, canaries=2)
    other = session.submit({"x": XS[:2]})
    assert job.id != other.id and len(job.id) == 32 and job.id in repr(job)
    assert is_right(other.result(), XS[:2]) and is_right(job.result(timeout=600))
    assert is_right(job.result())
    status = job.status()
    assert (status.state, status.fraction, status.remaining_s, status.message) == ("done", 1.0, 0.0, None)
    assert job.cancel().state == "done"
    session.close()
    for call in [job.status, job.result, job.cancel, lambda: session.submit({"x": XS}), lambda: session.run({"x": XS})]:
        with pytest.raises(AsanohaError, match="session is closed: open another"):
            call()
    assert "closed" in repr(session)


def test_a_job_that_takes_long_is_waited_for_cancelled_and_in_the_way(tmp_path):
    rows = 64
    schema = asa.Schema({"x": asa.Whole(0, 4095), "y": asa.Whole(1, 4095)}, rows=rows)
    plan = asa.plan(lambda x, y: {"q": x // y}, schema, scheme="tfhe")
    client = asa.Client.generate(plan)
    served = Served(tmp_path, [plan], "--client-queue", "2")
    data = {"x": np.arange(rows), "y": np.arange(1, rows + 1)}
    with client.connect(served.url, token=served.token, patience=0) as session:
        first, second = session.submit(data), session.submit(data)
        with pytest.raises(WaitError, match="call result\\(\\) again") as caught:
            first.result(timeout=0)
        assert (caught.value.job, caught.value.timeout) == (first.id, 0)
        assert second.status().state == "waiting" and second.status().remaining_s > 0
        with pytest.raises(BusyError, match="you have 2 jobs that wait or run") as caught:
            session.submit(data)
        assert caught.value.status == 429 and caught.value.retry_after_s >= 1
        told = []

        class Enough(Exception):
            pass

        def stop(done, steps):
            told.append((done, steps))
            raise Enough

        with pytest.raises(Enough):
            first.result(progress=stop)
        assert len(told) == 1 and 0 <= told[0][0] <= told[0][1] == 1000
        assert second.cancel().state == "cancelled"
        assert first.cancel().state in ("running", "cancelled")
        for job in [first, second]:
            with pytest.raises(JobError, match="was cancelled") as caught:
                job.result()
            assert (caught.value.job, caught.value.state) == (job.id, "cancelled")
    served.kill()


def test_what_is_no_server_token_or_certificate_is_named(client, served, tmp_path):
    for arguments, message in [
        ({"url": "ftp://127.0.0.1"}, "https://HOST:PORT"),
        ({"url": "http://example.org:80"}, "plain HTTP vouches for nobody"),
        ({"token": "two words"}, "this is no token"),
        ({"token": ""}, "this is no token"),
        ({"certificate": tmp_path / "none.pem"}, "none.pem: the certificate to trust cannot be read"),
        ({"certificate": b"nonsense"}, "the certificate to trust"),
        ({"patience": -1}, "patience is -1"),
        ({"patience": float("nan")}, "patience is nan"),
    ]:
        with pytest.raises(AddressError, match=message) as caught:
            client.connect(**{"url": served.url, "token": served.token} | arguments)
        assert "two words" not in str(caught.value)
    with pytest.raises(AddressError, match=r"client.connect\(url, token"):
        asa.Session()


def test_refusals_say_what_to_do(client, session, served, tmp_path):
    with pytest.raises(TokenError, match="ask its operator for a token") as caught:
        client.connect(served.url, token="asanoha_" + "0" * 64)
    assert caught.value.status == 401 and caught.value.retry_after_s is None
    other = asa.Client.generate(asa.plan("cube = x * x * x", SCHEMA))
    with pytest.raises(RefusedError, match="ask its operator to serve yours") as caught:
        other.connect(served.url, token=served.token)
    assert caught.value.status == 404
    for given in [-1, float("nan")]:
        with pytest.raises(DataError, match="from 0 on"):
            session.submit({"x": XS}).result(timeout=given)
    # A server without space for the keys, and one that is gone.
    small = Served(tmp_path, [client.plan], "--client-size", "1000")
    session = client.connect(small.url, token=small.token, patience=0)
    with pytest.raises(RefusedError, match="of at most 1000") as caught:
        session.run({"x": XS})
    assert caught.value.status == 413
    small.kill()
    for call in [lambda: client.connect(small.url, token=small.token, patience=0), lambda: session.run({"x": XS})]:
        with pytest.raises(ServerGoneError, match=f"127.0.0.1:{small.port}: .*(reached|broke off)"):
            call()


def test_tokens_of_a_revoked_client_and_secrets_are_not_printed(client, served):
    token = served.make_token("revoked")
    session = client.connect(served.url, token=token, patience=0)
    listed = subprocess.run(
        [PROGRAM, "tokens", "list", "--store", "store", "--json"], cwd=served.folder, check=True, capture_output=True
    )
    tokens = json.loads(listed.stdout)["tokens"]
    name = next(token["id"] for token in tokens if token["client"] == "revoked")
    subprocess.run(
        [PROGRAM, "tokens", "revoke", name, "--store", "store"], cwd=served.folder, check=True, capture_output=True
    )
    with pytest.raises(TokenError, match="isn't one of this service") as caught:
        session.run({"x": XS})
    assert token not in f"{caught.value!r} {session!r} {session._remote!r} {vars(type(session))}"
    with pytest.raises((SecretError, TypeError)):
        pickle.dumps(session)


def test_an_upload_that_breaks_off_goes_on(client, liar, served):
    # Keys of its own, which the server doesn't hold.
    client = asa.Client.generate(client.plan)
    cuts = [1000, 5000]

    def seize(handler, method, path):
        if method == "PUT" and cuts:
            liar.cut(handler, cuts.pop(0))
            return True
        return False

    with client.connect(liar.url, token=served.token) as session:
        liar.seize = seize
        assert is_right(session.run({"x": XS}))
    offsets = [int(path.split("offset=")[1]) for path in liar.asked("PUT", "uploads")]
    # The keys in three pieces, and the inputs.
    assert offsets == [0, 1000, 6000, 0]


def test_a_submission_whose_answer_is_lost_is_computed_once(session, liar, served):
    before = served.metric("jobs_submitted_total"), served.metric("jobs_replayed_total")
    lost = []

    def seize(handler, method, path):
        if (method, path) == ("POST", "/v1/jobs") and not lost:
            body = handler.rfile.read(int(handler.headers["Content-Length"]))
            lost.append(json.loads(liar.ask(handler, body)[1])["id"])
            return True
        return False

    liar.seize = seize
    job = session.submit({"x": XS})
    assert [job.id] == lost and is_right(job.result())
    after = served.metric("jobs_submitted_total"), served.metric("jobs_replayed_total")
    assert after == (before[0] + 1, before[1] + 1)


def test_results_are_those_of_a_server_that_was_killed_and_came_back(plan, client, tmp_path):
    served = Served(tmp_path, [plan])
    with client.connect(served.url, token=served.token) as session:
        jobs = [session.submit({"x": XS - turn % 2}) for turn in range(4)]
        served.kill()
        served.start()
        for turn, job in enumerate(jobs):
            assert is_right(job.result(), XS - turn % 2)
    served.kill()


def telling(told):
    """Has a server say something else of every job."""
    return lambda method, path, status, body: (
        (status, json.dumps(json.loads(body) | told).encode()) if "?wait=" in path else (status, body)
    )


def altered(body):
    middle = len(body) // 2
    return body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :]


def test_altered_results_are_refused(session, liar):
    job = session.submit({"x": XS}, canaries=3)
    assert is_right(job.result())

    def alter(method, path, status, body):
        return (status, altered(body)) if path.endswith("/results?offset=0") else (status, body)

    liar.lie = alter
    with pytest.raises(FormatError, match="damaged on their way: fetch them again"):
        job.result()
    # Less than the server says, and more than any plan gives.
    liar.lie = lambda method, path, status, body: (status, body[:-8] if "/results?" in path else body)
    with pytest.raises(FormatError, match="damaged on their way"):
        job.result()
    for stated in [17 << 20, 535 << 20, 1 << 50]:
        liar.lie = telling({"bytes": stated})
        before = len(liar.asked("GET", "/results"))
        with pytest.raises(FormatError, match="more results than such a plan gives"):
            job.result()
        assert len(liar.asked("GET", "/results")) == before
    liar.lie = lambda method, path, status, body: (200, b"<html>")
    with pytest.raises(FormatError, match="isn't JSON"):
        job.result()


def replaying(liar, job, other):
    """Has a server answer for a job what it answers for another one."""

    def seize(handler, method, path):
        handler.path = path.replace(job.id, other.id)
        return False

    liar.seize = seize


def test_results_of_other_jobs_and_of_earlier_ones_are_refused(client, session, liar, served):
    first = session.submit({"x": XS})
    assert is_right(first.result())
    # The same values again, which are other ciphertexts.
    second = session.submit({"x": XS})
    replaying(liar, second, first)
    with pytest.raises(DataError, match="computed from other inputs"):
        second.result()
    # Of another client's keys.
    stranger = asa.Client.generate(client.plan)
    with stranger.connect(served.url, token=served.token) as other:
        foreign = other.submit({"x": XS})
        replaying(liar, second, foreign)
        with pytest.raises(DataError, match="computed from other inputs"):
            second.result()
        liar.seize = lambda *_: False
        assert is_right(foreign.result())
    assert is_right(second.result())


def test_what_a_server_says_is_shown_without_control_characters(session, liar):
    job = session.submit({"x": XS})
    liar.lie = telling({"state": "failed", "message": "\x1b[31m\u202e\u2066\u200f\u061cred\r\n" + "x" * 10_000})
    assert job.status().state == "failed" and len(job.status().message) == 500
    with pytest.raises(JobError) as caught:
        job.result()
    assert caught.value.state == "failed" and "[31mred" in str(caught.value)
    assert str(caught.value).isprintable() and job.status().message.isprintable()


def test_a_server_that_says_running_for_ever_is_asked_seldom_and_given_up(session, liar):
    job = session.submit({"x": XS})
    liar.lie = telling({"state": "running", "fraction": 1e300, "remaining_s": 1e300, "is_cancelled": False})
    before, told = len(liar.asked("GET", "/v1/jobs/")), []
    with pytest.raises(WaitError, match="hasn't ended after 3 s, and goes on"):
        job.result(timeout=3, progress=lambda *done: told.append(done))
    assert len(liar.asked("GET", "/v1/jobs/")) - before == 3
    assert all(0 <= done <= steps for done, steps in told)
    assert job.status().fraction == 1.0
    with pytest.raises(WaitError):
        session.run({"x": XS}, timeout=0)
    liar.lie = lambda method, path, status, body: (status, body)
    assert is_right(job.result())


def test_what_a_server_states_of_uploads_and_waits_is_bounded(client, liar, served):
    # Keys of its own, which the server doesn't hold.
    client = asa.Client.generate(client.plan)
    with client.connect(liar.url, token=served.token, patience=0) as session:
        for stated in [{"stored_bytes": 2**64 - 1}, {"bytes": 1}, {"stored_bytes": 2**63, "bytes": 2**63}]:

            def lie(method, path, status, body, stated=stated):
                if path != "/v1/uploads":
                    return status, body
                return status, json.dumps({"upload": json.loads(body)["upload"] | stated}).encode()

            liar.lie = lie
            with pytest.raises(FormatError, match="holds more of an upload than was sent"):
                session.submit({"x": XS})
        busy = json.dumps({"kind": "busy", "message": "later", "retry_after_s": 2**64 - 1}).encode()
        liar.lie = lambda method, path, status, body: (503, busy)
        with pytest.raises(BusyError) as caught:
            session.submit({"x": XS})
        assert caught.value.retry_after_s == 86_400


SCRIPT = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import asanoha as asa

url, token, folder = sys.argv[1:]
plan = asa.Plan.from_bytes(open(os.path.join(folder, "plans", "0.json"), "rb").read())
client = asa.Client.generate(plan)
session = client.connect(url, token=token)
print("connected", flush=True)
try:
    session.run({"x": np.array([3, -4])})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_the_wait_for_a_server_that_does_not_answer_and_cancels(liar, served):
    import threading

    silent, over = threading.Event(), threading.Event()

    def seize(handler, method, path):
        if method == "GET" and "/v1/jobs/" in path:
            silent.set()
            over.wait()
            return True
        return False

    liar.seize = seize
    command = [sys.executable, "-c", SCRIPT, liar.url, served.token, str(served.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "connected\n"
        silent.wait()
        # The server would be silent for much longer.
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=300)[0] == "interrupted\n"
        assert process.returncode == 0
    over.set()
    assert len(liar.asked("POST", "/cancel")) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_session_is_not_used_in_the_child_of_a_fork(served):
    script = """
import os, sys
import asanoha as asa
from asanoha.exceptions import ForkError
url, token, folder = sys.argv[1:]
plan = asa.Plan.from_bytes(open(os.path.join(folder, "plans", "0.json"), "rb").read())
session = asa.Client.generate(plan).connect(url, token=token)
job = asa.Job(session, "0" * 32, "0" * 64, "")
child = os.fork()
if child == 0:
    try:
        job.status()
    except ForkError:
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    command = [sys.executable, "-c", script, served.url, served.token, str(served.folder)]
    subprocess.run(command, check=True, timeout=300)
