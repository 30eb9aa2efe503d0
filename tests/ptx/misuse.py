# SPDX-License-Identifier: Apache-2.0
# Mistakes in the synchronisation of PTX kernels: every place of every kind, and what fpdiff says of a sample.
"""python misuse.py BUILD [--draw 300] [--seed 17] [--kernel NAME] [--kind KIND] [--jobs 2] [--list] [--unchanged] [--rows]

BUILD is a build folder: BUILD/bin/fpdiff and the cases of BUILD/tests/ptx (README.md): `normal` of oracle/*.yaml, and `ptx` of
ieee/*.yaml as far as their modules are there. A site is one place in a text where one thing is changed: a wait, fence or arrive
is removed, a phase flipped, a count, descriptor field or column changed. --list prints all sites. Else as many as --draw says
are drawn by the seed, alike from each kind as far as it has so many. Each runs at each size of the kernel, and in the reverse
schedule, until fpdiff exits with 3: then the mistake is found, if one of its two lines is named (`named`, docs/ptx-misuse.md), else
it counts as `elsewhere`. A warning has to name one as well. A payload that differs alone does not count. What is not found is redundant
if one of PROOFS holds; mistakes in kernels that fail as they are ("itself") count for nothing. --unchanged runs all kernels as they
are, in both schedules: none may fail, nor be warned of, and payloads must be the same. --rows prints rows for misuse.txt. Lines of
.loc are dropped, so that messages name lines of PTX."""

import argparse, collections, concurrent.futures, dataclasses, functools, pathlib, random, re, subprocess, sys, tempfile


@dataclasses.dataclass(frozen=True)
class Site:
    kind: str
    line: int  # from 1 on
    what: str
    new: str  # the line instead
    old: str = ""


GUARD = r"(?P<guard>\s*(?:@!?%?[\w$]+\s+)?)"


def removed(pattern):
    """The instruction is not there."""
    form = re.compile("(?P<before>^|[;{}])" + GUARD + "(?P<op>%s)[^;]*;" % pattern)

    def find(line, number, kind, text):
        for found in form.finditer(line):
            yield Site(kind, number, "without " + found["op"], line[: found.start()] + found["before"] + line[found.end() :])

    return find


WAIT = re.compile(GUARD + r"(?P<op>mbarrier\.(?:try|test)_wait[\w.:]*)\s+(?P<done>[%\w$]+),\s*(?P<address>\[[^\]]*\]),\s*(?P<phase>[-%\w$]+)(?P<rest>[^;]*);")


def wait_removed(line, number, kind, text):
    found = WAIT.match(line)
    if found:
        yield Site(kind, number, "without " + found["op"], "%ssetp.eq.u32 %s, 0, 0;" % (found["guard"], found["done"]))


def phase_flipped(line, number, kind, text):
    found = WAIT.match(line)
    if found and ".parity" in found["op"]:
        if re.fullmatch(r"\d+", found["phase"]):
            new = "%s%s %s, %s, %d%s;" % (*found.group("guard", "op", "done", "address"), int(found["phase"]) ^ 1, found["rest"])
        else:
            new = ".reg .b32 %%flipped%d; xor.b32 %%flipped%d, %s, 1; %s%s %s, %s, %%flipped%d%s;" % (
                number, number, found["phase"], *found.group("guard", "op", "done", "address"), number, found["rest"])  # fmt: skip
        yield Site(kind, number, "phase flipped", new)


def number_changed(pattern, changes, what):
    """The first group of the pattern is a number that becomes each of changes(number)."""
    form = re.compile(pattern)

    def find(line, number, kind, text):
        found = form.search(line)
        if found:
            old = int(found[1], 0)
            for other in changes(old):
                if other != old:
                    yield Site(kind, number, "%s %d becomes %d" % (what, old, other), line[: found.start(1)] + str(other) + line[found.end(1) :])

    return find


def signed(value):
    return value - (1 << 64) if value >> 63 else value


