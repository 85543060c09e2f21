"""A server elsewhere: sessions and jobs."""

from __future__ import annotations

import dataclasses
import json
import os
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from asanoha import _asanoha
from asanoha._numbers import shortened
from asanoha._progress import Progress
from asanoha._results import Results
from asanoha.exceptions import AddressError, AsanohaError, DataError, WaitError

if TYPE_CHECKING:
    from asanoha._parties import Client

#: The largest file of certificates.
MAX_CERTIFICATE = 1 << 20
#: The longest wait for the end of a job unless another is given: a day, in seconds.
LONGEST_JOB_S = 86_400.0


@dataclasses.dataclass(frozen=True)
class JobStatus:
    """How a job stands.

    Attributes
    ----------
    state : str
        "waiting", "running", "done", "failed" or "cancelled".
    fraction : float
        How much of it is computed, from 0 to 1.
    wait_s : float
        Predicted seconds until it begins, while it waits.
    remaining_s : float or None
        Predicted seconds until it ends; None if that isn't known.
    message : str or None
        Why it has failed.
    """

    state: str
    fraction: float
    wait_s: float
    remaining_s: float | None
    message: str | None

    @classmethod
    def _of(cls, text: str) -> JobStatus:
        told = json.loads(text)
        state, wait_s, predicted_s = told["state"], told.get("wait_s", 0.0), told["predicted_s"]
        remaining_s = {"waiting": wait_s + predicted_s, "running": told.get("remaining_s")}.get(state, 0.0)
        fraction = told.get("fraction", float(state == "done"))
        # It comes from outside, and may go to a terminal.
        message = "".join(filter(str.isprintable, told.get("message", "")))[:500] or None
        return cls(state, fraction, wait_s, remaining_s, message)


class Job:
    """A job of a session.

    Attributes
    ----------
    id : str
        The server's name for it.
    """

    __slots__ = ("_inputs", "_sent", "_session", "id")

    def __init__(self, session: Session, id: str, sent: str, inputs: str) -> None:
        # What was sent, as the server knows it and as results name it.
        self._session, self.id, self._sent, self._inputs = session, id, sent, inputs

    def status(self) -> JobStatus:
        """Asks the server how the job stands.

        Raises
        ------
        RefusedError
            If the server has removed the job, such as after it expired.
        """
        return JobStatus._of(self._session._open_remote().job(self.id))

    def result(self, timeout: float | None = None, *, progress: Progress = None) -> Results:
        """Waits for the job, fetches its results and decrypts them here.

        Results that were damaged on their way, of other inputs, of other keys, or that canaries show to be wrong are refused.

        Parameters
        ----------
        timeout : float, optional
            The most seconds to wait for the job's end; a day if it isn't given.
        progress : callable, optional
            Is called with (done, all) now and then, of the computation and then of the decryption; an exception of its ends the wait.

        Raises
        ------
        WaitError
            If the job hasn't ended in time; it goes on.
        JobError
            If it has failed or was cancelled.
        ServerGoneError
            If the server can't be reached for longer than the session's patience; the job goes on.
        FormatError, DataError, WrongKeysError, CheckError
            If these aren't the right results.
        """
        timeout = LONGEST_JOB_S if timeout is None else timeout
        if not timeout >= 0:
            raise DataError(f"timeout is {shortened(timeout)}, and should be a number of seconds, from 0 on")
        results = self._session._open_remote().fetch(self.id, float(timeout), progress)
        if results is None:
            raise WaitError(
                f"job {self.id} hasn't ended after {timeout} s, and goes on: call result() again, or cancel() it",
                job=self.id,
                timeout=timeout,
            )
        client = self._session.client
        return Results(client._native.decrypt(results, self._inputs, progress), client.plan.outputs)

    def cancel(self) -> JobStatus:
        """Cancels the job, unless it has ended; how it stands then. A running one ends after the step that is under way."""
        return JobStatus._of(self._session._open_remote().cancel(self.id))

    def __repr__(self) -> str:
        return f"<Job {self.id} at {self._session.url}>"


