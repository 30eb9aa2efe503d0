# SPDX-License-Identifier: Apache-2.0
# The recorder's parts that need no Triton: arrays as buffers and views, recordings in a folder, launches by fpdiff run.
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from congruent_gpu.casefile import Buffer, Folder, Launch, Variant, View, npy, plain_name, title_text, view_of
from congruent_gpu.errors import RecordError, UsageError
from congruent_gpu.memory import Memory, contents, unwritten
from congruent_gpu.runner import Engine, run_launch
from congruent_gpu.stores import Results
from congruent_gpu.scalars import scalar
from congruent_gpu.triton_launches import check_version

FPDIFF, SOURCES = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
TEXT = "module {\n  tt.func public @k() {\n    tt.return\n  }\n}\n"
# y[i] += x[i] for 4 elements, written by hand
ADD = """module {
  tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %at = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %yp = tt.addptr %ys, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
    %a = tt.load %xp : tensor<4x!tt.ptr<f32>>
    %b = tt.load %yp : tensor<4x!tt.ptr<f32>>
    %c = arith.addf %a, %b : tensor<4xf32>
    tt.store %yp, %c : tensor<4x!tt.ptr<f32>>
    tt.return
  }
}
"""
# y[i] = x[i] for 4 elements
COPY = "\n".join(line for line in ADD.splitlines() if "%b =" not in line and "%c =" not in line)
COPY = COPY.replace("@add", "@copy").replace("store %yp, %c", "store %yp, %a") + "\n"


class Arrays(unittest.TestCase):
    def test_views_lie_in_the_allocation_of_their_root(self):
        memory, base = Memory(), np.arange(24, dtype=np.float32).reshape(4, 6)
        turned, part = memory.array(base[1:, ::2].T, "x"), memory.array(base[3], "y")
        self.assertIs(turned.allocation, part.allocation)
        self.assertEqual((turned.offset, turned.shape, turned.strides), (24, (3, 3), (2, 6)))
        self.assertEqual(part.offset, 72)
        backward = memory.array(base[::-1], "z")
        self.assertEqual((backward.offset, backward.strides), (72, (-6, 1)))
        self.assertEqual(part.allocation.read(), base.tobytes())

    def test_memory_is_written_in_place(self):
        base = np.zeros(3, np.int16)
        Memory().array(base, "x").allocation.write(np.array([1, -2, 3], np.int16).tobytes())
        self.assertEqual(base.tolist(), [1, -2, 3])

    def test_an_overlap_of_strangers_is_refused(self):
        memory, data = Memory(), bytearray(64)
        part = lambda size, begin: np.frombuffer((ctypes.c_char * size).from_buffer(data, begin), np.float32)  # noqa: E731
        memory.array(part(32, 0), "x")
        memory.array(part(16, 8), "lies in it")
        with self.assertRaisesRegex(RecordError, "overlaps"):
            memory.array(part(32, 16), "y")

    def test_views_of_bytes_lie_in_one_memory(self):
        memory, data = Memory(), bytearray(64)
        arrays = [memory.array(np.frombuffer(data, np.float32, 8, begin), "x") for begin in (0, 16)]
        arrays.append(memory.array(np.lib.stride_tricks.as_strided(np.frombuffer(data, np.float32), (3, 3), (8, 4)), "x"))
        self.assertEqual([array.offset for array in arrays], [0, 16, 0])
        self.assertEqual(len(memory.allocations), 1)
        self.assertEqual(memory.allocations[0].size, 64)

    def test_the_other_order_of_bytes_is_refused(self):
        with self.assertRaisesRegex(RecordError, "order of bytes.*>f4"):
            Memory().array(np.zeros(2, ">f4"), "x")

    def test_unknown_elements_are_refused(self):
        with self.assertRaisesRegex(RecordError, "complex64"):
            Memory().array(np.zeros(2, np.complex64), "x")

    def test_empty_arrays_are_marked(self):
        for kind in (np.float32, bool):
            memory, made = Memory(), np.empty(3, kind)
            self.assertIs(memory.mark_unwritten(made), made)
            self.assertTrue(memory.array(made, "x").allocation.unwritten)
            self.assertEqual(made.tobytes(), unwritten(made.nbytes))
        self.assertEqual(contents("i1", b"\0\1\xfb"), b"\0\1\1")
        for value in range(256):  # nothing that a script fills in is taken for what nobody wrote
            self.assertNotEqual(unwritten(2), bytes([value] * 2))
        other = np.zeros(3, object)  # no buffer
        memory.mark_unwritten(other)
        self.assertFalse(other.any())

    def test_views_as_text(self):
        memory, base = Memory(), np.zeros((4, 6), np.float16)
        whole = memory.array(base, "x")
        buffer = Buffer("X", whole.type, whole.shape, None, name="X")
        text = lambda array: view_of(buffer, memory.array(array, "x")).text()  # noqa: E731
        self.assertEqual(text(base), "X")
        self.assertEqual(text(base[2:]), "{view: X, offset: 12, shape: [2, 6]}")
        self.assertEqual(text(base.T), "{view: X, shape: [6, 4], strides: [1, 6]}")
        self.assertEqual(text(base[:1, 3]), "{view: X, offset: 3, shape: [1], strides: [6]}")
        self.assertEqual(text(base.view(np.int8)), "{view: X, shape: [4, 12], type: i8}")


