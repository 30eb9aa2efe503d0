# SPDX-License-Identifier: Apache-2.0
# The package in a Python that has no other (for pytest: no cuTile), and where it looks for the library.
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from congruent_gpu import library

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
BUILT = FPDIFF.parents[1] / "lib" / library.NAME
CASE = SOURCES / "examples/gelu/gelu.yaml"
WHERE = "from congruent_gpu import library; print(library.version(), library.session()[0].path)"


def python(*words, **variables):
    """Runs this Python without site-packages. Returns (status, output and errors)."""
    environment = {name: value for name, value in os.environ.items() if name not in ("FPDIFF", "CONGRUENT_LIBRARY", "CONGRUENT")}
    done = subprocess.run(
        [sys.executable, "-S", *map(str, words)], env={**environment, **variables}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


class Library(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = Path(folder.name).resolve()
        (self.prefix / "bin").mkdir()
        shutil.copy(FPDIFF, self.prefix / "bin")

    def place(self, name):
        path = self.prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BUILT.resolve(), path)
        return path

    def test_folders_and_names(self):
        multiarch = f"lib/{os.uname().machine}-linux-gnu"
        for name in ("lib/libcongruent.so", "lib64/libcongruent.so", f"{multiarch}/libcongruent.so", f"{multiarch}/libcongruent.so.1"):
            with self.subTest(name):
                path = self.place(name)
                status, text = python("-c", WHERE, FPDIFF=str(self.prefix / "bin/fpdiff"))
                self.assertEqual((status, text.split()[1:]), (0, [str(path)]), text)
                path.unlink()

    def test_that_of_the_path(self):
        """Without a build beside the modules."""
        shutil.copytree(SOURCES / "python/congruent_gpu", self.prefix / "modules/congruent_gpu")
        variables = {"PYTHONPATH": str(self.prefix / "modules"), "PATH": f"{self.prefix}/bin:{os.environ['PATH']}"}
        status, text = python("-c", WHERE, **variables)
        self.assertIn(f"libcongruent.so was not found, not beside {self.prefix}/bin/fpdiff either", text)
        path = self.place(f"lib/{os.uname().machine}-linux-gnu/libcongruent.so.1")
        status, text = python("-c", WHERE, **variables)
        self.assertEqual((status, text.split()[1:]), (0, [str(path)]), text)

    def test_none(self):
        status, text = python("-c", WHERE, FPDIFF=str(self.prefix / "bin/fpdiff"))
        self.assertEqual(status, 1)
        why = f"UsageError: {self.prefix}/bin/fpdiff has no libcongruent.so beside it, in {self.prefix}: neither in lib, lib64 nor lib/"
        self.assertIn(why, text)


class Versions(unittest.TestCase):
    def test_they_are_fpdiffs(self):
        version = subprocess.run([FPDIFF, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.assertEqual(python("-m", "congruent_gpu", "--version", FPDIFF=str(FPDIFF)), (0, f"congruent_gpu {version}\n"))
        words = "-c", "import congruent_gpu; print(congruent_gpu.__version__)"
        self.assertEqual(python(*words, FPDIFF=str(FPDIFF)), (0, version + "\n"))
        status, text = python("-m", "congruent_gpu", "--version", CONGRUENT_LIBRARY="/none")
        self.assertEqual((status, text), (2, "congruent_gpu: CONGRUENT_LIBRARY=/none: there is no such file\n"))


class MissingPackages(unittest.TestCase):
    def check(self, code, what, **variables):
        code = f"import congruent_gpu as c\ntry: {code}\nexcept (c.UsageError) as error: print(isinstance(error, ImportError), error)"
        status, text = python("-c", code, FPDIFF=str(FPDIFF), **variables)
        self.assertEqual((status, text), (0, f"True {what}\n"))

    CUTILE = "cuTile is not installed: pip install cuda-tile==1.7.0 (or the extra congruent-gpu[cutile])"
    NUMPY = "numpy is not installed: pip install numpy (or the extra congruent-gpu[numpy])"

    def test_cutile(self):
        self.check("c.run(None, (1,), ())", self.CUTILE)
        self.check("c.record('case')", self.CUTILE)
        self.check("from congruent_gpu import KernelFault", self.CUTILE)
        self.check("c.check({'a': print, 'b': print})", self.CUTILE)
        self.check("c.same({'a': print}, print)", self.CUTILE)

    def test_another_package_with_modules_of_cuda(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "cuda").mkdir()
            self.check("c.record('case')", self.CUTILE, PYTHONPATH=f"{SOURCES}/python:{folder}")

    def test_numpy(self):
        self.check(f"c.check({str(CASE)!r}).pairs[0].verdicts()", self.NUMPY)

    def test_scripts_of_triton(self):
        self.assertEqual(python("-m", "congruent_gpu", "record", CASE), (2, f"congruent_gpu: {self.NUMPY}\n"))

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "needs pytest")
    def test_the_plugin(self):
        code = "import sys; sys.modules['cuda'] = None; import pytest; sys.exit(pytest.main(['-p', 'congruent_gpu.pytest_plugin']))"
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "CONGRUENT": "1"}, capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stderr), (4, f"ERROR: CONGRUENT=1: {self.CUTILE}\n\n"), done.stdout)

    def test_other_errors_are_their_own(self):
        from congruent_gpu.errors import needs_packages

        with self.assertRaisesRegex(ModuleNotFoundError, re.escape("No module named 'nothing'")), needs_packages():
            import nothing  # noqa: F401


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
