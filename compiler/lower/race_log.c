// SPDX-License-Identifier: Apache-2.0
// Reports to the launch what the kernel accesses in buffers (HostRaces), so that it can look for races between blocks.
// An access through a view is reported as a whole: the part of the tile that lies in the tensor. Through pointers
// pieces that follow one another are joined in two slots, and reported when one comes that does not follow.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

#include <stddef.h>

#define CUTTER "congruent.access"

static LLVMTypeRef word_type(const Emit *e) {
    return code_integer_type(&e->cx, 64);
}

static LLVMTypeRef pointer_type(const Emit *e) {
    return LLVMPointerTypeInContext(e->cx.context, 0);
}

static LLVMValueRef at_byte(Emit *e, LLVMValueRef base, size_t offset) {
    return code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), base, code_i64(&e->cx, (int64_t)offset));
}

// ---- what the op is -------------------------------------------------------------------------------------------------

static uint32_t kind_of(const Emit *e, const TirOp *op) {
    uint32_t kind =
        (tir_op_does(op, TIR_READS) ? HOST_ACCESS_READS : 0) | (tir_op_does(op, TIR_WRITES) ? HOST_ACCESS_WRITES : 0);
    if (op->kind == TIR_OP_atomic_cas_tko) kind |= HOST_ACCESS_LOGGED_LATE;
    const uint64_t ordering = tir_attribute_integer(op, "ordering");
    if (ordering == TIR_memory_ordering_weak) return kind;
    if (tir_op_does(op, TIR_READS) && tir_op_does(op, TIR_WAITS) && plan_last_read(e, tir_result(op, 0)))
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
    const uint32_t number = e->kernel->access_count++;
    e->kernel->accesses = e->accesses =
        arena_grow(e->arena, e->accesses, number, &e->access_capacity, sizeof *e->accesses);
    e->accesses[number] = (KernelAccess){tir_op_name(op), op->at, kind};
    return number;
}

static LLVMValueRef races_field(Emit *e, size_t offset, LLVMTypeRef type) {
    LLVMValueRef races = emit_launch_field(e, offsetof(HostLaunch, races), pointer_type(e));
    return code_load(&e->cx, type, at_byte(e, races, offset), type == pointer_type(e) ? 8 : 4);
}

static LLVMValueRef is_set(Emit *e, size_t offset) {
    return LLVMBuildIsNotNull(e->cx.builder, races_field(e, offset, code_integer_type(&e->cx, 32)), "");
}

static LLVMValueRef is_wanted(Emit *e, uint32_t kind, int origin) {
    if (kind & HOST_ACCESS_WRITES) return is_set(e, offsetof(HostRaces, stores));
    if (origin < 0) return is_set(e, offsetof(HostRaces, reads_unknown));
    LLVMTypeRef i8 = code_integer_type(&e->cx, 8);
    LLVMValueRef reads = races_field(e, offsetof(HostRaces, reads), pointer_type(e));
    return LLVMBuildIsNotNull(
        e->cx.builder, code_load(&e->cx, i8, code_pointer_at(&e->cx, i8, reads, code_i64(&e->cx, origin)), 1), "");
}

static void note_store(Emit *e, int origin) {
    if (origin < 0)
        e->kernel->stores_unknown = true;
    else
        e->stores_through[origin] = 1;
}

static void open_slots(Emit *e) {
    if (e->access_slot) return;
    e->access_slot = code_alloca(&e->cx, LLVMArrayType2(word_type(e), sizeof(HostAccess) / 8), "access");
    for (int i = 0; i < 2; i++) e->run_slots[i] = code_alloca(&e->cx, word_type(e), "run");
}

RaceLog emit_race_log(Emit *e, const TirOp *op, int origin) {
    if (!e->races || (origin >= 0 && emit_is_local(e, origin))) return (RaceLog){0};
    const uint32_t kind = kind_of(e, op);
    RaceLog log = {.enabled = true, .op = add_access(e, op, kind)};
    if (op->kind == TIR_OP_atomic_cas_tko) // the next one: a swap that found another value has only read it
        add_access(e, op, kind & ~(uint32_t)(HOST_ACCESS_WRITES | HOST_ACCESS_RELEASES));
    if (kind & HOST_ACCESS_WRITES) note_store(e, origin);
    e->kernel->looks |= (kind & HOST_ACCESS_LOOKS) != 0;
    open_slots(e);
    log.wanted = is_wanted(e, kind, origin);
    log.merges = is_set(e, offsetof(HostRaces, merges));
    for (int i = 0; i < 2; i++) LLVMBuildStore(e->cx.builder, code_i64(&e->cx, 0), e->run_slots[i]);
    return log;
}

// ---- reports -------------------------------------------------------------------------------------------------------

typedef struct AccessWords {
    LLVMValueRef first, op, size; // i64, i32, i64
    unsigned rank;
    LLVMValueRef counts[HOST_ACCESS_DIMENSIONS], strides[HOST_ACCESS_DIMENSIONS];
} AccessWords;

