"""Traces of functions: parameters, outputs, the text of programs, and its equality with the function on numpy's columns."""

from __future__ import annotations

import dataclasses
import functools
import pickle
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from traced_columns import SCHEMA, agrees, text_of

import asanoha._functions as asa
from asanoha._asanoha import functions, smooth_functions
from asanoha._kinds import Real, Whole
from asanoha._operations import SHARED
from asanoha._program import OutputKind, Program
from asanoha._schema import Schema
from asanoha._trace import trace
from asanoha.exceptions import TraceError


def risk(bmi: Any, bp: Any, s5: Any) -> Any:
    z = 0.05 * (bmi - 26) + 0.02 * (bp - 94) + 0.01 * (s5 * 10 - 46)
    score = 0.5 + 0.197 * z - 0.004 * z**3
    return {"score": score, "mean_score": np.mean(score)}


PATIENTS = Schema({"bmi": Real(0, 64), "bp": Real(0, 256), "s5": Real(0, 8), "age": Whole(0, 127)}, rows=442)


def test_the_first_example() -> None:
    program = trace(risk, PATIENTS)
    assert str(program) == (
        "_t1 = 0.05 * (bmi - 26) + 0.02 * (bp - 94) + 0.01 * (s5 * 10 - 46)\n"
        "score = 0.5 + 0.197 * _t1 - 0.004 * _t1**3\n"
        "mean_score = mean(score)"
    )
    assert program.inputs == ("bmi", "bp", "s5")
    assert dict(program.outputs) == {
        "score": OutputKind("float64", "column"),
        "mean_score": OutputKind("float64", "number"),
    }


# Parameters.


def test_parameters_are_columns_by_their_names() -> None:
    assert text_of(lambda n, x: n + x) == "result = n + x"
    program = trace(lambda x, *, m, **rest: m + x + rest["body mass"] * rest["count"], SCHEMA)
    assert program.text == "result = m + x + `body mass` * `count`"
    assert program.inputs == ("x", "m", "body mass", "count")

    def positional(x: Any, /, n: Any) -> Any:
        return x - n

    assert text_of(positional) == "result = x - n"
    assert text_of(functools.partial(positional, n=3)) == "result = x - 3"
    assert text_of(functools.partial(lambda scale, x: scale * x, 2)) == "result = 2 * x"

    def others(x: Any, **rest: Any) -> Any:
        assert list(rest) == [name for name in SCHEMA.columns if name != "x"]
        return x

    trace(others, SCHEMA)


def test_parameters_with_defaults_may_be_constants() -> None:
    def f(x: Any, slope: float = 0.5, /, offset: int = 3, *, scale: int = 2) -> Any:
        return (slope * x + offset) * scale

    assert text_of(f) == "result = (0.5 * x + 3) * 2"
    assert text_of(lambda x, n=5: x + n) == "result = x + n"


def test_columns_that_are_never_used_are_no_inputs() -> None:
    program = trace(lambda x, n, m: {"s": x + 1, "k": 3 * m}, SCHEMA)
    assert program.inputs == ("x", "m")


def nothing(*columns: Any) -> Any:
    return columns


async def waits(x: Any) -> Any:
    return x


def yields(x: Any) -> Any:
    yield x


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda bmy: bmy, "<lambda> has a parameter bmy, and the data have no such column but bmi, bp, s5, age: did you mean bmi?"),
        (lambda weight: weight, "rename the parameter, or give it a default to make it a constant"),
        (nothing, "nothing takes *columns, and columns are passed by their names: write **columns, which is a dict"),
        (waits, "the function is asynchronous, and it's called once without waiting: write def in place of async def"),
        (yields, "has a parameter x"),
        (3, "3 is no function with known parameters"),
    ],
)  # fmt: skip
def test_parameters_that_are_no_columns_are_refused(f: Any, message: str) -> None:
    columns = {**PATIENTS.columns, "x": Whole(0, 3)} if f is waits else PATIENTS.columns
    with pytest.raises(TraceError) as caught:
        trace(f, Schema(columns, rows=3))
    assert message in str(caught.value)


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(TraceError, match=r"the schema is 3: write asanoha\.Schema"):
        trace(risk, 3)  # type: ignore[arg-type]
    with pytest.raises(TraceError) as caught:
        trace(lambda weight: weight, PATIENTS)
    assert (caught.value.parameter, caught.value.columns) == ("weight", ["bmi", "bp", "s5", "age"])