class Session:
    """A connection of a client to a server that evaluates. `Client.connect` opens it.

    Data are encrypted and results decrypted here; the server gets the evaluation keys, once, and encrypted inputs. Uploads that break
    off go on where they stopped, and a job that was submitted twice, as after a broken connection, is computed once. Threads may share
    a session.

    Attributes
    ----------
    client : Client
        The holder of the secret key.
    url : str
        The server's address.
    """

    __slots__ = ("_keys", "_lock", "_remote", "client", "url")

    client: Client
    url: str

    def __init__(self) -> None:
        raise AddressError("a session is opened by a client: client.connect(url, token=...)")

    @classmethod
    def _open(
        cls,
        client: Client,
        url: str,
        *,
        token: str,
        certificate: str | os.PathLike[str] | bytes | None,
        patience: float,
    ) -> Session:
        if not patience >= 0:
            raise AddressError(f"patience is {shortened(patience)}, and should be a number of seconds, from 0 on")
        session = object.__new__(cls)
        session.client, session.url = client, url
        session._keys, session._lock = None, threading.Lock()
        pem = certificate if isinstance(certificate, bytes) or certificate is None else _read(certificate)
        session._remote = _asanoha.Remote.connect(client.plan._native, url, token, pem, float(patience))
        return session

    def run(
        self,
        data: object,
        *,
        missing: str = "raise",
        canaries: int | None = None,
        timeout: float | None = None,
        progress: Progress = None,
    ) -> Results:
        """Encrypts data, has the server compute, and decrypts the results.

        The server is told to remove inputs and results after that, and to cancel the job after Ctrl-C or another exception.

        Parameters
        ----------
        data, missing, canaries
            As in `Client.encrypt`.
        timeout : float, optional
            As in `Job.result`.
        progress : callable, optional
            Is called with (done, all) now and then, of each stage in turn: encryption, sending, computation, decryption; an exception
            of its ends the work.

        Raises
        ------
        DataError
            If the plan doesn't take the data.
        TokenError, BusyError, RefusedError
            If the server doesn't take the token any more, has too much to do for longer than the session's patience, or refuses.
        WaitError, JobError, ServerGoneError, FormatError, WrongKeysError, CheckError
            As for `Job.result`.
        """
        job = self.submit(data, missing=missing, canaries=canaries, progress=progress)
        try:
            return job.result(timeout, progress=progress)
        finally:
            if self._remote is not None:
                self._remote.discard(job.id, job._sent)

    def submit(
        self, data: object, *, missing: str = "raise", canaries: int | None = None, progress: Progress = None
    ) -> Job:
        """Encrypts data, sends them and submits a job, which goes on if this process ends.

        Parameters
        ----------
        data, missing, canaries, progress
            As in `run`.
        """
        remote = self._open_remote()
        inputs = self.client.encrypt(data, missing=missing, canaries=canaries, progress=progress)
        keys = self._send_keys(remote, progress)
        sent = remote.send("inputs", inputs, progress)
        told = json.loads(remote.submit(keys, sent))
        return Job(self, told["id"], sent, _asanoha.digest_of(inputs))

    def _send_keys(self, remote: _asanoha.Remote, progress: Progress) -> str:
        with self._lock:
            if self._keys is None:
                self._keys = remote.send("keys", self.client.evaluation_keys(), progress)
            return self._keys

    def _open_remote(self) -> _asanoha.Remote:
        if self._remote is None:
            raise AsanohaError("this session is closed: open another with client.connect(url, token=...)")
        return self._remote

    def close(self) -> None:
        """Closes the session. Jobs that were submitted go on."""
        self._remote = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._remote is None else "open"
        return f"<Session with {self.url}, {state}>"

    _keys: str | None
    _lock: threading.Lock
    _remote: _asanoha.Remote | None


def _read(certificate: str | os.PathLike[str]) -> bytes:
    try:
        with open(certificate, "rb") as file:
            pem = file.read(MAX_CERTIFICATE + 1)
    except OSError as error:
        raise AddressError(
            f"{os.fspath(certificate)}: the certificate to trust cannot be read: {error.strerror}"
        ) from None
    if len(pem) > MAX_CERTIFICATE:
        raise AddressError(f"{os.fspath(certificate)}: has more than {MAX_CERTIFICATE} bytes, and is no certificate")
    return pem
