"""Messages: what the package's users can do, without flags or commands of the program."""

import re
import shutil
import tempfile

import numpy as np
import pytest

import asanoha as asa
from asanoha.exceptions import AsanohaError

WHOLE = asa.Whole(-8, 7)


def planned(function, rows=3, max_rows=None, **options):
    columns = options.pop("columns", {"x": WHOLE})
    schema = asa.Schema(columns, rows=None if max_rows else rows, max_rows=max_rows)
    return asa.plan(function, schema, **options)


def encrypted(function, values, missing="raise", **options):
    plan = planned(function, **options)
    asa.Client.generate(plan).encrypt(
        {"x": np.array(values, dtype=object if None in values else None)}, missing=missing
    )


def decrypted_by_a_stranger():
    plan = planned("y = x + 1")
    one, other = asa.Client.generate(plan), asa.Client.generate(plan)
    other.decrypt(asa.Server(plan, one.evaluation_keys()).evaluate(one.encrypt({"x": np.array([1, 2, 3])})))


def decrypted_without_inputs():
    plan = planned("y = x + 1", max_rows=3)
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    results = server.evaluate(client.encrypt({"x": np.array([1, 2, 3])}))
    client.encrypt({"x": np.array([1, 2])})
    client.decrypt(results)


def loaded_from_a_mixed_folder():
    plan = planned("y = x + 1")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        for folder in (one, other):
            asa.Client.generate(plan).save(folder)
        shutil.copy(f"{other}/public.safetensors", one)
        asa.Client.load(plan, one)


def planned_from_damaged_bytes():
    data = planned("y = x + 1").to_bytes()
    asa.Plan.from_bytes(re.sub(rb'"version": ?\d+', b'"version": 1', data))


REFUSED = {
    "other rows": (lambda: encrypted("y = x + 1", [1]), "plan again for these data, or plan with max_rows="),
    "more rows": (lambda: encrypted("y = x + 1", [1] * 4, max_rows=3), "plan with max_rows=4 or more"),
    "outside the range": (lambda: encrypted("y = x + 1", [1, 9, 0]), r'ranges={"x": \(lo, hi\)}'),
    "missing": (
        lambda: encrypted("y = x + 1", [1, None, 0]),
        'missing="mask", or fill the gaps with missing="mean" or missing="zero"',
    ),
    "zero divisor": (lambda: encrypted("y = 7 // x", [1, 0, 2]), r"np.where\(y == 0, 1, y\)"),
    "undecided": (
        lambda: encrypted("y = x > mean(x)", [1.0, 3.0, 2.0], columns={"x": asa.Real(-8, 8)}),
        r"asa.less_than\(a, b, gap\), or ask for more bits with precision=asa.Bits",
    ),
    "domain": (lambda: planned("y = log(x)"), r"narrow the ranges, as in ranges=.*, or add an offset"),
    "rank": (lambda: planned("y = quantile(x, 0.5)", max_rows=9), "rows= in place of max_rows="),
    "steps": (
        lambda: planned("y = floor(x)", columns={"x": asa.Real(-(2**40), 2**40)}, scheme="ckks"),
        r"np.clip\(x, lo, hi\) or asa.assume\(x, lo, hi\)",
    ),
    "too large": (lambda: planned("y = x**1024", scheme="bgv"), 'ranges=.*, or plan with scheme="ckks"'),
    "not exact": (
        lambda: planned("y = x**60", rows=2000, columns={"x": asa.Whole(0, 1023)}),
        r'tfhe: .*: narrow the ranges, as in ranges=.*\): plan with scheme="ckks", which approximates results$',
    ),
    "precision": (
        lambda: planned("y = x * x * 0.3", columns={"x": asa.Real(0, 8)}, precision=asa.Bits(50)),
        r"ask for less with precision=asa.Bits\([34]\d\), or narrow the ranges",
    ),
    "needs a centre": (
        lambda: asa.private("v = var(x)\nq = x * x", scheme="ckks")({"x": 1e8 + np.arange(8.0) / 7}),
        "and `q` needs them as they are: compute the two in programs of their own",
    ),
    "weights": (lambda: planned("y = dot([x], @w)"), "there are no weights `w`: write the constants in their place"),
    "range": (lambda: asa.Schema.of({"x": np.array([1])}, ranges={"x": (5, 1)}), '^the range of column "x", 5:1: '),
    "version": (planned_from_damaged_bytes, "of version 1; this program reads version .*: plan again$"),
    "a mixed folder": (
        loaded_from_a_mixed_folder,
        r": put files of one key generation there, or make new keys with Client.generate\(plan\)$",
    ),
    "a stranger": (decrypted_by_a_stranger, "use keys and ciphertexts of one key generation$"),
    "unnamed inputs": (decrypted_without_inputs, r": name the inputs with decrypt\(results, of=inputs\)$"),
}


def has_words_of_the_program(text: str) -> bool:
    return re.search(r"--[a-z]|`asanoha |keygen|NAME=|LO:HI", text) is not None


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_advise_in_words_of_the_package(name):
    refused, message = REFUSED[name]
    with pytest.raises(AsanohaError, match=message) as caught:
        refused()
    assert not has_words_of_the_program(str(caught.value))
    assert not has_words_of_the_program(str(caught.value.figures))


def test_a_result_without_a_value_says_what_to_do():
    frame = {"y": np.array([0.5, 1.25, -2.0]), "x": np.array([1.5, 2.5, 0.25])}
    results = asa.private("fit = least_squares(y, [x, 3 * x - 2])", scheme="ckks")(frame)
    assert results["fit_x"].missing.endswith(": ask for more bits with precision=asa.Bits(n)")


def test_candidates_say_why_in_words_of_the_package():
    plan = planned("y = x * x", columns={"x": asa.Whole(0, 2**400)}, scheme="ckks", precision=asa.Bits(10))
    why = {candidate["scheme"]: candidate["why"] for candidate in plan.candidates}
    assert "narrow the ranges, as in ranges=" in why["tfhe"]
    assert not any(has_words_of_the_program(text) for text in why.values())


def test_many_columns_are_listed_by_the_plan():
    names = [f"x{i}" for i in range(24)]
    plan = planned(f"y = {' + '.join(names)}", columns=dict.fromkeys(names, WHOLE))
    assert "and 4 more columns, as plan.public lists them" in str(plan)
