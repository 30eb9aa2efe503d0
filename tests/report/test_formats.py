# SPDX-License-Identifier: Apache-2.0
"""Reads the reports of fpdiff with junitparser and sarif-tools: test_formats.py FPDIFF SOURCES

What the two do not ask for is checked here: required fields, limits of GitHub, and that no report says more or less
than the JSON report and the exit status do."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import unquote

from junitparser import Error, Failure, JUnitXml, Properties, Skipped
from sarif import loader

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CASES = SOURCES / "tests/cases"


class Reports:
    """What a run of fpdiff has written, in all formats."""

    def __init__(self, folder, arguments, environment=None, cwd=None):
        self.paths = {name: folder / f"report.{name}" for name in ("json", "junit", "sarif", "markdown")}
        options = [part for name, path in self.paths.items() for part in (f"--{name}", str(path))]
        self.summary = folder / "summary.md"
        env = dict(os.environ, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(self.summary), **(environment or {}))
        output = folder / "output"
        with open(output, "wb") as file, open(folder / "errors", "wb") as errors:
            process = subprocess.Popen(
                [FPDIFF, *arguments, "--quiet", *options], env=env, cwd=cwd, stdout=file, stderr=errors
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.status, self.memory = process.returncode, usage.ru_maxrss * 1024
        self.annotations = output.read_text().split("\n")[:-1]
        self.errors = (folder / "errors").read_text(errors="replace")
        self.load()

    def load(self):
        self.json = json.loads(self.paths["json"].read_text())
        self.cases = self.json["cases"]
        self.suites = list(JUnitXml.fromfile(str(self.paths["junit"])))
        self.xml = JUnitXml.fromfile(str(self.paths["junit"]))
        self.sarif = json.loads(self.paths["sarif"].read_text())
        self.run = self.sarif["runs"][0]
        self.results = self.run["results"]
        self.records = loader.load_sarif_file(str(self.paths["sarif"])).get_records()
        self.markdown = self.paths["markdown"].read_text()

    def suite(self, name):
        return next(s for s in self.suites if s.name == name)


def outcome(test):
    """passed, or the kinds of its results."""
    kinds = {Failure: "failure", Error: "error", Skipped: "skipped"}
    return kinds[type(test.result[0])] if test.result else "passed"


def outcomes(suite):
    return {test.name: outcome(test) for test in suite}


def properties(element):
    found = element.child(Properties)
    return {p.name: p.value for p in found} if found is not None else {}


def uri(result):
    return unquote(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def line(result):
    """None: the whole file."""
    return result["locations"][0]["physicalLocation"].get("region", {}).get("startLine")


def github_hash(path, number):
    """primaryLocationLineHash, computed from its definition."""
    text = re.sub("\r\n?", "\n", path.read_text())
    stripped, begins, begin = [], [], True
    for character in text:
        if character in " \t":
            continue
        if begin:
            begins.append(len(stripped))
        begin = character == "\n"
        units = character.encode("utf-16-le")
        stripped += [int.from_bytes(units[i : i + 2], "little") for i in range(0, len(units), 2)]
    if begin:
        begins.append(len(stripped))
    stripped += [0xFFFF] + [0] * 100
    hashes = [sum(c * 37 ** (99 - i) for i, c in enumerate(stripped[b : b + 100])) % 2**64 for b in begins]
    return f"{hashes[number - 1]:x}:{hashes[:number].count(hashes[number - 1])}"


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        (self.tree / ".git").mkdir(parents=True)

    def case(self, name, text, *files):
        """A case file in the work tree, with files of tests/ and examples/ beside it."""
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for file in files:
            shutil.copy(SOURCES / file, path.parent)
        return str(path)

    def check(self, reports):
        """What holds of all reports."""
        self.assertEqual(reports.sarif["version"], "2.1.0")
        self.assertIn("$schema", reports.sarif)
        driver = reports.run["tool"]["driver"]
        self.assertEqual(driver["name"], "fpdiff")
        ids = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(set(ids)), len(ids))
        for rule in driver["rules"]:
            self.assertLessEqual(len(rule["shortDescription"]["text"]), 1024)
            self.assertLessEqual(len(rule["fullDescription"]["text"]), 1024)
            self.assertIn(rule["defaultConfiguration"]["level"], ("none", "note", "warning", "error"))
        prints, places = set(), set()
        self.assertLessEqual(len(reports.results), 5000)
        for result in reports.results:
            self.assertEqual(ids[result["ruleIndex"]], result["ruleId"])
            self.assertIn(result["level"], ("note", "warning", "error"))
            # What is much less accurate or near an edge is a note although nobody expects it.
            self.assertTrue(bool(result["suppressions"]) == (result["level"] == "note")
                            or result["ruleId"] in ("less-accurate", "not-finite", "near-overflow"))  # fmt: skip
            self.assertTrue(result["message"]["text"])
            self.assertLessEqual(len(result["message"]["text"].encode()), 1000)
            self.assertTrue(line(result) is None or line(result) >= 1)
            self.assertEqual(len(result["locations"]), 1)
            self.assertRegex(result["partialFingerprints"]["primaryLocationLineHash"], r"^[0-9a-f]+:\d+$")
            prints.add(result["partialFingerprints"]["fpdiff/v1"])
            places.add((result["ruleId"], uri(result), line(result)))
        self.assertEqual(len(prints), len(reports.results))  # one result for a rule and a line
        self.assertEqual(len(places), len(reports.results))
        self.assertEqual(reports.run["invocations"][0]["exitCode"], reports.json["status"])
        self.check_junit(reports)
        for level in ("error", "warning", "notice"):
            self.assertLessEqual(sum(a.startswith(f"::{level} ") for a in reports.annotations), 10)
        self.assertLessEqual(len(reports.summary.read_bytes()), 2**20)

    def check_junit(self, reports):
        missing = bool(reports.json["campaign"].get("missing"))
        self.assertEqual(len(reports.suites), len(reports.cases) + missing)
        self.assertEqual(len({suite.name for suite in reports.suites}), len(reports.suites))
        for suite, case in zip(reports.suites, reports.cases):
            found = outcomes(suite)
            self.assertEqual(len(found), suite.tests)  # names are unique
            self.assertGreaterEqual(suite.tests, 1)
            self.assertEqual(suite.failures, list(found.values()).count("failure"))
            self.assertEqual(suite.errors, list(found.values()).count("error"))
            self.assertEqual(suite.skipped, list(found.values()).count("skipped"))
            self.assertEqual(properties(suite)["status"], str(case["status"]))
            if case["result"] == "not checked":
                self.assertEqual(set(found.values()), {"skipped"})
            elif case["status"] > 1:
                self.assertIn("error", found.values(), case["file"])
                self.assertNotIn("passed", found.values())
            else:
                self.assertEqual("failure" in found.values(), case["status"] == 1, (case["file"], found))
                self.assertNotIn("error", found.values())
            for variant in case.get("accuracy", {}).get("variants", []):
                name = f"{variant['variant']}, accuracy"
                self.assertEqual(name in found, variant["bounded"])
                if variant["bounded"]:
                    self.assertEqual(found[name], "failure" if variant["exceeds"] else "passed")
            for pair in case.get("pairs", []):
                name = f"{pair['reference']} | {pair['variant']}, {pair['mode']}"
                name += f", {pair['build']}" if "build" in pair else ""
                passed = pair["verdict"] == "equal" and not pair["fails"]
                self.assertEqual(found[name], "failure" if pair["fails"] else "passed" if passed else "skipped", name)
        for name in ("tests", "failures", "errors", "skipped"):
            self.assertEqual(getattr(reports.xml, name), sum(getattr(suite, name) for suite in reports.suites))

    # ---- real cases

    def test_bad_cases(self):
        """Divergence, races, builds, errors of both kinds, vacuous cases, and cases that expect them."""
        cases = [SOURCES / "tests/bad" / name for name in ("assertion.yaml", "broken_yaml.yaml", "beyond_tolerance.yaml")]
        cases += [CASES / "races/scatter_without_mask.yaml", CASES / "races/stencil_in_place.yaml"]
        cases += [CASES / "modes/branches.yaml", CASES / "modes/bits.yaml", CASES / "unspecified/bound.yaml"]
        cases += [CASES / "limits/alarm_roots_mixed.yaml", CASES / "limits/alarm_tenths.yaml"]
        race = (CASES / "races/stencil_in_place.yaml").read_text().replace("expect: diverge", "")
        kernels = [f"tests/cases/races/{k}.tileirbc" for k in ("smooth", "smooth_in_place", "races_copy")]
        cases += [self.case("race.yaml", race, *kernels)]
        reports = Reports(self.folder, ["-O", "0", *cases])
        self.check(reports)
        self.assertEqual(reports.status, 3)
        rules = {(r["ruleId"], r["level"]) for r in reports.results}
        for rule in ("error-ASSERT", "error-CASE", "diverged", "race", "decision", "rewrite"):
            self.assertIn((rule, "error"), rules)
        self.assertIn(("race", "note"), rules)
        self.assertIn(("diverged", "note"), rules)
        self.assertEqual(len(reports.records), len(reports.results))
        broken = next(r for r in reports.results if r["ruleId"] == "error-CASE")
        self.assertEqual((uri(broken), line(broken)), ("tests/bad/broken_yaml.yaml", 9))
        failed = next(r for r in reports.results if r["ruleId"] == "error-ASSERT")
        self.assertEqual((uri(failed), line(failed)), ("tests/bad/kernels.py", 32))
        beyond = reports.suite(str(cases[2]))
        self.assertEqual(outcomes(beyond), {"one | two, ieee": "failure"})
        test = next(iter(beyond))
        self.assertGreater(int(properties(test)["beyond_tolerance"]), 0)
        self.assertEqual(properties(beyond)["tolerance.rtol"], "0.001")
        text = "\n".join(reports.annotations)
        self.assertIn("::error file=tests/bad/broken_yaml.yaml,line=9,col=1,title=fpdiff%3A error-CASE::", text)
        self.assertIn("::error file=tests/bad/kernels.py,line=32,", text)
        self.assertIn("diverged, as expected", reports.markdown)
        self.assertEqual(reports.markdown, reports.summary.read_text())

    def found(self, reports, rule):
        """Level, file and line of each result of a rule."""
        return {(r["level"], uri(r), line(r)) for r in reports.results if r["ruleId"] == rule}

    def test_misuse(self):
        """Parts of a block that work together wrongly: each error once, at its line, with the other one beside it."""
        text = (SOURCES / "tests/bad/parts_unawaited.yaml").read_text().replace("../cases/parts/", "")
        kernel, other = "tests/diff/parts.mlir", 56
        case = self.case("tests/diff/misuse.yaml", text, "tests/cases/parts/parts.mlir")
        expected = self.case("tests/diff/expected.yaml", text + "expect: diverge\n")
        reports = Reports(self.folder, ["-O", "0", case])
        self.check(reports)
        self.assertEqual(reports.status, 1)
        self.assertEqual(self.found(reports, "misuse"), {("error", kernel, 57), ("error", kernel, other)})
        read = next(r for r in reports.results if r["ruleId"] == "misuse" and line(r) == 57)
        beside = read["relatedLocations"][0]["physicalLocation"]
        self.assertEqual((beside["artifactLocation"]["uri"], beside["region"]["startLine"]), (kernel, other))
        self.assertEqual(outcomes(reports.suite(case)), {f"plain | copied, {mode}": "failure" for mode in ("fpsan", "ieee")})
        reports = Reports(self.folder, ["-O", "0", expected])
        self.check(reports)
        self.assertEqual(reports.status, 0)
        self.assertEqual({level for level, _, _ in self.found(reports, "misuse")}, {"note"})

    def test_verdicts_that_are_rare(self):
        """Unknown, lost, a schedule and what it prevents: in SARIF, JUnit and the exit status, from real cases."""
        unknown = (SOURCES / "tests/diff/sometimes_unknown.yaml").read_text()
        kernel = "tests/diff/sometimes_unknown.mlir"
        some = self.case("tests/diff/some.yaml", unknown, kernel)
        lost = self.case("tests/diff/lost.yaml", unknown.replace("low: 0,", "low: 0.995,"))
        reports = Reports(self.folder, ["-O", "0", some, lost])
        self.check(reports)
        self.assertEqual(reports.status, 1)
        self.assertEqual(self.found(reports, "unknown"), {("error", kernel, 23)})
        self.assertEqual(self.found(reports, "lost"), {("error", "tests/diff/lost.yaml", None)})
        for case in (some, lost):
            self.assertEqual(outcomes(reports.suite(case)), {"one | two, fpsan": "failure"})
        self.assertEqual(len(reports.records), len(reports.results))

        schedule = SOURCES / "tests/bad/ptx/schedule.yaml"
        reports = Reports(self.folder, ["-O", "0", schedule, "--schedule", "both"])
        self.check(reports)
        self.assertEqual(reports.status, 1)
        self.assertEqual(self.found(reports, "schedule"), {("error", "tests/bad/ptx/schedule.yaml", None)})
        self.assertIn("failure", outcomes(reports.suite(str(schedule))).values())
        alone = Reports(self.folder, ["-O", "0", schedule])
        self.check(alone)
        self.assertEqual((alone.status, alone.results), (0, []))

    def test_statuses(self):
        """Wrong input is status 2, what fails on the way 3, and what a signal or a crash leaves not checked is no pass."""
        wrong = SOURCES / "tests/bad/broken_yaml.yaml"
        failed = SOURCES / "tests/bad/assertion.yaml"
        for cases, status, rules in (
            ([wrong], 2, {"error-CASE": ("error", "tests/bad/broken_yaml.yaml", 9)}),
            ([failed], 3, {"error-ASSERT": ("error", "tests/bad/kernels.py", 32)}),
            ([wrong, failed], 3, {"error-CASE": ("error", "tests/bad/broken_yaml.yaml", 9),
                                  "error-ASSERT": ("error", "tests/bad/kernels.py", 32)}),
        ):  # fmt: skip
            reports = Reports(self.folder, ["-O", "0", *cases])
            self.check(reports)
            self.assertEqual(reports.status, status)
            for rule, place in rules.items():
                self.assertEqual(self.found(reports, rule), {place})
            for suite in reports.suites:
                self.assertEqual(outcomes(suite)["case"], "error")
            self.assertFalse(reports.run["invocations"][0]["executionSuccessful"])

    def test_rules_are_complete(self):
        """Each verdict and each error is a rule."""
        reports = Reports(self.folder, [SOURCES / "tests/bad/broken_yaml.yaml"])
        ids = {rule["id"] for rule in reports.run["tool"]["driver"]["rules"]}
        verdicts = re.findall(r'^ANSWER\(\w+, *"([\w ]+)"', (SOURCES / "diff/answers.def").read_text(), re.M)
        errors = re.findall(r"^ERROR\((\w+),", (SOURCES / "base/errors.def").read_text(), re.M)
        self.assertGreaterEqual(len(verdicts), 9)
        self.assertGreaterEqual(len(errors), 18)
        self.assertEqual(set(verdicts) - ids, set())
        self.assertEqual({f"error-{name}" for name in errors} - ids, set())

    BOTH = """
