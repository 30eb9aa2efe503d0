// SPDX-License-Identifier: Apache-2.0
// Building, compiling and running small kernels; see lab.h.
#include "tests/lower/lab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_BYTES = LAB_BUFFERS_MAX * LAB_BUFFER_BYTES };

// ---- life -----------------------------------------------------------------------------------------------------------

static TirType pointer_type(TirModule *module, TirTypeKind pointee) {
    TirTypeInfo info = {.kind = TIR_TYPE_ptr, .element = tir_type_scalar(module, pointee), .ptr_attr = -1};
    return tir_type_intern(module, &info);
}

Lab lab_open(uint32_t parameter_count, const TirTypeKind *pointees) {
    return lab_open_numbers(parameter_count, 0, pointees);
}

Lab lab_open_module(TirModule *module, uint32_t pointer_count, const TirTypeKind *pointees) {
    Lab lab = {.module = module, .kinds = pointees, .optimize = 0};
    lab.device.kind = &rt_host_kind;
    lab.parameter_count = lab.pointer_count = pointer_count;
    lab.compiler = compiler_open(&lab.diagnostics);
    cr_assert(lab.compiler, "%s", lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    lab.memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(lab.memory != MAP_FAILED);
    cr_assert(rt_shadow_open(&lab.device.shadow, lab.memory, MEMORY_BYTES, (size_t)sysconf(_SC_PAGESIZE)));
    for (uint32_t i = 0; i < pointer_count; i++) {
        uint64_t begin = (uint64_t)(uintptr_t)lab.memory + (uint64_t)i * LAB_BUFFER_BYTES;
        lab.ranges[i] = (HostRange){begin, begin + LAB_BUFFER_BYTES};
        lab.buffers[i] = (RtBuffer){.address = begin, .size = LAB_BUFFER_BYTES};
        lab.arguments[i] = begin;
    }
    return lab;
}

Lab lab_open_numbers(uint32_t pointer_count, uint32_t number_count, const TirTypeKind *kinds) {
    Lab lab = lab_open_module(tir_module_open("lab"), pointer_count, kinds);
    lab.parameter_count = pointer_count + number_count;
    TirType parameters[LAB_BUFFERS_MAX];
    for (uint32_t i = 0; i < lab.parameter_count; i++)
        parameters[i] = tir_type_tile(
            lab.module, i < pointer_count ? pointer_type(lab.module, kinds[i]) : tir_type_scalar(lab.module, kinds[i]),
            0, NULL);
    TirTypeInfo type = {.kind = TIR_TYPE_function, .parameter_count = lab.parameter_count, .parameters = parameters};
    TirFunction *function = tir_function_add(lab.module, "kernel", tir_type_intern(lab.module, &type), true);
    lab.block = function->body.first;
    return lab;
}

void lab_close(Lab *lab) {
    compiled_module_close(lab->compiler, lab->compiled);
    compiler_close(lab->compiler);
    tir_module_close(lab->module);
    diagnostics_close(&lab->diagnostics);
    rt_shadow_close(&lab->device.shadow);
    munmap(lab->memory, MEMORY_BYTES);
}

bool lab_compile(Lab *lab, CompileNumeric numeric, FpsanCasts casts, const char *cpu) {
    CompileOptions options = {.numeric = numeric,
                              .chain = lab->chain,
                              .cpu = cpu,
                              .optimize = lab->optimize,
                              .by_element = lab->by_element,
                              .apart = lab->apart};
    options.instrumentation.enabled = numeric == COMPILE_PAYLOAD;
    options.instrumentation.algebra = fpsan_default_algebra();
    options.instrumentation.algebra.casts = casts;
    compiled_module_close(lab->compiler, lab->compiled);
    lab->compiled = NULL;
    if (!tir_verify(&lab->diagnostics, lab->module)) return false;
    lab->compiled = compiler_load(lab->compiler, &lab->diagnostics, tir_program(lab->module), &options);
    return lab->compiled;
}

static void note_print(const HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print) {
    Lab *lab = launch->printer;
    (void)x, (void)y, (void)z;
    const HostPrintValue *value = print->values;
    if (!print->value_count) return;
    lab->printed_count = 1;
    lab->printed_kind = value->kind;
    lab->printed_bits = value->bits;
    for (uint32_t d = 0; d < value->rank; d++) lab->printed_count *= (uint64_t)value->shape[d];
    if (lab->printed_count > LAB_PRINTED_MAX) lab->printed_count = LAB_PRINTED_MAX;
    size_t bytes = value->bits < 8 ? 1 : value->bits / 8;
    memset(lab->printed, 0, sizeof lab->printed);
    for (uint64_t i = 0; i < lab->printed_count; i++)
        memcpy(&lab->printed[i], (const uint8_t *)value->elements + i * bytes, bytes);
}

bool lab_run(Lab *lab) {
    const KernelInfo *kernel = &lab->compiled->kernels[lab->entry];
    uint32_t widths[LAB_BUFFERS_MAX] = {0};
    HostLaunch launch = {.arguments = lab->arguments,
                         .argument_ranges = lab->ranges,
                         .buffers = lab->ranges, // begin in order
                         .buffer_count = lab->pointer_count,
                         .print = note_print,
                         .printer = lab,
                         .grid = {1, 1, 1}};
    lab->printed_count = 0;
    for (uint32_t i = 0; kernel->stored_widths && i < lab->pointer_count; i++) { // as rt_launch does
        lab->buffers[i].widths |= kernel->stored_widths[i] | kernel->stored_widths_unknown;
        widths[i] = lab->buffers[i].widths;
        launch.all_widths |= widths[i];
        launch.argument_widths = widths;
        launch.argument_records = lab->argument_records;
        launch.shadow = &lab->device.shadow.abi;
        launch.store_base = lab->store_base;
    }
    void *scratch = aligned_alloc(64, (kernel->scratch_bytes + 127) / 64 * 64);
    cr_assert(scratch);
    memset(scratch, 0xA5, kernel->scratch_bytes); // what a kernel does not write itself is not zero
    lab->fault = (HostFault){0};
    lab->site = kernel->entry(&launch, scratch, 0, 0, 0, &lab->fault);
    free(scratch);
    return lab->site == 0;
}

void *lab_bytes(Lab *lab, uint32_t buffer) {
    return (void *)(uintptr_t)lab->arguments[buffer];
}

void lab_shrink(Lab *lab, uint32_t buffer, uint64_t bytes) {
    lab->ranges[buffer].begin = lab->ranges[buffer].end - bytes;
    lab->arguments[buffer] = lab->ranges[buffer].begin;
}

// ---- building -------------------------------------------------------------------------------------------------------

TirType lab_tile(Lab *lab, TirTypeKind kind, uint32_t rank, const int64_t *shape) {
    return tir_type_tile(lab->module, tir_type_scalar(lab->module, kind), rank, shape);
}

TirType lab_pointer_tile(Lab *lab, TirTypeKind pointee, uint32_t rank, const int64_t *shape) {
    return tir_type_tile(lab->module, pointer_type(lab->module, pointee), rank, shape);
}

TirOp *lab_op(Lab *lab, TirOpKind kind, uint32_t result_count, const TirType *results, uint32_t operand_count,
              const TirValue *operands, const uint32_t *segments) {
    TirOp *op = tir_op_add(lab->block, &(TirNewOp){.kind = kind,
                                                   .operand_count = operand_count,
                                                   .operands = operands,
                                                   .segments = segments,
                                                   .result_count = result_count,
                                                   .results = results});
    op->at = (Location){.file = "lab.py", .line = op->number + 1};
    return op;
}

TirValue lab_value(Lab *lab, TirOpKind kind, TirType result, uint32_t operand_count, const TirValue *operands) {
    return tir_result(lab_op(lab, kind, 1, &result, operand_count, operands, NULL), 0);
}

void lab_set(TirOp *op, const char *name, uint64_t integer) {
    tir_op_set(op, name)->integer = integer;
}

TirValue lab_binary(Lab *lab, TirOpKind kind, TirValue a, TirValue b) {
    return lab_value(lab, kind, tir_value_type(lab->module->functions, a), 2, (TirValue[]){a, b});
}

TirValue lab_less(Lab *lab, TirValue a, TirValue b) {
    int64_t count = tir_tile_elements(lab->module, tir_value_type(lab->module->functions, a));
    TirType type = lab_tile(lab, TIR_TYPE_i1, 1, &count);
    TirOp *op = lab_op(lab, TIR_OP_cmpi, 1, &type, 2, (TirValue[]){a, b}, NULL);
    lab_set(op, "predicate", TIR_predicate_less_than);
    lab_set(op, "signedness", TIR_signedness_unsigned);
    return tir_result(op, 0);
}

TirValue lab_constant(Lab *lab, TirType type, uint64_t bits) {
    TirOp *op = lab_op(lab, TIR_OP_constant, 1, &type, 0, NULL, NULL);
    TirTypeKind kind = tir_tile_element_kind(lab->module, type);
    size_t size = kind == TIR_TYPE_tf32 ? 3 : ((size_t)tir_type_rows[kind].bits + 7) / 8;
    uint8_t *bytes = arena_alloc(&lab->module->arena, 8);
    if (kind == TIR_TYPE_tf32) bits >>= 13;
    if (kind == TIR_TYPE_i1) bits = bits ? 0xFF : 0;
    memcpy(bytes, &bits, size);
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = bytes, .size = size};
    return tir_result(op, 0);
}

