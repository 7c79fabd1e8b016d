// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "reference/optim/muon/matrix_ranks.hpp"
#include "reference/optim/optimizer.hpp"

namespace parity::reference {

/// Computes Adafactor without a first moment, with the bits of torch.optim.Adafactor (foreach=False).
///
///   b = t^beta2_decay;  rho = min(lr, 1 / sqrt(t));  a = max(eps2, RMS(p)) rho;  p *= 1 - lr wd
///   of a tensor [..., n, m], over its last two dimensions:
///     R += b (mean over columns of g^2 - R);  C += b (mean over rows of g^2 - C)
///     v = R C / max(mean of R, eps1)
///   of a vector:  v += b (g^2 - v)
///   u = g / max(sqrt(v), eps1);  p -= a u / max(1, RMS(u) / d)
///
/// With eps1_place = square, eps1 is added to g^2, and nothing is bounded from below. Without relative_step,
/// rho = lr; without scale_parameter, a = rho. wd is 0 for parameters that optimizer.decay leaves out.
///
/// Means and norms are those of whole tensors: ranks that hold shards join each parameter and each gradient.
/// R, C and v are whole on every rank.
///
/// Source: arXiv:1804.04235, algorithms 4 to 6; documentation of torch.optim.Adafactor.
class Adafactor : public Optimizer {
 public:
  /// \param ranks  hold shards of the parameters, in order
  Adafactor(const OptimizerConfig& config, Parameters parameters, std::shared_ptr<const MatrixRanks> ranks);

  void step(const UpdateNumbers& numbers) override;
  std::vector<State> state() const override;

 private:
  /// Second moments of one parameter: of rows and columns, or of each element of a vector.
  struct Moments {
    torch::Tensor row = {};      ///< [..., n, 1]
    torch::Tensor column = {};   ///< [..., 1, m]
    torch::Tensor element = {};  ///< [n]
    torch::Tensor step = {};     ///< t, a scalar
  };

  Moments zero_moments(const Parameter& parameter) const;
  /// Returns the root mean square of each whole parameter; none without scale_parameter.
  std::vector<double> sizes_of_parameters() const;
  bool adds_eps1() const { return config_.eps1_place == AdafactorEps::square; }
  /// Advances the moments by a gradient.
  void follow(const Moments& moments, const torch::Tensor& gradient) const;
  /// Returns 1 / sqrt(v), a tensor of its own of the parameter's shape.
  torch::Tensor inverse_root(const Moments& moments) const;
  /// Advances the moments. \return u / max(1, RMS(u) / d) by its two factors
  std::pair<torch::Tensor, double> direction(const Moments& moments, const torch::Tensor& gradient) const;
  /// Applies this rank's shard of an update. \param size  RMS of the whole parameter, for scale_parameter
  void move(size_t i, const torch::Tensor& update, double size, double divisor,
            const UpdateNumbers& numbers) const;

  AdafactorConfig config_;
  DecayedParameters decay_;
  Parameters parameters_;
  std::shared_ptr<const MatrixRanks> ranks_;
  std::vector<Moments> moments_;
};

/// Returns how many numbers Adafactor keeps for a parameter of this shape, on every rank that has a shard of
/// it: n + m for each matrix [n, m], n for a vector.
int64_t adafactor_numbers(at::IntArrayRef shape);

}  // namespace parity::reference
