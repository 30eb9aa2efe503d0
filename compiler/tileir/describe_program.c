// SPDX-License-Identifier: Apache-2.0
// A module of Tile IR as a program: what its entries take, access, contain, and what its globals are.
#include "compiler/tileir/program_internal.h"

#include <string.h>

// ---- parameters

static ProgramParameter describe_parameter(const TirModule *module, TirType type) {
    const TirTypeInfo *tile = tir_type(module, type);
    const TirTypeInfo *element = tile->kind == TIR_TYPE_tile ? tir_type(module, tile->element) : tile;
    ProgramParameter parameter = {.pointer = element->kind == TIR_TYPE_ptr};
    const TirTypeKind kind = parameter.pointer ? tir_type(module, element->element)->kind : element->kind;
    const bool scalar = tile->kind == TIR_TYPE_tile && !tile->rank;
    parameter.type = scalar ? tir_type_rows[kind].element : ELEMENT_TYPE_COUNT;
    return parameter;
}

static const ProgramParameter *describe_parameters(Arena *arena, const TirFunction *entry) {
    const TirTypeInfo *type = tir_type(entry->module, entry->type);
    const ProgramUse *uses = tir_trace_memory(arena, entry);
    ProgramParameter *parameters = arena_array(arena, ProgramParameter, type->parameter_count + 1);
    for (uint32_t i = 0; i < type->parameter_count; i++) {
        parameters[i] = describe_parameter(entry->module, type->parameters[i]);
        parameters[i].use = uses[i];
        if (entry->parameter_names) parameters[i].name = entry->parameter_names[i];
        if (entry->descriptor_ranks) parameters[i].descriptor_rank = entry->descriptor_ranks[i];
        if (entry->padding_of) parameters[i].padding_of = entry->padding_of[i];
    }
    return parameters;
}

// ---- accesses

// 1 + the parameter of the entry that the value is, or is a wider or narrower form of; 0: none.
static uint32_t parameter_of(const TirFunction *function, TirValue value) {
    for (;;) {
        const TirValueInfo *info = tir_value(function, value);
        const TirOp *op = info->definition;
        if (!op) return info->block == function->body.first ? info->index + 1 : 0;
        TirValue from = op->kind == TIR_OP_exti || op->kind == TIR_OP_trunci ? op->operands[0] : tir_op_passed(op);
        if (op->region_count || from == TIR_NO_VALUE) return 0;
        value = from;
    }
}

static bool describe_size(const TirFunction *function, TirValue value, ProgramSize *size) {
    const TirOp *op = tir_value(function, value)->definition;
    *size = (ProgramSize){0};
    if (op && op->kind == TIR_OP_constant)
        size->number = (int64_t)tir_constant_bits(function->module, tir_value_type(function, value),
                                                  &tir_attribute(op, "value")->constant, 0);
    else
        size->parameter = parameter_of(function, value);
    return size->parameter || (op && op->kind == TIR_OP_constant);
}

// The op that made a view, through assumptions.
static const TirOp *maker_of(const TirFunction *function, TirValue view) {
    const TirOp *op = tir_value(function, view)->definition;
    while (op && op->kind == TIR_OP_assume) op = tir_value(function, op->operands[0])->definition;
    return op;
}

bool tir_covering_tiles(const TirFunction *function, TirValue view, uint32_t *rank, int64_t tile[PROGRAM_RANK_MAX]) {
    const TirTypeInfo *type = tir_type(function->module, tir_value_type(function, view));
    if (type->kind != TIR_TYPE_partition_view && type->kind != TIR_TYPE_strided_view) return false;
    for (uint32_t d = 0; type->kind == TIR_TYPE_strided_view && d < type->rank; d++)
        if (type->strides[d] != type->shape[d]) return false;
    const TirTypeInfo *tensor = tir_type(function->module, type->element);
    if (tensor->rank > PROGRAM_RANK_MAX || type->rank > tensor->rank) return false;
    *rank = tensor->rank;
    for (uint32_t d = 0; d < tensor->rank; d++) tile[d] = 1;
    for (uint32_t d = 0; d < type->rank; d++) tile[type->dim_map ? (uint32_t)type->dim_map[d] : d] = type->shape[d];
    return true;
}