TirValue lab_argument(Lab *lab, uint32_t index) {
    return lab->module->functions[0].body.first->first_argument + index;
}

TirValue lab_iota(Lab *lab, int64_t count) {
    return lab_value(lab, TIR_OP_iota, lab_tile(lab, TIR_TYPE_i32, 1, &count), 0, NULL);
}

TirValue lab_scrambled(Lab *lab, int64_t count, uint32_t factor, uint32_t first, uint32_t modulus) {
    TirType type = lab_tile(lab, TIR_TYPE_i32, 1, &count);
    TirValue index = lab_binary(lab, TIR_OP_muli, lab_iota(lab, count), lab_constant(lab, type, factor));
    index = lab_binary(lab, TIR_OP_addi, index, lab_constant(lab, type, first));
    return lab_binary(lab, TIR_OP_andi, index, lab_constant(lab, type, modulus - 1));
}

TirValue lab_pointers(Lab *lab, uint32_t argument, int64_t first, int64_t count) {
    TirTypeKind kind = lab->kinds[argument];
    int64_t one = 1;
    TirValue pointer = lab_argument(lab, argument), index = lab_iota(lab, count);
    TirType integers = lab_tile(lab, TIR_TYPE_i32, 1, &count);
    TirValue start = lab_constant(lab, integers, (uint64_t)first);
    TirOp *sum = lab_op(lab, TIR_OP_addi, 1, &integers, 2, (TirValue[]){index, start}, NULL);
    lab_set(sum, "overflow", TIR_overflow_none);
    pointer = lab_value(lab, TIR_OP_reshape, lab_pointer_tile(lab, kind, 1, &one), 1, &pointer);
    pointer = lab_value(lab, TIR_OP_broadcast, lab_pointer_tile(lab, kind, 1, &count), 1, &pointer);
    return lab_value(lab, TIR_OP_offset, lab_pointer_tile(lab, kind, 1, &count), 2,
                     (TirValue[]){pointer, tir_result(sum, 0)});
}

