// SPDX-License-Identifier: Apache-2.0
// The map of a buffer of a comparison: cells, and the elements whose values are kept (docs/fpdiff.md, "Maps").

const INCOMPARABLE = 255, NO_FIELDS = 255, OTHER_STORE = 255;
// Errors: levels of cells, codes of elements.
const ERROR_INFINITE = 254, ERROR_UNKNOWN = 255, CODE_INFINITE = 0xff00, CODE_UNKNOWN = 0xff01;

// The error that two bytes stand for: a float from its exponent on. NaN: not known; Infinity: a result is NaN or infinite.
function decodeError(code) {
    if (code >= CODE_INFINITE) return code === CODE_INFINITE ? Infinity : NaN;
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, code * 32768);
    return view.getFloat32(0);
}

class BufferMap {
    constructor(map) {
        this.map = map;
        this.shape = map.shape;
        this.rank = map.shape.length;
        this.bin = map.bin;
        this.count = map.shape.map((size, d) => Math.ceil(size / map.bin[d]));
        this.cells = this.count.reduce((product, count) => product * count, 1);
        this.elements = map.shape.reduce((product, size) => product * size, 1);
        this.single = map.bin.every(size => size === 1); // each cell is an element
    }

    static async load(map, planes) {
        const loaded = new BufferMap(map), plane = number => unpack(planes[number]);
        const {cells, kept} = map;
        loaded.class = await plane(cells.class);
        loaded.ulps = cells.ulps === undefined ? null : await plane(cells.ulps);
        loaded.fields = await plane(cells.fields);
        loaded.stored = [await plane(cells.stored[0]), await plane(cells.stored[1])];
        loaded.wrong = new Uint32Array(loaded.cells);
        const wrong = await plane(cells.wrong);
        for (let i = 0; i < loaded.cells; i++)
            for (let k = 3; k >= 0; k--) loaded.wrong[i] = loaded.wrong[i] * 256 + wrong[k * loaded.cells + i];
        loaded.errors = cells.errors ? [await plane(cells.errors[0]), await plane(cells.errors[1])] : null;
        await loaded.loadKept(kept, plane);
        return loaded;
    }

    async loadKept(kept, plane) {
        this.kept = {count: kept.count, all: kept.index === undefined};
        this.kept.reference = await plane(kept.reference);
        this.kept.variant = await plane(kept.variant);
        if (kept.errors) this.kept.errors = [await plane(kept.errors[0]), await plane(kept.errors[1])];
        if (this.kept.all) return;
        this.kept.class = await plane(kept.class);
        this.kept.fields = await plane(kept.fields);
        this.kept.stored = [await plane(kept.stored[0]), await plane(kept.stored[1])];
        this.readIndices(await plane(kept.index));
    }

    // The elements that are kept, and which of them each cell has.
    readIndices(bytes) {
        const indices = new Array(this.kept.count);
        let at = 0, index = 0;
        this.keptIn = new Map();
        for (let i = 0; i < indices.length; i++) {
            for (let scale = 1;; scale *= 128) {
                const byte = bytes[at++];
                index += (byte & 127) * scale;
                if (byte < 128) break;
            }
            indices[i] = index;
            const cell = this.cellOf(index);
            if (!this.keptIn.has(cell)) this.keptIn.set(cell, []);
            this.keptIn.get(cell).push(i);
        }
        this.kept.index = indices;
    }

    indexOf(linear) {
        const index = new Array(this.rank);
        for (let d = this.rank - 1; d >= 0; d--) {
            index[d] = linear % this.shape[d];
            linear = Math.floor(linear / this.shape[d]);
        }
        return index;
    }

    cellOf(linear) {
        return this.indexOf(linear).reduce((cell, at, d) => cell * this.count[d] + Math.floor(at / this.bin[d]), 0);
    }

    // The elements of a cell: first and last along each dimension.
    boxOf(cell) {
        const low = new Array(this.rank), high = new Array(this.rank);
        for (let d = this.rank - 1; d >= 0; d--) {
            low[d] = cell % this.count[d] * this.bin[d];
            high[d] = Math.min(low[d] + this.bin[d], this.shape[d]) - 1;
            cell = Math.floor(cell / this.count[d]);
        }
        return {low, high, elements: low.reduce((product, at, d) => product * (high[d] - at + 1), 1)};
    }

    // Numbers of kept elements of a cell.
    keptOf(cell) {
        return this.kept.all ? [cell] : this.keptIn.get(cell) || [];
    }

    bitsOf(plane, number) {
        const width = Math.max(1, this.map.bits / 8), shift = 8n;
        let bits = 0n;
        for (let k = width - 1; k >= 0; k--) bits = bits << shift | BigInt(plane[k * this.kept.count + number]);
        return bits;
    }

    // A kept element: its index, bits and what is known of it.
    element(number) {
        const {kept, map} = this;
        const of = plane => kept.all ? this[plane] : kept[plane];
        const reference = this.bitsOf(kept.reference, number);
        const width = Math.max(8, map.bits);
        const variant = BigInt.asUintN(Math.min(width, map.bits), reference + this.bitsOf(kept.variant, number));
        return {
            index: this.indexOf(kept.all ? number : kept.index[number]),
            reference, variant,
            class: map.classes[of("class")[number]],
            fields: of("fields")[number],
            stored: of("stored").map(plane => plane[number]),
            errors: kept.errors && kept.errors.map(plane => decodeError(plane[number] + 256 * plane[kept.count + number])),
            distance: map.numbers ? distanceOf(map, reference, variant) : undefined,
        };
    }

