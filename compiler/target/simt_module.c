// SPDX-License-Identifier: Apache-2.0
// Turns a module made for a GPU into one for a processor, whose kernels are functions of the type SimtEntry: the same
// code, thread by thread, with calls of the emulator where the threads of a GPU do something together or touch memory.
#include "compiler/target/simt_internal.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE_SHARED = 3 };
static const char shared_name[] = "congruent_shared";

// ---- what only GPUs know --------------------------------------------------------------------------------------------

static void drop_attributes_at(LLVMValueRef function, LLVMAttributeIndex index) {
    unsigned count = LLVMGetAttributeCountAtIndex(function, index);
    LLVMAttributeRef *attributes = calloc(count ? count : 1, sizeof *attributes);
    if (!attributes) abort(); // as arenas do
    LLVMGetAttributesAtIndex(function, index, attributes);
    for (unsigned i = 0; i < count; i++) {
        unsigned length;
        if (LLVMIsStringAttribute(attributes[i])) {
            const char *kind = LLVMGetStringAttributeKind(attributes[i], &length);
            LLVMRemoveStringAttributeAtIndex(function, index, kind, length);
        } else {
            LLVMRemoveEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKind(attributes[i]));
        }
    }
    free(attributes);
}

// All attributes: they may say that a function does not touch what the emulator does.
static void drop_attributes(LLVMValueRef function) {
    drop_attributes_at(function, LLVMAttributeFunctionIndex);
    for (unsigned i = 0; i <= LLVMCountParams(function); i++) drop_attributes_at(function, i);
    LLVMGlobalClearMetadata(function);
}

// All but the debug location, which LLVM's list of the others may have, too.
static void drop_metadata(const SimtBuild *build, LLVMValueRef instruction) {
    const unsigned location = LLVMGetMDKindIDInContext(build->context, "dbg", 3);
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(instruction, &count);
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
        if (kind != location) LLVMSetMetadata(instruction, kind, NULL);
    }
    LLVMDisposeValueMetadataEntries(entries);
}

// ---- shared memory --------------------------------------------------------------------------------------------------

// Whether a constant is made of the address of shared memory.
static bool mentions_shared(const SimtBuild *build, LLVMValueRef constant) {
    if (constant == build->shared) return true;
    if (!LLVMIsAConstantExpr(constant) && !LLVMIsAConstantVector(constant) && !LLVMIsAConstantStruct(constant) &&
        !LLVMIsAConstantArray(constant))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(constant); i++)
        if (mentions_shared(build, LLVMGetOperand(constant, (unsigned)i))) return true;
    return false;
}

// The value of such a constant, computed where the builder stands; NULL if it cannot be.
static LLVMValueRef compute_constant(SimtBuild *build, LLVMValueRef constant);

static LLVMValueRef compute_address(SimtBuild *build, LLVMValueRef constant, LLVMValueRef base) {
    LLVMValueRef indices[16];
    unsigned count = LLVMGetNumIndices(constant);
    if (count > BASE_COUNT(indices)) return NULL;
    for (unsigned i = 0; i < count; i++) indices[i] = LLVMGetOperand(constant, i + 1);
    return LLVMBuildGEP2(build->builder, LLVMGetGEPSourceElementType(constant), base, indices, count, "");
}

static LLVMValueRef compute_expression(SimtBuild *build, LLVMValueRef constant) {
    LLVMOpcode opcode = LLVMGetConstOpcode(constant);
    LLVMValueRef first = compute_constant(build, LLVMGetOperand(constant, 0));
    if (!first) return NULL;
    switch (opcode) {
    case LLVMGetElementPtr: return compute_address(build, constant, first);
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc: return LLVMBuildCast(build->builder, opcode, first, LLVMTypeOf(constant), "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor: {
        LLVMValueRef second = compute_constant(build, LLVMGetOperand(constant, 1));
        return second ? LLVMBuildBinOp(build->builder, opcode, first, second, "") : NULL;
    }
    default: return NULL;
    }
}

