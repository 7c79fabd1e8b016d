// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "reference/optim/optimizer.hpp"

namespace parity::reference {

/// Lets an optimizer update parameters that have values of bfloat16, in tensors of float32. The optimizer
/// computes p + u in float32; R rounds to bfloat16:
///
/// | storage    | parameter after the update | state                                                 |
/// |------------|----------------------------|-------------------------------------------------------|
/// | bfloat16   | p = R(p + u)               |                                                       |
/// | stochastic | p = one of p + u's two neighbours in bfloat16, by chance | number of the update    |
/// | kahan      | c = R(c + u), p' = R(p + c) | c = R(c + R(p - p')), as torch-optimi                |
/// | master     | p = R(m)                   | m = m + u, float32; at first m = p                    |
///
/// In a twin R is the identity, and all else is the same.
/// A parameter that was written from outside also becomes its master weight.
/// Source of stochastic rounding: torchao, low-bit optimizers: up if a draw of 16 bits is less than the
/// fraction.
class StoredWeights : public Optimizer {
 public:
  /// Rounds the parameters.
  /// \param places  index of each element in its whole parameter, flat, int64; undefined = this rank has it
  /// whole
  /// \param rounds  not in a twin
  StoredWeights(std::unique_ptr<Optimizer> inner, Parameters parameters, const OptimizerConfig& config,
                std::vector<torch::Tensor> places, bool rounds = true);

  void step(const UpdateNumbers& numbers) override;
  std::vector<State> state() const override;
  bool parameters_written() override;

 private:
  torch::Tensor rounded(const torch::Tensor& x) const;
  void put_masters();
  void store(size_t i, const torch::Tensor& before);

  std::unique_ptr<Optimizer> inner_;
  Parameters parameters_;
  WeightStorage storage_;
  uint64_t seed_;
  bool rounds_;
  std::vector<torch::Tensor> places_;
  std::vector<torch::Tensor> kept_;  ///< c or m of each parameter; empty without
  torch::Tensor update_;             ///< number of the last update, scalar int64
};

/// Returns the draw of an element for stochastic rounding, 0 to 65535. SplitMix64 over a key of seed, name
/// and update, plus the element's place. \param place  index in the whole parameter, flat
uint16_t rounding_draw(uint64_t seed, std::string_view name, uint64_t update, uint64_t place);

/// Returns a float32 rounded to one of its neighbours in bfloat16: away from zero if draw / 2^16 is less than
/// its fraction of their distance. What is not finite keeps its value.
float stochastically_rounded(float x, uint16_t draw);

}  // namespace parity::reference
