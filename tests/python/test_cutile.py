# SPDX-License-Identifier: Apache-2.0
# Kernels of cuTile run and recorded without a GPU, as they are installed.
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
os.environ["FPDIFF"] = str(FPDIFF)

import cuda.tile as ct  # noqa: E402
import cutile_kernels as kernels  # noqa: E402
import cutile_kernels_more as more  # noqa: E402
import numpy as np  # noqa: E402

import congruent_gpu as congruent  # noqa: E402
from congruent_gpu.cutile_launches import installed  # noqa: E402
from congruent_gpu.running import Runner  # noqa: E402

LINES = Path(kernels.__file__).read_text().splitlines()


def line_of(text):
    """The number of the first line of the kernels' file with this text."""
    return next(number for number, line in enumerate(LINES, 1) if text in line)


def floats(count, kind=np.float32):
    return np.arange(count, dtype=kind)


class Import(unittest.TestCase):
    def test_import_is_cheap(self):
        program = "import sys; before = set(sys.modules); import congruent_gpu; print(*set(sys.modules) - before)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        loaded = {name.split(".")[0] for name in done.stdout.split()}
        self.assertFalse(loaded & {"numpy", "torch", "cuda", "triton", "ctypes"}, loaded)
        self.assertIn("record", dir(congruent))
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            congruent.nothing


