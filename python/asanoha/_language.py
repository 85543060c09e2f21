"""Names, numbers and limits of the language of programs."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

#: The functions whose names columns have in back-quotes. It doesn't grow with the functions: texts of programs would change.
QUOTED = frozenset(
    """where abs min max less_than sign relu clip assume floor round sum count mean var std cov corr quantile histogram
    mean_where ratio least_squares linear dot table table2 sigmoid exp tanh log sqrt""".split()
)
#: The words of Python, which the language takes no names from.
KEYWORDS = frozenset(
    """False None True and as assert async await break class continue def del elif else except finally for from global
    if import in is lambda nonlocal not or pass raise return try while with yield""".split()
)
#: The longest name, in bytes.
MAX_NAME_BYTES = 256
#: The longest category of a column of text, in bytes.
MAX_CATEGORY_BYTES = 256
#: The most bits in the numerator or denominator of a constant.
MAX_CONSTANT_BITS = 4096
#: The largest exponent of `**` on data.
MAX_EXPONENT = 1024
#: The most values of a histogram.
MAX_BINS = 256
#: The most columns of least squares.
MAX_LEAST_SQUARES = 8
#: The most digits of a decimal that is written out.
_PLAIN_DIGITS = 20


def is_identifier(name: str) -> bool:
    """Whether the language reads a name as one word."""
    rest_fits = all(c == "_" or c.isalnum() for c in name)
    return bool(name) and (name[0] == "_" or name[0].isalpha()) and rest_fits


#: Marks and overrides of the direction of writing, and separators of lines.
_STEERING = frozenset("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _steers(c: str) -> bool:
    """Whether a character could steer a terminal or reorder the text around it, or is half of one."""
    return c in _STEERING or unicodedata.category(c) in ("Cc", "Cs")


def is_column_name(name: str) -> bool:
    """Whether a column may have a name."""
    is_short = 1 <= len(name.encode("utf-8", "surrogatepass")) <= MAX_NAME_BYTES
    has_other = any(c == "`" or _steers(c) for c in name)
    return is_short and name.strip() == name and not has_other


def category_problem(text: object) -> str | None:
    """Why a text can't be a category and what to do; `None` if it can."""
    if not isinstance(text, str):
        return "is no text: write str(category)"
    if not text or text.strip() != text or any(map(_steers, text)):
        return "is empty, begins or ends with a space, or has control characters: clean it"
    size = len(text.encode())
    return (
        f"has {size} bytes, and up to {MAX_CATEGORY_BYTES} are taken: shorten it" if size > MAX_CATEGORY_BYTES else None
    )


def quoted(column: str) -> str:
    """A column's name as programs write it."""
    is_plain = is_identifier(column) and column not in KEYWORDS and column not in QUOTED
    return column if is_plain else f"`{column}`"


def text_literal(text: str) -> str:
    """A text as programs write it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def output_name_problem(name: str) -> str | None:
    """Why an output can't have a name and what to write instead; `None` if it can."""
    if not name:
        return "an output has an empty name: name it, such as 'score'"
    fits = name.isascii() and name.replace("_", "a").isalnum()
    if not fits or name[0] == "_" or name[0].isdigit():
        letters = "".join(c if c.isascii() and c.isalnum() else "_" for c in name).strip("_")
        if not letters or letters[0].isdigit():
            letters = f"result_{letters}".rstrip("_")
        return (
            f"{name!r} can't name an output: names are ASCII letters, digits and _, and begin with a letter; "
            f"write {_free(letters)!r}"
        )
    if len(name) > MAX_NAME_BYTES:
        return f"the name of an output has {len(name)} characters: names have up to {MAX_NAME_BYTES}"
    if name in KEYWORDS:
        return f"{name!r} can't name an output, because it is a word of Python: write {_free(name)!r}"
    return None


def _free(name: str) -> str:
    """A name that an output may have."""
    return f"{name}_value" if name in KEYWORDS else name


def constant_bits(value: Fraction) -> int:
    """The larger of the bit lengths of numerator and denominator."""
    return max(abs(value.numerator).bit_length(), value.denominator.bit_length())


def number_text(value: Fraction) -> str:
    """A number as programs and schemas write it: whole, as a decimal where it ends, and else as a fraction p/q."""
    if value.denominator == 1 and abs(value.numerator) < 10**_PLAIN_DIGITS:
        return str(value.numerator)
    ratio = f"{value.numerator}/{value.denominator}"
    ends = _decimal_digits(value)
    if ends is None:
        return ratio
    digits, exponent = ends
    sign = "-" if value < 0 else ""
    if exponent >= 0:
        plain = digits + "0" * exponent
    else:
        padded = digits.rjust(1 - exponent, "0")
        plain = f"{padded[:exponent]}.{padded[exponent:]}"
    if len(plain) <= _PLAIN_DIGITS + 2:
        return sign + plain
    power = exponent + len(digits) - 1
    mantissa = digits[0] if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return min(sign + plain, f"{sign}{mantissa}e{power}", ratio, key=len)


def _decimal_digits(value: Fraction) -> tuple[str, int] | None:
    """Digits d without zeros at the end and an exponent e with |value| = d·10^e; `None` where decimals don't end."""
    denominator, twos, fives = value.denominator, 0, 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    if denominator != 1:
        return None
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 2 ** (places - twos) * 5 ** (places - fives))
    stripped = digits.rstrip("0") or "0"
    return stripped, len(digits) - len(stripped) - places


def shown(value: Fraction) -> str:
    """A number for messages: cut where it has many digits."""
    text = number_text(value)
    return text if len(text) <= 40 else f"a constant of {constant_bits(value)} bits"