@functools.lru_cache(maxsize=8)
def matrix_constants(text):
    """Lines with a constant that matrix descriptors are made of: for each the bit of the descriptor at which it begins."""
    definitions, found = collections.defaultdict(list), {}
    for number, line in enumerate(text.split("\n"), 1):
        made = re.match(GUARD + r"(?P<op>[\w.]+)\s+(?P<to>%\w+),\s*(?P<rest>[^;]*);", line)
        if made:
            definitions[made["to"]].append((number, made["op"], re.findall(r"%\w+", made["rest"]), made["rest"].strip()))
    to_see = [(register, 0) for operation in MATRIX_USES for match in operation.finditer(text) for register in match.groups() if register[0] == "%"]
    seen = set()
    while to_see:
        register, first = to_see.pop()
        if (register, first) in seen:
            continue
        seen.add((register, first))
        for number, op, registers, rest in definitions[register]:
            if op not in ("mov.b64", "or.b64", "mov.b32", "or.b32"):
                continue
            if re.search(r"(?:^|,\s*)-?\d+$", rest):
                found[number] = first
            packed = rest.startswith("{") and re.findall(r"[%\w]+", rest)
            to_see += [(r, 32 * i) for i, r in enumerate(packed) if r[0] == "%"] if packed else [(r, first) for r in registers]
    return found


MATRIX_USES = (
    re.compile(r"tcgen05\.mma\S*\s+\[[^\]]*\],\s*(\[[^\]]*\]|%\w+),\s*(%\w+)"),
    re.compile(r"tcgen05\.cp\S*\s+\[[^\]]*\],\s*(%\w+)"),
    re.compile(r"wgmma\.mma_async\S*\s+\{[^}]*\},\s*(\{[^}]*\}|%\w+),\s*(%\w+)"),
)


def descriptor_fields(line, number, kind, text):
    """Constants that matrix descriptors are made of, or one of their halves: swizzle, stride and leading offset."""
    first = matrix_constants(text).get(number)
    found = re.search(r"(-?\d+);", line)
    if first is None or not found:
        return
    bits, old = 32 if ".b32" in line else 64, int(found[1])
    whole = (old & (1 << bits) - 1) << first
    changes = {"swizzle": whole ^ 1 << 62 if first + bits == 64 else whole}
    for what, bit in (("stride offset", 32), ("leading offset", 16)):
        field = whole >> bit & 0x3FFF
        changes[what] = whole ^ field << bit | (field * 2 & 0x3FFF) << bit
    for what, new in changes.items():
        if new != whole:
            new >>= first
            yield Site(kind, number, "%s of a descriptor" % what, line[: found.start(1)] + str(signed(new) if bits == 64 else new) + line[found.end(1) :])


