# SPDX-License-Identifier: Apache-2.0
# Prints small_types.def: what ml_dtypes makes of every number of the 8- and 16-bit types, as a hash
# for each pair of types. Run with numpy and ml_dtypes from PyPI (made with ml_dtypes 0.5 or newer):
# python3 small_types.py > small_types.def
import ml_dtypes
import numpy

TYPES = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
CODES = {"f4E2M1FN": 16}
# Of text only: nv_tileaa.cast goes to them, and to the f8 types also without satf.
TEXT_TYPES = {
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
}
FINITE = {"f4E2M1FN": 7, "f6E2M3FN": 31, "f6E3M2FN": 31}  # their largest codes


def integers(dtype):
    return numpy.uint16 if numpy.dtype(dtype).itemsize == 2 else numpy.uint8


def fnv1a(values):
    """64-bit FNV-1a over 16-bit numbers, low byte first."""
    state = 0xCBF29CE484222325
    for byte in values.astype("<u2").tobytes():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def codes(target, target_type, numbers, result):
    """The codes of the results, a NaN as 0xffff. Types without NaN: ml_dtypes gives a zero for it, Tile IR the
    largest number."""
    bits = result.view(integers(target_type)).astype(numpy.uint16)
    if target in FINITE:
        return numpy.where(numpy.isnan(numbers), numpy.uint16(FINITE[target]), bits)
    return numpy.where(numpy.isnan(numbers) | numpy.isnan(result), numpy.uint16(0xFFFF), bits)


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Made by small_types.py: FNV-1a of all numbers of `from`, in order, converted to `to` by")
    print("// ml_dtypes. A NaN counts as 0xffff.")
    print("//   CONVERTED(from, to, hash)")
    for source, source_type in TYPES.items():
        width = integers(source_type)
        bits = numpy.arange(CODES.get(source, 1 << 8 * numpy.dtype(width).itemsize)).astype(width)
        values = bits.view(source_type)
        for target, target_type in TYPES.items():
            if target in (source, "f8E8M0FNU"):  # rounds to nearest, which Tile IR's conversion does not
                continue
            with numpy.errstate(all="ignore"):
                numbers = values.astype(numpy.float32)  # exact
                if numpy.dtype(target_type).itemsize == 1:  # Tile IR's conversions end at the largest number
                    largest = numpy.float32(ml_dtypes.finfo(target_type).max)
                    numbers = numpy.clip(numbers, -largest, largest)  # keeps NaN
                result = numbers.astype(target_type)
            print(f"CONVERTED({source}, {target}, 0x{fnv1a(codes(target, target_type, numbers, result)):016x})")
    print("//   CAST(from, to, satf, hash): to nearest even")
    for source in ("f16", "bf16"):
        values = numpy.arange(1 << 16).astype(numpy.uint16).view(TYPES[source])
        for target, target_type in (TYPES | TEXT_TYPES).items():
            if target in ("f16", "bf16", "f8E8M0FNU"):
                continue
            for satf in (False, True):
                if not satf and target in FINITE:
                    continue
                with numpy.errstate(all="ignore"):
                    numbers = values.astype(numpy.float32)  # exact
                    largest = numpy.float32(ml_dtypes.finfo(target_type).max)
                    if satf:
                        numbers = numpy.clip(numbers, -largest, largest)  # keeps NaN
                    result = numbers.astype(target_type)
                hashed = fnv1a(codes(target, target_type, numbers, result))
                print(f"CAST({source}, {target}, {str(satf).lower()}, 0x{hashed:016x})")


main()
