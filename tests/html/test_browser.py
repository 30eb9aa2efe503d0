#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of --html in a headless Chromium: test_browser.py FPDIFF ROOT. Status 77 where there is none. Everything a
user does must work without an error in the console and without the network."""
import json
import sys
import tempfile

import chromium
from page import NASTY, Map, Tools, read_json


def readout(browser, pair):
    """What the map says of the element under the cursor, by name."""
    rows = browser.run("[...document.querySelectorAll('#%s .readout dl div')].map(row => [row.firstChild.textContent, "
                       "row.lastChild.textContent])" % pair)
    return dict(rows)


def canvas(pair):
    return "document.querySelector('#%s canvas')" % pair


def colors(browser, pair):
    """How many different colours the canvas has, and the share of its points that are drawn."""
    return browser.run("""(() => {
        const canvas = %s, copy = new OffscreenCanvas(canvas.width, canvas.height);
        const context = copy.getContext('2d', {willReadFrequently: true});
        context.drawImage(canvas, 0, 0);
        const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
        const seen = new Set(), words = new Uint32Array(data.buffer);
        let drawn = 0;
        for (const word of words) { seen.add(word); drawn += word !== 0; }
        return [seen.size, drawn / words.length];
    })()""" % canvas(pair))


def check_map(browser, tools, name):
    """Keys, pointer, zoom and colours of a map, against the map in the report."""
    case = read_json(tools.path(name + ".json"))["cases"][0]
    drawn = Map(case, case["pairs"][0]["buffers"][0])
    browser.open(tools.path(name + ".html"))
    browser.until(canvas("pair-0-0") + "?.width > 0")
    count, share = colors(browser, "pair-0-0")
    assert count >= 3 and share > 0.2, (count, share)
    first = next(cell for cell, wrong in enumerate(drawn.wrong) if wrong)
    check_cell(browser, drawn, first)
    browser.run(canvas("pair-0-0") + ".focus()")
    browser.key("n")
    check_cell(browser, drawn, next(cell for cell in range(first + 1, drawn.cells) if drawn.wrong[cell]))
    browser.key("p")
    check_cell(browser, drawn, first)
    browser.key("ArrowDown")
    check_cell(browser, drawn, first + drawn.count[1])
    browser.key("ArrowLeft")
    check_cell(browser, drawn, first + drawn.count[1] - 1)
    before = colors(browser, "pair-0-0")
    for key in "++":
        browser.key(key)
    assert colors(browser, "pair-0-0") != before  # it was drawn anew
    browser.key("f")
    check_cell(browser, drawn, max(range(drawn.cells), key=lambda cell: drawn.level[cell]))
    browser.key("0")
    browser.run("document.querySelector('#pair-0-0 input[value=ulps]').click()")
    assert colors(browser, "pair-0-0")[0] >= 3
    box = browser.run("(box => [box.left, box.top])(%s.getBoundingClientRect())" % canvas("pair-0-0"))
    browser.move(box[0] + 1, box[1] + 1)
    check_cell(browser, drawn, 0)
    assert browser.run("document.querySelector('#pair-0-0 .spoken').textContent").startswith(
        "Element" if drawn.bin == [1, 1] else "Cell")


def check_cell(browser, drawn, cell):
    said = readout(browser, "pair-0-0")
    row, column = cell // drawn.count[1] * drawn.bin[0], cell % drawn.count[1] * drawn.bin[1]
    single = drawn.bin == [1, 1]
    name = "Y[%d, %d]" % (row, column) if single else "Y[%d:%d, %d:%d]" % (
        row, row + drawn.bin[0], column, column + drawn.bin[1])
    assert said["Element" if single else "Cell"].startswith(name), (said, name)
    verdict = said["Verdict" if single else "Worst verdict"]
    assert verdict == drawn.class_of(drawn.rank[cell])["class"], said
    fields = drawn.fields[cell]
    assert said["Payload"] == "%d of %d fields agree" % (fields & 15, fields >> 4), said
    for side, key in enumerate(("Stored by reference", "Stored by variant")):
        number = drawn.stored[side][cell]
        where = "gelu.py:%d" % drawn.map["stores"][number - 1]["line"] if number else "not known"
        assert where in said[key], (said, where)
    if single:
        assert "0x%04x" % drawn.reference[cell] in said["Reference"], said
        assert "0x%04x" % drawn.variant[cell] in said["Variant"], said
    else:
        assert said["Wrong"] == "%d of %d" % (drawn.wrong[cell], drawn.bin[0] * drawn.bin[1]), said


def check_errors(browser, tools):
    """The table of accuracy, what is said beside verdicts, and errors of elements: as colours, and in words."""
    case = read_json(tools.path("errors.json"))["cases"][0]
    drawn = Map(case, case["pairs"][0]["buffers"][0])
    browser.open(tools.path("errors.html"))
    browser.until(canvas("pair-0-0") + "?.width > 0")
    rows = browser.run("[...document.querySelectorAll('.accuracy tbody tr')].map(row => [...row.children].map("
                       "cell => cell.textContent))")
    worst = case["accuracy"]["variants"][1]["buffers"][0]
    assert [row[0].split() for row in rows] == [["a"], ["b", "beyond", "the", "bound"]], rows
    assert rows[1][1] == f"{worst['largest']:,.0f}" and rows[0][1] == "0", rows
    assert "[%d]" % worst["index"][0] in rows[1][-1] and "accuracy.mlir:" in rows[1][-1], rows
    assert "The case allows 4 ulp." in browser.run("document.querySelector('.accuracy').textContent")
    summary = browser.run("document.querySelector('#pair-0-0 summary').textContent")
    assert "equal less accurate a | b, fpsan error 0 | " in summary, summary
    assert browser.run("document.querySelector('#pair-0-0 input[value=error-1]').checked")
    check_error(browser, drawn, worst["index"][0])  # what is less accurate begins with its worst element
    reference, variant = (errors_colored(browser, side) for side in (0, 1))
    assert reference[0] < variant[0], (reference, variant)
    browser.run(canvas("pair-0-0") + ".focus()")
    browser.key("ArrowRight")
    check_error(browser, drawn, worst["index"][0] + 1)
    browser.key("e")
    check_error(browser, drawn, worst["index"][0])
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.run("document.getElementById('search').value = 'less accurate'")
    browser.run("document.querySelector('form.filter').dispatchEvent(new Event('input'))")
    browser.until("document.getElementById('shown').textContent === '1 of 1 cases shown'")


def check_range(browser, tools):
    """What is nearest to overflow, and each line where the report has them."""
    browser.open(tools.path("range.html"))
    browser.until(canvas("pair-0-0") + "?.width > 0")
    rows = browser.run("[...document.querySelectorAll('.range tbody tr')].map(row => [...row.children].map("
                       "cell => cell.textContent))")
    assert [row[0].split() for row in rows[:2]] == [["a"], ["b", "near", "overflow"]], rows
    assert rows[1][1:3] == ["1.5e+38", "0.012 of its argument"] and "k.py:7" in rows[1][3], rows
    assert len(rows) == 3 and rows[2][1] == "exp f32" and rows[2][9:] == ["", ""], rows
    facts = browser.run("[...document.querySelectorAll('.facts dt')].map(one => one.textContent)")
    assert "range" not in facts and "accuracy" not in facts, facts


def write_range(tools):
    """The census of a report, as it would be of exp without its maximum."""
    report = read_json(tools.path("errors.json"))
    near = {"op": "exp", "file": "/src/k.py", "line": 7, "type": "f32", "largest": 1.5e38, "to_overflow": 1.2,
            "argument_to_overflow": 0.0124, "smallest": 1.0, "to_subnormal": 126.0, "not_finite": 0, "made": 0}
    report["cases"][0]["range"] = [
        {"variant": "a", "mode": "fpsan", "not_finite": 0, "nearest": dict(near, op="addf", argument_to_overflow=99)},
        {"variant": "b", "mode": "fpsan", "not_finite": 0, "nearest": near, "lines": [near]}]
    with open(tools.path("range.json"), "w", encoding="utf-8") as file:
        json.dump(report, file)
    tools.run("merge", "range.json", "--html", "range.html", expect=1)


def errors_colored(browser, side):
    browser.run("document.querySelector('#pair-0-0 input[value=error-%d]').click()" % side)
    return colors(browser, "pair-0-0")


def check_error(browser, drawn, element):
    said = readout(browser, "pair-0-0")
    assert said["Element"] == "Y[%d]" % element, (said, element)
    assert said["Error of reference"] == "exact", said
    shown = said["Error of variant"]
    error = drawn.kept_errors[1][element]
    assert float(shown.removesuffix(" ulp").replace(",", "")) == float("%.3g" % error) if error else shown == "exact", (said, error)


def check_list(browser, tools):
    """The filter, links, keys and hostile texts of a list of cases."""
    browser.open(tools.path("list.html"))
    assert browser.run("document.title") == "fpdiff report"
    assert browser.run("document.querySelector('.title').textContent").strip() == NASTY.strip()
    assert browser.run("document.querySelectorAll('script:not([type])').length") == 1
    shown = "[...document.querySelectorAll('li.case')].filter(row => row.offsetHeight).map(row => row.id).join(' ')"
    assert browser.run(shown) == "case-0 case-1 case-2"
    browser.run("document.getElementById('search').focus()")
    for letter in "second":
        browser.key(letter)
    browser.until(shown + " === 'case-1'")
    assert browser.run("document.getElementById('shown').textContent") == "1 of 3 cases shown"
    browser.run("document.getElementById('search').value = ''")
    browser.run("document.querySelector('input[name=result][value=failed]').click()")
    browser.until(shown + " === 'case-0 case-2'")
    browser.run("document.querySelector('input[name=result][value=failed]').click()")
    browser.until(shown + " === 'case-0 case-1 case-2'")
    # By keys alone: to the last row, open it, and on into its map.
    browser.run("document.querySelector('#case-1 summary').focus()")
    browser.key("Enter")
    browser.until(canvas("pair-1-0") + "?.width > 0")
    for _ in range(20):
        browser.key("Tab")
        if browser.run("document.activeElement.tagName") == "CANVAS":
            break
    assert browser.run("document.activeElement.getAttribute('aria-label')").startswith("Map of Y")
    browser.open(tools.path("list.html"), "#pair-1-1")
    browser.until("document.getElementById('pair-1-1')?.open && " + canvas("pair-1-1") + "?.width > 0")
    facts = browser.run("[...document.querySelectorAll('#case-1 .facts dt')].map(one => one.textContent)")
    assert "profile" in facts and "contents" not in facts, facts  # hashes of files are for merge
    assert browser.run("[...document.querySelectorAll('input, button, canvas')].every(one => one.getAttribute("
                       "'aria-label') || one.labels?.length)")


def main():
    if not chromium.find():
        print("SKIPPED: there is no Chromium; CHROMIUM=FILE names one")
        return 77
    with tempfile.TemporaryDirectory(prefix="congruent-html-") as folder:
        tools = Tools(sys.argv[1], sys.argv[2], folder)
        small = tools.gelu("small.yaml", 64, 256, "second", blocks=1)
        large = tools.gelu("large.yaml", 512, 512, "large", blocks=1)
        nasty = tools.gelu("nasty<b>.yaml", 64, 128, NASTY)
        for name, cases in (("small", [small]), ("large", [large]), ("list", [nasty, small, tools.path("<none>.yaml")])):
            tools.run("--html", name + ".html", "--json", name + ".json", "--source-root", tools.root, *cases)
        errors = tools.inaccurate("errors.yaml", "accuracy: {ulp: 4}")
        tools.run("--html", "errors.html", "--json", "errors.json", "--source-root", tools.root, errors, expect=1)
        write_range(tools)
        for width, dark in ((1280, False), (360, True)):
            with chromium.Chromium(width=width, dark=dark) as browser:
                check_list(browser, tools)
                check_errors(browser, tools)
                check_range(browser, tools)
                for name in ("small", "large"):
                    check_map(browser, tools, name)
                    wide = browser.run("document.documentElement.scrollWidth")
                    assert wide <= width, "the page is %d wide in a window of %d" % (wide, width)
                assert not browser.problems, browser.problems
            print("ok", width, "dark" if dark else "light", flush=True)
    return 0


sys.exit(main())