buffers:
  X: {type: f32, shape: [64], fill: {uniform: {low: 0, high: 1}}}
  Y: {type: f32, shape: [64]}
variants:
  one:
    - {module: copy_size_64.tileirbc, grid: [1], args: [X, Y]}
  two:
    - {module: checked_sqrt.tileirbc, grid: [1], args: [X, Y]}
compare: [Y]
"""
    FILES = ("tests/bad/copy_size_64.tileirbc", "tests/bad/checked_sqrt.tileirbc", "tests/bad/kernels.py")

    def copies(self, name, more=""):
        """A case that is equal."""
        return self.case(name, self.BOTH.replace("checked_sqrt", "copy_size_64") + more, *self.FILES)

    def roots(self, name, more=""):
        """A case that diverges in line 33 of /src/tests/bad/kernels.py."""
        return self.case(name, self.BOTH + more, *self.FILES)

    def test_outcomes(self):
        wrong = self.case("wrong.yaml", "buffers: 3\n")
        negative = self.case("negative.yaml", self.BOTH.replace("low: 0", "low: -1"), *self.FILES)
        vacuous = self.copies("vacuous.yaml", "modes: [ieee]\n")
        constant = self.case("constant.yaml", self.BOTH.replace("uniform: {low: 0, high: 1}", "constant: 1"), *self.FILES)
        empty = self.BOTH.replace("checked_sqrt", "copy_size_64").replace("compare: [Y]", "compare: [Y, E]")
        empty = self.case("empty.yaml", empty.replace("variants:", "  E: {type: f32, shape: [0]}\nvariants:"), *self.FILES)
        missed = self.copies("missed.yaml", "expect: diverge\n")
        expected = self.roots("expected.yaml", "expect: diverge\n")
        equal = self.copies("equal.yaml", "tolerance: {ieee: {rtol: 0}}\n")
        cases = [wrong, negative, vacuous, constant, empty, missed, expected, equal]
        reports = Reports(self.folder, ["-O", "0", *cases])
        self.check(reports)
        self.assertEqual(outcomes(reports.suite(wrong)), {"case": "error"})
        self.assertEqual(
            outcomes(reports.suite(negative)),
            {"case": "error", "one | two, fpsan": "skipped", "one | two, ieee": "skipped"},
        )
        self.assertEqual(
            outcomes(reports.suite(vacuous)), {"one | two, ieee": "skipped", "vacuous-nothing-judged": "failure"}
        )
        self.assertEqual(outcomes(reports.suite(constant))["vacuous-constant"], "failure")
        self.assertEqual(outcomes(reports.suite(empty))["vacuous-empty"], "failure")
        self.assertEqual(outcomes(reports.suite(missed))["no-divergence"], "failure")
        self.assertEqual(
            outcomes(reports.suite(expected)), {"one | two, fpsan": "skipped", "one | two, ieee": "skipped"}
        )
        self.assertEqual(
            outcomes(reports.suite(equal)), {"one | two, fpsan": "passed", "one | two, ieee": "passed"}
        )
        self.assertEqual(reports.status, 3)

    ACCURACY = """
