// SPDX-License-Identifier: Apache-2.0
// From a module to one LLVM function per entry; the walk over ops.
#include "compiler/lower/census.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const EmitRow emit_rows[TIR_OP_COUNT] = {
#define ELEMENT(name, function) [TIR_OP_##name] = {EMIT_CLASS_ELEMENT, function, NULL, NULL},
#define INDEX(name)             [TIR_OP_##name] = {EMIT_CLASS_INDEX, NULL, NULL, NULL},
#define MAP(name, function)     [TIR_OP_##name] = {EMIT_CLASS_MAP, NULL, function, NULL},
#define CODE(name, function)    [TIR_OP_##name] = {EMIT_CLASS_OP, NULL, NULL, function},
#define NO_CODE(name)           [TIR_OP_##name] = {EMIT_CLASS_NONE, NULL, NULL, NULL},
#include "compiler/lower/lowering.def"
#undef ELEMENT
#undef INDEX
#undef MAP
#undef CODE
#undef NO_CODE
};
#define ELEMENT(...) +1
#define INDEX(...)   +1
#define MAP(...)     +1
#define CODE(...)    +1
#define NO_CODE(...) +1
_Static_assert(0
#include "compiler/lower/lowering.def"
                   == TIR_OP_COUNT,
               "a row for each op");
#undef ELEMENT
#undef INDEX
#undef MAP
#undef CODE
#undef NO_CODE

const EmitRow *emit_row(TirOpKind kind) {
    return &emit_rows[kind];
}

// ---- ops ------------------------------------------------------------------------------------------------------------

// Types that no lowering handles yet, wherever they occur.
static bool check_type(Emit *e, TirType type) {
    const TirTypeInfo *info = tir_type(e->module, type);
    if (info->kind != TIR_TYPE_tile) return true;
    TirTypeKind kind = tir_tile_element_kind(e->module, type);
    if (kind == TIR_TYPE_fnv8E5M3FNU)
        return emit_fail(e, E_UNSUPPORTED, "elements of type %s are not supported yet", tir_type_rows[kind].name);
    return true;
}

// The argument, or the like, that a result points into: where all that it may point to come from one.
static int passed_origin(Emit *e, const TirOp *op) {
    int origin = -1;
    bool any = false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!tir_op_passes(op, i)) continue;
        if (tir_tile_element_kind(e->module, emit_type_of(e, op->operands[i])) != TIR_TYPE_ptr) return -1;
        int passed = emit_val(e, op->operands[i])->origin;
        if (any && passed != origin) return -1;
        origin = passed;
        any = true;
    }
    return origin;
}

static bool emit_element_op(Emit *e, const TirOp *op) {
    TirValue result = tir_result(op, 0);
    EmitVal *val = emit_val(e, result);
    val->origin = passed_origin(e, op);
    bool scalar = true; // all operands are one element or splats
    for (uint32_t i = 0; i < op->operand_count; i++) scalar &= emit_val(e, op->operands[i])->kind == EMIT_SCALAR;
    if (scalar) {
        NumericValue operands[TIR_OPERANDS_MAX];
        for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = emit_val(e, op->operands[i])->value;
        val->kind = EMIT_SCALAR;
        return emit_call_element(e, op, operands, &val->value);
    }
    val->kind = EMIT_LAZY;
    return plan_is_lazy(e, op) || emit_materialise(e, result);
}

static bool emit_index_op(Emit *e, const TirOp *op) {
    TirValue result = tir_result(op, 0);
    *emit_val(e, result) = (EmitVal){.kind = EMIT_LAZY, .origin = -1};
    if (!emit_is_scalar(e, result)) return true;
    EmitElement element = emit_element(e, emit_type_of(e, result));
    emit_bind_scalar(e, result, LLVMConstNull(emit_register_type(e, element, 0)));
    return true;
}

