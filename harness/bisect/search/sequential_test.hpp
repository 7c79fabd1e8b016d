// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace parity {

/// Wald's sequential test of a run that may pass by chance: does it pass with p0 = 0.99 or with p1 = 0.7?
///
/// With an error of 0.05 for taking a good one for bad and 0.2 for the other way it ends after a failure at
/// the first or second look, or after five passes. Passes with a failure now and then could go on for ever:
/// after nine looks the likelier of the two is taken. Source: METRICS.md M15; A. Wald, "Sequential Tests of
/// Statistical Hypotheses", 1945.
class SequentialTest {
 public:
  static constexpr int most = 9;  ///< looks

  void add(bool passed);
  /// Whether it passes; nothing as long as another look is needed.
  std::optional<bool> decision() const;
  int looks() const { return looks_; }

 private:
  double ratio_ = 1;  ///< likelihood under p1 over that under p0
  int looks_ = 0;
};

}  // namespace parity
