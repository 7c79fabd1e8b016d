// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// A channel at selected steps.
struct Series {
  std::vector<int64_t> steps;
  std::variant<std::vector<double>, std::vector<int64_t>> values;  ///< one per step

  size_t size() const { return steps.size(); }
  bool integral() const { return std::holds_alternative<std::vector<int64_t>>(values); }
  /// Returns a value as a double. int64 values beyond 2^53 are rounded: for gaps and plots, never for
  /// equality.
  double widened(size_t i) const;
  /// Returns whether every value is a float32 exactly; false if any is NaN.
  bool float32_valued() const;
  /// Returns a value in full precision, as float32 on request.
  std::string text(size_t i, bool as_float32 = false) const;
};

/// Returns whether two values have the same type and bits. A NaN agrees with nothing, not even with a NaN; +0
/// and -0 differ.
bool same_bits(const Series& a, size_t i, const Series& b, size_t j);

/// Returns |b - a| of two values; 0 only if they are equal.
///
/// Integers are subtracted exactly, even beyond 2^53, where their doubles can be equal. NaN if either value
/// is a NaN, or if only one series holds integers.
double gap_between(const Series& a, size_t i, const Series& b, size_t j);

/// Returns a channel at those of the `wanted` steps that the trace has, in that order.
/// \param steps    steps of the trace, one per value of the channel
/// \param lacking  if given: receives the wanted steps that are missing
Series series_of(const trace::Channel& channel, const std::vector<int64_t>& steps,
                 const std::vector<int64_t>& wanted, std::vector<int64_t>* lacking = nullptr);

/// Returns the first update, up to `last`, at which a channel has other bits in two traces, or is missing in
/// one of them.
std::optional<int64_t> first_other_value(const trace::Trace& a, const trace::Trace& b,
                                         const std::string& channel, int64_t last);

}  // namespace parity::compare