def instruction_descriptor(line, number, kind, text):
    """The constant that a tcgen05.mma has as its instruction descriptor: N, M, and which way an operand lies."""
    found = re.search(r"mov\.b32\s+(%\w+),\s*(\d+);", line)
    if not found or not re.search(r"tcgen05\.mma[^;]*,\s*%s\s*," % re.escape(found[1]), text):
        return
    old = int(found[2])
    columns = old >> 17 & 63
    changes = {"N": old ^ columns << 17 | columns // 2 << 17, "M": old ^ 12 << 24, "direction of A": old ^ 1 << 15, "type of the sums": old ^ 3 << 4}
    for what, new in changes.items():
        yield Site(kind, number, "%s of the instruction descriptor" % what, line[: found.start(2)] + str(new) + line[found.end(2) :])


KINDS = {
    "wait removed: mbarrier": wait_removed,
    "wait removed: tensor memory": removed(r"tcgen05\.wait::(?:ld|st)[\w.:]*"),
    "wait removed: wgmma": removed(r"wgmma\.wait_group[\w.:]*"),
    "wait removed: cp.async": removed(r"cp\.async\.wait_(?:group|all)[\w.:]*"),
    "wait removed: bulk store": removed(r"cp\.async\.bulk\.wait_group[\w.:]*"),
    "wait removed: barrier": removed(r"(?:bar|barrier)\.(?:cta\.)?sync[\w.:]*"),
    "fence removed: proxy": removed(r"fence\.proxy[\w.:]*"),
    "fence removed: wgmma": removed(r"wgmma\.fence[\w.:]*"),
    "arrive removed: mbarrier": removed(r"mbarrier\.(?:arrive|expect_tx)[\w.:]*"),
    "arrive removed: commit": removed(r"tcgen05\.commit[\w.:]*"),
    "arrive removed: group": removed(r"(?:wgmma\.commit_group|cp\.async\.commit_group|cp\.async\.bulk\.commit_group)[\w.:]*"),
    "arrive removed: cp.async": removed(r"cp\.async\.mbarrier\.arrive[\w.:]*"),
    "arrive removed: barrier": removed(r"(?:bar|barrier)\.(?:cta\.)?arrive[\w.:]*"),
    "phase flipped": phase_flipped,
    "bytes changed": number_changed(r"mbarrier\.arrive\.expect_tx[\w.:]*\s+\S+,\s*\[[^\]]*\],\s*(\d+);", lambda n: (n // 2, n + 16), "expected bytes"),
    "count changed": number_changed(r"mbarrier\.init[\w.:]*\s+\[[^\]]*\],\s*(\d+);", lambda n: (n + 1,), "count"),
    "pending groups changed": number_changed(r"(?:wgmma|cp\.async|cp\.async\.bulk)\.wait_group[\w.:]*\s+(\d+);", lambda n: (n + 1,), "pending groups"),
    "descriptor changed: matrix": descriptor_fields,
    "descriptor changed: instruction": instruction_descriptor,
    "descriptor changed: map": number_changed(r"tensormap\.replace\.tile\.swizzle_mode[\w.:]*\s+\[[^\]]*\],\s*(\d+);", lambda n: ((n + 1) % 4,), "swizzle"),
    "column changed: access": number_changed(r"tcgen05\.(?:ld|st)\.[^\[]*\[\s*%\w+\s*\+\s*(\d+)\s*\]", lambda n: (n + 16, n + 512), "column"),
    "column changed: product": number_changed(r"tcgen05\.mma[^\[]*\[\s*%\w+\s*\+\s*(\d+)\s*\]", lambda n: (n + 16,), "column"),
    "column changed: allocation": number_changed(r"tcgen05\.alloc[^\]]*\],\s*(\d+);", lambda n: (n // 2,) if n > 32 else (), "columns"),
    "allocation not freed": removed(r"tcgen05\.dealloc[\w.:]*"),
}


def without_sources(text):
    """Lines of .loc become empty, so that lines keep their numbers."""
    return re.sub(r"^\s*\.(?:loc|file)\b[^\n]*", "", text, flags=re.M)


def all_sites(text):
    bare = re.sub(r"//[^\n]*", "", text)
    for number, line in enumerate(bare.split("\n"), 1):
        for kind, find in KINDS.items():
            for site in find(line, number, kind, bare):
                yield dataclasses.replace(site, old=line)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of the corpus, and the cases that run it, the one with the most steps first."""

    name: str
    module: pathlib.Path
    entry: str  # or None: the only one
    mode: str
    cases: tuple
    variant: str


def read_launch(case, variant):
    """The line of the variant's only launch, or None."""
    found = re.search(r"^  %s:\n(    - .*)$" % variant, case.read_text(), re.M)
    return found and found[1]


def all_kernels(build):
    """Kernels of the oracle's cases, and those of the cases of IEEE arithmetic; other builds of the latter are left out."""
    cases = collections.defaultdict(list)
    for folder, variant, mode in (("oracle", "normal", "fpsan"), ("ieee", "ptx", "ieee")):
        for case in sorted((build / "tests/ptx" / folder).glob("*.yaml")):
            launch = read_launch(case, variant)
            if launch and not re.search(r"\.(?:calls|clang_noinline|fast|ftz)\.", case.name):
                module = case.parent / re.search(r"module: ([^,}]*)", launch)[1]
                entry = re.search(r"kernel: (\w+)", launch)
                if module.exists():
                    cases[module, entry and entry[1], mode, variant].append(case)
    for (module, entry, mode, variant), found in cases.items():
        yield Kernel(found[0].stem, module, entry, mode, tuple([*found[1:], found[0]]), variant)


def lines_of_entry(text, entry):
    """Numbers of the lines of a kernel, from the first to the one behind the last."""
    starts = [m for m in re.finditer(r"^.*\.(?:entry|func)\b.*$", text, re.M)]
    for i, start in enumerate(starts):
        if ".entry" in start[0] and (not entry or re.search(r"\b\w*%s\w*\s*\(" % re.escape(entry), start[0])):
            end = starts[i + 1].start() if i + 1 < len(starts) else len(text)
            return text.count("\n", 0, start.start()) + 1, text.count("\n", 0, end) + 1
    return 0, 0


def draw(sites, count, seed):
    """`count` of (kernel, site), from each kind as many as from the others as far as it has so many."""
    chance, by_kind = random.Random(seed), collections.defaultdict(list)
    for item in sites:
        by_kind[item[1].kind].append(item)
    for items in by_kind.values():
        chance.shuffle(items)
    drawn = []
    while len(drawn) < count and any(by_kind.values()):
        for kind in sorted(by_kind):
            if by_kind[kind] and len(drawn) < count:
                drawn.append(by_kind[kind].pop())
    return drawn


def mutated(text, site):
    lines = text.split("\n")
    lines[site.line - 1] = site.new
    return "\n".join(lines)


def run_text(fpdiff, kernel, case, text, *options):
    """Exit status, what fpdiff said, and what was computed, of the kernel with another text."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "mistake.ptx").write_text(text)
        launch = re.sub(r"module: [^,}]*", "module: mistake.ptx", read_launch(case, kernel.variant))
        before, after = re.match(r"(?s)(.*^variants:\n).*?^(compare:.*)", case.read_text(), re.M).groups()
        (folder / "case.yaml").write_text("%s  mistake:\n%s\n%s" % (before, launch, after))
        command = [fpdiff, "run", folder / "case.yaml", "-v", "mistake", "-m", kernel.mode, "-o", folder / "out", "-O", "0", "--jobs", "1"]
        try:
            done = subprocess.run([*command, "--rounds", "20000000", *options], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "timeout", "", None
        said = (done.stdout + done.stderr).replace(str(folder) + "/", "")
        return done.returncode, said, {p.name: p.read_bytes() for p in sorted((folder / "out").glob("*.bin"))}


@functools.lru_cache(maxsize=None)
def right_results(fpdiff, kernel, case):
    return run_text(fpdiff, kernel, case, without_sources(kernel.module.read_text()))[2]


@functools.lru_cache(maxsize=None)
def wrong_itself(fpdiff, kernel, case, options):
    """What is said of the kernel as it is, whose mistakes then count for nothing; '' if it is right."""
    status, said, _ = run_text(fpdiff, kernel, case, without_sources(kernel.module.read_text()), *options)
    return said if status else ""


def attempts(kernel):
    for options in ((), ("--schedule", "reverse")):
        for case in kernel.cases:
            yield case, options


FOUND = re.compile(r"mistake\.ptx:\d+: error")
WARNED = re.compile(r"mistake\.ptx:\d+: warning")


# ---- which lines are named

# Two accesses that nothing orders, or a read of cells that nothing wrote. The kernel as it is orders them, or writes there; so the
# changed instruction is what did, and those that are named are the other side.
UNORDERED = re.compile(r"before it is known that what .* does there is done|race: .* and nothing orders the two|, which .* wrote; a fence\.proxy|"
                       r"which .* has touched: a wgmma\.fence is missing|which .* still computes: a wgmma\.wait_group is missing")  # fmt: skip
UNWRITTEN = re.compile(r"reads lane \d+, column \d+ of tensor memory, where nothing has been written")
UNALLOCATED = re.compile(r"of tensor memory, \d+ columns, which nobody has allocated")
# What is said at the end of the operation that a wait, a group or a dealloc is missing for.
ENDED = {
    "wait removed: bulk store": r"cp\.\S*bulk\S* \(\S*\) may still read",
    "pending groups changed": r"cp\.\S*bulk\S* \(\S*\) may still read|wgmma\.mma\S* \(\S*\): the warp ends without",
    "arrive removed: group": r"cp\.\S*bulk\S* \(\S*\) may still read|wgmma\.mma\S* \(\S*\): the warp ends without",
    "wait removed: wgmma": r"wgmma\.mma\S* \(\S*\): the warp ends without",
    "wait removed: tensor memory": r"tcgen05\.ld\S* \(\S*\): the warp ends without",
    "fence removed: wgmma": r"wgmma\.mma\S*: no wgmma\.fence comes before it",
    "allocation not freed": r"tcgen05\.alloc\S* \(\S*\): its \d+ columns at .* are never freed",
}
AT_MBARRIER = re.compile(r"the mbarrier at (byte \d+ of shared memory)")
ADDRESS = re.compile(r"\[[^\]]*\]")


def users(text, line):
    """Lines that use what the line defines, directly or through registers made of it."""
    lines = [re.sub(r"//.*", "", l) for l in text.split("\n")]
    first = re.match(GUARD + r"(?:mov|or)\.b(?:32|64)\s+(%\w+),", lines[line - 1])
    made, found, before = {first[2]} if first else set(), set(), -1
    while len(found) != before:
        before = len(found)
        for number, one in enumerate(lines, 1):
            if number == line or number in found or not made & set(re.findall(r"%\w+", one)):
                continue
            simple = re.match(GUARD + r"(?:mov|or|add|and|bfe|cvt|selp|xor|shl|shr|sub|mad)\.[\w.]+\s+(?P<to>%\w+),(?P<rest>[^;]*);", one)
            if simple and made & set(re.findall(r"%\w+", simple["rest"])):
                made.add(simple["to"])
                found.add(number)
            elif not simple:
                found.add(number)
    return found


def mbarrier_of(fpdiff, kernel, text, site):
    """Where the mbarrier is that the instruction uses: what is said of another mbarrier.init there."""
    address = ADDRESS.search(site.old)
    guard = re.match(GUARD, site.old)["guard"]
    if not address:
        return None
    again = "%smbarrier.init.shared::cta.b64 %s, 1;" % (guard, address[0])
    if "mbarrier.init" in site.old:
        again = site.old + " " + again
    for case in kernel.cases:
        said = run_text(fpdiff, kernel, case, replaced(text, site.line, again))[1]
        found = re.search(r"mbarrier\.init\S* \(mistake\.ptx:%d\) at (byte \d+ of shared memory), where there is already" % site.line, said)
        if found:
            return found[1]
    return None


def named(fpdiff, kernel, text, site, said):
    """Why a message names one of the two lines of the mistake; '' if it does not."""
    lines = {int(number) for number in re.findall(r"mistake\.ptx:(\d+)", said)}
    if site.line in lines:
        return "line"
    if UNORDERED.search(said):
        return "unordered"
    if UNWRITTEN.search(said):
        return "unwritten"
    if site.kind == "column changed: allocation" and UNALLOCATED.search(said):
        return "outside"
    if site.kind in ENDED and re.search(ENDED[site.kind], said):
        return "ended"
    if lines & users(text, site.line):
        return "user"
    barrier = re.search(r"(?:bar|barrier)\.\S+\s+(\d+)", site.old)
    if barrier and re.search(r"wait at barrier %s," % barrier[1], said):
        return "barrier"
    waits = AT_MBARRIER.findall(said)
    return "mbarrier" if waits and mbarrier_of(fpdiff, kernel, text, site) in waits else ""


def first_line(said):
    """The line of what was said that has the error, or else a warning."""
    return next((l for form in (FOUND, WARNED) for l in said.split("\n") if form.search(l)), said).strip()


def judge(fpdiff, kernel, site):
    """'found', 'warned', 'elsewhere', 'redundant', 'changed', 'same' or a status, what was said, and why its lines are those of the mistake."""
    text = without_sources(kernel.module.read_text())
    changed, warning, warned, said = False, "", "", ""
    for case, options in attempts(kernel):
        status, said, computed = run_text(fpdiff, kernel, case, mutated(text, site), *options)
        if status == 3 and FOUND.search(said):
            wrong = wrong_itself(fpdiff, kernel, case, options)
            side = named(fpdiff, kernel, text, site, first_line(said))
            return ("itself", wrong, "") if wrong else ("found" if side else "elsewhere", said, side)
        if status != 0:
            return "status %s" % status, said, ""
        for line in said.split("\n") if not warned else ():
            if WARNED.search(line):
                warning, warned = line, named(fpdiff, kernel, text, site, line)
            if warned:
                break
        changed |= computed != right_results(fpdiff, kernel, case)
        if warned and changed:
            break
    if not changed:
        for proof in PROOFS:
            reason = proof(fpdiff, kernel, text, site)
            if reason:
                return "redundant", reason, ""
    if warned:
        return "warned", warning, warned
    return "elsewhere" if warning else "changed" if changed else "same", warning or said, ""


# ---- redundant sites


def replaced(text, number, new):
    lines = text.split("\n")
    lines[number - 1] = new
    return "\n".join(lines)


def never_reached(fpdiff, kernel, text, site):
    """A trap in place of the instruction stops no run."""
    guard = re.match(GUARD, site.old)["guard"]
    for case in kernel.cases:
        if run_text(fpdiff, kernel, case, replaced(text, site.line, guard + "trap;"))[0] != 0:
            return None
    return "no thread comes there in any case"


BARRIER = re.compile(r"^\s*(?:bar|barrier)\.(?:cta\.)?sync\b[^;]*;")
DELAY = """{
.reg .pred %%delay; .reg .b32 %%turns; mov.u32 %%turns, %%tid.x; shr.u32 %%turns, %%turns, 5; setp.%s.u32 %%delay, %%turns, %d;
mov.b32 %%turns, 10000; @!%%delay bra delayed;
again: sub.u32 %%turns, %%turns, 1; setp.ne.u32 %%delay, %%turns, 0; @%%delay bra again;
delayed: }"""


def delayed(text, which, warp):
    """Warps wait behind each barrier, and at the beginning, until the others can go no further: `which` eq, this one; ne, all others."""
    delay, lines = " ".join((DELAY % (which, warp)).split("\n")), text.split("\n")
    for i, line in enumerate(lines):
        if BARRIER.match(line):
            lines[i] = line + " " + delay
    return "\n".join(lines)


def all_orders(fpdiff, kernel, text, site):
    """Each warp in turn runs behind all others from each barrier to the next, and what is asynchronous is carried out as late as
    waits allow; then before all others, and what is asynchronous at once. If all payloads stay the same, no order that the change allows computes
    anything else. (Fences order what no order of execution shows, and other descriptors and columns are other operations: not for these.)"""
    if re.match("fence|column|descriptor", site.kind):
        return None
    runs = 0
    for case in kernel.cases[:1]:
        right = right_results(fpdiff, kernel, case)
        warps = (threads_of(text, read_launch(case, kernel.variant)) + 31) // 32
        for warp in range(warps):
            for which, schedule in (("eq", "reverse"), ("ne", "forward")):
                status, _, computed = run_text(fpdiff, kernel, case, delayed(mutated(text, site), which, warp), "--schedule", schedule)
                if status != 0 or computed != right:
                    return None
                runs += 1
    return "the same payloads in %d orders of its warps" % runs


def threads_of(text, launch):
    said = re.search(r"block: \[([\d, ]*)\]", launch) or re.search(r"\.(?:reqntid|maxntid)\s+([\d, ]+)", text)
    count = 1
    for number in re.findall(r"\d+", said[1]):
        count *= int(number)
    return count


ASYNC_FENCE = re.compile(r"^\s*fence\.proxy\.async\b")
LABEL, BRANCH = re.compile(r"^\s*([$\w]+):"), re.compile(r"\b(?:bra|brx)\b[.\w]*\s+([$\w]+)")
ENDS = re.compile(r"^\s*(?:bra|brx|ret|exit|trap)\b")
# What writes shared memory in the generic proxy, or lets a thread know that it was written: barriers are none, as all threads run this text.
GENERIC_WRITE = re.compile(r"\b(?:st(?:\.\w+)*\.shared|stmatrix|atom|red|cp\.async\.(?:c[ag]|wait|mbarrier)|mbarrier|call)\b")


def fenced_anyway(fpdiff, kernel, text, site):
    """On each way that leads to the fence, another one comes before it, and nothing between that it would have to order; nor does
    the asynchronous proxy write what was read between: no bulk or other asynchronous copy is in the kernel."""
    if "fence removed: proxy" != site.kind or re.search(r"\.async\.bulk|clusterlaunchcontrol|brx", text):
        return None
    lines = re.sub(r"//[^\n]*", "", text).split("\n")
    sources = collections.defaultdict(list)
    for i, line in enumerate(lines):
        for target in BRANCH.findall(line):
            sources[target].append(i)
    to_see, seen, fences = [site.line - 2], set(), set()
    while to_see:
        at = to_see.pop()
        if at in seen or at < 0:
            continue
        seen.add(at)
        if ASYNC_FENCE.match(lines[at]):
            fences.add(at + 1)
            continue
        if GENERIC_WRITE.search(lines[at]):
            return None
        label = LABEL.match(lines[at])
        to_see += sources[label[1]] if label else []
        if not ENDS.match(lines[at - 1]) or not label:
            to_see.append(at - 1)
    return "after line %s nothing is written that the fence orders" % ", ".join(map(str, sorted(fences))) if fences else None


PROOFS = (fenced_anyway, never_reached, all_orders)


def run_unchanged(fpdiff, kernel):
    """What is wrong with the kernel as it is; '' if nothing is."""
    text, problems = without_sources(kernel.module.read_text()), []
    for case in kernel.cases:
        forward, reverse = run_text(fpdiff, kernel, case, text), run_text(fpdiff, kernel, case, text, "--schedule", "reverse")
        for status, said, _ in (forward, reverse):
            if status or WARNED.search(said):
                problems.append("%s: %s" % (case.stem, said.strip()))
        if forward[2] != reverse[2]:
            problems.append("%s: the schedules give different payloads" % case.stem)
    return "; ".join(problems)


def print_row(kernel, site, said):
    """A row of misuse.txt (run_misuse.sh)."""
    status, text = (3, said.rsplit(" [", 1)[0]) if ": error: " in said else (0, said)
    text = re.sub(r"^.*?block \([\d, ]*\): ", "", text)
    row = (kernel.cases[0].stem, site.line, site.old, site.new, status, text)
    print("|".join(" ".join(str(part).split()) for part in row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--draw", type=int, default=300)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--kernel", default="")
    parser.add_argument("--kind", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--unchanged", action="store_true")
    parser.add_argument("--rows", action="store_true")
    options = parser.parse_args()
    fpdiff = options.build / "bin/fpdiff"
    kernels = [k for k in all_kernels(options.build) if options.kernel in k.name]
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    if options.unchanged:
        wrong = 0
        for kernel, problem in zip(kernels, pool.map(lambda k: run_unchanged(fpdiff, k), kernels)):
            wrong += problem != ""
            print("%-40s %s" % (kernel.name, problem or "ok"), flush=True)
        print("%d kernels, %d reported" % (len(kernels), wrong))
        return wrong != 0
    sites, counts = [], collections.Counter()
    for kernel in kernels:
        text = without_sources(kernel.module.read_text())
        first, last = lines_of_entry(text, kernel.entry)
        sites += [(kernel, s) for s in all_sites(text) if first <= s.line < last and options.kind in s.kind]
    counts.update(site.kind for _, site in sites)
    if options.list:
        for kernel, site in sites:
            print("%s:%d: %s: %s" % (kernel.name, site.line, site.kind, site.what))
        return 0
    drawn = draw(sites, options.draw, options.seed)
    table, sides = collections.defaultdict(collections.Counter), collections.Counter()
    for (kernel, site), (answer, said, side) in zip(drawn, pool.map(lambda item: judge(fpdiff, *item), drawn)):
        table[site.kind][answer] += 1
        first = first_line(said)
        sides[side] += side != ""
        print("%-9s %-9s %s:%d: %s: %s | %s" % (answer, side, kernel.name, site.line, site.kind, site.what, first), flush=True)
        if options.rows and answer in ("found", "warned"):
            print_row(kernel, site, first)
    total = sum(table.values(), collections.Counter())
    print("\n| mistake | sites | drawn | found | warned | redundant | itself | elsewhere | differs | same |\n|---|---|---|---|---|---|---|---|---|---|")
    for kind, count in [*sorted(table.items()), ("all", total)]:
        here = counts[kind] if kind in counts else sum(counts.values())
        numbers = [here, sum(count.values()), *(count[name] for name in ("found", "warned", "redundant", "itself", "elsewhere", "changed"))]
        print("| %s | %s |" % (kind, " | ".join(map(str, [*numbers, numbers[1] - sum(numbers[2:])]))))
    print("\nnamed: " + ", ".join("%s %d" % side for side in sides.most_common() if side[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
