// SPDX-License-Identifier: Apache-2.0
// Code for GPUs on a processor: each access to memory that other threads can see is announced to the emulator first.
#include "compiler/target/simt_internal.h"

#include <string.h>

// ---- which memory only this thread can see --------------------------------------------------------------------------

// Values looked at on the way to where a pointer comes from. What loops back to one of them adds nothing.
typedef struct SimtOrigin {
    LLVMValueRef seen[32];
    unsigned count;
    bool written;
} SimtOrigin;

static bool is_private_pointer(SimtOrigin *origin, LLVMValueRef value);

static bool are_private_operands(SimtOrigin *origin, LLVMValueRef value, unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++)
        if (!is_private_pointer(origin, LLVMGetOperand(value, i))) return false;
    return true;
}

// A parameter of a function that is only called by others of this module.
static bool is_private_parameter(SimtOrigin *origin, LLVMValueRef parameter) {
    LLVMValueRef function = LLVMGetParamParent(parameter);
    if (LLVMGetLinkage(function) != LLVMInternalLinkage && LLVMGetLinkage(function) != LLVMPrivateLinkage) return false;
    unsigned index = 0;
    while (LLVMGetParam(function, index) != parameter) index++;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function) return false;
        if (!is_private_pointer(origin, LLVMGetArgOperand(call, index))) return false;
    }
    return true;
}

static bool is_private_global(const SimtOrigin *origin, LLVMValueRef global) {
    if (origin->written) return false;
    size_t length;
    // What the launch tells is constant while it runs.
    return LLVMIsGlobalConstant(global) || !strcmp(LLVMGetValueName2(global, &length), GPU_LAUNCH_NAME);
}

static bool is_private_pointer(SimtOrigin *origin, LLVMValueRef value) {
    if (LLVMIsAAllocaInst(value)) return true;
    if (LLVMIsAGlobalVariable(value)) return is_private_global(origin, value);
    for (unsigned i = 0; i < origin->count; i++)
        if (origin->seen[i] == value) return true;
    if (origin->count == BASE_COUNT(origin->seen)) return false;
    origin->seen[origin->count++] = value;
    if (LLVMIsAArgument(value)) return is_private_parameter(origin, value);
    bool expression = LLVMIsAConstantExpr(value);
    if (!expression && !LLVMIsAInstruction(value)) return false;
    switch (expression ? LLVMGetConstOpcode(value) : LLVMGetInstructionOpcode(value)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze: return are_private_operands(origin, value, 0, 1);
    case LLVMSelect: return are_private_operands(origin, value, 1, 3);
    case LLVMPHI: return are_private_operands(origin, value, 0, LLVMCountIncoming(value));
    default: return false;
    }
}

static bool is_private(LLVMValueRef pointer, uint32_t flags) {
    SimtOrigin origin = {.written = flags & SIMT_WRITE};
    return is_private_pointer(&origin, pointer);
}

// ---- announcing -----------------------------------------------------------------------------------------------------

static LLVMValueRef place_of(const SimtBuild *build, LLVMValueRef instruction) {
    return simt_number(build, LLVMGetDebugLocLine(instruction));
}

static LLVMValueRef plain_pointer(const SimtBuild *build, LLVMValueRef pointer) {
    if (LLVMTypeOf(pointer) == build->pointer) return pointer;
    return LLVMBuildAddrSpaceCast(build->builder, pointer, build->pointer, "");
}

void simt_announce(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMTypeRef type, uint32_t flags) {
    uint64_t bytes = LLVMStoreSizeOfType(build->layout, type);
    if (!bytes || is_private(address, flags)) return;
    if (LLVMIsALoadInst(at) || LLVMIsAStoreInst(at))
        flags |= (uint32_t)__builtin_ctz(LLVMGetAlignment(at)) << SIMT_ALIGNMENT_SHIFT;
    LLVMPositionBuilderBefore(build->builder, at);
    LLVMValueRef arguments[] = {plain_pointer(build, address), simt_number(build, (uint32_t)bytes),
                                simt_number(build, flags), place_of(build, at)};
    simt_call_op(build, SIMT_OP_access, arguments);
}

static void call_function(SimtBuild *build, LLVMValueRef function, LLVMValueRef *arguments) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMBuildCall2(build->builder, type, function, arguments, LLVMCountParamTypes(type), "");
}

void simt_announce_range(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMValueRef bytes, uint32_t flags) {
    if (is_private(address, flags)) return;
    LLVMPositionBuilderBefore(build->builder, at);
    LLVMValueRef arguments[] = {plain_pointer(build, address),
                                LLVMBuildIntCast2(build->builder, bytes, build->i64, false, ""),
                                simt_number(build, flags), place_of(build, at)};
    call_function(build, build->ranged, arguments);
}