class Arguments(unittest.TestCase):
    def test_numbers_keep_their_bits(self):
        for value in (0.1, 1 / 3, 16777217.0, 1e-45, 3.4e38, -0.0, float("inf"), float("-inf"), float("nan"), 2.0):
            name, text = scalar("fp32", value, "x").split()
            self.assertEqual(name, "f32")
            np.testing.assert_array_equal(np.float32(float(text)).tobytes(), np.float32(value).tobytes())
            name, text = scalar("fp64", value, "x").split()
            np.testing.assert_array_equal(np.float64(float(text)).tobytes(), np.float64(value).tobytes())
        self.assertEqual(scalar("fp32", 0.1, "x"), "f32 0.1")
        self.assertEqual(scalar("fp16", 0.1, "x"), "f16 0.1")
        self.assertEqual(scalar("fp32", 3.4028234663852886e38, "x"), "f32 3.4028235e+38")
        self.assertEqual(scalar("fp32", -1e39, "x"), "f32 -inf")

    def test_integers(self):
        self.assertEqual(scalar("i32", 7, "x"), "i32 7")
        self.assertEqual(scalar("i64", -(1 << 40), "x"), "i64 -1099511627776")
        self.assertEqual(scalar("u64", (1 << 64) - 1, "x"), "i64 -1")
        self.assertEqual(scalar("u1", True, "x"), "i1 true")
        with self.assertRaisesRegex(RecordError, "fp8e4nv"):
            scalar("fp8e4nv", 1.0, "argument x of k")

    def test_versions(self):
        for version in ("3.3.1", "3.9.0", "3.9.0+git12"):
            check_version(version)
        for version in ("3.2.0", "3.10.0", "4.0"):
            with self.assertRaisesRegex(UsageError, version):
                check_version(version)


