#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Volumes of collectives that were recorded on machines, beside those that --describe gives.

usage: recorded-volumes.py PROGRAM ROWS.json

PROGRAM is photonic-rails-training. ROWS.json is an object with a list "rows" of training jobs, each
an object with the fields of the CCL-Bench leaderboard: what was trained and how, and in "measured"
the input bytes of the collectives of rank 0 in a step, in GB (1e9 bytes) by kind.

How the fields become flags:

* model_family: a preset; "_" counts as "-", llama-3.1- and llama-3- as llama3-.
* framework: a preset of that name, or the longest whose name is its beginning.
* hardware_model: the GPU whose name is in it. It does not change volumes.
* tp, pp, cp, ep: the flags of these names. Missing or "" is 1.
* dp_replicate, dp_shard: --dpReplicate and --fsdp. Missing or "" is 1.
* count_per_node: --gpusPerDomain. seq_len: --seqLen.
* total_count: must be tp x pp x cp x dp_replicate x dp_shard.
* batch_size: depends on who wrote the row. In those of framework "torchtitan" it is of one replica
  ("replica", TorchTitan's local_batch_size), in the others of all replicas ("global").
* pp_mb: sequences of a micro-batch in a pipeline (TorchTitan's pipeline_parallel_microbatch_size). If
  it is missing, there are pp micro-batches. Without a pipeline there is one.

* --reshard=always in rows of TorchTitan: what the published job file of the same authors says (Opus
  artifact: "reshard_after_forward": "always").
* --recomputation=none in rows of TorchTitan, full in those of Megatron-LM: what the volumes of the
  published rows agree with. No source says it.

A row does not say everything. What is left open (reshard, recomputation and the version of PyTorch in
TorchTitan, dataParallelism, sequenceParallel and recomputation in Megatron-LM, and the reading of batch_size in
both) is first taken as said above and as the framework has it. (Only that Megatron-LM insists on
sequence parallelism where tp and ep are above 1.) Then all combinations are tried,
and the one that comes closest is shown, marked as an assumption: it is a guess about the recorded
job, found from its volumes. AllToAll has no say in it, since routing depends on data: what rank 0's
experts received is shown as a share of what they receive with equal loads, beside the shares with
--popularity=initial (words by Zipf's law) and initial:10 (all words alike) over 100 seeds.

Exit code 1 if a row cannot be read or described; a line says which and why."""
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

KINDS = {"AllGather": "collective_vol_allgather_gb",
         "ReduceScatter": "collective_vol_reducescatter_gb",
         "AllReduce": "collective_vol_allreduce_gb",
         "AllToAll": "collective_vol_alltoall_gb"}
FRAMEWORKS = ("torchtitan-0.1.0", "torchtitan", "megatron-lm")
GPUS = ("a100", "h100", "h200", "gb200", "b200")
# What a row leaves open, by framework: rules by flag, and how batch_size is read.
RECOMPUTATION = ("none", "selective", "full")
READINGS = ("replica", "global")
# What DTensor does in a version of PyTorch; see the framework's rules.
PYTORCH = {"2.11": ["--multipliesPartialSums=true", "--gradientReductions=2"],
           "2.10": ["--multipliesPartialSums=false", "--gradientReductions=3"]}
TORCHTITAN = {"reshard": ("default", "always", "never"), "recomputation": RECOMPUTATION,
              "pytorch": tuple(PYTORCH), "batch": READINGS}
SEEDS = range(1, 101)
MEGATRON = {"dataParallelism": ("distributed-optimizer", "ddp"),
            "sequenceParallel": ("false", "true"), "recomputation": RECOMPUTATION,
            "batch": READINGS}
SAME = 1e-6  # deviations that differ by less are alike


class RowError(Exception):
    """A row that cannot be read or described."""


def whole(row, field, default=None):
    """A whole number of at least 1."""
    value = row.get(field, "")
    if value == "" or value is None:
        if default is None:
            raise RowError(f"{field} is missing")
        return default
    if isinstance(value, bool) or not isinstance(value, (int, str)) or not str(value).isdigit() \
            or int(value) < 1:
        raise RowError(f"{field} is {value!r}: it must be a whole number from 1")
    return int(value)


def text(row, field):
    """A text that is not empty."""
    value = row.get(field, "")
    if not isinstance(value, str) or not value.strip():
        raise RowError(f"{field} is {value!r}: it must be a text")
    return value.strip().lower().replace("_", "-")


def find_model(row):
    """The preset of a model family."""
    return re.sub(r"^llama-?3(\.\d)?-", "llama3-", text(row, "model_family"))


def find_framework(row):
    """The preset of a framework."""
    name = text(row, "framework")
    for preset in FRAMEWORKS:
        if name.startswith(preset):
            return preset
    if name.startswith("megatron"):
        return "megatron-lm"
    raise RowError(f"framework is {name}: it must begin with one of {', '.join(FRAMEWORKS)}")


def find_gpu(row):
    """The GPU in the name of a machine."""
    name = text(row, "hardware_model")
    for gpu in GPUS:
        if gpu in name:
            return gpu
    raise RowError(f"hardware_model is {name}: it must have one of {', '.join(GPUS)} in it")


def read_degrees(row):
    """Degrees of parallelism by flag."""
    fields = {"tp": "tp", "pp": "pp", "cp": "cp", "ep": "ep", "dpReplicate": "dp_replicate",
              "fsdp": "dp_shard"}
    degrees = {flag: whole(row, field, 1) for flag, field in fields.items()}
    product = 1
    for flag, degree in degrees.items():
        product *= 1 if flag == "ep" else degree
    total = whole(row, "total_count", product)
    if total != product:
        raise RowError(f"total_count is {total}, but tp x pp x cp x dp_replicate x dp_shard is "
                       f"{product}")
    return degrees


def split_batch(row, degrees, reading):
    """Sequences of a micro-batch and number of micro-batches, or None if they do not come out."""
    batch = whole(row, "batch_size")
    replicas = degrees["dpReplicate"] * degrees["fsdp"] if reading == "global" else 1
    if batch % replicas != 0:
        return None
    batch //= replicas
    if degrees["pp"] == 1:
        return batch, 1
    size = whole(row, "pp_mb", max(1, batch // degrees["pp"]))
    return (size, batch // size) if batch % size == 0 else None


def find_open(row):
    """What a row leaves open."""
    return MEGATRON if find_framework(row) == "megatron-lm" else TORCHTITAN


def documented(row):
    """What is open, as the rules above and the framework have it."""
    framework = find_framework(row)
    choice = {"batch": "replica" if framework == "torchtitan" else "global",
              "recomputation": "full" if framework == "megatron-lm" else "none"}
    degrees = read_degrees(row)
    if framework != "megatron-lm":
        choice["reshard"] = "always"
        choice["pytorch"] = "2.11" if framework == "torchtitan" else "2.10"
    if framework == "megatron-lm" and degrees["tp"] > 1 and degrees["ep"] > 1:
        choice["sequenceParallel"] = "true"
    return choice


def make_flags(row, choice):
    """The flags of a row with what is open chosen, or None if the batch does not come out."""
    degrees = read_degrees(row)
    batch = split_batch(row, degrees, choice["batch"])
    if batch is None:
        return None
    flags = [f"--model={find_model(row)}", f"--framework={find_framework(row)}",
             f"--gpu={find_gpu(row)}", f"--seqLen={whole(row, 'seq_len')}",
             f"--microBatchSize={batch[0]}", f"--microBatches={batch[1]}",
             f"--gpusPerDomain={whole(row, 'count_per_node', 8)}"]
    flags += [f"--{flag}={degree}" for flag, degree in degrees.items()]
    flags += [f"--{rule}={value}" for rule, value in choice.items()
              if rule not in ("batch", "pytorch")]
    if choice.get("pytorch", "") != documented(row).get("pytorch", ""):
        flags += PYTORCH[choice["pytorch"]]
    return flags


def describe(program, flags, folder):
    """GB of each kind of rank 0, and the settings; RowError if there is no such job."""
    path = pathlib.Path(folder, "description.json")
    done = subprocess.run([program, "--describe", "--quiet", f"--json={path}", *flags],
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout or "no answer").strip().splitlines()
        raise RowError(lines[0])
    result = json.loads(path.read_text())
    path.unlink()
    volumes = {kind: result["collectives"].get(kind, {}).get("input_bytes", 0) / 1e9
               for kind in KINDS}
    experts = result["collectives"].get("AllToAll", {}).get("by_dimension", {}).get("ep", {})
    volumes["experts"] = experts.get("input_bytes", 0) / 1e9
    return volumes, result["settings"] | result["derived"]


def read_measured(row):
    """GB by kind, of the kinds that the row has."""
    measured = row.get("measured")
    if not isinstance(measured, dict):
        raise RowError("measured is missing")
    volumes = {}
    for kind, key in KINDS.items():
        value = measured.get(key, "")
        if value in ("", None):
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            raise RowError(f"{key} is {value!r}: it must be a number from 0")
        volumes[kind] = value
    if not volumes:
        raise RowError(f"measured has none of {', '.join(KINDS.values())}")
    return volumes


def deviation(measured, described):
    """Relative deviation; None of what was not there."""
    if measured == 0:
        return 0.0 if described == 0 else None
    return described / measured - 1


def distance(measured, described):
    """How far a description is off, over the kinds that do not depend on data."""
    total = 0.0
    for kind, value in measured.items():
        off = deviation(value, described[kind])
        if kind != "AllToAll":
            total += 1.0 if off is None else min(1.0, abs(off))
    return total


def try_all(program, row, measured, folder):
    """Distance, volumes and settings of every combination of what is open that is a job."""
    results = []
    what = find_open(row)
    for values in itertools.product(*what.values()):
        choice = dict(zip(what, values))
        flags = make_flags(row, choice)
        if flags is None:
            continue
        try:
            volumes, _ = describe(program, flags, folder)
        except RowError:
            continue
        results.append((distance(measured, volumes), choice, volumes))
    return results


def show(volumes, measured):
    """A line for each kind."""
    print(f"    {'':14}{'measured GB':>14}{'described GB':>14}{'deviation %':>13}")
    for kind, value in measured.items():
        off = deviation(value, volumes[kind])
        shown = "-" if off is None else f"{100 * off:.4f}"
        print(f"    {kind:14}{value:14.6g}{volumes[kind]:14.6g}{shown:>13}")


def find_share(volumes, total):
    """What the experts of rank 0 received, over an equal share. Half of the input bytes of the
    experts' AllToAlls are what a rank has of its own tokens (dispatch, and the backward of combine)
    and do not depend on routing; the other half is what its experts received. volumes are those
    with equal loads; what is not the experts' in them is the same in total."""
    return 2 * (total - volumes["AllToAll"] + volumes["experts"]) / volumes["experts"] - 1


def show_routing(program, flags, volumes, measured, folder):
    """What would make AllToAll match, and what a random start makes of it."""
    if measured.get("AllToAll", 0) == 0 or volumes["experts"] == 0:
        return
    print(f"  ASSUMPTION that would match AllToAll: the experts of rank 0 received "
          f"{find_share(volumes, measured['AllToAll']):.3f} times an equal share of the tokens")
    for popularity in ("initial", "initial:10"):
        shares = []
        for seed in SEEDS:
            drawn, _ = describe(program, [*flags, f"--popularity={popularity}",
                                          f"--popularitySeed={seed}"], folder)
            shares.append(find_share(volumes, drawn["AllToAll"]))
        print(f"  {popularity + ',':11} {len(SEEDS)} seeds: mean {statistics.mean(shares):.3f}, standard "
              f"deviation {statistics.stdev(shares):.3f}, {min(shares):.3f} to {max(shares):.3f}")


def report(program, row, folder):
    """Print a row."""
    measured = read_measured(row)
    choice = documented(row)
    flags = make_flags(row, choice)
    if flags is None:
        raise RowError(f"batch_size is {row['batch_size']}: it does not come out as {choice['batch']}")
    volumes, settings = describe(program, flags, folder)
    what = find_open(row)
    base = {key: choice[key] if key in choice else settings[key] for key in what}
    print("  " + " ".join(flags))
    print("  as documented: " + ", ".join(f"{key} {value}" for key, value in base.items()))
    show(volumes, measured)
    results = try_all(program, row, measured, folder)
    if not results:
        return
    best = min(entry[0] for entry in results)
    if distance(measured, volumes) <= best + SAME:
        print("  no assumption comes closer")
        show_routing(program, flags, volumes, measured, folder)
        return
    changes = lambda entry: sum(entry[1][key] != base[key] for key in what)
    good = [entry for entry in results if entry[0] <= best + SAME]
    chosen = min(good, key=changes)
    changed = [f"{key} {chosen[1][key]}" for key in what if chosen[1][key] != base[key]]
    print("  ASSUMPTION that comes closest: " + ", ".join(changed))
    show(chosen[2], measured)
    undecided = [key for key in what if len({entry[1][key] for entry in good}) > 1]
    if undecided:
        print("  not decided by the volumes: " + ", ".join(undecided))
    show_routing(program, make_flags(row, chosen[1]), chosen[2], measured, folder)


def read_rows(name):
    """The rows in a file; exits with a line if it has none."""
    try:
        rows = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{name}: it must be JSON with a list of rows ({error})")
    if not isinstance(rows, list):
        sys.exit(f"{name}: rows must be a list")
    return rows


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: recorded-volumes.py PROGRAM ROWS.json")
    program = str(pathlib.Path(sys.argv[1]).resolve())
    rows = read_rows(sys.argv[2])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(rows, 1):
            name = row.get("workload_name", "") if isinstance(row, dict) else ""
            print(f"row {number} {name}")
            try:
                if not isinstance(row, dict):
                    raise RowError("it must be an object")
                report(program, row, folder)
            except RowError as error:
                failures += 1
                print(f"row {number}: {error}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
