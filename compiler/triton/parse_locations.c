// SPDX-License-Identifier: Apache-2.0
// Locations: loc("file":1:2), names of Python variables, call sites. Their aliases stand at the end of the text, and
// are read before anything else.
#include "compiler/triton/reader.h"

static const char *keep_name(Parser *p, const Token *token) {
    const char *text;
    return parse_string(p, token, &text, NULL) ? text : NULL;
}

// Triton's own functions, and what is installed, are nobody's kernel.
static bool installed(const char *file) {
    return tir_is_installed(file) || strstr(file, "triton/language/");
}

static bool parse_place(Parser *p, TriPlace *place);

// "file":1:2, "name", "name"(LOCATION)
static bool parse_string_place(Parser *p, TriPlace *place) {
    const Token at = p->token;
    parse_advance(p);
    const char *text = keep_name(p, &at);
    if (!text) return false;
    if (parse_take(p, ':')) {
        uint64_t line, column;
        if (!parse_unsigned(p, &line, "a line") || !parse_need(p, ':', "':'") ||
            !parse_unsigned(p, &column, "a column"))
            return false;
        if (line <= UINT32_MAX && column <= UINT32_MAX)
            place->at = (Location){.file = text, .line = (uint32_t)line, .column = (uint32_t)column};
        place->foreign = installed(text);
        place->debug = tir_debug_add(
            p->module, &(TirDebug){.tag = TIR_DEBUG_LOCATION, .name = text, .line = line, .column = column});
        // A range: "file":1:2 to 3:4 or to :4.
        if (!parse_take_word(p, "to")) return true;
        uint64_t ignored;
        if (parse_at(p, TOKEN_INTEGER) && !parse_unsigned(p, &ignored, "a line")) return false;
        return parse_need(p, ':', "':'") && parse_unsigned(p, &ignored, "a column");
    }
    if (parse_take(p, '(') && !(parse_place(p, place) && parse_need(p, ')', "')'"))) return false;
    place->name = text;
    return true;
}

// The callee's place, or the caller's where the callee is not the kernel's own.
static bool parse_call_site(Parser *p, TriPlace *place) {
    TriPlace callee = {0}, caller = {0};
    if (!parse_need(p, '(', "'('") || !parse_place(p, &callee) || !parse_need_word(p, "at") ||
        !parse_place(p, &caller) || !parse_need(p, ')', "')'"))
        return false;
    const bool outer = !callee.at.line || (callee.foreign && caller.at.line && !caller.foreign);
    *place = outer ? caller : callee;
    if (!outer && !caller.foreign) place->at = location_called(&p->module->arena, callee.at, caller.at);
    place->debug = callee.debug;
    if (caller.debug)
        place->debug =
            tir_debug_add(p->module, &(TirDebug){.tag = TIR_DEBUG_CALL_SITE, .refs = {callee.debug, caller.debug}});
    return true;
}

// [A, B] or <"meta">[A, B]: the first that has a line.
static bool parse_fused(Parser *p, TriPlace *place) {
    if (parse_at(p, '<') && !tri_skip_angles(p)) return false;
    if (!parse_need(p, '[', "'['")) return false;
    if (parse_take(p, ']')) return true;
    do {
        TriPlace one = {0};
        if (!parse_place(p, &one)) return false;
        if (one.at.line && !place->at.line) *place = one;
    } while (parse_take(p, ','));
    return parse_need(p, ']', "',' or ']'");
}

static bool parse_alias(Parser *p, TriPlace *place) {
    uint64_t index;
    if (!map_find(&tri_reader(p)->place_names, token_name(p, &p->token), &index))
        return parse_expected(p, "a location that is defined");
    *place = tri_reader(p)->places[index];
    parse_advance(p);
    return true;
}

// What stands between the parentheses of loc(..).
static bool parse_place(Parser *p, TriPlace *place) {
    *place = (TriPlace){0};
    bool ok;
    if (!parse_enter(p)) return false;
    if (parse_take_word(p, "unknown"))
        ok = true;
    else if (parse_take_word(p, "callsite"))
        ok = parse_call_site(p, place);
    else if (parse_take_word(p, "fused"))
        ok = parse_fused(p, place);
    else if (parse_at(p, TOKEN_STRING))
        ok = parse_string_place(p, place);
    else if (parse_at(p, TOKEN_HASH))
        ok = parse_alias(p, place);
    else if (parse_take_word(p, "loc"))
        ok = parse_need(p, '(', "'('") && parse_place(p, place) && parse_need(p, ')', "')'");
    else
        ok = parse_expected(p, "a location");
    parse_leave(p);
    return ok;
}

