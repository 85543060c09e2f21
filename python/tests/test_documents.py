"""Every example in Python of the documents runs."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def blocks(name):
    text = (TOP / name).read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    # README shows programs too, which are colored as Python, and the page on triples what reads an export.
    is_mixed = name in ("README.md", "docs/triples.md")
    return [code for code in found if not is_mixed or "asanoha" in code]


PAGES = [
    ("README.md", 1),
    ("python/README.md", 1),
    ("docs/python.md", 21),
    ("docs/start-python.md", 4),
    ("docs/distributed.md", 7),
    ("docs/triples.md", 1),
]


@pytest.mark.parametrize(("name", "least"), PAGES)
def test_the_examples_run_one_after_another(name, least, monkeypatch, capsys):
    monkeypatch.chdir(TOP)
    found = blocks(name)
    assert len(found) >= least
    space = {}
    for number, code in enumerate(found):
        exec(compile(code, f"{name}, block {number}", "exec"), space)
    if name == "python/README.md":
        assert capsys.readouterr().out == "8160\n"
    if name == "README.md":
        assert "0.59236" in capsys.readouterr().out
        assert abs(space["results"]["mean_score"].values - 0.5068879) < 1e-6
