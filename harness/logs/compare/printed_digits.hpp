// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/logs/log.hpp"

namespace parity::logs {

/// The digits to which a log printed a channel: "%.5f" keeps decimals, "%.4g" significant digits.
struct PrintedDigits {
  int significant = 0;  ///< most of any value
  int decimals = 0;     ///< most of any value; below 0 never

  /// Returns the largest distance of the printed value from the one behind it.
  double half_unit(double printed) const;
  /// Returns "4 significant digits".
  std::string text() const;
};

/// Agreement of a loss, eval_loss or grad_norm in fewer digits proves too little: a learning rate that is
/// late by a step moves the loss by less than 1e-3 of it.
inline constexpr int fewest_that_prove = 4;

/// Returns the digits of values that were printed with few of them; nothing for values with more than 9
/// digits, fewer than 3, or fewer than 3 values. What a value behind them was cannot be known, so this is
/// only of use for values that follow from weights, which are never short decimals by themselves.
std::optional<PrintedDigits> printed_digits(std::span<const double> values);

/// Returns the significant digits of the value that has most; all_digits if fewer than 3 values are finite
/// and not 0, which show no format.
int shown_digits(std::span<const double> values);
inline constexpr int all_digits = 17;  ///< significant digits that distinguish every two float64

/// Returns the digits to compare a channel with if one log printed few digits and the other more; else
/// nothing.
///
/// A log printed few digits if its loss, eval_loss or grad_norm has few. Other channels of such a log, as lr,
/// count as printed with as many significant digits, or with as many as they show: an lr of "0.0003" in a log
/// of all digits is exact. Whole numbers of both logs that show fewer digits than the results are exact as
/// well: "1000000" tokens were not rounded.
struct CoarseSide {
  bool is_first = false;  ///< which side has fewer digits
  PrintedDigits digits;
};
std::optional<CoarseSide> coarse_side(const Log& first, const Log& second, const std::string& channel);

/// Returns `fine` with each value replaced by the coarse one of its position, if that is its rounding.
std::vector<double> rounded_like(std::span<const double> coarse, std::span<const double> fine,
                                 const PrintedDigits& digits);

}  // namespace parity::logs
