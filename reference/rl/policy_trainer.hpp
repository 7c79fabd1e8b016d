// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/optim/update_numbers.hpp"
#include "reference/rl/policy_batch.hpp"
#include "reference/train/step/policy_result.hpp"

namespace parity::reference {

class Trainer;
struct StepResult;

/// Trains a policy under a caller's control, with the verbs of torchtitan's PolicyTrainer and of Tinker. All
/// ranks call the same functions in the same order, each with its rows of an update.
///
///   forward_backward   adds the gradient of a loss, and returns its metrics
///   optim_step         norm, clipping, optimizer, schedule; the next policy version
///   forward            log probabilities alone
///
/// Source: NUMERICS.md 8.1, 8.5.
class PolicyTrainer {
 public:
  /// The trainer must outlive this object. Its first weights become the reference policy, if one is used.
  explicit PolicyTrainer(Trainer& trainer);

  /// Returns the number of updates of the policy.
  int64_t version() const;
  /// Returns whether a reference policy is kept.
  bool has_reference() const { return !reference_values_.empty(); }

  /// Adds the gradient of a micro-batch's loss.
  /// \param data     of the micro-batch of this rank
  /// \param loss     which loss, and its numbers
  /// \param divisor  of the whole update, over all calls and ranks
  /// \return metrics over all ranks
  /// \throws UserError if no token of the update counts, or if the loss needs a reference that is missing;
  /// NonFinite
  PolicyMetrics forward_backward(const PolicyBatch& data, const RlConfig& loss, const PolicyDivisor& divisor);
  /// Ends the update of all forward_backward() since the last one.
  /// \return its `step` is the new version; `policy.metrics` are of all those calls
  StepResult optim_step(const UpdateNumbers& numbers = {});
  /// Makes a whole update in one call, as torchtitan did until #2985.
  StepResult step(std::span<const PolicyBatch> data, const RlConfig& loss, const PolicyDivisor& divisor,
                  const UpdateNumbers& numbers = {});
  void zero_grad();

  /// Returns the log probabilities of the labels without gradients: [B, S] float64; 0 where a label does not
  /// count.
  torch::Tensor forward(const PolicyBatch& data) const;
  /// Writes the reference policy's log probabilities into `data.reference`.
  void refer(PolicyBatch& data);

 private:
  /// Adds up sums over the ranks with other tokens and over the stages of a pipeline. Only one stage has the
  /// logits.
  void sum_over_ranks(PolicySums& sums) const;

  Trainer& trainer_;
  std::vector<torch::Tensor> reference_values_;  ///< values of this rank's parameters, in order; empty = none
  PolicySums update_;                            ///< of the calls since the last optim_step
  std::vector<double> update_advantages_;        ///< of this rank's rows
};

}  // namespace parity::reference
