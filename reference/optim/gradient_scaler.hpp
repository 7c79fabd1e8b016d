// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Scales the loss, so that small gradients do not underflow in 16 bits, with the bits of
/// torch.amp.GradScaler:
///
///   backward of loss s;  grad *= 1 / s;  an update with a gradient that is not finite is skipped
///   s *= backoff after a skipped update; s *= growth after `interval` updates in a row that were not
///
/// A growth that would overflow float32 leaves s as it is.
class GradientScaler {
 public:
  GradientScaler(const LossConfig& config, const torch::Device& device);

  /// Returns loss s. \param loss  scalar
  torch::Tensor scaled(const torch::Tensor& loss) const { return loss * scale_; }
  /// Divides the gradients by s.
  /// \param over_ranks  takes the maximum over all ranks, in place
  /// \return whether a gradient of any rank was not finite
  bool unscale(const Parameters& parameters, const std::function<void(const torch::Tensor&)>& over_ranks);
  /// Ends the update: changes s by what unscale() found.
  void update();

  double scale() const { return scale_.item<double>(); }

  /// Tensors that a checkpoint must hold, scalars: s (float32), and the updates in a row (int32).
  const torch::Tensor& scale_state() const { return scale_; }
  const torch::Tensor& streak_state() const { return streak_; }

 private:
  void unscale_twin(const std::vector<torch::Tensor>& gradients, const torch::Tensor& inverse);

  LossConfig config_;
  torch::Tensor scale_;
  torch::Tensor streak_;  ///< updates in a row that were not skipped
  torch::Tensor found_;   ///< 1 if a gradient was not finite
};

}  // namespace parity::reference
