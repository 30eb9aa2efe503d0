# SPDX-License-Identifier: Apache-2.0
# Measures fpdiff explain: how often is the line of the bug among the first three that it names?
"""python verdicts/explain.py --fpdiff PROGRAM [--half a|b] [--every N] [--jobs N] [--seconds S] [--details] [FAMILY/NAME.yaml...]

Runs `fpdiff explain` over the mutants of the corpus (all of them, or those that are named) and compares with truth.json
of each family. Mutants that algebra cannot see are left out. Two baselines are computed from the same reports: the line
that stores the first wrong element, and three random lines of the mutated variant's kernels. Families are in half a or
b by a hash of their name, so that what is developed on one half can be checked on the other. --every N takes each
N-th mutant. --floor P: exit status 1 if less than P per cent have the line among the first three."""

import argparse
import hashlib
import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
BATCH = 6


def half_of(family):
    return "ab"[int(hashlib.sha256(family.encode()).hexdigest(), 16) % 2]


def mutants(names):
    """(case file, family, truth) of each mutant that algebra can see."""
    wanted = {Path(name).resolve() for name in names}
    for table in sorted(HERE.glob("*/truth.json")):
        for stem, truth in json.loads(table.read_text()).items():
            path = table.parent / f"{stem}.yaml"
            if (not wanted or path in wanted) and "\nexpect: diverge\n" in path.read_text():
                yield path, table.parent.name, truth


def explain(program, seconds, batch, quick=True):
    """A report of each mutant: at the first of its sizes at which it diverges, which most do at the very first."""
    command = [program, "explain", "--json", "-", "--jobs", "1", "--timeout", "120"]
    command += ["--seconds", str(seconds)] if seconds else []
    command += ["--quick"] if quick else []
    done = subprocess.run([*command, *map(str, (m[0] for m in batch))], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    reports = {}
    for case in json.loads(done.stdout)["cases"]:
        if case["file"] not in reports or not reports[case["file"]].get("explained"):
            reports[case["file"]] = case
    if len(reports) != len(batch):
        sys.exit(f"{len(reports)} reports for {len(batch)} cases")
    rows = []
    for mutant in batch:
        case = reports[str(mutant[0])]
        again = quick and not case.get("explained") and "parameters" in case
        rows += explain(program, seconds, [mutant], False) if again else [(mutant, case)]
    return rows


def is_line(place, family, truth):
    source = truth.get("file", f"{family}.py")  # of families with several files the table names it
    return bool(place["file"]) and place["file"].endswith(f"/{source}") and place["line"] in truth["kernel"]


def is_bug(suspect, family, truth):
    if "launch" in truth:
        return suspect["of_launch"] and suspect["launch"] + 1 in truth["launch"]
    return not suspect["of_launch"] and is_line(suspect, family, truth)


def random_chance(lines, hits):
    """That one of three lines, chosen at random among so many, is one of the right ones."""
    if lines <= 3:
        return float(hits > 0)
    return 1 - math.comb(lines - hits, 3) / math.comb(lines, 3)


def judge(mutant, case):
    path, family, truth = mutant
    pairs = case.get("explained", [])
    row = {"name": f"{family}/{path.stem}", "half": half_of(family), "kind": next(iter(truth)), "rank": None}
    row |= {"stored": 0, "random": 0, "seconds": 0, "why": "no report" if case.get("errors") else "no divergence"}
    if not pairs:
        return row
    pair = pairs[0]
    ranks = [i + 1 for i, s in enumerate(pair["suspects"]) if is_bug(s, family, truth)]
    row["rank"] = min(ranks, default=None)
    row["proven"] = bool(ranks) and pair["suspects"][ranks[0] - 1]["proven"]
    row["any_proven"] = any(s["proven"] for s in pair["suspects"])
    row["seconds"] = pair["seconds"]
    row["relations"] = [r["kind"] for r in pair["relations"]]
    row["why"] = pair["not_tried"] or f"{pair['edits_tried']} of {pair['edits']}, {pair['edits_refuted']} refuted"
    if row["kind"] == "kernel":
        row["stored"] = is_line(pair["stored_at"], family, truth)
        row["random"] = random_chance(len(pair["lines"]), sum(is_line(p, family, truth) for p in pair["lines"]))
    return row


def share(part, whole):
    return f"{part:.0f} of {whole} ({100 * part / whole:.1f} %)" if whole else "none"


def print_table(title, rows):
    count = len(rows)
    first = lambda n: sum(r["rank"] is not None and r["rank"] <= n for r in rows)  # noqa: E731
    print(f"| {title} | {count} | {share(first(1), count)} | {share(first(3), count)} "
          f"| {share(sum(r['stored'] for r in rows), count)} | {share(sum(r['random'] for r in rows), count)} "
          f"| {max((r['seconds'] for r in rows), default=0):.1f} s |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fpdiff", required=True)
    parser.add_argument("--half", choices="ab")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--floor", type=float, default=0)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    all_of_them = [m for m in mutants(arguments.cases) if arguments.half in (None, half_of(m[1]))]
    taken = all_of_them[:: arguments.every]
    batches = [taken[i : i + BATCH] for i in range(0, len(taken), BATCH)]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        done = pool.map(lambda batch: explain(arguments.fpdiff, arguments.seconds, batch), batches)
        rows = [judge(*pair) for batch in done for pair in batch]
    if arguments.details:
        for row in rows:
            print(f"{row['name']:<52} {row['kind']:<7} rank {row['rank'] or '-':<3} {row['seconds']:5.1f} s  "
                  f"{'proven' if row.get('proven') else 'others proven' if row.get('any_proven') else '-':<14} "
                  f"{','.join(row.get('relations', []))} {row['why']}")
        print()
    print("| mutants | count | line is first | among three | storing line | three random lines | longest |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for title, chosen in (("all", rows), ("of kernels", [r for r in rows if r["kind"] == "kernel"]),
                          ("of launches", [r for r in rows if r["kind"] == "launch"]),
                          ("half a", [r for r in rows if r["half"] == "a"]), ("half b", [r for r in rows if r["half"] == "b"])):
        print_table(title, chosen)
    reached = sum(r["rank"] is not None and r["rank"] <= 3 for r in rows)
    sys.exit(reached * 100 < arguments.floor * len(rows))


if __name__ == "__main__":
    main()
