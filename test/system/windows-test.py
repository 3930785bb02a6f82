#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-windows: every window of every rail, those of the first as in the summary of the run;
the shares in the table are those of the windows; the job is not changed by being looked at. Where
matplotlib is installed, the picture is the same when it is drawn again.

usage: windows-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import curves

JOB = ["--model=debugmodel", "--seqLen=512", "--iterations=3"]
OF_THE_MACHINE = {"wall_s", "peak_rss_bytes", "processes"}


def run(program, flags, folder):
    return subprocess.run([program, *flags], cwd=folder, capture_output=True, text=True, timeout=300,
                          check=True)


def read_summary(path):
    return {key: value for key, value in json.loads(path.read_text()).items()
            if key not in OF_THE_MACHINE}


def check(programs, folder, flags):
    """Failures of one job."""
    failures = []
    run(programs / "photonic-rails-training", [*JOB, *flags, "--quiet", "--json=plain.json"], folder)
    done = run(programs / "photonic-rails-windows",
               [*JOB, *flags, "--skip=0", "--threshold=100us", "--csv=windows.csv", "--json=run.json"],
               folder)
    summary = read_summary(folder / "run.json")
    if summary != read_summary(folder / "plain.json"):
        failures.append("the summary is not that of the training program")
    with (folder / "windows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [(str(window["stage"]), window["from"], window["to"], str(window["bytes_after"]),
                 f"{window['window_s']:.9f}")
                for iteration in summary["iterations"] for window in iteration["windows"]]
    by_rail = {}
    for row in rows:
        by_rail.setdefault(row["rail"], []).append(row)
    if sorted(by_rail) != ["0", "1", "2", "3"]:
        failures.append(f"rails {sorted(by_rail)}")
    seen = [(row["stage"], row["from"], row["to"], row["bytes"], f"{float(row['window_s']):.9f}")
            for row in by_rail["0"]]
    if sorted(seen) != sorted(expected) or not seen:
        failures.append(f"{len(seen)} windows on rail 0, {len(expected)} in the summary")
    table = re.findall(r"^ +(\d+) +(\d+) .*? ([0-9.]+) % ", done.stdout, re.MULTILINE)
    for rail, count, share in table:
        windows = [float(row["window_s"]) for row in by_rail[rail]]
        above = 100 * sum(window > 1e-4 for window in windows) / len(windows)
        if int(count) != len(windows) or abs(float(share) - above) > 0.051:
            failures.append(f"rail {rail}: {count} windows, {share} % above; {len(windows)}, {above}")
    if len(table) != 4:
        failures.append(f"{len(table)} rails in the table:\n{done.stdout}")
    return failures


def check_curves(folder):
    """Failures of the script that draws windows.csv."""
    if curves.find_python() is None:
        return []
    script = "photonic-rails-windows-curves.py"
    failures = []
    pictures = []
    for name in ("one.svg", "two.svg"):
        code, printed, errors = curves.draw(script, folder, "windows.csv", f"--out={name}")
        if code != 0 or printed[-1:] != [name]:
            return [f"curves: {printed}, {errors}"]
        pictures.append((folder / name).read_bytes())
    if pictures[0] != pictures[1] or xml.etree.ElementTree.fromstring(pictures[0]).tag[-3:] != "svg":
        failures.append("the picture differs when it is drawn again, or is none")
    (folder / "other.csv").write_text("rail,stage\n0,0\n")
    for table, words in (("other.csv", "has no column bytes"), ("none.csv", "cannot be read")):
        code, _, errors = curves.draw(script, folder, table, "--out=three.svg")
        if code != 1 or len(errors) != 1 or words not in errors[0]:
            failures.append(f"curves of {table}: {errors}")
    return failures


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        for flags in ([], ["--fabric=electrical", "--jitter=0.1"], ["--hostNetwork=100Gbps", "--hostThreshold=100K"]):
            failures += [f"{flags}: {failure}" for failure in check(programs, pathlib.Path(name), flags)]
        failures += check_curves(pathlib.Path(name))
        # Fewer phases if those of one parallelism are one.
        folder = pathlib.Path(name)
        lengths = []
        for phases in ("group", "parallelism"):
            run(programs / "photonic-rails-windows",
                [*JOB, "--pp=4", "--tp=4", "--fsdp=1", "--quiet", f"--phases={phases}",
                 f"--csv={phases}.csv"], folder)
            lengths.append(len((folder / f"{phases}.csv").read_text().splitlines()))
        if lengths[0] <= lengths[1]:
            failures.append(f"lines by group and by parallelism: {lengths}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
