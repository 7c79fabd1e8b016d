// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/residual_gap.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"
#include "harness/compare/twins/rounding_size.hpp"

namespace parity::bisect {
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

/// The runs of two sets with their float64 twins.
struct TwinRuns {
  const RunCurves &a, &b, &twin_a, &twin_b;

  compare::RoundingSize size_of(const std::string& channel, const compare::RoundingModel& model) const {
    const Norms narrow = norms_of(a, b, channel), wide = norms_of(twin_a, twin_b, channel);
    return {.collapse = {narrow.gap, wide.gap, wide.size},
            .distance_a = norms_of(twin_a, a, channel).gap,
            .distance_b = norms_of(twin_b, b, channel).gap,
            .model_a = model,
            .model_b = model};
  }
};

/// Adds the judgement of one channel: rounding by both rules of `equivalent`, or else a difference.
void judge_channel(ResidualGap& left, const compare::RoundingSize& size, const std::string& channel,
                   double& least) {
  const compare::Collapse& collapse = size.collapse;
  if (collapse.gap32 == 0 && collapse.gap64 == 0)
    return;
  const bool collapses = compare::CollapseRule().accepts(collapse);
  left.agrees = collapses && compare::RoundingSizeRule().judge(size) == compare::Verdict::rounding;
  least = left.agrees ? std::min(least, collapse.log2_ratio()) : collapse.log2_ratio();
  left.why = fmt::format("the gap falls by {} in float64", compare::power_text(least));
  if (!left.agrees)
    left.why += ", in " + channel;
  if (!left.agrees && collapses)
    left.why += ": " + compare::RoundingSizeRule().explain(size, "the first", "the second");
}

/// Judges by float64 twins whether the gap of every channel collapses and has the size of rounding. The
/// result names the smallest collapse of any channel.
ResidualGap judged_by_twins(OptionRuns& runs, const Toggles& a, const Toggles& b, const ResidualGapRule& rule,
                            ResidualGap left) {
  const Hybrid twin_a{a, 0, 0, true}, twin_b{b, 0, 0, true};
  runs.fetch({twin_a, twin_b});
  const TwinRuns all{runs.of({a}), runs.of({b}), runs.of(twin_a), runs.of(twin_b)};
  left.agrees = all.twin_a.finished() && all.twin_b.finished();
  left.why = "a float64 twin did not finish";
  const bool narrow = rule.noise > compare::RoundingModel().roundoff;
  const compare::RoundingModel model = compare::rounding_model(narrow ? DType::bfloat16 : DType::float32);
  double least = INFINITY;
  for (const std::string& channel : rule.channels)
    if (left.agrees)
      judge_channel(left, all.size_of(channel, model), channel, least);
  return left;
}

}  // namespace

ResidualGap residual_gap(OptionRuns& runs, const Toggles& a, const Toggles& b, const ResidualGapRule& rule) {
  runs.fetch({{a}, {b}});
  const RunCurves& left_run = runs.of({a});
  const RunCurves& right_run = runs.of({b});
  ResidualGap left;
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
    left.why = "bitwise identical";
    return left;
  }
  const std::string size = "relative gap " + compare::size_text(left.gap.size);
  const auto decided = [&](bool agrees, const std::string& why) {
    left.agrees = agrees;
    left.why = why;
    return left;
  };
  if (rule.floor)
    return decided(left.gap.size <= *rule.floor, size + ", the floor is " + compare::size_text(*rule.floor));
  if (rule.noise_measured)
    return decided(left.gap.size <= rule.noise, size + ", within the gap of repeats");
  if (rule.whole_gap <= rounding_units * rule.noise)
    return decided(false, size + ", but the whole difference may be rounding");
  if (left.gap.size > std::min(obvious_units * rule.noise, 0.5))
    return decided(false, size);
  if (rule.noise == 0x1p-53)
    return decided(left.gap.size <= rounding_units * rule.noise, size + " in float64");
  return judged_by_twins(runs, a, b, rule, left);
}

}  // namespace parity::bisect