TirOp *lab_load_op(Lab *lab, TirValue pointers, TirType result, TirValue mask, TirValue padding) {
    TirValue operands[3] = {pointers, mask, padding};
    uint32_t segments[TIR_OPERANDS_MAX] = {1, mask != TIR_NO_VALUE, padding != TIR_NO_VALUE, 0};
    TirTypeInfo token = {.kind = TIR_TYPE_token};
    TirType results[2] = {result, tir_type_intern(lab->module, &token)};
    TirOp *op = lab_op(lab, TIR_OP_load_ptr_tko, 2, results, 1 + segments[1] + segments[2], operands, segments);
    lab_set(op, "ordering", TIR_memory_ordering_weak);
    return op;
}

TirOp *lab_store_op(Lab *lab, TirValue pointers, TirValue value, TirValue mask) {
    TirValue operands[3] = {pointers, value, mask};
    uint32_t segments[TIR_OPERANDS_MAX] = {1, 1, mask != TIR_NO_VALUE, 0};
    TirTypeInfo token = {.kind = TIR_TYPE_token};
    TirType result = tir_type_intern(lab->module, &token);
    TirOp *op = lab_op(lab, TIR_OP_store_ptr_tko, 1, &result, 2 + segments[2], operands, segments);
    lab_set(op, "ordering", TIR_memory_ordering_weak);
    return op;
}

