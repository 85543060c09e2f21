"""The programs of asanoha and its peers: how each is built, and their questions and answers."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "python"))

from environments import environment, processor, say  # noqa: E402

__all__ = ["OPERATIONS", "PEERS", "SCHEMES", "PeerError", "Program", "processor", "say", "start"]

SCHEMES = ("bgv", "bfv", "ckks")
OPERATIONS = ("product", "chain", "rotate", "encrypt", "decrypt", "encode")
PARAMETERS = ("log2_n", "log2_q", "log2_qp", "primes", "log2_scale", "security", "secret", "cannot")
ONE_THREAD = {name: "1" for name in ("GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")}


class Refused(Exception):
    """Why a peer is not measured here, known beforehand."""


class PeerError(Exception):
    """A program that cannot be built, ended, or gave an answer that is none."""


def run(command: list[str], what: str, **variables: str) -> str:
    """Runs a step of a build and returns what it prints."""
    try:
        done = subprocess.run(
            command, check=True, cwd=HERE, env=os.environ | variables, stdout=subprocess.PIPE, text=True
        )
    except OSError as error:
        raise PeerError(f"{what} needs {command[0]}, which cannot be run ({error.strerror}): install it") from error
    except subprocess.CalledProcessError as error:
        raise PeerError(f"{what} failed with status {error.returncode}; its messages are above") from error
    return done.stdout


def rust(package: str) -> list[str]:
    command = ["cargo", "build", "--release", "--locked", "--package", package]
    lines = run([*command, "--message-format", "json-render-diagnostics"], f"the build of {package}").splitlines()
    programs = [json.loads(line).get("executable") for line in lines]
    return [next(program for program in reversed(programs) if program)]


def ours() -> list[str]:
    return rust("asanoha-peer-ours")


def fhe() -> list[str]:
    return rust("asanoha-peer-fhe")


def fheanor() -> list[str]:
    raise Refused("fheanor 0.11.9 uses unstable features and builds with a nightly rustc only")


def lattigo() -> list[str]:
    if shutil.which("go") is None:
        raise PeerError("Lattigo needs Go 1.24 or newer, and there is no `go` on PATH: install it or extend PATH")
    program = HERE / "build" / "lattigo"
    command = ["go", "build", "-C", "lattigo", "-o", str(program), "."]
    run(command, "the build of lattigo", GOAMD64=os.environ.get("GOAMD64", instructions()))
    return [str(program)]


def instructions() -> str:
    """Returns what Go may use of this processor."""
    info = Path("/proc/cpuinfo")
    flags = info.read_text().split() if info.exists() else []
    return "v4" if "avx512vl" in flags else "v3" if "avx2" in flags else "v1"


def openfhe() -> list[str]:
    installed = os.environ.get("OPENFHE_DIR")
    if installed is None:
        return python("openfhe", "3.10")
    build = str(HERE / "build" / "openfhe")
    source = str(HERE / "openfhe" / "cpp")
    found = f"-DOpenFHE_ROOT={Path(installed).resolve()}"
    run(["cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", found], "cmake for OPENFHE_DIR")
    run(["cmake", "--build", build], "the build against OPENFHE_DIR")
    return [str(Path(build) / "peer")]


def tenseal() -> list[str]:
    return python("tenseal", "3.11")


def python(peer: str, version: str) -> list[str]:
    """Returns the command of a program in Python, with an environment of its own."""
    # With pyenv, the variable chooses the version.
    command = [f"python{version}", "-c", "import sys; print(sys.executable)"]
    try:
        base = run(command, peer, PYENV_VERSION=version).strip()
    except PeerError as error:
        raise PeerError(f"{peer} needs Python {version}: put a python{version} on PATH") from error
    folder = HERE / peer
    try:
        found = environment(HERE / f".venv-{peer}", folder / "requirements.txt", base)
    except subprocess.CalledProcessError as error:
        raise PeerError(f"the packages of {peer} cannot be installed; pip's message is above") from error
    return [found, str(folder / "peer.py")]


PEERS: dict[str, Callable[[], list[str]]] = {
    "openfhe": openfhe,
    "tenseal": tenseal,
    "lattigo": lattigo,
    "fhe": fhe,
    "fheanor": fheanor,
}


class Program:
    """A program that answers questions. `sets` has what it offers for each scheme and depth."""

    def __init__(self, peer: str, command: list[str]) -> None:
        self.peer, self._command = peer, command
        pipe, variables = subprocess.PIPE, os.environ | ONE_THREAD | {"PYTHONPATH": str(HERE)}
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=variables)
        except OSError as error:
            raise PeerError(f"{peer}: {command[0]} cannot be started ({error.strerror})") from error
        try:
            line = self._line()
        except PeerError:
            self.close()
            raise
        try:
            greeting = json.loads(line)
            self.name, self.version = str(greeting["name"]), str(greeting["version"])
            self.sets = {(offer["scheme"], int(offer["depth"])): checked(offer) for offer in greeting["sets"]}
        except (ValueError, KeyError, TypeError) as error:
            self.close()
            raise PeerError(f"{peer}: the first line is no greeting: {line.strip()[:100]!r}") from error

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerError(f"{self.peer} ended with status {self._process.wait()}")
        return line

    def ask(self, scheme: str, depth: int, operation: str) -> float:
        """Returns the milliseconds of an operation."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{scheme} {depth} {operation}\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise PeerError(f"{self.peer} ended with status {self._process.wait()}") from error
        answer = self._line().strip()
        if answer.startswith("error: "):
            raise PeerError(f"{self.peer}: {answer.removeprefix('error: ')}")
        try:
            milliseconds = float(answer)
        except ValueError:
            milliseconds = 0.0
        if not 0 < milliseconds < float("inf"):
            raise PeerError(f"{self.peer}: an answer is no time: {answer[:100]!r}")
        return milliseconds

    def offer(self, scheme: str, depth: int) -> dict[str, Any]:
        """Returns the parameters, or why there are none as `refused`."""
        return self.sets.get((scheme, depth), {"refused": "not offered"})

    def reason(self, scheme: str, depth: int, operation: str) -> str | None:
        """Returns why the program does not do an operation, or None if it does."""
        offer = self.offer(scheme, depth)
        if "refused" in offer:
            return str(offer["refused"])
        found: str | None = offer["cannot"].get(operation)
        return found

    def close(self) -> None:
        """Ends the process."""
        # Its end of the pipe may be closed already.
        with contextlib.suppress(BrokenPipeError), self._process:
            pass


