// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/case_times.hpp"

#include "reports/model/json_members.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {

void CaseTimes::add(const CaseTimes& other) {
  training += other.training;
  start += other.start;
  judging += other.judging;
  waiting += other.waiting;
}

std::string CaseTimes::label() const {
  std::string text;
  const auto add = [&](const char* what, double seconds) {
    if (seconds >= 0.0005)
      text += (text.empty() ? "" : ", ") + std::string(what) + " " + duration(seconds);
  };
  add("training", training);
  add("start", start);
  add("judging", judging);
  add("waiting", waiting);
  return text;
}

CaseTimes read_case_times(const JsonNode& node) {
  return {number_or(node, "training", 0), number_or(node, "start", 0), number_or(node, "judging", 0),
          number_or(node, "waiting", 0)};
}

}  // namespace parity::reports
