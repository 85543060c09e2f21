"""Connections to a Dask scheduler that bound each message before they take memory for it, and unpickle nothing."""

from __future__ import annotations

import struct
from typing import Any

from distributed.comm import registry
from distributed.comm.core import Comm, CommClosedError, Connector
from distributed.comm.tcp import TCP, TLS, TCPBackend, TCPConnector, TLSBackend, TLSConnector
from tornado.iostream import StreamClosedError

from asanoha import _messages

#: The scheme of an address is this and that of Dask, so that Dask connects by the classes of this file.
PREFIX = "asanoha-"
#: The name of the limit among the arguments of a connection.
LIMIT = "asanoha_limit"
#: The bytes of a message without values, such as the addresses of a thousand workers.
_PLAIN_BYTES = 1 << 24
#: The bytes that are read at a time, as more than 2^31 fail.
_PIECE = 1 << 30
_WORD = struct.Struct("<Q")


class MessageError(CommClosedError):
    """A message that is too long, or none of Dask."""


class Limit:
    """The bytes that the values of a message may take, which a client raises while it waits for a result."""

    def __init__(self) -> None:
        self.values = 0


class _Reading(Comm):
    """Reads frames of at most the bytes of the limit."""

    limit: Limit
    stream: Any

    async def read(self, deserializers: object = None) -> Any:
        if self.stream is None:
            raise CommClosedError("the connection is closed")
        try:
            return _messages.read(await self._frames())
        except BaseException as error:
            # What was read is unknown.
            self.abort()  # type: ignore[no-untyped-call]
            if isinstance(error, StreamClosedError):
                raise CommClosedError(f"the scheduler closed the connection: {error}") from None
            if isinstance(error, ValueError):
                raise MessageError(f"the scheduler sent a message that is refused: {error}") from None
            raise

    async def _frames(self) -> list[memoryview]:
        """Reads the lengths of the frames and the first frames in one piece, and each other frame in a piece of its own."""
        most = _PLAIN_BYTES + self.limit.values
        start = await self._piece(_bounded(_WORD.unpack(await self._piece(_WORD.size))[0], most))
        (count,) = _WORD.unpack_from(start)
        at = _WORD.size * (count + 1)
        if at > len(start):
            raise ValueError(f"it states {count} frames in {len(start)} bytes")
        lengths = struct.unpack_from(f"<{count}Q", start, _WORD.size)
        _bounded(sum(lengths), most)
        frames = []
        for length in lengths:
            if at < len(start):
                if at + length > len(start):
                    raise ValueError(f"a frame of {length} bytes is not whole")
                frames.append(start[at : at + length])
                at += length
            else:
                frames.append(await self._piece(length))
        return frames

    async def _piece(self, length: int) -> memoryview:
        piece = memoryview(bytearray(length))
        for at in range(0, length, _PIECE):
            await self.stream.read_into(piece[at : at + _PIECE])
        return piece

    def handshake_info(self) -> dict[str, Any]:
        return {**super().handshake_info(), "compression": None}


def _bounded(length: int, most: int) -> int:
    if length > most:
        raise ValueError(f"it has {length} bytes, and at most {most} were expected")
    return length


class _Tcp(_Reading, TCP):
    pass


class _Tls(_Reading, TLS):
    pass


class _Limited(Connector):
    async def connect(self, address: str, deserialize: bool = True, **connection_args: Any) -> Any:
        # Without deserialization, an error of the scheduler is raised as its text.
        comm = await super().connect(address, deserialize=False, **connection_args)  # type: ignore[safe-super,no-untyped-call]
        comm.limit = connection_args["extra_conn_args"][LIMIT]
        return comm


class _TcpConnector(_Limited, TCPConnector):
    prefix = PREFIX + TCPConnector.prefix
    comm_class = _Tcp


class _TlsConnector(_Limited, TLSConnector):
    prefix = PREFIX + TLSConnector.prefix
    comm_class = _Tls


class _TcpBackend(TCPBackend):
    _connector_class = _TcpConnector


class _TlsBackend(TLSBackend):
    _connector_class = _TlsConnector


registry.backends[PREFIX + "tcp"] = _TcpBackend()
registry.backends[PREFIX + "tls"] = _TlsBackend()
