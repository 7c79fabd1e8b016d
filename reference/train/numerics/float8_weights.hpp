// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/core/parallel.hpp"

namespace parity::reference {

/// Emulates float8 training: the model uses the matrices of its blocks rounded to float8,
///
///   W' = e4m3(W s) / s,  s = 448 / max |W| over the whole matrix, also if ranks hold shards of it
///
/// Gradients go to W as if W had been used. Activations and gradients are not rounded. Float8Scales says when
/// s is computed: at each forward pass, or for all matrices after the optimizer. The second way gives the
/// same bits with one collective. Float8Scales::first emulates a forgotten hook: the initial scales are never
/// updated, so that weights that outgrow them are cut. A twin cuts the same and rounds nothing. Source:
/// torchtitan's float8 converter (post_optimizer_hook); torchao's dynamic tensorwise scaling.
class Float8Weights {
 public:
  /// Hooks into the matrix products of the model.
  /// \param model    with all parallelisms applied; must outlive this object
  /// \param trained  the parameters that this rank trains
  /// \param rounds   not in a twin
  Float8Weights(Decoder& model, Parameters trained, const Parallel& parallel, Float8Scales scales,
                bool rounds);

  /// Computes new scales. Call it after the optimizer, and after parameters were written from outside.
  void after_update();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Returns x rounded to float8 e4m3 at a scale, in the dtype of x. \param scale  scalar
torch::Tensor rounded_to_float8(const torch::Tensor& x, const torch::Tensor& scale);

}  // namespace parity::reference
