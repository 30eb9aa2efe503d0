#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of --html, and the maps in the JSON: test_html.py FPDIFF ROOT [long|NAME...]; without names what is not
long. Pages are read with a parser that checks that elements nest; maps are compared with what `fpdiff run` writes."""
import json
import math
import os
import struct
import sys
import tempfile

from page import NASTY, Map, Tools, error_level, level_of_f16, read_f16, read_json, read_page

TESTS, LONG = [], []


def test(function):
    TESTS.append(function)
    return function


def long_test(function):
    LONG.append(function)
    return function


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key != "times"}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def buffer_of(case, pair):
    return case["pairs"][pair]["buffers"][0]


def check_page(path, report):
    """The page has the report's cases, and wants nothing from anywhere."""
    page = read_page(path)
    assert not page.fetched, page.fetched
    policy = page.all("meta", http_equiv_="") or [e for e in page.elements if e.get("http-equiv")]
    assert [e["content"] for e in policy if "default-src 'none'" in e["content"]], policy
    rows = page.all("li", class_="case")
    assert [row["id"] for row in rows] == ["case-%d" % i for i in range(len(rows))]
    assert len(rows) == len(report["cases"])
    for row, case in zip(rows, report["cases"]):
        assert row["data-result"] == case["result"]
        assert case["file"] in row["text"] and (case.get("title") or "") in row["text"], (row["text"], case["title"])
    assert "Exit status %d" % report["status"] in page.all("p", class_="status")[0]["text"]
    assert len([e for e in page.all("script") if "type" not in e]) == 1 and len(page.all("style")) == 1
    for part in ("form", "main", "h1", "title"):
        assert len(page.all(part)) == 1, part
    assert page.all("html")[0]["lang"] == "en"
    return page


# ---- maps of a case against what its variants write

@test
def elements(tools):
    """A small buffer: every element has its value."""
    path = tools.gelu("small.yaml", 64, 256, "small", blocks=1)
    tools.run("--html", "small.html", "--json", "small.json", "--source-root", tools.root, path, expect=1)
    report = read_json(tools.path("small.json"))
    page = check_page(tools.path("small.html"), report)
    assert page.data["data-0"] == report["cases"][0]
    case = report["cases"][0]
    values = []
    for variant in ("two", "one"):
        tools.run("run", path, "-v", variant, "-m", "ieee", "-o", tools.path(variant), expect=0)
        values.append(read_f16(tools.path(variant + "/Y.bin")))
    for pair in (0, 1):
        buffer = buffer_of(case, pair)
        drawn = Map(case, buffer)
        assert drawn.bin == [1, 1] and drawn.cells == drawn.kept_count == 64 * 256
        assert drawn.map["tile"] and len(drawn.map["tile"]) == 2
        assert tuple(drawn.reference) == values[0] and tuple(drawn.variant) == values[1]
        assert list(drawn.level) == [level_of_f16(a, b) for a, b in zip(*values)]
        assert sum(drawn.wrong) == buffer["different"] == drawn.map["wrong"] > 0
        assert {c["class"] for c in drawn.map["classes"] if c["wrong"]} <= {"differ", "beyond the tolerance"}
        for i, rank in enumerate(drawn.rank):
            assert drawn.class_of(rank)["wrong"] == bool(drawn.wrong[i])
        for rank, one in enumerate(drawn.map["classes"]):
            assert one["count"] == drawn.rank.count(rank)
    tower = buffer_of(case, 0)
    for one in Map(case, tower).map["classes"]:
        assert one["count"] == tower["verdicts"].get(one["class"], {"count": 0})["count"]
    check_stores(case, Map(case, tower))
    assert len(read_json(tools.path("small.json"))["cases"][0]["planes"]) == len(set(case["planes"]))