    store(number) {
        return number > 0 && number < OTHER_STORE ? this.map.stores[number - 1] : null;
    }

    // The first cell behind `from` (step 1) or before it (step -1) with wrong elements; -1: there is none.
    nextWrong(from, step) {
        for (let i = 1; i <= this.cells; i++) {
            const cell = (from + step * i + this.cells * 2) % this.cells;
            if (this.wrong[cell]) return cell;
        }
        return -1;
    }

    // The first of the cells that are farthest apart.
    farthest() {
        return this.ulps ? this.ulps.reduce((most, level, cell) => level > this.ulps[most] ? cell : most, 0) : -1;
    }

    // The cell in which the error of reference (0) or variant (1) is largest. What is not known is larger than any.
    leastAccurate(side) {
        if (!this.errors) return -1;
        const levels = this.errors[side], {kept} = this;
        let cell = levels.reduce((most, level, at) => level > levels[most] ? at : most, 0), largest = -1;
        const most = levels[cell];
        for (let i = 0; kept.errors && i < kept.count; i++) {
            const code = kept.errors[side][i] + 256 * kept.errors[side][kept.count + i];
            const at = kept.all ? i : this.cellOf(kept.index[i]);
            if (levels[at] === most && code > largest) [cell, largest] = [at, code];
        }
        return cell;
    }

    // Of both, so that their colours can be compared.
    largestError() {
        const most = plane => plane.reduce((found, level) => level < ERROR_INFINITE && level > found ? level : found, 0);
        return this.errors ? Math.max(...this.errors.map(most)) : 0;
    }

    largestLevel() {
        return this.ulps ? this.ulps.reduce((most, level) => level !== INCOMPARABLE && level > most ? level : most, 0) : 0;
    }
}

// ---- where cells are drawn

// The last two dimensions are a plane; planes of the others lie beside each other. A single row is folded.
class Layout {
    constructor(map) {
        const {rank, count} = map;
        this.map = map;
        this.folded = rank === 1 && count[0] > 64;
        this.columns = count[rank - 1];
        this.rows = rank > 1 ? count[rank - 2] : 1;
        this.planes = map.cells / (this.columns * this.rows);
        if (this.folded) this.fold(count[0]);
        this.gap = this.planes > 1 ? Math.max(1, Math.round(Math.min(this.columns, this.rows) / 16)) : 0;
        this.across = this.choosePlanes();
        this.down = Math.ceil(this.planes / this.across);
        this.width = this.across * (this.columns + this.gap) - this.gap;
        this.height = this.down * (this.rows + this.gap) - this.gap;
    }

    fold(cells) {
        this.columns = 2 ** Math.ceil(Math.log2(Math.sqrt(cells * 4)));
        this.rows = Math.ceil(cells / this.columns);
    }

    // How many planes lie side by side: so that all are about twice as wide as high.
    choosePlanes() {
        const best = Math.sqrt(2 * this.planes * (this.rows + this.gap) / (this.columns + this.gap));
        const across = Math.max(1, Math.min(this.planes, Math.round(best)));
        return Math.ceil(this.planes / Math.ceil(this.planes / across));
    }

    // Where the cell is, in cells from the upper left corner.
    place(cell) {
        const plane = Math.floor(cell / (this.columns * this.rows)), within = cell % (this.columns * this.rows);
        return {
            x: plane % this.across * (this.columns + this.gap) + within % this.columns,
            y: Math.floor(plane / this.across) * (this.rows + this.gap) + Math.floor(within / this.columns),
        };
    }

    // The cell at a place; -1: none is.
    cellAt(x, y) {
        const across = Math.floor(x / (this.columns + this.gap)), down = Math.floor(y / (this.rows + this.gap));
        const column = Math.floor(x) - across * (this.columns + this.gap);
        const row = Math.floor(y) - down * (this.rows + this.gap), plane = down * this.across + across;
        if (x < 0 || y < 0 || across >= this.across || column >= this.columns || row >= this.rows) return -1;
        const cell = (plane * this.rows + row) * this.columns + column;
        return plane < this.planes && cell < this.map.cells ? cell : -1;
    }

    // Lines between tiles, as [x, y, width, height] in cells, one of the last two 0. Tiles smaller than two cells have
    // none.
    *tileLines(spacing) {
        const {map, columns, rows} = this, tile = map.map.tile;
        const lines = d => tile && d >= 0 && tile[d] < map.shape[d] ? tile[d] / map.bin[d] : 0;
        const x = lines(map.rank - 1), y = lines(map.rank - 2);
        for (let plane = 0; plane < this.planes; plane++) {
            const left = plane % this.across * (columns + this.gap);
            const top = Math.floor(plane / this.across) * (rows + this.gap);
            if (this.folded) {
                if (x >= spacing.x)
                    for (let at = x; at < map.cells; at += x)
                        yield at % columns ? [at % columns, Math.floor(at / columns), 0, 1]
                                           : [0, at / columns, columns, 0];
                continue;
            }
            if (x >= spacing.x) for (let at = x; at < columns; at += x) yield [left + at, top, 0, rows];
            if (y >= spacing.y) for (let at = y; at < rows; at += y) yield [left, top + at, columns, 0];
        }
    }
}
