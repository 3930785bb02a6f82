#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The programs of examples/extend add a variant each from outside of the module: it can be chosen, is
listed, described and run, and changes what it should.

usage: extend-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

JOB = ["--model=debugmodel", "--seqLen=512", "--tp=2", "--fsdp=1", "--pp=4", "--gpusPerDomain=2",
       "--microBatches=8", "--iterations=2"]


class Extension:
    """A program that adds a variant."""

    def __init__(self, path):
        self.path = path
        self.failures = []

    def run(self, *flags):
        """@return what came of a training job"""
        return self.call(*JOB, *flags)

    def call(self, *arguments):
        """@return what came of a call"""
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=300, check=False)

    def get_json(self, *flags):
        """@return the JSON of a run, or None"""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.json"
            done = self.run(f"--json={file}", *flags)
            self.expect(done.returncode == 0, f"{flags}: {done.stderr}")
            return json.loads(file.read_text(encoding="utf-8")) if done.returncode == 0 else None

    def expect(self, holds, what):
        """Note what does not hold."""
        if not holds:
            self.failures.append(f"{self.path.name}: {what}")


def check_schedule(program):
    """A pipeline schedule: eager 1F1B."""
    chosen = "--schedule=eager-1f1b"
    listed = "1f1b, dualpipev, eager-1f1b, gpipe, interleaved, zb-h1"
    program.expect(listed in program.run("--help").stdout, "--help does not list it")
    refused = program.run("--schedule=lazy")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--schedule=lazy: {refused.stderr}")
    refused = program.run(chosen, "--virtualStages=2")
    program.expect(refused.returncode == 1 and "eager-1f1b needs 1 chunk a rank" in refused.stderr, refused.stderr)
    described = program.get_json(chosen, "--describe")
    plain = program.get_json("--schedule=1f1b", "--describe")
    if described and plain:
        program.expect(described["pipeline"]["schedule"] == "eager-1f1b", "--describe does not name it")
        program.expect(described["pipeline"]["bubble"] == plain["pipeline"]["bubble"], "its bubble is not that of 1F1B")
    runs = {name: program.get_json(f"--schedule={name}") for name in ("eager-1f1b", "1f1b")}
    if all(runs.values()):
        times = {name: [row["time_s"] for row in run["iterations"]] for name, run in runs.items()}
        program.expect(times["eager-1f1b"] != times["1f1b"], "it makes no difference")
        program.expect(runs["eager-1f1b"]["bytes_posted"] == runs["1f1b"]["bytes_posted"], "it sends something else")


def check_policy(program):
    """A circuit policy: rings in random order."""
    chosen = "--policy=random-rings"
    listed = "per-call, provisioned, random-rings, rotor"
    program.expect(listed in program.run("--help").stdout, "--help does not list it")
    refused = program.run("--policy=lights-out")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--policy=lights-out: {refused.stderr}")
    refused = program.run(chosen, "--nicPorts=1")
    program.expect(refused.returncode == 1 and "--policy=random-rings: a ring takes two ports" in refused.stderr,
                   refused.stderr)
    program.expect("rings in random order" in program.run(chosen).stdout, "the first line does not describe it")
    runs = {name: program.get_json(f"--policy={name}") for name in ("random-rings", "provisioned")}
    if all(runs.values()):
        moves = {name: sum(row["reconfigurations"] for row in run["iterations"][1:]) for name, run in runs.items()}
        program.expect(moves["random-rings"] == 0 and moves["provisioned"] > 0, f"reconfigurations: {moves}")


def get_rows(program, *arguments):
    """@return the rows of the JSON of a run, or []"""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.json"
        done = program.call(*arguments, f"--json={file}")
        program.expect(done.returncode == 0, f"{arguments}: {done.stderr}")
        return json.loads(file.read_text(encoding="utf-8"))["rows"] if done.returncode == 0 else []


def check_collective(program):
    """A collective algorithm: AllGather after Bruck."""
    calls = ["collectives", "--collective=AllGather", "--domains=6", "--maxBytes=64K", "--fabric=electrical"]
    chosen = "--algorithm=bruck"
    listed = "ring, bruck, direct, halving-doubling, hierarchical"
    program.expect(listed in program.call("collectives", "--help").stdout, "--help does not list it")
    refused = program.call(*calls, "--algorithm=bricks")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--algorithm=bricks: {refused.stderr}")
    refused = program.call(*calls, chosen, "--collective=AllReduce")
    program.expect(refused.returncode == 1 and "for AllReduce" in refused.stderr, refused.stderr)
    refused = program.call(*calls, chosen, "--fabric=photonic")
    program.expect(refused.returncode == 1 and "bruck AllGather: on photonic rails" in refused.stderr, refused.stderr)
    rings = get_rows(program, *calls)
    for row, ring in zip(get_rows(program, *calls, chosen), rings, strict=True):
        model = row["textbook_alpha_s"] + row["textbook_beta_s"]
        program.expect(model < row["time_s"] < 1.5 * model, f"{row}: the model gives {model} s")
        program.expect(abs(5 * row["textbook_alpha_s"] / ring["textbook_alpha_s"] - 3) < 1e-6, "3 rounds in place of 5")
        program.expect(row["time_s"] < 0.8 * ring["time_s"], "no faster than a ring")
        program.expect(row["bytes_posted"] == ring["bytes_posted"], "it sends something else")
    compared = program.call("comparison", "--traffic=collective", "--collective=AllGather", "--domains=6", chosen,
                            "--fabrics=electrical,fat-tree", "--bytes=64K")
    program.expect(compared.returncode == 0 and "bruck AllGather" in compared.stdout, compared.stdout + compared.stderr)
    wrong = program.call("collective")
    program.expect(wrong.returncode == 1 and "sweep, collectives or comparison" in wrong.stderr, wrong.stderr)


CHECKS = {"photonic-rails-extend-collective": check_collective, "photonic-rails-extend-policy": check_policy,
          "photonic-rails-extend-schedule": check_schedule}


def main():
    """Check all extensions."""
    folder = pathlib.Path(sys.argv[1])
    sources = pathlib.Path(__file__).resolve().parents[2] / "examples" / "extend"
    names = sorted(path.stem for path in sources.glob("*.cc"))
    failures = [] if names == sorted(CHECKS) else [f"programs {names}, checks {sorted(CHECKS)}"]
    for name, check in CHECKS.items():
        program = Extension(folder / name)
        check(program)
        failures += program.failures
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
