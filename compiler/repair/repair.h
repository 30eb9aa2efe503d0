// SPDX-License-Identifier: Apache-2.0
// Where is the bug? Two lists of launches, of which the second leaves other results than the first. Both run in real
// numbers (real.h); then single edits of the second are tried, each in microseconds to milliseconds, until they make
// all results equal. What is found is a hypothesis: whoever claims it runs the edited program.
#ifndef CONGRUENT_REPAIR_H
#define CONGRUENT_REPAIR_H

#include "compiler/repair/real.h"

typedef struct RepairBuffer {
    ElementType type;
    uint64_t elements;
    uint32_t rank;
    const int64_t *shape;
    const uint8_t *bytes; // what it begins with; NULL: nobody knows
    bool compared;
} RepairBuffer;
typedef struct RepairLaunch {
    const Program *program;
    uint32_t kernel; // of the program
    uint32_t grid[3];
    uint32_t argument_count;
    const RealArgument *arguments; // for each parameter
} RepairLaunch;
typedef struct RepairVariant {
    uint32_t launch_count;
    const RepairLaunch *launches;
} RepairVariant;

typedef enum RepairEditKind {
#define EDIT(name, ...) REPAIR_##name,
#include "compiler/repair/edits.def"
#undef EDIT
    REPAIR_EDIT_COUNT
} RepairEditKind;

// A single edit of the second variant.
typedef struct RepairEdit {
    RepairEditKind kind;
    uint32_t launch;  // of the variant
    uint32_t op;      // its number in the function (TirOp.number)
    uint32_t operand; // of the op; of edits of a launch: the parameter, or the dimension of the grid
    TirValue value;   // that is used, or inserted
    TirValue second;  // of rescale: what is taken off `value`; of add_product the other factor; of product, in place of
                      // an operand: a value from outside of the loop whose body begins with the op; or TIR_NO_VALUE
    TirOpKind with;   // the op that is inserted, or that the op becomes
    bool reversed;    // of inserted ops of two operands: `value` comes first; of masks: where they are true
    uint32_t dimension; // in which a value of rank 1 lies
    double number;      // a float that is inserted, or that a constant becomes
    uint64_t bits;      // an attribute's value, an integer, or an argument's bits
    Location at;        // the line that the edit is in; of edits of a launch nowhere
} RepairEdit;

// How an op's values are found among those of the first variant.
typedef struct RepairTap {
    uint32_t launch, op;
    bool constant;
    const char *name; // mnemonic, or what the kernel's language calls the op
    Location at;
    uint64_t count, found; // elements; how many also occur in the first variant
} RepairTap;

// Elements of a buffer: those whose index in a dimension is first <= i < end.
typedef struct RepairPart {
    uint32_t buffer, dimension;
    int64_t first, end;
    uint64_t alike; // wrong elements that the first variant leaves where the part is zero
} RepairPart;

typedef struct Repair Repair;
typedef struct RepairOptions {
    double seconds; // of processor time for the search
    uint32_t most;  // stop when edits of so many lines were found
} RepairOptions;

// Runs both variants. NULL if they cannot be run so; *problem says why. The programs must stay open.
Repair *repair_open(Arena *arena, uint32_t buffer_count, const RepairBuffer *buffers, const RepairVariant variants[2],
                    const char **problem);
void repair_close(Repair *repair);
// Elements of compared buffers that are others than those of the first variant, as real numbers.
uint64_t repair_wrong_count(const Repair *repair);
// Ops of the second variant, in the order of launches and of the code.
const RepairTap *repair_taps(const Repair *repair, uint32_t *count);
// Tries edits. Those that make all results equal, the likeliest first.
const RepairEdit *repair_search(Repair *repair, const RepairOptions *options, uint32_t *count);
uint64_t repair_trial_count(const Repair *repair);
uint64_t repair_listed_count(const Repair *repair); // edits that there are
// ---- repair_partial.c

// Parts of inputs that are not in what the second variant sums up, as it seems in real numbers: where they are zero the
// first variant leaves at least a quarter of the wrong elements of the second. Those of most elements come first.
// `seconds`: of processor time.
const RepairPart *repair_missing_parts(Repair *repair, double seconds, uint32_t *count);
bool repair_in_part(const RepairBuffer *buffer, const RepairPart *part, uint64_t index);

// ---- what edits are

// The program of the launch with the edit, checked; the caller closes it. NULL: the verifier refuses it, or the edit is
// of a launch.
const Program *repair_program(const Repair *repair, const RepairEdit *edit);
bool repair_is_of_launch(const RepairEdit *edit);
// The edit in words: "the sum is to be multiplied by the result of exp2 in line 156".
const char *repair_words(Arena *arena, const Repair *repair, const RepairEdit *edit);

#endif
