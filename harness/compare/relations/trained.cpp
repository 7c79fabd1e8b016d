// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/curve_course.hpp"
#include "harness/compare/quantity.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/wording.hpp"

namespace parity {
namespace {

CheckResult fault(const std::string& sentence, Verdict verdict) {
  CheckResult result;
  result.verdict = verdict;
  result.sentence = sentence;
  return result;
}

/// Where a run recorded how far its parameters moved, they must have.
std::string stillness(const Side& side, const std::vector<int64_t>& steps) {
  if (!side.trace->channels().contains("update_norm"))
    return "";
  const Series norms = channel_at(side, "update_norm", steps);
  for (size_t i = 0; i < norms.size(); ++i)
    if (norms.widened(i) > 0)
      return "";
  return fmt::format("no parameter of {} moved {} (update_norm is never above 0)", side.name,
                     over_text(steps));
}

CheckResult judge_curve(const std::string& name, const Side& side, const std::vector<int64_t>& steps) {
  const Series curve = channel_at(side, name, steps);
  size_t best = 0;
  for (size_t i = 0; i < curve.size(); ++i) {
    if (!std::isfinite(curve.widened(i)))
      return fault(fmt::format("{} of {} is {} at step {}", name, side.name, curve.widened(i), steps[i]),
                   Verdict::different);
    if (curve.widened(i) < curve.widened(best))
      best = i;
  }
  if (curve.size() < 3)
    throw MissingEvidence(
        fmt::format("{} of {} has {} values (its noise takes 3 to measure); train for longer", name,
                    side.name, curve.size()));
  const double noise = step_noise(curve);
  const double descent = curve.widened(0) - curve.widened(best);
  const std::string still = stillness(side, steps);
  CheckResult result;
  result.measured = {{"descent", descent}, {"noise", noise}};
  if (noise > 0)
    result.measured["noises"] = descent / noise;
  result.limit = {{"noises", needed_noises}};
  result.passed = descent > needed_noises * noise && still.empty();
  result.verdict = result.passed ? Verdict::different : Verdict::vacuous;
  const std::string numbers = fmt::format(
      "from {} at step {} to {} at step {}, a descent of {} against a step-to-step "
      "noise of {} (needed {:.0f} times)",
      curve.text(0, curve.float32_valued()), steps[0], curve.text(best, curve.float32_valued()), steps[best],
      size_text(descent), size_text(noise), needed_noises);
  if (!still.empty())
    result.sentence = still + ": it did not train";
  else if (!result.passed)
    result.sentence = fmt::format("{} of {} did not fall beyond its noise: {}", name, side.name, numbers);
  else
    result.sentence = fmt::format("{} of {} fell {}", name, side.name, numbers);
  return result;
}

}  // namespace

CheckResult judge_trained(const Check& check, const std::vector<Side>& sides) {
  if (check.of_tensors())
    throw MissingEvidence("trained is about a loss curve, not tensors; name a channel");
  const std::vector<std::string> wanted =
      check.channels.empty() ? std::vector<std::string>{"loss"} : check.channels;
  const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
  CheckResult result;
  for (const std::string& name : match_channels(wanted, sides)) {
    result = judge_curve(name, sides.at(0), steps);
    if (!result.passed)
      break;
  }
  return result;
}

}  // namespace parity