// The lanes of a mask, 64 at a time.
static LLVMValueRef mask_word(const SimtBuild *build, LLVMValueRef mask, unsigned from) {
    LLVMTypeRef whole = LLVMIntTypeInContext(build->context, LLVMGetVectorSize(LLVMTypeOf(mask)));
    LLVMValueRef bits = LLVMBuildBitCast(build->builder, mask, whole, "");
    if (from) bits = LLVMBuildLShr(build->builder, bits, LLVMConstInt(whole, from, false), "");
    return LLVMBuildIntCast2(build->builder, bits, build->i64, false, "");
}

static uint32_t element_bytes(const SimtBuild *build, LLVMTypeRef vector) {
    return (uint32_t)LLVMABISizeOfType(build->layout, LLVMGetElementType(vector));
}

enum { MASK_LANES = 64 };

void simt_announce_masked(SimtBuild *build, LLVMValueRef at, LLVMValueRef address, LLVMTypeRef type, LLVMValueRef mask,
                          uint32_t flags) {
    if (is_private(address, flags)) return;
    LLVMPositionBuilderBefore(build->builder, at);
    LLVMValueRef base = plain_pointer(build, address);
    uint32_t bytes = element_bytes(build, type);
    for (unsigned from = 0; from < LLVMGetVectorSize(type); from += MASK_LANES) {
        LLVMValueRef offset = LLVMConstInt(build->i64, (uint64_t)from * bytes, false);
        LLVMTypeRef byte = LLVMInt8TypeInContext(build->context);
        LLVMValueRef arguments[] = {LLVMBuildGEP2(build->builder, byte, base, &offset, 1, ""),
                                    mask_word(build, mask, from), simt_number(build, bytes), simt_number(build, flags),
                                    place_of(build, at)};
        call_function(build, build->masked, arguments);
    }
}

void simt_announce_scattered(SimtBuild *build, LLVMValueRef at, LLVMValueRef addresses, LLVMTypeRef type,
                             LLVMValueRef mask, uint32_t flags) {
    if (is_private(addresses, flags)) return;
    unsigned lanes = LLVMGetVectorSize(type);
    LLVMTypeRef vector = LLVMVectorType(build->pointer, lanes);
    LLVMValueRef memory = LLVMBuildAlloca(build->first, vector, "");
    LLVMPositionBuilderBefore(build->builder, at);
    if (LLVMTypeOf(addresses) != vector) addresses = LLVMBuildAddrSpaceCast(build->builder, addresses, vector, "");
    LLVMBuildStore(build->builder, addresses, memory);
    for (unsigned from = 0; from < lanes; from += MASK_LANES) {
        LLVMValueRef index = LLVMConstInt(build->i64, from, false);
        LLVMValueRef arguments[] = {LLVMBuildGEP2(build->builder, build->pointer, memory, &index, 1, ""),
                                    mask_word(build, mask, from), simt_number(build, element_bytes(build, type)),
                                    simt_number(build, flags), place_of(build, at)};
        call_function(build, build->scattered, arguments);
    }
}

// ---- the functions that are called for it ---------------------------------------------------------------------------

// A loop `while (left) left = body(left)` over a word, as the whole body of a function.
typedef struct SimtLoop {
    LLVMValueRef left; // not 0
    LLVMBasicBlockRef body, head, end;
} SimtLoop;

static SimtLoop open_loop(SimtBuild *build, const char *name, LLVMTypeRef *parameters, unsigned count,
                          LLVMValueRef *function) {
    LLVMTypeRef type = LLVMFunctionType(build->none, parameters, count, false);
    *function = LLVMAddFunction(build->module, name, type);
    LLVMSetLinkage(*function, LLVMInternalLinkage);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(build->context, *function, "");
    SimtLoop loop = {.head = LLVMAppendBasicBlockInContext(build->context, *function, "head"),
                     .body = LLVMAppendBasicBlockInContext(build->context, *function, "body"),
                     .end = LLVMAppendBasicBlockInContext(build->context, *function, "end")};
    LLVMPositionBuilderAtEnd(build->builder, entry);
    LLVMBuildBr(build->builder, loop.head);
    LLVMPositionBuilderAtEnd(build->builder, loop.end);
    LLVMBuildRetVoid(build->builder);
    simt_open_function(build, *function);
    LLVMPositionBuilderAtEnd(build->builder, loop.head);
    loop.left = LLVMBuildPhi(build->builder, build->i64, "left");
    LLVMValueRef first = LLVMGetParam(*function, 1);
    LLVMAddIncoming(loop.left, &first, &entry, 1);
    LLVMValueRef more = LLVMBuildICmp(build->builder, LLVMIntNE, loop.left, LLVMConstInt(build->i64, 0, false), "more");
    LLVMBuildCondBr(build->builder, more, loop.body, loop.end);
    LLVMPositionBuilderAtEnd(build->builder, loop.body);
    return loop;
}

static void close_loop(SimtBuild *build, SimtLoop *loop, LLVMValueRef left) {
    LLVMAddIncoming(loop->left, &left, &loop->body, 1);
    LLVMBuildBr(build->builder, loop->head);
    simt_close_function(build);
}