class Running(unittest.TestCase):
    def test_results_are_in_the_arrays(self):
        x, y = floats(40), np.zeros(40, np.float32)
        congruent.run(kernels.scale, (3,), (x, y, 2.0, 16))
        np.testing.assert_array_equal(y, 2 * x)

    def test_elements_of_all_types(self):
        for kind in ("float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"):
            x = np.arange(32).astype(kind)
            y = np.zeros_like(x)
            congruent.run(kernels.mixed, (1,), (x, y, 32))
            np.testing.assert_array_equal(x, y, kind)

    def test_views(self):
        base = floats(64).reshape(8, 8)
        for x in (base.T, base[::2, ::2], base[1:, 3:], np.broadcast_to(base[0], (4, 8)), base[:3, :0]):
            y = np.full(x.shape, -1, np.float32)
            congruent.run(kernels.transposed, [ct.cdiv(size, 4) for size in x.shape], (x, y, 4))
            np.testing.assert_array_equal(x, y)

    def test_arrays_that_share_memory(self):
        x = floats(20)
        congruent.run(kernels.scale, (1,), (x, x, 2.0, 32))
        np.testing.assert_array_equal(x, 2 * floats(20))
        congruent.run(kernels.scale, (1,), (x[:16], x[4:], 1.0, 16))
        np.testing.assert_array_equal(x[4:], 2 * floats(16))

    def test_lists(self):
        y = np.zeros(8, np.float32)
        congruent.run(kernels.total, (1,), ([floats(8), floats(20)[4:9], floats(16)[::2]], y, 8))
        np.testing.assert_array_equal(y, floats(8) + np.append(floats(9)[4:], [0, 0, 0]) + 2 * floats(8))

    def test_scalars(self):
        for flag, whole, fraction in ((True, 7, 2.5), (np.bool_(True), np.int32(7), np.float64(2.5))):
            y = np.zeros(8, np.float32)
            pair = floats(4) + 5, np.int64(-3)
            congruent.run(kernels.scalars, (1,), (pair, flag, np.array(4.5, np.float32), whole, fraction, y))
            np.testing.assert_array_equal(y, [-3, 7, 2.5, 4.5, 5, 1, 0, 0])
        congruent.run(kernels.scalars, (1,), (pair, False, np.array(4.5, np.float32), 0, 0.1, y := np.zeros(8, np.float32)))
        self.assertEqual((y[2], y[5]), (np.float32(0.1), 0))

    def test_annotations(self):
        y = np.zeros(8, np.float32)
        congruent.run(kernels.fixed, (1,), (floats(8), y, 5 * 2**32, np.int64(8)))
        np.testing.assert_array_equal(y, floats(8) + 13)

    def test_an_empty_grid_does_nothing(self):
        congruent.run(kernels.scale, (0,), (floats(8), y := np.zeros(8, np.float32), 2.0, 8))
        self.assertFalse(y.any())

    def test_prints(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            congruent.run(kernels.prints, (2,), (floats(8), 8))
        self.assertEqual(out.getvalue(), "number 0\nnumber 1\n")

    def fault(self, kernel, grid, arguments, kind=None, **options):
        with self.assertRaises(kind or congruent.KernelFault) as caught:
            congruent.run(kernel, grid, arguments, **options)
        return str(caught.exception)

    def test_faults(self):
        x, y = floats(40), np.zeros(40, np.float32)
        text = self.fault(kernels.far, (3,), (x, y, 16))
        self.assertRegex(text, rf"cutile_kernels.py:{line_of('ct.gather(x, at')}:\d+: .*block \(2, 0, 0\).* of buffer x")
        self.assertNotIn("case.yaml", text)
        self.assertFalse(y.any())
        text = self.fault(kernels.scale, (4,), (x, y, 2.0, 16))
        self.assertRegex(text, rf":{line_of('tile=ct.load(x, index=(i,), shape=(T,)) * s)')}:.*block \(3, 0, 0\).*in a view of buffer x ")
        congruent.run(kernels.scale, (4,), (x, y, 2.0, 16), outside_tiles="padding")
        self.assertIn("x is too large", self.fault(kernels.checked, (1,), (x, y, 32)))
        self.assertIn("y, which is read-only", self.fault(kernels.scale, (3,), (x, frozen(y), 3.0, 16), congruent.RecordError))
        with self.assertRaisesRegex(ValueError, "unspecified is 'what', which has to be one of: zero, nan, random"):
            congruent.run(kernels.scale, (3,), (x, y, 2.0, 16), unspecified="what")

    def test_what_stands_where_nothing_is_specified(self):
        x, y = floats(5), np.zeros(8, np.float32)
        congruent.run(kernels.scale, (1,), (x, y, 2.0, 8))
        self.assertEqual(y[5:].tolist(), [0, 0, 0])
        congruent.run(kernels.scale, (1,), (x, y, 2.0, 8), unspecified="nan")
        self.assertTrue(np.isnan(y[5:]).all())

    def test_errors(self):
        x, y, i = floats(16), np.zeros(16, np.float32), np.zeros(16, np.int32)
        for kernel, grid, arguments, why in (
            (kernels.scale, (1,), (x, y, 2.0), "scale has 4 parameters (x, y, s, T), found 3"),
            (kernels.scale, (1.5,), (x, y, 2.0, 16), "scale: the grid is (1.5,); its sizes have to be integers"),
            (kernels.scale, (1, 1, 1, 1), (x, y, 2.0, 16), "scale: the grid is (1, 1, 1, 1)"),
            (kernels.scale, (1,), (x, y, "a", 16), "argument s of scale is a str: "),
            (kernels.scale, (1,), (x, y, 2**40, 16), "argument s of scale is 1099511627776, which int32 cannot hold"),
            (kernels.scale, (1,), (x, y, 2.0, "a"), "argument T of scale: Unexpected constant value type"),
            (kernels.scale, (1,), (x.astype(complex), y, 2.0, 16), "argument x of scale has elements of type complex128"),
            (kernels.scale, (1,), (x[::-1], y, 2.0, 16), "argument x of scale has a negative stride"),
            (kernels.total, (1,), ([], y, 16), "argument xs of total is an empty list"),
            (kernels.total, (1,), ([x, 3], y, 16), "argument xs of total: a list holds arrays alone"),
            (kernels.total, (1,), ([x, i], y, 16), "array 1 of argument xs of total has another type or number of dim"),
            (lambda x: x, (1,), (x,), "a function is launched, which is no kernel of cuTile"),
        ):
            self.assertIn(why, self.fault(kernel, grid, arguments, congruent.RecordError))

    def test_kernels_that_cannot_be_exported(self):
        text = self.fault(kernels.mixed, (1,), (floats(16), np.zeros(16, np.int32), 16), congruent.RecordError)
        self.assertRegex(text, "mixed cannot be exported: .*cannot implicitly cast float32 to int32")
        self.assertIn(f'cutile_kernels.py", line {line_of("def mixed") + 1}', text)
        text = self.fault(kernels.scale, (1,), (floats(16), floats(16), 2.0, 15), congruent.RecordError)
        self.assertIn("is not a power of two", text)
        made = {"ct": ct}
        exec("@ct.kernel\ndef made(x):\n    ct.scatter(x, 0, 1.0)\n", made)
        text = self.fault(made["made"], (1,), (floats(16),), congruent.RecordError)
        self.assertIn("made cannot be exported: OSError: could not get source code", text)

    def test_arrays_without_dimensions(self):
        x, y = np.array(3, np.float32), np.array(0, np.float32)
        congruent.run(kernels.gathered_scalar, (1,), (x, y))
        self.assertEqual(y, 6)
        text = self.fault(kernels.loaded_scalar, (1,), (x, y), congruent.RecordError)  # by NVIDIA's compiler, too
        self.assertRegex(text, "^loaded_scalar cannot be run here: offset .* partition_view has a tile of rank 0")


def frozen(array):
    array.flags.writeable = False
    return array


class Constraints(unittest.TestCase):
    """What kernels are compiled for is what cuTile itself finds. It asks a GPU's driver for that: here one that is not."""

    def test_as_cutile_does(self):
        with tempfile.TemporaryDirectory() as folder:
            try:
                driver, source = Path(folder) / "libcuda.so.1", SOURCES / "tests/python/no_driver.c"
                subprocess.run(["cc", "-shared", "-fPIC", "-o", driver, source], check=True)
            except FileNotFoundError:
                self.skipTest("needs a C compiler")
            program = SOURCES / "tests/python/cutile_constraints.py"
            environment = {**os.environ, "LD_LIBRARY_PATH": folder}
            done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"^\d+ launches, all alike$")


