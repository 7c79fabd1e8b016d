// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity::power {

/// The one-sided confidence level of the bounds below.
inline constexpr double confidence = 0.95;

/// A number of hits among a number of trials.
struct Tally {
  int64_t hits = 0;
  int64_t trials = 0;

  void add(bool hit) {
    ++trials;
    hits += hit;
  }
  bool operator==(const Tally&) const = default;
};

/// Return the exact lower and upper binomial bound of the probability of a hit, one-sided at `confidence`.
/// Examples: 20 of 20 is at least 0.861; 0 of 40 is at most 0.0722. Without trials the bounds are 0 and 1.
/// Source: Clopper and Pearson, 1934.
double at_least(const Tally& tally);
double at_most(const Tally& tally);

}  // namespace parity::power
