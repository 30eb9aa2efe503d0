# SPDX-License-Identifier: Apache-2.0
# Mistakes in the synchronisation of TTGIR: every place of every kind, and what fpdiff says of a sample.
"""python mutate.py FPDIFF FOLDER... [--draw 150] [--seed 17] [--kernel NAME] [--kind KIND] [--jobs 2] [--list] [--unchanged] [--rows]
                 [--least 95] [--triton] [--model]

FOLDERs have cases as unpacked oracle.tar.zst: NAME.yaml with variants sm_NN and their NAME.sm_NN.ttgir, and list.txt, whose lines of
kind `gluon` name the kernels. (--triton: those of kind `triton`, too.) A site is one place in a text where one thing is changed.
--list prints all sites. Else as many as --draw says are drawn by the seed, alike from each kind as far as it has so many (0: all).
Each runs with `fpdiff run`, asynchronous operations carried out late and then early, until something is reported. Texts have no
locations, so that messages name lines of the text. Answers:

  found      a report or a deadlock names a line of the mistake: its own (`line`), or that of an operation that it should have ordered
             (`ordered`): one on the same mbarrier, or on memory that operations at that mbarrier, or in the same group, touch
  elsewhere  a report names neither
  equal      nothing is reported, and in a model that knows nothing of fpdiff (model.py) all accesses are in order with the mistake,
             too, and each reads what the same operation wrote as before
  diverged   payloads are others, and nothing is reported
  same       payloads are the same, and nothing is reported
  itself     the kernel is reported as it is: its mistakes count for nothing
  status N   fpdiff fails otherwise: a text that is refused, say

--unchanged runs all kernels as they are: none may be reported, and both ends give the same payloads. --model says beside each answer
what model.py says of the site. --rows prints what was not found, for mutants.txt."""

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import model

# ---- reading a text

