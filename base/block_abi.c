// SPDX-License-Identifier: Apache-2.0
#include "base/block_abi.h"

const BlockOperationRow block_operation_rows[BLOCK_OPERATIONS] = {
#define BLOCK_OPERATION(id, name, least, most, operands) {name, least, most},
#include "base/block_operations.def"
#undef BLOCK_OPERATION
};
