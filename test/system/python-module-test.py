#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""examples/photonic_rails.py runs programs, reads their JSON and tables, sweeps in order with a row for each
failure, draws equal pictures from equal data, and has types that mypy accepts.

usage: python-module-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from curves import EXAMPLES, find_python

SMALL = {"model": "debugmodel", "seqLen": 64, "iterations": 2}

sys.path.insert(0, str(EXAMPLES))
import photonic_rails as pr  # noqa: E402  (which lies in examples/)


class RunTest(unittest.TestCase):
    """Single runs."""

    def test_arguments(self):
        self.assertEqual(pr.make_arguments({"a": True, "b": False, "c": 1, "d": 0.5, "e": "x", "f": [1, "y"], "g": None,
                                            "ns3::RdmaQueuePair::Mtu": 1024}),
                         ["--a=true", "--b=false", "--c=1", "--d=0.5", "--e=x", "--f=1,y",
                          "--ns3::RdmaQueuePair::Mtu=1024"])

    def test_job(self):
        job = pr.run("training", **SMALL, calls=True)
        self.assertEqual(len(job.summary["iterations"]), 2)
        self.assertIn("iteration", job.text)
        self.assertEqual(job.messages, [])
        self.assertEqual(len(job.calls), 800)
        last = max(call["ended_s"] for call in job.calls)
        self.assertLessEqual(last, sum(one["time_s"] for one in job.summary["iterations"]) + 1e-9)
        self.assertEqual(pr.measure(job)["iteration_s"], job.summary["iterations"][-1]["time_s"])
        self.assertNotIn("seqLen", pr.measure(job))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            table, summary = pathlib.Path(folder, "m.csv"), pathlib.Path(folder, "s.json")
            job = pr.run("collectives", collective="AllReduce", domains=4, minBytes="1M", maxBytes="1M",
                         messages=table, json=summary)
            self.assertEqual(pr.read_table(table), job.messages)
            self.assertTrue(summary.is_file())
        # A ring of four sends 2 (n - 1) times a fourth from each rank.
        self.assertEqual(sum(message["bytes"] for message in job.messages), 4 * 6 * (1 << 18))
        self.assertEqual(len(job.summary["rows"]), 1)

    def test_attribute(self):
        slow = pr.run("training", **SMALL, **{"ns3::OpticalCircuitSwitch::TransceiverLockTime": "3ms"})
        self.assertGreater(pr.measure(slow)["iteration_s"], pr.measure(pr.run("training", **SMALL))["iteration_s"])

    def test_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            own, built = (pathlib.Path(folder, name) for name in ("my-policy", "ns3.48-others-default"))
            for file in (own, built):
                file.touch(mode=0o755)
            self.assertEqual(pr.find_program("my-policy", folder), own)
            self.assertEqual(pr.find_program("others", folder), built)

    def test_errors(self):
        with self.assertRaisesRegex(pr.ProgramError, "^--model=nope is not allowed") as caught:
            pr.run("training", model="nope")
        self.assertEqual(caught.exception.code, 1)
        with self.assertRaisesRegex(FileNotFoundError, "photonic-rails-nothing has not been built in any of"):
            pr.run("nothing")
        with self.assertRaises(subprocess.TimeoutExpired):
            # Far more work than a machine does within the timeout.
            pr.run("training", timeout=0.05, iterations=100000)

    def test_databases(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "c.sqlite")
            try:
                job = pr.run("training", **SMALL, calls=file)
            except pr.ProgramError as error:
                self.assertIn("this build has no SQLite", str(error))
                return
            self.assertEqual(job.calls, pr.run("training", **SMALL, calls=True).calls)
            self.assertEqual(pr.read_table(file), job.calls)
            for content in (file.read_bytes()[:5000], b"a,b\n1\n", b"a,b\n1,2,3\n", b"a,b\n\xff,2\n"):
                file.write_bytes(content)
                with self.assertRaisesRegex(ValueError, r"^\S+c.sqlite: [^\n]+$"):
                    pr.read_table(file)

    def test_without_results(self):
        self.assertEqual(pr.run("training", PrintGroups=True).summary, {})
        job = pr.run("training", **SMALL, json="/dev/null", calls="/dev/null")
        self.assertEqual((job.summary, job.calls), ({}, []))


