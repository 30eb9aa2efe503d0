# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of action.yml and of ci/gitlab.yml as far as that goes here: test_templates.py FPDIFF SOURCES

There is no runner: expressions are replaced and shell is run. What is built is not built again."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
ACTION = yaml.safe_load((SOURCES / "action.yml").read_text())
GITLAB = yaml.safe_load((SOURCES / "ci/gitlab.yml").read_text())[".fpdiff"]
BUILD = FPDIFF.parent.parent
KERNEL = "tests/bad/copy_size_64.tileirbc tests/bad/checked_sqrt.tileirbc"
CASE = """buffers:
  X: {type: f32, shape: [64], fill: {uniform: {low: 0, high: 1}}}
  Y: {type: f32, shape: [64]}
variants:
  one:
    - {module: copy_size_64.tileirbc, grid: [1], args: [X, Y]}
  two:
    - {module: MODULE.tileirbc, grid: [1], args: [X, Y]}
compare: [Y]
"""


class Runner:
    """A step after the other of a composite action."""

    def __init__(self, home, workspace, inputs):
        self.home, self.workspace = home, workspace
        unknown = set(inputs) - set(ACTION["inputs"])
        assert not unknown, unknown
        self.inputs = {name: str(row.get("default", "")) for name, row in ACTION["inputs"].items()} | inputs
        self.outputs, self.log, self.status = {}, "", 0

    def value(self, expression):
        kind, *path = expression.split(".")
        if kind == "inputs":
            return self.inputs[path[0]]
        if kind == "steps":
            return self.outputs[path[0]][path[2]]
        return {"github.action_path": str(self.home)}[expression]

    def evaluate(self, text):
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda m: self.value(m[1]), str(text))

    def run(self):
        for step in ACTION["runs"]["steps"]:
            condition = re.fullmatch(r"(.+) != ''", step.get("if", "'' != ''"))
            if "if" in step and not self.value(condition[1]):
                continue
            if "uses" in step:
                self.evaluate(step["with"]["key"])
                continue
            self.run_shell(step)
            if self.status:
                return

    def run_shell(self, step):
        output = self.workspace / "output"
        output.write_text("")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "FPDIFF_"))}
        env |= {"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": str(output)}
        env |= {"GITHUB_STEP_SUMMARY": str(self.workspace / "summary.md")}
        env |= {name: self.evaluate(value) for name, value in step.get("env", {}).items()}
        assert "${{" not in step["run"], "what users give would be read as shell"
        done = subprocess.run([step["shell"], "-e", "-c", step["run"]], cwd=self.workspace, env=env, text=True,
                              capture_output=True)  # fmt: skip
        self.log += done.stdout + done.stderr
        self.status = done.returncode
        lines = [line.split("=", 1) for line in output.read_text().splitlines()]
        self.outputs[step.get("id")] = dict(lines)


