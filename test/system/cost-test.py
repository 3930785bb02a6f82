#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-cost: table, CSV and JSON agree, the JSON is as documented, the parts that it prints
can be read again, the energy is that of a run that was simulated, and doc/cost.rst has the pictures that
come out.

usage: cost-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import re
import pathlib
import subprocess
import sys
import tempfile

import curves
import json_schema

TABLE3 = {"plzt": (576, 64), "sip": (1152, 128), "rotornet": (4608, 512), "3d-mems": (11520, 1280),
          "polatis": (20736, 2304), "liquid-crystal": (18432, 2048), "robotic": (36288, 4032)}
NO_ENERGY = {"iteration_s", "run", "rows[].joules_per_iteration"}
SHARES = {"rows[].usd_share", "rows[].watts_share"}
CASES = [
    ["--gpus=512,4096"],
    ["--gpus=64,1024", "--counting=built-devices", "--networks=fat-tree,photonic:2"],
    ["--gpus=128", "--counting=published", "--networks=leaf-spine,photonic,rail-only"],
    ["--gpus=2304", "--nicRate=800", "--gpusPerDomain=72", "--switchCables=active", "--simplex=true"],
]


def run(folder, name, *flags):
    """Return what a program prints."""
    program = pathlib.Path(sys.argv[1], name).resolve()
    done = subprocess.run([program, *flags], cwd=folder, capture_output=True, text=True, timeout=300,
                          check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def cost(folder, *flags):
    """Return the table, the rows of the CSV and the object."""
    text = run(folder, "photonic-rails-cost", *flags, "--csv=out.csv", "--json=out.json")
    with open(pathlib.Path(folder, "out.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return text, rows, json_schema.read(pathlib.Path(folder, "out.json").read_text())


def check_rows(text, rows, report, name, failures):
    """The three forms say the same, and sums are sums."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    failures.expect(len(lines) == len(rows) == len(report["rows"]), f"{name}: number of rows")
    for line, cells, row in zip(lines, rows, report["rows"]):
        where = f"{name}, {row['network']} of {row['gpus']}"
        failures.expect(line.split()[:2] == [str(row["gpus"]), row["network"]], f"{where}: {line}")
        failures.expect(cells["counting"] == report["counting"], f"{where}: counting")
        for key, value in cells.items():
            if key not in ("counting", "gpus_per_domain"):
                there = row.get(key, "")
                same = value == there if isinstance(there, str) else float(value) == there
                failures.expect(same, f"{where}: {key} is {value} and {there}")
        if "error" in row:
            failures.expect(row["error"] in line, f"{where}: {line}")
            continue
        for total, parts in (("usd", "{}_usd"), ("watts", "{}_w")):
            summed = sum(row[parts.format(kind)] for kind in ("transceivers", "switches", "ocs"))
            failures.expect(abs(summed - row[total]) <= 1e-9 * summed, f"{where}: {total}")
        failures.expect(f"{row['usd']:,.0f}" in line, f"{where}: {line}")


def find_commands():
    """Flags of the program and of the script by picture, as doc/cost.rst has them."""
    page = json_schema.DOC.joinpath("cost.rst").read_text().replace("\\\n", " ")
    commands = re.findall(r"photonic-rails-cost (.+) && +examples/photonic-rails-cost-curves.py (.+)", page)
    return {script.rsplit("/", 1)[-1]: (program.split(), script.split()[:-1])
            for program, script in commands}


def check_pictures(folder, failures):
    """The commands of the page draw its pictures, byte for byte with the same matplotlib."""
    script = "photonic-rails-cost-curves.py"
    commands = find_commands()
    failures.expect(set(commands) == {"cost.svg", "table3.svg"}, f"cost.rst has {set(commands)}")
    for picture, (program, flags) in commands.items():
        run(folder, "photonic-rails-cost", *program)
        code, _, lines = curves.draw(script, folder, *flags, f"--out={picture}")
        if code != 0:
            failures.expect(len(lines) == 1 and "matplotlib" in lines[0], f"{picture}: {lines}")
            continue
        text = pathlib.Path(folder, picture).read_text()
        kept = json_schema.DOC.joinpath("figures", picture).read_text()
        maker = r"Matplotlib v[0-9.]+"
        if re.findall(maker, text) == re.findall(maker, kept):
            failures.expect(text == kept, f"{picture}: another picture than in doc/figures")
    pathlib.Path(folder, "wrong.csv").write_text("a,b\n1,2\n")
    code, _, lines = curves.draw(script, folder, "wrong.csv")
    failures.expect(code == 1 and len(lines) == 1 and lines[0].startswith("wrong.csv"), f"{lines}")


def main():
    failures = json_schema.Failures()
    schema = {"choices": {"counting": {"ports", "devices", "built-ports", "built-devices",
                                       "published"}}}
    with tempfile.TemporaryDirectory() as folder:
        for flags in CASES:
            name = " ".join(flags)
            text, rows, report = cost(folder, *flags)
            check_rows(text, rows, report, name, failures)
            json_schema.Schema("cost-json.md", optional={*NO_ENERGY, *SHARES, "rows[].error"},
                               **schema).check(report, name, failures)

        # The parts that are printed are those that are built in; a price that is changed counts.
        parts = json.loads(run(folder, "photonic-rails-cost", "--printParts"))
        path = pathlib.Path(folder, "parts.json")
        path.write_text(json.dumps(parts))
        same = cost(folder, "--gpus=512", "--parts=parts.json")
        failures.expect(same == cost(folder, "--gpus=512"), "--parts: other prices than built in")
        for part in parts["parts"]:
            part["price_usd"] *= 3
        path.write_text(json.dumps(parts))
        other = cost(folder, "--gpus=512", "--parts=parts.json")
        for before, after in zip(same[2]["rows"], other[2]["rows"]):
            failures.expect(abs(after["usd"] - 3 * before["usd"]) < 1, "--parts: three times the price")
            failures.expect(after["watts"] == before["watts"], "--parts: power")

        # Energy of a run, beside another network that takes the same time.
        run(folder, "photonic-rails-training", "--model=debugmodel", "--iterations=2", "--quiet",
            "--portRate=200Gbps", "--json=run.json")
        summary = json.loads(pathlib.Path(folder, "run.json").read_text())
        text, rows, report = cost(folder, "--run=run.json", "--networks=leaf-spine:3")
        check_rows(text, rows, report, "--run", failures)
        json_schema.Schema("cost-json.md", optional={"rows[].error"}, **schema).check(
            report, "--run", failures)
        failures.expect(report["iteration_s"] == summary["iterations"][-1]["time_s"], "--run: time")
        failures.expect([row["network"] for row in report["rows"]] == ["photonic", "leaf-spine:3"],
                        "--run: networks")
        for row, watts in zip(report["rows"], (16 * (10 + 2 * 75 / 192), 16 * (5 * 2524 / 64 + 60))):
            joules = watts * summary["iterations"][-1]["time_s"]
            failures.expect(abs(row["joules_per_iteration"] - joules) < 1e-9 * joules,
                            f"--run: {row['joules_per_iteration']} J instead of {joules}")

        # A rate that there are no parts of: those of the next, unless another one is asked for.
        run(folder, "photonic-rails-training", "--model=debugmodel", "--iterations=1", "--quiet",
            "--json=slow.json")
        for flags, rate in (([], 400), (["--nicRate=800"], 800)):
            text, rows, report = cost(folder, "--run=slow.json", *flags)
            failures.expect(f"200 Gbit/s a GPU, priced with parts of {rate} Gbit/s" in text, text)
            failures.expect(report["parts"]["switch"]["name"] == f"switch-{rate}g", f"{rate} Gbit/s")

        # Table 3, in print and as CSV.
        text = run(folder, "photonic-rails-cost", "--table3", "--csv=table3.csv")
        with open(pathlib.Path(folder, "table3.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        found = {(row["technology"], row["gpus_per_domain"]): int(row["gpus"]) for row in rows}
        wanted = {(name, domain): gpus for name, both in TABLE3.items()
                  for domain, gpus in zip(("72", "8"), both)}
        failures.expect(found == wanted, f"--table3: {found}")
        lines = [line.split()[-2:] for line in text.splitlines() if not line.startswith("#")]
        failures.expect(lines == [[str(gpus) for gpus in both] for both in TABLE3.values()],
                        f"--table3 prints {lines}")
        check_pictures(folder, failures)
    print(f"{failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
