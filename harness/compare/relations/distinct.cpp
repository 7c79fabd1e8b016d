// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/relations/relation.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/twins/gap.hpp"
#include "harness/compare/twins/measure.hpp"

namespace parity::compare {
namespace {

/// Returns whether a gap falls by 2^20 or more in float64, as rounding does. A gap that falls but stays above
/// rounding counts too: a negative control must not rest on it.
bool collapses(const TwinGap& gap, const CollapseRule& rule) {
  return rule.falls(gap.collapse) && gap.collapse.gap32 != 0;
}

/// Returns one rounding of a quantity in its own dtype. A run whose "twin" is the same run again has a
/// measured floor of 0, and any gap would count. (A trainer that ignores the requested dtype makes such a
/// twin.)
double least_floor(const TwinGap& gap) {
  return gap.integral ? 0 : gap.model.roundoff * gap.collapse.norm64;
}

bool holds(const TwinGap& gap, const CollapseRule& rule) {
  return gap.broken.empty() && !gap.identical && gap.floors() >= distinct_floors &&
         gap.collapse.gap32 >= distinct_floors * least_floor(gap) && !collapses(gap, rule);
}

/// Returns the verdict on a gap. A gap that vanishes in float64 is rounding only if it is as small as
/// rounding.
Verdict verdict_of(const TwinGap& gap, const RoundingSize& size, const CollapseRule& rule) {
  if (!gap.broken.empty())
    return Verdict::different;
  if (gap.identical)
    return Verdict::identical;
  if (!collapses(gap, rule) && !rule.accepts(gap.collapse))
    return Verdict::different;
  return RoundingSizeRule().judge(size);
}

/// Returns "5.3e+03 floors" or "over a floor of 0".
std::string floors_text(const TwinGap& gap) {
  if (gap.collapse.gap32 < distinct_floors * least_floor(gap))
    return fmt::format("a gap of {}, less than {:.0f} roundings of the quantity",
                       size_text(gap.collapse.gap32), distinct_floors);
  if (gap.floor == 0)
    return fmt::format("a gap of {} over a floor of 0", size_text(gap.collapse.gap32));
  return fmt::format("{} floors (needed {:.0f}; gap {}, floor {})", size_text(gap.floors()), distinct_floors,
                     size_text(gap.collapse.gap32), size_text(gap.floor));
}

std::string fault_text(const TwinGap& gap, const RoundingSize& size, const CollapseRule& rule, const Side& a,
                       const Side& b, const std::string& where) {
  if (!gap.broken.empty())
    return gap.broken;
  if (gap.identical)
    return fmt::format("{} of {} and {} have the same bits {}: the option under test had no effect",
                       gap.quantity, b.name, a.name, where);
  if (collapses(gap, rule)) {
    const std::string lost = RoundingSizeRule().explain(size, a.name, b.name);
    return fmt::format("{} of {} differs from {}'s {} only by {}: {}{}", gap.quantity, b.name, a.name, where,
                       lost.empty() ? "rounding" : "precision", rule.explain(gap.collapse),
                       lost.empty() ? "" : "; " + lost);
  }
  return fmt::format(
      "{} of {} differs from {}'s by more than rounding {} (collapse {}), but float32's rounding hides it: "
      "{}; first {}",
      gap.quantity, b.name, a.name, where, power_text(gap.collapse.log2_ratio()), floors_text(gap),
      gap.first_text);
}

/// Returns a clause for an arm that loses more than rounding; "" otherwise. The loss does not make arms
/// distinct, but it is reported for distinct arms.
std::string lost_text(RoundingSize size, const Side& a, const Side& b) {
  size.collapse.gap64 = 0;  // between distinct arms it is not amplified rounding
  size.exact = false;
  const RoundingSizeRule rule;
  return rule.judge(size) == Verdict::imprecise ? "; also, " + rule.explain(size, a.name, b.name) : "";
}

}  // namespace

CheckResult judge_distinct(const Check& check, const std::vector<Side>& sides) {
  const CollapseRule rule;
  const Side& a = sides.at(0);
  const Side& b = sides.at(1);
  const TwinEvidence twins = twin_evidence_of(check, sides);
  const std::vector<TwinGap> each = measure_twin_gaps(check, sides, twins);
  // Channels are judged one by one. The tensors of a glob are one vector, because a change need not reach all
  // of them.
  const std::vector<TwinGap> gaps = check.of_tensors() ? std::vector{join(each, check.quantity())} : each;
  const TwinGap* lead = &gaps.front();
  for (const TwinGap& gap : gaps)
    if (holds(*lead, rule) && (!holds(gap, rule) || gap.floors() < lead->floors()))
      lead = &gap;
  const std::string where = over_text(lead->steps);
  const RoundingSize size = rounding_size_of(*lead, check, a, b);
  CheckResult result;
  result.twins = twins;
  for (const TwinGap& gap : each)
    result.coverage.add_pair(gap.quantity, gap.steps);
  result.passed = holds(*lead, rule);
  result.verdict = verdict_of(*lead, size, rule);
  result.measured = lead->measured;
  result.measured["gap32"] = json_number(lead->collapse.gap32);
  result.measured["floor"] = json_number(lead->floor);
  result.measured["floors"] = json_number(lead->floors());
  result.measured["collapse_log2"] = json_number(lead->collapse.log2_ratio());
  result.limit = {{"floors", distinct_floors}, {"collapse_log2", rule.needed_log2}};
  result.worst = lead->worst;
  if (check.of_tensors())
    result.tensors = lead->rows;
  result.looks_like = lead->broken.empty() ? lead->pattern : "";
  if (!result.passed) {
    result.sentence = fault_text(*lead, size, rule, a, b, where);
    return result;
  }
  result.sentence = fmt::format(
      "{} differ by more than rounding {}{}: {}, and the gap stays in float64 (collapse {}); first {}{}",
      subject_text(check, gaps, a, b), where, gaps.size() > 1 ? ", least in " + lead->quantity : "",
      floors_text(*lead), power_text(lead->collapse.log2_ratio()), lead->first_text,
      lead->integral ? "" : lost_text(size, a, b));
  return result;
}

}  // namespace parity::compare
