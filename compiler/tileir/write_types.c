// SPDX-License-Identifier: Apache-2.0
// Section Type of the bytecode: each type once, after the types it refers to.
#include "compiler/tileir/write_internal.h"

static const TirTypeInfo token_info = {.kind = TIR_TYPE_token};

static const TirTypeInfo *type_info(const Writer *writer, TirType type) {
    return type == writer->module->type_count ? &token_info : tir_type(writer->module, type);
}

static void add_type(Writer *writer, TirType type) {
    writer->types[writer->type_count++] = type;
    if (!writer->type_indices[type]) writer->type_indices[type] = writer->type_count;
}

// A module that was read may have been changed.
bool types_can_be_kept(const TirModule *module) {
    for (uint32_t i = 0; i < module->tables->type_count; i++) {
        const TirType type = module->tables->types[i];
        if (tir_type_rows[tir_type(module, type)->kind].tag == TIR_NO_TAG) return false;
    }
    return true;
}

void keep_types(Writer *writer) {
    const struct TirReadTables *kept = writer->kept;
    // A file may hold a type twice, so there may be more of them than the module has.
    writer->types = arena_array(&writer->scratch, TirType, writer->module->type_count + 1 + (size_t)kept->type_count);
    for (uint32_t i = 0; i < kept->type_count; i++) add_type(writer, kept->types[i]);
}

static bool type_is_known(Writer *writer, const TirTypeInfo *info) {
    const TirTypeRow *row = &tir_type_rows[info->kind];
    if (row->tag == TIR_NO_TAG)
        return WRITE_FAIL(writer, E_VERSION, "%s: bytecode has no place for type %s", writer->subject, row->name);
    if (!version_has(writer, row->since, "type", row->name)) return false;
    if (info->ptr_attr < 0 || !(info->kind == TIR_TYPE_ptr || info->kind == TIR_TYPE_tensor_view)) return true;
    const uint16_t since = tir_enum_since(&tir_enum_pointer_attribute, (uint64_t)info->ptr_attr);
    return version_has(writer, since > SINCE_POINTER_FLAGS ? since : SINCE_POINTER_FLAGS, "the attribute of type",
                       row->name);
}

static bool intern_type(Writer *writer, TirType type) {
    if (writer->type_indices[type]) return true;
    const TirTypeInfo *info = type_info(writer, type);
    if (!type_is_known(writer, info)) return false;
    switch (info->kind) {
    case TIR_TYPE_ptr:
    case TIR_TYPE_tile:
    case TIR_TYPE_tensor_view:
    case TIR_TYPE_partition_view:
    case TIR_TYPE_gather_scatter_view:
    case TIR_TYPE_strided_view:
        if (!intern_type(writer, info->element)) return false;
        break;
    default: break; // the parts of functions come below, numbers and tokens have none
    }
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (!intern_type(writer, info->parameters[i])) return false;
    for (uint32_t i = 0; i < info->result_count; i++)
        if (!intern_type(writer, info->results[i])) return false;
    add_type(writer, type);
    return true;
}

bool write_type(Writer *writer, Buffer *out, TirType type) {
    if (!intern_type(writer, type)) return false;
    write_varint(out, writer->type_indices[type] - 1);
    return true;
}

bool write_token_type(Writer *writer, Buffer *out) {
    return write_type(writer, out, writer->token);
}

// ---- the fields of each kind, as read_types.c reads them ----------------------------------------

// The index of a type that is known to be in the table.
static void write_index(const Writer *writer, Buffer *out, TirType type) {
    write_varint(out, writer->type_indices[type] - 1);
}

static void write_indices(const Writer *writer, Buffer *out, const TirType *types, uint32_t count) {
    write_varint(out, count);
    for (uint32_t i = 0; i < count; i++) write_index(writer, out, types[i]);
}

static void write_view(const Writer *writer, Buffer *out, const TirTypeInfo *info) {
    bool with_flags = writer->version >= SINCE_VIEW_FLAGS, padded = info->padding != TIR_PAD_none;
    if (with_flags) write_varint(out, padded);
    write_number_list(out, info->shape, info->rank, 4);
    if (info->kind == TIR_TYPE_strided_view) write_number_list(out, info->strides, info->rank, 4);
    write_index(writer, out, info->element);
    if (info->kind == TIR_TYPE_gather_scatter_view) {
        write_varint(out, info->sparse_dim);
    } else {
        write_varint(out, info->rank);
        for (uint32_t i = 0; i < info->rank; i++) write_fixed(out, (uint32_t)info->dim_map[i], 4);
    }
    if (!with_flags) write_byte(out, padded);
    if (padded) write_varint(out, info->padding);
}

// ptr and tensor_view: flags from 13.4 on, their attribute at the end.
static void write_pointer_flags(const Writer *writer, Buffer *out, const TirTypeInfo *info) {
    if (writer->version >= SINCE_POINTER_FLAGS) write_varint(out, info->ptr_attr >= 0);
}
static void write_pointer_attribute(Buffer *out, const TirTypeInfo *info) {
    if (info->ptr_attr >= 0) write_varint(out, (uint64_t)info->ptr_attr);
}

static void write_type_parts(const Writer *writer, Buffer *out, const TirTypeInfo *info) {
    write_varint(out, tir_type_rows[info->kind].tag);
    switch (info->kind) {
    case TIR_TYPE_ptr:
        write_pointer_flags(writer, out, info);
        write_index(writer, out, info->element);
        write_pointer_attribute(out, info);
        break;
    case TIR_TYPE_tile:
        write_index(writer, out, info->element);
        write_number_list(out, info->shape, info->rank, 8);
        break;
    case TIR_TYPE_tensor_view:
        write_pointer_flags(writer, out, info);
        write_index(writer, out, info->element);
        write_number_list(out, info->shape, info->rank, 8);
        write_number_list(out, info->strides, info->rank, 8);
        write_pointer_attribute(out, info);
        break;
    case TIR_TYPE_function:
        write_indices(writer, out, info->parameters, info->parameter_count);
        write_indices(writer, out, info->results, info->result_count);
        break;
    case TIR_TYPE_partition_view:
    case TIR_TYPE_gather_scatter_view:
    case TIR_TYPE_strided_view: write_view(writer, out, info); break;
    default: break;
    }
}

void write_type_section(Writer *writer) {
    Buffer data = {0};
    size_t *offsets = arena_array(&writer->scratch, size_t, writer->type_count);
    for (uint32_t i = 0; i < writer->type_count; i++) {
        offsets[i] = data.size;
        write_type_parts(writer, &data, type_info(writer, writer->types[i]));
    }
    write_table(&writer->payloads[SECTION_TYPE], 4, writer->type_count, offsets, &data);
    buffer_free(&data);
}
