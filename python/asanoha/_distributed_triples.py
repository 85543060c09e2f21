"""Matrix triples that a Dask cluster makes."""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial

from asanoha import _asanoha
from asanoha._connection import Connection, Future, check_connection
from asanoha._dask import check_count, flow
from asanoha._progress import Progress
from asanoha._workers import Holder, blocks_of, make_block, name_of
from asanoha.triples import Triples, folder_of


def triples(
    connection: Connection,
    folder: str | os.PathLike[str],
    *,
    shape: int | tuple[int, int, int],
    count: int,
    bits: int = 128,
    modulus: int | None = None,
    parties: int = 2,
    memory_limit: int | None = None,
    in_flight: int = 1,
    progress: Progress = None,
) -> Triples:
    """Makes a folder of matrix triples on the workers of a cluster, or goes on where an earlier call was stopped.

    Workers make blocks, and this process checks and writes them. The files are those that `asanoha.triples.generate` makes of the
    same seed. If a worker dies, Dask makes its blocks on another one. Scheduler and workers get the secret seed, from which the
    shares of all parties follow: use machines that you would make all triples on.

    Parameters
    ----------
    connection : Connection
        What `connect` returned.
    folder, shape, count, bits, modulus, parties
        As in `asanoha.triples.generate`.
    memory_limit : int, optional
        About the bytes that each thread of a worker may take.
    in_flight : int
        The blocks for each thread of a worker that are made or wait, from 1 on.
    progress : callable, optional
        Is called with (blocks done, all blocks). An exception of its ends the work; finished blocks stay.

    Returns
    -------
    Triples
        What is in the folder.

    Raises
    ------
    PlanError
        If there can't be such triples.
    DataError
        If the folder is for others.
    FormatError
        If a block isn't what it should be.
    """
    check_connection(connection)
    check_count("in_flight", in_flight)
    native = folder_of(folder, shape, count, bits, modulus, parties, memory_limit)
    about = Triples._of(folder, native.about())
    secrets = native.parts()
    if secrets is None:
        return about
    manifest, seed = secrets
    name = name_of(connection, manifest)
    deployment = connection._deployment
    missing = native.missing()
    done = about.blocks - len(missing)
    try:
        with deployment.using(connection, Holder(name, blocks_of, manifest, seed, memory_limit)):
            tasks = (partial(_submitted, connection, name, native, about.parties, block) for block in missing)
            with closing(flow(connection, tasks, in_flight)) as made:
                for block, future in zip(missing, made, strict=True):
                    native.put(block, _files(future.result(), about.parties))
                    done += 1
                    if progress is not None:
                        progress(done, about.blocks)
    finally:
        # The seed doesn't stay there.
        deployment.remove(connection, name)
    return about


def _submitted(connection: Connection, name: str, native: _asanoha.TripleFolder, parties: int, block: int) -> Future:
    return connection.submit(make_block, name, block, max_bytes=parties * native.block_bytes(block))


def _files(joined: bytes, parties: int) -> list[bytes]:
    """Returns the files of all parties, which have the same length. `TripleFolder.put` checks it."""
    length = len(joined) // parties
    return [joined[party * length : (party + 1) * length] for party in range(parties)]
