#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a column of what photonic-rails-sweep has written with --csv against a flag that varied: a line
for each combination of the other flags.

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import csv
import re
import sys

UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "": 1,
         "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}
RESULTS = "iteration_s"  # the first column that is no flag


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="from --csv")
    parser.add_argument("--x", help="the flag along the axis [the last one that varied]")
    parser.add_argument("--y", default=RESULTS, help=f"the column that is drawn [{RESULTS}]")
    parser.add_argument("--log", action="store_true", help="logarithmic axis of x")
    parser.add_argument("--out", default="sweep.svg", help="the picture: svg, png or pdf [sweep.svg]")
    return parser.parse_args()


def read(name):
    """Rows that have a result, and the names of the flags."""
    try:
        with open(name, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            columns = list(reader.fieldnames or [])
        flags = columns[:columns.index(RESULTS)]
        return [row for row in rows if row[RESULTS]], flags
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{name}: cannot be read as the CSV of photonic-rails-sweep: {error!r}")


def get_number(text):
    """The number in a value with or without a unit, or None."""
    match = re.fullmatch(r"([0-9.]+(?:e-?[0-9]+)?)([a-zA-Z]*)", text)
    return float(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else None


def main():
    arguments = get_arguments()
    rows, flags = read(arguments.file)
    varied = [flag for flag in flags if len({row[flag] for row in rows}) > 1]
    x = arguments.x or (varied[-1] if varied else None)
    if x not in flags:
        sys.exit(f"--x={x}: the flags in {arguments.file} are {', '.join(flags)}")
    if arguments.y not in rows[0]:
        sys.exit(f"--y={arguments.y}: {arguments.file} has no such column")
    try:
        import matplotlib
    except ImportError:
        sys.exit("the picture needs matplotlib (Debian: apt install python3-matplotlib)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines = {}
    for row in rows:
        name = ", ".join(row[flag] for flag in varied if flag != x) or arguments.y
        lines.setdefault(name, []).append((get_number(row[x]), row[x], float(row[arguments.y])))
    is_number = all(point[0] is not None for line in lines.values() for point in line)
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for name, points in lines.items():
        points.sort(key=lambda point: point[0] if is_number else 0)
        axes.plot([point[0] if is_number else point[1] for point in points],
                  [point[2] for point in points], marker="o", label=name)
    if arguments.log and is_number:
        axes.set_xscale("log")
    is_time = is_number and any(point[1].endswith("s") and not point[1].endswith("bps")
                              for line in lines.values() for point in line)
    axes.set_xlabel(x + (" (s)" if is_time else ""))
    axes.set_ylabel(arguments.y)
    axes.grid(alpha=0.3)
    if len(lines) > 1:
        axes.legend(fontsize="small")
    figure.savefig(arguments.out)
    print(arguments.out)


main()
