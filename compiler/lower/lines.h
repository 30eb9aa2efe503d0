// SPDX-License-Identifier: Apache-2.0
// What is known of the elements of a tile along a line (lines.c): pointers that go up evenly, masks that begin and end.
//
// Order of use: `e` and `bits` are set; line_steps and line_bounds, as often as needed; line_need, before the loops of
// a nest; line_conditions and line_range, inside of those that go from line to line, with scalars as the lanes.
#ifndef CONGRUENT_LINES_H
#define CONGRUENT_LINES_H

#include "compiler/lower/nest.h"

enum { LINE_CONDITIONS_MAX = 8, LINE_BOUNDS_MAX = 8 };

// What has to hold for a line to go up evenly, by the value of its first element.
typedef enum LineConditionKind {
    LINE_NO_SIGNED_WRAP,
    LINE_NO_UNSIGNED_WRAP,
    LINE_REMAINDER, // the value is a remainder: it does not come back to 0
} LineConditionKind;
typedef struct LineCondition {
    LineConditionKind kind;
    TirValue value;
    TileMap at;   // iteration bits to the flat index bits of the value; the line's own: none
    int64_t step; // by how much the value goes up
} LineCondition;

// Part of a mask: one boolean for all the line, or where first + i `predicate` limit holds for element i.
typedef struct LineBound {
    TirValue all;          // TIR_NO_VALUE: the other way
    TirValue first, limit; // signed integers
    unsigned predicate;    // TIR_predicate_*, not not_equal
    TileMap at;            // as LineCondition.at, of all of these
} LineBound;

typedef struct Line {
    Emit *e;
    unsigned bits; // the line is the lowest `bits` bits of the nest's iteration
    unsigned walked;
    LineCondition conditions[LINE_CONDITIONS_MAX];
    LineBound bounds[LINE_BOUNDS_MAX];
    unsigned condition_count, bound_count;
    // Code. holds: i1, whether all conditions do, and nothing asked is unspecified; NULL: always. Elements
    // [begin, end) (i64) are those that the mask lets through, 0 <= begin <= end <= 2^bits; begin NULL: 0.
    LLVMValueRef holds, begin, end;
} Line;

// Whether the elements of `value` at the map (iteration bits to flat index bits) go up by *step from one to the next,
// modulo 2^width, if the conditions hold that it adds; of pointers in elements. False: nothing is known.
bool line_steps(Line *line, TirValue value, const TileMap *at, int64_t *step);
// Whether a mask is the bounds that it adds, if the conditions hold.
bool line_bounds(Line *line, TirValue mask, const TileMap *at);
// The map at the first element of the line.
TileMap line_start(const Line *line, const TileMap *at);
// Declares what the functions below evaluate. False, with a diagnostic, if that fails; so below.
bool line_need(Line *line, Nest *nest);
// Code that asks the conditions, and sets `holds`.
bool line_conditions(Line *line, Nest *nest);
// Code that sets `begin` and `end`.
bool line_range(Line *line, Nest *nest);
// A value at the first element of the line, as a scalar. Where it is unspecified, `holds` becomes false.
bool line_scalar(Line *line, Nest *nest, TirValue value, const TileMap *at, LLVMValueRef *scalar);

#endif
