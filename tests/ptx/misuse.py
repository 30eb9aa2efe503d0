# SPDX-License-Identifier: Apache-2.0
# Mistakes in the synchronisation of PTX kernels: every place of every kind, and what fpdiff says of a sample.
"""python misuse.py CASES FPDIFF [--draw 300] [--seed 17] [--list] [--kernel NAME] [--jobs 2]

CASES is a folder of cases (make_oracle.py): CASE/case.yaml with CASE/*.ptx. A site is one place in a text where one thing
is changed: a wait, fence or arrive is removed, a phase flipped, a count, descriptor field or column changed. --list prints
all sites. Else as many as --draw says are drawn by the seed, alike from each kind as far as it has so many, and each runs
as a case whose first variant is the kernel as it was. A mistake is found if fpdiff exits with 3 and names a line of the
text; of what it does not find the payloads say whether it changed anything. Lines of .loc are dropped, so that messages
name lines of PTX."""

import argparse, collections, concurrent.futures, dataclasses, pathlib, random, re, shutil, subprocess, sys, tempfile


@dataclasses.dataclass(frozen=True)
class Site:
    kind: str
    line: int  # from 1 on
    what: str
    new: str  # the line instead


GUARD = r"(?P<guard>\s*(?:@!?%?[\w$]+\s+)?)"


def removed(pattern):
    """The instruction is not there."""
    form = re.compile(GUARD + "(?P<op>%s)[^;]*;" % pattern)

    def find(line, number, kind, text):
        found = form.match(line)
        if found:
            yield Site(kind, number, "without " + found["op"], "")

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


def descriptor_fields(line, number, kind, text):
    """Constants that matrix descriptors are made of: swizzle, stride and leading offset."""
    found = re.search(r"(?:or|mov)\.b64\s+(%\w+),\s*(?:%\w+,\s*)?(-?\d{14,});", line)
    if not found or not re.search(r"(?:tcgen05\.mma|tcgen05\.cp|wgmma\.mma)", text):
        return
    old = int(found[2]) & (1 << 64) - 1
    changes = {"swizzle": old ^ 1 << 62}
    if old >> 32 & 0x3FFF:
        changes["stride offset"] = old ^ (old >> 32 & 0x3FFF) << 32 | ((old >> 32 & 0x3FFF) * 2 & 0x3FFF) << 32
    if old >> 16 & 0x3FFF > 1:
        changes["leading offset"] = old ^ (old >> 16 & 0x3FFF) << 16 | ((old >> 16 & 0x3FFF) * 2 & 0x3FFF) << 16
    for what, new in changes.items():
        yield Site(kind, number, "%s of a descriptor" % what, line[: found.start(2)] + str(signed(new)) + line[found.end(2) :])


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
            yield from find(line, number, kind, bare)


def draw(sites, count, seed):
    """`count` of (case, site), from each kind as many as from the others as far as it has so many."""
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


def run(fpdiff, case, module, site):
    """('found', 'changed' or 'same', what fpdiff said) for one mistake."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "case"
        shutil.copytree(case, folder)
        text = without_sources((case / module).read_text())
        (folder / module).write_text(text)
        (folder / "mistake.ptx").write_text(mutated(text, site))
        result = subprocess.run([fpdiff, "--rounds", "1000000", str(folder / "misuse.yaml")], capture_output=True, text=True, timeout=300)
        said = (result.stdout + result.stderr).replace(str(folder) + "/", "")
        if result.returncode == 3 and re.search(r"mistake\.ptx:\d+", said):
            return "found", said
        return {0: "same", 1: "changed"}.get(result.returncode, "status %d" % result.returncode), said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("fpdiff", nargs="?")
    parser.add_argument("--draw", type=int, default=300)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--kernel", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    sites = []
    for case in sorted(p.parent for p in options.cases.glob("*/misuse.yaml")):
        for module in sorted(case.glob("normal.ptx")):
            if options.kernel in case.name:
                sites += [(case, module.name, s) for s in all_sites(without_sources(module.read_text()))]
    if options.list:
        for case, _, site in sites:
            print("%s:%d: %s: %s" % (case.name, site.line, site.kind, site.what))
        return
    drawn = draw([((c, m), s) for c, m, s in sites], options.draw, options.seed)
    table = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda item: run(options.fpdiff, *item[0], item[1]), drawn)
        for ((case, _), site), (answer, said) in zip(drawn, answers):
            table[site.kind][answer] += 1
            first = next((l for l in said.split("\n") if "mistake.ptx" in l or "error" in l), "")
            print("%-8s %s:%d: %s: %s | %s" % (answer, case.name, site.line, site.kind, site.what, first), flush=True)
    total = sum(table.values(), collections.Counter())
    print("\n| mistake | drawn | found | payloads differ | nothing changes |\n|---|---|---|---|---|")
    for kind, count in [*sorted(table.items()), ("all", total)]:
        others = sum(v for k, v in count.items() if k not in ("found", "changed", "same"))
        print("| %s | %d | %d | %d | %d |%s" % (kind, sum(count.values()), count["found"], count["changed"], count["same"], " %d other" % others if others else ""))


if __name__ == "__main__":
    sys.exit(main())
