"""Every operation: a traced program, evaluated, equals the function on numpy's columns, with numpy's dtypes."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from traced_columns import SCHEMA, agrees, text_of

import asanoha._functions as asa
from asanoha._dispatch import FUNCTIONS, UFUNCS
from asanoha._operations import SHARED
from asanoha._trace import trace
from asanoha.exceptions import TraceError

#: Functions of columns and the text that they become.
OPERATIONS: list[tuple[Callable[..., Any], str]] = [
    (lambda x, y: x + y, "x + y"),
    (lambda x: x + 1, "x + 1"),
    (lambda x: 1 + x, "1 + x"),
    (lambda x: x + 0, "x"),
    (lambda x: x + -3, "x - 3"),
    (lambda x: x - 0.5, "x - 0.5"),
    (lambda x: x - -0.5, "x + 0.5"),
    (lambda x: 2 - x, "2 - x"),
    (lambda n, m: n * m, "n * m"),
    (lambda n: 1 * n, "n"),
    (lambda n: n * 2.5, "n * 2.5"),
    (lambda n, m: n / m, "n / m"),
    (lambda n: n / 3, "n / 3"),
    (lambda m: 1 / m, "1 / m"),
    (lambda n: n / 1, "n"),
    (lambda x: x * 0.125, "x * 0.125"),
    (lambda x: x / 0.1, "x / 0.1"),
    (lambda n, m: n // m, "n // m"),
    (lambda n: n // 3, "n // 3"),
    (lambda n: n // -3, "n // -3"),
    (lambda m: 7 // m, "7 // m"),
    (lambda n: n // 0.5, "floor(n / 0.5)"),
    (lambda m: 0.5 // m, "1 // (2 * m)"),
    (lambda x: x // 2, "floor(x / 2)"),
    (lambda y, x: y // x, "floor(y / x)"),
    (lambda n, m: n % m, "n % m"),
    (lambda n: n % -4, "n % -4"),
    (lambda p: p % 2, "p % 2"),
    (lambda p: p % 0.5, "p - 0.5 * floor(p / 0.5)"),
    (lambda x: np.remainder(x, 2), "x - 2 * floor(x / 2)"),
    (lambda n: n**2, "n**2"),
    (lambda n: np.square(n), "n**2"),
    (lambda n: n**0, "n**0"),
    (lambda n: n**2.0, "n**2"),
    (lambda x: x**-2, "x**-2"),
    (lambda x: x**0.5, "sqrt(x)"),
    (lambda x: x**1.5, "sqrt(x)**3"),
    (lambda m: m**-1.0, "m**-1"),
    (lambda x: np.reciprocal(x), "1 / x"),
    (lambda n: -n, "-n"),
    (lambda n: +n, "n"),
    (lambda n: abs(n), "abs(n)"),
    (lambda n: np.fabs(n), "abs(n)"),
    (lambda c: np.abs(c), "c"),
    (lambda n: np.sign(n), "sign(n)"),
    (lambda y: np.sign(y), "sign(y)"),
    (lambda y: np.floor(y), "floor(y)"),
    (lambda y: np.ceil(y), "-floor(-y)"),
    (lambda n: np.floor(n), "n"),
    (lambda n: np.ceil(n / 1), "n"),
    (lambda n: np.round(n), "n"),
    (lambda n, y: np.maximum(n, y), "max(n, y)"),
    (lambda n: np.minimum(n, 2), "min(n, 2)"),
    (lambda n: np.fmax(n, 2.5), "max(n, 2.5)"),
    (lambda c, e: np.fmin(c, e), "c and e"),
    (lambda c, e: np.maximum(c, e), "c or e"),
    (lambda n: np.clip(n, 0, 3), "clip(n, 0, 3)"),
    (lambda n: n.clip(0.5, 3), "clip(n, 0.5, 3)"),
    (lambda n: np.clip(n, None, 3), "min(n, 3)"),
    (lambda n: np.clip(n, a_min=0, a_max=None), "max(n, 0)"),
    (lambda n, m: n < m, "n < m"),
    (lambda n: n <= 2.5, "n <= 2.5"),
    (lambda y: y > 0, "y > 0"),
    (lambda y: y <= 0, "y <= 0"),
    (lambda n: n == -2, "n == -2"),
    (lambda p: p != 2, "p != 2"),
    (lambda n: np.float64(3) == n, "3 == n"),
    (lambda c, e: c & e, "c and e"),
    (lambda c, e: c | e, "c or e"),
    (lambda c, e: c ^ e, "c != e"),
    (lambda c: ~c, "not c"),
    (lambda c, n: c & (n > 1) & True, "c and n > 1 and 1"),
    (lambda n, m: np.logical_and(n, m), "n != 0 and m != 0"),
    (lambda n, c: np.logical_or(n, c), "n != 0 or c"),
    (lambda n, c: np.logical_xor(n, c), "(n != 0) != c"),
    (lambda n: np.logical_not(n), "not n != 0"),
    (lambda c, e: c + e, "c or e"),
    (lambda c, e: c * e, "c and e"),
    (lambda c: c + 1, "c + 1"),
    (lambda c: c + 0, "c"),
    (lambda c, x: c * x, "c * x"),
    (lambda c, e: c / (e + 1), "c / (e + 1)"),
    (lambda c: c**2, "c**2"),
    (lambda c, e: c < e, "c < e"),
    (lambda c, e: np.where(c, e, ~e), "where(c, e, not e)"),
    (lambda n, x: np.where(n > 1, n, x), "where(n > 1, n, x)"),
    (lambda n: np.where(n, 1, -1), "where(n != 0, 1, -1)"),
    (lambda n, x: np.select([n > 3, n > 0], [x, 2 * x], -1), "where(n > 3, x, where(n > 0, 2 * x, -1))"),
    (lambda x: np.exp(x), "exp(x)"),
    (lambda x: np.exp2(x), "exp(log(2) * x)"),
    (lambda x: np.exp2(np.log2(x)), "exp(log(2) * log2(x))"),
    (lambda x: np.expm1(x), "exp(x) - 1"),
    (lambda x: np.log(x), "log(x)"),
    (lambda x: np.log1p(x), "log(1 + x)"),
    (lambda x: np.log2(x), "log2(x)"),
    (lambda x: np.log10(x), "log10(x)"),
    (lambda x: np.logaddexp(0, x), "log(exp(0) + exp(x))"),
    (lambda x: np.sqrt(x), "sqrt(x)"),
    (lambda y: np.tanh(y), "tanh(y)"),
    (lambda c: np.exp(c + 0), "exp(c)"),
    (lambda n: np.sum(n), "sum(n)"),
    (lambda c: c.sum(), "sum(c)"),
    (lambda x: x.sum(axis=0), "sum(x)"),
    (lambda n: np.mean(n), "mean(n)"),
    (lambda c: c.mean(), "mean(c)"),
    (lambda x: np.average(x), "mean(x)"),
    (lambda x, m: np.average(x, weights=m), "dot(x, m) / sum(m)"),
    (lambda x: np.var(x), "var(x)"),
    (lambda x: x.var(ddof=1), "1.2 * var(x)"),
    (lambda x: np.std(x), "std(x)"),
    (lambda n: np.min(n), "min(n)"),
    (lambda n: n.max(), "max(n)"),
    (lambda p: np.max(p * 100) / 100, "max(p * 100) / 100"),
    (lambda n: np.ptp(n), "max(n) - min(n)"),
    (lambda n: np.quantile(n, 0.5, method="inverted_cdf"), "quantile(n, 0.5)"),
    (lambda n: np.percentile(n, 25, method="inverted_cdf"), "quantile(n, 0.25)"),
    (lambda n: np.sum(np.sum(n)), "sum(n)"),
    (lambda n: np.mean(np.max(n)), "max(n)"),
    (lambda c: np.count_nonzero(c), "count(c)"),
    (lambda n: np.count_nonzero(n), "count(n != 0)"),
    (lambda n: np.count_nonzero(np.sum(n) > 6), "sum(n) > 6"),
    (lambda n: np.any(np.sum(n) > 6) & np.all(np.max(n)), "sum(n) > 6 and max(n) != 0"),
    (lambda n: np.any(n > 6), "count(n > 6) > 0"),
    (lambda c: c.all(), "count(not c) == 0"),
    (lambda n, x: np.dot(n, x), "dot(n, x)"),
    (lambda n, m: n @ m, "dot(n, m)"),
    (lambda n: n.dot(n), "dot(n, n)"),
    (lambda n: np.vdot(n, n), "dot(n, n)"),
    (lambda n: np.inner(2, n), "2 * n"),
    (lambda n: np.isin(n, [7, -2]), "n == 7 or n == -2"),
    (lambda n: np.isin(n, np.array([7]), invert=True), "not n == 7"),
    (lambda region: np.isin(region, ["it's", "south"]), "region == 'it\\'s' or region == 'south'"),
    (lambda region: region == "north", "region == 'north'"),
    (lambda region: region != "north", "region != 'north'"),
    (lambda region, place: region == place, "region == place"),
    (lambda born: born < datetime.date(1990, 1, 1), "born < 7305"),
    (lambda born: born == np.datetime64("2020-02-29"), "born == 18321"),
    (lambda born: born >= np.datetime64("2020-02"), "born >= 18293"),
    (lambda born: np.isin(born, np.array(["2020-02-29"], "datetime64[D]")), "born == 18321"),
    (lambda born, seen: seen >= born, "seen >= born"),
    (lambda born, seen: seen - born, "seen - born"),
    (lambda born: np.datetime64("2026-01-01") - born, "20454 - born"),
    (lambda born, seen: (seen - born) > np.timedelta64(365, "D"), "seen - born > 365"),
    (lambda born, seen: (seen - born) / np.timedelta64(1, "D"), "seen - born"),
    (lambda born: (born.astype(int) + 4) % 7, "(born + 4) % 7"),
    (lambda n: n.astype(float), "n"),
    (lambda c: c.astype(int) - 1, "c - 1"),
    (lambda n: n.astype(bool), "n != 0"),
    (lambda y: np.floor(y).astype(int), "floor(y)"),
    (lambda y: y.astype(np.float64), "y"),
    (lambda x: np.zeros_like(x) + 2, "0 * x + 2"),
    (lambda n: np.ones_like(n), "0 * n + 1"),
    (lambda n: np.full_like(n, 5), "0 * n + 5"),
    (lambda c: np.zeros_like(c, dtype=float), "0 * c"),
    (lambda x: np.copy(x), "x"),
    (lambda x: x.copy(), "x"),
    (lambda x: x * np.float32(0.5), "x * 0.5"),
    (lambda x: x * np.array(2), "x * 2"),
    (lambda x: x * 1e-30, "x * 1e-30"),
    (lambda x: np.multiply(x, 3), "x * 3"),
    (lambda n: n.ndim + np.ndim(n) + n, "2 + n"),
    (lambda n: np.sum(n).size + np.size(np.sum(n)) + n, "2 + n"),
    (lambda n: len(np.sum(n).shape) + len(np.shape(np.sum(n))) + n, "n"),
]


@pytest.mark.parametrize(("f", "text"), OPERATIONS, ids=[text for _, text in OPERATIONS])
def test_text_and_values_are_those_of_numpy(f: Callable[..., Any], text: str) -> None:
    program = agrees(f)
    assert program.text == f"result = {text}"


def test_divmod_gives_quotient_and_remainder() -> None:
    program = agrees(lambda n, m: divmod(n, m))
    assert program.text == "result_0 = n // m\nresult_1 = n % m"
    assert agrees(lambda n: np.divmod(n, 3)).text == "result_0 = n // 3\nresult_1 = n % 3"


def test_datetimes_at_midnight_are_dates() -> None:
    assert text_of(lambda born: born < datetime.datetime(2020, 1, 1)) == "result = born < 18262"


def test_in_place_operators_rebind() -> None:
    def f(x: Any, n: Any) -> Any:
        z = 0.0
        z += x
        z *= 2
        z -= n
        z /= 4
        return z

    assert agrees(f).text == "result = (x * 2 - n) / 4"


def test_constants_are_exact() -> None:
    assert text_of(lambda x: x * 0.1) == "result = x * 0.1"
    assert text_of(lambda x: x * (1 / 3)) == "result = x * 0.3333333333333333"
    assert text_of(lambda x: x * Fraction(1, 3)) == "result = x * (1/3)"
    assert text_of(lambda x: x * Fraction(1, 4)) == "result = x * 0.25"
    assert text_of(lambda x: x + Fraction(-1, 3)) == "result = x - 1/3"
    assert text_of(lambda x: x * decimal.Decimal("1.10")) == "result = x * 1.1"
    assert text_of(lambda x: x * np.float32(0.1)) == "result = x * 0.10000000149011612"
    assert text_of(lambda x: x * 10**25) == "result = x * 1e25"
    assert text_of(lambda x: x * (10**25 + 1)) == f"result = x * {10**25 + 1}"
    assert text_of(lambda x: x * np.uint64(2**64 - 1)) == f"result = x * {2**64 - 1}"
    assert text_of(lambda x: x * 5e-324) == "result = x * 5e-324"
    assert text_of(lambda x: x * -2) == "result = x * -2"
    assert text_of(lambda x: x + True) == "result = x + 1"


def test_scipys_functions_are_known_by_name() -> None:
    special = pytest.importorskip("scipy.special")
    assert agrees(lambda y: special.expit(y)).text == "result = sigmoid(y)"
    schema_text = text_of(lambda x: special.logit(x / 8))
    assert schema_text == "_t1 = x / 8\nresult = log(_t1 / (1 - _t1))"


def test_python_builtins_work_where_numpy_columns_do() -> None:
    weights = [0.5, -2, 3]
    program = agrees(lambda x, y, n: sum(w * v for w, v in zip(weights, (x, y, n), strict=True)))
    assert program.text == "result = 0.5 * x + -2 * y + 3 * n"
    assert text_of(lambda n: pow(n, 3)) == "result = n**3"
    assert text_of(lambda n: pow(n, -1, 2**127 - 1)) == f"result = pow(n, -1, {2**127 - 1})"
    assert text_of(lambda n: n * n % (2**127 - 1)) == f"result = n * n % {2**127 - 1}"


@pytest.mark.parametrize("a", [np.bool_, np.int64, np.float64])
@pytest.mark.parametrize("b", [np.bool_, np.int64, np.float64])
@pytest.mark.parametrize(
    "ufunc",
    [
        np.add,
        np.subtract,
        np.multiply,
        np.divide,
        np.floor_divide,
        np.remainder,
        np.maximum,
        np.fmin,
        np.less,
        np.equal,
    ],
)
def test_dtypes_are_numpys(ufunc: np.ufunc, a: type, b: type) -> None:
    columns = {np.bool_: ("c", "e"), np.int64: ("n", "m"), np.float64: ("p", "p")}
    kinds = {"b": "bool", "i": "int64", "f": "float64"}
    names = columns[a][0], columns[b][1]

    def f(**data: Any) -> Any:
        return ufunc(*(data[name] for name in names))

    try:
        expected = kinds[ufunc(np.empty(0, a), np.empty(0, b)).dtype.kind]
    except TypeError:
        with pytest.raises(TraceError, match="numpy computes it of no booleans"):
            trace(f, SCHEMA)
    else:
        assert trace(f, SCHEMA).outputs["result"].dtype == expected


def test_every_rule_is_tested() -> None:
    tested = {
        "add subtract multiply divide floor_divide remainder divmod power square reciprocal negative positive absolute fabs sign",
        "floor ceil maximum minimum fmax fmin clip less less_equal greater greater_equal equal not_equal logical_and logical_or",
        "logical_xor logical_not bitwise_and bitwise_or bitwise_xor invert exp exp2 expm1 log log1p log2 log10 logaddexp sqrt tanh",
        "expit logit matmul",
    }
    names = {name for line in tested for name in line.split()}
    # Functions that numpy has under the language's names are tested by the list of the language.
    assert set(UFUNCS) - names - set(SHARED) == {"vecdot"}
    tested = {
        "sum mean average var std min max ptp quantile percentile count_nonzero any all dot inner vdot where select clip isin",
        "astype round full_like zeros_like ones_like shape size copy",
    }
    names = {name for line in tested for name in line.split()}
    assert set(FUNCTIONS) - names == {"median", "ndim", "real"}


def test_functions_of_the_rest_of_numpys_names() -> None:
    assert text_of(lambda n: np.amax(n) - np.amin(n)) == "result = max(n) - min(n)"
    assert text_of(lambda n: np.around(n) * np.ndim(n) + np.real(n)) == "result = n + n"
    assert text_of(lambda n, m: np.true_divide(n, m)) == "result = n / m"
    if hasattr(np, "vecdot"):
        assert agrees(lambda n, m: np.vecdot(n, m)).text == "result = dot(n, m)"


def test_dot_of_lists_is_one_sum_of_products() -> None:
    assert agrees(lambda x, y: asa.dot([x, y], [0.5, -2])).text == "result = dot([x, y], [0.5, -2])"
