// SPDX-License-Identifier: Apache-2.0
// A map on the page: a canvas to zoom and walk in, colours and what they mean, and what is known of the cell under the
// pointer.

// Colours of classes that are not wrong, then of wrong ones, by text; others get those of "different".
const CLASS_COLORS = {
    "equal": "#c9d8c5", "within the tolerance": "#9ecae1", "both NaN": "#b8b8c8", "numeric": "#9ecae1", "tie": "#e6d36a",
    "decision": "#e6d36a", "roots": "#b79ad6",
    "unknown": "#8c6bb1", "apart": "#7a0177", "rounded": "#e08214", "one NaN": "#c51b8a", "NaN in one": "#c51b8a", "differ": "#d7301f",
    "different": "#d7301f", "beyond the tolerance": "#d7301f", "rewrite": "#d7301f", "unspecified": "#252525",
};
// Distances from 1 ulp to the largest, dark to light; equal and incomparable ones.
const RAMP = ["#2d1160", "#51127c", "#822681", "#b63679", "#e65164", "#fb8861", "#fec287", "#fcfdbf"];
const NO_DISTANCE = "#c9d8c5", INCOMPARABLE_COLOR = "#00b8d4";

function classColor(entry) {
    return CLASS_COLORS[entry.class] || CLASS_COLORS.different;
}

function mix(colors, at) {
    const part = Math.min(Math.max(at, 0), 1) * (colors.length - 1), low = Math.min(Math.floor(part), colors.length - 2);
    const channel = (color, k) => parseInt(color.slice(1 + 2 * k, 3 + 2 * k), 16);
    return "#" + [0, 1, 2].map(k => Math.round(channel(colors[low], k) * (low + 1 - part) +
                                                channel(colors[low + 1], k) * (part - low))
                                        .toString(16).padStart(2, "0")).join("");
}

// Level 1 is 1 ulp, each further one twice as much. The ramp has at least eight levels, so that 1 ulp never looks large.
function levelColor(level, largest) {
    if (level === 0) return NO_DISTANCE;
    return level === INCOMPARABLE ? INCOMPARABLE_COLOR : mix(RAMP, (level - 1) / Math.max(largest - 1, 7));
}

function levelText(level) {
    if (level === 0) return "equal as numbers";
    if (level === INCOMPARABLE) return "NaN or infinite on one side only";
    const low = 2n ** BigInt(level - 1);
    return level === 1 ? "1 ulp" : `${formatCount(low)} to ${formatCount(2n * low - 1n)} ulp`;
}

// Errors of rounding, by the level of a cell.
function errorColor(level, largest) {
    if (level === ERROR_UNKNOWN) return CLASS_COLORS.unknown;
    return level === ERROR_INFINITE ? INCOMPARABLE_COLOR : levelColor(level, largest);
}

function errorLevelText(level) {
    if (level === 0) return "exact";
    if (level === ERROR_UNKNOWN) return "not known";
    if (level === ERROR_INFINITE) return "NaN or infinite";
    const most = formatUlps(2 ** (level - 2));
    return level === 1 ? "at most 0.5 ulp" : `${formatUlps(2 ** (level - 3))} to ${most} ulp`;
}

// Three digits: what is kept of an error has no more.
function roundingText(error) {
    if (Number.isNaN(error)) return "not known";
    if (error === Infinity) return "NaN or infinite";
    return error === 0 ? "exact" : `${formatUlps(Number(error.toPrecision(3)))} ulp`;
}

// Ways to colour cells by errors: whose.
const ERROR_SIDES = {"error-0": 0, "error-1": 1};

