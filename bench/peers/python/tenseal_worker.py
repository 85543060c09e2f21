"""TenSEAL's answers, for linear models, on features that the client has scaled in the clear.

Parameters are the smallest ones with 128 bits of security (the modulus of N = 4096 has at most 109 bits) that leave
room for values up to 512.

* `single`: a row is a vector, and its dot product with the weights takes rotations, as in TenSEAL's tutorials.
* `batched`: a feature is a vector of all rows. Without rescaling, an output costs a product by a number and an addition
  for each feature.
"""

from __future__ import annotations

import itertools
import os
import time
from typing import Any

import numpy as np
import sklearn
import tenseal as ts

from models import Case
from worker import Stopwatch, answer

THREADS = len(os.sched_getaffinity(0))
RING_DEGREE = 4096


class LinearWork:
    """A context of the client, one of the server, and a linear model."""

    def __init__(self, name: str, mode: str) -> None:
        self.case, self.is_batched = Case(name), mode == "batched"
        self.weights = np.atleast_2d(self.case.model.coef_)
        self.bias = np.atleast_1d(self.case.model.intercept_)
        bits, log2_scale = ([40, 40, 29], 35) if self.is_batched else ([41, 31, 37], 31)
        start = time.perf_counter()
        # Symmetric encryption is the faster one.
        symmetric = ts.ENCRYPTION_TYPE.SYMMETRIC
        self.client = ts.context(ts.SCHEME_TYPE.CKKS, RING_DEGREE, -1, bits, symmetric, THREADS)
        self.client.global_scale = 2**log2_scale
        if not self.is_batched:
            self.client.generate_galois_keys()
        keys = self.client.serialize(save_secret_key=False, save_relin_keys=False)
        keyed = time.perf_counter()
        self.server = ts.context_from(keys, THREADS)
        self.server.auto_rescale = not self.is_batched
        rows = len(self.case.target)
        batches = [slice(0, rows)] if self.is_batched else [slice(row, row + 1) for row in range(rows)]
        self.batches = itertools.cycle(batches)
        self.figures: dict[str, Any] = {
            "scheme": "ckks",
            "rows": rows if self.is_batched else 1,
            "keys_s": keyed - start,
            "keys_bytes": len(keys),
        }
        self.figures["agreement"] = self.compared(next(self.batches), Stopwatch())

    def evaluate(self, inputs: list[Any]) -> list[Any]:
        if not self.is_batched:
            pairs = zip(self.weights.tolist(), self.bias.tolist(), strict=True)
            return [inputs[0].dot(weights) + bias for weights, bias in pairs]
        return [weighted_sum(inputs, weights, bias) for weights, bias in zip(self.weights, self.bias, strict=True)]

    def run(self, rows: slice, watch: Stopwatch) -> Any:
        features = self.case.transformed[rows]
        vectors = features.T if self.is_batched else features
        sent = [ts.ckks_vector(self.client, vector.tolist()).serialize() for vector in vectors]
        watch.stage("encrypt")
        inputs = [ts.ckks_vector_from(self.server, one) for one in sent]
        watch.stage("read")
        results = self.evaluate(inputs)
        watch.stage("in_memory")
        answers = [result.serialize() for result in results]
        watch.stage("write")
        scores = np.column_stack([ts.ckks_vector_from(self.client, one).decrypt() for one in answers])
        watch.stage("decrypt")
        self.figures |= {"input_bytes": sum(map(len, sent)), "output_bytes": sum(map(len, answers))}
        return scores

    def compared(self, rows: slice, watch: Stopwatch) -> dict[str, Any]:
        scores = self.run(rows, watch)
        predictions = scores[:, 0]
        if self.case.classifies:
            places = scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(int)
            predictions = self.case.model.classes_[places]
        return self.case.agreement(predictions, scores, None, rows)

    def sample(self) -> dict[str, Any]:
        watch = Stopwatch()
        found = self.compared(next(self.batches), watch)
        seconds = watch.seconds
        seconds["evaluate"] = seconds.pop("read") + seconds["in_memory"] + seconds.pop("write")
        return seconds | {"wrong": found["wrong"]}


def weighted_sum(inputs: list[Any], weights: Any, bias: float) -> Any:
    """Returns the sum of inputs times weights, plus a bias.

    A vector that was not rescaled takes no plain addition, so the bias goes into an input before its product. Products
    with 0 are left out.
    """
    largest = int(np.argmax(np.abs(weights)))
    total = (inputs[largest] + float(bias / weights[largest])) * float(weights[largest])
    for place, weight in enumerate(weights.tolist()):
        if place != largest and weight != 0:
            total += inputs[place] * weight
    return total


versions = {"TenSEAL": ts.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
answer({"versions": versions, "threads": THREADS}, LinearWork)
