"""Transformers before linear models, as linear forms of the columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from asanoha._sklearn.errors import EstimatorError
from asanoha._sklearn.estimators import class_name, is_identity, numbers, pipeline_steps, recognised
from asanoha._sklearn.forms import Clip, Column, Equals, Form, Product
from asanoha.exceptions import DataError


class Encoded(NamedTuple):
    """What an encoder knows of a column."""

    categories: tuple[str | int | float | bool, ...]
    #: Whether other categories are refused, rather than encoded as zeros.
    is_closed: bool


#: The columns that encoders read.
Known = dict[str, Encoded]


def transformed(steps: Sequence[Any], forms: Sequence[Form], known: Known) -> list[Form]:
    """Returns the features that transformers make of forms, one after another.

    Parameters
    ----------
    steps : sequence of transformers
        Without pipelines.
    forms : sequence of Form
        The features before the first step.
    known : dict of str to Encoded
        Receives the columns that encoders read.
    """
    current = list(forms)
    for step in steps:
        rule = _RULES[recognised(step, as_model=False)]
        current = rule(step, current, known)
    return current


def fractions(estimator: object, attribute: str) -> list[Fraction] | None:
    """A fitted attribute as exact fractions; `None` where the estimator has none."""
    if getattr(estimator, attribute, None) is None:
        return None
    return [Fraction(float(value)) for value in numbers(estimator, attribute).ravel()]


def _scaled(step: Any, forms: list[Form], centres: list[Fraction] | None, scales: list[Fraction] | None) -> list[Form]:
    """Forms minus centres, divided by scales."""
    _check_count(step, forms, centres or scales)
    if centres is not None:
        forms = [form.minus(centre) for form, centre in zip(forms, centres, strict=True)]
    if scales is not None:
        forms = [form.times(1 / scale) for form, scale in zip(forms, scales, strict=True)]
    return forms


def _standard(step: Any, forms: list[Form], known: Known) -> list[Form]:
    centres = fractions(step, "mean_") if step.with_mean else None
    return _scaled(step, forms, centres, fractions(step, "scale_"))


def _robust(step: Any, forms: list[Form], known: Known) -> list[Form]:
    return _scaled(step, forms, fractions(step, "center_"), fractions(step, "scale_"))


def _max_abs(step: Any, forms: list[Form], known: Known) -> list[Form]:
    return _clipped(step, _scaled(step, forms, None, fractions(step, "scale_")), (-1.0, 1.0))


def _min_max(step: Any, forms: list[Form], known: Known) -> list[Form]:
    scales, offsets = fractions(step, "scale_") or [], fractions(step, "min_") or []
    _check_count(step, forms, scales)
    made = [form.times(scale).plus(offset) for form, scale, offset in zip(forms, scales, offsets, strict=True)]
    lo, hi = step.feature_range
    return _clipped(step, made, (float(lo), float(hi)))


def _clipped(step: Any, forms: list[Form], ends: tuple[float, float]) -> list[Form]:
    """Forms between two ends where the scaler clips."""
    if not getattr(step, "clip", False):
        return forms
    lo, hi = ends
    constants = [Form((), min(max(form.constant, Fraction(lo)), Fraction(hi))) for form in forms]
    return [
        Form.of(Clip(form, lo, hi)) if form.terms else constant for form, constant in zip(forms, constants, strict=True)
    ]


def _one_hot(step: Any, forms: list[Form], known: Known) -> list[Form]:
    categories: list[Any] = step.categories_
    _check_count(step, forms, categories)
    if any(infrequent is not None for infrequent in getattr(step, "infrequent_categories_", None) or []):
        raise EstimatorError(
            "OneHotEncoder puts infrequent categories together, which isn't supported: fit it without min_frequency "
            "and max_categories, or put them together before encryption",
            estimator="OneHotEncoder",
        )
    dropped = getattr(step, "drop_idx_", None)
    made: list[Form] = []
    for index, (form, own) in enumerate(zip(forms, categories, strict=True)):
        value = form.bare()
        if not isinstance(value, Column):
            raise EstimatorError(
                f"OneHotEncoder encodes feature {index} (from 0), which an earlier step computed: encode columns of "
                "the data",
                estimator="OneHotEncoder",
            )
        values = tuple(_category(value.name, category) for category in own)
        known[value.name] = Encoded(values, step.handle_unknown == "error")
        leave_out = None if dropped is None else dropped[index]
        made += [
            Form.of(Equals(value.name, each)) for at, each in enumerate(values) if leave_out is None or at != leave_out
        ]
    return made


def _category(column: str, category: Any) -> str | int | float | bool:
    """A category as a plain value of Python."""
    plain = category.item() if isinstance(category, np.generic) else category
    if isinstance(plain, (str, int)):
        return plain
    if isinstance(plain, float) and np.isfinite(plain):
        return int(plain) if plain.is_integer() else plain
    raise EstimatorError(
        f"OneHotEncoder knows the category {plain!r} of column {column!r}, and encrypted columns have texts and "
        "numbers only: fill missing values and write others as texts, then fit again",
        estimator="OneHotEncoder",
    )


def _polynomial(step: Any, forms: list[Form], known: Known) -> list[Form]:
    powers: np.ndarray[Any, Any] = step.powers_
    _check_count(step, forms, powers[0] if len(powers) else None)
    return [_power_product(forms, row) for row in powers.tolist()]


def _power_product(forms: list[Form], exponents: list[int]) -> Form:
    factors = [(form, exponent) for form, exponent in zip(forms, exponents, strict=True) if exponent]
    constant = Fraction(1)
    for form, exponent in factors:
        constant *= 1 if form.terms else form.constant**exponent
    varying = tuple((form, exponent) for form, exponent in factors if form.terms)
    if not varying:
        return Form((), constant)
    made = varying[0][0] if len(varying) == 1 and varying[0][1] == 1 else Form.of(Product(varying))
    return made.times(constant)


def _column_transformer(step: Any, forms: list[Form], known: Known) -> list[Form]:
    names = getattr(step, "feature_names_in_", None)
    indices = {str(name): index for index, name in enumerate(names if names is not None else [])}
    weights = getattr(step, "transformer_weights", None) or {}
    made: list[Form] = []
    for label, transformer, columns in step.transformers_:
        if isinstance(transformer, str) and transformer == "drop":
            continue
        chosen = [forms[index] for index in _selected(columns, indices, len(forms))]
        if not chosen:
            continue
        steps = [] if is_identity(transformer) else pipeline_steps(transformer)
        factor = Fraction(float(weights.get(label, 1)))
        made += [form if factor == 1 else form.times(factor) for form in transformed(steps, chosen, known)]
    return made


def _selected(columns: Any, indices: dict[str, int], count: int) -> list[int]:
    """The indices of the columns that a part of a ColumnTransformer takes."""
    if isinstance(columns, slice):
        start, stop = columns.start, columns.stop
        if isinstance(start, str):
            start = indices[start]
        if isinstance(stop, str):
            # A slice of names includes its end.
            stop = indices[stop] + 1
        return list(range(count))[slice(start, stop, columns.step)]
    if isinstance(columns, (str, int, np.integer)):
        columns = [columns]
    chosen = list(columns)
    if chosen and all(isinstance(each, (bool, np.bool_)) for each in chosen):
        return [index for index, is_taken in enumerate(chosen) if is_taken]
    return [indices[each] if isinstance(each, str) else range(count)[int(each)] for each in chosen]


def _check_count(step: Any, forms: Sequence[Form], fitted: Sequence[Any] | None) -> None:
    """Refuses steps that don't fit together, which were fitted apart."""
    if fitted is not None and len(fitted) != len(forms):
        raise EstimatorError(
            f"{class_name(step)} was fitted with {len(fitted)} features and receives {len(forms)}: fit the pipeline as "
            "a whole",
            estimator=class_name(step),
        )


_RULES: dict[str, Callable[[Any, list[Form], Known], list[Form]]] = {
    "StandardScaler": _standard,
    "MinMaxScaler": _min_max,
    "MaxAbsScaler": _max_abs,
    "RobustScaler": _robust,
    "OneHotEncoder": _one_hot,
    "PolynomialFeatures": _polynomial,
    "ColumnTransformer": _column_transformer,
}


def check_known(columns: Mapping[str, Any], known: Known) -> None:
    """Refuses plain columns with categories that an encoder doesn't know, as scikit-learn does.

    Columns that are being traced have no values to check.
    """
    for name, (categories, is_closed) in known.items():
        column = columns[name]
        if not is_closed or not isinstance(column, np.ndarray):
            continue
        is_known = np.zeros(column.shape, dtype=np.bool_)
        for category in categories:
            is_known |= column == category
        if not is_known.all():
            row = int(np.argmin(is_known))
            value = column.tolist()[row]
            raise DataError(
                f"column {name!r} has {value!r} in row {row}, which the encoder doesn't know: pass one of its "
                f"{len(categories)} categories, or fit it with handle_unknown='ignore'",
                column=name,
                row=row,
                value=value,
            )
