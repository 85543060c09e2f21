"""The number of rows: that of a plan, that of data, and that of the rows that count."""

import numpy as np
import pytest

import asanoha as asa
from asanoha.exceptions import TraceError

NS = np.array([4, 9, 1, 6, 5])
MISSING = np.array([4, None, 1, 7], dtype=object)


def advised(n):
    """A share of rows and a mean, as the refusal of `n.shape[0]` says."""
    return {"mean": np.mean(n), "share": np.mean(n > 4), "total": np.sum(n), "double": 2 * n}


def evaluated(plan, data, **options):
    client = asa.Client.generate(plan)
    server = asa.Server(plan, client.evaluation_keys())
    return client.decrypt(server.evaluate(client.encrypt(data, **options)))


@pytest.mark.parametrize(
    ("rows", "data", "options"),
    [
        ({"max_rows": 700}, NS, {}),
        ({"max_rows": 700}, MISSING, {"missing": "mask"}),
        ({"rows": 8}, NS, {"canaries": 3}),
        ({"max_rows": 700}, MISSING, {"missing": "mask", "canaries": 2}),
    ],
    ids=str,
)
def test_a_mean_is_of_the_rows_that_count(rows, data, options):
    schema = asa.Schema({"n": asa.Whole(0, 9)}, **rows)
    for f in (lambda n: {"y": np.sum(n) / n.shape[0]}, lambda n: {"y": n.sum() / n.size}):
        with pytest.raises(TraceError, match=r"write np\.mean\(n\) for np\.sum\(n\) / n\.(shape\[0\]|size)"):
            asa.plan(f, schema)
    results = evaluated(asa.plan(advised, schema), {"n": data}, **options)
    counted = np.array([value for value in data if value is not None])
    assert results["mean"].values == np.mean(counted) and results["mean"].exact
    assert results["share"].values == np.mean(counted > 4)
    # The rest of the advice: a sum is divided after decryption.
    assert results["total"].values / len(counted) == np.mean(counted)
