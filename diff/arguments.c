// SPDX-License-Identifier: Apache-2.0
// Arguments of a launch against the parameters of its entry: counts, types, and for cuTile entries everything the entry
// was compiled for (sizes, strides, divisors), because a kernel that is given anything else is wrong without any sign
// of it.
#include "diff/programs.h"

#include <string.h>

enum { BASE_ALIGNMENT = 64 }; // of runtime buffers

typedef struct ArgumentMatcher {
    Diagnostics *diagnostics;
    Arena *arena;
    const FpdCase *cas;
    const FpdLaunch *launch;
    const FpdEntryName *name;
    uint32_t count, next; // of the entry's parameters
    const ProgramParameter *parameters;
    FpdValue *values;
} ArgumentMatcher;

#define misfit(m, at, ...) diag_fail((m)->diagnostics, (at), E_ARGUMENT, __VA_ARGS__)

static const char *parameter_text(Arena *arena, const ProgramParameter *parameter) {
    return parameter->pointer ? arena_format(arena, "a pointer to %s", element_info(parameter->type)->name)
                              : element_info(parameter->type)->name;
}

static const char *formal_text(Arena *arena, const FpdFormal *formal) {
    if (formal->kind == FPD_FORMAL_SCALAR) return element_info(formal->type)->name;
    return arena_format(arena, "%sarray%s of %s with %u dimension%s", formal->list ? "list of " : "",
                        formal->list ? "s" : "", element_info(formal->type)->name, formal->rank,
                        formal->rank == 1 ? "" : "s");
}

static const char *array_text(Arena *arena, const FpdArgument *argument, const char *what, const FpdView *view) {
    return arena_format(arena, "%s, %s of %s with %u dimension%s", argument->text, what, element_info(view->type)->name,
                        view->rank, view->rank == 1 ? "" : "s");
}

const char *fpd_argument_text(Arena *arena, const FpdCase *cas, const FpdArgument *argument) {
    const FpdView view = fpd_argument_view(cas, argument);
    switch (argument->kind) {
    case FPD_ARGUMENT_BUFFER: return array_text(arena, argument, "a buffer", &view);
    case FPD_ARGUMENT_VIEW: return array_text(arena, argument, "an array", &view);
    case FPD_ARGUMENT_LIST: return arena_format(arena, "a %s", argument->text);
    case FPD_ARGUMENT_POINTER:
        return arena_format(arena, "%s, a pointer to %s", argument->text, element_info(view.type)->name);
    case FPD_ARGUMENT_SHAPE:
    case FPD_ARGUMENT_STRIDE: return arena_format(arena, "%s, an integer", argument->text);
    case FPD_ARGUMENT_MAP: return arena_format(arena, "a %s", argument->text);
    default: return argument->text;
    }
}

static bool integer_fits(ElementType type, int64_t value) {
    unsigned bits = element_info(type)->bits;
    return bits == 64 || (value < INT64_C(1) << (bits - 1) && value >= -(INT64_C(1) << (bits - 1)));
}

// ---- parts of buffers

static bool put_pointer(ArgumentMatcher *m, const FpdArgument *argument) {
    FpdValue *value = &m->values[m->next++];
    *value = (FpdValue){.pointer = true,
                        .buffer = argument->buffer,
                        .offset = argument->view ? argument->view->offset : 0,
                        .view = argument->view,
                        .text = argument->view ? argument->text : m->cas->buffers[argument->buffer].name};
    return true;
}

static bool put_table(ArgumentMatcher *m, const FpdArgument *argument) {
    m->values[m->next++] =
        (FpdValue){.pointer = true, .buffer = FPD_NO_BUFFER, .text = argument->text, .list = argument};
    return true;
}

// A size or stride as a parameter of integer type. `of`: the array, in messages and in `show`.
static bool put_part(ArgumentMatcher *m, const FpdArgument *argument, const char *of, const char *part,
                     int64_t number) {
    ElementType type = m->parameters[m->next].type;
    const char *text = arena_format(m->arena, "%s.%s", of, part);
    const unsigned bits = element_info(type)->bits;
    if (!integer_fits(type, number))
        return misfit(m, argument->at, "parameter %u of kernel %s: %s is %lld, which %s cannot hold", m->next + 1,
                      m->name->name, text, (long long)number, element_info(type)->name);
    m->values[m->next++] =
        (FpdValue){.bits = bits < 64 ? (uint64_t)number & ((UINT64_C(1) << bits) - 1) : (uint64_t)number,
                   .text = arena_format(m->arena, "%s = %lld", text, (long long)number)};
    return true;
}

