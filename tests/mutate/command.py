# SPDX-License-Identifier: Apache-2.0
"""fpdiff mutate: command.py FPDIFF SOURCE

Classes, survivors and exit status of a small case; the fields of the JSON report that Stryker's mutation testing report
schema requires; shards, that put together are all mutants; what is refused.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FPDIFF, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
CLAMP = str(SOURCE / "tests" / "mutate" / "clamp.yaml")
LEAST = str(SOURCE / "tests" / "mutate" / "least.yaml")
FIXED = str(SOURCE / "tests" / "mutate" / "fixed.yaml")
TAIL = str(SOURCE / "tests" / "mutate" / "tail.yaml")
STATUSES = {"Killed", "Survived", "NoCoverage", "CompileError", "RuntimeError", "Timeout", "Ignored", "Pending"}
failures = []


def expect(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


def run(*words):
    done = subprocess.run([FPDIFF, "mutate", "-O", "0", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def mutants(report):
    return [mutant for file in report["files"].values() for mutant in file["mutants"]]


def text():
    status, out, errors = run(CLAMP, "--seed", 1)
    expect(status == 0 and not errors, "mutate:", status, errors)
    expect("survived: this data cannot tell\n" in out, "no survivors:", out)
    expect("clamp.mlir:7: product, product: mulf: its result is multiplied by 2 (seed 2 can:" in out, "survivor:", out)
    expect("clamp.mlir:17: sums, sums: cmpf: greater_than becomes greater_than_or_equal\n" in out, "undecided:", out)
    again = run(CLAMP, "--seed", 1, "--jobs", 1)
    expect(again[1] == out, "another report with one job")


def larger_numbers():
    status, out, errors = run(LEAST)
    expect(status == 0 and not errors, "larger numbers:", status, errors)
    expect("least.mlir:3: one, least: constant: 2 becomes 4 (seed 4, larger numbers can:" in out, "larger numbers:", out)


def fixed_numbers():
    status, out, errors = run(FIXED)
    expect(status == 0 and not errors, "fixed numbers:", status, errors)
    expect("survivors ran again with seed 2, seed 3 with other constants and files, seed 4, larger numbers, seed 5, larger "
           "numbers of both signs\n" in out, "data:", out)
    expect("fixed.mlir:5: one, fixed: mulf: it becomes addf (seed 3 with other constants and files can:" in out,
           "a constant:", out)
    expect("fixed.mlir:4: one, fixed: absf: it is left out (seed 5, larger numbers of both signs can:" in out, "a sign:", out)


def sizes():
    status, out, errors = run(TAIL)
    expect(status == 0 and not errors, "sizes:", status, errors)
    expect("survivors ran again with seed 2, seed 3, seed 4, larger numbers, N = 50\n" in out, "data:", out)
    expect("tail.mlir:14: sum, sum: load_ptr_tko: the mask lets all elements pass (N = 50 can: variant sum (fpsan), "
           "launch 1 of 1: kernel sum: block (0, 0, 0): load_ptr_tko (load of tile (64) through pointers): an access "
           "at byte 200 of buffer X" in out, "survivor:", out)
    expect("equivalent: equivalent by both arithmetics\n" in out and "undecided:" not in out, "equivalent:", out)
    expect("undecided:" in run(TAIL, "--quick")[1], "--quick")
    status, _, errors = run(TAIL, "--set", "M=3")
    expect(status == 2 and "M" in errors, "--set of no parameter:", status, errors)


def schema(folder):
    status, _, _ = run(CLAMP, "--seed", 2, "--json", folder / "report", "--threshold", 60)
    report = json.loads((folder / "report").read_text())
    expect(status == 0, "status:", status)
    expect(report["schemaVersion"] == "2", "schemaVersion:", report["schemaVersion"])
    expect(report["thresholds"] == {"high": 80, "low": 60}, "thresholds:", report["thresholds"])
    ids = [mutant["id"] for mutant in mutants(report)]
    expect(len(ids) > 60 and len(ids) == len(set(ids)), "ids:", len(ids))
    for path, file in report["files"].items():
        expect(file["language"] and file["source"] == pathlib.Path(path).read_text(), "file:", path)
        lines = file["source"].split("\n")
        for mutant in file["mutants"]:
            start, end = mutant["location"]["start"], mutant["location"]["end"]
            expect(isinstance(mutant["id"], str) and mutant["mutatorName"] and mutant["replacement"], "mutant:", mutant)
            expect(mutant["status"] in STATUSES and mutant["statusReason"], "status:", mutant)
            expect(1 <= start["line"] == end["line"] <= len(lines), "line:", mutant)
            expect(1 <= start["column"] < end["column"] <= len(lines[end["line"] - 1]) + 1, "column:", mutant)
    found = {mutant["status"] for mutant in mutants(report)}
    expect({"Killed", "Survived", "Timeout"} <= found, "statuses:", found)
    whole = {mutant["id"]: mutant["status"] for mutant in mutants(report)}
    parts = {}
    for i in range(1, 4):
        expect(run(CLAMP, "--seed", 2, "--json", folder / "part", "--shard", f"{i}/3")[0] == 0, "shard", i)
        part = {mutant["id"]: mutant["status"] for mutant in mutants(json.loads((folder / "part").read_text()))}
        expect(not part.keys() & parts.keys(), "mutants in two shards")
        parts.update(part)
    expect(parts == whole, "the shards are not the whole")


def strength():
    expect(run(CLAMP, "--seed", 1, "--threshold", 60)[0] == 1, "a weak case passes")
    expect(run(CLAMP, "--seed", 2, "--threshold", 60)[0] == 0, "a strong case fails")
    status, out, _ = run(SOURCE / "tests" / "bad" / "diverges.yaml")
    expect(status == 1 and "is not as expected" in out, "a case that diverges:", status, out)


def refusals(folder):
    def refused(expected, *words):
        status, out, errors = run(*words)
        expect(status == 3 if "Tile IR" in expected else status == 2, "status", status, words)
        expect(expected in errors and not out, words, "says", errors)

    refused("softmax.ptx: error: this module is no Tile IR", SOURCE / "examples" / "ptx" / "softmax.yaml")
    refused("expects its variants to diverge", SOURCE / "examples" / "attention" / "bug_sum.yaml")
    refused("mutate takes one case file", CLAMP, CLAMP)
    refused("--threshold is '101'", CLAMP, "--threshold", 101)
    refused("--threshold is 'nan'", CLAMP, "--threshold", "nan")
    refused("mutate is for --target host", CLAMP, "--target", "simt")
    refused("--reroll does not go with mutate", CLAMP, "--reroll")
    status, out, errors = run(CLAMP, "--json", folder / "absent" / "report")
    expect(status == 2 and "score:" in out and "report" in errors, "a report that cannot be written:", status, errors)


def main():
    with tempfile.TemporaryDirectory() as folder:
        text()
        larger_numbers()
        fixed_numbers()
        sizes()
        schema(pathlib.Path(folder))
        strength()
        refusals(pathlib.Path(folder))
    print("\n".join(failures), end="\n" if failures else "")
    return bool(failures)


sys.exit(main())