static bool emit_map_op(Emit *e, const TirOp *op) {
    EmitVal *val = emit_val(e, tir_result(op, 0));
    val->origin = passed_origin(e, op);
    const EmitVal *source = emit_val(e, op->operands[0]);
    if (source->kind == EMIT_SCALAR) { // one element or a splat stays one
        *val = *source;
        return true;
    }
    val->kind = EMIT_LAZY;
    return plan_is_lazy(e, op) || emit_materialise(e, tir_result(op, 0));
}

bool emit_op(Emit *e, const TirOp *op) {
    const EmitRow *row = emit_row(op->kind);
    emit_enter(e, op);
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!check_type(e, emit_type_of(e, tir_result(op, i)))) return false;
    switch (row->class) {
    case EMIT_CLASS_ELEMENT: return emit_element_op(e, op);
    case EMIT_CLASS_INDEX: return emit_index_op(e, op);
    case EMIT_CLASS_MAP: return emit_map_op(e, op);
    case EMIT_CLASS_OP:
        e->destination = emit_carried_destination(e, op);
        if (!e->destination) e->destination = emit_kept_destination(e, op);
        return row->op(e, op);
    case EMIT_CLASS_NONE: break;
    }
    return emit_fail(e, E_UNSUPPORTED, "this operation is not supported yet");
}

static bool lower_ops(Emit *e, const TirBlock *block) {
    const TirBlock *outer = e->block;
    e->block = block;
    bool good = true;
    for (const TirOp *op = block->first; good && op; op = op->next) good = emit_op(e, op);
    e->block = outer;
    return good;
}

bool emit_region(Emit *e, const TirRegion *region) {
    EmitScratch mark = e->scratch_top;
    bool good = lower_ops(e, region->first);
    e->scratch_top = mark; // what a region made is not used outside it
    return good;
}

// ---- entries --------------------------------------------------------------------------------------------------------

void emit_origin_range(Emit *e, int origin, LLVMValueRef *begin, LLVMValueRef *end) {
    assert(origin >= 0);
    *begin = e->argument_ranges[2 * origin];
    *end = e->argument_ranges[2 * origin + 1];
}

int emit_pointer_origin(Emit *e, TirValue pointer) {
    return emit_val(e, pointer)->origin;
}

// With a record it is what the record says, as a float in memory is.
static NumericValue float_parameter(Emit *e, EmitElement element, uint32_t index, LLVMValueRef raw) {
    LLVMTypeRef bits = code_integer_type(&e->cx, fpsan_format_info(element.format)->storage_bits < 8
                                                     ? 8
                                                     : fpsan_format_info(element.format)->storage_bits);
    LLVMTypeRef lane = code_integer_type(&e->cx, fpsan_format_info(element.format)->lane_bits);
    if (!e->cx.numeric->has_records || LLVMGetIntTypeWidth(bits) != LLVMGetIntTypeWidth(lane))
        return e->cx.numeric->from_bits(&e->cx, element.format, LLVMBuildTrunc(e->cx.builder, raw, lane, ""));
    LLVMTypeRef word = code_integer_type(&e->cx, 32);
    LLVMValueRef planes[NUMERIC_PLANES_MAX] = {LLVMBuildTrunc(e->cx.builder, raw, bits, "")};
    LLVMValueRef records =
        emit_launch_field(e, offsetof(HostLaunch, argument_records), LLVMPointerTypeInContext(e->cx.context, 0));
    for (unsigned p = 1; p < numeric_planes(e->cx.numeric, element.format); p++) {
        LLVMValueRef at = code_i64(&e->cx, (int64_t)index * HOST_RECORD_WORDS + p - 1);
        planes[p] = code_load(&e->cx, word, code_pointer_at(&e->cx, word, records, at), 4);
    }
    return e->cx.numeric->from_planes(&e->cx, element.format, planes);
}

