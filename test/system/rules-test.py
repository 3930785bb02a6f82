#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Breaks rules on purpose (test/mutate --rules): the suites that are for them must detect it. All patches must apply;
two rules are broken in each run, and all of them with PHOTONIC_RAILS_SEEDS=all, since a rule takes half a minute to
compile.

usage: rules-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import os
import pathlib
import subprocess
import sys

FEW = ["recall", "split"]


def main():
    repo = pathlib.Path(__file__).resolve().parents[2]
    patches = sorted((repo / "test/rules").glob("*.patch"))
    wrong = [patch.name for patch in patches
             if subprocess.run(["patch", "-p1", "-s", "-f", "-F0", "--dry-run", f"--input={patch}"], cwd=repo,
                               check=False).returncode]
    if wrong or len(patches) < len(FEW):
        sys.exit(f"{len(patches)} patches, of which these do not apply: {', '.join(wrong)}")
    names = [] if os.environ.get("PHOTONIC_RAILS_SEEDS") == "all" else FEW
    sys.exit(subprocess.run([repo / "test/mutate", "--rules", *names], check=False).returncode)


main()
