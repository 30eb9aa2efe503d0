#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds functions that nobody calls and headers that nobody needs: find_unused.py BUILD-FOLDER

A function that is not static has to be used by another object of the build: of the product, or of tests if
scripts/only_tested.txt says why. An include of a project header has to be there for a name of that header. Prints
what is wrong, one line each; exit status 1 if there is something.
"""
import os, re, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PRODUCT = ("base/", "sanitizer/", "compiler/", "runtime/", "preload/", "report/", "diff/", "api/", "manual/", "bench/", "verdicts/", "examples/")
# What the system or other programs find by name.
OUTSIDE = re.compile(r"main$|cu[A-Z]\w*$|LLVMFuzzer|congruent_|dlsym$|_|\w+_(extra|impl|meta|ptr)$")  # the last: Criterion
# What other projects may call: whoever needs a function of these finds it.
PUBLIC = ("sanitizer/fpsan.h", "sanitizer/fpsan_llvm.h", "sanitizer/tower.h", "sanitizer/tower_llvm.h", "sanitizer/format/format.h",
          "compiler/tileir/tir.h", "base/host_print.h")


# ---- functions: what the objects of the build define and want


def objects(build):
    for folder, _, names in os.walk(build):
        yield from (os.path.join(folder, name) for name in names if name.endswith(".o"))


def source_of(path):
    return os.path.normpath(re.sub(r"CMakeFiles/[^/]+\.dir/(.*)\.o$", r"\1", path).replace("__/", "../"))


def symbols(build):
    """Of each function that is not static the source that has it, and of each name the sources that want it."""
    defined, wanted = {}, {}
    # Objects of sources that are gone may still lie about.
    files = sorted(path for path in objects(build)
                   if os.path.exists(os.path.join(ROOT, source_of(os.path.relpath(path, build)))))
    text = subprocess.run(["nm", "-A", "--format=posix"] + files, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in text.splitlines():
        path, name, kind = re.match(r"(.*?): (\S+) (\w)", line).groups()
        path = os.path.relpath(path, build)
        source = source_of(path)
        if kind in "TDBR":
            defined.setdefault(name, set()).add(source)
        elif kind == "U":
            wanted.setdefault(name, set()).add(source)
    return defined, wanted


def only_tested():
    """Names, and patterns of names, that only tests use, each with its reason."""
    rows = {}
    for line in open(os.path.join(ROOT, "scripts", "only_tested.txt")):
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(None, 1)
            rows[name] = reason
    return rows


def unused_functions(build):
    defined, wanted = symbols(build)
    allowed, taken = only_tested(), set()
    public = set(re.findall(r"\w+", " ".join(text_of(header) for header in PUBLIC)))
    for name, sources in sorted(defined.items(), key=lambda item: sorted(item[1])):
        users = wanted.get(name, set()) - sources
        if OUTSIDE.match(name) or name in public or any(user.startswith(PRODUCT) for user in users):
            continue
        source = sorted(sources)[0]
        if not source.startswith(PRODUCT) and users:
            continue
        row = next((pattern for pattern in allowed if re.fullmatch(pattern, name)), None)
        if row:
            taken.add(row)
        elif users:
            yield "%s: only tests use %s (%s)" % (source, name, ", ".join(sorted(users)[:3]))
        else:
            yield "%s: nobody else uses %s" % (source, name)
    for pattern in allowed.keys() - taken:
        yield "scripts/only_tested.txt: '%s' is no function that only tests use" % pattern


# ---- headers: for each include a name that it is there for

WORDS = ("if else for while do switch case return sizeof struct enum union typedef static const extern inline void int "
         "char bool unsigned long short double float size_t define include ifdef ifndef endif undef pragma default "
         "true false NULL name text").split()
TEXTS = {}


def text_of(path):
    if path not in TEXTS:
        text = open(os.path.join(ROOT, path), errors="replace").read()
        TEXTS[path] = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    return TEXTS[path]


def includes(path):
    for name in re.findall(r'^#include "([^"]+)"', text_of(path), re.M):
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        yield name, beside if os.path.exists(os.path.join(ROOT, beside)) else name


def names_of(header):
    """A pattern of what a header declares: names, and beginnings of names that tables complete."""
    text = text_of(header)
    outer = re.sub(r"\\\n", " ", text)
    names = set(re.findall(r"#\s*define\s+(\w+)", outer))
    names |= set(re.findall(r"\b(?:struct|enum|union)\s+(\w+)", outer))
    names |= set(re.findall(r"}\s*(\w+)\s*(?:\[[^\]]*\])?\s*[;=]", outer))
    names |= set(re.findall(r"\b(\w+)\s*\(", outer)) | set(re.findall(r"\btypedef\b[^;{]*?\b(\w+)\s*;", outer))
    names |= set(re.findall(r"\b(?:extern|static)\b[^;{(=]*?\b(\w+)\s*(?:\[[^\]]*\])*\s*[;=]", outer))
    for body in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", outer):
        names |= set(re.findall(r"\b([A-Za-z]\w*)\b(?=\s*(?:,|=|$))", body))
    begins = {b for b in re.findall(r"\b(\w+_)##", outer)}
    names = {n for n in names if n not in WORDS and not n.endswith("_H")}
    parts = [re.escape(n) for n in names] + [re.escape(b) + r"\w+" for b in begins]
    return re.compile(r"(?<![\w])(?:%s)(?!\w)" % "|".join(parts)) if parts else None


def unneeded_headers():
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.c", "*.h", "*.cc"], stdout=subprocess.PIPE, text=True).stdout.split()
    files = [f for f in files if os.path.exists(os.path.join(ROOT, f))]
    own = {f: dict(includes(f)) for f in files}
    users = {}  # of a header, who sees it
    for f in files:
        todo, seen = [f], set()
        while todo:
            for path in own.get(todo.pop(), {}).values():
                if path not in seen:
                    seen.add(path)
                    todo.append(path)
        for path in seen:
            users.setdefault(path, set()).add(f)
    patterns = {}
    def uses(path, header):
        if header not in patterns:
            patterns[header] = names_of(header)
        pattern = patterns[header]
        body = re.sub(r'^#include[^\n]*', "", text_of(path), flags=re.M)
        return not pattern or bool(pattern.search(body))
    for f in sorted(files):
        for name, header in own[f].items():
            if not header.endswith(".h") or header not in own:
                continue
            # What a header includes may be for those who include it.
            seen_by = {f} | (users.get(f, set()) if f.endswith(".h") else set())
            # A header that only gathers others is needed for them.
            given = [header] + [h for h in own[header].values() if h in own and len(text_of(header)) < 4000]
            if not any(uses(u, g) for u in seen_by for g in given):
                yield "%s: needs nothing of %s" % (f, name)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(unused_functions(os.path.abspath(sys.argv[1]))) + list(unneeded_headers())
    print("\n".join(found) or "no unused functions or headers")
    return 1 if found else 0


sys.exit(main())
