#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs the code blocks of Markdown pages as their reader would: run_docs.py FPDIFF SOURCES PAGE.md...
"""Each fenced block has a mark in the line above it, which a page does not show:

    <!-- file NAME -->          the block is a file of the page's folder
    <!-- run -->                commands: lines that begin with "$ " and the output below each; or a script without "$"
    <!-- run, status N -->      the same, of which one ends with status N (others with 0)
    <!-- output of COMMAND -->  what a command prints
    <!-- within PATH -->        an excerpt of a file of the sources, or of one that the page wrote
    <!-- workflow -->           a workflow of GitHub: the commands of its steps `run` are run, one after the other
    <!-- parsed yaml|json|python|c -->  something that is read without an error, because it cannot be run here
    <!-- shown: REASON -->      no code: a picture, a grammar, output that depends on the machine

Blocks that are indented by four have the mark in front of them, too. "..." in expected output stands for any text, and
lines may be folded: white space counts as one space.

A page has a folder of its own, with `$CONGRUENT` for the sources, and programs of the build and of the Python that runs
this on the PATH. `python3 -m venv` gives that Python's packages, and `pip install` of packages only checks that they are
there, so that nothing is fetched."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MARK = re.compile(r"^<!-- (file|run|output of|within|workflow|parsed|shown)\b[:,]? ?(.*?) -->$")
TIMEOUT = 300

VENV = """#!/bin/sh
# python3 -m venv FOLDER: this Python's packages, without fetching any
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3" && ln -sfn {bin} "$3/bin"; exit; fi
exec {python} "$@"
"""
PIP = """#!/bin/sh
exec {python} {checker} "$@"
"""
PIP_CHECKER = """
import re, sys
from importlib.metadata import PackageNotFoundError, version
words = sys.argv[1:]
if words[:1] != ["install"]:
    sys.exit(f"pip {' '.join(words)}: only install stands in here")
for word in words[1:]:
    if word.startswith("-"):
        continue
    name, _, wanted = word.partition("==")
    if word.endswith(".whl"):
        if not re.fullmatch(r"(.*/)?congruent_gpu-[\\d.]+-py3-none-manylinux_\\d+_\\d+_x86_64\\.whl", word):
            sys.exit(f"{word}: no wheel of this project")
        continue
    try:
        found = version(name)
    except PackageNotFoundError:
        sys.exit(f"{name} is not installed here: tests/docs/requirements.txt lacks it")
    if wanted and found != wanted:
        sys.exit(f"{name} is {found} here, the page says {wanted}")
