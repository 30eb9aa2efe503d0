// SPDX-License-Identifier: Apache-2.0
// Tells the launch what the kernel accesses in buffers (HostRaces), so that it can look for races between blocks.
// Through views the whole tile is told at once, with what of it lies in the tensor; through pointers pieces that follow
// one another are put together in two slots, and told when one comes that does not follow.
#include "compiler/lower/memory_internal.h"

#include <stddef.h>

#define CUTTER "congruent.access"

static LLVMTypeRef word_type(const Emit *e) {
    return emit_integer_type(e, 64);
}

static LLVMTypeRef pointer_type(const Emit *e) {
    return LLVMPointerTypeInContext(e->cx.context, 0);
}

static LLVMValueRef at_byte(Emit *e, LLVMValueRef base, size_t offset) {
    return emit_pointer_at(e, emit_integer_type(e, 8), base, emit_i64(e, (int64_t)offset));
}

// ---- what the op is -------------------------------------------------------------------------------------------------

static uint32_t kind_of(const Emit *e, const TirOp *op) {
    bool loads = op->kind == TIR_OP_load_ptr_tko || op->kind == TIR_OP_load_view_tko;
    bool stores = op->kind == TIR_OP_store_ptr_tko || op->kind == TIR_OP_store_view_tko;
    uint32_t kind = (stores ? 0 : HOST_ACCESS_READS) | (loads ? 0 : HOST_ACCESS_WRITES);
    if (op->kind == TIR_OP_atomic_cas_tko) kind |= HOST_ACCESS_TOLD_LATE;
    const uint64_t ordering = tir_attribute_integer(op, "ordering");
    if (ordering == TIR_memory_ordering_weak) return kind;
    if ((kind & HOST_ACCESS_READS) && op->kind != TIR_OP_atomic_red_view_tko && plan_last_read(e, tir_result(op, 0)))
        kind |= HOST_ACCESS_LOOKS;
    if (tir_attribute_integer(op, "scope") == TIR_memory_scope_tl_blk) return kind;
    kind |= HOST_ACCESS_ATOMIC;
    if (ordering == TIR_memory_ordering_acquire || ordering == TIR_memory_ordering_acq_rel)
        kind |= HOST_ACCESS_ACQUIRES;
    if (ordering == TIR_memory_ordering_release || ordering == TIR_memory_ordering_acq_rel)
        kind |= HOST_ACCESS_RELEASES;
    return kind;
}

static uint32_t add_access(Emit *e, const TirOp *op, uint32_t kind) {
    e->accesses = arena_grow(e->arena, e->accesses, e->access_count, &e->access_capacity, sizeof *e->accesses);
    e->accesses[e->access_count] = (KernelAccess){tir_op_info(op->kind)->name, op->at, kind};
    return (uint32_t)e->access_count++;
}

static LLVMValueRef races_field(Emit *e, size_t offset, LLVMTypeRef type) {
    LLVMValueRef races = emit_launch_field(e, offsetof(HostLaunch, races), pointer_type(e));
    return emit_load(e, type, at_byte(e, races, offset), type == pointer_type(e) ? 8 : 4);
}

static LLVMValueRef is_set(Emit *e, size_t offset) {
    return LLVMBuildIsNotNull(e->cx.builder, races_field(e, offset, emit_integer_type(e, 32)), "");
}

static LLVMValueRef is_wanted(Emit *e, uint32_t kind, int origin) {
    if (kind & HOST_ACCESS_WRITES) return is_set(e, offsetof(HostRaces, stores));
    if (origin < 0) return is_set(e, offsetof(HostRaces, reads_unknown));
    LLVMTypeRef i8 = emit_integer_type(e, 8);
    LLVMValueRef reads = races_field(e, offsetof(HostRaces, reads), pointer_type(e));
    return LLVMBuildIsNotNull(e->cx.builder, emit_load(e, i8, emit_pointer_at(e, i8, reads, emit_i64(e, origin)), 1),
                              "");
}

static void note_store(Emit *e, int origin) {
    if (origin < 0)
        e->stores_unknown = true;
    else
        e->stores_through[origin] = 1;
}

