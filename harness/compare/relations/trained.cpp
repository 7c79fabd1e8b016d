// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/curves/course.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

CheckResult fault(const std::string& sentence, Verdict verdict) {
  CheckResult result;
  result.verdict = verdict;
  result.sentence = sentence;
  return result;
}

/// Returns a sentence if the run did not move its parameters at any step, or, with `at_each`, if it missed a
/// step. "" if they moved or the run recorded no update_norm.
std::string stillness(const Side& side, const std::vector<int64_t>& steps, bool at_each = false) {
  if (!side.trace->channels().contains("update_norm"))
    return "";
  const Series norms = channel_at(side, "update_norm", steps);
  size_t moved = 0;
  for (size_t i = 0; i < norms.size(); ++i) {
    if (norms.widened(i) > 0)
      ++moved;
    else if (at_each)
      return fmt::format("no parameter of {} moved at step {} (update_norm is {})", side.name, steps[i],
                         norms.text(i, norms.float32_valued()));
  }
  return moved > 0 ? ""
                   : fmt::format("no parameter of {} moved {} (update_norm is never above 0)", side.name,
                                 over_text(steps));
}

/// Returns whether a curve improves as it rises; all others improve as they fall.
bool rises(const std::string& name) {
  return name.starts_with("reward");
}

CheckResult judge_curve(const std::string& name, const Side& side, const Series& curve,
                        const std::vector<int64_t>& steps) {
  const double sign = rises(name) ? -1 : 1;
  size_t best = 0;
  for (size_t i = 0; i < curve.size(); ++i)
    if (sign * curve.widened(i) < sign * curve.widened(best))
      best = i;
  if (curve.size() < 3)
    throw MissingEvidence(
        fmt::format("{} of {} has {} values (its noise takes 3 to measure); train for longer", name,
                    side.name, curve.size()));
  const double noise = step_noise(curve);
  const double descent = sign * (curve.widened(0) - curve.widened(best));
  const std::string still = stillness(side, steps);
  CheckResult result;
  result.measured = {{"descent", descent}, {"noise", noise}};
  if (noise > 0)
    result.measured["noises"] = descent / noise;
  result.limit = {{"noises", needed_noises}};
  result.passed = descent > needed_noises * noise && still.empty();
  result.verdict = result.passed ? Verdict::different : Verdict::vacuous;
  const std::string numbers = fmt::format(
      "from {} at step {} to {} at step {}, {} of {} against a step-to-step "
      "noise of {} (needed {:.0f} times)",
      curve.text(0, curve.float32_valued()), steps[0], curve.text(best, curve.float32_valued()), steps[best],
      rises(name) ? "an ascent" : "a descent", size_text(descent), size_text(noise), needed_noises);
  if (!still.empty())
    result.sentence = still + ": it did not train";
  else if (!result.passed)
    result.sentence = fmt::format("{} of {} did not {} beyond its noise: {}", name, side.name,
                                  rises(name) ? "rise" : "fall", numbers);
  else
    result.sentence = fmt::format("{} of {} {} {}", name, side.name, rises(name) ? "rose" : "fell", numbers);
  return result;
}

/// Returns whether a run trains a policy. Its loss need not fall, because each update has new rollouts. Its
/// weights must move.
bool is_of_a_policy(const Side& side) {
  return side.trace->channels().contains("reward_mean");
}

/// Returns a sentence if a policy had no gradient at any step, as with rewards that are equal within each
/// group. Weight decay and momentum move its weights all the same. "" if it had one, or recorded none.
/// \throws MissingEvidence if it recorded neither grad_norm nor update_norm
std::string lack_of_gradient(const Side& side, const std::vector<int64_t>& steps) {
  const auto& channels = side.trace->channels();
  if (!channels.contains("grad_norm") && !channels.contains("update_norm"))
    throw MissingEvidence(
        fmt::format("{} recorded neither update_norm nor grad_norm, which show that a policy trains; "
                    "record one of them",
                    side.name));
  if (!channels.contains("grad_norm"))
    return "";
  const Series norms = channel_at(side, "grad_norm", steps);
  for (size_t i = 0; i < norms.size(); ++i)
    if (norms.widened(i) > 0)
      return "";
  return fmt::format("the gradient of {} was 0 {} (grad_norm is never above 0, as with equal rewards)",
                     side.name, over_text(steps));
}

CheckResult judge_policy(const Side& side, const std::vector<int64_t>& steps) {
  CheckResult result;
  std::string still = stillness(side, steps, /*at_each=*/true);
  if (still.empty())
    still = lack_of_gradient(side, steps);
  result.passed = still.empty();
  result.verdict = result.passed ? Verdict::different : Verdict::vacuous;
  if (!result.passed)
    result.sentence = still + ": it did not train";
  else if (side.trace->channels().contains("update_norm"))
    result.sentence = fmt::format("the weights of {} moved at each update", side.name);
  else
    result.sentence = fmt::format("the gradient of {} was not always 0", side.name);
  return result;
}

CheckResult judge_channel(const std::string& name, const Side& side, const std::vector<int64_t>& steps) {
  const Series curve = channel_at(side, name, steps);
  for (size_t i = 0; i < curve.size(); ++i)
    if (!std::isfinite(curve.widened(i)))
      return fault(fmt::format("{} of {} is {} at step {}", name, side.name, curve.widened(i), steps[i]),
                   Verdict::different);
  return name == "loss" && is_of_a_policy(side) ? judge_policy(side, steps)
                                                : judge_curve(name, side, curve, steps);
}

}  // namespace

CheckResult judge_trained(const Check& check, const std::vector<Side>& sides) {
  if (check.of_tensors())
    throw MissingEvidence("trained is about a loss curve, not tensors; name a channel");
  const std::vector<std::string> wanted =
      check.channels.empty() ? std::vector<std::string>{"loss"} : check.channels;
  const std::vector<int64_t> steps = steps_in(resolve(check.steps, sides), sides);
  CheckResult result;
  Coverage coverage;
  for (const std::string& name : match_channels(wanted, sides)) {
    result = judge_channel(name, sides.at(0), steps);
    coverage.add(0, name, steps);
    if (!result.passed)
      break;
  }
  result.coverage = std::move(coverage);
  return result;
}

}  // namespace parity::compare
