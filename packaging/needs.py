# SPDX-License-Identifier: Apache-2.0
"""needs.py FILE...: what programs and libraries need of the system. Prints the platform tag of a wheel with them, the lowest
that is true: `manylinux_2_35_x86_64` is a C library from 2.35 on. An error if they need anything but the C library."""

import platform
import re
import subprocess
import sys

# Of the GNU C library.
SYSTEM = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1"}  # fmt: skip


def read(option, path):
    return subprocess.run(["readelf", option, "--wide", path], check=True, capture_output=True, text=True).stdout


def main(paths):
    newest, wrong = (2, 17), []
    for path in paths:
        for library in re.findall(r"\(NEEDED\).*\[(.*)\]", read("--dynamic", path)):
            if library not in SYSTEM:
                wrong.append(f"{path} needs {library}")
        for symbol, version in re.findall(r" UND (\S+)@(\S+)", read("--dyn-syms", path)):
            number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", version)
            if number is None:
                wrong.append(f"{path} needs {symbol} of {version}")
            else:
                newest = max(newest, (int(number[1]), int(number[2])))
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"manylinux_{newest[0]}_{newest[1]}_{platform.machine()}")


if __name__ == "__main__":
    main(sys.argv[1:])
