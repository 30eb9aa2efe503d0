// SPDX-License-Identifier: Apache-2.0
// Views of buffers as arguments, lists of arrays, and buffers that hold addresses.
#include "diff/case_internal.h"

#include <inttypes.h>
#include <string.h>

#define VIEW_SIZE_MAX (INT64_C(1) << 40) // elements: sizes, strides, offsets

static unsigned bits_of(ElementType type) {
    return element_info(type)->storage_bits;
}

// Row-major, without gaps. A size of 0 counts as 1, so that no stride is 0. False: a stride is beyond 64 bits.
static bool set_strides(FpdView *view) {
    int64_t stride = 1;
    for (uint32_t d = view->rank; d-- > 0;) {
        view->stride[d] = stride;
        if (d && __builtin_mul_overflow(stride, view->shape[d] ? view->shape[d] : 1, &stride)) return false;
    }
    return true;
}

static FpdView whole_view(const FpdBuffer *buffer) {
    FpdView view = {.type = buffer->type, .rank = buffer->rank};
    memcpy(view.shape, buffer->shape, sizeof view.shape);
    set_strides(&view);
    return view;
}

FpdView fpd_argument_view(const FpdCase *cas, const FpdArgument *argument) {
    return argument->view ? *argument->view : whole_view(&cas->buffers[argument->buffer]);
}

// ---- a view ---------------------------------------------------------------------------------------------------------

typedef struct ViewReader {
    CaseReader *r;
    const FpdNode *node;
    const FpdBuffer *buffer;
    FpdView *view;
    int64_t offset; // elements of the view's type
} ViewReader;

static bool read_sizes(ViewReader *v, const FpdNode *node, const char *what, int64_t low, int64_t *numbers) {
    for (uint32_t d = 0; d < node->count; d++)
        if (!case_read_integer(v->r, &node->items[d], arena_format(v->r->arena, "a number of %s", what), low,
                               VIEW_SIZE_MAX, &numbers[d]))
            return false;
    return true;
}

// It may be that of the buffer's end, where only a view without elements can begin.
static bool read_offset(ViewReader *v, const FpdNode *node) {
    const unsigned bits = bits_of(v->view->type);
    const uint64_t most = 8 * v->buffer->bytes / bits;
    v->offset = 0;
    if (!node) return true;
    if (!case_read_integer(v->r, node, "offset", INT64_MIN, INT64_MAX, &v->offset)) return false;
    if (v->offset < 0 || (uint64_t)v->offset > most)
        return case_wrong(v->r, node->at, "the view begins at element %" PRId64 " of buffer %s, which has %" PRIu64,
                          v->offset, v->buffer->name, most);
    if (v->offset * bits % 8)
        return case_wrong(v->r, node->at, "offset %" PRId64 " of %s lies within a byte, expected an even one",
                          v->offset, element_info(v->view->type)->name);
    v->view->offset = (uint64_t)v->offset * bits / 8;
    return true;
}

// Without a shape: the buffer's, if it begins where the buffer does and has its type; else all that is left.
static bool read_shape(ViewReader *v, const FpdNode *node, const FpdNode *strides) {
    FpdView *view = v->view;
    if (!node && strides) return case_wrong(v->r, strides->at, "a view with strides needs a shape, which they are of");
    if (!node && !v->offset && view->type == v->buffer->type) {
        view->rank = v->buffer->rank;
        memcpy(view->shape, v->buffer->shape, sizeof view->shape);
    } else if (!node) {
        view->rank = 1;
        view->shape[0] = (int64_t)(8 * v->buffer->bytes / bits_of(view->type)) - v->offset;
    } else if (node->count > FPD_RANK_MAX) {
        return case_wrong(v->r, node->at, "a view of %u dimensions, the limit is %d", node->count, FPD_RANK_MAX);
    } else {
        view->rank = node->count;
        if (!read_sizes(v, node, "shape", 0, view->shape)) return false;
    }
    if (strides && strides->count != view->rank)
        return case_wrong(v->r, strides->at, "strides has %u numbers, shape %u", strides->count, view->rank);
    return true;
}