static void report(Emit *e, LLVMValueRef slot, LLVMValueRef launch, LLVMValueRef scratch, const AccessWords *words) {
    LLVMTypeRef parameters[3] = {pointer_type(e), pointer_type(e), pointer_type(e)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), parameters, 3, false);
    code_store(&e->cx, words->first, at_byte(e, slot, offsetof(HostAccess, first)), 8);
    code_store(&e->cx, words->op, at_byte(e, slot, offsetof(HostAccess, op)), 4);
    code_store(&e->cx, code_i32(&e->cx, (int32_t)words->rank), at_byte(e, slot, offsetof(HostAccess, rank)), 4);
    code_store(&e->cx, words->size, at_byte(e, slot, offsetof(HostAccess, size)), 8);
    for (unsigned d = 0; d < words->rank; d++) {
        const size_t at = offsetof(HostAccess, dimensions) + 16 * d;
        code_store(&e->cx, words->counts[d], at_byte(e, slot, at), 8);
        code_store(&e->cx, words->strides[d], at_byte(e, slot, at + 8), 8);
    }
    LLVMValueRef at = at_byte(e, launch, offsetof(HostLaunch, races));
    LLVMValueRef races = code_load(&e->cx, pointer_type(e), at, 8);
    LLVMValueRef function = code_load(&e->cx, pointer_type(e), at_byte(e, races, offsetof(HostRaces, access)), 8);
    LLVMBuildCall2(e->cx.builder, type, function, (LLVMValueRef[]){launch, scratch, slot}, 3, "");
}

