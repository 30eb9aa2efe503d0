// SPDX-License-Identifier: Apache-2.0
// What a case shows when it is opened: its matrix of modes, comparisons with maps, findings and sources.

// Places in sources: their names, and excerpts of the files.
class Sources {
    constructor(cas, index) {
        this.excerpts = cas.sources || [];
        this.index = index;
    }

    find(place) {
        return this.excerpts.findIndex(one => one.file === place.file && place.line >= one.first &&
                                              place.line < one.first + one.text.length);
    }

    // "attention.py:207" with the line, if it is there, and the launch.
    place(at) {
        const name = at.file ? String(at.file).split("/").pop() : null, found = this.find(at);
        const where = name && at.line ? `${name}:${at.line}` : name && at.offset !== undefined
            ? `${name}, offset 0x${at.offset.toString(16)}` : at.op || "?";
        const parts = [found < 0 ? make("span", {title: at.file}, where)
                                 : make("a", {href: `#source-${this.index}-${found}`, title: at.file}, where)];
        if (at.kernel) parts.push(` (${at.kernel}${at.launch ? `, launch ${at.launch}` : ""})`);
        if (found >= 0) {
            const one = this.excerpts[found];
            parts.push(make("code", {class: "line"}, one.text[at.line - one.first].trim()));
        }
        return make("span", {class: "place"}, parts);
    }

    // Lines that the case names are marked.
    render(cas) {
        if (!this.excerpts.length) return null;
        const named = new Set();
        const walk = value => {
            if (!value || typeof value !== "object") return;
            if (value.file && value.line) named.add(value.file + "\n" + value.line);
            for (const [key, item] of Object.entries(value)) if (key !== "planes") walk(item);
        };
        walk(cas);
        return make("section", {class: "sources"}, make("h3", {}, "Sources"), this.excerpts.map((one, i) =>
            make("figure", {id: `source-${this.index}-${i}`}, make("figcaption", {}, one.path),
                 make("pre", {tabindex: 0}, one.text.map((text, k) => {
                     const marked = named.has(one.file + "\n" + (one.first + k));
                     return make(marked ? "mark" : "span", {class: "code"},
                                 make("span", {class: "number"}, String(one.first + k).padStart(5)), " ", text + "\n");
                 })))));
    }
}

function badge(verdict) {
    return make("span", {class: "badge", "data-verdict": verdict}, verdict);
}

function placeOrOp(sources, at) {
    return at.file || at.op ? sources.place(at) : "not known";
}

// ---- accuracy

// What is equal as a formula and much less accurate; the terminal says so beside the verdict.
function isLessAccurate(pair) {
    return pair.verdict === "equal" && pair.mode !== "ieee" && Boolean(pair.accuracy && pair.accuracy.less_accurate);
}

function meanError(error) {
    return error.infinite ? "inf" : error.elements ? formatUlps(error.mean) : "?";
}

// The buffer in which the variant is least accurate: the one that the terminal shows beside the verdict.
function worstBuffer(pair) {
    const worse = (a, b) => a.infinite !== b.infinite ? a.infinite > b.infinite : (a.mean || 0) > (b.mean || 0);
    const buffers = pair.accuracy && pair.accuracy.buffers || [];
    return buffers.reduce((worst, one) => !worst || worse(one.variant, worst.variant) ? one : worst, null);
}

// "error 1.55 | 1.39 ulp"
function errorPair(pair) {
    if (!pair.accuracy) return null;
    if (pair.accuracy.not_known) return "error not known";
    const worst = worstBuffer(pair);
    return worst && `error ${meanError(worst.reference)} | ${meanError(worst.variant)} ulp`;
}

function nearerText(pair) {
    if (!pair.accuracy) return null;
    if (pair.accuracy.not_known) return `How accurate the variants are is not known: ${pair.accuracy.not_known}`;
    return (pair.accuracy.buffers || []).map(one => `${one.buffer}: the mean error is ${meanError(one.reference)} ulp in ` +
        `${pair.reference}, ${meanError(one.variant)} ulp in ${pair.variant}` + (one.nearer === "both" ? ", the same."
        : one.nearer ? `; ${one.nearer === "variant" ? pair.variant : pair.reference} is nearer to what would be without ` +
            "rounding." : ".")).join(" ");
}

