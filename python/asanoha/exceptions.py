"""Exceptions of asanoha.

Every exception is an `AsanohaError` and, where a builtin fits, that builtin too. The figures that a message states are
attributes of the exception, and rows are counted from 0. All exceptions pickle.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

__all__ = [
    "AddressError",
    "AsanohaError",
    "BusyError",
    "CheckError",
    "DataError",
    "ForkError",
    "FormatError",
    "InternalError",
    "JobError",
    "PlanError",
    "ProgramError",
    "RefusedError",
    "SecretError",
    "ServerGoneError",
    "TokenError",
    "TraceError",
    "WaitError",
    "WrongKeysError",
    "from_json",
]


class AsanohaError(Exception):
    """Base class of the exceptions of asanoha.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    **figures
        The figures of the message, which become attributes of the exception.

    Attributes
    ----------
    figures : dict
        The figures by their names.

    Examples
    --------
    >>> from asanoha.exceptions import AsanohaError
    >>> error = AsanohaError("column bmi has 3 rows, and bp has 4", column="bmi", rows=3)
    >>> error.column, error.rows
    ('bmi', 3)
    >>> str(error)
    'column bmi has 3 rows, and bp has 4'
    """

    figures: dict[str, Any]

    def __init__(self, message: str, /, **figures: Any) -> None:
        super().__init__(message)
        self.figures = figures

    def __getattr__(self, name: str) -> Any:
        figures: dict[str, Any] = self.__dict__.get("figures", {})
        try:
            return figures[name]
        except KeyError:
            known = f"its figures are {', '.join(figures)}" if figures else "it has no figures"
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}: {known}") from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.figures]


class TraceError(AsanohaError, TypeError):
    """A traced value is used in a way that can't be computed under encryption.

    Examples
    --------
    >>> from asanoha.exceptions import TraceError
    >>> issubclass(TraceError, TypeError)
    True
    """


class ProgramError(AsanohaError, ValueError):
    """The text of a program can't be parsed, or doesn't fit the data.

    The figures are `line` and `column`, both counted from 1.

    Examples
    --------
    >>> from asanoha.exceptions import ProgramError
    >>> error = ProgramError("there is no function `sigmod`: did you mean `sigmoid`?", line=1, column=5)
    >>> error.line, error.column
    (1, 5)
    """


class DataError(AsanohaError, ValueError):
    """Data, or a description of data, that can't be encrypted as they are.

    The figures are those of `column`, `row` (from 0), `value`, `range`, `found` and `planned` that apply.

    Examples
    --------
    >>> from asanoha.exceptions import DataError
    >>> error = DataError("column age has 131 in row 7, above its range 0..127", column="age", row=7, value=131)
    >>> error.row
    7
    """


class PlanError(AsanohaError, ValueError):
    """No plan can be made.

    Where schemes can't run the program, the figure `reasons` is a list of objects with `schemes` and their `reason`.

    Examples
    --------
    >>> from asanoha.exceptions import PlanError
    >>> error = PlanError("tfhe can't run it", reasons=[{"schemes": ["tfhe"], "reason": "real columns"}])
    >>> error.reasons[0]["reason"]
    'real columns'
    """


class FormatError(AsanohaError, ValueError):
    """Bytes are of another kind or version, truncated or damaged.

    Examples
    --------
    >>> from asanoha.exceptions import FormatError
    >>> str(FormatError("these bytes are no plan: pass what Plan.to_bytes gives"))
    'these bytes are no plan: pass what Plan.to_bytes gives'
    """


class WrongKeysError(AsanohaError, ValueError):
    """Keys, inputs or results of another plan or client.

    Examples
    --------
    >>> from asanoha.exceptions import WrongKeysError
    >>> issubclass(WrongKeysError, ValueError)
    True
    """


class CheckError(AsanohaError, RuntimeError):
    """Decrypted results can't be right, or their error exceeds its bound.

    Examples
    --------
    >>> from asanoha.exceptions import CheckError
    >>> issubclass(CheckError, RuntimeError)
    True
    """


class ForkError(AsanohaError, RuntimeError):
    """A client is used in a process that was forked after the client was made.

    Examples
    --------
    >>> from asanoha.exceptions import ForkError
    >>> issubclass(ForkError, RuntimeError)
    True
    """


class InternalError(AsanohaError, RuntimeError):
    """A defect of asanoha itself, which is worth a report.

    Examples
    --------
    >>> from asanoha.exceptions import InternalError
    >>> issubclass(InternalError, RuntimeError)
    True
    """


class SecretError(AsanohaError, TypeError):
    """A secret is pickled, copied or printed: `save` is the only way to store it.

    Examples
    --------
    >>> from asanoha.exceptions import SecretError
    >>> issubclass(SecretError, TypeError)
    True
    """


class AddressError(AsanohaError, ValueError):
    """The address of a server, a token or a certificate isn't one.

    Examples
    --------
    >>> from asanoha.exceptions import AddressError
    >>> issubclass(AddressError, ValueError)
    True
    """


class ServerGoneError(AsanohaError, ConnectionError):
    """A server can't be reached, or its connection broke off and didn't come back.

    What was submitted is computed all the same, once the server is there again.

    Examples
    --------
    >>> from asanoha.exceptions import ServerGoneError
    >>> issubclass(ServerGoneError, ConnectionError)
    True
    """


class RefusedError(AsanohaError, RuntimeError):
    """A server refuses, such as for a plan that it doesn't serve, or for a lack of space.

    The figures are `status`, the code of HTTP, and `retry_after_s`: after how many seconds the same may succeed, or None.

    Examples
    --------
    >>> from asanoha.exceptions import RefusedError
    >>> error = RefusedError("no plan of this digest is served", status=404, retry_after_s=None)
    >>> error.status
    404
    """


class TokenError(RefusedError):
    """A server doesn't take the token: it's wrong, it has expired, or it was revoked.

    Examples
    --------
    >>> from asanoha.exceptions import RefusedError, TokenError
    >>> issubclass(TokenError, RefusedError)
    True
    """


class BusyError(RefusedError):
    """A server has too much to do, or the client has as many jobs or requests as it may have.

    Examples
    --------
    >>> from asanoha.exceptions import BusyError
    >>> error = BusyError("you have 32 jobs that wait or run", status=429, retry_after_s=91)
    >>> error.retry_after_s
    91
    """


class JobError(AsanohaError, RuntimeError):
    """A job ended without results.

    The figures are `job`, its identifier, and `state`, which is "failed" or "cancelled".

    Examples
    --------
    >>> from asanoha.exceptions import JobError
    >>> error = JobError("job 7f was cancelled", job="7f", state="cancelled")
    >>> error.state
    'cancelled'
    """


class WaitError(AsanohaError, TimeoutError):
    """A job hasn't ended in the time that was given. It goes on.

    The figures are `job`, its identifier, and `timeout` in seconds.

    Examples
    --------
    >>> from asanoha.exceptions import WaitError
    >>> error = WaitError("job 7f hasn't ended after 5 s", job="7f", timeout=5)
    >>> issubclass(WaitError, TimeoutError), error.timeout
    (True, 5)
    """


_CLASSES: dict[str, type[AsanohaError]] = {
    kind.__name__: kind
    for kind in (
        AsanohaError,
        TraceError,
        ProgramError,
        DataError,
        PlanError,
        FormatError,
        WrongKeysError,
        CheckError,
        ForkError,
        InternalError,
        SecretError,
        AddressError,
        ServerGoneError,
        RefusedError,
        TokenError,
        BusyError,
        JobError,
        WaitError,
    )
}


def from_json(text: str) -> AsanohaError:
    """Returns the exception that a JSON object describes.

    Parameters
    ----------
    text : str
        An object with the keys `class`, `message` and `figures`. A class that isn't known gives an `InternalError`, and
        so does text that is no such object.

    Returns
    -------
    AsanohaError
        The exception, to be raised by the caller.

    Examples
    --------
    >>> from asanoha.exceptions import from_json
    >>> from_json('{"class": "DataError", "message": "row 7 is empty", "figures": {"row": 7}}').row
    7
    """
    try:
        described = json.loads(text)
    except (ValueError, RecursionError):
        described = None
    if not isinstance(described, dict) or not isinstance(described.get("message"), str):
        return InternalError(f"an error was described by {text[:200]!r}, which has no message")
    figures = described.get("figures")
    known = {str(name): figure for name, figure in figures.items()} if isinstance(figures, dict) else {}
    name = described.get("class")
    kind = _CLASSES.get(name, InternalError) if isinstance(name, str) else InternalError
    return kind(described["message"], **known)
