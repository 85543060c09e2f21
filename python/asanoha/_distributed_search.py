"""Private haplotype search in a panel that is split over a Dask cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from functools import partial

import distributed

from asanoha import genome
from asanoha._dask import check_client, check_count, flow, submit
from asanoha._numbers import shortened
from asanoha._workers import Holder, answer_query, deployment_of, name_of, panel_of, searcher_of
from asanoha.exceptions import DataError


def search(
    client: distributed.Client,
    keys: bytes,
    panels: Sequence[genome.Panel | distributed.Future[genome.Panel]],
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
    client : distributed.Client
        The client of the cluster.
    keys : bytes
        What `asanoha.genome.Client.keys` returned.
    panels : sequence of Panel or distributed.Future
        The parts, such as of `Panel.split`, or futures of them, such as of tasks that read files. All have the same sites.
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
    check_client(client)
    check_count("in_flight", in_flight)
    parts = list(panels)
    if not parts or not all(isinstance(part, (genome.Panel, distributed.Future)) for part in parts):
        raise DataError(f"panels are {shortened(panels)}, and should be at least one Panel: call Panel.split")
    # Workers are not bothered with keys that aren't those of the search.
    genome.Server(keys, haplotypes)
    return _searched(client, bytes(keys), parts, queries, haplotypes, start, in_flight)


def _searched(
    client: distributed.Client,
    keys: bytes,
    panels: list[genome.Panel | distributed.Future[genome.Panel]],
    queries: Iterable[bytes],
    haplotypes: int,
    start: int,
    in_flight: int,
) -> Generator[list[bytes], None, None]:
    name = name_of(client, keys, haplotypes.to_bytes(8, "little"))
    with deployment_of(client).using(client, Holder(name, searcher_of, keys, haplotypes)):
        shards = [
            panel if isinstance(panel, distributed.Future) else submit(client, panel_of, panel.to_bytes())
            for panel in panels
        ]
        tasks = (
            partial(submit, client, answer_query, name, shard, query, start) for query in queries for shard in shards
        )
        answers: list[bytes] = []
        with closing(flow(client, tasks, in_flight)) as done:
            for future in done:
                answers.append(future.result())
                if len(answers) == len(shards):
                    yield answers
                    answers = []
