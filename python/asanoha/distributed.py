"""Encrypted computations on a Dask cluster: rows in chunks, which workers evaluate.

`connect` connects to the cluster. A connection runs nothing that a worker, the scheduler or the network sends.

`run` does all of it: it plans a function, encrypts a frame chunk by chunk, lets the workers evaluate the chunks, decrypts and
merges. `compute` does it with a client that has a plan and keys. `evaluate` only evaluates chunks that were encrypted before.
Workers get the plan, the evaluation keys and ciphertexts, and nothing secret.

`triples` makes matrix triples on workers, which get the secret seed that all shares follow from. `search` holds encrypted
haplotypes against a panel that is split over the workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any, TypeVar, overload

try:
    import distributed as _  # noqa: F401
except ImportError as error:
    raise ImportError("asanoha.distributed needs Dask: pip install 'asanoha[distributed]'") from error

from asanoha import _asanoha
from asanoha._chunks import Chunk, Frame, Group, column_names, is_frame, of_data
from asanoha._connection import Connection, Future, check_connection, connect
from asanoha._dask import check_count, flow
from asanoha._data import columns_of, schema_of_columns
from asanoha._distributed_search import search
from asanoha._distributed_triples import triples
from asanoha._numbers import shortened
from asanoha._parties import Client, Server
from asanoha._plan import Plan, plan
from asanoha._program import Program
from asanoha._progress import Progress
from asanoha._results import Results
from asanoha._schema import Schema
from asanoha._workers import (
    Holder,
    check_memory,
    evaluate_chunk,
    name_of,
    server_of,
    worker_memory,
)
from asanoha.exceptions import AsanohaError, DataError, FormatError, PlanError

__all__ = ["Connection", "Future", "compute", "connect", "evaluate", "run", "search", "triples", "worker_memory"]

_T = TypeVar("_T")

#: Rows of a chunk: a multiple of the rows that any ciphertext holds.
CHUNK_ROWS = 1 << 17


def evaluate(
    connection: Connection,
    plan: Plan,
    keys: bytes,
    chunks: Iterable[bytes | Future],
    *,
    in_flight: int = 2,
) -> Generator[Future, None, None]:
    """Evaluates encrypted chunks on the workers of a cluster.

    The plan and the keys are sent to each worker once, and stay there for the next call with the same keys. Chunks are taken from
    the iterator while workers have room: a slow cluster holds up the encryption. If a worker dies, Dask evaluates its chunks on
    another one. The bytes of a result depend on plan, keys and chunk only, and are those of `Server.evaluate`.

    Parameters
    ----------
    connection : Connection
        What `connect` returned.
    plan : Plan
        The plan.
    keys : bytes
        What `asanoha.Client.evaluation_keys` returned.
    chunks : iterable of bytes or Future
        What `asanoha.Client.encrypt` returned, or futures of such bytes, such as of a task that reads a file, by
        `Connection.submit`.
    in_flight : int
        The chunks for each thread of a worker that are evaluated or wait, from 1 on.

    Yields
    ------
    Future
        The bytes of a result, in the order of the chunks. Each is done when it's yielded; its `result()` raises what
        `Server.evaluate` raised. The cluster keeps the bytes until you drop the future.

    Raises
    ------
    FormatError
        If the keys are damaged, foreign or of another version.
    WrongKeysError
        If the keys were made for another plan.
    """
    check_connection(connection)
    if not isinstance(plan, Plan):
        raise PlanError(f"plan is {shortened(plan)}, and should be a Plan: call asanoha.plan, or Plan.from_bytes")
    if not isinstance(keys, (bytes, bytearray, memoryview)):
        raise FormatError(f"keys is {shortened(keys)}, and should be bytes: call evaluation_keys() of a client")
    check_count("in_flight", in_flight)
    keys = bytes(keys)
    # Workers are not bothered with keys that aren't the plan's.
    Server(plan, keys)
    return _evaluated(connection, plan, keys, chunks, in_flight)


def _evaluated(
    connection: Connection,
    plan: Plan,
    keys: bytes,
    chunks: Iterable[bytes | Future],
    in_flight: int,
) -> Generator[Future, None, None]:
    name = name_of(connection, bytes.fromhex(plan.digest), keys)
    holder = Holder(name, server_of, plan.to_bytes(), keys)
    check = partial(check_memory, connection, plan, keys, in_flight)
    submit = partial(connection.submit, evaluate_chunk, name, max_bytes=plan._native.result_bytes())
    with connection._deployment.using(connection, holder, check):
        tasks = (partial(submit, _checked(connection, number, chunk)) for number, chunk in enumerate(chunks))
        yield from flow(connection, tasks, in_flight)


def _checked(connection: Connection, number: int, chunk: object) -> bytes | Future:
    if isinstance(chunk, Future) and chunk.connection is connection:
        return chunk
    if not isinstance(chunk, (bytes, bytearray, memoryview)):
        raise DataError(
            f"chunk {number} is {shortened(chunk)}, and should be bytes: pass what encrypt() of a client returned, or submit() of "
            "this connection"
        )
    return bytes(chunk)


@overload
def compute(
    connection: Connection,
    owner: Client,
    data: object,
    *,
    by: None = None,
    missing: str = "raise",
    in_flight: int = 2,
    progress: Progress = None,
) -> Results: ...


@overload
def compute(
    connection: Connection,
    owner: Client,
    data: object,
    *,
    by: str | Sequence[str],
    missing: str = "raise",
    in_flight: int = 2,
    progress: Progress = None,
) -> dict[Hashable, Results]: ...


def compute(
    connection: Connection,
    owner: Client,
    data: object,
    *,
    by: str | Sequence[str] | None = None,
    missing: str = "raise",
    in_flight: int = 2,
    progress: Progress = None,
) -> Results | dict[Hashable, Results]:
    """Computes the results of data with the plan and the keys of a client, which stays in this process.

    Chunks have as many rows as the plan has at most. Columns of results are put together in order. Sums, means, counts, extremes
    and what is finished from sums are merged after decryption: exact ones exactly, and errors of others add up.

    Parameters
    ----------
    connection : Connection
        What `connect` returned.
    owner : asanoha.Client
        The holder of the secret key, with a plan of `max_rows=` rows of a chunk.
    data : data frame, mapping of str to array, or iterable of these
        The data; of an iterable, one frame at a time is in memory, and rows are counted over all of them.
    by : str or sequence of str, optional
        Columns whose values are the groups. The results of each group are computed from its rows alone.
    missing : {"raise", "mask", "mean", "zero"}
        What is done about missing values, as in `asanoha.Client.encrypt`.
    in_flight : int
        The chunks for each thread of a worker that are evaluated or wait, from 1 on.
    progress : callable, optional
        Is called with (chunks done, all chunks); of an iterable, with the chunks until now. An exception of its ends the work.

    Returns
    -------
    Results or dict of Results
        The results; with `by` for each group. The key is the value of the column, or a tuple of values of several columns. A group
        whose rows all miss values has none.

    Raises
    ------
    PlanError
        If there is more than one chunk and an output can't be merged.
    DataError
        If the plan doesn't take the data; rows are counted from 0.
    """
    check_connection(connection)
    if not isinstance(owner, Client):
        raise DataError(f"owner is {shortened(owner)}, and should be an asanoha.Client: call Client.generate(plan)")
    check_count("in_flight", in_flight)
    if is_frame(data):
        return _compute_frame(connection, owner, Frame(owner.plan, data, by, missing), by, in_flight, progress)
    if not isinstance(data, Iterable) or isinstance(data, (str, bytes)):
        raise DataError(
            f"the data are {shortened(data)}, and should be a frame, a mapping of names to arrays, or an iterable"
        )
    if by is not None or missing == "mean":
        what = "by=" if by is not None else 'missing="mean"'
        raise DataError(f"{what} needs all rows at once, and the data are given frame by frame: pass one frame")
    _check_merging(owner.plan, most=None)
    return _compute_frames(connection, owner, data, missing, in_flight, progress)


def _compute_frame(
    connection: Connection,
    owner: Client,
    frame: Frame,
    by: str | Sequence[str] | None,
    in_flight: int,
    progress: Progress,
) -> Results | dict[Hashable, Results]:
    most = _rows_of_chunk(owner.plan)
    if frame.largest > most:
        _check_merging(owner.plan, frame.largest)
    _check_chunks(owner.plan, frame, most)
    return _computed(connection, owner, frame, by, in_flight, progress)


def _computed(
    connection: Connection,
    owner: Client,
    frame: Frame,
    by: str | Sequence[str] | None,
    in_flight: int,
    progress: Progress,
) -> Results | dict[Hashable, Results]:
    most = _rows_of_chunk(owner.plan)
    parts: list[list[_asanoha.Part]] = [[] for _ in frame.groups]
    done, count = 0, frame.count_chunks(most)
    with closing(_parts(connection, owner, frame.chunks(most), in_flight)) as decrypted:
        for chunk, part in decrypted:
            parts[chunk.group].append(part)
            done += 1
            if progress is not None:
                progress(done, count)
    merged = {
        group.key: _merged(owner.plan, of_group, group) for group, of_group in zip(frame.groups, parts, strict=True)
    }
    return merged[None] if by is None else merged


def _compute_frames(
    connection: Connection,
    owner: Client,
    frames: Iterable[object],
    missing: str,
    in_flight: int,
    progress: Progress,
) -> Results:
    left_out: list[int] = []
    counted = 0

    def chunks() -> Iterator[Chunk]:
        nonlocal counted
        rows = 0
        for data in frames:
            if columns_of(data, owner.plan.inputs).rows() == 0:
                continue
            frame = Frame(owner.plan, data, None, missing)
            left_out.extend(rows + row for row in frame.groups[0].left_out)
            for chunk in frame.chunks(_rows_of_chunk(owner.plan)):
                counted += 1
                yield chunk._replace(rows=chunk.rows + rows)
            rows += frame.count

    parts = []
    with closing(_parts(connection, owner, chunks(), in_flight)) as decrypted:
        for _, part in decrypted:
            parts.append(part)
            if progress is not None:
                progress(len(parts), counted)
    if not parts:
        raise DataError("the data have no rows", rows=0)
    return _merged(owner.plan, parts, Group(None, left_out))


def _parts(
    connection: Connection, owner: Client, chunks: Iterable[Chunk], in_flight: int
) -> Generator[tuple[Chunk, _asanoha.Part], None, None]:
    """The decrypted chunks in order, of which the client has those in memory that the cluster evaluates."""
    sent: deque[tuple[Chunk, bytes]] = deque()

    def encrypted() -> Iterator[bytes]:
        for chunk in chunks:
            try:
                inputs = owner._native.encrypt(chunk.taken(), "raise", None, None)
            except AsanohaError as error:
                raise of_data(error, chunk.rows) from None
            sent.append((chunk, inputs))
            yield inputs

    keys = owner.evaluation_keys()
    with closing(evaluate(connection, owner.plan, keys, encrypted(), in_flight=in_flight)) as futures:
        for future in futures:
            results = future.result()
            chunk, inputs = sent.popleft()
            yield chunk, owner._native.decrypt_part(results, inputs, None)


def _merged(plan: Plan, parts: list[_asanoha.Part], group: Group) -> Results:
    return Results(plan._native.merge(parts, group.left_out), plan.outputs)


@overload
def run(
    connection: Connection,
    function: Callable[..., Any] | Program | str,
    data: object,
    *,
    by: None = None,
    chunk_rows: int = CHUNK_ROWS,
    ranges: Mapping[str, tuple[Any, Any]] | None = None,
    missing: str = "raise",
    in_flight: int = 2,
    progress: Progress = None,
    **options: Any,
) -> Results: ...


@overload
def run(
    connection: Connection,
    function: Callable[..., Any] | Program | str,
    data: object,
    *,
    by: str | Sequence[str],
    chunk_rows: int = CHUNK_ROWS,
    ranges: Mapping[str, tuple[Any, Any]] | None = None,
    missing: str = "raise",
    in_flight: int = 2,
    progress: Progress = None,
    **options: Any,
) -> dict[Hashable, Results]: ...


def run(
    connection: Connection,
    function: Callable[..., Any] | Program | str,
    data: object,
    *,
    by: str | Sequence[str] | None = None,
    chunk_rows: int = CHUNK_ROWS,
    ranges: Mapping[str, tuple[Any, Any]] | None = None,
    missing: str = "raise",
    in_flight: int = 2,
    progress: Progress = None,
    **options: Any,
) -> Results | dict[Hashable, Results]:
    """Plans a function, and computes it on encrypted data on the workers of a cluster. The keys stay in this process.

    Parameters
    ----------
    connection : Connection
        What `connect` returned.
    function : callable, Program or str
        What `asanoha.plan` takes.
    data : data frame or mapping of str to array
        The data.
    by : str or sequence of str, optional
        Columns whose values are the groups, which the function doesn't take: it's computed for each group from its rows alone.
    chunk_rows : int
        The most rows of a chunk. All functions may have one chunk for each group; outputs of several are merged (see `compute`).
    ranges : mapping of str to (lo, hi), optional
        The ranges of columns that aren't to be taken from the data. All ranges become public.
    missing, in_flight, progress
        As in `compute`.
    **options
        Options of `asanoha.plan`, such as `precision=`.

    Returns
    -------
    Results or dict of Results
        As of `compute`.

    Raises
    ------
    PlanError
        If no plan can be made, or there is more than one chunk and an output can't be merged.
    DataError
        If the data can't be encrypted; rows are counted from 0.
    """
    check_connection(connection)
    check_count("chunk_rows", chunk_rows)
    check_count("in_flight", in_flight)
    if not is_frame(data):
        raise DataError(
            f"the data are {shortened(data)}, and should be one frame: for data frame by frame, plan with a schema, and call "
            "compute with Client.generate(plan)"
        )
    keys = [by] if isinstance(by, str) else list(by or [])
    wanted = [name for name in column_names(data) if name not in keys]
    schema = schema_of_columns(columns_of(data, wanted), ranges=ranges, max_rows=None)
    rows = min(chunk_rows, schema.rows or chunk_rows)
    planned = plan(function, Schema(schema.columns, max_rows=rows), **options)
    frame = Frame(planned, data, by, missing)
    if frame.largest > rows:
        _check_merging(planned, frame.largest)
    _check_chunks(planned, frame, rows)
    return _computed(connection, Client.generate(planned), frame, by, in_flight, progress)


def _rows_of_chunk(plan: Plan) -> int:
    schema = plan.schema
    if schema.max_rows is None:
        raise PlanError(
            f"the plan is for exactly {schema.rows} rows, and chunks have up to so many: plan with max_rows= rows of a chunk"
        )
    return schema.max_rows


def _check_merging(plan: Plan, most: int | None) -> None:
    """Refuses outputs that can't be merged."""
    problem = plan._native.unmergeable()
    if problem is None:
        return
    output, message, is_centred = problem
    if is_centred:
        advice = "plan with ranges that you state, Schema.of(data, ranges={'x': (lo, hi)}, max_rows=...)"
    else:
        advice = (
            "return np.sum, np.mean, np.min, np.max, np.count_nonzero, asanoha.mean_where, ratio or least_squares, and for a "
            "variance np.sum(x) and np.sum(x * x)"
        )
        advice += "" if most is None else f", or take chunks of {most} rows"
    raise PlanError(f"{message}, and there is more than one: {advice}", output=output)


def _check_chunks(plan: Plan, frame: Frame, most: int) -> None:
    """Refuses rows that the plan doesn't take, before any is encrypted."""
    for chunk in frame.chunks(most):
        try:
            plan._native.check(chunk.taken(), "raise")
        except AsanohaError as error:
            raise of_data(error, chunk.rows) from None
