"""Calls of functions of asanoha on traced values."""

from __future__ import annotations

from typing import Any

from asanoha._call import Call, traced_among
from asanoha._traced import Traced


def own_call(name: str, *args: Any) -> Call | None:
    """The call of a function of asanoha, if one of its arguments is traced."""
    return Call(f"asanoha.{name}", args) if next(traced_among(args), None) is not None else None


def two_ends(call: Call, lo: object, hi: object) -> tuple[Traced, Traced]:
    """Two constants, the lower one first."""
    low, high = call.numbers(lo, hi)
    if low._constant is None or high._constant is None or low._constant > high._constant:
        raise call.refuse(
            f"its ends are two constants, the lower one first, and these are {low._excerpt()} and {high._excerpt()}"
        )
    return low, high


def whole_constant(call: Call, value: object, what: str) -> Traced:
    """A constant whole number of 64 bits."""
    (number,) = call.numbers(value)
    constant = number._constant
    if constant is None or constant.denominator != 1 or not -(2**63) <= constant < 2**63:
        raise call.refuse(f"{what} are constant whole numbers of at most 64 bits, and this is {number._excerpt()}")
    return number
