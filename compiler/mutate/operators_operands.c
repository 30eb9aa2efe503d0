// SPDX-License-Identifier: Apache-2.0
// Operators that change what an op reads.
#include "compiler/mutate/mutate_internal.h"

// ---- swap_operands --------------------------------------------------------------------------------------------------

// The two operands that are not alike: 1 + the first of them; 0: the op has no such pair.
static uint32_t swapped_pair(const TirOp *op) {
    switch (op->kind) {
    case TIR_OP_subf:
    case TIR_OP_divf:
    case TIR_OP_pow:
    case TIR_OP_atan2:
    case TIR_OP_remf:
    case TIR_OP_subi:
    case TIR_OP_divi:
    case TIR_OP_remi:
    case TIR_OP_shli:
    case TIR_OP_shri:
    case TIR_OP_mmaf:
    case TIR_OP_cat: return 1;
    case TIR_OP_cmpf:
    case TIR_OP_cmpi: return tir_attribute_integer(op, "predicate") > TIR_predicate_not_equal;
    case TIR_OP_select: return 2;
    default: return 0;
    }
}

uint32_t count_swap(const Site *s) {
    const uint32_t first = swapped_pair(s->op);
    return first && site_operand_type(s, first - 1) == site_operand_type(s, first) &&
           site_is_number_tile(s, site_operand_type(s, first)) &&
           !site_is_same(s, s->op->operands[first - 1], s->op->operands[first]);
}

const char *words_swap(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)s, (void)part;
    return "its two operands change places";
}

void edit_swap(Edit *e, uint32_t part) {
    const uint32_t first = swapped_pair(e->site.op) - 1;
    (void)part;
    edit_open_operands(e);
    edit_set_operand(e, first, edit_operand(e, first + 1));
    edit_set_operand(e, first + 1, edit_operand(e, first));
}

// The argument of the loop's body that carries the operand of a `continue`; TIR_NO_VALUE: it is no tile, or is that
// argument.
static TirValue carried_argument(const Site *s, uint32_t operand) {
    const TirOp *loop = site_loop(s->op);
    const TirBlock *body = loop->regions[0].first;
    const TirValue argument = body->first_argument + (loop->kind == TIR_OP_for) + operand;
    return site_is_tile(s, site_operand_type(s, operand)) && argument != s->op->operands[operand] ? argument
                                                                                                  : TIR_NO_VALUE;
}

// ---- other_operand --------------------------------------------------------------------------------------------------

typedef struct Other {
    uint32_t operand;
    TirValue value;
    bool argument;
} Other;

// Number `part` of the other operands; false: there are fewer. *count: how many there are then.
static bool find_other(const Site *s, uint32_t part, Other *found, uint32_t *count) {
    *count = 0;
    if (s->op->kind == TIR_OP_assume) return false;
    for (uint32_t i = 0; i < s->op->operand_count; i++) {
        if (!site_is_number_tile(s, site_operand_type(s, i))) continue;
        const TirValue values[] = {site_last_result(s, i), site_last_argument(s, i)},
                       carried = s->op->kind == TIR_OP_continue && site_loop(s->op) ? carried_argument(s, i)
                                                                                    : TIR_NO_VALUE; // operator carried
        for (uint32_t k = 0; k < BASE_COUNT(values); k++) {
            if (values[k] == TIR_NO_VALUE || values[k] == carried) continue;
            *found = (Other){i, values[k], k};
            if ((*count)++ == part) return true;
        }
    }
    return false;
}

uint32_t count_other(const Site *s) {
    Other other;
    uint32_t count;
    find_other(s, UINT32_MAX, &other, &count);
    return count;
}

const char *words_other(Arena *arena, const Site *s, uint32_t part) {
    Other other;
    uint32_t count;
    if (!find_other(s, part, &other, &count)) return "";
    const TirOp *maker = tir_value(s->function, other.value)->definition;
    const char *line = maker && maker->at.line ? arena_format(arena, " in line %u", maker->at.line) : "";
    if (maker)
        return arena_format(arena, "operand %u becomes the result of %s%s", other.operand + 1,
                            tir_op_info(maker->kind)->text_name, line);
    return arena_format(arena, "operand %u becomes argument %u of %s", other.operand + 1,
                        tir_value(s->function, other.value)->index + 1,
                        tir_value(s->function, other.value)->block == s->function->body.first ? "the kernel"
                                                                                              : "the block around it");
}

void edit_other(Edit *e, uint32_t part) {
    Other other;
    uint32_t count;
    edit_open_operands(e);
    if (find_other(&e->site, part, &other, &count)) edit_set_operand(e, other.operand, edit_value(e, other.value));
}

// ---- neutral_operand ------------------------------------------------------------------------------------------------

typedef struct Neutral {
    uint32_t operand;
    int number;
} Neutral;

static bool is_number(const Site *s, TirValue value, double number) {
    const TirOp *op = tir_value(s->function, value)->definition;
    if (!op || op->kind != TIR_OP_constant) return false;
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    const TirType type = tir_value_type(s->function, value);
    const FpsanFormat format = tir_float_format(tir_tile_element_kind(s->module, type));
    const uint64_t bits = tir_constant_bits(s->module, type, constant, 0);
    return tir_constant_is_splat(s->module, type, constant) &&
           (format == FPSAN_FORMAT_COUNT ? (double)bits : fpsan_decode(format, bits)) == number;
}

