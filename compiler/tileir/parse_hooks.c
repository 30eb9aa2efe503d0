// SPDX-License-Identifier: Apache-2.0
// Regions of the text form, and the hooks of ops.def's text forms: what only one op has.
#include "compiler/tileir/parse_internal.h"

#include <assert.h>

// ---- regions --------------------------------------------------------------------------------------------------------

static void end_block(TirBlock *block, TirOpKind end, Location at) {
    if (end == TIR_OP_COUNT || (block->last && tir_op_info(block->last->kind)->terminator)) return;
    TirOp *op = tir_op_add(block, &(TirNewOp){.kind = end});
    op->at = at;
}

static bool parse_ops(Parser *p, TirBlock *block);

// math<SETTINGS> { ops }, whose values are visible behind it.
static bool parse_math_block(Parser *p, TirBlock *block) {
    const TirMathBlock *outer = tile_parser(p)->math_block;
    if (!parse_math(p, outer, &tile_parser(p)->math_block) || !parse_need(p, '{', "'{'") || !parse_enter(p) ||
        !parse_ops(p, block))
        return false;
    parse_leave(p);
    tile_parser(p)->math_block = outer;
    return parse_need(p, '}', "'}'");
}

static bool parse_ops(Parser *p, TirBlock *block) {
    while (!parse_at(p, '}') && !parse_at(p, TOKEN_BLOCK))
        if (!(parse_at_word(p, "math") ? parse_math_block(p, block) : parse_op(p, block))) return false;
    return true;
}

static bool define_arguments(Parser *p, const TirBlock *block, uint32_t first_name) {
    for (uint32_t i = 0; i < block->argument_count; i++) {
        const ResultName name = tile_parser(p)->results[first_name + i];
        if (!scope_define(p, &name.name, block->first_argument + i, 1)) return false;
    }
    return true;
}

static void push_name(Parser *p, const Token *name) {
    tile_parser(p)->results = arena_grow(&p->scratch, tile_parser(p)->results, tile_parser(p)->result_count,
                                         &tile_parser(p)->result_capacity, sizeof *tile_parser(p)->results);
    tile_parser(p)->results[tile_parser(p)->result_count++] = (ResultName){*name, 1};
}

// [{name = value}]: one dictionary more.
static bool parse_argument_attributes(Parser *p, TirAttribute *attributes, TirAttribute *items, size_t count) {
    TirAttribute *item = &items[count];
    *item = (TirAttribute){.present = true, .tag = TIR_TAG_DICTIONARY};
    attributes->tag = TIR_TAG_ARRAY;
    attributes->items = items;
    attributes->length = count + 1;
    if (!parse_at(p, '{')) return true;
    if (!parse_tagged(p, item)) return false;
    attributes->present |= item->length > 0;
    return true;
}

// %a: TYPE {name = value} loc(...), ... up to the closing parenthesis; the opening one is taken.
bool parse_arguments(Parser *p, uint32_t *count, TirAttribute *attributes) {
    TirAttribute *items = NULL;
    size_t capacity = 0;
    *count = 0;
    if (parse_take(p, ')')) return true;
    do {
        Token name = p->token;
        TirType type;
        if (!parse_need(p, TOKEN_VALUE, "the name of an argument") || !parse_need(p, ':', "':'") ||
            !parse_type(p, &type))
            return false;
        if (attributes) {
            items = arena_grow(&p->module->arena, items, *count, &capacity, sizeof *items);
            if (!parse_argument_attributes(p, attributes, items, *count)) return false;
        }
        if (!parse_optional_location(p, NULL, NULL)) return false;
        push_name(p, &name);
        parse_push_type(p, type);
        ++*count;
    } while (parse_take(p, ','));
    return parse_need(p, ')', "',' or ')'");
}

// ^name(%a: TYPE): ops
static bool parse_labelled_block(Parser *p, TirRegion *region, Map *labels) {
    Token label = p->token;
    if (!map_insert(labels, &p->scratch, token_text(p, &label), 0))
        return parse_fail(p, &label, "block %s is there twice", token_text(p, &label));
    parse_advance(p);
    uint32_t names = (uint32_t)tile_parser(p)->result_count, types = (uint32_t)tile_parser(p)->type_count, count = 0;
    if (parse_take(p, '(') && !parse_arguments(p, &count, NULL)) return false;
    if (!parse_need(p, ':', "':'")) return false;
    TirBlock *block = tir_block_add(region, count, tile_parser(p)->types + types);
    if (!define_arguments(p, block, names)) return false;
    tile_parser(p)->result_count = names;
    return parse_ops(p, block);
}

