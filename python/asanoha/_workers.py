"""What Dask workers hold and do: servers, and tasks that evaluate one chunk."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import threading
import uuid
import warnings
import weakref
from collections import Counter, OrderedDict
from typing import Any

import distributed

from asanoha import _asanoha, _config
from asanoha._parties import Server
from asanoha._plan import Plan
from asanoha.exceptions import AsanohaError

#: How many sets of keys that no job uses stay on the workers.
KEPT = 1
#: This process: workers in the process of the client leave its settings alone.
_PROCESS = uuid.uuid4().hex


class ServerPlugin(distributed.WorkerPlugin):
    """Holds the server of a plan and its evaluation keys on every worker, also on those that join or restart later.

    It's made of bytes that are public: a client, which holds the secret key, can't be pickled.
    """

    def __init__(self, name: str, plan: bytes, keys: bytes) -> None:
        self.name = name
        self._plan, self._keys = plan, keys
        self._version, self._process = _asanoha.__version__, _PROCESS
        self.server: Server | None = None

    async def setup(self, worker: Any) -> None:
        if self._version != _asanoha.__version__:
            raise AsanohaError(
                f"worker {worker.address} has asanoha {_asanoha.__version__} and the client {self._version}: "
                "install the same version on all machines",
                found=_asanoha.__version__,
                expected=self._version,
            )
        if self._process != _PROCESS and _config.chosen_threads is None:
            # Dask runs so many tasks at once, and all of them share asanoha's threads.
            _asanoha.set_threads(worker.state.nthreads)
        self.server = await asyncio.to_thread(_server, self._plan, self._keys)
        self._plan = self._keys = b""

    def teardown(self, worker: Any) -> None:
        self.server = None


def _server(plan: bytes, keys: bytes) -> Server:
    return Server(Plan.from_bytes(plan), keys)


def evaluate_chunk(name: str, inputs: bytes) -> bytes:
    """The task: evaluates a chunk with the server that a plugin of this name holds."""
    worker = distributed.get_worker()
    plugin = worker.plugins.get(name)
    if not isinstance(plugin, ServerPlugin) or plugin.server is None:
        raise AsanohaError(
            f"worker {worker.address} has no keys {name!r}: its log says why it couldn't load them, or another "
            "program removed them"
        )
    return plugin.server.evaluate(inputs)


def _memory_limit(dask_worker: Any) -> int | None:
    limit: int | None = dask_worker.memory_manager.memory_limit
    return limit


class Deployment:
    """Which keys the workers of one cluster have: sent once, by their digest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: Counter[str] = Counter()
        #: In the order of their last use.
        self._known: OrderedDict[str, None] = OrderedDict()

    def acquire(self, client: distributed.Client, plan: Plan, keys: bytes, in_flight: int) -> str:
        """Sends a plan and its keys to the workers unless they have them, and returns the name of the plugin."""
        digest = hashlib.sha256(bytes.fromhex(plan.digest) + keys).hexdigest()
        # Another client may remove its own.
        name = f"asanoha-{digest[:32]}-{client.id}"
        with self._lock:
            if name not in self._known:
                try:
                    client.register_plugin(ServerPlugin(name, plan.to_bytes(), keys), name=name)
                except BaseException:
                    _remove(client, name)
                    raise
                _check_memory(client, plan, keys, in_flight)
            self._known[name] = None
            self._known.move_to_end(name)
            self._used[name] += 1
        return name

    def release(self, client: distributed.Client, name: str) -> None:
        """Ends a use, and removes the keys from the workers that weren't used for longest."""
        with self._lock:
            self._used[name] -= 1
            idle = [known for known in self._known if self._used[known] <= 0]
            for known in idle[: max(len(idle) - KEPT, 0)]:
                del self._known[known], self._used[known]
                _remove(client, known)


def _remove(client: distributed.Client, name: str) -> None:
    if client.status == "running":
        # Keys that stay do no harm, and the job's own error matters more.
        with contextlib.suppress(Exception):
            client.unregister_worker_plugin(name)


_DEPLOYMENTS: weakref.WeakKeyDictionary[distributed.Client, Deployment] = weakref.WeakKeyDictionary()
_DEPLOYMENTS_LOCK = threading.Lock()


def deployment_of(client: distributed.Client) -> Deployment:
    """The keys on the workers of a Dask client."""
    with _DEPLOYMENTS_LOCK:
        return _DEPLOYMENTS.setdefault(client, Deployment())


def _check_memory(client: distributed.Client, plan: Plan, keys: bytes, in_flight: int) -> None:
    """Warns of workers whose memory is less than what their chunks are predicted to need."""
    threads = client.nthreads()
    for worker, limit in client.run(_memory_limit).items():
        at_once = threads.get(worker, 1)
        needed = worker_memory(plan, len(keys), threads=at_once, in_flight=in_flight)
        if limit and needed > limit:
            warnings.warn(
                f"worker {worker} needs about {needed / 2**30:.1f} GiB for {at_once} chunks at once, and its memory_limit "
                f"is {limit / 2**30:.1f} GiB: take smaller chunks, or workers of fewer threads",
                stacklevel=2,
            )
            return


def worker_memory(plan: Plan, keys: int, *, threads: int, in_flight: int) -> int:
    """The predicted bytes of a worker: the keys, and for each thread a chunk that it evaluates and those that wait."""
    inputs = int(plan.predicted["input_bytes"] or 0)
    chunk = max(int(plan.predicted["bytes"] or 0) - keys, inputs)
    return keys + threads * (chunk + (in_flight - 1) * inputs)