static LLVMValueRef compute_constant(SimtBuild *build, LLVMValueRef constant) {
    if (constant == build->shared) return simt_shared_memory(build);
    if (!mentions_shared(build, constant)) return constant;
    if (LLVMIsAConstantExpr(constant)) return compute_expression(build, constant);
    if (!LLVMIsAConstantVector(constant)) return NULL;
    LLVMValueRef vector = LLVMGetPoison(LLVMTypeOf(constant));
    for (int i = 0; i < LLVMGetNumOperands(constant); i++) {
        LLVMValueRef element = compute_constant(build, LLVMGetOperand(constant, (unsigned)i));
        if (!element) return NULL;
        vector = LLVMBuildInsertElement(build->builder, vector, element, simt_number(build, (uint32_t)i), "");
    }
    return vector;
}

// Of a phi each value is computed at the end of the block it comes from; of one block there is only one.
static LLVMValueRef place_operand(SimtBuild *build, LLVMValueRef instruction, unsigned index) {
    if (!LLVMIsAPHINode(instruction)) {
        LLVMPositionBuilderBefore(build->builder, instruction);
        return NULL;
    }
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(instruction, index);
    for (unsigned i = 0; i < index; i++)
        if (LLVMGetIncomingBlock(instruction, i) == from) return LLVMGetOperand(instruction, i);
    LLVMPositionBuilderBefore(build->builder, LLVMGetBasicBlockTerminator(from));
    return NULL;
}

static bool compute_operands(SimtBuild *build, LLVMValueRef instruction) {
    for (unsigned i = 0; build->shared && i < (unsigned)LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, i);
        if (!operand || !LLVMIsAConstant(operand) || !mentions_shared(build, operand)) continue;
        LLVMValueRef value = place_operand(build, instruction, i);
        if (!value) value = compute_constant(build, operand);
        if (!value)
            return diag_fail(build->diagnostics, (Location){0}, E_UNSUPPORTED,
                             "the emulation of GPUs cannot compute an address of shared memory in the code of "
                             "'%s'",
                             build->kernel);
        LLVMSetOperand(instruction, i, value);
    }
    return true;
}

// ---- instructions ---------------------------------------------------------------------------------------------------

static const char *simt_opcode_name(LLVMOpcode opcode) {
    switch (opcode) {
    case LLVMInvoke: return "invoke";
    case LLVMCallBr: return "callbr";
    case LLVMIndirectBr: return "indirectbr";
    case LLVMVAArg: return "va_arg";
    default: return NULL;
    }
}

// What fences and atomic accesses order, they order for all threads of the system. Plain accesses get no alignment:
// the emulator is to see a wrong one, not the processor.
static void make_plain(LLVMValueRef access) {
    if (LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic)
        LLVMSetAlignment(access, 1);
    else
        LLVMSetAtomicSyncScopeID(access, 1);
}

static bool replace_instruction(SimtBuild *build, LLVMValueRef at) {
    const uint32_t both = SIMT_READ | SIMT_WRITE | SIMT_ATOMIC;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    drop_metadata(build, at);
    if (!compute_operands(build, at)) return false;
    switch (opcode) {
    case LLVMLoad:
    case LLVMStore: {
        uint32_t flags = LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic ? 0 : SIMT_ATOMIC;
        if (opcode == LLVMLoad)
            simt_announce(build, at, LLVMGetOperand(at, 0), LLVMTypeOf(at), flags | SIMT_READ);
        else
            simt_announce(build, at, LLVMGetOperand(at, 1), LLVMTypeOf(LLVMGetOperand(at, 0)), flags | SIMT_WRITE);
        make_plain(at);
        return true;
    }
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        simt_announce(build, at, LLVMGetOperand(at, 0), LLVMTypeOf(LLVMGetOperand(at, 1)), both);
        LLVMSetAtomicSyncScopeID(at, 1);
        return true;
    case LLVMFence: LLVMSetAtomicSyncScopeID(at, 1); return true;
    case LLVMCall: return simt_replace_call(build, at);
    default:
        if (!simt_opcode_name(opcode)) return true;
        return diag_fail(build->diagnostics, (Location){0}, E_UNSUPPORTED,
                         "the emulation of GPUs does not know '%s', which the code of '%s' has",
                         simt_opcode_name(opcode), build->kernel);
    }
}