static bool is_empty(const FpdView *view) {
    bool empty = false;
    for (uint32_t d = 0; d < view->rank; d++) empty |= !view->shape[d];
    return empty;
}

static const char *numbers_text(Arena *arena, uint32_t count, const int64_t *numbers) {
    const char *text = "[";
    for (uint32_t d = 0; d < count; d++) text = arena_format(arena, "%s%s%" PRId64, text, d ? ", " : "", numbers[d]);
    return arena_format(arena, "%s]", text);
}

// All elements lie in the buffer.
static bool check_extent(ViewReader *v) {
    const FpdView *view = v->view;
    const int64_t most = (int64_t)(8 * v->buffer->bytes / bits_of(view->type));
    // Each sum has at most eight products of 40 and 63 bits.
    __int128 low = v->offset, high = v->offset;
    if (is_empty(view)) return true;
    for (uint32_t d = 0; d < view->rank; d++)
        *(view->stride[d] < 0 ? &low : &high) += (__int128)(view->shape[d] - 1) * view->stride[d];
    if (low >= 0 && high < most) return true;
    const __int128 place = low < 0 ? low : high, far = (__int128)INT64_MAX;
    const int64_t shown = place > far ? INT64_MAX : place < -far ? -INT64_MAX : (int64_t)place;
    Arena *arena = v->r->arena;
    const char *has = most ? arena_format(arena, "elements 0 to %" PRId64, most - 1) : "no element";
    return case_wrong(v->r, v->node->at,
                      "the view of shape %s, strides %s at offset %" PRId64 " reaches to element %s%" PRId64
                      " of buffer %s, which has %s%s%s",
                      numbers_text(arena, view->rank, view->shape), numbers_text(arena, view->rank, view->stride),
                      v->offset, shown == place ? "" : "beyond ", shown, v->buffer->name, has,
                      view->type == v->buffer->type ? "" : " of type ",
                      view->type == v->buffer->type ? "" : element_info(view->type)->name);
}

static bool is_contiguous(const FpdView *view) {
    FpdView plain = *view;
    set_strides(&plain);
    return !memcmp(plain.stride, view->stride, view->rank * sizeof *view->stride);
}

// "view of x at 64: [8, 32] of i32, strides [64, 1]": what a view has that its buffer has not.
static const char *view_text(const ViewReader *v) {
    Arena *arena = v->r->arena;
    const FpdView *view = v->view;
    const char *text = arena_format(arena, "view of %s", v->buffer->name);
    if (v->offset) text = arena_format(arena, "%s at %" PRId64, text, v->offset);
    text = arena_format(arena, "%s: %s", text, numbers_text(arena, view->rank, view->shape));
    if (view->type != v->buffer->type) text = arena_format(arena, "%s of %s", text, element_info(view->type)->name);
    if (!is_contiguous(view))
        text = arena_format(arena, "%s, strides %s", text, numbers_text(arena, view->rank, view->stride));
    return view->nan ? arena_format(arena, "%s, padding nan", text) : text;
}

static bool read_padding(ViewReader *v, const FpdNode *node) {
    if (!node || !strcmp(node->text, "zero")) return true;
    v->view->nan = !strcmp(node->text, "nan");
    if (!v->view->nan) return case_wrong(v->r, node->at, "padding is zero or nan, found '%s'", node->text);
    return element_is_float(v->view->type) ||
           case_wrong(v->r, node->at, "a padding of nan for elements of %s", element_info(v->view->type)->name);
}

