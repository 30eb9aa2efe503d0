// SPDX-License-Identifier: Apache-2.0
// Section Type of the bytecode: a table of types that refer to each other by index, in any order.
#include "compiler/tileir/read_internal.h"

// A type refers to at most 3 others in a row (function, view, tensor view, number), so deeper chains are wrong.
enum { TYPE_DEPTH_MAX = 8 };

typedef struct TypeReader {
    ReadTable table;
    uint32_t depth;
} TypeReader;

typedef struct TypeArrays { // what the lists of one type are read into
    int64_t shape[TIR_RANK_MAX], strides[TIR_RANK_MAX];
    int32_t dim_map[TIR_RANK_MAX];
} TypeArrays;

static bool read_table_type(TypeReader *reader, uint64_t index, TirType *type);

static bool read_type_index(Cursor *cursor, uint64_t *index, const char *what) {
    size_t begin = cursor->offset;
    uint32_t count = cursor->reader->tables->type_count;
    if (!read_varint(cursor, index, what)) return false;
    if (*index < count) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "%s is type %llu, but there are %u", what, (unsigned long long)*index,
                     count);
}

bool read_type(Cursor *cursor, TirType *type, const char *what) {
    uint64_t index;
    if (!read_type_index(cursor, &index, what)) return false;
    *type = cursor->reader->tables->types[index];
    return true;
}

// A type inside another one: the table may not hold it yet.
static bool read_inner_type(TypeReader *reader, Cursor *cursor, TirType *type, const char *what) {
    uint64_t index;
    size_t begin = cursor->offset;
    if (!read_type_index(cursor, &index, what)) return false;
    *type = cursor->reader->tables->types[index];
    if (*type != TIR_NO_TYPE) return true;
    if (reader->depth == TYPE_DEPTH_MAX)
        return READ_FAIL(cursor, begin, E_BYTECODE, "types refer to each other in a circle or more than %d deep",
                         TYPE_DEPTH_MAX);
    reader->depth++;
    bool ok = read_table_type(reader, index, type);
    reader->depth--;
    return ok;
}

// varint count, then fixed-width little endian items, sign-extended; a rank.
static bool read_numbers(Cursor *cursor, size_t width, int64_t numbers[TIR_RANK_MAX], uint32_t *rank,
                         const char *what) {
    size_t begin = cursor->offset;
    uint64_t count;
    if (!read_count(cursor, width, &count, what)) return false;
    if (count > TIR_RANK_MAX)
        return READ_FAIL(cursor, begin, E_LIMIT, "%s is of rank %llu, at most %d is supported", what,
                         (unsigned long long)count, TIR_RANK_MAX);
    const uint8_t *bytes = read_bytes(cursor, count * width, what);
    if (!bytes) return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = little_endian(bytes + i * width, width);
        numbers[i] = width == 4 ? (int32_t)value : (int64_t)value;
    }
    *rank = (uint32_t)count;
    return true;
}

// A second list of a type, which has the rank of the first one.
static bool read_more_numbers(Cursor *cursor, size_t width, int64_t numbers[TIR_RANK_MAX], uint32_t rank,
                              const char *what) {
    size_t begin = cursor->offset;
    uint32_t count;
    if (!read_numbers(cursor, width, numbers, &count, what)) return false;
    if (count == rank) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "%s has %u items, expected %u", what, count, rank);
}

static bool read_padding_value(Cursor *cursor, bool present, TirTypeInfo *info) {
    uint64_t value = TIR_PAD_none;
    if (present && !read_limited(cursor, tir_enum_padding.count - 1, &value, "the padding value")) return false;
    info->padding = (TirPadding)value;
    return true;
}

static bool read_dim_map(Cursor *cursor, TypeArrays *arrays, TirTypeInfo *info) {
    int64_t map[TIR_RANK_MAX];
    if (!read_more_numbers(cursor, 4, map, info->rank, "dim_map")) return false;
    for (uint32_t i = 0; i < info->rank; i++) arrays->dim_map[i] = (int32_t)map[i];
    info->dim_map = arrays->dim_map;
    return true;
}

// Which optional parts a type has: bit 0, no type has more.
static bool read_type_flags(Cursor *cursor, uint64_t *flags) {
    return read_limited(cursor, 1, flags, "the flags of a type");
}

// Before 13.3 a presence byte stands before the padding value; from 13.3 on flags come first.
static bool read_view(TypeReader *reader, Cursor *cursor, TypeArrays *arrays, TirTypeInfo *info) {
    bool with_flags = cursor->reader->module->version >= SINCE_VIEW_FLAGS;
    uint64_t flags = 0, sparse_dim = 0;
    uint8_t present;
    if (with_flags && !read_type_flags(cursor, &flags)) return false;
    if (!read_numbers(cursor, 4, arrays->shape, &info->rank, "the tile shape")) return false;
    if (info->kind == TIR_TYPE_strided_view &&
        !read_more_numbers(cursor, 4, arrays->strides, info->rank, "the list of traversal strides"))
        return false;
    if (!read_inner_type(reader, cursor, &info->element, "the tensor_view")) return false;
    if (info->kind != TIR_TYPE_gather_scatter_view) {
        if (!read_dim_map(cursor, arrays, info)) return false;
    } else if (!read_limited(cursor, UINT32_MAX, &sparse_dim, "sparse_dim")) {
        return false;
    }
    info->sparse_dim = (uint32_t)sparse_dim;
    if (!with_flags) {
        if (!read_byte(cursor, &present, "the padding value")) return false;
        flags = present != 0;
    }
    return read_padding_value(cursor, flags & 1, info);
}

