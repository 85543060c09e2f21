"""Names of outputs, made of the labels of classes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

#: The longest part of a name that a label gives.
_MAX_LETTERS = 64


def class_outputs(prefix: str, labels: Iterable[Any]) -> tuple[str, ...]:
    """Returns a name for each class: a prefix and the label's ASCII letters and digits, and a number where two agree.

    Parameters
    ----------
    prefix : str
        What the names begin with.
    labels : iterable
        The labels of the classes.

    Examples
    --------
    >>> from asanoha._sklearn.output_names import class_outputs
    >>> class_outputs("decision", ["high risk", "high-risk", -1, 2.0])
    ('decision_high_risk', 'decision_high_risk_2', 'decision_minus_1', 'decision_2')
    """
    names: list[str] = []
    for index, label in enumerate(labels):
        wanted = f"{prefix}_{_letters(label) or f'class_{index}'}"
        name, count = wanted, 1
        while name in names:
            count += 1
            name = f"{wanted}_{count}"
        names.append(name)
    return tuple(names)


def _letters(label: Any) -> str:
    """The ASCII letters and digits of a label, with `_` instead of what stands between them."""
    plain = label.item() if hasattr(label, "item") else label
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    text = str(plain)
    if isinstance(plain, (int, float)) and text.startswith("-"):
        text = f"minus {text[1:]}"
    plain_letters = unicodedata.normalize("NFKD", text)
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in plain_letters if not unicodedata.combining(c))
    return "_".join(kept.split())[:_MAX_LETTERS].rstrip("_")
