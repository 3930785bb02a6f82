#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Execution traces: what runs is what protoc finds in the files, a traced collective takes the time
of photonic-rails-collectives, and written jobs are read by protoc and run in the same time.

With PHOTONIC_RAILS_TRACES=PREFIX,FLAGS;PREFIX,FLAGS other traces are run and counted, too.

usage: trace-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import chakra_files

failures = 0


def expect(what, good, seen=""):
    global failures
    failures += not good
    print(f"{'ok' if good else 'FAILED'}: {what}" + ("" if good else f": {seen}"))


class Programs:
    def __init__(self, folder, scratch):
        self.folder = pathlib.Path(folder).resolve()
        self.scratch = scratch

    def call(self, name, *flags):
        return subprocess.run([self.folder / f"photonic-rails-{name}", *flags], text=True,
                              capture_output=True, timeout=290, cwd=self.scratch)

    def train(self, *flags):
        done = self.call("training", "--quiet", "--json=run.json", *flags)
        if done.returncode:
            return {"error": done.stdout + done.stderr}
        return json.loads((self.scratch / "run.json").read_text())

    def count_operations(self, rank, *flags):
        """Calls and bytes of a rank by kind, in the table of its operations."""
        done = self.call("training", "--describe", "--quiet", "--operations=ops.csv",
                         f"--operationsRank={rank}", *flags)
        expect(f"operations of rank {rank}", done.returncode == 0, done.stdout + done.stderr)
        volumes = {}
        with open(self.scratch / "ops.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["kind"]:
                    count, size = volumes.get(row["kind"], (0, 0))
                    volumes[row["kind"]] = (count + 1, size + int(row["bytes"]))
        return volumes


def attribute(name, kind, value):
    return f'attr {{ name: "{name}" {kind}_val: {value} }}'


def make_rank(rank):
    """A job of 4 ranks: pipeline of 2, groups of 2; ids and tags as the symbolic tensor graph
    generator writes them, which names neither the host nor its streams."""
    stage, pair = divmod(rank, 2)
    peer = (1 - stage) * 2 + pair
    nodes = [f'id: 1 name: "in" type: 4 duration_micros: {30 + rank}',
             'id: 2 name: "product" type: 4 data_deps: 1 ' + attribute("num_ops", "int64", 10**9) +
             attribute("tensor_size", "uint64", 10**6),
             'id: 3 name: "gather" type: 7 data_deps: 1 ' + attribute("comm_type", "int64", 2) +
             attribute("comm_size", "int64", 300000) + attribute("pg_name", "string", f'"{stage}"') +
             attribute("is_cpu_op", "int32", 0),
             'id: 9 name: "reduce" type: 7 data_deps: 2 data_deps: 3 ' +
             attribute("comm_type", "int64", 0) + attribute("comm_size", "int64", 4000000)]
    tag = attribute("comm_tag", "int32", 700 + pair) + attribute("comm_size", "int64", 123456)
    if stage == 0:
        nodes.append('id: 7 name: "send" type: 5 data_deps: 3 ' +
                     attribute("comm_dst", "int32", peer) + tag)
    else:
        nodes.append('id: 8 name: "recv" type: 6 ' + attribute("comm_src", "int32", peer) + tag)
        nodes.append('id: 4 name: "next" type: 4 data_deps: 8 duration_micros: 11')
    return nodes


def check_counts(programs, prefix, flags, ranks):
    for fabric in ("photonic", "electrical"):
        run = programs.train(f"--trace={prefix}", f"--fabric={fabric}", "--iterations=1", *flags)
        expect(f"{prefix} runs on {fabric}", "error" not in run, run.get("error"))
        if "error" in run:
            return
        expect(f"bytes delivered on {fabric}", run["bytes_posted"] == run["bytes_delivered"] > 0,
               run["bytes_delivered"])
    for rank in ranks:
        whole = chakra_files.count_bytes(chakra_files.read(f"{prefix}.{rank}.et"))
        seen = programs.count_operations(rank, f"--trace={prefix}", *flags)
        expect(f"bytes by kind of rank {rank} of {prefix}", seen == whole, f"{seen}, not {whole}")
        if rank == 0:
            kinds = {kind: (one["count"], one["input_bytes"])
                     for kind, one in run["collectives"].items()}
            expect("bytes of rank 0 in the summary", kinds == whole, kinds)


def check_microbenchmarks(programs):
    """One collective of 8 ranks: the time of photonic-rails-collectives on the same links."""
    links = ["--fabric=electrical", "--nicPorts=2", "--portRate=100Gbps"]
    for kind, number in (("AllReduce", 0), ("AllGather", 2), ("Broadcast", 5), ("AllToAll", 6),
                         ("ReduceScatter", 7), ("Reduce", 1)):
        for rank in range(8):
            chakra_files.write(programs.scratch / f"micro.{rank}.et", [
                f'id: 3 name: "{kind}" type: 7 ' + attribute("comm_type", "int64", number) +
                attribute("comm_size", "int64", 1 << 20)])
        size = (1 << 20) * (8 if kind == "AllGather" else 1)  # there the tensor
        run = programs.train("--trace=micro", "--gpusPerDomain=1", "--iterations=1", *links)
        done = programs.call("collectives", f"--collective={kind}", f"--minBytes={size}",
                             f"--maxBytes={size}", "--domains=8", "--json=table.json", *links)
        expect(f"{kind} runs", done.returncode == 0 and "error" not in run, run)
        row = json.loads((programs.scratch / "table.json").read_text())["rows"][0]
        seen = run["iterations"][0]["time_s"]
        expect(f"time of {kind} of 1 MiB", abs(seen - row["time_s"]) < 1e-12,
               f"{seen} s, the program of collectives says {row['time_s']} s")


def check_empty_inputs(programs):
    """AllToAlls of 8 ranks of which some have nothing to send, and one for which none has: the bytes
    on the wire are the parts, each as often as the algorithm sends it."""
    sums = [800000, 0, 123456, 0, 0, 7, 2000000, 0]
    parts = 2 * sum(-(-one // len(sums)) for one in sums)
    for rank, own in enumerate(sums):
        calls = [own, 0, sums[-1 - rank]]
        chakra_files.write(programs.scratch / f"empty.{rank}.et", [
            f'id: {i} name: "call" type: 7 ' + (f"data_deps: {i - 1} " if i else "") +
            attribute("comm_type", "int64", 6) + attribute("comm_size", "int64", size)
            for i, size in enumerate(calls)])
    to_peers, round_ring, by_bits = 7, 1 + 2 + 3 + 4 + 3 + 2 + 1, 3 * 4
    cases = [("photonic", 1, "", round_ring), ("photonic", 2, "", 8),  # 2 x (1 + 2 + 1) domains
             ("electrical", 1, "", to_peers), ("electrical", 2, "", 6)]
    cases += [("photonic", 1, name, times) for name, times in
              (("ring", round_ring), ("hypercube", by_bits), ("pairwise", to_peers),
               ("planned", round_ring), ("pxn", to_peers))]
    cases += [("electrical", 1, name, times) for name, times in
              (("ring", round_ring), ("hypercube", by_bits), ("pairwise", to_peers),
               ("planned", to_peers), ("pxn", to_peers), ("direct", to_peers))]
    for fabric, per_domain, name, times in cases:
        run = programs.train("--trace=empty", f"--fabric={fabric}", f"--gpusPerDomain={per_domain}",
                             "--iterations=1", *([f"--algorithms=AllToAll={name}"] if name else []))
        seen = [run.get(key) for key in ("bytes_posted", "bytes_delivered")]
        expect(f"ranks without bytes in {name or 'the chosen'} AllToAll, {fabric}, {per_domain} a domain",
               seen == [times * parts] * 2, run.get("error", f"{seen}, not {times * parts}"))
        count = run.get("collectives", {}).get("AllToAll", {}).get("count")
        expect("a call for which no rank has bytes ends at once", count == 2, count)


def check_written_jobs(programs):
    job = ["--model=debugmodel", "--seqLen=512", "--iterations=2", "--symmetry=none", "--hostRunAhead=none"]
    run = programs.train("--writeTrace=job", *job)
    expect("a job is written", "error" not in run, run.get("error"))
    groups = json.loads((programs.scratch / "job.json").read_text())
    expect("groups of ranks", all(set(ranks) <= set(range(16)) for ranks in groups.values()), groups)
    for rank in (0, 15):
        nodes = chakra_files.read(programs.scratch / f"job.{rank}.et")
        ids = {node["id"] for node in nodes}
        expect(f"dependencies of rank {rank}", all(set(node["deps"]) <= ids for node in nodes))
        # Chakra's feeder never issues a node that has a dependency twice.
        expect(f"dependencies of rank {rank} once each",
               all(len(set(node["data_deps"])) == len(node["data_deps"]) for node in nodes))
        expect(f"rank {rank} is in its groups",
               all(rank in groups[node["pg_name"]] for node in nodes if "pg_name" in node))
        whole = chakra_files.count_bytes(nodes)
        expect(f"bytes of rank {rank}", whole == programs.count_operations(rank, *job), whole)
    again = programs.train("--trace=job", "--iterations=2")
    for key in ("bytes_posted", "packets_sent"):
        if key in run:
            expect(f"{key} when read again", again.get(key) == run[key], again.get("error"))
    expect("times when read again", [one["time_s"] for one in again.get("iterations", [])] ==
           [one["time_s"] for one in run["iterations"]], again)


def check_tables(programs):
    """The operations of all ranks as a table, which is run again."""
    job = ["--model=debugmodel", "--seqLen=512", "--iterations=2", "--symmetry=none", "--hostRunAhead=none"]
    run = programs.train("--operations=all.csv", "--operationsRank=all", *job)
    again = programs.train("--trace=all.csv", "--iterations=2", "--fabric=electrical")
    other = programs.train("--fabric=electrical", *job)
    expect("a table is written and runs", "error" not in run and "error" not in again,
           (run.get("error"), again.get("error")))
    expect("times of a table", [one["time_s"] for one in again.get("iterations", [])] ==
           [one["time_s"] for one in other["iterations"]])


def check_programs(programs):
    """Every way to look at a job has traces."""
    flags = ["--trace=t", "--gpusPerDomain=2", "--iterations=2"]
    done = programs.call("training", "--describe", "--json=description.json", *flags)
    expect("description", done.returncode == 0 and "traces t: 4 ranks" in done.stdout, done)
    roles = json.loads((programs.scratch / "description.json").read_text())["mesh"]["roles"]
    expect("roles in the description", sum(role["groups"] for role in roles) >= 5, roles)
    done = programs.call("training", "--timeline=timeline.json", "--report=report.html", *flags)
    expect("timeline and report", done.returncode == 0, done)
    events = json.loads((programs.scratch / "timeline.json").read_text())["traceEvents"]
    names = {event["name"] for event in events}
    expect("nodes in the timeline", {"product", "AllGather", "Send"} <= names, names)
    for policy in ("on-demand", "static-partition", "rotor"):
        done = programs.call("training", f"--policy={policy}", "--reconfigDelay=1us", *flags)
        expect(f"policy {policy}", done.returncode == 0, done)
    done = programs.call("compare", "--json=verdict.json", "--trace=t", "--gpusPerDomain=2")
    expect("comparison", done.returncode == 0, done)


def check_errors(programs):
    cases = [(["--trace=none"], "none.0.et: there is no such file"),
             (["--trace=t", "--tp=2"], "--tp"),
             (["--trace=t", "--model=debugmodel"], "--model"),
             (["--trace=t", "--hostRunAhead=ahead"], "--hostRunAhead"),
             (["--trace=t", "--gpusPerDomain=3"], "whole scale-up domains"),
             (["--trace=t", "--gpusPerDomain=2", "--spareGpus=2"], "size of a rank's state"),
             (["--traceRanks=2"], "--traceRanks"),
             (["--trace=broken"], "broken.0.et: node 3 (x): type 99")]
    chakra_files.write(programs.scratch / "broken.0.et", ['id: 3 name: "x" type: 99'])
    for flags, part in cases:
        done = programs.call("training", *flags)
        lines = (done.stdout + done.stderr).strip().splitlines()
        expect(" ".join(flags), done.returncode == 1 and len(lines) == 1 and part in lines[0], lines)


def read_page():
    """The commands of the page on traces, each with the lines of its output that the page shows."""
    page = pathlib.Path(__file__).parents[2] / "doc" / "traces.rst"
    commands, is_block = [], False
    for line in page.read_text().splitlines():
        if line.startswith("   $ examples/run photonic-rails-"):
            commands.append((line.split()[2:], []))
            is_block = True
        elif line.strip() and not line.startswith("   "):
            is_block = False
        elif is_block and line.strip() not in ("", "..."):
            commands[-1][1].append(line.strip())
    return commands


def check_page(programs):
    commands = read_page()
    expect("the page has commands", len(commands) >= 5, commands)
    for (program, *flags), shown in commands:
        done = programs.call(program.replace("photonic-rails-", ""), *flags)
        missing = [line for line in shown if line not in done.stdout.splitlines()]
        expect(" ".join(flags), done.returncode == 0 and not missing, (missing, done.stdout))


def main():
    if not shutil.which("protoc"):
        return 77
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(sys.argv[1], pathlib.Path(folder))
        for rank in range(4):
            chakra_files.write(programs.scratch / f"t.{rank}.et", make_rank(rank))
        (programs.scratch / "t.json").write_text('{"0": [0, 1], "1": [2, 3]}')
        os.chdir(folder)
        check_counts(programs, "t", ["--gpusPerDomain=2"], range(4))
        check_microbenchmarks(programs)
        check_empty_inputs(programs)
        check_written_jobs(programs)
        check_tables(programs)
        check_page(programs)
        check_programs(programs)
        check_errors(programs)
        for other in filter(None, os.environ.get("PHOTONIC_RAILS_TRACES", "").split(";")):
            prefix, *flags = other.split(",")
            count = len(list(pathlib.Path(prefix).parent.glob(pathlib.Path(prefix).name + ".*.et")))
            check_counts(programs, prefix, flags, range(count))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
