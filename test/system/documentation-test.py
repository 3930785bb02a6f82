#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The documentation is in order: Sphinx builds the pages in doc/ into .build/doc and Doxygen the
classes into .build/doxygen without a warning, no line of text is too long, the tests that
doc/validation.rst names exist, and README.md is short and leads to files that exist.

Exit code 77, for skipped, if Sphinx or Doxygen is not installed and nothing else is wrong."""
import pathlib
import re
import shutil
import subprocess
import sys

REPO = pathlib.Path(__file__).resolve().parents[2]
DOC = REPO / "doc"
LONGEST = 120  # characters of a line, but for commands, tables and what a program writes
README_LINES = 120
SKIPPED = 77


def build_pages():
    """@return what Sphinx complains about."""
    command = ["sphinx-build", "-q", "-E", "-W", "--keep-going", "-b", "html", str(DOC),
               str(REPO / ".build" / "doc")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.splitlines() if done.returncode else []


def document_classes():
    """@return what Doxygen complains about, but for settings that its version does not know."""
    (REPO / ".build").mkdir(exist_ok=True)
    done = subprocess.run(["doxygen", "doc/doxygen.conf"], cwd=REPO, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: Tag")]
    return lines or (["Doxygen failed"] if done.returncode else [])


def check_readme():
    """@return what is wrong with README.md."""
    text = (REPO / "README.md").read_text()
    lines = len(text.splitlines())
    wrong = [f"README.md has {lines} lines, it should be below {README_LINES}"] if lines >= README_LINES else []
    for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", text):
        if not (REPO / link).exists():
            wrong.append(f"README.md: there is no {link}")
    return wrong


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
    for cell in re.findall(r"\bsystem tests? ((?:``[\w-]+``(?:,)?\s*)+)", page):
        unknown += [f"system test {name}" for name in re.findall(r"``([\w-]+)``", cell)
                    if not list((REPO / "test" / "system").glob(name + ".*"))]
    for path in re.findall(r"``(test/[\w/.-]+)", page):
        if not (REPO / path).exists() and not path.startswith("test/photonic-rails-"):
            unknown.append(path)
    return unknown


def main():
    wrong = find_long_lines() + find_unknown_tests() + check_readme()
    missing = []
    for program, check in (("sphinx-build", build_pages), ("doxygen", document_classes)):
        if shutil.which(program):
            wrong += check()
        else:
            missing.append(program)
    for line in wrong:
        print(line)
    if wrong:
        sys.exit(1)
    if missing:
        print("not installed:", *missing)
        sys.exit(SKIPPED)


main()
