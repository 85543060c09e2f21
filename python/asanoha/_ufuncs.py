"""Rules of numpy's ufuncs: what they are in the language of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asanoha._asanoha import MAX_EXPONENT, text_literal
from asanoha._call import Call
from asanoha._dispatch import Rule
from asanoha._kinds import Category
from asanoha._language import shown
from asanoha._numbers import date_of_days
from asanoha._traced import BOOL, DATE, FLOAT, INT, TEXT, Traced


def add(call: Call, a: object, b: object) -> Traced:
    x, y = call.numbers(a, b)
    dtype = call.dtype_of("add", x, y)
    if dtype == BOOL:
        return call.make("or", x, y, dtype=BOOL)
    for zero, other in ((x, y), (y, x)):
        if zero._constant == 0:
            return Traced(call.graph, other._place, dtype)
    return call.make("+", x, y, dtype=dtype)


def subtract(call: Call, a: object, b: object) -> Traced:
    x, y = call.take(a), call.take(b)
    if x.dtype == y.dtype == DATE:
        return call.make("-", x, y, dtype=INT)
    x, y = call.numbers(x, y)
    dtype = call.dtype_of("subtract", x, y)
    return Traced(call.graph, x._place, dtype) if y._constant == 0 else call.make("-", x, y, dtype=dtype)


def multiply(call: Call, a: object, b: object) -> Traced:
    x, y = call.numbers(a, b)
    dtype = call.dtype_of("multiply", x, y)
    if dtype == BOOL:
        return call.make("and", x, y, dtype=BOOL)
    for one, other in ((x, y), (y, x)):
        if one._constant == 1:
            return Traced(call.graph, other._place, dtype)
    return call.make("*", x, y, dtype=dtype)


def _divisor(call: Call, b: Traced) -> None:
    if b._constant == 0:
        raise call.refuse("it divides by zero: write another divisor")


def divide(call: Call, a: object, b: object) -> Traced:
    x, y = call.numbers(a, b)
    _divisor(call, y)
    return Traced(call.graph, x._place, FLOAT) if y._constant == 1 else call.make("/", x, y, dtype=FLOAT)


def _divides_exactly(x: Traced, y: Traced) -> bool:
    """Whether the language's `//` and `%` take these operands: exact numbers, and constants that are whole."""
    constants = [value._constant for value in (x, y) if value._constant is not None]
    is_exact = x._node.unit is not None and y._node.unit is not None
    return is_exact and all(constant.denominator == 1 for constant in constants)


def floor_divide(call: Call, a: object, b: object) -> Traced:
    x, y = call.numbers(a, b)
    _divisor(call, y)
    dtype = call.dtype_of("floor_divide", x, y)
    if _divides_exactly(x, y):
        return call.make("//", x, y, dtype=dtype)
    dividend = x._constant
    if dividend is not None and y._node.unit is not None:
        # A fraction p/q divided by exact numbers: p // (q * y).
        times = call.make("*", call.take(dividend.denominator), y, dtype=dtype)
        return call.make("//", call.take(dividend.numerator), times, dtype=dtype)
    return call.make("floor", call.make("/", x, y, dtype=FLOAT), dtype=dtype)


def remainder(call: Call, a: object, b: object) -> Traced:
    x, y = call.numbers(a, b)
    _divisor(call, y)
    dtype = call.dtype_of("remainder", x, y)
    if _divides_exactly(x, y):
        return call.make("%", x, y, dtype=dtype)
    multiple = call.make("*", y, floor_divide(call, x, y), dtype=dtype)
    return call.make("-", x, multiple, dtype=dtype)


def divmod_(call: Call, a: object, b: object) -> tuple[Traced, Traced]:
    return floor_divide(call, a, b), remainder(call, a, b)