TirValue lab_load(Lab *lab, uint32_t argument, uint32_t rank, const int64_t *shape) {
    int64_t count = 1;
    for (uint32_t d = 0; d < rank; d++) count *= shape[d];
    TirTypeKind kind = lab->kinds[argument];
    TirValue flat = tir_result(lab_load_op(lab, lab_pointers(lab, argument, 0, count), lab_tile(lab, kind, 1, &count),
                                           TIR_NO_VALUE, TIR_NO_VALUE),
                               0);
    return lab_value(lab, TIR_OP_reshape, lab_tile(lab, kind, rank, shape), 1, &flat);
}

void lab_store(Lab *lab, uint32_t argument, TirValue value) {
    TirTypeKind kind = lab->kinds[argument];
    int64_t count = tir_tile_elements(lab->module, tir_value_type(&lab->module->functions[0], value));
    TirValue flat = lab_value(lab, TIR_OP_reshape, lab_tile(lab, kind, 1, &count), 1, &value);
    lab_store_op(lab, lab_pointers(lab, argument, 0, count), flat, TIR_NO_VALUE);
}

void lab_return(Lab *lab) {
    lab_op(lab, TIR_OP_return, 0, NULL, 0, NULL, NULL);
}

// ---- elements -------------------------------------------------------------------------------------------------------

static size_t element_offset(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index) {
    return lab->arguments[buffer] - lab->buffers[buffer].address + index * tir_type_rows[kind].storage_bytes;
}

uint64_t lab_get(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index) {
    uint64_t bits = 0;
    rt_copy_out(&lab->device, NULL, &lab->buffers[buffer], element_offset(lab, buffer, kind, index), &bits,
                tir_type_rows[kind].storage_bytes);
    return bits;
}

void lab_put(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index, uint64_t bits) {
    rt_copy_in(&lab->device, NULL, &lab->buffers[buffer], element_offset(lab, buffer, kind, index), &bits,
               tir_type_rows[kind].storage_bytes);
}

bool lab_record(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index, HostRecord *record) {
    return rt_get_record(&lab->device, &lab->buffers[buffer], element_offset(lab, buffer, kind, index),
                         tir_type_rows[kind].storage_bytes, record);
}

void lab_put_record(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index, TowerPayload payload) {
    HostRecord record = {.state = payload.state};
    memcpy(record.component, payload.component, sizeof payload.component);
    rt_put_record(&lab->device, &lab->buffers[buffer], element_offset(lab, buffer, kind, index),
                  tir_type_rows[kind].storage_bytes, &record);
}

static TowerPayload payload_of(const HostRecord *record) {
    TowerPayload payload = {.state = record->state & ~HOST_RECORD_VALID};
    memcpy(payload.component, record->component, sizeof payload.component);
    return payload;
}

TowerPayload lab_payload(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index) {
    HostRecord record;
    if (lab_record(lab, buffer, kind, index, &record)) return payload_of(&record);
    return tower_embed(tower_chain(lab->chain), lab_format(kind), lab_get(lab, buffer, kind, index));
}

bool lab_same_payload(TowerPayload a, TowerPayload b) {
    return !memcmp(a.component, b.component, sizeof a.component) && !((a.state ^ b.state) & LAB_STATE);
}

// ---- against the reference interpreter ------------------------------------------------------------------------------

static size_t compared_bytes(const Lab *lab, uint32_t buffer) {
    uint64_t size = lab->ranges[buffer].end - lab->arguments[buffer];
    return size < LAB_COMPARED ? size : LAB_COMPARED;
}

static void each_record(Lab *lab, void (*visit)(Lab *, uint64_t address, unsigned bytes, const HostRecord *, void *),
                        void *data) {
    for (uint32_t b = 0; b < lab->pointer_count; b++) {
        const RtBuffer *buffer = &lab->buffers[b];
        for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
            for (size_t at = 0; buffer->widths >> k & 1 && at < compared_bytes(lab, b); at += (size_t)1 << k) {
                HostRecord record;
                size_t offset = lab->arguments[b] - buffer->address + at;
                if (offset % (1u << k) == 0 && offset + (1u << k) <= buffer->size &&
                    rt_get_record(&lab->device, buffer, offset, 1u << k, &record))
                    visit(lab, buffer->address + offset, 1u << k, &record, data);
            }
    }
}

