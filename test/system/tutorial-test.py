#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Who follows doc/tutorial.rst sees what it says: every command in its console blocks is run, in order,
and has to print the lines below it, with exit code 0. A line that is only ... stands for any number
of lines. A command that ends with a backslash goes on in the next line. Blocks of code with a caption are files that the reader saves.

It happens in a folder that looks like the repository, with the examples/run of the repository; but
what would install or build uses the build folder under test. Exit code 77, for skipped, if a program
that the tutorial asks for is not installed.

usage: tutorial-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPO = pathlib.Path(__file__).resolve().parents[2]
TUTORIAL = REPO / "doc" / "tutorial.rst"
MODEL = "photonic-rails-first-circuit"  # whose build commands serve for the reader's programs
SKIPPED = 77

COMMON = """source {repo}/test/common.sh
repo={folder}
install_packages() {{ :; }}
configure() {{ :; }}
build() {{
    [[ -f $repo/scratch/$2.cc ]] || return 0
    local source=$repo/scratch/$2.cc object=$repo/.build/$2.o program=$repo/.build/release/scratch/$2
    (cd {build} && {compile} && {link})
}}
"""


def read_blocks():
    """Yield (language, caption or None, lines, number of the first line) of each block of code."""
    lines = TUTORIAL.read_text().splitlines()
    for at, line in enumerate(lines):
        found = re.fullmatch(r"\.\. code-block:: (\w+)", line)
        if not found:
            continue
        block, caption, first = [], None, at + 1
        while first < len(lines) and re.match(r"   :", lines[first]):
            if lines[first].startswith("   :caption: "):
                caption = lines[first].split(": ", 1)[1]
            first += 1
        for text in lines[first:]:
            if text and not text.startswith("   "):
                break
            block.append(text[3:])
        while block and not block[-1]:
            block.pop()
        yield found[1], caption, block[1:], first + 2


def read_commands(block, first):
    """Yield (command, expected lines, number of its line) of a console block."""
    starts = [at for at, line in enumerate(block) if line.startswith("$ ")]
    if not starts or starts[0] != 0:
        sys.exit(f"{TUTORIAL.name}:{first}: a console block begins with a command")
    for at, end in zip(starts, starts[1:] + [len(block)]):
        after = at + 1
        while block[after - 1].endswith("\\"):
            after += 1
        yield "\n".join(block[at:after])[2:], block[after:end], first + at


def is_as_expected(expected, printed):
    """@return true if the lines are those that are expected."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line.rstrip()) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed)) is not None


def get_build_commands(build):
    """@return how the build compiles and links a program, for $source, $object and $program."""
    done = subprocess.run(["ninja", "-C", str(build), "-t", "commands", f"examples/{MODEL}"],
                          capture_output=True, text=True, check=True)
    by_output = {}
    for line in done.stdout.splitlines():
        found = re.search(r" -o (\S+)", line)
        if found:
            by_output[found[1]] = line
    link = by_output[f"examples/{MODEL}"]
    old_object = re.search(r"\S+\.cc\.o", link)[0]
    compiling = re.sub(r"-MF \S+|-MT \S+|-MD|-Werror", "", by_output[old_object])
    compiling = re.sub(r"\S+/" + MODEL + r"\.cc(?=\s|$)", '"$source"', compiling)
    return (compiling.replace(f"-o {old_object}", '-o "$object"'),
            link.replace(old_object, '"$object"').replace(f"-o examples/{MODEL}", '-o "$program"'))


def make_folder(folder, build):
    """Make it look like the repository to the reader."""
    for name in ("examples", "test", ".build/release/scratch"):
        (folder / name).mkdir(parents=True)
    for path in (REPO / "examples").iterdir():
        (folder / "examples" / path.name).symlink_to(path)
    (folder / ".build" / "release" / "examples").symlink_to(build / "examples")
    compile_command, link = get_build_commands(build)
    (folder / "test" / "common.sh").write_text(COMMON.format(
        repo=REPO, folder=folder, build=build, compile=compile_command, link=link))


def get_environment(folder):
    """@return that of the reader's shell: Debian's Python goes first, as it has matplotlib."""
    environment = dict(os.environ, HOME=str(folder), LC_ALL="C.UTF-8", MPLCONFIGDIR=str(folder / ".build"))
    environment["PATH"] = "/usr/bin:" + environment["PATH"]
    return environment


def find_missing(environment):
    """@return what the tutorial asks for and the machine has not."""
    missing = [name for name in ("tshark", "ninja") if not shutil.which(name)]
    has_plots = subprocess.run(["python3", "-c", "import matplotlib"], env=environment, capture_output=True,
                               check=False).returncode == 0
    return missing + ([] if has_plots else ["matplotlib"])


def run(command, folder, environment):
    """@return exit code, and the lines that a command prints."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    lines = done.stdout.splitlines()
    return done.returncode, [line for line in lines if not line.startswith('Running as user "root"')]


def main():
    build = pathlib.Path(sys.argv[1]).resolve().parent
    failures, commands = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        environment = get_environment(folder)
        missing = find_missing(environment)
        if missing:
            print("not installed:", *missing)
            sys.exit(SKIPPED)
        make_folder(folder, build)
        for language, caption, block, first in read_blocks():
            if caption:
                (folder / caption).write_text("\n".join(block) + "\n")
                continue
            if language != "console":
                continue
            for command, expected, line in read_commands(block, first):
                commands += 1
                code, printed = run(command, folder, environment)
                if code != 0 or expected == ["..."] or not is_as_expected(expected, printed):
                    failures += 1
                    print(f"{TUTORIAL.name}:{line}: $ {command}\nexit code {code}, expected:", *expected,
                          "printed:", *printed, sep="\n")
    print(commands, "commands,", failures, "failures")
    if failures or commands == 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
