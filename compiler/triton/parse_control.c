// SPDX-License-Identifier: Apache-2.0
// Forms that only few ops have: constants, loops, branches, calls.
#include "compiler/triton/reader.h"

// ---- loops and if ---------------------------------------------------------------------------------------------------

static bool new_regions(Parser *p, TriParsed *parsed, uint32_t count) {
    parsed->op->regions = arena_array(&p->scratch, TriRegion, count);
    parsed->op->region_count = count;
    return true;
}

// { ops }, whose first block has the arguments that were defined since `mark` of the scope.
static bool parse_body(Parser *p, TriParsed *parsed, uint32_t region, TriValue first, uint32_t count) {
    TriBlock *block = tri_add_block(p, &parsed->op->regions[region]);
    block->first_argument = first;
    block->argument_count = count;
    return parse_need(p, '{', "'{'") && tri_parse_region(p, &parsed->op->regions[region], block);
}

// (%a = %b, ..): names are pushed, and the values as operands.
static bool parse_inits(Parser *p, TriParsed *parsed, uint32_t operand) {
    TriReader *r = tri_reader(p);
    parsed->first_operand[operand] = (uint32_t)p->operand_count;
    parsed->operand_counts[operand] = 0;
    if (!parse_need(p, '(', "'('")) return false;
    if (parse_take(p, ')')) return true;
    do {
        const TriResultName name = {p->token, 1};
        if (!parse_need(p, TOKEN_VALUE, "the name of a carried value") || !parse_need(p, '=', "'='") || !parse_use(p))
            return false;
        r->names = arena_grow(&p->scratch, r->names, r->name_count, &r->name_capacity, sizeof *r->names);
        r->names[r->name_count++] = name;
        parsed->operand_counts[operand]++;
    } while (parse_take(p, ','));
    return parse_need(p, ')', "',' or ')'");
}

// Makes values of the carried types, with the names from `first_name` on.
static bool define_carried(Parser *p, const TriParsed *parsed, uint32_t operand, uint32_t first_name) {
    const TriReader *r = tri_reader(p);
    for (uint32_t i = 0; i < parsed->operand_counts[operand]; i++) {
        const TriType type = tri_value_type(p, p->operands[parsed->first_operand[operand] + i].value);
        const Token name = r->names[first_name + i].name;
        if (!scope_define(p, &name, tri_new_value(p, type), 1)) return false;
    }
    return true;
}

static bool check_carried_types(Parser *p, const TriParsed *parsed, uint32_t operand, uint32_t first_type,
                                uint32_t count, const Token *at) {
    if (count != parsed->operand_counts[operand])
        return parse_fail(p, at, "%u types for %u carried values", count, parsed->operand_counts[operand]);
    for (uint32_t i = 0; i < count; i++)
        if (!tri_check_type(p, at, p->operands[parsed->first_operand[operand] + i].value,
                            tri_reader(p)->type_stack[first_type + i]))
            return false;
    return true;
}