// The dimensions of a tile in a view, and its first element that lies in the tensor.
static AccessWords tile_words(Emit *e, const ViewAccess *access, uint32_t op) {
    LLVMBuilderRef builder = e->cx.builder;
    const int64_t unit = access->packed ? 1 : 2 * (int64_t)access->bytes;
    AccessWords words = {.op = code_i32(&e->cx, (int32_t)op), .size = code_i64(&e->cx, unit)};
    LLVMValueRef twice =
        LLVMBuildShl(builder, access->packed ? access->view->base : access->start, code_i64(&e->cx, 1), "");
    words.first = access->packed ? LLVMBuildAdd(builder, twice, access->start, "") : twice;
    for (uint32_t d = 0; d < access->type->rank; d++) {
        if (!access->valid[d] || (access->type->shape[d] == 1 && !access->maybe_outside)) continue; // rows; one element
        LLVMValueRef stride = access->view->strides[emit_view_dimension(access->type, d)];
        stride = LLVMBuildMul(builder, stride, code_i64(&e->cx, unit), "");
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
static bool report_rows(Emit *e, const ViewAccess *access, AccessWords *words) {
    LLVMBuilderRef builder = e->cx.builder;
    const uint32_t d = access->type->sparse_dim;
    Nest nest;
    TileMap map = map_identity(map_log2(access->type->shape[d]));
    NumericValue row;
    nest_init(&nest, map.bits);
    nest.vector_fixed = true;
    if (!nest_need(e, &nest, access->rows, &map)) return false;
    nest_open(e, &nest, map.bits);
    if (!nest_eval(e, &nest, access->rows, &map, &row)) return false;
    LLVMValueRef index = LLVMBuildIntCast2(builder, row.parts[0], word_type(e), false, "");
    CodeGuard guard = code_guard_open(&e->cx, LLVMBuildICmp(builder, LLVMIntULT, index, access->view->sizes[d], ""));
    LLVMValueRef stride = LLVMBuildMul(builder, access->view->strides[d], words->size, "");
    words->first = LLVMBuildAdd(builder, words->first, LLVMBuildMul(builder, index, stride, ""), "");
    report(e, e->access_slot, e->launch, e->scratch, words);
    code_guard_close(&e->cx, &guard, 0, NULL);
    nest_close(e, &nest);
    return true;
}

bool emit_log_view(Emit *e, const ViewAccess *access) {
    RaceLog log = emit_race_log(e, access->op, access->view->origin);
    if (!log.enabled) return true;
    CodeGuard guard = code_guard_open(&e->cx, log.wanted);
    AccessWords words = tile_words(e, access, log.op);
    bool good = true;
    if (access->rows == TIR_NO_VALUE)
        report(e, e->access_slot, e->launch, e->scratch, &words);
    else
        good = report_rows(e, access, &words);
    code_guard_close(&e->cx, &guard, 0, NULL);
    return good;
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

// Parameters of CUTTER: a piece that follows what the slots have together is added to it. Else that is reported; then
// the piece is what they have, or is reported, too.
enum { LAUNCH, SCRATCH, SLOT, BEGIN, END, OP, PLACE, SIZE, MERGES, CUTTER_PARAMETERS };

static void report_piece(Emit *e, const LLVMValueRef *parameters, LLVMValueRef first, LLVMValueRef size) {
    AccessWords words = {.first = first, .op = parameters[OP], .size = size};
    CodeGuard some = code_guard_open(&e->cx, LLVMBuildIsNotNull(e->cx.builder, size, ""));
    report(e, parameters[SLOT], parameters[LAUNCH], parameters[SCRATCH], &words);
    code_guard_close(&e->cx, &some, 0, NULL);
}

static void emit_cutter_body(Emit *e, const LLVMValueRef *parameters) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef i64 = word_type(e);
    LLVMValueRef begin = code_load(&e->cx, i64, parameters[BEGIN], 8), end = code_load(&e->cx, i64, parameters[END], 8);
    LLVMBasicBlockRef longer = code_block(&e->cx, "longer"), apart = code_block(&e->cx, "apart");
    LLVMValueRef follows = LLVMBuildICmp(builder, LLVMIntEQ, end, parameters[PLACE], "");
    LLVMBuildCondBr(builder, LLVMBuildAnd(builder, follows, parameters[MERGES], ""), longer, apart);
    LLVMPositionBuilderAtEnd(builder, longer);
    code_store(&e->cx, LLVMBuildAdd(builder, end, parameters[SIZE], ""), parameters[END], 8);
    LLVMBuildRetVoid(builder);
    LLVMPositionBuilderAtEnd(builder, apart);
    report_piece(e, parameters, begin, LLVMBuildSub(builder, end, begin, ""));
    LLVMValueRef none = code_i64(&e->cx, 0), merges = parameters[MERGES];
    report_piece(e, parameters, parameters[PLACE], LLVMBuildSelect(builder, merges, none, parameters[SIZE], ""));
    LLVMValueRef after = LLVMBuildAdd(builder, parameters[PLACE], parameters[SIZE], "");
    code_store(&e->cx, LLVMBuildSelect(builder, merges, parameters[PLACE], none, ""), parameters[BEGIN], 8);
    code_store(&e->cx, LLVMBuildSelect(builder, merges, after, none, ""), parameters[END], 8);
    LLVMBuildRetVoid(builder);
}

static LLVMValueRef cutter(Emit *e) {
    LLVMTypeRef pointer = pointer_type(e), i64 = word_type(e),
                types[CUTTER_PARAMETERS] = {
                    [LAUNCH] = pointer, [SCRATCH] = pointer, [SLOT] = pointer,
                    [BEGIN] = pointer,  [END] = pointer,     [OP] = code_integer_type(&e->cx, 32),
                    [PLACE] = i64,      [SIZE] = i64,        [MERGES] = code_integer_type(&e->cx, 1)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context), types, CUTTER_PARAMETERS, false);
    CodeShared shared;
    if (code_shared_open(&e->cx, CUTTER, type, &shared)) {
        LLVMValueRef parameters[CUTTER_PARAMETERS];
        LLVMGetParams(shared.function, parameters);
        unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
        LLVMAddAttributeAtIndex(shared.function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(e->cx.context, kind, 0));
        emit_cutter_body(e, parameters);
        code_shared_close(&e->cx, &shared);
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

void emit_log_piece(Emit *e, const RaceLog *log, LLVMValueRef place, LLVMValueRef size) {
    if (!log->enabled) return;
    CodeGuard wanted = code_guard_open(&e->cx, log->wanted);
    cut(e, code_i32(&e->cx, (int32_t)log->op), log->merges, place, size);
    code_guard_close(&e->cx, &wanted, 0, NULL);
}

void emit_log_bytes(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes) {
    if (!log->enabled) return;
    emit_log_piece(e, log, LLVMBuildShl(e->cx.builder, address, code_i64(&e->cx, 1), ""),
                   code_i64(&e->cx, 2 * (int64_t)bytes));
}

void emit_log_swap(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes, LLVMValueRef done) {
    if (!log->enabled) return;
    CodeGuard wanted = code_guard_open(&e->cx, log->wanted);
    LLVMValueRef op = LLVMBuildSelect(e->cx.builder, done, code_i32(&e->cx, (int32_t)log->op),
                                      code_i32(&e->cx, (int32_t)log->op + 1), "");
    cut(e, op, LLVMConstNull(code_integer_type(&e->cx, 1)),
        LLVMBuildShl(e->cx.builder, address, code_i64(&e->cx, 1), ""), code_i64(&e->cx, 2 * (int64_t)bytes));
    code_guard_close(&e->cx, &wanted, 0, NULL);
}

void emit_log_end(Emit *e, const RaceLog *log) {
    if (!log->enabled) return;
    CodeGuard wanted = code_guard_open(&e->cx, log->wanted);
    cut(e, code_i32(&e->cx, (int32_t)log->op), log->merges, code_i64(&e->cx, 0), code_i64(&e->cx, 0));
    code_guard_close(&e->cx, &wanted, 0, NULL);
}
