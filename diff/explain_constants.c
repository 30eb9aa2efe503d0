// SPDX-License-Identifier: Apache-2.0
// Of a divergence of records: constants of one of the two variants that are read bit for bit, because no rule says
// from what they were rounded. Where one was folded on the host, `means` says it.
#include "diff/explain_internal.h"
#include "diff/report_internal.h"

#include <inttypes.h>
#include <math.h>

enum { CONSTANTS_SEEN_MAX = 1024 }; // different ones of a variant; beyond are tables

typedef struct ConstantSet {
    const FpdCase *cas;
    uint32_t variant, count;
    FpdNoteConstant items[CONSTANTS_SEEN_MAX];
} ConstantSet;

static double magnitude(const FpdNoteConstant *constant) {
    return fabs(fpsan_decode(constant->format, constant->bits));
}

static bool has_constant(const ConstantSet *set, const FpdNoteConstant *constant) {
    for (uint32_t i = 0; i < set->count; i++)
        if (magnitude(&set->items[i]) == magnitude(constant)) return true;
    return false;
}

static bool has_meaning(const FpdCase *cas, FpsanFormat format, uint64_t bits) {
    for (uint32_t i = 0; i < cas->meaning_count; i++)
        if (fpsan_encode_nearest(format, cas->meanings[i].value) == bits ||
            fpsan_encode_nearest(format, -cas->meanings[i].value) == bits)
            return true;
    return false;
}

// An FpdSeeConstant.
static void keep_opaque(void *context, FpsanFormat format, uint64_t bits, Location at) {
    ConstantSet *set = context;
    const FpdNoteConstant constant = {set->variant, format, bits, at};
    if (set->count == CONSTANTS_SEEN_MAX || has_constant(set, &constant) || has_meaning(set->cas, format, bits) ||
        !tower_constant_is_opaque(tower_chain(set->cas->chain), format, bits))
        return;
    set->items[set->count++] = constant;
}

static void see_variant(const Explain *x, uint32_t variant, ConstantSet *set) {
    const FpdVariant *owner = &x->cas->variants[variant];
    *set = (ConstantSet){.cas = x->cas, .variant = variant};
    for (uint32_t i = 0; i < owner->launch_count; i++) {
        const FpdResolvedLaunch *launch = &x->program->launches[variant][i];
        for (uint32_t a = 0; a < owner->launches[i].argument_count; a++) {
            const FpdArgument *argument = &owner->launches[i].arguments[a];
            if (argument->kind == FPD_ARGUMENT_VALUE && element_is_float(argument->type))
                keep_opaque(set, element_format(argument->type), argument->bits, argument->at);
        }
        fpd_see_constants(launch->entry->constants, launch->entry->constant_count, keep_opaque, set);
    }
}

// "            1.00988653: ...  # fused, scale.py:12": a line for the case file.
static void print_constant(const FpdCase *cas, const FpdNoteConstant *constant, Buffer *out) {
    char number[FPD_TEXT_SIZE], place[TEXT_CELL_SIZE];
    const ElementType type = constant->format == FPSAN_F32 ? ELEMENT_F32 : ELEMENT_F64;
    fpd_element_text(type, constant->bits & ~(UINT64_C(1) << (element_info(type)->storage_bits - 1)), number);
    fpd_text_source(&constant->at, "a constant", place);
    buffer_print(out, "      %s: ...  # in %s, %s\n", number, cas->variants[constant->variant].name, place);
}

void fpd_explain_constants(Explain *x, FpdComparison *comparison) {
    Arena scratch = {0};
    Buffer text = {0};
    if (!fpd_compares_records(comparison) || comparison->verdict != FPD_VERDICT_DIVERGED) return;
    ConstantSet *sets = arena_array(&scratch, ConstantSet, 2);
    FpdNoteConstant *named = arena_array(x->arena, FpdNoteConstant, NOTE_ITEMS_MAX);
    uint32_t count = 0;
    see_variant(x, comparison->left->variant, &sets[0]);
    see_variant(x, comparison->right->variant, &sets[1]);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sets[side].count; i++) {
            if (has_constant(&sets[!side], &sets[side].items[i])) continue; // the same in both explains nothing
            if (count < NOTE_ITEMS_MAX) named[count] = sets[side].items[i];
            count++;
        }
    arena_reset(&scratch);
    if (!count) return;
    FpdNote *note = fpd_note_add(comparison, FPD_NOTE_constants);
    note->constants = named;
    note->constant_count = count < NOTE_ITEMS_MAX ? count : NOTE_ITEMS_MAX;
    note->left = count - note->constant_count;
    buffer_print(&text, "constants of one variant that are read bit for bit; was one rounded, or folded on the host, "
                        "the case may say from what:\n    means:\n");
    for (uint32_t i = 0; i < note->constant_count; i++) print_constant(x->cas, &named[i], &text);
    if (note->left) buffer_print(&text, "    and %" PRIu32 " more\n", note->left);
    note->message = fpd_note_message(x, &text);
}
