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
    names = [] if os.environ.get("PHOTONIC_RAILS_SEEDS") == "all" else FEW
    sys.exit(subprocess.run([repo / "test/mutate", "--rules", *names], check=False).returncode)


main()
