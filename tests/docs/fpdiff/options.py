# SPDX-License-Identifier: Apache-2.0
"""The options that docs/fpdiff.md and docs/mutants.md describe are those of `fpdiff --help`, or of `tileiras --help`."""

import os
import re
import subprocess


def options(text, begin):
    return set(re.findall(begin + r"(--\w[\w-]+)", text)) - {"--name"}


def there(tool):
    return options(subprocess.run([tool, "--help"], check=True, capture_output=True, text=True).stdout, " ")


pages = "".join(open(f"{os.environ['PROJECT']}/docs/{name}.md").read() for name in ("fpdiff", "mutants"))
described, known = options(pages, "`"), there("fpdiff")
assert len(known) > 20 and known <= described, known - described
assert described <= known | there("tileiras"), described - known
