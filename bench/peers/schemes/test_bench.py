"""Tests of the bench with fake programs in the peers' place: `python3.11 -m unittest` in this folder."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import unittest
from typing import Any
from unittest.mock import patch

import bench
import peers
from report import table

PARAMETERS = {
    "log2_n": 15,
    "log2_q": 138.0,
    "log2_qp": None,
    "primes": [4, 3],
    "log2_scale": 38.4,
    "security": "128 bits",
    "secret": "ternary",
    "cannot": {"encode": "encodes while it encrypts"},
}

# Prints its first argument, and its second one for each question; without one it ends.
FAKE = """
import sys
print(sys.argv[1], flush=True)
for line in sys.stdin:
    if sys.argv[2] == "end":
        sys.exit(3)
    print(sys.argv[2] if sys.argv[2] != "echo" else "error: " + line.strip(), flush=True)
"""


def greeting(*sets: dict[str, Any]) -> str:
    return json.dumps({"name": "Fake", "version": "1.2", "sets": list(sets)})


def offer(scheme: str = "ckks", depth: int = 2, **changes: Any) -> dict[str, Any]:
    return {"scheme": scheme, "depth": depth} | PARAMETERS | changes


def command(answer: str, first_line: str | None = None) -> list[str]:
    return [sys.executable, "-c", FAKE, first_line or greeting(*map(offer, peers.SCHEMES)), answer]


class Programs(unittest.TestCase):
    def program(self, *arguments: str) -> peers.Program:
        program = peers.Program("fake", command(*arguments))
        self.addCleanup(program.close)
        return program

    def asked(self, answer: str) -> str:
        with self.assertRaises(peers.PeerError) as caught:
            self.program(answer).ask("ckks", 2, "product")
        return str(caught.exception)

    def test_an_answer_is_milliseconds(self) -> None:
        program = self.program("12.5")
        self.assertEqual(program.ask("ckks", 2, "product"), 12.5)
        self.assertEqual((program.name, program.version), ("Fake", "1.2"))

    def test_a_question_names_scheme_depth_and_operation(self) -> None:
        self.assertEqual(self.asked("echo"), "fake: ckks 2 product")

    def test_bad_answers_are_errors_that_name_the_peer(self) -> None:
        self.assertEqual(self.asked("error: the result is wrong"), "fake: the result is wrong")
        for answer in ("fast", "nan", "-1", "inf", "0", ""):
            self.assertEqual(self.asked(answer), f"fake: an answer is no time: {answer!r}")

    def test_a_program_that_ends_is_an_error_at_every_question(self) -> None:
        program = self.program("end")
        for _ in range(2):
            with self.assertRaisesRegex(peers.PeerError, "fake ended with status 3"):
                program.ask("ckks", 2, "product")

    def test_bad_greetings_are_errors(self) -> None:
        lacking = offer()
        del lacking["secret"]
        for line in ("hello", "[]", "{}", greeting(lacking)):
            with self.assertRaisesRegex(peers.PeerError, "fake: the first line is no greeting"):
                self.program("1", line)
        with self.assertRaisesRegex(peers.PeerError, "cannot be started"):
            peers.Program("fake", ["./no-such-program"])

    def test_reasons_are_of_a_set_or_an_operation(self) -> None:
        sets = [offer(), {"scheme": "bgv", "depth": 2, "refused": "has CKKS only"}]
        program = self.program("1", greeting(*sets))
        self.assertIsNone(program.reason("ckks", 2, "product"))
        self.assertEqual(program.reason("ckks", 2, "encode"), "encodes while it encrypts")
        self.assertEqual(program.reason("bgv", 2, "product"), "has CKKS only")
        self.assertEqual(program.reason("bfv", 2, "product"), "not offered")


class Turns(unittest.TestCase):
    def test_ratios_are_of_rounds_and_of_medians(self) -> None:
        found = bench.figures([(1.0, 2.0), (2.0, 6.0), (4.0, 4.0)])
        names = ("ms_min", "ms_median", "ratio", "ratio_least", "ratio_largest")
        self.assertEqual([found[name] for name in names], [2.0, 4.0, 2.0, 1.0, 3.0])

    def test_programs_alternate_after_a_first_round(self) -> None:
        order: list[str] = []

        class Recorder:
            def __init__(self, name: str) -> None:
                self.name = name

            def ask(self, *question: object) -> float:
                order.append(self.name)
                return float(len(order))

        ours: Any = Recorder("ours")
        peer: Any = Recorder("peer")
        found = bench.rounds(ours, peer, ("ckks", 2, "product"), bench.Effort(3, 3, 0.0))
        self.assertEqual(order, ["ours", "peer"] * 4)
        self.assertEqual(found, [(3.0, 4.0), (5.0, 6.0), (7.0, 8.0)])


class WholeRuns(unittest.TestCase):
    def run_bench(self, *arguments: str, **commands: Any) -> tuple[str, str]:
        """Returns what the bench prints, and its error, with these peers."""

        def built(of: Any) -> Any:
            def build() -> Any:
                if isinstance(of, Exception):
                    raise of
                return of

            return build

        text, error = io.StringIO(), ""
        replaced = {name: built(of) for name, of in commands.items()}
        with (
            patch.object(peers, "ours", built(command("2.0"))),
            patch("os.sched_setaffinity"),
            patch.object(peers, "PEERS", replaced),
            patch.object(bench, "PEERS", replaced),
            patch.object(sys, "argv", ["bench.py", "--quick", *arguments]),
            contextlib.redirect_stdout(text),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            try:
                bench.main()
            except SystemExit as exit:
                error = str(exit.code)
        return text.getvalue(), error

    def test_the_table_has_times_and_reasons(self) -> None:
        sets = [offer(), {"scheme": "bgv", "depth": 2, "refused": "has CKKS only"}]
        refused = peers.Refused("needs another compiler")
        text, error = self.run_bench(fast=command("3.0", greeting(*sets)), other=refused)
        self.assertEqual(error, "")
        bgv, ckks = text.split("CKKS, depth 2")
        self.assertEqual(bgv.count("has CKKS only"), 1)
        self.assertNotIn("operation", bgv.split("BFV, depth 2")[0])
        self.assertEqual(ckks.count("needs another compiler"), 1)
        lines = [" ".join(line.split()) for line in ckks.splitlines()]
        self.assertIn("asanoha 15 138 - 4+3 38 128 bits ternary", lines)
        self.assertIn("product asanoha 2 2", lines)
        self.assertEqual(lines.count("fast 3 3 1.5 1.5 1.5 3"), 5)
        self.assertIn("fast encodes while it encrypts", lines)

    def test_failures_are_in_the_table_and_the_exit_status(self) -> None:
        broken = peers.PeerError("the build of late failed with status 1")
        text, error = self.run_bench(wrong=command("error: the result is wrong"), late=broken, lost=command("end"))
        self.assertIn("wrong: the result is wrong", text)
        self.assertIn("error: the build of late failed with status 1", error)
        self.assertIn("error: ckks 2 product: wrong: the result is wrong", error)
        self.assertIn("error: bgv 2 chain: lost ended with status 3", error)

    def test_json_has_all_rounds(self) -> None:
        text, error = self.run_bench("--json", "--only", "fast", fast=command("3.0"), other=command("1.0"))
        self.assertEqual(error, "")
        report = json.loads(text)
        self.assertEqual(report["versions"], {"asanoha": "Fake 1.2", "fast": "Fake 1.2"})
        [bgv, _, _] = report["results"]
        self.assertEqual(bgv["rows"][0]["peers"]["fast"]["rounds_ms"], [[2.0, 3.0]] * 3)
        self.assertEqual(bgv["rows"][-1]["peers"]["fast"], {"reason": "encodes while it encrypts"})

    def test_without_a_program_of_ours_there_is_no_bench(self) -> None:
        with (
            patch.object(peers, "rust", side_effect=peers.PeerError("cargo is missing")),
            patch.object(sys, "argv", ["bench.py", "--only", "fhe"]),
        ):
            with (
                self.assertRaisesRegex(SystemExit, "error: cargo is missing"),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                bench.main()


class Tables(unittest.TestCase):
    def test_a_long_reason_does_not_widen_columns(self) -> None:
        sets = {"asanoha": PARAMETERS, "peer": {"refused": "a reason that is far longer than any column"}}
        row = {"operation": "product", "peers": {"peer": {"reason": "refused"}}}
        text = table({"scheme": "bgv", "depth": 2, "sets": sets, "rows": [row]})
        self.assertIn("library  log2 N  log2 Q", text)
        self.assertIn("peer     a reason that is far longer than any column", text)


if __name__ == "__main__":
    unittest.main()