def test_errors_of_the_function_itself_are_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        trace(lambda x: x * (1 / 0), SCHEMA)


# Outputs.


class Scores(NamedTuple):
    score: Any
    is_high: Any


@dataclasses.dataclass
class Sums:
    all_rows: Any
    some: Any


def test_outputs_have_names() -> None:
    assert text_of(lambda x: x + 1) == "result = x + 1"
    assert text_of(lambda x, n: (x, n + 1)) == "result_0 = x\nresult_1 = n + 1"
    assert text_of(lambda x, n: [x, n]) == "result_0 = x\nresult_1 = n"
    assert agrees(lambda n: Sums(np.sum(n), np.sum(n * (n > 2)))).text == "all_rows = sum(n)\nsome = sum(n * (n > 2))"
    program = trace(lambda x: Scores(x * 2, x > 3), SCHEMA)
    assert program.text == "score = x * 2\nis_high = x > 3"
    assert program.outputs["is_high"] == OutputKind("bool", "column")


def test_outputs_may_be_constants_and_columns() -> None:
    program = trace(
        lambda x, born: {"k": 3, "part": 0.25, "yes": True, "z": np.float64(2), "b": born, "r": np.array(7)}, SCHEMA
    )
    assert program.text == "k = 3\npart = 0.25\nyes = 1\nz = 2\nb = born\nr = 7"
    assert [kind.dtype for kind in program.outputs.values()] == [
        "int64",
        "float64",
        "bool",
        "float64",
        "datetime64[D]",
        "int64",
    ]
    assert [kind.shape for kind in program.outputs.values()] == ["number"] * 4 + ["column", "number"]
    assert program.inputs == ("born",)


REFUSED_OUTPUTS: list[tuple[Any, str]] = [
    (lambda x: {"lambda": x}, "'lambda' can't name an output, because it is a word of Python: write 'lambda_value'"),
    (lambda x: {"_a": x}, "'_a' can't name an output: names are ASCII letters, digits and _, and begin with a letter; write 'a'"),
    (lambda x: {"2nd score": x}, "write 'result_2nd_score'"),
    (lambda x: {"größe": x}, "'größe' can't name an output: names are ASCII letters"),
    (lambda x: {"": x}, "an output has an empty name: name it, such as 'score'"),
    (lambda x: {"a" * 300: x}, "the name of an output has 300 characters: names have up to 256"),
    (lambda x: {3: x}, "an output is named 3: names are texts"),
    (lambda x: {"x": x}, "output 'x' has the name of a column that the function reads: name it 'x_result'"),
    (lambda x, n: {"a": x, "n": 2 * n}, "output 'n' has the name of a column that the function reads"),
    (lambda x: None, "output 'result' is None: return columns and numbers, as in {'score': z, 'mean_score': np.mean(z)}"),
    (lambda x: "text", "output 'result' is a str: return columns and numbers"),
    (lambda x: {"a": np.ones(3)}, "output 'a' is a ndarray"),
    (lambda x: {"a": {"b": x}}, "output 'a' is a dict, and outputs aren't nested"),
    (lambda x: {"a": float("nan")}, "output 'a' is a float"),
    (lambda x: {}, "the function returns no outputs: return {'score': score}, for example"),
    (lambda x: [], "the function returns no outputs"),
    (lambda region: region, "output 'result' is text, region, and results are numbers: return a condition, such as region == 'north'"),
    (lambda n: {"h_0": n + 1, "h": asa.histogram(n, 0, 1)}, "two outputs are named 'h_0': rename one of them"),
    (lambda n: {"a" * 255: asa.histogram(n, 0, 9)}, "longer than 256 bytes: shorten the name"),
    (yields, "the function yields its results: return all of them, in a dict"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "message"), REFUSED_OUTPUTS, ids=[message[:50] for _, message in REFUSED_OUTPUTS])
def test_outputs_that_have_no_name_or_value_are_refused(f: Any, message: str) -> None:
    with pytest.raises(TraceError) as caught:
        trace(f, SCHEMA)
    assert message in str(caught.value)