// [unsigned] %i = %a to %b step %c [iter_args(..) -> (..)] [: type] { .. }
static bool parse_for_form(Parser *p, TriParsed *parsed) {
    TriReader *r = tri_reader(p);
    const uint32_t names = (uint32_t)r->name_count;
    const bool is_unsigned = parse_take_word(p, "unsigned");
    const Token variable = p->token;
    parsed->op->attributes[0].present = is_unsigned;
    if (!parse_need(p, TOKEN_VALUE, "the loop's variable") || !parse_need(p, '=', "'='") ||
        !tri_parse_operands(p, parsed, 0) || !parse_need_word(p, "to") || !tri_parse_operands(p, parsed, 1) ||
        !parse_need_word(p, "step") || !tri_parse_operands(p, parsed, 2))
        return false;
    parsed->has_types = true;
    if (parse_take_word(p, "iter_args")) {
        if (!parse_inits(p, parsed, 3) || !parse_need(p, TOKEN_ARROW, "'->'")) return false;
        const Token at = p->token;
        parsed->first_type = (uint32_t)r->type_count;
        if (!tri_parse_type_or_list(p, &parsed->type_count) ||
            !check_carried_types(p, parsed, 3, parsed->first_type, parsed->type_count, &at))
            return false;
    }
    TriType type;
    const Token at = p->token;
    if (!parse_take(p, ':')) return tri_fail_unsupported(p, &at, "a loop over the type index");
    if (!tri_parse_type(p, 0, &type)) return false;
    for (uint32_t i = 0; i < 3; i++)
        if (!tri_check_type(p, &at, p->operands[parsed->first_operand[i]].value, type)) return false;
    const size_t mark = scope_open(p);
    const TriValue first = (TriValue)r->value_count;
    new_regions(p, parsed, 1);
    if (!scope_define(p, &variable, tri_new_value(p, type), 1) || !define_carried(p, parsed, 3, names) ||
        !parse_body(p, parsed, 0, first, parsed->operand_counts[3] + 1))
        return false;
    scope_close(p, mark);
    r->name_count = names;
    return !parse_at(p, '{') || tri_parse_op_dictionary(p, '{', '}', parsed->op);
}

// %c [-> (..)] { .. } [else { .. }]
static bool parse_if_form(Parser *p, TriParsed *parsed) {
    if (!tri_parse_operands(p, parsed, 0)) return false;
    parsed->has_types = true;
    parsed->first_type = (uint32_t)tri_reader(p)->type_count;
    if (parse_take(p, TOKEN_ARROW) && !tri_parse_type_or_list(p, &parsed->type_count)) return false;
    new_regions(p, parsed, 2);
    if (!parse_body(p, parsed, 0, 0, 0)) return false;
    if (parse_take_word(p, "else") && !parse_body(p, parsed, 1, 0, 0)) return false;
    return !parse_at(p, '{') || tri_parse_op_dictionary(p, '{', '}', parsed->op);
}

// (%a = %b, ..) : (..) -> (..) { .. } do { .. }
static bool parse_while_form(Parser *p, TriParsed *parsed) {
    TriReader *r = tri_reader(p);
    const uint32_t names = (uint32_t)r->name_count, types = (uint32_t)r->type_count;
    uint32_t count;
    parsed->operand_counts[0] = 0;
    if (parse_at(p, '(') && !parse_inits(p, parsed, 0)) return false;
    if (!parse_need(p, ':', "':'")) return false;
    const Token at = p->token;
    if (!parse_at(p, '(')) return parse_expected(p, "'(' and the types of the carried values");
    if (!tri_parse_type_or_list(p, &count) || !check_carried_types(p, parsed, 0, types, count, &at) ||
        !parse_need(p, TOKEN_ARROW, "'->'"))
        return false;
    parsed->has_types = true;
    parsed->first_type = (uint32_t)r->type_count;
    if (!tri_parse_type_or_list(p, &parsed->type_count)) return false;
    const size_t mark = scope_open(p);
    const TriValue first = (TriValue)r->value_count;
    new_regions(p, parsed, 2);
    if (!define_carried(p, parsed, 0, names) || !parse_body(p, parsed, 0, first, parsed->operand_counts[0]))
        return false;
    scope_close(p, mark);
    r->name_count = names;
    if (!parse_need_word(p, "do") || !parse_need(p, '{', "'{'") || !tri_parse_region(p, &parsed->op->regions[1], NULL))
        return false;
    if (parse_take_word(p, "attributes")) return tri_parse_op_dictionary(p, '{', '}', parsed->op);
    return true;
}

// ---- branches -------------------------------------------------------------------------------------------------------

