"""Messages of a Dask scheduler, read as plain data: numbers, texts, bytes, and lists and dicts of them.

Nothing in them is unpickled or imported. `distributed` itself unpickles whatever a message marks as pickled, whichever
deserializers a client allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgpack  # type: ignore[import-untyped]

from asanoha._task_error import TaskError, found_in, printable

#: The messages that are taken of those that a scheduler sends unasked, and the fields that are.
_TAKEN = {
    "stream-start": ("error", "warning"),
    "stream-closed": (),
    "close": (),
    "key-in-memory": ("key",),
    "lost-data": ("key",),
    "cancelled-keys": ("keys", "reason", "msg"),
    "task-retried": ("key",),
    "task-erred": ("key", "exception"),
    "restart": (),
}
#: The names of the type of bytes in different versions of Dask.
_BYTES = ("bytes", "builtins.bytes")


class Unread:
    """A value that is not plain bytes. It stays as it came, and nothing loads it."""

    def __init__(self, why: str, frames: Sequence[memoryview] = ()) -> None:
        self.why, self.frames = why, frames


def read(frames: Sequence[memoryview]) -> Any:
    """Reads a message out of its frames.

    Raises
    ------
    ValueError
        If the frames are no message.
    """

    def taken(found: dict[Any, Any]) -> Any:
        if "__Serialized__" in found:
            return _value(frames, found["__Serialized__"])
        if "__Pickled__" in found:
            return Unread("a pickled object")
        if "exception" in found:
            return {**found, "exception": _error(found["exception"]), "traceback": None}
        return found

    try:
        message = _unpacked(frames[0], taken)
    except Exception as error:
        raise ValueError(f"it is no message of Dask: {error}") from None
    if isinstance(message, tuple):
        return [kept for each in message if (kept := _unasked(each)) is not None]
    if isinstance(message, dict) and "op" in message:
        return _unasked(message) or []
    return message


def _unpacked(frame: memoryview, hook: Any = None) -> Any:
    return msgpack.unpackb(frame, object_hook=hook, use_list=False, strict_map_key=False)


def _value(frames: Sequence[memoryview], at: object) -> bytes | Unread:
    """Returns the bytes that begin with the header at a place among the frames."""
    if type(at) is not int or not 1 <= at < len(frames):
        return Unread("an object without frames")
    header = _unpacked(frames[at])
    count: int = header["num-sub-frames"]
    parts = frames[at + 1 : at + 1 + count]
    if len(parts) != count:
        raise ValueError(f"a value has {len(parts)} of {count} frames")
    if header.get("serializer") != "dask" or header.get("type") not in _BYTES:
        return Unread("a pickled object", parts)
    if any(header.get("compression") or ()):
        return Unread("compressed bytes", parts)
    return b"".join(parts)


def _error(found: object) -> TaskError:
    if isinstance(found, Unread):
        found = b"".join(found.frames)
    return found_in(found) if isinstance(found, bytes) else TaskError()


def _unasked(message: object) -> dict[str, Any] | None:
    if not isinstance(message, dict):
        return None
    op = message.get("op")
    fields = _TAKEN.get(op) if isinstance(op, str) else None
    if fields is None:
        return None
    kept = {"op": op, **{name: _shown(name, message[name]) for name in fields if name in message}}
    if op == "task-erred":
        kept.setdefault("exception", TaskError())
    return kept


def _shown(name: str, value: Any) -> Any:
    """Returns a field with the texts that `distributed` shows made printable."""
    return printable(value) if isinstance(value, str) and name != "key" else value
