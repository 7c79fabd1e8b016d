// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "harness/compare/curves/pattern.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/relations/bits.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

/// Returns "1 step later" or "2 steps earlier".
std::string lag_text(int64_t lag) {
  return fmt::format("{} step{} {}", std::abs(lag), std::abs(lag) == 1 ? "" : "s",
                     lag > 0 ? "later" : "earlier");
}

/// Returns the result for a curve that is the same at lag 0: it is flat or was not shifted, and shows no lag.
CheckResult vacuous(const std::string& quantity, const Side& a, const Side& b, int64_t lag,
                    const std::string& where) {
  CheckResult result;
  result.verdict = Verdict::vacuous;
  result.sentence = fmt::format(
      "{} of {} has {}'s bits at the same step as well as {} {}, so the window shows no lag; choose a "
      "window in which it changes",
      quantity, b.name, a.name, lag_text(lag), where);
  return result;
}

/// Returns the lag that the whole curves show, for a claim that failed: "lr of b lags a's by 1 step, bit for
/// bit".
std::string fitting_lag(const std::string& channel, const Side& a, const Side& b) {
  const Series left = channel_at(a, channel, a.trace->steps());
  const Series right = channel_at(b, channel, b.trace->steps());
  if (left.steps != right.steps)
    return "";
  if (measure_series(left, right).identical())
    return fmt::format("{} of {} is {}'s at the same step", channel, b.name, a.name);
  return pattern_text(channel, a.name, b.name, left, right, measure_series(left, right));
}

CheckResult judge_lagged_channels(const Check& check, const std::vector<Side>& sides, BitsClaim claim) {
  const Side& a = sides.at(0);
  const Side& b = sides.at(1);
  const std::vector<int64_t> window = steps_in(resolve(check.steps, sides), sides);
  const ResolvedWindow run = updates_of(sides);
  std::vector<int64_t> steps, later;
  for (const int64_t step : window)
    if (step + check.lag >= run.first && step + check.lag <= run.last) {
      steps.push_back(step);
      later.push_back(step + check.lag);
    }
  if (steps.empty())
    throw MissingEvidence(
        fmt::format("no step {} later than {} was recorded by {}", check.lag, steps_text(window), b.name));
  const std::vector<std::string> names = match_channels(check.channels, sides);
  std::vector<SeriesPair> pairs;
  pairs.reserve(names.size());
  for (const std::string& name : names)
    pairs.push_back({name, channel_at(a, name, steps), channel_at(b, name, later)});
  claim.holds =
      fmt::format("{} of {} {} {} the same bits as {}'s {} (of {})", list_text(names), b.name,
                  lag_text(check.lag), names.size() == 1 ? "has" : "have", a.name, over_text(steps), a.name);
  CheckResult result = judge_series_bits(pairs, claim);
  if (!result.passed)
    result.looks_like = fitting_lag(names.front(), a, b);
  for (const SeriesPair& pair : pairs)
    if (result.passed && pair.expected.size() > 0) {
      const Series unmoved = channel_at(b, pair.channel, steps);
      bool same = true;
      for (size_t i = 0; i < steps.size(); ++i)
        same = same && same_bits(pair.expected, i, unmoved, i);
      if (same)
        return vacuous(pair.channel, a, b, check.lag, over_text(steps));
    }
  return result;
}

CheckResult judge_lagged_tensors(const Check& check, const Side& a, const Side& b, BitsClaim claim) {
  std::vector<SourcePair> pairs;
  bool moves = false;
  for (const TensorPair& pair : pair_tensors(check, a, b, check.lag)) {
    pairs.push_back({tensor_source(*a.trace, pair.expected), tensor_source(*b.trace, pair.actual)});
    const TensorSource unmoved = tensor_source(*b.trace, pair.expected);
    moves = moves || !(unmoved.sketch || unmoved.whole()) ||
            !measure_tensor(pairs.back().expected, unmoved).identical;
  }
  claim.holds = fmt::format("{} of {} {} has the same bits as {}'s ({})", check.quantity(), b.name,
                            lag_text(check.lag), a.name, count_text(pairs.size(), "tensor"));
  const CheckResult result = judge_tensor_bits(pairs, claim);
  return result.passed && !moves ? vacuous(check.quantity(), a, b, check.lag, "in the window") : result;
}

}  // namespace

CheckResult judge_lagged(const Check& check, const std::vector<Side>& sides) {
  const Side& a = sides.at(0);
  const Side& b = sides.at(1);
  if (check.lag == 0)
    throw MissingEvidence("invalid lag of 0 steps; use the relation identical");
  const BitsClaim claim{a.name, b.name, "", fmt::format("{} differs from {}'s", lag_text(check.lag), a.name)};
  return check.of_tensors() ? judge_lagged_tensors(check, a, b, claim)
                            : judge_lagged_channels(check, sides, claim);
}

}  // namespace parity::compare
