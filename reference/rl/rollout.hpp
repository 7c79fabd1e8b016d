// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace parity::reference {

/// A prompt and a policy's completion of it. Positions of its tokens count from 0, prompt first.
struct Rollout {
  std::vector<int64_t> prompt;
  std::vector<int64_t> completion;
  std::vector<double> logprobs;  ///< that each token of the completion was sampled with
  std::vector<bool> loss_mask;   ///< tokens of the completion that the loss includes
  bool ended = false;            ///< by its end token, not by the limit of its length
  int64_t version = 0;           ///< of the policy that wrote it
  int64_t group = 0;             ///< completions of one prompt have the same number
  double reward = 0;
  double advantage = 0;
};

}  // namespace parity::reference
