// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace parity::bisect {

/// Wald's sequential test of a run that may pass by chance: decides whether its probability to pass is p0 =
/// 0.99 or p1 = 0.7.
///
/// The error probability is 0.05 for calling a good run bad and 0.2 for calling a bad run good. The test ends
/// after a failure at the first or second look, or after five passes. Passes with occasional failures could
/// continue without end, so after nine looks the test takes the likelier probability.
/// Source: METRICS.md M15; A. Wald, "Sequential Tests of Statistical Hypotheses", 1945.
class SequentialTest {
 public:
  static constexpr int most = 9;  ///< largest number of looks

  void add(bool passed);
  /// Returns whether the run passes; nothing while the test needs another look.
  std::optional<bool> decision() const;
  int looks() const { return looks_; }

 private:
  double ratio_ = 1;  ///< likelihood under p1 divided by that under p0
  int looks_ = 0;
};

}  // namespace parity::bisect
