"""Names and numbers of the language of programs, by the rules of the native part."""

from __future__ import annotations

from fractions import Fraction

from asanoha import _asanoha
from asanoha._asanoha import MAX_CATEGORY_BYTES, MAX_NAME_BYTES, is_keyword


def category_problem(text: object) -> str | None:
    """Why a text can't be a category and what to do; `None` if it can."""
    if not isinstance(text, str):
        return "is no text: write str(category)"
    problem = _asanoha.category_problem(text)
    size = len(text.encode("utf-8", "surrogatepass"))
    if problem is not None and size > MAX_CATEGORY_BYTES:
        return f"has {size} bytes, and up to {MAX_CATEGORY_BYTES} are taken: shorten it"
    return problem and f"{problem}: clean it"


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
    if is_keyword(name):
        return f"{name!r} can't name an output, because it is a word of Python: write {_free(name)!r}"
    return None


def _free(name: str) -> str:
    """A name that an output may have."""
    return f"{name}_value" if is_keyword(name) else name


def constant_bits(value: Fraction) -> int:
    """The larger of the bit lengths of numerator and denominator."""
    return max(abs(value.numerator).bit_length(), value.denominator.bit_length())


def number_text(value: Fraction) -> str:
    """A number as programs and schemas write it: whole, as a decimal where it ends, and else as a fraction p/q."""
    return _asanoha.short(str(value))


def shown(value: Fraction) -> str:
    """A number for messages: cut where it has many digits."""
    text = number_text(value)
    return text if len(text) <= 40 else f"a constant of {constant_bits(value)} bits"
