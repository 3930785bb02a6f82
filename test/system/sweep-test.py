#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-sweep: a row for each point, equal to what the training program shows there; a sweep
that was stopped goes on; files of other sweeps are left alone.

usage: sweep-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

JOB = ["--model=debugmodel", "--seqLen=512", "--iterations=2"]
VARY = "policy=on-demand,oracle;reconfigDelay=1ms,10us"
OF_THE_MACHINE = {"wall_s", "peak_rss_bytes"}


def run(program, flags, folder, environment=None):
    return subprocess.run([program, *flags], cwd=folder, capture_output=True, text=True, timeout=300,
                          check=False, env={**os.environ, **(environment or {})})


def read(path):
    with path.open(newline="") as file:
        return [{key: value for key, value in row.items() if key not in OF_THE_MACHINE}
                for row in csv.DictReader(file)]


def main():
    folder_of_programs = pathlib.Path(sys.argv[1]).resolve()
    sweep = str(folder_of_programs / "photonic-rails-sweep")
    training = str(folder_of_programs / "photonic-rails-training")
    failures = []

    def expect(what, holds, seen=""):
        if not holds:
            failures.append(f"{what}: {seen}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "out.csv"
        flags = [*JOB, f"--vary={VARY}", f"--csv={path}"]
        done = run(sweep, [*flags, "--processes=2"], folder)
        expect("exit code", done.returncode == 0, done.stderr)
        rows = sorted(read(path), key=lambda row: (row["policy"], row["reconfigDelay"]))
        expect("points", [(row["policy"], row["reconfigDelay"]) for row in rows] ==
               [("on-demand", "10us"), ("on-demand", "1ms"), ("oracle", "10us"), ("oracle", "1ms")], rows)
        expect("a line in the table for each", len(done.stdout.splitlines()) == 5, done.stdout)
        expect("progress", len(done.stderr.splitlines()) == 4, done.stderr)
        for row in rows:
            out = folder / "one.json"
            run(training, [*JOB, "--quiet", f"--policy={row['policy']}",
                           f"--reconfigDelay={row['reconfigDelay']}", f"--json={out}"], folder)
            one = json.loads(out.read_text())
            for column, value in (("iteration_s", one["iterations"][-1]["time_s"]),
                                  ("reconfigurations", one["iterations"][-1]["reconfigurations"]),
                                  ("light_share", one["light_share"]),
                                  ("packets_sent", one["packets_sent"]),
                                  ("requests", one["control"]["requests"])):
                expect(f"{row['policy']} {row['reconfigDelay']} {column}",
                       abs(float(row[column]) - value) <= 1e-9 * abs(value), (row[column], value))

        # Stopped within the third row: that one and the last are run again.
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:3]) + lines[3][:10])
        done = run(sweep, flags, folder)
        expect("only what is missing", len(done.stderr.splitlines()) == 2, done.stderr)
        again = sorted(read(path), key=lambda row: (row["policy"], row["reconfigDelay"]))
        expect("the same in the end", again == rows, again)
        expect("nothing is left to do", run(sweep, flags, folder).stderr == "")

        # Another sweep does not touch the file.
        before = path.read_bytes()
        done = run(sweep, [*JOB, "--vary=tp=1,2", f"--csv={path}"], folder)
        expect("other columns", done.returncode == 1 and "another sweep" in done.stderr, done.stderr)
        expect("the file is left alone", path.read_bytes() == before)

        # What one point sets does not stay for others; rows of files that have changed are not taken.
        mtu = ["--model=debugmodel", "--fabric=electrical", "--iterations=1",
               "--vary=ns3::RdmaQueuePair::Mtu=256|seqLen=64"]
        run(sweep, [*mtu, f"--csv={folder / 'mtu.csv'}"], folder)
        run(training, [*mtu[:3], "--seqLen=64", "--quiet", f"--json={out}"], folder)
        time = json.loads(out.read_text())["iterations"][-1]["time_s"]
        got = [float(row["iteration_s"]) for row in read(folder / "mtu.csv") if row["seqLen"]]
        expect("an attribute of another point", got == [float(f"{time:.12g}")], (got, time))
        job, table = folder / "job.json", folder / "job.csv"
        flags = ["--job=job.json", "--vary=tp=4", f"--csv={table}"]
        seed = {"NS_GLOBAL_VALUE": "RngRun=7"}
        for count, (length, environment) in enumerate(((64, {}), (96, {}), (96, {}), (96, seed), (64, {}))):
            job.write_text(json.dumps({"model": "debugmodel", "iterations": 1, "seqLen": length, "jitter": 0.1}))
            expect("a job file", run(sweep, flags, folder, environment).returncode == 0)
            expect(f"rows after file {count}", len(read(table)) == (1, 2, 2, 3, 3)[count], read(table))

        # A point that cannot be run has a row that says why; a sweep without any result fails.
        done = run(sweep, [*JOB, "--vary=tp=4,3"], folder)
        expect("one point cannot be run", done.returncode == 0 and "tp" in done.stdout, done.stderr)
        done = run(sweep, [*JOB, "--vary=tp=3"], folder)
        expect("none can be run", done.returncode == 1 and "tp" in done.stderr, done.stderr)

        # A fat-tree of so few hosts is one switch: the table and its rows say so, and only there.
        table = folder / "tiers.csv"
        done = run(sweep, [*JOB, "--vary=fabric=fat-tree,electrical", f"--csv={table}"], folder)
        remark = "with so few hosts one switch for all rails"
        expect("a remark", {row["fabric"]: (row["remark"], row["error"]) for row in read(table)} ==
               {"fat-tree": (remark, ""), "electrical": ("", "")}, table.read_text())
        expect("the remark on the screen", done.stdout.count(remark) == 1, done.stdout)
        # These steps take milliseconds.
        expect("a unit that fits", done.stdout.split()[:2] == ["fabric", "iteration_ms"], done.stdout)
        times = [line.split()[1] for line in done.stdout.splitlines()[1:]]
        written = [1e3 * float(row["iteration_s"]) for row in read(table)]
        expect("times in that unit", [float(time) for time in times] == [round(time, 4) for time in written],
               (times, written))
    if failures:
        sys.exit("\n".join(failures))


main()
