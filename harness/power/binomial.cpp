// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/binomial.hpp"

#include <cmath>

namespace parity::power {
namespace {

/// Returns P(at least `hits` of `trials`) for a probability p of each hit, 0 < p < 1.
double upper_tail(const Tally& tally, double p) {
  const auto n = static_cast<double>(tally.trials);
  double sum = 0;
  for (int64_t i = tally.hits; i <= tally.trials; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                    (n - k) * std::log1p(-p));
  }
  return sum;
}

}  // namespace

double at_least(const Tally& tally) {
  if (tally.hits <= 0)
    return 0;
  double low = 0, high = 1;  // the tail rises with p
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(tally, middle) < 1 - confidence ? low : high) = middle;
  }
  return low;
}

double at_most(const Tally& tally) {
  return 1 - at_least({tally.trials - tally.hits, tally.trials});
}

}  // namespace parity::power
