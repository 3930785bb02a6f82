#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The object that photonic-rails-training writes with --json is the one that doc/run-summary.md
describes, its numbers agree with each other, and equal flags give equal objects.

usage: summary-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import pathlib
import re
import subprocess
import sys
import tempfile

import json_schema

SMALL_JOB = ["--model=debugmodel", "--seqLen=512"]
FABRICS = ("photonic", "electrical", "leaf-spine", "rail-only", "fat-tree")

# Members of an object whose keys are data: what stands for the key in the schema, and its values.
DATA_KEYS = {
    "collectives": ("KIND", {"AllGather", "ReduceScatter", "AllReduce", "AllToAll", "Send", "Recv"}),
    "collectives.KIND.by_dimension": ("DIMENSION", {"tp", "cp", "fsdp", "pp", "dp", "ep"}),
}
# Strings that have to be one of a few.
CHOICES = {
    "fabric": set(FABRICS),
    "iterations[].windows[].from": {"fsdp", "pp", "dp"},
    "iterations[].windows[].to": {"fsdp", "pp", "dp"},
    "phases[][].dimension": {"fsdp", "pp", "dp"},
    "phases[][].kind": DATA_KEYS["collectives"][1],
}
# What a job did when GPUs were lost.
RECOVERY = ("gpus", "gpus[]", "moves", "moves[].rank", "moves[].from", "moves[].to", "lost_s", "detected_s",
            "stopped_s", "replaced_s", "ready_s", "resumed_s", "attempts", "iteration", "lost_work_s", "spares_left")
# Of what broke; it is there only in runs where something does, and mended where that is mended.
OPTIONAL = ({f"faults[].{key}" for key in ("kind", "target", "at_s", "until_s", "consequence")} |
            {f"recoveries[].{key}" for key in RECOVERY} |
            {"control", "iterations[].exposed_reconfiguration_s", "mfu_remark",
             "step_least_s", "step_most_s"})
SIGNED = {"iterations[].windows[].window_s"}
OF_THE_MACHINE = ("wall_s", "peak_rss_bytes", "processes")


def check_collectives(collectives, name, failures):
    """A kind's sums are those over the dimensions that it serves."""
    for kind, volume in collectives.items():
        for key in ("count", "input_bytes"):
            parts = sum(part[key] for part in volume["by_dimension"].values())
            failures.expect(volume[key] == parts,
                            f"{name}: {key} of {kind} is {volume[key]}, its parts sum to {parts}")


def check_recovery(summary, schema, failures):
    """A GPU is lost, and its rank goes on with the spare: the steps are in order and bytes add up."""
    schema.check(summary, "spare GPU", failures)
    failures.expect(len(summary["recoveries"]) == 1, f"spare GPU: {summary['recoveries']}")
    for one in summary["recoveries"]:
        keys = {key for key in RECOVERY if "[]" not in key}
        failures.expect(set(one) == keys, f"spare GPU: {set(one) ^ keys}")
        steps = [one[key] for key in ("lost_s", "detected_s", "stopped_s", "replaced_s", "ready_s", "resumed_s")]
        failures.expect(steps == sorted(steps) and steps[0] == 0.05, f"spare GPU: {steps}")
        failures.expect((one["gpus"], one["attempts"], one["spares_left"]) == ([5], 1, 3), f"spare GPU: {one}")
        # GPU 5 is in domain 1, whose spare is the second.
        failures.expect(one["moves"] == [{"rank": 5, "from": 5, "to": 17}], f"spare GPU: {one['moves']}")
    failures.expect(summary["bytes_posted"] <= summary["bytes_delivered"] + summary["bytes_failed"],
                    "spare GPU: bytes")


