# SPDX-License-Identifier: Apache-2.0
# check() and same(): cases, variants, candidates of a tuner, reports.
import collections
import copy
import dataclasses
import importlib.util
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
from pathlib import Path

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
os.environ["FPDIFF"], os.environ["CONGRUENT_CACHE"] = str(FPDIFF), "off"

import check_kernels as kernels  # noqa: E402
import cuda.tile as ct  # noqa: E402
import numpy as np  # noqa: E402

import congruent_gpu as congruent  # noqa: E402
from congruent_gpu import casefile, library  # noqa: E402
from congruent_gpu.report import SUFFIXES  # noqa: E402

CASES = SOURCES / "tests/cases"
ONE = CASES / "tower/scale_literal.yaml"
BUG = SOURCES / "examples/attention/bug_sum.yaml"


def inputs(n):
    random = np.random.default_rng(n)
    return {"gate": random.normal(size=n).astype(np.float32), "up": random.normal(size=n).astype(np.float32)}


class Same:
    """Keys that are called alike."""

    def __repr__(self):
        return "same"


class Library(unittest.TestCase):
    def test_it_says_what_the_program_says(self):
        done = subprocess.run([FPDIFF, ONE], capture_output=True, text=True)
        result = library.call([ONE])
        self.assertEqual((result.text("output"), result.text("errors"), result.status), (done.stdout, done.stderr, 0))

    def test_other_threads_and_processes_call_it(self):
        results = []
        thread = threading.Thread(target=lambda: results.append(library.call([ONE]).status))
        thread.start()
        thread.join()
        child = os.fork()
        if not child:
            os._exit(library.call([ONE, "--jobs", "1"]).status)
        self.assertEqual((results, os.waitpid(child, 0)[1]), ([0], 0))

    def test_a_locale_with_commas(self):
        """Reports are as everywhere, and the locale stays."""
        code = ("import locale, sys; locale.setlocale(locale.LC_ALL, ''); from congruent_gpu import library;"
                "r = library.call(sys.argv[1:]); print(r.text('output') + ''.join(r.text(form) for form in"
                " ('json', 'html', 'markdown', 'junit', 'sarif')), locale.localeconv()['decimal_point'])")  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "de_DE.UTF-8"
            options = ["-i", "de_DE", "-f", "UTF-8", made]
            if subprocess.run(["sh", "-c", 'localedef "$@"', "sh", *options], capture_output=True).returncode:
                self.skipTest("needs localedef, and the German locale's source (Debian: locales)")
            said = {}
            for name in ("C", made.name):
                environment = {**os.environ, "LOCPATH": folder, "LC_ALL": name, "PYTHONPATH": f"{SOURCES}/python"}
                words = [BUG, "--range", "--maps"]
                done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment)
                self.assertEqual(done.returncode, 0, done.stderr)
                said[name] = re.sub(r"\d+(\.\d+)?(e-\d+)?", "0", done.stdout.rstrip())  # of times
        self.assertEqual((said["C"][-1], said[made.name][-1]), (".", ","))
        self.assertEqual(said["C"][:-1], said[made.name][:-1])

    def test_contents(self):
        x = np.arange(200, dtype=np.float32)
        words = ["run", ONE, "-v", "constant", "-m", "ieee"]
        for given in (x, x.tobytes(), (x.ctypes.data, x.nbytes)):
            array, = library.call(words, [("X", given)], keeps_arrays=True).arrays()
            np.testing.assert_array_equal(np.frombuffer(array.data, np.float32), x * np.float32(0.1))
        self.assertIn("its contents 4", library.call(words, [("X", b"1234")]).text("errors"))


    def test_several_threads_run_kernels(self):
        wrong = []

        def work(scale):
            x = np.arange(64, dtype=np.float32)
            for _ in range(10):
                y = np.zeros_like(x)
                congruent.run(kernels.times, (4,), (x, y, float(scale), 16))
                if not (y == scale * x).all():
                    wrong.append(scale)

        threads = [threading.Thread(target=work, args=(scale,)) for scale in (2, 3, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_child_that_ends_leaves_the_files(self):
        x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
        congruent.run(kernels.times, (1,), (x, y, 2.0, 16))
        child = os.fork()
        if not child:
            import atexit

            atexit._run_exitfuncs()
            os._exit(0)
        os.waitpid(child, 0)
        congruent.run(kernels.times, (1,), (x, y, 3.0, 16))
        self.assertEqual(y[0], 3)


class Cases(unittest.TestCase):
    def test_a_case_that_is_as_expected(self):
        report = congruent.check(ONE)
        self.assertTrue(report)
        self.assertTrue(str(report).endswith("OK\n"))
        self.assertEqual([pair.verdict for pair in report.pairs], ["equal"] * 4)
        self.assertEqual(repr(report), "<congruent report: 1 ok>")
        self.assertEqual(report.cases[0].file, str(ONE))

    def test_a_case_that_fails_fails_the_test(self):
        with self.assertRaises(AssertionError) as failed:
            congruent.check(SOURCES / "tests/bad/diverges.yaml")
        self.assertIsInstance(failed.exception, congruent.CheckFailed)
        self.assertIn("DIVERGED", str(failed.exception))
        self.assertEqual(failed.exception.report.status, 1)
        self.assertFalse(congruent.check(SOURCES / "tests/bad/diverges.yaml", raises=False))

    def test_a_case_that_cannot_be_read(self):
        with self.assertRaisesRegex(congruent.CheckError, "no_such.yaml: error: cannot open"):
            congruent.check("no_such.yaml")
        report = congruent.check("--version", raises=False)  # a file of that name
        self.assertIn("--version: error: cannot open", report.errors)
        with self.assertRaisesRegex(congruent.CheckError, "unknown option '--nonsense'"):
            congruent.check(ONE, nonsense=True)
        self.assertIn("<pre>", congruent.check(ONE, nonsense=True, raises=False)._repr_html_())

    def test_options_and_sizes(self):
        report = congruent.check(ONE, modes="ieee", seed=7)
        self.assertEqual([pair.mode for pair in report.pairs], ["ieee", "ieee"])
        self.assertEqual(report.cases[0].row["seed"], "7")
        report = congruent.check(CASES / "arguments/lists.yaml", sizes={"M": [64, 65]})
        self.assertEqual([case.parameters["M"] for case in report.cases], [64, 65])
        for sizes in ({"N": []}, {"N": 1.5}, {"N": True}, {"N": "1"}, {"N": np.ones(1)}):
            for case in (ONE, {"a": kernels.one, "b": kernels.two}):
                with self.assertRaisesRegex(congruent.UsageError, "sizes: N is"):
                    congruent.check(case, sizes=sizes)
        with self.assertRaisesRegex(congruent.CheckError, "no parameter 'N'"):
            congruent.check(ONE, sizes={"N": 3})
        with self.assertRaisesRegex(congruent.UsageError, "are for variants"):
            congruent.check(ONE, inputs={})

    def test_elements(self):
        report = congruent.check(BUG)
        pair, = (pair for pair in report.pairs if pair.mode == "fpsan")
        verdicts, names = pair.verdicts(), congruent.verdicts()
        different = int((verdicts == names.index("differ")).sum())
        self.assertEqual(different, pair.buffers[0].different)
        agree, known = pair.agreement("O")
        np.testing.assert_array_equal(agree < known, verdicts == names.index("differ"))
        reference, other = pair.numbers()
        self.assertEqual((reference.dtype, reference.shape), (np.float16, (4, 128, 64)))
        first = pair.buffers[0].first[0]
        self.assertEqual(float(reference[tuple(first["index"])]), first["reference"]["value"])
        self.assertEqual(float(other[tuple(first["index"])]), first["variant"]["value"])
        with self.assertRaisesRegex(congruent.UsageError, "there are no numbers of flash, X, fpsan; there are: .*O"):
            report.numbers("flash", "X", "fpsan")
        with self.assertRaisesRegex(congruent.UsageError, "mode ieee has no payloads"):
            next(pair for pair in report.pairs if pair.mode == "ieee").agreement()

    def test_payloads_in_place(self):
        pair = congruent.check(BUG, profile="triton-3.9").pairs[0]
        agree, known = pair.agreement()
        self.assertEqual((int(agree.sum()), int(known.sum())), (agree.size - pair.buffers[0].different, agree.size))

    def test_forms(self):
        report = congruent.check(BUG)
        self.assertIn("<html", report.to_html())
        self.assertIn("<iframe srcdoc=", report._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            for suffix in (".html", ".md", ".json", ".xml", ".sarif", ".txt"):
                self.assertTrue(report.save(Path(folder) / f"report{suffix}").stat().st_size)
            self.assertEqual(json.loads((Path(folder) / "report.json").read_text()), report.json)
            with self.assertRaisesRegex(congruent.UsageError, "no form of report has this suffix"):
                report.save(Path(folder) / "report.pdf")

    def test_elements_of_all_types(self):
        raw = library.Array.__new__(library.Array)
        raw.kind, raw.shape = "numbers", (3,)
        from congruent_gpu.report import elements

        for raw.type, raw.data, wanted in (
            ("i1", b"\1\0\1", [True, False, True]),
            ("i8", b"\xff\0\1", [-1, 0, 1]),
            ("f16", np.array([1, -2, 0.5], np.float16).tobytes(), [1, -2, 0.5]),
            ("i64", np.array([1, -2, 5], np.int64).tobytes(), [1, -2, 5]),
        ):
            np.testing.assert_array_equal(elements(raw), wanted, raw.type)
        try:
            import ml_dtypes  # noqa: F401
        except ImportError:
            bits = True
        else:
            bits = False
        for raw.type, raw.data, wanted in (
            ("bf16", b"\x80\x3f\x00\xc0\x00\x3f", [0x3F80, 0xC000, 0x3F00] if bits else [1, -2, 0.5]),
            ("f8e4m3fn", b"\x38\xc0\x30", [0x38, 0xC0, 0x30] if bits else [1, -2, 0.5]),
            ("f4e2m1fn", b"\xc2\x01", [2, 12, 1] if bits else [1, -2, 0.5]),
        ):
            np.testing.assert_array_equal(np.asarray(elements(raw), float), wanted, raw.type)


class Variants(unittest.TestCase):
    def test_variants_that_agree(self):
        report = congruent.check(
            {"two": kernels.two, "one": kernels.one}, inputs=inputs, sizes={"n": [1000, 64]}, tolerance=(1e-3, 1e-4)
        )
        self.assertEqual([pair.verdict for pair in report.pairs], ["equal"] * 4)
        self.assertIn("n1000/case.yaml: n = 1000\n", str(report))
        self.assertNotIn(tempfile.gettempdir(), str(report))

    def test_a_variant_that_is_wrong(self):
        variants = {"two": kernels.two, "one": kernels.one, "swapped": kernels.swapped}
        with self.assertRaises(congruent.CheckFailed) as failed:
            congruent.check(variants, inputs=inputs(1000), modes="fpsan")
        verdicts = {pair.variant: pair.verdict for pair in failed.exception.report.pairs}
        self.assertEqual(verdicts, {"one": "equal", "swapped": "diverged"})

    def test_inputs_stay_as_they_are_and_are_alike(self):
        given = {"x": np.arange(64, dtype=np.float32)}
        before = given["x"].copy()
        report = congruent.check({"a": kernels.doubled_in_place, "b": kernels.doubled_in_place}, inputs=given)
        np.testing.assert_array_equal(given["x"], before)
        np.testing.assert_array_equal(report.numbers("b"), 2 * before)

    def test_results_of_other_names_and_several(self):
        report = congruent.check({"a": kernels.both, "b": kernels.both_renamed}, inputs=inputs(256))
        self.assertEqual({buffer.name for pair in report.pairs for buffer in pair.buffers}, {"s", "out"})
        with self.assertRaisesRegex(congruent.UsageError, r"other results: .*result\[0\].* is of one of them only"):
            congruent.check({"a": kernels.both, "b": kernels.one}, inputs=inputs(256))

    def test_without_returned_results(self):
        given = {**inputs(256), "out": np.zeros(256, np.float32), "more": np.zeros(256, np.float32)}
        make = lambda gate, up, out, more: kernels.into(gate, up, out, "one")  # noqa: E731
        wrong = lambda gate, up, out, more: kernels.into(gate, up, out, "swapped")  # noqa: E731
        elsewhere = lambda gate, up, out, more: kernels.into(gate, up, more, "one")  # noqa: E731
        self.assertTrue(congruent.check({"a": make, "b": make}, inputs=given))
        self.assertFalse(congruent.check({"a": make, "b": wrong}, inputs=given, raises=False))
        with self.assertRaisesRegex(congruent.UsageError, r"inputs\['more'\], inputs\['out'\] is of one of them only"):
            congruent.check({"a": make, "b": elsewhere}, inputs=given)
        with self.assertRaisesRegex(congruent.UsageError, "stores to none of its inputs"):
            congruent.check({"a": kernels.stores_elsewhere, "b": make}, inputs={"x": inputs(8)["up"]})

    def test_wrong_variants(self):
        with self.assertRaisesRegex(congruent.UsageError, "needs two variants, found a"):
            congruent.check({"a": kernels.one}, inputs=inputs(8))
        with self.assertRaisesRegex(congruent.UsageError, "results are arrays"):
            congruent.check({"a": kernels.counts, "b": kernels.counts}, inputs=inputs(8))
        with self.assertRaisesRegex(congruent.UsageError, "result of variant a is no array that a launch had"):
            congruent.check({"a": kernels.elsewhere, "b": kernels.elsewhere}, inputs=inputs(8))
        with self.assertRaisesRegex(congruent.RecordError, "variant a launched no kernel"):
            congruent.check({"a": lambda: None, "b": lambda: None})

    def expect(self, wanted, reference, variant, **given):
        """wanted: True, False, or what an error says."""
        given = given or {"x": np.arange(1, 65, dtype=np.float32)}
        with self.subTest(reference=reference.__name__, variant=variant.__name__):
            if isinstance(wanted, str):
                with self.assertRaisesRegex(congruent.UsageError, wanted):
                    congruent.check({"a": reference, "b": variant}, inputs=given)
            else:
                report = congruent.check({"a": reference, "b": variant}, inputs=given, raises=False)
                self.assertEqual((report.ok, report.errors), (wanted, ""), str(report))

    # What a result begins with counts where a kernel reads it, and only there.
    def test_beginnings(self):
        def added_to(value):
            def variant(x):
                y = np.full_like(x, value)
                kernels.launch(kernels.added, x, 16, x, y)
                return y

            return variant

        def stored_over(value):
            def variant(x):
                y = np.empty_like(x) if value is None else np.full_like(x, value)
                kernels.launch(kernels.times, x, 16, x, y, 1.0)
                return y

            return variant

        def in_place(x):
            kernels.launch(kernels.times, x, 16, x, x, 2.0)
            return x

        self.expect("begins with other contents", added_to(0), added_to(5))
        self.expect("begins with other contents", added_to(5), added_to(1))
        self.expect(True, added_to(5), added_to(5))
        for first, second in ((1, None), (None, 1), (1, 2)):
            self.expect(True, stored_over(first), stored_over(second))
        self.expect(True, lambda x: kernels.scaled(x, 2.0), in_place)
        self.expect(True, in_place, lambda x: kernels.scaled(x, 2.0))
        self.expect(False, in_place, lambda x: kernels.scaled(x, 3.0))
        self.expect(True, added_to(0), stored_over(0))
        self.expect(True, stored_over(0), added_to(0))
        self.expect(False, stored_over(0), added_to(1))

    def test_results_are_what_is_returned(self):
        def two(x, *order):
            y = kernels.scaled(x, 1.0), kernels.scaled(x, 2.0)
            return tuple(y[k] for k in order)

        orders = {order: (lambda x, order=order: two(x, *order)) for order in ((0, 1), (1, 0), (0, 0), (1, 1))}
        self.expect(True, orders[0, 1], orders[0, 1])
        self.expect(False, orders[0, 1], orders[1, 0])
        self.expect("is the array of another result", orders[0, 1], orders[1, 1])
        self.expect("two arrays where the reference has one", orders[0, 0], orders[0, 1])
        self.expect(True, orders[0, 0], orders[0, 0])
        self.expect(False, orders[0, 0], orders[1, 1])
        self.expect("returns no arrays", lambda x: [], lambda x: [])
        keys = lambda a, b: lambda x: dict(zip((a, b), two(x, 0, 1)))  # noqa: E731
        self.expect(False, keys("a", "b"), keys("b", "a"))

    def test_results_are_whole_arrays(self):
        def changed(x):
            y = kernels.scaled(x, 1.0)
            y += 1
            return y

        plain, turned = (lambda x: kernels.scaled(x, 1.0)), (lambda x: kernels.scaled(x, 1.0).reshape(8, 8).T)
        self.expect("result of variant b was changed by the script after the last launch", plain, changed)
        self.expect("result of variant b is a part of an array, or turned", plain, lambda x: plain(x)[:32])
        self.expect("is a part of an array, or turned", turned, turned)
        self.expect(r"has shape \(4, 16\), of the reference \(8, 8\)", lambda x: plain(x).reshape(8, 8),
                    lambda x: plain(x).reshape(4, 16))  # fmt: skip

    def test_inputs_that_share_memory_share_it_in_copies(self):
        x = np.arange(128, dtype=np.float32)

        def strides(x, y, part):
            self.assertIs(x.base, y.base)
            self.assertEqual((part.strides, part[3]), ((8,), x[7]))
            y[7] = 5
            self.assertEqual(part[3], 5)
            return kernels.scaled(y, 1.0)

        congruent.check({"a": strides, "b": strides}, inputs={"x": x, "y": x, "part": x[1::2]})
        self.assertEqual(x[7], 7)

    def test_arrays_in_objects(self):
        """They are copied: each variant doubles what the first one had."""

        @dataclasses.dataclass(frozen=True)
        class Weights:
            x: np.ndarray
            more: list

        class Other:
            def __init__(self):
                self.x = np.ones(64, np.float32)

        def doubled(where):
            return lambda given: [kernels.doubled_in_place(where(given))][:0] or None

        x = np.arange(64, dtype=np.float32)
        for given, where, label in (
            (Weights(x, []), lambda given: given.x, "given'].x"),
            (types.SimpleNamespace(x=(x,)), lambda given: given.x[0], "given'].x[0]"),
            (collections.OrderedDict(x=x), lambda given: given["x"], "given']['x']"),
            (Weights(np.zeros(0, np.float32), [x]), lambda given: given.more[0], "given'].more[0]"),
        ):
            report = congruent.check({"a": doubled(where), "b": doubled(where)}, inputs={"given": given})
            np.testing.assert_array_equal(report.numbers("b"), 2 * np.arange(64, dtype=np.float32))
            with self.assertRaises(congruent.UsageError) as wrong:
                congruent.check({"a": doubled(where), "b": lambda given: kernels.doubled_in_place(x + 0)}, inputs={"given": given})
            self.assertIn(label, str(wrong.exception))
        @dataclasses.dataclass
        class Scratch:
            x: np.ndarray

            def __post_init__(self):
                self.buffer = np.zeros(64, np.float32)  # no field

        class Named(list):
            pass

        class Fixed(tuple):
            def __new__(cls, first, second):
                return tuple.__new__(cls, (first, second))

        class Closed(dict):
            def __setitem__(self, key, value):
                raise TypeError("closed")

        def fills(given):
            given.buffer[:] = given.x
            return kernels.scaled(given.buffer, 2.0)

        forgets = lambda given: kernels.scaled(given.buffer, 2.0)  # noqa: E731
        self.assertFalse(congruent.check({"a": fills, "b": forgets}, inputs={"given": Scratch(x)}, raises=False).ok)
        named = Named([x])
        named.buffer = np.zeros(64, np.float32)
        first = lambda given: kernels.scaled(given[0], 2.0)  # noqa: E731
        for given in (named, Fixed(x, 1), collections.deque([x]), [x, np.random.default_rng(1)]):
            self.assertTrue(congruent.check({"a": first, "b": first}, inputs={"given": given}).ok)
        ring, deep = [x], Other()
        ring.append(ring)
        deep.x = [{"a": [{"b": [{"c": x}]}]}]
        for given, why in (
            (Closed(x=x), "a Closed among the inputs cannot be copied: closed"),
            (ring, r"\['given'\]\[1\] is in itself"),
            (deep, "a Other among the inputs holds arrays"),
            (lambda x=x: x, "a function among the inputs holds arrays"),
        ):
            with self.assertRaisesRegex(congruent.UsageError, why):
                congruent.check({"a": first, "b": first}, inputs={"given": given})
        with self.assertRaisesRegex(congruent.UsageError, "a Other among the inputs holds arrays, which all variants"):
            congruent.check({"a": doubled(lambda o: o.x), "b": doubled(lambda o: o.x)}, inputs={"given": Other()})

    @unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
    def test_arrays_in_modules_of_torch(self):
        import torch

        module = torch.nn.Linear(8, 8).requires_grad_(False)
        before = module.weight.clone()
        function = lambda module: [kernels.doubled_in_place(module.weight.view(64))][:0] or None  # noqa: E731
        report = congruent.check({"a": function, "b": function}, inputs={"module": module})
        np.testing.assert_array_equal(report.numbers("b").reshape(8, 8), 2 * before.numpy())
        self.assertTrue(torch.equal(module.weight, before))

    def equal(self, a, b, given, **options):
        """Whether check() passes a | b."""
        return congruent.check({"a": a, "b": b}, inputs=given, raises=False, **options).ok

    def test_views_of_other_shapes(self):
        """Two variants have the same memory in other shapes: each launch has its own."""
        x = np.random.default_rng(4).normal(size=(32, 32)).astype(np.float32)

        def rows(width):
            def sums(x):
                y = np.zeros(16, np.float32)
                ct.launch(0, (16,), kernels.row_sums, (x.reshape(-1, width), y, width))
                return y

            return sums

        self.assertTrue(self.equal(rows(32), rows(32), {"x": x}))
        self.assertFalse(self.equal(rows(32), rows(64), {"x": x}))
        self.assertFalse(self.equal(rows(64), rows(32), {"x": x}))
        flat = lambda x: kernels.launch(kernels.times, y := np.zeros(1024, np.float32), 16, x.reshape(-1), y, 2.0) or y  # noqa: E731
        square = lambda x: kernels.doubled_square(x.reshape(32, 32)).reshape(-1)  # noqa: E731
        self.assertTrue(self.equal(flat, square, {"x": x}) and self.equal(square, flat, {"x": x}))

    def test_all_that_is_returned_is_compared(self):
        x = np.arange(1, 65, dtype=np.float32)
        y = lambda x, scale=2.0: kernels.scaled(x, scale)  # noqa: E731
        for a, b, why in (
            (lambda x: (y(x), 1.0), lambda x: (y(x), 2.0), r"result\[1\] of variant b is 2.0, of the reference 1.0"),
            (lambda x: (y(x), "s"), lambda x: (y(x), y(x)), r"other results: result\[1\] is of one of them only"),
            (lambda x: (y(x), (v for v in "")), y, r"variant a returns a generator \(result\[1\]\); results are arrays"),
            (lambda x: (y(x), {1, 2}), y, "variant a returns a set"),
            (lambda x: y(x).view(np.int32), y, "elements of type float32, of the reference int32"),
            (lambda x: np.ma.masked_array(y(x), mask=x > 3), y, "result of variant a is a masked array"),
            (lambda x: {Same(): y(x), Same(): y(x, 3.0)}, y, "returns two values that are called"),
            (lambda x: y(x)[:0], y, "result of variant a has no elements"),
        ):
            with self.assertRaisesRegex((congruent.UsageError, congruent.RecordError), why):
                congruent.check({"a": a, "b": b}, inputs={"x": x})

    def test_inputs_that_the_script_changes(self):
        """A variant that returns None is compared by what launches store."""

        def copied(x, out):
            out[:] = kernels.scaled(x, 2.0)

        x = np.arange(64, dtype=np.float32)
        with self.assertRaisesRegex(congruent.UsageError, r"inputs\['out'\] of variant a was changed by the script and not by a"):
            congruent.check({"a": copied, "b": copied}, inputs={"x": x, "out": np.zeros_like(x)})

        def changed_after(x, out):
            kernels.launch(kernels.times, out, 16, x, out, 2.0)
            x *= 3

        def changed_between(x, out):  # what a launch stored becomes another thing, which a launch reads
            kernels.doubled_in_place(x)
            x *= 3
            kernels.launch(kernels.times, out, 16, x, out, 0.0)

        for function in (changed_after, changed_between):
            with self.assertRaisesRegex(congruent.UsageError, r"inputs\['x'\] of variant a was changed by the script"):
                congruent.check({"a": function, "b": function}, inputs={"x": x, "out": np.zeros_like(x)})

    def test_inputs_in_one_memory(self):
        """Of all kinds of views: `y` is read after `x` is doubled, or before."""
        block = bytearray(np.arange(1, 65, dtype=np.float32).tobytes())
        x = np.arange(1, 65, dtype=np.float32)
        given = [
            (x, x[16:48]),
            (x, np.lib.stride_tricks.as_strided(x, (32,), (4,))),
            (np.frombuffer(block, np.float32), np.frombuffer(block, np.float32)),
            (np.frombuffer(block, np.float32), np.frombuffer(block, np.float32, offset=64)),
        ]
        if importlib.util.find_spec("torch"):
            import torch

            tensor = torch.arange(1, 65, dtype=torch.float32)
            given += [(tensor, tensor[8:]), (tensor, tensor.numpy()), (x, torch.from_numpy(x)[8:]),
                      (torch.from_numpy(x), torch.from_numpy(x))]  # fmt: skip

        def after(x, y):
            kernels.doubled_in_place(x)
            return kernels.scaled(y, 2.0)

        def before(x, y):
            z = kernels.scaled(y, 2.0)
            kernels.doubled_in_place(x)
            return z

        for number, (x, y) in enumerate(given):
            with self.subTest(number):
                self.assertTrue(self.equal(after, after, {"x": x, "y": y}))
                self.assertFalse(self.equal(after, before, {"x": x, "y": y}))

    def test_read_only_inputs(self):
        x = np.arange(64, dtype=np.float32)
        x.flags.writeable = False
        with self.assertRaisesRegex(congruent.RecordError, "writes x, which is read-only"):
            congruent.check({"a": kernels.doubled_in_place, "b": kernels.doubled_in_place}, inputs={"x": x})

    def test_notes_of_what_is_not_compared(self):
        def rounded(scale):
            def function(x):
                return kernels.scaled(np.round(kernels.scaled(x, scale)), 2.0)

            return function

        x = np.random.default_rng(5).normal(size=64).astype(np.float32)
        with self.assertWarnsRegex(congruent.CheckWarning, "variant a: y, which a launch stores, is neither read by a later"):
            report = congruent.check({"a": rounded(1.0), "b": rounded(1.0001)}, inputs={"x": x})
        self.assertEqual(len(report.notes), 2)
        self.assertIn("\nnote: variant b: ", str(report))
        square, product = (lambda x, w: kernels.multiplied(x, x)), (lambda x, w: kernels.multiplied(x, w))
        with self.assertWarnsRegex(congruent.CheckWarning, "product . square: some elements are equal for such data only"):
            congruent.check({"product": product, "square": square}, inputs={"x": x, "w": x.copy()})
        found = congruent.same({"square": square}, product, inputs={"x": x, "w": x.copy()})
        self.assertEqual([c.result for c in found.candidates], ["different"])
        self.assertIn("for such data only", str(found))

    def test_a_recording_that_computes_something_else(self):
        """Of results that are other numbers than those of the code there is a note."""
        x = np.random.default_rng(6).normal(size=64).astype(np.float32)
        function = lambda x: kernels.scaled(x, 2.0)  # noqa: E731
        self.assertEqual(congruent.check({"a": function, "b": function}, inputs={"x": x}).notes, [])
        with unittest.mock.patch.object(casefile, "argument", lambda value, real=casefile.argument: real(value).replace("2.0", "3.0")):
            with self.assertWarnsRegex(congruent.CheckWarning, r"variant a: \d+ elements of y are other numbers than those that"):
                congruent.check({"a": function, "b": function}, inputs={"x": x})

    def test_what_cutile_assumes_of_constants(self):
        """Of a stride of 1 of a dimension of size 1 it says that it is divisible: no launch can make that right."""

        def turned(x):
            y = np.zeros_like(x)
            ct.launch(None, (1, 1), kernels.square_doubled, (x[1:2, 1:], y.T[:1, :15], 16))  # x begins inside of its memory
            return y

        x = np.random.default_rng(7).normal(size=(16, 16)).astype(np.float32)
        self.assertTrue(self.equal(turned, turned, {"x": x}))

    def test_variables_that_change(self):
        """What a kernel reads of them is compiled once."""
        x = np.arange(64, dtype=np.float32)

        def with_scale(scale):
            def function(x):
                kernels.SCALE = scale
                y = np.zeros_like(x)
                kernels.launch(kernels.times_global, y, 16, x, y)
                return y

            return function

        self.assertTrue(self.equal(with_scale(2.0), with_scale(2.0), {"x": x}))
        with self.assertRaisesRegex(congruent.RecordError, "times_global reads SCALE, which was 2.0 .* is 3.0 now"):
            congruent.check({"a": with_scale(2.0), "b": with_scale(3.0)}, inputs={"x": x})
        with self.assertRaisesRegex(congruent.RecordError, "times_global reads SCALE"):
            congruent.run(kernels.times_global, (4,), (x, np.zeros_like(x), 16))

    def test_variables_behind_names(self):
        """Attributes of classes and modules, helpers of these, what helpers were made with, enumerations."""
        x, helpers = np.arange(64, dtype=np.float32), kernels.helpers
        for name, first, second in (
            ("SCALE", 2.0, 3.0),
            ("SCALE", np.float32(2), np.float32(3)),
            ("made", kernels.make_helper(2.0), kernels.make_helper(3.0)),
            ("MODE", kernels.Mode.two, kernels.Mode.three),
            ("PAIR", (ct.float32, 2.0), (ct.float32, 3.0)),
        ):
            with self.subTest(name):
                setattr(helpers, name, first)
                setattr(helpers, "shape", 1)
                kernel = kernels.make_kernel()
                run = lambda: congruent.run(kernel, (4,), (x, np.zeros_like(x), 16))  # noqa: E731
                run()
                setattr(helpers, "shape", 2)  # which the kernel does not read, but of an array
                run()
                setattr(helpers, name, second)
                with self.assertRaisesRegex(congruent.RecordError, f"reads (helpers.)?{name}, which was .* is .* now"):
                    run()
                setattr(helpers, name, first)

    def test_one_thread_records(self):
        said = []

        def other(x):
            def check():
                try:
                    congruent.check({"a": kernels.doubled_in_place, "b": kernels.doubled_in_place}, inputs={"x": x})
                except congruent.UsageError as error:
                    said.append(str(error))

            thread = threading.Thread(target=check)
            thread.start()
            thread.join()
            return kernels.doubled_in_place(x)

        self.assertTrue(self.equal(other, other, {"x": np.arange(64, dtype=np.float32)}))
        self.assertEqual(said, ["variant a begins while another thread records: one records at a time"] * 2)

    def test_tiles_outside(self):
        def beyond(x):
            y = np.zeros_like(x)
            ct.launch(None, (len(x) // 16 + 2,), kernels.times, (x, y, 2.0, 16))
            return y

        x = np.arange(1, 65, dtype=np.float32)
        with self.assertRaisesRegex(congruent.RecordError, "index space"):
            congruent.check({"a": beyond, "b": beyond}, inputs={"x": x})
        self.assertTrue(self.equal(beyond, beyond, {"x": x}, outside_tiles="padding"))
        self.assertTrue(congruent.same({"b": beyond}, beyond, inputs={"x": x}, outside_tiles="padding"))

    def test_what_judges_nothing_fails(self):
        """Also where an element stays as it was: 0 * 2."""
        function = kernels.doubled_in_place
        for first in (0, 1):
            given = {"x": np.arange(first, 64 + first, dtype=np.float32)}
            self.assertTrue(congruent.check({"a": function, "b": function}, inputs=given).ok)
            with self.assertRaisesRegex(congruent.CheckFailed, "nothing was judged: results in mode ieee"):
                congruent.check({"a": function, "b": function}, inputs=given, modes="ieee")

    def test_a_folder_begins_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "kept"
            three = {"a": kernels.one, "b": kernels.two, "c": kernels.swapped}
            self.assertFalse(congruent.check(three, inputs=inputs(64), folder=place, raises=False))
            report = congruent.check({"a": kernels.one, "b": kernels.two}, inputs=inputs(80), folder=place)
            self.assertEqual({pair.variant for pair in report.pairs}, {"b"})

    def test_a_folder_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            congruent.check({"two": kernels.two, "one": kernels.one}, inputs=inputs(1000), folder=Path(folder) / "kept")
            done = subprocess.run([FPDIFF, Path(folder) / "kept/case.yaml"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Candidates(unittest.TestCase):
    def test_functions(self):
        found = congruent.same(
            {"fused": kernels.one, "swapped": kernels.swapped, "broken": kernels.broken}, kernels.two, inputs=inputs(1000)
        )
        self.assertFalse(found)
        self.assertEqual([[c.name for c in part] for part in (found.same, found.different, found.failed)],
                         [["fused"], ["swapped"], ["broken"]])  # fmt: skip
        self.assertIn("1 of 3 candidates compute what two computes", str(found))
        self.assertEqual(found.different[0].pair.verdict, "diverged")

    # More than one case holds, one that runs into an error only when payloads are asked for, and arrays that all share.
    def test_a_search_space(self):
        x, out = np.arange(256, dtype=np.float32), np.ones(256, np.float32)
        space = [{"tile": 1 << k, "more": more} for k in range(3, 9) for more in (0, 1, 2)] + [{"tile": 100, "more": 0}]
        found = congruent.same(
            space,
            space[0],
            kernel=kernels.added_in_place,
            grid_fn=lambda config: (ct.cdiv(256, config["tile"]),),
            args_fn=lambda config: (x, out, config["tile"], config["more"]),
        )
        self.assertEqual([c.config for c in found.same], [config for config in space[:-1] if not config["more"]])
        self.assertEqual([c.config for c in found.different], [config for config in space if config["more"]])
        self.assertEqual([c.config for c in found.failed], [space[-1]])
        self.assertIn("power of two", found.failed[0].why)
        np.testing.assert_array_equal(out, 1)

    def test_what_could_not_differ_is_not_the_same(self):
        made = {str(k): (lambda x, k=k: kernels.scaled(x, float(k))) for k in (2, 3)}
        found = congruent.same(made, made["2"], inputs={"x": np.zeros(64, np.float32)})
        self.assertEqual([candidate.result for candidate in found.candidates], ["failed", "failed"])
        self.assertIn("it could not have differed", str(found))

    def test_wrong_use(self):
        for arguments, text in (
            (({}, kernels.two), "there are no candidates"),
            (({"a": kernels.one}, "a"), "the reference is no function"),
            (([1, 2], kernels.one), "or a search space with kernel"),
        ):
            with self.assertRaisesRegex(congruent.UsageError, text):
                congruent.same(*arguments)
        with self.assertRaisesRegex(congruent.UsageError, "modes has to have fpsan"):
            congruent.same({"a": kernels.one}, kernels.two, inputs=inputs(8), modes="ieee")
        with self.assertRaisesRegex(congruent.UsageError, "needs kernel, grid_fn and args_fn"):
            congruent.same([1], 1, kernel=kernels.swiglu)
        with self.assertRaisesRegex(congruent.RecordError, "the reference, broken: "):
            congruent.same({"a": kernels.one}, kernels.broken, inputs=inputs(8))


ENDLESS = """import signal, sys, threading, time
import cuda.tile as ct, numpy as np, check_kernels as kernels
import congruent_gpu as congruent
from congruent_gpu import library

@ct.kernel
def endless(x, T: ct.Constant[int]):
    while ct.sum(ct.load(x, (0,), (T,))) >= 0.0:
        ct.store(x, (0,), ct.load(x, (0,), (T,)) * 1.0)

def interrupt_what_runs():
    while not any(thread.name == "congruent" for thread in threading.enumerate()):
        time.sleep(0.1)
    signal.alarm(1)

def interrupted(seconds, function, *arguments):
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*arguments)
    except (KeyboardInterrupt, congruent.RecordError) as error:
        return f"{type(error).__name__} {error}"
    finally:
        signal.alarm(0)

def times(scale):
    y = np.zeros(16, np.float32)
    congruent.run(kernels.times, (1,), (np.ones(16, np.float32), y, scale, 16))
    return y[0]

signal.signal(signal.SIGALRM, signal.default_int_handler)
library.PATIENCE = 0.5
print(interrupted(0, times, 2.0))
report = congruent.check(sys.argv[1], raises=False)
threading.Thread(target=interrupt_what_runs).start()
print(interrupted(0, congruent.run, endless, (1,), (np.ones(16, np.float32), 16)))
print(interrupted(30, times, 3.0))
print(interrupted(0.2, times, 4.0))
print(interrupted(30, times, 5.0))
print(report.to_html()[:15])
"""


class Interruptions(unittest.TestCase):
    def test_calls_behind_one_that_never_ends(self):
        """A call that was interrupted goes on: others say so, texts of reports are there, and the process ends."""
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.py"  # a file, since cuTile reads a kernel's text
            script.write_text(ENDLESS)
            environment = {**os.environ, "PYTHONPATH": f"{SOURCES}/python:{SOURCES}/tests/python"}
            command = [sys.executable, script, ONE]
            done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line.strip() for line in (lines[0], lines[1], lines[3], lines[5])],
                         ["2.0", "KeyboardInterrupt", "KeyboardInterrupt", "<!doctype html>"])  # fmt: skip
        for line in (lines[2], lines[4]):
            self.assertRegex(line, r"RecordError a call that was interrupted is still running, \d+ s after it began")


class Reports(unittest.TestCase):
    def report(self, **options):
        made = {f"by{k}": (lambda x, k=k: kernels.scaled(x, float(k))) for k in (2, 3)}
        return congruent.check(made, inputs={"x": np.arange(1, 65, dtype=np.float32)}, raises=False, **options)

    def test_copies(self):
        """Also in another process, which has no library."""
        report = self.report()
        report.pairs  # what is remembered
        for other in (pickle.loads(pickle.dumps(report)), copy.copy(report), copy.deepcopy(report)):
            self.assertEqual((str(other), other.json, other.ok), (str(report), report.json, False))
            self.assertEqual(other.to_html(), report.to_html())
            self.assertEqual(str(other.pairs), str(report.pairs))
            np.testing.assert_array_equal(other.pairs[0].verdicts(), report.pairs[0].verdicts())
        del other
        self.assertIn("DIVERGED", str(report))

    def test_copies_of_errors(self):
        for error in (congruent.CheckFailed(self.report()), congruent.CheckError(congruent.check("no.yaml", raises=False))):
            other = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(other), str(other), str(other.report)), (type(error), str(error), str(error.report)))

    def test_a_result_that_was_never_made(self):
        said = []
        hook, sys.unraisablehook = sys.unraisablehook, said.append
        try:
            library.Result.__new__(library.Result).__del__()
        finally:
            sys.unraisablehook = hook
        self.assertEqual(said, [])

    def test_folders_that_are_not_kept(self):
        """No form has their path, however it is spelled there."""
        old = tempfile.tempdir
        with tempfile.TemporaryDirectory(prefix="a_<b>&'\"é %[c]") as folder:
            tempfile.tempdir = folder
            try:
                report = self.report()
            finally:
                tempfile.tempdir = old
        report.pairs[0].row["fails"]
        for form in set(SUFFIXES.values()):
            text = report._form(form)
            self.assertNotIn("congruent", re.findall(r"\S*case.yaml", text)[0], form)
            self.assertNotRegex(text, r"congruent(-|&#45;|%2D)check(-|&#45;|%2D)", form)
            self.assertNotIn(Path(folder).name[:2] + "<", text, form)
            self.assertIn("case.yaml", text, form)
        places = [place["physicalLocation"]["artifactLocation"]["uri"]
                  for result in json.loads(report._form("sarif"))["runs"][0]["results"]
                  for place in result["locations"]]  # fmt: skip
        self.assertFalse([place for place in places if place.startswith("file:")], places)
        self.assertEqual((report.json["cases"][0]["file"], report.cases[0].file), ("case.yaml", "case.yaml"))

    def test_what_pairs_say(self):
        equal, = congruent.check(ONE, modes="fpsan", raises=False).pairs[:1]
        self.assertLess(equal.missed["log2"], -30)
        self.assertEqual(equal.notes, equal.row["notes"])
        different, numbers = self.report().pairs
        self.assertEqual((different.missed, numbers.missed), (None, None))
        self.assertEqual([type(pair.notes) for pair in (different, numbers)], [list, list])

    def test_numbers_of_no_variant(self):
        with self.assertRaisesRegex(congruent.UsageError, "there are no numbers of None; there are: by2, y, fpsan; by2, y, ieee"):
            self.report().numbers(None)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
