# SPDX-License-Identifier: Apache-2.0
"""What can go wrong while recording."""


class RecordError(RuntimeError):
    """A launch cannot be recorded or run here. The text says what and why; nothing was computed for it."""


class UsageError(RuntimeError):
    """The command line, or the folder that is recorded into, is not what it has to be."""
