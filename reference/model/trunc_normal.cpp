// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/trunc_normal.hpp"

#include <cmath>

namespace parity::reference {
namespace {

/// Phi, written as PyTorch writes it: std::numbers::sqrt2 would be the same number, erfc would not.
double normal_cdf(double x) {
  return (1.0 + std::erf(x / std::sqrt(2.0))) / 2.0;
}

}  // namespace

void trunc_normal_(torch::Tensor& x, double mean, double std, double low, double high) {
  const torch::NoGradGuard no_grad;
  const double l = normal_cdf((low - mean) / std);
  const double u = normal_cdf((high - mean) / std);
  x.uniform_(2 * l - 1, 2 * u - 1);
  x.erfinv_();
  x.mul_(std * std::sqrt(2.0));
  x.add_(mean);
  x.clamp_(low, high);
}

}  // namespace parity::reference
