// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/checks/folded.hpp"

#include <map>
#include <utility>

#include "reports/model/text.hpp"

namespace parity::reports {

FoldedChecks folded_checks(const std::vector<Check>& checks) {
  std::map<std::pair<std::string, std::string>, std::vector<const Check*>> failed;  // by arm and verdict
  for (const Check& check : checks)
    if (check.kind == results::CheckKind::golden && !check.passed && check.arms.size() == 1)
      failed[{check.arms[0], check.verdict}].push_back(&check);
  FoldedChecks folded;
  for (const auto& [key, alike] : failed) {
    if (alike.size() < 3)
      continue;
    std::string names;
    for (size_t i = 1; i < alike.size(); ++i) {
      folded.checks.insert(alike[i]);
      names += (i == 1 ? "" : ", ") + one_line(alike[i]->quantity);
    }
    folded.sentences.push_back(count(alike.size() - 1, "more stored quantity", "more stored quantities") +
                               " of " + one_line(key.first) + " are " + key.second + ": " + names);
  }
  return folded;
}

}  // namespace parity::reports