def check_stores(case, drawn):
    """The reference's elements are all stored by one line, the variant's too where it stored; sources show them."""
    first, second = ({plane[i] for i in range(len(plane))} for plane in drawn.stored)
    assert len(first) == 1 and 0 not in first
    assert 0 in second and len(second) == 2, second  # the blocks that did not run
    for store in drawn.map["stores"]:
        assert store["file"].endswith("gelu.py") and store["line"] > 0
        lines = {excerpt["first"] + i: text for excerpt in case["sources"] if excerpt["file"] == store["file"]
                 for i, text in enumerate(excerpt["text"])}
        assert "ct.store" in lines[store["line"]], lines


# ---- errors of elements

@test
def errors(tools):
    """Each element has its error: of x + 4096 - 4096 it is known exactly. Without --accuracy there is none."""
    path = tools.inaccurate("errors.yaml")
    tools.run("--accuracy", "--html", "errors.html", "--json", "errors.json", path, expect=0)
    report = read_json(tools.path("errors.json"))
    page = check_page(tools.path("errors.html"), report)
    assert "1 less accurate" in page.all("li", class_="case")[0]["text"]
    case = report["cases"][0]
    values = []
    for variant in "ab":
        tools.run("run", path, "-v", variant, "-m", "ieee", "-o", tools.path(variant), expect=0)
        with open(tools.path(variant + "/Y.bin"), "rb") as file:
            values.append(struct.unpack("<256f", file.read()))
    exact = [abs(y - x) / 2 ** (math.frexp(x)[1] - 24) for x, y in zip(*values)]
    for pair in (0, 1):
        drawn = Map(case, buffer_of(case, pair))
        assert drawn.errors and set(drawn.errors[0]) == {0} == set(drawn.kept_errors[0])
        for i, error in enumerate(exact):
            assert abs(drawn.kept_errors[1][i] - error) <= error / 511, (i, drawn.kept_errors[1][i], error)
            assert drawn.errors[1][i] == error_level(drawn.kept_errors[1][i])
    of = case["accuracy"]["variants"][1]
    assert of["less_accurate"] and not of["exceeds"] and not of["bounded"]
    assert of["buffers"][0]["largest"] == max(exact) and of["buffers"][0]["index"] == [exact.index(max(exact))]
    assert of["buffers"][0]["stored"]["file"].endswith("accuracy.mlir")
    assert case["pairs"][0]["accuracy"]["buffers"][0]["variant"]["largest"] == max(exact)
    tools.run("--json", "plain.json", "--maps", path, expect=0)
    plain = read_json(tools.path("plain.json"))["cases"][0]
    assert "accuracy" not in plain and Map(plain, buffer_of(plain, 0)).errors is None


@test
def binned_errors(tools):
    """Cells have the largest error of their elements, computed here from the numbers of `run -m wider`."""
    path = tools.gelu("wide.yaml", 512, 512, "wide", blocks=1)
    tools.run("--accuracy", "-O", "0", "--html", "wide.html", "--json", "wide.json", path, expect=1)
    case = read_json(tools.path("wide.json"))["cases"][0]
    drawn = Map(case, buffer_of(case, 0))
    assert drawn.bin == [2, 2] and drawn.errors
    for side, variant in enumerate(("two", "one")):
        folder = tools.path("wide-" + variant)
        tools.run("run", path, "-O", "0", "-v", variant, "-m", "wider", "-o", folder, expect=0)
        with open(folder + "/Y.wide.bin", "rb") as file:
            numbers = [pair[0] for pair in struct.iter_unpack("<dd", file.read())]
        values = struct.unpack("<262144e", struct.pack("<262144H", *read_f16(folder + "/Y.bin")))
        unit = [2.0 ** (max(math.frexp(number)[1] - 1, -14) - 10) for number in numbers]
        found = [abs(value - number) / one for value, number, one in zip(values, numbers, unit)]
        levels = [0] * drawn.cells
        for i, error in enumerate(found):
            cell = drawn.cell_of(i)
            levels[cell] = max(levels[cell], error_level(error))
        apart = [abs(a - b) for a, b in zip(levels, drawn.errors[side])]
        assert max(apart) <= 1 and sum(apart) < 0.01 * drawn.cells, (max(apart), sum(apart))
        farthest = case["accuracy"]["variants"][side]["buffers"][0]["index"]
        place = farthest[0] * 512 + farthest[1]
        assert place in drawn.index, (place, drawn.kept_count)
        kept = drawn.kept_errors[side][drawn.index.index(place)]
        assert abs(kept - max(found)) <= 0.02 * max(found), (kept, max(found))


