"""A connection to a Dask cluster that runs nothing the cluster sends, and takes bytes as results."""

from __future__ import annotations

import copy
import uuid
import warnings
from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any

import distributed

from asanoha._connectors import LIMIT, PREFIX, Limit, MessageError
from asanoha._messages import Unread
from asanoha._network import address_of, check_address, check_schedulers
from asanoha._numbers import shortened
from asanoha._task_error import TaskError, printable
from asanoha._workers import Deployment, Holder, run_task
from asanoha.exceptions import AddressError, DataError, FormatError, JobError, ServerGoneError

if TYPE_CHECKING:
    _DaskFuture = distributed.Future[bytes]
else:
    # Old versions have no type of the result.
    _DaskFuture = distributed.Future

#: The most bytes of a result of a task of the user's.
_RESULT_BYTES = 1 << 30
#: The most threads of a worker that are believed.
_THREADS = 1 << 16


class Connection:
    """A connection to a Dask cluster, made by `connect`. It unpickles nothing that the scheduler, a worker or the network sends.

    It is a context manager, and threads may share it.

    Attributes
    ----------
    address : str
        The address of the scheduler.
    """

    def __init__(self, address: str, security: distributed.Security, insecure_network: bool, timeout: float) -> None:
        self.address = address
        self._insecure_network = insecure_network
        self._limit, self._fetching = Limit(), Lock()
        self._deployment = Deployment()
        security = copy.copy(security)
        security.extra_conn_args = {**(security.extra_conn_args or {}), LIMIT: self._limit}
        options = {"security": security, "timeout": timeout, "set_as_default": False, "direct_to_workers": False}
        try:
            self._client = distributed.Client(
                address if address.startswith("inproc://") else PREFIX + address, **options
            )
        except Exception as error:
            raise ServerGoneError(
                f"the scheduler {address} can't be reached: {printable(str(error))}; check that it runs there, and that its TLS settings are yours"
            ) from None

    def submit(self, function: Callable[..., Any], *arguments: Any, max_bytes: int = _RESULT_BYTES) -> Future:
        """Runs a function on a worker.

        The scheduler keeps the arguments, so that Dask can run the function again if a worker dies.

        Parameters
        ----------
        function : callable
            The function. Its result stays on the worker until another task takes the future, or `Future.result` fetches it.
        *arguments
            Its arguments, and futures of this connection in place of them.
        max_bytes : int
            The most bytes of a result that `Future.result` fetches.
        """
        if not callable(function):
            raise DataError(f"function is {shortened(function)}, and should be a function")
        key = f"{getattr(function, '__name__', 'task')}-{uuid.uuid4()}"
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            task = self._client.submit(run_task, function, *arguments, key=key, pure=False)
        return Future(task.key, self, max_bytes)

    def close(self) -> None:
        """Closes the connection. The cluster forgets its tasks and their results."""
        self._client.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Connection to {self.address}>"

    def _threads(self) -> dict[str, int]:
        """The threads of each worker, whose addresses are checked: workers may join at any time."""
        found = self._ask("ncores")
        if not isinstance(found, dict) or not all(
            isinstance(worker, str) and type(threads) is int and 0 <= threads <= _THREADS
            for worker, threads in found.items()
        ):
            raise FormatError("the scheduler doesn't state the threads of its workers: is it one of Dask?")
        if not self._insecure_network:
            for worker in found:
                check_address(worker, "worker")
        return found

    def _memory_limits(self) -> dict[str, int]:
        """The bytes of memory that workers may take, of those that have a limit."""
        found = self._ask("identity")
        workers = found.get("workers") if isinstance(found, dict) else None
        if not isinstance(workers, dict):
            raise FormatError("the scheduler doesn't describe its workers: is it one of Dask?")
        limits = {name: worker.get("memory_limit") for name, worker in workers.items() if isinstance(worker, dict)}
        return {name: limit for name, limit in limits.items() if type(limit) is int and limit > 0}

    def _register(self, holder: Holder) -> None:
        try:
            self._client.register_plugin(holder, name=holder.name)
        except TaskError as error:
            raise error.raised(holder.name) from None
        except (OSError, RuntimeError) as error:
            raise _gone(self.address, error) from None

    def _unregister(self, name: str) -> None:
        if self._client.status == "running":
            self._client.unregister_worker_plugin(name)

    def _ask(self, operation: str) -> Any:
        try:
            return self._client.sync(getattr(self._client.scheduler, operation))
        except MessageError as error:
            raise FormatError(str(error)) from None
        except OSError as error:
            raise _gone(self.address, error) from None

    def _fetch(self, future: Future, timeout: float | None) -> object:
        """Returns what a task returned, as the scheduler sent it."""
        future.wait(timeout)
        # One value at a time, so that a message has at most one.
        with self._fetching:
            self._limit.values = future.max_bytes
            try:
                return distributed.Future.result(future, timeout)
            finally:
                self._limit.values = 0