buffers:
  X: {{type: {type}, shape: [256], fill: {{uniform: {{low: {low}, high: {high}}}}}}}
  Y: {{type: {type}, shape: [256]}}
variants:
  a: [{{module: accuracy.mlir, kernel: {a}, grid: [1], args: [X, Y]}}]
  b: [{{module: accuracy.mlir, kernel: {b}, grid: [1], args: [X, Y]}}]
compare: [Y]
"""

    def accuracy(self, name, a, b, more="", type="f32", low=1, high=3):
        """Kernels of which test_accuracy.c knows the errors; in shifted up to 2^11 units."""
        text = self.ACCURACY.format(a=a, b=b, type=type, low=low, high=high)
        return self.case(f"tests/diff/{name}.yaml", text + more, "tests/diff/accuracy.mlir")

    def test_accuracy(self):
        """A bound that is exceeded, one that is met, none; what is less accurate, as accurate, and not known."""
        less = self.accuracy("less", "copy", "shifted")
        same = self.accuracy("same", "copy", "copy")
        met = self.accuracy("met", "copy", "shifted", "accuracy: {ulp: 4096}\n")
        beyond = self.accuracy("beyond", "copy", "shifted", "accuracy: {ulp: 4}\n")
        times = self.accuracy("times", "copy", "shifted", "accuracy: {times_reference: 2}\n")
        none = self.accuracy("none", "up", "up", "accuracy: {ulp: 0.25}\n")
        unknown = self.accuracy("unknown", "unbounded_f64", "unbounded_f64", "accuracy: {ulp: 4}\nmodes: [ieee]\n",
                                type="f64", low=1000, high=1001)  # fmt: skip
        cases = [less, same, met, beyond, times, none, unknown]
        reports = Reports(self.folder, ["-O", "0", "--accuracy", *cases])
        self.check(reports)
        self.check_accuracy(reports, dict(zip(("less", "same", "met", "beyond", "times", "none", "unknown"), cases)))
        # Merged from shards it is the same.
        parts = []
        for i in (1, 2):
            parts.append(str(self.folder / f"part{i}.json"))
            subprocess.run([FPDIFF, "-O", "0", "--accuracy", "--quiet", "--shard", f"{i}/2", "--json", parts[-1], *cases])
        (self.folder / "summary.md").unlink()
        merged = Reports(self.folder, ["merge", *parts])
        self.check(merged)
        self.check_accuracy(merged, dict(zip(("less", "same", "met", "beyond", "times", "none", "unknown"), cases)))

    def check_accuracy(self, reports, cases):
        found = {name: outcomes(reports.suite(case)) for name, case in cases.items()}
        status = dict(zip(cases, (case["status"] for case in reports.cases)))
        self.assertEqual(status, {"less": 0, "same": 0, "met": 0, "beyond": 1, "times": 1, "none": 1, "unknown": 1})
        self.assertNotIn("b, accuracy", found["less"])
        self.assertEqual((found["met"]["a, accuracy"], found["met"]["b, accuracy"]), ("passed", "passed"))
        self.assertEqual((found["beyond"]["a, accuracy"], found["beyond"]["b, accuracy"]), ("passed", "failure"))
        self.assertNotIn("a, accuracy", found["times"])
        self.assertEqual(found["times"]["b, accuracy"], "failure")
        for name in ("none", "unknown"):
            self.assertEqual((found[name]["a, accuracy"], found[name]["b, accuracy"]), ("failure", "failure"))
        self.assertEqual(found["beyond"]["a | b, fpsan"], "passed")  # the formulas are equal

        tests = {test.name: test for test in reports.suite(cases["beyond"])}
        failed = tests["b, accuracy"]
        self.assertEqual(failed.result[0].type, "inaccurate")
        self.assertRegex(failed.result[0].message, r"^b: beyond the case's bound of accuracy \(4 ulp\): Y: the largest error is ")
        self.assertIn("accuracy.mlir:", failed.result[0].text)
        figures = properties(failed)
        self.assertEqual((figures["bound.ulp"], figures["exceeds"], figures["accuracy.Y.infinite"]), ("4", "true", "0"))
        case = next(c for c in reports.cases if c["file"] == cases["beyond"])
        error = case["accuracy"]["variants"][1]["buffers"][0]
        self.assertGreater(error["largest"], 1000)
        self.assertAlmostEqual(float(figures["accuracy.Y.largest"]), error["largest"], delta=1e-6 * error["largest"])
        pair = properties(tests["a | b, fpsan"])
        self.assertEqual((pair["less_accurate"], pair["accuracy.reference.Y.largest"]), ("true", "0"))
        self.assertIn("no variant meets it, the best has 0.", next(
            t for t in reports.suite(cases["none"]) if t.name == "a, accuracy").result[0].message)  # fmt: skip

        source = "tests/diff/accuracy.mlir"
        stored = 1 + [i for i, text in enumerate((SOURCES / source).read_text().split("\n")) if "store_ptr_tko" in text][1]
        results = [r for r in reports.results if r["ruleId"] == "inaccurate"]
        self.assertIn(("error", source, stored), {(r["level"], uri(r), line(r)) for r in results})
        notes = [r for r in reports.results if r["ruleId"] == "less-accurate"]
        self.assertEqual([(r["level"], uri(r), line(r), r["suppressions"]) for r in notes], [("note", source, stored, [])])
        self.assertIn(cases["less"], notes[0]["properties"]["cases"])
        self.assertIn("less accurate: mean 0 | ", notes[0]["message"]["text"])
        text = "\n".join(reports.annotations)
        self.assertIn(f"::error file={source},line={stored},", text)
        self.assertIn("title=fpdiff%3A inaccurate::", text)
        self.assertRegex(text, rf"(?m)^::notice file={source},line={stored},.*title=fpdiff%3A less-accurate::")

        rows = {tuple(cell.strip() for cell in row.split("|")[2:4]): row for row in reports.markdown.split("\n")
                if row.startswith("| &")}  # fmt: skip
        shown = lambda case, name: next(row for (file, test), row in rows.items()
                                        if file.endswith(f"{case}.yaml") and test.replace("&#124;", "|") == name)  # fmt: skip
        self.assertIn("| equal, less accurate | mean 0 &#124; ", shown("less", "a | b, fpsan"))
        self.assertIn("| equal | mean 0 &#124; 0, largest 0 &#124; 0 ulp |", shown("same", "a | b, fpsan"))
        self.assertIn("| inaccurate | mean ", shown("beyond", "b, accuracy"))
        self.assertIn("| within the bound | mean 0, largest 0 ulp |", shown("met", "a, accuracy"))
        self.assertIn("mean ? &#124; ?", shown("unknown", "a | b, ieee"))
        self.assertIn("Accuracy of 13 comparisons: 4 equal and much less accurate", reports.markdown)
        self.assertIn("6 of 9 variants with a bound of accuracy exceed it", reports.markdown)

    def test_accuracy_that_cannot_be_measured(self):
        """A kernel of PTX is measured by another's numbers, or its bound fails; one variant with a bound is a report."""
        kernels = (CASES / "ptx/arguments.yaml").read_text() + "\naccuracy: {ulp: 4}\n"
        files = "tests/cases/ptx/launches.ptx", "tests/cases/ptx/tiles.mlir"
        measured = self.case("measured.yaml", kernels, *files)
        threads = self.case("threads.yaml", re.sub(r"(?m)^tolerance:.*$", "modes: [fpsan]", kernels), *files)
        one = re.sub(r"(?m)^  b: .*\n", "", self.ACCURACY).format(a="up", b="", type="f32", low=1, high=3)
        single = self.case("single.yaml", one + "accuracy: {ulp: 1}\n", "tests/diff/accuracy.mlir")
        reports = Reports(self.folder, ["-O", "0", threads, single, measured])
        self.check(reports)
        self.assertEqual([case["status"] for case in reports.cases], [1, 0, 0])
        self.assertEqual(outcomes(reports.suite(single)), {"a, accuracy": "passed"})
        self.assertIn("within the bound", reports.markdown)
        self.assertNotIn("nothing was compared", reports.markdown)
        unknown = [test for test in reports.suite(threads) if test.name.endswith(", accuracy")]
        self.assertTrue(unknown.pop(0).is_passed, "that of tiles")
        self.assertTrue(unknown)
        for test in unknown:
            self.assertIn("how accurate it is, is not known: ", test.result[0].message)
        known = [test for test in reports.suite(measured) if test.name.endswith(", accuracy")]
        self.assertGreater(len(known), 1)
        self.assertEqual({test.is_passed for test in known}, {True})
        self.assertIn("mean 0, largest 0 ulp, by the numbers of tiles", reports.markdown)

    def test_fingerprints_stay(self):
        """Lines of a source may shift, and the place in the work tree is that of the file."""
        case = self.roots("tests/bad/roots.yaml")
        source = self.tree / "tests/bad/kernels.py"
        before = Reports(self.folder, ["-O", "0", case])
        self.check(before)
        result = next(r for r in before.results if r["ruleId"] == "diverged")
        self.assertEqual(uri(result), "tests/bad/kernels.py")
        self.assertEqual(result["partialFingerprints"]["primaryLocationLineHash"], github_hash(source, line(result)))
        # The bytecode says the line, so the text is moved there from another one.
        lines = source.read_text().splitlines(keepends=True)
        at = line(result)
        for name, changed in (
            ("other lines", ["# another\n"] + ["\n"] * (at - 2) + lines[at - 1 :]),
            ("more after it", lines + ["# é 🙂\r\n", "\r", "x"]),
        ):
            source.write_text("".join(changed), newline="")
            after = next(r for r in Reports(self.folder, ["-O", "0", case]).results if r["ruleId"] == "diverged")
            prints = after["partialFingerprints"]
            self.assertEqual(prints["fpdiff/v1"], result["partialFingerprints"]["fpdiff/v1"], name)
            self.assertEqual(prints["primaryLocationLineHash"], github_hash(source, at))
            if name == "other lines":  # the line is short and the last, so GitHub's also knows what follows
                self.assertEqual(prints, result["partialFingerprints"])
        source.write_text("".join(lines[: at - 1] + ["    something else\n"] + lines[at:]))
        other = next(r for r in Reports(self.folder, ["-O", "0", case]).results if r["ruleId"] == "diverged")
        for name in ("fpdiff/v1", "primaryLocationLineHash"):
            self.assertNotEqual(other["partialFingerprints"][name], result["partialFingerprints"][name])

    def test_source_root(self):
        case = self.roots("a/roots.yaml")  # the source is not where its path ends
        reports = Reports(self.folder, ["-O", "0", case])
        result = next(r for r in reports.results if r["ruleId"] == "diverged")
        self.assertEqual((uri(result), line(result)), ("a/roots.yaml", None))
        self.check(reports)
        reports = Reports(self.folder, ["-O", "0", case, "--source-root", SOURCES])
        result = next(r for r in reports.results if r["ruleId"] == "diverged")
        self.assertEqual(uri(result), "tests/bad/kernels.py")
        # A file with fewer lines is another one.
        (self.folder / "root/tests/bad").mkdir(parents=True)
        (self.folder / "root/tests/bad/kernels.py").write_text("x = 1\n")
        reports = Reports(self.folder, ["-O", "0", case, "--source-root", self.folder / "root"])
        result = next(r for r in reports.results if r["ruleId"] == "diverged")
        self.assertEqual(unquote(uri(result)), f"file://{case}")
        (self.folder / "no_tree").mkdir()
        alone = self.folder / "no_tree/roots.yaml"
        for file in Path(case).parent.iterdir():
            shutil.copy(file, alone.parent)
        reports = Reports(self.folder, ["-O", "0", alone])
        self.assertEqual(uri(next(r for r in reports.results if r["ruleId"] == "diverged")), "roots.yaml")

    def test_hostile_names(self):
        for name in ('a<b>&"c\'].yaml', "new\nline::error.yaml", "x|y`z*_[1](2)%0A.yaml", "..yaml", "é🙂.yaml"):
            case = self.roots(name)
            reports = Reports(self.folder, ["-O", "0", case])
            self.check(reports)
            self.assertEqual(reports.suites[0].name, case)
            self.assertEqual(uri(next(r for r in reports.results if r["ruleId"] == "diverged")), name)
            self.assertEqual(len(reports.annotations), 1, reports.annotations)
            title = reports.annotations[0].split("::")[1]
            self.assertIn(name.replace("%", "%25").replace("\n", "%0A").replace(":", "%3A"), title)
            rows = [row for row in reports.markdown.splitlines() if row.startswith("| &#x")]
            self.assertEqual([row.count("|") for row in rows], [6, 6])
        path = os.fsencode(self.tree) + b"/not\xff\xc3utf8\x01.yaml"
        shutil.copy(case, path)
        reports = Reports(self.folder, ["-O", "0", path])
        self.check(reports)
        self.assertTrue(reports.cases[0]["file"].endswith("/not\ufffd\ufffdutf8\x01.yaml"))
        self.assertTrue(reports.suites[0].name.endswith("/not\ufffd\ufffdutf8\ufffd.yaml"))

    def test_cases_that_are_missing(self):
        cases = ["no/such/folder.yaml", "", "gone.yaml", "/gone.yaml"]
        reports = Reports(self.folder, cases, cwd=self.tree)
        self.check(reports)
        self.assertEqual(reports.status, 2)
        found = {uri(r) for r in reports.results if r["ruleId"] == "error-FILE"}
        self.assertIn("gone.yaml", found)
        self.assertIn("file:///gone.yaml", found)

    def test_seeds(self):
        case = self.copies("equal.yaml")
        reports = Reports(self.folder, ["-O", "0", case, case, "--seed", "3..4"])
        self.check(reports)
        names = [suite.name.removeprefix(case) for suite in reports.suites]
        self.assertEqual(names, [", seed 3", ", seed 4", ", seed 3 (2)", ", seed 4 (2)"])

    def test_parameters(self):
        case = self.case(
            "parameters.yaml",
            "parameters: {H: [1, 2], L: 0}\n" + self.BOTH.replace("low: 0, high: 1", "low: L, high: H"),
            *self.FILES,
        )
        reports = Reports(self.folder, ["-O", "0", case, "--seed", "7..8"])
        self.check(reports)
        names = [suite.name.removeprefix(case) for suite in reports.suites]
        self.assertEqual(set(names), {f" [H={h}, L=0], seed {s}" for h in (1, 2) for s in (7, 8)})
        self.assertEqual(properties(reports.suites[0])["parameters.H"], "1")

    def test_paths_that_cannot_be_written(self):
        case = self.roots("roots.yaml")
        there, gone = self.folder / "there.xml", self.folder / "gone"
        for option, path in (("--sarif", gone / "x"), ("--markdown", self.folder), ("--json", gone / "y")):
            for more, status in (([], 2), ([self.case("e.yaml", self.BOTH.replace("low: 0", "low: -1"))], 3)):
                done = subprocess.run(
                    [FPDIFF, "-O", "0", case, *more, "--junit", there, option, path], capture_output=True, text=True
                )
                self.assertEqual(done.returncode, status)
                self.assertIn("DIVERGED", done.stdout)
                self.assertIn(f"{path}: error: cannot write", done.stderr)
                self.assertEqual(JUnitXml.fromfile(str(there)).failures, 1)
                there.unlink()
        env = dict(os.environ, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(gone / "summary"))
        done = subprocess.run([FPDIFF, "-O", "0", case], env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("DIVERGED", done.stdout)

    def test_where_annotations_go(self):
        case = self.roots("roots.yaml")
        bare = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")}
        github = dict(bare, GITHUB_ACTIONS="true")

        def run(env, *options):
            return subprocess.run([FPDIFF, "-O", "0", case, *options], env=env, capture_output=True, text=True)

        self.assertNotIn("::error", run(bare).stdout)
        self.assertIn("::error file=", run(github).stdout)
        self.assertIn("::error file=", run(bare, "--annotations", "github").stdout)
        self.assertNotIn("::error", run(github, "--annotations", "none").stdout)
        for option in ("--json", "--junit", "--sarif", "--markdown"):
            done = run(github, option, "-")
            self.assertNotIn("::error", done.stdout)
            self.assertIn("::error file=", done.stderr)
        json.loads(run(github, "--json", "-").stdout)

    def test_interrupt_and_timeout(self):
        cases = [self.copies("first.yaml")] + [str(SOURCES / "examples/attention/attention.yaml")] * 40
        reports = {name: self.folder / name for name in ("json", "junit", "sarif", "markdown")}
        options = [part for name, path in reports.items() for part in (f"--{name}", str(path))]
        process = subprocess.Popen([FPDIFF, *cases, "--quiet", *options], stderr=subprocess.DEVNULL)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 130)
        xml = JUnitXml.fromfile(str(reports["junit"]))
        suites = list(xml)
        self.assertEqual(len(suites), 41)
        self.assertEqual(outcomes(suites[-1]), {"case": "skipped"})
        self.assertEqual(properties(suites[-1])["reason"], "interrupted")
        sarif = json.loads(reports["sarif"].read_text())["runs"][0]
        self.assertFalse(sarif["invocations"][0]["executionSuccessful"])
        self.assertIn(("not-checked", "warning"), {(r["ruleId"], r["level"]) for r in sarif["results"]})
        self.assertIn("not checked", reports["markdown"].read_text())
        found = Reports(self.folder, [cases[1], "--timeout", "0.01"])
        self.check(found)
        self.assertEqual(found.status, 3)
        self.assertEqual(outcomes(found.suites[0]), {"case": "error"})

    # ---- reports that are merged

    def merge(self, cases, *options, tasks=None, summary=b""):
        """The reports of a report of these cases."""
        head = {
            "fpdiff": 1,
            "versions": {"congruent": "0.1.0", "llvm": None, "libyaml": "0", "jansson": "2"},
            "target": "host",
            "gpu": None,
            "campaign": {"tasks": tasks or len(cases), "key": "0", "shard": [1, 1]},
            "status": max(c["status"] for c in cases),
            "cases": [dict(c, task=i) for i, c in enumerate(cases)],
        }
        path = self.folder / "part.json"
        path.write_text(json.dumps(head))
        (self.folder / "summary.md").write_bytes(summary)
        return Reports(self.folder, ["merge", path, *options], cwd=self.tree)

    @staticmethod
    def failing(number, **more):
        place = {"op": "store", "file": f"/src/k{number // 2}.py", "line": number + 1, "launch": 1, "kernel": "k"}
        buffers = [{"buffer": "Y", "elements": 10, "different": 3, "share": 0.3, "first": []}]
        pair = {"reference": "a", "variant": "b", "mode": "fpsan", "verdict": "diverged", "fails": True}
        pair |= {"buffers": buffers, "lines": [dict(place, variant="b", elements=3)]}
        case = {"file": f"c{number}.yaml", "status": 1, "result": "failed", "expect": "equal", "pairs": [pair]}
        return case | more

    def test_texts_of_any_kind(self):
        """Control characters, quotes and ends of lines in messages, and parameters."""
        text = "]]>\x01\x0b\x1f\x7f\u0085\ufffe\uffff <&>\"'\r\n::error::x 💥"
        cases = [
            self.failing(1, title=text, parameters={"N": 64, "D": 3}),
            self.failing(1, title=text, parameters={"N": 65, "D": 3}),
            {"file": "e.yaml", "status": 2, "result": "wrong input", "errors": [{"name": "CASE", "message": text}]},
            {"file": "e.yaml", "status": 3, "result": "not run", "errors": [{"name": "NEWER", "message": text}]},
            {"file": "f.yaml", "status": 3, "result": "not run"},
            {"file": "g.yaml", "status": 1, "result": "failed"},
            {"file": "h.yaml", "status": 1, "result": "failed", "pairs": [{"verdict": "newer", "fails": True}]},
            {"file": "i.yaml", "status": 0, "result": "ok", "pairs": []},
            {"file": "j.yaml", "status": 0, "result": "ok", "pairs": 3, "races": {"x": 1}, "errors": "?"},
            {"file": "k.yaml", "status": 0, "result": "ok", "accuracy": 3,
             "pairs": [{"verdict": "equal", "mode": "fpsan", "variant": "x", "accuracy": {"less_accurate": True, "buffers": [7]}}]},
            {"file": "l.yaml", "status": 1, "result": "failed", "accuracy": {"bound": 7, "variants": [
                4, {}, {"variant": text, "bounded": True, "exceeds": True, "buffers": [{"largest": "inf", "elements": 1}, 5]}]}},
        ]
        reports = self.merge(cases)
        self.assertEqual(reports.status, 3)
        self.assertEqual([s.name for s in reports.suites][:2], ["c1.yaml [N=64, D=3]", "c1.yaml [N=65, D=3]"])
        self.assertEqual(properties(reports.suites[0])["parameters.N"], "64")
        kept = text.translate({1: 0xFFFD, 0xB: 0xFFFD, 0x1F: 0xFFFD, 0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD})
        self.assertEqual(properties(reports.suites[0])["title"], kept)
        self.assertEqual([list(outcomes(s).values()) for s in reports.suites],
                         [["failure"]] * 2 + [["error"]] * 3 + [["failure"]] * 2 + [["skipped"]] * 2
                         + [["passed"], ["failure"]])  # fmt: skip
        self.assertTrue(all(a.startswith(("::error ", "::warning ", "::notice ")) for a in reports.annotations))

    def test_ranges(self):
        """What comes near the edges of its type is said in all reports, and changes no verdict."""
        at = {"op": "exp", "file": "/src/k.py", "line": 7, "column": 3, "launch": 1, "kernel": "k", "type": "f32"}
        near = dict(at, largest=1.5e38, to_overflow=1.18, argument_to_overflow=0.0125)
        far = dict(at, op="addf", largest=4.0, to_overflow=126.0)
        result = dict(at, op="mulf", largest=3e38, to_overflow=0.18, made=0)
        made = dict(at, largest=3.3e38, to_overflow=0.04, argument_to_overflow=0.0005, made=78)
        handed_on = dict(at, op="addf", largest=3.4e38, to_overflow=0.0, own=4.0, own_to_overflow=126.0)
        nothing_own = dict(at, op="addf", largest=3.4e38, to_overflow=0.0, own=0.0)
        partly = dict(at, op="mulf", file="/away/z.py", line=3, largest=3.4e38, to_overflow=0.0, own=2e38, own_to_overflow=0.766)
        case = self.failing(1, status=0, result="ok", expect="diverge", range=[
            {"variant": "a", "nearest": far, "not_finite": 0}, {"variant": "b", "nearest": near, "not_finite": 0},
            {"variant": "c", "nearest": made, "first_made": made, "not_finite": 5,
             "without": {"finite": 4, "changed": 9}},
            {"variant": "e", "nearest": handed_on}, {"variant": "f", "nearest": nothing_own},
            {"variant": "g", "nearest": partly}, {"variant": "h", "first_made": 4, "without": 5},
            {"variant": "d", "nearest": result, "not_finite": 0}, {"variant": "e"}, 7, {"nearest": "?"}])  # fmt: skip
        case["pairs"][0]["fails"] = False
        (self.tree / "k.py").write_text("\n" * 9)
        wrong = self.failing(2, status=0, result="ok", expect="diverge", range=3)
        wrong["pairs"][0]["fails"] = False
        reports = self.merge([case, wrong])
        self.check(reports)
        lines = [text for text in reports.markdown.split("\n") if "**near-overflow**" in text or "**not-finite**" in text]
        b = "b: exp gives 1.5e+38: in f32 it overflows where its argument is 1.01 times as large"
        c = ("c: exp is the first op that makes infinities or NaN of finite numbers, 78 of them; "
             "5 of the compared results are infinite or NaN; with 1 in place of each, 4 of them are finite")  # fmt: skip
        d, g = "d: mulf gives 3e+38: f32 overflows at 1.13 times that", "g: mulf gives 2e+38: f32 overflows at 1.7 times that"
        self.assertEqual([text.replace("&#95;", "_") for text in lines if "?: " not in text], [
            f"- k.py:7: **near-overflow**: c1.yaml: {b}", f"- k.py:7: **not-finite**: c1.yaml: {c}",
            f"- /away/z.py:3: **near-overflow**: c1.yaml: {g}", f"- k.py:7: **near-overflow**: c1.yaml: {d}",
        ])  # fmt: skip
        self.assertEqual([row for row in reports.markdown.split("\n") if row.startswith("| &") and "near-" in row], [])
        self.assertEqual(reports.status, 0)
        found = {(r["ruleId"], uri(r), line(r)): r for r in reports.results if r["level"] == "note"}
        self.assertEqual(found["not-finite", "k.py", 7]["message"]["text"], f"c1.yaml: {c}")
        self.assertEqual(found["near-overflow", "k.py", 7]["suppressions"], [])
        self.assertEqual(found["near-overflow", "k.py", 7]["occurrenceCount"], 2)  # b and d
        self.assertTrue(any(a.startswith("::notice file=k.py,line=7,col=3,title=fpdiff%3A not-finite::c1.yaml: c: exp is ")
                            for a in reports.annotations))  # fmt: skip
        self.assertTrue(any(a.startswith("::notice file=k.py,line=7,col=3,title=fpdiff%3A near-overflow::")
                            for a in reports.annotations))  # fmt: skip
        figures = properties(reports.suites[0])
        self.assertEqual({key: value for key, value in figures.items() if key.startswith("range.") and "?" not in key}, {
            "range.b.near-overflow": f"/src/k.py:7:3: {b}", "range.c.not-finite": f"/src/k.py:7:3: {c}",
            "range.d.near-overflow": f"/src/k.py:7:3: {d}", "range.g.near-overflow": f"/away/z.py:3:3: {g}"})  # fmt: skip
        self.assertFalse([test for suite in reports.suites for test in suite if outcome(test) == "failure"])

    def test_missing_parts(self):
        reports = self.merge([self.failing(1)], "--partial", tasks=3)
        self.check(reports)
        self.assertEqual(outcomes(reports.suites[1]), {"task 1": "skipped", "task 2": "skipped"})
        self.assertIn("2 not checked", reports.markdown)
        self.assertTrue(any("2 cases are in none" in a for a in reports.annotations))
        self.assertFalse(reports.run["invocations"][0]["executionSuccessful"])

    def test_limits_of_github(self):
        """10,000 cases that fail, in different lines."""
        count = 10000
        expected = [
            self.failing(i, status=0, result="ok", expect="diverge", file=f"x{i}.yaml") for i in range(20)
        ]
        for case in expected:
            case["pairs"][0]["fails"] = False
        reports = self.merge(expected + [self.failing(i) for i in range(count)], summary=b"x" * 1000)
        if "asan" not in str(FPDIFF):
            self.assertLess(reports.memory, 200 * 2**20)
        self.check(reports)
        self.assertEqual(len(reports.results), 5000)
        self.assertEqual({r["level"] for r in reports.results}, {"error"})  # before notes
        notes = [n["message"]["text"] for n in reports.run["invocations"][0]["toolExecutionNotifications"]]
        self.assertEqual(len(notes), 1)
        self.assertRegex(notes[0], r"^5020 results were left out")
        self.assertLess(reports.paths["sarif"].stat().st_size, 10 * 2**20)
        self.assertEqual(len(reports.annotations), 10)
        self.assertIn("9991 more errors are not shown", reports.annotations[-1])
        summary = reports.summary.read_bytes()
        self.assertTrue(summary.startswith(b"x" * 1000 + b"## fpdiff: 10000 cases failed"))
        self.assertGreater(len(summary), 1000000)
        self.assertLessEqual(len(summary), 2**20)
        self.assertRegex(summary.decode(), r"\*\*\d+ lines were left out\*\*")
        self.assertNotIn("left out", reports.markdown)
        self.assertIn("c9999.yaml", reports.markdown)
        self.assertEqual(reports.xml.failures, count)
        # A step that has filled its summary already is left alone.
        reports = self.merge([self.failing(1)], summary=b"y" * 2**20)
        self.assertEqual(reports.summary.read_bytes(), b"y" * 2**20)
        self.assertRegex(reports.errors, r"summary.md: .* has 1 MiB already.*left out")
        self.assertEqual(reports.status, 1)

    def test_cases_of_one_line(self):
        """Many cases that diverge in one line are one result, which names them."""
        cases = [self.failing(1, file=f"case_number_{i}.yaml") for i in range(300)]
        reports = self.merge(cases)
        self.check(reports)
        self.assertEqual(len(reports.results), 300)  # no such source: each in its case file
        (self.tree / "k0.py").write_text("first\nsecond\n")
        reports = self.merge(cases)
        self.check(reports)
        self.assertEqual(len(reports.results), 1)
        self.assertEqual((uri(reports.results[0]), line(reports.results[0])), ("k0.py", 2))
        self.assertEqual(reports.results[0]["occurrenceCount"], 300)
        self.assertRegex(reports.results[0]["message"]["text"], r"Also in: case_number_1.yaml, .*\n28\d more cases")
        self.assertEqual(len(reports.annotations), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