static uint32_t add_place(Parser *p, const TriPlace *place) {
    TriReader *r = tri_reader(p);
    r->places = arena_grow(&p->scratch, r->places, r->place_count, &r->place_capacity, sizeof *r->places);
    r->places[r->place_count] = *place;
    return (uint32_t)r->place_count++;
}

bool tri_parse_place(Parser *p, uint32_t *place) {
    uint64_t index;
    *place = UINT32_MAX;
    if (!parse_take_word(p, "loc")) return true;
    if (!parse_need(p, '(', "'('")) return false;
    if (parse_at(p, TOKEN_HASH) && map_find(&tri_reader(p)->place_names, token_name(p, &p->token), &index)) {
        *place = (uint32_t)index;
        parse_advance(p);
    } else {
        TriPlace inner;
        if (!parse_place(p, &inner)) return false;
        *place = add_place(p, &inner);
    }
    return parse_need(p, ')', "')'");
}

// #loc1 = loc(..)
static bool parse_definition(Parser *p) {
    const Token name = p->token;
    const char *key = token_text(p, &name) + 1;
    TriPlace place;
    parse_advance(p);
    if (!parse_need(p, '=', "'='") || !parse_need_word(p, "loc") || !parse_need(p, '(', "'('") ||
        !parse_place(p, &place) || !parse_need(p, ')', "')'"))
        return false;
    return map_insert(&tri_reader(p)->place_names, &p->scratch, key, add_place(p, &place)) ||
           parse_fail(p, &name, "%s is defined a second time", token_text(p, &name));
}

bool tri_collect_places(Parser *p) {
    static const char mark[] = "#loc";
    const char *at = p->text;
    for (uint32_t line = 1; at < p->end; line++) {
        if ((size_t)(p->end - at) >= sizeof mark - 1 && !memcmp(at, mark, sizeof mark - 1)) {
            p->at = p->line_start = at;
            p->line = line;
            parse_advance(p);
            if (!parse_definition(p)) return false;
        }
        const char *end = memchr(at, '\n', (size_t)(p->end - at));
        at = end ? end + 1 : p->end;
    }
    return true;
}

// ---- ops without a line ---------------------------------------------------------------------------------------------

typedef struct Placer {
    Arena *arena;
    TriValue first_value, value_count;
    TriOp **users; // of each value: the first op that uses it
    TriOp **unplaced;
    size_t count, capacity;
} Placer;

static void note_user(Placer *placer, TriOp *op, TriValue value) {
    if (value - placer->first_value >= placer->value_count) return;
    TriOp **user = &placer->users[value - placer->first_value];
    if (!*user) *user = op;
}

static void note_ops(Placer *placer, const TriRegion *region) {
    for (const TriBlock *block = region->first; block; block = block->next)
        for (TriOp *op = block->first; op; op = op->next) {
            for (uint32_t i = 0; i < op->operand_count; i++) note_user(placer, op, op->operands[i]);
            for (uint32_t s = 0; s < op->successor_count; s++)
                for (uint32_t i = 0; i < op->successors[s].count; i++)
                    note_user(placer, op, op->successors[s].values[i]);
            if (op->unplaced && op->result_count) {
                placer->unplaced =
                    arena_grow(placer->arena, placer->unplaced, placer->count, &placer->capacity, sizeof(TriOp *));
                placer->unplaced[placer->count++] = op;
            }
            for (uint32_t r = 0; r < op->region_count; r++) note_ops(placer, &op->regions[r]);
        }
}

void tri_place_ops(Parser *p, const TriFunction *function) {
    Placer placer = {&p->scratch, function->first_value, function->value_count, NULL, NULL, 0, 0};
    placer.users = arena_array(&p->scratch, TriOp *, function->value_count + 1u);
    note_ops(&placer, &function->body);
    // From the last one on, so that those of users are there.
    for (size_t i = placer.count; i--;) {
        TriOp *op = placer.unplaced[i];
        for (uint32_t k = 0; k < op->result_count && op->unplaced; k++) {
            const TriOp *user = placer.users[op->first_result - placer.first_value + k];
            if (!user || user->unplaced) continue;
            op->at = user->at;
            op->debug = user->debug;
            op->unplaced = false;
        }
    }
}
