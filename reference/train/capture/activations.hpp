// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "harness/trace/write/recorder.hpp"
#include "reference/cuda/device.hpp"
#include "reference/train/capture/activation_layout.hpp"

namespace parity::reference {

struct Routing;

/// Offers to the Recorder the results of the model's modules (phase forward) and their gradients (phase
/// backward). Each has the module's name and the values that the surrounding modules receive. A result that
/// backward computes again is not recorded twice.
class ActivationCapture {
 public:
  ActivationCapture(trace::Recorder& recorder, const Device& device, ActivationLayouts layouts)
      : recorder_(recorder), device_(device), layouts_(std::move(layouts)) {}

  /// Offers a tensor that the model reads of a micro-batch, one number for each token of this rank.
  /// \param first_row  place of its first row in the micro-batch
  void read(const std::string& name, const at::Tensor& x_BS, int64_t first_row);
  /// Offers the choice of a router (trace/format/routes.hpp), once for each pass through the model.
  /// \param part  name of the mixture of experts
  void chose(const std::string& part, int64_t first_row, int64_t sequences, const Routing& routing);
  /// Call it before each micro-batch. \param rows  of the micro-batch
  void begin_micro_batch(int64_t rows);
  /// Stops offering until the next micro-batch. Call it when the gradients of the update are complete.
  void end();

  /// Offers a module's result. Call it when the module has run.
  /// \param first_row  place of the result's first row in the micro-batch
  void left(const std::string& part, const at::Tensor& result, int64_t first_row);

 private:
  void offer_result(const std::string& part, const at::Tensor& result, int64_t first_row);
  void offer_gradient(const std::string& part, const at::Tensor& gradient, int64_t first_row);

  trace::Recorder& recorder_;
  const Device& device_;
  ActivationLayouts layouts_;
  bool is_on_ = false;
  int64_t first_row_ = 0;  ///< of the micro-batch, in the rank's rows of the update
  int64_t rows_ = 0;
  std::set<std::pair<std::string, int64_t>> seen_;  ///< parts with first rows
};

}  // namespace parity::reference
