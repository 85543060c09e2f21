"""The situations of clients that the program, the npm package and this package answer or refuse alike."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from remote_server import PROGRAM

import asanoha as asa
from asanoha import exceptions

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="the program asanoha is needed: cargo xtask python builds it, or name it by ASANOHA_PROGRAM"
)

ALL = json.loads((Path(__file__).parents[2] / "crates/testkit/situations/client.json").read_text())


class Stage:
    """A folder in which the steps of one situation take place."""

    def __init__(self, folder, plan):
        self.folder = folder
        (folder / "p.asa").write_text(plan["program"])
        (folder / "p.csv").write_text(plan["data"])
        self.run(f"plan p.asa --data p.csv --out plan.json {plan['options']}")
        self.run("keygen --no-passphrase --plan plan.json --out keys")
        self.plan = asa.Plan.from_bytes((folder / "plan.json").read_bytes())
        #: The records of inputs by the inputs' names.
        self.records = {}

    def run(self, line):
        command = [PROGRAM, *line.split()]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def client(self, keys):
        return asa.Client.load(self.plan, self.folder / keys)

    def take(self, step):
        return getattr(self, step["do"])(**{key: value for key, value in step.items() if key != "do"})

    def program(self, call):
        self.run(call)

    def encrypt(self, data, keys="keys", missing="raise", canaries=None, **name):
        columns = {
            column: np.array(cells, dtype=object if None in cells else None)
            for column, cells in ALL["data"][data].items()
        }
        before = set((self.folder / keys).glob("inputs-*"))
        inputs = self.client(keys).encrypt(columns, missing=missing, canaries=canaries)
        (self.folder / name["as"]).write_bytes(inputs)
        (self.records[name["as"]],) = set((self.folder / keys).glob("inputs-*")) - before

    def evaluate(self, inputs, keys="keys", **name):
        self.run(f"evaluate --plan plan.json --keys {keys} --in {inputs} --out {name['as']}")

    def decrypt(self, results, keys="keys", of=None):
        named = None if of is None else (self.folder / of).read_bytes()
        return self.client(keys).decrypt((self.folder / results).read_bytes(), of=named)

    def copy(self, records, **paths):
        ignored = None if records else shutil.ignore_patterns("inputs-*")
        shutil.copytree(self.folder / paths["from"], self.folder / paths["to"], ignore=ignored)

    def cut(self, file):
        path = self.folder / file
        path.write_bytes(path.read_bytes()[:-8])

    def forget(self, inputs):
        self.records[inputs].unlink()

    def edit(self, inputs, cut=None, set=None):
        path = self.records[inputs]
        text = path.read_text()
        path.write_text(text[:-cut] if set is None else json.dumps(json.loads(text) | set))


@pytest.mark.parametrize("situation", ALL["situations"], ids=lambda situation: situation["name"])
def test_situations_are_answered_or_refused_as_by_the_program(situation, tmp_path):
    stage = Stage(tmp_path, ALL["plans"][situation["plan"]])
    *before, last = situation["steps"]
    for step in before:
        stage.take(step)
    if "refused" in situation:
        refused = situation["refused"]
        with pytest.raises(getattr(exceptions, refused["class"])) as caught:
            stage.take(last)
        assert refused["says"] in str(caught.value)
        return
    results = stage.take(last)
    for output, expected in situation["answers"].items():
        found = results[output]
        cells = expected if isinstance(expected, list) else [expected]
        gaps = [cell is None for cell in cells]
        missing = False if found.missing is None else found.missing
        assert np.broadcast_to(missing, len(cells)).tolist() == gaps
        values = np.ravel(found.values).astype(float)[~np.array(gaps)]
        assert np.allclose(values, [cell for cell in cells if cell is not None], rtol=0, atol=1e-3)
