// SPDX-License-Identifier: Apache-2.0
// Operations of blocks whose parts run concurrently: calls of the runtime (base/block_abi.h).
#include "compiler/lower/emit.h"

bool lower_block_operation(Emit *e, const TirOp *op) {
    (void)op;
    return emit_fail(e, E_UNSUPPORTED, "this operation is not supported yet");
}
