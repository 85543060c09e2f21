"""asanoha beside TenSEAL and concrete-ml: the same models on the same data, in turns. See README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from dataclasses import dataclass
from typing import Any

from environments import LIBRARIES, Worker, WorkerError, processor, python_of, say
from report import summary, table

LINEAR = [
    "logistic regression",
    "logistic regression, 3 classes",
    "linear SVC",
    "SGD classifier",
    "linear regression",
    "ridge",
    "ridge, one-hot",
    "lasso",
    "elastic net",
    "linear SVR",
    "SGD regressor",
]
TREES = ["decision tree classifier", "decision tree regressor", "random forest classifier", "random forest regressor"]
WITH_CONCRETE = [*LINEAR[:2], "linear regression", *TREES]
QUICK = ["risk score", "logistic regression", "decision tree classifier"]


@dataclass(frozen=True)
class Effort:
    """How often a case is sampled: at least `fewest` rounds, then up to `most` within the seconds."""

    fewest: int
    most: int
    seconds: float


def round_of(case: str) -> list[tuple[str, str]]:
    """Returns the library and the mode of each sample of a round. Each peer's sample follows one of ours.

    Where a round lasts long because of a peer, it has more samples of ours.
    """
    jobs = [("asanoha", "batched")]
    if case in LINEAR:
        jobs += [("tenseal", "batched"), ("asanoha", "single"), ("tenseal", "single")]
    if case in TREES:
        jobs = [("asanoha", "batched"), ("asanoha", "single")] * 4
    if case in WITH_CONCRETE:
        jobs += [("asanoha", "single"), ("concrete", "single")]
    return jobs


def measure(case: str, workers: dict[str, Worker], effort: Effort) -> dict[str, Any]:
    """Returns the figures and samples of a case."""
    order = [job for job in round_of(case) if job[0] in workers]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for job in dict.fromkeys(order):
        found[job] = {"library": job[0], "mode": job[1], "samples": []}
        ask(workers, "prepare", case, job, found[job])
    start = time.monotonic()
    for done in range(effort.most):
        if done >= effort.fewest and time.monotonic() - start > effort.seconds:
            break
        for job in order:
            if "error" not in found[job]:
                ask(workers, "sample", case, job, found[job])
    for library in dict.fromkeys(library for library, _ in order):
        ask(workers, "forget", case, (library, ""), {})
    return {"case": case, "jobs": [summary(job) for job in found.values()]}


def ask(workers: dict[str, Worker], do: str, case: str, job: tuple[str, str], found: dict[str, Any]) -> None:
    """Adds the answer to a request, or the error."""
    library, mode = job
    try:
        answer = workers[library].ask(do, case, mode)
    except WorkerError as error:
        say(f"{case}, {library}, {mode}: {error}")
        found["error"] = str(error)
        return
    if do == "sample":
        found["samples"].append(answer)
    else:
        found |= answer


def failures(results: list[dict[str, Any]]) -> list[str]:
    """Returns what went wrong: errors of any library, and wrong rows."""
    jobs = [(result["case"], job) for result in results for job in result["jobs"]]
    found = [f"{case}, {job['library']}, {job['mode']}: {job['error']}" for case, job in jobs if "error" in job]
    for case, job in jobs:
        wrong = job.get("agreement", {}).get("wrong", 0) + sum(sample["wrong"] for sample in job["samples"])
        if wrong:
            found.append(f"{case}, {job['library']}, {job['mode']}: {wrong} wrong rows")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print all samples as JSON")
    parser.add_argument("--quick", action="store_true", help="a look: three cases, few samples")
    parser.add_argument("--only", action="append", metavar="CASE", help="run this case; may be repeated")
    parser.add_argument("--without", action="append", default=[], choices=LIBRARIES[1:], help="leave a peer out")
    parser.add_argument("--threads", type=int, help="processors that every library may use; all by default")
    for library in LIBRARIES:
        parser.add_argument(f"--{library}", metavar="PYTHON", help=f"a Python that has {library}")
    options = parser.parse_args()
    cases = options.only or (QUICK if options.quick else ["risk score", *LINEAR, *TREES])
    unknown = [case for case in cases if case not in ["risk score", *LINEAR, *TREES]]
    if unknown:
        parser.error(f"there is no case {unknown[0]!r}: choose from {', '.join(['risk score', *LINEAR, *TREES])}")
    available = sorted(os.sched_getaffinity(0))
    if options.threads is not None and not 1 <= options.threads <= len(available):
        parser.error(f"--threads is {options.threads}, and there are {len(available)} processors")
    pythons = {
        library: python_of(library, getattr(options, library))
        for library in LIBRARIES
        if library not in options.without
    }
    # Workers inherit this. Only one of them works at a time.
    os.sched_setaffinity(0, available[: options.threads])
    threads = len(os.sched_getaffinity(0))
    try:
        workers = {library: Worker(library, python, threads) for library, python in pythons.items()}
    except WorkerError as error:
        raise SystemExit(str(error)) from error
    effort = Effort(1, 5, 5.0) if options.quick else Effort(3, 15, 15.0)
    machine = {"processor": processor(), "threads": threads, "python": platform.python_version()}
    libraries = {library: worker.about for library, worker in workers.items()}
    results = []
    for case in cases:
        say(case)
        results.append(measure(case, workers, effort))
        if not options.json:
            print(table(results[-1]), flush=True)
    for worker in workers.values():
        worker.close()
    if options.json:
        print(json.dumps({"machine": machine, "libraries": libraries, "results": results}, indent=1))
    else:
        print(json.dumps({"machine": machine, "libraries": libraries}))
    failed = failures(results)
    if failed:
        raise SystemExit("\n".join(failed))


if __name__ == "__main__":
    main()
