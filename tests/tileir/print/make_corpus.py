# SPDX-License-Identifier: Apache-2.0
# Writes the corpus of this folder: NAME.tileirbc, and what tileirdisasm prints for it in NAME.txt and, with -g, NAME.g.txt.
#
#   python make_corpus.py PATH/TO/tileirdisasm [OUTPUT_FOLDER]
#
# Needs cuda-tile 1.7 (its bytecode encoder builds the modules op by op) and tileirdisasm 13.5. A test only reads the written
# files. The files kernel-* are cuTile kernels, copied from examples/ and tests/cases, and what tileirdisasm prints for them; the files
# generated-* are modules that tests/generate made (generate --seeds=1 --first=N --write=FOLDER, with 455, 451, 492, 463 and 449 for N).
import contextlib
import os
import struct
import subprocess
import sys

from cuda.tile import _bytecode as bc
from cuda.tile._bytecode import attribute as at

DYNAMIC = bc.DYNAMIC_SHAPE
VERSIONS = {1301: bc.BytecodeVersion.V_13_1, 1302: bc.BytecodeVersion.V_13_2, 1303: bc.BytecodeVersion.V_13_3,
            1304: bc.BytecodeVersion.V_13_4, 1305: bc.BytecodeVersion.V_13_5}
BEFORE_134 = 1301, 1302, 1303
SIMPLE = dict(i1="I1", i4="I4", i8="I8", i16="I16", i32="I32", i64="I64", f16="F16", bf16="BF16", f32="F32", tf32="TF32",
              f64="F64", f8E4M3FN="F8E4M3FN", f8E5M2="F8E5M2", f8E8M0FNU="F8E8M0FNU", f4E2M1FN="F4E2M1FN", fnv8E5M3FNU="FNV8E5M3FNU", token="Token")
SIMPLE = {name: getattr(bc.SimpleType, value) for name, value in SIMPLE.items()}
ROUND, OVER, SIGN = bc.RoundingMode, bc.IntegerOverflow, bc.Signedness
MULTIMEM = bc.MultimemReductionKind
PRED, ORDER = bc.ComparisonPredicate, bc.ComparisonOrdering
MEM, SCOPE, RMW, PAD = bc.MemoryOrderingSemantics, bc.MemoryScope, bc.AtomicRMWMode, bc.PaddingValue
RN, NONE, S, U = ROUND.NEAREST_EVEN, OVER.NONE, SIGN.Signed, SIGN.Unsigned


class SameElements(at.AssumePredicate):
    def __init__(self, values):
        self.values = values

    def encode_tagged(self, strings, buf):
        buf.extend(at.AttributeTag.SameElements._value_)
        bc.code_builder.encode_int_list(self.values, 8, buf)


class String(at.TaggedAttribute):
    def __init__(self, text):
        self.text = text

    def encode_tagged(self, strings, buf):
        buf.extend(at.AttributeTag.String._value_)
        at.encode_varint(strings[self.text.encode()].string_id, buf)


class FloatBits(at.TaggedAttribute):
    """A float attribute of given bits."""
    def __init__(self, bits, kind, table):
        self.bits, self.type_id, self.width = bits, table.simple(kind), bc.float_bit_size(kind)

    def encode_tagged(self, strings, buf):
        buf.extend(at.AttributeTag.Float._value_)
        bc.type.encode_typeid(self.type_id, buf)
        bits = self.bits
        if self.width == 64 and bits >> 63:  # zigzag of the bits as a signed 64-bit number
            bits -= 1 << 64
        if self.width <= 8:
            buf.append(bits)
        else:
            at.encode_signed_varint(bits, buf)


class Module:
    """Types by name, ops by mnemonic of the encoder: m.AddF("4xf32", a, b, RN, False)."""
    def __init__(self, writer, version):
        self.w, self.tt, self.version = writer, writer.type_table, version
        self.function_names = 0

    def type(self, name):
        if isinstance(name, bc.TypeId):
            return name
        if name == "token":
            return self.tt.simple(SIMPLE[name])
        if name in SIMPLE:
            return self.tt.tile(self.tt.simple(SIMPLE[name]), [])
        parts = name.split("x")
        element = parts[-1]
        shape = [int(p) for p in parts[:-1]]
        if element.startswith("*"):
            element = self.tt.pointer(self.tt.simple(SIMPLE[element[1:]]), bc.PtrAttr.Missing)
        else:
            element = self.tt.simple(SIMPLE[element])
        return self.tt.tile(element, shape)

    def tensor_view(self, element, shape, strides):
        shape = [DYNAMIC if s is None else s for s in shape]
        strides = [DYNAMIC if s is None else s for s in strides]
        return self.tt.tensor_view(self.tt.simple(SIMPLE[element]), shape, strides, bc.PtrAttr.Missing)

    @contextlib.contextmanager
    def entry(self, name, *parameters, hints=None, debug=bc.MISSING_DEBUG_ATTR_ID, end=True):
        # Entries take scalars only: tiles become constants or broadcasts, tokens are made.
        scalars = [p.split("x")[-1] for p in parameters if p != "token"]
        types = [self.type(p) for p in scalars]
        with self.w.function(name, types, [], True, hints or {}, debug) as f:
            self.b = f.code_builder
            given, values = list(f.parameters), []
            for p in parameters:
                if p == "token":
                    values.append(self.MakeToken("token"))
                    continue
                value, element = given.pop(0), p.split("x")[-1]
                rank = p.count("x")
                if rank:
                    value = self.Broadcast(p, self.Reshape("1x" * rank + element, value))
                values.append(value)
            yield values
            if end:
                self.Return([])

    def __getattr__(self, name):
        encode = getattr(bc, f"encode_{name}Op")

        def call(*args, **kwargs):
            fixed = []
            for number, a in enumerate(args):
                if isinstance(a, str) and (number == 0 or ("x" in a or a in SIMPLE) and name not in TEXT_OPERANDS):
                    a = self.type(a)
                elif isinstance(a, list) and a and all(isinstance(i, str) for i in a):
                    a = [self.type(i) for i in a]
                fixed.append(a)
            return encode(self.b, *fixed, **kwargs)
        return call

    def LoadViewTko(self, tile, token, view, index, after, order, scope, hints, inbounds=False):
        return self.__getattr__("LoadViewTko")(tile, token, view, index, after, order, scope, hints, [inbounds] * len(index))

    def StoreViewTko(self, token, tile, view, index, after, order, scope, hints, inbounds=False):
        return self.__getattr__("StoreViewTko")(token, tile, view, index, after, order, scope, hints, [inbounds] * len(index))

    def constant(self, name, *values):
        element = name.split("x")[-1]
        return self.Constant(self.type(name), pack(element, values))

    def integer(self, value, width, kind):
        return bc.Integer(self.tt.simple(SIMPLE[kind]), width, value)


