// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/sum_terms.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/tensor/conversions.hpp"

namespace parity::laws {

std::string TermOf::text() const {
  return fmt::format("{}{}{}", number, part > 0 ? fmt::format(", part {}", part) : "",
                     rank >= 0 ? fmt::format(" of rank {}", rank) : "");
}

bool SumTerms::is_finite() const {
  const auto are_finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  };
  return std::ranges::all_of(terms, are_finite) && std::ranges::all_of(sums, are_finite, &Sum::values);
}

std::vector<double> widened(const TensorView& view) {
  std::vector<double> wide(static_cast<size_t>(view.size()));
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = widen(view.dtype, view.raw().data() + i * size_of(view.dtype));
  return wide;
}

bool is_sum(const SumTerms& terms, const std::vector<double>& gradient, const std::vector<double>& weights,
            double* worst) {
  const auto rounds = static_cast<double>(terms.terms.size() + 4);
  double most = 0;
  for (size_t i = 0; i < gradient.size(); ++i) {
    double sum = 0, size = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
      sum += weights[k] * terms.terms[k][i];
      size += std::abs(weights[k] * terms.terms[k][i]);
    }
    const double bound = terms.roundoff * rounds * size + 1e-44;
    if (!std::isfinite(bound) || !(std::abs(gradient[i] - sum) <= bound))
      return false;
    most = std::max(most, std::abs(gradient[i] - sum) / bound);
  }
  if (worst)
    *worst = most;
  return true;
}

bool is_sum(const SumTerms& terms, const std::vector<double>& gradient, double weight, double* worst) {
  return is_sum(terms, gradient, std::vector<double>(terms.terms.size(), weight), worst);
}

}  // namespace parity::laws
