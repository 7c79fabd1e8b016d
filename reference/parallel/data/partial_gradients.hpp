// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "reference/model/parameter.hpp"
#include "reference/parallel/core/collectives.hpp"
#include "reference/parallel/data/data_parallel.hpp"

namespace parity::reference {

/// Adds a sum over some ranks to another reduction, for gradients of which each of these ranks has a term. It
/// sums them once for each update, all in one buffer. Gradients of norms under sequence parallelism need it.
class PartialGradients final : public DataParallel {
 public:
  /// \param partial  of the parameters that this rank trains, those whose gradients are terms
  /// \param ranks    that hold the same parts of them
  PartialGradients(std::unique_ptr<DataParallel> first, Parameters partial, GroupPointer ranks)
      : first_(std::move(first)), partial_(std::move(partial)), ranks_(std::move(ranks)) {}

  void begin(bool last) override { first_->begin(last); }
  void end() override { first_->end(); }
  void finish() override;
  void zero_grad() override { first_->zero_grad(); }
  void drop_gathered() override { first_->drop_gathered(); }
  bool keeps_local_gradients() const override { return first_->keeps_local_gradients(); }

 private:
  std::unique_ptr<DataParallel> first_;
  Parameters partial_;
  GroupPointer ranks_;
};

}  // namespace parity::reference
