// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/compare/bounds/bound.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/twins/gap.hpp"
#include "harness/compare/twins/measure.hpp"
#include "harness/compare/twins/path.hpp"

namespace parity::compare {
namespace {

/// A quantity with its gap, size and verdict.
struct JudgedGap {
  const TwinGap* gap = nullptr;
  RoundingSize size;
  Verdict verdict = Verdict::different;

  const Collapse& collapse() const { return gap->collapse; }
};

/// Returns the verdict on one quantity: identical, rounding, imprecise, different, or vacuous if a twin is
/// not near its arm. Counts have no rounding: int64 values must agree.
Verdict verdict_on(const TwinGap& gap, const RoundingSize& size) {
  if (!gap.broken.empty() || (gap.integral && !gap.identical) || !CollapseRule().accepts(gap.collapse))
    return Verdict::different;
  if (gap.integral)
    return Verdict::identical;
  const Verdict by_size = RoundingSizeRule().judge(size);
  return gap.identical && by_size != Verdict::vacuous ? Verdict::identical : by_size;
}

/// Returns the larger of the arms' costs, each divided by its limit.
double excess(const JudgedGap& judged) {
  const RoundingSizeRule rule;
  return std::max(judged.size.roundings_of_a() / rule.limit_of_a(judged.size),
                  judged.size.roundings_of_b() / rule.limit_of_b(judged.size));
}

/// Returns whether the sentence is about this quantity: the one with the worst verdict. Among equals it is
/// the one that loses most, or whose gap collapses least.
bool leads(const JudgedGap& mine, const JudgedGap& other) {
  if (mine.verdict != other.verdict)
    return mine.verdict > other.verdict;
  if (mine.verdict == Verdict::imprecise)
    return excess(mine) > excess(other);
  return mine.collapse().log2_ratio() < other.collapse().log2_ratio();
}

std::string residual_text(const TwinGap& lead, const CollapseRule& rule, const Side& a, const Side& b,
                          const std::string& where) {
  if (!lead.broken.empty())
    return lead.broken;
  const std::string first = lead.first_text.empty() ? "" : "; first " + lead.first_text;
  if (lead.integral)
    return fmt::format("{} of {} differs from {}'s {}: counts have no rounding{}", lead.quantity, b.name,
                       a.name, where, first);
  return fmt::format("{} of {} differs from {}'s by more than rounding {}: {}{}", lead.quantity, b.name,
                     a.name, where, rule.explain(lead.collapse), first);
}

/// Returns the course and the pattern of a gap: "within 8 floors until step 3; lr of b lags a's by 1 step".
std::string shape_text(const TwinGap& gap) {
  return gap.course + (gap.course.empty() || gap.pattern.empty() ? "" : "; ") + gap.pattern;
}

/// Returns a known cause if only norms are imprecise: PyTorch's norm on CPUs adds float32 squares one after
/// another.
std::string known_cause(const std::vector<JudgedGap>& judged) {
  const bool norms_alone = std::ranges::all_of(judged, [](const JudgedGap& each) {
    return each.verdict != Verdict::imprecise || each.gap->quantity.ends_with("norm");
  });
  return norms_alone ? "a norm that adds squares one after another in float32, as PyTorch's on "
                       "CPUs does (7e-4 at 16 million elements)"
                     : "";
}

std::string imprecise_text(const JudgedGap& lead, const Side& a, const Side& b, const std::string& where) {
  const std::string first = lead.gap->first_text.empty() ? "" : "; first " + lead.gap->first_text;
  return fmt::format("{} of {} follows the same mathematics as {}'s {}, but {}{}", lead.gap->quantity, b.name,
                     a.name, where, RoundingSizeRule().explain(lead.size, a.name, b.name), first);
}

/// Returns a clause for what both arms lose alike. It is not a difference between them, but it is reported.
std::string common_loss_text(const std::vector<JudgedGap>& judged) {
  for (const JudgedGap& each : judged) {
    const double lost = std::min(each.size.roundings_of_a(), each.size.roundings_of_b());
    if (!each.gap->integral && each.size.comparable && lost > each.size.model_a.most)
      return fmt::format("; both lose {} {} roundings in {} alike", power_text(std::log2(lost)),
                         name_of(each.size.model_a.dtype), each.gap->quantity);
  }
  return "";
}

/// Returns the sentence for a twin that is not near its arm and therefore shows nothing.
std::string far_twin_text(const JudgedGap& lead, const Side& a, const Side& b, const std::string& where) {
  return fmt::format("{} {} shows nothing: {}", lead.gap->quantity, where,
                     RoundingSizeRule().explain(lead.size, a.name, b.name));
}

/// Judges arms whose bits all agree. The check passes if the arms provably computed differently; otherwise
/// nothing was tested.
/// \param twins_path  where their twins computed differently; "" if nothing shows it
void judge_same_bits(CheckResult& result, const std::string& subject, const Side& a, const Side& b,
                     const std::string& where, const std::string& twins_path) {
  const std::string path = find_other_path(a, b).value_or(twins_path);
  if (!path.empty()) {
    result.passed = true;
    result.verdict = Verdict::identical;
    result.sentence = fmt::format("{} have the same bits {}, although the arms computed differently: {}",
                                  subject, where, path);
    return;
  }
  result.passed = false;
  result.verdict = Verdict::vacuous;
  result.sentence = fmt::format(
      "{} have the same bits {}, also in float64, and nothing recorded shows that the arms computed "
      "differently: the option under test had no effect; claim identical if that is intended",
      subject, where);
}

std::vector<JudgedGap> judge_gaps(const Check& check, const std::vector<TwinGap>& gaps, const Side& a,
                                  const Side& b) {
  std::vector<JudgedGap> judged;
  judged.reserve(gaps.size());
  for (const TwinGap& gap : gaps) {
    const RoundingSize size = rounding_size_of(gap, check, a, b);
    judged.push_back({&gap, size, verdict_on(gap, size)});
  }
  return judged;
}

void add_roundings(CheckResult& result, const RoundingSize& size) {
  const RoundingSizeRule rule;
  result.measured["roundings_a"] = json_number(size.roundings_of_a());
  result.measured["roundings_b"] = json_number(size.roundings_of_b());
  result.limit["roundings_a"] = json_number(rule.limit_of_a(size));
  result.limit["roundings_b"] = json_number(rule.limit_of_b(size));
}

CheckResult judge_by_twins(const Check& check, const std::vector<Side>& sides) {
  const CollapseRule rule;
  const Side& a = sides.at(0);
  const Side& b = sides.at(1);
  const TwinEvidence twins = twin_evidence_of(check, sides);
  const std::vector<TwinGap> gaps = measure_twin_gaps(check, sides, twins);
  const std::vector<JudgedGap> judged = judge_gaps(check, gaps, a, b);
  const JudgedGap& leader =
      *std::ranges::max_element(judged, [](const JudgedGap& x, const JudgedGap& y) { return leads(y, x); });
  const TwinGap& lead = *leader.gap;
  const std::string where = over_text(lead.steps);
  const std::string subject = subject_text(check, gaps, a, b);
  CheckResult result;
  result.twins = twins;
  for (const TwinGap& gap : gaps)
    result.coverage.add_pair(gap.quantity, gap.steps);
  result.verdict = leader.verdict;
  result.passed = result.verdict <= Verdict::rounding;
  result.measured = lead.measured;
  result.measured["gap32"] = json_number(lead.collapse.gap32);
  result.measured["gap64"] = json_number(lead.collapse.gap64);
  result.measured["relative64"] = json_number(lead.collapse.relative64());
  result.measured["collapse_log2"] = json_number(lead.collapse.log2_ratio());
  result.measured["floors"] = json_number(lead.floors());
  result.limit = {{"collapse_log2", rule.needed_log2}, {"relative64", rule.multiple * 0x1p-53}};
  if (!lead.integral)
    add_roundings(result, leader.size);
  result.worst = lead.worst;
  for (const TwinGap& gap : gaps)
    for (results::TensorRow row : gap.rows) {
      row.measured["collapse_log2"] = json_number(gap.collapse.log2_ratio());
      result.tensors.push_back(std::move(row));
    }
  if (result.verdict == Verdict::different) {
    result.sentence = residual_text(lead, rule, a, b, where);
    result.looks_like = lead.broken.empty() ? shape_text(lead) : "";
    if (gaps.size() > 1)
      result.sentence +=
          fmt::format("; {} of {} quantities differ",
                      std::ranges::count(judged, Verdict::different, &JudgedGap::verdict), gaps.size());
  } else if (result.verdict == Verdict::imprecise) {
    result.sentence = imprecise_text(leader, a, b, where);
    result.looks_like = known_cause(judged);
  } else if (result.verdict == Verdict::vacuous) {
    result.sentence = far_twin_text(leader, a, b, where);
  } else if (result.verdict == Verdict::identical) {
    judge_same_bits(result, subject, a, b, where, twins.other_path);
  } else {
    const bool several = gaps.size() > 1;
    result.sentence =
        fmt::format("{} differ only by rounding {}: {}{}{}{}", subject, where,
                    several ? "weakest in " + lead.quantity + ", " : "", rule.explain(lead.collapse),
                    lead.estimated ? " (estimated from sketches)" : "", common_loss_text(judged));
  }
  return result;
}

/// Returns whether an arm cannot have a float64 twin: its command has none. (An arm that is float64 itself is
/// rejected elsewhere.)
bool lacks_twin(const Side& side) {
  return !side.twin && !side.stored_twins && text_or(side.trace->config(), "dtype") != "float64";
}

/// Judges an arm without a twin by comparing it with measured rounding noise.
CheckResult judge_without_twins(const Check& check, const std::vector<Side>& sides) {
  for (const Side& side : sides)
    if (lacks_twin(side) && !side.floors) {
      try {
        static_cast<void>(twin_of(side));
      } catch (const MissingEvidence& problem) {
        throw MissingEvidence(fmt::format("{}; or compare it with its rounding noise{}", problem.what(),
                                          side.floors_problem.empty() ? "" : ": " + side.floors_problem));
      }
    }
  const std::vector<BoundedGap> gaps = measure_bounded(check, sides);
  const std::string subject = bounded_subject(check, gaps, sides.at(0).name, sides.at(1).name);
  CheckResult result = judge_bound(gaps, {}, {sides.at(0).name, sides.at(1).name, subject});
  if (result.verdict == Verdict::identical)
    judge_same_bits(result, subject, sides.at(0), sides.at(1), "over the window", "");
  else
    result.sentence += "; an arm has no float64 twin, so measured floors decide";
  return result;
}

/// Measures the gaps of arms that compute in 16 bits. No floor is below one rounding of float32, in which
/// sums over ranks and micro-batches are kept: a floor of 0 says only that no variant reordered such a sum.
std::vector<BoundedGap> measure_sixteen_bits(const Check& check, const std::vector<Side>& sides) {
  constexpr double roundoff = 0x1p-24;
  std::vector<BoundedGap> gaps = measure_bounded(check, sides);
  for (BoundedGap& gap : gaps)
    for (BoundedStep& step : gap.steps)
      step.floor = std::max(step.floor, roundoff * step.scale);
  return gaps;
}

/// Judges arms that compute in 16 bits, which their twins do not. A gap that collapses shows that nothing
/// else distinguishes the arms. The measured floor, 2^16 times that of float32, decides whether 16 bits
/// explain the size of the gap.
void judge_sixteen_bits(CheckResult& result, const Check& check, const std::vector<Side>& sides) {
  const std::vector<BoundedGap> gaps = measure_sixteen_bits(check, sides);
  CheckResult bound = judge_bound(
      gaps, {},
      {sides.at(0).name, sides.at(1).name, bounded_subject(check, gaps, sides.at(0).name, sides.at(1).name)});
  if (!bound.passed) {
    bound.sentence += "; the gap vanishes in float64, but 16 bits do not explain its size";
    result = std::move(bound);
    return;
  }
  result.bounds = std::move(bound.bounds);
  result.measured["floors_16_bits"] = bound.measured["floors"];
  result.limit["floors_16_bits"] = bound.limit["floors"];
  result.sentence +=
      fmt::format("; in 16 bits at most {} floors, allowed {}",
                  size_text(number_or(bound.measured, "floors", 0)), bound.limit["floors"].dump());
}

}  // namespace

CheckResult judge_equivalent(const Check& check, const std::vector<Side>& sides) {
  if (std::any_of(sides.begin(), sides.end(), lacks_twin))
    return judge_without_twins(check, sides);
  CheckResult result = judge_by_twins(check, sides);
  if (result.verdict == Verdict::rounding &&
      std::any_of(sides.begin(), sides.end(), [](const Side& side) { return side.sixteen_bits; }))
    judge_sixteen_bits(result, check, sides);
  return result;
}

}  // namespace parity::compare
