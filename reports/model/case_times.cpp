// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/case_times.hpp"

#include "reports/model/text.hpp"

namespace parity::reports {

std::string times_label(const CaseTimes& times) {
  std::string text;
  const auto add = [&](const char* what, double seconds) {
    if (seconds >= 0.0005)
      text += (text.empty() ? "" : ", ") + std::string(what) + " " + duration(seconds);
  };
  add("training", times.training);
  add("start", times.start);
  add("judging", times.judging);
  add("waiting", times.waiting);
  return text;
}

}  // namespace parity::reports
