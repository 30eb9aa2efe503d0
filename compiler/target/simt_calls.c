// SPDX-License-Identifier: Apache-2.0
// Code for GPUs on a processor: calls of NVVM's functions become calls of the emulator's, those of libdevice calls of
// the C library.
#include "compiler/target/approximate.h"
#include "compiler/target/simt_internal.h"

#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- functions of the emulator --------------------------------------------------------------------------------------

static const struct SimtOpRow {
    size_t offset;
    char result;
    const char *parameters;
} simt_op_rows[SIMT_OP_COUNT] = {
#define OP(field, result, parameters) [SIMT_OP_##field] = {offsetof(SimtOps, field), result, parameters},
#include "compiler/target/simt_ops.def"
#undef OP
};

static LLVMTypeRef type_of_letter(const SimtBuild *build, char letter) {
    return letter == 'i' ? build->i32 : letter == 'p' ? build->pointer : build->none;
}

static LLVMTypeRef type_of_op(const SimtBuild *build, SimtOp op) {
    LLVMTypeRef parameters[8];
    unsigned count = (unsigned)strlen(simt_op_rows[op].parameters);
    assert(count <= BASE_COUNT(parameters));
    for (unsigned i = 0; i < count; i++) parameters[i] = type_of_letter(build, simt_op_rows[op].parameters[i]);
    return LLVMFunctionType(type_of_letter(build, simt_op_rows[op].result), parameters, count, false);
}

LLVMValueRef simt_number(const SimtBuild *build, uint32_t value) {
    return LLVMConstInt(build->i32, value, false);
}

static LLVMValueRef pointer_at(const SimtBuild *build, LLVMBuilderRef builder, LLVMValueRef base, size_t offset) {
    LLVMValueRef index = LLVMConstInt(build->i64, offset, false);
    return LLVMBuildGEP2(builder, LLVMInt8TypeInContext(build->context), base, &index, 1, "");
}

