"""The virtual environments of the libraries, and the workers that run in them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LIBRARIES = ("asanoha", "tenseal", "concrete")
VERSIONS = [(3, 10), (3, 11), (3, 12)]


def python_of(library: str, given: str | None) -> str:
    """Returns the Python that has a library: the given one, or that of an environment beside this file."""
    if given is not None:
        return given
    # asanoha's sources may have changed since.
    folder, is_stale = HERE / f".venv-{library}", library == "asanoha"
    requirements = HERE / f"requirements-{library}.txt"
    if sys.version_info[:2] not in VERSIONS and not is_installed(folder, requirements):
        raise SystemExit(f"{library} needs Python 3.10, 3.11 or 3.12: run this with one, or give --{library} a Python")
    return environment(folder, requirements, sys.executable, is_stale)


def is_installed(folder: Path, requirements: Path) -> bool:
    installed = folder / "installed.txt"
    return installed.exists() and installed.read_text() == requirements.read_text()


def environment(folder: Path, requirements: Path, base: str, is_stale: bool = False) -> str:
    """Returns the Python of a virtual environment, which `base` makes unless the same requirements are installed there.

    If it is stale, they are installed again.
    """
    python, is_made = folder / "bin" / "python", is_installed(folder, requirements)
    if not is_made:
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
    if not is_made or is_stale:
        say(f"{folder.name}: installing {requirements.name}")
        install = [str(python), "-m", "pip", "install", "--quiet", "--requirement", requirements.name]
        subprocess.run(install, check=True, cwd=requirements.parent, stdout=sys.stderr)
        (folder / "installed.txt").write_text(requirements.read_text())
    return str(python)


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), platform.processor())


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class WorkerError(Exception):
    """A worker that raised an exception or ended."""


class Worker:
    """The process of one library, which answers one request after another."""

    def __init__(self, library: str, python: str, threads: int) -> None:
        variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
        self._command = [python, str(HERE / f"{library}_worker.py")]
        self._environment = os.environ | {variable: str(threads) for variable in variables}
        self._start()

    def _start(self) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True, env=self._environment)
        self.about = self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerError(f"{self._command[1]} ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def ask(self, do: str, case: str, mode: str) -> dict[str, Any]:
        """Returns the answer to a request. A worker that has ended is started again."""
        if self._process.poll() is not None:
            self._start()
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, "case": case, "mode": mode}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
