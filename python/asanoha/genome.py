"""Private search of haplotypes: how far somebody's letters agree with any haplotype of a panel, and with how many.

The client encrypts its letters. The server holds them against its panel and learns nothing of them; the client learns the length and
the count, and nothing else of the panel. A letter is 0 for the reference allele of a site and 1 for the alternate one.
"""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from asanoha import _asanoha
from asanoha._numbers import shortened
from asanoha.exceptions import DataError, SecretError

__all__ = ["Client", "Haplotype", "Match", "Panel", "Server"]


@dataclass(frozen=True)
class Haplotype:
    """The letters of one haplotype of a file.

    Attributes
    ----------
    sample : str
        The name of the sample.
    number : int
        The number of the haplotype in the file, from 0, as `asanoha genome query --haplotype` takes it. Haplotypes are counted through
        all samples of the file: two a sample, and one of a sample that is haploid at all sites of the window.
    letters : numpy.ndarray of bool
        A letter for each site.
    """

    sample: str
    number: int
    letters: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Match:
    """What a client learns.

    Attributes
    ----------
    length : int
        How many letters agree with some haplotype of the panel, from the first on.
    count : int
        How many haplotypes agree in so many letters; 0 where the length is 0.
    """

    length: int
    count: int


class Panel:
    """The letters of many haplotypes at the sites of one chromosome. Panels pickle; read those of others with `from_bytes`.

    Attributes
    ----------
    chromosome : str
        The name of the chromosome.
    haplotypes, sites : int
        How many there are.
    skipped : dict of str to int
        The number of records that `read(..., skip_unusable=True)` left out, by reason. It's empty for panels from
        bytes, from an index and from `split`.
    """

    __slots__ = ("_native", "chromosome", "haplotypes", "sites", "skipped")

    _native: _asanoha.GenomePanel
    chromosome: str
    haplotypes: int
    sites: int
    skipped: dict[str, int]

    def __init__(self) -> None:
        raise DataError("a panel is made by Panel.read(path) or Panel.from_bytes(bytes)")

    @classmethod
    def _of(cls, native: _asanoha.GenomePanel) -> Panel:
        panel = object.__new__(cls)
        panel._native = native
        panel.chromosome, panel.haplotypes, panel.sites = native.about()
        panel.skipped = {}
        return panel

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, skip_unusable: bool = False) -> Panel:
        """Reads a panel.

        Parameters
        ----------
        path : path
            A VCF, a bgzipped VCF, a BCF, or what `asanoha genome index` wrote.
        skip_unusable : bool
            Whether records that tell no letters are left out, such as those of three alleles; otherwise they are refused. A warning
            gives their number, and `skipped` their numbers by reason. They are no sites, so the sites after them have lower numbers.

        Raises
        ------
        DataError
            If a record tells no letters, or there are no sites.
        FormatError
            If the file is damaged.
        """
        native, skipped = _asanoha.GenomePanel.read(os.fspath(path), skip_unusable)
        panel = cls._of(native)
        panel.skipped = dict(skipped)
        if skipped:
            total = sum(panel.skipped.values())
            reasons = "; ".join(f"{reason}: {count}" for reason, count in skipped)
            records = "1 record" if total == 1 else f"{total} records"
            warnings.warn(
                f"{os.fspath(path)}: {records} left out, which `start` does not count ({reasons})",
                UserWarning,
                stacklevel=2,
            )
        return panel

    @classmethod
    def from_bytes(cls, bytes: bytes) -> Panel:
        """Reads what `to_bytes` returned."""
        return cls._of(_asanoha.GenomePanel.from_bytes(bytes))

    def to_bytes(self) -> bytes:
        """Returns the bytes of the panel, as `asanoha genome index` writes them."""
        return self._native.to_bytes()

    def split(self, count: int) -> list[Panel]:
        """Returns panels of about as many haplotypes each, which together have all.

        Parameters
        ----------
        count : int
            How many panels, from 1 to the number of haplotypes.
        """
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= self.haplotypes:
            raise DataError(f"count is {shortened(count)}, and should be from 1 to {self.haplotypes}", value=count)
        ends = [at * self.haplotypes // count for at in range(count + 1)]
        return [Panel._of(self._native.shard(start, end)) for start, end in itertools.pairwise(ends)]

    def letters(self, path: str | os.PathLike[str], *, start: int, length: int) -> list[Haplotype]:
        """Reads the letters of all haplotypes of a VCF or BCF at a window of the panel's sites.

        Parameters
        ----------
        path : path
            The file, which may hold a whole genome.
        start, length : int
            The number of the window's first site, from 0, and the number of sites.

        Raises
        ------
        DataError
            If the file misses a site, or tells no letter there.
        """
        _check_whole("start", start, 0)
        _check_whole("length", length, 1)
        found = self._native.letters(os.fspath(path), start, length)
        return [
            Haplotype(sample, number, np.frombuffer(letters, dtype=np.bool_))
            for number, (sample, letters) in enumerate(found)
        ]

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return Panel.from_bytes, (self.to_bytes(),)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.sites * (16 + 8 * -(-self.haplotypes // 64))

    def __repr__(self) -> str:
        return f"Panel({self.haplotypes} haplotypes at {self.sites} sites of {self.chromosome})"


class Client:
    """Who asks, with the secret key. It can't be pickled or copied.

    Attributes
    ----------
    length, haplotypes : int
        The letters of a query, and the most haplotypes of a panel that it's held against.
    security_bits : int
        The security of the encryption, in bits.
    """

    __slots__ = ("_native", "haplotypes", "length", "security_bits")

    _native: _asanoha.GenomeClient
    length: int
    haplotypes: int
    security_bits: int

    def __init__(self) -> None:
        raise SecretError("a client is made by Client.generate(length, haplotypes)")

    @classmethod
    def generate(cls, length: int, haplotypes: int) -> Client:
        """Returns a client with new keys.

        Parameters
        ----------
        length : int
            The letters of a query.
        haplotypes : int
            The most haplotypes of a panel; of a panel that is split, of its largest part.

        Raises
        ------
        PlanError
            If no secure parameters carry so many letters or haplotypes.
        """
        _check_whole("length", length, 1)
        _check_whole("haplotypes", haplotypes, 1)
        client = object.__new__(cls)
        client._native = _asanoha.GenomeClient.generate(length, haplotypes)
        client.length, client.haplotypes = length, haplotypes
        client.security_bits = client._native.security_bits()
        return client

    def keys(self) -> bytes:
        """Returns what the server needs, once for all queries. Nothing secret is in it."""
        return self._native.keys()

    def query(self, letters: npt.ArrayLike) -> bytes:
        """Encrypts letters.

        Parameters
        ----------
        letters : array of bool
            As many as the search has; numbers may be 0 and 1.
        """
        given = np.asarray(letters)
        if given.shape != (self.length,) or not np.isin(given, (0, 1)).all():
            raise DataError(f"the letters are {shortened(letters)}, and should be {self.length} of 0 and 1")
        return self._native.query(given.astype(np.uint8).tobytes())

    def answer(self, answers: bytes | Iterable[bytes]) -> Match:
        """Decrypts the answer to a query, or the answers of all parts of a panel that is split, whose lengths and counts you see.

        Raises
        ------
        CheckError
            If an answer is damaged, or made with other keys.
        FormatError
            If bytes are no answer of this search.
        """
        parts = [answers] if isinstance(answers, (bytes, bytearray, memoryview)) else list(answers)
        found = [self._native.answer(bytes(part)) for part in parts]
        if not found:
            raise DataError("there are no answers: pass what the server returned")
        length = max(length for length, _ in found)
        return Match(length, sum(count for reached, count in found if reached == length) if length else 0)

    def __reduce__(self) -> NoReturn:
        raise SecretError("a client holds a secret key, and can't be pickled or copied: generate one where it's needed")

    def __repr__(self) -> str:
        return f"Client(length={self.length}, haplotypes={self.haplotypes})"


class Server:
    """Who answers, without any secret of the client's.

    Parameters
    ----------
    keys : bytes
        What `Client.keys` returned.
    haplotypes : int
        The most haplotypes of a panel, as the client knows it.

    Raises
    ------
    WrongKeysError
        If the keys are of other parameters.
    FormatError
        If the keys are damaged.
    """

    __slots__ = ("_native",)

    def __init__(self, keys: bytes, haplotypes: int) -> None:
        _check_whole("haplotypes", haplotypes, 1)
        self._native = _asanoha.GenomeServer(bytes(keys), haplotypes)

    def answer(self, panel: Panel, query: bytes, *, start: int) -> bytes:
        """Answers a query, held against a panel from a site on.

        Answer a query once: many answers to one query tell a little more of the panel than one.

        Parameters
        ----------
        panel : Panel
            The panel.
        query : bytes
            What `Client.query` returned.
        start : int
            The number of the first letter's site, from 0.

        Raises
        ------
        DataError
            If the window isn't in the panel, or too many haplotypes differ in it.
        FormatError
            If the bytes are no query of this search.
        """
        if not isinstance(panel, Panel):
            raise DataError(f"panel is {shortened(panel)}, and should be a Panel: call Panel.read")
        _check_whole("start", start, 0)
        return self._native.answer(panel._native, start, bytes(query))


def _check_whole(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 32:
        raise DataError(f"{name} is {shortened(value)}, and should be a whole number from {least} on", value=value)
