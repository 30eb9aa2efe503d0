// SPDX-License-Identifier: Apache-2.0
// The reference interpreter's payloads beside real bits: the rules of tower.md by the scalar functions of
// sanitizer/tower.h, and the records of floats in memory.
#include "tests/lower/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const Tower *reference_tower(const ReferenceMachine *m) {
    return tower_chain(m->run->chain);
}

static unsigned part_of(unsigned component) {
    return REFERENCE_COMPONENT + component + (component >= TOWER_LENGTH);
}

// Of TOWER_PASSED nothing in towers whose states do not have it.
static uint32_t types_in(const ReferenceMachine *m, uint32_t passed) {
    return passed & tower_carried(reference_tower(m));
}

TowerPayload reference_payload(const ReferenceTile *tile, uint64_t i) {
    TowerPayload payload = {.state = (uint32_t)tile->parts[REFERENCE_STATE][i]};
    for (unsigned c = 0; c < TOWER_LENGTH_MAX; c++) payload.component[c] = (uint32_t)tile->parts[part_of(c)][i];
    return payload;
}

void reference_set_payload(ReferenceTile *tile, uint64_t i, TowerPayload payload) {
    tile->parts[REFERENCE_STATE][i] = payload.state;
    for (unsigned c = 0; c < TOWER_LENGTH_MAX; c++) tile->parts[part_of(c)][i] = payload.component[c];
}

// ---- one element of an op -------------------------------------------------------------------------------------------

// The sign of a * b or a / b as IEEE has it, whatever the sizes.
static int ieee_sign(double a, double b, bool is_quotient) {
    bool b_zero = is_quotient ? isinf(b) : b == 0, b_infinite = is_quotient ? b == 0 : isinf(b);
    if (isnan(a) || isnan(b) || (a == 0 && b_infinite) || (isinf(a) && b_zero)) return TOWER_IEEE_NAN;
    if (a == 0 || b_zero) return TOWER_IEEE_ZERO;
    return !!signbit(a) == !!signbit(b) ? TOWER_IEEE_POSITIVE : TOWER_IEEE_NEGATIVE;
}

// What one element of an op is made of.
typedef struct ShadowElement {
    const ReferenceMachine *m;
    FpsanFormat format;
    TowerPayload x[3];
    uint64_t bits[3], result; // real ones
    double value[3];
    int64_t exponent; // an integer that is the second operand
} ShadowElement;

// ---- what a few units in the last place decide ----------------------------------------------------------------------

// The types that a value passed through, narrower and narrower, by the bits of their significands.
static const struct PassedRow {
    uint32_t bit;
    unsigned significant;
} passed_rows[] = {{TOWER_PASSED_24, 24}, {TOWER_PASSED_11, 11}, {TOWER_PASSED_8, 8},
                   {TOWER_PASSED_4, 4},   {TOWER_PASSED_3, 3},   {TOWER_PASSED_2, 2}};

static unsigned significant_bits(FpsanFormat format) {
    return fpsan_format_info(format)->mantissa_bits + 1;
}

// What rounding to a format leaves in the state.
static uint32_t rounded_to(FpsanFormat from, FpsanFormat to) {
    if (significant_bits(to) >= significant_bits(from)) return 0;
    for (size_t i = 0; i < BASE_COUNT(passed_rows); i++)
        if (significant_bits(to) >= passed_rows[i].significant) return passed_rows[i].bit;
    return TOWER_PASSED_2;
}

// 8 units in the last place, relative to the value, of the narrowest type in the state or of the format; of small ones
// 2^-4, but no less than a unit.
static double tolerance(FpsanFormat format, uint32_t state) {
    unsigned significant = significant_bits(format);
    for (size_t i = 0; i < BASE_COUNT(passed_rows); i++)
        if (state & passed_rows[i].bit && passed_rows[i].significant < significant)
            significant = passed_rows[i].significant;
    return significant >= 8 ? ldexp(1, 4 - (int)significant) : fmax(0x1p-4, ldexp(1, 1 - (int)significant));
}

// |x - y| <= share * scale in the arithmetic of f64, of f32 for all others.
static bool is_near(FpsanFormat format, double x, double y, double share, double scale) {
    if (format == FPSAN_F64) return fabs(x - y) <= share * scale;
    float apart = fabsf((float)x - (float)y), limit = (float)share * (float)scale;
    return apart <= limit;
}

