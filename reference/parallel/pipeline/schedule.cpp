// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/pipeline/schedule.hpp"

#include <algorithm>
#include <iterator>

namespace parity::reference {
namespace {

/// Returns a rank's passes of one kind, in order: in rounds, through its first stage, its second, ...
/// \param backward  its last stage first
std::vector<PipelineAction> passes(const PipelineShape& shape, int64_t rank, PipelineWork work) {
  const int64_t rounds = shape.stages_per_rank == 1 ? 1 : std::max<int64_t>(1, shape.pieces / shape.ranks);
  const int64_t round_length = shape.pieces / rounds;
  std::vector<PipelineAction> result;
  for (int64_t first = 0; first < shape.pieces; first += round_length)
    for (int64_t i = 0; i < shape.stages_per_rank; ++i) {
      const int64_t turn = work == PipelineWork::forward ? i : shape.stages_per_rank - 1 - i;
      for (int64_t piece = first; piece < first + round_length; ++piece)
        result.push_back({turn * shape.ranks + rank, piece, work});
    }
  return result;
}

/// Returns how many forward passes a rank runs before it alternates, without that of the first pair.
int64_t warmup(const PipelineShape& shape, int64_t rank) {
  const int64_t behind = shape.ranks - 1 - rank;
  switch (shape.schedule) {
    case PipelineSchedule::gpipe:
      return shape.pieces;
    case PipelineSchedule::one_forward_one_backward:
      return behind;
    case PipelineSchedule::interleaved:
      break;
  }
  const int64_t rounds = std::max<int64_t>(1, shape.pieces / shape.ranks);
  return (shape.stages_per_rank - 1) * (shape.pieces / rounds) + 2 * behind;
}

}  // namespace

std::vector<PipelineAction> actions_of(const PipelineShape& shape, int64_t rank) {
  const std::vector<PipelineAction> forward = passes(shape, rank, PipelineWork::forward);
  const std::vector<PipelineAction> backward = passes(shape, rank, PipelineWork::backward);
  const size_t ahead = std::min(forward.size(), static_cast<size_t>(warmup(shape, rank)));
  std::vector<PipelineAction> result(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
  for (size_t i = 0; i < backward.size(); ++i) {
    if (ahead + i < forward.size())
      result.push_back(forward[ahead + i]);
    result.push_back(backward[i]);
  }
  return result;
}

std::vector<PipelineAction> forward_only(const std::vector<PipelineAction>& actions) {
  std::vector<PipelineAction> result;
  std::copy_if(actions.begin(), actions.end(), std::back_inserter(result),
               [](const PipelineAction& action) { return action.work == PipelineWork::forward; });
  return result;
}

}  // namespace parity::reference
