// SPDX-License-Identifier: Apache-2.0
// Code for this process as bytes, and kernels loaded from them.
#ifndef CONGRUENT_CODE_IMAGE_H
#define CONGRUENT_CODE_IMAGE_H

#include "compiler/compiler.h"

// What the functions of an object are, and who calls them: blocks of tiles, the host; warps of PTX, the emulator of
// warps; threads of GPUs, the emulator of GPUs.
typedef enum CodeForm { CODE_OF_BLOCKS, CODE_OF_WARPS, CODE_OF_THREADS, CODE_FORM_COUNT } CodeForm;

// Appends the image of an object file and of its kernels, for this build of the program on this machine.
void code_image_write(CodeForm form, const Buffer *object, const KernelImage *kernels, Buffer *out);
// The kernels of an image, ready to be launched. NULL and E_LLVM if a symbol is missing, E_BACKEND if the image is
// damaged. code_unload closes the module; NULL is fine.
CompiledModule *code_image_load(Diagnostics *diagnostics, const uint8_t *bytes, size_t size);
// A module of kernels whose code is a cubin, whose bytes are copied.
CompiledModule *code_load_cubin(const Buffer *cubin, const KernelImage *kernels);
void code_unload(CompiledModule *module);

#endif
