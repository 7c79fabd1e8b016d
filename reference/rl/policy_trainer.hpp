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

/// A policy that is trained from outside, with the verbs of torchtitan's PolicyTrainer and of Tinker: all
/// ranks call the same ones in the same order, each with the rows that it has of an update.
///
///   forward_backward   adds the gradient of a loss, and says what the loss saw
///   optim_step         norm, clipping, optimizer, schedule; the next policy version
///   forward            log probabilities alone
///
/// Source: NUMERICS.md 8.1, 8.5.
class PolicyTrainer {
 public:
  /// The trainer must outlive this object; its first weights become the reference policy, where one is used.
  explicit PolicyTrainer(Trainer& trainer);

  /// Updates that the policy has had.
  int64_t version() const;
  /// Whether a reference policy is kept.
  bool has_reference() const { return !reference_values_.empty(); }

  /// \param data     of the micro-batch of this rank
  /// \param loss     which loss, and its numbers
  /// \param divisor  of the whole update, all calls and ranks
  /// \return over all ranks
  /// \throws UserError if no token of the update counts, or a reference is missing where it is weighed;
  /// NonFinite
  PolicyMetrics forward_backward(const PolicyBatch& data, const RlConfig& loss, const PolicyDivisor& divisor);
  /// Ends the update of all forward_backward() since the last one.
  /// \return its `step` is the new version; `policy.metrics` are of all those calls
  StepResult optim_step(const UpdateNumbers& numbers = {});
  /// All of an update in one, as torchtitan had it until #2985.
  StepResult step(std::span<const PolicyBatch> data, const RlConfig& loss, const PolicyDivisor& divisor,
                  const UpdateNumbers& numbers = {});
  void zero_grad();

  /// Log probabilities of the labels, without gradients. \return [B, S] float64; 0 where none counts
  torch::Tensor forward(const PolicyBatch& data) const;
  /// The same of the reference policy, into `data.reference`.
  void refer(PolicyBatch& data);

 private:
  /// Over the ranks with other tokens, and the stages of a pipeline, of which one saw the logits.
  void sum_over_ranks(PolicySums& sums) const;

  Trainer& trainer_;
  std::vector<torch::Tensor> reference_values_;  ///< of the parameters of this rank, in order; empty = none
  PolicySums update_;                            ///< of the calls since the last optim_step
  std::vector<double> update_advantages_;        ///< of this rank's rows
};

}  // namespace parity::reference
