// SPDX-License-Identifier: Apache-2.0
// YAML to a tree of nodes that know their line and column. Built from libyaml's events and not from its documents,
// because a document no longer shows which nodes were aliases, and to bound depth and size before anything is built.
#include "diff/case.h"

#include <string.h>
#include <yaml.h>

typedef struct NodeReader {
    Diagnostics *diagnostics;
    Arena *arena;
    const char *path;
    yaml_parser_t parser;
    yaml_event_t event; // the current one
    bool has_event;
} NodeReader;

static Location node_place(const NodeReader *r, yaml_mark_t mark) {
    return (Location){.file = r->path, .line = (uint32_t)mark.line + 1, .column = (uint32_t)mark.column + 1};
}

static bool node_advance(NodeReader *r) {
    if (r->has_event) yaml_event_delete(&r->event);
    r->has_event = yaml_parser_parse(&r->parser, &r->event);
    if (r->has_event) return true;
    const char *problem = r->parser.problem ? r->parser.problem : "not readable";
    if (r->parser.error == YAML_READER_ERROR) // not UTF-8; the reader gives a byte offset and no line
        return diag_fail(r->diagnostics,
                         (Location){.file = r->path, .offset = r->parser.problem_offset, .has_offset = true}, E_CASE,
                         "not valid YAML: %s", problem);
    return diag_fail(r->diagnostics, node_place(r, r->parser.problem_mark), E_CASE, "not valid YAML: %s%s%s", problem,
                     r->parser.context ? " " : "", r->parser.context ? r->parser.context : "");
}

static bool node_refuse(NodeReader *r, const char *what) {
    return diag_fail(r->diagnostics, node_place(r, r->event.start_mark), E_CASE, "%s are not used in case files", what);
}

static bool read_node(NodeReader *r, unsigned depth, FpdNode *node);

// ---- calls in flow collections: the comma of [min(N, 4), 7] separates arguments, although to YAML it separates items

static bool is_plain_scalar(const FpdNode *node) {
    return node->kind == FPD_SCALAR && node->plain;
}

// Whether the last item ends inside parentheses.
static bool is_inside_call(const FpdNode *node) {
    enum { CALL_MAX = 1000 }; // characters of one that is joined
    int depth = 0;
    if (!node->count || !is_plain_scalar(&node->items[node->count - 1])) return false;
    const char *text = node->items[node->count - 1].text;
    if (strlen(text) > CALL_MAX) return false;
    for (const char *c = text; *c; c++) depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    return depth > 0;
}

// Appends ", next" to the last item, with as many spaces as keep columns right.
static void join_call(NodeReader *r, FpdNode *node, const FpdNode *next) {
    enum { SPACES_MAX = 100 };
    FpdNode *last = &node->items[node->count - 1];
    const size_t end = last->column + strlen(last->text) + 1;
    if (last->at.line != next->at.line || next->column < end || next->column - end > SPACES_MAX) last->column = 0;
    const int spaces = last->column ? (int)(next->column - end) : 1;
    last->text = arena_format(r->arena, "%s,%*s%s", last->text, spaces, "", next->text);
}

static bool check_key(NodeReader *r, const FpdNode *node, const FpdNode *key) {
    for (uint32_t i = 0; i < node->count; i++)
        if (!strcmp(node->keys[i].text, key->text))
            return diag_fail(r->diagnostics, key->at, E_CASE, "key '%s' is here a second time, the first is in line %u",
                             key->text, node->keys[i].at.line);
    return true;
}

// A key of a mapping, and the event behind it. A key inside a call may be an argument.
static bool read_key(NodeReader *r, unsigned depth, const FpdNode *node, bool inside, FpdNode *key) {
    if (!read_node(r, depth + 1, key)) return false;
    if (key->kind != FPD_SCALAR)
        return diag_fail(r->diagnostics, key->at, E_CASE, "a key is a word, found a list or mapping");
    return ((inside && key->plain) || check_key(r, node, key)) && node_advance(r);
}

