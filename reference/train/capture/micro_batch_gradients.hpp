// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/trace/write/recorder.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Offers the gradient of each single micro-batch, as backward adds it to a leaf's gradient, in phase
/// grad_local. A micro-batch that adds several times, as the chunks of a loss and the pieces of a pipeline
/// do, has several parts.
class MicroBatchGradients {
 public:
  /// Returns the layout of a gradient before its reduction.
  using LayoutOf = std::function<TensorLayout(const Parameter& leaf)>;

  /// Hooks into the leaves of backward if the capture asks for it. Both must outlive this object.
  MicroBatchGradients(const Parameters& leaves, trace::Recorder& recorder, LayoutOf layout_of);

  /// Ends the micro-batch before, and begins one. \param number  within the update, from 0
  void begin(int64_t number);
  /// Offers what the last micro-batch added. Call it when the gradients of the update are complete.
  void end();

 private:
  void saw(size_t leaf, const at::Tensor& gradient);

  const Parameters& leaves_;
  trace::Recorder& recorder_;
  LayoutOf layout_of_;
  int64_t number_ = -1;                        ///< of the micro-batch; -1: none
  std::vector<std::vector<at::Tensor>> seen_;  ///< of the micro-batch, for each leaf; empty: off
};

}  // namespace parity::reference