static bool lower_parameter(Emit *e, uint32_t index) {
    const TirTypeInfo *body = tir_type(e->module, e->function->type);
    TirType type = body->parameters[index];
    const TirTypeInfo *tile = tir_type(e->module, type);
    if (tile->kind != TIR_TYPE_tile || tile->rank != 0)
        return emit_fail(e, E_UNSUPPORTED, "entry parameter %u is not a scalar", index);
    if (!check_type(e, type)) return false;
    EmitElement element = emit_element(e, type);
    LLVMValueRef raw = emit_raw_parameter(e, index);
    EmitVal *val = emit_val(e, e->function->body.first->first_argument + index);
    *val = (EmitVal){.kind = EMIT_SCALAR, .origin = -1};
    if (element.is_pointer) {
        val->value = emit_unmarked(e, element, emit_pointer_from_address(e, element, raw));
        val->origin = (int)index;
        emit_parameter_range(e, index);
    } else if (element.is_float) {
        val->value = float_parameter(e, element, index, raw);
    } else {
        LLVMValueRef integer = LLVMBuildTrunc(e->cx.builder, raw, code_integer_type(&e->cx, element.bits), "");
        val->value = emit_unmarked(e, element, integer);
    }
    return true;
}

uint32_t emit_count_ops(const TirRegion *region, TirOpKind kind) {
    uint32_t count = 0;
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) count += op->kind == kind;
    return count;
}

static uint32_t count_products(const Emit *e) {
    static const TirOpKind kinds[] = {TIR_OP_mmaf, TIR_OP_mmai, TIR_OP_dot, TIR_OP_mmaf_scaled};
    uint32_t count = 0;
    for (size_t i = 0; i < BASE_COUNT(kinds); i++) count += emit_count_ops(&e->function->body, kinds[i]);
    return count;
}

// Whether the op waits for other blocks, or accesses what they access, in an order that somebody sees.
static bool heeds_blocks(const TirOp *op) {
    if (op->kind != TIR_OP_block_operation)
        return tir_op_does(op, TIR_READS | TIR_WRITES | TIR_WAITS) && !tir_op_is_weak(op);
    static const char *const heeding[] = {"cluster_arrive", "cluster_wait", "try_cancel"}; // else of the block alone
    const char *operation = tir_attribute(op, "operation")->text;
    for (size_t i = 0; i < BASE_COUNT(heeding); i++)
        if (!strcmp(operation, heeding[i])) return true;
    return false;
}

// Whether nobody can see in which order blocks run: every access is weak, nothing prints, and each block ends, whatever
// others do.
static bool is_heedless(const Emit *e) {
    const TirRegion *body = &e->function->body;
    if (e->kernel->prints) return false;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        if (op->kind == TIR_OP_loop || heeds_blocks(op)) return false;
    return true;
}

static TirTypeKind value_kind(const Emit *e, TirValue value) {
    return tir_tile_element_kind(e->module, emit_type_of(e, value));
}

// Whether the op makes integers, or chooses among integers or pointers, by booleans, which always have marks.
static bool takes_marks_of_booleans(const Emit *e, const TirOp *op) {
    if (op->kind == TIR_OP_exti) return value_kind(e, tir_operand(op, "from")) == TIR_TYPE_i1;
    if (op->kind != TIR_OP_select) return false;
    TirTypeKind chosen = value_kind(e, tir_result(op, 0));
    return chosen != TIR_TYPE_i1 && tir_type_rows[chosen].class != TIR_CLASS_FLOAT;
}

// Whether integers are made from floats, by comparisons of such too, or of their bits, or may be unspecified: loaded
// from memory, or quotients.
static bool makes_marks(const Emit *e) {
    const TirRegion *body = &e->function->body;
    bool compares = false, takes = false;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
        if (op->kind == TIR_OP_ftoi || (e->cx.poison && tir_divides_elements(op))) return true;
        compares |= op->kind == TIR_OP_cmpf;
        takes |= takes_marks_of_booleans(e, op);
        const bool takes_bits = tir_op_does(op, TIR_READS) || op->kind == TIR_OP_bitcast || op->kind == TIR_OP_pack;
        if (!e->cx.poison || !takes_bits || !op->result_count ||
            tir_type(e->module, emit_type_of(e, tir_result(op, 0)))->kind != TIR_TYPE_tile)
            continue;
        if (tir_type_rows[value_kind(e, tir_result(op, 0))].class != TIR_CLASS_FLOAT) return true;
    }
    return compares && takes;
}

