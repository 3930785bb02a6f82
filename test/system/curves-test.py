#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The scripts that draw a CSV file end with one line when a cell is damaged: in a column of numbers the line names the
cell, and no damage of any cell gives a traceback.

usage: curves-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import pathlib
import subprocess
import sys
import tempfile

import curves

JOB = ["--model=debugmodel", "--seqLen=64", "--iterations=2"]
# Script, what has written its file, further flags of the script, and its columns of numbers.
CASES = [
    ("windows", [*JOB, "--csv=FILE"], [], ["rail", "iteration", "window_s", "bytes"]),
    ("cost", ["--gpus=1024", "--csv=FILE"], [], ["gpus", "usd", "watts", "switches_usd", "ocs_w"]),
    ("cost", ["--table3", "--csv=FILE"], [], ["reconfiguration_ms", "gpus_per_domain", "gpus"]),
    ("pip-switch", ["--ports=4,6", "--csv=FILE"], [], ["ports", "cells", "matchings", "loss_max_db"]),
    ("pip-switch", ["--ports=4", "--lights=FILE"], [], ["matching", "x1", "y2"]),
    ("sweep", [*JOB[:2], "--vary=iterations=1,2", "--csv=FILE"], [], ["iteration_s"]),
    ("sweep", [*JOB, "--vary=fabric=electrical|policy=provisioned;reconfigDelay=1ms,25ms", "--csv=FILE"],
     ["--over=electrical"], ["iteration_s"]),
]
DAMAGE = ["x", "-1", "0", "nan"]

failures = []


def damage(rows, column, text):
    """@return the rows with another cell in a column of the first row that has one"""
    damaged = [dict(row) for row in rows]
    first = next((row for row in damaged if row[column]), damaged[0])
    first[column] = text
    return damaged


def write(file, rows):
    """Write a CSV file."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def check(programs, folder, case):
    """Damage each cell of a row in several ways."""
    name, arguments, flags, numbers = case
    script = f"photonic-rails-{name}-curves.py"
    whole = pathlib.Path(folder, "whole.csv")
    arguments = [argument.replace("FILE", str(whole)) for argument in arguments]
    subprocess.run([programs / f"photonic-rails-{name}", *arguments], cwd=folder, capture_output=True, check=True)
    with whole.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    cells = [(column, text) for column in rows[0] for text in (DAMAGE if column in numbers else DAMAGE[:1])]
    files = [f"{number}.csv" for number in range(len(cells))]
    for file, (column, text) in zip(files, cells):
        write(pathlib.Path(folder, file), damage(rows, column, text))
    results = curves.draw_many(script, folder, [[file, *flags] for file in [whole.name, *files]])
    if results[0][0] != 0:
        failures.append(f"{name}: {results[0]}")
    for file, (column, text), (code, _, lines) in zip(files, cells, results[1:]):
        is_one_line = (code, len(lines)) in ((0, 0), (1, 1))
        names_cell = text != "x" or column not in numbers or \
            lines == [f"{file}, line 2: {column}=x: it must be a number" + lines[0].partition("a number")[2]]
        if not is_one_line or not names_cell:
            failures.append(f"{name}, {column}={text}: exit code {code}, {lines}")


def main():
    """Check all scripts."""
    if curves.find_python() is None:
        sys.exit(77)
    programs = pathlib.Path(sys.argv[1]).resolve()
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            check(programs, folder, case)
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
