"""What computations on a Dask cluster share: tasks while workers have room, and checks of what is passed."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar

import distributed

from asanoha._numbers import shortened
from asanoha.exceptions import DataError

_T = TypeVar("_T")


def flow(
    client: distributed.Client, tasks: Iterator[Callable[[], distributed.Future[_T]]], in_flight: int
) -> Generator[distributed.Future[_T], None, None]:
    """Submits tasks while workers have room, and yields their futures in order when they are done."""
    waiting: deque[distributed.Future[_T]] = deque()
    try:
        while True:
            while len(waiting) < in_flight * max(sum(client.nthreads().values()), 1):
                submit = next(tasks, None)
                if submit is None:
                    break
                waiting.append(submit())
            if not waiting:
                return
            done = waiting.popleft()
            distributed.wait(done)
            yield done
            del done
    finally:
        for future in waiting:
            future.cancel()


def submit(client: distributed.Client, task: Callable[..., _T], *arguments: Any) -> distributed.Future[_T]:
    """Submits a task, whose bytes the scheduler keeps, so that Dask can do it again if a worker dies."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        return client.submit(task, *arguments, pure=False)


def check_client(client: object) -> None:
    if not isinstance(client, distributed.Client):
        raise DataError(
            f"client is {shortened(client)}, and should be a distributed.Client, which is connected to a cluster"
        )
    if client.asynchronous:
        raise DataError("the Dask client is asynchronous: connect another one with distributed.Client(address)")


def check_count(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise DataError(f"{name} is {shortened(value)}, and should be a whole number from 1 on", value=value)
