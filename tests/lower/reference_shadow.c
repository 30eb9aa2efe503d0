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

TowerPayload reference_payload(const ReferenceTile *tile, uint64_t i) {
    TowerPayload payload = {.state = (uint32_t)tile->parts[REFERENCE_STATE][i]};
    for (unsigned c = 0; c < TOWER_LENGTH; c++)
        payload.component[c] = (uint32_t)tile->parts[REFERENCE_COMPONENT + c][i];
    return payload;
}

void reference_set_payload(ReferenceTile *tile, uint64_t i, TowerPayload payload) {
    tile->parts[REFERENCE_STATE][i] = payload.state;
    for (unsigned c = 0; c < TOWER_LENGTH; c++) tile->parts[REFERENCE_COMPONENT + c][i] = payload.component[c];
}

// ---- element by element ---------------------------------------------------------------------------------------------

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
} ShadowElement;

// min, max: the payload of what IEEE chose; of the first NaN if that is one.
static TowerPayload chosen(const ShadowElement *e) {
    if (isnan(fpsan_decode(e->format, e->result))) return isnan(e->value[0]) ? e->x[0] : e->x[1];
    return e->result == e->bits[0] ? e->x[0] : e->x[1];
}

// The image of an integer that a float was rounded to.
static TowerPayload image(const ShadowElement *e) {
    TowerPayload payload = tower_embed(reference_tower(e->m), e->format, e->result);
    payload.state |= e->x[0].state & TOWER_CARRIED;
    return payload;
}

static bool apply_rule(const ShadowElement *e, FpsanRule rule, TowerPayload *result) {
    const Tower *t = reference_tower(e->m);
    int product = ieee_sign(e->value[0], e->value[1], false), quotient = ieee_sign(e->value[0], e->value[1], true);
    switch (rule) {
    case FPSAN_RULE_NEG: *result = tower_neg(t, e->x[0]); break;
    case FPSAN_RULE_ADD: *result = tower_add(t, e->x[0], e->x[1]); break;
    case FPSAN_RULE_SUB: *result = tower_sub(t, e->x[0], e->x[1]); break;
    case FPSAN_RULE_MUL: *result = tower_mul(t, e->x[0], e->x[1], product); break;
    case FPSAN_RULE_FMA: *result = tower_fma(t, e->x[0], e->x[1], e->x[2], product); break;
    case FPSAN_RULE_DIV: *result = tower_div(t, e->x[0], e->x[1], quotient); break;
    case FPSAN_RULE_ABS:
        *result = e->value[0] != e->value[0] || e->bits[0] == e->result ? e->x[0] : tower_neg(t, e->x[0]);
        break;
    case FPSAN_RULE_MIN:
    case FPSAN_RULE_MAX: *result = chosen(e); break;
    case FPSAN_RULE_FLOOR:
    case FPSAN_RULE_CEIL: *result = image(e); break;
    case FPSAN_RULE_SQRT: *result = tower_sqrt(t, e->x[0]); break;
    default: return false; // part 0 is not exact there
    }
    return true;
}

static bool is_signed(const TirOp *op) {
    return tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
}

bool reference_shadow_element(const ReferenceMachine *m, const TirOp *op, const ReferenceTile *const *operands,
                              ReferenceTile *result, uint64_t i) {
    ReferenceElement to = reference_element(m, result->type), from = reference_element(m, operands[0]->type);
    ShadowElement e = {.m = m, .format = to.format, .result = result->parts[0][i]};
    for (uint32_t k = 0; k < op->operand_count; k++) {
        ReferenceElement element = reference_element(m, operands[k]->type);
        e.bits[k] = operands[k]->parts[0][i];
        if (!element.is_float) continue;
        e.x[k] = reference_payload(operands[k], i);
        e.value[k] = fpsan_decode(element.format, e.bits[k]);
    }
    TowerPayload payload;
    FpsanRule rule;
    if (reference_float_rule(op->kind, &rule)) {
        if (!apply_rule(&e, rule, &payload)) return false;
    } else if (op->kind == TIR_OP_select) {
        payload = e.bits[0] ? e.x[1] : e.x[2];
    } else if (op->kind == TIR_OP_ftof) {
        payload = e.x[0];
    } else if (op->kind == TIR_OP_itof) {
        payload = tower_embed_integer(reference_tower(m), e.bits[0], from.bits, is_signed(op));
    } else if (op->kind == TIR_OP_bitcast) {
        payload = tower_embed(reference_tower(m), to.format, e.result);
    } else {
        return false;
    }
    reference_set_payload(result, i, payload);
    return true;
}

TowerPayload reference_shadow_step(const ReferenceMachine *m, TowerPayload sum, FpsanFormat format, TowerPayload x,
                                   uint64_t x_bits, TowerPayload y, uint64_t y_bits) {
    int sign = ieee_sign(fpsan_decode(format, x_bits), fpsan_decode(format, y_bits), false);
    return tower_add(reference_tower(m), sum, tower_mul(reference_tower(m), x, y, sign));
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

static void put_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload,
                       uint32_t line) {
    make_room(records);
    ReferenceRecord *record = slot_of(records, address, width_index(bytes));
    if (!record->address) records->count++;
    *record = (ReferenceRecord){address, width_index(bytes), true, *payload, line};
}

void reference_store_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload,
                            uint32_t line) {
    make_room(records);
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
        for (uint64_t at = address >> k << k; at < address + bytes; at += (uint64_t)1 << k)
            slot_of(records, at, k)->valid = false;
    if (payload && address % bytes == 0) put_record(records, address, bytes, payload, line);
}

void reference_put_record(ReferenceRecords *records, uint64_t address, unsigned bytes, const TowerPayload *payload) {
    put_record(records, address, bytes, payload, 0);
}

void reference_records_close(ReferenceRecords *records) {
    free(records->items);
    *records = (ReferenceRecords){0};
}