// ^bb1 or ^bb1(%a, %b : i32, f32)
static bool parse_successor(Parser *p, TriSuccessor *successor) {
    successor->name = p->token;
    if (!parse_need(p, TOKEN_BLOCK, "the name of a block")) return false;
    if (!parse_take(p, '(')) return true;
    const size_t mark = p->operand_count;
    if (!parse_use_list(p, &successor->count)) return false;
    successor->values = arena_array(&p->scratch, TriValue, successor->count + 1u);
    for (uint32_t i = 0; i < successor->count; i++) successor->values[i] = p->operands[mark + i].value;
    p->operand_count = mark;
    uint32_t count = 0;
    if (successor->count && (!parse_need(p, ':', "':'") || !tri_parse_type_list(p, &count))) return false;
    if (count != successor->count)
        return parse_fail(p, &successor->name, "%u types for %u values", count, successor->count);
    return parse_need(p, ')', "')'");
}

static bool parse_successors(Parser *p, TriParsed *parsed, uint32_t count) {
    TriOp *op = parsed->op;
    op->successors = arena_array(&p->scratch, TriSuccessor, count);
    op->successor_count = count;
    for (uint32_t i = 0; i < count; i++)
        if ((i && !parse_need(p, ',', "','")) || !parse_successor(p, &op->successors[i])) return false;
    return true;
}
static bool parse_one_successor(Parser *p, TriParsed *parsed) {
    return parse_successors(p, parsed, 1);
}
static bool parse_two_successors(Parser *p, TriParsed *parsed) {
    return parse_successors(p, parsed, 2);
}

// ---- partitions of warps --------------------------------------------------------------------------------------------

// (%a: i32 loc(..), ..), the arguments of a partition, which has the values of `captures` operands.
static bool parse_partition_arguments(Parser *p, const TriParsed *parsed, TriBlock *block) {
    const Token at = p->token;
    block->first_argument = (TriValue)tri_reader(p)->value_count;
    if (!parse_need(p, '(', "'('")) return false;
    if (!parse_at(p, ')')) do {
            const Token name = p->token;
            TriType type;
            uint32_t place;
            if (!parse_need(p, TOKEN_VALUE, "the name of an argument") || !parse_need(p, ':', "':'") ||
                !tri_parse_type(p, 0, &type) || !tri_parse_place(p, &place))
                return false;
            if (block->argument_count == parsed->operand_counts[0])
                return parse_fail(p, &name, "more arguments than captured values");
            const TriValue captured = p->operands[parsed->first_operand[0] + block->argument_count++].value;
            if (!tri_check_type(p, &name, captured, type) || !scope_define(p, &name, tri_new_value(p, type), 1))
                return false;
        } while (parse_take(p, ','));
    if (block->argument_count != parsed->operand_counts[0])
        return parse_fail(p, &at, "%u arguments for %u captured values", block->argument_count,
                          parsed->operand_counts[0]);
    return parse_need(p, ')', "',' or ')'");
}

enum { WARPS_MAX = 64 };

// partition0(..) num_warps(4) {..}, which sees no values but its arguments
static bool parse_partition(Parser *p, const TriParsed *parsed, TriRegion *region) {
    ValueScope scope, *outer;
    uint64_t warps;
    const Token at = p->token;
    parse_advance(p);
    scope_begin(p, &scope, &outer);
    TriBlock *block = tri_add_block(p, region);
    if (!parse_partition_arguments(p, parsed, block) || !parse_need_word(p, "num_warps") ||
        !parse_need(p, '(', "'('") || !parse_unsigned(p, &warps, "a number of warps") || !parse_need(p, ')', "')'") ||
        !parse_need(p, '{', "'{'") || !tri_parse_region(p, region, block))
        return false;
    if (!warps || warps > WARPS_MAX) return parse_fail(p, &at, "a partition of %llu warps", (unsigned long long)warps);
    region->warps = (uint32_t)warps;
    p->scope = outer;
    return true;
}