def check_phases(summary, name, failures):
    """Run lengths are maximal, and stage 0 counts what rank 0 has called along the rail."""
    for stage, phases in enumerate(summary["phases"]):
        keys = [(phase["dimension"], phase["kind"]) for phase in phases]
        failures.expect(all(x != y for x, y in zip(keys, keys[1:])),
                        f"{name}: stage {stage} has two phases alike in a row")
        failures.expect(all(phase["count"] > 0 for phase in phases), f"{name}: an empty phase")
    counted = {}
    for phase in summary["phases"][0]:
        key = (phase["kind"], phase["dimension"])
        counted[key] = counted.get(key, 0) + phase["count"]
    # In this job TP is the only dimension inside the scale-up domain.
    called = {(kind, dimension): part["count"]
              for kind, volume in summary["collectives"].items()
              for dimension, part in volume["by_dimension"].items() if dimension != "tp"}
    failures.expect(counted == called, f"{name}: phases count {counted}, collectives {called}")


def check_iterations(summary, name, failures):
    """Iterations are complete and in order; only circuits are reconfigured."""
    iterations = summary["iterations"]
    failures.expect([i["index"] for i in iterations] == list(range(3)), f"{name}: three iterations")
    stages = len(summary["phases"])
    for iteration in iterations:
        where = f"{name}: iteration {iteration['index']}"
        failures.expect(iteration["time_s"] > 0, f"{where} takes no time")
        failures.expect(iteration["exposed_reconfiguration_s"] <= iteration["time_s"],
                        f"{where} exposes more than it lasts")
        failures.expect({w["stage"] for w in iteration["windows"]} == set(range(stages)),
                        f"{where} lacks the windows of a stage")
        failures.expect(all(w["from"] != w["to"] for w in iteration["windows"]),
                        f"{where} has a window within a phase")
        if summary["fabric"] == "photonic":
            failures.expect(iteration["reconfigurations"] > 0, f"{where} without a command")
            failures.expect(iteration["exposed_reconfiguration_s"] > 0, f"{where} without a wait")
        else:
            failures.expect(iteration["reconfigurations"] == 0, f"{where} reconfigures a switch")
            failures.expect(iteration["exposed_reconfiguration_s"] == 0, f"{where} waits for light")


def check_totals(summary, name, failures):
    """What was posted was delivered, in as many packets as that takes, and nothing was lost."""
    failures.expect(summary["bytes_delivered"] == summary["bytes_posted"], f"{name}: bytes missing")
    failures.expect(summary["scale_up"]["bytes_delivered"] == summary["scale_up"]["bytes_posted"],
                    f"{name}: bytes missing on scale-up networks")
    failures.expect(summary["scale_up"]["retransmissions"] == 0, f"{name}: sent again")
    failures.expect(summary["packets_lost_at_ocs"] == 0, f"{name}: packets lost at a switch")
    failures.expect(summary["retransmissions"] == 0, f"{name}: packets sent again")
    failures.expect(summary["packets_sent"] * 4096 >= summary["bytes_posted"] > 0,
                    f"{name}: {summary['packets_sent']} packets cannot carry the bytes")
    failures.expect(summary["events"] > 0, f"{name}: no events")
    failures.expect(summary["wall_s"] > 0 and summary["peak_rss_bytes"] > 1 << 20,
                    f"{name}: no time or no memory")
    product = 1
    for degree in ("tp", "cp", "fsdp", "dpReplicate", "pp"):
        product *= int(summary["settings"][degree])
    failures.expect(summary["world_size"] == product, f"{name}: world size")
    failures.expect(len(summary["phases"]) == int(summary["settings"]["pp"]), f"{name}: stages")