static void note_record(Lab *lab, uint64_t address, unsigned bytes, const HostRecord *record, void *data) {
    (void)lab;
    TowerPayload payload = payload_of(record);
    reference_put_record(data, address, bytes, &payload);
}

typedef struct Expected {
    const LabCheck *check;
    const ReferenceRecords *records;
    size_t found; // of those that the reference has a say in
} Expected;

static void compare_record(Lab *lab, uint64_t address, unsigned bytes, const HostRecord *record, void *data) {
    Expected *all = data;
    const ReferenceRecord *expected = reference_record(all->records, address, bytes);
    if (!expected && reference_is_integer(all->records, address, bytes)) return;
    all->found++;
    TowerPayload found = payload_of(record);
    unsigned long offset = address - (uint64_t)(uintptr_t)lab->memory;
    cr_assert(expected, "buffer %lu has a record of %u bytes at %lu\n%s", offset / LAB_BUFFER_BYTES, bytes,
              offset % LAB_BUFFER_BYTES, all->check->what);
    cr_assert(lab_same_payload(found, expected->payload),
              "buffer %lu, %u bytes at %lu: %x.%x.%x.%x:%x, expected %x.%x.%x.%x:%x\n%s", offset / LAB_BUFFER_BYTES,
              bytes, offset % LAB_BUFFER_BYTES, found.component[0], found.component[1], found.component[2],
              found.component[3], found.state, expected->payload.component[0], expected->payload.component[1],
              expected->payload.component[2], expected->payload.component[3], expected->payload.state,
              all->check->what);
    if (!expected->line) return; // it was there before
    const KernelInfo *kernel = &lab->compiled->kernels[lab->entry];
    uint32_t store = record->store - lab->store_base;
    cr_assert_lt(store, kernel->store_count);
    cr_assert_eq(kernel->stores[store].at.line, expected->line);
}

// Payloads as they are; numbers as f32 or f64, which have all of them.
static void compare_printed(const Lab *lab, const LabCheck *check, const Reference *reference) {
    const ReferenceTile *tile = reference->printed;
    TirType type = tile->type;
    if (!tile->count || tir_type_rows[tir_tile_element_kind(lab->module, type)].class != TIR_CLASS_FLOAT) return;
    FpsanFormat format = lab_format(tir_tile_element_kind(lab->module, type));
    cr_assert_eq(lab->printed_kind, check->numeric == COMPILE_PAYLOAD ? HOST_PRINT_PAYLOAD : HOST_PRINT_FLOAT);
    cr_assert(lab->printed_count == tile->count || tile->count > LAB_PRINTED_MAX, "%s", check->what);
    for (uint64_t i = 0; i < lab->printed_count; i++) {
        uint64_t expected = tile->parts[0][i], found = lab->printed[i];
        if (check->numeric != COMPILE_PAYLOAD) {
            FpsanFormat wide = lab->printed_bits == 64 ? FPSAN_F64 : FPSAN_F32;
            double x = fpsan_decode(format, expected), y = fpsan_decode(wide, found);
            cr_assert(x == y || (x != x && y != y), "%g is printed, expected %g\n%s", y, x, check->what);
        } else {
            cr_assert_eq(found, expected, "%lx is printed, expected %lx\n%s", found, expected, check->what);
        }
    }
}

static void run_reference(Lab *lab, const LabCheck *check, ReferenceRecords *records) {
    Arena arena = {0};
    Reference reference = {.module = lab->module,
                           .entry = lab->entry,
                           .numeric = check->numeric,
                           .fused = true,
                           .algebra = fpsan_default_algebra(),
                           .chain = lab->chain,
                           .arguments = lab->arguments,
                           .argument_records = lab->argument_records,
                           .records = records,
                           .buffers = lab->ranges,
                           .buffer_count = lab->pointer_count,
                           .grid = {1, 1, 1},
                           .real_op = check->real_op,
                           .real_results = check->real_results,
                           .arena = &arena};
    reference.algebra.casts = check->casts;
#if defined(__x86_64__)
    reference.fused = __builtin_cpu_supports("fma");
#endif
    ReferenceTile printed = {0};
    reference.printed = &printed;
    const char *problem = reference_run(&reference);
    cr_assert(!problem, "%s\n%s", problem, check->what);
    compare_printed(lab, check, &reference);
    arena_reset(&arena);
}