// The function of an entry or a part.
static bool lower_function(Emit *e) {
    KernelInfo *kernel = e->kernel;
    const TirTypeInfo *type = tir_type(e->module, e->function->type);
    const bool has_memory = e->function->memory_bytes; // the last parameter, which is no argument of the launch
    e->cx.at = e->function->at;
    e->cx.op_name = e->function->name;
    if (has_memory && e->options->gpu)
        return emit_fail(e, E_UNSUPPORTED, "kernels whose blocks have parts run on processors only");
    e->values = arena_array(e->arena, EmitVal, e->function->value_count);
    e->float_of_bits = arena_array(e->arena, EmitFloatOfBits *, e->function->value_count);
    const size_t origins = (size_t)type->parameter_count + e->module->global_count;
    const uint32_t locals = emit_count_ops(&e->function->body, TIR_OP_alloca);
    e->argument_ranges = arena_array(e->arena, LLVMValueRef, 2 * (origins + locals) + 1);
    e->local_origin = (int)origins;
    kernel->parameter_count = type->parameter_count - has_memory;
    kernel->memory_bytes = e->function->memory_bytes;
    kernel->name = e->function->name;
    kernel->symbol = arena_format(e->arena, "congruent.%s.%u", e->function->owner ? "part" : "entry",
                                  (unsigned)(e->function - e->module->functions));
    emit_choose_flushing(e);
    emit_open_kernel(e, kernel->symbol);
    LLVMBasicBlockRef first = code_block(&e->cx, "entry");
    LLVMPositionBuilderAtEnd(e->cx.builder, first);
    emit_count_iterations(e);
    e->stored_widths = arena_array(e->arena, uint32_t, origins + 1);
    e->stores_through = arena_array(e->arena, uint8_t, origins + 1);
    kernel->records = e->cx.numeric->records;
    kernel->deep_records = e->cx.numeric->component_words > TOWER_LENGTH;
    kernel->stored_widths = e->cx.numeric->has_records ? e->stored_widths : NULL;
    kernel->stores_through = e->races ? e->stores_through : NULL;
    e->marks_integers = e->cx.numeric->integer_parts > 1 && makes_marks(e);
    e->many_dots = count_products(e) > 1;
    bool good = plan_function(e) && census_open(e);
    LLVMPositionBuilderAtEnd(e->cx.builder, first);
    for (uint32_t i = 0; good && i < type->parameter_count; i++) good = lower_parameter(e, i);
    if (emit_count_ops(&e->function->body, TIR_OP_get_global)) {
        if (has_memory) return emit_fail(e, E_UNSUPPORTED, "a kernel whose blocks have parts cannot use globals");
        kernel->global_count = e->module->global_count;
        good = good && emit_place_globals(e);
    }
    kernel->has_locals = locals;
    kernel->keeps_words = has_memory && e->cx.numeric->has_records && emit_keeps_words(e);
    good = good && (!locals || emit_place_locals(e, locals)) && emit_region(e, &e->function->body);
    emit_close_kernel(e, first);
    if (has_memory) kernel->memory_widths = e->stored_widths[type->parameter_count - 1] | kernel->stored_widths_unknown;
    kernel->heedless = is_heedless(e);
    kernel->grouped = kernel->heedless && count_products(e);
    return good;
}

// ---- parts of blocks (base/block_abi.h)
// ----------------------------------------------------------------------------------

// A part stores through pointers that it was given: `widths`, those of all parts. They are arguments of the launch, of
// which the program knows what is written, unless a part was given another pointer.
static void note_stores_of_parts(const Emit *kernel, const ProgramKernel *described, uint32_t widths) {
    if (kernel->gives_unknown) kernel->kernel->stored_widths_unknown |= widths;
    for (uint32_t i = 0; i < described->parameter_count; i++)
        if (described->parameters[i].use.writes) kernel->stored_widths[i] |= widths;
}