// (%a, ..) [attributes {..}] default {..} partition0(..) num_warps(4) {..} .. : (..) -> (..)
static bool parse_specialize_form(Parser *p, TriParsed *parsed) {
    TriOp *op = parsed->op;
    size_t capacity = 0;
    if (!parse_need(p, '(', "'('") || !tri_parse_operands(p, parsed, 0) || !parse_need(p, ')', "',' or ')'"))
        return false;
    if (parse_take_word(p, "attributes") && !tri_parse_op_dictionary(p, '{', '}', op)) return false;
    if (!parse_need_word(p, "default")) return false;
    TriRegion *regions = arena_grow(&p->scratch, NULL, 0, &capacity, sizeof *regions);
    *regions = (TriRegion){0};
    if (!parse_need(p, '{', "'{'") || !tri_parse_region(p, regions, tri_add_block(p, regions))) return false;
    for (op->region_count = 1; !parse_at(p, ':'); op->region_count++) {
        const char *name = arena_format(&p->scratch, "partition%u", op->region_count - 1);
        if (!parse_at_word(p, name)) return parse_expected(p, arena_format(&p->scratch, "%s or ':'", name));
        regions = arena_grow(&p->scratch, regions, op->region_count, &capacity, sizeof *regions);
        regions[op->region_count] = (TriRegion){0};
        if (!parse_partition(p, parsed, &regions[op->region_count])) return false;
    }
    op->regions = regions;
    parse_advance(p);
    return tri_parse_functional(p, parsed);
}

// ---- others ---------------------------------------------------------------------------------------------------------

static bool parse_constant_form(Parser *p, TriParsed *parsed) {
    if (parse_at(p, '{') && !tri_parse_op_dictionary(p, '{', '}', parsed->op)) return false;
    parsed->has_result_type[0] = true;
    return tri_parse_constant(p, &parsed->op->attributes[0], &parsed->result_types[0]);
}

// tensor<4xi1>, tensor<4xf32>, or f32 alone: the condition's type, which a scalar one does not have.
static bool parse_select_types(Parser *p, TriParsed *parsed) {
    const Token at = p->token;
    TriType type;
    if (!tri_parse_type(p, 0, &type)) return false;
    const TriValue condition = p->operands[parsed->first_operand[0]].value;
    if (parse_take(p, ',')) {
        if (!tri_check_type(p, &at, condition, type)) return false;
        if (!tri_parse_type(p, 0, &type)) return false;
    } else if (!tri_check_type(p, &at, condition, (TriType){.tile = tri_scalar(p->module, TIR_TYPE_i1)})) {
        return false;
    }
    return tri_check_type(p, &at, p->operands[parsed->first_operand[1]].value, type) &&
           tri_check_type(p, &at, p->operands[parsed->first_operand[2]].value, type);
}

static bool parse_angles(Parser *p, TriParsed *parsed) {
    (void)parsed;
    return tri_skip_angles(p);
}
static bool parse_inside(Parser *p, TriParsed *parsed) {
    (void)parsed;
    return tri_skip_value(p) && parse_need(p, '>', "'>'");
}

// cacheModifier = ca, evictionPolicy = evict_first: how 3.8 and older say hints.
static bool parse_old_hints(Parser *p, TriParsed *parsed) {
    static const char *const names[] = {"cacheModifier", "evictionPolicy"};
    (void)parsed;
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        const bool comma = parse_at(p, ',');
        if (comma) parse_advance(p);
        if (!parse_take_word(p, names[i])) {
            if (!comma) continue;
            if (i + 1 == BASE_COUNT(names)) return parse_expected(p, names[i]);
            if (!parse_take_word(p, names[++i])) return parse_expected(p, names[i]);
        }
        if (!parse_need(p, '=', "'='") || !parse_need(p, TOKEN_WORD, "a word")) return false;
    }
    return true;
}

// The results are of the operands' types.
static bool parse_same_results(Parser *p, TriParsed *parsed) {
    parsed->has_types = true;
    parsed->first_type = (uint32_t)tri_reader(p)->type_count;
    parsed->type_count = parsed->operand_counts[0];
    for (uint32_t i = 0; i < parsed->type_count; i++)
        tri_push_type(p, tri_value_type(p, p->operands[parsed->first_operand[0] + i].value));
    return true;
}

