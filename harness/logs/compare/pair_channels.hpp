// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/curves/series.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/logs/compare/filter.hpp"
#include "harness/logs/compare/printed_digits.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// A channel of both logs, at the steps that both have.
struct CurveDifference {
  std::string name;
  compare::Series expected, actual;
  compare::SeriesDifference difference;
  /// The side that printed fewer digits, if the other was rounded to them before it was compared.
  std::optional<CoarseSide> coarse = {};

  /// Returns "different", "identical", or "equal" if a policy or printed digits allow differences.
  std::string verdict(bool strict) const {
    return !difference.identical() ? "different" : strict && !coarse ? "identical" : "equal";
  }
  bool agrees() const { return expected.size() > 0 && difference.identical(); }
};

/// Pairs the channels of two logs by step, and measures their difference. If one log printed fewer digits,
/// the other is rounded to them (printed_digits.hpp).
/// \param names  channels of both logs
/// \param shift  is added to the steps of the second
std::vector<CurveDifference> pair_channels(const Log& first, const Log& second,
                                           const std::vector<std::string>& names, int64_t shift,
                                           const LogFilter& filter);

/// Returns 1 or -1 if one log counts from 0 and the other from 1, and moving the second by it makes
/// everything agree. Otherwise 0.
///
/// The learning rate does not decide: one that is late by a step is a defect, not another numbering. Nor do
/// constant channels, which agree under every shift.
int64_t find_shift(const Log& first, const Log& second, const std::vector<std::string>& names,
                   const LogFilter& filter);

}  // namespace parity::logs
