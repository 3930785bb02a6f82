#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The object that photonic-rails-training writes with --describe --json is the one that
doc/job-description.md describes; its volumes are those of a run; a job file says what flags say.

usage: describe-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import json_schema

KINDS = {"AllGather", "ReduceScatter", "AllReduce", "AllToAll", "Send", "Recv"}
DIMENSIONS = {"tp", "cp", "fsdp", "pp", "dp", "ep"}
DATA_KEYS = {
    "collectives": ("KIND", KINDS),
    "collectives.KIND.by_dimension": ("DIMENSION", DIMENSIONS),
}
SMALL_JOB = ["--model=debugmodel", "--seqLen=512"]
MOE = ["--model=debugmodel-moe", "--seqLen=128"]
# Jobs that also run, on the smallest model: their flags, and what is special about them.
RUNS = {
    "dense on photonic rails": SMALL_JOB,
    "dense on switches": SMALL_JOB + ["--fabric=electrical", "--scaleUp=network"],
    "FSDP across domains": SMALL_JOB + ["--tp=1", "--fsdp=8", "--pp=1", "--fabric=fat-tree"],
    "FSDP across domains, by PXN": SMALL_JOB + ["--tp=1", "--fsdp=8", "--pp=1",
                                                "--fabric=electrical", "--scaleUp=network"],
    "FSDP across domains, without a network inside": SMALL_JOB + [
        "--tp=1", "--fsdp=16", "--pp=1", "--fabric=leaf-spine"],
    "FSDP across domains, with one": SMALL_JOB + [
        "--tp=1", "--fsdp=16", "--pp=1", "--fabric=leaf-spine", "--scaleUp=network"],
    "experts across domains, without a network inside": MOE + [
        "--tp=1", "--fsdp=8", "--pp=1", "--ep=8", "--fabric=leaf-spine"],
    "experts across domains": MOE + ["--tp=1", "--fsdp=8", "--pp=1", "--ep=8", "--fabric=fat-tree",
                                     "--scaleUp=network"],
    "experts on circuits": MOE + ["--tp=4", "--fsdp=4", "--pp=1", "--ep=4", "--expertTp=4"],
    "unequal experts on circuits": MOE + ["--tp=4", "--fsdp=4", "--pp=1", "--ep=4", "--expertTp=4",
                                          "--popularity=zipf:1"],
    "random weights on circuits": MOE + ["--tp=4", "--fsdp=4", "--pp=1", "--ep=4", "--expertTp=4",
                                         "--popularity=initial", "--popularitySeed=3"],
    "partial sums over experts": MOE + ["--tp=4", "--fsdp=4", "--pp=1", "--ep=4",
                                        "--framework=torchtitan-0.1.0"],
    "no data parallelism, in fp32": SMALL_JOB + ["--tp=4", "--fsdp=1", "--pp=2"],
    "unequal experts in a domain": MOE + ["--tp=4", "--fsdp=2", "--pp=2", "--ep=4",
                                          "--popularity=zipf"],
    "ring attention": SMALL_JOB + ["--tp=2", "--cp=2", "--fsdp=2", "--pp=1", "--context=ring",
                                   "--fabric=leaf-spine"],
    "trees and direct exchange on switches": SMALL_JOB + [
        "--tp=2", "--fsdp=4", "--pp=1", "--gpusPerDomain=2", "--fabric=electrical",
        "--algorithms=AllReduce=tree,AllGather=direct,ReduceScatter=halving-doubling"],
    "domains of their own level": SMALL_JOB + [
        "--tp=1", "--fsdp=8", "--pp=1", "--fabric=leaf-spine", "--scaleUp=network",
        "--algorithms=AllGather=hierarchical,AllReduce=tree"],
    "experts in pairs": MOE + ["--tp=1", "--fsdp=8", "--pp=1", "--ep=8", "--fabric=leaf-spine",
                               "--algorithms=AllToAll=pairwise"],
    "experts by PXN": MOE + ["--tp=1", "--fsdp=8", "--pp=1", "--ep=8", "--fabric=fat-tree", "--scaleUp=network",
                             "--algorithms=AllToAll=pxn"],
    "two chunks a rank": SMALL_JOB + ["--virtualStages=2", "--schedule=interleaved"],
    "layers of each stage": SMALL_JOB + ["--tp=4", "--fsdp=1", "--pp=2", "--virtualStages=2",
                                         "--schedule=interleaved", "--split=0+3,1+2"],
    "megatron": SMALL_JOB + ["--framework=megatron-lm", "--fsdp=1", "--dpReplicate=2",
                             "--fabric=fat-tree"],
    "small calls on the host network": SMALL_JOB + ["--hostNetwork=100Gbps", "--hostThreshold=64K"],
    "everything on the host network": SMALL_JOB + ["--tp=1", "--fsdp=8", "--pp=1",
                                                   "--hostNetwork=100Gbps"],
    "experts on the host network": MOE + ["--tp=1", "--fsdp=8", "--pp=1", "--ep=8",
                                          "--hostNetwork=100Gbps", "--scaleUp=network"],
    "another framework": SMALL_JOB + ["--framework=torchtitan"],
}