def checked(offer: dict[str, Any]) -> dict[str, Any]:
    """Returns an offer that has a refusal or all parameters."""
    if offer.get("refused"):
        return {"refused": str(offer["refused"])}
    return {name: offer[name] for name in PARAMETERS}


def start(peers: list[str], depths: list[int]) -> tuple[Program, dict[str, Program], dict[str, str], list[str]]:
    """Builds and starts our program and the peers'.

    Returns ours, the peers', why other peers are not measured, and what went wrong.
    """
    say("building asanoha")
    our_command = ours()
    commands, reasons, failures = {}, {}, []
    for peer in peers:
        say(f"building {peer}")
        try:
            commands[peer] = PEERS[peer]()
        except Refused as error:
            reasons[peer] = str(error)
        except PeerError as error:
            reasons[peer] = str(error)
            failures.append(str(error))
    # One thread for all, which take turns. Programs inherit this.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    our_program = Program("asanoha", [*our_command, *map(str, depths)])
    scales = [f"{depth}:{round(our_program.sets['ckks', depth]['log2_scale'])}" for depth in depths]
    programs = {}
    for peer, command in commands.items():
        try:
            programs[peer] = Program(peer, [*command, *scales])
        except PeerError as error:
            reasons[peer] = str(error)
            failures.append(str(error))
    return our_program, programs, reasons, failures
