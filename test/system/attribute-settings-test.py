#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whatever sets an attribute is among the settings of the result, and these settings as a job file repeat the
times: attributes drawn at random, set by flags, the environment, a job file or a set-up of ns3::ConfigStore, each
alone and beside others. (Config::SetDefault of a program: test/unit/attribute-flags-test.cc.)

usage: attribute-settings-test.py FOLDER_OF_THE_BUILT_EXAMPLES [NUMBER_OF_DRAWS]"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SMALL_JOB = {"model": "debugmodel", "tp": "1", "fsdp": "2", "pp": "1", "gpusPerDomain": "1", "seqLen": "64"}
# What stands elsewhere in the JSON.
OTHERS = ["--fabric=electrical", "--iterations=2"]
# Each value changes times, or does not act in this job and must be there nevertheless.
ATTRIBUTES = {"ns3::RdmaQueuePair::Mtu": ["256", "1024", "8192"],
              "ns3::RdmaQueuePair::Window": ["8192", "65536"],
              "ns3::RdmaQueuePair::CongestionControl": ["ns3::RdmaDcqcn", "none"],
              "ns3::RdmaQueuePair::InvariantCrc": ["true"],
              "ns3::RdmaQueuePair::CnpInterval": ["60us"],
              "ns3::CollectiveEngine::EagerBytes": ["1"],
              "ns3::TrainingApplication::ComputeSlowdown": ["1.0000000123", "0.7000000000000001"],
              "ns3::TrainingApplication::ComputeJitter": ["ns3::UniformRandomVariable[Min=0.5|Max=1.5]"],
              "ns3::Application::StartTime": ["1234567ps", "2s"]}

OBJECTS = ["ns3::TrainingApplication::ComputeJitter"]  # not in the environment


def write_store(file, values):
    """Write a set-up as ns3::ConfigStore saves it. @return the flags that load it."""
    file.write_text("".join(f'default {name} "{value}"\n' for name, value in values.items()))
    return ["--ns3::ConfigStore::Mode=Load", "--ns3::ConfigStore::FileFormat=RawText",
            f"--ns3::ConfigStore::Filename={file}"]


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "photonic-rails-training"
    printed = subprocess.run([program, "--PrintTypeIds"], capture_output=True, text=True, check=True).stdout
    ways = ["flag", "environment", "job", *(["store"] if "ns3::ConfigStore" in printed else [])]
    generator = random.Random(8)
    faults, changed = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(settings, flags=(), environment=None):
            """@return iteration times and settings of a run of a job file."""
            job, out = folder / "job.json", folder / "out.json"
            job.write_text(json.dumps(settings))
            done = subprocess.run([program, "--quiet", f"--job={job}", f"--json={out}", *flags], timeout=60,
                                  env=os.environ | (environment or {}), capture_output=True, text=True, check=False)
            if done.returncode:
                return done.stderr, {}
            result = json.loads(out.read_text())
            return [one["time_s"] for one in result["iterations"]], result["settings"]

        plain = run(SMALL_JOB, OTHERS)[0]
        for draw in range(int(sys.argv[2]) if len(sys.argv) > 2 else 24):
            chosen = {attribute: (generator.choice(ATTRIBUTES[attribute]), generator.choice(ways))
                      for attribute in generator.sample(sorted(ATTRIBUTES), generator.randint(1, 3))}
            chosen = {attribute: (value, "flag" if way == "environment" and attribute in OBJECTS else way)
                      for attribute, (value, way) in chosen.items()}
            by_way = {way: {attribute: value for attribute, (value, by) in chosen.items() if by == way}
                      for way in ways}
            flags = [f"--{attribute}={value}" for attribute, value in by_way["flag"].items()]
            if by_way.get("store"):
                flags += write_store(folder / "set-up.txt", by_way["store"])
            default = ";".join(f"{attribute}={value}" for attribute, value in by_way["environment"].items())
            times, settings = run(SMALL_JOB | by_way["job"], OTHERS + flags, {"NS_ATTRIBUTE_DEFAULT": default})
            missing = [attribute for attribute in chosen if attribute not in settings]
            if missing:
                faults.append(f"{draw}: {chosen}: {missing} not in the settings: {times}")
                continue
            # Without the file, what was loaded from it has to be there.
            again = run({key: value for key, value in settings.items() if "ConfigStore" not in key}, OTHERS)[0]
            changed += times != plain
            if again != times:
                faults.append(f"{draw}: {chosen}: {times}, repeated from {settings}: {again}")
    if changed == 0:
        faults.append("no draw has changed the times")
    print(len(faults), "faults;", changed, "draws changed the times; ways:", ", ".join(ways))
    if faults:
        sys.exit("\n".join(faults[:10]))


if __name__ == "__main__":
    main()