def power(call: Call, a: object, b: object, modulus: object = None) -> Traced:
    """`a**b`, or `pow(a, b, modulus)` of Python."""
    if modulus is not None:
        x, y, p = call.numbers(a, b, modulus)
        if x.dtype != INT:
            raise call.refuse("it takes whole numbers: write x.astype(int)")
        return call.make("pow", x, y, p, dtype=INT)
    x, y = call.numbers(a, b)
    exponent = y._constant
    if exponent is None:
        c = x._excerpt() if x._constant is not None else "c"
        n = y._excerpt()
        raise call.refuse(
            f"the exponent {n} depends on the data, and exponents are constants: write np.exp({n} * np.log({c}))"
        )
    magnitude = abs(exponent)
    if magnitude > MAX_EXPONENT:
        raise call.refuse(
            f"the exponent {shown(exponent)} is above the limit of {MAX_EXPONENT}: write it with np.exp and np.log"
        )
    dtype = call.dtype_of("power", x, y)
    if dtype == INT and exponent < 0:
        name = x._excerpt()
        raise call.refuse(
            f"numpy raises whole numbers to no negative power: write 1 / {name}**{magnitude} or {name}**{exponent}.0"
        )
    if exponent.denominator == 1:
        return call.make("**", x, y, dtype=dtype)
    if exponent.denominator == 2:
        root = call.make("sqrt", x, dtype=FLOAT)
        return root if exponent.numerator == 1 else call.make("**", root, call.take(exponent.numerator), dtype=FLOAT)
    n = shown(exponent)
    raise call.refuse(f"the exponent {n} is neither whole nor a half: write np.exp({n} * np.log({x._excerpt()}))")


