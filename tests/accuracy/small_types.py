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


def integers(dtype):
    return numpy.uint16 if numpy.dtype(dtype).itemsize == 2 else numpy.uint8


def fnv1a(values):
    """64-bit FNV-1a over 16-bit numbers, low byte first."""
    state = 0xCBF29CE484222325
    for byte in values.astype("<u2").tobytes():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


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
            bits_out = result.view(integers(target_type)).astype(numpy.uint16)
            # f4E2M1FN has no NaN: ml_dtypes gives a zero, Tile IR the largest number.
            bits_out = numpy.where(numpy.isnan(numbers), numpy.uint16(7 if target == "f4E2M1FN" else 0xFFFF), bits_out)
            if target != "f4E2M1FN":
                bits_out = numpy.where(numpy.isnan(result), numpy.uint16(0xFFFF), bits_out)
            print(f"CONVERTED({source}, {target}, 0x{fnv1a(bits_out):016x})")


main()