static bool put_dimension(ArgumentMatcher *m, const FpdArgument *argument, const char *part, uint32_t dimension,
                          int64_t number) {
    const char *of = argument->view ? "view" : m->cas->buffers[argument->buffer].name;
    return put_part(m, argument, of, arena_format(m->arena, "%s.%u", part, dimension), number);
}

static void put_number(ArgumentMatcher *m, const FpdArgument *argument) {
    m->values[m->next++] = (FpdValue){.bits = argument->bits, .text = argument->text};
}

// ---- entries of cuTile

static const char *whole_text(ArgumentMatcher *m, const FpdArgument *argument) {
    const char *name = m->cas->buffers[argument->buffer].name;
    return argument->view ? argument->text : arena_format(m->arena, "buffer %s", name);
}

static bool check_dimension(ArgumentMatcher *m, const FpdArgument *argument, const FpdView *view,
                            const FpdFormal *formal, uint32_t d) {
    int64_t size = view->shape[d], stride = view->stride[d];
    const char *what =
        arena_format(m->arena, "kernel %s: dimension %u of %s has", m->name->name, d, whole_text(m, argument));
    if (formal->size[d] != FPD_NOT_FIXED && formal->size[d] != size)
        return misfit(m, argument->at, "%s size %lld, the kernel was compiled for size %lld", what, (long long)size,
                      (long long)formal->size[d]);
    if (size % formal->size_divisor[d])
        return misfit(m, argument->at, "%s size %lld, the kernel was compiled for a multiple of %lld", what,
                      (long long)size, (long long)formal->size_divisor[d]);
    if (formal->stride[d] != FPD_NOT_FIXED && formal->stride[d] != stride)
        return misfit(m, argument->at, "%s stride %lld, the kernel was compiled for stride %lld", what,
                      (long long)stride, (long long)formal->stride[d]);
    if (stride % formal->stride_divisor[d])
        return misfit(m, argument->at, "%s stride %lld, the kernel was compiled for a multiple of %lld", what,
                      (long long)stride, (long long)formal->stride_divisor[d]);
    if (formal->stride_min[d] != FPD_NOT_FIXED && stride < formal->stride_min[d])
        return misfit(m, argument->at, "%s stride %lld, the kernel was compiled for at least %lld", what,
                      (long long)stride, (long long)formal->stride_min[d]);
    return true;
}

static bool check_base(ArgumentMatcher *m, const FpdArgument *argument, const FpdView *view, const FpdFormal *formal) {
    if (BASE_ALIGNMENT % formal->base_divisor)
        return misfit(m, argument->at,
                      "kernel %s assumes that %s starts at a multiple of %lld bytes, buffers start at multiples of %d",
                      m->name->name, whole_text(m, argument), (long long)formal->base_divisor, BASE_ALIGNMENT);
    return view->offset % (uint64_t)formal->base_divisor == 0 ||
           misfit(m, argument->at,
                  "kernel %s assumes that %s starts at a multiple of %lld bytes, it starts at byte %llu of its buffer",
                  m->name->name, whole_text(m, argument), (long long)formal->base_divisor,
                  (unsigned long long)view->offset);
}

// Whether the array is as the kernel was compiled for.
static bool check_array(ArgumentMatcher *m, const FpdArgument *argument, const FpdView *view, const FpdFormal *formal) {
    bool good = check_base(m, argument, view, formal);
    for (uint32_t d = 0; d < view->rank && good; d++) good = check_dimension(m, argument, view, formal, d);
    return good;
}

static bool match_array(ArgumentMatcher *m, const FpdArgument *argument, const FpdFormal *formal) {
    const FpdView view = fpd_argument_view(m->cas, argument);
    if (!check_array(m, argument, &view, formal) || !put_pointer(m, argument)) return false;
    for (uint32_t d = 0; d < view.rank; d++)
        if (!put_dimension(m, argument, "shape", d, view.shape[d])) return false;
    for (uint32_t d = 0; d < view.rank; d++)
        if (!put_dimension(m, argument, "stride", d, view.stride[d])) return false;
    return true;
}

static bool is_array(const FpdArgument *argument) {
    return argument->kind == FPD_ARGUMENT_BUFFER || argument->kind == FPD_ARGUMENT_VIEW;
}

static bool is_such_array(const ArgumentMatcher *m, const FpdArgument *argument, const FpdFormal *formal) {
    const FpdView view = fpd_argument_view(m->cas, argument);
    return is_array(argument) && view.rank == formal->rank && view.type == formal->type;
}

