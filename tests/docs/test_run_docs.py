# SPDX-License-Identifier: Apache-2.0
"""Each kind of mark with a block that is right, and with one that is wrong: test_run_docs.py FPDIFF SOURCES"""

import sys
import tempfile
import unittest
from pathlib import Path

import run_docs

FPDIFF, SOURCES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CASE = f"""buffers:
  X: {{type: f32, shape: [128, 128], fill: {{normal: {{mean: 0, std: 1}}}}}}
  Y: {{type: f32, shape: [128, 128]}}
variants:
  one: [{{module: {SOURCES}/examples/softmax/softmax_exp.tileirbc, grid: [32], args: [X, Y]}}]
compare: [Y]"""
WORKFLOW = "on: push\njobs:\n  one:\n    strategy: {matrix: {n: [1, 2]}}\n    steps:\n      - "
# The mark and comments above it, a block that passes, one that does not, and what is said of that.
ROWS = (
    ("file a/b.txt", None, "text", "nothing below reads the file a/b.txt"),
    ("run", "$ echo a\na", "$ echo a\nb", ">>>b<<<"),
    ("run", "$ echo a\n$ true", "echo a\nfalse", "ends with status 1"),
    ("run", "$ echo a\\\n  b\na b", "text\n$ true", "there is no command above"),
    ("run", None, "$ echo a\n...", "any output would do"),
    ("run, status 2", "$ exit 2", "$ true", "no command ends with status 2"),
    ("run, status 2", "$ true\n$ exit 2", "$ exit 1", "ends with status 1"),
    ("run, needs no_such_program", "no_such_program", "if", "syntax error"),
    ("run, wants sh", None, "true", "neither status nor needs"),
    ("output of printf 'a b c d'", "a ... c\n  d", "a ... c", ">>><<<"),
    ("output of printf 'a b c d'", "a b c d", "b c d", ">>>b c d<<<"),
    ("output of printf 'a b'", None, "a ... b ... b", ">>>b<<<"),
    ("in output of printf 'a b c d'", "b c", "b d", "b >>>d<<<"),
    ("in output of printf 'a b c d'", None, "...", "any output would do"),
    ("first echo a b >f -->\n<!-- within f", "a", "c", "f does not have this text"),
    ("files of docs/start.md -->\n<!-- run", "$ head -1 record.py\nimport congruent_gpu as congruent", "$ cat no_such.py", "ends with status 1"),
    ("files of docs/start.md", None, "->", "a block without a mark"),
    ("within examples/gelu/gelu.yaml", "compare: [Y]", "compare: [X]", ">>>X]<<<"),
    ("within no_such_file", None, "a", "there is no file"),
    (f"file case.yaml\n{CASE}\n-->\n<!-- piece of case.yaml", "math: [fast]", "math: [quick]", "is no mode"),
    (f"file case.yaml\n{CASE}\n-->\n<!-- piece of case.yaml", "modes: [ieee]", "speed: 1", "speed"),
    ("workflow", WORKFLOW + "run: mkdir a${{ matrix.n }}", WORKFLOW + "run: mkdir a", "File exists"),
    ("workflow", WORKFLOW + "uses: some/action@v1", WORKFLOW + "uses: some/action", "has no version"),
    ("workflow", None, WORKFLOW + "uses: OWNER/congruent@C\n        with: {case: a}", "action.yml has no {'case'}"),
    ("parsed yaml", "a: [1]", "a: [1", "expected"),
    ("parsed json", "[1]", "[1,]", "Expecting value|trailing comma"),
    ("parsed python", "a = 1", "a = ", "invalid syntax"),
    ("parsed c", "int a;", "int a", "error"),
    ("parsed sh", "scripts/demo.sh # it", "scripts/no_such.sh", "there is no file"),
    ("parsed sh", "make test", "make no_such_target", "No rule to make target"),
    ("parsed", None, "a", "is none of"),
    ("shown: a picture", "->", None, None),
    ("shown: no", None, "->", "needs a reason"),
    ("shows: a picture", None, "->", "a block without a mark"),
    ("first true", None, "->", "a block without a mark"),
    ("first false -->\n<!-- shown: a picture", None, "->", "ends with status 1"),
)
FENCED, INDENTED = "<!-- {} -->\n```\n{}\n```\n", "Text:\n\n<!-- {} -->\n    {}\n\nText\n"
LISTED = "- Item:\n\n  <!-- {} -->\n  ```\n  {}\n  ```\n"


class Marks(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(text)
            return run_docs.check_page(page, FPDIFF, SOURCES)

    def test_rows(self):
        for mark, good, bad, message in ROWS:
            for form, joint in ((FENCED, "\n"), (INDENTED, "\n    "), (LISTED, "\n  ")):
                if form == LISTED and "\n" in mark:
                    continue
                with self.subTest(mark=mark, form=form):
                    if good:
                        counts, errors = self.check(form.format(mark, good.replace("\n", joint)))
                        self.assertEqual((sum(counts.values()), errors), (1, []))
                    if bad:
                        _, errors = self.check(form.format(mark, bad.replace("\n", joint)))
                        self.assertEqual(len(errors), 1)
                        self.assertRegex(errors[0], message)

    def test_every_kind_is_in_a_row(self):
        for kind in run_docs.KINDS:
            self.assertTrue(any(f"<!-- {row[0]}".count(f"<!-- {kind}") and row[2] for row in ROWS), kind)

    def test_blocks_are_found(self):
        listed = "- a\n\n      b\n", "1. a\n   ```\n   b\n   ```\n", "> ```\n> a\n> ```\n"
        for text in ("```\na\n```\n", "a\n\n    b\n", "~~~\na\n~~~\n", "```\na\n", *listed):
            with self.subTest(text=text):
                self.assertIn("a block without a mark", self.check(text)[1][0])
        self.assertEqual(self.check("# Title\n- a\n  b\n\n  c\n"), ({}, []))

    def test_a_mark_has_a_block(self):
        for text in ("<!-- run -->\nText\n", "<!-- run -->\n", "<!-- run -->\n\n<!-- run -->\n\nText\n"):
            with self.subTest(text=text):
                self.assertIn("there is no block below", self.check(text)[1][0])

    def test_files(self):
        counts, errors = self.check("<!-- file ../b -->\n```\nb\n```\n<!-- run -->\n```\n$ cat ../b || echo none\n...none\n```\n")
        self.assertEqual((counts, len(errors)), ({"file": 1, "run": 1}, 1))
        self.assertIn("outside the page's folder", errors[0])
        self.assertEqual(self.check("<!-- file a -->\n```\nb\n```\n<!-- run -->\n```\n$ cat a\nb\n```\n"), ({"file": 1, "run": 1}, []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