static void open_slots(Emit *e) {
    if (e->access_slot) return;
    e->access_slot = emit_alloca(e, LLVMArrayType2(word_type(e), sizeof(HostAccess) / 8), "access");
    for (int i = 0; i < 2; i++) e->run_slots[i] = emit_alloca(e, word_type(e), "run");
}

RaceLog emit_race_log(Emit *e, const TirOp *op, int origin) {
    if (!e->races || (origin >= 0 && emit_is_local(e, origin))) return (RaceLog){0};
    const uint32_t kind = kind_of(e, op);
    RaceLog log = {.tells = true, .op = add_access(e, op, kind)};
    if (op->kind == TIR_OP_atomic_cas_tko) // the next one: a swap that found another value has only read it
        add_access(e, op, kind & ~(uint32_t)(HOST_ACCESS_WRITES | HOST_ACCESS_RELEASES));
    if (kind & HOST_ACCESS_WRITES) note_store(e, origin);
    e->looks |= (kind & HOST_ACCESS_LOOKS) != 0;
    open_slots(e);
    log.wanted = is_wanted(e, kind, origin);
    log.merges = is_set(e, offsetof(HostRaces, merges));
    for (int i = 0; i < 2; i++) LLVMBuildStore(e->cx.builder, emit_i64(e, 0), e->run_slots[i]);
    return log;
}

// ---- telling --------------------------------------------------------------------------------------------------------

typedef struct AccessWords {
    LLVMValueRef first, op, size; // i64, i32, i64
    unsigned rank;
    LLVMValueRef counts[HOST_ACCESS_DIMENSIONS], strides[HOST_ACCESS_DIMENSIONS];
} AccessWords;

static void tell(Emit *e, LLVMValueRef slot, LLVMValueRef launch, LLVMValueRef scratch, const AccessWords *words) {
    LLVMTypeRef parameters[3] = {pointer_type(e), pointer_type(e), pointer_type(e)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), parameters, 3, false);
    emit_store(e, words->first, at_byte(e, slot, offsetof(HostAccess, first)), 8);
    emit_store(e, words->op, at_byte(e, slot, offsetof(HostAccess, op)), 4);
    emit_store(e, emit_i32(e, (int32_t)words->rank), at_byte(e, slot, offsetof(HostAccess, rank)), 4);
    emit_store(e, words->size, at_byte(e, slot, offsetof(HostAccess, size)), 8);
    for (unsigned d = 0; d < words->rank; d++) {
        const size_t at = offsetof(HostAccess, dimensions) + 16 * d;
        emit_store(e, words->counts[d], at_byte(e, slot, at), 8);
        emit_store(e, words->strides[d], at_byte(e, slot, at + 8), 8);
    }
    LLVMValueRef at = at_byte(e, launch, offsetof(HostLaunch, races));
    LLVMValueRef races = emit_load(e, pointer_type(e), at, 8);
    LLVMValueRef function = emit_load(e, pointer_type(e), at_byte(e, races, offsetof(HostRaces, access)), 8);
    LLVMBuildCall2(e->cx.builder, type, function, (LLVMValueRef[]){launch, scratch, slot}, 3, "");
}

// The dimensions of a tile in a view, and its first element that lies in the tensor.
static AccessWords tile_words(Emit *e, const ViewAccess *access, uint32_t op) {
    LLVMBuilderRef builder = e->cx.builder;
    const int64_t unit = access->packed ? 1 : 2 * (int64_t)access->bytes;
    AccessWords words = {.op = emit_i32(e, (int32_t)op), .size = emit_i64(e, unit)};
    LLVMValueRef twice = LLVMBuildShl(builder, access->packed ? access->view->base : access->start, emit_i64(e, 1), "");
    words.first = access->packed ? LLVMBuildAdd(builder, twice, access->start, "") : twice;
    for (uint32_t d = 0; d < access->type->rank; d++) {
        if (!access->valid[d] || (access->type->shape[d] == 1 && !access->maybe_outside)) continue; // rows; one element
        LLVMValueRef stride = access->view->strides[emit_view_dimension(access->type, d)];
        stride = LLVMBuildMul(builder, stride, emit_i64(e, unit), "");
        LLVMValueRef count = access->valid[d], outside = access->outside[d];
        if (outside) {
            words.first = LLVMBuildAdd(builder, words.first, LLVMBuildMul(builder, outside, stride, ""), "");
            count = LLVMBuildSub(builder, count, outside, "");
        }
        words.counts[words.rank] = count;
        words.strides[words.rank++] = stride;
    }
    return words;
}

