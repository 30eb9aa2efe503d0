# SPDX-License-Identifier: Apache-2.0
"""What can go wrong while recording."""

import contextlib
import sys
import traceback
from pathlib import Path


class RecordError(RuntimeError):
    """A launch cannot be recorded or run here. The text says what and why; nothing was computed for it."""

    place = None  # of the script, once it is known: "file:line: "


class UsageError(RuntimeError):
    """The command line, or the folder that is recorded into, is not what it has to be."""


class MissingPackage(UsageError, ImportError):
    """A package that only some of this needs is not installed."""

    def __init__(self, module):
        name, wanted, extra = PACKAGES[module]
        super().__init__(f"{name} is not installed: pip install {wanted} (or the extra congruent-gpu[{extra}])")
        self.name = module


# Those packages by the module that is looked for: what they are called, what pip installs, and the extra of ours.
PACKAGES = {
    "cuda": ("cuTile", "cuda-tile==1.7.0", "cutile"),
    "cuda.tile": ("cuTile", "cuda-tile==1.7.0", "cutile"),  # where another package has modules of cuda
    "numpy": ("numpy", "numpy", "numpy"),
    "triton": ("Triton", "triton==3.9.0", "triton"),
}


@contextlib.contextmanager
def needs_packages():
    """Around imports: an error that one of PACKAGES is missing says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES or isinstance(error, MissingPackage):
            raise
        raise MissingPackage(error.name) from None


def script_line(frames):
    """The line of the script, or of what it calls, as "file:line: ": of frames from the outermost to the innermost,
    the last one outside Python's packages."""
    ours = [str(Path(__file__).parent)]
    if "triton" in sys.modules:
        ours.append(str(Path(sys.modules["triton"].__file__).parent))
    for frame in reversed(frames):
        installed = any(part in frame.filename for part in ("/site-packages/", "/lib/python", "<"))
        if not installed and not frame.filename.startswith(tuple(ours)):
            return f"{frame.filename}:{frame.lineno}: "
    return ""


def error_line(error):
    """The line of the script that an error comes from."""
    if getattr(error, "place", None) is None:
        return script_line(traceback.extract_tb(error.__traceback__))
    return error.place