@test
def binned(tools):
    """A large buffer: cells have the worst of their elements; some values."""
    path = tools.gelu("large.yaml", 512, 512, "large", blocks=1)
    tools.run("--html", "large.html", "--json", "large.json", path, expect=1)
    case = read_json(tools.path("large.json"))["cases"][0]
    values = []
    for variant in ("two", "one"):
        tools.run("run", path, "-v", variant, "-m", "ieee", "-o", tools.path(variant), expect=0)
        values.append(read_f16(tools.path(variant + "/Y.bin")))
    buffer = buffer_of(case, 0)
    drawn = Map(case, buffer)
    assert drawn.bin == [2, 2] and drawn.cells == 65536
    levels, wrong, ranks = [0] * drawn.cells, [0] * drawn.cells, [0] * drawn.cells
    differ = [i for i, one in enumerate(drawn.map["classes"]) if one["class"] == "differ"][0]
    expected = []
    for i, (a, b) in enumerate(zip(*values)):
        cell = drawn.cell_of(i)
        levels[cell] = max(levels[cell], level_of_f16(a, b))
        if i % 512 >= 448:  # the column of blocks that did not run
            wrong[cell] += 1
            ranks[cell] = differ
            expected.append(i)
    assert list(drawn.level) == levels and drawn.wrong == wrong and list(drawn.rank) == ranks
    assert len(expected) == buffer["different"] == drawn.map["wrong"]
    assert drawn.kept_count in (5000, 5001) and set(expected[:5000]) <= set(drawn.index)
    for i, a, b in zip(drawn.index, drawn.reference, drawn.variant):
        assert (a, b) == (values[0][i], values[1][i])
    assert len(json.dumps(case["planes"])) < 400000


@test
def equal(tools):
    """Buffers without any difference have no cells; without --html and --maps there are no maps."""
    path = tools.case("equal.yaml", f"""buffers:
  X: {{type: f32, shape: [16, 128], fill: iota}}
  Y: {{type: f32, shape: [16, 128]}}
variants:
  a: [{{module: {tools.root}/tests/cases/copy/copy_f32.tileirbc, grid: [2], args: [X, Y]}}]
  b: [{{module: {tools.root}/tests/cases/copy/copy_f32.tileirbc, grid: [2], args: [X, Y]}}]
compare: [Y]
""")
    done = tools.run("--maps", "--json", "equal.json", path)
    case = read_json(tools.path("equal.json"))["cases"][0]
    assert done.returncode in (0, 1), done.stderr
    for pair in (0, 1):
        assert buffer_of(case, pair)["map"]["equal"] is True and "cells" not in buffer_of(case, pair)["map"]
    tools.run("--json", "plain.json", path)
    text = json.dumps(read_json(tools.path("plain.json")))
    assert '"map"' not in text and '"planes"' not in text and '"sources"' not in text


# ---- texts from outside

@test
def hostile(tools):
    """Titles, file names and messages are text, whatever is in them."""
    good = tools.gelu("</script><img src=x onerror=alert(1)>.yaml".replace("/", "\u2215"), 64, 128, NASTY)
    bad = tools.case("'\"><b>.yaml", "title: \"<script>\"\nbuffers: {'<!--': 1}\n")
    tools.run("--html", "nasty.html", "--json", "nasty.json", good, bad, tools.path("no <such>.yaml"), expect=2)
    report = read_json(tools.path("nasty.json"))
    assert report["cases"][0]["title"] == NASTY
    page = check_page(tools.path("nasty.html"), report)
    assert not page.all("img") and not page.all("b")
    assert [page.data["data-%d" % i] for i in range(3)] == report["cases"]


# ---- merging

