// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <vector>

#include "harness/measure/measurement.hpp"

namespace parity {

/// All of a measurement, doubles by their bits.
inline std::vector<uint64_t> bits_of(const Measurement& found) {
  std::vector<uint64_t> bits = {static_cast<uint64_t>(found.statistics.nan_count),
                                static_cast<uint64_t>(found.statistics.inf_count),
                                std::bit_cast<uint64_t>(found.statistics.norm),
                                std::bit_cast<uint64_t>(found.statistics.max_abs),
                                found.digest.low,
                                found.digest.high};
  for (const double sum : found.sketch)
    bits.push_back(std::bit_cast<uint64_t>(sum));
  return bits;
}

}  // namespace parity
