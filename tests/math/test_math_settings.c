// SPDX-License-Identifier: Apache-2.0
// What is said about the computing of floats: words that are taken and refused, layers, printing.
#include "compiler/math/math_settings.h"

#include <criterion/criterion.h>

typedef struct Said {
    Arena arena;
    Diagnostics diagnostics;
    MathSettings settings;
} Said;

static MathReader reader_of(Said *said) {
    return (MathReader){.diagnostics = &said->diagnostics, .arena = &said->arena, .code = E_USAGE, .from = "here"};
}

// "name=value name ..." on the command line.
static bool say(Said *said, const char *text) {
    const MathReader reader = reader_of(said);
    char copy[512];
    cr_assert(strlen(text) < sizeof copy);
    strcpy(copy, text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        if (value) *value++ = 0;
        if (!math_set(&reader, &said->settings, &said->settings.command, word, value)) return false;
    }
    return true;
}

static void forget(Said *said) {
    arena_reset(&said->arena);
    diagnostics_close(&said->diagnostics);
    *said = (Said){0};
}

// All settings as they print, in the order in which they do. What is printed reads back as itself.
Test(math_settings, print_what_was_said) {
    static const char *const cases[][2] = {
        {"", "math=ieee"},
        {"math", "math=precise"},
        {"math=ieee", "math=ieee"},
        {"strict-math", "math=strict"},
        {"fast", "math=fast"},
        {"fast-math", "math=fast"},
        {"fast=false", "math=ieee"},
        {"fast-math-flags=contract,nsz", "fast-math-flags=nsz,contract"},
        {"fast-math-flags=fast,-contract", "fast-math-flags=fast,-contract"},
        {"fast-math-flags=none,afn", "fast-math-flags=none,afn"},
        {"fast-math-flags=afn fast-math-flags=-arcp", "fast-math-flags=-arcp,afn"},
        {"ftz", "denormal-fp-math=preserve-sign"},
        {"ftz=true", "denormal-fp-math=preserve-sign"},
        {"ftz=false", "denormal-fp-math=ieee"},
        {"denormal-fp-math=positive-zero", "denormal-fp-math=positive-zero"},
        {"fmad prec-div=false", "prec-div=false fmad=true"},
        {"use_fast_math split-fma=0", "split-fma=false use_fast_math=true"},
        {"max-error=2.50", "max-error=2.5"},
        {"max-error=200", "max-error=200"},
        {"max-error=1e20:exp", "max-error=1.0e+20:exp"},
        {"max-error=0.51:sin,cos max-error=3", "max-error=3 max-error=0.51:sin max-error=0.51:cos"},
        {"reflect=__CUDA_PREC_SQRT=0", "reflect=__CUDA_PREC_SQRT=0"},
        {"math-scope=entry=k&op=sin:strict,+afn,max-error=2", "math-scope=entry=k&op=sin:strict,+afn,max-error=2"},
        {"math-scope=line=a:b.py:3-7:noftz", "math-scope=line=a:b.py:3-7:noftz"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Said said = {0}, again = {0};
        Buffer text = {0}, second = {0};
        cr_expect(say(&said, cases[i][0]), "refused: %s", cases[i][0]);
        math_print_settings(&said.settings, &text);
        cr_expect_str_eq(text.data, cases[i][1]);
        cr_expect(say(&again, text.data), "refused: %s", text.data);
        math_print_settings(&again.settings, &second);
        cr_expect_str_eq(second.data, text.data);
        cr_expect_eq(math_is_ieee(&said.settings), !strcmp(cases[i][1], "math=ieee"), "%s", cases[i][0]);
        buffer_free(&text);
        buffer_free(&second);
        forget(&said);
        forget(&again);
    }
}

Test(math_settings, refused) {
    static const char *const cases[][2] = {
        {"math=fats", "'fats' is no mode; expected ieee, strict, precise or fast"},
        {"math=", "'' is no mode"},
        {"maths=fast", "'maths' is no setting; settings are math, strict-math,"},
        {"math=strict fast", "strict and fast contradict each other"},
        {"fast-math-flags=contract,foo",
         "'foo' is no flag; flags are reassoc, nnan, ninf, nsz, arcp, contract and afn"},
        {"fast-math-flags=", "fast-math-flags needs a value"},
        {"fast-math-flags=nsz,", "'' is no flag"},
        {"fast-math-flags=fast,none", "fast and none contradict each other"},
        {"fast-math-flags=nsz fast-math-flags=-nsz", "nsz and -nsz contradict each other"},
        {"ftz denormal-fp-math=ieee", "preserve-sign and ieee contradict each other"},
        {"denormal-fp-math=zero", "expected ieee, preserve-sign or positive-zero"},
        {"ftz=maybe", "'maybe': expected true or false"},
        {"prec-div=2", "'2': expected true or false"},
        {"prec-div=true prec-div=false", "prec-div=true and prec-div=false contradict each other"},
        {"max-error=0.49", "no result is nearer than 0.5"},
        {"max-error=inf", "expected a number of units in the last place"},
        {"max-error=nan", "expected a number"},
        {"max-error=-1", "expected a number"},
        {"max-error=0x1p3", "expected a number"},
        {"max-error=1e999", "expected a number"},
        {"max-error=2 max-error=3", "two bounds for all ops"},
        {"max-error=2:sin max-error=3:sin", "two bounds for 'sin'"},
        {"max-error=2:sin,", "the name of an op is empty"},
        {"reflect=__CUDA_FAST=1", "'__CUDA_FAST' is no key; keys are __CUDA_FTZ, __CUDA_PREC_SQRT, __CUDA_PREC_DIV,"},
        {"reflect=__CUDA_FTZ=2", "__CUDA_FTZ=2: expected 0 or 1"},
        {"reflect=__CUDA_FTZ", "__CUDA_FTZ=: expected 0 or 1"},
        {"reflect=__CUDA_ARCH=900", "nothing else can be said"},
        {"reflect=__CUDA_PREC_SQRT=0 prec-sqrt", "__CUDA_PREC_SQRT is 0 and --prec-sqrt is true"},
        {"prec-div=false reflect=__CUDA_PREC_DIV=1", "__CUDA_PREC_DIV is 1 and --prec-div is false"},
        {"math-scope=op=sin", "expected SELECTOR:SETTINGS"},
        {"math-scope=op:strict", "'op' lacks a name"},
        {"math-scope=what=sin:strict", "expected entry=NAME"},
        {"math-scope=op=:strict", "lacks a name"},
        {"math-scope=op=a&op=b:strict", "'op' is there twice"},
        {"math-scope=line=f.py:9-3:strict", "expected FILE:A-B"},
        {"math-scope=line=f.py:0-3:strict", "expected FILE:A-B"},
        {"math-scope=op=sin:", "there are no settings"},
        {"math-scope=op=sin:strict,quick", "'quick' is no setting of a scope"},
        {"math-scope=op=sin:+afn,strict", "the mode strict stands behind another setting"},
        {"math-scope=op=sin:+what", "'what' is no flag"},
        {"math-scope=op=sin:ftz,noftz", "preserve-sign and ieee contradict each other"},
        {"math-scope=op=sin:max-error=0", "no result is nearer than 0.5"},
        {"math-scope=op=sin:max-error=2,max-error=3", "two bounds for all ops"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Said said = {0};
        cr_expect(!say(&said, cases[i][0]), "accepted: %s", cases[i][0]);
        cr_expect_eq(said.diagnostics.count, 1);
        const char *message = said.diagnostics.count ? said.diagnostics.items[0].message : "";
        cr_expect(strstr(message, cases[i][1]), "%s\n  message  %s\n  expected %s", cases[i][0], message, cases[i][1]);
        forget(&said);
    }
}

static MathState state(const MathSettings *settings, const char *op) {
    return math_state(settings, &(MathOpName){op, op});
}

// Weakest first: the mode, the environment, the bundle, single options.
Test(math_settings, the_strongest_that_says_something_holds) {
    Said said = {0};
    const MathReader reader = reader_of(&said);
    cr_assert(
        math_read_environment(&reader, &said.settings, " math=fast\tftz=false  max-error=4 fast-math-flags=-nsz "));
    MathState s = state(&said.settings, "sin");
    cr_expect_eq(s.mode, MATH_fast);
    cr_expect_eq(s.denormals, MATH_DENORMALS_IEEE);
    cr_expect_eq(s.removed, MATH_FLAG_nsz);
    cr_expect_eq(s.max_error, 4);
    cr_assert(say(&said, "math=strict use_fast_math prec-div fast-math-flags=nsz,-afn max-error=2:sin"));
    s = state(&said.settings, "sin");
    cr_expect_eq(s.mode, MATH_strict);
    cr_expect_eq(s.denormals, MATH_DENORMALS_PRESERVE_SIGN, "the bundle is of the command line");
    cr_expect(s.prec_div == MATH_ON && s.prec_sqrt == MATH_OFF && s.fmad == MATH_ON && s.fast_functions);
    cr_expect_eq(s.added, MATH_FLAG_nsz);
    cr_expect_eq(s.removed, MATH_FLAG_afn);
    cr_expect_eq(s.max_error, 2);
    cr_expect_eq(state(&said.settings, "cos").max_error, 4);
    cr_expect(math_key(&s, MATH_KEY_PREC_DIV) && !math_key(&s, MATH_KEY_PREC_SQRT) && math_key(&s, MATH_KEY_PREC_LOG));
    cr_assert(say(&said, "reflect=__CUDA_PREC_LOG=0"));
    s = state(&said.settings, "sin");
    cr_expect(!math_key(&s, MATH_KEY_PREC_LOG));
    forget(&said);
}

// The command line wins over a key of the environment, however it says it.
Test(math_settings, options_win_over_keys_of_the_environment) {
    static const struct {
        const char *environment, *command;
        bool precise;
    } cases[] = {
        {"reflect=__CUDA_PREC_SQRT=0", "ftz", false},
        {"reflect=__CUDA_PREC_SQRT=0", "prec-sqrt", true},
        {"reflect=__CUDA_PREC_SQRT=1", "prec-sqrt=false", false},
        {"reflect=__CUDA_PREC_SQRT=1", "use_fast_math", false},
        {"reflect=__CUDA_PREC_SQRT=0", "reflect=__CUDA_PREC_SQRT=1", true},
        {"prec-sqrt=false", "reflect=__CUDA_PREC_SQRT=1", true},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Said said = {0};
        const MathReader reader = reader_of(&said);
        cr_assert(math_read_environment(&reader, &said.settings, cases[i].environment));
        cr_assert(say(&said, cases[i].command));
        const MathState s = state(&said.settings, "sqrt");
        cr_expect_eq(math_key(&s, MATH_KEY_PREC_SQRT), cases[i].precise, "%s, %s", cases[i].environment,
                     cases[i].command);
        forget(&said);
    }
}

// A layer that names a mode begins anew with it, but for bounds and keys of --reflect.
Test(math_settings, a_mode_of_a_scope_begins_anew) {
    Said said = {0};
    const MathReader reader = reader_of(&said);
    MathLayer strict = {0}, flag = {0};
    const char *text = "strict,+contract";
    cr_assert(say(&said, "fast fmad prec-div=false max-error=3 reflect=__CUDA_PREC_SQRT=0"));
    MathState s = state(&said.settings, "sin");
    cr_assert(math_read_layer(&reader, text, strlen(text), &strict));
    cr_assert(math_read_layer(&reader, "-afn,noftz", 10, &flag));
    math_apply(&s, &flag, &(MathOpName){"sin", "sin"});
    cr_expect_eq(s.mode, MATH_fast);
    cr_expect_eq(s.removed, MATH_FLAG_afn);
    cr_expect_eq(s.denormals, MATH_DENORMALS_IEEE);
    math_apply(&s, &strict, &(MathOpName){"sin", "sin"});
    cr_expect_eq(s.mode, MATH_strict);
    cr_expect_eq(s.added, MATH_FLAG_contract);
    cr_expect_eq(s.removed, 0);
    cr_expect(!s.fmad && !s.prec_div);
    cr_expect_eq(s.max_error, 3);
    cr_expect(!math_key(&s, MATH_KEY_PREC_SQRT));
    forget(&said);
}

Test(math_settings, a_scope_is_read_whole) {
    Said said = {0};
    cr_assert(say(&said, "math-scope=entry=k&func=det&line=src/a.py:3-7&op=fma:fast,-nsz,split-fma"));
    cr_assert_eq(said.settings.scope_count, 1);
    const MathScope *scope = &said.settings.scopes[0];
    cr_expect_str_eq(scope->selected, "entry=k&func=det&line=src/a.py:3-7&op=fma");
    cr_expect_str_eq(scope->selector.entry, "k");
    cr_expect_str_eq(scope->selector.function, "det");
    cr_expect_str_eq(scope->selector.file, "src/a.py");
    cr_expect_eq(scope->selector.first_line, 3);
    cr_expect_eq(scope->selector.last_line, 7);
    cr_expect_str_eq(scope->selector.op, "fma");
    cr_expect_eq(scope->layer.mode, MATH_fast + 1);
    cr_expect_eq(scope->layer.removed, MATH_FLAG_nsz);
    cr_expect_eq(scope->layer.split_fma, MATH_ON);
    forget(&said);
}
