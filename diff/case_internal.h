// SPDX-License-Identifier: Apache-2.0
// Shared by the files that make an FpdCase of a tree of nodes: keys (keys.def), names, numbers, paths. Functions here
// return false after a diagnostic, as diag_fail does.
#ifndef CONGRUENT_CASE_INTERNAL_H
#define CONGRUENT_CASE_INTERNAL_H

#include "diff/case.h"

// Mappings of a case file that have keys, and what messages call them.
#define KEY_MAPPINGS(MAPPING)                                                                                          \
    MAPPING(CASE, "a case")                                                                                            \
    MAPPING(BUFFER, "a buffer")                                                                                        \
    MAPPING(UNIFORM, "fill uniform")                                                                                   \
    MAPPING(NORMAL, "fill normal")                                                                                     \
    MAPPING(INTEGERS, "fill integers")                                                                                 \
    MAPPING(ADVERSARIAL, "fill adversarial")                                                                           \
    MAPPING(CORRELATED, "fill correlated")                                                                             \
    MAPPING(LOG_UNIFORM, "fill log_uniform")                                                                           \
    MAPPING(OFFSET, "fill offset")                                                                                     \
    MAPPING(NEAR_OVERFLOW, "fill near_overflow")                                                                       \
    MAPPING(BUILD, "a build")                                                                                          \
    MAPPING(SCOPE, "a scope")                                                                                          \
    MAPPING(LAUNCH, "a launch")                                                                                        \
    MAPPING(ARGUMENT, "an argument")                                                                                   \
    MAPPING(VIEW, "a view")                                                                                            \
    MAPPING(MAP, "a map")                                                                                              \
    MAPPING(TOLERANCE, "tolerance")                                                                                    \
    MAPPING(ACCURACY, "accuracy")                                                                                      \
    MAPPING(BOUNDS, "tolerance ieee")
typedef enum KeyMapping {
#define MAPPING(name, text) IN_##name,
    KEY_MAPPINGS(MAPPING)
#undef MAPPING
} KeyMapping;
#define KEY_VALUES(VALUE)                                                                                              \
    VALUE(SCALAR, "a word or number")                                                                                  \
    VALUE(LIST, "a list")                                                                                              \
    VALUE(MAPPING, "a mapping")                                                                                        \
    VALUE(ANY, "a value")
typedef enum KeyValue {
#define VALUE(name, text) VALUE_##name,
    KEY_VALUES(VALUE)
#undef VALUE
} KeyValue;
typedef enum KeyName {
#define KEY(mapping, name, ...) KEY_##mapping##_##name,
#include "diff/keys.def"
#undef KEY
    KEY_COUNT
} KeyName;
typedef const FpdNode *KeyNodes[KEY_COUNT]; // the value of each key, NULL where absent

typedef struct CaseReader {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdCase *cas;
    uint32_t used;             // bit i: an expression has used parameter i
    const FpdNode **addresses; // of each buffer: the list of its fill; NULL: it has none
} CaseReader;

#define case_wrong(r, at, ...) diag_fail((r)->diagnostics, (at), E_CASE, __VA_ARGS__)

// ---- case_keys.c: kinds, keys, names, numbers, paths ----------------------------------------------------------------

// `what` is how messages call the node.
bool case_expect_kind(CaseReader *r, const FpdNode *node, KeyValue kind, const char *what);
// Finds the value of each key of a mapping. Unknown keys, missing keys and values of the wrong kind are errors.
bool case_read_keys(CaseReader *r, const FpdNode *node, KeyMapping mapping, KeyNodes found);
bool case_expect_name(CaseReader *r, const FpdNode *key, const char *what);
bool case_read_real(CaseReader *r, const FpdNode *node, const char *what, double *value);
// Also of an expression.
bool case_read_integer(CaseReader *r, const FpdNode *node, const char *what, int64_t low, int64_t high, int64_t *value);
// The value of an element: a number, or an expression. `text` is the node's, or an end of it.
bool case_read_element(CaseReader *r, const FpdNode *node, const char *what, ElementType type, const char *text,
                       uint64_t *bits);
// The path of a file, relative to the case file's folder; the file must exist.
bool case_read_path(CaseReader *r, const FpdNode *node, const char *what, const char **path);

// ---- case_buffers.c: buffers and their fills ------------------------------------------------------------------------

const char *case_type_names(Arena *arena);
bool case_read_buffers(CaseReader *r, const FpdNode *node);

bool case_find_buffer(const FpdCase *cas, const char *name, size_t length, uint32_t *index);
const char *case_buffer_names(CaseReader *r); // some of them, for messages

// ---- case_parameters.c: parameters, and their combinations ----------------------------------------------------------

// `buffers`: whose names no parameter may have. Fills in what is found of the combination.
bool case_read_parameters(CaseReader *r, const FpdNode *node, const FpdNode *buffers, FpdCombination *combination);
// False and an error if some parameter was used nowhere.
bool case_check_parameters(CaseReader *r);

// ---- case_arguments.c: arguments of launches ------------------------------------------------------------------------

bool case_read_argument(CaseReader *r, const FpdNode *node, FpdArgument *argument);

// ---- case_views.c: views of buffers, lists of arrays ----------------------------------------------------------------

bool case_read_view(CaseReader *r, const FpdNode *node, FpdArgument *argument);
bool case_read_list(CaseReader *r, const FpdNode *node, FpdArgument *argument);
// The items of `fill: {addresses: [...]}`, once all buffers are known.
bool case_read_addresses(CaseReader *r, FpdBuffer *buffer);

// ---- case_maps.c: tensor maps ---------------------------------------------------------------------------------------

bool case_read_map(CaseReader *r, const FpdNode *node, FpdArgument *argument);

// ---- meaning.c: what constants stand for ----------------------------------------------------------------------------

bool case_read_meanings(CaseReader *r, const FpdNode *node); // NULL: none

// ---- builds.c: ways to compile
// ---------------------------------------------------------------------------------------

bool case_read_math(CaseReader *r, const FpdNode *node); // NULL: none
// The launch's own build, after those of the case.
bool case_read_launch_math(CaseReader *r, const FpdNode *node, FpdLaunch *launch);

// ---- profile.c: which profile a case runs in ------------------------------------------------------------------------

bool case_read_profile(CaseReader *r, const KeyNodes keys);

#endif
