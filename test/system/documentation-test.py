#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The documentation is in order: Sphinx builds the pages in doc/ into .build/doc without a warning,
no line of text is too long, and the tests that doc/validation.rst names exist.

Exit code 77, for skipped, if Sphinx is not installed."""
import pathlib
import re
import shutil
import subprocess
import sys

REPO = pathlib.Path(__file__).resolve().parents[2]
DOC = REPO / "doc"
LONGEST = 120  # characters of a line, but for commands, tables and what a program writes
SKIPPED = 77


def build_pages():
    """@return what Sphinx complains about."""
    command = ["sphinx-build", "-q", "-E", "-W", "--keep-going", "-b", "html", str(DOC),
               str(REPO / ".build" / "doc")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.splitlines() if done.returncode else []


def find_long_lines():
    """@return lines of text that are too long."""
    return [f"{page.name}:{number}: {len(line)} characters"
            for page in sorted(DOC.glob("*.rst")) if page.name != "attributes-and-traces.rst"
            for number, line in enumerate(page.read_text().splitlines(), 1)
            if len(line) > LONGEST and not line.startswith("  ")]


def read_all(pattern):
    """@return the text of the files of a pattern."""
    return "\n".join(path.read_text() for path in sorted((REPO / "test").glob(pattern)))


def find_unknown_tests():
    """@return tests that the page on validation names and that do not exist."""
    page = (DOC / "validation.rst").read_text()
    suites = set(re.findall(r'"(photonic-rails-[a-z0-9-]+)"', read_all("suites/*")))
    units = "\n".join(re.findall(r"\bTEST(?:_P|_F)?\(\w+", read_all("unit/*.cc")))
    unknown = []
    for cell in re.findall(r"\bsuites? ((?:``[\w*-]+``(?:,| to)?\s*)+)", page):
        for name in re.findall(r"``(photonic-rails-[\w*-]+)``", cell):
            prefix = name.rstrip("*0123456789")
            if name not in suites and prefix not in suites:
                unknown.append(f"suite {name}")
    for cell in re.findall(r"\bunit tests? ((?:``\w+``(?:,)?\s*)+)", page):
        unknown += [f"unit test {name}" for name in re.findall(r"``(\w+)``", cell) if f"({name}" not in units]
    for name in re.findall(r"\bsystem test ``([\w-]+)``", page):
        if not list((REPO / "test" / "system").glob(name + ".*")):
            unknown.append(f"system test {name}")
    for path in re.findall(r"``(test/[\w/.-]+)", page):
        if not (REPO / path).exists() and not path.startswith("test/photonic-rails-"):
            unknown.append(path)
    return unknown


def main():
    wrong = find_long_lines() + find_unknown_tests()
    if shutil.which("sphinx-build"):
        wrong += build_pages()
    for line in wrong:
        print(line)
    if wrong:
        sys.exit(1)
    if not shutil.which("sphinx-build"):
        print("Sphinx is not installed")
        sys.exit(SKIPPED)


main()
