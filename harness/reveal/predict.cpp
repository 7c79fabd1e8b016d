// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/predict.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "harness/operators/problem/values.hpp"

namespace parity::reveal {
namespace {

using operators::rounded;

/// Returns x * w + addend, rounded once.
double fused_sum(double x, double w, double addend, DType type) {
  return type == DType::float64
             ? std::fma(x, w, addend)
             : std::fma(static_cast<float>(x), static_cast<float>(w), static_cast<float>(addend));
}

/// Returns a + b rounded once. In double, the sum of two numbers of 24 bits is right for float32: 53 >= 2 *
/// 24 + 2.
double rounded_sum(double a, double b, DType type) {
  return rounded(type, a + b);
}

/// Returns a sum of numbers that are cut to the place of the largest one's lowest bit, as matrix units do
/// before they add several at once.
double aligned_sum(const std::vector<double>& all, DType type) {
  double largest = 0;
  for (const double each : all)
    largest = std::max(largest, std::abs(each));
  if (largest == 0 || !std::isfinite(largest))
    return std::accumulate(all.begin(), all.end(), 0.0);
  const double lowest = std::ldexp(1.0, std::ilogb(largest) - (type == DType::float64 ? 55 : 26));
  double sum = 0;
  for (const double each : all)
    sum += std::trunc(each / lowest) * lowest;
  return sum;
}

}  // namespace

double sum_by(const SummationTree& tree, const Arithmetic& arithmetic, const Summands& summands,
              bool multiplies) {
  std::vector<double> values(tree.nodes.size());
  const auto product = [&](size_t leaf) {
    return multiplies ? summands.x[leaf] * summands.w[leaf] : summands.x[leaf];
  };
  for (const size_t node : tree.bottom_up()) {
    const std::vector<size_t>& children = tree.nodes[node].children;
    const DType type = arithmetic.partial_sums[node];
    const auto value = [&](size_t child) {
      return tree.is_leaf(child) ? rounded(type, product(child)) : values[child];
    };
    const auto is_fused = [&](size_t child) { return tree.is_leaf(child) && arithmetic.fused[child]; };
    if (children.size() == 2 && (is_fused(children[0]) || is_fused(children[1]))) {
      const size_t one = is_fused(children[0]) ? children[0] : children[1];
      const size_t other = one == children[0] ? children[1] : children[0];
      values[node] = fused_sum(summands.x[one], summands.w[one], value(other), type);
    } else if (children.size() == 2) {
      values[node] = rounded_sum(value(children[0]), value(children[1]), type);
    } else {
      std::vector<double> all;
      for (const size_t child : children)
        all.push_back(value(child));
      values[node] = rounded(type, aligned_sum(all, type));
    }
  }
  return values[tree.root];
}

Prediction predict(const SummingOperator& op, const SummationTree& tree, const Arithmetic& arithmetic,
                   double scale, size_t tries, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> exponent(-10, 10);
  std::vector<Summands> all(tries, zeros(op));
  for (Summands& each : all)
    for (size_t k = 0; k < op.terms; ++k) {
      each.x[k] = rounded(op.input, std::ldexp(normal(generator), exponent(generator)));
      each.w[k] = rounded(op.input, normal(generator));
    }
  const std::vector<double> results = probe(op, all);
  const double terms = std::round(1 / scale);
  Prediction divided{tries, 0, true}, multiplied{tries, 0, false};
  for (size_t i = 0; i < tries; ++i) {
    const double sum = sum_by(tree, arithmetic, all[i], op.multiplies);
    const DType type = arithmetic.partial_sums[tree.root];
    const double quotient = scale == 1 ? sum : rounded(type, sum / terms);
    const double scaled = scale == 1 ? sum : rounded(type, sum * rounded(type, 1 / terms));
    divided.right += rounded(op.output, quotient) == results[i] ? 1 : 0;
    multiplied.right += rounded(op.output, scaled) == results[i] ? 1 : 0;
  }
  return scale != 1 && divided.right >= multiplied.right ? divided : multiplied;
}

}  // namespace parity::reveal