class MapView {
    // `inaccurate`: the variant is equal and less accurate, so that its errors are shown first.
    constructor(map, name, sources, inaccurate) {
        this.map = map;
        this.name = name;
        this.sources = sources;
        this.layout = new Layout(map);
        this.largest = map.largestLevel();
        this.largestError = map.largestError();
        this.by = map.errors && inaccurate && !map.map.wrong ? "error-1" : map.map.wrong || !map.ulps ? "class" : "ulps";
        this.zoom = 1;
        this.x = this.y = 0; // upper left corner, in cells
        this.cursor = Math.max(0, map.map.wrong ? map.nextWrong(-1, 1)
                                  : this.by === "error-1" ? map.leastAccurate(1) : map.farthest());
        this.build();
        this.paintCells();
        this.show(this.cursor);
        new ResizeObserver(() => this.fit()).observe(this.frame);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    build() {
        const what = `Map of ${this.name}, ${this.map.shape.join(" x ")}. Arrow keys move by a cell, with Shift by a ` +
            "tile; N and P go to the next and previous wrong cell, F to the farthest" +
            (this.map.errors ? ", E to the one where the variant is least accurate" : "") + "; plus, minus and 0 zoom.";
        this.canvas = make("canvas", {tabindex: 0, role: "application", "aria-label": what, "aria-roledescription": "map"});
        this.frame = make("div", {class: "frame"}, this.canvas);
        this.facts = make("div", {class: "readout"});
        this.spoken = make("p", {class: "spoken", "aria-live": "polite"});
        this.legend = make("ul", {class: "legend", "aria-label": "Colours"});
        this.borders = make("input", {type: "checkbox", checked: true});
        this.borders.addEventListener("change", () => this.draw());
        this.element = make("div", {class: "map"}, this.controls(), make("div", {class: "sheet"}, this.frame, this.facts),
                            this.legend, this.limits(), this.spoken);
        this.listen();
    }

    controls() {
        const group = make("div", {class: "controls"}), button = (text, label, action) => {
            const made = make("button", {type: "button", "aria-label": label, title: label}, text);
            made.addEventListener("click", action);
            return made;
        };
        const choice = (value, text) => {
            const input = make("input", {type: "radio", name: "by-" + MapView.number, value, checked: this.by === value});
            input.addEventListener("change", () => this.colorBy(value));
            return make("label", {}, input, " " + text);
        };
        MapView.number = (MapView.number || 0) + 1;
        if (this.map.ulps || this.map.errors)
            group.append(make("fieldset", {}, make("legend", {}, "Colour"), choice("class", "verdict"),
                              this.map.ulps ? choice("ulps", "distance in ulp") : null,
                              this.map.errors ? choice("error-0", "error of reference") : null,
                              this.map.errors ? choice("error-1", "error of variant") : null));
        if (this.map.map.tile) group.append(make("label", {}, this.borders, " tile borders"));
        group.append(make("span", {class: "buttons"}, button("+", "Zoom in", () => this.zoomBy(2)),
                          button("\u2212", "Zoom out", () => this.zoomBy(0.5)),
                          button("Fit", "Show all", () => this.fit(true)),
                          this.map.map.wrong ? button("Next wrong", "Go to the next wrong cell (N)", () => this.goWrong(1))
                                             : null,
                          this.map.ulps ? button("Farthest", "Go to the cell that is farthest apart (F)",
                                                 () => this.moveTo(this.map.farthest(), true)) : null,
                          this.map.errors ? button("Largest error", "Go to the cell where the variant is least accurate (E)",
                                                   () => this.moveTo(this.map.leastAccurate(1), true)) : null));
        return group;
    }

    // What the map does not have, in words.
    limits() {
        const {map} = this, said = [];
        if (!map.single)
            said.push(`${formatCount(map.elements)} elements are drawn as ${formatCount(map.cells)} cells of ` +
                      `${map.bin.join(" x ")}: each shows its worst verdict and its largest ` +
                      `distance${map.errors ? " and error" : ""}.`);
        if (!map.kept.all)
            said.push(`Values are kept for ${counted(map.kept.count, "element")}: ` + (map.map.wrong
                ? `the first wrong ones of ${formatCount(map.map.wrong)}` + (map.ulps ? ", and the farthest." : ".")
                : "the farthest" + (map.errors ? " and the least accurate." : ".")));
        if (!map.kept.all && map.elements <= 65536)
            said.push("A report of this case alone keeps more.");
        return said.length ? make("p", {class: "limits"}, said.join(" ")) : null;
    }

    // ---- colours

    colorBy(value) {
        this.by = value;
        this.paintCells();
        this.draw();
    }

    // Levels of what cells are coloured by, but for verdicts.
    get levels() {
        return this.by in ERROR_SIDES ? this.map.errors[ERROR_SIDES[this.by]] : this.map.ulps;
    }

    colorOf(cell) {
        if (this.by in ERROR_SIDES) return errorColor(this.levels[cell], this.largestError);
        return this.by === "class" ? classColor(this.map.map.classes[this.map.class[cell]])
                                   : levelColor(this.map.ulps[cell], this.largest);
    }

    paintCells() {
        const {layout, map} = this;
        this.bitmap = make("canvas", {width: layout.width, height: layout.height});
        const context = this.bitmap.getContext("2d"), image = context.createImageData(layout.width, layout.height);
        const known = new Map();
        for (let cell = 0; cell < map.cells; cell++) {
            const color = this.colorOf(cell), {x, y} = layout.place(cell), at = 4 * (y * layout.width + x);
            if (!known.has(color)) known.set(color, [1, 3, 5].map(k => parseInt(color.slice(k, k + 2), 16)));
            image.data.set(known.get(color), at);
            image.data[at + 3] = 255;
        }
        context.putImageData(image, 0, 0);
        this.explainColors();
    }

    explainColors() {
        const entry = (color, text) =>
            make("li", {}, make("span", {class: "swatch", style: "background:" + color, "aria-hidden": "true"}), text);
        if (this.by === "class") {
            this.legend.replaceChildren(...this.map.map.classes.filter(one => one.count).map(
                one => entry(classColor(one), `${one.class}: ${formatCount(one.count)}`)));
            return;
        }
        const errors = this.by in ERROR_SIDES, seen = new Set(this.levels), levels = new Set([1]);
        const largest = errors ? this.largestError : this.largest;
        const color = errors ? errorColor : levelColor, text = errors ? errorLevelText : levelText;
        const special = errors ? [ERROR_INFINITE, ERROR_UNKNOWN] : [INCOMPARABLE];
        for (let level = 1; level <= largest; level += Math.max(1, Math.ceil(largest / 6))) levels.add(level);
        if (largest) levels.add(largest);
        const shown = [...(seen.has(0) ? [0] : []), ...[...levels].filter(level => level <= largest).sort((a, b) => a - b),
                       ...special.filter(level => seen.has(level))];
        this.legend.replaceChildren(...shown.map(level => entry(color(level, largest), text(level))));
    }

    // ---- drawing

    // Sizes the canvas to its frame. A map that is far from square is stretched, so that its cells can be seen.
    fit(all) {
        const {layout} = this, width = Math.floor(this.frame.clientWidth), ratio = layout.height / layout.width;
        if (!width || (width === this.width && !all)) return;
        this.width = width;
        const most = Math.max(160, Math.min(480, innerHeight * 0.6));
        this.height = Math.round(Math.min(Math.max(width * ratio, Math.min(160, layout.height * 24)), most));
        if (ratio > 0.25 && ratio < 4) {
            const side = Math.min(width / layout.width, this.height / layout.height, 32);
            this.fitX = this.fitY = side;
        } else {
            this.fitX = Math.min(width / layout.width, 32);
            this.fitY = Math.min(this.height / layout.height, 32);
        }
        this.height = Math.min(this.height, Math.max(24, Math.ceil(this.fitY * layout.height)));
        if (all) this.zoom = 1;
        const dots = devicePixelRatio || 1;
        this.canvas.width = Math.round(width * dots);
        this.canvas.height = Math.round(this.height * dots);
        this.canvas.style.height = this.height + "px";
        this.clamp();
        this.draw();
    }

    get scaleX() { return this.fitX * this.zoom; }
    get scaleY() { return this.fitY * this.zoom; }

    clamp() {
        const limit = (at, size, shown) => Math.max(0, Math.min(at, size - shown));
        this.x = limit(this.x, this.layout.width, this.width / this.scaleX);
        this.y = limit(this.y, this.layout.height, this.height / this.scaleY);
    }

    draw() {
        if (!this.width) return;
        const context = this.canvas.getContext("2d"), dots = devicePixelRatio || 1, {scaleX, scaleY} = this;
        context.setTransform(dots, 0, 0, dots, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        context.imageSmoothingEnabled = false;
        context.drawImage(this.bitmap, -this.x * scaleX, -this.y * scaleY, this.layout.width * scaleX,
                          this.layout.height * scaleY);
        this.drawWrong(context);
        if (this.borders.checked) this.drawTiles(context);
        this.drawCursor(context);
    }

    // Cells smaller than a pixel: those that are wrong, or apart, are never lost; the farthest are on top.
    drawWrong(context) {
        if (this.scaleX >= 1 && this.scaleY >= 1) return;
        const seen = this.by === "class" ? this.map.wrong : this.levels;
        const cells = Array.from(seen.keys()).filter(cell => seen[cell]);
        if (this.by !== "class") cells.sort((a, b) => seen[a] - seen[b]);
        for (const cell of cells) {
            const {x, y} = this.layout.place(cell);
            context.fillStyle = this.colorOf(cell);
            context.fillRect((x - this.x) * this.scaleX, (y - this.y) * this.scaleY, Math.max(1, this.scaleX),
                             Math.max(1, this.scaleY));
        }
    }

    drawTiles(context) {
        const spacing = {x: 5 / this.scaleX, y: 5 / this.scaleY};
        context.fillStyle = "rgba(0, 0, 0, 0.75)";
        for (const [x, y, width, height] of this.layout.tileLines(spacing))
            context.fillRect(Math.round((x - this.x) * this.scaleX) - (width ? 0 : 0.5),
                             Math.round((y - this.y) * this.scaleY) - (height ? 0 : 0.5), width * this.scaleX || 1,
                             height * this.scaleY || 1);
    }

    drawCursor(context) {
        const {x, y} = this.layout.place(this.cursor), width = Math.max(this.scaleX, 5), height = Math.max(this.scaleY, 5);
        const left = (x - this.x + 0.5) * this.scaleX - width / 2, top = (y - this.y + 0.5) * this.scaleY - height / 2;
        context.lineWidth = 3;
        context.strokeStyle = "#fff";
        context.strokeRect(left, top, width, height);
        context.lineWidth = 1.5;
        context.strokeStyle = "#000";
        context.strokeRect(left, top, width, height);
    }

    // ---- moving

    listen() {
        const {canvas} = this, place = event => [event.offsetX / this.scaleX + this.x, event.offsetY / this.scaleY + this.y];
        let held = null;
        canvas.addEventListener("pointermove", event => {
            if (held && (event.buttons & 1)) this.drag(held, event);
            const cell = this.layout.cellAt(...place(event));
            if (cell >= 0) this.show(cell);
        });
        canvas.addEventListener("pointerdown", event => {
            held = {x: this.x, y: this.y, left: event.offsetX, top: event.offsetY, moved: false};
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener("pointerup", event => {
            const cell = this.layout.cellAt(...place(event));
            if (cell >= 0 && held && !held.moved) this.moveTo(cell, false);
            held = null;
        });
        canvas.addEventListener("pointerleave", () => this.show(this.cursor));
        canvas.addEventListener("dblclick", event => this.zoomBy(2, place(event)));
        canvas.addEventListener("wheel", event => {
            if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
            event.preventDefault();
            this.zoomBy(event.deltaY < 0 ? 1.25 : 0.8, place(event));
        }, {passive: false});
        canvas.addEventListener("keydown", event => this.key(event));
    }

    drag(held, event) {
        if (Math.abs(event.offsetX - held.left) + Math.abs(event.offsetY - held.top) > 4) held.moved = true;
        this.x = held.x - (event.offsetX - held.left) / this.scaleX;
        this.y = held.y - (event.offsetY - held.top) / this.scaleY;
        this.clamp();
        this.draw();
    }

    // Around a place in cells, by default the cursor.
    zoomBy(factor, at) {
        const {x, y} = this.layout.place(this.cursor), [atX, atY] = at || [x + 0.5, y + 0.5];
        const before = this.zoom, most = Math.max(1, 64 / Math.min(this.fitX, this.fitY));
        this.zoom = Math.min(Math.max(this.zoom * factor, 1), most);
        const ratio = before / this.zoom;
        if (at) {
            this.x = atX - (atX - this.x) * ratio;
            this.y = atY - (atY - this.y) * ratio;
        } else {
            this.x = atX - this.width / this.scaleX / 2;
            this.y = atY - this.height / this.scaleY / 2;
        }
        this.clamp();
        this.draw();
    }

    key(event) {
        const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
        const actions = {"+": () => this.zoomBy(2), "=": () => this.zoomBy(2), "-": () => this.zoomBy(0.5),
                         "0": () => this.fit(true), "n": () => this.goWrong(1), "p": () => this.goWrong(-1),
                         "f": () => this.map.ulps && this.moveTo(this.map.farthest(), true),
                         "e": () => this.map.errors && this.moveTo(this.map.leastAccurate(1), true)};
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (steps[event.key])
            this.step(...steps[event.key], event.shiftKey);
        else if (actions[event.key.toLowerCase()])
            actions[event.key.toLowerCase()]();
        else
            return;
        event.preventDefault();
    }

    // By a cell, or by a tile; over gaps between planes.
    step(x, y, far) {
        const {tile} = this.map.map, {bin, rank} = this.map, d = x ? rank - 1 : rank - 2;
        const size = far ? Math.max(1, tile && d >= 0 ? Math.round(tile[d] / bin[d]) : 8) : 1;
        let {x: atX, y: atY} = this.layout.place(this.cursor), cell = -1;
        atX += x * size, atY += y * size;
        for (let tries = 0; cell < 0 && tries <= this.layout.gap + size; tries++, atX += x, atY += y)
            cell = this.layout.cellAt(atX, atY);
        if (cell >= 0) this.moveTo(cell, true);
    }

    goWrong(step) {
        const cell = this.map.nextWrong(this.cursor, step);
        if (cell >= 0) this.moveTo(cell, true);
    }

    moveTo(cell, speak) {
        const {x, y} = this.layout.place(cell), wide = this.width / this.scaleX, high = this.height / this.scaleY;
        this.cursor = cell;
        if (x < this.x || x + 1 > this.x + wide) this.x = x - wide / 2;
        if (y < this.y || y + 1 > this.y + high) this.y = y - high / 2;
        this.clamp();
        this.show(cell);
        this.draw();
        if (speak) this.spoken.textContent = this.said;
    }

    // ---- what is known of a cell

    boxText(cell) {
        const {low, high} = this.map.boxOf(cell);
        return this.name + "[" + low.map((from, d) => high[d] === from ? from : `${from}:${high[d] + 1}`).join(", ") + "]";
    }

    show(cell) {
        if (cell === this.shown) return;
        this.shown = cell;
        const {map} = this, box = map.boxOf(cell), rows = [["Element", this.boxText(cell)]];
        if (!map.single) {
            rows[0] = ["Cell", `${this.boxText(cell)}, ${counted(box.elements, "element")}`];
            rows.push(["Wrong", `${formatCount(map.wrong[cell])} of ${formatCount(box.elements)}`]);
        }
        const kept = map.keptOf(cell), one = map.single && kept.length ? map.element(kept[0]) : null;
        rows.push([map.single ? "Verdict" : "Worst verdict", map.map.classes[map.class[cell]].class]);
        if (one) rows.push(...this.valueRows(one));
        if (map.ulps && !one) rows.push([map.single ? "Distance" : "Largest distance", levelText(map.ulps[cell])]);
        if (map.errors) rows.push(...this.errorRows(cell, one));
        if (map.fields[cell] !== NO_FIELDS) rows.push(["Payload", this.fieldsText(map.fields[cell])]);
        rows.push(...this.storeRows(map.stored.map(plane => plane[cell])));
        if (map.single && !one) rows.push(["Values", "not kept for this element"]);
        this.said = rows.map(([name, value]) => `${name}: ${value.textContent || value}`).join("; ");
        this.facts.replaceChildren(
            make("dl", {}, rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)))),
            map.single || !kept.length ? "" : this.keptTable(kept));
    }

    valueRows(one) {
        const {map} = this.map, hex = bits => make("span", {class: "bits"}, " " + hexText(map, bits));
        // Floats that stand for payloads are no numbers.
        const text = bits => map.numbers || !map.format ? [elementText(map, bits), hex(bits)] : ["bits", hex(bits)];
        const rows = [["Reference", make("span", {}, text(one.reference))], ["Variant", make("span", {}, text(one.variant))]];
        if (one.distance !== undefined) rows.push(["Distance", this.distanceText(one.distance)]);
        return rows;
    }

    // How far from the numbers without rounding.
    errorRows(cell, one) {
        const what = this.map.single ? "Error of" : "Largest error of";
        return ["reference", "variant"].map((name, side) => [`${what} ${name}`, one && one.errors
            ? roundingText(one.errors[side]) : errorLevelText(this.map.errors[side][cell])]);
    }

    distanceText(distance) {
        if (distance === null) return levelText(INCOMPARABLE);
        return this.map.map.format ? `${formatCount(distance)} ulp` : `${formatCount(distance)} apart`;
    }

    fieldsText(fields) {
        return `${fields & 15} of ${fields >> 4} fields agree`;
    }

    storeRows(stored) {
        return ["Stored by reference", "Stored by variant"].map((name, side) => [name, this.storeText(stored[side])]);
    }

    storeText(number) {
        if (number === OTHER_STORE) return "one of many other lines";
        const store = this.map.store(number);
        if (!store) return "not known, or from outside";
        return store.last_in_code ? make("span", {}, "last store in the code: ", this.sources.place(store))
                                  : this.sources.place(store);
    }

    keptTable(kept) {
        const {map} = this.map, most = 8;
        const text = bits => map.numbers || !map.format ? elementText(map, bits) : hexText(map, bits);
        const rows = kept.slice(0, most).map(number => {
            const one = this.map.element(number);
            const cells = [`[${one.index.join(", ")}]`, one.class.class, text(one.reference), text(one.variant)];
            cells.push(one.distance === undefined ? "" : this.distanceText(one.distance));
            cells.push(one.fields === NO_FIELDS ? "" : `${one.fields & 15}/${one.fields >> 4}`);
            if (one.errors) cells.push(...one.errors.map(roundingText));
            return make("tr", {}, cells.map(text => make("td", {}, text)));
        });
        const names = ["index", "verdict", "reference", "variant", "distance", "agree"];
        if (this.map.kept.errors) names.push("reference's error", "variant's error");
        const heads = names.map(text => make("th", {scope: "col"}, text));
        const more = kept.length > most ? `${kept.length - most} more are kept` : "";
        return make("div", {class: "scroll"}, make("table", {class: "kept"}, make("thead", {}, make("tr", {}, heads)),
                                                   make("tbody", {}, rows)), more);
    }
}
