#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes expressions.txt: random expressions of case files and what Python says of them.

A line is EXPRESSION = VALUE, or EXPRESSION = beyond (some value on the way needs more than 64 bits),
or EXPRESSION = zero (a division by zero). Python's `ast` parses and evaluates them, with integers of
any size. test_expression.c compares.
"""
import ast
import os
import random

NAMES = {"N": 100, "D": 64, "M": -7, "Z": 0, "BIG": 2**63 - 1, "LEAST": -(2**63)}
FUNCTIONS = {"min": min, "max": max, "cdiv": lambda a, b: -(-a // b)}
OPERATORS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
             ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b}


class Beyond(Exception):
    pass


def fits(value):
    if not -(2**63) <= value < 2**63:
        raise Beyond
    return value


def value_of(node, text):
    if isinstance(node, ast.Constant):
        return fits(node.value)
    if isinstance(node, ast.Name):
        return NAMES[node.id]
    if isinstance(node, ast.UnaryOp):
        between = text[node.col_offset + 1:node.operand.col_offset].strip()
        if isinstance(node.operand, ast.Constant) and not between:
            return fits(-node.operand.value)  # -2^63 fits, 2^63 and -(2^63) do not
        return fits(-value_of(node.operand, text))
    if isinstance(node, ast.BinOp):
        return fits(OPERATORS[type(node.op)](value_of(node.left, text), value_of(node.right, text)))
    return fits(FUNCTIONS[node.func.id](*[value_of(argument, text) for argument in node.args]))


def result_of(text):
    try:
        return str(value_of(ast.parse(text, mode="eval").body, text))
    except Beyond:
        return "beyond"
    except ZeroDivisionError:
        return "zero"


def make(random_, depth):
    kind = random_.random()
    if depth == 0 or kind < 0.15:
        number = random_.choice([0, 1, 2, 3, 7, 63, 64, 65, 127, 1000, 2**31, 2**32, 2**62, 2**63 - 1, 2**63])
        small = random_.choice([0, 1, 2, 3, 5, 16, 64, 100])
        return random_.choice([*NAMES, str(small), str(small), str(small), str(number), hex(number)])
    inner = lambda: make(random_, depth - 1)
    if kind < 0.25:
        return "-" + random_.choice(["", " ", "-"]) + "(" + inner() + ")"
    if kind < 0.3:
        return "-" + random_.choice(["9223372036854775808", "1", "N", "LEAST", "BIG"])
    if kind < 0.45:
        return random_.choice(["min", "max", "cdiv"]) + "(" + inner() + ", " + inner() + ")"
    if kind < 0.5:
        return random_.choice(["min", "max"]) + "(" + ",".join(inner() for _ in range(3)) + ")"
    space = random_.choice(["", " "])
    operator = random_.choice(["+", "-", "*", "//", "%"])
    left, right = inner(), inner()
    if random_.random() < 0.5:
        left, right = "(" + left + ")", "(" + right + ")"
    return left + space + operator + space + right


def main():
    random_ = random.Random(18)
    edges = ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
             "9223372036854775807 + 1", "-9223372036854775808 - 1", "LEAST // -1", "LEAST % -1",
             "cdiv(LEAST, -1)", "cdiv(LEAST, 1)", "cdiv(BIG, 2)", "-LEAST", "--LEAST", "-BIG - 1", "LEAST * -1",
             "-7 // 2", "-7 % 2", "7 // -2", "7 % -2", "cdiv(-7, 2)", "cdiv(7, -2)", "1 // 0", "1 % 0",
             "cdiv(1, Z)", "2 - 3 - 4", "100 // 7 // 2", "100 % 7 * 2", "-2 * -3", "1 - -1", "1 - --1",
             "LEAST // 3 * 3 + LEAST % 3", "0x7fffffffffffffff", "0xFFFFFFFFFFFFFFFF", "-0x8000000000000000"]
    lines = edges + [make(random_, random_.randint(1, 4)) for _ in range(1500)]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expressions.txt")
    with open(path, "w", encoding="ascii") as file:
        for text in lines:
            file.write(f"{text} = {result_of(text)}\n")


main()
