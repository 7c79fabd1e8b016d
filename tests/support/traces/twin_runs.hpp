// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/traces/planted_runs.hpp"

namespace parity {

/// Two arms and their twins: a curve seen with the rounding of float32 and of float64.
class TwinTest : public PlantedTest {
 protected:
  /// A loss curve with relative noise `size`, in the precision asked for, plus a true difference.
  static std::vector<double> noisy(double size, uint64_t seed, bool float32, double difference = 0) {
    std::vector<double> values;
    for (size_t s = 0; s < 10; ++s) {
      const double truth = 7 + std::exp(-0.3 * static_cast<double>(s)) + difference;
      const double value = truth * (1 + noise(s, size, seed));
      values.push_back(float32 ? static_cast<float>(value) : value);
    }
    return values;
  }

  static PlantedRun run_of(std::vector<double> loss, int64_t mask_pairs = 100) {
    return {.channels = {{"loss", std::move(loss)}, {"mask_pairs", std::vector<int64_t>(10, mask_pairs)}}};
  }

  static constexpr double u32 = 0x1p-22;  ///< a few roundings of each precision
  static constexpr double u64 = 0x1p-51;

  /// Arms that differ by rounding, or by `difference` on top of it.
  void add_pair(double difference = 0) {
    add_arm("a", run_of(noisy(u32, 1, true)));
    add_arm("b", run_of(noisy(u32, 2, true, difference)));
    add_twin("a", run_of(noisy(u64, 3, false)));
    add_twin("b", run_of(noisy(u64, 4, false, difference)));
  }
};

}  // namespace parity
