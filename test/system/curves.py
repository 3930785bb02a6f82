# SPDX-License-Identifier: GPL-2.0-only
"""Runs the scripts that draw what the programs have written."""
import functools
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