class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.said = Path(folder.name) / "case", []

    def record(self, **options):
        return congruent.record(self.path, tell=self.said.append, **options)

    def compare(self, status=0):
        done = subprocess.run([FPDIFF, self.path / "case.yaml"], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def text(self):
        return (self.path / "case.yaml").read_text()

    def two(self, x, y, z, s=2.0):
        t = np.empty(len(x), np.float32)
        ct.launch(0, (7,), kernels.scale, (x, t, s, 16))
        ct.launch(0, (4,), kernels.add, (t, y, z, 32))

    def test_two_variants(self):
        x, y = (np.random.default_rng(seed).normal(size=100).astype(np.float32) for seed in (1, 2))
        with self.record(title="scaled sums") as recording:
            with recording.variant("plain"):
                self.two(x, y, z := np.empty(100, np.float32))
            with recording.variant("fused"):
                ct.launch(0, (4,), kernels.scale_add, (x, y, other := np.empty(100, np.float32), 2.0, 32))
        np.testing.assert_allclose(z, 2 * x + y, rtol=1e-6)
        np.testing.assert_allclose(other, z, rtol=1e-6)
        self.assertEqual((recording.compared, recording.path), (["z"], self.path / "case.yaml"))
        self.assertIn('title: "scaled sums"', self.text())
        self.assertIn("args: [x, y, f32 2.0]", self.text())
        self.assertIn("  z: {type: f32, shape: [100]}\n", self.text())
        np.testing.assert_array_equal(np.load(self.path / "data/x.npy"), x)
        self.assertIn("plain | fused  fpsan  EQUAL     100 elements of z", self.compare())
        self.assertIs(type(ct.launch), type(len))  # cuTile's own again

    def test_a_wrong_variant_diverges(self):
        x, y, z = floats(100), floats(100), np.zeros(100, np.float32)
        with self.record() as recording:
            with recording.variant("plain"):
                self.two(x, y, z)
        with self.record() as recording, recording.variant("wrong"):  # into the same array, later
            self.two(x, y, np.zeros(100, np.float32), 2.5)
        self.assertIn("DIVERGED", self.compare(1))
        with self.record() as recording, recording.variant("wrong"):  # once more, in its place
            self.two(x, y, np.zeros(100, np.float32))
        self.assertIn("EQUAL", self.compare())
        self.assertEqual(json.loads((self.path / "recording.json").read_text())["variants"][1]["name"], "wrong")

    def test_variants_that_store_into_one_array(self):
        x, y, z = floats(100), floats(100), np.zeros(100, np.float32)
        with self.record() as recording:
            for name in ("plain", "again"):
                with recording.variant(name):
                    self.two(x, y, z)
        self.assertIn("  z: {type: f32, shape: [100], fill: zeros}\n", self.text())
        self.assertIn("plain | again  fpsan  EQUAL", self.compare())

    def test_all_kinds_of_arguments(self):
        base, y = floats(60), np.zeros(16, np.float32)
        with self.record() as recording, recording.variant("all"):
            ct.launch(0, (1,), kernels.total, ([base[3:9], base[20:50:2]], y, 16))
            ct.launch(0, (1,), kernels.scale, (y, y, 2.0, 16))
            ct.launch(0, (1,), kernels.scale, (base[:16], base[4:20], 2, 16))
            pair = base[40:], np.int32(3)
            ct.launch(0, (1,), kernels.scalars, (pair, np.bool_(True), np.array(1.5, np.float32), 9, 0.1, y))
        lists = "[{view: xs_0, offset: 3, shape: [6]}, {view: xs_0, offset: 20, shape: [15], strides: [2]}]"
        self.assertIn(f"args: [{lists}, y]", self.text())
        self.assertIn("args: [y, y, f32 2.0]", self.text())
        self.assertIn("args: [{view: xs_0, shape: [16]}, {view: xs_0, offset: 4, shape: [16]}, i32 2]", self.text())
        self.assertIn("args: [{view: xs_0, offset: 40, shape: [20]}, i32 3, i1 true, number, i32 9, f32 0.1, y]", self.text())
        self.assertIn("  number: {type: f32, shape: [], fill: {file: data/number.npy}}\n", self.text())
        with self.record() as recording, recording.variant("again"):
            base, y = floats(60), np.zeros(16, np.float32)
            ct.launch(0, (1,), kernels.total, ([base[3:9], base[20:50:2]], y, 16))
            ct.launch(0, (1,), kernels.scale, (y, y, 2.0, 16))
            ct.launch(0, (1,), kernels.scale, (base[:16], base[4:20], 2, 16))
            pair = base[40:], np.int32(3)
            ct.launch(0, (1,), kernels.scalars, (pair, np.bool_(True), np.array(1.5, np.float32), 9, 0.1, y))
        self.assertIn("all | again  fpsan  EQUAL", self.compare())

    def test_where_memory_lies_does_not_matter(self):
        """Only where an array is in its allocation: a case is replayed in other memory."""
        room = np.frombuffer(floats(100).tobytes(), np.uint8).copy()
        begin = -room.ctypes.data % 16
        for shift in (0, 4):  # an allocation that is aligned by chance, and one that is not
            x = room[begin + shift :][:256].view(np.float32)
            x[:] = floats(64)
            with self.record() as recording, recording.variant(f"shift_{shift}"):
                ct.launch(0, (2,), kernels.scale, (x[1:17], np.empty(16, np.float32), 2.0, 8))
        self.compare()

    def test_kernels_of_one_name(self):
        x, y = floats(16), np.empty(16, np.float32)
        with self.record() as recording, recording.variant("both"):
            ct.launch(0, (1,), kernels.scale, (x, y, 2.0, 16))
            ct.launch(0, (1,), more.scale, (y, z := np.empty(16, np.float32), 2.0, 16))
        np.testing.assert_array_equal(z, 4 * x + 1)
        self.assertEqual(sorted(path.name for path in self.path.glob("*.tileirbc")), ["scale.tileirbc", "scale_2.tileirbc"])

    def test_paths_of_sources_are_neutral(self):
        with self.record() as recording, recording.variant("one"):
            ct.launch(0, (1,), kernels.scale, (floats(16), np.empty(16, np.float32), 2.0, 16))
        module = (self.path / "scale.tileirbc").read_bytes()
        self.assertIn(b"/src/tests/python/cutile_kernels.py", module)
        self.assertNotIn(str(SOURCES).encode(), module)

    def test_tuning_takes_the_first_candidate(self):
        x, y = floats(64), np.empty(64, np.float32)
        with self.record() as recording, recording.variant("tuned"):
            result = ct.tune.exhaustive_search(
                [3, 16, 32], None, lambda T: (ct.cdiv(64, T),), kernels.scale, lambda T: (x, y, 2.0, T), quiet=True
            )
            ct.launch(0, (4,), kernels.scale, (x, y, 2.0, result.best.config))
            with self.assertRaisesRegex(ValueError, "No valid config"):
                ct.tune.exhaustive_search([3], None, lambda T: (1,), kernels.scale, lambda T: (x, y, 2.0, T))
        self.assertEqual((result.best.config, len(result.failures)), (16, 1))
        self.assertEqual((result.best.mean_us, result.best.num_samples), (0, 0))
        self.assertIn("scale is tuned: nothing is measured, and candidate 2 of 3 is taken", self.said)
        self.assertEqual(self.text().count("module:"), 1)

    def test_errors(self):
        x, y = floats(16), np.zeros(16, np.float32)
        with self.assertRaisesRegex(congruent.RecordError, "scale cannot be run here: .*index space.* in a view of buffer x "):
            with self.record() as recording, recording.variant("outside"):
                ct.launch(0, (2,), kernels.scale, (x, y, 2.0, 16))
        with self.assertRaisesRegex(congruent.RecordError, "mixed cannot be exported"):
            with self.record() as recording, recording.variant("caught"):
                with contextlib.suppress(congruent.RecordError):
                    ct.launch(0, (1,), kernels.mixed, (x, np.zeros(16, np.int32), 16))
                ct.launch(0, (1,), kernels.scale, (x, y, 2.0, 16))
        with self.assertRaisesRegex(congruent.RecordError, "variant none launched no kernel"):
            with self.record() as recording, recording.variant("none"):
                pass
        with self.assertRaisesRegex(congruent.UsageError, "variant a b: a name has"):
            with self.record() as recording, recording.variant("a b"):
                pass
        self.assertFalse(self.path.exists())
        self.path.mkdir()
        (self.path / "thesis.tex").write_text("")
        with self.assertRaisesRegex(congruent.UsageError, "not empty"):
            self.record()


TESTS = """import os
import cuda.tile as ct, numpy as np, cutile_kernels as kernels
from cuda.tile import launch

def test_scale():
    x, y = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
    ct.launch(0, (3,), kernels.scale, (x, y, 2.0, 16))
    launch(0, (3,), kernels.scale, (x, y, 2.0, 16))
    np.testing.assert_array_equal(y, 2 * x)

def test_outside():
    ct.launch(0, (4,), kernels.scale, (np.zeros(40, np.float32), np.zeros(40, np.float32), 2.0, 16))
"""


FALLBACK = """
def test_fallback():
    x, y = np.zeros(40, np.float32), np.zeros(40, np.float32)
    try:
        ct.launch(0, (4,), kernels.scale, (x, y, 2.0, 16))
    except RuntimeError:
        y[:] = 2 * x
"""

ASKING = """import pytest
import torch

def test_numbers_of_devices():
    assert torch.ones(3, device=0).to(0).sum() == 3

def test_asking():
    with pytest.raises(RuntimeError):
        torch.cuda.random.get_rng_state()

def test_asking_more():
    torch.cuda.CUDAGraph()
"""


class Plugin(unittest.TestCase):
    def pytest(self, value, status, *options, tests=TESTS):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "test_one.py").write_text(tests)
            environment = {**os.environ, "PYTHONPATH": f"{SOURCES}/python:{SOURCES}/tests/python", "CONGRUENT": value}
            command = [sys.executable, "-m", "pytest", "-p", "congruent_gpu.pytest_plugin", "-p", "no:cacheprovider", *options]
            done = subprocess.run([*command, folder], capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            return done.stdout + done.stderr

    def test_tests_run_on_the_cpu(self):
        said = self.pytest("1", 1)
        self.assertIn("1 failed, 1 passed", said)
        self.assertRegex(said, r"KernelFault: .*cutile_kernels.py:\d+.*tile index 3 is outside the index space")
        self.assertRegex(said, r"congruent: 3 launches on the CPU in .* s, the slowest .* s \(scale in .*test_one.py::test_")
        self.assertIn("2 passed", self.pytest("outside_tiles=padding", 0))

    def test_without_the_variable_nothing_happens(self):
        for value in ("", "0"):
            said = self.pytest(value, 1)
            self.assertNotIn("congruent:", said)
            self.assertIn("libcuda", said)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
    def test_what_asks_torch_for_a_gpu(self):
        said = self.pytest("1", 1, tests=ASKING)
        self.assertIn("1 failed, 2 passed", said)
        self.assertRegex(said, r"RecordError: \S*test_one.py:12: torch.cuda.CUDAGraph asks for a GPU")
        for line, name in ((9, "torch.cuda.random.get_rng_state"), (12, "torch.cuda.CUDAGraph")):
            self.assertRegex(said, rf"\ncongruent: \S*test_one.py:{line}: {name} asked for a GPU, and the script went on")

    def test_launches_that_fail(self):
        """Of tests that go on after one, there is a line."""
        said = self.pytest("1", 1, tests=TESTS + FALLBACK)
        self.assertIn("1 failed, 2 passed", said)
        self.assertRegex(said, r"\ncongruent: \S*test_one.py::test_fallback went on after a launch that failed: KernelFault: ")
        self.assertEqual(said.count("went on after a launch that failed"), 1)

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "needs pytest-xdist")
    def test_several_processes(self):
        self.assertRegex(self.pytest("1", 1, "-n", "2"), r"congruent: 3 launches on the CPU in .* \(scale in .*test_one.py::")

    def test_wrong_values(self):
        self.assertIn("CONGRUENT=outside_tiles=no: outside_tiles is 'no'", self.pytest("outside_tiles=no", 4))
        self.assertIn("CONGRUENT=faster: expected 1, or some of", self.pytest("faster", 4))
        for value in ("prints=3", "outside_tiles", "check_assume=2"):
            self.assertIn(f"CONGRUENT={value}: ", self.pytest(value, 4))
        self.assertIn("1 failed, 1 passed", self.pytest("check_assume=0,outside_tiles=error", 1))