// What an access sees of an array; false: not known.
static bool describe_tiles(Arena *arena, const TirFunction *function, TirValue view, ProgramAccess *access) {
    int64_t tile[PROGRAM_RANK_MAX];
    ProgramSize extent[PROGRAM_RANK_MAX] = {{0}};
    if (!tir_covering_tiles(function, view, &access->rank, tile)) return false;
    const TirTypeInfo *type = tir_type(function->module, tir_value_type(function, view));
    const TirTypeInfo *tensor = tir_type(function->module, type->element);
    const TirOp *op = maker_of(function, view),
                *made = op && op->operand_count ? maker_of(function, op->operands[0]) : NULL;
    const TirValue *shape = NULL;
    if (!made || made->kind != TIR_OP_make_tensor_view) return false;
    uint32_t next = 0, dynamic = tir_operands(made, "shape", &shape);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        extent[d].number = tensor->shape[d];
        if (tensor->shape[d] != TIR_DYNAMIC) continue;
        if (next == dynamic || !describe_size(function, shape[next++], &extent[d])) return false;
    }
    access->pointer = parameter_of(function, tir_operand(made, "base"));
    access->tile = memcpy(arena_array(arena, int64_t, PROGRAM_RANK_MAX), tile, sizeof tile);
    access->extent = memcpy(arena_array(arena, ProgramSize, PROGRAM_RANK_MAX), extent, sizeof extent);
    access->kind = PROGRAM_ACCESS_TILES;
    return true;
}

static ProgramAccess describe_access(Arena *arena, const TirFunction *function, const TirOp *op) {
    const TirValue address = tir_op_address(op);
    ProgramAccess access = {.kind = PROGRAM_ACCESS_UNKNOWN};
    if (address == TIR_NO_VALUE) return access;
    const TirType type = tir_value_type(function, address);
    if (tir_type(function->module, type)->kind != TIR_TYPE_tile)
        describe_tiles(arena, function, address, &access);
    else if (tir_tile_elements(function->module, type) == 1)
        access.kind = PROGRAM_ACCESS_ELEMENT;
    return access;
}

// ---- constants

static bool describe_constant(const TirModule *module, TirType type, const TirConstant *constant, Location at,
                              ProgramConstant *described) {
    const FpsanFormat format = tir_float_format(tir_tile_element_kind(module, type));
    if (format != FPSAN_F32 && format != FPSAN_F64) return false; // narrower ones are read exactly
    const size_t bytes = format == FPSAN_F32 ? 4 : 8;
    *described = (ProgramConstant){format, constant->size / bytes, constant->bytes, at};
    return true;
}

static bool describe_constant_op(const TirFunction *function, const TirOp *op, ProgramConstant *described) {
    return op->kind == TIR_OP_constant &&
           describe_constant(function->module, tir_value_type(function, op->first_result),
                             &tir_attribute(op, "value")->constant, op->at, described);
}

// ---- values that nobody specified

bool tir_divides_elements(const TirOp *op) {
    const TirFunction *function = tir_op_function(op);
    const TirModule *module = function->module;
    if (!module->triton || (op->kind != TIR_OP_divi && op->kind != TIR_OP_remi)) return false;
    for (TirValue divisor = op->operands[1];;) {
        const TirValueInfo *value = tir_value(function, divisor);
        const TirOp *made = value->definition;
        if (tir_tile_elements(module, value->type) == 1) return false;
        if (made && made->kind == TIR_OP_constant)
            return !tir_constant_is_splat(module, value->type, &tir_attribute(made, "value")->constant);
        if (!made || (made->kind != TIR_OP_reshape && made->kind != TIR_OP_broadcast)) return true;
        divisor = made->operands[0];
    }
}

static bool makes_unspecified(const TirFunction *function, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    if (!(info->effects & TIR_UNSPECIFIED)) return false;
    if (op->kind == TIR_OP_divi || op->kind == TIR_OP_remi) return tir_divides_elements(op);
    for (uint32_t i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, "saturating")) return !op->attributes[i].integer;
    bool unmasked = false;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        const char *name = info->operands[i].name;
        const TirValue value = tir_operand(op, name);
        if (!strcmp(name, "view"))
            return tir_type(function->module, tir_value_type(function, value))->padding == TIR_PAD_none;
        if (!strcmp(name, "padding") && value != TIR_NO_VALUE) return false;
        unmasked |= !strcmp(name, "mask") && value == TIR_NO_VALUE;
    }
    return !unmasked;
}

static bool is_of_several_devices(const TirOp *op) {
    return op->kind == TIR_OP_multimem_load_reduce_view_tko || op->kind == TIR_OP_multimem_reduce_view_tko ||
           op->kind == TIR_OP_multimem_store_view_tko;
}

// ---- entries, globals

