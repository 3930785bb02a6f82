#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a column of what photonic-rails-sweep has written with --csv against a flag that varied: a line
for each combination of the other flags, across the whole picture where that flag is not given.

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import re
import sys

from photonic_rails_figure import load_pyplot, read_rows, save

UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "": 1,
         "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}
RESULTS = "iteration_s"  # the first column that is no flag
MOST_TICKS = 10  # on a logarithmic axis, values are named as long as there are not more
LABELS = {"iteration_s": "time of an iteration (s)", "reconfigDelay": "reconfiguration delay",
          "portRate": "line rate of a port"}


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="from --csv")
    parser.add_argument("--x", help="the flag along the axis [the last one that varied]")
    parser.add_argument("--y", default=RESULTS, help=f"the column that is drawn [{RESULTS}]")
    parser.add_argument("--over", help="draw per cent above the line of this name, such as electrical")
    parser.add_argument("--points", help="a CSV of points of other origin: name, the flag of --x, and --y "
                        "(in per cent with --over)")
    parser.add_argument("--most", help="largest value of --x that is drawn, such as 100ms")
    parser.add_argument("--log", action="store_true", help="logarithmic axis of x")
    parser.add_argument("--out", default="sweep.svg", help="the picture: svg, png or pdf [sweep.svg]")
    return parser.parse_args()


def get_number(text):
    """The number in a value with or without a unit, or None."""
    match = re.fullmatch(r"([0-9.]+(?:e-?[0-9]+)?)([a-zA-Z]*)", text)
    return float(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else None


def get_unit(texts):
    """The largest unit of time, and its name, in which no value is a small fraction; 1 without any."""
    times = [get_number(text) for text in texts if re.fullmatch(r"[0-9.e-]+[mnup]?s", text)]
    if not times:
        return 1, ""
    return next(((UNITS[unit], f" ({unit})") for unit in ("s", "ms", "us", "ns")
                 if sorted(times)[len(times) // 2] >= UNITS[unit]), (1e-12, " (ps)"))


def read_table(arguments):
    """Rows that have a result, flags that varied, and the one along the axis."""
    rows = read_rows(arguments.file, "photonic-rails-sweep", [RESULTS])
    flags = list(rows[0])[:list(rows[0]).index(RESULTS)]
    rows = [row for row in rows if row[RESULTS]]
    if not rows:
        sys.exit(f"{arguments.file}: no point has a result")
    varied = [flag for flag in flags if len({row[flag] for row in rows}) > 1]
    x = arguments.x or (varied[-1] if varied else None)
    if x not in flags:
        sys.exit(f"--x={x}: the flags in {arguments.file} are {', '.join(flags)}")
    if arguments.y not in rows[0]:
        sys.exit(f"--y={arguments.y}: {arguments.file} has no such column")
    rows = [row for row in rows if row[arguments.y]]  # others have not measured it
    if not rows:
        sys.exit(f"--y={arguments.y}: no point in {arguments.file} has a value")
    return rows, varied, x


def make_lines(rows, varied, arguments, x):
    """Points (text of x, y) by the name of their line."""
    lines = {}
    for row in rows:
        name = ", ".join(row[flag] for flag in varied if flag != x and row[flag]) or arguments.y
        lines.setdefault(name, []).append((row[x], float(row[arguments.y])))
    if arguments.over is None:
        return lines
    if len(lines.get(arguments.over, [])) != 1:
        sys.exit(f"--over={arguments.over}: the lines are {', '.join(lines)}; it must be one of a "
                 "single point")
    base = lines[arguments.over][0][1]
    return {name: [(at, 100 * (y / base - 1)) for at, y in points] for name, points in lines.items()}


def read_points(arguments, x):
    """Points of other origin, by name, in the order of the file."""
    points = {}
    for row in read_rows(arguments.points, "points", ["name", x, arguments.y]) if arguments.points else []:
        points.setdefault(row["name"], []).append((row[x], float(row[arguments.y])))
    return points


def main():
    arguments = get_arguments()
    rows, varied, x = read_table(arguments)
    lines = make_lines(rows, varied, arguments, x)
    extra = read_points(arguments, x)
    texts = [at for points in [*lines.values(), *extra.values()] for at, _ in points if at]
    is_number = all(get_number(text) is not None for text in texts)
    unit, unit_name = get_unit(texts) if is_number else (1, "")
    most = get_number(arguments.most) if arguments.most else float("inf")
    if most is None:
        sys.exit(f"--most={arguments.most}: it must be a number with or without a unit")

    def place(text):
        return get_number(text) / unit if is_number else text

    def visible(points):
        points = [(at, y) for at, y in points if at and (not is_number or get_number(at) <= most)]
        return sorted(points, key=lambda point: get_number(point[0])) if is_number else points

    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for index, (name, points) in enumerate(lines.items()):
        style = {"color": f"C{index}", "label": name}
        drawn = visible(points)
        if drawn:
            axes.plot([place(at) for at, _ in drawn], [y for _, y in drawn], marker=".", **style)
        elif not points[0][0]:
            axes.axhline(points[0][1], linestyle="--", **style)
    for index, (name, points) in enumerate(extra.items()):
        drawn = visible(points)
        axes.plot([place(at) for at, _ in drawn], [y for _, y in drawn], "sD^v"[index % 4],
                  markerfacecolor="none", color="black", label=name)
    if arguments.log and is_number:
        axes.set_xscale("log")
        shown = sorted({text for text in texts if get_number(text) <= most}, key=get_number)
        if len(shown) <= MOST_TICKS:
            axes.set_xticks([place(text) for text in shown], shown)
            axes.minorticks_off()
            unit_name = ""
    axes.set_xlabel(LABELS.get(x, x) + unit_name)
    label = LABELS.get(arguments.y, arguments.y)
    axes.set_ylabel(f"{label.removesuffix(' (s)')}, % above {arguments.over}" if arguments.over else label)
    if len(lines) + len(extra) > 1:
        axes.legend()
    save(figure, arguments.out)


main()