// Marks of what x and y decide: with equal payloads the other variant decides alike.
static uint32_t near_each_other(const ShadowElement *e, FpsanFormat format) {
    bool same = !memcmp(e->x[0].component, e->x[1].component, sizeof e->x[0].component) &&
                !((e->x[0].state ^ e->x[1].state) & tower_ruled(reference_tower(e->m)));
    double x = fabs(e->value[0]), y = fabs(e->value[1]),
           share = tolerance(format, types_in(e->m, e->x[0].state | e->x[1].state));
    return !same && is_near(format, e->value[0], e->value[1], share, x < y ? x : y) ? TOWER_NEAR : 0;
}

static uint32_t near_integer(const ShadowElement *e, FpsanFormat format) {
    double x = e->value[0];
    TowerPayload own = tower_embed(reference_tower(e->m), format, e->bits[0]); // such a number was never rounded
    bool exact = !memcmp(e->x[0].component, own.component, sizeof own.component) &&
                 !((e->x[0].state ^ own.state) & tower_ruled(reference_tower(e->m)));
    bool near = !exact && is_near(format, x, rint(x), tolerance(format, types_in(e->m, e->x[0].state)), fabs(x));
    return TOWER_ROUNDED | (near ? TOWER_NEAR : 0);
}

// ---- floats ---------------------------------------------------------------------------------------------------------

static TowerPayload marked(TowerPayload payload, uint32_t marks) {
    payload.state |= marks;
    return payload;
}

TowerPayload reference_shadow_sum(const ReferenceMachine *m, FpsanFormat format, TowerPayload a, TowerPayload b) {
    return marked(tower_add(reference_tower(m), a, b), types_in(m, rounded_to(FPSAN_F32, format)));
}

// min, max: whether the result is operand k.
static bool is_operand(const ShadowElement *e, unsigned k) {
    double result = fpsan_decode(e->format, e->result), x = e->value[k];
    if (isnan(result)) return isnan(x);
    return result == x && signbit(result) == signbit(x);
}

// The payload of what IEEE chose; of equal numbers the one that goes first.
static TowerPayload chosen(const ShadowElement *e) {
    bool is_a = is_operand(e, 0), is_b = is_operand(e, 1);
    if (is_a && is_b) is_a = tower_goes_first(reference_tower(e->m), e->x[0], e->x[1]);
    return is_a ? e->x[0] : e->x[1];
}

// The image of an integer that a float was rounded to.
static TowerPayload image(const ShadowElement *e) {
    return marked(tower_embed(reference_tower(e->m), e->format, e->result),
                  e->x[0].state & tower_carried(reference_tower(e->m)));
}

// An exp, which says so where it is 0 as a number and its operand's payload is not -inf.
static TowerPayload exponential(const ShadowElement *e, TowerPayload power) {
    const bool vanishes = fpsan_decode(e->format, e->result) == 0 && !(e->x[0].state & TOWER_KIND);
    return marked(power, vanishes ? TOWER_VANISHED : 0);
}

// How far the IEEE power is from 1, for tower_pow.
static int power_sign(double power) {
    if (isnan(power)) return TOWER_IEEE_NAN;
    return fabs(power) > 1 ? TOWER_IEEE_POSITIVE : fabs(power) < 1 ? TOWER_IEEE_NEGATIVE : TOWER_IEEE_ZERO;
}

// a - q b, q the quotient that IEEE found.
static TowerPayload remainder_of(const ShadowElement *e) {
    const Tower *t = reference_tower(e->m);
    double quotient = rint((e->value[0] - fpsan_decode(e->format, e->result)) / e->value[1]);
    return tower_remainder(t, e->x[0], e->x[1], tower_embed_double(t, quotient));
}