static bool parse_region_body(Parser *p, TirRegion *region, Slice names, Slice types, TirOpKind end) {
    Token open = p->token;
    Map labels = {0};
    if (!parse_need(p, '{', "'{'")) return false;
    bool empty = parse_at(p, '}') && end == TIR_OP_COUNT;
    if (names.count || (!empty && !parse_at(p, TOKEN_BLOCK))) {
        TirBlock *block = tir_block_add(region, types.count, tile_parser(p)->types + types.first);
        if (!define_arguments(p, block, names.first) || !parse_ops(p, block)) return false;
    }
    while (parse_at(p, TOKEN_BLOCK))
        if (!parse_labelled_block(p, region, &labels)) return false;
    if (region->last) end_block(region->last, end, region->owner ? region->owner->at : parse_location(p, &open));
    return parse_need(p, '}', "'}'");
}

bool parse_block(Parser *p, TirBlock *block, uint32_t first_name) {
    if (!define_arguments(p, block, first_name) || !parse_ops(p, block)) return false;
    return !parse_at(p, TOKEN_BLOCK) || parse_expected(p, "an op: a function has one block");
}

bool parse_body(Parser *p, TirBlock *block, uint32_t first_name, TirOpKind end) {
    Token open = p->token;
    if (!parse_need(p, '{', "'{'") || !parse_enter(p) || !parse_block(p, block, first_name)) return false;
    parse_leave(p);
    end_block(block, end, parse_location(p, &open));
    return parse_need(p, '}', "'}'");
}

bool parse_region(Parser *p, TirRegion *region, Slice names, Slice types, TirOpKind end) {
    size_t mark = scope_open(p);
    if (!parse_enter(p) || !parse_region_body(p, region, names, types, end)) return false;
    parse_leave(p);
    scope_close(p, mark);
    return true;
}

// ---- loops and branches ---------------------------------------------------------------------------------------------

static Slice types_from(const Parser *p, uint32_t first) {
    return (Slice){.first = first, .count = (uint32_t)tile_parser(p)->type_count - first, .given = true};
}

static Slice names_from(const Parser *p, uint32_t first) {
    return (Slice){.first = first, .count = (uint32_t)tile_parser(p)->result_count - first, .given = true};
}

// iter_values(%argument = %init, ...): the names go onto the stack of names, the inits become operand `slot`.
static bool parse_carried(Parser *p, ParsedOp *parsed, uint32_t slot) {
    Slice *inits = &parsed->operands[slot];
    *inits = (Slice){.first = (uint32_t)p->operand_count, .given = true};
    if (!parse_need(p, '(', "'('")) return false;
    do {
        Token name = p->token;
        if (!parse_need(p, TOKEN_VALUE, "the name of a carried value") || !parse_need(p, '=', "'='") || !parse_use(p))
            return false;
        push_name(p, &name);
        inits->count++;
    } while (parse_take(p, ','));
    return parse_need(p, ')', "',' or ')'");
}

static bool carried_fail(Parser *p, const ParsedOp *parsed, uint32_t values, uint32_t types) {
    return parse_fail(p, &parsed->name, "%s carries %u values, but the text has %u types for them",
                      parsed->info->text_name, values, types);
}

// unsigned %i in (%a to %b, step %c) : TYPE iter_values(%x = %y) -> (TYPE) { }
static bool hook_for(Parser *p, ParsedOp *parsed, TirBlock *block) {
    enum { LOWER, UPPER, STEP, INIT };
    uint32_t names = (uint32_t)tile_parser(p)->result_count;
    TirType type;
    if (parse_take_word(p, "unsigned")) parsed->attributes[0] = (TirAttribute){.present = true, .integer = 1};
    Token variable = p->token;
    if (!parse_need(p, TOKEN_VALUE, "the name of the induction variable") || !parse_need_word(p, "in") ||
        !parse_need(p, '(', "'('") || !parse_operand(p, parsed, LOWER) || !parse_need_word(p, "to") ||
        !parse_operand(p, parsed, UPPER) || !parse_need(p, ',', "','") || !parse_need_word(p, "step") ||
        !parse_operand(p, parsed, STEP) || !parse_need(p, ')', "')'") || !parse_need(p, ':', "':'") ||
        !parse_type(p, &type))
        return false;
    push_name(p, &variable);
    if (!push_operand_type(p, parsed, LOWER, type)) return false;
    Slice *results = &parsed->result_types[0];
    if (parse_take_word(p, "iter_values")) {
        if (!parse_carried(p, parsed, INIT) || !parse_need(p, TOKEN_ARROW, "'->' and the types of the results"))
            return false;
        *results = types_from(p, (uint32_t)tile_parser(p)->type_count);
        if (!parse_result_types(p, &results->count)) return false;
        if (results->count != parsed->operands[INIT].count)
            return carried_fail(p, parsed, parsed->operands[INIT].count, results->count);
        parsed->operand_types[INIT] = *results;
    }
    Slice arguments = types_from(p, parsed->operand_types[LOWER].first); // the bounds' type, then the results'
    return make_op(p, parsed, block) &&
           parse_region(p, &parsed->op->regions[0], names_from(p, names), arguments, TIR_OP_continue);
}

