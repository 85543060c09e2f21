"""What Dask workers hold and do: servers and makers of triples, and tasks of one chunk or block."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import threading
import uuid
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import distributed

from asanoha import _asanoha, _config, genome
from asanoha._parties import Server
from asanoha._plan import Plan
from asanoha._task_error import described
from asanoha.exceptions import AsanohaError

if TYPE_CHECKING:
    from asanoha._connection import Connection

#: How many sets of keys that no job uses stay on the workers.
KEPT = 1
#: This process: workers in the process of the client leave its settings alone.
_PROCESS = uuid.uuid4().hex


class Holder(distributed.WorkerPlugin):
    """Holds what tasks need on every worker, also on those that join or restart later.

    It's made there by a function of this module, of bytes. A client, which holds the secret key, can't be pickled.
    """

    def __init__(self, name: str, make: Callable[..., Any], *parts: Any) -> None:
        self.name = name
        self._make, self._parts = make, parts
        self._version, self._process = _asanoha.__version__, _PROCESS
        self.held: Any = None

    async def setup(self, worker: Any) -> None:
        try:
            return await self._set_up(worker)
        except Exception as error:
            failed = described(error)
        raise failed

    async def _set_up(self, worker: Any) -> None:
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
        self.held = await asyncio.to_thread(self._make, *self._parts)
        self._parts = ()

    def teardown(self, worker: Any) -> None:
        self.held = None


def server_of(plan: bytes, keys: bytes) -> Server:
    """What evaluates chunks, of bytes that are public."""
    return Server(Plan.from_bytes(plan), keys)


def blocks_of(manifest: bytes, seed: bytes, memory_limit: int | None) -> _asanoha.TripleBlocks:
    """What makes blocks of triples, of a seed that is secret."""
    return _asanoha.TripleBlocks(manifest, seed, memory_limit)


def searcher_of(keys: bytes, haplotypes: int) -> genome.Server:
    """What answers queries, of bytes that are public."""
    return genome.Server(keys, haplotypes)


def run_task(function: Callable[..., Any], *arguments: Any) -> Any:
    """Runs the function of a task, and describes its error as text."""
    try:
        return function(*arguments)
    except Exception as error:
        failed = described(error)
    raise failed


def _held(name: str) -> Any:
    """What the holder of this name holds on the worker that runs a task."""
    worker = distributed.get_worker()
    plugin = worker.plugins.get(name)
    if not isinstance(plugin, Holder) or plugin.held is None:
        raise AsanohaError(
            f"worker {worker.address} has no keys {name!r}: its log says why it couldn't load them, or another "
            "program removed them"
        )
    return plugin.held


def evaluate_chunk(name: str, inputs: bytes) -> bytes:
    """The task: evaluates a chunk with a server."""
    result: bytes = _held(name).evaluate(inputs)
    return result


def make_block(name: str, block: int) -> bytes:
    """The task: makes the files of a block of triples, which all have the same length, and joins them."""
    files: list[bytes] = _held(name).make(block)
    return b"".join(files)


def panel_of(shard: bytes) -> genome.Panel:
    """The task: keeps a part of a panel on a worker."""
    return genome.Panel.from_bytes(shard)


def answer_query(name: str, panel: genome.Panel, query: bytes, start: int) -> bytes:
    """The task: answers a query, held against a part of a panel."""
    answer: bytes = _held(name).answer(panel, query, start=start)
    return answer


class Deployment:
    """Which holders the workers of one cluster have: sent once, by the digest of what they hold."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: Counter[str] = Counter()
        #: In the order of their last use.
        self._known: OrderedDict[str, None] = OrderedDict()

    @contextlib.contextmanager
    def using(self, connection: Connection, holder: Holder, check: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Sends a holder to the workers unless they have it. `check` is called once it's there.

        After the last use, holders are removed from the workers that weren't used for longest.
        """
        name = holder.name
        with self._lock:
            if name not in self._known:
                try:
                    connection._register(holder)
                except BaseException:
                    _remove(connection, name)
                    raise
                check()
            self._known[name] = None
            self._known.move_to_end(name)
            self._used[name] += 1
        try:
            yield
        finally:
            with self._lock:
                self._used[name] -= 1
                idle = [known for known in self._known if self._used[known] <= 0]
                for known in idle[: max(len(idle) - KEPT, 0)]:
                    self._forget(connection, known)

    def remove(self, connection: Connection, name: str) -> None:
        """Removes a holder that nothing uses from the workers."""
        with self._lock:
            if name in self._known and self._used[name] <= 0:
                self._forget(connection, name)

    def _forget(self, connection: Connection, name: str) -> None:
        del self._known[name], self._used[name]
        _remove(connection, name)


def name_of(connection: Connection, *parts: bytes) -> str:
    """The name of a holder of these parts. Another connection may remove its own."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return f"asanoha-{digest.hexdigest()[:32]}-{connection._client.id}"


def _remove(connection: Connection, name: str) -> None:
    # Keys that stay do no harm, and the job's own error matters more.
    with contextlib.suppress(Exception):
        connection._unregister(name)


def check_memory(connection: Connection, plan: Plan, keys: bytes, in_flight: int) -> None:
    """Warns of workers whose memory is less than what their chunks are predicted to need."""
    threads = connection._threads()
    for worker, limit in connection._memory_limits().items():
        at_once = threads.get(worker, 1)
        needed = worker_memory(plan, len(keys), threads=at_once, in_flight=in_flight)
        if needed > limit:
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
