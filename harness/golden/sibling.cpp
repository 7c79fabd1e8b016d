// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/sibling.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/bounds/gap_ratio.hpp"
#include "harness/compare/checks/settle.hpp"
#include "harness/compare/sides/asked.hpp"

namespace parity::golden {
namespace {

/// Returns a stored channel of an arm at exactly these steps.
compare::Series stored_series(const Golden& golden, const std::string& arm, const std::string& channel,
                              const std::vector<int64_t>& steps) {
  const std::string& name = golden.origin.case_name;
  const auto found = golden.arms.find(arm);
  if (found == golden.arms.end())
    throw compare::MissingEvidence(fmt::format("the golden of {} has no arm '{}'", name, arm));
  const GoldenChannels& run = found->second.run;
  const auto stored = run.channels.find(channel);
  if (stored == run.channels.end())
    throw compare::MissingEvidence(
        fmt::format("the golden of {} has no channel {} of {}", name, channel, arm));
  std::vector<int64_t> lacking;
  compare::Series series = compare::series_of(stored->second, run.steps, steps, &lacking);
  if (!lacking.empty())
    throw compare::MissingEvidence(
        fmt::format("the golden of {} has no {} of {} at step {}", name, channel, arm, lacking.front()));
  return series;
}

compare::Side side_of(const std::string& name, const std::map<std::string, compare::ArmEvidence>& arms) {
  const compare::ArmEvidence& arm = arms.at(name);
  if (!arm.ended_well())
    throw compare::MissingEvidence(name + " did not finish" +
                                   (arm.failure.empty() ? "" : ": " + arm.failure));
  return compare::side_of(name, arm);
}

/// Returns what the check asks of the sibling: the same as of its pair.
compare::CoveredSide asked_of_stored(compare::CoveredSide asked, const Golden& golden,
                                     const std::string& arm) {
  asked.name = arm + " of " + golden.origin.case_name;
  asked.ranks_asked = asked.ranks_found = 0;
  const GoldenChannels& run = golden.arms.at(arm).run;
  asked.found = channels_found(asked.asked, run.channels, run.steps);
  return asked;
}

compare::CheckResult judge_with(const compare::Check& check,
                                const std::map<std::string, compare::ArmEvidence>& arms,
                                const Golden& golden) {
  const std::vector<std::string>& pair = check.sibling->arms;
  const std::vector<compare::Side> sides = {side_of(check.arms.at(0), arms), side_of(check.arms.at(1), arms)};
  const std::vector<compare::GapCurve> own = gap_curves(check, sides[0], sides[1]);
  std::vector<compare::GapCurve> sibling;
  for (const compare::GapCurve& curve : own)
    sibling.push_back(gap_curve(curve.quantity,
                                stored_series(golden, pair.at(0), curve.quantity, curve.steps),
                                stored_series(golden, pair.at(1), curve.quantity, curve.steps)));
  compare::CheckResult result =
      judge_gap_ratio(own, sibling, *check.sibling,
                      {fmt::format("{} against {}", check.arms[1], check.arms[0]),
                       fmt::format("{} against {} of {}", pair[1], pair[0], golden.origin.case_name)});
  std::vector<compare::CoveredSide> asked = asked_of(check, sides);
  for (const std::string& arm : pair)
    asked.push_back(asked_of_stored(asked.front(), golden, arm));
  return settle(std::move(result), asked);
}

}  // namespace

compare::CheckResult judge_against_sibling(const compare::Check& check,
                                           const std::map<std::string, compare::ArmEvidence>& arms,
                                           const StoredGolden& stored) {
  compare::CheckResult result;
  result.verdict = compare::Verdict::missing;
  if (!stored.golden) {
    result.sentence = "the sibling's gap is not known: " + stored.problem;
    return result;
  }
  try {
    return judge_with(check, arms, *stored.golden);
  } catch (const compare::MissingEvidence& problem) {
    result.sentence = problem.what();
  } catch (const UserError& problem) {  // a trace that cannot be read
    result.sentence = problem.what();
  }
  return result;
}

}  // namespace parity::golden
