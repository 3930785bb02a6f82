#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""test/validation/recorded-volumes.py reads rows as it says, and finds the assumption under which
made-up rows were made.

usage: recorded-volumes-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

import json_schema

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "validation" / "recorded-volumes.py"
KEYS = {"AllGather": "collective_vol_allgather_gb", "ReduceScatter": "collective_vol_reducescatter_gb",
        "AllReduce": "collective_vol_allreduce_gb", "AllToAll": "collective_vol_alltoall_gb"}
ROW = {"workload_name": "made up", "model_family": "debugmodel", "framework": "torchtitan",
       "hardware_model": "nvidia_a100", "total_count": 8, "count_per_node": 4, "batch_size": 2,
       "seq_len": 512, "tp": 2, "pp": 2, "pp_mb": "", "dp_replicate": 1, "dp_shard": 2, "ep": "",
       "cp": 1, "precision": "bf16"}
# By name: the row, the flags of the job that it was made from, and what the script must say.
CASES = {
    "as documented": (
        {"batch_size": 4}, ["--framework=torchtitan", "--microBatchSize=2", "--microBatches=2",
             "--reshard=always"],
        ["--model=debugmodel --framework=torchtitan --gpu=a100 --seqLen=512 --microBatchSize=2 "
         "--microBatches=2 --gpusPerDomain=4 --tp=2 --pp=2 --cp=1 --ep=1 --dpReplicate=1 --fsdp=2",
         "no assumption comes closer"]),
    "reshard and recomputation": (
        {"batch_size": 4}, ["--framework=torchtitan", "--microBatchSize=2", "--microBatches=2",
             "--reshard=default", "--recomputation=full"],
        ["ASSUMPTION that comes closest: reshard default, recomputation full"]),
    "a global batch": (
        {"framework": "torchtitan-0.1.0", "batch_size": 16, "pp_mb": 2},
        ["--framework=torchtitan-0.1.0", "--microBatchSize=2", "--microBatches=4",
         "--reshard=always"],
        ["--microBatchSize=2 --microBatches=4", "batch global", "no assumption comes closer"]),
    "another reading of the batch": (
        {"framework": "torchtitan-0.1.0", "batch_size": 8, "pp_mb": 4},
        ["--framework=torchtitan-0.1.0", "--microBatchSize=4", "--microBatches=2",
         "--reshard=always"],
        ["ASSUMPTION that comes closest: batch replica"]),
    "another version of PyTorch": (
        {"total_count": 2, "pp": 1, "dp_shard": 1},
        ["--framework=torchtitan", "--microBatchSize=2", "--microBatches=1", "--pp=1", "--fsdp=1",
         "--multipliesPartialSums=false", "--gradientReductions=3"],
        ["ASSUMPTION that comes closest: pytorch 2.10"]),
    "megatron": (
        {"framework": "Megatron_LM-core", "dp_replicate": 2, "dp_shard": 1, "batch_size": 8},
        ["--framework=megatron-lm", "--dpReplicate=2", "--fsdp=1", "--microBatchSize=2",
         "--microBatches=2", "--recomputation=none"],
        ["--dpReplicate=2 --fsdp=1", "ASSUMPTION that comes closest: recomputation none"]),
}
JOB = ["--describe", "--quiet", "--model=debugmodel", "--seqLen=512", "--tp=2", "--pp=2",
       "--fsdp=2", "--gpusPerDomain=4", "--recomputation=none"]
WRONG = [
    ({"tp": "two"}, "tp is 'two'"),
    ({"tp": -1}, "tp is -1"),
    ({"tp": True}, "tp is True"),
    ({"seq_len": ""}, "seq_len is missing"),
    ({"batch_size": None}, "batch_size is missing"),
    ({"total_count": 9}, "total_count is 9"),
    ({"framework": "jax"}, "framework is jax"),
    ({"framework": 1}, "framework is 1"),
    ({"hardware_model": "tpu"}, "hardware_model is tpu"),
    ({"model_family": "gpt-5"}, "--model=gpt-5"),
    ({"measured": 1}, "measured is missing"),
    ({"measured": {}}, "measured has none of"),
    ({"measured": {"collective_vol_allgather_gb": "x"}}, "collective_vol_allgather_gb is 'x'"),
    ({"measured": {"collective_vol_allgather_gb": float("nan")}}, "collective_vol_allgather_gb"),
    ({"framework": "torchtitan-0.1.0", "batch_size": 3}, "batch_size is 3"),
]


