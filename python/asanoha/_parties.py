"""Client and server."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from asanoha import _asanoha
from asanoha._data import columns_of
from asanoha._numbers import shortened
from asanoha._plan import Plan, plan
from asanoha._program import Program
from asanoha._progress import Progress
from asanoha._remote import Session
from asanoha._results import Results
from asanoha._schema import Schema
from asanoha.exceptions import DataError, SecretError


class Client:
    """The holder of the secret key: encrypts data and decrypts results.

    It can't be pickled, copied or printed, so that the secret leaves by `save` only. Threads may share a client.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> plan = asa.plan(lambda x: {"square": x * x}, asa.Schema({"x": asa.Whole(0, 9)}, rows=3))
    >>> client = asa.Client.generate(plan)
    >>> server = asa.Server(plan, client.evaluation_keys())
    >>> results = client.decrypt(server.evaluate(client.encrypt({"x": np.array([1, 2, 3])})))
    >>> results["square"].values.tolist()
    [1, 4, 9]
    """

    __slots__ = ("_native", "plan")

    _native: _asanoha.Client
    plan: Plan

    def __init__(self) -> None:
        raise SecretError("a client is made by Client.generate(plan), or by Client.load(plan, folder)")

    @classmethod
    def _of(cls, plan: Plan, native: _asanoha.Client) -> Client:
        client = object.__new__(cls)
        client.plan, client._native = plan, native
        return client

    @classmethod
    def generate(cls, plan: Plan, *, progress: Progress = None) -> Client:
        """Returns a client with new keys for a plan.

        Parameters
        ----------
        plan : Plan
            The plan.
        progress : callable, optional
            Is called with (done, all) now and then; an exception of its ends the work.
        """
        return cls._of(plan, _asanoha.Client.generate(plan._native, progress))

    @classmethod
    def load(cls, plan: Plan, folder: str | os.PathLike[str], *, passphrase: str | None = None) -> Client:
        """Returns the client that was saved to a folder.

        Parameters
        ----------
        plan : Plan
            The plan.
        folder : path
            The folder.
        passphrase : str, optional
            The passphrase that the client was saved with.

        Raises
        ------
        FormatError
            If a file is missing, damaged or of another version, or the passphrase is another or is missing.
        WrongKeysError
            If the keys were made for another plan.
        """
        return cls._of(plan, _asanoha.Client.load(plan._native, os.fspath(folder), _encoded(passphrase)))

    def save(self, folder: str | os.PathLike[str], *, passphrase: str | None = None) -> None:
        """Writes the keys to a folder, which is made if it isn't there. Only its owner may read the secret key.

        The folder is one of `asanoha keygen`. It also has the records of what was encrypted and published. A client that has a folder
        brings its records to the new one. Publish with one folder only: each counts for itself from then on.

        Parameters
        ----------
        folder : path
            The folder.
        passphrase : str, optional
            Encrypts the secret key in its file (Argon2id and XChaCha20-Poly1305). Without the passphrase, nobody can decrypt results
            any more: there is no way to find it again.
        """
        encoded = _encoded(passphrase)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._native.save(os.fspath(folder), encoded)

    def evaluation_keys(self) -> bytes:
        """Returns the keys that a server evaluates with. They are public."""
        return self._native.evaluation_keys()

    def encrypt(
        self, data: object, *, missing: str = "raise", canaries: int | None = None, progress: Progress = None
    ) -> bytes:
        """Encrypts the columns that the plan needs.

        Parameters
        ----------
        data : data frame or mapping of str to array
            The data; other columns than the plan's are passed over.
        missing : {"raise", "mask", "mean", "zero"}
            What is done about missing values: the data are refused, rows that miss a value are left out, or a number takes its place.
        canaries : int, optional
            Copies of so many random rows, at random places. Decryption checks their results and removes them: a server that alters
            rows, or computes another function, is noticed with a probability that grows with their number. They count as rows of
            the plan.
        progress : callable, optional
            Is called with (done, all) now and then; an exception of its ends the work.

        Raises
        ------
        DataError
            If the plan doesn't take the data, or canaries can't be taken out of an output; rows are counted from 0.
        """
        is_count = isinstance(canaries, int) and not isinstance(canaries, bool) and 1 <= canaries < 2**32
        if canaries is not None and not is_count:
            raise DataError(f"canaries is {shortened(canaries)}, and should be a whole number from 1 on")
        return self._native.encrypt(columns_of(data, self.plan.inputs), missing, canaries, progress)

    def decrypt(self, results: bytes, *, of: bytes | None = None, progress: Progress = None) -> Results:
        """Decrypts results, for the holder of the key.

        Keep them to yourself: a server that doesn't follow the plan can put parts of the secret key into results. `publish` decrypts
        results that others may see.

        Parameters
        ----------
        results : bytes
            What a server's `evaluate` returned.
        of : bytes, optional
            The encrypted inputs that they must be of, by the name that the server wrote into them.
        progress : callable, optional
            Is called with (done, all) now and then; an exception of its ends the work.

        Raises
        ------
        DataError
            If they're of other inputs than this client encrypted, or than `of`.
        CheckError
            If they can't be right, canaries have wrong results now or had before, or an error bound exceeds all values of an output.
            Don't tell the server why: each refusal that it learns of tells it a bit about the key.
        WrongKeysError
            If they're of other keys.
        """
        return Results(self._native.decrypt(bytes(results), of, progress), self.plan.outputs)

    def publish(
        self,
        results: bytes,
        *,
        statistical_bits: int = 40,
        of: bytes | None = None,
        same_as: bytes | None = None,
        data: object = None,
        missing: str = "raise",
        trust_server: bool = False,
    ) -> Results:
        """Decrypts results so that they can be given to others, on one of three grounds.

        A server that doesn't follow the plan can put parts of the secret key into results of any scheme. So one of `same_as`, `data` and
        `trust_server` has to be given. Approximate results get noise that hides what their errors tell of the key. Publications are
        counted in the folder of the client, which has to be saved or loaded.

        Parameters
        ----------
        results : bytes
            What a server's `evaluate` returned.
        statistical_bits : int
            The bits of statistical security of the noise.
        of : bytes, optional
            The encrypted inputs that they must be of, by the name that the server wrote into them.
        same_as : bytes, optional
            The results of a second evaluation, on a machine that the server doesn't control. These must be the same bytes.
        data : data frame or mapping of str to array, optional
            All data that were encrypted. Exact results must equal the plain computation on them.
        missing : {"raise", "mask", "mean", "zero"}
            What is done about missing values of `data`, as in `encrypt`.
        trust_server : bool
            Whether you answer for the server. Every number is counted with its bits, and a key bears few.

        Raises
        ------
        SecretError
            If there is no ground, or more than one, or no folder that counts.
        CheckError
            If the results aren't those of the second evaluation or of the plain computation, more bits would be shown than the key
            bears, or as of `decrypt`.
        """
        grounds = [same_as is not None, data is not None, trust_server]
        if sum(grounds) != 1:
            many = (
                "more than one of same_as=, data= and trust_server= is given"
                if any(grounds)
                else ("a server that doesn't follow the plan can put parts of the secret key into results")
            )
            raise SecretError(
                f"{many}: give same_as= (the results of a second evaluation), data= (exact results only) or trust_server=True"
            )
        if same_as is results:
            raise SecretError("same_as= is the same object as the results: give the results of a second evaluation")
        columns = None if data is None else columns_of(data, self.plan.inputs)
        second = None if same_as is None else bytes(same_as)
        published = self._native.publish(bytes(results), of, statistical_bits, second, columns, missing)
        return Results(published, self.plan.outputs)

    def connect(
        self,
        url: str,
        *,
        token: str,
        certificate: str | os.PathLike[str] | bytes | None = None,
        patience: float = 60,
    ) -> Session:
        """Opens a session with a server of `asanoha serve`, which evaluates the plan. The secret key stays here.

        Parameters
        ----------
        url : str
            The server's address, `https://HOST:PORT`; for a server on this machine also `http://127.0.0.1:PORT`.
        token : str
            The token that the server's operator made.
        certificate : path or bytes, optional
            The certificate to trust, or that of an authority, as PEM: the name of a file, or its bytes. Without, the server's
            certificate has to be one of a public authority.
        patience : float
            How many seconds to try again after a connection breaks, or the server has too much to do.

        Raises
        ------
        AddressError
            If the address, the token or the certificate isn't one.
        ServerGoneError
            If the server can't be reached.
        TokenError
            If the server doesn't take the token.
        RefusedError
            If the server doesn't serve the plan.
        """
        return Session._open(self, url, token=token, certificate=certificate, patience=patience)

    def _refuse(self, what: str) -> NoReturn:
        raise SecretError(f"a client holds the secret key and isn't {what}: write it to a folder with save(folder)")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._refuse("pickled")

    def __copy__(self) -> NoReturn:
        self._refuse("copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self._refuse("copied")

    def __repr__(self) -> str:
        return f"<Client of keys {self._native.key_id()}, whose secret isn't shown>"


def _encoded(passphrase: str | None) -> bytes | None:
    if passphrase == "":
        raise SecretError("an empty passphrase hides nothing: give one, or leave it out")
    return None if passphrase is None else unicodedata.normalize("NFC", passphrase).encode()


class Server:
    """The holder of the evaluation keys: computes on encrypted data, and holds nothing secret.

    Servers pickle. Never unpickle what others send, as that runs their code: send `Plan.to_bytes` and the keys.

    Parameters
    ----------
    plan : Plan
        The plan.
    keys : bytes
        What `Client.evaluation_keys` returned.

    Raises
    ------
    FormatError
        If the bytes are damaged, foreign or of another version.
    WrongKeysError
        If the keys were made for another plan.
    """

    __slots__ = ("_native", "plan")

    def __init__(self, plan: Plan, keys: bytes) -> None:
        self.plan = plan
        self._native = _asanoha.Server(plan._native, bytes(keys))

    def evaluate(self, inputs: bytes, *, progress: Progress = None, max_bytes: int | None = None) -> bytes:
        """Evaluates the plan on encrypted inputs and returns the encrypted results.

        Parameters
        ----------
        inputs : bytes
            What a client's `encrypt` returned.
        progress : callable, optional
            Is called with (steps done, all steps) now and then; an exception of its ends the work.
        max_bytes : int, optional
            The most bytes of inputs that are taken.

        Raises
        ------
        DataError
            If there are more bytes.
        FormatError
            If they are damaged, foreign, of another version or another plan.
        WrongKeysError
            If they're of other keys.
        """
        return self._native.evaluate(bytes(inputs), max_bytes, progress)

    def __reduce__(self) -> tuple[Any, ...]:
        return Server, (self.plan, self._native.keys_to_bytes())

    def __repr__(self) -> str:
        return f"<Server of {self.plan!r}>"


def private(function: Callable[..., Any] | Program | str, **options: Any) -> Callable[..., Results]:
    """Returns a function of data that plans, encrypts, evaluates and decrypts in this process.

    Parameters
    ----------
    function : callable, Program or str
        What `plan` takes.
    **options
        Options of `plan`.

    Returns
    -------
    callable
        Takes data, and `ranges=` and `missing=`, and returns `Results`.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> asa.private(lambda x: {"total": np.sum(x)})({"x": np.array([1, 2, 3])})["total"].values
    np.int64(6)
    """

    def run(data: object, *, ranges: Mapping[str, tuple[Any, Any]] | None = None, missing: str = "raise") -> Results:
        schema = Schema.of(data, ranges=ranges)
        if missing == "mask":
            # Fewer rows are encrypted.
            schema = Schema.of(data, ranges=ranges, max_rows=schema.rows)
        client = Client.generate(plan(function, schema, **options))
        server = Server(client.plan, client.evaluation_keys())
        return client.decrypt(server.evaluate(client.encrypt(data, missing=missing)))

    return run
