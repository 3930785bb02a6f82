#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-calibrate finds the efficiency, goodput and launch time with which steps were made,
says which of them the steps do not know, and refuses wrong files in one line.

usage: calibrate-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

SMALL = ["--model=debugmodel", "--fabric=electrical", "--iterations=1", "--gpusPerDomain=1", "--tp=1",
         "--pp=1", "--microBatches=1", "--microBatchSize=1"]
# Much communication, much computation, and many kernels for little of both.
JOBS = [[*SMALL, "--fsdp=4", "--seqLen=2048"], [*SMALL, "--fsdp=2", "--seqLen=32768"],
        [*SMALL, "--fsdp=1", "--seqLen=128"], [*SMALL, "--fsdp=2", "--seqLen=8192"]]
TRUTH = {"computeEfficiency": 0.33, "goodput": 0.05, "kernel launch, s": 20e-6}
WRONG = [("{}", "steps must be a list of 1 to 64"), ("{", "line 1"), ('{"steps": []}', "steps must be"),
         ('{"steps": [{"step_s": 0, "flags": []}]}', "step_s"),
         ('{"steps": [{"step_s": 1, "flags": "x"}]}', "steps[0].flags must be a list"),
         ('{"steps": [{"step_s": 1, "flags": ["--goodput=1"]}]}', "--goodput is what is looked for"),
         ('{"steps": [{"step_s": 1, "flags": ["--tp=x"]}]}', "steps[0]: --tp=x"),
         ('{"steps": [{"step_s": 1, "flag": []}]}', "flag")]


def make_step(programs, folder, job):
    """A step with the true numbers."""
    out = pathlib.Path(folder, "step.json")
    subprocess.run([programs / "photonic-rails-training", *job, "--quiet", f"--json={out}",
                    f"--computeEfficiency={TRUTH['computeEfficiency']}", f"--goodput={TRUTH['goodput']}",
                    "--hostRunAhead=ahead", "--ns3::HostThread::KernelTime=20us"], check=True, timeout=120)
    return {"step_s": json.loads(out.read_text())["iterations"][-1]["time_s"], "flags": job}


def calibrate(programs, folder, steps, *flags):
    """The parameters by name, the result, and what was printed."""
    path, out = pathlib.Path(folder, "steps.json"), pathlib.Path(folder, "found.json")
    path.write_text(json.dumps({"steps": steps}))
    done = subprocess.run([programs / "photonic-rails-calibrate", f"--steps={path}", f"--json={out}", *flags],
                          capture_output=True, text=True, timeout=500, check=True)
    result = json.loads(out.read_text())
    return {one["name"]: one for one in result["parameters"]}, result, done.stdout


def main():
    """Run all checks."""
    programs = pathlib.Path(sys.argv[1]).resolve()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        steps = [make_step(programs, folder, job) for job in JOBS]
        found, result, text = calibrate(programs, folder, steps)
        for name, value in TRUTH.items():
            if abs(found[name]["value"] / value - 1) > 0.03 or not found[name]["told_apart"]:
                failures.append(f"{name}: {found[name]}, made with {value}")
        if max(abs(step["difference"]) for step in result["steps"]) > 0.01 or "flags: --compute" not in text:
            failures.append(text)
        found, _, text = calibrate(programs, folder, steps[:1], "--launch=false")
        if found["goodput"]["told_apart"] or "cannot be told apart" not in text:
            failures.append(f"one step tells two numbers apart: {found}")
        alone = [{"step_s": 1, "flags": [*SMALL, "--fsdp=1", f"--seqLen={length}"]} for length in (4096, 8192)]
        found, _, text = calibrate(programs, folder, alone, "--launch=false")
        if found["goodput"]["matters"] or "no step depends on it" not in text:
            failures.append(f"a single GPU has a goodput: {found}")
        path = pathlib.Path(folder, "wrong.json")
        for content, expected in WRONG:
            path.write_text(content)
            done = subprocess.run([programs / "photonic-rails-calibrate", f"--steps={path}", "--quiet"],
                                  capture_output=True, text=True, timeout=100, check=False)
            if done.returncode != 1 or expected not in done.stderr or len(done.stderr.splitlines()) != 1:
                failures.append(f"{content}: {done.returncode}, {done.stderr}")
    print("\n".join(failures) or "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
