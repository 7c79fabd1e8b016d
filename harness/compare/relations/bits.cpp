// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/relations/bits.hpp"

#include <cmath>

#include <fmt/format.h>

#include "harness/compare/curves/pattern.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

/// Returns "at step 3: a 0.1, b 0.2 (1 float32 ULP, relative gap 6e-08)"; with two steps if they differ.
std::string place_text(const SeriesPair& pair, const SeriesDifference& difference, const BitsClaim& claim,
                       size_t i) {
  const int64_t step_e = pair.expected.steps.at(i);
  const int64_t step_a = pair.actual.steps.at(i);
  const std::string e = pair.expected.text(i, difference.float32_valued);
  const std::string a = pair.actual.text(i, difference.float32_valued);
  std::string distance = distance_text(difference, pair.expected, pair.actual, i);
  if (std::isnan(pair.expected.widened(i)) && std::isnan(pair.actual.widened(i)))
    distance = "NaN equals nothing";
  if (difference.types_differ)
    distance = fmt::format("{} against {}", pair.expected.integral() ? "int64" : "float64",
                           pair.actual.integral() ? "int64" : "float64");
  if (!distance.empty())
    distance = " (" + distance + ")";
  if (step_e == step_a)
    return fmt::format("at step {}: {} {}, {} {}{}", step_a, claim.expected_name, e, claim.actual_name, a,
                       distance);
  if (claim.expected_name == claim.actual_name)
    return fmt::format("at step {}: {} at step {}, {} at step {}{}", step_a, e, step_e, a, step_a, distance);
  return fmt::format("at step {}: {} has {} at step {}, {} has {} at step {}{}", step_a, claim.expected_name,
                     e, step_e, claim.actual_name, a, step_a, distance);
}

/// Returns the sentence's clause about one channel that differs.
std::string difference_text(const SeriesPair& pair, const SeriesDifference& difference,
                            const BitsClaim& claim) {
  const size_t first = difference.first.value_or(0);
  std::string text = fmt::format("{} of {} {}", pair.channel, claim.actual_name, claim.fails);
  if (difference.count > 1)
    text += fmt::format(" at {} of {} steps, first", difference.differing, difference.count);
  text += " " + place_text(pair, difference, claim, first);
  if (first > 0)
    text += fmt::format("; identical until step {}", pair.actual.steps.at(first - 1));
  return text;
}

WorstPlace first_place(const SeriesPair& pair, const SeriesDifference& difference) {
  const size_t first = difference.first.value_or(0);
  const auto ulps = ulp_at(difference, pair.expected, pair.actual, first);
  const double gap = std::abs(pair.actual.widened(first) - pair.expected.widened(first));
  return {.step = pair.actual.steps.at(first),
          .quantity = pair.channel,
          .index = {},
          .expected = pair.expected.widened(first),
          .actual = pair.actual.widened(first),
          .metric = ulps ? "ulp" : "absolute_gap",
          .value = ulps ? static_cast<double>(*ulps) : gap,
          .limit = 0};
}

}  // namespace

CheckResult judge_series_bits(const std::vector<SeriesPair>& pairs, const BitsClaim& claim) {
  CheckResult result;
  result.passed = true;
  result.verdict = Verdict::identical;
  result.sentence = claim.holds;
  std::vector<SeriesDifference> differences;
  std::vector<std::string> differing;
  size_t lead = pairs.size();
  for (size_t i = 0; i < pairs.size(); ++i) {
    differences.push_back(measure_series(pairs[i].expected, pairs[i].actual));
    result.coverage.add(0, pairs[i].channel, pairs[i].expected.steps);
    result.coverage.add(1, pairs[i].channel, pairs[i].actual.steps);
    if (differences[i].identical())
      continue;
    differing.push_back(pairs[i].channel);
    const auto first_step = [&](size_t k) {
      return pairs[k].actual.steps.at(differences[k].first.value_or(0));
    };
    if (lead == pairs.size() || first_step(i) < first_step(lead))
      lead = i;
  }
  if (differing.empty()) {
    if (!differences.empty())
      result.measured = differences.front().to_json();
    return result;
  }
  result.passed = false;
  result.verdict = Verdict::different;
  result.measured = differences[lead].to_json();
  result.sentence = difference_text(pairs[lead], differences[lead], claim);
  result.worst = first_place(pairs[lead], differences[lead]);
  std::erase(differing, pairs[lead].channel);
  if (!differing.empty())
    result.sentence += "; also " + list_text(differing);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].expected.steps != pairs[i].actual.steps)
      continue;  // shifted curves show patterns of their own
    const std::string pattern = pattern_text(pairs[i].channel, claim.expected_name, claim.actual_name,
                                             pairs[i].expected, pairs[i].actual, differences[i]);
    if (!pattern.empty())
      result.looks_like += (result.looks_like.empty() ? "" : "; ") + pattern;
  }
  return result;
}

CheckResult judge_tensor_bits(const std::vector<SourcePair>& pairs, const BitsClaim& claim) {
  CheckResult result;
  result.passed = true;
  result.verdict = Verdict::identical;
  result.sentence = claim.holds;
  size_t differing = 0;
  const SourcePair* lead = nullptr;
  TensorGap lead_gap;
  for (const SourcePair& pair : pairs) {
    const TensorGap gap = measure_tensor(pair.expected, pair.actual);
    result.coverage.add(0, pair.expected.key);
    result.coverage.add(1, pair.actual.key);
    result.tensors.push_back(gap.row(pair.actual.key));
    if (gap.identical)
      continue;
    ++differing;
    const bool larger = lead && lead->actual.key.step == pair.actual.key.step &&
                        !(gap.relative_l2 <= lead_gap.relative_l2) && !std::isnan(lead_gap.relative_l2);
    if (!lead || larger) {
      lead = &pair;
      lead_gap = gap;
    }
  }
  if (!lead)
    return result;
  const trace::TensorKey& key = lead->actual.key;
  result.passed = false;
  result.verdict = Verdict::different;
  result.measured = lead_gap.measured();
  result.sentence =
      fmt::format("{} {} of {} {} at step {}: {}", name_of(key.phase), key.name, claim.actual_name,
                  claim.fails, key.step, lead_gap.text(claim.expected_name, claim.actual_name));
  if (pairs.size() > 1)
    result.sentence += fmt::format("; {} of {} tensors differ", differing, pairs.size());
  result.worst =
      WorstPlace{.step = key.step,
                 .quantity = key.name,
                 .index = lead_gap.worst,
                 .expected = lead_gap.worst_expected,
                 .actual = lead_gap.worst_actual,
                 .metric = lead_gap.max_ulp ? "max_ulp" : "relative_l2",
                 .value = lead_gap.max_ulp ? static_cast<double>(*lead_gap.max_ulp) : lead_gap.relative_l2,
                 .limit = 0};
  return result;
}

}  // namespace parity::compare
