#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deletes each row of the project's tables in turn and says what notices (README.md, here).

delete_rows.py [options] [TABLE...]
  TABLE      FILE.def, FILE.c:LIST (rows of a list macro) or FILE.c:ARRAY (its initialiser); without one: all of them
  --tests=RE   the tests that may notice, as a regular expression for ctest, instead of STAGES; empty: rows that build
               are said to build
  --rows=A:B   only rows A to B-1 of each table
  --out=FILE   the results as a table with tabs, appended row by row
  --jobs=N     processes at once (2)
"""
import json, os, re, shutil, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build", "delete_rows")
TREE, BUILD = os.path.join(WORK, "tree"), os.path.join(WORK, "tree", "build", "release")
# Tables that are not .def files. The .def files outside tests/ and bench/ are found.
LISTS = """
base/host_sites.def
compiler/lower/float_op.c:ROUNDING_WORDS
compiler/numeric/numeric.h:FLOAT_DEFINITIONS
sanitizer/tower_emit_internal.h:TOWER_RULES
diff/case_internal.h:KEY_MAPPINGS
diff/case_internal.h:KEY_VALUES
diff/judge.h:FPD_VACUOUS_KINDS
diff/options.h:FPD_COMMANDS
diff/report_internal.h:TEXT_STYLES
compiler/lower/float_op.c:attribute_rows
compiler/lower/memory_atomic.c:ATOMIC_MODES
compiler/numeric/shadow_rules.c:SHADOW_RULES
compiler/tileir/format.h:SECTIONS
compiler/tileir/format.h:DEBUG_TAGS
compiler/tileiras.c:EMIT_KINDS
runtime/simt_message.c:SIMT_FAULTS
runtime/simt_mma.c:OPERAND_ROWS
""".split()
# What may notice, in this order: tables, what is built for it, tests (a regular expression for ctest). Where nothing is
# built, all is. A test that begins with bin/ is a command instead.
STAGES = [
    ("sanitizer/format/", "test_sanitizer", "bin/test_sanitizer --filter '@(formats|profile)/*'"),
    ("compiler/target/", "test_target", "bin/test_target --filter 'tables/*'"),
    ("compiler/target/simt", "test_target", "bin/test_target --jobs 2 --filter 'simt/*'"),
    ("compiler/target/(matrix|directed)", "test_numeric", "bin/test_numeric --jobs 2 --filter 'gpu/*'"),
    ("base/|runtime/simt", "test_runtime test_base test_target test_compiler backend", "^(base|runtime|target|compiler)$"),
    ("runtime/cuda|preload/", "test_cuda test_preload cutile_preload fpdiff backend", "^(cuda|preload)"),
    ("compiler/compile_options", "test_diff", "bin/test_diff --filter 'compile_key/*'"),
    ("compiler/(options|tileiras)", "tileiras backend", "^tileiras"),
    ("diff/", "test_diff fpdiff backend", "^(diff|bad/|cases/unspecified)"),
    ("sanitizer/", "fpsan_alone test_tileir", "^(fpsan_alone|tileir)$"),
    ("compiler/tileir/", "test_tileir corpus generate", "^(tileir|corpus|generate)$"),
    ("compiler/target/", "test_target test_compiler tileiras backend", "^(target|compiler|tileiras)"),
    ("compiler/|sanitizer/", "ops_table fpdiff backend", "^ops_table|^cases/(ops|atomics|algebra|elementwise)/"),
    ("compiler/target/", "case_ways assemble backend", "^(simt|cpus)/cases/|^gpu_"),
    ("sanitizer/", "test_sanitizer check_vectors", "^(sanitizer|triton)"),
    ("", "", "^(lower|numeric|accuracy|robustness|fuzz|corpus|generate|cuda|verdicts|bench|examples/|cases/|bad/)"),
]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)


def closing(text, at):
    """Where the bracket that `text` has at `at` is closed; strings, characters and comments are stepped over."""
    depth = 0
    token = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//[^\n]*|/\*.*?\*/|[(){}\[\]]', re.S)
    for found in token.finditer(text, at):
        if found.group() in "({[":
            depth += 1
        elif found.group() in ")}]":
            depth -= 1
            if not depth:
                return found.end()
    raise ValueError("a bracket is not closed")


def calls(text, begin, end, start):
    """The calls NAME(...) at the places where `start` matches: their names and extents."""
    rows = []
    at = begin
    while found := start.search(text, at, end):
        stop = closing(text, found.end() - 1)
        rows.append((found.start(1), stop))
        at = stop
    return rows


def rows_of(table):
    """The rows of a table: file and, for each, where it begins and ends."""
    path, _, name = table.partition(":")
    text = open(os.path.join(ROOT, path)).read()
    if not name:
        rows = calls(text, 0, len(text), re.compile(r"^([A-Z][A-Z_]*\()", re.M))
        inner = []
        for begin, end in rows:  # enums.def: words in their enumeration
            words = calls(text, begin + 1, end, re.compile(r"\b(W\()"))
            inner += words
        return path, text, inner + [row for row in rows if not text.startswith("TIR_ENUM", row[0])] if inner else rows
    found = re.search(r"#define %s\((\w+)\)" % name, text)
    if found:
        end = re.compile(r"(?<!\\)\n").search(text, found.end()).start()
        return path, text, calls(text, found.end(), end, re.compile(r"\b(%s\()" % found.group(1)))
    found = re.search(r"\b%s\[\w*\] = \{" % name, text)
    end = closing(text, found.end() - 1)
    rows, at = [], found.end()
    while (at := text.find("{", at, end)) >= 0:
        stop = closing(text, at)
        rows.append((at, stop + (text[stop] == ",")))
        at = stop
    return path, text, rows


def title(text, begin, end):
    return re.sub(r"\s+", " ", text[begin:end])[:60]


class Tree:
    """A copy of the working tree, built."""

    def __init__(self, jobs):
        self.jobs = jobs
        files = run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"]).stdout.split("\n")
        wanted = {f for f in files if f and os.path.isfile(os.path.join(ROOT, f))}
        os.makedirs(TREE, exist_ok=True)
        for f in sorted(wanted):
            source, target = os.path.join(ROOT, f), os.path.join(TREE, f)
            if os.path.exists(target) and open(source, "rb").read() == open(target, "rb").read():
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
        for folder, folders, names in os.walk(TREE):
            if folder == TREE:
                folders.remove("build") if "build" in folders else None
            for name in names:
                if os.path.relpath(os.path.join(folder, name), TREE) not in wanted:
                    os.remove(os.path.join(folder, name))
        print("building", TREE, file=sys.stderr)
        made = run(["cmake", "--preset", "release"], cwd=TREE)
        if made.returncode == 0:
            made = self.build([])
        if made.returncode:
            sys.exit(made.stdout)
        commands = json.load(open(os.path.join(BUILD, "compile_commands.json")))
        self.commands = {os.path.relpath(c["file"], TREE): c["command"] for c in commands}
        self.sources = {}  # of each header or table the sources that include it
        depends = run(["ninja", "-C", BUILD, "-t", "deps"]).stdout
        for block in depends.split("\n\n"):
            lines = [os.path.relpath(os.path.join(BUILD, l.strip()), TREE) for l in block.split("\n")[1:] if l.strip()]
            source = next((l for l in lines if l in self.commands), None)
            for line in lines:
                if source:
                    self.sources.setdefault(line, set()).add(source)

    def build(self, targets):
        return run(["ninja", "-C", BUILD, "-j", str(self.jobs), "-k", "1"] + targets)

    def check(self, source):
        """The first error of a source, or nothing. Only looked at, not compiled."""
        command = re.sub(r" -o \S+ -c ", " -Werror -fsyntax-only -c ", self.commands[source])
        command = re.sub(r"^\S*ccache ", "", command)
        result = run(command, shell=True, cwd=BUILD)
        return first_error(result.stdout) if result.returncode else None

    def includers(self, path, row):
        """The sources that see the file; first those that include it themselves, then those that name the row."""
        direct = '#include "%s"' % path
        uses = re.compile("_(%s)\\b" % "|".join(re.findall(r"\w+", row)[1:3]))
        names = self.sources.get(path, set()) | ({path} if path in self.commands else set())
        def cost(source):
            text = open(os.path.join(TREE, source)).read()
            return (direct not in text, -len(set(uses.findall(text))), len(text))
        return sorted(names, key=cost)


def first_error(output):
    for line in output.split("\n"):
        if found := re.search(r"(?:\.\./)*([\w./]+:\d+):\d+: (?:fatal )?error: (.*)", line):
            return "%s: %s" % (os.path.relpath(found.group(1), TREE) if found.group(1)[0] == "/" else found.group(1), found.group(2))
        if re.search(r"undefined reference|multiple definition", line):
            return re.sub(r".*(undefined|multiple)", r"\1", line)
    return output.strip().split("\n")[-1]


def failed_test(output):
    if found := re.search(r"\[FAIL\].*?(\w+::\w+)", output):  # of Criterion
        return found.group(1)
    found = re.search(r"\d+ - (\S+) \((\w+)", output)  # of ctest
    return "%s (%s)" % found.groups() if found else None


def notices(tree, path, row, stages):
    """What notices the change of a file in the tree."""
    sources = tree.includers(path, row)
    with ThreadPoolExecutor(tree.jobs) as pool:
        for at in range(0, len(sources), tree.jobs):
            for error in pool.map(tree.check, sources[at:at + tree.jobs]):
                if error:
                    return "build fails: " + error
    if not stages:
        return "builds"
    for pattern, targets, tests in stages:
        if not re.search("^(%s)" % pattern, path):
            continue
        built = tree.build(targets.split())
        if built.returncode:
            return "build fails: " + first_error(built.stdout)
        if tests.startswith("bin/"):
            result = run(tests, shell=True, cwd=BUILD)
        else:
            result = run(["ctest", "--test-dir", BUILD, "--stop-on-failure", "-j", str(tree.jobs), "-R", tests, "--timeout", "300"])
        if result.returncode:
            return "test fails: " + (failed_test(result.stdout) or result.stdout[-200:])
    return "SURVIVED"


def main(arguments):
    tables, stages, jobs, out = [], STAGES, 2, None
    first, last = 0, None
    for argument in arguments:
        if argument.startswith("--tests="):
            stages = [("", "", argument[8:])] if argument[8:] else []
        elif argument.startswith("--jobs="):
            jobs = int(argument[7:])
        elif argument.startswith("--out="):
            out = open(argument[6:], "a")
        elif argument.startswith("--rows="):
            first, last = (int(n) if n else None for n in argument[7:].split(":"))
        elif argument.startswith("-"):
            sys.exit(__doc__)
        else:
            tables.append(argument)
    if not tables:
        files = run(["git", "-C", ROOT, "ls-files", "*.def"]).stdout.split()
        tables = [f for f in files if not f.startswith(("tests/", "bench/"))]
        tables += [t for t in LISTS if t not in tables]
    tree, survived, summary = Tree(jobs), 0, []
    for table in tables:
        path, text, rows = rows_of(table)
        target, counts = os.path.join(TREE, path), {"build": 0, "test": 0, "SURVIVED": 0, "builds": 0}
        for begin, end in rows[first or 0:last]:
            tail = end
            # A row alone on its lines goes with them, and with the comment behind it.
            if rest := re.compile(r"[ \t]*(?://[^\n]*)?\n").match(text, end):
                line = text.rfind("\n", 0, begin) + 1
                if not text[line:begin].strip() and not text[begin:end].startswith("W("):
                    begin, tail = line, rest.end()
                    if goes_on := re.search(r"[ \t]*\\\n\Z", text[:begin]):  # the last row of a list macro
                        begin, tail = goes_on.start(), tail - 1
            try:
                open(target, "w").write(text[:begin] + text[tail:])
                result = notices(tree, path, text[begin:end], stages)
            finally:
                open(target, "w").write(text)
            counts[result.split(" ")[0]] += 1
            print("\t".join((table, title(text, begin, end), result)), flush=True)
            if out:
                print("\t".join((table, title(text, begin, end), result)), file=out, flush=True)
        summary.append("%-50s %4d rows: %4d fail to build, %4d fail a test, %d survive" %
                       (table, len(rows[first or 0:last]), counts["build"], counts["test"], counts["SURVIVED"] + counts["builds"]))
        survived += counts["SURVIVED"]
    print("\n".join(summary))
    return 1 if survived else 0


sys.exit(main(sys.argv[1:]))
