// SPDX-License-Identifier: Apache-2.0
// Numeric modes on Tile IR: what the settings, entries, blocks and ops say becomes what each op may do, and the
// rewrites that this allows are done, before the lowering and alike for all targets. docs/numeric-modes.md has the
// rules and the order of decisions.
//
// The flags of an op (TirMath.flags) are decided once, by decide.c; from then on they only shrink.
#ifndef CONGRUENT_REWRITE_H
#define CONGRUENT_REWRITE_H

#include "compiler/tileir/tir.h"

// What the payloads of the build are in: which rewrites keep them.
typedef enum RewritePayloads {
    REWRITE_ALL,      // none, or the tower's: all rewrites are done
    REWRITE_FOR_RING, // triton-3.9: only those that keep its payloads
} RewritePayloads;

typedef struct RewriteRequest {
    const MathSettings *settings;
    RewritePayloads payloads;
    const char *gpu; // "sm_90"; NULL: a processor
    bool choose;     // choose the implementation of each op; without it the module is as before that
    Buffer *report;  // where each op is listed with what was decided; NULL: nowhere
} RewriteRequest;

// ---- rewrite.c ------------------------------------------------------------------------------------------------------

// Applies the settings to a verified module. *out is a changed copy, which tir_module_close frees before the module
// itself; NULL: the module may be compiled as it is. False and a diagnostic with the op's place: E_UNSUPPORTED if the
// settings contradict each other at an op, or a bound cannot be kept.
bool rewrite_module(Diagnostics *diagnostics, const TirModule *module, const RewriteRequest *request, TirModule **out);

// ---- scopes.c -------------------------------------------------------------------------------------------------------

// Whether the scope is for the op.
bool rewrite_scope_has(const MathScope *scope, const TirOp *op);
// Sets matched[i] of each scope of the settings that is for an op of the module.
void rewrite_match_scopes(const TirModule *module, const MathSettings *settings, bool *matched);
// The first scope that was not matched, as an error with this code: "--math-scope: 'func=det' matches no op". True: all
// were. `debug`: whether a module has debug information, without which no function and line can be found.
bool rewrite_check_scopes(Diagnostics *diagnostics, Location at, ErrorCode code, const MathSettings *settings,
                          const bool *matched, bool debug);
// The names of ops in bounds must be ops that have bounds; E_USAGE (or `code`) if not.
bool rewrite_check_bounds(Diagnostics *diagnostics, Location at, ErrorCode code, const MathSettings *settings);

// ---- decide.c -------------------------------------------------------------------------------------------------------

// Whether the build makes mulf and addf of the entry's fma ops although nobody asked for it: cuTile exported the entry,
// and the mode is strict or precise.
bool rewrite_splits_entry(const TirModule *module, const char *entry, const MathSettings *settings);

// ---- split_products.c: Triton's input precisions --------------------------------------------------------------------

// Whether some product is split. In Triton's ring the parts are what they are there; everywhere else the product is
// one.
bool rewrite_has_splits(const TirModule *module);
// Puts the products of parts in place of each such product.
void rewrite_split_products(TirModule *module);

#endif
