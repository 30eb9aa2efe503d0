// SPDX-License-Identifier: Apache-2.0
// Ops of Triton's text: their results, the row they belong to, blocks and regions.
#include "compiler/triton/reader.h"

#include <stdio.h>

TriType tri_value_type(const Parser *p, TriValue value) {
    return tri_reader(p)->types[value];
}

uint32_t tri_operand_index(const TriOpInfo *info, const char *name, size_t length) {
    for (uint32_t i = 0; i < info->operand_count; i++)
        if (strlen(info->operands[i].name) == length && !memcmp(info->operands[i].name, name, length)) return i;
    return UINT32_MAX;
}

bool tri_check_type(Parser *p, const Token *at, TriValue value, TriType type) {
    const TriType own = tri_value_type(p, value);
    if (tri_same_type(own, type)) return true;
    const char *ours = tri_type_text(p, own), *texts = tri_type_text(p, type);
    return strcmp(ours, texts) ? parse_fail(p, at, "the value is %s, but the text says %s", ours, texts)
                               : parse_fail(p, at, "the value is %s of another layout than the text says", ours);
}

// ---- the op's name --------------------------------------------------------------------------------------------------

// What is not read, by how its name begins, and what to do instead.
static bool refuse_op(Parser *p, const Token *at, const char *name) {
    static const char within[] = ": it is of Triton's own passes; take asm['ttgir'] of the compiled kernel";
    static const char behind[] = ": it is of what Triton makes of TTGIR; take asm['ttgir'] of the compiled kernel";
    static const char threads[] = ": it says what single threads do";
    static const char proton[] = ": the kernel was instrumented by Proton; export it without";
    static const struct {
        const char *begins, *advice;
    } rows[] = {{"tti.", tri_export_plain},
                {"triton_gpu.", tri_export_newer},
                {"triton_nvidia_gpu.", tri_export_newer},
                {"ttg.memdesc_subview", tri_export_newer},
                {"nvws.", within},
                {"ttg.mask", within},
                {"ttg.predicate_stage", within},
                {"gluon.", tri_export_ttgir},
                {"ttg.inline_asm", threads},
                {"ttg.warp_id", threads},
                {"amdg.", tri_export_nvidia},
                {"amdgpu.", tri_export_nvidia},
                {"proton", proton},
                {"llvm.", behind},
                {"nvvm.", behind},
                {"nvg", behind}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (!strncmp(name, rows[i].begins, strlen(rows[i].begins)))
            return tri_fail_advised(p, at, rows[i].advice, "'%s'", name);
    return tri_fail_unsupported(p, at, "'%s'", name);
}

static bool find_info(Parser *p, TriParsed *parsed) {
    uint64_t index;
    const char *name = token_name(p, &parsed->at);
    if (!map_find(&tri_reader(p)->op_names, name, &index)) return refuse_op(p, &parsed->at, name);
    parsed->op->info = &tri_reader(p)->infos[index];
    return true;
}

// ---- results --------------------------------------------------------------------------------------------------------

// %a, %b:2 =
static bool parse_result_names(Parser *p, TriParsed *parsed) {
    TriReader *r = tri_reader(p);
    parsed->first_name = (uint32_t)r->name_count;
    if (!parse_at(p, TOKEN_VALUE)) return true;
    do {
        TriResultName name = {p->token, 1};
        uint64_t count = 1;
        if (!parse_need(p, TOKEN_VALUE, "the name of a result")) return false;
        const Token at = p->token;
        if (parse_take(p, ':') && !parse_unsigned(p, &count, "a number of results")) return false;
        if (!count || count > UINT16_MAX) return parse_fail(p, &at, "%llu results", (unsigned long long)count);
        name.count = (uint32_t)count;
        parsed->named += name.count;
        parsed->name_count++;
        r->names = arena_grow(&p->scratch, r->names, r->name_count, &r->name_capacity, sizeof *r->names);
        r->names[r->name_count++] = name;
    } while (parse_take(p, ','));
    return parse_need(p, '=', "'='");
}

// The type of declared result i by its rule, where the form does not say it.
static bool infer_type(Parser *p, const TriParsed *parsed, uint32_t i, TriType *type) {
    const TriOpInfo *info = parsed->op->info;
    const TriNamed *result = &info->results[i];
    if (result->rule == '&') {
        *type = (TriType){.token = true, .tile = tri_scalar(p->module, TIR_TYPE_i1)};
        return true;
    }
    for (uint32_t k = 0; k < i; k++)
        if (!strcmp(info->results[k].name, result->of)) return *type = parsed->result_types[k], true;
    const uint32_t operand = tri_operand_index(info, result->of, strlen(result->of));
    if (operand == UINT32_MAX || !parsed->operand_counts[operand])
        return parse_fail(p, &parsed->at, "%s: the type of its result is not known", info->name);
    *type = tri_value_type(p, p->operands[parsed->first_operand[operand]].value);
    const TirTypeInfo *tile = tir_type(p->module, type->tile), *element = tir_type(p->module, tile->element);
    switch (result->rule) {
    case '!': type->tile = tri_tile(p->module, tir_type_scalar(p->module, TIR_TYPE_i1), tile); break;
    case '.': type->tile = tir_type_tile(p->module, tile->element, 0, NULL); break;
    case '>':
        if (element->kind != TIR_TYPE_ptr)
            return parse_fail(p, &parsed->at, "%s: the operand is no pointer", info->name);
        type->tile = tri_tile(p->module, element->element, tile);
        type->block = false;
        break;
    default: break;
    }
    return true;
}

// Which of the declared results are there: those that are not optional, a token where the text has one, and others as
// far as it has types for them.
static bool count_results(Parser *p, TriParsed *parsed) {
    TriOp *op = parsed->op;
    const TriOpInfo *info = op->info;
    const TriType *types = tri_reader(p)->type_stack + parsed->first_type;
    uint32_t needed = 0, at = 0;
    op->result_count = parsed->has_types ? parsed->type_count : 0;
    for (uint32_t i = 0; i < info->result_count; i++) needed += info->results[i].arity == TIR_ONE;
    for (uint32_t i = 0; i < info->result_count; i++) {
        const bool optional = info->results[i].arity == TIR_OPTIONAL, token = !strcmp(info->results[i].name, "token");
        bool there = !optional;
        if (optional && !parsed->has_types) there = parsed->has_result_type[i];
        if (optional && parsed->has_types) there = at + needed < op->result_count && types[at].token == token;
        needed -= !optional && !info->variadic_results;
        op->results[i] = there;
        at += there;
    }
    if (info->variadic_results) return true;
    if (parsed->has_types && parsed->type_count != at)
        return parse_fail(p, &parsed->at, "%s has %u results, but the text has %u types for them", info->name,
                          info->result_count, parsed->type_count);
    op->result_count = at;
    return true;
}

static bool meets(Parser *p, const TriNamed *named, TriType type) {
    const bool plain = !type.memory && !type.token && !type.wide && !type.descriptor;
    const TirTypeInfo *tile = tir_type(p->module, type.tile);
    switch (named->constraint) {
    case TRI_ANY: return true;
    case TRI_A_MEMORY: return type.memory;
    case TRI_A_TOKEN: return type.token;
    case TRI_A_TENSOR: return plain && tile->rank;
    case TRI_A_DESCRIPTOR: return type.descriptor;
    case TRI_A_WIDE: return type.wide;
    case TRI_A_SCALAR: return plain && !tile->rank && tir_type(p->module, tile->element)->kind == named->kind;
    }
    return false;
}

// Whether the op may have a value of this type as this operand or result (NULL: one that its row does not name).
static bool check_object(Parser *p, const TriParsed *parsed, const TriNamed *named, TriType type) {
    if (named && !meets(p, named, type))
        return parse_fail(p, &parsed->at, "%s: '%s' is %s, expected %s", parsed->op->info->name, named->name,
                          tri_type_text(p, type), tri_constraint_text(named));
    return parsed->op->info->objects || !(type.memory || type.token || type.wide) ||
           parse_fail(p, &parsed->at, "%s cannot have %s", parsed->op->info->name, tri_type_text(p, type));
}

static bool make_results(Parser *p, TriParsed *parsed) {
    TriOp *op = parsed->op;
    const TriOpInfo *info = op->info;
    const TriReader *r = tri_reader(p);
    op->first_result = (TriValue)r->value_count;
    if (!count_results(p, parsed)) return false;
    for (uint32_t i = 0, declared = 0; i < op->result_count; i++, declared++) {
        TriType type;
        while (!info->variadic_results && !op->results[declared]) declared++;
        if (parsed->has_types)
            type = r->type_stack[parsed->first_type + i];
        else if (parsed->has_result_type[declared])
            type = parsed->result_types[declared];
        else if (!infer_type(p, parsed, declared, &type))
            return false;
        if (declared < TRI_RESULTS_MAX) parsed->result_types[declared] = type;
        if (!check_object(p, parsed, declared < info->result_count ? &info->results[declared] : NULL, type))
            return false;
        tri_new_value(p, type);
    }
    if (parsed->named && parsed->named != op->result_count)
        return parse_fail(p, &parsed->at, "%s has %u results, but %u names", info->name, op->result_count,
                          parsed->named);
    TriValue value = op->first_result;
    for (uint32_t i = 0; i < parsed->name_count; i++) {
        const TriResultName name = r->names[parsed->first_name + i];
        if (!scope_define(p, &name.name, value, name.count)) return false;
        value += name.count;
    }
    return true;
}

// ---- operands and attributes ----------------------------------------------------------------------------------------

bool tri_parse_operands(Parser *p, TriParsed *parsed, uint32_t operand) {
    parsed->first_operand[operand] = (uint32_t)p->operand_count;
    parsed->operand_counts[operand] = 1;
    if (parsed->op->info->operands[operand].arity == TIR_VARIADIC)
        return parse_use_list(p, &parsed->operand_counts[operand]);
    return parse_use(p);
}

static bool take_operands(Parser *p, TriParsed *parsed) {
    TriOp *op = parsed->op;
    const TriOpInfo *info = op->info;
    for (uint32_t i = 0; i < info->operand_count; i++) op->operand_count += parsed->operand_counts[i];
    op->operands = arena_array(&p->scratch, TriValue, op->operand_count + 1u);
    for (uint32_t i = 0, at = 0; i < info->operand_count; i++) {
        op->segments[i] = parsed->operand_counts[i];
        if (info->operands[i].arity == TIR_ONE && op->segments[i] != 1)
            return parse_fail(p, &parsed->at, "%s: operand '%s' is missing", info->name, info->operands[i].name);
        for (uint32_t k = 0; k < op->segments[i]; k++) {
            op->operands[at] = p->operands[parsed->first_operand[i] + k].value;
            if (!check_object(p, parsed, &info->operands[i], tri_value_type(p, op->operands[at++]))) return false;
        }
    }
    return true;
}

static bool check_attributes(Parser *p, const TriParsed *parsed) {
    const TriOp *op = parsed->op;
    for (uint32_t i = 0; i < op->info->attribute_count; i++) {
        const TriAttributeInfo *attribute = &op->info->attributes[i];
        const bool defaulted = attribute->kind == TRI_BOOL || attribute->kind == TRI_HINT_KIND;
        if (!op->attributes[i].present && !attribute->optional && !defaulted)
            return parse_fail(p, &parsed->at, "%s: the attribute '%s' is missing", op->info->name, attribute->name);
    }
    return true;
}

// ---- an op ----------------------------------------------------------------------------------------------------------

static bool parse_op_parts(Parser *p, TriParsed *parsed) {
    if (!parse_result_names(p, parsed)) return false;
    parsed->at = p->token;
    const bool generic = parse_at(p, TOKEN_STRING);
    if (!generic && !parse_at(p, TOKEN_WORD)) return parse_expected(p, "an op");
    if (!find_info(p, parsed)) return false;
    parse_advance(p);
    parsed->op->at = parse_location(p, &parsed->at);
    if (!(generic ? tri_parse_generic(p, parsed) : tri_parse_form(p, parsed))) return false;
    uint32_t place;
    if (!tri_parse_place(p, &place)) return false;
    parsed->op->unplaced = place == UINT32_MAX || !tri_reader(p)->places[place].at.line;
    if (place != UINT32_MAX) {
        const TriPlace *found = &tri_reader(p)->places[place];
        if (found->at.line) parsed->op->at = found->at;
        parsed->op->debug = found->debug;
    }
    return take_operands(p, parsed) && check_attributes(p, parsed) && make_results(p, parsed);
}

static bool parse_op(Parser *p, TriBlock *block) {
    TriReader *r = tri_reader(p);
    const size_t operands = p->operand_count, types = r->type_count, names = r->name_count;
    TriParsed parsed = {.op = arena_new(&p->scratch, TriOp)};
    if (!parse_op_parts(p, &parsed)) return false;
    p->operand_count = operands;
    r->type_count = types;
    r->name_count = names;
    *(block->last ? &block->last->next : &block->first) = parsed.op;
    block->last = parsed.op;
    return true;
}

// ---- blocks and regions ---------------------------------------------------------------------------------------------

TriBlock *tri_add_block(Parser *p, TriRegion *region) {
    TriBlock *block = arena_new(&p->scratch, TriBlock);
    block->number = region->last ? region->last->number + 1 : 0;
    *(region->last ? &region->last->next : &region->first) = block;
    region->last = block;
    return block;
}

// ^bb0(%a: f32 loc(..), ..):
static bool parse_block_label(Parser *p, TriBlock *block) {
    block->name = p->token;
    parse_advance(p);
    block->first_argument = (TriValue)tri_reader(p)->value_count;
    if (parse_take(p, '(') && !parse_take(p, ')')) {
        do {
            const Token name = p->token;
            TriType type;
            uint32_t place;
            if (!parse_need(p, TOKEN_VALUE, "the name of an argument") || !parse_need(p, ':', "':'") ||
                !tri_parse_type(p, 0, &type) || !tri_parse_place(p, &place))
                return false;
            block->argument_count++;
            if (!scope_define(p, &name, tri_new_value(p, type), 1)) return false;
        } while (parse_take(p, ','));
        if (!parse_need(p, ')', "',' or ')'")) return false;
    }
    return parse_need(p, ':', "':' behind the name of a block");
}

static bool resolve_successors(Parser *p, const TriRegion *region) {
    Map names = {0};
    for (TriBlock *block = region->first; block; block = block->next)
        if (block->name.length && !map_insert(&names, &p->scratch, token_text(p, &block->name), (uintptr_t)block))
            return parse_fail(p, &block->name, "the block %s is there twice", token_text(p, &block->name));
    for (const TriBlock *block = region->first; block; block = block->next)
        for (uint32_t i = 0; block->last && i < block->last->successor_count; i++) {
            TriSuccessor *to = &block->last->successors[i];
            uint64_t found;
            if (!map_find(&names, token_text(p, &to->name), &found))
                return parse_fail(p, &to->name, "there is no block %s", token_text(p, &to->name));
            to->block = (TriBlock *)(uintptr_t)found;
            if (to->count != to->block->argument_count)
                return parse_fail(p, &to->name, "%u values for the %u arguments of %s", to->count,
                                  to->block->argument_count, token_text(p, &to->name));
            for (uint32_t k = 0; k < to->count; k++)
                if (!tri_check_type(p, &to->name, to->values[k], tri_value_type(p, to->block->first_argument + k)))
                    return false;
        }
    return true;
}

bool tri_parse_region(Parser *p, TriRegion *region, TriBlock *block) {
    const size_t mark = scope_open(p);
    if (!parse_enter(p)) return false;
    while (!parse_at(p, '}')) {
        if (parse_at(p, TOKEN_BLOCK)) {
            // The label of the first block, if nothing was in it: its arguments are there.
            const bool first = block && !block->next && !block->first && block == region->first &&
                               !block->name.length && !block->argument_count;
            if (!first) block = tri_add_block(p, region);
            if (!parse_block_label(p, block)) return false;
            continue;
        }
        if (!block) block = tri_add_block(p, region);
        if (!parse_op(p, block)) return false;
    }
    parse_advance(p);
    scope_close(p, mark);
    parse_leave(p);
    return region->first == region->last || resolve_successors(p, region);
}