def test_outputs_may_have_the_name_of_a_column_that_is_not_read() -> None:
    assert text_of(lambda x: {"n": x + 1}) == "n = x + 1"
    assert text_of(lambda x: {"count": x, "std": np.std(x)}) == "count = x\nstd = std(x)"


def test_outputs_may_have_the_names_of_functions() -> None:
    def f(x: Any, n: Any) -> Any:
        mean = np.mean(x * n)
        return {"mean": mean, "sum": mean + np.mean(n), "where": np.where(n > 1, mean, x), "max": np.maximum(mean, x)}

    assert agrees(f).text == (
        "mean = mean(x * n)\nsum = mean + mean(n)\nwhere = where(n > 1, mean, x)\nmax = max(mean, x)"
    )


# Text.


def test_what_is_used_more_than_once_has_a_line() -> None:
    def f(x: Any, n: Any) -> Any:
        a = x + n
        b = a * a
        return {"p": b - 1, "q": b + a, "r": np.exp(b + a), "s": np.exp(x + n)}

    assert text_of(f) == ("_t1 = x + n\n_t2 = _t1 * _t1\np = _t2 - 1\nq = _t2 + _t1\nr = exp(q)\ns = exp(_t1)")
    assert text_of(lambda x: (np.std(x), np.std(x))) == "result_0 = std(x)\nresult_1 = std(x)"
    assert text_of(lambda x: (x * 2, x * 2, x)) == "result_0 = x * 2\nresult_1 = result_0\nresult_2 = x"
    assert text_of(lambda x: (1 + x * 2, x * 2)) == "_t1 = x * 2\nresult_0 = 1 + _t1\nresult_1 = _t1"


def test_names_of_lines_inside_are_no_columns() -> None:
    schema = Schema({"_t1": Whole(0, 3), "__t7": Whole(0, 3), "_t": Whole(0, 3)}, rows=2)
    text = text_of(lambda **data: (data["_t1"] + data["__t7"]) ** 2 + (data["_t1"] + data["__t7"]), schema)
    assert text == "___t1 = _t1 + __t7\nresult = ___t1**2 + ___t1"


def test_brackets_stand_where_they_are_needed_only() -> None:
    for f, text in [
        (lambda x, y, m: (x + y) + m, "x + y + m"),
        (lambda x, y, m: x + (y + m), "x + (y + m)"),
        (lambda x, y, m: x - (y - m), "x - (y - m)"),
        (lambda x, y, m: x * y + m / x, "x * y + m / x"),
        (lambda x, y, m: x * (y + m), "x * (y + m)"),
        (lambda x, y, m: x / (y * m), "x / (y * m)"),
        (lambda x, y, m: x * -y - -m, "x * -y - -m"),
        (lambda x, y, m: -(x + y) * m, "-(x + y) * m"),
        (lambda x, y, m: (-x) ** 2 - (-(x**2)), "(-x)**2 - -x**2"),
        (lambda x, y, m: (x * y) ** 3, "(x * y)**3"),
        (lambda x, y, m: -(-x), "-(-x)"),
        (lambda x, y, m: (x > y) * m, "(x > y) * m"),
        (lambda x, y, m: (x > y) == (y > m), "(x > y) == (y > m)"),
        (lambda x, y, m: ~(x > y) & (y > m) | (m > 1), "not x > y and y > m or m > 1"),
        (lambda x, y, m: ((x > y) | (y > m)) & ~((m > 1) & (m < 3)), "(x > y or y > m) and not (m > 1 and m < 3)"),
        (lambda x, y, m: (x > y) & ((y > m) & (m > 1)), "x > y and (y > m and m > 1)"),
        (lambda x, y, m: ~(x > y) + m, "(not x > y) + m"),
        (lambda x, y, m: np.maximum(x + y, (x > m) | (y > m)), "max(x + y, x > m or y > m)"),
    ]:
        assert agrees(f).text == f"result = {text}"


def test_columns_that_are_no_names_stand_in_back_quotes() -> None:
    columns = {name: Whole(0, 3) for name in ("kg/m²", "größe", "mean", "if", "2nd", "a b", "count")}
    schema = Schema(columns, rows=2)
    text = text_of(lambda **data: functools.reduce(lambda a, b: a + b, data.values()), schema)
    assert text == "result = `kg/m²` + größe + `mean` + `if` + `2nd` + `a b` + `count`"


