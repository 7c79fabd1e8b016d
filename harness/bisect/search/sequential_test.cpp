// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search/sequential_test.hpp"

namespace parity::bisect {
namespace {

constexpr double p0 = 0.99, p1 = 0.7;
constexpr double alpha = 0.05, beta = 0.2;

}  // namespace

void SequentialTest::add(bool passed) {
  ratio_ *= passed ? p1 / p0 : (1 - p1) / (1 - p0);
  ++looks_;
}

std::optional<bool> SequentialTest::decision() const {
  if (ratio_ >= (1 - beta) / alpha)
    return false;
  if (ratio_ <= beta / (1 - alpha))
    return true;
  if (looks_ >= most)
    return ratio_ < 1;
  return std::nullopt;
}

}  // namespace parity::bisect