def run(program, text, folder):
    """Run the script on the text of a file."""
    rows = pathlib.Path(folder, "rows.json")
    rows.write_text(text)
    return subprocess.run([sys.executable, SCRIPT, program, rows], capture_output=True, text=True,
                          timeout=300, check=False)


def measure(program, flags, folder):
    """What a job would have been recorded with."""
    path = pathlib.Path(folder, "job.json")
    subprocess.run([program, *JOB, *flags, f"--json={path}"], check=True)
    collectives = json_schema.read(path.read_text())["collectives"]
    return {key: collectives.get(kind, {"input_bytes": 0})["input_bytes"] / 1e9
            for kind, key in KEYS.items()}


def check_cases(program, folder, failures):
    """Rows that were made from a job."""
    for name, (changes, flags, needles) in CASES.items():
        measured = measure(program, flags, folder)
        row = dict(ROW, **changes, measured=measured)
        done = run(program, json.dumps({"rows": [row]}), folder)
        failures.expect(done.returncode == 0, f"{name}: {done.stderr}")
        for needle in needles:
            failures.expect(needle in done.stdout, f"{name}: no {needle!r} in {done.stdout}")
        last = done.stdout.rsplit("measured GB", 1)[-1].splitlines()
        table = [line.split() for line in last if line.split() and line.split()[0] in KEYS]
        failures.expect(len(table) == 4 and all(abs(float(line[3])) == 0 for line in table),
                        f"{name}: deviations in {table}")


def check_arithmetic(program, folder, failures):
    """Deviations in percent, of what was there."""
    flags = ["--framework=torchtitan", "--microBatchSize=1", "--microBatches=2",
             "--reshard=always"]
    measured = measure(program, flags, folder)
    measured["collective_vol_allgather_gb"] *= 0.8
    measured["collective_vol_reducescatter_gb"] = 0
    done = run(program, json.dumps({"rows": [dict(ROW, measured=measured)]}), folder)
    lines = {}
    for words in map(str.split, done.stdout.splitlines()):
        lines.setdefault(words[0] if words else "", words) # as documented comes first
    failures.expect(lines["AllGather"][3] == "25.0000", f"AllGather {lines['AllGather']}")
    failures.expect(lines["ReduceScatter"][3] == "-", f"ReduceScatter {lines['ReduceScatter']}")


def check_wrong(program, folder, failures):
    """Each wrong row has a line, and does not keep others from being read."""
    good = dict(ROW, measured={"collective_vol_allgather_gb": 1.0})
    rows = [dict(good, **changes) for changes, _ in WRONG] + [good]
    done = run(program, json.dumps({"rows": rows}), folder)
    lines = done.stderr.splitlines()
    failures.expect(done.returncode == 1 and len(lines) == len(WRONG), f"wrong rows: {lines}")
    for number, ((changes, needle), line) in enumerate(zip(WRONG, lines), 1):
        failures.expect(line.startswith(f"row {number}: ") and needle in line,
                        f"{changes}: {line}")
    failures.expect("described GB" in done.stdout.rsplit("row ", 1)[-1], "the last row is left out")
    for text in ("", "[]", "{}", '{"rows": 1}', '{"rows": [1]}', '{"rows": [null]}'):
        done = run(program, text, folder)
        failures.expect(done.returncode == 1 and len(done.stderr.splitlines()) == 1,
                        f"{text!r}: {done.returncode} {done.stderr}")


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-training").resolve())
    failures = json_schema.Failures()
    with tempfile.TemporaryDirectory() as folder:
        check_cases(program, folder, failures)
        check_arithmetic(program, folder, failures)
        check_wrong(program, folder, failures)
    print(f"{len(CASES)} rows, {len(WRONG)} wrong ones, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
