// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/parallel.hpp"

namespace parity::reference {

/// Float8 training, emulated: the matrices of a model's blocks are used as float8 numbers would have them,
///
///   W' = e4m3(W s) / s,  s = 448 / max |W| over the whole matrix, wherever its parts lie
///
/// Gradients go to W as if it had been used itself. What is worth a test is when s is worked out: at each
/// forward pass, or for all matrices at once after the optimizer, which gives the same bits with one
/// collective; a converter whose hook is forgotten goes on with the scales of the first weights.
/// Activations and gradients stay as they are.
/// Source: torchtitan's float8 converter (post_optimizer_hook); torchao's dynamic tensorwise scaling.
class Float8Weights {
 public:
  /// Puts itself between the model and its products.
  /// \param model    with everything that is applied to it; outlives this object
  /// \param trained  what this rank trains of it
  Float8Weights(Decoder& model, Parameters trained, const Parallel& parallel, Float8Scales scales);

  /// After the optimizer, and after parameters were written from outside.
  void after_update();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// x rounded to float8 e4m3 at a scale, in its own dtype. \param scale  scalar
torch::Tensor rounded_to_float8(const torch::Tensor& x, const torch::Tensor& scale);

}  // namespace parity::reference
