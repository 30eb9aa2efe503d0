// SPDX-License-Identifier: Apache-2.0
// A product with an epilogue through CUTLASS's collective builders (warp-specialised, TMA), for sm_90 and sm_100.
// make_cutlass.sh makes PTX of it.
#include <cutlass/cutlass.h>
#include <cute/tensor.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/epilogue/thread/activation.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
using namespace cute;
#ifndef ARCH
#define ARCH Sm90
#endif
#ifdef FP8
using OurOperand = cutlass::float_e4m3_t;
#else
using OurOperand = cutlass::half_t;
#endif
#ifdef HOPPER
using TailSchedule = cutlass::epilogue::TmaWarpSpecializedCooperative;
using BodySchedule = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
#else
using TailSchedule = cutlass::epilogue::collective::EpilogueScheduleAuto;
using BodySchedule = cutlass::gemm::collective::KernelScheduleAuto;
#endif
using OurTile = Shape<_128, _128, _64>;
using OurCluster = Shape<_1, _1, _1>;
using OurThen = cutlass::epilogue::fusion::LinCombEltAct<cutlass::epilogue::thread::SiLu, cutlass::half_t, float>;
using OurTail = typename cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::ARCH, cutlass::arch::OpClassTensorOp, OurTile, OurCluster, cutlass::epilogue::collective::EpilogueTileAuto, float, float,
    cutlass::half_t, cutlass::layout::RowMajor, 8, cutlass::half_t, cutlass::layout::RowMajor, 8, TailSchedule, OurThen>::CollectiveOp;
using OurBody = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::ARCH, cutlass::arch::OpClassTensorOp, OurOperand, cutlass::layout::RowMajor, 16, OurOperand, cutlass::layout::ColumnMajor, 16, float, OurTile, OurCluster,
    cutlass::gemm::collective::StageCountAutoCarveout<(int)sizeof(typename OurTail::SharedStorage)>, BodySchedule>::CollectiveOp;
using OurGemm = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, OurBody, OurTail>;
template __global__ void cutlass::device_kernel<OurGemm>(CUTLASS_GRID_CONSTANT typename OurGemm::Params const);
