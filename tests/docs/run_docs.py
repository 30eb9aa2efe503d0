#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs the code blocks of Markdown pages as their reader would: run_docs.py FPDIFF SOURCES PAGE.md...
"""Each block of code, fenced or indented, has a mark above it, which a page does not show:

    <!-- file NAME -->             the block is a file of the page's folder, which something below reads
    <!-- run -->                   commands: lines that begin with "$ " and the output below each; or a script without "$"
    <!-- run, status N -->         the same, of which one ends with status N (others with 0)
    <!-- run, needs PROGRAM -->    the same; where there is no such program, or module of Python, it is only parsed
    <!-- output of COMMAND -->     what a command prints
    <!-- in output of COMMAND -->  a part of what a command prints
    <!-- within PATH -->           an excerpt of a file of the sources, or of one that the page wrote
    <!-- piece of CASE -->         keys of a case: put in place of those of that file, `fpdiff show` takes the whole
    <!-- workflow -->              a workflow of GitHub: its steps `run` are run, one after the other, for all of a matrix
    <!-- parsed yaml|json|python|c|sh -->  something that cannot be run here is read without an error; of a script also: its
                                   programs with a path exist, and what it asks `make` for
    <!-- shown: REASON -->         no code: a picture, a grammar, output that depends on the machine

Three comments stand anywhere, for what a page needs and does not show: a command, the files of another page, and a file
without a block below:

    <!-- first COMMAND -->
    <!-- files of PAGE -->
    <!-- file NAME
    ...
    -->

"..." in expected output stands for any text, and lines may be folded: white space counts as one space. A mark may have
several lines.

A page has a folder of its own, with `$PROJECT` for the sources with `build/release`, which is the build that is tested,
and programs of the build and of the Python that runs this on the PATH, as are programs of the folder `bin` that the page
writes. `python3 -m venv` gives that Python's packages, and `pip install` of packages only checks that they are there, so
that nothing is fetched."""

import ast
import importlib.util
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from markdown_it import MarkdownIt

KINDS = ("files of", "file", "run", "output of", "in output of", "within", "piece of", "workflow", "parsed", "shown", "first")
MARK = re.compile(rf"<!-- ({'|'.join(KINDS)})\b[:,]? ?(.*?) ?-->\s*", re.S)
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
    def __init__(self, line, mark, text):
        self.line, self.mark, self.text = line, mark, text


def blocks_of(page):
    """The blocks of code of a page, each with the comment above it or None; and hidden commands and files."""
    found, comment = [], None
    for token in MarkdownIt("commonmark").parse(page.read_text()):
        if token.type in ("fence", "code_block"):
            found.append(Block(token.map[0] + 1, comment.content if comment else "", token.content))
            comment = None
            continue
        if comment and MARK.match(comment.content):
            found.append(Block(comment.map[0] + 1, comment.content, None))
        comment = token if token.type == "html_block" else None
    if comment and MARK.match(comment.content):
        found.append(Block(comment.map[0] + 1, comment.content, None))
    return found


def difference(expected, found):
    """None if text is as expected: white space as one space, "..." as any text. Else the words that are not there."""
    parts = [" ".join(part.split()) for part in expected.split("...")]
    found, at = " ".join(found.split()), 0
    for number, part in enumerate(parts):
        if number == len(parts) - 1:
            begin = len(found) - len(part) if len(parts) > 1 else 0
            where = begin if found[begin:] == part and begin >= at else -1
        else:
            where = found.find(part, at) if number else 0 if found.startswith(part) else -1
        if where < 0:
            near = found[at:] if number else found[: len(part)]
            there = next(k for k in range(len(part), -1, -1) if (part[:k] in near if number else near.startswith(part[:k])))
            return f"{part[:there][-60:]}>>>{part[there:][:60]}<<<"
        at = where + len(part)
    return None


