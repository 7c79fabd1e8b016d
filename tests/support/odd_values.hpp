// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/traces/samples.hpp"

namespace parity {

/// Elements of random bits, so that each value of a small type occurs, including NaN, infinities and
/// subnormals. bool: 0 and 1.
inline Sample random_bits(DType dtype, size_t count, unsigned seed = 1) {
  Sample sample(dtype, std::vector<double>(count, 0));
  std::mt19937 random(seed);
  for (size_t i = 0; i < count * size_of(dtype); ++i)
    sample.bytes[i] = static_cast<std::byte>(dtype == DType::bool8 ? random() & 1 : random() & 255);
  return sample;
}

}  // namespace parity
