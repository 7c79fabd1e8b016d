// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/muon/newton_schulz.hpp"

#include <array>

#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

/// Fitted to five steps together. Source: Jiacheng You's run of modded-nanogpt, 2025-03-28; also "quintic" of
/// NVIDIA's Emerging-Optimizers.
constexpr std::array<Quintic, 5> quintic = {{{4.0848, -6.8946, 2.9270},
                                             {3.9505, -6.3029, 2.6377},
                                             {3.7418, -5.5913, 2.3037},
                                             {2.8769, -3.1427, 1.2046},
                                             {2.8366, -3.0525, 1.2012}}};

/// Best for eight steps, with a safety factor of 1.01. Source: Polar Express, arXiv:2505.16932, to the four
/// decimals of NVIDIA's Emerging-Optimizers.
constexpr std::array<Quintic, 8> polar_express = {{{8.2051, -22.9019, 16.4607},
                                                   {4.0664, -2.8612, 0.5184},
                                                   {3.9096, -2.8234, 0.5250},
                                                   {3.2856, -2.4153, 0.4853},
                                                   {2.2779, -1.6198, 0.3985},
                                                   {1.8726, -1.2307, 0.3585},
                                                   {1.8564, -1.2132, 0.3568},
                                                   {1.8750, -1.2500, 0.3750}}};

/// \param matrix  [A, B]
torch::Tensor orthogonalized_one(const torch::Tensor& matrix, const std::vector<Quintic>& steps, double eps,
                                 torch::ScalarType dtype) {
  const bool tall = matrix.size(0) > matrix.size(1);
  torch::Tensor x = tall ? matrix.to(dtype).t() : matrix.to(dtype);
  x = x / at::linalg_vector_norm(x, 2).clamp_min(eps);
  for (const auto& [a, b, c] : steps) {
    const torch::Tensor gram = x.mm(x.t());
    x = at::addmm(x, at::addmm(gram, gram, gram, b, c), x, a);
  }
  return tall ? x.t() : x;
}

}  // namespace

std::vector<Quintic> newton_schulz_steps(const MuonConfig& config) {
  const auto count = static_cast<size_t>(config.ns_steps);
  switch (config.coefficients) {
    case MuonCoefficients::quintic:
      return {quintic.begin(), quintic.begin() + count};
    case MuonCoefficients::polar_express:
      return {polar_express.begin(), polar_express.begin() + count};
    case MuonCoefficients::fixed:
      break;
  }
  return std::vector<Quintic>(count, {config.a, config.b, config.c});
}

torch::ScalarType newton_schulz_dtype(NewtonSchulzPrecision precision, torch::ScalarType parameter) {
  const bool narrow = precision == NewtonSchulzPrecision::bfloat16 && parameter != torch::kFloat64;
  return narrow ? torch::kBFloat16 : at_least_float32(parameter);
}

torch::Tensor orthogonalized(const torch::Tensor& matrix, const std::vector<Quintic>& steps, double eps,
                             torch::ScalarType dtype) {
  if (matrix.numel() == 0)
    return matrix.to(dtype);
  if (matrix.dim() == 2)
    return orthogonalized_one(matrix, steps, eps, dtype);
  std::vector<torch::Tensor> each;
  for (const torch::Tensor& one : matrix.unbind(0))
    each.push_back(orthogonalized_one(one, steps, eps, dtype));
  return at::stack(each);
}

}  // namespace parity::reference