static void describe_kernel(Arena *arena, const TirFunction *entry, ProgramKernel *kernel) {
    size_t access_capacity = 0, constant_capacity = 0;
    const bool has_parts = entry->memory_bytes; // the last parameter is the block's memory
    ProgramAccess *accesses = NULL;
    ProgramConstant *constants = NULL, constant;
    *kernel = (ProgramKernel){.name = entry->name,
                              .at = entry->at,
                              .parameter_count = tir_type(entry->module, entry->type)->parameter_count - has_parts,
                              .has_parts = has_parts,
                              .parameters = describe_parameters(arena, entry)};
    for (const TirOp *op = tir_first_op(&entry->body); op; op = tir_next_op(&entry->body, op)) {
        kernel->makes_unspecified |= makes_unspecified(entry, op);
        kernel->several_devices |= is_of_several_devices(op);
        if (tir_op_does(op, TIR_READS | TIR_WRITES) && op->kind != TIR_OP_block_operation) {
            accesses = arena_grow(arena, accesses, kernel->access_count, &access_capacity, sizeof *accesses);
            accesses[kernel->access_count++] = describe_access(arena, entry, op);
        }
        if (describe_constant_op(entry, op, &constant)) {
            constants = arena_grow(arena, constants, kernel->constant_count, &constant_capacity, sizeof *constants);
            constants[kernel->constant_count++] = constant;
        }
    }
    kernel->accesses = accesses;
    kernel->constants = constants;
}

static ProgramGlobal describe_global(const TirModule *module, const TirGlobal *global) {
    const TirTypeKind kind = tir_tile_element_kind(module, global->type);
    const uint64_t elements = (uint64_t)tir_tile_elements(module, global->type);
    return (ProgramGlobal){.name = global->name,
                           .type = tir_type_rows[kind].element,
                           .elements = elements,
                           .size = tir_memory_bytes(kind, elements),
                           .alignment = global->alignment,
                           .is_private = global->is_private};
}

const Program *tir_program(TirModule *module) {
    Arena *arena = &module->arena;
    Program *program = arena_new(arena, Program);
    ProgramKernel *kernels = arena_array(arena, ProgramKernel, module->function_count + 1u);
    ProgramGlobal *globals = arena_array(arena, ProgramGlobal, module->global_count + 1u);
    ProgramConstant *constants = arena_array(arena, ProgramConstant, module->global_count + 1u);
    *program = (Program){.path = module->path,
                         .made_by = module->origin.text,
                         .main_kernel = module->origin.kernel,
                         .form = PROGRAM_TILES,
                         .tiles = module,
                         .global_count = module->global_count,
                         .kernels = kernels,
                         .globals = globals,
                         .constants = constants};
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].entry && !module->functions[f].owner)
            describe_kernel(arena, &module->functions[f], &kernels[program->kernel_count++]);
    for (uint32_t g = 0; g < module->global_count; g++) {
        const TirGlobal *global = &module->globals[g];
        globals[g] = describe_global(module, global);
        program->constant_count +=
            describe_constant(module, global->type, &global->value, global->at, &constants[program->constant_count]);
    }
    return program;
}

// ---- names

const char *program_cutile_mangling(const char *kernel) {
    const char *mark = NULL;
    for (const char *at = strstr(kernel, "_Kt"); at; at = strstr(at + 1, "_Kt"))
        mark = at; // the last: K is escaped after it
    return mark && mark != kernel && mark[3] >= '0' && mark[3] <= '9' ? mark : NULL;
}

// ---- the front end

static bool recognises(const char *path, const uint8_t *bytes, size_t size) {
    (void)path, (void)bytes, (void)size;
    return true; // text has no mark
}

static const Program *read_program(Diagnostics *diagnostics, const char *path, const uint8_t *bytes, size_t size) {
    TirModule *module = tir_read_bytes(diagnostics, path, bytes, size);
    if (module && tir_verify(diagnostics, module)) return tir_program(module);
    tir_module_close(module);
    return NULL;
}

const FrontEnd tir_front_end = {"Tile IR", recognises, read_program};

void tir_program_close(const Program *program) {
    tir_module_close(program->tiles);
}

void tir_program_fill_global(const Program *program, uint32_t global, uint8_t *bytes) {
    const TirGlobal *filled = &program->tiles->globals[global];
    tir_constant_memory(program->tiles, filled->type, &filled->value, bytes);
}

bool tir_program_print_identity(const Program *program, Buffer *out) {
    Diagnostics ignored = {0};
    const size_t size = out->size;
    const bool good = tir_write_bytecode(&ignored, program->tiles, TIR_VERSION_MAX, out);
    diagnostics_close(&ignored);
    if (good) return true;
    out->size = size;
    tir_print(program->tiles, false, out); // it has what only text can say
    return true;
}
