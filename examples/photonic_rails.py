# SPDX-License-Identifier: GPL-2.0-only
"""Run the programs of photonic-rails from Python, read what they write, sweep flags, and draw.

    import photonic_rails as pr

    job = pr.run("training", model="debugmodel", fabric="electrical")
    print(job.summary["iterations"][-1]["time_s"])

    rows = pr.sweep("training", {"reconfigDelay": ["10us", "1ms", "25ms"]}, model="debugmodel")
    figure = pr.plot_lines(rows, x="reconfigDelay", y="iteration_s")
    pr.save(figure, "delay.svg")

Flags are keyword arguments: True and False, numbers, texts, and lists for flags with commas. Flags that
are no Python names go in as pr.run("training", **{"ns3::RdmaQueuePair::Mtu": 1024}). Tables are lists of
dictionaries; to_frame makes a pandas.DataFrame of one. The standard library is enough; pandas and matplotlib
are needed by to_frame and by what draws. A wrong argument raises ValueError with one line that names it."""
from __future__ import annotations

import contextlib
import csv
import dataclasses
import itertools
import json
import math
import numbers
import os
import pathlib
import re
import reprlib
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Row = dict[str, Any]

TIMES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
UNITS = {**TIMES, "": 1.0, "bps": 1.0, "kbps": 1e3, "Kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}
TABLES = ("calls", "messages")  # flags that write comma-separated values, or a SQLite database
DATABASE = b"SQLite format 3\0"  # how the file of one begins
MOST_TICKS = 10  # on a logarithmic axis, values are named as long as there are not more


class ProgramError(RuntimeError):
    """A program has refused its flags, or has failed; the text is what it wrote to standard error."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code  # exit code; below zero the number of a signal


@dataclasses.dataclass
class Run:
    """What a run of a program has shown."""

    flags: Row                 # as given
    text: str                  # standard output
    summary: Row               # what the program wrote with --json; empty without that flag
    calls: list[Row]           # a row for each call, if calls=True
    messages: list[Row]        # a row for each message, if messages=True


# --- arguments --------------------------------------------------------------------------------------


def require(holds: bool, name: str, value: Any, allowed: str) -> None:
    """Raise ValueError unless an argument is one of those that are allowed."""
    if not holds:
        raise ValueError(f"{name}={reprlib.repr(value)} is not allowed: it must be {allowed}")


def require_whole(name: str, value: Any, least: int, most: float = math.inf) -> None:
    """An argument that is a whole number in a range."""
    require(isinstance(value, numbers.Integral) and least <= int(value) <= most, name, value,
            f"a whole number from {least}" + (f" to {most}" if most < math.inf else ""))


def require_number(name: str, value: Any, least: float) -> None:
    """An argument that is a finite number, such as seconds."""
    require(isinstance(value, numbers.Real) and least <= float(value) < math.inf, name, value,
            f"a number from {least:g}")


def require_list(name: str, values: Any) -> list[Any]:
    """The elements of an argument, of which there must be one. A text is none: it has letters."""
    require(isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping)), name, values,
            "a list of values")
    elements = list(values)
    require(bool(elements), name, values, "a list with at least one value")
    return elements


def require_rows(name: str, rows: Any, columns: Iterable[str] = ()) -> list[Row]:
    """The rows of an argument that is a table, of which one must have each of some columns."""
    elements = require_list(name, rows)
    for row in elements:
        require(isinstance(row, Mapping), name, row, "a list of rows, which are dictionaries")
    present = list(dict.fromkeys(column for row in elements for column in row))
    for column in columns:
        require(column in present, "column", column, f"one of those of {name}: {', '.join(map(str, present))}")
    return elements


# --- programs ---------------------------------------------------------------------------------------


def is_program(file: pathlib.Path) -> bool:
    """Whether a file can be executed."""
    return file.is_file() and os.access(file, os.X_OK)


def find_program(name: str, folder: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """The built program "training", "photonic-rails-training", a program of scratch/, or that of a path.

    Folders are searched in this order: the given one; that in the environment variable
    PHOTONIC_RAILS_PROGRAMS; that of this file; .build/release/examples and scratch of the repository; the
    build folders of an ns-3 tree that has the repository in contrib/.
    """
    require(isinstance(name, str) and name != "" and "\0" not in name, "program", name, "a name or a path")
    if "/" in name:
        if not is_program(pathlib.Path(name)):
            raise FileNotFoundError(f"{name} is no file that can be executed")
        return pathlib.Path(name)
    full = name if name.startswith("photonic-rails-") else f"photonic-rails-{name}"
    here = pathlib.Path(__file__).absolute().parent
    module = here.parent
    release = module / ".build" / "release"
    tree = module.parent.parent / "build"
    given = [folder, os.environ.get("PHOTONIC_RAILS_PROGRAMS")]
    folders = [pathlib.Path(one) for one in given if one] or [
        here, release / "examples", release / "scratch", tree / "contrib" / module.name / "examples",
        tree / "scratch"]
    for one in folders:
        # ns-3 puts its version in front of the name, and the build profile behind it.
        for file in [one / full, *sorted(one.glob(f"ns3*-{full}*")), one / name, *sorted(one.glob(f"ns3*-{name}*"))]:
            if is_program(file):
                return file
    raise FileNotFoundError(f"{full} has not been built in any of {', '.join(map(str, folders))}; "
                            f"examples/run {full} --help builds it")


def make_arguments(flags: Mapping[str, Any]) -> list[str]:
    """The flags of a command line; a value of None leaves a flag out."""

    def spell(name: str, value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple, range)):
            return ",".join(spell(name, one) for one in value)
        require(isinstance(value, (str, numbers.Number, os.PathLike)) and "\0" not in str(value), name, value,
                "True, False, a number, a text, a path, or a list of these")
        return str(value)

    for name in flags:
        require(isinstance(name, str) and re.fullmatch(r"\w[\w:.-]*", name) is not None, "flag", name,
                "the name of a flag, without dashes")
    return [f"--{name}={spell(name, value)}" for name, value in flags.items() if value is not None]


def read_number(text: str) -> Any:
    """A field of a table: an integer, a number, or the text."""
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def read_table(file: str | os.PathLike[str]) -> list[Row]:
    """Rows of a file of comma-separated values, with numbers where texts are numbers, or of the only table of a
    SQLite database. Raises OSError, or ValueError if the file is neither."""
    try:
        with open(file, "rb") as content:
            if content.read(len(DATABASE)) == DATABASE:
                return read_database(file)
        with open(file, newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, restval=None))
    except (UnicodeDecodeError, csv.Error, sqlite3.Error) as error:
        raise ValueError(f"{file}: is neither comma-separated values nor a database: {error}") from error
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise ValueError(f"{file}: row {number} has more or fewer fields than there are columns")
    return [{key: read_number(text) for key, text in row.items()} for row in rows]


def read_database(file: str | os.PathLike[str]) -> list[Row]:
    """Rows of the only table of a SQLite database."""
    # A path as a URI: the file is read, and not created.
    with contextlib.closing(sqlite3.connect(f"{pathlib.Path(file).absolute().as_uri()}?mode=ro", uri=True)) as database:
        names = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if len(names) != 1:
            raise ValueError(f"{file}: has {len(names)} tables, and not one")
        rows = database.execute(f'SELECT * FROM "{names[0]}"')
        columns = [column for column, *_ in rows.description]
        # Times are in picoseconds; SQLite may have missed the nearest number to one by the last bit.
        return [{column: round(value, 12) if isinstance(value, float) else value
                 for column, value in zip(columns, row)} for row in rows]


def run(program: str = "training", *, folder: str | os.PathLike[str] | None = None,
        timeout: float | None = None, **flags: Any) -> Run:
    """Run a program and read its results.

    Without json=..., calls=... and messages=..., the results go to files that are read and removed;
    calls=True and messages=True ask for these tables (not every program has them). A file that is named stays;
    what is no regular file, such as /dev/null, is not read. Raises ProgramError if the program fails, and
    subprocess.TimeoutExpired after timeout seconds.
    """
    file = find_program(program, folder)
    if timeout is not None:
        require_number("timeout", timeout, 0)
    with tempfile.TemporaryDirectory(prefix="photonic-rails-") as scratch:
        outputs = {name: flags.get(name, name == "json") for name in ("json", *TABLES)}
        paths = {name: pathlib.Path(scratch, name) if wanted is True else wanted
                 for name, wanted in outputs.items() if wanted}
        given = {name: value for name, value in flags.items() if name not in outputs}
        done = subprocess.run([file, *make_arguments({**given, **paths})], capture_output=True,
                              encoding="utf-8", errors="backslashreplace", timeout=timeout, check=False)
        if done.returncode != 0:
            raise ProgramError(done.stderr.strip() or f"exit code {done.returncode}", done.returncode)
        # A page of help leaves no files.
        files = {name: pathlib.Path(path) for name, path in paths.items() if pathlib.Path(path).is_file()}
        summary = json.loads(files["json"].read_text("utf-8")) if "json" in files else {}
        tables = {name: read_table(files[name]) if name in files else [] for name in TABLES}
    return Run(dict(flags), done.stdout, summary, **tables)


# --- sweeps -----------------------------------------------------------------------------------------


def measure(result: Run) -> Row:
    """The numbers and texts of a summary, and iteration_s: the time of the last iteration."""
    row = {key: value for key, value in result.summary.items()
           if isinstance(value, (int, float, str)) and key not in result.flags}
    iterations = result.summary.get("iterations")
    if isinstance(iterations, list) and iterations:
        row["iteration_s"] = iterations[-1]["time_s"]
    return row


def sweep(program: str, vary: Mapping[str, Sequence[Any]], *, measure: Callable[[Run], Row] = measure,
          processes: int | None = None, folder: str | os.PathLike[str] | None = None,
          timeout: float | None = None, **flags: Any) -> list[Row]:
    """Run a program with every combination of the values of some flags.

    A row has the values of the flags that vary, and what `measure` makes of the run. A run that fails has the
    key "error" instead, so that one bad combination does not end the others. At most `processes` runs are
    made at the same time (by default as many as there are processors); rows are in the order of the
    combinations, the last flag varying fastest. photonic-rails-sweep does the same with a table on disk that
    it can resume.
    """
    find_program(program, folder)
    require(isinstance(vary, Mapping), "vary", vary, "a dictionary of flags with the list of values of each")
    require(callable(measure), "measure", measure, "a function of a Run")
    if processes is not None:
        require_whole("processes", processes, 1)
    for name in ("json", *TABLES):
        require(isinstance(flags.get(name), (bool, type(None))), name, flags.get(name),
                "True or False in a sweep, whose runs would all write this file")
    vary = {name: require_list(name, values) for name, values in vary.items()}
    points = [dict(zip(vary, values)) for values in itertools.product(*vary.values())]
    for point in points:
        make_arguments({**flags, **point})  # before any of them is run

    def make_row(point: Row) -> Row:
        try:
            result = run(program, folder=folder, timeout=timeout, **{**flags, **point})
            return {**point, **measure(result)}
        except (ProgramError, subprocess.TimeoutExpired) as error:
            return {**point, "error": str(error)}

    with ThreadPoolExecutor(processes or os.cpu_count()) as pool:
        return list(pool.map(make_row, points))


# --- traffic ----------------------------------------------------------------------------------------

Message = tuple[float, int, int, int]  # time in seconds, source, destination, bytes


def write_traffic(file: str | os.PathLike[str], messages: Iterable[Message]) -> None:
    """Write messages between ranks as a file for trace=FILE, whose name must end in .csv."""
    require(str(file).endswith(".csv"), "file", str(file), "a name that ends in .csv")
    messages = require_list("messages", messages)
    for message in messages:
        require(isinstance(message, (tuple, list)) and len(message) == 4, "message", message,
                "a time, a source, a destination and bytes")
        require_number("time", message[0], 0)
        for name, number in zip(("source", "destination", "bytes"), message[1:]):
            require_whole(name, number, 0)
    with open(file, "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["time_s", "source", "destination", "bytes"])
        rows.writerows(messages)


def make_checkpoints(ranks: Sequence[int], servers: Sequence[int], size: int, *, period: float,
                     rounds: int = 1, start: float = 0, parts: int = 1) -> list[Message]:
    """The messages of checkpoints: at `start` and then every `period` seconds, each of `ranks` writes its
    state of `size` bytes to one of `servers`, in turns, as `parts` messages."""
    ranks, servers = require_list("ranks", ranks), require_list("servers", servers)
    for name, values in (("ranks", ranks), ("servers", servers)):
        for value in values:
            require_whole(name, value, 0)
    require_whole("size", size, 1)
    require_whole("parts", parts, 1, size)
    require_whole("rounds", rounds, 1)
    require_number("period", period, 0)
    require_number("start", start, 0)
    for place, rank in enumerate(ranks):
        require(servers[place % len(servers)] != rank, "servers", servers,
                f"others than the ranks that write to them, as rank {rank} would to itself")
    sizes = [size // parts + (part < size % parts) for part in range(parts)]
    return [(start + index * period, rank, servers[place % len(servers)], part)
            for index in range(rounds) for place, rank in enumerate(ranks) for part in sizes]


# --- packages ---------------------------------------------------------------------------------------


def has_package(python: str, package: str) -> bool:
    """Whether an interpreter, which need not be there, has a package."""
    search = f"import importlib.util as u, sys; sys.exit(u.find_spec({package!r}) is None)"
    try:
        return subprocess.run([python, "-c", search], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def explain_missing(what: str, package: str) -> str:
    """What to do where a package is missing, which often is there for another interpreter."""
    text = f"{what} need {package}, which {sys.executable} does not have"
    for folder in dict.fromkeys([*os.get_exec_path(), "/usr/bin"]):
        python = os.path.join(folder, "python3")
        if has_package(python, package):
            arguments = sys.argv if os.path.isfile(sys.argv[0]) else []
            return f"{text}, but {python} has it: {shlex.join([python, *arguments])}"
    return f"{text} (Debian: apt install python3-{package}, which is for /usr/bin/python3)"


# --- tables -----------------------------------------------------------------------------------------


def to_frame(rows: Iterable[Row]) -> Any:
    """A pandas.DataFrame with the rows of a table."""
    rows = require_rows("rows", rows)
    try:
        import pandas
    except ImportError as error:
        raise ImportError(explain_missing("data frames", "pandas")) from error
    return pandas.DataFrame(rows)


# --- pictures ---------------------------------------------------------------------------------------


def load_pyplot() -> Any:
    """matplotlib.pyplot, set up alike for all pictures: without a screen, and equal bytes for equal data."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(explain_missing("pictures", "matplotlib")) from error
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


def save(figure: Any, name: str | os.PathLike[str]) -> None:
    """Write a picture (svg, png or pdf) without the date. Raises OSError or ValueError."""
    form = str(name).rsplit(".", 1)[-1]
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    figure.savefig(name, metadata=metadata)


def split_number(value: Any) -> tuple[float, str] | None:
    """The number in a value, and its unit, which may be empty; None if there is none."""
    match = re.fullmatch(r"(-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)", str(value))
    return (float(match[1]), match[2]) if match and match[2] in UNITS else None


def get_number(value: Any) -> float | None:
    """The number in a value with or without a unit, such as 25ms or 400Gbps; None if there is none."""
    parts = split_number(value)
    return parts[0] * UNITS[parts[1]] if parts else None


def get_time_unit(values: Iterable[Any]) -> tuple[float, str]:
    """The largest unit of time, and its name, in which the median is no fraction; 1 if none is a time."""
    quantities = [split_number(value) for value in values]
    times = sorted(parts[0] * TIMES[parts[1]] for parts in quantities if parts and parts[1] in TIMES)
    if not times:
        return 1.0, ""
    fitting = (unit for unit in ("s", "ms", "us", "ns") if UNITS[unit] <= times[len(times) // 2])
    unit = next(fitting, "ps")
    return UNITS[unit], f" ({unit})"


Lines = dict[str, list[tuple[Any, float]]]


def make_lines(rows: Iterable[Row], x: str, y: str, by: Sequence[str] = ()) -> Lines:
    """Points (x, y) by the name of their line, which is made of the columns in `by`. Rows without y, such as
    those of runs that failed, are left out."""
    require(not isinstance(by, str), "by", by, "a list of columns")
    lines: Lines = {}
    for row in require_rows("rows", rows, [x, y, *by]):
        if row.get(y) not in (None, ""):
            name = ", ".join(str(row[column]) for column in by if row.get(column) not in (None, "")) or y
            number = read_number(str(row[y]))
            require(not isinstance(number, str), y, number, "a number in each row")
            lines.setdefault(name, []).append((row.get(x), float(number)))
    return lines


def find_varied(rows: Sequence[Row], columns: Iterable[str]) -> list[str]:
    """Those of some columns that do not have the same value in all rows."""
    require(not isinstance(columns, str), "columns", columns, "a list of columns")
    return [column for column in columns if len({str(row.get(column)) for row in rows}) > 1]


def plot_points(lines: Lines, *, log: bool = False, most: float = float("inf"),
                extra: Lines | None = None) -> Any:
    """A figure with a line for each name, across the whole picture for a line whose only point has no x, and
    marks for the points of `extra`. Returns a figure with one pair of axes, without labels."""
    pyplot = load_pyplot()
    extra = extra or {}
    texts = [at for points in [*lines.values(), *extra.values()] for at, _ in points if at not in (None, "")]
    is_number = all(get_number(text) is not None for text in texts)
    unit, unit_name = get_time_unit(texts) if is_number else (1.0, "")

    def visible(points: list[tuple[Any, float]]) -> tuple[list[Any], list[float]]:
        shown = [(get_number(at) if is_number else at, y) for at, y in points if at not in (None, "")]
        shown = sorted((at / unit, y) for at, y in shown if at <= most) if is_number else shown
        return [at for at, _ in shown], [y for _, y in shown]

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for index, (name, points) in enumerate(lines.items()):
        style = {"color": f"C{index}", "label": name}
        at, values = visible(points)
        if at:
            axes.plot(at, values, marker=".", **style)
        elif points and points[0][0] in (None, ""):
            axes.axhline(points[0][1], linestyle="--", **style)
    for index, (name, points) in enumerate(extra.items()):
        axes.plot(*visible(points), "sD^v"[index % 4], markerfacecolor="none", color="black", label=name)
    if log and is_number:
        axes.set_xscale("log")
        named = {str(text): get_number(text) or 0.0 for text in texts}
        named = {text: value for text, value in named.items() if value <= most}
        if len(named) <= MOST_TICKS:
            axes.set_xticks([value / unit for value in named.values()], list(named))
            axes.minorticks_off()
            unit_name = ""
    axes.set_xlabel(unit_name)
    if len(lines) + len(extra) > 1:
        axes.legend()
    return figure


def plot_lines(rows: Sequence[Row], x: str, y: str, by: Sequence[str] = (), *, log: bool = False) -> Any:
    """A figure of column y against column x, a line for each combination of the columns in `by`."""
    figure = plot_points(make_lines(rows, x, y, by), log=log)
    axes = figure.axes[0]
    axes.set_xlabel(x + axes.get_xlabel())
    axes.set_ylabel(y)
    return figure


def plot_calls(calls: Sequence[Row], ranks: Sequence[int] | None = None) -> Any:
    """A figure of when ranks communicate: a bar for each call, from its start to its end, by kind of call,
    and a grey one for the time in which it waited before. `calls` is the table of --calls."""
    calls = require_rows("calls", calls, ["rank", "operation", "made_s", "started_s", "ended_s"])
    present = sorted({call["rank"] for call in calls})
    shown = present if ranks is None else require_list("ranks", ranks)
    for rank in shown:
        require(rank in present, "ranks", rank, "ranks with calls: " + ", ".join(map(str, present)))
    pyplot = load_pyplot()
    kinds = sorted({call["operation"] for call in calls})
    figure, axes = pyplot.subplots(figsize=(10, 1.5 + 0.3 * len(shown)), layout="constrained")
    for place, rank in enumerate(shown):
        for call in (call for call in calls if call["rank"] == rank):
            axes.barh(place, call["started_s"] - call["made_s"], left=call["made_s"], height=0.3, color="0.8",
                      zorder=2)
            axes.barh(place, call["ended_s"] - call["started_s"], left=call["started_s"], height=0.7,
                      color=f"C{kinds.index(call['operation'])}", zorder=3)
    for index, kind in enumerate(kinds):
        axes.barh(0, 0, color=f"C{index}", label=kind)
    axes.set_yticks(range(len(shown)), [f"rank {rank}" for rank in shown])
    axes.invert_yaxis()
    axes.set_xlabel("simulated time (s)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def plot_distribution(samples: Mapping[str, Iterable[float]], *, log: bool = True) -> Any:
    """A figure with the cumulative distribution of each of some samples, such as the times of messages."""
    require(isinstance(samples, Mapping) and bool(samples), "samples", samples, "a dictionary of lists of numbers")
    ordered_samples = {name: sorted(require_list(name, values)) for name, values in samples.items()}
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for name, ordered in ordered_samples.items():
        shares = [(index + 1) / len(ordered) for index in range(len(ordered))]
        axes.step(ordered, shares, where="post", label=f"{name} ({len(ordered)})")
    axes.set_xscale("log" if log else "linear")
    axes.set_ylim(0, 1)
    axes.set_ylabel("share")
    axes.legend()
    return figure


# --- scripts that draw a table ----------------------------------------------------------------------


class CsvRow(dict[str, str]):
    """A row of a CSV file that a script draws: its cells as texts, by column."""

    def __init__(self, cells: Mapping[str, str], place: str) -> None:
        """`place` is the file and the line, for errors."""
        super().__init__(cells)
        self.place = place

    def number(self, column: str, least: float = -math.inf) -> Any:
        """The number in a cell; ends the script with the place of the cell if there is none."""
        number = read_number(self[column] or "")
        if isinstance(number, str) or not least <= number < math.inf:
            bound = f" of at least {least:g}" if least > -math.inf else ""
            sys.exit(f"{self.place}: {column}={self[column] or ''}: it must be a number{bound}")
        return number


def read_rows(name: str, program: str, columns: Iterable[str]) -> list[CsvRow]:
    """Rows of a CSV file; ends the script if the file lacks one of the columns."""
    try:
        with open(name, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = [CsvRow(cells, f"{name}, line {reader.line_num}") for cells in reader]
            missing = set(columns) - set(reader.fieldnames or [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        sys.exit(f"{name}: cannot be read as the CSV of {program}: {error}")
    if missing:
        sys.exit(f"{name}: is no CSV of {program}, it has no column {', '.join(sorted(missing))}")
    if not rows:
        sys.exit(f"{name}: has no rows")
    return rows


def require_pyplot() -> Any:
    """load_pyplot for a script, which ends with one line if matplotlib is not installed."""
    try:
        return load_pyplot()
    except ImportError as error:
        sys.exit(str(error))


def conclude(figure: Any, name: str) -> None:
    """Write the picture of a script, and say where it is; ends the script if that fails."""
    try:
        save(figure, name)
    except (OSError, ValueError) as error:
        sys.exit(f"--out={name}: {error}")
    print(name)