NAMED = """import cuda.tile as ct

@ct.kernel
def KERNEL(PARAMETER, s, T: ct.Constant[int]):
    ct.store(PARAMETER, index=(0,), tile=ct.load(PARAMETER, index=(0,), shape=(T,)) * s)
"""

UNEXPECTED = """import cuda.tile as ct

@ct.kernel
async def waits(x, T: ct.Constant[int]):
    pass
"""


class OddNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def module(self, text):
        path = self.folder / f"module{len(list(self.folder.iterdir()))}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def test_parameters_and_kernels(self):
        for name in ("x" * 200, "\u00e9", "\u00e9t\u00e9", "_1", "_", "\u03b1\u03b2"):
            for kernel, parameter in ((name, "x"), ("k", name)):
                made = getattr(self.module(NAMED.replace("KERNEL", kernel).replace("PARAMETER", parameter)), kernel)
                x = floats(16)
                congruent.run(made, (1,), (x, 2.0, 16))
                np.testing.assert_array_equal(x, 2 * floats(16))

                def variant(x, made=made):
                    ct.launch(0, (1,), made, (x, 2.0, 16))

                congruent.check({"a": variant, "b": variant}, inputs={"x": floats(16)})

    def test_titles(self):
        for number, title in enumerate(("a\tb", "a\nb", "\x01", "\x7f\x85\u2028", 'a"b\\', "\u00e9", "\ud800", 7)):
            path = self.folder / f"case{number}"
            recording = congruent.record(path, title=title, tell=lambda _: None)
            for name in ("a", "b"):
                with recording.variant(name):
                    ct.launch(0, (1,), kernels.scale, (floats(16), np.empty(16, np.float32), 2.0, 16))
            self.assertTrue(congruent.check(recording).ok)

    def test_variants(self):
        recording = congruent.record(self.folder / "case", tell=lambda _: None)
        for name in ("\u00e9", "v" * 129, "", "1"):
            with self.assertRaisesRegex(congruent.UsageError, "a name has letters"):
                with recording.variant(name):
                    pass

    def test_what_cutile_does_not_expect(self):
        waits = self.module(UNEXPECTED).waits
        with self.assertRaisesRegex(congruent.RecordError, r"waits cannot be exported: AssertionError \(.*py:3\)"):
            congruent.run(waits, (1,), (floats(16), 16))


