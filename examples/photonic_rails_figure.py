# SPDX-License-Identifier: GPL-2.0-only
"""What the scripts that draw have in common: reading tables, and pictures that come out the same, byte
for byte, when they are drawn again from the same table."""
import csv
import sys


def read_rows(name, program, columns):
    """Rows of a CSV file as dictionaries; ends the program if it lacks one of the columns."""
    try:
        with open(name, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            missing = set(columns) - set(reader.fieldnames or [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        sys.exit(f"{name}: cannot be read as the CSV of {program}: {error}")
    if missing:
        sys.exit(f"{name}: is no CSV of {program}, it has no column {', '.join(sorted(missing))}")
    if not rows:
        sys.exit(f"{name}: has no rows")
    return rows


def load_pyplot():
    """matplotlib.pyplot, set up alike for all pictures; ends the program if it is not installed."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("the picture needs matplotlib (Debian: apt install python3-matplotlib)")
    matplotlib.use("Agg")
    matplotlib.rcParams.update({
        "axes.grid": True,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "font.size": 10,
        "grid.alpha": 0.3,
        "legend.fontsize": "small",
        "legend.frameon": False,
        "svg.hashsalt": "photonic-rails",  # equal names of elements in every run
    })
    from matplotlib import pyplot

    return pyplot


def save(figure, name):
    """Write a picture (svg, png or pdf) without the date, and say where it is."""
    form = name.rsplit(".", 1)[-1]
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    try:
        figure.savefig(name, metadata=metadata)
    except (OSError, ValueError) as error:
        sys.exit(f"--out={name}: {error}")
    print(name)
