// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/bounds/gap_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/sides/window.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

/// The gaps of one quantity in both pairs.
struct Ratio {
  const GapCurve* own = nullptr;
  const GapCurve* sibling = nullptr;

  /// Returns the ratio of the gaps; NaN if either gap is not finite, because such a gap measures nothing.
  double value() const {
    const double mine = own->mean(), other = sibling->mean();
    if (!std::isfinite(mine) || !std::isfinite(other))
      return std::numeric_limits<double>::quiet_NaN();
    if (other == 0)
      return mine == 0 ? 0 : mine * std::numeric_limits<double>::infinity();
    return mine / other;
  }
  bool holds(double allowed) const { return value() <= allowed; }
};

/// Returns whether `a` has the larger ratio; a ratio that is NaN comes before all others.
bool is_worse(const Ratio& a, const Ratio& b) {
  return std::isnan(a.value()) ? !std::isnan(b.value()) : !std::isnan(b.value()) && a.value() > b.value();
}

/// Returns the position at which a pair is farthest apart, or of the first gap that is not finite.
size_t widest(const GapCurve& curve) {
  size_t at = 0;
  for (size_t i = 0; i < curve.gap.size(); ++i) {
    if (!std::isfinite(curve.gap[i]))
      return i;
    if (curve.gap[i] > curve.gap[at])
      at = i;
  }
  return at;
}

/// Returns how the gap of a pair compares with its sibling's: "is 6.7 times that of".
std::string standing_text(const Ratio& lead) {
  if (!std::isfinite(lead.own->mean()))
    return "is not finite, so it cannot be compared with that of";
  if (!std::isfinite(lead.sibling->mean()))
    return "cannot be compared with the gap, which is not finite, of";
  return lead.sibling->mean() == 0 && lead.own->mean() > 0
             ? "is more than 0, unlike that of"
             : fmt::format("is {} times that of", size_text(lead.value()));
}

/// Returns "the gap of hsdp against reference is 6.7 times that of fsdp against reference (1.527 against
/// 0.227)".
std::string gap_ratio_text(const Ratio& lead, const GapRatioWords& words) {
  return fmt::format("the gap of {} {} {} ({:.4g} against {:.4g}) in {}, mean {}", words.pair,
                     standing_text(lead), words.sibling, lead.own->mean(), lead.sibling->mean(),
                     lead.own->quantity, over_text(lead.own->steps));
}

/// \param quantities  that were compared, of which `lead` is the worst
std::string sentence_of(const Ratio& lead, const GapRatioWords& words, const Sibling& claim,
                        size_t quantities) {
  const size_t at = widest(*lead.own);
  std::string text = gap_ratio_text(lead, words);
  if (claim.each)
    text += fmt::format(", the worst of {}", count_text(quantities, "tensor"));
  text += claim.rejected ? fmt::format("; rejected from {:g} times on", claim.times)
                         : fmt::format("; allowed {:g} times", claim.times);
  if (lead.own->steps.size() > 1 && lead.own->gap[at] != 0)
    text += fmt::format("; widest at step {}, {:.4g} against {:.4g}", lead.own->steps[at], lead.own->gap[at],
                        lead.sibling->gap[at]);
  return text;
}

/// Returns one curve, the L2 norm of the gaps of all pairs at each step.
GapCurve gap_of_tensors(std::string quantity, const std::vector<TensorPair>& pairs, const Side& a,
                        const Side& b) {
  GapCurve curve;
  curve.quantity = std::move(quantity);
  std::map<int64_t, double> squares;
  for (const TensorPair& pair : pairs) {
    const TensorGap found =
        measure_tensor(tensor_source(*a.trace, pair.expected), tensor_source(*b.trace, pair.actual));
    curve.compared[quantity_of(pair.expected)].add(pair.expected.step);
    curve.identical = curve.identical && found.identical;
    squares[pair.expected.step] += found.identical ? 0 : found.gap * found.gap;
  }
  for (const auto& [step, sum] : squares) {
    curve.steps.push_back(step);
    curve.gap.push_back(std::sqrt(sum));
  }
  return curve;
}

/// Returns the curve of a glob, or with Sibling::each a curve for each of its tensors, by name.
std::vector<GapCurve> gaps_of_tensors(const Check& check, const Side& a, const Side& b) {
  const std::vector<TensorPair> pairs = pair_tensors(check, a, b);
  if (!check.sibling || !check.sibling->each)
    return {gap_of_tensors(check.quantity(), pairs, a, b)};
  std::map<std::string, std::vector<TensorPair>> by_name;
  for (const TensorPair& pair : pairs)
    by_name[quantity_of(pair.expected)].push_back(pair);
  std::vector<GapCurve> curves;
  for (const auto& [name, some] : by_name)
    curves.push_back(gap_of_tensors(name, some, a, b));
  return curves;
}

