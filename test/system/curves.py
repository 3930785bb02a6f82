# SPDX-License-Identifier: GPL-2.0-only
"""Runs the scripts that draw what the programs have written."""
import functools
import json
import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@functools.lru_cache(maxsize=None)
def find_python():
    """@return a Python with matplotlib, the one that runs this if it has it; None if there is none.

    Debian's may have it where the first one in the path has not.
    """
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=True)
            return python
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


def draw(script, folder, *flags):
    """Run a script of examples/ in a folder, without matplotlib if no Python has it.

    @return exit code, and what it has written to the standard output and the standard error, as lines
    """
    done = subprocess.run([find_python() or sys.executable, EXAMPLES / script, *flags], cwd=folder,
                          capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr.strip().splitlines()


# Calls a script once for each list of arguments that it gets as JSON, and writes what draw() returns.
MANY = """
import contextlib, io, json, runpy, sys, traceback
script, calls = sys.argv[1], json.loads(sys.argv[2])
sys.path.insert(0, script.rsplit("/", 1)[0])
results = []
for flags in calls:
    sys.argv = [script, *flags]
    printed, errors, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            errors.write(end.code if isinstance(end.code, str) else "")
        except BaseException:
            code = 1
            traceback.print_exc()
    sys.modules["matplotlib.pyplot"].close("all") if "matplotlib.pyplot" in sys.modules else None
    results.append((code, printed.getvalue().splitlines(), errors.getvalue().strip().splitlines()))
print(json.dumps(results))
"""


def draw_many(script, folder, calls):
    """Run a script of examples/ for each of some lists of flags, in one process. @return a list of draw()"""
    done = subprocess.run([find_python(), "-c", MANY, str(EXAMPLES / script), json.dumps(calls)], cwd=folder,
                          capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)