void simt_open_function(SimtBuild *build, LLVMValueRef function) {
    LLVMPositionBuilderBefore(build->first, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMTypeRef words = LLVMArrayType2(build->i32, SIMT_MMA_A + SIMT_MMA_B + SIMT_MMA_SUMS);
    build->at = (SimtFunction){.function = function,
                               .words = LLVMBuildAlloca(build->first, words, ""),
                               .start = LLVMBuildAlloca(build->first, build->i32, "")};
    LLVMPositionBuilderBefore(build->first, build->at.start);
}

void simt_close_function(SimtBuild *build) {
    LLVMInstructionEraseFromParent(build->at.start);
    if (!LLVMGetFirstUse(build->at.words)) LLVMInstructionEraseFromParent(build->at.words);
    build->at = (SimtFunction){0};
}

// The address of a function of the emulator; each function of the module reads it once.
static LLVMValueRef op_address(SimtBuild *build, SimtOp op) {
    SimtFunction *at = &build->at;
    if (!at->table) at->table = LLVMBuildLoad2(build->first, build->pointer, build->table, "simt");
    if (!at->ops[op])
        at->ops[op] = LLVMBuildLoad2(build->first, build->pointer,
                                     pointer_at(build, build->first, at->table, simt_op_rows[op].offset), "");
    return at->ops[op];
}

static LLVMValueRef call_op_at(SimtBuild *build, LLVMBuilderRef builder, SimtOp op, LLVMValueRef *arguments) {
    LLVMTypeRef type = type_of_op(build, op);
    return LLVMBuildCall2(builder, type, op_address(build, op), arguments, LLVMCountParamTypes(type), "");
}

LLVMValueRef simt_call_op(SimtBuild *build, SimtOp op, LLVMValueRef *arguments) {
    return call_op_at(build, build->builder, op, arguments);
}

LLVMValueRef simt_shared_memory(SimtBuild *build) {
    if (!build->at.shared) {
        LLVMValueRef address = call_op_at(build, build->first, SIMT_OP_shared, NULL);
        build->at.shared = LLVMBuildAddrSpaceCast(build->first, address, LLVMTypeOf(build->shared), "shared");
    }
    return build->at.shared;
}

// ---- what is done with calls ----------------------------------------------------------------------------------------

// A call in work. The builder stands before it.
typedef struct SimtSite {
    LLVMValueRef call;
    const char *name;
    LLVMValueRef place;
    uint32_t with;       // as the row says
    LLVMValueRef result; // what takes the place of the call's result
    bool keep;           // the call stays
} SimtSite;

// A row's numbers in one.
#define OPERANDS(a, b)              (SIMT_##a << 8 | SIMT_##b)
#define MATRICES(count, transposed) ((count) << 8 | (transposed))
#define DIRECTED(operation, mode)   (SIMT_DIRECTED_##operation << 24 | FE_##mode)
#define FLUSHED(operation, mode)    (SIMT_FLUSH | DIRECTED(operation, mode))
#define MASKED(pointer, flags)      ((pointer) << 8 | (flags)) // which operand the pointer is

static LLVMValueRef simt_operand(const SimtSite *site, unsigned index) {
    return LLVMGetArgOperand(site->call, index);
}

static bool refuse_call(const SimtBuild *build, const char *name, const char *why) {
    return diag_fail(build->diagnostics, (Location){0}, E_UNSUPPORTED,
                     "the emulation of GPUs does not know %s, which the code of '%s' calls%s", name, build->kernel,
                     why);
}

static bool simt_do_special(SimtBuild *build, SimtSite *site) {
    LLVMValueRef *value = &build->at.special[site->with], which = simt_number(build, site->with);
    if (!*value) *value = call_op_at(build, build->first, SIMT_OP_special, &which);
    site->result = *value;
    return true;
}

static bool simt_do_number(SimtBuild *build, SimtSite *site) {
    site->result = simt_number(build, site->with);
    return true;
}

static bool simt_do_barrier(SimtBuild *build, SimtSite *site) {
    LLVMValueRef which = simt_operand(site, 0);
    if (!LLVMIsAConstantInt(which) || LLVMConstIntGetZExtValue(which))
        return refuse_call(build, site->name, " with a barrier other than 0");
    simt_call_op(build, SIMT_OP_barrier, &site->place);
    return true;
}

static bool simt_do_warp_barrier(SimtBuild *build, SimtSite *site) {
    simt_call_op(build, SIMT_OP_warp_barrier, (LLVMValueRef[]){simt_operand(site, 0), site->place});
    return true;
}

static bool simt_do_fence(SimtBuild *build, SimtSite *site) {
    (void)site;
    LLVMBuildFence(build->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
    return true;
}

static bool simt_do_shuffle(SimtBuild *build, SimtSite *site) {
    LLVMValueRef arguments[] = {simt_number(build, site->with),
                                simt_operand(site, 0),
                                LLVMBuildBitCast(build->builder, simt_operand(site, 1), build->i32, ""),
                                simt_operand(site, 2),
                                simt_operand(site, 3),
                                site->place};
    LLVMValueRef result = simt_call_op(build, SIMT_OP_shuffle, arguments);
    site->result = LLVMBuildBitCast(build->builder, result, LLVMTypeOf(site->call), "");
    return true;
}

// The words [0, count) at `memory` as a result: one value or a structure of them, of 32 bits each.
static LLVMValueRef read_words(SimtBuild *build, LLVMTypeRef type, LLVMValueRef memory, unsigned count) {
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind) return LLVMBuildLoad2(build->builder, type, memory, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef at = pointer_at(build, build->builder, memory, i * sizeof(uint32_t));
        LLVMValueRef word = LLVMBuildLoad2(build->builder, LLVMStructGetTypeAtIndex(type, i), at, "");
        result = LLVMBuildInsertValue(build->builder, result, word, i, "");
    }
    return result;
}

static bool simt_do_mma(SimtBuild *build, SimtSite *site) {
    enum { B = SIMT_MMA_A, SUMS = B + SIMT_MMA_B, ALL = SUMS + SIMT_MMA_SUMS };
    LLVMValueRef words = build->at.words;
    for (unsigned i = 0; i < ALL; i++)
        LLVMBuildStore(build->builder, simt_operand(site, i),
                       pointer_at(build, build->builder, words, i * sizeof(uint32_t)));
    LLVMValueRef sums = pointer_at(build, build->builder, words, SUMS * sizeof(uint32_t));
    LLVMValueRef arguments[] = {simt_number(build, site->with >> 8),
                                simt_number(build, site->with & 0xff),
                                words,
                                pointer_at(build, build->builder, words, B * sizeof(uint32_t)),
                                sums,
                                site->place};
    simt_call_op(build, SIMT_OP_mma, arguments);
    site->result = read_words(build, LLVMTypeOf(site->call), sums, SIMT_MMA_SUMS);
    return true;
}

static bool simt_do_load_matrix(SimtBuild *build, SimtSite *site) {
    LLVMValueRef row = simt_operand(site, 0);
    unsigned count = site->with >> 8;
    if (LLVMTypeOf(row) != build->pointer) row = LLVMBuildAddrSpaceCast(build->builder, row, build->pointer, "");
    LLVMValueRef arguments[] = {simt_number(build, count), simt_number(build, site->with & 0xff), row, build->at.words,
                                site->place};
    simt_call_op(build, SIMT_OP_load_matrix, arguments);
    site->result = read_words(build, LLVMTypeOf(site->call), build->at.words, count);
    return true;
}

static bool simt_do_pause(SimtBuild *build, SimtSite *site) {
    (void)site;
    simt_call_op(build, SIMT_OP_pause, NULL);
    return true;
}

static bool simt_do_exit(SimtBuild *build, SimtSite *site) {
    (void)site;
    simt_call_op(build, SIMT_OP_exit, NULL);
    return true;
}

static bool simt_do_trap(SimtBuild *build, SimtSite *site) {
    simt_call_op(build, SIMT_OP_trap, &site->place);
    return true;
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

// What instructions compute that name their rounding, or that flush.
typedef enum SimtDirected {
    SIMT_DIRECTED_ADD,
    SIMT_DIRECTED_MUL,
    SIMT_DIRECTED_DIV,
    SIMT_DIRECTED_SQRT,
    SIMT_DIRECTED_FMA,
    SIMT_DIRECTED_FLOOR,
    SIMT_DIRECTED_CEIL,
    SIMT_DIRECTED_ABS,
    SIMT_DIRECTED_MIN, // the number, of a number and a NaN
    SIMT_DIRECTED_MAX,
    SIMT_DIRECTED_MIN_NAN,
    SIMT_DIRECTED_MAX_NAN,
} SimtDirected;
#define SIMT_FLUSH UINT32_C(0x80000000) // subnormal operands and results are zeros of their sign; of floats

// -0 is below +0. A NaN is above all numbers where numbers win, else below.
static double extreme(SimtDirected operation, double x, double y) {
    const bool is_minimum = operation == SIMT_DIRECTED_MIN || operation == SIMT_DIRECTED_MIN_NAN,
               number_wins = operation == SIMT_DIRECTED_MIN || operation == SIMT_DIRECTED_MAX;
    if (isnan(x) || isnan(y)) return isnan(x) == number_wins ? y : x;
    if (x == y) return (signbit(x) != 0) == is_minimum ? x : y;
    return (x < y) == is_minimum ? x : y;
}

static float simt_flushedf(uint32_t with, float x) {
    return with & SIMT_FLUSH ? approximate_flush(x) : x;
}
static double simt_flushed(uint32_t with, double x) {
    (void)with;
    return x;
}

// What the processor computes in the rounding mode `with` says. Compilers may not move arithmetic on volatile variables
// across the calls.
#define DEFINE_DIRECTED(type, suffix)                                                                                  \
    static type simt_directed##suffix(uint32_t with, type a, type b, type c) {                                         \
        volatile type x = simt_flushed##suffix(with, a), y = simt_flushed##suffix(with, b),                            \
                      z = simt_flushed##suffix(with, c), result = 0;                                                   \
        const SimtDirected operation = (SimtDirected)((with & ~SIMT_FLUSH) >> 24);                                     \
        fesetround((int)(with & 0xffffff));                                                                            \
        switch (operation) {                                                                                           \
        case SIMT_DIRECTED_ADD: result = x + y; break;                                                                 \
        case SIMT_DIRECTED_MUL: result = x * y; break;                                                                 \
        case SIMT_DIRECTED_DIV: result = x / y; break;                                                                 \
        case SIMT_DIRECTED_SQRT: result = sqrt##suffix(x); break;                                                      \
        case SIMT_DIRECTED_FMA: result = fma##suffix(x, y, z); break;                                                  \
        case SIMT_DIRECTED_FLOOR: result = floor##suffix(x); break;                                                    \
        case SIMT_DIRECTED_CEIL: result = ceil##suffix(x); break;                                                      \
        case SIMT_DIRECTED_ABS: result = fabs##suffix(x); break;                                                       \
        case SIMT_DIRECTED_MIN:                                                                                        \
        case SIMT_DIRECTED_MAX:                                                                                        \
        case SIMT_DIRECTED_MIN_NAN:                                                                                    \
        case SIMT_DIRECTED_MAX_NAN: result = (type)extreme(operation, (double)x, (double)y); break;                    \
        }                                                                                                              \
        fesetround(FE_TONEAREST);                                                                                      \
        return simt_flushed##suffix(with, result);                                                                     \
    }
DEFINE_DIRECTED(float, f)
DEFINE_DIRECTED(double, )

// A call of one of these, by its address: the code will run in this process.
static bool simt_do_directed(SimtBuild *build, SimtSite *site) {
    LLVMTypeRef type = LLVMTypeOf(site->call), parameters[] = {build->i32, type, type, type};
    bool wide = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    uintptr_t address = wide ? (uintptr_t)simt_directed : (uintptr_t)simt_directedf;
    LLVMValueRef function = LLVMConstIntToPtr(LLVMConstInt(build->i64, address, false), build->pointer);
    LLVMValueRef arguments[] = {simt_number(build, site->with), LLVMConstNull(type), LLVMConstNull(type),
                                LLVMConstNull(type)};
    unsigned count = LLVMGetNumArgOperands(site->call);
    for (unsigned i = 0; i < count && i < 3; i++) arguments[1 + i] = simt_operand(site, i);
    site->result = LLVMBuildCall2(build->builder, LLVMFunctionType(type, parameters, 4, false), function, arguments,
                                  BASE_COUNT(arguments), "");
    return true;
}

// The formula of an approximate instruction. `with`: its number, times 2, plus whether it flushes.
static float simt_approximate(uint32_t with, float x, float y) {
    if (!(with & 1)) return approximate((Approximation)(with / 2), x, y);
    return approximate_flush(approximate((Approximation)(with / 2), approximate_flush(x), approximate_flush(y)));
}

static void replace_approximation(SimtBuild *build, LLVMValueRef call, Approximation which, bool flush) {
    LLVMTypeRef type = LLVMTypeOf(call), parameters[] = {build->i32, type, type};
    LLVMValueRef function =
        LLVMConstIntToPtr(LLVMConstInt(build->i64, (uintptr_t)simt_approximate, false), build->pointer);
    LLVMValueRef arguments[] = {simt_number(build, 2 * (uint32_t)which + flush), LLVMGetOperand(call, 0),
                                approximate_operands(which) > 1 ? LLVMGetOperand(call, 1) : LLVMConstNull(type)};
    LLVMPositionBuilderBefore(build->builder, call);
    LLVMReplaceAllUsesWith(call, LLVMBuildCall2(build->builder, LLVMFunctionType(type, parameters, 3, false), function,
                                                arguments, BASE_COUNT(arguments), ""));
    LLVMInstructionEraseFromParent(call);
}

// ---- conversions ----------------------------------------------------------------------------------------------------

// What cvt.rn.satfinite gives of two numbers: narrowing.def.
static uint16_t simt_narrow(uint32_t format, double high, double low) {
    enum { CANONICAL_NAN = 0x7f };
    const double values[2] = {low, high};
    uint64_t result = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t bits = fpsan_encode_saturating((FpsanFormat)format, values[i], FPSAN_NEAREST_EVEN);
        result |= (isnan(values[i]) ? CANONICAL_NAN : bits) << 8 * i;
    }
    return (uint16_t)result;
}

