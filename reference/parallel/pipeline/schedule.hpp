// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

enum class PipelineWork { forward, backward };

/// One action of a rank: a forward or backward pass of a piece through one of its stages.
struct PipelineAction {
  int64_t stage = 0;
  int64_t piece = 0;
  PipelineWork work = PipelineWork::forward;

  bool operator==(const PipelineAction&) const = default;
};

/// The stages of a pipeline. Stage s holds the blocks before those of stage s + 1, on rank s mod ranks.
struct PipelineShape {
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  int64_t ranks = 1;
  int64_t stages_per_rank = 1;
  int64_t pieces = 1;  ///< M

  int64_t stages() const { return ranks * stages_per_rank; }
  int64_t rank_of(int64_t stage) const { return stage % ranks; }
};

/// Returns the actions of one of P ranks in an update, in order: every pass of every piece through each of
/// its stages, once.
///
/// | schedule    | forward passes before the first backward of rank r      | slots in which a rank waits |
/// |-------------|---------------------------------------------------------|-----------------------------|
/// | gpipe       | M                                                       | 2 (P - 1)                   |
/// | 1f1b        | min(M, P - r)                                           | 2 (P - 1)                   |
/// | interleaved | min(M v, (v - 1) m + 2 (P - 1 - r) + 1), then as 1f1b   | 2 (P - 1), of 1 / v length  |
///
/// where a pass takes one slot, v = stages of a rank, and pieces go through them in max(1, M / P) rounds of
/// m. Through each stage, pieces go in ascending order forward and backward, so that gradients add up in one
/// order under every schedule.
/// \param shape  interleaved: its pieces are a multiple of the rounds
/// Source: GPipe, arXiv:1811.06965; 1F1B and interleaved, arXiv:2104.04473, section 2.2.
std::vector<PipelineAction> actions_of(const PipelineShape& shape, int64_t rank);

/// Returns only the forward passes of a schedule, in its order, as evaluation needs them.
std::vector<PipelineAction> forward_only(const std::vector<PipelineAction>& actions);

}  // namespace parity::reference
