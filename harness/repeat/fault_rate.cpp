// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/repeat/fault_rate.hpp"

#include <cmath>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::repeat {

double excluded_rate(int64_t clean) {
  return clean < 1 ? 1 : -std::expm1(std::log1p(-confidence) / static_cast<double>(clean));
}

int64_t repetitions_to_exclude(double rate) {
  require(rate > 0 && rate < 1, "a rate of wrong runs is between 0 and 1");
  auto needed = static_cast<int64_t>(std::ceil(std::log1p(-confidence) / std::log1p(-rate)));
  while (excluded_rate(needed) > rate)  // the quotient was rounded down
    ++needed;
  while (needed > 1 && excluded_rate(needed - 1) <= rate)
    --needed;
  return needed;
}

std::string describe_excluded(int64_t clean) {
  if (clean < 1)
    return "no clean repetition, so no rate of wrong runs is excluded";
  return fmt::format(
      "{} clean repetition{} exclude{} that more than {:.3g} % of the runs differ (at {:.0f} %)", clean,
      clean == 1 ? "" : "s", clean == 1 ? "s" : "", 100 * excluded_rate(clean), 100 * confidence);
}

}  // namespace parity::repeat
