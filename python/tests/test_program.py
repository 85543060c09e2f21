"""The program and the package with one folder of keys."""

import json
import subprocess

import numpy as np
import pytest
from remote_server import PROGRAM

import asanoha as asa
from asanoha.exceptions import DataError, WrongKeysError

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program asanoha is needed: cargo xtask python builds it")


def run(folder, *words):
    return json.loads(subprocess.run([PROGRAM, *words, "--json"], cwd=folder, check=True, capture_output=True).stdout)


@pytest.mark.parametrize("rows", [{"rows": 3}, {"max_rows": 40}])
def test_what_the_program_encrypted_is_decrypted_with_its_folder(rows, tmp_path):
    plan = asa.plan(lambda x: {"cube": x**3, "total": np.sum(x)}, asa.Schema({"x": asa.Whole(-100, 99)}, **rows))
    (tmp_path / "plan.json").write_bytes(plan.to_bytes())
    made = asa.Client.generate(plan)
    keys = tmp_path / "keys"
    keys.mkdir()
    made.save(keys)
    (tmp_path / "d.csv").write_text("x\n-97\nNA\n12\nNA\n99\n")
    encrypt = ["encrypt", "--plan", "plan.json", "--keys", "keys", "--data", "d.csv", "--missing", "mask"]
    report = run(tmp_path, *encrypt, "--out", "in")
    results = asa.Server(plan, made.evaluation_keys()).evaluate((tmp_path / "in").read_bytes())
    with pytest.raises(WrongKeysError, match="key generation"):
        asa.Client.generate(plan).decrypt(results)

    found = asa.Client.load(plan, keys).decrypt(results)
    assert found["cube"].values.tolist() == [-(97**3), None, 12**3, None, 99**3]
    assert found["cube"].missing.tolist() == [False, True, False, True, False]
    assert found["total"].values == 14
    (keys / report["record"]).unlink()
    with pytest.raises(DataError, match="didn't encrypt the inputs"):
        asa.Client.load(plan, keys).decrypt(results)
