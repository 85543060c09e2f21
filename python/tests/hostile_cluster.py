"""A Dask cluster that lies, and an ordinary client of Dask that falls for it, each in a process of its own.

Each lie has an object that writes the file MARKER-PID in the process PID that unpickles it.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys

import distributed
from distributed.comm import tcp
from distributed.protocol import to_serialize
from distributed.protocol.serialize import ToPickle

from asanoha import _workers

#: Lies that take the place of results, and lies beside them.
INSTEAD = ["object", "list", "error", "plugin", "uncaught", "gathered"]
BESIDE = ["type", "erred", "warning", "status", "stream", "reply", "handshake"]
#: Results that run nothing.
PLAIN = ["long", "huge", "text", "described"]


class Evil(Exception):
    """Runs code where it is unpickled, and is an exception then."""

    def __reduce__(self):
        code = f"(open({MARKER!r} + '-' + str(__import__('os').getpid()), 'w').close(), ValueError('evil'))[1]"
        return eval, (code,)


class Process:
    """A process of this file, which answers each line with a line."""

    def __init__(self, role: str, marker: str) -> None:
        command = [sys.executable, __file__, role, marker]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @property
    def pid(self) -> int:
        return self.process.pid

    def ask(self, line: str) -> str:
        print(line, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().strip()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            self.process.kill()


def lie_as_worker() -> None:
    """Replaces what a worker does."""
    run_task, setup = _workers.run_task, _workers.Holder.setup

    def lying(function, *arguments):
        if function is _workers.panel_of:
            return run_task(function, *arguments)
        if LIE == "object":
            return Evil()
        if LIE == "error":
            raise Evil()
        if LIE == "text":
            return "results"
        if LIE == "described":
            raise _workers.described(ZeroDivisionError("bell \a, and right to left \u202e"))
        result = run_task(function, *arguments)
        if LIE == "list":
            return [result, Evil()]
        return result + bytes({"long": 1 << 24, "huge": 1 << 28}.get(LIE, 0))

    async def set_up(self, worker):
        if LIE == "plugin":
            raise Evil()
        await setup(self, worker)

    _workers.run_task, _workers.Holder.setup = lying, set_up


def lie_as_scheduler() -> None:
    """Alters the messages that a client gets."""
    pickled, real = pickle.dumps(Evil()), tcp.to_frames
    errors = {"exception": pickled, "traceback": pickled}

    def unasked(messages):
        if not any(message.get("op") in ("key-in-memory", "task-erred") for message in messages):
            return messages
        if LIE == "type":
            return [{**message, "type": pickled} for message in messages]
        added = {
            "warning": {"op": "event", "topic": "warn", "event": (0.0, {"message": pickled, "category": pickled})},
            "status": {"op": "key-in-memory", "status": "error", **errors},
            "erred": {"op": "task-erred", "key": messages[0]["key"], **errors},
            "stream": {"op": "key-in-memory", "key": "none", "more": ToPickle(Evil())},
        }.get(LIE)
        return [*([added] if added else []), *messages]

    def reply(message):
        if "total_threads" in message and LIE == "reply":
            return {**message, "more": ToPickle(Evil())}
        if "total_threads" in message and LIE == "uncaught":
            return {"status": "uncaught-error", "exception_text": "the text", **errors}
        if "pickle-protocol" in message and LIE == "handshake":
            return {**message, "more": ToPickle(Evil())}
        if "data" in message and message.get("status") == "OK" and LIE == "gathered":
            return {**message, "data": {key: to_serialize(Evil()) for key in message["data"]}}
        return message

    async def to_frames(message, **options):
        if isinstance(message, list) and all(isinstance(each, dict) for each in message):
            message = unasked(message)
        elif isinstance(message, dict):
            message = reply(message)
        return await real(message, **options)

    tcp.to_frames = to_frames


def run_cluster() -> None:
    global LIE
    lie_as_worker()
    lie_as_scheduler()
    one = {"processes": False, "n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(protocol="tcp://", host="127.0.0.1", **one) as cluster:
        for line in sys.stdin:
            LIE = line.strip()
            print(cluster.scheduler_address, flush=True)


def run_ordinary_client() -> None:
    for line in sys.stdin:
        with contextlib.suppress(BaseException), distributed.Client(line.strip(), timeout=20) as client:
            with contextlib.suppress(BaseException):
                client.submit(_workers.run_task, bytes, 5, pure=False).result(timeout=20)
            with contextlib.suppress(BaseException):
                client.register_plugin(_workers.Holder("name", bytes), name="name")
        print("done", flush=True)


if __name__ == "__main__":
    _, role, MARKER = sys.argv
    LIE = ""
    {"cluster": run_cluster, "ordinary": run_ordinary_client}[role]()