// iter_values(%x = %y) : TYPE -> TYPE { }, each part if there is something
static bool hook_loop(Parser *p, ParsedOp *parsed, TirBlock *block) {
    uint32_t names = (uint32_t)tile_parser(p)->result_count;
    Slice *inits = &parsed->operand_types[0], *results = &parsed->result_types[0];
    bool carries = parse_take_word(p, "iter_values");
    if (carries) {
        if (!parse_carried(p, parsed, 0) || !parse_need(p, ':', "':'")) return false;
        *inits = types_from(p, (uint32_t)tile_parser(p)->type_count);
        if (!parse_type_list(p, &inits->count)) return false;
        if (inits->count != parsed->operands[0].count)
            return carried_fail(p, parsed, parsed->operands[0].count, inits->count);
    }
    *results = types_from(p, (uint32_t)tile_parser(p)->type_count);
    if (parse_take(p, carries ? TOKEN_ARROW : ':') && !parse_type_list(p, &results->count)) return false;
    return make_op(p, parsed, block) &&
           parse_region(p, &parsed->op->regions[0], names_from(p, names), *inits, TIR_OP_continue);
}

// %c -> (TYPE) { } else { }
static bool hook_if(Parser *p, ParsedOp *parsed, TirBlock *block) {
    const Slice none = {0};
    if (!parse_operand(p, parsed, 0)) return false;
    parsed->result_types[0] = types_from(p, (uint32_t)tile_parser(p)->type_count);
    if (parse_take(p, TOKEN_ARROW)) {
        if (!parse_at(p, '(')) return parse_expected(p, "'('");
        if (!parse_result_types(p, &parsed->result_types[0].count)) return false;
    }
    if (!make_op(p, parsed, block) || !parse_region(p, &parsed->op->regions[0], none, none, TIR_OP_yield)) return false;
    return !parse_take_word(p, "else") || parse_region(p, &parsed->op->regions[1], none, none, TIR_OP_yield);
}

// (%a: TYPE, ...) { }
static bool hook_body(Parser *p, ParsedOp *parsed, TirBlock *block) {
    uint32_t names = (uint32_t)tile_parser(p)->result_count, types = (uint32_t)tile_parser(p)->type_count, count;
    if (!parse_need(p, '(', "'(' and the arguments of the body") || !parse_arguments(p, &count, NULL)) return false;
    Slice arguments = types_from(p, types);
    return make_op(p, parsed, block) &&
           parse_region(p, &parsed->op->regions[0], names_from(p, names), arguments, TIR_OP_COUNT);
}

// ---- make_tensor_view -----------------------------------------------------------------------------------------------

enum { VIEW_BASE, VIEW_SHAPE, VIEW_STRIDES }; // operands

typedef struct Extents { // what the text says, to be held against the type
    Token at;
    uint32_t count;
    int64_t values[TIR_RANK_MAX];
    Token places[TIR_RANK_MAX];
} Extents;

// shape = [%n, 16]
static bool parse_extents(Parser *p, ParsedOp *parsed, const char *word, uint32_t slot, Extents *extents) {
    Slice *operands = &parsed->operands[slot];
    *operands = (Slice){.first = (uint32_t)p->operand_count, .given = true};
    extents->count = 0;
    if (!parse_need_word(p, word) || !parse_need(p, '=', "'='")) return false;
    extents->at = p->token;
    if (!parse_need(p, '[', "'['")) return false;
    if (parse_take(p, ']')) return true;
    do {
        Token at = p->token;
        int64_t value = TIR_DYNAMIC;
        if (extents->count == TIR_RANK_MAX)
            return parse_fail_with(p, &at, E_LIMIT, "more than %d dimensions", TIR_RANK_MAX);
        if (parse_at(p, TOKEN_VALUE)) {
            if (!parse_use(p)) return false;
            operands->count++;
        } else if (!parse_integer(p, &value, "a number or a value")) {
            return false;
        }
        extents->places[extents->count] = at;
        extents->values[extents->count++] = value;
    } while (parse_take(p, ','));
    return parse_need(p, ']', "',' or ']'");
}