/// Returns the verdict of the ratios, and whether it passes. A ratio that is not finite passes no claim.
/// \param lead  the largest ratio
std::pair<Verdict, bool> verdict_of_ratio(const Sibling& claim, const Ratio& lead, bool own_bits_agree) {
  const bool holds = lead.holds(claim.times);
  const Verdict verdict = !holds           ? Verdict::different
                          : own_bits_agree ? Verdict::identical
                                           : Verdict::rounding;
  return {verdict, claim.rejected ? std::isfinite(lead.value()) && !holds : holds};
}

}  // namespace

double GapCurve::mean() const {
  double sum = 0;
  for (const double each : gap)
    sum += each;
  return gap.empty() ? 0 : sum / static_cast<double>(gap.size());
}

GapCurve gap_curve(const std::string& channel, const Series& expected, const Series& actual) {
  GapCurve curve{channel, expected.steps, {}, true, {{channel, StepSet(expected.steps)}}};
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool same = same_bits(expected, i, actual, i);
    curve.identical = curve.identical && same;
    curve.gap.push_back(same ? 0 : gap_between(expected, i, actual, i));
  }
  return curve;
}

std::vector<GapCurve> gap_curves(const Check& check, const Side& a, const Side& b) {
  if (check.of_tensors())
    return gaps_of_tensors(check, a, b);
  std::vector<GapCurve> curves;
  const std::vector<int64_t> steps = steps_in(resolve(check.steps, {a, b}), {a, b});
  for (const std::string& name : match_channels(check.channels, {a, b}))
    curves.push_back(gap_curve(name, channel_at(a, name, steps), channel_at(b, name, steps)));
  return curves;
}

CheckResult judge_gap_ratio(const std::vector<GapCurve>& own, const std::vector<GapCurve>& sibling,
                            const Sibling& claim, const GapRatioWords& words) {
  require(!own.empty() || !sibling.empty(), "judge_gap_ratio needs curves");
  if (!std::ranges::equal(own, sibling, {}, &GapCurve::quantity, &GapCurve::quantity))
    throw MissingEvidence(
        fmt::format("{} and {} have other quantities ({} and {}); name quantities that all four arms have",
                    words.pair, words.sibling, own.size(), sibling.size()));
  std::vector<Ratio> ratios;
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i].steps != sibling[i].steps)
      throw MissingEvidence(fmt::format("{} of {} was recorded at {}, of {} at {}; capture the same steps",
                                        own[i].quantity, words.pair, steps_text(own[i].steps), words.sibling,
                                        steps_text(sibling[i].steps)));
    ratios.push_back({&own[i], &sibling[i]});
  }
  const auto bits_agree = [](const GapCurve& curve) { return curve.identical; };
  CheckResult result;
  for (size_t side = 0; side < 4; ++side)
    for (const GapCurve& curve : side < 2 ? own : sibling)
      result.coverage.add(side, curve.compared);
  if (std::all_of(own.begin(), own.end(), bits_agree) &&
      std::all_of(sibling.begin(), sibling.end(), bits_agree)) {
    result.verdict = Verdict::vacuous;
    result.sentence = fmt::format(
        "{} and {} have the same bits {}: there is no gap to compare; claim identical "
        "if that is meant",
        words.pair, words.sibling, over_text(own.front().steps));
    return result;
  }
  const Ratio& lead = *std::max_element(ratios.begin(), ratios.end(),
                                        [](const Ratio& a, const Ratio& b) { return is_worse(b, a); });
  const double ratio = lead.value();
  std::tie(result.verdict, result.passed) =
      verdict_of_ratio(claim, lead, std::all_of(own.begin(), own.end(), bits_agree));
  result.sentence = sentence_of(lead, words, claim, own.size());
  result.measured = {{"gap_ratio", json_number(ratio)},
                     {"gap", json_number(lead.own->mean())},
                     {"sibling_gap", json_number(lead.sibling->mean())}};
  result.limit = {{"gap_ratio", claim.times}};
  const size_t space = lead.own->quantity.find(' ');
  result.worst = WorstPlace{
      .step = lead.own->steps[widest(*lead.own)],
      .quantity = space == std::string::npos ? lead.own->quantity : lead.own->quantity.substr(space + 1),
      .index = {},
      .expected = {},
      .actual = {},
      .metric = "gap_ratio",
      .value = ratio,
      .limit = claim.times};
  return result;
}

}  // namespace parity::compare