def square(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    return call.make("**", x, call.take(2), dtype=call.dtype_of("square", x))


def reciprocal(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    if x.dtype != FLOAT:
        raise call.refuse(f"numpy rounds reciprocals of whole numbers: write 1 / {x._excerpt()}")
    return divide(call, 1, x)


def negative(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    return call.make("neg", x, dtype=call.dtype_of("negative", x))


def positive(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    return Traced(call.graph, x._place, call.dtype_of("positive", x))


def absolute(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    return x if x.dtype == BOOL else call.make("abs", x, dtype=x.dtype)


def fabs(call: Call, a: object) -> Traced:
    x = absolute(call, a)
    return Traced(call.graph, x._place, FLOAT)


def sign(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    return call.make("sign", x, dtype=call.dtype_of("sign", x))


def floor(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    dtype = call.dtype_of("floor", x)
    return Traced(call.graph, x._place, dtype) if x._node.unit == 1 else call.make("floor", x, dtype=dtype)


def ceil(call: Call, a: object) -> Traced:
    (x,) = call.numbers(a)
    dtype = call.dtype_of("ceil", x)
    if x._node.unit == 1:
        return Traced(call.graph, x._place, dtype)
    lowered = call.make("floor", call.make("neg", x, dtype=dtype), dtype=dtype)
    return call.make("neg", lowered, dtype=dtype)


def function(name: str) -> Rule:
    """A function of the language, whose results are floats."""

    def rule(call: Call, *values: object) -> Traced:
        return call.make(name, *call.numbers(*values), dtype=FLOAT)

    return rule


_exp, _log = function("exp"), function("log")


def exp2(call: Call, a: object) -> Traced:
    return _real(_exp(call, multiply(call, _log(call, 2), a)))


def expm1(call: Call, a: object) -> Traced:
    return subtract(call, _exp(call, a), 1)


def log1p(call: Call, a: object) -> Traced:
    return _real(_log(call, add(call, 1, a)))


def logaddexp(call: Call, a: object, b: object) -> Traced:
    return _real(_log(call, add(call, _exp(call, a), _exp(call, b))))


def logit(call: Call, a: object) -> Traced:
    return _real(_log(call, divide(call, a, subtract(call, 1, a))))


def _real(x: Any) -> Traced:
    assert isinstance(x, Traced)
    return x


def extreme(function: str) -> Rule:
    """The larger or smaller of two numbers, row by row."""

    def rule(call: Call, a: object, b: object) -> Traced:
        x, y = call.numbers(a, b)
        dtype = call.dtype_of("maximum", x, y)
        if dtype == BOOL:
            return call.make("or" if function == "max" else "and", x, y, dtype=BOOL)
        return call.make(function, x, y, dtype=dtype)

    return rule


def order(op: str) -> Rule:
    """A comparison of numbers or dates that says which is larger."""

    def rule(call: Call, a: object, b: object) -> Traced:
        x, y = call.take(a), call.take(b)
        if x.dtype == y.dtype == DATE:
            return call.make(op, x, y, dtype=BOOL)
        x, y = _alike(call, x, y)
        return call.compare(op, x, y)

    return rule


def equality(op: str) -> Rule:
    """A comparison of numbers, dates or texts that says whether they're the same."""

    def rule(call: Call, a: object, b: object) -> Traced:
        x, y = call.take(a), call.take(b)
        if x.dtype == y.dtype == DATE:
            return call.make(op, x, y, dtype=BOOL)
        if x.dtype == y.dtype == TEXT:
            _check_text(call, x, y)
            _check_text(call, y, x)
            return call.make(op, x, y, dtype=BOOL)
        x, y = _alike(call, x, y)
        return call.compare(op, x, y)

    return rule


def _alike(call: Call, x: Traced, y: Traced) -> tuple[Traced, Traced]:
    """Two numbers: dates and texts are compared with their like only."""
    for one, other in ((x, y), (y, x)):
        if one.dtype == DATE:
            days = one._constant
            date = one._excerpt() if days is None else str(date_of_days(int(days)))
            message = (
                f"{date} is a date, and {other._excerpt()} is none: write a date, as in datetime.date(2026, 11, 23)"
            )
            raise call.refuse(message)
        if one.dtype == other.dtype == TEXT:
            raise call.refuse(
                f"{one._excerpt()} is text, and texts have no order: write == or !=, or np.isin(x, texts)"
            )
        if one.dtype == TEXT and one._node.op == "text":
            raise call.refuse(f"{other._excerpt()} is no column of text, and {one._excerpt()} is text: write a number")
        if one.dtype == TEXT:
            raise call.refuse(f"{one._excerpt()} is text, and {other._excerpt()} is none: write one of its texts")
    return x, y


def _check_text(call: Call, column: Traced, text: Traced) -> None:
    """Refuses a text that a column doesn't have."""
    kind = call.graph.kind(column._place)
    wanted = str(text._node.value)
    if not isinstance(kind, Category) or text._node.op != "text" or wanted in kind.categories:
        return
    import difflib

    near = difflib.get_close_matches(wanted, kind.categories, 3, 0) or kind.categories[:3]
    nearest = ", ".join(map(text_literal, near))
    raise call.refuse(f"column {column._excerpt()} has no category {text_literal(wanted)}: the nearest are {nearest}")


def logical(op: str) -> Rule:
    """Two conditions joined; a number holds where it isn't 0."""

    def rule(call: Call, a: object, b: object) -> Traced:
        return call.make(op, call.condition(a), call.condition(b), dtype=BOOL)

    return rule


def logical_not(call: Call, a: object) -> Traced:
    return call.make("not", call.condition(a), dtype=BOOL)


def bitwise(rule: Callable[..., Traced]) -> Rule:
    """A condition in place of an operation on bits, which exists of booleans only."""

    def checked(call: Call, *values: object) -> Traced:
        for value in call.numbers(*values):
            if value.dtype != BOOL:
                x = value._excerpt()
                raise call.refuse(
                    f"bits of numbers aren't computed, and {x} is of dtype {value.dtype}: for conditions write "
                    f"brackets, as in (a > 1) & (b < 2), or {x} != 0"
                )
        return rule(call, *values)

    return checked


def product(call: Call, a: object, b: object) -> Traced:
    """The sum over the rows of a product; of numbers the product."""
    x, y = call.numbers(a, b)
    if x.dtype == y.dtype == BOOL:
        raise call.refuse("numpy multiplies booleans to a boolean: write np.sum(a & b)")
    if call.name in ("dot", "inner") and 0 in (x.ndim, y.ndim):
        return multiply(call, x, y)
    dtype = call.dtype_of("multiply", call.column(x), call.column(y))
    return call.make("dot", x, y, dtype=dtype)
