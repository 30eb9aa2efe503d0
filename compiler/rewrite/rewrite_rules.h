// SPDX-License-Identifier: Apache-2.0
// The rewrites of numeric modes (docs/numeric-modes.md, "Rewrites"): their table, and the one way to make ops while a
// module is rewritten.
//
// A Rewriter is open on one function while a pass changes it. Values that a pass replaces are not changed in the ops
// that use them until rewriter_close: rewriter_value says what stands for a value now.
#ifndef CONGRUENT_REWRITE_RULES_H
#define CONGRUENT_REWRITE_RULES_H

#include "compiler/rewrite/rewrite_internal.h"

// ---- tree.c: ops made during rewrites -------------------------------------------------------------------------------

// What is known of a value while its function is rewritten.
typedef struct RewriterValue {
    uint32_t uses;       // operands that are this value, or one that it replaced
    TirValue stands;     // what stands for it: itself, or the value it was replaced by
    TirValue reciprocal; // 1 / it, as the rewrites made it, or TIR_NO_VALUE
    uint32_t sweep;      // Pass.sweep in which they did
    uint32_t divisions;  // ops divf by it when the pass began
    // What the op that makes it may have at most: the flags that all its sources had, and at least: the least of their
    // bounds. The byte of the op itself plays no part in it, so that rewriter_check can compare the two.
    uint8_t flags;
    MathBound max_error;
} RewriterValue;

typedef struct Rewriter {
    TirFunction *function;
    Arena *arena;
    RewriterValue *values; // as many as the function has
    size_t count, capacity;
} Rewriter;

// What the ops of the tree that a rewrite replaces come to.
typedef struct RewriteSources {
    const TirOp *root;   // whose result is replaced
    uint8_t flags;       // that all have
    uint8_t mode;        // MathMode: of an op whose mode permits least
    uint8_t keys;        // that are cleared for all
    MathBound max_error; // the smallest
    RewriterValue known; // the same from what is known of their values
    bool flushes;        // one of them does
    bool same_words;     // all are of the root's kind and say the same rounding
} RewriteSources;

// Opens a function for one pass. What the rewriter needs is in the arena; nothing has to be freed.
Rewriter rewriter_open(Arena *arena, TirFunction *function);
// Ends the pass: ops get the values that stand for their operands.
void rewriter_close(Rewriter *r);
// What stands for the value now; for an operand of an op; the op that makes it (NULL: a block argument).
TirValue rewriter_value(Rewriter *r, TirValue value);
TirValue rewriter_operand(Rewriter *r, const TirOp *op, uint32_t index);
TirOp *rewriter_definition(Rewriter *r, TirValue value);
uint32_t rewriter_uses(Rewriter *r, TirValue value);

// Describes these ops, at least one; the first is the root.
RewriteSources rewriter_sources(Rewriter *r, TirOp *const *ops, size_t count);
// Makes an op before `next`, which is in a block. Its licences (flags, mode, cleared keys) are those that all sources
// have, its bound is the smallest of theirs; flushing, the rounding (to nearest, if the op cannot round as the root
// does) and place are the root's. Nothing else may write the flags of ops after they were decided.
TirOp *tir_rewrite(Rewriter *r, TirOp *next, const TirNewOp *added, const RewriteSources *sources);
// Gives an op that was made before the further sources of an equal op: what it has shrinks as if they had been among
// its sources from the start.
void rewriter_merge(Rewriter *r, TirOp *op, const RewriteSources *sources);
// Makes a constant before `next`, all of whose elements have these bits, at the place of `root`; a copy of an op that
// only changes shapes, with another operand.
TirOp *rewriter_constant(Rewriter *r, TirOp *next, TirType type, uint64_t bits, const TirOp *root);
TirOp *rewriter_reshape(Rewriter *r, TirOp *next, const TirOp *like, TirValue operand, const TirOp *root);
// From now on `by` stands for the result of the op, which is removed, and with it the ops that nobody uses any more.
void rewriter_replace(Rewriter *r, TirOp *op, TirValue by);
// Whether no op has a flag that one of its sources lacked, or has lost a bound. If not, the text says so, in the
// rewriter's arena: "a pass added fastmath<afn> to 'mulf'". To be called behind rewriter_close.
const char *rewriter_check(Rewriter *r);

