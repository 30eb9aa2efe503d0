// SPDX-License-Identifier: Apache-2.0
// The emitters that lowering.def names.
#ifndef CONGRUENT_LANE_EMITTERS_H
#define CONGRUENT_LANE_EMITTERS_H

#include "compiler/warp/lanes.h"

#define LOWERING(id, emitter, ...) LaneEmitter emitter;
#define NO_LOWERING(id, reason)
#define NO_EFFECT(id)
#include "compiler/warp/lowering.def"
#undef LOWERING
#undef NO_LOWERING
#undef NO_EFFECT

#endif
