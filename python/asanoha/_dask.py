"""What computations on a Dask cluster share: tasks while workers have room, and checks of what is passed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator

from asanoha._connection import Connection, Future
from asanoha._numbers import shortened
from asanoha.exceptions import DataError


def flow(
    connection: Connection, tasks: Iterator[Callable[[], Future]], in_flight: int
) -> Generator[Future, None, None]:
    """Submits tasks while workers have room, and yields their futures in order when they are done."""
    waiting: deque[Future] = deque()
    try:
        while True:
            while len(waiting) < in_flight * max(sum(connection._threads().values()), 1):
                submit = next(tasks, None)
                if submit is None:
                    break
                waiting.append(submit())
            if not waiting:
                return
            done = waiting.popleft()
            done.wait()
            yield done
            del done
    finally:
        for future in waiting:
            future.cancel()  # type: ignore[no-untyped-call]


def check_count(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise DataError(f"{name} is {shortened(value)}, and should be a whole number from 1 on", value=value)
