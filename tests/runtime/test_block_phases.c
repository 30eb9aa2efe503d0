// SPDX-License-Identifier: Apache-2.0
// Waits for phases of mbarriers that others may overtake, and mbarriers that are used before they are made or after
// they have ended: found in whatever order parts and operations happen to run. And those that are right, although they
// do not look like it.
#include "tests/runtime/block_lab.h"

#include <criterion/criterion.h>

typedef struct Row {
    HostEntry *first, *second;
    RtFindingKind kind;
    uint32_t at, other; // places; 0: nothing is found
    bool hangs;         // in one of the two ways at least
    const char *text;
} Row;

LAB_ENTRY(forks_two) {
    LAB_UNUSED();
    lab_begin(launch, 1);
    DO(INIT, AT_INIT, EMPTY, 1);
    DO(INIT, AT_INIT, OTHER, 2);
    DO(FORK, AT_FORK, FIRST_PART, launch->arguments[0]);
    DO(FORK, AT_FORK, FIRST_PART + 1, launch->arguments[0]);
    DO_NOTHING_WITH(JOIN, AT_JOIN);
    return 0;
}
LAB_ENTRY(nothing) {
    LAB_UNUSED();
    return 0;
}

// ---- wrong ones -----------------------------------------------------------------------------------------------------

LAB_ENTRY(waits_once) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, FULL, 0);
    return 0;
}
LAB_ENTRY(arrives_twice) {
    LAB_UNUSED();
    DO(ARRIVE, AT_OTHER, FULL, 1);
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    return 0;
}
LAB_ENTRY(asks_for_the_phase_before) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, FULL, 1);
    return 0;
}
LAB_ENTRY(commits_twice) {
    LAB_UNUSED();
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_OTHER, FULL);
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_COMMIT, FULL);
    DO(WAIT, AT_WAIT, FULL, 0);
    DO(WAIT, AT_WAIT_DONE, FULL, 1);
    return 0;
}
// The other part waits for the same loads, and nobody is told when it has.
LAB_ENTRY(loads_twice) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < 2; i++) {
        DO(EXPECT, AT_EXPECT, FULL, TILE);
        LOAD(FULL, A, launch->arguments[0], 0);
        DO(WAIT, AT_WAIT_EMPTY, FULL, i);
    }
    return 0;
}

// ---- right ones -----------------------------------------------------------------------------------------------------

// What the second commit says is known to be behind the first one.
LAB_ENTRY(leaves_commits_out) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < 5; i++) {
        PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
        DO(COMMIT, AT_COMMIT, FULL);
        PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
        DO(COMMIT, AT_COMMIT, EMPTY);
        DO(WAIT, AT_WAIT, EMPTY, i & 1);
    }
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_COMMIT, FULL);
    DO(WAIT, AT_WAIT, FULL, 1);
    return 0;
}
// Nobody else arrives.
LAB_ENTRY(knows_its_arrivals) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < 7; i++) DO(ARRIVE, AT_ARRIVE, FULL, 1);
    DO(WAIT, AT_WAIT, FULL, 0);
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    DO(INIT, AT_INIT, FULL, 1);
    DO(WAIT, AT_WAIT, FULL, 1);
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    DO(WAIT, AT_WAIT, FULL, 0);
    return 0;
}
LAB_ENTRY(hands_over) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < 4; i++) {
        DO(WAIT, AT_WAIT_EMPTY, EMPTY, (i & 1) ^ 1);
        DO(EXPECT, AT_EXPECT, FULL, TILE);
        LOAD(FULL, A, launch->arguments[0], 0);
        DO(WAIT, AT_WAIT, FULL, i & 1);
    }
    return 0;
}
LAB_ENTRY(takes_over) {
    LAB_UNUSED();
    for (uint64_t i = 0; i < 4; i++) {
        DO(WAIT, AT_WAIT, FULL, i & 1);
        lab_read(launch, A);
        DO(ARRIVE, AT_ARRIVE, EMPTY, 1);
    }
    return 0;
}
// Each arrives as one of two, and one of them has the other one's arrival from elsewhere.
LAB_ENTRY(arrives_and_tells) {
    LAB_UNUSED();
    DO(ARRIVE, AT_ARRIVE, OTHER, 1);
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    return 0;
}
LAB_ENTRY(arrives_and_is_told) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, FULL, 0);
    DO(ARRIVE, AT_ARRIVE, OTHER, 1);
    DO(ARRIVE, AT_ARRIVE, OTHER, 2);
    DO(WAIT, AT_WAIT, OTHER, 1);
    return 0;
}

// ---- arrivals in the phase before -----------------------------------------------------------------------------------