static TowerPayload apply_rule(const ShadowElement *e, FpsanRule rule) {
    const Tower *t = reference_tower(e->m);
    const TowerPayload *x = e->x;
    int product = ieee_sign(e->value[0], e->value[1], false), quotient = ieee_sign(e->value[0], e->value[1], true);
    switch (rule) {
    case FPSAN_RULE_NEG: return tower_neg(t, x[0]);
    case FPSAN_RULE_ABS: return e->bits[0] == e->result ? x[0] : tower_neg(t, x[0]);
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: return marked(chosen(e), near_each_other(e, e->format));
    case FPSAN_RULE_FLOOR:
    case FPSAN_RULE_CEIL: return marked(image(e), near_integer(e, e->format));
    default: break;
    }
    TowerPayload result = tower_special(TOWER_NAN);
    switch (rule) {
    case FPSAN_RULE_ADD: result = tower_add(t, x[0], x[1]); break;
    case FPSAN_RULE_SUB: result = tower_sub(t, x[0], x[1]); break;
    case FPSAN_RULE_MUL: result = tower_mul(t, x[0], x[1], product); break;
    case FPSAN_RULE_FMA: result = tower_fma(t, x[0], x[1], x[2], product); break;
    case FPSAN_RULE_DIV: result = tower_div(t, x[0], x[1], quotient); break;
    case FPSAN_RULE_REM: result = remainder_of(e); break;
    case FPSAN_RULE_EXP: result = exponential(e, tower_exp(t, x[0], e->value[0])); break;
    case FPSAN_RULE_EXP2: result = exponential(e, tower_exp2(t, x[0], e->value[0])); break;
    case FPSAN_RULE_LOG: result = tower_log(t, x[0]); break;
    case FPSAN_RULE_LOG2: result = tower_log2(t, x[0]); break;
    case FPSAN_RULE_SIN: result = tower_sin(t, x[0]); break;
    case FPSAN_RULE_COS: result = tower_cos(t, x[0]); break;
    case FPSAN_RULE_TAN: result = tower_tan(t, x[0]); break;
    case FPSAN_RULE_SINH: result = tower_sinh(t, x[0]); break;
    case FPSAN_RULE_COSH: result = tower_cosh(t, x[0]); break;
    case FPSAN_RULE_TANH: result = tower_tanh(t, x[0]); break;
    case FPSAN_RULE_SQRT: result = tower_sqrt(t, x[0]); break;
    case FPSAN_RULE_RSQRT: result = tower_rsqrt(t, x[0]); break;
    case FPSAN_RULE_POW: result = tower_pow(t, x[0], x[1], power_sign(fpsan_decode(e->format, e->result))); break;
    case FPSAN_RULE_POWI: result = tower_powi(t, x[0], e->exponent); break;
    default: result = tower_tag(t, fpsan_rule_info(rule)->name, x, fpsan_rule_info(rule)->operands); break;
    }
    return marked(result, types_in(e->m, rounded_to(FPSAN_F32, e->format)));
}

// Of the functions that rows.def has: hashes, odd and even ones, and a sign that IEEE arithmetic chose.
static TowerPayload apply_function(const ShadowElement *e, const TirOp *op) {
    const Tower *t = reference_tower(e->m);
    const FpsanFunction *function = fpsan_function(tir_attribute(op, "name")->text, e->format);
    TowerPayload x[FPSAN_FUNCTION_OPERANDS_MAX], minus = tower_neg(t, e->x[0]), tags[2];
    if (function->law == FPSAN_LAW_COPYSIGN) return e->bits[0] == e->result ? e->x[0] : minus;
    if (function->rule != FPSAN_RULE_EXTERN && function->rule != FPSAN_RULE_ERF) return apply_rule(e, function->rule);
    for (uint32_t i = 0; i < op->operand_count; i++)
        x[i] = function->parameters[i] == 'i' ? tower_embed_integer(t, e->bits[i], 32, true) : e->x[i];
    tags[0] = tower_tag(t, function->name, x, op->operand_count);
    tags[1] = tower_tag(t, function->name, &minus, 1);
    if (function->law == FPSAN_LAW_TAG) return tags[0];
    return function->law == FPSAN_LAW_EVEN ? tower_add(t, tags[0], tags[1]) : tower_sub(t, tags[0], tags[1]);
}

static bool is_signed(const TirOp *op) {
    return tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
}

// What an integer or truth value remembers of the floats it was made from.
static uint32_t marks_of(const ReferenceMachine *m, const ReferenceTile *tile, uint64_t i) {
    ReferenceElement element = reference_element(m, tile->type);
    return !element.is_float && element.parts > REFERENCE_MARKS ? (uint32_t)tile->parts[REFERENCE_MARKS][i] : 0;
}

static uint32_t integer_marks(const TirOp *op, const ShadowElement *e, const ReferenceTile *const *operands,
                              FpsanFormat from, uint64_t i) {
    if (op->kind == TIR_OP_cmpf) return near_each_other(e, from);
    if (op->kind == TIR_OP_ftoi) return near_integer(e, from) | (e->x[0].state & TOWER_NEAR);
    uint32_t marks = 0;
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (op->kind != TIR_OP_select || k == 0 || k == (e->bits[0] ? 1 : 2)) marks |= marks_of(e->m, operands[k], i);
    return marks;
}

// The float whose bits an integer is that is made a float again.
static const ReferenceTile *before_bits(const ReferenceMachine *m, const TirOp *op) {
    const TirOp *first = tir_value(m->function, op->operands[0])->definition;
    if (op->kind != TIR_OP_bitcast || !first || first->kind != TIR_OP_bitcast) return NULL;
    const ReferenceTile *source = &m->tiles[first->operands[0]];
    return source->type == tir_value_type(m->function, tir_result(op, 0)) ? source : NULL;
}

