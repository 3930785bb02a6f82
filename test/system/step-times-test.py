#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Published steps of three models, from which no efficiency was taken, are predicted within 15 % and lie in the interval
that the program prints; the interval is that of runs; precision and goodput change what they say.

usage: step-times-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import importlib.util
import json
import os
import pathlib
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "validation" / "step-times.py"
JOB = ["--model=llama3-8b", "--gpu=h100", "--framework=torchtitan", "--tp=1", "--fsdp=8", "--pp=2",
       "--microBatches=4", "--microBatchSize=1", "--seqLen=4096"]


def load_script():
    """step-times.py, which stands in another folder."""
    spec = importlib.util.spec_from_file_location("step_times", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_published(script, program, failures):
    """Rows that are not those of a fit: the first of each model, or all where all seeds are wanted."""
    data = json.loads((SCRIPT.parent / "published-steps.json").read_text())
    within = 0
    shown = [row for row in data["rows"] if row["use"] == "shown"]
    firsts = {script.get_flag(row["flags"], "model"): row for row in reversed(shown)}
    rows = shown if os.environ.get("PHOTONIC_RAILS_SEEDS") == "all" else list(firsts.values())
    for row in rows:
        step, interval = script.predict(program, script.expand(row["flags"], data["models"]))
        error = step / row["step_s"] - 1
        within += abs(error) <= 0.15
        if abs(error) > 0.3 or not interval or not interval[0] <= row["step_s"] <= interval[1]:
            failures.append(f"{row['job']}: {step} s, {interval}, published {row['step_s']} s")
    if not rows or within < 0.8 * len(rows):
        failures.append(f"{within} of {len(rows)} steps within 15 %")


def check_interval(script, program, failures):
    """The interval is close to runs with the efficiencies that it names."""
    step, (least, most) = script.predict(program, JOB)
    low, high = 0.42, 0.58  # of KernelEfficiency
    for share, expected in ((low, most), (high, least)):
        run, interval = script.predict(program, [*JOB, f"--computeEfficiency={share}"])
        if abs(run / expected - 1) > 0.02 or interval:
            failures.append(f"{share}: {run} s, expected {expected} s; {interval}")
    if not least < step < most:
        failures.append(f"{step} s is not in {least} to {most} s")


def check_precision(script, program, failures):
    """FLOPs take the time of their format; a job without mixed precision multiplies in fp32."""
    efficiency = ["--computeEfficiency=0.5", "--memoryEfficiency=1"]
    steps = {one: script.predict(program, [*JOB, *efficiency, f"--precision={one}"])[0]
             for one in ("bf16", "fp8", "tf32", "fp32")}
    if not steps["fp8"] < steps["bf16"] < steps["tf32"] < steps["fp32"]:
        failures.append(f"precision: {steps}")
    if not 989.5 / 67 * 0.8 < steps["fp32"] / steps["bf16"] < 989.5 / 67:
        failures.append(f"fp32 beside bf16: {steps}")
    alone = ["--model=llama3-8b", "--framework=torchtitan", "--tp=4", "--fsdp=1", "--pp=1",
             "--microBatches=1", "--seqLen=512", "--computeEfficiency=0.8"]
    mixed, _ = script.predict(program, [*alone, "--mixesAlways=true"])
    whole, _ = script.predict(program, alone)
    narrow, _ = script.predict(program, [*alone, "--precision=tf32"])
    if not mixed < narrow < 0.4 * whole:
        failures.append(f"without mixed precision {whole} s, with tf32 {narrow} s, with {mixed} s")


def check_goodput(script, program, failures):
    """A share of the line rate is a lower line rate."""
    half, _ = script.predict(program, [*JOB, "--portRate=200Gbps", "--goodput=0.5"])
    lower, _ = script.predict(program, [*JOB, "--portRate=100Gbps"])
    whole, _ = script.predict(program, [*JOB, "--portRate=200Gbps"])
    if half != lower or half <= whole:
        failures.append(f"goodput: {half} s, {lower} s, {whole} s")


def main():
    """Run all checks."""
    program = str(pathlib.Path(sys.argv[1]).resolve() / "photonic-rails-training")
    script = load_script()
    failures = []
    for check in (check_interval, check_precision, check_goodput, check_published):
        check(script, program, failures)
    print("\n".join(failures) or "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
