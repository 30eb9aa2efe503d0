// SPDX-License-Identifier: Apache-2.0
// The tables: rows in opcode order, every column parses, encodings that other tools agree on.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

Test(table, rows_are_in_opcode_order_and_complete) {
    cr_assert_eq(TIR_OP_COUNT, 116); // 0x00-0x18, 0x25-0x33, 0x3a-0x7d, 0x4002-0x4005, 0x5001-0x5004
    for (uint32_t kind = 1; kind < TIR_OP_COUNT; kind++)
        cr_assert_lt(tir_op_info(kind - 1)->opcode, tir_op_info(kind)->opcode, "%s", tir_op_info(kind)->name);
    uint32_t found = 0;
    for (uint32_t opcode = 0; opcode <= 0x7d; opcode++) {
        bool free_opcode = (opcode >= 0x19 && opcode <= 0x24) || (opcode >= 0x34 && opcode <= 0x39);
        cr_assert_eq(tir_op_by_opcode(opcode) == TIR_OP_COUNT, free_opcode, "opcode 0x%x", opcode);
        found += !free_opcode;
    }
    cr_assert_eq(found, TIR_OP_COUNT - 8);
    cr_assert_eq(tir_op_by_opcode(0x4002), TIR_OP_preview_call);
    cr_assert_eq(tir_op_by_opcode(0x4003), TIR_OP_foreign); // newer than every version: no file has it
    cr_assert_eq(tir_op_info(TIR_OP_foreign)->since, 9999);
    cr_assert(tir_op_info(TIR_OP_cast)->text_only && tir_op_info(TIR_OP_dot)->text_only);
    cr_assert_eq(tir_op_by_opcode(0x4004), TIR_OP_COUNT); // cast: of text only
    cr_assert_eq(tir_op_by_opcode(0x5001), TIR_OP_COUNT); // function: ours
    cr_assert(tir_op_info(TIR_OP_gather)->text_only && tir_op_info(TIR_OP_histogram)->text_only);
    cr_assert_eq(tir_op_by_opcode(UINT64_MAX), TIR_OP_COUNT);
}

Test(table, opcodes_are_the_known_ones) {
    static const struct {
        TirOpKind kind;
        uint32_t opcode;
        uint16_t since;
    } known[] = {
        {TIR_OP_absf, 0x00, 1301},   {TIR_OP_constant, 0x10, 1301},
        {TIR_OP_exp2, 0x18, 1301},   {TIR_OP_exti, 0x25, 1301},
        {TIR_OP_for, 0x29, 1301},    {TIR_OP_if, 0x32, 1301},
        {TIR_OP_iota, 0x3a, 1301},   {TIR_OP_load_view_tko, 0x3e, 1301},
        {TIR_OP_mmaf, 0x49, 1301},   {TIR_OP_pow, 0x54, 1301},
        {TIR_OP_reduce, 0x58, 1301}, {TIR_OP_return, 0x5c, 1301},
        {TIR_OP_yield, 0x6d, 1301},  {TIR_OP_atan2, 0x6e, 1302},
        {TIR_OP_pack, 0x6f, 1303},   {TIR_OP_atomic_red_view_tko, 0x75, 1303},
        {TIR_OP_insert, 0x76, 1304}, {TIR_OP_multimem_store_view_tko, 0x7d, 1305},
    };
    for (size_t i = 0; i < BASE_COUNT(known); i++) {
        cr_assert_eq(tir_op_info(known[i].kind)->opcode, known[i].opcode, "%s", tir_op_info(known[i].kind)->name);
        cr_assert_eq(tir_op_info(known[i].kind)->since, known[i].since, "%s", tir_op_info(known[i].kind)->name);
    }
}

static void check_rule(const TirOpInfo *info, const TirOperandInfo *value) {
    const TirTypeRule *rule = &value->type;
    cr_assert(value->name[0] && strlen(value->name) < TIR_NAME_MAX, "%s", info->name);
    cr_assert(rule->kinds, "%s of %s allows no type", value->name, info->name);
    if (rule->kinds == 1u << TIR_TYPE_tile)
        cr_assert(rule->elements, "%s of %s allows no element", value->name, info->name);
    cr_assert(value->since >= info->since && (value->since <= 1305 || info->since == 9999), "%s of %s", value->name,
              info->name);
    for (uint8_t i = 0; i < rule->relation_count; i++) {
        const TirRelation *relation = &rule->relations[i];
        const TirOperandInfo *other =
            relation->of_result ? &info->results[relation->index] : &info->operands[relation->index];
        cr_assert(other != value && other->arity == TIR_ONE, "%s of %s relates to itself or to a variadic", value->name,
                  info->name);
    }
}