static LLVMValueRef first_bit(SimtBuild *build, LLVMValueRef word) {
    static const char name[] = "llvm.cttz";
    LLVMValueRef cttz =
        LLVMGetIntrinsicDeclaration(build->module, LLVMLookupIntrinsicID(name, sizeof name - 1), &build->i64, 1);
    LLVMValueRef operands[] = {word, LLVMConstInt(LLVMInt1TypeInContext(build->context), 0, false)};
    return LLVMBuildCall2(build->builder, LLVMGlobalGetValueType(cttz), cttz, operands, 2, "");
}

static LLVMValueRef byte_offset(SimtBuild *build, LLVMValueRef base, LLVMValueRef offset) {
    return LLVMBuildGEP2(build->builder, LLVMInt8TypeInContext(build->context), base, &offset, 1, "");
}

static LLVMValueRef narrow(SimtBuild *build, LLVMValueRef word) {
    return LLVMBuildTrunc(build->builder, word, build->i32, "");
}

// (address, bytes, flags, place): the last part first.
static void add_ranged(SimtBuild *build) {
    LLVMTypeRef parameters[] = {build->pointer, build->i64, build->i32, build->i32};
    SimtLoop loop = open_loop(build, "simt.ranged", parameters, 4, &build->ranged);
    LLVMBuilderRef b = build->builder;
    LLVMValueRef most = LLVMConstInt(build->i64, UINT32_C(1) << 30, false);
    LLVMValueRef less = LLVMBuildICmp(b, LLVMIntULT, loop.left, most, "");
    LLVMValueRef bytes = LLVMBuildSelect(b, less, loop.left, most, "");
    LLVMValueRef left = LLVMBuildSub(b, loop.left, bytes, "");
    LLVMValueRef arguments[] = {byte_offset(build, LLVMGetParam(build->ranged, 0), left), narrow(build, bytes),
                                LLVMGetParam(build->ranged, 2), LLVMGetParam(build->ranged, 3)};
    simt_call_op(build, SIMT_OP_access, arguments);
    close_loop(build, &loop, left);
}

// (address, mask, bytes of an element, flags, place): each run of elements is one access.
static void add_masked(SimtBuild *build) {
    LLVMTypeRef parameters[] = {build->pointer, build->i64, build->i32, build->i32, build->i32};
    SimtLoop loop = open_loop(build, "simt.masked", parameters, 5, &build->masked);
    LLVMBuilderRef b = build->builder;
    LLVMValueRef size = LLVMBuildZExt(b, LLVMGetParam(build->masked, 2), build->i64, "");
    LLVMValueRef start = first_bit(build, loop.left);
    LLVMValueRef count = first_bit(build, LLVMBuildNot(b, LLVMBuildLShr(b, loop.left, start, ""), ""));
    LLVMValueRef lowest = LLVMBuildAnd(b, loop.left, LLVMBuildNeg(b, loop.left, ""), "");
    LLVMValueRef arguments[] = {byte_offset(build, LLVMGetParam(build->masked, 0), LLVMBuildMul(b, start, size, "")),
                                narrow(build, LLVMBuildMul(b, count, size, "")), LLVMGetParam(build->masked, 3),
                                LLVMGetParam(build->masked, 4)};
    simt_call_op(build, SIMT_OP_access, arguments);
    // Adding its lowest bit clears the run, and sets the bit above it, which the mask does not have.
    close_loop(build, &loop, LLVMBuildAnd(b, loop.left, LLVMBuildAdd(b, loop.left, lowest, ""), ""));
}

// (array of addresses, mask, bytes of an element, flags, place)
static void add_scattered(SimtBuild *build) {
    LLVMTypeRef parameters[] = {build->pointer, build->i64, build->i32, build->i32, build->i32};
    SimtLoop loop = open_loop(build, "simt.scattered", parameters, 5, &build->scattered);
    LLVMBuilderRef b = build->builder;
    LLVMValueRef lane = first_bit(build, loop.left);
    LLVMValueRef at = LLVMBuildGEP2(b, build->pointer, LLVMGetParam(build->scattered, 0), &lane, 1, "");
    LLVMValueRef arguments[] = {LLVMBuildLoad2(b, build->pointer, at, ""), LLVMGetParam(build->scattered, 2),
                                LLVMGetParam(build->scattered, 3), LLVMGetParam(build->scattered, 4)};
    simt_call_op(build, SIMT_OP_access, arguments);
    LLVMValueRef less = LLVMBuildSub(b, loop.left, LLVMConstInt(build->i64, 1, false), "");
    close_loop(build, &loop, LLVMBuildAnd(b, loop.left, less, ""));
}

void simt_add_access_functions(SimtBuild *build) {
    add_ranged(build);
    add_masked(build);
    add_scattered(build);
}