static uint16_t simt_narrow_floats(uint32_t format, float high, float low) {
    return simt_narrow(format, high, low);
}

static uint16_t simt_narrow_halves(uint32_t format, uint32_t halves) {
    return simt_narrow(format, fpsan_decode(FPSAN_F16, halves >> 16), fpsan_decode(FPSAN_F16, halves & 0xffff));
}

// A call of one of these by its address: the code will run in this process.
static bool simt_do_narrow(SimtBuild *build, SimtSite *site) {
    const bool halves = LLVMGetNumArgOperands(site->call) == 1;
    LLVMTypeRef single = LLVMFloatTypeInContext(build->context);
    LLVMTypeRef parameters[] = {build->i32, halves ? build->i32 : single, single};
    LLVMValueRef arguments[] = {simt_number(build, site->with), simt_operand(site, 0), NULL};
    if (halves)
        arguments[1] = LLVMBuildBitCast(build->builder, arguments[1], build->i32, "");
    else
        arguments[2] = simt_operand(site, 1);
    uintptr_t address = halves ? (uintptr_t)simt_narrow_halves : (uintptr_t)simt_narrow_floats;
    LLVMValueRef function = LLVMConstIntToPtr(LLVMConstInt(build->i64, address, false), build->pointer);
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(site->call), parameters, halves ? 2 : 3, false);
    site->result = LLVMBuildCall2(build->builder, type, function, arguments, halves ? 2 : 3, "");
    return true;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Attributes of operands and functions say what the compiler may rely on (alignment, who else writes); GPUs' memory is
