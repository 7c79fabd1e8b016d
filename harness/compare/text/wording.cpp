// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/text/wording.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/measure/difference/difference.hpp"

namespace parity::compare {

std::string number_text(double value, bool as_float32) {
  return as_float32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

std::string size_text(double value) {
  return fmt::format("{:.2g}", value);
}

std::string ulp_text(uint64_t ulps) {
  constexpr uint64_t most = 10'000'000;
  if (ulps == measure::Difference::no_ulp)
    return "-";
  return ulps < most ? std::to_string(ulps) : size_text(static_cast<double>(ulps));
}

std::string power_text(double log2_ratio) {
  if (std::abs(log2_ratio) < 0.05)
    log2_ratio = 0;  // not "2^-0.0"
  return std::isfinite(log2_ratio) ? fmt::format("2^{:.1f}", log2_ratio) : fmt::format("2^{}", log2_ratio);
}

std::string steps_text(const std::vector<int64_t>& steps) {
  constexpr size_t most = 6;
  if (steps.empty())
    return "no step";
  if (steps.size() == 1)
    return fmt::format("step {}", steps.front());
  if (steps.back() - steps.front() + 1 == static_cast<int64_t>(steps.size()))
    return fmt::format("steps {}-{}", steps.front(), steps.back());
  std::string text = "steps ";
  for (size_t i = 0; i < std::min(steps.size(), most); ++i)
    text += (i ? ", " : "") + std::to_string(steps[i]);
  if (steps.size() > most)
    text += fmt::format(" and {} more", steps.size() - most);
  return text;
}

std::string over_text(const std::vector<int64_t>& steps) {
  return (steps.size() == 1 ? "at " : "over ") + steps_text(steps);
}

std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

std::string count_text(size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace parity::compare