function boundText(bound) {
    const parts = [];
    if (bound.ulp) parts.push(`${bound.ulp} ulp`);
    if (bound.times_reference) parts.push(`${bound.times_reference} times the reference's error`);
    const none = bound.met_by_none ? " No variant meets it" + (bound.best === undefined ? "."
        : `; the best has ${formatUlps(bound.best)} ulp.`) : "";
    return `The case allows ${parts.join(", ")}.${none}`;
}

function accuracyRow(variant, error, usual, sources) {
    const number = value => value === undefined ? "" : formatUlps(value);
    const index = error.infinite ? error.first_infinite : error.largest > 0 ? error.index : null;
    const where = index ? [`[${index.join(", ")}] `, error.stored ? sources.place(error.stored) : ""] : "";
    const name = make("span", {}, variant.variant, " ", variant.exceeds ? badge("beyond the bound")
        : variant.less_accurate ? badge("less accurate") : "",
        variant.measured_by ? ` by the numbers of ${variant.measured_by}` : "");
    const relative = typeof error.relative === "number" ? Number(error.relative.toPrecision(2)).toString() : error.relative || "";
    const cells = [number(error.largest), number(error.most), ...(usual ? [number(error.usual)] : []), number(error.mean), relative,
                   error.infinite ? formatCount(error.infinite) : "", error.not_known ? formatCount(error.not_known) : ""];
    return make("tr", {}, make("th", {scope: "row"}, name), cells.map(text => make("td", {class: "figure"}, text)),
                make("td", {}, where));
}

