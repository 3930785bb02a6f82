#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a shim writes with --profile is what its rank does between domains, operation by operation.

usage: profile-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

RANK = 5
ITERATIONS = (1, 3)

failures = 0


def expect(good, what):
    """Report what is wrong unless it is good."""
    global failures
    if not good:
        failures += 1
        print("FAILED", what)


def main():
    """Compare the profile of a rank with the list of its operations."""
    program = pathlib.Path(sys.argv[1], "photonic-rails-training")
    for iterations in ITERATIONS:
        name = f"{iterations} iterations"
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder, "profile.json")
            operations = pathlib.Path(folder, "operations.csv")
            subprocess.run([program, "--model=debugmodel", "--seqLen=512", "--quiet",
                            f"--profile={profile}", f"--profileRank={RANK}",
                            f"--operations={operations}", f"--operationsRank={RANK}",
                            f"--iterations={iterations}"],
                           timeout=60, check=True)
            written = json.loads(profile.read_text())
            with operations.open(newline="") as file:
                done = [line for line in csv.DictReader(file) if line["place"] == "scale-out"]
        expect(list(written) == ["rank", "calls"] and written["rank"] == RANK, f"{name}: the rank")
        calls = written["calls"]
        expected = collections.Counter(
            (line["kind"], int(line["bytes"]), int(line["peer"] or -1)) for line in done)
        found = collections.Counter(
            (call["kind"], call["bytes"], call.get("peer", -1)) for call in calls)
        expect(found == expected, f"{name}: {found} for {expected}")
        for call in calls:
            expect(RANK in call["ranks"] and call["ranks"] == sorted(set(call["ranks"])),
                   f"{name}: ranks of {call}")
            expect(call.get("peer", RANK) in call["ranks"], f"{name}: peer of {call}")
            expect(call["gap_s"] >= 0, f"{name}: gap of {call}")
        expect(sum(call["gap_s"] for call in calls) > 0, f"{name}: there are gaps")
    print(f"{len(ITERATIONS)} profiles")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