"""


class Wrong(Exception):
    """What is wrong with a block."""


class Block:
    def __init__(self, page, line, language, mark, text):
        self.page, self.line, self.language, self.mark, self.text = page, line, language, mark, text


def blocks_of(page):
    """The fenced and the indented blocks of a page, each with the mark above it or None."""
    lines = page.read_text().split("\n")
    found, number = [], 0
    while number < len(lines):
        line = lines[number]
        above = lines[number - 1] if number else ""
        if line.startswith("```"):
            end = next(k for k in range(number + 1, len(lines)) if lines[k] == "```")
            found.append(Block(page, number + 1, line[3:].strip(), above, "\n".join(lines[number + 1 : end]) + "\n"))
            number = end
        elif line.startswith("    ") and line.strip() and not above.strip():
            marked = lines[number - 2] if number > 1 else ""
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            text = "\n".join(part[4:] for part in lines[number:end]).rstrip("\n") + "\n"
            if not re.match(r"^\s*([-*]|\d+\.) ", marked) and not in_list(lines, number):
                found.append(Block(page, number + 1, "", marked, text))
            number = end - 1
        number += 1
    return found


def in_list(lines, number):
    """Whether an indented line belongs to an item of a list."""
    for line in reversed(lines[:number]):
        if line.strip() and not line.startswith(" "):
            return bool(re.match(r"([-*]|\d+\.) ", line))
    return False


def same(expected, found):
    """Whether text is as expected: white space as one space, "..." as any text."""
    parts = [re.escape(" ".join(part.split())) for part in expected.split("...")]
    return re.fullmatch(r"\s*" + r".*?".join(parts).replace(r"\ ", " ") + r"\s*", " ".join(found.split())) is not None


class Page:
    """The folder and the environment in which a page's blocks run."""

    def __init__(self, path, fpdiff, sources, folder):
        self.path, self.sources, self.folder = path, sources, folder
        tools = folder / ".tools"
        tools.mkdir()
        self.tool(tools / "python3", VENV.format(bin=shlex.quote(str(tools)), python=shlex.quote(sys.executable)))
        os.symlink("python3", tools / "python")
        (tools / "checker.py").write_text(PIP_CHECKER)
        pip = PIP.format(python=shlex.quote(sys.executable), checker=shlex.quote(str(tools / "checker.py")))
        self.tool(tools / "pip", pip)
        for name in ("pytest",):
            self.tool(tools / name, f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {name} "$@"\n')
        for program in sorted(fpdiff.parent.glob("*")):
            if program.name in ("fpdiff", "tileiras"):
                os.symlink(program, tools / program.name)
        self.work = folder / "work"
        self.work.mkdir()
        self.environment = {
            **os.environ,
            "CONGRUENT": str(sources),
            "PYTHONPATH": str(sources / "python"),
            "CONGRUENT_LIBRARY": str(fpdiff.parent.parent / "lib" / "libcongruent.so"),
            "CONGRUENT_CACHE": "off",
            "PATH": f"{tools}:{os.environ['PATH']}",
            "COLUMNS": "80",
        }

    @staticmethod
    def tool(path, text):
        path.write_text(text)
        path.chmod(0o755)

    def shell(self, command):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.work,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
        return done.returncode, done.stdout

    # ---- kinds of blocks
    def do_file(self, block, name):
        path = self.work / name
        if not path.resolve().is_relative_to(self.work.resolve()):
            raise Wrong(f"{name} is outside the page's folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)

    def do_run(self, block, rest):
        allowed = int(rest.removeprefix("status")) if rest else 0
        statuses = []
        for command, expected in commands_of(block.text):
            status, printed = self.shell(command)
            statuses.append(status)
            if status not in (0, allowed):
                raise Wrong(f"$ {command}\nends with status {status}:\n{printed}")
            if expected is not None and not same(expected, printed):
                raise Wrong(f"$ {command}\nprints\n{printed}\nthe page says\n{expected}")
        if allowed and allowed not in statuses:
            raise Wrong(f"no command ends with status {allowed}")

    def do_output_of(self, block, command):
        _, printed = self.shell(command)
        if not same(block.text, printed):
            raise Wrong(f"$ {command}\nprints\n{printed}\nthe page says\n{block.text}")

    def do_within(self, block, name):
        path = next((p for p in (self.work / name, self.sources / name) if p.is_file()), None)
        if path is None:
            raise Wrong(f"there is no file {name}")
        if not same("..." + block.text + "...", path.read_text()):
            raise Wrong(f"{name} does not have this text")

    def do_workflow(self, block, rest):
        import yaml

        jobs = yaml.safe_load(block.text)["jobs"]
        for job in jobs.values():
            for step in job["steps"]:
                if "uses" in step:
                    if not re.fullmatch(r"[\w./-]+@[\w.]+", step["uses"]):
                        raise Wrong(f"uses: {step['uses']} has no version")
                    continue
                status, printed = self.shell(step["run"])
                if status:
                    raise Wrong(f"{step['run']}\nends with status {status}:\n{printed}")

    def do_parsed(self, block, language):
        if language == "yaml":
            import yaml

            yaml.safe_load(block.text)
        elif language == "json":
            json.loads(block.text)
        elif language == "python":
            ast.parse(block.text)
        elif language == "c":
            include = [f"-I{self.sources}", f"-I{self.sources / 'api'}"]
            done = subprocess.run(
                ["cc", "-fsyntax-only", *include, "-x", "c", "-"], input=block.text, capture_output=True, text=True
            )
            if done.returncode:
                raise Wrong(done.stderr)
        else:
            raise Wrong(f"'{language}' is none of yaml, json, python, c")

    def do_shown(self, block, reason):
        if len(reason) < 5:
            raise Wrong("a block that is only shown needs a reason")


def commands_of(text):
    """Pairs of a command and what it prints (None: any). A command goes on behind a \\ at the end of a line."""
    lines = text.split("\n")
    if not any(line.startswith("$ ") for line in lines):
        return [(text, None)]
    found, number = [], 0
    while number < len(lines):
        if not lines[number].startswith("$ "):
            raise Wrong(f"there is no command above: {lines[number]}")
        command = lines[number][2:]
        while command.endswith("\\"):
            number += 1
            command = command[:-1] + lines[number]
        number += 1
        begin = number
        while number < len(lines) and not lines[number].startswith("$ "):
            number += 1
        output = "\n".join(lines[begin:number])
        found.append((command, output if output.strip() else None))
    return found


def check_page(path, fpdiff, sources):
    """How many blocks of each kind; what is wrong, as texts."""
    counts, errors = {}, []
    with tempfile.TemporaryDirectory(prefix="congruent-docs-") as folder:
        page = Page(path, fpdiff, sources, Path(folder))
        for block in blocks_of(path):
            where = f"{path.relative_to(sources)}:{block.line}"
            mark = MARK.match(block.mark)
            if not mark:
                errors.append(f"{where}: a block without a mark (tests/docs/run_docs.py says which there are)")
                continue
            kind, rest = mark.groups()
            counts[kind] = counts.get(kind, 0) + 1
            try:
                getattr(page, "do_" + kind.replace(" ", "_"))(block, rest)
            except (Wrong, SyntaxError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                errors.append(f"{where}: {error}")
    return counts, errors


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    fpdiff, sources = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    failed = 0
    for name in sys.argv[3:]:
        counts, errors = check_page((sources / name).resolve(), fpdiff, sources)
        failed += len(errors)
        print(f"{name}: {', '.join(f'{count} {kind}' for kind, count in sorted(counts.items())) or 'no blocks'}", flush=True)
        for error in errors:
            print(f"  {error}", flush=True)
    if shutil.which("fpdiff") is None and not fpdiff.exists():
        sys.exit(f"{fpdiff} is missing")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