Test(table, every_column_says_something) {
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        const TirOpInfo *info = tir_op_info(kind);
        cr_assert_lt(strlen(info->name), TIR_NAME_MAX);
        cr_assert_leq(info->rule, FPSAN_RULE_COUNT);
        for (uint8_t i = 0; i < info->operand_count; i++) check_rule(info, &info->operands[i]);
        for (int i = 0; i < (info->result_count < 0 ? 1 : info->result_count); i++) check_rule(info, &info->results[i]);
        for (uint8_t i = 0; i < info->attribute_count; i++) {
            const TirAttributeInfo *attribute = &info->attributes[i];
            cr_assert_eq(attribute->kind == TIR_ATTR_ENUM, attribute->enumeration != NULL, "%s of %s", attribute->name,
                         info->name);
            const bool flagged = attribute->optional || attribute->kind == TIR_ATTR_UNIT;
            cr_assert(info->since == 9999 || (attribute->flag >= 0) == flagged, "%s of %s", attribute->name,
                      info->name);
            // Files older than the attribute must know what it stands for.
            if (attribute->since > info->since && attribute->kind == TIR_ATTR_ENUM) cr_assert(attribute->has_default);
        }
    }
}

Test(table, encodings_follow_from_the_rows) {
    const TirOpInfo *addf = tir_op_info(TIR_OP_addf), *loop = tir_op_info(TIR_OP_for),
                    *print = tir_op_info(TIR_OP_print_tko);
    const TirOpInfo *load = tir_op_info(TIR_OP_load_ptr_tko), *view = tir_op_info(TIR_OP_load_view_tko),
                    *max = tir_op_info(TIR_OP_maxf);
    cr_assert(!addf->counted_results && !addf->segmented && !addf->counted_operands && addf->flags_since == 1301 &&
              addf->result_count == 1);
    cr_assert(loop->counted_results && loop->counted_operands && !loop->segmented && loop->flags_since == 1302 &&
              loop->result_count == -1);
    cr_assert(print->counted_results && print->segmented && print->flags_since == 1302 &&
              print->results[0].since == 1302);
    cr_assert(!load->counted_results && load->segmented && load->result_count == 2);
    cr_assert(view->counted_results && view->segmented && view->result_count == 2);
    // scope, hints, mask, padding, token
    cr_assert(load->attributes[1].flag == 0 && load->attributes[2].flag == 1 && load->attributes[0].flag == -1);
    cr_assert(load->operands[1].flag == 2 && load->operands[2].flag == 3 && load->operands[3].flag == 4 &&
              load->operands[0].flag == -1);
    cr_assert(max->attributes[0].flag == 0 && max->attributes[1].flag == 1 && !strcmp(max->attributes[0].name, "nan"));
    cr_assert_eq(tir_op_info(TIR_OP_mmaf)->flags_since, 1303);
    cr_assert_eq(tir_op_info(TIR_OP_gdc_wait_tko)->flags_since, UINT16_MAX);
    cr_assert(tir_op_info(TIR_OP_gdc_wait_tko)->counted_operands && !tir_op_info(TIR_OP_gdc_wait_tko)->counted_results);
    cr_assert_eq(tir_op_info(TIR_OP_if)->region_count, 2);
    cr_assert_eq(tir_op_info(TIR_OP_exp)->attributes[0].default_value, TIR_rounding_full);
    cr_assert_eq(tir_op_info(TIR_OP_divi)->attributes[1].default_value, TIR_rounding_zero);
    cr_assert_str_eq(tir_op_info(TIR_OP_pow)->text_name, "fpowf");
    cr_assert_str_eq(tir_op_info(TIR_OP_get_tile_block_id)->result_names, "blockId_x blockId_y blockId_z");
}

static const char *const effect_words[] = {"reads",  "writes", "atomic", "waits",
                                           "orders", "makes",  "passes", "unspecified"};

static const char *effects_of(const TirOpInfo *info, char *text, size_t size) {
    text[0] = 0;
    for (size_t i = 0; i < BASE_COUNT(effect_words); i++)
        if (info->effects >> i & 1)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? " " : "", effect_words[i]);
    return text;
}