class WrongCalls(unittest.TestCase):
    """As cuTile takes them, also where nothing runs on a GPU."""

    def arguments(self):
        return floats(16), np.empty(16, np.float32), 2.0, 16

    def handled(self):
        return installed(Runner())

    def test_keywords_of_launch(self):
        with self.handled():
            ct.launch(0, (1,), kernels.scale, self.arguments(), programmatic_dependent_launch=True)
            with self.assertRaisesRegex(TypeError, r"launch\(\): got an unexpected keyword argument 'programatic'"):
                ct.launch(0, (1,), kernels.scale, self.arguments(), programatic=True)
            with self.assertRaisesRegex(TypeError, r"launch\(\): .*missing a required"):
                ct.launch(0, (1,), kernels.scale)
            with self.assertRaisesRegex(TypeError, "positional only"):
                ct.launch(0, (1,), kernels.scale, kernel_args=self.arguments())

    def test_arguments_of_launch(self):
        with self.handled():
            for wrong, kind in ((list(self.arguments()), "list"), (5, "int")):
                with self.assertRaisesRegex(TypeError, f"the arguments of the kernel are a {kind}, expected a tuple"):
                    ct.launch(0, (1,), kernels.scale, wrong)

    def test_recordings(self):
        with tempfile.TemporaryDirectory() as folder:
            recording = congruent.record(Path(folder) / "case", tell=lambda _: None)
            with self.assertRaisesRegex(TypeError, "programatic"), recording.variant("a"):
                ct.launch(0, (1,), kernels.scale, self.arguments(), programatic=True)

    def test_search(self):
        def search(**more):
            return ct.tune.exhaustive_search(
                [16], 0, lambda size: (1,), kernels.scale, lambda size: self.arguments(), **more
            )

        with self.handled():
            self.assertEqual(search(quiet=True, flush_l2=False).best.config, 16)
            with self.assertRaisesRegex(TypeError, r"exhaustive_search\(\): .*'quite'"):
                search(quite=True)

    def test_capability(self):
        with self.handled():
            asked = ct._cext.get_compute_capability
            self.assertEqual((asked(), asked(0), asked(device_id=0)), ((10, 0),) * 3)

    def test_arguments_of_run(self):
        congruent.run(kernels.scale, (1,), list(self.arguments()))
        for wrong, kind in ((5, "int"), (None, "NoneType"), (floats(4), "ndarray")):
            with self.assertRaisesRegex(congruent.RecordError, f"scale: its arguments are of type {kind}, expected a tuple"):
                congruent.run(kernels.scale, (1,), wrong)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