// checked by others here.
static void simt_drop_attributes_at(LLVMValueRef call, LLVMAttributeIndex index) {
    unsigned count = LLVMGetCallSiteAttributeCount(call, index), length;
    LLVMAttributeRef *attributes = calloc(count ? count : 1, sizeof *attributes);
    if (!attributes) abort(); // as arenas do
    LLVMGetCallSiteAttributes(call, index, attributes);
    for (unsigned k = 0; k < count; k++) {
        if (LLVMIsStringAttribute(attributes[k])) {
            const char *kind = LLVMGetStringAttributeKind(attributes[k], &length);
            LLVMRemoveCallSiteStringAttribute(call, index, kind, length);
        } else {
            LLVMRemoveCallSiteEnumAttribute(call, index, LLVMGetEnumAttributeKind(attributes[k]));
        }
    }
    free(attributes);
}

static void simt_drop_call_attributes(LLVMValueRef call) {
    simt_drop_attributes_at(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    for (unsigned i = 0; i <= LLVMGetNumArgOperands(call); i++) simt_drop_attributes_at(call, i);
}

// The vector that a masked call loads or stores. False for elements that are not whole bytes.
static bool masked_type(const SimtBuild *build, const SimtSite *site, LLVMTypeRef *type) {
    bool writes = site->with & SIMT_WRITE;
    *type = LLVMTypeOf(writes ? simt_operand(site, 0) : site->call);
    LLVMTypeRef element = LLVMGetElementType(*type);
    if (LLVMSizeOfTypeInBits(build->layout, element) == 8 * LLVMABISizeOfType(build->layout, element)) return true;
    return refuse_call(build, site->name, " with elements that are not whole bytes");
}

// Operands: (value?) pointer(s) mask (other value?)
static bool simt_do_masked(SimtBuild *build, SimtSite *site) {
    LLVMTypeRef type;
    unsigned pointer = site->with >> 8;
    if (!masked_type(build, site, &type)) return false;
    simt_drop_call_attributes(site->call);
    simt_announce_masked(build, site->call, simt_operand(site, pointer), type, simt_operand(site, pointer + 1),
                         site->with & 0xff);
    return site->keep = true;
}

static bool simt_do_scattered(SimtBuild *build, SimtSite *site) {
    LLVMTypeRef type;
    unsigned pointer = site->with >> 8;
    if (!masked_type(build, site, &type)) return false;
    simt_drop_call_attributes(site->call);
    simt_announce_scattered(build, site->call, simt_operand(site, pointer), type, simt_operand(site, pointer + 1),
                            site->with & 0xff);
    return site->keep = true;
}

static bool simt_do_memory_write(SimtBuild *build, SimtSite *site) {
    simt_drop_call_attributes(site->call);
    simt_announce_range(build, site->call, simt_operand(site, 0), simt_operand(site, 2), SIMT_WRITE);
    return site->keep = true;
}

static bool simt_do_memory_copy(SimtBuild *build, SimtSite *site) {
    simt_drop_call_attributes(site->call);
    simt_announce_range(build, site->call, simt_operand(site, 1), simt_operand(site, 2), SIMT_READ);
    simt_announce_range(build, site->call, simt_operand(site, 0), simt_operand(site, 2), SIMT_WRITE);
    return site->keep = true;
}

static bool simt_do_nothing(SimtBuild *build, SimtSite *site) {
    (void)build, (void)site;
    return true;
}

static bool simt_do_itself(SimtBuild *build, SimtSite *site) {
    (void)build;
    return site->keep = true;
}

// ---- the tables -----------------------------------------------------------------------------------------------------

static const struct SimtCall {
    const char *name;
    bool (*act)(SimtBuild *, SimtSite *);
    uint32_t with;
} simt_calls[] = {
#define CALL(name, act, with) {name, simt_do_##act, with},
#include "compiler/target/simt_calls.def"
#undef CALL
};

static const char *const simt_functions[] = {
#define FUNCTION(name) #name,
#include "compiler/target/simt_functions.def"
#undef FUNCTION
};

// What may follow a name of the table: the types of operands that are of several.
static bool is_type_suffix(const char *text) {
    return !*text || !strcmp(text, ".f") || !strcmp(text, ".d") ||
           (*text == '.' && (text[1] == 'p' || text[1] == 'v' || text[1] == 'i') && text[2] >= '0' && text[2] <= '9');
}

static const struct SimtCall *find_call(const char *name) {
    const struct SimtCall *best = NULL;
    for (size_t i = 0; i < BASE_COUNT(simt_calls); i++) {
        size_t length = strlen(simt_calls[i].name);
        if (!strncmp(name, simt_calls[i].name, length) && is_type_suffix(name + length)) best = &simt_calls[i];
    }
    return best;
}

// Whether LLVM says of one of its functions that it touches no memory.
static bool touches_no_memory(LLVMValueRef function) {
    static const char kind[] = "memory";
    LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                                          LLVMGetEnumAttributeKindForName(kind, sizeof kind - 1));
    return memory && !LLVMGetEnumAttributeValue(memory);
}

