# SPDX-License-Identifier: Apache-2.0
"""What can go wrong while recording."""

import sys
import traceback
from pathlib import Path


class RecordError(RuntimeError):
    """A launch cannot be recorded or run here. The text says what and why; nothing was computed for it."""

    place = None  # of the script, once it is known: "file:line: "


class UsageError(RuntimeError):
    """The command line, or the folder that is recorded into, is not what it has to be."""


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