class Recordings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "case"
        self.said = []

    def record(self, variant, inputs, result, name="out", text=TEXT, between=None, **options):
        """A variant of one launch: inputs as arrays by name, a result that nobody wrote before. between: the name of a
        buffer like the result, written and read."""
        buffers = [Buffer(key, "f32", value.shape, value.tobytes()) for key, value in inputs.items()]
        if between:
            buffers.append(Buffer(between, "f32", result, None, written=True))
        self.result = Buffer(name, "f32", result, None, written=True, result=True)
        buffers.append(self.result)
        arguments = [View(b, 0, b.shape, (1,), "f32") for b in buffers]
        made = Variant(variant, [Launch(text, "k", (2, 1, 1), arguments)], buffers)
        folder = Folder(self.path)
        folder.add(made, "script.py", options.pop("same", {}), self.said.append)
        folder.save(made, **options)
        return (self.path / "case.yaml").read_text()

    def test_files_of_numpy(self):
        values = np.arange(6, dtype=np.float16).reshape(2, 3)
        path = Path(self.folder.name) / "x.npy"
        path.write_bytes(npy("f16", values.shape, values.tobytes()))
        np.testing.assert_array_equal(np.load(path), values)
        path.write_bytes(npy("i1", (3,), b"\1\0\1"))
        np.testing.assert_array_equal(np.load(path), [True, False, True])

    def test_one_recording(self):
        text = self.record("plain", {"x": np.ones(4, np.float32), "z": np.zeros(4, np.float32)}, (4,))
        self.assertIn("  x: {type: f32, shape: [4], fill: {file: data/x.npy}}\n", text)
        self.assertIn("  z: {type: f32, shape: [4], fill: zeros}\n", text)
        self.assertIn("  out: {type: f32, shape: [4]}\n", text)
        self.assertIn("compare: [out]\n", text)
        np.testing.assert_array_equal(np.load(self.path / "data/x.npy"), np.ones(4))

    def test_a_second_recording_is_another_variant(self):
        x, w = np.arange(4, dtype=np.float32), np.ones(2, np.float32)
        self.record("plain", {"x": x, "w": w}, (4,))
        text = self.record("fused", {"a": w, "b": x}, (4,), name="o")
        self.assertIn("  fused:\n    - module: k.ttir\n      grid: [2, 1, 1]\n      args: [w, x, out]\n", text)
        self.assertEqual(text.count("type: f32"), 3)
        self.assertEqual(len(self.said), 3)  # a is w, b is x, o is taken for out
        text = self.record("fused", {"a": w, "b": x + 1}, (4,), name="o", text=TEXT + "\n")
        self.assertIn("args: [w, b, out]", text)
        self.assertTrue((self.path / "k_2.ttir").exists())
        self.record("fused", {"a": w, "b": x}, (4,), name="o")  # what it had of its own is gone
        self.assertFalse((self.path / "k_2.ttir").exists())
        self.assertFalse((self.path / "data/b.npy").exists())

    def test_results_that_do_not_match(self):
        x = np.arange(4, dtype=np.float32)
        self.record("plain", {"x": x}, (4,))
        with self.assertRaisesRegex(UsageError, "--same NEW=OLD"):
            self.record("fused", {"x": x}, (5,), name="o")
        with self.assertRaisesRegex(UsageError, "differ in type or size"):
            self.record("fused", {"x": x}, (5,), name="o", same={"o": "out"})
        with self.assertRaisesRegex(UsageError, "no buffer y"):
            self.record("fused", {"x": x}, (4,), name="o", same={"o": "y"})
        with self.assertRaisesRegex(UsageError, "--compare q"):
            self.record("fused", {"x": x}, (4,), compare=["q"])

    def test_a_result_is_not_what_another_variant_reads_later(self):
        x = {"x": np.arange(4, dtype=np.float32)}
        self.record("plain", x, (4,), name="z", between="out")
        text = self.record("fused", x, (4,), name="out")
        self.assertIn("  fused:\n    - module: k.ttir\n      grid: [2, 1, 1]\n      args: [x, z]\n", text)
        self.assertIn("compare: [z]\n", text)
        self.assertEqual(self.said, ["out is taken for z of the case, the only result like it"])
        self.record("other", x, (4,), name="z")
        self.assertEqual(self.said[1:], ["taken for those of the same name in the case (results): z"])

    def test_other_inputs_are_named(self):
        x = np.arange(4, dtype=np.float32)
        self.record("plain", {"x": x}, (4,))
        self.record("fused", {"x": x + 1, "w": x - 1}, (4,))
        self.assertIn("x of this recording has other contents at first than x of the case", self.said)
        self.assertIn("w is of this recording only: the case has no buffer with its contents", self.said)
        self.said.clear()
        self.record("fused", {"x": np.zeros(5, np.float32)}, (4,))
        self.assertIn("x of this recording has another type or size than x of the case", self.said)

    def test_what_is_not_ours_is_left_alone(self):
        x = np.arange(4, dtype=np.float32)
        self.record("plain", {"x": x}, (4,))
        case = self.path / "case.yaml"
        case.write_text(case.read_text() + "# mine\n")
        with self.assertRaisesRegex(UsageError, "changed by hand"):
            self.record("fused", {"x": x}, (4,))
        other = Path(self.folder.name) / "other"
        other.mkdir()
        (other / "thesis.tex").write_text("")
        with self.assertRaisesRegex(UsageError, "not empty"):
            Folder(other)
        (self.path / "recording.json").write_text(json.dumps({"version": 1}))
        with self.assertRaisesRegex(UsageError, "no recording"):
            Folder(self.path)

    def test_names(self):
        for name, wanted in (("x_ptr", "x"), ("Xptr", "X"), ("ptr", "ptr"), ("a_desc", "a"), ("q", "q"), ("_", "buffer")):
            self.assertEqual(plain_name(name), wanted)