LOCATION = re.compile(r"\s+loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
NAME = r"%[A-Za-z_0-9$.]+(?:#\d+)?"


def without_locations(text):
    return "\n".join(LOCATION.sub("", line) for line in text.split("\n") if not line.startswith("#loc")) + "\n"


OPERATION = re.compile(r"^(?P<indent>\s*)(?:(?P<results>%[^=]*?) = )?(?P<name>[a-z_]+\.[a-z_0-9.]+)(?P<rest>.*)$")
# Ops that make a view of an object in shared or tensor memory.
VIEWS = ("ttg.memdesc_index", "ttg.memdesc_subslice", "ttg.memdesc_trans", "ttg.memdesc_reshape", "ttg.memdesc_reinterpret",
         "ttng.tmem_subslice")  # fmt: skip
OBJECTS = ("ttg.local_alloc", "ttng.tmem_alloc")


@dataclasses.dataclass
class Op:
    line: int  # from 1 on
    name: str
    results: list
    operands: list  # names, in order
    text: str
    region: tuple  # lines of the ops around it, outermost first
    roots: frozenset = frozenset()  # of what it names: lines of the OBJECTS
    results_roots: frozenset = frozenset()


def operands_of(rest):
    """Names before the types."""
    depth, end = 0, len(rest)
    for i, letter in enumerate(rest):
        depth += letter in "([{<"
        depth -= letter in ")]}>"
        if depth == 0 and rest[i : i + 3] == " : ":
            end = i
            break
    return re.findall(NAME, rest[:end])


class Text:
    """A module without locations: its ops, and which objects of the block's memory each names."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.ops = []
        self.by_line = {}
        scopes, regions, forks = [{}], [], []
        for number, line in enumerate(self.lines, 1):
            closes = re.match(r"\s*\}", line)
            if closes:
                scopes.pop()
                if regions:
                    regions.pop()
            found = OPERATION.match(line)
            head = re.match(r"\s*(?:default|partition\d+(?P<arguments>\(.*\)))\s.*\{$|\s*default \{$", line)
            if head and forks:
                scopes.append(dict(scopes[-1]) if head["arguments"] is None else {})
                for argument, given in zip(re.findall(r"(%\w+):", head["arguments"] or ""), forks[-1]):
                    scopes[-1][argument] = given
                regions.append(number)
                continue
            if found and not closes:
                self.read(found, number, line, scopes, regions, forks)
            if line.rstrip().endswith("{") and not (found and found["name"] == "ttg.warp_specialize"):
                scopes.append(dict(scopes[-1]))
                regions.append(number)
                if found and found["name"] == "scf.for":
                    for i, (name, given) in enumerate(re.findall(r"(%%\w+) = (%s)" % NAME, line[line.find("iter_args") :] if "iter_args" in line else "")):
                        scopes[-1][name] = scopes[-1].get(given, frozenset())
                        result = re.match(r"\s*(%\w+)(?::\d+)? = ", line)
                        if result:  # of the loop
                            for ending in ("", "#%d" % i) if i == 0 else ("#%d" % i,):
                                scopes[-2][result[1] + ending] = scopes[-1][name]

    def read(self, found, number, line, scopes, regions, forks):
        results = re.findall(r"%\w+", found["results"] or "")
        operands = operands_of(found["rest"])
        known = scopes[-1]
        roots = frozenset().union(*(known.get(o, frozenset()) for o in operands)) if operands else frozenset()
        made = frozenset()
        if found["name"] in OBJECTS:
            made = frozenset([number])
        elif found["name"] in VIEWS or found["name"] in ("arith.select", "ttng.tmem_store"):
            made = roots
        for result in results:
            known[result] = made
        if found["name"] == "ttg.warp_specialize":
            forks.append([known.get(o, frozenset()) for o in operands])
        op = Op(number, found["name"], results, operands, line, tuple(regions), roots | made, made)
        self.ops.append(op)
        self.by_line[number] = op

    def part(self, op):
        """The partition of warps that an op is in: the line of its region, 0 outside of all."""
        return next((r for r in op.region if re.match(r"\s*(default|partition\d)", self.lines[r - 1])), 0)

    def touching(self, roots):
        return [op for op in self.ops if op.roots & roots and op.name not in VIEWS]

    def definition(self, name, op):
        """The op that defines a name as `op` sees it, if it is one of the same region or one around it."""
        name = name.split("#")[0]
        for other in reversed(self.ops):
            if other.line < op.line and name in other.results and other.region == op.region[: len(other.region)]:
                return other
        return None


# ---- sites


@dataclasses.dataclass(frozen=True)
class Site:
    kind: str
    line: int  # of the text as it was, from 1 on
    what: str
    edits: tuple  # (line, what stands there instead)
    related: frozenset = frozenset()  # lines of ops that it should have ordered


def edit(op, new, *before):
    """The op's line becomes `new`, with other ops before it."""
    indent = re.match(r"\s*", op.text)[0]
    return (op.line, "\n".join([indent + b for b in before] + ([new] if new is not None else [])))


def moved_edit(op, to):
    """The op stands before the line `to` instead."""
    return ((op.line, ""), (to.line, op.text + "\n" + to.text))


def remove(text, op):
    """Edits that take the op away. Its results are its operands instead, where they are used."""
    edits = {op.line: ""}
    if op.results:
        tokens = op.operands
        if len(tokens) < len(op.results):
            return None
        for user in text.ops:  # in the same region: others may have results of that name
            number, line = user.line, text.lines[user.line - 1]
            if number <= op.line or user.region[: len(op.region)] != op.region:
                continue
            new = line
            if ":" in op.text.split("=")[0]:
                new = re.sub(re.escape(op.results[0]) + r"#(\d+)(?!\d)", lambda m: tokens[int(m[1])], new)
            new = re.sub(re.escape(op.results[0]) + r"(?![\w#])", tokens[0], new)
            if new != line:
                edits[number] = new
    return tuple(sorted(edits.items()))


def removed(*names):
    def find(text, op):
        if op.name in names:
            edits = remove(text, op)
            if edits:
                yield "without " + op.name, edits

    return find


def pending_raised(text, op):
    found = re.search(r"\{(?:num|pendings) = (\d+)", op.text)
    if op.name in ("ttg.async_wait", "ttng.async_tma_store_wait", "ttng.warp_group_dot_wait") and found:
        more = int(found[1]) + 1
        yield "%d groups may be pending, not %s" % (more, found[1]), (edit(op, op.text[: found.start(1)] + str(more) + op.text[found.end(1) :]),)


def barrier_of_product(text, op):
    """The arrival of a product at an mbarrier does not happen."""
    if op.name.startswith("ttng.tc_gen5_mma"):
        head = op.text.split(" : ")[0]
        for found in re.finditer(r"(%\w+)\[(%\w+)\]", head):
            new = op.text[: found.start(2)] + "%mutant" + op.text[found.end(2) :]
            yield "without the arrival at " + found[1], (edit(op, new, "%mutant = arith.constant false"),)


def phase_flipped(text, op):
    if op.name == "ttng.wait_barrier" and len(op.operands) > 1:
        phase = op.operands[1]
        new = op.text.replace(", " + phase, ", %mutant", 1)
        yield "phase flipped", (edit(op, new, "%mutant_one = arith.constant 1 : i32", "%%mutant = arith.xori %s, %%mutant_one : i32" % phase),)


def bytes_changed(text, op):
    found = re.match(r"(\s*ttng\.barrier_expect %\w+, )(\d+)", op.text)
    if found:
        for new in (int(found[2]) // 2, int(found[2]) + 16):
            yield "%d bytes expected, not %s" % (new, found[2]), (edit(op, found[1] + str(new) + op.text[found.end() :]),)


def count_raised(text, op):
    found = re.match(r"(\s*ttng\.init_barrier %\w+, )(\d+)", op.text)
    if found:
        yield "count %d, not %s" % (int(found[2]) + 1, found[2]), (edit(op, found[1] + str(int(found[2]) + 1) + op.text[found.end() :]),)


def stage_too_few(text, op):
    """Indices modulo N become those modulo N - 1, with the phases that belong to them or without."""
    if op.name != "arith.remsi" or ": i32" not in op.text:
        return
    made = text.definition(op.operands[1], op)
    found = made and re.search(r"arith\.constant (\d+) : i32", made.text)
    users = [u for u in text.ops if u.name == "ttg.memdesc_index" and op.results[0] in u.operands and u.region[: len(op.region)] == op.region]
    if not found or int(found[1]) < 2 or not users:
        return
    constant = "%%mutant_stages = arith.constant %d : i32" % (int(found[1]) - 1)
    changed = lambda o: o.text.replace(", " + op.operands[1], ", %mutant_stages", 1)
    yield "%d stages, not %s" % (int(found[1]) - 1, found[1]), (edit(op, changed(op), constant),)
    phases = [o for o in text.ops if o.name == "arith.divsi" and o.operands == op.operands and o.region == op.region]
    for divided in phases[:1]:
        first, second = sorted((op, divided), key=lambda o: o.line)
        yield "%d stages and phases, not %s" % (int(found[1]) - 1, found[1]), (edit(first, changed(first), constant), edit(second, changed(second)))


def slice_moved(text, op):
    if op.name == "ttg.memdesc_index":
        count = re.search(r"memdesc<(\d+)x", op.text)
        if count and int(count[1]) > 1:
            index = op.operands[1]
            new = op.text.replace("[%s]" % index, "[%mutant]", 1)
            yield "the next slice", (edit(op, new, "%mutant_one = arith.constant 1 : i32", "%%mutant_count = arith.constant %s : i32" % count[1],
                                         "%%mutant_next = arith.addi %s, %%mutant_one : i32" % index,
                                         "%mutant = arith.remsi %mutant_next, %mutant_count : i32"),)  # fmt: skip
    if op.name == "ttg.memdesc_subslice":
        offsets = re.search(r"\[([\d, ]+)\]", op.text)
        whole, part = (list(map(int, re.findall(r"(\d+)x", m))) for m in re.findall(r"memdesc<((?:\d+x)+)", op.text)[:2])
        old = list(map(int, offsets[1].split(",")))
        for axis, (size, extent) in enumerate(zip(part, whole)):
            if size < extent:
                new = list(old)
                new[axis] = (old[axis] + size) % extent
                yield "the slice at %s, not %s" % (new, old), (edit(op, op.text.replace(offsets[0], str(new), 1)),)
    if op.name == "ttng.tmem_subslice":
        found = re.search(r"(N|offset) = (\d+)", op.text)
        shapes = [list(map(int, re.findall(r"(\d+)x", m))) for m in re.findall(r"memdesc<((?:\d+x)+)", op.text)[:2]]
        if found and shapes[1][-1] < shapes[0][-1]:
            new = (int(found[2]) + shapes[1][-1]) % shapes[0][-1]
            yield "the columns from %d on, not %s" % (new, found[2]), (edit(op, op.text[: found.start(2)] + str(new) + op.text[found.end(2) :]),)


def sums_not_begun(text, op):
    """A product adds to what was there from the first time on."""
    if op.name.startswith("ttng.tc_gen5_mma"):
        found = re.match(r"(.*?ttng\.tc_gen5_mma %[\w#]+, %[\w#]+, %[\w#]+\[\], )(%[\w#]+)", op.text) or \
            re.match(r"(.*?ttng\.tc_gen5_mma_scaled (?:%[\w#]+(?:\[\])?, ){5})(%[\w#]+)", op.text)  # fmt: skip
        if found and not constant_of(text, op, found[2], "true"):
            yield "adds to what was there", (edit(op, found[1] + "%mutant" + op.text[found.end(2) :], "%mutant = arith.constant true"),)


def constant_of(text, op, name, value):
    made = text.definition(name, op)
    return made is not None and re.search(r"arith\.constant %s\b" % value, made.text)


def ended_early(text, op):
    """An object or an mbarrier ends before the op that used it last."""
    if op.name in ("ttng.inval_barrier", "ttg.local_dealloc"):
        used = [o for o in text.ops if o.line < op.line and o.roots & op.roots and o.name not in VIEWS and o.name not in OBJECTS
                and o.name not in ("ttng.init_barrier", "ttg.warp_specialize", op.name)]  # fmt: skip
        if used:
            last = used[-1]
            inner = last.region[len(op.region) :]
            if last.region[: len(op.region)] == op.region:
                # Before the op of the same region that holds it; a partition belongs to the warp_specialize before it.
                to = next((o for o in reversed(text.ops) if o.line <= inner[0] and o.region == op.region), None) if inner else last
                if to and all((made := text.definition(name, op)) and made.line < to.line for name in op.operands):
                    yield "before " + last.name, moved_edit(op, to)


KINDS = {
    "wait removed: mbarrier": removed("ttng.wait_barrier"),
    "wait removed: group": removed("ttg.async_wait", "ttng.async_tma_store_wait", "ttng.warp_group_dot_wait"),
    "wait removed: barrier of the cluster": removed("ttng.cluster_barrier", "ttng.cluster_wait"),
    "arrive removed: mbarrier": removed("ttng.arrive_barrier"),
    "arrive removed: commit": removed("ttng.tc_gen5_commit"),
    "arrive removed: product": barrier_of_product,
    "arrive removed: group": removed("ttg.async_commit_group"),
    "arrive removed: cp.async": removed("ttng.async_copy_mbarrier_arrive"),
    "fence removed": removed("ttng.fence_async_shared"),
    "phase flipped": phase_flipped,
    "expect removed": removed("ttng.barrier_expect"),
    "bytes changed": bytes_changed,
    "count raised": count_raised,
    "pending groups raised": pending_raised,
    "stage too few": stage_too_few,
    "slice moved": slice_moved,
    "sums not begun": sums_not_begun,
    "ended early": ended_early,
    "init removed": removed("ttng.init_barrier"),
}
# Ops that make a group, or wait for one: they order what is before them in their part of the block.
GROUPS = {"ttng.async_tma_store_wait": r"local_to_global|tma_reduce|tma_scatter", "ttg.async_wait": r"async_copy_global|local_load|local_dealloc",
          "ttg.async_commit_group": r"async_copy_global|local_load|async_wait", "ttng.warp_group_dot_wait": r"warp_group_dot\b",
          "ttng.fence_async_shared": r"local_store|local_alloc|scatter|tma|gen5|warp_group_dot|local_load|tmem_copy"}  # fmt: skip


def related_lines(text, op):
    """Lines of what a mistake at this op leaves without order: see `ordered` above."""
    roots = set(op.roots)
    if op.name in ("arith.remsi", "arith.divsi"):
        for user in text.ops:
            if set(user.operands) & set(op.results) and user.region[: len(op.region)] == op.region:
                roots |= user.roots
    if op.name in GROUPS or op.name.startswith("ttng.cluster"):
        pattern = GROUPS.get(op.name, ".")
        for other in text.ops:
            if text.part(other) == text.part(op) and re.search(pattern, other.name):
                roots |= other.roots
    at = text.touching(frozenset(roots))
    # What completes at the mbarriers, and what the same part does with memory beside them.
    for other in at:
        roots |= other.roots
    if op.name in ("ttng.tc_gen5_commit", "ttng.wait_barrier", "ttng.arrive_barrier", "ttng.init_barrier"):
        parts = {text.part(o) for o in at if o.name in ("ttng.tc_gen5_commit", "ttng.arrive_barrier", "ttng.wait_barrier")}
        for other in text.ops:
            if text.part(other) in parts and re.search(r"gen5|tmem_copy|tmem_load|tmem_store|local_load|local_store|async_tma|local_to_global", other.name):
                roots |= other.roots
    return frozenset(o.line for o in text.touching(frozenset(roots)) if o.name not in OBJECTS or "->" in o.text and "()" not in o.text)


def all_sites(text):
    for op in text.ops:
        for kind, find in KINDS.items():
            for what, edits in find(text, op):
                yield Site(kind, op.line, what, tuple(edits), related_lines(text, op))


def mutated(text, site):
    """The changed text, and for each of its lines the line that it was."""
    edits, lines, origins = dict(site.edits), [], []
    for number, line in enumerate(text.lines, 1):
        new = edits.get(number)
        for part in (line if new is None else new).split("\n"):
            lines.append(part)
            origins.append(number)
    return "\n".join(lines), origins


# ---- kernels and runs


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    variant: str
    folder: pathlib.Path

    @property
    def module(self):
        return self.folder / f"{self.name}.{self.variant}.ttgir"

    @property
    def case(self):
        return self.folder / f"{self.name}.yaml"


@functools.lru_cache(maxsize=None)
def text_of(kernel):
    return Text(without_locations(kernel.module.read_text()))


def all_kernels(folders, kinds):
    for folder in folders:
        for line in (folder / "list.txt").read_text().split("\n"):
            name, kind, *_ = line.split() + ["", ""]
            if kind in kinds:
                seen = set()  # texts for two GPUs are one kernel if nothing else differs
                for module in sorted(folder.glob(f"{name}.sm_*.ttgir"), key=lambda p: p.name):
                    text = re.sub(r'"cuda:\d+"', "", without_locations(module.read_text()))
                    if text not in seen:
                        yield Kernel(name, module.name.split(".")[-2], folder)
                    seen.add(text)


@functools.lru_cache(maxsize=None)
def launch_of(kernel):
    """Grid, arguments and shapes of buffers, as the case file has them."""
    case = kernel.case.read_text()
    shapes = {name: list(map(int, sizes.split(","))) for name, sizes in re.findall(r"^  (\w+): \{type: \w+, shape: \[([\d, ]+)\]", case, re.M)}
    found = re.search(r"^  %s:.*grid: \[([\d, ]+)\], args: \[(.*?)\]\}\]" % kernel.variant, case, re.M)
    grid = (list(map(int, found[1].split(","))) + [1, 1])[:3]
    return grid, [argument.strip() for argument in found[2].split(",")], shapes


def run_text(fpdiff, kernel, text, *options):
    """Exit status, what was said, and the bytes of all buffers, of a kernel with this text."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "mutant.ttgir").write_text(text)
        case = kernel.case.read_text().replace("{file: ", "{file: %s/" % kernel.folder.resolve())
        launch = re.search(r"^  %s:(.*(?:\n    .*)*)" % kernel.variant, case, re.M)[1].replace(kernel.module.name, "mutant.ttgir")
        before, after = re.match(r"(?s)(.*^variants:\n).*?^(compare:.*)", case, re.M).groups()
        (folder / "case.yaml").write_text("%s  mutant:%s\n%s" % (before, launch, after))
        command = [fpdiff, "run", folder / "case.yaml", "-v", "mutant", "-m", "fpsan", "--profile", "triton-3.9", "-o", folder / "out", "-O", "0",
                   "--jobs", "1", *options]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "timeout", "", None
        said = (done.stdout + done.stderr).replace(str(folder) + "/", "")
        return done.returncode, said, {p.name: p.read_bytes() for p in sorted((folder / "out").glob("*.bin"))}


ENDS = (("--async", "late"), ("--async", "early"))
REPORTED = re.compile(r"mutant\.ttgir:(\d+)")


@functools.lru_cache(maxsize=None)
def right_results(fpdiff, kernel):
    return run_text(fpdiff, kernel, "\n".join(text_of(kernel).lines), *ENDS[0])[2]


def first_report(said):
    return next((line for line in said.split("\n") if REPORTED.search(line) and "warning" not in line), said.strip()[:300])


def judge(fpdiff, kernel, site):
    """The answer, what was said, and why its lines are those of the mistake."""
    if wrong_itself(fpdiff, kernel):
        return "itself", "", ""
    changed, origins = mutated(text_of(kernel), site)
    others, said = False, ""
    for options in ENDS:
        status, said, computed = run_text(fpdiff, kernel, changed, *options)
        if status in (1, 3) and REPORTED.search(said) and ("[E5" in said or status == 1):
            lines = {origins[int(number) - 1] for number in REPORTED.findall(first_report(said)) if int(number) <= len(origins)}
            own = {number for number, _ in site.edits} | {site.line}
            side = "line" if lines & own else "ordered" if lines & site.related else ""
            return ("found" if side else "elsewhere"), first_report(said), side
        if status != 0:
            return "status %s" % status, first_report(said), ""
        others |= computed != right_results(fpdiff, kernel)
    answer, why = in_model(kernel, site)
    if answer == "equal" and not others:
        return "equal", "the model has the same accesses, in order", ""
    return ("diverged" if others else "same"), "in the model: %s %s" % (answer, why), ""


# ---- sites where a mistake changes nothing


@functools.lru_cache(maxsize=None)
def right_traces(kernel):
    return modelled(kernel, "\n".join(text_of(kernel).lines), None)[1]


def modelled(kernel, text, origins):
    """What model.py, which knows nothing of fpdiff, says of a text: `wrong`, `unknown`, or `right`, with why or the traces."""
    lines = text.count("\n") + 2
    try:
        return "right", model.run(text, origins + [0] * 2 if origins else list(range(1, lines + 1)), *launch_of(kernel))
    except model.Wrong as wrong:
        return "wrong", str(wrong)
    except model.Unknown as unknown:
        return "unknown", str(unknown)


def in_model(kernel, site):
    """`wrong`, `unknown`, `other` where other writes are read than in the kernel as it is, or `equal`; and why."""
    answer, found = modelled(kernel, *mutated(text_of(kernel), site))
    if answer != "right":
        return answer, found
    return ("equal", "") if found == right_traces(kernel) else ("other", "")


def run_unchanged(fpdiff, kernel):
    """What is wrong with the kernel as it is; '' if nothing is."""
    text, problems, results = "\n".join(text_of(kernel).lines), [], []
    for options in ENDS:
        status, said, computed = run_text(fpdiff, kernel, text, *options)
        results.append(computed)
        if status:
            problems.append("%s: %s" % (options[-1], said.strip()[:400]))
    if not problems and results[0] != results[1]:
        problems.append("late and early give different payloads")
    return "; ".join(problems)


@functools.lru_cache(maxsize=None)
def wrong_itself(fpdiff, kernel):
    return run_unchanged(fpdiff, kernel)


def draw(sites, count, seed):
    """`count` sites, alike from each kind as far as it has so many."""
    by_kind = collections.defaultdict(list)
    for kernel, site in sites:
        by_kind[site.kind].append((kernel, site))
    rng = random.Random(seed)
    for kind in sorted(by_kind):
        rng.shuffle(by_kind[kind])
    drawn, turn = [], 0
    while len(drawn) < (count or len(sites)) and any(len(of) > turn for of in by_kind.values()):
        drawn += [of[turn] for _, of in sorted(by_kind.items()) if len(of) > turn]
        turn += 1
    return drawn[: count or len(sites)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fpdiff", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--draw", type=int, default=150)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--kernel", default="")
    parser.add_argument("--kind", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--triton", action="store_true")
    parser.add_argument("--unchanged", action="store_true")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--least", type=float, default=0, help="per cent that have to be found")
    parser.add_argument("--model", action="store_true", help="what model.py says of each site, beside the answer")
    parser.add_argument("--text", help="KERNEL.VARIANT:LINE:WHAT, prints the changed text")
    options = parser.parse_args()
    fpdiff = options.fpdiff.resolve()
    kernels = [k for k in all_kernels(options.folders, ("gluon", "triton") if options.triton else ("gluon",)) if options.kernel in k.name]
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    if options.unchanged:
        wrong = 0
        for kernel, problem in zip(kernels, pool.map(lambda k: run_unchanged(fpdiff, k), kernels)):
            wrong += problem != ""
            print("%-40s %s" % (kernel.name + "." + kernel.variant, problem or "ok"), flush=True)
        print("%d kernels, %d reported" % (len(kernels), wrong))
        return wrong != 0
    sites = [(kernel, site) for kernel in kernels for site in all_sites(text_of(kernel)) if options.kind in site.kind]
    title = lambda kernel, site: "%s.%s:%d:%s" % (kernel.name, kernel.variant, site.line, site.what)
    if options.text:
        print(next(mutated(text_of(k), s)[0] for k, s in sites if title(k, s).startswith(options.text)), end="")
        return 0
    if options.list:
        for kernel, site in sites:
            print("%s | %s" % (site.kind, title(kernel, site)))
        print(collections.Counter(site.kind for _, site in sites), file=sys.stderr)
        return 0
    drawn = draw(sites, options.draw, options.seed)
    table, sides = collections.defaultdict(collections.Counter), collections.Counter()
    for (kernel, site), (answer, said, side) in zip(drawn, pool.map(lambda item: judge(fpdiff, *item), drawn)):
        table[site.kind][answer] += 1
        sides[side] += side != ""
        if options.model:
            print("%s in the model |" % " ".join(in_model(kernel, site)), end=" ")
        if not options.rows:
            print("%-9s %-8s %s: %s | %s" % (answer, side, site.kind, title(kernel, site), said.split("\n")[0][:400]), flush=True)
        elif answer != "found":
            print("%s|%s|%s" % (title(kernel, site), answer, said.split("\n")[0][:200]), flush=True)
    if options.rows:
        return 0
    answers = [a for a in ("found", "elsewhere", "diverged", "same", "equal", "itself") if any(of[a] for of in table.values())]
    answers += sorted({a for of in table.values() for a in of} - set(answers))
    print("\n%-38s %s" % ("", " ".join("%9s" % a for a in ("sites", "drawn", *answers))))
    counts = collections.Counter(site.kind for _, site in sites)
    for kind in KINDS:
        if counts[kind]:
            print("%-38s %s" % (kind, " ".join("%9d" % n for n in (counts[kind], sum(table[kind].values()), *(table[kind][a] for a in answers)))))
    found, equal, itself, diverged = (sum(of[a] for of in table.values()) for a in ("found", "equal", "itself", "diverged"))
    rest = len(drawn) - equal - itself
    print("%d of %d sites drawn with seed %d, of %d kernels: %d count for nothing, %d equal, %d of the other %d found (%.1f %%), %d diverged: %s" % (
        len(drawn), len(sites), options.seed, len(kernels), itself, equal, found, rest, 100 * found / max(rest, 1), diverged,
        ", ".join("%d %s" % (n, side) for side, n in sides.items() if side)))  # fmt: skip
    return 100 * found < options.least * rest


if __name__ == "__main__":
    sys.exit(main())