// Every op that is not pure: written down once more, so that neither a missing word nor a new op goes unseen.
Test(table, effects_of_memory_are_the_known_ones) {
    static const struct {
        TirOpKind kind;
        const char *effects, *address;
    } known[] = {
        {TIR_OP_load_ptr_tko, "reads waits unspecified", "source"},
        {TIR_OP_load_view_tko, "reads waits unspecified", "view"},
        {TIR_OP_store_ptr_tko, "writes", "destination"},
        {TIR_OP_store_view_tko, "writes", "view"},
        {TIR_OP_atomic_cas_tko, "reads writes atomic waits", "pointers"},
        {TIR_OP_atomic_rmw_tko, "reads writes atomic waits unspecified", "pointers"},
        {TIR_OP_atomic_red_view_tko, "reads writes atomic", "view"},
        {TIR_OP_multimem_load_reduce_view_tko, "reads waits unspecified", "view"},
        {TIR_OP_multimem_reduce_view_tko, "reads writes atomic", "view"},
        {TIR_OP_multimem_store_view_tko, "writes", "view"},
        {TIR_OP_alloca, "orders makes unspecified", NULL},
        {TIR_OP_get_global, "makes", NULL},
        {TIR_OP_gdc_launch_dependents_tko, "orders", NULL},
        {TIR_OP_gdc_wait_tko, "waits orders", NULL},
        {TIR_OP_memory_fence_alias_tko, "orders", NULL},
        {TIR_OP_preview_call, "reads writes waits orders passes", NULL},
        {TIR_OP_foreign, "reads writes waits orders passes", NULL},
        {TIR_OP_block_operation, "reads writes waits orders", NULL},
        {TIR_OP_ftoi, "unspecified", NULL},
        {TIR_OP_divi, "unspecified", NULL},
        {TIR_OP_remi, "unspecified", NULL},
        {TIR_OP_assert, "", NULL},
        {TIR_OP_print_tko, "", NULL},
        {TIR_OP_return, "", NULL},
    };
    bool is_known[TIR_OP_COUNT] = {false};
    char text[64];
    for (size_t i = 0; i < BASE_COUNT(known); i++) {
        const TirOpInfo *info = tir_op_info(known[i].kind);
        is_known[known[i].kind] = true;
        cr_expect_str_eq(effects_of(info, text, sizeof text), known[i].effects, "%s %s", info->name, text);
        cr_expect_eq(info->address >= 0, known[i].address != NULL, "%s", info->name);
        if (info->address >= 0 && known[i].address)
            cr_expect_str_eq(info->operands[info->address].name, known[i].address, "%s", info->name);
    }
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        const TirOpInfo *info = tir_op_info(kind);
        if (is_known[kind] || kind == TIR_OP_entry || kind == TIR_OP_global || kind == TIR_OP_module) continue;
        cr_expect(info->pure || info->pure_body || info->effects == TIR_PASSES, "%s: what does it do?", info->name);
        cr_expect(!(info->effects & ~TIR_PASSES), "%s %s", info->name, effects_of(info, text, sizeof text));
    }
}

static bool may_point(const TirOpInfo *info, const TirOperandInfo *value) {
    const uint32_t views = 1u << TIR_TYPE_tensor_view | 1u << TIR_TYPE_partition_view | 1u << TIR_TYPE_strided_view |
                           1u << TIR_TYPE_gather_scatter_view;
    for (uint8_t i = 0; i < value->type.relation_count; i++) {
        const TirRelation *relation = &value->type.relations[i];
        const TirOperandInfo *other =
            relation->of_result ? &info->results[relation->index] : &info->operands[relation->index];
        if (strchr("=^", relation->relation) && !may_point(info, other)) return false;
    }
    return value->type.kinds & views || value->type.elements >> TIR_TYPE_ptr & 1;
}

// Pointers of which nobody knows where they come from: an op whose results may be such says that they are its
// operands', its own memory's, or what it has read. Each operand that may be what the results are is passed.
Test(table, pointers_are_passed_on_by_rows_that_say_so) {
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        const TirOpInfo *info = tir_op_info(kind);
        bool gives = info->terminator;
        for (int r = 0; r < (info->result_count < 0 ? 1 : info->result_count); r++)
            gives |= may_point(info, &info->results[r]);
        for (uint8_t i = 0; i < info->operand_count; i++) {
            const bool passed = info->passed >> i & 1;
            if (may_point(info, &info->operands[i]) && gives && !(info->effects & TIR_READS) && kind != TIR_OP_return)
                cr_expect(passed, "%s of %s", info->operands[i].name, info->name);
            const bool address = kind == TIR_OP_int_to_ptr; // of integers
            if (passed)
                cr_expect(may_point(info, &info->operands[i]) || address, "%s of %s", info->operands[i].name,
                          info->name);
        }
        const bool of_regions = kind == TIR_OP_if, of_memory = info->effects & (TIR_READS | TIR_MAKES);
        if (gives && kind != TIR_OP_return) cr_expect(info->passed || of_regions || of_memory, "%s", info->name);
        cr_expect_eq(info->passed != 0, (info->effects & TIR_PASSES) != 0, "%s", info->name);
    }
}

