// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parity::reference {

/// A task with verifiable answers: the right completion of "3 8 =" is "1 1" and the end token.
///
/// Tokens 0 to 9 are digits, 10 is "=", 11 ends a completion. Prompt k of update s depends on the seed, s and
/// k alone.
class SumOfDigits {
 public:
  static constexpr int64_t equals = 10;
  static constexpr int64_t end = 11;

  /// \param digits  of a prompt, at least 1
  SumOfDigits(int64_t digits, int64_t seed) : digits_(digits), seed_(seed) {}

  /// \return [digits + 1]
  std::vector<int64_t> prompt(int64_t update, int64_t index) const;

  /// Returns 1 for the sum in decimal digits without leading zeros, and the end. Returns 0 for another number
  /// and the end, and -1 for anything else. A number near the sum gets no more than 0; otherwise a policy
  /// would learn the middle of all sums.
  /// \param completion  with its end, if it has one
  static double reward(std::span<const int64_t> prompt, std::span<const int64_t> completion);

 private:
  int64_t digits_;
  int64_t seed_;
};

}  // namespace parity::reference
