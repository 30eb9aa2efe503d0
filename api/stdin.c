// SPDX-License-Identifier: Apache-2.0
// Of builds with CONGRUENT_STATIC=ON. Debian's libjansson.a is compiled for programs: it looks at `stdin` in a way that
// shared libraries cannot. It only compares a file with it, to name it in an error, and we give it no files.
#include <stdio.h>

FILE *stdin; // of this library only