Test(table, type_rules_name_sets_and_relations) {
    const TirOpInfo *load = tir_op_info(TIR_OP_load_ptr_tko), *mma = tir_op_info(TIR_OP_mmaf),
                    *select = tir_op_info(TIR_OP_select);
    cr_assert_eq(load->operands[0].type.elements, 1u << TIR_TYPE_ptr);
    cr_assert_eq(load->operands[0].type.relations[0].relation, '&');
    cr_assert(load->operands[0].type.relations[0].of_result && load->operands[0].type.relations[0].index == 0);
    cr_assert(mma->operands[0].type.elements >> TIR_TYPE_tf32 & 1 &&
              !(mma->operands[0].type.elements >> TIR_TYPE_f4E2M1FN & 1));
    cr_assert_eq(mma->operands[1].type.relation_count, 2);
    cr_assert_eq(select->operands[0].type.elements, 1u << TIR_TYPE_i1);
    cr_assert(select->operands[2].type.relations[0].relation == '=' &&
              select->operands[2].type.relations[0].index == 1);
    cr_assert_eq(tir_op_info(TIR_OP_for)->operands[0].type.rank, 0);
    cr_assert_eq(tir_op_info(TIR_OP_iota)->results[0].type.rank, 1);
    cr_assert_eq(tir_op_info(TIR_OP_addf)->operands[0].type.rank, -1);
}

Test(table, text_forms_name_what_the_row_has) {
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        const TirOpInfo *info = tir_op_info(kind);
        for (const char *at = strpbrk(info->text, "$#^"); at; at = strpbrk(at, "$#^")) {
            char mark = *at++, name[TIR_NAME_MAX] = "";
            at += mark == '^' && (*at == '1' || *at == '=');
            size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzSZABCDEFGHIJKLMNOPQRTUVWXY_");
            memcpy(name, at, length);
            bool known = false;
            for (uint8_t i = 0; mark != '#' && i < info->operand_count; i++)
                known |= !strcmp(name, info->operands[i].name);
            for (int i = 0; mark != '#' && i < TIR_RESULTS_MAX; i++)
                known |= info->results[i].name && !strcmp(name, info->results[i].name);
            for (uint8_t i = 0; mark == '#' && i < info->attribute_count; i++)
                known |= !strcmp(name, info->attributes[i].name);
            cr_assert(known, "the text form of %s names %c%s", info->name, mark, name);
        }
        int open = 0;
        for (const char *at = info->text; *at; at++) {
            open += (*at == '{') - (*at == '}');
            cr_assert(open == 0 || open == 1, "groups of %s", info->name);
        }
        cr_assert_eq(open, 0, "groups of %s", info->name);
    }
}

Test(table, types_are_in_tag_order_of_their_kinds) {
    for (uint32_t kind = 1; kind < TIR_TYPE_COUNT; kind++)
        cr_assert(tir_type_rows[kind - 1].tag < tir_type_rows[kind].tag || tir_type_rows[kind].tag == TIR_NO_TAG);
    cr_assert(tir_type_rows[TIR_TYPE_f6E3M2FN].tag == TIR_NO_TAG && tir_type_rows[TIR_TYPE_f6E3M2FN].bits == 6);
    cr_assert_str_eq(tir_type_rows[TIR_TYPE_f8E8M0FNU].name, "f8E8M0FNU");
    cr_assert(tir_type_rows[TIR_TYPE_f8E8M0FNU].since == 1302 && tir_type_rows[TIR_TYPE_f8E8M0FNU].tag == 18);
    cr_assert(tir_type_rows[TIR_TYPE_tf32].bits == 19 && tir_type_rows[TIR_TYPE_tf32].storage_bytes == 4);
}

Test(table, enumerations) {
    cr_assert_str_eq(tir_enum_word(&tir_enum_rounding, TIR_rounding_nearest_int_to_zero), "nearest_int_to_zero");
    cr_assert_eq(TIR_rounding_nearest_int_to_zero, 6);
    cr_assert_str_eq(tir_enum_word(&tir_enum_atomic_mode, 9), "xchg");
    cr_assert_eq(TIR_atomic_mode_xchg, 9);
    cr_assert_str_eq(tir_enum_word(&tir_enum_signedness, 1), "signed");
    cr_assert_null(tir_enum_word(&tir_enum_signedness, 2));
    cr_assert_null(tir_enum_word(&tir_enum_padding, UINT64_MAX));
    cr_assert_eq(TIR_PAD_none, tir_enum_padding.count); // "none" is what a type without padding has
    cr_assert_str_eq(tir_enum_word(&tir_enum_padding, TIR_PAD_neg_inf), "neg_inf");
}

static void *look_up(void *kind) {
    return (void *)tir_op_info((TirOpKind)(uintptr_t)kind)->operands[0].name;
}

Test(table, first_use_may_come_from_several_threads) {
    pthread_t threads[8];
    for (uintptr_t i = 0; i < BASE_COUNT(threads); i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, look_up, (void *)(uintptr_t)TIR_OP_fma), 0);
    for (size_t i = 0; i < BASE_COUNT(threads); i++) {
        void *name;
        pthread_join(threads[i], &name);
        cr_assert_str_eq(name, "lhs");
    }
}
