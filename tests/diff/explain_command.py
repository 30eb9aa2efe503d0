# SPDX-License-Identifier: Apache-2.0
"""fpdiff explain: explain_command.py FPDIFF SOURCE

What it says of cases that have nothing to explain, or not all of it; its exit status is 0 wherever it ran. Partial sums
and where values stop to occur in the reference, of real kernels.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FPDIFF, SOURCE = sys.argv[1], Path(sys.argv[2])
failures = []


def expect(good, *what):
    if not good:
        failures.append(" ".join(map(str, what)))


def explain(case, *words):
    """Status, text and errors; the report of the case."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report"
        command = [FPDIFF, "explain", "--seconds", "2", *words, "--json", str(path), str(SOURCE / case)]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr, json.loads(path.read_text())["cases"][0]


def unexplained(case, why, count=1, *words):
    status, text, errors, report = explain(case, *words)
    expect(status == 0 and not errors, case, "status:", status, errors)
    expect(not report["explained"] and "nothing to explain: no pair diverges in payloads\n" in text, case, "explained:", text)
    expect(len(report["not_explained"]) == count, case, "not_explained:", report["not_explained"])
    expect(all(why in row["why"] for row in report["not_explained"]), case, "why:", report["not_explained"])
    expect(text.count("not explained: ") == count and why in text, case, "text:", text)


def not_explained():
    unexplained("tests/cases/races/stencil_in_place.yaml", "blocks race")
    unexplained("tests/bad/limits_nested.yaml", "no field is known in both")
    unexplained("tests/bad/beyond_tolerance.yaml", "beyond the tolerance")
    unexplained("examples/softmax/softmax.yaml", "", 0)


def errors():
    status, text, errors, report = explain("examples/modes/bound.yaml")
    expect(status == 3 and not text, "bound.yaml:", status, text)
    expect("cannot be within 0.5 ulp" in errors and report["errors"], "bound.yaml says", errors)
    status, _, errors, _ = explain("tests/bad/unknown_key.yaml")
    expect(status == 2 and "unknown" in errors, "unknown_key.yaml:", status, errors)


def in_part():
    status, text, errors, report = explain("examples/ptx/bug_attention.yaml")
    expect(status == 0 and not errors, "PTX:", status, errors)
    expect(report["explained"][0]["not_tried"] == "a kernel that is not Tile IR", "PTX:", report["explained"][0])
    expect(report["explained"][0]["frontier"] is None and "no edits were tried: a kernel that is not" in text, "PTX:", text)
    status, text, errors, report = explain("examples/attention/bug_sum.yaml", "--profile", "triton-3.9")
    expect(status == 0 and not errors, "triton-3.9:", status, errors)
    expect(report["explained"] and not report["explained"][0]["relations"], "triton-3.9:", text)


def partial_sums():
    _, text, _, report = explain("verdicts/matmul/row_sums.not_all.yaml")
    (pair,) = report["explained"]
    kinds = {r["kind"]: r for r in pair["relations"]}
    expect("partial sum" in kinds and kinds["partial sum"]["message"] in text, "partial sum:", text)
    expect("they lack the terms of X[:, 96:100]" in text, "partial sum:", text)


def frontier():
    _, text, _, report = explain("examples/attention/bug_sum.yaml")
    found = report["explained"][0]["frontier"]
    expect(found["first_absent"]["found"] * 10 < found["first_absent"]["values"] * 9, "first:", found)
    expect(found["last_before"]["found"] * 10 >= found["last_before"]["values"] * 9, "before:", found)
    expect(f"attention.py:{found['first_absent']['line']} ({found['first_absent']['op']}" in text, "frontier:", text)
    expect(f"up to attention.py:{found['last_before']['line']} ({found['last_before']['op']}" in text, "frontier:", text)


def main():
    not_explained()
    errors()
    in_part()
    partial_sums()
    frontier()
    print("\n".join(failures), end="\n" if failures else "")
    return bool(failures)


sys.exit(main())
