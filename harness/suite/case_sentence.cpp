// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/case_sentence.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace parity {
namespace {

/// Up to the numbers, which the check itself tells.
std::string first_clause(const std::string& sentence) {
  return sentence.substr(0, sentence.find(": "));
}

std::string list_of_arms(const Case& source) {
  std::string list;
  for (size_t i = 0; i < source.arms.size(); ++i)
    list += (i == 0 ? "" : i + 1 == source.arms.size() ? " and " : ", ") + source.arms[i].name;
  return list;
}

}  // namespace

Verdict verdict_of(const std::vector<JudgedCheck>& judged) {
  Verdict farthest = Verdict::identical;
  for (const JudgedCheck& check : judged) {
    if (!check.result.passed)
      return check.result.verdict;
    if (check.kind == "pair" && check.claim.arms.size() == 2)
      farthest = std::max(farthest, check.result.verdict);
  }
  return farthest;
}

std::string sentence_of(const Case& source, const std::vector<JudgedCheck>& judged, Verdict verdict,
                        const Json& arms) {
  for (const Json& arm : arms)
    if (arm.at("status") != "complete")
      return arm.at("failure").value("message", "arm " + arm.at("name").get<std::string>() + " failed");
  const auto failed = [](const JudgedCheck& check) { return !check.result.passed; };
  const auto first = std::find_if(judged.begin(), judged.end(), failed);
  if (first != judged.end())
    return fmt::format("{} of {} checks failed: {}", std::count_if(judged.begin(), judged.end(), failed),
                       judged.size(), first->result.sentence);
  const std::string names = list_of_arms(source);
  switch (verdict) {
    case Verdict::identical:
      return fmt::format("{} agree bit for bit in everything that was checked ({} checks)", names,
                         judged.size());
    case Verdict::rounding:
      return fmt::format("{} compute the same thing: what differs between them is rounding ({} checks hold)",
                         names, judged.size());
    default: {
      const auto telling = std::find_if(judged.begin(), judged.end(), [&](const JudgedCheck& check) {
        return check.kind == "pair" && check.result.verdict == verdict;
      });
      return fmt::format("{} differ as the case says, and only so ({} checks hold): {}", names, judged.size(),
                         telling == judged.end() ? "" : first_clause(telling->result.sentence));
    }
  }
}

}  // namespace parity
