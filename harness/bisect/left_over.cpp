// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/left_over.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/collapse.hpp"
#include "harness/compare/wording.hpp"

namespace parity {
namespace {

constexpr double rounding_units = 0x1p10;  // CollapseRule::multiple
constexpr double obvious_units = 0x1p17;

struct Norms {
  double gap = 0, size = 0;
};

Norms norms_of(const RunCurves& a, const RunCurves& b, const std::string& channel) {
  Norms norms;
  const auto x = a.channels.find(channel), y = b.channels.find(channel);
  if (x == a.channels.end() || y == b.channels.end())
    return norms;
  const std::vector<double> of_a = x->second.as_double(), of_b = y->second.as_double();
  for (size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) {
    norms.gap = std::hypot(norms.gap, of_a[i] - of_b[i]);
    norms.size = std::hypot(norms.size, of_a[i]);
  }
  return norms;
}

/// Whether the gap collapses in float64 in every channel; says by how much where it does least.
LeftOver judged_by_twins(OptionRuns& runs, const Toggles& a, const Toggles& b, const LeftOverRule& rule,
                         LeftOver left) {
  const Hybrid twin_a{a, 0, 0, true}, twin_b{b, 0, 0, true};
  runs.fetch({twin_a, twin_b});
  const RunCurves& wide_a = runs.of(twin_a);
  const RunCurves& wide_b = runs.of(twin_b);
  left.agrees = wide_a.finished() && wide_b.finished();
  left.why = "a float64 twin did not finish";
  double least = INFINITY;
  for (const std::string& channel : rule.channels) {
    if (!left.agrees)
      break;
    const Norms narrow = norms_of(runs.of({a}), runs.of({b}), channel);
    const Norms wide = norms_of(wide_a, wide_b, channel);
    const Collapse collapse{narrow.gap, wide.gap, wide.size};
    if (narrow.gap == 0 && wide.gap == 0)
      continue;
    left.agrees = CollapseRule().accepts(collapse);
    least = left.agrees ? std::min(least, collapse.log2_ratio()) : collapse.log2_ratio();
    left.why = fmt::format("the gap falls by {} in float64{}", power_text(least),
                           left.agrees ? "" : ", in " + channel);
  }
  return left;
}

}  // namespace

LeftOver left_over(OptionRuns& runs, const Toggles& a, const Toggles& b, const LeftOverRule& rule) {
  runs.fetch({{a}, {b}});
  const RunCurves& left_run = runs.of({a});
  const RunCurves& right_run = runs.of({b});
  LeftOver left;
  if (!left_run.finished() || !right_run.finished()) {
    left.agrees = left_run.failure_kind == right_run.failure_kind;
    left.why = left.agrees ? "both fail in the same way" : left_run.failure + right_run.failure;
    return left;
  }
  if (rule.by_failure) {
    left.why = "both finish";
    return left;
  }
  const CurveRuler ruler(left_run, right_run, rule.channels);
  for (int look = 0; look < rule.looks; ++look)
    if (const CurveGap gap = ruler.farthest(left_run, runs.of({b, 0, look}), to_the_end);
        gap.size > left.gap.size)
      left.gap = gap;
  if (left.gap.size == 0) {
    left.why = "the same bits";
    return left;
  }
  const std::string size = "relative gap " + size_text(left.gap.size);
  const auto decided = [&](bool agrees, const std::string& why) {
    left.agrees = agrees;
    left.why = why;
    return left;
  };
  if (rule.floor)
    return decided(left.gap.size <= *rule.floor, size + ", the floor is " + size_text(*rule.floor));
  if (rule.noise_measured)
    return decided(left.gap.size <= rule.noise, size + ", repeats differ by as much");
  if (rule.whole_gap <= rounding_units * rule.noise)
    return decided(false, size + " of a difference that may be rounding itself");
  if (left.gap.size > std::min(obvious_units * rule.noise, 0.5))
    return decided(false, size);
  if (rule.noise == 0x1p-53)
    return decided(left.gap.size <= rounding_units * rule.noise, size + " in float64");
  return judged_by_twins(runs, a, b, rule, left);
}

}  // namespace parity
