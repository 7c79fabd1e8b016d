// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/rl/rollout.hpp"

namespace parity::reference {

/// Rollouts that another program wrote: JSON lines, one completion a line, in the order of training:
///
///   {"prompt": [3, 8, 10], "tokens": [1, 1, 11], "logprobs": [-2.1, -0.4, -1.3], "reward": 1, "version": 0}
///
/// `tokens` is the completion and `logprobs` [nats] has one number for each of its tokens; null is an unknown
/// one. Further members are ignored. A Parquet file has columns of these names, and a row stands for a line:
/// prompt and tokens are lists of integers, logprobs of floats or integers. Update n takes the n-th
/// data.global_batch lines, or rl.completions with packing.
class ImportedRollouts {
 public:
  /// Reads and checks the whole file.
  /// \throws UserError naming file and line: missing (exit 3), empty, not JSON, a member that is missing or
  /// has another type, a Parquet file that read_parquet refuses, other numbers of tokens and log
  /// probabilities, a number that is not finite, a token beyond the vocabulary, a positive log probability, a
  /// prompt that changes within a group
  ImportedRollouts(const RunConfig& config, int64_t vocab_size);

  /// Returns the rollouts of an update. \param update  from 1
  /// \throws UserError if the file has no more of them
  std::vector<Rollout> of_update(int64_t update) const;
  /// Returns whether the file has all rollouts of an update.
  bool has_update(int64_t update) const;
  /// Returns the place of a rollout, such as "rollouts.jsonl:7", also of row 7 of Parquet. \param row  of the
  /// update, from 0
  std::string place(int64_t update, int64_t row) const;

 private:
  void read_lines(int64_t vocab_size);
  void read_rows(int64_t vocab_size);
  std::string place_of_line(int64_t number) const;
  void check_groups(const RlConfig& rl) const;

  std::filesystem::path path_;
  int64_t rows_;
  std::vector<Rollout> rollouts_;
  std::vector<int64_t> lines_;  ///< of each rollout, from 1
};

}  // namespace parity::reference