def call(program, flags, folder):
    """Run the program and return the object that it writes."""
    path = pathlib.Path(folder, "out.json")
    done = subprocess.run([program, *flags, f"--json={path}"], cwd=folder, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    text = path.read_text()
    path.unlink()
    return json_schema.read(text)


def check_schema(schema, description, name, failures):
    """Settings are texts; the collectives of each class have the schema of those of rank 0."""
    classes = description["rank_classes"]
    failures.expect(classes[0]["collectives"] == description["collectives"],
                    f"{name}: rank 0 is in the first class")
    for entry in classes:
        description = dict(description, collectives=entry["collectives"])
        bare = [{key: value for key, value in other.items() if key != "collectives"}
                for other in classes]
        bare[0]["collectives"] = {}
        schema.check(dict(description, rank_classes=bare), name, failures)


def check_sums(description, name, failures):
    """Classes are all ranks; shares, sums and orders of magnitude agree."""
    classes = description["rank_classes"]
    failures.expect(sum(entry["ranks"] for entry in classes) == description["world_size"],
                    f"{name}: ranks of all classes")
    for entry in classes:
        total = sum(volume["input_bytes"] for volume in entry["collectives"].values())
        failures.expect(total == entry["input_bytes"], f"{name}: input bytes")
        share = entry["scale_out_input_bytes"] / max(1, total)
        failures.expect(abs(share - entry["scale_out_share"]) < 1e-9, f"{name}: share")
        failures.expect(entry["compute_s"] <= entry["expected_s"] <=
                        (entry["compute_s"] + entry["scale_up_s"]) * (1 + 1e-9),
                        f"{name}: expected time")
        mine = [stage for stage in description["stages"]
                if stage["pipeline_rank"] == entry["pipeline_rank"]]
        flops = sum(stage["model_flops"] for stage in mine)
        failures.expect(abs(flops - entry["model_flops"]) <= 1e-9 * flops, f"{name}: model FLOPs")
        busy = sum(stage["compute_s"] for stage in mine)
        failures.expect(0 < busy, f"{name}: time of stages")
        for key in ("parameters", "owned_parameters"):
            failures.expect(sum(stage[key] for stage in mine) == entry[key], f"{name}: {key}")
    for role in description["mesh"]["roles"]:
        failures.expect(role["inside_domain"] + role["along_rail"] + role["across"] ==
                        role["groups"], f"{name}: groups of {role['role']}")


def check_files(program, folder, failures):
    """A file of settings is the job that has them, and flags win over a file."""
    job = pathlib.Path(folder, "job.json")
    for name, flags in RUNS.items():
        direct = call(program, ["--describe", *flags], folder)
        job.write_text(json.dumps(dict(direct["settings"], fabric=direct["fabric"])))
        failures.expect(call(program, ["--describe", f"--job={job}"], folder) == direct,
                        f"{name}: another job from its settings")
    given = call(program, ["--describe", *RUNS["layers of each stage"]], folder)["stages"]
    failures.expect([stage["layers"] for stage in given] == [0, 3, 1, 2], f"layers: {given}")
    waits = ["--seqLen=512", "--model=debugmodel", "--iterations=1", "--policy=per-call",
             "--jitter=0.2", "--ns3::OpusShim::HoldTime=7ms", "--RngRun=3"]
    first = call(program, waits, folder)
    given = {key: first["settings"].get(key) for key in ("ns3::OpusShim::HoldTime", "RngRun", "RngSeed")}
    failures.expect(given == {"ns3::OpusShim::HoldTime": "7ms", "RngRun": "3", "RngSeed": None}, f"settings: {given}")
    job.write_text(json.dumps(first["settings"]))
    again, other = (call(program, [f"--job={job}", "--iterations=1", *more], folder)
                    for more in ([], ["--ns3::OpusShim::HoldTime=0"]))
    failures.expect(again["settings"] == first["settings"] and again["iterations"] == first["iterations"],
                    f"attributes in a job file: {again['iterations']}")
    failures.expect(other["iterations"] != first["iterations"], "the attribute has no effect")
    numbers = {"model": "debugmodel", "tp": 2, "fsdp": 4, "computeEfficiency": 0.5,
               "pfc": False, "sequenceParallel": True, "seqLen": 1024}
    job.write_text(json.dumps(numbers))
    settings = call(program, ["--describe", f"--job={job}", "--fsdp=2"], folder)["settings"]
    for key, text in {"tp": "2", "fsdp": "2", "computeEfficiency": "0.5", "seqLen": "1024",
                      "pfc": "false", "sequenceParallel": "true"}.items():
        failures.expect(settings[key] == text, f"{key} is {settings[key]}, not {text}")
    job.write_text('{"model": "debugmodel", "seqLen": 512, "iterations": 1}')
    run = call(program, [f"--job={job}", "--quiet"], folder)
    failures.expect(len(run["iterations"]) == 1, "a job file says how many iterations are run")


def check_rules(program, folder, failures):
    """Without a framework the recorded job's rules hold, with one its own."""
    expected = {(): ("torchtitan-0.1.0", "always", "none"),
                ("--framework=torchtitan-0.1.0",): ("torchtitan-0.1.0", "default", "selective"),
                ("--framework=torchtitan", "--reshard=never"): ("torchtitan", "never", "selective"),
                ("--recomputation=full",): ("torchtitan-0.1.0", "always", "full")}
    for flags, rules in expected.items():
        description = call(program, ["--describe", *SMALL_JOB, *flags], folder)
        settings = description["settings"] | description["derived"]
        got = tuple(settings[key] for key in ("framework", "reshard", "recomputation"))
        failures.expect(got == rules, f"{flags}: {got}")


def check_recomputation(program, folder, failures):
    """A job that does not name recomputation has the least that fits; the recorded job is as it was recorded."""
    large = ("--model=llama3-70b", "--gpu=h100", "--tp=8", "--pp=4", "--microBatchSize=1")
    some, many = (*large, "--fsdp=4", "--microBatches=8"), (*large, "--fsdp=32", "--microBatches=16")
    more = (*some, "--microBatchSize=2")
    cases = {(): "full, as recorded: by estimate 22.5 of 80 GB",
             some: "none, the least that fits: by estimate 51.7 of 80 GB",
             many: "none, the least that fits: by estimate 43.7 of 80 GB",
             more: "selective, the least that fits: by estimate 41.3 of 80 GB",
             (*more, "--gpu=h200"): "none, the least that fits: by estimate 93.0 of 141 GB",
             (*more, "--microBatchSize=8"): "full, the least that fits: by estimate 27.2 of 80 GB",
             (*some, "--framework=torchtitan"):
                 "selective, the least of torchtitan that fits: by estimate 29.9 of 80 GB",
             (*some, "--framework=megatron-lm"): "full, the least that fits: by estimate 31.9 of 80 GB",
             (*many, "--recomputation=full"): "full, as given: by estimate 4.5 of 80 GB",
             ("--gpu=h100", "--tp=8"): "none, the least that fits: by estimate 38.0 of 80 GB"}
    for flags, line in cases.items():
        described = call(program, ["--describe", *flags], folder)
        failures.expect(described["recomputation"] == line, f"{flags}: {described['recomputation']}")
        chosen = (described["settings"] | described["derived"])["recomputation"]
        failures.expect(line.startswith(chosen + ","), f"{flags}: {chosen}, though {line}")
        most = max(entry["memory_bytes"] for entry in described["rank_classes"])
        failures.expect(f" {most / 1e9:.1f} of {described['gpu_memory_bytes'] / 1e9:.0f} GB" in line,
                        f"{flags}: {most} bytes, though {line}")


def check_derived(program, folder, failures):
    """What follows from a flag follows it also in a job file of settings."""
    job = pathlib.Path(folder, "job.json")
    first = call(program, ["--describe", *SMALL_JOB], folder)
    job.write_text(json.dumps(first["settings"]))
    cases = {"--ocs=sip": "reconfigDelay", "--portRate=400Gbps": "fabricRate",
             "--fiberDelay=1us": "spineDelay", "--computeEfficiency=0.5": "attentionEfficiency",
             "--framework=megatron-lm": "tensorParallelism"}
    for flag, key in cases.items():
        flags = [flag] + ["--dpReplicate=2", "--fsdp=1"] * (key == "tensorParallelism")
        again = call(program, ["--describe", f"--job={job}", *flags], folder)
        direct = call(program, ["--describe", *SMALL_JOB, *flags], folder)
        failures.expect(again == direct, f"{flag} over a job file is another job")
        failures.expect(again["derived"][key] != first["derived"][key],
                        f"{flag}: {key} is {again['derived'][key]}")


def check_servers(program, folder, failures):
    """Domains and NICs are those of the server of the GPU, unless they are given."""
    job = [*SMALL_JOB, "--tp=4", "--fsdp=18", "--pp=1"]
    names = ("gpusPerDomain", "nicPorts", "portRate")
    cases = {(): ("4", "2", "100Gbps"), ("--gpu=a100",): ("4", "2", "100Gbps"),
             ("--gpu=dgx-a100",): ("8", "2", "100Gbps"), ("--gpu=h100",): ("8", "2", "200Gbps"),
             ("--gpu=gb200",): ("72", "2", "200Gbps"), ("--gpu=h100", "--gpusPerDomain=4"): ("4", "2", "200Gbps"),
             ("--gpu=h100", "--nicPorts=1", "--portRate=100Gbps"): ("8", "1", "100Gbps")}
    for flags, expected in cases.items():
        settings = call(program, ["--describe", *job, *flags], folder)["settings"]
        got = tuple(settings[name] for name in names)
        failures.expect(got == expected, f"{flags}: {got}")


def check_operations(program, folder, failures):
    """The operations of a rank are those that its class counts."""
    path = pathlib.Path(folder, "operations.csv")
    description = call(program, ["--describe", *SMALL_JOB, f"--operations={path}",
                                 "--operationsRank=9"], folder)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    entry = description["rank_classes"][1]
    failures.expect(len(rows) == entry["operations"], f"{len(rows)} operations")
    for kind, volume in entry["collectives"].items():
        mine = [int(row["bytes"]) for row in rows if row["kind"] == kind]
        failures.expect((len(mine), sum(mine)) == (volume["count"], volume["input_bytes"]),
                        f"{kind} in the operations")


def check_remarks(program, folder, failures):
    """What the fabric cannot do is said, and keeps nothing from being described."""
    cases = {
        ("--tp=1", "--fsdp=8", "--pp=1", "--scaleUp=none"): "fsdp group across domains and rails",
        ("--tp=2", "--fsdp=1", "--pp=1"): "must fill whole scale-up domains",
        ("--tp=8", "--fsdp=1", "--pp=2"): "--tp=8 is more than the 4 GPUs of a scale-up domain",
        ("--tp=4", "--fsdp=4", "--pp=1", "--nicPorts=1"): "nicPorts",
    }
    fabric = pathlib.Path(folder, "circuits.json")
    fabric.write_text(json.dumps({
        "domains": 2, "gpusPerDomain": 1, "nicPorts": 2, "circuitSwitches": ["ocs"],
        "nics": [{"switch": "ocs", "gpus": [0], "circuitPorts": [17, 3]},
                 {"switch": "ocs", "gpus": [1], "circuitPorts": [0, 40]}]}))
    on_circuits = (f"--fabric={fabric}", "--tp=1", "--gpusPerDomain=1", "--fsdp=2", "--pp=1")
    experts = ("--model=debugmodel-moe", "--tp=1", "--ep=4", "--fsdp=4", "--pp=2", "--gpusPerDomain=2")
    cases[(*experts, "--policy=static-partition")] = "bytes of AllToAlls are those of rings"
    cases[("--spareDomains=400",)] = "needs 808 OCS ports"
    cases[("--spareGpus=1", "--hostNetwork=100Gbps")] = "no ports on a host network"
    cases[("--spareGpus=16", "--ocs=pip-switch")] = "needs 136 OCS ports"
    cases[(*on_circuits, "--spareRails=1")] = "no fibers of spares"
    cases[(*on_circuits, "--spareDomains=1")] = "no fibers of spares"
    for flags, needle in cases.items():
        description = call(program, ["--describe", *SMALL_JOB, *flags], folder)
        failures.expect(any(needle in remark for remark in description["remarks"]),
                        f"{flags}: {description['remarks']}")
    for flags in (), on_circuits:
        description = call(program, ["--describe", *SMALL_JOB, *flags], folder)
        failures.expect(description["remarks"] == [], f"{flags}: {description['remarks']}")


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-training").resolve())
    schema = json_schema.Schema(
        "job-description.md", DATA_KEYS, {"pipeline.schedule": {"1f1b", "interleaved"}}, optional={"remarks[]"},
        free=("settings", "derived"))
    failures = json_schema.Failures()
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in RUNS.items():
            description = call(program, ["--describe", *flags], folder)
            check_schema(schema, description, name, failures)
            check_sums(description, name, failures)
            failures.expect(description["remarks"] == [], f"{name}: {description['remarks']}")
            run = call(program, [*flags, "--iterations=1"], folder)
            for key in ("collectives", "settings", "derived", "world_size", "fabric"):
                failures.expect(run[key] == description[key],
                                f"{name}: {key} of the run is {run[key]}, "
                                f"of the description {description[key]}")
            failures.expect(run["bytes_posted"] == run["bytes_delivered"], f"{name}: bytes")
            failures.expect(run["bytes_posted"] + run["host_network"]["bytes_posted"] > 0, f"{name}: bytes")
            failures.expect(run["bytes_posted"] == description["scale_out_sent_bytes"],
                            f"{name}: NICs sent {run['bytes_posted']} bytes, described are "
                            f"{description['scale_out_sent_bytes']}")
            for key in ("host_network", "scale_up"):
                failures.expect(run[key]["bytes_posted"] == description[f"{key}_sent_bytes"],
                                f"{name}: {run[key]['bytes_posted']} bytes on {key}, described are "
                                f"{description[f'{key}_sent_bytes']}")
            failures.expect(run["bytes_forwarded"] == description["forwarded_bytes"],
                            f"{name}: {run['bytes_forwarded']} bytes passed on, described are "
                            f"{description['forwarded_bytes']}")
            failures.expect(run["iterations"][0]["time_s"] >=
                            max(one["least_s"] for one in description["rank_classes"]),
                            f"{name}: a step of {run['iterations'][0]['time_s']} s is shorter than the least")
        check_files(program, folder, failures)
        check_rules(program, folder, failures)
        check_recomputation(program, folder, failures)
        check_derived(program, folder, failures)
        check_servers(program, folder, failures)
        check_operations(program, folder, failures)
        check_remarks(program, folder, failures)
    print(f"{len(schema.types)} keys, {len(RUNS)} jobs, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