// A list is a table in memory, and its length. Sizes and strides there have 64 bits, of which the kernel takes those of
// its own type.
static bool match_list(ArgumentMatcher *m, const FpdArgument *list, uint32_t index, const FpdFormal *formal) {
    for (uint32_t i = 0; i < list->item_count; i++) {
        const FpdArgument *item = &list->items[i];
        const FpdView view = fpd_argument_view(m->cas, item);
        if (!is_such_array(m, item, formal))
            return misfit(m, item->at,
                          "parameter %u of kernel %s, array %u of the list: found %s, expected %s with %u dimension%s",
                          index + 1, m->name->name, i, fpd_argument_text(m->arena, m->cas, item),
                          element_info(formal->type)->name, formal->rank, formal->rank == 1 ? "" : "s");
        if (!check_array(m, item, &view, formal)) return false;
        for (uint32_t d = 0; d < view.rank; d++)
            if (!integer_fits(formal->index_type, view.shape[d]) || !integer_fits(formal->index_type, view.stride[d]))
                return misfit(m, item->at,
                              "parameter %u of kernel %s, array %u of the list: %s cannot hold its sizes and strides",
                              index + 1, m->name->name, i, element_info(formal->index_type)->name);
    }
    return put_table(m, list) && put_part(m, list, "list", "length", list->item_count);
}

static bool match_formal(ArgumentMatcher *m, uint32_t index) {
    const FpdArgument *argument = &m->launch->arguments[index];
    const FpdFormal *formal = &m->name->formals[index];
    if (formal->list && argument->kind == FPD_ARGUMENT_LIST) return match_list(m, argument, index, formal);
    if (formal->kind == FPD_FORMAL_ARRAY && !formal->list && is_such_array(m, argument, formal))
        return match_array(m, argument, formal);
    if (formal->kind == FPD_FORMAL_SCALAR && argument->kind == FPD_ARGUMENT_VALUE && argument->type == formal->type) {
        put_number(m, argument);
        return true;
    }
    return misfit(m, argument->at, "parameter %u of kernel %s: found %s, expected %s", index + 1, m->name->name,
                  fpd_argument_text(m->arena, m->cas, argument), formal_text(m->arena, formal));
}

static const char *formals_text(ArgumentMatcher *m) {
    const char *list = "none";
    for (uint32_t i = 0; i < m->name->formal_count; i++)
        list = i ? arena_format(m->arena, "%s, %s", list, formal_text(m->arena, &m->name->formals[i]))
                 : formal_text(m->arena, &m->name->formals[i]);
    return list;
}

// Whether the entry has the parameters its name promises; if not, the name is no longer (or never was) cuTile's.
static bool check_promise(ArgumentMatcher *m, const char *symbol) {
    uint32_t next = 0;
    bool good = true;
    for (uint32_t i = 0; i < m->name->formal_count && good; i++) {
        const FpdFormal *formal = &m->name->formals[i];
        uint32_t parts = formal->list ? 2 : formal->kind == FPD_FORMAL_ARRAY ? 1 + 2 * formal->rank : 1;
        const ElementType first = formal->list ? ELEMENT_I64 : formal->type,
                          others = formal->list ? ELEMENT_I32 : formal->index_type;
        good = parts <= m->count - next;
        for (uint32_t p = 0; p < parts && good; p++, next++) {
            const ProgramParameter *parameter = &m->parameters[next];
            bool pointer = formal->kind == FPD_FORMAL_ARRAY && p == 0;
            good = parameter->pointer == pointer && parameter->type == (p ? others : first);
        }
    }
    return (good && next == m->count) ||
           misfit(m, m->launch->module_at, "entry %s has %u parameters of other types than its name says", symbol,
                  m->count);
}

// The parameters from `first` on are those of an argument.
static void number_values(ArgumentMatcher *m, uint32_t first, uint32_t argument) {
    for (uint32_t i = first; i < m->next; i++) m->values[i].argument = argument;
}

static bool match_cutile(ArgumentMatcher *m, const char *symbol) {
    if (!check_promise(m, symbol)) return false;
    if (m->launch->argument_count != m->name->formal_count)
        return misfit(m, m->launch->arguments_at, "kernel %s takes %u arguments, found %u; expected: %s", m->name->name,
                      m->name->formal_count, m->launch->argument_count, formals_text(m));
    for (uint32_t i = 0; i < m->name->formal_count; i++) {
        const uint32_t first = m->next;
        if (!match_formal(m, i)) return false;
        number_values(m, first, i);
    }
    return true;
}

// ---- other entries: one argument, one parameter

