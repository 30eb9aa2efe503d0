# SPDX-License-Identifier: Apache-2.0
# python -m congruent_gpu record over the scripts of tests/python/scripts, with Triton as it is installed.
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import triton
from congruent_gpu.triton_launches import GLUON_SINCE, numbers_of

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SCRIPTS = SOURCES / "tests/python/scripts"
GLUON = numbers_of(triton.__version__) >= GLUON_SINCE
EXPORT = """
import sys
sys.argv[1:] = ["right"]
source = open(sys.path[1] + "/gluon_scale.py").read().partition("kind = sys")[0]
open("kernels.py", "w").write(source)
from congruent_gpu.export import ttgir
from kernels import gl, scale
tile = "fp32", [32, 32], gl.NVMMASharedLayout.get_default_for([32, 32], gl.float32)
open("scale.ttgir", "w").write(ttgir(scale, [tile, tile, "fp32"], {"FENCE": True}, options={"num_warps": 8}))
"""


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.case = self.folder / "case" / "case.yaml"

    def record(self, script, *arguments, status=0, options=()):
        command = [sys.executable, "-m", "congruent_gpu", "record", "--fpdiff", FPDIFF, "--output", self.folder / "case"]
        command += [*options, SCRIPTS / script, *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def compare(self, status=0):
        done = subprocess.run([FPDIFF, self.case], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_two_recordings_are_compared(self):
        self.record("plain_softmax.py", "7", "50", options=["--variant", "plain"])
        said = self.record("fused_softmax.py", "7", "50", options=["--variant", "fused"]).stderr
        self.assertIn("softmax is autotuned: recorded with config 2 of 3, the first that is not pruned", said)
        self.assertIn("destination is taken for y of the case", said)
        text = self.case.read_text()
        self.assertIn('title: "plain_softmax.py 7 50"', text)
        self.assertEqual(text.count("module:"), 4)
        self.assertIn("compare: [y]\n", text)
        self.assertIn("plain | fused  fpsan  EQUAL     350 elements of y", self.compare())

    def test_a_wrong_recording_diverges(self):
        self.record("plain_softmax.py", "7", "50", options=["--variant", "plain"])
        wrong = (SCRIPTS / "fused_softmax.py").read_text().replace("tl.sum(e, 0)", "(tl.sum(e, 0) + 1e-4)")
        script = self.folder / "wrong.py"
        script.write_text(wrong)
        self.record(script, "7", "50")
        self.assertIn("DIVERGED", self.compare(1))

    def test_locations_have_no_folders_of_this_machine(self):
        self.record("plain_softmax.py", "3", "8")
        for module in self.case.parent.glob("*.ttir"):
            text = module.read_text()
            self.assertIn("plain_softmax.py", text)
            self.assertNotIn(str(SOURCES), text)
            self.assertNotIn(sys.prefix, text)

    def test_all_kinds_of_launches(self):
        self.record("launches.py")
        text = self.case.read_text()
        self.assertEqual(text.count("module:"), 8)
        self.assertIn("args: [x, y, i32 100, f32 2.5]", text)
        shown = subprocess.run([FPDIFF, "show", self.case], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown.count("made by Triton "), 8)
        self.assertIn(" for cuda sm_90: 4 warps, ", shown)
        self.assertIn("args: [{view: x, offset: 100, shape: [100]}, {view: y, offset: 100, shape: [100]}, i32 100, f32 0.1]", text)
        self.assertEqual(len(list(self.case.parent.glob("*.ttir"))), 6)  # 1 and None are constants, 2 is not
        np.testing.assert_array_equal(np.load(self.case.parent / "data/x.npy"), np.arange(200))
        self.assertIn("  z_2: {type: f32, shape: [100]}\n", text)  # z is stored anew, and nothing has read it
        self.assertIn("  z_3: {type: i1, shape: [8]}\n", text)  # what nobody wrote has no contents

    @unittest.skipUnless(importlib.util.find_spec("triton.tools.tensor_descriptor"), "needs Triton 3.4")
    def test_descriptors(self):
        self.record("descriptors.py")
        self.assertIn("args: [a, b, c, i32 64]", self.case.read_text())
        self.assertIn("args: [{view: x, padding: nan}, y]", self.case.read_text())

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
    def test_torch(self):
        self.record("with_torch.py")
        text = self.case.read_text()
        self.assertIn("  x_2: {type: f16, shape: [200], fill: {file: data/x_2.npy}}\n", text)
        self.assertIn("  x_3: {type: bf16, shape: [300], fill: {file: data/x_3.bin}}\n", text)
        self.assertIn("shape: [10, 10], strides: [1, 10]}", text)
        self.assertIn("  x_5: {type: f8e5m2, shape: [64], fill: {file: data/x_5.bin}}\n", text)
        self.assertIn("{addresses: [table_target, table_target_2, ", text)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
    def test_what_asks_torch_for_a_gpu(self):
        for asked in ("torch.cuda.random.get_rng_state()", "torch.cuda.random.seed()", "torch.cuda.CUDAGraph()"):
            script = self.folder / "asking.py"
            script.write_text(f"import torch\n\n{asked}\n")
            name = asked.partition("(")[0]
            self.assertIn(f"asking.py:3: {name} asks for a GPU", self.record(script, status=3).stderr)
            script.write_text(f"import torch\ntry:\n    {asked}\nexcept RuntimeError:\n    raise SystemExit(4)\n")
            self.assertIn(f"asking.py:3: {name} asked for a GPU", self.record(script, status=4).stderr)

    def test_a_launch_that_cannot_run(self):
        done = self.record("refused.py", status=3)
        self.assertRegex(done.stderr, r"refused.py:\d+: assembled cannot be run here: .*refused.py:\d+.*lop3")
        self.assertEqual(done.stdout, "")
        self.assertFalse(self.case.exists())

    def test_a_script_that_fails(self):
        done = self.record("failing.py", status=1)
        self.assertIn("AssertionError: three times", done.stderr)
        self.assertTrue(self.case.exists())  # what it launched, to look for the reason

    @unittest.skipUnless(GLUON, "needs Gluon of Triton 3.9")
    def test_gluon(self):
        said = self.record("gluon_scale.py", "right", options=["--variant", "gluon"]).stderr
        self.assertIn("scale is a kernel of Gluon, compiled for sm_90", said)
        text = (self.case.parent / "scale.ttgir").read_text()
        self.assertIn("gluon_scale.py", text)
        self.assertNotIn(str(SOURCES), text)
        about = json.loads((self.case.parent / "scale.json").read_text())
        self.assertEqual((about["name"], about["num_warps"], about["target"]["arch"]), ("scale", 8, 90))
        self.record("gluon_scale.py", "plain", options=["--variant", "plain"])
        self.assertIn("args: [x, z, f32 0.5]", self.case.read_text())
        self.assertIn("gluon | plain  fpsan  EQUAL     3200 elements of z", self.compare())

    @unittest.skipUnless(GLUON, "needs Gluon of Triton 3.9")
    def test_gluon_misuse(self):
        done = self.record("gluon_scale.py", "bug", status=1, options=["--variant", "bug"])
        self.assertRegex(done.stderr, r"gluon_scale.py:27:5: error: scale, block \(0, 0, 0\): .*without a fence")
        self.assertIn("gluon_scale.py:24:5: note: the other of the two", done.stderr)
        self.assertIn("launch 1 of the case: misuse, see above", done.stderr)
        self.record("gluon_scale.py", "plain", options=["--variant", "plain"])
        self.assertIn("MISUSE", self.compare(1))

    @unittest.skipUnless(GLUON, "needs Gluon of Triton 3.9")
    def test_gluon_clusters(self):
        self.record("gluon_scale.py", "cluster")
        self.assertIn('"ttg.num-ctas" = 2', (self.case.parent / "shifted.ttgir").read_text())

    @unittest.skipUnless(GLUON, "needs Gluon of Triton 3.9")
    def test_gluon_targets(self):
        for kind, target, options in (
            ("hopper", 90, []),
            ("blackwell", 100, []),
            ("blackwell", 103, ["--target", "sm_103"]),
        ):
            said = self.record("gluon_products.py", kind, options=options).stderr
            self.assertEqual(f"compiled for sm_{target}" in said, not options)
            self.assertNotIn("requires tcgen05", said)
            self.assertIn(f"cuda:{target}", (self.case.parent / "product.ttgir").read_text())
        said = self.record("gluon_products.py", "hopper", status=3, options=["--target", "sm_100"]).stderr
        self.assertRegex(said, r"gluon_products.py:\d+: product uses wgmma, which sm_100 has not: --target sm_90")
        said = self.record("gluon_products.py", "blackwell", status=1, options=["--target", "sm_90"]).stderr
        self.assertIn("requires tcgen05", said)
        self.record("gluon_products.py", "both", status=3)

    @unittest.skipUnless(GLUON, "needs Gluon of Triton 3.9")
    def test_gluon_export(self):
        script = self.folder / "export.py"
        script.write_text(EXPORT)
        scripts = f"{SCRIPTS}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        environment = {**os.environ, "PYTHONPATH": scripts}
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('"ttg.num-warps" = 8', (self.folder / "scale.ttgir").read_text())
        self.record("gluon_scale.py", "right", options=["--variant", "recorded", "--target", "sm_100"])
        exported = [line.partition(" loc(")[0] for line in (self.folder / "scale.ttgir").read_text().splitlines()]
        recorded = [line.partition(" loc(")[0] for line in (self.case.parent / "scale.ttgir").read_text().splitlines()]
        self.assertEqual(exported[0], recorded[0])
        self.assertEqual(len(exported), len(recorded))

    def both(self, kind, *variants):
        """Records a kind of overwritten.py as two variants. Returns what was said of the last one."""
        self.record("overwritten.py", kind, variants[0], options=["--variant", "first"])
        return self.record("overwritten.py", kind, variants[1], options=["--variant", "second"]).stderr

    def test_results_that_are_stored_twice(self):
        self.both("twice", "right", "wrong")
        self.assertIn("compare: [o, cache]\n", self.case.read_text())
        self.assertIn("DIVERGED  500 of 500 elements of o ", self.compare(1))
        self.both("twice", "right", "right")
        self.assertIn("EQUAL", self.compare())

    def test_results_that_are_overwritten(self):
        said = self.both("again", "right", "wrong")
        self.assertIn("o: launch 2 (softmax) overwrites what launch 1 (softmax) stored, ", said)
        self.assertIn("compare: [o, o_2]\n", self.case.read_text())
        self.assertIn("DIVERGED  500 of 640 elements of o ", self.compare(1))
        self.both("again", "right", "right")
        self.assertIn("OK, vacuous as allowed", self.compare())

    def test_what_no_launch_stores(self):
        self.both("row", "right", "right")
        text = self.case.read_text()
        self.assertIn("# no launch stores 496 elements of cache: what was there stays\nallow: [unwritten]\n", text)
        self.assertIn("OK, vacuous as allowed", self.compare())

    def test_an_error_that_the_script_catches(self):
        done = self.record("overwritten.py", "caught", "right", status=3)
        self.assertRegex(done.stderr, r"overwritten.py:\d+: assembled cannot be run here: .*mov.u32")
        self.assertFalse(self.case.exists())

    def test_a_grid_of_fractions(self):
        done = self.record("overwritten.py", "grid", "right", status=3)
        self.assertIn("put: the grid is (3.125, 1, 1); its sizes have to be integers", done.stderr)

    def test_bytes_that_a_script_fills_in(self):
        self.record("overwritten.py", "bytes", "right")
        np.testing.assert_array_equal(np.load(self.case.parent / "data/x.npy"), np.full((4, 4), -5))

    def test_wrong_usage(self):
        for options, why in (
            (["--variant", "a b"], "--variant a b"),
            (["--target", "sm_80"], "sm_90 or newer"),
            (["--same", "x"], "NEW=OLD"),
            (["--fpdiff", "/nowhere"], "/nowhere"),
        ):
            self.assertIn(why, self.record("plain_softmax.py", "3", "8", status=2, options=options).stderr)
        self.assertIn("no such file", self.record("missing.py", status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