@test
def merged(tools):
    """Shards with --maps give the page of the whole."""
    cases = [tools.gelu("m%d.yaml" % i, 64, 128, "case %d" % i, blocks=i % 2) for i in range(3)]
    tools.run("--html", "whole.html", "--json", "whole.json", *cases, expect=1)
    for i in (1, 2):
        tools.run("--maps", "--json", "part%d.json" % i, "--shard", "%d/2" % i, *cases)
    tools.run("merge", "--html", "joined.html", "--json", "joined.json", "part1.json", "part2.json", expect=1)
    whole, joined = (read_page(tools.path(name)) for name in ("whole.html", "joined.html"))
    assert without_times(whole.data) == without_times(joined.data) and len(joined.data) == 3
    assert "map" in buffer_of(joined.data["data-1"], 0)
    check_page(tools.path("joined.html"), read_json(tools.path("joined.json")))


# ---- size

def multiply(tools, count, size):
    """A report of many cases, of which every fifth failed, each with a map of so many bytes that do not pack, and as many
    of something else."""
    case = {"file": "many.yaml", "title": "one of many", "seed": "1", "filler": "x" * size[0], "planes": ["y" * size[1]],
            "pairs": [{"reference": "a", "variant": "b", "mode": "fpsan", "verdict": "equal",
                       "buffers": [{"buffer": "Y", "map": {"cells": {}}}]}]}
    cases = [dict(case, task=i, status=int(i % 5 == 0), result="ok" if i % 5 else "failed") for i in range(count)]
    report = {"fpdiff": 1, "versions": {}, "target": "host", "gpu": None, "campaign": {"tasks": count, "key": "0"}, "status": 1,
              "cases": cases}
    with open(tools.path("many.json"), "w") as file:
        json.dump(report, file)
    tools.run("merge", "--html", "many.html", "many.json", expect=1)
    assert os.path.getsize(tools.path("many.html")) <= 20000000
    return check_page(tools.path("many.html"), report)


@long_test
def large_page(tools):
    """At most 20 MB: maps of cases that are ok go first, and the page says so."""
    page = multiply(tools, 30, (1000, 1000000))
    drawn = [i for i in range(30) if "planes" in page.data["data-%d" % i]]
    assert set(range(0, 30, 5)) <= set(drawn) and len(drawn) == 19, drawn
    for i in range(30):
        buffer = page.data["data-%d" % i]["pairs"][0]["buffers"][0]
        assert ("map" in buffer) == (i in drawn) and len(page.data["data-%d" % i]["filler"]) == 1000
    assert "the maps of 11 cases" in page.all("p", class_="cut")[0]["text"]


@long_test
def huge_page(tools):
    """Of very many cases the comparisons go, of failed ones last; the rows stay."""
    page = multiply(tools, 2500, (9000, 5000))
    there = [i for i in range(2500) if "data-%d" % i in page.data]
    assert set(range(0, 2500, 5)) <= set(there) and 500 < len(there) < 2500, len(there)
    assert "the comparisons of %d cases" % (2500 - len(there)) in page.all("p", class_="cut")[0]["text"]


@test
def unwritable(tools):
    """A page that cannot be written: exit status 2, and the JSON is there."""
    path = tools.gelu("small.yaml", 64, 128, "small")
    tools.run("--html", tools.path("none/x.html"), "--json", "there.json", path, expect=2)
    assert read_json(tools.path("there.json"))["cases"][0]["result"] == "ok"
    tools.run("--html", "empty.html", "--json", "empty.json", tools.path("none.yaml"), expect=2)
    check_page(tools.path("empty.html"), read_json(tools.path("empty.json")))


def main():
    only = sys.argv[3:]
    fpdiff, root = sys.argv[1:3]
    chosen = TESTS if not only else LONG if only == ["long"] else [one for one in TESTS + LONG if one.__name__ in only]
    for function in chosen:
        with tempfile.TemporaryDirectory(prefix="congruent-html-") as folder:
            function(Tools(fpdiff, root, folder))
        print("ok", function.__name__, flush=True)


main()
