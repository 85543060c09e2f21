"""Plans: the scheme, its parameters and the schedule of a program."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from asanoha import _asanoha
from asanoha._data import columns_of
from asanoha._numbers import shortened
from asanoha._options import Absolute, Bits, Precision
from asanoha._program import OutputKind, Program
from asanoha._schema import Schema
from asanoha._trace import trace
from asanoha.exceptions import FormatError, PlanError

#: The start of a comment on the dtypes of outputs.
_COMMENT = "# dtypes: "
#: The start of the program in the bytes of a plan.
_PROGRAM = '"program": '
#: The dtypes that results may have.
_POSSIBLE = {
    "truth": ("bool", "int64", "float64"),
    "whole": ("bool", "int64", "float64", "datetime64[D]"),
    "date": ("datetime64[D]",),
    "decimal": ("float64",),
    "real": ("float64",),
}
_DTYPES = {"truth": "bool", "whole": "int64", "date": "datetime64[D]", "decimal": "float64", "real": "float64"}


class Plan:
    """A program with a scheme, parameters and a schedule. It is public: client and server both hold it.

    Plans are made by `asanoha.plan`. They are immutable, equal by value and picklable. Never unpickle what others send, as that runs
    their code: `Plan.from_bytes` reads a plan of another and checks it.

    Examples
    --------
    >>> import asanoha as asa
    >>> plan = asa.plan(lambda x: {"square": x * x}, asa.Schema({"x": asa.Whole(0, 9)}, rows=3))
    >>> plan.scheme
    'bgv'
    >>> asa.Plan.from_bytes(plan.to_bytes()) == plan
    True
    """

    __slots__ = ("_derived", "_figures", "_native", "_outputs")

    def __init__(self, native: _asanoha.Plan, outputs: Mapping[str, OutputKind] | None = None) -> None:
        self._native = native
        self._figures: dict[str, Any] = json.loads(native.figures())
        known = dict(outputs or {})
        kinds = {
            output["name"]: OutputKind(_DTYPES[output["kind"]], output["shape"])  # type: ignore[arg-type]
            for output in self._figures["outputs"]
        }
        #: The outputs that the native part derives from the program, which knows no dtypes of numpy.
        self._derived = kinds
        # In the order of the function: the planner puts what is finished after decryption last.
        self._outputs = {name: known.get(name, kinds[name]) for name in [*known, *kinds] if name in kinds}

    @property
    def program(self) -> str:
        """The program, in the language of programs."""
        return str(self._figures["program"])

    @property
    def rounded_constants(self) -> Mapping[str, float | None]:
        """The functions of constants in the program's text, such as `sqrt(2)`, and the numbers that it computes with in their places:
        exact results are exact for these. `None` for a function that an older plan names and whose number the text doesn't show."""
        return MappingProxyType(self._figures["rounded_constants"])

    @property
    def schema(self) -> Schema:
        """The public facts about the data."""
        return Schema.from_json(json.dumps(self._figures["schema"]), fewer_rows=self._figures["fewer_rows"])

    @property
    def scheme(self) -> str:
        """The chosen scheme: "bgv", "bfv", "ckks" or "tfhe"."""
        return str(self._figures["scheme"])

    @property
    def security_bits(self) -> int:
        """The classical security of the parameters, in bits."""
        return int(self._figures["security_bits"])

    @property
    def digest(self) -> str:
        """The digest that ciphertexts of this plan carry, in hexadecimal digits."""
        return str(self._figures["digest"])

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that are encrypted."""
        return tuple(self._figures["inputs"])

    @property
    def outputs(self) -> Mapping[str, OutputKind]:
        """The dtype and the shape of every result."""
        return MappingProxyType(self._outputs)

    @property
    def predicted(self) -> Mapping[str, float | None]:
        """The predicted `evaluate_s` (seconds), `bytes` (keys and ciphertexts in memory) and `precision_bits` (None if exact)."""
        return MappingProxyType(self._figures["predicted"])

    @property
    def public(self) -> Mapping[str, Any]:
        """What becomes public: the columns with their kinds and ranges, the rows, the program with its constants, and the parts that
        the key holder can read of finished results."""
        return MappingProxyType(
            {
                "rows": self._figures["rows"],
                "columns": self._figures["schema"]["columns"],
                "program": self._figures["program"],
                "finished": self._figures["finished"],
            }
        )

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The answer of every scheme: whether it can run the program, why it's chosen or not, parameters and predictions. Empty for a
        plan out of bytes."""
        told = self._native.candidates()
        return [] if told is None else list(json.loads(told))

    def check(self, data: object, *, missing: str = "raise") -> None:
        """Raises what encrypting the data with this plan would raise, without encrypting them.

        Parameters
        ----------
        data : data frame or mapping of str to array
            The data.
        missing : {"raise", "mask", "mean", "zero"}
            What is done about missing values.

        Raises
        ------
        DataError
            If the plan doesn't take the data.

        Examples
        --------
        >>> import numpy as np
        >>> import asanoha as asa
        >>> plan = asa.plan(lambda x: {"square": x * x}, asa.Schema({"x": asa.Whole(0, 9)}, rows=3))
        >>> plan.check({"x": np.array([1, 2, 3])})
        """
        self._native.check(columns_of(data, self.inputs), missing)

    def to_bytes(self) -> bytes:
        """Returns the plan as bytes, which are those of the file that `asanoha plan --out` writes.

        Where the dtypes or the order of results aren't those that the program gives them, as with `x.astype(float)` of
        whole numbers, a comment in the program tells them to `from_bytes`. It changes neither the plan nor its digest.
        """
        data = self._native.to_bytes()
        if list(self._outputs.items()) == list(self._derived.items()):
            return data
        return _with_comment(data, {name: kind.dtype for name, kind in self._outputs.items()})

    @classmethod
    def from_bytes(cls, data: bytes) -> Plan:
        """Returns the plan of `to_bytes`, checked: schedule and predictions are derived again.

        Raises
        ------
        FormatError
            If the bytes are no plan of this version, or one that doesn't hold together.
        """
        read = cls(_asanoha.Plan.from_bytes(bytes(data)))
        dtypes = _comment(bytes(data))
        if dtypes is None:
            return read
        kinds = {output["name"]: output["kind"] for output in read._figures["outputs"]}
        if dtypes.keys() != kinds.keys():
            raise FormatError("the plan has a comment on the dtypes of other outputs than its own: make the plan again")
        for name, dtype in dtypes.items():
            if dtype not in _POSSIBLE[kinds[name]]:
                raise FormatError(
                    f"the plan has a comment that output {name!r} is of dtype {shortened(dtype)}, and it's {kinds[name]}: "
                    "make the plan again",
                    output=name,
                )
        read._outputs = {name: OutputKind(dtype, read._derived[name].shape) for name, dtype in dtypes.items()}
        return read

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Plan) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.to_bytes(), dict(self._outputs))

    def __str__(self) -> str:
        return self._native.describe().rstrip()

    def __repr__(self) -> str:
        predicted = self.predicted["evaluate_s"]
        rows = ("up to " if self._figures["fewer_rows"] else "") + f"{self._figures['rows']} rows"
        outputs = ", ".join(self._outputs)
        return (
            f"<Plan {self.scheme}: {outputs} of {rows}, {self.security_bits}-bit security, predicted {predicted:.3g} s>"
        )

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def _with_comment(data: bytes, dtypes: Mapping[str, str]) -> bytes:
    """The bytes of a plan with a comment on the dtypes of its outputs, at the end of the program."""
    text = data.decode()
    start = text.index(_PROGRAM) + len(_PROGRAM)
    program, end = json.JSONDecoder().raw_decode(text, start)
    comment = f"{_COMMENT}{json.dumps(dtypes)}\n"
    return (text[:start] + json.dumps(program + comment, ensure_ascii=False) + text[end:]).encode()


