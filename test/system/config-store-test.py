#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A set-up that photonic-rails-training saves by ns3::ConfigStore and another process loads has the effect of
the flags with which it was saved; lines with paths of objects have an effect, too. Exit code 77, for skipped,
if the program was built without ns-3's module config-store.

usage: config-store-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

SMALL_JOB = ["--model=debugmodel", "--seqLen=512", "--iterations=2", "--quiet"]
CHANGE = "--ns3::RdmaQueuePair::Window=8192"
PATH = "/NodeList/*/$ns3::OpticalCircuitSwitch/ReconfigurationDelay"
SKIPPED = 77


def main():
    """Save, load, and compare times."""
    program = pathlib.Path(sys.argv[1]).resolve() / "photonic-rails-training"
    printed = subprocess.run([program, "--PrintTypeIds"], capture_output=True, text=True, check=True).stdout
    if "ns3::ConfigStore" not in printed:
        print("there is no ns3::ConfigStore")
        sys.exit(SKIPPED)
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*flags):
            """@return the iteration times of a run."""
            summary = folder / "run.json"
            subprocess.run([program, *SMALL_JOB, *flags, f"--json={summary}"], check=True, timeout=60)
            return [one["time_s"] for one in json.loads(summary.read_text())["iterations"]]

        def store(file, mode, form):
            """@return the flags that save or load."""
            return [f"--ns3::ConfigStore::Filename={file}", f"--ns3::ConfigStore::Mode={mode}",
                    f"--ns3::ConfigStore::FileFormat={form}"]

        plain, changed = run(), run(CHANGE)
        if plain == changed:
            failures.append("the flag has no effect")
        # Without libxml2, ns-3 does not know the other form.
        xml = subprocess.run([program, *SMALL_JOB, "--describe", *store(folder / "try", "Save", "Xml")],
                             capture_output=True, check=False).returncode == 0
        for form in ("RawText", "Xml") if xml and (folder / "try").stat().st_size > 0 else ("RawText",):
            file = folder / f"set-up.{form}"
            if run(CHANGE, *store(file, "Save", form)) != changed:
                failures.append(f"{form}: to save changes the run")
            if run(*store(file, "Load", form)) != changed:
                failures.append(f"{form}: what is loaded does not act as the flag does")
            print(form, file.stat().st_size, "bytes", changed)
        line = folder / "line.txt"
        line.write_text(f'value {PATH} "3ms"\n')
        if run(*store(line, "Load", "RawText")) != run("--reconfigDelay=3ms"):
            failures.append("a line with a path does not act as the flag does")
        for mode, file in (("Load", folder / "none.txt"), ("Save", folder / "none" / "none.txt")):
            done = subprocess.run([program, *SMALL_JOB, *store(file, mode, "RawText")],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 1 or not done.stderr.startswith("--ns3::ConfigStore::Filename="):
                failures.append(f"{mode}: a wrong file is answered by {done.returncode}, {done.stderr}")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