// The instructions as they were: what is added meanwhile is not looked at.
static bool replace_instructions(SimtBuild *build, LLVMValueRef function) {
    size_t length, count = 0, capacity = 0;
    LLVMValueRef *all = NULL;
    build->kernel = LLVMGetValueName2(function, &length);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
            if (count == capacity)
                all = realloc(all, (capacity = capacity ? 2 * capacity : 256) * sizeof(LLVMValueRef));
            if (!all) abort(); // as arenas do
            all[count++] = at;
        }
    simt_open_function(build, function);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) good = replace_instruction(build, all[i]);
    if (good) simt_close_function(build);
    free(all);
    return good;
}

// ---- kernels --------------------------------------------------------------------------------------------------------

// A parameter out of a word of 64 bits; NULL if it does not fit.
static LLVMValueRef unpack_word(SimtBuild *build, LLVMValueRef word, LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMPointerTypeKind) return LLVMBuildIntToPtr(build->builder, word, type, "");
    unsigned long long bits = LLVMTypeIsSized(type) ? LLVMSizeOfTypeInBits(build->layout, type) : 0;
    if (!bits || bits > 64 || kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) return NULL;
    LLVMTypeRef integer = LLVMIntTypeInContext(build->context, (unsigned)bits);
    if (bits < 64) word = LLVMBuildTrunc(build->builder, word, integer, "");
    return LLVMBuildBitCast(build->builder, word, type, "");
}

// The function of type SimtEntry gets the kernel's name.
static bool add_entry(SimtBuild *build, LLVMValueRef kernel) {
    unsigned count = LLVMCountParams(kernel);
    size_t length;
    Buffer name = {0};
    buffer_print(&name, "%s", LLVMGetValueName2(kernel, &length));
    LLVMSetValueName2(kernel, "simt.thread", strlen("simt.thread")); // LLVM numbers those after the first
    LLVMTypeRef type = LLVMFunctionType(build->none, &build->pointer, 1, false);
    LLVMValueRef entry = LLVMAddFunction(build->module, name.data, type);
    LLVMPositionBuilderAtEnd(build->builder, LLVMAppendBasicBlockInContext(build->context, entry, ""));
    LLVMValueRef *arguments = calloc(count ? count : 1, sizeof *arguments);
    if (!arguments) abort(); // as arenas do
    bool good = true;
    for (unsigned i = 0; good && i < count; i++) {
        LLVMValueRef index = LLVMConstInt(build->i64, i, false);
        LLVMValueRef at = LLVMBuildGEP2(build->builder, build->i64, LLVMGetParam(entry, 0), &index, 1, "");
        LLVMValueRef word = LLVMBuildLoad2(build->builder, build->i64, at, "");
        arguments[i] = unpack_word(build, word, LLVMTypeOf(LLVMGetParam(kernel, i)));
        good = arguments[i] || diag_fail(build->diagnostics, (Location){0}, E_UNSUPPORTED,
                                         "the emulation of GPUs cannot pass parameter %u of kernel '%s'", i, name.data);
    }
    if (good) {
        LLVMBuildCall2(build->builder, LLVMGlobalGetValueType(kernel), kernel, arguments, count, "");
        LLVMSetLinkage(kernel, LLVMInternalLinkage);
    }
    LLVMBuildRetVoid(build->builder);
    free(arguments);
    buffer_free(&name);
    return good;
}

// ---- the module -----------------------------------------------------------------------------------------------------

static bool has_type_attribute(LLVMValueRef function, unsigned parameter) {
    static const char *const kinds[] = {"byval", "byref", "sret", "inalloca", "preallocated"};
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if (LLVMGetEnumAttributeAtIndex(function, parameter + 1,
                                        LLVMGetEnumAttributeKindForName(kinds[i], strlen(kinds[i]))))
            return true;
    return false;
}

