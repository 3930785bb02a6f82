#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-recovery: the JSON is as documented and reproducible, jobs recover in the time that the
flags say, and are as fast as before where nothing is in between.

usage: recovery-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import pathlib
import subprocess
import sys
import tempfile

import json_schema

JOB = ["--model=debugmodel", "--seqLen=512", "--fsdp=4", "--reconfigDelay=10us", "--hostRunAhead=none"]
# Flags, how many GPUs are lost, and oversubscriptions.
CASES = [
    (["--oversubscriptions=1,8"], 1, [1, 8]),
    (["--losses=2", "--oversubscriptions=4", "--processTime=10ms", "--communicatorTime=2ms"], 2, [4]),
]


def run(program, flags, folder):
    """Return what is printed and the object that is written."""
    path = pathlib.Path(folder, "out.json")
    done = subprocess.run([program, *JOB, *flags, f"--json={path}"], cwd=folder, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    return done.stdout, json_schema.read(path.read_text())


def check_rows(report, losses, ratios, name, failures):
    """Steps add up, and throughput is what it should be."""
    rows = report["rows"]
    expected = [("photonic", 1)] + [("leaf-spine", ratio) for ratio in ratios] + [("leaf-spine", 1)]
    failures.expect([(row["fabric"], row["oversubscription"]) for row in rows] == expected,
                    f"{name}: {rows}")
    for row in rows:
        where = f"{name}, {row['name']}"
        failures.expect(row["failure"] == "", f"{where}: {row['failure']}")
        failures.expect(len(row["recoveries"]) == losses, f"{where}: {len(row['recoveries'])} recoveries")
        failures.expect(row["idle_gpus"] == (4 * losses if "migration" in row["name"] else losses),
                        f"{where}: {row['idle_gpus']} idle")
        for recovery in row["recoveries"]:
            steps = [recovery[key] for key in ("detect_s", "stop_s", "plan_s", "build_s", "go_s")]
            failures.expect(abs(sum(steps) - recovery["total_s"]) < 1e-9, f"{where}: {recovery}")
            failures.expect(min(steps) >= 0, f"{where}: {recovery}")
            failures.expect((recovery["plan_s"] > 0) == (row["fabric"] == "photonic"), f"{where}: plan")
            failures.expect(0.030 < recovery["detect_s"] < 0.031, f"{where}: detect")
            failures.expect(0.050 < recovery["stop_s"] < 0.051, f"{where}: stop")
            failures.expect(recovery["lost_work_s"] > 0, f"{where}: no work was lost")
        failures.expect(row["tokens_per_s_after"] > 0, f"{where}: throughput")
        ratio = row["iteration_after_s"] / row["iteration_before_s"]
        if row["fabric"] == "photonic" or "migration" in row["name"]:
            failures.expect(abs(ratio - 1) < 0.01, f"{where}: {ratio}")
        elif row["oversubscription"] == 1:
            failures.expect(1 <= ratio < 1.1, f"{where}: {ratio}")  # two switches more on the way
        else:
            failures.expect(ratio > 1.2, f"{where}: {ratio}")
    failures.expect(rows[0]["photonic_factor"] == 1, f"{name}: the first row")
    failures.expect(rows[-1]["recovery_s"] > rows[0]["recovery_s"] + 25, f"{name}: migration")


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-recovery").resolve())
    failures = json_schema.Failures()
    schema = json_schema.Schema("recovery-json.md", free={"settings"})
    with tempfile.TemporaryDirectory() as folder:
        for flags, losses, ratios in CASES:
            name = " ".join(flags)
            text, report = run(program, flags, folder)
            schema.check(report, name, failures)
            check_rows(report, losses, ratios, name, failures)
            for row in report["rows"]:
                failures.expect(row["name"] in text, f"{name}: {row['name']} is not in the table")
            failures.expect(run(program, flags, folder)[1] == report, f"{name}: another run, another object")
    print(f"{len(schema.types)} keys, {len(CASES)} cases, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
