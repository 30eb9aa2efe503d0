# SPDX-License-Identifier: Apache-2.0
"""test_copyright.py SOURCE: packaging/debian/copyright has a stanza for each file of packaging/licenses, whose licence it has."""

import re
import sys
from pathlib import Path

source = Path(sys.argv[1])
stanzas = [
    dict(re.findall(r"^(\S+): *(.*(?:\n .*)*)", stanza, re.MULTILINE))
    for stanza in (source / "packaging/debian/copyright").read_text().split("\n\n")
]
files = {row["Files"]: row for row in stanzas if "Files" in row}
licenses = {row["License"].split("\n")[0]: row["License"] for row in stanzas if "Files" not in row and "License" in row}


def words(text):
    return " ".join(text.replace("\n .\n", "\n").split())


for path in sorted((source / "packaging/licenses").iterdir()):
    row = files[f"packaging/licenses/{path.name}"]
    name = row["License"]
    text = words(licenses[name].partition("\n")[2])
    if "/usr/share/common-licenses/" not in text:  # the text itself
        assert text in words(path.read_text()), (path, name)
        assert all(words(line) in words(path.read_text()) for line in row["Copyright"].split("\n")), path
assert set(licenses) == {row["License"] for row in files.values()}, set(licenses)
print("1 passed, 0 failed")
