# SPDX-License-Identifier: Apache-2.0
"""fpdiff mutate: command.py FPDIFF SOURCE

Classes, survivors and exit status of a small case; the fields of the JSON report that Stryker's mutation testing report
schema requires; shards, whose merged report is that of one run; broken reports; signals; sources that are elsewhere;
what is refused.
"""
import copy
import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

FPDIFF, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
CLAMP = str(SOURCE / "tests" / "mutate" / "clamp.yaml")
LEAST = str(SOURCE / "tests" / "mutate" / "least.yaml")
FIXED = str(SOURCE / "tests" / "mutate" / "fixed.yaml")
TAIL = str(SOURCE / "tests" / "mutate" / "tail.yaml")
SOFTMAX = str(SOURCE / "examples" / "softmax" / "softmax.yaml")
ENDLESS = str(SOURCE / "tests" / "diff" / "endless.yaml")
STATUSES = {"Killed", "Survived", "NoCoverage", "CompileError", "RuntimeError", "Timeout", "Ignored", "Pending"}
failures = []


def expect(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


def run(*words):
    done = subprocess.run([FPDIFF, "mutate", "-O", "0", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def merge(*words):
    done = subprocess.run([FPDIFF, "merge", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def read(path):
    return json.loads(pathlib.Path(path).read_text())


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
        expect(file["language"] and file["source"] == (SOURCE / path).read_text(), "file:", path)
        lines = file["source"].split("\n")
        for mutant in file["mutants"]:
            start, end = mutant["location"]["start"], mutant["location"]["end"]
            expect(isinstance(mutant["id"], str) and mutant["mutatorName"] and mutant["replacement"], "mutant:", mutant)
            expect(mutant["status"] in STATUSES and mutant["statusReason"], "status:", mutant)
            expect(1 <= start["line"] == end["line"] <= len(lines), "line:", mutant)
            expect(1 <= start["column"] < end["column"] <= len(lines[end["line"] - 1]) + 1, "column:", mutant)
    found = {mutant["status"] for mutant in mutants(report)}
    expect({"Killed", "Survived", "Timeout"} <= found, "statuses:", found)


# All mutants of some lines of clamp.mlir, read off the tables of docs/mutants.md.
EXPECTED = {
    3: ["constant: 0 becomes 1"],
    4: ["constant: 3 becomes 6"],
    5: ["scale_result: its result is multiplied by 2", "scale_result: its result is negated"],
    6: ["other_operand: operand 1 becomes the result of constant in line 4",
        "other_operand: operand 2 becomes the result of load_ptr_tko in line 5",
        "replace_op: it becomes minf", "replace_op: it becomes addf",
        "drop_op: it is left out: operand 1 is in its place", "drop_op: it is left out: operand 2 is in its place",
        "scale_result: its result is multiplied by 2", "scale_result: its result is negated"],
    7: ["other_operand: operand 1 becomes the result of load_ptr_tko in line 5",
        "other_operand: operand 2 becomes the result of maxf in line 6",
        "replace_op: it becomes addf", "replace_op: it becomes divf",
        "drop_op: it is left out: operand 1 is in its place", "drop_op: it is left out: operand 2 is in its place",
        "scale_result: its result is multiplied by 2", "scale_result: its result is negated"],
    8: ["other_operand: operand 2 becomes the result of maxf in line 6", "drop_store: nothing is stored"],
    9: [],
    14: ["constant: 1 becomes one more", "constant: 1 becomes one less"],
    17: ["swap_operands: its two operands change places",
         "other_operand: operand 1 becomes the result of constant in line 12",
         "other_operand: operand 2 becomes the result of load_ptr_tko in line 16",
         "predicate: greater_than becomes greater_than_or_equal", "predicate: greater_than becomes less_than_or_equal"],
    18: ["swap_operands: its two operands change places",
         "other_operand: operand 2 becomes the result of constant in line 12",
         "other_operand: operand 3 becomes the result of load_ptr_tko in line 16",
         "drop_op: the mask is dropped: all elements are of operand 2",
         "drop_op: the mask is dropped: all elements are of operand 3"],
    21: ["other_operand: operand 1 becomes the result of cmpf in line 17", "condition: its condition is negated",
         "condition: its condition always holds", "condition: its condition never holds"],
}


def table(folder):
    run(CLAMP, "--seed", 2, "--json", folder / "table")
    found = {}
    for mutant in mutants(read(folder / "table")):
        words = f"{mutant['mutatorName']}: {mutant['replacement']}"
        found.setdefault(mutant["location"]["start"]["line"], []).append(words)
    for line, expected in EXPECTED.items():
        expect(found.get(line, []) == expected, "line", line, "has", found.get(line), "expected", expected)


def shards(folder):
    words = [CLAMP, "--seed", 2, "--json"]
    whole, text, _ = run(*words, folder / "whole")
    files = [folder / f"shard{i}" for i in range(1, 4)]
    parts = [run(*words, files[i], "--shard", f"{i + 1}/3") for i in range(3)]
    expect(whole == 0 and not any(part[0] for part in parts), "status of shards:", whole, parts)
    status, out, errors = merge(*reversed(files), "--json", folder / "joined")
    one, joined = read(folder / "whole"), read(folder / "joined")
    expect(status == 0 and not errors and out == text, "merged:", status, errors, out)
    expect(one["config"].pop("shard") == [1, 1], "shard of a whole run")
    expect(joined == one, "the merged report is not that of one run")
    expect(list(joined["files"]) == list(one["files"]), "the order of files")
    again = merge(folder / "joined", "--quiet", "--json", folder / "again")
    expect(again == (0, "", "") and read(folder / "again") == joined, "a merged report is merged:", again)

    score = joined["config"]["score"]
    expect(0 < score < 100, "score", score)
    expect(merge(*files, "--threshold", int(score))[0] == 0, "a score that is high enough")
    expect(merge(*files, "--threshold", int(score) + 1)[0] == 1, "a score that is too low")
    for i in range(3):
        run(*words, folder / f"strict{i}", "--shard", f"{i + 1}/3", "--threshold", int(score) + 1)
    strict = [folder / f"strict{i}" for i in range(3)]
    expect(merge(*strict)[0] == 1, "the threshold of the parts")
    expect(merge(*strict, "--threshold", 1)[0] == 0, "a threshold in place of that of the parts")
    expect(read(strict[0])["config"]["status"] == 0, "the status of a part is not about its threshold")

    def refused(expected, *words):
        status, out, errors = merge(*words, "--json", folder / "refused")
        expect(status == 2 and expected in errors and not out, "merge", words, "says", status, errors, out)
        expect(not (folder / "refused").exists(), "a report in spite of:", expected)

    refused("of 74 mutants are in none of the reports", *files[1:])
    refused("has mutant 0, which another report has, too", *files, files[0])
    refused('"threshold" is 0.0', strict[0], *files[1:])
    run(CLAMP, "--seed", 3, "--shard", "1/3", "--json", folder / "other")
    refused('"seed" is', folder / "other", *files[1:])
    run(LEAST, "--seed", 2, "--shard", "1/3", "--json", folder / "other")
    refused('"case" is', folder / "other", *files[1:])
    run(*words, folder / "other", "--shard", "1/3", "--no-races")
    refused('"key" is', folder / "other", *files[1:])
    (folder / "comparisons").write_text(json.dumps({"fpdiff": 1, "schema": {"schemaVersion": "2"}, "cases": []}))
    refused("is no report of mutants", files[0], folder / "comparisons")
    refused("is a report of mutants, and ", folder / "comparisons", files[0])
    refused("--html does not go with reports of mutants", *files, "--html", folder / "page")
    refused("--threshold is for reports of mutants", folder / "comparisons", "--threshold", 5)
    refused("there_is_none", *files, folder / "there_is_none")

    status, out, errors = merge(*files[1:], files[1], "--partial", "--json", folder / "some")
    some = read(folder / "some")
    expect(status == 0 and not errors, "partial:", status, errors)
    expect([m["id"] for m in mutants(read(files[0]))] == [str(i) for i in some["config"]["missing"]], "missing")
    expect(f'{len(some["config"]["missing"])} mutants are in none of the reports' in out, "missing:", out)


def empty(folder):
    status, out, errors = run(CLAMP, "--threshold", 50, "--shard", "90/90", "--json", folder / "empty")
    report = read(folder / "empty")
    expect(status == 0 and not errors and out.endswith("  no mutants in this part\n"), "empty:", status, out, errors)
    expect("score" not in out and report["config"]["score"] is None and not report["files"], "empty:", out, report)
    merged = [folder / "whole", folder / "empty"]
    run(CLAMP, "--seed", 2, "--shard", "90/90", "--json", folder / "empty")
    expect(merge(*merged)[0] == 0, "an empty part is merged")


def change(value, dice):
    """One change somewhere in the JSON."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        if dice.random() < 0.2:
            del value[key]
        else:
            value[key] = change(value[key], dice)
    elif isinstance(value, list) and value and dice.random() < 0.9:
        place = dice.randrange(len(value))
        if dice.random() < 0.2:
            value.append(copy.deepcopy(value[place]))
        else:
            value[place] = change(value[place], dice)
    else:
        return dice.choice([None, True, 0, -1, 1, 74, 1 << 40, 0.5, 1e300, "", "0", "9" * 30, "-1", "survived", [], {},
                            [[]], {"": 0}, "\ud800\u0000x"])
    return value


def broken(folder):
    """No report makes it crash, and what it takes is written."""
    dice = random.Random(18)
    run(CLAMP, "--seed", 2, "--json", folder / "good", "--shard", "1/2")
    run(CLAMP, "--seed", 2, "--json", folder / "rest", "--shard", "2/2")
    text = (folder / "good").read_bytes()
    taken = 0
    for i in range(150):
        if i % 3:
            report = json.loads(text)
            for _ in range(dice.choice([1, 1, 1, 4])):
                report = change(report, dice)
            made = json.dumps(report).encode()
        else:
            at = dice.randrange(len(text))
            made = text[:at] + dice.randbytes(dice.randrange(3)) + text[at + dice.choice([0, 1, 1000, len(text)]):]
        (folder / "broken").write_bytes(made)
        files = [folder / "broken", folder / "rest"]
        dice.shuffle(files)
        done = subprocess.run([FPDIFF, "merge", *files, "--json", folder / "made", *dice.choice([[], ["--partial"]])],
                              capture_output=True)
        expect(done.returncode in (0, 1, 2, 3, 130) and (done.returncode != 2 or done.stderr), "a broken report", i, ":",
               done.returncode, done.stderr, made[:200])
        if done.returncode == 0:
            read(folder / "made")
            taken += 1
    expect(0 < taken < 100, "broken reports that are merged:", taken)
    for made, message in ((b"", "no such"), (b"[]", "no '{'"), (b'{"schemaVersion": "2"}', "another program"),
                          (b'{"schemaVersion": "1"}', "schemaVersion")):
        (folder / "broken").write_bytes(made)
        status, _, errors = merge(folder / "broken")
        expect(status == 2 and (message in errors or not made), "a broken report:", made, errors)


def start(folder, name, *words):
    """A run whose standard error is a terminal, so that it tells how many mutants are done."""
    here, there = pty.openpty()
    process = subprocess.Popen([FPDIFF, "mutate", "-O", "0", *words, "--json", folder / name], stdout=subprocess.PIPE,
                               stderr=there, text=True)
    os.close(there)
    return process, here


def start_softmax(folder, name):
    """Returns when some mutants were tried, and many were not."""
    process, terminal = start(folder, name, SOFTMAX)
    said = b""
    while not re.search(rb"[3-9] of \d+ mutants", said):
        said += os.read(terminal, 4096)
    return process, terminal


def check_interrupted(process, terminal, path, status):
    out, _ = process.communicate()
    os.close(terminal)
    report = read(path)
    pending = [mutant for mutant in mutants(report) if mutant["status"] == "Pending"]
    expect(process.returncode == status and report["config"]["status"] == status, "interrupted:", process.returncode)
    expect(report["config"]["mutants"] == len(mutants(report)), "mutants are missing")
    expect(0 < len(pending) <= len(mutants(report)) - 3, "not tried:", len(pending), "of", len(mutants(report)))
    expect(all(mutant["statusReason"] == "untried: not tried" for mutant in pending), "reason:", pending[:1])
    expect(f"  {len(pending)} mutants were not tried: {report['config']['interruption']}\n" in out, out)
    expect(out.rstrip().endswith("were killed, of those that were tried"), "score:", out[-200:])
    status, text, _ = merge(path)
    expect(status == process.returncode and text == out, "merge of an interrupted report:", status)


def kill_child(process):
    child = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
    os.kill(int(child.stdout), signal.SIGKILL)


def signals(folder):
    for number in (signal.SIGINT, signal.SIGTERM):
        process, terminal = start_softmax(folder, "signal")
        process.send_signal(number)
        check_interrupted(process, terminal, folder / "signal", 130)
    process, terminal = start_softmax(folder, "twice")
    os.kill(process.pid, signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)
    check_interrupted(process, terminal, folder / "twice", 130)
    process, terminal = start_softmax(folder, "dead")
    kill_child(process)
    check_interrupted(process, terminal, folder / "dead", 3)

    for name, stop, expected in (("endless", lambda process: process.send_signal(signal.SIGINT), 130),
                                 ("dead early", kill_child, 3)):
        process, terminal = start(folder, name, ENDLESS, "--rounds", str(1 << 60))
        for line in process.stdout:
            if line.startswith("the kernel runs"):
                break
        stop(process)
        out, _ = process.communicate()
        os.close(terminal)
        report = read(folder / name)
        expect(process.returncode == expected and "  no score: no mutant that was tried counts\n" in out, name, ":",
               process.returncode, out)
        expect(report["config"]["status"] == expected and report["config"]["asExpected"] is None, name, ":", report)
        expect({m["status"] for m in mutants(report)} == {"Pending"}, name, ":", report)


def sources(folder):
    """A case whose kernels' sources are not where their modules say, as on another machine."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    for file in (SOURCE / "examples" / "softmax").glob("softmax*"):
        if file.suffix != ".py":
            shutil.copy(file, elsewhere)
    words = [elsewhere / "softmax.yaml", "--shard", "1/60", "--json"]
    run(*words, folder / "absent")
    run(*words, folder / "mapped", "--source-root", SOURCE / "examples" / "softmax")
    absent, mapped = read(folder / "absent")["files"], read(folder / "mapped")["files"]
    expect([file["source"] for file in absent.values()] == [""], "a source that is not here:", list(absent))
    expect(list(mapped) == ["softmax.py"], "--source-root:", list(mapped))
    text = (SOURCE / "examples" / "softmax" / "softmax.py").read_text()
    expect([file["source"] for file in mapped.values()] == [text], "the source below --source-root")
    status, out, errors = merge(folder / "absent", folder / "mapped", "--partial")
    expect(status == 0, "parts with and without sources:", status, errors)


def builds():
    status, out, errors = run(SOURCE / "examples" / "modes" / "softmax.yaml", "--shard", "1/200")
    expect("kernels are compiled as they are written, not in the builds of the case: " in out, "builds:", out, errors)


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
    refused("--timeout does not go with mutate", CLAMP, "--timeout", 5)
    status, out, errors = run(CLAMP, "--json", folder / "absent" / "report")
    expect(status == 2 and "score:" in out and "report" in errors, "a report that cannot be written:", status, errors)


# What ended before the first mutant leaves no older report behind.
def errors_first(folder):
    report = folder / "of errors"
    for case, lists in ((folder / "gone.yaml", False), (SOURCE / "tests" / "bad" / "assertion.yaml", True)):
        report.write_text("an older one")
        status, out, errors = run(case, "--json", report)
        expect(status in (2, 3) and not out and errors, case, "ends with", status, out, errors)
        found = read(report)
        config = found["config"]
        expect(found["schemaVersion"] == "2" and config["case"] == str(case), "report of errors:", found)
        expect(config["status"] == status and config["interruption"], "report of errors:", config)
        expect(bool(mutants(found)) == lists, "mutants:", len(mutants(found)))
        expect(all(mutant["status"] == "Pending" for mutant in mutants(found)), "tried:", found)
    (folder / "an object").write_text("{}")
    status, _, errors = merge(folder / "an object", report)
    expect(status == 2 and f"{folder / 'an object'} is none" in errors, "an empty object:", status, errors)


def main():
    with tempfile.TemporaryDirectory() as folder:
        text()
        larger_numbers()
        fixed_numbers()
        sizes()
        schema(pathlib.Path(folder))
        table(pathlib.Path(folder))
        shards(pathlib.Path(folder))
        empty(pathlib.Path(folder))
        broken(pathlib.Path(folder))
        signals(pathlib.Path(folder))
        sources(pathlib.Path(folder))
        builds()
        strength()
        refusals(pathlib.Path(folder))
        errors_first(pathlib.Path(folder))
    print("\n".join(failures), end="\n" if failures else "")
    return bool(failures)


sys.exit(main())