class Running(unittest.TestCase):
    def setUp(self):
        self.memory, self.buffers, self.said = Memory(), {}, []
        self.variant = Variant("v")
        self.results = Results(self.variant, {"x", "y"}, self.said.append)

    def launch(self, x, y, text=ADD, kernel="add"):
        """A launch with two arrays. Returns their buffers."""
        used, arguments = [], []
        for name, value in (("x", x), ("y", y)):
            array = self.memory.array(value, name)
            allocation = array.allocation
            allocation.writable = array.writable
            if allocation.buffer is None:
                now = allocation.read()
                nobody = allocation.unwritten and now == unwritten(allocation.size)
                allocation.buffer = Buffer(name, array.type, (len(now) // 4,), None if nobody else now)
                self.variant.buffers.append(allocation.buffer)
            used.append((allocation.buffer, allocation))
            arguments.append(view_of(allocation.buffer, array))
        launch = Launch(text, kernel, (1, 1, 1), arguments)
        uses = run_launch(Engine(FPDIFF), launch, used)
        self.variant.launches.append(launch)
        self.results.follow(launch, uses)
        return [use.buffer for use in uses]

    def test_results_come_back_in_place(self):
        x, y = np.arange(4, dtype=np.float32), np.full(4, 0.5, np.float32)
        self.assertEqual([buffer.written for buffer in self.launch(x, y)], [False, True])
        np.testing.assert_array_equal(y, [0.5, 1.5, 2.5, 3.5])

    def test_what_is_stored_counts_and_not_what_changes(self):
        x, y = np.zeros(4, np.float32), np.zeros(6, np.float32)
        _, result = self.launch(x, y, COPY, kernel="copy")
        self.assertEqual((result.written, result.result, result.left), (True, True, 2))
        self.assertEqual(result.stored.tolist(), [True] * 4 + [False] * 2)
        again = self.launch(x, y, COPY, kernel="copy")[1]
        self.assertIs(again, result)
        self.assertEqual((result.result, self.said), (True, []))

    def test_results_that_are_overwritten_stay(self):
        memory, y = self.memory, self.memory.mark_unwritten(np.empty(4, np.float32))
        first = self.launch(np.arange(4, dtype=np.float32), y, COPY, kernel="copy")[1]
        second = self.launch(np.ones(4, np.float32), y, COPY, kernel="copy")[1]
        self.assertIsNot(first, second)
        self.assertTrue(first.result and second.result and memory.array(y, "y").allocation.buffer is second)
        self.assertEqual([launch.arguments[1].buffer for launch in self.variant.launches], [first, second])
        self.assertIn("y: launch 2 (copy) overwrites what launch 1 (copy) stored", self.said[0])
        self.launch(y, np.zeros(4, np.float32), COPY, kernel="copy")
        self.assertFalse(second.result)  # it is read, so that it may be written again
        third = self.launch(np.full(4, 7, np.float32), y, COPY, kernel="copy")[1]
        self.assertIs(third, second)
        self.assertTrue(third.result)
        self.assertEqual(third.wanted, "y_2")

    def test_results_that_are_overwritten_in_part_are_named(self):
        y = self.memory.mark_unwritten(np.empty(4, np.float32))
        first = self.launch(np.arange(4, dtype=np.float32), y, COPY, kernel="copy")[1]
        half = COPY.replace("end = 4", "end = 2").replace("4x", "2x")
        self.assertIs(self.launch(np.ones(4, np.float32), y, half, kernel="copy")[1], first)
        self.assertIn("launch 2 (copy) overwrites 2 elements that launch 1 (copy) stored", self.said[0])

    def test_a_larger_buffer_than_its_first_results(self):
        y = self.memory.mark_unwritten(np.empty(4, np.float32))
        half = COPY.replace("end = 4", "end = 2").replace("4x", "2x")
        first = self.launch(np.arange(4, dtype=np.float32), y, half, kernel="copy")[1]
        second = self.launch(np.ones(4, np.float32), y, COPY, kernel="copy")[1]
        self.assertEqual((first.left, second.left, second.initial), (2, 0, None))
        self.assertEqual(first.initial, unwritten(16))  # so that the other half is not unspecified

    def test_parts_of_one_result(self):
        y = self.memory.mark_unwritten(np.empty(8, np.float32))
        first = self.launch(np.arange(4, dtype=np.float32), y[:4], COPY, kernel="copy")[1]
        self.assertIs(self.launch(np.arange(4, dtype=np.float32), y[4:], COPY, kernel="copy")[1], first)
        self.assertEqual((self.said, first.stored.all()), ([], True))

    def test_what_may_not_be_written(self):
        frozen, x = np.zeros(4, np.float32), np.ones(4, np.float32)
        frozen.flags.writeable = False
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "y.npy", np.zeros(4, np.float32))
            mapped = np.load(Path(folder) / "y.npy", mmap_mode="r")
            forced = np.frombuffer((ctypes.c_byte * 16).from_address(mapped.ctypes.data), np.float32)
            for y in (frozen, mapped, np.frombuffer(bytes(16), np.float32), forced):
                with self.assertRaisesRegex(RecordError, "copy writes y, which is read-only"):
                    self.launch(x, y, COPY, kernel="copy")
                np.testing.assert_array_equal(y, np.zeros(4))
                self.memory = Memory()
            self.launch(mapped, np.ones(4, np.float32), COPY, kernel="copy")

    def test_what_cannot_run_changes_nothing(self):
        x, y = np.arange(4, dtype=np.float32), np.full(4, 0.5, np.float32)
        for text, why in ((ADD.replace("end = 4", "end = 3"), "cannot be run here"), ("module {", "cannot be run here"),
                          (ADD.replace("arith.addf", "arith.adds"), "adds")):  # fmt: skip
            with self.assertRaisesRegex(RecordError, why):
                self.launch(x, y, text)
        self.memory = Memory()
        with self.assertRaisesRegex(RecordError, "cannot be run here"):  # four elements of y, two are there
            self.launch(x, np.zeros(2, np.float32))
        np.testing.assert_array_equal(y, np.full(4, 0.5))

    def test_case_files_are_fpdiffs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case"
            x = np.arange(4, dtype=np.float32)
            for variant in ("plain", "fused"):
                buffers = [Buffer("x", "f32", (4,), x.tobytes()), Buffer("y", "f32", (4,), x.tobytes()[::-1], written=True, result=True)]
                views = [View(b, 0, (4,), (1,), "f32") for b in buffers]
                made = Variant(variant, [Launch(ADD, "add", (1, 1, 1), views)], buffers)
                recorded = Folder(path)
                recorded.add(made, 'a "title": \\', {}, lambda _: None)
                case = recorded.save(made)
            done = subprocess.run([FPDIFF, str(case)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("EQUAL", done.stdout)


class Stubbed(unittest.TestCase):
    """The whole command with a stand-in for Triton."""

    def record(self, folder, *arguments):
        script = SOURCES / "tests/python/scripts/stubbed.py"
        command = [sys.executable, "-m", "congruent_gpu", "record", "--fpdiff", FPDIFF, "--output", folder, script]
        paths = os.pathsep.join(map(str, (SOURCES / "tests/python/stub", SOURCES / "python")))
        environment = {**os.environ, "PYTHONPATH": paths}
        return subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment)

    def test_launches_run_and_are_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.record(folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("4 launches as variant stubbed", done.stdout)
            self.assertEqual(done.stderr.count("recorded with config 1 of 2"), 1)
            text = (Path(folder) / "case.yaml").read_text()
            whole = "    - module: grown.ttir\n      grid: [1, 1, 1]\n      args: "
            self.assertIn(whole + "[x, y, i32 3]\n", text)
            self.assertIn(whole + "[{view: x, offset: 4, shape: [4]}, {view: y, offset: 2, shape: [6]}, i32 3]\n", text)
            self.assertIn(whole + "[x_2, y, i32 2]\n", text)  # x was changed by the script
            self.assertIn("  y: {type: f32, shape: [8], fill: zeros}\n", text)
            self.assertIn("compare: [y]\n", text)
            np.testing.assert_array_equal(np.load(Path(folder) / "data/x_2.npy"), np.ones(8))

    def test_an_access_outside_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.record(folder, "outside")
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertRegex(done.stderr, r"stubbed.py:\d+: grown cannot be run here: ")

    def test_errors_that_the_script_catches(self):
        for kind, why in (("caught", "grown cannot be run here: "), ("fraction", "grown: the grid is (1.5, 1, 1); ")):
            with tempfile.TemporaryDirectory() as folder:
                done = self.record(folder, kind)
                self.assertEqual((done.returncode, os.listdir(folder)), (3, []), done.stdout + done.stderr)
                self.assertRegex(done.stderr, r"stubbed.py:\d+: " + re.escape(why))


class OddNames(unittest.TestCase):
    def test_names_of_buffers(self):
        for name in ("\u00e9", "\u00e9t\u00e9_ptr", "x" * 200, "_1", "1", "__", "", "x-y", "\u0661"):
            self.assertRegex(plain_name(name), r"^[A-Za-z_][A-Za-z0-9_-]{0,99}$", name)
        self.assertEqual([plain_name(name) for name in ("x_ptr", "_x", "\u00e9", "_1")], ["x", "x", "buffer", "_1"])

    def test_titles(self):
        self.assertEqual(title_text("a\tb\n\x00\x7f\u2028\ud800\u00e9"), "a b     \u00e9")
        self.assertEqual(title_text('a"\\'), 'a\\"\\\\')


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
