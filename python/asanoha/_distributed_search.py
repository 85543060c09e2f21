"""Private haplotype search in a panel that is split over a Dask cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from functools import partial

from asanoha import genome
from asanoha._connection import Connection, Future, check_connection
from asanoha._dask import check_count, flow
from asanoha._numbers import shortened
from asanoha._workers import Holder, answer_query, name_of, panel_of, searcher_of
from asanoha.exceptions import DataError


def search(
    connection: Connection,
    keys: bytes,
    panels: Sequence[genome.Panel | Future],
    queries: Iterable[bytes],
    *,
    haplotypes: int,
    start: int,
    in_flight: int = 2,
) -> Generator[list[bytes], None, None]:
    """Answers queries of `asanoha.genome` with a panel that is split over the workers of a cluster.

    Each part is sent to a worker once. Workers get the parts of the panel, the keys and encrypted queries. If a worker dies, Dask
    sends its parts to another one and answers its queries there.

    Parameters
    ----------
    connection : Connection
        What `connect` returned.
    keys : bytes
        What `asanoha.genome.Client.keys` returned.
    panels : sequence of Panel or Future
        The parts, such as of `Panel.split`, or what `Connection.submit` returned for tasks that make them, such as by reading files. All have the same sites.
    queries : iterable of bytes
        What `asanoha.genome.Client.query` returned, taken while workers have room.
    haplotypes : int
        The most haplotypes of a part, as the client knows it.
    start : int
        The number of the first letter's site, from 0.
    in_flight : int
        The parts for each thread of a worker that are searched or wait, from 1 on.

    Yields
    ------
    list of bytes
        The answers of all parts to a query, in the order of the queries, for `asanoha.genome.Client.answer`.

    Raises
    ------
    WrongKeysError
        If the keys are of other parameters.
    FormatError
        If the keys are damaged, or a query isn't one of this search, such as of one in panels of another size.
    DataError
        If the window isn't in a part.
    """
    check_connection(connection)
    check_count("in_flight", in_flight)
    parts = list(panels)
    if not parts or not all(isinstance(part, genome.Panel) or _is_of(part, connection) for part in parts):
        raise DataError(
            f"panels are {shortened(panels)}, and should be at least one Panel: call Panel.split, or submit of this connection"
        )
    # Workers are not bothered with keys that aren't those of the search.
    answer_bytes = genome.Server(keys, haplotypes)._native.answer_bytes()
    return _searched(connection, bytes(keys), parts, queries, haplotypes, start, in_flight, answer_bytes)


def _is_of(part: object, connection: Connection) -> bool:
    return isinstance(part, Future) and part.connection is connection


def _searched(
    connection: Connection,
    keys: bytes,
    panels: list[genome.Panel | Future],
    queries: Iterable[bytes],
    haplotypes: int,
    start: int,
    in_flight: int,
    answer_bytes: int,
) -> Generator[list[bytes], None, None]:
    name = name_of(connection, keys, haplotypes.to_bytes(8, "little"))
    with connection._deployment.using(connection, Holder(name, searcher_of, keys, haplotypes)):
        shards = [
            panel if isinstance(panel, Future) else connection.submit(panel_of, panel.to_bytes()) for panel in panels
        ]
        answer = partial(connection.submit, answer_query, max_bytes=answer_bytes)
        tasks = (partial(answer, name, shard, query, start) for query in queries for shard in shards)
        answers: list[bytes] = []
        with closing(flow(connection, tasks, in_flight)) as done:
            for future in done:
                answers.append(future.result())
                if len(answers) == len(shards):
                    yield answers
                    answers = []
