#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what photonic-rails-cost has written with --csv: price and power against GPUs and what they are
made of (Fig. 7 of "Photonic Rails in ML Datacenters"), or, with --table3, GPUs against the
reconfiguration time of each technology (Table 3).

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import sys

from photonic_rails import conclude, read_rows, require_pyplot

PROGRAM = "photonic-rails-cost"
COSTS = ["counting", "gpus", "network", "usd", "watts"]
SCALE = ["technology", "description", "reconfiguration_ms", "radix", "gpus_per_domain", "levels", "gpus"]
# Parts of a price, of a power, and how they are drawn.
PARTS = [("transceivers", "tab:grey"), ("switches", "tab:blue"), ("ocs", "tab:orange")]
# Of networks, electrical and photonic ones.
COLORS = {False: ["navy", "tab:blue", "tab:cyan", "tab:green", "tab:olive", "tab:purple"],
          True: ["tab:orange", "tab:red", "tab:brown", "tab:pink"]}
MARKERS = "osDv^<>Pp"
TINY = 1e-9  # less is no price, power or time


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="from --csv, with or without --table3")
    parser.add_argument("--gpus", type=int, help="size whose parts are drawn [the largest]")
    parser.add_argument("--out", default="cost.svg", help="the picture: svg, png or pdf [cost.svg]")
    return parser.parse_args()


def draw_sizes(axes, rows, column, unit, label):
    """A line for each network, and how far the last one is below the first."""
    lines = {}
    for row in rows:
        lines.setdefault(row["network"], []).append((row.number("gpus", 1), row.number(column, TINY) / unit))
    used = {False: 0, True: 0}
    for number, (name, points) in enumerate(lines.items()):
        is_photonic = name.startswith("photonic")
        colors = COLORS[is_photonic]
        axes.plot(*zip(*points), marker=MARKERS[number % len(MARKERS)], markersize=5, label=name,
                  linewidth=1.5, color=colors[used[is_photonic] % len(colors)])
        used[is_photonic] += 1
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = []
    for size in sorted({row.number("gpus", 1) for row in rows}):
        if not ticks or size >= 1.5 * ticks[-1]:
            ticks.append(size)
    axes.set_xticks(ticks, [f"{size:,}" for size in ticks])
    axes.minorticks_off()
    axes.set_xlabel("GPUs")
    axes.set_ylabel(label)
    axes.legend()
    first, last = dict(list(lines.values())[0]), list(lines.values())[-1]
    both = [(x, y) for x, y in last if x in first]
    if both and len(lines) > 1:
        x, low = both[-1]
        axes.annotate("", (1.25 * x, low), (1.25 * x, first[x]),
                      arrowprops={"arrowstyle": "<->", "color": "0.3"})
        axes.annotate(f" {first[x] / low:.1f}x", (1.25 * x, (low * first[x]) ** 0.5), va="center")
        axes.set_xlim(right=2 * x)


def draw_parts(axes, rows, unit, column, label):
    """A bar for each network, of what it is made of, for one GPU."""
    names = [row["network"] for row in rows]
    left = [0.0] * len(rows)
    for part, color in PARTS:
        widths = [row.number(f"{part}_{unit}", 0) / row.number("gpus", 1) for row in rows]
        axes.barh(names, widths, left=left, color=color, label=part if part != "ocs" else "OCS")
        left = [start + width for start, width in zip(left, widths)]
    for name, total, row in zip(names, left, rows):
        share = f" ({100 * row.number(f'{column}_share'):.1f} %)" if row[f"{column}_share"] else ""
        axes.annotate(f" {total:,.4g}{share}" if total < 1000 else f" {total:,.0f}{share}",
                      (total, name), va="center", fontsize="small")
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, 1.3 * max(left))
    axes.set_xlabel(label)
    axes.legend(loc="lower right")


def draw_costs(pyplot, rows, gpus):
    """Price and power of networks."""
    rows = [row for row in rows if row["usd"]]
    size = gpus or max((row.number("gpus", 1) for row in rows), default=0)
    of_size = [row for row in rows if row.number("gpus", 1) == size]
    if not of_size:
        sys.exit(f"--gpus={size}: the file has no network of that size")
    figure, panels = pyplot.subplots(2, 2, figsize=(11, 7.5), layout="constrained",
                                     height_ratios=(3, 2))
    draw_sizes(panels[0][0], rows, "usd", 1e6, "price (million USD)")
    draw_sizes(panels[0][1], rows, "watts", 1e3, "power (kW)")
    draw_parts(panels[1][0], of_size, "usd", "usd", f"USD per GPU, {size:,} GPUs")
    draw_parts(panels[1][1], of_size, "w", "watts", f"W per GPU, {size:,} GPUs")
    figure.suptitle(f"Networks for {rows[0]['gpus_per_domain']} GPUs per domain, counting: "
                    f"{rows[0]['counting']} (share of {of_size[0]['network']} in brackets)")
    return figure


def draw_scale(pyplot, rows):
    """GPUs against reconfiguration time."""
    figure, axes = pyplot.subplots(figsize=(8.5, 5), layout="constrained")
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = [row.number("gpus", 1) for row in rows]
    bottom = min(sizes) / 30
    axes.set_ylim(bottom, 3 * max(sizes))
    times = sorted({row.number("reconfiguration_ms", TINY) for row in rows})
    axes.set_xlim(times[0] / 5, 20 * times[-1])
    domains = sorted({row.number("gpus_per_domain", 1) for row in rows}, reverse=True)
    for domain, marker in zip(domains, MARKERS):
        points = [(row.number("reconfiguration_ms", TINY), row.number("gpus", 1)) for row in rows
                  if row.number("gpus_per_domain", 1) == domain]
        axes.plot(*zip(*points), marker, markersize=7, label=f"{domain} GPUs per domain")
        for x, y in points:
            # Where the number is not in the way of the next point.
            near = min((other / x for other in times if other > x), default=10)
            place, ha, va = (((-7, 0), "right", "center") if near < 2.5 else
                             ((0, 7), "center", "bottom") if near < 10 else
                             ((7, 0), "left", "center"))
            axes.annotate(f"{y:,}", (x, y), place, textcoords="offset points", ha=ha, va=va,
                          fontsize="small")
    for row in rows:
        if row.number("gpus_per_domain", 1) == domains[-1]:
            x = row.number("reconfiguration_ms", TINY)
            is_left = any(1 < other / x < 2.5 for other in times)
            axes.vlines(x, bottom, row.number("gpus", 1), color="0.8", linewidth=1, zorder=0)
            axes.annotate(f" {row['technology']} ({row['radix']})", (x, bottom),
                          (-2 if is_left else 2, 0), textcoords="offset points", rotation=90,
                          ha="right" if is_left else "left", va="bottom", fontsize="small")
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("reconfiguration time (ms)")
    axes.set_ylabel("GPUs on photonic rails")
    levels = rows[0]["levels"]
    axes.set_title("What each technology, with its radix, can join"
                   + (f", {levels} levels" if levels != "1" else ""), loc="left")
    axes.legend(loc="upper left")
    return figure


def main():
    arguments = get_arguments()
    rows = read_rows(arguments.file, PROGRAM, ["gpus"])
    is_scale = "technology" in rows[0]
    rows = read_rows(arguments.file, PROGRAM, SCALE if is_scale else COSTS)
    pyplot = require_pyplot()
    figure = draw_scale(pyplot, rows) if is_scale else draw_costs(pyplot, rows, arguments.gpus)
    conclude(figure, arguments.out)


if __name__ == "__main__":
    main()