static bool float_payload(const TirOp *op, const ShadowElement *e, const ReferenceTile *const *operands,
                          const ReferenceElement *from, uint64_t i, TowerPayload *payload) {
    const Tower *t = reference_tower(e->m);
    const ReferenceTile *before = before_bits(e->m, op);
    FpsanRule rule;
    if (reference_float_rule(op->kind, &rule)) {
        *payload = op->kind == TIR_OP_function ? apply_function(e, op) : apply_rule(e, rule);
        for (uint32_t k = 0; k < op->operand_count; k++) payload->state |= marks_of(e->m, operands[k], i);
        return true;
    }
    switch (op->kind) {
    case TIR_OP_select: *payload = marked(e->bits[0] ? e->x[1] : e->x[2], marks_of(e->m, operands[0], i)); break;
    case TIR_OP_cast:
    case TIR_OP_ftof: *payload = marked(e->x[0], types_in(e->m, rounded_to(from->format, e->format))); break;
    case TIR_OP_itof:
        *payload =
            marked(tower_embed_integer(t, e->bits[0], from->bits, is_signed(op)), marks_of(e->m, operands[0], i));
        break;
    case TIR_OP_bitcast: *payload = before ? reference_payload(before, i) : tower_embed(t, e->format, e->result); break;
    default: return false;
    }
    return true;
}

static bool flushes(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (unsigned i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, "ftz")) return op->attributes[i].present;
    return false;
}

bool reference_shadow_element(const ReferenceMachine *m, const TirOp *op, const ReferenceTile *const *operands,
                              ReferenceTile *result, uint64_t i) {
    ReferenceElement to = reference_element(m, result->type), from = reference_element(m, operands[0]->type);
    ShadowElement e = {.m = m, .format = to.format, .result = result->parts[0][i]};
    const bool flush = flushes(op);
    for (uint32_t k = 0; k < op->operand_count; k++) {
        ReferenceElement element = reference_element(m, operands[k]->type);
        e.bits[k] = operands[k]->parts[0][i];
        if (!element.is_float && k == 1) e.exponent = reference_signed(e.bits[k], element.bits);
        if (!element.is_float) continue;
        e.x[k] = reference_payload(operands[k], i);
        e.value[k] = fpsan_decode(element.format, e.bits[k]);
        // The numbers that decide (which operand, infinity or NaN, whether the call is close) are the flushed ones.
        if (!flush || element.format != FPSAN_F32 || !(fabs(e.value[k]) < 0x1p-126)) continue;
        e.value[k] = copysign(0, e.value[k]);
        e.bits[k] &= 0x80000000;
    }
    if (!to.is_float) {
        result->parts[REFERENCE_MARKS][i] = integer_marks(op, &e, operands, from.format, i);
        return true;
    }
    TowerPayload payload;
    if (!float_payload(op, &e, operands, &from, i, &payload)) return false;
    reference_set_payload(result, i, payload);
    return true;
}

// ---- dots -----------------------------------------------------------------------------------------------------------

static uint32_t all_states(const ReferenceTile *tile, unsigned part) {
    uint32_t all = 0;
    for (uint64_t i = 0; i < tile->count; i++) all |= (uint32_t)tile->parts[part][i];
    return all;
}

static TowerPayload sum_of_products(const ReferenceMachine *m, const ReferenceDot *dot, uint64_t i) {
    const Tower *t = reference_tower(m);
    uint64_t batch = i / (dot->rows * dot->columns), row = i / dot->columns % dot->rows;
    uint64_t x = (batch * dot->rows + row) * dot->depth, y = batch * dot->depth * dot->columns + i % dot->columns;
    TowerPayload sum = reference_payload(dot->start, i);
    for (uint64_t k = 0; k < dot->depth; k++, x++, y += dot->columns) {
        int sign = ieee_sign(fpsan_decode(dot->format, dot->a->parts[0][x]),
                             fpsan_decode(dot->format, dot->b->parts[0][y]), false);
        sum = tower_add(t, sum, tower_mul(t, reference_payload(dot->a, x), reference_payload(dot->b, y), sign));
    }
    return sum;
}

TowerPayload reference_shadow_scaled(const ReferenceMachine *m, const ReferenceTile *operand, uint64_t i,
                                     const ReferenceTile *scale, uint64_t j) {
    double x = fpsan_decode(reference_element(m, operand->type).format, operand->parts[0][i]),
           factor = fpsan_decode(reference_element(m, scale->type).format, scale->parts[0][j]);
    return tower_mul(reference_tower(m), reference_payload(operand, i), reference_payload(scale, j),
                     ieee_sign(x, factor, false));
}