// Said with each misfit: who comes from cuTile gives whole arrays.
static const char *parts_text(ArgumentMatcher *m) {
    const char *buffer = "A";
    for (uint32_t i = 0; i < m->launch->argument_count; i++)
        if (m->launch->arguments[i].kind != FPD_ARGUMENT_VALUE && m->launch->arguments[i].kind != FPD_ARGUMENT_LIST) {
            buffer = m->cas->buffers[m->launch->arguments[i].buffer].name;
            break;
        }
    return arena_format(m->arena,
                        "(the entry's name is not one of cuTile's, so each of its parameters takes an argument: the "
                        "parts of an array are %s.ptr, %s.shape.0, %s.stride.0)",
                        buffer, buffer, buffer);
}

static bool match_parameter(ArgumentMatcher *m, const FpdArgument *argument) {
    const ProgramParameter *parameter = &m->parameters[m->next];
    const FpdView view = fpd_argument_view(m->cas, argument);
    uint32_t d = argument->dimension;
    bool integer = !parameter->pointer && !element_is_float(parameter->type);
    switch (argument->kind) {
    case FPD_ARGUMENT_BUFFER:
    case FPD_ARGUMENT_VIEW:
    case FPD_ARGUMENT_POINTER:
        if (parameter->pointer && view.type == parameter->type) return put_pointer(m, argument);
        break;
    case FPD_ARGUMENT_LIST:
        if (parameter->pointer && parameter->type == ELEMENT_I64) return put_table(m, argument);
        break;
    case FPD_ARGUMENT_SHAPE:
        if (integer) return put_dimension(m, argument, "shape", d, view.shape[d]);
        break;
    case FPD_ARGUMENT_STRIDE:
        if (integer) return put_dimension(m, argument, "stride", d, view.stride[d]);
        break;
    case FPD_ARGUMENT_VALUE:
        if (!parameter->pointer && argument->type == parameter->type) {
            put_number(m, argument);
            return true;
        }
        break;
    default: break; // of kernels of threads
    }
    if (parameter->name)
        return misfit(m, argument->at, "parameter %u of kernel %s, %s: found %s, expected %s", m->next + 1,
                      m->name->name, parameter->name, fpd_argument_text(m->arena, m->cas, argument),
                      parameter_text(m->arena, parameter));
    return misfit(m, argument->at, "parameter %u of kernel %s: found %s, expected %s %s", m->next + 1, m->name->name,
                  fpd_argument_text(m->arena, m->cas, argument), parameter_text(m->arena, parameter), parts_text(m));
}

// Triton's kernels know what Python calls their parameters.
static bool is_triton(const ArgumentMatcher *m) {
    return m->count && m->parameters[0].name;
}

// An array for a descriptor of Triton: its pointer, and the sizes and strides behind it.
static bool match_descriptor(ArgumentMatcher *m, const FpdArgument *argument) {
    const ProgramParameter *parameter = &m->parameters[m->next];
    const FpdView view = fpd_argument_view(m->cas, argument);
    const uint32_t rank = parameter->descriptor_rank;
    if (view.rank != rank || view.type != parameter->type)
        return misfit(m, argument->at,
                      "parameter %u of kernel %s, %s: found %s, expected an array of %s with %u dimension%s",
                      m->next + 1, m->name->name, parameter->name, fpd_argument_text(m->arena, m->cas, argument),
                      element_info(parameter->type)->name, rank, rank == 1 ? "" : "s");
    put_pointer(m, argument);
    for (uint32_t d = 0; d < rank; d++)
        if (!put_dimension(m, argument, "shape", d, view.shape[d])) return false;
    for (uint32_t d = 0; d < rank; d++)
        if (!put_dimension(m, argument, "stride", d, view.stride[d])) return false;
    return true;
}

// What lies outside the descriptors, which parameters behind the others say.
static bool put_paddings(ArgumentMatcher *m, const ProgramKernel *kernel, const bool *nan) {
    for (; m->next < kernel->parameter_count; m->next++) {
        const bool set = nan[kernel->parameters[m->next].padding_of - 1];
        m->values[m->next] = (FpdValue){.bits = set, .text = set ? "padding = nan" : "padding = zero"};
    }
    return true;
}

// How many arguments the kernel takes, where an array is one for a descriptor.
static uint32_t count_folded(const ArgumentMatcher *m) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i += 1 + 2 * m->parameters[i].descriptor_rank) count++;
    return count;
}