// A table for each compared buffer of floats, with a row for each variant.
function accuracySection(cas, sources) {
    const {accuracy} = cas;
    if (!accuracy) return null;
    const variants = accuracy.variants || [], names = [...new Set(variants.flatMap(one => (one.buffers || []).map(buffer => buffer.buffer)))];
    const usual = variants.some(one => (one.buffers || []).some(error => error.usual !== undefined));
    const heads = ["variant", "largest", "99.9 %", ...(usual ? ["75 %"] : []), "mean", "of its row", "NaN or infinite", "not known", "largest at"];
    const tables = names.map(name => make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Accuracy of ${name}`},
        make("table", {}, make("caption", {}, name),
             make("thead", {}, make("tr", {}, heads.map(text => make("th", {scope: "col"}, text)))),
             make("tbody", {}, variants.map(one => [one, (one.buffers || []).find(buffer => buffer.buffer === name)])
                 .filter(([, error]) => error).map(([one, error]) => accuracyRow(one, error, usual, sources))))));
    return make("section", {class: "accuracy"}, make("h3", {}, "Accuracy"),
        make("p", {class: "limits"}, "How far results are from those without rounding, in units in the last place (ulp) of " +
             "their type; of its row: relative to the largest magnitude of the reference's row."),
        accuracy.not_known ? make("p", {}, `Not known: ${accuracy.not_known}`) : variants.filter(one => one.not_known)
            .map(one => make("p", {}, `${one.variant} is not known: ${one.not_known}`)),
        accuracy.bound ? make("p", {}, boundText(accuracy.bound)) : null, tables);
}

// ---- range

// Doublings until an op overflows by its result. What it hands on of its operands does not count: then the report has
// what is its own.
function ownHeadroom(line) {
    const own = line.own === undefined ? line.to_overflow : line.own_to_overflow;
    return own === undefined ? Infinity : own;
}

// The same, by its result or by its argument.
function headroom(line) {
    return Math.min(ownHeadroom(line), line.argument_to_overflow === undefined ? Infinity : line.argument_to_overflow);
}

function rangeTable(label, heads, rows) {
    return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label},
        make("table", {}, make("thead", {}, make("tr", {}, heads.map(text => make("th", {scope: "col"}, text)))),
             make("tbody", {}, rows)));
}

function doublings(value) {
    return value === undefined ? "" : value < 1 ? String(Number(value.toPrecision(2))) : value.toFixed(1);
}

function rangeLine(line, sources) {
    const count = key => line[key] ? formatCount(line[key]) : "";
    const figures = [formatNumber(line.largest), doublings(line.to_overflow), line.smallest === undefined ? "" :
        formatNumber(line.smallest), doublings(line.to_subnormal), line.lost === undefined ? "" : line.lost,
                     count("cancelled"), count("subnormal"), count("not_finite"), count("made")];
    return make("tr", {}, make("td", {}, sources.place(line)), make("td", {}, `${line.op} ${line.type}`),
                figures.map(text => make("td", {class: "figure"}, String(text))));
}

function rangeRow(range, sources) {
    const near = range.nearest, made = range.first_made, room = near ? headroom(near) : Infinity;
    const where = near ? make("span", {}, `${near.op} ${near.type} `, sources.place(near)) : "";
    const name = make("span", {}, range.variant, " ", room < 1 && !near.made ? badge("near overflow") : "",
                      made ? badge("infinite") : "");
    return make("tr", {}, make("th", {scope: "row"}, name),
        make("td", {class: "figure"}, near ? formatNumber(near.own === undefined ? near.largest : near.own) : ""),
        make("td", {class: "figure"}, Number.isFinite(room) ? doublings(room) +
             (room < ownHeadroom(near) ? " of its argument" : "") : ""),
        make("td", {}, where), make("td", {}, made ? [`${formatCount(made.made)} by ${made.op} `, sources.place(made)] : ""),
        make("td", {class: "figure"}, range.not_finite ? formatCount(range.not_finite) : ""));
}

// How near the edges of their types the numbers of each variant come; each line, where that was asked for.
function rangeSection(cas, sources) {
    const ranges = Array.isArray(cas.range) ? cas.range : [];
    if (!ranges.length) return null;
    const heads = ["variant", "largest", "doublings to overflow", "of", "first infinities or NaN", "results among them"];
    const lines = ["line", "op", "largest", "to overflow", "smallest", "to subnormal", "bits lost", "to zero", "subnormal",
                   "not finite", "made here"];
    return make("section", {class: "range"}, make("h3", {}, "Range"),
        make("p", {class: "limits"}, "The op of each variant that is nearest to overflow, and the first that makes infinities " +
             "or NaN of finite numbers."),
        rangeTable("Range", heads, ranges.map(range => rangeRow(range, sources))),
        ranges.filter(range => range.lines && range.lines.length).map(range => make("details", {},
            make("summary", {}, `Each line of ${range.variant}`),
            rangeTable(`Range of ${range.variant}`, lines, range.lines.map(line => rangeLine(line, sources))))));
}

// ---- matrices

// Rows of variants, columns of modes and builds.
function matrix(title, rows, columns, find) {
    if (!rows.length || rows.length * columns.length < 2) return null;
    const head = make("tr", {}, make("th", {scope: "col"}, "variant"),
                      columns.map(name => make("th", {scope: "col"}, name)));
    const body = rows.map(row => make("tr", {}, make("th", {scope: "row"}, row),
                                      columns.map(column => make("td", {}, find(row, column) || ""))));
    return make("section", {class: "matrix"}, make("h3", {}, title),
                make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": title},
                     make("table", {}, make("thead", {}, head), make("tbody", {}, body))));
}

function pairColumn(pair) {
    return pair.build ? `${pair.mode}, ${pair.build}` : pair.mode;
}

function pairMatrix(cas, index) {
    const pairs = cas.pairs || [], unique = list => [...new Set(list)];
    const anchor = pair => `#pair-${index}-${pairs.indexOf(pair)}`;
    return matrix(pairs.length ? `Compared with ${pairs[0].reference}` : "", unique(pairs.map(pair => pair.variant)),
                  unique(pairs.map(pairColumn)), (variant, column) => {
        const pair = pairs.find(one => one.variant === variant && pairColumn(one) === column);
        return pair && make("a", {href: anchor(pair)}, badge(pair.verdict),
                            isLessAccurate(pair) ? [" ", badge("less accurate")] : null,
                            pair.accuracy ? make("span", {class: "small"}, ` ${errorPair(pair) || ""}`) : null);
    });
}

// What each build changes, and which licence of it does.
function buildMatrix(cas, index) {
    const builds = cas.builds || [], unique = list => [...new Set(list)];
    const column = one => `${one.build}, ${one.mode}`;
    const first = builds.length ? builds[0].reference_build : "";
    return matrix(`Modes: each build compared with ${first}`, unique(builds.map(one => one.variant)),
                  unique(builds.map(column)), (variant, name) => {
        const one = builds.find(build => build.variant === variant && column(build) === name);
        if (!one) return null;
        const changed = one.changed ? `${formatCount(one.changed)} changed, at most ${formatCount(one.ulps)} ulp` : "";
        return make("a", {href: `#build-${index}-${builds.indexOf(one)}`}, badge(one.verdict),
                    one.fails ? make("strong", {}, " fails ") : " ", make("span", {class: "small"}, changed));
    });
}

// ---- comparisons

function regionText(buffer) {
    if (!buffer.box) return null;
    const sides = buffer.box.low.map((low, d) => low === buffer.box.high[d] ? low : `${low}:${buffer.box.high[d] + 1}`);
    return `within ${buffer.buffer}[${sides.join(", ")}]` + (buffer.pattern ? `: ${buffer.pattern}` : "");
}

function distanceWords(distance) {
    if (!distance) return null;
    if (!distance.different) return "equal as numbers";
    const parts = [`${formatCount(distance.different)} differ as numbers, at most ${formatNumber(distance.absolute)} apart ` +
                   `(relative ${formatNumber(distance.relative)}, ${formatCount(distance.ulps)} ulp)`];
    if (distance.incomparable) parts.push(`${formatCount(distance.incomparable)} NaN or infinite on one side`);
    if (distance.beyond_tolerance) parts.push(`${formatCount(distance.beyond_tolerance)} beyond the tolerance`);
    return parts.join(", ");
}

function elementCell(element) {
    return element.value !== undefined ? String(element.value) : element.payload || element.bits;
}

// The first different elements, which are there without a map, too.
function firstTable(buffer, sources) {
    if (!buffer.first || !buffer.first.length) return null;
    const heads = ["index", "reference", "variant", "fields that agree", "stored by reference", "stored by variant"];
    const stored = element => element.stored ? sources.place(element.stored) : "";
    return make("details", {class: "first"}, make("summary", {}, "First different elements"), make("div", {class: "scroll"},
        make("table", {}, make("thead", {}, make("tr", {}, heads.map(text => make("th", {scope: "col"}, text)))),
             make("tbody", {}, buffer.first.map(one => make("tr", {}, [
                 `[${one.index.join(", ")}]`, elementCell(one.reference), elementCell(one.variant),
                 one.fields === undefined ? "" : `${one.agree} of ${one.fields}`, stored(one.reference), stored(one.variant),
             ].map(cell => make("td", {}, cell))))))));
}

function verdictWords(verdicts) {
    return verdicts ? Object.entries(verdicts).map(([name, one]) => `${formatCount(one.count)} ${name}`).join(", ") : null;
}

async function showMap(holder, buffer, cas, sources, inaccurate) {
    try {
        const view = new MapView(await BufferMap.load(buffer.map, cas.planes), buffer.buffer, sources,
                                 inaccurate);
        holder.replaceChildren(view.element);
        view.fit();
    } catch (error) {
        holder.replaceChildren(make("p", {class: "limits"}, `The map cannot be shown: ${error.message}`));
        console.error(error);
    }
}

function bufferSection(buffer, cas, sources, inaccurate) {
    const share = buffer.different ? ` (${formatShare(buffer.different, buffer.elements)})` : "";
    const facts = [regionText(buffer), verdictWords(buffer.verdicts), distanceWords(buffer.distance)].filter(Boolean);
    const section = make("section", {class: "buffer"},
        make("h4", {}, `${buffer.buffer}: ${formatCount(buffer.different)} of ${counted(buffer.elements, "element")} different${share}`),
        make("ul", {class: "figures"}, facts.map(text => make("li", {}, text))));
    const {map} = buffer;
    if (map && map.cells) {
        const holder = make("div", {class: "holder"}, make("p", {class: "limits"}, "Drawing the map"));
        section.append(holder);
        section.drawMap = () => showMap(holder, buffer, cas, sources, inaccurate);
    } else if (map)
        section.append(make("p", {class: "limits"}, map.equal
            ? `No map: all elements (${map.type}, ${map.shape.join(" x ")}) are equal.`
            : "No map: it did not fit the page. A report of this case alone has it."));
    section.append(firstTable(buffer, sources) || "");
    return section;
}

function noteList(comparison) {
    const notes = (comparison.notes || []).map(note => make("li", {}, make("strong", {}, note.kind + ": "),
                                                            make("span", {class: "lines"}, note.message.trim())));
    return notes.length ? make("ul", {class: "notes"}, notes) : null;
}

function unspecifiedList(comparison, sources) {
    const items = (comparison.unspecified || []).map(one => make("li", {}, `${one.variant}: `,
        one.error ? `a second run failed: ${one.error}` : one.buffer
            ? `${counted(one.elements, "element")} of ${one.buffer} change with it, the first [${one.first.join(", ")}]`
            : make("span", {}, one.what || one.reads || "", " ", placeOrOp(sources, one))));
    return items.length ? make("div", {}, make("p", {}, "Unspecified values decide:"), make("ul", {}, items)) : null;
}

function turnedList(comparison, sources) {
    const items = (comparison.turned || []).map(
        one => make("li", {}, sources.place(one), ` fell otherwise ${counted(one.times, "time")}`));
    return items.length ? make("ul", {}, items) : null;
}

function aloneTable(comparison) {
    if (!comparison.alone) return null;
    return make("table", {}, make("caption", {}, "Each licence of the build alone"),
        make("tbody", {}, comparison.alone.map(one => make("tr", {}, make("th", {scope: "row"}, one.licence),
            make("td", {}, badge(one.verdict)), make("td", {}, one.fails ? "fails" : ""),
            make("td", {}, one.changed ? `${formatCount(one.changed)} changed, at most ${formatCount(one.ulps)} ulp` : "")))));
}

// The bound on the chance that a difference was missed.
function missedText(missed) {
    if (!missed) return null;
    if (missed.log2 === null) return `No bound on the chance of a missed difference: ${missed.reason}`;
    const facts = ["degree", "fields", "elements", "uncovered", "runs"].filter(key => missed[key] !== undefined)
        .map(key => `${key} ${formatCount(missed[key])}`);
    return `Chance of a missed difference below 2^${Math.ceil(missed.log2)}: ${facts.join(", ")}`;
}

function comparisonDetails(id, title, comparison, cas, sources, open) {
    const sections = (comparison.buffers || []).map(
        buffer => bufferSection(buffer, cas, sources, isLessAccurate(comparison)));
    const lost = (comparison.lost || []).length ? `${comparison.lost.join(" and ")} lost its information: ` +
        "of none of its results a field is known." : null;
    const losses = (comparison.losses || []).map(one => make("li", {}, `${one.variant}: ${one.meaning} `, sources.place(one)));
    const details = make("details", {class: "comparison", id, "data-verdict": comparison.verdict},
        make("summary", {}, badge(comparison.verdict), isLessAccurate(comparison) ? [" ", badge("less accurate")] : null, " ",
             make("bdi", {}, title), comparison.accuracy ? make("span", {class: "small"}, ` ${errorPair(comparison) || ""}`) : null),
        comparison.all_unspecified ? make("p", {}, "Every compared element is unspecified.") : null,
        lost ? make("p", {}, lost) : null,
        comparison.missed ? make("p", {class: "limits"}, missedText(comparison.missed)) : null,
        comparison.accuracy ? make("p", {}, nearerText(comparison)) : null,
        comparison.reroll ? make("p", {}, `Repeated in ${counted(comparison.reroll.chains, "more chain")}: ` +
            `${formatCount(comparison.reroll.different)} elements diverge in all.`) : null,
        unspecifiedList(comparison, sources), turnedList(comparison, sources), aloneTable(comparison), sections,
        losses.length ? make("ul", {}, losses) : null, noteList(comparison));
    let drawn = false;
    details.addEventListener("toggle", () => {
        if (!details.open || drawn) return;
        drawn = true;
        for (const section of sections) if (section.drawMap) section.drawMap();
    });
    if (open) details.open = true;
    return details;
}

function comparisons(cas, index, sources) {
    const pairs = cas.pairs || [], builds = cas.builds || [];
    const bad = one => !["equal", "measured", "identical", "numeric"].includes(one.verdict) || one.fails || isLessAccurate(one);
    const anyBad = pairs.some(bad) || builds.some(bad);
    const list = [];
    pairs.forEach((pair, i) => list.push(comparisonDetails(`pair-${index}-${i}`,
        `${pair.reference} | ${pair.variant}, ${pairColumn(pair)}`, pair, cas, sources,
        anyBad ? bad(pair) && list.filter(one => one.open).length < 3 : i === 0)));
    builds.forEach((one, i) => list.push(comparisonDetails(`build-${index}-${i}`,
        `${one.variant}, ${one.mode}: ${one.build} compared with ${one.reference_build}`, one, cas, sources,
        bad(one) && list.filter(other => other.open).length < 3)));
    return list.length ? make("section", {class: "comparisons"}, make("h3", {}, "Comparisons"), list) : null;
}

// ---- findings

function findingList(title, items) {
    return items && items.length ? make("section", {}, make("h3", {}, title), make("ul", {}, items.map(
        item => make("li", {}, item)))) : null;
}

function raceText(race, sources) {
    const access = one => make("span", {}, `${one.stores ? "a store" : "a load"} in block [${one.block.join(", ")}] `,
                               placeOrOp(sources, one));
    const where = race.index ? `[${race.index.join(", ")}]` : `byte ${race.byte}`;
    return make("span", {}, `${race.harmless ? "harmless: " : ""}${race.variant}, ${race.mode}, launch ${race.launch}, ` +
        `${race.kernel}: ${counted(race.elements, "element")} of ${race.buffer}, the first ${where}: `,
        access(race.accesses[0]), " and ", access(race.accesses[1]));
}

function findingText(finding, sources) {
    return make("span", {}, `${finding.variant}, ${finding.mode}, launch ${finding.launch}, block [${finding.block.join(", ")}]: ` +
        `${finding.message} `, placeOrOp(sources, finding), ...(finding.other ? [" and ", placeOrOp(sources, finding.other)] : []));
}

function errorText(error, sources) {
    return make("span", {}, error.file ? sources.place(error) : "", ` ${error.message} [${error.name}]`);
}

function findings(cas, sources) {
    return [
        findingList("Errors", (cas.errors || []).map(error => errorText(error, sources))),
        cas.reason ? make("p", {}, `Not checked: ${cas.reason}.`) : null,
        findingList("This case could not have failed", (cas.vacuous || []).map(one => one.message)),
        findingList("Races between blocks", (cas.races || []).map(race => raceText(race, sources))),
        findingList("Parts of a block work together wrongly", (cas.findings || []).map(one => findingText(one, sources))),
        findingList("Another schedule changes", (cas.schedules || []).map(
            one => `${one.variant}, ${one.mode}: ${counted(one.elements, "element")}, the first ${one.buffer}[${one.index.join(", ")}]`)),
        findingList("Warnings", (cas.warnings || []).map(
            one => make("span", {}, `${one.variant}: ${one.message} `, placeOrOp(sources, one)))),
        findingList("fma ops that a build splits", (cas.split || []).map(
            one => `${one.variant}, ${one.build}: ${one.kernels}`)),
    ];
}

// What this page knows no better words for is shown as it is.
function caseFacts(cas) {
    const shown = new Set(["file", "status", "result", "title", "seed", "parameters", "diverges", "pairs", "builds",
                           "planes", "sources", "errors", "vacuous", "races", "findings", "schedules", "warnings", "split", "reason",
                           "task", "times", "math", "contents", "accuracy", "range"]);
    const text = value => Array.isArray(value) ? value.join(", ") : value !== null && typeof value === "object"
        ? Object.entries(value).map(([key, item]) => `${key} ${typeof item === "object" ? JSON.stringify(item) : item}`).join(", ")
        : String(value);
    const rows = Object.entries(cas).filter(([key, value]) => !shown.has(key) && value !== null).map(
        ([key, value]) => [key.replaceAll("_", " "), text(value)]);
    if (cas.math) rows.push(["builds", cas.math.map(one => `${one.name}: ${one.settings}`).join("; ")]);
    return make("dl", {class: "facts"}, rows.map(([name, value]) =>
        make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function showCase(body, index) {
    const cas = caseData(index);
    if (!cas) {
        body.replaceChildren(make("p", {class: "limits"}, "The page has no room for more of this case; the JSON report has it."));
        return;
    }
    const sources = new Sources(cas, index);
    body.replaceChildren(...[caseFacts(cas), ...findings(cas, sources), pairMatrix(cas, index), buildMatrix(cas, index),
                             accuracySection(cas, sources), rangeSection(cas, sources), comparisons(cas, index, sources), sources.render(cas)].filter(Boolean));
}
