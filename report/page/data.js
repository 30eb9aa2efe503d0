// SPDX-License-Identifier: Apache-2.0
// What the page has of a case, and how its planes and bits are read.
"use strict";

// An element of the page. Children are elements or texts; null is left out. Texts from a case become text only here.
function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
        if (value !== null && value !== undefined && value !== false)
            element.setAttribute(key, value === true ? "" : String(value));
    element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== ""));
    return element;
}

// The case of a row; null: the page has no more of it than the row.
function caseData(index) {
    const script = document.getElementById("data-" + index);
    return script ? JSON.parse(script.textContent) : null;
}

// A plane: base 64 of what zlib has packed.
async function unpack(text) {
    const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

function formatCount(count) {
    return Number(count).toLocaleString("en");
}

function formatShare(part, whole) {
    const share = 100 * part / whole;
    if (part === whole) return "100 %";
    if (share > 99.9) return "over 99.9 %";
    return part && share < 0.1 ? "below 0.1 %" : share.toFixed(1) + " %";
}

function formatNumber(value) {
    return typeof value === "number" ? Number(value.toPrecision(4)).toString() : String(value);
}

// Of errors: three digits, large ones to the unit.
function formatUlps(value) {
    if (typeof value !== "number") return String(value);
    return value >= 999.5 && value < 1e7 ? formatCount(Math.round(value)) : Number(value.toPrecision(3)).toString();
}

// "1 element", "3 elements"
function counted(count, noun) {
    return formatCount(count) + " " + noun + (Number(count) === 1 ? "" : "s");
}

// ---- bits of elements, as BigInt

// What a format says of bits: sign, magnitude, and what kind of number it is.
function splitBits(format, bits) {
    bits >>= BigInt(format.padding);
    const width = BigInt(format.exponent + format.mantissa), magnitude = bits & ((1n << width) - 1n);
    const negative = format.signed && (bits >> width & 1n) === 1n;
    const ones = (1n << width) - 1n, infinity = ((1n << BigInt(format.exponent)) - 1n) << BigInt(format.mantissa);
    let kind = "finite";
    if (format.specials === "ieee" && magnitude >= infinity) kind = magnitude === infinity ? "inf" : "nan";
    if ((format.specials === "fn" || format.specials === "power") && magnitude === ones) kind = "nan";
    if (format.specials === "fnuz" && negative && magnitude === 0n) kind = "nan";
    return {negative, magnitude, kind};
}

function decodeFloat(format, bits) {
    const {negative, magnitude, kind} = splitBits(format, bits);
    if (kind === "nan") return NaN;
    if (kind === "inf") return negative ? -Infinity : Infinity;
    const exponent = Number(magnitude >> BigInt(format.mantissa));
    const fraction = Number(magnitude & ((1n << BigInt(format.mantissa)) - 1n));
    let value;
    if (format.specials === "power")
        value = 2 ** (exponent - format.bias);
    else if (exponent === 0)
        value = fraction * 2 ** (1 - format.bias - format.mantissa);
    else
        value = (1 + fraction / 2 ** format.mantissa) * 2 ** (exponent - format.bias);
    return negative ? -value : value;
}

// Digits enough to tell two elements of the format apart, as the report on a terminal has them.
function elementText(map, bits) {
    if (!map.format) return String(decodeInteger(map, bits));
    const value = decodeFloat(map.format, bits);
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
    if (value === 0) return Object.is(value, -0) ? "-0" : "0";
    const digits = Math.min(17, 2 + Math.floor((map.format.mantissa + 1) * 30103 / 100000));
    const text = value.toPrecision(digits);
    return text.includes(".") ? text.replace(/\.?0+($|e)/, "$1") : text;
}

function decodeInteger(map, bits) {
    return map.type === "i1" ? bits & 1n : BigInt.asIntN(map.bits, bits);
}

function hexText(map, bits) {
    return "0x" + bits.toString(16).padStart(Math.ceil(map.bits / 4), "0");
}

// How many units in the last place apart; of integers their difference. null: one is NaN or infinite.
function distanceOf(map, a, b) {
    if (!map.format) {
        const apart = decodeInteger(map, a) - decodeInteger(map, b);
        return apart < 0n ? -apart : apart;
    }
    const x = splitBits(map.format, a), y = splitBits(map.format, b);
    if (x.kind === y.kind && (x.kind === "nan" || (x.kind === "inf" && x.negative === y.negative))) return 0n;
    if (x.kind !== "finite" || y.kind !== "finite") return null;
    if (x.negative !== y.negative) return x.magnitude + y.magnitude;
    return x.magnitude > y.magnitude ? x.magnitude - y.magnitude : y.magnitude - x.magnitude;
}
