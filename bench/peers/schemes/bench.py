"""Operations of BGV, BFV and CKKS by asanoha and other libraries, in turns on one thread. See ../README.md."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import dataclass
from typing import Any

from peers import OPERATIONS, PEERS, SCHEMES, PeerError, Program, processor, say, start
from report import table

DEPTHS = [2, 6, 10]


@dataclass(frozen=True)
class Effort:
    """How often two programs take turns: at least `fewest` rounds, then up to `most` within the seconds."""

    fewest: int
    most: int
    seconds: float


FULL, QUICK = Effort(5, 25, 3.0), Effort(3, 3, 0.0)


def rounds(ours: Program, peer: Program, question: tuple[str, int, str], effort: Effort) -> list[tuple[float, float]]:
    """Returns the milliseconds of ours and the peer's in each round."""
    # A first round makes keys and tables.
    ours.ask(*question)
    peer.ask(*question)
    found: list[tuple[float, float]] = []
    begin = time.monotonic()
    while len(found) < effort.most:
        if len(found) >= effort.fewest and time.monotonic() - begin > effort.seconds:
            break
        found.append((ours.ask(*question), peer.ask(*question)))
    return found


def figures(found: list[tuple[float, float]]) -> dict[str, Any]:
    """Returns the peer's times, and its times over ours."""
    our_times, times = zip(*found, strict=True)
    ratios = [time / our_time for our_time, time in found]
    return {
        "ms_min": min(times),
        "ms_median": statistics.median(times),
        "ratio": statistics.median(times) / statistics.median(our_times),
        "ratio_least": min(ratios),
        "ratio_largest": max(ratios),
        "rounds_ms": found,
    }


def measure(
    ours: Program, peers: dict[str, Program], scheme: str, depth: int, effort: Effort
) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns a row for each operation of a scheme at a depth, and what went wrong.

    Peers without the scheme at that depth are left out, and there are no rows without peers.
    """
    rows, failures = [], []
    able = {name: peer for name, peer in peers.items() if "refused" not in peer.offer(scheme, depth)}
    for operation in OPERATIONS if able else ():
        question = scheme, depth, operation
        row: dict[str, Any] = {"operation": operation, "peers": {}}
        for name, peer in able.items():
            reason = peer.reason(*question)
            if reason is None:
                try:
                    row["peers"][name] = figures(rounds(ours, peer, question, effort))
                    continue
                except PeerError as error:
                    reason = str(error)
                    failures.append(f"{scheme} {depth} {operation}: {reason}")
            row["peers"][name] = {"reason": reason}
        times = [our_time for found in row["peers"].values() for our_time, _ in found.get("rounds_ms", [])]
        if times:
            row |= {"ms_min": min(times), "ms_median": statistics.median(times)}
        rows.append(row)
    return rows, failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print all rounds as JSON")
    parser.add_argument("--quick", action="store_true", help="a look: depth 2, few rounds")
    parser.add_argument(
        "--only", action="append", choices=PEERS, metavar="PEER", help="take this peer; may be repeated"
    )
    parser.add_argument("--without", action="append", default=[], choices=PEERS, metavar="PEER", help="leave it out")
    options = parser.parse_args()
    names = [name for name in options.only or PEERS if name not in options.without]
    depths, effort = (DEPTHS[:1], QUICK) if options.quick else (DEPTHS, FULL)
    try:
        ours, peers, reasons, failures = start(names, depths)
    except PeerError as error:
        raise SystemExit(f"error: {error}") from error
    results = []
    for scheme in SCHEMES:
        for depth in depths:
            say(f"{scheme}, depth {depth}")
            rows, failed = measure(ours, peers, scheme, depth, effort)
            failures += failed
            sets = {name: program.offer(scheme, depth) for name, program in {"asanoha": ours, **peers}.items()}
            sets |= {name: {"refused": reason} for name, reason in reasons.items()}
            results.append({"scheme": scheme, "depth": depth, "sets": sets, "rows": rows})
            if not options.json:
                print(table(results[-1]), flush=True)
    versions = {program.peer: f"{program.name} {program.version}" for program in (ours, *peers.values())}
    for program in (ours, *peers.values()):
        program.close()
    about = {"processor": processor(), "threads": 1, "versions": versions}
    print(json.dumps(about | {"results": results}, indent=1) if options.json else "\n" + json.dumps(about))
    if failures:
        raise SystemExit("\n".join(f"error: {failure}" for failure in failures))


if __name__ == "__main__":
    main()