// How the op rounds. approx and full count as nearest_even, and so do ops that say nothing.
uint64_t rewrite_rounding(const TirOp *op);

// ---- rules.c: the table of rewrites ---------------------------------------------------------------------------------

typedef enum RewriteRuleId {
#define RULE(id, ...) REWRITE_##id,
#include "compiler/rewrite/rules.def"
#undef RULE
    REWRITE_RULE_COUNT
} RewriteRuleId;

typedef enum RewriteStep { // the passes, in order
    REWRITE_VALUES,        // V, E
    REWRITE_FUNCTIONS,     // A, F
    REWRITE_SUMS,          // S
    REWRITE_CONTRACTIONS,  // C: last, since the others make products
    REWRITE_STEP_COUNT
} RewriteStep;

// The columns of rules.def.
typedef struct RewriteRule {
    const char *name, *row; // row: of the table in docs/numeric-modes.md
    RewriteStep step;
    const char *from, *to;
    uint8_t flags;          // every op of the tree has all of these
    uint8_t either;         // and one of these; 0: no more
    bool at_root;           // only the root needs the flags
    bool directed;          // also in directed roundings
    bool flushing;          // also where the ops flush
    bool bounded;           // also where an op has a bound
    bool in_ring, in_tower; // payloads of triton-3.9, of the tower stay
} RewriteRule;
extern const RewriteRule rewrite_rules[REWRITE_RULE_COUNT];

// The formulas of rules.def as trees.
typedef enum RewriteNodeForm {
    REWRITE_LEAF,       // a letter: any value; k, m: a constant; p: a power of two
    REWRITE_NUMBER,     // a constant with this number
    REWRITE_TRUE,       // of i1
    REWRITE_OP,         // an op on the operands
    REWRITE_RECIPROCAL, // 1 / operand, computed once, outside of loops and before broadcasts
} RewriteNodeForm;
typedef struct RewriteNode {
    RewriteNodeForm form;
    char letter;
    double number;
    TirOpKind op;
    int predicate;                      // of cmpf, which is ordered; -1: another op
    bool propagate_nan;                 // of maxf
    bool below_zero;                    // of absf: TirMath.below_zero
    uint8_t operand_count, operands[3]; // numbers of nodes
} RewriteNode;
enum { REWRITE_NODES_MAX = 12 };
typedef struct RewriteFormula {
    RewriteNode nodes[REWRITE_NODES_MAX]; // the last one is the root
    unsigned count;
} RewriteFormula;
// The formula of a text of rules.def.
RewriteFormula rewrite_formula(const char *text);

// ---- apply_rules.c --------------------------------------------------------------------------------------------------

// What a module is rewritten for.
typedef struct RewriteProfile {
    RewritePayloads payloads;
} RewriteProfile;

// What was done, in order: a row for each time a rule was applied.
typedef struct RewriteFiring {
    RewriteRuleId rule;
    TirOpKind op; // of the root, which is gone
    Location at;
} RewriteFiring;
typedef struct RewriteFirings {
    RewriteFiring *items; // in the module's arena
    size_t count, capacity;
} RewriteFirings;

// Applies all rules to a copy of a verified module (tir_module_copy) whose flags are decided, and numbers its ops
// again. `firings` (NULL: nobody asks) starts as zeros. False and E_UNSUPPORTED if a flag would grow, which is a
// mistake of ours.
bool rewrite_apply_rules(Diagnostics *diagnostics, TirModule *copy, const RewriteProfile *profile,
                         RewriteFirings *firings);
// Appends a line for each rule that was applied and each kind of op that it was applied to: "rewrite C1 of addf: a*b +
// c becomes fma(a, b, c): 3".
void rewrite_report_firings(const RewriteFirings *firings, Buffer *out);

#endif