static bool simt_check_function(const SimtBuild *build, LLVMValueRef function) {
    size_t length;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (has_type_attribute(function, i))
            return diag_fail(build->diagnostics, (Location){0}, E_UNSUPPORTED,
                             "the emulation of GPUs cannot pass parameter %u of '%s', which is passed in memory", i,
                             LLVMGetValueName2(function, &length));
    return true;
}

static bool find_shared(SimtBuild *build) {
    for (LLVMValueRef global = LLVMGetFirstGlobal(build->module); global; global = LLVMGetNextGlobal(global)) {
        size_t length;
        const char *name = LLVMGetValueName2(global, &length);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != SPACE_SHARED) continue;
        if (strcmp(name, shared_name))
            return diag_fail(build->diagnostics, (Location){0}, E_UNSUPPORTED,
                             "the emulation of GPUs has one array in shared memory, '%s', not '%s'", shared_name, name);
        build->shared = global;
    }
    return true;
}

// A variable of the module that the runtime sets, 0 until it does.
static LLVMValueRef simt_variable(SimtBuild *build, const char *name, size_t bytes) {
    LLVMValueRef variable = LLVMGetNamedGlobal(build->module, name);
    if (!variable) {
        LLVMTypeRef type = LLVMArrayType2(build->i64, (bytes + 7) / 8);
        variable = LLVMAddGlobal(build->module, type, name);
        LLVMSetAlignment(variable, 8);
    }
    LLVMSetInitializer(variable, LLVMConstNull(LLVMGlobalGetValueType(variable)));
    LLVMSetLinkage(variable, LLVMExternalLinkage);
    LLVMSetGlobalConstant(variable, false);
    return variable;
}

static void drop_unused(const SimtBuild *build) {
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(build->module); f; f = next) {
        next = LLVMGetNextFunction(f);
        bool own = f == build->ranged || f == build->masked || f == build->scattered;
        if (!LLVMGetFirstUse(f) && (own || LLVMIsDeclaration(f))) LLVMDeleteFunction(f);
    }
    if (build->shared && !LLVMGetFirstUse(build->shared)) LLVMDeleteGlobal(build->shared);
}

// Lists of what linkers of code for GPUs must keep.
static void drop_used_lists(const SimtBuild *build) {
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
    for (size_t i = 0; i < BASE_COUNT(lists); i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(build->module, lists[i]);
        if (list) LLVMDeleteGlobal(list);
    }
}

static bool replace_module(SimtBuild *build) {
    LLVMValueRef last = LLVMGetLastFunction(build->module), next = LLVMGetFirstFunction(build->module);
    simt_add_access_functions(build);
    for (bool more = last; more;) {
        LLVMValueRef function = next;
        more = function != last;
        next = LLVMGetNextFunction(function);
        if (LLVMIsDeclaration(function)) continue;
        bool kernel = LLVMGetFunctionCallConv(function) == LLVMPTXKernelCallConv;
        if (!simt_check_function(build, function)) return false;
        drop_attributes(function);
        LLVMSetFunctionCallConv(function, LLVMCCallConv);
        if (!replace_instructions(build, function) || (kernel && !add_entry(build, function))) return false;
    }
    return true;
}

bool simt_transform(const Target *host, Diagnostics *diagnostics, LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    target_prepare(host, diagnostics, module);
    SimtBuild build = {.diagnostics = diagnostics,
                       .context = context,
                       .module = module,
                       .builder = LLVMCreateBuilderInContext(context),
                       .first = LLVMCreateBuilderInContext(context),
                       .layout = host->layout,
                       .none = LLVMVoidTypeInContext(context),
                       .i32 = LLVMInt32TypeInContext(context),
                       .i64 = LLVMInt64TypeInContext(context),
                       .pointer = LLVMPointerTypeInContext(context, 0)};
    build.table = simt_variable(&build, SIMT_TABLE_NAME, sizeof(void *));
    simt_variable(&build, GPU_LAUNCH_NAME, sizeof(GpuLaunch));
    drop_used_lists(&build);
    bool good = find_shared(&build) && replace_module(&build);
    if (good) drop_unused(&build);
    LLVMDisposeBuilder(build.builder);
    LLVMDisposeBuilder(build.first);
    LLVMStripModuleDebugInfo(module);
    return good;
}
