"""Exact values of plain numbers of Python and numpy."""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
from fractions import Fraction

import numpy as np

from asanoha._asanoha import MAX_CONSTANT_BITS
from asanoha._language import constant_bits

_EPOCH = datetime.date(1970, 1, 1)
_DAY = datetime.timedelta(days=1)


def exact(value: object) -> Fraction:
    """Returns the exact value of a plain number: a float is its shortest decimal, so that 0.05 is 1/20.

    Raises
    ------
    ValueError
        For what is no finite real number, or has too many digits; the message says why.
    """
    if isinstance(value, (bool, np.bool_)):
        return Fraction(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"{number} is no finite number")
        if isinstance(value, np.longdouble) and np.longdouble(number) != value:
            raise ValueError(f"{value} has more digits than a double: write float(value)")
        return Fraction(float.__repr__(number))
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no finite number")
        if abs(value.adjusted()) > MAX_CONSTANT_BITS:
            raise ValueError(f"{value} needs more than {MAX_CONSTANT_BITS} bits as an exact fraction")
        return _bounded(Fraction(value))
    if isinstance(value, (int, np.integer)):
        return _bounded(Fraction(int(value)))
    if isinstance(value, numbers.Rational):
        return _bounded(Fraction(int(value.numerator), int(value.denominator)))
    raise ValueError(f"{shortened(value)} is no real number")


def _bounded(value: Fraction) -> Fraction:
    if constant_bits(value) > MAX_CONSTANT_BITS:
        raise ValueError(
            f"a number of {constant_bits(value)} bits is too long, and exact fractions have up to {MAX_CONSTANT_BITS}"
        )
    return value


def date_of_days(days: int) -> datetime.date:
    """The date that lies so many days after 1970-01-01."""
    return _EPOCH + datetime.timedelta(days=days)


def days_of(value: datetime.date | np.datetime64) -> int:
    """Returns the days of a date since 1970-01-01.

    Raises
    ------
    ValueError
        For a time of day and for NaT; the message says why.
    """
    if isinstance(value, datetime.datetime) and value != datetime.datetime.combine(value.date(), datetime.time()):
        raise ValueError(f"{value} has a time of day, and dates are whole days: write value.date()")
    if isinstance(value, datetime.date):
        return (datetime.date(value.year, value.month, value.day) - _EPOCH).days
    if np.isnat(value):
        raise ValueError("NaT is no date")
    day = value.astype("datetime64[D]")
    if day != value:
        raise ValueError(f"{value} has a time of day, and dates are whole days: write np.datetime64('{day}')")
    return int(day.astype(np.int64))


def days_between(value: datetime.timedelta | np.timedelta64) -> int:
    """Returns a difference of dates in whole days.

    Raises
    ------
    ValueError
        For parts of days and for NaT; the message says why.
    """
    if isinstance(value, datetime.timedelta):
        if value % _DAY:
            raise ValueError(f"{value} is no whole number of days, and differences of dates are")
        return value // _DAY
    if np.isnat(value):
        raise ValueError("NaT is no difference of dates")
    if np.datetime_data(value)[0] in ("Y", "M", "generic"):
        raise ValueError(f"{value!r} is no number of days: write np.timedelta64(365, 'D')")
    days = value.astype("timedelta64[D]")
    if days != value:
        raise ValueError(f"{value} is no whole number of days, and differences of dates are")
    return int(days.astype(np.int64))


def shortened(value: object) -> str:
    """A value for messages, and its type where it's long."""
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else f"a {type(value).__name__}"