// An integer has the marks of all that it is the sum of.
static uint32_t marks_of_products(const ReferenceDot *dot, uint64_t i) {
    uint64_t batch = i / (dot->rows * dot->columns), row = i / dot->columns % dot->rows;
    uint64_t x = (batch * dot->rows + row) * dot->depth, y = batch * dot->depth * dot->columns + i % dot->columns;
    uint32_t marks = (uint32_t)dot->start->parts[REFERENCE_MARKS][i];
    for (uint64_t k = 0; k < dot->depth; k++, x++, y += dot->columns)
        marks |= (uint32_t)(dot->a->parts[REFERENCE_MARKS][x] | dot->b->parts[REFERENCE_MARKS][y]);
    return marks;
}

// Of the types that values passed through there is one answer for a whole dot.
void reference_shadow_dot(const ReferenceMachine *m, const ReferenceDot *dot, ReferenceTile *result) {
    bool is_float = reference_element(m, result->type).is_float;
    if (!is_float) {
        for (uint64_t i = 0; i < result->count; i++) result->parts[REFERENCE_MARKS][i] = marks_of_products(dot, i);
        return;
    }
    uint32_t operands = all_states(dot->a, REFERENCE_STATE) | all_states(dot->b, REFERENCE_STATE);
    uint32_t start = all_states(dot->start, REFERENCE_STATE);
    uint32_t rounded = types_in(m, rounded_to(FPSAN_F32, reference_element(m, result->type).format));
    bool only_passed = !((operands | start) & ~(types_in(m, TOWER_PASSED) | TOWER_VANISHED));
    for (uint64_t i = 0; i < result->count; i++) {
        TowerPayload sum = sum_of_products(m, dot, i);
        if (only_passed) sum.state |= operands | start;
        reference_set_payload(result, i, marked(sum, rounded));
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Where the record is or would be; the table has room.
static ReferenceRecord *slot_of(const ReferenceRecords *records, uint64_t address, unsigned width) {
    uint64_t hash = (address * 4 + width + 1) * 0x9E3779B97F4A7C15u;
    for (size_t at = hash >> 32;; at++) {
        ReferenceRecord *record = &records->items[at % records->capacity];
        if (!record->address || (record->address == address && record->width == width)) return record;
    }
}

static void make_room(ReferenceRecords *records) {
    if (records->count * 2 < records->capacity) return;
    ReferenceRecords larger = {.capacity = records->capacity ? records->capacity * 2 : 4096, .count = records->count};
    larger.items = calloc(larger.capacity, sizeof *larger.items);
    if (!larger.items) abort();
    for (size_t i = 0; i < records->capacity; i++)
        if (records->items[i].address)
            *slot_of(&larger, records->items[i].address, records->items[i].width) = records->items[i];
    free(records->items);
    *records = larger;
}

static unsigned width_index(unsigned bytes) {
    return (unsigned)__builtin_ctz(bytes);
}

const ReferenceRecord *reference_record(const ReferenceRecords *records, uint64_t address, unsigned bytes) {
    if (!records->capacity || address % bytes) return NULL;
    const ReferenceRecord *record = slot_of(records, address, width_index(bytes));
    return record->address && record->valid ? record : NULL;
}

bool reference_is_integer(const ReferenceRecords *records, uint64_t address, unsigned bytes) {
    if (!records->capacity || address % bytes) return false;
    const ReferenceRecord *record = slot_of(records, address, width_index(bytes));
    return record->address && record->integer;
}

static void put_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload,
                       uint32_t line) {
    make_room(records);
    ReferenceRecord *record = slot_of(records, address, width_index(bytes));
    if (!record->address) records->count++;
    *record = (ReferenceRecord){address, width_index(bytes), true, false, *payload, line};
}

void reference_store_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload,
                            uint32_t line) {
    make_room(records);
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
        for (uint64_t at = address >> k << k; at < address + bytes; at += (uint64_t)1 << k)
            slot_of(records, at, k)->valid = slot_of(records, at, k)->integer = false;
    if (payload && address % bytes == 0) put_record(records, address, bytes, payload, line);
    if (payload || address % bytes) return;
    put_record(records, address, bytes, &(TowerPayload){0}, line);
    ReferenceRecord *record = slot_of(records, address, width_index(bytes));
    record->valid = false, record->integer = true;
}

void reference_put_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload) {
    put_record(records, address, bytes, payload, 0);
}

void reference_records_close(ReferenceRecords *records) {
    free(records->items);
    *records = (ReferenceRecords){0};
}
