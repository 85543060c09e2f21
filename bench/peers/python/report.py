"""Medians and tables of samples."""

from __future__ import annotations

import statistics
from typing import Any

STAGES = ("encrypt", "evaluate", "in_memory", "decrypt")


def summary(job: dict[str, Any]) -> dict[str, Any]:
    """Returns a job with the median seconds of its stages, and of a round trip."""
    samples = job["samples"]
    if not samples:
        return job
    stages = [stage for stage in STAGES if stage in samples[0]]
    medians = {stage: statistics.median(sample[stage] for sample in samples) for stage in stages}
    trips = [sample["encrypt"] + sample["evaluate"] + sample["decrypt"] for sample in samples]
    return job | {"median_s": medians | {"round_trip": statistics.median(trips)}}


def table(result: dict[str, Any]) -> str:
    """Returns a case as text: a line for each library and mode, and the ratios."""
    measured = [job for job in result["jobs"] if "median_s" in job]
    heads: tuple[str, ...] = ("library", "mode", "rows", "encrypt ms", "evaluate ms", "in memory ms", "decrypt ms")
    heads += ("evaluate µs/row", "round trip µs/row", "in KiB", "out KiB", "keys KiB", "n", "agreement")
    lines = [heads, *map(cells, measured)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads) - 1)]
    text = [f"\n{result['case']}"]
    for line in lines:
        aligned = [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=False)]
        text.append("  ".join([line[0].ljust(widths[0]), line[1].ljust(widths[1]), *aligned, line[-1]]))
    return "\n".join([*text, *ratios(measured)])


def cells(job: dict[str, Any]) -> tuple[str, ...]:
    seconds, rows = job["median_s"], job["rows"]
    times = [f"{seconds[stage] * 1e3:.3g}" if stage in seconds else "-" for stage in STAGES]
    if "predicted_in_memory_s" in job:
        times[STAGES.index("in_memory")] = f"({job['predicted_in_memory_s'] * 1e3:.3g})"
    row = [f"{seconds[stage] / rows * 1e6:.3g}" for stage in ("evaluate", "round_trip")]
    sizes = [f"{job[name] / 1024:.4g}" for name in ("input_bytes", "output_bytes", "keys_bytes")]
    return (job["library"], job["mode"], str(rows), *times, *row, *sizes, str(len(job["samples"])), agreement(job))


def agreement(job: dict[str, Any]) -> str:
    found = job.get("agreement")
    if found is None:
        return "-"
    parts = []
    if "equal" in found:
        parts.append(f"{found['equal']}/{found['rows']} labels")
    if "max_error" in found:
        parts.append(f"error {found['max_error']:.2g}")
    if found["error_bound"]:
        parts.append(f"bound {found['error_bound']:.2g}")
    if "quality" in found:
        parts.append(f"quality {found['quality']:.4f} (scikit-learn {found['quality_of_scikit_learn']:.4f})")
    wrong = found["wrong"] + sum(sample["wrong"] for sample in job["samples"])
    return ", ".join([*parts, f"{wrong} wrong"])


def ratios(jobs: list[dict[str, Any]]) -> list[str]:
    """Returns the time of a row with each peer over ours: above 1 ours is faster."""
    ours = {job["mode"]: job for job in jobs if job["library"] == "asanoha"}
    lines = []
    for peer in jobs:
        # A library without batches is compared with ours in both modes.
        modes = ["single", "batched"] if peer["library"] == "concrete" else [peer["mode"]]
        for mode in modes:
            if peer["library"] != "asanoha" and mode in ours:
                of_stage = (
                    f"{a_row(peer, stage) / a_row(ours[mode], stage):.3g} {stage.replace('_', ' ')}"
                    for stage in ("evaluate", "round_trip")
                )
                lines.append(f"  {peer['library']} {peer['mode']} / asanoha {mode}, a row: {', '.join(of_stage)}")
    return lines


def a_row(job: dict[str, Any], stage: str) -> float:
    seconds: float = job["median_s"][stage] / job["rows"]
    return seconds
