"""Errors of tasks as text, which goes from a worker to the client. Exceptions do not: to load one runs code."""

from __future__ import annotations

import json

from asanoha.exceptions import AsanohaError, JobError, from_json

#: The start of the text, by which it is found in the bytes of an exception that Dask pickled.
_MARK = "asanoha-error:"
#: The most characters of a text, below the length from which Dask cuts exceptions.
_MOST = 8000


class TaskError(Exception):
    """The error of a task: its class, message and figures as JSON after a mark, or no text if the task has not described it."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.text = text

    def raised(self, key: str) -> AsanohaError:
        """Returns the exception that the text describes, of a class of `asanoha.exceptions`."""
        if not self.text:
            return JobError(
                f"task {key} failed and no worker described its error: often four workers died of it for lack of memory. "
                "The log of the scheduler names the reason; take smaller chunks, or workers of more memory",
                job=key,
                state="failed",
            )
        error = from_json(self.text.removeprefix(_MARK))
        error.args = (printable(str(error)),)
        if isinstance(error, JobError):
            error.figures["job"] = key
        return error


def described(error: Exception) -> TaskError:
    """Returns an exception of a worker as text. Raise it outside of `except`: Dask pickles the context of exceptions, too."""
    return error if isinstance(error, TaskError) else TaskError(_MARK + _json_of(error))


def found_in(pickled: bytes) -> TaskError:
    """Finds the text in the bytes of a pickled exception, which are searched and never loaded."""
    start = pickled.find(_MARK.encode())
    if start < 0:
        return TaskError()
    text = pickled[start + len(_MARK) :][:_MOST].decode("ascii", "replace")
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return TaskError()
    return TaskError(_MARK + text[:end])


def printable(text: str) -> str:
    """Returns a text of a cluster with blanks in place of characters that do not print: a terminal obeys some of them."""
    return "".join(char if char.isprintable() else " " for char in text[:_MOST])


def _json_of(error: Exception) -> str:
    if isinstance(error, AsanohaError):
        kind, message, figures = type(error).__name__, str(error), error.figures
    else:
        kind, message = "JobError", f"a task failed on a worker: {type(error).__name__}: {error}"
        figures = {"state": "failed"}
    text = json.dumps({"class": kind, "message": message[: _MOST // 8], "figures": figures}, default=str)
    if len(text) > _MOST:
        text = json.dumps({"class": kind, "message": message[: _MOST // 8], "figures": {}})
    return text