static bool extents_fit(Parser *p, const Extents *extents, const char *word, uint32_t rank, const int64_t *type) {
    if (extents->count != rank)
        return parse_fail(p, &extents->at, "%s has %u entries, but the tensor_view has %u dimensions", word,
                          extents->count, rank);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t found = extents->values[i];
        if (found == type[i]) continue;
        if (type[i] == TIR_DYNAMIC)
            return parse_fail(p, &extents->places[i], "%s %u is %lld, but dynamic in the type", word, i,
                              (long long)found);
        if (found == TIR_DYNAMIC)
            return parse_fail(p, &extents->places[i], "%s %u is a value, but %lld in the type", word, i,
                              (long long)type[i]);
        return parse_fail(p, &extents->places[i], "%s %u is %lld, but %lld in the type", word, i, (long long)found,
                          (long long)type[i]);
    }
    return true;
}

// BASE, TYPE -> TENSOR_VIEW: the type of the base where its pointer has an attribute, that of the values in the lists
// where there are some.
static bool parse_view_types(Parser *p, ParsedOp *parsed, TirType *view) {
    bool dynamic = parsed->operands[VIEW_SHAPE].count || parsed->operands[VIEW_STRIDES].count;
    uint32_t first = (uint32_t)tile_parser(p)->type_count, count;
    parsed->type_at = p->token;
    if (!parse_type_list(p, &count)) return false;
    if (!parse_at(p, TOKEN_ARROW)) {
        if (dynamic || count > 1) return parse_need(p, TOKEN_ARROW, "'->' and the tensor_view");
        *view = tile_parser(p)->types[first];
        return true;
    }
    if (count > 1u + dynamic)
        return parse_fail(p, &parsed->type_at, "%u types before the arrow, expected %s", count,
                          dynamic ? "those of the base and of the values" : "that of the base");
    parse_advance(p);
    bool has_base = count > 1 || !dynamic;
    if (has_base) parsed->operand_types[VIEW_BASE] = (Slice){.first = first, .count = 1, .given = true};
    for (uint32_t slot = VIEW_SHAPE; dynamic && slot <= VIEW_STRIDES; slot++)
        if (parsed->operands[slot].count)
            parsed->operand_types[slot] = (Slice){.first = first + has_base, .count = 1, .given = true};
    parsed->type_at = p->token;
    return parse_type(p, view);
}

// shape = [%n, 16], strides = [16, 1] : types
static bool hook_tensor_view(Parser *p, ParsedOp *parsed, TirBlock *block) {
    (void)block;
    Extents shape, strides;
    TirType type;
    if (!parse_extents(p, parsed, "shape", VIEW_SHAPE, &shape) || !parse_need(p, ',', "','") ||
        !parse_extents(p, parsed, "strides", VIEW_STRIDES, &strides) || !parse_need(p, ':', "':'") ||
        !parse_view_types(p, parsed, &type))
        return false;
    const TirTypeInfo *view = tir_type(p->module, type);
    if (view->kind != TIR_TYPE_tensor_view)
        return parse_fail(p, &parsed->type_at, "make_tensor_view makes %s, expected a tensor_view", type_text(p, type));
    parsed->result_types[0] = (Slice){.first = (uint32_t)tile_parser(p)->type_count, .count = 1, .given = true};
    parse_push_type(p, type);
    if (!parsed->operand_types[VIEW_BASE].given) {
        TirType pointer =
            tir_type_intern(p->module, &(TirTypeInfo){.kind = TIR_TYPE_ptr, .element = view->element, .ptr_attr = -1});
        push_operand_type(p, parsed, VIEW_BASE, tir_type_tile(p->module, pointer, 0, NULL));
        view = tir_type(p->module, type); // types may have moved
    }
    return extents_fit(p, &shape, "shape", view->rank, view->shape) &&
           extents_fit(p, &strides, "strides", view->rank, view->strides);
}

// ---- multimem -------------------------------------------------------------------------------------------------------

// attributes {reduction = #cuda_tile.multimem_reduction_kind<min>}; without it add.
static bool hook_reduction(Parser *p, ParsedOp *parsed, TirBlock *block) {
    (void)block;
    return !parse_take_word(p, "attributes") || parse_generic_attributes(p, parsed);
}

// ---- the table ------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    bool (*parse)(Parser *p, ParsedOp *parsed, TirBlock *block);
} text_hooks[] = {
    {"for", hook_for},
    {"loop", hook_loop},
    {"if", hook_if},
    {"body", hook_body},
    {"tensor_view", hook_tensor_view},
    {"reduction", hook_reduction},
};

bool parse_hook(Parser *p, ParsedOp *parsed, TirBlock *block, const char *name, size_t length) {
    for (size_t i = 0; i < BASE_COUNT(text_hooks); i++)
        if (strlen(text_hooks[i].name) == length && !memcmp(text_hooks[i].name, name, length))
            return text_hooks[i].parse(p, parsed, block);
    assert(!"ops.def names an unknown hook");
    return parse_fail(p, &parsed->name, "%s has no text form", parsed->info->text_name);
}
