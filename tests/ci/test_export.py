# SPDX-License-Identifier: Apache-2.0
"""scripts/export_cutile.py outside the repository: test_export.py FPDIFF SOURCES"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
EXPORT = SOURCES / "scripts/export_cutile.py"

HELPERS = """import cuda.tile as ct


def sigmoid(x):
    return 1.0 / (1.0 + ct.exp(-x))
"""
KERNELS = """import cuda.tile as ct
from helpers import sigmoid


@ct.kernel
def swiglu(gate, up, out, scale, T: ct.Constant[int]):
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,))
    u = ct.load(up, index=(i,), shape=(T,))
    ct.store(out, index=(i,), tile=g * sigmoid(g) * u * scale)


@ct.kernel
def wrong(gate, up, out, scale, T: ct.Constant[int]):
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,))
    u = ct.load(up, index=(i,), shape=(T,))
    ct.store(out, index=(i,), tile=sigmoid(g) * u * scale)
"""
TABLE = """
from export import array
F1 = array(ct.float32, 1)
EXPORTS = {"a": (swiglu, [F1, F1, F1, ct.float32, 64]), "b": (swiglu, [F1, F1, F1, ct.float32, 128])}
"""


class Test(unittest.TestCase):
    def setUp(self):
        self.tree = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)
        (self.tree / ".git").mkdir()
        self.folder = self.tree / "kernels"
        self.folder.mkdir()
        (self.folder / "helpers.py").write_text(HELPERS)
        self.source = self.folder / "swiglu.py"
        self.source.write_text(KERNELS)

    def export(self, *arguments, status=0, cwd=None):
        done = subprocess.run([sys.executable, EXPORT, *arguments], capture_output=True, text=True, cwd=cwd or "/")
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def fpdiff(self, *arguments, status):
        env = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")}
        done = subprocess.run([FPDIFF, *arguments], capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_skeleton(self):
        manifest = self.folder / "exports.json"
        signature = "(f32[1], f32[1], f32[1], f32, 64)"
        self.export(self.source, "-k", f"swiglu{signature}", "-k", f"wrong{signature}", "--case", "--manifest", manifest)
        case = self.folder / "swiglu.yaml"
        text = case.read_text()
        self.assertIn("kernels/swiglu.py:5, kernel swiglu", text)
        self.assertIn("cuda-tile 1.7.0, bytecode 13.1 for sm_100", text)
        self.assertIn("swiglu:  # T = 64", text)
        self.assertIn("args: [gate, up, out, f32 1]", text)
        self.assertIn("out:  {type: f32, shape: [100]}  #", text)  # what is stored has no fill
        self.assertIn("compare: [out]", text)
        rows = json.loads(manifest.read_text())["exports"]
        self.assertEqual([row["file"] for row in rows], ["swiglu.tileirbc", "wrong.tileirbc"])
        self.assertEqual(rows[0]["versions"]["cuda-tile"], "1.7.0")
        self.assertEqual(
            rows[0]["arguments"][2:],
            [
                {"name": "out", "kind": "array", "type": "f32", "rank": 1},
                {"name": "scale", "kind": "scalar", "type": "f32"},
                {"name": "T", "kind": "constant", "value": 64},
            ],
        )
        # As it is, it says nothing, and fpdiff says so.
        self.fpdiff("show", case, status=0)
        self.assertIn("VACUOUS", self.fpdiff(case, status=1))
        # Completed, it compares; and lines are found in this work tree, also of what was imported.
        complete = text.replace("[1, 1, 1]", "[2, 1, 1]").replace("  # other:", "  other:").replace("  #   - {", "    - {")
        complete = complete.replace("other.tileirbc", "wrong.tileirbc").replace("args: []", "args: [gate, up, out, f32 1]")
        case.write_text(complete)
        reports = self.tree / "r.sarif"
        self.assertIn("DIVERGED", self.fpdiff(case, "--sarif", reports, status=1))
        result = json.loads(reports.read_text())["runs"][0]["results"][0]
        at = result["locations"][0]["physicalLocation"]
        self.assertEqual((at["artifactLocation"]["uri"], at["region"]["startLine"]), ("kernels/swiglu.py", 18))
        case.write_text(complete.replace("wrong.tileirbc", "swiglu.tileirbc"))
        self.fpdiff(case, status=0)
        # A case that is there is left alone.
        done = self.export(self.source, "-k", f"swiglu{signature}", "--case")
        self.assertIn("exists and is left as it is", done.stderr)
        self.assertEqual(case.read_text(), complete.replace("wrong.tileirbc", "swiglu.tileirbc"))

    def test_same_bytes_anywhere(self):
        self.source.write_text(KERNELS + TABLE)
        self.export(self.folder)
        self.export("swiglu.py", "-o", self.tree / "out", cwd=self.folder)
        with tempfile.TemporaryDirectory() as other:
            (Path(other) / "kernels").mkdir()
            for name in ("helpers.py", "swiglu.py"):
                shutil.copy(self.folder / name, Path(other) / "kernels")
            self.export(Path(other) / "kernels", "--root", other)
            for name in ("a.tileirbc", "b.tileirbc"):
                one = (self.folder / name).read_bytes()
                self.assertEqual(one, (Path(other) / "kernels" / name).read_bytes())
                self.assertEqual(one, (self.tree / "out" / name).read_bytes())
                self.assertNotIn(str(self.tree).encode(), one)
                self.assertIn(b"/src/kernels/helpers.py", one)

    def test_examples(self):
        """What lies in the repository comes out again, through the older name, too."""
        for program in (EXPORT, SOURCES / "examples/export.py"):
            done = subprocess.run(
                [sys.executable, program, SOURCES / "examples/splitk", "-o", self.tree], capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in ("matmul.tileirbc", "splitk.tileirbc", "sum_parts.tileirbc"):
                path = self.tree / name
                self.assertEqual(path.read_bytes(), (SOURCES / "examples/splitk" / name).read_bytes())
                path.unlink()

    def test_wrong_input(self):
        one = "swiglu(f32[1], f32[1], f32[1], f32, 64)"
        (self.folder / "broken.py").write_text("def f(:\n")
        for arguments, message in (
            ([self.source], "defines no EXPORTS, and there is no --kernel"),
            ([self.tree], "no *.py of it defines EXPORTS"),
            ([self.tree / "nope.py"], "no such file or folder"),
            ([self.folder / "broken.py"], "cannot be run"),
            ([self.source, "-k", "swiglu"], "expected KERNEL(PARAMETERS)"),
            ([self.source, "-k", "sigmoid(f32)"], "has no kernel 'sigmoid', its kernels are: swiglu wrong"),
            ([self.source, "-k", "swiglu(f32[1])"], "has 5 parameters (gate, up, out, scale, T), found 1"),
            ([self.source, "-k", one.replace("f32, ", "f33, ")], "unknown type 'f33'"),
            ([self.source, "-k", one.replace("64", "[64]")], "expected TYPE[RANK], TYPE, or a number"),
            ([self.source, "-k", one.replace("64", "63")], "63"),
            ([self.source, "-k", one, "--bytecode", "12.0"], "12.0"),
            ([self.source, "-k", one, "--root", self.tree / ".git"], "is not below the root"),
            ([self.source, "-k", one, "-o", self.source], "File exists"),
            ([self.source, "-k", "1x=" + one, "--case"], "a case cannot have a variant or buffer of such a name"),
            ([self.source, self.folder, "-k", one], "--kernel takes one source"),
        ):
            done = self.export(*arguments, status=2)
            self.assertIn(message, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