def _comment(data: bytes) -> dict[str, Any] | None:
    """The dtypes of a comment of `_with_comment`."""
    last = json.loads(data)["program"].splitlines()[-1]
    if not last.startswith(_COMMENT):
        return None
    try:
        dtypes = json.loads(last.removeprefix(_COMMENT))
    except ValueError:
        dtypes = None
    if not isinstance(dtypes, dict):
        raise FormatError("the plan has a comment on the dtypes of its outputs that can't be read: make the plan again")
    return dtypes


def _restored(data: bytes, outputs: dict[str, OutputKind]) -> Plan:
    return Plan(_asanoha.Plan.from_bytes(data), outputs)


def plan(
    function: Callable[..., Any] | Program | str,
    schema: Schema,
    *,
    precision: Precision | None = None,
    scheme: str = "auto",
    security: int = 128,
    failure_bits: int | None = None,
    publish: int | None = None,
) -> Plan:
    """Chooses scheme and parameters for a function of columns.

    Parameters
    ----------
    function : callable, Program or str
        A function of the columns, whose parameters are their names, and which returns a mapping of outputs; a traced program; or
        text of the language of programs.
    schema : Schema
        What is public about the data.
    precision : Bits or Absolute, optional
        The precision of results that aren't exact: by default `Bits(20)`.
    scheme : {"auto", "bgv", "bfv", "ckks", "tfhe"}
        A scheme, or the best.
    security : {128, 192, 256}
        The security in bits.
    failure_bits : int, optional
        A run gives a wrong result with a probability of at most 2^-failure_bits, from 40 to 128. By default 128 for BGV, BFV and CKKS, and
        96 for TFHE and for plans that keep no more. A scheme that does not keep the bits that are given is not chosen.
    publish : int, optional
        The bits of statistical security that results are to be published with.

    Returns
    -------
    Plan

    Raises
    ------
    TraceError
        If the function can't be encrypted.
    ProgramError
        If a text is no program, or doesn't fit the data.
    PlanError
        If no scheme can run it; `reasons` says why of each.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> schema = asa.Schema({"price": asa.Decimal(2, 0, 100), "pieces": asa.Whole(0, 50)}, max_rows=1000)
    >>> plan = asa.plan(lambda price, pieces: {"total": np.sum(price * pieces)}, schema)
    >>> plan.scheme, plan.outputs["total"].shape
    ('bgv', 'number')
    """
    if not isinstance(schema, Schema):
        raise PlanError(f"schema is {type(schema).__name__}, and should be a Schema: call Schema.of(data)")
    if isinstance(function, str):
        text, outputs = function, None
    else:
        program = function if isinstance(function, Program) else trace(function, schema)
        text, outputs = str(program), program.outputs
    precision = precision or Bits(20)
    bits, absolute = (20, precision.error) if isinstance(precision, Absolute) else (precision.bits, None)
    native = _asanoha.Plan.choose(
        text,
        schema.to_json(),
        traced=outputs is not None,
        data=getattr(schema, "_known", None),
        bits=bits,
        absolute=absolute,
        scheme_name=scheme,
        security=security,
        failure_bits=failure_bits,
        publish=publish,
        fewer_rows=schema.max_rows is not None,
    )
    planned = Plan(native, outputs)
    if not planned.inputs:
        raise PlanError(f"the results are the same for all data, so nothing is to be encrypted: {text.rstrip()}")
    return planned