// One of the two arrives a second time without a wait: both arrivals may be in the first phase.
LAB_ENTRY(arrives_once) {
    LAB_UNUSED();
    DO(ARRIVE, AT_OTHER, OTHER, 1);
    return 0;
}
LAB_ENTRY(arrives_twice_of_two) {
    LAB_UNUSED();
    DO(ARRIVE, AT_OTHER, OTHER, 1);
    DO(ARRIVE, AT_ARRIVE, OTHER, 1);
    return 0;
}
LAB_ENTRY(waits_between) {
    LAB_UNUSED();
    DO(ARRIVE, AT_OTHER, OTHER, 1);
    DO(WAIT, AT_WAIT, OTHER, 0);
    DO(ARRIVE, AT_ARRIVE, OTHER, 1);
    return 0;
}
// Alone it may arrive in as many phases as it likes.
LAB_ENTRY(arrives_in_two_phases) {
    LAB_UNUSED();
    for (int i = 0; i < 4; i++) DO(ARRIVE, AT_ARRIVE, OTHER, 1);
    return 0;
}
LAB_ENTRY(commits_alone) {
    LAB_UNUSED();
    for (int i = 0; i < 3; i++) {
        PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
        DO(COMMIT, AT_COMMIT, FULL);
    }
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_COMMIT, EMPTY);
    DO(WAIT, AT_WAIT, EMPTY, 0);
    return 0;
}

// ---- lives of mbarriers ---------------------------------------------------------------------------------------------

enum { DONE = 24 };
LAB_ENTRY(makes) {
    LAB_UNUSED();
    DO(INIT, AT_INIT, DONE, 1);
    return 0;
}
LAB_ENTRY(makes_and_tells) {
    LAB_UNUSED();
    DO(INIT, AT_INIT, DONE, 1);
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    return 0;
}
LAB_ENTRY(is_told_and_uses) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT, FULL, 0);
    DO(ARRIVE, AT_ARRIVE, DONE, 1);
    return 0;
}
LAB_ENTRY(uses) {
    LAB_UNUSED();
    DO(ARRIVE, AT_ARRIVE, DONE, 1);
    DO(WAIT, AT_WAIT, DONE, 0);
    return 0;
}
LAB_ENTRY(arrives_and_waits) {
    LAB_UNUSED();
    DO(ARRIVE, AT_ARRIVE, FULL, 1);
    DO(WAIT, AT_WAIT, FULL, 0);
    return 0;
}
LAB_ENTRY(waits_and_ends) {
    LAB_UNUSED();
    DO(WAIT, AT_WAIT_DONE, FULL, 0);
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    return 0;
}
LAB_ENTRY(commits_and_ends) {
    LAB_UNUSED();
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_COMMIT, FULL);
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    return 0;
}
LAB_ENTRY(loads_and_ends) {
    LAB_UNUSED();
    DO(EXPECT, AT_EXPECT, FULL, TILE);
    LOAD(FULL, A, launch->arguments[0], 0);
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    return 0;
}
LAB_ENTRY(waits_for_a_later_commit) {
    LAB_UNUSED();
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_COMMIT, FULL);
    PRODUCT(BLOCK_TENSOR_CORE, T, A, B, 0);
    DO(COMMIT, AT_COMMIT, EMPTY);
    DO(WAIT, AT_WAIT, EMPTY, 0);
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    DO(INVALIDATE, AT_INVALIDATE, EMPTY);
    return 0;
}
LAB_ENTRY(ends) {
    LAB_UNUSED();
    DO(INVALIDATE, AT_INVALIDATE, FULL);
    return 0;
}
LAB_ENTRY(makes_again) {
    LAB_UNUSED();
    DO(INIT, AT_INIT, FULL, 1);
    return 0;
}