class ArgumentTest(unittest.TestCase):
    """A wrong argument is a ValueError of one line that names it, before anything is run or written."""

    def test_arguments(self):
        rows = [{"a": 1, "b": "x"}]
        for call, line in (
                (lambda: pr.run("training", tp={"a": 1}), "tp={'a': 1} is not allowed: it must be True, False, a"),
                (lambda: pr.run("training", model="a\0b"), r"model='a\x00b' is not"),
                (lambda: pr.run("training", **{"--tp": 4}), "flag='--tp' is not"),
                (lambda: pr.run("training", timeout="5"), "timeout='5' is not"),
                (lambda: pr.run(""), "program='' is not"),
                (lambda: pr.sweep("training", {"seqLen": "64"}), "seqLen='64' is not allowed: it must be a list"),
                (lambda: pr.sweep("training", {"seqLen": 64}), "seqLen=64 is not allowed: it must be a list"),
                (lambda: pr.sweep("training", {"seqLen": []}), "seqLen=[] is not"),
                (lambda: pr.sweep("training", "seqLen"), "vary='seqLen' is not"),
                (lambda: pr.sweep("training", {"tp": [None, {}]}), "tp={} is not"),
                (lambda: pr.sweep("training", {"tp": [1]}, processes=0), "processes=0 is not"),
                (lambda: pr.sweep("training", {"tp": [1]}, json="x.json"), "json='x.json' is not"),
                (lambda: pr.make_checkpoints([0], [], 8, period=1), "servers=[] is not"),
                (lambda: pr.make_checkpoints("01", [4], 8, period=1), "ranks='01' is not"),
                (lambda: pr.make_checkpoints([0], [4], 8, period=1, parts=9), "parts=9 is not allowed: it must be a "
                 "whole number from 1 to 8"),
                (lambda: pr.make_checkpoints([0], [4], 8e6, period=1), "size=8000000.0 is not"),
                (lambda: pr.make_checkpoints([0], [4], 8, period=float("nan")), "period=nan is not"),
                (lambda: pr.make_checkpoints([0, 1], [2, 1], 8, period=1), "servers=[2, 1] is not"),
                (lambda: pr.write_traffic("/nowhere/x.csv", [(0, 0, 1)]), "message=(0, 0, 1) is not"),
                (lambda: pr.write_traffic("/nowhere/x.csv", [(-1, 0, 1, 1)]), "time=-1 is not"),
                (lambda: pr.write_traffic("/nowhere/x.csv", [(0, 0, 1, "1")]), "bytes='1' is not"),
                (lambda: pr.write_traffic("/nowhere/x", [(0, 0, 1, 1)]), "file='/nowhere/x' is not"),
                (lambda: pr.make_lines(rows, "a", "c"), "column='c' is not allowed: it must be one of those of rows"),
                (lambda: pr.make_lines(rows, "a", "b"), "b='x' is not"),
                (lambda: pr.plot_lines(rows, "b", "a", "ab"), "by='ab' is not"),
                (lambda: pr.find_varied(rows, "ab"), "columns='ab' is not"),
                (lambda: pr.to_frame("ab"), "rows='ab' is not"),
                (lambda: pr.plot_calls([]), "calls=[] is not"),
                (lambda: pr.plot_calls(rows), "column='rank' is not"),
                (lambda: pr.plot_distribution({"a": "12"}), "a='12' is not")):
            with self.assertRaises(ValueError) as caught:
                call()
            with self.subTest(line):
                self.assertTrue(str(caught.exception).startswith(line), caught.exception)
                self.assertEqual(len(str(caught.exception).splitlines()), 1)
        with self.assertRaisesRegex(FileNotFoundError, "^/nowhere/x is no file that can be executed$"):
            pr.find_program("/nowhere/x")


class SweepTest(unittest.TestCase):
    """Several runs."""

    def test_sweep(self):
        vary = {"policy": ["on-demand", "provisioned"], "reconfigDelay": ["1us", "forever", "1ms"]}
        rows = pr.sweep("training", vary, processes=2, **SMALL)
        self.assertEqual([(row["policy"], row["reconfigDelay"]) for row in rows],
                         [(policy, delay) for policy in vary["policy"] for delay in vary["reconfigDelay"]])
        for row in rows:
            if row["reconfigDelay"] == "forever":
                self.assertRegex(row["error"], "^--reconfigDelay=forever is not allowed")
            else:
                single = pr.run("training", **{**SMALL, "policy": row["policy"],
                                               "reconfigDelay": row["reconfigDelay"]})
                self.assertEqual(row["iteration_s"], pr.measure(single)["iteration_s"])
        lines = pr.make_lines(rows, "reconfigDelay", "iteration_s", ["policy"])
        self.assertEqual([(name, [at for at, _ in points]) for name, points in lines.items()],
                         [(policy, ["1us", "1ms"]) for policy in vary["policy"]])
        self.assertEqual(pr.find_varied(rows, vary), list(vary))

    def test_measure(self):
        rows = pr.sweep("training", {"seqLen": [64, 128]}, measure=lambda job: {"n": len(job.text) > 0},
                        model="debugmodel", iterations=1)
        self.assertEqual(rows, [{"seqLen": 64, "n": True}, {"seqLen": 128, "n": True}])


