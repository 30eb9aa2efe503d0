# SPDX-License-Identifier: Apache-2.0
# What generate.py and generate_triton.py share: edits of sources, case files, truth.json.
import ast
import difflib
import json
import sys

from corpus import sizes

LICENSE = "# SPDX-License-Identifier: Apache-2.0\n"


def replace_once(text, old, new, what):
    if text.count(old) != 1:
        sys.exit(f"{what}: the text to replace occurs {text.count(old)} times: {old!r}")
    return text.replace(old, new)


def edit_function(text, function, edits, what):
    """The file's text with edits inside one function; other lines keep their numbers unless an edit adds some."""
    node = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == function)
    lines = text.splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno
    body = "".join(lines[first:last])
    for old, new in edits:
        body = replace_once(body, old, new, what)
    return "".join(lines[:first]) + body + "".join(lines[last:])


def changed_lines(text, edited):
    """The lines of the edited text in which the two differ. Where lines were deleted: the neighbours."""
    before, after = text.splitlines(), edited.splitlines()
    lines = set()
    for tag, _, _, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "delete":
            lines |= {first, first + 1}
        elif tag != "equal":
            lines |= set(range(first + 1, last + 1))
    return sorted(line for line in lines if 1 <= line <= len(after))


def rows_json(truths):
    """A line for each pair or mutant, in the order of the pairs."""
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(truth)}" for name, truth in truths.items())
    return f"{{\n{rows}\n}}\n"


def launches_yaml(launches, renamed=None, suffix=".tileirbc"):
    """Launches as YAML; a kernel of another family, `../FAMILY/NAME.tileirbc`, is a file's name already."""

    def module(kernel):
        if kernel.startswith("../"):
            return kernel
        return (renamed[1] if renamed and kernel == renamed[0] else kernel) + suffix

    return "".join(
        f"    - {{module: {module(kernel)}, grid: {sizes(grid)}, args: [{', '.join(arguments)}]}}\n"
        for kernel, grid, arguments in launches
    )


def case_yaml(pair, title, names, launches, expect, suffix=".tileirbc", by="generate.py"):
    buffers = "".join(f"  {name}: {value}\n" for name, value in pair.buffers.items())
    parameters = ", ".join(f"{name}: {sizes(values)}" for name, values in pair.parameters.items())
    more = f"parameters: {{{parameters}}}\n" if parameters else ""
    tolerance = "tolerance: {ieee: {rtol: 1.0e-2, atol: 1.0e-2}}\n"
    if pair.finding and not pair.mutants:  # numbers may be far apart; nor is a mutant to be told by them
        tolerance = ""
    return (
        f"{LICENSE}# Written by verdicts/{by}.\ntitle: {title}\n{more}buffers:\n{buffers}variants:\n"
        f"  {names[0]}:\n{launches_yaml(pair.reference, suffix=suffix)}  {names[1]}:\n{launches}"
        f"compare: [{', '.join(pair.compare)}]\nexpect: {expect}\n"
        f"{tolerance}{pair.more}"
    )


def plain(title):
    """A title as YAML: quoted where it needs it."""
    return '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'
