# SPDX-License-Identifier: Apache-2.0
"""test_wheel.py VERSION SOURCE WHEEL: what is in the wheel, and that it works in a virtual environment with nothing else, and in a
file system that has the C library only."""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

SIZE_MAX = 25_000_000
IMPORT_SECONDS_MAX = 0.1  # 100 times what it takes
LICENSES = {"LICENSE", "gcc.txt", "jansson.txt", "libyaml.txt", "llvm.txt", "xxhash.txt", "zlib.txt", "zstd.txt"}
FILES = ("bin/fpdiff", "bin/tileiras", "lib/libcongruent.so", "lib/congruent/libcongruent_backend.so",
         "lib/congruent/libcongruent_cutile.so", "__init__.py", "docs/fpdiff.md")  # fmt: skip
OF_THE_SYSTEM = ("libc.so.6", "libm.so.6", "libmvec.so.1")


def run(*words, status=0, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    assert done.returncode == status, f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def check_content(wheel, version, source):
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        info = f"congruent_gpu-{version}.dist-info/"
        metadata = file.read(info + "METADATA").decode()
        for name in FILES:
            assert f"congruent_gpu/{name}" in names, name
        licenses = {name.rsplit("/", 1)[1]: file.getinfo(name).file_size for name in names if "/licenses/" in name}
        assert set(licenses) == LICENSES and min(licenses.values()) > 500, licenses
        foreign = [name for name in names if not name.startswith(("congruent_gpu/", info))]
        assert not foreign and not any(name.endswith((".c", ".h", ".a", ".pyc")) for name in names), names
        backend = file.read("congruent_gpu/lib/congruent/libcongruent_backend.so")
    pages = {name.rsplit("/", 1)[1] for name in names if name.startswith("congruent_gpu/docs/")}
    assert pages == {path.name for path in (source / "docs").glob("*.md")}, pages
    assert f"\nVersion: {version}\n" in metadata and "\nName: congruent-gpu\n" in metadata, metadata
    required = [line for line in metadata.split("\n") if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert not required, required
    assert str(source).encode() not in backend
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size} bytes")
    assert size <= SIZE_MAX, size
    assert re.fullmatch(rf"congruent_gpu-{version}-py3-none-manylinux_2_\d+_\w+\.whl", wheel.name), wheel.name


def check_binaries(package, wheel, source):
    """Nothing but the C library, of no later version than the wheel's name says; no names of LLVM are given to others."""
    files = [package / name for name in FILES if not name.endswith((".py", ".md"))]
    tag = run(sys.executable, source / "packaging/needs.py", *files).strip()
    assert wheel.name.endswith(f"-py3-none-{tag}.whl"), (tag, wheel.name)
    backend = package / "lib/congruent/libcongruent_backend.so"
    exported = [line.split()[-1] for line in run("nm", "-D", "--defined-only", backend).splitlines()]
    assert exported == ["congruent_backend"], exported


def check_use(fpdiff, tileiras, source, folder, environment):
    """The attention example, a kernel for this machine, one as PTX."""
    attention = source / "examples/attention"
    text = run(fpdiff, attention / "attention.yaml", env=environment, cwd=folder)
    assert re.search(r"^  OK$", text, re.MULTILINE) and "fpsan  EQUAL" in text, text
    run(fpdiff, attention / "bug_sum.yaml", "--quiet", env=environment, cwd=folder)
    kernel = source / "examples/gelu/matmul.tileirbc"
    run(tileiras, "-o", folder / "kernel.o", kernel, env=environment, cwd=folder)
    assert (folder / "kernel.o").read_bytes().startswith(b"\x7fELF")
    run(tileiras, "--gpu-name=sm_90", "--emit=ptx", "--instrument=fpsan", "-o", folder / "kernel.ptx", kernel, env=environment,
        cwd=folder)  # fmt: skip
    assert ".target sm_90" in (folder / "kernel.ptx").read_text()


def check_bare(package, source, folder):
    """A root with the package, read-only, the examples and the C library. Where such a root cannot be made, nothing."""
    root = folder / "root"
    shutil.copytree(package, root / "package")
    shutil.copytree(source / "examples", root / "examples")
    for name in ("proc", "tmp", "lib64"):
        (root / name).mkdir()
    found = run("ldd", package / "bin/fpdiff", package / "lib/congruent/libcongruent_backend.so")
    for path in set(re.findall(r"(/\S+\.so\S*) \(0x", found)):
        assert os.path.basename(path).startswith(OF_THE_SYSTEM + ("ld-linux",)), path
        (root / "lib").mkdir(exist_ok=True)
        shutil.copy(path, root / "lib")
        if "ld-linux" in path:
            (root / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, root / path.lstrip("/"))
    own = ["unshare", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c"]
    mounts = 'mount -t proc proc "$1/proc" && mount --bind "$1/package" "$1/package" && mount -o remount,bind,ro "$1/package"'
    command = mounts + ' && exec chroot "$1" /package/bin/fpdiff /examples/attention/attention.yaml'
    if subprocess.run([*own, mounts, "sh", root], capture_output=True, check=False).returncode:
        print("no root of one's own can be made here: not tried")
        return
    text = run(*own, command, "sh", root, env={"PATH": os.environ["PATH"], "CONGRUENT_CACHE": "off", "LD_LIBRARY_PATH": "/lib"})
    assert re.search(r"^  OK$", text, re.MULTILINE), text
    print("works where only the C library is, and its files cannot be written")


IMPORT = "import time; a = time.perf_counter(); import congruent_gpu; print(time.perf_counter() - a)"
CALL = """
import sys
from congruent_gpu import commands, library
assert library.version() == sys.argv[1], library.version()
assert commands.program("fpdiff").startswith(sys.prefix), commands.program("fpdiff")
result = library.call([sys.argv[2]])
assert result.status == 0, result.text("errors")
"""


CUTILE = "cuTile is not installed: pip install cuda-tile==1.7.0 (or the extra congruent-gpu[cutile])"
NUMPY = "numpy is not installed: pip install numpy (or the extra congruent-gpu[numpy])"


def check_missing_packages(python, version, case, environment):
    """What calls say whose packages are not there."""
    for call, message in (
        ("run(None, (1,), ())", CUTILE),
        ("record('case')", CUTILE),
        ("check({'a': print, 'b': print})", CUTILE),
        (f"check({str(case)!r}).pairs[0].verdicts()", NUMPY),
    ):
        done = subprocess.run(
            [python, "-I", "-c", f"import congruent_gpu as c; c.{call}"], env=environment, capture_output=True, text=True, check=False
        )
        last = done.stderr.strip().rsplit("\n", 1)[-1]
        assert (done.returncode, last) == (1, f"congruent_gpu.errors.MissingPackage: {message}"), (call, done)
    done = subprocess.run([python, "-m", "congruent_gpu", "record", case], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"congruent_gpu: {NUMPY}\n"), done
    assert run(python, "-m", "congruent_gpu", "--version", env=environment) == f"congruent_gpu {version}\n"
    assert run(python, "-I", "-c", "import congruent_gpu; print(congruent_gpu.__version__)", env=environment) == f"{version}\n"


def main(version, source, wheel):
    check_content(wheel, version, source)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "CONGRUENT_CACHE": "off"}
        run(sys.executable, "-m", "venv", folder / "venv")
        bin = folder / "venv/bin"
        run(bin / "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", wheel)
        package = Path(run(bin / "python", "-c", "import congruent_gpu; print(congruent_gpu.__path__[0])").strip())
        check_binaries(package, wheel, source)
        run("chmod", "-R", "a-w", package.parent)
        assert f"congruent {version}\n" in run(bin / "tileiras", "--version", env=environment)
        assert run(bin / "fpdiff", "--version", env=environment) == f"fpdiff {version} (congruent)\n"
        check_use(bin / "fpdiff", bin / "tileiras", source, folder, environment)
        seconds = sorted(float(run(bin / "python", "-I", "-c", IMPORT)) for _ in range(9))
        print(f"import congruent_gpu: {1e3 * statistics.median(seconds):.1f} ms, median of {len(seconds)}")
        assert seconds[0] <= IMPORT_SECONDS_MAX
        numpy = subprocess.run([bin / "python", "-c", "import numpy"], capture_output=True, check=False).returncode == 0
        assert not numpy
        case = source / "examples/attention/attention.yaml"
        begin = time.perf_counter()
        run(bin / "python", "-I", "-c", CALL, version, case, env=environment)
        print(f"the attention example from Python: {time.perf_counter() - begin:.2f} s")
        check_missing_packages(bin / "python", version, case, environment)
        check_bare(package, source, folder)
        run("chmod", "-R", "u+w", package.parent)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).resolve())
    print("1 passed, 0 failed")
