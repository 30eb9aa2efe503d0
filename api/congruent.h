// SPDX-License-Identifier: Apache-2.0
// congruent as a library: what the program fpdiff does with cases, in the process that calls. The words of a call are
// those of fpdiff's command line (`fpdiff --help`, docs/fpdiff.md), which stay as they are from version to version.
//
//     Congruent *congruent = congruent_open();
//     const char *words[] = {"attention.yaml", "--seed", "7"};
//     CongruentResult *result = congruent_call(congruent, &(CongruentCall){.words = words, .word_count = 3});
//     if (congruent_status(result)) fputs(congruent_text(result, CONGRUENT_OUTPUT), stdout);
//     congruent_result_free(result);
//     congruent_close(congruent);
//
// Compiled kernels and the device are kept from call to call. One thread at a time may use a Congruent and its results;
// several may be open. All texts are UTF-8 and belong to the result. Memory that is full ends the process, with status
// 70, as it ends fpdiff.
#ifndef CONGRUENT_H
#define CONGRUENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CONGRUENT_EXPORT __attribute__((visibility("default")))
#else
#define CONGRUENT_EXPORT
#endif

// The version of this interface. A later one keeps all that is here: structs grow at their end, by fields whose zero
// means what this version does, and callers say how large theirs are. (CongruentContents has no size, and stays.) An
// earlier library takes a larger struct, too, if what it does not know is zero.
#define CONGRUENT_INTERFACE 1

typedef struct Congruent Congruent;
typedef struct CongruentResult CongruentResult;

// CONGRUENT_INTERFACE of the library, and the version of the project, "0.2.0".
CONGRUENT_EXPORT uint32_t congruent_interface(void);
CONGRUENT_EXPORT const char *congruent_version(void);

// Opens nothing yet: the first call that runs kernels does, and says what is missing. NULL: no memory.
CONGRUENT_EXPORT Congruent *congruent_open(void);
// Results stay valid. congruent_close(NULL) is fine.
CONGRUENT_EXPORT void congruent_close(Congruent *congruent);

// What a buffer of the case begins with, in place of its `fill`.
typedef struct CongruentContents {
    const char *buffer; // its name
    const void *bytes;  // `size` of them, row-major, as many as the buffer has
    size_t size;
} CongruentContents;

// Zeros, but for what is said.
typedef struct CongruentCall {
    size_t struct_size;       // sizeof(CongruentCall), or 0: that of interface 1
    const char *const *words; // of the command line, without the name of the program
    size_t word_count;
    const CongruentContents *contents; // for each buffer at most one; the bytes are only read, during the call
    size_t content_count;
    int keeps_arrays; // not 0: results of runs and verdicts of elements are kept (congruent_array)
} CongruentCall;

// Does what `fpdiff WORDS...` does, for the commands that compare (no word), run, show, explain, suggest and merge.
// --timeout is refused, since there is no other process to be stopped, and so is mutate. `run` needs no -o: its results
// are arrays. Files that words name (--json FILE) are written. Nothing is printed: what fpdiff would print is in the
// result. The result is never NULL; the caller frees it. A NULL in place of the Congruent or the call, and a
// struct_size that is none, are errors as wrong words are.
CONGRUENT_EXPORT CongruentResult *congruent_call(Congruent *congruent, const CongruentCall *call);
CONGRUENT_EXPORT void congruent_result_free(CongruentResult *result); // NULL is fine

// The exit status of fpdiff: 0 all as expected; 1 a divergence, or a case that could not have failed; 2 wrong usage or
// case file; 3 something could not be compiled or run.
CONGRUENT_EXPORT int congruent_status(const CongruentResult *result);

// Texts of a result.
typedef enum CongruentText {
    CONGRUENT_OUTPUT, // standard output: the report, and what kernels print
    CONGRUENT_ERRORS, // standard error: errors and warnings, each with its place
    CONGRUENT_JSON, // the report as JSON (docs/fpdiff.md); NULL for run, show, suggest and merge, and after wrong usage
    CONGRUENT_HTML, // the same as a page for browsers; and in other formats; NULL likewise
    CONGRUENT_MARKDOWN,
    CONGRUENT_JUNIT,
    CONGRUENT_SARIF
} CongruentText;
// NULL also for a value that this version does not know.
CONGRUENT_EXPORT const char *congruent_text(CongruentResult *result, CongruentText text);

typedef enum CongruentArrayKind {
    CONGRUENT_NUMBERS,  // what a variant left in a compared buffer: elements of its type
    CONGRUENT_VERDICTS, // of a pair in profile tower: for each element a byte, which congruent_verdict_name names
    CONGRUENT_FIELDS // of such a pair: for each element two bytes: how many fields both know, how many of these agree
} CongruentArrayKind;

typedef struct CongruentArray {
    CongruentArrayKind kind;
    uint32_t case_index;   // of the cases that were compared, in order, from 0 on
    const char *variant;   // of a pair the one that is compared with the reference
    const char *reference; // of a pair; else NULL
    const char *mode;      // "fpsan", "ieee", "wide"
    const char *build;     // the math mode or build ("ieee", "fast"); of a pair, of its variant
    const char *buffer;
    const char *type; // of its elements, as case files call it ("bf16"); of bytes "i8"
    uint32_t rank;    // with the two bytes of CONGRUENT_FIELDS as last dimension
    const int64_t *shape;
    const void *bytes; // row-major; i1: one byte for each, 0 or 1; f4e2m1fn: two in a byte, the first in the low half
    size_t size;
} CongruentArray;

// What a call with keeps_arrays kept.
CONGRUENT_EXPORT size_t congruent_array_count(const CongruentResult *result);
// Fills in *array, of which `struct_size` bytes are there. 0: there is no array of that index.
CONGRUENT_EXPORT int congruent_array(const CongruentResult *result, size_t index, CongruentArray *array,
                                     size_t struct_size);
// "equal", "tie", "differ", ... (docs/fpdiff.md); NULL: there is no such verdict. The text stays.
CONGRUENT_EXPORT const char *congruent_verdict_name(unsigned verdict);

#ifdef __cplusplus
}
#endif

#endif