// Row by row: those that lie in the tensor.
static bool tell_rows(Emit *e, const ViewAccess *access, AccessWords *words) {
    LLVMBuilderRef builder = e->cx.builder;
    const uint32_t d = access->type->sparse_dim;
    Nest nest;
    TileMap map = map_identity(map_log2(access->type->shape[d]));
    NumericValue row;
    nest_init(&nest, map.bits);
    nest.vector_fixed = true;
    nest_need(e, &nest, access->rows, &map);
    nest_open(e, &nest, map.bits);
    if (!nest_eval(e, &nest, access->rows, &map, &row)) return false;
    LLVMValueRef index = LLVMBuildIntCast2(builder, row.parts[0], word_type(e), false, "");
    EmitGuard guard = emit_guard_open(e, LLVMBuildICmp(builder, LLVMIntULT, index, access->view->sizes[d], ""));
    LLVMValueRef stride = LLVMBuildMul(builder, access->view->strides[d], words->size, "");
    words->first = LLVMBuildAdd(builder, words->first, LLVMBuildMul(builder, index, stride, ""), "");
    tell(e, e->access_slot, e->launch, e->scratch, words);
    emit_guard_close(e, &guard, 0, NULL);
    nest_close(e, &nest);
    return true;
}

bool emit_log_view(Emit *e, const ViewAccess *access) {
    RaceLog log = emit_race_log(e, access->op, access->view->origin);
    if (!log.tells) return true;
    EmitGuard guard = emit_guard_open(e, log.wanted);
    AccessWords words = tile_words(e, access, log.op);
    bool good = true;
    if (access->rows == TIR_NO_VALUE)
        tell(e, e->access_slot, e->launch, e->scratch, &words);
    else
        good = tell_rows(e, access, &words);
    emit_guard_close(e, &guard, 0, NULL);
    return good;
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

// Parameters of CUTTER: what the slots have together is told; then the piece is what they have, or is told, too.
enum { LAUNCH, SCRATCH, SLOT, BEGIN, END, OP, PLACE, SIZE, MERGES, CUTTER_PARAMETERS };

static void tell_piece(Emit *e, const LLVMValueRef *parameters, LLVMValueRef first, LLVMValueRef size) {
    AccessWords words = {.first = first, .op = parameters[OP], .size = size};
    EmitGuard some = emit_guard_open(e, LLVMBuildIsNotNull(e->cx.builder, size, ""));
    tell(e, parameters[SLOT], parameters[LAUNCH], parameters[SCRATCH], &words);
    emit_guard_close(e, &some, 0, NULL);
}

static void emit_cutter_body(Emit *e, const LLVMValueRef *parameters) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = word_type(e);
    LLVMValueRef begin = emit_load(e, i64, parameters[BEGIN], 8), end = emit_load(e, i64, parameters[END], 8);
    tell_piece(e, parameters, begin, LLVMBuildSub(builder, end, begin, ""));
    LLVMValueRef none = emit_i64(e, 0), merges = parameters[MERGES];
    tell_piece(e, parameters, parameters[PLACE], LLVMBuildSelect(builder, merges, none, parameters[SIZE], ""));
    LLVMValueRef after = LLVMBuildAdd(builder, parameters[PLACE], parameters[SIZE], "");
    emit_store(e, LLVMBuildSelect(builder, merges, parameters[PLACE], none, ""), parameters[BEGIN], 8);
    emit_store(e, LLVMBuildSelect(builder, merges, after, none, ""), parameters[END], 8);
    LLVMBuildRetVoid(builder);
}

