// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/rl/policy_trainer.hpp"

namespace parity::reference {

class Group;

/// What imported rollouts are compared with.
struct ScoreCheck {
  std::vector<bool> fresh;  ///< for each row of the update, whether this version of the policy wrote it
  RowShare share;           ///< of this rank
  double largest = 0;       ///< difference that passes [nats]
  std::function<std::string(int64_t row)> place;  ///< of a row of the update, for messages
};

/// Compares the log probabilities that rollouts came with against teacher-forced scores of the policy. All
/// ranks call it.
/// \param own  this rank's rows in order
/// \return the share of the update's tokens that were compared: those of fresh rows
/// \throws UserError with the same text on every rank, naming the token that is farthest away. NaN is too far
double check_scores(const PolicyTrainer& policy, std::span<const PolicyBatch> own, const ScoreCheck& check,
                    const Group& world, const Group& batch_ranks);

}  // namespace parity::reference
