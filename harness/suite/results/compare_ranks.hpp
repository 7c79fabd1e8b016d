// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/difference.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// What one rank recorded in two runs and is not the same, though what the ranks hold together may be.
struct RankDifference {
  int64_t rank = 0;
  int64_t step = 0;
  std::optional<Phase> phase;  ///< of a tensor; none: a channel
  std::string name;
  std::string what;        ///< "differs", "only in the first", "differs from rank 0 in the second only"
  bool one_sided = false;  ///< only one of the runs has the channel

  /// "rank 1, step 3: grad w differs".
  std::string text() const;
};

struct RankComparison {
  size_t compared = 0;            ///< channels and tensors of single ranks
  size_t laid_out_otherwise = 0;  ///< tensors that the ranks hold in other ways: compared joined only
  std::vector<RankDifference> differences;  ///< in order of steps
};

/// What to look at, and what a comparison of the joined tensors has found to differ already.
struct RankQuestion {
  std::function<bool(const TensorKey&)> wants_tensor;
  std::function<bool(const std::string&)> wants_channel;
  std::function<bool(int64_t)> wants_step;
  DifferencePolicy policy;
};

/// Compares two runs rank by rank: the differences that each has between its own ranks, and, of runs of one
/// number of ranks, what each rank recorded itself: channels, and the rows of tensors that it holds in the
/// same layout. Nothing for runs of one rank.
///
/// Rows are compared by digest, which forgives nothing: under a policy that does, only those of tensors whose
/// ranks differ among themselves.
RankComparison compare_ranks(const Trace& expected, const Trace& actual, const RankQuestion& question);

}  // namespace parity