def test_programs_are_equal_by_value_and_pickle() -> None:
    program, again = trace(risk, PATIENTS), trace(risk, PATIENTS)
    assert program == again and hash(program) == hash(again) and program is not again
    assert pickle.loads(pickle.dumps(program)) == program
    assert program != trace(lambda bmi: bmi + 1, PATIENTS)
    assert program != 3
    assert repr(Program("y = x", ["x"], {"y": OutputKind("float64", "column")})) == (
        "Program('y = x', inputs=('x',), outputs={'y': OutputKind(dtype='float64', shape='column')})"
    )
    with pytest.raises(AttributeError, match="programs are immutable"):
        program.text = "y = x"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="programs are immutable"):
        del program._text
    with pytest.raises(TypeError):
        program.outputs["y"] = OutputKind("bool", "column")  # type: ignore[index]


@pytest.mark.parametrize(
    "step",
    [
        lambda z, x: z * x + 1,
        lambda z, x: z + x,
        lambda z, x: 1 - z,
        lambda z, x: np.exp(-z),
        lambda z, x: np.where(z > 1, x, z),
    ],
)
def test_ten_thousand_operations_are_traced_in_a_moment(step: Any) -> None:
    def f(x: Any) -> Any:
        z = x
        for _ in range(10_000):
            z = step(z, x)
        return z

    began = time.monotonic()
    text = text_of(f)
    assert time.monotonic() - began < 20
    assert max(nesting(line) for line in text.splitlines()) <= 40


def nesting(line: str) -> int:
    """The deepest nesting of brackets in a line."""
    depth = deepest = 0
    for character in line:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        deepest = max(deepest, depth)
    return deepest


def test_long_chains_have_the_same_values_as_numpy() -> None:
    def f(m: Any, k: Any) -> Any:
        z = k
        for step in range(300):
            z = (z * m + step) % 7 if step % 3 else np.where(z > 3, m - z, z)
        return z

    agrees(f)


# The language.


def test_every_function_of_the_language_is_reached() -> None:
    page = (Path(__file__).parents[2] / "docs" / "programs.md").read_text(encoding="utf-8")
    operations = page.split("\n## Operations\n")[1].split("\n## ")[0]
    named = set(re.findall(r"([a-z_0-9]+)\(", operations)) - {"assumed", "python"}
    arguments = {name: least for name, least, _ in functions()}
    assert named == set(arguments)

    def f(x: Any, y: Any, n: Any, m: Any, k: Any, c: Any) -> Any:
        return {
            "a": np.where(c, abs(x), np.minimum(x, np.maximum(y, 1))) + asa.relu(np.clip(y, -1, 1)) + np.sign(n),
            "b": asa.less_than(x, y, 0.1) & (np.floor(y) > asa.round_half_up(y)),
            "e": np.sum(n)
            + asa.count(c)
            + np.mean(x)
            + np.var(x)
            + asa.cov(x, y)
            + asa.quantile(n, 0.5)
            + np.median(n),
            "d": np.dot(x, y) + asa.assume(np.sum(x), 0, 100),
            "s": np.std(x),
            "r": asa.corr(x, y),
            "h": asa.histogram(n, 0, 2),
            "w": asa.mean_where(x, c),
            "q": asa.ratio(np.sum(x), np.sum(y)),
            "l": asa.least_squares(y, [x, n]),
            "t": asa.table(k, [1, 2, 3]) + asa.table2(k, k, [[1, 2, 3]] * 3),
            "g": sum(getattr(np, name)(*[x, y][: arguments[name]]) for name in SHARED),
            "o": sum(getattr(asa, name)(x) for name in smooth_functions() if name not in SHARED),
        }

    text = text_of(f)
    # `linear(@w)` takes weights of a file by their names: a traced function has them as numbers. Words of other tools are operators and
    # functions of numpy here.
    missing = {name for name in arguments if not re.search(rf"\b{name}\(", text)}
    of_texts = {
        "linear",
        "and",
        "or",
        "xor",
        "any",
        "all",
        "between",
        "case_when",
        "ceil",
        "pow",
        "days",
        "year",
        "month",
    }
    of_tables = {"counta", "sumif", "averageif", "sumproduct", "var_samp", "stdev", "ratio_root", "formula"}
    assert missing == of_texts | of_tables