def pack(element, values):
    if element == "i1":
        if len(values) == 1:
            return b"\xff" if values[0] else b"\x00"
        bits = bytearray((len(values) + 7) // 8)
        for i, v in enumerate(values):
            bits[i // 8] |= bool(v) << (i % 8)
        return bytes(bits)
    out = b""
    for v in values:
        if element[0] == "i":
            out += int(v).to_bytes(int(element[1:]) // 8, "little", signed=v < 0)
        else:
            kind = SIMPLE[element]
            bits = v if isinstance(v, int) else bc.float_to_bits(v, kind)
            out += bits.to_bytes((bc.float_bit_size(kind) + 7) // 8, "little")
    return out


CORPUS = []


def corpus(*versions, functions=1):
    def add(build):
        for version in versions or (1301, 1303):
            CORPUS.append((build, version, functions))
        return build
    return add


TEXT_OPERANDS = ("Assert", "GetGlobal", "PrintTko")
FLOATS = ["f16", "bf16", "f32", "f64"]
INTEGERS = ["i1", "i8", "i16", "i32", "i64"]


@corpus(1301, 1303)
def float_arithmetic(m):
    types = FLOATS + ["4x8xf32", "16xbf16", "2x2x2xf16"]
    with m.entry("float_arithmetic", *[t for t in types for _ in range(2)]) as p:
        for i, t in enumerate(types):
            a, b = p[2 * i], p[2 * i + 1]
            f32 = t.endswith("xf32") or t == "f32"
            m.AbsF(t, a), m.NegF(t, a), m.Ceil(t, a), m.Floor(t, b)
            for op in (m.AddF, m.SubF, m.MulF, m.DivF):
                for mode in (RN, ROUND.ZERO, ROUND.NEGATIVE_INF, ROUND.POSITIVE_INF):
                    op(t, a, b, mode, False)
                if f32:
                    op(t, a, b, RN, True), op(t, a, b, ROUND.ZERO, True)
            for mode in (RN, ROUND.ZERO, ROUND.NEGATIVE_INF, ROUND.POSITIVE_INF):
                m.Fma(t, a, b, a, mode, False)
                m.Sqrt(t, a, mode, False)
            if f32:
                m.Fma(t, a, b, a, RN, True), m.Fma(t, a, b, a, ROUND.POSITIVE_INF, True)
                for mode in (ROUND.APPROX, ROUND.FULL):
                    m.DivF(t, a, b, mode, False), m.DivF(t, a, b, mode, True)
                m.Sqrt(t, a, RN, True), m.Sqrt(t, a, ROUND.APPROX, False), m.Sqrt(t, a, ROUND.APPROX, True)
            m.RemF(t, a, b)
            for nan in (False, True):
                for ftz in (False, True) if f32 else (False,):
                    m.MaxF(t, a, b, nan, ftz), m.MinF(t, a, b, nan, ftz)
            for predicate in PRED:
                for order in ORDER:
                    m.CmpF(t.rsplit("x", 1)[0] + "xi1" if "x" in t else "i1", a, b, predicate, order)
            m.Select(t, m.CmpF(t.rsplit("x", 1)[0] + "xi1" if "x" in t else "i1", a, b, PRED.EQUAL, ORDER.ORDERED), a, b)


@corpus(*BEFORE_134)
def float_math(m):
    types = FLOATS + ["64xf32"]
    with m.entry("float_math", *types) as p:
        for t, a in zip(types, p):
            f32 = t.endswith("f32") and "b" not in t
            for op in (m.Cos, m.CosH, m.Log, m.Log2, m.Sin, m.SinH, m.Tan):
                op(t, a)
            m.Exp2(t, a, False), m.Rsqrt(t, a, False)
            if f32:
                m.Exp2(t, a, True), m.Rsqrt(t, a, True)
            m.Exp(t, a, ROUND.FULL), m.TanH(t, a, ROUND.FULL)
            if f32 and m.version >= 1302:
                m.TanH(t, a, ROUND.APPROX)
            if f32 and m.version >= 1303:
                m.Exp(t, a, ROUND.APPROX)
            m.FPowF(t, a, a)
            if m.version >= 1302:
                m.Atan2(t, a, a)


@corpus(*BEFORE_134)
def integer_arithmetic(m):
    types = INTEGERS + ["8x4xi32", "2xi64"]
    with m.entry("integer_arithmetic", *types) as p:
        for t, a in zip(types, p):
            mask = t.rsplit("x", 1)[0] + "xi1" if "x" in t else "i1"
            m.AbsI(t, a), m.AndI(t, a, a), m.OrI(t, a, a), m.XOrI(t, a, a), m.MulhiI(t, a, a)
            for over in OVER:
                m.AddI(t, a, a, over), m.SubI(t, a, a, over), m.MulI(t, a, a, over), m.ShLI(t, a, a, over)
            m.NegI(t, a, NONE)
            if m.version >= 1302:
                m.NegI(t, a, OVER.NSW), m.NegI(t, a, OVER.NW)
            for sign in SIGN:
                m.MaxI(t, a, a, sign), m.MinI(t, a, a, sign), m.RemI(t, a, a, sign), m.ShRI(t, a, a, sign)
                m.DivI(t, a, a, sign, ROUND.ZERO), m.DivI(t, a, a, sign, ROUND.POSITIVE_INF)
                for predicate in PRED:
                    m.CmpI(mask, a, a, predicate, sign)
            m.DivI(t, a, a, S, ROUND.NEGATIVE_INF)
            m.Select(t, m.CmpI(mask, a, a, PRED.EQUAL, S), a, a)


@corpus(*VERSIONS)
def conversions(m):
    numbers = ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "tf32", "f64", "f8E4M3FN", "f8E5M2"]
    if m.version >= 1302:
        numbers.append("f8E8M0FNU")
    if m.version >= 1303:
        numbers += ["f4E2M1FN", "i4"]
    if m.version >= 1304:
        numbers.append("fnv8E5M3FNU")
    bits = dict(i1=1, i4=4, i8=8, i16=16, i32=32, i64=64, f16=16, bf16=16, f32=32, tf32=19, f64=64, f8E4M3FN=8, f8E5M2=8,
                f8E8M0FNU=8, f4E2M1FN=4, fnv8E5M3FNU=8)
    value = {}
    with m.entry("conversions", "*f32", "*i8", "i64") as p:
        for n in numbers:
            if n == "i4":
                value[n] = m.TruncI("4xi4", value["i8"], NONE)
            else:
                value[n] = m.constant(f"4x{n}", 1 if n[0] == "i" else 1.0)
        ints = [n for n in numbers if n[0] == "i"]
        floats = [n for n in numbers if n[0] != "i"]
        for a in numbers:
            for b in numbers:
                if bits[a] == bits[b] and a != b and "i4" not in (a, b):
                    m.Bitcast(f"4x{b}", value[a])
        for a in ints:
            for b in ints:
                if bits[a] < bits[b]:
                    m.ExtI(f"4x{b}", value[a], S), m.ExtI(f"4x{b}", value[a], U)
                if bits[a] > bits[b]:
                    for over in OVER:
                        m.TruncI(f"4x{b}", value[a], over)
        for a in floats:
            for b in ints:
                if b != "i4":
                    m.FToI(f"4x{b}", value[a], S, ROUND.NEAREST_INT_TO_ZERO, False)
                    m.FToI(f"4x{b}", value[a], U, ROUND.NEAREST_INT_TO_ZERO, False)
                    if m.version >= 1304:
                        m.FToI(f"4x{b}", value[a], S, ROUND.NEAREST_INT_TO_ZERO, True)
                if b != "i4" and a != "f8E8M0FNU":
                    m.IToF(f"4x{a}", value[b], S, RN), m.IToF(f"4x{a}", value[b], U, RN)
            for b in floats:
                if a == b:
                    continue
                for mode in (ROUND.ZERO, ROUND.POSITIVE_INF) if b == "f8E8M0FNU" else (RN,):
                    m.FToF(f"4x{b}", value[a], mode)
        i = m.PtrToInt("i64", p[0])
        m.IntToPtr("*f64", i), m.IntToPtr("*i1", p[2])
        q = m.PtrToPtr("*i32", p[0])
        m.PtrToPtr("*bf16", q)
        v = m.constant("2x2xi64", 1, 2, 3, 4)
        m.PtrToInt("2x2xi64", m.IntToPtr("2x2x*f16", v))


@corpus(1304)
def roundings(m):
    """ftof with the directions that tileirdisasm 13.4 allows."""
    with m.entry("roundings", "f16", "bf16", "f32", "f64", "f32") as (h, b, f, d, _):
        for mode in (RN, ROUND.ZERO, ROUND.NEGATIVE_INF, ROUND.POSITIVE_INF):
            m.FToF("f32", d, mode), m.FToF("f32", h, mode), m.FToF("f64", f, mode)
        for mode in (RN, ROUND.ZERO, ROUND.NEAREST_AWAY):
            m.FToF("tf32", f, mode)
        for mode in (RN, ROUND.ZERO):
            m.FToF("f16", f, mode), m.FToF("bf16", h, mode), m.FToF("f16", d, mode)


@corpus(*VERSIONS)
def constants(m):
    with m.entry("constants"):
        for n in INTEGERS[1:]:
            w = int(n[1:])
            for v in (0, 1, 7, -1, -(1 << (w - 1)), (1 << (w - 1)) - 1):
                m.constant(n, v), m.constant(f"2x4x{n}", v)
            m.constant(f"4x{n}", 0, 1, -1, 100), m.constant(f"2x2x{n}", 1, 2, 3, 4), m.constant(f"1x{n}", 5)
            m.constant(f"2x2x2x{n}", *range(8)), m.constant(f"1x1x{n}", 6), m.constant(f"4x{n}", 9, 9, 9, 9)
        for v in (False, True):
            m.constant("i1", v), m.constant("4xi1", v), m.constant("16x2xi1", v), m.constant("1xi1", v)
        m.constant("4xi1", True, False, True, True), m.constant("2x8xi1", *[i % 3 == 0 for i in range(16)])
        m.Constant("2xi1", b"\x01"), m.Constant("8xi1", b"\x0f"), m.Constant("16xi1", b"\x01"), m.Constant("i1", b"\x01")
        m.Constant("4xi1", b"\x0f"), m.Constant("2xi1", b"\x03")
        floats = FLOATS + ["tf32", "f8E4M3FN", "f8E5M2"]
        if m.version >= 1302:
            floats.append("f8E8M0FNU")
        if m.version >= 1303:
            floats.append("f4E2M1FN")
        for n in floats:
            values = [1.0, 0.5, 2.0, 3.0, 4.0, 1.5, 6.0]
            if n != "f8E8M0FNU":
                values += [0.0, -0.0, -1.0, -1.5]
            if n not in ("f8E8M0FNU", "f4E2M1FN"):
                values += [0.1, 3.14159265358979, 100.0, 448.0, 1e-3, -0.3, float("nan"), float("inf"), float("-inf")]
            if n in ("f16", "bf16", "f32", "f64", "tf32"):
                values += [65504.0, 1e4, 12345.678, 1024.5, 5e-8, 1e-7, 2.5e-5]
            if n in ("bf16", "f32", "f64", "tf32"):
                values += [1e10, 16777216.0, 123456.789, 12345678901.0, 1e30, 3.4e38, 1e-38, 1.4e-45, 1e-40, 1 / 3, 4294967296.0,
                           2147483648.0, 9007199254740993.0, 1e20, 1e22, 123456789.0, 9999999.0, 1234567.0, 0.000123]
            if n == "f64":
                values += [1e300, 1e-300, 5e-324, 2.0 ** 53, 2.0 ** 63, 2.0 ** 64, 1.7976931348623157e308, 0.1 + 0.2]
            for v in values:
                m.constant("2x" + n if n == "f4E2M1FN" else n, v)
            if n == "f8E8M0FNU":
                for bits in (0, 1, 126, 127, 128, 133, 134, 150, 158, 159, 190, 191, 254, 255):
                    m.constant(n, bits)
            elif n.startswith("f8"):
                for bits in range(0, 256, 5):
                    m.constant(n, bits)
            m.constant(f"4x{n}", 1.0, 2.0, 0.5, 1.5), m.constant(f"2x2x{n}", 1.0, 1.5, 3.0, 6.0), m.constant(f"2x64x{n}", 4.0)
        for bits in (0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0x00000001, 0x80000000, 0x807FFFFF, 0x3F800001):
            m.constant("f32", bits), m.constant("2xf32", bits, 0x3F800000)
        for bits in (0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001, 1, 1 << 63):
            m.constant("f64", bits)


@corpus(1301, 1303, 1304)
def names(m):
    """Value names: clashes, one shared counter, regions that reuse numbers."""
    with m.entry("names", "i32", "i1", "f32", "*f32") as (i, c, f, ptr):
        a = m.Assume("i32", i, bc.DivBy(4))
        b = m.Assume("i32", a, bc.Bounded(0, None))
        m.Assume("i32", b, bc.Bounded(None, 7)), m.Assume("i32", i, bc.Bounded(-3, 9)), m.Assume("i32", a, bc.Bounded(None, None))
        k = m.constant("i32", 5)
        m.Assume("i32", k, bc.DivBy(1))
        s = m.AddI("i32", i, i, NONE)
        q = m.Assume("i32", s, bc.DivBy(2))
        m.Assume("i32", q, bc.DivBy(2))
        m.GetTileBlockId("i32", "i32", "i32"), m.GetNumTileBlocks("i32", "i32", "i32"), m.GetTileBlockId("i32", "i32", "i32")
        r = m.Reshape("1xf32", f)
        m.Broadcast("8xf32", r), m.Assume("1xi32", m.Reshape("1xi32", i), bc.DivBy(8))
        v = m.constant("4xi32", 1, 2, 3, 4)
        m.Assume("4xi32", v, bc.DivBy(8, 1, 0)), m.Assume("4xi32", v, SameElements([2])), m.Assume("4xi32", v, bc.DivBy(16, 4, 0))
        for n in range(3):
            nest = m.If([], c)
            with nest.new_block([]):
                m.constant("i32", 1), m.AddI("i32", i, i, NONE)
                inner = m.If(["i32"], c)
                with inner.new_block([]):
                    x = m.AddI("i32", i, i, NONE)
                    m.constant("i32", 5)
                    m.Yield([x])
                with inner.new_block([]):
                    m.Yield([k])
                y, = inner.done()
                m.Assume("i32", y, bc.DivBy(2))
                m.Yield([])
            with nest.new_block([]):
                m.constant("i32", 1)
                m.Yield([])
            nest.done()
        m.constant("i1", True), m.constant("i1", True), m.constant("i1", False), m.constant("2xi1", True)
        m.constant("f32", 2.0), m.constant("f32", 2.0), m.constant("f32", -2.0), m.constant("f32", 0.5)
        red = m.Reduce(["i32"], [v], 0, [m.integer(0, 32, "i32")])
        with red.new_block([m.type("i32"), m.type("i32")]) as (x, y):
            m.constant("i32", 5)
            m.Yield([m.AddI("i32", x, y, NONE)])
        total, = red.done()
        m.Assume("i32", total, bc.DivBy(2))
        load, token = m.LoadPtrTko("f32", "token", ptr, None, None, None, MEM.WEAK, None, None)
        m.JoinTokens("token", [token, m.MakeToken("token")])
        loop = m.For(["i32"], i, k, k, [s], False)
        with loop.new_block([m.type("i32"), m.type("i32")]) as (j, carried):
            m.Assume("i32", j, bc.DivBy(2)), m.Assume("i32", carried, bc.DivBy(2))
            nested = m.For(["i32", "f32"], j, k, k, [carried, f], False)
            with nested.new_block([m.type("i32"), m.type("i32"), m.type("f32")]) as (j2, c2, c3):
                m.Continue([m.AddI("i32", j2, c2, NONE), c3])
            x, y = nested.done()
            m.Assume("i32", x, bc.DivBy(2))
            m.Continue([x])
        x, = loop.done()
        m.Assume("i32", x, bc.DivBy(2))
        m.constant("i32", 5)


@corpus(*VERSIONS)
def control(m):
    with m.entry("control", "i32", "i32", "i32", "i1", "f32", "2x4xf32", end=False) as (lo, hi, step, c, f, t):
        empty = m.For([], lo, hi, step, [], False)
        with empty.new_block([m.type("i32")]):
            m.Continue([])
        empty.done()
        if m.version >= 1302:
            unsigned = m.For(["f32"], lo, hi, step, [f], True)
            with unsigned.new_block([m.type("i32"), m.type("f32")]) as (i, x):
                m.Continue([x])
            unsigned.done()
        two = m.For(["f32", "2x4xf32"], lo, hi, step, [f, t], False)
        with two.new_block([m.type("i32"), m.type("f32"), m.type("2x4xf32")]) as (i, x, y):
            choice = m.If(["f32", "2x4xf32"], c)
            with choice.new_block([]):
                m.Yield([m.AddF("f32", x, x, RN, False), y])
            with choice.new_block([]):
                m.Continue([x, y])
            a, b = choice.done()
            m.Continue([a, b])
        r = two.done()
        m.AddF("f32", r[0], r[0], RN, False), m.AbsF("2x4xf32", r[1])
        forever = m.Loop([], [])
        with forever.new_block([]):
            choice = m.If([], c)
            with choice.new_block([]):
                m.Break([])
            with choice.new_block([]):
                m.Yield([])
            choice.done()
            m.Continue([])
        forever.done()
        carried = m.Loop(["f32"], [f])
        with carried.new_block([m.type("f32")]) as (x,):
            choice = m.If([], c)
            with choice.new_block([]):
                m.Break([x])
            with choice.new_block([]):
                m.Continue([m.NegF("f32", x)])
            choice.done()
            m.Break([x])
        m.AbsF("f32", carried.done()[0])
        other = m.Loop(["2x4xf32", "i32"], [f])
        with other.new_block([m.type("f32")]) as (x,):
            m.Break([t, lo])
        other.done()
        init = m.Loop([], [f, lo])
        with init.new_block([m.type("f32"), m.type("i32")]) as (x, y):
            choice = m.If([], c)
            with choice.new_block([]):
                m.Break([])
            with choice.new_block([]):
                m.Yield([])
            choice.done()
            m.Continue([x, y])
        init.done()
        early = m.If([], c)
        with early.new_block([]):
            m.Return([])
        with early.new_block([]):
            m.Yield([])
        early.done()
        m.Return([])


@corpus()
def reduce_scan(m):
    with m.entry("reduce_scan", "8x4xf32", "8x4xi32", "16xi1", "8x4xf64", "64xf16", "8xi64", "16xbf16", "16xi8", "16xi16") as p:
        t, n, b, d, h, l, bf, i8, i16 = p
        red = m.Reduce(["8xf32"], [t], 1, [bc.Float(0.0, SIMPLE["f32"], m.tt)])
        with red.new_block([m.type("f32")] * 2) as (x, y):
            m.Yield([m.AddF("f32", x, y, RN, False)])
        m.AbsF("8xf32", red.done()[0])
        pair = m.Reduce(["4xf32", "4xi32"], [t, n], 0, [bc.Float(float("-inf"), SIMPLE["f32"], m.tt), m.integer(0, 32, "i32")])
        with pair.new_block([m.type("f32")] * 2 + [m.type("i32")] * 2) as (x, y, i, j):
            c = m.CmpF("i1", x, y, PRED.GREATER_THAN, ORDER.ORDERED)
            m.Yield([m.Select("f32", c, x, y), m.Select("i32", c, i, j)])
        x, y = pair.done()
        m.AbsI("4xi32", y)
        scalar = m.Reduce(["i1"], [b], 0, [m.integer(1, 1, "i1")])
        with scalar.new_block([m.type("i1")] * 2) as (x, y):
            m.Yield([m.AndI("i1", x, y)])
        scalar.done()
        for bits in (0x7FF0000000000000, 0xFFF0000000000000, 0x8000000000000000, 0xBFF8000000000000, 0, 0x3FB999999999999A):
            wide = m.Reduce(["8xf64"], [d], 1, [FloatBits(bits, SIMPLE["f64"], m.tt)])
            with wide.new_block([m.type("f64")] * 2) as (x, y):
                m.Yield([m.MaxF("f64", x, y, False, False)])
            wide.done()
        for value in (0.0, 1.0, float("inf"), float("-inf"), 0.1, 65504.0, float("nan")):
            half = m.Reduce(["f16"], [h], 0, [bc.Float(value, SIMPLE["f16"], m.tt)])
            with half.new_block([m.type("f16")] * 2) as (x, y):
                m.Yield([m.MinF("f16", x, y, True, False)])
            half.done()
            single = m.Reduce(["8xf32"], [t], 1, [bc.Float(value, SIMPLE["f32"], m.tt)])
            with single.new_block([m.type("f32")] * 2) as (x, y):
                m.Yield([m.MinF("f32", x, y, True, True)])
            single.done()
        for value in (0.0, float("-inf"), 0.3):
            brain = m.Reduce(["bf16"], [bf], 0, [bc.Float(value, SIMPLE["bf16"], m.tt)])
            with brain.new_block([m.type("bf16")] * 2) as (x, y):
                m.Yield([m.MaxF("bf16", x, y, False, False)])
            brain.done()
        for value in (0, -1, (1 << 63) - 1, -(1 << 63)):
            long = m.Reduce(["i64"], [l], 0, [m.integer(value, 64, "i64")])
            with long.new_block([m.type("i64")] * 2) as (x, y):
                m.Yield([m.MaxI("i64", x, y, S)])
            long.done()
        for operand, kind in ((i8, "i8"), (i16, "i16")):
            small = m.Reduce([kind], [operand], 0, [m.integer(-5, int(kind[1:]), kind)])
            with small.new_block([m.type(kind)] * 2) as (x, y):
                m.Yield([m.MaxI(kind, x, y, U)])
            small.done()
        for reverse in (False, True):
            scan = m.Scan(["8x4xf32"], [t], 1, reverse, [bc.Float(1.0, SIMPLE["f32"], m.tt)])
            with scan.new_block([m.type("f32")] * 2) as (x, y):
                m.Yield([m.MulF("f32", x, y, RN, False)])
            m.AbsF("8x4xf32", scan.done()[0])
        both = m.Scan(["8x4xf32", "8x4xi32"], [t, n], 0, False, [bc.Float(1.0, SIMPLE["f32"], m.tt), m.integer(-7, 32, "i32")])
        with both.new_block([m.type("f32")] * 2 + [m.type("i32")] * 2) as (x, y, i, j):
            m.Yield([m.MulF("f32", x, y, RN, False), m.AddI("i32", i, j, NONE)])
        both.done()


@corpus()
def data_movement(m):
    with m.entry("data_movement", "8x4xf32", "i32", "*f16", "16x*i8", "16xi64", "16xi1", "i1", "4x4xi8") as p:
        t, i, ptr, ptrs, offsets, mask, c, q = p
        m.Broadcast("8x4xi32", m.Reshape("1x1xi32", i)), m.Reshape("2x16xf32", t), m.Reshape("32xf32", t)
        m.Permute("4x8xf32", t, [1, 0]), m.Permute("2x4x8x1xf32", m.Reshape("8x1x4x2xf32", m.Broadcast("8x8xf32", m.constant("8x1xf32", 1.0))), [3, 2, 0, 1])
        m.Cat("16x4xf32", t, t, 0), m.Cat("8x8xf32", t, t, 1)
        m.Extract("4x2xf32", t, [i, i]), m.Extract("f32", m.constant("f32", 1.0), [])
        for n in ("i8", "i16", "i32", "i64"):
            m.Iota(f"16x{n}")
        m.Iota("2xi1"), m.Iota("1xi32")
        o = m.Offset("16x*i8", ptrs, offsets)
        m.Offset("*f16", ptr, i), m.Reshape("16x1x*i8", o), m.Broadcast("16x4x*i8", m.Reshape("16x1x*i8", o))
        m.Select("16x*i8", mask, ptrs, o), m.Select("*f16", c, ptr, ptr)
        if m.version >= 1303:
            for n, count in (("i16", 32), ("i32", 64), ("f32", 64), ("f64", 128), ("i1", 2), ("f16", 32), ("bf16", 32), ("i64", 128)):
                packed = m.Pack(f"{count}xi8", m.constant(f"16x{n}", 1 if n[0] == "i" else 1.0))
                m.Unpack(f"16x{n}", packed)
            f4 = m.constant("16xf4E2M1FN", 1.0)
            m.Unpack("16xf4E2M1FN", m.Pack("8xi8", f4)), m.Reshape("4x4xf4E2M1FN", f4)
            nibble = m.TruncI("4x4xi4", q, NONE)
            m.Pack("8xi8", m.Reshape("16xi4", nibble)), m.Permute("4x4xi4", nibble, [1, 0])
            m.Unpack("32xi4", m.constant("16xi8", 3))


@corpus(1301, 1303, 1304)
def memory_pointers(m):
    with m.entry("memory_pointers", "*f32", "8x4x*f32", "8x4xi1", "8x4xf32", "token", "*i1", "4x*i64", "4x*f8E5M2") as p:
        ptr, ptrs, mask, pad, token, bools, longs, small = p
        hints = at.make_load_store_hints({"sm_100": bc.LoadStoreHints(latency=3)})
        more = at.make_load_store_hints({"sm_120": bc.LoadStoreHints(latency=10), "default": bc.LoadStoreHints(), "sm_80": bc.LoadStoreHints(1, False)})
        for order, scope in ((MEM.WEAK, None), (MEM.RELAXED, SCOPE.DEVICE), (MEM.RELAXED, SCOPE.TL_BLK), (MEM.ACQUIRE, SCOPE.SYS)):
            for hint in (None, hints, more):
                m.LoadPtrTko("f32", "token", ptr, None, None, None, order, scope, hint)
                m.LoadPtrTko("f32", "token", ptr, None, None, token, order, scope, hint)
                m.LoadPtrTko("8x4xf32", "token", ptrs, mask, None, None, order, scope, hint)
                m.LoadPtrTko("8x4xf32", "token", ptrs, mask, pad, token, order, scope, hint)
        for order, scope in ((MEM.WEAK, None), (MEM.RELAXED, SCOPE.DEVICE), (MEM.RELAXED, SCOPE.TL_BLK), (MEM.RELEASE, SCOPE.SYS)):
            for hint in (None, hints, more):
                m.StorePtrTko("token", ptrs, pad, None, None, order, scope, hint)
                m.StorePtrTko("token", ptrs, pad, mask, None, order, scope, hint)
                m.StorePtrTko("token", ptrs, pad, None, token, order, scope, hint)
                m.StorePtrTko("token", ptrs, pad, mask, token, order, scope, hint)
        flag, t = m.LoadPtrTko("i1", "token", bools, None, None, token, MEM.WEAK, None, None)
        m.StorePtrTko("token", bools, flag, flag, t, MEM.WEAK, None, None)
        m.LoadPtrTko("4xi64", "token", longs, None, None, token, MEM.WEAK, None, None)
        m.LoadPtrTko("4xf8E5M2", "token", small, None, None, token, MEM.WEAK, None, None)
        m.JoinTokens("token", [t, token]), m.JoinTokens("token", [t, token, t])


@corpus(1301, 1303, 1304, 1305)
def atomics(m):
    kinds = ["i32", "i64", "f32", "f64", "f16", "bf16"]
    with m.entry("atomics", *[f"4x*{k}" for k in kinds], *[f"4x{k}" for k in kinds], "4xi1", "token", "*i32", "i32") as p:
        mask, token, one, value = p[12:]
        for i, k in enumerate(kinds):
            t = f"4x{k}"
            modes = [RMW.ADDF]
            if k[0] == "i":
                modes = [RMW.AND, RMW.OR, RMW.XOR, RMW.ADD, RMW.MAX, RMW.MIN, RMW.UMAX, RMW.UMIN, RMW.XCHG]
            elif k in ("f32", "f64"):
                modes.append(RMW.XCHG)
            for mode in modes:
                m.AtomicRMWTko(t, "token", p[i], p[6 + i], None, None, MEM.RELAXED, SCOPE.DEVICE, mode)
            if k not in ("f16", "bf16"):
                m.AtomicCASTko(t, "token", p[i], p[6 + i], p[6 + i], None, None, MEM.RELAXED, SCOPE.DEVICE)
        for order in (MEM.RELAXED, MEM.ACQUIRE, MEM.RELEASE, MEM.ACQ_REL):
            for scope in SCOPE:
                m.AtomicRMWTko("4xi32", "token", p[0], p[6], mask, token, order, scope, RMW.ADD)
                m.AtomicRMWTko("4xi32", "token", p[0], p[6], mask, None, order, scope, RMW.ADD)
                m.AtomicCASTko("4xi32", "token", p[0], p[6], p[6], mask, token, order, scope)
                m.AtomicCASTko("i32", "token", one, value, value, None, token, order, scope)


@corpus(1301, 1303, 1304, 1305)
def views(m):
    with m.entry("views", "*f32", "i32", "i64", "*i8", "token", "i16") as (ptr, n, wide, bytes_, token, short):
        tensors = []
        for shape, strides, dynamic in (([64], [1], []), ([None, 16], [16, 1], [n]), ([None, None], [None, 1], [n, n, n]),
                                        ([4, 8, None], [None, None, 1], [n, n, n]), ([1, 2, 3, 5], [30, 15, 5, 1], []), ([], [], [])):
            type_ = m.tensor_view("f32", shape, strides)
            count = sum(s is None for s in shape)
            tensors.append((m.MakeTensorView(type_, ptr, dynamic[:count], dynamic[count:]), type_))
        type_ = m.tensor_view("i8", [None], [None])
        t64 = m.MakeTensorView(type_, bytes_, [wide], [wide])
        m.MakeTensorView(type_, bytes_, [short], [short])
        m.GetTensorShape(["i64"], t64)
        for t, type_ in tensors[:5]:
            rank = [1, 2, 2, 3, 4, 0][[x[0] for x in tensors].index(t)]
            m.GetTensorShape(["i32"] * rank, t), m.GetTensorShape(["i64"] * rank, t)
        zero = m.constant("i32", 0)

        def access(view, tile, index):
            for order, scope in ((MEM.WEAK, None), (MEM.RELAXED, SCOPE.DEVICE), (MEM.ACQUIRE, SCOPE.SYS)):
                x, _ = m.LoadViewTko(tile, "token", view, index, None, order, scope, None)
                m.LoadViewTko(tile, "token", view, index, token, order, scope, None)
            for order, scope in ((MEM.WEAK, None), (MEM.RELAXED, SCOPE.TL_BLK), (MEM.RELEASE, SCOPE.SYS)):
                m.StoreViewTko("token", x, view, index, None, order, scope, None)
                m.StoreViewTko("token", x, view, index, token, order, scope, None)
            hints = at.make_load_store_hints({"sm_100": bc.LoadStoreHints(latency=3, allow_tma=False), "sm_90": bc.LoadStoreHints(latency=2)})
            m.LoadViewTko(tile, "token", view, index, token, MEM.WEAK, None, hints)
            m.StoreViewTko("token", x, view, index, token, MEM.WEAK, None, hints)
            m.StoreViewTko("token", x, view, index, None, MEM.RELAXED, SCOPE.DEVICE, hints)
            if m.version >= 1304:
                m.LoadViewTko(tile, "token", view, index, token, MEM.WEAK, None, hints, True)
                m.StoreViewTko("token", x, view, index, None, MEM.WEAK, None, None, True)
                m.StoreViewTko("token", x, view, index, token, MEM.WEAK, None, hints, True)

        for t, tile, dim_map, pad in ((0, [16], [0], PAD.Missing), (1, [4, 8], [0, 1], PAD.Missing), (1, [4, 8], [1, 0], PAD.Zero),
                                      (2, [2, 2], [0, 1], PAD.NegZero), (3, [2, 4, 8], [2, 0, 1], PAD.Nan), (3, [1, 1, 1], [0, 1, 2], PAD.PosInf),
                                      (4, [1, 2, 1, 4], [0, 1, 2, 3], PAD.NegInf), (0, [64], [0], PAD.Zero)):
            view = m.MakePartitionView(m.tt.partition_view(tile, tensors[t][1], dim_map, pad), tensors[t][0])
            m.GetIndexSpaceShape(["i32"] * len(tile), view)
            access(view, "x".join(map(str, tile)) + "xf32", [zero] * len(tile))
        wide_index = m.MakePartitionView(m.tt.partition_view([4, 8], tensors[1][1], [0, 1], PAD.Missing), tensors[1][0])
        m.LoadViewTko("4x8xf32", "token", wide_index, [zero, zero], token, MEM.WEAK, None, None)
        m.StoreViewTko("token", m.constant("4x8xf32", 1.0), wide_index, [wide, wide], token, MEM.WEAK, None, None)
        m.LoadViewTko("4x8xf32", "token", wide_index, [wide, wide], token, MEM.WEAK, None, None)
        if m.version < 1303:
            return
        for t, tile, stride, dim_map, pad in ((0, [16], [8], [0], PAD.Missing), (1, [4, 8], [3, 9], [1, 0], PAD.Zero), (2, [2, 2], [1, 1], [0, 1], PAD.Missing)):
            view = m.MakeStridedView(m.tt.strided_view(tile, stride, tensors[t][1], dim_map, pad), tensors[t][0])
            m.GetIndexSpaceShape(["i64"] * len(tile), view)
            access(view, "x".join(map(str, tile)) + "xf32", [zero] * len(tile))
            if pad == PAD.Missing:
                value = m.constant("x".join(map(str, tile)) + "xf32", 1.0)
                m.AtomicRedViewTko("token", view, [zero] * len(tile), value, None, MEM.RELAXED, SCOPE.DEVICE, RMW.ADDF, [False] * len(tile))
                m.AtomicRedViewTko("token", view, [zero] * len(tile), value, token, MEM.RELAXED, SCOPE.TL_BLK, RMW.ADDF, [False] * len(tile))
        for t, tile, sparse, pad in ((1, [4, 8], 0, PAD.Missing), (1, [4, 8], 1, PAD.Zero), (3, [2, 4, 8], 1, PAD.Nan)):
            view = m.MakeGatherScatterView(m.tt.gather_scatter_view(tile, tensors[t][1], sparse, pad), tensors[t][0])
            index = [zero] * len(tile)
            index[sparse] = m.constant(f"{tile[sparse]}xi32", 1)
            access(view, "x".join(map(str, tile)) + "xf32", index)
        red = m.MakePartitionView(m.tt.partition_view([16], m.tensor_view("i32", [64], [1]), [0], PAD.Missing),
                                  m.MakeTensorView(m.tensor_view("i32", [64], [1]), m.PtrToPtr("*i32", ptr), [], []))
        for mode in (RMW.AND, RMW.OR, RMW.XOR, RMW.ADD, RMW.MAX, RMW.MIN, RMW.UMAX, RMW.UMIN):
            m.AtomicRedViewTko("token", red, [zero], m.constant("16xi32", 1), token, MEM.RELAXED, SCOPE.DEVICE, mode, [False])


@corpus(1301, 1303, 1304)
def matrices(m):
    with m.entry("matrices") as _:
        cases = [("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f32", "f32"), ("f64", "f64"), ("f8E4M3FN", "f16"),
                 ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f8E5M2", "f32")]
        for a, c in cases:
            for batch in ("", "2x"):
                lhs, rhs, acc = (m.constant(f"{batch}16x32x{a}", 1.0), m.constant(f"{batch}32x8x{a}", 1.0), m.constant(f"{batch}16x8x{c}", 0.0))
                m.MmaF(f"{batch}16x8x{c}", lhs, rhs, acc, False)
                if m.version >= 1303:
                    m.MmaF(f"{batch}16x8x{c}", lhs, rhs, acc, True)
        for batch in ("", "4x"):
            lhs, rhs, acc = m.constant(f"{batch}16x32xi8", 1), m.constant(f"{batch}32x8xi8", 1), m.constant(f"{batch}16x8xi32", 0)
            for s in SIGN:
                for r in SIGN:
                    m.MmaI(f"{batch}16x8xi32", lhs, rhs, acc, s, r)
        if m.version >= 1303:
            for a, s, v in (("f8E4M3FN", "f8E8M0FNU", 32), ("f8E5M2", "f8E8M0FNU", 32), ("f4E2M1FN", "f8E4M3FN", 16),
                            ("f4E2M1FN", "f8E8M0FNU", 16), ("f4E2M1FN", "f8E8M0FNU", 32)):
                for batch in ("", "2x"):
                    m.MmaFScaled(f"{batch}16x8xf32", m.constant(f"{batch}16x64x{a}", 1.0), m.constant(f"{batch}64x8x{a}", 1.0),
                                 m.constant(f"{batch}16x8xf32", 0.0), m.constant(f"{batch}16x{64 // v}x{s}", 1.0),
                                 m.constant(f"{batch}{64 // v}x8x{s}", 1.0))


@corpus(*VERSIONS, functions=2)
def miscellany(m):
    g = m.w.global_section
    g.define_global("counter", m.type("1xi32"), pack("i32", [7]))
    g.define_global("table", m.type("4xf32"), pack("f32", [1.0, 2.5, -3.0, float("inf")]), 16)
    g.define_global("flags", m.type("16xi1"), pack("i1", [True]))
    g.define_global("bits", m.type("4xi1"), pack("i1", [True, False, False, True]))
    g.define_global("needs quotes", m.type("2xf64"), pack("f64", [0.1]), 8)
    g.define_global("a$b.c_1", m.type("2xbf16"), pack("bf16", [2.0, 1.5]))
    if m.version >= 1303:
        g.define_global("fixed", m.type("2xi64"), pack("i64", [-1, 5]), 8, True)
        g.define_global("hidden", m.type("2xi8"), pack("i8", [3]), 0, False, bc.SymbolVisibility.Private)
        g.define_global("both", m.type("2xf16"), pack("f16", [3.0]), 256, True, bc.SymbolVisibility.Private)
        g.define_global("0digit", m.type("4xf8E4M3FN"), pack("f8E4M3FN", [1.0, 2.0, 0.5, 448.0]), 2)
    hints = {"sm_100": bc.EntryHints(2, 4), "sm_90": bc.EntryHints(occupancy=2), "default": bc.EntryHints(), "sm_120": bc.EntryHints(1, None, 8)}
    with m.entry("miscellany", "i32", "f32", "*f32", "i1", hints=hints) as (i, f, ptr, c):
        m.GetGlobal("*i32", "counter"), m.GetGlobal("*f32", "table"), m.GetGlobal("*f64", "needs quotes"), m.GetGlobal("*bf16", "a$b.c_1")
        m.Assert(c, "plain"), m.Assert(c, 'with "quotes", \\ and \n newline \t tab'), m.Assert(c, "umlaut \u00e4 \u20ac"), m.Assert(c, "")
        m.Assert(m.constant("4xi1", True, False, True, True), "\x00\x1f\x7f nul")
        result = m.type("token") if m.version >= 1302 else None
        t = m.PrintTko(result, [], None, "hello\n")
        m.PrintTko(result, [i, f], None, "%d and %f, 100%%\n"), m.PrintTko(result, [m.constant("2x2xf32", 1.0)], None, "%f")
        if m.version >= 1302:
            m.PrintTko(result, [], t, "again"), m.PrintTko(result, [i], t, "%i")
        m.Assume("*f32", ptr, bc.DivBy(16)), m.Assume("i32", i, bc.DivBy(1 << 62)), m.Assume("i32", i, bc.Bounded(-(1 << 31), (1 << 31) - 1))
        v = m.constant("4x8xi32", 1)
        for predicate in (bc.DivBy(8), bc.DivBy(8, 2, 1), bc.DivBy(2, 0, 0), SameElements([4, 8]), SameElements([0, 2]), bc.Bounded(0, 0), bc.Bounded(None, -4)):
            m.Assume("4x8xi32", v, predicate)
        view = m.MakeTensorView(m.tensor_view("f32", [None, 4], [4, 1]), ptr, [i], [])
        m.Assume(m.tensor_view("f32", [None, 4], [4, 1]), view, bc.DivBy(32))
        token = m.MakeToken("token")
        m.JoinTokens("token", [token, token])
        m.Assume("16x*f32", m.Broadcast("16x*f32", m.Reshape("1x*f32", ptr)), bc.DivBy(16, 4, 0))
        m.Assume("16x*f32", m.Broadcast("16x*f32", m.Reshape("1x*f32", ptr)), SameElements([16]))
        m.Assume("4xi1", m.constant("4xi1", True), SameElements([1])), m.Assume("4xi64", m.constant("4xi64", 3), bc.Bounded(-(1 << 63), (1 << 63) - 1))
        if m.version >= 1303:
            m.Alloca("*f32", 16, 4, False), m.Alloca("*i8", 1024, 128, True), m.Alloca("*f64", 1, 8, False), m.Alloca("*i1", 0, 1, False)
    with m.entry("quoted name!", hints={"sm_100": bc.EntryHints()}):
        pass


@corpus(1301, 1303, 1304, 1305, functions=3)
def locations(m):
    d = m.w.debug_attr_table
    file = d.file("kernel.py", "/src/examples")
    other = d.file("helper\"s.py", "/src/lib")
    unit = d.compile_unit(file)
    first = d.subprogram(file, 10, "first", "first", unit, 10)
    helper = d.subprogram(other, 3, "helper", "helper_linkage", unit, 4)
    block = d.lexical_block(first, file, 12, 4)
    inner = d.lexical_block(block, other, 13, 0)
    with m.entry("first", "i32", "f32", "i1", debug=d.loc(first, "/src/examples/kernel.py", 10, 0), end=False) as (i, f, c):
        with m.b.debug_attr(d.loc(first, "/src/examples/kernel.py", 11, 5)):
            m.AddI("i32", i, i, NONE)
        with m.b.debug_attr(d.loc(block, "/src/examples/kernel.py", 12, 7)):
            m.SubI("i32", i, i, NONE)
            choice = m.If(["i32"], c)
        with choice.new_block([]):
            with m.b.debug_attr(d.loc(inner, "/src/lib/helper.py", 14, 1)):
                x = m.MulI("i32", i, i, NONE)
            m.Yield([x])
        with choice.new_block([]):
            with m.b.debug_attr(d.call_site(d.loc(helper, "/src/lib/helper.py", 5, 9), d.loc(first, "/src/examples/kernel.py", 15, 2))):
                y = m.constant("i32", 3)
                m.Yield([y])
        choice.done()
        with m.b.debug_attr(d.call_site(d.loc(helper, "/src/lib/helper.py", 6, 9),
                                        d.call_site(d.loc(helper, "/src/lib/helper.py", 5, 9), d.loc(first, "/src/examples/kernel.py", 15, 2)))):
            red = m.Reduce(["f32"], [m.constant("8xf32", 1.0)], 0, [bc.Float(0.0, SIMPLE["f32"], m.tt)])
            with red.new_block([m.type("f32")] * 2) as (x, y):
                m.Yield([m.AddF("f32", x, y, RN, False)])
            red.done()
        m.AbsF("f32", f)
        with m.b.debug_attr(d.loc(first, "/src/examples/kernel.py", 11, 5)):
            m.AbsI("i32", i)
            loop = m.For([], i, i, i, [], False)
            with loop.new_block([m.type("i32")]):
                m.Continue([])
            loop.done()
            m.Return([])
    second = d.subprogram(file, 30, "second", "second", unit, 31)
    with m.entry("second", "i32", debug=d.loc(second, "/src/examples/kernel.py", 30, 0)) as (i,):
        with m.b.debug_attr(d.loc(second, "/src/examples/kernel.py", 11, 5)):
            m.AddI("i32", i, i, NONE)
        m.AddI("i32", i, i, NONE)
    with m.entry("third", "i32") as (i,):
        m.AddI("i32", i, i, NONE)

@corpus(1304, functions=2)
def since_13_4(m):
    """Ops, types and attributes that came with 13.4."""
    attribute = bc.PtrAttr.Default
    pointer = m.tt.tile(m.tt.pointer(m.tt.simple(SIMPLE["f32"]), attribute), [])
    with m.w.function("pointers", [pointer, m.type("i32")], [], True, {}, bc.MISSING_DEBUG_ATTR_ID) as f:
        m.b = f.code_builder
        ptr, n = f.parameters
        for shape, strides, extra in (([64], [1], []), ([DYNAMIC, 16], [16, 1], [n])):
            kind = m.tt.tensor_view(m.tt.simple(SIMPLE["f32"]), shape, strides, attribute)
            view = m.MakeTensorView(kind, ptr, extra, [])
            tile = [16] if len(shape) == 1 else [4, 8]
            parts = m.MakePartitionView(m.tt.partition_view(tile, kind, list(range(len(tile))), PAD.Zero), view)
            m.LoadViewTko("x".join(map(str, tile)) + "xf32", "token", parts, [n] * len(tile), None, MEM.WEAK, None, None, True)
        m.Return([])
    with m.entry("since_13_4", *FLOATS, "i1", "i8", "i16", "i32", "16xf32", "8x4xbf16") as (*floats, b, c, s, i, v, w):
        for t, x in zip(FLOATS, floats):
            for e in (b, c, s, i):
                m.FPowI(t, x, e)
        m.FPowI("16xf32", v, m.constant("16xi32", -3)), m.FPowI("8x4xbf16", w, m.constant("8x4xi8", 2))
        m.Insert("16xf32", m.constant("4xf32", 1.0), v, [i]), m.Insert("16xf32", v, v, [i])
        m.Insert("8x4xbf16", m.constant("2x4xbf16", 1.0), w, [i, i])
        t = m.GdcWaitTko("token", None)
        t = m.GdcLaunchDependentsTko("token", m.GdcWaitTko("token", t))
        m.GdcLaunchDependentsTko("token", None)
        m.MemoryFenceAliasTko("token", t)
        for value in (1.0, 0.5, 1.75, 0.1):
            m.constant("fnv8E5M3FNU", bc.float_to_bits(value, SIMPLE["fnv8E5M3FNU"]))
        for bits in (*range(0, 128, 5), 255):  # tileirdisasm 13.4 crashes on 128 to 254
            m.constant("fnv8E5M3FNU", bits)
        m.constant("2x4xfnv8E5M3FNU", 255), m.constant("4xfnv8E5M3FNU", 1, 255, 120, 0)
        for mode in (RN, ROUND.ZERO, ROUND.NEGATIVE_INF, ROUND.POSITIVE_INF, ROUND.NEAREST_AWAY):
            m.FToF("16xf64", v, mode)
        for k in (16, 32):
            m.MmaFScaled("16x8xf32", m.constant("16x64xf4E2M1FN", 1.0), m.constant("64x8xf4E2M1FN", 1.0), m.constant("16x8xf32", 0.0),
                         m.constant(f"16x{64 // k}xfnv8E5M3FNU", 120), m.constant(f"{64 // k}x8xfnv8E5M3FNU", 120))


class PointerAttribute:
    def __init__(self, number):
        self._value_ = bytes([number])


UNICAST, MULTICAST = PointerAttribute(1), PointerAttribute(2)


@corpus(1305, functions=3)
def since_13_5(m):
    """Ops, types and attributes that came with 13.5."""
    def pointer(element, attribute):
        return m.tt.tile(m.tt.pointer(m.tt.simple(SIMPLE[element]), attribute), [])

    kinds = ("i32", "i64", "f16", "bf16", "f32", "f64")
    with m.w.function("multimem", [*(pointer(k, MULTICAST) for k in kinds), m.type("i32"), m.type("i64")], [], True, {},
                      bc.MISSING_DEBUG_ATTR_ID) as f:
        m.b = f.code_builder
        *pointers, n, wide = f.parameters
        token = m.MakeToken("token")
        for kind, base in zip(kinds, pointers):
            element = m.tt.simple(SIMPLE[kind])
            tensor = m.tt.tensor_view(element, [DYNAMIC, 64], [DYNAMIC, 1], MULTICAST)
            view = m.MakePartitionView(m.tt.partition_view([4, 8], tensor, [1, 0], PAD.Missing), m.MakeTensorView(tensor, base, [n], [n]))
            floating, half = kind[0] != "i", kind in ("f16", "bf16")
            reductions = list(MULTIMEM) if not floating else [MULTIMEM.ADD]
            tile = f"4x8x{kind}"
            for reduction in reductions + ([MULTIMEM.MIN, MULTIMEM.MAX] if half else []):
                for order, scope in ((MEM.WEAK, None), (MEM.RELAXED, SCOPE.DEVICE), (MEM.ACQUIRE, SCOPE.SYS)):
                    value, _ = m.MultimemLoadReduceViewTko(tile, "token", view, [n, n], None, order, scope, reduction, [False, False])
                m.MultimemLoadReduceViewTko(tile, "token", view, [wide, wide], token, MEM.RELAXED, SCOPE.TL_BLK, reduction, [True, False])
                m.MultimemLoadReduceViewTko(tile, "token", view, [n, n], token, MEM.WEAK, None, reduction, [False, False])
                m.MultimemLoadReduceViewTko(tile, "token", view, [n, n], None, MEM.WEAK, None, reduction, [True, True])
            for reduction in reductions:
                for order in (MEM.RELAXED, MEM.RELEASE):
                    for scope in SCOPE:
                        m.MultimemReduceViewTko("token", view, value, [n, n], None, order, scope, reduction, [False, False])
                m.MultimemReduceViewTko("token", view, value, [wide, wide], token, MEM.RELAXED, SCOPE.SYS, reduction, [False, True])
                m.MultimemReduceViewTko("token", view, value, [n, n], token, MEM.RELAXED, SCOPE.SYS, reduction, [False, False])
            for order, scope in ((MEM.WEAK, None), (MEM.RELAXED, SCOPE.DEVICE), (MEM.RELEASE, SCOPE.SYS)):
                m.MultimemStoreViewTko("token", view, value, [n, n], None, order, scope, [False, False])
                m.MultimemStoreViewTko("token", view, value, [n, n], token, order, scope, [True, True])
                m.MultimemStoreViewTko("token", view, value, [wide, wide], token, order, scope, [False, False])
        m.Return([])
    with m.w.function("pointers", [pointer("f32", UNICAST), pointer("f32", MULTICAST), m.type("i32"), m.type("i64")], [], True,
                      {"sm_100": bc.EntryHints(num_worker_warps_per_cta=2)}, bc.MISSING_DEBUG_ATTR_ID) as f:
        m.b = f.code_builder
        one, many, n, address = f.parameters
        x, _ = m.LoadPtrTko("f32", "token", one, None, None, None, MEM.WEAK, None, None)
        m.StorePtrTko("token", m.Offset(pointer("f32", UNICAST), one, n), x, None, None, MEM.RELAXED, SCOPE.SYS, None)
        m.AtomicRMWTko("f32", "token", one, x, None, None, MEM.RELAXED, SCOPE.SYS, RMW.ADDF)
        m.AtomicCASTko("f32", "token", one, x, x, None, None, MEM.RELAXED, SCOPE.SYS)
        tensor = m.tt.tensor_view(m.tt.simple(SIMPLE["f32"]), [DYNAMIC], [1], UNICAST)
        view = m.MakePartitionView(m.tt.partition_view([4], tensor, [0], PAD.Missing), m.MakeTensorView(tensor, one, [n], []))
        y, _ = m.LoadViewTko("4xf32", "token", view, [n], None, MEM.WEAK, None, None)
        m.AtomicRedViewTko("token", view, [n], y, None, MEM.RELAXED, SCOPE.DEVICE, RMW.ADDF, [True])
        m.PtrToPtr(pointer("f32", MULTICAST), m.PtrToPtr("*f32", many)), m.PtrToPtr(pointer("f32", UNICAST), many)
        m.PtrToInt("i64", m.IntToPtr(pointer("f32", MULTICAST), address))
        m.Return([])
    with m.entry("inbounds", "*i32", "i32") as (p, n):
        padded = m.tt.partition_view([4, 4], m.tensor_view("i32", [None, 16], [16, 1]), [0, 1], PAD.Zero)
        view = m.MakePartitionView(padded, m.MakeTensorView(m.tensor_view("i32", [None, 16], [16, 1]), p, [n], []))
        one, token = m.constant("4x4xi32", 1), m.MakeToken("token")
        for inbounds in ([False, False], [True, False], [False, True], [True, True]):
            m.AtomicRedViewTko("token", view, [n, n], one, None, MEM.RELAXED, SCOPE.DEVICE, RMW.ADD, inbounds)
            m.AtomicRedViewTko("token", view, [n, n], one, token, MEM.RELAXED, SCOPE.TL_BLK, RMW.UMAX, inbounds)


def no_block(nest):
    """Gives a region no block: an if without else."""
    nest._code_builder.buf.append(0)
    nest._num_blocks -= 1


@corpus(1301, 1303, 1304)
def oddities(m):
    with m.entry("oddities", "i32", "i1", "f32", "*f32") as (i, c, f, ptr):
        bare = m.If([], c)
        with bare.new_block([]):
            m.AddI("i32", i, i, NONE)
            m.Yield([])
        no_block(bare)
        bare.done()
        forever = m.Loop(["i32", "f32"], [])
        with forever.new_block([]):
            m.Break([i, f])
        x, y = forever.done()
        m.Assume("i32", x, bc.DivBy(2))
        returns = m.Loop([], [])
        with returns.new_block([]):
            inner = m.If([], c)
            with inner.new_block([]):
                m.Return([])
            with inner.new_block([]):
                m.Break([])
            inner.done()
            m.Continue([])
        returns.done()
        scan = m.Scan(["4xi32"], [m.constant("4xi32", 1)], 0, False, [m.integer(0, 32, "i32")])
        with scan.new_block([m.type("i32")] * 2) as (a, b):
            m.Yield([m.AddI("i32", a, b, NONE)])
        z, = scan.done()
        m.Assume("4xi32", z, bc.DivBy(2)), m.Assume("4xi32", z, bc.DivBy(4))
        value, token = m.LoadPtrTko("f32", "token", ptr, None, None, None, MEM.WEAK, None, None)
        again, _ = m.LoadPtrTko("i32", "token", m.PtrToPtr("*i32", ptr), None, None, None, MEM.WEAK, None, None)
        m.Assume("i32", again, bc.DivBy(2)), m.Assume("i32", m.GetTileBlockId("i32", "i32", "i32")[1], bc.Bounded(0, 5))
        chain = i
        for _ in range(6):
            chain = m.Assume("i32", chain, bc.DivBy(2))
        m.Assume("4xi1", m.constant("4xi1", True, False, True, True), SameElements([1]))
        odd = at.OptimizationHints([
            ("sm_100", at.Dictionary([("latency", bc.Integer.create_i32(-3)), ("wide", m.integer(1 << 40, 64, "i64")), ("small", m.integer(1, 8, "i8")),
                                      ("flag", at.Bool(True)), ("number", bc.Float(1.5, SIMPLE["f32"], m.tt)), ("truth", m.integer(1, 1, "i1"))])),
            ("not an arch", at.Dictionary([("needs quotes", at.Bool(False)), ("dotted.key", bc.Integer.create_i32(1)), ("9nine", bc.Integer.create_i32(1)),
                                           ("dollar$", bc.Integer.create_i32(1)), ("nested", at.Dictionary([("inner", at.Bool(True))])),
                                           ("double", bc.Float(0.1, SIMPLE["f64"], m.tt)), ("text", String('say "hi"\n')),
                                           ("list", at.AttributeArray([m.integer(3, 32, "i32"), bc.Float(2.0, SIMPLE["f16"], m.tt), at.Bool(True)]))]))])
        m.LoadPtrTko("f32", "token", ptr, None, None, token, MEM.WEAK, None, odd)
        m.LoadPtrTko("f32", "token", ptr, None, None, token, MEM.WEAK, None, at.OptimizationHints([]))
        reduced = m.Reduce(["i1"], [m.constant("4xi1", True)], 0, [at.Bool(True)])
        with reduced.new_block([m.type("i1")] * 2) as (a, b):
            m.Yield([m.OrI("i1", a, b)])
        reduced.done()
        nested = m.Reduce(["f32"], [m.constant("4xf32", 1.0)], 0, [bc.Float(0.0, SIMPLE["f32"], m.tt)])
        with nested.new_block([m.type("f32")] * 2) as (a, b):
            pick = m.If(["f32"], m.CmpF("i1", a, b, PRED.LESS_THAN, ORDER.ORDERED))
            with pick.new_block([]):
                m.Yield([a])
            with pick.new_block([]):
                m.Yield([b])
            m.Yield([pick.done()[0]])
        nested.done()


@corpus(functions=4)
def symbols(m):
    for name in ("_under", "with space", "a.b$c", "1st"):
        with m.entry(name, "i32"):
            pass


@corpus(functions=2)
def extras(m):
    """What the encoder does not write: a producer. patch_extras adds it."""
    m.w._string_table[b"made \"by\" hand\t1.0"]
    for name in ("first_entry", "open_entry"):
        hints = {"sm_90": bc.EntryHints(occupancy=1)} if name == "open_entry" else {}
        with m.entry(name, "i32", hints=hints) as (i,):
            m.AddI("i32", i, i, NONE)


def patch_extras(buf, writer):
    producer, = [v.string_id for k, v in writer._string_table.items() if k.startswith(b"made")]
    assert buf.pop() == 0
    buf += bytes([7, 1, producer, 0])


def write_ftof_roundings(disassembler, folder):
    """Asks the disassembler, which verifies, for every pair of float types and every rounding."""
    kinds = ["f16", "bf16", "f32", "tf32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU"]
    lines = ["# Which roundings tileirdisasm 13.5 accepts for ftof: FROM TO ROUNDING...\n"]
    name = os.path.join(folder, "one_ftof")
    for source in kinds:
        for target in kinds:
            accepted = []
            for mode in ROUND if source != target else ():
                buf = bytearray()
                with bc.write_bytecode(1, buf, VERSIONS[1304]) as writer:
                    m = Module(writer, 1304)
                    with m.entry("one"):
                        m.FToF(f"4x{target}", m.constant(f"4x{source}", 1.0), mode)
                with open(name, "wb") as out:
                    out.write(buf)
                if subprocess.run([disassembler, name], capture_output=True).returncode == 0:
                    accepted.append(mode.name.lower())
            if source != target:
                lines.append(" ".join([source, target, *accepted]) + "\n")
    os.remove(name)
    with open(os.path.join(folder, "ftof_roundings.txt"), "w") as out:
        out.writelines(lines)


def main():
    disassembler = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(os.path.abspath(__file__))
    failed = 0
    for build, version, functions in CORPUS:
        buf = bytearray()
        with bc.write_bytecode(functions, buf, VERSIONS[version]) as writer:
            build(Module(writer, version))
        if build is extras:
            patch_extras(buf, writer)
        name = os.path.join(folder, f"{build.__name__}-{version // 100}.{version % 100}")
        with open(name + ".tileirbc", "wb") as out:
            out.write(buf)
        for flag, suffix in (([], ".txt"), (["-g"], ".g.txt")):
            done = subprocess.run([disassembler, *flag, name + ".tileirbc"], capture_output=True)
            if done.returncode:
                print(f"{name}: {done.stderr.decode()[:2000]}")
                failed += 1
                break
            if flag and build is not locations:
                continue
            with open(name + suffix, "wb") as out:
                out.write(done.stdout)
    write_ftof_roundings(disassembler, folder)
    sys.exit(failed != 0)


main()