class Future(_DaskFuture):
    """The result of a task of a `Connection`, which stays in the cluster until `result` fetches it or the future is dropped."""

    def __init__(self, key: Any, connection: Connection, max_bytes: int) -> None:
        self.connection, self.max_bytes = connection, max_bytes
        super().__init__(key, connection._client)

    def wait(self, timeout: float | None = None) -> None:
        """Waits until the task has ended, and raises nothing if it failed."""
        assert self._state is not None
        self.connection._client.sync(self._state.wait, callback_timeout=timeout)

    def result(self, timeout: float | None = None) -> bytes:
        """Waits for the task and returns its bytes.

        Parameters
        ----------
        timeout : float, optional
            The seconds after which to raise a `TimeoutError`.

        Raises
        ------
        AsanohaError
            If the task failed; of the class that the function raised, if it is one of `asanoha.exceptions`.
        JobError
            If the task failed otherwise, or was cancelled.
        FormatError
            If the result isn't bytes, or has more than `max_bytes`.
        """
        try:
            found = self.connection._fetch(self, timeout)
        except TaskError as error:
            raise error.raised(str(self.key)) from None
        except MessageError as error:
            raise FormatError(f"the result of task {self.key}: {error}") from None
        except distributed.CancelledError as error:
            raise JobError(
                f"task {self.key} was cancelled: {printable(str(error))}", job=self.key, state="cancelled"
            ) from None
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            raise _gone(self.connection.address, error) from None
        if not isinstance(found, bytes):
            why = found.why if isinstance(found, Unread) else f"a {type(found).__name__}"
            raise FormatError(
                f"task {self.key} returned {why} instead of bytes, which isn't loaded: a worker was altered, or the function should "
                "return bytes"
            )
        if len(found) > self.max_bytes:
            raise FormatError(f"task {self.key} returned {len(found)} bytes, and at most {self.max_bytes} are taken")
        return found


def connect(
    cluster: Any,
    *,
    security: distributed.Security | None = None,
    insecure_network: bool = False,
    timeout: float = 30,
) -> Connection:
    """Connects to a Dask cluster without trusting it: nothing that it sends is unpickled or run in this process.

    Parameters
    ----------
    cluster : str or distributed.LocalCluster
        The address of a scheduler, such as `tls://10.0.0.2:8786`, or a cluster object.
    security : distributed.Security, optional
        The certificates of a cluster with TLS. Without, those of the cluster object or of Dask's configuration.
    insecure_network : bool
        Allows schedulers and workers on other hosts without TLS, and a scheduler in this process that other hosts reach. Anyone on
        the network can then read and alter what is sent.
    timeout : float
        The seconds to wait for the scheduler.

    Raises
    ------
    AddressError
        If the cluster is none, or it is on other hosts and has no TLS.
    ServerGoneError
        If the scheduler can't be reached.
    """
    address = address_of(cluster)
    if security is None:
        security = getattr(cluster, "security", None) or distributed.Security()
    if not isinstance(security, distributed.Security):
        raise AddressError(f"security is {shortened(security)}, and should be a distributed.Security")
    if not insecure_network:
        check_address(address, "the scheduler")
        check_schedulers()
    return Connection(address, security, insecure_network, timeout)


def check_connection(connection: object) -> None:
    """Refuses what isn't a connection."""
    if isinstance(connection, distributed.Client):
        # The advice is the same.
        address_of(connection)
    if not isinstance(connection, Connection):
        raise DataError(
            f"connection is {shortened(connection)}, and should be what asanoha.distributed.connect returned"
        )


def _gone(address: str, error: Exception) -> ServerGoneError:
    return ServerGoneError(
        f"the scheduler {address} broke off: {printable(str(error))}; start the cluster again, and connect again"
    )
