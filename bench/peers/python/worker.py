"""What the workers share: requests come in as lines of JSON, one at a time, and their answers go out."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, Protocol


class Work(Protocol):
    """One case of one library in one mode, with keys.

    `sample` runs once. It returns the seconds of `encrypt` (values to bytes), `evaluate` (bytes to bytes), `decrypt`
    (bytes to values) and, where a library can, `in_memory` (the evaluation alone, a part of `evaluate`), and the
    number of rows that came out `wrong`.
    """

    figures: dict[str, Any]

    def sample(self) -> dict[str, Any]: ...


class Stopwatch:
    """Seconds of named stages, one after another."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def stage(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now


def answer(about: dict[str, Any], prepare: Callable[[str, str], Work]) -> None:
    """Answers requests until there are no more. `prepare(case, mode)` makes keys and runs once.

    An exception is an answer, too: the driver reports it and goes on.
    """
    # Libraries print: only answers may reach the driver's pipe.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    works: dict[tuple[str, str], Work] = {}
    print(json.dumps(about), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        key = request["case"], request["mode"]
        found: dict[str, Any] = {}
        try:
            if request["do"] == "prepare":
                works[key] = prepare(*key)
                found = works[key].figures
            elif request["do"] == "sample":
                found = works[key].sample()
            else:
                works.clear()
        except Exception as error:
            traceback.print_exc()
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), file=answers, flush=True)
