"""The package and the program make the same plan of README's function."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from test_documents import TOP, blocks

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target"))
PROGRAMS = [path for path in (TARGET / "release/asanoha", TARGET / "debug/asanoha") if path.is_file()]


@pytest.mark.skipif(not PROGRAMS, reason="the program isn't built: cargo build -p asanoha-cli")
def test_the_traced_plan_of_the_readme_is_that_of_its_program(tmp_path, monkeypatch):
    monkeypatch.chdir(TOP)
    (code,) = blocks("README.md")
    space = {}
    exec(compile(code, "README.md", "exec"), space)
    out = tmp_path / "plan.json"
    newest = max(PROGRAMS, key=lambda path: path.stat().st_mtime)
    # Columns of floats are real numbers to the package; of text with few places the program makes decimals, unless it's told.
    reals = [word for name in ("bmi", "bp", "s5") for word in ("--real", name)]
    arguments = ["plan", "examples/risk.asa", "--data", "examples/data/diabetes.csv", "--rows", "1000", *reals]
    subprocess.run([newest, *arguments, "--out", out], check=True, capture_output=True, timeout=300)
    of_package, of_program = json.loads(space["plan"].to_bytes()), json.loads(out.read_bytes())

    # The time is measured on this machine by each of the processes, so it differs from one to another.
    for plan in (of_package, of_program):
        assert plan["prediction"].pop("evaluate_s") > 0 and plan["prediction"].pop("read_s") > 0
    # The program reads the columns that it needs, and a frame has others, which no ciphertext holds.
    needed = {column["name"] for column in of_program["schema"]["columns"]}
    columns = of_package["schema"]["columns"]
    of_package["schema"]["columns"] = [column for column in columns if column["name"] in needed]
    assert needed == {"bmi", "bp", "s5"} and len(columns) > 3
    # All else is the same: program, schema, precision, scheme and parameters, derivation, schedule.
    assert of_package == of_program
    assert {"program", "params", "derivation", "circuit"} <= of_package.keys()
