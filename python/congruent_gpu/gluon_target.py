# SPDX-License-Identifier: Apache-2.0
"""For which GPU a kernel of Gluon is: its products tell."""

import contextlib
import os
import re
import sys
import tempfile

from .errors import RecordError

# What a text has, whose it is, and the versions of the GPU that have it.
FAMILIES = (
    (re.compile(r"\bttng\.(warp_group_dot|wgmma)"), "wgmma", "sm_90", range(90, 100)),
    (re.compile(r"\bttng\.(tc_gen5|tmem_)|#ttng\.tensor_memory"), "tensor memory", "sm_100", range(100, 120)),
)
USUAL = {90: 100, 100: 90}  # what is tried, and what then


def misfit(text, arch):
    """The row of FAMILIES whose ops a text has although the GPU has none; None: there is none."""
    for row in FAMILIES:
        if arch not in row[3] and row[0].search(text):
            return row
    return None


def other_target(text, arch):
    """The version to compile for in place of `arch`; None: it fits. An empty text: one that could not be made."""
    return USUAL.get(arch) if not text or misfit(text, arch) else None


def check_target(name, text, arch):
    """An error unless a GPU of this version could run the kernel."""
    found = misfit(text, arch)
    if found:
        raise RecordError(f"{name} uses {found[1]}, which sm_{arch} has not: --target {found[2]}")


@contextlib.contextmanager
def unheard():
    """Keeps what Triton's C++ writes to standard error in here: calling what this gives writes it, afterwards."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield lambda: None
        return
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        texts = []
        try:
            yield lambda: os.write(2, b"".join(texts))
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            texts.append(file.read())