bool case_read_view(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    KeyNodes keys = {0};
    if (!case_read_keys(r, node, IN_VIEW, keys)) return false;
    const FpdNode *name = keys[KEY_VIEW_view], *type = keys[KEY_VIEW_type], *strides = keys[KEY_VIEW_strides];
    if (!case_find_buffer(r->cas, name->text, strlen(name->text), &argument->buffer))
        return case_wrong(r, name->at, "a view is of '%s', which is no buffer, expected one of: %s", name->text,
                          case_buffer_names(r));
    FpdView *view = arena_new(r->arena, FpdView);
    ViewReader v = {.r = r, .node = node, .buffer = &r->cas->buffers[argument->buffer], .view = view};
    view->type = v.buffer->type;
    if (type && !element_by_name(type->text, &view->type))
        return case_wrong(r, type->at, "unknown type '%s', expected one of: %s", type->text, case_type_names(r->arena));
    if (!read_offset(&v, keys[KEY_VIEW_offset]) || !read_shape(&v, keys[KEY_VIEW_shape], strides)) return false;
    if (strides && !read_sizes(&v, strides, "strides", -VIEW_SIZE_MAX, view->stride)) return false;
    if (!strides && !set_strides(view))
        return case_wrong(r, node->at, "the view is larger than buffer %s, which has %" PRIu64 " bytes", v.buffer->name,
                          v.buffer->bytes);
    if (!check_extent(&v) || !read_padding(&v, keys[KEY_VIEW_padding])) return false;
    argument->kind = FPD_ARGUMENT_VIEW;
    argument->view = view;
    argument->text = view_text(&v);
    return true;
}

// ---- lists of arrays ------------------------------------------------------------------------------------------------

bool case_read_list(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    enum { SHOWN = 8 };
    FpdArgument *items = arena_array(r->arena, FpdArgument, node->count + 1u);
    const char *text = arena_format(r->arena, "list of %u array%s", node->count, node->count == 1 ? "" : "s");
    for (uint32_t i = 0; i < node->count; i++) {
        const FpdNode *item = &node->items[i];
        if (item->kind == FPD_LIST) return case_wrong(r, item->at, "a list in a list, expected buffers and views");
        if (!case_read_argument(r, item, &items[i])) return false;
        if (items[i].kind != FPD_ARGUMENT_BUFFER && items[i].kind != FPD_ARGUMENT_VIEW)
            return case_wrong(r, item->at, "'%s' in a list of arrays, expected buffers and views", items[i].text);
        if (i < SHOWN) text = arena_format(r->arena, "%s%s%s", text, i ? "; " : ": ", items[i].text);
    }
    argument->kind = FPD_ARGUMENT_LIST;
    argument->item_count = node->count;
    argument->items = items;
    argument->text = node->count > SHOWN ? arena_format(r->arena, "%s; ...", text) : text;
    return true;
}

// ---- addresses ------------------------------------------------------------------------------------------------------

// A buffer, a view of one, or an integer, such as a null pointer or a size between addresses.
static bool read_address(CaseReader *r, const FpdNode *node, FpdArgument *address) {
    int64_t value;
    size_t name;
    address->at = node->at;
    if (node->kind == FPD_MAPPING) return case_read_view(r, node, address);
    if (!case_expect_kind(r, node, VALUE_SCALAR, "an address")) return false;
    address->text = node->text;
    address->kind = FPD_ARGUMENT_BUFFER;
    name = strlen(node->text); // NAME.ptr is the same address, as it is of arguments
    if (name > 4 && !strcmp(node->text + name - 4, ".ptr")) name -= 4;
    if (case_find_buffer(r->cas, node->text, name, &address->buffer)) return true;
    if (!strchr("0123456789-(", node->text[0]) && !fpd_is_expression(node->text, &r->cas->parameters))
        return case_wrong(r, node->at, "'%s' is no buffer (%s), no view and no integer", node->text,
                          case_buffer_names(r));
    address->kind = FPD_ARGUMENT_VALUE;
    address->buffer = 0; // as of all values
    address->type = ELEMENT_I64;
    if (!case_read_integer(r, node, "an item of addresses", INT64_MIN, INT64_MAX, &value)) return false;
    address->bits = (uint64_t)value;
    return true;
}

bool case_read_addresses(CaseReader *r, FpdBuffer *buffer) {
    const FpdNode *list = r->addresses[buffer - r->cas->buffers];
    if (!list) return true;
    if (list->count != buffer->elements)
        return case_wrong(r, list->at, "%u addresses for the %" PRIu64 " element%s of buffer %s", list->count,
                          buffer->elements, buffer->elements == 1 ? "" : "s", buffer->name);
    FpdArgument *addresses = arena_array(r->arena, FpdArgument, list->count + 1u);
    buffer->fill.addresses = addresses;
    for (uint32_t i = 0; i < list->count; i++)
        if (!read_address(r, &list->items[i], &addresses[i])) return false;
    return true;
}
