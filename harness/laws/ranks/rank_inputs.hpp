// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/laws/run/recorded_run.hpp"

namespace parity::laws {

/// Names of the tokens of a batch, the most telling first.
constexpr std::initializer_list<const char*> token_names = {"tokens", "input_ids", "input", "x", "idx"};

/// What the ranks of an update read, if each recorded its own.
struct RankInputs {
  std::string name;                    ///< "tokens", or "batch_digest" for the channel; "" if none did
  std::map<int64_t, std::string> ids;  ///< rank -> an identity of what it reads

  /// Returns the pairs of ranks (later, earlier) that read the same.
  std::vector<std::pair<int64_t, int64_t>> pairs() const;
};

/// Reads the tokens that ranks recorded under names of their own, "tokens#0" and "tokens#1". Needs digests
/// only, so no values.
RankInputs tokens_of_ranks(const RecordedRun& run, int64_t step);

/// Reads the channel batch_digest of each rank, if it is one of each rank.
RankInputs digests_of_ranks(const RecordedRun& run, int64_t step);

}  // namespace parity::laws
