// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity {

/// A channel at chosen steps.
struct Series {
  std::vector<int64_t> steps;
  std::variant<std::vector<double>, std::vector<int64_t>> values;  ///< one a step

  size_t size() const { return steps.size(); }
  bool integral() const { return std::holds_alternative<std::vector<int64_t>>(values); }
  /// int64 values widened, which rounds beyond 2^53: for gaps and plots, never for equality.
  double widened(size_t i) const;
  /// Whether every value is finite or infinite and exactly a float32.
  bool float32_valued() const;
  /// Full precision; as float32 where asked for.
  std::string text(size_t i, bool as_float32 = false) const;
};

/// Whether two values have the same type and bits. A NaN agrees with nothing, also not with a NaN; +0 and -0
/// are different.
bool same_bits(const Series& a, size_t i, const Series& b, size_t j);

/// Returns |b - a| of two values, 0 only where they are equal.
///
/// Integers are subtracted exactly, also beyond 2^53, where their doubles can be equal. NaN if either value
/// is a NaN, or if one series holds integers and the other does not.
double gap_between(const Series& a, size_t i, const Series& b, size_t j);

/// The channel at those of the `wanted` steps that the trace has, in that order.
/// \param steps    the steps of the trace, one a value of the channel
/// \param lacking  if given: receives the wanted steps that are not there
Series series_of(const Channel& channel, const std::vector<int64_t>& steps,
                 const std::vector<int64_t>& wanted, std::vector<int64_t>* lacking = nullptr);

}  // namespace parity
