// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twins/collapse.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::compare {

double Collapse::log2_ratio() const {
  if (gap32 == 0 && gap64 == 0)
    return 0;
  return std::log2(gap32 / gap64);
}

double Collapse::relative64() const {
  if (norm64 == 0)
    return gap64 == 0 ? 0 : gap64 * std::numeric_limits<double>::infinity();
  return gap64 / norm64;
}

bool CollapseRule::within_rounding64(const Collapse& collapse) const {
  return collapse.gap64 <= multiple * 0x1p-53 * collapse.norm64;
}

bool CollapseRule::falls(const Collapse& collapse) const {
  return collapse.gap32 == 0 || collapse.log2_ratio() >= needed_log2 ||
         collapse.gap64 <= resolution * collapse.norm64;
}

bool CollapseRule::accepts(const Collapse& collapse) const {
  return std::isfinite(collapse.gap32) && falls(collapse) && within_rounding64(collapse);
}

std::string CollapseRule::explain(const Collapse& collapse) const {
  const double ratio = collapse.log2_ratio();
  if (collapse.gap32 == 0 && collapse.gap64 == 0)
    return "no gap in float32 or float64";
  if (collapse.gap32 == 0)
    return fmt::format("no gap in float32, but {} of the quantity in float64 (rounding leaves at most {})",
                       size_text(collapse.relative64()), size_text(multiple * 0x1p-53));
  if (collapse.gap64 == 0)
    return fmt::format("the gap is {} in float32 and 0 in float64", size_text(collapse.gap32));
  std::string text = fmt::format(
      "the gap is {} in float32 and {} in float64, {} times smaller (rounding shrinks at least 2^{:.0f} "
      "times",
      size_text(collapse.gap32), size_text(collapse.gap64), power_text(ratio), needed_log2);
  if (ratio < needed_log2 && accepts(collapse))
    text += ", or to the last bits of a double, as here";
  if (ratio >= needed_log2 && !within_rounding64(collapse))
    text += fmt::format(" and leaves at most {} of the quantity, but {} is left",
                        size_text(multiple * 0x1p-53), size_text(collapse.relative64()));
  return text + ")";
}

}  // namespace parity::compare
