#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What must hold of the project's text: lines of Markdown, but for rows of tables, and of .def files have at most 100
columns; files of ours that docs and the headings of headers name exist. Prints what does not and ends with status 1."""
import os
import re
import subprocess
import sys

COLUMNS = 100
READERS = {"swiglu.py"}  # files of the reader of a page
SOURCE = r"[\w.*/-]*\w\.(?:c|h|def|py|sh)"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.split("\n")
    paths, names = set(files), {os.path.basename(path) for path in files}
    problems = []

    def exists(named, folder):
        if named in READERS or re.search(r"[A-Z]{3}", named):  # FAMILY/FAMILY.py: any
            return True
        if "*" in named:
            pattern = re.compile(re.escape(os.path.basename(named)).replace(r"\*", ".*") + "$")
            return any(pattern.match(name) for name in names)
        if named in paths or os.path.normpath(os.path.join(folder, named)) in paths:
            return True
        return any(path.endswith("/" + named) for path in paths)

    for path in files:
        if not path.endswith((".md", ".def", ".h", ".c")) or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        written = re.findall(r"^<!-- file (\S+) -->$", text, re.M)  # by the reader of the page (tests/docs)
        for number, line in enumerate(lines, 1):
            if path.endswith((".md", ".def")) and len(line) > COLUMNS and not line.startswith(("| ", "<!-- ")):
                problems.append(f"{path}:{number}: {len(line)} columns, allowed are {COLUMNS}")
            if path.endswith(".md") and "/tests/" not in "/" + path and not path.startswith("examples/"):
                named = re.findall(rf"`({SOURCE})`", line)
            elif path.endswith((".h", ".c")) and line.startswith("// ---- "):
                named = re.findall(rf"(?<![\w/])({SOURCE})(?=[,:) ]|$)", line)
            else:
                continue
            for name in named:
                if name not in written and not exists(name, os.path.dirname(path)):
                    problems.append(f"{path}:{number}: there is no {name}")
    print("\n".join(problems), end="\n" if problems else "")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
