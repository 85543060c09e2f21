"""Matrix triples for multi-party computation.

A triple is (A, B, C = A·B) modulo a prime. Each party holds an additive share of every entry, and one of its code, as SPDZ needs them.
The folder is that of `asanoha triples` of the command line: the blocks of each party, a manifest, and a secret seed that everything
follows from.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from asanoha import _asanoha
from asanoha._numbers import shortened
from asanoha._progress import Progress
from asanoha.exceptions import DataError

__all__ = ["Triples", "generate", "verify"]


@dataclass(frozen=True)
class Triples:
    """What triples are in a folder. Nothing of it is secret.

    Attributes
    ----------
    folder : pathlib.Path
        The folder.
    modulus : int
        The prime that entries are residues of.
    shape : tuple of int
        The rows of A, the columns of A and rows of B, and the columns of B.
    parties : int
        The number of parties.
    count : int
        The number of triples.
    blocks : int
        The number of blocks that they are in.
    block_size : int
        The triples of a block; the last may have fewer.
    generator : str
        How they were made.
    security_bits : int
        The security in bits of what parties see of each other.
    mac_security_bits : int
        b, where an altered value passes the check of the codes with a probability of at most 2^-b.
    """

    folder: Path
    modulus: int
    shape: tuple[int, int, int]
    parties: int
    count: int
    blocks: int
    block_size: int
    generator: str
    security_bits: int
    mac_security_bits: int

    @classmethod
    def _of(cls, folder: str | os.PathLike[str], about: str) -> Triples:
        known = json.loads(about)
        known.update(folder=Path(folder), modulus=int(known["modulus"]), shape=tuple(known["shape"]))
        return cls(**known)


def generate(
    folder: str | os.PathLike[str],
    *,
    shape: int | tuple[int, int, int],
    count: int,
    bits: int = 128,
    modulus: int | None = None,
    parties: int = 2,
    memory_limit: int | None = None,
    progress: Progress = None,
) -> Triples:
    """Fills a folder with triples, or goes on where an earlier call was stopped.

    This process makes the shares of all parties. Anyone who reads the secret seed in the folder can make them too.

    Parameters
    ----------
    folder : path
        The folder, which is made if it isn't there.
    shape : int or tuple of int
        The dimension of square matrices, or the rows of A, the columns of A and the columns of B; each from 1 to 1024.
    count : int
        The number of triples.
    bits : int
        The size of the prime, if none is given, from 20 to 512.
    modulus : int, optional
        The prime.
    parties : int
        The number of parties, from 2 to 64.
    memory_limit : int, optional
        About the bytes that it may take. Less memory takes more time.
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
        If the folder is for others, or an argument makes no sense.
    FormatError
        If the folder is damaged.
    """
    native = folder_of(folder, shape, count, bits, modulus, parties, memory_limit)
    about = Triples._of(folder, native.about())
    missing = native.missing()
    for done, block in enumerate(missing, about.blocks - len(missing) + 1):
        native.make(block)
        if progress is not None:
            progress(done, about.blocks)
    return about


def verify(folder: str | os.PathLike[str], *, progress: Progress = None) -> Triples:
    """Checks every triple of a folder: that shares add up to A, B and A·B, and that the codes are right.

    Parameters
    ----------
    folder : path
        The folder, with the blocks of all parties.
    progress : callable, optional
        Is called with (blocks done, all blocks) now and then.

    Returns
    -------
    Triples
        What is in the folder.

    Raises
    ------
    CheckError
        If a triple is wrong or a block damaged. The figures are `wrong`, the number of wrong triples, and `damaged`, the damaged blocks.
    FormatError
        If blocks are missing, or the folder isn't of triples.
    """
    return Triples._of(folder, _asanoha.verify_triples(os.fspath(folder), progress))


def folder_of(
    folder: str | os.PathLike[str],
    shape: int | tuple[int, int, int],
    count: int,
    bits: int,
    modulus: int | None,
    parties: int,
    memory_limit: int | None,
) -> _asanoha.TripleFolder:
    """Begins a folder, or goes on with one."""
    dimensions = shape if isinstance(shape, (tuple, list)) else (shape,) * 3
    if len(dimensions) != 3:
        raise DataError(
            f"shape is {shortened(shape)}, and should be a number, or the rows of A, the columns of A and the columns of B",
            value=shape,
        )
    numbers = {"shape": dimensions, "count": [count], "bits": [bits], "parties": [parties]}
    numbers["modulus"] = [] if modulus is None else [modulus]
    numbers["memory_limit"] = [] if memory_limit is None else [memory_limit]
    for name, values in numbers.items():
        most = 1 << (600 if name == "modulus" else 32 if name in ("bits", "parties") else 63)
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < most:
                raise DataError(f"{name} is {shortened(value)}, and should be a whole number from 1 on", value=value)
    prime = None if modulus is None else str(modulus)
    return _asanoha.TripleFolder.begin(os.fspath(folder), list(dimensions), prime, bits, count, parties, memory_limit)
