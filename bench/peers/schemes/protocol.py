"""What the programs in Python share: the greeting, the answers to questions, and the numbers that are computed with.

A program gets its depths as arguments, each as DEPTH:LOG2_SCALE, with the scale of CKKS. It prints a greeting as a line of
JSON. Then it answers each line `SCHEME DEPTH OPERATION` with the milliseconds of one operation, or with `error: ` and the
cause. `protocol/` and `lattigo/protocol.go` are the same in Rust and Go.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

LOG2_N = 15
RING_DEGREE = 1 << LOG2_N
PLAINTEXT_MODULUS = 65_537
OPERATIONS = ("product", "chain", "rotate", "encrypt", "decrypt", "encode")
# The largest error of CKKS's results. Ours promise 2^-16; OpenFHE's are less precise where it rescales by hand.
LARGEST_ERROR = 2.0**-12


class Party(Protocol):
    """Keys and operands a and b of one scheme and depth, a ready-made encoding of a, and the result `last` of a chain.

    The operations return ciphertexts. `decrypt` returns the numbers of all slots.
    """

    last: Any

    def product(self) -> Any: ...
    def chain(self) -> Any: ...
    def rotate(self) -> Any: ...
    def encrypt(self) -> Any: ...
    def encode(self) -> Any: ...
    def encrypted(self, plaintext: Any) -> Any: ...
    def decrypt(self, ciphertext: Any) -> Any: ...


def whole_numbers() -> tuple[Any, Any]:
    """Returns two vectors of whole numbers below the plaintext modulus."""
    slots = np.arange(RING_DEGREE)
    return (slots * slots + 3) % PLAINTEXT_MODULUS, (5 * slots + 7) % PLAINTEXT_MODULUS


def real_numbers(depth: int) -> tuple[Any, Any]:
    """Returns two vectors of real numbers of absolute value at most 1 whose power 2^depth is at least 1/2."""
    slots = np.arange(RING_DEGREE // 2)
    signs = np.where(slots % 3 == 0, -1.0, 1.0)
    first, second = (signs * 2.0 ** -(slots % period / period / 2**depth) for period in (97, 89))
    return first, second


def expected(scheme: str, depth: int, operation: str) -> Any:
    """Returns the numbers of an operation's result."""
    exact = scheme != "ckks"
    a, b = whole_numbers() if exact else real_numbers(depth)
    if operation == "product":
        a = a * b
    elif operation == "rotate":
        a = np.roll(a.reshape(-1, RING_DEGREE // 2), -1, axis=1).reshape(-1)
    elif operation in ("chain", "decrypt"):
        for _ in range(depth):
            a = a * a % PLAINTEXT_MODULUS if exact else a * a
    return a % PLAINTEXT_MODULUS if exact else a


def agrees(scheme: str, found: Any, wanted: Any) -> bool:
    differences = np.asarray(found) - wanted
    if scheme == "ckks":
        return bool(np.all(np.abs(differences) <= LARGEST_ERROR))
    return not np.any(differences % PLAINTEXT_MODULUS)


def measure(party: Party, scheme: str, depth: int, operation: str) -> float:
    """Returns the milliseconds of one operation, whose result it checks outside of the time."""
    work = getattr(party, operation)
    start = time.perf_counter()
    result = work(party.last) if operation == "decrypt" else work()
    milliseconds = (time.perf_counter() - start) * 1e3
    if operation == "encode":
        result = party.encrypted(result)
    found = result if operation == "decrypt" else party.decrypt(result)
    if not agrees(scheme, found, expected(scheme, depth, operation)):
        raise ValueError("the result is wrong")
    return milliseconds


def answer(
    name: str,
    version: str,
    offer: Callable[[str, int, int], dict[str, Any]],
    make: Callable[[str, int, int], Party],
) -> None:
    """Answers questions until there are no more.

    `offer(scheme, depth, log2_scale)` returns the parameters, or why there are none as `refused`. `make` makes the keys for
    the same arguments.
    """
    # Libraries print: only answers may reach the pipe.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    scales = {int(depth): int(log2_scale) for depth, log2_scale in (each.split(":") for each in sys.argv[1:])}
    sets = {
        (scheme, depth): {"scheme": scheme, "depth": depth} | offer(scheme, depth, log2_scale)
        for depth, log2_scale in scales.items()
        for scheme in ("bgv", "bfv", "ckks")
    }
    print(json.dumps({"name": name, "version": version, "sets": list(sets.values())}), file=answers, flush=True)
    # Only one set of keys at a time.
    current: tuple[str, int] | None = None
    party: Any = None
    for line in sys.stdin:
        try:
            scheme, depth, operation = line.split()
            chosen = scheme, int(depth)
            if chosen not in sets or "refused" in sets[chosen] or operation not in OPERATIONS:
                raise ValueError(f"{line.strip()}: there's no such set or operation")
            if chosen != current:
                party = None
                current, party = chosen, make(*chosen, scales[chosen[1]])
            reply = repr(measure(party, *chosen, operation))
        except Exception as error:
            reply = f"error: {error}".replace("\n", " ")
        print(reply, file=answers, flush=True)
