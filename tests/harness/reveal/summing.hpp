// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators that sum in a known order.
#pragma once

#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "harness/reveal/probe.hpp"
#include "harness/reveal/summation_tree.hpp"

namespace parity::reveal {

/// An operator of float32 that computes `sum` for each set of summands.
template <class Sum>
SummingOperator float32_operator(size_t terms, bool multiplies, const Sum& sum) {
  return {terms, DType::float32, DType::float32, multiplies, [=](const std::vector<Summands>& all) {
            std::vector<double> results;
            for (const Summands& each : all) {
              const std::vector<float> x(each.x.begin(), each.x.end()), w(each.w.begin(), each.w.end());
              results.push_back(static_cast<double>(sum(std::span(x), std::span(w))));
            }
            return results;
          }};
}

inline float loop_sum(std::span<const float> x) {
  float sum = 0;
  for (const float each : x)
    sum += each;
  return sum;
}

/// Eight lanes left to right, then the lanes in pairs: what a vector loop does.
inline float lane_sum(std::span<const float> x) {
  float lanes[8] = {};
  for (size_t k = 0; k < x.size(); ++k)
    lanes[k % 8] += x[k];
  for (size_t width = 1; width < 8; width *= 2)
    for (size_t k = 0; k < 8; k += 2 * width)
      lanes[k] += lanes[k + width];
  return lanes[0];
}

inline float fused_dot(std::span<const float> x, std::span<const float> w) {
  float sum = 0;
  for (size_t k = 0; k < x.size(); ++k)
    sum = std::fma(x[k], w[k], sum);
  return sum;
}

inline float rounded_dot(std::span<const float> x, std::span<const float> w) {
  float sum = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const volatile float product = x[k] * w[k];
    sum += product;
  }
  return sum;
}

/// A tree that joins random nodes until one is left; sometimes three at once.
inline SummationTree random_tree(size_t terms, uint64_t seed) {
  std::mt19937_64 generator(seed);
  SummationTree tree(terms);
  std::vector<size_t> open(terms);
  for (size_t k = 0; k < terms; ++k)
    open[k] = k;
  while (open.size() > 1) {
    std::vector<size_t> children;
    for (size_t count = open.size() > 2 && generator() % 5 == 0 ? 3 : 2; count > 0; --count) {
      const size_t at = generator() % open.size();
      children.push_back(open[at]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    }
    open.push_back(tree.add(children));
  }
  tree.root = open[0];
  return tree;
}

}  // namespace parity::reveal
