// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "harness/trace/write/recorder.hpp"
#include "reference/cuda/device.hpp"
#include "reference/train/activation_layout.hpp"

namespace parity::reference {

/// Offers the results of the model's parts (phase forward) and their gradients (phase backward), under the
/// part's name, as the parts around it get them. What a block computes again in backward is not recorded
/// again.
class ActivationCapture {
 public:
  ActivationCapture(Recorder& recorder, const Device& device, ActivationLayouts layouts)
      : recorder_(recorder), device_(device), layouts_(std::move(layouts)) {}

  /// A micro-batch goes through the model next.
  /// \param rows  of it
  void begin_micro_batch(int64_t rows);
  /// Nothing of what the model does from now on is offered: the update's gradients are there.
  void end();

  /// \param first_row  of the rows of this result in the micro-batch
  void left(const std::string& part, const at::Tensor& result, int64_t first_row);

 private:
  void offer_result(const std::string& part, const at::Tensor& result, int64_t first_row);
  void offer_gradient(const std::string& part, const at::Tensor& gradient, int64_t first_row);

  Recorder& recorder_;
  const Device& device_;
  ActivationLayouts layouts_;
  bool is_on_ = false;
  int64_t first_row_ = 0;  ///< of the micro-batch, in the rank's rows of the update
  int64_t rows_ = 0;
  std::set<std::pair<std::string, int64_t>> seen_;  ///< parts with first rows
};

}  // namespace parity::reference
