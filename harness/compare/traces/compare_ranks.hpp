// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/difference/difference.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// A difference between two runs in a record of one rank. The tensor joined over the ranks may still be
/// equal.
struct RankDifference {
  int64_t rank = 0;
  int64_t step = 0;
  std::optional<trace::Phase> phase;  ///< set for a tensor, not for a channel
  std::string name;
  std::string what;        ///< "differs", "only in the first", "differs from rank 0 in the second only"
  bool one_sided = false;  ///< only one of the runs has the channel

  /// Returns the difference in words: "rank 1, step 3: grad w differs".
  std::string text() const;
};

struct RankComparison {
  size_t compared = 0;                      ///< channels and tensors of single ranks
  size_t laid_out_otherwise = 0;            ///< tensors sharded differently: compared only joined
  std::vector<RankDifference> differences;  ///< in order of steps
};

/// The tensors, channels and steps to compare, and what counts as a difference.
struct RankQuestion {
  std::function<bool(const trace::TensorKey&)> wants_tensor;
  std::function<bool(const std::string&)> wants_channel;
  std::function<bool(int64_t)> wants_step;
  measure::DifferencePolicy policy;
};

/// Compares two runs rank by rank. The result is empty for runs of one rank.
///
/// Compares the differences that each run has between its own ranks. If both runs have the same number of
/// ranks, it also compares the records of each rank: channels, and rows of tensors with the same layout.
///
/// Rows are compared by digest, so any changed bit counts. Under a policy that tolerates differences, only
/// rows of tensors whose ranks differ among themselves are compared.
RankComparison compare_ranks(const trace::Trace& expected, const trace::Trace& actual,
                             const RankQuestion& question);

}  // namespace parity::compare
