"""concrete-ml's answers: single rows, on features that the client has scaled in the clear.

Models are trained by concrete-ml on the same rows, as its documentation does. `n_bits` are those of its documentation.
"""

from __future__ import annotations

import itertools
import os
import time
from typing import Any

import concrete.ml.sklearn
import numpy as np
import sklearn
from concrete import fhe
from concrete.ml.version import __version__ as version

from models import Case
from worker import Stopwatch, answer

LINEAR_BITS, TREE_BITS = 8, 6


class CircuitWork:
    """A compiled model with keys."""

    def __init__(self, name: str, mode: str) -> None:
        if mode != "single":
            raise ValueError("concrete-ml runs single rows")
        self.case = Case(name)
        kind = type(self.case.model)
        defaults = kind().get_params()
        options = {name: value for name, value in self.case.model.get_params().items() if value != defaults[name]}
        bits = TREE_BITS if "max_depth" in defaults else LINEAR_BITS
        self.model = getattr(concrete.ml.sklearn, kind.__name__)(n_bits=bits, **options)
        self.model.fit(self.case.transformed, self.case.target)
        start = time.perf_counter()
        self.circuit = self.model.compile(self.case.transformed)
        compiled = time.perf_counter()
        self.circuit.keygen(force=True)
        keyed = time.perf_counter()
        keys = self.circuit.client.evaluation_keys.serialize()
        self.figures: dict[str, Any] = {
            "scheme": "tfhe",
            "rows": 1,
            "n_bits": bits,
            "plan_s": compiled - start,
            "keys_s": keyed - compiled,
            "keys_bytes": len(keys),
            "keys_in_memory_bytes": self.circuit.size_of_bootstrap_keys + self.circuit.size_of_keyswitch_keys,
        }
        # What the quantised model predicts in the clear is what the circuit has to compute.
        self.predictions = self.model.predict(self.case.transformed, fhe="disable").reshape(-1)
        scores = None if self.case.classifies else self.predictions
        self.figures["agreement"] = self.case.agreement(self.predictions, scores, None)
        self.rows = itertools.cycle(range(len(self.case.target)))
        # The first evaluation unpacks the keys.
        self.sample()

    def sample(self) -> dict[str, Any]:
        row = next(self.rows)
        watch = Stopwatch()
        quantised = self.model.quantize_input(self.case.transformed[row : row + 1])
        sent = self.circuit.encrypt(quantised).serialize()
        watch.stage("encrypt")
        inputs = fhe.Value.deserialize(sent)
        watch.stage("read")
        result = self.circuit.run(inputs)
        watch.stage("in_memory")
        received = result.serialize()
        watch.stage("write")
        values = self.model.post_processing(
            self.model.dequantize_output(self.circuit.decrypt(fhe.Value.deserialize(received)))
        )
        watch.stage("decrypt")
        self.figures |= {"input_bytes": len(sent), "output_bytes": len(received)}
        seconds = watch.seconds
        seconds["evaluate"] = seconds.pop("read") + seconds["in_memory"] + seconds.pop("write")
        prediction = self.model.classes_[np.argmax(values)] if self.case.classifies else np.ravel(values)[0]
        return seconds | {"wrong": int(not np.isclose(prediction, self.predictions[row]))}


versions = {"concrete-ml": version, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
answer({"versions": versions, "threads": len(os.sched_getaffinity(0))}, CircuitWork)
