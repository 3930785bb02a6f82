#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-compare: the JSON is as documented and reproducible, the parts of a step add up to the step,
rows are those of single runs, networks that cannot carry the job say why, break-even switching times are where
runs cross the shares, and the answer has the numbers of the rows.

usage: verdict-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import json_schema

OF_THE_MACHINE = ("wall_s",)
NETWORKS = ["electrical rail", "leaf-spine", "fat-tree", "photonic on demand", "photonic provisioned",
            "photonic static partition"]
PHOTONIC = NETWORKS[3:]
JOB = ["--model=debugmodel", "--seqLen=512"]
SHARES = [0.01, 0.03, 0.05]
OPTIONAL = {"rows[].reason", "rows[].mfu_remark", "rows[].cost_remark", "rows[].break_even[].delay_s", "remarks[]",
            "left_out[]",
            "rows[].over_electrical", "rows[].step_s", "rows[].mfu", "rows[].tokens_per_s_per_gpu",
            "rows[].reconfigurations", "rows[].split", "rows[].bytes_on_rails", "rows[].bytes_on_host_network", "rows[].usd_per_gpu", "rows[].watts_per_gpu",
            "rows[].joules_per_million_tokens"}


def call(program, flags, folder):
    """@return what is printed and the object that is written; the work is told before the first result"""
    path = pathlib.Path(folder, "out.json")
    done = subprocess.run([program, *flags, f"--json={path}"], cwd=folder, capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    amount = r"[0-9.]+(?: [kMG])?"
    work = re.match(rf"about (\d+) simulations, \d+ of them for break-even times, \d+ at once: about {amount} events and "
                    rf"[0-9.]+ \w+ of computing if packets travel in bursts\n((?:  .*\n)+)", done.stderr)
    line = rf"  [a-z -]+: (\d+) x \d+ ranks, {amount} messages, {amount} packets, about {amount} events and [0-9.]+ \w+.*"
    runs = [re.fullmatch(line, text) for text in work[2].splitlines()] if work else []
    if not runs or not all(runs) or sum(int(run[1]) for run in runs) != int(work[1]):
        sys.exit(f"{flags}: {done.stderr}")
    return done.stdout, json_schema.read(path.read_text())


def without_machine(verdict):
    """The part of the object that depends on nothing but the flags."""
    return {key: value for key, value in verdict.items() if key not in OF_THE_MACHINE}


def there(verdict):
    """@return rows with results"""
    return [row for row in verdict["rows"] if "reason" not in row]


def check_rows(verdict, name, failures):
    """Parts add up, and rows agree with each other."""
    electrical = {row["efficiency"]: row for row in there(verdict) if row["network"] == NETWORKS[0]}
    for row in there(verdict):
        where = f"{name}, {row['network']}, {row['efficiency']}"
        failures.expect(abs(sum(row["split"].values()) - row["step_s"]) < 1e-9, f"{where}: {row['split']}")
        failures.expect(min(row["split"].values()) >= 0, f"{where}: {row['split']}")
        failures.expect(row["network"] in PHOTONIC or row["split"]["circuits_s"] == 0, f"{where}: circuits")
        reference = electrical[row["efficiency"]]
        failures.expect(abs(row["split"]["computation_s"] - reference["split"]["computation_s"]) <
                        1e-3 * row["step_s"], f"{where}: computation")
        failures.expect(abs(row["step_s"] / reference["step_s"] - 1 - row["over_electrical"]) < 1e-9,
                        f"{where}: {row['over_electrical']}")
        failures.expect(0 < row["mfu"] < 1 and row["tokens_per_s_per_gpu"] > 0, f"{where}: {row}")
        failures.expect(row["usd_per_gpu"] > 0 and row["watts_per_gpu"] > 0, f"{where}: {row}")


def check_break_even(verdict, name, failures):
    """A switching time that is found is that of a run which costs at most the share; longer ones cost more."""
    found = 0
    for row in there(verdict):
        where = f"{name}, {row['network']}, {row['efficiency']}"
        if row["network"] not in PHOTONIC[:2]:
            failures.expect(row["break_even"] == row["by_delay"] == [], f"{where}: {row['break_even']}")
            continue
        failures.expect([one["share"] for one in row["break_even"]] == SHARES, f"{where}: {row['break_even']}")
        delays = [one["delay_s"] for one in row["by_delay"]]
        failures.expect(delays == sorted(delays) and len(delays) > 1, f"{where}: {delays}")
        for one in row["break_even"]:
            if one["outcome"] != "found":
                continue
            found += 1
            least = [run["over_electrical"] for run in row["by_delay"] if run["delay_s"] == one["delay_s"]]
            most = one["delay_s"] * (1 + verdict["break_even_tolerance"]) + 2e-9
            above = [run["over_electrical"] for run in row["by_delay"] if run["delay_s"] > most]
            failures.expect(least and least[0] <= one["share"] < min(above, default=1), f"{where}: {one}")
    return found


def check_beyond_break_even(folder, program, verdict, failures):
    """Runs with a switching time beyond the bracket cost more than the share."""
    for one in (one for row in verdict["rows"] if row["network"] == PHOTONIC[1] for one in row["break_even"]
                if one["outcome"] == "found" and row["efficiency"] == "high"):
        beyond = one["delay_s"] * (1 + verdict["break_even_tolerance"]) + 2e-9
        share = verdict["efficiencies"][1]["compute_efficiency"]
        run = call(program, [*JOB, f"--computeEfficiency={share}", f"--reconfigDelay={beyond * 1e9:.0f}ns",
                             "--networks=provisioned", "--breakEven=false"], folder)[1]
        failures.expect(run["rows"][1]["over_electrical"] > one["share"], f"{one}, {run['rows'][1]}")


def check_single_runs(folder, programs, verdict, failures):
    """A row is what photonic-rails-training says with the same flags."""
    for network, flags in (("electrical rail", ["--fabric=electrical", "--iterations=2"]),
                           ("photonic on demand", ["--policy=on-demand", "--iterations=2"]),
                           ("photonic provisioned", ["--policy=provisioned"])):
        for efficiency in verdict["efficiencies"]:
            out = pathlib.Path(folder, "single.json")
            subprocess.run([programs / "photonic-rails-training", *JOB, *flags, "--quiet", f"--json={out}",
                            f"--computeEfficiency={efficiency['compute_efficiency']}"], check=True, timeout=120)
            single = json.loads(out.read_text())
            row = next(row for row in verdict["rows"]
                       if row["network"] == network and row["efficiency"] == efficiency["name"])
            failures.expect(row["step_s"] == single["iterations"][-1]["time_s"] and row["mfu"] == single["mfu"] and
                            row["reconfigurations"] == single["iterations"][-1]["reconfigurations"],
                            f"{network}, {efficiency['name']}: {row['step_s']}")


def check_computation(folder, programs, verdict, failures):
    """Computation is the mean of what the description of the job says of its ranks."""
    for efficiency in verdict["efficiencies"]:
        out = pathlib.Path(folder, "description.json")
        subprocess.run([programs / "photonic-rails-training", *JOB, "--describe", "--quiet", f"--json={out}",
                        f"--computeEfficiency={efficiency['compute_efficiency']}"], check=True, timeout=120)
        classes = json.loads(out.read_text())["rank_classes"]
        ranks = sum(one["ranks"] for one in classes)
        mean = sum(one["ranks"] * one["compute_s"] for one in classes) / ranks
        row = next(row for row in verdict["rows"] if row["efficiency"] == efficiency["name"])
        failures.expect(abs(row["split"]["computation_s"] / mean - 1) < 1e-3,
                        f"{row['split']['computation_s']} s of computation, described {mean}")


def check_remark(folder, programs, failures):
    """An efficiency that no published step of the GPU needs has a remark, with and without a run."""
    for flags, has_remark in ((["--gpu=h100", "--computeEfficiency=0.29"], True), (["--gpu=a100"], False),
                              (["--gpu=h100"], False), (["--model=llama3-8b", "--iterations=1"], True)):
        for more in ([], ["--describe"]):
            done = subprocess.run([programs / "photonic-rails-training", *JOB, *flags, *more], cwd=folder, check=True,
                                  capture_output=True, text=True, timeout=120)
            failures.expect(("that published steps of" in done.stdout) == has_remark, f"{flags + more}: remark")


def check_mfu_remark(folder, programs, failures):
    """A row whose MFU is far from those published has the remark of a run with its flags, the text that of electrical
    rails; and the recomputation is that of the description."""
    job = ["--model=llama2-7b", "--gpu=h100", "--gpusPerDomain=4", "--seqLen=2048", "--iterations=2"]
    text, verdict = call(programs / "photonic-rails-compare", [*job, "--networks=provisioned", "--breakEven=false"],
                         folder)
    out = pathlib.Path(folder, "single.json")
    for row in verdict["rows"]:
        share = next(one["compute_efficiency"] for one in verdict["efficiencies"] if one["name"] == row["efficiency"])
        flags = ["--fabric=electrical"] if row["network"] == NETWORKS[0] else ["--policy=provisioned"]
        subprocess.run([programs / "photonic-rails-training", *job, *flags, f"--computeEfficiency={share}", "--quiet",
                        f"--json={out}"], check=True, timeout=120)
        remark = json.loads(out.read_text()).get("mfu_remark")
        failures.expect(row["mfu_remark"] == remark and "% pipeline bubble" in remark, f"{row['mfu_remark']}, {remark}")
        failures.expect((f"remark: {row['network']}: {remark}" in text) == (row["network"] == NETWORKS[0]), text)
    subprocess.run([programs / "photonic-rails-training", *job, "--describe", "--quiet", f"--json={out}"], check=True,
                   timeout=120)
    line = "recomputation: " + json.loads(out.read_text())["recomputation"]
    failures.expect(line in verdict["left_out"] and "none, the least that fits" in line, line)


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    program = str(programs / "photonic-rails-compare")
    failures = json_schema.Failures()
    schema = json_schema.Schema("verdict-json.md", optional=OPTIONAL, free={"settings"},
                                signed={"rows[].over_electrical", "rows[].by_delay[].over_electrical"},
                                choices={"rows[].break_even[].outcome": {"found", "any", "none", "unknown"}})
    with tempfile.TemporaryDirectory() as folder:
        text, verdict = call(program, JOB, folder)
        schema.check(verdict, "default", failures)
        failures.expect([row["network"] for row in verdict["rows"]] == 2 * NETWORKS, "order of networks")
        failures.expect([one["name"] for one in verdict["efficiencies"]] == ["low", "high"], "efficiencies")
        failures.expect(len(there(verdict)) == 12, f"impossible: {verdict['rows']}")
        check_rows(verdict, "default", failures)
        failures.expect(check_break_even(verdict, "default", failures) > 0, "no break-even switching time is found")
        check_beyond_break_even(folder, program, verdict, failures)
        failures.expect(verdict["simulations"] <= 45, f"{verdict['simulations']} simulations")
        check_single_runs(folder, programs, verdict, failures)
        check_computation(folder, programs, verdict, failures)
        failures.expect(text.strip().endswith(verdict["answer"]), "the text ends with the answer")
        for word in ("debugmodel on 16 a100 GPUs", "25 ms", "provisioned", "W per GPU", "USD per GPU"):
            failures.expect(word in verdict["answer"], f"{word} is not in: {verdict['answer']}")
        failures.expect(verdict["remarks"] == ["fat-tree: with so few hosts one switch for all rails"],
                        f"tiers: {verdict['remarks']}")
        for line in [*NETWORKS, *verdict["left_out"], *verdict["remarks"]]:
            failures.expect(line in text, f"not in the text: {line}")
        again = call(program, [*JOB, "--processes=1"], folder)[1]
        failures.expect(without_machine(again) == without_machine(verdict), "another run, another object")

        check_remark(folder, programs, failures)
        check_mfu_remark(folder, programs, failures)

        name = "one efficiency"
        page = pathlib.Path(folder, "page.html")
        verdict = call(program, [*JOB, "--computeEfficiency=0.5", "--networks=on-demand", "--breakEven=false",
                                 "--reconfigDelay=1ms", f"--report={page}"], folder)[1]
        check_rows(verdict, name, failures)
        failures.expect([row["network"] for row in verdict["rows"]] == [NETWORKS[0], PHOTONIC[0]], name)
        failures.expect(all(row["break_even"] == row["by_delay"] == [] for row in verdict["rows"]), name)
        failures.expect(verdict["efficiencies"][0]["compute_efficiency"] == 0.5 and
                        verdict["simulations"] == 2 and verdict["reconfiguration_delay_s"] == 0.001, name)
        failures.expect("0.001" in page.read_text() and verdict["rows"][1]["network"] in page.read_text(), "page")

        name = "no rings"
        text, verdict = call(program, [*JOB, "--nicPorts=1", "--fsdp=4", "--pp=1", "--breakEven=false",
                                        "--networks=leaf-spine,provisioned"], folder)
        check_rows(verdict, name, failures)
        reasons = {row["network"]: row.get("reason", "") for row in verdict["rows"]}
        failures.expect("nicPorts" in reasons["photonic provisioned"] and not reasons["leaf-spine"], f"{reasons}")
        failures.expect("cannot carry" in verdict["answer"] and "no result: " in text, verdict["answer"])

        name = "hosts carry all"
        verdict = call(program, [*JOB, "--hostNetwork=100Gbps", "--hostThreshold=1G", "--networks=provisioned",
                                 "--breakEven=false", "--iterations=3"], folder)[1]
        check_rows(verdict, name, failures)
        failures.expect("Nothing uses the photonic rails" in verdict["answer"], verdict["answer"])
        failures.expect(any("host network" in line for line in verdict["left_out"]), name)

        name = "experts on h100s"
        verdict = call(program, ["--model=debugmodel-moe", "--seqLen=512", "--gpu=h100", "--gpusPerDomain=4",
                                 "--ep=2", "--expertTp=4", "--slowdown=3:1.5", "--networks=leaf-spine,provisioned",
                                 "--breakEven=false"], folder)[1]
        check_rows(verdict, name, failures)
        failures.expect(any(row["split"]["slower_ranks_s"] > 0 for row in verdict["rows"]), f"{name}: a slow rank")
        failures.expect("H100" in verdict["efficiencies"][0]["source"], f"{name}: {verdict['efficiencies']}")

        # Pairs of ranks take turns with circuits: what a rank waits for its next round is no communication.
        name = "rounds on lent circuits"
        verdict = call(program, ["--model=debugmodel-moe", "--tp=1", "--ep=4", "--fsdp=4", "--pp=1",
                                 "--gpusPerDomain=1", "--algorithms=AllToAll=pairwise", "--networks=on-demand",
                                 "--breakEven=false", "--iterations=2", "--computeEfficiency=0.5"], folder)[1]
        check_rows(verdict, name, failures)
        electrical, photonic = (row["split"] for row in verdict["rows"])
        failures.expect(abs(photonic["exposed_ep_s"] / electrical["exposed_ep_s"] - 1) < 0.02, f"{name}: {photonic}")
        failures.expect(photonic["circuits_s"] > 10 * photonic["exposed_ep_s"] and
                        "circuits" in verdict["answer"], f"{name}: {photonic}")
    print(f"{len(schema.types)} keys, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
