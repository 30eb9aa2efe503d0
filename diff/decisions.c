// SPDX-License-Identifier: Apache-2.0
// What another build decides otherwise. Comparisons, min, max, signs and roundings to integers follow numbers, which
// builds round differently; payloads follow them. So a variant whose payloads differ between two builds runs once more
// in each: in the first build every op that decides logs how, in the other one it decides as the log says. An op takes
// over a decision only where its operands have the payloads that are in the log (the same formula so far) and other
// numbers (so that rounding may be the reason). If then the payloads are those of the first build, nothing but such
// decisions made them differ. And what was taken over is what fell otherwise, with its op and line.
#include "diff/compare.h"

#include <string.h>

// A decision in the log: HostDecider's inputs and outcome.
typedef struct Decision {
    uint64_t input, outcome;
} Decision;

enum { DECISIONS_MAX = 1 << 25 }; // in a log; those behind are not taken over

// The n-th decision of an op in one run is compared with the n-th in the other.
typedef struct FpdDecider {
    HostDecider abi; // first: kernels call it
    FpdDecisions *all;
    FpdTurn turn;
    Decision *log;
    size_t logged, capacity;
    size_t next; // to be replayed
} FpdDecider;

static uint32_t payloads_of(uint64_t input) {
    return (uint32_t)input;
}

static void record(FpdDecider *d, uint32_t lanes, const uint64_t *inputs, const uint64_t *outcomes) {
    if (d->all->logged > DECISIONS_MAX - lanes) {
        d->all->logged = DECISIONS_MAX; // later ones would be in the place of these
        return;
    }
    d->all->logged += lanes;
    for (uint32_t i = 0; i < lanes; i++) {
        d->log = arena_grow(&d->all->arena, d->log, d->logged, &d->capacity, sizeof *d->log);
        d->log[d->logged++] = (Decision){inputs[i], outcomes[i]};
    }
}

static void replay(FpdDecider *d, uint32_t lanes, const uint64_t *inputs, uint64_t *outcomes) {
    for (uint32_t i = 0; i < lanes && d->next < d->logged; i++) {
        const Decision was = d->log[d->next++];
        // The same numbers decide alike, unless the compiler changed what decides.
        if (was.outcome == outcomes[i] || payloads_of(was.input) != payloads_of(inputs[i]) || was.input == inputs[i])
            continue;
        outcomes[i] = was.outcome;
        d->turn.count++;
    }
}

static void decide(HostDecider *decider, uint32_t lanes, const uint64_t *inputs, uint64_t *outcomes) {
    FpdDecider *d = (FpdDecider *)decider;
    if (d->all->replays)
        replay(d, lanes, inputs, outcomes);
    else
        record(d, lanes, inputs, outcomes);
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

HostDecider *fpd_decider(FpdDecisions *all, const FpdStore *op) {
    Arena *arena = &all->arena;
    for (size_t i = 0; i < all->count; i++) {
        const FpdStore *known = &all->deciders[i]->turn.op;
        const Location *a = &known->by.at, *b = &op->by.at;
        if (known->launch == op->launch && same_text(known->by.op, op->by.op) && same_text(a->file, b->file) &&
            a->line == b->line && a->column == b->column && a->offset == b->offset)
            return &all->deciders[i]->abi;
    }
    all->deciders = arena_grow(arena, all->deciders, all->count, &all->capacity, sizeof *all->deciders);
    FpdDecider *added = all->deciders[all->count++] = arena_new(arena, FpdDecider);
    *added = (FpdDecider){.abi.decide = decide, .all = all, .turn.op = *op};
    added->turn.op.by.op = arena_keep(arena, op->by.op);
    added->turn.op.by.at = location_keep(arena, op->by.at);
    added->turn.op.by.unspecified = NULL;
    return &added->abi;
}

// The ops that have taken over decisions.
static const FpdTurns *collect(Arena *arena, const FpdDecisions *all, const FpdRun *replayed) {
    FpdTurns *turns = arena_new(arena, FpdTurns);
    FpdTurn *items = arena_array(arena, FpdTurn, all->count + 1);
    *turns = (FpdTurns){.items = items, .replayed = replayed};
    for (size_t i = 0; i < all->count; i++) {
        FpdTurn turn = all->deciders[i]->turn;
        if (!turn.count) continue;
        turn.op.by.op = arena_keep(arena, turn.op.by.op);
        turn.op.by.at = location_keep(arena, turn.op.by.at);
        items[turns->count++] = turn;
    }
    return turns;
}

void fpd_find_turns(const FpdRunner *runner, const FpdRun *left, FpdRun *right) {
    const FpdCase *cas = runner->programs->cas;
    if (!left->tower || fpd_has_races(left) || fpd_has_races(right) || !fpd_may_have_turned(cas, left, right)) return;
    if (fpd_has_findings(left) || fpd_has_findings(right)) return;
    Diagnostics ignored = {0}; // other decisions may lead to other addresses: then nothing is known of them
    FpdRunner again = *runner;
    FpdDecisions all = {0};
    FpdSettings settings = fpd_plain_settings(runner->machine, cas);
    again.diagnostics = &ignored;
    settings.decisions = &all;
    FpdRun *recorded = fpd_plan_again(runner->arena, left, &settings),
           *replayed = fpd_plan_again(runner->arena, right, &settings);
    bool good = fpd_run_again(&again, 1, &recorded);
    all.replays = true;
    good = good && fpd_run_again(&again, 1, &replayed);
    if (good) right->turns = collect(runner->arena, &all, replayed);
    arena_reset(&all.arena);
    diagnostics_close(&ignored);
}