// "x: a pointer to f32, columns: i32"; of Triton's kernels with the names that Python has.
static const char *parameters_text(ArgumentMatcher *m, bool folded) {
    const char *list = "none";
    for (uint32_t i = 0; i < m->count; i += 1 + (folded ? 2 * m->parameters[i].descriptor_rank : 0)) {
        const ProgramParameter *parameter = &m->parameters[i];
        const uint32_t rank = folded ? parameter->descriptor_rank : 0;
        const char *text = parameter_text(m->arena, parameter);
        if (rank)
            text = arena_format(m->arena, "an array of %s with %u dimension%s", element_info(parameter->type)->name,
                                rank, rank == 1 ? "" : "s");
        if (parameter->name) text = arena_format(m->arena, "%s: %s", parameter->name, text);
        list = i ? arena_format(m->arena, "%s, %s", list, text) : text;
    }
    return list;
}

// What is said of Triton's kernels where the number of arguments is wrong: of those given, the integers that are 1.
static const char *constants_text(const ArgumentMatcher *m, uint32_t expected) {
    static const char part[] = ".padding"; // of a descriptor that Triton took apart
    const char *ones = "";
    for (uint32_t i = 0; i < m->count; i++) {
        const char *name = m->parameters[i].name;
        if (strlen(name) >= sizeof part && !strcmp(name + strlen(name) - (sizeof part - 1), part))
            return "(compiled for a GPU before sm_90, which takes descriptors apart: export for sm_90 or newer, where "
                   "each is one argument)";
    }
    for (uint32_t i = 0; i < m->launch->argument_count && m->launch->argument_count > expected; i++) {
        const FpdArgument *argument = &m->launch->arguments[i];
        if (argument->kind == FPD_ARGUMENT_VALUE && !element_is_float(argument->type) && argument->bits == 1)
            ones = arena_format(m->arena, "%s%s argument %u", ones, *ones ? "," : "; 1 is given for", i + 1);
    }
    return arena_format(m->arena,
                        "(Triton makes each tl.constexpr, each None, and each integer argument that is 1 a constant: "
                        "they are no parameters%s)",
                        ones);
}

static bool match_plain(ArgumentMatcher *m, const ProgramKernel *kernel) {
    bool *nan = arena_array(m->arena, bool, m->count + 1u);
    const bool triton = is_triton(m);
    const uint32_t folded = triton ? count_folded(m) : m->count, given = m->launch->argument_count;
    const bool folds = given == folded && folded != m->count;
    if (given == m->count || folds) {
        for (uint32_t i = 0; i < given; i++) {
            const FpdArgument *argument = &m->launch->arguments[i];
            const bool array = folds && m->parameters[m->next].descriptor_rank && is_array(argument);
            const uint32_t first = m->next;
            nan[first] = argument->view && argument->view->nan;
            if (nan[first] && !m->parameters[first].descriptor_rank)
                return misfit(m, argument->at, "parameter %u of kernel %s: a padding is for a descriptor of Triton's",
                              first + 1, m->name->name);
            if (!(array ? match_descriptor(m, argument) : match_parameter(m, argument))) return false;
            number_values(m, first, i);
        }
        return put_paddings(m, kernel, nan);
    }
    return misfit(m, m->launch->arguments_at, "kernel %s takes %u arguments, found %u; expected: %s %s", m->name->name,
                  folded, given, parameters_text(m, true), triton ? constants_text(m, folded) : parts_text(m));
}

bool fpd_match_arguments(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas, const FpdLaunch *launch,
                         const ProgramKernel *kernel, FpdValue **values) {
    FpdEntryName name;
    const char *problem;
    if (!fpd_read_entry_name(arena, kernel->name, &name, &problem))
        return diag_fail(diagnostics, launch->module_at, E_ARGUMENT, "the name of entry %s cannot be read: %s",
                         kernel->name, problem);
    ArgumentMatcher m = {.diagnostics = diagnostics,
                         .arena = arena,
                         .cas = cas,
                         .launch = launch,
                         .name = &name,
                         .count = kernel->parameter_count,
                         .parameters = kernel->parameters,
                         .values = arena_array(arena, FpdValue, kernel->parameter_count + 1)};
    *values = m.values;
    while (m.count && m.parameters[m.count - 1].padding_of) m.count--;
    return name.mangled && !is_triton(&m) ? match_cutile(&m, kernel->name) : match_plain(&m, kernel);
}

bool fpd_check_parameters(Diagnostics *diagnostics, const ProgramKernel *kernel) {
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].type == ELEMENT_TYPE_COUNT)
            return diag_fail(diagnostics, kernel->at, E_UNSUPPORTED,
                             "parameter %u of entry %s is neither a number nor a pointer to numbers", i + 1,
                             kernel->name);
    return true;
}