static const Row rows[] = {
    {waits_once, arrives_twice, RT_FINDING_OVERTAKEN, AT_WAIT, AT_ARRIVE, false,
     "wait (k.py:5) in partition 0 waits for phase 0 of the mbarrier that init (k.py:2) has made, and nothing orders "
     "it "
     "before arrive (k.py:8), which ends phase 1: if that comes first, the wait is for phase 2"},
    {arrives_twice, waits_once, RT_FINDING_OVERTAKEN, AT_WAIT, AT_ARRIVE, true,
     "wait (k.py:5) in partition 1 waits for phase 0"},
    {asks_for_the_phase_before, arrives_twice, RT_FINDING_OVERTAKEN, AT_WAIT, AT_OTHER, false,
     "wait (k.py:5) in partition 0 asks for the phase before the first of the mbarrier that init (k.py:2) has made, "
     "and nothing orders it before other (k.py:20), which ends phase 0: if that comes first, the wait is for phase 1"},
    {arrives_twice, asks_for_the_phase_before, RT_FINDING_OVERTAKEN, AT_WAIT, AT_OTHER, false,
     "asks for the phase before the first"},
    {commits_twice, nothing, RT_FINDING_OVERTAKEN, AT_WAIT, AT_COMMIT, true,
     "before commit (k.py:15), which ends phase 1"},
    {loads_twice, waits_once, RT_FINDING_OVERTAKEN, AT_WAIT, AT_LOAD, true,
     "before tma_load (k.py:4), which ends phase 1"},
    {waits_once, loads_twice, RT_FINDING_OVERTAKEN, AT_WAIT, AT_LOAD, false,
     "before tma_load (k.py:4), which ends phase 1"},
    {leaves_commits_out, nothing, RT_FINDING_KINDS, 0, 0, false, NULL},
    {knows_its_arrivals, nothing, RT_FINDING_KINDS, 0, 0, false, NULL},
    {hands_over, takes_over, RT_FINDING_KINDS, 0, 0, false, NULL},
    {takes_over, hands_over, RT_FINDING_KINDS, 0, 0, false, NULL},
    {arrives_and_tells, arrives_and_is_told, RT_FINDING_KINDS, 0, 0, false, NULL},
    {arrives_and_is_told, arrives_and_tells, RT_FINDING_KINDS, 0, 0, false, NULL},
    {arrives_once, arrives_twice_of_two, RT_FINDING_EARLY, AT_ARRIVE, AT_OTHER, false,
     "arrive (k.py:8) of partition 1 arrives in phase 1 of the mbarrier that init (k.py:2) has made, and nothing "
     "orders "
     "it behind other (k.py:20), which ends phase 0: if that comes later, it arrives in that phase"},
    {waits_between, arrives_once, RT_FINDING_KINDS, 0, 0, false, NULL},
    {arrives_once, waits_between, RT_FINDING_KINDS, 0, 0, false, NULL},
    {arrives_in_two_phases, nothing, RT_FINDING_KINDS, 0, 0, false, NULL},
    {commits_alone, nothing, RT_FINDING_KINDS, 0, 0, false, NULL},
    {makes, uses, RT_FINDING_RACE, AT_ARRIVE, AT_INIT, false,
     "arrive (k.py:8) in partition 1 uses an mbarrier that init (k.py:2) in partition 0 makes, and nothing orders"},
    {makes_and_tells, is_told_and_uses, RT_FINDING_KINDS, 0, 0, false, NULL},
    {arrives_and_waits, waits_and_ends, RT_FINDING_RACE, AT_INVALIDATE, AT_WAIT, false,
     "inval (k.py:18) in partition 1 ends an mbarrier that wait (k.py:5) in partition 0 uses, and nothing orders"},
    {commits_and_ends, nothing, RT_FINDING_ENDED_EARLY, AT_INVALIDATE, AT_COMMIT, false,
     "inval (k.py:18) ends an mbarrier where commit (k.py:15) is still to arrive: nothing that partition 0 has waited "
     "for says that it has"},
    {loads_and_ends, nothing, RT_FINDING_ENDED_EARLY, AT_INVALIDATE, AT_LOAD, false, "tma_load (k.py:4) is still to"},
    {waits_for_a_later_commit, nothing, RT_FINDING_KINDS, 0, 0, false, NULL},
    {ends, makes_again, RT_FINDING_RACE, AT_INIT, AT_INVALIDATE, false,
     "init (k.py:2) in partition 1 makes an mbarrier that inval (k.py:18) in partition 0 ends, and nothing orders"},
};

static const RtFinding *find_kind(const BlockLab *lab, RtFindingKind kind) {
    for (uint32_t i = 0; i < lab->findings.count; i++)
        if (lab->findings.items[i].kind == kind) return &lab->findings.items[i];
    return NULL;
}

// Right ones only read what nothing has written.
static bool is_silent(const BlockLab *lab) {
    for (uint32_t i = 0; i < lab->findings.count; i++)
        if (lab->findings.items[i].kind != RT_FINDING_UNWRITTEN) return false;
    return true;
}

Test(block_phases, in_whatever_order_parts_run) {
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        const Row *row = &rows[i];
        for (unsigned early = 0; early < 2; early++) {
            BlockLab lab;
            block_lab_open(&lab, 1, false, forks_two, row->first, row->second);
            lab.early = early;
            cr_expect(block_lab_run(&lab) || row->hangs, "row %zu: %s", i, lab.text);
            const RtFinding *found = find_kind(&lab, row->kind);
            cr_assert_eq(!found, !row->at, "row %zu, early %u: %s", i, early, lab.text);
            cr_expect(found || is_silent(&lab), "row %zu: %s", i, lab.findings.items[0].message);
            if (found) {
                cr_expect(strstr(found->message, row->text), "row %zu: %s", i, found->message);
                cr_expect_eq(found->at.line, row->at, "row %zu: %s", i, found->message);
                cr_expect_eq(found->other.line, row->other, "row %zu: %s", i, found->message);
            }
            block_lab_close(&lab);
        }
    }
}
