#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Times of steps that were measured on machines, beside those of a run.

usage: recorded-times.py PROGRAM ROWS.json [ROW ...]

PROGRAM is photonic-rails-training. ROWS.json and the way its fields become flags are those of
recorded-volumes.py; ROW counts from 1, and without any all rows of dense models are run. A row takes
minutes: its packets are simulated.

The efficiency of computation comes from the row's MFU, not from its step time. An MFU counts the
FLOPs of the model over the whole step, and in these rows for batch_size sequences in all. So

    efficiency = MFU x (FLOPs that a rank executes, as described: all its sequences, recomputation)
                     / (model FLOPs of batch_size x seq_len tokens / GPUs)
                     / (1 - bubble of the pipeline by the textbook)

What the run then adds or hides is communication, the optimizer, and what is bound by memory. The
network is that of the machine of the published rows: four GPUs with NVLink in a node, and a NIC of
200 Gbit/s for each (Perlmutter, Slingshot 11).

Exit code 1 if a row cannot be read, described or run; a line says which and why."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

NETWORK = ["--fabric=leaf-spine", "--nicPorts=1", "--portRate=200Gbps", "--scaleUp=network"]


def load_volumes():
    """recorded-volumes.py, which stands beside this file."""
    path = pathlib.Path(__file__).with_name("recorded-volumes.py")
    spec = importlib.util.spec_from_file_location("recorded_volumes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VOLUMES = load_volumes()


def run(command, folder):
    """What a program writes to --json; RowError with its line if it fails."""
    path = pathlib.Path(folder, "result.json")
    done = subprocess.run([*command, "--quiet", f"--json={path}"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout or "no answer").strip().splitlines()
        raise VOLUMES.RowError(lines[0])
    return json.loads(path.read_text())


def number(row, field):
    """A measured figure above 0."""
    value = row.get("measured", {}).get(field)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise VOLUMES.RowError(f"{field} is {value!r}: it must be a number above 0")
    return value


def find_efficiency(row, description):
    """The efficiency while computing that a row's MFU implies."""
    classes = description["rank_classes"]
    executed = sum(c["ranks"] * c["flops"] for c in classes)
    model = sum(c["ranks"] * c["model_flops"] for c in classes)
    counted = VOLUMES.whole(row, "batch_size") * VOLUMES.whole(row, "seq_len")
    counted_flops = model * counted / description["tokens"]
    ratio = description["pipeline"].get("bubble", 0)  # of the time that a rank computes
    efficiency = number(row, "mfu") / 100 * executed / counted_flops * (1 + ratio)
    if efficiency > 1:
        raise VOLUMES.RowError(f"the MFU implies an efficiency of {efficiency:.2f}, above 1")
    return efficiency


def report(program, row, folder):
    """Describe and run one row; print a line."""
    flags = VOLUMES.make_flags(row, VOLUMES.documented(row))
    if flags is None:
        raise VOLUMES.RowError("batch_size does not come out even")
    job = [program, *flags, *NETWORK]
    description = run([*job, "--describe"], folder)
    efficiency = find_efficiency(row, description)
    summary = run([*job, "--iterations=1", f"--computeEfficiency={efficiency:.4f}"], folder)
    simulated = summary["iterations"][-1]["time_s"]
    measured = number(row, "avg_step_time")
    print(f"{row.get('workload_name', '?')}: MFU {number(row, 'mfu'):.2f} %, efficiency "
          f"{efficiency:.4f}, simulated {simulated:.4f} s, measured {measured:.4f} s, "
          f"{100 * (simulated / measured - 1):+.1f} %", flush=True)


def main():
    if len(sys.argv) < 3 or not all(word.isdigit() for word in sys.argv[3:]):
        sys.exit(__doc__)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    wanted = [int(word) for word in sys.argv[3:]]
    rows = VOLUMES.read_rows(sys.argv[2])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, row in enumerate(rows, 1):
            if wanted and index not in wanted:
                continue
            try:
                if wanted or VOLUMES.whole(row, "ep", 1) == 1:
                    report(program, row, folder)
            except VOLUMES.RowError as error:
                failed += 1
                print(f"row {index}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
