#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a column of what photonic-rails-sweep has written with --csv against a flag that varied: a line
for each combination of the other flags, across the whole picture where that flag is not given.

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import sys

from photonic_rails import (conclude, find_varied, get_number, make_lines, plot_points, read_rows,
                            require_pyplot)

RESULTS = "iteration_s"  # the first column that is no flag
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


def read_table(arguments):
    """Rows that have a result, flags that varied, and the one along the axis."""
    rows = read_rows(arguments.file, "photonic-rails-sweep", [RESULTS])
    flags = list(rows[0])[:list(rows[0]).index(RESULTS)]
    rows = [row for row in rows if row[RESULTS]]
    if not rows:
        sys.exit(f"{arguments.file}: no point has a result")
    varied = find_varied(rows, flags)
    x = arguments.x or (varied[-1] if varied else None)
    if x not in flags:
        sys.exit(f"--x={x}: the flags in {arguments.file} are {', '.join(flags)}")
    if arguments.y not in rows[0]:
        sys.exit(f"--y={arguments.y}: {arguments.file} has no such column")
    rows = [row for row in rows if row[arguments.y]]  # others have not measured it
    if not rows:
        sys.exit(f"--y={arguments.y}: no point in {arguments.file} has a value")
    for row in rows:
        row.number(arguments.y)
    return rows, varied, x


def relate(lines, over):
    """The lines in per cent above the single point of one of them."""
    if len(lines.get(over, [])) != 1:
        sys.exit(f"--over={over}: the lines are {', '.join(lines)}; it must be one of a single point")
    base = lines[over][0][1]
    if base <= 0:
        sys.exit(f"--over={over}: its value is {base:g}; it must be above 0")
    return {name: [(at, 100 * (y / base - 1)) for at, y in points] for name, points in lines.items()}


def read_points(arguments, x):
    """Points of other origin, by name, in the order of the file."""
    if not arguments.points:
        return {}
    rows = read_rows(arguments.points, "points", ["name", x, arguments.y])
    for row in rows:
        row.number(arguments.y)
    return make_lines(rows, x, arguments.y, ["name"])


def main():
    arguments = get_arguments()
    rows, varied, x = read_table(arguments)
    lines = make_lines(rows, x, arguments.y, [flag for flag in varied if flag != x])
    if arguments.over is not None:
        lines = relate(lines, arguments.over)
    most = get_number(arguments.most) if arguments.most else float("inf")
    if most is None:
        sys.exit(f"--most={arguments.most}: it must be a number with or without a unit")
    require_pyplot()
    figure = plot_points(lines, log=arguments.log, most=most, extra=read_points(arguments, x))
    axes = figure.axes[0]
    axes.set_xlabel(LABELS.get(x, x) + axes.get_xlabel())
    label = LABELS.get(arguments.y, arguments.y)
    axes.set_ylabel(f"{label.removesuffix(' (s)')}, % above {arguments.over}" if arguments.over else label)
    conclude(figure, arguments.out)


main()
