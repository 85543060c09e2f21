"""Traces Python functions of columns into programs."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, cast

import numpy as np

from asanoha import _operations as _operations
from asanoha._asanoha import MAX_NAME_BYTES, is_identifier
from asanoha._column_functions import Counts
from asanoha._graph import Graph
from asanoha._language import output_name_problem
from asanoha._numbers import exact, shortened
from asanoha._program import Dtype, OutputKind, Program
from asanoha._render import program_text
from asanoha._schema import Schema
from asanoha._traced import TEXT, Traced
from asanoha.exceptions import TraceError


def trace(f: Callable[..., Any], schema: Schema) -> Program:
    """Returns the program that a function computes.

    The function is called once, with traced columns. Operators, functions of numpy and functions of asanoha record what
    is done with them; anything that would need values is refused, with what to write instead.

    Parameters
    ----------
    f : callable
        Its parameters are columns, by their names; `**columns` receives all columns that have no parameter, and a
        parameter that has a default and no column keeps the default. It returns a mapping of names to outputs, a named
        tuple or data class of outputs, one output, which is named `result`, or a tuple or list of them, which are named
        `result_0` and so on.
    schema : Schema
        The columns of the data.

    Raises
    ------
    TraceError
        If the function can't be computed under encryption.

    Examples
    --------
    >>> import numpy as np
    >>> import asanoha as asa
    >>> def risk(bmi, bp):
    ...     z = 0.05 * (bmi - 26) + 0.02 * (bp - 94)
    ...     score = 0.5 + 0.197 * z - 0.004 * z**3
    ...     return {"score": score, "mean_score": np.mean(score)}
    >>> schema = asa.Schema({"bmi": asa.Real(0, 64), "bp": asa.Real(0, 256)}, rows=442)
    >>> print(asa.trace(risk, schema))
    _t1 = 0.05 * (bmi - 26) + 0.02 * (bp - 94)
    score = 0.5 + 0.197 * _t1 - 0.004 * _t1**3
    mean_score = mean(score)
    """
    if not isinstance(schema, Schema):
        raise TraceError(
            f"the schema is {shortened(schema)}: write asanoha.Schema({{'bmi': asanoha.Real(0, 64)}}, rows=442)"
        )
    graph = Graph(schema)
    args, kwargs = _arguments(f, graph)
    try:
        result = f(*args, **kwargs)
        return _program(graph, result)
    finally:
        graph.is_closed = True


def _arguments(f: Callable[..., Any], graph: Graph) -> tuple[list[Any], dict[str, Any]]:
    """The traced columns that a function takes, by the names of its parameters."""
    name = getattr(f, "__name__", type(f).__name__)
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        raise TraceError(f"{shortened(f)} is no function with known parameters: write lambda x: {name}(x)") from None
    columns = {
        column: Traced(graph, graph.add("column", value=column), kind.dtype)
        for column, kind in graph.schema.columns.items()
    }
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    rest = dict(columns)
    takes_rest = False
    # What `functools.partial` binds stays as it's bound.
    bound = f.keywords if isinstance(f, functools.partial) else {}
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise TraceError(
                f"{name} takes *{parameter.name}, and columns are passed by their names: write **{parameter.name}, "
                "which is a dict"
            )
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            takes_rest = True
            continue
        rest.pop(parameter.name, None)
        if parameter.name in bound:
            continue
        if parameter.name not in columns and parameter.default is inspect.Parameter.empty:
            raise _no_column(name, parameter.name, list(columns))
        value = columns.get(parameter.name, parameter.default)
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            args.append(value)
        elif parameter.name in columns:
            kwargs[parameter.name] = value
    return args, {**kwargs, **(rest if takes_rest else {})}


def _no_column(function: str, parameter: str, columns: list[str]) -> TraceError:
    import difflib

    near = difflib.get_close_matches(parameter, columns, 1)
    advice = f"did you mean {near[0]}" if near else "rename the parameter, or give it a default to make it a constant"
    others = ", ".join(columns[:20]) + (f" and {len(columns) - 20} more" if len(columns) > 20 else "")
    message = f"{function} has a parameter {parameter}, and the data have no such column but {others}: {advice}"
    return TraceError(f"{message}?" if near else message, parameter=parameter, columns=columns)


def _named(result: object) -> Iterator[tuple[object, object]]:
    """The outputs of a function with their names."""
    if isinstance(result, Counts):
        yield "result", result
    elif isinstance(result, Mapping):
        yield from result.items()
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        yield from ((field.name, getattr(result, field.name)) for field in dataclasses.fields(result))
    elif isinstance(result, tuple) and hasattr(result, "_fields"):
        yield from zip(result._fields, result, strict=True)
    elif isinstance(result, (tuple, list)):
        yield from ((f"result_{at}", value) for at, value in enumerate(result))
    else:
        yield "result", result


class _Outputs:
    """The outputs of a program, as they're named."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        #: The lines of the text, and what they compute.
        self.lines: list[tuple[str, int]] = []
        self.kinds: dict[str, OutputKind] = {}
        self.claimed: set[str] = set()

    def claim(self, name: str) -> None:
        if name in self.claimed:
            raise TraceError(f"two outputs are named {name!r}: rename one of them", output=name)
        self.claimed.add(name)

    def add(self, name: object, value: object) -> None:
        """Takes an output, which may give several results."""
        problem = (
            output_name_problem(name)
            if isinstance(name, str)
            else f"an output is named {shortened(name)}: names are texts"
        )
        if problem is not None:
            raise TraceError(problem, output=name)
        name = str(name)
        self.claim(name)
        if isinstance(value, Counts) and value.is_intact:
            self._taken(name, value.call)
            results = [f"{name}_{'minus_' if at < 0 else ''}{abs(at)}" for at in value]
            self._put(name, value.call._place, results, OutputKind("int64", "number"))
        elif isinstance(value, Traced):
            self._taken(name, value)
            results = [name]
            if value._node.op == "least_squares":
                results = [f"{name}_{result}" for result in self._explaining(value)]
            shape: Literal["column", "number"] = "column" if value._node.is_column else "number"
            self._put(name, value._place, results, OutputKind(cast(Dtype, str(value.dtype)), shape))
        else:
            place, dtype = self._constant(name, value)
            self._put(name, place, [name], OutputKind(dtype, "number"))

    def _put(self, name: str, place: int, results: list[str], kind: OutputKind) -> None:
        self.lines.append((name, place))
        for result in results:
            if result != name:
                self.claim(result)
            if len(result.encode()) > MAX_NAME_BYTES:
                raise TraceError(
                    f"output {name!r} gives {result!r}, longer than {MAX_NAME_BYTES} bytes: shorten the name"
                )
            self.kinds[result] = kind

    def _taken(self, name: str, value: Traced) -> None:
        """Refuses values that can't be outputs."""
        if value._graph is not self.graph:
            raise TraceError(
                f"output {name!r} is a value of another trace: compute it inside of the function that is traced",
                output=name,
            )
        if value.dtype == TEXT:
            x = value._excerpt()
            raise TraceError(
                f"output {name!r} is text, {x}, and results are numbers: return a condition, such as {x} == 'north'",
                output=name,
            )

    def _explaining(self, value: Traced) -> list[str]:
        """The names of what least squares gives, as the language makes them."""
        names = ["intercept"]
        columns = self.graph.nodes[value._node.args[1]].args
        for at, place in enumerate(columns, 1):
            node = self.graph.nodes[place]
            column = str(node.value)
            is_named = node.op == "column" and is_identifier(f"_{column}") and column not in names
            names.append(column if is_named else str(at))
        return names

    def _constant(self, name: str, value: object) -> tuple[int, Dtype]:
        """A plain number as an output."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        try:
            number = exact(value)
        except ValueError:
            found = "None" if value is None else f"a {type(value).__name__}"
            if isinstance(value, Mapping):
                found = f"a {type(value).__name__}, and outputs aren't nested"
            raise TraceError(
                f"output {name!r} is {found}: return columns and numbers, as in "
                "{'score': z, 'mean_score': np.mean(z)}",
                output=name,
            ) from None
        kind: Dtype = "int64" if isinstance(value, (int, np.integer)) else "float64"
        return self.graph.constant(number), "bool" if isinstance(value, (bool, np.bool_)) else kind


def _program(graph: Graph, result: object) -> Program:
    """The program of what a function returned."""
    if inspect.iscoroutine(result):
        result.close()
        raise TraceError(
            "the function is asynchronous, and it's called once without waiting: write def in place of async def"
        )
    if inspect.isgenerator(result):
        raise TraceError("the function yields its results: return all of them, in a dict")
    outputs = _Outputs(graph)
    for name, value in _named(result):
        outputs.add(name, value)
    if not outputs.lines:
        raise TraceError("the function returns no outputs: return {'score': score}, for example")
    reachable = graph.reachable([place for _, place in outputs.lines])
    used = {str(graph.nodes[place].value) for place in reachable if graph.nodes[place].op == "column"}
    for name in (*outputs.claimed,):
        if name in used:
            raise TraceError(
                f"output {name!r} has the name of a column that the function reads: name it {name + '_result'!r}",
                output=name,
            )
    inputs = tuple(column for column in graph.schema.columns if column in used)
    return Program(program_text(graph, outputs.lines), inputs, outputs.kinds)