class TrafficTest(unittest.TestCase):
    """Messages at given times."""

    def test_checkpoints(self):
        messages = pr.make_checkpoints(range(4), [4, 5], 1001, period=0.5, rounds=2, start=0.1, parts=2)
        self.assertEqual(messages[:3], [(0.1, 0, 4, 501), (0.1, 0, 4, 500), (0.1, 1, 5, 501)])
        self.assertEqual(sum(message[3] for message in messages), 2 * 4 * 1001)
        self.assertEqual({message[0] for message in messages}, {0.1, 0.6})

    def test_traffic(self):
        messages = [(0, 0, 1, 5000), (0.001, 1, 0, 70000), (0.001, 1, 2, 1), (0.0005, 0, 1, 3000)]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "traffic.csv")
            pr.write_traffic(file, messages)
            for flags in ({"fabric": "electrical"}, {"fabric": "fat-tree"},
                          {"fabric": "photonic", "policy": "on-demand", "reconfigDelay": "10us"}):
                run = pr.run("training", trace=file, gpusPerDomain=1, iterations=1, messages=True, calls=True,
                             **flags)
                seen = sorted((call["made_s"], call["rank"], call["peer"], call["bytes"])
                              for call in run.calls if call["operation"] == "Send")
                self.assertEqual(seen, sorted(messages))
                self.assertEqual(sum(one["bytes"] for one in run.messages), sum(one[3] for one in messages))


class DrawTest(unittest.TestCase):
    """Units, frames and pictures."""

    def test_units(self):
        for text, number in (("25ms", 0.025), ("400Gbps", 4e11), ("7", 7), (8, 8), ("1e-3s", 1e-3), ("1h", 3600),
                             (".5us", 5e-7), ("ring", None), ("1..2ms", None), (".", None), ("e5", None), ("1e", None)):
            self.assertEqual(pr.get_number(text), number)
        self.assertEqual(pr.get_time_unit(["10us", "1ms", "25ms"]), (1e-3, " (ms)"))
        self.assertEqual(pr.get_time_unit([1, 2]), (1.0, ""))
        self.assertEqual(pr.get_time_unit(["1..2ms", "ring"]), (1.0, ""))

    def test_frame(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.assertRaisesRegex(ImportError, "need pandas", pr.to_frame, [{"a": 1}])
            return
        self.assertEqual(pr.to_frame([{"a": 1}, {"a": 2}])["a"].sum(), 3)

    def test_missing_package(self):
        """The interpreter that was asked is named, and the call of another that has the package."""
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "python3")
            hide = f"import sys; sys.modules['matplotlib'] = None; sys.path.insert(0, {str(EXAMPLES)!r})\n" \
                   "import photonic_rails; photonic_rails.require_pyplot()"
            script = pathlib.Path(folder, "script.py")
            script.write_text(hide, encoding="utf-8")
            for answer, line in ((0, f", but {other} has it: {other} {script} x.csv"),
                                 (1, " (Debian: apt install python3-matplotlib, which is for /usr/bin/python3)")):
                if answer == 1 and find_python() == "/usr/bin/python3":
                    continue
                other.write_text(f"#!/bin/sh\nexit {answer}\n", encoding="utf-8")
                other.chmod(0o755)
                done = subprocess.run([sys.executable, script, "x.csv"], capture_output=True, text=True, check=False,
                                      env={**os.environ, "PATH": folder})
                self.assertEqual((done.returncode, done.stderr),
                                 (1, f"pictures need matplotlib, which {sys.executable} does not have{line}\n"))

    def test_pictures(self):
        python = find_python()
        if not python:
            self.skipTest("matplotlib is not installed")
        script = (f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); import photonic_rails as pr\n"
                  f"job = pr.run('training', calls=True, messages=True, **{SMALL})\n"
                  "rows = [{'d': '1us', 't': 1, 'p': 'a'}, {'d': '1ms', 't': 2, 'p': 'a'}, {'d': '', 't': 3, 'p': 'b'}]\n"
                  "pr.save(pr.plot_lines(rows, 'd', 't', ['p'], log=True), sys.argv[1] + '/lines.svg')\n"
                  "pr.save(pr.plot_calls(job.calls, [0, 8]), sys.argv[1] + '/calls.svg')\n"
                  "times = [one['ended_s'] - one['posted_s'] for one in job.messages]\n"
                  "pr.save(pr.plot_distribution({'messages': times}), sys.argv[1] + '/times.svg')\n")
        pictures = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([python, "-c", script, folder], check=True)
                pictures.append({file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()})
        self.assertEqual(set(pictures[0]), {"lines.svg", "calls.svg", "times.svg"})
        self.assertEqual(pictures[0], pictures[1])
        for text in (b"rank 8", b"AllGather"):
            self.assertIn(b"<!-- " + text + b" -->", pictures[0]["calls.svg"])

    def test_types(self):
        check = [find_python() or sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
                 "--cache-dir", os.devnull, str(EXAMPLES / "photonic_rails.py")]
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        if "No module named mypy" in done.stderr:
            self.skipTest("mypy is not installed")
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    os.environ["PHOTONIC_RAILS_PROGRAMS"] = sys.argv.pop(1)
    unittest.main()
