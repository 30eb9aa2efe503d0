# SPDX-License-Identifier: Apache-2.0
"""Runs of many cases: campaign.py FPDIFF TESTS

Shards and their merged report are the report of one run; what is missing or doubled is refused; a case that never ends
is stopped by --timeout, by a signal, and by the end of its process, and all other cases are in the report.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

FPDIFF, TESTS = sys.argv[1], pathlib.Path(sys.argv[2])
CASES = TESTS / "cases"
GOOD, BAD = str(CASES / "tower" / "relu_ties.yaml"), str(TESTS / "bad" / "diverges.yaml")
ABSENT, ENDLESS = str(TESTS / "bad" / "there_is_no_such_case.yaml"), str(TESTS / "diff" / "endless.yaml")
CASE = """title: TITLE
buffers:
  X: {type: f32, shape: [64], fill: {uniform: {low: 0, high: 1}}}
  Y: {type: f32, shape: [64]}
variants:
  one: [{module: kernel.tileirbc, grid: [1], args: [X, Y]}]
  two: [{module: kernel.tileirbc, grid: [1], args: [X, Y]}]
compare: [Y]
"""
failures = []


def expect(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


def run(*words):
    done = subprocess.run([FPDIFF, *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def read(path):
    """A report without times, which differ."""
    report = json.loads(pathlib.Path(path).read_text())
    for case in report["cases"]:
        case.pop("times", None)
    return report


def results(report):
    return [(case["task"], case["result"]) for case in report["cases"]]


def shards(folder):
    words = [GOOD, ABSENT, BAD, "--seed", "3..4", "-O", "0", "--json"]
    whole = run(*words, folder / "whole")
    parts = [run(*words, folder / f"part{i}", "--shard", f"{i}/4") for i in range(1, 5)]
    files = [folder / f"part{i}" for i in range(1, 5)]
    expect(whole[0] == 2, "one run:", whole)
    expect([part[0] for part in parts] == [1, 1, 2, 2], "shards:", [part[0] for part in parts])
    merged = run("merge", *reversed(files), "--json", folder / "merged")
    expect(merged[0] == 2, "merge:", merged)
    expect(merged[1].endswith("6 cases, 2 ok, 2 wrong input, 2 failed\n"), "summary:", merged[1])
    one, joined = read(folder / "whole"), read(folder / "merged")
    expect(one["campaign"].pop("shard") == [1, 1], "shard of a whole run")
    expect(joined == one, "the merged report is not that of one run")

    status, _, errors = run("merge", *files[1:], "--json", folder / "none")
    expect(status == 2 and "2 of 6 cases are in none" in errors, "missing:", status, errors)
    expect(not (folder / "none").exists(), "a report in spite of missing cases")
    status, _, errors = run("merge", *files[1:], "--partial", "--json", folder / "some")
    expect(status == 2 and read(folder / "some")["campaign"]["missing"] == [0, 4], "partial:", status, errors)
    status, _, errors = run("merge", *files, files[2])
    expect(status == 2 and "has task 2" in errors and "part3" in errors, "doubled:", status, errors)
    expect(run("merge", *files, files[2], "--partial")[0] == 2, "doubled, partial")
    run(GOOD, ABSENT, "--shard", "2/4", "--json", folder / "other")
    status, _, errors = run("merge", files[0], folder / "other")
    expect(status == 2 and '"campaign" is' in errors, "another run:", status, errors)
    for options in (["--no-races"], ["--profile", "triton-3.9"], ["--runs", "2"], ["--unspecified", "zero"]):
        run(GOOD, ABSENT, BAD, "--seed", "3..4", "-O", "0", "--shard", "1/4", *options, "--json", folder / "options")
        status, _, errors = run("merge", folder / "options", *files[1:])
        expect(status == 2 and '"campaign" is' in errors, "a part with other options:", options, status, errors)


def commit(folder, title, kernel="copy_size_64"):
    """Two cases that share a kernel, as they are at a commit."""
    folder.mkdir(exist_ok=True)
    shutil.copy(TESTS / "bad" / f"{kernel}.tileirbc", folder / "kernel.tileirbc")
    for name in ("a.yaml", "b.yaml"):
        (folder / name).write_text(CASE.replace("TITLE", title if name == "b.yaml" else "the same"))


def contents(folder):
    """Parts of one campaign that ran on different files."""
    tree, one, two = folder / "tree", folder / "one", folder / "two"
    cases = [tree / "a.yaml", tree / "b.yaml"]
    commit(tree, "first")
    run(*cases, "--shard", "1/2", "--json", one)
    run(*cases, "--shard", "2/2", "--json", two)
    expect(run("merge", one, two, "--json", folder / "both")[0] == 0, "parts of the same files")
    both = read(folder / "both")
    hashes = both["campaign"]["contents"]
    expect(sorted(hashes) == sorted(map(str, cases)), "hashes of the cases:", hashes)
    kernel = str(tree / "kernel.tileirbc")
    for case in both["cases"]:
        expect(sorted(case["contents"]) == sorted([case["file"], kernel]), "files of a case:", case["contents"])
        expect(case["contents"][case["file"]] == hashes[case["file"]], "hash of a case:", case["contents"])
    expect(run("merge", folder / "both")[0] == 0, "a merged report merges")

    for title, kernel, changed in (("second", "copy_size_64", "b.yaml"), ("first", "checked_sqrt", "kernel.tileirbc")):
        commit(tree, title, kernel)
        run(*cases, "--shard", "2/2", "--json", two)
        for order in ([one, two], [two, one]):
            status, _, errors = run("merge", *order, "--partial")
            expect(status == 2 and f"another {tree / changed} than" in errors, "a part of other files:", status, errors)
            expect(str(order[1]) in errors, "which report:", errors)
    # What is not in the part that did not have it counts, too.
    commit(tree, "second")
    (tree / "a.yaml").unlink()
    run(*cases, "--shard", "2/2", "--json", two)
    status, _, errors = run("merge", one, two)
    expect(status == 2 and f"another {tree / 'a.yaml'} than" in errors, "a case that was not there:", status, errors)


def seed_of_run(seed, number):
    """SplitMix64, as --runs draws fresh seeds."""
    mask = (1 << 64) - 1
    z = (seed + (number - 1) * 0x9E3779B97F4A7C15) & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def unknown_in_some_runs(folder):
    """What only a spare chain does not know is no failure. Run 4 is in the first chain again."""
    case, excused, counted = TESTS / "diff" / "sometimes_unknown.yaml", 0, 0
    words = ["-O", "0", "--json", folder / "runs"]
    for seed in range(3, 20):
        unknown = [run(case, *words, "--seed", seed_of_run(seed, n) if n > 1 else seed)[0] for n in range(1, 5)]
        if unknown[0]:
            continue
        excused += unknown[1] or unknown[2]
        counted += unknown[3]
        for runs in range(2, 5):
            status = run(case, *words, "--seed", seed, "--runs", runs)[0]
            expect(status == (runs == 4 and unknown[3]), f"seed {seed}, {runs} runs:", unknown, status)
        if unknown[3]:
            decided = read(folder / "runs")["cases"][0]
            expect(decided["run"] == [4, 4] and decided["pairs"][0]["verdict"] == "unknown", decided)
        if excused and counted:
            return
    expect(False, "no seed with unknown elements in a run of either kind")


def bad_reports(folder):
    run(GOOD, "--json", folder / "good")
    good = json.loads((folder / "good").read_text())
    def changed(**keys):
        return json.dumps({key: value for key, value in {**good, **keys}.items() if value != "drop"})
    case = good["cases"][0]
    broken = {
        "": "is no report",
        "{": "is no report",
        "[]": "no '{'",
        changed(fpdiff=2): "format 2, expected 1",
        changed(status="drop"): "\"status\" is missing",
        changed(status=256): "\"status\" is missing or wrong",
        changed(cases=[{**case, "status": 256}]): "a case without",
        changed(cases=7): "\"cases\" is missing",
        changed(cases=[7]): "a case without",
        changed(cases=[{**case, "task": 1}]): "\"task\" is missing or wrong",
        changed(cases=[{**case, "task": -1}]): "\"task\" is missing or wrong",
        changed(campaign="drop"): "\"campaign\" is missing or wrong",
        changed(campaign={"tasks": 1 << 60, "key": ""}): "\"campaign\" is missing or wrong",
    }
    for text, message in broken.items():
        (folder / "broken").write_text(text)
        status, _, errors = run("merge", folder / "broken")
        expect(status == 2 and message in errors, "of a broken report:", text[:60], status, errors)
    (folder / "edited").write_text(changed(cases=[{**case, "status": 1}]))
    expect(run("merge", folder / "edited")[0] == 1, "the status of a case is not lost")
    (folder / "newer").write_text(changed(versions={**good["versions"], "congruent": "9.9"}))
    status, _, errors = run("merge", folder / "good", folder / "newer")
    expect(status == 2 and '"versions" is' in errors, "another version:", status, errors)
    first = {name: version for name, version in good["versions"].items() if name != "tower"}
    for versions in (first, {**first, "tower": good["versions"]["tower"] + "1"}):
        (folder / "algebra").write_text(changed(versions=versions))
        for files in (("good", "algebra"), ("algebra", "good")):
            status, _, errors = run("merge", *(folder / file for file in files))
            expect(status == 2 and '"versions" is' in errors and '"tower":' in errors, "another algebra:", status, errors)
    status, _, errors = run(GOOD, "--json", folder / "same", "--junit", f"{folder}/./same")
    expect(status == 2 and "two reports" in errors, "two reports in a file:", status, errors)
    status, _, errors = run(GOOD, "--json", folder / "no" / "folder")
    expect(status == 2 and "E102" in errors, "a path that cannot be written:", status, errors)
    status, text, _ = run(BAD, "--json", folder / "no" / "folder")
    expect(status == 2 and "DIVERGED" in text, "the verdict stands:", status)
    os.mkfifo(folder / "pipe")
    for path in (folder / "pipe", "/dev/null"):
        status, _, errors = run(path)
        expect(status == 2 and "read again" in errors, "a case that is no file:", status, errors)
    for words in ("0/4", "5/4", "2", "2/", "/2", "a/b", "1/0", "-1/2", "1/99999999999"):
        expect(run(GOOD, "--shard", words)[0] == 2, "--shard", words)
    for words in ("0", "-1", "x", "1s", "", "nan", "inf"):
        expect(run(GOOD, "--timeout", words)[0] == 2, "--timeout", words)


def stopped_by_timeout(folder):
    status, _, errors = run(ENDLESS, ABSENT, "--timeout", "5", "--json", folder / "late")
    report = read(folder / "late")
    expect(status == 3 and results(report) == [(0, "not run"), (1, "wrong input")], "timeout:", status, results(report))
    expect("was stopped after 5 seconds" in errors, errors)
    expect("stopped" in report["cases"][0]["errors"][0]["message"], report["cases"][0])


def start_endless(folder, name):
    """Returns once the kernel that never ends runs."""
    process = subprocess.Popen([FPDIFF, GOOD, ENDLESS, ABSENT, "--json", folder / name], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("the kernel runs"):
            return process
    raise SystemExit("fpdiff has ended: " + process.stderr.read())


def stopped_by_signal(folder, number):
    process = start_endless(folder, f"signal{number}")
    process.send_signal(number)
    _, errors = process.communicate()
    report = read(folder / f"signal{number}")
    expect(process.returncode == 130 and report["status"] == 130, "interrupted:", process.returncode)
    expect(results(report) == [(0, "ok"), (1, "not checked"), (2, "not checked")], results(report))
    expect("interrupted: 2 of 3 cases were not checked" in errors, errors)


def stopped_by_two_signals(folder):
    process = start_endless(folder, "signals")
    os.kill(process.pid, signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)
    _, errors = process.communicate()
    expect(process.returncode == 130, "interrupted twice:", process.returncode)
    expect((folder / "signals").exists() and read(folder / "signals")["status"] == 130, "no report:", errors)


def child_that_dies(folder):
    process = start_endless(folder, "dead")
    child = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
    os.kill(int(child.stdout), signal.SIGKILL)
    _, errors = process.communicate()
    report = read(folder / "dead")
    expect(process.returncode == 3, "a child that dies:", process.returncode)
    expect(results(report) == [(0, "ok"), (1, "not run"), (2, "wrong input")], results(report))
    expect("ended by signal" in errors, errors)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    shards(folder)
    contents(folder)
    unknown_in_some_runs(folder)
    bad_reports(folder)
    stopped_by_timeout(folder)
    for number in (signal.SIGINT, signal.SIGTERM):
        stopped_by_signal(folder, number)
    stopped_by_two_signals(folder)
    child_that_dies(folder)
print("\n".join(failures))
sys.exit(1 if failures else 0)
