"""asanoha's answers: a client and a server in one process, and bytes between them."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import asanoha as asa
import numpy as np
import pandas as pd
import sklearn
from asanoha import _asanoha
from asanoha.sklearn import bin_by_thresholds, function

from models import ALL, RISK, Case
from worker import Stopwatch, answer

EXAMPLES = Path(__file__).parents[3] / "examples"
DECIMALS = 2


class Encrypted:
    """A plan with client, server and rows of data."""

    def __init__(self, program: Any, schema: asa.Schema) -> None:
        start = time.perf_counter()
        self.plan = asa.plan(program, schema)
        planned = time.perf_counter()
        self.client = asa.Client.generate(self.plan)
        keys = self.client.evaluation_keys()
        keyed = time.perf_counter()
        self.server = asa.Server(self.plan, keys)
        self.figures: dict[str, Any] = {
            "scheme": self.plan.scheme,
            "security_bits": self.plan.security_bits,
            "rows": schema.rows,
            "plan_s": planned - start,
            "keys_s": keyed - planned,
            "keys_bytes": len(keys),
            "predicted_in_memory_s": self.plan.predicted["evaluate_s"],
        }

    def run(self, data: Any, watch: Stopwatch) -> asa.Results:
        inputs = self.client.encrypt(data)
        watch.stage("encrypt")
        results = self.server.evaluate(inputs)
        watch.stage("evaluate")
        decrypted = self.client.decrypt(results, of=inputs)
        watch.stage("decrypt")
        self.figures |= {"input_bytes": len(inputs), "output_bytes": len(results)}
        return decrypted


class ModelWork(Encrypted):
    """A model of scikit-learn, on all rows at once or on single ones."""

    def __init__(self, name: str, mode: str) -> None:
        self.case = Case(name)
        self.data = {name: values.to_numpy() for name, values in self.case.features.items()}
        # A forest's leaf values that are rounded to decimals are computed exactly, by schemes that are fast on trees.
        self.rounds = hasattr(self.case.model, "n_estimators") and not self.case.classifies
        self.function = function(self.case.estimator, decimals=DECIMALS if self.rounds else None)
        self.is_tree = bool(self.function.kinds)
        bins = {name: asa.Whole(0, count - 1) for name, count in self.function.kinds.items()}
        rows = len(self.case.target)
        schema = asa.Schema(bins or asa.Schema.of(self.data).columns, rows=rows if mode == "batched" else 1)
        super().__init__(self.function, schema)
        self.batches = itertools.cycle([ALL] if mode == "batched" else [slice(row, row + 1) for row in range(rows)])
        self.figures["agreement"] = self.compared(next(self.batches), Stopwatch())

    def compared(self, rows: slice, watch: Stopwatch) -> dict[str, Any]:
        """Runs on some rows and compares the results with scikit-learn's."""
        data = {name: values[rows] for name, values in self.data.items()}
        results = self.run(bin_by_thresholds(self.case.estimator, data) if self.is_tree else data, watch)
        predictions = self.function.finish_predict(results)
        bound = max(result.error_bound for result in results.values())
        if self.function.votes_scale is not None:
            scores, bound = self.function.finish_proba(results), self.function.tie_bound or 0.0
        elif self.is_tree and self.case.classifies:
            scores = None
        elif self.function.outputs == ("value_index",):
            scores, bound = predictions.reshape(-1, 1), 0.0
        else:
            scores = np.column_stack([results[name].values for name in self.function.outputs])
            bound += 0.5 * 10.0**-DECIMALS if self.rounds else 0
        return self.case.agreement(predictions, scores, bound, rows)

    def sample(self) -> dict[str, Any]:
        watch = Stopwatch()
        found = self.compared(next(self.batches), watch)
        return watch.seconds | {"wrong": found["wrong"]}


class RiskWork(Encrypted):
    """The risk score of the examples, which is no model of scikit-learn."""

    def __init__(self) -> None:
        frame = pd.read_csv(EXAMPLES / "data" / "diabetes.csv")
        self.data = {name: frame[name].to_numpy() for name in ("bmi", "bp", "s5")}
        super().__init__((EXAMPLES / "risk.asa").read_text(), asa.Schema.of(self.data))
        z = 0.05 * (frame.bmi - 26) + 0.02 * (frame.bp - 94) + 0.01 * (frame.s5 * 10 - 46)
        score = (0.5 + 0.197 * z - 0.004 * z**3).to_numpy()
        self.wanted = {"score": score, "mean_score": score.mean()}
        self.figures["agreement"] = self.compared(Stopwatch())

    def compared(self, watch: Stopwatch) -> dict[str, Any]:
        """Runs and compares the results with NumPy's."""
        results = self.run(self.data, watch)
        errors = {name: np.abs(results[name].values - wanted) for name, wanted in self.wanted.items()}
        return {
            "rows": len(self.wanted["score"]),
            "error_bound": results["score"].error_bound,
            "max_error": float(errors["score"].max()),
            "wrong": sum(int(np.sum(error > results[name].error_bound)) for name, error in errors.items()),
        }

    def sample(self) -> dict[str, Any]:
        watch = Stopwatch()
        found = self.compared(watch)
        return watch.seconds | {"wrong": found["wrong"]}


def prepare(case: str, mode: str) -> ModelWork | RiskWork:
    return RiskWork() if case == RISK else ModelWork(case, mode)


backend, threads = _asanoha.machine()
versions = {"asanoha": asa.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
answer({"versions": versions, "kernels": backend, "threads": threads}, prepare)
