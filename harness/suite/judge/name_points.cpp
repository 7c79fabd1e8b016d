// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/judge/name_points.hpp"

#include <regex>

namespace parity::suite {

std::string with_points(const std::string& sentence, const operators::Problem& problem) {
  static const std::regex words(R"(; identical until step \d+|\bstep (\d+)\b|\bsteps\b)");
  std::string text;
  auto rest = sentence.begin();
  for (std::sregex_iterator found(sentence.begin(), sentence.end(), words), end; found != end; ++found) {
    text.append(rest, (*found)[0].first);
    rest = (*found)[0].second;
    const std::string number = (*found)[1].str();
    const size_t step = number.empty() || number.size() > 9 ? 0 : std::stoul(number);
    if (step >= 1 && step <= problem.points.size())
      text += problem.points[step - 1].text();
    else if (!number.empty())
      text += "step " + number;
    else if (found->str() == "steps")
      text += "points";
  }
  return text.append(rest, sentence.end());
}

void name_points(compare::CheckResult& result, const operators::Problem& problem) {
  result.sentence = with_points(result.sentence, problem);
  for (std::string& each : result.more)
    each = with_points(each, problem);
  result.looks_like.clear();
  if (result.worst && result.worst->step >= 1 &&
      result.worst->step <= static_cast<int64_t>(problem.points.size()))
    result.worst->point = problem.points[static_cast<size_t>(result.worst->step - 1)].text();
}

}  // namespace parity::suite
