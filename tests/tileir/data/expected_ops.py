# SPDX-License-Identifier: Apache-2.0
# Writes NAME.ops beside each NAME.tileirbc of a folder: every op in pre-order as tileirdisasm 13.4 sees it, "mnemonic file:line:column".
# Terminators that the text leaves out are left out. The place is the innermost one outside site-packages, "-" if unknown.
#
#   python expected_ops.py PATH/TO/tileirdisasm FOLDER
import glob
import re
import subprocess
import sys


def frames(name, aliases):
    """The source places of a location, innermost first."""
    text = aliases.get(name, name)
    if match := re.fullmatch(r'loc\("(.*)":(\d+):(\d+)\)', text):
        return [match.groups()]
    if match := re.fullmatch(r"#cuda_tile.di_loc<(\S+) in \S+>", text):
        return frames(match[1], aliases)
    if match := re.fullmatch(r"loc\(callsite\((\S+) at (\S+)\)\)", text):
        return frames(match[1], aliases) + frames(match[2], aliases)
    return []


def place(name, aliases):
    found = frames(name, aliases)
    own = [f for f in found if "/site-packages/" not in f[0]]
    return ":".join((own or found)[0]) if found else "-"


for path in sorted(glob.glob(sys.argv[2] + "/*.tileirbc")):
    text = subprocess.run([sys.argv[1], "-g", path], check=True, capture_output=True, text=True).stdout
    aliases = dict(line.split(" = ", 1) for line in text.splitlines() if line.startswith("#"))
    # The place of an op with regions stands behind its last brace.
    out, open_ops = [], []
    for line in text.splitlines():
        line = line.strip()
        location = re.search(r" loc\((#\w+|unknown)\)$", line)
        location = place(location[1], aliases) if location else None
        if not line or line.startswith(("#", "//", "entry", "global")):
            continue
        if line.startswith("}"):
            if open_ops and not line.endswith("{"):
                open_ops.pop()[1] = location
            continue
        if line.startswith("("):  # the arguments of a reduce or scan body
            continue
        entry = [re.sub(r"^%.*? = ", "", line).split()[0], location]
        out.append(entry)
        if location is None:
            open_ops.append(entry)
    with open(path.replace(".tileirbc", ".ops"), "w") as file:
        file.writelines(f"{mnemonic} {where or '-'}\n" for mnemonic, where in out)
