// SPDX-License-Identifier: Apache-2.0
// Optimization hints: which there are, of what, and in which range. NVIDIA's tools let any other pass unless they are
// asked to look, so this is no part of tir_verify.
#include "compiler/tileir/tir.h"

#include <string.h>

typedef enum HintPlace { OF_ENTRY = 1, OF_POINTERS = 2, OF_VIEW = 4 } HintPlace;
typedef enum HintKind { HINT_POWER_OF_TWO, HINT_RANGE, HINT_BOOL } HintKind;

static const struct Hint {
    const char *name;
    uint8_t places;
    HintKind kind;
    int64_t low, high;
} hint_rows[] = {
    {"num_cta_in_cga", OF_ENTRY, HINT_POWER_OF_TWO, 1, 16}, // on sm_8x only 1
    {"num_worker_warps_per_cta", OF_ENTRY, HINT_POWER_OF_TWO, 1, 32},
    {"occupancy", OF_ENTRY, HINT_RANGE, 1, 32},
    {"latency", OF_POINTERS | OF_VIEW, HINT_RANGE, 1, 10},
    {"allow_tma", OF_VIEW, HINT_BOOL, 0, 1},
};

static const char *const targets[] = {"default", "sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",
                                      "sm_90",   "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};

typedef struct HintCheck {
    Diagnostics *diagnostics;
    const TirModule *module;
    Location at;
    HintPlace place;
} HintCheck;

static bool check_value(const HintCheck *check, const char *target, const struct Hint *hint,
                        const TirAttribute *value) {
    if (hint->kind == HINT_BOOL)
        return value->tag == TIR_TAG_BOOL || (value->tag == TIR_TAG_INTEGER && value->integer <= 1) ||
               diag_fail(check->diagnostics, check->at, E_VERIFY, "hint %s.%s is no bool", target, hint->name);
    if (value->tag != TIR_TAG_INTEGER)
        return diag_fail(check->diagnostics, check->at, E_VERIFY, "hint %s.%s is no integer", target, hint->name);
    uint32_t unused = 64 - tir_type_rows[tir_type(check->module, value->type)->kind].bits;
    int64_t number = (int64_t)(value->integer << unused) >> unused,
            high = strncmp(target, "sm_8", 4) || hint->kind != HINT_POWER_OF_TWO || hint->high != 16 ? hint->high : 1;
    bool power = hint->kind == HINT_POWER_OF_TWO;
    if (number >= hint->low && number <= high && !(power && number & (number - 1))) return true;
    return diag_fail(check->diagnostics, check->at, E_VERIFY, "hint %s.%s is %lld, expected %s%lld to %lld", target,
                     hint->name, (long long)number, power ? "a power of two, " : "", (long long)hint->low,
                     (long long)high);
}

static bool check_hint(const HintCheck *check, const char *target, const TirNamedAttribute *entry) {
    for (size_t i = 0; i < BASE_COUNT(hint_rows); i++)
        if (hint_rows[i].places & check->place && !strcmp(hint_rows[i].name, entry->name))
            return check_value(check, target, &hint_rows[i], &entry->value);
    return diag_fail(check->diagnostics, check->at, E_VERIFY, "hint %s.%s is not known here", target, entry->name);
}

static bool check_hints(const HintCheck *check, const TirAttribute *hints) {
    bool valid = true;
    for (size_t i = 0; hints->present && i < hints->length; i++) {
        const TirNamedAttribute *entry = &hints->entries[i];
        bool known = false;
        for (size_t t = 0; t < BASE_COUNT(targets); t++) known |= !strcmp(targets[t], entry->name);
        if (!known)
            valid = diag_fail(check->diagnostics, check->at, E_VERIFY, "hints for the unknown target %s", entry->name);
        for (size_t h = 0; known && h < entry->value.length; h++)
            valid &= check_hint(check, entry->name, &entry->value.entries[h]);
    }
    return valid;
}

static bool check_op(HintCheck *check, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    bool valid = true;
    check->at = op->at;
    check->place = OF_POINTERS;
    for (uint32_t i = 0; i < info->operand_count; i++)
        if (!strcmp(info->operands[i].name, "view")) check->place = OF_VIEW;
    for (uint32_t i = 0; i < info->attribute_count; i++)
        if (info->attributes[i].kind == TIR_ATTR_HINTS) valid &= check_hints(check, &op->attributes[i]);
    return valid;
}

bool tir_verify_hints(Diagnostics *diagnostics, const TirModule *module) {
    HintCheck check = {.diagnostics = diagnostics, .module = module};
    bool valid = true;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const TirFunction *function = &module->functions[i];
        check.at = function->at;
        check.place = OF_ENTRY;
        valid &= check_hints(&check, &function->hints);
        for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
            valid &= check_op(&check, op);
    }
    return valid;
}
