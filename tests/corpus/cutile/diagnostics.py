# SPDX-License-Identifier: Apache-2.0
# Prints and assertions, and debug locations: functions in functions, lambdas, closures, the same line twice.
import cuda.tile as ct
from export import array


@ct.kernel
def printed(x, n: int):
    a = ct.load(x, index=(0,), shape=(4,))
    ct.printf("block %d of %i, 100%%: %+8.3f|%e|%g|%a\n", ct.bid(0), n, a, a * 2.0, ct.sqrt(a), a)
    ct.printf("hex %x %#X %o %u\n", n, n + 1, ct.astype(n, ct.uint32), ct.astype(n, ct.uint8))
    ct.printf("no value, a \"quote\", a \\ and a tab\t\n")
    print("python", a, n, sep=" / ", end=".\n")
    for dtype in ct.static_iter((ct.float16, ct.bfloat16, ct.float64, ct.int64, ct.int16)):
        print(a.astype(dtype))
    print(f"sum {ct.sum(a):.3f} of {n:>5} and {True}, {'text'}, {3.5}")


@ct.kernel
def printed_in_turn(x, y):
    """Prints keep their order among stores."""
    for i in range(4):
        a = ct.load(x, index=(i,), shape=(4,))
        if i % 2 == 0:
            ct.printf("%d\n", a)
        ct.store(y, index=(i,), tile=a)
        ct.printf("%hhd stored\n", i)


@ct.kernel
def asserted(x, y, n: int):
    a = ct.load(x, index=(0,), shape=(4,))
    ct.assert_(a > 0.0)
    ct.assert_(n >= 0, "n is \"negative\": tab\t, newline\n, percent %d, quote '")
    ct.assert_((a < 10.0) | ct.isnan(a), "höchstens zehn")
    ct.store(y, index=(0,), tile=a)


@ct.function
def doubled(a):
    return a + a


@ct.function
def quadrupled(a):
    return doubled(doubled(a))


@ct.kernel
def calls(x, y):
    """Call sites in call sites, the same function from several places."""
    a = ct.load(x, index=(0,), shape=(4,))
    b = doubled(a); c = quadrupled(b)
    ct.store(y, index=(0,), tile=quadrupled(c) + doubled(a))


@ct.kernel
def lambdas(x, y, n: int):
    a = ct.load(x, index=(0,), shape=(4,))
    scale = lambda v, factor=3.0: v * factor
    shifted = lambda v: scale(v, 2.0) + n
    ct.store(y, index=(0,), tile=shifted(scale(a)))


@ct.kernel
def nested_functions(x, y, n: int):
    total = ct.zeros((4,), ct.float32)

    def bump(by):
        nonlocal_total = total + by
        return nonlocal_total * n

    def twice(f, v):
        return f(v) + f(v)
    ct.store(y, index=(0,), tile=twice(bump, ct.load(x, index=(0,), shape=(4,))))


def factory(exponent):
    @ct.function
    def raised(a):
        result = a
        for _ in ct.static_iter(range(exponent - 1)):
            result = result * a
        return result

    @ct.kernel
    def closures(x, y):
        ct.store(y, index=(0,), tile=raised(ct.load(x, index=(0,), shape=(4,))))
    return closures


@ct.kernel
def over_lines(x,
               y):
    ct.store(
        y,
        index=(
            ct.bid(0),
        ),
        tile=ct.load(x, index=(ct.bid(0),), shape=(4,))
        * ct.load(x, index=(ct.bid(0) + 1,), shape=(4,))
        + 1.0)


F32 = [array(ct.float32, 1), array(ct.float32, 1)]
EXPORTS = {
    "printed": (printed, [F32[0], ct.int32]),
    "printed_in_turn": (printed_in_turn, [array(ct.int32, 1), array(ct.int32, 1)]),
    "asserted": (asserted, [*F32, ct.int32]),
    "nested_functions": (nested_functions, [*F32, ct.int32]),
    "calls": (calls, F32),
    "closures": (factory(4), F32),
    "lambdas": (lambdas, [*F32, ct.int32]),
    "over_lines": (over_lines, F32),
}
