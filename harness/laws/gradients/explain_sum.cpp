// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "harness/laws/gradients/sum_terms.hpp"

namespace parity::laws {
namespace {

/// Returns the weights w that bring sum of w_k terms[k] closest to a gradient; nothing if the terms are not
/// independent.
std::optional<std::vector<double>> fit_weights(const SumTerms& terms, const std::vector<double>& gradient) {
  const size_t n = terms.terms.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
  const auto dot = [](const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return sum;
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j)
      a[i][j] = dot(terms.terms[i], terms.terms[j]);
    a[i][n] = dot(terms.terms[i], gradient);
  }
  for (size_t k = 0; k < n; ++k) {  // Gauss-Jordan; the matrix is symmetric and positive
    const double pivot = a[k][k];
    if (!(pivot > 1e-12 * dot(terms.terms[k], terms.terms[k])) || pivot == 0)
      return std::nullopt;
    for (size_t j = k; j <= n; ++j)
      a[k][j] /= pivot;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = n + 1; i != k && j-- > k;)
        a[i][j] -= a[i][k] * a[k][j];
  }
  std::vector<double> weights(n);
  for (size_t k = 0; k < n; ++k)
    weights[k] = a[k][n];
  return weights;
}

/// Describes weights in units of the factor that all should have.
std::string describe_weights(const SumTerms& terms, std::vector<double> weights, double unit) {
  std::string text;
  for (double& weight : weights)
    weight = std::abs(weight / unit) < 1e-4 ? 0 : weight / unit;
  const auto is_near = [](double weight, double value) { return std::abs(weight - value) < 1e-4; };
  if (std::ranges::all_of(weights, [&](double weight) { return is_near(weight, weights[0]); }))
    return is_near(weights[0], 1 / static_cast<double>(weights.size()))
               ? "it is the mean"
               : fmt::format("it is {:.4g} times that", weights[0]);
  for (size_t k = 0; k < weights.size(); ++k)
    if (!is_near(weights[k], 1))
      text += fmt::format("{}that of {} {} {}", text.empty() ? "" : ", ", terms.one, terms.of[k].text(),
                          weights[k] == 0 ? "is missing" : fmt::format("counts {:.4g} times", weights[k]));
  return text;
}

}  // namespace

std::string explain_sum(const SumTerms& terms, const std::vector<double>& gradient, double unit) {
  for (size_t k = 0; k < terms.terms.size(); ++k)
    if (terms.terms.size() > 1 && gradient == terms.terms[k])
      return fmt::format("it is {} {}'s own, {}", terms.one, terms.of[k].text(),
                         terms.one == "rank" ? "not reduced" : "without the others");
  if (const auto weights = fit_weights(terms, gradient)) {
    std::vector<double> rounded = *weights;
    for (double& weight : rounded)
      if (std::abs(weight / unit - std::round(weight / unit)) < 1e-3)
        weight = unit * std::round(weight / unit);
    if (is_sum(terms, gradient, rounded) || is_sum(terms, gradient, *weights))
      return describe_weights(terms, rounded, unit);
    double mean = 0;
    for (const double weight : *weights)
      mean += weight / static_cast<double>(weights->size());
    if (is_sum(terms, gradient, mean))
      return describe_weights(terms, std::vector<double>(terms.terms.size(), mean), unit);
  }
  return fmt::format("no weights of the {}' gradients give it", terms.many);
}

}  // namespace parity::laws
