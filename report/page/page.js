// SPDX-License-Identifier: Apache-2.0
// The list of cases: opening them, filtering, links into them.

const rows = [...document.querySelectorAll("li.case")];

function openRow(row) {
    const body = row.querySelector(".body");
    if (body.childElementCount) return;
    showCase(body, row.id.slice("case-".length));
}

function applyFilter() {
    const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const results = new Set([...document.querySelectorAll("input[name=result]:checked")].map(input => input.value));
    let shown = 0;
    for (const row of rows) {
        row.searched = row.searched || searchedText(row);
        row.hidden = !results.has(row.dataset.result) || !words.every(word => row.searched.includes(word));
        shown += !row.hidden;
    }
    document.getElementById("shown").textContent = `${shown} of ${rows.length} cases shown`;
}

// File, title and result, and the names that its comparisons have.
function searchedText(row) {
    const cas = caseData(row.id.slice("case-".length)), names = [];
    for (const one of [...(cas && cas.pairs || []), ...(cas && cas.builds || [])])
        names.push(one.reference, one.variant, one.mode, one.build, one.verdict,
                   isLessAccurate(one) && "less accurate");
    return (row.querySelector("summary").textContent + " " + names.filter(Boolean).join(" ")).toLowerCase();
}

// A link into a case opens what it is in.
function followLink() {
    const match = /^#(case|pair|build|source)-(\d+)(-\d+)?$/.exec(location.hash);
    const row = match && document.getElementById("case-" + match[2]);
    if (!row) return;
    row.hidden = false;
    row.querySelector("details").open = true;
    openRow(row);
    const target = document.getElementById(location.hash.slice(1)) || row;
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView({block: "start"});
    const summary = target.querySelector("summary, pre");
    if (summary) summary.focus({preventScroll: true});
}

for (const row of rows)
    row.querySelector("details").addEventListener("toggle", event => { if (event.target.open) openRow(row); });
const filter = document.querySelector("form.filter");
filter.hidden = false;
filter.addEventListener("submit", event => event.preventDefault());
let due = 0;
filter.addEventListener("input", () => {
    clearTimeout(due);
    due = setTimeout(applyFilter, 120);
});
applyFilter();
addEventListener("hashchange", followLink);
if (rows.length === 1 && !location.hash) rows[0].querySelector("details").open = true;
followLink();
