#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whole programs with random flags (test/monkey): 200 draws, and all 20,000 with PHOTONIC_RAILS_SEEDS=all.

usage: monkey-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import os
import pathlib
import subprocess
import sys

ALL = 20000
FEW = 200


def main():
    monkey = pathlib.Path(__file__).resolve().parents[1] / "monkey"
    count = ALL if os.environ.get("PHOTONIC_RAILS_SEEDS") == "all" else FEW
    print(f"random search monkey: {count} of {ALL} seeds", flush=True)
    sys.exit(subprocess.run([monkey, "1", str(count), sys.argv[1]], check=False).returncode)


main()
