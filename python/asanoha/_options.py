"""What a plan is asked for."""

from __future__ import annotations

import dataclasses

from asanoha.exceptions import PlanError


@dataclasses.dataclass(frozen=True)
class Bits:
    """A precision relative to the range of every output.

    The error of an output is at most 2**-bits times the power of two that bounds its range.

    Parameters
    ----------
    bits : int
        From 1 to 50.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Bits(20)
    Bits(bits=20)
    """

    bits: int = 20

    def __post_init__(self) -> None:
        if not isinstance(self.bits, int) or not 1 <= self.bits <= 50:
            raise PlanError(f"bits is {self.bits!r}, and should be a whole number from 1 to 50", bits=self.bits)


@dataclasses.dataclass(frozen=True)
class Absolute:
    """A largest error, the same for every output.

    Parameters
    ----------
    error : float
        Above 0.

    Examples
    --------
    >>> import asanoha as asa
    >>> asa.Absolute(1e-6)
    Absolute(error=1e-06)
    """

    error: float

    def __post_init__(self) -> None:
        if not isinstance(self.error, (int, float)) or not 0 < self.error < float("inf"):
            raise PlanError(f"error is {self.error!r}, and should be a number above 0, such as 1e-6", error=self.error)


Precision = Bits | Absolute