static bool read_items(NodeReader *r, unsigned depth, yaml_event_type_t end, bool flow, FpdNode *node) {
    size_t item_capacity = 0, key_capacity = 0;
    bool mapping = node->kind == FPD_MAPPING;
    if (depth >= FPD_DEPTH_MAX)
        return diag_fail(r->diagnostics, node->at, E_CASE, "nested deeper than any case is: %u levels, the limit is %d",
                         depth + 1, FPD_DEPTH_MAX);
    while (node_advance(r)) {
        FpdNode key = {0}, item = {0};
        if (r->event.type == end) return true;
        if (node->count == FPD_ITEMS_MAX)
            return diag_fail(r->diagnostics, node_place(r, r->event.start_mark), E_CASE, "more than %d entries",
                             FPD_ITEMS_MAX);
        const bool inside = flow && is_inside_call(node);
        if ((mapping && !read_key(r, depth, node, inside, &key)) || !read_node(r, depth + 1, &item)) return false;
        if (inside && is_plain_scalar(&item) && (!mapping || (key.plain && !*item.text))) {
            join_call(r, node, mapping ? &key : &item);
            continue;
        }
        if (mapping && inside && !check_key(r, node, &key)) return false;
        if (mapping) {
            node->keys = arena_grow(r->arena, node->keys, node->count, &key_capacity, sizeof key);
            node->keys[node->count] = key;
        }
        node->items = arena_grow(r->arena, node->items, node->count, &item_capacity, sizeof item);
        node->items[node->count++] = item;
    }
    return false;
}

// See FpdNode: folded lines, escapes and characters of several bytes make text and columns differ.
static uint32_t text_column(const yaml_event_t *scalar) {
    size_t quotes = scalar->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1,
           columns = scalar->end_mark.column - scalar->start_mark.column;
    if (scalar->end_mark.line != scalar->start_mark.line || columns != scalar->data.scalar.length + 2 * quotes)
        return 0;
    return (uint32_t)(scalar->start_mark.column + quotes + 1);
}

// The node that starts with the current event.
static bool read_node(NodeReader *r, unsigned depth, FpdNode *node) {
    yaml_event_t *event = &r->event;
    node->at = node_place(r, event->start_mark);
    switch (event->type) {
    case YAML_ALIAS_EVENT: return node_refuse(r, "aliases (*name)");
    case YAML_SCALAR_EVENT:
        if (event->data.scalar.anchor) return node_refuse(r, "anchors (&name)");
        if (event->data.scalar.tag) return node_refuse(r, "tags (!name)");
        node->kind = FPD_SCALAR;
        node->text = arena_text(r->arena, (char *)event->data.scalar.value, event->data.scalar.length);
        if (strlen(node->text) != event->data.scalar.length)
            return diag_fail(r->diagnostics, node->at, E_CASE, "a zero byte in a text");
        node->column = text_column(event);
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        return true;
    case YAML_SEQUENCE_START_EVENT:
        if (event->data.sequence_start.anchor) return node_refuse(r, "anchors (&name)");
        if (event->data.sequence_start.tag) return node_refuse(r, "tags (!name)");
        node->kind = FPD_LIST;
        return read_items(r, depth, YAML_SEQUENCE_END_EVENT,
                          event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE, node);
    case YAML_MAPPING_START_EVENT:
        if (event->data.mapping_start.anchor) return node_refuse(r, "anchors (&name)");
        if (event->data.mapping_start.tag) return node_refuse(r, "tags (!name)");
        node->kind = FPD_MAPPING;
        return read_items(r, depth, YAML_MAPPING_END_EVENT, event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                          node);
    default: return diag_fail(r->diagnostics, node->at, E_CASE, "expected a value");
    }
}

static bool read_stream(NodeReader *r, FpdNode *root) {
    if (!node_advance(r) || !node_advance(r)) return false; // stream start, then a document or the end
    if (r->event.type == YAML_STREAM_END_EVENT)
        return diag_fail(r->diagnostics, (Location){.file = r->path, .line = 1, .column = 1}, E_CASE,
                         "the file is empty, expected the keys buffers, variants and compare");
    if (!node_advance(r) || !read_node(r, 0, root) || !node_advance(r) || !node_advance(r)) return false;
    if (r->event.type != YAML_STREAM_END_EVENT) return node_refuse(r, "several documents in a file (---)");
    return true;
}

FpdNode *fpd_parse_nodes(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size) {
    NodeReader r = {.diagnostics = diagnostics, .arena = arena, .path = arena_text(arena, path, strlen(path))};
    FpdNode *root = arena_new(arena, FpdNode);
    if (size > FPD_CASE_SIZE_MAX) {
        diag_fail(diagnostics, (Location){.file = path}, E_CASE, "a case file of %zu bytes, the limit is %d", size,
                  FPD_CASE_SIZE_MAX);
        return NULL;
    }
    if (!yaml_parser_initialize(&r.parser)) {
        diag_fail(diagnostics, (Location){.file = path}, E_CASE, "out of memory");
        return NULL;
    }
    yaml_parser_set_input_string(&r.parser, text, size);
    bool good = read_stream(&r, root);
    if (r.has_event) yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return good ? root : NULL;
}