// [%token] or [], and then the op gives one
static bool parse_token(Parser *p, TriParsed *parsed) {
    const TriOpInfo *info = parsed->op->info;
    uint32_t operand = tri_operand_index(info, "dep", 3), result = 0;
    if (operand == UINT32_MAX) operand = tri_operand_index(info, "acc_dep", 7);
    while (strcmp(info->results[result].name, "token") != 0) result++;
    if (!parse_take(p, '[')) return true;
    parsed->has_result_type[result] = true;
    parsed->result_types[result] = (TriType){.token = true, .tile = tri_scalar(p->module, TIR_TYPE_i1)};
    const Token at = p->token;
    if (parse_at(p, TOKEN_VALUE) &&
        !(tri_parse_operands(p, parsed, operand) &&
          tri_check_type(p, &at, p->operands[parsed->first_operand[operand]].value, parsed->result_types[result])))
        return false;
    return parse_need(p, ']', "']'");
}

// , %barrier[%predicate], ..: the values are pushed in turn, and then put into two rows.
static bool parse_barriers(Parser *p, TriParsed *parsed) {
    const TriOpInfo *info = parsed->op->info;
    const uint32_t barriers = tri_operand_index(info, "barriers", 8), first = (uint32_t)p->operand_count;
    uint32_t count = 0;
    for (; parse_take(p, ','); count++)
        if (!parse_use(p) || !parse_need(p, '[', "'['") || !parse_use(p) || !parse_need(p, ']', "']'")) return false;
    Operand *predicates = arena_array(&p->scratch, Operand, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        predicates[i] = p->operands[first + 2 * i + 1];
        p->operands[first + i] = p->operands[first + 2 * i];
    }
    memcpy(p->operands + first + count, predicates, count * sizeof *predicates);
    for (uint32_t i = 0; i < 2; i++) {
        parsed->first_operand[barriers + i] = first + i * count;
        parsed->operand_counts[barriers + i] = count;
    }
    return true;
}

// Whether the text goes on behind a |, which is no token.
static bool take_bar(Parser *p) {
    if (!parse_at(p, TOKEN_ERROR) || *p->token.start != '|') return false;
    p->at = p->token.start + 1;
    parse_advance(p);
    return true;
}

// all, local, global_read|global_write, or nothing: whose accesses the threads of a block then know of. All of them are
// known here.
static bool parse_barrier(Parser *p, TriParsed *parsed) {
    static const char *const spaces[] = {"none",        "local",        "global_read", "global_write",
                                         "tensor_read", "tensor_write", "all"};
    (void)parsed;
    if (!parse_at(p, TOKEN_WORD) || parse_at_word(p, "loc") || strchr(token_text(p, &p->token), '.')) return true;
    do {
        const Token at = p->token;
        bool known = false;
        for (size_t i = 0; i < BASE_COUNT(spaces) && !known; i++) known = parse_take_word(p, spaces[i]);
        if (!known && !parse_need(p, TOKEN_WORD, "an address space")) return false;
        if (!known) return tri_fail_unsupported(p, &at, "the address space %s", token_text(p, &at));
    } while (take_bar(p));
    return true;
}

bool tri_parse_form_hook(Parser *p, TriParsed *parsed, const char *name, size_t length) {
    static const struct {
        const char *name;
        bool (*parse)(Parser *p, TriParsed *parsed);
    } hooks[] = {{"constant", parse_constant_form},
                 {"for", parse_for_form},
                 {"if", parse_if_form},
                 {"while", parse_while_form},
                 {"successor", parse_one_successor},
                 {"successors", parse_two_successors},
                 {"select_types", parse_select_types},
                 {"angles", parse_angles},
                 {"inside", parse_inside},
                 {"old_hints", parse_old_hints},
                 {"barrier", parse_barrier},
                 {"specialize", parse_specialize_form},
                 {"same_results", parse_same_results},
                 {"token", parse_token},
                 {"barriers", parse_barriers}};
    for (size_t i = 0; i < BASE_COUNT(hooks); i++)
        if (strlen(hooks[i].name) == length && !memcmp(hooks[i].name, name, length)) return hooks[i].parse(p, parsed);
    return parse_fail(p, &parsed->at, "a form that nobody knows");
}
