# SPDX-License-Identifier: Apache-2.0
"""test_needs.py SOURCE CC: packaging/needs.py finds the C library that a program needs, and other libraries."""

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

source, compiler = sys.argv[1:]
PROGRAM = "#include <math.h>\n#include <dlfcn.h>\nint main(int n, char **w) { return (int)pow(n, n) + !dlopen(*w, 1); }\n"


def needs(*paths):
    return subprocess.run(
        [sys.executable, source + "/packaging/needs.py", *paths], check=False, capture_output=True, text=True
    )


with tempfile.TemporaryDirectory() as folder:
    program, library = Path(folder, "program"), Path(folder, "libother.so")
    Path(folder, "program.c").write_text(PROGRAM)
    Path(folder, "other.c").write_text("int other(void) { return 1; }\n")
    subprocess.run([compiler, "-shared", "-o", library, folder + "/other.c"], check=True)
    subprocess.run([compiler, "-o", program, folder + "/program.c", "-lm"], check=True)
    done = needs(program)
    assert done.stdout.startswith("manylinux_2_") and done.stdout.endswith(platform.machine() + "\n"), done
    assert int(done.stdout.split("_")[2]) >= 34, done  # dlopen is in libc.so.6 since 2.34
    assert needs(library).stdout == f"manylinux_2_17_{platform.machine()}\n", needs(library)
    subprocess.run([compiler, "-o", program, folder + "/program.c", "-lm", "-Wl,--no-as-needed", library], check=True)
    done = needs(program)
    assert done.returncode == 1 and done.stderr.startswith(f"{program} needs "), done
    assert "libother.so" in done.stderr, done
print("1 passed, 0 failed")
