"""Programs: the text of a function of columns, its inputs and its outputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

Dtype = Literal["bool", "int64", "float64", "datetime64[D]"]
Shape = Literal["column", "number"]


@dataclasses.dataclass(frozen=True)
class OutputKind:
    """What an output of a program is.

    Parameters
    ----------
    dtype : {"bool", "int64", "float64", "datetime64[D]"}
        The dtype of the decrypted values.
    shape : {"column", "number"}
        Whether there is a value for every row, or one for all.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> program = asa.trace(lambda bmi: {"mean_bmi": np.mean(bmi)}, asa.Schema({"bmi": asa.Real(0, 64)}, rows=442))
    >>> program.outputs["mean_bmi"]
    OutputKind(dtype='float64', shape='number')
    """

    dtype: Dtype
    shape: Shape


class Program:
    """A function of the columns of data, as text of the language of programs.

    Programs are immutable, equal by value, hashable and picklable, and `str(program)` is the text.

    Parameters
    ----------
    text : str
        One assignment a line.
    inputs : iterable of str
        The columns that the program reads, in the order of the data.
    outputs : mapping of str to OutputKind
        What the outputs are, in the order of the text.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> schema = asa.Schema({"bmi": asa.Real(0, 64), "age": asa.Whole(0, 127)}, rows=442)
    >>> program = asa.trace(lambda bmi: {"score": 0.05 * (bmi - 26)}, schema)
    >>> print(program)
    score = 0.05 * (bmi - 26)
    >>> program.inputs
    ('bmi',)
    """

    __slots__ = ("_inputs", "_outputs", "_text")

    _text: str
    _inputs: tuple[str, ...]
    _outputs: MappingProxyType[str, OutputKind]

    def __init__(self, text: str, inputs: Iterable[str], outputs: Mapping[str, OutputKind]) -> None:
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_inputs", tuple(inputs))
        object.__setattr__(self, "_outputs", MappingProxyType(dict(outputs)))

    @property
    def text(self) -> str:
        """The program in the language of programs."""
        return self._text

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that the program reads, in the order of the data."""
        return self._inputs

    @property
    def outputs(self) -> Mapping[str, OutputKind]:
        """What the outputs are, read-only, in the order of the text."""
        return self._outputs

    def _key(self) -> tuple[Any, ...]:
        return (self._text, self._inputs, tuple(self._outputs.items()))

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Program) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"programs are immutable: trace another one in place of setting {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"programs are immutable: trace another one in place of deleting {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self._text, self._inputs, dict(self._outputs))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Program({self._text!r}, inputs={self._inputs!r}, outputs={dict(self._outputs)!r})"