// Real numbers that are not numbers have any sign and payload.
static bool is_same(const LabCheck *check, TirTypeKind kind, uint64_t a, uint64_t b) {
    if (a == b) return true;
    if (check->numeric == COMPILE_PAYLOAD || tir_type_rows[kind].class != TIR_CLASS_FLOAT) return false;
    double x = fpsan_decode(lab_format(kind), a), y = fpsan_decode(lab_format(kind), b);
    return x != x && y != y;
}

static void compare_elements(Lab *lab, const LabCheck *check, const uint8_t *found) {
    for (uint32_t b = 0; b < lab->pointer_count; b++) {
        size_t bytes = tir_type_rows[lab->kinds[b]].storage_bytes;
        for (size_t at = 0; at + bytes <= compared_bytes(lab, b); at += bytes) {
            uint64_t x = 0, expected = 0;
            memcpy(&x, found + (size_t)b * LAB_COMPARED + at, bytes);
            memcpy(&expected, (const uint8_t *)lab_bytes(lab, b) + at, bytes);
            cr_assert(is_same(check, lab->kinds[b], x, expected),
                      "buffer %u, element %zu of %s: %llx, expected %llx\n%s", b, at / bytes,
                      tir_type_rows[lab->kinds[b]].name, (unsigned long long)x, (unsigned long long)expected,
                      check->what);
        }
    }
}

void lab_compare(Lab *lab, const LabCheck *check) {
    uint8_t *initial = malloc((size_t)LAB_BUFFERS_MAX * LAB_COMPARED),
            *found = malloc((size_t)LAB_BUFFERS_MAX * LAB_COMPARED);
    ReferenceRecords records = {0};
    cr_assert(initial && found);
    each_record(lab, note_record, &records);
    for (uint32_t b = 0; b < lab->pointer_count; b++)
        memcpy(initial + (size_t)b * LAB_COMPARED, lab_bytes(lab, b), compared_bytes(lab, b));
    cr_assert(lab_run(lab), "the kernel stops at line %u\n%s",
              lab->compiled->kernels[lab->entry].sites[lab->site - 1].at.line, check->what);
    for (uint32_t b = 0; b < lab->pointer_count; b++) {
        memcpy(found + (size_t)b * LAB_COMPARED, lab_bytes(lab, b), compared_bytes(lab, b));
        memcpy(lab_bytes(lab, b), initial + (size_t)b * LAB_COMPARED, compared_bytes(lab, b));
    }
    run_reference(lab, check, &records);
    compare_elements(lab, check, found);
    for (uint32_t b = 0; b < lab->pointer_count; b++)
        memcpy(lab_bytes(lab, b), found + (size_t)b * LAB_COMPARED, compared_bytes(lab, b));
    // The elements agree, so that records are of the bits they were made for.
    size_t expected_count = 0;
    Expected expected = {check, &records, 0};
    each_record(lab, compare_record, &expected);
    for (size_t i = 0; i < records.capacity; i++) expected_count += records.items[i].address && records.items[i].valid;
    cr_assert_eq(expected.found, expected_count, "%zu records, expected %zu\n%s", expected.found, expected_count,
                 check->what);
    reference_records_close(&records);
    free(initial);
    free(found);
}

void lab_check(Lab *lab, CompileNumeric numeric) {
    cr_assert(lab_compile(lab, numeric, FPSAN_CASTS_MIX, NULL), "%s",
              lab->diagnostics.count ? lab->diagnostics.items[0].message : "");
    lab_compare(lab, &(LabCheck){.numeric = numeric, .casts = FPSAN_CASTS_MIX, .what = ""});
}

FpsanFormat lab_format(TirTypeKind kind) {
    const FpsanFormat format = tir_float_format(kind);
    if (format == FPSAN_FORMAT_COUNT) cr_assert_fail("no float kind: %d", (int)kind);
    return format;
}

uint64_t lab_random(uint64_t *state) { // splitmix64
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}
