// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/curves/shown.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace parity::reports {
namespace {

constexpr std::array<std::string_view, 4> first_channels = {"loss", "reward_mean", "lr", "grad_norm"};

}  // namespace

bool is_of_golden(const Check& check) {
  return check.against == "golden";
}

bool is_record(const Check& check) {
  return check.quantity == "golden" && check.passed;
}

bool is_listed(const Check& check) {
  return !check.passed || (is_of_golden(check) && (is_record(check) || check.verdict != "identical"));
}

bool is_quiet(const Check& check) {
  return check.kind == results::CheckKind::golden && check.passed && check.verdict == "identical";
}

std::vector<Curve> shown_curves(const Case& item) {
  std::vector<Curve> curves;
  for (const std::string_view name : first_channels)
    for (const results::Curve& curve : item.curves)
      if (curve.channel == name)
        curves.push_back(with_bounds(curve, item));
  for (const results::Curve& curve : item.curves)
    if (std::ranges::find(first_channels, curve.channel) == first_channels.end())
      curves.push_back(with_bounds(curve, item));
  return curves;
}

}  // namespace parity::reports
