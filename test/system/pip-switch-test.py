#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-pip-switch: table, CSV and JSON agree and the JSON is as documented; plans are the same
when they are made again, survive a file, and are refused when they are spoilt; doc/pip-switch.rst has the
picture that comes out.

usage: pip-switch-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import curves
import json_schema

NAME = "photonic-rails-pip-switch"
SCRIPT = "photonic-rails-pip-switch-curves.py"
SMALLER = {"rows[].smaller_side", "rows[].smaller_bound", "rows[].smaller_matchings"}


def start(folder, *flags):
    """Run the program."""
    program = pathlib.Path(sys.argv[1], NAME).resolve()
    return subprocess.run([program, *flags], cwd=folder, capture_output=True, text=True, timeout=300,
                          check=False)


def run(folder, *flags):
    """Return what the program prints, the rows of the CSV and the object."""
    done = start(folder, *flags, "--csv=out.csv", "--json=out.json")
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    with open(pathlib.Path(folder, "out.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return done.stdout, rows, json_schema.read(pathlib.Path(folder, "out.json").read_text())


def check_rows(text, rows, report, name, failures):
    """The three forms say the same, and plans are as large as they say."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    failures.expect(len(lines) == len(rows) == len(report["rows"]), f"{name}: number of rows")
    for line, cells, row in zip(lines, rows, report["rows"]):
        words = line.split()
        mesh = f"{row['rows']}x{row['columns']}"
        failures.expect(words[:4] == [str(row["ports"]), mesh, str(row["cells"]),
                                      str(row["least_matchings"])], f"{name}: {line}")
        for key, value in cells.items():
            there = row.get(key, "")
            same = value == (there if isinstance(there, str) else json.dumps(there))
            failures.expect(same, f"{name}: {key} is {value} and {there}")
        r, c = row["rows"], row["columns"]
        failures.expect(row["cells"] == 3 * r * c + 2 * r + 2 * c - 1, f"{name}: cells")
        failures.expect(row["free_ends"] == 4 * (r + c + 1), f"{name}: free ends")
        failures.expect(row["least_matchings"] == row["ports"] - 1 + row["ports"] % 2, f"{name}: least")
        if "error" in row:
            failures.expect(row["error"] in line, f"{name}: {line}")
            continue
        failures.expect(words[4:6] == [str(row["matchings"]), "yes" if row["proven"] else "no"],
                        f"{name}: {line}")
        failures.expect(row["least_matchings"] <= row["lower_bound"] <= row["matchings"],
                        f"{name}: bounds")
        failures.expect(row["proven"] == (row["matchings"] == row["lower_bound"]), f"{name}: proven")
        for which in ("mean", "max"):
            passed = row[f"cells_passed_{which}"]
            delay = passed * 800 * 4.2 / 299.792458
            failures.expect(abs(row[f"delay_{which}_ps"] - delay) <= 1, f"{name}: delay {which}")
            loss = passed * 0.3 + 3
            failures.expect(abs(row[f"loss_{which}_db"] - loss) < 1e-6, f"{name}: loss {which}")


def without_times(report):
    """The report without what the clock says."""
    rows = [{key: value for key, value in row.items() if key != "plan_s"} for row in report["rows"]]
    return {**report, "rows": rows}


def check_files(folder, failures):
    """A plan survives a file; a spoilt one is refused in one line."""
    plan = pathlib.Path(folder, "plan.txt")
    _, _, made = run(folder, "--ports=7", "--rows=3", "--columns=2", "--solver=false", "--write=plan.txt")
    text = plan.read_text()
    _, _, read = run(folder, "--read=plan.txt", "--solver=false", "--write=again.txt")
    failures.expect(without_times(made) == without_times(read), "--read: another plan")
    failures.expect(pathlib.Path(folder, "again.txt").read_text() == text, "--write: another file")
    lines = text.splitlines()
    states = lines[5].split()[1]
    turned = "".join("x" if state == "-" else "-" for state in states)
    for spoilt, wanted in ((text.replace(states, turned, 1), "matching 0: circuit"),
                           ("\n".join(lines[:-2]) + "\n", "of all pairs of 7 ports"),
                           (text.replace("bound 7", "bound 9"), "lower bound"),
                           (text[:40], "line 4")):
        plan.write_text(spoilt)
        done = start(folder, "--read=plan.txt")
        answer = done.stderr.splitlines()
        good = done.returncode == 1 and len(answer) == 1 and not done.stdout
        failures.expect(good and "--read=plan.txt: " in answer[0] and wanted in answer[0],
                        f"--read: {wanted}: {done.stderr}")


def check_matchings(folder, failures):
    """Whether circuits fit is said, and what are no circuits is refused."""
    mesh = ["--ports=8", "--rows=2", "--columns=2"]
    for matching, wanted in (("0-1,2-3", "fits: at least 2 and at most 2 of its circuits"),
                             ("0-4,1-5,2-6,3-7", " of its circuits can be up together")):
        done = start(folder, *mesh, f"--matching={matching}")
        failures.expect(done.returncode == 0 and wanted in done.stdout, f"{matching}: {done.stdout}")
    for matching in ("0-8", "0-0", "0-1,1-2", "0", "0-1-2", "a-b", ",", "0-1,,2-3"):
        done = start(folder, *mesh, f"--matching={matching}")
        good = done.returncode == 1 and len(done.stderr.splitlines()) == 1
        failures.expect(good and f"--matching={matching}" in done.stderr, f"{matching}: {done.stderr}")


def check_pictures(folder, failures):
    """The command of the page draws its picture, byte for byte with the same matplotlib."""
    page = json_schema.DOC.joinpath("pip-switch.rst").read_text()
    command = re.search(rf"{NAME} (.+ --lights=\S+)\n +{SCRIPT} (\S+) (.+)", page)
    done = start(folder, *command[1].split())
    failures.expect(done.returncode == 0, f"{command[1]}: {done.stderr}")
    code, _, errors = curves.draw(SCRIPT, folder, command[2], *command[3].split())
    if code != 0:
        failures.expect(len(errors) == 1 and "matplotlib" in errors[0], f"{errors}")
        return
    picture = pathlib.Path(folder, "pip-mesh.svg").read_text()
    kept = json_schema.DOC.joinpath("figures", "pip-mesh.svg").read_text()
    maker = r"Matplotlib v[0-9.]+"
    if re.findall(maker, picture) == re.findall(maker, kept):
        failures.expect(picture == kept, "pip-mesh.svg: another picture than in doc/figures")
    code, _, errors = curves.draw(SCRIPT, folder, "out.csv", "--out=sizes.svg")
    failures.expect(code == 0, f"{errors}")
    pathlib.Path(folder, "wrong.csv").write_text("a,b\n1,2\n")
    for flags in (["wrong.csv"], [command[2], "--matching=31"]):
        code, _, errors = curves.draw(SCRIPT, folder, *flags)
        failures.expect(code == 1 and len(errors) == 1, f"{flags}: {errors}")


def main():
    failures = json_schema.Failures()
    cases = {
        ("--ports=4,6,8", "--solver=false"): {"rows[].error"},
        ("--ports=4,5", "--rows=2", "--columns=3"): {"rows[].error", *SMALLER},
        ("--ports=8", "--rows=2", "--columns=2"): {"rows[].error", *SMALLER},
    }
    with tempfile.TemporaryDirectory() as folder:
        for flags, optional in cases.items():
            name = " ".join(flags)
            text, rows, report = run(folder, *flags)
            check_rows(text, rows, report, name, failures)
            json_schema.Schema("pip-switch-json.md", optional=optional).check(report, name, failures)
            again = run(folder, *flags)[2]
            failures.expect(without_times(report) == without_times(again), f"{name}: another plan")
            failures.expect(report["solver"] == "none" or "--solver=false" not in flags,
                            f"{name}: {report['solver']}")
        # Ports that no light path joins.
        text, rows, report = run(folder, "--ports=4", "--rows=1", "--columns=1")
        check_rows(text, rows, report, "1 x 1", failures)
        failures.expect("no light path joins" in report["rows"][0].get("error", ""), f"1 x 1: {report}")
        check_files(folder, failures)
        check_matchings(folder, failures)
        run(folder, "--ports=4,6,8", "--solver=false")
        check_pictures(folder, failures)
    print(f"{failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