// __nv_NAME and __nv_NAMEf.
static bool call_library(SimtBuild *build, LLVMValueRef call, LLVMValueRef function, const char *name) {
    static const char prefix[] = "__nv_";
    const char *rest = name + sizeof prefix - 1;
    char plain[MACHINE_NAME_SIZE];
    bool known = false;
    // Without the keys behind its name: numerics flush by themselves, and the C library has exact roots.
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(rest, "."), rest);
    rest = plain;
    for (size_t i = 0; !known && !strncmp(name, prefix, sizeof prefix - 1) && i < BASE_COUNT(simt_functions); i++) {
        size_t length = strlen(simt_functions[i]);
        known = !strncmp(rest, simt_functions[i], length) && (!rest[length] || !strcmp(rest + length, "f"));
    }
    if (!known) return refuse_call(build, name, "");
    LLVMValueRef other = LLVMGetNamedFunction(build->module, rest);
    if (!other) other = LLVMAddFunction(build->module, rest, LLVMGlobalGetValueType(function));
    LLVMSetOperand(call, (unsigned)LLVMGetNumArgOperands(call), other);
    LLVMSetInstructionCallConv(call, LLVMCCallConv);
    simt_drop_call_attributes(call);
    return true;
}

bool simt_replace_call(SimtBuild *build, LLVMValueRef call) {
    LLVMValueRef function = LLVMGetCalledValue(call);
    Approximation which;
    bool flush;
    if (LLVMIsAInlineAsm(function)) {
        size_t length;
        const char *text = LLVMGetInlineAsmAsmString(function, &length);
        if (approximate_find(text, &which, &flush)) {
            replace_approximation(build, call, which, flush);
            return true;
        }
        return diag_fail(build->diagnostics, (Location){0}, E_UNSUPPORTED,
                         "the emulation of GPUs cannot run PTX, which the code of '%s' has: %.*s", build->kernel,
                         (int)length, text);
    }
    if (!LLVMIsAFunction(function)) return refuse_call(build, "a function by its address", "");
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (!LLVMIsDeclaration(function)) {
        LLVMSetInstructionCallConv(call, LLVMCCallConv);
        simt_drop_call_attributes(call);
        return true;
    }
    if (approximate_find(name, &which, &flush)) {
        replace_approximation(build, call, which, flush);
        return true;
    }
    const struct SimtCall *row = find_call(name);
    if (!row && !LLVMGetIntrinsicID(function)) return call_library(build, call, function, name);
    if (!row) return (strncmp(name, "llvm.nvvm.", 10) && touches_no_memory(function)) || refuse_call(build, name, "");
    LLVMPositionBuilderBefore(build->builder, call);
    SimtSite site = {.call = call, .name = name, .with = row->with};
    site.place = simt_number(build, LLVMGetDebugLocLine(call));
    if (!row->act(build, &site)) return false;
    if (site.result) LLVMReplaceAllUsesWith(call, site.result);
    if (!site.keep) LLVMInstructionEraseFromParent(call);
    return true;
}