static LLVMValueRef cutter(Emit *e) {
    LLVMTypeRef pointer = pointer_type(e), i64 = word_type(e),
                types[CUTTER_PARAMETERS] = {
                    [LAUNCH] = pointer, [SCRATCH] = pointer, [SLOT] = pointer,
                    [BEGIN] = pointer,  [END] = pointer,     [OP] = emit_integer_type(e, 32),
                    [PLACE] = i64,      [SIZE] = i64,        [MERGES] = emit_integer_type(e, 1)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, CUTTER_PARAMETERS, false);
    EmitShared shared;
    if (emit_shared_open(e, CUTTER, type, &shared)) {
        LLVMValueRef parameters[CUTTER_PARAMETERS];
        LLVMGetParams(shared.function, parameters);
        unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
        LLVMAddAttributeAtIndex(shared.function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(e->cx.context, kind, 0));
        emit_cutter_body(e, parameters);
        emit_shared_close(e, &shared);
    }
    return shared.function;
}

static void cut(Emit *e, LLVMValueRef op, LLVMValueRef merges, LLVMValueRef place, LLVMValueRef size) {
    LLVMValueRef function = cutter(e), arguments[CUTTER_PARAMETERS] = {
                                           [LAUNCH] = e->launch,      [SCRATCH] = e->scratch,  [SLOT] = e->access_slot,
                                           [BEGIN] = e->run_slots[0], [END] = e->run_slots[1], [OP] = op,
                                           [PLACE] = place,           [SIZE] = size,           [MERGES] = merges};
    LLVMBuildCall2(e->cx.builder, LLVMGlobalGetValueType(function), function, arguments, CUTTER_PARAMETERS, "");
}

void emit_log_piece(Emit *e, const RaceLog *log, LLVMValueRef place, int64_t size) {
    LLVMBuilderRef builder = e->cx.builder;
    if (!log->tells) return;
    EmitGuard wanted = emit_guard_open(e, log->wanted);
    LLVMBasicBlockRef longer = emit_block(e, "longer"), apart = emit_block(e, "apart"), told = emit_block(e, "noted");
    LLVMValueRef end = emit_load(e, word_type(e), e->run_slots[1], 8);
    LLVMValueRef follows = LLVMBuildICmp(builder, LLVMIntEQ, end, place, "");
    LLVMBuildCondBr(builder, LLVMBuildAnd(builder, follows, log->merges, ""), longer, apart);
    LLVMPositionBuilderAtEnd(builder, longer);
    emit_store(e, LLVMBuildAdd(builder, end, emit_i64(e, size), ""), e->run_slots[1], 8);
    LLVMBuildBr(builder, told);
    LLVMPositionBuilderAtEnd(builder, apart);
    cut(e, emit_i32(e, (int32_t)log->op), log->merges, place, emit_i64(e, size));
    LLVMBuildBr(builder, told);
    LLVMPositionBuilderAtEnd(builder, told);
    emit_guard_close(e, &wanted, 0, NULL);
}

void emit_log_bytes(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes) {
    if (!log->tells) return;
    emit_log_piece(e, log, LLVMBuildShl(e->cx.builder, address, emit_i64(e, 1), ""), 2 * (int64_t)bytes);
}

void emit_log_swap(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes, LLVMValueRef done) {
    if (!log->tells) return;
    EmitGuard wanted = emit_guard_open(e, log->wanted);
    LLVMValueRef op =
        LLVMBuildSelect(e->cx.builder, done, emit_i32(e, (int32_t)log->op), emit_i32(e, (int32_t)log->op + 1), "");
    cut(e, op, LLVMConstNull(emit_integer_type(e, 1)), LLVMBuildShl(e->cx.builder, address, emit_i64(e, 1), ""),
        emit_i64(e, 2 * (int64_t)bytes));
    emit_guard_close(e, &wanted, 0, NULL);
}

void emit_log_end(Emit *e, const RaceLog *log) {
    if (!log->tells) return;
    EmitGuard wanted = emit_guard_open(e, log->wanted);
    cut(e, emit_i32(e, (int32_t)log->op), log->merges, emit_i64(e, 0), emit_i64(e, 0));
    emit_guard_close(e, &wanted, 0, NULL);
}