static uint32_t find_neutrals(const Site *s, Neutral found[3]) {
    uint32_t count = 0, accs;
    const TirOp *op = s->op;
    if (op->kind != TIR_OP_fma && op->kind != TIR_OP_mmaf && op->kind != TIR_OP_mmai &&
        op->kind != TIR_OP_mmaf_scaled && op->kind != TIR_OP_dot)
        return 0;
    const uint32_t acc = site_operands(op, "acc", &accs);
    if (!is_number(s, op->operands[acc], 0)) found[count++] = (Neutral){acc, 0};
    for (uint32_t i = 0; i < 2 && op->kind == TIR_OP_fma; i++)
        if (!is_number(s, op->operands[i], 1)) found[count++] = (Neutral){i, 1};
    return count;
}

uint32_t count_neutral(const Site *s) {
    Neutral found[3];
    return find_neutrals(s, found);
}

const char *words_neutral(Arena *arena, const Site *s, uint32_t part) {
    Neutral found[3];
    find_neutrals(s, found);
    return found[part].number ? arena_format(arena, "factor %u becomes 1", found[part].operand + 1)
                              : "nothing is added to the product";
}

void edit_neutral(Edit *e, uint32_t part) {
    Neutral found[3];
    find_neutrals(&e->site, found);
    edit_open_operands(e);
    const uint32_t operand = found[part].operand;
    edit_set_operand(e, operand, edit_splat(e, site_operand_type(&e->site, operand), found[part].number));
}

// ---- mask -----------------------------------------------------------------------------------------------------------

// 1 + the operand; 0: there is none.
static uint32_t mask_operand(const Site *s) {
    uint32_t count = 0;
    const uint32_t first = site_operands(s->op, "mask", &count);
    return count && !site_is_constant(s, s->op->operands[first]) ? first + 1 : 0;
}

uint32_t count_mask(const Site *s) {
    return mask_operand(s) != 0;
}

const char *words_mask(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)s, (void)part;
    return "the mask lets all elements pass";
}

void edit_mask(Edit *e, uint32_t part) {
    const uint32_t operand = mask_operand(&e->site) - 1;
    (void)part;
    edit_open_operands(e);
    edit_set_operand(e, operand, edit_splat(e, site_operand_type(&e->site, operand), 1));
}

// ---- condition ------------------------------------------------------------------------------------------------------

uint32_t count_condition(const Site *s) {
    return s->op->kind == TIR_OP_if && !site_is_constant(s, s->op->operands[0]) ? 3 : 0;
}

const char *words_condition(Arena *arena, const Site *s, uint32_t part) {
    static const char *const words[] = {"its condition is negated", "its condition always holds",
                                        "its condition never holds"};
    (void)arena, (void)s;
    return words[part];
}

void edit_condition(Edit *e, uint32_t part) {
    const TirType type = site_operand_type(&e->site, 0);
    edit_open_operands(e);
    const TirValue number = edit_splat(e, type, part < 2), negated[] = {edit_operand(e, 0), number};
    edit_set_operand(e, 0, part ? number : edit_add(e, TIR_OP_xori, 2, negated, type, NULL));
}

// ---- carried --------------------------------------------------------------------------------------------------------

static bool find_carried(const Site *s, uint32_t part, uint32_t *operand, uint32_t *count) {
    *count = 0;
    if (s->op->kind != TIR_OP_continue || !site_loop(s->op)) return false;
    for (uint32_t i = 0; i < s->op->operand_count; i++) {
        if (carried_argument(s, i) == TIR_NO_VALUE) continue;
        *operand = i;
        if ((*count)++ == part) return true;
    }
    return false;
}

uint32_t count_carried(const Site *s) {
    uint32_t operand, count;
    find_carried(s, UINT32_MAX, &operand, &count);
    return count;
}

const char *words_carried(Arena *arena, const Site *s, uint32_t part) {
    uint32_t operand = 0, count;
    find_carried(s, part, &operand, &count);
    const TirOp *maker = tir_value(s->function, s->op->operands[operand])->definition;
    if (!maker) return arena_format(arena, "carried value %u is not updated", operand + 1);
    const char *line = maker->at.line ? arena_format(arena, " in line %u", maker->at.line) : "";
    return arena_format(arena, "carried value %u, the result of %s%s, is not updated", operand + 1,
                        tir_op_info(maker->kind)->text_name, line);
}

void edit_carried(Edit *e, uint32_t part) {
    uint32_t operand, count;
    edit_open_operands(e);
    if (find_carried(&e->site, part, &operand, &count))
        edit_set_operand(e, operand, edit_value(e, carried_argument(&e->site, operand)));
}

// ---- loop_bounds ----------------------------------------------------------------------------------------------------

enum { LOWER, UPPER, STEP };
static const struct LoopEdit {
    const char *words;
    uint32_t operand;
    TirOpKind op;
} loop_edits[] = {{"the first iteration is left out", LOWER, TIR_OP_addi},
                  {"the last iteration is left out", UPPER, TIR_OP_subi},
                  {"there is one iteration more", UPPER, TIR_OP_addi},
                  {"every other iteration is left out", STEP, TIR_OP_addi}};

uint32_t count_loop(const Site *s) {
    return s->op->kind == TIR_OP_for ? BASE_COUNT(loop_edits) : 0;
}

const char *words_loop(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)s;
    return loop_edits[part].words;
}

void edit_loop(Edit *e, uint32_t part) {
    const struct LoopEdit *row = &loop_edits[part];
    edit_open_operands(e);
    const TirValue operands[] = {edit_operand(e, row->operand), edit_operand(e, STEP)};
    edit_set_operand(e, row->operand, edit_add(e, row->op, 2, operands, site_operand_type(&e->site, STEP), NULL));
}
