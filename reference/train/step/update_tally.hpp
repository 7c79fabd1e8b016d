// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <torch/types.h>

#include "harness/measure/tensor/digest.hpp"
#include "reference/attention/masks/mask.hpp"
#include "reference/comm/group.hpp"
#include "reference/data/loader.hpp"

namespace parity::reference {

/// Counts what an update has trained on so far, from the micro-batches themselves. So the counts hold whether
/// the micro-batches were fetched at once or one by one.
class UpdateTally {
 public:
  /// \param first_row  place of this rank's first row in the update, on which the digests depend
  explicit UpdateTally(int64_t first_row = 0) : first_row_(first_row) {}

  /// Adds a micro-batch. Call it before the forward pass.
  void add(const MicroBatch& batch);
  /// Adds the masks, by name, of the micro-batch that was added last.
  void add_masks(const std::map<std::string, Mask>& masks);
  /// \param loss  scalar as it is differentiated
  void add_loss(const torch::Tensor& loss) { losses_.push_back(loss.detach()); }

  /// \param loss  scalar of multi-token prediction
  void add_further_loss(const torch::Tensor& loss) { further_losses_.push_back(loss.detach()); }

  int64_t micro_batches() const { return micro_batches_; }
  int64_t tokens() const { return tokens_; }              ///< positions that went through the model
  int64_t valid_tokens() const { return valid_tokens_; }  ///< labels that counted
  const std::vector<torch::Tensor>& losses() const { return losses_; }
  /// Of multi-token prediction; empty without it.
  const std::vector<torch::Tensor>& further_losses() const { return further_losses_; }
  /// Digest of tokens and labels. It is additive over rows, so the number of micro-batches does not matter.
  int64_t digest() const;
  int64_t mask_pairs() const { return mask_facts_.pairs; }
  int64_t mask_digest() const;
  int64_t position_digest() const;

  /// Sums counts and digests over all ranks that have rows of the update. The losses stay this rank's own.
  void sum_over(const Group& ranks);

 private:
  int64_t first_row_;
  int64_t micro_batches_ = 0;
  int64_t tokens_ = 0;
  int64_t valid_tokens_ = 0;
  std::vector<torch::Tensor> losses_;
  std::vector<torch::Tensor> further_losses_;
  measure::Digest digest_;
  measure::Digest positions_;
  MaskFacts mask_facts_;
};

}  // namespace parity::reference