// Lowers a part of `kernel`, whose lists go on with its sites, stores and accesses; they are in `lists` as they grow.
static bool lower_part(Emit *e, Emit *lists, KernelPart *part) {
    KernelInfo *kernel = lists->kernel, own = *kernel;
    e->kernel = &own;
    e->sites = lists->sites, e->site_capacity = lists->site_capacity;
    e->stores = lists->stores, e->store_capacity = lists->store_capacity;
    e->accesses = lists->accesses, e->access_capacity = lists->access_capacity;
    if (!lower_function(e)) return false;
    lists->sites = e->sites, lists->site_capacity = e->site_capacity;
    lists->stores = e->stores, lists->store_capacity = e->store_capacity;
    lists->accesses = e->accesses, lists->access_capacity = e->access_capacity;
    kernel->sites = own.sites, kernel->site_count = own.site_count;
    kernel->stores = own.stores, kernel->store_count = own.store_count;
    kernel->accesses = own.accesses, kernel->access_count = own.access_count;
    kernel->sequential |= own.sequential;
    kernel->prints |= own.prints;
    kernel->has_locals |= own.has_locals;
    kernel->waits |= own.waits;
    kernel->cancels |= own.cancels;
    kernel->heedless &= own.heedless;
    kernel->grouped = kernel->heedless && (kernel->grouped || own.grouped);
    kernel->stored_widths_unknown |= own.stored_widths_unknown;
    kernel->memory_widths |= own.memory_widths;
    lists->gives_unknown |= e->gives_unknown;
    bool *pointers = arena_array(e->arena, bool, own.parameter_count + 1u);
    const TirTypeInfo *type = tir_type(e->module, e->function->type);
    for (uint32_t i = 0; i < own.parameter_count; i++)
        pointers[i] = tir_tile_element_kind(e->module, type->parameters[i]) == TIR_TYPE_ptr;
    *part = (KernelPart){own.symbol, own.parameter_count, pointers, own.scratch_bytes, NULL};
    return true;
}

// ---- modules
// ------------------------------------------------------------------------------------------------------------

static const Numeric *numeric_of(CompileNumeric numeric, const Tower *tower) {
    static const Numeric *const numerics[] = {[COMPILE_IEEE] = &numeric_ieee,
                                              [COMPILE_PAYLOAD] = &numeric_payload,
                                              [COMPILE_SHADOW] = &numeric_shadow,
                                              [COMPILE_WIDE] = &numeric_wide,
                                              [COMPILE_WIDER] = &numeric_wider};
    if (numeric == COMPILE_SHADOW && tower->degrees) return &numeric_degree_shadow;
    return numeric == COMPILE_SHADOW && tower->length > TOWER_LENGTH ? &numeric_deep_shadow : numerics[numeric];
}

static uint32_t op_count(const TirFunction *function) {
    uint32_t count = 0;
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op)) count++;
    return count;
}

static bool is_asked(const CompileOptions *options, uint32_t kernel) {
    const CompileKernels *asked = options->gpu ? NULL : options->kernels;
    return !asked || (kernel < asked->count && asked->chosen[kernel]);
}

static LLVMValueRef origin_here(void *owner, const char *what, bool passed_on) {
    return emit_origin(owner, what, passed_on);
}

static LLVMValueRef decide_here(void *owner, LLVMValueRef inputs, LLVMValueRef outcomes) {
    return emit_decided(owner, inputs, outcomes);
}

// Debug locations say the numbers of places, where the options ask for that.
static DebugLines *open_lines(LLVMModuleRef llvm, const TirModule *module, const CompileOptions *options) {
    if (options->simt) return debug_open(llvm, EMIT_PLACES, false);
    return options->line_info ? debug_open(llvm, module->path, options->debugger) : NULL;
}

// A lowering of a module.
typedef struct ModuleLowering {
    Diagnostics *diagnostics;
    Arena *arena;
    const LowerRequest *request;
    LLVMBuilderRef builder;
    DebugLines *debug;
    LoweredModule *lowered;
} ModuleLowering;

// Whether its ops have places: where the emulator calls, and where a block operates.
static bool has_places(const ModuleLowering *m, const TirFunction *function) {
    return m->request->options->simt || function->memory_bytes;
}

