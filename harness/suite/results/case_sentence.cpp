// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/results/case_sentence.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace parity::suite {
namespace {

/// Returns a sentence up to its numbers, which the check itself reports.
std::string first_clause(const std::string& sentence) {
  return sentence.substr(0, sentence.find(": "));
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return list;
}

std::string list_of_arms(const Case& source) {
  std::vector<std::string> names;
  for (const Arm& arm : source.arms)
    names.push_back(arm.name);
  return list_of(names);
}

bool is_of_pair(const JudgedCheck& check) {
  return check.kind == results::CheckKind::pair && check.claim.arms.size() == 2;
}

bool expects_agreement(const JudgedCheck& check) {
  return check.claim.relation == compare::Relation::identical ||
         check.claim.relation == compare::Relation::equivalent;
}

/// Returns the arms of the pairs that a case expects to differ, in the order of the case.
std::string list_of_differing_arms(const Case& source, const std::vector<JudgedCheck>& judged) {
  std::vector<std::string> names;
  for (const Arm& arm : source.arms)
    if (std::ranges::any_of(judged, [&](const JudgedCheck& check) {
          return is_of_pair(check) && !expects_agreement(check) &&
                 std::ranges::find(check.claim.arms, arm.name) != check.claim.arms.end();
        }))
      names.push_back(arm.name);
  return names.empty() ? list_of_arms(source) : list_of(names);
}

/// Returns whether the case agrees with a golden of another environment only up to drift.
bool drifts(const std::vector<JudgedCheck>& judged) {
  return std::ranges::any_of(judged, [](const JudgedCheck& each) {
    return each.kind == results::CheckKind::golden && each.result.verdict == compare::Verdict::drift;
  });
}

/// Returns the sentence for equal bits. It says that the arms equal each other only if checks claimed it for
/// each pair.
std::string describe_identical(const Case& source, const std::vector<JudgedCheck>& judged) {
  const std::string names = list_of_arms(source);
  if (std::ranges::none_of(judged, is_of_pair)) {
    const bool golden = std::any_of(judged.begin(), judged.end(),
                                    [](const auto& each) { return each.kind == results::CheckKind::golden; });
    const std::string how =
        drifts(judged) ? "up to drift: the golden is of another environment" : "bit for bit";
    return golden ? names + (source.arms.size() == 1 ? " agrees with its golden, " + how
                                                     : " each agree with their golden, " + how)
                  : "all claims about " + names + " hold";
  }
  const bool alike = std::ranges::all_of(
      judged, [](const JudgedCheck& check) { return !is_of_pair(check) || expects_agreement(check); });
  if (drifts(judged) && alike)
    return names + " agree with each other bit for bit, and with their golden up to drift";
  return alike ? names + " have the same bits in everything that was checked"
               : list_of_differing_arms(source, judged) + " differ exactly as the case expects, bit for bit";
}

bool has_failed(const JudgedCheck& check) {
  return !check.result.passed;
}

/// Returns the failed check that the sentence quotes: the first, but of those on the golden the one whose
/// difference is earliest, because it is nearest to the cause. Null if none failed.
const JudgedCheck* headline_of(const std::vector<JudgedCheck>& judged) {
  const auto first = std::ranges::find_if(judged, has_failed);
  if (first == judged.end())
    return nullptr;
  const JudgedCheck* chosen = &*first;
  for (const JudgedCheck& check : judged)
    if (has_failed(check) && check.kind == results::CheckKind::golden && chosen->kind == check.kind &&
        check.result.worst && chosen->result.worst && check.result.worst->step < chosen->result.worst->step)
      chosen = &check;
  return chosen;
}

/// Returns why an arm failed. A run that never began is named, since its message names a program or a
/// file.
std::string describe_failure(const results::Arm& arm) {
  if (!arm.failure || arm.failure->message.empty())
    return "arm " + arm.name + " failed";
  const bool began = arm.failure->kind != results::FailureKind::missing &&
                     arm.failure->kind != results::FailureKind::not_started;
  return (began ? "" : "arm " + arm.name + ": ") + arm.failure->message;
}

}  // namespace

compare::Verdict verdict_of(const std::vector<JudgedCheck>& judged) {
  compare::Verdict farthest = compare::Verdict::identical;
  for (const JudgedCheck& check : judged) {
    if (!check.result.passed)
      return check.result.verdict;
    if (check.kind == results::CheckKind::pair && check.claim.arms.size() == 2)
      farthest = std::max(farthest, check.result.verdict);
  }
  return farthest;
}

std::string sentence_of(const Case& source, const std::vector<JudgedCheck>& judged, compare::Verdict verdict,
                        const std::vector<results::Arm>& arms) {
  for (const results::Arm& arm : arms)
    if (arm.status != results::ArmStatus::complete)
      return describe_failure(arm);
  if (const JudgedCheck* headline = headline_of(judged))
    return fmt::format("{} of {} checks failed: {}", std::ranges::count_if(judged, has_failed), judged.size(),
                       headline->result.sentence);
  const std::string names = list_of_arms(source);
  switch (verdict) {
    case compare::Verdict::identical:
      return fmt::format("{} ({} checks)", describe_identical(source, judged), judged.size());
    case compare::Verdict::rounding:
      return fmt::format("{} compute the same thing and differ only by rounding ({} checks passed)", names,
                         judged.size());
    default: {
      const auto deciding = std::find_if(judged.begin(), judged.end(), [&](const JudgedCheck& check) {
        return check.kind == results::CheckKind::pair && check.result.verdict == verdict;
      });
      return fmt::format("{} differ exactly as the case expects ({} checks passed): {}",
                         list_of_differing_arms(source, judged), judged.size(),
                         deciding == judged.end() ? "" : first_clause(deciding->result.sentence));
    }
  }
}

}  // namespace parity::suite