class Test(unittest.TestCase):
    def setUp(self):
        self.workspace = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.workspace)
        self.home = self.workspace / "the action"
        for name in ("bin/fpdiff", "lib/libcongruent_backend.so"):
            (self.home / "build/release" / name).parent.mkdir(parents=True)
            shutil.copy(BUILD / name, self.home / "build/release" / name)
        shutil.copytree(SOURCES / "scripts", self.home / "scripts")
        kernels = self.workspace / "ker nels"
        kernels.mkdir()
        for name in KERNEL.split():
            shutil.copy(SOURCES / name, kernels)
        (kernels / "good.yaml").write_text(CASE.replace("MODULE", "copy_size_64"))
        (self.workspace / "bad.yaml").write_text(CASE.replace("{module: ", "{module: ker nels/").replace("MODULE", "checked_sqrt"))

    def action(self, **inputs):
        runner = Runner(self.home, self.workspace, inputs)
        runner.run()
        return runner

    def test_action_is_well_formed(self):
        self.assertEqual(ACTION["runs"]["using"], "composite")
        for step in ACTION["runs"]["steps"]:
            self.assertTrue(("uses" in step) != ("run" in step and "shell" in step))
        used = set(re.findall(r"inputs\.(\w+)", (SOURCES / "action.yml").read_text()))
        self.assertEqual(used, set(ACTION["inputs"]))

    def test_action(self):
        good = self.action(cases="ker nels\n", options="-O 0 --seed 1..2")
        self.assertEqual((good.status, good.outputs["run"]), (0, {"status": "0"}), good.log)
        report = json.loads((self.workspace / "fpdiff-reports/report.json").read_text())
        self.assertEqual([c["file"] for c in report["cases"]], ["ker nels/good.yaml"] * 2)
        self.assertIn("as expected", (self.workspace / "summary.md").read_text())
        bad = self.action(cases="*.yaml\nker nels/*.yaml", options="-O 0", reports="r/s")
        self.assertEqual((bad.status, bad.outputs["run"]["status"]), (1, "1"))
        self.assertIn("::error file=bad.yaml,line=1,title=fpdiff%3A diverged::", bad.log)
        for name in ("json", "junit.xml", "sarif", "md"):
            self.assertTrue((self.workspace / f"r/s/report.{name}").stat().st_size)
        kept = self.action(cases="bad.yaml", options="-O 0", fail="false")
        self.assertEqual((kept.status, kept.outputs["run"]["status"]), (0, "1"))
        (self.workspace / "linked").symlink_to("ker nels")
        self.assertEqual(self.action(cases="linked", options="-O 0").status, 0)
        part = self.action(cases="bad.yaml\nker nels", options="-O 0", shard="2/2")
        self.assertEqual(part.status, 0, part.log)

    def test_action_with_wrong_input(self):
        for cases in ("", "nothing/*.yaml", "\n\n", "gone"):
            self.assertEqual(self.action(cases=cases).status, 2, cases)
        (self.workspace / "no cases").mkdir()
        (self.workspace / "fpdiff-reports").mkdir(exist_ok=True)
        older = self.workspace / "fpdiff-reports/report.json"
        older.write_text("of an earlier step")
        for cases in ("no cases", "ker nels\nno cases", "no cases\nker nels/good.yaml"):
            runner = self.action(cases=cases)
            self.assertEqual(runner.status, 2, cases)
            self.assertIn("'no cases' of FPDIFF_CASES has no *.yaml", runner.log)
            self.assertFalse(older.exists())
        runner = self.action(cases="bad.yaml; touch x", options="$(touch y) `touch z`")
        self.assertEqual(runner.status, 2)
        self.assertFalse([name for name in "xyz" if (self.workspace / name).exists()])

    def test_key(self):
        """What the build depends on is in the key of the cache."""
        key = lambda: subprocess.check_output([self.home / "scripts/ci.sh", "key"])  # noqa: E731
        first = key()
        self.assertEqual(first, key())
        (self.home / "scripts/check_text.py").write_text("")
        self.assertEqual(first, key())
        (self.home / "x.def").write_text("ROW(1)")
        self.assertNotEqual(first, key())

    def gitlab(self, lines, **variables):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "FPDIFF_", "CI_"))}
        env |= {name: str(value) for name, value in GITLAB["variables"].items()} | variables
        script = "set -e\n" + "\n".join(lines)
        return subprocess.run(["sh", "-c", script], cwd=self.workspace, env=env, capture_output=True, text=True)

    def test_gitlab(self):
        source = self.workspace / "source"
        shutil.copytree(self.home, source, ignore=shutil.ignore_patterns("build"))
        git = ["git", "-C", source, "-c", "user.name=x", "-c", "user.email=x@example.com"]
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "x"]):
            subprocess.run([*git, *words], check=True)
        subprocess.run(["git", "clone", "-q", source, self.workspace / ".congruent"], check=True)
        shutil.copytree(self.home / "build", self.workspace / ".congruent/build")
        lines = GITLAB["before_script"] + GITLAB["script"]
        done = self.gitlab(lines, CONGRUENT_REPOSITORY=str(source), FPDIFF_CASES="ker nels", FPDIFF_OPTIONS="-O 0")
        self.assertEqual(done.returncode, 0, done.stderr)
        junit = GITLAB["artifacts"]["reports"]["junit"].replace("$FPDIFF_REPORTS", "fpdiff-reports")
        self.assertTrue((self.workspace / junit).stat().st_size)
        done = self.gitlab(lines, CONGRUENT_REPOSITORY=str(source), FPDIFF_CASES="bad.yaml\nker nels", CI_NODE_INDEX="1",
                           CI_NODE_TOTAL="2")  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads((self.workspace / "fpdiff-reports/report.json").read_text())
        self.assertEqual((len(report["cases"]), report["campaign"]["shard"]), (1, [1, 2]))
        self.assertEqual(self.gitlab(lines, FPDIFF_CASES="bad.yaml").returncode, 2)  # no repository is given
        # Another commit is built anew.
        (source / "new").write_text("x")
        for words in (["add", "-A"], ["commit", "-qm", "y"]):
            subprocess.run([*git, *words], check=True)
        checkout = [line for line in GITLAB["before_script"] if "ci.sh" not in line]
        done = self.gitlab(checkout, CONGRUENT_REPOSITORY=str(source))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.workspace / ".congruent/new").exists())
        self.assertFalse((self.workspace / ".congruent/build/release/bin/fpdiff").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
