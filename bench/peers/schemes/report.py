"""Tables for human readers."""

from __future__ import annotations

from typing import Any

PARAMETERS = ("library", "log2 N", "log2 Q", "log2 QP", "primes", "log2 scale", "security", "secret")
TIMES = ("operation", "library", "min ms", "median ms", "peer/ours", "least", "largest", "rounds")


def table(result: dict[str, Any]) -> str:
    """Returns the parameters and times of a scheme at a depth. A reason replaces figures that there are not."""
    title = f"{result['scheme'].upper()}, depth {result['depth']}"
    parameters = [(name, *parameter_cells(found)) for name, found in result["sets"].items()]
    times: list[tuple[str, ...]] = []
    for row in result["rows"]:
        ours = (number(row["ms_min"]), number(row["ms_median"])) if "ms_min" in row else ("-", "-")
        times.append((row["operation"], "asanoha", *ours, "", "", "", ""))
        times += [("", name, *time_cells(found)) for name, found in row["peers"].items()]
    lines = [f"\n{title}", *aligned(PARAMETERS, parameters, 1)]
    return "\n".join([*lines, "", *aligned(TIMES, times, 2)] if times else lines)


def parameter_cells(found: dict[str, Any]) -> tuple[str, ...]:
    if "refused" in found:
        return (found["refused"],)
    sizes = [found[name] for name in ("log2_q", "log2_qp", "log2_scale")]
    log2_q, log2_qp, scale = ("-" if size is None else f"{size:.0f}" for size in sizes)
    primes = "-" if found["primes"] is None else "+".join(map(str, found["primes"]))
    return str(found["log2_n"]), log2_q, log2_qp, primes, scale, found["security"], found["secret"]


def time_cells(found: dict[str, Any]) -> tuple[str, ...]:
    if "reason" in found:
        return (found["reason"],)
    names = ("ms_min", "ms_median", "ratio", "ratio_least", "ratio_largest")
    return *(number(found[name]) for name in names), str(len(found["rounds_ms"]))


def number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def aligned(heads: tuple[str, ...], rows: list[tuple[str, ...]], words: int) -> list[str]:
    """Returns lines whose first columns, of words, are aligned to the left. A reason takes what is left of its line."""
    whole = [row for row in (heads, *rows) if len(row) == len(heads)]
    widths = [max(len(row[place]) for row in whole) for place in range(len(heads))]
    for place in range(words):
        widths[place] = max(len(row[place]) for row in (heads, *rows))
    lines = []
    for row in (heads, *rows):
        is_whole = len(row) == len(heads)
        cells = [
            cell.ljust(width) if place < words or not is_whole else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