class Page:
    """The folder and the environment in which a page's blocks run."""

    def __init__(self, fpdiff, sources, folder):
        self.sources, self.folder = folder / "congruent", folder
        (self.sources / "build").mkdir(parents=True)
        for entry in sources.iterdir():
            if entry.name not in ("build", ".git"):
                os.symlink(entry, self.sources / entry.name)
        os.symlink(fpdiff.parent.parent, self.sources / "build" / "release")
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
        self.artifacts = folder / "artifacts"
        self.artifacts.mkdir()
        self.environment = {
            **os.environ,
            "PROJECT": str(self.sources),
            "PYTHONPATH": str(self.sources / "python"),
            "CONGRUENT_LIBRARY": str(fpdiff.parent.parent / "lib" / "libcongruent.so"),
            "CONGRUENT_CACHE": "off",
            "PATH": f"{self.work / 'bin'}:{tools}:{os.environ['PATH']}",
            "PYTEST_PLUGINS": "congruent_gpu.pytest_plugin",  # as where the wheel is installed
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
    def do_file(self, text, name):
        if text is None:
            name, text = name.split("\n", 1)
        path = self.work / name
        if not path.resolve().is_relative_to(self.work.resolve()):
            raise Wrong(f"{name} is outside the page's folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)

    def do_files_of(self, _, page):
        for block in blocks_of(self.sources / page):
            mark = MARK.fullmatch(block.mark)
            if mark and mark.group(1) == "file" and block.text is not None:
                self.do_file(block.text, mark.group(2))

    def do_first(self, _, command):
        status, printed = self.shell(command)
        if status:
            raise Wrong(f"$ {command}\nends with status {status}:\n{printed}")

    def do_run(self, text, rest):
        allowed, statuses = 0, []
        for word, value in (part.split() for part in rest.split(",") if part):
            if word == "status":
                allowed = int(value)
            elif word == "needs":
                if not shutil.which(value) and not importlib.util.find_spec(value):
                    return self.do_parsed(text, "sh")
            else:
                raise Wrong(f"'{word}' is neither status nor needs")
        for command, expected in commands_of(text):
            status, printed = self.shell(command)
            statuses.append(status)
            if status not in (0, allowed):
                raise Wrong(f"$ {command}\nends with status {status}:\n{printed}")
            if expected is not None:
                self.compare(command, expected, printed)
        if allowed and allowed not in statuses:
            raise Wrong(f"no command ends with status {allowed}")

    def do_output_of(self, text, command):
        self.compare(command, text, self.shell(command)[1])

    def do_in_output_of(self, text, command):
        self.compare(command, f"...{text}...", self.shell(command)[1])

    @staticmethod
    def compare(command, expected, printed):
        if not expected.replace(".", "").strip():
            raise Wrong(f"$ {command}\nany output would do")
        wrong = difference(expected, printed)
        if wrong is not None:
            raise Wrong(f"$ {command}\nprints\n{printed}\nthe page says, first of what is not there\n{wrong}")

    def find(self, name):
        path = next((p for p in (self.work / name, self.sources / name) if p.is_file()), None)
        if path is None:
            raise Wrong(f"there is no file {name}")
        return path

    def do_within(self, text, name):
        wrong = difference(f"...{text}...", self.find(name).read_text())
        if wrong is not None:
            raise Wrong(f"{name} does not have this text: {wrong}")

    def do_piece_of(self, text, name):
        case = yaml.load(self.find(name).read_text(), yaml.BaseLoader)
        for key, value in yaml.load(text, yaml.BaseLoader).items():
            case[key] = {**case[key], **value} if key == "buffers" and key in case else value
        (self.work / "piece.yaml").write_text(yaml.safe_dump(case, default_flow_style=True, sort_keys=False, width=1000))
        status, printed = self.shell("fpdiff show piece.yaml")
        if status:
            raise Wrong(printed)

    def do_workflow(self, text, _):
        jobs = yaml.safe_load(text)["jobs"]
        for job in jobs.values():
            matrix = job.get("strategy", {}).get("matrix", {})
            for values in itertools.product(*matrix.values()):
                values = dict(zip(matrix, values))
                steps = substituted(json.dumps(job["steps"]), "matrix", values)
                for step in json.loads(substituted(steps, "steps.fpdiff.outputs", {"reports": "fpdiff-reports"})):
                    self.step(step)

    def step(self, step):
        name, _, commit = step.get("uses", "@run").partition("@")
        options = step.get("with", {})
        if not name:
            self.do_first(None, step["run"])
        elif not re.fullmatch(r"[\w.]+", commit):
            raise Wrong(f"uses: {name} has no version")
        elif name == "actions/upload-artifact":
            self.do_first(None, f"mkdir -p ../artifacts/{options['name']} && cp -r {options['path']} ../artifacts/{options['name']}")
        elif name == "actions/download-artifact":
            self.do_first(None, "cp -r ../artifacts/* .")
        elif name == "OWNER/congruent":
            inputs = yaml.safe_load((self.sources / "action.yml").read_text())["inputs"]
            if not set(options) <= set(inputs):
                raise Wrong(f"action.yml has no {set(options) - set(inputs)}")
            variables = [f"FPDIFF_{key.upper()}={shlex.quote(value)}" for key, value in options.items()]
            self.do_first(None, f"env {' '.join(variables)} $PROJECT/scripts/ci.sh run")

    def do_parsed(self, text, language):
        if language == "yaml":
            yaml.safe_load(text)
        elif language == "json":
            json.loads(text)
        elif language == "python":
            ast.parse(text)
        elif language in ("c", "sh"):
            include = [f"-I{self.sources}", f"-I{self.sources / 'api'}"]
            command = ["bash", "-n"] if language == "sh" else ["cc", "-fsyntax-only", *include, "-x", "c", "-"]
            done = subprocess.run(command, input=text, capture_output=True, text=True)
            if done.returncode or done.stderr:
                raise Wrong(done.stderr)
            for line in text.replace("\\\n", " ").split("\n") if language == "sh" else ():
                self.look_at(shlex.split(line, comments=True))
        else:
            raise Wrong(f"'{language}' is none of yaml, json, python, c, sh")

    def look_at(self, words):
        """Of a command that is not run: its program exists, as do targets of make."""
        words = [word for word in words if not re.match(r"[A-Z_]+=", word) or words[0] == "make"]
        if words[:1] == ["make"]:
            self.do_first(None, f"make -n -C $PROJECT {shlex.join(words[1:])}")
        elif words and "/" in words[0] and "$" not in words[0]:
            self.find(words[0])

    def do_shown(self, _, reason):
        if len(reason) < 5:
            raise Wrong("a block that is only shown needs a reason")


def substituted(text, name, values):
    """Text with ${{ NAME.KEY }} replaced."""
    return re.sub(rf"\${{{{ *{name}\.(\w+) *}}}}", lambda found: str(values[found[1]]), text)


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


def check_page(name, fpdiff, sources):
    """How many blocks of each kind; what is wrong, as texts."""
    counts, errors = {}, []
    blocks = blocks_of(sources / name)
    with tempfile.TemporaryDirectory(prefix="congruent-docs-") as folder:
        page = Page(fpdiff, sources, Path(folder))
        for number, block in enumerate(blocks):
            where = f"{name}:{block.line}"
            mark = MARK.fullmatch(block.mark)
            kind, rest = mark.groups() if mark else ("first", "")
            hidden = kind in ("first", "files of") or (kind == "file" and "\n" in rest)
            if block.text is not None and hidden:
                errors.append(f"{where}: a block without a mark (tests/docs/run_docs.py says which there are)")
                continue
            if block.text is None and not hidden:
                errors.append(f"{where}: there is no block below this mark")
                continue
            if not hidden:
                counts[kind] = counts.get(kind, 0) + 1
                rest = " ".join(rest.split())
            later = "".join(f"{other.mark}{other.text}" for other in blocks[number + 1 :])
            if kind == "file" and not hidden and Path(rest).stem not in later:
                errors.append(f"{where}: nothing below reads the file {rest}")
            try:
                getattr(page, "do_" + kind.replace(" ", "_"))(block.text, rest)
            except (Wrong, SyntaxError, ValueError, KeyError, yaml.YAMLError, subprocess.TimeoutExpired) as error:
                errors.append(f"{where}: {error}")
    return counts, errors


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    fpdiff, sources = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if not fpdiff.exists():
        sys.exit(f"{fpdiff} is missing")
    failed = 0
    for name in sys.argv[3:]:
        counts, errors = check_page(name, fpdiff, sources)
        failed += len(errors)
        print(f"{name}: {', '.join(f'{count} {kind}' for kind, count in sorted(counts.items())) or 'no blocks'}", flush=True)
        for error in errors:
            print(f"  {error}", flush=True)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