def run(program, flags, folder):
    """Run the small job and return the object that it writes."""
    path = pathlib.Path(folder, "summary.json")
    done = subprocess.run([program, *SMALL_JOB, *flags, f"--json={path}"], cwd=folder,
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    if "--quiet" in flags and (done.stdout or done.stderr):
        sys.exit(f"--quiet prints: {done.stdout}{done.stderr}")
    text = path.read_text()
    path.unlink()
    return json_schema.read(text)


def check_mfu(program, schema, folder, failures):
    """The recorded job is far from published MFUs: the parts of its step that the remark lists, and the part that
    computes the model, are the step. With less to lose there is no remark, and none on a small model."""
    job = ["--model=llama3-8b", "--seqLen=8192", "--iterations=2", "--hostRunAhead=none"]
    for flags, parts in {("--policy=on-demand",): ["pipeline bubble", "recomputation", "waiting for circuits"],
                         ("--fabric=electrical", "--recomputation=none"): ["pipeline bubble"]}.items():
        summary = run(program, [*job, *flags], folder)
        schema.check(summary, f"MFU {flags}", failures)
        head, _, text = summary.get("mfu_remark", "").partition("; the step is ")
        failures.expect(head == f"MFU {100 * summary['mfu']:.1f} % is below the 44 to 72 % that publications report "
                        "for a100", f"{flags}: {head}")
        shares = [(float(share), part) for share, part in
                  re.findall(r"([0-9.]+) % ([a-z][^,]*)", re.sub(r" \([^)]*\)", "", text))]
        failures.expect(shares == sorted(shares, key=lambda one: -one[0]), f"{flags}: order of {shares}")
        names = [part for _, part in shares]
        failures.expect(set(parts) <= set(names), f"{flags}: {text}")
        failures.expect(("recomputation" in names) == ("recomputation" in parts), f"{flags}: {text}")
        lost = sum(share for share, part in shares if not part.startswith("lost by computing at 0.293"))
        failures.expect(len(shares) - 1 == len([one for one in names if "lost" not in one]), f"{flags}: {text}")
        whole = lost + 100 * summary["mfu"] / 0.293
        failures.expect(96 < whole < 100.5, f"{flags}: {whole} % of the step in {text}") # below 1 % is left out
    near = run(program, [*job, "--fabric=electrical", "--recomputation=none", "--microBatches=16", "--microBatchSize=1",
                         "--computeEfficiency=0.7"], folder)
    failures.expect(0.44 < near["mfu"] < 0.72 and "mfu_remark" not in near,
                    f"an MFU of {near['mfu']}: {near.get('mfu_remark')}")
    small = run(program, ["--iterations=1"], folder)
    failures.expect(0 < small["mfu"] < 0.01 and "mfu_remark" not in small, f"a small model: {small.get('mfu_remark')}")


def without_machine(summary):
    """The part of the object that depends on nothing but the flags."""
    return {key: value for key, value in summary.items() if key not in OF_THE_MACHINE}


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-training").resolve())
    schema = json_schema.Schema("run-summary.md", DATA_KEYS, CHOICES, SIGNED, OPTIONAL,
                                ("derived",))
    failures = json_schema.Failures()
    summaries = {}
    with tempfile.TemporaryDirectory() as folder:
        for fabric in FABRICS:
            flags = [f"--fabric={fabric}"]
            summary = summaries[fabric] = run(program, flags, folder)
            schema.check(summary, fabric, failures)
            check_collectives(summary["collectives"], fabric, failures)
            check_phases(summary, fabric, failures)
            check_iterations(summary, fabric, failures)
            check_totals(summary, fabric, failures)
            for again in (flags, flags + ["--quiet"]):
                failures.expect(
                    without_machine(run(program, again, folder)) == without_machine(summary),
                    f"{' '.join(again)}: another run, another object")
            failures.expect(("control" in summary) == (fabric == "photonic"), f"{fabric}: controllers")
        check_mfu(program, schema, folder, failures)
        # Without shims nothing measures what is exposed, unless no circuit moves.
        for policy, measured in (("rotor", [None, None, None]), ("torus", [None, 0, 0])):
            other = run(program, [f"--policy={policy}", "--reconfigDelay=100us"], folder)
            schema.check(other, policy, failures)
            failures.expect("control" not in other, f"{policy}: there are no controllers")
            failures.expect([one.get("exposed_reconfiguration_s") for one in other["iterations"]] == measured,
                            f"{policy}: exposed")
        hosts = run(program, ["--hostNetwork=100Gbps", "--hostThreshold=4K"], folder)
        schema.check(hosts, "host network", failures)
        check_totals(hosts, "host network", failures)
        crashed = run(program, ["--controlLoss=0.02", "--controllerCrash=30ms,5ms"], folder)
        schema.check(crashed, "crash", failures)
        check_totals(crashed, "crash", failures)
        replaced = run(program, ["--standby", "--controllerCrash=30ms,100s"], folder)
        schema.check(replaced, "standby", failures)
        check_totals(replaced, "standby", failures)
        broken = run(program, ["--spareRails=1", "--fault=ocs:1@300ms+1s"], folder)
        schema.check(broken, "spare rail", failures)
        failures.expect([(one["kind"], one["target"], one["at_s"]) for one in broken["faults"]] ==
                        [("ocs", "1", 0.3)], "spare rail: faults")
        failures.expect("spare switch 4" in broken["faults"][0]["consequence"], "spare rail: moved")
        failures.expect(broken["bytes_delivered"] == broken["bytes_posted"], "spare rail: bytes")
        check_recovery(run(program, ["--spareGpus=1", "--fault=gpu:5@50ms"], folder), schema, failures)
        unused = run(program, ["--hostNetwork=100Gbps", "--hostThreshold=0"], folder)
        single = run(program, ["--iterations=1", "--quiet"], folder)
        packets = run(program, ["--scaleUp=network", "--fabric=electrical"], folder)
        schema.check(packets, "scale-up network", failures)
        check_totals(packets, "scale-up network", failures)
        named = [run(program, [f"--scaleUp={name}", "--fabric=electrical"], folder)
                 for name in ("none", "nvlink3", "a100", "h100")]
        failures.expect([one["settings"]["scaleUp"] for one in named] ==
                        ["none", "nvlink3", "a100", "h100"], "names of scale-up networks")
        times = [[part["time_s"] for part in one["iterations"]] for one in named + [packets]]
        failures.expect(times[1] == times[2] == times[4] != times[3], f"scale-up: {times}")
        failures.expect(not any(named[0]["scale_up"].values()), "no network sends packets")
    failures.expect(crashed["control"]["crashes"] == 1 and crashed["control"]["takeovers"] == 0,
                    "a crash")
    # A switch that was switching comes to rest first (25 ms), and lost frames are sent again.
    failures.expect(0.005 <= crashed["control"]["down_sum_s"] < 0.05, "back after 5 ms")
    failures.expect(crashed["control"]["retransmissions"] > 0, "frames are lost")
    failures.expect(replaced["control"]["takeovers"] == 1, "a standby")
    failures.expect(0.02 <= replaced["control"]["down_sum_s"] < 0.056, "two to three heartbeats")
    failures.expect(not any(summaries["photonic"]["control"][key]
                            for key in ("retransmissions", "crashes", "takeovers", "down_sum_s")),
                    "nothing goes wrong by itself")
    circuits, switches = summaries["photonic"], summaries["electrical"]
    failures.expect(3 * single["bytes_posted"] == circuits["bytes_posted"],
                    "three iterations do not post three times the bytes of one")
    for fabric, summary in summaries.items():
        for key in ("collectives", "phases", "bytes_posted", "settings"):
            failures.expect(circuits[key] == summary[key],
                            f"photonic and {fabric} rails differ in {key}")
        failures.expect(not any(summary["scale_up"].values()), "a closed form sends packets")
        failures.expect(not any(summary["host_network"].values()), "no host network")
    sent = hosts["host_network"]
    failures.expect(sent["bytes_posted"] == sent["bytes_delivered"] > 0, "hosts: bytes")
    failures.expect(sent["packets_sent"] > 0 == sent["retransmissions"], "hosts: packets")
    failures.expect(hosts["bytes_posted"] < circuits["bytes_posted"], "hosts take from the rails")
    failures.expect(hosts["collectives"] == circuits["collectives"], "hosts: collectives")
    for key in ("iterations", "phases", "bytes_posted", "packets_sent", "host_network"):
        failures.expect(unused[key] == circuits[key], f"an unused host network changes {key}")
    for key in ("collectives", "phases", "bytes_posted", "packets_sent"):
        failures.expect(packets[key] == switches[key], f"the scale-up network changes {key}")
    failures.expect(packets["scale_up"]["packets_sent"] > packets["packets_sent"],
                    "tensor parallelism sends less than the rest")
    print(f"{len(schema.types)} keys on {len(FABRICS)} fabrics, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