static bool read_function_types(TypeReader *reader, Cursor *cursor, uint32_t *count, const TirType **types,
                                const char *what) {
    uint64_t wanted;
    if (!read_count(cursor, 1, &wanted, what)) return false;
    TirType *list = arena_array(&cursor->reader->scratch, TirType, wanted);
    for (uint64_t i = 0; i < wanted; i++)
        if (!read_inner_type(reader, cursor, &list[i], what)) return false;
    *count = (uint32_t)wanted;
    *types = list;
    return true;
}

// ptr and tensor_view: flags come first from 13.4 on, and the attribute that they announce last.
static bool read_pointer_flags(Cursor *cursor, uint64_t *flags) {
    *flags = 0;
    return cursor->reader->module->version < SINCE_POINTER_FLAGS || read_type_flags(cursor, flags);
}
static bool read_pointer_attribute(Cursor *cursor, uint64_t flags, TirTypeInfo *info) {
    uint64_t value;
    if (!(flags & 1)) return true;
    if (!read_word(cursor, &tir_enum_pointer_attribute, "the attribute of a pointer", &value)) return false;
    info->ptr_attr = (int32_t)value;
    return true;
}

static bool read_tensor_view(TypeReader *reader, Cursor *cursor, TypeArrays *arrays, TirTypeInfo *info) {
    uint64_t flags;
    return read_pointer_flags(cursor, &flags) && read_inner_type(reader, cursor, &info->element, "the element type") &&
           read_numbers(cursor, 8, arrays->shape, &info->rank, "the tensor_view shape") &&
           read_more_numbers(cursor, 8, arrays->strides, info->rank, "the list of tensor_view strides") &&
           read_pointer_attribute(cursor, flags, info);
}

// Behind its fields a tile has what previews say of it; any other type may have any bytes there.
static bool read_tile_end(Cursor *cursor) {
    return !bytes_left(cursor) || READ_FAIL(cursor, cursor->offset, E_VERSION,
                                            "a type of tiles has %zu bytes of a preview feature (--preview), which is "
                                            "not supported",
                                            bytes_left(cursor));
}

// The fields after the tag.
static bool read_type_parts(TypeReader *reader, Cursor *cursor, TypeArrays *arrays, TirTypeInfo *info) {
    uint64_t flags;
    info->shape = arrays->shape;
    info->strides = arrays->strides;
    switch (info->kind) {
    case TIR_TYPE_ptr:
        return read_pointer_flags(cursor, &flags) && read_inner_type(reader, cursor, &info->element, "the pointee") &&
               read_pointer_attribute(cursor, flags, info);
    case TIR_TYPE_tile:
        return read_inner_type(reader, cursor, &info->element, "the element type") &&
               read_numbers(cursor, 8, arrays->shape, &info->rank, "the tile shape") && read_tile_end(cursor);
    case TIR_TYPE_tensor_view: return read_tensor_view(reader, cursor, arrays, info);
    case TIR_TYPE_function:
        return read_function_types(reader, cursor, &info->parameter_count, &info->parameters, "a parameter type") &&
               read_function_types(reader, cursor, &info->result_count, &info->results, "a result type");
    case TIR_TYPE_partition_view:
    case TIR_TYPE_gather_scatter_view:
    case TIR_TYPE_strided_view: return read_view(reader, cursor, arrays, info);
    default: return true;
    }
}

static TirTypeKind kind_of_tag(uint64_t tag) {
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (tir_type_rows[kind].tag == tag && tag != TIR_NO_TAG) return (TirTypeKind)kind;
    return TIR_TYPE_COUNT;
}

static bool read_table_type(TypeReader *reader, uint64_t index, TirType *type) {
    Cursor item;
    if (!table_item(&reader->table, index, &item)) return false;
    size_t begin = item.offset;
    uint64_t tag;
    if (!read_varint(&item, &tag, "the tag of a type")) return false;
    TirTypeKind kind = kind_of_tag(tag);
    if (kind == TIR_TYPE_COUNT)
        return READ_FAIL(&item, begin, E_BYTECODE, "type tag %llu is not known", (unsigned long long)tag);
    uint16_t since = tir_type_rows[kind].since, version = item.reader->module->version;
    if (since > version)
        return READ_FAIL(&item, begin, E_VERSION, "type %s needs version %u.%u, the file is %u.%u",
                         tir_type_rows[kind].name, since / 100, since % 100, version / 100, version % 100);
    TirTypeInfo info = {.kind = kind, .ptr_attr = -1, .padding = TIR_PAD_none};
    TypeArrays arrays;
    if (!read_type_parts(reader, &item, &arrays, &info)) return false;
    const char *problem = tir_type_problem(item.reader->module, &info);
    if (problem) return READ_FAIL(&item, begin, E_BYTECODE, "type %llu: %s", (unsigned long long)index, problem);
    item.reader->tables->types[index] = *type = tir_type_intern(item.reader->module, &info);
    return true;
}

bool read_type_section(Cursor *cursor) {
    TypeReader reader = {0};
    ReadTables *tables = cursor->reader->tables;
    if (!read_table(cursor, 4, "the number of types", &reader.table)) return false;
    tables->type_count = (uint32_t)reader.table.count;
    tables->types = arena_array(&cursor->reader->module->arena, TirType, tables->type_count);
    memset(tables->types, 0xff, tables->type_count * sizeof *tables->types); // TIR_NO_TYPE
    for (uint32_t i = 0; i < tables->type_count; i++)
        if (tables->types[i] == TIR_NO_TYPE && !read_table_type(&reader, i, &tables->types[i])) return false;
    return true;
}
