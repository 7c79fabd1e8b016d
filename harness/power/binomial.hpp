// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity {

/// How sure the bounds below are, one-sided.
inline constexpr double confidence = 0.95;

/// Hits among trials.
struct Tally {
  int64_t hits = 0;
  int64_t trials = 0;

  void add(bool hit) {
    ++trials;
    hits += hit;
  }
  bool operator==(const Tally&) const = default;
};

/// Exact binomial bounds (Clopper and Pearson, 1934), one-sided at `confidence`: the probability of a hit is
/// at least, or at most, this. 20 of 20 is at least 0.861; 0 of 40 is at most 0.0722. Without trials 0 and 1.
double at_least(const Tally& tally);
double at_most(const Tally& tally);

}  // namespace parity