// `e` stays where it is, as what it points to needs it.
static void start_function(const ModuleLowering *m, const TirFunction *function, KernelInfo *kernel, Emit *e) {
    const CompileOptions *options = m->request->options;
    const Numeric *numeric = numeric_of(options->numeric, tower_chain(options->chain));
    *e = (Emit){.arena = m->arena,
                .target = options->gpu ? &emit_on_gpu : &emit_on_host,
                .module = m->request->program->tiles,
                .function = function,
                .options = options,
                .races = options->races && !options->gpu && !function->memory_bytes,
                .kernel = kernel,
                .debug = m->debug,
                .places = has_places(m, function) ? m->lowered->places + m->lowered->place_count : NULL,
                .first_place = m->lowered->place_count + 1,
                .own_globals = m->request->own_globals};
    e->cx = (NumericContext){.context = LLVMGetModuleContext(m->request->llvm),
                             .module = m->request->llvm,
                             .builder = m->builder,
                             .numeric = numeric,
                             .instrumentation = options->instrumentation,
                             .tower = tower_chain(options->chain),
                             .meanings = options->meanings,
                             .flips = options->flips,
                             .meaning_count = options->meaning_count,
                             .masks = options->masks,
                             .machine = *m->request->machine,
                             .diagnostics = m->diagnostics,
                             .poison = options->poison && numeric->poison,
                             .origins = options->origins,
                             .origin = origin_here,
                             .decide = options->decisions ? decide_here : NULL,
                             .owner = e,
                             .slots = &e->slots};
    e->slots.arena = m->arena;
    if (e->places) m->lowered->place_count += op_count(function);
}

static bool lower_parts(const ModuleLowering *m, Emit *lists, const ProgramKernel *described) {
    const TirModule *module = lists->module;
    const uint32_t owner = (uint32_t)(lists->function - module->functions) + 1;
    KernelInfo *kernel = lists->kernel;
    KernelPart *parts = arena_array(m->arena, KernelPart, module->function_count + 1u);
    uint32_t widths = 0;
    kernel->parts = parts;
    for (uint32_t i = 0; i < module->function_count; i++) {
        if (module->functions[i].owner != owner) continue;
        Emit e;
        start_function(m, &module->functions[i], kernel, &e);
        if (!lower_part(&e, lists, &parts[kernel->part_count])) return false;
        for (uint32_t k = 0; k < parts[kernel->part_count].parameter_count; k++) widths |= e.stored_widths[k];
        kernel->part_count++;
    }
    note_stores_of_parts(lists, described, widths);
    return true;
}

static bool lower_entry(const ModuleLowering *m, const TirFunction *function) {
    const uint32_t number = m->lowered->kernel_count++;
    KernelInfo *kernel = &m->lowered->kernels[number];
    if (!is_asked(m->request->options, number)) {
        kernel->name = function->name;
        return true;
    }
    Emit e;
    start_function(m, function, kernel, &e);
    return lower_function(&e) && (!function->memory_bytes || lower_parts(m, &e, &m->request->program->kernels[number]));
}

bool lower_module(Diagnostics *diagnostics, Arena *arena, const LowerRequest *request, LoweredModule *lowered) {
    const TirModule *module = request->program->tiles;
    *lowered = (LoweredModule){.kernels = arena_array(arena, KernelInfo, module->function_count + 1u)};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(request->llvm));
    const ModuleLowering m = {diagnostics, arena, request, builder, open_lines(request->llvm, module, request->options),
                              lowered};
    uint32_t places = 0;
    for (uint32_t i = 0; i < module->function_count; i++)
        if (has_places(&m, &module->functions[i])) places += op_count(&module->functions[i]);
    if (places) lowered->places = arena_array(arena, KernelPlace, places);
    bool good = true;
    for (uint32_t i = 0; good && i < module->function_count; i++)
        if (module->functions[i].entry && !module->functions[i].owner) good = lower_entry(&m, &module->functions[i]);
    debug_close(m.debug, builder);
    LLVMDisposeBuilder(builder);
    return good;
}
