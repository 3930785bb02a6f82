#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what photonic-rails-recovery has written with --json: how many times as much a photonic rack does
after the losses as an electrical one, against the oversubscription of the way to its spare; a line for
each file.

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import json
import sys

from photonic_rails import conclude, require_pyplot


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="from --json")
    parser.add_argument("--out", default="recovery.svg", help="the picture: svg, png or pdf [recovery.svg]")
    return parser.parse_args()


def read_line(file):
    """The name of a line and its points."""
    try:
        with open(file, encoding="utf-8") as stream:
            report = json.load(stream)
        points = sorted((row["oversubscription"], row["photonic_factor"]) for row in report["rows"]
                        if row["fabric"] != "photonic" and "migration" not in row["name"])
        return report["description"], points
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{file}: not written by photonic-rails-recovery: {error}")


def main():
    arguments = get_arguments()
    lines = [read_line(file) for file in arguments.files]
    pyplot = require_pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for name, points in lines:
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=name)
    axes.axhline(2, color="grey", linestyle=":", label="published: nearly 2")
    ratios = sorted({x for _, points in lines for x, _ in points})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ratios, [f"1:{ratio:g}" for ratio in ratios])
    axes.minorticks_off()
    axes.set_xlabel("way to the spare of the electrical rack")
    axes.set_ylabel("throughput, photonic / electrical")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1))  # names are long: above the axes
    conclude(figure, arguments.out)


if __name__ == "__main__":
    main()
